package fakegithub

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// maxResults is the number of results that a search can page through.
const maxResults = 1000

// search finds repositories by words and qualifiers, as GitHub does: forks only if asked for, and
// any of several named repositories.
func (w *Server) search(query string) ([]*repo, error) {
	var found []*repo
	for _, r := range w.all() {
		ok, err := r.matches(query)
		if err != nil {
			return nil, err
		}
		if ok && (r.parent == "" || strings.Contains(query, "fork:true")) {
			found = append(found, r)
		}
	}
	return found, nil
}

// term matches a word, a phrase in quotation marks or a qualifier of a query.
var term = regexp.MustCompile(`"[^"]*"|\S+`)

// matches reports whether a repository matches all terms of a query.
func (r *repo) matches(query string) (bool, error) {
	text := strings.Join([]string{r.fullName(), r.description, strings.Join(r.topics, " ")}, "\n")
	var words, named []string
	all := true
	for _, t := range term.FindAllString(strings.ToLower(query), -1) {
		key, value, isQualifier := strings.Cut(t, ":")
		ok, err := true, error(nil)
		switch {
		case !isQualifier || t[0] == '"':
			words = append(words, strings.Trim(t, `"`))
		case key == "in":
			text = map[string]string{
				"name": r.fullName(), "description": r.description, "readme": r.files[r.readme()],
			}[value]
		case key == "repo":
			named = append(named, value)
		case key == "fork":
		case key == "topic":
			ok = slices.Contains(r.topics, value)
		case key == "is":
			ok = value == "public"
		case key == "created":
			ok, err = inRange(r.createdAt, value)
		case key == "pushed":
			ok, err = inRange(r.pushedAt, value)
		default:
			err = fmt.Errorf("fakegithub: the qualifier %s is not supported", key)
		}
		if err != nil {
			return false, err
		}
		all = all && ok
	}
	if named != nil && !slices.Contains(named, strings.ToLower(r.fullName())) {
		return false, nil
	}
	text = strings.ToLower(text)
	return all && !slices.ContainsFunc(words, func(s string) bool { return !strings.Contains(text, s) }), nil
}

// inRange reports whether a time is in a range of a search, "A..B" with both ends or
// ">=A". The ends are dates or times.
func inRange(t time.Time, s string) (bool, error) {
	first, last, ok := strings.Cut(s, "..")
	if !ok {
		if first, ok = strings.CutPrefix(s, ">="); !ok {
			return false, fmt.Errorf("fakegithub: the date %q is not supported", s)
		}
		last = "9000-01-01"
	}
	from, _, err := moment(first)
	if err != nil {
		return false, err
	}
	_, to, err := moment(last)
	return !t.Before(from) && t.Before(to), err
}

// moment returns the start of a date or a time, and its end.
func moment(s string) (start, end time.Time, err error) {
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return t, t.AddDate(0, 0, 1), nil
	}
	t, err := time.Parse(time.RFC3339, strings.ToUpper(s))
	return t, t.Add(time.Second), err
}
