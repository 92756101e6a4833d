package feeds

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/web/browse"
	"mcpcensus/web/format"
	"mcpcensus/web/record"
	"mcpcensus/web/site"
)

const (
	// NewsAge is how far back feeds go.
	NewsAge = 30 * 24 * time.Hour

	maxEntries  = 100
	maxNamed    = 20  // tools in an entry
	maxFeeds    = 200 // that are cached
	feedTTL     = 10 * time.Minute
	feedTimeout = 10 * time.Second
)

// A feed is a finished feed.
type feed struct {
	body  []byte
	slugs []string // of the servers that it names
}

// allListed reports whether all servers of a feed are still listed: hidden
// servers must no longer be named.
func (f feed) allListed(v *catalog.View) bool {
	return !slices.ContainsFunc(f.slugs, func(slug string) bool {
		i, _ := v.Find(slug)
		return i == nil
	})
}

// serveAtom responds to GET /feed.atom and to the feeds of categories and
// owners.
func (f *Feeds) serveAtom(ctx context.Context, c *gin.Context, v *catalog.View) error {
	var of site.Feed
	if name := c.Param("category"); name != "" {
		if of.Category = strings.ToLower(name); !slices.Contains(registry.Categories, of.Category) {
			return browse.NoCategory()
		}
	}
	if name := c.Param("owner"); name != "" {
		if of.Owner = strings.ToLower(name); len(of.Owner) > browse.MaxLength ||
			!browse.InPath(of.Owner) {
			return registry.Errorf(registry.ErrNotFound, "No such list.")
		}
	}
	body, err := f.feedOf(ctx, v, of)
	if err != nil {
		return err
	}
	c.Writer.Header().Set("Access-Control-Allow-Origin", "*")
	f.writeXML(c, "application/atom+xml; charset=utf-8", body)
	return nil
}

// feedOf returns a feed from the cache, or creates it. If the database does not
// respond, it returns the expired feed.
func (f *Feeds) feedOf(ctx context.Context, v *catalog.View, of site.Feed) ([]byte, error) {
	key := of.Path()
	old, known := f.atom.Peek(key)
	if known && !old.allListed(v) {
		f.atom.Remove(key)
		known = false
	}
	got, err := f.atom.Get(key, f.Now(), func() (feed, time.Duration, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), feedTimeout)
		defer cancel()
		if f.atomBusy.Acquire(ctx, 1) != nil {
			return feed{}, 0, registry.Errorf(registry.ErrUnavailable,
				"Too many feeds are being generated. Please try again in a minute.")
		}
		defer f.atomBusy.Release(1)
		made, err := f.makeFeed(ctx, v, of)
		if err != nil && known && !errors.Is(err, registry.ErrNotFound) {
			return old, 0, nil
		}
		return made, feedTTL, err
	})
	return got.body, err
}

// An entry is an Atom entry (RFC 4287, 4.1.2).
type entry struct {
	ID       string       `xml:"id"`
	Title    string       `xml:"title"`
	Updated  string       `xml:"updated"`
	Link     atomLink     `xml:"link"`
	Category atomCategory `xml:"category"`
	Summary  string       `xml:"summary"`

	at   time.Time
	slug string
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type atomCategory struct {
	Term  string `xml:"term,attr"`
	Label string `xml:"label,attr"`
}

type atomFeed struct {
	XMLName  xml.Name   `xml:"http://www.w3.org/2005/Atom feed"`
	Lang     string     `xml:"xml:lang,attr"`
	ID       string     `xml:"id"`
	Title    string     `xml:"title"`
	Subtitle string     `xml:"subtitle"`
	Updated  string     `xml:"updated"`
	Links    []atomLink `xml:"link"`
	Author   struct {
		Name string `xml:"name"`
	} `xml:"author"`
	Entries []entry `xml:"entry"`
}

// tagURI is an id (RFC 4151) that does not change when the registry moves.
func (f *Feeds) tagURI(path string) string {
	host := "localhost"
	if u, err := url.Parse(f.BaseURL); err == nil && u.Hostname() != "" {
		host = u.Hostname()
	}
	return "tag:" + host + ",2026:" + strings.TrimPrefix(path, "/")
}

// makeFeed returns a feed of releases and news, newest first.
func (f *Feeds) makeFeed(ctx context.Context, v *catalog.View, of site.Feed) (feed, error) {
	items := f.servers(v, of)
	if len(items) == 0 && of.Owner != "" {
		return feed{}, registry.Errorf(registry.ErrNotFound,
			"No server in the registry has this owner.")
	}
	entries, err := f.releases(items)
	if err != nil {
		return feed{}, err
	}
	news, err := f.newsOf(ctx, v, of, items)
	if err != nil {
		return feed{}, err
	}
	entries = append(entries, news...)
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.ID, b.ID))
	})
	entries = entries[:min(len(entries), maxEntries)]
	var made feed
	for _, e := range entries {
		made.slugs = append(made.slugs, e.slug)
	}
	made.body, err = f.encode(of, entries)
	return made, err
}

// servers returns the servers of a feed, best first.
func (f *Feeds) servers(v *catalog.View, of site.Feed) []*catalog.Item {
	if of.Owner != "" && f.ByOwner != nil {
		return f.ByOwner[of.Owner]
	}
	var all []*catalog.Item
	l := v.List(of.Category, catalog.ByQuality, -1)
	for n := range l.Total() {
		if i := l.At(n); of.Owner == "" || i.Owner() == of.Owner {
			all = append(all, i)
		}
	}
	return all
}

func (f *Feeds) encode(of site.Feed, entries []entry) ([]byte, error) {
	name := f.Brand.Name()
	a := atomFeed{Lang: "en", ID: f.tagURI(of.Path()), Title: name + ": MCP server updates",
		Entries: entries}
	a.Author.Name = name
	switch {
	case of.Category != "":
		a.Title = name + ": " + format.Category(of.Category) + " servers"
	case of.Owner != "":
		a.Title = name + ": servers of " + format.XMLText(of.Owner)
	}
	a.Subtitle = "New servers, releases, changed tools, and scores that changed by a grade or by " +
		"5 points or more from one day to the next"
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) // of a feed without entries
	if len(entries) > 0 {
		at = entries[0].at
	}
	a.Updated = at.UTC().Format(time.RFC3339)
	a.Links = []atomLink{
		{Rel: "self", Type: "application/atom+xml", Href: f.BaseURL + of.Path()},
		{Rel: "alternate", Type: "text/html", Href: f.Address(of.Page())},
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	e := xml.NewEncoder(&b)
	e.Indent("", " ")
	if err := e.Encode(a); err != nil {
		return nil, fmt.Errorf("feed %s: %w", of.Path(), err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// releases returns an entry for the latest release of each recently released server.
func (f *Feeds) releases(items []*catalog.Item) ([]entry, error) {
	now := f.Now()
	items = slices.DeleteFunc(slices.Clone(items), func(i *catalog.Item) bool {
		at := i.ReleasedAt()
		return at.IsZero() || at.After(now) // the clock of its package registry is wrong
	})
	slices.SortFunc(items, func(a, b *catalog.Item) int {
		return cmp.Or(b.ReleasedAt().Compare(a.ReleasedAt()), cmp.Compare(a.Slug(), b.Slug()))
	})
	var all []entry
	for _, i := range items[:min(len(items), maxEntries)] {
		s, err := i.Record()
		if err != nil {
			return nil, err
		}
		version := format.XMLText(s.LatestVersion)
		id, title := version, "%s "+version+" released"
		if version == "" {
			id, title = i.ReleasedAt().Format(time.DateOnly), "%s: new release"
		}
		e := f.entryOf(i, atomCategory{"release", "Release"}, "releases/"+url.PathEscape(id),
			title, i.ReleasedAt())
		if from := record.VersionSource(s); from != "" && s.VersionAt != nil {
			e.Summary += " Version: " + from + ", " + text.Day(*s.VersionAt) + "."
		}
		all = append(all, e)
	}
	return all, nil
}

// newsOf returns entries for the news of the servers of a feed.
func (f *Feeds) newsOf(
	ctx context.Context, v *catalog.View, of site.Feed, items []*catalog.Item,
) ([]entry, error) {
	if len(items) == 0 {
		return nil, nil
	}
	var slugs []string
	if of != (site.Feed{}) {
		for _, i := range items {
			slugs = append(slugs, i.Slug())
		}
	}
	now := f.Now()
	news, err := f.Options.News.News(ctx, slugs, now.Add(-NewsAge), now, maxEntries)
	if err != nil {
		return nil, registry.Wrap(registry.ErrUnavailable, err,
			"The feed is unavailable right now. Please try again in a minute.")
	}
	var all []entry
	for _, n := range news {
		if i, _ := v.Find(n.Slug); i != nil { // it may have been removed since
			all = append(all, f.newsEntry(i, n))
		}
	}
	return all, nil
}

func (f *Feeds) newsEntry(i *catalog.Item, n registry.News) entry {
	switch n.Event() {
	case registry.EventToolsChanged:
		e := f.entryOf(i, atomCategory{"tools", "Change of tools"},
			"tools/"+n.At.UTC().Format(time.RFC3339), "%s: "+toolsTitle(n.Tools), n.At)
		e.Summary = warnings(record.Row(i)) + toolsSummary(n.Tools)
		return e
	case registry.EventListed:
		return f.entryOf(i, atomCategory{"new", "New server"}, "listed",
			"New: %s", n.At)
	}
	day := n.At.Add(-time.Second)
	title := fmt.Sprintf("%%s: health %d (grade %s), was %d (grade %s)",
		*n.Then, registry.GradeOf(*n.Then), *n.Before, registry.GradeOf(*n.Before))
	return f.entryOf(i, atomCategory{"score", "Change of score"},
		"scores/"+day.Format(time.DateOnly), title, n.At)
}

// toolsTitle returns "tools changed (2 added, 1 removed)". toolsSummary names the tools and
// the source of the list.
func toolsTitle(c *registry.ToolsChange) string {
	var parts []string
	for _, p := range toolsParts(c) {
		parts = append(parts, fmt.Sprintf("%d %s", len(p.names), p.verb))
	}
	title := "tools changed (" + strings.Join(parts, ", ") + ")"
	if c.SameVersion {
		title += " without a new version"
	}
	return title
}

func toolsSummary(c *registry.ToolsChange) string {
	var parts []string
	for _, p := range toolsParts(c) {
		names := text.OneLine(strings.Join(p.names[:min(len(p.names), maxNamed)], ", "))
		if more := len(p.names) - maxNamed; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		parts = append(parts, format.Capital(p.verb)+": "+names+".")
	}
	source := format.ToolSource(c.From, c.Package)
	if c.Version != "" {
		source += ", version " + c.Version
	}
	return format.XMLText(strings.Join(append(parts, source+"."), " "))
}

// toolsPart are the tools that were changed in one way.
type toolsPart struct {
	names []string
	verb  string
}

func toolsParts(c *registry.ToolsChange) []toolsPart {
	return slices.DeleteFunc([]toolsPart{{c.Added, "added"}, {c.Removed, "removed"}, {c.Changed, "changed"}},
		func(p toolsPart) bool { return len(p.names) == 0 })
}

// entryOf returns an entry about a server. title has one %s, for its name.
func (f *Feeds) entryOf(
	i *catalog.Item, category atomCategory, id, title string, at time.Time,
) entry {
	s := record.Row(i)
	name := cmp.Or(format.XMLText(record.Label(s)), s.Slug)
	if labels := record.RiskLabels(s); labels != nil {
		name += " (" + strings.Join(labels, ", ") + ")"
	}
	return entry{
		ID:      f.tagURI("servers/" + s.Slug + "/" + id),
		Title:   strings.Replace(title, "%s", name, 1),
		Updated: at.UTC().Format(time.RFC3339),
		Link: atomLink{Rel: "alternate", Type: "text/html",
			Href: f.Address("/servers/" + s.Slug)},
		Category: category,
		Summary:  warnings(s) + described(s),
		at:       at, slug: s.Slug,
	}
}

// warnings returns the risks of a server with their sources and dates as a prefix of a text.
func warnings(s *registry.Server) string {
	var b strings.Builder
	for _, r := range s.Risks() {
		b.WriteString("Warning: " + format.XMLText(format.Risk(r)) + " ")
	}
	return b.String()
}

// described returns the description of a server with its source and date.
func described(s *registry.Server) string {
	text := cmp.Or(format.XMLText(s.Description), "No description.")
	if read := format.Read(s.Repo.Host, s.LastCrawledAt); read != "" {
		text += " (" + read + ")"
	}
	return text
}
