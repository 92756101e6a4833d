package shell

import "mcpcensus/crawler/untyped"

// ClientSections are the members of clients' JSON and TOML configurations that contain servers by
// name.
var ClientSections = []string{
	"mcpServers", "servers", "context_servers", "mcp", "mcp_servers", "amp.mcpServers", "mcp.servers",
}

// Members of an entry with variables and headers by name.
var (
	EnvMembers    = []string{"env", "environment", "envs"}
	HeaderMembers = []string{"headers", "http_headers"}
)

// An Entry is one server in the configuration of a client: a command or a URL.
type Entry struct {
	Command string
	Args    []string
	Env     map[string]string
	URL     string
	Type    string // as written: "http", "sse", "stdio", ""
	Headers map[string]string
}

// ReadEntry reads an entry of any client. The result has neither a command nor a URL if it is not
// one.
func ReadEntry(o untyped.Object) Entry {
	e := Entry{
		Command: o.Text("command", "cmd"), Args: wordsOf(o),
		URL:  o.Text("url", "serverUrl", "httpUrl", "endpoint"),
		Type: o.Text("type", "transport"),
	}
	for _, key := range EnvMembers {
		if e.Env == nil {
			e.Env = o.TextMap(key)
		}
	}
	for _, key := range HeaderMembers {
		if e.Headers == nil {
			e.Headers = o.TextMap(key)
		}
	}
	if list := o.Texts("command"); len(list) > 0 { // OpenCode
		e.Command, e.Args = list[0], list[1:]
	}
	if in := o.Object("command"); in != nil { // Zed, formerly
		e.Command, e.Args, e.Env = in.Text("path"), wordsOf(in), in.TextMap("env")
	}
	if e.URL == "" && e.Type != "" { // goose; resources of the protocol have a uri without a type
		e.URL = o.Text("uri")
	}
	if e.Type == "" && o.Text("httpUrl") != "" {
		e.Type = "http"
	}
	return e
}

// wordsOf returns the arguments of an entry; numbers and booleans are words as JSON writes them.
func wordsOf(o untyped.Object) (out []string) {
	for _, v := range o.List("args") {
		if w := (untyped.Object{"": v}).Scalar(""); w != "" {
			out = append(out, w)
		}
	}
	return out
}
