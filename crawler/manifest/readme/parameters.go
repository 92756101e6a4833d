package readme

import (
	"encoding/json"
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
	leadingTags    = regexp.MustCompile(`^[(\[]([^()]*(?:\([^()]*\)[^()]*)*)[)\]]\s*|^\W?([A-Za-z]+)\W?\s*(?:$|[,;|–—-]\s*|\b$)`)
	trailingTags   = regexp.MustCompile(`\s*\(([^()]{1,80})\)\.?$`)
	defaultTag     = regexp.MustCompile(`(?i)\bdefaults?(?: (?:is|to))?\s*[:=]?\s*["'\x60]?([^"'\x60,;()\s]{1,80})`)
	arrayType      = regexp.MustCompile(`^(?:array|list)(?: of |<|\[)([a-z]+?)s?[>\]]?$|^([a-z]+)\[\]$`)
	noParameters   = regexp.MustCompile(`(?i)^\W*(?:none|nothing|n/a|(?:takes )?no (?:parameters|arguments|inputs?)(?: required| needed)?)?\W*$`)
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
	case otherLabel.MatchString(head):
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
		p, ok := parseParameter(b.text, b.leadsWithCode() || b.lead != "" && l == ofParameters, l == ofParameters)
		if ok && (p.typed || l == ofParameters || b.leadsWithCode()) {
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
		if b.kind == item {
			r.items[i] = own
		} else if b.outer >= 0 {
			r.items[b.outer] = own
		} else {
			r.label = own
		}
	case l == ofParameters && noParameters.MatchString(b.text):
		list.known = true
	case l == noLabel:
		r.describe(b.text)
	}
}

// addLine adds the parameters of "`path` (string), `depth` (number)", or that
// there are none. Sentences add nothing.
func (l *parameters) addLine(s string, codes []string) {
	if strings.TrimSpace(s) == "" {
		return
	}
	if noParameters.MatchString(s) {
		l.known = true
		return
	}
	depth := 0
	for part := range strings.FieldsFuncSeq(s, func(c rune) bool {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
		return depth == 0 && (c == ',' || c == ';')
	}) {
		part = strings.TrimSpace(part)
		coded := slices.ContainsFunc(codes, func(c string) bool { return strings.HasPrefix(part, c) })
		p, ok := parseParameter(part, coded, true)
		if !ok || !coded && !p.typed {
			return
		}
		l.add(p)
	}
}

// addCells adds the parameters that cells of a tool's row list.
func (l *parameters) addCells(b *block) {
	for i, c := range b.cells {
		if i < len(b.heads) && parameterHead.MatchString(b.heads[i]) && c != "" {
			l.addLine(c, b.code)
		}
	}
}

// addRow adds the parameter of a row with its name, type and description.
func (l *parameters) addRow(b *block) {
	at := slices.IndexFunc(b.heads, func(h string) bool { return h == "name" || parameterColumn.MatchString(h) })
	if at < 0 || at >= len(b.cells) {
		return
	}
	p, ok := parseParameter(b.cells[at], true, true)
	if !ok {
		return
	}
	for i, head := range b.heads[:min(len(b.heads), len(b.cells))] {
		switch c := strings.Trim(b.cells[i], "\x60 "); {
		case i == at:
		case head == "type":
			p.setTags(c)
		case head == "required":
			c = strings.ToLower(c)
			p.required = strings.HasPrefix(c, "y") || c == "true" || c == "required" || strings.ContainsAny(c, "✓✅✔")
		case strings.HasPrefix(head, "default"):
			p.setTags("default: " + c)
		case descriptionColumn.MatchString(head):
			p.describe(c)
		}
	}
	l.add(p)
}

// parseParameter reads a parameter from a text that begins with its name. Unless
// the name is marked a sign must follow it.
func parseParameter(text string, marked, labelled bool) (p parameter, ok bool) {
	m := parameterStart.FindStringSubmatch(text)
	if m == nil || !marked && m[3] == "" && m[0] != text || !marked && m[1] != strings.ToLower(m[1][:1])+m[1][1:] {
		return p, false
	}
	p = parameter{name: m[1], schema: &schema.Object{}}
	rest := strings.TrimLeft(text[len(m[1]+m[2]):], " :=–—-")
	for t := leadingTags.FindStringSubmatch(rest); t != nil; t = leadingTags.FindStringSubmatch(rest) {
		word := labelled && marked && t[1] != "" && !strings.Contains(t[1], " ")
		if !p.setTags(t[1]+t[2]) && !word {
			break
		}
		rest = strings.TrimLeft(rest[len(t[0]):], " :–—-,")
	}
	if t := trailingTags.FindStringSubmatch(rest); t != nil && p.setTags(t[1]) {
		rest = strings.TrimSuffix(rest, t[0])
	}
	p.required, p.typed = p.required && m[2] == "", p.typed || m[2] != ""
	p.describe(rest)
	return p, p.typed || labelled || marked
}

func (p *parameter) describe(s string) {
	if s = untyped.Short(strings.TrimSpace(s)); s != "" {
		p.schema.Set("description", s)
	}
}

// setTags sets what stands in parentheses after a name: "string, required",
// "optional number, default: 3". It reports whether anything in them is known.
func (p *parameter) setTags(s string) (known bool) {
	for tag := range strings.FieldsFuncSeq(strings.ToLower(s), func(c rune) bool { return c == ',' || c == ';' || c == '|' }) {
		tag = strings.Trim(tag, " *_\x60.")
		for _, word := range []string{"required", "optional"} {
			if strings.HasPrefix(tag, word) || strings.HasSuffix(tag, word) {
				p.required, known = word == "required" && !strings.HasPrefix(tag, "not "), true
				tag = strings.Trim(strings.Replace(tag, word, "", 1), " *_:")
			}
		}
		m := arrayType.FindStringSubmatch(tag)
		kind, ok := jsonTypes[tag]
		switch {
		case m != nil && jsonTypes[m[1]+m[2]] != "":
			p.schema.Set("type", "array")
			p.schema.Set("items", schema.New("type", jsonTypes[m[1]+m[2]]))
			known = true
		case ok:
			known = true
			if kind != "" {
				p.schema.Set("type", kind)
			}
		}
	}
	if m := defaultTag.FindStringSubmatch(s); m != nil {
		p.setDefault(m[1])
		known = true
	}
	p.typed = p.typed || known
	return known
}

// setDefault sets a default that fits the type.
func (p *parameter) setDefault(s string) {
	var v any = json.RawMessage(s)
	kind := p.schema.Text("type")
	switch {
	case kind == "string":
		v = s
	case !json.Valid([]byte(s)):
		return
	case kind == "boolean" && s != "true" && s != "false", (kind == "integer" || kind == "number") && strings.Trim(s, "-0123456789.eE") != "", kind == "":
		return
	}
	p.schema.Set("default", v)
}
