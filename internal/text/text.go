// Package text shortens, compares and formats texts. It imports only the standard library,
// so that every package may use it.
package text

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Cut returns at most the first n bytes of s, without splitting a character.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Shorten is [Cut] with an ellipsis after shortened texts.
func Shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return Cut(s, n) + "…"
}

// Fit returns s in at most n characters. Longer texts end with an ellipsis.
func Fit(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if r := []rune(s); len(r) > n {
		return strings.TrimSpace(string(r[:n-1])) + "…"
	}
	return s
}

// Apart puts a space between the words of mixed case: HTTPServer is HTTP
// Server. One letter is not an acronym: OAuth is one word.
func Apart(s string) string {
	var b strings.Builder
	runes := []rune(s)
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) {
			before := runes[i-1]
			acronym := i > 1 && unicode.IsUpper(before) && unicode.IsUpper(runes[i-2]) &&
				i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if unicode.IsLower(before) || unicode.IsDigit(before) || acronym {
				b.WriteByte(' ')
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Day writes a date in UTC.
func Day(t time.Time) string { return t.UTC().Format("2 Jan 2006") }

// Clean is [Valid] without surrounding space, cut to at most n bytes.
func Clean(s string, n int) string { return strings.TrimSpace(Cut(Valid(s), n)) }

// Thousands formats a number with commas between thousands.
func Thousands[N ~int | ~int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Count formats a number of things, named by a regular noun in the singular: "1 day",
// "2,800 days", "2 advisories".
func Count[N ~int | ~int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Thousands(n) + " " + Plural(noun)
}

// sibilant matches nouns with the plural ending "es".
var sibilant = regexp.MustCompile(`(?:s|x|ch|sh)$`)

// Uptime writes a share of probes of the last 30 days that were answered: "99.8% of 500
// probes in 30 days"; "" if it is unknown. A share below 1 is never 100%.
func Uptime(share *float64, probes int) string {
	if share == nil {
		return ""
	}
	percent := math.Floor(*share*1000+1e-9) / 10 // 0.57*1000 is 569.99…
	return strconv.FormatFloat(percent, 'f', -1, 64) + "% of " + Count(probes, "probe") + " in 30 days"
}

func Plural(noun string) string {
	stem, y := strings.CutSuffix(noun, "y")
	switch {
	case y && stem != "" && !strings.ContainsAny(stem[len(stem)-1:], "aeiou"):
		return stem + "ies"
	case sibilant.MatchString(noun):
		return noun + "es"
	}
	return noun + "s"
}

// JSON encodes v as JSON without HTML escapes, which would make some texts of third parties
// six times as long.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// A Part is a run of elements that two lists have in common or that only one has.
type Part struct {
	Op   byte // ' ' for both lists, '-' for the first only, '+' for the second only
	Text []string
}

// maxCompared is the maximum product of the lengths of two lists that are compared
// element by element.
const maxCompared = 250_000

// Diff compares two lists by their longest common subsequence. Their common prefix is one
// part, and so is their common suffix.
func Diff(a, b []string) (parts []Part) {
	add := func(op byte, elements []string) {
		if n := len(parts) - 1; n >= 0 && parts[n].Op == op {
			parts[n].Text = slices.Concat(parts[n].Text, elements)
		} else if len(elements) > 0 {
			parts = append(parts, Part{op, elements})
		}
	}
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	add(' ', a[:head])
	a, b = a[head:], b[head:]
	tail := 0
	for tail < min(len(a), len(b)) && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	end := a[len(a)-tail:]
	a, b = a[:len(a)-tail], b[:len(b)-tail]
	i, j := compare(a, b, add)
	add('-', a[i:])
	add('+', b[j:])
	add(' ', end)
	return parts
}

// compare adds the parts of two lists up to the end of one of them, and returns the number
// of elements of each that it has added. It adds none of lists that are too long.
func compare(a, b []string, add func(op byte, elements []string)) (i, j int) {
	if len(a)*len(b) > maxCompared {
		return 0, 0
	}
	// common[i][j] is the length of the longest common subsequence of a[i:] and b[j:].
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i, x := range slices.Backward(a) {
		for j, y := range slices.Backward(b) {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); x == y {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			add(' ', a[i:i+1])
			i, j = i+1, j+1
		case common[i+1][j] >= common[i][j+1]:
			add('-', a[i:i+1])
			i++
		default:
			add('+', b[j:j+1])
			j++
		}
	}
	return i, j
}
