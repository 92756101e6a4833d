package v1

import (
	"context"
	"math"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/api"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/page"
	"mcpcensus/internal/query"
)

const searchPath = "/v1/search"

type criteria struct {
	Text    string       `query:"q,search,max=256,list"`
	Filters page.Filters `query:"filters,list"`
	Sort    page.Sort    `query:"sort,list"`
}

type searchParams struct {
	pageParams
	criteria
	Match  string `query:"match,oneof=all|some,list"`
	Facets bool   `query:"facets,default=true"`
}

// A search is a request for a page of results.
type search struct {
	pageParams
	criteria
	match  string // one of query.MatchModes; "" is some
	facets bool
	fields []string // members of the records; nil: list entries
	name   string   // of a custom endpoint
	list   list
	after  *page.Cursor
	began  time.Time
}

type searchBody struct {
	listBody
	Name   string                    `json:"name,omitempty"` // of a custom endpoint
	Query  *string                   `json:"query"`
	Sort   string                    `json:"sort"`
	Facets map[string]map[string]int `json:"facets"`
	TookMs float64                   `json:"tookMs"`
}

func (a *API) search(ctx context.Context, c *gin.Context) error {
	began := time.Now()
	var p searchParams
	var faults page.Faults
	if err := page.ParseQuery(c.Request.URL.RawQuery, &p, &faults); err != nil {
		return err
	}
	return a.runSearch(ctx, c, &p, &faults, list{}, began)
}

func (a *API) searchByBody(ctx context.Context, c *gin.Context) error {
	began := time.Now()
	var p searchParams
	var faults page.Faults
	if err := parseBody(c, maxSearchBody, &p, &faults); err != nil {
		return err
	}
	return a.runSearch(ctx, c, &p, &faults, list{noLinks: true}, began)
}

func (a *API) runSearch(
	ctx context.Context, c *gin.Context, p *searchParams, faults *page.Faults, l list, began time.Time,
) error {
	if err := p.Sort.Parse(p.Text != "" || p.Cursor != ""); err != nil {
		faults.Take("sort", err)
	}
	after, err := a.resume(&p.pageParams, searchPath, p, faults)
	if err != nil {
		return err
	}
	if err := p.Sort.Parse(p.Text != ""); err != nil {
		return err
	}
	facets := ""
	if !p.Facets {
		facets = "false"
	}
	l.path = searchPath
	l.links = []string{"q", p.Text, "filters", p.Filters.Text, "sort", p.Sort.Text, "match", p.Match, "facets", facets}
	p.Sort.Text = query.FormatSort(p.Sort.Orders) // cursors name the sort in effect
	l.cursor = page.Params(p)
	return a.sendSearch(ctx, c, &search{
		pageParams: p.pageParams, criteria: p.criteria, match: p.Match, facets: p.Facets,
		list: l, after: after, began: began,
	})
}

// sendSearch runs a search and responds with its page.
func (a *API) sendSearch(ctx context.Context, c *gin.Context, s *search) error {
	v, err := a.API.View()
	if err != nil {
		return err
	}
	q := query.Query{
		Text: s.Text, AllWords: s.match == query.MatchAll, Filters: s.Filters.List, Sort: s.Sort.Orders, Limit: s.Limit,
		Offset: (s.Page - 1) * s.Limit, Facets: s.facets,
	}
	found, err := api.Find(ctx, v, a.API.Search, q, s.after, "page")
	if err != nil {
		return err
	}
	s.list.limit, s.list.text, s.list.resumed = s.Limit, s.Text != "", s.after != nil
	b := searchBody{
		listBody: listBody{Pagination: a.pagination(&s.list, found), Warnings: found.Warnings},
		Name:     s.name, Sort: query.FormatSort(q.Sort), Facets: facetsOf(found, s.facets),
	}
	if s.Text != "" {
		b.Query = &s.Text
		a.API.Counter.Events(meter.EventImpression, found.Slugs(), c.Request)
	}
	if s.fields == nil {
		b.Servers = a.entries(found.Items)
	} else if b.Servers, err = a.records(found.Items, s.fields); err != nil {
		return err
	}
	r, err := api.NewResponse(b, "") // the tag does not depend on the time that the search took
	if err != nil {
		return err
	}
	b.TookMs = math.Round(float64(time.Since(s.began).Microseconds())/10) / 100
	if r, err = api.NewResponse(b, r.Tag); err != nil {
		return err
	}
	a.setPaging(r, &s.list, b.Pagination)
	r.Send(c)
	return nil
}

// facetsOf returns an object for each facet, maybe an empty one.
func facetsOf(p *api.Page, wanted bool) map[string]map[string]int {
	if !wanted {
		return nil
	}
	all := map[string]map[string]int{}
	for _, name := range query.FacetNames() {
		if all[name] = p.Facets[name]; all[name] == nil {
			all[name] = map[string]int{}
		}
	}
	return all
}
