package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcpcensus/crawler/shell"
	"mcpcensus/internal/install"
)

func TestEveryClientHasAPlace(t *testing.T) {
	for _, p := range install.Places() {
		if len(p.User) == 0 {
			t.Errorf("no file of %s", p.Client)
		}
	}
}

func TestPath(t *testing.T) {
	tests := []struct {
		os, client string
		variables  map[string]string
		want       string // below the home
	}{
		{os: "linux", client: "cursor", want: ".cursor/mcp.json"},
		{os: "windows", client: "cursor", want: ".cursor/mcp.json"},
		{os: "linux", client: "claude-desktop", want: ".config/Claude/claude_desktop_config.json"},
		{os: "linux", client: "vscode", variables: map[string]string{"XDG_CONFIG_HOME": "/x"},
			want: "/x/Code/User/mcp.json"},
		{os: "darwin", client: "vscode", variables: map[string]string{"XDG_CONFIG_HOME": "/x"},
			want: "Library/Application Support/Code/User/mcp.json"},
		{os: "darwin", client: "cline", want: "Library/Application Support/Code/User/globalStorage/" +
			"saoudrizwan.claude-dev/settings/cline_mcp_settings.json"},
		{os: "windows", client: "claude-desktop",
			want: "AppData/Roaming/Claude/claude_desktop_config.json"},
		{os: "windows", client: "claude-desktop", variables: map[string]string{"APPDATA": "/roaming"},
			want: "/roaming/Claude/claude_desktop_config.json"},
		{os: "windows", client: "zed", want: "AppData/Roaming/Zed/settings.json"},
		{os: "windows", client: "goose", want: "AppData/Roaming/Block/goose/config/config.yaml"},
		{os: "darwin", client: "zed", want: ".config/zed/settings.json"},
		{os: "darwin", client: "goose", want: ".config/goose/config.yaml"},
		{os: "linux", client: "codex", variables: map[string]string{"CODEX_HOME": "/codex"},
			want: "/codex/config.toml"},
	}
	for _, tt := range tests {
		t.Run(tt.os+"/"+tt.client, func(t *testing.T) {
			p := &Program{OS: tt.os, Home: "/home", Dir: "/dir",
				Getenv: func(name string) string { return tt.variables[name] }}
			place, err := placeOf(tt.client)
			if err != nil {
				t.Fatal(err)
			}
			want := tt.want
			if !strings.HasPrefix(want, "/") {
				want = filepath.Join("/home", want)
			}
			if got := p.path(p.userFiles(place.Place)[0]); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// TestSectionsAreRead checks that READMEs with the configuration of any client are read: the
// member that contains its servers is known there, except in YAML.
func TestSectionsAreRead(t *testing.T) {
	for _, p := range install.Places() {
		if p.Kind != install.KindYAML && !slices.Contains(shell.ClientSections, p.Section) {
			t.Errorf("%s: %q is not in shell.ClientSections", p.Client, p.Section)
		}
	}
}
