package install

import "strings"

func codexAdd(t target) string {
	line := "codex mcp add " + t.key
	for _, e := range t.stdio.env {
		line += " --env " + t.expanded(e.name+"=", e)
	}
	return line + " -- " + t.stdio.shellLine()
}

// codexAddRemote reports false if the command has no option for a header.
func codexAddRemote(key string, r *remote) (string, bool) {
	line := "codex mcp add " + key + " --url " + quote(r.url)
	for _, h := range r.headers {
		if !h.isBearer() {
			return "", false
		}
		line += " --bearer-token-env-var " + h.value.name
	}
	return line, !r.sse
}

// codexTOML returns the table of a command. JSON strings are valid TOML strings.
func codexTOML(key string, l *launch) string {
	args := texts(l.args, asPlaceholder)
	for i := range args {
		args[i] = tomlString(args[i])
	}
	text := "[mcp_servers." + key + "]\ncommand = " + tomlString(l.command) +
		"\nargs = [" + strings.Join(args, ", ") + "]\n"
	var env []string
	for _, e := range l.env {
		env = append(env, e.name+" = "+tomlString(e.text(asPlaceholder)))
	}
	return text + tomlTable("env", env)
}

// codexRemote returns the table of a remote, with secrets in environment variables. It
// reports false if Codex cannot send a header.
func codexRemote(key string, r *remote) (string, bool) {
	text := "[mcp_servers." + key + "]\nurl = " + tomlString(r.url) + "\n"
	var fixed, env []string
	for _, h := range r.headers {
		switch {
		case len(h.inside) > 0:
			return "", false
		case !h.value.open:
			fixed = append(fixed, tomlString(h.name)+" = "+tomlString(h.fixed))
		case h.isBearer():
			text += "bearer_token_env_var = " + tomlString(h.value.name) + "\n"
		case h.prefix == "":
			env = append(env, tomlString(h.name)+" = "+tomlString(h.value.name))
		default:
			return "", false
		}
	}
	return text + tomlTable("http_headers", fixed) + tomlTable("env_http_headers", env), true
}

// isBearer reports whether a header is a bearer token to fill in.
func (h header) isBearer() bool {
	return h.value.open && h.prefix == "Bearer " && strings.EqualFold(h.name, "Authorization")
}

func tomlTable(key string, members []string) string {
	if len(members) == 0 {
		return ""
	}
	return key + " = { " + strings.Join(members, ", ") + " }\n"
}

func tomlString(s string) string { return string(compact(s)) }
