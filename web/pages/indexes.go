package pages

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
	"mcpcensus/web/browse"
	"mcpcensus/web/format"
	"mcpcensus/web/record"
	"mcpcensus/web/site"
)

const (
	maxNames       = 200 // of an index page
	categoryShelfs = 3   // servers beside the name of a category
)

// A choice is a value that can be chosen, with the address of its list.
type choice struct {
	Value, Name string
	Count       int
	Chosen      bool
	Address     string // with the value, or without it if it is chosen
}

type indexPage struct {
	site.Frame
	Text       string
	Categories []categorySection // on the page of categories
	Choices    []choice
	More       int // names that are not shown
}

// A categorySection is a category with its best servers.
type categorySection struct {
	choice
	Rows []*registry.Server
}

// categories responds to GET /categories.
func (p *Pages) categories(_ context.Context, c *gin.Context, v *catalog.View) error {
	page := indexPage{Frame: p.NewFrame("Categories", "servers"),
		Text: "Each server is assigned one category automatically."}
	page.Canonical = "/categories"
	for _, x := range categories(v) {
		page.Categories = append(page.Categories, categorySection{
			choice: choice{Name: format.Category(x.ID), Count: x.Count,
				Address: "/categories/" + x.ID},
			Rows: record.Rows(v.List(x.ID, catalog.ByRecommended, -1), 0, categoryShelfs),
		})
	}
	return p.showIndex(c, page)
}

// owners responds to GET /owners.
func (p *Pages) owners(_ context.Context, c *gin.Context, v *catalog.View) error {
	page := indexPage{Frame: p.NewFrame("Owners", "servers"), Text: "Owners with the most servers."}
	page.Canonical = "/owners"
	page.fill(countOwners(v), func(o string) string { return browse.Request{Owner: o}.URL(1) })
	return p.showIndex(c, page)
}

// tags responds to GET /tags.
func (p *Pages) tags(_ context.Context, c *gin.Context, v *catalog.View) error {
	names := p.Names(v)
	if names == nil {
		return registry.Errorf(registry.ErrUnavailable,
			"Tags are being counted. Please try again in a moment.")
	}
	page := indexPage{Frame: p.NewFrame("Tags", "servers"), Text: "Most-used tags."}
	page.Canonical = "/tags"
	page.fill(names.Tags, func(t string) string { return browse.Request{Tag: t}.URL(1) })
	return p.showIndex(c, page)
}

// countOwners returns how many servers each owner has.
func countOwners(v *catalog.View) map[string]int {
	all := map[string]int{}
	l := v.List("", catalog.ByQuality, -1)
	for n := range l.Total() {
		if o := l.At(n).Owner(); o != "" {
			all[o]++
		}
	}
	return all
}

// fill adds the most frequent names.
func (p *indexPage) fill(names map[string]int, address func(string) string) {
	for name, n := range names {
		if browse.InPath(name) {
			p.Choices = append(p.Choices, choice{Name: name, Count: n, Address: address(name)})
		}
	}
	slices.SortFunc(p.Choices, func(a, b choice) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Name, b.Name))
	})
	p.More = max(0, len(p.Choices)-maxNames)
	p.Choices = p.Choices[:min(len(p.Choices), maxNames)]
}

// Lists are the index pages.
func (p indexPage) Lists() (all []choice) {
	for _, name := range []string{"Categories", "Tags", "Owners"} {
		all = append(all, choice{Name: name, Address: "/" + strings.ToLower(name),
			Chosen: name == p.Title})
	}
	return all
}

func (p *Pages) showIndex(c *gin.Context, page indexPage) error {
	page.Description = page.Title + " of MCP servers. " + page.Text
	return p.Show(c, http.StatusOK, "index", site.ByContent, page)
}
