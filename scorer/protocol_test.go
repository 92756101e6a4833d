package scorer

import (
	"slices"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

func TestProtocol(t *testing.T) {
	testChecks(t, []checkCase{
		{"sdk_currency", "an old SDK", func(f *registry.Facts) {
			f.SDK.UsedAt, f.SDK.LatestAt = ptr(testNow.AddDate(0, 0, -365)), ptr(testNow)
		}, StateOK, .4, "365 days behind"},
		{"sdk_currency", "no SDK", func(f *registry.Facts) {
			f.SDK, f.Detection.SDKPackage = nil, ""
		}, StateNA, 0, ""},
		{"sdk_currency", "an SDK nobody was asked about", func(f *registry.Facts) {
			f.SDK = nil
		}, StateUnknown, 0, ""},
		{"remote_liveness", "a remote", func(f *registry.Facts) {
			f.Detection.Remotes = []registry.Remote{{Type: "sse"}}
		}, StateNA, 0, "next to the score"},
	})
}

func TestStarts(t *testing.T) {
	run := func(outcome string, own bool) func(*registry.Facts) {
		return func(f *registry.Facts) {
			f.Packages[0].Inspection = &registry.Inspection{Outcome: outcome, OwnFault: own,
				Version: "1.4.0", At: testNow.AddDate(0, 0, -3), Detail: "TypeError: x is not a function"}
		}
	}
	second := func(own bool) func(*registry.Facts) {
		return func(f *registry.Facts) {
			f.Detection.Packages = append(f.Detection.Packages,
				registry.Package{RegistryType: "pypi", Identifier: "weather"})
			f.Packages = append(f.Packages, registry.PackageFacts{RegistryType: "pypi",
				Identifier: "weather", Found: ptr(true), Latest: "2.0", ObservedAt: f.Packages[0].ObservedAt,
				Inspection: &registry.Inspection{Outcome: registry.InspectionCrashed, OwnFault: own,
					Version: "2.0", At: testNow}})
		}
	}
	only := func(registryType string) func(*registry.Facts) {
		return func(f *registry.Facts) {
			f.Listing = nil
			f.Detection.Packages[0].RegistryType, f.Packages[0].RegistryType = registryType, registryType
		}
	}
	testChecks(t, []checkCase{
		{"starts", "listed", run(registry.InspectionListed, false), StateOK, 1,
			"npm @octo/weather-mcp 1.4.0 starts and lists its tools."},
		{"starts", "its own crash", run(registry.InspectionCrashed, true), StateOK, 0,
			"npm @octo/weather-mcp 1.4.0 crashes when it is started."},
		{"starts", "its own silence", run(registry.InspectionNoStdio, true), StateOK, 0,
			"does not answer when it is started."},
		{"starts", "a crash of unknown cause", run(registry.InspectionCrashed, false), StateUnknown, 0,
			"may not be its own"},
		{"starts", "credentials", run(registry.InspectionNeedsCredentials, false), StateUnknown, 0,
			"working credentials"},
		{"starts", "a service", run(registry.InspectionNeedsService, false), StateUnknown, 0, "network"},
		{"starts", "slow", run(registry.InspectionTimeout, false), StateUnknown, 0, "within the time"},
		{"starts", "not installed", run(registry.InspectionInstallFailed, false), StateUnknown, 0,
			"could not be installed"},
		{"starts", "no run", func(f *registry.Facts) {
			f.Packages[0].Inspection = nil
		}, StateUnknown, 0, "was not started in a sandbox"},
		{"starts", "a run of an earlier version", func(f *registry.Facts) {
			f.Packages[0].Inspection.Version = "1.3.0"
		}, StateUnknown, 0, "was not started in a sandbox"},
		{"starts", "a run of long ago", func(f *registry.Facts) {
			f.Packages[0].Inspection.At = testNow.AddDate(0, 0, -121)
		}, StateUnknown, 0, "was not started in a sandbox"},
		{"starts", "one of two packages", second(true), StateOK, .5,
			"PyPI weather 2.0 crashes when it is started."},
		{"starts", "one of two packages for an unknown reason", second(false), StateOK, 1, "starts and lists"},
		{"starts", "a package of someone else", func(f *registry.Facts) {
			f.Detection.Packages[0].Doubt = registry.DoubtEcosystem
		}, StateNA, 0, ""},
		{"starts", "a package that the sandbox cannot run", only("nuget"), StateNA, 0, ""},
		{"starts", "no package", func(f *registry.Facts) {
			f.Packages, f.Detection.Packages, f.Listing = nil, nil, nil
		}, StateNA, 0, "No package is published."},
	})
}

// TestDoesNotStart checks that a server whose packages fail by their own fault is capped.
func TestDoesNotStart(t *testing.T) {
	crash := func(own bool) func(*registry.Facts) {
		return func(f *registry.Facts) {
			i := f.Packages[0].Inspection
			i.Outcome, i.OwnFault = registry.InspectionCrashed, own
		}
	}
	for name, c := range map[string]struct {
		set  func(*registry.Facts)
		want bool
	}{
		"starts":            {func(*registry.Facts) {}, false},
		"its own crash":     {crash(true), true},
		"an unknown reason": {crash(false), false},
		"with an endpoint": {func(f *registry.Facts) {
			crash(true)(f)
			f.Detection.Remotes = []registry.Remote{{Type: "sse", URL: "https://a.example"}}
		}, false},
		"of an earlier version": {func(f *registry.Facts) {
			crash(true)(f)
			f.Packages[0].Inspection.Version = "1.3.0"
		}, false},
	} {
		f := load(t, "healthy")
		c.set(&f)
		h := Health(f, testNow)
		i := slices.IndexFunc(h.Caps, func(c registry.Cap) bool { return c.ID == "does_not_start" })
		if got := i >= 0; got != c.want {
			t.Errorf("%s: capped %v, want %v", name, got, c.want)
		}
		if c.want && (*h.Score > 59 || h.Improve[0].Check != "starts") {
			t.Errorf("%s: score %d, improve %+v", name, *h.Score, h.Improve[0])
		}
	}
}

// TestStartsUnknown checks that a run without a verdict counts exactly as no run.
func TestStartsUnknown(t *testing.T) {
	f := load(t, "healthy")
	f.Packages[0].Inspection = nil
	want := Health(f, testNow)
	for _, outcome := range registry.InspectionOutcomes[1:] {
		f.Packages[0].Inspection = &registry.Inspection{Outcome: outcome, Version: "1.4.0", At: testNow}
		got := Health(f, testNow)
		if *got.Score != *want.Score || *got.Low != *want.Low || got.Coverage != want.Coverage {
			t.Errorf("%s: %d from %d with a coverage of %v, without a run %d from %d with %v", outcome,
				*got.Score, *got.Low, got.Coverage, *want.Score, *want.Low, want.Coverage)
		}
		if undecided[outcome] == "" {
			t.Errorf("%s: no reason", outcome)
		}
	}
}

func TestRemoteLivenessSource(t *testing.T) {
	last := testNow.AddDate(0, 0, -1)
	f := load(t, "healthy")
	f.Detection.Remotes = []registry.Remote{{Type: "sse", URL: "https://a.example"}}
	for _, tt := range []struct {
		endpoints []registry.PackageFacts
		source    string
		at        time.Time
	}{
		{nil, "github", f.Repo.ObservedAt},
		{[]registry.PackageFacts{{}, {Probe: &registry.Probe{History: registry.ProbeHistory{LastAt: last}}}},
			"probe", last},
	} {
		f.Endpoints = tt.endpoints
		c := find(t, Health(f, testNow), "remote_liveness")
		if c.Source != tt.source || c.ObservedAt == nil || !c.ObservedAt.Equal(tt.at) {
			t.Errorf("%d endpoints: source %s, %v", len(tt.endpoints), c.Source, c.ObservedAt)
		}
	}
}

func TestRemoteDead(t *testing.T) {
	endpoint := func(url, state string, days int) registry.PackageFacts {
		return registry.PackageFacts{RegistryType: registry.RemoteType, Identifier: url,
			Probe: &registry.Probe{State: state, History: registry.ProbeHistory{
				Since: testNow.AddDate(0, 0, -days), StoredAt: testNow.AddDate(0, 0, -1)}}}
	}
	const one, two = "https://mcp.weather.example/mcp", "https://mcp.weather.example/other"
	for _, tt := range []struct {
		name string
		set  func(f *registry.Facts)
		want bool
	}{
		{"down for 14 days", func(f *registry.Facts) {
			f.Endpoints = []registry.PackageFacts{endpoint(one, registry.ProbeUnreachable, 14)}
		}, true},
		{"down for 13 days", func(f *registry.Facts) {
			f.Endpoints = []registry.PackageFacts{endpoint(one, registry.ProbeUnreachable, 13)}
		}, false},
		{"unknown", func(f *registry.Facts) {
			f.Endpoints = []registry.PackageFacts{endpoint(one, registry.ProbeUnknown, 90)}
		}, false},
		{"not probed", func(f *registry.Facts) { f.Endpoints = nil }, false},
		{"last probed long ago", func(f *registry.Facts) {
			f.Endpoints = []registry.PackageFacts{endpoint(one, registry.ProbeUnreachable, 90)}
			f.Endpoints[0].Probe.History.StoredAt = testNow.AddDate(0, 0, -30)
		}, false},
		{"another endpoint that was not probed", func(f *registry.Facts) {
			f.Endpoints = []registry.PackageFacts{endpoint(one, registry.ProbeUnreachable, 90)}
			f.Detection.Remotes = append(f.Detection.Remotes, registry.Remote{URL: two})
		}, false},
		{"another endpoint that is alive", func(f *registry.Facts) {
			f.Endpoints = []registry.PackageFacts{endpoint(one, registry.ProbeUnreachable, 90),
				endpoint(two, registry.ProbeOpen, 90)}
			f.Detection.Remotes = append(f.Detection.Remotes, registry.Remote{URL: two})
		}, false},
		{"a package", func(f *registry.Facts) {
			f.Detection.Packages = []registry.Package{{RegistryType: "npm", Identifier: "weather"}}
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := load(t, "remote_dead")
			tt.set(&f)
			h := Health(f, testNow)
			got := slices.ContainsFunc(h.Caps, func(c registry.Cap) bool { return c.ID == "remote_dead" })
			if got != tt.want {
				t.Errorf("capped: %v", got)
			}
			isDown := f.Liveness() == registry.LivenessDown
			if first := h.Improve[0]; (first.Check == "remote_liveness") != isDown || got && first.Gain == 0 {
				t.Errorf("first advice of an endpoint that is down (%v): %+v", isDown, first)
			}
		})
	}
}
