package detect

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mcpcensus/crawler/dockerrun"
	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/paths"
	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/shell"
	"mcpcensus/crawler/source"
	"mcpcensus/internal/registry"
)

// environment decides the variables of the server and those of its packages, unless the
// registry or server.json declares variables of any package. A package's own configurations
// determine which variables it requires; the server requires those of the leading package.
func (c *candidate) environment(d *registry.Detection) {
	claims := c.claims(d.Packages)
	c.claimed = claims
	usual := c.usualClaims(d.Packages)
	all := settings.Decide(slices.Concat(claims, usual))
	declared := map[string]bool{}
	for _, s := range all {
		declared[s.Name] = s.IsDeclared()
	}
	d.Variables = variablesOf(settings.Decide(slices.Concat(claims, usual,
		ofOtherPackages(d.Packages, all))))
	d.ReadsNoVariables = c.readsNone()
	for i := range d.Packages {
		p, own := &d.Packages[i], usual
		if len(p.Configurations) > 0 && (p.Doubt == "" || c.builds(p.RegistryType, p.Identifier)) {
			own = c.usualClaims(d.Packages[i : i+1])
		}
		p.Configurations = settings.Preferred(p.Configurations)
		decided := settings.Decide(slices.Concat(claims, own, settings.OfCommand(*p),
			c.alwaysPassed(p)))
		p.Configurations = settings.Preferred(settings.WithoutOptional(p.Configurations, decided))
		for i, conf := range p.Configurations {
			p.Configurations[i] = withoutGrants(conf, grantsMore(decided))
		}
		setVariables(p, variablesOf(decided), declared)
	}
}

func variablesOf(list []settings.Setting) (out []registry.Variable) {
	for _, s := range list {
		out = append(out, s.Variable)
	}
	return out
}

// claims returns what the files of the repository say about settings, except which of them the
// configurations of packages require.
func (c *candidate) claims(packages []registry.Package) (claims []settings.Claim) {
	for _, l := range c.unit.listings() {
		source := settings.Registry
		if l == c.unit.server {
			source = settings.ServerJSON
		}
		claims = append(claims, settings.Of(source, declaredBy(l.Packages))...)
	}
	claims = append(claims, settings.Of(settings.Extension, c.ofExtensions())...)
	claims = append(claims, c.readmeClaims()...)
	claims = append(claims, settings.Of(settings.Configuration, configuredVariables(packages))...)
	var shown []registry.Variable
	isDocumented := len(c.ordinary(packages)) > 0 // users do without those that only the repository's own files set
	for _, s := range c.configs() {
		for _, v := range s.Variables() {
			v.IsRequired = v.IsRequired && !isDocumented
			shown = append(shown, v)
		}
	}
	claims = append(claims, settings.Of(settings.ClientFile, shown)...)
	claims = append(claims, c.codeClaims()...)
	for _, v := range c.applicationClaims() { // what they refer to is a setting
		if v.Need != settings.Unstated {
			claims = append(claims, settings.Claim{Variable: v.Variable, Source: settings.EnvFile, At: v.At})
		}
	}
	return append(claims, settings.Of(settings.EnvFile, c.exampleVariables())...)
}

// declaredBy returns the variables of packages of server.json or of the registry's entry.
func declaredBy(packages []registry.Package) (all []registry.Variable) {
	for _, p := range packages {
		all = slices.Concat(all, p.EnvironmentVariables, passedToImage(p))
	}
	return all
}

// usualClaims returns which variables the configurations of packages require: those that all
// configurations of the leading package leave to the user. Variables required only to start the
// server in other ways are optional. Without configurations of a package, those that start the
// server from source count.
func (c *candidate) usualClaims(packages []registry.Package) []settings.Claim {
	usual := c.ordinary(packages)
	other := configuredVariables(packages)
	if len(usual) > 0 {
		other = append(other, c.ofExtensions()...)
	}
	// What the code fails without is required, whichever other ways declare it.
	claims := settings.OfConfigurations(usual, slices.DeleteFunc(other, func(v registry.Variable) bool {
		return slices.ContainsFunc(c.claimed, func(s settings.Claim) bool {
			return s.Name == v.Name && s.Source == settings.Code && s.Need == settings.Required
		})
	}))
	if c.own {
		return claims
	}
	// A README about several servers counts if a configuration has the variable.
	for _, v := range c.readme.Variables {
		named := func(u settings.Claim) bool { return u.Name == v.Name }
		isOptional := v.Need == settings.Optional || v.Need == settings.Conditional
		if isOptional && slices.ContainsFunc(claims, named) {
			claims = append(claims, settings.Claim{Variable: registry.Variable{Name: v.Name},
				Source: settings.Text, Need: v.Need, Weak: true})
		}
	}
	return claims
}

// ofOtherPackages returns the claims about declared variables that the leading package does not
// declare, if it declares any.
func ofOtherPackages(packages []registry.Package, all []settings.Setting) (claims []settings.Claim) {
	lead := slices.IndexFunc(packages, func(p registry.Package) bool { return p.Doubt == "" })
	if lead < 0 {
		return nil
	}
	own := declaredBy(packages[lead : lead+1])
	for _, s := range all {
		named := func(v registry.Variable) bool { return v.Name == s.Name }
		if len(own) > 0 && s.IsDeclared() && !slices.ContainsFunc(own, named) {
			claims = append(claims, settings.Claim{Variable: registry.Variable{Name: s.Name},
				Source: settings.Others, Need: settings.Optional})
		}
	}
	return claims
}

// setVariables sets the variables of a package from those of the server. declared reports which
// of them a package of server.json or of the registry's entry declares.
func setVariables(p *registry.Package, all []registry.Variable, declared map[string]bool) {
	isDeclared := slices.Contains(slices.Collect(maps.Values(declared)), true)
	if len(p.EnvironmentVariables) == 0 && !isDeclared {
		p.EnvironmentVariables = required(all)
		return
	}
	p.EnvironmentVariables = slices.Clone(p.EnvironmentVariables)
	for i := range p.EnvironmentVariables {
		v := &p.EnvironmentVariables[i]
		at := slices.IndexFunc(all, func(known registry.Variable) bool { return known.Name == v.Name })
		if at >= 0 {
			v.IsRequired, v.IsSecret, v.Description = all[at].IsRequired, all[at].IsSecret, all[at].Description
		}
	}
	if p.Declared == registry.DeclaredInRepo && len(passedToImage(*p)) == 0 {
		known := func(v registry.Variable) bool { return declared[v.Name] }
		p.EnvironmentVariables = append(p.EnvironmentVariables,
			slices.DeleteFunc(required(all), known)...)
	}
}

// exampleVariables returns the variables of the example .env file. If all source files were read,
// it drops variables that neither these nor a README nor files of settings contain, even as a
// member of a settings object: "api-key" for TIDES_API_KEY. They are for testing, building and
// releasing.
func (c *candidate) exampleVariables() []registry.Variable {
	if len(c.unit.env) == 0 || !c.repo.readFully(c.unit, c.alone) {
		return c.unit.env
	}
	_, work := c.unit.workScripts()
	named := c.namesOf(func(p string) bool { return !work[p] })
	return slices.DeleteFunc(slices.Clone(c.unit.env), func(v registry.Variable) bool {
		return !named(v.Name)
	})
}

// namesOf returns whether texts of the program, but for those of some paths, name a variable, even
// as a member of an object of settings.
func (c *candidate) namesOf(include func(p string) bool) (named func(name string) bool) {
	texts := c.wordsOf(include)
	return func(name string) bool {
		name = strings.ToLower(name)
		_, rest, _ := strings.Cut(name, "_") // without a prefix that a library adds
		isWord := rest == "" || !strings.Contains(rest, "_")
		plain := withoutMarks.Replace(rest)
		return slices.ContainsFunc(texts, func(t *textWords) bool {
			if isWord {
				return t.words[name] || t.words[rest] || t.words[withoutMarks.Replace(name)]
			}
			return strings.Contains(t.plain, plain)
		})
	}
}

// knownValues returns whether source code has a value, as a text, the name of a type, or that of a file,
// and whether it names an option or a variable; nil if not all of it was read.
func (c *candidate) knownValues() (known, reads func(text string) bool) {
	if !c.repo.readFully(c.unit, c.alone) {
		return nil, nil
	}
	texts := c.wordsOf(func(p string) bool { return paths.Language(p) != "" || isBesideCode(c.repo, p) })
	known = func(value string) bool {
		value = strings.ToLower(value)
		isHost := strings.Contains(value, ".")
		return slices.ContainsFunc(texts, func(t *textWords) bool {
			return t.literals[value] || t.literals[withoutMarks.Replace(value)] ||
				isHost && slices.ContainsFunc(t.urls, func(u string) bool { return strings.Contains(u, value) })
		})
	}
	reads = func(name string) bool {
		name = strings.ToLower(name)
		option := strings.ReplaceAll(name, "_", "-")
		_, rest, _ := strings.Cut(name, "_") // without a prefix that a library adds
		return slices.ContainsFunc(texts, func(t *textWords) bool {
			return t.words[name] || t.words[withoutMarks.Replace(name)] || t.words[rest] ||
				t.literals[option] || t.literals["--"+option]
		})
	}
	return known, reads
}

// isBesideCode reports whether a file of data is in a folder of source code below the root.
func isBesideCode(r *repo, p string) bool {
	dir := dirOf(p)
	return dir != "" && source.IsData(p) && path.Ext(p) == ".json" && slices.ContainsFunc(r.dirs[dir], source.IsSource)
}

// wordsOf returns the words of the program's texts at paths to include.
func (c *candidate) wordsOf(include func(p string) bool) (texts []*textWords) {
	for p := range c.repo.snap.Texts {
		if w := c.repo.wordsOf(p); w != nil && include(p) {
			texts = append(texts, w)
		}
	}
	return texts
}

// textWords are the words of a text of the program in lowercase, and the text without marks; for source
// code and data also, in lowercase, its short texts in quotes, URLs, and without marks names of types.
type textWords struct {
	words, literals map[string]bool
	plain           string
	urls            []string
}

var (
	quoted     = regexp.MustCompile("\"([^\"\n]{1,60})\"|'([^'\n]{1,60})'|`([^`\n]{1,60})`")
	nameOfType = regexp.MustCompile(`\b[A-Z][A-Za-z0-9]+\b`)
	urlText    = regexp.MustCompile(`https?://[^\s"'\x60<>]{3,200}`)
)

// addLiterals adds what a text of code or data has in quotes, and names of types.
func (t *textWords) addLiterals(p, text string) {
	t.literals = map[string]bool{strings.ToLower(path.Base(strings.TrimSuffix(p, path.Ext(p)))): true}
	if paths.Language(p) != "" {
		text = source.CodeOf(p, text)
	}
	for _, m := range quoted.FindAllStringSubmatch(text, -1) {
		t.literals[strings.ToLower(m[1]+m[2]+m[3])] = true
	}
	for _, name := range nameOfType.FindAllString(text, -1) {
		t.literals[strings.ToLower(name)] = true
	}
	t.urls = urlText.FindAllString(strings.ToLower(text), -1)
}

// wordsOf returns the words of the text at a path, nil if it is not the program's.
func (r *repo) wordsOf(p string) *textWords {
	t, ok := r.words[p]
	if ok {
		return t
	}
	if paths.File(p) == paths.Own && (paths.Language(p) != "" || mayName(p)) {
		text := strings.ToLower(r.snap.Texts[p])
		t = &textWords{words: map[string]bool{}, plain: withoutMarks.Replace(text)}
		for _, w := range word.FindAllString(text, -1) {
			t.words[w] = true
		}
		if paths.Language(p) != "" || path.Ext(p) == ".json" {
			t.addLiterals(p, r.snap.Texts[p])
		}
	}
	r.words[p] = t
	return t
}

// ofProgram returns the claims of a README without those about variables that scripts for the
// work on the server name, and neither its source code, all of which was read, nor settings.
func (c *candidate) ofProgram(claims []settings.Claim) []settings.Claim {
	if !c.repo.readFully(c.unit, c.alone) {
		return claims
	}
	run, files := c.unit.workScripts()
	program := c.namesOf(func(p string) bool {
		base := strings.ToLower(path.Base(p))
		return !files[p] && !isReadme(base) && base != "package.json"
	})
	for p, text := range c.repo.snap.Texts {
		if files[p] || paths.Language(p) != "" && paths.File(p) == paths.Tooling {
			run += "\n" + text
		}
		if host := registry.HostOf(c.repo.snap.Repo.Host); host.IsWorkflow(p) {
			run += "\n" + strings.Join(workflowSecret.FindAllString(text, -1), "\n")
		}
	}
	return slices.DeleteFunc(claims, func(v settings.Claim) bool {
		return strings.Contains(run, v.Name) && !program(v.Name)
	})
}

// workScripts returns the commands of npm scripts that build, test and release the server, and
// the paths of the files that only these run.
func (u *unit) workScripts() (commands string, files map[string]bool) {
	files = map[string]bool{}
	if u.npm == nil {
		return "", files
	}
	for _, work := range []bool{true, false} {
		for name, command := range u.npm.Scripts {
			if workScript.MatchString(name) != work {
				continue
			}
			for _, arg := range strings.Fields(command) {
				if p := path.Join(u.dir, arg); paths.Language(p) != "" {
					files[p] = work
				}
			}
			if work {
				commands += "\n" + command
			}
		}
	}
	return commands, files
}

var workflowSecret = regexp.MustCompile(`\bsecrets\.[A-Z][A-Z0-9_]+`)

var workScript = regexp.MustCompile(`^(?:pre|post)?` +
	`(?:build|bundle|compile|pack|publish|release|version|prepare|clean|test|lint|docs)`)

// word matches a name in code. A name of one word may be part of others: "opt" of "option".
var word = regexp.MustCompile(`[a-z][a-z0-9_]*`)

// mayName reports whether a file other than of source code may name the variables of a server: a
// README, and settings that programs or containers read.
func mayName(p string) bool {
	switch path.Ext(p) {
	case ".properties", ".yml", ".yaml", ".toml", ".json", ".ini", ".xml":
		return true
	}
	lower := strings.ToLower(path.Base(p))
	return isReadme(lower) || strings.HasPrefix(lower, "dockerfile")
}

// withoutMarks removes the separators between the words of a name.
var withoutMarks = strings.NewReplacer("_", "", "-", "", ".", "")

// codeClaims returns what the source files say about the variables that they read, one claim for
// each; see [agreed]. Code to which not every start comes requires nothing. Claims are weak if not all
// files were read.
func (c *candidate) codeClaims() []settings.Claim {
	full := c.repo.readFully(c.unit, c.alone)
	_, work := c.unit.workScripts()
	texts := map[string]string{}
	for _, p := range c.repo.sources(c.unit, c.alone) {
		if !work[p] {
			texts[p] = c.repo.snap.Texts[p]
		}
	}
	claims := c.applicationClaims()
	reads := map[string][]settings.Claim{} // by name
	for _, v := range claims {
		reads[v.Name] = []settings.Claim{v}
	}
	application := len(claims)
	started := sync.OnceValue(func() *program { return newProgram(texts) })
	for _, p := range slices.Sorted(maps.Keys(texts)) {
		for _, read := range manifest.SourceEnvironment([]byte(texts[p])) {
			starts := c.starts(p)
			if read.Need == settings.Required && (!starts || !started().onStart(p, read.At)) {
				read.Need = settings.Unstated
			}
			read.Weak, read.At = read.Weak || !starts, 0
			if reads[read.Name] == nil {
				claims = append(claims, settings.Claim{Variable: read.Variable, Weak: !full})
			}
			reads[read.Name] = append(reads[read.Name], read)
		}
	}
	for i, v := range claims {
		claims[i] = agreed(reads[v.Name])
		claims[i].Weak = i >= application && (v.Weak || claims[i].Weak && !claims[i].IsSecret)
	}
	return claims
}

// agreed returns what all reads of a variable say; weak ones count if there are no others. A variable
// with a fallback anywhere is optional. Its default is the only one that reads fall back to: words,
// and that a switch is off, only if all of them do.
func agreed(reads []settings.Claim) settings.Claim {
	isWeak := func(r settings.Claim) bool { return r.Weak }
	if own := slices.DeleteFunc(slices.Clone(reads), isWeak); len(own) > 0 {
		reads = own
	}
	ranks := [...]int{settings.Optional: 0, settings.Required: 1, settings.Conditional: 2, settings.Unstated: 3}
	out := slices.MinFunc(reads, func(a, b settings.Claim) int { return ranks[a.Need] - ranks[b.Need] })
	values := map[string]bool{}
	for _, r := range reads {
		values[r.Default] = true
		out.Default = cmp.Or(out.Default, r.Default)
		if out.Need == settings.Conditional && r.Need == out.Need && r.Description != out.Description {
			out.Description = "Only some of the tools require it."
		}
	}
	isSure := out.Default != "false" && settings.IsValue(out.Default)
	if delete(values, ""); len(values) > 1 || !isSure && slices.ContainsFunc(reads, func(r settings.Claim) bool { return r.Default == "" }) {
		out.Default = ""
	}
	return out
}

// starts reports whether a start of the server may run a source file. Where imports are not known, the
// program of another manifest is another one if the server's manifest has its own.
func (c *candidate) starts(p string) bool {
	_, unreached := c.repo.unreached(c.unit)[p]
	v := c.repo.nearest(dirOf(p))
	isOther := v != nil && v != c.unit && v.entry != "" && c.unit.entry != "" && !source.Links(p)
	return !unreached && !isOther && c.unit.isServerLanguage(p)
}

// applicationClaims returns what the settings of the server's framework say about variables, one
// claim for each, of which the first with a default counts.
func (c *candidate) applicationClaims() (claims []settings.Claim) {
	for _, p := range slices.Sorted(maps.Keys(c.repo.snap.Texts)) {
		if manifest.IsApplication(p) && isOwn(p) && (c.alone || c.repo.nearest(dirOf(p)) == c.unit) {
			claims = append(claims, manifest.ApplicationEnvironment([]byte(c.repo.snap.Texts[p]))...)
		}
	}
	slices.SortStableFunc(claims, func(a, b settings.Claim) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(max(a.Need, 1), max(b.Need, 1)))
	})
	return slices.CompactFunc(claims, func(a, b settings.Claim) bool { return a.Name == b.Name })
}

// readsNone reports whether all source files were read and none of them mentions the environment
// or a configuration that may be read from it.
func (c *candidate) readsNone() bool {
	for p, text := range c.repo.snap.Texts {
		if c.repo.hasSource(c.unit, c.alone, p) && environment.MatchString(text) {
			return false
		}
	}
	return c.repo.readFully(c.unit, c.alone)
}

var environment = regexp.MustCompile(`(?i)env|configuration|BaseSettings|@Value\b`)

// readmeClaims returns the claims of a README about this server, or else those of the
// configurations that start it. Variables set only for other servers are not this one's if it is
// deprecated, or if the README does not describe them and no source code names them.
func (c *candidate) readmeClaims() []settings.Claim {
	var ours, theirs []registry.Variable // set for this server and for others
	for _, s := range c.readme.Servers {
		switch l, err := s.Launch(); {
		case err == nil && c.ours(l):
			ours = append(ours, envOf(l)...)
		case err == nil && l.Runs && l.Identifier != "" && !l.Source, c.connects():
			theirs = append(theirs, envOf(l)...)
		}
	}
	if !c.own {
		return settings.Of(settings.Shown, ours)
	}
	isRead := func(string) bool { return true }
	if c.repo.readFully(c.unit, c.alone) {
		isRead = c.namesOf(func(p string) bool { return paths.Language(p) != "" })
	}
	has := func(list []registry.Variable, name string) bool {
		return slices.ContainsFunc(list, func(v registry.Variable) bool { return v.Name == name })
	}
	return slices.DeleteFunc(c.ofProgram(slices.Clone(c.readme.Variables)), func(v settings.Claim) bool {
		return c.isBeside(v) || has(theirs, v.Name) && !has(ours, v.Name) &&
			(c.superseded() || v.Description == "" && !isRead(v.Name))
	})
}

// isBeside reports whether the README's configurations that set a variable all start another program
// of the package than the one that is named like it.
func (c *candidate) isBeside(v settings.Claim) bool {
	setting := slices.DeleteFunc(slices.Clone(c.readme.Servers), func(s manifest.ClientServer) bool {
		_, sets := s.Env[v.Name]
		return !sets
	})
	return len(setting) > 0 && !slices.ContainsFunc(setting, func(s manifest.ClientServer) bool {
		for _, m := range c.unit.packages() {
			file, declared := m.Programs[path.Base(s.Command)]
			if named, has := m.Programs[path.Base(m.Name)]; declared && has && file != named {
				return false
			}
		}
		return true
	})
}

// withoutValues returns the variables without the values of tools' parameters that only a README names.
func (c *candidate) withoutValues(d *registry.Detection) []registry.Variable {
	return slices.DeleteFunc(d.Variables, func(v registry.Variable) bool {
		isElse := func(of settings.Claim) bool { return of.Name == v.Name && of.Source != settings.Text }
		return !slices.ContainsFunc(c.claimed, isElse) && slices.ContainsFunc(d.Tools, func(t registry.Tool) bool {
			return strings.Contains(string(t.InputSchema), `"`+v.Name+`"`)
		})
	})
}

// configuredVariables returns the variables that the configurations of packages set, without
// their values.
func configuredVariables(packages []registry.Package) (out []registry.Variable) {
	for _, p := range packages {
		for _, conf := range p.Configurations {
			for _, v := range conf.Env {
				if settings.IsEnvName(strings.ToUpper(v.Name)) {
					out = append(out, registry.Variable{Name: v.Name, Description: v.Description, IsSecret: v.IsSecret})
				}
			}
		}
	}
	return out
}

// ofExtensions returns the variables of smithery.yaml and the bundle, which start the server in other
// ways than configurations of clients do.
func (c *candidate) ofExtensions() (out []registry.Variable) {
	if b := c.unit.bundle; b != nil && !hasSettings(b.Launch) {
		out = b.Launch.Variables()
	}
	if c.unit.smithery != nil {
		out = slices.Concat(out, c.unit.smithery.Variables)
	}
	return out
}

// ordinary returns the configurations that start the server in the ordinary case.
func (c *candidate) ordinary(packages []registry.Package) (all []registry.Configuration) {
	for _, p := range packages {
		if len(p.Configurations) > 0 && (p.Doubt == "" || c.builds(p.RegistryType, p.Identifier)) {
			all = p.Configurations
			break
		}
	}
	if all == nil && !c.connects() {
		for _, s := range c.readme.Servers {
			if l, err := s.Launch(); s.Command != "" &&
				(err != nil || l.Source && l.Runner != "docker") && !shell.IsBridge(l.Identifier) {
				all = append(all, registry.Configuration{Env: manifest.SetVariables(l.Env), Special: s.Special})
			}
		}
	}
	special := func(conf registry.Configuration) bool { return conf.Special }
	if plain := slices.DeleteFunc(slices.Clone(all), special); len(plain) > 0 {
		return plain
	}
	return all
}

// passedToImage returns the variables that the runtime arguments of an image set inside it: "-e
// NAME={value}".
func passedToImage(p registry.Package) []registry.Variable {
	if p.RegistryType != "oci" {
		return nil
	}
	var out []registry.Variable
	for _, a := range p.RuntimeArguments {
		name, value, _ := strings.Cut(a.Value, "=")
		if dockerrun.Name(a.Name) != "env" || !settings.IsEnvName(name) {
			continue
		}
		v := registry.Variable{
			Name: name, Description: a.Description, IsRequired: a.IsRequired, IsSecret: a.IsSecret,
			Default: a.Default, Format: a.Format, Choices: a.Choices,
		}
		if !strings.Contains(value, "{") {
			v.Default = cmp.Or(v.Default, value)
		}
		for _, in := range a.Variables {
			v.IsSecret = v.IsSecret || in.IsSecret
			v.IsRequired = v.IsRequired || in.IsRequired
			if len(a.Variables) == 1 {
				v.Default, v.Format = cmp.Or(v.Default, in.Default), cmp.Or(v.Format, in.Format)
			}
		}
		out = append(out, v)
	}
	return out
}

// envOf returns the variables that the command of a client's configuration sets. Values that are
// placeholders are required.
func envOf(l shell.Launch) []registry.Variable {
	var out []registry.Variable
	for _, k := range slices.Sorted(maps.Keys(l.Env)) {
		if settings.IsEnvName(k) {
			out = append(out, registry.Variable{
				Name: k, IsSecret: registry.IsSecretName(k) || settings.HoldsSecret(l.Env[k]),
				IsRequired: settings.IsPlaceholder(l.Env[k]),
			})
		}
	}
	return out
}

// required returns the variables that a launch must set.
func required(list []registry.Variable) []registry.Variable {
	optional := func(v registry.Variable) bool { return !v.IsRequired }
	return slices.DeleteFunc(slices.Clone(list), optional)
}
