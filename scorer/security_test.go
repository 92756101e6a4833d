package scorer

import (
	"testing"

	"mcpcensus/internal/registry"
)

func TestSecurity(t *testing.T) {
	testChecks(t, []checkCase{
		{"advisories", "a moderate advisory", func(f *registry.Facts) {
			f.Packages[0].Advisories = []registry.Advisory{{ID: "A", Severity: "moderate"}}
		}, StateOK, .8, "A (moderate)"},
		{"advisories", "one without a repair, in a dependency", func(f *registry.Facts) {
			f.Packages[0].Advisories = []registry.Advisory{{ID: "A", Severity: "critical", Package: "x"}}
		}, StateOK, 1, "No known vulnerabilities"},
		{"advisories", "the same twice", func(f *registry.Facts) {
			a := registry.Advisory{ID: "A", Severity: "low", Package: "x", Fixed: "2"}
			f.Packages[0].Advisories = []registry.Advisory{a, a}
		}, StateOK, .95, "1 open advisory"},
		{"advisories", "OSV has not answered", func(f *registry.Facts) {
			f.Packages[0].AdvisoriesKnown = false
		}, StateUnknown, 0, ""},
		{"policy", "a policy nobody looked for", func(f *registry.Facts) {
			f.Tree.SecurityFile, f.Repo.SecurityPolicy = "", nil
		}, StateUnknown, 0, ""},
		{"dep_updates", "bots without a configuration", func(f *registry.Facts) {
			f.Tree.UpdateBot = ""
		}, StateOK, 1, "9 commits"},
		{"provenance", "a registry without attestations", func(f *registry.Facts) {
			f.Listing = nil
			f.Detection.Packages[0].RegistryType, f.Packages[0].RegistryType = "nuget", "nuget"
			f.Packages[0].Attested = ptr(false)
		}, StateNA, 0, "No registry of its packages has attestations."},
		{"workflow_safety", "a dangerous workflow", func(f *registry.Facts) {
			f.Tree.UnsafeCheckout = "x.yml"
		}, StateOK, 0, "x.yml"},
	})
}
