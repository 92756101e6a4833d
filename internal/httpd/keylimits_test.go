package httpd

import (
	"encoding/json"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
)

// limitedRing has one key with limits.
type limitedRing account.Access

func (r limitedRing) Find(time.Time, string) (account.Access, error) {
	r.Account, r.Key, r.Plan = 7, 3, account.PlanNamed("enterprise")
	return account.Access(r), nil
}

func limitedEngine(cfg Config, ring Keyring) *gin.Engine {
	e := NewEngine(cfg)
	e.Use(Under("/v1", NeedKey(ring, "/docs/errors")), Under("/api", TakeKey(ring, "/docs/errors")))
	for _, route := range []string{"/api/discover", "/v1/servers", "/v1/servers/:id", "/v1/servers/bulk",
		"/v1/servers/:id/analytics", "/v1/search", "/v1/changes", "/v1/account", "/v1/usage", "/v1/plans",
		"/v1/custom", "/v1/custom/:name", "/v1/custom/:name/definition", "/v1/webhooks", "/v1/webhooks/:id/test"} {
		e.GET(route, func(c *gin.Context) { c.Status(204) })
	}
	return e
}

// refusal returns the code of a refused request, "" if it passed.
func refusal(t *testing.T, e *gin.Engine, path, remote, forwarded string) string {
	t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	r.RemoteAddr = remote
	r.Header.Set("Authorization", "Bearer "+goodKey)
	if forwarded != "" {
		r.Header.Set("X-Forwarded-For", forwarded)
	}
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	if w.Code == 204 || w.Code == 404 {
		return ""
	}
	var p Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 403 {
		t.Errorf("%s: %d %s", path, w.Code, w.Body)
	}
	if p.Code == "scope_required" && len(p.RequiredScopes) == 1 {
		return p.RequiredScopes[0]
	}
	return p.Code
}

func TestKeyScopes(t *testing.T) {
	needs := map[string]string{
		"/api/discover": "read", "/v1/servers": "read", "/v1/servers/a": "read", "/v1/servers/bulk": "read",
		"/v1/search": "read", "/v1/changes": "read", "/v1/usage": "read", "/v1/nothing": "read",
		"/v1/account": "", "/v1/plans": "",
		"/v1/servers/a/analytics": "analytics", "/v1/servers/io.github.a%2Fb/analytics": "analytics",
		"/v1/custom": "custom", "/v1/custom/x": "custom", "/v1/custom/x/definition": "custom",
		"/v1/webhooks": "webhooks", "/v1/webhooks/1/test": "webhooks",
	}
	for _, has := range append(account.AllScopes.Names(), "all") {
		ring := limitedRing{}
		if has != "all" {
			ring.Scopes, _ = account.ParseScopes([]string{has})
		}
		e := limitedEngine(Config{}, ring)
		for path, scope := range needs {
			want := scope
			if has == "all" || has == scope {
				want = ""
			}
			if got := refusal(t, e, path, "192.0.2.1:1000", ""); got != want {
				t.Errorf("%s with the scope %s: refused for %q, want %q", path, has, got, want)
			}
		}
	}
}

func TestKeyAddresses(t *testing.T) {
	list := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/28"), netip.MustParsePrefix("2001:db8::5/128")}
	held := &account.HeldKey{Key: account.Key{Addresses: list}}
	e := limitedEngine(Config{Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}},
		limitedRing{Held: held})
	const outside = "address_not_allowed"
	for _, test := range []struct{ remote, forwarded, want string }{
		{"192.0.2.1:1000", "", ""},
		{"192.0.2.16:1000", "", outside},
		{"[::ffff:192.0.2.1]:1000", "", ""},
		{"[2001:db8::5]:1000", "", ""},
		{"[2001:db8::6]:1000", "", outside}, // of the same /64, which is one client to limits
		{"10.0.0.1:1000", "192.0.2.1", ""},
		{"10.0.0.1:1000", "192.0.2.1, 198.51.100.1", outside}, // the client added the first one
		{"10.0.0.1:1000", "", outside},
		{"198.51.100.1:1000", "192.0.2.1", outside}, // not a trusted proxy
		{"127.0.0.1:1000", "192.0.2.1", outside},    // nor is this machine
		{"", "", outside},
	} {
		if got := refusal(t, e, "/v1/servers", test.remote, test.forwarded); got != test.want {
			t.Errorf("%s for %s: %q, want %q", test.remote, test.forwarded, got, test.want)
		}
		if got := refusal(t, e, "/api/discover", test.remote, test.forwarded); got != test.want {
			t.Errorf("/api: %s for %s: %q, want %q", test.remote, test.forwarded, got, test.want)
		}
	}
	e = limitedEngine(Config{}, limitedRing{Held: held})
	for _, remote := range []string{"127.0.0.1:1000", "[::1]:1000", "10.0.0.1:1000"} {
		if got := refusal(t, e, "/v1/servers", remote, "192.0.2.1"); got != outside {
			t.Errorf("%s without configured proxies: %q", remote, got)
		}
	}
}
