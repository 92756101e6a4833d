package readme

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	mostParameters   = 40      // of a tool
	longestParameter = 300     // bytes of a description
	longestSchema    = 8 << 10 // bytes of one tool
	longestSchemas   = 200 << 10
)

// A parameter is one of a tool, as a README describes it.
type parameter struct {
	name, kind, items string // kind and items are types of JSON Schema, "" if not said
	description       string
	required          bool
	fallback          string // JSON; "" if not said
	choices           []string
}

// A parameterList is what is known of a tool's parameters: nil is nothing, an
// empty one that there are none.
type parameterList struct {
	all   []parameter
	known bool
	raw   []byte // a schema that stands there as such
}

func (l *parameterList) add(p parameter) {
	l.known = true
	if len(l.all) >= mostParameters || slices.ContainsFunc(l.all, func(o parameter) bool { return o.name == p.name }) {
		return
	}
	l.all = append(l.all, p)
}

var (
	paramLabel = regexp.MustCompile(`(?i)^(?:(?:tool|required|optional|input|key|main|accepted|supported|available|query|request|function) )*(?:params?|parameters?|arguments?|args|inputs?|input schema|accepts|takes)(?: \((?:required|optional|all optional|json)\))?\s*:?\s*$`)
	// otherLabel is over what is no parameter, or goes before it in a line.
	otherLabel  = regexp.MustCompile(`(?i)^(?:returns?|return values?|outputs?|responses?|results?|examples?|example .{1,40}|sample .{1,40}|errors?|error .{1,30}|notes?|usage|use cases?|features?|environment variables?|headers?|requirements?|permissions?|scopes?|annotations?|hints?|prompts?|resources?|limitations?|behaviou?r|fields returned)\b`)
	inlineLabel = regexp.MustCompile(`(?i)^(?:(?:tool|required|optional|input) )?(?:params?|parameters?|arguments?|args|inputs?)\s*(?:\([^)]{0,30}\))?\s*[:–—-]\s*(.+)$`)
	noneWord    = regexp.MustCompile(`(?i)^(?:none|no (?:parameters?|params|arguments?|args|inputs?)(?: (?:required|needed))?|n/a|\(none\)|takes no (?:parameters?|arguments?)|nothing|\{\})\.?$`)
	noneLine    = regexp.MustCompile(`(?i)^(?:this tool )?(?:no (?:parameters?|params|arguments?|args|inputs?)(?: (?:are )?(?:required|needed))?|takes no (?:parameters?|arguments?|inputs?)|requires no (?:parameters?|arguments?|inputs?))\.?$`)
	paramName   = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$-]{0,63}$`)
	paramStart  = regexp.MustCompile(`^([A-Za-z_$][A-Za-z0-9_$-]{0,63})(\?)?\s*(?:$|[(:\[,–—=-]|\s)`)
	parenthesis = regexp.MustCompile(`^[(\[]((?:[^()\[\]]|\[\]|\([^()]{0,80}\)|\[[^\[\]]{0,80}\])+)[)\]]\s*(.*)$`)
	defaultText = regexp.MustCompile(`(?i)^defaults?(?: (?:is|to|value))?\s*[:=]?\s*(.{1,80})$`)
	paramColumn = regexp.MustCompile(`(?i)^(?:(?:input )?param(?:eter)?s?(?: names?)?|arguments?|args?|inputs?|options?|fields?|names?|property)$`)
	listColumn  = regexp.MustCompile(`(?i)^(?:(?:key|main|required|optional|input) )?(?:parameters|params|arguments|args|inputs?)$`)
	requiredCol = regexp.MustCompile(`(?i)^(?:required\??|req\.?|mandatory|optional\??)$`)
	describeCol = regexp.MustCompile(`(?i)^(?:descriptions?|meaning|details|notes?|purpose|what it does|explanation)$`)
	typeCol     = regexp.MustCompile(`(?i)^(?:data )?types?$`)
	defaultCol  = regexp.MustCompile(`(?i)^defaults?(?: values?)?$`)
	tsLine      = regexp.MustCompile(`^\s*["']?([A-Za-z_$][A-Za-z0-9_$-]{0,63})["']?(\?)?\s*:\s*(.{1,120}?)\s*[,;]?\s*(?://\s*(.*))?$`)
	// trailingType is a type behind a description.
	trailingType = regexp.MustCompile(`^(.*\S)\s+[-–—]\s+((?i:required |optional )?)([A-Za-z]{2,10}(?:\[\])?)(?: \{.{1,300}\})?$`)
	objectForm   = regexp.MustCompile(`^\{\s*(.*?)\s*\}$`)
	defaultIn    = regexp.MustCompile(`(?i)\(defaults?(?: (?:is|to))?\s*[:=]?\s*([^()]{1,60})\)`)
	yesCell      = regexp.MustCompile(`(?i)^(?:\x{2705}|\x{2714}|\x{2713}|yes|y|true|required|mandatory)`)
	sureColumn   = regexp.MustCompile(`(?i)param|argument|\barg|input`)
	unionSign    = regexp.MustCompile(`\s*\|\s*|\s+or\s+|\s*/\s*`)
	callOfTool   = regexp.MustCompile(`(?m)^(?:async )?(?:def )?([A-Za-z_][A-Za-z0-9_]{2,63})\(([^(){}]{0,600})\)`)
	wordOrCode   = regexp.MustCompile(`^[A-Za-z0-9_$-]+\??$`)
)

// jsonTypes are the types of JSON Schema by the words that people write.
var jsonTypes = map[string]string{
	"string": "string", "str": "string", "text": "string", "uuid": "string", "url": "string", "uri": "string", "date": "string", "datetime": "string", "enum": "string", "path": "string",
	"integer": "integer", "int": "integer", "int32": "integer", "int64": "integer", "long": "integer",
	"number": "number", "float": "number", "double": "number", "numeric": "number", "decimal": "number",
	"boolean": "boolean", "bool": "boolean",
	"array": "array", "list": "array", "object": "object", "dict": "object", "map": "object", "json": "object", "record": "object", "dictionary": "object",
}

var (
	arrayOf  = regexp.MustCompile(`(?i)^(?:array|list)\s*(?:of\s+|<|\[)\s*([a-z0-9]+?)s?[>\]]?$`)
	suffixed = regexp.MustCompile(`(?i)^([a-z0-9]+)\[\]$`)
	optional = regexp.MustCompile(`(?i)^(?:optional|union)\s*\[\s*([^\[\]]{1,60})\]$`)
	literals = regexp.MustCompile(`^(?:\s*\|?\s*(?:"[^"|]{1,60}"|'[^'|]{1,60}'))+$`)
	quoted   = regexp.MustCompile(`"([^"|]{1,60})"|'([^'|]{1,60})'`)
)

// setType reads a type as people write it; false if it is none.
func (p *parameter) setType(s string) bool {
	s = strings.Trim(strings.TrimSpace(s), "`*.")
	if m := optional.FindStringSubmatch(s); m != nil {
		s, _, _ = strings.Cut(m[1], ",")
		s = strings.TrimSpace(s)
	}
	if literals.MatchString(s) {
		p.kind = "string"
		for _, m := range quoted.FindAllStringSubmatch(s, 30) {
			p.choices = append(p.choices, cmp.Or(m[1], m[2]))
		}
		return true
	}
	lower := strings.ToLower(s)
	if kind := jsonTypes[lower]; kind != "" {
		p.kind = kind
		return true
	}
	m := arrayOf.FindStringSubmatch(lower)
	if m == nil {
		m = suffixed.FindStringSubmatch(lower)
	}
	if m != nil && jsonTypes[m[1]] != "" {
		p.kind, p.items = "array", jsonTypes[m[1]]
		return true
	}
	// "string | null", "string or number": the type is not one.
	parts := unionSign.Split(lower, 6)
	if len(parts) < 2 {
		return lower == "any"
	}
	kind := ""
	for _, part := range parts {
		if part == "null" || part == "none" || part == "undefined" {
			continue
		}
		var o parameter
		if !o.setType(part) || len(parts) > 5 {
			return false
		}
		if kind != "" && kind != o.kind {
			kind = "-"
		} else {
			kind = o.kind
		}
	}
	if kind != "-" {
		p.kind = kind
	}
	return true
}

// setTags reads what stands in parentheses behind a name: "string, required".
// It is false if nothing in them is known.
func (p *parameter) setTags(s string) (known bool) {
	for tag := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ',' || r == ';' }) {
		tag = strings.Trim(strings.TrimSpace(tag), "*_` ")
		lower := strings.ToLower(tag)
		word := strings.TrimSuffix(strings.TrimPrefix(lower, "is "), "!")
		switch {
		case word == "required" || word == "mandatory":
			p.required, known = true, true
		case word == "optional" || word == "not required":
			p.required, known = false, true
		case strings.HasPrefix(word, "default"):
			if m := defaultText.FindStringSubmatch(tag); m != nil {
				p.setDefault(m[1])
			}
			known = true
		case p.setType(tag):
			known = true
		default:
			// "optional string", "required number"
			a, b, two := strings.Cut(lower, " ")
			if !two {
				continue
			}
			for _, w := range [][2]string{{a, b}, {b, a}} {
				if (w[0] == "required" || w[0] == "optional") && p.setType(w[1]) {
					p.required, known = w[0] == "required", true
				}
			}
		}
	}
	return known
}

func (p *parameter) setDefault(s string) {
	s = strings.TrimRight(strings.Trim(strings.TrimSpace(s), "`*"), ".")
	s = strings.Trim(s, "\"'`")
	if s == "" || len(s) > 80 {
		return
	}
	switch p.kind {
	case "string":
		if strings.ContainsAny(s, " ") && len(strings.Fields(s)) > 4 {
			return
		}
		b, _ := json.Marshal(s)
		p.fallback = string(b)
	case "integer", "number":
		if _, err := strconv.ParseFloat(s, 64); err == nil && json.Valid([]byte(s)) {
			p.fallback = s
		}
	case "boolean":
		if s = strings.ToLower(s); s == "true" || s == "false" {
			p.fallback = s
		}
	}
}

// parameterOf reads a parameter from a text that begins with its name. Unless it
// is labelled, there must be a type or a word on whether it is required.
func parameterOf(text, lead string, code []string, labelled bool) (p parameter, ok bool) {
	text = strings.TrimSpace(text)
	coded := len(code) > 0 && strings.HasPrefix(text, code[0])
	if coded && !strings.HasPrefix(lead, code[0]) {
		lead = code[0]
	}
	name, rest := "", ""
	if lead != "" && strings.HasPrefix(text, lead) {
		name, rest = strings.TrimSpace(lead), strings.TrimSpace(text[len(lead):])
		if before, after, cut := strings.Cut(name, ":"); cut { // `query: string`
			name = strings.TrimSpace(before)
			if after = strings.TrimSpace(after); after != "" {
				rest = ": " + after + " " + rest
			} else {
				rest = ":" + rest
			}
		} else if before, after, cut := strings.Cut(name, " ("); cut { // **query (string)**
			name, rest = before, "("+after+rest
		}
	} else if m := paramStart.FindStringSubmatch(text); m != nil {
		name, rest = m[1], strings.TrimSpace(text[len(m[1]):])
		if strings.HasPrefix(rest, "?") {
			name, rest = name+"?", strings.TrimSpace(rest[1:])
		}
	}
	asked := strings.HasSuffix(name, "?")
	name = strings.TrimSuffix(name, "?")
	if !paramName.MatchString(name) || !coded && (otherLabel.MatchString(name) || paramLabel.MatchString(name) || name != strings.ToLower(name[:1])+name[1:]) {
		return p, false
	}
	p.name = name
	typed := asked
	for range 3 {
		rest = strings.TrimSpace(rest)
		m := parenthesis.FindStringSubmatch(rest)
		if m == nil || !p.setTags(m[1]) {
			break
		}
		typed, rest = true, m[2]
	}
	trimmed := strings.TrimSpace(strings.TrimLeft(rest, ":–—- "))
	said := trimmed != rest // there is a sign between the name and what it means
	rest = trimmed
	if m := parenthesis.FindStringSubmatch(rest); m != nil && said && p.setTags(m[1]) {
		typed, rest = true, strings.TrimSpace(strings.TrimLeft(m[2], ":–—- "))
	} else if p.kind == "" {
		// "query: string - what to look for", "query - string, optional"
		head, tail := rest, ""
		if at := strings.IndexAny(rest, "-–—,.;("); at >= 0 {
			head, tail = rest[:at], rest[at:]
		}
		if q := p; q.setType(head) && strings.TrimSpace(head) != "" && (said || typed) {
			p, typed = q, true
			tail = strings.TrimSpace(tail)
			if m := parenthesis.FindStringSubmatch(tail); m != nil && p.setTags(m[1]) {
				tail = m[2]
			} else if strings.HasPrefix(tail, ",") {
				word, after, _ := strings.Cut(strings.TrimSpace(tail[1:]), " ")
				if p.setTags(strings.Trim(word, ".:")) {
					tail = after
				}
			}
			rest = strings.TrimSpace(strings.TrimLeft(tail, ":–—-., "))
		}
	}
	if m := trailingType.FindStringSubmatch(rest); m != nil && !typed && p.kind == "" {
		// "`key` - Issue key - Required String"
		if q := p; q.setType(m[3]) {
			p, typed, rest = q, true, m[1]
			p.required = strings.EqualFold(m[2], "required ")
		}
	}
	if m := parenthesis.FindStringSubmatch(rest); m != nil && labelled && coded && !said && !typed && wordOrCode.MatchString(m[1]) {
		typed, rest = true, m[2] // a type of their own: "(DataModel)"
		rest = strings.TrimSpace(strings.TrimLeft(rest, ":–—- "))
	}
	if !typed && !labelled || !said && !typed && rest != "" {
		return p, false
	}
	if p.fallback == "" {
		if m := defaultIn.FindStringSubmatch(rest); m != nil {
			p.setDefault(m[1])
		}
	}
	p.description = strings.TrimSpace(rest)
	if asked {
		p.required = false
	}
	return p, true
}

// schema returns the input schema, nil if nothing is known or it would be too
// long.
func (l *parameterList) schema() []byte {
	if !l.known {
		return nil
	}
	if l.raw != nil {
		return l.raw
	}
	quote := func(s string) string {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if e.Encode(s) != nil {
			return `""`
		}
		return strings.TrimSpace(b.String())
	}
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	var required []string
	for i, p := range l.all {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(p.name) + ":{")
		var members []string
		if p.kind != "" {
			members = append(members, `"type":`+quote(p.kind))
		}
		if p.items != "" {
			members = append(members, `"items":{"type":`+quote(p.items)+`}`)
		}
		if d := strings.ToValidUTF8(p.description[:min(len(p.description), longestParameter)], ""); d != "" {
			members = append(members, `"description":`+quote(d))
		}
		if p.fallback != "" {
			members = append(members, `"default":`+p.fallback)
		}
		if len(p.choices) > 0 {
			var all []string
			for _, c := range p.choices {
				all = append(all, quote(c))
			}
			members = append(members, `"enum":[`+strings.Join(all, ",")+`]`)
		}
		b.WriteString(strings.Join(members, ",") + "}")
		if p.required {
			required = append(required, quote(p.name))
		}
	}
	b.WriteByte('}')
	if len(required) > 0 {
		b.WriteString(`,"required":[` + strings.Join(required, ",") + `]`)
	}
	b.WriteString(`,"$comment":"read from the README"}`)
	if b.Len() > longestSchema {
		return nil
	}
	return []byte(b.String())
}
