package readme

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/crawler/vocabulary"
)

const (
	maxParameters  = 40      // of a tool
	maxDescription = 300     // bytes of a parameter's description
	maxSchema      = 8 << 10 // bytes of one tool's schema
	maxSchemas     = 200 << 10
	maxDefault     = 80 // bytes
)

// A parameter is one of a tool, as a README describes it.
type parameter struct {
	name     string
	required bool
	property
}

// A property is the JSON Schema of a parameter. Unknown members are zero.
type property struct {
	Type        string          `json:"type,omitempty"`
	Items       *property       `json:"items,omitempty"`
	Description string          `json:"description,omitempty"`
	Default     json.RawMessage `json:"default,omitempty"`
}

// A parameterList is what a README says of a tool's parameters. Unknown ones
// and none at all differ.
type parameterList struct {
	all   []parameter
	known bool
}

func (l *parameterList) add(list ...parameter) {
	l.known = true
	for _, p := range list {
		same := func(o parameter) bool { return o.name == p.name }
		if len(l.all) < maxParameters && !slices.ContainsFunc(l.all, same) {
			l.all = append(l.all, p)
		}
	}
}

var (
	jsonTypes = vocabulary.Pairs(rules, "parameters/types.txt")

	parameterName  = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$-]{0,63}$`)
	parameterStart = regexp.MustCompile(`^([A-Za-z_$][A-Za-z0-9_$-]{0,63}\??)\s*(?:$|[(:\[,–—=-]|\s)`)
	// tags are what stands in parentheses, and what follows them.
	tags        = regexp.MustCompile(`^[(\[]((?:[^()\[\]]|\[\]|\([^()]{0,80}\)|\[[^\[\]]{0,80}\])+)[)\]]\s*(.*)$`)
	defaultTag  = regexp.MustCompile(`(?i)^defaults?(?: (?:is|to|value))?\s*[:=]?\s*(.{1,80})$`)
	defaultText = regexp.MustCompile(`(?i)\(defaults?(?: (?:is|to))?\s*[:=]?\s*([^()]{1,60})\)`)
	arrayType   = regexp.MustCompile(`^(?:(?:array|list)\s*(?:of\s+|<|\[)\s*([a-z0-9]+?)s?[>\]]?|([a-z0-9]+)\[\])$`)
)

// setType sets a type as people write it. It reports whether it is one.
func (p *parameter) setType(s string) bool {
	s = strings.ToLower(strings.Trim(s, " `*."))
	if m := arrayType.FindStringSubmatch(s); m != nil && jsonTypes[m[1]+m[2]] != "" {
		p.Type, p.Items = "array", &property{Type: jsonTypes[m[1]+m[2]]}
		return true
	}
	kind, ok := jsonTypes[s]
	if ok {
		p.Type = kind
	}
	return ok
}

// setTags sets what stands in parentheses after a name: "string, required". It
// reports whether anything in them is known.
func (p *parameter) setTags(s string) (known bool) {
	separator := func(r rune) bool { return r == ',' || r == ';' }
	for tag := range strings.FieldsFuncSeq(s, separator) {
		known = p.setTag(strings.Trim(tag, "*_` ")) || known
	}
	return known
}

func (p *parameter) setTag(tag string) bool {
	word := strings.ToLower(tag)
	word = strings.TrimSuffix(strings.TrimPrefix(word, "is "), "!")
	switch {
	case word == "required" || word == "mandatory":
		p.required = true
	case word == "optional" || word == "not required":
		p.required = false
	case strings.HasPrefix(word, "default"):
		if m := defaultTag.FindStringSubmatch(tag); m != nil {
			p.setDefault(m[1])
		}
	case p.setType(tag):
	default:
		return p.setQualifiedType(word)
	}
	return true
}

// setQualifiedType sets "optional string" and "number required".
func (p *parameter) setQualifiedType(s string) bool {
	a, b, _ := strings.Cut(s, " ")
	for _, w := range [][2]string{{a, b}, {b, a}} {
		if (w[0] == "required" || w[0] == "optional") && p.setType(w[1]) {
			p.required = w[0] == "required"
			return true
		}
	}
	return false
}

// setDefault sets a default that fits the type.
func (p *parameter) setDefault(s string) {
	s = strings.TrimRight(strings.Trim(strings.TrimSpace(s), "`*"), ".")
	s = strings.Trim(s, "\"'`")
	if s == "" || len(s) > maxDefault {
		return
	}
	switch p.Type {
	case "string":
		if len(strings.Fields(s)) <= 4 {
			p.Default, _ = json.Marshal(s)
		}
	case "integer", "number":
		if _, err := strconv.ParseFloat(s, 64); err == nil && json.Valid([]byte(s)) {
			p.Default = []byte(s)
		}
	case "boolean":
		if s = strings.ToLower(s); s == "true" || s == "false" {
			p.Default = []byte(s)
		}
	}
}

// parseParameter reads a parameter from a text that begins with its name.
// Unless the text stands below a label it must have a type, or say whether the
// parameter is required.
func parseParameter(text, lead string, code []string, labelled bool) (p parameter, ok bool) {
	text = strings.TrimSpace(text)
	coded := len(code) > 0 && strings.HasPrefix(text, code[0])
	if coded && !strings.HasPrefix(lead, code[0]) {
		lead = code[0]
	}
	name, rest := cutName(text, lead)
	p.name = strings.TrimSuffix(name, "?")
	if !parameterName.MatchString(p.name) || !coded && !isPlainName(p.name) {
		return p, false
	}
	rest, typed := p.cutTags(rest, labelled && coded)
	typed = typed || p.name != name
	p.Description = strings.TrimLeft(rest, ":–—- ")
	loose := p.Description == rest && rest != "" // no sign separates the name
	if !typed && (!labelled || loose) {
		return p, false
	}
	if m := defaultText.FindStringSubmatch(rest); m != nil && p.Default == nil {
		p.setDefault(m[1])
	}
	p.required = p.required && p.name == name
	return p, true
}

// cutTags sets the tags that a text begins with, and returns what follows them.
// If anyType is set a single word may be a type of the server's own.
func (p *parameter) cutTags(s string, anyType bool) (rest string, found bool) {
	for range 3 {
		m := tags.FindStringSubmatch(s)
		if m == nil || !p.setTags(m[1]) && !(anyType && plainWord.MatchString(m[1])) {
			break
		}
		s, found = m[2], true
	}
	return s, found
}

// isPlainName reports whether a name that is not in code is one of a parameter.
func isPlainName(s string) bool {
	lower := strings.ToLower(s[:1]) == s[:1]
	return lower && !otherLabel.MatchString(s) && !parameterLabel.MatchString(s)
}

// cutName cuts a parameter's name, with a "?" if it has one, off a text that
// may begin with a lead: "`query: string`", "**query (string)**".
func cutName(text, lead string) (name, rest string) {
	if lead == "" || !strings.HasPrefix(text, lead) {
		m := parameterStart.FindStringSubmatch(text)
		if m == nil {
			return "", ""
		}
		return m[1], strings.TrimSpace(text[len(m[1]):])
	}
	rest = strings.TrimSpace(text[len(lead):])
	at := strings.IndexAny(lead, ":(")
	if at < 0 {
		return strings.TrimSpace(lead), rest
	}
	return strings.TrimSpace(lead[:at]), strings.TrimSpace(lead[at:] + " " + rest)
}

// schema returns the input schema, nil if nothing is known or it would be too
// long.
func (l *parameterList) schema() json.RawMessage {
	if !l.known {
		return nil
	}
	schema := struct {
		Type       string     `json:"type"`
		Properties properties `json:"properties"`
		Required   []string   `json:"required,omitempty"`
		Comment    string     `json:"$comment"`
	}{"object", l.all, nil, "read from the README"}
	for _, p := range l.all {
		if p.required {
			schema.Required = append(schema.Required, p.name)
		}
	}
	b, err := json.Marshal(schema)
	if err != nil || len(b) > maxSchema {
		return nil
	}
	return b
}

// properties are a JSON object in the order of the README.
type properties []parameter

// MarshalJSON implements [json.Marshaler].
func (list properties) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, p := range list {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(p.name)
		if err != nil {
			return nil, err
		}
		p.Description = strings.ToValidUTF8(p.Description[:min(len(p.Description), maxDescription)], "")
		value, err := json.Marshal(p.property)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, name...), ':'), value...)
	}
	return append(b, '}'), nil
}
