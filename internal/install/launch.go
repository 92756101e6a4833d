package install

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/internal/registry"
)

// A value is a fixed text, or one that the user fills in.
type value struct {
	name        string // of the variable: [A-Za-z_][A-Za-z0-9_]*
	fixed       string
	open        bool   // to be filled in; fixed is then ""
	prefix      string // before what is filled in: "Bearer ", "--dir="
	description string
	example     string
	preset      string // the declared default
	secret      bool
	choices     []string
	option      string  // the option or header that takes it; "" if none
	inside      []value // to be filled in within fixed, which has their placeholders
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

// opened returns what is to be filled in, each name once.
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

// programs start packages.
var programs = map[string]string{"npm": "npx", "pypi": "uvx", "nuget": "dnx", "oci": "docker"}

// launchOf returns how p is started, or why there is no command.
func launchOf(p registry.Package) (launch, *Obstacle) {
	if o := check(p); o != nil {
		return launch{}, o
	}
	p, command, script := documented(p)
	runtime, o1 := arguments(p.RuntimeArguments, true)
	args, o2 := arguments(p.PackageArguments, false)
	env, o3 := environment(p.EnvironmentVariables)
	if p.RegistryType == "oci" && len(runtime) > 0 && runtime[0].fixed == "run" {
		runtime = runtime[1:] // as part of "docker run"
	}
	if p.RegistryType != "oci" && p.Declared == registry.DeclaredInRepo {
		var misplaced []value
		runtime, misplaced = splitRuntime(p, runtime)
		args = slices.Concat(misplaced, args)
	}
	if o := cmp.Or(o1, o2, o3, checkRuntime(p, runtime, env)); o != nil {
		return launch{}, o
	}
	l := launch{command: cmp.Or(command, programs[p.RegistryType]), env: env}
	if p.RegistryType == "oci" {
		image, o := imageOf(p)
		if o != nil {
			return launch{}, o
		}
		l.args = slices.Concat(dockerRun(runtime, env), literal(image), args)
	} else {
		l.args = l.packageWords(p, script, runtime, args)
	}
	distinguish(l.args)
	return l, nil
}

// packageWords returns the words that follow the command for a package that is
// not an image. script is its executable, "" for the one of its name.
func (l launch) packageWords(p registry.Package, script string, runtime, args []value) []value {
	version := p.Version
	if placeholderVersion.MatchString(version) {
		version = ""
	}
	spec := join(p.Identifier, "@", version)
	switch {
	case p.RegistryType == "nuget":
		runtime = slices.DeleteFunc(slices.Clone(runtime), func(v value) bool {
			return v.fixed == "-y" || v.fixed == "--yes"
		})
		words := slices.Concat(runtime, literal(spec, "--yes"))
		if len(args) > 0 {
			words = slices.Concat(words, literal("--"), args)
		}
		return words
	case p.RegistryType == "pypi" && script != "":
		return slices.Concat(runtime, literal("--from", join(p.Identifier, "==", version), script), args)
	case p.RegistryType == "pypi":
		return slices.Concat(runtime, literal(join(p.Identifier, "==", version)), args)
	}
	if l.command == "npx" && !hasFixed(runtime, "-y", "--yes") {
		runtime = slices.Concat(literal("-y"), runtime)
	}
	if script != "" {
		return slices.Concat(runtime, literal("--package="+spec, script), args)
	}
	return slices.Concat(runtime, literal(spec), args)
}

// dockerRun returns the words before the name of an image.
func dockerRun(runtime, env []value) []value {
	words := literal("run")
	if !hasFixed(runtime, "-i", "--interactive") {
		words = append(words, literal("-i")...)
	}
	if !hasFixed(runtime, "--rm") {
		words = append(words, literal("--rm")...)
	}
	words = append(words, runtime...)
	for _, e := range env {
		if !namesVariable(runtime, e.name) {
			words = append(words, literal("-e", e.name)...)
		}
	}
	return words
}

// distinguish numbers open values of different arguments that have the same
// name.
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

// namesVariable reports whether runtime arguments already pass a variable on.
func namesVariable(vs []value, name string) bool {
	return slices.ContainsFunc(vs, func(v value) bool {
		return !v.open && (v.fixed == name ||
			strings.HasPrefix(v.fixed, name+"=") || strings.HasSuffix(v.fixed, "="+name))
	})
}
