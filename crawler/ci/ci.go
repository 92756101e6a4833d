// Package ci finds the step of a continuous integration that runs tests or a
// build when the code changes. It reads the texts of workflows and of the
// scripts that they run; it executes nothing.
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

// A Repo is what is known of a repository.
type Repo struct {
	Branch string // the default branch, "" if unknown
	// Text returns the text of a file that was read.
	Text func(path string) (string, bool)
	// Exists reports whether a file is in the repository.
	Exists func(path string) bool
	// Scripts returns the scripts of the package.json in a folder, nil if there
	// is none or it was not read.
	Scripts func(dir string) map[string]string
	// Code are the paths of the source files that matter: a workflow that runs
	// for changes of other files only does not count.
	Code []string
}

// A Step is one that runs tests or a build.
type Step struct {
	Path    string // of the file that has the step
	Job     string
	Name    string // of the step, "" for none
	Command string // as written, or the action's name
	Tests   bool   // runs tests; otherwise it only builds
	On      string // "push", "pull_request" or "push and pull_request"
}

// A Finding is what a configuration says.
type Finding struct {
	OnChanges bool  // something runs for pushes to the default branch or pull requests
	Step      *Step // the first step that runs tests, or else the first that builds; nil for none
	// Unread reports that a text that may hold such a step was not read.
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

// Other reads a configuration of another CI system, which runs for every push
// unless it says otherwise.
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

// maxCalls is how deep workflows and actions that call others are followed.
const maxCalls = 3

// jobs looks through the jobs of a workflow.
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

// steps looks through the steps of a job or an action.
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

// action looks at a step that uses an action.
func (s search) action(name string, with untyped.Object, dir string, depth int) {
	if strings.HasPrefix(name, "./") {
		s.call(name, depth)
		return
	}
	base, _, _ := strings.Cut(name, "@")
	if k := actions[strings.ToLower(base)]; k != none {
		s.found(k, base)
	}
	// Actions that run a command: with it, or with the arguments of the tool
	// that they are named after.
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

// call follows a workflow or an action of the same repository. The text of
// others is not known.
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

// scripts looks through a configuration of unknown form for commands.
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

// Keys of the configurations of other CI systems: those of commands, and those
// that are no names of jobs.
var (
	scriptKeys = []string{"script", "command", "commands", "run", "bash", "test_script",
		"build_script", "after_build", "args", "entrypoint"}
	structure = []string{"jobs", "steps", "stages", "pipelines", "default", "script", "step", "run",
		"install", "before_script", "on", "workflows"}
)

// run looks at the commands of a script, once for each value of a matrix.
func (s search) run(script, dir string, matrix map[string][]string) {
	for _, c := range expand(script, matrix) {
		k := s.repo.script(c, cleanDir(dir), 0)
		s.finding.Unread = s.finding.Unread || k.unknown
		if k.best != none {
			s.found(k.best, k.command)
		}
	}
}

// found notes a step unless a better one is known.
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
