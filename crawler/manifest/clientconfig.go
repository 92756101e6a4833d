package manifest

import (
	"encoding/base64"
	"encoding/json"
	"net/netip"
	"net/url"
	"strings"

	"mcpcensus/crawler/untyped"
)

// A ClientServer is one server in a client's configuration, as users are told
// to paste it.
type ClientServer struct {
	Name    string
	Command string
	Args    []string
	Env     map[string]string
	URL     string
	Type    string // as written: "http", "sse", "stdio", ""
	Headers map[string]string
}

// ParseClientConfig reads the servers of a client's configuration: mcp.json,
// .mcp.json, claude_desktop_config.json, gemini-extension.json and the like,
// JSON with comments or a fragment of it.
func ParseClientConfig(b []byte) ([]ClientServer, error) {
	o, err := untyped.JSON(b)
	if err != nil {
		return nil, err
	}
	return clientServers(o, 0), nil
}

var clientKeys = []string{"mcpServers", "servers", "context_servers", "mcp", "mcp_servers", "amp.mcpServers", "mcp.servers"}

func clientServers(o untyped.Object, depth int) []ClientServer {
	if depth > 4 {
		return nil
	}
	var out []ClientServer
	for _, key := range clientKeys {
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
		return out
	}
	// A single server without its wrapper, {"weather": {"command": …}} or
	// the bare inner object.
	if c, ok := clientServer(o.Text("name"), o); ok {
		return []ClientServer{c}
	}
	for _, name := range o.Keys() {
		if inner := o.Object(name); inner != nil {
			if c, ok := clientServer(name, inner); ok {
				out = append(out, c)
			} else if len(o) <= 3 {
				out = append(out, clientServers(inner, depth+1)...)
			}
		}
	}
	return out
}

func clientServer(name string, o untyped.Object) (ClientServer, bool) {
	if o == nil {
		return ClientServer{}, false
	}
	c := ClientServer{Name: name, Command: o.Text("command", "cmd"), Args: o.Texts("args"), Env: o.TextMap("env"),
		URL: o.Text("url", "serverUrl", "httpUrl", "endpoint"), Type: o.Text("type", "transport"), Headers: o.TextMap("headers")}
	if c.Env == nil {
		c.Env = o.TextMap("environment")
	}
	if list := o.Texts("command"); len(list) > 0 {
		c.Command, c.Args = list[0], list[1:]
	}
	if in := o.Object("command"); in != nil { // Zed
		c.Command, c.Args, c.Env = in.Text("path"), in.Texts("args"), in.TextMap("env")
	}
	if c.Type == "" && o.Text("httpUrl") != "" {
		c.Type = "http"
	}
	if c.Command == "" && !strings.Contains(c.URL, "://") {
		return c, false
	}
	return c, true
}

// ParseInstallLink reads the configuration in a client's install link: those
// of VS Code, Cursor, LM Studio, Kiro, Visual Studio and Goose, direct or
// wrapped in a redirect.
func ParseInstallLink(link string) (ClientServer, bool) {
	return installLink(link, 0)
}

func installLink(link string, depth int) (ClientServer, bool) {
	if len(link) > 16<<10 || depth > 2 {
		return ClientServer{}, false
	}
	u, err := url.Parse(strings.TrimSpace(link))
	if err != nil {
		return ClientServer{}, false
	}
	q := u.Query()
	if inner := q.Get("url"); inner != "" && (strings.HasPrefix(inner, "vscode") || strings.HasPrefix(inner, "cursor") || strings.HasPrefix(inner, "lmstudio")) {
		return installLink(inner, depth+1)
	}
	where := u.Scheme + "://" + u.Host + u.Path + u.Opaque
	if u.Scheme == "goose" {
		c := ClientServer{Name: q.Get("name"), Command: q.Get("cmd"), Args: q["arg"], URL: q.Get("url"), Type: q.Get("type")}
		return c, c.Command != "" || c.URL != ""
	}
	if !strings.Contains(where, "install") && !strings.Contains(where, "mcp") {
		return ClientServer{}, false
	}
	raw := q.Get("config")
	if raw == "" && strings.HasPrefix(u.RawQuery, "%7B") {
		raw, _ = url.QueryUnescape(u.RawQuery)
	}
	if raw == "" {
		return ClientServer{}, false
	}
	data := []byte(raw)
	if !strings.HasPrefix(strings.TrimSpace(raw), "{") {
		raw = strings.ReplaceAll(raw, " ", "+")
		if data, err = base64.StdEncoding.DecodeString(raw); err != nil {
			if data, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(raw, "=")); err != nil {
				if data, err = base64.RawURLEncoding.DecodeString(strings.TrimRight(raw, "=")); err != nil {
					return ClientServer{}, false
				}
			}
		}
	}
	if untyped.Nesting(data) > untyped.MaxDepth {
		return ClientServer{}, false
	}
	var v map[string]any
	if json.Unmarshal(untyped.Clean(data), &v) != nil {
		return ClientServer{}, false
	}
	servers := clientServers(v, 0)
	if len(servers) == 0 {
		return ClientServer{}, false
	}
	c := servers[0]
	if c.Name == "" {
		c.Name = untyped.Short(q.Get("name"))
	}
	// Cursor's links may carry the whole command line in "command".
	if f := strings.Fields(c.Command); len(f) > 1 && len(c.Args) == 0 {
		c.Command, c.Args = f[0], f[1:]
	}
	return c, true
}

// IsRemoteURL says whether s is the address of an endpoint that anybody could
// reach: https or http with a public host name, no placeholder, no local
// address, no documentation's example.
func IsRemoteURL(s string) bool {
	if len(s) == 0 || len(s) > 2000 || strings.ContainsAny(s, " <>\n\t\"'`\\|^") {
		return false
	}
	plain := s
	if i := strings.IndexByte(s, '{'); i >= 0 {
		// A template variable is fine after the host.
		if rest := strings.TrimPrefix(strings.TrimPrefix(s, "https://"), "http://"); !strings.Contains(rest, "/") || strings.IndexByte(rest, '{') < strings.IndexByte(rest, '/') {
			return false
		}
		plain = s[:i]
	}
	u, err := url.Parse(plain)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.User != nil {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if _, err := netip.ParseAddr(host); err == nil {
		return false
	}
	if host == "" || !strings.Contains(host, ".") || strings.ContainsAny(host, "_*$%[]") {
		return false
	}
	for _, suffix := range []string{".local", ".localhost", ".internal", ".lan", ".home", ".corp", ".test", ".example", ".invalid", ".localdomain", ".arpa", ".onion", ".docker"} {
		if strings.HasSuffix(host, suffix) {
			return false
		}
	}
	for _, h := range []string{"example.com", "example.org", "example.net", "domain.com", "yourdomain.com", "your-domain.com", "github.com", "githubusercontent.com", "ngrok.io", "ngrok-free.app", "ngrok.app", "trycloudflare.com", "company.com", "mycompany.com", "acme.com"} {
		if host == h || strings.HasSuffix(host, "."+h) {
			return false
		}
	}
	for _, part := range strings.FieldsFunc(host+u.Path, func(r rune) bool { return r == '.' || r == '-' || r == '/' || r == '_' }) {
		switch strings.ToLower(part) {
		case "your", "my", "yourname", "youraccount", "yourserver", "yoururl", "xxx", "xxxx", "placeholder", "mydomain", "myserver", "username", "hostname":
			return false
		}
	}
	return !strings.Contains(s, "YOUR_") && !strings.Contains(s, "...") && !strings.Contains(s, "…")
}
