package text

import (
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/rangetable"
)

// hidden are the characters that people do not see, or that change how the text around them
// is shown: control and format characters (zero width, direction, tags), separators of lines
// and paragraphs, variation selectors, blank letters and noncharacters.
var hidden = []*unicode.RangeTable{
	unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector,
	unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point,
}

func isHidden(r rune) bool {
	if ' ' <= r && r <= '~' {
		return false
	}
	return unicode.In(r, hidden...) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// Unsafe returns the first character of s that must not be in a command, an argument, the
// name or value of a variable, a URL or a key, as its code point: "U+200B". It returns "" if
// there is none. No hidden character is safe there, neither are line breaks, tabs, blanks other
// than the space, characters that each font draws in its own way, and U+FFFD, which stands for
// invalid UTF-8.
func Unsafe(s string) string {
	for _, r := range s {
		if isHidden(r) || r == utf8.RuneError ||
			r != ' ' && unicode.In(r, blanks, unicode.Zs, unicode.Co) {
			return codePoint(r)
		}
	}
	return ""
}

// Hidden returns the first of [HiddenRunes] as its code point, "" if there is none.
func Hidden(s string) string {
	for _, r := range HiddenRunes(s) {
		return codePoint(r)
	}
	return ""
}

// IsLine reports whether s is valid UTF-8 in one line without hidden characters.
func IsLine(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsAny(s, "\t\r\n") && Hidden(s) == ""
}

// HiddenRunes yields the hidden characters of prose, with their positions. Prose may have
// line breaks and tabs, joiners between emoji or in words of scripts that need them, and
// variation selectors of emoji.
func HiddenRunes(s string) iter.Seq2[int, rune] {
	return func(yield func(int, rune) bool) {
		before := ' '
		for i, r := range s {
			if isHidden(r) && !isProse(before, r, s[i:]) && !yield(i, r) {
				return
			}
			before = r
		}
	}
}

// isProse reports whether prose may contain the hidden character r after another character.
// rest starts with r.
func isProse(before, r rune, rest string) bool {
	switch r {
	case '\n', '\t':
		return true
	case '\r':
		return strings.HasPrefix(rest, "\r\n")
	case zwnj:
		return unicode.In(before, joining...)
	case zwj:
		after, _ := utf8.DecodeRuneInString(rest[utf8.RuneLen(r):])
		emoji := (unicode.Is(unicode.S, before) || before == emojiStyle) &&
			unicode.Is(unicode.S, after) && after != utf8.RuneError
		return emoji || unicode.In(before, joining...)
	case textStyle, emojiStyle:
		return unicode.In(before, unicode.S, unicode.P, unicode.Nd)
	}
	return false
}

const (
	zwnj, zwj             = '\u200C', '\u200D' // zero width non-joiner, joiner
	textStyle, emojiStyle = '\uFE0E', '\uFE0F' // variation selectors
)

// blanks are invisible characters that share their Unicode category with visible ones: Braille
// pattern blank, object replacement character, Egyptian hieroglyph mirror horizontally, Khitan
// small script filler and musical symbol null notehead.
var blanks = rangetable.New('\u2800', '\uFFFC', '\U00013440', '\U00016FE4', '\U0001D159')

// joining are the scripts whose spelling needs joiners.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya,
	unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala,
	unicode.Khmer, unicode.Myanmar,
}

func codePoint(r rune) string { return fmt.Sprintf("U+%04X", r) }

// Visible returns prose as valid UTF-8 with its hidden characters as code points, such as
// "<U+200B>". Lines end in "\n".
func Visible(s string) string {
	return withoutHidden(s, func(r rune) string { return "<" + codePoint(r) + ">" })
}

// Strip returns prose as valid UTF-8 without its hidden characters. It is for names and
// descriptions; [Visible] is for texts that people judge.
func Strip(s string) string { return withoutHidden(s, func(rune) string { return "" }) }

func withoutHidden(s string, instead func(rune) string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	var b strings.Builder
	end := 0
	for i, r := range HiddenRunes(s) {
		b.WriteString(s[end:i])
		b.WriteString(instead(r))
		end = i + utf8.RuneLen(r)
	}
	if end == 0 {
		return s
	}
	b.WriteString(s[end:])
	return b.String()
}

// OneLine is [Visible] in one line.
func OneLine(s string) string { return strings.Join(strings.Fields(Visible(s)), " ") }

// Valid returns s as valid UTF-8 without NUL, which databases reject. U+FFFD takes the place
// of both.
func Valid(s string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", "\uFFFD"), "\uFFFD")
}
