package query

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mcpcensus/internal/jsonobject"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/synonyms"
	"mcpcensus/internal/text"
)

// Bounds of a filter object.
const (
	maxFilterBytes  = 16 << 10
	maxFilters      = 40
	maxFilterValues = 100
)

var operators = []Op{OpEq, OpNe, OpGt, OpGte, OpLt, OpLte, OpIn, OpExists}

// ParseFilters reads a filter object: {"sdk": "go", "category": ["data", "api"], "stars":
// {"gte": 10}}. A scalar means equal, an array any of its values, an object operators that
// must all be satisfied. Empty input returns no filters. The error is a [registry.Error] of
// kind ErrInvalid that names each wrong key, operator or value and what is accepted.
func ParseFilters(data []byte) ([]Filter, error) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return nil, nil
	}
	if len(data) > maxFilterBytes {
		return nil, registry.Invalid("filters", "must be at most %d bytes long, got %d", maxFilterBytes,
			len(data))
	}
	keys, err := jsonobject.Members(data)
	if err != nil {
		return nil, registry.Invalid("filters",
			`must be a JSON object such as {"category": "database", "stars": {"gte": 100}}: %s`,
			err)
	}
	var p filterParser
	seen := map[string]bool{}
	for _, m := range keys {
		p.key(m.Name, m.Value, seen[m.Name])
		seen[m.Name] = true
	}
	if len(p.filters) > maxFilters {
		return nil, registry.Invalid("filters", "must have at most %d conditions, got %d", maxFilters,
			len(p.filters))
	}
	if len(p.faults) > 0 {
		first := p.faults[0]
		return nil, &registry.Error{Kind: registry.ErrInvalid, Msg: first.Field + " " + first.Message,
			Fields: p.faults}
	}
	return p.filters, nil
}

type filterParser struct {
	filters []Filter
	faults  []registry.FieldError
}

func (p *filterParser) fault(field, format string, args ...any) {
	if len(p.faults) < 20 {
		p.faults = append(p.faults, registry.Invalid(field, format, args...).Fields...)
	}
}

// key reads the conditions of one key.
func (p *filterParser) key(key string, raw json.RawMessage, repeated bool) {
	path := "filters." + brief(key)
	name, only := key, Op("")
	if key == "minScore" {
		name, only = "qualityScore", OpGte
	}
	f := FieldNamed(name)
	switch {
	case f == nil || !f.Filter:
		p.fault(path, "is not a filter; accepted filters are %s", strings.Join(FilterNames(), ", "))
		return
	case repeated:
		p.fault(path, "must be given once; combine conditions as operators in one object")
		return
	}
	switch {
	case only != "":
		if v, ok := p.value(f, path, raw); ok {
			if n := v.(float64); n > 100 {
				p.fault(path, "must be between 0 and 100, got %v", n)
				return
			}
			p.filters = append(p.filters, Filter{name, only, []any{v}})
		}
	case raw[0] == '[':
		p.list(f, path, raw)
	case raw[0] == '{':
		ops, err := jsonobject.Members(raw)
		if err != nil || len(ops) == 0 {
			p.fault(path, "must have at least one operator; accepted operators are %s", p.allowedOps(f))
			return
		}
		for _, op := range ops {
			p.operator(f, path+"."+brief(op.Name), Op(op.Name), op.Value)
		}
	default:
		if v, ok := p.value(f, path, raw); ok {
			p.filters = append(p.filters, Filter{name, OpEq, []any{v}})
		}
	}
}

func (p *filterParser) operator(f *Field, path string, op Op, raw json.RawMessage) {
	if !slices.Contains(f.ops(), op) {
		p.fault(path, "is not an operator of %s fields; accepted operators are %s", f.Kind,
			p.allowedOps(f))
		return
	}
	switch op {
	case OpIn:
		p.list(f, path, raw)
	case OpExists:
		var b bool
		if raw[0] == 'n' || json.Unmarshal(raw, &b) != nil {
			p.fault(path, "must be true or false")
			return
		}
		p.filters = append(p.filters, Filter{f.Name, op, []any{b}})
	default:
		if v, ok := p.value(f, path, raw); ok {
			p.filters = append(p.filters, Filter{f.Name, op, []any{v}})
		}
	}
}

func (p *filterParser) list(f *Field, path string, raw json.RawMessage) {
	var items []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &items) != nil {
		p.fault(path, "must be an array")
		return
	}
	if len(items) == 0 || len(items) > maxFilterValues {
		p.fault(path, "must have 1 to %d values, got %d", maxFilterValues, len(items))
		return
	}
	values := make([]any, 0, len(items))
	for _, item := range items {
		v, ok := p.value(f, path, item)
		if !ok {
			return
		}
		values = append(values, v)
	}
	p.filters = append(p.filters, Filter{f.Name, OpIn, values})
}

func (p *filterParser) value(f *Field, path string, raw json.RawMessage) (any, bool) {
	var v any
	// Only a number too large for a float64 fails here.
	if err := json.Unmarshal(raw, &v); err != nil {
		p.fault(path, "must be a number that fits in 64 bits")
		return nil, false
	}
	if v == nil {
		p.fault(path, `must not be null; to find servers without a value, use {"exists": false}`)
		return nil, false
	}
	got, err := f.parse(v)
	if err != nil {
		p.fault(path, "%s", err)
		return nil, false
	}
	return got, true
}

// parse returns the value in the form of this field's filters.
func (f *Field) parse(v any) (any, error) {
	switch f.Kind {
	case Number:
		n, ok := v.(float64)
		switch {
		case !ok || math.IsInf(n, 0) || math.IsNaN(n):
			return nil, errors.New("must be a number")
		case n < 0: // all numbers are counts or scores
			return nil, fmt.Errorf("must be at least 0, got %v", n)
		}
		return n, nil
	case Bool:
		if b, ok := v.(bool); ok {
			return b, nil
		}
		return nil, errors.New("must be true or false")
	case Time:
		if s, ok := v.(string); ok {
			for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
				if t, err := time.Parse(layout, s); err == nil {
					return t.UTC(), nil
				}
			}
		}
		return nil, errors.New(`must be a time such as "2026-10-01T08:00:00Z" ` +
			`or a date such as "2026-10-01"`)
	}
	s, ok := v.(string)
	if !ok {
		return nil, errors.New("must be a string")
	}
	return f.ParseText(s)
}

// ParseText returns a value of a text field in its canonical form, aliases resolved: "js" is
// typescript for sdk, and "k8s" kubernetes for tags. The error lists accepted values, as a
// phrase that follows the name of the parameter.
func (f *Field) ParseText(s string) (string, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", errors.New("must not be empty")
	}
	if n := utf8.RuneCountInString(s); n > maxText {
		return "", fmt.Errorf("must be at most %d characters long, got %d", maxText, n)
	}
	switch {
	case f.Name == "tags":
		return synonyms.FoldTag(s), nil
	case f.Allowed == nil:
		return s, nil
	}
	lower := strings.ToLower(s)
	if alias, ok := aliases[f.Name][lower]; ok {
		return alias, nil
	}
	for _, a := range f.Allowed {
		if strings.ToLower(a) == lower {
			return a, nil
		}
	}
	return "", fmt.Errorf("must be one of %s, got %q", strings.Join(f.Allowed, ", "), brief(s))
}

// aliases are other names of the values of a field, in lower case.
var aliases = map[string]map[string]string{
	"sdk": {
		"js": "typescript", "ts": "typescript", "javascript": "typescript",
		"node": "typescript", "nodejs": "typescript", "node.js": "typescript",
		"py": "python", "golang": "go", "c#": "csharp", "dotnet": "csharp", ".net": "csharp",
		"rs": "rust", "kt": "kotlin", "rb": "ruby",
	},
	"transport": {
		"http": registry.TransportHTTP, "streamable": registry.TransportHTTP,
		"streamablehttp": registry.TransportHTTP,
	},
}

// ParseCategory returns the category of that name. The error is about field
// and lists the categories.
func ParseCategory(field, s string) (string, error) {
	v, err := FieldNamed("category").ParseText(s)
	if err != nil {
		return "", registry.Invalid(field, "%s", err)
	}
	return v, nil
}

func (f *Field) ops() []Op {
	switch f.Kind {
	case Text:
		return []Op{OpEq, OpNe, OpIn, OpExists}
	case Bool:
		return []Op{OpEq, OpNe, OpExists}
	}
	return operators
}

func (p *filterParser) allowedOps(f *Field) string {
	names := []string{}
	for _, op := range f.ops() {
		names = append(names, string(op))
	}
	return strings.Join(names, ", ")
}

// FilterNames returns the keys of a filter object.
func FilterNames() []string {
	var out []string
	for _, f := range Fields {
		if f.Filter {
			out = append(out, f.Name)
		}
		if f.Name == "qualityScore" {
			out = append(out, "minScore")
		}
	}
	return out
}

// brief shortens a text of a request that an error repeats.
func brief(s string) string {
	return text.Shorten(text.OneLine(s), 40)
}
