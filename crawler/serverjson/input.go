package serverjson

import (
	"strings"

	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

// variables reads environment variables or headers, each name once.
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
		IsRequired:  o.Flag("isRequired", "is_required"),
		IsSecret:    o.Flag("isSecret", "is_secret"),
		Format:      untyped.Cut(o.Text("format"), 50),
		Value:       untyped.Cut(o.Scalar("value"), maxText),
		Default:     untyped.Cut(o.Scalar("default"), maxText),
		Placeholder: untyped.Cut(o.Scalar("placeholder"), maxText),
		Choices:     choices(o),
	}
}

// inside returns the variables that o declares for the {names} in its value or
// address, nil if there are none.
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
		}
		if a.Type == "named" && a.Name == "" {
			continue
		}
		out = append(out, a)
	}
	return out
}

// unscrape repairs arguments of the first generation, which were read off
// READMEs: names with their value behind them, and examples as if they were
// fixed values.
func unscrape(list []registry.Argument) {
	for i := range list {
		a := &list[i]
		if name, rest, ok := strings.Cut(a.Name, " "); ok && a.Type == "named" {
			if a.Value == a.Name {
				a.Value = ""
			}
			if a.Default == a.Name {
				a.Default = ""
			}
			a.Name = name
			if a.ValueHint == "" {
				a.ValueHint = strings.TrimSpace(rest)
			}
		}
		if a.ValueHint != "" && a.Value == a.ValueHint {
			a.Value = ""
			if a.Default == a.ValueHint {
				a.Default = ""
			}
		}
	}
}
