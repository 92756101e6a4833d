package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func sendJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v)
}

func newTestRegistry(t *testing.T, base string, now func() time.Time) *MCPRegistry {
	t.Helper()
	m, err := NewMCPRegistry(Options{Base: base, Now: now, Timeout: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	m.Backoff = time.Millisecond
	return m
}

func entry(name, version string, latest bool, updated time.Time) map[string]any {
	return map[string]any{
		"server": map[string]any{
			"name": name, "description": "d", "version": version,
			"repository": map[string]any{"url": "https://github.com/octo/" + name[strings.Index(name, "/")+1:], "source": "github", "id": "42"},
		},
		"_meta": map[string]any{"io.modelcontextprotocol.registry/official": map[string]any{"status": "active", "isLatest": latest, "updatedAt": updated.Format(time.RFC3339), "publishedAt": updated.Format(time.RFC3339)}},
	}
}

func collect(t *testing.T, m *MCPRegistry, state []byte) (map[string]registry.Candidate, []byte) {
	t.Helper()
	got := map[string]registry.Candidate{}
	err := m.Discover(context.Background(), state, func(cs []registry.Candidate, s []byte) error {
		for _, c := range cs {
			got[c.Listing.Name] = c
		}
		state = s
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got, state
}

func TestDiscoverPages(t *testing.T) {
	day := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	pages := map[string]map[string]any{
		"":         {"servers": []any{entry("io.github.octo/a", "1.0.0", false, day), entry("io.github.octo/b", "1.0.0", false, day)}, "metadata": map[string]any{"nextCursor": "c1 &+/=é"}},
		"c1 &+/=é": {"servers": []any{entry("io.github.octo/b", "1.10.0", true, day), entry("io.github.octo/b", "1.9.0", false, day)}, "metadata": map[string]any{"next_cursor": "c2"}},
		"c2":       {"servers": []any{}, "metadata": map[string]any{}},
	}
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v0.1/servers" || r.URL.Query().Get("limit") != "100" {
			t.Errorf("requested %s", r.URL)
		}
		page, ok := pages[r.URL.Query().Get("cursor")]
		if !ok {
			t.Errorf("unknown cursor %q", r.URL.Query().Get("cursor"))
		}
		sendJSON(w, page)
	})
	got, _ := collect(t, newTestRegistry(t, base+"/v0.1/", nil), nil)
	if len(got) != 1 || got["io.github.octo/b"].Listing.Version != "1.10.0" {
		t.Fatalf("got %+v", got)
	}
	if c := got["io.github.octo/b"]; c.Ref.Owner != "octo" || c.Ref.Name != "b" || c.HostID != 42 || c.Source != "official-registry" {
		t.Errorf("candidate %+v", c)
	}
}

func TestDiscoverResume(t *testing.T) {
	day := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	asked := []string{}
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		cursor := r.URL.Query().Get("cursor")
		asked = append(asked, cursor)
		n := 0
		fmt.Sscanf(cursor, "p%d", &n)
		meta := map[string]any{}
		if n < 4 {
			meta["nextCursor"] = fmt.Sprintf("p%d", n+1)
		}
		// The versions of each name span two pages.
		sendJSON(w, map[string]any{"servers": []any{
			entry(fmt.Sprintf("a.b/s%d", n), "2.0.0", true, day), entry(fmt.Sprintf("a.b/s%d", n+1), "1.0.0", false, day),
		}, "metadata": meta})
	})
	m := newTestRegistry(t, base, nil)
	stop := errors.New("killed")
	got := map[string]string{}
	var state []byte
	for try := 0; ; try++ {
		killAfter := 2
		err := m.Discover(context.Background(), state, func(cs []registry.Candidate, s []byte) error {
			if killAfter--; killAfter < 0 {
				return stop // this page is not stored
			}
			for _, c := range cs {
				got[c.Listing.Name] = c.Listing.Version
			}
			state = s
			return nil
		})
		if err == nil {
			break
		}
		if !errors.Is(err, stop) || try > 9 {
			t.Fatal(err)
		}
	}
	for n := range 5 {
		if got[fmt.Sprintf("a.b/s%d", n)] != "2.0.0" {
			t.Errorf("s%d: %q", n, got[fmt.Sprintf("a.b/s%d", n)])
		}
	}
	if len(asked) > 8 {
		t.Errorf("requested %v", asked)
	}
}

func TestDiscoverChanges(t *testing.T) {
	updated := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
	now := updated.Add(time.Hour)
	var since []string
	var deleted bool
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.EscapedPath(), "/versions") {
			if r.URL.EscapedPath() != "/v0.1/servers/a.b%2Fs/versions" {
				t.Errorf("path %s", r.URL.EscapedPath())
			}
			sendJSON(w, map[string]any{"servers": []any{entry("a.b/s", "1.0.0", false, updated)}, "metadata": map[string]any{}})
			return
		}
		since = append(since, r.URL.Query().Get("updated_since"))
		rows := []any{entry("a.b/old", "1.0.0", false, updated)}
		e := entry("a.b/s", "2.0.0", true, updated)
		if deleted {
			e["_meta"].(map[string]any)["io.modelcontextprotocol.registry/official"].(map[string]any)["status"] = "deleted"
		}
		sendJSON(w, map[string]any{"servers": append(rows, e), "metadata": map[string]any{}})
	})
	m := newTestRegistry(t, base, func() time.Time { return now })
	got, state := collect(t, m, nil)
	if len(got) != 1 {
		t.Fatalf("a full walk returned more than the latest versions: %v", got)
	}
	now = now.Add(time.Hour)
	got, state = collect(t, m, state)
	if want := "2026-10-01T11:50:00Z"; since[1] != want {
		t.Errorf("updated_since %q, want %q", since[1], want)
	}
	if _, ok := got["a.b/old"]; ok || len(got) != 1 {
		t.Errorf("a change of an old version returned its server: %v", got)
	}
	deleted = true
	got, state = collect(t, m, state)
	if l := got["a.b/s"].Listing; l.Version != "1.0.0" || l.Status != "active" {
		t.Errorf("not the version before the deleted one: %+v", l)
	}
	now = now.Add(8 * 24 * time.Hour)
	collect(t, m, state)
	if since[0] != "" || since[len(since)-1] != "" {
		t.Errorf("full walks: %q", since)
	}
}

func TestDiscoverVersions(t *testing.T) {
	var asked []string
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Query().Get("version"))
		sendJSON(w, map[string]any{"servers": []any{entry("a.b/s", "2.0.0", true, testNow)}})
	})
	m := newTestRegistry(t, base, nil)
	_, state := collect(t, m, nil)
	collect(t, m, state)
	if len(asked) != 2 || asked[0] != "latest" || asked[1] != "" {
		t.Errorf("requested versions %q", asked)
	}
}

func TestDiscoverFutureDates(t *testing.T) {
	now := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
	var since string
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		since = r.URL.Query().Get("updated_since")
		sendJSON(w, map[string]any{"servers": []any{entry("a.b/s", "2.0.0", true, now.AddDate(50, 0, 0))}, "metadata": map[string]any{}})
	})
	m := newTestRegistry(t, base, func() time.Time { return now })
	_, state := collect(t, m, nil)
	collect(t, m, state)
	if since != "2026-10-01T11:50:00Z" {
		t.Errorf("updated_since %q", since)
	}
}

func TestDiscoverFailures(t *testing.T) {
	bad := map[string]http.HandlerFunc{
		"401": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(401) },
		"403": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(403) },
		"404": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(404); w.Write([]byte("{}")) },
		"409": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(409) },
		"429": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "9999")
			w.WriteHeader(429)
		},
		"500":      func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500) },
		"html 200": func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("<html>hello</html>")) },
		"truncated": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Write([]byte(`{"servers":[{"ser`))
		},
		"cut": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "999")
			w.Write([]byte(`{"servers":[]`))
		},
		"no list":    func(w http.ResponseWriter, r *http.Request) { sendJSON(w, map[string]any{"message": "ok"}) },
		"wrong type": func(w http.ResponseWriter, r *http.Request) { sendJSON(w, map[string]any{"servers": "many"}) },
		"array":      func(w http.ResponseWriter, r *http.Request) { sendJSON(w, []int{1}) },
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
		},
		"same cursor": func(w http.ResponseWriter, r *http.Request) {
			sendJSON(w, map[string]any{"servers": []any{}, "metadata": map[string]any{"nextCursor": "c"}})
		},
	}
	for name, h := range bad {
		t.Run(name, func(t *testing.T) {
			m := newTestRegistry(t, serve(t, h), nil)
			calls := 0
			err := m.Discover(context.Background(), nil, func(cs []registry.Candidate, s []byte) error {
				calls += len(cs)
				return nil
			})
			if !errors.Is(err, registry.ErrUnavailable) && !errors.Is(err, registry.ErrLimited) {
				t.Errorf("error %v", err)
			}
			if calls > 0 {
				t.Errorf("%d unexpected candidates", calls)
			}
		})
	}
	t.Run("temporary", func(t *testing.T) {
		n := 0
		base := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if n++; n < 4 {
				w.WriteHeader(502)
				return
			}
			sendJSON(w, map[string]any{"servers": []any{entry("a.b/s", "1.0.0", true, time.Now())}})
		})
		got, _ := collect(t, newTestRegistry(t, base, nil), nil)
		if len(got) != 1 {
			t.Errorf("got %v", got)
		}
	})
	t.Run("rejected old cursor", func(t *testing.T) {
		base := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("cursor") != "" {
				w.WriteHeader(400)
				return
			}
			sendJSON(w, map[string]any{"servers": []any{entry("a.b/s", "1.0.0", true, time.Now())}})
		})
		got, _ := collect(t, newTestRegistry(t, base, nil), []byte(`{"v":1,"cursor":"gone"}`))
		if len(got) != 1 {
			t.Errorf("got %v", got)
		}
	})
}

func TestDiscoverMalformed(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		sendJSON(w, map[string]any{"servers": []any{
			nil, 7, "x", map[string]any{}, map[string]any{"server": map[string]any{"name": 5}}, map[string]any{"server": map[string]any{"name": "no slash"}},
			map[string]any{"server": map[string]any{"name": "a.b/odd", "repository": "text", "packages": map[string]any{}, "remotes": []any{1, map[string]any{"url": 5}}, "icons": []any{nil}}, "_meta": []any{}},
			map[string]any{"server": map[string]any{"name": "a.b/lab", "repository": map[string]any{"url": "https://gitlab.com/a/b", "source": "gitlab", "id": "9"}}},
			entry("a.b/good", "1.0.0", true, time.Now()),
		}})
	})
	got, _ := collect(t, newTestRegistry(t, base, nil), []byte("{broken"))
	if len(got) != 3 {
		t.Fatalf("got %v", got)
	}
	for _, name := range []string{"a.b/odd", "a.b/lab"} {
		if c := got[name]; c.Ref != (registry.RepoRef{}) || c.HostID != 0 || c.Listing == nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestDiscoverContext(t *testing.T) {
	release := make(chan struct{})
	base := serve(t, func(w http.ResponseWriter, r *http.Request) { <-release })
	defer close(release)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	err := newTestRegistry(t, base, nil).Discover(ctx, nil, func([]registry.Candidate, []byte) error { return nil })
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}
