package readme

import (
	"cmp"
	"net/url"
	"regexp"
	"sort"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

var (
	envPair      = regexp.MustCompile(`"([A-Z][A-Z0-9_]{2,99})"\s*:\s*"([^"\n]{0,500})"`)
	anyURL       = regexp.MustCompile("https?://[^\\s\"'`<>()\\[\\]]{4,500}")
	endpointPath = regexp.MustCompile(`(?i)(?:^|/)(?:mcp|sse)/?$|/mcp/(?:sse|v?[0-9]+|http|stream|message)/?$`)
	buildTag     = regexp.MustCompile(`docker\s+(?:buildx\s+)?build\b[^\n]{0,300}?\s(?:-t|--tag)[ =]([a-zA-Z0-9][a-zA-Z0-9./_-]{0,200})`)
)

var shellLangs = map[string]bool{"": true, "bash": true, "sh": true, "shell": true, "zsh": true, "console": true, "shell-session": true, "shellsession": true, "powershell": true, "ps1": true, "cmd": true, "bat": true, "text": true, "txt": true, "terminal": true, "fish": true, "plaintext": true, "batch": true}

// configuration collects how the README tells users to run the server.
func (r *Document) configuration(blocks []block) {
	kinds := map[string]bool{}
	add := func(c manifest.ClientServer, kind string) {
		kinds[kind] = true
		if len(r.Servers) < 200 {
			r.Servers = append(r.Servers, c)
		}
		if c.Command != "" {
			if l, ok := manifest.ParseCommand(c.Command, c.Args); ok {
				r.command(l)
			}
		}
	}
	for _, b := range blocks {
		for _, l := range b.links {
			if c, ok := manifest.ParseInstallLink(l.url); ok {
				add(c, "link")
			}
			r.badge(l.url)
		}
		switch b.kind {
		case code:
			for _, m := range buildTag.FindAllStringSubmatch(b.text, 20) {
				r.LocalImages = append(r.LocalImages, m[1])
			}
			if servers := manifest.ParseConfigBlock(b.lang, b.text); len(servers) > 0 {
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

func (r *Document) command(l manifest.Launch) {
	if len(r.Commands) < 300 {
		r.Commands = append(r.Commands, l)
	}
}

func (r *Document) shell(s string, kinds map[string]bool) {
	s = strings.ReplaceAll(s, "\\\n", " ")
	s = strings.ReplaceAll(s, "`\n", " ")
	n := 0
	for line := range strings.Lines(s) {
		if n++; n > 500 {
			return
		}
		l, ok := manifest.ParseLine(line)
		if !ok {
			continue
		}
		t := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "$"))
		if strings.Contains(t, "mcp add") || strings.HasPrefix(t, "code --add-mcp") || strings.Contains(t, "mcp-remote") || strings.Contains(t, "mcp install") {
			kinds["command"] = true
			c := manifest.ClientServer{URL: l.URL}
			if i := strings.Index(t, "mcp add"); i >= 0 {
				c.Name, c.Type = manifest.AddTarget(t[i+len("mcp add"):])
			}
			if l.URL != "" && len(r.Servers) < 200 {
				r.Servers = append(r.Servers, c)
			}
		}
		r.command(l)
	}
}

func (r *Document) badge(u string) {
	if l, ok := manifest.ParseBadge(u); ok && len(r.Badges) < 50 {
		r.Badges = append(r.Badges, l)
	}
}

func (r *Document) endpoint(s string) {
	s = strings.TrimRight(s, ".,;:!?*_")
	u, err := url.Parse(s)
	if err != nil || !manifest.IsRemoteURL(s) || len(r.Endpoints) >= 50 {
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
func (r *Document) variables(blocks []block) {
	at := map[string]int{}
	get := func(name string) *registry.Variable {
		if i, ok := at[name]; ok {
			return &r.Variables[i]
		}
		if len(r.Variables) >= 200 {
			return &registry.Variable{}
		}
		at[name] = len(r.Variables)
		r.Variables = append(r.Variables, registry.Variable{Name: name, IsSecret: manifest.LooksSecret(name)})
		return &r.Variables[len(r.Variables)-1]
	}
	for _, s := range r.Servers {
		names := make([]string, 0, len(s.Env))
		for k := range s.Env {
			names = append(names, k)
		}
		sort.Strings(names)
		for _, k := range names {
			if !manifest.IsEnvName(k) {
				continue
			}
			v, value := get(k), s.Env[k]
			if manifest.IsPlaceholder(value) {
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
				if manifest.IsEnvName(m[1]) && strings.Contains(m[1], "_") {
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
			if b.kind != item || !manifest.IsEnvName(name) || word {
				for _, c := range b.code {
					if m := envPair.FindStringSubmatch(c); m != nil && manifest.IsEnvName(m[1]) && strings.Contains(m[1], "_") {
						if v := get(m[1]); manifest.IsPlaceholder(m[2]) { // a line of a configuration
							v.IsRequired = true
						}
						continue
					}
					c, _, _ = strings.Cut(c, "=")
					if manifest.IsEnvName(c) && strings.Contains(c, "_") {
						get(c)
					}
				}
				continue
			}
			describe(get(name), b.rest)
		}
	}
}

func (r *Document) variableRow(b block, get func(string) *registry.Variable) {
	for i, lead := range b.leads {
		name := cmp.Or(lead, b.cells[i])
		if !manifest.IsEnvName(name) || !strings.Contains(name, "_") {
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
