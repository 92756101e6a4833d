package export

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// wordsOf splits a text into words like the search of the site (docs/search.md)
// and like find.js splits queries: without case and accents; characters of
// scripts without spaces are words by themselves, and a run in mixed case gives
// its parts too.
func wordsOf(s string) (words []string) {
	separator := func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.Mn) }
	for _, run := range strings.FieldsFunc(s, separator) {
		rs := []rune(run)
		start := 0 // of what is in one script
		for n := 0; n <= len(rs); n++ {
			if n < len(rs) && !unicode.In(rs[n], spaceless...) {
				continue
			}
			words = appendRun(words, rs[start:n])
			if n < len(rs) {
				words = appendFolded(words, rs[n:n+1])
			}
			start = n + 1
		}
	}
	return words
}

var spaceless = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai,
	unicode.Lao, unicode.Khmer, unicode.Myanmar}

// appendRun appends a run and, if it is in mixed case, its parts.
func appendRun(words []string, rs []rune) []string {
	words = appendFolded(words, rs)
	start := 0
	for n := 1; n <= len(rs); n++ {
		if n < len(rs) {
			up := !unicode.IsUpper(rs[n-1]) && unicode.IsUpper(rs[n])
			down := n+1 < len(rs) && unicode.IsUpper(rs[n-1]) && unicode.IsUpper(rs[n]) &&
				unicode.IsLower(rs[n+1])
			if !up && !down {
				continue
			}
		} else if start == 0 {
			break // it is the whole
		}
		words = appendFolded(words, rs[start:n])
		start = n
	}
	return words
}

func appendFolded(words []string, rs []rune) []string {
	folded := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(string(rs)))
	if folded == "" {
		return words
	}
	return append(words, folded)
}

// shardOf is the file that a word is in.
func shardOf(word string) string {
	var b [2]byte
	rs := []rune(word)
	for n := range b {
		b[n] = '_'
		if n < len(rs) && (rs[n] >= 'a' && rs[n] <= 'z' || rs[n] >= '0' && rs[n] <= '9') {
			b[n] = byte(rs[n])
		}
	}
	return string(b[:])
}
