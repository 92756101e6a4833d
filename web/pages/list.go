package pages

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/synonyms"
	"mcpcensus/internal/text"
	"mcpcensus/web/browse"
	"mcpcensus/web/format"
	"mcpcensus/web/record"
	"mcpcensus/web/site"
)

type listPage struct {
	site.Frame
	browse.Request
	Heading                   string
	Facets                    []facet
	Chosen                    []choice // active conditions, each with the address without it
	Sorts                     []choice
	Hidden                    []hiddenField // conditions that the search form repeats
	Rows                      []*registry.Server
	Total, Pages, First, Last int
	Pager                     pager
	Relaxed                   []relaxation
	Degraded                  bool
	Rest                      []*registry.Server // the first servers that match only some words
	RestTotal                 int
	RestAddress               string // of the list with them
	SomeWords                 bool   // no server matches all words
	Corrected                 string // the words that were searched for instead of Q
	Part                      bool   // the results alone, for the script
	Clear                     string // address without conditions
	NoServers                 bool   // the registry is empty
}

type hiddenField struct{ Name, Value string }

type pager struct {
	Previous, Next string // addresses, "" for none
	Pages          []pageLink
}

// A pageLink is a page by its number; 0 is a gap.
type pageLink struct {
	Number  int
	Address string
	Current bool
}

// newPager returns links to the first and last page and to those around page.
func newPager(page, pages int, address func(int) string) pager {
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

// list responds to GET /servers and to the lists of a category, tag or owner.
func (p *Pages) list(ctx context.Context, c *gin.Context, v *catalog.View) error {
	r, to, err := listRequest(c)
	if err != nil {
		return err
	}
	if to != "" {
		c.Redirect(http.StatusPermanentRedirect, to)
		return nil
	}
	if to := checkOf(r.Q); to != "" && c.Query("part") == "" {
		c.Redirect(http.StatusSeeOther, to)
		return nil
	}
	page := listPage{Frame: p.NewFrame(heading(r), "servers"), Request: r}
	page.Query, page.Heading, page.Searches, page.NoServers = r.Q, page.Title, true, v.Len() == 0
	find := p.finder(v)
	counts, err := find.fill(ctx, &page)
	if err != nil {
		return err
	}
	if counts, err = find.countFlags(ctx, r, counts); err != nil {
		return err
	}
	if err := p.checkPage(v, &page); err != nil {
		return err
	}
	p.countFinds(c, &page)
	page.First, page.Last = (r.Page-1)*browse.PageSize+1, (r.Page-1)*browse.PageSize+len(page.Rows)
	page.Pager = newPager(r.Page, page.Pages, r.URL)
	page.addFacets(counts)
	if page.Total == 0 {
		find.relax(ctx, &page)
	}
	page.describe()
	tag, name := site.ByContent, "servers"
	if r.NeedsSearch() {
		tag = "" // the index may be behind the catalog
	}
	if c.Query("part") == "results" {
		name, tag, page.NoIndex, page.Part = "servers/results", "", true, true
	}
	return p.Show(c, http.StatusOK, name, tag, page)
}

// checkOf returns the address of the check of a repository whose URL was typed instead of words, ""
// for words.
func checkOf(typed string) string {
	host, path, _ := strings.Cut(typed, "/")
	if !strings.Contains(typed, "://") && (!strings.Contains(host, ".") || !strings.Contains(path, "/")) {
		return ""
	}
	if _, err := registry.ParseRepoRef(typed); err != nil {
		return ""
	}
	return "/check?" + url.Values{"url": {typed}}.Encode()
}

// listRequest reads the query and the path of a request for a list. If the
// list has another address, it returns that in redirect.
func listRequest(c *gin.Context) (r browse.Request, redirect string, err error) {
	if r, err = browse.Parse(c.Request.URL.RawQuery); err != nil {
		return r, "", err
	}
	for name, into := range map[string]*string{"tag": &r.Tag, "owner": &r.Owner} {
		if v := c.Param(name); v != "" {
			if *into, err = browse.Parameter(name, v); err != nil {
				return r, "", registry.Errorf(registry.ErrNotFound, "No such list.")
			}
		}
	}
	if c.Param("tag") != "" {
		if folded := synonyms.FoldTag(r.Tag); folded != r.Tag {
			r.Tag = folded
			return r, r.URL(r.Page), nil
		}
	}
	if v := c.Param("category"); v != "" {
		category, err := query.ParseCategory("category", v)
		if err != nil {
			return r, "", browse.NoCategory()
		}
		if r.Categories = append(r.Categories, category); category != v {
			return r, r.URL(r.Page), nil
		}
		slices.Sort(r.Categories)
		r.Categories = slices.Compact(r.Categories)
	}
	return r, "", nil
}

func heading(r browse.Request) string {
	switch {
	case r.Q != "":
		return "Results for “" + r.Q + "”"
	case r.Owner != "":
		return "Servers by " + r.Owner
	case r.Tag != "":
		return "Servers tagged “" + r.Tag + "”"
	case len(r.Categories) == 1:
		return format.Category(r.Categories[0]) + " servers"
	}
	return "All servers"
}

// describe fills in the metadata for search engines.
func (p *listPage) describe() {
	p.Description = p.Heading +
		": MCP servers with their health, popularity and how to install them."
	p.Canonical = p.Request.URL(p.Page)
	p.NoIndex = !p.OnlyPath()
	if p.Q != "" { // results may be visited, but search engines index the list
		list := p.Without("q")
		p.Canonical, p.NoIndex = list.URL(1), p.Total == 0 || p.Page > 1 || !list.OnlyPath()
	}
}

// Feed is the address of the feed with the same servers as the list, "" for
// none.
func (p listPage) Feed() string {
	if p.Q != "" {
		return ""
	}
	switch p.Canonical {
	case "/servers":
		return site.Feed{}.Path()
	case browse.Request{Owner: p.Owner}.URL(1):
		if !browse.InPath(p.Owner) {
			return ""
		}
		return site.Feed{Owner: strings.ToLower(p.Owner)}.Path()
	}
	if len(p.Categories) == 1 && p.Canonical == (browse.Request{Categories: p.Categories}).URL(1) {
		return site.Feed{Category: p.Categories[0]}.Path()
	}
	return ""
}

// checkPage fills in the number of pages. It returns an error if the page does
// not exist, or if no server has the owner or the tag.
func (p *Pages) checkPage(v *catalog.View, page *listPage) error {
	page.Pages = max(1, (page.Total+browse.PageSize-1)/browse.PageSize)
	if page.NeedsSearch() {
		page.Pages = min(page.Pages, browse.MaxReachable/browse.PageSize)
	}
	switch {
	case page.Page > page.Pages && page.Page > 1:
		return browse.NoPage(page.Request, page.Pages)
	case page.Total > 0 || page.Q != "" || !page.OnlyPath():
		return nil
	case page.Owner != "":
		return noOwner(v, page.Owner)
	case page.Tag != "":
		return p.noTag(v, page.Tag)
	}
	return nil
}

// countFinds counts the servers that a search found, once per client.
func (p *Pages) countFinds(c *gin.Context, page *listPage) {
	if page.Q == "" {
		return
	}
	var slugs []string
	for _, r := range page.Rows {
		if p.finds.first(httpd.ClientOf(c).Subject().ID, r.Slug, p.Now()) {
			slugs = append(slugs, r.Slug)
		}
	}
	p.Counter.Events(meter.EventImpression, slugs, c.Request)
}

// fill adds the rows and the total, and returns the number of servers for each
// value of each filter.
func (f *finder) fill(
	ctx context.Context, page *listPage,
) (counts map[string]map[string]int, err error) {
	if !page.NeedsSearch() {
		l, counts := f.view.Select(page.Choice(), page.Order())
		page.Total = l.Total()
		from := (page.Page - 1) * browse.PageSize
		page.Rows = record.Rows(l, min(from, l.Total()), from+browse.PageSize)
		return counts, nil
	}
	if page.Page*browse.PageSize > browse.MaxReachable {
		return nil, site.WithHints(
			site.Refuse("page", "is too far",
				"Only the first "+text.Thousands(browse.MaxReachable)+
					" results can be shown. Use more words or filters."),
			site.Hint{Name: "First page", Address: page.Request.URL(1)})
	}
	q, err := page.Request.SearchQuery()
	if err != nil {
		return nil, err
	}
	q.Facets = true
	found, degraded, err := f.find(ctx, q)
	if err != nil {
		return nil, err
	}
	page.Total, page.Degraded = found.Total, degraded
	if err := f.addRest(ctx, page, q); err != nil {
		return nil, err
	}
	for _, slug := range found.Slugs {
		i, _ := f.view.Find(slug)
		page.Rows = append(page.Rows, record.Row(i))
	}
	counts = map[string]map[string]int{}
	maps.Copy(counts, found.Facets)
	return counts, f.countOthers(ctx, page.Request, counts)
}

// addRest fills in the servers that match only some words, on the last page of those that match
// all, and the correction.
func (f *finder) addRest(ctx context.Context, page *listPage, q query.Query) error {
	m, err := f.match(ctx, q)
	page.Corrected, page.SomeWords = m.Corrected, m.All == 0 && page.Total > 0
	if err != nil || !q.AllWords || m.All == 0 || m.All == len(m.Slugs) {
		return err
	}
	q.AllWords, q.Facets, q.Offset, q.Limit = false, false, 0, restRows
	rest, _ := f.view.Search(q, m.Slugs[m.All:])
	some := page.Request
	some.Match, some.Page = query.MatchSome, 1
	page.RestTotal, page.RestAddress = rest.Total, some.URL(1)
	if page.Page*browse.PageSize >= page.Total {
		for _, slug := range rest.Slugs {
			i, _ := f.view.Find(slug)
			page.Rest = append(page.Rest, record.Row(i))
		}
	}
	return nil
}

// restRows is the number of servers shown that match only some words.
const restRows = 10

// A finder runs the queries of one request. It is safe for concurrent use.
type finder struct {
	*Pages
	view *catalog.View

	mu      sync.Mutex
	matches map[string]query.Matches // by text
}

func (p *Pages) finder(v *catalog.View) *finder {
	return &finder{Pages: p, view: v, matches: map[string]query.Matches{}}
}

// find returns the page of a query, and whether the index was unavailable.
func (f *finder) find(ctx context.Context, q query.Query) (res query.Results, degraded bool, err error) {
	m, err := f.match(ctx, q)
	if err == nil {
		q.AllWords = q.AllWords && m.All > 0
		res, _ = f.view.Search(q, m.Of(q))
	}
	return res, m.Degraded, err
}

// match returns the servers among which the filters of a query are evaluated.
func (f *finder) match(ctx context.Context, q query.Query) (m query.Matches, err error) {
	switch {
	case q.Text == "" && f.Among != nil:
		return query.Matches{Slugs: f.Among(q.Filters)}, nil
	case q.Text == "":
		return m, nil
	case f.Search == nil:
		return m, registry.Errorf(registry.ErrUnavailable, "Search is temporarily unavailable.")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	m, ok := f.matches[q.Text]
	if !ok {
		if m, err = f.Search.Match(ctx, q.Text); err == nil {
			f.matches[q.Text] = m
		}
	}
	return m, err
}

// count returns how many servers a request finds.
func (f *finder) count(ctx context.Context, r browse.Request) (int, error) {
	if !r.NeedsSearch() {
		l, _ := f.view.Select(r.Choice(), catalog.ByQuality)
		return l.Total(), nil
	}
	q, err := r.SearchQuery()
	if err != nil {
		return 0, err
	}
	q.Limit = 1
	found, _, err := f.find(ctx, q)
	return found.Total, err
}
