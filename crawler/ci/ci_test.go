package ci

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

// repository returns a repository with a package.json and some files.
func repository(files, scripts map[string]string) *Repo {
	return &Repo{
		Branch:  "main",
		Text:    func(p string) (string, bool) { text, ok := files[p]; return text, ok },
		Scripts: func(dir string) map[string]string { return map[string]map[string]string{"": scripts}[dir] },
		Code:    []string{"src/index.ts"},
	}
}

func TestWorkflow(t *testing.T) {
	const job = "jobs:\n  a:\n    steps:\n      - name: Test\n        run: npm test\n"
	scripts := map[string]string{"test": "vitest run", "lint": "eslint ."}
	found := func(on string) Finding {
		return Finding{OnChanges: true, Step: &registry.CIStep{Path: "w", Job: "a", Name: "Test",
			Command: "npm test", Tests: true, On: on}}
	}
	foundIn := func(path string) Finding {
		f := found("push")
		f.Step.Path = path
		return f
	}
	for name, tt := range map[string]struct {
		text string
		want Finding
	}{
		"push":                 {"on: push\n" + job, found("push")},
		"both":                 {"on: [push, pull_request]\n" + job, found("push and pull_request")},
		"quoted on":            {"'on':\n  pull_request:\n" + job, found("pull_request")},
		"default branch":       {"on:\n  push:\n    branches: [main]\n" + job, found("push")},
		"branch pattern":       {"on:\n  push:\n    branches: ['m*']\n" + job, found("push")},
		"another branch":       {"on:\n  push:\n    branches: [gh-pages]\n" + job, Finding{}},
		"branch ignored":       {"on:\n  push:\n    branches-ignore: [main]\n" + job, Finding{}},
		"tags":                 {"on:\n  push:\n    tags: ['v*']\n" + job, Finding{}},
		"tags and branches":    {"on:\n  push:\n    tags: ['v*']\n    branches: [main]\n" + job, found("push")},
		"code in paths":        {"on:\n  push:\n    paths: ['src/**']\n" + job, found("push")},
		"documents in paths":   {"on:\n  push:\n    paths: ['docs/**', '**.md']\n" + job, Finding{}},
		"code excluded":        {"on:\n  push:\n    paths: ['**', '!src/**']\n" + job, Finding{}},
		"documents ignored":    {"on:\n  push:\n    paths-ignore: ['**.md']\n" + job, found("push")},
		"closed pull requests": {"on:\n  pull_request:\n    types: [closed]\n" + job, Finding{}},
		"release":              {"on:\n  release:\n    types: [published]\n" + job, Finding{}},
		"job for tags": {"on: push\njobs:\n  a:\n" +
			"    if: startsWith(github.ref, 'refs/tags/')\n    steps:\n      - run: npm test\n",
			Finding{OnChanges: true}},
		"disabled job": {"on: push\njobs:\n  a:\n    if: false\n    steps:\n" +
			"      - run: npm test\n", Finding{OnChanges: true}},
		"workflow of another repository": {"on: push\njobs:\n  a:\n" +
			"    uses: o/r/.github/workflows/t.yml@v1\n", Finding{OnChanges: true, Unread: true}},
		"workflow of the same repository": {"on: push\njobs:\n  a:\n    uses: ./.github/workflows/t.yml\n",
			foundIn(".github/workflows/t.yml")},
		"action of the same repository": {"on: push\njobs:\n  a:\n    steps:\n" +
			"      - uses: ./.github/actions/t\n", foundIn(".github/actions/t/action.yml")},
		"unread action":    {"on: push\njobs:\n  a:\n    steps:\n      - uses: ./.github/actions/u\n", Finding{OnChanges: true, Unread: true}},
		"publication only": {"on: push\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n      - run: npm ci\n      - run: npm publish\n", Finding{OnChanges: true}},
		"action": {"on: push\njobs:\n  a:\n    steps:\n      - uses: docker/build-push-action@v6\n",
			Finding{OnChanges: true, Step: &registry.CIStep{
				Path: "w", Job: "a", Command: "docker/build-push-action", On: "push",
			}}},
		"command of an action": {"on: push\njobs:\n  a:\n    steps:\n      - uses: o/xvfb@v1\n        with: {run: npm test}\n",
			Finding{OnChanges: true, Unread: true,
				Step: &registry.CIStep{Path: "w", Job: "a", Command: "npm test", Tests: true, On: "push"}}},
		"unknown action": {"on: push\njobs:\n  a:\n    steps:\n      - uses: o/r@v1\n",
			Finding{OnChanges: true, Unread: true}},
		"action known by its name": {"on: push\njobs:\n  a:\n    steps:\n      - uses: o/setup-test-tools@v1\n",
			Finding{OnChanges: true}},
		"matrix": {"on: push\njobs:\n  a:\n    steps:\n      - run: npm run ${{ matrix.task }}\n",
			Finding{OnChanges: true, Unread: true}},
		"anchors": {"on: push\nx: &x {a: 1}\ny: *x\n" + job, found("push")},
	} {
		t.Run(name, func(t *testing.T) {
			r := repository(map[string]string{
				".github/workflows/t.yml":       "on: workflow_call\n" + job,
				".github/actions/t/action.yml":  "runs:\n  using: composite\n  steps:\n    - name: Test\n      run: npm test\n",
				".github/actions/v/action.yaml": "",
			}, scripts)
			got, ok := r.Workflow("w", tt.text, "")
			if d := cmp.Diff(tt.want, got); d != "" || !ok {
				t.Errorf("ok %v\n%s", ok, d)
			}
		})
	}
}

func TestWorkflowMalformed(t *testing.T) {
	for _, text := range []string{"", "on: [push", "- a\n- b\n", "a: 1\n", "on: push\njobs: 1\n", "on: push\njobs:\n  a: []\n"} {
		if f, _ := repository(nil, nil).Workflow("w", text, ""); f.Step != nil {
			t.Errorf("%q: %+v", text, f)
		}
	}
}

func TestOther(t *testing.T) {
	for name, tt := range map[string]struct{ path, text, job, name, want string }{
		"GitLab": {".gitlab-ci.yml", "default:\n  image: {name: node, entrypoint: [\"\"]}\ntest:\n  image: node\n" +
			"  script:\n    - npm ci\n    - npm test\n", "test", "", "npm test"},
		"Circle": {
			".circleci/config.yml",
			"jobs:\n  a:\n    steps:\n      - checkout\n      - run: {command: go test ./...}\n",
			"a", "", "go test ./...",
		},
		"Azure":     {".azure-pipelines/ci.yml", "steps:\n- script: dotnet test\n", "", "", "dotnet test"},
		"Azure job": {"azure-pipelines.yml", "jobs:\n- job: unit\n  steps:\n  - bash: pytest\n", "unit", "", "pytest"},
		"Forgejo": {
			".forgejo/workflows/t.yml",
			"on: push\njobs:\n  t:\n    steps:\n    - run: cargo test\n", "t", "", "cargo test",
		},
		"Woodpecker": {".woodpecker/t.yml", "steps:\n  unit:\n    image: go\n    commands:\n      - go test ./...\n",
			"unit", "", "go test ./..."},
		"Semaphore": {".semaphore/semaphore.yml",
			"blocks:\n  - name: B\n    task:\n      jobs:\n        - name: Unit\n          commands:\n            - make test\n",
			"", "Unit", "make test"},
		"Jenkins": {
			"Jenkinsfile", "pipeline { stages { stage('t') { steps { sh 'mvn -B verify' } } } }",
			"", "", "mvn -B verify",
		},
		"not understood": {".gitlab-ci.yml", "pages:\n  script:\n    - mkdocs gh-deploy\n", "", "", ""},
		"no YAML":        {".drone.star", "def main(ctx):\n  return {}\n", "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if !IsOther(tt.path) {
				t.Errorf("%s is not a CI", tt.path)
			}
			f := repository(nil, nil).Other(tt.path, tt.text)
			want := Finding{OnChanges: true, Unread: true}
			if tt.want != "" {
				want = Finding{OnChanges: true,
					Step: &registry.CIStep{Path: tt.path, Job: tt.job, Name: tt.name, Command: tt.want, Tests: true, On: "push"}}
			}
			if diff := cmp.Diff(want, f); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	for _, p := range []string{"ci.yml", "docs/.gitlab-ci.yml", ".github/workflows/ci.yml", "Makefile", "azure.yml"} {
		if IsOther(p) {
			t.Errorf("%s is a CI", p)
		}
	}
}

// TestLimits checks that scripts that run each other cannot take long.
func TestLimits(t *testing.T) {
	scripts := map[string]string{"a": strings.Repeat("npm run a && ", 200) + "npm run a"}
	text := "on: push\njobs:\n  a:\n    steps:\n      - run: npm run a\n"
	f, _ := repository(nil, scripts).Workflow("w", text, "")
	if diff := cmp.Diff(Finding{OnChanges: true, Unread: true}, f); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestSharedLimit checks that all configurations of a repository share one limit, and that what
// it cuts is unknown.
func TestSharedLimit(t *testing.T) {
	const steps = "jobs:\n  a:\n    steps:\n      - run: |\n"
	commands := strings.Repeat("          a;b;c;d;e;f\n", 1000)
	filters := "on:\n  push:\n    paths:\n" + strings.Repeat("    - '**a**b**s'\n", 500) + steps
	for name, tt := range map[string]struct {
		text  string // of each configuration
		last  string // read after them
		known bool   // when the last one runs
		want  Finding
	}{
		"commands": {"on: push\n" + steps + commands, "on: push\n" + steps + "          npm test\n",
			true, Finding{OnChanges: true, Unread: true}},
		"patterns": {filters, filters + "          npm test\n", false, Finding{}},
		"patterns before a workflow without any": {filters, "on: push\n" + steps +
			"          npm test\n", true, Finding{OnChanges: true, Unread: true}},
	} {
		t.Run(name, func(t *testing.T) {
			r := repository(nil, map[string]string{"test": "vitest"})
			for i := range 2000 {
				r.Code = append(r.Code, fmt.Sprintf("src/%s%04d.ts", strings.Repeat("a", 80), i))
			}
			for i := range 20 {
				r.Workflow(strconv.Itoa(i), tt.text, "")
			}
			got, ok := r.Workflow("last", tt.last, "")
			if diff := cmp.Diff(tt.want, got); diff != "" || ok != tt.known || !r.Ended() {
				t.Errorf("known %v, ended %v, -want +got:\n%s", ok, r.Ended(), diff)
			}
		})
	}
}

// TestFolders checks that a workflow that runs for changes in one folder does not run for those
// in another.
func TestFolders(t *testing.T) {
	r := repository(nil, nil)
	r.Code = []string{"a-b/x.ts", "a/x.ts", "b/x.ts"}
	text := "on:\n  push:\n    paths: ['a/**']\njobs:\n  a:\n    steps:\n      - run: npm test\n"
	for dir, want := range map[string]bool{"": true, "a": true, "b": false, "a-b": false, "c": true} {
		if f, ok := r.Workflow("w", text, dir); f.OnChanges != want || !ok {
			t.Errorf("%q: on changes %v, known %v", dir, f.OnChanges, ok)
		}
	}
}
