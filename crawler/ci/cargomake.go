package ci

import (
	"path"
	"strings"

	"mcpcensus/crawler/untyped"
)

// cargoTask returns the commands of a task of the Makefile.toml in a folder, with
// those of the tasks that it needs. ok is false unless the file has all of them:
// cargo-make has tasks of its own, and files may extend others.
func (r *Repo) cargoTask(name, dir string) (script string, ok bool) {
	text, ok := r.Text(path.Join(dir, "Makefile.toml"))
	if !ok {
		return "", false
	}
	doc, err := untyped.TOML([]byte(text))
	if err != nil {
		return "", false
	}
	if name == "" {
		name = "default"
	}
	tasks := doc.Object("tasks")
	var b strings.Builder
	seen := map[string]bool{}
	var add func(string) bool
	add = func(name string) bool {
		if seen[name] {
			return true
		}
		seen[name] = true
		t := tasks.Object(name)
		if t == nil || t["extend"] != nil {
			return false
		}
		_, fromFile := t["script"].(map[string]any)
		complete := !fromFile
		needs := append(t.Texts("dependencies"), t.Texts("run_task")...)
		if need := t.Text("run_task", "alias"); need != "" {
			needs = append(needs, need)
		}
		for _, need := range needs {
			complete = add(need) && complete
		}
		if command := t.Text("command"); command != "" {
			b.WriteString(command + " " + strings.Join(t.Texts("args"), " ") + "\n")
		}
		b.WriteString(strings.Join(append(t.Texts("script"), t.Text("script")), "\n") + "\n")
		return complete
	}
	complete := add(name)
	return b.String(), complete
}
