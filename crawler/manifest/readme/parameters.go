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
	parameterHead   = regexp.MustCompile(`^(?:[\w-]+ )?(?:parameters|params|arguments|args|inputs?)$`)

	parameterStart = regexp.MustCompile(`^([A-Za-z_$][\w$-]{0,63})(\?)?\s*(?:([(\[:=–—-])|$|\s)`)
	leadingTags    = regexp.MustCompile(`^[(\[]([^()]*(?:\([^()]*\)[^()]*)*)[)\]]\s*|` +
		`^\W?([A-Za-z]+)\W?\s*(?:$|[,;|–—-]\s*|\b$)`)
	trailingTags = regexp.MustCompile(`\s*\(([^()]{1,80})\)\.?$`)
	yes          = regexp.MustCompile(`(?i)^(?:y|true|required|✓|✅|✔)`)
	annotation   = regexp.MustCompile(`(?i)^(?:title|read-?only|destructive|idempotent|open world)$`)
	noParameters = regexp.MustCompile(`(?i)^\W*(?:none|nothing|n/a|` +
		`(?:takes )?no (?:parameters|arguments|inputs?)(?: required| needed)?)?\W*$`)
)

// parameters are what a README says of a tool's parameters. Unknown ones and
// none at all differ.
type parameters struct {
	properties schema.Object
	required   []string
	known      bool
}

// A parameter is one of a tool, with its JSON Schema.
type parameter struct {
	name     string
	schema   *schema.Object
	required bool
	typed    bool // it has a type, or says whether it is required
}

func (l *parameters) add(p parameter) {
	l.known = true
	if l.properties.Len() < maxParameters && !l.properties.Has(p.name) {
		l.properties.Set(p.name, p.schema)
		if p.required {
			l.required = append(l.required, p.name)
		}
	}
}

// setSchemas sets the input schemas of tools that are known and short enough.
func setSchemas(tools []registry.Tool, list []parameters) {
	left := maxSchemas
	for i := range tools {
		object := schema.Parameters(&list[i].properties, list[i].required)
		object.Set("$comment", "read from the README")
		if b := object.Encode(); list[i].known && len(b) <= min(maxSchema, left) {
			tools[i].InputSchema, left = b, left-len(b)
		}
	}
}

// labelOf returns what a text such as "Parameters: `path` (string)" announces,
// and what follows the label.
func labelOf(text string) (l label, rest string) {
	head, rest, found := strings.Cut(text, ":")
	head, _, _ = strings.Cut(head, " (")
	head = strings.Trim(head, "*_ ")
	if len(strings.Fields(head)) > 5 {
		return noLabel, ""
	}
	switch {
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
	case l == ofParameter, b.kind == code, b.kind == row && l == ofOther:
		return
	case b.kind == row:
		list.addRow(b)
		return
	case b.kind == item && l != ofOther:
		labelled, coded := l == ofParameters, b.leadsWithCode()
		if p, ok := parseParameter(b.text, coded || labelled && b.lead != "", labelled); ok {
			list.add(p)
			r.items[i] = ofParameter
			return
		}
	}
	own, rest := labelOf(b.text)
	switch {
	case own == ofTool && !b.leadsWithCode():
		r.describe(rest)
	case own == ofParameters:
		list.addLine(rest, b.code)
		fallthrough
	case own == ofOther:
		r.setLabel(i, own)
	case l == ofParameters && noParameters.MatchString(b.text):
		list.known = true
	case l == noLabel:
		r.describe(b.text)
	}
}

// setLabel sets what is inside a list item, or below a paragraph.
func (r *toolReader) setLabel(i int, l label) {
	switch b := &r.blocks[i]; {
	case b.kind == item:
		r.items[i] = l
	case b.outer >= 0:
		r.items[b.outer] = l
	default:
		r.label = l
	}
}

// addLine adds the parameters of "`path` (string), `depth` (number)", or that
// there are none.
func (l *parameters) addLine(s string, codes []string) {
	l.known = l.known || s != "" && noParameters.MatchString(s)
	for _, c := range codes {
		before, after, found := strings.Cut(s, c)
		if !found || strings.Trim(before, " ,&;") != "" {
			continue
		}
		end := len(after)
		for _, next := range codes {
			if i := strings.Index(after, next); i >= 0 {
				end = min(end, i)
			}
		}
		if p, ok := parseParameter(c+strings.TrimRight(after[:end], " ,&;."), true, true); ok {
			l.add(p)
		}
		s = after[end:]
	}
}

// addRow adds the parameter of a row with its name, type and description.
func (l *parameters) addRow(b *block) {
	at := slices.IndexFunc(b.heads, func(h string) bool { return h == "name" || parameterColumn.MatchString(h) })
	if at < 0 || at >= len(b.cells) {
		return
	}
	tags, description := "", ""
	for i, head := range b.heads[:min(len(b.heads), len(b.cells))] {
		switch c := b.cells[i]; {
		case i == at:
		case head == "type":
			tags += c + ","
		case head == "required" && yes.MatchString(c):
			tags += "required,"
		case descriptionColumn.MatchString(head):
			description = c
		}
	}
	if p, ok := parseParameter(b.cells[at]+" ("+tags+"): "+description, true, true); ok {
		l.add(p)
	}
}

// parseParameter reads a parameter from a text that begins with its name. Unless
// the name is marked a sign must follow it.
func parseParameter(text string, marked, labelled bool) (p parameter, ok bool) {
	m := parameterStart.FindStringSubmatch(text)
	if m == nil || !marked && (m[3] == "" && m[0] != text || m[1][0] < 'a') {
		return p, false
	}
	p = parameter{name: m[1], schema: &schema.Object{}}
	rest := strings.TrimLeft(text[len(m[1]+m[2]):], " :=–—-")
	for t := leadingTags.FindStringSubmatch(rest); t != nil; t = leadingTags.FindStringSubmatch(rest) {
		if !p.setTags(t[1] + t[2]) {
			break
		}
		rest = strings.TrimLeft(rest[len(t[0]):], " :–—-,")
	}
	if t := trailingTags.FindStringSubmatch(rest); t != nil && p.setTags(t[1]) {
		rest = strings.TrimSuffix(rest, t[0])
	}
	p.required, p.typed = p.required && m[2] == "", p.typed || m[2] != ""
	if rest = untyped.Short(strings.TrimSpace(rest)); rest != "" {
		p.schema.Set("description", rest)
	}
	return p, p.typed || labelled || marked
}

// setTags sets the fields in the parentheses after a name: "string, required". It
// reports whether anything in them is known.
func (p *parameter) setTags(s string) (known bool) {
	for tag := range strings.SplitSeq(strings.ToLower(s), ",") {
		words := strings.Fields(strings.Trim(tag, " *_`.!"))
		for _, word := range words[:min(len(words), 2)] {
			kind, typed := jsonTypes[word]
			if of, list := strings.CutSuffix(word, "[]"); list && jsonTypes[of] != "" {
				kind, typed = "array", true
			}
			if !typed && word != "required" && word != "optional" && !strings.HasPrefix(word, "default") {
				break
			}
			if kind != "" {
				p.schema.Set("type", kind)
			}
			p.required, known = p.required || word == "required", true
		}
	}
	p.typed = p.typed || known
	return known
}
