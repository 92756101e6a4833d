package v1

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"mcpcensus/api"
	"mcpcensus/internal/account"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/page"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

const serversPath = "/v1/servers"

type serversParams struct {
	pageParams
	Category string `query:"category,field=category,list"`
	SDK      string `query:"sdk,field=sdk,list"`
	Search   string `query:"search,search,max=256,list"`
	Match    string `query:"match,oneof=all|some,list"`
	Official string `query:"official,oneof=true|false,list"`
}

func (a *API) servers(ctx context.Context, c *gin.Context) error {
	var p serversParams
	var faults page.Faults
	if err := page.ParseQuery(c.Request.URL.RawQuery, &p, &faults); err != nil {
		return err
	}
	after, err := a.resume(&p.pageParams, serversPath, &p, &faults)
	if err != nil {
		return err
	}
	v, err := a.API.View()
	if err != nil {
		return err
	}
	if p.Search == "" {
		return a.API.Respond(c, api.URLKey(v, c), func() (*api.Response, error) {
			r, _, err := a.serversPage(ctx, v, &p, after)
			if err == nil {
				r.Tag = v.Tag()
			}
			return r, err
		})
	}
	r, found, err := a.serversPage(ctx, v, &p, after)
	if err != nil {
		return err
	}
	a.API.Counter.Events(meter.EventImpression, found.Slugs(), c.Request)
	r.Send(c)
	return nil
}

// resume opens the cursor of a request, if there is one, and fills what it
// carries into the request. It returns the faults of the request as an error,
// with those of the cursor.
func (a *API) resume(
	p *pageParams, path string, request any, faults *page.Faults,
) (*page.Cursor, error) {
	if p.Cursor == "" {
		return nil, faults.Err()
	}
	if p.Page != 1 {
		faults.Add("page", "must not be given with cursor")
	}
	after, err := a.API.Sealer.Resume(p.Cursor, path, request)
	if err != nil && len(*faults) == 0 {
		return nil, err
	}
	if err != nil {
		faults.Take("cursor", err)
	}
	return after, faults.Err()
}

func (a *API) serversPage(
	ctx context.Context, v *catalog.View, p *serversParams, after *page.Cursor,
) (*api.Response, *api.Page, error) {
	q := query.Query{
		Text: p.Search, AllWords: p.Match == query.MatchAll, Limit: p.Limit, Offset: (p.Page - 1) * p.Limit,
	}
	for field, value := range map[string]string{"category": p.Category, "sdk": p.SDK} {
		if value != "" {
			q.Filters = append(q.Filters, query.Equal(field, value))
		}
	}
	if p.Official != "" {
		q.Filters = append(q.Filters, query.Equal("official", p.Official == "true"))
	}
	found, err := api.Find(ctx, v, a.API.Search, q, after, "page")
	if err != nil {
		return nil, nil, err
	}
	l := &list{
		path: serversPath, limit: p.Limit, text: p.Search != "", cursor: page.Params(p),
		resumed: after != nil,
		links: []string{"category", p.Category, "sdk", p.SDK, "search", p.Search, "match", p.Match,
			"official", p.Official},
	}
	b := listBody{
		Servers: a.entries(found.Items), Pagination: a.pagination(l, found), Warnings: found.Warnings,
	}
	r, err := api.NewResponse(b, "")
	if err != nil {
		return nil, nil, err
	}
	a.setPaging(r, l, b.Pagination)
	return r, found, nil
}

func (a *API) server(ctx context.Context, c *gin.Context) error {
	if err := page.NoParams(c.Request); err != nil {
		return err
	}
	v, i, err := a.named(ctx, c)
	if err != nil {
		return err
	}
	return a.API.SendRecord(c, v, i)
}

func (a *API) toolChanges(ctx context.Context, c *gin.Context) error {
	body, err := a.API.ToolChangesOf(ctx, c)
	return sendJSON(c, http.StatusOK, body, err)
}

// named returns the server that the path names.
func (a *API) named(ctx context.Context, c *gin.Context) (*catalog.View, *catalog.Item, error) {
	v, err := a.API.View()
	if err != nil {
		return nil, nil, err
	}
	i, err := a.API.FindServer(ctx, v, strings.TrimSpace(c.Param("id")))
	return v, i, err
}

type changesParams struct {
	After  int    `query:"after,min=0,default=0"`
	Limit  int    `query:"limit,min=1,max=100,default=20"`
	Fields string `query:"fields,max=2000"`
}

// changes handles GET /v1/changes. With fields, entries also have id and status, so that
// removals can be told from records.
func (a *API) changes(ctx context.Context, c *gin.Context, _ account.Access) error {
	var p changesParams
	var faults page.Faults
	if err := page.ParseQuery(c.Request.URL.RawQuery, &p, &faults); err != nil {
		return err
	}
	var fields []string
	if p.Fields != "" {
		fields = checkFields(strings.Split(p.Fields, ","), &faults)
		fields = append(fields, "id", "status")
	}
	if err := faults.Err(); err != nil {
		return err
	}
	return a.API.SendChanges(ctx, c, int64(p.After), p.Limit,
		func(i *catalog.Item) (any, error) { return a.record(i, fields) })
}

// maxBulk is how many servers a request may name.
const maxBulk = 100

type bulkParams struct {
	IDs        []string `query:"ids"`
	GithubURLs []string `query:"githubUrls"`
	Names      []string `query:"names"`
	Fields     []string `query:"fields"`
}

type bulkBody struct {
	Servers  []any    `json:"servers"`
	NotFound []string `json:"notFound"`
	Count    int      `json:"count"`
}

// bulk handles POST /v1/servers/bulk: the records of several servers in the
// order of the request, IDs before URLs before names.
func (a *API) bulk(_ context.Context, c *gin.Context, _ account.Access) error {
	var p bulkParams
	var faults page.Faults
	if err := parseBody(c, maxBulkBody, &p, &faults); err != nil {
		return err
	}
	fields := checkFields(p.Fields, &faults)
	if err := p.checkCount(&faults); err != nil {
		return err
	}
	v, err := a.API.View()
	if err != nil {
		return err
	}
	result := p.find(v, &faults)
	if err := faults.Err(); err != nil {
		return err
	}
	slugs := make([]string, len(result.items))
	for n, i := range result.items {
		slugs[n] = i.Slug()
	}
	a.API.Counter.Events(meter.EventAPIHit, slugs, c.Request)
	b := bulkBody{NotFound: result.missing, Count: len(result.items)}
	b.Servers, err = a.records(result.items, fields)
	return sendJSON(c, http.StatusOK, b, err)
}

// checkCount returns an error if too many servers are named, or none.
func (p *bulkParams) checkCount(faults *page.Faults) error {
	n := len(p.IDs) + len(p.GithubURLs) + len(p.Names)
	if n == 0 && len(*faults) == 0 {
		return &registry.Error{
			Kind: registry.ErrMissing, Msg: "ids, githubUrls or names is required, with 1 to 100 servers.",
			Fields: []registry.FieldError{{Field: "ids", Message: "is required unless githubUrls or names is given"}},
		}
	}
	if n <= maxBulk {
		return nil
	}
	field := "ids"
	if len(p.IDs) < len(p.GithubURLs) {
		field = "githubUrls"
	}
	if len(p.Names) > len(p.IDs) && len(p.Names) > len(p.GithubURLs) {
		field = "names"
	}
	faults.Add(field, "must have at most %d entries with the other lists, got %d", maxBulk, n)
	return faults.Err()
}

// A bulkResult holds the servers that a bulk request has found.
type bulkResult struct {
	items   []*catalog.Item
	missing []string
	seen    map[string]bool // slugs of items, and names that are missing
}

func (r *bulkResult) add(name string, i *catalog.Item) {
	key := "missing " + name
	if i != nil {
		key = i.Slug()
	}
	if r.seen[key] {
		return
	}
	r.seen[key] = true
	if i == nil {
		r.missing = append(r.missing, name)
	} else {
		r.items = append(r.items, i)
	}
}

// find looks up all servers. Names that are empty are faults; what cannot be resolved
// is missing.
func (p *bulkParams) find(v *catalog.View, faults *page.Faults) *bulkResult {
	r := &bulkResult{seen: map[string]bool{}, missing: []string{}}
	each := func(field string, names []string, look func(name string) []*catalog.Item) {
		for n, name := range names {
			at := fmt.Sprintf("%s[%d]", field, n)
			if faults.Has(at) {
				continue
			}
			if strings.TrimSpace(name) == "" {
				faults.Add(at, "must not be empty")
				continue
			}
			items := look(name)
			if len(items) == 0 {
				r.add(name, nil)
			}
			for _, i := range items {
				r.add(name, i)
			}
		}
	}
	// A slug has no slash, and a name in the official registry has one.
	named := func(slash bool) func(string) []*catalog.Item {
		return func(name string) []*catalog.Item {
			if i, _ := v.Lookup(strings.TrimSpace(name)); i != nil && strings.Contains(name, "/") == slash {
				return []*catalog.Item{i}
			}
			return nil
		}
	}
	each("ids", p.IDs, named(false))
	each("githubUrls", p.GithubURLs, func(address string) []*catalog.Item {
		items, err := v.ByAddress(address)
		if err != nil { // of another code host, or not an address
			return nil
		}
		return items
	})
	each("names", p.Names, named(true))
	return r
}
