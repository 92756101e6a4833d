package ci

import (
	"path"
	"regexp"
	"strings"
)

// target returns the recipe of a target of the Makefile in a folder, with those
// of the targets that it needs.
func (r *Repo) target(name, dir string) (recipe string, ok bool) {
	text, ok := r.Text(path.Join(dir, "Makefile"))
	if !ok {
		return "", false
	}
	targets, first := parseMakefile(text)
	if name == "" {
		name = first
	}
	seen := map[string]bool{}
	var b strings.Builder
	var add func(string)
	add = func(name string) {
		t, known := targets[name]
		if !known || seen[name] {
			return
		}
		seen[name] = true
		for _, need := range t.needs {
			add(need)
		}
		b.WriteString(t.recipe)
	}
	add(name)
	return b.String(), seen[name]
}

// A makeTarget is a rule of a Makefile.
type makeTarget struct {
	needs  []string
	recipe string
}

var (
	makeRule     = regexp.MustCompile(`^([A-Za-z0-9_./%-]+(?:\s+[A-Za-z0-9_./%-]+)*)\s*::?(?:\s+|$)(.*)$`)
	makeVariable = regexp.MustCompile(`(?m)^(\w+)\s*[:?]?=\s*(.*)$`)
	makeUse      = regexp.MustCompile(`\$[({](\w+)[)}]`)
)

// parseMakefile returns the rules of a Makefile and the name of the first.
func parseMakefile(text string) (targets map[string]makeTarget, first string) {
	variables := map[string]string{"MAKE": "make"}
	for _, m := range makeVariable.FindAllStringSubmatch(text, -1) {
		variables[m[1]] = m[2]
	}
	text = strings.ReplaceAll(text, "\\\n", " ")
	targets = map[string]makeTarget{}
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
				t.recipe += recipe + "\n"
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
