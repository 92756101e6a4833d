package readme

import (
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/source/schema"
	"mcpcensus/crawler/untyped"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/registry"
)

const (
	maxParameters = 40      // of a tool
	maxSchema     = 8 << 10 // bytes of one tool's schema
	maxSchemas    = 200 << 10
)

var (
	jsonTypes       = vocabulary.Pairs(rules, "tools/types.txt")
	parameterLabel  = vocabulary.Expressions(rules, "tools/parameter_labels.txt")
	parameterColumn = regexp.MustCompile(`^(?:param|arg|option|variable|env|setting|flag|field|key|property|input)`)
	requiredColumn  = regexp.MustCompile(`^required`)
	typeColumn      = regexp.MustCompile(`^type`)

	parameterStart = regexp.MustCompile(`^([A-Za-z_$][\w$-]{0,63})(\?)?\s*(?:([(:=–—-])|$|\s)`)
	leadingTags    = regexp.MustCompile(`^\(([^()]*)\)\s*[:–—-]*`)
	trailingTags   = regexp.MustCompile(`\s*\(([^()]{1,80})\)\.?$`)
	annotation     = regexp.MustCompile(`(?i)^(?:title|read-?only|destructive|idempotent|open world)$`)
)

// parameters are what a README says of a tool's parameters.
type parameters struct {
	properties schema.Object
	required   []string
}

// A parameter is one of a tool, with its JSON Schema.
type parameter struct {
	name     string
	schema   *schema.Object
	required bool
	typed    bool // it has a type, or says whether it is required
}

func (l *parameters) add(p parameter) {
	if l.properties.Len() < maxParameters && !l.properties.Has(p.name) {
		l.properties.Set(p.name, p.schema)
		if p.required {
			l.required = append(l.required, p.name)
		}
	}
}

// setSchemas sets the input schemas of tools whose parameters are known and
// short enough.
func setSchemas(tools []registry.Tool, list []parameters) {
	left := maxSchemas
	for i := range tools {
		object := schema.Parameters(&list[i].properties, list[i].required)
		object.Set("$comment", "read from the README")
		if b := object.Encode(); list[i].properties.Len() > 0 && len(b) <= min(maxSchema, left) {
			tools[i].InputSchema, left = b, left-len(b)
		}
	}
}

// labelOf returns what a text such as "Parameters:" announces, and what follows
// the label.
func labelOf(text string) (l label, rest string) {
	head, rest, found := strings.Cut(text, ":")
	head, _, _ = strings.Cut(head, " (")
	head = strings.Trim(head, "*_ ")
	switch {
	case strings.Count(head, " ") > 4:
	case parameterLabel.MatchString(head):
		return ofParameters, rest
	case descriptionLabel.MatchString(head) && found:
		return ofTool, rest
	case otherLabel.MatchString(head), annotation.MatchString(head) && found:
		return ofOther, rest
	}
	return noLabel, ""
}

// detail reads a block that is about the current tool.
func (r *toolReader) detail(i int, l label) {
	b, list := &r.blocks[i], &r.schemas[r.current]
	switch {
	case l == ofOther && b.kind != paragraph:
		return
	case b.kind == row:
		list.addRow(b)
		return
	case b.kind == item:
		marked := b.leadsWithCode() || l == ofParameters && b.lead != ""
		if p, ok := parseParameter(b.text, marked); ok && (marked || p.typed || l == ofParameters) {
			list.add(p)
			r.items[i] = ofOther
			return
		}
	}
	own, rest := labelOf(b.text)
	switch {
	case own == ofTool && !b.leadsWithCode():
		r.describe(rest)
	case own != noLabel && b.kind == item:
		r.items[i] = own
	case own != noLabel:
		r.label = own
	case l == noLabel:
		r.describe(b.text)
	}
}

// addRow adds the parameter of a row with its name, type and description.
func (l *parameters) addRow(b *block) {
	at := slices.IndexFunc(b.heads, func(h string) bool { return h == "name" || parameterColumn.MatchString(h) })
	if at < 0 || at >= len(b.cells) {
		return
	}
	tags := b.cell(typeColumn)
	if yesCell.MatchString(b.cell(requiredColumn)) {
		tags += ",required"
	}
	if p, ok := parseParameter(b.cells[at]+" ("+tags+"): "+b.cell(descriptionColumn), true); ok {
		l.add(p)
	}
}

// parseParameter reads a parameter from a text that begins with its name. Unless
// the name is marked a sign must follow it.
func parseParameter(text string, marked bool) (p parameter, ok bool) {
	m := parameterStart.FindStringSubmatch(text)
	if m == nil || !marked && (m[3] == "" && m[0] != text || m[1][0] < 'a') {
		return p, false
	}
	p = parameter{name: m[1], schema: &schema.Object{}}
	rest := strings.TrimLeft(text[len(m[1]+m[2]):], " :=–—-")
	for _, form := range []*regexp.Regexp{leadingTags, trailingTags} {
		if t := form.FindStringSubmatch(rest); t != nil && p.setTags(t[1]) {
			rest = strings.TrimSpace(strings.Replace(rest, t[0], "", 1))
		}
	}
	p.required, p.typed = p.required && m[2] == "", p.typed || m[2] != ""
	if rest = untyped.Short(rest); rest != "" {
		p.schema.Set("description", rest)
	}
	return p, true
}

// setTags sets the fields in the parentheses after a name: "string, required". It
// reports whether anything in them is known.
func (p *parameter) setTags(s string) (known bool) {
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
		known = known || typed || p.required || word == "optional" || strings.HasPrefix(word, "default")
	}
	p.typed = p.typed || known
	return known
}
