package readme

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpcensus/crawler/untyped"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/registry"
)

const maxTools = 500

var (
	toolHeading  = vocabulary.Anywhere(rules, "tools/headings.txt")
	weakHeading  = vocabulary.Anywhere(rules, "tools/weak_headings.txt")
	otherHeading = vocabulary.Anywhere(rules, "tools/other_headings.txt")
	partHeading  = vocabulary.Expressions(rules, "tools/part_headings.txt")
	toolLabel    = vocabulary.Expressions(rules, "tools/labels.txt")
	otherList    = vocabulary.Expressions(rules, "tools/other_lists.txt")
	remark       = vocabulary.Prefix(rules, "tools/remarks.txt")

	toolPrefix = regexp.MustCompile(`(?i)^(?:tool|function|command|method)\s*\d*\s*[:.–—-]\s*`)
	// nameLabel precedes a tool's name in code.
	nameLabel = regexp.MustCompile(`(?i)^(?:(?:tool|function|command|method)\s+)?(?:name|id)\s*:$|` +
		`^(?:tool|function|command|method)\s*:$`)
	descriptionLabel = regexp.MustCompile(`(?i)^(?:tool\s+)?(?:description|purpose|summary|does|what it does)` +
		`\s*[:–—-]\s*`)
	toolColumn        = regexp.MustCompile(`^(?:[\w-]+ )?tools?(?: names?)?$`)
	descriptionColumn = regexp.MustCompile(
		`^(?:tool )?(?:description|purpose|summary|function|what(?: it does)?|does)s?$`)
	nameColumn      = regexp.MustCompile(`\btools?\b|\bname\b|\bfunction|\bcommand|\bmethod|\baction|\boperation`)
	parameterColumn = regexp.MustCompile(`\b(?:param|argument|option|variable|env|setting|flag|field|key|` +
		`property|input|client)\b`)
	// typeMark follows the name of a parameter.
	typeMark = regexp.MustCompile(`(?i)^(?:[(\[\x60]+(?:string|str|int|integer|number|float|bool|boolean|` +
		`array|object|list|dict|enum|any|optional|required|default)\b|` +
		`(?:string|integer|boolean|bool|str|required|optional)\b\s*(?:[,:)\]|.(-]|$))`)
	codeSignature = regexp.MustCompile(`^\s*(?:@[^\n]{1,100}\n\s*)*(?:(?:export|public|async|static|pub)\s+)*` +
		`(?:(?:def|function|func|fun|fn)\s+)?([A-Za-z][A-Za-z0-9_-]{1,63})\s*\(`)
)

// addTools collects the tools that the README lists.
func (d *Document) addTools(blocks []block) {
	r := newToolReader(blocks)
	d.Tools = r.read()
	d.ToolHeading, d.ToolEntries = r.announced, len(d.Tools)
	if len(d.Tools) == 0 {
		d.ToolEntries = r.entries
	}
}

// ParseTools returns the tools of a document that is all about a server's
// tools, such as TOOLS.md.
func ParseTools(b []byte) (tools []registry.Tool, err error) {
	defer untyped.Guard(&err)
	blocks := blocksOf(clean(b))
	for i := range blocks {
		if blocks[i].kind == heading {
			blocks[i].level++
		}
	}
	r := newToolReader(blocks)
	r.section = 1 // of a heading above all
	return r.read(), nil
}

// A toolReader collects tools from list items, table rows and headings below a
// heading that announces them.
type toolReader struct {
	blocks []block
	tools  []registry.Tool
	index  map[string]int // of tools, by names in lower case
	isTool []bool         // of blocks: it names a tool

	announced bool // a heading announces tools
	entries   int  // items, rows and headings below such headings
	section   int  // level of the heading of the section of tools, 0 outside
	weak      bool // the section may hold tools, as "Features" does
	skipped   int  // level of the heading of a part about something else, 0 outside
	under     int  // level of the heading that the current tool stands under, 0 outside
	level     int  // of the last heading
	aside     bool // a label has announced something else
	current   int  // index of the tool last added, -1 if there is none in this section
	open      int  // index of the list item of the current tool, -1 if it is not in one
}

func newToolReader(blocks []block) *toolReader {
	return &toolReader{
		blocks: blocks, index: map[string]int{}, isTool: make([]bool, len(blocks)), current: -1, open: -1,
	}
}

func (r *toolReader) read() []registry.Tool {
	for i := range r.blocks {
		r.block(i)
	}
	if len(r.tools) == 0 {
		r.readScattered()
	}
	r.dropShortened()
	addParameters(r.tools, r.blocks)
	return r.tools
}

// add adds the tool that block i names, or the description to one known.
func (r *toolReader) add(i int, name, description string) {
	key := strings.ToLower(name)
	at, known := r.index[key]
	if !known {
		if len(r.tools) >= maxTools {
			return
		}
		at = len(r.tools)
		r.index[key] = at
		r.tools = append(r.tools, registry.Tool{Name: name})
	}
	r.current, r.isTool[i] = at, true
	r.describe(description)
}

// describe sets the description of the current tool unless it has one.
func (r *toolReader) describe(description string) {
	if t := &r.tools[r.current]; t.Description == "" {
		t.Description = untyped.Short(description)
	}
}

func (r *toolReader) undescribed() bool {
	return r.current >= 0 && r.tools[r.current].Description == ""
}

func (r *toolReader) block(i int) {
	b := &r.blocks[i]
	if r.section > 0 && !r.weak && r.isEntry(b) {
		r.entries++
	}
	switch {
	case b.kind == heading:
		r.heading(i)
	case r.skipped > 0:
	case r.section == 0:
		if b.kind == row {
			r.row(i, toolColumn)
		}
	case r.labelled(i):
	case r.under > 0:
		if r.undescribed() {
			r.describeFrom(b)
		}
	case b.kind == paragraph:
		r.paragraph(i)
	case b.kind == code:
		r.signature(i)
	case r.aside:
	case b.kind == item:
		r.item(i)
	case b.kind == row:
		r.row(i, nameColumn)
	}
}

// isEntry reports whether a block may be about one tool.
func (r *toolReader) isEntry(b *block) bool {
	switch b.kind {
	case heading:
		return b.level > r.section
	case item:
		return b.level == 0
	}
	return b.kind == row
}

func (r *toolReader) heading(i int) {
	b := &r.blocks[i]
	r.aside, r.open, r.level = false, -1, b.level
	if r.skipped > 0 && b.level > r.skipped {
		return
	}
	r.skipped = 0
	if b.level <= r.under {
		r.under = 0
	}
	below := r.section > 0 && b.level > r.section
	switch {
	case !below || r.weak && r.under == 0 && announcesTools(b): // "Tools" below "Features"
		r.startSection(i)
	case r.under > 0: // a part of the tool's description
	default:
		r.subheading(i)
	}
}

// announcesTools reports whether a heading is over tools and does not name one.
func announcesTools(b *block) bool {
	t := headingText(b)
	name, _ := headingTool(b)
	return name == "" && toolHeading.MatchString(t) && !otherHeading.MatchString(t)
}

// startSection begins a section if the heading announces tools.
func (r *toolReader) startSection(i int) {
	b := &r.blocks[i]
	r.section, r.weak, r.under, r.current = 0, false, 0, -1
	t := headingText(b)
	title := b.level == 1 && i < 3 && len(r.blocks) > 3
	if title || otherHeading.MatchString(t) {
		return
	}
	if toolHeading.MatchString(t) {
		r.section, r.announced = b.level, true
		if name := bareName(b.firstCode()); len(b.code) == 1 && isIdentifier(name) {
			r.add(i, name, "") // "The `get_tide` tool"
			r.under = b.level
		}
	} else if weakHeading.MatchString(t) {
		r.section, r.weak = b.level, true
	}
}

// subheading reads a heading inside a section of tools.
func (r *toolReader) subheading(i int) {
	b := &r.blocks[i]
	if name, description := headingTool(b); name != "" {
		r.add(i, name, description)
		r.under = b.level
		return
	}
	if b.level < folded && partHeading.MatchString(headingText(b)) {
		r.skipped = b.level
	}
}

// headingText returns a heading without numbers, pictures and "Tool:".
func headingText(b *block) string {
	s := strings.TrimLeftFunc(b.text, func(r rune) bool { return !unicode.IsLetter(r) && r != '_' })
	return strings.TrimSpace(toolPrefix.ReplaceAllString(s, ""))
}

// headingTool returns the tool that a heading names: "`search`", "Web search
// (`web_search`)" and "get_tide(harbour) - when the water is high".
func headingTool(b *block) (name, description string) {
	t := headingText(b)
	if name = bareName(b.firstCode()); name != "" {
		if b.lead == b.code[0] && isToolName(name) {
			return name, b.rest
		}
		if strings.HasPrefix(t, name) && isToolName(name) {
			return name, ""
		}
		if isIdentifier(name) {
			return name, ""
		}
	}
	name, description = signatureName(t)
	if isIdentifier(name) && !isWord(name) && (description == "" || name == strings.ToLower(name)) {
		return name, description
	}
	return "", ""
}

// labelled adds the tool of a text such as "Name: `get_tide`". What follows up
// to the next heading is about it.
func (r *toolReader) labelled(i int) bool {
	name, description := labelledTool(&r.blocks[i])
	if name == "" {
		return false
	}
	r.add(i, name, description)
	r.under = max(r.section, r.level)
	return true
}

func labelledTool(b *block) (name, description string) {
	if b.kind != item && b.kind != paragraph || len(b.code) == 0 {
		return "", ""
	}
	label, description, _ := strings.Cut(b.text, b.code[0])
	if name = bareName(b.code[0]); !nameLabel.MatchString(strings.TrimSpace(label)) || !isToolName(name) {
		return "", ""
	}
	return name, strings.TrimLeft(description, " :-–—")
}

func (r *toolReader) paragraph(i int) {
	b := &r.blocks[i]
	if b.outer < 0 {
		r.aside = toolLabel.MatchString(b.text) && !toolHeading.MatchString(b.text) ||
			!r.weak && otherList.MatchString(b.text)
	} else if r.isTool[b.outer] && r.undescribed() && !r.aside {
		r.describe(b.text)
	}
}

// signature reads the code block of a heading such as "Search tool" over the
// function's signature.
func (r *toolReader) signature(i int) {
	b := &r.blocks[i]
	if i == 0 || r.blocks[i-1].kind != heading || r.level <= r.section || strings.Count(b.text, "\n") > 6 {
		return
	}
	if m := codeSignature.FindStringSubmatch(b.text); m != nil && isToolName(m[1]) {
		r.add(i, m[1], "")
		r.under = r.level
	}
}

func (r *toolReader) item(i int) {
	b := &r.blocks[i]
	for o := b.outer; o >= 0; o = r.blocks[o].outer {
		if !r.isTool[o] {
			continue
		}
		if b.outer == r.open && r.undescribed() {
			r.describeFrom(b)
		}
		return
	}
	name, description := itemTool(b, r.weak)
	if name == "" && !r.weak && b.lead == "" {
		name, description = r.plainTool(i)
	}
	if name == "" {
		return
	}
	r.add(i, name, description)
	for _, other := range otherNames(b, name) {
		description = strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(description, " /,&"), other), " :-–—")
		r.tools[r.current].Description = untyped.Short(description)
		r.add(i, other, description)
	}
	r.open = i
}

// plainTool returns the tool of an item such as "search: finds notes" in a list
// whose other items begin with names that can be nothing else. Without such
// neighbours the word may be any.
func (r *toolReader) plainTool(i int) (name, description string) {
	name, description = signatureName(r.blocks[i].text)
	if description == "" || name != strings.ToLower(name) || !isToolName(name) {
		return "", ""
	}
	items, named := 0, 0
	for _, step := range []int{-1, 1} {
		for j := i + step; j >= 0 && j < len(r.blocks); j += step {
			b := &r.blocks[j]
			if b.kind != item || b.level < r.blocks[i].level {
				break
			}
			if b.level > r.blocks[i].level {
				continue
			}
			items++
			if n, _ := itemTool(b, false); n != "" && b.lead == "" {
				named++
			}
		}
	}
	if named < 2 || named*2 < items {
		return "", ""
	}
	return name, description
}

// otherNames returns the names in code that follow the first one in an item such
// as "`get_tide` / `set_tide`: reads and writes".
func otherNames(b *block, first string) (names []string) {
	rest := b.rest
	for _, c := range b.code[min(len(b.code), 1):] {
		rest = strings.TrimLeft(rest, " /,&")
		name := codeTool(c)
		if name == "" || name == first || !strings.HasPrefix(rest, c) || !listsNames(b.text, c) {
			return names
		}
		names = append(names, name)
		rest = rest[len(c):]
	}
	return names
}

// listsNames reports whether a mark of enumeration stands before a code span.
func listsNames(text, code string) bool {
	before, _, _ := strings.Cut(text, code)
	return strings.ContainsAny(lastRune(strings.TrimSpace(before)), "/,&")
}

// lastRune returns the last character of a text, "" if it is empty.
func lastRune(s string) string {
	_, n := utf8.DecodeLastRuneInString(s)
	return s[len(s)-n:]
}

// itemTool returns the tool that a list item names. In a list of features only
// those count that can be nothing but a name.
func itemTool(b *block, strict bool) (name, description string) {
	if typeMark.MatchString(b.rest) {
		return "", "" // a parameter
	}
	if b.lead == "" {
		name, description = signatureName(b.text)
		if isIdentifier(name) && strings.ContainsAny(name, "_-") && !isWord(name) {
			return name, description
		}
		return "", ""
	}
	name = bareName(b.lead)
	coded := bareName(b.firstCode())
	if name != coded && isIdentifier(coded) && strings.Index(b.text, b.code[0]) < len(b.lead)+4 {
		return coded, b.rest // "**Search** (`web_search`): finds pages"
	}
	if !isLeadTool(name, name == coded, strict) {
		return "", ""
	}
	return name, b.rest
}

// isLeadTool reports whether the lead of an item is the name of a tool.
func isLeadTool(name string, coded, strict bool) bool {
	lower := name == strings.ToLower(name)
	switch {
	case strict:
		return isIdentifier(name) && (coded && lower || strings.Contains(name, "_"))
	case coded || lower:
		return isToolName(name)
	}
	return isIdentifier(name) && !isWord(name)
}

// row adds the tools in the first column whose head matches.
func (r *toolReader) row(i int, head *regexp.Regexp) {
	b := &r.blocks[i]
	at := slices.IndexFunc(b.heads, head.MatchString)
	if at < 0 && r.section > 0 && (len(b.heads) == 0 || !parameterColumn.MatchString(b.heads[0])) {
		at = 0
	}
	if at < 0 || at >= len(b.cells) {
		return
	}
	var names []string
	for _, c := range b.code {
		name := codeTool(c)
		if name != "" && strings.Contains(b.cells[at], c) && (!r.weak || strings.Contains(name, "_")) {
			names = append(names, name)
		}
	}
	if len(names) > 1 {
		for _, name := range names {
			r.add(i, name, "")
		}
		return
	}
	if name := cellTool(b, at, r.weak); name != "" {
		r.add(i, name, descriptionCell(b, at))
	}
}

// cellTool returns the tool that a cell names. Capitalised words are products.
func cellTool(b *block, at int, strict bool) string {
	name := bareName(cmp.Or(b.leads[at], b.cells[at]))
	lower := name == strings.ToLower(name)
	var ok bool
	switch {
	case strict:
		ok = isToolName(name) && strings.Contains(name, "_")
	case slices.Contains(b.code, b.leads[at]) || lower && b.leads[at] != "":
		ok = isToolName(name)
	default:
		ok = lower && isIdentifier(name)
	}
	if !ok {
		return ""
	}
	return name
}

// descriptionCell returns the cell of a row below a head that says it describes
// the tool, or else the longest but that of the tool.
func descriptionCell(b *block, except int) string {
	longest := ""
	for i, head := range b.heads {
		if i != except && i < len(b.cells) && b.cells[i] != "" && descriptionColumn.MatchString(head) {
			return b.cells[i]
		}
	}
	for i, c := range b.cells {
		if i != except && len(c) > len(longest) {
			longest = c
		}
	}
	return longest
}

// describeFrom takes a block below the current tool for its description, unless
// it is about parameters and the like.
func (r *toolReader) describeFrom(b *block) {
	if b.kind != paragraph && b.kind != item || remark.MatchString(b.text) || typeMark.MatchString(b.rest) {
		return
	}
	text := b.text[len(descriptionLabel.FindString(b.text)):]
	r.describe(strings.TrimSuffix(text, ":"))
}

// dropShortened drops names that are those of other tools without the prefix
// that most have: prose says "scrape" for "acme_scrape".
func (r *toolReader) dropShortened() {
	count, names := map[string]int{}, map[string]bool{}
	for _, t := range r.tools {
		names[t.Name] = true
		if i := strings.IndexAny(t.Name, "_-"); i > 1 {
			count[t.Name[:i+1]]++
		}
	}
	for prefix, n := range count {
		if n >= 3 && n*2 >= len(r.tools) {
			r.tools = slices.DeleteFunc(r.tools, func(t registry.Tool) bool { return names[prefix+t.Name] })
			return
		}
	}
}
