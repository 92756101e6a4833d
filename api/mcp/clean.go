package mcp

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"time"

	"mcpcensus/internal/text"
)

var comment = regexp.MustCompile(`(?s)<!--.*?(?:-->|$)`)

// clean shows text that models read but people do not see, as [text.Visible] does, and
// removes HTML comments.
func clean(s string) string { return comment.ReplaceAllString(text.Visible(s), "") }

var (
	rawJSON   = reflect.TypeFor[json.RawMessage]()
	timestamp = reflect.TypeFor[time.Time]()
)

// cleanAll cleans all strings reachable from the pointer v.
func cleanAll(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			cleanAll(v.Elem())
		}
	case reflect.Interface:
		cleanAll(v.Elem())
	case reflect.Map: // texts of documents are clean, those of other values may not be
		for _, value := range v.Seq2() {
			cleanAll(value)
		}
	case reflect.String:
		if v.CanSet() {
			v.SetString(clean(v.String()))
		}
	case reflect.Struct:
		if v.Type() == timestamp {
			return
		}
		for _, field := range v.Fields() {
			cleanAll(field)
		}
	case reflect.Slice:
		if v.Type() == rawJSON {
			v.SetBytes(cleanJSON(v.Bytes()))
			return
		}
		for i := range v.Len() {
			cleanAll(v.Index(i))
		}
	}
}

// cleanJSON cleans the strings and member names of a JSON value. It returns nil for invalid
// JSON.
func cleanJSON(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return encode(cleanValue(v))
}

func cleanValue(v any) any {
	switch v := v.(type) {
	case string:
		return clean(v)
	case []any:
		for i := range v {
			v[i] = cleanValue(v[i])
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			out[clean(name)] = cleanValue(value)
		}
		return out
	}
	return v
}

// encode returns v as JSON without escaping <, > and &.
func encode(v any) []byte {
	b, err := text.JSON(v)
	if err != nil {
		panic("mcp: " + err.Error()) // outputs and decoded JSON always encode
	}
	return b
}
