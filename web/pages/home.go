package pages

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/web/browse"
	"mcpcensus/web/format"
	"mcpcensus/web/record"
	"mcpcensus/web/site"
)

const (
	caseRows  = 3
	catchRows = 3
	homeScan  = 100 // maximum number of servers considered for a part of the page
	catchDays = 7   // in which a risk is recent
)

// A useCase is what servers are used for.
type useCase struct {
	Name string
	Text string // a search for more
	tags []any  // folded, of its servers
}

var useCases = []useCase{
	{"Databases", "query database", []any{"database", "sql", "postgres", "mysql", "sqlite", "mongodb"}},
	{"Browsers", "browser automation", []any{"browser", "browser-automation", "playwright", "puppeteer"}},
	{"Code", "code repository", []any{"github", "gitlab", "git", "code", "ide", "developer-tools"}},
	{"Messages", "send message", []any{"slack", "discord", "telegram", "whatsapp", "email", "chat"}},
	{"Files", "file system", []any{"file-system", "files", "pdf", "google-drive", "storage"}},
	{"Search", "web search", []any{"web-search", "search", "search-engine"}},
	{"Cloud", "cloud infrastructure", []any{"aws", "azure", "google-cloud", "kubernetes", "docker", "cloud"}},
	{"Notes", "notes", []any{"notes", "notion", "obsidian", "knowledge-base", "note-taking"}},
}

// catches are the kinds of risks that the home page reports, with their names.
var catches = []struct {
	name  string
	kinds []any
}{
	{"Tools changed without a new version", []any{registry.RiskToolsChanged}},
	{"Hidden instructions and malware", []any{"hidden-instructions", "malware"}},
	{"Copies and look-alikes", []any{"copy", "look-alike"}},
	{"Endpoints gone", []any{registry.RiskEndpointDown, "dead"}},
}

// homeFacts are the servers of the home page, by their slugs.
type homeFacts struct {
	live    string
	cases   [][]string // of each of useCases
	catches []catch    // of each of catches
}

type catch struct {
	count int
	slugs []string // the first of them
}

// homeOf chooses the servers of the home page.
func homeOf(v *catalog.View, now time.Time) (h homeFacts) {
	l := v.List("", catalog.ByRecommended, -1)
	for n := range min(l.Total(), homeScan) {
		s := l.At(n).Summary()
		if !l.At(n).Suggested() || s.Health.Score == nil {
			continue
		}
		if isKnown := s.Effect() != registry.EffectUnknown; isKnown || h.live == "" {
			h.live = s.Slug
			if isKnown {
				break
			}
		}
	}
	for _, u := range useCases {
		h.cases = append(h.cases, bestOf(v.Query(query.Query{
			Sort:    query.ActiveFirst(catalog.ByRecommended.Orders()),
			Filters: []query.Filter{{Field: "tags", Op: query.OpIn, Values: u.tags}}}, nil)))
	}
	for _, c := range catches {
		h.catches = append(h.catches, caught(v, c.kinds, now.AddDate(0, 0, -catchDays)))
	}
	return h
}

// bestOf returns the first servers of a list, at most one of each repository, none to avoid.
func bestOf(l catalog.List) (slugs []string) {
	var repos []string
	for n := 0; n < min(l.Total(), homeScan) && len(slugs) < caseRows; n++ {
		s := l.At(n).Summary()
		repo := s.Repo.FullName()
		if l.At(n).Suggested() && s.Health.Grade != "F" && !slices.Contains(repos, repo) {
			slugs, repos = append(slugs, l.At(n).Slug()), append(repos, repo)
		}
	}
	return slugs
}

// caught returns the servers with a risk that was seen since a time.
func caught(v *catalog.View, kinds []any, since time.Time) (c catch) {
	l := v.Query(query.Query{Sort: catalog.ByPopularity.Orders(),
		Filters: []query.Filter{{Field: "risks", Op: query.OpIn, Values: kinds}}}, nil)
	for n := range l.Total() {
		isRecent := func(r registry.Risk) bool {
			return slices.Contains(kinds, any(r.Kind)) && r.At != nil && r.At.After(since)
		}
		if slices.ContainsFunc(l.At(n).Summary().Risks(), isRecent) {
			if c.count++; len(c.slugs) < catchRows {
				c.slugs = append(c.slugs, l.At(n).Slug())
			}
		}
	}
	return c
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
	Live       *record.Record
	Caught     []shelf // by the kind of risk
	Cases      []shelf
	Categories []categoryCount
}

func (p *Pages) home(_ context.Context, c *gin.Context, v *catalog.View) error {
	page := homePage{Frame: p.NewFrame("", "home"), Servers: v.Len(), Categories: categories(v)}
	page.Description = "Know what an MCP server can do before you install it: health, permissions and " +
		"install commands for every public server."
	page.Canonical, page.Searches = "/", true
	page.Tools = v.List("", catalog.ByQuality, -1).Tools().Total()
	counted := p.censusOf(v)
	page.Checked = counted.CheckedDay
	if err := page.fill(v, counted.home); err != nil {
		return err
	}
	return p.Show(c, 200, "home", site.ByContent, page)
}

// fill adds the chosen servers that are still listed.
func (p *homePage) fill(v *catalog.View, h homeFacts) error {
	if i, _ := v.Find(h.live); i != nil {
		r, err := record.Of(i)
		if err != nil {
			return err
		}
		p.Live = &r
	}
	for n, slugs := range h.cases {
		u := useCases[n]
		if rows := rowsOf(v, slugs); len(rows) > 0 {
			p.Cases = append(p.Cases, shelf{choice{Name: u.Name, Address: browse.Request{Q: u.Text}.URL(1)}, rows})
		}
	}
	for n, c := range h.catches {
		if rows := rowsOf(v, c.slugs); len(rows) > 0 {
			p.Caught = append(p.Caught, shelf{choice{Name: catches[n].name, Count: c.count}, rows})
		}
	}
	return nil
}

// rowsOf returns the rows of the listed servers among slugs.
func rowsOf(v *catalog.View, slugs []string) (rows []*registry.Server) {
	for _, slug := range slugs {
		if i, _ := v.Find(slug); i != nil {
			rows = append(rows, record.Row(i))
		}
	}
	return rows
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

const maxNames = 200 // of an index page

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
	Categories []shelf // on the page of categories
	Choices    []choice
	More       int // names that are not shown
}

// A shelf holds some servers of a list.
type shelf struct {
	choice
	Rows []*registry.Server
}

func (p *Pages) categories(_ context.Context, c *gin.Context, v *catalog.View) error {
	page := indexPage{Frame: p.NewFrame("Categories", "servers"),
		Text: "Each server is assigned one category automatically."}
	page.Canonical = "/categories"
	for _, x := range categories(v) {
		if x.Count == 0 {
			continue
		}
		page.Categories = append(page.Categories, shelf{
			choice{Name: format.Category(x.ID), Count: x.Count, Address: "/categories/" + x.ID},
			rowsOf(v, bestOf(v.List(x.ID, catalog.ByRecommended, -1))),
		})
	}
	return p.showIndex(c, page)
}

func (p *Pages) owners(_ context.Context, c *gin.Context, v *catalog.View) error {
	page := indexPage{Frame: p.NewFrame("Owners", "servers"), Text: "Owners with the most servers."}
	page.Canonical = "/owners"
	page.fill(countOwners(v), func(o string) string { return browse.Request{Owner: o}.URL(1) })
	return p.showIndex(c, page)
}

func (p *Pages) tags(ctx context.Context, c *gin.Context, v *catalog.View) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	names := p.AwaitNames(ctx, v)
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
