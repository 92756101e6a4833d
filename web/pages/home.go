package pages

import (
	"context"
	"slices"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
	"mcpcensus/web/record"
	"mcpcensus/web/site"
)

const (
	sectionRows = 5
	sectionScan = 100 // maximum number of servers considered for a section
)

// A homeSection is a short list on the home page.
type homeSection struct {
	Title, Text, More string
	Rows              []*registry.Server

	order  catalog.Sort
	noFork bool // forks are left out: they are not new
}

// A categoryCount is a category with the number of its servers.
type categoryCount struct {
	ID    string
	Count int
}

type homePage struct {
	site.Frame
	Servers    int
	Tools      int
	Checked    int // in the last day
	Shelves    []homeSection
	ScoreRises []risingServer
	RiseDays   int
	Categories []categoryCount
}

// home responds to GET /.
func (p *Pages) home(_ context.Context, c *gin.Context, v *catalog.View) error {
	page := homePage{Frame: p.NewFrame("", "home"), Servers: v.Len(), Categories: categories(v)}
	page.Description = "The open registry of MCP servers: find them, see how healthy they are " +
		"and why, and " +
		"install them."
	page.Canonical, page.Searches = "/", true
	page.Tools = v.List("", catalog.ByQuality, -1).Tools().Total()
	page.Checked = p.censusOf(v).CheckedDay
	page.ScoreRises, page.RiseDays = p.recentRises(v, sectionRows), riseDays
	page.Shelves = []homeSection{
		{Title: "Recommended", Text: "Healthy and widely used", More: "/servers",
			order: catalog.ByRecommended},
		{Title: "Most popular", Text: "By stars and downloads", More: "/servers?sort=popularity",
			order: catalog.ByPopularity},
		{Title: "Newest", Text: "Recently created", More: "/servers?sort=created",
			order:  catalog.ByCreated,
			noFork: true},
	}
	for n := range page.Shelves {
		page.Shelves[n].fill(v)
	}
	return p.Show(c, 200, "home", site.ByContent, page)
}

// shown reports whether a server may be on the home page: it can be expected to work, and is
// neither harmful nor dead.
func shown(i *catalog.Item) bool { return i.Active() && !i.Harmful() && !i.HasRisk("dead") }

// fill adds the first servers in the section's order, at most one of each
// repository.
func (s *homeSection) fill(v *catalog.View) {
	l := v.List("", s.order, -1)
	for n := 0; n < min(l.Total(), sectionScan) && len(s.Rows) < sectionRows; n++ {
		i := l.At(n)
		r := record.Row(i)
		same := func(x *registry.Server) bool { return x.Repo.FullName() == r.Repo.FullName() }
		if !shown(i) || s.noFork && r.Repo.Fork || slices.ContainsFunc(s.Rows, same) {
			continue
		}
		s.Rows = append(s.Rows, r)
	}
}

// categories returns all categories, most servers first.
func categories(v *catalog.View) []categoryCount {
	var cs []categoryCount
	for i, n := range v.CategoryCounts() {
		cs = append(cs, categoryCount{registry.Categories[i], n})
	}
	slices.SortStableFunc(cs, func(a, b categoryCount) int { return b.Count - a.Count })
	return cs
}
