package v1

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

func day(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return t
}

func p[T any](v T) *T { return &v }

// figures are those of one server.
type figures struct {
	history   []registry.DayStats
	downloads []registry.DayDownloads
	events    []meter.DayEvents
	err       error
}

func (f figures) History(_ context.Context, _ string, from, to time.Time) (out []registry.DayStats, err error) {
	for _, d := range f.history {
		if !d.Date.Before(from) && !d.Date.After(to) {
			out = append(out, d)
		}
	}
	return out, f.err
}

func (f figures) DayDownloads(_ context.Context, _ string, from, to time.Time) (out []registry.DayDownloads, err error) {
	for _, d := range f.downloads {
		if !d.Date.Before(from) && !d.Date.After(to) {
			out = append(out, d)
		}
	}
	return out, nil
}

func (f figures) Events(_ context.Context, _ string, from, to time.Time) (out []meter.DayEvents, err error) {
	for _, d := range f.events {
		if !d.Date.Before(from) && !d.Date.After(to) {
			out = append(out, d)
		}
	}
	return out, nil
}

func TestAnalytics(t *testing.T) {
	f := figures{
		history: []registry.DayStats{
			{Date: day("2026-09-01"), Stars: p(900), Score: p(50), Downloads: p[int64](1)}, // before the period
			{Date: day("2026-10-14"), Stars: p(1209), Forks: p(80), Score: p(84), Downloads: p[int64](50110)},
			{Date: day("2026-10-15"), Stars: nil, Score: p(85)},
			{Date: day("2026-10-20"), Stars: p(1230), Downloads: p[int64](54210)},
			{Date: day("2026-11-02"), Stars: p(1240), Forks: p(88), Score: p(87)},
		},
		downloads: []registry.DayDownloads{
			{Date: day("2026-10-03"), Downloads: 7}, // before the period
			{Date: day("2026-10-12"), Downloads: 1600}, {Date: day("2026-10-13"), Downloads: 0}, {Date: day("2026-10-14"), Downloads: 1650},
			{Date: day("2026-10-15"), Downloads: 1}, {Date: day("2026-10-16"), Downloads: 2}, {Date: day("2026-10-17"), Downloads: 3}, {Date: day("2026-10-18"), Downloads: 4},
			{Date: day("2026-10-19"), Downloads: 1700},
		},
		events: []meter.DayEvents{
			{Date: day("2026-10-15"), Counts: [meter.Events]int64{20, 70, 5, 1, 2, 300}},
			{Date: day("2026-10-16"), Counts: [meter.Events]int64{1, 2, 3, 4, 5, 6}},
			{Date: day("2026-11-01"), Counts: [meter.Events]int64{meter.EventBadgeView: 9}},
		},
	}
	x := start(t, 100, func(o *Options) { o.Figures = &f })
	var b analyticsBody
	status, raw := x.get("/v1/servers/octo-forecast-mcp/analytics")
	if err := json.Unmarshal(raw, &b); err != nil || status != 200 {
		t.Fatalf("%d %s", status, raw)
	}
	if b.Server != "octo-weather-mcp" || b.Period != (periodBody{"2026-10-04", "2026-11-02", "day"}) {
		t.Errorf("%s, %+v", b.Server, b.Period)
	}
	if *b.Totals.Stars != 1240 || *b.Totals.Downloads["total"] != 54210 || *b.Totals.Downloads["npm"] != 53000 || b.Totals.Downloads["pypi"] != nil {
		t.Errorf("totals are %s", raw)
	}
	if d := b.Totals.Directory; *d.Views != 21 || *d.APIHits != 72 || *d.SearchImpressions != 8 || *d.HealthChecks != 5 || *d.InstallClicks != 7 || *d.BadgeViews != 315 {
		t.Errorf("counted were %s", encoded(d))
	}
	if tr := b.Trends; *tr.Stars.Delta != 31 || *tr.Stars.Percent != 2.6 || *tr.Downloads.Delta != 4100 || *tr.Downloads.Percent != 8.2 || *tr.Score.Delta != 3 {
		t.Errorf("trends are %s", encoded(tr))
	}
	dates := func() (out []string) {
		for _, s := range b.Series {
			out = append(out, s.Date)
		}
		return out
	}
	if want := []string{"2026-10-12", "2026-10-13", "2026-10-14", "2026-10-15", "2026-10-16", "2026-10-17", "2026-10-18", "2026-10-19", "2026-10-20", "2026-11-01", "2026-11-02"}; !slices.Equal(dates(), want) {
		t.Errorf("days are %v", dates())
	}
	if s := b.Series[3]; s.Stars != nil || *s.Score != 85 || *s.Views != 20 || *s.BadgeViews != 300 {
		t.Errorf("the second day is %s", encoded(s))
	}
	if s := b.Series[2]; s.Views != nil || *s.Stars != 1209 {
		t.Errorf("the first day is %s", encoded(s))
	}
	// What was downloaded on the day, never what was in the 30 days before.
	if s := b.Series; s[1].Downloads == nil || *s[1].Downloads != 0 || *s[2].Downloads != 1650 || *s[7].Downloads != 1700 || s[8].Downloads != nil || *s[8].Stars != 1230 || s[10].Downloads != nil {
		t.Errorf("the days are %s", encoded(s))
	}

	status, raw = x.get("/v1/servers/octo-weather-mcp/analytics?period=90d&interval=week")
	b = analyticsBody{}
	if err := json.Unmarshal(raw, &b); err != nil || status != 200 {
		t.Fatalf("%d %s", status, raw)
	}
	if want := []string{"2026-08-31", "2026-10-12", "2026-10-19", "2026-10-26", "2026-11-02"}; !slices.Equal(dates(), want) {
		t.Errorf("weeks are %v", dates())
	}
	if s := b.Series[1]; *s.Stars != 1209 || *s.Score != 85 || *s.Views != 21 || *s.SearchImpressions != 8 || *s.Downloads != 3260 {
		t.Errorf("the second week is %s", encoded(s))
	}
	if s := b.Series[2]; s.Downloads != nil || *s.Stars != 1230 {
		t.Errorf("a week with days that are not known is %s", encoded(s))
	}
	_, raw = x.get("/v1/servers/octo-weather-mcp/analytics?period=7d&interval=week")
	b = analyticsBody{}
	if err := json.Unmarshal(raw, &b); err != nil || !slices.Equal(dates(), []string{"2026-10-27", "2026-11-02"}) || b.Trends.Stars.Delta != nil {
		t.Errorf("a period that begins within a week: %s", raw)
	}
	f = figures{err: errDown}
	if got := x.told(x.do("professional", "GET", "/v1/servers/octo-weather-mcp/analytics", "")); got != "503 unavailable" {
		t.Errorf("without the database: %s", got)
	}
}

func TestAnalyticsUnknown(t *testing.T) {
	x := start(t, 10, func(o *Options) { o.Figures = figures{} })
	status, raw := x.get("/v1/servers/someone-bare/analytics")
	for _, want := range []string{`"stars":null`, `"downloads":{"npm":null,"oci":null,"pypi":null,"total":null}`, `"rank":{"overall":null,"category":null,"percentile":null,"by":"popularity"}`, `"delta":null,"percent":null`, `"series":[]`} {
		if !strings.Contains(string(raw), want) || status != 200 {
			t.Errorf("%d, no %s: %s", status, want, raw)
		}
	}
}

func TestAnalyticsRank(t *testing.T) {
	x := start(t, 150, func(o *Options) { o.Figures = figures{} })
	better, inCategory, all := 0, 0, 0
	for s := range x.catalog.Servers() {
		if all++; s.Popularity.Score != nil && *s.Popularity.Score > 64 {
			better++
			if s.Category == "data" {
				inCategory++
			}
		}
	}
	var b analyticsBody
	_, raw := x.get("/v1/servers/octo-weather-mcp/analytics")
	if err := json.Unmarshal(raw, &b); err != nil {
		t.Fatal(err)
	}
	if r := b.Rank; *r.Overall <= better || *r.Category <= inCategory || *r.Overall > all || *r.Percentile != tenth(100*float64(all-*r.Overall)/float64(all)) {
		t.Errorf("rank is %s, %d are better", encoded(r), better)
	}
}

// book knows accounts, their keys and their calls.
type book struct {
	until *time.Time
	calls []meter.DayCalls
	down  bool
}

func (b *book) Account(_ context.Context, id int64) (l account.Login, err error) {
	if b.down {
		return l, errDown
	}
	l.ID, l.Plan, l.Until, l.Next = id, account.Professional, b.until, ""
	return l, nil
}

func (b *book) Keys(_ context.Context, accountID int64) ([]account.Key, error) {
	if b.down {
		return nil, errDown
	}
	return []account.Key{{ID: 21, Account: accountID, Name: "production", Prefix: "mcp_4fT9aZ"}, {ID: 22, Account: accountID, Name: "tests", Prefix: "mcp_0a1b2c"}}, nil
}

func (b *book) Calls(_ context.Context, accountID int64, from, to time.Time) (out []meter.DayCalls, err error) {
	if b.down {
		return nil, errDown
	}
	for _, c := range b.calls {
		if !c.Date.Before(from) && !c.Date.After(to) && accountID != 1 {
			out = append(out, c)
		}
	}
	return out, nil
}

// window is a limiter with one count for everybody.
type window struct {
	mu   sync.Mutex
	used int
	down bool
}

func (w *window) Take(ctx context.Context, s quota.Subject, limit int) (quota.Result, error) {
	w.mu.Lock()
	if w.used < limit {
		w.used++
		w.mu.Unlock()
		l, err := w.Peek(ctx, s, limit)
		l.Allowed = true
		return l, err
	}
	w.mu.Unlock()
	return w.Peek(ctx, s, limit)
}

func (w *window) Peek(_ context.Context, _ quota.Subject, limit int) (quota.Result, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := quota.Result{Limit: limit, Remaining: limit - w.used, Reset: day("2026-11-03"), RetryAfter: 12 * time.Hour}
	if w.down {
		return l, registry.Errorf(registry.ErrUnavailable, "Requests cannot be counted at the moment.")
	}
	return l, nil
}

// tally remembers calls.
type tally struct {
	mu    sync.Mutex
	calls []string
}

func (t *tally) Call(accountID, key int64, endpoint string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = append(t.calls, fmt.Sprint(accountID, " ", key, " ", endpoint))
}

func TestAccount(t *testing.T) {
	until := epoch.Add(48 * time.Hour)
	b, w := &book{until: &until, calls: []meter.DayCalls{{Date: day("2026-11-02"), Key: 31, Endpoint: "/v1/servers", Calls: 41},
		{Date: day("2026-11-02"), Key: 31, Endpoint: "/api/discover", Calls: 400}}}, &window{used: 811}
	x := start(t, 3, func(o *Options) { o.Accounts, o.Calls, o.Limiter = b, b, w })
	var a accountBody
	read := func(key string) {
		t.Helper()
		a = accountBody{}
		status, raw := x.read(x.do(key, "GET", "/v1/account", ""))
		if err := json.Unmarshal(raw, &a); err != nil || status != 200 {
			t.Fatalf("%d %s", status, raw)
		}
	}
	read("professional")
	if a.Plan.ID != "professional" || *a.Plan.Daily != 10_000 || *a.Limits.Limit != 10_000 || *a.Limits.Used != 812 || *a.Limits.Remaining != 9188 || a.Limits.Reset != day("2026-11-03").Unix() {
		t.Errorf("%s", encoded(a))
	}
	if !a.Plan.Until.Equal(until) || *a.Plan.Next != "basic" || *a.Key.Name != "production" || a.Key.ID != 21 {
		t.Errorf("%s", encoded(a))
	}
	read("enterprise")
	if a.Limits.Limit != nil || a.Limits.Remaining != nil || *a.Limits.Used != 41 || a.Plan.Daily != nil || a.Key.Name != nil {
		t.Errorf("%s", encoded(a))
	}
	b.down, w.down = true, false
	read("professional")
	if a.Plan.ID != "professional" || a.Key.Name != nil || a.Plan.Until != nil || *a.Limits.Used == 0 {
		t.Errorf("without the database: %s", encoded(a))
	}
}

func TestUsage(t *testing.T) {
	b := &book{calls: []meter.DayCalls{
		{Date: day("2026-10-01"), Key: 21, Endpoint: "/v1/servers", Calls: 5},
		{Date: day("2026-11-01"), Key: 21, Endpoint: "/v1/servers", Calls: 7},
		{Date: day("2026-11-01"), Key: 9, Endpoint: "/v1/servers/:id/analytics", Calls: 2},
		{Date: day("2026-11-02"), Key: 22, Endpoint: "/v1/search", Calls: 1},
	}}
	x := start(t, 3, func(o *Options) { o.Accounts, o.Calls = b, b })
	var u usageBody
	status, raw := x.get("/v1/usage")
	if err := json.Unmarshal(raw, &u); err != nil || status != 200 {
		t.Fatalf("%d %s", status, raw)
	}
	if u.Total != 10 || u.Period.From != "2026-10-04" || u.Period.To != "2026-11-02" || !slices.Equal(u.Days, []dayBody{{"2026-11-01", 9}, {"2026-11-02", 1}}) {
		t.Errorf("%s", raw)
	}
	if want := (callsBody{"2026-11-01", "/v1/servers/{id}/analytics", keyName{ID: 9}, 2}); !reflect.DeepEqual(u.Usage[1], want) {
		t.Errorf("%s", raw)
	}
	if k := u.Usage[0].Key; *k.Name != "production" || *k.Prefix != "mcp_4fT9aZ" {
		t.Errorf("%s", raw)
	}
	_, raw = x.get("/v1/usage?from=2026-10-01&to=2026-10-01")
	if !strings.Contains(string(raw), `"total":5,`) {
		t.Errorf("%s", raw)
	}
	_, raw = x.read(x.do("basic", "GET", "/v1/usage", ""))
	if !strings.Contains(string(raw), `"total":0,"days":[],"usage":[]`) {
		t.Errorf("another account: %s", raw)
	}
	b.down = true
	if got := x.told(x.do("basic", "GET", "/v1/usage", "")); got != "503 unavailable" {
		t.Error(got)
	}
}

func TestCountedCalls(t *testing.T) {
	w, m := &window{used: 90}, &tally{}
	x := start(t, 3, func(o *Options) { o.Limiter, o.Meter = w, m })
	for n, target := range []string{"/v1/servers", "/v1/servers?limit=0", "/v1/servers/nobody-at-all", "/v1/servers/octo-weather-mcp/analytics", "/v1/nothing", "/v1/servers/io.github.octo%2Fweather-mcp"} {
		res := x.do("basic", "GET", target, "")
		if left := res.Header.Get("X-RateLimit-Remaining"); left != itoa(9-n) || res.Header.Get("X-RateLimit-Limit") != "100" {
			t.Errorf("%s leaves %s", target, left)
		}
	}
	want := []string{"1 11 /v1/servers", "1 11 /v1/servers", "1 11 /v1/servers/:id", "1 11 /v1/servers/:id/analytics", "1 11 /v1", "1 11 /v1/servers/:id"}
	if !slices.Equal(m.calls, want) {
		t.Errorf("counted were %q", m.calls)
	}
	// An endpoint is a route: how it is asked makes no other of it.
	m.calls = nil
	x.do("basic", "GET", "/v1/search?q=mcp", "")
	x.do("basic", "POST", "/v1/search", `{"q":"mcp"}`)
	x.do("basic", "HEAD", "/v1/search", "")
	x.do("basic", "DELETE", "/v1/search", "")
	if want = []string{"1 11 /v1/search", "1 11 /v1/search", "1 11 /v1/search", "1 11 /v1"}; !slices.Equal(m.calls, want) {
		t.Errorf("counted were %q", m.calls)
	}
	w.used = 100
	res := x.do("basic", "GET", "/v1/servers", "")
	if got := x.told(res); got != "429 rate_limit_exceeded" || res.Header.Get("Retry-After") == "" || len(m.calls) != len(want) {
		t.Errorf("past the limit: %s %v", got, res.Header)
	}
	if res := x.do("enterprise", "GET", "/v1/servers", ""); res.StatusCode != 200 || res.Header.Get("X-RateLimit-Plan") != "enterprise" || res.Header.Get("X-RateLimit-Limit") != "" {
		t.Errorf("without a limit: %d %v", res.StatusCode, res.Header)
	}
}

func TestPlans(t *testing.T) {
	x := start(t, 1)
	_, raw := x.get("/v1/plans")
	var b struct{ Plans []planBody }
	if err := json.Unmarshal(raw, &b); err != nil || len(b.Plans) != len(account.Plans) {
		t.Fatalf("%s", raw)
	}
	for i, have := range b.Plans {
		if want := account.Plans[i]; have.ID != want.ID || have.PriceUSD != want.USD || (have.Daily == nil) != (want.Daily == 0) || have.Features != (features{want.Analytics, want.Bulk, want.Custom}) {
			t.Errorf("%+v", have)
		}
	}
}

func TestCustomCursors(t *testing.T) {
	x := start(t, 60)
	put := func(body string) {
		t.Helper()
		if res := x.do("enterprise", "PUT", "/v1/custom/mine/definition", body); res.StatusCode >= 300 {
			t.Fatal(x.told(res))
		}
	}
	definitions := []string{
		`{}`, `{"q":"mcp"}`, `{"q":"server"}`, `{"filters":{"stars":{"gte":1}}}`, `{"sort":"-stars"}`, `{"sort":"name"}`,
		`{"q":"mcp","sort":"-stars"}`, `{"q":"mcp","sort":"-stars","filters":{"stars":{"gte":1}}}`,
	}
	for i, was := range definitions {
		put(was)
		next := x.page("/v1/custom/mine?limit=2").Pagination.NextCursor
		if next == nil {
			t.Fatalf("%s: there is no second page", was)
		}
		for j, is := range definitions {
			put(is)
			want := "400 invalid_parameter cursor"
			if i == j {
				want = ""
			}
			got := ""
			if res := x.do("enterprise", "GET", "/v1/custom/mine?cursor="+*next, ""); res.StatusCode != 200 {
				got = x.told(res)
			}
			if got != want {
				t.Errorf("the cursor of %s where it is %s: %q, want %q", was, is, got, want)
			}
		}
	}
	// The selected fields are not part of the search.
	put(`{"q":"mcp","limit":3}`)
	next := x.page("/v1/custom/mine").Pagination.NextCursor
	put(`{"q":"mcp","sort":"relevance","fields":["id"],"facets":true,"limit":5}`)
	if p := x.page("/v1/custom/mine?cursor=" + *next); len(p.Servers) != 5 || len(p.Servers[0]) != 1 {
		t.Errorf("with other fields: %v", p.Servers)
	}
}

func TestCustomEndpoints(t *testing.T) {
	now := epoch
	x := start(t, 150, func(o *Options) { o.Now = func() time.Time { return now } })
	put := func(key, name, body string) string {
		t.Helper()
		res := x.do(key, "PUT", "/v1/custom/"+name+"/definition", body)
		if res.StatusCode >= 400 {
			return x.told(res)
		}
		return itoa(res.StatusCode) + " " + res.Header.Get("Location")
	}
	for body, want := range map[string]string{
		`{"filters":{"size":1},"sort":"size","fields":["size"],"limit":0,"facets":1}`: "400 invalid_parameter facets,fields[0],filters.size,limit,sort",
		`{"name":"x"}`:         "400 invalid_parameter name",
		`{"sort":"relevance"}`: "400 invalid_parameter sort",
		`{"page":2}`:           "400 invalid_parameter page",
		`[]`:                   "400 invalid_body body",
	} {
		if got := put("enterprise", "mine", body); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	if got := put("enterprise", "Mine!", `{}`); got != "400 invalid_parameter name" {
		t.Error(got)
	}
	if got := put("enterprise", "stars-1", `{"filters": {"stars": {"gte": 1}}, "sort":"-stars","fields":["stars","id","repository"],"limit":7}`); got != "201 /v1/custom/stars-1/definition" {
		t.Fatal(got)
	}
	if got := put("enterprise", "words", `{"q":"mcp","facets":true}`); got[:3] != "201" {
		t.Fatal(got)
	}
	status, raw := x.get("/v1/custom/stars-1/definition")
	if want := `"q":null,"filters":{"stars":{"gte":1}},"sort":"-stars","fields":["stars","id","repository"],"limit":7,"facets":false`; status != 200 || !strings.Contains(string(raw), want) {
		t.Errorf("%d %s", status, raw)
	}
	first := x.page("/v1/custom/stars-1")
	want := x.page("/v1/search?sort=-stars&limit=7&filters=" + `%7B%22stars%22:%7B%22gte%22:1%7D%7D`)
	if !slices.Equal(ids(first.Servers), ids(want.Servers)) || first.Pagination.Total != want.Pagination.Total || *first.Name != "stars-1" || first.Facets != nil || first.Sort != "stars:desc" {
		t.Errorf("%+v, and searched for %+v", first, want)
	}
	if len(first.Servers[0]) != 3 || first.Servers[0]["repository"].(map[string]any)["defaultBranch"] == nil {
		t.Errorf("the members are %v", first.Servers[0])
	}
	var all []string
	for p := first; ; p = x.page("/v1/custom/stars-1?cursor=" + *p.Pagination.NextCursor) {
		all = append(all, ids(p.Servers)...)
		if p.Pagination.NextCursor == nil {
			break
		}
	}
	if len(all) != first.Pagination.Total {
		t.Errorf("%d by cursor of %d", len(all), first.Pagination.Total)
	}
	if p := x.page("/v1/custom/stars-1?page=2&limit=3"); !slices.Equal(ids(p.Servers), all[3:6]) {
		t.Errorf("the second page of three: %v", ids(p.Servers))
	}
	if p := x.page("/v1/custom/words"); p.Facets == nil || p.Query == nil || len(p.Servers[0]) != len(x.page("/v1/servers?limit=1").Servers[0]) {
		t.Errorf("%+v", p.Pagination)
	}
	if got := x.told(x.do("enterprise", "GET", "/v1/custom/stars-1?q=x", "")); got != "400 invalid_parameter q" {
		t.Error(got)
	}
	if got := x.told(x.do("enterprise", "GET", "/v1/custom/words?cursor="+*first.Pagination.NextCursor, "")); got != "400 invalid_parameter cursor" {
		t.Errorf("the cursor of another: %s", got)
	}
	// Others have their own, and none of ours.
	if got := x.told(x.do("second", "GET", "/v1/custom/stars-1", "")); got != "404 not_found" {
		t.Error(got)
	}
	// A plan that ends closes them and loses nothing.
	for _, target := range []string{"/v1/custom", "/v1/custom/stars-1", "/v1/custom/stars-1/definition"} {
		if got := x.told(x.do("lapsed", "GET", target, "")); got != "403 plan_upgrade_required" {
			t.Errorf("%s: %s", target, got)
		}
	}
	if p := x.page("/v1/custom/stars-1"); len(p.Servers) != 7 {
		t.Errorf("after that, it finds %d", len(p.Servers))
	}
	// A definition that is changed makes older cursors useless.
	if got := put("enterprise", "stars-1", `{"filters":{"stars":{"gte":2}},"sort":"-stars","limit":7}`); got[:3] != "200" {
		t.Error(got)
	}
	if got := x.told(x.do("enterprise", "GET", "/v1/custom/stars-1?cursor="+*first.Pagination.NextCursor, "")); got != "400 invalid_parameter cursor" {
		t.Errorf("a cursor of the older definition: %s", got)
	}
	// The database is asked every two seconds, and not missed for longer.
	x.page("/v1/custom/stars-1")
	before := x.store.asks
	for range 10 {
		x.page("/v1/custom/stars-1")
	}
	if x.store.asks != before {
		t.Errorf("ten calls asked the database %d times", x.store.asks-before)
	}
	now = now.Add(time.Minute)
	x.store.down = true
	x.page("/v1/custom/stars-1")
	if got := x.told(x.do("enterprise", "GET", "/v1/custom", "")); got != "503 unavailable" {
		t.Error(got)
	}
	if got := put("enterprise", "new", `{}`); got != "500 internal" && got != "503 unavailable" {
		t.Error(got)
	}
	x.store.down = false
	if _, raw = x.get("/v1/custom"); !strings.Contains(string(raw), `"count":2,"max":100`) {
		t.Errorf("%s", raw)
	}
	res := x.do("enterprise", "DELETE", "/v1/custom/words/definition", "")
	if _, b := x.read(res); res.StatusCode != 204 || len(b) > 0 {
		t.Errorf("deleted: %d %s", res.StatusCode, b)
	}
	if got := x.told(x.do("enterprise", "GET", "/v1/custom/words", "")); got != "404 not_found" {
		t.Error(got)
	}
	if got := x.told(x.do("enterprise", "DELETE", "/v1/custom/words/definition", "")); got != "404 not_found" {
		t.Error(got)
	}
}
