package detect

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/manifest"
	"mcpcensus/internal/registry"
)

func TestShell(t *testing.T) {
	for name, tt := range map[string]struct {
		unit unit
		want bool
	}{
		"nothing":             {unit{}, true},
		"workspace":           {unit{npm: &manifest.PackageJSON{Workspaces: []string{"a"}}}, true},
		"workspace with Go":   {unit{npm: &manifest.PackageJSON{Private: true}, gomod: &manifest.GoMod{}}, false},
		"package":             {unit{npm: &manifest.PackageJSON{Name: "x"}}, false},
		"package with a bin":  {unit{npm: &manifest.PackageJSON{Name: "x", Private: true, Bin: map[string]string{"x": "x"}}}, false},
		"Maven modules":       {unit{pom: &manifest.POM{Modules: []string{"a"}}}, true},
		"crate":               {unit{cargo: &manifest.CargoTOML{Name: "x"}}, false},
		"uv workspace":        {unit{py: &manifest.PyProject{Name: "x", Workspace: []string{"a"}}}, true},
		"tools for Python":    {unit{py: &manifest.PyProject{}}, true},
		"Python with scripts": {unit{py: &manifest.PyProject{Scripts: map[string]string{"x": "y"}}}, false},
		"Go module":           {unit{gomod: &manifest.GoMod{}}, false},
		"requirements":        {unit{reqs: []manifest.Dependency{{Name: "mcp"}}}, false},
	} {
		if got := (&repo{}).shell(&tt.unit); got != tt.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestOutermost(t *testing.T) {
	var got []string
	for _, u := range outermost([]*unit{{dir: "b/c"}, {dir: "a"}, {dir: "b"}, {dir: "bc"}, {dir: "a/x/y"}}) {
		got = append(got, u.dir)
	}
	if d := cmp.Diff([]string{"a", "b", "bc"}, got); d != "" {
		t.Error(d)
	}
}

func TestMatch(t *testing.T) {
	root := &unit{server: &registry.Listing{Name: "io.github.octo/root"}}
	mail := &unit{dir: "src/mail", npm: &manifest.PackageJSON{Name: "@octo/mail"}}
	chat := &unit{dir: "src/chat/mcp", py: &manifest.PyProject{Name: "octo_chat"}}
	all := []*unit{root, mail, chat}
	for name, tt := range map[string]struct {
		members []*unit
		listing registry.Listing
		want    *unit
	}{
		"name":             {all, registry.Listing{Name: "io.github.Octo/root", Subfolder: "src/mail"}, root},
		"folder":           {all, registry.Listing{Name: "a/b", Subfolder: "./src/mail/"}, mail},
		"folder above":     {all, registry.Listing{Name: "a/b", Subfolder: "src/chat"}, chat},
		"unknown folder":   {all, registry.Listing{Name: "a/b", Subfolder: "src/x"}, nil},
		"package":          {all, registry.Listing{Name: "a/b", Packages: []registry.Package{{RegistryType: "pypi", Identifier: "Octo-Chat"}}}, chat},
		"name of a folder": {all, registry.Listing{Name: "a/Mail"}, mail},
		"nothing":          {all, registry.Listing{Name: "a/b"}, root},
		"the only one":     {[]*unit{mail}, registry.Listing{Name: "a/b"}, mail},
		"no root":          {[]*unit{mail, chat}, registry.Listing{Name: "a/b"}, nil},
	} {
		if got := match(tt.members, &tt.listing); got != tt.want {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestServersOfBundle(t *testing.T) {
	files := func(command string) map[string]string {
		return map[string]string{
			"README.md": "# Tides\n\nControl harbours from any MCP client.\n",
			"manifest.json": `{"manifest_version": "0.3", "name": "tides", "server": {"type": "python",
				"mcp_config": {"command": "uvx", "args": ["--from", "` + command + `", "tides-mcp"]}},
				"tools": [{"name": "list_tides", "description": "Lists the tides"}]}`,
			"Server/pyproject.toml": "[project]\nname = \"tides-server\"\nversion = \"1.0.0\"\n" +
				"dependencies = [\"mcp>=1\"]\nscripts = {tides-mcp = \"main:run\"}\n",
			"Server/README.md": "# Tides MCP server\n\n```json\n{\"mcpServers\": {\"tides\": {\"command\": " +
				"\"uvx\", \"args\": [\"--from\", \"tides-server\", \"tides-mcp\"]}}}\n```\n",
			"Server/main.py": "",
		}
	}
	for command, want := range map[string]int{"tides-server": 1, "other-server": 2} {
		got := Servers(repoOf("octo/tides", files(command)), nil).Servers
		if len(got) != want {
			t.Fatalf("a bundle of %s: %d servers, want %d", command, len(got), want)
		}
		if d := got[0].Detection; want == 1 && (len(d.Tools) != 1 || len(d.Packages) != 1) {
			t.Errorf("tools %v, packages %v", d.Tools, d.Packages)
		}
	}
}
