package census

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// asked returns a client with prepared responses by request URI, and the URIs that it has
// requested.
func asked(t *testing.T, responses map[string]string) (*Client, *[]string) {
	t.Helper()
	uris := new([]string)
	return newClient(t, func(r *http.Request) (*http.Response, error) {
		*uris = append(*uris, r.URL.RequestURI())
		body, ok := responses[r.URL.RequestURI()]
		if !ok {
			return respond(404, `{"code": "not_found"}`), nil
		}
		return respond(200, body), nil
	}), uris
}

func TestAllChanges(t *testing.T) {
	c, uris := asked(t, map[string]string{
		"/v1/changes?fields=name%2Cstars&limit=100": `{"changes": [{"id": "a", "status": "active"}],
			"next": 7, "hasMore": true}`,
		"/v1/changes?after=7&fields=name%2Cstars&limit=100": `{"changes": [{"id": "b", "status": "deleted",
			"changedAt": "2026-10-31T12:00:00Z"}], "next": 9, "hasMore": false}`,
	})
	var got []RecordChange
	var next int64
	for page, err := range c.Servers.AllChanges(t.Context(),
		RecordChangesParams{Fields: []DetailMember{"name", "stars"}}) {
		if err != nil {
			t.Fatal(err)
		}
		got, next = append(got, page.Changes...), page.Next
	}
	want := []RecordChange{{ID: "a", Status: "active"},
		{ID: "b", Status: "deleted", ChangedAt: time.Date(2026, 10, 31, 12, 0, 0, 0, time.UTC)}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if next != 9 || len(*uris) != 2 || got[0].IsDeleted() || !got[1].IsDeleted() {
		t.Errorf("next %d after %v", next, *uris)
	}
}

func TestAllChanges_error(t *testing.T) {
	c, _ := asked(t, map[string]string{
		"/api/changes": `{"changes": [], "next": 7, "hasMore": true}`,
	})
	pages, errors := 0, 0
	for page, err := range c.Directory.AllChanges(t.Context(), ChangesParams{}) {
		if err != nil {
			errors++
		} else if page != nil {
			pages++
		}
	}
	if pages != 1 || errors != 1 {
		t.Errorf("%d pages and %d errors", pages, errors)
	}
}

func TestAllDeliveries(t *testing.T) {
	c, uris := asked(t, map[string]string{
		"/v1/webhooks/3/deliveries?limit=100":          `{"deliveries": [{"id": 9}, {"id": 8}], "before": 8}`,
		"/v1/webhooks/3/deliveries?before=8&limit=100": `{"deliveries": [{"id": 2}], "before": null}`,
	})
	var got []int64
	for d, err := range c.Webhooks.AllDeliveries(t.Context(), 3, DeliveriesParams{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, d.ID)
	}
	if d := cmp.Diff([]int64{9, 8, 2}, got); d != "" || len(*uris) != 2 {
		t.Error(d, *uris)
	}
}

func TestEntriesAll(t *testing.T) {
	c, uris := asked(t, map[string]string{
		"/r/my%20view/v0.1/servers?include_deleted=true&limit=2&updated_since=2026-10-31T12%3A00%3A00.5Z": `{
			"servers": [{"server": {"name": "a.b/c"}, "_meta": {
				"io.modelcontextprotocol.registry/official": {"status": "active", "isLatest": true},
				"org.example/server": {"id": "c", "score": 80}}}],
			"metadata": {"nextCursor": "n1", "count": 1}}`,
		"/r/my%20view/v0.1/servers?cursor=n1&limit=2": `{"servers": [{"server": {"name": "a.b/d"}, "_meta": {
				"io.modelcontextprotocol.registry/official": {"status": "deleted"}}}],
			"metadata": {"count": 1}}`,
	})
	type entry struct {
		Name, Status, ID string
	}
	var got []entry
	params := EntriesParams{Limit: 2, IncludeDeleted: true,
		UpdatedSince: time.Date(2026, 10, 31, 13, 0, 0, 5e8, time.FixedZone("", 3600))}
	for e, err := range c.Registry.View("my view").All(t.Context(), params) {
		if err != nil {
			t.Fatal(err)
		}
		row := entry{Name: e.Server.Name, Status: e.OfficialMeta().Status}
		if meta := e.RegistryMeta(); meta != nil {
			row.ID = meta.ID
		}
		got = append(got, row)
	}
	if d := cmp.Diff([]entry{{"a.b/c", "active", "c"}, {"a.b/d", "deleted", ""}}, got); d != "" {
		t.Error(d, *uris)
	}
	if e := new(ServerEntry); e.OfficialMeta() != nil || e.RegistryMeta() != nil {
		t.Error("an entry without metadata has some")
	}
}

// TestOnce checks that requests that create something are repeated only if the registry
// certainly did not handle them.
func TestOnce(t *testing.T) {
	for status, want := range map[int]int{0: 1, 409: 1, 500: 1, 503: 1, 429: 3} {
		attempts := 0
		c := newClient(t, func(*http.Request) (*http.Response, error) {
			attempts++
			if status == 0 {
				return nil, http.ErrHandlerTimeout
			}
			return respond(status, "{}", "Retry-After-Ms", "1"), nil
		})
		if _, err := c.Webhooks.Create(t.Context(), WebhookEndpointRequest{}); err == nil || attempts != want {
			t.Errorf("%d: %d attempts, want %d: %v", status, attempts, want, err)
		}
	}
}
