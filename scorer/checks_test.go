package scorer

import (
	"math"
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

func find(t testing.TB, h registry.Health, id string) registry.Check {
	t.Helper()
	for _, s := range h.Categories {
		for _, c := range s.Checks {
			if c.ID == id {
				return c
			}
		}
	}
	t.Fatal("no check", id)
	return registry.Check{}
}

func TestChecks(t *testing.T) {
	type facts = registry.Facts
	for _, tt := range []struct {
		name, check string
		set         func(f *facts)
		state       string
		value       float64 // of the check, for StateOK
		reason      string  // part of it
	}{
		{"a commit of today", "commit_recency", func(f *facts) { f.Activity.LastCommitAt = ptr(testNow) }, StateOK, 1, "Last human commit today (2026-11-20)."},
		{"a commit in the future", "commit_recency", func(f *facts) { f.Activity.LastCommitAt = ptr(testNow.AddDate(3, 0, 0)) }, StateOK, 1, "today"},
		{"no human commit known, a head of long ago", "commit_recency", func(f *facts) {
			f.Activity.LastCommitAt, f.Repo.CommittedAt, f.Issues = nil, ptr(testNow.AddDate(0, 0, -540)), nil
		}, StateOK, 0, "before 2025-05-29"},
		{"no human commit among too many", "commit_recency", func(f *facts) { f.Activity.LastCommitAt, f.Activity.Truncated = nil, true }, StateUnknown, 0, ""},
		{"a young repository", "commit_recency", func(f *facts) {
			f.Repo.CreatedAt, f.Activity.LastCommitAt = testNow.AddDate(0, 0, -45), ptr(testNow)
		}, StateOK, .8, "45 days old"},
		{"no activity", "cadence", func(f *facts) { f.Activity, f.Failures = nil, map[string]string{"activity": "GitHub answered 502"} }, StateUnknown, 0, "Last try: GitHub answered 502."},
		{"days that are no days", "cadence", func(f *facts) { f.Activity.ActiveDays, f.Issues = []string{"yesterday", "2026-13-40", ""}, nil }, StateOK, 0, "0 of 26 weeks"},
		{"never released", "release_recency", func(f *facts) {
			f.Repo.LatestReleases, f.Repo.Releases, f.Repo.Tags, f.Packages, f.Detection.Packages, f.Listing = nil, ptr(0), ptr(0), nil, nil, nil
		}, StateOK, 0, "No release"},
		{"releases not read", "release_recency", func(f *facts) {
			f.Repo.LatestReleases, f.Repo.Releases, f.Repo.Tags, f.Packages, f.Detection.Packages, f.Listing = nil, nil, nil, nil, nil, nil
		}, StateUnknown, 0, ""},
		{"two issues", "responsiveness", func(f *facts) { f.Issues.Opened, f.Issues.Answered = 2, 0 }, StateNA, 0, "too few"},
		{"three issues, none answered", "responsiveness", func(f *facts) { f.Issues.Opened, f.Issues.Answered = 3, 0 }, StateOK, .2, "0 of 3"},
		{"a workflow that was not read", "ci", func(f *facts) {
			f.Tree.CI, f.Tree.CIRunsTests, f.Tree.Workflows, f.Tree.WorkflowsRead = []string{".github/workflows/ci.yml"}, false, 1, 0
		}, StateUnknown, 0, "has not been read"},
		{"one that tests and one that was not read", "ci", func(f *facts) {
			f.Tree.CI, f.Tree.CIRunsTests, f.Tree.Workflows, f.Tree.WorkflowsRead = []string{".github/workflows/ci.yml"}, true, 2, 1
		}, StateOK, 1, "ci.yml runs tests"},
		{"a workflow that only releases", "ci", func(f *facts) {
			f.Tree.CI, f.Tree.CIRunsTests, f.Tree.Workflows, f.Tree.WorkflowsRead = nil, false, 1, 1
		}, StateOK, .5, "none that runs tests"},
		{"issues off", "responsiveness", func(f *facts) { f.Repo.IssuesEnabled = ptr(false) }, StateWithheld, 0, "switched off"},

		{"a package nobody was asked about", "package_published", func(f *facts) { f.Packages, f.Listing = nil, nil }, StateUnknown, 0, ""},
		{"a package nobody was asked about, and a remote", "package_published", func(f *facts) {
			f.Packages, f.Listing = nil, nil
			f.Detection.Remotes = []registry.Remote{{Type: "streamable-http", URL: "https://mcp.weather.dev/mcp"}}
		}, StateOK, .8, "has not been said"},
		{"a package that is not there", "package_published", func(f *facts) {
			f.Packages[0] = registry.PackageFacts{RegistryType: "npm", Identifier: "@octo/weather-mcp", Found: ptr(false)}
			f.Listing = nil
		}, StateOK, 0, "is not published"},
		{"from source", "package_published", func(f *facts) {
			f.Packages, f.Detection.Packages, f.Listing, f.Detection.SourceInstall = nil, nil, nil, "go install example.org/x@latest"
		}, StateOK, .4, "go install"},
		{"marked for another entry", "ownership_link", func(f *facts) { f.Packages[0].MCPName = "io.github.other/x" }, StateOK, 0, "io.github.other/x"},
		{"not marked, but listed", "ownership_link", func(f *facts) { f.Packages[0].MCPName = "" }, StateOK, 1, "names this repository"},
		{"no repository named", "ownership_link", func(f *facts) { f.Packages[0].RepoURL = "" }, StateOK, .5, "names no repository"},
		{"not listed, with server.json", "registry_listed", func(f *facts) { f.Listing = nil }, StateOK, .5, "server.json"},
		{"the registry was never read", "registry_listed", func(f *facts) { f.Listing, f.ListingKnown = nil, false }, StateUnknown, 0, ""},
		{"behind for a hundred days", "version_sync", func(f *facts) {
			f.Listing.Version, f.Packages[0].LatestAt = "1.3.0", ptr(testNow.AddDate(0, 0, -100))
		}, StateOK, 0, "The official registry has 1.3.0; the package has had 1.4.0 for 100 days."},
		{"ahead on the branch for four weeks", "version_sync", func(f *facts) { f.Detection.Version = "1.5.0" }, StateOK, 1, "for 28 days"},
		{"a manifest that nobody keeps", "version_sync", func(f *facts) { f.Detection.Version = "1.2.0" }, StateOK, 1, "The package has version 1.4.0, and the manifest says 1.2.0: nothing that is published is behind."},
		{"a placeholder in the manifest", "version_sync", func(f *facts) { f.Detection.Version, f.Listing = "0.0.0-development", nil }, StateNA, 0, ""},
		{"a command for something else", "install_docs", func(f *facts) { f.Readme.InstallNames = []string{"other"} }, StateOK, .6, "npx"},

		{"no README", "readme", func(f *facts) { f.Readme = nil }, StateOK, 0, "There is no README."},
		{"a README that could not be read", "readme", func(f *facts) { f.Readme, f.Failures = nil, map[string]string{"texts": "time was up"} }, StateUnknown, 0, "time was up"},
		{"tools unknown, a heading only", "tools_documented", func(f *facts) { f.Detection.Tools, f.Detection.ToolsFrom, f.Readme.ToolEntries = nil, "", 1 }, StateOK, .5, "heading"},
		{"no tools", "tools_documented", func(f *facts) { f.Detection.Tools = []registry.Tool{} }, StateNA, 0, "no tools"},
		{"undescribed settings", "config_documented", func(f *facts) { f.Readme.VariablesDescribed = nil }, StateOK, .5, "1 of 2"},
		{"tags only", "changelog", func(f *facts) { f.Tree.Changelog, f.Repo.LatestReleases, f.Repo.Releases = "", nil, ptr(0) }, StateOK, .6, "14 releases or tags"},

		{"an old SDK", "sdk_currency", func(f *facts) { f.SDK.UsedAt, f.SDK.LatestAt = ptr(testNow.AddDate(0, 0, -365)), ptr(testNow) }, StateOK, .4, "365 days behind"},
		{"no SDK", "sdk_currency", func(f *facts) { f.SDK, f.Detection.SDKPackage = nil, "" }, StateNA, 0, ""},
		{"an SDK nobody was asked about", "sdk_currency", func(f *facts) { f.SDK = nil }, StateUnknown, 0, ""},
		{"a remote nobody probed", "remote_liveness", func(f *facts) { f.Detection.Remotes = []registry.Remote{{Type: "sse"}} }, StateUnknown, 0, ""},

		{"a release workflow only", "ci", func(f *facts) { f.Tree.CIRunsTests, f.Tree.CI = false, nil }, StateOK, .5, ""},
		{"running checks", "ci_passing", func(f *facts) { f.Repo.CheckState = "PENDING" }, StateUnknown, 0, "still running"},
		{"no dependencies", "reproducible", func(f *facts) { f.Tree.HasDependencies, f.Tree.Lockfile = false, "" }, StateNA, 0, ""},

		{"a moderate advisory", "advisories", func(f *facts) { f.Packages[0].Advisories = []registry.Advisory{{ID: "A", Severity: "moderate"}} }, StateOK, .8, "A (moderate)"},
		{"one without a repair, in a dependency", "advisories", func(f *facts) {
			f.Packages[0].Advisories = []registry.Advisory{{ID: "A", Severity: "critical", Package: "x"}}
		}, StateOK, 1, "No open advisory"},
		{"the same twice", "advisories", func(f *facts) {
			a := registry.Advisory{ID: "A", Severity: "low", Package: "x", Fixed: "2"}
			f.Packages[0].Advisories = []registry.Advisory{a, a}
		}, StateOK, .95, "1 open advisory"},
		{"OSV has not answered", "advisories", func(f *facts) { f.Packages[0].AdvisoriesKnown = false }, StateUnknown, 0, ""},
		{"a policy nobody looked for", "policy", func(f *facts) { f.Tree.SecurityFile, f.Repo.SecurityPolicy = "", nil }, StateUnknown, 0, ""},
		{"bots without a configuration", "dep_updates", func(f *facts) { f.Tree.UpdateBot = "" }, StateOK, 1, "9 commits"},
		{"a dangerous workflow", "workflow_safety", func(f *facts) { f.Tree.UnsafeCheckout = "x.yml" }, StateOK, 0, "x.yml"},

		{"not approved", "license", func(f *facts) { f.Repo.License = "BUSL-1.1" }, StateOK, .5, "BUSL-1.1"},
		{"a GPL of any form", "license", func(f *facts) { f.Repo.License = "GPL-3.0-or-later" }, StateOK, 1, ""},
		{"a manifest only", "license", func(f *facts) { f.Repo.License, f.Detection.LicenseFile = "", false }, StateOK, .5, "Only the manifest"},
		{"an unknown file only", "license", func(f *facts) {
			f.Repo.License, f.Detection.License, f.Packages[0].License = "NOASSERTION", "", "UNLICENSED"
		}, StateOK, .4, "not recognised"},
		{"nobody looked", "license", func(f *facts) {
			f.Repo.License, f.Repo.LicenseKnown, f.Detection.License, f.Detection.LicenseFile, f.Packages[0].License = "", false, "", false, ""
		}, StateUnknown, 0, ""},
		{"one person", "maintainers", func(f *facts) { f.Activity.Humans = ptr(1) }, StateOK, .6, "1 person"},
		{"a namespace of a domain", "owner_identity", func(f *facts) { f.Repo.OwnerVerified, f.Listing.Name = nil, "com.octo/weather" }, StateOK, 1, "com.octo"},
		{"the owner's name", "owner_identity", func(f *facts) { f.Repo.OwnerVerified = nil }, StateOK, .8, ""},
		{"a new account", "owner_identity", func(f *facts) {
			f.Repo.OwnerVerified, f.Listing, f.Repo.OwnerCreatedAt = nil, nil, ptr(testNow.AddDate(0, 0, -9))
		}, StateOK, .4, "9 days old"},
	} {
		f := load(t, "healthy")
		tt.set(&f)
		c := find(t, Health(f, testNow), tt.check)
		value := math.NaN()
		if c.State == StateOK {
			in := newInput(&f, testNow)
			value = in.measure()[checkIndex(tt.check)].value
		}
		if c.State != tt.state || tt.state == StateOK && math.Abs(value-tt.value) > 0.005 || !strings.Contains(c.Reason, tt.reason) {
			t.Errorf("%s: %s is %s with %.3f: %s", tt.name, tt.check, c.State, value, c.Reason)
		}
	}
}

func TestAFixIsOfferedOnlyWherePointsAreLostAndTheOwnerCanAct(t *testing.T) {
	for _, name := range fixtures(t) {
		for _, s := range Health(load(t, name), testNow).Categories {
			for _, c := range s.Checks {
				lost := c.Max-c.Points >= .05
				if c.Fix != "" && (!lost || c.State == StateUnknown || c.State == StateNA) {
					t.Errorf("%s: %s has %v of %v points and the fix %q", name, c.ID, c.Points, c.Max, c.Fix)
				}
			}
		}
	}
}

func TestTheGainOfAnImprovementIsReal(t *testing.T) {
	// A licence lifts its cap as well; with the repository archived nothing helps.
	f := load(t, "no_licence")
	h := Health(f, testNow)
	f.Repo.License = "MIT"
	better := Health(f, testNow)
	if len(h.Improve) != 1 || h.Improve[0].Check != "license" || math.Abs(better.Uncapped-60-h.Improve[0].Gain) > .11 {
		t.Errorf("%+v, but from 60 to %v", h.Improve, better.Uncapped)
	}
	f.Repo.License, f.Repo.Archived = "", true
	if h := Health(f, testNow); len(h.Improve) != 0 {
		t.Errorf("%+v", h.Improve)
	}
	f = load(t, "tiny")
	before := Health(f, testNow)
	f.Tree.CI, f.Tree.CIRunsTests = []string{"ci.yml"}, true
	after := Health(f, testNow)
	for _, i := range before.Improve {
		if i.Check == "ci" && math.Abs(after.Uncapped-before.Uncapped-i.Gain) > .11 {
			t.Errorf("%+v, but from %v to %v", i, before.Uncapped, after.Uncapped)
		}
	}
}
