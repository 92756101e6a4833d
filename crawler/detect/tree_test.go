package detect

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func TestTree(t *testing.T) {
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		files string // paths, separated by spaces
		dir   string // of the server
		want  registry.TreeFacts
	}{
		"tests": {"a_test.go b.go test/c.py testdata/d.txt", "", registry.TreeFacts{
			TestFiles: 2, CompiledLanguage: true, LintOrTypes: "go",
		}},
		"lock file next to the server": {"uv.lock src/a/uv.lock", "src/a", registry.TreeFacts{Lockfile: "src/a/uv.lock"}},
		"lock file of the root":        {"package-lock.json src/b/package-lock.json", "src/a", registry.TreeFacts{Lockfile: "package-lock.json"}},
		"lock file of an example":      {"examples/a/package-lock.json", "", registry.TreeFacts{}},
		"linter":                       {"eslint.config.mjs a.js", "", registry.TreeFacts{LintOrTypes: "eslint.config.mjs"}},
		"linter of another language":   {"tsconfig.json src/a/server.py", "src/a", registry.TreeFacts{}},
		"linter of any language":       {".pre-commit-config.yaml src/a/server.py", "src/a", registry.TreeFacts{LintOrTypes: ".pre-commit-config.yaml"}},
		"changelog":                    {"CHANGELOG.md src/a/Changes.txt", "src/a", registry.TreeFacts{Changelog: "src/a/Changes.txt"}},
		"changesets":                   {".changeset/config.json packages/a/CHANGELOG.md", "", registry.TreeFacts{Changelog: "packages/a/CHANGELOG.md"}},
		"security policy":              {".github/SECURITY.md lib/security.md", "", registry.TreeFacts{SecurityFile: ".github/SECURITY.md"}},
		"update bot":                   {"renovate.json5", "", registry.TreeFacts{UpdateBot: "renovate.json5"}},
		"other CI":                     {".gitlab-ci.yml", "", registry.TreeFacts{CI: []string{".gitlab-ci.yml"}}},
		"workflow that was not read":   {".github/workflows/ci.yml", "", registry.TreeFacts{Workflows: 1}},
		"image":                        {"docker/Dockerfile Containerfile", "", registry.TreeFacts{Dockerfile: "Containerfile"}},
		"dependencies of others":       {"node_modules/x/a.test.js web/vendor/go.sum", "", registry.TreeFacts{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &registry.Snapshot{Repo: registry.Repository{ObservedAt: at}}
			for p := range strings.FieldsSeq(tt.files) {
				s.Files = append(s.Files, registry.File{Path: p, Size: 100})
			}
			tt.want.ObservedAt = at
			tt.want.CIRead = !strings.Contains(tt.files, ".yml")
			got := read(s).tree(&unit{dir: tt.dir}, tt.dir == "")
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestWorkflow(t *testing.T) {
	const p = ".github/workflows/x.yml"
	tests := registry.CIStep{Path: p, Job: "a", Command: "go test ./...", Tests: true, On: "push"}
	for name, tt := range map[string]struct {
		text string
		want registry.TreeFacts
	}{
		"tests on push": {"on: [push]\njobs:\n  a:\n    steps:\n      - run: go test ./...\n",
			registry.TreeFacts{CI: []string{p}, CIStep: &tests, CIRead: true, WorkflowsRead: 1}},
		"release of tags": {"on:\n  push:\n    tags: ['v*']\njobs:\n  a:\n    steps:\n      - run: npm test\n",
			registry.TreeFacts{CIRead: true, WorkflowsRead: 1}},
		"on a schedule": {"on:\n  schedule:\n    - cron: '0 0 * * *'\njobs:\n  a:\n    steps: []\n",
			registry.TreeFacts{CIRead: true, WorkflowsRead: 1}},
		"permissions": {"on: schedule\npermissions:\n  contents: read\njobs:\n  a:\n    steps: []\n",
			registry.TreeFacts{CIRead: true, WorkflowsRead: 1, WithPermissions: 1}},
		"code of pull requests": {"on: pull_request_target\njobs:\n  a:\n    steps:\n" +
			"      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.head_ref }}\n",
			registry.TreeFacts{CIRead: true, WorkflowsRead: 1, UnsafeCheckout: p}},
		"not YAML": {"on: [push\n", registry.TreeFacts{}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.want.Workflows = 1
			s := &registry.Snapshot{
				Files: []registry.File{{Path: p, Size: 100}}, Texts: map[string]string{p: tt.text},
			}
			if d := cmp.Diff(tt.want, read(s).tree(&unit{}, true)); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestWorkflowOfMember checks that path filters apply to the member's files.
func TestWorkflowOfMember(t *testing.T) {
	const p = ".github/workflows/a.yml"
	s := &registry.Snapshot{
		Files: []registry.File{{Path: p}, {Path: "a/main.go"}, {Path: "b/main.go"}},
		Texts: map[string]string{p: "on:\n  push:\n    paths: ['a/**']\njobs:\n  a:\n    steps:\n" +
			"      - run: go test ./...\n"},
	}
	for dir, want := range map[string]bool{"a": true, "b": false} {
		if got := read(s).tree(&unit{dir: dir}, false).CIStep != nil; got != want {
			t.Errorf("%s: %v, want %v", dir, got, want)
		}
	}
}

func TestRustTests(t *testing.T) {
	texts := map[string]string{"Cargo.toml": "[package]\nname = \"tides\"\n", "src/main.rs": "fn main() {}\n",
		"src/tide.rs": "fn tide() {}\n\n#[cfg(test)]\nmod tests {}\n"}
	if got := read(repoOf("octo/tides", texts)).tree(&unit{}, true).TestFiles; got != 1 {
		t.Errorf("%d files with tests, want 1", got)
	}
}
