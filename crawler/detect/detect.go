// Package detect tells which MCP servers a repository holds and what they
// are, from the files that one crawl read of it.
//
// It is a pure function of a snapshot and the official registry's listings:
// no time, no network, no order of maps. Whatever the files say, it returns;
// what cannot be told is left unknown, and every decision carries the
// evidence it rests on.
package detect

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/manifest/readme"
	"mcpcensus/internal/registry"
)

// States of a repository, as in registry.Result.
const (
	StateServer    = "server"
	StateNotServer = "not_server"
	StateEmpty     = "empty"
	StateUnknown   = "unknown" // too little could be read to say
)

// A Result is what a repository holds.
type Result struct {
	// Servers are the servers found, in the order of their subfolders; empty
	// unless State is "server".
	Servers []Server
	State   string // one of the states above
	Reason  string // a sentence that says why, fit to show
	// Evidence is what decided State; that of each server is in its Detection.
	Evidence []registry.Evidence
}

// A Server is one server of a repository.
type Server struct {
	Detection registry.Detection
	Tree      registry.TreeFacts // zero ObservedAt if the listing could not be read
	Readme    *registry.ReadmeFacts
	// ReadmeText is the README's plain text, for searching.
	ReadmeText string
}

// HasTree says whether the repository's listing was read, so that Tree means
// something.
func (s *Server) HasTree() bool { return !s.Tree.ObservedAt.IsZero() }

// maxServers is the largest number of servers taken from one repository: more
// are generated or hostile.
const maxServers = 300

// Servers returns the servers that a snapshot holds. The listings are the
// official registry's entries for this repository, one per registry name, its
// latest version; there may be none. A repository that its owner listed is a
// server whatever its files say. Entries of others, which anybody may publish
// for it, say nothing; as long as no file has been read, they are all there is
// to go by.
func Servers(s *registry.Snapshot, listings []registry.Listing) Result {
	if s == nil {
		s = &registry.Snapshot{}
	}
	r := read(s)
	r.own = r.marks()
	active := OwnListings(listed(listings), &s.Repo, r.own)
	if s.Repo.Empty { // what is listed and cannot be run was its code
		active = slices.DeleteFunc(active, func(l registry.Listing) bool { return len(l.Packages) == 0 && len(l.Remotes) == 0 })
	}
	if len(active) == 0 {
		switch {
		case s.Repo.Empty:
			return Result{State: StateEmpty, Reason: "the repository has no commit"}
		case s.Files == nil && len(s.Texts) == 0 && !r.describes():
			return Result{State: StateUnknown, Reason: "none of the repository's files could be read"}
		}
	}
	r.resolve()
	kind := r.kind()
	members, why := r.members(kind, active)
	if len(members) == 0 {
		if s.Files == nil && len(s.Texts) == 0 {
			return Result{State: StateUnknown, Reason: "the repository's files could not be read, and its description does not say that it is a server", Evidence: why}
		}
		return Result{State: StateNotServer, Reason: kind.reason(r), Evidence: append(kind.evidence, why...)}
	}
	out := Result{State: StateServer}
	members = members[:min(len(members), maxServers)]
	for _, m := range members {
		if m.readme == nil {
			if r.rootAbout != nil && !r.launches(m) {
				continue
			}
			if r.rootAbout != nil && r.launches(r.rootAbout) {
				r.rootAbout = nil
				break
			}
			r.rootAbout = m
		}
	}
	for _, m := range members {
		out.Servers = append(out.Servers, r.server(m, len(members) == 1))
	}
	sort.SliceStable(out.Servers, func(i, j int) bool {
		return out.Servers[i].Detection.Subfolder < out.Servers[j].Detection.Subfolder
	})
	out.Reason = out.Servers[0].Detection.Reason
	out.Evidence = out.Servers[0].Detection.Evidence
	if n := len(out.Servers); n > 1 {
		out.Reason = fmt.Sprintf("the repository holds %d servers", n)
		out.Evidence = nil
		for i := range out.Servers[:min(n, 20)] {
			if ev := out.Servers[i].Detection.Evidence; len(ev) > 0 {
				out.Evidence = append(out.Evidence, ev[0])
			}
		}
	}
	return out
}

// listed returns the listings that are not deleted, the latest of each name
// first.
func listed(listings []registry.Listing) []registry.Listing {
	var out []registry.Listing
	for _, l := range listings {
		if l.Status != "deleted" {
			out = append(out, l)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// launches says whether the root's README tells users to run the package of a
// member.
func (r *repo) launches(u *unit) bool {
	root := r.unit("")
	if root.readme == nil {
		return false
	}
	for _, l := range root.readme.Commands {
		if u.named(l.RegistryType, l.Identifier) {
			return true
		}
	}
	return false
}

// server puts the facts of one member together.
func (r *repo) server(u *unit, alone bool) Server {
	d := registry.Detection{
		IsServer: true, Confidence: u.confidence, Reason: u.reason, Evidence: u.evidence,
		Subfolder: u.folder, Manifests: u.manifests, ServerJSON: u.server != nil,
		Unfounded: u.unfounded, Marks: r.marksOf(u, alone),
	}
	readme, readmePath, own := r.readmeOf(u)
	c := &context{repo: r, unit: u, readme: readme, own: own || alone, alone: alone}
	d.SDK, d.SDKPackage, d.SDKVersion, d.SDKEcosystem, d.Framework = u.sdk.language, u.sdk.pkg, u.sdk.version, u.sdk.ecosystem, u.sdk.framework
	d.SDKLocked = r.locked(u)
	d.License = u.license()
	d.LicenseFile = r.licenseFile(u.dir)
	c.naming(&d)
	c.packages(&d)
	c.remotes(&d)
	c.transports(&d)
	c.environment(&d)
	c.tools(&d)
	c.tags(&d)
	c.classify(&d)
	sort.Strings(d.Manifests)
	out := Server{Detection: d}
	if r.snap.Files != nil {
		out.Tree = r.tree(u, alone)
	}
	if readme != nil {
		out.Readme = c.readmeFacts(&d, readmePath)
		out.ReadmeText = readme.Text
	}
	return out
}

// A context is what the rules look at while they describe one server.
type context struct {
	repo   *repo
	unit   *unit
	readme *readme.Document // nil if there is none
	own    bool             // the README is about this server alone
	alone  bool             // the repository holds one server
}

func (c *context) readmeFacts(d *registry.Detection, path string) *registry.ReadmeFacts {
	m := c.readme
	f := &registry.ReadmeFacts{
		Path: path, Characters: m.Characters, ClientConfig: m.ClientConfig, ToolHeading: m.ToolHeading, ToolEntries: m.ToolEntries,
		Deprecation: m.Deprecation, DeprecationText: m.DeprecationText, Successor: m.Successor, ObservedAt: c.repo.snap.Repo.ObservedAt,
	}
	seen := map[string]bool{}
	for _, l := range m.Commands {
		if f.InstallCommand == "" && l.Runner != "" && l.Runner != "npm" && l.Runner != "make" && !manifest.IsBridge(l.Identifier) {
			f.InstallCommand = cut(l.Line, 500)
		}
		if l.Identifier != "" && !manifest.IsBridge(l.Identifier) && !seen[l.Identifier] && len(f.InstallNames) < 50 {
			seen[l.Identifier] = true
			f.InstallNames = append(f.InstallNames, l.Identifier)
		}
	}
	words := map[string]int{}
	for _, t := range m.Tools {
		words[t.Name] = len(strings.Fields(t.Description))
	}
	for _, t := range d.Tools {
		if len(strings.Fields(t.Description)) >= 5 && d.ToolsFrom != "readme" || words[t.Name] >= 5 {
			f.ToolsDescribed = append(f.ToolsDescribed, t.Name)
		}
	}
	described := map[string]bool{}
	for _, v := range m.Variables {
		described[v.Name] = true // it stands in the README
	}
	for _, v := range d.Variables {
		f.VariablesKnown = append(f.VariablesKnown, v.Name)
		if described[v.Name] || v.Description != "" {
			f.VariablesDescribed = append(f.VariablesDescribed, v.Name)
		}
	}
	return f
}

// cut shortens s to at most n bytes at a character's border.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
