package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What the registry's users were told of interface B, said here once more in
// figures, so that a changed constant does not go unseen.

func TestDocumentedLimitsOfPages(t *testing.T) {
	x := start(t, 150)
	for _, target := range []string{"/api/discover", "/api/servers", "/api/discover?search=mcp", "/api/discover?format=mcp"} {
		and := "?"
		if strings.Contains(target, "?") {
			and = "&"
		}
		read := func(more string) (entries, limit, offset int) {
			var p struct {
				Servers, Tools []json.RawMessage
				Pagination     struct{ Limit, Offset int }
			}
			status, b := x.get(target + more)
			if err := json.Unmarshal(b, &p); err != nil || status != 200 {
				t.Fatalf("%s: %d %s", target+more, status, b)
			}
			return len(p.Servers) + len(p.Tools), p.Pagination.Limit, p.Pagination.Offset
		}
		if n, limit, offset := read(""); n != 20 || limit != 20 || offset != 0 {
			t.Errorf("%s: %d entries, limit %d, offset %d; want 20, 20, 0", target, n, limit, offset)
		}
		if n, limit, _ := read(and + "limit=100"); n != 100 || limit != 100 {
			t.Errorf("%s: %d entries of at most 100", target, n)
		}
		for _, wrong := range []string{"limit=0", "limit=101", "offset=-1"} {
			if status, b := x.get(target + and + wrong); status != 400 {
				t.Errorf("%s with %s: %d %s", target, wrong, status, b)
			}
		}
	}
	for score, want := range map[string]int{"0": 200, "100": 200, "-1": 400, "101": 400} {
		if status, _ := x.get("/api/discover?minScore=" + score); status != want {
			t.Errorf("minScore=%s: %d, want %d", score, status, want)
		}
	}
}

func TestCategories(t *testing.T) {
	x := start(t, 3)
	ten := strings.Fields("database tools communication integration api security analytics automation data productivity")
	var got struct{ Categories []struct{ ID string } }
	if _, b := x.get("/api/categories"); json.Unmarshal(b, &got) != nil || len(got.Categories) != 10 {
		t.Fatalf("%s", b)
	}
	for _, c := range got.Categories {
		if !slices.Contains(ten, c.ID) {
			t.Errorf("%s is none of the ten", c.ID)
		}
	}
	for _, c := range ten {
		for _, target := range []string{"/api/discover?category=", "/api/servers?category="} {
			if status, _ := x.get(target + c); status != 200 {
				t.Errorf("%s%s: %d", target, c, status)
			}
		}
	}
	for _, sort := range []string{"qualityScore", "stars", "downloads"} {
		if status, _ := x.get("/api/discover?sort=" + sort); status != 200 {
			t.Errorf("sort=%s: %d", sort, status)
		}
	}
}

// Clients have 100 requests an hour, accounts 1,000, and enterprise accounts no
// limit; every answer says so, whatever it is.
func TestLimitHeaders(t *testing.T) {
	now := time.Date(2026, 11, 2, 12, 30, 0, 0, time.UTC)
	x := start(t, 3, func(o *Options) {
		o.Keys, o.Limiter = keyring{}, alone(t, func() time.Time { return now })
	})
	one := strconv.FormatInt(now.Truncate(time.Hour).Add(time.Hour).Unix(), 10)
	left := func(res *http.Response, status int, limit, remaining string) {
		t.Helper()
		h := res.Header
		if res.StatusCode != status || h.Get("X-RateLimit-Limit") != limit || h.Get("X-RateLimit-Remaining") != remaining || h.Get("X-RateLimit-Reset") != one ||
			h.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%d %v; want %d, and %s of %s left", res.StatusCode, h, status, remaining, limit)
		}
	}
	left(x.do("GET", "/api/discover"), 200, "100", "99")
	left(x.do("GET", "/api/discover?limit=0"), 400, "100", "98")
	left(x.do("GET", "/api/health"), 400, "100", "97")
	left(x.do("GET", "/api/health?server=nobody"), 404, "100", "96")
	left(x.do("GET", "/api/health?server=octo-old"), 410, "100", "95")
	left(x.do("GET", "/api/nothing"), 404, "100", "94")
	left(x.do("POST", "/api/discover"), 405, "100", "93")
	left(x.do("OPTIONS", "/api/discover"), 204, "100", "93")
	left(x.do("GET", "/api/discover", "Authorization", "Bearer nobody"), 401, "100", "92")
	left(x.do("GET", "/api/discover", "Authorization", "Bearer basic"), 200, "1000", "999")
	left(x.do("GET", "/api/servers?limit=x", "Authorization", "Bearer basic"), 400, "1000", "998")
	left(x.do("GET", "/api/discover", "Authorization", "Bearer professional"), 200, "1000", "999")
	if h := x.do("GET", "/api/discover", "Authorization", "Bearer enterprise").Header; h.Get("X-RateLimit-Plan") != "enterprise" || h.Get("X-RateLimit-Limit") != "" || h.Get("X-RateLimit-Remaining") != "" {
		t.Errorf("enterprise: %v", h)
	}
	for n := 91; n >= 0; n-- {
		left(x.do("GET", "/api/categories"), 200, "100", strconv.Itoa(n))
	}
	res := x.do("GET", "/api/categories")
	left(res, 429, "100", "0")
	if res.Header.Get("Retry-After") != "1800" || res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("past the limit: %v", res.Header)
	}
}
