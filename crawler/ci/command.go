package ci

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/shell"
	"mcpcensus/crawler/untyped"
	"mcpcensus/crawler/vocabulary"
)

// A kind is the effect of a command.
type kind int

const (
	none kind = iota
	maybe
	build
	tests
)

var kindNames = map[string]kind{"tests": tests, "build": build, "unknown": maybe, "other": none}

// kinds returns the entries of a file, in lower case, with their kinds.
func kinds(file string) map[string]kind {
	out := map[string]kind{}
	for name, word := range vocabulary.Pairs(rules, file) {
		k, ok := kindNames[word]
		if !ok {
			panic("ci: " + file + ": " + name + " is " + word)
		}
		out[strings.ToLower(name)] = k
	}
	return out
}

// A commandRule is the kind of a program's command with certain arguments.
type commandRule struct {
	args []string
	kind kind
}

// commandRules returns the rules by program.
func commandRules() map[string][]commandRule {
	out := map[string][]commandRule{}
	for line, k := range kinds("commands.txt") {
		words := strings.Fields(line)
		out[words[0]] = append(out[words[0]], commandRule{words[1:], k})
	}
	return out
}

// phrases returns the entries of a file split into words, the longest first.
func phrases(file string) (out [][]string) {
	for _, line := range vocabulary.Lines(rules, file) {
		out = append(out, strings.Fields(line))
	}
	slices.SortStableFunc(out, func(a, b []string) int { return len(b) - len(a) })
	return out
}

// shellStep finds the commands of a Jenkinsfile.
var shellStep = regexp.MustCompile(
	`\b(?:sh|bat)\s*\(?\s*(?:script:\s*)?(?:'''|"""|['"])((?s:.*?))(?:'''|"""|['"])`)

// A verdict is the effect of a script.
type verdict struct {
	best    kind   // tests, build or none
	command string // verbatim, the command of kind best
	unknown bool   // a command of unknown text may test or build
}

func (v *verdict) add(k kind, command string) {
	switch {
	case k == maybe:
		v.unknown = true
	case k > v.best:
		v.best, v.command = k, command
	}
}

// maxScripts is the maximum depth of scripts that run others.
const maxScripts = 4

// script returns the effect of a script that runs in a folder.
func (r *Repo) script(text, dir string, depth int) verdict {
	var v verdict
	calls, err := shell.Calls(text)
	if err != nil { // a script for another shell
		for line := range strings.Lines(text) {
			calls = append(calls, shell.Line(line)...)
		}
	}
	for _, args := range calls {
		if len(args) == 2 && args[0] == "cd" {
			dir = cleanDir(path.Join(dir, args[1]))
			continue
		}
		v.add(r.command(args, dir, depth), untyped.Cut(strings.Join(args, " "), 200))
	}
	return v
}

// command returns the kind of a command that runs in a folder.
func (r *Repo) command(args []string, dir string, depth int) kind {
	all := args
	args = unwrap(args)
	if len(args) == 0 || depth > maxScripts {
		return none
	}
	name, rest := program(args[0]), args[1:]
	if (name == "bash" || name == "sh") && len(rest) > 1 && strings.HasPrefix(rest[0], "-") &&
		strings.HasSuffix(rest[0], "c") {
		return r.script(rest[1], dir, depth+1).kind()
	}
	if slices.ContainsFunc(rest, func(a string) bool { return slices.Contains(informing, a) }) {
		return none
	}
	if name == "gradle" || name == "gradlew" {
		var ok bool
		if rest, ok = gradleTasks(rest); ok {
			return tests
		}
	}
	for _, rule := range commands[name] {
		if rule.matches(rest) {
			return rule.kind
		}
	}
	if by, task, at, ok := taskOf(name, rest, dir); ok {
		return r.task(by, task, at, depth)
	}
	if strings.Contains(args[0], "/") || strings.HasSuffix(args[0], ".sh") {
		return r.file(args[0], dir, depth)
	}
	if runner := program(all[0]); slices.Contains(projectRunners, runner) && runner != name {
		return byName(args[0]) // a script of the project, or a program
	}
	return none
}

// projectRunners run both programs and the scripts of a project.
var projectRunners = []string{"hatch", "pdm", "pixi", "rye"}

// kind returns the kind of a script as a command.
func (v verdict) kind() kind {
	if v.best == none && v.unknown {
		return maybe
	}
	return v.best
}

// informing are arguments with which commands only print information.
var informing = []string{"--version", "--help", "-V", "-P", "--listTests", "--collect-only"}

// program returns the name of a program: "./gradlew.bat" is gradlew.
func program(word string) string {
	base := strings.ToLower(path.Base(strings.ReplaceAll(word, `\`, "/")))
	for _, ext := range []string{".exe", ".cmd", ".bat"} {
		base = strings.TrimSuffix(base, ext)
	}
	if strings.Contains(word, "node_modules/") {
		base = strings.TrimSuffix(base, path.Ext(base))
	}
	if at := strings.LastIndexByte(base, '@'); at > 0 {
		base = base[:at] // npx jest@29
	}
	return base
}

// unwrap removes variables and wrapper commands that only run the command after them.
func unwrap(args []string) []string {
	for len(args) > 0 {
		n := wrapped(args)
		if isAssignment(args[0]) {
			n = 1
		} else if program(args[0]) == "node" { // a program in node_modules
			n = slices.IndexFunc(args, func(a string) bool { return strings.Contains(a, "node_modules/") })
		}
		if n <= 0 {
			break
		}
		args = args[n:]
	}
	return args
}

var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

func isAssignment(word string) bool { return assignment.MatchString(word) }

// valued are flags of wrappers that take a value.
var valued = []string{"-p", "--package", "--with", "--group", "--extra", "--python", "--from", "-n",
	"-f", "--project", "--directory", "--filter", "-e", "--env-file", "--only-group", "--env"}

// wrapped returns the number of words of a wrapper before the command that it runs, 0
// if there is no wrapper.
func wrapped(args []string) int {
	for _, w := range wrappers {
		if len(args) <= len(w) || program(args[0]) != w[0] || !slices.Equal(args[1:len(w)], w[1:]) {
			continue
		}
		n := len(w)
		for n < len(args) && strings.HasPrefix(args[n], "-") {
			switch flag := args[n]; {
			case flag == "-c" && (w[0] == "bash" || w[0] == "sh"),
				strings.HasPrefix(flag, "-l") && strings.Contains(flag, "c"):
				return 0
			case flag == "-m" || flag == "--" || flag == "-c":
				return n + 1
			case slices.Contains(valued, flag):
				n += 2
			default:
				n++
			}
		}
		if n >= len(args) {
			return 0
		}
		if (w[0] == "timeout" || w[0] == "retry") && strings.IndexAny(args[n], "0123456789") == 0 {
			n++
		}
		return n
	}
	return 0
}

// matches reports whether arguments contain the words of a rule in order.
func (c *commandRule) matches(args []string) bool {
	var words []string
	for _, a := range args {
		words = append(words, strings.FieldsFunc(strings.ToLower(a), func(r rune) bool { return r == ':' })...)
	}
	anywhere, afterFlag := false, false
	for _, want := range c.args {
		switch {
		case want == "*":
			anywhere = true
			continue
		case strings.HasPrefix(want, "-"):
			if !slices.Contains(words, want) {
				return false
			}
			continue
		}
		found := false
		for len(words) > 0 && !found {
			w := words[0]
			words = words[1:]
			switch {
			case w == want:
				found = true
			case strings.HasPrefix(w, "-"):
				afterFlag = !strings.Contains(w, "=")
			case anywhere || afterFlag:
				afterFlag = false
			default:
				return false
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// otherFolder represents the workspace folders that a command selects.
const otherFolder = "*"

// taskOf returns the runner, as in rules/runners.txt, and the task that it runs: "test"
// for "npm run test" and "npm test".
func taskOf(name string, args []string, dir string) (runner, task, at string, ok bool) {
	words, dir := wordsOf(args, dir)
	if name == "npm" && len(words) > 0 && (words[0] == "test" || words[0] == "t" || words[0] == "tst") {
		return name, "test", dir, true
	}
	if name == "yarn" && len(words) > 1 && words[0] == "workspace" {
		words, dir = words[2:], otherFolder
	}
	words = append([]string{name}, words...)
	for _, r := range runners {
		if len(words) < len(r) || !slices.Equal(words[:len(r)], r) {
			continue
		}
		runner = strings.Join(r, " ")
		if len(words) > len(r) {
			return runner, words[len(r)], dir, true
		}
		return runner, "", dir, slices.Contains(defaultRunners, runner)
	}
	return name, "", dir, false
}

// taskFlags are flags of task runners by what they select or take: a folder, all workspaces, one
// workspace, another value, or a task.
var taskFlags = map[string]string{
	"-C": "folder", "--prefix": "folder", "--cwd": "folder", "--dir": "folder",
	"-r": "workspaces", "--recursive": "workspaces", "--workspaces": "workspaces", "-ws": "workspaces",
	"-w": "workspace", "--workspace": "workspace", "--filter": "workspace", "-F": "workspace",
	"-f": "value", "-j": "value", "-t": "task", "--target": "task",
}

// defaultRunners run a default task if none is named.
var defaultRunners = []string{"make", "just", "grunt", "gulp", "rake", "task", "cargo make"}

// wordsOf returns the arguments of a task runner without flags, and the folder
// in which it runs.
func wordsOf(args []string, dir string) (words []string, at string) {
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		a, value := args[i], ""
		if i+1 < len(args) {
			value = args[i+1]
		}
		switch taskFlags[a] {
		case "folder":
			i, dir = i+1, cleanDir(path.Join(dir, value))
		case "workspaces":
			dir = otherFolder
		case "workspace":
			i, dir = i+1, otherFolder
		case "value":
			i++
		case "task":
			i, words = i+1, append(words, value)
		default:
			if !strings.HasPrefix(a, "-") && !isAssignment(a) {
				words = append(words, a)
			}
		}
	}
	return words, dir
}

// task returns the kind of a runner's task, by its text if known, otherwise by its name.
func (r *Repo) task(runner, name, dir string, depth int) kind {
	switch runner {
	case "npm", "npm run", "npm run-script", "pnpm", "pnpm run", "yarn", "yarn run", "bun", "bun run",
		"run-s", "run-p":
		scripts := r.Scripts(dir)
		if body, ok := scripts[name]; ok {
			return r.script(body, dir, depth+1).kind()
		}
		if slices.Contains(management, name) {
			return none
		}
		if scripts != nil {
			return byName(name)
		}
	case "cargo make":
		script, complete := r.cargoTask(name, dir)
		if v := r.script(script, dir, depth+1); complete || v.best == tests {
			return v.kind()
		}
	case "make":
		if recipe, ok := r.target(name, dir); ok {
			return r.script(recipe, dir, depth+1).kind()
		}
		if name == "" {
			return build
		}
		if _, read := r.Text(path.Join(dir, "Makefile")); read {
			return byName(name)
		}
	}
	// A task with another name may run tests.
	k := byName(name)
	if k == none && !slices.ContainsFunc(nameParts(name), func(word string) bool {
		other, listed := taskWords[word]
		return listed && other == none
	}) {
		return maybe
	}
	return k
}

// management are commands of package managers rather than names of scripts.
var management = []string{"ci", "install", "i", "add", "publish", "pack", "audit", "version", "config", "set",
	"link", "login", "why", "outdated", "update", "create", "init", "info", "global", "cache", "store", "dlx",
	"view", "whoami", "ls", "prune"}

// file returns the kind of a script file, by its text, or by its name if unread.
func (r *Repo) file(word, dir string, depth int) kind {
	p := path.Join(dir, word)
	isShell := path.Ext(word) == "" || path.Ext(word) == ".sh"
	if text, ok := r.Text(p); ok && isShell {
		return r.script(text, "", depth+1).kind()
	}
	if !r.Exists(p) {
		return none
	}
	return byName(strings.TrimSuffix(path.Base(word), path.Ext(word)))
}

// preparations are the first words of names of tasks that only prepare something, such as
// "setup-test-data".
var preparations = []string{"create", "download", "generate", "install", "prepare", "seed", "setup"}

// byName returns the kind of a task by its name.
func byName(name string) kind {
	words := nameParts(name)
	if len(words) > 0 && slices.Contains(preparations, words[0]) && !slices.Contains(words, "and") {
		return none
	}
	best := none
	for _, word := range words {
		best = max(best, taskWords[word])
	}
	return best
}

// nameParts returns the words of a task's name in lower case.
func nameParts(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return strings.ContainsRune(":-_./ ", r)
	})
}
