package entry

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/generate"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

func TestVersion(t *testing.T) {
	at := time.Date(2026, 11, 1, 23, 0, 0, 0, time.FixedZone("", -3600))
	repo := registry.Repository{Commit: "3f2a1bc9", CommittedAt: &at}
	for name, c := range map[string]struct {
		s    registry.Server
		p    registry.Package
		want string
	}{
		"package":         {registry.Server{LatestVersion: "2.0"}, registry.Package{Version: "1.2.0"}, "1.2.0"},
		"release":         {registry.Server{LatestVersion: "v2.0"}, registry.Package{}, "2.0"},
		"range":           {registry.Server{LatestVersion: "2.x", Repo: repo}, registry.Package{Version: "1.x"}, "0.0.0-20261102.g3f2a1bc"},
		"slash":           {registry.Server{LatestVersion: "release/2"}, registry.Package{}, "0.0.0"},
		"latest":          {registry.Server{LatestVersion: "latest"}, registry.Package{}, "0.0.0"},
		"read as a range": {registry.Server{}, registry.Package{Version: "1.2.0-next.1"}, "0.0.0"},
	} {
		if got := versionOf(&c.s, install.Publication{Packages: []registry.Package{c.p}}); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestShort(t *testing.T) {
	for text, want := range map[string]string{
		"Forecasts for\nany place":                  "Forecasts for any place",
		strings.Repeat("wörter ", 20):               strings.TrimSpace(strings.Repeat("wörter ", 14)) + "…",
		strings.Repeat("ö", 150):                    strings.Repeat("ö", 99) + "…",
		strings.Repeat("a", 90) + ", " + "and more": strings.Repeat("a", 90) + ", and more",
	} {
		if got := short(text, 100); got != want || len([]rune(got)) > 100 {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestGenerated makes the documents of many servers, which have what clients need.
func TestGenerated(t *testing.T) {
	e := Encoder{Namespace: "org.example", BaseURL: "https://census.example"}
	n := 0
	for s := range generate.Servers(500, 3) {
		h, ok := HeadOf(&s)
		if !ok {
			if s.OfferedCommand() != "" && len(s.Packages) > 0 && install.Command(s.Packages[0]) != "" {
				t.Errorf("%s has a command and no entry", s.Slug)
			}
			continue
		}
		n++
		r, err := e.Response(&s, h.Name, "# README")
		if err != nil {
			t.Fatal(err)
		}
		var d document
		if err := json.Unmarshal(r.Server, &d); err != nil {
			t.Fatal(err)
		}
		if d.Schema != Schema || d.Name != h.Name || !registry.IsEntryName(d.Name) || d.Version != h.Version || !isVersion(d.Version) ||
			d.Description == "" || len([]rune(d.Description)) > 100 || len(d.Packages)+len(d.Remotes) == 0 {
			t.Errorf("%s", r.Server)
		}
		p, _ := install.Published(&s)
		if diff := cmp.Diff(p.Packages, d.Packages); diff != "" {
			t.Errorf("%s: %s", s.Slug, diff)
		}
	}
	if n < 200 {
		t.Errorf("%d of 500 servers have an entry", n)
	}
}

// TestAlign compares documents with what package install prints: they stay as they are
// unless clients would do something else.
func TestAlign(t *testing.T) {
	const start = `{"$schema":"s","name":"dev.octo/ww","description":"d","version":"1"`
	npm := registry.Package{RegistryType: "npm", Identifier: "ww", Version: "1.2.0",
		Transport: registry.PackageTransport{Type: registry.TransportStdio}}
	args := npm
	args.PackageArguments = []registry.Argument{{Type: "named", Name: "--folder", ValueHint: "folder", IsRequired: true}}
	key := npm
	key.EnvironmentVariables = []registry.Variable{{Name: "KEY", IsSecret: true, IsRequired: true}}
	remote := registry.Remote{Type: registry.TransportHTTP, URL: "https://w.dev/mcp"}
	pkg := func(rest string) string {
		return `,"packages":[{"registryType":"npm","identifier":"ww","transport":{"type":"stdio"},` +
			`"runtimeArguments":[{"type":"named","name":"-y"}],` + rest + `}]`
	}
	const sameRemote = `,"remotes":[{"type":"streamable-http","url":"https://w.dev/mcp"}]`
	for name, tc := range map[string]struct {
		document string
		packages []registry.Package
		remotes  []registry.Remote
		want     string
	}{
		"same":             {pkg(`"version":"1.2.0"`), []registry.Package{npm}, nil, ""},
		"older version":    {pkg(`"version":"1.0.0"`), []registry.Package{npm}, nil, "packages"},
		"argument missing": {pkg(`"version":"1.2.0"`), []registry.Package{args}, nil, "packages"},
		"same argument": {pkg(`"version":"1.2.0","packageArguments":[{"type":"named","name":"--folder","isRequired":true,"format":"filepath"}]`),
			[]registry.Package{args}, nil, ""},
		"variable missing": {pkg(`"version":"1.2.0"`), []registry.Package{key}, nil, "packages"},
		"same variable": {pkg(`"version":"1.2.0","environmentVariables":[{"name":"KEY","description":"k"}]`),
			[]registry.Package{key}, nil, ""},
		"more optional variables": {pkg(`"version":"1.2.0","environmentVariables":[{"name":"KEY","description":"k"}]`), []registry.Package{npm}, nil, ""},
		"more required variables": {pkg(`"version":"1.2.0","environmentVariables":[{"name":"KEY","description":"k","isRequired":true}]`),
			[]registry.Package{npm}, nil, "packages"},
		"same remote":        {sameRemote, nil, []registry.Remote{remote}, ""},
		"package without us": {pkg(`"version":"1.2.0"`) + sameRemote, nil, []registry.Remote{remote}, "packages"},
		"remote without us":  {pkg(`"version":"1.2.0"`) + sameRemote, []registry.Package{npm}, nil, "remotes"},
		"other remote": {`,"remotes":[{"type":"sse","url":"https://w.dev/sse"}]`, nil,
			[]registry.Remote{remote}, "remotes"},
	} {
		s := registry.Server{Slug: "octo-ww", Packages: tc.packages, Remotes: tc.remotes}
		ours, ok := install.Published(&s)
		p, parsed := publishedOf([]byte(start + tc.document + "}"))
		if !ok || !parsed {
			t.Fatalf("%s: %t %t", name, ok, parsed)
		}
		p.align(ours)
		if got := strings.Join(p.repaired, " "); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
		if schema := p.members["$schema"]; (schema == Schema) != (tc.want != "") {
			t.Errorf("%s: $schema %v", name, schema)
		}
	}
}

func TestPublished(t *testing.T) {
	const start = `{"$schema":"s","name":"dev.octo/ww","description":"d","version":"1"`
	for document, want := range map[string]string{
		start + `,"remotes":[{"type":"sse","url":"https://w.dev/sse"}]}`: "",
		start + `,"packages":[{"registryType":"npm","runtimeArguments":[{"type":"positional","value":"-q"}],"environmentVariables":[{"name":"A","value":"1"},{"name":"B","default":""},{"name":"C"}]}]}`: "packages[0].environmentVariables[2].description",
		start + `,"packages":[{"registryType":"npm"},{"registryType":"oci","identifier":"ghcr.io:443/o/w","version":"2"}]}`:                                                                              "packages[0].runtimeArguments packages[1].version",
		start + `}`: "none",
		start + `,"packages":[{"registry_type":"npm"}]}`: "none",
		start + `,"packages":{"a":1},"remotes":7}`:       "none",
		`{"name":"x","remotes":[{}]}`:                    "none",
		`[]`:                                             "none",
		`{"name":"dev.octo/ww","version":"latest","remotes":[{}]}`:           "none",
		start + `,"remotes":[{}],"x":"` + strings.Repeat("x", 70_000) + `"}`: "none",
	} {
		p, ok := publishedOf([]byte(document))
		got := "none"
		if ok {
			got = strings.Join(p.repaired, " ")
		}
		if got != want {
			t.Errorf("%.200s: %s, want %s", document, got, want)
		}
	}
	p, _ := publishedOf([]byte(start + `,"packages":[{"registryType":"oci","identifier":"ghcr.io:443/o/w","version":"2"}]}`))
	if b, err := p.encode("dev.octo/ww"); err != nil || !strings.Contains(string(b), `"identifier":"ghcr.io:443/o/w:2"`) {
		t.Errorf("%s %v", b, err)
	}
}

// TestEnriched compares the publisher-provided members of a published document with and without
// enrichment. What the publisher has set stays.
func TestEnriched(t *testing.T) {
	const start = `{"$schema":"s","name":"dev.octo/ww","description":"d","version":"1",` +
		`"remotes":[{"type":"streamable-http","url":"https://w.dev/mcp"}],"_meta":`
	s := registry.Server{Slug: "octo-ww", Name: "Weather", Stars: new(12), Official: true,
		Tools: []registry.Tool{{Name: "forecast"}}, Icon: "https://w.dev/icon.png",
		Repo:    registry.Repository{Host: registry.GitHub, Owner: "octo", Name: "ww"},
		Remotes: []registry.Remote{{Type: registry.TransportHTTP, URL: "https://w.dev/mcp"}}}
	const own = `{"` + publisherMeta + `":{"github":{"name":"theirs"},"x":[1]},"y":2}}`
	for _, c := range []struct {
		meta     string
		enriched bool
		name     string // of github
		members  int
		repaired int
	}{
		{own, false, "theirs", 2, 0}, {own, true, "theirs", 3, 1},
		{`{}}`, false, "", 0, 0}, {`{}}`, true, "ww", 2, 2}, {`7}`, true, "ww", 2, 2},
	} {
		s.Published = &registry.PublishedEntry{Document: []byte(start + c.meta)}
		e := Encoder{Namespace: "org.example", BaseURL: "https://census.example", Enriched: c.enriched}
		r, err := e.Response(&s, "dev.octo/ww", "# Weather")
		if err != nil {
			t.Fatal(err)
		}
		var d struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		}
		var meta Meta
		if err := errors.Join(json.Unmarshal(r.Meta["org.example/server"], &meta),
			json.Unmarshal(r.Server, &d)); err != nil && c.meta != `7}` {
			t.Fatal(err)
		}
		var got map[string]json.RawMessage
		var shown github
		var images map[string]toolHive
		decode := func(raw json.RawMessage, to any) {
			if err := json.Unmarshal(raw, to); err != nil && raw != nil {
				t.Fatal(err)
			}
		}
		decode(d.Meta[publisherMeta], &got)
		decode(got["github"], &shown)
		decode(got["io.github.stacklok"], &images)
		if shown.Name != c.name || len(got) != c.members || len(meta.Repaired) != c.repaired ||
			string(r.Meta[iconMeta]) != `"https://w.dev/icon.png"` ||
			*meta.Links.Readme != "https://github.com/octo/ww#readme" {
			t.Errorf("%+v: %s, repaired %q, _meta %s", c, r.Server, meta.Repaired, r.Meta[iconMeta])
		}
		if c.name == "ww" && (shown.Readme != "# Weather" || *shown.StargazerCount != 12) {
			t.Errorf("%+v", shown)
		}
		if h := images["https://w.dev/mcp"]; c.enriched && (h.Tier != "Official" ||
			*h.Metadata.Stars != 12 || len(h.Tools) != 1) {
			t.Errorf("%+v", images)
		}
	}
}

func TestMeta(t *testing.T) {
	at, day := time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC), 24*time.Hour
	read, counted, uptime := at.Add(-day), at.Add(-2*day), .975
	tools, tokens := 1, 42
	s := &registry.Server{Slug: "weather", Kind: registry.KindProxy, LastCrawledAt: &at, DownloadsAt: &counted,
		ToolCount: &tools, ToolTokens: &tokens, ToolsFrom: registry.ToolsFromSource,
		ToolsVersion: "1.4.0", ToolsAt: &read, ToolsPartial: true,
		DescriptionFrom: registry.DescriptionComposed, Liveness: registry.LivenessGated,
		Remotes: []registry.Remote{
			{Liveness: &registry.Liveness{State: registry.ProbeUnreachable, CheckedAt: at}},
			{Liveness: &registry.Liveness{State: registry.ProbeGated, CheckedAt: read,
				Uptime30: &uptime, Probes: 120}},
		}}
	got := Encoder{}.meta(s, true, nil, nil)
	source, version := registry.ToolsFromSource, "1.4.0"
	want := &Meta{ID: "weather", Kind: new("proxy"), Tags: []string{}, Synthesized: true,
		Repaired: []string{}, OmittedPackages: []string{},
		Flags: []string{}, Risks: []registry.Risk{}, Capabilities: s.Capabilities(),
		LastCrawledAt: &at, DownloadsAt: &counted,
		DescriptionSource: new(registry.DescriptionComposed),
		Tools: &metaTools{Count: &tools, Tokens: &tokens, Source: &source, Version: &version, ReadAt: &read,
			Complete: new(bool)},
		Liveness: &metaLiveness{registry.LivenessGated, &read, &uptime, 120},
		Links:    got.Links}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMetaCopy(t *testing.T) {
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for kind, of := range map[string]func(*Meta) *string{
		registry.CopyOf:    func(m *Meta) *string { return m.CopyOf },
		registry.LookAlike: func(m *Meta) *string { return m.LookAlikeOf },
	} {
		m := Encoder{}.meta(&registry.Server{Copy: &registry.Copy{Of: "a-b", Kind: kind, Since: at}}, false, nil, nil)
		if got := of(m); got == nil || *got != "a-b" || m.CopySince == nil || !m.CopySince.Equal(at) ||
			(m.CopyOf == nil) == (m.LookAlikeOf == nil) || len(m.Risks) != 1 {
			t.Errorf("%s: %+v", kind, m)
		}
	}
}
