// Package format formats values for pages, and makes texts from outside safe
// for other formats.
package format

import (
	"html"
	"html/template"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mcpcensus/internal/text"
)

// Brief writes a number in full below ten thousand, and rounded down above.
func Brief(n int64) string {
	if n < 10_000 {
		return text.Thousands(n)
	}
	return Compact(n)
}

// Compact writes a number in at most four characters: 1.2k, 53k, 1.1M.
func Compact(n int64) string {
	unit := func(v float64, unit string) string {
		if v < 10 {
			return strings.TrimSuffix(strconv.FormatFloat(math.Floor(v*10)/10, 'f', 1, 64), ".0") +
				unit
		}
		return strconv.FormatFloat(math.Floor(v), 'f', 0, 64) + unit
	}
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 1_000_000:
		return unit(float64(n)/1e3, "k")
	case n < 1_000_000_000:
		return unit(float64(n)/1e6, "M")
	}
	return unit(float64(n)/1e9, "G")
}

// Decimal writes a number with at most one decimal.
func Decimal(f float64) string {
	return strconv.FormatFloat(math.Round(f*10)/10, 'f', -1, 64)
}

// Percent writes a share of 1 as a percentage.
func Percent(share float64) string { return strconv.Itoa(int(math.Round(share*100))) + "%" }

// BarLength is how long a part of a whole is on a bar of 100 units.
func BarLength(part, whole float64) string {
	if whole <= 0 {
		return "0"
	}
	return strconv.FormatFloat(math.Max(0, math.Min(100, 100*part/whole)), 'f', 1, 64)
}

// Minute writes a date with its time in UTC.
func Minute(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 UTC") }

// Ago writes how long before now t was, or its date if that is long ago.
func Ago(now, t time.Time) string {
	switch d := now.Sub(t); {
	case d < 2*time.Minute:
		return "just now"
	case d < 2*time.Hour:
		return text.Count(int64(d.Minutes()), "minute") + " ago"
	case d < 48*time.Hour:
		return text.Count(int64(d.Hours()), "hour") + " ago"
	case d < 60*24*time.Hour:
		return text.Count(int64(d.Hours()/24), "day") + " ago"
	}
	return text.Day(t)
}

// Clip returns the first n characters of a text, as valid UTF-8.
func Clip(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}

// Capital returns s with an upper-case first letter.
func Capital(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	if first == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(first)) + s[n:]
}

// maxXMLText is the length in characters of the longest text in XML.
const maxXMLText = 500

// XMLText returns a text in one line, at most 500 characters long, without
// characters that XML 1.0 forbids. It does not escape markup.
func XMLText(s string) string { return text.Fit(text.OneLine(s), maxXMLText) }

const maxURL = 2000

// SafeURL returns an external URL if pages may link to it, otherwise "".
func SafeURL(s string) string {
	if len(s) > maxURL || !strings.HasPrefix(s, "https://") && !strings.HasPrefix(s, "http://") ||
		text.Unsafe(s) != "" || strings.ContainsAny(s, " \"'<>\\") {
		return ""
	}
	return s
}

var urlInText = regexp.MustCompile(`https?://[^\s<>"']+[^\s<>"'.,;:!?)\]]`)

// Linked returns a text of the operator as HTML, with URLs as links.
func Linked(s string) template.HTML {
	var b strings.Builder
	end := 0
	for _, at := range urlInText.FindAllStringIndex(s, -1) {
		to := SafeURL(s[at[0]:at[1]])
		if to == "" {
			continue
		}
		to = html.EscapeString(to)
		b.WriteString(html.EscapeString(s[end:at[0]]) + `<a href="` + to + `">` + to + "</a>")
		end = at[1]
	}
	return template.HTML(b.String() + html.EscapeString(s[end:]))
}
