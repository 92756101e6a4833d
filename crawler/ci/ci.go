// Package ci finds the step of a continuous integration that runs tests or a build when the code
// changes, with lists of commands. What the lists do not contain is unknown.
package ci

import (
	"embed"
	"path"
	"regexp"
	"strings"

	"mcpcensus/crawler/untyped"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/registry"
)

//go:embed rules
var embedded embed.FS

var (
	rules      = vocabulary.Rules(embedded)
	actions    = vocabulary.Pairs(rules, "actions.txt")
	conditions = vocabulary.Expressions(rules, "conditions.txt")
	keys       = vocabulary.Pairs(rules, "keys.txt")
	systems    = vocabulary.Expressions(rules, "systems.txt")
)

// IsOther reports whether a file configures a CI other than the workflows of the code host. Such
// files are at the root, or in a folder of it whose name begins with a dot.
func IsOther(p string) bool {
	return (strings.HasPrefix(p, ".") || !strings.Contains(p, "/")) && systems.MatchString(p)
}

// A Repo provides the files of a repository. It reads each configuration once. It is not safe for
// concurrent use.
type Repo struct {
	Branch string // default branch, "" if unknown
	// Text returns the text of a file; ok is false if it was not read.
	Text func(path string) (text string, ok bool)
	// Scripts returns the scripts of the package.json in a folder, nil if there
	// is none or it was not read.
	Scripts func(dir string) map[string]string
	// Code contains the paths of source files, sorted. Workflows that run only for changes of
	// other files do not count.
	Code []string

	spent     int  // of maxWork
	ended     bool // a limit left something unread
	documents map[string]untyped.Object
	workflows map[string]*workflow
	findings  map[[2]string]Finding // by the path and events of a configuration
}

// maxWork limits reading all configurations of a repository: it is a number of commands, values,
// patterns, hundreds of characters of scripts, and comparisons of 5,000 pairs of characters.
const maxWork = 60_000

// maxDepth is the maximum depth of workflows, actions and scripts that run others.
const maxDepth = 4

// spend reports whether there is work left after an amount of it.
func (r *Repo) spend(work int) bool {
	r.spent += work
	r.ended = r.ended || r.spent > maxWork
	return r.spent <= maxWork
}

// Ended reports whether the limit of work has left something unread, which is then unknown.
func (r *Repo) Ended() bool { return r.ended }

// document returns a YAML file, nil if it cannot be parsed.
func (r *Repo) document(p, text string) untyped.Object {
	doc, known := r.documents[p]
	if !known {
		if r.documents == nil {
			r.documents = map[string]untyped.Object{}
		}
		if parsed, err := untyped.YAML([]byte(text)); err == nil {
			doc = parsed
		}
		r.documents[p] = doc
	}
	return doc
}

// A Finding is the result of reading one configuration.
type Finding struct {
	OnChanges bool // it runs for pushes to the default branch or pull requests
	// Step is the first step that runs tests, or the first that builds, or nil.
	Step   *registry.CIStep
	Unread bool // something that may run tests is unknown
}

// Workflow reads a workflow of GitHub Actions, for the code in a folder. ok is false if it cannot
// be parsed, has no jobs, or if the limit of work is reached before it is known when it runs.
func (r *Repo) Workflow(p, text, dir string) (f Finding, ok bool) {
	w := r.workflow(p, text)
	if w == nil {
		return f, false
	}
	on := strings.Join(w.changes(r, dir), " and ")
	if on == "" {
		return f, true
	}
	return r.finding(p, on, func(f *Finding, s search) { s.object(w.document) }), true
}

// finding returns the result of searching a configuration that runs on events.
func (r *Repo) finding(p, on string, search func(*Finding, search)) Finding {
	key := [2]string{p, on}
	f, known := r.findings[key]
	if !known {
		if r.findings == nil {
			r.findings = map[[2]string]Finding{}
		}
		f.OnChanges = true
		search(&f, r.search(p, on, &f))
		r.findings[key] = f
	}
	return f
}

// shellStep finds the commands of a Jenkinsfile.
var shellStep = regexp.MustCompile(
	`\b(?:sh|bat)\s*\(?\s*(?:script:\s*)?(?:'''|"""|['"])((?s:.*?))(?:'''|"""|['"])`)

// Other reads a configuration of another CI system, which is assumed to run for every push. It
// is unknown whether it runs tests unless one of its commands is known to.
func (r *Repo) Other(p, text string) Finding {
	return r.finding(p, "push", func(f *Finding, s search) {
		if doc := r.document(p, text); len(doc) > 0 {
			s.object(doc)
		} else {
			for _, m := range shellStep.FindAllStringSubmatch(text, -1) {
				s.run(m[1])
			}
		}
		f.Unread = f.Step == nil
	})
}

// A search looks for a step in one configuration.
type search struct {
	repo    *Repo
	finding *Finding
	step    registry.CIStep // where the search is
	dir     string          // in which commands run
	depth   int
}

func (r *Repo) search(p, on string, f *Finding) search {
	return search{repo: r, finding: f, step: registry.CIStep{Path: p, On: on}}
}

// spend reports whether there is work left after an amount of it.
func (s search) spend(work int) bool {
	ok := s.repo.spend(work)
	s.finding.Unread = s.finding.Unread || !ok
	return ok
}

// value searches a member of a configuration for steps.
func (s search) value(key string, v any) {
	if keys[key] == "ignored" || !s.spend(1) {
		return
	}
	switch v := v.(type) {
	case string:
		if keys[key] == "script" {
			s.run(v)
		}
	case []any:
		for _, e := range v {
			s.value(key, e)
		}
	case map[string]any:
		s.object(v)
	}
}

// object searches a table of a configuration for steps.
func (s search) object(o untyped.Object) {
	if conditions.MatchString(o.Scalar("if")) {
		return
	}
	s.step.Name = o.Text("name")
	if job := o.Text("job"); job != "" {
		s.step.Job = job
	}
	for _, in := range []untyped.Object{o.Object("defaults").Object("run"), o} {
		if dir := in.Text("working-directory"); dir != "" {
			s.dir = folder("", dir)
		}
	}
	if action := o.Text("uses"); action != "" {
		s.uses(action, o.Object("with"))
	}
	for _, k := range o.Keys() {
		in := s
		if keys[k] == "" {
			in.step.Job = k
		}
		in.value(k, o[k])
	}
}

// uses follows an action or workflow of the same repository. Others are known by their names or
// by the commands that they are given.
func (s search) uses(action string, with untyped.Object) {
	if p, ok := strings.CutPrefix(action, "./"); ok {
		s.call(path.Clean(p))
		return
	}
	action, _, _ = strings.Cut(action, "@")
	name := strings.ToLower(action)
	owner, _, _ := strings.Cut(name, "/")
	for _, listed := range []string{name, owner} {
		if does, ok := actions[listed]; ok {
			s.found(kinds[does], action)
			return
		}
	}
	for _, k := range with.Keys() {
		if command := with.Text(k); keys[k] == "script" && strings.Contains(command, " ") {
			s.run(command)
		}
	}
	if byName(name) != other || strings.Contains(name, "/.github/") {
		s.finding.Unread = true
	}
}

// call follows a workflow or an action of the same repository.
func (s search) call(p string) {
	for _, p := range []string{p, p + "/action.yml", p + "/action.yaml"} {
		text, ok := s.repo.Text(p)
		if !ok {
			continue
		}
		doc := s.repo.document(p, text)
		using := doc.Object("runs").Text("using")
		if doc != nil && s.depth < maxDepth && (using == "" || using == "composite") {
			s.step.Path = p
			s.depth++
			s.object(doc)
			return
		}
	}
	s.finding.Unread = true
}

func (s search) run(script string) {
	k, command := s.script(script)
	s.found(k, command)
}

// found records a step unless a better one has been found.
func (s search) found(k kind, command string) {
	f := s.finding
	f.Unread = f.Unread || k == unknown
	if k < build || f.Step != nil && (f.Step.Tests || k != tests) {
		return
	}
	s.step.Job, s.step.Name = untyped.Cut(s.step.Job, 100), untyped.Cut(s.step.Name, 100)
	s.step.Command, s.step.Tests = untyped.Cut(command, 200), k == tests
	f.Step = &s.step
}
