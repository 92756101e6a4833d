package detect

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/paths"
	"mcpcensus/crawler/serverjson"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// A verdict is the evidence that a unit is a server.
type verdict struct {
	score float64
	// published describes how the unit is published as a server, "" if it is not.
	// Published units are servers regardless of other evidence.
	published string
	evidence  []registry.Evidence
	name      string // the names of the unit
	words     string // the unit's descriptions of itself
}

func (v *verdict) add(weight float64, typ, ref, evidence string) {
	v.score += weight
	v.evidence = append(v.evidence, registry.Evidence{Type: typ, Ref: ref, Text: text.Cut(evidence, 300)})
}

// judge reports whether a unit is a server, and sets its evidence, confidence and reason. A unit
// that is not published as a server requires several of: an SDK, an entry point, its description
// and a client's configuration.
func (r *repo) judge(u *unit, k repoKind) bool {
	v := &verdict{name: r.allNames(u), words: r.selfDescription(u)}
	r.addPublication(v, u)
	r.addCode(v, u)
	v.addWords(u)
	v.addReadme(u, u.dir != "" || u.sides.serves() || r.configuresItself())
	u.evidence = v.evidence
	u.confidence = min(0.99, 0.4+v.score/8)
	if !u.sides.serves() {
		u.confidence = min(u.confidence, 0.5)
	}
	u.reason = cmp.Or(v.published, whyServer(u))
	switch {
	case k.contains() && (k.name != kindList || v.published == ""):
		return false
	case u.sides.onlyConnects():
		return false
	case v.published != "":
		return k.name != kindList || u.dir != "" || u.server != nil
	case u.dir == "":
		return r.rootServes(u, v, k)
	case u.empty() && u.sdk.pkg == "", u.isLibrary(), u.framework() != "",
		r.sides.read && !r.hasCode(u):
		return false
	case k.decided: // a part of it, unless the root's README starts it
		return u.sides.serves() && u.runs() && r.launches(u)
	case k.name == kindFramework && k.weight >= 2.5: // likewise
		return u.runs() && serverRE.MatchString(v.words)
	}
	unread := !u.sides.read || !r.readFully(u, false)
	return u.runs() && (u.sides.serves() || unread && r.describesServer(v))
}

// rootServes reports whether the root is a server that is not published as one.
func (r *repo) rootServes(u *unit, v *verdict, k repoKind) bool {
	switch {
	case k.decided, u.otherKind == "ruby" && u.other.Name != "" && u.entry == "" && !r.startsItself():
		return false
	case u.sides.serves(), u.bare() && r.sides.serves():
		return v.score >= 2
	case k.name == kindList, v.score < 2+k.weight, r.startsNothing():
		return false
	case u.sdk.pkg != "" && u.sides.read: // an SDK that no code uses
		return u.entry != "" && (r.saysServer() && k.name != kindClient || r.configuresItself())
	}
	return !r.mayBeOfOthers(u, k) || r.configuresItself()
}

// mayBeOfOthers reports whether a root without code that serves is about servers of others unless a
// configuration starts what is here.
func (r *repo) mayBeOfOthers(u *unit, k repoKind) bool {
	switch {
	case k.name == kindClient:
		return true
	case u.sdk.pkg != "":
		return false
	case r.sides.read, r.configuresOthers():
		return true
	}
	return !u.listsTools() && (u.readme == nil || len(u.readme.Endpoints) == 0) && !serverRE.MatchString(r.about)
}

// addPublication adds the files by which servers are published.
func (r *repo) addPublication(v *verdict, u *unit) {
	publish := func(reason, file, text string) {
		v.published = cmp.Or(v.published, reason)
		v.add(3, "file", path.Join(u.dir, file), text)
	}
	if u.server != nil && len(u.server.Packages)+len(u.server.Remotes) > 0 && !r.listsOther(u) {
		publish("it has a server.json", "server.json", u.server.Name)
	}
	if u.npm != nil && u.npm.MCPName != "" {
		publish("its package.json contains its name in the official registry", "package.json", u.npm.MCPName)
	}
	if u.bundle != nil {
		publish("it has an MCP bundle manifest", "manifest.json", u.bundle.Name)
	}
	if u.docker != nil && u.docker.Labels[manifest.ServerNameLabel] != "" {
		publish("its image is labeled with its name in the official registry", "Dockerfile",
			u.docker.Labels[manifest.ServerNameLabel])
	}
	if u.smithery != nil && (u.dir == "" || u.sdk.language != "") {
		v.add(1.5, "file", path.Join(u.dir, "smithery.yaml"), "start command")
	}
	if u.readme != nil && serverjson.IsName(u.readme.MCPName) {
		v.add(1.5, "file", u.readmeAt, "mcp-name: "+u.readme.MCPName)
	}
}

// listsOther reports whether a folder has only the server.json of a server in another repository, in a
// list of several. A repository that was renamed has one former name.
func (r *repo) listsOther(u *unit) bool {
	other := func(u *unit) string {
		owner, name := repoParts(u.server.RepoURL)
		if u.dir == "" || strings.EqualFold(name, r.snap.Repo.Name) || u.sdk.pkg != "" || r.hasCode(u) {
			return ""
		}
		return strings.ToLower(owner + "/" + name)
	}
	one := other(u)
	return one != "" && slices.ContainsFunc(r.units, func(v *unit) bool {
		return v.server != nil && other(v) != "" && other(v) != one
	})
}

// addCode adds the SDK and the entry point.
func (r *repo) addCode(v *verdict, u *unit) {
	if u.sdk.pkg != "" {
		weight := 1.0
		if u.sdk.rank == 2 || u.sdk.dev {
			weight = 0.5
		}
		text := u.sdk.String()
		if u.sdk.via != "" {
			text += " via " + u.sdk.via
		}
		v.add(weight, "package", u.sdk.pkg, text)
	} else if u.dir == "" && u.bare() {
		if o := r.only(); o != nil { // the root's README is about the code below it
			v.add(1, "package", o.sdk.pkg, o.sdk.String()+" in "+o.dir)
		}
	}
	if at := cmp.Or(u.sides.served(), r.sides.served()); at != "" && (u.sides.serves() || u.dir == "") {
		v.add(1, "file", at, "it serves tools")
	}
	if u.entry != "" {
		v.add(0.5, "file", cmp.Or(u.dir, "."), u.entry)
	}
}

func (r *repo) allNames(u *unit) string {
	name := u.dir
	if u.dir == "" {
		name = r.snap.Repo.Name
	}
	for _, n := range u.names() {
		name += " " + n[strings.IndexByte(n, ':')+1:]
	}
	return name
}

// selfDescription returns the texts in which a unit describes itself.
func (r *repo) selfDescription(u *unit) string {
	words := ""
	if u.dir == "" {
		words = r.about
	}
	for _, s := range u.descriptions() {
		words += "\n" + s
	}
	if u.readme != nil {
		words += "\n" + u.readme.Title + "\n" + u.readme.Summary
		if u.dir != "" || !serverRE.MatchString(words) {
			words += "\n" + text.Cut(u.readme.Text, 800)
		}
	}
	if u.dir == "" {
		words = ofItself(words)
	}
	return words
}

// startsNothing reports that the repository has no source code, and that its README tells of nothing
// to start or to connect to.
func (r *repo) startsNothing() bool {
	m := r.unit("").readme
	shows := func(u *unit) bool { return !u.empty() || u.sdk.language != "" }
	return m != nil && !r.hasCode(r.unit("")) && !slices.ContainsFunc(r.units, shows) &&
		len(m.Servers)+len(m.Endpoints)+len(m.Badges) == 0 && !slices.ContainsFunc(m.Commands, r.ownPackage)
}

func (u *unit) listsTools() bool {
	return u.readme != nil && (len(u.readme.Tools) > 0 || u.readme.ToolHeading)
}

// addWords adds evidence from the unit's descriptions of itself.
func (v *verdict) addWords(u *unit) {
	if m := serverRE.FindString(v.words); m != "" {
		v.add(1.5, "file", cmp.Or(u.readmeAt, path.Join(u.dir, "description")), m)
	} else if strings.Contains(strings.ToLower(v.words), protocolName) {
		v.add(0.5, "file", u.readmeAt, "Model Context Protocol")
	}
	if hasMCP(v.name) {
		v.add(1, "file", cmp.Or(u.dir, "."), "its name contains MCP")
	}
}

var transportWords = regexp.MustCompile(`(?i)\bstdio\b|\bhttp sse\b|\bstreamable[- ]http\b`)

// addReadme adds evidence that only READMEs of servers contain. own is whether a configuration
// starts what the repository contains.
func (v *verdict) addReadme(u *unit, own bool) {
	m := u.readme
	if m == nil {
		return
	}
	if own && m.ClientConfig != "" && len(m.Servers) > 0 {
		v.add(1, "file", u.readmeAt, "a client configuration")
	} else if len(m.Endpoints) > 0 {
		v.add(1, "file", u.readmeAt, m.Endpoints[0])
	}
	if len(m.Tools) > 0 || m.ToolHeading {
		v.add(0.5, "file", u.readmeAt, "a list of tools")
	}
	if t := transportWords.FindString(m.Text); t != "" && u.dir == "" {
		v.add(0.5, "file", u.readmeAt, t)
	}
}

// runs reports whether a unit is a program that uses an SDK at run time, or answers without one.
func (u *unit) runs() bool {
	uses := u.sdk.pkg != "" || u.sdk.language == "other" || u.code.answers != ""
	return u.entry != "" && uses && (!u.sdk.dev || u.sdk.via != "")
}

// hasCode reports whether the listing has source code of programs in a unit's folder, or was not read.
func (r *repo) hasCode(u *unit) bool {
	return r.snap.Files == nil || r.snap.FilesTruncated || slices.ContainsFunc(r.snap.Files, func(f registry.File) bool {
		return strings.HasPrefix(f.Path, prefix(u.dir)) && paths.Language(f.Path) != "" && isOwn(f.Path)
	})
}

// describesServer reports whether the unit or its repository is described as a server.
func (r *repo) describesServer(v *verdict) bool {
	return hasMCP(v.name) || serverRE.MatchString(v.words) || serverRE.MatchString(r.about) || hasMCP(r.snap.Repo.Name)
}

func whyServer(u *unit) string {
	switch {
	case u.sdk.pkg != "" && u.entry != "":
		return "it depends on " + u.sdk.pkg + " and can be started (" + u.entry + ")"
	case u.sdk.pkg != "":
		return "it depends on " + u.sdk.pkg + " and its README describes a server"
	case u.code.answers != "":
		return "it answers the requests for tools (" + u.code.answers + ")"
	}
	return "its README describes a server"
}
