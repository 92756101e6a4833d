package fakegithub

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

const searchReach = 1000

// A query is a parsed search: words and tests, all of which must hold.
type query struct {
	words []string
	where []string // fields that words are looked for in
	tests []func(*repo) bool
}

// search finds repositories as GitHub does, by words and qualifiers. Forks are not
// found.
func (w *Server) search(text string) ([]*repo, error) {
	q, err := parseQuery(text)
	if err != nil {
		return nil, err
	}
	var found []*repo
	for _, r := range w.all() {
		if q.matches(r) {
			found = append(found, r)
		}
	}
	return found, nil
}

func parseQuery(text string) (*query, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("q is missing")
	}
	q := &query{where: []string{"name", "description", "topics"}}
	for _, term := range terms(text) {
		key, value, isQualifier := strings.Cut(term, ":")
		key, negated := strings.CutPrefix(key, "-")
		switch {
		case !isQualifier:
			q.words = append(q.words, strings.ToLower(term))
		case key == "in":
			q.where = strings.Split(value, ",")
		default:
			test, err := qualifier(key, value)
			if err != nil {
				return nil, err
			}
			q.tests = append(q.tests, func(r *repo) bool { return test(r) != negated })
		}
	}
	return q, nil
}

func (q *query) matches(r *repo) bool {
	if r.parent != "" {
		return false
	}
	for _, test := range q.tests {
		if !test(r) {
			return false
		}
	}
	for _, word := range q.words {
		if !r.contains(word, q.where) {
			return false
		}
	}
	return true
}

// qualifier returns the test of a qualifier such as pushed:>=2026-01-31.
func qualifier(key, value string) (func(*repo) bool, error) {
	switch key {
	case "topic":
		return func(r *repo) bool { return slices.Contains(r.topics, strings.ToLower(value)) }, nil
	case "is":
		return func(r *repo) bool { return value == "public" || value == "archived" && !r.archivedAt.IsZero() }, nil
	case "created", "pushed":
		from, to, err := dates(value)
		return func(r *repo) bool {
			t := r.createdAt
			if key == "pushed" {
				t = r.pushedAt
			}
			return !t.Before(from) && (to.IsZero() || t.Before(to))
		}, err
	}
	return nil, fmt.Errorf("fakegithub: the qualifier %s is not modelled", key)
}

// contains looks for a word or a phrase in the named fields.
func (r *repo) contains(word string, where []string) bool {
	for _, f := range where {
		var s string
		switch f {
		case "name":
			s = r.fullName()
		case "description":
			s = r.description
		case "topics":
			s = strings.Join(r.topics, " ")
		case "readme":
			s = r.files[r.readme()]
		}
		if strings.Contains(strings.ToLower(s), word) {
			return true
		}
	}
	return false
}

// terms splits a query at spaces outside of quotes.
func terms(q string) []string {
	var all []string
	var b strings.Builder
	quoted := false
	flush := func() {
		if b.Len() > 0 {
			all = append(all, b.String())
			b.Reset()
		}
	}
	for _, c := range q {
		switch {
		case c == '"':
			quoted = !quoted
		case (c == ' ' || c == '\t' || c == '\n') && !quoted:
			flush()
		default:
			b.WriteRune(c)
		}
	}
	flush()
	return all
}

// dates reads a date range of a search, "A..B" or ">=A"; to is exclusive and zero where
// there is no end.
func dates(s string) (from, to time.Time, err error) {
	day := func(s string) (start, end time.Time, err error) {
		if t, err := time.Parse(time.DateOnly, s); err == nil {
			return t, t.AddDate(0, 0, 1), nil
		}
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return t, t, fmt.Errorf("%q is not a recognized date/time format", s)
		}
		return t, t.Add(time.Second), nil
	}
	if a, b, ok := strings.Cut(s, ".."); ok {
		if from, _, err = day(a); err == nil {
			_, to, err = day(b)
		}
		return from, to, err
	}
	first, ok := strings.CutPrefix(s, ">=")
	if !ok {
		return from, to, fmt.Errorf("fakegithub: the date %q is not modelled", s)
	}
	from, _, err = day(first)
	return from, to, err
}
