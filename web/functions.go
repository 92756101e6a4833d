package web

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

	"mcpcensus/internal/registry"
)

// functions are what templates may call.
var functions = template.FuncMap{
	"packageKind": packageKind,
	"linked":      linked,
	"number": func(v any) string {
		switch v := v.(type) {
		case int:
			return grouped(int64(v))
		case int64:
			return grouped(v)
		case *int:
			if v != nil {
				return grouped(int64(*v))
			}
		case *int64:
			if v != nil {
				return grouped(*v)
			}
		}
		return "unknown"
	},
	"short": func(v any) string {
		switch v := v.(type) {
		case *int:
			if v != nil {
				return brief(int64(*v))
			}
		case *int64:
			if v != nil {
				return brief(*v)
			}
		}
		return "–"
	},
	"day": func(t any) string {
		switch t := t.(type) {
		case time.Time:
			if !t.IsZero() {
				return t.UTC().Format("2 Jan 2006")
			}
		case *time.Time:
			if t != nil {
				return t.UTC().Format("2 Jan 2006")
			}
		}
		return "unknown"
	},
	"moment": func(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 UTC") },
	"ago": func(t any) string {
		switch t := t.(type) {
		case time.Time:
			return ago(time.Now(), t)
		case *time.Time:
			if t != nil {
				return ago(time.Now(), *t)
			}
		}
		return "unknown"
	},
	"iso": func(t any) string {
		switch t := t.(type) {
		case time.Time:
			return t.UTC().Format(time.RFC3339)
		case *time.Time:
			if t != nil {
				return t.UTC().Format(time.RFC3339)
			}
		}
		return ""
	},
	"points":  rounded,
	"percent": func(f float64) string { return strconv.Itoa(int(math.Round(f*100))) + " %" },
	"length":  barLength,
	"month":   func(t *time.Time) string { return t.UTC().Format("Jan 2006") },
	"plural": func(n any, one, more string) string {
		switch v := n.(type) {
		case int64:
			if v == 1 {
				return one
			}
		case int:
			if v == 1 {
				return one
			}
		case *int:
			if v != nil && *v == 1 {
				return one
			}
		}
		return more
	},
	"transport": transportName,
	"chart":     chart.SVG,
	"opens":     opens,
	"bar":       func(part int, whole float64) string { return barLength(float64(part), whole) },
	"outside":   outside,
	"title":     titled,
	"sdkName":   sdkName,
	"deref":     func(p *int) int { return *p },
	"derefF":    func(p *float64) float64 { return *p },
	"addInt":    func(a, b int) int { return a + b },
	"category":  categoryName,
	"reference": reference,
	"cut":       cut,
}

// rounded writes a number with at most one decimal.
func rounded(f float64) string { return strconv.FormatFloat(math.Round(f*10)/10, 'f', -1, 64) }

// reference shortens a commit to its first twelve digits.
func reference(s string) string {
	if len(s) == 40 && strings.Trim(s, "0123456789abcdef") == "" {
		return s[:12]
	}
	return s
}

// cut returns at most n characters of a text, with a sign that more was there.
func cut(n int, s string) string {
	if len(s) <= n {
		return s
	}
	if r := []rune(s); len(r) > n {
		return strings.TrimSpace(string(r[:n-1])) + "…"
	}
	return s
}

// outside returns an address from elsewhere if it may be linked to, else "".
func outside(s string) string {
	if len(s) > 2000 || !strings.HasPrefix(s, "https://") && !strings.HasPrefix(s, "http://") || strings.ContainsAny(s, " \t\r\n\"'<>\\") {
		return ""
	}
	return s
}

// grouped writes a number with thin spaces between thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// brief writes a number of a list: in full below ten thousand, as everywhere
// else, and rounded above.
func brief(n int64) string {
	if n < 10_000 {
		return grouped(n)
	}
	return compact(n)
}

// compact writes a number in at most four characters: 1.2k, 53k, 1.1M.
func compact(n int64) string {
	f := func(v float64, unit string) string {
		if v < 10 {
			return strings.TrimSuffix(strconv.FormatFloat(math.Floor(v*10)/10, 'f', 1, 64), ".0") + unit
		}
		return strconv.FormatFloat(math.Floor(v), 'f', 0, 64) + unit
	}
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 1_000_000:
		return f(float64(n)/1e3, "k")
	case n < 1_000_000_000:
		return f(float64(n)/1e6, "M")
	}
	return f(float64(n)/1e9, "G")
}

// titled returns s with a capital in front.
func titled(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	if first == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(first)) + s[n:]
}

func categoryName(s string) string {
	if s == "api" {
		return "API"
	}
	return titled(s)
}

func sdkName(s string) string {
	names := map[string]string{"typescript": "TypeScript", "csharp": "C#", "php": "PHP", "": "unknown"}
	if n, ok := names[s]; ok {
		return n
	}
	return titled(s)
}

// transportName is a transport as people read it.
func transportName(s string) string {
	switch s {
	case registry.TransportHTTP:
		return "Streamable HTTP"
	case registry.TransportSSE:
		return "SSE"
	}
	return s
}

// addressIn finds addresses in a text.
var addressIn = regexp.MustCompile(`https?://[^\s<>"']+[^\s<>"'.,;:!?)\]]`)

// linked is a text of the operator with its addresses as links.
func linked(text string) template.HTML {
	var b strings.Builder
	end := 0
	for _, at := range addressIn.FindAllStringIndex(text, -1) {
		to := outside(text[at[0]:at[1]])
		if to == "" {
			continue
		}
		b.WriteString(html.EscapeString(text[end:at[0]]) + `<a href="` + html.EscapeString(to) + `">` + html.EscapeString(text[at[0]:at[1]]) + "</a>")
		end = at[1]
	}
	return template.HTML(b.String() + html.EscapeString(text[end:]))
}

// barLength is how long a part of a whole is, of a bar of 100 units.
func barLength(part, whole float64) string {
	if whole <= 0 {
		return "0"
	}
	return strconv.FormatFloat(math.Max(0, math.Min(100, 100*part/whole)), 'f', 1, 64)
}

// ago says how long before now a time was, or the day, where that is long ago.
func ago(now, t time.Time) string {
	d := now.Sub(t)
	count := func(n int, unit string) string {
		if n == 1 {
			return "1 " + unit + " ago"
		}
		return strconv.Itoa(n) + " " + unit + "s ago"
	}
	switch {
	case d < 2*time.Minute:
		return "just now"
	case d < 2*time.Hour:
		return count(int(d.Minutes()), "minute")
	case d < 48*time.Hour:
		return count(int(d.Hours()), "hour")
	case d < 60*24*time.Hour:
		return count(int(d.Hours()/24), "day")
	}
	return t.UTC().Format("2 Jan 2006")
}
