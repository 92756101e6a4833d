package web

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

const homeRows = 5

// A shelf is a short list on the home page.
type shelf struct {
	Title, Text, More string
	Rows              []row
}

// A categoryCount is a category with the number of its servers.
type categoryCount struct {
	ID    string
	Count int
}

type homePage struct {
	frame
	Servers    int
	Tools      int
	Checked    int // in the last day
	Shelves    []shelf
	Climbs     []climb
	ClimbDays  int
	Categories []categoryCount
}

// home answers GET /.
func (s *Site) home(_ context.Context, c *gin.Context) error {
	v, err := s.view()
	if err != nil {
		return err
	}
	p := homePage{frame: s.frame("", "home"), Servers: v.Len(), Categories: categories(v)}
	p.Description = "The open registry of MCP servers: find them, see how healthy they are and why, and install them."
	p.Canonical, p.Searches = "/", true
	quality := v.List("", catalog.ByQuality, -1)
	p.Tools = quality.Tools().Total()
	p.Checked = s.census(v).CheckedDay
	p.Climbs, p.ClimbDays = s.climbs(v, homeRows), climbDays
	for _, sh := range []struct {
		shelf
		sort catalog.Sort
	}{
		{shelf{Title: "Healthiest", Text: "Looked after and documented", More: "/servers"}, catalog.ByQuality},
		{shelf{Title: "Most popular", Text: "By stars and downloads", More: "/servers?sort=popularity"}, catalog.ByPopularity},
		{shelf{Title: "Newest", Text: "Repositories begun last", More: "/servers?sort=created"}, catalog.ByCreated},
	} {
		l := v.List("", sh.sort, -1)
		if sh.sort == catalog.ByCreated {
			sh.Rows, err = shelfOf(l, true)
		} else {
			sh.Rows, err = shelfOf(l, false)
		}
		if err != nil {
			return err
		}
		p.Shelves = append(p.Shelves, sh.shelf)
	}
	return s.show(c, 200, "home", byContent, p)
}

// shelfOf returns the first of a list, one of each repository: what many servers
// share says little of each. Own leaves out forks: a copy of another server is
// nothing new. It looks at a few only.
func shelfOf(l catalog.List, own bool) ([]row, error) {
	var rows []row
	for n := 0; n < min(l.Total(), 20*homeRows) && len(rows) < homeRows; n++ {
		i := l.At(n)
		r, err := rowOf(i)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(rows, func(x row) bool {
			return x.Repository.Owner == r.Repository.Owner && x.Repository.Name == r.Repository.Name
		}) {
			continue
		}
		if own {
			var of struct {
				Repository struct {
					Fork bool `json:"fork"`
				} `json:"repository"`
			}
			if err := json.Unmarshal(i.AppendDetail(nil), &of); err != nil {
				return nil, fmt.Errorf("record of %s: %w", i.Slug(), err)
			}
			if of.Repository.Fork {
				continue
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// categories returns all ten, most servers first.
func categories(v *catalog.View) []categoryCount {
	var cs []categoryCount
	for i, n := range v.CategoryCounts() {
		cs = append(cs, categoryCount{registry.Categories[i], n})
	}
	slices.SortStableFunc(cs, func(a, b categoryCount) int { return b.Count - a.Count })
	return cs
}
