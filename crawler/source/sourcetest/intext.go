package sourcetest

import (
	"regexp"
	"slices"
	"strings"
)

// words matches the words of a name: those of a compound word begin with a capital.
var words = regexp.MustCompile(`[A-Z]*[a-z]+|[A-Z]+`)

// IsInText reports whether the words of a tool's name are in a text: names may be put together,
// but are not made up. Texts with escapes, which readers decode, contain every name.
func IsInText(name, text string) bool {
	if strings.ContainsAny(text, "\\&") {
		return true
	}
	text = strings.ToLower(text)
	return !slices.ContainsFunc(words.FindAllString(name, -1), func(word string) bool {
		return !strings.Contains(text, strings.ToLower(word))
	})
}
