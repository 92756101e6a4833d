package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// mostCompared is how many servers stand side by side.
const mostCompared = 4

type comparePage struct {
	frame
	Servers []compared
	Groups  []comparedGroup
	Missing []string // names that are not in the registry
	Left    []string // names of more servers than fit
	Add     string   // words that were typed to find one more
	Found   []choice
	Slugs   []string
	Room    bool
}

type compared struct {
	record
	Remove string // address without it
}

type comparedGroup struct {
	Name string
	Rows []comparedRow
}

// A comparedRow is one fact of each server.
type comparedRow struct {
	Name    string
	Cells   []cell // one, if all are the same
	Differs bool
}

type cell struct {
	Text, Time string // Time: as RFC 3339, if Text is a day
	List       []string
	More       int // that List leaves out
	Of         *float64
	Unknown    bool
	Best       bool
}

// same says whether two cells say the same.
func (c cell) same(d cell) bool {
	return c.Text == d.Text && c.Unknown == d.Unknown && c.More == d.More && slices.Equal(c.List, d.List)
}

// compare answers GET /compare: up to four servers side by side.
func (s *Site) compare(ctx context.Context, c *gin.Context) error {
	v, err := s.view()
	if err != nil {
		return err
	}
	q := c.Request.URL.Query()
	p := comparePage{frame: s.frame("Compare servers", "compare")}
	p.Description = "MCP servers side by side: health, popularity, tools, transports and how to run them."
	names := q["s"]
	if len(names) > 20 {
		return registry.Invalid("s", "may be given at most %d times", mostCompared)
	}
	if p.Add, err = parameter("add", q.Get("add")); err != nil {
		return err
	}
	if p.Add != "" {
		if i, _ := v.Find(strings.ToLower(p.Add)); i != nil {
			names, p.Add = append(names, i.Slug()), ""
		}
	}
	for _, name := range names {
		if name, err = parameter("s", name); err != nil {
			return err
		}
		if name == "" {
			continue
		}
		i := listed(v, name)
		if i == nil {
			p.Missing = append(p.Missing, name)
			continue
		}
		if !slices.Contains(p.Slugs, i.Slug()) {
			p.Slugs = append(p.Slugs, i.Slug())
		}
	}
	if len(p.Slugs) > mostCompared {
		for _, slug := range p.Slugs[mostCompared:] {
			i, _ := v.Find(slug)
			r, err := rowOf(i)
			if err != nil {
				return err
			}
			p.Left = append(p.Left, r.Name)
		}
		p.Slugs = p.Slugs[:mostCompared]
	}
	for n, slug := range p.Slugs {
		i, _ := v.Find(slug)
		r, err := recordOf(i)
		if err != nil {
			return err
		}
		p.Servers = append(p.Servers, compared{r, compareAddress(slices.Delete(slices.Clone(p.Slugs), n, n+1))})
	}
	p.Room = len(p.Slugs) < mostCompared
	if p.Add != "" && s.Search != nil && p.Room {
		found, err := s.Search.Search(ctx, query.Query{Text: p.Add, Limit: 8})
		if err != nil {
			return err
		}
		for _, slug := range found.Slugs {
			if i, _ := v.Find(slug); i != nil && !slices.Contains(p.Slugs, slug) {
				r, err := rowOf(i)
				if err != nil {
					return err
				}
				p.Found = append(p.Found, choice{Name: r.Name, Value: slug, Address: compareAddress(append(slices.Clone(p.Slugs), slug))})
			}
		}
	}
	p.Groups = compareGroups(p.Servers)
	p.NoIndex = len(p.Slugs) > 0
	p.Canonical = compareAddress(p.Slugs)
	if len(p.Servers) > 1 {
		var all []string
		for _, r := range p.Servers {
			all = append(all, r.Name)
		}
		p.Title = strings.Join(all, " and ") + " compared"
	}
	return s.show(c, http.StatusOK, "compare", byContent, p)
}

func compareAddress(slugs []string) string {
	if len(slugs) == 0 {
		return "/compare"
	}
	return "/compare?" + url.Values{"s": slugs}.Encode()
}

// compareGroups sets facts side by side.
func compareGroups(servers []compared) []comparedGroup {
	if len(servers) == 0 {
		return nil
	}
	text := func(get func(*record) string) func(*record) cell {
		return func(r *record) cell {
			t := get(r)
			return cell{Text: t, Unknown: t == ""}
		}
	}
	number := func(get func(*record) *int64) func(*record) (cell, *int64) {
		return func(r *record) (cell, *int64) {
			n := get(r)
			if n == nil {
				return cell{Unknown: true}, nil
			}
			return cell{Text: grouped(*n)}, n
		}
	}
	var groups []comparedGroup
	add := func(name string) *comparedGroup {
		groups = append(groups, comparedGroup{Name: name})
		return &groups[len(groups)-1]
	}
	row := func(g *comparedGroup, name string, get func(*record) cell) {
		r := comparedRow{Name: name}
		for i := range servers {
			r.Cells = append(r.Cells, get(&servers[i].record))
		}
		for _, c := range r.Cells {
			r.Differs = r.Differs || !c.same(r.Cells[0])
		}
		if !r.Differs {
			r.Cells = r.Cells[:1]
		}
		g.Rows = append(g.Rows, r)
	}
	// highest marks the largest number, where one is larger than the others.
	highest := func(g *comparedGroup, name string, get func(*record) (cell, *int64)) {
		var values []*int64
		row(g, name, func(r *record) cell {
			c, n := get(r)
			values = append(values, n)
			return c
		})
		r := &g.Rows[len(g.Rows)-1]
		best, times := -1, 0
		for i, n := range values {
			switch {
			case n == nil:
			case best < 0 || *n > *values[best]:
				best, times = i, 1
			case *n == *values[best]:
				times++
			}
		}
		if best >= 0 && times == 1 && r.Differs {
			r.Cells[best].Best = true
		}
	}
	day := func(get func(*record) *time.Time) func(*record) (cell, *int64) {
		return func(r *record) (cell, *int64) {
			t := get(r)
			if t == nil || t.IsZero() {
				return cell{Unknown: true}, nil
			}
			n := t.Truncate(24 * time.Hour).Unix()
			return cell{Text: t.UTC().Format("2 Jan 2006"), Time: t.UTC().Format(time.RFC3339)}, &n
		}
	}

	g := add("Health")
	highest(g, "Score", number(func(r *record) *int64 { return wide(r.Health.Score) }))
	row(g, "Range if the unknown were known", text(func(r *record) string {
		if r.Health.Low == nil || r.Health.High == nil {
			return ""
		}
		return strconv.Itoa(*r.Health.Low) + " to " + strconv.Itoa(*r.Health.High)
	}))
	for n, c := range servers[0].Health.Categories {
		highest(g, titled(c.Category), func(r *record) (cell, *int64) {
			if n >= len(r.Health.Categories) || r.Health.Categories[n].Score == nil {
				return cell{Unknown: true}, nil
			}
			v := int64(*r.Health.Categories[n].Score + .5)
			return cell{Text: strconv.FormatInt(v, 10), Of: r.Health.Categories[n].Score}, &v
		})
	}
	g = add("Use")
	highest(g, "Stars", number(func(r *record) *int64 { return wide(r.Stars) }))
	highest(g, "Downloads in 30 days", number(func(r *record) *int64 { return r.Downloads }))
	highest(g, "Popularity", number(func(r *record) *int64 { return wide(r.Popularity) }))
	highest(g, "Contributors", number(func(r *record) *int64 { return wide(r.Contributors) }))
	row(g, "Open issues", func(r *record) cell {
		c, _ := number(func(r *record) *int64 { return wide(r.OpenIssues) })(r)
		return c
	})
	highest(g, "Last commit", day(func(r *record) *time.Time { return r.LastCommitAt }))
	highest(g, "Last release", day(func(r *record) *time.Time { return r.ReleasedAt }))
	row(g, "Repository since", func(r *record) cell { c, _ := day(func(r *record) *time.Time { return &r.CreatedAt })(r); return c })

	g = add("What it is")
	row(g, "Category", text(func(r *record) string { return categoryName(r.Category) }))
	row(g, "Status", text(func(r *record) string { return titled(r.Status) }))
	row(g, "SDK", text(func(r *record) string {
		if r.SDK == "" {
			return ""
		}
		return sdkName(r.SDK)
	}))
	row(g, "Language", text(func(r *record) string { return r.Language }))
	row(g, "Licence", text(func(r *record) string { return r.License }))
	row(g, "Transports", text(func(r *record) string {
		var all []string
		for _, t := range r.Transports {
			all = append(all, transportName(t))
		}
		return strings.Join(all, ", ")
	}))
	row(g, "Packages", func(r *record) cell {
		var all []string
		for _, p := range r.Packages {
			all = append(all, p.RegistryType+": "+p.Identifier)
		}
		return namesOf(all, "none known")
	})
	row(g, "Hosted by its owner", func(r *record) cell {
		if len(r.Remotes) > 0 {
			return cell{Text: "yes"}
		}
		return cell{Text: "no"}
	})
	row(g, "Start command", text(func(r *record) string {
		if r.Install.Command == "" && len(r.Packages) == 0 && len(r.Remotes) > 0 {
			return "none: its owner runs it"
		}
		return r.Install.Command
	}))
	row(g, "Required settings", func(r *record) cell {
		var all []string
		for _, v := range r.Variables {
			if v.IsRequired {
				all = append(all, v.Name)
			}
		}
		return namesOf(all, "none known")
	})
	g = add("Tools")
	row(g, "Number", func(r *record) cell { c, _ := number(func(r *record) *int64 { return wide(r.ToolCount) })(r); return c })
	if len(servers) > 1 {
		row(g, "In all of them", func(*record) cell { return namesOf(sharedTools(servers), "none by the same name") })
	}
	row(g, "Only here", func(r *record) cell {
		if r.Tools == nil {
			return cell{Unknown: true}
		}
		var own []string
		for _, t := range r.Tools {
			if !slices.ContainsFunc(servers, func(s compared) bool { return s.Slug != r.Slug && s.has(t.Name) }) {
				own = append(own, t.Name)
			}
		}
		return namesOf(own, "none")
	})
	if len(servers) > 2 {
		row(g, "In some of them", func(r *record) cell {
			if r.Tools == nil {
				return cell{Unknown: true}
			}
			var some []string
			for _, t := range r.Tools {
				n := 0
				for _, s := range servers {
					n += bools(s.has(t.Name))
				}
				if n > 1 && n < len(servers) {
					some = append(some, t.Name)
				}
			}
			return namesOf(some, "none")
		})
	}
	return groups
}

// has says whether a server has a tool of that name.
func (r *record) has(name string) bool {
	return slices.ContainsFunc(r.Tools, func(t tool) bool { return t.Name == name })
}

// sharedTools are the names of the tools that all servers have.
func sharedTools(servers []compared) (names []string) {
	for _, t := range servers[0].Tools {
		if !slices.ContainsFunc(servers, func(s compared) bool { return !s.has(t.Name) }) {
			names = append(names, t.Name)
		}
	}
	return names
}

// namesOf is a cell of names, at most thirty of them.
func namesOf(names []string, none string) cell {
	if len(names) == 0 {
		return cell{Text: none}
	}
	const most = 30
	return cell{List: names[:min(len(names), most)], More: max(0, len(names)-most)}
}
