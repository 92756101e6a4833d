package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"
	"unicode"

	"mcpcensus/internal/text"
)

var comment = regexp.MustCompile(`(?s)<!--.*?(?:-->|$)`)

// clean removes or shows text that models read but people do not see. Control and format
// characters (direction, zero width, tags) are written as their code points, such as
// "<U+200B>". Joiners, variation selectors, blank letters and HTML comments are removed. Line
// breaks and tabs stay.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\r' || r == 0x2028 || r == 0x2029:
			return '\n'
		case r == 0x200C || r == 0x200D, unicode.Is(unicode.Variation_Selector, r),
			r == 0x034F, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0, r&0xFFFE == 0xFFFE:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if strings.ContainsFunc(s, isHidden) {
		var b strings.Builder
		for _, r := range s {
			if isHidden(r) {
				fmt.Fprintf(&b, "<U+%04X>", r)
			} else {
				b.WriteRune(r)
			}
		}
		s = b.String()
	}
	if strings.Contains(s, "<!--") {
		s = comment.ReplaceAllString(s, "")
	}
	return s
}

// isHidden reports whether r is a control or format character.
func isHidden(r rune) bool {
	return r != '\n' && r != '\t' &&
		(unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || r >= 0xE0000 && r <= 0xE0FFF)
}

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
