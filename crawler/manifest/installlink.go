package manifest

import (
	"cmp"
	"net/url"
	"strings"

	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/shell"
	"mcpcensus/crawler/untyped"
)

const (
	maxLink      = 16 << 10 // bytes
	maxRedirects = 2        // nested links
)

// ParseInstallLink reads the configuration in the install link of a client (VS Code, Cursor, LM
// Studio, Kiro, Visual Studio or Goose), direct or wrapped in a redirect.
func ParseInstallLink(link string) (ClientServer, bool) {
	return installLink(link, 0)
}

func installLink(link string, depth int) (ClientServer, bool) {
	u, err := url.Parse(strings.TrimSpace(link))
	if err != nil || len(link) > maxLink || depth > maxRedirects {
		return ClientServer{}, false
	}
	q := u.Query()
	for _, scheme := range []string{"vscode", "cursor", "lmstudio"} {
		if inner := q.Get("url"); strings.HasPrefix(inner, scheme) {
			return installLink(inner, depth+1)
		}
	}
	if u.Scheme == "goose" {
		c := ClientServer{Name: q.Get("name"), Entry: shell.Entry{
			Command: q.Get("cmd"), Args: q["arg"], URL: q.Get("url"), Type: q.Get("type"),
		}}
		return c, c.Command != "" || c.URL != ""
	}
	target := u.Scheme + u.Host + u.Path + u.Opaque
	if !strings.Contains(target, "install") && !strings.Contains(target, "mcp") {
		return ClientServer{}, false
	}
	config := q.Get("config")
	if config == "" && strings.HasPrefix(u.RawQuery, "%7B") {
		config, _ = url.QueryUnescape(u.RawQuery)
	}
	return linkedServer(config, q.Get("name"))
}

// linkedServer reads the configuration in a link: JSON, possibly in Base64.
func linkedServer(config, name string) (ClientServer, bool) {
	data := []byte(config)
	if !strings.HasPrefix(strings.TrimSpace(config), "{") {
		data = settings.DecodeBase64(config)
	}
	o, err := untyped.JSON(data)
	if err != nil {
		return ClientServer{}, false
	}
	servers := clientServers(o, 0)
	if len(servers) == 0 {
		return ClientServer{}, false
	}
	c := servers[0]
	c.Name = cmp.Or(c.Name, untyped.Short(name))
	// Cursor's links may contain the whole command line in "command".
	if f := commandWords(c.Command); len(f) > 1 && len(c.Args) == 0 {
		c.Command, c.Args = f[0], f[1:]
	}
	return c, true
}

// commandWords returns the words of a command line. One without quotes may have a path of
// Windows, whose backslashes escape nothing.
func commandWords(line string) []string {
	if strings.ContainsAny(line, `"'`) {
		return shell.Words(line)
	}
	return strings.Fields(line)
}
