package install

import (
	"cmp"
	"strings"
)

// A Place is the location of a client's configuration. Paths begin with ~, the user's home, or
// with Config or Storage; those of projects are relative to their folder.
type Place struct {
	Client, Name string // "cursor", "Cursor"
	Kind         string // of the files: KindJSON, KindTOML or KindYAML
	Section      string // member that contains the servers
	// User and Project are alternative files. The first that exists is used.
	User, Project []string
	Windows       string // replaces User on Windows; "" means User
	// Folders is the member of the user's file with an object that contains a section for
	// each folder: the local scope. "" if the client has none.
	Folders string
}

// Prefixes of paths that differ between systems.
const (
	Config  = "$CONFIG"                            // of applications
	Storage = Config + "/Code/User/globalStorage/" // of extensions of VS Code
)

var places = map[string]Place{
	"claude-desktop": {User: []string{Config + "/Claude/claude_desktop_config.json"}},
	"claude-code": {User: []string{"~/.claude.json"}, Project: []string{".mcp.json"},
		Folders: "projects"},
	"cursor": {User: []string{"~/.cursor/mcp.json"}, Project: []string{".cursor/mcp.json"}},
	"vscode": {Section: "servers", User: []string{Config + "/Code/User/mcp.json"},
		Project: []string{".vscode/mcp.json"}},
	"visual-studio": {Section: "servers", User: []string{"~/.mcp.json"},
		Project: []string{".mcp.json"}},
	"windsurf":    {User: []string{"~/.codeium/windsurf/mcp_config.json"}},
	"antigravity": {User: []string{"~/.gemini/antigravity/mcp_config.json"}},
	"codex": {Kind: KindTOML, Section: "mcp_servers", User: []string{"~/.codex/config.toml"},
		Project: []string{".codex/config.toml"}},
	"gemini-cli": {User: []string{"~/.gemini/settings.json"},
		Project: []string{".gemini/settings.json"}},
	"copilot-cli": {User: []string{"~/.copilot/mcp-config.json"}},
	"zed": {Section: "context_servers", User: []string{"~/.config/zed/settings.json"},
		Windows: Config + "/Zed/settings.json"},
	"opencode": {Section: "mcp",
		User:    []string{"~/.config/opencode/opencode.json", "~/.config/opencode/opencode.jsonc"},
		Project: []string{"opencode.json", "opencode.jsonc"}},
	"cline": {User: []string{Storage + "saoudrizwan.claude-dev/settings/cline_mcp_settings.json"}},
	"roo-code": {User: []string{Storage + "rooveterinaryinc.roo-cline/settings/mcp_settings.json"},
		Project: []string{".roo/mcp.json"}},
	"kiro": {User: []string{"~/.kiro/settings/mcp.json"},
		Project: []string{".kiro/settings/mcp.json"}},
	"lm-studio": {User: []string{"~/.lmstudio/mcp.json"}},
	"goose": {Kind: KindYAML, Section: "extensions", User: []string{"~/.config/goose/config.yaml"},
		Windows: Config + "/Block/goose/config/config.yaml"},
	"amp": {Section: "amp.mcpServers",
		User:    []string{"~/.config/amp/settings.json", "~/.config/amp/settings.jsonc"},
		Project: []string{".amp/settings.json", ".amp/settings.jsonc"}},
}

// Places returns the locations of all clients' configurations in display order.
func Places() (all []Place) {
	for _, c := range clients {
		p := places[c.id]
		p.Client, p.Name = c.id, c.name
		p.Kind = cmp.Or(p.Kind, KindJSON)
		p.Section = sectionOf(c.id)
		all = append(all, p)
	}
	return all
}

// sectionOf returns the member of a client's file that contains the servers.
func sectionOf(client string) string { return cmp.Or(places[client].Section, "mcpServers") }

// FileOf returns the file of a client on a system ("linux", "macos", "windows"; "" means
// Linux) and in a scope ("user", "project"). It reports false if system and scope are empty,
// if the scope has no file, and for clients whose file is in YAML or in the folder of an
// editor. The file of [Snippet] applies then.
func FileOf(client, system, scope string) (string, bool) {
	p := places[client]
	if scope == "project" {
		if len(p.Project) == 0 {
			return "", false
		}
		return p.Project[0], true
	}
	if scope == "" && system == "" || len(p.User) == 0 || p.Kind == KindYAML ||
		strings.HasPrefix(p.User[0], Storage) {
		return "", false
	}
	file, config := p.User[0], "~/.config"
	switch system {
	case "macos":
		config = "~/Library/Application Support"
	case "windows":
		if p.Windows != "" {
			file = p.Windows
		}
		return strings.NewReplacer(Config, `%APPDATA%`, "~", `%USERPROFILE%`, "/", `\`).Replace(file), true
	}
	return strings.Replace(file, Config, config, 1), true
}
