// Package query selects and orders servers: it parses filters and sorts, and
// evaluates them on a [registry.Server].
package query

import (
	"slices"
	"strings"

	"mcpcensus/internal/registry"
)

// A Query asks for a page of listed servers. It means the same to the read
// model, to Bleve and to Meilisearch.
type Query struct {
	Text    string   // "" for all
	Filters []Filter // all must hold
	Sort    []Order  // empty: relevance with Text, quality without; ties by quality, stars, slug
	Limit   int      // 1 to 100
	Offset  int
	After   *Position // continues behind this server instead of at Offset
	Facets  bool      // count category, sdk, license, transport and grade over the whole match
}

// A Filter is a condition on one field of a server. The fields are those of
// section 5 of the API's description: category, sdk, language, framework,
// tags, license, transport, type, registryType, owner, source, status,
// official, verified, archived, grade, qualityScore, popularity, stars,
// downloads, toolCount, tools, updatedAt, createdAt.
type Filter struct {
	Field string
	Op    Op
	// Values has one value, for OpIn any number of them. A value is a string,
	// a float64, a bool or a time.Time, as the field's kind wants.
	Values []any
}

// An Op compares a field with a value. A field with several values (tags,
// transport, tools, …) satisfies OpEq and OpIn if one of them does, OpNe if
// none is equal. An unknown field satisfies no comparison but OpNe.
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

// An Order sorts by one field: relevance, qualityScore, stars, downloads,
// popularity, updated, created or name. Unknown values come last either way.
type Order struct {
	Field string
	Desc  bool
}

// A Position is a server's place in a listing: the values that it was sorted
// by, and its slug.
type Position struct {
	Keys []any // as many as the query has orders, ties included; a nil is an unknown value
	Slug string
}

// Results are a page of slugs, best first.
type Results struct {
	Slugs  []string
	Total  int // of all pages; exact
	Facets map[string]map[string]int
	// Positions are the places of Slugs, for cursors.
	Positions []Position
	// Degraded says that the index did not answer and the read model was
	// scanned instead.
	Degraded bool
}

// ParseSort reads a sort: fields separated by commas, each "field:asc",
// "field:desc", "-field" (descending) or a bare field in its natural
// direction. Relevance needs a text. Empty input gives no orders, which is the
// default. The error is an [Error] of kind ErrInvalid about "sort".
func ParseSort(s string, hasText bool) ([]Order, error) {
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	var out []Order
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		name, direction, given := strings.Cut(part, ":")
		name, minus := strings.CutPrefix(name, "-")
		field := SortNamed(name)
		switch {
		case field == nil && name != Relevance:
			return nil, registry.Invalid("sort", "has no field %q; allowed are %s, each with :asc or :desc", brief(name), strings.Join(SortNames(), ", "))
		case name == Relevance && !hasText:
			return nil, registry.Invalid("sort", "cannot be by relevance without a text to search for")
		case minus && given:
			return nil, registry.Invalid("sort", "%q has a direction twice", brief(part))
		case given && direction != "asc" && direction != "desc":
			return nil, registry.Invalid("sort", "direction %q is not known; use :asc or :desc", brief(direction))
		case name == Relevance && direction == "asc":
			return nil, registry.Invalid("sort", "by relevance is always descending")
		case slices.ContainsFunc(out, func(o Order) bool { return o.Field == name }):
			return nil, registry.Invalid("sort", "names %s twice", name)
		}
		o := Order{Field: name, Desc: minus || direction == "desc"}
		if !minus && !given {
			o.Desc = field == nil || field.Desc
		}
		out = append(out, o)
	}
	return out, nil
}

// SortNames returns the names of the fields that one can sort by.
func SortNames() []string {
	return []string{Relevance, "qualityScore", "stars", "downloads", "popularity", "updated", "created", "name"}
}
