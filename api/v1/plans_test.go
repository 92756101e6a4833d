package v1

import (
	"encoding/json"
	"log/slog"
	"os"
	"strings"
	"testing"

	"mcpcensus/api"
	"mcpcensus/internal/account"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/quota"
)

// What the plans are worth over HTTP: a free key may send /api more requests than
// Professional has on /v1, but only paid plans get whole records of many servers.
func TestPlans_worth(t *testing.T) {
	x := start(t, 3)
	q := quota.New(quota.Options{})
	base := api.New(api.Options{Catalog: x.catalog, Search: scan(x.catalog), Keys: fakeKeys{},
		Changes: changeLog{}, Limiter: q, BaseURL: "https://census.example", Version: "test"})
	e := httpd.NewEngine(httpd.Config{Log: slog.New(slog.DiscardHandler)})
	base.Register(e)
	New(Options{API: base, Accounts: accounts{&book{down: true}, x.store, views{}},
		Figures: figures{err: errDown}}).Register(e)
	x.handler = e

	const bulk = `{"ids": ["octo-weather-mcp"]}`
	for _, test := range []struct {
		key, method, path, body string
		status                  int
		limit                   string
	}{
		{"", "GET", "/api/discover", "", 200, "100"},
		{"basic", "GET", "/api/discover", "", 200, "1000"},
		{"professional", "GET", "/api/discover", "", 200, "1000"},
		{"enterprise", "GET", "/api/discover", "", 200, ""},
		{"basic", "GET", "/v1/servers/octo-weather-mcp", "", 200, "100"},
		{"professional", "GET", "/v1/servers/octo-weather-mcp", "", 200, "10000"},
		{"enterprise", "GET", "/v1/servers/octo-weather-mcp", "", 200, ""},
		{"basic", "POST", "/v1/servers/bulk", bulk, 403, "100"},
		{"professional", "POST", "/v1/servers/bulk", bulk, 200, "10000"},
		{"basic", "GET", "/v1/changes", "", 403, "100"},
		{"professional", "GET", "/v1/changes", "", 200, "10000"},
		{"basic", "GET", "/v1/servers/octo-weather-mcp/analytics", "", 403, "100"},
		{"professional", "GET", "/v1/servers/octo-weather-mcp/analytics", "", 503, "10000"},
		{"professional", "GET", "/v1/custom", "", 403, "10000"},
		{"enterprise", "GET", "/v1/custom", "", 200, ""},
	} {
		res := x.do(test.key, test.method, test.path, test.body)
		if got := res.Header.Get("X-RateLimit-Limit"); res.StatusCode != test.status || got != test.limit {
			t.Errorf("%s %s with %q: %d, limit %q, want %d and %q", test.method, test.path, test.key,
				res.StatusCode, got, test.status, test.limit)
		}
	}
	// Whatever the plan, /api has entries of lists: members that only records have are absent.
	for _, path := range []string{"/api/discover", "/api/servers", "/api/changes"} {
		_, body := x.read(x.do("enterprise", "GET", path, ""))
		for _, member := range []string{"packages", "environmentVariables", "tools", "scoreLow"} {
			if strings.Contains(string(body), `"`+member+`":`) {
				t.Errorf("%s has the member %s of records", path, member)
			}
		}
	}
}

// Plans that the operator does not sell are described, but not offered.
func TestPlans_offered(t *testing.T) {
	for _, test := range []struct {
		offer account.Offer
		want  string
	}{
		{account.Offer{}, "basic"},
		{account.Offer{Contact: "sales@example.com"}, "basic professional enterprise"},
		{account.Offer{Online: true}, "basic professional enterprise"},
	} {
		x := start(t, 0, func(o *Options) {
			o.Offer = test.offer
			o.Offer.Texts = map[string][]string{account.Enterprise: {"Support by phone"}}
		})
		_, body := x.get("/v1/plans")
		var got struct {
			Plans []struct {
				ID       string
				Offered  bool
				Includes []string
			}
		}
		if err := json.Unmarshal(body, &got); err != nil || len(got.Plans) != 3 {
			t.Fatalf("%v: %s", err, body)
		}
		var offered []string
		for _, p := range got.Plans {
			if p.Offered {
				offered = append(offered, p.ID)
			}
			if text := strings.Join(p.Includes, "; "); strings.Contains(text, "Support") != (p.ID == account.Enterprise) {
				t.Errorf("%s includes %s", p.ID, text)
			}
		}
		if s := strings.Join(offered, " "); s != test.want {
			t.Errorf("%+v: %s are offered, want %s", test.offer, s, test.want)
		}
	}
}

// The table of docs/api.md is that of the program.
func TestPlans_documented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	for _, f := range account.Features {
		table.WriteString("| " + f.Name)
		for _, p := range account.Plans {
			cell := f.Of(p)
			if cell == "" {
				cell = "no"
			}
			table.WriteString(" | " + cell)
		}
		table.WriteString(" |\n")
	}
	if !strings.Contains(string(doc), table.String()) {
		t.Errorf("docs/api.md lacks the table\n%s", table.String())
	}
}
