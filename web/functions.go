package web

import (
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mcpcensus/internal/registry"
)

// functions are what templates may call.
var functions = template.FuncMap{
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
				return compact(int64(*v))
			}
		case *int64:
			if v != nil {
				return compact(*v)
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
	"points":  func(f float64) string { return strconv.FormatFloat(math.Round(f*10)/10, 'f', -1, 64) },
	"percent": func(f float64) string { return strconv.Itoa(int(math.Round(f*100))) + " %" },
	"length": func(part, whole float64) string { // of a bar of 100 units
		if whole <= 0 {
			return "0"
		}
		return strconv.FormatFloat(math.Max(0, math.Min(100, 100*part/whole)), 'f', 1, 64)
	},
	"month": func(t *time.Time) string { return t.UTC().Format("Jan 2006") },
	"plural": func(n any, one, more string) string {
		switch v := n.(type) {
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
	"outside":   outside,
	"title":     titled,
	"sdkName":   sdkName,
	"deref":     func(p *int) int { return *p },
	"derefF":    func(p *float64) float64 { return *p },
	"addInt":    func(a, b int) int { return a + b },
	"category":  categoryName,
	"reference": func(s string) string { // a commit by its first twelve digits
		if len(s) == 40 && strings.Trim(s, "0123456789abcdef") == "" {
			return s[:12]
		}
		return s
	},
	"cut": func(n int, s string) string {
		if r := []rune(s); len(r) > n {
			return strings.TrimSpace(string(r[:n-1])) + "…"
		}
		return s
	},
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
