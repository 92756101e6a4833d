package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

// A row is a server in a list, as the catalog's list entry has it.
type row struct {
	Slug        string     `json:"slug"`
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Category    string     `json:"category"`
	SDK         string     `json:"sdk"`
	License     string     `json:"license"`
	Score       *int       `json:"healthScore"`
	Grade       string     `json:"grade"`
	Stars       *int       `json:"stars"`
	Downloads   *int64     `json:"downloads"`
	Transports  []string   `json:"transports"`
	ToolCount   *int       `json:"toolCount"`
	Status      string     `json:"status"`
	Verified    bool       `json:"verified"`
	UpdatedAt   *time.Time `json:"updatedAt"`
	ReleasedAt  *time.Time `json:"-"`
	Repository  struct {
		Owner     string `json:"owner"`
		Name      string `json:"name"`
		Subfolder string `json:"subfolder"`
	} `json:"repository"`
}

func rowOf(i *catalog.Item) (row, error) {
	var r row
	if err := json.Unmarshal(i.AppendBasic(nil), &r); err != nil {
		return r, fmt.Errorf("list entry of %s: %w", i.Slug(), err)
	}
	if at := i.ReleasedAt(); !at.IsZero() {
		r.ReleasedAt = &at
	}
	return r, nil
}

// rowsOf returns rows from to to, exclusive, of a list.
func rowsOf(l catalog.List, from, to int) ([]row, error) {
	to = min(to, l.Total())
	rows := make([]row, 0, max(0, to-from))
	for i := from; i < to; i++ {
		r, err := rowOf(l.At(i))
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// A record is all that a server's page shows: the server with its health.
type record struct {
	registry.Server
	DownloadsBreakdown map[string]*int64 `json:"downloadsBreakdown"`
	Popularity         *int              `json:"popularity"`
	Tools              []tool            `json:"tools"`
	Repository         repository        `json:"repository"`
	Install            struct {
		Command string                     `json:"command"`
		Clients map[string]json.RawMessage `json:"clients"`
	} `json:"install"`
	Health registry.Health `json:"-"`
	Prefix string          `json:"-"` // of ids, where a page shows several
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

type repository struct {
	URL       string     `json:"url"`
	Owner     string     `json:"owner"`
	Name      string     `json:"name"`
	Subfolder string     `json:"subfolder"`
	Branch    string     `json:"defaultBranch"`
	Archived  bool       `json:"archived"`
	Fork      bool       `json:"fork"`
	PushedAt  *time.Time `json:"pushedAt"`
	Commit    string     `json:"commit"`
}

// recordOf reads the documents of a listed server.
func recordOf(i *catalog.Item) (record, error) {
	var r record
	if err := json.Unmarshal(i.AppendDetail(nil), &r); err != nil {
		return r, fmt.Errorf("record of %s: %w", i.Slug(), err)
	}
	if err := json.Unmarshal(i.AppendHealth(nil), &r.Health); err != nil {
		return r, fmt.Errorf("health of %s: %w", i.Slug(), err)
	}
	r.Repo.Owner, r.Repo.Name, r.Server.Subfolder = r.Repository.Owner, r.Repository.Name, r.Repository.Subfolder
	return r, nil
}

// checkedOf returns the record of a server that is not listed.
func checkedOf(s *registry.Server) record {
	r := record{Server: *s, Health: s.Health, Popularity: s.Popularity.Score, DownloadsBreakdown: map[string]*int64{}}
	for k, v := range s.DownloadsBy {
		r.DownloadsBreakdown[k] = &v
	}
	if s.Tools != nil {
		r.Tools = make([]tool, len(s.Tools))
	}
	for i, t := range s.Tools {
		r.Tools[i] = tool{Name: t.Name, Description: t.Description}
	}
	r.Install.Command = s.InstallCommand
	r.Repository = repository{Owner: s.Repo.Owner, Name: s.Repo.Name, Subfolder: s.Subfolder, Branch: s.Repo.DefaultBranch,
		Archived: s.Repo.Archived, Fork: s.Repo.Fork, Commit: s.Repo.Commit}
	if s.Repo.Owner != "" {
		r.Repository.URL = s.Repo.URL()
	}
	if !s.Repo.PushedAt.IsZero() {
		r.Repository.PushedAt = &s.Repo.PushedAt
	}
	return r
}

// A client is one program with the ways to set it up.
type client struct {
	ID, Name string
	Snippets []snippet
}

// Clients are the programs that the server can be used in, each with what to
// paste; none where nothing is known to start or to connect to.
func (r record) Clients() []client {
	var all []client
	for _, x := range install.Clients(&r.Server) {
		s := snippet{x}
		if s.Text == "" && opens(s.URL) == "" {
			continue
		}
		if n := len(all); n == 0 || all[n-1].Name != s.Name {
			all = append(all, client{ID: s.Client, Name: s.Name})
		}
		last := &all[len(all)-1]
		last.Snippets = append(last.Snippets, s)
	}
	return all
}

// Counts says how many checks had each result.
func (r record) Counts() map[string]int {
	n := map[string]int{}
	for _, s := range r.Health.Categories {
		for _, c := range s.Checks {
			n[c.Result]++
		}
	}
	return n
}

// mostWeighed is how many checks are named for and against a server.
const mostWeighed = 3

// A weighing has the checks that give a server the most points, and those that
// cost it the most: what failed or was passed in part, not what is unknown.
type weighing struct{ For, Against []registry.Check }

// Weighing is nil where no check was made.
func (r record) Weighing() *weighing {
	var w weighing
	for _, s := range r.Health.Categories {
		for _, c := range s.Checks {
			switch {
			case c.Result == "pass" && c.Points > 0:
				w.For = append(w.For, c)
			case (c.Result == "fail" || c.Result == "partial") && c.Max > c.Points:
				w.Against = append(w.Against, c)
			}
		}
	}
	if len(w.For)+len(w.Against) == 0 {
		return nil
	}
	slices.SortStableFunc(w.For, func(a, b registry.Check) int { return cmp.Compare(b.Points, a.Points) })
	slices.SortStableFunc(w.Against, func(a, b registry.Check) int { return cmp.Compare(b.Max-b.Points, a.Max-a.Points) })
	w.For, w.Against = w.For[:min(len(w.For), mostWeighed)], w.Against[:min(len(w.Against), mostWeighed)]
	return &w
}

// SourceNames are the sources that name a server, as people would say it.
func (r record) SourceNames() (names []string) {
	for _, s := range r.Sources {
		name := s.Name
		if list, ok := strings.CutPrefix(name, "list:"); ok {
			name = "the list " + strings.TrimSuffix(list, ".md")
		}
		switch name {
		case "github":
			name = "a search of GitHub"
		case "official-registry":
			name = "the official registry"
		case "manual":
			name = "somebody who added it"
		case "on-demand":
			name = "a check of its repository"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// CapApplied returns the cap that lowered the score, nil if none did.
func (r record) CapApplied() *registry.Cap {
	for i, c := range r.Health.Caps {
		if c.Applied {
			return &r.Health.Caps[i]
		}
	}
	return nil
}
