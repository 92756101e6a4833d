package ci

import (
	"cmp"
	"path"
	"strings"

	"mcpcensus/crawler/untyped"
)

// cargoTask returns the commands of a task in a folder's Makefile.toml and of the tasks
// that it depends on. ok is false if the file does not define all of them: cargo-make
// has built-in tasks, and files may extend others.
func (r *Repo) cargoTask(name, dir string) (script string, ok bool) {
	text, _ := r.Text(path.Join(dir, "Makefile.toml"))
	doc, _ := untyped.TOML([]byte(text))
	tasks := doc.Object("tasks")
	return recipe(cmp.Or(name, "default"), func(name string) (task, bool) {
		t := tasks.Object(name)
		needs := append(t.Texts("dependencies"), t.Texts("run_task")...)
		if need := t.Text("run_task", "alias"); need != "" {
			needs = append(needs, need)
		}
		_, fromFile := t["script"].(map[string]any)
		script := strings.Join(append(t.Texts("script"), t.Text("script")), "\n") + "\n"
		if command := t.Text("command"); command != "" {
			script = command + " " + strings.Join(t.Texts("args"), " ") + "\n" + script
		}
		return task{needs, script, fromFile}, t != nil && t["extend"] == nil
	})
}
