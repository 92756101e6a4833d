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

	parameterStart = regexp.MustCompile(`^([A-Za-z_$][\w$-]{0,63})\b(\?)?[\s:=–—-]*`)
	leadingTags    = regexp.MustCompile(`^\(([^()]*)\)[\s:–—-]*`)
	trailingTags   = regexp.MustCompile(`\s*\(([^()]{1,80})\)\.?$`)
)

// A tool is one of a README with its parameters.
type tool struct {
	registry.Tool
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

func (t *tool) add(p parameter) {
	if t.properties.Len() < maxParameters && !t.properties.Has(p.name) {
		t.properties.Set(p.name, p.schema)
		if p.required {
			t.required = append(t.required, p.name)
		}
	}
}

// list returns the tools with the input schemas that are known and short enough.
func (r *toolReader) list() (list []registry.Tool) {
	left := maxSchemas
	for _, t := range r.tools {
		object := schema.Parameters(&t.properties, t.required)
		object.Set("$comment", "read from the README")
		if b := object.Encode(); t.properties.Len() > 0 && len(b) <= min(maxSchema, left) {
			t.InputSchema, left = b, left-len(b)
		}
		list = append(list, t.Tool)
	}
	return list
}

// addRow adds the parameter of a row with its name, type and description.
func (t *tool) addRow(b *block) {
	at := slices.IndexFunc(b.heads, func(h string) bool { return h == "name" || parameterColumn.MatchString(h) })
	if at < 0 || at >= len(b.cells) {
		return
	}
	tags := b.cell(typeColumn)
	if yesCell.MatchString(b.cell(requiredColumn)) {
		tags += ",required"
	}
	if p, ok := parseParameter(b.cells[at]+" ("+tags+"): "+b.cell(descriptionColumn), true); ok {
		t.add(p)
	}
}

// parseParameter reads a parameter from a text that begins with its name. Unless
// the name is marked, its type must follow.
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
