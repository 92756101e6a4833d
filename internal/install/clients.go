package install

import (
	"cmp"
	"encoding/base64"
	"slices"
)

// A client is an MCP client.
type client struct {
	id, name string
	snippets func(target, way) []Snippet
}

// clients are the known clients in display order.
var clients = []client{
	{"claude-desktop", "Claude Desktop", claudeDesktop},
	{"claude-code", "Claude Code", claudeCode},
	linkAndFile("cursor", "Cursor", "~/.cursor/mcp.json", fromEnvPrefix,
		func(t target, inner object) string { return cursorLink(t.key, inner) }),
	{"vscode", "VS Code", vscode},
	{"visual-studio", "Visual Studio", visualStudio},
	oneFile("windsurf", "Windsurf", "~/.codeium/windsurf/mcp_config.json", fromEnvPrefix,
		underKey("serverUrl")),
	oneFile("antigravity", "Antigravity", "~/.gemini/antigravity/mcp_config.json", asPlaceholder,
		underKey("serverUrl")),
	{"codex", "Codex", codex},
	{"gemini-cli", "Gemini CLI", gemini},
	{"copilot-cli", "Copilot CLI", copilot},
	oneFile("zed", "Zed", "~/.config/zed/settings.json", asPlaceholder, underKey("url")),
	{"opencode", "OpenCode", openCode},
	oneFile("cline", "Cline", "cline_mcp_settings.json", asPlaceholder,
		withType("streamableHttp", "sse")),
	oneFile("roo-code", "Roo Code", ".roo/mcp.json", fromEnvPrefix, withType("streamable-http", "sse")),
	linkAndFile("kiro", "Kiro", ".kiro/settings/mcp.json", asPlaceholder,
		func(t target, inner object) string {
			return "https://kiro.dev/launch/mcp/add?name=" + component(t.key) + "&config=" +
				jsonComponent(inner)
		}),
	linkAndFile("lm-studio", "LM Studio", "mcp.json", asPlaceholder,
		func(t target, inner object) string {
			return "lmstudio://add_mcp?name=" + component(t.key) + "&config=" + base64Component(inner)
		}),
	{"goose", "Goose", goose},
	oneFile("amp", "Amp", "settings.json", asPlaceholder, underKey("url")),
}

// oneFile returns a client with one configuration file {section: {name: {…}}}.
func oneFile(id, name, file string, s style, form remoteForm) client {
	return client{id, name, func(t target, w way) []Snippet {
		o := wrap(sectionOf(id), t.key, w.object(s, form))
		return []Snippet{w.snippet(s, jsonFile(file, o))}
	}}
}

// linkAndFile returns a client that accepts the same object in a link and in a file.
func linkAndFile(id, name, file string, s style, address func(target, object) string) client {
	return client{id, name, func(t target, w way) (out []Snippet) {
		inner := w.object(s, underKey("url"))
		if w.linkable() {
			out = append(out, w.snippet(s, link(address(t, inner))))
		}
		return append(out, w.snippet(s, jsonFile(file, wrap(sectionOf(id), t.key, inner))))
	}}
}

func link(address string) Snippet { return Snippet{Kind: KindLink, URL: address} }

func command(line string) Snippet { return Snippet{Kind: KindCommand, Text: line} }

func jsonFile(file string, o object) Snippet {
	return Snippet{Kind: KindJSON, File: file, Text: indented(o)}
}

// claudeDesktop connects to remotes from its vendor's servers, so it cannot reach the user's
// machine.
func claudeDesktop(t target, w way) []Snippet {
	switch {
	case w.stdio != nil:
		s := jsonFile("claude_desktop_config.json",
			wrap(sectionOf("claude-desktop"), t.key, w.stdio.object(asPlaceholder)))
		s.Note = "Settings → Developer → Edit Config opens the file."
		return []Snippet{w.snippet(asPlaceholder, s)}
	case w.via == ViaRemote && w.plainHTTP():
		return []Snippet{{
			Via: w.via, Kind: KindManual, Text: w.remote.url,
			Note: "Settings → Connectors → Add custom connector.",
		}}
	}
	return nil
}

func claudeCode(t target, w way) (out []Snippet) {
	inner := w.object(fromEnvironment, withType("http", "sse"))
	if w.stdio != nil {
		out = append(out, w.snippet(fromEnvironment, command(claudeAdd(t))))
	} else if w.linkable() {
		out = append(out, w.snippet(fromEnvironment, command(claudeAddRemote(t, w.remote))))
	}
	return append(out, w.snippet(fromEnvironment,
		jsonFile(".mcp.json", wrap(sectionOf("claude-code"), t.key, inner))))
}

// claudeAdd puts the name before -e, which would otherwise consume it.
func claudeAdd(t target) string {
	line := "claude mcp add " + t.key
	for _, e := range t.stdio.env {
		line += " -e " + t.expanded(e.name+"=", e)
	}
	return line + " --scope user -- " + t.stdio.shellLine()
}

func claudeAddRemote(t target, r *remote) string {
	line := "claude mcp add --transport " + r.either("http", "sse") + " " + t.key + " " + quote(r.url)
	for _, h := range r.headers {
		line += " -H " + t.expanded(h.name+": ", h.value)
	}
	return line
}

func cursorLink(key string, inner object) string {
	return "cursor://anysphere.cursor-deeplink/mcp/install?name=" + component(key) +
		"&config=" + base64Component(inner)
}

func base64Component(inner object) string {
	return component(base64.StdEncoding.EncodeToString(compact(inner)))
}

func vscode(t target, w way) (out []Snippet) {
	inner := w.typed(fromInput, "stdio")
	if w.linkable() {
		inner := asking(inner, w.open())
		web := link("https://vscode.dev/redirect/mcp/install?name=" + component(t.key) +
			"&config=" + jsonComponent(inner))
		web.Via, web.Note = w.via, "Use this if vscode: links are blocked."
		out = append(out, w.snippet(fromInput, link(vscodeLink(t, inner))), web)
	}
	out = append(out, w.snippet(fromInput,
		jsonFile(".vscode/mcp.json", inputsAndServers(t.key, inner, w.open()))))
	if w.linkable() && len(w.open()) == 0 {
		line := "code --add-mcp " + quote(string(compact(named(t, inner))))
		out = append(out, w.snippet(fromInput, command(line)))
	}
	return out
}

func vscodeLink(t target, inner object) string {
	return "vscode:mcp/install?" + jsonComponent(named(t, inner))
}

func visualStudio(t target, w way) (out []Snippet) {
	inner := w.typed(fromInput, "stdio")
	if w.linkable() {
		address := "https://aka.ms/vs/mcp-install?" + jsonComponent(named(t, asking(inner, w.open())))
		out = append(out, w.snippet(fromInput, link(address)))
	}
	return append(out, w.snippet(fromInput,
		jsonFile(".mcp.json", inputsAndServers(t.key, inner, w.open()))))
}

// asking adds the inputs for open values.
func asking(inner object, open []value) object {
	if inputs := inputsOf(open); len(inputs) > 0 {
		return append(slices.Clone(inner), member{"inputs", inputs})
	}
	return inner
}

// inputsAndServers returns the file of VS Code and Visual Studio.
func inputsAndServers(key string, inner object, open []value) object {
	var file object
	if inputs := inputsOf(open); len(inputs) > 0 {
		file = object{{"inputs", inputs}}
	}
	return append(file, wrap(sectionOf("vscode"), key, inner)...)
}

// inputsOf returns the inputs that VS Code prompts for.
func inputsOf(open []value) []object {
	var out []object
	for _, v := range open {
		description := cmp.Or(v.description, v.name)
		o := object{{"type", "promptString"}, {"id", v.name}, {"description", description}}
		if len(v.choices) > 0 && !v.secret {
			o = object{{"type", "pickString"}, {"id", v.name}, {"description", description},
				{"options", v.choices}}
		} else if v.secret {
			o = append(o, member{"password", true})
		}
		out = append(out, o)
	}
	return out
}

func codex(t target, w way) (out []Snippet) {
	const file = "~/.codex/config.toml"
	if w.stdio != nil {
		return []Snippet{
			w.snippet(fromEnvironment, command(codexAdd(t))),
			w.snippet(asPlaceholder,
				Snippet{Kind: KindTOML, File: file, Text: codexTOML(t.key, w.stdio)}),
		}
	}
	if w.remote.sse {
		return nil
	}
	if line, ok := codexAddRemote(t.key, w.remote); ok && w.linkable() {
		out = append(out, w.snippet(fromEnvironment, command(line)))
	}
	if text, ok := codexRemote(t.key, w.remote); ok {
		out = append(out, w.snippet(fromEnvironment, Snippet{Kind: KindTOML, File: file, Text: text}))
	}
	return out
}

func gemini(t target, w way) (out []Snippet) {
	if w.plainHTTP() {
		out = append(out, w.snippet(fromDollar, command(geminiAdd(t.key, w.remote))))
	}
	inner := w.object(fromDollar,
		func(r *remote, s style) object { return r.object(r.either("httpUrl", "url"), s) })
	return append(out, w.snippet(fromDollar,
		jsonFile("~/.gemini/settings.json", wrap(sectionOf("gemini-cli"), t.key, inner))))
}

func geminiAdd(key string, r *remote) string {
	return "gemini mcp add --transport " + r.either("http", "sse") + " -s user " + key + " " +
		quote(r.url)
}

func copilot(t target, w way) []Snippet {
	inner := append(w.typed(asPlaceholder, "local"), member{"tools", []string{"*"}})
	return []Snippet{w.snippet(asPlaceholder,
		jsonFile("~/.copilot/mcp-config.json", wrap(sectionOf("copilot-cli"), t.key, inner)))}
}

func openCode(t target, w way) []Snippet {
	var inner object
	if l := w.stdio; l != nil {
		words := append([]string{l.command}, texts(l.args, asPlaceholder)...)
		inner = object{{"type", "local"}, {"command", words}}
		if len(l.env) > 0 {
			inner = append(inner, member{"environment", l.envObject(fromBraces)})
		}
	} else {
		inner = typed("remote", w.remote.object("url", fromBraces))
	}
	inner = append(inner, member{"enabled", true})
	return []Snippet{w.snippet(fromBraces, jsonFile("opencode.json", wrap(sectionOf("opencode"), t.key, inner)))}
}

func goose(t target, w way) []Snippet {
	about := "&id=" + component(t.key) + "&name=" + component(t.title)
	if t.description != "" {
		about += "&description=" + component(t.description)
	}
	switch l, r := w.stdio, w.remote; {
	case l != nil:
		address := "goose://extension?cmd=" + component(l.command)
		for _, a := range texts(l.args, asPlaceholder) {
			address += "&arg=" + component(a)
		}
		s := link(address + about)
		s.Via, s.lacks = w.via, names(opened(l.env))
		for _, v := range opened(l.args) {
			s.replace = append(s.replace, asPlaceholder.of(v))
		}
		return []Snippet{s}
	case w.plainHTTP() && !r.sse:
		address := "goose://extension?url=" + component(r.url) + "&type=streamable_http" + about
		return []Snippet{w.snippet(asPlaceholder, link(address))}
	}
	return nil
}
