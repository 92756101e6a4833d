package ci

import (
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/shell"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/text"
)

// A kind is the effect of a command.
type kind int

const (
	other kind = iota
	unknown
	build
	tests
)

var kinds = map[string]kind{"unknown": unknown, "build": build, "tests": tests}

var (
	commands  = vocabulary.Pairs(rules, "commands.txt")
	options   = vocabulary.Pairs(rules, "options.txt")
	taskWords = vocabulary.Pairs(rules, "task_words.txt")
)

// script returns the effect of a script, and the command that has it.
func (s search) script(text string) (best kind, command string) {
	if !s.spend(len(text) / 100) {
		return unknown, ""
	}
	calls, err := shell.Calls(text)
	if errors.Is(err, shell.ErrTooDeep) {
		return unknown, ""
	}
	if err != nil { // a script for another shell
		for line := range strings.Lines(text) {
			calls = append(calls, shell.Line(line)...)
		}
	}
	for _, args := range calls {
		if len(args) == 2 && args[0] == "cd" {
			s.dir = folder(s.dir, args[1])
			continue
		}
		k := unknown
		if s.spend(1) {
			k = s.command(args)
		}
		if k > best {
			best, command = k, strings.Join(args, " ")
		}
		s.finding.Unread = s.finding.Unread || k == unknown
	}
	return best, command
}

// follow returns the kind of a script that a command runs.
func (s search) follow(script string) kind {
	if s.depth++; s.depth > maxDepth {
		return unknown
	}
	k, _ := s.script(script)
	return k
}

// otherFolder represents the folders of workspaces.
const otherFolder = "*"

// command returns the kind of a command.
func (s search) command(args []string) kind {
	if i := slices.Index(args, "-c") + 1; i > 0 && i < len(args) && strings.HasSuffix(args[0], "sh") {
		return s.follow(args[i])
	}
	var words []string
	most := tests
	for i := 0; i < len(args); i++ {
		word := args[i]
		if strings.HasPrefix(word, "-") {
			word = strings.Replace(word, ":", "=", 1)
		}
		name, value, assigned := strings.Cut(word, "=")
		takes, does, _ := strings.Cut(options[name], " ")
		if takes == "value" && !assigned && i+1 < len(args) {
			i, value = i+1, args[i+1]
		}
		switch {
		case does == "informs":
			return other
		case does == "untested" && (takes == "-" || value == "test"):
			most = build
		case does == "folder":
			s.dir = folder(s.dir, value)
		case does == "workspace":
			s.dir = otherFolder
		case does == "task":
			words = append(words, value)
		case does == "word", word != "" && word[0] != '-' && !assigned:
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		return other
	}
	return min(s.kindOf(words), most)
}

// kindOf returns the kind of a command without options.
func (s search) kindOf(words []string) kind {
	for len(words) > 0 {
		word := words[0]
		words = append([]string{program(word)}, words[1:]...)
		does, n := rule(words)
		rest := words[n:]
		switch does {
		case "":
			return ofFile(word)
		case "wrapper":
			words = rest
			if len(words) > 0 && strings.IndexAny(words[0], "0123456789") == 0 {
				words = words[1:] // of timeout
			}
		case "task":
			return tasks(strings.Join(words[:n], " "), rest)
		case "script":
			return s.named(rest)
		default:
			return kinds[does]
		}
	}
	return unknown
}

// rule returns what the longest beginning of a command that is listed does, and its number of
// words. Commands whose program runs tasks are listed by task.
func rule(words []string) (does string, n int) {
	if does = commands[words[0]]; does == "task" {
		return does, 1
	}
	for n = min(len(words), 3); n > 0; n-- {
		if does = commands[strings.Join(words[:n], " ")]; does != "" {
			break
		}
	}
	return does, n
}

// tasks returns the kind of the tasks of a runner, whose texts are not read.
func tasks(runner string, names []string) kind {
	best := other
	for _, name := range names {
		does, ok := commands[runner+" "+name[strings.LastIndexByte(name, ':')+1:]]
		k := kinds[does]
		if !ok {
			k = byName(name)
		}
		best = max(best, k)
	}
	if len(names) == 0 {
		return unknown // the default task
	}
	return best
}

// named returns the kind of a script of a package.json, or of a program.
func (s search) named(words []string) kind {
	if len(words) == 0 {
		return other // yarn installs
	}
	if body, ok := s.repo.Scripts(s.dir)[words[0]]; ok {
		return s.follow(body)
	}
	if k := byName(words[0]); k != unknown {
		return k
	}
	return s.kindOf(words)
}

var fileName = regexp.MustCompile(`^[\w-]*[./][\w./-]*$`)

// ofFile returns the kind of a program that is not listed: by its name if it is a file.
func ofFile(word string) kind {
	if fileName.MatchString(word) {
		return byName(word)
	}
	return unknown
}

// byName returns the kind of a task or a file by the words of its name.
func byName(name string) kind {
	words := strings.FieldsFunc(strings.ToLower(text.Apart(path.Base(name))), func(r rune) bool {
		return strings.ContainsRune(":-_.,= ", r)
	})
	if len(words) > 0 && taskWords[words[0]] == "prepares" && !slices.Contains(words, "and") {
		return other
	}
	best, known := other, false
	for _, word := range words {
		does, ok := taskWords[word]
		best, known = max(best, kinds[does]), known || ok
	}
	if !known {
		return unknown
	}
	return best
}

// program returns the name of a program: "./gradlew.bat" is gradle.
func program(word string) string {
	base := strings.ToLower(path.Base(strings.ReplaceAll(word, `\`, "/")))
	if at := strings.LastIndexByte(base, '@'); at > 0 {
		base = base[:at] // npx jest@29
	}
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".bat"), ".cmd")
	if base == "gradlew" || base == "mvnw" {
		return base[:len(base)-1]
	}
	return base
}

// folder returns the path of a folder in another, "" for the root.
func folder(in, dir string) string {
	if dir = path.Join(in, dir); dir != "." {
		return dir
	}
	return ""
}
