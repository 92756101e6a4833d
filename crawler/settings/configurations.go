package settings

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/dockerrun"
	"mcpcensus/internal/registry"
)

// Preferred returns the configurations of a package in order of preference: those with the most
// frequent command and arguments first, and of these the ones with more values to fill in.
// Configurations for special cases are last. Values that a plainer configuration does without are
// examples and are removed.
func Preferred(list []registry.Configuration) []registry.Configuration {
	var usual, special []registry.Configuration
	for _, c := range list {
		if c.Special {
			special = append(special, c)
		} else {
			usual = append(usual, c)
		}
	}
	return slices.Concat(preferred(usual), preferred(special))
}

func preferred(all []registry.Configuration) (out []registry.Configuration) {
	agreeing := map[string]int{}
	for _, c := range all {
		agreeing[shape(c)]++
	}
	for rest := slices.Clone(all); len(rest) > 0; {
		best := 0
		for i, c := range rest {
			more := agreeing[shape(c)] - agreeing[shape(rest[best])]
			if more > 0 || more == 0 && isBetter(c, rest[best]) {
				best = i
			}
		}
		out = append(out, withoutExamples(rest[best], all))
		rest = slices.Delete(rest, best, best+1)
	}
	return out
}

// isBetter reports whether a is the ordinary one of two configurations: an entry "tides" beside one
// "tides-admin", or else one that is more complete.
func isBetter(a, b registry.Configuration) bool {
	if shape(a) != shape(b) && (extends(a.Key, b.Key) || extends(b.Key, a.Key)) {
		return extends(b.Key, a.Key)
	}
	return moreComplete(a, b)
}

// extends reports whether a key has more words than another one that it begins with.
func extends(key, plain string) bool {
	rest, begins := strings.CutPrefix(key, plain)
	return begins && plain != "" && rest != "" && strings.Contains("-_ .:", rest[:1])
}

// withoutExamples returns c without the values that a plainer one of all does without.
func withoutExamples(
	c registry.Configuration, all []registry.Configuration,
) registry.Configuration {
	c.Env = slices.DeleteFunc(slices.Clone(c.Env), func(v registry.Variable) bool {
		return v.Value != "" && slices.ContainsFunc(all, func(other registry.Configuration) bool {
			return !sets(other, v.Name) && plainer(other, c)
		})
	})
	return c
}

// plainer reports whether b has all words and variables of a, and the same number of values to
// fill in.
func plainer(a, b registry.Configuration) bool {
	return a.Command == b.Command && a.Script == b.Script && len(open(a)) == len(open(b)) &&
		containsAll(words(b), words(a)) && setsAll(b, a)
}

// moreComplete reports whether a sets all variables of b and has more values to fill in.
func moreComplete(a, b registry.Configuration) bool {
	switch {
	case !setsAll(a, b):
		return false
	case shape(a) == shape(b):
		return len(open(a)) > len(open(b))
	}
	return asks(a) && !asks(b)
}

func sets(c registry.Configuration, name string) bool {
	return slices.ContainsFunc(c.Env, func(v registry.Variable) bool { return v.Name == name })
}

func setsAll(a, b registry.Configuration) bool {
	return !slices.ContainsFunc(b.Env, func(v registry.Variable) bool { return !sets(a, v.Name) })
}

func containsAll(list, part []string) bool {
	return !slices.ContainsFunc(part, func(s string) bool { return !slices.Contains(list, s) })
}

// spare matches placeholders of values that not every user needs.
var spare = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:optional|leave[-_ ](?:empty|blank)|` +
	`if[-_ ](?:needed|required|necessary|any|applicable))(?:[^a-z]|$)`)

// open returns the names of the variables to fill in.
func open(c registry.Configuration) (names []string) {
	for _, v := range c.Env {
		if v.Value == "" && !spare.MatchString(v.Placeholder) {
			names = append(names, v.Name)
		}
	}
	return names
}

// asks reports whether a configuration has values to fill in.
func asks(c registry.Configuration) bool {
	return len(open(c)) > 0 || slices.ContainsFunc(c.Args, isOpen)
}

func isOpen(a registry.Argument) bool { return len(a.Variables) > 0 }

// defaultOptions are options that commands have by default; those of docker have the names of
// package dockerrun.
var defaultOptions = map[string]bool{
	"-y": true, "--yes": true, "-q": true, "--quiet": true,
	"interactive": true, "rm": true, "tty": true, "init": true,
}

// shape returns the same value for configurations with the same command, extras and arguments.
func shape(c registry.Configuration) string {
	extras := c.Version[:strings.IndexByte(c.Version, ']')+1]
	return strings.Join(append([]string{c.Command, c.Script, extras}, words(c)...), "\x00")
}

// words returns the arguments of a configuration, with {} for values to fill in.
func words(c registry.Configuration) (out []string) {
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

// WithoutOptional returns configurations without the variables that they leave to the user and
// that are optional: decided to be, or not decided to be required and missing in a plainer
// configuration that asks for other values, or in any if a source says that they are optional. Secrets
// that all ordinary configurations have stay, and variables whose default these replace with a
// placeholder. Those with a default in server.json have that. Variables of the machine are optional
// unless they are decided.
func WithoutOptional(list []registry.Configuration, decided []Setting) []registry.Configuration {
	out := slices.Clone(list)
	ordinary := slices.DeleteFunc(slices.Clone(list), func(o registry.Configuration) bool { return o.Special })
	lacks := func(list []registry.Configuration, name string) bool {
		return slices.ContainsFunc(list, func(o registry.Configuration) bool { return !sets(o, name) })
	}
	for i, c := range list {
		plainer := slices.DeleteFunc(slices.Clone(ordinary), func(o registry.Configuration) bool {
			return len(open(o)) == 0 || len(o.Env) >= len(c.Env) || !setsAll(c, o)
		})
		out[i].Env = nil
		for _, v := range c.Env {
			at := slices.IndexFunc(decided, func(s Setting) bool { return s.Name == v.Name })
			if v.Value == "" && at < 0 && systemNames[strings.ToUpper(v.Name)] {
				continue
			}
			if v.Value == "" && at >= 0 && !decided[at].IsRequired {
				v.Value = decided[at].declaredDefault()
				if v.Value == "" && decided[at].isSpare(v, lacks(ordinary, v.Name), lacks(plainer, v.Name)) {
					continue
				}
			}
			out[i].Env = append(out[i].Env, v)
		}
	}
	return out
}

// OfCommand returns the claims of the command that starts p as its preferred configuration does:
// variables are optional if the command passes their value as an option or other credentials in
// their place, or if only the official registry declares them and the configuration asks for
// other values.
func OfCommand(p registry.Package) (claims []Claim) {
	optional := func(names ...string) {
		for _, name := range names {
			claims = append(claims, Claim{Variable: registry.Variable{Name: name}, Source: Command,
				Need: Optional})
		}
	}
	declared := func(name string) bool {
		return sets(registry.Configuration{Env: p.EnvironmentVariables}, name)
	}
	var conf registry.Configuration
	if len(p.Configurations) > 0 {
		conf = p.Configurations[0]
	}
	args := conf.Args
	inRepo := p.Declared == registry.DeclaredInRepo && len(p.PackageArguments) > 0
	if inRepo {
		args = p.PackageArguments
	}
	for i, a := range args {
		name := optionName(a)
		filled := isOpen(a) || i+1 < len(args) && optionName(args[i+1]) == "" && isOpen(args[i+1])
		if name != "" && (filled || inRepo && !declared(name)) {
			optional(name)
		}
	}
	if own := open(conf); len(own) > 0 {
		optional(alternatives(p.Configurations, own)...)
	}
	if p.Declared == registry.DeclaredInRegistry && asks(conf) {
		for _, v := range p.EnvironmentVariables {
			if !sets(conf, v.Name) {
				optional(v.Name)
			}
		}
	}
	return claims
}

// OptionName returns the name of the variable that an option corresponds to, "" for other
// words: API_KEY for "--api-key={API_KEY}".
func OptionName(word string) string {
	option, _, _ := strings.Cut(word, "=")
	if !strings.HasPrefix(option, "-") {
		return ""
	}
	return strings.ToUpper(strings.ReplaceAll(strings.Trim(option, "-"), "-", "_"))
}

func optionName(a registry.Argument) string { return OptionName(cmp.Or(a.Name, a.Value)) }

// alternatives returns the variables that only configurations without any of the variables in
// own leave to the user.
func alternatives(all []registry.Configuration, own []string) []string {
	shared, others := slices.Clone(own), []string(nil)
	for _, c := range all {
		names := open(c)
		if slices.ContainsFunc(names, func(n string) bool { return slices.Contains(own, n) }) {
			shared = append(shared, names...)
		} else {
			others = append(others, names...)
		}
	}
	return slices.DeleteFunc(others, func(n string) bool { return slices.Contains(shared, n) })
}
