package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"mcpcensus/crawler/serverjson"
	"mcpcensus/internal/registry"
)

// The generator of configurations knows what it writes. It shares no code with the reader.

// A part is one fact of a configuration, as its author wrote it.
type part struct {
	kind  string // "variable", "argument", "option", "docker", "header" or "address"
	name  string // of the variable, header or option
	value string // as written; "" for a switch, and for the argument that is name
	// kept reports that the value is for everybody, so it must not become a value to fill in.
	kept bool
	// private is a text in the value that no output may contain, "" for none.
	private string
	joined  bool // an option written as --name=value
}

// words are the words of an argument or option on a command line.
func (p part) words() []string {
	switch {
	case p.value == "":
		return []string{p.name}
	case p.joined:
		return []string{p.name + "=" + p.value}
	}
	return []string{p.name, p.value}
}

func (p part) String() string {
	return strings.TrimSpace(p.kind + " " + strings.Join(p.words(), " "))
}

// An authored is a repository with one configuration.
type authored struct {
	owner, name string
	form        string // how the configuration is written, one of the keys of forms
	kind        string // "npm", "pypi", "oci" or "remote"
	id          string // of the package, or the URL
	parts       []part
	files       map[string]string
	listing     *registry.Listing
}

// source is the kind of source that has the configuration.
func (a *authored) source() string {
	switch {
	case strings.HasSuffix(a.form, "bridge"):
		return "bridge"
	case strings.HasPrefix(a.form, "README"):
		return "README"
	case a.form == "server.json" || a.form == "registry entry":
		return a.form
	}
	return "extension file"
}

func (a *authored) title() string { return strings.ToUpper(a.name[:1]) + a.name[1:] }

func (a *authored) of(kinds ...string) (out []part) {
	for _, p := range a.parts {
		if slices.Contains(kinds, p.kind) {
			out = append(out, p)
		}
	}
	return out
}

// An author writes configurations from a random source.
type author struct{ *rand.Rand }

func (g author) text(length int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	b := make([]byte, length)
	for i := range b {
		if b[i] = letters[g.IntN(len(letters))]; i%5 == 2 {
			b[i] = '0' + byte(g.IntN(10))
		}
	}
	return string(b)
}

func choose[T any](g author, all ...T) T { return all[g.IntN(len(all))] }

// secret returns a made-up key in a form that a service uses.
func (g author) secret() string {
	return choose(g, "ghp_"+g.text(36), "sk-live-"+g.text(28), "sk-proj-"+g.text(44), "xoxb-"+
		fmt.Sprint(100000000000+g.IntN(899999999999))+"-"+g.text(24), "AIza"+g.text(35), "glpat-"+g.text(20))
}

// person returns a name that occurs only once.
func (g author) person() string {
	return choose(g, "ann", "bob", "carol", "dmitri", "eve", "farid") +
		choose(g, "berg", "lund", "mori", "novak", "okoye") + fmt.Sprint(g.IntN(1000))
}

func (g author) home() (path, private string) {
	who := g.person()
	return choose(g, "/Users/"+who+"/notes", "/home/"+who+"/work/data", `C:\Users\`+who+`\Documents`), who
}

func (g author) privateHost() string {
	return choose(g, fmt.Sprintf("192.168.%d.%d", g.IntN(250), 1+g.IntN(250)),
		fmt.Sprintf("10.%d.%d.%d", g.IntN(250), g.IntN(250), 1+g.IntN(250)),
		fmt.Sprintf("172.17.%d.%d", g.IntN(250), 1+g.IntN(250)),
		"nas"+fmt.Sprint(g.IntN(1000))+".local", "db"+fmt.Sprint(g.IntN(1000))+".corp.internal")
}

// named returns a host if it is a name. An address in a private network names nobody: it may be an
// example, but no value.
func named(host string) string {
	if strings.Trim(host, "0123456789.") == "" {
		return ""
	}
	return host
}

// variable returns a random variable whose name starts with prefix.
func (g author) variable(prefix string) part {
	p := part{kind: "variable"}
	switch g.IntN(12) {
	case 0, 1:
		p.name, p.value = prefix+"_API_KEY", choose(g, "your-api-key", "YOUR_API_KEY", "<your key>", "sk-...", "xxx", "")
	case 2:
		p.name, p.value = prefix+choose(g, "_TOKEN", "_SECRET", "_PASSWORD"), g.secret()
		p.private = p.value
	case 3:
		p.name, p.value = prefix+"_SETTING", g.secret() // the name does not say that it is secret
		p.private = p.value
	case 4:
		host := g.privateHost()
		p.private = named(host)
		p.name, p.value = prefix+"_URL", "http://"+host+choose(g, ":8200", "/api", "")
	case 5:
		p.name = prefix + choose(g, "_DIR", "_CONFIG")
		p.value, p.private = g.home()
	case 6:
		p.private = g.person() + "@acme-corp.io"
		p.name, p.value = prefix+choose(g, "_EMAIL", "_LOGIN"), p.private
	case 7:
		p.private = g.text(14)
		p.name, p.value = prefix+choose(g, "_DSN", "_DATABASE_URL"), "postgres://admin:"+p.private+"@db.example.com:5432/app"
	case 8:
		p.name, p.value = "NODE_OPTIONS", "--no-warnings"
		if g.IntN(2) == 0 {
			p.name, p.value = "PYTHONPATH", "/app"
		}
	case 9:
		p.name, p.value = prefix+"_ORG", choose(g, "your-org", "org_name", "my-org", "<org>")
	default:
		p.name = choose(g, "LOG_LEVEL", prefix+"_MODE", prefix+"_REGION")
		p.value, p.kept = choose(g, "info", "debug", "fast"), true
	}
	return p
}

// argument returns a random argument or option of the server.
func (g author) argument() part {
	p := part{kind: "option", joined: g.IntN(2) == 0}
	switch g.IntN(9) {
	case 0:
		p.name, p.value = "--api-key", g.secret()
		p.private = p.value
	case 1:
		p.name, p.value = "--token", choose(g, "YOUR_TOKEN", "<token>")
	case 2:
		p.name = choose(g, "--data", "--root")
		p.value, p.private = g.home()
	case 3:
		host := g.privateHost()
		p.private = named(host)
		p.name, p.value = "--host-url", "http://"+host+":9000"
	case 4:
		p.private = g.person() + "@acme-corp.io"
		p.name, p.value = "--account", p.private
	case 5:
		p.kind, p.kept, p.joined = "argument", true, false
		p.name = choose(g, "--read-only", "--verbose", "--no-cache")
	case 6:
		p.kind, p.joined = "argument", false
		p.name, p.private = g.home()
	default:
		p.name, p.value, p.kept = "--region", "eu", true
		if g.IntN(2) == 0 {
			p.name, p.value = "--limit", "50"
		}
	}
	return p
}

// docker returns a random option of "docker run" and what is left of it.
func (g author) docker() part {
	p := part{kind: "docker", joined: g.IntN(2) == 0}
	switch g.IntN(8) {
	case 0, 1:
		path, who := g.home()
		p.name, p.private = "--volume", who
		p.value = strings.ReplaceAll(strings.TrimPrefix(path, "C:"), `\`, "/") + ":/data" + choose(g, "", ":ro")
	case 2:
		p.name, p.value = "--volume", "${HOME}/.tool:/root/.tool"
	case 3:
		path, who := g.home()
		p.name, p.private = "--mount", who
		p.value = "type=bind,src=" + strings.ReplaceAll(strings.TrimPrefix(path, "C:"), `\`, "/") + ",dst=/work"
	case 4:
		p.name, p.value, p.kept = "--publish", "8080:8080", true
	case 5:
		p.name, p.value, p.kept = "--network", choose(g, "host", "bridge"), true
	case 6:
		p.name, p.value, p.kept = choose(g, "--user", "--gpus", "--privileged", "--init"), "", true
		if p.name == "--user" {
			p.value = "1000:1000"
		} else if p.name == "--gpus" {
			p.value = "all"
		}
	default:
		p.name, p.value, p.kept = "--add-host", "host.docker.internal:host-gateway", true
	}
	return p
}

// header returns a random header of a remote.
func (g author) header(prefix string) part {
	p := part{kind: "header", name: "Authorization"}
	switch g.IntN(5) {
	case 0:
		p.private = g.secret()
		p.value = "Bearer " + p.private
	case 1:
		p.value = "Bearer ${" + prefix + "_TOKEN}"
	case 2:
		p.value = "Bearer " + choose(g, "YOUR_TOKEN", "<token>")
	case 3:
		p.name, p.value = "X-Api-Key", choose(g, "YOUR_KEY", "${"+prefix+"_KEY}")
	default:
		p.name, p.value, p.kept = "X-Region", "eu", true
	}
	return p
}

// A form is a way to write a configuration.
type form struct {
	kinds []string
	write func(author, *authored)
}

var packageKinds = []string{"npm", "pypi", "oci"}

// forms are the sources that a server's configuration is read from, by name.
var forms = map[string]form{
	"README mcpServers": {append(packageKinds, "remote"), func(_ author, a *authored) {
		a.readme("```json\n" + indentedJSON(under("mcpServers", a.name, a.client())) + "\n```")
	}},
	"README VS Code": {append(packageKinds, "remote"), func(_ author, a *authored) {
		c, inputs := a.client(), []any{}
		if env, ok := c["env"].(map[string]string); ok {
			for name, value := range env {
				if strings.HasPrefix(strings.ToLower(value), "your") {
					env[name] = "${input:" + strings.ToLower(name) + "}"
					inputs = append(inputs, map[string]any{"type": "promptString", "id": strings.ToLower(name),
						"description": "Value of " + name, "password": true})
				}
			}
		}
		all := under("servers", a.name, c)
		all["inputs"] = inputs
		a.readme("Add this to `.vscode/mcp.json`:\n\n```json\n" + indentedJSON(all) + "\n```")
	}},
	"README Zed": {[]string{"npm", "pypi"}, func(_ author, a *authored) {
		a.readme("For Zed:\n\n```json\n" + indentedJSON(under("context_servers", a.name, a.client())) + "\n```")
	}},
	"README TOML": {packageKinds, func(_ author, a *authored) {
		command := a.command()
		text := "[mcp_servers." + a.name + "]\ncommand = " + quotedJSON(command[0]) + "\nargs = " + quotedJSON(command[1:]) + "\n"
		if env := a.environment(); len(env) > 0 {
			text += "\n[mcp_servers." + a.name + ".env]\n"
			for _, name := range slices.Sorted(maps.Keys(env)) {
				text += name + " = " + quotedJSON(env[name]) + "\n"
			}
		}
		a.readme("In `~/.codex/config.toml`:\n\n```toml\n" + text + "```")
	}},
	"README TOML remote": {[]string{"remote"}, func(_ author, a *authored) {
		text, fixed, named := "url = "+quotedJSON(a.address())+"\n", map[string]string{}, map[string]string{}
		for _, h := range a.of("header") {
			variable, isToken := strings.CutPrefix(h.value, "Bearer ${")
			switch {
			case isToken:
				text += "bearer_token_env_var = " + quotedJSON(strings.TrimSuffix(variable, "}")) + "\n"
			case strings.HasPrefix(h.value, "${"):
				named[h.name] = strings.Trim(h.value, "${}")
			default:
				fixed[h.name] = h.value
			}
		}
		text += "http_headers = " + inlineTOML(fixed) + "\nenv_http_headers = " + inlineTOML(named) + "\n"
		a.readme("```toml\n# ~/.codex/config.toml\n[mcp_servers." + a.name + "]\n" + text + "```")
	}},
	"README goose": {append(packageKinds, "remote"), func(g author, a *authored) {
		c := a.client()
		if a.kind == "remote" {
			c["uri"], c["type"] = a.address(), choose(g, "streamable_http")
			if a.transport() == "sse" {
				c["type"] = "sse"
			}
			delete(c, "url")
		} else {
			c["cmd"], c["envs"], c["type"], c["enabled"], c["timeout"] = c["command"], c["env"], "stdio", true, 300
			delete(c, "command")
			delete(c, "env")
		}
		a.readme(choose(g, "```yaml\n", "```\n# config.yaml\n") + "extensions:\n  " + a.name + ":\n" + yamlMembers("    ", c) + "```")
	}},
	"README Continue": {append(packageKinds, "remote"), func(_ author, a *authored) {
		c := a.client()
		if c["headers"] != nil {
			c["requestOptions"] = map[string]any{"headers": c["headers"]}
			delete(c, "headers")
		}
		if a.kind == "remote" {
			c["type"] = a.transport()
		}
		a.readme("```yaml\nname: " + a.title() + "\nschema: v1\nmcpServers:\n  - name: " + a.name + "\n" + yamlMembers("    ", c) + "```")
	}},
	"README headers in other forms": {[]string{"remote"}, func(g author, a *authored) {
		c, list := a.client(), []any{}
		for _, h := range a.of("header") {
			list = append(list, choose[any](g, map[string]any{"name": h.name, "value": h.value}, h.name+": "+h.value))
		}
		if c["headers"] != nil && g.IntN(2) == 0 {
			c["requestInit"] = map[string]any{"headers": c["headers"]}
			delete(c, "headers")
		} else {
			c["headers"] = list
		}
		a.readme("```json\n" + indentedJSON(under("mcpServers", a.name, c)) + "\n```")
	}},
	"README add-json": {append(packageKinds, "remote"), func(g author, a *authored) {
		c := a.client()
		line := "claude mcp add-json " + a.name + " '"
		if g.IntN(2) == 0 {
			c["name"], line = a.name, "code --add-mcp '"
		}
		a.readme("```bash\n" + line + choose(g, indentedJSON(c), quotedJSON(c)) + "'\n```")
	}},
	"README gemini mcp add": {append(packageKinds, "remote"), func(_ author, a *authored) { a.addition("gemini", "-e", "", "--transport") }},
	"README codex mcp add":  {packageKinds, func(_ author, a *authored) { a.addition("codex", "--env", "--", "") }},
	"README amp mcp add":    {packageKinds, func(_ author, a *authored) { a.addition("amp", "--env", "--", "") }},
	"README droid mcp add": {[]string{"npm", "pypi", "remote"}, func(_ author, a *authored) {
		if a.kind == "remote" {
			a.addition("droid", "--env", "", "--type")
			return
		}
		line := "droid mcp add " + a.name + " " + quotedJSON(strings.Join(a.command(), " "))
		for name, value := range a.environment() {
			line += " --env " + name + "=" + shellQuoted(value)
		}
		a.readme("```bash\n" + line + "\n```")
	}},
	"README claude mcp add": {append(packageKinds, "remote"), func(_ author, a *authored) { a.addition("claude", "-e", "--", "--transport") }},
	"README deep link": {[]string{"npm", "pypi", "remote"}, func(_ author, a *authored) {
		config := base64.StdEncoding.EncodeToString([]byte(quotedJSON(a.client())))
		a.readme("[Add to Cursor](https://cursor.com/install-mcp?name=" + a.name + "&config=" + config + ")")
	}},
	"README docker run": {[]string{"oci"}, func(_ author, a *authored) {
		line := "docker run -i --rm"
		for _, w := range a.dockerWords() {
			line += " " + shellQuoted(w)
		}
		env := a.environment()
		for _, name := range slices.Sorted(maps.Keys(env)) {
			line += " -e " + name + "=" + shellQuoted(env[name])
		}
		line += " " + a.id
		for _, w := range a.arguments() {
			line += " " + shellQuoted(w)
		}
		a.readme("Start the MCP server:\n\n```bash\n" + line + "\n```")
	}},
	"README bridge": {[]string{"remote"}, func(g author, a *authored) {
		args := []string{"-y", choose(g, "mcp-remote", "mcp-remote@latest"), a.address()}
		for _, h := range a.of("header") {
			if g.IntN(2) == 0 {
				args = append(args, "--header", h.name+": "+h.value)
			} else {
				args = append(args, "--header", h.name+":"+h.value)
			}
		}
		a.readme("```json\n" + indentedJSON(under("mcpServers", a.name, map[string]any{"command": "npx", "args": args})) + "\n```")
	}},
	"README other bridge": {[]string{"remote"}, func(g author, a *authored) {
		args := []string{"-y", "supergateway", map[string]string{"http": "--streamableHttp", "sse": "--sse"}[a.clientType()], a.address()}
		for _, h := range a.of("header") {
			args = append(args, "--header", h.name+": "+h.value)
		}
		command := "npx"
		if g.IntN(2) == 0 {
			command, args = "uvx", []string{"mcp-proxy"}
			if a.transport() != "sse" {
				args = append(args, "--transport", "streamablehttp")
			}
			for _, h := range a.of("header") {
				args = append(args, "--headers", h.name, h.value)
			}
			args = append(args, a.address())
		}
		a.readme("```json\n" + indentedJSON(under("mcpServers", a.name, map[string]any{"command": command, "args": args})) + "\n```")
	}},
	"server.json":    {append(packageKinds, "remote"), func(_ author, a *authored) { a.files["server.json"] = indentedJSON(a.serverJSON()) }},
	"registry entry": {append(packageKinds, "remote"), writeEntry},
	"gemini-extension.json": {[]string{"npm", "pypi", "remote"}, func(_ author, a *authored) {
		all := under("mcpServers", a.name, a.client())
		all["name"], all["version"] = a.name, "1.0.0"
		a.files["gemini-extension.json"] = indentedJSON(all)
	}},
	".mcp.json": {[]string{"npm", "pypi", "remote"}, func(_ author, a *authored) {
		a.files[".mcp.json"] = indentedJSON(under("mcpServers", a.name, a.client()))
	}},
	".vscode/mcp.json": {[]string{"npm", "pypi", "remote"}, func(_ author, a *authored) {
		a.files[".vscode/mcp.json"] = indentedJSON(under("servers", a.name, a.client()))
	}},
	".cursor/mcp.json": {[]string{"npm", "pypi", "remote"}, func(_ author, a *authored) {
		a.files[".cursor/mcp.json"] = indentedJSON(under("mcpServers", a.name, a.client()))
	}},
	"plugin.json": {[]string{"npm", "pypi", "remote"}, func(_ author, a *authored) {
		all := under("mcpServers", a.name, a.client())
		all["name"], all["version"] = a.name, "1.0.0"
		a.files[".claude-plugin/plugin.json"] = indentedJSON(all)
	}},
	"manifest.json": {[]string{"npm", "pypi"}, writeBundle},
	"smithery.yaml": {[]string{"npm", "pypi"}, writeSmithery},
}

// writeEntry publishes the configuration in the official registry, and names the package in the README.
func writeEntry(_ author, a *authored) {
	entry := quotedJSON(map[string]any{"server": a.serverJSON(), "_meta": map[string]any{
		"io.modelcontextprotocol.registry/official": map[string]any{"status": "active", "isLatest": true,
			"publishedAt": "2026-10-01T00:00:00Z", "updatedAt": "2026-10-01T00:00:00Z"}}})
	parsed, err := serverjson.ParseEntry([]byte(entry))
	if err != nil {
		panic(err)
	}
	a.listing = &parsed.Listing
	if a.kind != "remote" {
		a.readme("The package is `" + a.id + "`.")
	}
}

// writeBundle writes the manifest of a bundle, whose users are asked for what is not for everybody.
func writeBundle(_ author, a *authored) {
	user, env := map[string]any{}, map[string]string{}
	for _, p := range a.of("variable") {
		if env[p.name] = p.value; !p.kept && p.private == "" && p.name != "NODE_OPTIONS" && p.name != "PYTHONPATH" {
			key := strings.ToLower(p.name)
			user[key] = map[string]any{"type": "string", "title": p.name, "required": true,
				"sensitive": strings.Contains(key, "key")}
			env[p.name] = "${user_config." + key + "}"
		}
	}
	command := a.command()
	a.files["manifest.json"] = indentedJSON(map[string]any{"manifest_version": "0.2", "name": a.name,
		"version": "1.2.0", "description": "Answers for assistants", "author": map[string]any{"name": a.owner},
		"server": map[string]any{"type": "node", "entry_point": "index.js",
			"mcp_config": map[string]any{"command": command[0], "args": command[1:], "env": env}},
		"user_config": user})
}

// writeSmithery writes a smithery.yaml, whose function sets the variables.
func writeSmithery(_ author, a *authored) {
	var set []string
	properties := map[string]any{}
	for _, p := range a.of("variable") {
		key := strings.ToLower(strings.ReplaceAll(p.name, "_", ""))
		properties[key] = map[string]any{"type": "string", "description": "Value of " + p.name}
		if p.kept || p.private != "" {
			properties[key].(map[string]any)["default"] = p.value
		}
		set = append(set, p.name+": config."+key)
	}
	command := a.command()
	a.files["smithery.yaml"] = indentedJSON(map[string]any{"startCommand": map[string]any{"type": "stdio",
		"configSchema": map[string]any{"type": "object", "properties": properties},
		"commandFunction": "(config) => ({ command: " + quotedJSON(command[0]) + ", args: " + quotedJSON(command[1:]) +
			", env: { " + strings.Join(set, ", ") + " } })"}})
}

// addition writes the command that adds the server to a client, with its option of variables, the
// word before the server's command, and the option of the transport, which follows the URL unless
// the client has that word.
func (a *authored) addition(client, env, dashes, kind string) {
	line := client + " mcp add " + a.name
	if a.kind == "remote" {
		option := kind + " " + a.clientType() + " "
		if line += " " + shellQuoted(a.address()) + " " + option; dashes != "" {
			line = client + " mcp add " + option + a.name + " " + shellQuoted(a.address())
		}
		for _, h := range a.of("header") {
			line += ` --header "` + h.name + ": " + h.value + `"`
		}
	} else {
		all := a.environment()
		for _, name := range slices.Sorted(maps.Keys(all)) {
			line += " " + env + " " + name + "=" + shellQuoted(all[name])
		}
		line += " " + dashes
		for _, w := range a.command() {
			line += " " + shellQuoted(w)
		}
	}
	a.readme("```bash\n" + line + "\n```")
}

// readme adds a section to the README.
func (a *authored) readme(section string) {
	a.files["README.md"] += "\n## Configuration\n\n" + section + "\n"
}

// address is the URL of the remote with its query.
func (a *authored) address() string {
	address := a.id
	if a.transport() == "sse" {
		address = strings.TrimSuffix(address, "mcp") + "sse"
	}
	for _, p := range a.of("place") {
		before, after, _ := strings.Cut(address, ".dev/")
		if address = before + ".dev/{" + p.name + "}/" + after; p.name == "region" {
			address = strings.Replace(before, "mcp.", "{region}.", 1) + ".dev/" + after
		}
	}
	for _, p := range a.of("address") {
		address += "?" + p.name + "=" + p.value
	}
	return address
}

func (a *authored) transport() string {
	for _, p := range a.of("transport") {
		return p.value
	}
	return "stdio"
}

// clientType is the name of the transport in clients.
func (a *authored) clientType() string {
	if a.transport() == "sse" {
		return "sse"
	}
	return "http"
}

func (a *authored) arguments() (out []string) {
	for _, p := range a.of("argument", "option") {
		out = append(out, p.words()...)
	}
	return out
}

// shortOptions are those that "docker run" has for long ones.
var shortOptions = map[string]string{"--volume": "-v", "--publish": "-p", "--user": "-u"}

func (a *authored) dockerWords() (out []string) {
	for i, p := range a.of("docker") {
		if short, ok := shortOptions[p.name]; ok && i%2 == 0 {
			p.name, p.joined = short, false
		}
		out = append(out, p.words()...)
	}
	return out
}

func (a *authored) environment() map[string]string {
	out := map[string]string{}
	for _, p := range a.of("variable") {
		out[p.name] = p.value
	}
	return out
}

// command is the command line that starts the package.
func (a *authored) command() []string {
	switch a.kind {
	case "npm":
		return slices.Concat([]string{"npx", "-y", a.id}, a.arguments())
	case "pypi":
		return slices.Concat([]string{"uvx", a.id}, a.arguments())
	}
	words := slices.Concat([]string{"docker", "run", "-i", "--rm"}, a.dockerWords())
	for _, name := range slices.Sorted(maps.Keys(a.environment())) {
		words = append(words, "-e", name)
	}
	return slices.Concat(words, []string{a.id}, a.arguments())
}

// client is the object of a client's configuration.
func (a *authored) client() map[string]any {
	if a.kind == "remote" {
		o := map[string]any{"type": a.clientType(), "url": a.address()}
		headers := map[string]string{}
		for _, h := range a.of("header") {
			headers[h.name] = h.value
		}
		if len(headers) > 0 {
			o["headers"] = headers
		}
		if len(headers) == 0 && len(a.parts)%3 == 0 {
			o["oauth"] = map[string]any{"clientId": "abc"}
			a.parts = append(a.parts, part{kind: "member", name: "oauth.clientId"})
		}
		return o
	}
	command := a.command()
	o := map[string]any{"command": command[0], "args": command[1:]}
	if len(a.parts)%3 == 0 {
		o["cwd"] = "./server"
		a.parts = append(a.parts, part{kind: "member", name: "cwd"})
	}
	if env := a.environment(); len(env) > 0 {
		o["env"] = env
	}
	return o
}

// serverJSON is the server.json of the configuration.
func (a *authored) serverJSON() map[string]any {
	o := map[string]any{
		"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":    "io.github." + a.owner + "/" + a.name, "description": "Answers for assistants", "version": "1.2.0",
		"repository": map[string]any{"url": "https://github.com/" + a.owner + "/" + a.name, "source": "github"},
	}
	value := func(p part, member string) map[string]any {
		v := map[string]any{"name": p.name, "isRequired": !p.kept, "description": "Value of " + p.name}
		if p.kept || p.private != "" {
			v[member] = p.value
		}
		return v
	}
	if a.kind == "remote" {
		remote := map[string]any{"type": a.transport(), "url": a.address()}
		for _, p := range a.of("place") {
			remote["variables"] = map[string]any{p.name: map[string]any{"isRequired": true, "description": "Your " + p.name}}
		}
		var headers []any
		for _, h := range a.of("header") {
			headers = append(headers, value(h, "value"))
		}
		if headers != nil {
			remote["headers"] = headers
		}
		o["remotes"] = []any{remote}
		return o
	}
	var env []any
	for i, p := range a.of("variable") {
		env = append(env, value(p, []string{"default", "value", "placeholder"}[i%3]))
	}
	args := func(parts []part) (out []any) {
		for _, p := range parts {
			o := map[string]any{"type": "named", "name": p.name}
			switch {
			case p.kind == "argument" && !p.kept:
				o = map[string]any{"type": "positional", "value": p.name}
			case p.value != "":
				o["value"] = p.value
			}
			out = append(out, o)
		}
		return out
	}
	p := map[string]any{"registryType": a.kind, "identifier": a.id, "transport": map[string]any{"type": "stdio"},
		"environmentVariables": env, "packageArguments": args(a.of("argument", "option")),
		"runtimeArguments": args(a.of("docker"))}
	if a.kind != "oci" {
		p["version"] = "1.2.0"
	}
	maps.DeleteFunc(p, func(_ string, v any) bool { list, ok := v.([]any); return ok && len(list) == 0 })
	o["packages"] = []any{p}
	return o
}

// author returns the n-th configuration.
func newAuthored(n int) *authored {
	g := author{rand.New(rand.NewPCG(28, uint64(n)))}
	names := slices.Sorted(maps.Keys(forms))
	a := &authored{owner: choose(g, "bora", "castor", "delphi") + "-labs", form: names[n%len(names)],
		name: fmt.Sprintf("%s-%d", choose(g, "quay", "loom", "helm", "forge", "plover"), n)}
	f := forms[a.form]
	a.kind = f.kinds[n/len(names)%len(f.kinds)]
	prefix := strings.ToUpper(strings.SplitN(a.name, "-", 2)[0])
	a.files = map[string]string{"README.md": "# " + a.title() + "\n\nAn MCP server that answers questions of assistants.\n"}
	a.manifest()
	add := func(n int, next func() part) {
		for range n {
			p := next()
			if !slices.ContainsFunc(a.parts, func(q part) bool { return q.kind == p.kind && q.name == p.name }) {
				a.parts = append(a.parts, p)
			}
		}
	}
	if a.kind == "remote" {
		add(g.IntN(3), func() part { return g.header(prefix) })
		a.parts = append(a.parts, part{kind: "transport", value: choose(g, "streamable-http", "sse")})
		switch g.IntN(4) {
		case 0:
			a.parts = append(a.parts, part{kind: "place", name: choose(g, "tenant", "region")})
		case 1:
			key := g.secret()
			a.parts = append(a.parts, part{kind: "address", name: "api_key", value: key, private: key})
		}
	} else {
		add(1+g.IntN(4), func() part { return g.variable(prefix) })
		add(g.IntN(3), g.argument)
		if a.kind == "oci" {
			add(g.IntN(3), g.docker)
		}
	}
	f.write(g, a)
	for range 1 + g.IntN(4) {
		p := g.beside(prefix)
		a.parts, a.files["README.md"] = append(a.parts, p), a.files["README.md"]+"\n"+p.value+"\n"
	}
	return a
}

// beside returns a private text at a place of the README other than the configuration.
func (g author) beside(prefix string) part {
	p := part{kind: "beside", name: prefix + choose(g, "_API_KEY", "_TOKEN", "_PASSWORD"), private: g.plainSecret()}
	form := choose(g, "```env\nNAME=SECRET\n```", "```env\n# NAME='SECRET'\n```", "```toml\napi_key = 'SECRET'\n```",
		"```yaml\nenvironment:\n  - NAME=SECRET\n```", "```json\n{ // \"NAME\": \"SECRET\"\n}\n```",
		"```json\n\"NAME\":\n    \"SECRET\"\n```", "```yaml\n- name: NAME\n  value: SECRET\n```",
		"[Open](https://quay.dev/?access_token=SECRET)", "![Build](https://quay.dev/badge.svg?token=SECRET)",
		"<img src=\"https://quay.dev/a.png?apikey=SECRET\" alt=\"a\">", "<!-- export NAME=SECRET -->",
		"<details><summary>Key</summary>\n\n`NAME=SECRET`\n\n</details>",
		"`curl -u admin:SECRET https://quay.dev`", "`curl -H 'Authorization: Bearer SECRET' https://quay.dev`",
		"`docker run --env NAME=SECRET quay/x`", "Server=db;User Id=sa;Password=SECRET;Database=x",
		"```powershell\n$env:NAME = \"SECRET\"\n```", "```python\nc = Client(api_key=\"SECRET\")\n```",
		"<server><password>SECRET</password></server>", "The password is `SECRET`.", "- Password: SECRET",
		"PACKED", "MAIL", "HOME", "HOST", "SHARE")
	switch form {
	case "PACKED":
		p.value = "[Add](cursor://install?config=" + base64.StdEncoding.EncodeToString(
			[]byte(`{"env":{"`+p.name+`":"`+p.private+`"}}`)) + ")"
		return p
	case "MAIL":
		p.private = g.person()
		form = choose(g, "Written by SECRET@acme-corp.io.", "[Mail](mailto:SECRET%40acme-corp.io)")
	case "HOME":
		p.private = g.person()
		form = choose(g, `It runs in \\wsl$\Ubuntu\home\SECRET\app.`, "See `/mnt/c/Users/SECRET/app`.",
			"Open file:///Users/SECRET/app.html", "`-v /home/SECRET/app:/app`", "See `~SECRET/app`.")
	case "SHARE":
		p.private, form = "nas"+fmt.Sprint(g.IntN(100000)), `Open \\SECRET\team\app.`
	case "HOST":
		p.private = "db" + fmt.Sprint(g.IntN(100000)) + ".corp.internal"
		form = choose(g, "The store is at SECRET:5432.", "`DB_HOST=SECRET`", "See https://ann@SECRET/app.")
	}
	p.value = strings.NewReplacer("NAME", p.name, "SECRET", p.private).Replace(form)
	return p
}

// plainSecret returns a secret in the form of a service, or in none: a password, or letters only.
func (g author) plainSecret() string {
	letters := func(n int) string {
		return strings.Map(func(r rune) rune { return 'a' + r%26 }, g.text(n))
	}
	return choose(g, g.secret(), letters(3)+fmt.Sprint(1000+g.IntN(9000)), letters(12), letters(32))
}

// manifest adds the files that make the repository the server's.
func (a *authored) manifest() {
	const tools = "from mcp.server.fastmcp import FastMCP\n\nmcp = FastMCP(\"x\")\n\n\n@mcp.tool()\n" +
		"def get_answer(id: int) -> str:\n    \"\"\"Return one answer by its number\"\"\"\n    return str(id)\n\n\n" +
		"def main():\n    mcp.run()\n\n\nif __name__ == \"__main__\":\n    main()\n"
	switch a.kind {
	case "npm":
		a.id = "@" + a.owner + "/" + a.name
		a.files["package.json"] = indentedJSON(map[string]any{"name": a.id, "version": "1.2.0",
			"mcpName":     "io.github." + a.owner + "/" + a.name,
			"description": "MCP server for answers", "license": "MIT", "bin": map[string]any{a.name: "index.js"},
			"repository":   "https://github.com/" + a.owner + "/" + a.name,
			"dependencies": map[string]any{"@modelcontextprotocol/sdk": "^1.20.0"}})
	case "pypi":
		a.id = a.owner + "-" + a.name
		a.files["pyproject.toml"] = "[project]\nname = \"" + a.id + "\"\nversion = \"1.2.0\"\ndependencies = [\"mcp>=1.9\"]\n\n" +
			"[project.scripts]\n" + a.id + " = \"server:main\"\n\n[project.urls]\nRepository = \"https://github.com/" +
			a.owner + "/" + a.name + "\"\n"
		a.files["server.py"] = tools
	case "oci":
		a.id = "ghcr.io/" + a.owner + "/" + a.name
		a.files["requirements.txt"], a.files["server.py"] = "mcp>=1.9\n", tools
		a.files["Dockerfile"] = "FROM python:3.12\nLABEL io.modelcontextprotocol.server.name=\"io.github." + a.owner + "/" +
			a.name + "\"\nCOPY . .\nENTRYPOINT [\"python\", \"server.py\"]\n"
	default:
		a.id = "https://mcp." + a.name + ".dev/mcp"
		a.files["package.json"] = `{"name": "` + a.name + `-worker", "private": true, ` +
			`"dependencies": {"agents": "^0.2.0", "@modelcontextprotocol/sdk": "^1.20.0"}}`
	}
}

func under(section, name string, o map[string]any) map[string]any {
	return map[string]any{section: map[string]any{name: o}}
}

func indentedJSON(v any) string {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err)
	}
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(b))
}

func quotedJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(b))
}

// inlineTOML returns a table of texts on one line.
func inlineTOML(table map[string]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(table)) {
		all = append(all, quotedJSON(name)+" = "+quotedJSON(table[name]))
	}
	return "{ " + strings.Join(all, ", ") + " }"
}

// yamlMembers returns the members of a mapping, with values as JSON and lists in block style.
func yamlMembers(indent string, o map[string]any) (text string) {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		list, isList := o[name].([]string)
		if text += indent + name + ":"; !isList {
			text += " " + quotedJSON(o[name]) + "\n"
			continue
		}
		text += "\n"
		for _, w := range list {
			text += indent + "  - " + quotedJSON(w) + "\n"
		}
	}
	return text
}

func shellQuoted(s string) string {
	if s != "" && !strings.ContainsAny(s, " \\<>$\"'`&?*;|") {
		return s
	}
	return "'" + s + "'"
}
