package detect

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpcensus/internal/text"
	"mcpcensus/internal/words"
)

var (
	mdLink   = regexp.MustCompile(`!?\[([^\]]{0,300})\]\([^)]*\)`)
	mdMarks  = regexp.MustCompile("[*`]{1,3}|<[^<>]{0,300}>")
	sentence = regexp.MustCompile(`[.!?。](?:\s|$)`)
)

// pictured are emoji and the emoji variation selector.
const pictured = `\x{1F000}-\x{10FFFF}\x{FE0F}`

var (
	// unshown are characters without a picture of their own, besides hidden ones.
	unshown = regexp.MustCompile(`[\p{Co}\x{FFFD}]`)
	emoji   = regexp.MustCompile(`[\p{So}\p{Cf}` + pictured + `]`)
	// decoration are arrows, symbols and emoji at the ends of a text.
	decoration = regexp.MustCompile(`^[ \x{2190}-\x{2BFF}` + pictured + `]+|[ \x{2190}-\x{2BFF}` + pictured + `]+$`)
)

// plain returns displayable text: without markup and hidden characters, on
// one line, at most n bytes and preferably whole sentences.
func plain(s string, n int) string {
	s = mdLink.ReplaceAllString(text.Cut(s, 8*n), "$1")
	s = mdMarks.ReplaceAllString(s, "")
	s = unshown.ReplaceAllString(text.Strip(s), "")
	s = decoration.ReplaceAllString(strings.Join(strings.Fields(s), " "), "")
	if len(s) <= n {
		return s
	}
	return shorten(s, n)
}

// shorten returns the whole sentences within n bytes or, if they are too short, the words.
func shorten(s string, n int) string {
	const few = 40
	end := 0
	for _, m := range sentence.FindAllStringIndex(s, -1) {
		if m[0]+1 <= n {
			end = m[0] + 1
		}
	}
	if end >= few {
		return s[:end]
	}
	s = text.Cut(s, n-len("…"))
	if i := strings.LastIndexByte(s, ' '); i > n/2 {
		s = s[:i]
	}
	return strings.TrimRight(s, " ,;:-–—") + "…"
}

// stripEmoji removes symbols, emoji and invisible characters.
func stripEmoji(s string) string { return emoji.ReplaceAllString(s, "") }

// capitalize returns a text with its first letter capitalized.
func capitalize(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

func letterCount(s string) int { return len(letter.FindAllString(s, -1)) }

var letter = regexp.MustCompile(`\pL`)

// firstWords returns at most n words of a text.
func firstWords(text string, n int) []string {
	all := words.Fields(text)
	return all[:min(len(all), n)]
}

// wordsOf returns the lower-case words of a name without generic words.
func wordsOf(name string) []string {
	var out []string
	for _, w := range words.Fields(strings.ToLower(name)) {
		if len(w) < 2 || genericWords[w] {
			continue
		}
		out = append(out, w)
		if t := strings.TrimSuffix(strings.TrimPrefix(w, "mcp"), "mcp"); t != w && len(t) > 2 {
			out = append(out, t)
		}
	}
	return out
}

// overlap reports whether two lists have a word in common, or words of at least four bytes of
// which one contains the other.
func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool {
		return slices.ContainsFunc(b, func(y string) bool {
			return x == y || min(len(x), len(y)) >= 4 && (strings.Contains(x, y) || strings.Contains(y, x))
		})
	})
}

// overlapAll reports whether every word of the shorter list, which must not be empty, is in the
// longer.
func overlapAll(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) > 0 && !slices.ContainsFunc(a, func(x string) bool { return !overlap([]string{x}, b) })
}
