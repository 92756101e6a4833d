package manifest

import (
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/serverjson"
	"mcpcensus/crawler/shell"
	"mcpcensus/crawler/untyped"
)

var (
	configMember = regexp.MustCompile(`"(?:command|url|serverUrl|httpUrl)"`)

	looseCommand = regexp.MustCompile(`"command"\s*:\s*"([^"\n]{1,300})"`)
	looseArgs    = regexp.MustCompile(`(?s)"args"\s*:\s*\[(.*?)\]`)
	looseEnv     = regexp.MustCompile(`(?s)"env"\s*:\s*\{(.*?)\}`)
	looseURL     = regexp.MustCompile(`"(?:url|serverUrl|httpUrl)"\s*:\s*"(https?://[^"\s]{1,500})"`)
	looseEnvPair = regexp.MustCompile(`"([A-Z][A-Z0-9_]{2,99})"\s*:\s*"([^"\n]{0,500})"`)
)

// ParseConfigBlock returns the servers of a code block, in language lang, that shows a client's
// configuration, nil if it shows none.
func ParseConfigBlock(lang, s string) []ClientServer {
	s = strings.TrimSpace(s)
	if lang == "toml" || strings.HasPrefix(s, "[mcp_servers") {
		if o, err := untyped.TOML([]byte(s)); err == nil && o.Object("mcp_servers") != nil {
			return clientServers(o, 0)
		}
		return nil
	}
	if !configMember.MatchString(s) {
		return nil
	}
	s = configJSON(s)
	var servers []ClientServer
	if o := decodeFragment(s); o != nil {
		servers = clientServers(o, 0)
	} else {
		servers = looseServer(s)
	}
	// A URL alone may be an API's response or a bookmark.
	wrapped := slices.ContainsFunc(shell.ClientSections, func(k string) bool { return strings.Contains(s, `"`+k+`"`) })
	return slices.DeleteFunc(servers, func(c ClientServer) bool {
		return c.Command == "" && !wrapped && serverjson.Transport(c.Type) == ""
	})
}

// configJSON removes text before the JSON of a configuration: the words of "mcp add-json" or a
// short heading.
func configJSON(s string) string {
	before, after, found := strings.Cut(s, "{")
	switch {
	case found && strings.Contains(before, "mcp add-json"):
		return "{" + strings.TrimRight(after, "'\" \n")
	case found && len(before) < 200 && !strings.Contains(before, `"`):
		return "{" + after
	}
	return s
}

// decodeFragment decodes JSON whose outer braces may be missing, nil if it is invalid.
func decodeFragment(s string) untyped.Object {
	for _, try := range []string{s, "{" + s + "}", s + "}", s + "}}"} {
		if o, err := untyped.JSON([]byte(try)); err == nil {
			return o
		}
	}
	return nil
}

// looseServer reads the server in malformed JSON.
func looseServer(s string) []ClientServer {
	c := ClientServer{Entry: shell.Entry{Command: firstGroup(looseCommand, s)}}
	for _, q := range quotedString.FindAllStringSubmatch(firstGroup(looseArgs, s), 100) {
		c.Args = append(c.Args, q[1]+q[2])
	}
	for _, p := range looseEnvPair.FindAllStringSubmatch(firstGroup(looseEnv, s), 100) {
		if c.Env == nil {
			c.Env = map[string]string{}
		}
		c.Env[p[1]] = p[2]
	}
	if strings.Contains(s, "mcp") {
		c.URL = firstGroup(looseURL, s)
	}
	if c.Command == "" && c.URL == "" {
		return nil
	}
	return []ClientServer{c}
}
