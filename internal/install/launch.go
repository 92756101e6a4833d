package install

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/crawler/dockerrun"
	"mcpcensus/internal/registry"
)

// A value is a fixed text or a value to fill in.
type value struct {
	name        string // of the variable: [A-Za-z_][A-Za-z0-9_]*
	fixed       string
	open        bool   // it must be filled in; fixed is ""
	prefix      string // before the value to fill in: "Bearer ", "--dir="
	description string
	example     string
	preset      string // the declared default
	secret      bool
	choices     []string
	option      string  // option or header of the value; "" if none
	inside      []value // values to fill in; fixed contains their placeholders
}

// text returns the value, with open parts written in a client's style.
func (v value) text(s style) string {
	if v.open {
		return v.prefix + s.of(v)
	}
	text := v.fixed
	for _, in := range v.inside {
		text = strings.ReplaceAll(text, asPlaceholder.of(in), s.of(in))
	}
	return text
}

func texts(vs []value, s style) []string {
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = v.text(s)
	}
	return out
}

// opened returns the values to fill in with distinct names.
func opened(vs []value) (out []value) {
	for _, v := range vs {
		for _, o := range append(v.inside, v) {
			if o.open && !slices.ContainsFunc(out, func(x value) bool { return x.name == o.name }) {
				out = append(out, o)
			}
		}
	}
	return out
}

func literal(ss ...string) []value {
	out := make([]value, len(ss))
	for i, s := range ss {
		out[i] = value{fixed: s}
	}
	return out
}

// A launch is a command line with open values.
type launch struct {
	command string
	args    []value
	env     []value
}

func (l launch) open() []value { return opened(slices.Concat(l.env, l.args)) }

// shellLine returns the line for a POSIX shell, without the environment.
func (l launch) shellLine() string {
	return shellLine(append([]string{l.command}, texts(l.args, asPlaceholder)...))
}

// launchOf returns the command that starts p, or why there is none.
func launchOf(p registry.Package) (launch, *Obstacle) {
	r, o := recipeOf(p)
	if o != nil {
		return launch{}, o
	}
	return launch{command: r.program, args: r.words(), env: r.env}, nil
}

// A recipe contains the parts of a command line and of a server.json; see [recipe.words] and
// [Published].
type recipe struct {
	registryType string
	identifier   string // of an image: the reference to pull
	version      string // "" if unspecified, and for images
	program      string // "npx"
	script       string // executable of the package, "" for the one with its name
	// runtime are the options of the program, except those that every client adds.
	runtime, args, env []value
	left               []value          // arguments that repeat defaults
	p                  registry.Package // with the arguments that its repository documents
}

// recipeOf returns the recipe of p, or why there is no command.
func recipeOf(p registry.Package) (recipe, *Obstacle) {
	if o := check(p); o != nil {
		return recipe{}, o
	}
	p, command, script := documented(p)
	runtime, o1 := arguments(p.RuntimeArguments, true)
	args, o2 := arguments(p.PackageArguments, false)
	env, o3 := environment(p.EnvironmentVariables)
	runtime, env = withoutIndex(p.RegistryType, runtime, fixedText), withoutIndexVariables(p.RegistryType, env)
	if p.RegistryType == "oci" && len(runtime) > 0 && runtime[0].fixed == "run" {
		runtime = runtime[1:] // of "docker run"
	}
	if p.RegistryType != "oci" && p.Declared == registry.DeclaredInRepo {
		var misplaced []value
		runtime, misplaced = splitRuntime(p, runtime)
		args = slices.Concat(misplaced, args)
	}
	if o := cmp.Or(hidden(p, script), badScript(script), o1, o2, o3, checkRuntime(p, runtime, env)); o != nil {
		return recipe{}, o
	}
	args, left := withoutDefaults(p.Defaults, args)
	r := recipe{
		left: left, registryType: p.RegistryType, identifier: p.Identifier, version: p.Version,
		program: cmp.Or(command, registry.Programs[p.RegistryType]), script: script, env: env, p: p,
	}
	if placeholderVersion.MatchString(r.version) || r.version == "latest" {
		r.version = ""
	}
	switch {
	case p.RegistryType == "oci":
		var o *Obstacle
		if r.identifier, o = imageOf(p); o != nil {
			return recipe{}, o
		}
		r.version, r.script = "", ""
		runtime, r.env = dockerOptions(runtime, env)
	case p.RegistryType == "nuget":
		runtime = slices.DeleteFunc(runtime, func(v value) bool { return v.fixed == "-y" || v.fixed == "--yes" })
	case r.program == "npx" && !hasFixed(runtime, "-y", "--yes"):
		runtime = slices.Concat(literal("-y"), runtime)
	}
	all := slices.Concat(runtime, args)
	distinguish(all)
	r.runtime, r.args = all[:len(runtime)], all[len(runtime):]
	return r, nil
}

// withoutDefaults returns arguments without options that set their default, and these.
func withoutDefaults(defaults []string, args []value) (kept, left []value) {
	for i := 0; i < len(args); i++ {
		set, n := args[i].fixed, 1
		if i+1 < len(args) && !strings.Contains(set, "=") {
			set, n = set+"="+args[i+1].fixed, 2
		}
		if slices.Contains(defaults, set) {
			left = append(left, args[i:i+n]...)
			i += n - 1
		} else {
			kept = append(kept, args[i])
		}
	}
	return kept, left
}

// words returns the words after the program.
func (r *recipe) words() []value {
	switch r.registryType {
	case "oci":
		words := slices.Concat(literal("run", "-i", "--rm"), r.runtime)
		for _, e := range r.env {
			words = append(words, literal("-e", e.name)...)
		}
		return slices.Concat(words, literal(r.identifier), r.args)
	case "nuget":
		words := slices.Concat(r.runtime, literal(join(r.identifier, "@", r.version), "--yes"))
		if len(r.args) > 0 {
			words = slices.Concat(words, literal("--"), r.args)
		}
		return words
	case "pypi":
		spec := join(r.identifier, "==", r.version)
		if r.script != "" {
			return slices.Concat(r.runtime, literal("--from", spec, r.script), r.args)
		}
		return slices.Concat(r.runtime, literal(spec), r.args)
	}
	spec := join(r.identifier, "@", r.version)
	if r.script != "" {
		return slices.Concat(r.runtime, literal("--package="+spec, r.script), r.args)
	}
	return slices.Concat(r.runtime, literal(spec), r.args)
}

// dockerOptions returns the options of "docker run" except those that every client adds: -i,
// --rm, and -e for each variable, and without -d and -t: clients wait for the container, and are no
// terminal. rest are the variables that no option sets.
func dockerOptions(runtime, env []value) (options, rest []value) {
	all := dockerRun(runtime).Options
	rest = slices.DeleteFunc(slices.Clone(env), func(e value) bool {
		return slices.ContainsFunc(all, func(o dockerrun.Option) bool {
			name, _, set := o.Variable()
			return o.Name == "env" && set && name == e.name
		})
	})
	for i, o := range all {
		passed := func(e value) bool { return e.name == o.Value }
		switch {
		case i+1 < len(all) && all[i+1].At == o.At: // in one word, such as -it
		case slices.Contains([]string{"interactive", "rm", "detach", "tty"}, o.Name):
		case o.Name == "env" && slices.ContainsFunc(rest, passed):
		default:
			options = append(options, runtime[o.At:o.At+o.N]...)
		}
	}
	return options, rest
}

// distinguish adds numbers to the names of different open values with the same name.
func distinguish(args []value) {
	type source struct{ option, description string }
	seen := map[string]source{}
	for i := range args {
		v := &args[i]
		if !v.open {
			continue
		}
		name, from := v.name, source{v.option, v.description}
		for n := 2; ; n++ {
			other, used := seen[strings.ToUpper(v.name)]
			if !used || other == from && v.option != "" {
				break
			}
			v.name = name + "_" + strconv.Itoa(n)
		}
		seen[strings.ToUpper(v.name)] = from
	}
}

func join(name, by, version string) string {
	if version == "" {
		return name
	}
	return name + by + version
}

func hasFixed(vs []value, words ...string) bool {
	return slices.ContainsFunc(vs,
		func(v value) bool { return !v.open && slices.Contains(words, v.fixed) })
}
