package browse

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mcpcensus/internal/httpd"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/web/site"
)

// Parse reads the query of an address. It ignores unknown parameters, since
// people share links that others have added some to.
func Parse(rawQuery string) (Request, error) {
	r := Request{Page: 1}
	q, err := url.ParseQuery(rawQuery)
	if err != nil {
		return r, site.Refuse("query", "is not a valid query string", "Invalid query string. Please search again.")
	}
	if err := readAliases(q); err != nil {
		return r, err
	}
	for name, into := range map[string]*string{"q": &r.Q, "sort": &r.Sort, "tag": &r.Tag, "owner": &r.Owner} {
		if *into, err = Parameter(name, q.Get(name)); err != nil {
			return r, err
		}
	}
	for _, f := range Filters {
		if *f.of(&r), err = f.parse(q[f.Param]); err != nil {
			return r, err
		}
	}
	if r.Sort != "" && !slices.ContainsFunc(Orders, func(o Order) bool { return o.Value == r.Sort }) {
		return r, unknownOrder(r)
	}
	if p := q.Get("page"); p != "" {
		r.Page, err = parsePage(p, r)
	}
	return r, err
}

// readAliases replaces the names of parameters in the API by those of pages.
func readAliases(q url.Values) error {
	if !q.Has("q") && q.Has("search") {
		q["q"] = q["search"]
	}
	score := strings.TrimSpace(q.Get("minScore"))
	if score == "" || score == "0" || q.Has("grade") {
		return nil
	}
	grades := gradesFrom(score)
	if grades == nil {
		err := site.Refuse("minScore", "must be 80, 65, 50 or 30",
			"Pages filter by grade. Grades start at a score of 80 (A), 65 (B), 50 (C) and 30 (D). The API "+
				"accepts any score.")
		var hints []site.Hint
		for _, from := range gradeScores {
			hints = append(hints,
				site.Hint{Name: "Score from " + from, Address: Request{Grades: gradesFrom(from)}.URL(1)})
		}
		return site.WithHints(err, hints...)
	}
	q["grade"] = grades
	return nil
}

// gradeScores are the lowest scores of the grades A to D.
var gradeScores = []string{"80", "65", "50", "30"}

// gradesFrom are the grades from a score up, nil if none starts there.
func gradesFrom(score string) []string {
	if n := slices.Index(gradeScores, score); n >= 0 {
		return registry.Grades[:n+1]
	}
	return nil
}

// parse returns the values of a filter, sorted, each once.
func (f Filter) parse(given []string) ([]string, error) {
	if len(given) > maxValues {
		return nil, registry.Invalid(f.Param, "may be given at most %d times", maxValues)
	}
	var list []string
	for _, v := range given {
		v, err := Parameter(f.Param, v)
		if err != nil {
			return nil, err
		}
		if v == "" {
			continue
		}
		if f.Param == "has" {
			if hasNames[v] == "" {
				return nil, registry.Invalid("has", "must be package or remote")
			}
		} else if v, err = query.FieldNamed(f.Field).ParseText(v); err != nil {
			return nil, registry.Invalid(f.Param, "%s", err)
		}
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	slices.Sort(list)
	return list, nil
}

// unknownOrder is the error of an order that lists cannot have.
func unknownOrder(r Request) error {
	var names []string
	var hints []site.Hint
	for _, o := range Orders {
		names = append(names, o.Value)
		r.Sort = o.Value
		hints = append(hints, site.Hint{Name: o.Name, Address: r.URL(1)})
	}
	return site.WithHints(site.Refuse("sort", "must be one of "+strings.Join(names, ", "),
		"Lists cannot be sorted like that. You can sort by:"), hints...)
}

func parsePage(p string, r Request) (int, error) {
	n, err := strconv.Atoi(p)
	if errors.Is(err, strconv.ErrRange) && p[0] != '-' {
		return math.MaxInt32, nil // a page that does not exist
	}
	if err != nil || p[0] == '+' || n < 1 {
		return 1, site.WithHints(site.Refuse("page", "must be a number from 1", "Pages of a list are numbered from 1."),
			site.Hint{Name: "First page", Address: r.URL(1)})
	}
	return min(n, math.MaxInt32), nil
}

// Parameter returns the value of a parameter without spaces around it. It fails
// for values that cannot be searched for or must not be shown.
func Parameter(name, v string) (string, error) {
	v = strings.TrimSpace(v)
	switch {
	case utf8.RuneCountInString(v) > MaxLength:
		return "", site.Refuse(name, fmt.Sprintf("must be at most %d characters long", MaxLength),
			fmt.Sprintf("%s is too long: the limit is %d characters.", spoken(name), MaxLength))
	case !utf8.ValidString(v) || strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "", site.Refuse(name, "contains characters that are not text",
			spoken(name)+" contains control characters or invalid text. Please type it again.")
	case httpd.HoldsKey(v):
		return "", site.Refuse(name, "contains an API key",
			spoken(name)+" contains an API key. If the key is active, revoke it.")
	}
	return v, nil
}

// spoken is what people call a parameter.
func spoken(name string) string {
	switch name {
	case "q":
		return "The search text"
	case "sort":
		return "The order"
	case "tag":
		return "The tag"
	case "owner":
		return "The owner’s name"
	}
	return "The filter “" + name + "”"
}
