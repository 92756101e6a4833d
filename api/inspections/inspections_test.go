package inspections

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

type queue struct{ saved []registry.InspectionResult }

func (q *queue) Lease(
	_ context.Context, types []string, n int,
) ([]registry.InspectionWork, error) {
	if n != 1 || strings.Join(types, " ") != "npm" {
		return nil, registry.Errorf(registry.ErrInvalid, "leased %d of %v", n, types)
	}
	return []registry.InspectionWork{{Package: registry.Package{RegistryType: "npm",
		Identifier: "trains-mcp", Version: "1.2.0"}}}, nil
}

func (q *queue) Save(_ context.Context, results []registry.InspectionResult) error {
	q.saved = append(q.saved, results...)
	return nil
}

func TestHandler(t *testing.T) {
	const key = "a-key-that-is-long-enough-for-this"
	q := new(queue)
	h := Handler(q, key, slog.New(slog.DiscardHandler))
	for _, c := range []struct {
		name, method, path, key, body string
		status                        int
		want                          string // part of the response
	}{
		{"no key", "POST", LeasePath, "", `{}`, 401, "wrong key"},
		{"wrong key", "POST", ResultsPath, key + "x", `{}`, 401, "wrong key"},
		{"wrong method", "GET", LeasePath, key, "", 405, ""},
		{"malformed", "POST", LeasePath, key, `{`, 400, "malformed body"},
		{"rejected", "POST", LeasePath, key, `{"max": 2}`, 400, "leased 2"},
		{"lease", "POST", LeasePath, key, `{"registryTypes": ["npm"], "max": 1}`, 200,
			`{"packages":[{"package":{"registryType":"npm","identifier":"trains-mcp","version":"1.2.0"`},
		{"results", "POST", ResultsPath, key,
			`{"results": [{"identifier": "trains-mcp", "inspection": {"outcome": "listed"}}]}`, 200, "{}"},
		{"too large", "POST", ResultsPath, key, `{"x": "` + strings.Repeat("x", MaxBody) + `"}`, 400,
			"malformed body"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
			if c.key != "" {
				r.Header.Set("Authorization", "Bearer "+c.key)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
				t.Errorf("got %d %q, want %d with %q", w.Code, w.Body, c.status, c.want)
			}
			if c.status == http.StatusOK && w.Header().Get("Cache-Control") != "no-store" {
				t.Error("the response may be cached")
			}
		})
	}
	if len(q.saved) != 1 || q.saved[0].Inspection.Outcome != registry.InspectionListed {
		t.Errorf("stored %+v", q.saved)
	}
}
