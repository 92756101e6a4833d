package httpd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/registry"
)

// headers is an engine whose answers have headers of every kind.
func headers() *gin.Engine {
	e := NewEngine(Config{DocsURL: "/docs/errors"})
	e.Use(AllowAnyOrigin, Preflight)
	problem := func(c *gin.Context, err error) { WriteProblem(c, "/docs/errors", err) }
	long := bytes.Repeat([]byte("0123456789"), 5000)
	for path, h := range map[string]Handler{
		"/short": func(_ context.Context, c *gin.Context) error {
			Write(c, Answer{Tag: `W/"1"`, Body: []byte("{}"), Cache: "public"})
			return nil
		},
		"/long": func(_ context.Context, c *gin.Context) error {
			SetHeader(c, "Link", "<first>")
			SetHeader(c, "Link", "<second>") // in place of the first
			Write(c, Answer{Tag: `W/"1"`, Body: long, Zipped: Zip(long)})
			return nil
		},
		"/unlucky": func(_ context.Context, c *gin.Context) error {
			SetHeader(c, "Link", "<next>")
			SetHeader(c, "X-Total-Count", "3")
			SetHeader(c, "Etag", `"1"`)
			return registry.Errorf(registry.ErrNotFound, "Nothing.")
		},
		"/mixed": func(_ context.Context, c *gin.Context) error {
			c.Header("Cache-Control", "replaced")
			c.Header("Vary", "Cookie")
			c.Header("X-Other", "kept")
			Write(c, Answer{Body: []byte("{}")})
			return nil
		},
		"/split": func(_ context.Context, c *gin.Context) error {
			SetHeader(c, "X-Other", "a\r\nSet-Cookie: b=c")
			Write(c, Answer{Body: []byte("{}")})
			return nil
		},
		"/empty": func(_ context.Context, c *gin.Context) error { c.Status(http.StatusNoContent); return nil },
		"/stream": func(_ context.Context, c *gin.Context) error {
			c.Header("Content-Type", "text/plain; charset=utf-8")
			c.Status(http.StatusOK)
			for range 10 {
				_, _ = c.Writer.Write(long[:3000])
				c.Writer.Flush()
			}
			return nil
		},
		"/panic": func(context.Context, *gin.Context) error { panic("for the test") },
	} {
		Get(e, path, Handle(h, problem))
		e.POST(path, Handle(func(ctx context.Context, c *gin.Context) error {
			if _, err := io.ReadAll(c.Request.Body); err != nil {
				return err
			}
			return h(ctx, c)
		}, problem))
	}
	return e
}

// Headers that go past net/http must be the same that go through it.
func TestHeadersAreTheSameOnOurConnections(t *testing.T) {
	e := headers()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, l, e, nil) }()
	defer func() { cancel(); <-served }()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute)) // only so that a hang ends the test
	r := bufio.NewReader(conn)
	for _, path := range []string{"/short", "/long", "/unlucky", "/mixed", "/split", "/empty", "/stream", "/panic", "/nowhere", "/short"} {
		for _, method := range []string{"GET", "HEAD", "OPTIONS", "PUT", "POST"} {
			for _, extra := range []http.Header{{}, {"Accept-Encoding": {"gzip"}}, {"If-None-Match": {`W/"1"`}}, {"Expect": {"100-continue"}}} {
				var body io.Reader
				if method == "POST" {
					body = strings.NewReader("hello")
				} else if extra["Expect"] != nil {
					continue
				}
				req := httptest.NewRequest(method, path, body)
				req.Header = extra.Clone()
				req.Header.Set("X-Request-Id", "one-of-the-test")
				req.RemoteAddr = "192.0.2.1:99"
				w := httptest.NewRecorder()
				e.ServeHTTP(w, req)

				if method == "POST" {
					req.Body = io.NopCloser(strings.NewReader("hello"))
				}
				if err := req.Write(conn); err != nil {
					t.Fatal(err)
				}
				res, err := http.ReadResponse(r, req)
				for err == nil && res.StatusCode == http.StatusContinue {
					if len(res.Header) > 0 {
						t.Errorf("%s %s: 100 with %v", method, path, res.Header)
					}
					res, err = http.ReadResponse(r, req)
				}
				if err != nil {
					t.Fatalf("%s %s %v: %v", method, path, extra, err)
				}
				got, err := io.ReadAll(res.Body)
				if err != nil || res.StatusCode != w.Code || method != "HEAD" && !bytes.Equal(got, w.Body.Bytes()) {
					t.Errorf("%s %s %v: %d with %d bytes, want %d with %d, %v", method, path, extra, res.StatusCode, len(got), w.Code, w.Body.Len(), err)
				}
				want := w.Header()
				for _, h := range []http.Header{want, res.Header} {
					for _, own := range []string{"Date", "Content-Length", "Connection"} { // those of net/http
						h.Del(own)
					}
					for k, v := range h {
						h[k] = []string{strings.NewReplacer("\r", " ", "\n", " ").Replace(strings.Join(v, " and "))}
					}
				}
				if !maps.EqualFunc(want, res.Header, slices.Equal) {
					t.Errorf("%s %s %v:\n got %v\nwant %v", method, path, extra, res.Header, want)
				}
			}
		}
	}
}

func TestLinesAboutRequestsAreThoseOfSlog(t *testing.T) {
	lines := func(direct bool) []map[string]any {
		var b bytes.Buffer
		w := NewLogWriter(&b)
		cfg := Config{Log: slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: slog.LevelInfo})), DocsURL: "/docs/errors"}
		if direct {
			cfg.Access = w
		}
		e := NewEngine(cfg)
		e.GET("/ok/*any", func(c *gin.Context) { c.Status(200) })
		e.GET("/down", func(c *gin.Context) {
			WriteProblem(c, "/docs/errors", registry.Wrap(registry.ErrUnavailable, io.ErrUnexpectedEOF, "Not \"now\"."))
		})
		for _, target := range []string{"/ok/a?key=1", "/ok/%22%0a%00%ff\\<&>", "/ok/" + strings.Repeat("ü", 300), "/down", "/none"} {
			r := httptest.NewRequest("GET", target, nil)
			r.Header.Set("X-Request-Id", "one-of-the-test")
			e.ServeHTTP(httptest.NewRecorder(), r)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		var out []map[string]any
		for line := range bytes.Lines(b.Bytes()) {
			var m map[string]any
			if err := json.Unmarshal(line, &m); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if at, _ := m["time"].(string); at == "" {
				t.Errorf("no time: %s", line)
			} else if _, err := time.Parse(time.RFC3339Nano, at); err != nil {
				t.Error(err)
			}
			delete(m, "time")
			delete(m, "took")
			out = append(out, m)
		}
		return out
	}
	want, got := lines(false), lines(true)
	if len(got) != 5 || !slices.EqualFunc(want, got, func(a, b map[string]any) bool { return maps.Equal(a, b) }) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}
