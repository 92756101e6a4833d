package ci

import (
	"cmp"
	"path"
	"regexp"
	"strings"
)

// target returns the recipe of a target in a folder's Makefile and of the targets that
// it depends on.
func (r *Repo) target(name, dir string) (script string, ok bool) {
	text, _ := r.Text(path.Join(dir, "Makefile"))
	targets, first := parseMakefile(text)
	name = cmp.Or(name, first)
	_, ok = targets[name]
	script, _ = recipe(name, func(name string) (task, bool) {
		t, known := targets[name]
		return t, known
	})
	return script, ok
}

// A task is a target of a Makefile or a task of cargo-make.
type task struct {
	needs   []string // tasks that run first
	script  string
	partial bool // part of it is in other files
}

// recipe returns the script of a task and of the tasks that it needs. complete is false
// if a part of one is unknown.
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
