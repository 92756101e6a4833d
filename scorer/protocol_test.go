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
		}, StateNA, 0, "does not count"},
	})
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
			got := slices.ContainsFunc(Health(f, testNow).Caps,
				func(c registry.Cap) bool { return c.ID == "remote_dead" })
			if got != tt.want {
				t.Errorf("capped: %v", got)
			}
		})
	}
}
