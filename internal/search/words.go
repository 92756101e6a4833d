package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	maxWord  = 64 // bytes of a word; what is longer is cut
	maxQuery = 20 // words of a query that are read
)

// eachWord calls f with the words of a text, folded, in their order. A word is
// a run of letters and digits; everything else separates. A run in mixed case
// such as getForecast gives the whole of it and then its parts: getforecast,
// get, forecast. Scripts that are written without spaces (Chinese, Japanese,
// Thai, Lao, Khmer, Burmese) give a word for each character.
func eachWord(text string, parts bool, f func(word string)) {
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		if !inWord(r) {
			i += size
			continue
		}
		if spaceless(r) {
			f(fold(text[i : i+size]))
			i += size
			continue
		}
		start, upper, ascii, inner := i, false, true, false
		last := rune(0)
		for i < len(text) {
			r, size = rune(text[i]), 1
			if r >= utf8.RuneSelf {
				r, size = utf8.DecodeRuneInString(text[i:])
				ascii = false
			}
			if !inWord(r) && !unicode.Is(unicode.Mn, r) || spaceless(r) {
				break
			}
			if r < utf8.RuneSelf && 'A' <= r && r <= 'Z' || r >= utf8.RuneSelf && unicode.IsUpper(r) {
				upper = true
				if last != 0 && !isUpper(last) {
					inner = true
				}
			} else if last != 0 && isUpper(last) && i-start > 1 && !isDigit(r) {
				inner = true
			}
			last = r
			i += size
		}
		run := text[start:i]
		word := run
		if upper || !ascii || len(run) > maxWord {
			word = fold(run)
		}
		if word != "" {
			f(word)
		}
		if parts && inner {
			camel(run, f)
		}
	}
}

// joined gives each two neighbouring words of a text as one: file system is
// filesystem. Words of a single letter, and what would be cut, are not joined.
func joined(text string) []string {
	var out []string
	last := ""
	eachWord(text, false, func(w string) {
		if utf8.RuneCountInString(last) > 1 && utf8.RuneCountInString(w) > 1 && len(last)+len(w) <= maxWord {
			out = append(out, last+w)
		}
		last = w
	})
	return out
}

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

func isUpper(r rune) bool { return unicode.IsUpper(r) }
func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func spaceless(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// camel gives the parts of a run in mixed case: HTTPServer2Go is HTTP,
// Server2, Go.
func camel(run string, f func(string)) {
	rs := []rune(run)
	start := 0
	for i := 1; i <= len(rs); i++ {
		if i < len(rs) {
			lowerUpper := !isUpper(rs[i-1]) && isUpper(rs[i])
			upperLower := i+1 < len(rs) && isUpper(rs[i-1]) && isUpper(rs[i]) && unicode.IsLower(rs[i+1])
			if !lowerUpper && !upperLower {
				continue
			}
		}
		if part := fold(string(rs[start:i])); part != "" && !(start == 0 && i == len(rs)) {
			f(part)
		}
		start = i
	}
}

// fold returns a word without case and accents, cut to maxWord bytes.
func fold(s string) string {
	ascii := true
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if ascii {
		s = strings.ToLower(s)
	} else {
		var b strings.Builder
		for _, r := range norm.NFKD.String(strings.ToLower(norm.NFKC.String(strings.ToValidUTF8(s, "")))) {
			switch {
			case r == 'ß':
				b.WriteString("ss")
			case unicode.IsLetter(r) || unicode.IsDigit(r):
				b.WriteRune(unicode.ToLower(r))
			}
		}
		s = b.String()
	}
	if len(s) > maxWord {
		s = s[:maxWord]
		for !utf8.ValidString(s) {
			s = s[:len(s)-1]
		}
	}
	return s
}

// A term is one word of a query.
type term struct {
	word   string
	prefix bool // words that begin with it match as well
}

// matches reports whether a word of a server satisfies the term.
func (t term) matches(word string) bool {
	return word == t.word || t.prefix && strings.HasPrefix(word, t.word)
}

// terms returns the words of a query's text, each once, at most maxQuery. The
// last one is a prefix if it has two letters or more and nothing follows it:
// it may still be being typed.
func terms(text string) []term {
	var out []term
	seen := map[string]bool{}
	last := ""
	eachWord(text, false, func(w string) {
		last = w
		if !seen[w] && len(out) < maxQuery {
			seen[w] = true
			out = append(out, term{word: w})
		}
	})
	end, _ := utf8.DecodeLastRuneInString(text)
	if n := len(out); n > 0 && out[n-1].word == last && utf8.RuneCountInString(last) > 1 && len(last) < maxWord && (inWord(end) || unicode.Is(unicode.Mn, end)) {
		out[n-1].prefix = true
	}
	return out
}

// typos is how many typing errors a word of a query may have: none below five
// letters, one from five, two from nine. Only words of Latin letters, with or
// without digits among them, are corrected.
func typos(word string) int {
	letters := 0
	for i := range len(word) {
		switch c := word[i]; {
		case 'a' <= c && c <= 'z':
			letters++
		case c < '0' || c > '9':
			return 0
		}
	}
	switch {
	case letters < 3 || len(word) < 5:
		return 0
	case len(word) < 9:
		return 1
	}
	return 2
}

// distance is the number of letters to insert, delete, replace or exchange
// with their neighbour (each place once: optimal string alignment) that turn a
// into b, or limit+1 if it is more than limit. Both are ASCII.
func distance(a, b string, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	var rows [3][maxWord + 1]int
	two, one, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		one[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(one[j]+1, row[j-1]+1, one[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, two[j-2]+1)
			}
			row[j] = d
			least = min(least, d)
		}
		if least > limit {
			return limit + 1
		}
		two, one, row = one, row, two
	}
	return min(one[len(b)], limit+1)
}

// near reports whether word may have been meant by typed: the same first
// letter and at most the allowed number of typing errors.
func near(typed, word string) (errors int, ok bool) {
	limit := typos(typed)
	if limit == 0 || word == "" || word[0] != typed[0] || word == typed {
		return 0, false
	}
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			return 0, false
		}
	}
	d := distance(typed, word, limit)
	return d, d <= limit
}
