package shell

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcpcensus/crawler/untyped"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/registry"
)

// isClient are the programs of clients.
var isClient = map[string]bool{
	"claude": true, "code": true, "codex": true, "gemini": true, "copilot": true,
}

var mcpAddOptions = vocabulary.Set(rules, "options/mcp_add.txt")

// ParseAddition reads the words after "claude mcp add" and the like: options and the name of a
// server, then its command, which may follow "--". The entry has no command if the server is an
// endpoint.
func ParseAddition(words []string) (name string, e Entry) {
	if at, from := commandOf(words); at >= 0 {
		if from < len(words) {
			e.Command, e.Args = words[from], words[from+1:]
		}
		words = words[:at]
	}
	operands, given := cutOptions(words, mcpAddOptions)
	e.Type = given.first("--transport", "-t")
	if len(operands) > 0 {
		name = untyped.Short(operands[0])
	}
	if e.Command != "" {
		e.Env = variablesIn(words)
	}
	return name, e
}

// commandOf returns the index at which the command of a server begins in the words of an
// addition, and that of its program, which may follow "--"; -1 for an endpoint.
func commandOf(words []string) (at, program int) {
	if at = slices.Index(words, "--"); at >= 0 {
		return at, at + 1
	}
	at = slices.IndexFunc(words, isRunner)
	return at, at
}

// variablesIn returns the variables that words set, nil if there are none.
func variablesIn(words []string) map[string]string {
	env := map[string]string{}
	for _, w := range words {
		name, value, set := strings.Cut(w, "=")
		if n, joined := strings.CutPrefix(name, "--env"); joined && n == "" {
			name, value, set = strings.Cut(value, "=")
		}
		if set && registry.IsVariableName(name) {
			env[name] = value
		}
	}
	if len(env) == 0 {
		return nil
	}
	return env
}

// parseAddition reads the command in the words of a client's program.
func parseAddition(words []string, depth int) (Launch, error) {
	at, program := commandOf(words)
	url := slices.IndexFunc(words, webURL.MatchString)
	switch {
	case url >= 0 && (at < 0 || url < at):
		return Launch{Line: untyped.Short(strings.Join(words, " ")), Runner: "url",
			URL: untyped.Short(words[url]), Headers: headersIn(words)}, nil
	case at < 0:
		return Launch{}, fmt.Errorf("%s adds no server", words[0])
	}
	l, err := parse(words[program:], depth+1)
	if env := variablesIn(words[:at]); env != nil {
		maps.Copy(env, l.Env)
		l.Env = env
	}
	return l, err
}

// runners are the usual programs of those that run packages.
var runners = map[string]string{
	"npx": "npx", "pnpx": "npx", "bunx": "bunx",
	"uvx": "uvx", "uv": "uvx", "pipx": "uvx",
	"docker": "docker", "dnx": "dnx",
}

// isRunner reports whether a word is a program that runs packages.
func isRunner(word string) bool { return runners[word] != "" }

// Program returns the program that clients use to run the package: npx, bunx, uvx, docker or
// dnx; "" for other commands.
func (l Launch) Program() string { return runners[l.Runner] }
