package detect

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/shell"
	"mcpcensus/internal/registry"
)

const (
	maxVariables    = 200
	maxVariableName = 200 // bytes
)

// environment merges the variables of all sources; the first description of each wins. It sets
// the variables of the server and those of its packages, unless the registry or server.json
// declares variables of any package. A package's own configurations determine which variables it
// requires; the server requires those of the leading package.
func (c *candidate) environment(d *registry.Detection) {
	vars := variableList{at: map[string]int{}}
	declared := c.declaredVariables(&vars)
	vars.merge(c.ofOthers(), true)
	vars.merge(c.readmeVariables(), false)
	vars.merge(configuredVariables(d.Packages), true)
	for _, s := range c.unit.configs {
		vars.merge(envOf(s), false)
	}
	vars.merge(c.exampleVariables(), false)
	c.dropMentioned(&vars, declared)
	vars.dropTemplates()
	for i := range vars.all {
		if v := &vars.all[i]; v.IsSecret || !declared[v.Name] && manifest.IsExample(v.Default) {
			v.Default, v.Value = "", ""
		}
	}
	all := vars.all
	requires, stated := c.requires(d.Packages), c.statedRequired()
	ofLead := leadDeclares(d.Packages)
	d.Variables = requiredOf(all, requires, declared, stated)
	for i := range d.Variables {
		v := &d.Variables[i]
		if _, isDeclared := declared[v.Name]; ofLead != nil && isDeclared && !ofLead[v.Name] {
			v.IsRequired = false // of another package
		}
	}
	for i := range d.Packages {
		p := &d.Packages[i]
		of := requires
		if len(p.Configurations) > 0 && p.Doubt == "" {
			of = c.requires(d.Packages[i : i+1])
		}
		setVariables(p, requiredOf(all, of, declared, stated), declared)
	}
}

// setVariables sets the variables of a package from those of the server. declared is the result
// of declaredVariables.
func setVariables(p *registry.Package, all []registry.Variable, declared map[string]bool) {
	if len(p.EnvironmentVariables) == 0 && len(declared) == 0 {
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
		p.EnvironmentVariables = append(p.EnvironmentVariables, missing(*p, all, declared)...)
	}
}

// requiredOf returns variables with IsRequired set. requires is the result of
// [candidate.requires], and stated that of statedRequired. A variable that server.json requires
// is optional if a configuration lacks it.
func requiredOf(all []registry.Variable, requires, declared, stated map[string]bool) []registry.Variable {
	out := slices.Clone(all)
	for i := range out {
		v := &out[i]
		if required, known := requires[v.Name]; known {
			v.IsRequired = required && (v.IsRequired || !declared[v.Name] || stated[v.Name])
		}
	}
	return out
}

// statedRequired returns the variables in the README's text, true for those that it calls
// required.
func (c *candidate) statedRequired() map[string]bool {
	out := map[string]bool{}
	if !c.own {
		return out
	}
	for _, v := range c.readme.Variables {
		out[v.Name] = v.IsRequired
	}
	return out
}

// leadDeclares returns the names of the variables that the leading package declares, nil if it
// declares none.
func leadDeclares(packages []registry.Package) map[string]bool {
	for _, p := range packages {
		if p.Doubt != "" {
			continue
		}
		var names map[string]bool
		for _, v := range append(slices.Clone(p.EnvironmentVariables), passedToImage(p)...) {
			if names == nil {
				names = map[string]bool{}
			}
			names[v.Name] = true
		}
		return names
	}
	return nil
}

// missing returns the required variables that no package of server.json or of the registry's
// entry declares and that p does not accept as an option.
func missing(p registry.Package, all []registry.Variable, declared map[string]bool) (out []registry.Variable) {
	for _, v := range required(all) {
		option := strings.ReplaceAll(v.Name, "_", "-")
		isOption := slices.ContainsFunc(p.PackageArguments, func(a registry.Argument) bool {
			name, _, _ := strings.Cut(cmp.Or(a.Name, a.Value), "=")
			return strings.EqualFold(strings.TrimLeft(name, "-"), option)
		})
		if _, described := declared[v.Name]; !described && !isOption {
			out = append(out, v)
		}
	}
	return out
}

// declaredVariables adds the variables of server.json and the registry's entry. It returns their
// names, true for those that the repository declares.
func (c *candidate) declaredVariables(vars *variableList) map[string]bool {
	declared := map[string]bool{}
	for _, l := range c.unit.listings() {
		for _, p := range l.Packages {
			of := append(slices.Clone(p.EnvironmentVariables), passedToImage(p)...)
			vars.merge(of, true)
			for _, v := range of {
				declared[v.Name] = declared[v.Name] || l == c.unit.server
			}
		}
	}
	return declared
}

// exampleVariables returns the variables of the example .env file. If all source files were read,
// it drops variables that no other text of the repository contains, even as a member of a
// settings object: "api-key" for TIDES_API_KEY.
func (c *candidate) exampleVariables() []registry.Variable {
	if len(c.unit.env) == 0 || !c.repo.readFully(c.unit, c.alone) {
		return c.unit.env
	}
	var texts strings.Builder
	for _, p := range slices.Sorted(maps.Keys(c.repo.snap.Texts)) {
		if !isEnvFile(&file{lower: strings.ToLower(path.Base(p))}) {
			texts.WriteString(c.repo.snap.Texts[p])
			texts.WriteByte('\n')
		}
	}
	plain := withoutMarks.Replace(strings.ToLower(texts.String()))
	return slices.DeleteFunc(slices.Clone(c.unit.env), func(v registry.Variable) bool {
		_, rest, _ := strings.Cut(v.Name, "_") // without a prefix that a library adds
		named := func(name string) bool {
			return name != "" && strings.Contains(plain, withoutMarks.Replace(strings.ToLower(name)))
		}
		return !named(v.Name) && !named(rest)
	})
}

// withoutMarks removes the separators between the words of a name.
var withoutMarks = strings.NewReplacer("_", "", "-", "", ".", "")

// dropMentioned removes names in capitals that only a sentence of the README contains and that no
// source file reads from the environment.
func (c *candidate) dropMentioned(vars *variableList, declared map[string]bool) {
	if !c.own || len(c.readme.Mentioned) == 0 {
		return
	}
	set := map[string]bool{}
	for _, p := range c.repo.sources(c.unit, c.alone) {
		for _, name := range manifest.SourceEnvironment([]byte(c.repo.snap.Texts[p])) {
			set[name] = true
		}
	}
	for _, v := range c.unit.env {
		set[v.Name] = true
	}
	for _, s := range c.unit.configs {
		for name := range s.Env {
			set[name] = true
		}
	}
	vars.remove(func(v registry.Variable) bool {
		_, known := declared[v.Name]
		return c.readme.Mentioned[v.Name] && !known && !set[v.Name]
	})
}

// templateName matches placeholders for numbered names: "ACCOUNT_N_KEY".
var templateName = regexp.MustCompile(`^([A-Z0-9_]+_)[NX](_[A-Z0-9_]+)$`)

// dropTemplates removes placeholders for numbered variables of which at least one is in the list.
func (l *variableList) dropTemplates() {
	all := slices.Clone(l.all)
	l.remove(func(v registry.Variable) bool {
		m := templateName.FindStringSubmatch(v.Name)
		return m != nil && slices.ContainsFunc(all, func(o registry.Variable) bool {
			n, isOne := strings.CutSuffix(strings.TrimPrefix(o.Name, m[1]), m[2])
			return isOne && (n == "1" || n == "2" || n == "3")
		})
	})
}

// A variableList is a list of variables by name.
type variableList struct {
	all []registry.Variable
	at  map[string]int // index by name
}

// remove removes variables.
func (l *variableList) remove(is func(registry.Variable) bool) {
	l.all = slices.DeleteFunc(l.all, is)
	clear(l.at)
	for i, v := range l.all {
		l.at[v.Name] = i
	}
}

// merge adds variables, or missing facts to known ones. Unless sure is set, names determine
// whether variables are secret.
func (l *variableList) merge(list []registry.Variable, sure bool) {
	for _, v := range list {
		if v.Name == "" || len(v.Name) > maxVariableName {
			continue
		}
		if strings.ContainsAny(v.Description, "_<") && !strings.Contains(v.Description, " ") &&
			manifest.IsPlaceholder(v.Description) {
			v.Description = "" // a placeholder such as "your_api_key_here"
		}
		if i, ok := l.at[v.Name]; ok {
			known := &l.all[i]
			known.Description = cmp.Or(known.Description, v.Description)
			known.Default = cmp.Or(known.Default, v.Default)
			known.Format = cmp.Or(known.Format, v.Format)
			known.IsSecret = known.IsSecret || v.IsSecret
			if len(known.Choices) == 0 {
				known.Choices = v.Choices
			}
			continue
		}
		if len(l.all) >= maxVariables {
			return
		}
		v.IsSecret = v.IsSecret || !sure && manifest.LooksSecret(v.Name)
		l.at[v.Name] = len(l.all)
		l.all = append(l.all, v)
	}
}

// readmeVariables returns the variables of a README about this server, or else of the
// configurations that start it. For a deprecated server, it drops variables set only for others.
func (c *candidate) readmeVariables() []registry.Variable {
	var ours, theirs []registry.Variable // set for this server and for others
	for _, s := range c.readme.Servers {
		switch l, err := shell.ParseCommand(s.Command, s.Args); {
		case err == nil && c.ours(l):
			ours = append(ours, envOf(s)...)
		case err == nil && l.Runs && l.Identifier != "" && !l.Source:
			theirs = append(theirs, envOf(s)...)
		}
	}
	switch {
	case !c.own:
		return ours
	case !c.superseded():
		return c.readme.Variables
	}
	has := func(list []registry.Variable, name string) bool {
		return slices.ContainsFunc(list, func(v registry.Variable) bool { return v.Name == name })
	}
	return slices.DeleteFunc(slices.Clone(c.readme.Variables), func(v registry.Variable) bool {
		return has(theirs, v.Name) && !has(ours, v.Name)
	})
}

// configuredVariables returns the variables that the configurations of packages set, without
// their values.
func configuredVariables(packages []registry.Package) (out []registry.Variable) {
	for _, p := range packages {
		for _, conf := range p.Configurations {
			for _, v := range conf.Env {
				if manifest.IsEnvName(strings.ToUpper(v.Name)) {
					out = append(out, registry.Variable{Name: v.Name, Description: v.Description, IsSecret: v.IsSecret})
				}
			}
		}
	}
	return out
}

// requires returns which variables in configurations are required, by name: those that the text
// calls required, and those that all configurations of the leading package leave to the user,
// unless the text calls them optional or has a default. Variables required only to start the
// server in other ways are optional. Without configurations of a package, those that start the
// server from source count.
func (c *candidate) requires(packages []registry.Package) map[string]bool {
	all := c.ordinary(packages)
	out := map[string]bool{}
	for _, v := range configuredVariables(packages) { // optional, unless all configurations leave it open
		out[v.Name] = false
	}
	for name, n := range leftOpen(all) {
		out[name] = n == len(all) && !c.readme.Optional[name]
	}
	if c.own { // otherwise the text is about other servers, too
		for _, v := range c.readme.Variables {
			_, known := out[v.Name]
			if v.IsRequired || v.Default != "" || c.readme.Optional[v.Name] && !known {
				out[v.Name] = v.IsRequired
			}
		}
	}
	for _, v := range c.ofOthers() { // these configurations lack it
		if _, known := out[v.Name]; !known && len(all) > 0 {
			out[v.Name] = false
		}
	}
	return out
}

// ofOthers returns the variables of smithery.yaml and the bundle, which start the server in other
// ways than configurations of clients do.
func (c *candidate) ofOthers() (out []registry.Variable) {
	if c.unit.bundle != nil {
		out = c.unit.bundle.Variables
	}
	if c.unit.smithery != nil {
		out = slices.Concat(out, c.unit.smithery.Variables)
	}
	return out
}

// leftOpen returns, for each variable, the number of configurations without a value for it.
func leftOpen(all []registry.Configuration) map[string]int {
	open := map[string]int{}
	for _, conf := range all {
		for _, v := range conf.Env {
			n := open[v.Name]
			if v.Value == "" {
				n++
			}
			open[v.Name] = n
		}
	}
	return open
}

// ordinary returns the configurations that start the server in the ordinary case.
func (c *candidate) ordinary(packages []registry.Package) (all []registry.Configuration) {
	for _, p := range packages {
		if len(p.Configurations) > 0 && p.Doubt == "" {
			all = p.Configurations
			break
		}
	}
	if all == nil {
		for _, s := range c.readme.Servers {
			if l, err := shell.ParseCommand(s.Command, s.Args); s.Command != "" &&
				(err != nil || l.Source) && !shell.IsBridge(l.Identifier) {
				all = append(all, registry.Configuration{Env: manifest.SetVariables(s.Env), Special: s.Special})
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
		if a.Name != "-e" && a.Name != "--env" || !manifest.IsEnvName(name) {
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

// envOf returns the variables that a client's configuration sets. Values that are placeholders
// are required.
func envOf(s manifest.ClientServer) []registry.Variable {
	var out []registry.Variable
	for _, k := range slices.Sorted(maps.Keys(s.Env)) {
		if manifest.IsEnvName(k) {
			out = append(out, registry.Variable{
				Name: k, IsSecret: manifest.LooksSecret(k) || manifest.HoldsSecret(s.Env[k]),
				IsRequired: manifest.IsPlaceholder(s.Env[k]),
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
