// Package ci finds the step of a continuous integration that runs tests or a build when the code
// changes, with lists of commands. What the lists do not contain is unknown.
package ci

import (
	"embed"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/untyped"
	"mcpcensus/crawler/vocabulary"
)

//go:embed rules
var embedded embed.FS

var (
	rules   = vocabulary.Rules(embedded)
	actions = vocabulary.Pairs(rules, "actions.txt")
	systems = vocabulary.Expressions(rules, "systems.txt")
)

// IsOther reports whether a file configures a CI other than the workflows of the code host.
func IsOther(p string) bool { return systems.MatchString(p) }

// A Repo provides the files of a repository.
type Repo struct {
	Branch string // default branch, "" if unknown
	// Text returns the text of a file; ok is false if it was not read.
	Text func(path string) (text string, ok bool)
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
	Unread    bool  // something that may run tests is unknown
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
	s := search{repo: r, path: p, on: on, finding: &f, left: new(int)}
	*s.left = maxCommands
	s.jobs(doc, 0)
	return f, true
}

// shellStep finds the commands of a Jenkinsfile.
var shellStep = regexp.MustCompile(
	`\b(?:sh|bat)\s*\(?\s*(?:script:\s*)?(?:'''|"""|['"])((?s:.*?))(?:'''|"""|['"])`)

// Other reads a configuration of another CI system, which is assumed to run for every push. It
// is unknown whether it runs tests unless one of its commands is known to.
func (r *Repo) Other(p, text string) Finding {
	f := Finding{OnChanges: true}
	s := search{repo: r, path: p, on: "push", finding: &f, left: new(int)}
	*s.left = maxCommands
	if doc, err := untyped.YAML([]byte(text)); err == nil && len(doc) > 0 {
		s.scripts("", map[string]any(doc))
	} else {
		for _, m := range shellStep.FindAllStringSubmatch(text, -1) {
			s.run(m[1], "")
		}
	}
	f.Unread = f.Step == nil
	return f
}

// Limits of one configuration.
const (
	maxCommands = 3000 // commands and values
	maxDepth    = 4    // of workflows, actions and scripts that run others
)

// A search looks for a step in one configuration.
type search struct {
	repo    *Repo
	path    string
	on      string
	job     string
	step    string
	finding *Finding
	left    *int // commands and values that may still be read
}

// spend reports whether another command or value may be read.
func (s search) spend() bool {
	*s.left--
	s.finding.Unread = s.finding.Unread || *s.left < 0
	return *s.left >= 0
}

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
		dir := job.Object("defaults").Object("run").Text("working-directory")
		if dir == "" {
			dir = doc.Object("defaults").Object("run").Text("working-directory")
		}
		s.steps(job.Objects("steps"), dir, depth)
	}
}

// steps searches the steps of a job or an action.
func (s search) steps(steps []untyped.Object, dir string, depth int) {
	for _, step := range steps {
		if skipped(step["if"]) {
			continue
		}
		s.step = step.Text("name")
		at := dir
		if own := step.Text("working-directory"); own != "" {
			at = own
		}
		script, _ := step["run"].(string)
		s.run(script, at)
		action, with := step.Text("uses"), step.Object("with")
		if strings.HasPrefix(action, "./") {
			s.call(action, depth)
			continue
		}
		base, _, _ := strings.Cut(action, "@")
		if k, ok := actions[strings.ToLower(base)]; ok {
			s.found(kinds[k], base)
		}
		for _, key := range []string{"run", "command", "script", "cmd"} {
			if strings.Contains(with.Text(key), " ") {
				s.run(with.Text(key), at)
			}
		}
		if args := with.Text("arguments", "args", "command"); args != "" && !strings.Contains(base, "docker") {
			s.run(path.Base(base)+" "+args, at) // actions-rs/cargo
		}
	}
}

// call follows a workflow or an action of the same repository. The texts of other repositories
// are unknown.
func (s search) call(name string, depth int) {
	p, isLocal := strings.CutPrefix(name, "./")
	p = path.Clean(p)
	for _, p := range []string{p, p + "/action.yml", p + "/action.yaml"} {
		text, ok := s.repo.Text(p)
		doc, err := untyped.YAML([]byte(text))
		if !ok || !isLocal || depth >= maxDepth || err != nil {
			continue
		}
		s.path = p // where the step is
		if runs := doc.Object("runs"); runs != nil {
			s.steps(runs.Objects("steps"), "", depth+1)
		} else {
			s.jobs(doc, depth+1)
		}
		return
	}
	s.finding.Unread = true
}

// Keys in the configurations of other CI systems: keys of commands, and keys that are not names
// of jobs.
var (
	scriptKeys = []string{"script", "command", "commands", "run", "bash", "test_script", "build_script"}
	structure  = append([]string{"jobs", "steps", "stages", "stage", "pipelines", "default", "step",
		"install", "on", "workflows", "pipeline", "blocks", "task", "spec", "phases"}, scriptKeys...)
)

// scripts searches a configuration of unknown format for commands.
func (s search) scripts(key string, v any) {
	if !s.spend() {
		return
	}
	switch v := v.(type) {
	case string:
		if slices.Contains(scriptKeys, key) {
			s.run(v, "")
		}
	case []any:
		for _, e := range v {
			s.scripts(key, e)
		}
	case map[string]any:
		o := untyped.Object(v)
		for _, k := range o.Keys() {
			in := s
			if name := o.Text("job", "name"); name != "" {
				in.job = name
			} else if !slices.Contains(structure, k) {
				in.job = k
			}
			in.scripts(k, v[k])
		}
	}
}

// run reads the commands of a script.
func (s search) run(script, dir string) {
	k, command := s.script(script, cleanDir(dir), 0)
	s.found(k, command)
}

// found records a step unless a better one has been found.
func (s search) found(k kind, command string) {
	f := s.finding
	f.Unread = f.Unread || k == unknown
	if k < build || f.Step != nil && (f.Step.Tests || k != tests) {
		return
	}
	f.Step = &Step{
		Path: s.path, Job: untyped.Cut(s.job, 100), Name: untyped.Cut(s.step, 100),
		Command: untyped.Cut(command, 200), Tests: k == tests, On: s.on,
	}
}
