package census

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRetries(t *testing.T) {
	const ok = `{"categories": [], "total": 7}`
	date := func(from time.Time, d time.Duration) string {
		return from.Add(d).UTC().Format(http.TimeFormat)
	}
	type answer struct {
		status  int // 0: a connection error
		headers []string
	}
	tests := []struct {
		name     string
		answers  []answer
		retries  int
		attempts int
		min, max time.Duration // of all waits together
		fails    bool
	}{
		{name: "success", answers: []answer{{status: 200}}, attempts: 1},
		{name: "after a 500", answers: []answer{{status: 500}, {status: 200}}, attempts: 2,
			min: 375 * time.Millisecond, max: 500 * time.Millisecond},
		{name: "after two", answers: []answer{{status: 503}, {}, {status: 200}}, attempts: 3,
			min: 1125 * time.Millisecond, max: 1500 * time.Millisecond},
		{
			name:     "three are too many",
			answers:  []answer{{status: 502}, {status: 502}, {status: 502}, {status: 200}},
			attempts: 3,
			fails:    true,
			min:      time.Second,
			max:      2 * time.Second,
		},
		{
			name:     "no retries",
			retries:  -1,
			answers:  []answer{{status: 500}, {status: 200}},
			attempts: 1,
			fails:    true,
		},
		{name: "408", answers: []answer{{status: 408}, {status: 200}}, attempts: 2, max: time.Second},
		{name: "409", answers: []answer{{status: 409}, {status: 200}}, attempts: 2, max: time.Second},
		{name: "400 is final", answers: []answer{{status: 400}}, attempts: 1, fails: true},
		{name: "404 is final", answers: []answer{{status: 404}}, attempts: 1, fails: true},
		{name: "422 is final", answers: []answer{{status: 422}}, attempts: 1, fails: true},
		{name: "the server refuses retries", attempts: 1, fails: true,
			answers: []answer{{status: 503, headers: []string{"X-Should-Retry", "false"}}}},
		{name: "Retry-After in seconds", attempts: 2, min: 30 * time.Second, max: 30 * time.Second,
			answers: []answer{{status: 429, headers: []string{"Retry-After", "30"}}, {status: 200}}},
		{
			name:     "Retry-After with a fraction",
			attempts: 2,
			min:      1500 * time.Millisecond,
			max:      1500 * time.Millisecond,
			answers:  []answer{{status: 503, headers: []string{"Retry-After", "1.5"}}, {status: 200}},
		},
		{name: "Retry-After-Ms first", attempts: 2, min: 20 * time.Millisecond, max: 20 * time.Millisecond,
			answers: []answer{
				{status: 429, headers: []string{"Retry-After-Ms", "20", "Retry-After", "30"}},
				{status: 200},
			}},
		{
			name:     "Retry-After as a date by the server's clock",
			attempts: 2,
			min:      5 * time.Second,
			max:      5 * time.Second,
			answers: []answer{{status: 429, headers: []string{
				"Date", date(time.Unix(1e9, 0), 0), "Retry-After", date(time.Unix(1e9, 0), 5*time.Second)}}, {status: 200}},
		},
		{name: "Retry-After in the past", attempts: 2,
			answers: []answer{
				{status: 429, headers: []string{"Retry-After", date(time.Unix(1e8, 0), 0)}},
				{status: 200},
			}},
		{name: "Retry-After over a minute is raised at once", attempts: 1, fails: true,
			answers: []answer{{status: 429, headers: []string{"Retry-After", "61"}}, {status: 200}}},
		{name: "Retry-After beyond all numbers", attempts: 1, fails: true,
			answers: []answer{{status: 429, headers: []string{"Retry-After", "1e300"}}, {status: 200}}},
		{name: "Retry-After that is no number", attempts: 2, max: time.Second,
			answers: []answer{{status: 429, headers: []string{"Retry-After", "soon"}}, {status: 200}}},
		{name: "negative Retry-After", attempts: 2, max: time.Second,
			answers: []answer{{status: 429, headers: []string{"Retry-After", "-5"}}, {status: 200}}},
		{name: "NaN", attempts: 2, max: time.Second,
			answers: []answer{{status: 429, headers: []string{"Retry-After", "NaN"}}, {status: 200}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				attempts := 0
				c := clientOf(t, Config{
					BaseURL: "http://127.0.0.1:1", MaxRetries: tt.retries,
					HTTPClient: &http.Client{Transport: stub(func(*http.Request) (*http.Response, error) {
						a := tt.answers[attempts]
						attempts++
						if a.status == 0 {
							return nil, io.ErrUnexpectedEOF
						}
						return respond(a.status, ok, a.headers...), nil
					})},
				})
				start := time.Now()
				got, err := c.Directory.Categories(t.Context())
				if (err != nil) != tt.fails || err == nil && got.Total != 7 {
					t.Errorf("got %v, %v", got, err)
				}
				if d := time.Since(start); attempts != tt.attempts || d < tt.min || d > tt.max {
					t.Errorf("%d attempts in %v, want %d in %v to %v", attempts, d, tt.attempts, tt.min,
						tt.max)
				}
			})
		})
	}
}

func TestTimeouts(t *testing.T) {
	hang := stub(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	})
	t.Run("attempt", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := clientOf(t, Config{BaseURL: "http://127.0.0.1:1", HTTPClient: &http.Client{Transport: hang}})
			start := time.Now()
			_, err := c.Directory.Categories(t.Context(), WithTimeout(5*time.Second), WithMaxRetries(1))
			timeout, ok := errors.AsType[*TimeoutError](err)
			if d := time.Since(start); !ok || !timeout.Timeout() || d < 10*time.Second || d > 11*time.Second {
				t.Errorf("got %v after %v", err, d)
			}
			if connection := new(ConnectionError); !errors.As(err, &connection) ||
				connection.Path != "/api/categories" {
				t.Errorf("%v wraps no ConnectionError", err)
			}
		})
	})
	t.Run("cancelled", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := clientOf(t, Config{BaseURL: "http://127.0.0.1:1", HTTPClient: &http.Client{Transport: hang}})
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			start := time.Now()
			_, err := c.Directory.Categories(ctx)
			if d := time.Since(start); !errors.Is(err, context.Canceled) || d != time.Second {
				t.Errorf("got %v after %v", err, d)
			}
		})
	})
	t.Run("cancelled while waiting to retry", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := clientOf(t, Config{BaseURL: "http://127.0.0.1:1", HTTPClient: &http.Client{
				Transport: stub(func(*http.Request) (*http.Response, error) {
					return respond(429, "{}", "Retry-After", "50"), nil
				})}})
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			_, err := c.Directory.Categories(ctx)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
		})
	})
}

// Over a real connection: responses that end early, resets, redirects.
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
	raw := func(text string, linger int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			b := bufio.NewWriter(conn)
			b.WriteString(text)
			b.Flush()
			conn.(*net.TCPConn).SetLinger(linger)
			conn.Close()
		}
	}
	mux.HandleFunc("/short/api/categories",
		raw("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{\"total\": 1", -1))
	mux.HandleFunc("/reset/api/categories", raw("", 0))
	mux.HandleFunc("/noise/api/categories", raw("no HTTP at all\r\n\r\n", -1))
	mux.Handle("/away/api/categories", http.RedirectHandler("http://localhost:1/elsewhere", http.StatusFound))
	mux.Handle("/moved/api/categories", http.RedirectHandler("/there", http.StatusPermanentRedirect))
	mux.HandleFunc("/there", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"total": %d}`, len(r.Header.Get("Authorization")))
	})
	tests := []struct {
		name  string
		calls int
		error string // "" for success
	}{
		{"short", 2, "unexpected EOF"},
		{"reset", 2, ""},
		{"noise", 2, "malformed HTTP"},
		{"away", 1, "redirected to http://localhost:1"},
		{"moved", 1, "-"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := clientOf(t,
				Config{BaseURL: server.URL + "/" + tt.name, APIKey: testKey, Timeout: 5 * time.Second})
			got, err := c.Directory.Categories(t.Context(), WithMaxRetries(1))
			mu.Lock()
			n := calls["/"+tt.name+"/api/categories"]
			mu.Unlock()
			if n != tt.calls {
				t.Errorf("%d requests, want %d", n, tt.calls)
			}
			if tt.error == "-" {
				if err != nil || got.Total != int64(len("Bearer "+testKey)) {
					t.Errorf("got %v, %v", got, err)
				}
				return
			}
			if _, ok := errors.AsType[*ConnectionError](err); !ok ||
				!strings.Contains(err.Error(), tt.error) {
				t.Errorf("got %v, want a ConnectionError with %q", err, tt.error)
			}
		})
	}
}

func TestRequests(t *testing.T) {
	type request struct{ Method, URL, Body string }
	tests := []struct {
		name string
		call func(*Client) error
		want request
	}{
		{
			"discover", func(c *Client) error {
				_, err := c.Discover(t.Context(), DiscoverParams{
					Category: CategoryData, Search: "a b&c", Official: new(false), MinScore: new(0.0),
					Limit: 5, Offset: 10, Sort: "stars",
				})
				return err
			},
			request{
				"GET",
				"/api/discover?category=data&limit=5&minScore=0&official=false&offset=10&search=a+b%26c&sort=stars",
				"",
			},
		},
		{
			"discover tools", func(c *Client) error {
				_, err := c.DiscoverTools(t.Context(), DiscoverParams{Level: "tool"})
				return err
			},
			request{"GET", "/api/discover?format=mcp&level=tool", ""},
		},
		{
			"name of the official registry", func(c *Client) error {
				_, err := c.Servers.Retrieve(t.Context(), "io.github.o/r ü?#")
				return err
			},
			request{"GET", "/v1/servers/io.github.o%2Fr%20%C3%BC%3F%23", ""},
		},
		{
			"dots as id", func(c *Client) error {
				_, err := c.Directory.ToolChanges(t.Context(), "..")
				return err
			},
			request{"GET", "/api/servers/%2E%2E/tools/changes", ""},
		},
		{
			"search", func(c *Client) error {
				_, err := c.Search(t.Context(), SearchParams{
					Q: "x", Sort: "-stars", Limit: 3, Facets: new(false),
					Filters: Filters{
						Category: OneOf(CategoryData,
							CategoryTools), Stars: Between(10, 20), Official: Is(true),
						CreatedAt: Below(time.Unix(0, 0).UTC()), SDK: Not(SDKGo), License: Exists(true),
					},
				})
				return err
			},
			request{
				"POST",
				"/v1/search",
				`{"q":"x","filters":{"category":["data","tools"],"sdk":{"ne":"go"},` +
					`"license":{"exists":true},"official":true,"stars":{"gte":10,"lte":20},` +
					`"createdAt":{"lt":"1970-01-01T00:00:00Z"}},"sort":"-stars","limit":3,"facets":false}`,
			},
		},
		{
			"bulk", func(c *Client) error {
				_, err := c.Servers.Bulk(t.Context(),
					BulkRequest{IDs: []string{"a"}, Fields: []DetailMember{DetailMemberID}})
				return err
			},
			request{"POST", "/v1/servers/bulk", `{"fields":["id"],"ids":["a"]}`},
		},
		{
			"put custom", func(c *Client) error {
				_, err := c.Custom.Put(t.Context(), "n", CustomRequest{Limit: new(int64(5))})
				return err
			},
			request{"PUT", "/v1/custom/n/definition", `{"limit":5}`},
		},
		{
			"delete custom", func(c *Client) error { return c.Custom.Delete(t.Context(), "n") },
			request{"DELETE", "/v1/custom/n/definition", ""},
		},
		{
			"usage", func(c *Client) error {
				_, err := c.Account.Usage(t.Context(), UsageParams{From: "2026-01-01"})
				return err
			},
			request{"GET", "/v1/usage?from=2026-01-01", ""},
		},
		{
			"analytics", func(c *Client) error {
				_, err := c.Servers.Analytics(t.Context(), "a", AnalyticsParams{Period: "7d"})
				return err
			},
			request{"GET", "/v1/servers/a/analytics?period=7d", ""},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got request
			c := newClient(t, func(r *http.Request) (*http.Response, error) {
				got = request{r.Method, r.URL.RequestURI(), ""}
				if r.Body != nil {
					body, _ := io.ReadAll(r.Body)
					got.Body = string(body)
				}
				if !strings.HasPrefix(r.UserAgent(), "census-go/"+Version+" (go") {
					t.Errorf("User-Agent is %q", r.UserAgent())
				}
				return respond(200, "{}"), nil
			})
			if err := tt.call(c); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestETagCache(t *testing.T) {
	var asked []string
	c := clientOf(t, Config{
		BaseURL: "http://127.0.0.1:1", ETagCacheBytes: 1000,
		HTTPClient: &http.Client{Transport: stub(func(r *http.Request) (*http.Response, error) {
			tag := r.Header.Get("If-None-Match")
			asked = append(asked, tag)
			if tag != "" {
				return respond(304, "", "ETag", tag), nil
			}
			return respond(200, `{"total": 3}`, "ETag", `"`+r.URL.Query().Get("offset")+`"`), nil
		})},
	})
	list := func(offset int) Response {
		var r Response
		if _, err := c.Directory.List(t.Context(), DirectoryParams{Offset: offset}, WithResponse(&r)); err != nil {
			t.Fatal(err)
		}
		return r
	}
	list(1)
	if r := list(1); !r.Cached || r.StatusCode != 200 || string(r.Body) != `{"total": 3}` {
		t.Errorf("got %+v", r)
	}
	for i := range 5 {
		list(i + 2)
	}
	list(1) // displaced
	want := []string{"", `"1"`, "", "", "", "", "", ""}
	if d := cmp.Diff(want, asked); d != "" {
		t.Error(d)
	}
	if c.cache.size > 1000 {
		t.Errorf("the cache has %d bytes", c.cache.size)
	}
}

func TestConcurrentUse(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"x"`)
		fmt.Fprintf(w, `{"server": %q}`, strings.Split(r.URL.Path, "/")[3])
	}))
	defer server.Close()
	c := clientOf(t, Config{BaseURL: server.URL, ETagCacheBytes: 5000})
	var wg sync.WaitGroup
	for task := range 50 {
		wg.Go(func() {
			for i := range 20 {
				id := "s" + strconv.Itoa(task*20+i)
				if got, err := c.Directory.ToolChanges(t.Context(), id); err != nil || got.Server != id {
					t.Errorf("got %v, %v for %s", got, err, id)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkCall(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"categories": [], "total": 3}`)
	}))
	defer server.Close()
	c, err := New(Config{BaseURL: server.URL})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := c.Directory.Categories(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func TestEmptyID(t *testing.T) {
	c := newClient(t, func(*http.Request) (*http.Response, error) {
		t.Error("a request was sent")
		return respond(http.StatusOK, "{}"), nil
	})
	_, err1 := c.Servers.Retrieve(t.Context(), "")
	_, err2 := c.Custom.Run(t.Context(), "", CustomParams{})
	_, err3 := c.Registry.View("").Retrieve(t.Context(), "a", EntryParams{})
	for _, err := range []error{err1, err2, err3} {
		if !errors.Is(err, errEmptyID) {
			t.Errorf("got %v", err)
		}
	}
}
