package detect

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/serverjson"
	"mcpcensus/internal/registry"
)

// A repoKind is what a repository as a whole is, besides holding servers.
type repoKind struct {
	name     string // "", "list", "registry", "sdk", "docs", "client"
	text     string // the words that say so
	weight   float64
	evidence []registry.Evidence
}

var (
	listName = regexp.MustCompile(`(?i)(?:^|[-_.])awesome(?:[-_.]|$)`)
	regName  = regexp.MustCompile(`(?i)(?:^|[-_.])(?:marketplace|catalog|directory)$|registry$`)
	sdkName  = regexp.MustCompile(`(?i)(?:^|[-_.])(?:sdk|template|boilerplate|starter|framework|specification|spec|cookiecutter|tutorial|course|examples?|samples|workshop)$|^(?:create|cookiecutter)[-_]mcp|(?:typescript|python|java|kotlin|csharp|go|rust|swift|ruby|php)-sdk$`)
	docsName = regexp.MustCompile(`(?i)(?:^|[-_.])(?:docs?|documentation|website|blog|book|guide|cookbook|playground|demos?|bootcamp|learning|slides|talks?)$|^(?:learn(?:ing)?|awesome|intro(?:duction)?|hands[-_]on|hello)[-_.](?:to[-_.])?mcp`)
	cliName  = regexp.MustCompile(`(?i)(?:^|[-_.])(?:clients?|inspector|hosts?)$`)
)

// kind tells what a repository says it is.
func (r *repo) kind() repoKind {
	name := r.snap.Repo.Name
	about := r.about
	if u := r.unit(""); u.readme != nil {
		for _, h := range u.readme.Headings[:min(len(u.readme.Headings), 3)] {
			about += "\n" + strings.ToLower(h.Text)
		}
	}
	k := repoKind{}
	consider := func(kind string, weight float64, text string) {
		if text = strings.TrimSpace(text); text != "" && weight > k.weight {
			k = repoKind{name: kind, text: text, weight: weight}
		}
	}
	consider("list", 4, listName.FindString(name))
	consider("registry", 3, regName.FindString(name))
	consider("sdk", 3.5, sdkName.FindString(name))
	consider("client", 3, cliName.FindString(name))
	consider("list", 3.5, listRE.FindString(about))
	consider("registry", 2.5, registryRE.FindString(about))
	consider("sdk", 2.5, mcpSDKRE.FindString(about))
	consider("sdk", 1, sdkRE.FindString(about))
	consider("docs", 2, docsRE.FindString(about))
	if r.sdkless() {
		consider("docs", 2, docsName.FindString(name))
	}
	consider("client", 1.5, managerRE.FindString(about))
	consider("client", 1, clientRE.FindString(about))
	if topics := r.snap.Repo.Topics; slices.Contains(topics, "mcp-client") && !slices.Contains(topics, "mcp-server") && !slices.Contains(topics, "mcp-servers") {
		consider("client", 2, "mcp-client")
	}
	root := r.unit("")
	if root.readme != nil {
		seen := map[string]bool{}
		for _, l := range root.readme.Links {
			if o, n := repoParts(l); o != "" && !strings.EqualFold(o, r.snap.Repo.Owner) {
				seen[strings.ToLower(o+"/"+n)] = true
			}
		}
		if len(seen) >= 40 && r.sdkless() {
			consider("list", 4, fmt.Sprintf("links to %d other repositories", len(seen)))
		}
	}
	if k.name != "" {
		k.evidence = []registry.Evidence{{Type: "file", Ref: first(root.readmeAt, "description"), Text: k.text}}
	}
	return k
}

// sdkless says whether no unit of the repository uses an SDK.
func (r *repo) sdkless() bool {
	for _, u := range r.units {
		if u.sdk.pkg != "" {
			return false
		}
	}
	return true
}

func (k repoKind) reason(r *repo) string {
	switch k.name {
	case "list":
		return "a list of servers, not a server"
	case "registry":
		return "a registry or catalogue of servers, not a server"
	case "sdk":
		return "an SDK, framework or template for servers, not a server"
	case "docs":
		return "documentation, a course or examples, not a server"
	case "client":
		return "a client or a tool for servers, not a server"
	}
	for _, u := range r.units {
		if u.sdk.pkg != "" && !excluded(u.dir) {
			return "it uses an MCP SDK, but nothing in it says that it is a server"
		}
	}
	if !strings.Contains(strings.ToLower(r.about+r.sample+r.snap.Repo.Name), "mcp") && !strings.Contains(strings.ToLower(r.about+r.sample), "model context protocol") {
		return "nothing in it points to the Model Context Protocol"
	}
	return "it is about the Model Context Protocol, but nothing in it says that it is a server"
}

var wordSplit = regexp.MustCompile(`[._\s-]+`)

// excluded says whether a folder holds examples, tests, documentation, parts
// or the like.
func excluded(dir string) bool {
	if dir == "" {
		return false
	}
	above := ""
	for _, seg := range strings.Split(strings.ToLower(dir), "/") {
		// In a folder of servers, "helm" or "docs" is what one is about.
		if excludedFolders[seg] && !strings.HasSuffix(above, "servers") || strings.HasPrefix(seg, ".") {
			return true
		}
		above = seg
		words := wordSplit.Split(seg, -1)
		if excludedWords[words[0]] || excludedWords[words[len(words)-1]] {
			return true
		}
	}
	return false
}

func library(dir string) bool {
	words := wordSplit.Split(strings.ToLower(path.Base(dir)), -1)
	return libraryWords[words[len(words)-1]]
}

// members returns the units that are servers, with folder, confidence, reason
// and evidence set. Without any it returns what spoke for a server and was
// not enough.
func (r *repo) members(k repoKind, listings []registry.Listing) ([]*unit, []registry.Evidence) {
	root := r.unit("")
	var nested []*unit
	for _, u := range r.units {
		if u.dir == "" || excluded(u.dir) {
			continue
		}
		if r.judge(u, k) {
			nested = append(nested, u)
		}
	}
	commands := r.goCommands(k)
	nested = append(nested, commands...)
	nested = outermost(nested)
	rootIs := r.judge(root, k)
	missed := root.evidence
	shell := r.shell(root) || len(commands) > 0
	if len(nested) >= 2 && rootIs && shell {
		rootIs = false
	}
	if rootIs && !shell {
		// A server at the root: what lies below it is its own parts, unless
		// it was published as a server of its own.
		kept := nested[:0]
		for _, u := range nested {
			if r.separate(u, root) {
				kept = append(kept, u)
			}
		}
		nested = kept
	}
	if rootIs && shell && len(nested) == 1 {
		rootIs = false
	}
	var out []*unit
	if rootIs {
		out = append(out, root)
	}
	out = append(out, nested...)
	if len(out) == 1 && out[0] == root && root.sdk.language == "" {
		if u := r.only(); u != nil && root.bare() {
			u.confidence, u.reason, u.evidence = root.confidence, root.reason, root.evidence
			out[0] = u
		} else if u = r.below(); u != nil {
			root.sdk = u.sdk // the root holds the modules together
			root.sdk.via = u.dir
		}
	}
	for _, u := range out {
		u.folder = u.dir
	}
	out = r.attach(out, listings, root, k)
	if len(out) == 1 {
		u := out[0]
		if u.dir != "" && (u.listing == nil || u.listing.Subfolder == "") && r.ownRepo(k) {
			u.folder = ""
		}
		if u.dir == "" && u.listing != nil {
			u.folder = clean(u.listing.Subfolder)
		}
	}
	return out, missed
}

// only returns the one unit below the root that uses an SDK, nil if there is
// none or more than one: the code of the server that the root describes.
func (r *repo) only() *unit {
	var one *unit
	for _, u := range r.units {
		if u.dir == "" || u.sdk.pkg == "" || u.sdk.via != "" || u.sdk.dev || excluded(u.dir) {
			continue
		}
		if one != nil {
			return nil
		}
		one = u
	}
	return one
}

// below returns the first unit below the root that uses an SDK, if all that do
// are written in one language.
func (r *repo) below() *unit {
	var one *unit
	for _, u := range r.units {
		if u.dir == "" || u.sdk.pkg == "" || u.sdk.dev || excluded(u.dir) {
			continue
		}
		if one != nil && one.sdk.language != u.sdk.language {
			return nil
		}
		if one == nil || one.sdk.via != "" {
			one = u
		}
	}
	return one
}

// bare says whether the folder has no manifest of a package.
func (u *unit) bare() bool {
	return u.npm == nil && u.py == nil && u.gomod == nil && u.cargo == nil && u.pom == nil && u.gradle == nil && len(u.csproj) == 0 && u.deno == nil && u.server == nil
}

// ownRepo says whether the whole repository is about its one server, so that
// the server's folder is a detail.
func (r *repo) ownRepo(k repoKind) bool {
	return k.weight < 2.5 && (serverRE.MatchString(r.about) || strings.Contains(strings.ToLower(r.snap.Repo.Name), "mcp"))
}

// outermost drops units that lie inside another one: a server's parts.
func outermost(units []*unit) []*unit {
	sort.SliceStable(units, func(i, j int) bool { return units[i].dir < units[j].dir })
	var out []*unit
	for _, u := range units {
		inside := false
		for _, o := range out {
			inside = inside || strings.HasPrefix(u.dir, o.dir+"/")
		}
		if !inside {
			out = append(out, u)
		}
	}
	return out
}

// shell says whether the root only holds a workspace together.
func (r *repo) shell(u *unit) bool {
	switch {
	case u.npm != nil && (len(u.npm.Workspaces) > 0 || u.npm.Private || r.files["pnpm-workspace.yaml"]) && len(u.npm.Bin) == 0:
		return u.py == nil && u.gomod == nil && u.cargo == nil
	case u.pom != nil:
		return len(u.pom.Modules) > 0
	case u.cargo != nil:
		return u.cargo.Name == ""
	case u.py != nil:
		return len(u.py.Workspace) > 0 && len(u.py.Scripts) == 0 || u.py.Name == "" && len(u.py.Scripts) == 0 && u.sdk.language == ""
	case u.npm != nil:
		return u.npm.Name == "" && u.sdk.language == ""
	}
	return u.gomod == nil && u.gradle == nil && len(u.csproj) == 0 && u.deno == nil && u.other == nil && len(u.reqs) == 0 && u.bundle == nil
}

// separate says whether a unit below a root server is a server of its own.
func (r *repo) separate(u, root *unit) bool {
	if u.server != nil && u.server.Name != "" && (root.server == nil || !strings.EqualFold(root.server.Name, u.server.Name)) && root.server != nil {
		return true
	}
	if u.readme == nil || u.sdk.pkg == "" || u.sdk.via != "" || u.entry == "" {
		return false
	}
	return serverRE.MatchString(u.readme.Title+"\n"+u.readme.Summary) && (u.readme.ClientConfig != "" || u.server != nil)
}

// judge weighs what speaks for a unit being a server and records it. What is
// published as one is one; otherwise an SDK, a way to start it, its own words
// and a client's configuration must come together.
func (r *repo) judge(u *unit, k repoKind) bool {
	var ev []registry.Evidence
	score := 0.0
	strong := ""
	add := func(weight float64, typ, ref, text string) {
		score += weight
		ev = append(ev, registry.Evidence{Type: typ, Ref: ref, Text: cut(text, 300)})
	}
	mark := func(reason, typ, ref, text string) {
		if strong == "" {
			strong = reason
		}
		add(3, typ, ref, text)
	}
	if u.server != nil {
		mark("it has a server.json", "file", path.Join(u.dir, "server.json"), u.server.Name)
	}
	if u.npm != nil && u.npm.MCPName != "" {
		mark("its package.json gives its name in the official registry", "file", path.Join(u.dir, "package.json"), u.npm.MCPName)
	}
	if u.bundle != nil {
		mark("it has the manifest of an MCP bundle", "file", path.Join(u.dir, "manifest.json"), u.bundle.Name)
	}
	if u.docker != nil && u.docker.Labels[manifest.ServerNameLabel] != "" {
		mark("its image says its name in the official registry", "file", path.Join(u.dir, "Dockerfile"), u.docker.Labels[manifest.ServerNameLabel])
	}
	if u.smithery != nil && (u.dir == "" || u.sdk.language != "") {
		add(1.5, "file", path.Join(u.dir, "smithery.yaml"), "start command")
	}
	if u.readme != nil && u.readme.MCPName != "" && serverjson.IsName(u.readme.MCPName) {
		add(1.5, "file", u.readmeAt, "mcp-name: "+u.readme.MCPName)
	}
	if u.sdk.pkg != "" {
		weight := 1.0
		if u.sdk.rank == 2 || u.sdk.dev {
			weight = 0.5
		}
		text := strings.TrimSpace(u.sdk.pkg + " " + u.sdk.version)
		if u.sdk.via != "" {
			text += " through " + u.sdk.via
		}
		add(weight, "package", u.sdk.pkg, text)
	}
	if u.dir == "" && u.sdk.pkg == "" && u.bare() {
		if o := r.only(); o != nil { // the README of the root is about the code below it
			add(1, "package", o.sdk.pkg, strings.TrimSpace(o.sdk.pkg+" "+o.sdk.version)+" in "+o.dir)
		}
	}
	if u.entry != "" {
		add(0.5, "file", first(u.dir, "."), u.entry)
	}
	words := ""
	name := u.dir
	if u.dir == "" {
		words, name = r.about, r.snap.Repo.Name
	}
	for _, n := range u.names() {
		name += " " + n[strings.IndexByte(n, ':')+1:]
	}
	for _, s := range u.descriptions() {
		words += "\n" + s
	}
	if u.readme != nil {
		words += "\n" + u.readme.Title + "\n" + u.readme.Summary
		if u.dir != "" || !serverRE.MatchString(words) {
			words += "\n" + cut(u.readme.Text, 800)
		}
	}
	if u.dir == "" {
		// Who uses, manages or lists servers is none by that.
		words = clientRE.ReplaceAllString(listRE.ReplaceAllString(mcpSDKRE.ReplaceAllString(words, " "), " "), " ")
	}
	if m := serverRE.FindString(words); m != "" {
		add(1.5, "file", first(u.readmeAt, path.Join(u.dir, "description")), m)
	} else if strings.Contains(strings.ToLower(words), "model context protocol") {
		add(0.5, "file", u.readmeAt, "Model Context Protocol")
	}
	if hasMCP(name) {
		add(1, "file", first(u.dir, "."), "its name says MCP")
	}
	if u.readme != nil {
		if u.readme.ClientConfig != "" && len(u.readme.Servers) > 0 {
			add(1, "file", u.readmeAt, "a client's configuration")
		} else if len(u.readme.Endpoints) > 0 {
			add(1, "file", u.readmeAt, u.readme.Endpoints[0])
		}
		if len(u.readme.Tools) > 0 || u.readme.ToolHeading {
			add(0.5, "file", u.readmeAt, "a list of tools")
		}
		if t := transportWords.FindString(u.readme.Text); t != "" && u.dir == "" {
			add(0.5, "file", u.readmeAt, t)
		}
	}
	u.evidence = ev
	u.confidence = min(0.99, 0.4+score/8)
	u.reason = first(strong, whyServer(u))
	need := 2.0
	switch {
	case strong != "":
		// Published as a server, whatever the repository around it is.
		return k.name != "list" || u.dir != "" || u.server != nil
	case u.dir == "":
		if k.weight > 0 {
			need += k.weight
		}
		return score >= need && !(k.name == "list" || k.name == "registry" && k.weight >= 2.5)
	case k.name == "list" || k.name == "registry" && k.weight >= 2.5 || u.empty(), k.name == "docs" && u.readme == nil:
		return false
	}
	if library(u.dir) {
		return false
	}
	if u.sdk.pkg == "" && u.sdk.language != "other" || u.sdk.dev && u.sdk.via == "" {
		return false
	}
	if u.entry == "" {
		return false
	}
	if !hasMCP(name) && !serverRE.MatchString(words) && !serverRE.MatchString(r.about) && !hasMCP(r.snap.Repo.Name) {
		return false
	}
	return true
}

// commandRE tells a server's command from a tool's that has MCP in its name.
var commandRE = regexp.MustCompile(`(?i)(?:^|[-_.])mcp(?:[-_.]|$)`)

var transportWords = regexp.MustCompile(`(?i)\bstdio\b|\bhttp sse\b|\bstreamable[- ]http\b`)

func hasMCP(s string) bool {
	return strings.Contains(strings.ToLower(s), "mcp") || strings.Contains(strings.ToLower(s), "modelcontextprotocol")
}

func whyServer(u *unit) string {
	switch {
	case u.sdk.pkg != "" && u.entry != "":
		return "it depends on " + u.sdk.pkg + " and can be started (" + u.entry + ")"
	case u.sdk.pkg != "":
		return "it depends on " + u.sdk.pkg + " and its README describes a server"
	}
	return "its README describes a server"
}

func (u *unit) descriptions() []string {
	var out []string
	if u.server != nil {
		out = append(out, u.server.Description, u.server.Title)
	}
	if u.npm != nil {
		out = append(out, u.npm.Description)
	}
	if u.py != nil {
		out = append(out, u.py.Description)
	}
	if u.cargo != nil {
		out = append(out, u.cargo.Description)
	}
	if u.pom != nil {
		out = append(out, u.pom.Description, u.pom.Name)
	}
	for _, p := range u.csproj {
		out = append(out, p.Description)
	}
	if u.bundle != nil {
		out = append(out, u.bundle.Description)
	}
	if u.other != nil {
		out = append(out, u.other.Description)
	}
	return out
}

// goCommands returns a unit for each command of a Go module at the root whose
// name says that it is a server, if there are at least two such.
func (r *repo) goCommands(k repoKind) []*unit {
	root := r.unit("")
	if root.gomod == nil || root.sdk.ecosystem != "go" || k.name == "list" || k.name == "registry" {
		return nil
	}
	var out []*unit
	for _, p := range r.goMains("") {
		dir := dirOf(p)
		if !strings.HasPrefix(dir, "cmd/") || strings.Count(dir, "/") != 1 || !commandRE.MatchString(path.Base(dir)) || excluded(dir) || library(dir) {
			continue
		}
		u := r.unit(dir)
		u.sdk, u.entry, u.gomod = root.sdk, p, nil
		u.confidence = 0.8
		u.reason = "the command " + path.Base(dir) + " of a module that depends on " + root.sdk.pkg
		u.evidence = []registry.Evidence{{Type: "file", Ref: p}, {Type: "package", Ref: root.sdk.pkg, Text: root.sdk.version}}
		u.manifests = append(u.manifests, "go.mod")
		out = append(out, u)
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// attach gives each listing to the member it is about, and makes a member of
// each listing that none is found for. A listing that names nothing to run
// and no subfolder says only that somebody knew the repository: it makes no
// member of one whose files speak for something else, or show its servers.
func (r *repo) attach(members []*unit, listings []registry.Listing, root *unit, k repoKind) []*unit {
	read := r.snap.Files != nil || len(r.snap.Texts) > 0
	silent := len(members) == 0 && len(listings) > 0 && r.silent()
	for i := range listings {
		l := &listings[i]
		u := r.match(members, l)
		bare := len(l.Packages) == 0 && len(l.Remotes) == 0 && clean(l.Subfolder) == ""
		if u == nil && bare && read && (k.name != "" || len(members) > 1 || silent) {
			continue
		}
		if u == nil {
			dir := clean(l.Subfolder)
			if dir == "" || len(members) == 0 {
				u = root
				if v := r.byDir[dir]; v != nil {
					u = v
				}
			} else {
				u = r.unit(dir)
			}
			found := false
			for _, m := range members {
				found = found || m == u
			}
			if !found {
				if u.reason == "" || len(u.evidence) == 0 {
					u.sdk = r.directSDK(u)
				}
				members = append(members, u)
			}
			u.folder, u.unfounded = dir, silent
		}
		ev := registry.Evidence{Type: "registry", Ref: l.Name, Text: "listed in the official registry"}
		if u.listing == nil {
			u.listing = l
			u.reason = "its owner listed it in the official registry as " + l.Name
			u.confidence = 0.99
		}
		u.evidence = append([]registry.Evidence{ev}, u.evidence...)
		if dir := clean(l.Subfolder); dir != "" && len(members) == 1 {
			u.folder = dir
		}
	}
	sort.SliceStable(members, func(i, j int) bool { return members[i].dir < members[j].dir })
	return members
}

// match finds the member that a listing is about: by name, by folder, by
// package, and at last the only one there is.
func (r *repo) match(members []*unit, l *registry.Listing) *unit {
	for _, u := range members {
		for _, n := range []string{u.registryName()} {
			if n != "" && strings.EqualFold(n, l.Name) {
				return u
			}
		}
	}
	if dir := clean(l.Subfolder); dir != "" {
		for _, u := range members {
			if u.dir == dir || strings.HasPrefix(u.dir, dir+"/") || home(dir) == u.dir && u.dir != "" {
				return u
			}
		}
		if len(members) > 1 {
			return nil
		}
	}
	for _, p := range l.Packages {
		for _, u := range members {
			for _, n := range u.names() {
				kind, name, _ := strings.Cut(n, ":")
				if kind == p.RegistryType && (strings.EqualFold(name, p.Identifier) || kind == "pypi" && name == manifest.PyName(p.Identifier)) {
					return u
				}
			}
		}
	}
	if len(members) == 1 {
		return members[0]
	}
	tail := l.Name[strings.IndexByte(l.Name, '/')+1:]
	for _, u := range members {
		if u.dir != "" && strings.EqualFold(path.Base(u.dir), tail) {
			return u
		}
	}
	for _, u := range members {
		if u.dir == "" {
			return u
		}
	}
	return nil
}

// registryName is the name in the official registry's form that a unit's own
// files give.
func (u *unit) registryName() string {
	n := ""
	if u.server != nil {
		n = u.server.Name
	}
	if u.npm != nil {
		n = first(n, u.npm.MCPName)
	}
	if u.docker != nil {
		n = first(n, u.docker.Labels[manifest.ServerNameLabel])
	}
	if u.readme != nil {
		n = first(n, u.readme.MCPName)
	}
	if !serverjson.IsName(n) {
		return ""
	}
	return n
}

// clean makes a subfolder as people write it a path, "" if it is none.
func clean(dir string) string {
	dir = strings.Trim(strings.TrimPrefix(strings.ReplaceAll(dir, `\`, "/"), "./"), "/ ")
	if dir == "" {
		return ""
	}
	dir = path.Clean(dir)
	if dir == "." || strings.HasPrefix(dir, "..") || len(dir) > 500 {
		return ""
	}
	return dir
}
