package manifest

import (
	"regexp"
	"strings"

	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

var (
	envNameRE    = regexp.MustCompile(`^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$`)
	secretRE     = regexp.MustCompile(`(?:^|_)(?:API_?KEYS?|KEYS?|TOKENS?|SECRETS?|PASSWORDS?|PASSWD|PASS|PWD|CREDENTIALS?|PAT|AUTH|BEARER|COOKIES?|DSN|CONNECTION_STRING|MNEMONIC|APIKEY|[A-Z]*(?:KEY|TOKEN|SECRET|PASSWORD))$`)
	notSecretRE  = regexp.MustCompile(`(?:^|_)(?:PUBLIC_KEY|PRIMARY_KEY|KEY_ID|KEY_NAME|KEY_PATH|KEY_FILE|MAX_TOKENS|TOKENS|TOKEN_URL|TOKEN_LIMIT|SSH_KEY_PATH|SORT_KEY|MONKEY)$`)
	smitheryPair = regexp.MustCompile(`['"]?([A-Z][A-Z0-9_]{2,80})['"]?\s*:\s*(?:String\()?config\.([A-Za-z_][A-Za-z0-9_]{0,80})`)
	placeholder  = regexp.MustCompile(`(?i)^(?:$|<.*>|\[.*\]|\$\{.*\}|.*\byour?[-_ ].*|.*_here$|x{3,}.*|\.\.\.|.*\.\.\.$|\*+|.*\bxxx.*|replace.*|changeme|sk-.*|ghp_.*|.*token.*|.*key.*|.*secret.*|.*password.*)$`)
)

// systemNames are environment variables of the machine or of tools, never a
// server's settings.
var systemNames = map[string]bool{
	"PATH": true, "HOME": true, "USER": true, "SHELL": true, "PWD": true, "TMPDIR": true, "TEMP": true, "LANG": true, "TERM": true, "APPDATA": true, "LOCALAPPDATA": true, "USERPROFILE": true,
	"NODE_PATH": true, "PYTHONPATH": true, "PYTHONUNBUFFERED": true, "PYTHONDONTWRITEBYTECODE": true, "PIP_NO_CACHE_DIR": true, "VIRTUAL_ENV": true, "UV_COMPILE_BYTECODE": true, "UV_LINK_MODE": true,
	"NODE_OPTIONS": true, "GOPATH": true, "GOROOT": true, "CGO_ENABLED": true, "GOOS": true, "GOARCH": true, "JAVA_HOME": true, "DEBIAN_FRONTEND": true, "LC_ALL": true, "CI": true, "PNPM_HOME": true,
	"SYSTEMROOT": true, "COMSPEC": true, "DISPLAY": true, "NPM_CONFIG_LOGLEVEL": true, "JSON": true, "HTTP": true, "HTTPS": true, "URL": true, "API": true, "SSE": true, "STDIO": true, "MCP": true, "CLI": true,
	"UV_PROJECT_ENVIRONMENT": true, "UV_PYTHON_PREFERENCE": true, "DOTNET_CLI_HOME": true, "DOTNET_RUNNING_IN_CONTAINER": true, "RUST_BACKTRACE": true, "NODE_ENV": true, "NVM_DIR": true, "PYTHON_VERSION": true, "NODE_VERSION": true, "GITHUB_ACTIONS": true,
}

// IsEnvName says whether s is an environment variable that may be a server's
// setting.
func IsEnvName(s string) bool {
	return len(s) >= 3 && len(s) <= 100 && !strings.HasPrefix(s, "YOUR_") && envNameRE.MatchString(s) && !systemNames[s]
}

// LooksSecret guesses from its name whether a variable holds a secret.
func LooksSecret(name string) bool {
	n := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	return secretRE.MatchString(n) && !notSecretRE.MatchString(n)
}

// IsPlaceholder says whether a value in an example stands for one that the
// user must fill in.
func IsPlaceholder(value string) bool {
	return placeholder.MatchString(strings.TrimSpace(value))
}

// ParseEnvFile reads the variables of an example .env file. A comment before
// or behind a variable is its description; one that is commented out is
// optional.
func ParseEnvFile(b []byte) ([]registry.Variable, error) {
	b, err := untyped.Text(b, untyped.MaxSize)
	if err != nil {
		return nil, err
	}
	var out []registry.Variable
	seen := map[string]bool{}
	comment := ""
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if line == "" {
			comment = ""
			continue
		}
		commented := strings.HasPrefix(line, "#")
		body := strings.TrimSpace(strings.TrimLeft(line, "#"))
		body = strings.TrimPrefix(body, "export ")
		name, value, ok := strings.Cut(body, "=")
		name = strings.TrimSpace(name)
		if !ok || !IsEnvName(name) {
			if commented && body != "" && !strings.Contains(body, "====") && !strings.Contains(body, "----") {
				comment = body
			}
			continue
		}
		if seen[name] || len(out) >= 200 {
			continue
		}
		seen[name] = true
		v := registry.Variable{Name: name, Description: untyped.Short(comment), IsSecret: LooksSecret(name)}
		value = strings.TrimSpace(value)
		if val, c, ok := strings.Cut(value, " #"); ok {
			value, v.Description = strings.TrimSpace(val), untyped.Short(c)
		}
		value = strings.Trim(value, `"'`)
		if !v.IsSecret && !IsPlaceholder(value) {
			v.Default = untyped.Short(value)
		}
		out = append(out, v)
		comment = ""
	}
	return out, nil
}
