package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpcensus/crawler/github/fakegithub"
)

// TestSDKs runs the test.sh of each SDK with a demo and a fault proxy before it, that of the
// commands for users, and those of clients that public generators make of the demo's OpenAPI
// document.
// "make sdk-test" sets CENSUS_SDK_TEST to the SDKs to test, separated by spaces, or
// to all.
func TestSDKs(t *testing.T) {
	only := os.Getenv("CENSUS_SDK_TEST")
	if only == "" {
		t.Skip("SKIPPED: the live tests of the SDKs, which make sdk-test runs")
	}
	scripts, err := filepath.Glob("../../sdk/*/test.sh")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no SDK has a test.sh", err)
	}
	generated, err := filepath.Glob("testdata/generated-*/test.sh")
	if err != nil || len(generated) == 0 {
		t.Fatal("no generator has a test.sh", err)
	}
	scripts = append(append(scripts, generated...), "../../internal/cli/test.sh")
	d := startDemo(t)
	d.installCensus()
	key, few := d.makeKey("ada@example.com"), d.makeKey("few@example.com")
	d.shell("bin/census plan set ada@example.com enterprise --demo")
	proxy := httptest.NewServer(newFaults("http://" + d.address))
	t.Cleanup(proxy.Close) // the parallel tests begin when this function returns
	environ := append(os.Environ(), "CENSUS_SDK_TEST_URL=http://"+d.address,
		"CENSUS_SDK_TEST_KEY="+key, "CENSUS_SDK_TEST_FREE_KEY="+few,
		"CENSUS_SDK_TEST_PROXY="+proxy.URL, "NO_PROXY=127.0.0.1,localhost")
	for _, s := range scripts {
		name := filepath.Base(filepath.Dir(s))
		if only != "all" && !strings.Contains(" "+only+" ", " "+name+" ") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			slow := newSlowEnvironment(t)
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "bash", "./test.sh")
			cmd.Dir = filepath.Dir(s)
			cmd.Env = append(slices.Clone(environ), "CENSUS_SDK_TEST_SLOW_URL="+slow.url)
			out, err := cmd.CombinedOutput()
			t.Logf("%s", out)
			if err != nil {
				t.Error(err)
			}
			if strings.Contains(string(out), key) {
				t.Error("the output has the key")
			}
		})
	}
}

// newSlowEnvironment serves the API with a code host that responds about sdk/slow later than a
// request to /api/health waits, and about sdk/failing fails as late.
func newSlowEnvironment(t *testing.T) *served {
	t.Helper()
	w := newEnvironment(t)
	if err := w.world.Add("repo: sdk/slow\ncreated: 3d\nservers: 0\n"); err != nil {
		t.Fatal(err)
	}
	w.world.Fail(fakegithub.Fault{Contains: `"slow"`, Delay: 9 * time.Second, Times: 1})
	failing := fakegithub.Fault{Contains: `"failing"`, Status: http.StatusBadGateway}
	w.world.Fail(fakegithub.Fault{Contains: failing.Contains, Status: failing.Status,
		Delay: 9 * time.Second, Times: 1})
	w.world.Fail(failing)
	for _, path := range []string{"/github/repos/sdk/failing", "/git/sdk/failing"} {
		w.world.Fail(fakegithub.Fault{Path: path, Status: http.StatusBadGateway})
	}
	return w.serve("api")
}

// faults passes requests on to a registry, and misbehaves for those with the header
// X-Fault: the first X-Fault-Times (1 if absent) requests with the same X-Fault-Id.
type faults struct {
	next http.Handler
	mu   sync.Mutex
	seen map[string]int
}

func newFaults(registry string) *faults {
	u, err := url.Parse(registry)
	if err != nil {
		panic(err)
	}
	return &faults{next: httputil.NewSingleHostReverseProxy(u), seen: map[string]int{}}
}

// due reports whether the request is one of those that fail.
func (f *faults) due(r *http.Request) bool {
	times := 1
	if n, err := strconv.Atoi(r.Header.Get("X-Fault-Times")); err == nil {
		times = n
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	id := r.Header.Get("X-Fault-Id")
	f.seen[id]++
	return f.seen[id] <= times
}

func (f *faults) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fault := r.Header.Get("X-Fault")
	if fault == "" || !f.due(r) {
		f.next.ServeHTTP(w, r)
		return
	}
	if status, err := strconv.Atoi(fault); err == nil {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"type":"about:blank","title":"Fault","status":%d,"detail":"A fault of the test.",`+
			`"code":"fault","error":"Fault","requestId":"FAULT"}`, status)
		return
	}
	switch fault {
	case "reset":
		panic(http.ErrAbortHandler)
	case "slow": // the head comes after 3 s
		select {
		case <-time.After(3 * time.Second):
			f.next.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	case "retry-after-seconds":
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
	case "retry-after-date":
		w.Header().Set("Retry-After", time.Now().Add(2*time.Second).UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusServiceUnavailable)
	case "retry-after-long":
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
	case "short-body": // fewer bytes than Content-Length says
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, `{"servers":[`)
		if err := http.NewResponseController(w).Flush(); err != nil {
			panic(err)
		}
		panic(http.ErrAbortHandler)
	case "garbage":
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, "\x00\xff not JSON")
	default:
		http.Error(w, "unknown fault "+fault, http.StatusNotImplemented)
	}
}

func TestFaults(t *testing.T) {
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "the registry")
	}))
	defer behind.Close()
	proxy := httptest.NewServer(newFaults(behind.URL))
	defer proxy.Close()
	ask := func(fault string) (status int, err error) {
		r, err := http.NewRequestWithContext(t.Context(), "GET", proxy.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Fault", fault)
		r.Header.Set("X-Fault-Id", fault)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, err
		}
		return res.StatusCode, res.Body.Close()
	}
	for fault, want := range map[string]int{"500": 500, "429": 429, "retry-after-seconds": 503,
		"retry-after-date": 503, "retry-after-long": 429, "garbage": 200, "reset": 0, "teapot": 501} {
		if got, err := ask(fault); got != want || (err != nil) != (want == 0) {
			t.Errorf("%s: %d, %v", fault, got, err)
		}
		if got, err := ask(fault); got != 200 || err != nil {
			t.Errorf("%s: the second request: %d, %v", fault, got, err)
		}
	}
}
