package postgres

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// cleanText returns s in a form that Postgres accepts: NUL bytes and invalid UTF-8
// become U+FFFD.
func cleanText(s string) string {
	if strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", "\uFFFD"), "\uFFFD")
}

// toJSON returns v as JSON that Postgres accepts: without the escape \u0000, which is
// valid JSON but not a valid Postgres text.
func toJSON(v any) ([]byte, error) {
	b, err := json.Marshal(v) // replaces invalid UTF-8 itself
	if err != nil {
		return nil, err
	}
	return cleanJSON(b), nil
}

func cleanJSON(b []byte) []byte {
	nul := []byte(`\u0000`)
	for from := 0; ; {
		i := bytes.Index(b[from:], nul)
		if i < 0 {
			return b
		}
		i += from
		// After an odd number of backslashes this one is itself escaped.
		before := 0
		for i-before > 0 && b[i-before-1] == '\\' {
			before++
		}
		if before%2 == 0 {
			copy(b[i:], `\ufffd`)
		}
		from = i + len(nul)
	}
}
