package httpd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

const (
	goodKey    = "mcp_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg"
	revokedKey = "mcp_R123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg"
	outageKey  = "mcp_D123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg"
)

type testRing struct{}

func (testRing) Find(_ time.Time, key string) (account.Access, error) {
	switch key {
	case goodKey:
		return account.Access{Account: 7, Key: 3, Plan: account.PlanNamed("professional")}, nil
	case revokedKey:
		return account.Access{}, &registry.Error{Kind: registry.ErrUnauthorized, Code: "revoked_api_key", Msg: "This API key was revoked."}
	case outageKey:
		return account.Access{}, registry.Wrap(registry.ErrUnavailable, errors.New("pq: broken"), "This key cannot be looked up just now.")
	}
	return account.Access{}, &registry.Error{Kind: registry.ErrUnauthorized, Code: "invalid_api_key", Msg: "There is no such API key."}
}

func keyEngine(cfg Config) *gin.Engine {
	cfg.DocsURL = "/docs/errors"
	e := NewEngine(cfg)
	e.Use(Under("/v1", NeedKey(testRing{}, "/docs/errors")), Under("/api", TakeKey(testRing{}, "/docs/errors")))
	h := Handle(func(_ context.Context, c *gin.Context) error {
		a, ok := AccessOf(c)
		c.JSON(200, gin.H{"account": a.Account, "key": a.Key, "ok": ok})
		return nil
	}, func(c *gin.Context, err error) { WriteProblem(c, "/docs/errors", err) })
	Get(e, "/v1/x", h)
	Get(e, "/api/x", h)
	return e
}

func TestNeedKeyAndTakeKey(t *testing.T) {
	engine := keyEngine(Config{})
	type header map[string][]string
	auth := func(v ...string) header { return header{"Authorization": v} }
	for _, tt := range []struct {
		name   string
		query  string
		header header
		v1     string // error code on /v1, "" for 200
		api    string // on /api
		says   string // in the detail
	}{
		{"none", "", nil, "missing_api_key", "", "Authorization: Bearer"},
		{"good", "", auth("Bearer " + goodKey), "", "", ""},
		{"lower case", "", auth("bearer " + goodKey), "", "", ""},
		{"upper case", "", auth("BEARER  " + goodKey), "", "", ""},
		{"unknown", "", auth("Bearer " + goodKey[:46] + "0"), "invalid_api_key", "invalid_api_key", "no such"},
		{"revoked", "", auth("Bearer " + revokedKey), "revoked_api_key", "revoked_api_key", "revoked"},
		{"cannot tell", "", auth("Bearer " + outageKey), "unavailable", "unavailable", "just now"},
		{"two headers", "", auth("Bearer "+goodKey, "Bearer "+goodKey), "invalid_api_key", "invalid_api_key", "exactly one"},
		{"two keys", "", auth("Bearer " + goodKey + ", Bearer " + goodKey), "invalid_api_key", "invalid_api_key", "one key"},
		{"key with a space", "", auth("Bearer mcp_ 123"), "invalid_api_key", "invalid_api_key", "without spaces"},
		{"empty", "", auth(""), "missing_api_key", "missing_api_key", "empty"},
		{"scheme only", "", auth("Bearer"), "missing_api_key", "missing_api_key", "no key after Bearer"},
		{"scheme and space", "", auth("Bearer "), "missing_api_key", "missing_api_key", "no key after Bearer"},
		{"no scheme", "", auth(goodKey), "missing_api_key", "missing_api_key", "Put Bearer"},
		{"Basic", "", auth("Basic YTpi"), "missing_api_key", "missing_api_key", "scheme"},
		{"Token", "", auth("Token " + goodKey), "missing_api_key", "missing_api_key", "scheme"},
		{"Bearerkey", "", auth("Bearer" + goodKey), "missing_api_key", "missing_api_key", "scheme"},
		{"long", "", auth("Bearer " + strings.Repeat("x", 300)), "invalid_api_key", "invalid_api_key", "longer"},
		{"X-API-Key", "", header{"X-Api-Key": {goodKey}}, "missing_api_key", "missing_api_key", "X-Api-Key"},
		{"X-API-Key of another service", "", header{"X-Api-Key": {"sk-1"}}, "missing_api_key", "", "X-Api-Key"},
		{"api_key", "?api_key=" + goodKey, nil, "missing_api_key", "missing_api_key", "revoke"},
		{"access_token", "?access_token=" + goodKey, nil, "missing_api_key", "missing_api_key", "revoke"},
		{"another parameter", "?q=" + goodKey, nil, "missing_api_key", "missing_api_key", "revoke"},
		{"key=something", "?key=abc", nil, "missing_api_key", "", "revoke"},
		{"a broken query", "?%zz&api_key=1", nil, "missing_api_key", "", "revoke"},
		{"a header besides", "?key=abc", auth("Bearer " + goodKey), "", "", ""},
		{"in the address besides", "?api_key=" + goodKey, auth("Bearer " + goodKey), "invalid_parameter", "invalid_parameter", "revoke it"},
		{"a word like a key", "?q=mcp_tools", nil, "missing_api_key", "", "Authorization: Bearer"},
	} {
		for path, want := range map[string]string{"/v1/x": tt.v1, "/api/x": tt.api} {
			r := httptest.NewRequest("GET", path+tt.query, nil)
			for k, v := range tt.header {
				r.Header[k] = v
			}
			w := httptest.NewRecorder()
			engine.ServeHTTP(w, r)
			challenge := w.Header().Get("Www-Authenticate")
			if want == "" {
				if w.Code != 200 || challenge != "" {
					t.Errorf("%s on %s: %d %s", tt.name, path, w.Code, w.Body)
				}
				var got struct {
					Account int64
					OK      bool
				}
				if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
					t.Fatal(err)
				}
				if has := strings.Contains(strings.Join(tt.header["Authorization"], ""), goodKey); got.OK != has || (got.Account == 7) != has {
					t.Errorf("%s on %s: the handler sees %+v", tt.name, path, got)
				}
				continue
			}
			var p Problem
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Header().Get("Content-Type") != "application/problem+json" {
				t.Fatalf("%s on %s: %v: %s", tt.name, path, err, w.Body)
			}
			if p.Code != want || !strings.Contains(p.Detail, tt.says) {
				t.Errorf("%s on %s: %s, %s; want %s with %q", tt.name, path, p.Code, p.Detail, want, tt.says)
			}
			if strings.Contains(w.Body.String(), goodKey) || strings.Contains(challenge, goodKey) || strings.Contains(w.Body.String(), "pq:") {
				t.Errorf("%s on %s: the response says too much: %s", tt.name, path, w.Body)
			}
			switch {
			case want == "unavailable" && (w.Code != 503 || challenge != "" || w.Header().Get("Retry-After") == ""),
				want == "invalid_parameter" && (w.Code != 400 || challenge != ""),
				want != "unavailable" && want != "invalid_parameter" && (w.Code != 401 || !strings.HasPrefix(challenge, `Bearer realm="registry"`)),
				strings.Contains(challenge, `error="invalid_token"`) != (want == "invalid_api_key" || want == "revoked_api_key"):
				t.Errorf("%s on %s: %d, WWW-Authenticate: %s", tt.name, path, w.Code, challenge)
			}
		}
	}
}

func TestNeedKeyPreflight(t *testing.T) {
	w := httptest.NewRecorder()
	keyEngine(Config{}).ServeHTTP(w, httptest.NewRequest("OPTIONS", "/v1/x", nil))
	if w.Code == 401 {
		t.Errorf("%d", w.Code)
	}
}

func TestKeysAreNotLogged(t *testing.T) {
	var log bytes.Buffer
	engine := keyEngine(Config{Log: jsonLog(&log)})
	for _, key := range []string{goodKey, revokedKey, outageKey} {
		for _, path := range []string{
			"/v1/x", "/api/x?api_key=" + key, "/v1/" + key, "/v1/x/" + key + "/y", "/" + key, "/%6dcp_" + key[4:],
		} {
			for _, header := range [][2]string{
				{"Authorization", "Bearer " + key}, {"X-Api-Key", key}, {"X-Request-Id", "id-" + key},
				{"User-Agent", key}, {"Referer", key}, {"Cookie", key},
			} {
				w := serve(engine, "GET", path, header[0], header[1])
				if strings.Contains(w.Header().Get("X-Request-Id"), key) {
					t.Error("a key is used as the request's id")
				}
			}
		}
	}
	if strings.Count(log.String(), "\n") < 100 {
		t.Fatal("nothing was logged")
	}
	for line := range strings.Lines(log.String()) {
		for _, key := range []string{goodKey, revokedKey, outageKey} {
			if strings.Contains(line, key[4:]) {
				t.Fatalf("a key is in the log: %s", line)
			}
		}
	}
}

func FuzzKeyOf(f *testing.F) {
	f.Add("Bearer "+goodKey, "")
	f.Add("Basic x", "api_key=1")
	f.Add("", "%zz;&key")
	f.Fuzz(func(t *testing.T, auth, query string) {
		r := &http.Request{Header: http.Header{"Authorization": {auth}}, URL: httptest.NewRequest("GET", "/v1/x", nil).URL}
		r.URL.RawQuery = query
		key, err := keyOf(r)
		if (key == "") != (err != nil) {
			t.Errorf("%q: %q, %v", auth, key, err)
		}
		if strings.ContainsAny(key, " ,") || len(key) > maxAuthorization {
			t.Errorf("%q is not a key", key)
		}
		_, _ = misplacedKey(r), holdsKey(r)
	})
}

func BenchmarkNeedKey(b *testing.B) {
	engine := keyEngine(Config{})
	r := httptest.NewRequest("GET", "/v1/x", nil)
	r.Header.Set("Authorization", "Bearer "+goodKey)
	b.ReportAllocs()
	for b.Loop() {
		engine.ServeHTTP(httptest.NewRecorder(), r)
	}
}

// Proxies and clients log responses.
func TestWriteProblemMasksKeys(t *testing.T) {
	e := NewEngine(Config{})
	e.GET("/servers/:id", Handle(func(_ context.Context, c *gin.Context) error {
		return &registry.Error{Kind: registry.ErrInvalid, Msg: "There is no server " + c.Param("id") + ".",
			Fields: []registry.FieldError{{Field: c.Param("id"), Message: "is not " + c.Param("id")}}, Candidates: []string{c.Param("id")}}
	}, func(c *gin.Context, err error) { WriteProblem(c, "/docs/errors", err) }))
	for _, target := range []string{"/servers/" + goodKey, "/servers/a" + goodKey + "b", "/servers/mcp%5f" + goodKey[4:], "/nowhere/" + goodKey} {
		w := httptest.NewRecorder()
		e.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		if body := w.Body.String(); w.Code < 400 || strings.Contains(body, goodKey[4:]) || !strings.Contains(body, "mcp_…") {
			t.Errorf("%s: %d %s", target, w.Code, body)
		}
	}
	err := registry.Invalid(goodKey, "is wrong")
	if p := Explain(err); strings.Contains(fmt.Sprint(p), goodKey[4:]) || err.Fields[0].Field != goodKey {
		t.Errorf("%v, and the error is %v", p, err)
	}
}

func TestKeyMasker(t *testing.T) {
	const key = "mcp_0123456789abcdefghijABCDEFGHIJ0123456789abc"
	var b bytes.Buffer
	log := slog.New(slog.NewJSONHandler(KeyMasker(&b), nil))
	log.Info("a message with "+key, "err", errors.New("no such index: "+key), "mcp_short", "mcp_R0ZWqf")
	log.Error("q=" + key[:35] + "…")
	if s := b.String(); strings.Contains(s, key[:30]) || strings.Count(s, "mcp_…") != 3 ||
		!strings.Contains(s, `"mcp_short":"mcp_R0ZWqf"`) {
		t.Errorf("%s", s)
	}
}
