package shell

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/untyped"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/registry"
)

var mcpAddOptions = vocabulary.Set(rules, "options/mcp_add.txt")

// An Addition is a server that a command adds to a client.
type Addition struct {
	Name string
	Entry
	Object untyped.Object // the server's configuration, nil if words of the command have it
}

// additionLine matches the beginning of a command that may add a server to a client.
var additionLine = regexp.MustCompile(
	`(?m)(?:^|&&|[;|])[ \t]*(?:[$>%] +)?[\w./-]+[ \t]+(?:mcp[ \t]+add\b|(?:[^\s"'{]+[ \t]+){0,4}--add-mcp\b)`)

// AddsServer reports whether a line of a text may add a server to a client.
func AddsServer(text string) bool { return additionLine.MatchString(text) }

// ParseAddition reads a shell line that adds a server to a client: "claude mcp add" and the like
// with the name of the server and its command, which may follow "--", its URL or its configuration
// in JSON, or "code --add-mcp".
func ParseAddition(line string) (a Addition, ok bool) {
	if !AddsServer(line) {
		return a, false
	}
	for _, words := range Line(withoutPrompt(line)) {
		if rest, adds := additionOf(words); adds {
			return readAddition(rest), true
		}
	}
	return a, false
}

// additionOf returns the words after those that add a server, and whether there are such.
func additionOf(words []string) (rest []string, ok bool) {
	if len(words) == 0 {
		return nil, false
	}
	if len(words) > 3 && words[1] == "mcp" && (words[2] == "add" || words[2] == "add-json") {
		return words[3:], true
	}
	for i, w := range words[1:] {
		if isRunner(programName(words[0])) {
			break
		}
		if value, found := strings.CutPrefix(w, "--add-mcp"); found {
			return append([]string{strings.TrimPrefix(value, "=")}, words[i+2:]...), true
		}
	}
	return nil, false
}

// readAddition reads the words after "mcp add". The entry has neither a command nor a URL if they
// add no server.
func readAddition(words []string) (a Addition) {
	if a, ok := optionsAddition(words); ok {
		return a
	}
	before := words
	if at, from := commandOf(words); at >= 0 {
		if from < len(words) {
			a.Command, a.Args = words[from], words[from+1:]
		}
		before = words[:at]
	}
	operands := operandsOf(before)
	if len(operands) > 0 && !strings.HasPrefix(before[operands[0]], "{") {
		a.Name = untyped.Short(before[operands[0]])
	}
	if o := configurationIn(before); o != nil {
		return Addition{cmp.Or(a.Name, o.Text("name")), ReadEntry(o), o}
	}
	if e, ok := endpointIn(before); ok {
		return Addition{Name: a.Name, Entry: e}
	}
	if a.Command == "" && len(operands) > 1 { // the whole line in one word, or words without a runner
		a.Command, a.Args = before[operands[1]], before[operands[1]+1:]
		if line := Words(a.Command); len(line) > 1 && isRunner(line[0]) {
			a.Command, a.Args = line[0], line[1:]
		}
	}
	a.Env = variablesIn(before)
	if len(before)+1+len(a.Args) == len(words) && runners[a.Command] != "docker" { // without "--"
		a.takeVariables()
	}
	return a
}

// takeVariables moves variables in options after the command to the environment: they are of the
// command that adds the server.
func (a *Addition) takeVariables() {
	var args []string
	for i := 0; i < len(a.Args); i++ {
		if option := a.Args[i]; (option == "-e" || option == "--env") && i+1 < len(a.Args) {
			if set := variablesIn(a.Args[i+1 : i+2]); set != nil {
				if a.Env == nil {
					a.Env = map[string]string{}
				}
				maps.Copy(a.Env, set)
				i++
				continue
			}
		}
		args = append(args, a.Args[i])
	}
	a.Args = args
}

// optionsAddition reads an addition whose command is the value of an option: "--name tides --command
// npx --args -y,tides-mcp --env KEY=x".
func optionsAddition(words []string) (a Addition, ok bool) {
	for i, w := range words {
		option, value, joined := strings.Cut(w, "=")
		if !joined && i+1 < len(words) {
			value = words[i+1]
		}
		switch option {
		case "--name":
			a.Name = untyped.Short(value)
		case "--command":
			a.Command = value
		case "--args":
			var list []string
			if json.Unmarshal([]byte(value), &list) != nil {
				list = strings.Split(value, ",")
			}
			a.Args = append(a.Args, list...)
		}
	}
	a.Env = variablesIn(words)
	return a, a.Command != ""
}

// operandsOf returns the indices of the operands of an addition.
func operandsOf(words []string) (at []int) {
	for rest := words; len(rest) > 0; {
		more, _ := cutOptions(rest, mcpAddOptions)
		if rest = nil; len(more) > 0 {
			at, rest = append(at, len(words)-len(more)), more[1:]
		}
	}
	return at
}

// configurationIn returns the configuration of a server that one of words is in JSON, nil if there
// is none.
func configurationIn(words []string) untyped.Object {
	for _, w := range words {
		for _, text := range []string{w, strings.ReplaceAll(w, `\"`, `"`)} { // as in PowerShell
			o, err := untyped.JSON([]byte(text))
			if e := ReadEntry(o); err == nil && e.Command+e.URL != "" {
				return o
			}
		}
	}
	return nil
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

// parseAddition reads the command or URL in the words after those that add a server.
func parseAddition(words, rest []string, depth int) (Launch, error) {
	a := readAddition(rest)
	switch {
	case a.URL != "":
		return Launch{Line: untyped.Short(strings.Join(words, " ")), Runner: "url",
			Endpoint: a.Entry}, nil
	case a.Command == "":
		return Launch{}, fmt.Errorf("%s adds no server", words[0])
	}
	l, err := parse(append(strings.Fields(a.Command), a.Args...), depth+1)
	if a.Env != nil {
		env := maps.Clone(a.Env)
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
