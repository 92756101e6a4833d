package v1

import (
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/api"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/page"
	"mcpcensus/internal/text"
)

// pageParams are the parameters of all lists.
type pageParams struct {
	Page   int    `query:"page,min=1,max=1000000000,default=1"`
	Limit  int    `query:"limit,min=1,max=100,default=20"`
	Cursor string `query:"cursor"`
}

// A paginationBody is the position of a page in the list.
type paginationBody struct {
	Page       int     `json:"page"`
	Limit      int     `json:"limit"`
	Total      int     `json:"total"`
	TotalPages int     `json:"totalPages"`
	HasNext    bool    `json:"hasNext"`
	HasPrev    bool    `json:"hasPrev"`
	NextCursor *string `json:"nextCursor"`
}

// listBody is the response of /v1/servers.
type listBody struct {
	Servers    []any          `json:"servers"`
	Pagination paginationBody `json:"pagination"`
	Warnings   []string       `json:"warnings,omitempty"`
}

// A list describes the list that a page is of.
type list struct {
	path    string // of the endpoint
	limit   int
	text    bool              // it is a search with a text, which ends at api.MaxResults
	cursor  map[string]string // parameters that cursors carry
	links   []string          // parameters in links, pairs of names and values
	resumed bool              // the page follows a cursor
	noLinks bool              // the request has a body, which links cannot repeat
}

// pagination returns where p is in l.
func (a *API) pagination(l *list, p *api.Page) paginationBody {
	pages := (p.Total + l.limit - 1) / l.limit
	if l.text {
		pages = min(pages, api.MaxResults/l.limit)
	}
	b := paginationBody{
		Page: p.Offset/l.limit + 1, Limit: l.limit, Total: p.Total, TotalPages: pages,
		HasNext: p.Next != nil, HasPrev: p.Offset > 0,
	}
	if p.Next != nil {
		p.Next.Path, p.Next.Params = l.path, l.cursor
		b.NextCursor = new(a.API.Sealer.Seal(p.Next))
	}
	return b
}

// setPaging sets the headers of a page: the next page by cursor, the others by
// number.
func (a *API) setPaging(r *api.Response, l *list, b paginationBody) {
	r.Total = strconv.Itoa(b.Total)
	if l.noLinks {
		return
	}
	limit := strconv.Itoa(l.limit)
	links := page.Links{Base: a.API.BaseURL, Path: l.path}
	numbered := func(rel, number string) {
		params := append([]string{"limit", limit}, l.links...)
		links.Add(rel, append(params, "page", number)...)
	}
	if b.NextCursor != nil {
		links.Add("next", "limit", limit, "cursor", *b.NextCursor)
	}
	if !l.resumed && b.Page > 1 && b.Page <= b.TotalPages+1 {
		numbered("prev", strconv.Itoa(b.Page-1))
	}
	if b.Total > 0 {
		numbered("first", "")
		numbered("last", strconv.Itoa(max(1, b.TotalPages)))
	}
	r.Link = links.String()
}

// sendJSON responds with v, unless err is an error. Its entity tag is made of the content.
func sendJSON(c *gin.Context, status int, v any, err error) error {
	if err != nil {
		return err
	}
	body, err := text.JSON(v)
	if err != nil {
		return err
	}
	answer := httpd.Response{Status: status, Tag: httpd.TagOf(body), Cache: api.PrivateCache, Body: body}
	if httpd.TakesGzip(c.Request) {
		answer.Zipped = httpd.Zip(body)
	}
	httpd.Write(c, answer)
	return nil
}

func dayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// The longest bodies, in bytes.
const (
	maxSearchBody = 96 << 10 // filters and a cursor that carries them
	maxBulkBody   = 128 << 10
	maxCustomBody = 64 << 10

	maxWebhookBody = 64 << 10
)

// parseBody reads the body of a request, which must be a JSON object, and
// refuses parameters.
func parseBody(c *gin.Context, limit int64, request any, faults *page.Faults) error {
	if err := page.NoParams(c.Request); err != nil {
		return err
	}
	return page.ReadBody(c.Writer, c.Request, limit, request, faults)
}
