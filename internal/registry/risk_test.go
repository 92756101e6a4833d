package registry

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/text"
)

func TestCapOrigin(t *testing.T) {
	read, listed := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)
	s := Server{LastCrawledAt: &read, Health: Health{Categories: []HealthSection{{Checks: []Check{
		{ID: "license", Source: "gitlab", ObservedAt: &listed},
		{ID: "registry_listed", Source: "official-registry", ObservedAt: &listed}}}}}}
	for id, want := range map[string]string{
		"no_license":       "gitlab 2 Nov 2026",
		"registry_deleted": "official-registry 2 Nov 2026",
		"young":            "github 1 Nov 2026",
		"low_coverage":     "",
	} {
		got, at := s.CapOrigin(Cap{ID: id})
		if at != nil {
			got += " " + text.Day(*at)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}

func TestStatusRisk(t *testing.T) {
	at := time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)
	caps := Health{Caps: []Cap{{ID: "remote_dead", Reason: "Dead."}}}
	for status, want := range map[string]*Risk{
		StatusActive: nil,
		StatusDeprecated: {"deprecated", "The server is deprecated.",
			SeverityCaution, nil, new("npm"), &at},
		StatusUnreachable: {"dead", "Dead. Choose another server.",
			SeverityCaution, nil, new("github"), nil},
	} {
		s := Server{Status: status, StatusFrom: "npm", StatusAt: &at, Health: caps}
		if d := cmp.Diff(want, s.StatusRisk()); d != "" {
			t.Errorf("%s: %s", status, d)
		}
	}
}

func TestHarmful(t *testing.T) {
	capped := func(id string) Server { return Server{Health: Health{Caps: []Cap{{ID: id}}}} }
	for _, tt := range []struct {
		name   string
		server Server
		want   bool
	}{
		{"none", Server{}, false},
		{"deprecated", Server{Status: StatusDeprecated}, false},
		{"vulnerable", capped("vuln_self"), false},
		{"malware", capped("malware"), true},
		{"hidden instructions", capped("hidden_instructions"), true},
		{"copy", Server{Copy: &Copy{Of: "a-b", Kind: CopyOf}}, true},
		{"look-alike", Server{Copy: &Copy{Of: "a-b", Kind: LookAlike}}, true},
		{"fork without changes", capped("fork_copy"), true},
		{"summary", Server{KnownRisks: []Risk{{Kind: "malware"}}}, true},
	} {
		if got := tt.server.Harmful(); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

func TestRisks(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 11, n, 9, 0, 0, 0, time.UTC) }
	read, copied, probed := day(2), day(3), day(4)
	down := []Remote{{URL: "https://a.example", Liveness: &Liveness{State: ProbeUnreachable,
		Since: day(1), CheckedAt: probed}}}
	advisories := []HealthSection{{Checks: []Check{{ID: "advisories", Source: "osv", ObservedAt: &read}}}}
	changed := day(5)
	for _, tt := range []struct {
		name   string
		server Server
		want   []Risk
	}{
		{"none", Server{Health: Health{Caps: []Cap{{ID: "young"}}, Flags: []string{"stable_quiet"}}}, []Risk{}},
		{"caps", Server{LastCrawledAt: &read, Status: StatusArchived, Health: Health{Categories: advisories,
			Caps: []Cap{{ID: "archived", Reason: "It is archived."}, {ID: "vuln_self", Reason: "CVE-1."},
				{ID: "vuln_dep", Reason: "CVE-2."}, {ID: "malware", Reason: "It steals."},
				{ID: "deprecated_declared", Reason: "It is deprecated."}}}}, []Risk{
			{"malware", "It steals. Do not install it, and remove it where it is installed.",
				SeverityHarmful, nil,
				new("osv"), &read},
			{"deprecated", "It is archived.", SeverityCaution, nil, new("github"), &read},
			{"vulnerable", "CVE-1. Check whether a version with a fix exists.",
				SeverityCaution, nil, new("osv"), &read},
			{"vulnerable", "CVE-2. Check whether a version with a fix exists.",
				SeverityCaution, nil, new("osv"), &read}}},
		{"status", Server{LastCrawledAt: &read, Status: StatusUnreachable,
			Health: Health{Flags: []string{"missing"}}},
			[]Risk{{"dead", "The repository is unreachable. Choose another server.",
				SeverityCaution, nil, new("github"), &read}}},
		{"deprecated package", Server{LastCrawledAt: &probed, Status: StatusDeprecated,
			StatusFrom: "npm", StatusAt: &read, Health: Health{Caps: []Cap{
				{ID: "deprecated_declared", Reason: "The package npm x is deprecated: Use y."}}}},
			[]Risk{{"deprecated", "The package npm x is deprecated: Use y.",
				SeverityCaution, nil, new("npm"), &read}}},
		{"deprecated with a successor", Server{Status: StatusDeprecated, StatusMessage: "Use <b>y</b>.",
			SuccessorURL: "https://y.example", StatusFrom: "npm", StatusAt: &read}, []Risk{{"deprecated",
			"The server is deprecated. Use <b>y</b>.",
			SeverityCaution, new("https://y.example"), new("npm"), &read}}},
		{"archived", Server{Status: StatusArchived, StatusMessage: "Its owner has archived it.",
			LastCrawledAt: &read}, []Risk{
			{"deprecated", "Its owner has archived it.", SeverityCaution, nil, new("github"), &read}}},
		{"copy", Server{Copy: &Copy{Of: "a-b", Kind: CopyOf, Reason: "Same README.", Since: copied}},
			[]Risk{{"copy", "It looks like a copy of a-b. Same README.",
				SeverityCaution, new("a-b"), new("comparison"), &copied}}},
		{"look-alike", Server{Copy: &Copy{Of: "a-b", Kind: LookAlike, Since: copied}}, []Risk{{"look-alike",
			"Its name resembles that of a better-known server, a-b.",
			SeverityCaution, new("a-b"), new("comparison"), &copied}}},
		{"suspicious", Server{Suspicious: []SuspiciousText{{Rule: "R4", Source: "run", ReadAt: &read}},
			Health: Health{Flags: []string{"suspicious_text"}}}, []Risk{{"suspicious-text",
			"Texts of its tools may hide something or manipulate a model.",
			SeverityCaution, nil, new("run"), &read}}},
		{"endpoint down", Server{Remotes: down, Liveness: LivenessDown,
			Health: Health{Flags: []string{"endpoint_down"}}}, []Risk{{"endpoint-down",
			"Its remote endpoint has been down since 1 Nov 2026, and there is no package. It cannot be used until the " +
				"endpoint responds. Try again later or choose another server.", SeverityCaution, nil,
			new("probe"), &probed}}},
		{"endpoint down with a package", Server{Remotes: down, Liveness: LivenessDown,
			Packages: []Package{{RegistryType: "npm"}}, Health: Health{Flags: []string{"endpoint_down"}}},
			[]Risk{{"endpoint-down", "Its remote endpoint has been down since 1 Nov 2026. Run its package instead.",
				SeverityNotice, nil,
				new("probe"), &probed}}},
		{"endpoint dead", Server{Remotes: down, Liveness: LivenessDown, Health: Health{
			Flags: []string{"endpoint_down"}, Caps: []Cap{{ID: "remote_dead", Reason: "Dead."}},
			Categories: []HealthSection{{Checks: []Check{
				{ID: "remote_liveness", Source: "probe", ObservedAt: &probed}}}}}},
			[]Risk{{"dead", "Dead. Choose another server.", SeverityCaution, nil, new("probe"), &probed}}},
		{"tools changed", Server{SilentChange: &SilentChange{Source: "probe", Version: "1.0", At: changed},
			Health: Health{Flags: []string{"tools_changed"}}}, []Risk{{"tools-changed",
			"Its tools changed on 5 Nov 2026 without a new version (1.0). " +
				"Review the changes before you use it.", SeverityCaution, nil, new("probe"), &changed}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.server.Risks()
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			for _, r := range got {
				if !slices.Contains(RiskKinds, r.Kind) {
					t.Errorf("RiskKinds lacks %s", r.Kind)
				}
			}
		})
	}
}
