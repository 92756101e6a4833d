package census

import (
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAll(t *testing.T) {
	pages := map[string]string{
		"":   `{"servers": [{"id": "a"}, {"id": "b"}], "pagination": {"nextCursor": "c1"}}`,
		"c1": `{"servers": [], "pagination": {"nextCursor": "c2"}}`,
		"c2": `{"servers": [{"id": "c"}], "pagination": {"nextCursor": null}}`,
	}
	tests := []struct {
		name  string
		all   func(*Client) iter.Seq2[Server, error]
		pages map[string]string
		stop  int // after so many items
		want  []string
		asked []string
	}{
		{
			name: "discover", pages: pages, want: []string{"a", "b", "c"},
			all: func(c *Client) iter.Seq2[Server, error] {
				return c.DiscoverAll(t.Context(), DiscoverParams{Category: "data"})
			},
			asked: []string{"/api/discover?category=data&limit=100", "/api/discover?cursor=c1&limit=100",
				"/api/discover?cursor=c2&limit=100"},
		},
		{
			name: "stop early", pages: pages, stop: 1, want: []string{"a"},
			all: func(c *Client) iter.Seq2[Server, error] {
				return c.Directory.All(t.Context(), DirectoryParams{Limit: 2})
			},
			asked: []string{"/api/servers?limit=2"},
		},
		{
			name: "error on a later page", want: []string{"a", "error"},
			pages: map[string]string{
				"":   `{"servers": [{"id": "a"}], "pagination": {"nextCursor": "c9"}}`,
				"c9": "nonsense",
			},
			all:   func(c *Client) iter.Seq2[Server, error] { return c.Servers.All(t.Context(), ServersParams{}) },
			asked: []string{"/v1/servers?limit=100", "/v1/servers?cursor=c9&limit=100"},
		},
		{
			name: "a cursor that does not move", want: []string{"a", "b"},
			pages: map[string]string{
				"":  `{"servers": [{"id": "a"}], "pagination": {"nextCursor": "c"}}`,
				"c": `{"servers": [{"id": "b"}], "pagination": {"nextCursor": "c"}}`,
			},
			all:   func(c *Client) iter.Seq2[Server, error] { return c.Servers.All(t.Context(), ServersParams{}) },
			asked: []string{"/v1/servers?limit=100", "/v1/servers?cursor=c&limit=100"},
		},
		{
			name: "search", pages: pages, want: []string{"a", "b", "c"},
			all: func(c *Client) iter.Seq2[Server, error] {
				return c.SearchAll(t.Context(), SearchParams{Q: "x", Limit: 7})
			},
			asked: []string{`/v1/search {"q":"x","limit":7}`, `/v1/search {"limit":7,"cursor":"c1"}`,
				`/v1/search {"limit":7,"cursor":"c2"}`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var asked, got []string
			c := newClient(t, func(r *http.Request) (*http.Response, error) {
				line, cursor := r.URL.RequestURI(), r.URL.Query().Get("cursor")
				if r.Body != nil {
					body, _ := io.ReadAll(r.Body)
					line += " " + string(body)
					if _, rest, ok := strings.Cut(string(body), `"cursor":"`); ok {
						cursor, _, _ = strings.Cut(rest, `"`)
					}
				}
				asked = append(asked, line)
				return respond(200, tt.pages[cursor]), nil
			})
			for s, err := range tt.all(c) {
				if err != nil {
					got = append(got, "error")
					continue
				}
				if got = append(got, s.ID); len(got) == tt.stop {
					break
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(tt.asked, asked); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestHealthWaits(t *testing.T) {
	pending := func(url string) string {
		return fmt.Sprintf(
			`{"status": "pending", "githubUrl": "https://github.com/o/r", "statusUrl": %q}`, url)
	}
	type result struct {
		Score   int64
		Pending string
		Asked   []string
		Waited  time.Duration
	}
	tests := []struct {
		name   string
		noWait bool
		status string // the status URL
		want   result
	}{
		{
			name: "waits", status: "https://elsewhere.example/api/checks/ck_1%2F2",
			want: result{Score: 80, Waited: 6 * time.Second,
				Asked: []string{
					"/api/health?githubUrl=o%2Fr",
					"/api/checks/ck_1%2F2",
					"/api/checks/ck_1%2F2",
				}},
		},
		{
			name: "no wait", noWait: true, status: "/api/checks/ck_1",
			want: result{Pending: "ck_1", Asked: []string{"/api/health?githubUrl=o%2Fr"}},
		},
		{
			name: "no id", status: "/", want: result{Pending: "-", Asked: []string{"/api/health?githubUrl=o%2Fr"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got result
				c := clientOf(t, Config{BaseURL: "http://127.0.0.1:1", HTTPClient: &http.Client{
					Transport: stub(func(r *http.Request) (*http.Response, error) {
						got.Asked = append(got.Asked, r.URL.RequestURI())
						if len(got.Asked) < 3 {
							return respond(202, pending(tt.status), "Retry-After", "3"), nil
						}
						return respond(200, `{"score": 80}`), nil
					})}})
				start := time.Now()
				health, err := c.Health(t.Context(), HealthParams{GithubURL: "o/r", NoWait: tt.noWait})
				got.Waited = time.Since(start)
				if p, ok := err.(*PendingError); ok {
					got.Pending = firstOf(p.CheckID, "-")
				} else if err != nil {
					t.Fatal(err)
				} else {
					got.Score = *health.Score
				}
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Error(d)
				}
			})
		})
	}
}
