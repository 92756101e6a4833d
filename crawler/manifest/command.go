package manifest

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/shell"
	"mcpcensus/crawler/untyped"
	"mcpcensus/crawler/vocabulary"
)

// A Launch is a command that starts or installs a server.
type Launch struct {
	Line         string // the command as one line
	Runner       string // npx, uvx, docker, dnx, cargo, go, pip, …
	RegistryType string // one of registry.RegistryTypes, "" for a command that uses none
	Identifier   string // the package, "" if there is none
	Version      string
	Source       bool   // builds or runs from source
	URL          string // the endpoint that a bridge such as mcp-remote connects to

	// The parts of a command that runs a package; nil for other commands.
	Runtime []string // options of the runner, without those that name the package
	Script  string   // executable of the package, if named separately
	Args    []string // words after the package
	Runs    bool     // runs the package, rather than installing or fetching it
}

const (
	maxWords    = 300  // of a command
	maxLine     = 4096 // bytes
	maxCommands = 3    // nested commands, such as "cmd /c npx …"
)

// ParseCommand reads a command with its arguments. It reports false for
// commands that start no package and build nothing, such as cd or curl.
func ParseCommand(command string, args []string) (Launch, bool) {
	words := append(strings.Fields(command), args[:min(len(args), maxWords)]...)
	return parseWords(words, 0)
}

// ParseLine reads one shell line, with its continuation lines. Of several commands it returns the
// last that starts or installs a server.
func ParseLine(line string) (Launch, bool) {
	line = strings.TrimSpace(line)
	for _, prompt := range []string{"$ ", "> ", "% "} {
		line = strings.TrimPrefix(line, prompt)
	}
	if len(line) > maxLine {
		return Launch{}, false
	}
	return parseScript(line, 0)
}

// parseScript reads commands nested in depth others.
func parseScript(script string, depth int) (Launch, bool) {
	for _, words := range slices.Backward(shell.Line(script)) {
		if l, ok := parseWords(words[:min(len(words), maxWords)], depth); ok {
			return l, true
		}
	}
	return Launch{}, false
}

var (
	environment = regexp.MustCompile(`^(?:(?:sudo|exec|env|time)$|[A-Z][A-Z0-9_]{1,80}=)`)
	webURL      = regexp.MustCompile(`^https?://`)
)

// A command is a program with its arguments.
type command struct {
	line   string
	runner string // of the launch
	args   []string
	depth  int // of nesting
}

func parseWords(words []string, depth int) (Launch, bool) {
	for len(words) > 0 && environment.MatchString(words[0]) {
		words = words[1:]
	}
	if len(words) < 2 || depth > maxCommands {
		return Launch{}, false
	}
	name := path.Base(strings.ReplaceAll(strings.ToLower(words[0]), `\`, "/"))
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".cmd")
	c := command{line: untyped.Short(strings.Join(words, " ")), args: words[1:], depth: depth}
	for _, u := range usages {
		if n := u.match(words[1:]); n >= 0 && slices.Contains(strings.Fields(u.programs), name) {
			c.runner, c.args = cmp.Or(u.runner, name), words[1+n:]
			l, ok := u.read(c)
			l.Runs = ok && (u.runs || l.Runs)
			return l, ok
		}
	}
	if sourcePrograms[name] {
		c.runner = name
		return c.source()
	}
	return Launch{}, false
}

var sourcePrograms = vocabulary.Set(rules, "source_programs.txt")

// A usage is the meaning of the words after a program's name.
type usage struct {
	programs string
	words    string // after the program; alternatives are separated by "|"
	runner   string // of the launch, "" for the program
	read     func(command) (Launch, bool)
	runs     bool // the package, rather than installing or fetching it
}

var usages []usage

// usages refers to the readers of shells and clients, which refer to usages.
func init() {
	usages = []usage{
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
		{"uv", "--directory|--project", "", command.source, false},
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
		{"brew", "", "", command.brew, false},
		{"claude code codex gemini copilot", "", "", command.client, false},
		{"cmd", "/c|/C", "", func(c command) (Launch, bool) { return parseWords(c.args, c.depth+1) }, false},
		{"sh bash zsh", "", "", command.shell, false},
	}
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

func (c command) launch() Launch { return Launch{Line: c.line, Runner: c.runner} }

// source returns the launch of a program that is built or already on the machine.
func (c command) source() (Launch, bool) {
	l := c.launch()
	l.Source = true
	return l, true
}

func (c command) shell() (Launch, bool) {
	if option := c.args[0]; len(c.args) < 2 || !strings.HasPrefix(option, "-") || !strings.Contains(option, "c") {
		return Launch{}, false
	}
	return parseScript(c.args[1], c.depth+1)
}

// uvRun reads "uv run --with PACKAGE", where the package is the server, and "uv run" of
// its source.
func (c command) uvRun() (Launch, bool) {
	for i, a := range c.args[:max(0, len(c.args)-1)] {
		with := c
		with.args = c.args[i+1 : i+2]
		if l, ok := with.pythonPackage(); ok && a == "--with" &&
			strings.Contains(strings.ToLower(l.Identifier), "mcp") &&
			!IsBridge(l.Identifier) {
			return l, true
		}
	}
	return c.source()
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

// client reads "claude mcp add NAME … -- COMMAND" and similar commands.
func (c command) client() (Launch, bool) {
	for i, a := range c.args {
		if a == "--" && i+1 < len(c.args) {
			return parseWords(c.args[i+1:], c.depth+1)
		}
		if webURL.MatchString(a) {
			return Launch{Line: c.line, Runner: "url", URL: untyped.Short(a)}, true
		}
	}
	if i := slices.IndexFunc(c.args, isRunner); i >= 0 {
		return parseWords(c.args[i:], c.depth+1)
	}
	return Launch{}, false
}

var mcpAddOptions = vocabulary.Set(rules, "options/mcp_add.txt")

// ParseAddition reads a shell line that adds a server to a client, such as "claude mcp add". The
// server has the name, transport, variables and command in the line. It reports false for other
// lines.
func ParseAddition(line string) (c ClientServer, ok bool) {
	line = strings.TrimSpace(line)
	if _, target, found := strings.Cut(line, "mcp add"); found {
		return addition(shell.Words(target)), true
	}
	line = strings.TrimSpace(strings.TrimPrefix(line, "$"))
	if strings.HasPrefix(line, "code --add-mcp") {
		if words := shell.Words(line); len(words) > 2 {
			c, _ = linkedServer(words[2], "")
		}
		return c, true
	}
	return c, strings.Contains(line, "mcp install") || strings.Contains(line, "mcp-remote")
}

// addition reads the words after "mcp add": options and the name, then the command, which may
// follow "--".
func addition(words []string) (c ClientServer) {
	start := slices.Index(words, "--")
	from := start + 1
	if start < 0 {
		start = slices.IndexFunc(words, isRunner)
		from = start
	}
	if start >= 0 {
		if from < len(words) {
			c.Command, c.Args, c.Shell = words[from], words[from+1:], true
		}
		words = words[:start]
	}
	operands, given := cutOptions(words, mcpAddOptions)
	c.Type = given.first("--transport", "-t")
	if len(operands) > 0 {
		c.Name = untyped.Short(operands[0])
	}
	for _, w := range words {
		name, value, set := strings.Cut(w, "=")
		if n, joined := strings.CutPrefix(name, "--env"); joined && n == "" {
			name, value, set = strings.Cut(value, "=")
		}
		if set && variableName.MatchString(name) && c.Command != "" {
			if c.Env == nil {
				c.Env = map[string]string{}
			}
			c.Env[name] = value
		}
	}
	return c
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)

// isRunner reports whether a word is a program that runs packages.
func isRunner(word string) bool { return runners[word] != "" }
