package webhook

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func state(change ...func(*registry.Server)) *State {
	score := 70
	s := registry.Server{Slug: "octo-weather-mcp", Name: "Weather", Category: "data",
		Status: registry.StatusActive, LatestVersion: "1.0.0",
		Repo:      registry.Repository{Host: registry.GitHub, Owner: "octo", Name: "weather-mcp"},
		Health:    registry.Health{Score: &score, Version: "mh-2.1.1"},
		Packages:  []registry.Package{{RegistryType: "npm", Identifier: "@octo/weather"}},
		Tools:     []registry.Tool{{Name: "a", Hash: "1"}, {Name: "b", Hash: "2"}},
		ToolsHash: "h1", ToolsFrom: registry.ToolsFromProbe}
	for _, f := range change {
		f(&s)
	}
	return &State{Server: &s}
}

func score(n int) func(*registry.Server) {
	return func(s *registry.Server) { s.Health.Score = &n }
}

func model(version string) func(*registry.Server) {
	return func(s *registry.Server) { s.Health.Version = version }
}

func status(is string) func(*registry.Server) {
	return func(s *registry.Server) { s.Status = is }
}

func tools(hash, from, pkg, version string, list ...registry.Tool) func(*registry.Server) {
	return func(s *registry.Server) {
		s.ToolsHash, s.ToolsFrom, s.ToolsVersion, s.Tools = hash, from, version, list
		s.ToolsPackage = registry.PackageKey{}
		if pkg != "" {
			s.ToolsPackage = registry.PackageKey{RegistryType: "npm", Identifier: pkg}
		}
	}
}

func advisories(s *State, ids ...string) *State {
	for _, id := range ids {
		s.Advisories = append(s.Advisories, registry.Advisory{ID: id, Severity: "high"})
	}
	return s
}

var update = flag.Bool("update", false, "write the events for the tests of the SDKs")

// TestEvents checks the events that the tests of the SDKs parse: one of each type.
func TestEvents(t *testing.T) {
	at := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	tool := registry.Tool{Name: "c", Hash: "4"}
	after := state(score(90), status(registry.StatusArchived), func(s *registry.Server) {
		s.LatestVersion, s.Description, s.ToolsHash = "1.1.0", "new", "h2"
		s.Tools = append(s.Tools, tool)
	})
	changes := slices.Concat(Changes(nil, state()), Changes(state(), advisories(after, "GHSA-1")),
		Changes(state(), state(status(registry.StatusDeprecated), func(s *registry.Server) {
			s.StatusMessage, s.SuccessorURL = "Use the other one.", "https://github.com/octo/other-mcp"
		})),
		Changes(state(), nil), []Change{TestChange()})
	var all []json.RawMessage
	missing := append(slices.Clone(Types), Test)
	for _, c := range changes {
		e, err := c.Event(1, at)
		if err != nil {
			t.Fatal(err)
		}
		body, err := e.Body()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, body)
		missing = slices.DeleteFunc(missing, func(name string) bool { return name == c.Type })
	}
	if len(missing) > 0 {
		t.Errorf("no event has the types %v", missing)
	}
	got, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	const file = "../../sdk/fixtures/webhook_events.json"
	if *update {
		if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if d := cmp.Diff(string(want), string(got)+"\n"); err != nil || d != "" {
		t.Errorf("run with -update if this is right: %v\n%s", err, d)
	}
}

func TestChanges(t *testing.T) {
	a, b, c := registry.Tool{Name: "a", Hash: "1"}, registry.Tool{Name: "b", Hash: "3"},
		registry.Tool{Name: "c", Hash: "4"}
	tests := []struct {
		name          string
		before, after *State
		want          string // types, and what is in the data besides the server
	}{
		{"unlisted stays unlisted", nil, nil, ""},
		{"listed", nil, state(), `server.listed {}`},
		{"gone", state(), nil, `server.gone {}`},
		{"nothing changed", state(), state(), ""},
		{"figures of the day", state(), state(func(s *registry.Server) {
			n := 5
			s.Stars, s.Forks, s.LastCommitAt, s.ScoredAt = &n, &n, &time.Time{}, &time.Time{}
		}), ""},
		{"texts and packages", state(), state(func(s *registry.Server) {
			s.Description, s.Packages = "new", nil
		}), `server.updated {"changed":["description","packages"]}`},
		{"version of a package in server.json", state(), state(func(s *registry.Server) {
			s.Packages = []registry.Package{{RegistryType: "npm", Identifier: "@octo/weather",
				Version: "1.1.0"}}
		}), ""},
		{"repository renamed", state(), state(func(s *registry.Server) { s.Repo.Owner = "octo2" }),
			`server.updated {"changed":["repository"]}`},
		{"version", state(), state(func(s *registry.Server) { s.LatestVersion = "1.1.0" }),
			`server.version {"after":"1.1.0","before":"1.0.0"}`},
		{"version unknown before", state(func(s *registry.Server) { s.LatestVersion = "" }), state(), ""},
		{"score by 4 within the grade", state(), state(score(74)), ""},
		{"score by 5", state(), state(score(75)),
			`server.score_changed {"after":{"grade":"B","score":75},"before":{"grade":"B","score":70}}`},
		{"score by -5", state(score(75)), state(score(70)),
			`server.score_changed {"after":{"grade":"B","score":70},"before":{"grade":"B","score":75}}`},
		{"grade", state(score(79)), state(score(80)),
			`server.score_changed {"after":{"grade":"A","score":80},"before":{"grade":"B","score":79}}`},
		{"score of another model", state(), state(score(40), model("mh-3")), ""},
		{"score unknown", state(), state(func(s *registry.Server) { s.Health.Score = nil }), ""},
		{"deprecated", state(), state(status(registry.StatusDeprecated), func(s *registry.Server) {
			s.StatusMessage, s.SuccessorURL = "Use the other one.", "https://github.com/octo/new"
		}), `server.deprecated {"message":"Use the other one.","successorUrl":"https://github.com/octo/new"}`},
		{"archived", state(), state(status(registry.StatusArchived)), `server.archived {}`},
		{"unreachable", state(), state(status(registry.StatusUnreachable)),
			`server.updated {"changed":["status"]}`},
		{"active again", state(status(registry.StatusArchived)), state(),
			`server.updated {"changed":["status"]}`},
		{"advisories", advisories(state(), "A-1"), advisories(state(), "A-1", "A-2", "A-2"),
			`server.advisory {"advisories":[{"id":"A-2","severity":"high"}],"count":1}`},
		{"advisory withdrawn", advisories(state(), "A-1"), state(), ""},
		{"tools", state(), state(tools("h2", registry.ToolsFromProbe, "", "", b, c)),
			`server.tools_changed {"added":["c"],"changed":["b"],"count":3,"package":null,"removed":["a"],` +
				`"source":"probe","withoutNewVersion":false}`},
		{"tools of another source", state(), state(tools("h2", registry.ToolsFromSource, "", "", a)), ""},
		{"tools of the README", state(tools("h1", registry.ToolsFromReadme, "", "", a)),
			state(tools("h2", registry.ToolsFromReadme, "", "", b)), ""},
		{"tools of the same version, endpoint", state(tools("h1", registry.ToolsFromProbe, "", "1.0", a)),
			state(tools("h2", registry.ToolsFromProbe, "", "1.0", a, b)),
			`server.tools_changed {"added":["b"],"changed":[],"count":1,"package":null,"removed":[],` +
				`"source":"probe","version":"1.0","withoutNewVersion":true}`},
		{"tools of the same version of a package", state(tools("h1", registry.ToolsFromSource, "w", "1.0", a)),
			state(tools("h2", registry.ToolsFromSource, "w", "1.0", a, b)), ""},
		{"tools of a new version of a package", state(tools("h1", registry.ToolsFromSource, "w", "1.0", a)),
			state(tools("h2", registry.ToolsFromSource, "w", "1.1", a, b)),
			`server.tools_changed {"added":["b"],"changed":[],"count":1,"package":"npm w","removed":[],` +
				`"source":"source","version":"1.1","withoutNewVersion":false}`},
		{"several", state(), state(score(20), status(registry.StatusArchived)),
			`server.score_changed {"after":{"grade":"F","score":20},"before":{"grade":"B","score":70}}; server.archived {}`},
	}
	for _, tt := range tests {
		t.Run(strings.ReplaceAll(tt.name, " ", "_"), func(t *testing.T) {
			var got []string
			for _, change := range Changes(tt.before, tt.after) {
				e, err := change.Event(1, time.Time{})
				if err != nil {
					t.Fatal(err)
				}
				var data map[string]any
				if err := json.Unmarshal(e.Data, &data); err != nil {
					t.Fatal(err)
				}
				if s, ok := data["server"].(map[string]any); !ok || s["id"] != "octo-weather-mcp" {
					t.Errorf("the server is %v", data["server"])
				}
				delete(data, "server")
				rest, err := json.Marshal(data)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, e.Type+" "+string(rest))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, "; ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Payloads stay small whatever third parties write.
func TestEventSize(t *testing.T) {
	for _, filler := range []string{"<", `"`, "\x00", "\xff", "\u2028", "ü", "\\"} {
		long := strings.Repeat(filler, 5000)
		before, after := state(), state(func(s *registry.Server) {
			s.Name, s.Repo.Owner, s.Repo.Name, s.LatestVersion = long, long, long, long
			s.StatusMessage, s.SuccessorURL, s.Status = long, long, registry.StatusDeprecated
		})
		after.Server.ToolsHash, before.Server.Tools, after.Server.Tools = "h2", nil, nil
		for i := range 1000 {
			after.Advisories = append(after.Advisories, registry.Advisory{ID: fmt.Sprint(i) + long,
				Severity: long, Package: long, Fixed: long, Title: long, URL: long})
			name := fmt.Sprint(i, long)
			before.Server.Tools = append(before.Server.Tools, registry.Tool{Name: "x" + name},
				registry.Tool{Name: name})
			after.Server.Tools = append(after.Server.Tools, registry.Tool{Name: "y" + name},
				registry.Tool{Name: name, Hash: "1"})
		}
		all := append(Changes(before, after), Changes(nil, after)...)
		all = append(all, Changes(before, nil)...)
		if len(all) != 7 {
			t.Fatalf("%d events", len(all))
		}
		for _, c := range all {
			e, err := c.Event(1, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			body, err := e.Body()
			if err != nil || len(body) >= 20_000 || !json.Valid(body) {
				t.Errorf("%q, %s: %d bytes, %v", filler, e.Type, len(body), err)
			}
		}
	}
}

func TestChanges_statusOfGone(t *testing.T) {
	data := Changes(state(), nil)[0].Data.(statusData)
	if data.Server.Status != registry.StatusDeleted {
		t.Errorf("status %s, want %s", data.Server.Status, registry.StatusDeleted)
	}
}
