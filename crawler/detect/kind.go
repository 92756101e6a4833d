package detect

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/crawler/paths"
	"mcpcensus/crawler/shell"
	"mcpcensus/crawler/source"
	"mcpcensus/internal/registry"
)

// Kinds of repositories without a server.
const (
	kindFramework = "framework" // for writing servers
	kindTemplate  = "template"  // for copying, or a program that writes servers
	kindClient    = "client"    // also a tool for servers
	kindLibrary   = "library"   // for other programs
	kindList      = "list"      // of servers
	kindCourse    = "course"    // also documentation and examples
)

// A repoKind is the kind of a repository without a server of its own.
type repoKind struct {
	name   string // one of the kinds above, "" for none
	text   string // the decisive words
	weight float64
	// decided reports that it follows from code or from several hints.
	decided  bool
	evidence []registry.Evidence
}

var listName = regexp.MustCompile(`(?i)(?:^|[-_.])awesome(?:[-_.]|$)|` +
	`(?:^|[-_.])(?:marketplace|catalog|directory)$|registry$`)

// A kindRule is a hint at a kind.
type kindRule struct {
	kind   string
	weight float64
	byName bool // match names instead of descriptions
	re     *regexp.Regexp
}

// kindRules are hints at the kind of a repository; names make no list of code, and the repository's
// no course of packages. Without code that decides, the highest weight wins; of equal ones, the first.
var kindRules = []kindRule{
	{kindList, 3.5, true, listName},
	{kindTemplate, 3.5, true, templateName},
	{kindFramework, 2.5, true, sdkName},
	{kindCourse, 3.5, true, courseName},
	{kindTemplate, 2.5, false, templateRE},
	{kindFramework, 2.5, false, sdkRE},
	{kindClient, 1, false, clientRE},
}

// manyLinks is the number of linked repositories that makes a README a list.
const manyLinks = 40

// hints are the hints at the kind of a repository.
type hints struct {
	best    repoKind            // of the highest weight
	sources map[string][]string // by kind: "name", "words" or "files"
}

func (h *hints) add(kind, source string, weight float64, text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	if !slices.Contains(h.sources[kind], source) {
		h.sources[kind] = append(h.sources[kind], source)
	}
	if weight > h.best.weight {
		h.best = repoKind{name: kind, text: text, weight: weight}
	}
}

// hints returns the hints at the kind of the repository in names, descriptions and files.
func (r *repo) hints() hints {
	h := hints{sources: map[string][]string{}}
	about, root := r.about, r.unit("")
	if root.readme != nil { // the first headings are descriptions, too
		headings := root.readme.Headings
		about += "\n" + strings.ToLower(strings.Join(headings[:min(len(headings), 3)], "\n"))
	}
	names := []string{r.snap.Repo.Name}
	for _, n := range r.rootNames() {
		names = append(names, path.Base(n[strings.IndexByte(n, ':')+1:]))
	}
	for _, rule := range kindRules {
		if !rule.byName {
			h.add(rule.kind, "words", rule.weight, rule.re.FindString(about))
			continue
		}
		for i, name := range names {
			if (rule.kind != kindCourse || i > 0 || len(names) == 1) && (rule.kind != kindList || !r.sides.read) {
				h.add(rule.kind, "name", rule.weight, rule.re.FindString(name))
			}
		}
	}
	h.add(kindCourse, "files", 2, r.lessons())
	return h
}

// generatorSettings are files that only generators of projects read.
var generatorSettings = []string{"cookiecutter.json", "copier.yml", "copier.yaml",
	"cargo-generate.toml", ".template.config/template.json"}

// generatorFile returns a file that only a generator of projects reads, "" if there is none: a path
// with names to fill in, or its settings at the root or in a folder that has all code that serves.
func (r *repo) generatorFile() string {
	for _, f := range r.snap.Files {
		first, _, _ := strings.Cut(f.Path, "/")
		if strings.Contains(first, "{{") || slices.ContainsFunc(generatorSettings, func(name string) bool {
			dir, is := strings.CutSuffix("/"+f.Path, "/"+name)
			return is && (dir == "" || r.servesOnlyIn(dir[1:]))
		}) {
			return f.Path
		}
	}
	return ""
}

// servesOnlyIn reports whether code serves, and all of it that does is in some folders.
func (r *repo) servesOnlyIn(folders ...string) bool {
	return len(r.serving) > 0 && !slices.ContainsFunc(r.serving, func(p string) bool {
		return !slices.ContainsFunc(folders, func(dir string) bool { return strings.HasPrefix(p, dir+"/") })
	})
}

// isUnnamed reports whether the repository or a package at its root has a name that stands for the
// reader's own and has no subject: "my-mcp-server", "PROJECT_NAME", "mcp-server-template".
func (r *repo) isUnnamed() bool {
	return ofTemplates(r.snap.Repo.Name) || slices.ContainsFunc(r.rootNames(), func(n string) bool {
		name := path.Base(n[strings.IndexByte(n, ':')+1:])
		_, rest, some := strings.Cut(name, "-")
		return some && shell.IsPlaceholder(name) && isGeneric(strings.TrimSuffix(rest, "-name")) ||
			filledIn.MatchString(name) || ofTemplates(name)
	})
}

// filledIn matches names that a program replaces.
var filledIn = regexp.MustCompile(`^[A-Z0-9]+(?:_[A-Z0-9]+)+$|^__\w+__$|[{}<>]`)

// ofTemplates reports whether a name says that something is a template, and of nothing else.
func ofTemplates(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return strings.ContainsRune("-_.", c) })
	rest := slices.DeleteFunc(words, func(w string) bool { return templateName.MatchString("mcp-" + w) })
	return templateName.MatchString(name) && isGeneric(strings.Join(rest, "-"))
}

// numberedFolder matches the names of folders with a number, such as those of lessons in any
// language. Its groups are what precedes the number, and the number.
var numberedFolder = regexp.MustCompile(`^([\pL\pM_. -]*?)0*(\d{1,2})(?:$|[^\d])`)

// numbered returns the first numbered folder of a path, its number, and its series: the folder above
// and what precedes the number; "" if there is none. Versions are not numbered.
func numbered(p string) (series, folder string, n int) {
	parts := strings.Split(p, "/")
	for i, name := range parts[:min(len(parts)-1, 3)] {
		m := numberedFolder.FindStringSubmatch(name)
		if m != nil && !strings.EqualFold(strings.Trim(m[1], "_. -"), "v") {
			n, _ = strconv.Atoi(m[2])
			return path.Join(append(parts[:i:i], strings.ToLower(m[1])+"#")...), path.Join(parts[:i+1]...), n
		}
	}
	return "", "", 0
}

// longestSeries returns the longest series of folders with one of the files that are numbered one
// after the other, nil if there are none.
func longestSeries(files iter.Seq[string]) (longest []string) {
	all := map[string]map[int]string{}
	for f := range files {
		if series, folder, n := numbered(f); folder != "" {
			if all[series] == nil {
				all[series] = map[int]string{}
			}
			all[series][n] = cmp.Or(all[series][n], folder)
		}
	}
	for _, series := range slices.Sorted(maps.Keys(all)) {
		var out []string
		for _, n := range slices.Sorted(maps.Keys(all[series])) {
			if all[series][n-1] != "" || all[series][n+1] != "" {
				out = append(out, all[series][n])
			}
		}
		if len(out) > len(longest) {
			longest = out
		}
	}
	return longest
}

// lessons returns the names of folders with code that are numbered as in a course, "" if there
// are fewer than two.
func (r *repo) lessons() string {
	found := longestSeries(func(yield func(string) bool) {
		for _, f := range r.snap.Files {
			if (sidesLanguage(f.Path) != "" || isManifest(f.Path)) && paths.File(f.Path) < paths.Test &&
				!yield(f.Path) {
				return
			}
		}
	})
	return strings.Join(found[:min(len(found), 2)], ", ")
}

// servesInLessons reports whether all code that serves is in a series of numbered folders, and the
// root has no program.
func (r *repo) servesInLessons() bool {
	lessons := longestSeries(slices.Values(r.serving))
	return r.servesOnlyIn(lessons...) && len(r.unit("").registryNames()) == 0
}

// kind returns the kind of the repository if it is not a server. What its code does decides
// before names and descriptions, except that templates and courses contain the code of servers.
func (r *repo) kind() repoKind {
	h := r.hints()
	k := r.decide(&h)
	serves := r.sides.serves() && (h.best.name != kindTemplate || r.describedAsServer() && !r.startsOther())
	if k.name == "" && !serves && !r.configuresItself() {
		k = h.best
	}
	if k.name != "" {
		ref := cmp.Or(r.unit("").readmeAt, "description")
		k.evidence = []registry.Evidence{{Type: "file", Ref: ref, Text: k.text}}
	}
	return k
}

// decide returns the kind that follows from code or from several hints.
func (r *repo) decide(h *hints) repoKind {
	own := r.configuresItself() && r.hasCode(r.unit(""))
	offered, published := own && r.isOffered(), own && r.configuresPackage()
	links := r.linkedRepositories()
	switch {
	case r.ownSDK() != "":
		return decided(kindFramework, r.ownSDK())
	case r.sides.onlyConnects(), r.startsClient(), r.hasOnlySkills():
		return decided(kindClient, cmp.Or(r.sides.client, skillFile))
	case r.generatorFile() != "":
		return decided(kindTemplate, r.generatorFile())
	case r.isUnnamed(), h.several(kindTemplate, offered, published), r.isStarter(h):
		return decided(kindTemplate, "it is a template")
	case h.several(kindFramework, offered || r.describedAsServer(), published):
		return decided(kindFramework, "it is an SDK")
	case h.several(kindCourse, offered, published), r.servesInLessons():
		return decided(kindCourse, cmp.Or(r.lessons(), "it is a course"))
	case links >= manyLinks && !r.sides.serves() && (r.sides.read || r.sdkless()):
		return decided(kindList, fmt.Sprintf("links to %d other repositories", links))
	}
	return r.decideByCode(h, own)
}

// isStarter reports whether the code host says that the repository is a template, or its own words
// say so of what is added to a project.
func (r *repo) isStarter(h *hints) bool {
	return r.snap.Repo.Template && r.unit("").server == nil || len(h.sources[kindTemplate]) > 0 && r.isAdded()
}

func decided(kind, text string) repoKind {
	return repoKind{name: kind, text: text, weight: 4, decided: true}
}

// several reports whether there are two hints at a kind, or a name that nothing which the
// repository offers contradicts. They never outweigh the configuration of a package of the repository.
func (h *hints) several(kind string, offered, published bool) bool {
	of := h.sources[kind]
	return !published && (len(of) > 1 || len(of) == 1 && of[0] == "name" && !offered)
}

// decideByCode returns the kind that follows from the sides that code uses. own is whether a
// configuration starts what the repository contains.
func (r *repo) decideByCode(h *hints, own bool) repoKind {
	switch {
	case r.isLibrary(), !own && r.isAdded(), r.isImported() && (r.saysSDK() || !r.startsServer()):
		switch root := r.onStart(r.unit("")); {
		case root.onlyConnects():
			return decided(kindClient, root.client)
		case r.sides.serves():
			return decided(kindFramework, "programs import it")
		}
		return decided(kindLibrary, "programs import it")
	case r.isClient(h), r.onlyWraps():
		return decided(kindClient, cmp.Or(r.sides.client, h.best.text, "it starts servers of others"))
	case r.sides.serves() && !own && r.withoutProgram() && r.unit("").readme != nil &&
		(!r.describedAsServer() || r.isModule()):
		return decided(kindFramework, "it has no program to start")
	}
	return repoKind{}
}

// startsServer reports whether the repository has a program that serves, or is described as one, unless
// the root is a package and no code serves.
func (r *repo) startsServer() bool {
	unserved := !r.sides.serves() && len(r.rootNames()) > 0 && r.readFully(r.unit(""), true)
	described := r.describedAsServer() && !unserved
	return r.readmeStarts() || r.hasProgram() && (described || r.onStart(r.units...).serves())
}

// onlyWraps reports whether the root's README configures the repository's program only with commands of
// the reader's servers.
func (r *repo) onlyWraps() bool {
	m := r.unit("").readme
	return m != nil && slices.ContainsFunc(m.Servers, r.wraps) && !r.configuresItself()
}

// skillFile describes what an agent can do with tools, its own or those of servers.
const skillFile = "SKILL.md"

// hasOnlySkills reports whether the repository contains skills of agents, and neither code beside them
// nor anything that serves, or is published or described as a server. Skills in hidden folders are for
// its developers.
func (r *repo) hasOnlySkills() bool {
	if r.sides.serves() || r.describedAsServer() || r.snap.FilesTruncated {
		return false
	}
	var skills []string
	for _, f := range r.snap.Files {
		if path.Base(f.Path) == skillFile && !strings.HasPrefix(f.Path, ".") {
			skills = append(skills, prefix(dirOf(f.Path)))
		}
	}
	return skills != nil && !slices.ContainsFunc(r.units, func(u *unit) bool {
		return !u.empty() || u.server != nil || u.bundle != nil
	}) && !slices.ContainsFunc(r.snap.Files, func(f registry.File) bool {
		inSkill := func(dir string) bool { return strings.HasPrefix(f.Path, dir) }
		return paths.Language(f.Path) != "" && isOwn(f.Path) && !slices.ContainsFunc(skills, inSkill)
	})
}

// startsOther reports whether the root is a program that does not serve, unlike others below it.
func (r *repo) startsOther() bool {
	root := r.unit("")
	return root.entry != "" && root.sides.read && !root.sides.serves()
}

// startsClient reports whether the root is a program that only connects to servers, whatever else
// the repository contains.
func (r *repo) startsClient() bool {
	root := r.unit("")
	return root.entry != "" && !r.describedAsServer() && !r.configuresPackage() &&
		(root.code.onlyConnects() || r.onStart(root).onlyConnects())
}

// isClient reports whether a repository with code of both sides is a client: it says so, or
// nothing says that it is started as a server.
func (r *repo) isClient(h *hints) bool {
	of := h.sources[kindClient]
	servers := slices.DeleteFunc(r.serversBelow(), func(u *unit) bool {
		return u.entry == "" || u.sides.client != "" || !u.code.serves() && r.readFully(u, false)
	})
	switch {
	case !r.sides.serves() || r.sides.client == "", len(servers) > 1:
		return false
	case r.configuresPackage(), r.describedAsServer():
		return false
	case r.startsOthers():
		return true
	case r.startsItself():
		return false
	}
	return slices.Contains(of, "words") || !r.unit("").listsTools()
}

func (r *repo) describedAsServer() bool { return r.saysProxy() || r.saysServer() }

func (r *repo) saysServer() bool {
	return serverRE.MatchString(ofItself(r.about))
}

// saysSDK reports whether the repository says that it is an SDK or a framework, and not a server.
func (r *repo) saysSDK() bool { return sdkRE.MatchString(r.about) && !r.describedAsServer() }

// ofItself returns a description without phrases about writing and using servers, about servers in
// general and about what is for servers instead of one, as in "MCP server library".
func ofItself(words string) string {
	for _, re := range []*regexp.Regexp{sdkRE, clientRE, pluralServers, forServers} {
		words = re.ReplaceAllString(words, " ")
	}
	return words
}

var (
	pluralServers = regexp.MustCompile(`(?i)\b` + protocolNames + `(?:\s*\(` + protocolNames + `\))?[ -]servers\b`)
	forServers    = regexp.MustCompile(`(?i)\b` + protocolNames + `[ -]servers? ` +
		`(?:librar(?:y|ies)|sdk|framework|toolkit)\b`)
)

const protocolNames = `(?:mcp|model[ -]context[ -]protocol)`

// saysProxy reports whether the repository is named as a proxy.
func (r *repo) saysProxy() bool {
	name := r.snap.Repo.Name
	if m := r.unit("").readme; m != nil {
		name += "\n" + m.Title
	}
	return proxyRE.MatchString(name)
}

// withoutProgram reports whether nothing can be started or is loaded by an application.
func (r *repo) withoutProgram() bool {
	return !r.hasProgram() && !r.isPlugin()
}

// mainType matches the head of the type with which a program in Swift starts, perhaps a compiler's.
var mainType = regexp.MustCompile(`(?m)^@main\b[^{]*`)

// hasProgram reports whether a manifest, a main file, the README or a type says that something in
// the repository can be started.
func (r *repo) hasProgram() bool {
	for p, text := range r.snap.Texts {
		if sidesLanguage(p) == "Swift" && isOwn(p) {
			head := mainType.FindString(source.CodeOf(p, text))
			if head != "" && !strings.Contains(head, "CompilerPlugin") {
				return true
			}
		}
	}
	return r.readmeStarts() || len(r.folderServers()) > 1 || slices.ContainsFunc(r.units, func(u *unit) bool {
		return u.entry != "" && u.entry != r.scriptEntry(u) && !excluded(u.dir)
	})
}

// pluginFiles are files in which an application finds what it loads, relative to resources.
var pluginFiles = regexp.MustCompile(`(?:^|/)(?:META-INF/(?:plugin|(?:neoforge\.)?mods)\.(?:xml|toml)|` +
	`fabric\.mod\.json|plugin\.yml|paper-plugin\.yml|custom_components/[^/]+/manifest\.json|` +
	`__manifest__\.py|modules\.txt)$`)

// contributes matches what a package of npm adds to an editor that loads it.
var contributes = regexp.MustCompile(`"(?:contributes|contributions)"\s*:\s*\{`)

// pluginClass matches a class that an application loads, by what it is derived from.
var pluginClass = regexp.MustCompile(`\bclass\s+\w+[^{;]*?(?:\bimplements\b|\bextends\b|:)[^{;<]*?` +
	`\b((?:[A-Z]\w*)?(?:Plugin|Extension|AddIn|ModInitializer|BundleActivator))\b[^{;<]*\{`)

// isPlugin reports whether an application loads the repository's program: a file or a class says
// so. The class is derived from one of the application, not of the repository.
func (r *repo) isPlugin() bool {
	if slices.ContainsFunc(r.snap.Files, func(f registry.File) bool {
		return paths.Folder(dirOf(f.Path)) == paths.Own && pluginFiles.MatchString(f.Path)
	}) || contributes.MatchString(r.snap.Texts["package.json"]) {
		return true
	}
	for p, text := range r.snap.Texts {
		if l := sidesLanguage(p); isOwn(p) && (l == "Java" || l == "C#") {
			m := pluginClass.FindStringSubmatch(source.CodeOf(p, text))
			if m != nil && !r.hasFile(m[1]+path.Ext(p)) {
				return true
			}
		}
	}
	return false
}

// isLibrary reports whether the root is a package of npm for programs that import it.
func (r *repo) isLibrary() bool {
	root := r.unit("")
	return root.npm != nil && root.npm.Library && r.withoutProgram() && !r.configuresPackage()
}

// isModule reports whether the root is a package that other programs load: its manifest would say
// how a program starts, and does not.
func (r *repo) isModule() bool {
	root := r.unit("")
	return root.otherKind == "swift" || root.gomod != nil && root.entry == "" ||
		root.npm != nil && (root.entry == "" || r.isLibrary()) ||
		root.py != nil && root.py.Name != "" && root.entry == "" && !r.startsByName()
}

// readmeStarts reports whether a command of the root's README starts a file of Python that serves.
func (r *repo) readmeStarts() bool {
	root := r.unit("")
	return root.readme != nil && slices.ContainsFunc(root.readme.Commands, func(l shell.Launch) bool {
		return l.Source && slices.ContainsFunc(strings.Fields(l.Line), func(w string) bool {
			p := cmp.Or(r.sourceOf(root, w), r.sourceOf(root, w+":"))
			return isMain(p, r.snap.Texts[p]) && r.reachesServer(p) && !(dirOf(p) == "" && root.importsOwn(r.snap.Texts[p]))
		})
	})
}

// importsOwn reports whether code imports the package that the unit's manifest builds, as examples do.
func (u *unit) importsOwn(text string) bool {
	return u.py != nil && u.py.Name != "" &&
		importForms["pypi"].imports(moduleOf("pypi", u.py.Name)).MatchString(text)
}

// startsByName reports whether a file of Python starts a server if it is not imported.
func (r *repo) startsByName() bool {
	root := r.unit("")
	for p := range r.snap.Texts {
		isExample := dirOf(p) == "" && root.importsOwn(r.snap.Texts[p])
		if isMain(p, r.snap.Texts[p]) && !isExample && r.reachesServer(p) {
			return true
		}
	}
	return false
}

// servesByName reports whether a file of Python serves itself if it is not imported.
func (r *repo) servesByName(p string) bool {
	return isMain(p, r.snap.Texts[p]) && r.sidesAt(p).serves()
}

// isMain reports whether a file of Python is one of a program that does something if it is started.
func isMain(p, text string) bool {
	return sidesLanguage(p) == "Python" && isOwn(p) && mainGuard.MatchString(text)
}

// mainGuard matches what a file of Python does if it is started instead of imported.
var mainGuard = regexp.MustCompile(`(?m)^if\s+__name__\s*==`)

// ownSDK returns the name of a package at the root that is an SDK, or elsewhere one of a framework that is
// named as the repository; "" if there is none.
func (r *repo) ownSDK() string {
	for _, name := range r.rootNames() {
		if ecosystem, pkg, _ := strings.Cut(name, ":"); isSDK(ecosystem, pkg) {
			return pkg
		}
	}
	for _, u := range r.units {
		if pkg := u.framework(); pkg != "" && strings.EqualFold(pkg, r.snap.Repo.Name) {
			return pkg
		}
	}
	return ""
}

// framework returns the name of a unit's package that is a framework for servers, "" for others. An
// SDK's name may be the one of anybody's folder.
func (u *unit) framework() string {
	for _, name := range u.names() {
		ecosystem, pkg, _ := strings.Cut(name, ":")
		if isSDK(ecosystem, pkg) && sdkPackages[ecosystem][strings.ToLower(pkg)].rank == 1 {
			return pkg
		}
	}
	return ""
}

// rootNames returns the names of the packages at the root, as in unit.names, in all ecosystems.
func (r *repo) rootNames() []string {
	root := r.unit("")
	names := root.names()
	if root.other != nil && root.other.Name != "" {
		names = append(names, root.otherKind+":"+root.other.Name)
	}
	return names
}

// linkedRepositories returns the number of third-party repositories that the README links to.
func (r *repo) linkedRepositories() int {
	m := r.unit("").readme
	if m == nil {
		return 0
	}
	seen := map[string]bool{}
	for _, l := range m.Links {
		if o, n := repoParts(l); o != "" && !strings.EqualFold(o, r.snap.Repo.Owner) {
			seen[strings.ToLower(o+"/"+n)] = true
		}
	}
	return len(seen)
}

// sdkless reports whether no unit of the repository uses an SDK.
func (r *repo) sdkless() bool {
	return !slices.ContainsFunc(r.units, func(u *unit) bool { return u.sdk.pkg != "" })
}

// contains reports whether repositories of a kind contain code of servers that are not theirs.
func (k repoKind) contains() bool {
	return slices.Contains([]string{kindTemplate, kindCourse, kindList}, k.name) &&
		(k.decided || k.weight >= 2.5)
}

// kindReasons are the reasons why repositories of a kind have no servers.
var kindReasons = map[string]string{
	kindList:      "this is a list of MCP servers, not a server",
	kindFramework: "this is a framework for writing MCP servers, not a server",
	kindTemplate:  "this is a template or generator of MCP servers, not a server",
	kindLibrary:   "this is a library for other programs, not a server",
	kindCourse:    "this is a course, documentation or examples, not a server",
	kindClient:    "this is a client of MCP servers or a tool for them, not a server",
}

// reason returns why a repository of this kind has no servers.
func (k repoKind) reason(r *repo) string {
	words := strings.ToLower(r.about + r.sample)
	switch {
	case k.name != "":
		return kindReasons[k.name]
	case slices.ContainsFunc(r.units, func(u *unit) bool { return u.sdk.pkg != "" && !excluded(u.dir) }):
		return "it uses an MCP SDK, but no server was found in it"
	case !strings.Contains(words+strings.ToLower(r.snap.Repo.Name), "mcp") && !strings.Contains(words, protocolName):
		return "no sign of the Model Context Protocol was found"
	}
	return "it is about the Model Context Protocol, but no server was found in it"
}

// sides returns the sides that the code of a server uses. That of the only one is all code of the
// repository, without other programs. It connects to servers only if its programs do, where their
// code is known as a whole.
func (c *candidate) sides() sides {
	s := c.unit.sides
	for _, v := range c.repo.units {
		if c.alone && v.entry == "" && !excluded(v.dir) {
			s.add(v.code)
		}
	}
	if c.repo.files[s.client] {
		reached, open := c.repo.reach(c.repo.mainFiles(c.unit))
		if run := c.repo.sidesIn(reached); len(open) == 0 && run.serves() {
			s.client = run.client
		}
	}
	return s
}

// connects reports whether the code of a server also connects to servers.
func (c *candidate) connects() bool { return c.sides().serves() && c.sides().client != "" }

// kind returns whether a server is a proxy: its code also connects to servers, and no tools of its
// own are known or its names or descriptions say that it is one. Without an SDK, it sends their requests or says that it
// is one for servers.
func (c *candidate) kind(d *registry.Detection) string {
	words, s := append(c.unit.descriptions(), c.readme.Title, c.repo.snap.Repo.Name), c.sides()
	none := len(d.Tools) == 0
	says := slices.ContainsFunc(words, proxyRE.MatchString) || none && proxyRE.MatchString(c.readme.Summary)
	words = append(words, c.readme.Summary)
	forServers := func(text string) bool { return proxyRE.MatchString(text) && pluralServers.MatchString(text) }
	if s.passesOn(says, none) || slices.ContainsFunc(words, forServers) {
		return registry.KindProxy
	}
	return registry.KindServer
}

// passesOn reports whether code passes requests on to servers. says is whether it says so, and none
// whether it has no tools of its own.
func (s sides) passesOn(says, none bool) bool {
	if !s.serves() {
		return says && none
	}
	return s.client != "" && (says || none) || says && (s.asks != "" || none && s.server == "" && s.passes != "")
}

// ownRepo reports whether the repository is about its only server, so that the server's folder is
// a detail.
func (r *repo) ownRepo(k repoKind) bool {
	named := strings.Contains(strings.ToLower(r.snap.Repo.Name), "mcp")
	return k.weight < 2.5 && (named || serverRE.MatchString(r.about))
}
