package browse

import (
	"cmp"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/internal/page"
	"mcpcensus/internal/registry"
	"mcpcensus/web/site"
)

// params are the parameters of lists, with equivalent parameters of the API.
type params struct {
	Request
	Search   string `query:"search,search,max=200"`
	MinScore string `query:"minScore"`
}

// Parse reads the query of an address, which people edit and share, and to which other sites
// add parameters: it ignores unknown parameters, white space around values and empty values; of
// a repeated parameter that is not a filter the first value counts, and a page number that is
// too high is the highest. It returns an error for the first wrong parameter.
func Parse(rawQuery string) (Request, error) {
	var p params
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return p.Request, site.Refuse("query", "is not a valid query string",
			"Invalid query string. Please search again.")
	}
	for name, given := range values {
		values[name] = meant(name, given)
	}
	var faults page.Faults
	page.ParseValues(values, &p, &faults)
	for _, f := range Filters {
		list := f.of(&p.Request)
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	p.Page = max(p.Page, 1)
	if p.Q == "" && !faults.Has("q") {
		p.Q = p.Search
	}
	if p.MinScore != "" && p.MinScore != "0" && len(p.Grades) == 0 && !faults.Has("grade") {
		if p.Grades = gradesFrom(p.MinScore); p.Grades == nil {
			faults.Add("minScore", "must be 80, 65, 50 or 30")
		}
	}
	if len(faults) > 0 {
		return p.Request, p.refuse(faults[0])
	}
	return p.Request, nil
}

// meant returns the values of a parameter that count.
func meant(name string, given []string) (values []string) {
	for _, v := range given {
		if v = strings.TrimSpace(v); v != "" {
			values = append(values, v)
		}
	}
	isFilter := slices.ContainsFunc(Filters, func(f Filter) bool { return f.Param == name })
	if len(values) > 1 && !isFilter {
		values = values[:1]
	}
	if name == "page" && len(values) == 1 && len(values[0]) > 9 &&
		strings.Trim(values[0], "0123456789") == "" {
		values[0] = strconv.Itoa(math.MaxInt32)
	}
	return values
}

// refuse returns the error about a wrong parameter of r.
func (r Request) refuse(fault registry.FieldError) error {
	var sentence string
	var hints []site.Hint
	param, _, _ := strings.Cut(fault.Field, "[")
	switch param {
	case "sort":
		sentence = "Unknown order. Choose one of these."
		for _, o := range Orders {
			r.Sort = o.Value
			hints = append(hints, site.Hint{Name: o.Name, Address: r.URL(1)})
		}
	case "page":
		sentence = "Pages of a list are numbered from 1."
		hints = append(hints, site.Hint{Name: "First page", Address: r.URL(1)})
	case "minScore":
		sentence = "Pages filter by grade. Grades start at a score of 80 (A), 65 (B), 50 (C) and 30 (D). The API " +
			"accepts any score."
		for _, from := range gradeScores {
			hints = append(hints,
				site.Hint{Name: "Score from " + from, Address: Request{Grades: gradesFrom(from)}.URL(1)})
		}
	default:
		sentence = cmp.Or(spokenNames[param], "The filter “"+param+"”") + " " + fault.Message + "."
	}
	return site.WithHints(site.Refuse(param, fault.Message, sentence), hints...)
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

// Parameter returns the value of a parameter in a path, or of one that is not of a list, with
// normalized white space. It fails for values that cannot be searched for or must not be shown.
func Parameter(name, v string) (string, error) {
	v, err := page.ParseText(name, v, MaxLength)
	if err != nil {
		return "", Request{}.refuse(err.Fields[0])
	}
	return v, nil
}

var spokenNames = map[string]string{
	"q": "The search text", "search": "The search text", "tag": "The tag", "owner": "The owner’s name",
}
