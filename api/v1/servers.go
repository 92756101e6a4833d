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
	"mcpcensus/internal/registry"
)

const serversPath = "/v1/servers"

// A listing is a request for a page of /v1/servers.
type listing struct {
	category, sdk, search string
	limit, page           int
	cursor                string
	after                 *place
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
	if v := p["category"]; v != "" {
		l.category, err = registry.ParseCategory("category", v)
		_ = wrong.take(err)
	}
	if v := p["sdk"]; v != "" {
		l.sdk, err = registry.ParseSDK("sdk", v)
		_ = wrong.take(err)
	}
	l.search = text(p["search"], "search", &wrong)
	paging(p, &l.page, &l.limit, &l.cursor, &wrong)
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
func paging(p map[string]string, page, limit *int, cursor *string, wrong *faults) {
	var ok bool
	if v, given := p["limit"]; given {
		if *limit, ok = api.Whole(v, 1, maxLimit); !ok {
			wrong.add("limit", wrongLimit)
		}
	}
	if *cursor = p["cursor"]; len(*cursor) > maxCursor {
		wrong.add("cursor", "is longer than any that this registry gives")
	}
	if v, given := p["page"]; given {
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
	if l.after != nil {
		p.offset = list.AfterNear(l.after.position(), l.after.near)
	}
	from := min(p.offset, p.total)
	to := min(from+l.limit, p.total)
	p.count = to - from
	key := l.key(p.offset)
	var link string
	if kept, ok := v.Cache().Get(key); ok {
		next, rest, _ := strings.Cut(string(kept), " ")
		p.next, link = next, rest
	} else {
		if to > from && to < p.total {
			p.next = a.API.Seal(listKind, placeOf(l, list.At(to-1), to).append(make([]byte, 0, 96)))
		}
		link = p.links(a.API.BaseURL+serversPath, encoded("category", l.category, "sdk", l.sdk), l.after != nil)
		v.Cache().Put(key, []byte(p.next+" "+link))
	}
	httpd.SetHeader(c, "X-Total-Count", strconv.Itoa(p.total))
	if link != "" {
		httpd.SetHeader(c, "Link", link)
	}
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	d := api.Document{Tag: v.Tag(), Cache: v.Cache(), Body: func() []byte {
		b := list.AppendBasics(append((*buf)[:0], serversHead...), from, to)
		b = p.append(append(b, `],`...))
		*buf = append(b, '}')
		return *buf
	}}
	if p.count > 1 {
		d.Zipped = func() []byte {
			z := catalog.NewZip((*buf)[:0], serversHead)
			list.ZipBasics(z, from, to)
			tail := p.append(append(make([]byte, 0, 512), `],`...))
			*buf = z.End(append(tail, '}'))
			return *buf
		}
	}
	if p.offset == 0 || d.Zipped == nil {
		d.Key = key
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
	if l.after != nil {
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
	a.API.Counter.Event(registry.EventAPIHit, i.Slug(), c.Request)
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
