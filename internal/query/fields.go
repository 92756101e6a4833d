package query

import (
	"strings"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/synonyms"
	"mcpcensus/internal/text"
)

// A Kind is the type of a field's values.
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

// A Field is a property of a server that queries can filter by, count or sort
// by.
type Field struct {
	Name string
	Kind Kind

	Filter bool   // can be filtered by
	Facet  bool   // is counted in facets
	Sort   string // its name in a sort; "" if it cannot be sorted by
	Desc   bool   // its natural direction is descending

	// Allowed are the values that a filter accepts; nil for any.
	Allowed []string

	// Exactly one of Texts and Num is set. Texts returns the displayed values of a text field,
	// possibly repeated; "" is none. Num returns the value of another field: times as
	// microseconds since 1970, booleans as 0 or 1. It returns false if the value is unknown.
	Texts func(*registry.Server) []string
	Num   func(*registry.Server) (float64, bool)

	index int // in [Values], among the fields that are stored alike
}

// The values of the field "type".
const (
	TypeRemote  = "remote"
	TypePackage = "package"
)

// Relevance is the sort that puts the best match of the query's text first.
const Relevance = "relevance"

// Recommended is the sort by [registry.Server.Recommendation].
const Recommended = "recommended"

// active sorts active servers before others and before copies.
const active = "active"

// ActiveFirst returns orders that put inactive servers and copies last.
func ActiveFirst(orders []Order) []Order {
	return append([]Order{{Field: active, Desc: true}}, orders...)
}

// CutActiveFirst undoes [ActiveFirst] and reports whether there was anything to
// undo.
func CutActiveFirst(orders []Order) ([]Order, bool) {
	if len(orders) > 0 && orders[0].Field == active {
		return orders[1:], true
	}
	return orders, false
}

// Fields are all fields, in the order in which messages list them.
var Fields = []Field{
	textField("category", registry.Categories,
		func(s *registry.Server) string { return s.Category }).facet(),
	textField("sdk", registry.SDKs, func(s *registry.Server) string { return s.SDK }).facet(),
	textField("language", nil, func(s *registry.Server) string { return s.Language }),
	textField("framework", nil, func(s *registry.Server) string { return s.Framework }),
	textsField("tags", nil, foldedTags),
	textField("license", nil, func(s *registry.Server) string { return s.License }).facet(),
	textsField("transport", registry.Transports,
		func(s *registry.Server) []string { return s.Transports }).facet(),
	textsField("type", []string{TypeRemote, TypePackage}, typesOf),
	textField("liveness", registry.Livenesses, func(s *registry.Server) string { return s.Liveness }),
	textsField("registryType", registry.RegistryTypes, registryTypesOf),
	textField("owner", nil, func(s *registry.Server) string { return s.Repo.Owner }),
	textsField("source", nil, sourcesOf),
	textsField("risks", registry.RiskKinds, risksOf),
	textField("effect", registry.Effects, (*registry.Server).Effect).facet(),
	maybe("readOnly", (*registry.Server).CanReadOnly),
	flag("secrets", (*registry.Server).HasSecrets),
	textField("status", registry.Statuses, func(s *registry.Server) string { return s.Status }),
	flag("official", func(s *registry.Server) bool { return s.Official }),
	flag("verified", func(s *registry.Server) bool { return s.Verified }),
	flag("copy", func(s *registry.Server) bool { return s.Copy != nil }),
	maybe("archived", func(s *registry.Server) *bool { return s.Repo.IsArchived() }),
	textField("grade", registry.Grades,
		func(s *registry.Server) string { return s.Health.Grade }).facet(),
	number("qualityScore", func(s *registry.Server) *int { return s.Health.Score }).sort(
		"qualityScore"),
	number("popularity", func(s *registry.Server) *int { return s.Popularity.Score }).sort(
		"popularity"),
	number("stars", func(s *registry.Server) *int { return s.Stars }).sort("stars"),
	number("downloads", func(s *registry.Server) *int64 { return s.Downloads }).sort("downloads"),
	{Name: Recommended, Kind: Number, Sort: Recommended, Desc: true,
		Num: func(s *registry.Server) (float64, bool) { return float64(s.Recommendation()), true }},
	{Name: active, Kind: Bool, Sort: active, Desc: true,
		Num: func(s *registry.Server) (float64, bool) {
			if s.Active() && s.Copy == nil {
				return 1, true
			}
			return 0, true
		}},
	number("toolCount", func(s *registry.Server) *int { return s.ToolCount }),
	number("toolTokens", func(s *registry.Server) *int { return s.ToolTokens }).ascending("toolTokens"),
	textsField("tools", nil, toolsOf),
	moment("updatedAt", func(s *registry.Server) time.Time { return s.UpdatedAt }).sort("updated"),
	moment("createdAt", func(s *registry.Server) time.Time { return s.CreatedAt }).sort("created"),
	{Name: "name", Sort: "name", Texts: func(s *registry.Server) []string { return []string{s.Name} }},
}

var fieldsByName, fieldsBySort = indexFields()

// indexFields numbers the fields and returns them by name and by sort.
func indexFields() (byName, bySort map[string]*Field) {
	byName, bySort = map[string]*Field{}, map[string]*Field{}
	var textFields, numberFields int
	for i := range Fields {
		f := &Fields[i]
		byName[f.Name] = f
		if f.Sort != "" {
			bySort[f.Sort] = f
		}
		switch {
		case f.Kind == Text && !f.Filter:
		case f.Kind == Text:
			f.index = textFields
			textFields++
		default:
			f.index = numberFields
			numberFields++
		}
	}
	return byName, bySort
}

// FieldNamed returns the field of that name, or nil.
func FieldNamed(name string) *Field { return fieldsByName[name] }

// SortNamed returns the field of a sort, or nil. It is nil for [Relevance].
func SortNamed(sort string) *Field { return fieldsBySort[sort] }

func textField(name string, allowed []string, get func(*registry.Server) string) Field {
	return textsField(name, allowed, func(s *registry.Server) []string { return []string{get(s)} })
}

func textsField(name string, allowed []string, get func(*registry.Server) []string) Field {
	return Field{Name: name, Filter: true, Allowed: allowed, Texts: get}
}

func flag(name string, get func(*registry.Server) bool) Field {
	return maybe(name, func(s *registry.Server) *bool { return new(get(s)) })
}

// maybe is a flag that is nil if it is unknown.
func maybe(name string, get func(*registry.Server) *bool) Field {
	return Field{Name: name, Kind: Bool, Filter: true,
		Num: func(s *registry.Server) (float64, bool) {
			switch b := get(s); {
			case b == nil:
				return 0, false
			case *b:
				return 1, true
			}
			return 0, true
		}}
}

func number[N int | int64](name string, get func(*registry.Server) *N) Field {
	return Field{Name: name, Kind: Number, Filter: true,
		Num: func(s *registry.Server) (float64, bool) {
			if n := get(s); n != nil {
				return float64(*n), true
			}
			return 0, false
		}}
}

func moment(name string, get func(*registry.Server) time.Time) Field {
	return Field{Name: name, Kind: Time, Filter: true,
		Num: func(s *registry.Server) (float64, bool) {
			if t := get(s); !t.IsZero() {
				return float64(t.UnixMicro()), true
			}
			return 0, false
		}}
}

func (f Field) facet() Field {
	f.Facet = true
	return f
}

func (f Field) sort(name string) Field {
	f.Sort, f.Desc = name, true
	return f
}

func (f Field) ascending(name string) Field {
	f.Sort = name
	return f
}

// foldedTags returns the tags of a server with synonyms folded, as filters are.
func foldedTags(s *registry.Server) []string {
	return namesOf(s.Tags, func(t *string) string { return synonyms.FoldTag(*t) })
}

func typesOf(s *registry.Server) (types []string) {
	if len(s.Remotes) > 0 {
		types = append(types, TypeRemote)
	}
	if len(s.Packages) > 0 {
		types = append(types, TypePackage)
	}
	return types
}

func namesOf[T any](list []T, name func(*T) string) []string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = name(&list[i])
	}
	return names
}

func registryTypesOf(s *registry.Server) []string {
	return namesOf(s.Packages, func(p *registry.Package) string { return p.RegistryType })
}

func sourcesOf(s *registry.Server) []string {
	return namesOf(s.Sources, func(d *registry.Discovery) string { return d.Name })
}

func risksOf(s *registry.Server) []string {
	return namesOf(s.Risks(), func(r *registry.Risk) string { return r.Kind })
}

func toolsOf(s *registry.Server) []string {
	return namesOf(s.Tools, func(t *registry.Tool) string { return t.Name })
}

const (
	maxText    = 300 // bytes of a text that are compared
	maxSortKey = 100 // bytes of a name used for sorting
)

// sameText returns the form in which filters compare text: lower case, valid
// UTF-8, at most 300 bytes. Two values are equal to a filter if sameText
// returns the same for both.
func sameText(s string) string {
	return text.Cut(strings.ToValidUTF8(strings.ToLower(s), "\uFFFD"), maxText)
}

// numberOf returns a filter's value in the form of Num, and false if it is not
// of the field's kind.
func (f *Field) numberOf(v any) (float64, bool) {
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
