package record

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/web/format"
)

// A Section is a category of a score with its checks.
type Section struct {
	registry.HealthSection
	All []Check // those that failed or passed partially first
}

// A Check is a check with the prefix of its element's id.
type Check struct {
	registry.Check
	Prefix string
	Aged   *time.Time // when it was observed, if [Record.Aged]
}

// Origin is the source and date of the check, "" if unknown.
func (c Check) Origin() string {
	if c.ObservedAt == nil {
		return ""
	}
	return format.CheckSource(c.Source) + ", " + text.Day(*c.ObservedAt)
}

// Sections are the categories of the score.
func (r Record) Sections() (all []Section) {
	for _, h := range r.Health.Categories {
		s := Section{HealthSection: h}
		for _, c := range h.Checks {
			s.All = append(s.All, Check{c, r.Prefix, r.Aged(c.ObservedAt)})
		}
		slices.SortStableFunc(s.All, func(a, b Check) int { return cmp.Compare(a.rank(), b.rank()) })
		all = append(all, s)
	}
	return all
}

var results = []struct{ result, word string }{{"fail", "failed"}, {"partial", "partial"},
	{"unknown", "unknown"}, {"notApplicable", "not applicable"}, {"pass", "passed"}}

func (c Check) rank() int {
	return slices.IndexFunc(results, func(r struct{ result, word string }) bool { return r.result == c.Result })
}

// Summary counts the checks by their results.
func (s Section) Summary() string {
	var all []string
	for i, r := range results {
		n := 0
		for _, c := range s.All {
			if c.rank() == i {
				n++
			}
		}
		if n > 0 {
			all = append(all, strconv.Itoa(n)+" "+r.word)
		}
	}
	return strings.Join(all, ", ")
}

var resultWords = map[string]string{"pass": "✓ passed", "partial": "◐ partial", "fail": "✕ failed",
	"unknown": "? unknown"}

func (c Check) Word() string { return cmp.Or(resultWords[c.Result], "– not applicable") }

// A Source is evidence of a check, shortened. Page is "" for evidence without one.
type Source struct{ Ref, Page, Text string }

func (c Check) Sources() (all []Source) {
	for _, e := range c.Evidence {
		all = append(all, Source{text.Fit(format.Commit(e.Ref), 60),
			cmp.Or(format.SafeURL(e.URL), evidencePage(e)), text.Fit(e.Text, 140)})
	}
	return all
}
