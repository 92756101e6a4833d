package api

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

const (
	discoverPath = "/api/discover"
	serversPath  = "/api/servers"

	// maxDeep is how far results of a text query reach.
	maxDeep = 10_000
	// maxToolServers is how many servers a text query looks at for their tools.
	maxToolServers = 1_000
)

// discover answers GET /api/discover.
func (a *API) discover(ctx context.Context, c *gin.Context) error {
	return a.list(ctx, c, discoverPath, discoverParams, discoverSorts)
}

// servers answers GET /api/servers.
func (a *API) servers(ctx context.Context, c *gin.Context) error {
	return a.list(ctx, c, serversPath, serversParams, serversSorts)
}

func (a *API) list(ctx context.Context, c *gin.Context, path string, allowed, sorts []string) error {
	l, err := parseListing(path, c.Request.URL.RawQuery, allowed, sorts)
	if err != nil {
		return err
	}
	if err := a.resume(&l); err != nil {
		return err
	}
	v, err := a.view()
	if err != nil {
		return err
	}
	var p page
	switch {
	case l.search != "" && l.tools:
		p, err = a.searchTools(ctx, v, &l)
	case l.search != "":
		p, err = a.search(ctx, v, &l)
	case l.tools:
		p = a.browseTools(v, &l)
	default:
		a.writeCut(c, v, &l)
		return nil
	}
	if err != nil {
		return err
	}
	a.Counter.Events(meter.EventImpression, p.found, c.Request)
	a.writePage(c, v, &l, p)
	return nil
}

// A page is a part of a listing.
type page struct {
	total  int
	offset int
	count  int    // results that it stands for, with those of servers that have left
	next   []byte // cursor of the page behind it, "" if there is none
	// items appends what is on the page, with commas between.
	items func([]byte) []byte
	// entries, if not nil, adds the same to a compressed body.
	entries func(*catalog.Zip)
	// tag is the page's entity tag, where that of the data does not do.
	tag string
	// found are the servers that a search with words shows on the page.
	found []string
	// degraded says that the index did not answer.
	degraded bool
}

// A cut is a page out of an order of the catalog.
type cut struct {
	list     catalog.List
	offset   int // as it was asked for, which may be behind the end
	from, to int
}

func cutOf(v *catalog.View, l *listing) cut {
	p := cut{list: v.List(l.category, l.sort, l.min), offset: l.offset}
	if l.resumed {
		p.offset = p.list.AfterNear(l.from.position(), l.from.Near)
	}
	p.from = min(p.offset, p.list.Total())
	p.to = min(p.from+l.limit, p.list.Total())
	return p
}

// appendNext appends the cursor of the page behind p, nothing if there is none.
func (a *API) appendNext(dst []byte, l *listing, p *cut) []byte {
	if p.to == p.from || p.to == p.list.Total() {
		return dst
	}
	next := l.cursorOf()
	next.at(p.list.Position(p.to-1), p.to)
	return a.appendCursor(dst, &next)
}

// cursorRoom is room for most cursors.
const cursorRoom = 256

// writeCut answers with a page that no other part of the registry has a say in.
func (a *API) writeCut(c *gin.Context, v *catalog.View, l *listing) {
	p := cutOf(v, l)
	if l.mcp || p.to-p.from < 2 || p.offset == 0 && httpd.TakesGzip(c.Request) { // is kept, or smaller when it is compressed at once
		a.writePage(c, v, l, a.browse(v, l))
		return
	}
	var cursor [cursorRoom]byte
	var tail [cursorRoom + 128]byte
	page := page{total: p.list.Total(), offset: p.offset, count: p.to - p.from, next: a.appendNext(cursor[:0], l, &p)}
	a.setPaging(c, l, &page)
	listed := Listed{List: p.list, From: p.from, To: p.to, Head: serversHead, Tag: v.Tag(), Control: dataCache,
		Tail: appendPagination(tail[:0], l, &page)}
	listed.Write(c)
}

// browse cuts a page out of an order of the catalog.
func (a *API) browse(v *catalog.View, l *listing) page {
	cut := cutOf(v, l)
	list, from, to, mcp := cut.list, cut.from, cut.to, l.mcp
	p := page{total: list.Total(), offset: cut.offset, count: to - from, next: a.appendNext(nil, l, &cut)}
	p.items = func(b []byte) []byte {
		if mcp {
			return list.AppendEntries(b, from, to)
		}
		return list.AppendBasics(b, from, to)
	}
	if !mcp {
		p.entries = func(z *catalog.Zip) { list.ZipBasics(z, from, to) }
	}
	return p
}

// browseTools cuts a page of tools out of an order of the catalog.
func (a *API) browseTools(v *catalog.View, l *listing) page {
	list := v.List(l.category, l.sort, l.min).Tools()
	p := page{total: list.Total(), offset: l.offset}
	if l.resumed {
		at := list.AfterNear(l.from.position(), l.from.Near)
		p.offset = list.Before(at)
		if at > 0 && list.At(at-1).Slug() == l.from.Slug { // some of its tools are still to come
			p.offset = list.Before(at-1) + min(l.from.Tool, list.At(at-1).Tools())
		}
	}
	from := min(p.offset, p.total)
	to := min(from+l.limit, p.total)
	p.count = to - from
	if to > from && to < p.total {
		server, tool := list.Locate(to - 1)
		cur := l.cursorOf()
		cur.at(list.Position(server), server+1)
		cur.Tool = tool + 1
		p.next = a.appendCursor(nil, &cur)
	}
	p.items = func(b []byte) []byte {
		for n := from; n < to; {
			server, tool := list.Locate(n)
			i := list.At(server)
			upTo := min(i.Tools(), tool+to-n)
			if n > from {
				b = append(b, ',')
			}
			b = a.appendTools(b, i, tool, upTo)
			n += upTo - tool
		}
		return b
	}
	return p
}

// searchQuery is what l asks the index for.
func searchQuery(l *listing) query.Query {
	q := query.Query{Text: l.search, Limit: l.limit, Offset: l.offset}
	if l.category != "" {
		q.Filters = append(q.Filters, query.Filter{Field: "category", Op: query.OpEq, Values: []any{l.category}})
	}
	if l.min >= 0 {
		q.Filters = append(q.Filters, query.Filter{Field: "qualityScore", Op: query.OpGte, Values: []any{l.minScore}})
	}
	if l.sorted {
		name := l.sort.String()
		q.Sort = []query.Order{{Field: name, Desc: query.SortNamed(name).Desc}}
	}
	return q
}

func tooDeep(field string) error {
	e := registry.Invalid(field, "reaches beyond the %s results that a search gives; narrow the search, or leave it out to page through everything", "10,000")
	return e
}

func (a *API) search(ctx context.Context, v *catalog.View, l *listing) (page, error) {
	if a.Search == nil {
		return page{}, registry.Errorf(registry.ErrUnavailable, "Search is not available at the moment. Listings without search are.")
	}
	q := searchQuery(l)
	p := page{offset: l.offset}
	if l.resumed {
		q.After, q.Offset = l.from.searchPosition(), 0
		p.offset = l.from.Deep
		if !q.After.Fits(q.Orders()) {
			return page{}, registry.Invalid("cursor", "is of another search; start again without it")
		}
		if p.offset+l.limit > maxDeep {
			return page{}, tooDeep("cursor")
		}
	} else if p.offset+l.limit > maxDeep {
		return page{}, tooDeep("offset")
	}
	res, err := a.Search.Search(ctx, q)
	if err != nil {
		return page{}, err
	}
	p.total, p.degraded = res.Total, res.Degraded
	items := make([]*catalog.Item, 0, len(res.Slugs))
	for _, slug := range res.Slugs {
		if i, _ := v.Find(slug); i != nil { // one that left since the index was asked
			items, p.found = append(items, i), append(p.found, i.Slug())
		}
	}
	p.count = len(res.Slugs)
	done := p.offset + len(res.Slugs)
	more, err := More(ctx, a.Search, q, res, p.offset)
	if err != nil {
		return page{}, err
	}
	if n := len(res.Slugs); more && done+l.limit <= maxDeep {
		cur := l.cursorOf()
		cur.Slug, cur.Keys, cur.Deep = res.Positions[n-1].Slug, res.Positions[n-1].Keys, done
		p.next = a.appendCursor(nil, &cur)
	}
	mcp := l.mcp
	p.items = func(b []byte) []byte {
		for n, i := range items {
			if n > 0 {
				b = append(b, ',')
			}
			if mcp {
				b = i.AppendEntry(b)
			} else {
				b = i.AppendBasic(b)
			}
		}
		return b
	}
	if !mcp && len(items) > 1 {
		p.entries = func(z *catalog.Zip) {
			for _, i := range items {
				z.Basic(i)
			}
		}
	}
	p.tag = "search"
	return p, nil
}

// searchTools pages through the tools of the best servers of a search.
func (a *API) searchTools(ctx context.Context, v *catalog.View, l *listing) (page, error) {
	if a.Search == nil {
		return page{}, registry.Errorf(registry.ErrUnavailable, "Search is not available at the moment. Listings without search are.")
	}
	p := page{offset: l.offset}
	if l.resumed {
		p.offset = l.from.Deep
	}
	if p.offset+l.limit > maxDeep {
		return page{}, tooDeep("offset")
	}
	type part struct {
		item     *catalog.Item
		from, to int
	}
	var parts []part
	q := searchQuery(l)
	for q.Offset, q.Limit = 0, 100; q.Offset < maxToolServers; q.Offset += q.Limit {
		res, err := a.Search.Search(ctx, q)
		if err != nil {
			return page{}, err
		}
		p.degraded = p.degraded || res.Degraded
		for _, slug := range res.Slugs {
			i, _ := v.Find(slug)
			if i == nil {
				continue
			}
			n := i.Tools()
			from, to := max(p.offset-p.total, 0), min(n, p.offset+l.limit-p.total)
			if from < to {
				parts, p.found = append(parts, part{i, from, to}), append(p.found, i.Slug())
				p.count += to - from
			}
			p.total += n
		}
		if len(res.Slugs) < q.Limit || q.Offset+len(res.Slugs) >= res.Total {
			break
		}
	}
	if done := p.offset + p.count; p.count > 0 && done < p.total && done+l.limit <= maxDeep {
		cur := l.cursorOf()
		cur.Deep = done
		p.next = a.appendCursor(nil, &cur)
	}
	p.items = func(b []byte) []byte {
		for n, s := range parts {
			if n > 0 {
				b = append(b, ',')
			}
			b = a.appendTools(b, s.item, s.from, s.to)
		}
		return b
	}
	p.tag = "search"
	return p, nil
}

// appendTools appends the entries of some tools of a server. They are made of
// its detail record.
func (a *API) appendTools(b []byte, i *catalog.Item, from, to int) []byte {
	var d struct {
		Tools []toolBody `json:"tools"`
	}
	var e entryBody
	if err := json.Unmarshal(i.AppendDetail(nil), &d); err != nil {
		panic("api: " + err.Error()) // encoder.record wrote it
	}
	if err := json.Unmarshal(i.AppendEntry(nil), &e); err != nil {
		panic("api: " + err.Error())
	}
	for n := from; n < min(to, len(d.Tools)); n++ {
		t := d.Tools[n]
		e.Name, e.Description, e.InputSchema = i.Slug()+"/"+t.Name, "", t.InputSchema
		if t.Description != nil {
			e.Description = *t.Description
		}
		for k, m := range e.Meta {
			m.Tool = &t.Name
			e.Meta[k] = m
		}
		body, err := encode(e)
		if err != nil {
			panic("api: " + err.Error())
		}
		if n > from {
			b = append(b, ',')
		}
		b = append(b, body...)
	}
	return b
}

// setPaging sets the headers that say where in a listing a page is.
func (a *API) setPaging(c *gin.Context, l *listing, p *page) {
	var room [cursorRoom + 256]byte
	c.Header("X-Total-Count", strconv.Itoa(p.total))
	if len(p.next) > 0 {
		c.Header("Link", string(a.appendNextLink(room[:0], l, p.next)))
	}
}

// serversHead begins the bodies of listings of servers.
const serversHead = `{"servers":[`

func (a *API) writePage(c *gin.Context, v *catalog.View, asked *listing, p page) {
	a.setPaging(c, asked, &p)
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	l, head := *asked, serversHead // a copy, or that of the caller would have to be on the heap
	if l.mcp {
		head = `{"tools":[`
	}
	ans := answer{cache: v.Cache(), tag: v.Tag(), body: func() []byte {
		*buf = appendPagination(p.items(append((*buf)[:0], head...)), &l, &p)
		return *buf
	}}
	if p.entries != nil && p.count > 1 {
		ans.zipped = func() []byte {
			z := new(catalog.Zip)
			z.Begin((*buf)[:0], head)
			p.entries(z)
			*buf = z.End(appendPagination(make([]byte, 0, 512), &l, &p))
			return *buf
		}
	}
	switch {
	case p.tag != "": // the index decides what is on the page, so the page is its own version
		b := bytes.Clone(ans.body())
		ans.tag, ans.body = tagOf(b), func() []byte { return b }
	case p.offset == 0 || ans.zipped == nil:
		ans.key = l.cacheKey(p.offset)
	}
	ans.write(c)
}

// appendPagination appends what stands behind the items of a page.
func appendPagination(b []byte, l *listing, p *page) []byte {
	b = append(b, `],"pagination":{"total":`...)
	b = strconv.AppendInt(b, int64(p.total), 10)
	b = append(b, `,"limit":`...)
	b = strconv.AppendInt(b, int64(l.limit), 10)
	b = append(b, `,"offset":`...)
	b = strconv.AppendInt(b, int64(p.offset), 10)
	if len(p.next) == 0 {
		b = append(b, `,"hasMore":false,"nextOffset":null,"nextCursor":null}`...)
	} else {
		b = append(b, `,"hasMore":true,"nextOffset":`...)
		b = strconv.AppendInt(b, int64(p.offset+p.count), 10)
		b = append(b, `,"nextCursor":"`...)
		b = append(b, p.next...)
		b = append(b, `"}`...)
	}
	return append(AppendWarnings(b, p.degraded), '}')
}

// cacheKey names the page of l that starts at offset.
func (l *listing) cacheKey(offset int) string {
	b := make([]byte, 0, 64)
	b = append(b, l.path...) // the cursor on the page is of its endpoint
	b = append(b, ' ')
	b = append(b, l.category...)
	b = append(b, ' ', 'a'+byte(l.sort))
	if l.mcp {
		b = append(b, 'm')
	}
	if l.tools {
		b = append(b, 't')
	}
	b = append(b, ' ')
	b = strconv.AppendFloat(b, l.minScore, 'g', -1, 64)
	if l.min < 0 {
		b = append(b, '-')
	}
	if l.sorted {
		b = append(b, 's')
	}
	b = append(b, ' ')
	b = strconv.AppendInt(b, int64(offset), 36)
	b = append(b, ' ')
	b = strconv.AppendInt(b, int64(l.limit), 36)
	return string(b)
}

// appendNextLink appends a Link header with the address of the next page. The
// cursor has the filters in it; only what it does not carry stands beside it.
func (a *API) appendNextLink(b []byte, l *listing, cursor []byte) []byte {
	b = append(b, '<')
	b = append(append(b, a.BaseURL...), l.path...)
	b = strconv.AppendInt(append(b, "?limit="...), int64(l.limit), 10)
	if l.mcp {
		b = append(b, "&format=mcp"...)
	}
	if l.tools {
		b = append(b, "&level=tool"...)
	}
	b = append(append(b, "&cursor="...), cursor...) // base64url needs no escaping
	return append(b, `>; rel="next"`...)
}
