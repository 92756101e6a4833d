package scorer

import (
	"testing"

	"mcpcensus/internal/registry"
)

func TestEngineering(t *testing.T) {
	testChecks(t, []checkCase{
		{"ci", "a workflow that was not read", func(f *registry.Facts) {
			f.Tree.CI, f.Tree.CIStep, f.Tree.CIRead, f.Tree.Workflows = nil, nil, false, 1
		}, StateUnknown, 0, "unknown whether they run tests"},
		{"ci", "one that tests and one that was not read", func(f *registry.Facts) {
			f.Tree.CIRead, f.Tree.Workflows, f.Tree.WorkflowsRead = false, 2, 1
		}, StateOK, 1, "ci.yml runs “npm test” (job test) on pushes and pull requests."},
		{"ci", "a build", func(f *registry.Facts) {
			f.Tree.CIStep = &registry.CIStep{Path: "ci.yml", Name: "Compile", Command: "tsc", On: "push"}
		}, StateOK, .6, "ci.yml runs “tsc” (step “Compile”) on pushes. No step that runs tests"},
		{"ci", "a build, and steps of unknown effect", func(f *registry.Facts) {
			f.Tree.CIStep = &registry.CIStep{Path: "ci.yml", Command: "tsc", On: "push"}
			f.Tree.CIRead = false
		}, StateUnknown, 0, "unknown whether they run tests"},
		{"ci", "a workflow that only lints", func(f *registry.Facts) {
			f.Tree.CIStep, f.Tree.CIRead = nil, true
		}, StateOK, 0, "no step of them runs tests or a build"},
		{"ci", "a release workflow only", func(f *registry.Facts) {
			f.Tree.CIStep, f.Tree.CI, f.Tree.CIRead = nil, nil, true
		}, StateOK, 0, "none runs for pushes"},
		{"ci", "no workflow", func(f *registry.Facts) {
			f.Tree.CIStep, f.Tree.CI, f.Tree.CIRead, f.Tree.Workflows = nil, nil, true, 0
		}, StateOK, 0, "No continuous integration."},
		{"ci_passing", "running checks", func(f *registry.Facts) {
			f.Repo.CheckState = "PENDING"
		}, StateUnknown, 0, "still running"},
		{"reproducible", "no lock file", func(f *registry.Facts) {
			f.Tree.Lockfile = ""
		}, StateOK, 0, "No lock file."},
		{"reproducible", "Maven", func(f *registry.Facts) {
			f.Tree.Lockfile, f.Detection.Language = "", "Kotlin"
		}, StateNA, 0, "write no lock file"},
		{"reproducible", "Gradle with a lock file", func(f *registry.Facts) {
			f.Tree.Lockfile, f.Detection.Language = "gradle.lockfile", "Java"
		}, StateOK, 1, "gradle.lockfile"},
		{"lint_types", "a compiled SDK", func(f *registry.Facts) {
			f.Tree.LintOrTypes, f.Tree.CompiledLanguage, f.Detection.Language = "", false, "C#"
		}, StateOK, 1, "A compiler"},
		{"reproducible", "no dependencies", func(f *registry.Facts) {
			f.Tree.HasDependencies, f.Tree.Lockfile = false, ""
		}, StateNA, 0, ""},
	})
}
