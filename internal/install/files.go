package install

import "strings"

// clientFiles are the files of clients: of the user, of a project, and of the user on other
// systems than Linux where those differ by more than the home folder. "" is none.
var clientFiles = map[string]struct{ user, project, macos, windows string }{
	"claude-desktop": {"~/.config/Claude/claude_desktop_config.json", "",
		"~/Library/Application Support/Claude/claude_desktop_config.json",
		`%APPDATA%\Claude\claude_desktop_config.json`},
	"claude-code": {user: "~/.claude.json", project: ".mcp.json"},
	"cursor":      {user: "~/.cursor/mcp.json", project: ".cursor/mcp.json"},
	"vscode": {"~/.config/Code/User/mcp.json", ".vscode/mcp.json",
		"~/Library/Application Support/Code/User/mcp.json", `%APPDATA%\Code\User\mcp.json`},
	"visual-studio": {user: "~/.mcp.json", project: ".mcp.json"},
	"windsurf":      {user: "~/.codeium/windsurf/mcp_config.json"},
	"antigravity":   {user: "~/.gemini/antigravity/mcp_config.json"},
	"codex":         {user: "~/.codex/config.toml", project: ".codex/config.toml"},
	"gemini-cli":    {user: "~/.gemini/settings.json", project: ".gemini/settings.json"},
	"copilot-cli":   {user: "~/.copilot/mcp-config.json"},
	"zed": {user: "~/.config/zed/settings.json",
		windows: `%APPDATA%\Zed\settings.json`},
	"opencode":  {user: "~/.config/opencode/opencode.json", project: "opencode.json"},
	"roo-code":  {project: ".roo/mcp.json"},
	"kiro":      {user: "~/.kiro/settings/mcp.json", project: ".kiro/settings/mcp.json"},
	"lm-studio": {user: "~/.lmstudio/mcp.json"},
	"amp":       {user: "~/.config/amp/settings.json", project: ".amp/settings.json"},
}

// FileOf returns the file of a client on a system ("linux", "macos", "windows"; "" is Linux)
// and in a scope ("user", "project"). It is false if the scope is empty or not known to have
// a file, which means the one of [Snippet].
func FileOf(client, system, scope string) (string, bool) {
	f := clientFiles[client]
	if scope == "project" {
		return f.project, f.project != ""
	}
	if scope == "" && system == "" {
		return "", false
	}
	file := f.user
	switch {
	case system == "macos" && f.macos != "":
		file = f.macos
	case system == "windows" && f.windows != "":
		file = f.windows
	case system == "windows" && strings.HasPrefix(file, "~/"):
		file = `%USERPROFILE%\` + strings.ReplaceAll(file[2:], "/", `\`)
	}
	return file, file != ""
}
