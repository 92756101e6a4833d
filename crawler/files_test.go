package crawler

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func listing(size int64, paths ...string) (files []registry.File) {
	for _, p := range paths {
		files = append(files, registry.File{Path: p, Size: size, OID: strings.Repeat("0", 40), Mode: "100644"})
	}
	return files
}

func pathsOf(files []registry.File) (paths []string) {
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	return paths
}

func TestSelectFiles(t *testing.T) {
	for _, c := range []struct {
		name    string
		files   []registry.File
		licence bool
		want    []string
	}{
		{
			"root before folders, README first",
			listing(100, ".github/workflows/ci.yml", "App.csproj", "LICENSE", "TOOLS.md", "docs/Tools.md", "docs/guide.md",
				"image.png", "package.json", "packages/a/README.md", "packages/a/package.json", "packages/a/server/main.ts",
				"readme.MD", "src/index.ts", "src/tools/weather.ts"), true,
			[]string{"readme.MD", "package.json", "App.csproj", "LICENSE", "TOOLS.md", "docs/Tools.md",
				"packages/a/package.json", ".github/workflows/ci.yml", "packages/a/README.md",
				"src/tools/weather.ts", "src/index.ts", "packages/a/server/main.ts"},
		},
		{"licence known", listing(100, "COPYING", "go.mod"), false, []string{"go.mod"}},
		{
			"folders of other projects, tests and types",
			listing(100, "node_modules/x/package.json", "src/index.test.ts", "src/types.d.ts", "tests/fixtures/package.json",
				"vendor/y/go.mod"), true, nil,
		},
		{"too large", append(listing(MaxText+1, "a/package.json"), listing(maxSourceText+1, "server.py")...), true, nil},
		{"long README", listing(maxReadme, "README.md"), true, []string{"README.md"}},
		{"empty", listing(0, "README.md"), true, nil},
		{"link", []registry.File{{Path: "go.mod", OID: "1", Mode: ModeLink}}, true, []string{"go.mod"}},
		{"submodule", []registry.File{{Path: "go.mod", OID: "1", Mode: ModeSubmodule}}, true, nil},
		{
			"examples last",
			listing(100, "examples/a/package.json", "src/servers/b/pyproject.toml", "z/y/x/setup.py"), true,
			[]string{"src/servers/b/pyproject.toml", "z/y/x/setup.py", "examples/a/package.json"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, pathsOf(SelectFiles(registry.HostOf(""), c.files, c.licence))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSelectFilesLimits(t *testing.T) {
	var files []registry.File
	for i := range 300 {
		dir := fmt.Sprintf("src/servers/s%03d/", i)
		files = append(files, listing(10_000, dir+"README.md", dir+"pyproject.toml", dir+"server.py")...)
	}
	total, kinds := int64(0), map[string]int{}
	for _, f := range SelectFiles(registry.HostOf(""), files, true) {
		total += f.Size
		kinds[f.Path[strings.LastIndexByte(f.Path, '/')+1:]]++
	}
	want := map[string]int{"pyproject.toml": maxManifestSum / 10_000, "README.md": maxReadmes, "server.py": 300}
	if diff := cmp.Diff(want, kinds); diff != "" || total > maxTexts {
		t.Errorf("%d bytes\n%s", total, diff)
	}
	if files := SelectFiles(registry.HostOf(""), listing(MaxText, pathsOf(files)...),
		true); len(files) != maxTexts/MaxText {
		t.Errorf("%d files of the greatest size", len(files))
	}
}

func TestText(t *testing.T) {
	long := strings.Repeat("x", maxSourceText-1)
	for _, c := range []struct {
		name, in, want string
		ok             bool
	}{
		{"plain", "a\n", "a\n", true},
		{"byte order mark", "\uFEFFa", "a", true},
		{"invalid UTF-8", "a\xff", "a\uFFFD", true},
		{"binary", "a\x00b", "", false},
		{"cut between characters", long + "äb", long, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, ok := Text(c.in); got != c.want || ok != c.ok {
				t.Errorf("got %.20q, %v", got, ok)
			}
		})
	}
}

func TestIsBot(t *testing.T) {
	for name, want := range map[string]bool{
		"dependabot[bot]": true, "github-actions": true, "my-bot": true, "Robot": false, "Abbott": false, "copilot-swe-agent": true,
		"Ann": false, "": false, "renovate": true,
	} {
		if got := IsBot(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
