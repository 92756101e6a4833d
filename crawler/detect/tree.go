package detect

import (
	"path"
	"regexp"
	"strings"

	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

var (
	testName    = regexp.MustCompile(`(?i)(?:[._-]tests?|[._-]spec|_test|Tests?|Spec)\.(?:[cm]?[jt]sx?|py|go|java|kts?|cs|rs|swift|rb|php|cpp|clj|ex|exs|scala|fs|dart|vue)$|^test_.*\.py$|^tests?\.(?:[cm]?[jt]s|py|rs|go)$`)
	testDir     = regexp.MustCompile(`(?i)(?:^|/)(?:tests?|__tests__|spec|e2e|integration[-_]?tests?|unit[-_]?tests?|its)(?:/|$)`)
	codeFile    = regexp.MustCompile(`(?i)\.(?:[cm]?[jt]sx?|py|go|java|kts?|cs|rs|swift|rb|php|cpp|cc|clj|cljs|ex|exs|scala|fs|dart)$`)
	pushEvent   = regexp.MustCompile(`(?m)^\s*(?:-\s*)?["']?(?:on|push|pull_request|pull_request_target|merge_group)["']?\s*:|^\s*on:\s*\[?[^\n]*(?:push|pull_request)|^\s*-\s*(?:push|pull_request)\s*$`)
	pushOnly    = regexp.MustCompile(`(?m)\b(?:push|pull_request|pull_request_target)\b`)
	tagsOnly    = regexp.MustCompile(`(?m)^\s*tags:`)
	permissions = regexp.MustCompile(`(?m)^\s*permissions\s*:`)
	prTarget    = regexp.MustCompile(`(?m)\bpull_request_target\b`)
	checksHead  = regexp.MustCompile(`github\.event\.pull_request\.head\.|github\.head_ref|refs/pull/\$\{\{`)
	ciName      = regexp.MustCompile(`(?i)(?:^|[-_./])(?:ci|tests?|build|check|checks|lint|main|pr|pull|python-package|node|go|verify|validate|unit|quality|integration)(?:[-_.]|$)`)
	compiled    = map[string]bool{".go": true, ".rs": true, ".java": true, ".kt": true, ".cs": true, ".swift": true, ".cpp": true, ".cc": true, ".scala": true, ".fs": true, ".dart": true}
)

func isTest(p string) bool {
	return testName.MatchString(path.Base(p)) || testDir.MatchString(dirOf(p)) && codeFile.MatchString(p)
}

// tree collects what the listing says about engineering. Of a server in a
// subfolder, tests, lock files and the like count where they lie in it or at
// the root; workflows and policies are the repository's.
func (r *repo) tree(u *unit, alone bool) registry.TreeFacts {
	t := registry.TreeFacts{ObservedAt: r.snap.Repo.ObservedAt}
	if t.ObservedAt.IsZero() {
		t.ObservedAt = r.snap.Repo.UpdatedAt
	}
	dir := u.dir
	if alone {
		dir = ""
	}
	code := map[string]int{}
	for _, f := range r.snap.Files {
		p, base := f.Path, path.Base(f.Path)
		inside := strings.HasPrefix(p, prefix(dir))
		atRoot := !strings.Contains(p, "/")
		if strings.Contains(p, "node_modules/") || strings.Contains(p, "/vendor/") {
			continue
		}
		switch {
		case strings.HasPrefix(p, ".github/workflows/") && (strings.HasSuffix(base, ".yml") || strings.HasSuffix(base, ".yaml")):
			r.workflow(&t, p)
		case ciFiles[p]:
			t.CI = append(t.CI, p)
			text, ok := r.snap.Texts[p]
			t.CIRunsTests = t.CIRunsTests || !ok || runsTests.MatchString(text)
		case p == ".github/dependabot.yml" || p == ".github/dependabot.yaml" || strings.HasPrefix(base, "renovate.json") && (atRoot || strings.HasPrefix(p, ".github/")) || p == ".renovaterc" || p == ".renovaterc.json":
			t.UpdateBot = first(t.UpdateBot, p)
		}
		l := strings.ToLower(base)
		if strings.HasPrefix(l, "security.") || l == "security" {
			if d := strings.ToLower(dirOf(p)); d == "" || d == ".github" || d == "docs" || inside && dirOf(p) == dir {
				t.SecurityFile = first(t.SecurityFile, p)
			}
		}
		if !inside && !atRoot {
			continue
		}
		if inside && isTest(p) && f.Size >= 40 && codeFile.MatchString(base) {
			t.TestFiles++
		}
		if inside && codeFile.MatchString(base) {
			code[strings.ToLower(path.Ext(base))]++
		}
		own := atRoot || dirOf(p) == dir
		switch {
		case lockFiles[base] && (own || alone && !excluded(dirOf(p))):
			if t.Lockfile == "" || own && dirOf(p) == dir && dirOf(t.Lockfile) != dir {
				t.Lockfile = p
			}
		case lintFiles[base] && (own || inside && !excluded(dirOf(p))), own && (strings.HasPrefix(base, ".eslintrc") || strings.HasPrefix(base, "eslint.config.")):
			t.LintOrTypes = first(t.LintOrTypes, p)
		}
		if own {
			switch {
			case strings.HasPrefix(l, "changelog") || strings.HasPrefix(l, "changes.") || l == "changes" || strings.HasPrefix(l, "history.") || strings.HasPrefix(l, "release_notes") || strings.HasPrefix(l, "releasenotes") || strings.HasPrefix(l, "release-notes"):
				if t.Changelog == "" || dirOf(p) == dir {
					t.Changelog = p
				}
			case base == "Dockerfile" || base == "Containerfile":
				if t.Dockerfile == "" || dirOf(p) == dir {
					t.Dockerfile = p
				}
			}
		} else if inside && base == "Dockerfile" && !excluded(dirOf(p)) {
			t.Dockerfile = first(t.Dockerfile, p)
		}
	}
	if r.files[".changeset/config.json"] && t.Changelog == "" && alone {
		for _, f := range r.snap.Files {
			if strings.EqualFold(path.Base(f.Path), "CHANGELOG.md") {
				t.Changelog = f.Path
				break
			}
		}
	}
	most, n := "", 0
	for ext, k := range code {
		if k > n || k == n && ext < most {
			most, n = ext, k
		}
	}
	t.CompiledLanguage = compiled[most]
	if t.LintOrTypes == "" && t.CompiledLanguage {
		t.LintOrTypes = strings.TrimPrefix(most, ".")
	}
	if t.LintOrTypes == "" {
		for _, tool := range []string{"[tool.ruff", "[tool.mypy", "[tool.pyright", "[tool.black", "[tool.pylint", "[tool.flake8", "[tool.ty"} {
			p := path.Join(dir, "pyproject.toml")
			if strings.Contains(r.snap.Texts[p], tool) {
				t.LintOrTypes = p
				break
			}
		}
	}
	for _, e := range r.dependencies(u) {
		for _, d := range e.deps {
			t.HasDependencies = t.HasDependencies || !d.Dev
		}
	}
	if u.gomod == nil && u.sdk.ecosystem == "go" {
		t.HasDependencies = true
	}
	return t
}

func (r *repo) workflow(t *registry.TreeFacts, p string) {
	t.Workflows++
	text, ok := r.snap.Texts[p]
	if !ok || len(text) > untyped.MaxSize {
		if ciName.MatchString(path.Base(p)) {
			t.CI = append(t.CI, p)
		}
		return
	}
	text = string(untyped.Clean([]byte(text)))
	t.WorkflowsRead++
	if permissions.MatchString(text) {
		t.WithPermissions++
	}
	if prTarget.MatchString(text) && checksHead.MatchString(text) && strings.Contains(text, "actions/checkout") {
		t.UnsafeCheckout = first(t.UnsafeCheckout, p)
	}
	if pushEvent.MatchString(text) && pushOnly.MatchString(text) {
		branches := strings.Contains(text, "pull_request") || !tagsOnly.MatchString(text) || strings.Contains(text, "branches")
		t.CI = append(t.CI, p)
		if branches && runsTests.MatchString(text) {
			t.CIRunsTests = true
		}
	}
}

// licenseFile says whether the listing has a licence file for a folder.
func (r *repo) licenseFile(dir string) bool {
	for _, d := range []string{dir, ""} {
		for _, base := range r.dirs[d] {
			l := strings.ToLower(base)
			if strings.HasPrefix(l, "license") || strings.HasPrefix(l, "licence") || strings.HasPrefix(l, "copying") || l == "unlicense" {
				return true
			}
		}
	}
	return false
}
