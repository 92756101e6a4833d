package detect

import (
	"cmp"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/paths"
	"mcpcensus/crawler/shell"
	"mcpcensus/internal/registry"
)

// configs returns the configurations in files of clients that are for users: those in the server's
// folder, and of extensions and editors those that start its own package, program or files, or
// connect to an endpoint under a name with all words of the repository's. Others are for its developers.
func (c *candidate) configs() []manifest.ClientServer {
	out := slices.Clone(c.unit.configs)
	others := c.unit.others
	if root := c.repo.unit(""); c.alone && c.unit != root {
		others = slices.Concat(others, root.others)
	}
	name := wordsOf(c.repo.snap.Repo.Name)
	for _, s := range others {
		named := wordsOf(s.Name)
		if c.startsOwn(s) || s.Command == "" && len(name) <= len(named) && overlapAll(name, named) {
			out = append(out, s)
		}
	}
	return out
}

// extensions returns [candidate.configs] and the configurations of the bundle and smithery.yaml.
func (c *candidate) extensions() []manifest.ClientServer {
	out := c.configs()
	if b := c.unit.bundle; b != nil && !hasSettings(b.Launch) {
		out = append(out, b.Launch)
	}
	if c.unit.smithery != nil {
		out = append(out, c.unit.smithery.Launch)
	}
	return out
}

// startsOwn reports whether a configuration starts the server's package, or a program or source of
// the repository.
func (c *candidate) startsOwn(s manifest.ClientServer) bool {
	l, err := s.Launch()
	switch {
	case s.Command == "" || l.Runner == "docker" && l.Source:
		return false
	case err == nil && l.Identifier != "" && !l.Source:
		return c.builds(l.RegistryType, l.Identifier)
	}
	words := []string{s.Command}
	for _, w := range s.Args {
		words = append(words, folderReference.ReplaceAllString(manifest.Separators.Replace(w), ""))
	}
	return c.repo.ownProgram(s.Command) || err == nil && l.Source && c.repo.ownSource(words)
}

// folderReference matches a reference to the folder of an extension or a project.
var folderReference = regexp.MustCompile(`^\$\{[A-Za-z_]+\}[\\/]`)

// hasSettings reports whether an extension starts its program with a file of settings of its own,
// which may be what names its variables.
func hasSettings(s manifest.ClientServer) bool {
	return slices.ContainsFunc(s.Args, func(word string) bool {
		if option, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(option, "-") {
			word = value
		}
		return folderReference.MatchString(word) && mayName(word)
	})
}

// configuresItself reports whether a configuration of the root's README starts a package of the
// repository or its source, or connects to an endpoint of its owner.
func (r *repo) configuresItself() bool {
	return r.startsItself() || slices.ContainsFunc(r.configured(), func(s manifest.ClientServer) bool {
		return s.Command == "" && r.ownEndpoint(s.URL)
	})
}

// startsItself reports whether a configuration of the root's README starts a package of the
// repository or its source.
func (r *repo) startsItself() bool {
	return r.configuresPackage() || slices.ContainsFunc(r.configured(), func(s manifest.ClientServer) bool {
		l, err := s.Launch()
		return s.Command != "" && err == nil && l.Source && r.ownSource(append([]string{s.Command}, s.Args...))
	})
}

// startsOthers reports whether a configuration of the root's README starts a package of others.
func (r *repo) startsOthers() bool {
	return slices.ContainsFunc(r.configured(), func(s manifest.ClientServer) bool {
		l, err := s.Launch()
		return s.Command != "" && err == nil && l.Identifier != "" && !l.Source && !r.ownPackage(l)
	})
}

// configuresPackage reports whether a configuration of the root's README starts a package or a
// program of the repository, or names the repository.
func (r *repo) configuresPackage() bool {
	return slices.ContainsFunc(r.configured(), func(s manifest.ClientServer) bool {
		l, err := s.Launch()
		return s.Command != "" && (slices.ContainsFunc(s.Args, r.isNamed) || err == nil && r.ownPackage(l) ||
			(err != nil || l.Identifier == "") && r.ownProgram(s.Command))
	})
}

// configuresFolder reports whether a configuration of the root's README names a folder.
func (r *repo) configuresFolder(dir string) bool {
	return slices.ContainsFunc(r.configured(), func(s manifest.ClientServer) bool {
		words := strings.ReplaceAll(strings.Join(s.Args, " ")+"/", `\`, "/")
		_, after, named := strings.Cut(words, "/"+dir)
		return named && !isWordByte(after[0])
	})
}

// isNamed reports whether an argument of a command contains the address of the repository.
func (r *repo) isNamed(arg string) bool {
	owner, name := repoParts(arg)
	return owner != "" && strings.EqualFold(owner, r.snap.Repo.Owner) && strings.EqualFold(name, r.snap.Repo.Name)
}

// configured returns the servers in the configurations of the root's README, without those that the
// repository's program starts.
func (r *repo) configured() []manifest.ClientServer {
	if m := r.unit("").readme; m != nil {
		return slices.DeleteFunc(slices.Clone(m.Servers), r.wraps)
	}
	return nil
}

// wraps reports whether a configuration gives a program of the repository that serves nothing with an
// SDK the command of a server of the reader: "tide-watch node server.js".
func (r *repo) wraps(s manifest.ClientServer) bool {
	l, err := s.Launch()
	words := s.Args
	if err == nil && l.Identifier != "" {
		words = l.Args
	}
	words = words[slices.Index(words, "--")+1:]
	if r.sides.server != "" || len(words) < 2 || !r.ownProgram(s.Command) && (err != nil || !r.ownPackage(l)) {
		return false
	}
	inner, err := shell.ParseCommand(words[0], words[1:])
	return err == nil && (inner.Source || inner.Identifier != "" && !r.ownPackage(inner))
}

// configuresOthers reports whether all configurations of the root's README start packages or
// source of others.
func (r *repo) configuresOthers() bool {
	all := r.configured()
	mayBeOwn := func(s manifest.ClientServer) bool {
		l, err := s.Launch()
		switch {
		case s.Command == "" || err != nil:
			return true
		case l.Identifier != "":
			return r.ownPackage(l)
		}
		return !l.Source || r.ownSource(append([]string{s.Command}, s.Args...))
	}
	return len(all) > 0 && !slices.ContainsFunc(all, mayBeOwn)
}

var (
	sourceFile  = regexp.MustCompile(`\.(?:py|[cm]?[jt]s|jar|dll|rb|php|csproj)$`)
	builtFolder = regexp.MustCompile(`(?:^|/)(?:dist|build|target|out|bin)/`)
)

// startsAnyFile are interpreters whose programs often have no extension.
var startsAnyFile = map[string]bool{"php": true, "ruby": true}

// ownSource reports whether a command starts code of the repository: the files and modules that
// it names are in the listing, were built from it, or there are none.
func (r *repo) ownSource(words []string) bool {
	if r.snap.Files != nil && !slices.ContainsFunc(r.snap.Files, func(f registry.File) bool {
		return paths.Language(f.Path) != "" && isOwn(f.Path)
	}) {
		return false
	}
	named := false
	for i, w := range words {
		w = strings.ReplaceAll(w, `\`, "/")
		switch {
		case i > 0 && words[i-1] == "-m":
			module, _, _ := strings.Cut(w, ".")
			w = module + ".py"
			isNamed := func(dir string) bool { return path.Base(dir) == module }
			if slices.ContainsFunc(slices.Collect(maps.Keys(r.dirs)), isNamed) {
				return true
			}
		case !sourceFile.MatchString(w) && (i != 1 || strings.HasPrefix(w, "-") || !startsAnyFile[words[0]]):
			continue
		}
		named = true
		if r.mayBuild(w) || r.hasFile(w) {
			return true
		}
	}
	return !named
}

// mayBuild reports whether a file in a folder of built files may be the repository's: it builds
// something, and the folder above has no name of another project.
func (r *repo) mayBuild(p string) bool {
	at := builtFolder.FindStringIndex(p)
	if at == nil || !slices.ContainsFunc(r.units, (*unit).builds) {
		return false
	}
	name := path.Base(p[:at[0]])
	above := wordsOf(splitName(name))
	names := []string{r.snap.Repo.Owner, r.snap.Repo.Name}
	for _, u := range r.units {
		names = append(append(names, u.dir), u.names()...)
	}
	return len(above) == 0 || !strings.ContainsAny(name, "-_") || overlap(above, wordsOf(splitName(strings.Join(names, " "))))
}

// hasFile reports whether the listing has a file of the name of a path in a folder of a program, and
// none at the path that is of no program.
func (r *repo) hasFile(p string) bool {
	name := path.Base(p)
	p = path.Clean(p)
	return (!r.files[p] || isOwn(p)) && slices.ContainsFunc(r.snap.Files, func(f registry.File) bool {
		return path.Base(f.Path) == name && paths.File(f.Path) == paths.Own
	})
}

// ownPackage reports whether a command runs a package or an image of the repository. Without any
// source code, it is one that shares a word with the names of the repository.
func (r *repo) ownPackage(l shell.Launch) bool {
	if l.Identifier != "" && !r.hasCode(r.unit("")) &&
		overlap(wordsOf(l.Identifier), wordsOf(r.snap.Repo.Owner+"-"+r.snap.Repo.Name)) {
		return true
	}
	if l.RegistryType == "oci" {
		image, _, _ := strings.Cut(path.Base(l.Identifier), ":")
		return strings.EqualFold(image, r.snap.Repo.Name)
	}
	return l.Identifier != "" && slices.ContainsFunc(r.units, func(u *unit) bool {
		return u.named(l.RegistryType, l.Identifier)
	})
}

// ownProgram reports whether a command has the name of the repository or of a program of it.
func (r *repo) ownProgram(command string) bool {
	name := strings.TrimSuffix(path.Base(strings.ReplaceAll(command, `\`, "/")), ".exe")
	if name == "" {
		return false
	}
	isMain := func(p string) bool { return path.Base(dirOf(p)) == name }
	if strings.EqualFold(name, r.snap.Repo.Name) || slices.ContainsFunc(r.goMains(""), isMain) {
		return true
	}
	return slices.ContainsFunc(r.units, func(u *unit) bool {
		for _, p := range u.packages() {
			if _, ok := p.Programs[name]; ok || strings.EqualFold(p.Name, name) {
				return true
			}
		}
		return false
	})
}

// ownEndpoint reports whether a URL is on the machine of the reader, unless code that was read does
// not serve or is no program, or on a host that is named after the repository or its owner.
func (r *repo) ownEndpoint(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return false
	}
	if ofReader(u) {
		return !r.sides.read || r.sides.serves() && !r.withoutProgram()
	}
	host := strings.ToLower(u.Hostname())
	names := append(wordsOf(r.snap.Repo.Name), wordsOf(r.snap.Repo.Owner)...)
	return slices.ContainsFunc(names, func(w string) bool {
		return len(w) > 3 && strings.Contains(host, strings.ToLower(w))
	})
}

func ofReader(u *url.URL) bool {
	return slices.Contains([]string{"localhost", "127.0.0.1", "0.0.0.0"}, strings.ToLower(u.Hostname()))
}

// isOffered reports whether a configuration of the root's README starts what the repository contains,
// or connects to an endpoint of its owner.
func (r *repo) isOffered() bool {
	return r.startsItself() || slices.ContainsFunc(r.configured(), func(s manifest.ClientServer) bool {
		u, err := url.Parse(s.URL)
		return s.Command == "" && err == nil && !ofReader(u) && r.ownEndpoint(s.URL)
	})
}

// isImported reports whether the repository is a library: the code in the root's README imports a
// package of it, no configuration starts one unless it says that it is an SDK, and no other package
// is a program that serves.
func (r *repo) isImported() bool {
	root := r.unit("")
	if root.readme == nil || r.configuresPackage() && !r.saysSDK() {
		return false
	}
	text, some := r.snap.Texts[root.readmeAt], false
	for _, u := range r.units {
		switch imported := !excluded(u.dir) && r.imports(text, u); {
		case imported:
			some = true
		case u.dir != "" && !excluded(u.dir) && u.sides.serves() && u.runs() && !r.shows(u, text):
			return false
		}
	}
	return some
}

// added matches how a text adds the code of a repository or a package to the reader's project.
var added = regexp.MustCompile(`\.package\(\s*url:\s*"([^"]+)"|\bcomposer require (?:-\S+ )*([\w.-]+/[\w.-]+)|` +
	`\{:(\w+),\s*"[~>=\d]|\bPkg\.add\((?:url\s*=\s*)?"([^"]+)"|\b(?:dart|flutter) pub add (\w+)`)

// isAdded reports whether the root's README adds the repository or its package to the reader's
// project. A package without a manifest that is read is named as the repository.
func (r *repo) isAdded() bool {
	root := r.unit("")
	names := []string{strings.TrimSuffix(r.snap.Repo.Name, ".jl")}
	if root.other != nil {
		names = append(names, root.other.Name)
	}
	for _, m := range added.FindAllStringSubmatch(r.snap.Texts[root.readmeAt], -1) {
		name := cmp.Or(m[1:]...)
		if r.isNamed(name) || root.entry == "" && slices.ContainsFunc(names, func(own string) bool {
			return sameName("pypi", own, name)
		}) {
			return true
		}
	}
	return false
}

// shows reports whether a unit is a program that shows a library of the repository, which a text
// imports.
func (r *repo) shows(u *unit, text string) bool {
	for v := range r.dependsOn(u) {
		if r.imports(text, v) {
			return true
		}
	}
	return false
}

// imports reports whether a text imports a package of a unit that others can import.
func (r *repo) imports(text string, u *unit) bool {
	for i, p := range u.csproj {
		name := cmp.Or(p.Name, strings.TrimSuffix(path.Base(u.csprojAt[i]), ".csproj"))
		if !p.Tool && slices.Contains(addedProject(text), name) {
			return true
		}
	}
	return slices.ContainsFunc(append(u.names(), r.modules(u)...), func(name string) bool {
		ecosystem, pkg, _ := strings.Cut(name, ":")
		if ecosystem == "maven" && strings.Contains(text, "<artifactId>"+pkg+"</artifactId>") {
			return true
		}
		module := moduleOf(ecosystem, pkg)
		if module == "" {
			return false
		}
		found := importForms[ecosystem].imports(module).FindAllString(text, -1)
		return slices.ContainsFunc(found, func(s string) bool {
			return ecosystem != "go" || !strings.Contains(s, "/internal")
		})
	})
}

// addedProject returns the packages of .NET that a text adds to the reader's project.
func addedProject(text string) (out []string) {
	for _, m := range addPackage.FindAllStringSubmatch(text, -1) {
		out = append(out, cmp.Or(m[1:]...))
	}
	return out
}

var addPackage = regexp.MustCompile(`\bdotnet(?: package)? add (?:\S+ )?(?:package )?([\w.]+)|` +
	`<PackageReference Include="([\w.]+)"`)

// modules returns the folders of a unit that are modules of Python or Swift, or packages of a
// virtual machine of Java, as in unit.names.
func (r *repo) modules(u *unit) (out []string) {
	for dir, files := range r.dirs {
		parent, name := path.Dir(dir), path.Base(dir)
		in := func(folder string) bool { return path.Join(u.dir, folder) == parent }
		switch m := javaPackage.FindStringSubmatch(strings.TrimPrefix(dir, prefix(u.dir))); {
		case paths.Folder(dir) != paths.Own:
		case slices.Contains(files, "__init__.py") && (in(".") || in("src")):
			out = append(out, "pypi:"+name)
		case u.otherKind == "swift" && in("Sources"):
			out = append(out, "swift:"+name)
		case m != nil:
			out = append(out, "maven:"+strings.ReplaceAll(m[1], "/", "."))
		}
	}
	return out
}

// javaPackage matches the folder of a package. Its group is the package.
var javaPackage = regexp.MustCompile(`^src/main/(?:java|kotlin|scala)/(\w+(?:/\w+)+)$`)
