package others

import (
	"strconv"
	"strings"

	"mcpcensus/crawler/source/schema"
)

const maxLiterals = 30 // nested literals

// data returns a literal between two positions as JSON: a text, a scalar, or a list or object of
// the languages. Other expressions are [schema.Unknown].
func (s *source) data(from, to, depth int) any {
	for from < to && s.at(from).kind == tokenDoc {
		from++
	}
	if depth > maxLiterals || from >= to {
		return schema.Unknown{}
	}
	if s.is(from, "{", "[") && s.end(from) == to-1 {
		return s.object(from, depth)
	}
	if text, ok := s.text(from, to); ok {
		return text
	}
	if to-from == 1 {
		return s.scalar(from, depth)
	}
	if s.is(from, "[") && s.is(from+2, ":") && s.end(from)+3 == to { // [String: Any]()
		return &schema.Object{}
	}
	if s.is(from, ".") && s.is(from+2, "(") && s.end(from+2) == to-1 {
		if o := s.schemaCall(from+1, depth); o != nil {
			return o
		}
	}
	for i := from; i < to-1 && i < from+6; i++ {
		if s.is(i, "(", "{", "[") && s.end(i) == to-1 {
			return s.called(i, depth)
		}
	}
	return schema.Unknown{}
}

// called returns the list or object that a function or a macro makes of the contents of a bracket,
// such as .object([...]), json!({...}) or buildJsonObject { ... }.
func (s *source) called(open, depth int) any {
	end := s.end(open)
	switch id := s.at(open - 1).text; {
	case s.is(open, "{") && s.language == "Kotlin":
		return s.built(id, open, depth)
	case !s.is(open, "("), id == "array" && !s.is(open-2, "."):
		return s.object(open, depth)
	case strings.HasSuffix(id, "Of") && end == open+1, id == "emptyList":
		return []any{}
	case strings.HasSuffix(id, "istOf"):
		return s.object(open, depth)
	case id == "Input" || id == "ToolSchema": // of the Kotlin SDK
		o, _ := s.object(open, depth).(*schema.Object)
		if o == nil && end > open+1 {
			break
		}
		out := schema.New("type", "object", "properties", &schema.Object{})
		for _, key := range o.Keys() {
			out.Set(key, o.Get(key))
		}
		return out
	default:
		return s.data(open+1, end, depth+1)
	}
	return schema.Unknown{}
}

// scalar converts a token that is a number, a boolean, null, or the name of a constant literal.
func (s *source) scalar(i, depth int) any {
	switch t := s.at(i); {
	case s.is(i, "true", "false"):
		return t.text == "true"
	case s.is(i, "null", "nil", "None"):
		return nil
	case t.kind == tokenNumber:
		if f, err := strconv.ParseFloat(strings.ReplaceAll(t.text, "_", ""), 64); err == nil {
			return f
		}
	case len(s.literals[t.text]) == 1:
		l := s.literals[t.text][0]
		return l.source.data(l.from, l.to, depth+1)
	}
	return schema.Unknown{}
}

// schemaCall reads a schema of the form .string(description: "..."), nil if the call at i is not
// one.
func (s *source) schemaCall(i, depth int) *schema.Object {
	kind := s.at(i).text
	switch kind {
	case "string", "integer", "number", "boolean", "array", "object":
	default:
		return nil
	}
	out := schema.New("type", kind)
	for _, a := range s.arguments(i + 1) {
		if a.name == "" {
			return nil
		}
		out.Set(a.name, s.data(a.from, a.to, depth+1))
	}
	return out
}

// object converts the contents of a bracket: entries with keys to an object, otherwise to a list.
func (s *source) object(open, depth int) any {
	out, list := &schema.Object{}, []any{}
	keyed := s.is(open, "{") || s.is(open+1, ":") && s.end(open) == open+2 // {} or [:]
	for _, a := range s.arguments(open) {
		key, from := a.name, a.from
		if a.to-from == 1 && (s.at(from).kind == tokenDoc || s.is(from, ":")) {
			continue
		}
		isKey := key != ""
		if k := s.keyEnd(a); key == "" && k > 0 {
			isKey, from = true, k+1
			key, _ = s.text(a.from, k)
		}
		switch v := s.data(from, a.to, depth+1); {
		case !isKey:
			list = append(list, v)
		case key == "":
			out.More = true
		default:
			out.Set(key, v)
		}
		keyed = keyed || isKey
	}
	if !keyed {
		return list
	}
	out.More = out.More || len(list) > 0 // spread
	return out
}

// keyEnd returns the position of the ":", "=>" or "to" after a key, -1 if there is none.
func (s *source) keyEnd(a argument) int {
	for i := a.from; i < a.to && i < a.from+6; i++ {
		if i > a.from && (s.is(i, ":", "=>") || s.is(i, "to") && s.language == "Kotlin") {
			return i
		}
		if s.is(i, "(", "{", "[") {
			return -1
		}
	}
	return -1
}

// built returns what a builder of Kotlin makes of the statements in a block.
func (s *source) built(builder string, open, depth int) any {
	out, list := &schema.Object{}, []any{}
	isList := strings.HasSuffix(builder, "Array")
	for i := open + 1; i < s.end(open); i++ {
		switch {
		case s.is(i, ";") || s.at(i).kind == tokenDoc:
			continue
		case !s.is(i, "put", "add", "putJsonObject", "putJsonArray", "addJsonObject"),
			!s.is(i+1, "(", "{"):
			list, out.More = append(list, schema.Unknown{}), true
			if s.is(i, "(", "{", "[") {
				i = s.end(i)
			}
			continue
		}
		id, key, v := s.at(i).text, "", any(schema.Unknown{})
		if i++; s.is(i, "(") {
			args := s.arguments(i)
			if i = s.end(i); len(args) > 0 {
				key, _ = s.text(args[0].from, args[0].to)
				last := args[len(args)-1]
				v = s.data(last.from, last.to, depth+1)
			}
		}
		if strings.Contains(id, "Json") && s.is(i+1, "{") || s.is(i, "{") {
			if s.is(i+1, "{") {
				i++
			}
			v = s.built(id, i, depth+1)
			i = s.end(i)
		}
		if list = append(list, v); key != "" {
			out.Set(key, v)
		} else {
			out.More = true
		}
	}
	if isList {
		return list
	}
	return out
}

// schemaOf returns the schema in an argument: a literal, or JSON in a string.
func (s *source) schemaOf(a *argument) []byte {
	if a == nil {
		return nil
	}
	switch v := s.data(a.from, a.to, 0).(type) {
	case string:
		return jsonObject(v)
	case *schema.Object:
		if v.Len() > 0 {
			return schema.Encode(v)
		}
	}
	return nil
}
