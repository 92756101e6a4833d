package postgres

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/bytedance/sonic"
)

// Reading and scoring every server is mostly JSON. Sonic gives and takes the
// same as encoding/json, several times faster; reading, it does not copy
// strings, which may be done because what is read is never written to.
var (
	writing = sonic.ConfigStd
	reading = sonic.ConfigDefault
)

// cleanText returns s as Postgres takes it: NUL bytes and invalid UTF-8, which
// come from hostile repositories, become U+FFFD.
func cleanText(s string) string {
	if strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", "\uFFFD"), "\uFFFD")
}

// toJSON returns v as JSON that Postgres takes: without the escape \u0000,
// which is valid JSON but stands for nothing that Postgres can hold.
func toJSON(v any) ([]byte, error) {
	b, err := writing.Marshal(v) // replaces invalid UTF-8 itself
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
		// After an odd number of backslashes this one is escaped itself: the
		// text is a backslash and "u0000".
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
