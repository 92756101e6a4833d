package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

const testKey = "mcp_abcdSECRETSECRETSECRETSECRETSECRETSECRETSEC"

// A transport answers requests without a network.
type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// newClient returns a client with a key, whose requests t answers.
func newClient(tb testing.TB, t transport) *Client {
	tb.Helper()
	c, err := New("", testKey, "test/1")
	if err != nil {
		tb.Fatal(err)
	}
	c.http.Transport = t
	return c
}

// respond returns a response with headers given as pairs.
func respond(status int, body string, headers ...string) *http.Response {
	h := http.Header{"Content-Type": {"application/json"}}
	for i := 0; i < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

func TestNew(t *testing.T) {
	tests := []struct {
		name, base, key string
		want            string // the address
		fails           string // part of the error
	}{
		{name: "default", want: "http://127.0.0.1:8080"},
		{name: "path", base: " https://census.example/x/\n", want: "https://census.example/x"},
		{name: "key over HTTP to this machine", base: "http://[::1]:8080", key: testKey, want: "http://[::1]:8080"},
		{name: "key over HTTP", base: "http://census.example", key: testKey, fails: "use https"},
		{name: "key over HTTP to a name like an address", base: "http://127.0.0.1.census.example",
			key: testKey, fails: "use https"},
		{name: "key with a line break", key: "mcp_a\nX: y", fails: "contains invalid characters"},
		{name: "no scheme", base: "census.example", fails: "must have the form"},
		{name: "password", base: "https://u:p@census.example", fails: "must have the form"},
		{name: "query", base: "https://census.example/?a=b", fails: "must have the form"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := New(tt.base, tt.key, "")
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) || strings.Contains(err.Error(), "mcp_") {
					t.Errorf("got %v, want an error with %q", err, tt.fails)
				}
			} else if err != nil || c.BaseURL() != tt.want {
				t.Errorf("got %v, %v, want %s", c, err, tt.want)
			}
		})
	}
}

func TestRetries(t *testing.T) {
	type answer struct {
		status int // 0: a connection error
		after  string
	}
	tests := []struct {
		name     string
		answers  []answer
		attempts int
		min, max time.Duration // of all waits together
		fails    bool
	}{
		{name: "success", answers: []answer{{status: 200}}, attempts: 1},
		{name: "after a 500", answers: []answer{{status: 500}, {status: 200}}, attempts: 2,
			min: 375 * time.Millisecond, max: 500 * time.Millisecond},
		{name: "after two", answers: []answer{{status: 503}, {}, {status: 200}}, attempts: 3,
			min: 1125 * time.Millisecond, max: 1500 * time.Millisecond},
		{name: "three are too many", answers: []answer{{status: 502}, {status: 502}, {status: 502}, {status: 200}},
			attempts: 3, fails: true, min: time.Second, max: 2 * time.Second},
		{name: "409", answers: []answer{{status: 409}, {status: 200}}, attempts: 2, max: time.Second},
		{name: "400 is final", answers: []answer{{status: 400}}, attempts: 1, fails: true},
		{name: "404 is final", answers: []answer{{status: 404}}, attempts: 1, fails: true},
		{name: "Retry-After", answers: []answer{{429, "30"}, {status: 200}}, attempts: 2,
			min: 30 * time.Second, max: 30 * time.Second},
		{name: "Retry-After over a minute", answers: []answer{{429, "61"}, {status: 200}}, attempts: 1,
			fails: true},
		{name: "Retry-After that is no number", answers: []answer{{429, "soon"}, {status: 200}}, attempts: 2,
			max: time.Second},
		{name: "negative Retry-After", answers: []answer{{503, "-5"}, {status: 200}}, attempts: 2,
			max: time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				attempts := 0
				c := newClient(t, func(*http.Request) (*http.Response, error) {
					a := tt.answers[attempts]
					attempts++
					if a.status == 0 {
						return nil, io.ErrUnexpectedEOF
					}
					return respond(a.status, `{"id": "a"}`, "Retry-After", a.after), nil
				})
				start := time.Now()
				got, err := c.Server(t.Context(), "a")
				if (err != nil) != tt.fails || err == nil && got.ID != "a" {
					t.Errorf("got %v, %v", got, err)
				}
				if d := time.Since(start); attempts != tt.attempts || d < tt.min || d > tt.max {
					t.Errorf("%d attempts in %v, want %d in %v to %v", attempts, d, tt.attempts, tt.min, tt.max)
				}
			})
		})
	}
}

func TestTimeouts(t *testing.T) {
	hang := func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	limited := func(*http.Request) (*http.Response, error) { return respond(429, "{}", "Retry-After", "50"), nil }
	tests := []struct {
		name   string
		answer transport
		cancel time.Duration // 0: never
		want   error
		after  time.Duration // at least, and at most two seconds more
	}{
		{"a silent registry", hang, 0, context.DeadlineExceeded, attemptTimeout},
		{"cancelled", hang, time.Second, context.Canceled, time.Second},
		{"cancelled while waiting to retry", limited, 3 * time.Second, context.Canceled, 3 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.cancel > 0 {
					time.AfterFunc(tt.cancel, cancel)
				}
				start := time.Now()
				_, err := newClient(t, tt.answer).Server(ctx, "a")
				if _, ok := errors.AsType[*ConnectionError](err); !ok || !errors.Is(err, tt.want) {
					t.Errorf("got %v, want %v", err, tt.want)
				}
				if d := time.Since(start); d < tt.after || d > tt.after+2*time.Second {
					t.Errorf("it took %v, want %v", d, tt.after)
				}
			})
		})
	}
}

// TestConnections uses real connections: responses that end early, resets, redirects.
func TestConnections(t *testing.T) {
	var mu sync.Mutex
	calls := map[string]int{}
	mux := http.NewServeMux()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		calls[r.URL.Path]++
		mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	defer server.Close()
	mux.HandleFunc("/short/api/servers/a", func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		b := bufio.NewWriter(conn)
		b.WriteString("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{\"id\": \"a\"")
		b.Flush()
		conn.Close()
	})
	mux.HandleFunc("/reset/api/servers/a", func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		conn.(*net.TCPConn).SetLinger(0)
		conn.Close()
	})
	mux.Handle("/away/api/servers/a", http.RedirectHandler("http://localhost:1/elsewhere", http.StatusFound))
	mux.Handle("/moved/api/servers/a", http.RedirectHandler("/there", http.StatusPermanentRedirect))
	mux.HandleFunc("/there", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"id": %q}`, r.Header.Get("Authorization"))
	})
	for name, tt := range map[string]struct {
		calls int
		fails string // part of the error; "" for success
	}{
		"short": {3, "unexpected EOF"},
		"reset": {3, "connection reset"},
		"away":  {1, "redirected to http://localhost:1"},
		"moved": {1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := New(server.URL+"/"+name, testKey, "")
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Server(t.Context(), "a")
			mu.Lock()
			n := calls["/"+name+"/api/servers/a"]
			mu.Unlock()
			if n != tt.calls {
				t.Errorf("%d requests, want %d", n, tt.calls)
			}
			if tt.fails == "" {
				if err != nil || got.ID != "Bearer "+testKey {
					t.Errorf("got %v, %v", got, err)
				}
			} else if _, ok := errors.AsType[*ConnectionError](err); !ok || !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("got %v, want a ConnectionError with %q", err, tt.fails)
			}
		})
	}
}

func TestRequests(t *testing.T) {
	tests := []struct {
		name string
		call func(context.Context, *Client) error
		want string // method, address and body
	}{
		{"discover", func(ctx context.Context, c *Client) error {
			for _, err := range c.Discover(ctx, Query{Words: "a b&c", Category: "data", Sort: "stars",
				Official: true, MinScore: 80, Limit: 500}) {
				return err
			}
			return nil
		}, "GET /api/discover?category=data&limit=100&minScore=80&official=true&search=a+b%26c&sort=stars "},
		{"launches", func(ctx context.Context, c *Client) error {
			_, err := c.Launches(ctx, Query{Words: "a"})
			return err
		}, "GET /api/discover?format=mcp&limit=100&search=a "},
		{"list", func(ctx context.Context, c *Client) error {
			_, err := c.List(ctx, Query{})
			return err
		}, "GET /api/servers?limit=100 "},
		{"name of the official registry", func(ctx context.Context, c *Client) error {
			_, err := c.Server(ctx, "io.github.o/r ü?#")
			return err
		}, "GET /api/servers/io.github.o%2Fr%20%C3%BC%3F%23 "},
		{"dots as ID", func(ctx context.Context, c *Client) error {
			_, err := c.ToolChanges(ctx, "..")
			return err
		}, "GET /api/servers/%2E%2E/tools/changes "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got string
			c := newClient(t, func(r *http.Request) (*http.Response, error) {
				body, err := io.ReadAll(r.Body)
				got = r.Method + " " + r.URL.RequestURI() + " " + string(body)
				if r.UserAgent() != "test/1" {
					t.Errorf("the user agent is %q", r.UserAgent())
				}
				return respond(200, "{}"), err
			})
			if err := tt.call(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestDiscoverPages follows the cursors of pages.
func TestDiscoverPages(t *testing.T) {
	var asked []string
	c := newClient(t, func(r *http.Request) (*http.Response, error) {
		asked = append(asked, r.URL.RawQuery)
		if r.URL.Query().Get("cursor") == "" {
			return respond(200, `{"servers": [{"id": "a"}], "pagination": {"nextCursor": "n"}}`), nil
		}
		return respond(200, `{"servers": [{"id": "b"}], "pagination": {"nextCursor": null}}`), nil
	})
	var got []string
	for s, err := range c.Discover(t.Context(), Query{Words: "x", Limit: 1}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, s.ID)
	}
	if d := cmp.Diff([]string{"a", "b"}, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"limit=1&search=x", "cursor=n&limit=1"}, asked); d != "" {
		t.Error(d)
	}
}

// TestPending waits for the check of a repository.
func TestPending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		c := newClient(t, func(r *http.Request) (*http.Response, error) {
			asked = append(asked, r.URL.RequestURI())
			if len(asked) < 3 {
				return respond(202, `{"statusUrl": "http://elsewhere.example/api/checks/c1"}`, "Retry-After", "1"), nil
			}
			return respond(200, `{"score": 70}`), nil
		})
		h, err := c.RepositoryHealth(t.Context(), "o/r")
		if err != nil || h.Score == nil || *h.Score != 70 {
			t.Errorf("got %+v, %v", h, err)
		}
		want := []string{"/api/health?githubUrl=o%2Fr", "/api/checks/c1", "/api/checks/c1"}
		if d := cmp.Diff(want, asked); d != "" {
			t.Error(d)
		}
	})
}

func TestErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		status      int
		body, media string
		want        string
	}{
		"detail": {
			400, `{"title": "Bad", "detail": "limit is wrong", "later": {}}`, "application/json",
			"limit is wrong",
		},
		"title":      {404, `{"title": "Not found"}`, "application/json", "Not found"},
		"HTML":       {404, "<html>", "text/html", "the registry responds with status 404 Not Found"},
		"plain text": {404, "upstream\n down\xff", "text/plain; charset=utf-8", "upstream down"},
		"truncated":  {404, `{"detail": "a`, "application/json", "the registry responds with status 404 Not Found"},
		"nothing":    {499, "", "", "the registry responds with status 499"},
	} {
		c := newClient(t, func(*http.Request) (*http.Response, error) {
			return respond(tt.status, tt.body, "Content-Type", tt.media), nil
		})
		_, err := c.Server(t.Context(), "a")
		if e, ok := errors.AsType[*Error](err); !ok || e.Status != tt.status || e.Text != tt.want {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
}

// TestDecodeErrors checks successful responses that are not those of the API.
func TestDecodeErrors(t *testing.T) {
	for name, body := range map[string]string{
		"HTML": "<html>", "nothing": "", "a list": "[]", "null": " null\n", "truncated": `{"id": "a`,
		"wrong type": `{"id": 1}`,
	} {
		c := newClient(t, func(*http.Request) (*http.Response, error) {
			return respond(200, body, "Content-Type", "text/html"), nil
		})
		_, err := c.Server(t.Context(), "a")
		if e, ok := errors.AsType[*DecodeError](err); !ok || e.ContentType != "text/html" {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestWholeObjects checks that members that no field has are kept.
func TestWholeObjects(t *testing.T) {
	const text = `{"id":"a","later":[1.50]}`
	c := newClient(t, func(*http.Request) (*http.Response, error) { return respond(200, text), nil })
	s, err := c.Server(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(s); err != nil || string(got) != text {
		t.Errorf("got %s, %v", got, err)
	}
}
