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

	announced bool          // a heading announces tools
	entries   int           // items, rows and headings below such headings
	section   int           // level of the heading of the section of tools, -1 outside
	skipped   int           // level of the heading of a part about something else, -1 outside
	under     int           // level of the heading of the current tool, -1 outside
	current   int           // index of the current tool
	label     label         // what the blocks below the last paragraph are over
	items     map[int]label // what the blocks inside list items are over
}

// A label says what the list or text below it is about.
type label int

const (
	noLabel label = iota
	ofTool
	ofParameters
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
	details := 0 // open HTML details elements; headings inside are below their summaries
	for i := range blocks {
		b := &blocks[i]
		switch {
		case b.kind == heading && b.level == folded && b.text == "":
			details = max(0, details-1)
			r.heading(b, folded*(details+1), false)
		case b.kind == heading && b.level == folded:
			details++
			r.heading(b, folded*details, false)
		case b.kind == heading:
			r.heading(b, folded*details+b.level, !all && b.level == 1 && i < 3 && len(blocks) > 3)
		case r.skipped >= 0:
		case r.section >= 0:
			r.content(i)
		case b.kind == row && slices.ContainsFunc(b.heads, toolColumn.MatchString):
			r.row(b)
		}
	}
	setSchemas(r.tools, r.schemas)
	return r
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
	text := entryText(b)
	other := otherLabel.MatchString(strings.TrimRight(text, ": ")) && !toolsFirst.MatchString(text)
	names, description := b.toolNames()
	switch {
	case level <= r.section || r.section < 0:
		r.section = -1
		if title || other || !toolHeading.MatchString(text) || otherHeading.MatchString(text) {
			return
		}
		r.section, r.announced = level, true
	case r.under >= 0:
		r.label, _ = labelOf(text)
		return
	case names == nil && other && level < folded:
		r.skipped = level
	default:
		r.entries++
	}
	for _, name := range names {
		if r.add(name, description) {
			r.under = level
		}
	}
}

// entryText returns the text of a heading or an item without marks before it.
func entryText(b *block) string {
	return toolPrefix.ReplaceAllString(b.text[len(marks.FindString(b.text)):], "")
}

// toolNames returns the tools that a heading or an item begins with, and the
// text after them: "`get_tide` / `set_tide`: reads and writes", "**Search**
// (`web_search`)", "get_tide(harbour) - when the water is high".
func (b *block) toolNames() (names []string, rest string) {
	const signs = " /,&:()-–—"
	text := entryText(b)
	rest = text
	for _, c := range b.code {
		before, after, found := strings.Cut(rest, c)
		before = strings.Trim(before, signs)
		name, _ := nameIn(c, before == "")
		titled := len(names) == 0 && (b.kind == heading || before == strings.Trim(b.lead, signs))
		unsigned := b.kind == heading && before == "" && !entry.MatchString("xx"+after)
		if !found || name == "" || before != "" && !titled || unsigned {
			break
		}
		names, rest = append(names, name), after
	}
	if names != nil {
		return names, strings.TrimLeft(rest, " :)-–—.")
	}
	name, rest := nameIn(text, false)
	if b.kind == item && b.lead != "" && !b.leadsWithCode() {
		name, _ = nameIn(b.lead, b.lead == strings.ToLower(b.lead))
		rest = b.rest
	}
	if name == "" {
		return nil, ""
	}
	return []string{name}, rest
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

// content reads a block of the section that is not a heading.
func (r *toolReader) content(i int) {
	b := &r.blocks[i]
	if b.kind == row || b.kind == item && b.level == 0 {
		r.entries++
	}
	l, tool := r.context(i)
	switch {
	case b.kind == code:
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
	if p, ok := parseParameter(entryText(b), b.lead != ""); ok && p.typed {
		return
	}
	names, description := b.toolNames()
	for _, name := range names {
		if r.add(name, description) {
			r.items[i] = ofTool
		}
	}
	if names == nil {
		own, rest := labelOf(b.text)
		if r.items[i] = own; own == ofTool && len(r.tools) > 0 {
			r.items[i] = ofOther
			r.describe(rest) // of "Name: `get_tide`" before
		}
	}
}

// row reads a row of a table of tools.
func (r *toolReader) row(b *block) {
	at := slices.IndexFunc(b.heads, toolColumn.MatchString)
	if at < 0 && slices.ContainsFunc(b.heads, parameterColumn.MatchString) {
		return
	}
	if at < 0 {
		at = max(0, slices.IndexFunc(b.heads, nameColumn.MatchString))
	}
	if at >= len(b.cells) {
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
		for i, c := range b.cells {
			if i != at && i < len(b.heads) && descriptionColumn.MatchString(b.heads[i]) {
				r.describe(c)
			}
		}
	}
}

// cell returns the cell below a head, "" if there is none.
func (b *block) cell(head *regexp.Regexp) string {
	i := slices.IndexFunc(b.heads, head.MatchString)
	if i < 0 || i >= len(b.cells) {
		return ""
	}
	return b.cells[i]
}
