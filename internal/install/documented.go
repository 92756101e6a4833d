package install

import (
	"cmp"
	"slices"
	"strings"

	"mcpcensus/crawler/dockerrun"
	"mcpcensus/internal/registry"
)

// documented returns p with the arguments and variables that its repository documents, in
// order of preference: in server.json, in configurations of the README, in the entry of the
// official registry. The command is "" if it is the default of the registry type.
func documented(p registry.Package) (out registry.Package, command, script string) {
	conf, ok := chosen(p)
	if !ok {
		return p, "", p.Script
	}
	command, script = conf.Command, cmp.Or(conf.Script, p.Script)
	declared := p.EnvironmentVariables
	inRepo := p.Declared == registry.DeclaredInRepo
	p.RuntimeArguments, p.PackageArguments = documentedArguments(p, conf)
	p.EnvironmentVariables = nil
	for _, set := range conf.Env {
		if controlsRuntime(set.Name) {
			continue
		}
		v := variableNamed(declared, set.Name)
		v.Name, v.IsSecret = set.Name, v.IsSecret || set.IsSecret
		v.Placeholder = cmp.Or(v.Placeholder, set.Placeholder)
		v.Value, v.Default = set.Value, ""
		v.IsRequired = v.IsRequired || set.Value == ""
		p.EnvironmentVariables = append(p.EnvironmentVariables, v)
	}
	for _, v := range declared {
		known := slices.ContainsFunc(conf.Env, func(set registry.Variable) bool { return set.Name == v.Name })
		if !known && v.IsRequired && !takes(p.PackageArguments, v.Name) &&
			(inRepo || p.Declared == "" || !asks(conf)) && !alternative(p.Configurations, conf, v.Name) {
			p.EnvironmentVariables = append(p.EnvironmentVariables, v)
		}
	}
	return p, command, script
}

// documentedArguments returns the arguments of the runner and of p from conf, or from its
// server.json with optional options from conf.
func documentedArguments(p registry.Package, conf registry.Configuration) (runtime, own []registry.Argument) {
	shown := withoutVariables(conf.Args, conf.Env)
	if p.Declared != registry.DeclaredInRepo || !starts(p.RuntimeArguments) && !starts(p.PackageArguments) {
		return conf.Runtime, shown
	}
	own = settled(p.PackageArguments, shown)
	if lacks(shown, own) || addsFlags(shown, own) {
		own = shown
	}
	return p.RuntimeArguments, own
}

// lacks reports whether the arguments of a configuration are a subsequence of the declared
// ones, and users fill in none of those.
func lacks(shown, declared []registry.Argument) bool {
	words, o := arguments(declared, false)
	if o != nil || len(opened(words)) > 0 {
		return false
	}
	for _, a := range shown {
		i := slices.IndexFunc(words, func(w value) bool { return w.fixed == a.Value })
		if i < 0 {
			return false
		}
		words = words[i+1:]
	}
	return true
}

// addsFlags reports whether the arguments of a configuration are the declared ones with
// additional options without a value.
func addsFlags(shown, declared []registry.Argument) bool {
	words, o := arguments(declared, false)
	for _, a := range shown {
		switch {
		case len(words) > 0 && words[0].fixed == a.Value:
			words = words[1:]
		case !strings.HasPrefix(a.Value, "-") || strings.Contains(a.Value, "="):
			return false
		}
	}
	return o == nil && len(words) == 0
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

// alternative reports whether a variable belongs to an alternative way to pass credentials:
// the configurations in which users fill it in share no such variable with chosen, which
// has some.
func alternative(all []registry.Configuration, chosen registry.Configuration, variable string) bool {
	open := func(c registry.Configuration, name string) bool {
		return slices.ContainsFunc(c.Env, func(v registry.Variable) bool { return v.Name == name && v.Value == "" })
	}
	found := false
	for _, c := range all {
		if !open(c, variable) {
			continue
		}
		found = true
		if slices.ContainsFunc(c.Env,
			func(v registry.Variable) bool { return open(c, v.Name) && open(chosen, v.Name) }) {
			return false
		}
	}
	return found && blanks(chosen) > 0
}

// optionOf returns the option of an argument of a configuration in the form of a variable
// name, and whether the argument has a value to fill in: API_KEY and true for
// "--api-key={API_KEY}".
func optionOf(a registry.Argument) (name string, filled bool) {
	option, text, _ := strings.Cut(a.Value, "=")
	if !strings.HasPrefix(option, "-") {
		return "", false
	}
	return strings.ToUpper(strings.ReplaceAll(strings.Trim(option, "-"), "-", "_")), isTemplate(text)
}

// valueOf returns the name of the option at i and the number of arguments that the option
// and its value to fill in have, 0 for other arguments.
func valueOf(args []registry.Argument, i int) (name string, n int) {
	switch name, filled := optionOf(args[i]); {
	case name == "":
	case filled:
		return name, 1
	case i+1 < len(args) && !strings.HasPrefix(args[i+1].Value, "-") && isTemplate(args[i+1].Value):
		return name, 2
	}
	return "", 0
}

// takes reports whether users fill in a variable as an option with its name.
func takes(args []registry.Argument, variable string) bool {
	for i := range args {
		if name, n := valueOf(args, i); n > 0 && strings.EqualFold(name, variable) {
			return true
		}
	}
	return false
}

// withoutVariables returns arguments without the options that users also fill in as
// variables.
func withoutVariables(args []registry.Argument, env []registry.Variable) (out []registry.Argument) {
	for i := 0; i < len(args); i++ {
		name, n := valueOf(args, i)
		asked := slices.ContainsFunc(env, func(v registry.Variable) bool {
			return v.Value == "" && strings.EqualFold(v.Name, name)
		})
		if n > 0 && asked {
			i += n - 1
			continue
		}
		out = append(out, args[i])
	}
	return out
}

// variableNamed returns the variable with a name, an empty one if there is none.
func variableNamed(list []registry.Variable, name string) registry.Variable {
	if i := slices.IndexFunc(list, func(v registry.Variable) bool { return v.Name == name }); i >= 0 {
		return list[i]
	}
	return registry.Variable{}
}

// chosen returns the configuration of the README for the command of p: of those with the most
// frequent arguments, the first with the most values to fill in. Values that a plainer
// configuration does without are examples and are removed. Configurations for special cases
// are used only if there are no others.
func chosen(p registry.Package) (registry.Configuration, bool) {
	var all []registry.Configuration
	for _, special := range []bool{false, true} {
		for _, c := range p.Configurations {
			if c.Special == special && usable(p, c) {
				all = append(all, c)
			}
		}
		if len(all) > 0 {
			break
		}
	}
	if len(all) == 0 {
		return registry.Configuration{}, false
	}
	agreeing := map[string]int{}
	for _, c := range all {
		agreeing[shape(c)]++
	}
	best := all[0]
	for _, c := range all[1:] {
		more, fewer := agreeing[shape(c)], agreeing[shape(best)]
		if more > fewer || more == fewer && moreComplete(c, best) {
			best = c
		}
	}
	best.Env = slices.DeleteFunc(slices.Clone(best.Env), func(v registry.Variable) bool {
		return v.Value != "" && slices.ContainsFunc(all, func(c registry.Configuration) bool {
			return variableNamed(c.Env, v.Name).Name == "" && plainer(c, best)
		})
	})
	return best, true
}

// plainer reports whether b has all words and variables of a, and the same number of values
// to fill in.
func plainer(a, b registry.Configuration) bool {
	own, other := words(a), words(b)
	if own[0] != other[0] || own[1] != other[1] || blanks(a) != blanks(b) ||
		slices.ContainsFunc(own, func(w string) bool { return !slices.Contains(other, w) }) {
		return false
	}
	return !slices.ContainsFunc(a.Env, func(v registry.Variable) bool {
		return !controlsRuntime(v.Name) && variableNamed(b.Env, v.Name).Name == ""
	})
}

// moreComplete reports whether a sets all variables of b and has more values to fill in.
func moreComplete(a, b registry.Configuration) bool {
	for _, v := range b.Env {
		if variableNamed(a.Env, v.Name).Name == "" {
			return false
		}
	}
	if shape(a) == shape(b) {
		return blanks(a) > blanks(b)
	}
	return asks(a) && !asks(b)
}

// blanks returns the number of variables to fill in.
func blanks(c registry.Configuration) (n int) {
	for _, v := range c.Env {
		if v.Value == "" && !controlsRuntime(v.Name) {
			n++
		}
	}
	return n
}

// asks reports whether a configuration has values to fill in.
func asks(c registry.Configuration) bool {
	return slices.ContainsFunc(c.Env, func(v registry.Variable) bool { return v.Value == "" }) ||
		slices.ContainsFunc(c.Args, func(a registry.Argument) bool { return len(a.Variables) > 0 })
}

// defaultOptions are options that commands have by default; those of docker have the names of
// package dockerrun.
var defaultOptions = map[string]bool{
	"-y": true, "--yes": true, "-q": true, "--quiet": true,
	"interactive": true, "rm": true, "tty": true, "init": true,
}

// usable reports whether a configuration is safe on a command line. One with hidden
// characters is usable: it is the reason why p has no command.
func usable(p registry.Package, c registry.Configuration) bool {
	usual := programs[p.RegistryType]
	if c.Command != usual && !(usual == "npx" && c.Command == "bunx") ||
		c.Script != "" && !scriptName.MatchString(c.Script) {
		return false
	}
	documents := registry.Package{RuntimeArguments: c.Runtime, PackageArguments: c.Args,
		EnvironmentVariables: c.Env}
	if hidden(documents, "") != nil {
		return true
	}
	runtime, o1 := arguments(c.Runtime, true)
	_, o2 := arguments(c.Args, false)
	return o1 == nil && o2 == nil && unsafeWord(p.RegistryType, runtime) < 0
}

// shape returns the same value for configurations with the same command and arguments.
func shape(c registry.Configuration) string { return strings.Join(words(c), "\x00") }

// words returns the command, the script and the arguments of a configuration, with {} for
// values to fill in.
func words(c registry.Configuration) []string {
	out := []string{c.Command, c.Script}
	for _, a := range slices.Concat(c.Runtime, c.Args) {
		if defaultOptions[a.Value] || defaultOptions[dockerrun.Name(a.Value)] {
			continue
		}
		text := a.Value
		for name := range a.Variables {
			text = strings.ReplaceAll(text, "{"+name+"}", "{}")
		}
		out = append(out, text)
	}
	return out
}
