package v1

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/quota"
)

// What the registry's users were told of interface A, said here once more in
// figures, so that a changed constant does not go unseen.

func TestDocumentedLimitsOfPages(t *testing.T) {
	x := start(t, 150)
	x.do("enterprise", "PUT", "/v1/custom/mine/definition", `{}`)
	for _, target := range []string{"/v1/servers", "/v1/servers?search=mcp", "/v1/search", "/v1/search?q=mcp", "/v1/custom/mine"} {
		and := "?"
		if strings.Contains(target, "?") {
			and = "&"
		}
		p := x.page(target)
		if p.Pagination.Page != 1 || p.Pagination.Limit != 20 || len(p.Servers) != 20 {
			t.Errorf("%s: page %d of %d servers, limit %d; want 1, 20, 20", target, p.Pagination.Page, len(p.Servers), p.Pagination.Limit)
		}
		if p := x.page(target + and + "limit=100"); p.Pagination.Limit != 100 || len(p.Servers) != 100 {
			t.Errorf("%s: %d servers of at most 100", target, len(p.Servers))
		}
		second := x.page(target + and + "page=2&limit=3")
		if first := x.page(target + and + "limit=6"); fmt.Sprint(second.Servers) != fmt.Sprint(first.Servers[3:6]) {
			t.Errorf("%s: the second page of three is not the fourth to the sixth", target)
		}
		for _, wrong := range []string{"limit=0", "limit=101", "limit=-1", "limit=x", "limit=1.5", "page=0", "page=-1", "page=x"} {
			name, _, _ := strings.Cut(wrong, "=")
			if got := x.told(x.do("enterprise", "GET", target+and+wrong, "")); got != "400 invalid_parameter "+name {
				t.Errorf("%s with %s: %s", target, wrong, got)
			}
		}
	}
	status, b := x.post("/v1/search", `{}`)
	if p := x.decode("a search by body", status, b); p.Pagination.Limit != 20 || len(p.Servers) != 20 {
		t.Errorf("a search by body has %d servers", len(p.Servers))
	}
}

// keysOf returns the names of an object's members, sorted.
func namesOf[V any](m map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), " ")
}

func TestDocumentedMembers(t *testing.T) {
	x := start(t, 30, func(o *Options) { o.Figures = figures{} })
	const basic = "archived category copyOf description downloads grade healthScore icon id language license links liveness lookAlikeOf name official officialReason popularity qualityScore remotes repository sdk secondCategory slug stars status tags toolCount transports updatedAt verified"
	const pages = "hasNext hasPrev limit nextCursor page total totalPages"
	for target, want := range map[string]string{
		"/v1/servers": "pagination servers", "/v1/search": "facets pagination query servers sort tookMs",
	} {
		var all struct {
			Servers    []map[string]any
			Pagination map[string]any
		}
		var top map[string]json.RawMessage
		res := x.do("basic", "GET", target, "")
		_, b := x.read(res)
		if err := json.Unmarshal(b, &top); err != nil || namesOf(top) != want {
			t.Errorf("%s has %s, want %s (%v)", target, namesOf(top), want, err)
		}
		if err := json.Unmarshal(b, &all); err != nil || namesOf(all.Pagination) != pages {
			t.Errorf("%s: pagination has %s (%v)", target, namesOf(all.Pagination), err)
		}
		repository, _ := all.Servers[0]["repository"].(map[string]any)
		if got := namesOf(all.Servers[0]); got != strings.Replace(basic, "archived ", "", 1) || namesOf(repository) != "archived name owner subfolder url" {
			t.Errorf("%s: a server has %s, its repository %s", target, got, namesOf(repository))
		}
		if res.Header.Get("X-Total-Count") != "32" || !strings.Contains(res.Header.Get("Link"), `rel="next"`) {
			t.Errorf("%s: X-Total-Count %q, Link %q", target, res.Header.Get("X-Total-Count"), res.Header.Get("Link"))
		}
	}
	for target, want := range map[string]string{
		"/v1/servers/octo-weather-mcp": "category categoryConfidence commitChance confidence contributors copyOf copyReason copySince coverage createdAt description downloads downloadsBreakdown downloadsPeriod environmentVariables " +
			"forks framework grade healthScore homepage icon id install language lastCommitAt lastCrawledAt latestVersion license links liveness lookAlikeOf name official officialReason openIssues owner packages popularity " +
			"qualityScore registryName releasedAt remotes repository scoreHigh scoreLow scoreVersion scoredAt sdk secondCategory slug sources stars status statusMessage successor suspiciousTexts tags title toolCount toolList tools transports updatedAt verified verifiedReason",
		"/v1/servers/octo-weather-mcp/analytics": "period rank series server totals trends",
		"/v1/account":                            "key limits plan",
		"/v1/plans":                              "plans",
	} {
		var top map[string]json.RawMessage
		_, b := x.get(target)
		if err := json.Unmarshal(b, &top); err != nil || namesOf(top) != want {
			t.Errorf("%s has %s, want %s (%v)", target, namesOf(top), want, err)
		}
	}
	var bulk map[string]json.RawMessage
	if _, b := x.post("/v1/servers/bulk", `{"ids":["octo-weather-mcp"]}`); json.Unmarshal(b, &bulk) != nil || namesOf(bulk) != "count notFound servers" {
		t.Errorf("bulk has %s", namesOf(bulk))
	}
}

func TestDocumentedPlans(t *testing.T) {
	x := start(t, 3)
	var got struct {
		Plans []struct {
			ID              string
			PriceUSD        int
			RequestsPerDay  *int
			RequestsPerHour *int
			Features        map[string]bool
		}
	}
	if _, b := x.get("/v1/plans"); json.Unmarshal(b, &got) != nil || len(got.Plans) != 3 {
		t.Fatalf("%s", b)
	}
	for i, want := range []string{
		"basic 0 100 1000 map[analytics:false bulk:false customEndpoints:false]",
		"professional 99 10000 1000 map[analytics:true bulk:true customEndpoints:false]",
		"enterprise 499 - - map[analytics:true bulk:true customEndpoints:true]",
	} {
		p := got.Plans[i]
		number := func(n *int) string {
			if n == nil {
				return "-"
			}
			return strconv.Itoa(*n)
		}
		if s := fmt.Sprint(p.ID, " ", p.PriceUSD, " ", number(p.RequestsPerDay), " ", number(p.RequestsPerHour), " ", p.Features); s != want {
			t.Errorf("%s, want %s", s, want)
		}
	}
	for plan, want := range map[string]string{
		account.Basic: "Community support", account.Professional: "Analytics", account.Enterprise: "Custom endpoints, White label, Priority support, Dedicated resources, Service level agreement",
	} {
		has := strings.Join(account.PlanNamed(plan).Includes, "\n")
		for part := range strings.SplitSeq(want, ", ") {
			if !strings.Contains(has, part) {
				t.Errorf("%s does not include %s", plan, part)
			}
		}
	}
}

// Limits as they are described, counted by the real thing: the day of an
// account, and of clients the hour.
func TestLimitHeaders(t *testing.T) {
	noon := time.Date(2026, 11, 2, 12, 30, 0, 0, time.UTC)
	q, err := quota.New(t.Context(), quota.Options{Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	x := start(t, 3, func(o *Options) { o.Limiter = q })
	midnight, one := strconv.FormatInt(noon.Truncate(24*time.Hour).Add(24*time.Hour).Unix(), 10), strconv.FormatInt(noon.Truncate(time.Hour).Add(time.Hour).Unix(), 10)
	for n, c := range []struct {
		key, method, target, body string
		status                    int
	}{
		{"basic", "GET", "/v1/servers", "", 200},
		{"basic", "GET", "/v1/servers?limit=0", "", 400},
		{"basic", "GET", "/v1/servers/nobody", "", 404},
		{"basic", "GET", "/v1/servers/octo-old", "", 410},
		{"basic", "GET", "/v1/servers/octo-weather-mcp/analytics", "", 403},
		{"basic", "POST", "/v1/servers/bulk", "{}", 403},
		{"basic", "DELETE", "/v1/search", "", 405},
		{"basic", "POST", "/v1/search", "", 415},
		{"basic", "POST", "/v1/search", strings.Repeat(" ", 200_000), 413},
		{"basic", "GET", "/v1/nothing", "", 404},
		{"basic", "GET", "/v1/usage", "", 503},
	} {
		res := x.do(c.key, c.method, c.target, c.body)
		h := res.Header
		if res.StatusCode != c.status || h.Get("X-RateLimit-Limit") != "100" || h.Get("X-RateLimit-Remaining") != itoa(99-n) || h.Get("X-RateLimit-Reset") != midnight || h.Get("X-RateLimit-Plan") != "basic" {
			t.Errorf("%s %s: %d %v, want %d and %d left", c.method, c.target, res.StatusCode, h, c.status, 99-n)
		}
	}
	h := x.do("professional", "GET", "/v1/servers", "").Header
	if h.Get("X-RateLimit-Limit") != "10000" || h.Get("X-RateLimit-Remaining") != "9999" || h.Get("X-RateLimit-Reset") != midnight {
		t.Errorf("professional: %v", h)
	}
	if h = x.do("enterprise", "GET", "/v1/servers", "").Header; h.Get("X-RateLimit-Plan") != "enterprise" || h.Get("X-RateLimit-Limit") != "" {
		t.Errorf("enterprise: %v", h)
	}
	for n, key := range []string{"", "unknown"} { // guessing counts for the client
		res := x.do(key, "GET", "/v1/servers", "")
		if h = res.Header; res.StatusCode != 401 || h.Get("X-RateLimit-Limit") != "100" || h.Get("X-RateLimit-Remaining") != itoa(99-n) || h.Get("X-RateLimit-Reset") != one {
			t.Errorf("%q: %d %v", key, res.StatusCode, h)
		}
	}
}

func TestErrorMembers(t *testing.T) {
	x := start(t, 3, func(o *Options) { o.Limiter = &window{used: 50} })
	for _, c := range []struct {
		key, method, target, body string
		status                    int
		code, more                string
	}{
		{"", "GET", "/v1/servers", "", 401, "missing_api_key", ""},
		{"unknown", "GET", "/v1/servers", "", 401, "invalid_api_key", ""},
		{"basic", "GET", "/v1/servers?limit=0", "", 400, "invalid_parameter", "errors"},
		{"enterprise", "POST", "/v1/servers/bulk", "{}", 400, "missing_parameter", "errors"},
		{"basic", "GET", "/v1/servers/octo-weather-mcp/analytics", "", 403, "plan_upgrade_required", "requiredPlans"},
		{"basic", "GET", "/v1/servers/octo-wether-mcp", "", 404, "server_not_found", "candidates"},
		{"basic", "GET", "/v1/nothing", "", 404, "not_found", ""},
		{"basic", "DELETE", "/v1/servers", "", 405, "method_not_allowed", ""},
		{"basic", "GET", "/v1/servers/octo-old", "", 410, "server_deleted", ""},
		{"basic", "POST", "/v1/search", strings.Repeat(" ", 200_000), 413, "payload_too_large", ""},
		{"basic", "POST", "/v1/search", "", 415, "unsupported_media_type", ""},
		{"basic", "GET", "/v1/usage", "", 503, "unavailable", ""},
	} {
		res := x.do(c.key, c.method, c.target, c.body)
		_, b := x.read(res)
		var p map[string]any
		if err := json.Unmarshal(b, &p); err != nil {
			t.Fatalf("%s %s: %v", c.method, c.target, err)
		}
		path, _, _ := strings.Cut(c.target, "?")
		id := res.Header.Get("X-Request-Id")
		if res.StatusCode != c.status || res.Header.Get("Content-Type") != "application/problem+json" || id == "" || p["requestId"] != id || p["status"] != float64(c.status) || p["code"] != c.code ||
			p["type"] != "https://census.example/docs/errors#"+c.code || p["instance"] != path || p["title"] == "" || p["error"] != p["title"] || p["detail"] == "" || p["detail"] == nil {
			t.Errorf("%s %s: %d %s", c.method, c.target, res.StatusCode, b)
		}
		if c.more != "" && p[c.more] == nil {
			t.Errorf("%s %s has no %s: %s", c.method, c.target, c.more, b)
		}
		h := res.Header
		if (c.status == http.StatusUnauthorized) != strings.HasPrefix(h.Get("WWW-Authenticate"), "Bearer") || (c.status == http.StatusMethodNotAllowed) != (h.Get("Allow") != "") ||
			c.status == http.StatusServiceUnavailable && h.Get("Retry-After") == "" || h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: %v", c.method, c.target, h)
		}
	}
}
