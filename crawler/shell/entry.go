package shell

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

// ClientSections are the members of clients' configurations that contain servers, by name or in a
// list.
var ClientSections = []string{
	"mcpServers", "servers", "context_servers", "mcp", "mcp_servers", "amp.mcpServers", "mcp.servers",
	"extensions",
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
	OAuth   bool // it has the settings of a sign-in
	// Beside are the names of its other members, or of options, that say how a client starts or
	// reaches it: "cwd", "oauth.clientId", "--resource". Clients write these in ways of their own.
	Beside []string
}

// ReadEntry reads an entry of any client. The result has neither a command nor a URL if it is not
// one.
func ReadEntry(o untyped.Object) Entry {
	if in := o.Object("transport"); in != nil {
		o = maps.Clone(o)
		delete(o, "transport")
		maps.Copy(o, in)
	}
	e := Entry{
		Command: o.Text("command", "cmd"), Args: wordsOf(o),
		URL:  o.Text("url", "serverUrl", "httpUrl", "endpoint"),
		Type: o.Text("type", "transport"),
		Env:  pairsOf(o, "=", slices.Concat(EnvMembers, forwarded)), Headers: headersOf(o), OAuth: signsIn(o),
		Beside: besideIn(o),
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

// forwarded are the members with names of variables that a client passes on.
var forwarded = []string{"env_keys", "env_vars"}

// pairsOf returns the names with values in members, nil for none: an object, or a list of objects
// with a name and a value, or of texts with a sign between them. A variable without a value is a
// reference to one of that name. Earlier members take precedence.
func pairsOf(o untyped.Object, sign string, keys []string) map[string]string {
	out := map[string]string{}
	for _, key := range slices.Backward(keys) {
		maps.Copy(out, o.TextMap(key))
		for _, x := range o.Objects(key) {
			name := x.Text("name", "key")
			if out[name] = x.Scalar("value"); x["value"] == nil && sign == "=" {
				out[name] = reference(name)
			}
		}
		for _, x := range o.Texts(key) {
			name, value, set := strings.Cut(x, sign)
			if set {
				out[strings.TrimSpace(name)] = strings.TrimSpace(value)
			} else if registry.IsVariableName(name) && sign == "=" {
				out[name] = reference(name)
			}
		}
	}
	delete(out, "")
	if len(out) == 0 {
		return nil
	}
	return out
}

// reference returns a reference to a variable, as clients write it.
func reference(variable string) string { return "${" + variable + "}" }

// headersOf returns the headers that an entry sends, nil for none: those of members, of variables
// and of the options of requests.
func headersOf(o untyped.Object) map[string]string {
	out := map[string]string{}
	for _, key := range []string{"requestInit", "requestOptions"} {
		maps.Copy(out, pairsOf(o.Object(key), ":", HeaderMembers))
	}
	maps.Copy(out, pairsOf(o, ":", HeaderMembers))
	for name, variable := range o.TextMap("env_http_headers") {
		out[name] = reference(variable)
	}
	if auth := o.Object("auth"); strings.EqualFold(auth.Text("type"), "bearer") {
		out["Authorization"] = "Bearer " + cmp.Or(auth.Text("token", "value"), reference("TOKEN"))
	}
	if variable := o.Text("bearer_token_env_var"); variable != "" {
		out["Authorization"] = "Bearer " + reference(variable)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// signsIn reports whether an entry has settings of OAuth: the member of that name, or one for the
// authorization with that type or with a client.
func signsIn(o untyped.Object) bool {
	oauth, auth := o.Object("oauth"), o.Object("auth")
	if enabled, set := oauth.Bool("enabled"); oauth != nil && (enabled || !set) || o.Flag("oauth") {
		return true
	}
	kind := strings.ToLower(o.Text("auth") + auth.Text("type"))
	return strings.HasPrefix(kind, "oauth") || kind == "" && auth.Text("CLIENT_ID", "client_id", "clientId") != ""
}

// placeMembers are members with the folder, the file of variables and the sign-in of an entry.
var placeMembers = []string{
	"cwd", "workingDirectory", "working_directory", "envFile", "env_file",
	"scopes", "oauth_resource", "authProviderType", "targetAudience",
}

// besideIn returns the Beside of an entry.
func besideIn(o untyped.Object) (names []string) {
	for _, key := range placeMembers {
		if o.Scalar(key) != "" || len(o.List(key)) > 0 {
			names = append(names, key)
		}
	}
	for _, key := range []string{"oauth", "auth"} {
		for _, name := range o.Object(key).Keys() {
			if !slices.Contains([]string{"enabled", "type", "token", "value"}, name) {
				names = append(names, untyped.Short(key+"."+name))
			}
		}
	}
	return names
}

// wordsOf returns the arguments of an entry; numbers and booleans are words as JSON writes them.
func wordsOf(o untyped.Object) (out []string) {
	for _, v := range o.List("args") {
		if w := (untyped.Object{"": v}).Scalar(""); w != "" || v == "" {
			out = append(out, w)
		}
	}
	return out
}
