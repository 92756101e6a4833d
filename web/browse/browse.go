// Package browse has the list request of pages: which servers, in which order,
// which page. All of it is in the address of the list.
package browse

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/synonyms"
	"mcpcensus/web/format"
	"mcpcensus/web/site"
)

const (
	// PageSize is the number of servers on a page.
	PageSize = 20
	// MaxLength is the length in characters of the longest value of a parameter.
	MaxLength = 200
	// MaxReachable is how many results of a search can be paged to.
	MaxReachable = 10_000
)

// A Request is a request for a list.
type Request struct {
	Q          string   `query:"q,search,max=200"`
	Sort       string   `query:"sort,oneof=recommended|qualityScore|popularity|stars|downloads|updated|created|toolTokens|name"`
	Tag        string   `query:"tag,words,max=200"`
	Owner      string   `query:"owner,words,max=200"`
	Categories []string `query:"category,field=category,most=10"`
	Grades     []string `query:"grade,field=grade,most=10"`
	SDKs       []string `query:"sdk,field=sdk,most=10"`
	Transports []string `query:"transport,field=transport,most=10"`
	Has        []string `query:"has,oneof=package|remote,most=10"` // query.TypePackage, query.TypeRemote
	Liveness   []string `query:"liveness,field=liveness,most=10"`
	Effects    []string `query:"effect,field=effect,most=10"`
	Licenses   []string `query:"license,field=license,max=200,most=10"`
	Official   []string `query:"official,oneof=true,most=10"` // official servers only
	ReadOnly   []string `query:"readOnly,oneof=true,most=10"` // those that can be read-only
	Secrets    []string `query:"secrets,oneof=false,most=10"` // those without secrets
	Match      string   `query:"match,oneof=all|some"`        // "some": also servers that match only some of the words
	Page       int      `query:"page,min=1,max=2147483647,default=1"`
}

// A Filter is a parameter of lists with several values.
type Filter struct {
	Param string   // in addresses
	Name  string   // for people
	Field string   // of queries
	All   []string // the values that the filter can have, nil if any value is valid
	// ValueName is a value of the filter for people.
	ValueName func(string) string
	of        func(*Request) *[]string
}

// Filters are all filters, in the order of the page.
var Filters = []Filter{
	{"category", "Category", "category", registry.Categories, format.Category,
		func(r *Request) *[]string { return &r.Categories }},
	{"effect", "What it can do", "effect", effects, format.Effect,
		func(r *Request) *[]string { return &r.Effects }},
	{"readOnly", only, "readOnly", []string{"true"}, named("Only reads, or can be read-only"),
		func(r *Request) *[]string { return &r.ReadOnly }},
	{"official", only, "official", []string{"true"}, named("Official"),
		func(r *Request) *[]string { return &r.Official }},
	{"secrets", only, "secrets", []string{"false"}, named("No secrets known"),
		func(r *Request) *[]string { return &r.Secrets }},
	{"liveness", "Endpoint", "liveness", registry.Livenesses, format.Liveness,
		func(r *Request) *[]string { return &r.Liveness }},
	{"has", "Deployment", "type", []string{query.TypePackage, query.TypeRemote},
		func(v string) string { return hasNames[v] }, func(r *Request) *[]string { return &r.Has }},
	{"grade", "Grade", "grade", registry.Grades, plainName,
		func(r *Request) *[]string { return &r.Grades }},
	{"sdk", "SDK", "sdk", registry.SDKs, format.SDK, func(r *Request) *[]string { return &r.SDKs }},
	{"transport", "Transport", "transport", registry.Transports, format.Transport,
		func(r *Request) *[]string { return &r.Transports }},
	{"license", "License", "license", nil, plainName,
		func(r *Request) *[]string { return &r.Licenses }},
}

var hasNames = map[string]string{query.TypePackage: "Installable package", query.TypeRemote: "Hosted (remote)"}

func plainName(v string) string { return v }

// only is the name of the filters that are on or off.
const only = "Show only"

// named returns the ValueName of a filter with one value.
func named(name string) func(string) string { return func(string) string { return name } }

// effects are the effects in the order of the page.
var effects = append(slices.Clone(registry.Effects[1:]), registry.EffectUnknown)

// Flag reports whether the field of the filter is true or false.
func (f Filter) Flag() bool { return query.FieldNamed(f.Field).Kind == query.Bool }

// Values are the values of the filter in r.
func (f Filter) Values(r Request) []string { return *f.of(&r) }

// FilterNamed returns the filter of a parameter.
func FilterNamed(param string) Filter {
	return Filters[slices.IndexFunc(Filters, func(f Filter) bool { return f.Param == param })]
}

// Only is the request for all servers with one value of the filter.
func (f Filter) Only(value string) Request {
	var r Request
	*f.of(&r) = []string{value}
	return r
}

// An Order is an order that lists can have.
type Order struct{ Value, Name string }

// Orders are all orders, the usual one first.
var Orders = []Order{
	{query.Recommended, "Recommended"}, {"qualityScore", "Health"}, {"popularity", "Popularity"},
	{"toolTokens", "Fewest tool tokens"},
	{"stars", "Stars"}, {"downloads", "Downloads"}, {"updated", "Recently updated"},
	{"created", "Newest"}, {"name", "Name"},
}

// URL is the path and query of a page of the list. An owner, a tag or a
// single category is part of the path.
func (r Request) URL(page int) string {
	path, q := "/servers", url.Values{}
	switch {
	case r.Owner != "" && InPath(r.Owner):
		path, r.Owner = "/owners/"+url.PathEscape(r.Owner), ""
	case r.Tag != "" && InPath(r.Tag):
		path, r.Tag = "/tags/"+url.PathEscape(r.Tag), ""
	case len(r.Categories) == 1:
		path, r.Categories = "/categories/"+r.Categories[0], nil
	}
	for param, v := range r.texts() {
		if *v != "" {
			q.Set(param, *v)
		}
	}
	for param, v := range map[string]string{"sort": r.Sort, "match": r.Match} {
		if v != "" {
			q.Set(param, v)
		}
	}
	for _, f := range Filters {
		for _, v := range f.Values(r) {
			q.Add(f.Param, v)
		}
	}
	if page > 1 {
		q.Set("page", strconv.Itoa(page))
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// InPath reports whether a name can be a segment of a path.
func InPath(s string) bool { return s != "." && s != ".." && !strings.Contains(s, "/") }

// texts are the conditions with one value, by their parameters.
func (r *Request) texts() map[string]*string {
	return map[string]*string{"q": &r.Q, "tag": &r.Tag, "owner": &r.Owner}
}

// Toggle returns r with a value of a filter added, or removed if it is set.
func (r Request) Toggle(f Filter, value string) Request {
	list := f.of(&r)
	if i := slices.Index(*list, value); i >= 0 {
		*list = slices.Delete(slices.Clone(*list), i, i+1)
	} else {
		*list = append(slices.Clone(*list), value)
		slices.Sort(*list)
	}
	return r
}

// Without returns the first page of r without one parameter.
func (r Request) Without(param string) Request {
	if text, ok := r.texts()[param]; ok {
		*text = ""
	} else {
		*FilterNamed(param).of(&r) = nil
	}
	r.Page = 1
	return r
}

// NeedsSearch reports whether the list is the result of a query. Other lists
// are views of the catalog.
func (r Request) NeedsSearch() bool { return r.Q != "" || r.Tag != "" || r.Owner != "" }

// OnlyPath reports whether the list is all of a category, a tag, an owner or the registry.
// Search engines index only those.
func (r Request) OnlyPath() bool {
	n := len(r.Categories)
	for _, f := range Filters[1:] {
		n += 2 * len(f.Values(r))
	}
	for _, v := range []string{r.Tag, r.Owner} {
		if v != "" {
			n++
		}
	}
	return n <= 1 && r.Q == "" && r.Sort == ""
}

// Choice is r as the filters of a view of the catalog.
func (r Request) Choice() catalog.Choice {
	return catalog.Choice{
		Categories: r.Categories, SDKs: r.SDKs, Transports: r.Transports, Licenses: r.Licenses, Grades: r.Grades,
		Livenesses: r.Liveness, Effects: r.Effects, Official: len(r.Official) > 0, ReadOnly: len(r.ReadOnly) > 0, NoSecrets: len(r.Secrets) > 0,
		Package: slices.Contains(r.Has, query.TypePackage), Remote: slices.Contains(r.Has, query.TypeRemote),
	}
}

// Order is the order of a list without words.
func (r Request) Order() catalog.Sort {
	if s, ok := catalog.ParseSort(r.Sort); ok {
		return s
	}
	return catalog.ByRecommended
}

// SearchQuery is r as a query.
func (r Request) SearchQuery() (query.Query, error) {
	q := query.Query{Text: r.Q, AllWords: r.Match != query.MatchSome, Limit: PageSize, Offset: (r.Page - 1) * PageSize}
	add := func(field string, values ...string) {
		f := query.Filter{Field: field, Op: query.OpIn}
		if len(values) == 1 {
			f.Op = query.OpEq
		}
		for _, v := range values {
			f.Values = append(f.Values, v)
		}
		q.Filters = append(q.Filters, f)
	}
	for _, f := range Filters {
		switch values := f.Values(r); {
		case len(values) > 0 && f.Flag():
			q.Filters = append(q.Filters, query.Equal(f.Field, values[0] == "true"))
		case f.Param == "has": // a server must have both
			for _, v := range values {
				add(f.Field, v)
			}
		case len(values) > 0:
			add(f.Field, values...)
		}
	}
	if r.Tag != "" {
		add("tags", synonyms.FoldTag(r.Tag))
	}
	if r.Owner != "" {
		add("owner", r.Owner)
	}
	var err error
	if r.Sort != "" {
		q.Sort, err = query.ParseSort(r.Sort, r.Q != "")
	} else if r.Q == "" {
		q.Sort = catalog.ByRecommended.Orders()
	}
	if len(q.Sort) > 0 && q.Sort[0].Field != query.Relevance {
		q.Sort = query.ActiveFirst(q.Sort)
	}
	return q, err
}

// NoCategory is the error for a category that does not exist.
func NoCategory() error {
	var hints []site.Hint
	for _, c := range registry.Categories {
		hints = append(hints, site.Hint{Name: format.Category(c), Address: "/categories/" + c})
	}
	return site.WithHints(registry.Errorf(registry.ErrNotFound, "No such category. Choose one of these."), hints...)
}

// NoPage is the error for a page after the last one of a list.
func NoPage(r Request, last int) error {
	hints := []site.Hint{{Name: "First page", Address: r.URL(1)}}
	if last > 1 {
		hints = append(hints, site.Hint{Name: "Last page", Address: r.URL(last)})
	}
	return site.WithHints(registry.Errorf(registry.ErrNotFound, "The last page of this list is %d.", last), hints...)
}
