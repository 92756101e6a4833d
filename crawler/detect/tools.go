package detect

import (
	"path"
	"sort"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/internal/registry"
)

// tools sets the server's tools from the surest source that has them: a
// bundle's manifest, a server card, source texts, the README's lists.
func (c *context) tools(d *registry.Detection) {
	u := c.unit
	var readme []registry.Tool
	if c.readme != nil && c.own {
		readme = c.readme.Tools
	}
	described := map[string]registry.Tool{}
	for _, t := range readme {
		described[t.Name] = t
	}
	set := func(tools []registry.Tool, from string) {
		d.Tools, d.ToolsFrom = nil, from
		seen := map[string]bool{}
		for _, t := range tools {
			if t.Name == "" || seen[t.Name] || len(d.Tools) >= 500 {
				continue
			}
			seen[t.Name] = true
			t.Description = plain(first(t.Description, described[t.Name].Description), 400)
			if t.InputSchema == nil {
				t.InputSchema = described[t.Name].InputSchema
			}
			d.Tools = append(d.Tools, t)
		}
	}
	source := c.repo.sourceTools(u, c.alone)
	switch {
	case u.bundle != nil && len(u.bundle.Tools) > 0 && !u.bundle.ToolsGenerated && len(u.bundle.Tools) >= len(source):
		set(u.bundle.Tools, "manifest")
	case len(u.card) > 0:
		set(u.card, "manifest")
	case len(source) > 0 && len(source)*3 >= len(readme):
		set(source, "source")
	case u.bundle != nil && len(u.bundle.Tools) >= max(1, len(readme)):
		set(u.bundle.Tools, "manifest")
	case len(readme) > 0:
		set(readme, "readme")
	}
}

// sourceTools returns the tools that the source texts of a unit register.
func (r *repo) sourceTools(u *unit, alone bool) []registry.Tool {
	dir := u.dir
	if alone {
		dir = ""
	}
	var paths []string
	for p := range r.snap.Texts {
		if strings.HasPrefix(p, prefix(dir)) && manifest.IsSource(p) && !excluded(dirOf(p)) && !isTest(p) {
			paths = append(paths, p)
		}
	}
	sort.Strings(paths)
	var out []registry.Tool
	for _, p := range paths {
		if v := r.nearest(dirOf(p)); v != nil && v != u && v.reason != "" && !alone && u.dir == "" {
			continue // another server's
		}
		out = append(out, manifest.SourceTools(path.Base(p), []byte(r.snap.Texts[p]))...)
		if len(out) > 1000 {
			break
		}
	}
	return out
}

func (r *repo) nearest(dir string) *unit {
	for ; ; dir = dirOf(dir) {
		if v := r.byDir[dir]; v != nil && !v.empty() {
			return v
		}
		if dir == "" {
			return nil
		}
	}
}
