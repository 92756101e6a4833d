package manifest

import (
	"cmp"
	"regexp"
	"strings"

	"mcpcensus/crawler/serverjson"
	"mcpcensus/crawler/untyped"
)

var (
	looseCommand = regexp.MustCompile(`"command"\s*:\s*"([^"\n]{1,300})"`)
	looseArgs    = regexp.MustCompile(`(?s)"args"\s*:\s*\[(.*?)\]`)
	looseEnv     = regexp.MustCompile(`(?s)"env"\s*:\s*\{(.*?)\}`)
	looseURL     = regexp.MustCompile(`"(?:url|serverUrl|httpUrl)"\s*:\s*"(https?://[^"\s]{1,500})"`)
	looseEnvPair = regexp.MustCompile(`"([A-Z][A-Z0-9_]{2,99})"\s*:\s*"([^"\n]{0,500})"`)
)

// ParseConfigBlock returns the servers of a code block, in language lang, that
// shows a client's configuration, nil if it shows none.
func ParseConfigBlock(lang, s string) []ClientServer {
	s = strings.TrimSpace(s)
	if lang == "toml" || strings.HasPrefix(s, "[mcp_servers") {
		if o, err := untyped.TOML([]byte(s)); err == nil && o.Object("mcp_servers") != nil {
			return clientServers(o, 0)
		}
		return nil
	}
	if !strings.Contains(s, `"command"`) && !strings.Contains(s, `"url"`) && !strings.Contains(s, `"serverUrl"`) && !strings.Contains(s, `"httpUrl"`) {
		return nil
	}
	if i := strings.Index(s, "mcp add-json"); i >= 0 {
		if j := strings.IndexByte(s[i:], '{'); j >= 0 {
			s = strings.TrimRight(s[i+j:], "'\" \n")
		}
	}
	if i := strings.IndexByte(s, '{'); i > 0 && i < 200 && !strings.Contains(s[:i], `"`) {
		s = s[i:]
	}
	for _, try := range []string{s, "{" + s + "}", s + "}", s + "}}"} {
		if o, err := untyped.JSON([]byte(try)); err == nil {
			return plausible(clientServers(o, 0), s)
		}
	}
	// JSON that nobody could paste as it is, but that a person understands.
	var c ClientServer
	if m := looseCommand.FindStringSubmatch(s); m != nil {
		c.Command = m[1]
	}
	if m := looseArgs.FindStringSubmatch(s); m != nil {
		for _, q := range quotedString.FindAllStringSubmatch(m[1], 100) {
			c.Args = append(c.Args, cmp.Or(q[1], q[2]))
		}
	}
	if m := looseEnv.FindStringSubmatch(s); m != nil {
		c.Env = map[string]string{}
		for _, p := range looseEnvPair.FindAllStringSubmatch(m[1], 100) {
			c.Env[p[1]] = p[2]
		}
	}
	if m := looseURL.FindStringSubmatch(s); m != nil && strings.Contains(s, "mcp") {
		c.URL = m[1]
	}
	if c.Command == "" && c.URL == "" {
		return nil
	}
	return plausible([]ClientServer{c}, s)
}

// plausible drops what has an address but is no configuration: an answer of
// an API, a bookmark.
func plausible(servers []ClientServer, s string) []ClientServer {
	wrapped := false
	for _, k := range clientKeys {
		wrapped = wrapped || strings.Contains(s, `"`+k+`"`)
	}
	var out []ClientServer
	for _, c := range servers {
		if c.Command != "" || wrapped || serverjson.Transport(c.Type) != "" {
			out = append(out, c)
		}
	}
	return out
}
