package httpd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"mcpcensus/internal/account"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

func TestClientIsTheLastAddressThatIsNotATrustedProxy(t *testing.T) {
	trusted, err := ParseTrusted("10.0.0.0/8, 127.0.0.1 2001:db8:ffff::/48")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		remote string
		xff    []string
		want   string
	}{
		{"192.0.2.1:99", nil, "192.0.2.1"},
		{"192.0.2.1:99", []string{"203.0.113.5"}, "192.0.2.1"}, // not a proxy of ours: says what it likes
		{"127.0.0.1:99", []string{"203.0.113.5"}, "203.0.113.5"},
		{"127.0.0.1:99", []string{"198.51.100.7, 203.0.113.5"}, "203.0.113.5"},
		{"127.0.0.1:99", []string{"198.51.100.7, 203.0.113.5, 10.1.2.3"}, "203.0.113.5"},
		{"127.0.0.1:99", []string{"198.51.100.7", "203.0.113.5,10.1.2.3"}, "203.0.113.5"},
		{"127.0.0.1:99", []string{"10.1.2.3"}, "10.1.2.3"},
		{"127.0.0.1:99", []string{"evil, 10.1.2.3"}, "10.1.2.3"},
		{"127.0.0.1:99", []string{""}, "127.0.0.1"},
		{"127.0.0.1:99", []string{"203.0.113.5:4711"}, "203.0.113.5"},
		{"127.0.0.1:99", []string{"[2001:db8:1:2:3:4:5:6]:4711"}, "2001:db8:1:2::"},
		{"[2001:db8:1:2:3:4:5:6]:99", nil, "2001:db8:1:2::"},
		{"[2001:db8:ffff::1]:99", []string{"2001:db8:9:9::1"}, "2001:db8:9:9::"},
		{"[::ffff:192.0.2.1]:99", nil, "192.0.2.1"},
		{"[::ffff:10.0.0.1]:99", []string{"::ffff:203.0.113.5"}, "203.0.113.5"},
		{"[fe80::1%eth0]:99", nil, "fe80::"},
		{"nonsense", nil, "invalid IP"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = tc.remote
		for _, x := range tc.xff {
			r.Header.Add("X-Forwarded-For", x)
		}
		if got := clientOf(r, trusted).String(); got != tc.want {
			t.Errorf("%s %q: %s, want %s", tc.remote, tc.xff, got, tc.want)
		}
	}
	for _, bad := range []string{"10.0.0.0/33", "proxy.example", "10.0.0.0/8;127.0.0.1"} {
		if _, err := ParseTrusted(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func FuzzForwardedFor(f *testing.F) {
	trusted := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	f.Add("203.0.113.5, 10.0.0.1")
	f.Add(",,,[::1]:x")
	f.Fuzz(func(t *testing.T, s string) {
		r := &http.Request{RemoteAddr: "127.0.0.1:1", Header: http.Header{"X-Forwarded-For": {s}}}
		if !clientOf(r, trusted).IsValid() {
			t.Errorf("%q gives no client", s)
		}
	})
}

func TestExplain(t *testing.T) {
	secret := errors.New("pq: password authentication failed for user census at /var/lib")
	for _, tc := range []struct {
		err    error
		status int
		code   string
		detail string
	}{
		{registry.Invalid("limit", "must be 1"), 400, "invalid_parameter", "limit must be 1."},
		{&registry.Error{Kind: registry.ErrMissing, Msg: "Give a name"}, 400, "missing_parameter", "Give a name."},
		{registry.Errorf(registry.ErrUnsupported, "no"), 422, "unsupported_host", "no."},
		{registry.ErrUnauthorized, 401, "missing_api_key", "API key required."},
		{&registry.Error{Kind: registry.ErrUnauthorized, Code: "revoked_api_key", Msg: "gone"}, 401, "revoked_api_key", "gone."},
		{registry.ErrForbidden, 403, "plan_upgrade_required", "Plan upgrade required."},
		{fmt.Errorf("server x: %w", registry.Wrap(registry.ErrNotFound, secret, "There is no x.")), 404, "not_found", "There is no x."},
		{&registry.Error{Kind: registry.ErrGone}, 410, "server_deleted", "Server deleted."},
		{registry.ErrTooLarge, 413, "payload_too_large", "Too large."},
		{registry.ErrMediaType, 415, "unsupported_media_type", "Unsupported media type."},
		{registry.ErrLimited, 429, "rate_limit_exceeded", "Rate limit exceeded."},
		{registry.ErrUnavailable, 503, "unavailable", "Temporarily unavailable."},
		{fmt.Errorf("x: %w", context.DeadlineExceeded), 503, "unavailable", "This took too long. Please try again."},
		{&http.MaxBytesError{Limit: 5}, 413, "payload_too_large", "The body is larger than 5 bytes."},
		{secret, 500, "internal", "Something went wrong here. Please try again."},
	} {
		p := Explain(tc.err)
		if p.Status != tc.status || p.Code != tc.code || p.Detail != tc.detail || p.Title == "" || p.Error != p.Title {
			t.Errorf("%v: %+v", tc.err, p)
		}
		if p.Status == 503 && p.RetryAfter == 0 {
			t.Errorf("%v: no Retry-After", tc.err)
		}
	}
}

func engine(log io.Writer) (*gin.Engine, *prometheus.Registry) {
	reg := prometheus.NewRegistry()
	e := NewEngine(Config{Log: slog.New(slog.NewJSONHandler(log, nil)), Metrics: NewMetrics(reg), DocsURL: "/docs/errors"})
	problem := func(c *gin.Context, err error) { WriteProblem(c, "/docs/errors", err) }
	Get(e, "/ok/:name", Handle(func(_ context.Context, c *gin.Context) error {
		Write(c, Answer{Tag: `"1"`, Body: []byte("{}")})
		return nil
	}, problem))
	Get(e, "/panic", func(*gin.Context) { panic("secret of a test") })
	e.POST("/body", func(c *gin.Context) {
		b, err := io.ReadAll(c.Request.Body)
		if err != nil {
			WriteProblem(c, "/docs/errors", err)
			return
		}
		c.String(200, "%d", len(b))
	})
	return e, reg
}

func TestLogHasRequestsAndNoSecrets(t *testing.T) {
	var log bytes.Buffer
	e, reg := engine(&log)
	for _, target := range []string{"/ok/x?api_key=mcp_sEcReT", "/panic", "/no/where?token=mcp_sEcReT"} {
		r := httptest.NewRequest("GET", target, nil)
		r.Header.Set("Authorization", "Bearer mcp_sEcReT")
		r.Header.Set("X-Request-Id", "from-the-client")
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		if w.Header().Get("X-Request-Id") != "from-the-client" {
			t.Errorf("%s: id %q", target, w.Header().Get("X-Request-Id"))
		}
		if strings.Contains(w.Body.String(), "secret of a test") {
			t.Errorf("%s leaks: %s", target, w.Body)
		}
	}
	if strings.Contains(log.String(), "sEcReT") {
		t.Errorf("the log has a secret: %s", log.String())
	}
	if strings.Count(log.String(), "from-the-client") != 4 || !strings.Contains(log.String(), "secret of a test") { // three requests and the panic
		t.Errorf("the log is not whole: %s", log.String())
	}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(families)
	for _, want := range []string{"/ok/:name", `"none"`, `"500"`, `"404"`} {
		if !strings.Contains(text, want) {
			t.Errorf("metrics have no %s: %s", want, text)
		}
	}
}

func TestRequestIDsThatCouldDoHarmAreReplaced(t *testing.T) {
	e, _ := engine(io.Discard)
	seen := map[string]bool{}
	for _, id := range []string{"", "x", "a b c d e f g", "abcdefgh\r\nSet-Cookie: x=1", strings.Repeat("a", 65), "<script>alert", "ünïcödé-id"} {
		r := httptest.NewRequest("GET", "/ok/x", nil)
		r.Header["X-Request-Id"] = []string{id}
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		got := w.Header().Get("X-Request-Id")
		if got == id || got == "" || seen[got] {
			t.Errorf("%q is answered with %q", id, got)
		}
		seen[got] = true
	}
}

func TestProbesDoNotFillTheLogNorRaiseAlarms(t *testing.T) {
	var log bytes.Buffer
	e := NewEngine(Config{Log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), DocsURL: "/docs/errors"})
	ready := errors.New("not read yet")
	Health(e, []Part{{Name: "catalog", Needed: true, Check: func(context.Context) error { return ready }}})
	e.GET("/down", Handle(func(context.Context, *gin.Context) error {
		return registry.Errorf(registry.ErrUnavailable, "GitHub does not answer.")
	}, func(c *gin.Context, err error) { WriteProblem(c, "", err) }))
	for _, tc := range []struct {
		target, level string
		status        int
		ready         error
	}{
		{"/readyz", "INFO", 503, ready}, {"/readyz", "DEBUG", 200, nil}, {"/healthz", "DEBUG", 200, nil}, {"/down", "WARN", 503, nil},
	} {
		log.Reset()
		ready = tc.ready
		w := httptest.NewRecorder()
		e.ServeHTTP(w, httptest.NewRequest("GET", tc.target, nil))
		if w.Code != tc.status || !strings.Contains(log.String(), `"level":"`+tc.level+`"`) {
			t.Errorf("%s: %d, want %d at level %s: %s", tc.target, w.Code, tc.status, tc.level, log.String())
		}
	}
}

func TestBoundsOfARequest(t *testing.T) {
	e, _ := engine(io.Discard)
	for _, tc := range []struct {
		method, target string
		body           io.Reader
		length         int64
		want           int
	}{
		{"POST", "/body", strings.NewReader("abc"), 3, 200},
		{"POST", "/body", strings.NewReader(strings.Repeat("a", MaxBody+1)), MaxBody + 1, 413},
		{"POST", "/body", strings.NewReader(strings.Repeat("a", MaxBody+1)), -1, 413},
		{"GET", "/ok/" + strings.Repeat("a", MaxURL), nil, 0, 414},
		{"POST", "/ok/x", nil, 0, 405},
		{"BREW", "/ok/x", nil, 0, 405},
		{"GET", "/ok/x/", nil, 0, 404},
		{"HEAD", "/ok/x", nil, 0, 200},
		{"OPTIONS", "/ok/x", nil, 0, 204},
		{"OPTIONS", "/nowhere", nil, 0, 404},
		{"GET", "/nowhere/" + strings.Repeat("a", MaxURL), nil, 0, 414},
	} {
		r := httptest.NewRequest(tc.method, tc.target, tc.body)
		r.ContentLength = tc.length
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		if w.Code != tc.want {
			t.Errorf("%s %.40s: %d, want %d", tc.method, tc.target, w.Code, tc.want)
		}
		if (tc.want == 405 || tc.want == 204) && w.Header().Get("Allow") != "GET, HEAD, OPTIONS" {
			t.Errorf("%s: Allow %q", tc.method, w.Header().Get("Allow"))
		}
		if tc.want >= 400 {
			var p Problem
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Status != tc.want || p.RequestID == "" || len(p.Instance) > 256 {
				t.Errorf("%s %.40s: no problem: %s", tc.method, tc.target, w.Body)
			}
		}
	}
}

func TestServeFinishesWhatIsInProgressAndStops(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	started, release := make(chan bool), make(chan bool)
	e.GET("/slow", func(c *gin.Context) { close(started); <-release; c.String(200, "done") })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, l, e, slog.New(slog.DiscardHandler)) }()
	answer := make(chan string, 1)
	go func() {
		res, err := http.Get("http://" + l.Addr().String() + "/slow")
		if err != nil {
			answer <- err.Error()
			return
		}
		b, _ := io.ReadAll(res.Body)
		answer <- string(b)
	}()
	<-started
	cancel()
	time.Sleep(20 * time.Millisecond)
	close(release)
	if got := <-answer; got != "done" {
		t.Errorf("the request in progress got %q", got)
	}
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestHostileBytesOnTheWire(t *testing.T) {
	e, _ := engine(io.Discard)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, l, e, slog.New(slog.DiscardHandler)) }()
	defer func() { cancel(); <-served }()
	for raw, want := range map[string]string{
		"GET /ok/x HTTP/1.1\r\nHost: a\r\n\r\n":                                                              "200",
		"GET /ok/x HTTP/1.1\r\nHost: a\r\nX-Request-Id: abcdefgh\rSet-Cookie: x\r\n\r\n":                     "400",
		"GET /ok/x HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("a", 400<<10) + "\r\n\r\n":                   "431",
		"GET /ok/x HTTP/1.1\r\n\r\n":                                                                         "400", // no Host
		"GET /ok/x\x00 HTTP/1.1\r\nHost: a\r\n\r\n":                                                          "400",
		"POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n": "", // smuggling: either way, no 5xx
		"POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n":                              "413",
		"POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n":                         "400", // not a chunk
	} {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(20 * time.Second))
		if _, err := io.WriteString(c, raw); err != nil {
			t.Logf("%.40q: %v", raw, err) // the server may hang up before it has read all
		}
		line, err := bufio.NewReader(c).ReadString('\n')
		c.Close()
		if err != nil && want != "" {
			t.Errorf("%.60q: %v", raw, err)
			continue
		}
		if want != "" && line != "" && !strings.HasPrefix(line, "HTTP/1.1 "+want) {
			t.Errorf("%.60q: %q, want %s", raw, line, want)
		}
		if want == "" && strings.HasPrefix(line, "HTTP/1.1 500") {
			t.Errorf("%.60q: %q", raw, line)
		}
	}
}

func TestAcceptEncoding(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, "gzip": true, "identity": false, "gzip, deflate, br": true, "deflate, gzip;q=1.0, *;q=0.5": true,
		"gzip;q=0": false, "gzip; q=0.000": false, "br": false, "*": true, "*;q=0": false, "GZIP": true, "x-gzip": true, "gzip;q=x": false, "nogzip": false,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		if header != "" {
			r.Header.Set("Accept-Encoding", header)
		}
		if got := TakesGzip(r); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
}

// counts is a limiter of one window that does not end.
type counts struct {
	mu     sync.Mutex
	taken  map[quota.Subject]int
	broken error
}

func (l *counts) Take(_ context.Context, s quota.Subject, limit int) (quota.Left, error) {
	return l.count(s, limit, 1)
}

func (l *counts) Peek(_ context.Context, s quota.Subject, limit int) (quota.Left, error) {
	return l.count(s, limit, 0)
}

func (l *counts) count(s quota.Subject, limit, n int) (quota.Left, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	left := quota.Left{Limit: limit, Reset: time.Unix(1_800_000_000, 0), Wait: 90 * time.Second}
	if l.broken != nil {
		return left, l.broken
	}
	if l.taken == nil {
		l.taken = map[quota.Subject]int{}
	}
	if left.Remaining = limit - l.taken[s]; left.Remaining > 0 {
		l.taken[s] += n
		left.Remaining -= n
		left.Passed = true
	}
	return left, nil
}

func TestLimitSaysWhatIsLeft(t *testing.T) {
	e := NewEngine(Config{DocsURL: "/docs/errors"})
	e.Use(Under("/api", AllowAnyOrigin), Under("/api", Limit(&counts{}, "/docs/errors", PerHour(2))))
	Get(e, "/api/x", func(c *gin.Context) { Write(c, Answer{Body: []byte("{}")}) })
	Get(e, "/apix", func(c *gin.Context) { Write(c, Answer{Body: []byte("{}")}) })
	for i, want := range []int{200, 414, 429, 429} {
		target := "/api/x"
		if i == 1 {
			target = "/api/none/" + strings.Repeat("a", MaxURL)
		}
		w := httptest.NewRecorder()
		e.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		if w.Code != want || w.Header().Get("X-RateLimit-Limit") != "2" || w.Header().Get("X-RateLimit-Remaining") != fmt.Sprint(max(0, 1-i)) {
			t.Errorf("%d: %d %v", i, w.Code, w.Header())
		}
	}
	w := httptest.NewRecorder()
	e.ServeHTTP(w, httptest.NewRequest("GET", "/apix", nil))
	if w.Code != 200 || w.Header().Get("X-RateLimit-Limit") != "" {
		t.Errorf("/apix is limited: %d", w.Code)
	}
}

func TestLogWriterGathersLinesAndLosesNone(t *testing.T) {
	var mu sync.Mutex
	var out bytes.Buffer
	w := NewLogWriter(writerFunc(func(p []byte) (int, error) { mu.Lock(); defer mu.Unlock(); return out.Write(p) }))
	lines := func() int { mu.Lock(); defer mu.Unlock(); return strings.Count(out.String(), "\n") }
	log := slog.New(slog.NewJSONHandler(w, nil))
	log.Info("one")
	log.Info("two")
	if lines() != 0 {
		t.Error("lines are not gathered")
	}
	log.Error("three")
	if lines() != 3 {
		t.Errorf("%d lines after an error, want 3", lines())
	}
	log.Info("four")
	for range 500 {
		if lines() == 4 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	log.Info("five")
	if err := w.Flush(); err != nil || lines() != 5 {
		t.Errorf("%v, %d lines at the end, want 5", err, lines())
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestLimitsByPlan(t *testing.T) {
	type answer struct {
		status                       int
		limit, left, reset, plan, ra string
	}
	l := &counts{}
	e := NewEngine(Config{DocsURL: "/docs/errors"})
	e.Use(LimitKeyless(l, 3), Under("/v1", NeedKey(plans{}, "/docs/errors")), Under("/api", TakeKey(plans{}, "/docs/errors")))
	e.Use(Under("/v1", Limit(l, "/docs/errors", PerDay(3))), Under("/api", Limit(l, "/docs/errors", PerHour(3))))
	h := func(c *gin.Context) { Write(c, Answer{Body: []byte("{}"), Tag: `"a"`}) }
	Get(e, "/v1/x", h)
	Get(e, "/api/x", h)
	ask := func(method, target, key string, header ...string) (answer, string) {
		r := httptest.NewRequest(method, target, nil)
		if key != "" {
			r.Header.Set("Authorization", "Bearer "+key)
		}
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		g := w.Header().Get
		if w.Code == 429 && g("Cache-Control") != "no-store" {
			t.Errorf("%s %s: %q", method, target, g("Cache-Control"))
		}
		return answer{w.Code, g("X-RateLimit-Limit"), g("X-RateLimit-Remaining"), g("X-RateLimit-Reset"), g("X-RateLimit-Plan"), g("Retry-After")}, w.Body.String()
	}
	const reset = "1800000000"
	for i, tt := range []struct {
		method, target, key string
		want                answer
	}{
		{"GET", "/v1/x", "basic", answer{200, "100", "99", reset, "basic", ""}},
		{"HEAD", "/v1/x", "basic", answer{200, "100", "98", reset, "basic", ""}},
		{"GET", "/v1/none", "basic", answer{404, "100", "97", reset, "basic", ""}},
		{"POST", "/v1/x", "basic", answer{405, "100", "96", reset, "basic", ""}},
		{"GET", "/api/x", "basic", answer{200, "1000", "999", reset, "basic", ""}},
		{"GET", "/v1/x", "professional", answer{200, "10000", "9999", reset, "professional", ""}},
		{"GET", "/v1/x", "enterprise", answer{200, "", "", "", "enterprise", ""}},
		{"GET", "/api/x", "enterprise", answer{200, "", "", "", "enterprise", ""}},
		{"GET", "/api/x", "", answer{200, "3", "2", reset, "", ""}},
		{"OPTIONS", "/v1/x", "", answer{204, "3", "2", reset, "", ""}}, // not counted
		{"GET", "/v1/x", "outage", answer{503, "3", "2", reset, "", "5"}},
		{"GET", "/v1/x", "", answer{401, "3", "1", reset, "", ""}},
		{"GET", "/v1/x", "guess", answer{401, "3", "0", reset, "", ""}},
		{"GET", "/v1/x", "guess", answer{429, "3", "0", reset, "", "90"}},
		{"GET", "/api/x", "guess", answer{429, "3", "0", reset, "", "90"}},
		{"GET", "/api/x", "", answer{429, "3", "0", reset, "", "90"}},
		{"GET", "/v1/x", "basic", answer{200, "100", "95", reset, "basic", ""}}, // whoever guesses there
	} {
		if got, body := ask(tt.method, tt.target, tt.key); got != tt.want {
			t.Errorf("%d: %s %s with %q:\n got %v\nwant %v\n%s", i, tt.method, tt.target, tt.key, got, tt.want, body)
		}
	}
	if got, _ := ask("GET", "/v1/x", "basic", "If-None-Match", `"a"`); got != (answer{304, "100", "94", reset, "basic", ""}) {
		t.Errorf("304: %v", got)
	}
	for range 94 {
		ask("GET", "/v1/x", "basic")
	}
	if got, body := ask("GET", "/v1/x", "basic"); got != (answer{429, "100", "0", reset, "basic", "90"}) || !strings.Contains(body, "100 requests of this day") || !strings.Contains(body, "08:00 UTC") {
		t.Errorf("past the day: %v %s", got, body)
	}
	l.broken = registry.Errorf(registry.ErrUnavailable, "Cannot count.")
	if got, _ := ask("GET", "/v1/x", "professional"); got != (answer{503, "10000", "", reset, "professional", "5"}) {
		t.Errorf("without a count: %v", got)
	}
	if got, _ := ask("GET", "/v1/x", "enterprise"); got.status != 200 {
		t.Errorf("unlimited without a count: %v", got)
	}
}

// plans has keys that are named after their plans.
type plans struct{}

func (plans) Find(_ time.Time, key string) (account.Access, error) {
	if p := account.PlanNamed(key); p != nil {
		return account.Access{Account: int64(len(key)), Key: 1, Plan: p}, nil
	}
	if key == "outage" {
		return account.Access{}, registry.Errorf(registry.ErrUnavailable, "Keys cannot be looked up.")
	}
	return account.Access{}, badKey("There is no such key.")
}

func TestClientsAsLimitsCountThem(t *testing.T) {
	seen := map[quota.Subject]string{}
	for addr, same := range map[string]string{
		"192.0.2.1": "", "192.0.2.2": "", "0.0.0.1": "", "::1": "", "2001:db8::1": "2001:db8::2", "2001:db8:0:1::1": "", "2001:db9::": "",
	} {
		s := clientAt(netip.MustParseAddr(addr)).Subject()
		if was, ok := seen[s]; ok {
			t.Errorf("%s and %s are one", addr, was)
		}
		seen[s] = addr
		if same != "" && clientAt(netip.MustParseAddr(same)).Subject() != s {
			t.Errorf("%s and %s are not one", addr, same)
		}
	}
}
