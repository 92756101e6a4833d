package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func jsonResponse(raw []byte) *http.Response {
	return &http.Response{StatusCode: 200,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   io.NopCloser(bytes.NewReader(raw))}
}

func npmCounts(t *testing.T, h http.HandlerFunc, now *time.Time) *NPMDownloads {
	t.Helper()
	n, err := NewNPMDownloads(Options{Base: serve(t, h), Timeout: 20 * time.Second,
		Now: func() time.Time { return *now }})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// npmRecord counts 2 downloads a day, and 1 a day in the older half.
func npmRecord(r *http.Request, known func(string) bool) any {
	parts := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/downloads/range/"), "/", 2)
	from, to, _ := strings.Cut(parts[0], ":")
	start, _ := time.Parse(time.DateOnly, from)
	end, _ := time.Parse(time.DateOnly, to)
	one := func(name string) any {
		if !known(name) {
			return nil
		}
		var days []any
		for i, d := 0, start; !d.After(end); i, d = i+1, d.AddDate(0, 0, 1) {
			days = append(days, map[string]any{"day": d.Format(time.DateOnly),
				"downloads": 1 + i/30})
		}
		return map[string]any{"package": name, "start": from, "end": to, "downloads": days}
	}
	names := strings.Split(parts[1], ",")
	if len(names) == 1 {
		return one(names[0])
	}
	all := map[string]any{}
	for _, n := range names {
		all[n] = one(n)
	}
	return all
}

func TestNPMCounts(t *testing.T) {
	now := testNow
	var paths []string
	n := npmCounts(t, func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.EscapedPath())
		names := strings.Split(r.URL.Path[strings.LastIndex(r.URL.Path, ":")+12:], ",")
		if len(names) > 1 && (len(names) > 128 || strings.Contains(r.URL.Path, "@")) {
			status(400)(w, r)
			return
		}
		a := npmRecord(r, func(name string) bool { return name != "p7" && name != "@octo/missing" })
		if a == nil {
			status(404)(w, r)
			return
		}
		sendJSON(w, a)
	}, &now)
	names := []string{"@octo/weather", "@octo/missing", "@octo/weather", "bad name", "../x", "a,b",
		"-x?", ""}
	for i := range 300 {
		names = append(names, fmt.Sprint("p", i))
	}
	got, err := n.Counts(context.Background(), names)
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) != 5 {
		t.Errorf("%d requests", len(paths))
	}
	if want := "/downloads/range/2026-09-01:2026-10-30/%40octo/weather"; paths[3] != want &&
		paths[4] != want {
		t.Errorf("paths %q", paths[3:])
	}
	if len(got) != 300 {
		t.Errorf("%d counts", len(got))
	}
	if _, ok := got["p7"]; ok {
		t.Error("an unknown package has a count")
	}
	if c := got["@octo/weather"]; c.Last30 != 60 || c.Prev30 == nil || *c.Prev30 != 30 ||
		!c.ObservedAt.Equal(testNow) {
		t.Errorf("%+v", c)
	}
	if d := got["@octo/weather"].Days; len(d) != 60 || d["2026-09-01"] != 1 ||
		d["2026-10-30"] != 2 {
		t.Errorf("days are %v", d)
	}
}

func TestNPMDays(t *testing.T) {
	now := testNow
	n := npmCounts(t, func(w http.ResponseWriter, r *http.Request) {
		a := npmRecord(r, func(string) bool { return true }).(map[string]any)
		days := a["downloads"].([]any)[10:] // of the former 30 days, 10 are missing
		a["downloads"] = append(days, map[string]any{"day": "2027-01-01", "downloads": 5},
			map[string]any{"day": "x\x00", "downloads": 5})
		sendJSON(w, a)
	}, &now)
	ps, err := (&Enricher{NPM: n}).Downloads(context.Background(),
		[]registry.PackageFacts{{RegistryType: "npm", Identifier: "a"}})
	if err != nil || ps[0].Downloads == nil || *ps[0].Downloads != 60 ||
		ps[0].DownloadsPrev != nil {
		t.Fatalf("%+v %v", ps, err)
	}
	d := ps[0].DownloadDays
	if _, missing := d["2026-09-10"]; len(d) != 50 || missing || d["2026-09-11"] != 1 ||
		d["2026-10-30"] != 2 {
		t.Errorf("days are %v", d)
	}
}

func TestNPMInvalidName(t *testing.T) {
	now := testNow
	n := npmCounts(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "spoil") {
			status(400)(w, r)
			return
		}
		sendJSON(w, npmRecord(r, func(string) bool { return true }))
	}, &now)
	got, err := n.Counts(context.Background(), []string{"a", "b", "spoil", "c"})
	if err != nil || len(got) != 3 {
		t.Errorf("%v %v", got, err)
	}
}

func TestNPMLimit(t *testing.T) {
	now := testNow
	requests, limited := 0, true
	n := npmCounts(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		if limited {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(429)
			w.Write([]byte("error code: 1015"))
			return
		}
		sendJSON(w, npmRecord(r, func(string) bool { return true }))
	}, &now)
	e := &Enricher{NPM: n}
	for i, pause := range []time.Duration{15, 30, 60} {
		ps, err := e.Downloads(context.Background(),
			[]registry.PackageFacts{{RegistryType: "npm", Identifier: "a"},
				{RegistryType: "npm", Identifier: "@b/c"}})
		until := RetryAt(err)
		if !errors.Is(err, registry.ErrLimited) || !until.Equal(now.Add(pause*time.Minute)) {
			t.Fatalf("stop %d: %v, until %v", i, err, until)
		}
		if ps[0].Downloads != nil || requests != i+1 {
			t.Errorf("stop %d: %+v after %d requests", i, ps, requests)
		}
		now = now.Add(time.Minute)
		if _, err := n.Counts(context.Background(), []string{"a"}); !errors.Is(err,
			registry.ErrLimited) || requests != i+1 {
			t.Errorf("requests while stopped: %v, %d requests", err, requests)
		}
		now = until.Add(time.Second)
	}
	limited = false
	if got, err := n.Counts(context.Background(), []string{"a"}); err != nil || len(got) != 1 {
		t.Errorf("%v %v", got, err)
	}
	limited = true
	_, err := n.Counts(context.Background(), []string{"a"})
	if !RetryAt(err).Equal(now.Add(15 * time.Minute)) {
		t.Errorf("after a success: %v", err)
	}
}

func TestDownloadsUnknown(t *testing.T) {
	ctx := context.Background()
	old := int64(77)
	for name, bad := range badResponses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := testNow
			o := Options{Base: serve(t, bad), Now: func() time.Time { return now }, Timeout: 20 * time.Second}
			if name == "hang" || name == "slow body" {
				o.Timeout = 100 * time.Millisecond
			}
			n, err := NewNPMDownloads(o)
			if err != nil {
				t.Fatal(err)
			}
			p, err := NewPyPIStats(o)
			if err != nil {
				t.Fatal(err)
			}
			e := &Enricher{NPM: n, PyPI: p}
			for _, typ := range []string{"npm", "pypi"} {
				ps, _ := e.Downloads(ctx,
					[]registry.PackageFacts{{RegistryType: typ, Identifier: "a"},
						{RegistryType: typ, Identifier: "b", Downloads: &old}})
				if len(ps) != 2 || ps[0].Downloads != nil || ps[0].DownloadsObservedAt != nil ||
					ps[1].Downloads == nil || *ps[1].Downloads != 77 {
					t.Errorf("%s: %+v", typ, ps)
				}
			}
		})
	}
	for name, days := range map[string]string{
		"too few days": `[{"day":"2026-10-30","downloads":5}]`, "none": `[]`,
		"negative": `[{"day":"2026-10-30","downloads":-5}]`,
		"null":     `[{"day":"2026-10-30","downloads":null}]`,
	} {
		now := testNow
		n := npmCounts(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Write([]byte(`{"package":"a","downloads":` + days + `}`))
		}, &now)
		if got, err := n.Counts(ctx, []string{"a"}); err != nil || len(got) != 0 {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
	e := &Enricher{}
	ps, err := e.Downloads(ctx, []registry.PackageFacts{{RegistryType: "oci", Identifier: "o/i"}})
	if err != nil || ps[0].Downloads != nil {
		t.Errorf("images have no counts: %+v %v", ps, err)
	}
}

func TestPyPICounts(t *testing.T) {
	now := testNow
	day := func(ago int) string { return now.AddDate(0, 0, -ago).Format(time.DateOnly) }
	row := func(ago int, n int64) map[string]any {
		return map[string]any{"category": "without_mirrors", "date": day(ago), "downloads": n}
	}
	var asked []string
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RequestURI())
		_, rest, _ := strings.Cut(r.URL.Path, "/packages/")
		name, what, _ := strings.Cut(rest, "/")
		var rows []any
		switch {
		case name == "missing", name == "sums" && what == "overall":
			http.NotFound(w, r) // plain text, as from the service
			return
		case what == "recent":
			sendJSON(w, map[string]any{"data": map[string]any{"last_day": 1, "last_week": 7,
				"last_month": 30}, "package": name, "type": "recent_downloads"})
			return
		case name == "quiet": // for half a year but for some days
			rows = []any{row(90, 4), row(40, 6)}
		case name == "fresh":
			rows = []any{row(2, 5), row(10, 7)}
		default:
			for ago := 1; ago <= 180; ago++ {
				if ago != 5 { // nothing
					rows = append(rows, row(ago, int64(ago)))
				}
			}
			rows = append(rows, map[string]any{"category": "with_mirrors", "date": day(1),
				"downloads": 1_000_000},
				map[string]any{"category": "without_mirrors", "date": "yesterday", "downloads": 1},
				row(3, -1))
		}
		sendJSON(w, map[string]any{"data": rows, "package": name, "type": "overall_downloads"})
	})
	p, err := NewPyPIStats(Options{Base: base + "/api/", Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Counts(context.Background(),
		[]string{"missing", "MCP_Weather.x", "bad/../name", "-x", "quiet", "fresh"})
	if err != nil || len(got) != 3 {
		t.Fatalf("%v %v", got, err)
	}
	if c := got["MCP_Weather.x"]; c.Last30 != 30*31/2-5 || *c.Prev30 != 60*61/2-30*31/2 ||
		len(c.Days) != 179 || c.Days[day(1)] != 1 || c.Days[day(3)] != 3 {
		t.Errorf("%+v", c)
	}
	if c := got["quiet"]; c.Last30 != 30 || c.Prev30 != nil || len(c.Days) != 2 {
		t.Errorf("without recent downloads: %+v", c)
	}
	if c := got["fresh"]; c.Last30 != 12 || c.Prev30 != nil || len(c.Days) != 2 {
		t.Errorf("a new project: %+v", c)
	}
	const at = "/api/packages/"
	want := []string{at + "missing/overall?mirrors=false", at + "missing/recent",
		at + "mcp-weather-x/overall?mirrors=false", at + "quiet/overall?mirrors=false",
		at + "quiet/recent", at + "fresh/overall?mirrors=false"}
	if !slices.Equal(asked, want) {
		t.Errorf("asked for %q", asked)
	}
	// A service that returns only sums is not repeatedly queried for days.
	asked = nil
	if got, err = p.Counts(context.Background(), []string{"sums", "sums"}); err != nil ||
		got["sums"].Last30 != 30 || got["sums"].Days != nil || len(asked) != 3 {
		t.Errorf("%v %v, asked for %q", got, err, asked)
	}
	now = now.Add(2 * time.Hour)
	if got, err = p.Counts(context.Background(), []string{"fresh"}); err != nil ||
		got["fresh"].Days == nil {
		t.Errorf("hours later: %v %v", got, err)
	}
}

func TestBaseAddress(t *testing.T) {
	for _, base := range []string{"ftp://x.example", "x.example", "https://",
		"https://user@x.example", "https://x.example/?a=b", "https://x.example/#f", "://"} {
		if _, err := NewDepsDev(Options{Base: base}); !errors.Is(err, registry.ErrInvalid) {
			t.Errorf("%s: %v", base, err)
		}
	}
}

func TestRedirect(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("moved") == "" {
			http.Redirect(w, r, r.URL.EscapedPath()+"?moved=1", http.StatusMovedPermanently)
			return
		}
		goodDepsDev(w, r)
	})
	d, err := NewDepsDev(Options{Base: base})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := d.Versions(context.Background(), "npm", "@octo/weather"); err != nil ||
		v.Default != "1.4.0" {
		t.Errorf("%+v %v", v, err)
	}
}
