package detect

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/manifest/readme"
)

func TestSuccessorIn(t *testing.T) {
	const successor = "https://github.com/octo/sea-mcp"
	for name, tt := range map[string]struct{ description, want string }{
		"none":         {"", ""},
		"a bare URL":   {"This repository has moved to " + successor, successor},
		"a link":       {"Deprecated: use [sea-mcp](" + successor + ") instead.", successor},
		"a dependency": {"A server for " + successor, ""},
		"no URL":       {"Deprecated, use sea-mcp instead", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := successorIn(tt.description); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestInstallation checks that commands that build the server are not its installation.
func TestInstallation(t *testing.T) {
	type found struct {
		Command string
		Names   []string
	}
	for name, c := range map[string]struct {
		lines string
		want  found
	}{
		"image built first": {"docker build -t octo/tides .\ndocker run -i octo/tides", found{}},
		"package after a build": {"npm install && npm run build\nnpx tides-mcp",
			found{"npx tides-mcp", []string{"tides-mcp"}}},
		"build only":          {"pnpm run build\npip install -r requirements.txt\nnode --version", found{}},
		"started from source": {"npm install\nnode build/index.js", found{"node build/index.js", nil}},
		"published image": {"docker run -i ghcr.io/octo/tides",
			found{"docker run -i ghcr.io/octo/tides", []string{"ghcr.io/octo/tides"}}},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := readme.Parse([]byte("# Tides\n\n```sh\n" + c.lines + "\n```\n"))
			if err != nil {
				t.Fatal(err)
			}
			var got found
			got.Command, got.Names = installation(m)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// TestUnreadReadme checks that the README above a member is ignored if the member's own was not
// read.
func TestUnreadReadme(t *testing.T) {
	for text, unread := range map[string]bool{"": true, "# Sea\n\nAn MCP server.\n": false} {
		s := repoOf("octo/many-mcp", map[string]string{"README.md": "# Many\n\nMCP servers.\n",
			"sea-mcp/package.json": strings.Replace(npmServer, "NAME", "sea-mcp", 1), "sea-mcp/README.md": text,
			"sky-mcp/package.json": strings.Replace(npmServer, "NAME", "sky-mcp", 1), "sky-mcp/README.md": "# Sky\n"})
		for _, d := range Servers(s, nil).Servers {
			want := unread && d.Detection.Subfolder == "sea-mcp"
			if d.ReadmeUnread != want || (d.Readme == nil) != want {
				t.Errorf("%s, read %v: unread %v, %+v", d.Detection.Subfolder, !unread, d.ReadmeUnread, d.Readme)
			}
		}
	}
}

func TestWithoutMCP(t *testing.T) {
	for in, want := range map[string]string{
		"sea": "sea", "mcp-sea": "sea", "rust-mcp-sea": "rust-sea", "mcp-server-in-rust": "", "mcp-sea-in-go": "sea",
		"rust-mcp-stack": "", "mcp-get": "", "mcp": "", "full-stack-mcp": "full-stack", "clojure-mcp": "clojure",
	} {
		if got := withoutMCP(in); got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

// TestEndedByStatement checks declarations outside the README, and notices that lead back here.
func TestEndedByStatement(t *testing.T) {
	for name, c := range map[string]struct {
		about, readme string
		files         map[string]string
		want          bool
	}{
		"label of the description":    {about: "[DEPRECATED] Lists tides", want: true},
		"sentence of the description": {about: "Lists tides. This repository is no longer maintained.", want: true},
		"subject of the description":  {about: "Finds deprecated packages and archived tides"},
		"classifier": {files: map[string]string{"pyproject.toml": "[project]\nname = \"tides-mcp\"\n" +
			"classifiers = [\"Development Status :: 7 - Inactive\"]\ndependencies = [\"mcp\"]\n" +
			"[project.scripts]\ntides-mcp = \"tides:main\"\n"}, want: true},
		"status of a crate": {files: map[string]string{"Cargo.toml": "[package]\nname = \"tides-mcp\"\n" +
			"[[bin]]\nname = \"tides\"\n[dependencies]\nrmcp = \"1\"\n[badges]\n" +
			"maintenance = { status = \"deprecated\" }\n"}, want: true},
		"moved elsewhere": {readme: "This project has moved to https://github.com/octo/sea.\n", want: true},
		"moved here":      {readme: "This project has moved to https://github.com/octo/tides-mcp.\n"},
	} {
		files := map[string]string{"README.md": "# Tides MCP server\n\n" + c.readme}
		if c.files == nil {
			files["package.json"] = npm("")
		}
		maps.Copy(files, c.files)
		s := repoOf("octo/tides-mcp", files)
		s.Repo.Description = c.about
		r := Servers(s, nil)
		if len(r.Servers) != 1 {
			t.Fatalf("%s: %s", name, r.Reason)
		}
		if got := r.Servers[0].Readme.Deprecation == readme.DeprecationDeclared; got != c.want {
			t.Errorf("%s: got declared %v, want %v", name, got, c.want)
		}
	}
}
