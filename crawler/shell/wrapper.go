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
	valued   string // options that take the next word, in lower case
	form     form
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
	{"env", "", "-u --unset -c --chdir", afterOptions},
	{"sudo doas", "", "-u --user -g --group -h --host -p --prompt -d --chdir -c", afterOptions},
	{"exec time nohup command winpty caffeinate", "", "-a -f -o", afterOptions},
	{"nice ionice", "", "-n --adjustment -c --class", afterOptions},
	{"timeout gtimeout", "", "-s --signal -k --kill-after", afterOperand},
	{"wsl", "", "-d --distribution --distribution-id -u --user --cd --shell-type", afterOptions},
	{"mise rtx", "exec|x", "", afterDashes},
	{"asdf", "exec", "", afterOptions},
	{"volta", "run", "--node --npm --pnpm --yarn", afterOptions},
	{"fnm", "exec", "--using --fnm-dir --log-level", afterOptions},
	{"nvm", "exec|run", "", afterOperand},
	{"direnv", "exec", "", afterOperand},
	{"doppler infisical op dotenvx", "run", "", afterDashes},
	{"cross-env", "", "", afterOptions},
	{"dotenv", "", "", afterDashes},
	{"cmd", "", "", inSlashC},
	{"powershell pwsh", "", "-executionpolicy -ep -ex -windowstyle -w -workingdirectory -wd -version",
		inScript},
	{"sh bash dash ash zsh ksh fish", "", "-o", inScript},
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
		option := strings.ToLower(args[i])
		script, after, ok := scriptOf(name, args[i:])
		switch {
		case ok:
			return parse(slices.Concat(Words(script), after), depth+1)
		case w.form == afterDashes && option != "--":
		case w.form == inSlashC && option == "/c", w.form == inSlashC && option == "/k":
			return parseOne(args[i+1:], depth+1)
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
func scriptOf(name string, words []string) (script string, after []string, ok bool) {
	for option := range strings.FieldsSeq(scriptOptions[name]) {
		rest, found := strings.CutPrefix(words[0], option)
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

// takesWord reports whether the next word is the value of an option.
func (w *wrapper) takesWord(option string) bool {
	return slices.Contains(strings.Fields(w.valued), option)
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
