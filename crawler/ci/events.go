package ci

import (
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/untyped"
)

// changes returns the events of a workflow that are triggered by changes of the code, "" for
// none. YAML 1.1 reads the key "on" as true.
func (r *Repo) changes(doc untyped.Object) string {
	var out []string
	for _, event := range []string{"push", "pull_request"} {
		filters := doc.Object("on", "true")
		_, ok := filters[event]
		if doc.Text("on", "true") == event || slices.Contains(doc.Texts("on", "true"), event) ||
			ok && r.passes(event, filters.Object(event)) {
			out = append(out, event)
		}
	}
	return strings.Join(out, " and ")
}

// passes reports whether a filter accepts changes of the code on the default branch.
func (r *Repo) passes(event string, filter untyped.Object) bool {
	branches, ignored := filter.Texts("branches"), filter.Texts("branches-ignore")
	onlyTags := event == "push" && len(branches)+len(ignored) == 0 &&
		(filter["tags"] != nil || filter["tags-ignore"] != nil)
	if onlyTags || r.Branch != "" && !accept(branches, ignored, r.Branch) {
		return false
	}
	if types := filter.Texts("types"); event == "pull_request" && len(types) > 0 &&
		!slices.Contains(types, "opened") && !slices.Contains(types, "synchronize") {
		return false
	}
	return len(r.Code) == 0 || accept(filter.Texts("paths"), filter.Texts("paths-ignore"), r.Code...)
}

// accept reports whether one of the names is selected or, without selected patterns, not ignored.
func accept(selected, ignored []string, names ...string) bool {
	if len(selected) > 0 {
		return slices.ContainsFunc(names, selection(selected))
	}
	ignores := selection(ignored)
	return slices.ContainsFunc(names, func(name string) bool { return !ignores(name) })
}

// globs translates patterns of GitHub Actions, after quoting: "**" matches anything, "*" anything
// but a slash.
var globs = strings.NewReplacer(`\*\*/`, `(?:.*/)?`, `\*\*`, `.*`, `\*`, `[^/]*`)

// selection returns a function that reports whether patterns select a name. The last match
// decides; patterns that begin with "!" reject.
func selection(patterns []string) func(name string) bool {
	all := make([]*regexp.Regexp, len(patterns))
	for i, p := range patterns {
		p = globs.Replace(regexp.QuoteMeta(strings.TrimPrefix(p, "!")))
		all[i], _ = regexp.Compile("^" + p + "$") // nil for invalid UTF-8
	}
	return func(name string) bool {
		for i, re := range slices.Backward(all) {
			if re != nil && re.MatchString(name) {
				return patterns[i][0] != '!'
			}
		}
		return false
	}
}
