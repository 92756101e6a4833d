package readme

import (
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/source/schema"
	"mcpcensus/crawler/untyped"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/registry"
)

const (
	maxTools      = 500
	maxParameters = 40        // of a tool
	maxSchemas    = 200 << 10 // bytes of all schemas
)

var (
	toolHeading  = vocabulary.Anywhere(rules, "tools/headings.txt")
	otherHeading = vocabulary.Anywhere(rules, "tools/other_headings.txt")
	otherLabel   = vocabulary.Expressions(rules, "tools/other_labels.txt")
	reservedWord = vocabulary.Whole(rules, "tools/reserved.txt")

	toolColumn        = regexp.MustCompile(`^(?:mcp |available )?tools?(?: names?)?$`)
	nameColumn        = regexp.MustCompile(`\b(?:tools?|name|functions?|commands?|methods?|actions?|operations?)\b`)
	descriptionColumn = regexp.MustCompile(`\b(?:descriptions?|purpose|summary|what|does|functions?)\b`)
	annotation        = regexp.MustCompile(`(?i)^(?:title|read-?only|destructive|idempotent|open world):`)
	descriptionLabel  = regexp.MustCompile(`(?i)^(?:tool )?(?:description|purpose|summary|what it does):\s*`)

	// marks precede a name: list numbers and emoji, never dashes.
	marks      = regexp.MustCompile(`^(?:\d+(?:\.\d+)*[.)]\s+|[^\p{L}\p{N}_\s-]+\s*)*`)
	toolsFirst = regexp.MustCompile(`(?i)^(?:\w+ )?tools(?:,| and| &)`) // "Tools and resources"
	// entry matches a name with arguments and a description, or with neither.
	entry = regexp.MustCompile(`^(\w[\w.-]{1,99})(?:\s*\([^()]*\))?(?:\s*[:–—]\s*|\s+-+\s+|\s*$)`)
	// predicate matches the text after the subject of a sentence: "`limit` is the maximum
	// number".
	predicate = regexp.MustCompile(`^\s+\p{Ll}`)
	// nextName matches another name after the first one of an item: "/ set_tide".
	nextName = regexp.MustCompile(`^\s*[/,&]\s*([a-z0-9]+(?:_[a-z0-9]+)+)(?:$|[^\w-])`)
	ownName  = regexp.MustCompile(`-mcp$|mcp-server`) // of the server or its package
	// plainName matches names that are not ordinary words: snake_case, kebab-case, camelCase.
	plainName = regexp.MustCompile(`^[a-z0-9]+(?:[_-][A-Za-z0-9]+)+$|^[a-z][a-z0-9]+(?:[A-Z][a-z0-9]+)+$`)

	jsonTypes       = vocabulary.Pairs(rules, "tools/types.txt")
	parameterLabel  = vocabulary.Expressions(rules, "tools/parameter_labels.txt")
	parameterColumn = regexp.MustCompile(`^(?:param|arg|option|variable|env|setting|flag|field|key|property|input|ur[il]\b)`)
	parameterStart  = regexp.MustCompile(`^([A-Za-z_$][\w$-]{0,63})\b(\?)?[\s:=–—-]*`)
	leadingTags     = regexp.MustCompile(`^\(([^()]*)\)[\s:–—-]*`)
	trailingTags    = regexp.MustCompile(`\s*\(([^()]{1,80})\)\.?$`)
)

// isToolName reports whether a name in a list of tools may be a tool's. Names without a
// lower-case letter are variables, names that begin with a dash are flags.
func isToolName(s string) bool {
	letters := strings.TrimLeft(s, "0123456789_")
	return len(s) > 1 && manifest.IsToolName(letters) && !strings.ContainsAny(s, "/:") &&
		s != strings.ToUpper(s) && !strings.HasSuffix(s, "-") && !reservedWord.MatchString(s) &&
		!ownName.MatchString(s)
}

// nameIn returns the tool's name at the beginning of a text, and the rest. Ordinary words are
// accepted only if sure is set, and no scheme of an address.
func nameIn(s string, sure bool) (name, rest string) {
	m := entry.FindStringSubmatch(s)
	if m == nil || !isToolName(m[1]) || !sure && !plainName.MatchString(m[1]) ||
		strings.HasPrefix(s[len(m[1]):], "://") {
		return "", ""
	}
	return m[1], s[len(m[0]):]
}

// A toolReader reads the tools of one document from the lists, tables and headings below headings
// that announce tools.
type toolReader struct {
	blocks []block
	tools  []tool

	announced bool            // a heading announces tools
	entries   int             // items, rows and headings below such headings
	section   int             // level of the heading of the section of tools, -1 outside
	skipped   int             // level of the heading of an unrelated part, -1 outside
	under     int             // level of the heading of the current tool, -1 outside
	current   int             // index of the current tool
	other     bool            // an earlier label announces something else
	items     map[int]content // content below list items
}

// content is the kind of content of a list item.
type content int

const (
	ofTool content = iota + 1
	ofOther
)

// ParseTools returns the tools of a document that lists a server's tools, such as TOOLS.md.
func ParseTools(b []byte) (tools []registry.Tool, err error) {
	defer untyped.Guard(&err)
	return readTools(blocksOf(clean(b)), 0).list(), nil
}

// readTools reads a document whose beginning is in a section of the given level: 0 if the whole
// document is about tools, -1 if not.
func readTools(blocks []block, level int) *toolReader {
	r := &toolReader{
		blocks: blocks, items: map[int]content{}, section: level, skipped: -1, under: -1,
	}
	for i := 0; i < len(blocks) && len(r.tools) < maxTools; i++ {
		b := &blocks[i]
		switch {
		case b.kind == heading:
			r.heading(b, level < 0 && b.level == 1 && i < 3 && len(blocks) > 3)
		case r.skipped >= 0:
		case r.section >= 0:
			r.content(i)
		case b.kind == row && slices.ContainsFunc(b.heads, toolColumn.MatchString):
			r.row(b)
		}
	}
	return r
}

// heading reads a heading. It may be the document's title, name a tool, or start or end the
// section of tools.
func (r *toolReader) heading(b *block, title bool) {
	level := b.level
	if r.section == folded && level < folded {
		level += folded // inside the HTML details element of the section
	}
	r.other = false
	if r.skipped >= 0 && level > r.skipped {
		return
	}
	r.skipped = -1
	if level <= r.under {
		r.under = -1
	}
	text := entryText(b)
	other := otherLabel.MatchString(labelOf(text)) && !toolsFirst.MatchString(text)
	names, description := b.toolNames()
	switch {
	case level <= r.section || r.section < 0:
		r.section = -1
		if title || other || !toolHeading.MatchString(text) || otherHeading.MatchString(text) {
			return
		}
		r.section, r.announced = level, true
	case r.under >= 0:
		r.other = other && !parameterLabel.MatchString(text)
		return
	case names == nil && other && level < folded:
		r.skipped = level
	default:
		r.entries++
	}
	for _, name := range names {
		r.add(name, description)
		r.under = level
	}
}

// entryText returns the text of a heading or an item without leading marks.
func entryText(b *block) string {
	return b.text[len(marks.FindString(b.text)):]
}

// toolNames returns the tools at the beginning of a heading or an item, and the text after them:
// "`get_tide` / `set_tide`: reads and writes", "**Search** (`web_search`)", "get_tide(harbour) -
// when the water is high".
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
	names = []string{name}
	for m := nextName.FindStringSubmatch(rest); m != nil; m = nextName.FindStringSubmatch(rest) {
		names, rest = append(names, m[1]), strings.TrimLeft(rest[len(m[0]):], " :–—-")
	}
	return names, rest
}

// add makes the tool with a name the current one.
func (r *toolReader) add(name, description string) {
	at := slices.IndexFunc(r.tools, func(t tool) bool { return strings.EqualFold(t.Name, name) })
	if at < 0 {
		at = len(r.tools)
		r.tools = append(r.tools, tool{Tool: registry.Tool{Name: name}})
	}
	r.current, r.other = at, false
	r.describe(description)
}

// describe sets the description of the current tool unless it has one.
func (r *toolReader) describe(s string) {
	if t := &r.tools[r.current]; t.Description == "" {
		s = descriptionLabel.ReplaceAllString(strings.TrimSpace(s), "")
		t.Description = strings.TrimSuffix(s, ":")
	}
}

// labelOf returns the label at the beginning of a text, "Returns: a table", or the whole text. It
// is "" if it has too many words.
func labelOf(text string) string {
	head, _, _ := strings.Cut(strings.ReplaceAll(text, " (", ":"), ":")
	if strings.Count(head, " ") > 4 {
		return ""
	}
	return strings.Trim(head, "*_ ")
}

// content reads a block of the section other than a heading.
func (r *toolReader) content(i int) {
	b, tool, other := &r.blocks[i], r.under >= 0, r.other
	for o := b.outer; o >= 0; o = r.blocks[o].outer {
		tool, other = tool || r.items[o] == ofTool, other || r.items[o] == ofOther
	}
	if b.kind == row || b.kind == item && b.level == 0 {
		r.entries++
	}
	switch {
	case b.kind == code, other && (b.kind != paragraph || b.outer >= 0):
	case tool:
		r.detail(i)
	case b.kind == paragraph && b.outer < 0:
		label, rest, _ := strings.Cut(b.text, ":")
		r.other = rest == "" && otherLabel.MatchString(labelOf(label))
	case b.kind == row:
		r.row(b)
	case b.kind == item:
		r.item(i)
	}
}

// detail reads a block that is about the current tool.
func (r *toolReader) detail(i int) {
	b, label := &r.blocks[i], labelOf(r.blocks[i].text)
	p, ok := parseParameter(b.text, b.leadsWithCode())
	switch {
	case b.kind == row:
	case parameterLabel.MatchString(label):
		r.other = false
	case b.kind == item && ok:
		r.tools[r.current].add(p)
		r.items[i] = ofOther
	case otherLabel.MatchString(label):
		r.items[i], r.other = ofOther, r.other || b.kind == paragraph
	case !annotation.MatchString(b.text):
		r.describe(b.text)
	}
}

// item reads a list item outside those of other tools.
func (r *toolReader) item(i int) {
	b := &r.blocks[i]
	if p, _ := parseParameter(entryText(b), b.lead != ""); p.typed {
		return
	}
	names, description := b.toolNames()
	adjacent := r.blocks[max(0, i-1):min(i+2, len(r.blocks))]
	isHint := func(o block) bool { names, _ := o.toolNames(); return o.kind == item && names == nil }
	if len(names) == 1 && predicate.MatchString(strings.TrimPrefix(entryText(b), names[0])) &&
		(!plainName.MatchString(names[0]) || slices.ContainsFunc(adjacent, isHint)) {
		return
	}
	for _, name := range names {
		r.add(name, description)
		r.items[i] = ofTool
	}
}

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
	cell, names := b.cells[at], []string{}
	for _, c := range b.code {
		if name, _ := nameIn(c, true); strings.Contains(cell, c) {
			names = append(names, name)
		}
	}
	name, rest := nameIn(cell, b.leads[at] == cell && cell == strings.ToLower(cell))
	for _, name := range append(names, name) {
		if name == "" {
			continue
		}
		r.add(name, rest)
		for i, c := range b.cells[:min(len(b.cells), len(b.heads))] {
			if i != at && descriptionColumn.MatchString(b.heads[i]) {
				r.describe(c)
			}
		}
	}
}

// A tool is a tool of a README with its parameters.
type tool struct {
	registry.Tool
	properties schema.Object
	required   []string
}

// A parameter is a parameter of a tool, with its JSON Schema.
type parameter struct {
	name     string
	schema   *schema.Object
	required bool
	typed    bool // has a type, or states whether it is required
}

func (t *tool) add(p parameter) {
	if t.properties.Len() < maxParameters && !t.properties.Has(p.name) {
		t.properties.Set(p.name, p.schema)
		if p.required {
			t.required = append(t.required, p.name)
		}
	}
}

// list returns the tools with their known input schemas, as many as fit.
func (r *toolReader) list() (list []registry.Tool) {
	left := maxSchemas
	for _, t := range r.tools[:min(len(r.tools), maxTools)] {
		object := schema.Parameters(&t.properties, t.required)
		object.Set("$comment", "read from the README")
		if b := object.Encode(); t.properties.Len() > 0 && len(b) <= left {
			t.InputSchema, left = b, left-len(b)
		}
		list = append(list, t.Tool)
	}
	return list
}

// parseParameter reads a parameter from a text that begins with its name. Unless the name is
// marked, its type must follow.
func parseParameter(text string, marked bool) (p parameter, ok bool) {
	m := parameterStart.FindStringSubmatch(text)
	if m == nil {
		return p, false
	}
	p = parameter{name: m[1], schema: &schema.Object{}, typed: m[2] != ""}
	rest := text[len(m[0]):]
	for _, form := range []*regexp.Regexp{leadingTags, trailingTags} {
		if t := form.FindStringSubmatch(rest); t != nil && p.setTags(t[1]) {
			rest = strings.Replace(rest, t[0], "", 1)
		}
	}
	if rest = untyped.Short(strings.TrimSpace(rest)); rest != "" {
		p.schema.Set("description", rest)
	}
	return p, marked || p.typed
}

// setTags sets the fields in the parentheses after a name: "string, required". It reports whether
// the parameter has a type or states whether it is required.
func (p *parameter) setTags(s string) bool {
	for tag := range strings.SplitSeq(strings.ToLower(s), ",") {
		word, _, _ := strings.Cut(strings.Trim(tag, " *_`.!"), " ")
		kind, typed := jsonTypes[word]
		if strings.HasSuffix(word, "[]") {
			kind, typed = "array", true
		}
		if kind != "" {
			p.schema.Set("type", kind)
		}
		p.required = p.required || word == "required"
		typed = typed || p.required || word == "optional" || strings.HasPrefix(word, "default")
		p.typed = p.typed || typed
	}
	return p.typed
}
