package install

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/internal/registry"
)

// The kinds of a [Snippet].
const (
	KindJSON    = "json"    // Text belongs into File
	KindTOML    = "toml"    // Text belongs into File
	KindCommand = "command" // Text is for a shell
	KindLink    = "link"    // URL opens the client or its page
	KindManual  = "manual"  // Note says where to enter Text
)

// A Snippet sets one client up for a server in one way.
type Snippet struct {
	Client string `json:"client"` // "claude-desktop"
	Name   string `json:"name"`   // "Claude Desktop"
	Via    string `json:"via"`    // ViaPackage, ViaRemote or ViaStarted
	Kind   string `json:"kind"`
	Text   string `json:"text,omitempty"`
	URL    string `json:"url,omitempty"`
	File   string `json:"file,omitempty"` // where Text belongs, ~ being the user's home
	Note   string `json:"note,omitempty"` // what to know and to do, in sentences

	// By name, what the user has to see to; Note says it.
	replace []string // placeholders in Text or URL
	set     []string // environment variables, before the client starts
	lacks   []string // variables that the server needs and the link does not carry
	asks    []string // what the client asks for by itself
}

// How a client reaches a server.
const (
	ViaPackage = "package" // the client starts its package
	ViaRemote  = "remote"  // at the address of its owner
	ViaStarted = "started" // at an address of the user's machine, once the user has started its package
)

// Clients returns how each known client is set up for s, by its first package
// that a client can start, by its first remote, and, where there is none that a
// client can start, by the address of the first package that its user starts;
// best known clients first. It is empty for a server with none of these.
func Clients(s *registry.Server) []Snippet {
	t := targetOf(s)
	var out []Snippet
	for _, c := range clients {
		out = append(out, c.of(t)...)
	}
	return out
}

// of returns the client's snippets with its name on them, and what to see to.
func (c client) of(t target) []Snippet {
	out := c.snippets(t)
	for i := range out {
		s := &out[i]
		s.Client, s.Name = c.id, c.name
		s.Note = strings.TrimSpace(s.Note + s.needs())
	}
	return out
}

// needs says what a snippet needs of its user, in sentences that each begin with
// a space.
func (s *Snippet) needs() (text string) {
	if len(s.set) > 0 {
		text += " Set " + strings.Join(s.set, ", ") + " in your environment first."
	}
	if len(s.lacks) > 0 {
		text += " Then set " + strings.Join(s.lacks, ", ") + " in " + s.Name + ": the link does not carry it, and without it the server does not start."
	}
	switch {
	case len(s.replace) == 0:
	case s.Kind == KindLink:
		text += " Then replace " + strings.Join(s.replace, ", ") + " in " + s.Name + "’s settings: links carry nothing that only you know, and without it the server does not start."
	default:
		text += " Replace " + strings.Join(s.replace, ", ") + "."
	}
	if len(s.asks) > 0 {
		text += " " + s.Name + " asks for " + strings.Join(s.asks, ", ") + "."
	}
	return text
}

func targetOf(s *registry.Server) target {
	t := target{key: Key(s), title: first(oneLine(s.Title), oneLine(s.Name), Key(s)), description: oneLine(s.Description)}
	p, ok := First(s.Packages)
	if ok && overStdio(p) {
		if l, o := launchOf(p); o == nil {
			t.stdio = &l
		}
	}
	if r := remoteOf(t.key, s.Remotes); r != nil {
		t.remotes = append(t.remotes, r)
	}
	if ok && !overStdio(p) {
		if r := startedOf(t.key, p); r != nil {
			t.remotes = append(t.remotes, r)
		}
	}
	return t
}

// JSON returns the shortest way for each of the clients that take a link or a
// command, and the configuration that most others take, as
//
//	{"mcpServers": {…}, "claude-code": "claude mcp add …", "cursor": "cursor://…"}
//
// It is about a twentieth of all that Clients returns, and {} where that is
// nothing. A package that the client starts comes before a remote, and that
// before one that the user starts.
func JSON(s *registry.Server) (json.RawMessage, error) {
	t := targetOf(s)
	out := object{}
	add := func(client, text string) { out = append(out, member{client, text}) }
	if l := t.stdio; l != nil {
		out = wrap("mcpServers", t.key, stdioObject(l, fromEnvironment))
		add("claude-code", claudeAdd(t))
		add("cursor", cursorLink(t.key, stdioObject(l, fromEnvPrefix)))
		add("vscode", vscodeLink(t, asking(typed("stdio", stdioObject(l, fromInput)), l.open())))
		add("codex", codexAdd(t))
	} else if len(t.remotes) > 0 {
		r := t.remotes[0]
		transport := httpOr(r, "http", "sse")
		out = wrap("mcpServers", t.key, typed(transport, remoteObject("url", r, fromEnvironment)))
		if !r.open {
			add("claude-code", claudeAddRemote(t.key, r))
			add("cursor", cursorLink(t.key, remoteObject("url", r, fromEnvPrefix)))
			add("vscode", vscodeLink(t, asking(typed(transport, remoteObject("url", r, fromInput)), r.openHeaders())))
			if line, ok := codexAddRemote(t.key, r); ok {
				add("codex", line)
			}
			if len(r.headers) == 0 {
				add("gemini-cli", geminiAdd(t.key, r))
			}
		}
	}
	return json.RawMessage(compact(out)), nil
}

// Key returns the name under which clients know s: of its folder or
// repository, [a-z0-9-], at most 32 characters.
func Key(s *registry.Server) string {
	name := s.Repo.Name
	if parts := strings.Split(s.Subfolder, "/"); s.Subfolder != "" {
		name = parts[len(parts)-1]
	}
	for _, candidate := range []string{name, s.Slug, s.Name} {
		if k := registry.Slug("", candidate, ""); candidate != "" && k != "server" {
			if len(k) > 32 {
				k = k[:32]
			}
			return strings.Trim(k, "-")
		}
	}
	return "server"
}

// A target is what clients are set up for.
type target struct {
	key, title, description string
	stdio                   *launch
	remotes                 []*remote // the hosted one, then the one that the user starts
}

type remote struct {
	via     string // ViaRemote or ViaStarted
	sse     bool
	url     string
	open    bool    // the address has {variables} that the user must fill in
	parts   []value // those variables
	headers []value // name is the variable, header the header's name
	names   []string
}

// remoteOf returns the first remote that can be reached from anywhere,
// streamable HTTP before SSE.
func remoteOf(key string, remotes []registry.Remote) *remote {
	for _, transport := range []string{registry.TransportHTTP, registry.TransportSSE} {
		for _, r := range remotes {
			if r.Type != transport {
				continue
			}
			address := addressOf(r.URL, r.Variables)
			u, ok := readAddress(address, "x")
			if !ok || u.Scheme != "https" || !publicHost(u.Hostname()) {
				continue
			}
			out := &remote{via: ViaRemote, sse: transport == registry.TransportSSE, url: address, open: isTemplate(address), parts: partsOf(address, r.Variables)}
			if out.addHeaders(key, r.Headers) {
				return out
			}
		}
	}
	return nil
}

// startedOf returns where p is reached when its user has started it, on the
// same machine; nil where it declares no such address.
func startedOf(key string, p registry.Package) *remote {
	variables := variablesOf(p)
	address := addressOf(p.Transport.URL, variables)
	u, ok := readAddress(address, "1") // a number, since it may stand for a port
	if !ok || u.Scheme != "http" && u.Scheme != "https" || !ownHost(u.Hostname()) {
		return nil
	}
	r := &remote{via: ViaStarted, sse: p.Transport.Type == registry.TransportSSE, url: address, open: isTemplate(address), parts: partsOf(address, variables)}
	if !r.addHeaders(key, p.Transport.Headers) {
		return nil
	}
	return r
}

// variablesOf are what a {name} in the address of a package may mean: one of its
// environment variables or arguments.
func variablesOf(p registry.Package) map[string]registry.Variable {
	out := map[string]registry.Variable{}
	for _, a := range slices.Concat(p.RuntimeArguments, p.PackageArguments) {
		for name, v := range a.Variables {
			out[name] = v
		}
		v := registry.Variable{Description: a.Description, Value: a.Value, Default: a.Default, Placeholder: a.Placeholder, Choices: a.Choices, IsSecret: a.IsSecret}
		for _, name := range []string{a.ValueHint, a.Name, strings.TrimLeft(a.Name, "-")} {
			if name != "" {
				out[name] = v
			}
		}
	}
	for _, v := range p.EnvironmentVariables {
		out[v.Name] = v
	}
	return out
}

// addressOf puts what is declared for the {names} in an address in their
// places, as far as it can be part of one.
func addressOf(address string, variables map[string]registry.Variable) string {
	if len(address) > longestAddress {
		return address
	}
	return template.ReplaceAllStringFunc(address, func(m string) string {
		v := variables[m[1:len(m)-1]]
		if text := first(v.Value, v.Default); text != "" && !v.IsSecret && safePart.MatchString(text) {
			return text
		}
		return m
	})
}

// partsOf are the {names} that are left in an address.
func partsOf(address string, variables map[string]registry.Variable) (parts []value) {
	for _, m := range template.FindAllString(address, 20) {
		v := variables[m[1:len(m)-1]]
		parts = append(parts, value{name: m, open: true, secret: v.IsSecret, description: oneLine(v.Description), example: oneLine(v.Placeholder), choices: choices(v.Choices)})
	}
	return parts
}

const longestAddress = 2000

// readAddress parses an address that may have {names} in it, with something in
// their places. It is false for what cannot stand in a configuration and on a
// command line.
func readAddress(address, inPlace string) (*url.URL, bool) {
	if address == "" || len(address) > longestAddress || !sound(address) || strings.ContainsAny(address, " \"'`\\") {
		return nil, false
	}
	u, err := url.Parse(template.ReplaceAllString(address, inPlace))
	return u, err == nil && u.User == nil && u.Host != ""
}

// ownHost reports whether a host name is the user's own machine.
func ownHost(host string) bool {
	host = strings.ToLower(host)
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

var (
	safePart   = regexp.MustCompile(`^[A-Za-z0-9._~-]{1,200}$`)
	headerName = regexp.MustCompile(`^[A-Za-z0-9!#$&*+.^_|~-]{1,100}$`)
)

// publicHost reports whether a host name can be one of the public internet.
func publicHost(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	last := host[strings.LastIndexByte(host, '.')+1:]
	return strings.Contains(host, ".") && !strings.ContainsAny(host, ":") && last != "localhost" && last != "local" && last != "internal" && strings.Trim(last, "0123456789") != ""
}

// addHeaders adds the headers that must be sent. It is false where a required
// one cannot be.
func (r *remote) addHeaders(key string, headers []registry.Variable) bool {
	for _, h := range headers {
		text := first(h.Value, h.Default)
		if !h.IsRequired && (text == "" || h.IsSecret) {
			continue
		}
		if !headerName.MatchString(h.Name) {
			if h.IsRequired {
				return false
			}
			continue
		}
		if slices.ContainsFunc(r.names, func(n string) bool { return strings.EqualFold(n, h.Name) }) {
			continue
		}
		v := value{description: oneLine(h.Description), secret: h.IsSecret, example: oneLine(h.Placeholder), choices: choices(h.Choices), option: h.Name}
		authorization := strings.EqualFold(h.Name, "Authorization")
		switch {
		case text != "" && !h.IsSecret && !isTemplate(text):
			if !sound(text) {
				return false
			}
			v.fixed = text
		default:
			v.open = true
			v.name = strings.ToUpper(variable(h.Name))
			if authorization {
				v.name = strings.ToUpper(variable(key + "_TOKEN"))
			}
			if m := template.FindStringIndex(text); m != nil && m[1] == len(text) && sound(text[:m[0]]) {
				v.prefix = text[:m[0]]
				v.name = strings.ToUpper(variable(text[m[0]+1 : m[1]-1]))
			} else if authorization {
				v.prefix = "Bearer "
			}
		}
		r.names = append(r.names, h.Name)
		r.headers = append(r.headers, v)
	}
	return true
}

func (r *remote) headerObject(style func(value) string) object {
	var o object
	for i, v := range r.headers {
		o = append(o, member{r.names[i], v.text(style)})
	}
	return o
}

func (r *remote) openHeaders() []value {
	var out []value
	for _, v := range r.headers {
		if v.open {
			out = append(out, v)
		}
	}
	return out
}

// A client is a program that talks to MCP servers. Its style writes what the
// user fills in.
type client struct {
	id, name string
	snippets func(target) []Snippet
}

// The styles in which clients fill in what is open.
func fromEnvironment(v value) string        { return "${" + v.name + "}" }
func fromDollar(v value) string             { return "$" + v.name }
func fromEnvPrefix(v value) string          { return "${env:" + v.name + "}" }
func fromBraces(v value) string             { return "{env:" + v.name + "}" }
func fromInput(v value) string              { return "${input:" + v.name + "}" }
func shellVariable(v value) string          { return "${" + v.name + "}" }
func named(t target, inner object) object   { return append(object{{"name", t.key}}, inner...) }
func wrap(key, name string, v any) object   { return object{{key, object{{name, v}}}} }
func typed(kind string, rest object) object { return append(object{{"type", kind}}, rest...) }

// A way is one of the ways in which clients get at a server: they start it, or
// they connect to it.
type way struct {
	via    string
	stdio  *launch // nil: remote
	remote *remote
}

func (t target) ways() (all []way) {
	if t.stdio != nil {
		all = append(all, way{via: ViaPackage, stdio: t.stdio})
	}
	for _, r := range t.remotes {
		all = append(all, way{via: r.via, remote: r})
	}
	return all
}

// whole says whether nothing is left open that a link cannot leave open: a part
// of the address.
func (w way) whole() bool { return w.stdio != nil || !w.remote.open }

// open is what the client or its user fills in, but for parts of an address.
func (w way) open() []value {
	if w.stdio != nil {
		return w.stdio.open()
	}
	return w.remote.openHeaders()
}

// object is what a client stores, by the form that it has for remotes.
func (w way) object(style func(value) string, remote func(*remote, func(value) string) object) object {
	if w.stdio != nil {
		return stdioObject(w.stdio, style)
	}
	return remote(w.remote, style)
}

// typed is object with the type before it that the client has for it.
func (w way) typed(style func(value) string, stdio, http, sse string) object {
	kind := stdio
	if w.remote != nil {
		kind = httpOr(w.remote, http, sse)
	}
	return typed(kind, w.object(style, underURL))
}

// The forms of remotes: the name of the address.
func underURL(r *remote, style func(value) string) object { return remoteObject("url", r, style) }
func underServerURL(r *remote, style func(value) string) object {
	return remoteObject("serverUrl", r, style)
}

// with puts a snippet under its way, with what a client of that style leaves to
// its user.
func (w way) with(style func(value) string, s Snippet) Snippet {
	s.Via = w.via
	env, rest := w.open(), []value(nil)
	if w.stdio != nil {
		env, rest = opened(w.stdio.env), opened(w.stdio.args)
	} else {
		for _, part := range w.remote.parts {
			s.replace = append(s.replace, part.name)
		}
	}
	switch probe := (value{name: "x"}); style(probe) {
	case fromInput(probe):
		s.asks = names(w.open())
		return s
	case placeholder(probe):
		rest = append(slices.Clone(env), rest...)
	default:
		s.set = names(env)
	}
	for _, v := range rest {
		if name := placeholder(v); !slices.Contains(s.replace, name) {
			s.replace = append(s.replace, name)
		}
	}
	return s
}

func names(open []value) (all []string) {
	for _, v := range open {
		all = append(all, v.name)
	}
	return all
}

func link(address string) Snippet { return Snippet{Kind: KindLink, URL: address} }

func command(line string) Snippet { return Snippet{Kind: KindCommand, Text: line} }

func jsonFile(file string, o object) Snippet {
	return Snippet{Kind: KindJSON, File: file, Text: indented(o)}
}

// clients are the known clients, in the order in which they are shown.
var clients = []client{
	{"claude-desktop", "Claude Desktop", func(t target) (out []Snippet) {
		for _, w := range t.ways() {
			if w.stdio != nil {
				s := jsonFile("claude_desktop_config.json", wrap("mcpServers", t.key, w.object(placeholder, underURL)))
				s.Note = "Settings → Developer → Edit Config opens the file."
				out = append(out, w.with(placeholder, s))
			} else if w.via == ViaRemote && w.whole() && len(w.remote.headers) == 0 { // from its maker's machines it reaches no others
				out = append(out, Snippet{Via: w.via, Kind: KindManual, Text: w.remote.url, Note: "Settings → Connectors → Add custom connector."})
			}
		}
		return out
	}},
	{"claude-code", "Claude Code", func(t target) (out []Snippet) {
		for _, w := range t.ways() {
			inner := w.object(fromEnvironment, underURL)
			if w.stdio != nil {
				out = append(out, w.with(fromEnvironment, command(claudeAdd(t))))
			} else {
				inner = w.typed(fromEnvironment, "", "http", "sse")
				if w.whole() {
					out = append(out, w.with(fromEnvironment, command(claudeAddRemote(t.key, w.remote))))
				}
			}
			out = append(out, w.with(fromEnvironment, jsonFile(".mcp.json", wrap("mcpServers", t.key, inner))))
		}
		return out
	}},
	{"cursor", "Cursor", func(t target) []Snippet {
		return linkAndFile(t, "~/.cursor/mcp.json", fromEnvPrefix, func(inner object) string { return cursorLink(t.key, inner) })
	}},
	{"vscode", "VS Code", func(t target) (out []Snippet) {
		for _, w := range t.ways() {
			inner := w.typed(fromInput, "stdio", "http", "sse")
			if w.whole() {
				inner := asking(inner, w.open())
				byPage := link("https://vscode.dev/redirect/mcp/install?name=" + component(t.key) + "&config=" + component(string(compact(inner))))
				byPage.Via, byPage.Note = w.via, "The same by way of a web page, for places that allow no vscode: links."
				out = append(out, w.with(fromInput, link(vscodeLink(t, inner))), byPage)
			}
			out = append(out, w.with(fromInput, jsonFile(".vscode/mcp.json", inputsAndServers(t.key, inner, w.open()))))
			if w.whole() && len(w.open()) == 0 {
				out = append(out, w.with(fromInput, command("code --add-mcp "+quote(string(compact(named(t, inner)))))))
			}
		}
		return out
	}},
	{"visual-studio", "Visual Studio", func(t target) (out []Snippet) {
		for _, w := range t.ways() {
			inner := w.typed(fromInput, "stdio", "http", "sse")
			if w.whole() {
				out = append(out, w.with(fromInput, link("https://aka.ms/vs/mcp-install?"+component(string(compact(named(t, asking(inner, w.open()))))))))
			}
			out = append(out, w.with(fromInput, jsonFile(".mcp.json", inputsAndServers(t.key, inner, w.open()))))
		}
		return out
	}},
	plain("windsurf", "Windsurf", "~/.codeium/windsurf/mcp_config.json", "mcpServers", fromEnvPrefix, underServerURL),
	plain("antigravity", "Antigravity", "~/.gemini/antigravity/mcp_config.json", "mcpServers", placeholder, underServerURL),
	{"codex", "Codex", func(t target) (out []Snippet) {
		const file = "~/.codex/config.toml"
		for _, w := range t.ways() {
			if w.stdio != nil {
				out = append(out, w.with(fromEnvironment, command(codexAdd(t))),
					w.with(placeholder, Snippet{Kind: KindTOML, File: file, Text: codexTOML(t.key, w.stdio)}))
				continue
			}
			if w.remote.sse {
				continue
			}
			if line, ok := codexAddRemote(t.key, w.remote); ok && w.whole() {
				out = append(out, w.with(fromEnvironment, command(line)))
			}
			if text, ok := codexRemote(t.key, w.remote); ok {
				out = append(out, w.with(fromEnvironment, Snippet{Kind: KindTOML, File: file, Text: text}))
			}
		}
		return out
	}},
	{"gemini-cli", "Gemini CLI", func(t target) (out []Snippet) {
		for _, w := range t.ways() {
			if w.remote != nil && w.whole() && len(w.remote.headers) == 0 {
				out = append(out, w.with(fromDollar, command(geminiAdd(t.key, w.remote))))
			}
			inner := w.object(fromDollar, func(r *remote, style func(value) string) object {
				return remoteObject(httpOr(r, "httpUrl", "url"), r, style)
			})
			out = append(out, w.with(fromDollar, jsonFile("~/.gemini/settings.json", wrap("mcpServers", t.key, inner))))
		}
		return out
	}},
	{"copilot-cli", "Copilot CLI", func(t target) (out []Snippet) {
		for _, w := range t.ways() {
			inner := append(w.typed(placeholder, "local", "http", "sse"), member{"tools", []string{"*"}})
			out = append(out, w.with(placeholder, jsonFile("~/.copilot/mcp-config.json", wrap("mcpServers", t.key, inner))))
		}
		return out
	}},
	plain("zed", "Zed", "~/.config/zed/settings.json", "context_servers", placeholder, underURL),
	{"opencode", "OpenCode", func(t target) (out []Snippet) {
		for _, w := range t.ways() {
			var inner object
			if l := w.stdio; l != nil {
				inner = object{{"type", "local"}, {"command", append([]string{l.command}, texts(l.args, placeholder)...)}}
				if len(l.env) > 0 {
					inner = append(inner, member{"environment", envObject(l, fromBraces)})
				}
			} else {
				inner = typed("remote", w.object(fromBraces, underURL))
			}
			out = append(out, w.with(fromBraces, jsonFile("opencode.json", wrap("mcp", t.key, append(inner, member{"enabled", true})))))
		}
		return out
	}},
	plain("cline", "Cline", "cline_mcp_settings.json", "mcpServers", placeholder, func(r *remote, style func(value) string) object {
		return typed(httpOr(r, "streamableHttp", "sse"), remoteObject("url", r, style))
	}),
	plain("roo-code", "Roo Code", ".roo/mcp.json", "mcpServers", fromEnvPrefix, func(r *remote, style func(value) string) object {
		return typed(httpOr(r, "streamable-http", "sse"), remoteObject("url", r, style))
	}),
	{"kiro", "Kiro", func(t target) []Snippet {
		return linkAndFile(t, ".kiro/settings/mcp.json", placeholder, func(inner object) string {
			return "https://kiro.dev/launch/mcp/add?name=" + component(t.key) + "&config=" + component(string(compact(inner)))
		})
	}},
	{"lm-studio", "LM Studio", func(t target) []Snippet {
		return linkAndFile(t, "mcp.json", placeholder, func(inner object) string {
			return "lmstudio://add_mcp?name=" + component(t.key) + "&config=" + component(base64.StdEncoding.EncodeToString(compact(inner)))
		})
	}},
	{"goose", "Goose", func(t target) (out []Snippet) {
		about := "&id=" + component(t.key) + "&name=" + component(t.title)
		if t.description != "" {
			about += "&description=" + component(t.description)
		}
		for _, w := range t.ways() {
			switch l, r := w.stdio, w.remote; {
			case l != nil:
				address := "goose://extension?cmd=" + component(l.command)
				for _, a := range texts(l.args, placeholder) {
					address += "&arg=" + component(a)
				}
				s := link(address + about)
				s.Via, s.lacks = w.via, names(opened(l.env))
				for _, v := range opened(l.args) {
					s.replace = append(s.replace, placeholder(v))
				}
				out = append(out, s)
			case w.whole() && !r.sse && len(r.headers) == 0:
				out = append(out, w.with(placeholder, link("goose://extension?url="+component(r.url)+"&type=streamable_http"+about)))
			}
		}
		return out
	}},
	plain("amp", "Amp", "settings.json", "amp.mcpServers", placeholder, underURL),
}

// plain is a client with one file of {key: {name: {…}}}.
func plain(id, name, file, key string, style func(value) string, remote func(*remote, func(value) string) object) client {
	return client{id, name, func(t target) (out []Snippet) {
		for _, w := range t.ways() {
			out = append(out, w.with(style, jsonFile(file, wrap(key, t.key, w.object(style, remote)))))
		}
		return out
	}}
}

// linkAndFile is for clients that take the same object in a link and a file.
func linkAndFile(t target, file string, style func(value) string, address func(object) string) (out []Snippet) {
	for _, w := range t.ways() {
		inner := w.object(style, underURL)
		if w.whole() {
			out = append(out, w.with(style, link(address(inner))))
		}
		out = append(out, w.with(style, jsonFile(file, wrap("mcpServers", t.key, inner))))
	}
	return out
}

// inputsAndServers is the file that Microsoft's editors read.
func inputsAndServers(key string, inner object, open []value) object {
	var file object
	if inputs := inputsOf(open); len(inputs) > 0 {
		file = object{{"inputs", inputs}}
	}
	return append(file, wrap("servers", key, inner)...)
}

func httpOr(r *remote, http, sse string) string {
	if r.sse {
		return sse
	}
	return http
}

// stdioObject is {command, args, env}. Arguments are never filled in from the
// environment, which few clients do, but for VS Code's inputs.
func stdioObject(l *launch, style func(value) string) object {
	argStyle := placeholder
	if style(value{name: "x"}) == fromInput(value{name: "x"}) {
		argStyle = style
	}
	o := object{{"command", l.command}, {"args", texts(l.args, argStyle)}}
	if len(l.env) > 0 {
		o = append(o, member{"env", envObject(l, style)})
	}
	return o
}

func envObject(l *launch, style func(value) string) object {
	var o object
	for _, e := range l.env {
		o = append(o, member{e.name, e.text(style)})
	}
	return o
}

func remoteObject(key string, r *remote, style func(value) string) object {
	o := object{{key, r.url}}
	if len(r.headers) > 0 {
		o = append(o, member{"headers", r.headerObject(style)})
	}
	return o
}

// inputsOf are the questions that VS Code asks.
func inputsOf(open []value) []object {
	var out []object
	for _, v := range open {
		description := first(v.description, v.name)
		o := object{{"type", "promptString"}, {"id", v.name}, {"description", description}}
		if len(v.choices) > 0 && !v.secret {
			o = object{{"type", "pickString"}, {"id", v.name}, {"description", description}, {"options", v.choices}}
		} else if v.secret {
			o = append(o, member{"password", true})
		}
		out = append(out, o)
	}
	return out
}

// claudeAdd puts the name before -e, which would take it for a variable.
func claudeAdd(t target) string {
	line := "claude mcp add " + t.key
	for _, e := range t.stdio.env {
		line += " -e " + doubleQuoted(e.name+"=", e)
	}
	return line + " --scope user -- " + shellWords(t.stdio)
}

func claudeAddRemote(key string, r *remote) string {
	line := "claude mcp add --transport " + httpOr(r, "http", "sse") + " " + key + " " + quote(r.url)
	for i, v := range r.headers {
		line += " -H " + doubleQuoted(r.names[i]+": ", v)
	}
	return line
}

func codexAdd(t target) string {
	line := "codex mcp add " + t.key
	for _, e := range t.stdio.env {
		line += " --env " + doubleQuoted(e.name+"=", e)
	}
	return line + " -- " + shellWords(t.stdio)
}

// codexAddRemote is false where the command has no option for a header.
func codexAddRemote(key string, r *remote) (string, bool) {
	line := "codex mcp add " + key + " --url " + quote(r.url)
	for i, v := range r.headers {
		if !v.open || v.prefix != "Bearer " || !strings.EqualFold(r.names[i], "Authorization") {
			return "", false
		}
		line += " --bearer-token-env-var " + v.name
	}
	return line, !r.sse
}

func geminiAdd(key string, r *remote) string {
	return "gemini mcp add --transport " + httpOr(r, "http", "sse") + " -s user " + key + " " + quote(r.url)
}

func cursorLink(key string, inner object) string {
	return "cursor://anysphere.cursor-deeplink/mcp/install?name=" + component(key) + "&config=" + component(base64.StdEncoding.EncodeToString(compact(inner)))
}

func vscodeLink(t target, inner object) string {
	return "vscode:mcp/install?" + component(string(compact(named(t, inner))))
}

// asking adds the questions for what is open.
func asking(inner object, open []value) object {
	if inputs := inputsOf(open); len(inputs) > 0 {
		return append(slices.Clone(inner), member{"inputs", inputs})
	}
	return inner
}

func shellWords(l *launch) string {
	return shellLine(append([]string{l.command}, texts(l.args, placeholder)...))
}

// doubleQuoted is a word of which the open part comes from the user's shell.
func doubleQuoted(before string, v value) string {
	if !v.open {
		return quote(before + v.fixed)
	}
	fixed := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`", "!", `\!`).Replace(before + v.prefix)
	return `"` + fixed + shellVariable(v) + `"`
}

// codexTOML writes a table. A JSON string is a TOML basic string.
func codexTOML(key string, l *launch) string {
	var b strings.Builder
	b.WriteString("[mcp_servers." + key + "]\ncommand = " + tomlString(l.command) + "\nargs = [")
	for i, a := range texts(l.args, placeholder) {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(tomlString(a))
	}
	b.WriteString("]\n")
	if len(l.env) > 0 {
		var members []string
		for _, e := range l.env {
			members = append(members, e.name+" = "+tomlString(e.text(placeholder)))
		}
		b.WriteString("env = { " + strings.Join(members, ", ") + " }\n")
	}
	return b.String()
}

// codexRemote leaves secrets to environment variables; it is false where
// Codex could not send a header.
func codexRemote(key string, r *remote) (string, bool) {
	text := "[mcp_servers." + key + "]\nurl = " + tomlString(r.url) + "\n"
	var fixed, env []string
	for i, v := range r.headers {
		switch {
		case !v.open:
			fixed = append(fixed, tomlString(r.names[i])+" = "+tomlString(v.fixed))
		case v.prefix == "Bearer " && strings.EqualFold(r.names[i], "Authorization"):
			text += "bearer_token_env_var = " + tomlString(v.name) + "\n"
		case v.prefix == "":
			env = append(env, tomlString(r.names[i])+" = "+tomlString(v.name))
		default:
			return "", false
		}
	}
	if len(fixed) > 0 {
		text += "http_headers = { " + strings.Join(fixed, ", ") + " }\n"
	}
	if len(env) > 0 {
		text += "env_http_headers = { " + strings.Join(env, ", ") + " }\n"
	}
	return text, true
}

func tomlString(s string) string { return string(compact(s)) }

// An object is a JSON object whose members keep their order.
type object []member

type member struct {
	key   string
	value any
}

// compact is JSON.stringify of strings, bools, lists of strings, objects and
// lists of them: no spaces, and < > & as they are.
func compact(v any) []byte { return appendJSON(nil, v) }

func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return appendString(b, v)
	case bool:
		return strconv.AppendBool(b, v)
	case json.RawMessage:
		return append(b, v...)
	case []string:
		return appendList(b, v)
	case []object:
		return appendList(b, v)
	case object:
		b = append(b, '{')
		for i, m := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, m.key), ':')
			b = appendJSON(b, m.value)
		}
		return append(b, '}')
	}
	panic(fmt.Sprintf("install: no JSON of a %T", v))
}

func appendList[T any](b []byte, list []T) []byte {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, v)
	}
	return append(b, ']')
}

func appendString(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			var buf bytes.Buffer
			e := json.NewEncoder(&buf)
			e.SetEscapeHTML(false)
			if err := e.Encode(s); err != nil {
				panic("install: " + err.Error()) // strings always encode
			}
			return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

func indented(o object) string {
	var b bytes.Buffer
	if err := json.Indent(&b, compact(o), "", "  "); err != nil {
		panic("install: " + err.Error())
	}
	return b.String()
}

// component is encodeURIComponent.
func component(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(2 * len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-_.!~*'()", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}
