package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"golang.org/x/sync/singleflight"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

// News tells what the read model does not hold.
type News interface {
	// News returns when servers were listed and how their scores changed on the
	// days from since until before until, at most limit of each, newest first;
	// of all servers if slugs is nil.
	News(ctx context.Context, slugs []string, since, until time.Time, limit int) ([]registry.News, error)
}

const (
	feedEntries = 100
	feedFor     = 10 * time.Minute // a feed is kept
	feedsMost   = 200              // feeds that are kept
	scoreNews   = 30 * 24 * time.Hour
)

type feeds struct {
	mu   sync.Mutex
	kept map[string]keptFeed
	one  singleflight.Group
	busy chan struct{} // as many as the database is asked for at once
	once sync.Once
	// byOwner are the servers of each owner, where they have been looked up
	// beforehand; nil: they are looked for.
	byOwner map[string][]*catalog.Item
}

type keptFeed struct {
	at    time.Time
	body  []byte
	slugs []string // of the servers that it names
}

// stands says whether all of its servers are still listed: what is hidden or has
// left is named no longer.
func (k keptFeed) stands(v *catalog.View) bool {
	return !slices.ContainsFunc(k.slugs, func(slug string) bool {
		i, _ := v.Find(slug)
		return i == nil
	})
}

// A feedScope is what a feed is about: everything, a category, or an owner.
type feedScope struct{ Category, Owner string }

// path is the address of the feed.
func (f feedScope) path() string { return strings.TrimSuffix(f.page(), "/") + "/feed.atom" }

// page is the address of the page beside it.
func (f feedScope) page() string {
	switch {
	case f.Category != "":
		return "/categories/" + f.Category
	case f.Owner != "":
		return "/owners/" + url.PathEscape(f.Owner)
	}
	return "/"
}

// Feed is the address of the feed of what a list shows; "" where it shows less
// or more than a feed tells of.
func (p serversPage) Feed() string {
	switch p.Canonical {
	case "/servers":
		return feedScope{}.path()
	case browse{Owner: p.Owner}.address(1):
		return feedScope{Owner: strings.ToLower(p.Owner)}.path()
	}
	if len(p.Categories) == 1 && p.Canonical == (browse{Categories: p.Categories}).address(1) {
		return feedScope{Category: p.Categories[0]}.path()
	}
	return ""
}

// servers returns the servers of the scope, best first.
func (f feedScope) servers(v *catalog.View) []*catalog.Item {
	var all []*catalog.Item
	l := v.List(f.Category, catalog.ByQuality, -1)
	for n := range l.Total() {
		if i := l.At(n); f.Owner == "" || i.Owner() == f.Owner {
			all = append(all, i)
		}
	}
	return all
}

// feed answers GET /feed.atom and those of categories and owners.
func (s *Site) feed(ctx context.Context, c *gin.Context) error {
	var f feedScope
	if name := c.Param("category"); name != "" {
		if f.Category = strings.ToLower(name); !slices.Contains(registry.Categories, f.Category) {
			return noCategory()
		}
	}
	if name := c.Param("owner"); name != "" {
		if f.Owner = strings.ToLower(name); len(f.Owner) > longest || !inPath(f.Owner) {
			return registry.Errorf(registry.ErrNotFound, "There is no such list.")
		}
	}
	v, err := s.view()
	if err != nil {
		return err
	}
	body, err := s.feedOf(ctx, v, f)
	if err != nil {
		return err
	}
	h := c.Writer.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	s.writeXML(c, contentTag(body), "application/atom+xml; charset=utf-8", body)
	return nil
}

// feedOf returns a feed, made at most every feedFor.
func (s *Site) feedOf(ctx context.Context, v *catalog.View, f feedScope) ([]byte, error) {
	m, key, now := &s.machine.feeds, f.path(), s.Now()
	m.mu.Lock()
	k, ok := m.kept[key]
	m.mu.Unlock()
	ok = ok && k.stands(v)
	if ok && now.Sub(k.at) < feedFor {
		return k.body, nil
	}
	m.once.Do(func() { m.busy = make(chan struct{}, 2) })
	body, err, _ := m.one.Do(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		select {
		case m.busy <- struct{}{}:
			defer func() { <-m.busy }()
		case <-ctx.Done():
			return nil, registry.Errorf(registry.ErrUnavailable, "Too many feeds are asked for at the moment. Please try again in a minute.")
		}
		body, slugs, err := s.makeFeed(ctx, v, f)
		if err != nil {
			if ok && !errors.Is(err, registry.ErrNotFound) {
				return k.body, nil // better old than none
			}
			return nil, err
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.kept == nil {
			m.kept = map[string]keptFeed{}
		}
		for old, k := range m.kept { // what is out of date goes first, then any
			if len(m.kept) < feedsMost {
				break
			}
			if now.Sub(k.at) >= feedFor || len(m.kept) >= feedsMost {
				delete(m.kept, old)
			}
		}
		m.kept[key] = keptFeed{now, body, slugs}
		return body, nil
	})
	if err != nil {
		return nil, err
	}
	return body.([]byte), nil
}

// An entry is one piece of news, as Atom (RFC 4287, 4.1.2) has it.
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

// tagURI is an id (RFC 4151) that stays when the registry's data are shown
// elsewhere.
func (s *Site) tagURI(path string) string {
	host := "localhost"
	if u, err := url.Parse(s.BaseURL); err == nil && u.Hostname() != "" {
		host = u.Hostname()
	}
	return "tag:" + host + ",2026:" + strings.TrimPrefix(path, "/")
}

// makeFeed puts a feed together.
func (s *Site) makeFeed(ctx context.Context, v *catalog.View, f feedScope) (body []byte, slugs []string, err error) {
	var items []*catalog.Item
	if m := &s.machine.feeds; f.Owner != "" && m.byOwner != nil {
		items = m.byOwner[f.Owner]
	} else {
		items = f.servers(v)
	}
	if len(items) == 0 && f.Owner != "" {
		return nil, nil, registry.Errorf(registry.ErrNotFound, "No server in the registry has this owner.")
	}
	entries, err := s.releases(items)
	if err != nil {
		return nil, nil, err
	}
	if s.News != nil && len(items) > 0 {
		var of []string
		if f != (feedScope{}) {
			for _, i := range items {
				of = append(of, i.Slug())
			}
		}
		now := s.Now()
		news, err := s.News.News(ctx, of, now.Add(-scoreNews), now, feedEntries)
		if err != nil {
			return nil, nil, registry.Wrap(registry.ErrUnavailable, err, "The news are not available at the moment. Please try again in a minute.")
		}
		for _, n := range news {
			i, _ := v.Find(n.Slug)
			if i == nil {
				continue // it has left since
			}
			e, err := s.newsEntry(i, n)
			if err != nil {
				return nil, nil, err
			}
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.ID, b.ID))
	})
	entries = entries[:min(len(entries), feedEntries)]

	a := atomFeed{Lang: "en", ID: s.tagURI(f.path()), Entries: entries}
	a.Author.Name = s.Brand.Name()
	a.Title = s.Brand.Name() + ": news of MCP servers"
	switch {
	case f.Category != "":
		a.Title = s.Brand.Name() + ": " + categoryName(f.Category) + " servers"
	case f.Owner != "":
		a.Title = s.Brand.Name() + ": servers of " + xmlText(f.Owner)
	}
	a.Subtitle = "New servers, releases, and scores that changed by a grade or by 5 points and more from one day to the next"
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) // of a feed without entries
	if len(entries) > 0 {
		at = entries[0].at
	}
	a.Updated = at.UTC().Format(time.RFC3339)
	a.Links = []atomLink{
		{Rel: "self", Type: "application/atom+xml", Href: s.BaseURL + f.path()},
		{Rel: "alternate", Type: "text/html", Href: s.address(f.page())},
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	e := xml.NewEncoder(&b)
	e.Indent("", " ")
	if err := e.Encode(a); err != nil {
		return nil, nil, fmt.Errorf("feed %s: %w", f.path(), err)
	}
	b.WriteByte('\n')
	for _, e := range entries {
		slugs = append(slugs, e.slug)
	}
	return b.Bytes(), slugs, nil
}

// releases returns the newest release of each of the servers that released
// last.
func (s *Site) releases(items []*catalog.Item) ([]entry, error) {
	now := s.Now()
	items = slices.DeleteFunc(slices.Clone(items), func(i *catalog.Item) bool {
		at := i.ReleasedAt()
		return at.IsZero() || at.After(now) // a clock that is wrong is no news
	})
	slices.SortFunc(items, func(a, b *catalog.Item) int {
		return cmp.Or(b.ReleasedAt().Compare(a.ReleasedAt()), cmp.Compare(a.Slug(), b.Slug()))
	})
	var all []entry
	for _, i := range items[:min(len(items), feedEntries)] {
		var d struct{ LatestVersion string }
		if err := json.Unmarshal(i.AppendDetail(nil), &d); err != nil {
			return nil, fmt.Errorf("record of %s: %w", i.Slug(), err)
		}
		version := xmlText(d.LatestVersion)
		id, title := version, "%s "+version+" is released"
		if version == "" {
			id, title = i.ReleasedAt().Format(time.DateOnly), "%s has a new release"
		}
		e, err := s.entryOf(i, "release", "Release", "releases/"+url.PathEscape(id), title, i.ReleasedAt())
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// newsEntry is the entry of what happened to a server.
func (s *Site) newsEntry(i *catalog.Item, n registry.News) (entry, error) {
	if n.Then == nil || n.Before == nil {
		return s.entryOf(i, "new", "New server", "listed", "%s is new in the registry", n.At)
	}
	day := n.At.Add(-time.Second)
	title := fmt.Sprintf("%%s: health %d, grade %s, after %d, grade %s", *n.Then, registry.GradeOf(*n.Then), *n.Before, registry.GradeOf(*n.Before))
	return s.entryOf(i, "score", "Change of score", "scores/"+day.Format(time.DateOnly), title, n.At)
}

// entryOf returns an entry about a server; title has one %s, for its name.
func (s *Site) entryOf(i *catalog.Item, term, label, id, title string, at time.Time) (entry, error) {
	r, err := rowOf(i)
	if err != nil {
		return entry{}, err
	}
	name := xmlText(r.Name)
	if name == "" {
		name = r.Slug
	}
	summary := xmlText(r.Description)
	if summary == "" {
		summary = "No description is known."
	}
	return entry{
		ID: s.tagURI("servers/" + r.Slug + "/" + id), Title: strings.Replace(title, "%s", name, 1), Updated: at.UTC().Format(time.RFC3339),
		Link: atomLink{Rel: "alternate", Type: "text/html", Href: s.address("/servers/" + r.Slug)}, Category: atomCategory{term, label},
		Summary: summary, at: at, slug: r.Slug,
	}, nil
}

// xmlText is a text from outside in one line, without signs that XML 1.0 does
// not have or that turn the direction of writing around.
func xmlText(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || r == 0x7f:
			return ' '
		case r == 0xfffe || r == 0xffff || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 500 {
		s = strings.TrimSpace(string(r[:499])) + "…"
	}
	return s
}
