package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/config"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
)

// GitHub's responses to the crawl also apply to the checks that share its token, in this
// process and in others.
func TestChecksShareRateLimits(t *testing.T) {
	var asked atomic.Int32
	github := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Retry-After", "300")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"message":"You have exceeded a secondary rate limit."}`)
	}))
	defer github.Close()
	db := pgtest.New(t)
	open := func(checkToken string) *upstreams { return upstreamsOf(t, github.URL, checkToken) }
	ref := registry.RepoRef{Host: registry.GitHub, Owner: "rail", Name: "trains-mcp"}
	var limit *transport.LimitError
	here, elsewhere, own := open(""), open(""), open("ghp_two")
	if v := here.crawl[registry.GitHub].Resolve(t.Context(), ref, nil); !errors.As(v.Err, &limit) {
		t.Fatalf("got %s, %v", v.Outcome, v.Err)
	}
	before := asked.Load()
	if v := here.checks[registry.GitHub].Resolve(t.Context(), ref, nil); !errors.As(v.Err, &limit) ||
		asked.Load() != before {
		t.Errorf("a check: %v, after %d requests more", v.Err, asked.Load()-before)
	}
	for _, up := range []*upstreams{here, elsewhere, own} {
		if err := up.shareBudgets(t.Context(), db); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := elsewhere.checks[registry.GitHub].Backoff(true); !errors.As(err, &limit) {
		t.Errorf("in another process: %v", err)
	}
	if _, err := own.checks[registry.GitHub].Backoff(true); err != nil {
		t.Errorf("checks with a token of their own: %v", err)
	}
	if _, err := own.crawl[registry.GitHub].Backoff(true); !errors.As(err, &limit) {
		t.Errorf("the crawl of another process: %v", err)
	}
	seen := map[string]int{}
	for _, b := range here.budgets() {
		seen[b.Credential+" "+b.Resource]++
	}
	for key, n := range seen {
		if n > 1 {
			t.Errorf("%s is counted %d times", key, n)
		}
	}
}

// upstreamsOf returns the clients of upstreams that are all at one address.
func upstreamsOf(t *testing.T, address, checkToken string) *upstreams {
	t.Helper()
	c := config.Config{GitHubURL: address, GitHubToken: "ghp_one", CheckToken: checkToken}
	for _, a := range []*string{&c.RegistryURL, &c.DepsDevURL, &c.OSVURL, &c.NPMURL,
		&c.PyPIStatsURL, &c.ImagesURL} {
		*a = address
	}
	up, err := newUpstreams(c, slog.New(slog.DiscardHandler), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return up
}

// A registry that is away is known to be after one request, not only when it is given up.
func TestRegistryAway(t *testing.T) {
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer registry.Close()
	up := upstreamsOf(t, registry.URL, "")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	given := make(chan error)
	go func() { given <- up.registry.Discover(ctx, nil, nil) }()
	within(t, 10*time.Second, "known", func() bool {
		all := up.budgets()
		return len(all) == 1 && all[0].Problem == "away: status 502"
	})
	cancel()
	if err := <-given; !errors.Is(err, context.Canceled) {
		t.Errorf("given up already: %v", err)
	}
}
