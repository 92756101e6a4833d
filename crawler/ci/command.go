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
	other kind = iota
	unknown
	build
	tests
)

var kinds = map[string]kind{"other": other, "unknown": unknown, "build": build, "tests": tests}

var (
	taskWords = vocabulary.Pairs(rules, "task_words.txt")
	commands  = readCommands()
)

// A rule is what the commands with the same first words do.
type rule struct {
	words []string
	does  string // as in commands.txt
}

// readCommands returns the rules by program, the most specific first.
func readCommands() map[string][]rule {
	out := map[string][]rule{}
	for words, does := range vocabulary.Pairs(rules, "commands.txt") {
		r := rule{strings.Fields(words), does}
		out[r.words[0]] = append(out[r.words[0]], r)
	}
	for _, list := range out {
		slices.SortFunc(list, func(a, b rule) int {
			if len(a.words) != len(b.words) {
				return len(b.words) - len(a.words)
			}
			return int(kinds[b.does] - kinds[a.does])
		})
	}
	return out
}

// camelTest matches tasks of Gradle that run tests, such as :app:integrationTest.
var camelTest = regexp.MustCompile(`(?:^|:)[a-z][A-Za-z0-9]*Tests?$|:test$`)

// matches reports whether a command without options has the words of a rule.
func (r rule) matches(words []string) bool {
	if i := slices.Index(r.words, "*"); i >= 0 {
		last := r.words[i+1]
		return slices.ContainsFunc(words[1:], func(w string) bool {
			return w == last || strings.HasSuffix(w, ":"+last) || last == "test" && camelTest.MatchString(w)
		})
	}
	return len(words) >= len(r.words) && slices.Equal(words[:len(r.words)], r.words)
}

// script returns the effect of a script in a folder, and the command that has it.
func (s search) script(text, dir string, depth int) (best kind, command string) {
	text = expression.ReplaceAllString(text, placeholder)
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
		k := unknown
		if s.spend() {
			k = s.command(args, dir, depth)
		}
		if k > best {
			best, command = k, strings.ReplaceAll(strings.Join(args, " "), placeholder, "…")
		}
		s.finding.Unread = s.finding.Unread || k == unknown
	}
	return best, untyped.Cut(command, 200)
}

// Arguments with which commands only print information, and those that leave out tests.
var (
	informing = []string{"--version", "--help", "-V", "-h", "--listTests", "--collect-only"}
	untested  = []string{"-x", "--exclude-task", "-DskipTests", "-DskipTests=true", "-Dmaven.test.skip=true"}
)

// command returns the kind of a command in a folder.
func (s search) command(args []string, dir string, depth int) kind {
	has := func(list []string) bool {
		return slices.ContainsFunc(args, func(a string) bool { return slices.Contains(list, a) })
	}
	words, at := wordsOf(args, dir)
	if len(words) == 0 || has(informing) {
		return other
	}
	if i := slices.Index(args, "-c"); i >= 0 && i+1 < len(args) && strings.HasSuffix(args[0], "sh") {
		if depth == maxDepth {
			return unknown
		}
		k, _ := s.script(args[i+1], dir, depth+1)
		return k
	}
	if slices.Contains(args, "--test") && (words[0] == "node" || words[0] == "tsx") {
		return tests
	}
	k := s.kindOf(words, at, depth)
	if k == tests && has(untested) {
		return build
	}
	return k
}

// kindOf returns the kind of a command without options.
func (s search) kindOf(words []string, dir string, depth int) kind {
	for len(words) > 0 {
		words[0] = program(words[0])
		if words[0] == "npm" && len(words) > 1 && (words[1] == "test" || words[1] == "t") {
			words = []string{"npm", "run", "test"}
		}
		i := slices.IndexFunc(commands[words[0]], func(r rule) bool { return r.matches(words) })
		if i < 0 {
			return ofFile(words[0])
		}
		r := commands[words[0]][i]
		rest := words[min(len(r.words), len(words)):]
		switch r.does {
		case "wrapper":
			words = rest
			if len(words) > 0 && strings.IndexAny(words[0], "0123456789") == 0 {
				words = words[1:] // of timeout
			}
		case "task":
			return tasks(rest)
		case "script":
			return s.named(rest, dir, depth)
		default:
			return kinds[r.does]
		}
	}
	return other
}

// tasks returns the kind of the tasks of a runner whose texts are not read.
func tasks(names []string) kind {
	if len(names) == 0 {
		return unknown // the default task
	}
	best := other
	for _, name := range names {
		best = max(best, byName(name))
	}
	return best
}

// named returns the kind of a script of a package.json, or of a program.
func (s search) named(words []string, dir string, depth int) kind {
	if len(words) == 0 {
		return other // yarn installs
	}
	name := words[0]
	scripts := s.repo.Scripts(dir)
	if body, ok := scripts[name]; ok && dir != otherFolder {
		if depth == maxDepth {
			return unknown
		}
		k, _ := s.script(body, dir, depth+1)
		return k
	}
	if k := byName(name); k == tests || commands[program(name)] == nil {
		return k
	}
	return s.kindOf(slices.Clone(words), dir, depth)
}

// ofFile returns the kind of a program that is not listed: by its name if it is a file of the
// project.
func ofFile(word string) kind {
	return byName(strings.TrimSuffix(path.Base(word), path.Ext(word)))
}

// preparations are the first words of names of tasks that only prepare something, such as
// "setup-test-data".
var preparations = []string{"create", "download", "generate", "install", "prepare", "seed", "setup"}

// byName returns the kind of a task by the words of its name.
func byName(name string) kind {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return strings.ContainsRune(":-_./,= ", r)
	})
	if len(words) > 0 && slices.Contains(preparations, words[0]) && !slices.Contains(words, "and") {
		return other
	}
	best, known := other, false
	for _, word := range words {
		k, ok := taskWords[word]
		best, known = max(best, kinds[k]), known || ok
	}
	if !known {
		return unknown
	}
	return best
}

// program returns the name of a program: "./gradlew.bat" is gradle.
func program(word string) string {
	if strings.Contains(word, "node_modules/") {
		word = strings.TrimSuffix(word, path.Ext(word))
	}
	base := strings.ToLower(path.Base(strings.ReplaceAll(word, `\`, "/")))
	for _, ext := range []string{".exe", ".cmd", ".bat"} {
		base = strings.TrimSuffix(base, ext)
	}
	if at := strings.LastIndexByte(base, '@'); at > 0 {
		base = base[:at] // npx jest@29
	}
	if base == "gradlew" || base == "mvnw" {
		return base[:len(base)-1]
	}
	return base
}

// otherFolder stands for the folders of workspaces.
const otherFolder = "*"

// Options whose value is the next word: folders, workspaces and others.
var (
	inFolder    = []string{"-C", "--prefix", "--cwd", "--dir", "--directory"}
	inWorkspace = []string{"-w", "--workspace", "--filter", "-F"}
	valued      = slices.Concat(untested[:2], []string{"-p", "--package", "--with", "--group", "--extra",
		"--python", "--from", "-n", "-f", "--project", "-e", "--env-file", "--only-group", "--env", "-j",
		"--project-dir", "--tests", "--max-workers", "--manifest-path"})
	everywhere = []string{"-r", "--recursive", "--workspaces", "-ws"}
	assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)
)

// wordsOf returns the words of a command without options and variables, and its folder.
func wordsOf(args []string, dir string) (words []string, at string) {
	for i := 0; i < len(args); i++ {
		a, next := args[i], ""
		if i+1 < len(args) {
			next = args[i+1]
		}
		switch {
		case slices.Contains(inFolder, a):
			i, dir = i+1, cleanDir(path.Join(dir, next))
		case slices.Contains(inWorkspace, a):
			i, dir = i+1, otherFolder
		case slices.Contains(everywhere, a):
			dir = otherFolder
		case slices.Contains(valued, a):
			i++
		case strings.HasPrefix(a, "--target"): // of nx
			_, value, _ := strings.Cut(a, "=")
			words = append(words, strings.FieldsFunc(value, func(r rune) bool { return r == ',' })...)
		case a != "" && a[0] != '-' && !assignment.MatchString(a):
			words = append(words, a)
		}
	}
	return words, dir
}
