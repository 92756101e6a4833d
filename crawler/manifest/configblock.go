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
	configMember = regexp.MustCompile(`"(?:command|cmd|url|uri|serverUrl|httpUrl|endpoint)"\s*:`)
	tomlSection  = regexp.MustCompile(`(?m)^\s*\[\[?mcp_servers\b`)
	yamlSection  = regexp.MustCompile(`(?m)^(?:` + anySection() + `):\s*(?:#.*)?$`)

	looseCommand = regexp.MustCompile(`"command"\s*:\s*"([^"\n]{1,300})"`)
	looseArgs    = regexp.MustCompile(`(?s)"args"\s*:\s*\[(.*?)\]`)
	looseEnv     = regexp.MustCompile(`(?s)"env"\s*:\s*\{(.*?)\}`)
	looseHeaders = regexp.MustCompile(`(?s)"headers"\s*:\s*\{((?:[^"{}]|"[^"\n]*")*)\}`)
	looseHeader  = regexp.MustCompile(`"([A-Za-z][A-Za-z0-9-]{0,99})"\s*:\s*"([^"\n]{0,500})"`)
	looseURL     = regexp.MustCompile(`"(?:url|serverUrl|httpUrl)"\s*:\s*"(https?://[^"\s]{1,500})"`)
	looseEnvPair = regexp.MustCompile(`"([A-Z][A-Z0-9_]{2,99})"\s*:\s*"([^"\n]{0,500})"`)
)

// ParseConfigBlock returns the servers of a code block, in language lang, that shows a client's
// configuration, nil if it shows none.
func ParseConfigBlock(lang, s string) []ClientServer {
	s = strings.TrimSpace(s)
	if lang == "toml" || tomlSection.MatchString(s) {
		o, _ := untyped.TOML([]byte(s)) // without a section if it is invalid
		return sectionServers(o, 0)
	}
	if yamlSection.MatchString(s) {
		o, _ := untyped.YAML([]byte(s))
		return sectionServers(o, 0)
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

// anySection returns an expression for the names of sections.
func anySection() string {
	var out []string
	for _, key := range shell.ClientSections {
		out = append(out, regexp.QuoteMeta(key))
	}
	return strings.Join(out, "|")
}

// configJSON removes a short heading before the JSON of a configuration.
func configJSON(s string) string {
	if before, after, found := strings.Cut(s, "{"); found && len(before) < 200 && !strings.Contains(before, `"`) {
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
	for _, p := range looseHeader.FindAllStringSubmatch(firstGroup(looseHeaders, s), 100) {
		if c.Headers == nil {
			c.Headers = map[string]string{}
		}
		c.Headers[p[1]] = p[2]
	}
	if c.Command == "" && c.URL == "" {
		return nil
	}
	return []ClientServer{c}
}
