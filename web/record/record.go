// Package record derives the data of pages from a [registry.Server], for lists
// and for the page of a server.
package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
	"mcpcensus/web/format"
)

// Row returns the data of a server in lists.
func Row(i *catalog.Item) *registry.Server {
	s := *i.Summary()
	s.Name = cmp.Or(s.Name, s.Slug)
	return &s
}

// Rows returns the servers of a list from an index to another, exclusive.
func Rows(l catalog.List, from, to int) []*registry.Server {
	to = min(to, l.Total())
	rows := make([]*registry.Server, 0, max(0, to-from))
	for i := from; i < to; i++ {
		rows = append(rows, Row(l.At(i)))
	}
	return rows
}

// Label returns the name of a server with its owner, because names are not unique.
func Label(s *registry.Server) string {
	name := cmp.Or(s.Name, s.Slug)
	if s.Repo.Owner == "" {
		return name
	}
	return name + " · " + s.Repo.Owner
}

// A Record holds the data of a server's page.
type Record struct {
	*registry.Server
	Prefix string // of the ids of its elements, where a page shows several servers
}

func Of(i *catalog.Item) (Record, error) {
	s, err := i.Record()
	if err != nil {
		return Record{}, err
	}
	return New(s), nil
}

// New returns the record of a server, which it may change.
func New(s *registry.Server) Record {
	s.Name = cmp.Or(s.Name, s.Slug)
	return Record{Server: s}
}

// Label is [Label] of the server.
func (r Record) Label() string { return Label(r.Server) }

// PageTitle is the title of the server's page: "Slack MCP server by octo: health 65,
// install, 15 tools".
func (r Record) PageTitle() string {
	title := r.Name
	switch lower := strings.ToLower(r.Name); {
	case strings.HasSuffix(lower, "mcp server"):
	case strings.HasSuffix(lower, "mcp"):
		title += " server"
	default:
		title += " MCP server"
	}
	if r.Repo.Owner != "" {
		title += " by " + r.Repo.Owner
	}
	var parts []string
	if r.Status != registry.StatusActive {
		parts = append(parts, r.Status)
	}
	if r.Health.Score != nil {
		parts = append(parts, fmt.Sprintf("health %d", *r.Health.Score))
	}
	if r.OfferedCommand() != "" || len(r.Remotes) > 0 && !r.Offline() {
		parts = append(parts, "install")
	}
	if count := format.Tools(r.Server); count != "" && len(r.Tools) > 0 {
		parts = append(parts, count)
	}
	if len(parts) > 0 {
		title += ": " + strings.Join(parts, ", ")
	}
	return title
}

// NoLicence is shown for servers without a license.
func (r Record) NoLicence() string {
	if r.LastCrawledAt == nil {
		return "unknown"
	}
	return "none recognized"
}

// NoTools is shown for servers without tools.
func (r Record) NoTools() string {
	if r.LastCrawledAt == nil {
		return "Unknown: the repository has not been read yet."
	}
	return "No tools were detected."
}

// Counts is the number of checks by result.
func (r Record) Counts() map[string]int {
	n := map[string]int{}
	for _, s := range r.Health.Categories {
		for _, c := range s.Checks {
			n[c.Result]++
		}
	}
	return n
}

// maxHighlights is the maximum number of strengths and of weaknesses.
const maxHighlights = 3

// Highlights are the passed checks with the most points, and the failed or partial checks
// that cost the most. Unknown checks are omitted.
type Highlights struct{ Strengths, Weaknesses []registry.Check }

// runChecks are passed by the ways to run a server. They are not strengths while it is offline.
var runChecks = []string{"package_published", "install_docs", "client_config"}

// Highlights returns nil without results of checks. Harmful servers have no strengths.
func (r Record) Highlights() *Highlights {
	var h Highlights
	for _, s := range r.Health.Categories {
		for _, c := range s.Checks {
			switch {
			case c.Result == "pass" && r.Offline() && slices.Contains(runChecks, c.ID):
			case c.Result == "pass" && c.ID == "commit_recency" &&
				r.Health.ComputedAt.Before(r.CreatedAt.AddDate(0, 0, registry.YoungDays)):
			case c.Result == "pass" && c.Points > 0:
				h.Strengths = append(h.Strengths, c)
			case (c.Result == "fail" || c.Result == "partial") && c.Max > c.Points:
				h.Weaknesses = append(h.Weaknesses, c)
			}
		}
	}
	if len(h.Strengths)+len(h.Weaknesses) == 0 {
		return nil
	}
	slices.SortStableFunc(h.Strengths,
		func(a, b registry.Check) int { return cmp.Compare(b.Points, a.Points) })
	slices.SortStableFunc(h.Weaknesses,
		func(a, b registry.Check) int { return cmp.Compare(b.Max-b.Points, a.Max-a.Points) })
	h.Strengths = h.Strengths[:min(len(h.Strengths), r.maxStrengths())]
	h.Weaknesses = h.Weaknesses[:min(len(h.Weaknesses), maxHighlights)]
	return &h
}

func (r Record) maxStrengths() int {
	if r.Harm() {
		return 0
	}
	return maxHighlights
}

var sourceNames = map[string]string{
	"official-registry": "the official registry",
	"manual":            "a manual submission",
	"on-demand":         "a check of its repository",
}

// Discoveries are the sources that name a server, with the day on which they last did.
func (r Record) Discoveries() (all []Origin) {
	for _, s := range r.Sources {
		name := cmp.Or(sourceNames[s.Name], s.Name)
		if host := registry.FindHost(s.Name); host != nil {
			name = host.Name + " search"
		} else if list, ok := strings.CutPrefix(name, "list:"); ok {
			name = "the list " + strings.TrimSuffix(list, ".md")
		}
		isSame := func(o Origin) bool { return o.Source == name }
		if !slices.ContainsFunc(all, isSame) {
			all = append(all, Origin{Source: name, At: s.LastSeenAt})
		}
	}
	return all
}

// CapApplied returns the cap that lowered the score, nil if none did.
func (r Record) CapApplied() *registry.Cap {
	for i, c := range r.Health.Caps {
		if c.Applied {
			return &r.Health.Caps[i]
		}
	}
	return nil
}

// CapOrigin returns the source and date of the reason of [Record.CapApplied], nil without a
// cap or date.
func (r Record) CapOrigin() *Origin {
	c := r.CapApplied()
	if c == nil {
		return nil
	}
	source, at := r.Server.CapOrigin(*c)
	if at != nil && source != "" {
		return &Origin{Source: format.CheckSource(source), At: *at}
	}
	if r.Health.ComputedAt.IsZero() {
		return nil
	}
	return &Origin{Source: "model " + r.Health.Version, At: r.Health.ComputedAt}
}

// Downloads are the downloads of the packages of one type; nil is unknown.
type Downloads struct {
	Type  string
	Count *int64
}

// DownloadsByType returns the downloads of each type that has packages or downloads.
func (r Record) DownloadsByType() (all []Downloads) {
	types := map[string]bool{}
	for kind := range r.DownloadsBy {
		types[kind] = true
	}
	for _, p := range r.Packages {
		types[p.RegistryType] = true
	}
	for _, kind := range slices.Sorted(maps.Keys(types)) {
		d := Downloads{Type: kind}
		if n, known := r.DownloadsBy[kind]; known {
			d.Count = &n
		}
		all = append(all, d)
	}
	return all
}

// Find returns the listed server with a slug, present or former, or with a name
// of the official registry. The error for a name that does not exist names
// similar slugs.
func Find(v *catalog.View, name string) (*catalog.Item, error) {
	i, gone := v.Lookup(name)
	switch {
	case gone:
		return nil, &registry.Error{Kind: registry.ErrGone, Code: "server_deleted",
			Msg: "The repository of this server " + v.WhyGone(name) + "."}
	case i == nil:
		return nil, &registry.Error{Kind: registry.ErrNotFound, Code: "server_not_found",
			Msg: "No such server in the registry.", Candidates: v.Similar(name, 5)}
	}
	return i, nil
}

// InRepo returns the listed server that an address means in a repository, by
// the key of the repository; nil if none.
func InRepo(v *catalog.View, key string, ref registry.RepoRef) *catalog.Item {
	items := v.InRepo(key)
	if at, _ := catalog.Among(items, ref); at >= 0 {
		return items[at]
	}
	return nil
}
