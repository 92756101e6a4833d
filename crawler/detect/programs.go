package detect

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"mcpcensus/crawler/paths"
	"mcpcensus/crawler/source"
	"mcpcensus/internal/registry"
)

// programs returns the programs in a package of the unit, with their files or entry points.
func (c *candidate) programs(p *registry.Package) map[string]string {
	out := map[string]string{}
	if !c.unit.named(p.RegistryType, p.Identifier) {
		return out
	}
	for kind, m := range c.unit.packages() {
		if kind == p.RegistryType && (kind == "npm" || kind == "pypi") {
			for name, file := range m.Programs {
				out[name] = path.Clean(file)
			}
		}
	}
	return out
}

// hasNoProgram reports whether the manifest of a package for npm or PyPI declares no program.
func (c *candidate) hasNoProgram(p *registry.Package) bool {
	if p.RegistryType != "npm" && p.RegistryType != "pypi" || len(c.programs(p)) > 0 {
		return false
	}
	for kind, m := range c.unit.packages() {
		if m.Name != "" && PackageMark(kind, m.Name) == PackageMark(p.RegistryType, p.Identifier) {
			return true
		}
	}
	return false
}

// byPackage returns the program that the runner of a package starts by the name of the package, ""
// if there is none. npx starts the only program, which may have several names, or else the one
// named like the package without its scope; uvx the one named like the package.
func byPackage(p *registry.Package, programs map[string]string) string {
	names := slices.Sorted(maps.Keys(programs))
	other := func(name string) bool { return programs[name] != programs[names[0]] }
	if p.RegistryType == "npm" && len(names) > 0 && !slices.ContainsFunc(names, other) {
		return names[0]
	}
	name := p.Identifier
	if p.RegistryType == "npm" {
		name = path.Base(name)
	}
	if _, ok := programs[name]; ok {
		return name
	}
	return ""
}

// script returns the program to start in a package, "" for the one that its runner starts by the
// name of the package. ok is false if that is none, and it is not known which one is the server.
func (c *candidate) script(p *registry.Package) (name string, ok bool) {
	all := c.programs(p)
	usual, server := byPackage(p, all), c.serving(all)
	switch {
	case len(all) == 0, usual != "" && (server == "" || all[usual] == all[server] || hasMCP(usual)):
		return "", true
	case len(all) == 1:
		return slices.Collect(maps.Keys(all))[0], true
	}
	return server, server != ""
}

// serving returns the program that serves MCP: the only one whose source uses the server's side
// of an SDK, else the only one that imports code that does, else the only one with the protocol in
// its name; "" if there are none or several.
func (c *candidate) serving(programs map[string]string) string {
	for _, serves := range []func(name string) bool{
		func(name string) bool {
			p := c.repo.sourceOf(c.unit, programs[name])
			return p != "" && c.repo.sidesAt(p).serves()
		},
		func(name string) bool {
			p := c.repo.sourceOf(c.unit, programs[name])
			return p != "" && len(programs) > 1 && c.repo.reachesServer(p)
		}, hasMCP,
	} {
		names := map[string]string{} // by file
		for _, name := range slices.Sorted(maps.Keys(programs)) {
			if _, known := names[programs[name]]; serves(name) && !known {
				names[programs[name]] = name
			}
		}
		if len(names) == 1 {
			return slices.Collect(maps.Values(names))[0]
		}
	}
	return ""
}

// onStart returns the sides of the code that the programs of units run.
func (r *repo) onStart(units ...*unit) sides {
	var mains []string
	for _, u := range units {
		if !r.shows(u, r.snap.Texts[r.unit("").readmeAt]) {
			mains = append(mains, r.mainFiles(u)...)
		}
	}
	reached, _ := r.reach(mains)
	return r.sidesIn(reached)
}

// reachesServer reports whether a file serves, or what it imports.
func (r *repo) reachesServer(p string) bool {
	reaches, known := r.reaching[p]
	if !known {
		reaches = r.reachServer([]string{p})
		r.reaching[p] = reaches
	}
	return reaches
}

// reachServer reports whether one of some files serves, or what they import.
func (r *repo) reachServer(files []string) bool {
	if len(r.serving) == 0 {
		return false
	}
	reached, _ := r.reach(files)
	return slices.ContainsFunc(r.serving, func(p string) bool {
		_, found := slices.BinarySearch(reached, p)
		return found
	})
}

// reach returns files with those that they import; see [source.Graph.Reach].
func (r *repo) reach(mains []string) (reached, open []string) { return r.graph().Reach(mains) }

// mainFiles returns the files that were read with which a unit's programs start: its entry, and those
// that the first words of its manifests, scripts and image name.
func (r *repo) mainFiles(u *unit) (out []string) {
	words := []string{strings.TrimPrefix(u.entry, prefix(u.dir))}
	for _, p := range u.packages() {
		words = slices.AppendSeq(words, maps.Values(p.Programs))
		for _, script := range p.Scripts {
			words = append(words, strings.Fields(script)...)
		}
	}
	if u.docker != nil {
		words = append(words, strings.Fields(u.docker.Entrypoint)...)
	}
	for i, w := range words[:min(len(words), maxUnits)] {
		if i > 0 && words[i-1] == "-m" {
			w += ":"
		}
		if p := r.sourceOf(u, w); p != "" && isOwn(p) {
			out = append(out, p)
		}
	}
	if u.gomod != nil {
		out = append(out, r.goMains(u.dir)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// mayStart returns the files of [repo.mainFiles] and others with which a program of a unit may start:
// entry points of its packages, and modules in its own folder or named as programs.
func (r *repo) mayStart(u *unit) []string {
	manifest := path.Join(u.dir, "package.json")
	out := append(r.mainFiles(u), source.Imports(source.Files{manifest: r.snap.Texts[manifest]},
		slices.Collect(maps.Keys(r.files)))...)
	for p := range r.snap.Texts {
		main := programFile.MatchString(p) && r.nearest(dirOf(p)) == u
		if sidesLanguage(p) != "" && isOwn(p) && (main || dirOf(p) == u.dir) {
			out = append(out, p)
		}
	}
	return out
}

// packageMain matches the clause of a file of a program in Go.
var packageMain = regexp.MustCompile(`(?m)^package main\b`)

// programFile matches the files of programs in Python and Go.
var programFile = regexp.MustCompile(`(?:^|/)(?:__main__\.py|main\.go)$`)

// withoutUnreached returns files of a unit without those that no program of it reaches, if its
// programs only connect to servers and load nothing else.
func (r *repo) withoutUnreached(u *unit, files []string) []string {
	if s := r.sidesIn(files); s.client == "" || s.server+s.answers == "" {
		return files
	}
	reached, open := r.reach(r.mayStart(u))
	if len(open) > 0 || !r.sidesIn(reached).onlyConnects() {
		return files
	}
	return slices.DeleteFunc(files, func(p string) bool { return !slices.Contains(reached, p) })
}

// unreached returns the source files of a unit that no program of it that serves reaches, and whether
// these name them, so that they may start or copy them. Only compilers load no others than those that
// code names. Elsewhere, what code or a library chooses is in a folder of the program from which code
// names no file, or in one that code names which chooses.
func (r *repo) unreached(u *unit) map[string]bool {
	if u.unreached != nil {
		return u.unreached
	}
	u.unreached = map[string]bool{}
	mains := r.servingFiles(u)
	if len(mains) == 0 {
		return u.unreached
	}
	reached, open := r.reach(mains)
	isNamed, isQuoted, mayLoad := r.namesIn(reached), r.quotedIn(reached), r.loadsIn(u, reached, open)
	chosen := r.chosenFolders(mains, reached)
	for p := range r.snap.Texts {
		_, isReached := slices.BinarySearch(reached, p)
		isChosen := chosen[path.Dir(p)] && len(open) == 0
		isLoaded := isReached || mayLoad(p) && (len(open) > 0 || !isCompiled(p) && !isNamed(p) && !isChosen)
		if strings.HasPrefix(p, prefix(u.dir)) && source.Links(p) && !isLoaded {
			u.unreached[p] = isNamed(p) || !isChosen && isQuoted(u.startedAs(p))
		}
	}
	return u.unreached
}

// startedAs returns what code that starts or loads a source file of a unit may name: its path, or the
// name of a compiled program.
func (u *unit) startedAs(p string) string {
	if isCompiled(p) {
		return path.Base(path.Dir(p))
	}
	return strings.TrimPrefix(p, prefix(u.dir))
}

// servingFiles returns the files of [repo.mainFiles] that serve, and others of the unit that do; none if
// no program of it is known to.
func (r *repo) servingFiles(u *unit) []string {
	mains := slices.DeleteFunc(r.mainFiles(u), func(p string) bool { return !r.reachesServer(p) })
	if len(mains) == 0 {
		return nil
	}
	for _, p := range r.serving {
		isPart := path.Ext(p) == ".go" && !packageMain.MatchString(r.snap.Texts[p])
		if r.nearest(dirOf(p)) == u && !isPart {
			mains = append(mains, p)
		}
	}
	return mains
}

// chosenFolders returns the folders whose files are imported one by one: at least two files of the
// folder are reached and not imported by an unreached file in it. Programs and index files do not count.
func (r *repo) chosenFolders(mains, reached []string) map[string]bool {
	named := map[string][]string{} // by folder
	for _, p := range reached {
		if !slices.Contains(mains, p) && !isIndex.MatchString(p) {
			named[path.Dir(p)] = append(named[path.Dir(p)], p)
		}
	}
	out := map[string]bool{}
	for p := range r.snap.Texts {
		if _, isReached := slices.BinarySearch(reached, p); isReached || len(named[path.Dir(p)]) == 0 {
			continue
		}
		used := r.graph().Imports(p)
		named[path.Dir(p)] = slices.DeleteFunc(named[path.Dir(p)], func(q string) bool { return slices.Contains(used, q) })
	}
	for dir, files := range named {
		out[dir] = len(files) > 1
	}
	return out
}

// isIndex matches the files that stand for their folder.
var isIndex = regexp.MustCompile(`(?:^|/)(?:__init__\.py|index\.[cm]?[jt]sx?)$`)

// isCompiled reports whether a file is in a language whose programs have only the files that their
// code names.
func isCompiled(p string) bool {
	language := paths.Language(p)
	return language == "Go" || language == "Rust"
}

// loadsIn returns whether a program of reached files may load another file of a unit. open are the
// files that choose what they load.
func (r *repo) loadsIn(u *unit, reached, open []string) (mayLoad func(p string) bool) {
	folder := func(p string) string {
		first, _, _ := strings.Cut(strings.TrimPrefix(p, prefix(u.dir)), "/")
		return first
	}
	loaded := map[string]bool{} // by folder
	for _, p := range reached {
		loaded[folder(p)] = true
	}
	return func(p string) bool {
		dir := folder(p)
		if _, known := loaded[dir]; !known || dir == path.Base(p) {
			loaded[dir] = slices.ContainsFunc(open, func(by string) bool {
				text := r.snap.Texts[by]
				return text == "" || dir == path.Base(p) || strings.Contains(text, dir)
			})
		}
		return loaded[dir]
	}
}

// isBeside reports whether a source file is only of other programs than the server of a unit.
func (r *repo) isBeside(u *unit, p string) bool {
	isNamed, unreached := r.unreached(u)[p]
	return unreached && !isNamed
}

// namesIn returns whether texts name a source file, built or not.
func (r *repo) namesIn(files []string) (isNamed func(p string) bool) {
	stem := func(p string) string { return strings.TrimSuffix(p, path.Ext(p)) }
	names := map[string]bool{}
	for _, p := range files {
		for _, name := range fileName.FindAllString(r.snap.Texts[p], -1) {
			names[stem(path.Base(name))] = true
		}
	}
	return func(p string) bool { return names[stem(path.Base(p))] }
}

// quotedIn returns whether strings in files name a folder of a path or its file, as those do from which
// code makes what it loads.
func (r *repo) quotedIn(files []string) (isQuoted func(p string) bool) {
	isWord := func(c rune) bool { return c == '_' || c == '-' || unicode.IsLetter(c) || unicode.IsDigit(c) }
	words := map[string]bool{}
	for _, p := range files {
		for _, m := range quotedName.FindAllStringSubmatch(r.snap.Texts[p], -1) {
			for word := range strings.FieldsFuncSeq(m[1], func(c rune) bool { return !isWord(c) }) {
				words[word] = true
			}
		}
	}
	return func(p string) bool {
		parts := strings.Split(strings.TrimSuffix(p, path.Ext(p)), "/")
		return slices.ContainsFunc(parts, func(part string) bool { return words[part] })
	}
}

// quotedName matches strings that may be paths or the names of modules.
var quotedName = regexp.MustCompile("[\"'`]([\\w./:-]{2,100})[\"'`]")

// fileName matches the names of source files in code.
var fileName = regexp.MustCompile(`\b[\w-]+\.(?:py|[cm]?[jt]sx?)\b`)

// sourceOf returns the source that was read of a program's file or entry point, "dist/a.js" or
// "a.b:main", "" for none.
func (r *repo) sourceOf(u *unit, file string) string {
	stem, _, entry := strings.Cut(file, ":")
	if entry {
		stem = strings.ReplaceAll(stem, ".", "/")
	} else {
		stem = strings.TrimSuffix(stem, path.Ext(stem))
	}
	if at := builtFolder.FindStringIndex(stem); at != nil {
		stem = stem[at[1]:]
	}
	for _, s := range []string{stem, "src/" + stem, stem + "/__init__", "src/" + stem + "/__init__"} {
		full := path.Join(u.dir, s)
		for _, name := range r.dirs[dirOf(full)] {
			p := path.Join(dirOf(full), name)
			if strings.TrimSuffix(p, path.Ext(p)) == full && r.snap.Texts[p] != "" && sidesLanguage(p) != "" {
				return p
			}
		}
	}
	return ""
}
