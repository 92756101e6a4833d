package install

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/dockerrun"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/version"
)

// maxNoted is the maximum number of words that a note quotes.
const maxNoted = 12

// Notes returns a sentence for each endpoint to which users sign in, one for the documented ones that
// are not offered, and one for each kind of thing that the documents of s say about its start and
// that its command lacks: variables, arguments, and configurations. One says that its entry in a
// registry has another runner.
func Notes(s *registry.Server) (all []string) {
	add := func(words []string, format string, more ...any) {
		if words := noted(words); len(words) > 0 {
			all = append(all, fmt.Sprintf(format, append([]any{strings.Join(words, " ")}, more...)...))
		}
	}
	for _, r := range s.Remotes {
		if r.SignsIn {
			all = append(all, fmt.Sprintf("Users of %s sign in with OAuth in the browser.", excerpt(r.URL)))
		}
		add(r.Beside, "Documents of %[2]s also set “%[1]s”, which the configurations here do not.", excerpt(r.URL))
	}
	if elsewhere := noted(s.Elsewhere); len(elsewhere) > 0 {
		all = append(all, fmt.Sprintf("Documents also connect to “%s”: what is on your machine or network, or belongs "+
			"to others, is not offered.", strings.Join(elsewhere, "”, “")))
	}
	p, ok := First(s.Packages)
	if !ok {
		return all
	}
	r, _ := recipeOf(p)
	conf, _ := preferred(p)
	add(texts(r.left, asPlaceholder), "Left out of the command: “%s”. The server does the same without.")
	others, variables, beside := r.lackingIn(p)
	add(r.unset(slices.Concat(conf.Env, p.EnvironmentVariables)),
		"The command does not set “%s”, which the documents do: it controls how packages or code are loaded.")
	add(r.replaced(p.Identifier, conf), "A documented configuration starts version “%s”. The command starts %s.",
		cmp.Or(r.version, "the latest one"))
	if order, ok := version.CompareAny(s.LatestVersion, r.p.Version); ok && order > 0 {
		all = append(all, fmt.Sprintf("The command starts version %s, which %s. The latest known version is %s.",
			excerpt(r.p.Version), strings.ToLower(declarer(p)[:1])+declarer(p)[1:]+" has", excerpt(s.LatestVersion)))
	}
	const lacking = "Not in the command: “%s”. %s it; add it if you need it."
	add(r.lacks(p.RuntimeArguments, p.PackageArguments), lacking, declarer(p)+" has")
	add(others, lacking, "Documented configurations have")
	add(variables, "Not set by the command: “%s”. Documented configurations set it; set it if you need it.")
	add(beside, "Documented configurations also set “%s”, which each client does in its own way.")
	if by := s.ReadOnly; by != nil && by.Lifted != "" && r.isReadOnly(by) {
		add([]string{by.Lifted}, "A documented configuration has “%s”, which gives full access. The command does not.")
	}
	add(grants(p), "A documented configuration has “%s”, which lets it change more. The command does not.")
	if r.program == "bunx" {
		all = append(all, "Clients that install from `/v0.1` start it with npx: a server.json cannot name bunx.")
	}
	add(refused(p), "A documented configuration is not used, because it passes “%s” to %s.",
		registry.Programs[p.RegistryType])
	return all
}

func noted(words []string) (quoted []string) {
	for _, w := range words {
		if w = excerpt(w); !slices.Contains(quoted, w) {
			quoted = append(quoted, w)
		}
	}
	if len(quoted) > maxNoted {
		quoted = append(quoted[:maxNoted:maxNoted], "…")
	}
	return quoted
}

// lackingIn returns the words and variables of the configurations of p that r does not have, and what
// else they set.
func (r *recipe) lackingIn(p registry.Package) (words, env, beside []string) {
	for _, c := range p.Configurations {
		if c.Special && runs(p.RegistryType, c.Command) || usable(p, c) {
			words, beside = append(words, r.lacks(r.ofRunner(c), c.Args)...), append(beside, c.Beside...)
			for _, v := range c.Env {
				if v.Value != "" && !controlsRuntime(v.Name) && !r.sets(v.Name) {
					env = append(env, v.Name)
				}
			}
		}
	}
	return words, env, beside
}

// grants returns what documented configurations of p turn on and the command does not.
func grants(p registry.Package) (all []string) {
	for _, c := range p.Configurations {
		all = append(all, c.Grants...)
	}
	return all
}

// ofRunner returns the options of the runner of a configuration, without the default index.
func (r *recipe) ofRunner(c registry.Configuration) []registry.Argument {
	return withoutIndex(r.registryType, c.Runtime, func(a registry.Argument) string { return a.Value })
}

// replaced returns the version of a configuration of the package with a name that the command does
// not have.
func (r *recipe) replaced(name string, conf registry.Configuration) []string {
	written := strings.TrimPrefix(conf.Version, strings.TrimPrefix(r.p.Identifier, name))
	isOf := func(v value) bool { return strings.Contains(v.fixed, r.p.Identifier+written) }
	isSame := slices.Contains([]string{"", "@" + r.version, "==" + r.version, "@latest" + r.version,
		":latest" + r.version}, written)
	if isSame || slices.ContainsFunc(r.words(), isOf) {
		return nil
	}
	return []string{written}
}

// unset returns the variables, required or with a value, that control the runtime and that r does
// not set.
func (r *recipe) unset(list []registry.Variable) (names []string) {
	for _, v := range list {
		if controlsRuntime(v.Name) && !r.sets(v.Name) && !slices.Contains(names, v.Name) &&
			(v.Value == "" || !IsPublicRegistry(r.registryType, v.Value)) &&
			(v.IsRequired || v.Value+v.Default+v.Placeholder != "") {
			names = append(names, v.Name)
		}
	}
	return names
}

// lacks returns the words of arguments of the runner and of the package that r does not have.
func (r *recipe) lacks(runtime, own []registry.Argument) (words []string) {
	before, written := "", "" // words; that of a named argument is its option
	for i, a := range slices.Concat(runtime, own) {
		word, text := a.Value, cmp.Or(a.Value, a.Default)
		if a.Type == "named" || text == "" {
			word = cmp.Or(a.Name, "{"+nameOf(a)+"}")
		}
		isOfVariable, option := r.registryType == "oci" && dockerrun.Name(before) == "env", written
		before, written = word, a.Value
		if hasFixed(r.left, word) || isOfVariable || i < len(runtime) && r.adds(word) || r.has(a, word, text) {
			continue
		}
		if a.Type == "named" && text != "" {
			word += " " + text
		}
		if i > len(runtime) && isValueOf(option, word) && !slices.Contains(words, option) {
			word = option + " " + word
		}
		words = append(words, word)
	}
	return words
}

// isValueOf reports whether a word after another one may be the value of an option.
func isValueOf(option, word string) bool {
	return strings.HasPrefix(option, "-") && !strings.HasPrefix(word, "-")
}

// has reports whether r has an argument, or sets a variable in its place.
func (r *recipe) has(a registry.Argument, word, text string) bool {
	option, _, _ := strings.Cut(word, "=")
	name, _, _ := strings.Cut(text, "=")
	if r.sets(name) || strings.HasPrefix(option, "-") && r.sets(strings.ToUpper(variable(option))) {
		return true
	}
	isRepeated := a.Type == "named" && r.registryType == "oci" && text != ""
	return r.hasWord(word) && (!isRepeated || r.hasWord(text))
}

func (r *recipe) sets(variable string) bool {
	return slices.ContainsFunc(r.env, func(e value) bool { return e.name == variable }) ||
		slices.ContainsFunc(texts(r.runtime, asPlaceholder), func(word string) bool {
			word = strings.TrimPrefix(strings.TrimPrefix(word, "--env="), "-e")
			return word == variable || strings.HasPrefix(word, variable+"=")
		})
}

// adds reports whether every command has an option of the runner, or the word in another form.
func (r *recipe) adds(word string) bool {
	if r.registryType != "oci" {
		return slices.Contains([]string{"-y", "--yes", "--", r.identifier, r.script}, word)
	}
	return word == "run" || slices.Contains([]string{"interactive", "tty", "rm", "detach", "env"}, dockerrun.Name(word))
}

// hasWord reports whether r has a word, with any values in place of {names} and after an option.
func (r *recipe) hasWord(word string) bool {
	literal := template.Split(word, -1)
	for i := range literal {
		literal[i] = regexp.QuoteMeta(literal[i])
	}
	form := regexp.MustCompile("(?s)^" + strings.Join(literal, ".+") + "$")
	option, _, _ := strings.Cut(word, "=")
	isOption := strings.HasPrefix(word, "-")
	return slices.ContainsFunc(slices.Concat(r.runtime, r.args), func(v value) bool {
		w := v.text(asPlaceholder)
		name, _, _ := strings.Cut(w, "=")
		isBlank := !strings.HasPrefix(w, "-") && len(opened([]value{v})) > 0
		switch {
		case strings.Join(literal, "") == "":
			return isBlank
		case isOption && strings.HasPrefix(w, "-"):
			return name == option || r.registryType == "oci" && dockerrun.Name(w) == dockerrun.Name(word)
		}
		return form.MatchString(w)
	})
}

// refused returns the first word that makes an ordinary configuration of p unsafe.
func refused(p registry.Package) []string {
	for _, c := range p.Configurations {
		if c.Special || !runs(p.RegistryType, c.Command) || usable(p, c) {
			continue
		}
		runtime, o := arguments(c.Runtime, true)
		runtime = withoutIndex(p.RegistryType, runtime, fixedText)
		if unsafe := unsafeOption(p.RegistryType, runtime); o == nil && unsafe != "" {
			return []string{unsafe}
		}
	}
	return nil
}
