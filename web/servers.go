package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

const (
	pageSize  = 20
	longest   = 200    // bytes of a query
	reachable = 10_000 // results of a search that can be paged to
)

// A choice is a value that a filter or an order can take.
type choice struct {
	Value, Name string
	Count       int // -1: not counted
	Chosen      bool
}

// browse is what a request for the list asks for.
type browse struct {
	Q, Category, SDK, Grade, Sort string
	Page                          int
}

type serversPage struct {
	frame
	browse
	Categories, SDKs, Grades, Sorts []choice
	Rows                            []row
	Total, Pages, First, Last       int
	Previous, Next                  string // addresses, "" if there is none
	Filtered                        bool
	Degraded                        bool
}

var sorts = []choice{
	{Value: "qualityScore", Name: "Health"}, {Value: "popularity", Name: "Popularity"}, {Value: "stars", Name: "Stars"},
	{Value: "downloads", Name: "Downloads"}, {Value: "updated", Name: "Recently updated"}, {Value: "created", Name: "Newest"},
	{Value: "name", Name: "Name"},
}

// servers answers GET /servers: search, filters, order and pages.
func (s *Site) servers(ctx context.Context, c *gin.Context) error {
	b, err := parseBrowse(c.Request.URL.RawQuery)
	if err != nil {
		return err
	}
	v, err := s.view()
	if err != nil {
		return err
	}
	p := serversPage{frame: s.frame("Servers", "servers"), browse: b}
	p.Query = b.Q
	p.Filtered = b.Q != "" || b.Category != "" || b.SDK != "" || b.Grade != ""
	if err := s.find(ctx, v, &p); err != nil {
		return err
	}
	if b.Q != "" {
		slugs := make([]string, len(p.Rows))
		for n, r := range p.Rows {
			slugs[n] = r.Slug
		}
		s.Counter.Events(registry.EventImpression, slugs, c.Request)
	}
	p.Pages = max(1, (p.Total+pageSize-1)/pageSize)
	if b.Q != "" {
		p.Pages = min(p.Pages, reachable/pageSize)
	}
	if b.Page > p.Pages && b.Page > 1 {
		return registry.Errorf(registry.ErrNotFound, "This list has no page %d: it ends with page %d.", b.Page, p.Pages)
	}
	p.First, p.Last = (b.Page-1)*pageSize+1, (b.Page-1)*pageSize+len(p.Rows)
	if b.Page > 1 {
		p.Previous = b.address(b.Page - 1)
	}
	if b.Page < p.Pages {
		p.Next = b.address(b.Page + 1)
	}
	p.choices(v)
	p.Canonical = b.address(b.Page)
	p.NoIndex = b.Q != ""
	switch {
	case b.Q != "":
		p.Title = "“" + b.Q + "”"
	case b.Category != "":
		p.Title = categoryName(b.Category) + " servers"
	}
	p.Description = "MCP servers with their health, popularity and how to install them."
	tag := s.tag(v)
	if p.filters() {
		tag = "" // the index may be behind the read model
	}
	return s.show(c, http.StatusOK, "servers", tag, p)
}

// filters says whether the list cannot be read off the catalog's orders.
func (b browse) filters() bool { return b.Q != "" || b.SDK != "" || b.Grade != "" }

// find fills in the rows and the total.
func (s *Site) find(ctx context.Context, v *catalog.View, p *serversPage) error {
	from := (p.Page - 1) * pageSize
	if !p.filters() {
		sort, _ := catalog.ParseSort(p.order())
		l := v.List(p.Category, sort, -1)
		var err error
		p.Total = l.Total()
		p.Rows, err = rowsOf(l, min(from, l.Total()), from+pageSize)
		return err
	}
	if s.Search == nil {
		return registry.Errorf(registry.ErrUnavailable, "Searching is not available at the moment.")
	}
	if from+pageSize > reachable {
		return registry.Invalid("page", "is too far: results beyond the %dth cannot be shown; use more words or filters", reachable)
	}
	q := registry.Query{Text: p.Q, Limit: pageSize, Offset: from}
	for field, value := range map[string]string{"category": p.Category, "sdk": p.SDK, "grade": p.Grade} {
		if value != "" {
			q.Filters = append(q.Filters, registry.Filter{Field: field, Op: registry.OpEq, Values: []any{value}})
		}
	}
	if p.Sort != "" {
		orders, err := registry.ParseSort(p.Sort, p.Q != "")
		if err != nil {
			return err
		}
		q.Sort = orders
	}
	found, err := s.Search.Search(ctx, q)
	if err != nil {
		return err
	}
	p.Total, p.Degraded = found.Total, found.Degraded
	for _, slug := range found.Slugs {
		i, _ := v.Find(slug)
		if i == nil {
			continue // it has left the listing since it was indexed
		}
		r, err := rowOf(i)
		if err != nil {
			return err
		}
		p.Rows = append(p.Rows, r)
	}
	return nil
}

// order is the order of a list without words.
func (b browse) order() string {
	if b.Sort == "" {
		return "qualityScore"
	}
	return b.Sort
}

// choices fills in what the form offers.
func (p *serversPage) choices(v *catalog.View) {
	counts := v.Facets()
	of := func(facet, value string) int { return counts[facet][value] }
	for _, c := range categories(v) {
		p.Categories = append(p.Categories, choice{c.ID, categoryName(c.ID), c.Count, c.ID == p.Category})
	}
	for _, k := range registry.SDKs {
		if n := of("sdk", k); n > 0 || k == p.SDK {
			p.SDKs = append(p.SDKs, choice{k, sdkName(k), n, k == p.SDK})
		}
	}
	for _, g := range registry.Grades {
		p.Grades = append(p.Grades, choice{g, g, of("grade", g), g == p.Grade})
	}
	if p.Q != "" {
		p.Sorts = append(p.Sorts, choice{"", "Relevance", -1, p.Sort == ""})
	}
	for _, o := range sorts {
		o.Count, o.Chosen = -1, o.Value == p.Sort || p.Sort == "" && p.Q == "" && o.Value == "qualityScore"
		p.Sorts = append(p.Sorts, o)
	}
}

// Without is the address of the list without one of its filters, named by its
// parameter.
func (b browse) Without(name string) string {
	switch name {
	case "q":
		b.Q = ""
	case "category":
		b.Category = ""
	case "sdk":
		b.SDK = ""
	case "grade":
		b.Grade = ""
	}
	return b.address(1)
}

// address is the path and query of a page of the list.
func (b browse) address(page int) string {
	q := url.Values{}
	for _, kv := range [][2]string{{"q", b.Q}, {"category", b.Category}, {"sdk", b.SDK}, {"grade", b.Grade}, {"sort", b.Sort}} {
		if kv[1] != "" {
			q.Set(kv[0], kv[1])
		}
	}
	if page > 1 {
		q.Set("page", strconv.Itoa(page))
	}
	if len(q) == 0 {
		return "/servers"
	}
	return "/servers?" + q.Encode()
}

// parseBrowse reads a query. Parameters that it does not know are ignored:
// people share links that others have added to.
func parseBrowse(raw string) (browse, error) {
	b := browse{Page: 1}
	q, err := url.ParseQuery(raw)
	if err != nil {
		return b, registry.Invalid("query", "is not written as a query of an address")
	}
	for name, into := range map[string]*string{"q": &b.Q, "category": &b.Category, "sdk": &b.SDK, "grade": &b.Grade, "sort": &b.Sort} {
		v := strings.TrimSpace(q.Get(name))
		if len(v) > longest {
			return b, registry.Invalid(name, "must be at most %d bytes long", longest)
		}
		if !utf8.ValidString(v) || strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return b, registry.Invalid(name, "holds characters that are no text")
		}
		*into = v
	}
	if b.Category != "" {
		if b.Category, err = registry.ParseCategory("category", b.Category); err != nil {
			return b, err
		}
	}
	if b.SDK != "" {
		if b.SDK, err = registry.ParseSDK("sdk", b.SDK); err != nil {
			return b, err
		}
	}
	if b.Grade = strings.ToUpper(b.Grade); b.Grade != "" && !slices.Contains(registry.Grades, b.Grade) {
		return b, registry.Invalid("grade", "must be one of %s", strings.Join(registry.Grades, ", "))
	}
	if b.Sort != "" && !slices.ContainsFunc(sorts, func(c choice) bool { return c.Value == b.Sort }) {
		var names []string
		for _, c := range sorts {
			names = append(names, c.Value)
		}
		return b, registry.Invalid("sort", "must be one of %s", strings.Join(names, ", "))
	}
	if p := q.Get("page"); p != "" {
		if b.Page, err = strconv.Atoi(p); err != nil || b.Page < 1 || b.Page > 1_000_000 {
			return b, registry.Invalid("page", "must be a number from 1")
		}
	}
	return b, nil
}
