package detect

import (
	"cmp"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/crawler/dockerrun"
	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/manifest/readme"
	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/shell"
	"mcpcensus/internal/hosts"
	"mcpcensus/internal/oci"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/words"
)

// launched returns this server's packages in the README, client configurations and badges, in
// the order in which clients prefer their registries.
func (c *candidate) launched() []shell.Launch {
	all := c.launches()
	local := c.localImages()
	var out []shell.Launch
	for _, l := range all {
		if l.RegistryType == "oci" && local[strings.ToLower(l.Identifier)] && !hasHost(l.Identifier) {
			continue
		}
		if c.ours(l) {
			out = append(out, l)
		}
	}
	out = c.withoutSiblings(out)
	if len(out) == 0 && c.alone && !c.unit.hasName() && !c.superseded() {
		out = slices.DeleteFunc(onlyOfKind(all), c.isUnbuilt)
	}
	slices.SortStableFunc(out, func(a, b shell.Launch) int {
		order := registry.RegistryTypes
		return slices.Index(order, a.RegistryType) - slices.Index(order, b.RegistryType)
	})
	return out
}

// withoutSiblings returns packages without those of registries of which one is built here, unless
// a manifest or the official registry names them, too: they are of the owner's other projects.
// Images have names of their own.
func (c *candidate) withoutSiblings(all []shell.Launch) []shell.Launch {
	built := map[string]bool{}
	for _, l := range all {
		built[l.RegistryType] = built[l.RegistryType] ||
			l.RegistryType != "oci" && c.builds(l.RegistryType, l.Identifier)
	}
	return slices.DeleteFunc(all, func(l shell.Launch) bool {
		return built[l.RegistryType] && !c.builds(l.RegistryType, l.Identifier) && !c.isListed(l.Identifier)
	})
}

// launches returns all packages in commands and configurations, without those that are only asked for
// help if there are others.
func (c *candidate) launches() []shell.Launch {
	var all []shell.Launch
	add := func(l shell.Launch) {
		if l.RegistryType != "" && l.Identifier != "" && !l.Source && !shell.IsBridge(l.Identifier) &&
			!installs(l) && !isLocal(l) {
			all = append(all, l)
		}
	}
	installed := map[string]bool{} // npm packages installed by name
	for _, l := range slices.Concat(c.readme.Commands, c.readme.Badges) {
		add(l)
		if l.RegistryType == "npm" && installs(l) {
			installed[l.Identifier] = true
		}
	}
	for _, s := range c.extensions() {
		if l, err := s.Launch(); err == nil {
			add(l)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(installed)) {
		if c.unit.named("npm", id) {
			all = append(all, shell.Launch{RegistryType: "npm", Identifier: id})
		}
	}
	if starts := slices.DeleteFunc(slices.Clone(all), asksForHelp); len(starts) > 0 {
		return starts
	}
	return all
}

// asksForHelp reports whether an option makes the program describe itself instead of starting.
func asksForHelp(l shell.Launch) bool { return slices.ContainsFunc(l.Args, informs.MatchString) }

// installs reports whether a command installs a package rather than running it.
func installs(l shell.Launch) bool {
	return l.Runner == "npm" || l.Runner == "pnpm" || l.Runner == "yarn"
}

// localImages returns the images that the README builds and does not pull, in lower case.
func (c *candidate) localImages() map[string]bool {
	out := map[string]bool{}
	for _, i := range c.readme.LocalImages {
		name, _ := shell.SplitImage(i)
		out[strings.ToLower(name)] = true
	}
	for _, l := range c.readme.Commands {
		if l.RegistryType == "oci" && !l.Runs && !l.Source {
			delete(out, strings.ToLower(l.Identifier))
		}
	}
	return out
}

// hasHost reports whether the name of an image begins with its registry's host.
func hasHost(image string) bool {
	host, _, _ := strings.Cut(image, "/")
	return strings.Contains(host, ".")
}

// isLocal reports whether an image is of a registry without a public host name, on the machine or in
// the network of the reader: "localhost:5000/tides".
func isLocal(l shell.Launch) bool {
	img, err := oci.Parse(l.Identifier, "")
	return l.RegistryType == "oci" && err == nil && hosts.KindOf(img.Host) != hosts.Public
}

// onlyOfKind returns the packages that are the only ones of their registry, for servers without a
// manifest to compare names with.
func onlyOfKind(all []shell.Launch) (out []shell.Launch) {
	kinds := map[string][]shell.Launch{}
	for _, l := range all {
		if k := kinds[l.RegistryType]; k == nil && hasMCP(l.Identifier) || k != nil && k[0].Identifier != l.Identifier {
			kinds[l.RegistryType] = append(k, l)
		}
	}
	for _, k := range registry.RegistryTypes {
		if len(kinds[k]) == 1 {
			out = append(out, kinds[k]...)
		}
	}
	return out
}

// superseded reports whether the README declares the server deprecated. Its examples may then
// start the successor.
func (c *candidate) superseded() bool {
	return c.readme.Deprecation == readme.DeprecationDeclared
}

// ours reports whether a package is this server. For a deprecated server, a mention in a text is
// not enough.
func (c *candidate) ours(l shell.Launch) bool {
	u := c.unit
	if u.named(l.RegistryType, l.Identifier) {
		return true
	}
	for _, v := range c.repo.units {
		if v != u && v.named(l.RegistryType, l.Identifier) {
			// Wrappers of another kind in the same repository publish this server. The
			// package of a sibling server does not.
			return c.alone || u.dir != "" && strings.HasPrefix(v.dir, prefix(u.dir)) || u.dir == "" &&
				v.reason == ""
		}
	}
	if c.isListed(l.Identifier) {
		return true
	}
	if r := &c.repo.snap.Repo; c.superseded() { // its image shares a word with its names or has the repository's name
		return l.RegistryType == "oci" && (overlap(c.ownWords(), wordsOf(path.Base(l.Identifier))) ||
			strings.HasSuffix(strings.ToLower(l.Identifier), "/"+strings.ToLower(r.Owner+"/"+r.Name)))
	}
	return c.sharesName(l)
}

// sharesName reports whether the name of a package contains a word of the server's names, or has
// the owner's namespace.
func (c *candidate) sharesName(l shell.Launch) bool {
	words := wordsOf(l.Identifier)
	// Images of other programs, such as a database, run without standard input.
	if l.RegistryType == "oci" && l.Runs && !hasMCP(l.Identifier) &&
		!slices.ContainsFunc(l.Runtime, interactive.MatchString) {
		return false
	}
	if !c.own {
		return overlapAll(wordsOf(c.unit.dir), words)
	}
	if l.RegistryType == "oci" {
		if strings.EqualFold(path.Base(path.Dir(l.Identifier)), c.repo.snap.Repo.Owner) {
			return true
		}
		words = wordsOf(path.Base(l.Identifier))
	}
	scope, _, scoped := strings.Cut(strings.TrimPrefix(l.Identifier, "@"), "/")
	if scoped && strings.HasPrefix(l.Identifier, "@") && strings.EqualFold(scope, c.repo.snap.Repo.Owner) {
		return true
	}
	return overlap(c.ownWords(), words) && !c.isUnbuilt(l)
}

// isUnbuilt reports whether no manifest of the repository, which has others, is of the ecosystem of
// a package, and that is named after a repository of others that the README links, or its name and
// the repository's do not contain each other: the command may start what the repository replaces.
func (c *candidate) isUnbuilt(l shell.Launch) bool {
	r, name := c.repo, path.Base(l.Identifier)
	known := slices.Contains(slices.Collect(maps.Values(ecosystems)), l.RegistryType)
	if !known || len(r.ecosystems) == 0 || r.ecosystems[l.RegistryType] {
		return false
	}
	a, b := plainName(name), plainName(r.snap.Repo.Name)
	return !strings.Contains(a, b) && !strings.Contains(b, a) ||
		slices.ContainsFunc(c.readme.Links, func(link string) bool {
			_, linked := repoParts(link)
			return strings.EqualFold(linked, name) && !r.here(link)
		})
}

// plainName returns the words of a name in lower case, without separators and the protocol.
func plainName(name string) string {
	return strings.Join(slices.DeleteFunc(words.Fields(strings.ToLower(name)), func(w string) bool {
		return w == "mcp" || w == "server"
	}), "")
}

// readsPipe reports whether a command runs a container that reads its standard input, which is no
// terminal.
func readsPipe(l shell.Launch) bool {
	return l.RegistryType == "oci" && slices.ContainsFunc(l.Runtime, interactive.MatchString) &&
		!slices.ContainsFunc(dockerrun.Parse(l.Runtime).Options, isTerminal)
}

func isTerminal(o dockerrun.Option) bool { return o.Name == "tty" }

// interactive matches the option of a container that keeps its standard input open.
var interactive = regexp.MustCompile(`^(?:-[a-zA-Z]*i[a-zA-Z]*|--interactive(?:=true)?)$`)

// isListed reports whether the official registry or server.json names a
// package.
func (c *candidate) isListed(id string) bool {
	return slices.ContainsFunc(c.unit.listings(), func(l *registry.Listing) bool {
		return slices.ContainsFunc(l.Packages, func(p registry.Package) bool {
			return strings.EqualFold(p.Identifier, id)
		})
	})
}

// ownWords returns the words in the names of the repository and the unit, or those in the
// README's title if they have none.
func (c *candidate) ownWords() []string {
	own := wordsOf(c.repo.snap.Repo.Name)
	for _, n := range c.unit.names() {
		own = append(own, wordsOf(n[strings.IndexByte(n, ':')+1:])...)
	}
	own = append(own, wordsOf(c.unit.dir)...)
	if len(own) == 0 {
		own = wordsOf(c.readme.Title)
	}
	return own
}

// maxConfigurations is the maximum number of configurations of one package.
const maxConfigurations = 12

// configurations returns the configurations that start a package, from the README or else from
// the repository's files or the root's README. Programs that the runner starts by the name of the
// package, and those that it does not have, are not named. Runners without options of their own are
// the usual one if the README runs the package with that, too. named reports whether they name the
// package.
func (c *candidate) configurations(
	p *registry.Package,
) (out []registry.Configuration, named bool) {
	out, named = c.configured(p)
	all := c.programs(p)
	usual, key := byPackage(p, all), PackageMark(p.RegistryType, p.Identifier)
	runner := registry.Programs[p.RegistryType]
	runs := slices.ContainsFunc(c.readme.Commands, func(l shell.Launch) bool {
		return l.Runs && l.Program() == runner && PackageMark(l.RegistryType, l.Identifier) == key
	})
	known, reads := c.knownValues()
	for i := range out {
		if known != nil {
			out[i] = settings.WithoutOwn(out[i], known, reads)
		}
		if script := out[i].Script; usual != "" && (all[script] == "" || all[script] == all[usual]) {
			out[i].Script = ""
		}
		if runs && !slices.ContainsFunc(out[i].Runtime, func(a registry.Argument) bool { return a.Value != "-y" }) {
			out[i].Command = runner
		}
	}
	return out, named
}

func (c *candidate) configured(p *registry.Package) (out []registry.Configuration, named bool) {
	key := PackageMark(p.RegistryType, p.Identifier)
	if root := c.repo.unit("").readme; root != nil && root != c.readme {
		out = starting(key, root.Servers, false)
	}
	fetched := slices.ContainsFunc(c.readme.Servers, c.isFetched) ||
		slices.ContainsFunc(c.readme.Commands, func(l shell.Launch) bool { return l.Source })
	for i, found := range [][]registry.Configuration{
		starting(key, c.readme.Servers, false),
		starting(key, c.readme.Servers, true), // links are often older than the text
		c.installed(p, c.readme.Servers, false),
		starting(key, c.extensions(), false),
		out,
	} {
		if len(found) > 0 { // a source that is fetched is not a package
			return found[:min(len(found), maxConfigurations)], i != 2 || !fetched
		}
	}
	lines, _ := c.shellLines(p)
	out = c.installed(p, c.extensions(), false)
	if len(out) == 0 { // a local start names no package, but the server's arguments
		out = c.installed(p, c.readme.Servers, true)
	}
	if len(out) == 0 {
		out = lines
	}
	if command, _ := c.groupCommand(p); len(out) == 0 && command != "" {
		out = []registry.Configuration{{Command: registry.Programs[p.RegistryType],
			Args: []registry.Argument{{Type: "positional", Value: command}}}}
	}
	named = len(lines) > 0 && (!fetched || c.readmeLaunches(p.RegistryType, p.Identifier))
	return out[:min(len(out), maxConfigurations)], named
}

// starting returns the configurations or links that start the package with a key, those with
// stdio transport if there are any.
func starting(key string, list []manifest.ClientServer, link bool) []registry.Configuration {
	var out, bare []registry.Configuration
	for _, s := range list {
		conf, l, ok := manifest.Configure(s)
		if !ok || s.Link != link || PackageMark(l.RegistryType, l.Identifier) != key {
			continue
		}
		conf.Special = s.Special
		onWindows := strings.EqualFold(path.Base(s.Command), "cmd") // has the variables of that system
		if onWindows || s.Shell && len(conf.Env) == 0 {             // variables may have been exported before
			bare = append(bare, conf)
		} else {
			out = append(out, conf)
		}
	}
	// Those that are not the ordinary case are for notes.
	for i := range bare {
		bare[i].Special = bare[i].Special || len(out) > 0
	}
	return withoutHTTP(append(out, bare...))
}

// withoutHTTP marks configurations that start a server over HTTP as special if there are others.
func withoutHTTP(out []registry.Configuration) []registry.Configuration {
	if slices.ContainsFunc(out, func(c registry.Configuration) bool { return !servesOverHTTP(c) }) {
		for i := range out {
			out[i].Special = out[i].Special || servesOverHTTP(out[i])
		}
	}
	return out
}

// httpOption matches the arguments that make a server listen for HTTP.
var httpOption = regexp.MustCompile(`(?:^| )--?(?:transport[= ])?(?:https?|sse|streamable-http)(?: |$)`)

// servesOverHTTP reports whether a configuration starts a server over HTTP.
func servesOverHTTP(conf registry.Configuration) bool {
	words := make([]string, len(conf.Args))
	for i, a := range conf.Args {
		words[i] = a.Value
	}
	return httpOption.MatchString(strings.Join(words, " "))
}

// installed returns the configurations that start the executable of a package after it has been
// installed, its file in the folder of an extension, or the repository that builds it; with local,
// those that start it in any folder.
func (c *candidate) installed(
	p *registry.Package, list []manifest.ClientServer, local bool,
) (out []registry.Configuration) {
	command := registry.Programs[p.RegistryType]
	if command != "npx" && command != "uvx" || !c.unit.named(p.RegistryType, p.Identifier) {
		return nil
	}
	all := c.programs(p)
	for _, s := range list {
		name := ""
		if l, err := s.Launch(); !local {
			name = c.started(p, all, &s)
		} else if err != nil || !l.Runs {
			name, s.Args = programOf(all, l.Script), l.Args
		}
		if name == "" || name != p.Identifier && all[name] == "" {
			continue
		}
		args := []string{p.Identifier}
		switch {
		case name == p.Identifier:
		case command == "uvx":
			args = []string{"--from", p.Identifier, name}
		default:
			args = []string{"--package=" + p.Identifier, name}
		}
		s.Command, s.Args = command, append(args, s.Args...)
		if conf, _, ok := manifest.Configure(s); ok {
			conf.Special = conf.Special || s.Special
			out = append(out, conf)
		}
	}
	return withoutHTTP(out)
}

// programOf returns the program that a word starts in any folder, "" for none: its name, its file, or
// the module of its entry point.
func programOf(programs map[string]string, word string) string {
	word = strings.ReplaceAll(word, `\`, "/")
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		file, _, _ := strings.Cut(programs[name], ":")
		module := "/" + strings.ReplaceAll(file, ".", "/")
		if word == name || strings.HasSuffix(word, "/bin/"+name) || strings.HasSuffix("/"+word, "/"+file) ||
			strings.HasPrefix(file+".", word+".") || strings.HasSuffix("/"+word, module+".py") {
			return name
		}
	}
	return ""
}

// isFetched reports whether a configuration starts the server from its source, which it fetches.
func (c *candidate) isFetched(s manifest.ClientServer) bool {
	l, err := s.Launch()
	return err == nil && c.fetchesOwn(l)
}

// started returns the program of a package that a configuration starts, and cuts its arguments.
func (c *candidate) started(p *registry.Package, all map[string]string, s *manifest.ClientServer) string {
	if l, _ := s.Launch(); l.Program() == registry.Programs[p.RegistryType] && c.fetchesOwn(l) {
		s.Args = l.Args
		return cmp.Or(l.Script, p.Identifier)
	}
	name := strings.TrimSuffix(path.Base(s.Command), ".exe")
	if name == "node" && len(s.Args) > 0 {
		name, s.Args = programAt(all, s.Args[0]), s.Args[1:]
	}
	return name
}

// programAt returns the program with a file, which may be below the folder of an extension, "" for
// none.
func programAt(programs map[string]string, file string) string {
	file = path.Clean(folderReference.ReplaceAllString(file, ""))
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		if programs[name] == file {
			return name
		}
	}
	return ""
}

// lead moves the first package in the README that a manifest or server.json confirms to the
// front. Configurations of clients take precedence over shell lines.
func (c *candidate) lead(packages []registry.Package) {
	var launches []shell.Launch
	for _, s := range c.readme.Servers {
		if l, err := s.Launch(); err == nil && !s.Special {
			launches = append(launches, l)
		}
	}
	for _, l := range append(launches, c.readme.Commands...) {
		key := PackageMark(l.RegistryType, l.Identifier)
		i := slices.IndexFunc(packages, func(p registry.Package) bool {
			return p.Doubt == "" && PackageMark(p.RegistryType, p.Identifier) == key &&
				(p.Declared == registry.DeclaredInRepo || c.builds(p.RegistryType, p.Identifier))
		})
		if l.Runs && i >= 0 {
			p := packages[i]
			copy(packages[1:i+1], packages[:i])
			packages[0] = p
			return
		}
	}
}

// builds reports whether a manifest of the server has the name of a package: a manifest of its
// unit, or of any folder if it is the only server.
func (c *candidate) builds(kind, id string) bool {
	return c.unit.named(kind, id) || c.alone && slices.ContainsFunc(c.repo.units, func(v *unit) bool {
		return v.named(kind, id)
	})
}

// servesHTTP sets the transport of an image that a command of the README runs with a port and without
// its standard input, and the address at which clients connect to that port; or whose Dockerfile starts
// an HTTP server, unless the README shows how clients start it over standard input.
func (c *candidate) servesHTTP(p *registry.Package) {
	if p.RegistryType != "oci" || p.Declared != "" {
		return
	}
	if port, lines, ok := c.listensAt(p); ok {
		if p.Transport = c.startedAt(port); len(p.Configurations) == 0 {
			p.Configurations = lines
		}
		return
	}
	if len(p.Configurations) > 0 || c.unit.docker == nil {
		return
	}
	if over := c.dockerTransports(nil); len(over) > 0 {
		p.Transport.Type = over[0]
	} else if webServer.MatchString(c.unit.docker.Entrypoint) {
		p.Transport.Type = registry.TransportHTTP
	}
}

// listensAt returns the port of the user's machine on which the commands of the README run an image,
// "" if it varies, and these. ok is false if one of them reads standard input, or publishes no port.
func (c *candidate) listensAt(p *registry.Package) (port string, lines []registry.Configuration, ok bool) {
	for _, l := range c.readme.Commands {
		conf, runs := manifest.ConfigurationOf(l)
		if !runs || PackageMark(l.RegistryType, l.Identifier) != PackageMark(p.RegistryType, p.Identifier) {
			continue
		}
		options := dockerrun.Parse(l.Runtime).Options
		at := slices.IndexFunc(options, func(o dockerrun.Option) bool { return o.Name == "publish" })
		if at < 0 || slices.ContainsFunc(l.Runtime, interactive.MatchString) {
			return "", nil, false
		}
		if parts := strings.Split(options[at].Value, ":"); len(parts) > 1 && !ok {
			port = parts[len(parts)-2] // after an address, before that of the container
		}
		if ok = true; len(lines) < maxConfigurations {
			lines = append(lines, conf)
		}
	}
	return port, lines, ok
}

// plainPath matches the path of an endpoint that has words only.
var plainPath = regexp.MustCompile(`^[a-z/_-]{0,60}$`)

// startedAt returns the transport of a package that listens on a port of the user's machine, with the
// URL that the README connects to, "" if it has none or one with parts to fill in or a query, which may
// be a secret.
func (c *candidate) startedAt(port string) registry.PackageTransport {
	for _, s := range c.readme.Servers {
		e := c.endpointOf(s)
		u, err := url.Parse(e.URL)
		if err != nil || u.Port() != port || hosts.KindOf(u.Hostname()) != hosts.Loopback {
			continue
		}
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || !plainPath.MatchString(u.Path) ||
			u.User != nil || u.RawQuery != "" || manifest.WithVariables(e.URL) != e.URL {
			continue
		}
		return registry.PackageTransport{Type: remoteType(e.Type, e.URL), URL: e.URL, Headers: headersOf(s, e.Headers)}
	}
	return registry.PackageTransport{Type: registry.TransportHTTP}
}

// webServer matches entry points that run a program which only serves HTTP.
var webServer = regexp.MustCompile(`(?i)(?:^|[\s/])(?:uvicorn|gunicorn|hypercorn|daphne|granian)(?:\s|$)|\s--http(?:\s|=|$)`)

// readmeRead reports whether files were read, including every README of the root. Otherwise it is
// unknown which packages they mention.
func (r *repo) readmeRead() bool {
	return len(r.snap.Texts) > 0 && !r.hasUnreadReadme("")
}

// names reports whether a text of the repository contains the identifier of a package as a word.
func (r *repo) names(kind, identifier string) bool {
	word := packageWord(kind, identifier)
	return slices.ContainsFunc(slices.Collect(maps.Values(r.snap.Texts)), word.MatchString)
}

// ecosystems are the registry types by the manifest that their packages are built from: its file
// name in lower case or its extension.
var ecosystems = map[string]string{
	"package.json":   "npm",
	"pyproject.toml": "pypi", "setup.py": "pypi", "setup.cfg": "pypi", "requirements.txt": "pypi",
	"cargo.toml": "cargo",
	".csproj":    "nuget", ".fsproj": "nuget", ".vbproj": "nuget", ".nuspec": "nuget",
	"go.mod": "", "pom.xml": "", "build.gradle": "", "build.gradle.kts": "", "package.swift": "",
	"deno.json": "", "gemfile": "", "composer.json": "", "mix.exs": "", "build.sbt": "", "deps.edn": "",
	"project.clj": "", "cmakelists.txt": "",
}

// manifests returns the registry types of the manifests in a complete listing: "" for those of
// ecosystems without a registry here.
func manifests(s *registry.Snapshot) map[string]bool {
	has := map[string]bool{}
	if s.Files == nil || s.FilesTruncated {
		return has
	}
	for _, f := range s.Files {
		base := strings.ToLower(path.Base(f.Path))
		kind, ok := ecosystems[base]
		if !ok {
			kind, ok = ecosystems[path.Ext(base)]
		}
		if ok {
			has[kind] = true
		}
	}
	return has
}

// contradicts reports whether a repository cannot have packages of a registry type. Images and
// bundles are built from anything. npm and PyPI also publish programs in compiled languages, whose
// releases may be packed without a manifest in the repository; so only a manifest of the other one
// contradicts them.
func (r *repo) contradicts(kind string) bool {
	has := r.ecosystems
	compiled := has[""] || has["nuget"] || has["cargo"]
	switch kind {
	case "npm":
		return !has["npm"] && has["pypi"] && !compiled
	case "pypi":
		return !has["pypi"] && has["npm"] && !compiled
	}
	return (kind == "nuget" || kind == "cargo") && len(has) > 0 && !has[kind]
}
