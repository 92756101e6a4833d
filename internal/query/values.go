package query

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unique"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// Values are the values of one server for filters, facets and orders, in a form that is small
// and quick to read. They are immutable.
type Values struct {
	texts   []string              // of all text fields, one field after the other
	ends    [textFields]uint16    // in texts, by the fields' index
	numbers [numberFields]float64 // by the fields' index; NaN if unknown
	name    string                // in the form that is sorted by; "" if unknown
	slug    string
}

// The numbers of text fields that can be filtered by, and of other fields. A test compares them with
// Fields.
const (
	textFields   = 17
	numberFields = 16
)

// ValuesOf returns the values of s. They share no memory with s but the slug.
func ValuesOf(s *registry.Server) *Values {
	v := &Values{slug: s.Slug, name: strings.Clone(text.Cut(sameText(s.Name), maxSortKey))}
	var all [64]string
	texts := all[:0]
	for i := range Fields {
		f := &Fields[i]
		switch {
		case f.Kind == Text && !f.Filter:
		case f.Kind == Text:
			from := len(texts)
			for _, t := range f.Texts(s) {
				if t != "" && !slices.Contains(texts[from:], t) {
					texts = append(texts, unique.Make(t).Value())
				}
			}
			texts = texts[:min(len(texts), math.MaxUint16)]
			v.ends[f.index] = uint16(len(texts))
		default:
			n, known := f.Num(s)
			if !known {
				n = math.NaN()
			}
			v.numbers[f.index] = n
		}
	}
	v.texts = slices.Clone(texts)
	return v
}

// Texts returns the values of a text field that can be filtered by. The caller
// must not change them.
func (v *Values) Texts(f *Field) []string {
	from := uint16(0)
	if f.index > 0 {
		from = v.ends[f.index-1]
	}
	to := v.ends[f.index]
	return v.texts[from:to:to]
}

// Num returns the value of a field of another kind, and false if it is unknown.
func (v *Values) Num(f *Field) (float64, bool) {
	n := v.numbers[f.index]
	return n, !math.IsNaN(n)
}

func (v *Values) Slug() string { return v.slug }

// Name returns the sort key of the name, "" if it is unknown.
func (v *Values) Name() string { return v.name }

// Matcher returns a function that reports whether a server satisfies all
// filters. A filter on a field that does not exist matches no server. It is safe for
// concurrent use. [Select] does the same for [Values].
func Matcher(filters []Filter) func(*registry.Server) bool {
	s := Select(filters, nil, false)
	return func(server *registry.Server) bool { return s.Add(ValuesOf(server)) }
}

func never(*Values) bool { return false }

func (f Filter) test() func(*Values) bool {
	field := FieldNamed(f.Field)
	switch {
	case field == nil || !field.Filter:
		return never
	case f.Op == OpExists:
		return f.existsTest(field)
	case field.Kind == Text:
		return f.textTest(field)
	}
	return f.numberTest(field)
}

func (f Filter) existsTest(field *Field) func(*Values) bool {
	if len(f.Values) != 1 {
		return never
	}
	want, ok := f.Values[0].(bool)
	if !ok {
		return never
	}
	if field.Kind == Text {
		return func(v *Values) bool { return len(v.Texts(field)) > 0 == want }
	}
	return func(v *Values) bool {
		_, known := v.Num(field)
		return known == want
	}
}

func (f Filter) textTest(field *Field) func(*Values) bool {
	var among []string
	for _, v := range f.Values {
		if t, ok := v.(string); ok {
			among = append(among, sameText(t))
		}
	}
	has := func(v *Values) bool {
		return slices.ContainsFunc(v.Texts(field), func(t string) bool {
			return slices.Contains(among, sameText(t))
		})
	}
	switch f.Op {
	case OpEq, OpIn:
		return has
	case OpNe:
		return func(v *Values) bool { return !has(v) }
	}
	return never
}

func (f Filter) numberTest(field *Field) func(*Values) bool {
	var among []float64
	for _, v := range f.Values {
		if n, ok := field.numberOf(v); ok {
			among = append(among, n)
		}
	}
	if f.Op == OpNe {
		return func(v *Values) bool {
			n, known := v.Num(field)
			return !known || !slices.Contains(among, n)
		}
	}
	if len(among) == 0 {
		return never
	}
	// A comparison with NaN, which means unknown, is false.
	limit := among[0]
	switch f.Op {
	case OpEq, OpIn:
		return func(v *Values) bool { return slices.Contains(among, v.numbers[field.index]) }
	case OpGt:
		return func(v *Values) bool { return v.numbers[field.index] > limit }
	case OpGte:
		return func(v *Values) bool { return v.numbers[field.index] >= limit }
	case OpLt:
		return func(v *Values) bool { return v.numbers[field.index] < limit }
	case OpLte:
		return func(v *Values) bool { return v.numbers[field.index] <= limit }
	}
	return never
}

// A Selection selects servers by filters and counts their facets.
type Selection struct {
	tests  []func(*Values) bool
	facets []facet
}

// A facet counts the values of one field.
type facet struct {
	field *Field
	own   []int // tests that it is counted without
	count map[string]int
}

// Select returns a selection that counts the named facets: how many of the selected servers
// have each value. With others, a facet is counted without [OpIn] filters on its own field:
// how many servers each other choice would return.
func Select(filters []Filter, facets []string, others bool) *Selection {
	s := &Selection{}
	for _, f := range filters {
		s.tests = append(s.tests, f.test())
	}
	for _, name := range facets {
		c := facet{field: FieldNamed(name), count: map[string]int{}}
		for i, f := range filters {
			if others && f.Field == name && f.Op == OpIn {
				c.own = append(c.own, i)
			}
		}
		s.facets = append(s.facets, c)
	}
	return s
}

// Add counts a server and reports whether it satisfies all filters.
func (s *Selection) Add(v *Values) bool {
	failed, failures := -1, 0
	for i, test := range s.tests {
		if !test(v) {
			failed = i
			if failures++; failures > 1 {
				return false
			}
		}
	}
	for i := range s.facets {
		c := &s.facets[i]
		if failures == 0 || slices.Contains(c.own, failed) {
			for _, t := range v.Texts(c.field) {
				c.count[t]++
			}
		}
	}
	return failures == 0
}

// Merge adds the counts of another selection with the same facets.
func (s *Selection) Merge(other *Selection) {
	for i, c := range other.facets {
		for value, n := range c.count {
			s.facets[i].count[value] += n
		}
	}
}

// Counts returns the counts by facet and value.
func (s *Selection) Counts() map[string]map[string]int {
	out := make(map[string]map[string]int, len(s.facets))
	for _, c := range s.facets {
		out[c.field.Name] = c.count
	}
	return out
}

func FacetNames() (names []string) {
	for _, f := range Fields {
		if f.Facet {
			names = append(names, f.Name)
		}
	}
	return names
}

// Comparer returns a function that compares servers under orders, normally from
// [Query.Orders]: negative if a is before b, positive if it is after b, and 0 only for servers
// with the same slug. Unknown values are last in either direction, and slugs ascend. Relevance
// is ignored.
func Comparer(orders []Order) func(a, b *Values) int {
	keys := make([]*Field, len(orders))
	for i, o := range orders {
		keys[i] = SortNamed(o.Field)
	}
	return func(a, b *Values) int {
		for i, f := range keys {
			if f == nil {
				continue
			}
			if c := compareBy(f, orders[i].Desc, a, b); c != 0 {
				return c
			}
		}
		return strings.Compare(a.slug, b.slug)
	}
}

func compareBy(f *Field, desc bool, a, b *Values) int {
	if f.Kind == Text {
		return compareKnown(a.name, b.name, a.name != "", b.name != "", desc)
	}
	x, y := a.numbers[f.index], b.numbers[f.index]
	return compareKnown(x, y, !math.IsNaN(x), !math.IsNaN(y), desc)
}

// compareKnown compares two values, unknown ones last.
func compareKnown[T cmp.Ordered](x, y T, xKnown, yKnown, desc bool) int {
	switch {
	case !xKnown && !yKnown:
		return 0
	case !xKnown:
		return 1
	case !yKnown:
		return -1
	case desc:
		return cmp.Compare(y, x)
	}
	return cmp.Compare(x, y)
}

// Position returns the server's position under orders, normally from [Query.Orders]. The key
// of relevance is nil.
func (v *Values) Position(orders []Order) Position {
	p := Position{Keys: make([]any, len(orders)), Slug: v.slug}
	for i, o := range orders {
		f := SortNamed(o.Field)
		if f == nil {
			continue
		}
		if f.Kind == Text {
			if v.name != "" {
				p.Keys[i] = v.name
			}
		} else if n, known := v.Num(f); known {
			p.Keys[i] = n
		}
	}
	return p
}

// ComparePositions compares positions as [Comparer] compares servers, with
// relevance taken into account. Both must have been made with the same orders.
func ComparePositions(a, b Position, orders []Order) int {
	for i, o := range orders {
		if i >= len(a.Keys) || i >= len(b.Keys) {
			break
		}
		if c := compareKeys(a.Keys[i], b.Keys[i], o.Desc); c != 0 {
			return c
		}
	}
	return strings.Compare(a.Slug, b.Slug)
}

func compareKeys(a, b any, desc bool) int {
	if s, ok := a.(string); ok {
		t, ok := b.(string)
		return compareKnown(s, t, true, ok, desc)
	}
	if _, ok := b.(string); ok {
		return 1
	}
	x, xKnown := a.(float64)
	y, yKnown := b.(float64)
	return compareKnown(x, y, xKnown, yKnown, desc)
}

// Fits reports whether the position has a key of the right kind for each order. Positions in
// cursors are untrusted.
func (p *Position) Fits(orders []Order) bool {
	if len(p.Keys) != len(orders) || p.Slug == "" {
		return false
	}
	for i, o := range orders {
		f := SortNamed(o.Field)
		isText := f != nil && f.Kind == Text
		switch p.Keys[i].(type) {
		case nil:
		case string:
			if !isText {
				return false
			}
		case float64:
			if isText {
				return false
			}
		default:
			return false
		}
	}
	return true
}
