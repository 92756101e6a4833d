package pages

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/web/browse"
	"mcpcensus/web/record"
	"mcpcensus/web/site"
)

const (
	maxNamed = 20 // names in an address
	maxFound = 8  // results of a search for one more
)

type comparePage struct {
	site.Frame
	Servers []compared
	Facts   comparedTable // the deciding facts
	Others  comparedTable
	Missing []string // names that are not in the registry
	Left    []string // names of servers over the maximum
	Add     string   // search text to find another one
	Found   []choice
	Slugs   []string
	Room    bool     // another server can be added
	Most    int      // maximum number of servers
	Sample  []choice // comparisons to begin with
}

type compared struct {
	record.Record
	Remove string // address without it
}

// compare responds to GET /compare: servers side by side.
func (p *Pages) compare(ctx context.Context, c *gin.Context, v *catalog.View) error {
	page := comparePage{Frame: p.NewFrame("Compare servers", "compare"), Most: registry.MaxCompared}
	page.Description = "MCP servers side by side: health, popularity, tools, transports and how " +
		"to run them."
	q := c.Request.URL.Query()
	var err error
	if page.Add, err = browse.Parameter("add", q.Get("add")); err != nil {
		return err
	}
	names := q["s"]
	if i, _ := v.Find(strings.ToLower(page.Add)); page.Add != "" && i != nil {
		names, page.Add = append(names, i.Slug()), ""
	}
	if err := page.choose(v, names); err != nil {
		return err
	}
	for n, slug := range page.Slugs {
		i, _ := v.Find(slug)
		r, err := record.Of(i)
		if err != nil {
			return err
		}
		page.Servers = append(page.Servers,
			compared{r, compareAddress(slices.Delete(slices.Clone(page.Slugs), n, n+1))})
	}
	page.Room = len(page.Slugs) < registry.MaxCompared
	if page.Add != "" && p.Search != nil && page.Room {
		if err := p.findMore(ctx, v, &page); err != nil {
			return err
		}
	}
	page.Facts, page.Others = compareAll(page.Servers)
	if page.NoIndex = len(page.Slugs) > 0; !page.NoIndex {
		page.Sample = sampleComparisons(v, p.censusOf(v).home)
	}
	page.Canonical = compareAddress(page.Slugs)
	if len(page.Servers) > 1 {
		var all []string
		for _, r := range page.Servers {
			all = append(all, r.Label())
		}
		page.Title = strings.Join(all, " and ") + " compared"
	}
	return p.Show(c, http.StatusOK, "compare", site.ByContent, page)
}

// choose fills in the slugs of the servers with names.
func (p *comparePage) choose(v *catalog.View, names []string) error {
	if len(names) > maxNamed {
		return registry.Invalid("s", "may be given at most %d times", maxNamed)
	}
	for _, name := range names {
		name, err := browse.Parameter("s", name)
		if err != nil {
			return err
		}
		if name == "" {
			continue
		}
		i, _ := v.Lookup(name)
		switch {
		case i == nil:
			p.Missing = append(p.Missing, name)
		case slices.Contains(p.Slugs, i.Slug()):
		case len(p.Slugs) == registry.MaxCompared:
			p.Left = append(p.Left, record.Label(record.Row(i)))
		default:
			p.Slugs = append(p.Slugs, i.Slug())
		}
	}
	return nil
}

// findMore fills in servers that match the search text.
func (p *Pages) findMore(ctx context.Context, v *catalog.View, page *comparePage) error {
	found, _, err := p.finder(v).find(ctx, query.Query{Text: page.Add, Limit: maxFound})
	if err != nil {
		return err
	}
	for _, slug := range found.Slugs {
		if i, _ := v.Find(slug); i != nil && !slices.Contains(page.Slugs, slug) {
			page.Found = append(page.Found, choice{Name: record.Label(record.Row(i)), Value: slug,
				Address: compareAddress(append(slices.Clone(page.Slugs), slug))})
		}
	}
	return nil
}

// sampleComparisons returns comparisons of the best servers of each use case.
func sampleComparisons(v *catalog.View, h homeFacts) (all []choice) {
	for n, slugs := range h.cases {
		var names []string
		for _, s := range rowsOf(v, slugs) {
			names = append(names, s.Name)
		}
		if len(names) > 1 {
			all = append(all, choice{Name: useCases[n].Name, Value: strings.Join(names, ", "),
				Address: compareAddress(slugs)})
		}
	}
	return all
}

func compareAddress(slugs []string) string {
	if len(slugs) == 0 {
		return "/compare"
	}
	return "/compare?" + url.Values{"s": slugs}.Encode()
}
