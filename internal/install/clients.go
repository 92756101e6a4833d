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
	Via    string `json:"via"`    // "package" or "remote"
	Kind   string `json:"kind"`
	Text   string `json:"text,omitempty"`
	URL    string `json:"url,omitempty"`
	File   string `json:"file,omitempty"` // where Text belongs, ~ being the user's home
	Note   string `json:"note,omitempty"`
}

// Clients returns how each known client is set up for s, by its first package
// that a client can start and by its first remote, best known clients first.
// It is empty for a server with neither.
func Clients(s *registry.Server) []Snippet {
	t := targetOf(s)
	var out []Snippet
	for _, c := range clients {
		out = append(out, c.of(t)...)
	}
	return out
}

// of returns the client's snippets with its name on them.
func (c client) of(t target) []Snippet {
	out := c.snippets(t)
	for i := range out {
		out[i].Client, out[i].Name = c.id, c.name
	}
	return out
}

func targetOf(s *registry.Server) target {
	t := target{key: Key(s), title: first(oneLine(s.Title), oneLine(s.Name), Key(s)), description: oneLine(s.Description)}
	for _, p := range s.Packages {
		if l, ok := launchOf(p); ok && (p.Transport.Type == registry.TransportStdio || p.Transport.Type == "") {
			t.stdio = &l
			break
		}
	}
	t.remote = remoteOf(t.key, s.Remotes)
	return t
}

// JSON returns the shortest way for each of the clients that take a link or a
// command, and the configuration that most others take, as
//
//	{"mcpServers": {…}, "claude-code": "claude mcp add …", "cursor": "cursor://…"}
//
// It is about a twentieth of all that Clients returns, and {} where that is
// nothing. A package comes before a remote.
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
	} else if r := t.remote; r != nil {
		transport := httpOr(r, "http", "sse")
		out = wrap("mcpServers", t.key, typed(transport, remoteObject("url", r, fromEnvironment)))
		if !r.open {
			add("claude-code", claudeAddRemote(t.key, r))
			add("cursor", cursorLink(t.key, remoteObject("url", r, fromEnvPrefix)))
			add("vscode", vscodeLink(t, asking(typed(transport, remoteObject("url", r, fromInput)), r.openHeaders())))
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
	remote                  *remote
}

type remote struct {
	sse     bool
	url     string
	open    bool    // the address has {variables} that the user must fill in
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
			address := template.ReplaceAllStringFunc(r.URL, func(m string) string {
				v := r.Variables[m[1:len(m)-1]]
				if text := first(v.Value, v.Default); text != "" && !v.IsSecret && safePart.MatchString(text) {
					return text
				}
				return m
			})
			u, err := url.Parse(template.ReplaceAllString(address, "x"))
			if err != nil || u.Scheme != "https" || u.User != nil || len(address) > 2000 || !sound(address) || !publicHost(u.Hostname()) || strings.ContainsAny(address, " \"'`\\") {
				continue
			}
			out := &remote{sse: transport == registry.TransportSSE, url: address, open: isTemplate(address)}
			if out.addHeaders(key, r.Headers) {
				return out
			}
		}
	}
	return nil
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
		v := value{description: oneLine(h.Description), secret: h.IsSecret}
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

// clients are the known clients, in the order in which they are shown.
var clients = []client{
	{"claude-desktop", "Claude Desktop", func(t target) (out []Snippet) {
		if t.stdio != nil {
			out = append(out, jsonFile("package", "claude_desktop_config.json", wrap("mcpServers", t.key, stdioObject(t.stdio, placeholder)),
				"Settings → Developer → Edit Config opens the file."+fillIn(t.stdio.open())))
		}
		if t.remote != nil && !t.remote.open && len(t.remote.headers) == 0 {
			out = append(out, Snippet{Via: "remote", Kind: KindManual, Text: t.remote.url, Note: "Settings → Connectors → Add custom connector."})
		}
		return out
	}},
	{"claude-code", "Claude Code", func(t target) (out []Snippet) {
		if t.stdio != nil {
			out = append(out, Snippet{Via: "package", Kind: KindCommand, Text: claudeAdd(t), Note: setFirst(t.stdio.open())},
				jsonFile("package", ".mcp.json", wrap("mcpServers", t.key, stdioObject(t.stdio, fromEnvironment)), setFirst(t.stdio.open())))
		}
		if r := t.remote; r != nil {
			if !r.open {
				out = append(out, Snippet{Via: "remote", Kind: KindCommand, Text: claudeAddRemote(t.key, r), Note: setFirst(r.openHeaders())})
			}
			out = append(out, jsonFile("remote", ".mcp.json", wrap("mcpServers", t.key, typed(httpOr(r, "http", "sse"), remoteObject("url", r, fromEnvironment))),
				setFirst(r.openHeaders())+fillAddress(r)))
		}
		return out
	}},
	{"cursor", "Cursor", func(t target) (out []Snippet) {
		if t.stdio != nil {
			inner := stdioObject(t.stdio, fromEnvPrefix)
			out = append(out, Snippet{Via: "package", Kind: KindLink, URL: cursorLink(t.key, inner), Note: setFirst(t.stdio.open())},
				jsonFile("package", "~/.cursor/mcp.json", wrap("mcpServers", t.key, inner), setFirst(t.stdio.open())))
		}
		if t.remote != nil {
			inner := remoteObject("url", t.remote, fromEnvPrefix)
			if !t.remote.open {
				out = append(out, Snippet{Via: "remote", Kind: KindLink, URL: cursorLink(t.key, inner), Note: setFirst(t.remote.openHeaders())})
			}
			out = append(out, jsonFile("remote", "~/.cursor/mcp.json", wrap("mcpServers", t.key, inner), setFirst(t.remote.openHeaders())+fillAddress(t.remote)))
		}
		return out
	}},
	{"vscode", "VS Code", func(t target) (out []Snippet) {
		each := func(via string, inner object, open []value, link bool, note string) {
			inputs := inputsOf(open)
			withInputs := asking(inner, open)
			if link {
				out = append(out,
					Snippet{Via: via, Kind: KindLink, URL: vscodeLink(t, withInputs)},
					Snippet{Via: via, Kind: KindLink, URL: "https://vscode.dev/redirect/mcp/install?name=" + component(t.key) + "&config=" + component(string(compact(withInputs))), Note: "The same by way of a web page, for places that allow no vscode: links."})
			}
			var file object
			if len(inputs) > 0 {
				file = object{{"inputs", inputs}}
			}
			out = append(out, jsonFile(via, ".vscode/mcp.json", append(file, wrap("servers", t.key, inner)...), note))
			if link && len(inputs) == 0 {
				out = append(out, Snippet{Via: via, Kind: KindCommand, Text: "code --add-mcp " + quote(string(compact(named(t, inner))))})
			}
		}
		if t.stdio != nil {
			each("package", typed("stdio", stdioObject(t.stdio, fromInput)), t.stdio.open(), true, "")
		}
		if t.remote != nil {
			each("remote", typed(httpOr(t.remote, "http", "sse"), remoteObject("url", t.remote, fromInput)), t.remote.openHeaders(), !t.remote.open, fillAddress(t.remote))
		}
		return out
	}},
	{"visual-studio", "Visual Studio", func(t target) (out []Snippet) {
		link := func(inner object, open []value) string {
			return "https://aka.ms/vs/mcp-install?" + component(string(compact(named(t, asking(inner, open)))))
		}
		if t.stdio != nil {
			out = append(out, Snippet{Via: "package", Kind: KindLink, URL: link(typed("stdio", stdioObject(t.stdio, fromInput)), t.stdio.open())})
		}
		if t.remote != nil && !t.remote.open {
			out = append(out, Snippet{Via: "remote", Kind: KindLink, URL: link(typed(httpOr(t.remote, "http", "sse"), remoteObject("url", t.remote, fromInput)), t.remote.openHeaders())})
		}
		return out
	}},
	plain("windsurf", "Windsurf", "~/.codeium/windsurf/mcp_config.json", "mcpServers", fromEnvPrefix, func(r *remote, style func(value) string) object { return remoteObject("serverUrl", r, style) }),
	plain("antigravity", "Antigravity", "~/.gemini/antigravity/mcp_config.json", "mcpServers", placeholder, func(r *remote, style func(value) string) object { return remoteObject("serverUrl", r, style) }),
	{"codex", "Codex", func(t target) (out []Snippet) {
		if t.stdio != nil {
			out = append(out, Snippet{Via: "package", Kind: KindCommand, Text: codexAdd(t), Note: setFirst(t.stdio.env)},
				Snippet{Via: "package", Kind: KindTOML, File: "~/.codex/config.toml", Text: codexTOML(t.key, t.stdio), Note: strings.TrimSpace(fillIn(t.stdio.open()))})
		}
		if r := t.remote; r != nil && !r.sse {
			if text, ok := codexRemote(t.key, r); ok {
				out = append(out, Snippet{Via: "remote", Kind: KindTOML, File: "~/.codex/config.toml", Text: text, Note: setFirst(r.openHeaders()) + fillAddress(r)})
			}
		}
		return out
	}},
	{"gemini-cli", "Gemini CLI", func(t target) (out []Snippet) {
		const file = "~/.gemini/settings.json"
		if t.stdio != nil {
			out = append(out, jsonFile("package", file, wrap("mcpServers", t.key, stdioObject(t.stdio, fromDollar)), setFirst(t.stdio.open())))
		}
		if r := t.remote; r != nil {
			if !r.open && len(r.headers) == 0 {
				out = append(out, Snippet{Via: "remote", Kind: KindCommand, Text: geminiAdd(t.key, r)})
			}
			out = append(out, jsonFile("remote", file, wrap("mcpServers", t.key, remoteObject(httpOr(r, "httpUrl", "url"), r, fromDollar)), setFirst(r.openHeaders())+fillAddress(r)))
		}
		return out
	}},
	{"copilot-cli", "Copilot CLI", func(t target) (out []Snippet) {
		const file = "~/.copilot/mcp-config.json"
		all := member{"tools", []string{"*"}}
		if t.stdio != nil {
			out = append(out, jsonFile("package", file, wrap("mcpServers", t.key, append(typed("local", stdioObject(t.stdio, placeholder)), all)), strings.TrimSpace(fillIn(t.stdio.open()))))
		}
		if r := t.remote; r != nil {
			out = append(out, jsonFile("remote", file, wrap("mcpServers", t.key, append(typed(httpOr(r, "http", "sse"), remoteObject("url", r, placeholder)), all)), strings.TrimSpace(fillIn(r.openHeaders())+fillAddress(r))))
		}
		return out
	}},
	plain("zed", "Zed", "~/.config/zed/settings.json", "context_servers", placeholder, func(r *remote, style func(value) string) object { return remoteObject("url", r, style) }),
	{"opencode", "OpenCode", func(t target) (out []Snippet) {
		on := member{"enabled", true}
		if l := t.stdio; l != nil {
			inner := object{{"type", "local"}, {"command", append([]string{l.command}, texts(l.args, placeholder)...)}}
			if len(l.env) > 0 {
				inner = append(inner, member{"environment", envObject(l, fromBraces)})
			}
			out = append(out, jsonFile("package", "opencode.json", wrap("mcp", t.key, append(inner, on)), setFirst(l.env)))
		}
		if r := t.remote; r != nil {
			out = append(out, jsonFile("remote", "opencode.json", wrap("mcp", t.key, append(typed("remote", remoteObject("url", r, fromBraces)), on)), setFirst(r.openHeaders())+fillAddress(r)))
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
		return linkAndFile(t, ".kiro/settings/mcp.json", func(inner object) string {
			return "https://kiro.dev/launch/mcp/add?name=" + component(t.key) + "&config=" + component(string(compact(inner)))
		})
	}},
	{"lm-studio", "LM Studio", func(t target) []Snippet {
		return linkAndFile(t, "mcp.json", func(inner object) string {
			return "lmstudio://add_mcp?name=" + component(t.key) + "&config=" + component(base64.StdEncoding.EncodeToString(compact(inner)))
		})
	}},
	{"goose", "Goose", func(t target) (out []Snippet) {
		about := "&id=" + component(t.key) + "&name=" + component(t.title)
		if t.description != "" {
			about += "&description=" + component(t.description)
		}
		if l := t.stdio; l != nil {
			link := "goose://extension?cmd=" + component(l.command)
			for _, a := range texts(l.args, placeholder) {
				link += "&arg=" + component(a)
			}
			out = append(out, Snippet{Via: "package", Kind: KindLink, URL: link + about, Note: strings.TrimSpace(fillIn(l.open()))})
		}
		if r := t.remote; r != nil && !r.open && !r.sse && len(r.headers) == 0 {
			out = append(out, Snippet{Via: "remote", Kind: KindLink, URL: "goose://extension?url=" + component(r.url) + "&type=streamable_http" + about})
		}
		return out
	}},
	plain("amp", "Amp", "settings.json", "amp.mcpServers", placeholder, func(r *remote, style func(value) string) object { return remoteObject("url", r, style) }),
}

// plain is a client with one file of {key: {name: {…}}}.
func plain(id, name, file, key string, style func(value) string, ofRemote func(*remote, func(value) string) object) client {
	note := func(open []value) string {
		// What a client fills in by itself has to be set for it.
		if len(open) > 0 && style(open[0]) != placeholder(open[0]) {
			return setFirst(open)
		}
		return strings.TrimSpace(fillIn(open))
	}
	return client{id, name, func(t target) (out []Snippet) {
		if t.stdio != nil {
			out = append(out, jsonFile("package", file, wrap(key, t.key, stdioObject(t.stdio, style)), note(t.stdio.open())))
		}
		if t.remote != nil {
			out = append(out, jsonFile("remote", file, wrap(key, t.key, ofRemote(t.remote, style)), strings.TrimSpace(note(t.remote.openHeaders())+fillAddress(t.remote))))
		}
		return out
	}}
}

// linkAndFile is for clients that take the same object in a link and a file.
func linkAndFile(t target, file string, link func(object) string) (out []Snippet) {
	add := func(via string, inner object, asLink bool, note string) {
		if asLink {
			out = append(out, Snippet{Via: via, Kind: KindLink, URL: link(inner), Note: note})
		}
		out = append(out, jsonFile(via, file, wrap("mcpServers", t.key, inner), note))
	}
	if t.stdio != nil {
		add("package", stdioObject(t.stdio, placeholder), true, strings.TrimSpace(fillIn(t.stdio.open())))
	}
	if r := t.remote; r != nil {
		add("remote", remoteObject("url", r, placeholder), !r.open, strings.TrimSpace(fillIn(r.openHeaders())+fillAddress(r)))
	}
	return out
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

func jsonFile(via, file string, o object, note string) Snippet {
	return Snippet{Via: via, Kind: KindJSON, File: file, Text: indented(o), Note: strings.TrimSpace(note)}
}

// fillIn says which placeholders to replace.
func fillIn(open []value) string {
	if len(open) == 0 {
		return ""
	}
	names := make([]string, len(open))
	for i, v := range open {
		names[i] = placeholder(v)
	}
	return " Replace " + strings.Join(names, ", ") + "."
}

// setFirst says which environment variables must be set.
func setFirst(open []value) string {
	var names []string
	for _, v := range open {
		if v.open {
			names = append(names, v.name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "Set " + strings.Join(names, ", ") + " in your environment first."
}

func fillAddress(r *remote) string {
	if !r.open {
		return ""
	}
	return " Replace what stands in brackets in the address."
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
