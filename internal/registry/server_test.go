package registry

import (
	"slices"
	"testing"
)

func TestServerRecommendation(t *testing.T) {
	server := func(slug, status string, score, popularity int) Server {
		s := Server{Slug: slug, Status: status}
		if score >= 0 {
			s.Health.Score = &score
		}
		if popularity >= 0 {
			s.Popularity.Score = &popularity
		}
		return s
	}
	offline := server("offline", StatusActive, 60, 10)
	offline.Liveness = LivenessDown
	want := []Server{ // best first
		server("healthy and used", StatusActive, 80, 70),
		server("used", StatusActive, 55, 90),
		server("healthy, hardly used", StatusActive, 95, 7),
		server("healthy, use unknown", StatusActive, 95, -1),
		server("unknown", StatusActive, -1, -1),
		server("archived, used", StatusArchived, 60, 90),
		server("deprecated", StatusDeprecated, 60, 30),
		offline,
	}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortStableFunc(got, func(a, b Server) int {
		if a.Recommendation() > b.Recommendation() {
			return -1
		}
		return 1
	})
	for i := range got {
		if got[i].Slug != want[i].Slug {
			t.Errorf("place %d is %s, want %s", i+1, got[i].Slug, want[i].Slug)
		}
		if r := got[i].Recommendation(); r < -10_101 || r > 10_100 || r < 0 == got[i].Active() {
			t.Errorf("%s: %d", got[i].Slug, r)
		}
	}
}

func TestServerOffline(t *testing.T) {
	for _, tt := range []struct {
		name   string
		server Server
		want   bool
	}{
		{"no endpoint", Server{}, false},
		{"down", Server{Liveness: LivenessDown}, true},
		{"alive", Server{Liveness: LivenessAlive}, false},
		{"not probed", Server{Liveness: LivenessUnknown}, false},
		{"package", Server{Liveness: LivenessDown, Packages: []Package{{RegistryType: "npm"}}}, false},
		{"source", Server{Liveness: LivenessDown, SourceInstall: "uvx --from git+https://a.example b"}, false},
	} {
		if got := tt.server.Offline(); got != tt.want || got == tt.server.Active() {
			t.Errorf("%s: offline %t, active %t", tt.name, got, tt.server.Active())
		}
	}
}

func TestNumberOfTools(t *testing.T) {
	all := 2
	off, undecided := &ToolCondition{Off: true}, &ToolCondition{}
	for want, s := range map[string]Server{
		"":           {Tools: []Tool{{Conditional: off}, {Conditional: undecided}}},
		"2":          {Tools: []Tool{{}, {}, {Conditional: off}}, ToolCount: &all},
		"at least 1": {Tools: []Tool{{}, {Conditional: off}, {Conditional: undecided}}},
	} {
		if got := s.NumberOfTools(); got != want {
			t.Errorf("number of tools %q, want %q", got, want)
		}
	}
}
