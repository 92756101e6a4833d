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

// variationSelector asks for the coloured form of a character.
const variationSelector = 0xFE0F

// plain makes text fit to show: without markup, control characters and
// direction overrides, in one line, at most n bytes and preferably whole
// sentences.
func plain(s string, n int) string {
	s = mdLink.ReplaceAllString(text.Cut(s, 8*n), "$1")
	s = mdMarks.ReplaceAllString(s, "")
	s = strings.Map(shown, s)
	s = strings.TrimFunc(strings.Join(strings.Fields(s), " "), isDecoration)
	if len(s) <= n {
		return s
	}
	return shorten(s, n)
}

// shown maps characters to what is shown of them, -1 for nothing.
func shown(r rune) rune {
	switch {
	case r == '\n' || r == '\t' || r == '\u00a0':
		return ' '
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), r == utf8.RuneError:
		return -1
	}
	return r
}

// isDecoration reports whether a character at the ends of a text is not part of
// it: arrows, symbols, pictures.
func isDecoration(r rune) bool {
	return r == ' ' || r >= 0x2190 && r <= 0x2BFF || r >= 0x1F000 || r == variationSelector
}

// shorten returns the whole sentences within n bytes, or if they are few the
// words.
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

// stripEmoji removes symbols, pictures and invisible characters.
func stripEmoji(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.So, r) || r >= 0x1F000 || unicode.Is(unicode.Cf, r) || r == variationSelector {
			return -1
		}
		return r
	}, s)
}

// capitalize returns a text with a capital at its beginning.
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

// wordsOf splits a name into the lower-case words that tell it from others.
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

// overlap reports whether two lists have a word in common, or words of at least
// four bytes of which one holds the other.
func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool {
		return slices.ContainsFunc(b, func(y string) bool {
			return x == y || min(len(x), len(y)) >= 4 && (strings.Contains(x, y) || strings.Contains(y, x))
		})
	})
}

// overlapAll reports whether every word of the shorter list is in the longer,
// and there is one.
func overlapAll(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) > 0 && !slices.ContainsFunc(a, func(x string) bool { return !overlap([]string{x}, b) })
}
