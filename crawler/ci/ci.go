// Package ci finds the step of a continuous integration that runs tests or a build when
// the code changes. It parses workflows and the scripts that they run, without executing
// them.
package ci

import (
	"cmp"
	"embed"
	"path"
	"slices"
	"strings"

	"mcpcensus/crawler/untyped"
	"mcpcensus/crawler/vocabulary"
)

//go:embed rules
var embedded embed.FS

var (
	rules     = vocabulary.Rules(embedded)
	actions   = kinds("actions.txt")
	taskWords = kinds("task_words.txt")
	commands  = commandRules()
	runners   = phrases("runners.txt")
	wrappers  = phrases("wrappers.txt")
)

// A Repo provides the files of a repository.
type Repo struct {
	Branch string // default branch, "" if unknown
	// Text returns the text of a file; ok is false if it was not read.
	Text func(path string) (text string, ok bool)
	// Exists reports whether a file is in the repository.
	Exists func(path string) bool
	// Scripts returns the scripts of the package.json in a folder, nil if there
	// is none or it was not read.
	Scripts func(dir string) map[string]string
	// Code contains the paths of relevant source files. Workflows that run only for
	// changes of other files do not count.
	Code []string
}

// A Step is a step that runs tests or a build.
type Step struct {
	Path    string // of the file that contains the step
	Job     string
	Name    string // of the step, "" for none
	Command string // verbatim, or the action's name
	Tests   bool   // it runs tests; otherwise it only builds
	On      string // "push", "pull_request" or "push and pull_request"
}

// A Finding is the result of reading one configuration.
type Finding struct {
	OnChanges bool  // it runs for pushes to the default branch or pull requests
	Step      *Step // the first step that runs tests, or the first that builds, or nil
	// Unread reports that a text that may contain such a step was not read.
	Unread bool
}

// Workflow reads a workflow of GitHub Actions. ok is false if it cannot be parsed.
func (r *Repo) Workflow(p, text string) (f Finding, ok bool) {
	doc, err := untyped.YAML([]byte(text))
	if err != nil || len(doc) == 0 {
		return f, false
	}
	on := r.changes(doc)
	if on == "" {
		return f, true
	}
	f.OnChanges = true
	s := search{repo: r, path: p, on: on, finding: &f}
	s.jobs(doc, 0)
	return f, true
}

// Other reads a configuration of another CI system, which is assumed to run for every
// push.
func (r *Repo) Other(p, text string) Finding {
	f := Finding{OnChanges: true}
	s := search{repo: r, path: p, on: "push", finding: &f}
	if doc, err := untyped.YAML([]byte(text)); err == nil && len(doc) > 0 {
		s.scripts("", map[string]any(doc), 0)
		return f
	}
	for _, m := range shellStep.FindAllStringSubmatch(text, -1) {
		s.run(m[1], "", nil)
	}
	f.Unread = f.Step == nil
	return f
}

// A search looks for a step in one configuration.
type search struct {
	repo    *Repo
	path    string
	on      string
	job     string
	step    string
	finding *Finding
}

// maxCalls is the maximum depth of workflows and actions that call others.
const maxCalls = 3

// jobs searches the jobs of a workflow.
func (s search) jobs(doc untyped.Object, depth int) {
	jobs := doc.Object("jobs")
	for _, id := range jobs.Keys() {
		job := jobs.Object(id)
		if skipped(job["if"]) {
			continue
		}
		s.job = id
		if call := job.Text("uses"); call != "" {
			s.call(call, depth)
			continue
		}
		defaults := func(o untyped.Object) string {
			return o.Object("defaults").Object("run").Text("working-directory")
		}
		dir := cmp.Or(defaults(job), defaults(doc))
		s.steps(job.Objects("steps"), dir, matrixOf(job), depth)
	}
}

// steps searches the steps of a job or an action.
func (s search) steps(steps []untyped.Object, dir string, matrix map[string][]string, depth int) {
	for _, step := range steps {
		if skipped(step["if"]) {
			continue
		}
		s.step = step.Text("name")
		at := cmp.Or(step.Text("working-directory"), dir)
		if script, ok := step["run"].(string); ok {
			s.run(script, at, matrix)
		}
		if action := step.Text("uses"); action != "" {
			s.action(action, step.Object("with"), at, depth)
		}
	}
}

// action reads a step that uses an action.
func (s search) action(name string, with untyped.Object, dir string, depth int) {
	if strings.HasPrefix(name, "./") {
		s.call(name, depth)
		return
	}
	base, _, _ := strings.Cut(name, "@")
	if k := actions[strings.ToLower(base)]; k != none {
		s.found(k, base)
	}
	// Actions that run a command accept the whole command, or the arguments of the
	// tool in their name.
	for _, key := range []string{"run", "command", "script", "cmd"} {
		if script := with.Text(key); script != "" {
			s.run(script, dir, nil)
		}
	}
	for _, args := range []string{with.Text("arguments", "args"), with.Text("command")} {
		if args != "" {
			s.run(toolOf(base)+" "+args, dir, nil)
		}
	}
}

// toolOf returns the tool that an action wraps: "gradle/actions/setup-gradle" is
// gradle, "actions-rs/cargo" is cargo.
func toolOf(action string) string {
	base := path.Base(action)
	words := strings.Split(base, "-")
	if i := slices.IndexFunc(words, func(w string) bool { return commands[w] != nil }); i >= 0 {
		return words[i]
	}
	return base
}

// call follows a workflow or an action of the same repository. The texts of other
// repositories are unknown.
func (s search) call(name string, depth int) {
	p, isLocal := strings.CutPrefix(name, "./")
	if !isLocal || depth >= maxCalls {
		s.finding.Unread = true
		return
	}
	p = path.Clean(p)
	for _, p := range []string{p, p + "/action.yml", p + "/action.yaml"} {
		text, ok := s.repo.Text(p)
		if !ok {
			continue
		}
		doc, err := untyped.YAML([]byte(text))
		s.finding.Unread = s.finding.Unread || err != nil
		s.path = p // where the step is
		if runs := doc.Object("runs"); runs != nil {
			s.steps(runs.Objects("steps"), "", nil, depth+1)
		} else {
			s.jobs(doc, depth+1)
		}
		return
	}
	s.finding.Unread = true
}

// scripts searches a configuration of unknown format for commands.
func (s search) scripts(key string, v any, depth int) {
	if depth > untyped.MaxDepth {
		return
	}
	switch v := v.(type) {
	case string:
		if slices.Contains(scriptKeys, key) {
			s.run(v, "", nil)
		}
	case []any:
		for _, e := range v {
			s.scripts(key, e, depth+1)
		}
	case map[string]any:
		for _, k := range untyped.Object(v).Keys() {
			if !slices.Contains(scriptKeys, key) && depth < 3 && !slices.Contains(structure, k) {
				s.job = k
			}
			s.scripts(k, v[k], depth+1)
		}
	}
}

// Keys in the configurations of other CI systems: keys of commands, and keys that are not
// names of jobs.
var (
	scriptKeys = []string{"script", "command", "commands", "run", "bash", "test_script",
		"build_script", "after_build", "args", "entrypoint"}
	structure = []string{"jobs", "steps", "stages", "pipelines", "default", "script", "step", "run",
		"install", "before_script", "on", "workflows"}
)

// run reads the commands of a script, once for each value of a matrix.
func (s search) run(script, dir string, matrix map[string][]string) {
	for _, c := range expand(script, matrix) {
		k := s.repo.script(c, cleanDir(dir), 0)
		s.finding.Unread = s.finding.Unread || k.unknown
		if k.best != none {
			s.found(k.best, k.command)
		}
	}
}

// found records a step unless a better one has been found.
func (s search) found(k kind, command string) {
	f := s.finding
	if f.Step != nil && (f.Step.Tests || k != tests) {
		return
	}
	command = strings.ReplaceAll(command, placeholder, "…")
	f.Step = &Step{
		Path: s.path, Job: untyped.Cut(s.job, 100), Name: untyped.Cut(s.step, 100),
		Command: untyped.Cut(command, 200), Tests: k == tests, On: s.on,
	}
}
