// Package words splits texts into words, in the same way for the text indexes,
// the search of exported pages and comparisons of servers.
package words

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"

	porter "github.com/blevesearch/go-porterstemmer"
	"golang.org/x/text/unicode/norm"

	"mcpcensus/internal/text"
)

// Fields returns the words of a text: its runs of letters, digits and marks.
func Fields(text string) []string { return strings.FieldsFunc(text, Separates) }

// Separates reports whether a character is between words.
func Separates(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M) }

// Fold returns a text in lower case, without accents and compatibility forms.
func Fold(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(text))
}

// spaceless are scripts that put no spaces between words.
var spaceless = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai,
	unicode.Lao, unicode.Khmer, unicode.Myanmar}

// Characters returns a word in which characters of scripts without spaces are
// apart.
func Characters(word string) []string {
	var out []string
	start := 0
	for i, r := range word {
		if unicode.In(r, spaceless...) {
			if i > start {
				out = append(out, word[start:i])
			}
			start = i + len(string(r))
			out = append(out, word[i:start])
		}
	}
	if start < len(word) {
		out = append(out, word[start:])
	}
	return out
}

// Stem returns a word in lower case without English endings, by the algorithm
// of Porter.
func Stem(word string) string { return porter.StemString(word) }

// Singular returns a word in lower case without the ending of an English plural.
// Comparisons of servers are better with it than with stems, which are the same
// for words of different subjects.
func Singular(word string) string {
	switch {
	case len(word) > 4 && strings.HasSuffix(word, "ies"):
		return word[:len(word)-3] + "y"
	case len(word) < 4, !strings.HasSuffix(word, "s"), strings.HasSuffix(word, "ss"),
		strings.HasSuffix(word, "us"), strings.HasSuffix(word, "is"):
		return word
	}
	return word[:len(word)-1]
}

// Spellings returns a name unchanged and in other spellings by which it may be searched for:
// words of mixed case apart (getForecast: get Forecast), neighbouring words joined
// (file-system: filesystem), and without a leading or trailing "mcp" (mcpnotes: notes).
func Spellings(name string) []string {
	if name == "" {
		return nil
	}
	out := []string{name}
	if apart := text.Apart(name); apart != name {
		out = append(out, apart)
	}
	if lower := strings.ToLower(name); strings.HasPrefix(lower, "mcp") || strings.HasSuffix(lower, "mcp") {
		out = append(out, strings.TrimSuffix(strings.TrimPrefix(lower, "mcp"), "mcp"))
	}
	words := Fields(name)
	for i := 1; i < len(words); i++ {
		if len(words[i-1]) > 1 && len(words[i]) > 1 {
			out = append(out, words[i-1]+words[i])
		}
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

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
