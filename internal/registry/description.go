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
var fillers = setOf("todo tbd fixme xxx description placeholder undocumented lorem ipsum dolor")

// anyVariable are words that fit any variable.
var anyVariable = setOf(`a an the your my our this of for to in is as with and or here enter insert set
	add api key keys token secret password id value variable env environment string example none n
	required optional default`)
