package web

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
	"golang.org/x/sync/errgroup"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// A choice is a value that a filter or an order can take.
type choice struct {
	Value, Name string
	Count       int
	Chosen      bool
	Address     string // of the list with it, or without it if it is chosen
}

// A facet is a filter with its values, as the page offers them.
type facet struct {
	Param, Name string
	Choices     []choice
	Open        bool
}

// A loosening is an address with one condition less, and what it finds.
type loosening struct {
	Text, Address string
	Count         int
}

// A kept is a condition that the search form repeats.
type kept struct{ Name, Value string }

type serversPage struct {
	frame
	browse
	Heading                   string
	Facets                    []facet
	Chosen                    []choice // conditions that hold, each with the address without it
	Sorts                     []choice
	Kept                      []kept
	Rows                      []row
	Total, Pages, First, Last int
	Pager                     pager
	Loosen                    []loosening
	Degraded                  bool
	Part                      bool   // the results alone, for the script
	Clear                     string // address without conditions
}

// Filtered is browse.filtered, for the template.
func (p serversPage) Filtered() bool { return p.filtered() }

// Action is where the search form leads: its fields say everything.
func (p serversPage) Action() string { return "/servers" }

// A pager leads to the pages of a list.
type pager struct {
	Previous, Next string // addresses, "" if there is none
	Pages          []pageLink
}

// A pageLink is a page by its number; 0 is a gap.
type pageLink struct {
	Number  int
	Address string
	Current bool
}

// pagerOf returns the links to the first and last page and those around page.
func pagerOf(page, pages int, address func(int) string) pager {
	var p pager
	if pages < 2 {
		return p
	}
	if page > 1 {
		p.Previous = address(page - 1)
	}
	if page < pages {
		p.Next = address(page + 1)
	}
	numbers := []int{1, pages}
	for n := max(1, page-2); n <= min(pages, page+2); n++ {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	last := 0
	for _, n := range slices.Compact(numbers) {
		if last > 0 && n > last+1 {
			p.Pages = append(p.Pages, pageLink{})
		}
		p.Pages = append(p.Pages, pageLink{n, address(n), n == page})
		last = n
	}
	return p
}

// servers answers GET /servers and the lists of a category, a tag and an
// owner: search, filters, order and pages.
func (s *Site) servers(ctx context.Context, c *gin.Context) error {
	b, err := parseBrowse(c.Request.URL.RawQuery)
	if err != nil {
		return err
	}
	for name, into := range map[string]*string{"tag": &b.Tag, "owner": &b.Owner} {
		if v := c.Param(name); v != "" {
			if *into, err = parameter(name, v); err != nil {
				return registry.Errorf(registry.ErrNotFound, "There is no such list.")
			}
		}
	}
	if v := c.Param("category"); v != "" {
		category, err := query.ParseCategory("category", v)
		if err != nil {
			return noCategory()
		}
		if b.Categories = append(b.Categories, category); category != v {
			c.Redirect(http.StatusPermanentRedirect, b.address(b.Page))
			return nil
		}
		slices.Sort(b.Categories)
		b.Categories = slices.Compact(b.Categories)
	}
	v, err := s.view()
	if err != nil {
		return err
	}
	p := serversPage{frame: s.frame("Servers", "servers"), browse: b}
	p.Query, p.Heading, p.Searches = b.Q, b.heading(), true
	counts, err := s.list(ctx, v, &p)
	if err != nil {
		return err
	}
	if b.Q != "" {
		var slugs []string
		for _, r := range p.Rows {
			if s.finds.first(httpd.ClientOf(c).Subject().ID, r.Slug, s.Now()) {
				slugs = append(slugs, r.Slug)
			}
		}
		s.Counter.Events(meter.EventImpression, slugs, c.Request)
	}
	p.Pages = max(1, (p.Total+pageSize-1)/pageSize)
	if b.searched() {
		p.Pages = min(p.Pages, reachable/pageSize)
	}
	if b.Page > p.Pages && b.Page > 1 {
		return noPage(b, p.Pages)
	}
	if p.Total == 0 && p.Q == "" && b.onlyPath() {
		switch {
		case b.Owner != "":
			return noOwner(v, b.Owner)
		case b.Tag != "":
			return s.noTag(v, b.Tag)
		}
	}
	p.First, p.Last = (b.Page-1)*pageSize+1, (b.Page-1)*pageSize+len(p.Rows)
	p.Pager = pagerOf(b.Page, p.Pages, b.address)
	p.facets(counts)
	if p.Total == 0 {
		s.loosen(ctx, v, &p)
	}
	p.Title = p.Heading
	p.Canonical = b.address(b.Page)
	p.NoIndex = !b.onlyPath()
	if list := b.without("q"); b.Q != "" { // what is found may be seen, but search engines keep the list
		p.Canonical, p.NoIndex = list.address(1), p.Total == 0 || b.Page > 1 || !list.onlyPath()
	}
	p.Description = p.Heading + ": MCP servers with their health, popularity and how to install them."
	tag := byContent
	if b.searched() {
		tag = "" // the index may be behind the read model
	}
	name := "servers"
	if c.Query("part") == "results" {
		name, tag, p.NoIndex, p.Part = "servers/results", "", true, true
	}
	return s.show(c, http.StatusOK, name, tag, p)
}

// onlyPath says whether the list is all of a category, a tag, an owner or the
// registry: those are for search engines, combinations are not.
func (b browse) onlyPath() bool {
	n := len(b.Categories)
	for _, f := range filters[1:] {
		n += 2 * len(*f.values(&b))
	}
	for _, v := range []string{b.Tag, b.Owner} {
		if v != "" {
			n++
		}
	}
	return n <= 1 && b.Q == "" && b.Sort == ""
}

// heading says what the list holds.
func (b browse) heading() string {
	switch {
	case b.Q != "":
		return "Results for “" + b.Q + "”"
	case b.Owner != "":
		return "Servers of " + b.Owner
	case b.Tag != "":
		return "Servers tagged “" + b.Tag + "”"
	case len(b.Categories) == 1:
		return categoryName(b.Categories[0]) + " servers"
	}
	return "All servers"
}

// list fills in the rows and the total, and returns how many servers each
// value of each filter would give.
func (s *Site) list(ctx context.Context, v *catalog.View, p *serversPage) (counts map[string]map[string]int, err error) {
	if !p.searched() {
		l, counts := v.Select(p.choice(), p.order())
		p.Total = l.Total()
		from := (p.Page - 1) * pageSize
		p.Rows, err = rowsOf(l, min(from, l.Total()), from+pageSize)
		return counts, err
	}
	if p.Page*pageSize > reachable {
		return nil, misled{refused("page", "is too far", "Results of a search beyond the "+grouped(reachable)+"th cannot be shown. Use more words or filters to have fewer."),
			[]lead{{"The first page", p.address(1)}}}
	}
	q, err := p.query()
	if err != nil {
		return nil, err
	}
	q.Facets = true
	found, err := s.find(ctx, v, q)
	if err != nil {
		return nil, err
	}
	p.Total, p.Degraded = found.Total, found.Degraded
	for _, slug := range found.Slugs {
		i, _ := v.Find(slug)
		if i == nil {
			continue // it has left the listing since it was indexed
		}
		r, err := rowOf(i)
		if err != nil {
			return nil, err
		}
		p.Rows = append(p.Rows, r)
	}
	counts = map[string]map[string]int{"type": {}}
	for name, n := range found.Facets {
		counts[name] = n
	}
	return counts, s.countOthers(ctx, v, p.browse, found.Total, counts)
}

// find looks into the read model for what has no words, else into the index. An
// export has its own lists of owners and tags: going through all servers for
// each of tens of thousands of pages would take hours.
func (s *Site) find(ctx context.Context, v *catalog.View, q query.Query) (query.Results, error) {
	if s.Static && s.Search != nil {
		return s.Search.Search(ctx, q)
	}
	if found, _, ok := v.Search(q); ok {
		return found, nil
	}
	if s.Search == nil {
		return query.Results{}, registry.Errorf(registry.ErrUnavailable, "Searching is not available at the moment.")
	}
	return s.Search.Search(ctx, q)
}

// countOthers fills in the counts that one search does not give: those of a
// filter with a choice, which are to be counted as if nothing were chosen, and
// those of the type.
func (s *Site) countOthers(ctx context.Context, v *catalog.View, b browse, total int, counts map[string]map[string]int) error {
	group, ctx := errgroup.WithContext(ctx)
	ask := func(b browse, facets bool, take func(query.Results)) {
		b.Page, b.Sort = 1, ""
		group.Go(func() error {
			q, err := b.query()
			if err != nil {
				return err
			}
			q.Limit, q.Facets = 1, facets
			r, err := s.find(ctx, v, q)
			if err == nil {
				take(r)
			}
			return err
		})
	}
	var types [2]int
	chosen := map[string]map[string]int{}
	for _, f := range filters {
		if f.param == "has" {
			for n, t := range []string{query.TypePackage, query.TypeRemote} {
				if slices.Contains(b.Has, t) {
					types[n] = total
				} else {
					ask(b.with(f, t), false, func(r query.Results) { types[n] = r.Total })
				}
			}
			continue
		}
		if len(*f.values(&b)) == 0 {
			continue
		}
		without := b
		*f.values(&without) = nil
		into := map[string]int{}
		chosen[f.field] = into
		ask(without, true, func(r query.Results) {
			for v, n := range r.Facets[f.field] {
				into[v] = n
			}
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for field, n := range chosen {
		counts[field] = n
	}
	counts["type"] = map[string]int{query.TypePackage: types[0], query.TypeRemote: types[1]}
	return nil
}

// mostChoices bounds the values of an open filter that are offered.
const mostChoices = 8

// facets fills in what the page offers.
func (p *serversPage) facets(counts map[string]map[string]int) {
	for _, f := range filters {
		of, chosen := counts[f.field], *f.values(&p.browse)
		values := map[string][]string{
			"category": registry.Categories, "grade": registry.Grades, "sdk": registry.SDKs, "transport": registry.Transports,
			"has": {query.TypePackage, query.TypeRemote},
		}[f.param]
		open := values == nil
		if open {
			for v := range of {
				values = append(values, v)
			}
		}
		values = slices.Clone(values)
		for _, v := range chosen {
			if !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		if f.param != "grade" && f.param != "has" {
			slices.SortFunc(values, func(a, b string) int {
				if of[a] != of[b] {
					return of[b] - of[a]
				}
				return strings.Compare(a, b)
			})
		}
		x := facet{Param: f.param, Name: f.name, Open: true}
		for _, v := range values {
			c := choice{Value: v, Name: valueName(f.param, v), Count: of[v], Chosen: slices.Contains(chosen, v)}
			if c.Count == 0 && !c.Chosen || open && len(x.Choices) >= mostChoices && !c.Chosen {
				continue
			}
			c.Address = p.with(f, v).address(1)
			x.Choices = append(x.Choices, c)
			if c.Chosen {
				p.Chosen = append(p.Chosen, choice{Name: f.name + ": " + c.Name, Address: c.Address})
				p.Kept = append(p.Kept, kept{f.param, v})
			}
		}
		if len(x.Choices) > 0 {
			p.Facets = append(p.Facets, x)
		}
	}
	for _, v := range [][3]string{{"tag", p.Tag, "Tag: "}, {"owner", p.Owner, "Owner: "}} {
		if v[1] != "" {
			p.Chosen = append(p.Chosen, choice{Name: v[2] + v[1], Address: p.without(v[0]).address(1)})
			p.Kept = append(p.Kept, kept{v[0], v[1]})
		}
	}
	if p.Q != "" {
		p.Chosen = append([]choice{{Name: "“" + p.Q + "”", Address: p.without("q").address(1)}}, p.Chosen...)
		p.Sorts = append(p.Sorts, choice{Name: "Relevance", Chosen: p.Sort == ""})
	}
	for n, o := range sorts {
		o.Chosen = o.Value == p.Sort || p.Sort == "" && p.Q == "" && n == 0
		if n == 0 && p.Q == "" {
			o.Value = "" // words that are typed next are to be ordered by relevance
		}
		p.Sorts = append(p.Sorts, o)
	}
	p.Clear = browse{Sort: p.Sort}.address(1)
}

// valueName is a value of a filter as people read it.
func valueName(param, v string) string {
	switch param {
	case "category":
		return categoryName(v)
	case "sdk":
		return sdkName(v)
	case "has":
		return hasNames[v]
	case "transport":
		return transportName(v)
	}
	return v
}

// without returns b without one condition, by its parameter.
func (b browse) without(name string) browse {
	switch name {
	case "q":
		b.Q = ""
	case "tag":
		b.Tag = ""
	case "owner":
		b.Owner = ""
	}
	for _, f := range filters {
		if f.param == name {
			*f.values(&b) = nil
		}
	}
	b.Page = 1
	return b
}

// loosen fills in what fewer conditions would find, most first. What cannot be
// counted now is left out.
func (s *Site) loosen(ctx context.Context, v *catalog.View, p *serversPage) {
	add := func(text, param string) {
		b := p.without(param)
		n := 0
		if b.searched() {
			q, err := b.query()
			if err != nil {
				return
			}
			q.Limit = 1
			found, err := s.find(ctx, v, q)
			if err != nil {
				return
			}
			n = found.Total
		} else {
			l, _ := v.Select(b.choice(), catalog.ByQuality)
			n = l.Total()
		}
		p.Loosen = append(p.Loosen, loosening{text, b.address(1), n})
	}
	if p.Q != "" {
		add("Without the words “"+p.Q+"”", "q")
		words := strings.Fields(p.Q)
		for _, w := range words[:min(len(words), 4)] {
			if len(words) == 1 {
				break
			}
			b := p.browse
			b.Q, b.Page = w, 1
			if q, err := b.query(); err == nil {
				q.Limit = 1
				if found, err := s.find(ctx, v, q); err == nil && found.Total > 0 {
					p.Loosen = append(p.Loosen, loosening{"Only the word “" + w + "”", b.address(1), found.Total})
				}
			}
		}
	}
	for _, f := range filters {
		if values := *f.values(&p.browse); len(values) > 0 {
			var names []string
			for _, v := range values {
				names = append(names, valueName(f.param, v))
			}
			add("Without “"+f.name+": "+strings.Join(names, ", ")+"”", f.param)
		}
	}
	if p.Tag != "" {
		add("Without the tag “"+p.Tag+"”", "tag")
	}
	if p.Owner != "" {
		add("Of all owners", "owner")
	}
	if len(p.Chosen) > 2 && p.Q != "" {
		b := browse{Q: p.Q, Page: 1}
		if q, err := b.query(); err == nil {
			q.Limit = 1
			if found, err := s.find(ctx, v, q); err == nil {
				p.Loosen = append(p.Loosen, loosening{"Without any filter", b.address(1), found.Total})
			}
		}
	}
	slices.SortStableFunc(p.Loosen, func(a, b loosening) int { return b.Count - a.Count })
	if len(p.Loosen) > 0 && p.Loosen[0].Count > 0 {
		p.Loosen = slices.DeleteFunc(p.Loosen, func(l loosening) bool { return l.Count == 0 })
	}
}
