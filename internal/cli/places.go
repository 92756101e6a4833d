package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"mcpcensus/internal/clientfile"
	"mcpcensus/internal/install"
)

// A place is where a client has its configuration.
type place struct {
	client, name  string // "cursor", "Cursor"
	format        clientfile.Format
	section       string   // the member that has the servers
	user, project []string // files; the first one that exists is used
	// folders is the member of the user's file that has an object with a section for each
	// folder: the local scope. "" if the client has none.
	folders string
}

// A folder is the beginning of a path; it differs between systems.
const (
	config  = "$CONFIG"  // of applications
	storage = "$STORAGE" // of extensions of VS Code
)

// places returns the places of all clients, by client.
func places() []place {
	const mcpServers = "mcpServers"
	known := map[string]place{
		"claude-desktop": {
			section: mcpServers,
			user:    []string{config + "/Claude/claude_desktop_config.json"},
		},
		"claude-code": {
			section: mcpServers,
			user:    []string{"~/.claude.json"},
			folders: "projects",
			project: []string{".mcp.json"},
		},
		"cursor": {
			section: mcpServers,
			user:    []string{"~/.cursor/mcp.json"},
			project: []string{".cursor/mcp.json"},
		},
		"vscode": {
			section: "servers",
			user:    []string{config + "/Code/User/mcp.json"},
			project: []string{".vscode/mcp.json"},
		},
		"visual-studio": {section: "servers", user: []string{"~/.mcp.json"},
			project: []string{".mcp.json"}},
		"windsurf":    {section: mcpServers, user: []string{"~/.codeium/windsurf/mcp_config.json"}},
		"antigravity": {section: mcpServers, user: []string{"~/.gemini/antigravity/mcp_config.json"}},
		"codex": {format: clientfile.TOML, section: "mcp_servers",
			user: []string{"~/.codex/config.toml"}, project: []string{".codex/config.toml"}},
		"gemini-cli": {
			section: mcpServers,
			user:    []string{"~/.gemini/settings.json"},
			project: []string{".gemini/settings.json"},
		},
		"copilot-cli": {section: mcpServers, user: []string{"~/.copilot/mcp-config.json"}},
		"zed":         {section: "context_servers", user: []string{"~/.config/zed/settings.json"}},
		"opencode": {
			section: "mcp",
			user:    []string{"~/.config/opencode/opencode.json", "~/.config/opencode/opencode.jsonc"},
			project: []string{"opencode.json", "opencode.jsonc"},
		},
		"cline": {
			section: mcpServers,
			user:    []string{storage + "/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"},
		},
		"roo-code": {
			section: mcpServers,
			user:    []string{storage + "/rooveterinaryinc.roo-cline/settings/mcp_settings.json"},
			project: []string{".roo/mcp.json"},
		},
		"kiro": {
			section: mcpServers,
			user:    []string{"~/.kiro/settings/mcp.json"},
			project: []string{".kiro/settings/mcp.json"},
		},
		"lm-studio": {section: mcpServers, user: []string{"~/.lmstudio/mcp.json"}},
		"goose": {
			format:  clientfile.YAML,
			section: "extensions",
			user:    []string{"~/.config/goose/config.yaml"},
		},
		"amp": {
			section: "amp.mcpServers",
			user:    []string{"~/.config/amp/settings.json", "~/.config/amp/settings.jsonc"},
			project: []string{".amp/settings.json", ".amp/settings.jsonc"},
		},
	}
	var all []place
	for _, c := range install.ClientNames() {
		p, ok := known[c[0]]
		if !ok {
			continue
		}
		p.client, p.name = c[0], c[1]
		if p.format == "" {
			p.format = clientfile.JSON
		}
		all = append(all, p)
	}
	return all
}

// placeOf returns the place of a client.
func placeOf(client string) (place, error) {
	all := places()
	i := slices.IndexFunc(all, func(p place) bool { return p.client == client })
	if i < 0 {
		var names []string
		for _, p := range all {
			names = append(names, p.client)
		}
		return place{}, usagef("there is no client %q; clients are %s", client,
			strings.Join(names, ", "))
	}
	return all[i], nil
}

// windows are the files that are elsewhere on Windows.
var windows = map[string]string{
	"~/.config/zed/settings.json": config + "/Zed/settings.json",
	"~/.config/goose/config.yaml": config + "/Block/goose/config/config.yaml",
}

// path returns the file of a path of a place.
func (p *Program) path(name string) string {
	if p.OS == "windows" {
		name = firstOf(windows[name], name)
	}
	folder := firstOf(p.Getenv("XDG_CONFIG_HOME"), filepath.Join(p.Home, ".config"))
	switch p.OS {
	case "darwin":
		folder = filepath.Join(p.Home, "Library", "Application Support")
	case "windows":
		folder = firstOf(p.Getenv("APPDATA"), filepath.Join(p.Home, "AppData", "Roaming"))
	}
	name = strings.Replace(name, storage, config+"/Code/User/globalStorage", 1)
	switch rest, ok := strings.CutPrefix(name, "~/"); {
	case ok && p.Getenv("CODEX_HOME") != "" && strings.HasPrefix(rest, ".codex/"):
		return filepath.Join(p.Getenv("CODEX_HOME"), strings.TrimPrefix(rest, ".codex/"))
	case ok:
		return filepath.Join(p.Home, filepath.FromSlash(rest))
	case strings.HasPrefix(name, config):
		return filepath.Join(folder, filepath.FromSlash(strings.TrimPrefix(name, config)))
	}
	return filepath.Join(p.Dir, filepath.FromSlash(name))
}
