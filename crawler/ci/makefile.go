package ci

import (
	"path"
	"regexp"
	"strings"
)

// target returns the recipe of a target of the Makefile in a folder, with those
// of the targets that it needs.
func (r *Repo) target(name, dir string) (script string, ok bool) {
	text, _ := r.Text(path.Join(dir, "Makefile"))
	targets, first := parseMakefile(text)
	if name == "" {
		name = first
	}
	_, ok = targets[name]
	script, _ = recipe(name, func(name string) (task, bool) {
		t, known := targets[name]
		return t, known
	})
	return script, ok
}

// A task is what a target of a Makefile or a task of cargo-make runs.
type task struct {
	needs   []string // tasks that run before
	script  string
	partial bool // more is in other files
}

// recipe returns the script of a task with those of the tasks that it needs. complete is
// false unless all of them are known whole.
func recipe(name string, taskOf func(string) (task, bool)) (script string, complete bool) {
	seen := map[string]bool{}
	complete = true
	var add func(string)
	add = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		t, known := taskOf(name)
		complete = complete && known && !t.partial
		for _, need := range t.needs {
			add(need)
		}
		script += t.script
	}
	add(name)
	return script, complete
}

var (
	makeRule     = regexp.MustCompile(`^([A-Za-z0-9_./%-]+(?:\s+[A-Za-z0-9_./%-]+)*)\s*::?(?:\s+|$)(.*)$`)
	makeVariable = regexp.MustCompile(`(?m)^(\w+)\s*[:?]?=\s*(.*)$`)
	makeUse      = regexp.MustCompile(`\$[({](\w+)[)}]`)
)

// parseMakefile returns the rules of a Makefile and the name of the first.
func parseMakefile(text string) (targets map[string]task, first string) {
	variables := map[string]string{"MAKE": "make"}
	for _, m := range makeVariable.FindAllStringSubmatch(text, -1) {
		variables[m[1]] = m[2]
	}
	text = strings.ReplaceAll(text, "\\\n", " ")
	targets = map[string]task{}
	var current []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if recipe, ok := strings.CutPrefix(line, "\t"); ok {
			recipe = makeUse.ReplaceAllStringFunc(strings.TrimLeft(recipe, "@-+ "), func(use string) string {
				if v, ok := variables[makeUse.FindStringSubmatch(use)[1]]; ok {
					return v
				}
				return placeholder
			})
			for _, name := range current {
				t := targets[name]
				t.script += recipe + "\n"
				targets[name] = t
			}
			continue
		}
		m := makeRule.FindStringSubmatch(line)
		if m == nil || strings.HasPrefix(m[2], "=") {
			continue
		}
		current = strings.Fields(m[1])
		for _, name := range current {
			t := targets[name]
			needs, _, _ := strings.Cut(m[2], "#")
			t.needs = append(t.needs, strings.Fields(needs)...)
			targets[name] = t
			if first == "" && !strings.HasPrefix(name, ".") {
				first = name
			}
		}
	}
	return targets, first
}
