package crawler

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"mcpcensus/internal/text"
)

// Text prepares the content of a file for storage: valid UTF-8 without a byte order mark,
// cut to the size of the longest source file. It reports false for binary files.
func Text(s string) (string, bool) {
	s = text.Cut(s, maxSourceText)
	if strings.ContainsRune(s, 0) {
		return "", false
	}
	return strings.TrimPrefix(strings.ToValidUTF8(s, "\uFFFD"), "\uFEFF"), true
}

// Prose is [Text] for READMEs that a code host considers binary: it decodes UTF-16 with a
// byte order mark, removes a few NUL bytes and cuts to [MaxText].
func Prose(s string) (string, bool) {
	decoder := unicode.BOMOverride(encoding.Nop.NewDecoder())
	decoded, _, err := transform.String(decoder, s)
	if err != nil {
		return "", false
	}
	if strings.Count(decoded, "\x00") > len(decoded)/maxNULs {
		return "", false
	}
	return Text(text.Cut(strings.ReplaceAll(decoded, "\x00", ""), MaxText))
}

// maxNULs is the minimum number of bytes of a README for each NUL byte.
const maxNULs = 100
