package words

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed stopwords.txt
var englishFile string

//go:embed fieldwords.txt
var fieldFile string

// Stopwords are words that do not distinguish servers, sorted. English are those that are not
// words of this field.
var (
	Stopwords = wordsOf(englishFile + "\n" + fieldFile)
	English   = wordsOf(englishFile)
)

// wordsOf returns the words of a file without its comments, sorted, each once.
func wordsOf(file string) []string {
	var all []string
	for line := range strings.Lines(file) {
		line, _, _ = strings.Cut(line, "#")
		all = append(all, strings.Fields(line)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Max is how many words of a search's text are read.
const Max = 32

// OfSearch returns the words of a search's text in lower case, deduplicated, without stop
// words unless there are no others.
func OfSearch(text string) []string {
	var words, stopped []string
	text = strings.ReplaceAll(strings.ToLower(text), "’", "'")
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return Separates(r) && r != '\'' }) {
		w, _ = strings.CutSuffix(w, "'s")
		w = strings.Trim(w, "'")
		_, stop := slices.BinarySearch(Stopwords, w)
		switch {
		case w == "":
		case stop:
			stopped = append(stopped, w)
		case !slices.Contains(words, w):
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		words = stopped
	}
	return words[:min(len(words), Max)]
}

// The matching rules of all searches: a server matches if it has one rare word, or at least
// Least of the words. If fewer than Enough servers match, any word suffices.
const Enough = 10

// Least is how many of n words a server must have that has none of the rare
// ones: both of two, and a third of many.
func Least(n int) int {
	if n <= 2 {
		return n
	}
	return max(2, n/3)
}

// Rare is how many of n servers may have a word that is rare.
func Rare(n int) int { return max(n/100, 10) }
