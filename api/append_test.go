package api

import (
	"math"
	"testing"

	"mcpcensus/internal/generate"
	"mcpcensus/internal/registry"
)

func TestHealthIsWrittenAsItWouldBeEncoded(t *testing.T) {
	e := newEncoder("io.mcpcensus", clientsOf)
	servers := []registry.Server{weather(), unknown(), member("git")}
	for s := range generate.Servers(200, 5) {
		servers = append(servers, s)
	}
	odd := weather()
	odd.Subfolder = "a\"b\\c\x00\xff\u2028<é>"
	odd.Health.Coverage = 1e-9
	odd.Health.Categories = append([]registry.HealthSection{}, odd.Health.Categories...)
	odd.Health.Categories[0].Weight = -3.25
	odd.Health.Categories[0].Coverage = math.NaN()
	odd.Health.Caps = []registry.Cap{{ID: "x", Max: 3, Reason: "\n"}, {ID: "y", Applied: true}}
	odd.Health.Flags, odd.Health.Improve = []string{"a", "b"}, []registry.Improvement{{Check: "c", Gain: 1e22, Text: "t"}, {}}
	servers = append(servers, odd)
	for _, s := range servers {
		for _, indexed := range []bool{true, false} {
			h := e.healthOf(&s, indexed)
			if !indexed {
				h.Reason = known("because")
			}
			want, err := encode(h)
			if err != nil {
				t.Fatal(err)
			}
			if got := appendHealth(nil, &h); string(got) != string(want) {
				t.Fatalf("%s:\n got %s\nwant %s", s.Slug, got, want)
			}
		}
	}
}
