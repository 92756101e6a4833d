package manifest

import (
	"maps"
	"strings"

	"mcpcensus/crawler/shell"
	"mcpcensus/crawler/untyped"
)

// A ClientServer is one server in the configuration of a client.
type ClientServer struct {
	Name string
	shell.Entry

	// Shell reports that it is from a command that adds the server to a client.
	Shell bool
	// Link reports that it is from a link that installs the server.
	Link bool
	// Inputs are descriptions of the values that the client prompts for, by ID.
	Inputs map[string]string
	// Special reports that it is in a section of a README about a special case,
	// such as a self-hosted instance.
	Special bool
}

// Launch returns the command of c with all variables that it sets, also if the error is that it is
// not understood.
func (c ClientServer) Launch() (shell.Launch, error) {
	l, err := shell.ParseCommand(c.Command, c.Args)
	env := map[string]string{}
	maps.Copy(env, c.Env)
	maps.Copy(env, l.Env)
	l.Env = env
	return l, err
}

// ParseClientConfig reads the servers of a client's configuration: mcp.json,
// .mcp.json, claude_desktop_config.json, gemini-extension.json and the like,
// JSON with comments or a fragment of it.
var ParseClientConfig = parser(untyped.JSON, func(o untyped.Object) []ClientServer { return clientServers(o, 0) })

const maxConfigDepth = 4

func clientServers(o untyped.Object, depth int) []ClientServer {
	if depth > maxConfigDepth {
		return nil
	}
	var out []ClientServer
	for _, key := range shell.ClientSections {
		m := o.Object(key)
		for _, name := range m.Keys() {
			if c, ok := clientServer(name, m.Object(name)); ok {
				out = append(out, c)
			} else if name == "servers" || name == "mcpServers" {
				out = append(out, clientServers(untyped.Object{name: m[name]}, depth+1)...)
			}
		}
	}
	if len(out) > 0 {
		if list := o.Objects("inputs"); len(list) > 0 {
			addInputs(out, list)
		}
		return out
	}
	return unwrappedServers(o, depth)
}

// addInputs adds the descriptions of inputs to the servers of the same file.
func addInputs(servers []ClientServer, list []untyped.Object) {
	inputs := map[string]string{}
	for _, o := range list[:min(len(list), maxConfigured)] {
		if id, text := o.Text("id"), untyped.Short(o.Text("description")); id != "" && text != "" {
			inputs[id] = text
		}
	}
	for i := range servers {
		servers[i].Inputs = inputs
	}
}

// unwrappedServers reads servers without the member around them,
// {"weather": {"command": …}} or the inner object alone.
func unwrappedServers(o untyped.Object, depth int) []ClientServer {
	if c, ok := clientServer(o.Text("name"), o); ok {
		return []ClientServer{c}
	}
	var out []ClientServer
	for _, name := range o.Keys() {
		inner := o.Object(name)
		if c, ok := clientServer(name, inner); ok {
			out = append(out, c)
		} else if inner != nil && len(o) <= 3 {
			out = append(out, clientServers(inner, depth+1)...)
		}
	}
	return out
}

// clientServer reads one server of a configuration.
func clientServer(name string, o untyped.Object) (ClientServer, bool) {
	c := ClientServer{Name: name, Entry: shell.ReadEntry(o)}
	c.URL = WithVariables(c.URL)
	return c, c.Command != "" || strings.Contains(c.URL, "://")
}

// ParseAddition reads a shell line that adds a server to a client, such as "claude mcp add". The
// server has the name, transport, variables and command in the line. It reports false for other
// lines.
func ParseAddition(line string) (c ClientServer, ok bool) {
	line = strings.TrimSpace(line)
	if _, target, found := strings.Cut(line, "mcp add"); found {
		c.Name, c.Entry = shell.ParseAddition(shell.Words(target))
		c.Shell = c.Command != ""
		return c, true
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
