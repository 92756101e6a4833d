package jobs_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

// endpoints are made-up endpoints: the state of each URL, and of other URLs "alive_open".
type endpoints struct {
	clock  *clock
	states map[string]registry.Probe
	up     bool // of the control
	asked  []string
}

func (e *endpoints) Probe(_ context.Context, url string) registry.Probe {
	e.asked = append(e.asked, url)
	p, ok := e.states[url]
	if !ok {
		p = registry.Probe{State: registry.ProbeOpen, Protocol: "2026-07-28",
			Transport: registry.TransportHTTP, Tools: []registry.Tool{{Name: "find"}}}
	}
	p.At = e.clock.Now().UTC()
	if p.Tools != nil {
		p.ToolsAt = &p.At
	}
	return p
}

func (e *endpoints) Reachable(context.Context, string) bool { return e.up }

const trainsURL = "https://mcp.trains.alt/mcp"

// hostedServer is aServer without a package, with an endpoint.
func hostedServer(name string) string {
	s := strings.Replace(aServer(name), `packages:
  - {system: npm, name: `+name[strings.Index(name,
		"/")+1:]+`, license: MIT, downloads: 900, versions: [{version: 1.0.0, age: 200d}, {version: 1.2.0, age: 20d}]}
`, "listings: [{file: server.json, age: 17d}]\n", 1)
	s = strings.Replace(s, `"license": "MIT", "bin"`, `"private": true, "bin"`, 1)
	start, end := strings.Index(s, "    {\"mcpServers"), strings.Index(s, "-- LICENSE --")
	s = s[:start] + "    {\"mcpServers\": {\"trains\": {\"type\": \"http\", \"url\": \"" + trainsURL +
		"\"}}}\n" + s[end:]
	return s + `-- server.json --
{ "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  "name": "io.github.` + name + `", "description": "Train times", "version": "1.2.0",
  "repository": { "url": "https://github.com/` + name + `", "source": "github" },
  "remotes": [ { "type": "streamable-http", "url": "` + trainsURL + `" } ] }
`
}

func (h *fixture) prober(e *endpoints) *jobs.Prober {
	return &jobs.Prober{Store: h.db, Endpoints: e, Control: "https://control.example/",
		Log: slog.New(slog.DiscardHandler), Now: h.clock.Now}
}

func TestProbes(t *testing.T) {
	h := newFixture(t, hostedServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	e := &endpoints{clock: h.clock, states: map[string]registry.Probe{}, up: true}
	p := h.prober(e)
	run := func(want int) registry.Server {
		t.Helper()
		n, err := p.Run(t.Context())
		h.must(err)
		if n != want {
			t.Errorf("probed %d endpoints, want %d", n, want)
		}
		return h.server("rail/trains-mcp")
	}
	start := h.clock.Now()
	if s := h.server("rail/trains-mcp"); s.Liveness != registry.LivenessUnknown {
		t.Errorf("before the first probe: liveness %q", s.Liveness)
	}
	one := 1.0
	s := run(1)
	want := &registry.Liveness{State: registry.ProbeOpen, CheckedAt: start, Since: start, FirstProbeAt: &start,
		Uptime30: &one, Probes: 1, Protocol: "2026-07-28"}
	if len(s.Remotes) != 1 || s.Liveness != registry.LivenessAlive {
		t.Fatalf("liveness %q of %d remotes", s.Liveness, len(s.Remotes))
	}
	if diff := cmp.Diff(want, s.Remotes[0].Liveness); diff != "" {
		t.Error(diff)
	}
	if f, _ := h.packageFacts(registry.PackageKey{RegistryType: registry.RemoteType,
		Identifier: trainsURL}); f.Probe == nil || len(f.Probe.Tools) != 1 {
		t.Errorf("stored: %+v", f.Probe)
	}
	if len(s.Tools) != 1 || s.Tools[0].Name != "find" || s.ToolsFrom != registry.ToolsFromProbe ||
		s.ToolsEndpoint == "" ||
		!s.ToolsAt.Equal(start) || s.ToolsHash == "" {
		t.Errorf("tools %+v from %q of %v", s.Tools, s.ToolsFrom, s.ToolsAt)
	}
	run(0) // not due

	before := h.seq()
	h.later(7 * time.Hour)
	if run(1); h.seq() != before {
		t.Error("a probe without news changed the server")
	}

	e.states[trainsURL] = registry.Probe{State: registry.ProbeUnreachable, Reason: registry.ReasonTimeout}
	e.up = false // our own network is down
	h.later(7 * time.Hour)
	run(1)
	h.later(7 * time.Hour)
	if s = run(1); s.Liveness != registry.LivenessAlive {
		t.Errorf("without a control: liveness %q", s.Liveness)
	}
	e.up = true
	h.later(time.Hour)
	down := h.clock.Now()
	for _, want := range []string{registry.LivenessAlive, registry.LivenessAlive, registry.LivenessDown} {
		if s = run(1); s.Liveness != want {
			t.Errorf("%s after the first miss: liveness %q, want %q", h.clock.Now().Sub(down), s.Liveness, want)
		}
		h.later(4 * time.Hour)
	}
	uptime := 2.0 / 5
	want = &registry.Liveness{State: registry.ProbeUnreachable, Reason: registry.ReasonTimeout,
		CheckedAt: down.Add(8 * time.Hour), Since: down, FirstProbeAt: &start, Uptime30: &uptime, Probes: 5}
	if diff := cmp.Diff(want, s.Remotes[0].Liveness); diff != "" {
		t.Error(diff)
	}
	if f, _ := h.packageFacts(registry.PackageKey{RegistryType: registry.RemoteType,
		Identifier: trainsURL}); len(f.Probe.Tools) != 1 {
		t.Error("the last list of tools was lost")
	}
	if caps := s.Health.Caps; len(caps) > 0 && caps[0].ID == "remote_dead" {
		t.Error("capped at once")
	}

	for range 14 {
		h.later(27 * time.Hour)
		run(1)
	}
	s = h.server("rail/trains-mcp")
	if s.Health.Grade != "D" {
		t.Errorf("after 14 days: grade %s, caps %v", s.Health.Grade, s.Health.Caps)
	}
	if got := h.status().Endpoints; !cmp.Equal(got, map[string]int{registry.ProbeUnreachable: 1}) {
		t.Errorf("status: %v", got)
	}

	delete(e.states, trainsURL)
	h.later(27 * time.Hour)
	if s = run(1); s.Liveness != registry.LivenessAlive || s.Remotes[0].Liveness.Since != h.clock.Now() {
		t.Errorf("again alive: %q, %+v", s.Liveness, s.Remotes[0].Liveness)
	}
}

// TestProbeLongDown looks at the tools of a server whose endpoint was open once.
func TestProbeLongDown(t *testing.T) {
	h := newFixture(t, hostedServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	e := &endpoints{clock: h.clock, states: map[string]registry.Probe{}, up: true}
	p := h.prober(e)
	before := h.server("rail/trains-mcp").ToolsFrom
	probe := func() string {
		t.Helper()
		_, err := p.Run(t.Context())
		h.must(err)
		return h.server("rail/trains-mcp").ToolsFrom
	}
	got := []string{before, probe()}
	e.states[trainsURL] = registry.Probe{State: registry.ProbeUnreachable,
		Reason: registry.ReasonTimeout}
	for _, d := range []time.Duration{7, 4, 4, 29 * 24, 8 * 24} {
		h.later(d * time.Hour)
		got = append(got, probe())
	}
	delete(e.states, trainsURL)
	h.later(8 * 24 * time.Hour)
	got = append(got, probe())
	want := []string{before, "probe", "probe", "probe", "probe", "probe", registry.ToolsFromSource, "probe"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestProbeWrongTransport(t *testing.T) {
	h := newFixture(t, hostedServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	e := &endpoints{clock: h.clock, states: map[string]registry.Probe{
		trainsURL: {State: registry.ProbeOpen, Transport: registry.TransportSSE}}}
	_, err := h.prober(e).Run(t.Context())
	h.must(err)
	if l := h.server("rail/trains-mcp").Remotes[0].Liveness; l == nil || l.State != registry.ProbeWrongTransport {
		t.Errorf("liveness %+v", l)
	}
}

func TestProbeRetryAfter(t *testing.T) {
	h := newFixture(t, hostedServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	e := &endpoints{clock: h.clock, states: map[string]registry.Probe{trainsURL: {
		State: registry.ProbeRefused, RetryAt: h.clock.Now().Add(20 * time.Hour)}}}
	p := h.prober(e)
	for _, d := range []time.Duration{0, 19 * time.Hour, 2 * time.Hour} {
		h.later(d)
		_, err := p.Run(t.Context())
		h.must(err)
	}
	if len(e.asked) != 2 {
		t.Errorf("probed %d times", len(e.asked))
	}
}

func TestProbesForgotten(t *testing.T) {
	h := newFixture(t, hostedServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	e := &endpoints{clock: h.clock}
	_, err := h.prober(e).Run(t.Context())
	h.must(err)
	key := registry.PackageKey{RegistryType: registry.RemoteType, Identifier: "https://old.example/mcp"}
	h.must(h.db.EnqueuePackages(t.Context(), []registry.PackageKey{key}, h.clock.Now()))
	now := h.clock.Now()
	for _, tt := range []struct {
		before, unnamed time.Time
		want            int
	}{{now, now, 0}, {now, now.Add(time.Hour), 1}, {now.AddDate(0, 0, 1), now, 1}} {
		n, err := h.db.ForgetProbes(t.Context(), tt.before, tt.unnamed)
		h.must(err)
		if n != tt.want {
			t.Errorf("forgot %d, want %d", n, tt.want)
		}
	}
}
