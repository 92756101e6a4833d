package install

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/internal/oci"
	"mcpcensus/internal/registry"
)

// documented returns p with the arguments and variables that its repository documents, in
// order of preference: in server.json, in the first usable configuration of the README, in the
// entry of the official registry. The command is "" if it is the default of the registry type.
func documented(p registry.Package) (out registry.Package, command, script string) {
	conf, ok := preferred(p)
	if !ok {
		return p, "", p.Script
	}
	command, script = conf.Command, cmp.Or(conf.Script, p.Script)
	name, tag := writtenName(p, conf.Version)
	if p.Version = cmp.Or(p.Version, tag); name != p.Identifier && p.RegistryType == "pypi" {
		script = cmp.Or(script, p.Identifier)
	}
	p.Identifier = name
	declared := p.EnvironmentVariables
	p.RuntimeArguments, p.PackageArguments = documentedArguments(p, conf)
	p.EnvironmentVariables = nil
	for _, set := range conf.Env {
		v := variableNamed(declared, set.Name)
		if controlsRuntime(set.Name) && !namesIndex(p.RegistryType, set) {
			continue
		}
		v.Name, v.IsSecret = set.Name, v.IsSecret || set.IsSecret
		v.Placeholder = cmp.Or(v.Placeholder, set.Placeholder)
		v.Value, v.Default = set.Value, ""
		v.IsRequired = v.IsRequired || set.Value == "" // see registry.Configuration.Env
		p.EnvironmentVariables = append(p.EnvironmentVariables, v)
	}
	for _, v := range declared {
		if v.IsRequired && variableNamed(conf.Env, v.Name).Name == "" {
			p.EnvironmentVariables = append(p.EnvironmentVariables, v)
		}
	}
	return p, command, script
}

// writtenName returns the name of p with what follows it in a configuration and selects what is
// installed: the extras of a Python package, or the digest of an image, unless p has another version.
// tag is that of an image without a digest, which may be a variant.
func writtenName(p registry.Package, written string) (name, tag string) {
	if p.RegistryType == "pypi" {
		return p.Identifier + extras.FindString(written), ""
	}
	img, err := oci.Parse(p.Identifier+written, "")
	switch {
	case p.RegistryType != "oci" || err != nil || p.Version != "" && p.Version != img.Tag:
	case img.Digest != "" && !strings.Contains(p.Identifier, "@"):
		return p.Identifier + written, ""
	default:
		tag = img.Tag
	}
	return p.Identifier, tag
}

// extras matches the extras after the name of a Python package: "[postgres,redis]".
var extras = regexp.MustCompile(`^\[[A-Za-z0-9][A-Za-z0-9._-]*(?:,[A-Za-z0-9][A-Za-z0-9._-]*)*\]`)

// preferred returns the configuration of p to use, ok is false if there is none: the first usable
// one of an ordinary case, with the usual program if possible. If none is usable and nothing else
// declares arguments, it is the first one, whose fault is the reason why p has no command.
func preferred(p registry.Package) (conf registry.Configuration, ok bool) {
	usual := registry.Programs[p.RegistryType]
	for _, fits := range []func(registry.Configuration) bool{
		func(c registry.Configuration) bool {
			return !c.Special && c.Command == usual && usable(p, c)
		},
		func(c registry.Configuration) bool { return !c.Special && usable(p, c) },
		func(c registry.Configuration) bool { return usable(p, c) },
		func(c registry.Configuration) bool { return p.Declared == "" && runs(p.RegistryType, c.Command) },
	} {
		if at := slices.IndexFunc(p.Configurations, fits); at >= 0 {
			return p.Configurations[at], true
		}
	}
	return conf, false
}

// documentedArguments returns the arguments of the runner and of p from conf, or from its
// server.json with optional options from conf.
func documentedArguments(
	p registry.Package, conf registry.Configuration,
) (runtime, own []registry.Argument) {
	if p.Declared != registry.DeclaredInRepo ||
		!starts(p.RuntimeArguments) && !starts(p.PackageArguments) {
		return conf.Runtime, conf.Args
	}
	own = settled(p.PackageArguments, conf.Args)
	if agrees(conf.Args, own) {
		own = conf.Args
	}
	return p.RuntimeArguments, own
}

// starts reports whether a command line without optional arguments has any of the declared
// arguments.
func starts(declared []registry.Argument) bool {
	return slices.ContainsFunc(declared, func(a registry.Argument) bool {
		_, given := argument(a, false)
		return given
	})
}

// settled returns the declared arguments, with optional options without a value only if they
// are in shown, the arguments of a configuration.
func settled(declared, shown []registry.Argument) (out []registry.Argument) {
	for _, d := range declared {
		if d.Type != "named" || d.IsRequired || d.Value+d.Default != "" {
			out = append(out, d)
			continue
		}
		i := slices.IndexFunc(shown, func(a registry.Argument) bool {
			option, _, _ := strings.Cut(a.Value, "=")
			return option == d.Name
		})
		if i < 0 {
			continue
		}
		out = append(out, shown[i])
		valued := d.Format != "boolean" && !isSwitch(d) && shown[i].Value == d.Name
		if valued && i+1 < len(shown) && !strings.HasPrefix(shown[i+1].Value, "-") {
			out = append(out, shown[i+1])
		}
	}
	return out
}

// agrees reports whether the arguments of a configuration are the declared ones, except for
// further options without a value, or except for declared ones that users do not fill in.
func agrees(shown, declared []registry.Argument) bool {
	words, o := arguments(declared, false)
	if o != nil {
		return false
	}
	var all, fixed []string
	for _, a := range shown {
		all = append(all, a.Value)
	}
	for _, w := range words {
		fixed = append(fixed, w.fixed)
	}
	_, fewer := beyond(fixed, all)
	flags, more := beyond(all, fixed)
	isValue := func(w string) bool { return !strings.HasPrefix(w, "-") || strings.Contains(w, "=") }
	return fewer && len(opened(words)) == 0 || more && !slices.ContainsFunc(flags, isValue)
}

// beyond returns the words of a list that are not in part, and whether all others are, in order.
func beyond(list, part []string) (more []string, ok bool) {
	for _, w := range list {
		if len(part) > 0 && part[0] == w {
			part = part[1:]
		} else {
			more = append(more, w)
		}
	}
	return more, len(part) == 0
}

// variableNamed returns the variable with a name, an empty one if there is none.
func variableNamed(list []registry.Variable, name string) registry.Variable {
	if i := slices.IndexFunc(list, func(v registry.Variable) bool { return v.Name == name }); i >= 0 {
		return list[i]
	}
	return registry.Variable{}
}

// usable reports whether a configuration is safe on a command line. One with hidden
// characters is usable: it is the reason why p has no command.
func usable(p registry.Package, c registry.Configuration) bool {
	if !runs(p.RegistryType, c.Command) || badScript(c.Script) != nil {
		return false
	}
	documents := registry.Package{RuntimeArguments: c.Runtime, PackageArguments: c.Args,
		EnvironmentVariables: c.Env}
	if hidden(documents, "") != nil {
		return true
	}
	runtime, o1 := arguments(c.Runtime, true)
	_, o2 := arguments(c.Args, false)
	runtime = withoutIndex(p.RegistryType, runtime, fixedText)
	return o1 == nil && o2 == nil && unsafeOption(p.RegistryType, runtime) == ""
}

// runs reports whether a program runs packages of a registry.
func runs(registryType, program string) bool {
	usual := registry.Programs[registryType]
	return program == usual || usual == "npx" && program == "bunx"
}

// badScript returns the obstacle of a name that is not that of an executable, nil for "".
func badScript(name string) *Obstacle {
	if name == "" || scriptName.MatchString(name) {
		return nil
	}
	return obstacle("“%s” is not a valid name of an executable.", excerpt(name))
}
