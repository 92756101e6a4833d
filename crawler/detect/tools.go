package detect

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/source"
	"mcpcensus/crawler/untyped"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/registry"
	toollist "mcpcensus/internal/tools"
)

// tools sets the server's tools from the most reliable source that has them: a manifest that is
// not stale, source code, or the README's lists.
func (c *candidate) tools(d *registry.Detection) {
	readme := c.readme.Tools
	code := c.repo.sourceTools(c.unit, registry.Required(d.Variables), c.alone)
	c.ended = code.Ended
	d.Touches = c.touches(code)
	listed := c.unit.listedTools(code)
	var names []registry.Tool
	switch {
	// The manifest is explicit, unless complete source code registers all of its tools and more.
	case len(listed) > 0 && (code.Partial || !extends(code.Tools, listed, len(listed))):
		names, d.ToolsFrom = listed, registry.ToolsFromManifest
	// Source code is current, unless it is partial and the README lists more.
	case len(code.Tools) > 0 && !(c.own && code.Partial && extends(readme, code.Tools, 1)):
		names, d.ToolsFrom = code.Tools, registry.ToolsFromSource
	case len(code.Tools) > 0:
		names, d.ToolsFrom = joined(code.Tools, readme), registry.ToolsFromReadme
	// A README about several servers may list tools of others.
	case c.own && len(readme) > 0:
		names, d.ToolsFrom = readme, registry.ToolsFromReadme
	// A stale or incomplete list is better than none.
	case c.unit.bundle != nil && len(c.unit.bundle.Tools) > 0:
		names, d.ToolsFrom = c.repo.mentioned(c.unit.bundle.Tools), registry.ToolsFromManifest
	}
	if len(names) == 0 {
		d.ToolsFrom = ""
	}
	d.Tools = toolsWithDetails(d.ToolsFrom, names, code.Tools, readme)
	d.Suspicious = toollist.Suspicious(d.Tools)
	d.Tools = shown(d.ToolsFrom, d.Tools)
	d.ToolsPartial = c.lacksTools(d, code.Partial)
}

// touches returns what the source code touches, with whether all of it was read.
func (c *candidate) touches(code source.Result) *registry.Touches {
	if code.Touches != nil && !c.repo.readFully(c.unit, c.alone) {
		code.Touches.SourceRead = registry.SourceReadPart
	}
	return code.Touches
}

// lacksTools reports whether the detected tools are incomplete: the source code has more, or the
// README or the description states a larger number. A number that they reach is complete.
func (c *candidate) lacksTools(d *registry.Detection, partialCode bool) bool {
	n, stated := len(d.Tools), 0
	if c.own {
		stated = statedCount(c.readme.Text + "\n" + c.repo.snap.Repo.Description)
	}
	switch d.ToolsFrom {
	case "":
		return partialCode
	case registry.ToolsFromSource: // source files lack generated tools
		return stated > n || partialCode && stated == 0
	case registry.ToolsFromReadme:
		return statesMore(c.readme.Text, n) || stated > n || partialCode && stated < n
	}
	return false
}

// joined returns the tools of an incomplete list, and those of the README whose names have the
// form of one in that list and are no parameters of it. Others may be titles or names of other things.
func joined(code, readme []registry.Tool) []registry.Tool {
	prefix, known := code[0].Name, toollist.ByName(code)
	forms, parameters := map[string]bool{"": true}, map[string]bool{}
	for _, t := range code {
		if o, err := untyped.JSON(t.InputSchema); err == nil {
			for name := range o.Object("properties") {
				parameters[name] = formOf(name) != "" // a word may be both
			}
		}
		forms[formOf(t.Name)] = true
		for !strings.HasPrefix(t.Name, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	prefix = prefix[:strings.LastIndexAny(prefix, "_-./")+1]
	out := slices.Clone(code)
	for _, t := range readme {
		_, found := known[t.Name]
		if !found && !parameters[t.Name] && forms[formOf(t.Name)] && strings.HasPrefix(t.Name, prefix) {
			out = append(out, t)
		}
	}
	return out
}

// formOf returns how a name joins its words: its separator, "A" for capitals, "" for one word.
func formOf(name string) string {
	if i := strings.IndexAny(name, "_-./: "); i >= 0 {
		return name[i : i+1]
	}
	if strings.ToLower(name) != name {
		return "A"
	}
	return ""
}

// mentioned returns the tools whose names are in the source code, all if none was read.
func (r *repo) mentioned(tools []registry.Tool) []registry.Tool {
	var code []string
	for p, text := range r.snap.Texts {
		if source.IsSource(p) && isOwn(p) {
			code = append(code, text)
		}
	}
	if len(code) == 0 {
		return tools
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t registry.Tool) bool {
		return !slices.ContainsFunc(code, func(text string) bool {
			return strings.Contains(text, t.Name)
		})
	})
}

var (
	toolCount = vocabulary.Expressions(rules, "phrases/tool_count.txt")
	moreTools = vocabulary.Expressions(rules, "phrases/more_tools.txt")
)

// statesMore reports whether a README states that there are more tools than the n it lists.
func statesMore(readme string, n int) bool {
	for line := range strings.Lines(readme) {
		if moreTools.MatchString(strings.TrimSpace(line)) {
			return true
		}
	}
	return statedCount(readme) > n
}

// statedCount returns the largest number of tools that a text states, 0 if there is none.
func statedCount(text string) (most int) {
	for line := range strings.Lines(text) {
		for _, group := range toolCount.FindStringSubmatch(strings.TrimSpace(line)) {
			if stated, err := strconv.Atoi(group); err == nil {
				most = max(most, stated)
			}
		}
	}
	return most
}

// listedTools returns the tools that a manifest lists, if the list is complete and not stale.
func (u *unit) listedTools(code source.Result) []registry.Tool {
	b := u.bundle
	if len(u.card) > 0 || b == nil || b.ToolsGenerated || u.hasStaleBundle() || isStale(b.Tools, code) {
		return u.card
	}
	return b.Tools
}

// isStale reports whether complete source code registers some of the listed tools and others, but
// not all of them: the list is of another version.
func isStale(listed []registry.Tool, code source.Result) bool {
	n := common(listed, code.Tools)
	return !code.Partial && n > 0 && n < len(listed) && n < len(code.Tools)
}

// extends reports whether all has more names than part and at least n of its names.
func extends(all, part []registry.Tool, n int) bool {
	return len(all) > len(part) && common(all, part) >= n
}

func common(a, b []registry.Tool) (n int) {
	names := toollist.ByName(b)
	for _, t := range a {
		if _, ok := names[t.Name]; ok {
			n++
		}
	}
	return n
}

// toolsWithDetails returns tools without duplicates, with descriptions of any length.
// Source code takes precedence, then the list itself, then the README.
func toolsWithDetails(from string, tools, code, readme []registry.Tool) []registry.Tool {
	fromCode, fromReadme := toollist.ByName(code), toollist.ByName(readme)
	var out []registry.Tool
	seen := map[string]bool{"": true}
	for _, t := range tools {
		if seen[t.Name] {
			continue
		}
		seen[t.Name] = true
		out = append(out, merge(from, t, fromCode[t.Name], fromReadme[t.Name]))
	}
	return out
}

// shown returns the tools within the limits of lists, without markup in descriptions that are not
// from source code.
func shown(from string, tools []registry.Tool) []registry.Tool {
	out := slices.Clone(tools)
	for i := range out {
		if t := &out[i]; cmp.Or(t.DescriptionFrom, from) != registry.ToolsFromSource {
			t.Description = plain(t.Description, toollist.MaxDescription)
		}
	}
	return toollist.Limit(out)
}

// merge completes a tool of a list with the source code and the README.
func merge(from string, t, code, readme registry.Tool) registry.Tool {
	unlessListed := func(source string) string {
		if source == from {
			return ""
		}
		return source
	}
	text, source := describe(from, t.Description, code.Description, readme.Description)
	t.Description, t.DescriptionFrom, t.SchemaFrom = text, "", ""
	if text != "" {
		t.DescriptionFrom = unlessListed(source)
	}
	switch {
	case code.InputSchema != nil:
		t.InputSchema, t.SchemaFrom = code.InputSchema, unlessListed(registry.ToolsFromSource)
	case t.InputSchema == nil && readme.InputSchema != nil:
		t.InputSchema, t.SchemaFrom = readme.InputSchema, unlessListed(registry.ToolsFromReadme)
	}
	if code.Annotations != nil {
		t.Annotations = code.Annotations
	}
	t.Title, t.Conditional = cmp.Or(t.Title, code.Title), code.Conditional
	t.Inferred = code.Inferred
	return t
}

// describe returns the best description of a tool and its source: that in source code, or
// else the one in the list or the README, the first of these that is a description.
func describe(from, listed, code, readme string) (text, source string) {
	if text = strings.TrimSpace(code); text != "" {
		return text, registry.ToolsFromSource
	}
	text = cmp.Or(listed, readme)
	if !registry.IsDescription(listed) {
		text = cmp.Or(readme, listed)
	}
	source = registry.ToolsFromReadme
	if text == listed {
		source = from
	}
	if source == registry.ToolsFromReadme { // models do not see its markup
		text = plain(text, len(text))
	}
	return text, source
}

// sourceTools returns the tools that the source of a unit with these required variables registers;
// if it registers none, those of the units that it depends on, too, or else of the widest folder around
// it without another server. The servers of a repository share one limit of steps; beyond it lists are
// partial.
func (r *repo) sourceTools(u *unit, required []string, alone bool) source.Result {
	ofOther := func(p string) bool { return !alone && u.dir == "" && r.isOtherServer(dirOf(p), u) }
	files := source.Files{}
	for p, text := range r.sourceFiles() {
		if !ofOther(p) && !r.isBeside(u, p) && (!source.IsSource(p) || u.mayRegister(p)) {
			files[p] = text
		}
	}
	in := func(dirs ...string) source.Result {
		out := source.Tools(files, dirs, required, &r.sourceSteps)
		out.Partial = out.Partial || slices.ContainsFunc(r.unreadSources(), func(p string) bool {
			isOwn := func(dir string) bool { return source.IsOwn(dir, p) }
			return slices.ContainsFunc(dirs, isOwn) && !ofOther(p)
		})
		return out
	}
	out := in(u.dir)
	for _, dirs := range [][]string{r.withDependencies(u), {r.surroundings(u)}} {
		if ended := out.Ended; len(out.Tools) == 0 && !slices.Equal(dirs, []string{u.dir}) {
			out = in(dirs...)
			out.Ended = out.Ended || ended
		}
	}
	return out
}

// withDependencies returns the folders of a unit and of those that it depends on, directly or not.
func (r *repo) withDependencies(u *unit) (dirs []string) {
	for units := []*unit{u}; len(dirs) < len(units); {
		v := units[len(dirs)]
		dirs = append(dirs, v.dir)
		for w := range r.dependsOn(v) {
			if !slices.Contains(units, w) {
				units = append(units, w)
			}
		}
	}
	return dirs
}

// surroundings returns the widest folder around a unit that contains no other server.
func (r *repo) surroundings(u *unit) string {
	dir := u.dir
	for dir != "" {
		above := dirOf(dir)
		if slices.ContainsFunc(r.units, func(v *unit) bool {
			return v != u && v.reason != "" && strings.HasPrefix(prefix(v.dir), prefix(above))
		}) {
			break
		}
		dir = above
	}
	return dir
}

// sourceFiles returns the texts of source code and its data.
func (r *repo) sourceFiles() source.Files {
	files := source.Files{}
	for p, text := range r.snap.Texts {
		if source.IsData(p) || source.IsSource(p) {
			files[p] = text
		}
	}
	return files
}

// hasSource reports whether a path is in the source of a unit, without tests.
func (r *repo) hasSource(u *unit, alone bool, p string) bool {
	return (alone || strings.HasPrefix(p, prefix(u.dir))) &&
		(manifest.IsSource(p) || source.IsSource(p)) && isOwn(p) &&
		(alone || u.dir != "" || !r.isOtherServer(dirOf(p), u))
}

// sources returns the paths of the source texts of the server of a unit, sorted.
func (r *repo) sources(u *unit, alone bool) (out []string) {
	for _, p := range slices.Sorted(maps.Keys(r.snap.Texts)) {
		if manifest.IsSource(p) && r.hasSource(u, alone, p) && !r.isBeside(u, p) {
			out = append(out, p)
		}
	}
	return out
}

// readFully reports whether a unit has source files and all of them were read.
func (r *repo) readFully(u *unit, alone bool) (found bool) {
	for _, f := range r.snap.Files {
		if f.Size == 0 || !r.hasSource(u, alone, f.Path) {
			continue
		}
		if _, found = r.snap.Texts[f.Path]; !found {
			return false
		}
	}
	return found && !r.snap.FilesTruncated
}

// isOtherServer reports whether a folder belongs to another server than u.
func (r *repo) isOtherServer(dir string, u *unit) bool {
	v := r.nearest(dir)
	return v != nil && v != u && v.reason != ""
}
