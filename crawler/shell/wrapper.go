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
	dashes := slices.Index(args, "--")
	switch {
	case w.form != afterDashes:
	case dashes < 0:
		return Launch{}, fmt.Errorf("%s has no command", name)
	default:
		return parse(args[dashes+1:], depth+1)
	}
	for i := 0; i < len(args); i++ {
		option := strings.ToLower(args[i])
		switch {
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
	return Launch{}, errEmpty
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
		return parseOne(args, depth)
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
