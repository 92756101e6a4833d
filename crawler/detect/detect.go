// Package detect finds and describes the MCP servers of a repository, from the files that a
// crawl read.
//
// It is a pure function of a snapshot and the official registry's listings. It accepts any
// input, leaves facts unknown that the files do not contain, and returns the evidence for every
// decision. It is one package because all rules read the same index of a repository and change
// the same candidates.
package detect

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/manifest/readme"
	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/shell"
	"mcpcensus/internal/registry"
)

// States of a repository, as in registry.Result.
const (
	StateServer    = "server"
	StateNotServer = "not_server"
	StateEmpty     = "empty"
	StateUnknown   = "unknown" // too little could be read
)

// A Result is the result of detection in a repository.
type Result struct {
	// Servers are the servers found, in the order of their subfolders; empty
	// unless State is "server".
	Servers []Server
	State   string // one of the states above
	// Kind is that of a repository without a server: "framework", "template", "client",
	// "library", "list" or "course"; "" if unknown.
	Kind   string
	Reason string // of State, as a displayable clause
	// Evidence is the evidence for State. The evidence for each server is in its Detection.
	Evidence []registry.Evidence
	// CIEnded reports that a limit of work ended the reading of configurations of CI.
	CIEnded bool
}

// A Server is one server of a repository.
type Server struct {
	Detection registry.Detection
	Tree      registry.TreeFacts // zero ObservedAt if the listing could not be read
	Readme    *registry.ReadmeFacts
	// ReadmeUnread reports that the folder has a README that was not read;
	// Readme is then nil.
	ReadmeUnread bool
	// ReadmeText is the README's plain text, for searching.
	ReadmeText string
	// Ended reports that a limit of steps ended the reading of its source, so that tools may be
	// missing.
	Ended bool
}

// Ended reports whether a limit of steps left something of a server or of a CI unread.
func (r *Result) Ended() bool {
	return r.CIEnded || slices.ContainsFunc(r.Servers, func(s Server) bool { return s.Ended })
}

// HasTree reports whether the repository's listing was read and Tree is valid.
func (s *Server) HasTree() bool { return !s.Tree.ObservedAt.IsZero() }

// MaxServers is the maximum number of servers of one repository. More are probably generated.
const MaxServers = 300

// Servers returns the servers in a snapshot. listings are the official registry's entries for
// this repository, the latest version of each name. A repository that its owner listed is a
// server regardless of its files. Entries of others, which anyone may publish, count only until
// files have been read.
func Servers(s *registry.Snapshot, listings []registry.Listing) Result {
	if s == nil {
		s = &registry.Snapshot{}
	}
	r := read(s)
	r.marks = r.allMarks()
	active := r.active(listings)
	if len(active) == 0 {
		switch {
		case s.Repo.Empty:
			return Result{State: StateEmpty, Reason: "the repository has no commits"}
		case r.unread() && s.Repo.Description == "" && !hasMCP(s.Repo.Name):
			return Result{State: StateUnknown, Reason: "none of the repository's files could be read"}
		}
	}
	r.resolve()
	kind := r.kind()
	members, missed := r.members(kind, active)
	if len(members) == 0 {
		return r.none(kind, missed)
	}
	members = members[:min(len(members), MaxServers)]
	r.rootAbout = r.describedByRoot(members)
	var servers []Server
	for _, m := range members {
		servers = append(servers, r.server(m, len(members) == 1))
	}
	if !slices.ContainsFunc(servers, func(s Server) bool { return !r.isTutorial(&s) }) {
		kind = decided(kindCourse, servers[0].Detection.Tools[0].Name)
		kind.evidence = servers[0].Detection.Evidence
		return r.none(kind, nil)
	}
	slices.SortStableFunc(servers, func(a, b Server) int {
		return cmp.Compare(a.Detection.Subfolder, b.Detection.Subfolder)
	})
	out := found(servers)
	out.CIEnded = r.ci().Ended()
	return out
}

// isTutorial reports whether a server has only tools of the tutorials of SDKs, and nothing was
// published.
func (r *repo) isTutorial(s *Server) bool {
	d, released := &s.Detection, r.snap.Repo.Releases
	if d.ToolsPartial || d.RegistryName != "" || len(d.Tools) == 0 || len(d.Remotes) > 0 ||
		released != nil && *released > 0 {
		return false
	}
	if slices.ContainsFunc(d.Packages, func(p registry.Package) bool { return p.Doubt == "" }) {
		return false
	}
	var names []string
	for _, t := range d.Tools {
		name := strings.TrimPrefix(strings.ToLower(separators.Replace(t.Name)), d.SDK)
		names = append(names, name)
	}
	slices.Sort(names)
	return tutorialTools[strings.Join(names, " ")] ||
		!slices.ContainsFunc(names, func(n string) bool { return !tutorialTools[n] })
}

var separators = strings.NewReplacer("-", "", "_", "", ".", "", " ", "")

// active returns the owner's listings that are not deleted, by name. Listings of
// an empty repository count only if they have packages or remotes.
func (r *repo) active(listings []registry.Listing) []registry.Listing {
	gone := func(l registry.Listing) bool {
		return l.Status == "deleted" || r.snap.Repo.Empty && len(l.Packages) == 0 && len(l.Remotes) == 0
	}
	out := slices.DeleteFunc(slices.Clone(listings), gone)
	slices.SortStableFunc(out, func(a, b registry.Listing) int { return cmp.Compare(a.Name, b.Name) })
	return OwnListings(out, &r.snap.Repo, r.marks)
}

// none returns the result of a repository without servers.
func (r *repo) none(kind repoKind, missed []registry.Evidence) Result {
	if r.unread() {
		return Result{
			State: StateUnknown,
			Reason: "the repository's files could not be read, and its description does not say that " +
				"it is a server",
			Evidence: missed,
		}
	}
	return Result{State: StateNotServer, Kind: kind.name, Reason: kind.reason(r),
		Evidence: append(kind.evidence, missed...)}
}

func found(servers []Server) Result {
	out := Result{State: StateServer, Servers: servers}
	if len(servers) == 1 {
		out.Reason, out.Evidence = servers[0].Detection.Reason, servers[0].Detection.Evidence
		return out
	}
	out.Reason = fmt.Sprintf("the repository contains %d servers", len(servers))
	for i := range servers {
		servers[i].Detection.Members = len(servers)
		if ev := servers[i].Detection.Evidence; i < 20 && len(ev) > 0 {
			out.Evidence = append(out.Evidence, ev[0])
		}
	}
	return out
}

// describedByRoot returns the member without a README that the root's README describes: the only
// one whose package the README runs or, without any, the only one at all if the README is about
// no other folder or the repository is named after it. It returns nil if there is none or more
// than one.
func (r *repo) describedByRoot(members []*unit) *unit {
	silent := slices.DeleteFunc(slices.Clone(members), func(m *unit) bool {
		return m.readme != nil || r.hasUnreadReadme(m.dir)
	})
	launched := slices.DeleteFunc(slices.Clone(silent), func(m *unit) bool { return !r.launches(m) })
	switch {
	case len(launched) == 1:
		return launched[0]
	case len(launched) > 1 || len(silent) != 1:
		return nil
	}
	ofOther := func(v *unit) bool { return v != silent[0] && (r.launches(v) || v.dir == "" && v.reason != "") }
	if r.namedAfter(silent[0]) || !slices.ContainsFunc(r.units, ofOther) {
		return silent[0]
	}
	return nil
}

// namedAfter reports whether the repository is named after a member, which is the main one.
func (r *repo) namedAfter(u *unit) bool {
	own, name := wordsOf(path.Base(u.dir)), wordsOf(r.snap.Repo.Name)
	return len(own) > 0 && !slices.ContainsFunc(own, func(w string) bool { return !slices.Contains(name, w) })
}

// launches reports whether the root's README tells users to run the package of
// a member.
func (r *repo) launches(u *unit) bool {
	root := r.unit("")
	return root.readme != nil && slices.ContainsFunc(root.readme.Commands, func(l shell.Launch) bool {
		return u.named(l.RegistryType, l.Identifier)
	})
}

// A candidate is the input of the rules that describe one server.
type candidate struct {
	repo   *repo
	unit   *unit
	readme *readme.Document // empty if there is none
	own    bool             // the README is about this server alone
	alone  bool             // the repository contains one server
	tagged []string         // topics, keywords and words of the name, before folding synonyms
	ended  bool             // a limit of steps ended the reading of its source
	told   string           // the owner's text that the description is from, or the first one
	// claimed is what the files say about its variables.
	claimed []settings.Claim
}

// isRoot reports whether the repository's description applies to the server.
func (c *candidate) isRoot() bool { return c.alone || c.unit.dir == "" }

// server returns the facts of one member.
func (r *repo) server(u *unit, alone bool) Server {
	d := registry.Detection{
		IsServer: true, Confidence: u.confidence, Reason: u.reason, Evidence: u.evidence,
		Subfolder: u.folder, Manifests: slices.Sorted(slices.Values(u.manifests)),
		ServerJSON: u.server != nil,
		Unfounded:  u.unfounded, Marks: r.marksOf(u, alone),
		SDK: u.sdk.language, SDKPackage: u.sdk.pkg, SDKVersion: u.sdk.version,
		SDKEcosystem: u.sdk.ecosystem,
		Framework:    u.sdk.framework, SDKLocked: r.locked(u),
		License:     r.license(u),
		LicenseFile: slices.ContainsFunc(slices.Concat(r.dirs[u.dir], r.dirs[""]), licenseName.MatchString),
	}
	doc, path, own := r.readmeOf(u)
	c := &candidate{repo: r, unit: u, readme: cmp.Or(doc, &readme.Document{}), own: own || alone, alone: alone}
	if !c.own {
		c.readme = r.withoutOthers(c.readme, u)
	}
	c.naming(&d)
	d.Language = r.programLanguage(u)
	c.packages(&d)
	c.remotes(&d)
	c.transports(&d)
	c.environment(&d)
	c.tools(&d)
	d.Variables = c.withoutValues(&d)
	c.readOnly(&d)
	d.Description, d.DescriptionFrom = c.description(d.Name, d.Tools)
	c.tags(&d)
	c.classify(&d)
	d.Kind = c.kind(&d)
	out := Server{Detection: d, Ended: c.ended}
	if r.snap.Files != nil {
		out.Tree = r.tree(u, alone)
	}
	if out.ReadmeUnread = !own && !alone && r.hasUnreadReadme(u.dir); out.ReadmeUnread {
		return out // the README above does not replace this server's
	}
	if doc != nil {
		out.Readme, out.ReadmeText = c.readmeFacts(path), doc.Text
	}
	return out
}

// withoutOthers returns a README above a unit without the commands and configurations that start
// packages of other units.
func (r *repo) withoutOthers(doc *readme.Document, u *unit) *readme.Document {
	ofOther := func(l shell.Launch) bool {
		return !u.named(l.RegistryType, l.Identifier) && slices.ContainsFunc(r.units, func(v *unit) bool {
			return v != u && !strings.HasPrefix(v.dir, prefix(u.dir)) && v.named(l.RegistryType, l.Identifier)
		})
	}
	out := *doc
	out.Commands = slices.DeleteFunc(slices.Clone(doc.Commands), ofOther)
	out.Servers = slices.DeleteFunc(slices.Clone(doc.Servers), func(s manifest.ClientServer) bool {
		l, err := s.Launch()
		return err == nil && ofOther(l)
	})
	if len(out.Servers) == 0 && len(doc.Servers) > 0 {
		out.ClientConfig = ""
	}
	return &out
}
