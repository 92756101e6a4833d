package detect

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/internal/registry"
)

const (
	maxTools           = 500
	maxToolDescription = 400 // bytes
)

// tools sets the server's tools from the surest source that has them: a
// bundle's manifest, a server card, source texts, the README's lists.
func (c *candidate) tools(d *registry.Detection) {
	var readme, bundle []registry.Tool
	if c.readme != nil && c.own {
		readme = c.readme.Tools
	}
	isWhole := false
	if b := c.unit.bundle; b != nil {
		bundle, isWhole = b.Tools, !b.ToolsGenerated
	}
	source := c.repo.sourceTools(c.unit, c.alone)
	var from []registry.Tool
	switch {
	case len(bundle) > 0 && isWhole && len(bundle) >= len(source):
		from, d.ToolsFrom = bundle, "manifest"
	case len(c.unit.card) > 0:
		from, d.ToolsFrom = c.unit.card, "manifest"
	case len(source) > 0 && len(source)*3 >= len(readme):
		from, d.ToolsFrom = source, "source"
	case len(bundle) > 0 && len(bundle) >= len(readme):
		from, d.ToolsFrom = bundle, "manifest"
	case len(readme) > 0:
		from, d.ToolsFrom = readme, "readme"
	}
	if c.readme != nil {
		readme = c.readme.Tools
	}
	d.Tools = toolsWithDetails(from, readme)
}

// toolsWithDetails returns tools without duplicates, with descriptions and
// parameters of others of the same name where they have none.
func toolsWithDetails(tools, details []registry.Tool) []registry.Tool {
	byName := map[string]registry.Tool{}
	for _, t := range details {
		byName[t.Name] = t
	}
	var out []registry.Tool
	seen := map[string]bool{"": true}
	for _, t := range tools {
		if seen[t.Name] || len(out) >= maxTools {
			continue
		}
		seen[t.Name] = true
		if other := byName[t.Name].Description; len(strings.Fields(t.Description)) < registry.DescriptionWords {
			t.Description = cmp.Or(other, t.Description)
		}
		t.Description = plain(t.Description, maxToolDescription)
		if t.InputSchema == nil {
			t.InputSchema = byName[t.Name].InputSchema
		}
		out = append(out, t)
	}
	return out
}

// sourceTools returns the tools that the source texts of a unit register.
func (r *repo) sourceTools(u *unit, alone bool) []registry.Tool {
	const enough = 1000
	var out []registry.Tool
	for _, p := range r.sources(u, alone) {
		out = append(out, manifest.SourceTools(path.Base(p), []byte(r.snap.Texts[p]))...)
		if len(out) > enough {
			break
		}
	}
	return out
}

// sources returns the paths of the source texts of a unit, sorted.
func (r *repo) sources(u *unit, alone bool) []string {
	dir := u.dir
	if alone {
		dir = ""
	}
	var out []string
	for _, p := range slices.Sorted(maps.Keys(r.snap.Texts)) {
		if !strings.HasPrefix(p, prefix(dir)) || !manifest.IsSource(p) || excluded(dirOf(p)) || isTest(p) {
			continue
		}
		if alone || u.dir != "" || !r.isOtherServer(dirOf(p), u) {
			out = append(out, p)
		}
	}
	return out
}

// isOtherServer reports whether a folder belongs to another server than u.
func (r *repo) isOtherServer(dir string, u *unit) bool {
	v := r.nearest(dir)
	return v != nil && v != u && v.reason != ""
}
