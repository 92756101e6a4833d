package web

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

const (
	pageSize  = 20
	longest   = 200    // characters of a value of a query
	reachable = 10_000 // results of a search that can be paged to
	mostOf    = 10     // values of one filter
)

// browse is what a request for a list asks for. All of it stands in the
// address.
type browse struct {
	Q                                              string
	Categories, SDKs, Transports, Licenses, Grades []string
	Has                                            []string // registry.TypePackage, registry.TypeRemote
	Tag, Owner                                     string
	Sort                                           string
	Page                                           int
}

// A filter is one of the lists of a browse: how addresses call it, what people
// call it, and how the search index does.
type filter struct {
	param, name, field string
	values             func(*browse) *[]string
}

var filters = []filter{
	{"category", "Category", "category", func(b *browse) *[]string { return &b.Categories }},
	{"grade", "Grade", "grade", func(b *browse) *[]string { return &b.Grades }},
	{"sdk", "SDK", "sdk", func(b *browse) *[]string { return &b.SDKs }},
	{"transport", "Transport", "transport", func(b *browse) *[]string { return &b.Transports }},
	{"has", "How it runs", "type", func(b *browse) *[]string { return &b.Has }},
	{"license", "Licence", "license", func(b *browse) *[]string { return &b.Licenses }},
}

var hasNames = map[string]string{query.TypePackage: "Has a package", query.TypeRemote: "Hosted by its owner"}

var sorts = []choice{
	{Value: "qualityScore", Name: "Health"}, {Value: "popularity", Name: "Popularity"}, {Value: "stars", Name: "Stars"},
	{Value: "downloads", Name: "Downloads"}, {Value: "updated", Name: "Recently updated"}, {Value: "created", Name: "Newest"},
	{Value: "name", Name: "Name"},
}

// parseBrowse reads the query of an address. Parameters that it does not know
// are ignored: people share links that others have added to.
func parseBrowse(raw string) (browse, error) {
	b := browse{Page: 1}
	q, err := url.ParseQuery(raw)
	if err != nil {
		return b, refused("query", "is not written as a query of an address", "What stands behind the “?” of this address cannot be read. Please search again.")
	}
	if !q.Has("q") && q.Has("search") { // as the API under /api calls it
		q["q"] = q["search"]
	}
	if q.Has("minScore") && !q.Has("grade") { // as the API under /api calls it
		min := strings.TrimSpace(q.Get("minScore"))
		if grades := gradesFrom(min); grades != nil {
			q["grade"] = grades
		} else if min != "" && min != "0" {
			return b, misled{refused("minScore", "must be 80, 65, 50 or 30", "Pages filter by grade, which begin at a score of 80 (A), 65 (B), 50 (C) and 30 (D). The API takes any score."),
				[]lead{{"Score from 80", browse{Grades: gradesFrom("80")}.address(1)}, {"From 65", browse{Grades: gradesFrom("65")}.address(1)}, {"From 50", browse{Grades: gradesFrom("50")}.address(1)}, {"From 30", browse{Grades: gradesFrom("30")}.address(1)}}}
		}
	}
	for name, into := range map[string]*string{"q": &b.Q, "sort": &b.Sort, "tag": &b.Tag, "owner": &b.Owner} {
		if *into, err = parameter(name, q.Get(name)); err != nil {
			return b, err
		}
	}
	for _, f := range filters {
		if len(q[f.param]) > mostOf {
			return b, registry.Invalid(f.param, "may be given at most %d times", mostOf)
		}
		list := f.values(&b)
		for _, v := range q[f.param] {
			if v, err = parameter(f.param, v); err != nil {
				return b, err
			}
			if v == "" {
				continue
			}
			if f.param != "has" {
				if v, err = query.FieldNamed(f.field).ParseText(v); err != nil {
					return b, registry.Invalid(f.param, "%s", err)
				}
			} else if hasNames[v] == "" {
				return b, registry.Invalid("has", "must be package or remote")
			}
			if !slices.Contains(*list, v) {
				*list = append(*list, v)
			}
		}
		slices.Sort(*list)
	}
	if b.Sort != "" && !slices.ContainsFunc(sorts, func(c choice) bool { return c.Value == b.Sort }) {
		var names []string
		var leads []lead
		for _, c := range sorts {
			names = append(names, c.Value)
			x := b
			x.Sort = c.Value
			leads = append(leads, lead{c.Name, x.address(1)})
		}
		return b, misled{refused("sort", "must be one of "+strings.Join(names, ", "), "Lists cannot be in this order. They can be in these:"), leads}
	}
	if p := q.Get("page"); p != "" {
		b.Page, err = strconv.Atoi(p)
		if errors.Is(err, strconv.ErrRange) && p[0] != '-' {
			b.Page, err = math.MaxInt32, nil // there is no such page
		}
		if err != nil || p[0] == '+' || b.Page < 1 {
			return b, misled{refused("page", "must be a number from 1", "Pages of a list are numbered from 1."), []lead{{"The first page", b.address(1)}}}
		}
		b.Page = min(b.Page, math.MaxInt32)
	}
	return b, nil
}

// parameter cleans a value of a query.
func parameter(name, v string) (string, error) {
	v = strings.TrimSpace(v)
	if utf8.RuneCountInString(v) > longest {
		return "", refused(name, fmt.Sprintf("must be at most %d characters long", longest), fmt.Sprintf("%s is too long: at most %d characters are looked for.", saidAs(name), longest))
	}
	if !utf8.ValidString(v) || strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", refused(name, "holds characters that are no text", saidAs(name)+" holds something that is no text, such as a control character. Please type it again.")
	}
	if httpd.HoldsKey(v) {
		return "", refused(name, "holds an API key", saidAs(name)+" holds an API key, which is not looked for and not shown. If the key works, revoke it.")
	}
	return v, nil
}

// saidAs is what people call a parameter.
func saidAs(name string) string {
	if said := map[string]string{"q": "The text", "sort": "The order", "tag": "The tag", "owner": "The owner’s name"}[name]; said != "" {
		return said
	}
	return "The filter “" + name + "”"
}

// gradesFrom are the grades of scores from a number on, nil if none begins there.
func gradesFrom(score string) []string {
	for n, from := range []string{"80", "65", "50", "30"} {
		if score == from {
			return registry.Grades[:n+1]
		}
	}
	return nil
}

// address is the path and query of a page of the list. An owner, a tag or a
// single category is part of the path.
func (b browse) address(page int) string {
	path, q := "/servers", url.Values{}
	switch {
	case b.Owner != "" && inPath(b.Owner):
		path, b.Owner = "/owners/"+url.PathEscape(b.Owner), ""
	case b.Tag != "" && inPath(b.Tag):
		path, b.Tag = "/tags/"+url.PathEscape(b.Tag), ""
	case len(b.Categories) == 1:
		path, b.Categories = "/categories/"+b.Categories[0], nil
	}
	for _, kv := range [][2]string{{"q", b.Q}, {"owner", b.Owner}, {"tag", b.Tag}, {"sort", b.Sort}} {
		if kv[1] != "" {
			q.Set(kv[0], kv[1])
		}
	}
	for _, f := range filters {
		for _, v := range *f.values(&b) {
			q.Add(f.param, v)
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

// inPath reports whether a name can be one part of a path.
func inPath(s string) bool { return s != "." && s != ".." && !strings.Contains(s, "/") }

// with returns b with a value of a filter put in, or taken out if it is in.
func (b browse) with(f filter, value string) browse {
	list := f.values(&b)
	if i := slices.Index(*list, value); i >= 0 {
		*list = slices.Delete(slices.Clone(*list), i, i+1)
	} else {
		*list = append(slices.Clone(*list), value)
		slices.Sort(*list)
	}
	return b
}

// filtered says whether anything is asked for but an order and a page.
func (b browse) filtered() bool {
	return b.Q != "" || b.Tag != "" || b.Owner != "" || slices.ContainsFunc(filters, func(f filter) bool { return len(*f.values(&b)) > 0 })
}

// searched says whether the list has to come from the search index.
func (b browse) searched() bool { return b.Q != "" || b.Tag != "" || b.Owner != "" }

// choice is b for the read model.
func (b browse) choice() catalog.Choice {
	return catalog.Choice{
		Categories: b.Categories, SDKs: b.SDKs, Transports: b.Transports, Licenses: b.Licenses, Grades: b.Grades,
		Package: slices.Contains(b.Has, query.TypePackage), Remote: slices.Contains(b.Has, query.TypeRemote),
	}
}

// query is b for the search index.
func (b browse) query() (query.Query, error) {
	q := query.Query{Text: b.Q, Limit: pageSize, Offset: (b.Page - 1) * pageSize}
	add := func(field string, values ...string) {
		if len(values) == 0 {
			return
		}
		f := query.Filter{Field: field, Op: query.OpIn}
		if len(values) == 1 {
			f.Op = query.OpEq
		}
		for _, v := range values {
			f.Values = append(f.Values, v)
		}
		q.Filters = append(q.Filters, f)
	}
	for _, f := range filters {
		if values := *f.values(&b); f.param == "has" {
			for _, v := range values { // both are meant, not one of them
				add(f.field, v)
			}
		} else {
			add(f.field, values...)
		}
	}
	if b.Tag != "" {
		add("tags", b.Tag)
	}
	if b.Owner != "" {
		add("owner", b.Owner)
	}
	if b.Sort != "" {
		var err error
		if q.Sort, err = query.ParseSort(b.Sort, b.Q != ""); err != nil {
			return q, err
		}
	}
	return q, nil
}

// order is the order of a list without words.
func (b browse) order() catalog.Sort {
	s, _ := catalog.ParseSort(b.Sort)
	return s
}
