package manifest

import (
	"regexp"
	"strings"

	"mcpcensus/crawler/untyped"
)

// A Launch is a command that starts or installs a server.
type Launch struct {
	Line         string // the command as one line
	Runner       string // npx, uvx, docker, dnx, cargo, go, pip, …
	RegistryType string // one of registry.RegistryTypes, "" for a command that uses none
	Identifier   string // the package, "" if there is none
	Version      string
	Source       bool   // it builds or runs from source
	URL          string // the endpoint that a bridge such as mcp-remote is given
}

// bridges are packages that connect a client to a server given by address,
// or that manage servers: they are never the server itself.
var bridges = map[string]bool{
	"mcp-remote": true, "supergateway": true, "mcp-proxy": true, "@smithery/cli": true, "@modelcontextprotocol/inspector": true,
	"mcp-get": true, "@michaellatman/mcp-get": true, "@wong2/mcp-cli": true, "mcpm": true, "add-mcp": true, "mcp-add": true, "install-mcp": true, "@upstash/mcp-installer": true,
	"fastmcp": true, "mcp": true, "tsx": true, "ts-node": true, "typescript": true, "tsc": true, "jest": true, "vitest": true, "eslint": true, "prettier": true,
	"wrangler": true, "vercel": true, "create-react-app": true, "next": true, "nodemon": true, "pm2": true, "ruff": true, "pytest": true, "black": true, "mypy": true, "uv": true, "poetry": true,
	"pip": true, "pipx": true, "hatch": true, "hatchling": true, "build": true, "twine": true, "@jbangdev/jbang": true, "jbang": true, "mcptools": true, "mcp-cli": true, "@anthropic-ai/claude-code": true,
	"@anthropic-ai/mcpb": true, "@anthropic-ai/dxt": true, "@google/gemini-cli": true, "@openai/codex": true, "npm": true, "pnpm": true, "yarn": true, "bun": true, "playwright": true, "husky": true, "shx": true,
	"npm-check-updates": true, "http-server": true, "serve": true, "dotenv-cli": true, "cross-env": true, "concurrently": true, "skills": true, "mcporter": true, "openskills": true, "opencode-ai": true,
	"mcp-use": true, "@mcpjam/inspector": true, "ngrok": true, "localtunnel": true, "degit": true, "gitpick": true, "changeset": true, "@changesets/cli": true, "semantic-release": true, "release-it": true,
	"mcp-publisher": true, "mcp-inspector": true, "uvicorn": true, "gunicorn": true, "setuptools": true, "wheel": true, "virtualenv": true, "pre-commit": true, "tox": true, "nox": true, "coverage": true, "@mcp-use/cli": true,
	"mcpo": true, "mcp-server-inspector": true, "tiny-agents": true, "promptfoo": true, "mcp-installer": true, "claude-code-templates": true, "corepack": true, "claude-desktop-config": true, "node": true, "python": true, "rimraf": true,
}

// IsBridge says whether a package only connects to or manages servers.
func IsBridge(identifier string) bool { return bridges[strings.ToLower(identifier)] }

var (
	npmNameRE  = regexp.MustCompile(`^(?:@[A-Za-z0-9~-][A-Za-z0-9._~-]{0,100}/)?[A-Za-z0-9~-][A-Za-z0-9._~-]{0,150}$`)
	pyNameRE   = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$`)
	imageRE    = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,100}(?::[0-9]{1,5})?(?:/[a-z0-9][a-z0-9._-]{0,100}){1,5}(?::[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(?:@sha256:[a-f0-9]{64})?$`)
	nugetRE    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{1,127}$`)
	crateRE    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)
	envPrefix  = regexp.MustCompile(`^[A-Z][A-Z0-9_]{1,80}=`)
	dummyNames = regexp.MustCompile(`(?i)^(?:@?(?:your|my|some|org|scope|username|user)[-_/]|package(?:-name)?$|path$|your|<|server$|command$|name$|image$|xxx)`)
)

// ParseCommand reads a command with its arguments. It reports false for
// commands that start no package and build nothing, such as cd or curl.
func ParseCommand(command string, args []string) (Launch, bool) {
	if len(args) > 200 {
		args = args[:200]
	}
	words := append(strings.Fields(command), args...)
	return parseWords(words, 0)
}

// ParseLine reads one line of a shell.
func ParseLine(line string) (Launch, bool) {
	line = strings.TrimSpace(line)
	for _, p := range []string{"$ ", "> ", "% "} {
		line = strings.TrimPrefix(line, p)
	}
	if line == "" || line[0] == '#' || len(line) > 4096 {
		return Launch{}, false
	}
	for _, sep := range []string{" && ", " ; ", " || "} {
		if before, after, ok := strings.Cut(line, sep); ok {
			if l, ok := ParseLine(after); ok {
				return l, true
			}
			line = before
		}
	}
	if before, _, ok := strings.Cut(line, " | "); ok {
		line = before
	}
	if i := strings.Index(line, " #"); i > 0 {
		line = line[:i]
	}
	return parseWords(shellWords(line), 0)
}

// shellWords splits a line at blanks outside quotes.
func shellWords(line string) []string {
	var out []string
	var cur strings.Builder
	var quote rune
	started := false
	for _, r := range line {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				cur.WriteRune(r)
			}
		case r == '"' || r == '\'':
			quote, started = r, true
		case r == ' ' || r == '\t':
			if started || cur.Len() > 0 {
				out = append(out, cur.String())
				cur.Reset()
				started = false
			}
		default:
			cur.WriteRune(r)
		}
	}
	if started || cur.Len() > 0 {
		out = append(out, cur.String())
	}
	return out[:min(len(out), 300)]
}

func parseWords(w []string, depth int) (Launch, bool) {
	if depth > 3 {
		return Launch{}, false
	}
	for len(w) > 0 && (w[0] == "sudo" || w[0] == "exec" || w[0] == "env" || w[0] == "time" || envPrefix.MatchString(w[0])) {
		w = w[1:]
	}
	if len(w) < 2 {
		return Launch{}, false
	}
	l := Launch{Line: untyped.Short(strings.Join(w, " "))}
	base := strings.ToLower(w[0])
	if i := strings.LastIndexAny(base, `/\`); i >= 0 {
		base = base[i+1:]
	}
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".exe"), ".cmd")
	rest := w[1:]
	next := func(i int) string {
		if i < len(rest) {
			return rest[i]
		}
		return ""
	}
	switch base {
	case "cmd":
		if strings.EqualFold(rest[0], "/c") {
			return parseWords(rest[1:], depth+1)
		}
	case "sh", "bash", "zsh":
		if strings.HasPrefix(rest[0], "-") && strings.Contains(rest[0], "c") && len(rest) > 1 {
			return parseWords(shellWords(rest[1]), depth+1)
		}
	case "npx", "bunx", "pnpx":
		return l.npm(base, rest)
	case "npm", "pnpm", "yarn", "bun":
		switch rest[0] {
		case "dlx", "exec", "x":
			return l.npm(map[string]string{"bun": "bunx"}[base]+map[string]string{"npm": "npx", "pnpm": "npx", "yarn": "npx"}[base], rest[1:])
		case "install", "i", "add", "global":
			global := base == "yarn" && rest[0] == "global"
			for _, a := range rest {
				global = global || a == "-g" || a == "--global"
			}
			if global {
				if rest[0] == "global" {
					rest = rest[1:]
				}
				return l.npm(base, rest[1:])
			}
			if l, ok := l.npm(base, rest[1:]); ok && base != "bun" {
				l.Runner = base
				return l, true
			}
		case "start", "run":
			l.Runner, l.Source = base, true
			return l, true
		}
	case "uvx":
		return l.python("uvx", rest)
	case "pipx":
		if rest[0] == "run" || rest[0] == "install" {
			return l.python("pipx", rest[1:])
		}
	case "uv":
		switch {
		case rest[0] == "tool" && (next(1) == "run" || next(1) == "install"), rest[0] == "pip" && next(1) == "install":
			return l.python("uv", rest[2:])
		case rest[0] == "run":
			if out, ok := uvRunWith(l, rest[1:]); ok {
				return out, true
			}
			l.Runner, l.Source = "uv", true
			return l, true
		case strings.HasPrefix(rest[0], "--directory") || rest[0] == "--project":
			l.Runner, l.Source = "uv", true
			return l, true
		}
	case "pip", "pip3":
		if rest[0] == "install" {
			return l.python("pip", rest[1:])
		}
	case "python", "python3", "py":
		if rest[0] == "-m" && next(1) == "pip" && next(2) == "install" {
			return l.python("pip", rest[3:])
		}
		l.Runner, l.Source = "python", true
		return l, true
	case "docker", "podman":
		return l.docker(rest)
	case "dnx":
		return l.nuget(rest)
	case "dotnet":
		switch {
		case rest[0] == "tool" && (next(1) == "install" || next(1) == "exec"):
			return l.nuget(rest[2:])
		case rest[0] == "run":
			l.Runner, l.Source = "dotnet", true
			return l, true
		}
	case "cargo":
		switch rest[0] {
		case "install", "binstall":
			return l.cargo(rest[1:])
		case "run", "build":
			l.Runner, l.Source = "cargo", true
			return l, true
		}
	case "go":
		if rest[0] == "install" || rest[0] == "run" || rest[0] == "build" {
			l.Runner, l.Source = "go", true
			return l, true
		}
	case "node", "deno", "java", "jbang", "php", "ruby", "swift", "mvn", "make", "gradle", "gradlew":
		l.Runner, l.Source = base, true
		return l, true
	case "brew":
		l.Runner, l.Source = base, true
		return l, !(rest[0] == "install" && prerequisites(rest[1:]))
	case "claude", "code", "codex", "gemini", "copilot":
		return parseAdd(w, depth)
	}
	return Launch{}, false
}

// prerequisites says whether what is installed are only the tools that servers
// are run with.
func prerequisites(names []string) bool {
	for _, n := range names {
		n, _, _ = strings.Cut(n, "@")
		switch n {
		case "uv", "node", "nodejs", "npm", "pnpm", "yarn", "bun", "deno", "python", "python3", "pipx", "go", "rust", "docker", "git", "openjdk", "dotnet", "jq":
		default:
			if !strings.HasPrefix(n, "-") {
				return false
			}
		}
	}
	return true
}

// parseAdd reads "claude mcp add NAME … -- COMMAND" and its relatives.
func parseAdd(w []string, depth int) (Launch, bool) {
	for i, a := range w {
		if a == "--" && i+1 < len(w) {
			return parseWords(w[i+1:], depth+1)
		}
		if strings.HasPrefix(a, "http://") || strings.HasPrefix(a, "https://") {
			return Launch{Line: untyped.Short(strings.Join(w, " ")), Runner: "url", URL: untyped.Short(a)}, true
		}
	}
	for i, a := range w {
		switch a {
		case "npx", "uvx", "docker", "bunx", "dnx", "uv", "pipx":
			return parseWords(w[i:], depth+1)
		}
	}
	return Launch{}, false
}

// ParseAddition reads a shell line that adds a server to a client, such as
// "claude mcp add". The server has the name and the transport that the line
// gives it. It reports false for other lines.
func ParseAddition(line string) (c ClientServer, ok bool) {
	if _, target, found := strings.Cut(line, "mcp add"); found {
		c.Name, c.Type = additionTarget(shellWords(target))
		return c, true
	}
	line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "$"))
	added := strings.HasPrefix(line, "code --add-mcp") || strings.Contains(line, "mcp install")
	return c, added || strings.Contains(line, "mcp-remote")
}

// additionTarget returns the server's name and transport in the arguments of
// "claude mcp add".
func additionTarget(args []string) (name, transport string) {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; a {
		case "--transport", "-t":
			if i++; i < len(args) {
				transport = args[i]
			}
		case "-s", "--scope", "-e", "--env", "--header", "-H":
			i++
		default:
			if !strings.HasPrefix(a, "-") {
				return untyped.Short(a), transport
			}
		}
	}
	return "", transport
}

func (l Launch) npm(runner string, args []string) (Launch, bool) {
	l.Runner = runner
	pkg := ""
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "-p" || a == "--package":
			if i+1 < len(args) {
				pkg = args[i+1]
			}
			i++
		case strings.HasPrefix(a, "--package="):
			pkg = strings.TrimPrefix(a, "--package=")
		case a == "-c" || a == "--call":
			i++
		case strings.HasPrefix(a, "-"):
		default:
			if pkg == "" {
				pkg = a
			}
			for _, b := range args[i:] {
				if strings.HasPrefix(b, "http://") || strings.HasPrefix(b, "https://") {
					l.URL = untyped.Short(b)
					break
				}
			}
			i = len(args)
		}
	}
	if strings.HasPrefix(pkg, "github:") || strings.HasPrefix(pkg, "git+") || strings.Contains(pkg, "://") || strings.HasPrefix(pkg, ".") || strings.HasPrefix(pkg, "/") {
		l.Source = true
		return l, strings.Contains(pkg, "git")
	}
	l.RegistryType = "npm"
	l.Identifier, l.Version = SplitNPM(strings.Trim(pkg, `"'`))
	if !npmNameRE.MatchString(l.Identifier) || dummyNames.MatchString(l.Identifier) || strings.HasSuffix(l.Identifier, ".js") {
		return l, false
	}
	if l.Version == "latest" || strings.ContainsAny(l.Version, "<>${} ") {
		l.Version = ""
	}
	return l, true
}

func uvRunWith(l Launch, args []string) (Launch, bool) {
	for i, a := range args {
		if a == "--with" && i+1 < len(args) {
			if out, ok := l.python("uv", args[i+1:i+2]); ok && !IsBridge(out.Identifier) && out.Identifier != "" && strings.Contains(strings.ToLower(out.Identifier), "mcp") {
				return out, true
			}
		}
	}
	return l, false
}

func (l Launch) python(runner string, args []string) (Launch, bool) {
	l.Runner = runner
	pkg := ""
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--from" || a == "--spec":
			if i+1 < len(args) {
				pkg = args[i+1]
			}
			i++
		case strings.HasPrefix(a, "--from="), strings.HasPrefix(a, "--spec="):
			pkg = a[7:]
		case a == "-e" || a == "--editable" || a == "-r" || a == "--requirement":
			l.Source = true
			return l, true
		case a == "-p" || a == "--python" || a == "--with" || a == "--index-url" || a == "--extra-index-url" || a == "--index" || a == "-i" || a == "--directory" || a == "--with-editable":
			i++
		case strings.HasPrefix(a, "-"):
		default:
			if pkg == "" {
				pkg = a
			}
			for _, b := range args[i:] {
				if strings.HasPrefix(b, "http://") || strings.HasPrefix(b, "https://") {
					l.URL = untyped.Short(b)
					break
				}
			}
			i = len(args)
		}
	}
	pkg = strings.Trim(pkg, `"'`)
	if strings.Contains(pkg, "git+") || strings.Contains(pkg, "://") || strings.HasPrefix(pkg, ".") || strings.HasPrefix(pkg, "/") || strings.Contains(pkg, "/") || strings.HasSuffix(pkg, ".whl") {
		l.Source = true
		return l, pkg != ""
	}
	name, version := pkg, ""
	if i := strings.IndexAny(pkg, "=<>~!@["); i >= 0 {
		name, version = pkg[:i], pkg[i:]
	}
	if i := strings.IndexByte(version, ']'); i >= 0 {
		version = version[i+1:]
	}
	switch {
	case strings.HasPrefix(version, "=="):
		version = version[2:]
	case strings.HasPrefix(version, "@"):
		version = version[1:]
	default:
		version = ""
	}
	if version == "latest" || strings.ContainsAny(version, "<>${}, *") {
		version = ""
	}
	if !pyNameRE.MatchString(name) || dummyNames.MatchString(name) || strings.HasSuffix(name, ".py") {
		return l, false
	}
	l.RegistryType, l.Identifier, l.Version = "pypi", name, version
	return l, true
}

// dockerValues are the options of docker run that take the next word.
var dockerValues = map[string]bool{
	"-e": true, "--env": true, "-v": true, "--volume": true, "-p": true, "--publish": true, "--name": true, "--network": true, "--net": true, "--mount": true, "-w": true,
	"--workdir": true, "--env-file": true, "-u": true, "--user": true, "--entrypoint": true, "-h": true, "--hostname": true, "--platform": true, "--add-host": true, "-l": true, "--label": true,
	"-m": true, "--memory": true, "--cpus": true, "--restart": true, "--pull": true, "--shm-size": true, "--security-opt": true, "--cap-drop": true, "--cap-add": true, "--tmpfs": true, "--device": true, "--gpus": true, "--secret": true, "--ulimit": true, "--log-driver": true, "--pids-limit": true, "--dns": true,
}

func (l Launch) docker(args []string) (Launch, bool) {
	l.Runner = "docker"
	if len(args) > 0 && (args[0] == "container" || args[0] == "image") {
		args = args[1:]
	}
	if len(args) == 0 {
		return l, false
	}
	switch args[0] {
	case "build", "compose", "buildx":
		l.Source = true
		return l, true
	case "run", "pull":
	default:
		return l, false
	}
	for i := 1; i < len(args); i++ {
		a := args[i]
		if strings.HasPrefix(a, "-") {
			if dockerValues[a] {
				i++
			}
			continue
		}
		if a == "" || a == "\\" {
			continue
		}
		for _, b := range args[i:] {
			if strings.HasPrefix(b, "http://") || strings.HasPrefix(b, "https://") {
				l.URL = untyped.Short(b)
				break
			}
		}
		id, version := SplitImage(a)
		if !imageRE.MatchString(a) || dummyNames.MatchString(id) {
			// A name without a slash is an image built on this machine.
			l.Source = true
			return l, !strings.ContainsAny(a, "<${")
		}
		l.RegistryType, l.Identifier, l.Version = "oci", id, version
		return l, true
	}
	return l, false
}

// SplitImage splits an image's reference into its name and its tag; a digest
// and the tag "latest" are dropped.
func SplitImage(ref string) (name, tag string) {
	name, _, _ = strings.Cut(ref, "@")
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		name, tag = name[:i], name[i+1:]
	}
	if tag == "latest" {
		tag = ""
	}
	return name, tag
}

func (l Launch) nuget(args []string) (Launch, bool) {
	l.Runner = "dnx"
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--version" && i+1 < len(args):
			l.Version = args[i+1]
			i++
		case a == "--add-source" || a == "--source" || a == "--tool-path" || a == "--configfile":
			i++
			if strings.HasPrefix(a, "--add-source") {
				l.Source = true
			}
		case strings.HasPrefix(a, "-"):
		case l.Identifier == "":
			l.Identifier = a
		}
	}
	if name, v, ok := strings.Cut(l.Identifier, "@"); ok {
		l.Identifier, l.Version = name, v
	}
	if !nugetRE.MatchString(l.Identifier) || dummyNames.MatchString(l.Identifier) {
		return l, false
	}
	l.RegistryType = "nuget"
	return l, true
}

func (l Launch) cargo(args []string) (Launch, bool) {
	l.Runner = "cargo"
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--git" || a == "--path":
			l.Source, l.Identifier = true, ""
			return l, true
		case a == "--version" && i+1 < len(args):
			l.Version = args[i+1]
			i++
		case a == "--features" || a == "-F" || a == "--bin" || a == "--root" || a == "--target":
			i++
		case strings.HasPrefix(a, "-"):
		case l.Identifier == "":
			l.Identifier, l.Version, _ = strings.Cut(a, "@")
		}
	}
	if !crateRE.MatchString(l.Identifier) || dummyNames.MatchString(l.Identifier) {
		return l, false
	}
	l.RegistryType = "cargo"
	return l, true
}
