package mcp

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"time"

	"mcpcensus/internal/text"
)

// A document is an output with members of a document of the API. Texts of others are clean.
type document map[string]any

// documentLimits are how long texts and lists may be; the first that fit count.
var documentLimits = []struct{ text, list int }{
	{1000, 40}, {maxDescription, 20}, {maxSentence, 20}, {maxName, 20}, {maxName, maxParts},
	{maxName, 3}, {maxName, 1},
}

// bulky are members of checks that are left out.
var bulky = []string{"evidence", "docs"}

// add adds members of a document of the API. Texts and lists are shortened, with a warning, if
// d would be larger than size.
func (d document) add(doc []byte, members []string, size int) error {
	var all map[string]any
	decoder := json.NewDecoder(bytes.NewReader(doc))
	decoder.UseNumber()
	if err := decoder.Decode(&all); err != nil {
		return err
	}
	isShort := false
	for _, limits := range documentLimits {
		isShort = false
		for _, name := range members {
			d[name] = shortened(all[name], limits.text, limits.list, &isShort)
		}
		if sizeOf(d) < size {
			break
		}
	}
	if warnings, _ := d["warnings"].([]string); isShort {
		d["warnings"] = append(warnings, "Long texts and lists are shortened.")
	}
	return nil
}

// shortened returns a copy of a JSON value with brief texts of at most maxText bytes and lists
// of at most maxList items. It sets isShort if something is left out.
func shortened(v any, maxText, maxList int, isShort *bool) any {
	switch v := v.(type) {
	case string:
		*isShort = *isShort || len(text.OneLine(clean(v))) > maxText
		return brief(v, maxText)
	case []any:
		*isShort = *isShort || len(v) > maxList
		out := make([]any, min(len(v), maxList))
		for i := range out {
			out[i] = shortened(v[i], maxText, maxList, isShort)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			if !slices.Contains(bulky, name) {
				out[clean(name)] = shortened(value, maxText, maxList, isShort)
			}
		}
		return out
	}
	return v
}

// maxResult is the maximum size of a tool result in bytes: its structured content plus the
// same content as text.
const maxResult = 25_000

// room is the largest [sizeOf] of an output.
const room = maxResult - 600

// sizeOf returns the size of v in a result, in bytes: as JSON plus as JSON in a string.
func sizeOf(v any) int {
	b := encode(v)
	return len(b) + len(encode(string(b)))
}

// fit returns how many of the items fit into a result together with out, which lacks them.
func fit[T any](out any, items []T) int {
	used := sizeOf(out)
	for i := range items {
		if used += sizeOf(items[i]) + 2; used > room {
			return i
		}
	}
	return len(items)
}

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
