package manifest

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/serverjson"
	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/shell"
	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

// A ClientServer is one server in the configuration of a client.
type ClientServer struct {
	Name string
	shell.Entry

	// Shell reports that it is from a command that adds the server to a client.
	Shell bool
	// Link reports that it is from a link that installs the server.
	Link bool
	// Inputs are the values that the client asks for, as its file declares them, by ID.
	Inputs map[string]registry.Variable
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
	if out := sectionServers(o, depth); len(out) > 0 {
		return out
	}
	return unwrappedServers(o, depth)
}

func sectionServers(o untyped.Object, depth int) (out []ClientServer) {
	for _, key := range shell.ClientSections {
		for _, in := range o.Objects(key) {
			c, ok := clientServer(in.Text("name"), in)
			// Lists of servers with a URL alone are of other formats, such as OpenAPI.
			if ok && c.Name != "" && (c.Command != "" || serverjson.Transport(c.Type) != "") {
				out = append(out, c)
			}
		}
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
		addInputs(out, o)
	}
	return out
}

// addInputs adds the declarations of inputs in a file to its servers: those of editors, of the
// settings of an extension, and of the configuration by the user. Settings become variables of the
// servers.
func addInputs(servers []ClientServer, file untyped.Object) {
	inputs := map[string]registry.Variable{}
	add := func(id string, o untyped.Object, required bool) {
		if id != "" && len(inputs) < maxConfigured {
			inputs[id] = registry.Variable{
				Description: untyped.Short(o.Text("description", "title", "name")), IsRequired: required,
				IsSecret: o.Flag("password", "sensitive"), Default: untyped.Short(o.Text("default")),
				Choices: o.Texts("options"),
			}
		}
	}
	for _, o := range file.Objects("inputs") {
		add(o.Text("id"), o, o.Text("default") == "")
	}
	user := file.Object("user_config", "userConfig")
	for _, id := range user.Keys() {
		add(id, user.Object(id), user.Object(id).Flag("required"))
	}
	for _, o := range file.Objects("settings") {
		name := o.Text("envVar")
		add(name, o, true)
		for i := range servers {
			if _, set := servers[i].Env[name]; !set && settings.IsEnvName(name) {
				env := map[string]string{name: "${" + name + "}"}
				maps.Copy(env, servers[i].Env)
				servers[i].Env = env
			}
		}
	}
	if len(inputs) > 0 {
		for i := range servers {
			servers[i].Inputs = inputs
		}
	}
}

// Variables returns the environment variables that c sets, by name, with what its file declares of
// their values. Those that refer to a value of the user without a default are required.
func (c ClientServer) Variables() (out []registry.Variable) {
	l, _ := c.Launch()
	for _, name := range slices.Sorted(maps.Keys(l.Env)) {
		if !settings.IsEnvName(name) {
			continue
		}
		value := l.Env[name]
		v := registry.Variable{Name: name, IsSecret: isSecret(name, value)}
		m := reference.FindStringSubmatch(value)
		if m == nil {
			v.IsRequired = settings.IsPlaceholder(value)
			if !strings.Contains(value, "${") && !settings.IsExample(value) {
				v.Default = value
			}
		} else if in, declared := c.Inputs[cmp.Or(m[1], m[3])]; declared {
			v.Description, v.IsRequired, v.IsSecret = in.Description, in.IsRequired, in.IsSecret || v.IsSecret
			v.Default, v.Choices = in.Default, in.Choices
		} else {
			v.Default, v.IsRequired = m[2], m[2] == ""
		}
		if v.IsSecret {
			v.Default = ""
		}
		out = append(out, v)
	}
	return out
}

// reference matches a value that is one reference, with a default: "${KEY:-x}", "${input:key}",
// "$KEY", "%KEY%".
var reference = regexp.MustCompile(`^(?:\$\{(?:[a-z_]+[:.])?([A-Za-z0-9_.-]+?)(?::-([^{}]*))?\}|[$%]([A-Za-z_]\w*)%?)$`)

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

func clientServer(name string, o untyped.Object) (ClientServer, bool) {
	c := ClientServer{Name: name, Entry: shell.ReadEntry(o)}
	c.URL = WithVariables(c.URL)
	return c, c.Command != "" || strings.Contains(c.URL, "://")
}

// ParseAddition reads a shell line that adds a server to a client, see [shell.ParseAddition]. It
// reports false for other lines.
func ParseAddition(line string) (c ClientServer, ok bool) {
	a, ok := shell.ParseAddition(line)
	if !ok {
		return c, false
	}
	c = ClientServer{Name: a.Name, Entry: a.Entry, Shell: a.Command != "" && a.Object == nil}
	if a.Object != nil {
		for _, c = range clientServers(a.Object, 0) {
			c.Name = cmp.Or(a.Name, c.Name)
		}
	}
	c.URL = WithVariables(c.URL)
	return c, true
}
