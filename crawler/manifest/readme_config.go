package manifest

import (
	"net/url"
	"regexp"
	"sort"
	"strings"

	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

var (
	looseCommand = regexp.MustCompile(`"command"\s*:\s*"([^"\n]{1,300})"`)
	looseArgs    = regexp.MustCompile(`(?s)"args"\s*:\s*\[(.*?)\]`)
	looseEnv     = regexp.MustCompile(`(?s)"env"\s*:\s*\{(.*?)\}`)
	looseURL     = regexp.MustCompile(`"(?:url|serverUrl|httpUrl)"\s*:\s*"(https?://[^"\s]{1,500})"`)
	envPair      = regexp.MustCompile(`"([A-Z][A-Z0-9_]{2,99})"\s*:\s*"([^"\n]{0,500})"`)
	badgeNPM     = regexp.MustCompile(`/npm/(?:v|dm|dt|dw|l)/((?:@|%40)?[A-Za-z0-9._~-]{1,100}(?:/|%2[Ff])?[A-Za-z0-9._~-]{0,100}?)(?:\.svg)?(?:[?#]|$)`)
	badgePyPI    = regexp.MustCompile(`/pypi/(?:v|dm|pyversions|l)/([A-Za-z0-9._-]{1,100}?)(?:\.svg)?(?:[?#]|$)`)
	badgeNuGet   = regexp.MustCompile(`/nuget/(?:v|vpre|dt)/([A-Za-z0-9._-]{1,100}?)(?:\.svg)?(?:[?#]|$)`)
	badgeCrate   = regexp.MustCompile(`/crates/(?:v|d)/([A-Za-z0-9_-]{1,64}?)(?:\.svg)?(?:[?#]|$)`)
	anyURL       = regexp.MustCompile("https?://[^\\s\"'`<>()\\[\\]]{4,500}")
	endpointPath = regexp.MustCompile(`(?i)(?:^|/)(?:mcp|sse)/?$|/mcp/(?:sse|v?[0-9]+|http|stream|message)/?$`)
	buildTag     = regexp.MustCompile(`docker\s+(?:buildx\s+)?build\b[^\n]{0,300}?\s(?:-t|--tag)[ =]([a-zA-Z0-9][a-zA-Z0-9./_-]{0,200})`)
)

var shellLangs = map[string]bool{"": true, "bash": true, "sh": true, "shell": true, "zsh": true, "console": true, "shell-session": true, "shellsession": true, "powershell": true, "ps1": true, "cmd": true, "bat": true, "text": true, "txt": true, "terminal": true, "fish": true, "plaintext": true, "batch": true}

// configuration collects how the README tells users to run the server.
func (r *Readme) configuration(blocks []block) {
	kinds := map[string]bool{}
	add := func(c ClientServer, kind string) {
		kinds[kind] = true
		if len(r.Servers) < 200 {
			r.Servers = append(r.Servers, c)
		}
		if c.Command != "" {
			if l, ok := ParseCommand(c.Command, c.Args); ok {
				r.command(l)
			}
		}
	}
	for _, b := range blocks {
		for _, l := range b.links {
			if c, ok := ParseInstallLink(l.url); ok {
				add(c, "link")
			}
			r.badge(l.url)
		}
		switch b.kind {
		case code:
			for _, m := range buildTag.FindAllStringSubmatch(b.text, 20) {
				r.LocalImages = append(r.LocalImages, m[1])
			}
			if servers := r.configBlock(b); len(servers) > 0 {
				for _, c := range servers {
					add(c, "json")
				}
				continue
			}
			if shellLangs[b.lang] {
				r.shell(b.text, kinds)
			}
		case heading, paragraph, item, row, rawHTML:
			for _, c := range b.code {
				if strings.Contains(c, " ") {
					r.shell(c, kinds)
				}
				r.endpoint(c)
			}
			for _, u := range anyURL.FindAllString(b.text, 20) {
				r.endpoint(u)
			}
		}
	}
	for _, k := range []string{"json", "command", "link"} {
		if kinds[k] {
			r.ClientConfig = k
			break
		}
	}
}

func (r *Readme) command(l Launch) {
	if len(r.Commands) < 300 {
		r.Commands = append(r.Commands, l)
	}
}

func (r *Readme) shell(s string, kinds map[string]bool) {
	s = strings.ReplaceAll(s, "\\\n", " ")
	s = strings.ReplaceAll(s, "`\n", " ")
	n := 0
	for line := range strings.Lines(s) {
		if n++; n > 500 {
			return
		}
		l, ok := ParseLine(line)
		if !ok {
			continue
		}
		t := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "$"))
		if strings.Contains(t, "mcp add") || strings.HasPrefix(t, "code --add-mcp") || strings.Contains(t, "mcp-remote") || strings.Contains(t, "mcp install") {
			kinds["command"] = true
			c := ClientServer{URL: l.URL}
			if i := strings.Index(t, "mcp add"); i >= 0 {
				c.Name, c.Type = addTarget(t[i+len("mcp add"):])
			}
			if l.URL != "" && len(r.Servers) < 200 {
				r.Servers = append(r.Servers, c)
			}
		}
		r.command(l)
	}
}

// addTarget returns the server's name and transport of "claude mcp add …".
func addTarget(s string) (name, transport string) {
	words := shellWords(s)
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "--transport" || w == "-t":
			if i+1 < len(words) {
				transport = words[i+1]
			}
			i++
		case w == "-s" || w == "--scope" || w == "-e" || w == "--env" || w == "--header" || w == "-H":
			i++
		case strings.HasPrefix(w, "-"):
		default:
			return untyped.Short(w), transport
		}
	}
	return "", transport
}

func (r *Readme) badge(u string) {
	for _, p := range []struct {
		re   *regexp.Regexp
		kind string
	}{{badgeNPM, "npm"}, {badgePyPI, "pypi"}, {badgeNuGet, "nuget"}, {badgeCrate, "cargo"}} {
		if m := p.re.FindStringSubmatch(u); m != nil && len(r.Badges) < 50 {
			name, err := url.PathUnescape(strings.TrimSuffix(m[1], ".svg"))
			if err == nil && npmNameRE.MatchString(name) {
				r.Badges = append(r.Badges, Launch{RegistryType: p.kind, Identifier: name})
			}
		}
	}
}

func (r *Readme) endpoint(s string) {
	s = strings.TrimRight(s, ".,;:!?*_")
	u, err := url.Parse(s)
	if err != nil || !IsRemoteURL(s) || len(r.Endpoints) >= 50 {
		return
	}
	host := strings.ToLower(u.Hostname())
	for _, p := range []string{"docs.", "doc.", "developer.", "developers.", "www.npm", "spec.", "learn.", "blog.", "support.", "help."} {
		if strings.HasPrefix(host, p) && !endpointPath.MatchString(u.Path) {
			return
		}
	}
	if strings.HasPrefix(host, "docs.") || strings.HasPrefix(host, "www.") || strings.HasPrefix(host, "smithery.") || strings.HasPrefix(host, "glama.") {
		return
	}
	if endpointPath.MatchString(u.Path) || strings.HasPrefix(host, "mcp.") && (u.Path == "" || u.Path == "/") {
		for _, e := range r.Endpoints {
			if e == s {
				return
			}
		}
		r.Endpoints = append(r.Endpoints, s)
	}
}

// configBlock returns the servers of a code block that shows a client's
// configuration.
func (r *Readme) configBlock(b block) []ClientServer {
	s := strings.TrimSpace(b.text)
	if b.lang == "toml" || strings.HasPrefix(s, "[mcp_servers") {
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
			c.Args = append(c.Args, first(q[1], q[2]))
		}
	}
	if m := looseEnv.FindStringSubmatch(s); m != nil {
		c.Env = map[string]string{}
		for _, p := range envPair.FindAllStringSubmatch(m[1], 100) {
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
		if c.Command != "" || wrapped || Transport(c.Type) != "" {
			out = append(out, c)
		}
	}
	return out
}

var (
	requiredRE = regexp.MustCompile(`(?i)\brequired\b|\bmust (?:be )?set\b|\bmandatory\b`)
	// inCasesRE is a requirement of some ways to run the server: "required for
	// HTTP mode", "must be set if", "refuses to start in HTTP mode without it".
	inCasesRE  = regexp.MustCompile(`(?i)\b(?:required|mandatory|must (?:be )?set)\b[\s*_):,]*(?:only\b|if\b|when\b|unless\b|(?:for|in|with|by|on)\b[^.;]{0,30}?\b(?:modes?|transports?|deployments?|deploying|https?|sse|remote|oauth|sso|tls|non-\w+|self-hosted|on-prem\w*|enterprise|cloud|docker|production|multi-\w+|some|certain)\b)|\b(?:in|for|with) [\w -]{0,20}\bmode without it\b`)
	yesIfRE    = regexp.MustCompile(`(?i)^(?:yes|y|required|✅|✓|✔.{0,2})[\s*(,]+(?:for|if|in|when|with|on|only|unless)\b`)
	optionalRE = regexp.MustCompile(`(?i)\boptional|\bnot required|\bdefaults? (?:to|is|:)|\(default`)
	yesRE      = regexp.MustCompile(`(?i)^(?:yes|y|true|required|✅|✓|✔.*|x|●)`)
	// tornRE matches what is part of a sentence about something else.
	tornRE      = regexp.MustCompile(`(?i)^(?:/|,|env(?:ironment)? var(?:iable)?s?\b)|(?:,|,? (?:or|and))$`)
	exportRE    = regexp.MustCompile(`(?m)(?:^|\s)(?:export|set|setx|\$env:|-e|--env)[ :]?\s*([A-Z][A-Z0-9_]{2,99})\b(?:\s*=\s*["']?([^"'\s\\]{0,200}))?`)
	leadingMark = regexp.MustCompile(`^(?:\((?:required|optional)[^)]{0,80}\)|required|optional)\s*[:.\-–—]?\s*`)
)

// variables collects environment variables from configurations, commands,
// tables, lists and code spans.
func (r *Readme) variables(blocks []block) {
	at := map[string]int{}
	get := func(name string) *registry.Variable {
		if i, ok := at[name]; ok {
			return &r.Variables[i]
		}
		if len(r.Variables) >= 200 {
			return &registry.Variable{}
		}
		at[name] = len(r.Variables)
		r.Variables = append(r.Variables, registry.Variable{Name: name, IsSecret: LooksSecret(name)})
		return &r.Variables[len(r.Variables)-1]
	}
	for _, s := range r.Servers {
		names := make([]string, 0, len(s.Env))
		for k := range s.Env {
			names = append(names, k)
		}
		sort.Strings(names)
		for _, k := range names {
			if !IsEnvName(k) {
				continue
			}
			v, value := get(k), s.Env[k]
			if IsPlaceholder(value) {
				v.IsRequired = true
			} else if v.Default == "" && !v.IsSecret {
				v.Default = value
			}
		}
	}
	for _, b := range blocks {
		switch b.kind {
		case code:
			for _, m := range exportRE.FindAllStringSubmatch(b.text, 100) {
				if IsEnvName(m[1]) && strings.Contains(m[1], "_") {
					get(m[1])
				}
			}
		case row:
			r.variableRow(b, get)
		case marked:
			if b.tag == "tr" {
				r.variableRow(b, get)
			}
		case item, paragraph, heading:
			name := strings.TrimSuffix(strings.TrimSuffix(b.lead, ":"), "=")
			if before, _, ok := strings.Cut(name, "="); ok {
				name = before
			}
			// A word in capitals alone is a variable only as code and not as
			// the value of one above it.
			word := !strings.Contains(name, "_") && (len(b.rest) == 0 || b.level > 0 || len(b.code) == 0 || !strings.HasPrefix(b.code[0], name))
			if b.kind != item || !IsEnvName(name) || word {
				for _, c := range b.code {
					if m := envPair.FindStringSubmatch(c); m != nil && IsEnvName(m[1]) && strings.Contains(m[1], "_") {
						if v := get(m[1]); IsPlaceholder(m[2]) { // a line of a configuration
							v.IsRequired = true
						}
						continue
					}
					c, _, _ = strings.Cut(c, "=")
					if IsEnvName(c) && strings.Contains(c, "_") {
						get(c)
					}
				}
				continue
			}
			describe(get(name), b.rest)
		}
	}
}

func (r *Readme) variableRow(b block, get func(string) *registry.Variable) {
	for i, lead := range b.leads {
		name := first(lead, b.cells[i])
		if !IsEnvName(name) || !strings.Contains(name, "_") {
			continue
		}
		v := get(name)
		longest, required, optional, unset := "", false, false, false
		for j, c := range b.cells {
			if j == i {
				continue
			}
			head := ""
			if j < len(b.heads) {
				head = b.heads[j]
			}
			switch {
			case strings.Contains(head, "required"):
				required = yesRE.MatchString(c) && !yesIfRE.MatchString(c)
				optional = !required
			case strings.Contains(head, "default"):
				if unset = isUnset(c); unset {
					continue // to leave it empty is what the server does by itself
				}
				if c != "" && c != "-" && c != "—" && !strings.EqualFold(c, "none") && !v.IsSecret {
					v.Default = untyped.Short(strings.Trim(c, "`\""))
				}
			case len(c) > len(longest):
				longest = c
			}
		}
		describe(v, longest)
		if required {
			v.IsRequired = true
		} else if optional || unset {
			v.IsRequired = false
		}
		return
	}
}

// isUnset says whether a default is given and is nothing: `""`, "(empty)".
func isUnset(s string) bool {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune("\x60\"'() ", r) })
	switch strings.Join(words, " ") {
	case "":
		return strings.TrimSpace(s) != ""
	case "empty", "empty string", "unset", "not set":
		return true
	}
	return false
}

func describe(v *registry.Variable, s string) {
	switch {
	case optionalRE.MatchString(s), inCasesRE.MatchString(s):
		v.IsRequired = false
	case requiredRE.MatchString(s):
		v.IsRequired = true
	}
	s = strings.TrimSpace(s)
	if m := leadingMark.FindString(strings.ToLower(s)); m != "" && len(m) < len(s) {
		s = s[len(m):]
	}
	s = strings.TrimLeft(s, " :-–—")
	if v.Description == "" && !tornRE.MatchString(s) {
		v.Description = untyped.Short(s)
	}
}
