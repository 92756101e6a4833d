package ci

import (
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/untyped"
)

// A workflow is a workflow of GitHub Actions and when it runs.
type workflow struct {
	document untyped.Object
	events   []event
}

// An event is triggered by changes of the code on the default branch.
type event struct {
	name string
	all  bool     // any change triggers it
	code []string // files whose changes trigger it, sorted
}

// workflow returns a workflow, nil if it cannot be parsed, has no jobs, or when it runs is not known.
func (r *Repo) workflow(p, text string) *workflow {
	w, known := r.workflows[p]
	if known {
		return w
	}
	if r.workflows == nil {
		r.workflows = map[string]*workflow{}
	}
	if doc := r.document(p, text); doc["jobs"] != nil {
		before := r.spent
		w = &workflow{doc, r.events(doc)}
		if r.spent > max(before, maxWork) {
			w = nil
		}
	}
	r.workflows[p] = w
	return w
}

// changes returns the names of the events that changes of the code in a folder trigger.
func (w *workflow) changes(r *Repo, dir string) (names []string) {
	for _, e := range w.events {
		if e.all || anyIn(dir, e.code) || !anyIn(dir, r.Code) {
			names = append(names, e.name)
		}
	}
	return names
}

// anyIn reports whether one of sorted paths is in a folder.
func anyIn(dir string, paths []string) bool {
	if dir == "" {
		return len(paths) > 0
	}
	i, _ := slices.BinarySearch(paths, dir+"/")
	return i < len(paths) && strings.HasPrefix(paths[i], dir+"/")
}

// events returns the events of a workflow that are triggered by changes of the code. YAML 1.1
// reads the key "on" as true.
func (r *Repo) events(doc untyped.Object) (out []event) {
	for _, name := range []string{"push", "pull_request"} {
		filters := doc.Object("on", "true")
		_, filtered := filters[name]
		switch {
		case doc.Text("on", "true") == name, slices.Contains(doc.Texts("on", "true"), name):
			out = append(out, event{name: name, all: true})
		case filtered && r.runs(name, filters.Object(name)):
			out = append(out, r.filtered(name, filters.Object(name)))
		}
	}
	return out
}

// runs reports whether a filter accepts changes on the default branch.
func (r *Repo) runs(event string, filter untyped.Object) bool {
	branches, ignored := filter.Texts("branches"), filter.Texts("branches-ignore")
	onlyTags := event == "push" && len(branches)+len(ignored) == 0 &&
		(filter["tags"] != nil || filter["tags-ignore"] != nil)
	if onlyTags || r.Branch != "" && len(r.accepted(branches, ignored, []string{r.Branch})) == 0 {
		return false
	}
	types := filter.Texts("types")
	return event != "pull_request" || len(types) == 0 ||
		slices.Contains(types, "opened") || slices.Contains(types, "synchronize")
}

// filtered returns an event with the files that its filter accepts.
func (r *Repo) filtered(name string, filter untyped.Object) event {
	selected, ignored := filter.Texts("paths"), filter.Texts("paths-ignore")
	if len(selected)+len(ignored) == 0 {
		return event{name: name, all: true}
	}
	return event{name: name, code: r.accepted(selected, ignored, r.Code)}
}

// accepted returns the names that are selected or, without selected patterns, not ignored.
func (r *Repo) accepted(selected, ignored, names []string) (out []string) {
	wanted := len(selected) > 0
	if !wanted {
		selected = ignored
	}
	matches := r.selection(selected)
	for _, name := range names {
		if matches(name) == wanted {
			out = append(out, name)
		}
	}
	return out
}

// globs translates patterns of GitHub Actions, after quoting: "**" matches anything, "*" anything
// but a slash.
var globs = strings.NewReplacer(`\*\*/`, `(?:.*/)?`, `\*\*`, `.*`, `\*`, `[^/]*`)

const (
	maxPattern = 300   // bytes; longer ones match nothing
	pairsOfOne = 5_000 // pairs of characters of a pattern and a name that are one unit of work
)

// selection returns a function that reports whether patterns select a name. The last match
// decides; patterns that begin with "!" reject. Nothing is selected once no work is left.
func (r *Repo) selection(patterns []string) func(name string) bool {
	all := make([]*regexp.Regexp, len(patterns))
	for i, p := range patterns {
		if len(p) <= maxPattern && r.spend(1) {
			p = globs.Replace(regexp.QuoteMeta(strings.TrimPrefix(p, "!")))
			all[i], _ = regexp.Compile("^" + p + "$") // nil for invalid UTF-8
		}
	}
	pairs := 0
	return func(name string) bool {
		for i, re := range slices.Backward(all) {
			if re == nil {
				continue
			}
			pairs += 20
			if !mayMatch(strings.TrimPrefix(patterns[i], "!"), name) {
				continue
			}
			pairs += len(patterns[i]) * len(name)
			if !r.spend(pairs / pairsOfOne) {
				return false
			}
			pairs %= pairsOfOne
			if re.MatchString(name) {
				return patterns[i][0] != '!'
			}
		}
		return false
	}
}

// mayMatch reports whether a name begins and ends as all names do that a pattern matches.
func mayMatch(pattern, name string) bool {
	first, last := strings.IndexByte(pattern, '*'), strings.LastIndexByte(pattern, '*')
	if first < 0 {
		return pattern == name
	}
	end := strings.TrimPrefix(pattern[last+1:], "/")
	return strings.HasPrefix(name, pattern[:first]) && strings.HasSuffix(name, end)
}
