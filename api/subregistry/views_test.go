package subregistry

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// saved has one custom endpoint.
type saved struct{}

const token = "0f8fad5bd9cb469fa16570867728950e"

func (saved) SavedView(_ context.Context, t string) (string, query.Query, string, error) {
	if t != token {
		return "", query.Query{}, "", registry.Errorf(registry.ErrNotFound, "There is no such view.")
	}
	return "mine", query.Query{Filters: []query.Filter{query.Equal("owner", "octo")}, Sort: byRecommended}, "1", nil
}

// TestViewsWithoutDatabase checks that a view that was used is still served, and no other one.
func TestViewsWithoutDatabase(t *testing.T) {
	x := start(t, 5, func(o *Options) { o.Saved = &savedAway{} })
	for range 3 {
		if names := x.walk("/r/"+token+"/v0.1/servers", func() {}); len(names) == 0 {
			t.Fatal("no servers")
		}
		x.later += time.Minute
	}
	if status, _ := x.get("/r/" + strings.Repeat("a", 32) + "/v0.1/servers"); status != 503 {
		t.Errorf("another token: %d", status)
	}
}

// savedAway is saved until it was asked once.
type savedAway struct{ asked bool }

func (s *savedAway) SavedView(ctx context.Context, t string) (string, query.Query, string, error) {
	if s.asked {
		return "", query.Query{}, "", registry.Errorf(registry.ErrUnavailable, "The database is away.")
	}
	s.asked = true
	return saved{}.SavedView(ctx, t)
}

func TestViews(t *testing.T) {
	x := start(t, 50, func(o *Options) { o.Saved = saved{} })
	all := x.walk("/v0.1/servers?limit=100", func() {})
	for n, name := range []string{"all", "healthy", "verified", "official", "remote", "oci", token} {
		x.client = "192.0.5." + string(rune('1'+n)) + ":1"
		began := time.Now()
		names := x.walk("/r/"+name+"/v0.1/servers?limit=1", func() {}) // as ToolHive does at first
		t.Logf("%s: %d servers walked one by one in %v", name, len(names), time.Since(began))
		if len(names) == 0 || !slices.IsSorted(names) || slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(all, n) }) {
			t.Errorf("%s: %v", name, names)
		}
		cache := x.do("GET", "/r/"+name+"/v0.1/servers?limit=1").Header.Get("Cache-Control")
		if (cache == "private, no-cache") != (name == token) {
			t.Errorf("%s: Cache-Control %q", name, cache)
		}
		_, body := x.get("/r/" + name + "/openapi.yaml")
		doc, err := openapi3.NewLoader().LoadFromData(body)
		if err != nil {
			t.Fatal(err)
		}
		if err := doc.Validate(t.Context(), openapi3.DisableExamplesValidation()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if doc.Info.Version != "1.0.0" || !strings.Contains(doc.Info.Description, "https://github.com/modelcontextprotocol/registry") ||
			doc.Servers[0].URL != "https://census.example/r/"+name || doc.Paths.Len() != 3 {
			t.Errorf("%s: openapi.yaml has version %s, server %s, %d paths", name, doc.Info.Version, doc.Servers[0].URL, doc.Paths.Len())
		}
		var documents []struct{ Name string }
		_, body = x.get("/r/" + name + "/servers.json")
		if err := json.Unmarshal(body, &documents); err != nil || len(documents) == 0 || len(documents) > len(names) { // see [API.documents]
			t.Errorf("%s: %d documents of %d servers, %v", name, len(documents), len(names), err)
		}
		_, body = x.get("/r/" + name + "/registry.json")
		var entries struct {
			Servers []struct {
				Server struct {
					Repository struct{ Source string }
					Meta       map[string]struct{ GitHub *struct{} } `json:"_meta"`
				}
			}
		}
		if err := json.Unmarshal(body, &entries); err != nil {
			t.Fatal(err)
		}
		for n, e := range entries.Servers { // those that owners published too
			if e.Server.Repository.Source == registry.GitHub &&
				e.Server.Meta["io.modelcontextprotocol.registry/publisher-provided"].GitHub == nil {
				t.Errorf("%s: %s is not enriched", name, names[n])
			}
		}
		if l := x.list("/r/" + name + "/registry.json"); l.Metadata.Count != len(names) {
			t.Errorf("%s: registry.json has %d of %d servers", name, l.Metadata.Count, len(names))
		}
	}
	if status, _ := x.get("/r/" + strings.ToUpper(token) + "/v0.1/servers"); status != 404 {
		t.Errorf("another token: %d", status)
	}
	if got := x.walk("/r/oci/v0.1/servers?search=image", func() {}); !slices.Equal(got, []string{"io.github.octo/image"}) {
		t.Errorf("search in a view: %v", got)
	}
}

// TestViews_departures lists a view, of which one server then leaves and another is renamed.
func TestViews_departures(t *testing.T) {
	x := start(t, 0)
	x.walk("/r/healthy/v0.1/servers?limit=100", func() {})
	before := x.walk("/r/all/v0.1/servers?limit=100", func() {})
	nothing, renamed := known()[1], known()[5]
	nothing.Packages, nothing.Seq = nil, 30_001
	renamed.Repo.Name, renamed.Seq = "newer-name", 30_002
	if err := x.catalog.Apply([]registry.Server{nothing, renamed}, nil, 30_002); err != nil {
		t.Fatal(err)
	}
	var deleted []string
	l := x.list("/r/all/v0.1/servers?limit=100&updated_since=2026-11-02T11:59:00Z")
	for _, s := range l.Servers {
		if s.Meta["io.modelcontextprotocol.registry/official"].Status == "deleted" {
			deleted = append(deleted, s.Server.Name)
		}
	}
	if diff := cmp.Diff([]string{"io.github.Octo/Tides.MCP", "io.github.octo/new-name"}, deleted); diff != "" {
		t.Error(diff)
	}
	if n := x.walk("/r/all/v0.1/servers?limit=100", func() {}); len(n) != len(before)-1 {
		t.Errorf("%d servers after one of %d left", len(n), len(before))
	}
	if l := x.list("/r/healthy/v0.1/servers?include_deleted=true"); len(l.Servers) != 0 {
		t.Errorf("a view that had none of them has %+v", l.Servers)
	}
}

func TestManagedSettings(t *testing.T) {
	x := start(t, 0)
	_, body := x.get("/r/all/managed-settings.json")
	var got struct{ AllowedMcpServers []allowed }
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	npx := func(name string) allowed { return allowed{Command: []string{"npx", "-y", name + "@1.0.0"}} }
	want := []allowed{
		{Command: []string{"npx", "-y", "@octo/weather@1.4.0"}}, npx("tides.mcp"), npx("a.b"), npx("a"), npx("archived"),
		{Command: []string{"docker", "run", "-i", "--rm", "ghcr.io/octo/image:2.0"}}, npx("mono"), npx("new-name"),
	} // not those whose users fill in an argument or the host
	if diff := cmp.Diff(want, got.AllowedMcpServers); diff != "" {
		t.Error(diff)
	}
}

// TestViews_harmful checks that neither views nor the list of all servers have one with hidden
// instructions.
func TestViews_harmful(t *testing.T) {
	x := start(t, 0, func(o *Options) { o.Saved = saved{} })
	x.client = "192.0.6.1:1"
	harmful := known()[0]
	harmful.Seq, harmful.Verified, harmful.Official = 30_001, true, true
	harmful.Health.Caps = []registry.Cap{{ID: "hidden_instructions"}}
	if err := x.catalog.Apply([]registry.Server{harmful}, nil, 30_001); err != nil {
		t.Fatal(err)
	}
	const name = "dev.octo/weather"
	for _, view := range []string{"", "/r/all", "/r/verified", "/r/official", "/r/" + token} {
		for _, query := range []string{"limit=100", "search=weather"} {
			l := x.list(view + "/v0.1/servers?" + query)
			for _, s := range l.Servers {
				if s.Server.Name == name {
					t.Errorf("%s?%s has %s", view, query, name)
				}
			}
		}
	}
}
