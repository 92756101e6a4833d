package serverjson

import (
	"cmp"
	"slices"
	"strings"

	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

// variables reads environment variables or headers with distinct names.
func variables(list []untyped.Object) []registry.Variable {
	var out []registry.Variable
	seen := map[string]bool{}
	for _, o := range bounded(list) {
		v := variable(o)
		if v.Name == "" || seen[v.Name] {
			continue
		}
		seen[v.Name] = true
		v.Variables = inside(o)
		out = append(out, v)
	}
	return out
}

func variable(o untyped.Object) registry.Variable {
	return registry.Variable{
		Name:        untyped.Cut(o.Text("name"), 200),
		Description: untyped.Cut(o.Text("description"), maxText),
		IsRequired:  o.Flag("isRequired", "is_required", "required"),
		IsSecret:    o.Flag("isSecret", "is_secret", "secret"),
		Format:      untyped.Cut(o.Text("format"), 50),
		Value:       untyped.Cut(o.Scalar("value"), maxText),
		Default:     untyped.Cut(o.Scalar("default"), maxText),
		Placeholder: untyped.Cut(o.Scalar("placeholder"), maxText),
		Choices:     choices(o),
	}
}

// inside returns the variables declared for the {names} in the value or URL of o, nil if there
// are none.
func inside(o untyped.Object) map[string]registry.Variable {
	declared := o.Object("variables")
	var out map[string]registry.Variable
	for _, name := range declared.Keys() {
		v := declared.Object(name)
		if v == nil || len(out) >= maxItems || name == "" || untyped.Cut(name, 100) != name {
			continue
		}
		if out == nil {
			out = map[string]registry.Variable{}
		}
		in := variable(v)
		in.Name = ""
		out[name] = in
	}
	return out
}

// choices reads the values to choose from, which may be numbers.
func choices(o untyped.Object) (out []string) {
	for _, c := range bounded(o.List("choices")) {
		if s := untyped.Cut(untyped.Object{"": c}.Scalar(""), 200); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func arguments(list []untyped.Object) []registry.Argument {
	var out []registry.Argument
	for _, o := range bounded(list) {
		v := variable(o)
		a := registry.Argument{
			Type: strings.ToLower(o.Text("type")), Name: v.Name, Description: v.Description,
			Value: v.Value, ValueHint: untyped.Cut(o.Text("valueHint", "value_hint"), 200),
			Default: v.Default, Placeholder: v.Placeholder, Choices: v.Choices, Format: v.Format,
			IsRequired: v.IsRequired, IsRepeated: o.Flag("isRepeated", "is_repeated"),
			IsSecret:  v.IsSecret,
			Variables: inside(o),
		}
		if a.Type != "named" {
			a.Type = "positional"
			out = append(out, a)
			continue
		}
		for _, value := range []*string{&a.Value, &a.Default, &a.ValueHint} {
			*value = withoutOwnName(a.Name, *value)
		}
		if a.Name != "" && (a.IsRepeated || !slices.ContainsFunc(out, func(b registry.Argument) bool {
			return a.Name == b.Name && a.Value == b.Value && a.ValueHint == b.ValueHint && a.Default == b.Default
		})) {
			out = append(out, a)
		}
	}
	return out
}

// unscrape repairs arguments of the first generation, which were extracted from READMEs. They
// contain names followed by their value, examples as fixed values, and words of the program that
// runs the package.
func unscrape(p *registry.Package) {
	list := p.PackageArguments
	for i := range list {
		a := &list[i]
		if name, rest, ok := strings.Cut(a.Name, " "); ok && a.Type == "named" {
			a.Value, a.Default = withoutOwnName(a.Name, a.Value), withoutOwnName(a.Name, a.Default)
			a.Name, a.ValueHint = name, cmp.Or(a.ValueHint, strings.TrimSpace(rest))
		}
		if a.ValueHint == "" && a.Type == "named" && a.Value == a.Default {
			a.ValueHint = a.Value // later generations of the entries lack it
		}
		if a.ValueHint != "" && a.Value == a.ValueHint && !Subcommands[a.Value] {
			a.Value = ""
			if a.Default == a.ValueHint {
				a.Default = ""
			}
		}
	}
	if p.RegistryType == "pypi" {
		list = withoutRunner(list, p.Identifier)
	}
	own := registry.PyPIName(p.Identifier)
	p.PackageArguments = slices.DeleteFunc(list, func(a registry.Argument) bool {
		return a.Type == "positional" && registry.PyPIName(cmp.Or(a.Value, a.ValueHint)) == own
	})
}

// Subcommands are words by which programs start a server.
var Subcommands = map[string]bool{
	"start": true, "stdio": true, "serve": true, "server": true, "run": true, "mcp": true,
}

// runnerOptions are the options of uv that take a value.
var runnerOptions = map[string]bool{
	"--directory": true, "--project": true, "--with": true, "--with-editable": true, "--python": true,
	"--from": true, "-m": true,
}

// withoutRunner removes the words of "uv run" from the arguments of a package: its options, and
// the file or module that it starts.
func withoutRunner(list []registry.Argument, identifier string) []registry.Argument {
	own := registry.PyPIName(identifier)
	return slices.DeleteFunc(slices.Clone(list), func(a registry.Argument) bool {
		text := cmp.Or(a.Value, a.ValueHint)
		option, _, _ := strings.Cut(cmp.Or(a.Name, text), " ")
		return runnerOptions[option] || strings.HasSuffix(text, ".py") || a.Type == "positional" &&
			(text == "python" || text == "run" || text == "mcp" || registry.PyPIName(text) == own)
	})
}

// withoutOwnName returns the value of an option without the option's own name
// before it: {"name": "--with", "value": "--with x"}.
func withoutOwnName(name, value string) string {
	rest, ok := strings.CutPrefix(value, name)
	if !ok || name == "" || rest != "" && rest[0] != ' ' && rest[0] != '=' {
		return value
	}
	return strings.TrimSpace(strings.TrimPrefix(rest, "="))
}
