package manifest

import (
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
	Source       bool   // it builds or runs from source
	URL          string // the endpoint that a bridge such as mcp-remote connects to

	// The parts of a command that runs a package; nil for others.
	Runtime []string // options of the runner, without those that name the package
	Script  string   // executable of the package, where it is named apart from it
	Args    []string // words after the package
	Runs    bool     // it runs the package, rather than installing or fetching it
}

const (
	maxWords    = 300  // of a command
	maxLine     = 4096 // bytes
	maxCommands = 3    // commands inside one another, such as "cmd /c npx …"
)

// ParseCommand reads a command with its arguments. It reports false for
// commands that start no package and build nothing, such as cd or curl.
func ParseCommand(command string, args []string) (Launch, bool) {
	words := append(strings.Fields(command), args[:min(len(args), maxWords)]...)
	return parseWords(words, 0)
}

// ParseLine reads one line of a shell, with the lines that continue it. Of several
// commands it returns the last that starts or installs a server.
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

// parseScript reads commands within depth others.
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

// A command is a program with its arguments, of which there is at least one.
type command struct {
	line  string
	name  string // of the program, in lower case
	args  []string
	depth int // commands around it
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
	parse, ok := programs[name]
	if !ok {
		return Launch{}, false
	}
	line := untyped.Short(strings.Join(words, " "))
	return parse(command{line: line, name: name, args: words[1:], depth: depth})
}

// programs are the readers of commands by the program's name.
var programs map[string]func(command) (Launch, bool)

func init() { // the readers of shells and clients refer to the map
	programs = map[string]func(command) (Launch, bool){
		"cmd": command.windowsShell, "sh": command.shell, "bash": command.shell, "zsh": command.shell,
		"npx": command.npx, "bunx": command.npx, "pnpx": command.npx,
		"npm": command.npm, "pnpm": command.npm, "yarn": command.npm, "bun": command.npm,
		"uvx": command.uvx, "uv": command.uv, "pipx": command.pipx, "pip": command.pip, "pip3": command.pip,
		"python": command.python, "python3": command.python, "py": command.python,
		"docker": command.docker, "podman": command.docker,
		"dnx": command.dnx, "dotnet": command.dotnet, "cargo": command.cargo, "go": command.golang,
		"brew": command.brew, "claude": command.client, "code": command.client, "codex": command.client,
		"gemini": command.client, "copilot": command.client,
	}
	for _, name := range vocabulary.Lines(rules, "source_programs.txt") {
		programs[name] = func(c command) (Launch, bool) { return c.source(name) }
	}
}

// arg returns the i-th argument, "" if there is none.
func (c command) arg(i int) string {
	if i < len(c.args) {
		return c.args[i]
	}
	return ""
}

func (c command) launch(runner string) Launch { return Launch{Line: c.line, Runner: runner} }

// source returns a launch of a program that is built or is on the machine.
func (c command) source(runner string) (Launch, bool) {
	l := c.launch(runner)
	l.Source = true
	return l, true
}

func (c command) windowsShell() (Launch, bool) {
	if !strings.EqualFold(c.arg(0), "/c") {
		return Launch{}, false
	}
	return parseWords(c.args[1:], c.depth+1)
}

func (c command) shell() (Launch, bool) {
	if !strings.HasPrefix(c.arg(0), "-") || !strings.Contains(c.arg(0), "c") {
		return Launch{}, false
	}
	return parseScript(c.arg(1), c.depth+1)
}

func (c command) npx() (Launch, bool) { return running(c.npmPackage(c.name, c.args)) }

func (c command) npm() (Launch, bool) {
	args := c.args[1:]
	switch c.args[0] {
	case "dlx", "exec", "x":
		if c.name == "bun" {
			return running(c.npmPackage("bunx", args))
		}
		return running(c.npmPackage("npx", args))
	case "global": // yarn global add
		return c.npmPackage(c.name, args[min(len(args), 1):])
	case "install", "i", "add":
		if c.name == "bun" && !slices.Contains(args, "-g") && !slices.Contains(args, "--global") {
			return Launch{}, false
		}
		return c.npmPackage(c.name, args)
	case "start", "run":
		return c.source(c.name)
	}
	return Launch{}, false
}

func (c command) uvx() (Launch, bool) { return running(c.pythonPackage("uvx", c.args)) }

func (c command) pipx() (Launch, bool) {
	if c.args[0] != "run" && c.args[0] != "install" {
		return Launch{}, false
	}
	l, ok := c.pythonPackage("pipx", c.args[1:])
	l.Runs = ok && c.args[0] == "run"
	return l, ok
}

// running marks a launch as one that runs its package.
func running(l Launch, ok bool) (Launch, bool) {
	l.Runs = ok
	return l, ok
}

func (c command) uv() (Launch, bool) {
	switch sub, next := c.args[0], c.arg(1); {
	case sub == "tool" && next == "run":
		return running(c.pythonPackage("uv", c.args[2:]))
	case sub == "tool" && next == "install", sub == "pip" && next == "install":
		return c.pythonPackage("uv", c.args[2:])
	case sub == "run":
		if l, ok := c.uvRunWith(); ok {
			return l, true
		}
		return c.source("uv")
	case strings.HasPrefix(sub, "--directory"), sub == "--project":
		return c.source("uv")
	}
	return Launch{}, false
}

// uvRunWith reads "uv run --with PACKAGE", where the package is the server.
func (c command) uvRunWith() (Launch, bool) {
	for i, a := range c.args[1:] {
		if a != "--with" || i+2 >= len(c.args) {
			continue
		}
		l, ok := c.pythonPackage("uv", c.args[i+2:i+3])
		if ok && strings.Contains(strings.ToLower(l.Identifier), "mcp") && !IsBridge(l.Identifier) {
			return l, true
		}
	}
	return Launch{}, false
}

func (c command) pip() (Launch, bool) {
	if c.args[0] != "install" {
		return Launch{}, false
	}
	return c.pythonPackage("pip", c.args[1:])
}

func (c command) python() (Launch, bool) {
	if c.args[0] == "-m" && c.arg(1) == "pip" && c.arg(2) == "install" {
		return c.pythonPackage("pip", c.args[3:])
	}
	return c.source("python")
}

func (c command) docker() (Launch, bool) {
	args := c.args
	if args[0] == "container" || args[0] == "image" {
		args = args[1:]
	}
	if len(args) == 0 {
		return Launch{}, false
	}
	switch args[0] {
	case "build", "compose", "buildx":
		return c.source("docker")
	case "run":
		return running(c.image(args[1:]))
	case "pull":
		return c.image(args[1:])
	}
	return Launch{}, false
}

func (c command) dnx() (Launch, bool) { return running(c.nugetPackage(c.args)) }

func (c command) dotnet() (Launch, bool) {
	switch sub, next := c.args[0], c.arg(1); {
	case sub == "tool" && next == "exec":
		return running(c.nugetPackage(c.args[2:]))
	case sub == "tool" && next == "install":
		return c.nugetPackage(c.args[2:])
	case sub == "run":
		return c.source("dotnet")
	}
	return Launch{}, false
}

func (c command) cargo() (Launch, bool) {
	switch c.args[0] {
	case "install", "binstall":
		return c.crate(c.args[1:])
	case "run", "build":
		return c.source("cargo")
	}
	return Launch{}, false
}

func (c command) golang() (Launch, bool) {
	switch c.args[0] {
	case "install", "run", "build":
		return c.source("go")
	}
	return Launch{}, false
}

var prerequisites = vocabulary.Set(rules, "prerequisites.txt")

// brew reports false if only programs are installed that servers are run with.
func (c command) brew() (Launch, bool) {
	for _, a := range c.args[1:] {
		name, _, _ := strings.Cut(a, "@")
		if !prerequisites[name] && !strings.HasPrefix(name, "-") {
			return c.source("brew")
		}
	}
	if c.args[0] == "install" {
		return Launch{}, false
	}
	return c.source("brew")
}

// client reads "claude mcp add NAME … -- COMMAND" and its relatives.
func (c command) client() (Launch, bool) {
	for i, a := range c.args {
		if a == "--" && i+1 < len(c.args) {
			return parseWords(c.args[i+1:], c.depth+1)
		}
		if webURL.MatchString(a) {
			l := c.launch("url")
			l.URL = untyped.Short(a)
			return l, true
		}
	}
	for i, a := range c.args {
		switch a {
		case "npx", "uvx", "docker", "bunx", "dnx", "uv", "pipx":
			return parseWords(c.args[i:], c.depth+1)
		}
	}
	return Launch{}, false
}

var mcpAddOptions = vocabulary.Set(rules, "options/mcp_add.txt")

// ParseAddition reads a shell line that adds a server to a client, such as
// "claude mcp add". The server has the name, the transport, the variables and
// the command that the line gives it. It reports false for other lines.
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

// addition reads the words after "mcp add": options and the name, then the
// command, which may follow "--".
func addition(words []string) (c ClientServer) {
	start := slices.Index(words, "--")
	if start >= 0 {
		c.setCommand(words[start+1:])
	} else if start = slices.IndexFunc(words, isRunner); start >= 0 {
		c.setCommand(words[start:])
	}
	if start >= 0 {
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

func (c *ClientServer) setCommand(words []string) {
	if len(words) > 0 {
		c.Command, c.Args, c.Shell = words[0], words[1:], true
	}
}

// isRunner reports whether a word is a program that runs packages.
func isRunner(word string) bool { return runners[word] != "" }
