package query

import (
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/registry"
)

// A Kind is what the values of a field are.
type Kind int

// The kinds of a field. Numbers are compared as float64, times by the
// microsecond, text without regard to case.
const (
	Text Kind = iota
	Number
	Time
	Bool
)

func (k Kind) String() string { return [...]string{"text", "number", "time", "boolean"}[k] }

// A Field is what filters, sorts and facets know of one property of a server.
type Field struct {
	Name string
	Kind Kind

	Filter bool   // may stand in a filter
	Facet  bool   // is counted where facets are asked for
	Sort   string // its name in a sort, "" if it cannot be sorted by
	Desc   bool   // its natural direction is descending

	// Allowed are the values that a filter may name, nil if they are open.
	Allowed []string

	// One of the two is set. Texts appends the values of a text field as they
	// are shown, none if unknown. Num returns the value of the other kinds,
	// times as microseconds since 1970, booleans as 0 or 1, and false if it is
	// unknown.
	Texts func(*registry.Server, []string) []string
	Num   func(*registry.Server) (float64, bool)
}

// The values of the field "type".
const (
	TypeRemote  = "remote"
	TypePackage = "package"
)

// Relevance is the sort that puts the best match of the query's text first.
const Relevance = "relevance"

// Fields are the fields of the API's description, in the order in which
// messages list them.
var Fields = []Field{
	{Name: "category", Filter: true, Facet: true, Allowed: registry.Categories, Texts: one(func(s *registry.Server) string { return s.Category })},
	{Name: "sdk", Filter: true, Facet: true, Allowed: registry.SDKs, Texts: one(func(s *registry.Server) string { return s.SDK })},
	{Name: "language", Filter: true, Texts: one(func(s *registry.Server) string { return s.Language })},
	{Name: "framework", Filter: true, Texts: one(func(s *registry.Server) string { return s.Framework })},
	{Name: "tags", Filter: true, Texts: func(s *registry.Server, to []string) []string { return appendSome(to, s.Tags) }},
	{Name: "license", Filter: true, Facet: true, Texts: one(func(s *registry.Server) string { return s.License })},
	{Name: "transport", Filter: true, Facet: true, Allowed: registry.Transports, Texts: func(s *registry.Server, to []string) []string { return appendSome(to, s.Transports) }},
	{Name: "type", Filter: true, Allowed: []string{TypeRemote, TypePackage}, Texts: func(s *registry.Server, to []string) []string {
		if len(s.Remotes) > 0 {
			to = append(to, TypeRemote)
		}
		if len(s.Packages) > 0 {
			to = append(to, TypePackage)
		}
		return to
	}},
	{Name: "registryType", Filter: true, Allowed: registry.RegistryTypes, Texts: func(s *registry.Server, to []string) []string {
		for i := range s.Packages {
			to = appendSome(to, []string{s.Packages[i].RegistryType})
		}
		return to
	}},
	{Name: "owner", Filter: true, Texts: one(func(s *registry.Server) string { return s.Repo.Owner })},
	{Name: "source", Filter: true, Texts: func(s *registry.Server, to []string) []string {
		for i := range s.Sources {
			to = appendSome(to, []string{s.Sources[i].Name})
		}
		return to
	}},
	{Name: "status", Filter: true, Allowed: registry.Statuses, Texts: one(func(s *registry.Server) string { return s.Status })},
	{Name: "official", Kind: Bool, Filter: true, Num: yes(func(s *registry.Server) bool { return s.Official })},
	{Name: "verified", Kind: Bool, Filter: true, Num: yes(func(s *registry.Server) bool { return s.Verified })},
	{Name: "archived", Kind: Bool, Filter: true, Num: yes(func(s *registry.Server) bool { return s.Repo.Archived })},
	{Name: "grade", Filter: true, Facet: true, Allowed: registry.Grades, Texts: one(func(s *registry.Server) string { return s.Health.Grade })},
	{Name: "qualityScore", Kind: Number, Filter: true, Sort: "qualityScore", Desc: true, Num: count(func(s *registry.Server) *int { return s.Health.Score })},
	{Name: "popularity", Kind: Number, Filter: true, Sort: "popularity", Desc: true, Num: count(func(s *registry.Server) *int { return s.Popularity.Score })},
	{Name: "stars", Kind: Number, Filter: true, Sort: "stars", Desc: true, Num: count(func(s *registry.Server) *int { return s.Stars })},
	{Name: "downloads", Kind: Number, Filter: true, Sort: "downloads", Desc: true, Num: func(s *registry.Server) (float64, bool) {
		if s.Downloads == nil {
			return 0, false
		}
		return float64(*s.Downloads), true
	}},
	{Name: "toolCount", Kind: Number, Filter: true, Num: count(func(s *registry.Server) *int { return s.ToolCount })},
	{Name: "tools", Filter: true, Texts: func(s *registry.Server, to []string) []string {
		for i := range s.Tools {
			to = appendSome(to, []string{s.Tools[i].Name})
		}
		return to
	}},
	{Name: "updatedAt", Kind: Time, Filter: true, Sort: "updated", Desc: true, Num: moment(func(s *registry.Server) time.Time { return s.UpdatedAt })},
	{Name: "createdAt", Kind: Time, Filter: true, Sort: "created", Desc: true, Num: moment(func(s *registry.Server) time.Time { return s.CreatedAt })},
	{Name: "name", Sort: "name", Texts: one(func(s *registry.Server) string { return s.Name })},
}

var fieldsByName, fieldsBySort = func() (map[string]*Field, map[string]*Field) {
	byName, bySort := map[string]*Field{}, map[string]*Field{}
	for i := range Fields {
		f := &Fields[i]
		byName[f.Name] = f
		if f.Sort != "" {
			bySort[f.Sort] = f
		}
	}
	return byName, bySort
}()

// FieldNamed returns the field of that name, nil if there is none.
func FieldNamed(name string) *Field { return fieldsByName[name] }

// SortNamed returns the field that a sort of that name sorts by, nil if there
// is none. There is none for [Relevance].
func SortNamed(sort string) *Field { return fieldsBySort[sort] }

func one(get func(*registry.Server) string) func(*registry.Server, []string) []string {
	return func(s *registry.Server, to []string) []string { return appendSome(to, []string{get(s)}) }
}

func appendSome(to, values []string) []string {
	for _, v := range values {
		if v != "" && !slices.Contains(to, v) {
			to = append(to, v)
		}
	}
	return to
}

func yes(get func(*registry.Server) bool) func(*registry.Server) (float64, bool) {
	return func(s *registry.Server) (float64, bool) {
		if get(s) {
			return 1, true
		}
		return 0, true
	}
}

func count(get func(*registry.Server) *int) func(*registry.Server) (float64, bool) {
	return func(s *registry.Server) (float64, bool) {
		if v := get(s); v != nil {
			return float64(*v), true
		}
		return 0, false
	}
}

func moment(get func(*registry.Server) time.Time) func(*registry.Server) (float64, bool) {
	return func(s *registry.Server) (float64, bool) {
		if t := get(s); !t.IsZero() {
			return float64(t.UnixMicro()), true
		}
		return 0, false
	}
}

// SameText is how filters compare text: without regard to case. Two values
// are equal to a filter if SameText gives the same for both. A value is
// compared by its first 300 bytes.
func SameText(s string) string {
	s = strings.ToValidUTF8(strings.ToLower(s), "\uFFFD")
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "")
	}
	return s
}

const (
	maxText    = 300
	maxSortKey = 100
)

// Match reports whether the server satisfies all filters of the query. The
// query's text is not looked at. A filter on a field that does not exist is
// satisfied by no server.
func (q *Query) Match(s *registry.Server) bool { return Matcher(q.Filters)(s) }

// Matcher returns a function that reports whether a server satisfies all
// filters: [Query.Match] for many servers.
func Matcher(filters []Filter) func(*registry.Server) bool {
	tests := make([]func(*registry.Server) bool, len(filters))
	for i := range filters {
		tests[i] = matcher(filters[i])
	}
	return func(s *registry.Server) bool {
		for _, test := range tests {
			if !test(s) {
				return false
			}
		}
		return true
	}
}

func matcher(f Filter) func(*registry.Server) bool {
	field := FieldNamed(f.Field)
	switch {
	case field == nil || !field.Filter:
		return func(*registry.Server) bool { return false }
	case field.Kind == Text:
		test := f.TextTest()
		return func(s *registry.Server) bool {
			var buf [16]string
			return test(field.Texts(s, buf[:0]))
		}
	}
	test := f.NumberTest()
	return func(s *registry.Server) bool { return test(field.Num(s)) }
}

// exists returns the value of a filter with OpExists. ok is false if it has
// none.
func (f Filter) exists() (want, ok bool) {
	if len(f.Values) == 1 {
		want, ok = f.Values[0].(bool)
	}
	return want, ok
}

// TextTest returns a function that reports whether a server whose values of
// the field these are satisfies the filter, which must be on a text field.
func (f Filter) TextTest() func(values []string) bool {
	if f.Op == OpExists {
		want, ok := f.exists()
		return func(values []string) bool { return ok && len(values) > 0 == want }
	}
	var among []string
	for _, v := range f.Values {
		if t, ok := v.(string); ok {
			among = append(among, SameText(t))
		}
	}
	has := func(values []string) bool {
		return slices.ContainsFunc(values, func(t string) bool { return slices.Contains(among, SameText(t)) })
	}
	switch f.Op {
	case OpEq, OpIn:
		return has
	case OpNe:
		return func(values []string) bool { return !has(values) }
	}
	return func([]string) bool { return false }
}

// NumberTest is TextTest for the other fields: it is given what [Field.Num]
// returns.
func (f Filter) NumberTest() func(n float64, known bool) bool {
	never := func(float64, bool) bool { return false }
	if f.Op == OpExists {
		want, ok := f.exists()
		return func(_ float64, known bool) bool { return ok && known == want }
	}
	var values []float64
	if field := FieldNamed(f.Field); field != nil {
		for _, v := range f.Values {
			if n, ok := field.NumberOf(v); ok {
				values = append(values, n)
			}
		}
	}
	if f.Op == OpNe {
		return func(n float64, known bool) bool { return !known || !slices.Contains(values, n) }
	}
	if len(values) == 0 {
		return never
	}
	v := values[0]
	switch f.Op {
	case OpEq, OpIn:
		return func(n float64, known bool) bool { return known && slices.Contains(values, n) }
	case OpGt:
		return func(n float64, known bool) bool { return known && n > v }
	case OpGte:
		return func(n float64, known bool) bool { return known && n >= v }
	case OpLt:
		return func(n float64, known bool) bool { return known && n < v }
	case OpLte:
		return func(n float64, known bool) bool { return known && n <= v }
	}
	return never
}

// NumberOf returns a filter's value as Num returns those of servers, and
// false if it is not of the field's kind.
func (f *Field) NumberOf(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, f.Kind == Number
	case time.Time:
		return float64(v.UnixMicro()), f.Kind == Time
	case bool:
		if v {
			return 1, f.Kind == Bool
		}
		return 0, f.Kind == Bool
	}
	return 0, false
}

// SortKey returns what a server is sorted by under this field: a float64, a
// string, or nil if the value is unknown. Names are compared without regard
// to case, by their first 100 bytes.
func (f *Field) SortKey(s *registry.Server) any {
	if f.Kind == Text {
		var buf [1]string
		values := f.Texts(s, buf[:0])
		if len(values) == 0 {
			return nil
		}
		key := SameText(values[0])
		if len(key) > maxSortKey {
			key = strings.ToValidUTF8(key[:maxSortKey], "")
		}
		return key
	}
	if n, ok := f.Num(s); ok {
		return n
	}
	return nil
}

// Orders returns what the query is sorted by with nothing left out: its sort,
// or the default, and behind it the ties: quality and stars, both descending.
// The slug, ascending, comes last and is not among them. Relevance counts
// only where it comes first, and nothing but the ties follows it; without a
// text there is none.
func (q *Query) Orders() []Order {
	out := make([]Order, 0, len(q.Sort)+2)
	add := func(o Order) {
		if !slices.ContainsFunc(out, func(p Order) bool { return p.Field == o.Field }) {
			out = append(out, o)
		}
	}
	if len(q.Sort) == 0 && q.Text != "" {
		add(Order{Field: Relevance, Desc: true})
	}
	for _, o := range q.Sort {
		if o.Field == Relevance {
			if q.Text == "" || len(out) > 0 {
				continue
			}
			add(Order{Field: Relevance, Desc: true})
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

// Compare returns a negative number if a comes before b under the orders, a
// positive one if it comes behind, and 0 only for servers of the same slug.
// Unknown values come last in either direction; quality and stars, both
// descending, and the slug break ties. Relevance is passed over.
func Compare(a, b *registry.Server, orders []Order) int {
	quality, stars := false, false
	for _, o := range orders {
		f := SortNamed(o.Field)
		if f == nil {
			continue
		}
		quality = quality || f.Name == "qualityScore"
		stars = stars || f.Name == "stars"
		if c := f.compare(a, b, o.Desc); c != 0 {
			return c
		}
	}
	if !quality {
		if c := fieldsBySort["qualityScore"].compare(a, b, true); c != 0 {
			return c
		}
	}
	if !stars {
		if c := fieldsBySort["stars"].compare(a, b, true); c != 0 {
			return c
		}
	}
	return strings.Compare(a.Slug, b.Slug)
}

func (f *Field) compare(a, b *registry.Server, desc bool) int {
	if f.Kind == Text {
		return compareKeys(f.SortKey(a), f.SortKey(b), desc)
	}
	x, xok := f.Num(a)
	y, yok := f.Num(b)
	switch {
	case !xok && !yok:
		return 0
	case !xok:
		return 1
	case !yok:
		return -1
	case x == y:
		return 0
	case (x < y) != desc:
		return -1
	}
	return 1
}

func compareKeys(a, b any, desc bool) int {
	var c int
	switch x := a.(type) {
	case string:
		y, ok := b.(string)
		if !ok {
			return -1
		}
		c = strings.Compare(x, y)
	case float64:
		y, ok := b.(float64)
		if !ok {
			return -1
		}
		switch {
		case x < y:
			c = -1
		case x > y:
			c = 1
		}
	default:
		if b == nil {
			return 0
		}
		return 1
	}
	if desc {
		return -c
	}
	return c
}

// PositionOf returns the server's place under the orders, which should be
// those of [Query.Orders]. The key of relevance is nil: whoever ranked the
// server knows it.
func PositionOf(s *registry.Server, orders []Order) Position {
	p := Position{Keys: make([]any, len(orders)), Slug: s.Slug}
	for i, o := range orders {
		if f := SortNamed(o.Field); f != nil {
			p.Keys[i] = f.SortKey(s)
		}
	}
	return p
}

// ComparePositions orders places as [Compare] orders servers, with relevance,
// where there is one, taken into account. Both must have been made with the
// same orders.
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

// Fits reports whether the position was made with these orders: as many keys,
// each of the kind that its field has. A cursor comes from outside.
func (p *Position) Fits(orders []Order) bool {
	if len(p.Keys) != len(orders) || p.Slug == "" {
		return false
	}
	for i, o := range orders {
		f := SortNamed(o.Field)
		text := f != nil && f.Kind == Text
		switch p.Keys[i].(type) {
		case nil:
		case string:
			if !text {
				return false
			}
		case float64:
			if text {
				return false
			}
		default:
			return false
		}
	}
	return true
}
