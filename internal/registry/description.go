package registry

import (
	"slices"
	"strings"
	"unicode"
)

// descriptionWords is the least number of words of a description of a tool.
const descriptionWords = 2

// IsDescription reports whether a text describes a tool: it has two words other than those of
// a placeholder such as "TODO: description".
func IsDescription(text string) bool {
	if w := wordsIn(text); len(w) == 0 || isFiller(w[0]) && w[0] != "description" {
		return false
	}
	n := 0
	for field := range strings.FieldsSeq(text) {
		if letters := wordsIn(field); !slices.ContainsFunc(letters, isFiller) {
			if n++; n >= descriptionWords {
				return true
			}
		}
	}
	return false
}

// IsDescriptionOf reports whether a text adds to the name of a variable: it has a word that is
// neither in the name nor fits any variable, as in "Your API key".
func IsDescriptionOf(text, name string) bool {
	own := strings.Join(wordsIn(name), "")
	return slices.ContainsFunc(wordsIn(text), func(w string) bool {
		return !isFiller(w) && !anyVariable[w] && !strings.Contains(own, strings.TrimSuffix(w, "s"))
	})
}

// wordsIn returns the words of a text in lower case.
func wordsIn(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

func isFiller(word string) bool { return fillers[word] }

// fillers are the words of texts that wait for a description.
var fillers = map[string]bool{
	"todo": true, "tbd": true, "fixme": true, "xxx": true, "description": true, "placeholder": true,
	"undocumented": true, "lorem": true, "ipsum": true, "dolor": true,
}

// anyVariable are words that fit any variable.
var anyVariable = map[string]bool{
	"a": true, "an": true, "the": true, "your": true, "my": true, "our": true, "this": true, "of": true,
	"for": true, "to": true, "in": true, "is": true, "as": true, "with": true, "and": true, "or": true,
	"here": true, "enter": true, "insert": true, "set": true, "add": true,
	"api": true, "key": true, "keys": true, "token": true, "secret": true, "password": true, "id": true,
	"value": true, "variable": true, "env": true, "environment": true, "string": true,
	"example": true, "none": true, "n": true, "required": true, "optional": true, "default": true,
}
