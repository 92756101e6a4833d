package scorer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcpcensus/internal/registry"
)

// The sixteen properties that the model promises. Those on signals hold for
// any outcome of the checks; those on facts for anything a crawl may store.

func genSignals(t *rapid.T) signals {
	s := make(signals, len(checks))
	for i := range s {
		s[i].state = rapid.SampledFrom([]string{StateOK, StateOK, StateOK, StateUnknown, StateNA,
			StateWithheld}).Draw(t, "state")
		s[i].value = rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 1, .5})).Draw(t,
			"value")
	}
	return s
}

func genCaps(t *rapid.T) []registry.Cap {
	var out []registry.Cap
	for _, c := range caps {
		if rapid.IntRange(0, 9).Draw(t, "cap") == 0 {
			out = append(out, registry.Cap{ID: c.ID, Max: rapid.SampledFrom(c.Max).Draw(t, "max")})
		}
	}
	return out
}

// weigh is Health from the signals on.
func weigh(s signals, stable bool, caps []registry.Cap) (registry.Health, total) {
	copied := slices.Clone(s)
	sum := combine(copied, stable)
	h := registry.Health{Confidence: "low"}
	report(&h, copied, &sum, slices.Clone(caps))
	return h, sum
}

func pick(t *rapid.T, signals signals, state string) (int, bool) {
	var of []int
	for i := range signals {
		if signals[i].state == state {
			of = append(of, i)
		}
	}
	if len(of) == 0 {
		return 0, false
	}
	return rapid.SampledFrom(of).Draw(t, "check"), true
}

const tiny = 1e-9

// genFacts draws facts of every kind, sensible and hostile.
func genFacts(t *rapid.T) registry.Facts {
	day := func(name string, from, to int) time.Time {
		return testNow.Add(-time.Duration(rapid.IntRange(from*24, to*24).Draw(t, name)) * time.Hour)
	}
	maybe := func(name string) bool { return rapid.Bool().Draw(t, name) }
	boolp := func(name string) *bool {
		switch rapid.IntRange(0, 2).Draw(t, name) {
		case 0:
			return nil
		case 1:
			return ptr(false)
		}
		return ptr(true)
	}
	timep := func(name string, from, to int) *time.Time {
		if !maybe(name) {
			return nil
		}
		return ptr(day(name, from, to))
	}
	intp := func(name string, most int) *int {
		if !maybe(name) {
			return nil
		}
		return ptr(rapid.IntRange(0, most).Draw(t, name))
	}
	text := func(name string, of ...string) string {
		return rapid.SampledFrom(append(of, "", "x\x00y\xff", "§ “long” "+
			string(make([]byte, 300)))).Draw(t, name)
	}
	observed := func(name string) time.Time {
		return rapid.SampledFrom([]time.Time{{}, testNow, testNow.AddDate(0, 0, -5),
			testNow.AddDate(0, 0, -40)}).Draw(t, name)
	}
	version := func(name string) string {
		return text(name, "0.1.0", "1.0.0", "1.4.0", "2.0.0-rc.1",
			"v1.2", "latest")
	}

	f := registry.Facts{
		Repo: registry.Repository{
			Host: "github", Owner: text("owner", "octo", "octo"), Name: "x",
			OpenPRs: intp("openPRs", 3), OpenIssues: intp("openIssues", 3),
			OwnerVerified: boolp("verified"), OwnerCreatedAt: timep("ownerCreated", 0, 900),
			Commit: text("commit", "abc"),
			CreatedAt: rapid.SampledFrom([]time.Time{{}, testNow.AddDate(0, 0, -10),
				testNow.AddDate(0, 0, -75), testNow.AddDate(0, 0, -170),
				testNow.AddDate(-2, 0, 0)}).Draw(t, "created"),
			CommittedAt: timep("committed", -2, 700), Fork: maybe("fork"),
			Archived: rapid.IntRange(0, 9).Draw(t, "archived") == 0,
			Stars:    intp("stars", 60000), Forks: intp("forks", 900), Watchers: intp("watchers", 99),
			Releases: intp("releases", 4), Tags: intp("tags", 4), IssuesEnabled: boolp("issuesEnabled"),
			License:      text("license", "MIT", "MIT", "BUSL-1.1", "NOASSERTION"),
			LicenseKnown: maybe("licenseKnown"), SecurityPolicy: boolp("policy"),
			CheckState:      text("checks", "SUCCESS", "FAILURE", "PENDING"),
			CheckStateKnown: maybe("checksKnown"), ObservedAt: observed("repoObserved"),
		},
		Detection: registry.Detection{
			IsServer: maybe("isServer"), Subfolder: text("subfolder", "src/a"),
			RegistryName: text("registryName", "io.github.octo/x"), Version: version("version"),
			SDK: text("sdk", "python"), SDKPackage: text("sdkPackage", "mcp"),
			License: text("manifestLicense", "MIT", "UNLICENSED"), LicenseFile: maybe("licenseFile"),
			Transports: rapid.SliceOfN(rapid.SampledFrom(registry.Transports), 0, 3).Draw(t, "transports"),
			ServerJSON: maybe("serverJson"), SourceInstall: text("sourceInstall", "go install x"),
			ToolsFrom: text("toolsFrom", "source"),
		},
		ListingKnown: maybe("listingKnown"),
	}
	if maybe("remote") {
		f.Detection.Remotes = []registry.Remote{{Type: registry.TransportSSE, URL: "https://x.example"}}
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "tools") {
		f.Detection.Tools = append(f.Detection.Tools,
			registry.Tool{Name: fmt.Sprint("tool", i),
				Description: text("toolText", "one two three four five")})
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "variables") {
		f.Detection.Variables = append(f.Detection.Variables,
			registry.Variable{Name: fmt.Sprint("V", i), Description: text("variableText", "a key")})
	}
	if maybe("release") {
		f.Repo.LatestReleases = []registry.Release{{Tag: version("tag"),
			PublishedAt: timep("releasedAt", -1, 800), HasNotes: boolp("notes"),
			HasAssets: boolp("assets")}}
	}
	if maybe("hasTree") {
		f.Tree = &registry.TreeFacts{TestFiles: rapid.IntRange(-1, 3).Draw(t, "tests"),
			CI:              rapid.SliceOfN(rapid.SampledFrom([]string{"a.yml", "b.yml"}), 0, 2).Draw(t, "ci"),
			CIRead:          maybe("ciRead"),
			Workflows:       rapid.IntRange(-1, 3).Draw(t, "workflows"),
			WorkflowsRead:   rapid.IntRange(-1, 3).Draw(t, "read"),
			WithPermissions: rapid.IntRange(-1, 9).Draw(t, "permissions"),
			UnsafeCheckout:  text("unsafe"), Lockfile: text("lock", "go.sum"),
			HasDependencies: maybe("deps"), LintOrTypes: text("lint", "ruff.toml"),
			Changelog:    text("changelog", "CHANGELOG.md"),
			SecurityFile: text("securityFile"), UpdateBot: text("bot", "renovate.json"),
			ObservedAt: observed("treeObserved")}
	}
	if f.Tree != nil && maybe("ciStep") {
		f.Tree.CIStep = &registry.CIStep{Path: "a.yml", Command: text("ciCommand", "npm test"),
			Tests: maybe("ciTests"), On: "push"}
	}
	if maybe("hasReadme") {
		f.Readme = &registry.ReadmeFacts{Path: text("path", "README.md"),
			Characters:   rapid.IntRange(-5, 6000).Draw(t, "characters"),
			ClientConfig: text("client", "json"), InstallCommand: text("install", "npx x"),
			InstallNames: []string{text("installName", "x")}, ToolHeading: maybe("heading"),
			ToolEntries:    rapid.IntRange(0, 4).Draw(t, "entries"),
			ToolsNamed:     rapid.IntRange(-1, 6).Draw(t, "named"),
			ToolsExplained: rapid.IntRange(-1, 6).Draw(t, "explained"),
			Deprecation: rapid.SampledFrom([]string{"", "", "", "", "soft", "declared"}).Draw(t,
				"deprecation"),
			DeprecationText: text("deprecationText"), ObservedAt: observed("readmeObserved")}
	}
	if maybe("hasActivity") {
		a := &registry.Activity{LastCommitAt: timep("lastCommit", -3, 700), LastCommit: "abc",
			FirstCommitAt: timep("firstCommit", 0, 900), Humans: intp("humans", 4),
			BotCommits: rapid.IntRange(0, 3).Draw(t, "bots"), Truncated: maybe("truncated"),
			OwnCommits: intp("ownCommits", 9), ObservedAt: observed("activityObserved")}
		for range rapid.IntRange(0, 30).Draw(t, "days") {
			a.ActiveDays = append(a.ActiveDays, day("activeDay", -2, 200).Format(time.DateOnly))
		}
		f.Activity = a
	}
	if maybe("hasIssues") {
		f.Issues = &registry.IssueActivity{Opened: rapid.IntRange(-1, 12).Draw(t, "opened"),
			Answered: rapid.IntRange(-1, 14).Draw(t, "answered"), Unanswered: []int{9, 3, 4},
			LastAnswer: timep("lastAnswer", 0, 170), ObservedAt: observed("issuesObserved")}
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "packages") {
		id := fmt.Sprint("x", i)
		f.Detection.Packages = append(f.Detection.Packages,
			registry.Package{RegistryType: "npm", Identifier: id})
		p := registry.PackageFacts{RegistryType: "npm", Identifier: id, Found: boolp("found"),
			Latest: version("latest"), LatestAt: timep("latestAt", -1, 800),
			FirstAt:      timep("firstAt", 0, 900),
			RepoURL:      text("repoUrl", "github:octo/x", "https://github.com/other/x"),
			RepoURLKnown: maybe("repoUrlKnown"),
			Archive:      &registry.ArchiveTools{MCPName: text("mcpName", "io.github.octo/x")},
			Attested:     boolp("attested"), License: text("packageLicense", "MIT"),
			AdvisoriesKnown: maybe("advisoriesKnown"),
			Downloads:       ptr(int64(rapid.IntRange(-1, 1e7).Draw(t, "downloads"))),
			Dependents:      intp("dependents", 100)}
		if rapid.IntRange(0, 9).Draw(t, "malware") == 0 {
			p.Malware = "MAL-1"
		}
		if maybe("deprecationKnown") {
			p.Deprecated = ptr(rapid.SampledFrom([]string{"", "", "use y"}).Draw(t, "notice"))
		}
		if maybe("run") {
			outcome := rapid.SampledFrom(registry.InspectionOutcomes).Draw(t, "outcome")
			p.Inspection = &registry.Inspection{Outcome: outcome, At: day("runAt", 0, 80),
				Version:  rapid.SampledFrom([]string{p.Latest, p.Latest, "0.0.9"}).Draw(t, "runVersion"),
				OwnFault: outcome != registry.InspectionListed && maybe("ownFault")}
		}
		for j := range rapid.IntRange(0, 3).Draw(t, "advisories") {
			p.Advisories = append(p.Advisories, genAdvisory(t, fmt.Sprint("GHSA-", j)))
		}
		if maybe("packageObserved") {
			p.ObservedAt = ptr(observed("packageObservedAt"))
		}
		f.Packages = append(f.Packages, p)
	}
	if maybe("hasListing") {
		f.Listing = &registry.Listing{Name: text("listingName", "io.github.octo/x", "com.octo/x"),
			Version: version("listingVersion"),
			Status: rapid.SampledFrom([]string{"active", "active", "active", "deprecated",
				"deleted"}).Draw(t, "listingStatus"),
			PublishedAt: timep("publishedAt", 0, 700), Packages: f.Detection.Packages,
			ObservedAt: observed("listingObserved")}
	}
	if maybe("hasSDK") {
		f.SDK = &registry.SDKRelease{Package: "mcp", Used: version("sdkUsed"),
			UsedAt: timep("sdkUsedAt", 0, 900), Latest: "9.0.0", LatestAt: timep("sdkLatestAt", 0, 100),
			ObservedAt: observed("sdkObserved")}
	}
	if maybe("sensible") {
		return mixed(t, f)
	}
	return f
}

// mixed puts some of the drawn parts into a sensible server: drawn alone, the
// parts hardly ever make one that is finished, or well known.
func mixed(t *rapid.T, drawn registry.Facts) registry.Facts {
	f, err := read(rapid.SampledFrom([]string{"healthy", "stable_quiet", "tiny", "monorepo_member",
		"registry_and_packages"}).Draw(t, "fixture"))
	if err != nil {
		t.Fatal(err)
	}
	take := func(name string) bool { return rapid.IntRange(0, 4).Draw(t, "take "+name) == 0 }
	if take("repo") {
		f.Repo = drawn.Repo
	}
	if take("detection") {
		f.Detection = drawn.Detection
	}
	if take("tree") {
		f.Tree = drawn.Tree
	}
	if take("readme") {
		f.Readme = drawn.Readme
	}
	if take("activity") {
		f.Activity = drawn.Activity
	}
	if take("issues") {
		f.Issues = drawn.Issues
	}
	if take("packages") {
		f.Packages = drawn.Packages
	}
	if take("listing") {
		f.Listing = drawn.Listing
	}
	if take("sdk") {
		f.SDK = drawn.SDK
	}
	return f
}

func genAdvisory(t *rapid.T, id string) registry.Advisory {
	a := registry.Advisory{ID: id,
		Severity: rapid.SampledFrom([]string{"critical", "high", "moderate", "low", "unknown"}).Draw(t,
			"severity"),
		Package: rapid.SampledFrom([]string{"", "dep"}).Draw(t, "advisoryPackage"),
		Fixed:   rapid.SampledFrom([]string{"", "2.0"}).Draw(t, "fixed"), URL: "javascript:alert(1)"}
	if rapid.Bool().Draw(t, "fixedAtKnown") {
		a.FixedAt = ptr(testNow.AddDate(0, 0, -rapid.IntRange(0, 60).Draw(t, "fixedAt")))
	}
	return a
}

func ptr[T any](v T) *T { return &v }

// cloned returns a deep copy.
func cloned(t *rapid.T, f registry.Facts) registry.Facts {
	b, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	var c registry.Facts
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// scoreOf returns the score, computed even if the coverage is too low.
func scoreOf(f registry.Facts, now time.Time) float64 {
	h := Health(f, now)
	score := h.Uncapped
	for _, c := range h.Caps {
		score = min(score, float64(c.Max))
	}
	return score
}

func TestProperty01ScoreIsWithinBoundsOrNullWithAStatus(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := genFacts(t)
		switch rapid.IntRange(0, 9).Draw(t, "special") {
		case 0:
			f.Gone = true
		case 1:
			f.Repo.Empty = true
		case 2:
			f.Blocked = "dmca"
		}
		h := Health(f, testNow)
		if (h.Score != nil) != (h.Status == registry.HealthScored) {
			t.Fatalf("status %q with score %v", h.Status, h.Score)
		}
		if h.Score != nil && (*h.Score < 0 || *h.Score > 100) {
			t.Fatalf("score %d", *h.Score)
		}
		if h.Status == "" || h.Coverage < 0 || h.Coverage > 1 {
			t.Fatalf("status %q, coverage %v", h.Status, h.Coverage)
		}
		if b, err := json.Marshal(h); err != nil || bytes.Contains(b, []byte(`\u0000`)) || bytes.Contains(b, []byte(`\ufffd`)) {
			t.Fatalf("text that a database refuses: %v %s", err, b)
		}
		for _, s := range h.Categories {
			for _, c := range s.Checks {
				if c.Reason == "" || c.Points < 0 || c.Points > c.Max {
					t.Fatalf("check %+v", c)
				}
				for _, e := range c.Evidence {
					if e.URL != "" && e.URL[:8] != "https://" {
						t.Fatalf("link to %q", e.URL)
					}
				}
			}
		}
	})
}

func TestProperty02ABetterSignalNeverLowersAWorseFactNeverRaises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		signals, caps := genSignals(t), genCaps(t)
		stable := rapid.Bool().Draw(t, "stable")
		i, ok := pick(t, signals, StateOK)
		if !ok {
			return
		}
		_, before := weigh(signals, stable, caps)
		signals[i].value += (1 - signals[i].value) * rapid.Float64Range(0, 1).Draw(t, "rise")
		if _, after := weigh(signals, stable, caps); after.uncapped < before.uncapped-tiny {
			t.Fatalf("%s rose, the score fell from %v to %v", checks[i].ID, before.uncapped, after.uncapped)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		f := genFacts(t)
		worse := cloned(t, f)
		days := time.Duration(rapid.IntRange(1, 300).Draw(t, "days")) * 24 * time.Hour
		what := rapid.SampledFrom([]string{"commit", "advisory", "sdk"}).Draw(t, "what")
		switch {
		case what == "commit" && f.Activity != nil && f.Activity.LastCommitAt != nil:
			worse.Activity.LastCommitAt = ptr(f.Activity.LastCommitAt.Add(-days))
		case what == "advisory" && len(f.Packages) > 0:
			worse.Packages[0].Advisories = append(worse.Packages[0].Advisories, genAdvisory(t, "GHSA-9"))
		case what == "sdk" && f.SDK != nil && f.SDK.UsedAt != nil:
			worse.SDK.UsedAt = ptr(f.SDK.UsedAt.Add(-days))
		default:
			return
		}
		if before, after := scoreOf(f, testNow), scoreOf(worse, testNow); after > before {
			t.Fatalf("a worse %s raised the score from %v to %v", what, before, after)
		}
	})
}

func TestProperty03AddingACapNeverRaises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		signals, caps := genSignals(t), genCaps(t)
		before, _ := weigh(signals, false, caps)
		after, _ := weigh(signals, false,
			append(caps, registry.Cap{ID: "x", Max: rapid.IntRange(0, 100).Draw(t, "cap")}))
		if before.Score != nil && *after.Score > *before.Score {
			t.Fatalf("from %d to %d", *before.Score, *after.Score)
		}
	})
}

func TestProperty04LowIsAtMostScoreIsAtMostHigh(t *testing.T) {
	hold := func(t *rapid.T, h registry.Health, isYoung bool) {
		if h.Score == nil {
			return
		}
		if *h.Low > *h.Score || *h.Score > *h.High {
			t.Fatalf("%d %d %d", *h.Low, *h.Score, *h.High)
		}
		if h.Coverage == 1 && !isYoung && *h.Low != *h.High {
			t.Fatalf("coverage 1, but %d to %d", *h.Low, *h.High)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		h, _ := weigh(genSignals(t), rapid.Bool().Draw(t, "stable"), genCaps(t))
		hold(t, h, false)
	})
	rapid.Check(t, func(t *rapid.T) {
		f := genFacts(t)
		age := newInput(&f, testNow).age
		hold(t, Health(f, testNow), age >= 0 && age < youngCadenceDays)
	})
}

// TestProperty05UnknownFollowsTheMeasured checks that an unknown check counts one half without
// measured ones and rises and falls with these, and that revealing it at its value raises the
// coverage alone.
func TestProperty05UnknownFollowsTheMeasured(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		signals := genSignals(t)
		i, ok := pick(t, signals, StateUnknown)
		if !ok || checks[i].Weight == 0 {
			return
		}
		filled := slices.Clone(signals)
		before := combine(filled, false)
		above, measured := 0.0, false
		for j := range signals {
			if checks[j].category == checks[i].category && signals[j].state == StateOK {
				above += before.weight[j] * (signals[j].value - UnknownValue)
				measured = true
			}
		}
		d := filled[i].value - UnknownValue
		if above > tiny && d < 0 || above < -tiny && d > 0 || !measured && math.Abs(d) > tiny {
			t.Fatalf("measured checks are %v above one half, and %s counts %v above", above,
				checks[i].ID, d)
		}
		signals[i].state, signals[i].value = StateOK, rapid.Float64Range(0, 1).Draw(t, "revealed")
		after := combine(slices.Clone(signals), false)
		if after.coverage <= before.coverage {
			t.Fatalf("coverage %v became %v", before.coverage, after.coverage)
		}
		switch r := signals[i].value - filled[i].value; {
		case r > .11 && after.uncapped < before.uncapped, r < -.11 && after.uncapped > before.uncapped:
			t.Fatalf("revealed %v instead of %v moved %v to %v", signals[i].value, filled[i].value,
				before.uncapped, after.uncapped)
		}
	})
}

func TestProperty06LosingAFactMovesTheScoreByItsWeightAtMost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		signals := genSignals(t)
		i, ok := pick(t, signals, StateOK)
		if !ok {
			return
		}
		stable := rapid.Bool().Draw(t, "stable")
		_, before := weigh(signals, stable, nil)
		signals[i].state = StateUnknown
		_, after := weigh(signals, stable, nil)
		if math.Abs(after.uncapped-before.uncapped) > before.weight[i]+tiny {
			t.Fatalf("%s of weight %v moved %v to %v", checks[i].ID, before.weight[i], before.uncapped,
				after.uncapped)
		}
	})
}

func TestProperty07WithheldNeverScoresAboveUnknown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		signals := genSignals(t)
		stable, caps := rapid.Bool().Draw(t, "stable"), genCaps(t)
		i := rapid.IntRange(0, len(checks)-1).Draw(t, "check")
		signals[i].state = StateUnknown
		unknown, a := weigh(signals, stable, caps)
		signals[i].state = StateWithheld
		withheld, b := weigh(signals, stable, caps)
		if b.uncapped > a.uncapped+tiny || b.high > a.high+tiny || b.coverage > a.coverage+tiny {
			t.Fatalf("%+v above %+v", withheld, unknown)
		}
	})
}

func TestProperty08AllGivesHundredNoneGivesZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		signals := genSignals(t)
		signals[0].state = StateOK
		for _, want := range []int{0, 100} {
			for i := range signals {
				if signals[i].state != StateNA {
					signals[i].state = StateOK
				}
				signals[i].value = float64(want / 100)
			}
			if h, _ := weigh(signals, false, nil); *h.Score != want {
				t.Fatalf("%d instead of %d", *h.Score, want)
			}
		}
	})
}

func TestProperty09PointsSumToTheUncappedScore(t *testing.T) {
	hold := func(t *rapid.T, h registry.Health, uncapped float64) {
		var points, most float64
		for _, s := range h.Categories {
			for _, c := range s.Checks {
				points += c.Points
				most += c.Max
			}
		}
		if math.Abs(points-uncapped) > 1 {
			t.Fatalf("points sum to %v, the score before caps is %v", points, uncapped)
		}
		if math.Abs(most-100) > 0.01 && most > 0 {
			t.Fatalf("maxima sum to %v", most)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		h, sum := weigh(genSignals(t), rapid.Bool().Draw(t, "stable"), genCaps(t))
		hold(t, h, sum.uncapped)
	})
	rapid.Check(t, func(t *rapid.T) {
		h := Health(genFacts(t), testNow)
		hold(t, h, h.Uncapped)
	})
}

func TestProperty10OrderChangesNothingAndBytesRepeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := genFacts(t)
		f.Failures = map[string]string{"tree": "a", "readme": "b", "activity": "c", "packages": "d"}
		other := cloned(t, f)
		shuffle(t, other.Detection.Transports)
		if other.Activity != nil {
			shuffle(t, other.Activity.ActiveDays)
		}
		if other.Issues != nil {
			shuffle(t, other.Issues.Unanswered)
		}
		if other.Tree != nil {
			shuffle(t, other.Tree.CI)
		}
		if other.Readme != nil {
		}
		for i := range other.Packages {
			shuffle(t, other.Packages[i].Advisories)
		}
		// A round through JSON cleans invalid text; do it to both.
		a, _ := json.Marshal(Health(cloned(t, f), testNow))
		b, _ := json.Marshal(Health(other, testNow))
		if string(a) != string(b) {
			t.Fatalf("order changed the verdict:\n%s\n%s", a, b)
		}
	})
}

func shuffle[T any](t *rapid.T, s []T) {
	for i := len(s) - 1; i > 0; i-- {
		j := rapid.IntRange(0, i).Draw(t, "swap")
		s[i], s[j] = s[j], s[i]
	}
}

func TestProperty11PopularityNeverChangesHealth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := genFacts(t)
		before, _ := json.Marshal(Health(f, testNow))
		famous := f
		famous.Repo.Stars, famous.Repo.Forks, famous.Repo.Watchers = ptr(90_000), ptr(7000), ptr(500)
		famous.Packages = slices.Clone(f.Packages)
		for i := range famous.Packages {
			famous.Packages[i].Downloads, famous.Packages[i].DownloadsPrev,
				famous.Packages[i].Dependents = ptr(int64(9e6)), ptr(int64(1)), ptr(5000)
		}
		famous.Scorecard = &registry.Scorecard{Score: 10}
		if after, _ := json.Marshal(Health(famous, testNow)); string(after) != string(before) {
			t.Fatalf("fame changed health:\n%s\n%s", before, after)
		}
	})
}

func TestProperty12ADayLaterNothingRisesAndLittleFalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := genFacts(t)
		if rapid.Bool().Draw(t, "timeless") {
			fresh(&f)
		} else {
			visited(t, &f)
		}
		now, later := newInput(&f, testNow), newInput(&f, testNow.AddDate(0, 0, 1))
		a, b := now.measure(), later.measure()
		// Youth moves a score towards the middle and does not require releases: its end may
		// raise the score. So may an account's first year.
		young := now.age < youngCadenceDays+1 && now.age >= 0 || now.age < 0 && f.Activity != nil &&
			f.Activity.FirstCommitAt != nil
		if young || a[checkIndex("owner_identity")].value != b[checkIndex("owner_identity")].value {
			return
		}
		stableNow, stableLater := now.stable(a), later.stable(b)
		if stableNow != stableLater {
			return // the cap "stale" starts
		}
		for i := range a {
			if a[i].state != b[i].state {
				t.Fatalf("%s went from %s to %s in a day", checks[i].ID, a[i].state, b[i].state)
			}
			if a[i].state == StateOK && b[i].value > a[i].value+tiny {
				t.Fatalf("%s rose from %v to %v", checks[i].ID, a[i].value, b[i].value)
			}
		}
		before, after := combine(a, stableNow), combine(b, stableLater)
		// 2.5 points are for a server to which every check of maintenance
		// applies; where some do not, the others weigh more.
		cadence, sync := checkIndex("cadence"), checkIndex("version_sync")
		most := 2.5 * before.weight[cadence] / checks[cadence].Weight
		if a[sync].value != b[sync].value {
			most += before.weight[sync] / 2 // 30 or 90 days behind, on this very day
		}
		if fall := before.uncapped - after.uncapped; fall > most+tiny || fall < -tiny {
			t.Fatalf("from %v to %v in a day", before.uncapped, after.uncapped)
		}
		// Nor does a cap go.
		one, two := Health(f, testNow), Health(f, testNow.AddDate(0, 0, 1))
		if one.Score != nil && (two.Score == nil || *two.Score > *one.Score) {
			t.Fatalf("the score went from %d to %v in a day, caps %v and %v", *one.Score, two.Score,
				one.Caps, two.Caps)
		}
	})
}

// visited sets the times of facts to the last days of the longest wait between two visits:
// every source is queried at its own interval, and none has failed.
func visited(t *rapid.T, f *registry.Facts) {
	before := func(name string, at time.Time, days int) time.Time {
		whole := rapid.SampledFrom([]int{0, 3, 6, 7, 14, 15, days - 1}).Draw(t, name)
		return at.AddDate(0, 0, -min(whole, days-1))
	}
	probed := before("visited", testNow, longestWait)
	whole := before("visited whole", probed, longestWait) // or the head has not moved since
	f.Repo.ObservedAt = probed
	if c := f.Repo.CommittedAt; c != nil && c.After(whole) {
		f.Repo.CommittedAt = ptr(whole)
	}
	if f.Tree != nil {
		f.Tree.ObservedAt = whole
	}
	if f.Readme != nil {
		f.Readme.ObservedAt = whole
	}
	if f.Activity != nil {
		f.Activity.ObservedAt = whole
	}
	if f.Issues != nil {
		f.Issues.ObservedAt = whole
	}
	if f.Listing != nil {
		f.Listing.ObservedAt = before("listing read", probed, 900)
		f.ListingKnown = true
	}
	if f.SDK != nil {
		f.SDK.ObservedAt = before("SDK compared", probed, 7)
	}
	for i := range f.Packages {
		f.Packages[i].ObservedAt = ptr(before("package asked", testNow, 3))
	}
}

// fresh makes all facts observed with the snapshot, so that none grows too old.
func fresh(f *registry.Facts) {
	f.Repo.ObservedAt = time.Time{}
	if f.Tree != nil {
		f.Tree.ObservedAt = time.Time{}
	}
	if f.Readme != nil {
		f.Readme.ObservedAt = time.Time{}
	}
	if f.Activity != nil {
		f.Activity.ObservedAt = time.Time{}
	}
	if f.Issues != nil {
		f.Issues.ObservedAt = time.Time{}
	}
	if f.Listing != nil {
		f.Listing.ObservedAt = time.Time{}
	}
	if f.SDK != nil {
		f.SDK.ObservedAt = time.Time{}
	}
	for i := range f.Packages {
		f.Packages[i].ObservedAt = nil
	}
}

func TestProperty13ArchivedAndDeprecatedAreAtMost29(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := genFacts(t)
		switch rapid.IntRange(0, 3).Draw(t, "how") {
		case 0:
			f.Repo.Archived = true
		case 1:
			f.Readme = &registry.ReadmeFacts{Path: "README.md", Characters: 9000, Deprecation: "declared"}
		case 2:
			f.Listing = &registry.Listing{Name: "io.github.octo/x", Status: "deprecated"}
		case 3:
			f.Packages = []registry.PackageFacts{{RegistryType: "npm", Identifier: "x", Found: ptr(true),
				Deprecated: ptr("use y")}}
		}
		if h := Health(f, testNow); h.Score != nil && *h.Score > 29 {
			t.Fatalf("score %d", *h.Score)
		}
	})
}

func TestProperty14BotsAndExtraCommitsInAnActiveWeekChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := genFacts(t)
		if f.Activity == nil || len(f.Activity.ActiveDays) == 0 {
			return
		}
		if f.Tree != nil {
			f.Tree.UpdateBot = "renovate.json" // bots count for dep_updates, and only there
		}
		verdict := func(f registry.Facts) string {
			h := Health(f, testNow)
			h.CommitChance = nil // it counts days
			text, _ := json.Marshal(h)
			return string(text)
		}
		before := verdict(f)
		more := f
		a := *f.Activity
		a.BotCommits += rapid.IntRange(0, 5000).Draw(t, "more")
		a.ActiveDays = slices.Clone(a.ActiveDays)
		d, err := time.Parse(time.DateOnly, rapid.SampledFrom(a.ActiveDays).Draw(t, "day"))
		if err != nil {
			t.Fatal(err)
		}
		monday := d.AddDate(0, 0, -(int(d.Weekday())+6)%7)
		for range rapid.IntRange(0, 20).Draw(t, "extra") {
			a.ActiveDays = append(a.ActiveDays,
				monday.AddDate(0, 0, rapid.IntRange(0, 6).Draw(t, "weekday")).Format(time.DateOnly))
		}
		more.Activity = &a
		if after := verdict(more); after != before {
			t.Fatalf("the verdict changed\n%s", cmp.Diff(before, after))
		}
	})
}

// TestProperty17KnowingMoreNeverLowersTheLowerBound adds facts that had not been read.
func TestProperty17KnowingMoreNeverLowersTheLowerBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		signals := genSignals(t)
		i, ok := pick(t, signals, StateUnknown)
		if !ok {
			return
		}
		stable := rapid.Bool().Draw(t, "stable")
		_, before := weigh(signals, stable, nil)
		signals[i] = signal{state: StateOK, value: rapid.Float64Range(0, 1).Draw(t, "value")}
		if _, after := weigh(signals, stable, nil); after.low < before.low-1e-9 {
			t.Fatalf("%s lowered %v to %v", checks[i].ID, before.low, after.low)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		f := genFacts(t)
		if f.Readme == nil {
			return
		}
		low := func(f registry.Facts) float64 {
			in := newInput(&f, testNow)
			s := in.toolsDocumented(fromTexts.signal(in))
			if s.state == StateUnknown {
				return 0
			}
			return s.value
		}
		more := f
		more.Detection.Tools = append(slices.Clone(f.Detection.Tools), registry.Tool{Name: "new",
			Description: "What it does"})
		if f.Detection.Tools != nil && low(more) < low(f)-1e-9 {
			t.Fatalf("a described tool lowered %v to %v", low(f), low(more))
		}
		source := f
		source.Detection.Tools, source.Detection.ToolsFrom = nil, ""
		if listed := low(source); len(more.Detection.Tools) > 0 && low(more) < listed-1e-9 {
			t.Fatalf("tools of the source lowered %v to %v", listed, low(more))
		}
	})
}

func TestProperty15NotApplicableStaysInsideItsCategory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		signals := genSignals(t)
		_, before := weigh(signals, false, nil)
		i := rapid.IntRange(0, len(checks)-1).Draw(t, "check")
		signals[i].state = StateNA
		_, after := weigh(signals, false, nil)
		for c := range after.section {
			if c != checks[i].category && after.section[c] != before.section[c] {
				t.Fatalf("%s moved %s from %v to %v", checks[i].ID, categories[c].ID, before.section[c],
					after.section[c])
			}
		}
	})
}

func TestProperty16TheStableFloorNeverLowersNorAsksForRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		signals := genSignals(t)
		_, without := weigh(signals, false, nil)
		_, with := weigh(signals, true, nil)
		if with.uncapped < without.uncapped-tiny || with.low < without.low-tiny ||
			with.high < without.high-tiny {
			t.Fatalf("from %v to %v", without, with)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		f, err := read("stable_quiet")
		if err != nil {
			t.Fatal(err)
		}
		f.Activity.LastCommitAt = ptr(testNow.AddDate(0, 0, -rapid.IntRange(0, 540).Draw(t, "days")))
		f.Packages[0].LatestAt = ptr(testNow.AddDate(0, 0, -rapid.IntRange(0, 540).Draw(t, "released")))
		in := newInput(&f, testNow)
		signals := in.measure()
		if !in.stable(signals) {
			t.Fatal("activity cost the server its stable floor")
		}
	})
}
