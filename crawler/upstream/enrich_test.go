package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/version"
)

var testNow = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// badResponses are the ways in which a service can fail.
var badResponses = map[string]http.HandlerFunc{
	"401": status(401), "403": status(403), "409": status(409), "429": status(429), "451": status(451),
	"500": status(500), "502": status(502), "503": status(503), "501": status(501),
	"404 of a proxy": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(404)
		w.Write([]byte("<h1>not here</h1>"))
	},
	"html 200": func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("<html>log in</html>")) },
	"empty":    func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Type", "application/json") },
	"null":     func(w http.ResponseWriter, r *http.Request) { sendJSON(w, nil) },
	"truncated": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"versions":[{"versionKey":{"ver`))
	},
	"cut": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "100000")
		w.Write([]byte(`{"versions":[`))
	},
	"reset": func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) },
	"wrong types": func(w http.ResponseWriter, r *http.Request) {
		sendJSON(w, map[string]any{"versions": "x", "results": 5, "vulns": "y", "downloads": "z", "data": 3, "projectKey": 1, "package": []int{1}})
	},
	"array": func(w http.ResponseWriter, r *http.Request) { sendJSON(w, []any{1, 2}) },
	"other": func(w http.ResponseWriter, r *http.Request) { sendJSON(w, map[string]any{"message": "welcome"}) },
	"redirect": func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://192.0.2.7/x", http.StatusFound)
	},
	"huge": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		chunk := strings.Repeat(" ", 1<<20)
		for range 64 {
			if _, err := w.Write([]byte(chunk)); err != nil {
				return
			}
		}
	},
	"hang": hang,
	"slow body": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte("{"))
		w.(http.Flusher).Flush()
		hang(w, r)
	},
}

// hang sends no response until the client disconnects, which is noticed only after the request
// has been read.
func hang(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	select {
	case <-r.Context().Done():
	case <-time.After(10 * time.Second):
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		w.Write([]byte(`{"message":"no"}`))
	}
}

func enricher(t *testing.T, depsdev, osv http.HandlerFunc, timeout time.Duration) *Enricher {
	t.Helper()
	now := func() time.Time { return testNow }
	d, err := NewDepsDev(Options{Base: serve(t, depsdev), Now: now, Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	o, err := NewOSV(Options{Base: serve(t, osv), Now: now, Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	return &Enricher{DepsDev: d, OSV: o}
}

// goodDepsDev has @octo/weather 1.4.0 with one direct dependency.
func goodDepsDev(w http.ResponseWriter, r *http.Request) {
	const pkg = "/v3/systems/npm/packages/%40octo%2Fweather"
	switch r.URL.EscapedPath() {
	case "/v3alpha/systems/npm/packages/%40octo%2Fweather/versions/1.4.0:dependents":
		sendJSON(w, map[string]any{"dependentCount": 17, "directDependentCount": 12, "indirectDependentCount": 5})
	case pkg:
		sendJSON(w, map[string]any{"packageKey": map[string]any{"system": "NPM", "name": "@octo/weather"}, "versions": []any{
			map[string]any{"versionKey": map[string]any{"version": "1.4.0"}, "publishedAt": "2026-09-20T00:00:00Z", "isDefault": true, "isDeprecated": false},
			map[string]any{"versionKey": map[string]any{"version": "1.0.0"}, "publishedAt": "2025-01-01T00:00:00Z"},
			map[string]any{"versionKey": map[string]any{"version": "2.0.0-beta.1"}, "publishedAt": "bad date"},
			map[string]any{"versionKey": map[string]any{"version": "9\u0000"}},
		}})
	case pkg + "/versions/1.4.0":
		sendJSON(w, map[string]any{
			"versionKey": map[string]any{"version": "1.4.0"}, "licenses": []string{"MIT", "non-standard", "MIT"}, "advisoryKeys": []any{map[string]any{"id": "GHSA-self"}},
			"links":           []any{map[string]any{"label": "HOMEPAGE", "url": "https://weather.example"}, map[string]any{"label": "SOURCE_REPO", "url": "git+https://github.com/octo/weather.git"}},
			"slsaProvenances": []any{map[string]any{"verified": true, "sourceRepository": "https://github.com/octo/weather"}}, "attestations": []any{},
		})
	case pkg + "/versions/1.4.0:dependencies":
		sendJSON(w, map[string]any{"nodes": []any{
			map[string]any{"versionKey": map[string]any{"name": "@octo/weather", "version": "1.4.0"}, "relation": "SELF"},
			map[string]any{"versionKey": map[string]any{"name": "@modelcontextprotocol/sdk", "version": "1.20.0"}, "relation": "DIRECT"},
			map[string]any{"versionKey": map[string]any{"name": "left", "version": "1.0.0"}, "relation": "DIRECT"},
			map[string]any{"versionKey": map[string]any{"name": "deep", "version": "1.0.0"}, "relation": "INDIRECT"},
		}})
	case "/v3/systems/npm/packages/left":
		sendJSON(w, map[string]any{"versions": []any{map[string]any{"versionKey": map[string]any{"version": "1.0.1"}, "publishedAt": "2026-02-03T00:00:00Z", "isDefault": true}}})
	case "/v3/advisories/GHSA-self":
		sendJSON(w, map[string]any{"advisoryKey": map[string]any{"id": "GHSA-self"}, "title": "Self", "cvss3Score": 7.5})
	case "/v3/projects/github.com%2Focto%2Fweather":
		sendJSON(w, map[string]any{"projectKey": map[string]any{"id": "github.com/octo/weather"}, "starsCount": 120, "forksCount": 4, "scorecard": map[string]any{"date": "2026-10-20T00:00:00Z", "overallScore": 6.1}})
	default:
		status(404)(w, r)
	}
}

// goodOSV has a vulnerability of the package, one of "left" under two IDs, and that of the
// canary.
func goodOSV(w http.ResponseWriter, r *http.Request) {
	affected := func(name, fixed string) []any {
		return []any{map[string]any{"package": map[string]any{"ecosystem": "npm", "name": name}, "ranges": []any{
			map[string]any{"type": "SEMVER", "events": []any{map[string]any{"introduced": "0"}, map[string]any{"fixed": "0.5.0"}}},
			map[string]any{"type": "SEMVER", "events": []any{map[string]any{"introduced": "1.0.0"}, map[string]any{"fixed": fixed}}},
		}}}
	}
	vulns := map[string]any{
		"GHSA-self":   map[string]any{"id": "GHSA-self", "modified": "m", "summary": "Self", "database_specific": map[string]any{"severity": "HIGH"}, "affected": affected("@octo/weather", "1.4.1")},
		"GHSA-left":   map[string]any{"id": "GHSA-left", "modified": "m", "aliases": []string{"CVE-1"}, "database_specific": map[string]any{"severity": "CRITICAL"}, "affected": affected("left", "1.0.1")},
		"OTHER-left":  map[string]any{"id": "OTHER-left", "modified": "m", "aliases": []string{"CVE-1"}, "severity": []any{map[string]any{"type": "CVSS_V3", "score": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:L/A:N"}}},
		"GHSA-pulled": map[string]any{"id": "GHSA-pulled", "modified": "m", "withdrawn": "2026-01-01T00:00:00Z"},
		"MAL-1":       map[string]any{"id": "MAL-1", "modified": "m", "affected": []any{map[string]any{"package": map[string]any{"ecosystem": "npm", "name": "evil"}, "ranges": []any{map[string]any{"type": "SEMVER", "events": []any{map[string]any{"introduced": "0"}}}}}}},
		"MAL-2":       map[string]any{"id": "MAL-2", "modified": "m", "affected": []any{map[string]any{"package": map[string]any{"ecosystem": "npm", "name": "hijacked"}, "versions": []string{"1.2.3"}}}},
	}
	ids := map[string][]string{
		"@octo/weather 1.4.0": {"GHSA-self", "GHSA-pulled"}, "left 1.0.0": {"OTHER-left", "GHSA-left"}, "lodash 4.17.4": {"CANARY"},
		"evil ": {"MAL-1"}, "evil 1.0.0": {"MAL-1"}, "hijacked ": {"MAL-2", "GHSA-left"},
	}
	if id, ok := strings.CutPrefix(r.URL.Path, "/v1/vulns/"); ok {
		if vulns[id] == nil {
			status(404)(w, r)
			return
		}
		sendJSON(w, vulns[id])
		return
	}
	var ask struct{ Queries []osvQuery }
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil || r.URL.Path != "/v1/querybatch" || len(ask.Queries) > 1000 {
		status(400)(w, r)
		return
	}
	results := []any{}
	for _, q := range ask.Queries {
		all := ids[q.Package.Name+" "+q.Version]
		out := map[string]any{}
		from := 0
		fmt.Sscanf(q.PageToken, "p%d", &from)
		if from < len(all) { // one to a page
			out["vulns"] = []any{map[string]any{"id": all[from], "modified": "m"}}
			if from+1 < len(all) {
				out["next_page_token"] = fmt.Sprintf("p%d", from+1)
			}
		}
		results = append(results, out)
	}
	sendJSON(w, map[string]any{"results": results})
}

func TestFacts(t *testing.T) {
	e := enricher(t, goodDepsDev, goodOSV, time.Second)
	e.OSV.Canary = &OSVCanary
	got, err := e.Facts(context.Background(), registry.PackageFacts{RegistryType: "npm", Identifier: "@octo/weather"})
	if err != nil {
		t.Fatal(err)
	}
	yes, three, none := true, 3, ""
	day := func(s string) *time.Time { t, _ := time.Parse(time.DateOnly, s); return &t }
	want := registry.PackageFacts{
		RegistryType: "npm", Identifier: "@octo/weather", Found: &yes, Latest: "1.4.0", LatestAt: day("2026-09-20"), FirstAt: day("2025-01-01"), Versions: &three,
		Deprecated: &none, License: "MIT", RepoURL: "git+https://github.com/octo/weather.git", RepoURLKnown: true, Attested: &yes, SDKVersion: "1.20.0",
		AdvisoriesKnown: true, ObservedAt: &testNow, Dependents: ptr(17),
		Advisories: []registry.Advisory{
			{ID: "GHSA-self", Severity: "high", Version: "1.4.0", Fixed: "1.4.1", Title: "Self", URL: "https://osv.dev/vulnerability/GHSA-self"},
			{ID: "GHSA-left", Severity: "critical", Package: "left", Version: "1.0.0", Fixed: "1.0.1", FixedAt: day("2026-02-03"), URL: "https://osv.dev/vulnerability/GHSA-left"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if ref, err := registry.ParseRepoRef(got.RepoURL); err != nil || ref.Key() != "github:octo/weather" {
		t.Errorf("%v %v", ref, err)
	}
	project, err := e.Facts(context.Background(), registry.PackageFacts{RegistryType: registry.ProjectType, Identifier: "github.com/Octo/Weather"})
	if err != nil || project.Scorecard == nil || project.Scorecard.Score != 6.1 ||
		cmp.Diff(&registry.Project{Stars: ptr(120), Forks: ptr(4), ObservedAt: testNow}, project.Project) != "" {
		t.Errorf("%+v %v", project, err)
	}
	image, err := e.Facts(context.Background(), registry.PackageFacts{RegistryType: "oci", Identifier: "octo/weather"})
	if err != nil || image.Found != nil || image.ObservedAt != nil {
		t.Errorf("images have facts: %+v %v", image, err)
	}
}

// TestFactsWithoutDependents checks that a missing count of dependents, which is from deps.dev's
// experimental API, is not a shortfall and does not change the earlier count.
func TestFactsWithoutDependents(t *testing.T) {
	key := registry.PackageFacts{RegistryType: "npm", Identifier: "@octo/weather", Dependents: ptr(3)}
	for name, bad := range badResponses {
		if name == "hang" || name == "slow body" || name == "429" {
			continue // these also affect the other requests
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := enricher(t, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, ":dependents") {
					bad(w, r)
					return
				}
				goodDepsDev(w, r)
			}, goodOSV, 30*time.Second)
			got, err := e.Facts(t.Context(), key)
			if err != nil || got.Dependents == nil || *got.Dependents != 3 || !got.AdvisoriesKnown || got.License != "MIT" {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	for body, want := range map[string]int{`{"dependentCount":0}`: 0, `{"dependentCount":9000000000}`: 1<<31 - 1, `{"dependentCount":-1}`: -1, `{}`: -1, `{"dependentCount":"4"}`: -1} {
		e := enricher(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, body)
		}, goodOSV, 30*time.Second)
		n, err := e.DepsDev.Dependents(t.Context(), "pypi", "Octo.Weather", "1.0")
		if err != nil {
			n = -1
		}
		if n != want {
			t.Errorf("%s: %d, want %d (%v)", body, n, want, err)
		}
	}
}

func ptr[T any](v T) *T { return &v }

// TestFactsShortfall checks that each service may fail without the others, and that its earlier
// facts do not change.
func TestFactsShortfall(t *testing.T) {
	for name, bad := range badResponses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeout := 5 * time.Second
			if name == "hang" || name == "slow body" {
				timeout = time.Second // the good service may be slow on a busy machine
			}
			ctx := context.Background()
			key := registry.PackageFacts{RegistryType: "npm", Identifier: "@octo/weather"}

			got, err := enricher(t, goodDepsDev, bad, timeout).Facts(ctx, key)
			var short *Shortfall
			if !errors.As(err, &short) || len(short.Reasons()) != 1 || short.Reasons()["osv.dev"] == "" {
				t.Errorf("osv.dev failed, and the error is %v", err)
			}
			if got.Latest != "1.4.0" || got.AdvisoriesKnown || len(got.Advisories) != 1 || got.Advisories[0].Severity != "high" {
				t.Errorf("without osv.dev: %+v", got)
			}

			known := key
			yes := true
			known.Found, known.Latest, known.Attested, known.License = &yes, "1.3.0", &yes, "MIT"
			got, err = enricher(t, bad, goodOSV, timeout).Facts(ctx, known)
			if !errors.As(err, &short) || short.Reasons()["deps.dev"] == "" || short.Reasons()["osv.dev"] != "" {
				t.Errorf("deps.dev failed, and the error is %v", err)
			}
			if got.Latest != "1.3.0" || got.Found == nil || !*got.Found || got.Attested == nil || got.License != "MIT" || got.ObservedAt != nil || got.AdvisoriesKnown {
				t.Errorf("without deps.dev: %+v", got)
			}
			got, err = enricher(t, bad, bad, timeout).Facts(ctx, key)
			if err == nil || got.Found != nil || got.Latest != "" {
				t.Errorf("without anything: %+v %v", got, err)
			}
			if _, err := enricher(t, bad, goodOSV, timeout).Facts(ctx, registry.PackageFacts{RegistryType: registry.ProjectType, Identifier: "github.com/a/b"}); err == nil {
				t.Error("a project's failure is not reported")
			}
		})
	}
}

func TestFactsNotFound(t *testing.T) {
	e := enricher(t, status(404), goodOSV, time.Second)
	n := int64(5)
	long := e.DepsDev.now().Add(-4 * 24 * time.Hour)
	for id, malware := range map[string]string{"evil": "MAL-1", "hijacked": "", "nothing": ""} {
		got, err := e.Facts(context.Background(), registry.PackageFacts{RegistryType: "npm", Identifier: id, Latest: "1.0.0", FirstAt: &long, Downloads: &n, MissingSince: &long})
		if err != nil || got.Found == nil || *got.Found || got.Latest != "" || got.FirstAt == nil || got.Downloads == nil || got.Malware != malware || got.MissingSince == nil || !got.MissingSince.Equal(long) {
			t.Errorf("%s: %+v %v", id, got, err)
		}
	}
}

func TestFactsNewPackage(t *testing.T) {
	e := enricher(t, status(404), goodOSV, time.Second)
	yes, no := true, false
	for name, p := range map[string]registry.PackageFacts{
		"never requested before":  {Identifier: "nothing"},
		"known a day ago":         {Identifier: "nothing", Found: &yes, Latest: "1.0.0"},
		"not known for two hours": {Identifier: "nothing", MissingSince: new(e.DepsDev.now().Add(-2 * time.Hour))},
	} {
		p.RegistryType = "npm"
		got, err := e.Facts(context.Background(), p)
		if err != nil || got.Found != p.Found || got.Latest != p.Latest || got.MissingSince == nil || got.ObservedAt == nil {
			t.Errorf("%s: %+v %v", name, got, err)
		}
		if p.MissingSince != nil && !got.MissingSince.Equal(*p.MissingSince) {
			t.Errorf("%s: missing since %v", name, got.MissingSince)
		}
	}
	if got, err := e.Facts(context.Background(), registry.PackageFacts{RegistryType: "npm", Identifier: "evil"}); err != nil || got.Found == nil || *got.Found {
		t.Errorf("malware that was withdrawn: %+v %v", got, err)
	}
	if got, err := e.Facts(context.Background(), registry.PackageFacts{RegistryType: "npm", Identifier: "nothing", Found: &no}); err != nil || got.Found == nil || *got.Found {
		t.Errorf("a missing package became unknown: %+v %v", got, err)
	}
	e = enricher(t, goodDepsDev, goodOSV, time.Second)
	if got, _ := e.Facts(context.Background(), registry.PackageFacts{RegistryType: "npm", Identifier: "@octo/weather", MissingSince: new(time.Now())}); got.MissingSince != nil || got.Found == nil || !*got.Found {
		t.Errorf("found at last: %+v", got)
	}
}

func TestOSVCanary(t *testing.T) {
	deaf := func(w http.ResponseWriter, r *http.Request) {
		var ask struct{ Queries []osvQuery }
		json.NewDecoder(r.Body).Decode(&ask)
		sendJSON(w, map[string]any{"results": make([]struct{}, len(ask.Queries))})
	}
	e := enricher(t, goodDepsDev, deaf, time.Second)
	e.OSV.Canary = &OSVCanary
	got, err := e.Facts(context.Background(), registry.PackageFacts{RegistryType: "npm", Identifier: "@octo/weather"})
	if got.AdvisoriesKnown || err == nil || !strings.Contains(err.Error(), "lodash") {
		t.Errorf("%+v %v", got, err)
	}
	public, err := NewOSV(Options{})
	if err != nil || public.Canary == nil {
		t.Errorf("canary of the public service: %+v %v", public, err)
	}
}

func TestOSVBatches(t *testing.T) {
	var batches atomic.Int32
	e := enricher(t, goodDepsDev, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.ContentLength > 20000 {
			batches.Add(1)
		}
		goodOSV(w, r)
	}, 20*time.Second)
	e.OSV.Canary = &OSVCanary
	deps := make([]Dependency, 2500)
	for i := range deps {
		deps[i] = Dependency{"npm", fmt.Sprint("p", i), "1.0.0"}
	}
	deps[2400] = Dependency{"npm", "left", "1.0.0"}
	deps[7] = Dependency{"oci", "image", "1"}
	found, err := e.OSV.Find(context.Background(), deps)
	if err != nil || len(found) != 2500 || len(found[2400].Advisories) != 1 || batches.Load() != 3 {
		t.Errorf("%d batches, %d found, %v", batches.Load(), len(found), err)
	}
}

func TestPackageFactsDeadline(t *testing.T) {
	e := enricher(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "slow") {
			hang(w, r)
			return
		}
		goodDepsDev(w, r)
	}, goodOSV, time.Minute)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	p, err := e.Facts(ctx, registry.PackageFacts{RegistryType: "npm", Identifier: "slow"})
	short, ok := errors.AsType[*Shortfall](err)
	if p.Found != nil || !ok || short.Reasons()["deps.dev"] == "" {
		t.Errorf("%+v %v", p, err)
	}
}

func TestSDK(t *testing.T) {
	var asked atomic.Int32
	e := enricher(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		version := func(v, at string, isDefault bool) any {
			return map[string]any{"versionKey": map[string]any{"version": v}, "publishedAt": at + "T00:00:00Z", "isDefault": isDefault}
		}
		switch r.URL.EscapedPath() {
		case "/v3/systems/npm/packages/%40modelcontextprotocol%2Fsdk":
			sendJSON(w, map[string]any{"versions": []any{
				version("1.9.0", "2025-04-01", false), version("1.26.0", "2026-06-01", false),
				version("0.5.0", "2024-11-01", false), version("2.0.0-alpha.1", "2026-10-01", true)}})
		case "/v3/systems/go/packages/github.com%2Fmark3labs%2Fmcp-go":
			sendJSON(w, map[string]any{"versions": []any{version("v0.8.0", "2025-04-01", false), version("v0.40.0", "2026-06-01", true)}})
		default:
			status(404)(w, r)
		}
	}, goodOSV, time.Second)
	npm := []registry.Package{{RegistryType: "npm", Identifier: "x"}}
	image := []registry.Package{{RegistryType: "oci", Identifier: "x"}}
	for name, c := range map[string]struct {
		d                    registry.Detection
		used, usedAt, latest string
	}{
		"published range":     {registry.Detection{SDKEcosystem: "npm", SDKPackage: "@modelcontextprotocol/sdk", SDKVersion: "^1.0.0", SDKLocked: "1.9.0", Packages: npm}, "1.26.0", "2026-06-01", "1.26.0"},
		"image with lock":     {registry.Detection{SDKEcosystem: "npm", SDKPackage: "@modelcontextprotocol/sdk", SDKVersion: "^1.0.0", SDKLocked: "1.9.0", Packages: image}, "1.9.0", "2025-04-01", "1.26.0"},
		"old range":           {registry.Detection{SDKEcosystem: "npm", SDKPackage: "@modelcontextprotocol/sdk", SDKVersion: "^0.5.0", Packages: npm}, "0.5.0", "2024-11-01", "1.26.0"},
		"prerelease":          {registry.Detection{SDKEcosystem: "npm", SDKPackage: "@modelcontextprotocol/sdk", SDKVersion: "2.0.0-alpha.1", Packages: npm}, "2.0.0-alpha.1", "2026-10-01", "2.0.0-alpha.1"},
		"workspace with lock": {registry.Detection{SDKEcosystem: "npm", SDKPackage: "@modelcontextprotocol/sdk", SDKVersion: "catalog:", SDKLocked: "1.9.0", Packages: npm}, "1.9.0", "2025-04-01", "1.26.0"},
		"go":                  {registry.Detection{SDKEcosystem: "go", SDKPackage: "github.com/mark3labs/mcp-go", SDKVersion: "v0.8.0", SDKLocked: "v0.8.0"}, "v0.8.0", "2025-04-01", "v0.40.0"},
		"go pseudo":           {registry.Detection{SDKEcosystem: "go", SDKPackage: "github.com/mark3labs/mcp-go", SDKLocked: "v0.8.1-0.20250502101112-abcdefabcdef"}, "v0.8.1-0.20250502101112-abcdefabcdef", "2025-05-02", "v0.40.0"},
		"unresolvable":        {registry.Detection{SDKEcosystem: "npm", SDKPackage: "@modelcontextprotocol/sdk", SDKVersion: "workspace:*"}, "", "", ""},
		"unknown package":     {registry.Detection{SDKEcosystem: "npm", SDKPackage: "nope", SDKVersion: "^1"}, "", "", ""},
		"unknown, too":        {registry.Detection{SDKEcosystem: "npm", SDKPackage: "nope", SDKVersion: "^2"}, "", "", ""},
		"unknown ecosystem":   {registry.Detection{SDKEcosystem: "hex", SDKPackage: "mcp", SDKVersion: "~> 1"}, "", "", ""},
		"none":                {registry.Detection{}, "", "", ""},
	} {
		got, err := e.SDK(context.Background(), c.d)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.used == "" {
			if got != nil {
				t.Errorf("%s: %+v", name, got)
			}
			continue
		}
		if got == nil || got.Used != c.used || got.Latest != c.latest || got.UsedAt == nil || got.UsedAt.Format(time.DateOnly) != c.usedAt || got.LatestAt == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if n := asked.Load(); n > 3 {
		t.Errorf("%d requests for two packages and one that is missing", n)
	}
	for name, bad := range badResponses {
		if name == "hang" || name == "slow body" || name == "huge" {
			continue
		}
		if got, err := enricher(t, bad, goodOSV, time.Second).SDK(context.Background(), registry.Detection{SDKEcosystem: "npm", SDKPackage: "@modelcontextprotocol/sdk"}); err == nil {
			t.Errorf("%s: %+v without an error", name, got)
		}
	}
}

func TestFactsRepository(t *testing.T) {
	for _, address := range []string{
		"git+https://github.com/Octo/Weather.git", "git://github.com/octo/weather.git", "git+ssh://git@github.com/octo/weather.git",
		"ssh://git@github.com/octo/weather", "git@github.com:octo/weather.git", "github:octo/weather", "octo/weather",
		"https://github.com/octo/weather/tree/main/packages/a", "https://github.com/octo/weather#readme", "https://www.github.com/octo/weather/",
	} {
		ref, err := registry.ParseRepoRef(address)
		if err != nil || ref.Key() != "github:octo/weather" {
			t.Errorf("%s: %v %v", address, ref.Key(), err)
		}
	}
}

func TestFactsWithoutVersions(t *testing.T) {
	e := enricher(t, func(w http.ResponseWriter, r *http.Request) { sendJSON(w, map[string]any{"versions": []any{}}) }, goodOSV, time.Second)
	got, err := e.Facts(context.Background(), registry.PackageFacts{RegistryType: "npm", Identifier: "a"})
	if err != nil || got.Found != nil || got.Latest != "" || got.AdvisoriesKnown {
		t.Errorf("%+v %v", got, err)
	}
}

func TestCVSS(t *testing.T) {
	// Base scores of the specification's published examples.
	for vector, want := range map[string]float64{
		"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H": 9.8,
		"CVSS:3.0/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N": 6.1,
		"CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N": 6.4,
		"CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H": 7.8,
		"CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:N": 5.9,
		"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H": 10,
		"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N": 0,
	} {
		if got, ok := cvss3(vector); !ok || got != want {
			t.Errorf("%s: %v %v, want %v", vector, got, ok, want)
		}
	}
	for _, bad := range []string{"", "CVSS:4.0/AV:N", "CVSS:3.1/", "CVSS:3.1/AV:X/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N", "7.5"} {
		if got, ok := cvss3(bad); ok {
			t.Errorf("%q: %v", bad, got)
		}
	}
}

func FuzzVulnerability(f *testing.F) {
	f.Add([]byte(`{"id":"GHSA-1","affected":[{"package":{"ecosystem":"npm","name":"a"},"ranges":[{"type":"SEMVER","events":[{"introduced":"0"},{"fixed":"1.2.3"}]}]}],"severity":[{"type":"CVSS_V3","score":"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"}],"database_specific":{"severity":"HIGH"}}`), "1.0.0")
	f.Fuzz(func(t *testing.T, raw []byte, installed string) {
		var v vulnerability
		if json.Unmarshal(raw, &v) != nil {
			return
		}
		dep := Dependency{"npm", "a", installed}
		switch s := v.severity(dep); s {
		case "critical", "high", "moderate", "low", "unknown":
		default:
			t.Errorf("severity %q", s)
		}
		if fixed := v.fixed(dep); strings.ContainsRune(fixed, 0) || len(fixed) > version.MaxLength {
			t.Errorf("fixed %q", fixed)
		}
		v.everyVersion(dep)
	})
}

// FuzzResponses returns the same hostile text for every request.
func FuzzResponses(f *testing.F) {
	for _, s := range []string{`{}`, `null`, `{"versions":[{"versionKey":{"version":"1.0.0"},"isDefault":true}],"versionKey":{},"nodes":[{"relation":"DIRECT","versionKey":{"name":"a","version":"\u0000"}}]}`,
		`{"results":[{"vulns":[{"id":"x"}]}]}`, `{"projectKey":{},"scorecard":{"overallScore":1e999}}`, `{"licenses":["\ud800"],"links":[{"label":"SOURCE_REPO","url":"\u0000"}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		h := roundTrip(func(*http.Request) (*http.Response, error) { return jsonResponse(raw), nil })
		o := Options{Transport: h, Base: "http://service.example"}
		d, err := NewDepsDev(o)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewOSV(o)
		if err != nil {
			t.Fatal(err)
		}
		e := &Enricher{DepsDev: d, OSV: s}
		for _, typ := range []string{"npm", "pypi", registry.ProjectType} {
			p, _ := e.Facts(context.Background(), registry.PackageFacts{RegistryType: typ, Identifier: "a"})
			out, err := json.Marshal(p)
			if err != nil || strings.Contains(string(out), `\u0000`) {
				t.Errorf("%s %v", out, err)
			}
		}
		e.SDK(context.Background(), registry.Detection{SDKEcosystem: "npm", SDKPackage: "a", SDKVersion: "^1"})
	})
}

// silence is a transport of a service that never responds.
type silence struct{ asked int }

func (s *silence) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked++
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestSilentServices checks that services that never respond do not keep those who ask for many
// packages, or read the official registry, and are asked again later.
func TestSilentServices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(silence)
		deps, err := NewDepsDev(Options{Base: "http://deps.example", Transport: s})
		if err != nil {
			t.Fatal(err)
		}
		e, start := &Enricher{DepsDev: deps}, time.Now()
		for i := range 50 {
			_, err = e.Facts(t.Context(), registry.PackageFacts{RegistryType: "npm", Identifier: fmt.Sprint("tides", i)})
			if err == nil {
				t.Fatal("no error")
			}
		}
		if took := time.Since(start); s.asked != transport.MaxLate || took > 100*time.Second {
			t.Errorf("%d requests in %s, then %v", s.asked, took, err)
		}
		time.Sleep(transport.SilentFor)
		_, _ = e.Facts(t.Context(), registry.PackageFacts{RegistryType: "npm", Identifier: "tides"})
		if s.asked != transport.MaxLate+1 {
			t.Errorf("%d requests after a pause", s.asked)
		}

		s = new(silence)
		m, err := NewMCPRegistry(Options{Base: "http://registry.example", Transport: s})
		if err != nil {
			t.Fatal(err)
		}
		start = time.Now()
		err = m.Discover(t.Context(), nil, func([]registry.Candidate, []byte) error { return nil })
		if took := time.Since(start); err == nil || took > 100*time.Second {
			t.Errorf("%d requests in %s: %v", s.asked, took, err)
		}
	})
}
