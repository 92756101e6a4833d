package httpd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"mcpcensus/internal/registry"
)

// problem renders errors as the API does.
func problem(c *gin.Context, err error) { WriteProblem(c, "/docs/errors", err) }

func jsonLog(w io.Writer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// engine returns an engine with a few routes that logs to w.
func engine(w io.Writer) (*gin.Engine, *prometheus.Registry) {
	reg := prometheus.NewRegistry()
	e := NewEngine(Config{Log: jsonLog(w), Metrics: NewMetrics(reg), DocsURL: "/docs/errors"})
	Get(e, "/ok/*name", Handle(func(_ context.Context, c *gin.Context) error {
		Write(c, Response{Tag: `"1"`, Body: []byte("{}")})
		return nil
	}, problem))
	Get(e, "/unsupported", func(c *gin.Context) { c.String(http.StatusNotImplemented, "") })
	Get(e, "/panic", func(*gin.Context) { panic("secret of a test") })
	e.GET("/down", Handle(func(context.Context, *gin.Context) error {
		return registry.Wrap(registry.ErrUnavailable, io.ErrUnexpectedEOF,
			"GitHub does not respond.")
	}, problem))
	e.POST("/body", Handle(func(_ context.Context, c *gin.Context) error {
		b, err := io.ReadAll(c.Request.Body)
		if err == nil {
			c.String(200, "%d", len(b))
		}
		return err
	}, problem))
	return e, reg
}

// serve returns the response to a request with headers, given as names and
// values in turn.
func serve(e *gin.Engine, method, target string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header[headers[i]] = append(r.Header[headers[i]], headers[i+1])
	}
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	return w
}

func TestAccessLog(t *testing.T) {
	long := "/ok/" + strings.Repeat("ü", 300)
	for name, tc := range map[string]struct {
		target string
		want   map[string]any
	}{
		"query":     {"/ok/a?key=1", map[string]any{"path": "/ok/a"}},
		"odd bytes": {"/ok/%22%0a%00%ff", map[string]any{"path": "/ok/\"\n\x00\uFFFD"}},
		"long path": {long, map[string]any{"path": long[:200]}},
		"no route":  {"/none", map[string]any{"path": "/none", "status": 404.0}},
		"error":     {"/down", map[string]any{"path": "/down", "status": 503.0, "level": "WARN"}},
		"refused":   {"/unsupported", map[string]any{"path": "/unsupported", "status": 501.0}},
		"panic": {"/panic",
			map[string]any{"path": "/panic", "status": 500.0, "level": "ERROR",
				"err": "panic: secret of a test"}},
		"API key":   {"/ok/" + goodKey, map[string]any{"path": "/ok/mcp_…"}},
		"cut key":   {"/ok/" + goodKey[:40], map[string]any{"path": "/ok/mcp_…"}},
		"view":      {"/r/0f8fad5bd9cb469fa16570867728950e/v0.1/servers", map[string]any{"path": "/r/…/v0.1/servers", "status": 404.0}},
		"not a key": {"/ok/mcp_tools", map[string]any{"path": "/ok/mcp_tools"}},
		"cut at 200": {"/ok/" + strings.Repeat("a", 195) + "ü",
			map[string]any{"path": "/ok/" + strings.Repeat("a", 195)}},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			e, _ := engine(&log)
			serve(e, "GET", tc.target, "X-Request-Id", "from-the-client")
			lines := strings.SplitAfter(strings.TrimSpace(log.String()), "\n")
			var got map[string]any
			if err := json.Unmarshal([]byte(lines[len(lines)-1]), &got); err != nil {
				t.Fatal(err)
			}
			want := map[string]any{
				"level": "INFO", "msg": "request", "request": "from-the-client", "method": "GET",
				"status": 200.0, "network": "192.0.2.0/24",
			}
			for k, v := range tc.want {
				want[k] = v
			}
			if want["level"] == "WARN" {
				want["err"] = got["err"] // the cause, as registry.Wrap words it
				if !strings.Contains(fmt.Sprint(got["err"]), "unexpected EOF") {
					t.Errorf("no cause: %v", got["err"])
				}
			}
			delete(got, "time")
			delete(got, "took")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestPanic(t *testing.T) {
	var log bytes.Buffer
	e, _ := engine(&log)
	w := serve(e, "GET", "/panic")
	if w.Code != 500 || strings.Contains(w.Body.String(), "secret of a test") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if s := log.String(); !strings.Contains(s, `"value":"secret of a test"`) ||
		!strings.Contains(s, `"route":"/panic"`) {
		t.Errorf("the panic is not logged: %s", s)
	}
}

func TestMetrics(t *testing.T) {
	e, reg := engine(io.Discard)
	serve(e, "GET", "/ok/x")
	serve(e, "GET", "/panic")
	serve(e, "BREW", "/no/where")
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range families[len(families)-1].GetMetric() {
		var labels []string
		for _, l := range m.GetLabel() {
			labels = append(labels, l.GetValue())
		}
		got = append(got, strings.Join(labels, " "))
	}
	want := []string{"GET /ok/*name 200", "GET /panic 500", "other none 404"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestRequestID(t *testing.T) {
	e, _ := engine(io.Discard)
	if got := serve(e, "GET", "/ok/x", "X-Request-Id",
		"a-Valid_1.d").Header().Get("X-Request-Id"); got != "a-Valid_1.d" {
		t.Errorf("a valid id is replaced with %q", got)
	}
	seen := map[string]bool{}
	for _, id := range []string{
		"", "x", "a b c d e f g", "abcdefgh\r\nSet-Cookie: x=1", strings.Repeat("a", 65),
		"<script>alert", "ünïcödé-id", goodKey,
	} {
		got := serve(e, "GET", "/ok/x", "X-Request-Id", id).Header().Get("X-Request-Id")
		if got == id || got == "" || seen[got] {
			t.Errorf("the id for %q is %q", id, got)
		}
		seen[got] = true
	}
}

func TestHealth(t *testing.T) {
	var log bytes.Buffer
	e := NewEngine(Config{Log: jsonLog(&log)})
	var needed, other error
	Health(e, []Component{
		{Name: "catalog", Needed: true, Check: func(context.Context) error { return needed }},
		{Name: "search", Check: func(context.Context) error { return other }},
	})
	for _, tc := range []struct {
		name, target  string
		needed, other error
		status        int
		body, level   string
	}{
		{"alive", "/healthz", nil, nil, 200, "ok\n", "DEBUG"},
		{"ready", "/readyz", nil, nil, 200, "catalog: ok\nsearch: ok\n", "DEBUG"},
		{"degraded", "/readyz", nil, errors.New("down"), 200, "catalog: ok\nsearch: down\n",
			"DEBUG"},
		{"not ready", "/readyz", errors.New("loading"), nil, 503, "catalog: loading\nsearch: ok\n",
			"INFO"},
		{"needed and degraded", "/readyz", fmt.Errorf("%w: slow", ErrDegraded), nil, 200,
			"catalog: degraded: slow\nsearch: ok\n", "DEBUG"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			log.Reset()
			needed, other = tc.needed, tc.other
			w := serve(e, "GET", tc.target)
			if w.Code != tc.status || w.Body.String() != tc.body ||
				!strings.Contains(log.String(), `"level":"`+tc.level+`"`) {
				t.Errorf("%d %q, log %s", w.Code, w.Body, log.String())
			}
		})
	}
}

func TestRequestLimits(t *testing.T) {
	e, _ := engine(io.Discard)
	large := strings.Repeat("a", MaxBody+1)
	for _, tc := range []struct {
		name, method, target, body string
		length                     int64
		want                       int
	}{
		{"body", "POST", "/body", "abc", 3, 200},
		{"large body", "POST", "/body", large, MaxBody + 1, 413},
		{"large body of unknown length", "POST", "/body", large, -1, 413},
		{"long URL", "GET", "/ok/" + large[:MaxURL], "", 0, 414},
		{"long URL without a route", "GET", "/nowhere/" + large[:MaxURL], "", 0, 414},
		{"wrong method", "POST", "/ok/x", "", 0, 405},
		{"unknown method", "BREW", "/ok/x", "", 0, 405},
		{"trailing slash", "GET", "/panic/", "", 0, 404},
		{"HEAD", "HEAD", "/ok/x", "", 0, 200},
		{"OPTIONS", "OPTIONS", "/ok/x", "", 0, 204},
		{"OPTIONS without a route", "OPTIONS", "/nowhere", "", 0, 404},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := httptest.NewRequest(tc.method, tc.target, strings.NewReader(tc.body))
			r.ContentLength = tc.length
			w := httptest.NewRecorder()
			e.ServeHTTP(w, r)
			if w.Code != tc.want {
				t.Errorf("%d, want %d", w.Code, tc.want)
			}
			if allow := w.Header().Get("Allow"); (tc.want == 405 || tc.want == 204) &&
				allow != "GET, HEAD, OPTIONS" {
				t.Errorf("Allow: %q", allow)
			}
			if tc.want >= 400 {
				var p Problem
				err := json.Unmarshal(w.Body.Bytes(), &p)
				if err != nil || p.Status != tc.want || p.RequestID == "" || len(p.Instance) > 256 {
					t.Errorf("not a problem: %s", w.Body)
				}
			}
		})
	}
}

func TestHandleBody(t *testing.T) {
	e := NewEngine(Config{})
	e.POST("/", HandleBody(100, func(context.Context, *gin.Context) error { return nil }, problem))
	w := httptest.NewRecorder()
	e.ServeHTTP(w, httptest.NewRequest("POST", "/",
		strings.NewReader(strings.Repeat("a", MaxBody+1))))
	if w.Code != 413 || !strings.Contains(w.Body.String(), "larger than 100 bytes") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestSecure(t *testing.T) {
	for secure, want := range map[bool]string{true: "max-age=31536000; includeSubDomains", false: ""} {
		h := serve(NewEngine(Config{Secure: secure}), "GET", "/").Header()
		if h.Get("Strict-Transport-Security") != want ||
			h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("secure %t: %v", secure, h)
		}
	}
}

func TestUnder(t *testing.T) {
	e := NewEngine(Config{})
	e.Use(Under("/api", func(c *gin.Context) { c.Header("X-Under", "yes") }))
	for target, want := range map[string]string{"/api": "yes", "/api/x": "yes", "/apix": "",
		"/": "", "/x/api": ""} {
		if got := serve(e, "GET", target).Header().Get("X-Under"); got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
}

func TestReadyWithoutResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := NewEngine(Config{Log: slog.New(slog.DiscardHandler)})
		hung := make(chan struct{})
		Health(engine, []Component{{Name: "database", Check: func(context.Context) error {
			<-hung
			return nil
		}}, {Name: "search", Check: func(ctx context.Context) error {
			time.Sleep(900 * time.Millisecond) // less than a check may take
			return ctx.Err()
		}}})
		w := httptest.NewRecorder()
		engine.ServeHTTP(w, httptest.NewRequest("GET", "/readyz", nil))
		if w.Code != 200 || w.Body.String() != "database: degraded: no response\nsearch: ok\n" {
			t.Errorf("%d %q", w.Code, w.Body)
		}
		close(hung)
	})
}
