package shell

import (
	"fmt"
	"slices"
	"strings"
)

// A wrapper is a command that runs another one, which is among its arguments.
type wrapper struct {
	programs string
	words    string // after the program, as in [usage]
	valued   string // options that take the next word
	form     form
	anyCase  bool // options may be in any case; valued has them in lower case
}

// A form is where a wrapper has the command that it runs.
type form int

const (
	afterOptions form = iota // env -u A B=c npx x
	afterOperand             // timeout 30 npx x
	afterDashes              // mise exec node@22 -- npx x
	inSlashC                 // cmd /d /c npx x
	inScript                 // bash -lc "npx x"
)

var wrappers = []wrapper{
	{"env", "", "-u --unset -C --chdir", afterOptions, false},
	{"sudo doas", "", "-u --user -g --group -h --host -p --prompt -D --chdir -C", afterOptions, false},
	{"exec time nohup command winpty caffeinate", "", "-a -f -o", afterOptions, false},
	{"nice ionice", "", "-n --adjustment -c --class", afterOptions, false},
	{"timeout gtimeout", "", "-s --signal -k --kill-after", afterOperand, false},
	{"wsl", "", "-d --distribution --distribution-id -u --user --cd --shell-type", afterOptions, true},
	{"mise rtx", "exec|x", "", afterDashes, false},
	{"asdf", "exec", "", afterOptions, false},
	{"volta", "run", "--node --npm --pnpm --yarn", afterOptions, false},
	{"fnm", "exec", "--using --fnm-dir --log-level", afterOptions, false},
	{"nvm", "exec|run", "", afterOperand, false},
	{"direnv", "exec", "", afterOperand, false},
	{"doppler infisical op dotenvx", "run", "", afterDashes, false},
	{"cross-env", "", "", afterOptions, false},
	{"dotenv", "", "", afterDashes, false},
	{"cmd", "", "", inSlashC, true},
	{"powershell pwsh", "", "-executionpolicy -ep -ex -windowstyle -w -workingdirectory -wd -version",
		inScript, true},
	{"sh bash dash ash zsh ksh fish", "", "-o", inScript, false},
}

// scriptOptions are the options of wrappers whose value is a command in one text.
var scriptOptions = map[string]string{
	"env": "-S --split-string", "mise": "-c --command", "rtx": "-c --command",
}

// wrapperOf returns the wrapper that a program with arguments is, and the arguments after its
// words; nil if it is none.
func wrapperOf(name string, args []string) (*wrapper, []string) {
	for i := range wrappers {
		w := &wrappers[i]
		u := usage{words: w.words}
		if n := u.match(args); n >= 0 && slices.Contains(strings.Fields(w.programs), name) {
			return w, args[n:]
		}
	}
	return nil, nil
}

// parse reads the command in the arguments of a wrapper with a name.
func (w *wrapper) parse(name string, args []string, depth int) (Launch, error) {
	for i := 0; i < len(args); i++ {
		option := args[i]
		if w.anyCase {
			option = strings.ToLower(option)
		}
		script, after, ok := w.scriptOf(name, args[i:])
		switch {
		case ok:
			return parse(slices.Concat(Words(script), after), depth+1)
		case w.form == afterDashes && option != "--":
		case w.form == inSlashC && option == "/c", w.form == inSlashC && option == "/k":
			return parseOne(args[i+1:], depth+1)
		case w.form == inSlashC && (strings.HasPrefix(option, "/c") || strings.HasPrefix(option, "/k")):
			return parseOne(slices.Concat([]string{args[i][2:]}, args[i+1:]), depth+1)
		case w.form == inSlashC:
		case w.form == inScript && isScriptOption(args[i]):
			return w.parseScript(args[i+1:], depth+1)
		case option == "--":
			return parse(args[i+1:], depth+1)
		case w.takesWord(option):
			i++
		case strings.HasPrefix(option, "-") || option == "~":
		case w.form == inScript:
			return Launch{}, fmt.Errorf("%s is a script", args[i])
		case w.form == afterOperand:
			return parse(args[i+1:], depth+1)
		default:
			return parse(args[i:], depth+1)
		}
	}
	if w.form == afterDashes {
		return Launch{}, fmt.Errorf("%s has no command", name)
	}
	return Launch{}, errEmpty
}

// scriptOf returns the script that the first words of a wrapper have, and the words after it.
func (w *wrapper) scriptOf(name string, words []string) (script string, after []string, ok bool) {
	for option := range strings.FieldsSeq(scriptOptions[name]) {
		rest, found := strings.CutPrefix(words[0], option)
		if at := w.firstValued(words[0], option); at > 0 {
			rest, found = words[0][at+1:], words[0][at] == option[1]
		}
		switch value, joined := strings.CutPrefix(rest, "="); {
		case !found:
		case rest == "" && len(words) > 1:
			return words[1], words[2:], true
		case joined, rest != "" && len(option) == 2:
			return value, words[1:], true
		}
	}
	return "", nil, false
}

// takesWord reports whether the next word is the value of an option, or of the last option in a
// group of short ones.
func (w *wrapper) takesWord(option string) bool {
	return slices.Contains(strings.Fields(w.valued), option) ||
		len(option) > 2 && w.firstValued(option, "") == len(option)-1
}

// firstValued returns the index of the first letter in a group of short options, such as -ivS,
// that takes a value: one of valued or another option. It is 0 if there is none.
func (w *wrapper) firstValued(group, other string) int {
	if w.anyCase || !strings.HasPrefix(group, "-") || strings.HasPrefix(group, "--") {
		return 0
	}
	for i := 1; i < len(group); i++ {
		option := "-" + group[i:i+1]
		if option == other || slices.Contains(strings.Fields(w.valued), option) {
			return i
		}
	}
	return 0
}

// isScriptOption reports whether the word after an option of a shell is a script: -c, -lc,
// -Command.
func isScriptOption(option string) bool {
	letters, isOption := strings.CutPrefix(option, "-")
	isShort := len(letters) <= 5 && strings.Contains(letters, "c")
	return isOption && !strings.HasPrefix(letters, "-") &&
		(isShort || strings.EqualFold(letters, "command"))
}

// parseScript reads the script in the arguments of a shell. PowerShell runs all of them, other
// shells the first.
func (w *wrapper) parseScript(args []string, depth int) (Launch, error) {
	switch {
	case depth > maxCommands:
		return Launch{}, errNested
	case len(args) == 0:
		return Launch{}, errEmpty
	case strings.HasPrefix(w.programs, "powershell"):
		return parseOne(called(args), depth)
	case args[0] == "--" && len(args) > 1:
		args = args[1:]
	}
	return parseScript(args[0], depth)
}

// parseOne reads a command that is one text or several words.
func parseOne(args []string, depth int) (Launch, error) {
	switch {
	case depth > maxCommands:
		return Launch{}, errNested
	case len(args) == 1:
		return parseScript(args[0], depth)
	}
	return parse(args, depth)
}

// called returns the command that PowerShell calls: "& {npx x}", "& 'npx' x".
func called(args []string) []string {
	first, isCall := strings.CutPrefix(strings.TrimSpace(args[0]), "&")
	first = strings.TrimSpace(first)
	switch last := len(args) - 1; {
	case !isCall:
		return args
	case last == 0:
		if inner, ok := strings.CutPrefix(first, "{"); ok {
			first = strings.TrimSuffix(inner, "}")
		}
		return []string{first}
	case first == "" && args[1] == "{" && args[last] == "}":
		return args[2:last]
	case first == "":
		return args[1:]
	}
	return append([]string{first}, args[1:]...)
}
