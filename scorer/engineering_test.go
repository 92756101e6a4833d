package scorer

import (
	"testing"

	"mcpcensus/internal/registry"
)

func TestEngineering(t *testing.T) {
	testChecks(t, []checkCase{
		{"ci", "a workflow that was not read", func(f *registry.Facts) {
			f.Tree.CI, f.Tree.CIRunsTests, f.Tree.Workflows,
				f.Tree.WorkflowsRead = []string{".github/workflows/ci.yml"}, false, 1, 0
		}, StateUnknown, 0, "were not read"},
		{"ci", "one that tests and one that was not read", func(f *registry.Facts) {
			f.Tree.CI, f.Tree.CIRunsTests, f.Tree.Workflows,
				f.Tree.WorkflowsRead = []string{".github/workflows/ci.yml"}, true, 2, 1
		}, StateOK, 1, "ci.yml runs tests"},
		{"ci", "a workflow that only releases", func(f *registry.Facts) {
			f.Tree.CI, f.Tree.CIRunsTests, f.Tree.Workflows, f.Tree.WorkflowsRead = nil, false, 1, 1
		}, StateOK, .5, "none of them runs tests"},
		{"ci", "a release workflow only", func(f *registry.Facts) {
			f.Tree.CIRunsTests, f.Tree.CI = false, nil
		}, StateOK, .5, ""},
		{"ci_passing", "running checks", func(f *registry.Facts) {
			f.Repo.CheckState = "PENDING"
		}, StateUnknown, 0, "still running"},
		{"reproducible", "no dependencies", func(f *registry.Facts) {
			f.Tree.HasDependencies, f.Tree.Lockfile = false, ""
		}, StateNA, 0, ""},
	})
}
