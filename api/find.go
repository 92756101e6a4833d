package api

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/page"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// MaxResults is how many results of a search with a text can be paged through.
const MaxResults = query.MaxMatches

// A Page is a page of servers.
type Page struct {
	Items  []*catalog.Item
	Offset int // results before the page
	Count  int // results on the page: servers, or tools of them
	Total  int
	// Next is where the page ended, nil if there is no further page. Its Path
	// and Params are to be filled in.
	Next     *page.Cursor
	Facets   map[string]map[string]int
	Warnings []string // about the search, nil for none
}

func (p *Page) Slugs() []string {
	out := make([]string, len(p.Items))
	for n, i := range p.Items {
		out[n] = i.Slug()
	}
	return out
}

// Find returns the page of a query after the cursor, if any. Position errors name field.
func Find(
	ctx context.Context, v *catalog.View, index Searcher, q query.Query,
	after *page.Cursor, field string,
) (*Page, error) {
	p := &Page{Offset: q.Offset}
	if after != nil {
		at := after.Position()
		if !at.Fits(q.Orders()) {
			return nil, registry.Invalid("cursor", "is out of date; start again without it")
		}
		q.After, q.Offset = &at, 0
		p.Offset, field = after.Offset, "cursor"
	}
	if q.Text != "" && p.Offset+q.Limit > MaxResults {
		return nil, beyond(field)
	}
	matches, err := Match(ctx, index, q.Text)
	if err != nil {
		return nil, err
	}
	res, from := v.Search(q, matches.Of(q))
	p.Offset, p.Count, p.Total = max(from, q.Offset), len(res.Slugs), res.Total
	p.Facets, p.Warnings = res.Facets, Warnings(matches, q)
	for _, slug := range res.Slugs {
		if i, _ := v.Find(slug); i != nil {
			p.Items = append(p.Items, i)
		}
	}
	end := p.Offset + p.Count
	if p.Count > 0 && end < p.Total && (q.Text == "" || end+q.Limit <= MaxResults) {
		last := res.Positions[p.Count-1]
		p.Next = &page.Cursor{Keys: last.Keys, Slug: last.Slug, Offset: end}
	}
	return p, nil
}

// Match returns the servers that match a text, none without a text.
func Match(ctx context.Context, index Searcher, text string) (query.Matches, error) {
	switch {
	case text == "":
		return query.Matches{}, nil
	case index == nil:
		return query.Matches{}, registry.Errorf(registry.ErrUnavailable,
			"Search is temporarily unavailable. Lists without a search text are available.")
	}
	return index.Match(ctx, text)
}

func beyond(field string) error {
	return registry.Invalid(field, "must not be beyond the first 10,000 results of a search; "+
		"narrow the search, or list without a search text")
}

// Warnings returns what there is to know about the matches of a search: that the index is away, that
// another text was searched for, and that some match only a part of the text. It is nil for none.
func Warnings(m query.Matches, q query.Query) (all []string) {
	if m.Degraded {
		all = append(all, "The search index is temporarily unavailable. "+
			"READMEs and descriptions of tools were not searched, "+
			"so results may be missing or in a different order.")
	}
	if m.Corrected != "" {
		all = append(all, "No server has a word of the text: these are the results for \""+m.Corrected+"\".")
	}
	if !q.AllWords && m.All > 0 && m.All < len(m.Slugs) {
		all = append(all, "Servers that match all meaningful words come first; the others match some. "+
			"match=all leaves them out.")
	}
	return all
}

// FindServer returns the listed server that has or had a slug or has a name in the
// official registry. The error is of kind registry.ErrNotFound, with candidates, or
// registry.ErrGone.
func (a *API) FindServer(ctx context.Context, v *catalog.View, name string) (*catalog.Item, error) {
	i, gone := v.Lookup(name)
	switch {
	case i != nil:
		return i, nil
	case gone:
		return nil, &registry.Error{
			Kind: registry.ErrGone, Code: "server_deleted",
			Msg: "The repository of " + page.Printable(name) + " " + v.WhyGone(name) + ".",
		}
	}
	e := &registry.Error{
		Kind: registry.ErrNotFound, Code: "server_not_found", Candidates: v.Similar(name, maxCandidates),
		Msg: "No server named " + page.Printable(name) + " is listed.",
	}
	if len(e.Candidates) == 0 {
		e.Candidates = a.named(ctx, v, name)
	}
	if len(e.Candidates) > 0 {
		e.Msg += " Did you mean " + strings.Join(e.Candidates, ", ") + "?"
	}
	return nil, e
}

const maxCandidates = 5

// named returns the slugs of the best servers for the words of a name, except those with
// [catalog.Dangers].
func (a *API) named(ctx context.Context, v *catalog.View, name string) (slugs []string) {
	words := strings.FieldsFunc(strings.ToLower(text.Cut(name, 300)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	words = slices.DeleteFunc(words, func(w string) bool {
		return len(w) < 2 || w == "mcp" || w == "server"
	})
	if len(words) == 0 {
		return nil
	}
	p, err := Find(ctx, v, a.Search, query.Query{Text: strings.Join(words, " "), Limit: 20}, nil, "")
	if err != nil {
		return nil // the search is only a help
	}
	for _, i := range p.Items {
		if !i.HasRisk(catalog.Dangers...) && len(slugs) < maxCandidates {
			slugs = append(slugs, i.Slug())
		}
	}
	return slugs
}

func (a *API) server(ctx context.Context, c *gin.Context) error {
	if err := page.NoParams(c.Request); err != nil {
		return err
	}
	v, err := a.View()
	if err != nil {
		return err
	}
	i, err := a.FindServer(ctx, v, strings.TrimSpace(c.Param("id")))
	if err != nil {
		return err
	}
	return a.SendRecord(c, v, i)
}

// SendRecord responds with the full record of a server.
func (a *API) SendRecord(c *gin.Context, v *catalog.View, i *catalog.Item) error {
	a.Counter.Event(meter.EventAPIHit, i.Slug(), c.Request)
	tag := `W/"d` + v.Identity() + strconv.FormatInt(i.Seq(), 36) + `"`
	return a.Respond(c, ItemKey(i, tag), func() (*Response, error) {
		s, err := i.Record()
		if err != nil {
			return nil, err
		}
		body, err := a.encoder.Detail(s)
		return &Response{Tag: tag, Cache: PrivateCache, Body: body}, err
	})
}
