package browser

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
	"mcpcensus/web"
	"mcpcensus/web/webtest/sitetest"
)

// notice is what the operator says on the pages about trouble.
const notice = "The registry moves house on Sunday: expect a quarter of an hour without it."

// A flakyChecker fails as the name of the repository says; "slow" has its
// report when done is set.
type flakyChecker struct {
	asked, done atomic.Bool
}

func (m *flakyChecker) Follow(_ context.Context, ref registry.RepoRef,
	begin func() error) (registry.CheckResult, error) {
	switch ref.Name {
	case "limited":
		return registry.CheckResult{}, &registry.Error{Kind: registry.ErrLimited, RetryAfter: 40 * time.Minute, Msg: "Too many checks from your address. Please come back later."}
	case "away":
		return registry.CheckResult{}, &registry.Error{Kind: registry.ErrUnavailable, RetryAfter: time.Minute, Msg: "The code host does not answer. Please try again in a minute."}
	case "broken":
		return registry.CheckResult{}, errors.New("this is for the log alone")
	}
	r := registry.CheckResult{Ref: ref, Status: registry.CheckPending, RetryAfter: time.Second, Progress: new(registry.CheckProgress)}
	if m.asked.Swap(true) {
		r.Progress.Repo = &registry.Repository{Owner: ref.Owner, Name: ref.Name}
	}
	if m.done.Load() {
		r.Status, r.At, r.Reason = registry.CheckDone, time.Now(), "It has no dependency on an SDK and no server manifest."
	}
	return r, nil
}

func (m *flakyChecker) Recheck(ctx context.Context, ref registry.RepoRef,
	begin func() error) (registry.CheckResult, error) {
	return m.Follow(ctx, ref, begin)
}

// troubled returns the addresses of a registry where much goes wrong, and of
// one that still reads its data.
func troubled(t *testing.T, checker *flakyChecker) (wrong, starting string) {
	t.Helper()
	site := func(ready bool) string {
		cat := catalog.New()
		if ready {
			cat.SetReady()
		}
		o := sitetest.Options()
		o.Site.Catalog, o.Site.Notice, o.Pages.Checker = cat, notice, checker
		s, err := web.New(o)
		if err != nil {
			t.Fatal(err)
		}
		engine := httpd.NewEngine(httpd.Config{Missing: s.Missing})
		s.Register(engine)
		server := httptest.NewServer(engine)
		t.Cleanup(server.Close)
		return server.URL
	}
	return site(true), site(false)
}

// The pages of errors that the demo does not have, with a notice above them.
func TestPageOfTrouble(t *testing.T) {
	_, b := started(t)
	wrong, starting := troubled(t, new(flakyChecker))
	for _, x := range []struct {
		pageCase
		site, says string
	}{
		{pageCase{"too many requests", "/check?url=a/limited", http.StatusTooManyRequests, false},
			wrong, "Too many checks from your address"},
		{pageCase{"a fault of ours", "/check?url=a/broken", http.StatusInternalServerError, false},
			wrong, "Please try again"},
		{pageCase{"not available", "/check?url=a/away", http.StatusServiceUnavailable, false},
			wrong, "The code host does not answer"},
		{pageCase{"not ready", "/", http.StatusServiceUnavailable, false}, starting, "Starting up"},
		{pageCase{"nothing at the address", "/nothing", http.StatusNotFound, false}, wrong, "There is nothing at this URL"},
		{pageCase{"a page with a notice", "/about", http.StatusOK, false}, wrong, ""},
	} {
		t.Run(strings.ReplaceAll(x.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			at := *b
			at.site = x.site
			for _, fault := range x.faults(t, &at) {
				t.Errorf("%s: %s", x.path, fault)
			}
			w := at.open(t)
			w.visit(x.path)
			var text, above string
			w.run(`document.querySelector("main").innerText`, &text)
			w.run(`document.querySelector("body > [role=status]").innerText`, &above)
			if !strings.Contains(text, x.says) || strings.Contains(text, "for the log alone") {
				t.Errorf("it says %q", text)
			}
			if above != notice {
				t.Errorf("the notice is %q", above)
			}
		})
	}
}

func TestJourneyWaitForAReport(t *testing.T) {
	s, b := started(t)
	for _, script := range []bool{true, false} {
		at, checker := *b, new(flakyChecker)
		at.site, _ = troubled(t, checker)
		name := "wait"
		if !script {
			name = "wait-without-script"
		}
		j := &scenario{tab: at.open(t), name: name, site: s}
		if !script {
			j.withoutScript()
		}
		if status := j.visit("/check?url=a/slow"); status != http.StatusAccepted {
			t.Errorf("it begins with %d", status)
		}
		j.see("Checking the repository")
		j.did("waiting")
		if script {
			j.run(`document.getElementById("url").focus()`, nil)
			j.see("Find the repository a/slow") // the report grows
		}
		checker.done.Store(true)
		j.see("No MCP server was found here.")
		j.did("the report")
		if script {
			var within bool
			if j.run(`!!document.activeElement.closest("main")`, &within); !within {
				t.Error("the keyboard begins at the top again when the report is there")
			}
		}
	}
}
