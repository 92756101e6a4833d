package v1

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"mcpcensus/api"
	"mcpcensus/internal/registry"
)

// changeLog has one changed and one removed server.
type changeLog struct{}

func (changeLog) ChangesBetween(_ context.Context, after, _ int64, _ int) ([]registry.Change, error) {
	all := []registry.Change{{Seq: 1, Slug: "octo-weather-mcp"}, {Seq: 2, Slug: "octo-gone", Deleted: true, At: epoch}}
	return slices.DeleteFunc(all, func(c registry.Change) bool { return c.Seq <= after }), nil
}

func (changeLog) LastSeq(context.Context) (int64, error) { return 1_000_000, nil }

func TestChanges(t *testing.T) {
	x := start(t, 0, func(o *Options) { o.API = withChanges(o.API) })
	status, b := x.get("/v1/changes")
	var page struct {
		Changes []json.RawMessage
		Next    int64
		HasMore bool
	}
	if err := json.Unmarshal(b, &page); err != nil || status != 200 || len(page.Changes) != 2 {
		t.Fatalf("%d %s", status, b)
	}
	if _, record := x.get("/v1/servers/octo-weather-mcp"); string(page.Changes[0]) != string(record) {
		t.Errorf("the record is %s, that of /v1/servers/{id} %s", page.Changes[0], record)
	}
	const want = `{"id":"octo-gone","status":"deleted","changedAt":"2026-11-02T12:00:00Z"}`
	if string(page.Changes[1]) != want {
		t.Errorf("the removal is %s", page.Changes[1])
	}
	if status, b := x.get("/v1/changes?fields=name,stars"); status != 200 || !strings.Contains(string(b),
		`{"id":"octo-weather-mcp","name":"Weather","stars":1240,"status":"active"}`) {
		t.Errorf("with fields: %d %s", status, b)
	}
	for _, query := range []string{"after=-1", "after=x", "limit=101", "fields=nonsense", "fields=id,,name"} {
		field, _, _ := strings.Cut(query, "=")
		if status, b := x.get("/v1/changes?" + query); status != 400 ||
			!strings.Contains(string(b), `"field":"`+field) {
			t.Errorf("%s: %d %s", query, status, b)
		}
	}
}

// withChanges returns the API of a test with a change log.
func withChanges(a *api.API) *api.API {
	a.Options.Changes = changeLog{}
	return a
}
