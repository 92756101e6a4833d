// Package query defines how servers are filtered, counted and sorted: it parses
// filters and sorts, and evaluates them.
package query

import (
	"slices"
	"strings"

	"mcpcensus/internal/registry"
)

// A Query selects a page of listed servers. Search engines match its text; the read model
// evaluates the rest.
type Query struct {
	Text string // "" for all
	// AllWords leaves out servers that match only some of the meaningful words of Text.
	AllWords bool
	Filters  []Filter // all must be satisfied
	Sort     []Order  // see [Query.Orders]
	Limit    int      // 1 to 100
	Offset   int
	After    *Position // continue after this position, instead of Offset
	Facets   bool      // count the facets over all results
}

// A Filter is a condition on one of the [Fields] of a server.
type Filter struct {
	Field string
	Op    Op
	// Values has one value, for OpIn any number of them. A value is a string,
	// a float64, a bool or a time.Time, according to the field's kind.
	Values []any
}

// Equal returns the filter for servers whose field has the value.
func Equal(field string, value any) Filter {
	return Filter{Field: field, Op: OpEq, Values: []any{value}}
}

// AtLeast returns the filter for servers whose field has at least the value.
func AtLeast(field string, value float64) Filter {
	return Filter{Field: field, Op: OpGte, Values: []any{value}}
}

// An Op compares a field with a value. A field with several values (tags,
// transport, tools, …) satisfies OpEq and OpIn if one of them does, OpNe if
// none is equal. An unknown field satisfies only OpNe.
type Op string

// The operators of a filter.
const (
	OpEq     Op = "eq"
	OpNe     Op = "ne"
	OpGt     Op = "gt"
	OpGte    Op = "gte"
	OpLt     Op = "lt"
	OpLte    Op = "lte"
	OpIn     Op = "in"
	OpExists Op = "exists" // Values[0] is a bool
)

// An Order sorts by one of [SortNames]. Unknown values are last in either direction.
type Order struct {
	Field string
	Desc  bool
}

// A Position is a server's position in a list. It stays meaningful when the
// server changes or is removed.
type Position struct {
	Keys []any // the values sorted by, one for each of [Query.Orders]; nil if unknown
	Slug string
}

// Matches are the servers that a text matches.
type Matches struct {
	Slugs []string // those that match all meaningful words first; of both groups, best first
	All   int      // how many of the first Slugs match all meaningful words
	// Corrected is the text that was searched for instead of the typed one, because no server has
	// one of its words; "" without a correction.
	Corrected string
	// Degraded reports that the index did not respond and the read model was
	// scanned in its place.
	Degraded bool
}

// MatchModes are the ways in which the words of a text match: servers must have all meaningful words,
// or some.
var MatchModes = []string{MatchAll, MatchSome}

// The values of [MatchModes].
const (
	MatchAll  = "all"
	MatchSome = "some"
)

// Of returns the servers among which the filters of a query are evaluated.
func (m Matches) Of(q Query) []string {
	if q.AllWords && q.Text != "" {
		return m.Slugs[:m.All:m.All]
	}
	return m.Slugs
}

// First returns m with the servers first that have all, which is a part of its servers.
func (m Matches) First(all []string) Matches {
	has := make(map[string]bool, len(all))
	for _, slug := range all {
		has[slug] = true
	}
	front := make([]string, 0, len(m.Slugs))
	var rest []string
	for _, slug := range m.Slugs {
		if has[slug] {
			front = append(front, slug)
		} else {
			rest = append(rest, slug)
		}
	}
	m.Slugs, m.All = append(front, rest...), len(front)
	return m
}

// MaxMatches is how many servers a text matches at most: the best.
const MaxMatches = 10_000

// Results are a page of slugs, best first.
type Results struct {
	Slugs     []string
	Total     int // of all pages; exact
	Facets    map[string]map[string]int
	Positions []Position // of Slugs, for cursors
}

// Orders returns all orders of the query: its sort or the default (relevance with a text,
// quality without), then quality and stars, both descending, as ties. Slugs, ascending, are
// last and not included. Relevance counts only as the first order and with a text; it is
// followed by the recommendation and the ties.
func (q *Query) Orders() []Order {
	out := make([]Order, 0, len(q.Sort)+2)
	add := func(o Order) {
		if !slices.ContainsFunc(out, func(p Order) bool { return p.Field == o.Field }) {
			out = append(out, o)
		}
	}
	if len(q.Sort) == 0 && q.Text != "" {
		add(Order{Field: Relevance, Desc: true})
		add(Order{Field: Recommended, Desc: true})
	}
	for _, o := range q.Sort {
		if o.Field == Relevance {
			if q.Text == "" || len(out) > 0 {
				continue
			}
			add(Order{Field: Relevance, Desc: true})
			add(Order{Field: Recommended, Desc: true})
			break
		}
		if SortNamed(o.Field) != nil {
			add(o)
		}
	}
	add(Order{Field: "qualityScore", Desc: true})
	add(Order{Field: "stars", Desc: true})
	return out
}

// ParseSort reads a sort: fields separated by commas, each "field:asc", "field:desc", "-field"
// (descending) or a bare field in its natural direction. Relevance requires a text. Empty
// input returns no orders, which is the default. The error is a [registry.Error] of kind
// ErrInvalid about "sort".
func ParseSort(s string, hasText bool) ([]Order, error) {
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	var out []Order
	for part := range strings.SplitSeq(s, ",") {
		o, err := parseOrder(strings.TrimSpace(part), hasText)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(p Order) bool { return p.Field == o.Field }) {
			return nil, registry.Invalid("sort", "must not name %s twice", o.Field)
		}
		out = append(out, o)
	}
	return out, nil
}

func parseOrder(s string, hasText bool) (o Order, err error) {
	name, direction, given := strings.Cut(s, ":")
	name, minus := strings.CutPrefix(name, "-")
	field := SortNamed(name)
	switch {
	case field == nil && name != Relevance, name == active:
		return o, registry.Invalid("sort", "must be by %s, each with :asc or :desc, got %q",
			strings.Join(SortNames(), ", "), brief(name))
	case name == Relevance && !hasText:
		return o, registry.Invalid("sort", "must not be by relevance without a search text")
	case minus && given:
		return o, registry.Invalid("sort", "must have one direction, got %q", brief(s))
	case given && direction != "asc" && direction != "desc":
		return o, registry.Invalid("sort", "must have the direction :asc or :desc, got %q",
			brief(direction))
	case name == Relevance && direction == "asc":
		return o, registry.Invalid("sort", "by relevance must be descending")
	}
	o = Order{Field: name, Desc: minus || direction == "desc"}
	if !minus && !given {
		o.Desc = field == nil || field.Desc
	}
	return o, nil
}

// SortNames returns the names of sortable fields.
func SortNames() []string {
	return []string{Relevance, Recommended, "qualityScore", "stars", "downloads", "popularity", "updated",
		"created", "toolTokens", "name"}
}

// FormatSort returns orders in the form that [ParseSort] reads.
func FormatSort(orders []Order) string {
	parts := make([]string, len(orders))
	for i, o := range orders {
		parts[i] = o.Field + ":asc"
		if o.Desc {
			parts[i] = o.Field + ":desc"
		}
	}
	return strings.Join(parts, ",")
}
