package v1

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/api"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

const searchPath = "/v1/search"

// A search is a request for a page of what words and filters find.
type search struct {
	where    string // what its cursors are for
	path     string // of the endpoint, for links
	question        // what is asked

	page, limit int
	cursor      string
	from        *searchCursor
	given       string // the parameter facets, as given
	posted      bool   // links would not repeat it
	saved       bool   // what it looks for stands in no parameter
	behind      int    // where in the body the servers end
}

// A question is what a search looks for: the part that can be saved.
type question struct {
	text    string
	filters []query.Filter
	written string // the filters as JSON, compact; "" for none
	sort    string // as given; "" for the default
	orders  []query.Order
	facets  bool
	fields  []string // members of the records; nil: those of a list entry
}

// read takes over the parts of a question that stand in the request and adds
// what is wrong with them. The sort is looked at by settle, when the text is
// known.
func (q *question) read(text_, filters, sort string, wrong *faults) error {
	q.text = text(text_, "q", wrong)
	q.sort = strings.TrimSpace(sort)
	return q.readFilters([]byte(filters), wrong)
}

func (q *question) readFilters(raw []byte, wrong *faults) (err error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	q.filters, err = query.ParseFilters(raw)
	if err != nil {
		return wrong.take(err)
	}
	for _, f := range q.filters {
		for _, v := range f.Values {
			if s, ok := v.(string); ok {
				if fault := api.TextFault("filters", s); fault != "" {
					wrong.add("filters."+f.Field, fault)
				}
			}
		}
	}
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return err
	}
	if q.written = b.String(); q.written == "{}" {
		q.written = ""
	}
	return nil
}

// settle reads the sort.
func (q *question) settle(wrong *faults) (err error) {
	q.orders, err = query.ParseSort(q.sort, q.text != "")
	if err = wrong.take(err); err == nil && len(q.orders) == 0 {
		q.orders = (&query.Query{Text: q.text}).Orders()[:1]
	}
	return err
}

// sorted is the order in force, as a sort is written.
func (q *question) sorted() string {
	parts := make([]string, len(q.orders))
	for i, o := range q.orders {
		parts[i] = o.Field + ":asc"
		if o.Desc {
			parts[i] = o.Field + ":desc"
		}
	}
	return strings.Join(parts, ",")
}

// rest returns the parameters of links to other pages besides page, limit and
// cursor: what is asked, though it may stand in the cursor only.
func (s *search) rest() string {
	switch {
	case s.saved:
		return ""
	case s.path != serversPath:
		return encoded("q", s.text, "filters", s.written, "sort", s.sort, "facets", s.given)
	}
	values := map[string]string{}
	for _, f := range s.filters {
		values[f.Field], _ = f.Values[0].(string)
	}
	return encoded("category", values["category"], "sdk", values["sdk"], "search", s.text)
}

// canonical writes filters so that equal ones are written equally.
func canonical(filters []query.Filter) string {
	parts := make([]string, len(filters))
	for i, f := range filters {
		parts[i] = string(api.JSON([]any{f.Field, f.Op, f.Values}))
	}
	slices.Sort(parts)
	return strings.Join(parts, ",")
}

// resume puts the cursor's search into s. What is given beside the cursor must
// be what it was made with; a saved search must be it wholly.
func (a *API) resumeSearch(s *search, wrong *faults) error {
	if s.cursor == "" {
		return nil
	}
	c, err := a.openSearch(s.where, s.cursor)
	if len(*wrong) > 0 {
		if err != nil {
			wrong.add("cursor", "is not a cursor of this endpoint")
		}
		return nil
	}
	if err != nil {
		return err
	}
	var was question
	var broken faults
	if err := was.read(c.Text, c.Filters, c.Sort, &broken); err != nil {
		return err
	}
	if err := was.settle(&broken); err != nil {
		return err
	}
	if len(broken) > 0 {
		return registry.Invalid("cursor", "cannot be read any more; start again without it")
	}
	is := s.question
	if !s.saved { // the words need not be repeated
		is.text = was.text
	}
	if err := is.settle(wrong); err != nil || len(*wrong) > 0 {
		return err
	}
	if s.saved {
		if is.text != was.text || canonical(is.filters) != canonical(was.filters) || is.sorted() != was.sorted() {
			return registry.Invalid("cursor", "is of an earlier definition; start again without it")
		}
	} else {
		sort := ""
		if s.sort != "" {
			sort = is.sorted()
		}
		words := "q"
		if s.path == serversPath {
			words = "search"
		}
		if err := sameAs([][3]string{
			{words, s.text, was.text}, {"filters", canonical(s.filters), canonical(was.filters)}, {"sort", sort, was.sorted()},
		}); err != nil {
			return err
		}
	}
	was.facets, was.fields = s.facets, s.fields
	s.question, s.from = was, c
	return nil
}

// search answers GET /v1/search.
func (a *API) search(ctx context.Context, c *gin.Context) error {
	began := time.Now()
	p, err := api.ParseQuery(c.Request.URL.RawQuery, "q", "filters", "sort", "page", "limit", "cursor", "facets")
	var wrong faults
	if err := wrong.take(err); err != nil {
		return err
	}
	s := search{where: searchPath, path: searchPath, limit: defaultLimit, page: 1}
	if err := s.read(p.Get("q"), p.Get("filters"), p.Get("sort"), &wrong); err != nil {
		return err
	}
	s.facets = true
	if v, given := p.Lookup("facets"); given {
		if s.facets = v == "true"; v != "true" && v != "false" {
			wrong.add("facets", "must be true or false")
		}
	}
	paging(&p, &s.page, &s.limit, &s.cursor, &wrong)
	s.given = p.Get("facets")
	return a.answer(ctx, c, &s, &wrong, began, "")
}

// searchBody answers POST /v1/search.
func (a *API) searchBody(ctx context.Context, c *gin.Context) error {
	began := time.Now()
	if _, err := api.ParseQuery(c.Request.URL.RawQuery); err != nil {
		return err
	}
	var wrong faults
	m, err := readObject(c, maxSearchBody, &wrong, "q", "filters", "sort", "page", "limit", "cursor", "facets")
	if err != nil {
		return err
	}
	s := search{where: searchPath, path: searchPath, limit: defaultLimit, page: 1, posted: true}
	s.facets = true
	if err := s.members(m, &wrong); err != nil {
		return err
	}
	m.whole("page", 1, maxPage, &s.page, wrongPage, &wrong)
	if s.cursor = m.text("cursor", maxCursor, &wrong); s.cursor != "" && m["page"] != nil {
		wrong.add("page", pageCursor)
	}
	m.whole("limit", 1, maxLimit, &s.limit, wrongLimit, &wrong)
	return a.answer(ctx, c, &s, &wrong, began, "")
}

// members reads a question out of a body.
func (q *question) members(m object, wrong *faults) error {
	text, sort := m.text("q", 4*maxText, wrong), m.text("sort", 1000, wrong)
	if err := q.read(text, string(m["filters"]), sort, wrong); err != nil {
		return err
	}
	m.truth("facets", &q.facets, wrong)
	return nil
}

// answer runs a search and answers with its page. A name is that of a saved
// search.
func (a *API) answer(ctx context.Context, c *gin.Context, s *search, wrong *faults, began time.Time, name string) error {
	if err := a.resumeSearch(s, wrong); err != nil {
		return err
	}
	if s.from == nil {
		if err := s.settle(wrong); err != nil {
			return err
		}
	}
	if err := wrong.err(); err != nil {
		return err
	}
	v, err := a.API.View()
	if err != nil {
		return err
	}
	r, err := a.find(ctx, v, s)
	if err != nil {
		return err
	}
	b := s.appendServers(make([]byte, 0, 32<<10), r.items)
	b = r.page.append(append(b, ','))
	if name != "" {
		b = append(append(b, `,"name":`...), api.JSON(name)...)
	}
	b = append(b, `,"query":`...)
	if s.text == "" {
		b = append(b, "null"...)
	} else {
		b = append(b, api.JSON(s.text)...)
	}
	b = append(append(b, `,"sort":`...), api.JSON(s.sorted())...)
	b = append(append(b, `,"facets":`...), r.facets...)
	tag := api.TagOf(b) // the time that it took is no part of the version
	b = append(b, `,"tookMs":`...)
	b = strconv.AppendFloat(b, math.Round(float64(time.Since(began).Microseconds())/10)/100, 'f', -1, 64)
	b = append(b, '}')
	a.writeResults(c, s, &r, tag, b)
	return nil
}

// searchListing answers GET /v1/servers with words.
func (a *API) searchListing(ctx context.Context, c *gin.Context, l *listing) error {
	s := search{where: serversPath, path: serversPath, page: l.page, limit: l.limit, cursor: l.cursor}
	s.text = l.search
	filter := map[string]string{}
	for name, value := range map[string]string{"category": l.category, "sdk": l.sdk} {
		if value != "" {
			filter[name] = value
		}
	}
	var wrong faults
	if len(filter) > 0 {
		if err := s.readFilters(api.JSON(filter), &wrong); err != nil {
			return err
		}
	}
	if err := a.resumeSearch(&s, &wrong); err != nil {
		return err
	}
	if s.from == nil {
		if err := s.settle(&wrong); err != nil {
			return err
		}
	}
	if err := wrong.err(); err != nil {
		return err
	}
	v, err := a.API.View()
	if err != nil {
		return err
	}
	r, err := a.find(ctx, v, &s)
	if err != nil {
		return err
	}
	b := s.appendServers(make([]byte, 0, 32<<10), r.items)
	b = append(r.page.append(append(b, ',')), '}')
	a.writeResults(c, &s, &r, api.TagOf(b), b)
	return nil
}

// appendServers appends the start of a page: an object with its first member.
func (s *search) appendServers(b []byte, items []*catalog.Item) []byte {
	b = append(b, serversHead...)
	var cut *cutter
	if s.fields != nil {
		cut = newCutter(s.fields)
	}
	for n, i := range items {
		if n > 0 {
			b = append(b, ',')
		}
		if cut != nil {
			b = cut.append(b, i)
		} else {
			b = i.AppendBasic(b)
		}
	}
	s.behind = len(b)
	return append(b, ']')
}

// serversHead is how pages begin.
const serversHead = `{"servers":[`

func slugs(items []*catalog.Item) []string {
	out := make([]string, len(items))
	for n, i := range items {
		out[n] = i.Slug()
	}
	return out
}

func (a *API) writeResults(c *gin.Context, s *search, r *result, tag string, body []byte) {
	if s.text != "" {
		a.API.Counter.Events(meter.EventImpression, slugs(r.items), c.Request)
	}
	p := &r.page
	c.Header("X-Total-Count", strconv.Itoa(p.total))
	if !s.posted {
		if link := p.appendLinks(nil, a.API.BaseURL, s.path, s.rest(), s.from != nil); len(link) > 0 {
			c.Header("Link", string(link))
		}
	}
	d := api.Document{Tag: tag, Body: func() []byte { return body }}
	if s.fields == nil && len(r.items) > 1 {
		tail := body[s.behind:]
		if len(tail) < 32<<10 {
			d.Zipped = func() []byte {
				z := new(catalog.Zip)
				z.Begin(make([]byte, 0, 16<<10), serversHead)
				for _, i := range r.items {
					z.Basic(i)
				}
				return z.End(tail)
			}
		}
	}
	d.Write(c)
}

// A result is a page of what was found.
type result struct {
	page   page
	items  []*catalog.Item
	facets json.RawMessage // an object, or null
}

// facets writes counts: one object for each of the five, maybe empty.
func facets(counts map[string]map[string]int) json.RawMessage {
	all := make(map[string]map[string]int, 5)
	for _, f := range query.Fields {
		if !f.Facet {
			continue
		}
		all[f.Name] = counts[f.Name]
		if all[f.Name] == nil {
			all[f.Name] = map[string]int{}
		}
	}
	return api.JSON(all)
}

// find looks for a page: in the read model, which answers what has no words,
// else in the index. Both mean the same by a query.
func (a *API) find(ctx context.Context, v *catalog.View, s *search) (r result, err error) {
	r.page = page{limit: s.limit, offset: (s.page - 1) * s.limit, text: s.text != ""}
	r.facets = json.RawMessage("null")
	p := &r.page
	q := query.Query{Text: s.text, Filters: s.filters, Sort: s.orders, Limit: s.limit, Offset: p.offset, Facets: s.facets}
	field := "page"
	if s.from != nil {
		field = "cursor"
		q.After, q.Offset = &query.Position{Slug: s.from.Slug, Keys: s.from.Keys}, 0
		p.offset = s.from.Deep
		if !q.After.Fits(q.Orders()) {
			return r, registry.Invalid("cursor", "cannot be read any more; start again without it")
		}
	}
	if p.text && p.offset+s.limit > maxDeep {
		return r, registry.Invalid(field, tooDeep)
	}
	res, from, fromMemory := v.Search(q)
	var more bool
	if fromMemory {
		p.offset, more = max(from, q.Offset), from+len(res.Slugs) < res.Total
	} else {
		if a.Search == nil {
			return r, noSearch()
		}
		if res, err = a.Search.Search(ctx, q); err != nil {
			return r, err
		}
		if more, err = api.More(ctx, a.Search, q, res, p.offset); err != nil {
			return r, err
		}
	}
	p.total, p.degraded = res.Total, res.Degraded
	for _, slug := range res.Slugs {
		if i, _ := v.Find(slug); i != nil { // one that left since the index was asked
			r.items = append(r.items, i)
		}
	}
	p.count = len(res.Slugs)
	if n, done := len(res.Slugs), p.offset+len(res.Slugs); n > 0 && more && (!p.text || done+s.limit <= maxDeep) {
		p.next = []byte(a.sealSearch(&searchCursor{
			Where: s.where, Text: s.text, Filters: s.written, Sort: s.sorted(), Deep: done,
			Slug: res.Positions[n-1].Slug, Keys: res.Positions[n-1].Keys,
		}))
	}
	switch {
	case !s.facets:
	case fromMemory:
		r.facets = keptFacets(v, s, res.Facets)
	default:
		r.facets = facets(res.Facets)
	}
	return r, nil
}

// keptFacets writes counts once for a version of the data.
func keptFacets(v *catalog.View, s *search, counts map[string]map[string]int) json.RawMessage {
	key := "v1 facets " + canonical(s.filters)
	if b, ok := v.Cache().Get(key); ok {
		return b
	}
	b := facets(counts)
	v.Cache().Put(key, b)
	return b
}
