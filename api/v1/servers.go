package v1

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"

	"mcpcensus/api"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/query"
)

const serversPath = "/v1/servers"

// A listing is a request for a page of /v1/servers.
type listing struct {
	category, sdk, search string
	limit, page           int
	cursor                string
	resumed               bool  // there was a cursor,
	from                  place // which this is
}

// parseListing reads the parameters and names every wrong one. It does not
// look into the cursor.
func parseListing(raw string) (listing, error) {
	l := listing{limit: defaultLimit, page: 1}
	if raw == "" {
		return l, nil
	}
	p, err := api.ParseQuery(raw, "page", "limit", "category", "sdk", "search", "cursor")
	var wrong faults
	if err := wrong.take(err); err != nil {
		return l, err
	}
	if v := p.Get("category"); v != "" {
		l.category, err = query.ParseCategory("category", v)
		_ = wrong.take(err)
	}
	if v := p.Get("sdk"); v != "" {
		l.sdk, err = query.ParseSDK("sdk", v)
		_ = wrong.take(err)
	}
	l.search = text(p.Get("search"), "search", &wrong)
	paging(&p, &l.page, &l.limit, &l.cursor, &wrong)
	return l, wrong.err()
}

// text returns words with single spaces between.
func text(s, field string, wrong *faults) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxText {
		wrong.add(field, "must be at most 256 bytes long")
	}
	return s
}

// paging reads page, limit and cursor.
func paging(p *api.Params, page, limit *int, cursor *string, wrong *faults) {
	var ok bool
	if v, given := p.Lookup("limit"); given {
		if *limit, ok = api.Whole(v, 1, maxLimit); !ok {
			wrong.add("limit", wrongLimit)
		}
	}
	if *cursor = p.Get("cursor"); len(*cursor) > maxCursor {
		wrong.add("cursor", "is longer than any that this registry gives")
	}
	if v, given := p.Lookup("page"); given {
		if *page, ok = api.Whole(v, 1, maxPage); !ok {
			wrong.add("page", wrongPage)
		} else if *cursor != "" {
			wrong.add("page", pageCursor)
		}
	}
}

// servers answers GET /v1/servers.
func (a *API) servers(ctx context.Context, c *gin.Context) error {
	l, err := parseListing(c.Request.URL.RawQuery)
	if err != nil {
		var wrong faults
		if wrong.take(err) == nil && l.cursor != "" && a.resume(&l) != nil {
			if _, other := a.API.Unseal(searchKind, l.cursor); other != nil {
				wrong.add("cursor", "is not a cursor of this endpoint")
				return wrong.err()
			}
		}
		return err
	}
	if l.search != "" {
		return a.searchListing(ctx, c, &l)
	}
	if err := a.resume(&l); err != nil {
		if _, other := a.API.Unseal(searchKind, l.cursor); other == nil {
			return a.searchListing(ctx, c, &l) // the cursor of a listing with words
		}
		return err
	}
	v, err := a.API.View()
	if err != nil {
		return err
	}
	a.writeList(c, v, &l)
	return nil
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 64<<10); return &b }}

// writeList answers with a page of an order of the catalog.
func (a *API) writeList(c *gin.Context, v *catalog.View, l *listing) {
	list := v.Best(l.category, l.sdk)
	p := page{limit: l.limit, offset: (l.page - 1) * l.limit, total: list.Total()}
	if l.resumed {
		p.offset = list.AfterNear(l.from.position(), l.from.near)
	}
	from := min(p.offset, p.total)
	to := min(from+l.limit, p.total)
	p.count = to - from
	var cursor [256]byte
	if to > from && to < p.total {
		var room [192]byte
		next := placeOf(l, list.At(to-1), to)
		p.next = a.API.AppendSealed(cursor[:0], listKind, next.append(room[:0]))
	}
	a.setPaging(c, l, &p)
	var room [512]byte
	tail := append(p.append(append(room[:0], `],`...)), '}')
	if p.count > 1 && (p.offset > 0 || !httpd.TakesGzip(c.Request)) {
		listed := api.Listed{List: list, From: from, To: to, Head: serversHead, Tail: tail, Tag: v.Tag(), Control: api.ForOneKey}
		listed.Write(c)
		return
	}
	a.writeKept(c, v, list, from, to, l.key(p.offset), string(tail))
}

// setPaging sets the headers that say where in a listing a page is.
func (a *API) setPaging(c *gin.Context, l *listing, p *page) {
	var room [1024]byte
	c.Header("X-Total-Count", strconv.Itoa(p.total))
	rest := ""
	if l.category != "" || l.sdk != "" {
		rest = encoded("category", l.category, "sdk", l.sdk)
	}
	if link := p.appendLinks(room[:0], a.API.BaseURL, serversPath, rest, l.resumed); len(link) > 0 {
		c.Header("Link", string(link))
	}
}

// writeKept answers with a page that is kept when it is asked for again.
func (a *API) writeKept(c *gin.Context, v *catalog.View, list catalog.List, from, to int, key, tail string) {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	d := api.Document{Tag: v.Tag(), Cache: v.Cache(), Key: key, Body: func() []byte {
		b := list.AppendBasics(append((*buf)[:0], serversHead...), from, to)
		*buf = append(b, tail...)
		return *buf
	}}
	if to-from > 1 {
		d.Zipped = func() []byte {
			z := new(catalog.Zip)
			z.Begin((*buf)[:0], serversHead)
			list.ZipBasics(z, from, to)
			*buf = z.End([]byte(tail))
			return *buf
		}
	}
	d.Write(c)
}

// key names the page of l that starts at offset.
func (l *listing) key(offset int) string {
	b := make([]byte, 0, 48)
	b = append(b, "v1 "...)
	b = append(b, l.category...)
	b = append(b, ' ')
	b = append(b, l.sdk...)
	if l.resumed { // which has other links
		b = append(b, " c"...)
	}
	b = append(b, ' ')
	b = strconv.AppendInt(b, int64(offset), 36)
	b = append(b, ' ')
	return string(strconv.AppendInt(b, int64(l.limit), 36))
}

// server answers GET /v1/servers/{id}.
func (a *API) server(_ context.Context, c *gin.Context) error {
	v, i, err := a.named(c)
	if err != nil {
		return err
	}
	a.API.Counter.Event(meter.EventAPIHit, i.Slug(), c.Request)
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	d := api.Document{
		Tag: `W/"d` + v.Identity() + strconv.FormatInt(i.Seq(), 36) + `"`, Cache: v.Cache(), Key: "d " + i.Slug(), Plain: true,
		Body: func() []byte {
			*buf = i.AppendDetail((*buf)[:0])
			return *buf
		},
	}
	d.Write(c)
	return nil
}

// named returns the server that the path names.
func (a *API) named(c *gin.Context, allowed ...string) (*catalog.View, *catalog.Item, error) {
	if raw := c.Request.URL.RawQuery; raw != "" && len(allowed) == 0 {
		if _, err := api.ParseQuery(raw); err != nil {
			return nil, nil, err
		}
	}
	v, err := a.API.View()
	if err != nil {
		return nil, nil, err
	}
	i, err := api.Find(v, strings.TrimSpace(c.Param("id")))
	return v, i, err
}
