package readme

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/untyped"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/registry"
)

const maxTools = 500

var (
	toolHeading  = vocabulary.Anywhere(rules, "tools/headings.txt")
	otherHeading = vocabulary.Anywhere(rules, "tools/other_headings.txt")
	otherLabel   = vocabulary.Expressions(rules, "tools/other_labels.txt")
	reservedWord = vocabulary.Whole(rules, "tools/reserved.txt")

	toolColumn        = regexp.MustCompile(`^(?:mcp |available )?tools?(?: names?)?$`)
	nameColumn        = regexp.MustCompile(`\b(?:tools?|name|functions?|commands?|methods?|actions?|operations?)\b`)
	descriptionColumn = regexp.MustCompile(`\b(?:descriptions?|purpose|summary|what|does|functions?)\b`)
	descriptionLabel  = regexp.MustCompile(`(?i)^(?:tool )?(?:description|purpose|summary|what it does)$`)

	// marks precede a name: numbers of lists and pictures, never dashes.
	marks      = regexp.MustCompile(`^(?:\d+(?:\.\d+)*[.)]\s+|[^\p{L}\p{N}_\s-]+\s*)*`)
	toolsFirst = regexp.MustCompile(`(?i)^(?:\w+ )?tools(?:,| and| &)`) // "Tools and resources"
	toolPrefix = regexp.MustCompile(`(?i)^(?:tool|function|command)\s*\d*\s*[:.–—-]\s*`)
	// entry is a name with arguments and a description, or with neither.
	entry = regexp.MustCompile(`^(\w[\w.-]{1,99})(?:\s*\([^()]*\))?(?:\s*[:–—]\s*|\s+-+\s+|\s*$)`)
	// plainName can hardly be an ordinary word: snake_case, kebab-case, camelCase.
	plainName = regexp.MustCompile(`^[a-z0-9]+(?:[_-][A-Za-z0-9]+)+$|^[a-z][a-z0-9]+(?:[A-Z][a-z0-9]+)+$`)
)

// isToolName reports whether a name that stands where tools are listed can be a
// tool's. Names without a lower-case letter are variables, those that begin with
// a dash flags.
func isToolName(s string) bool {
	letters := strings.TrimLeft(s, "0123456789_")
	return len(s) > 1 && manifest.IsToolName(letters) && !strings.ContainsAny(s, "/:") &&
		s != strings.ToUpper(s) && !strings.HasSuffix(s, "-") && !reservedWord.MatchString(s)
}

// nameIn returns the tool's name that a text begins with, and what follows it.
// Unless it is sure, ordinary words are not names.
func nameIn(s string, sure bool) (name, rest string) {
	m := entry.FindStringSubmatch(s)
	if m == nil || !isToolName(m[1]) || !sure && !plainName.MatchString(m[1]) {
		return "", ""
	}
	return m[1], s[len(m[0]):]
}

// A toolReader reads the tools of one document from the lists, tables and
// headings below headings that announce tools.
type toolReader struct {
	blocks  []block
	own     map[string]bool // names of the server itself
	tools   []registry.Tool
	schemas []parameters
	index   map[string]int // of tools, by names in lower case

	announced bool // a heading announces tools
	entries   int  // items, rows and headings below such headings
	section   int  // level of the heading of the section of tools, -1 outside
	skipped   int  // level of the heading of a part about something else, -1 outside
	under     int  // level of the heading of the current tool, -1 outside
	current   int  // index of the current tool
	label     label
	items     map[int]label // what list items are over
}

// A label says what the list or text below it is about.
type label int

const (
	noLabel label = iota
	ofTool
	ofParameters
	ofParameter
	ofOther
)

// addTools collects the tools that the README lists.
func (d *Document) addTools(blocks []block) {
	r := readTools(blocks, d.ownNames(), false)
	d.Tools, d.ToolHeading, d.ToolEntries = r.tools, r.announced, r.entries
	if len(d.Tools) > 0 {
		d.ToolEntries = len(d.Tools)
	}
}

// ParseTools returns the tools of a document that is all about a server's
// tools, such as TOOLS.md.
func ParseTools(b []byte) (tools []registry.Tool, err error) {
	defer untyped.Guard(&err)
	return readTools(blocksOf(clean(b)), nil, true).tools, nil
}

// ownNames returns the names of the server and of its packages, as far as they
// cannot be words that a tool is named by too.
func (d *Document) ownNames() map[string]bool {
	names := []string{d.Title, path.Base(d.MCPName)}
	for _, s := range d.Servers {
		names = append(names, s.Name)
	}
	for _, l := range slices.Concat(d.Commands, d.Badges) {
		names = append(names, path.Base(l.Identifier))
	}
	own := map[string]bool{}
	for _, s := range names {
		s = slug(s)
		own[s] = strings.Contains(s, "mcp") || strings.Contains(s, "server")
	}
	return own
}

func slug(s string) string {
	return strings.NewReplacer(" ", "-", "_", "-").Replace(strings.ToLower(s))
}

// readTools reads a document. If all is set it is about tools from its beginning.
func readTools(blocks []block, own map[string]bool, all bool) *toolReader {
	r := &toolReader{
		blocks: blocks, own: own, index: map[string]int{}, items: map[int]label{},
		section: -1, skipped: -1, under: -1,
	}
	if all {
		r.section = 0
	}
	levels := headingLevels(blocks)
	for i := range blocks {
		b := &blocks[i]
		switch {
		case b.kind == heading:
			r.heading(b, levels[i], !all && b.level == 1 && i < 3 && len(blocks) > 3)
		case r.skipped >= 0:
		case r.section < 0:
			if b.kind == row && slices.ContainsFunc(b.heads, toolColumn.MatchString) {
				r.row(b)
			}
		default:
			r.content(i)
		}
	}
	setSchemas(r.tools, r.schemas)
	return r
}

// headingLevels returns the levels of headings. Those inside an HTML details
// element are below its summary.
func headingLevels(blocks []block) []int {
	levels, open := make([]int, len(blocks)), []int{}
	for i, b := range blocks {
		levels[i] = b.level
		switch {
		case b.kind != heading || b.level != folded:
		case b.text != "":
			open = append(open, i)
		case len(open) > 0:
			first := open[len(open)-1]
			open = open[:len(open)-1]
			for j := first + 1; j < i; j++ {
				levels[j] += folded
			}
		}
	}
	return levels
}

func (r *toolReader) heading(b *block, level int, title bool) {
	r.label = noLabel
	if r.skipped >= 0 && level > r.skipped {
		return
	}
	r.skipped = -1
	if level <= r.under {
		r.under = -1
	}
	text := toolPrefix.ReplaceAllString(b.text[len(marks.FindString(b.text)):], "")
	other := otherLabel.MatchString(strings.TrimRight(text, ": ")) && !toolsFirst.MatchString(text)
	name, description := headingTool(b, text)
	switch {
	case level <= r.section || r.section < 0:
		r.section = -1
		if title || other || !announcesTools(text) {
			return
		}
		r.section, r.announced = level, true
	case r.under >= 0:
		r.label, _ = labelOf(text + ":")
		return
	case name == "" && other && level < folded:
		r.skipped = level
	default:
		r.entries++
	}
	if name != "" && r.add(name, description) {
		r.under = level
	}
}

func announcesTools(heading string) bool {
	return toolHeading.MatchString(heading) && !otherHeading.MatchString(heading)
}

// headingTool returns the tool that a heading names: "`search`", "Web search
// (`web_search`)" and "get_tide(harbour) - when the water is high".
func headingTool(b *block, text string) (name, description string) {
	for _, c := range b.code {
		rest, first := strings.CutPrefix(text, c)
		name, _ := nameIn(c, first)
		switch {
		case name != "" && !first:
			return name, ""
		case name != "" && entry.MatchString("xx"+rest):
			return name, strings.TrimLeft(rest, " :–—-")
		}
	}
	return nameIn(text, false)
}

// add makes the tool of a name the current one. It reports false for names of
// the server itself.
func (r *toolReader) add(name, description string) bool {
	if r.own[slug(name)] || len(r.tools) >= maxTools {
		return false
	}
	at, known := r.index[strings.ToLower(name)]
	if !known {
		at = len(r.tools)
		r.index[strings.ToLower(name)] = at
		r.tools = append(r.tools, registry.Tool{Name: name})
		r.schemas = append(r.schemas, parameters{})
	}
	r.current, r.label = at, noLabel
	r.describe(description)
	return true
}

// describe sets the description of the current tool unless it has one.
func (r *toolReader) describe(s string) {
	if t := &r.tools[r.current]; t.Description == "" {
		t.Description = untyped.Short(strings.TrimSuffix(strings.TrimSpace(s), ":"))
	}
}

// context returns what a block is inside or below.
func (r *toolReader) context(i int) (l label, tool bool) {
	for o := r.blocks[i].outer; o >= 0; o = r.blocks[o].outer {
		if r.items[o] == ofTool {
			return l, true
		}
		if l == noLabel {
			l = r.items[o]
		}
	}
	if l == noLabel {
		l = r.label
	}
	return l, r.under >= 0
}

func (r *toolReader) content(i int) {
	b := &r.blocks[i]
	l, tool := r.context(i)
	if b.kind == row || b.kind == item && b.level == 0 {
		r.entries++
	}
	switch {
	case tool:
		r.detail(i, l)
	case b.kind == paragraph && b.outer < 0:
		r.label = noLabel
		if own, rest := labelOf(b.text); own != ofTool && rest == "" {
			r.label = own
		}
	case l != noLabel:
	case b.kind == row:
		r.row(b)
	case b.kind == item:
		r.item(i)
	}
}

// item reads a list item that is not inside another tool's.
func (r *toolReader) item(i int) {
	b := &r.blocks[i]
	names, description := itemTools(b)
	for _, name := range names {
		if r.add(name, description) {
			r.items[i] = ofTool
		}
	}
	if len(names) == 0 {
		own, rest := labelOf(b.text)
		if r.items[i] = own; own == ofTool && len(r.tools) > 0 {
			r.items[i] = ofOther
			r.describe(rest) // of "Name: `get_tide`" before
		}
	}
}

// itemTools returns the tools that an item begins with: "`get_tide` / `set_tide`:
// reads and writes", "**Search** (`web_search`)", "get_tide - when".
func itemTools(b *block) (names []string, description string) {
	text := b.text[len(marks.FindString(b.text)):]
	if p, ok := parseParameter(text, b.lead != "", false); ok && p.typed {
		return nil, ""
	}
	bold, rest := b.lead != "" && !b.leadsWithCode(), text
	if bold {
		rest = strings.TrimLeft(strings.TrimPrefix(text, b.lead), " :(-–—")
	}
	for _, c := range b.code {
		name, _ := nameIn(c, !bold)
		after, found := strings.CutPrefix(strings.TrimLeft(rest, " /,&"), c)
		if !found || name == "" {
			break
		}
		names, rest = append(names, name), after
	}
	name := ""
	switch {
	case len(names) > 0:
		return names, strings.TrimLeft(rest, " :)-–—.")
	case bold:
		name, _ = nameIn(b.lead, b.lead == strings.ToLower(b.lead))
		rest = b.rest
	default:
		name, rest = nameIn(text, false)
	}
	if name == "" {
		return nil, ""
	}
	return []string{name}, rest
}

// row reads a row of a table of tools.
func (r *toolReader) row(b *block) {
	at := slices.IndexFunc(b.heads, toolColumn.MatchString)
	if at < 0 {
		at = slices.IndexFunc(b.heads, nameColumn.MatchString)
	}
	if slices.ContainsFunc(b.heads, parameterColumn.MatchString) && (at < 0 || !toolColumn.MatchString(b.heads[at])) {
		return
	}
	if at = max(at, 0); at >= len(b.cells) {
		return
	}
	cell, found := b.cells[at], false
	for _, c := range b.code {
		if name, _ := nameIn(c, true); name != "" && strings.Contains(cell, c) {
			found = r.add(name, "") || found
		}
	}
	if !found {
		name, rest := nameIn(cell, b.leads[at] == cell && cell == strings.ToLower(cell))
		found = name != "" && r.add(name, rest)
	}
	if found {
		r.describe(b.column(descriptionColumn, at))
		for i, c := range b.cells[:min(len(b.cells), len(b.heads))] {
			if parameterHead.MatchString(b.heads[i]) {
				r.schemas[r.current].addLine(c, b.code)
			}
		}
	}
}

// column returns the cell below a head, but not that at except, or else the
// longest other cell.
func (b *block) column(head *regexp.Regexp, except int) (longest string) {
	for i, c := range b.cells {
		if i != except && i < len(b.heads) && head.MatchString(b.heads[i]) {
			return c
		}
		if i != except && len(c) > len(longest) {
			longest = c
		}
	}
	return longest
}
