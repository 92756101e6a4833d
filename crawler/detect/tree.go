package detect

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/ci"
	"mcpcensus/crawler/paths"
	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

// compiled are the languages whose compiler checks types.
var compiled = setOf("c", "csharp", "c++", "dart", "f#", "go", "java", "kotlin", "rust", "scala",
	"swift")

// languageID returns the language of a source file as detection and linters name it: the same for
// TypeScript and JavaScript.
func languageID(p string) string {
	switch l := paths.Language(p); l {
	case "JavaScript":
		return "typescript"
	case "C#":
		return "csharp"
	default:
		return strings.ToLower(l)
	}
}

// tree returns the engineering facts in the listing. For a server in a subfolder, tests, lock
// files and similar files count in it or at the root; workflows and policies are the
// repository's.
func (r *repo) tree(u *unit, alone bool) registry.TreeFacts {
	s := &serverTree{repo: r, dir: u.dir, alone: alone, code: map[string]int{},
		linters: map[string]string{}}
	if alone {
		s.dir = ""
	}
	s.facts.CIRead = true
	s.facts.ObservedAt = r.snap.Repo.ObservedAt
	if s.facts.ObservedAt.IsZero() {
		s.facts.ObservedAt = r.snap.Repo.UpdatedAt
	}
	for _, f := range r.own() {
		s.look(s.at(f))
	}
	s.changeset()
	s.languages()
	s.facts.HasDependencies = r.hasDependencies(u)
	return s.facts
}

// hasDependencies reports whether the unit has dependencies at run time.
func (r *repo) hasDependencies(u *unit) bool {
	for _, d := range u.dependencies() {
		if !d.Dev {
			return true
		}
	}
	return u.gomod == nil && u.sdk.ecosystem == "go" // a command of a module
}

// A serverTree collects the facts of a listing for one server.
type serverTree struct {
	repo  *repo
	dir   string // of the server
	alone bool   // the repository contains one server
	facts registry.TreeFacts
	code  map[string]int // source files by language
	// linters are configurations of linters and type checkers by language.
	linters map[string]string
}

// A treePath is a file of the listing and its folder.
type treePath struct {
	path, dir, base string
	lower           string // base in lower case
	size            int64
	inside          bool // in the server's folder or below
	atRoot          bool
	own             bool // at the root or directly in the server's folder
}

func (s *serverTree) at(f registry.File) treePath {
	base, dir := path.Base(f.Path), dirOf(f.Path)
	return treePath{path: f.Path, dir: dir, base: base, lower: strings.ToLower(base), size: f.Size,
		inside: strings.HasPrefix(f.Path, prefix(s.dir)), atRoot: dir == "", own: dir == "" || dir == s.dir}
}

func (s *serverTree) look(f treePath) {
	s.automation(f)
	s.securityPolicy(f)
	if !f.inside && !f.atRoot {
		return
	}
	if f.inside {
		s.source(f)
	}
	s.lockfile(f)
	s.linter(f)
	s.changelog(f)
	s.dockerfile(f)
}

// automation looks for CI and for bots that update dependencies.
func (s *serverTree) automation(f treePath) {
	forHost := f.dir == s.repo.host().Folder && !f.atRoot
	text, read := s.repo.snap.Texts[f.path]
	switch {
	case s.repo.host().IsWorkflow(f.path):
		s.workflow(f.path)
	case ci.IsOther(f.path) && read:
		s.add(f.path, s.repo.ci().Other(f.path, text))
	case ci.IsOther(f.path):
		s.add(f.path, ci.Finding{OnChanges: true, Unread: true})
	case strings.HasPrefix(f.base, "renovate.json") && (f.atRoot || forHost),
		strings.HasPrefix(f.base, ".renovaterc") && f.atRoot,
		(f.base == "dependabot.yml" || f.base == "dependabot.yaml") && forHost:
		s.facts.UpdateBot = cmp.Or(s.facts.UpdateBot, f.path)
	}
}

func (s *serverTree) securityPolicy(f treePath) {
	inPlace := f.dir == s.dir || slices.Contains([]string{"", s.repo.host().Folder, "docs"}, strings.ToLower(f.dir))
	if inPlace && (f.lower == "security" || strings.HasPrefix(f.lower, "security.")) {
		s.facts.SecurityFile = cmp.Or(s.facts.SecurityFile, f.path)
	}
}

// minTest is the minimum size of a file with a test in bytes. The size of files that are not read
// is negative; git's empty file has its known size.
const minTest = 40

// source counts source files and tests.
func (s *serverTree) source(f treePath) {
	language := languageID(f.base)
	if language == "" {
		return
	}
	s.code[language]++
	// Unit tests of Rust are in the file that they test.
	substantial := f.size >= minTest || f.size < 0
	if substantial && paths.File(f.path) == paths.Test || language == "rust" &&
		strings.Contains(s.repo.snap.Texts[f.path], "#[cfg(test)]") {
		s.facts.TestFiles++
	}
}

// lockfile looks for the lock file next to the server.
func (s *serverTree) lockfile(f treePath) {
	if !lockFiles[f.base] || !f.own && (!s.alone || excluded(f.dir)) {
		return
	}
	isNearer := f.dir == s.dir && dirOf(s.facts.Lockfile) != s.dir
	if s.facts.Lockfile == "" || isNearer {
		s.facts.Lockfile = f.path
	}
}

// linter records the first configuration of a linter or type checker for each language, "any" for
// all.
func (s *serverTree) linter(f treePath) {
	language, ok := lintFiles[f.base]
	inPlace := f.own || f.inside && !excluded(f.dir)
	if strings.HasPrefix(f.base, ".eslintrc") || strings.HasPrefix(f.base, "eslint.config.") {
		language, ok, inPlace = "typescript", true, f.own
	}
	if ok && inPlace && s.linters[language] == "" {
		s.linters[language] = f.path
	}
}

var changelogName = regexp.MustCompile(`(?i)^(?:changelog|changes(?:\.|$)|history\.|release[_-]?notes)`)

func (s *serverTree) changelog(f treePath) {
	if f.own && changelogName.MatchString(f.base) && (s.facts.Changelog == "" || f.dir == s.dir) {
		s.facts.Changelog = f.path
	}
}

func (s *serverTree) dockerfile(f treePath) {
	isFirst := s.facts.Dockerfile == ""
	if f.own && (f.base == "Dockerfile" || f.base == "Containerfile") && (isFirst || f.dir == s.dir) ||
		!f.own && f.base == "Dockerfile" && isFirst && !excluded(f.dir) {
		s.facts.Dockerfile = f.path
	}
}

// changeset accepts any changelog in a repository that writes them with changesets.
func (s *serverTree) changeset() {
	if !s.alone || s.facts.Changelog != "" || !s.repo.files[".changeset/config.json"] {
		return
	}
	files := s.repo.snap.Files
	isChangelog := func(f registry.File) bool { return strings.EqualFold(path.Base(f.Path), "CHANGELOG.md") }
	if i := slices.IndexFunc(files, isChangelog); i >= 0 {
		s.facts.Changelog = files[i].Path
	}
}

// pythonLinters are the sections of pyproject.toml that configure linters.
var pythonLinters = []string{
	"[tool.ruff", "[tool.mypy", "[tool.pyright", "[tool.black", "[tool.pylint", "[tool.flake8", "[tool.ty",
}

// languages sets the facts that depend on the server's main language, that of most of its source
// files.
func (s *serverTree) languages() {
	most := mostOf(s.code)
	s.facts.CompiledLanguage = compiled[most]
	s.facts.LintOrTypes = cmp.Or(s.linters[most], s.linters["any"])
	switch {
	case s.facts.LintOrTypes != "":
		return
	case s.facts.CompiledLanguage:
		s.facts.LintOrTypes = most
		return
	case most != "python":
		return
	}
	p := path.Join(s.dir, "pyproject.toml")
	isConfigured := func(l string) bool { return strings.Contains(s.repo.snap.Texts[p], l) }
	if slices.ContainsFunc(pythonLinters, isConfigured) {
		s.facts.LintOrTypes = p
	}
}

// mostOf returns the name with the highest count, the first by name among equals.
func mostOf(counts map[string]int) string {
	most := ""
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > counts[most] {
			most = name
		}
	}
	return most
}

var (
	permissions = regexp.MustCompile(`(?m)^\s*permissions\s*:`)
	prTarget    = regexp.MustCompile(`\bpull_request_target\b`)
	checksHead  = regexp.MustCompile(`github\.event\.pull_request\.head\.|github\.head_ref|refs/pull/\$\{\{`)
)

// workflow adds the facts of a workflow of GitHub Actions. A workflow that was not read, or whose
// text is none, may run anything.
func (s *serverTree) workflow(p string) {
	t := &s.facts
	t.Workflows++
	text, ok := s.repo.snap.Texts[p]
	if !ok {
		t.CIRead = false
		return
	}
	text = string(untyped.Clean([]byte(text)))
	// Runs the code of pull requests with the repository's secrets.
	if prTarget.MatchString(text) && checksHead.MatchString(text) && strings.Contains(text, "actions/checkout") {
		t.UnsafeCheckout = cmp.Or(t.UnsafeCheckout, p)
	}
	found, ok := s.repo.ci().Workflow(p, text, s.dir)
	if !ok {
		t.CIRead = false
		return
	}
	t.WorkflowsRead++
	if permissions.MatchString(text) {
		t.WithPermissions++
	}
	s.add(p, found)
}

// add adds the facts of a CI configuration. Tests take precedence over builds.
func (s *serverTree) add(p string, found ci.Finding) {
	t := &s.facts
	if !found.OnChanges {
		return
	}
	t.CI = append(t.CI, p)
	t.CIRead = t.CIRead && !found.Unread
	if step := found.Step; step != nil && (t.CIStep == nil || step.Tests && !t.CIStep.Tests) {
		t.CIStep = step
	}
}

// configurations returns the reader of the configurations of continuous integration.
func configurations(r *repo) *ci.Repo {
	var code []string
	for _, f := range r.snap.Files {
		if paths.Language(f.Path) != "" {
			code = append(code, f.Path)
		}
	}
	slices.Sort(code)
	return &ci.Repo{
		Branch: r.snap.Repo.DefaultBranch,
		Text: func(p string) (string, bool) {
			text, ok := r.snap.Texts[p]
			return text, ok
		},
		Scripts: func(dir string) map[string]string {
			if u := r.byDir[dir]; u != nil && u.npm != nil {
				return u.npm.Scripts
			}
			return nil
		},
		Code: code,
	}
}

// sdkLanguages are the languages of programs that use the SDK of a language, as code hosts spell
// them, the usual one first.
var sdkLanguages = map[string][]string{
	"typescript": {"TypeScript", "JavaScript"},
	"java":       {"Java", "Kotlin", "Scala", "Clojure"},
	"kotlin":     {"Kotlin", "Java"},
	"csharp":     {"C#", "F#"},
	"python":     {"Python"},
	"go":         {"Go"},
	"php":        {"PHP"},
	"ruby":       {"Ruby"},
	"rust":       {"Rust"},
	"swift":      {"Swift"},
}

// isServerLanguage reports whether a source file may be of the server: it is in a language of programs
// that use its SDK, or that is unknown. Code in others is of its parts, or of another program.
func (u *unit) isServerLanguage(p string) bool {
	known := sdkLanguages[u.sdk.language]
	return known == nil || slices.Contains(known, paths.Language(p))
}

// mayRegister reports whether a source file may register tools of the server: it is in its language,
// or in another one that has a manifest.
func (u *unit) mayRegister(p string) bool {
	switch {
	case u.isServerLanguage(p) || u.sdk.dev:
		return true
	case paths.Language(p) == "Python":
		return u.py != nil || len(u.reqs) > 0
	case sidesLanguage(p) == "TypeScript":
		return u.npm != nil || u.deno != nil
	}
	return paths.Language(p) != "Go" || u.gomod != nil
}

// programLanguage returns the language of a server: that of its SDK, in which most of its source
// files are; without an SDK, the language of most source files in its own folder. It is "" for a
// server at the root without an SDK if the code host has statistics, which apply.
func (r *repo) programLanguage(u *unit) string {
	known := sdkLanguages[u.sdk.language]
	if u.dir == "" && known == nil && r.snap.Repo.Language != "" {
		return ""
	}
	files := map[string]int{}
	for p := range r.files {
		name := paths.Language(p)
		if name != "" && strings.HasPrefix(p, prefix(u.dir)) && isOwn(p) &&
			(known == nil || slices.Contains(known, name)) {
			files[name]++
		}
	}
	if len(files) == 0 && known != nil {
		return known[0]
	}
	return mostOf(files)
}
