package site

import (
	"html/template"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/web/format"
)

// functions are the functions of templates that need no clock.
var functions = template.FuncMap{
	"hosts":      registry.HostNames,
	"exampleURL": registry.ExampleURL,
	"number":     func(v any) string { return NumberOr(v, text.Thousands[int64], "unknown") },
	"short":      func(v any) string { return NumberOr(v, format.Brief, "–") },
	"points":     format.Decimal,
	"percent":    format.Percent,
	"unmeasured": func(coverage float64) float64 { return 1 - coverage },
	"length":     format.BarLength,
	"plural":     Plural,
	"deref":      func(p *int) int { return *p },
	"derefS":     func(p *string) string { return *p },
	"derefF":     func(p *float64) float64 { return *p },
	"addInt":     func(a, b int) int { return a + b },

	"day":    func(t any) string { return TimeOr(t, text.Day, "unknown") },
	"iso":    func(t any) string { return TimeOr(t, iso, "") },
	"month":  func(t any) string { return TimeOr(t, month, "") },
	"moment": format.Minute,

	"avatar":      func(r registry.Repository) string { return r.AvatarPath() },
	"cut":         func(n int, s string) string { return text.Fit(s, n) },
	"title":       format.Capital,
	"outside":     format.SafeURL,
	"linked":      format.Linked,
	"category":    format.Category,
	"sdkName":     format.SDK,
	"transport":   format.Transport,
	"endpoint":    format.Endpoint,
	"inspection":  (*registry.Inspection).Sentence,
	"packageKind": format.PackageType,
	"source":      format.CheckSource,
	"readFrom":    format.Read,
	"risk":        format.Risk,
	"versionFrom": format.VersionSource,
	"effect":      format.Effect,
	"notable":     format.NotableTokens,
	"tools":       format.Tools,
	"toolSource": func(from string) string {
		return format.ToolSource(from, registry.PackageKey{})
	},
}

// integer returns the value of an int, an int64 or a pointer to one.
func integer(v any) (n int64, known bool) {
	switch v := v.(type) {
	case int:
		return int64(v), true
	case int64:
		return v, true
	case *int:
		if v != nil {
			return int64(*v), true
		}
	case *int64:
		if v != nil {
			return *v, true
		}
	}
	return 0, false
}

// NumberOr writes an int, an int64 or a pointer to one.
func NumberOr(v any, write func(int64) string, unknown string) string {
	if n, ok := integer(v); ok {
		return write(n)
	}
	return unknown
}

// Plural returns one for 1, otherwise many.
func Plural(v any, one, many string) string {
	if n, ok := integer(v); ok && n == 1 {
		return one
	}
	return many
}

// TimeOr writes a time.Time or a pointer to one.
func TimeOr(v any, write func(time.Time) string, unknown string) string {
	if t, ok := v.(*time.Time); ok && t != nil {
		v = *t
	}
	if t, ok := v.(time.Time); ok && !t.IsZero() {
		return write(t)
	}
	return unknown
}

func iso(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func month(t time.Time) string { return t.UTC().Format("Jan 2006") }
