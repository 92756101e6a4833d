package shell

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/dockerrun"
	"mcpcensus/crawler/untyped"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/registry"
)

//go:embed rules
var embedded embed.FS

var rules = vocabulary.Rules(embedded)

// A Launch is a command that starts or installs a server.
type Launch struct {
	Line         string            // the command as one line, without wrappers
	Env          map[string]string // variables that wrappers set
	Runner       string            // npx, uvx, docker, dnx, cargo, go, pip, …
	RegistryType string            // one of registry.RegistryTypes, "" for a command that uses none
	Identifier   string            // the package, "" if there is none
	Version      string
	Source       bool   // builds or runs from source
	Spec         string // the package or source as written, "" if there is none
	Endpoint     Entry  // that a bridge or a client connects to; without a URL for none

	// The parts of a command that runs a package; nil for other commands, except that Script and Args
	// are the file, the module or the program that an interpreter starts, and the words after it.
	Runtime []string // options of the runner, without those that name the package
	Script  string   // executable of the package, if named separately
	Args    []string // words after the package
	Runs    bool     // runs the package, rather than installing or fetching it
}

const (
	maxWords    = 300  // of a command
	maxLine     = 4096 // bytes
	maxCommands = 6    // nested commands, such as "cmd /c npx …"
)

// ErrPlaceholder is the error for a command whose package has a name that stands for the
// reader's own, such as "npx your-server". The [Launch] is complete.
var ErrPlaceholder = errors.New("the name of the package is a placeholder")

// ErrElsewhere is the error for a command that starts a container on a machine of its author:
// "docker --context build run IMAGE". The [Launch] is complete but for the machine.
var ErrElsewhere = errors.New("the container runs on another machine")

// ParseCommand reads a command with its arguments. The error says why it is not understood:
// such commands start no package and build nothing, such as cd or curl.
func ParseCommand(program string, args []string) (Launch, error) {
	args = args[:min(len(args), maxWords)]
	words := strings.Fields(program)
	l, err := parse(slices.Concat(words, args), 0)
	if err != nil && err != ErrPlaceholder && len(words) > 1 && len(args) > 0 { // a path with spaces
		if whole, err := parse(slices.Concat([]string{program}, args), 0); err == nil {
			return whole, nil
		}
	}
	return l, err
}

// ParseLine reads one shell line, with its continuation lines. Of several commands it returns the
// last that starts or installs a server.
func ParseLine(line string) (Launch, error) {
	line = withoutPrompt(line)
	if len(line) > maxLine {
		return Launch{}, errors.New("the line is too long")
	}
	return parseScript(line, 0)
}

// withoutPrompt returns a line without the prompt before it.
func withoutPrompt(line string) string {
	line = strings.TrimSpace(line)
	for _, prompt := range []string{"$ ", "> ", "% "} {
		line = strings.TrimPrefix(line, prompt)
	}
	return line
}

// parseScript reads commands nested in depth others.
func parseScript(script string, depth int) (l Launch, err error) {
	err = errEmpty
	for _, words := range slices.Backward(assigned(script)) {
		other, problem := parse(words[:min(len(words), maxWords)], depth)
		if problem == nil {
			return other, nil
		}
		if err != ErrPlaceholder {
			l, err = other, problem
		}
	}
	return l, err
}

var (
	errEmpty  = errors.New("there is no command")
	errNested = errors.New("too many commands are nested")
	webURL    = regexp.MustCompile(`^https?://`)
)

// A command is a program with its arguments.
type command struct {
	line   string
	runner string // of the launch
	args   []string
}

// parse reads the words of a command nested in depth others.
func parse(words []string, depth int) (Launch, error) {
	env := map[string]string{}
	for len(words) > 0 {
		name, value, set := strings.Cut(words[0], "=")
		if !set || !registry.IsVariableName(name) {
			break
		}
		env[name], words = value, words[1:]
	}
	switch {
	case depth > maxCommands:
		return Launch{}, errNested
	case len(words) == 0:
		return Launch{}, errEmpty
	}
	l, err := parseProgram(words, depth)
	if len(env) > 0 {
		maps.Copy(env, l.Env) // the inner command's win
		l.Env = env
	}
	return l, err
}

func parseProgram(words []string, depth int) (l Launch, err error) {
	name, args := programName(words[0]), words[1:]
	if rest, adds := additionOf(words); adds {
		return parseAddition(words, rest, depth)
	}
	if w, args := wrapperOf(name, args); w != nil {
		return w.parse(name, args, depth)
	}
	if len(args) == 0 {
		return Launch{}, fmt.Errorf("%s has no arguments", name)
	}
	c := command{line: untyped.Short(strings.Join(words, " ")), args: args}
	before, args := withoutLeading(name, args)
	for _, u := range usages {
		if n := u.match(args); n >= 0 && slices.Contains(strings.Fields(u.programs), name) {
			c.runner, c.args = cmp.Or(u.runner, name), slices.Concat(before, args[n:])
			if l, called, err := c.call(depth); called {
				return l, err
			}
			l, ok := u.read(c)
			if unknown := dockerrun.Parse(c.args).Unknown; !ok && c.runner == "docker" && unknown != "" {
				return Launch{}, fmt.Errorf("%s has the unknown option %s", name, unknown)
			}
			if !ok {
				return Launch{}, fmt.Errorf("%s names no package", name)
			}
			l.Runs = u.runs || l.Runs
			if inner, ok := served(l.Identifier, l.Args, depth); ok && l.Runs {
				return inner, nil
			}
			return l, u.doubt(name, words[1:], l)
		}
	}
	c.runner = name
	return c.withoutUsage(depth)
}

// served returns the command of a package that a bridge starts: after "--", or the value of the option
// that has it.
func served(bridge string, args []string, depth int) (l Launch, ok bool) {
	option := "--stdio"
	switch {
	case bridge == "goose":
		option = "--with-extension"
	case !IsBridge(bridge) || sourcePrograms[bridge]:
		return l, false
	}
	for i, word := range args {
		value, isJoined := strings.CutPrefix(word, option+"=")
		if word == option && i+1 < len(args) {
			value, isJoined = args[i+1], true
		}
		var err error
		switch {
		case word == "--":
			l, err = parse(args[i+1:], depth+1)
		case isJoined:
			l, err = parseScript(value, depth+1)
		default:
			continue
		}
		return l, err == nil && l.Runs && l.Identifier != ""
	}
	return l, false
}

// withoutUsage reads a command of a program that is not in usages: one whose commands start from
// source, or an installed bridge.
func (c command) withoutUsage(depth int) (Launch, error) {
	if inner, ok := served(c.runner, c.args, depth); ok {
		return inner, nil
	}
	e, connects := endpointIn(c.args)
	switch l, _ := c.source(); {
	case sourcePrograms[c.runner]:
		return l, nil
	case connects && IsBridge(c.runner):
		return Launch{Line: c.line, Runner: c.runner, Identifier: c.runner, Endpoint: e}, nil
	}
	return Launch{Script: c.runner, Args: c.args}, fmt.Errorf("%s runs no package", c.runner)
}

// programName returns the name of a program without its folder and extension.
func programName(word string) string {
	name := path.Base(strings.ReplaceAll(strings.ToLower(word), `\`, "/"))
	for _, extension := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		name = strings.TrimSuffix(name, extension)
	}
	return name
}

var sourcePrograms = vocabulary.Set(rules, "source_programs.txt")

// IsProgram reports whether a name is of a program that runs others or code: a runner, shell,
// wrapper or interpreter, in any version.
func IsProgram(name string) bool {
	if !strings.HasPrefix(name, "@") { // a package with a scope is none of these
		name = programName(name)
	}
	for _, n := range []string{name, strings.TrimRight(name, "0123456789.")} {
		is := func(programs string) bool { return slices.Contains(strings.Fields(programs), n) }
		if sourcePrograms[n] ||
			slices.ContainsFunc(usages, func(u usage) bool { return is(u.programs) }) ||
			slices.ContainsFunc(wrappers, func(w wrapper) bool { return is(w.programs) }) {
			return true
		}
	}
	return false
}

// A usage is the meaning of the words after a program's name.
type usage struct {
	programs string
	words    string // after the program; alternatives are separated by "|"
	runner   string // of the launch, "" for the program
	read     func(command) (Launch, bool)
	runs     bool // the package, rather than installing or fetching it
}

var usages = []usage{
	{"npx bunx pnpx", "", "", command.npmPackage, true},
	{"npm pnpm yarn", "dlx|exec|x", "npx", command.npmPackage, true},
	{"bun", "dlx|exec|x", "bunx", command.npmPackage, true},
	{"bun", "install|i|add -g|--global", "", command.npmPackage, false},
	{"npm pnpm yarn bun", "global add|upgrade", "", command.npmPackage, false},
	{"npm pnpm yarn", "install|i|add", "", command.npmPackage, false},
	{"npm pnpm yarn bun", "start|run", "", command.source, false},
	{"uvx", "", "", command.pythonPackage, true},
	{"uv", "tool run", "", command.pythonPackage, true},
	{"uv", "tool|pip install", "", command.pythonPackage, false},
	{"uv", "run", "", command.uvRun, false},
	{"uv", "--directory|--project", "", command.uvProject, false},
	{"pipx", "run", "", command.pythonPackage, true},
	{"pipx", "install", "", command.pythonPackage, false},
	{"pip pip3", "install", "pip", command.pythonPackage, false},
	{"python python3 py", "-m pip install", "pip", command.pythonPackage, false},
	{"python python3 py", "", "python", command.source, false},
	{"docker podman", "run", "docker", command.image, true},
	{"docker podman", "container run", "docker", command.image, true},
	{"docker podman", "pull", "docker", command.image, false},
	{"docker podman", "image pull", "docker", command.image, false},
	{"docker podman", "build|compose|buildx", "docker", command.source, false},
	{"docker podman", "image build", "docker", command.source, false},
	{"dnx", "", "", command.nugetPackage, true},
	{"dotnet", "tool exec", "dnx", command.nugetPackage, true},
	{"dotnet", "tool install", "dnx", command.nugetPackage, false},
	{"dotnet", "run", "", command.source, false},
	{"cargo", "install|binstall", "", command.crate, false},
	{"cargo", "run|build", "", command.source, false},
	{"go", "install|run|build", "", command.source, false},
	{"gem", "install", "", command.source, false},
	{"composer", "global require", "", command.source, false},
	{"composer", "require", "", command.source, false},
	{"brew", "", "", command.brew, false},
}

// match returns the number of arguments that are words of the usage, -1 if they differ. Options
// may include a value.
func (u usage) match(args []string) int {
	pattern := strings.Fields(u.words)
	for i, alternatives := range pattern {
		if i >= len(args) {
			return -1
		}
		word, _, _ := strings.Cut(args[i], "=")
		if !slices.Contains(strings.Split(alternatives, "|"), word) {
			return -1
		}
	}
	return len(pattern)
}

// doubt returns the error for a launch that is complete but not for others to use. args are those
// of the program.
func (u usage) doubt(name string, args []string, l Launch) error {
	if dummyName.MatchString(l.Identifier) {
		return ErrPlaceholder
	}
	if u.runner != "docker" || !u.runs {
		return nil
	}
	_, given := cutOptions(args, leading[name])
	for _, option := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains([]string{"--debug", "-D", "--log-level", "-l"}, option) {
			return fmt.Errorf("%w: %s has the option %s", ErrElsewhere, name, option)
		}
	}
	return nil
}

// leading are the options that take the next word, before the words of a usage.
var leading = map[string]map[string]bool{
	"docker": {"--config": true, "--context": true, "-c": true, "--host": true, "-H": true,
		"--log-level": true, "-l": true, "--tlscacert": true, "--tlscert": true, "--tlskey": true},
	"podman": {"--connection": true, "-c": true, "--identity": true, "--log-level": true,
		"--root": true, "--runroot": true, "--url": true},
	"npm": npmLeading, "pnpm": npmLeading, "yarn": npmLeading, "bun": {},
	"uv": {"--directory": true, "--project": true, "--color": true, "--cache-dir": true,
		"--config-file": true},
	"python": pythonLeading, "python3": pythonLeading, "py": pythonLeading,
}

var npmLeading = map[string]bool{"--prefix": true, "-C": true}

var pythonLeading = map[string]bool{"-W": true, "-X": true}

// withoutLeading returns the arguments of a program from the first word of a usage on, and the
// options before it that may also follow it.
func withoutLeading(name string, args []string) (before, rest []string) {
	valued, ok := leading[name]
	if !ok {
		return nil, args
	}
	module := slices.Index(args, "-m")
	operands, given := cutOptions(args, valued)
	switch {
	case name == "docker" || name == "podman":
		return nil, operands
	case name == "uv" && given.has("--directory", "--project") && firstOf(operands) != "tool":
		return nil, args // of source
	case !strings.HasPrefix(name, "py"):
		return args[:len(args)-len(operands)], operands
	}
	if operands, _ := cutOptions(args[:max(module, 0)], valued); len(operands) == 0 && module > 0 {
		return nil, args[module:]
	}
	return nil, args
}

func (c command) launch() Launch { return Launch{Line: c.line, Runner: c.runner} }

// source returns the launch of a program that is built or already on the machine.
func (c command) source() (Launch, bool) {
	l := c.launch()
	l.Source = true
	if interpreters[c.runner] != nil {
		l.setStarted(append([]string{c.runner}, c.args...))
	}
	return l, true
}

// interpreters are the options that take the next word, of programs that start a file, a module or
// another program.
var interpreters = map[string]map[string]bool{
	"uv": pythonOptions, "run": pythonOptions, "python": pythonLeading, "py": pythonLeading,
	"node": {"-r": true, "--require": true, "--import": true, "--loader": true}, "bun": {},
}

// setStarted sets what the words of an interpreter start.
func (l *Launch) setStarted(words []string) {
	for len(words) > 0 {
		valued, ok := interpreters[strings.TrimRight(programName(words[0]), "0123456789.")]
		if !ok {
			l.Script, l.Args = words[0], words[1:]
			return
		}
		words, _ = cutOptions(words[1:], valued)
	}
}

// uvRun reads "uv run --with PACKAGE PROGRAM", where the package is the server, and "uv run" of
// its source.
func (c command) uvRun() (Launch, bool) {
	operands, _ := cutOptions(c.args, pythonOptions)
	options := c.args[:len(c.args)-len(operands)]
	for i, a := range options[:max(0, len(options)-1)] {
		with := c
		with.args = options[i+1 : i+2]
		if l, ok := with.pythonPackage(); ok && a == "--with" &&
			strings.Contains(strings.ToLower(l.Identifier), "mcp") &&
			!IsBridge(l.Identifier) && !dummyName.MatchString(l.Identifier) {
			l.Runtime = slices.DeleteFunc(slices.Concat(options[:i], options[i+2:]), ofProject)
			l.setStarted(operands)
			l.Runs = l.Script == l.Identifier && len(operands) == len(l.Args)+1 // as uvx does
			return l, true
		}
	}
	return c.source()
}

// uvProject reads "uv --directory FOLDER run PROGRAM", without the first option.
func (c command) uvProject() (Launch, bool) {
	c.args = append([]string{"--directory"}, c.args...)
	return c.source()
}

// ofProject reports whether an option of "uv run" is about the project around the program.
func ofProject(option string) bool {
	return slices.Contains([]string{"--no-project", "--no-sync", "--frozen"}, option)
}

var prerequisites = vocabulary.Set(rules, "prerequisites.txt")

// brew reports false for commands that only install programs used to run servers.
func (c command) brew() (Launch, bool) {
	isServer := func(a string) bool {
		name, _, _ := strings.Cut(a, "@")
		return !prerequisites[name] && !strings.HasPrefix(name, "-")
	}
	if c.args[0] == "install" && !slices.ContainsFunc(c.args[1:], isServer) {
		return Launch{}, false
	}
	return c.source()
}
