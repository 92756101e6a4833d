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
		"linter":                       {"eslint.config.mjs", "", registry.TreeFacts{LintOrTypes: "eslint.config.mjs"}},
		"changelog":                    {"CHANGELOG.md src/a/Changes.txt", "src/a", registry.TreeFacts{Changelog: "src/a/Changes.txt"}},
		"changesets":                   {".changeset/config.json packages/a/CHANGELOG.md", "", registry.TreeFacts{Changelog: "packages/a/CHANGELOG.md"}},
		"security policy":              {".github/SECURITY.md lib/security.md", "", registry.TreeFacts{SecurityFile: ".github/SECURITY.md"}},
		"update bot":                   {"renovate.json5", "", registry.TreeFacts{UpdateBot: "renovate.json5"}},
		"other CI":                     {".gitlab-ci.yml", "", registry.TreeFacts{CI: []string{".gitlab-ci.yml"}, CIRunsTests: true}},
		"workflow that was not read":   {".github/workflows/ci.yml", "", registry.TreeFacts{CI: []string{".github/workflows/ci.yml"}, Workflows: 1}},
		"image":                        {"docker/Dockerfile Containerfile", "", registry.TreeFacts{Dockerfile: "Containerfile"}},
		"dependencies of others":       {"node_modules/x/a.test.js web/vendor/go.sum", "", registry.TreeFacts{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &registry.Snapshot{Repo: registry.Repository{ObservedAt: at}}
			for p := range strings.FieldsSeq(tt.files) {
				s.Files = append(s.Files, registry.File{Path: p, Size: 100})
			}
			tt.want.ObservedAt = at
			got := read(s).tree(&unit{dir: tt.dir}, tt.dir == "")
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestWorkflow(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want registry.TreeFacts
	}{
		"tests on push":         {"on: [push]\njobs:\n  a:\n    steps:\n      - run: go test ./...\n", registry.TreeFacts{CI: []string{"x.yml"}, CIRunsTests: true}},
		"release of tags":       {"on:\n  push:\n    tags: ['v*']\njobs:\n  a:\n    steps:\n      - run: npm test\n", registry.TreeFacts{CI: []string{"x.yml"}}},
		"on a schedule":         {"on:\n  schedule:\n    - cron: '0 0 * * *'\n", registry.TreeFacts{}},
		"permissions":           {"on: schedule\npermissions:\n  contents: read\n", registry.TreeFacts{WithPermissions: 1}},
		"code of pull requests": {"on: pull_request_target\nsteps:\n  - uses: actions/checkout@v4\n    with: {ref: ${{ github.head_ref }}}\n", registry.TreeFacts{CI: []string{"x.yml"}, UnsafeCheckout: "x.yml"}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.want.Workflows, tt.want.WorkflowsRead = 1, 1
			var got registry.TreeFacts
			read(&registry.Snapshot{Texts: map[string]string{"x.yml": tt.text}}).workflow(&got, "x.yml")
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
