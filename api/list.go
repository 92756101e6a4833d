package api

import (
	"context"
	"strconv"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/page"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

const (
	discoverPath = "/api/discover"
	serversPath  = "/api/servers"
)

// The parameters of the lists.
type (
	listParams struct {
		Category string `query:"category,field=category,list"`
		Search   string `query:"search,search,max=256,list"`
		Match    string `query:"match,oneof=all|some,list"`
		Official string `query:"official,oneof=true|false,list"`
		Limit    int    `query:"limit,min=1,max=100,default=20"`
		Offset   *int   `query:"offset"`
		Cursor   string `query:"cursor"`
	}

	serversParams struct {
		listParams
		Sort string `query:"sort,oneof=qualityScore|recommended|stars|downloads|name|updated|created,list"`
	}

	discoverParams struct {
		listParams
		MinScore *float64 `query:"minScore,min=0,max=100,list"`
		Sort     string   `query:"sort,oneof=qualityScore|stars|downloads,list"`
		Format   string   `query:"format,oneof=json|mcp"`
		Level    string   `query:"level,oneof=server|tool,list"`
	}
)

// sort returns the sort in effect, "" for relevance.
func (p *listParams) sort(given string) string {
	if given == "" && p.Search == "" {
		return catalog.ByQuality.String()
	}
	return given
}

// A list is a request for a page of servers or of tools.
type list struct {
	listParams
	path       string
	minScore   *float64
	sort       string // "" for relevance
	mcp, tools bool
	params     map[string]string // for cursors
	after      *page.Cursor
}

func (a *API) servers(ctx context.Context, c *gin.Context) error {
	var p serversParams
	after, err := a.parseList(c, serversPath, &p, &p.listParams, nil)
	if err != nil {
		return err
	}
	p.Sort = p.sort(p.Sort)
	return a.list(ctx, c, &list{
		listParams: p.listParams, path: serversPath, sort: p.Sort, params: page.Params(&p), after: after,
	})
}

func (a *API) discover(ctx context.Context, c *gin.Context) error {
	var p discoverParams
	after, err := a.parseList(c, discoverPath, &p, &p.listParams, func(faults *page.Faults) {
		if p.Level == "tool" && p.Format == "json" {
			faults.Add("level", "must be server with format=json, got \"tool\"")
		}
		if p.Level == "server" {
			p.Level = ""
		}
	})
	if err != nil {
		return err
	}
	p.Sort = p.sort(p.Sort)
	tools := p.Level == "tool"
	return a.list(ctx, c, &list{
		listParams: p.listParams, path: discoverPath, minScore: p.MinScore, sort: p.Sort,
		mcp: tools || p.Format == "mcp", tools: tools, params: page.Params(&p), after: after,
	})
}

// parseList reads the parameters of a list into request, of which common is a
// part. check, unless it is nil, looks for further faults.
func (a *API) parseList(
	c *gin.Context, path string, request any, common *listParams, check func(*page.Faults),
) (*page.Cursor, error) {
	var faults page.Faults
	if err := page.ParseQuery(c.Request.URL.RawQuery, request, &faults); err != nil {
		return nil, err
	}
	if common.Cursor != "" && common.Offset != nil && *common.Offset != 0 {
		faults.Add("offset", "must not be given with cursor")
	}
	if check != nil {
		check(&faults)
	}
	if err := faults.Err(); err != nil || common.Cursor == "" {
		return nil, err
	}
	return a.Sealer.Resume(common.Cursor, path, request)
}

// list responds with a page of a list. Pages without a search text are cached.
func (a *API) list(ctx context.Context, c *gin.Context, l *list) error {
	v, err := a.View()
	if err != nil {
		return err
	}
	if l.Search == "" {
		return a.Respond(c, URLKey(v, c), func() (*Response, error) {
			r, _, err := a.listPage(ctx, v, l)
			if err == nil {
				r.Tag = v.Tag()
			}
			return r, err
		})
	}
	r, p, err := a.listPage(ctx, v, l)
	if err != nil {
		return err
	}
	a.Counter.Events(meter.EventImpression, p.Slugs(), c.Request)
	r.Send(c)
	return nil
}

func (l *list) query() query.Query {
	q := query.Query{Text: l.Search, AllWords: l.Match == query.MatchAll, Limit: l.Limit}
	if l.Offset != nil {
		q.Offset = *l.Offset
	}
	if l.Category != "" {
		q.Filters = append(q.Filters, query.Equal("category", l.Category))
	}
	if l.Official != "" {
		q.Filters = append(q.Filters, query.Equal("official", l.Official == "true"))
	}
	if l.minScore != nil {
		q.Filters = append(q.Filters, query.AtLeast("qualityScore", *l.minScore))
	}
	if l.sort != "" {
		q.Sort = []query.Order{{Field: l.sort, Desc: query.SortNamed(l.sort).Desc}}
	}
	return q
}

func (a *API) listPage(ctx context.Context, v *catalog.View, l *list) (*Response, *Page, error) {
	if l.tools {
		return a.toolsPage(ctx, v, l)
	}
	p, err := Find(ctx, v, a.Search, l.query(), l.after, "offset")
	if err != nil {
		return nil, nil, err
	}
	if !l.mcp {
		body := serversBody{Servers: make([]basicBody, len(p.Items))}
		for n, i := range p.Items {
			body.Servers[n] = basicOf(i.Summary())
		}
		r, err := a.pageResponse(l, p, &body, &body.pageTail)
		return r, p, err
	}
	body := toolsBody{Tools: make([]entryBody, len(p.Items))}
	for n, i := range p.Items {
		s, err := i.Record()
		if err != nil {
			return nil, nil, err
		}
		body.Tools[n] = a.encoder.entryOf(s)
	}
	r, err := a.pageResponse(l, p, &body, &body.pageTail)
	return r, p, err
}

// pageResponse fills in the tail of the body of a page, and returns the
// response.
func (a *API) pageResponse(l *list, p *Page, body any, tail *pageTail) (*Response, error) {
	tail.Pagination = paginationBody{Total: p.Total, Limit: l.Limit, Offset: p.Offset}
	tail.Warnings = p.Warnings
	var link string
	if p.Next != nil {
		p.Next.Path, p.Next.Params = l.path, l.params
		cursor, end := a.Sealer.Seal(p.Next), p.Offset+p.Count
		tail.Pagination.HasMore = true
		tail.Pagination.NextOffset, tail.Pagination.NextCursor = &end, &cursor
		links := page.Links{Base: a.BaseURL, Path: l.path}
		params := []string{"limit", strconv.Itoa(l.Limit), "format", "", "level", "", "cursor", cursor}
		if l.mcp {
			params[3] = "mcp"
		}
		if l.tools {
			params[5] = "tool"
		}
		links.Add("next", params...)
		link = links.String()
	}
	r, err := NewResponse(body, "")
	if err != nil {
		return nil, err
	}
	r.Total, r.Link = strconv.Itoa(p.Total), link
	return r, nil
}

// maxToolServers is how many results of a search are looked at for their tools.
const maxToolServers = 1_000

// A span is some tools of a server: from to to, exclusive.
type span struct {
	item     *catalog.Item
	from, to int
}

// toolsPage is listPage for tools.
func (a *API) toolsPage(ctx context.Context, v *catalog.View, l *list) (*Response, *Page, error) {
	p, spans, err := a.findTools(ctx, v, l)
	if err != nil {
		return nil, nil, err
	}
	body := toolsBody{Tools: []entryBody{}}
	for _, x := range spans {
		s, err := x.item.Record()
		if err != nil {
			return nil, nil, err
		}
		body.Tools = append(body.Tools, a.encoder.toolEntriesOf(s, x.from, x.to)...)
		p.Items = append(p.Items, x.item)
	}
	r, err := a.pageResponse(l, p, &body, &body.pageTail)
	return r, p, err
}

// findTools returns a page of the tools of all servers of a list, of a search
// those of the best results.
func (a *API) findTools(ctx context.Context, v *catalog.View, l *list) (*Page, []span, error) {
	q := l.query()
	matches, err := Match(ctx, a.Search, q.Text)
	if err != nil {
		return nil, nil, err
	}
	servers := v.Query(q, matches.Slugs)
	if q.Text != "" {
		servers = servers.First(maxToolServers)
	}
	tools := servers.Tools()
	p := &Page{Offset: q.Offset, Total: tools.Total(), Warnings: Warnings(matches, q)}
	if l.after != nil {
		at := l.after.Position()
		if !at.Fits(q.Orders()) {
			return nil, nil, registry.Invalid("cursor", "is out of date; start again without it")
		}
		next := servers.After(at)
		p.Offset = tools.Before(next)
		if next > 0 && servers.At(next-1).Slug() == at.Slug { // some of its tools may be left
			p.Offset = tools.Before(next-1) + min(l.after.Tool, servers.At(next-1).Tools())
		}
	}
	if q.Text != "" && p.Offset+l.Limit > MaxResults {
		return nil, nil, beyond("offset")
	}
	var spans []span
	from, to := min(p.Offset, p.Total), min(p.Offset+l.Limit, p.Total)
	p.Count = to - from
	for n := from; n < to; {
		server, tool := tools.Locate(n)
		x := span{servers.At(server), tool, min(servers.At(server).Tools(), tool+to-n)}
		spans = append(spans, x)
		n += x.to - x.from
		at := servers.Position(server)
		p.Next = &page.Cursor{Keys: at.Keys, Slug: at.Slug, Tool: x.to}
	}
	if to == p.Total || q.Text != "" && to+l.Limit > MaxResults {
		p.Next = nil
	}
	return p, spans, nil
}

// categoryTexts are the names and descriptions of the categories.
var categoryTexts = map[string][2]string{
	"database":      {"Database", "Servers that query, manage or administer databases and data warehouses."},
	"tools":         {"Tools", "Developer tools, file systems, shells, and what fits no other category."},
	"communication": {"Communication", "Mail, chat, calls and social networks."},
	"integration":   {"Integration", "Bridges to other products and platforms, and gateways to several of them."},
	"api":           {"API", "Access to particular web services and their data."},
	"security":      {"Security", "Scanning, identity, secrets and threat analysis."},
	"analytics":     {"Analytics", "Metrics, monitoring, reports and business intelligence."},
	"automation":    {"Automation", "Control of browsers, workflows, devices and infrastructure."},
	"data":          {"Data", "Sources of knowledge and data sets, their retrieval and conversion."},
	"productivity":  {"Productivity", "Notes, documents, calendars, tasks and projects."},
}

func (a *API) categories(_ context.Context, c *gin.Context) error {
	if err := page.NoParams(c.Request); err != nil {
		return err
	}
	v, err := a.View()
	if err != nil {
		return err
	}
	return a.Respond(c, URLKey(v, c), func() (*Response, error) {
		body := categoriesBody{Total: v.Len()}
		for i, n := range v.CategoryCounts() {
			id := registry.Categories[i]
			body.Categories = append(body.Categories, categoryBody{
				ID: id, Name: categoryTexts[id][0], Description: categoryTexts[id][1], Count: n,
			})
		}
		return NewResponse(body, v.Tag())
	})
}
