package jobs

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func TestSuccessor(t *testing.T) {
	const ours, theirs = "https://github.com/octo/x", "https://github.com/octo/y"
	readme := func(text, link string) registry.Facts {
		return registry.Facts{Readme: &registry.ReadmeFacts{Deprecation: "declared", DeprecationText: text, Successor: link}}
	}
	notice := "Moved to " + theirs + "."
	for name, tt := range map[string]struct {
		facts  registry.Facts
		status string
		want   string
	}{
		"link of the README":    {readme("Use Y.", theirs), registry.StatusDeprecated, theirs},
		"address in a sentence": {readme(notice, ""), registry.StatusDeprecated, theirs},
		"its own address":       {readme("See "+ours+".", ours), registry.StatusDeprecated, ""},
		"registry": {registry.Facts{Listing: &registry.Listing{Status: "deprecated", StatusText: notice}},
			registry.StatusDeprecated, theirs},
		"package": {registry.Facts{Packages: []registry.PackageFacts{{Deprecated: &notice}}},
			registry.StatusDeprecated, theirs},
		"another folder of the repository": {readme("Use Y.", ours+"/tree/main/src/y"), registry.StatusDeprecated,
			ours + "/tree/main/src/y"},
		"its own folder":             {readme("Use Y.", ours+"/tree/main/src/x/docs"), registry.StatusDeprecated, ""},
		"a file of the repository":   {readme("Use Y.", ours+"/blob/main/src/y.md"), registry.StatusDeprecated, ""},
		"a branch of the repository": {readme("Use Y.", ours+"/tree/main"), registry.StatusDeprecated, ""},
		"active":                     {readme(notice, theirs), registry.StatusActive, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tt.facts.Repo = registry.Repository{Host: registry.GitHub, Owner: "octo", Name: "x", DefaultBranch: "main"}
			tt.facts.Detection.Subfolder = "src/x"
			if got := successor(tt.status, tt.facts); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestStatus(t *testing.T) {
	yes, no := true, false
	at := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	visited := at.Add(time.Hour)
	notice := "Use y."
	old := registry.PackageFacts{RegistryType: "npm", Found: &yes, Deprecated: &notice, ObservedAt: &at}
	current := registry.PackageFacts{RegistryType: "npm", Found: &yes, ObservedAt: &at}
	project := registry.PackageFacts{RegistryType: registry.ProjectType, Found: &yes}
	missing := registry.PackageFacts{RegistryType: "pypi", Found: &no}
	packages := func(all ...registry.PackageFacts) registry.Facts {
		return registry.Facts{Packages: all}
	}
	deprecated := registry.Server{Status: registry.StatusDeprecated, StatusMessage: notice}
	npm := deprecated
	npm.StatusFrom, npm.StatusAt = "npm", &at
	host := deprecated
	host.StatusFrom, host.StatusAt = "github", &visited
	listing := deprecated
	listing.StatusFrom, listing.StatusAt = registry.VersionListing, &at
	active := registry.Server{Status: registry.StatusActive}
	for name, tt := range map[string]struct {
		facts registry.Facts
		want  registry.Server
	}{
		"active":              {registry.Facts{}, active},
		"package":             {packages(old), npm},
		"package and project": {packages(old, project, missing), npm},
		"former package":      {packages(old, current), active},
		"README": {registry.Facts{Readme: &registry.ReadmeFacts{Deprecation: "declared",
			DeprecationText: notice}}, host},
		"official registry": {registry.Facts{Listing: &registry.Listing{Status: "deprecated",
			StatusText: notice, ObservedAt: at}}, listing},
	} {
		t.Run(name, func(t *testing.T) {
			got := registry.Server{LastCrawledAt: &visited}
			setStatus(&got, tt.facts)
			got.LastCrawledAt = nil
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// The registry of an image decides whether the image is offered, and with which tag.
func TestPublishedImages(t *testing.T) {
	yes, no := true, false
	type image struct{ Version, Doubt string }
	for name, c := range map[string]struct {
		p     registry.Package
		facts *registry.PackageFacts
		want  *image
	}{
		"not asked": {registry.Package{Version: "1.0"}, nil, &image{"1.0", ""}},
		"not there": {registry.Package{Version: "1.0"}, &registry.PackageFacts{Found: &no}, nil},
		"withheld":  {registry.Package{Version: "1.0"}, &registry.PackageFacts{}, &image{"1.0", ""}},
		"has the tag": {registry.Package{Version: "1.0"},
			&registry.PackageFacts{Found: &yes, Tags: []string{"1.0", "latest"}},
			&image{"1.0", ""}},
		"lacks the tag": {registry.Package{Version: "1.0"},
			&registry.PackageFacts{Found: &yes, Tags: []string{"latest"}}, &image{"", ""}},
		"without latest": {registry.Package{},
			&registry.PackageFacts{Found: &yes, Tags: []string{"v2"}, Latest: "v2"},
			&image{"v2", ""}},
		"tags not known": {registry.Package{Version: "1.0"}, &registry.PackageFacts{Found: &yes}, &image{"1.0", ""}},
		"without a registry": {registry.Package{Doubt: registry.DoubtImage},
			&registry.PackageFacts{}, &image{"", registry.DoubtImage}},
		"without a registry, and published": {
			registry.Package{Doubt: registry.DoubtImage}, &registry.PackageFacts{Found: &yes}, &image{"", ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.p.RegistryType, c.p.Identifier = "oci", "octo/tides"
			f := registry.Facts{Detection: registry.Detection{Packages: []registry.Package{c.p}}}
			if c.facts != nil {
				c.facts.RegistryType, c.facts.Identifier = "oci", "octo/tides"
				f.Packages = []registry.PackageFacts{*c.facts}
			}
			var got *image
			if out := publishedPackages(f); len(out) > 0 {
				got = &image{out[0].Version, out[0].Doubt}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// A package that its service does not have is not offered, even if the official registry lists
// it.
func TestUnpublished(t *testing.T) {
	yes, no := true, false
	day := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	type want struct{ Published, Unpublished int }
	for name, c := range map[string]struct {
		facts registry.PackageFacts
		want  want
	}{
		"found":               {registry.PackageFacts{Found: &yes, Latest: "1.0.0"}, want{1, 0}},
		"not asked":           {registry.PackageFacts{}, want{1, 0}},
		"not found":           {registry.PackageFacts{Found: &no}, want{0, 1}},
		"not found for a day": {registry.PackageFacts{MissingSince: &day}, want{0, 1}},
		"known before":        {registry.PackageFacts{Found: &yes, MissingSince: &day, Latest: "1.0.0"}, want{1, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			p := registry.Package{RegistryType: "npm", Identifier: "tides"}
			c.facts.RegistryType, c.facts.Identifier = p.RegistryType, p.Identifier
			got := record(registry.Facts{Detection: registry.Detection{Packages: []registry.Package{p}},
				Packages: []registry.PackageFacts{c.facts},
				Listing:  &registry.Listing{Status: "active", Packages: []registry.Package{p}}})
			if d := cmp.Diff(c.want, want{len(got.Packages), len(got.Unpublished)}); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestRecord_kind(t *testing.T) {
	for _, kind := range []string{"", registry.KindServer, registry.KindProxy} {
		if got := record(registry.Facts{Detection: registry.Detection{Kind: kind}}).Kind; got != kind {
			t.Errorf("got %q, want %q", got, kind)
		}
	}
}

func TestRecord_sourceInstall(t *testing.T) {
	const command = "uvx --from git+https://github.com/octo/tides tides"
	got := record(registry.Facts{Detection: registry.Detection{SourceInstall: command}})
	if got.SourceInstall != command {
		t.Errorf("got %q", got.SourceInstall)
	}
}

func TestVersionOfTag(t *testing.T) {
	for tag, want := range map[string]string{
		"v1.2.0": "1.2.0", "1.2": "1.2", "tides-v1.2.0-rc.1": "1.2.0-rc.1", "@octo/tides@1.2.0": "1.2.0",
		"Tides.Mcp-1.2.0": "1.2.0", "packages/tides/v1.2.0": "1.2.0", "nightly": "nightly", "v2": "2",
	} {
		if got := versionOfTag(tag); got != want {
			t.Errorf("versionOfTag(%q) = %q, want %q", tag, got, want)
		}
	}
}

// The latest version of a member of a monorepo is its own.
// TestScoreAfterRead checks that no score is older than what was read of its repository, as
// after a probe by a machine whose clock is behind.
func TestScoreAfterRead(t *testing.T) {
	read := time.Date(2026, 11, 2, 9, 0, 0, 500, time.UTC)
	for _, tc := range []struct{ now, want time.Time }{
		{read.Add(-9 * time.Hour), read.Truncate(time.Second).Add(time.Second)},
		{read, read.Truncate(time.Second).Add(time.Second)},
		{read.Truncate(time.Second), read.Truncate(time.Second).Add(time.Second)},
		{read.Add(time.Hour), read.Add(time.Hour).Truncate(time.Second)},
	} {
		s := Score(registry.Facts{Repo: registry.Repository{ObservedAt: read}}, tc.now).Server
		if !s.ScoredAt.Equal(tc.want) || !s.Health.ComputedAt.Equal(tc.want) {
			t.Errorf("at %v: scored %v, computed %v, want %v", tc.now, s.ScoredAt, s.Health.ComputedAt, tc.want)
		}
	}
}

func TestLicense(t *testing.T) {
	for name, tc := range map[string]struct{ host, manifest, want, from string }{
		"file":         {"MIT", "Apache-2.0", "MIT", "github"},
		"manifest":     {"", "Apache-2.0", "Apache-2.0", registry.LicenseFromManifest},
		"unrecognized": {"NOASSERTION", "Apache-2.0", "Apache-2.0", registry.LicenseFromManifest},
		"none":         {"", "", "", ""},
	} {
		got, from := license(registry.Facts{Repo: registry.Repository{Host: registry.GitHub, License: tc.host},
			Detection: registry.Detection{License: tc.manifest}})
		if got != tc.want || from != tc.from {
			t.Errorf("%s: got %q from %q, want %q from %q", name, got, from, tc.want, tc.from)
		}
	}
}

func TestRelease_member(t *testing.T) {
	for name, c := range map[string]struct{ newest, want string }{
		"own tag":     {"tides@1.2.0", "1.2.0"},
		"own folder":  {"src/tides/v1.2.0", "1.2.0"},
		"another one": {"winds@9.0.0", "1.1.0"},
		"repository":  {"v9.0.0", "1.1.0"},
	} {
		t.Run(name, func(t *testing.T) {
			var s registry.Server
			setVersion(&s, registry.Facts{
				Repo:      registry.Repository{LatestReleases: []registry.Release{{Tag: "winds@8.0.0"}, {Tag: c.newest}}},
				Detection: registry.Detection{Subfolder: "src/tides", Members: 2, Version: "1.1.0"},
			})
			if got := s.LatestVersion; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestVersion_source(t *testing.T) {
	day := func(n int) *time.Time { return new(time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC)) }
	all := registry.Facts{
		Packages: []registry.PackageFacts{{RegistryType: "pypi"},
			{RegistryType: "npm", Latest: "v1.5.0", LatestAt: day(1), ObservedAt: day(11)}},
		Repo: registry.Repository{ObservedAt: *day(12), LatestTag: &registry.Release{Tag: "v1.2.0"},
			LatestReleases: []registry.Release{{Tag: "v1.4.0", PublishedAt: day(2)}}},
		Listing:   &registry.Listing{Version: "1.3.0", PublishedAt: day(3), ObservedAt: *day(13)},
		Detection: registry.Detection{Version: "1.1.0"},
	}
	type version struct {
		Version, From  string
		Released, Read *time.Time
	}
	for _, c := range []struct {
		without func()
		want    version
	}{
		{func() {}, version{"1.5.0", "npm", day(1), day(11)}},
		{func() { all.Packages[1].Latest = registry.PlaceholderVersion },
			version{"1.4.0", "release", day(2), day(12)}},
		{func() { all.Packages = nil }, version{"1.4.0", "release", day(2), day(12)}},
		{func() { all.Repo.LatestReleases = nil }, version{"1.3.0", "official-registry", day(3), day(13)}},
		{func() { all.Listing = nil }, version{"1.2.0", "tag", nil, day(12)}},
		{func() { all.Repo.LatestTag = nil }, version{"1.1.0", "manifest", nil, day(12)}},
		{func() { all.Detection.Version = "" }, version{}},
	} {
		c.without()
		var s registry.Server
		setVersion(&s, all)
		got := version{s.LatestVersion, s.VersionFrom, s.ReleasedAt, s.VersionAt}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Error(d)
		}
	}
}

// Endpoints whose clients sign in by OAuth require no Authorization header.
func TestWithLiveness_authorization(t *testing.T) {
	remotes := []registry.Remote{{URL: "https://tides.dev/mcp", Headers: []registry.Variable{
		{Name: "authorization", IsRequired: true, Value: "Bearer {KEY}",
			Variables: map[string]registry.Variable{"KEY": {IsRequired: true}}},
		{Name: "X-Zone", IsRequired: true}}}}
	for name, c := range map[string]struct {
		servers []string
		want    []bool
	}{
		"metadata":    {[]string{"https://login.tides.dev"}, []bool{false, true}},
		"no metadata": {nil, []bool{true, true}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []bool
			for _, h := range withLiveness(remotes, []registry.PackageFacts{{Identifier: "https://tides.dev/mcp",
				Probe: &registry.Probe{State: registry.ProbeGated, AuthServers: c.servers}}})[0].Headers {
				got = append(got, h.IsRequired || h.Variables["KEY"].IsRequired)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
	if !remotes[0].Headers[0].IsRequired {
		t.Error("the detected header was changed")
	}
}

func TestDownloads(t *testing.T) {
	first := time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)
	later, n := first.Add(24*time.Hour), int64(10)
	total, by, at := downloads([]registry.PackageFacts{
		{RegistryType: "npm", Downloads: &n, DownloadsObservedAt: &later},
		{RegistryType: "npm", Downloads: &n, DownloadsObservedAt: &first},
		{RegistryType: "oci", DownloadsObservedAt: new(time.Time)}, // unknown
	})
	if *total != 20 || by["npm"] != 20 || len(by) != 1 || !at.Equal(first) {
		t.Errorf("got %d, %v, %v", *total, by, at)
	}
	if total, by, at := downloads(nil); total != nil || by != nil || at != nil {
		t.Error("no packages have downloads")
	}
}

// TestCountedTools tests that the number and tokens of tools are those of a default start, and
// unknown for an incomplete list: names are missing, or a condition is undecided.
func TestCountedTools(t *testing.T) {
	list := []registry.Tool{{Name: "a", Hash: "h", Tokens: 5},
		{Name: "b", Hash: "h", Tokens: 7, Conditional: &registry.ToolCondition{Setting: "B=true", Off: true}},
		{Name: "c", Hash: "h", Tokens: 11}}
	undecided := append(slices.Clone(list), registry.Tool{Name: "d", Hash: "h",
		Conditional: &registry.ToolCondition{Setting: "options.d"}})
	type counts struct{ Count, Tokens *int }
	for name, c := range map[string]struct {
		tools   []registry.Tool
		partial bool
		want    counts
	}{
		"complete":   {list, false, counts{new(2), new(16)}},
		"incomplete": {list, true, counts{}},
		"undecided":  {undecided, false, counts{}},
	} {
		t.Run(name, func(t *testing.T) {
			var s registry.Server
			setTools(&s, registry.Facts{Detection: registry.Detection{Tools: c.tools,
				ToolsFrom: registry.ToolsFromSource, ToolsPartial: c.partial}})
			if diff := cmp.Diff(c.want, counts{s.ToolCount, s.ToolTokens}); diff != "" {
				t.Error(diff)
			}
			if len(s.Tools) != len(c.tools) || s.ToolsPartial != (c.want.Count == nil) {
				t.Errorf("%d tools, partial %v", len(s.Tools), s.ToolsPartial)
			}
		})
	}
}

// TestHomepage checks that a page of the repository itself is not its homepage, from any source.
func TestHomepage(t *testing.T) {
	repo := registry.Repository{Host: registry.GitHub, Owner: "octo", Name: "tides-mcp"}
	const own, other = "https://github.com/octo/tides-mcp#readme", "https://tides.dev"
	for name, c := range map[string]struct {
		detected, listed, hosted, want string
	}{
		"of the repository":  {"", "", own, ""},
		"of the entry":       {"", own, "", ""},
		"the next source":    {"", own, other, other},
		"detected":           {other, "", own, other},
		"another repository": {"", "", "https://github.com/octo/website", "https://github.com/octo/website"},
		"none":               {"", "", "", ""},
	} {
		repo.Homepage = c.hosted
		f := registry.Facts{Repo: repo, Detection: registry.Detection{Homepage: c.detected},
			Listing: &registry.Listing{WebsiteURL: c.listed}}
		if got := Score(f, time.Now()).Server.Homepage; got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
