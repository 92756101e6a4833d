package ci

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/untyped"
)

// changes returns the events of a workflow that are triggered by changes of the code,
// "" for none.
func (r *Repo) changes(doc untyped.Object) string {
	on := slices.DeleteFunc([]string{"push", "pull_request"}, func(event string) bool {
		filter, ok := eventOf(doc, event)
		return !ok || !r.passes(event, filter)
	})
	return strings.Join(on, " and ")
}

// eventOf returns the filter of an event of a workflow. YAML 1.1 reads the key
// "on" as true.
func eventOf(doc untyped.Object, name string) (filter untyped.Object, ok bool) {
	on, found := doc["on"]
	if !found {
		on = doc["true"]
	}
	switch v := on.(type) {
	case string:
		return nil, v == name
	case []any:
		return nil, slices.Contains(v, any(name))
	case map[string]any:
		_, ok = v[name]
		return untyped.Object(v).Object(name), ok
	}
	return nil, false
}

// passes reports whether a filter accepts changes of the code on the default branch.
func (r *Repo) passes(event string, filter untyped.Object) bool {
	branches, ignored := filter.Texts("branches"), filter.Texts("branches-ignore")
	onlyTags := event == "push" && len(branches)+len(ignored) == 0 &&
		(filter["tags"] != nil || filter["tags-ignore"] != nil)
	if onlyTags || r.Branch != "" && !accepts(branches, ignored, r.Branch) {
		return false
	}
	if types := filter.Texts("types"); event == "pull_request" && len(types) > 0 &&
		!slices.Contains(types, "opened") && !slices.Contains(types, "synchronize") {
		return false
	}
	paths, ignored := filter.Texts("paths"), filter.Texts("paths-ignore")
	return len(paths)+len(ignored) == 0 || len(r.Code) == 0 ||
		slices.ContainsFunc(r.Code, func(p string) bool { return accepts(paths, ignored, p) })
}

// accepts reports whether a name is selected or, without selected patterns, not ignored.
func accepts(selected, ignored []string, name string) bool {
	if len(selected) > 0 {
		return selects(selected, name)
	}
	return !selects(ignored, name)
}

// selects reports whether patterns select a name. The last match decides; patterns that
// begin with "!" reject.
func selects(patterns []string, name string) bool {
	selected := false
	for _, p := range patterns {
		p, isNot := strings.CutPrefix(p, "!")
		if glob(p).MatchString(name) {
			selected = !isNot
		}
	}
	return selected
}

// globs translates patterns of GitHub Actions, after quoting: "**" matches anything, "*" anything
// but a slash.
var globs = strings.NewReplacer(`\*\*/`, `(?:.*/)?`, `\*\*`, `.*`, `\*`, `[^/]*`, `\?`, `?`, `\+`, `+`)

func glob(pattern string) *regexp.Regexp {
	re, err := regexp.Compile("^" + globs.Replace(regexp.QuoteMeta(pattern)) + "$")
	if err != nil {
		return regexp.MustCompile("^" + regexp.QuoteMeta(pattern) + "$")
	}
	return re
}

// otherEvent matches conditions that hold for events other than a change.
var otherEvent = regexp.MustCompile(`refs/tags|github\.ref_type\s*==\s*'tag'|` +
	`github\.event_name\s*==\s*'(?:release|schedule|workflow_dispatch|workflow_run|issue_comment|issues)'|` +
	`github\.event\.(?:release|comment|issue|schedule)\b`)

// skipped reports whether the condition of a job or step is false for a change. A
// condition that names both changes and other events is true.
func skipped(condition any) bool {
	c := strings.TrimSpace(fmt.Sprint(condition))
	c = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(c, "${{"), "}}"))
	if c == "false" {
		return true
	}
	isChange := strings.Contains(c, "'push'") || strings.Contains(c, "'pull_request'") ||
		strings.Contains(c, "!startsWith") || strings.Contains(c, "!=") || strings.Contains(c, "||")
	return otherEvent.MatchString(c) && !isChange
}

var expression = regexp.MustCompile(`\$\{\{.*?\}\}`)

// placeholder replaces an expression of unknown value.
const placeholder = "EXPRESSION"

// cleanDir returns the clean path of a folder, "" for the root and for paths outside the
// repository.
func cleanDir(dir string) string {
	dir = path.Clean(strings.TrimPrefix(expression.ReplaceAllString(dir, placeholder), "./"))
	if dir == "." || strings.HasPrefix(dir, "..") || strings.HasPrefix(dir, "/") {
		return ""
	}
	return dir
}
