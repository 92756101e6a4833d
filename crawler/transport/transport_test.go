package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

// A world is an upstream with its own clock, which sleeping advances.
type world struct {
	*httptest.Server
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
	calls int
	last  http.Header
}

func newWorld(t *testing.T, h func(w http.ResponseWriter, r *http.Request, call int)) *world {
	f := &world{now: time.Now().Truncate(time.Second)}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.calls++
		f.last = r.Header.Clone()
		call := f.calls
		w.Header().Set("Date", f.now.UTC().Format(http.TimeFormat))
		f.mu.Unlock()
		h(w, r, call)
	}))
	t.Cleanup(f.Close)
	return f
}

func (f *world) client(t *testing.T, change func(*Options)) *Client {
	t.Helper()
	opt := Options{Upstream: "up", BaseURL: f.URL, Token: "sekret-token", Log: slog.New(slog.DiscardHandler),
		Now:     func() time.Time { f.mu.Lock(); defer f.mu.Unlock(); return f.now },
		Refusal: refusalInWords,
		Sleep: func(ctx context.Context, d time.Duration) error {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.now = f.now.Add(d)
			f.slept = append(f.slept, d)
			return ctx.Err()
		}}
	if change != nil {
		change(&opt)
	}
	c, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (f *world) move(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
}

func TestSharedCredential(t *testing.T) {
	f := newWorld(t, func(w http.ResponseWriter, r *http.Request, call int) {
		rates(w, time.Now(), 5000, 600, time.Hour)
		if r.URL.Path == "/slow" {
			w.WriteHeader(403)
			fmt.Fprint(w, `{"message":"You have exceeded a secondary rate limit."}`)
		}
	})
	all := new(Credentials)
	shares := func(floor int, token string) *Client {
		return f.client(t, func(o *Options) { o.Credentials, o.Token, o.Floor = all, token, map[string]int{"core": floor} })
	}
	crawl, checks, other := shares(1500, "one"), shares(500, "one"), shares(0, "two")
	if _, err := get(checks, "/"); err != nil {
		t.Fatal(err)
	}
	var limit *LimitError
	if err := crawl.Ready("core"); !errors.As(err, &limit) || !limit.Floor {
		t.Errorf("a limit of the checks does not apply to the crawl: %v", err)
	}
	if err := checks.Ready("core"); err != nil {
		t.Errorf("the floor of one applies to the other: %v", err)
	}
	if n, known := checks.Remaining("core"); n != 100 || !known {
		t.Errorf("%d remain, %v", n, known)
	}
	if _, err := get(checks, "/slow"); !errors.As(err, &limit) {
		t.Fatal(err)
	}
	calls := f.calls
	for name, c := range map[string]*Client{"crawl": crawl, "checks": checks} {
		if err := c.Ready("graphql"); !errors.As(err, &limit) || limit.Kind != SecondaryLimit {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := get(c, "/"); err == nil || f.calls != calls {
			t.Errorf("%s is sent while its credential must wait", name)
		}
	}
	if err := other.Ready("core"); err != nil {
		t.Errorf("another credential must wait, too: %v", err)
	}
}

func TestRestore(t *testing.T) {
	f := newWorld(t, func(w http.ResponseWriter, r *http.Request, call int) {
		if call == 1 {
			w.Header().Set("Retry-After", "600")
			w.WriteHeader(429)
			return
		}
		rates(w, time.Now(), 5000, 4000, time.Hour)
	})
	first, second := f.client(t, nil), f.client(t, nil)
	if _, err := get(first, "/"); err == nil {
		t.Fatal("no limit")
	}
	second.Restore(first.Budgets())
	var limit *LimitError
	if err := second.Ready("core"); !errors.As(err, &limit) || limit.Until.Sub(f.now).Round(time.Minute) != 10*time.Minute {
		t.Errorf("got %v", err)
	}
	f.move(11 * time.Minute)
	second.Restore(first.Budgets())
	if err := second.Ready("core"); err != nil {
		t.Errorf("after the wait: %v", err)
	}
	// Later observations of another process take precedence.
	if _, err := get(second, "/"); err != nil {
		t.Fatal(err)
	}
	seen := second.Budgets()[0]
	seen.Remaining, seen.ObservedAt = 3000, seen.ObservedAt.Add(time.Second)
	second.Restore([]registry.Budget{seen})
	if n, _ := second.Remaining("core"); n != 3000 {
		t.Errorf("%d remain, another process saw 3000", n)
	}
	seen.Remaining, seen.ObservedAt = 3500, seen.ObservedAt.Add(-time.Minute)
	second.Restore([]registry.Budget{seen})
	if n, _ := second.Remaining("core"); n != 3000 {
		t.Errorf("%d remain, an older observation", n)
	}
}

func rates(w http.ResponseWriter, at time.Time, limit, remaining int, reset time.Duration) {
	w.Header().Set("X-RateLimit-Limit", fmt.Sprint(limit))
	w.Header().Set("X-RateLimit-Remaining", fmt.Sprint(remaining))
	w.Header().Set("X-RateLimit-Reset", fmt.Sprint(at.Add(reset).Unix()))
}

func get(c *Client, path string) (string, error) {
	resp, err := c.HTTP().Get(strings.TrimSuffix(c.BaseURL().String(), "/") + path)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

// refusalInWords classifies refusals in these tests by their bodies.
func refusalInWords(_ http.Header, body []byte) Kind {
	if strings.Contains(string(body), "secondary rate limit") {
		return SecondaryLimit
	}
	return ""
}

const secondaryBody = `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}`

func TestSecondaryLimit(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		header map[string]string
		body   string
		wait   time.Duration
	}{
		"403 with Retry-After":                 {403, map[string]string{"Retry-After": "60"}, secondaryBody, 60 * time.Second},
		"429 with Retry-After":                 {429, map[string]string{"Retry-After": "30"}, secondaryBody, 30 * time.Second},
		"403 without, budget left, late reset": {403, map[string]string{"X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "4000", "X-RateLimit-Reset": "far"}, secondaryBody, 60 * time.Second},
		"403 with the message alone":           {403, nil, secondaryBody, 60 * time.Second},
		"429 of another kind":                  {429, nil, "slow down", 60 * time.Second},
		"Retry-After: 0":                       {429, map[string]string{"Retry-After": "0"}, "", 60 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			f := newWorld(t, func(w http.ResponseWriter, r *http.Request, call int) {
				if call > 1 {
					return
				}
				for k, v := range c.header {
					if v == "far" {
						v = fmt.Sprint(time.Now().Add(50 * time.Minute).Unix())
					}
					w.Header().Set(k, v)
				}
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			})
			client := f.client(t, nil)
			start := f.now
			_, err := get(client, "/a")
			var limit *LimitError
			if !errors.As(err, &limit) || limit.Kind != SecondaryLimit || !limit.Until.Equal(start.Add(c.wait)) {
				t.Fatalf("got %v", err)
			}
			for range 20 {
				if _, err := get(client, "/other"); !errors.As(err, &limit) {
					t.Fatalf("while blocked: %v", err)
				}
			}
			if f.calls != 1 {
				t.Fatalf("%d requests during the wait", f.calls-1)
			}
			f.move(c.wait)
			if _, err := get(client, "/b"); err != nil || f.calls != 2 {
				t.Errorf("after the wait: %v, %d calls", err, f.calls)
			}
		})
	}
}

func TestSecondaryLimitDoubles(t *testing.T) {
	f := newWorld(t, func(w http.ResponseWriter, r *http.Request, call int) {
		w.WriteHeader(403)
		fmt.Fprint(w, secondaryBody)
	})
	c := f.client(t, nil)
	for _, want := range []time.Duration{1, 2, 4, 8, 16, 30, 30} {
		start := f.now
		_, err := get(c, "/")
		var limit *LimitError
		if !errors.As(err, &limit) || limit.Until.Sub(start) != want*time.Minute {
			t.Fatalf("got %v, want %d min", err, want)
		}
		f.move(want * time.Minute)
	}
}

func TestPrimaryLimit(t *testing.T) {
	for _, status := range []int{403, 429} {
		f := newWorld(t, nil)
		f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			f.calls++
			if r.URL.Path == "/search" {
				rates(w, f.now, 30, 20, time.Minute)
				w.Header().Set("X-RateLimit-Resource", "search")
				return
			}
			rates(w, f.now, 5000, 0, 40*time.Minute)
			w.WriteHeader(status)
			fmt.Fprint(w, `{"message":"API rate limit exceeded for user ID 1."}`)
		})
		c := f.client(t, func(o *Options) {
			o.Resource = func(r *http.Request) string { return strings.Trim(r.URL.Path, "/") }
		})
		_, err := get(c, "/core")
		var limit *LimitError
		if !errors.As(err, &limit) || limit.Kind != PrimaryLimit || limit.Until.Before(f.now.Add(40*time.Minute)) || !errors.Is(err, registry.ErrUnavailable) {
			t.Fatalf("%d: %v", status, err)
		}
		if _, err := get(c, "/core"); !errors.As(err, &limit) || f.calls != 1 {
			t.Fatalf("%d: request sent while the budget was spent (%v)", status, err)
		}
		if _, err := get(c, "/search"); err != nil {
			t.Errorf("%d: another resource was stopped too: %v", status, err)
		}
		if c.Ready("core") == nil || c.Ready("search") != nil {
			t.Error("Ready disagrees")
		}
		f.move(41 * time.Minute)
		if c.Ready("core") != nil {
			t.Error("still stopped after the reset")
		}
	}
}

func TestBudgets(t *testing.T) {
	var f *world
	f = newWorld(t, func(w http.ResponseWriter, r *http.Request, call int) {
		if call == 1 {
			rates(w, f.now, 5000, 1234, time.Hour)
			return
		}
		w.WriteHeader(502)
		fmt.Fprint(w, "<html>")
	})
	c := f.client(t, nil)
	get(c, "/")
	get(c, "/")
	b := c.Budgets()
	if len(b) != 1 || b[0].Remaining != 1234 || b[0].Limit != 5000 || b[0].Credential != c.Credential() ||
		b[0].Problem != "away: status 502" {
		t.Fatalf("%+v", b)
	}
	again := f.client(t, nil)
	again.Restore(b)
	if n, ok := again.Remaining("core"); !ok || n != 1234 {
		t.Errorf("restored %d, %v", n, ok)
	}
}

func TestBudgetSpent(t *testing.T) {
	var f *world
	f = newWorld(t, func(w http.ResponseWriter, r *http.Request, call int) {
		rates(w, f.now, 5000, 0, time.Hour)
		fmt.Fprint(w, "fine")
	})
	c := f.client(t, nil)
	if body, err := get(c, "/"); err != nil || body != "fine" {
		t.Fatal(err)
	}
	if _, err := get(c, "/"); err == nil || f.calls != 1 {
		t.Errorf("sent %d", f.calls)
	}
}

func TestFloor(t *testing.T) {
	var f *world
	f = newWorld(t, func(w http.ResponseWriter, r *http.Request, call int) { rates(w, f.now, 5000, 1500, time.Hour) })
	c := f.client(t, func(o *Options) { o.Floor = map[string]int{"core": 1500} })
	get(c, "/")
	_, err := get(c, "/")
	var limit *LimitError
	if !errors.As(err, &limit) || !limit.Floor || f.calls != 1 {
		t.Errorf("got %v after %d calls", err, f.calls)
	}
}

func TestMaxWait(t *testing.T) {
	f := newWorld(t, func(w http.ResponseWriter, r *http.Request, call int) {
		if call == 1 {
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(429)
		}
	})
	c := f.client(t, nil)
	get(c, "/")
	if _, err := get(c, "/"); err != nil || len(f.slept) != 1 || f.slept[0] != 3*time.Second {
		t.Errorf("%v, slept %v", err, f.slept)
	}
}

func TestPerMinute(t *testing.T) {
	var f *world
	var at []time.Time
	f = newWorld(t, func(w http.ResponseWriter, r *http.Request, call int) {
		f.mu.Lock()
		at = append(at, f.now)
		f.mu.Unlock()
	})
	c := f.client(t, func(o *Options) { o.PerMinute = map[string]int{"core": 5}; o.MaxWait = 2 * time.Minute })
	for range 23 {
		if _, err := get(c, "/"); err != nil {
			t.Fatal(err)
		}
		f.move(3 * time.Second)
	}
	for i := 5; i < len(at); i++ {
		if at[i].Sub(at[i-5]) < time.Minute {
			t.Fatalf("requests %d to %d within %s", i-5, i, at[i].Sub(at[i-5]))
		}
	}
}

func TestRejectedCredential(t *testing.T) {
	f := newWorld(t, func(w http.ResponseWriter, r *http.Request, call int) {
		w.WriteHeader(401)
		fmt.Fprint(w, `{"message":"Bad credentials"}`)
	})
	var log strings.Builder
	c := f.client(t, func(o *Options) {
		o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	for range 3 {
		_, err := get(c, "/")
		var cred *CredentialError
		if !errors.As(err, &cred) || cred.Problem == "" {
			t.Fatalf("got %v", err)
		}
		if strings.Contains(err.Error(), "sekret") {
			t.Error("the token is in the error")
		}
	}
	if f.calls != 1 {
		t.Errorf("%d requests with a rejected credential", f.calls)
	}
	if b := c.Budgets(); len(b) != 1 || b[0].Problem == "" {
		t.Errorf("%+v", b)
	}
	if strings.Contains(log.String()+fmt.Sprintf("%+v", c.opt), "sekret") {
		t.Error("the token can be printed")
	}
}

func TestForeignHost(t *testing.T) {
	other := newWorld(t, func(w http.ResponseWriter, r *http.Request, call int) {})
	f := newWorld(t, func(w http.ResponseWriter, r *http.Request, call int) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, other.URL+"/x", http.StatusFound)
		case "/here":
			http.Redirect(w, r, "/there", http.StatusMovedPermanently)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/there":
			fmt.Fprint(w, r.Header.Get("Authorization"))
		}
	})
	c := f.client(t, nil)
	if _, err := get(c, "/away"); !errors.Is(err, ErrForeignHost) {
		t.Errorf("redirect away: %v", err)
	}
	if _, err := c.HTTP().Get(other.URL); !errors.Is(err, ErrForeignHost) {
		t.Errorf("another host: %v", err)
	}
	if other.calls != 0 {
		t.Fatal("the other host was contacted")
	}
	if body, err := get(c, "/here"); err != nil || body != "Bearer sekret-token" {
		t.Errorf("redirect on the same host: %q, %v", body, err)
	}
	if _, err := get(c, "/loop"); err == nil || f.calls > 10 {
		t.Errorf("loop: %v after %d", err, f.calls)
	}
	f.calls = 0
	resp, err := c.HTTP().Post(f.URL+"/here", "application/json", strings.NewReader("{}"))
	if err != nil || resp.StatusCode != 301 || f.calls != 1 {
		t.Errorf("a redirected POST: %v, %d calls", err, f.calls)
	}
	if f.last.Get("User-Agent") == "" || !strings.HasPrefix(f.last.Get("User-Agent"), "census/") {
		t.Errorf("User-Agent %q", f.last.Get("User-Agent"))
	}
}

func TestETags(t *testing.T) {
	f := newWorld(t, func(w http.ResponseWriter, r *http.Request, call int) {
		tag := `"` + r.Header.Get("Authorization") + r.URL.Path + `"`
		w.Header().Set("ETag", tag)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Link", "<x>; rel=\"last\"")
		if r.Header.Get("If-None-Match") == tag {
			w.Header().Del("Link")
			w.WriteHeader(304)
			return
		}
		if r.URL.Path == "/broken" {
			fmt.Fprint(w, `{"n":`)
			return
		}
		fmt.Fprintf(w, `{"n":%d}`, call)
	})
	var events []Event
	etags := NewETags(1 << 20)
	c := f.client(t, func(o *Options) { o.ETags = etags; o.Observe = func(e Event) { events = append(events, e) } })
	a, _ := get(c, "/x")
	b, err := get(c, "/x")
	if a != `{"n":1}` || a != b || err != nil || !events[1].Cached || events[1].Status != 304 {
		t.Errorf("%q, %q, %v", a, b, err)
	}
	resp, err := c.HTTP().Get(f.URL + "/x")
	if err != nil || resp.Header.Get("Link") == "" || resp.StatusCode != 200 {
		t.Errorf("a confirmed response lost its headers")
	}
	other := f.client(t, func(o *Options) { o.ETags = etags; o.Token = "another" })
	if got, _ := get(other, "/x"); got == a {
		t.Error("a response to another credential was returned")
	}
	get(c, "/broken")
	calls := f.calls
	if get(c, "/broken"); f.last.Get("If-None-Match") != "" || f.calls != calls+1 {
		t.Error("a truncated response was cached")
	}
}

func TestBounds(t *testing.T) {
	done := make(chan struct{})
	f := newWorld(t, func(w http.ResponseWriter, r *http.Request, call int) {
		switch r.URL.Path {
		case "/slow":
			<-done
		case "/exact":
			w.Write(make([]byte, 1000))
		default:
			w.Write(make([]byte, 1001))
		}
	})
	t.Cleanup(func() { close(done) })
	c := f.client(t, func(o *Options) { o.MaxBody = 1000; o.Timeout = 100 * time.Millisecond })
	if _, err := get(c, "/exact"); err != nil {
		t.Errorf("exactly the maximum size: %v", err)
	}
	if _, err := get(c, "/big"); !errors.Is(err, ErrBodyTooLarge) {
		t.Errorf("too large: %v", err)
	}
	if _, err := get(c, "/slow"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("too slow: %v", err)
	}
}

func TestKindOf(t *testing.T) {
	after := http.Header{"Retry-After": {"60"}}
	for _, c := range []struct {
		status int
		header http.Header
		spent  bool
		want   Kind
	}{
		{200, nil, false, OK}, {304, nil, true, OK}, {404, nil, true, Other}, {410, nil, false, Other},
		{422, nil, false, Other}, {503, after, false, Other}, {401, nil, false, BadCredentials},
		{451, nil, false, Other}, {403, nil, false, Forbidden}, {403, after, false, SecondaryLimit},
		{403, nil, true, PrimaryLimit}, {429, nil, true, PrimaryLimit}, {429, nil, false, SecondaryLimit},
	} {
		if got := kindOf(c.status, c.header, c.spent); got != c.want {
			t.Errorf("%d %v, budget spent %v: %q, want %q", c.status, c.header, c.spent, got, c.want)
		}
	}
}

// TestRefusal checks that the messages of one upstream have no meaning for another.
func TestRefusal(t *testing.T) {
	for name, c := range map[string]struct {
		words string
		want  time.Duration // that the client waits
	}{
		"message of the upstream": {"come back later", time.Minute},
		"message of another":      {"You have exceeded a secondary rate limit.", 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := newWorld(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
				w.WriteHeader(403)
				fmt.Fprint(w, c.words)
			})
			client := f.client(t, func(o *Options) {
				o.Refusal = func(_ http.Header, body []byte) Kind {
					if string(body) == "come back later" {
						return SecondaryLimit
					}
					return ""
				}
			})
			body, err := get(client, "/")
			limit, _ := errors.AsType[*LimitError](err)
			if c.want == 0 && (err != nil || body != c.words) || c.want > 0 &&
				(limit == nil || limit.Until.Sub(f.now) != c.want) {
				t.Errorf("body %q, error %v", body, err)
			}
		})
	}
}

func TestResetTime(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	server := now.Add(-20 * time.Minute) // the upstream's clock is behind
	h := http.Header{"Date": {server.Format(http.TimeFormat)}}
	if got := resetTime(h, server.Add(10*time.Minute).Unix(), now).Sub(now); got != 10*time.Minute+time.Second {
		t.Errorf("wait %s", got)
	}
	h.Set("Date", "nonsense")
	if got := resetTime(h, now.Add(30*24*time.Hour).Unix(), now).Sub(now); got > 65*time.Minute {
		t.Errorf("an implausible reset waits %s", got)
	}
}

func TestNewInvalid(t *testing.T) {
	for _, base := range []string{"", "x", "ftp://h/", "http://", "https://u:pw@h/", "https://h/?q", "https://h/#f", "http://[::1"} {
		_, err := New(Options{Upstream: "up", BaseURL: base})
		if !errors.Is(err, registry.ErrInvalid) || strings.Contains(fmt.Sprint(err), "pw") {
			t.Errorf("%q: %v", base, err)
		}
	}
	if _, err := New(Options{Upstream: "up", BaseURL: "https://h", Token: "two words"}); err == nil || strings.Contains(err.Error(), "two") {
		t.Errorf("token with a space: %v", err)
	}
}

func TestIsPublic(t *testing.T) {
	for s, want := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1": true, "127.0.0.1": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false,
		"169.254.169.254": false, "100.64.0.1": false, "0.0.0.0": false, "::1": false, "fe80::1": false, "fd00::1": false,
		"::ffff:127.0.0.1": false, "::ffff:8.8.8.8": true, "64:ff9b::7f00:1": false, "224.0.0.1": false, "255.255.255.255": false, "2002:7f00:1::": false,
	} {
		if got := IsPublic(netip.MustParseAddr(s)); got != want {
			t.Errorf("%s: %v", s, got)
		}
	}
}

func FuzzLimitHeaders(f *testing.F) {
	f.Add(403, "60", "1700000000")
	f.Fuzz(func(t *testing.T, status int, after, reset string) {
		h := http.Header{"Retry-After": {after}, "X-Ratelimit-Limit": {"5000"}, "X-Ratelimit-Remaining": {"1"}, "X-Ratelimit-Reset": {reset}}
		kindOf(status, h, false)
		now := time.Now()
		if at := RetryAfter(h, now); !at.IsZero() && (at.Before(now) || at.Sub(now) > 25*time.Hour) {
			t.Errorf("Retry-After %q waits %s", after, at.Sub(now))
		}
		if b := budgetIn(h, now); b != nil && b.reset.Sub(now) > 66*time.Minute {
			t.Errorf("reset %q waits %s", reset, b.reset.Sub(now))
		}
	})
}
