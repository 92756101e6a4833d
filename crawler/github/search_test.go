package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mcpcensus/crawler"
	"mcpcensus/internal/registry"
)

// discover runs a source to its end and returns what it named and its state.
func discover(t *testing.T, s crawler.Source, state []byte) ([]registry.Candidate, []byte) {
	t.Helper()
	var all []registry.Candidate
	err := s.Discover(t.Context(), state, func(found []registry.Candidate, st []byte) error {
		all, state = append(all, found...), st
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, state
}

func TestReplaySearchFindsEveryRepositoryOfATopic(t *testing.T) {
	r := startReplay(t, "--multiply", "40")
	r.post("settings", map[string]any{"search_drop": 0.02})
	g := r.github(t, nil)
	s := NewSearchSource(g, "topic:mcp")
	found, state := discover(t, s, nil)
	var counted struct {
		Count int `json:"total_count"`
	}
	resp, err := http.Get(r.url + "/github/search/repositories?q=topic:mcp&per_page=1")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&counted); err != nil {
		t.Fatal(err)
	}
	ids := map[int64]bool{}
	for _, c := range found {
		ids[c.HostID] = true
	}
	if counted.Count < 1000 {
		t.Fatalf("the world has %d results only: the test shows nothing", counted.Count)
	}
	if len(ids) < counted.Count*995/1000 {
		t.Errorf("found %d of %d", len(ids), counted.Count)
	}
	t.Logf("found %d of %d with 2 %% of results lost per page; points %v", len(ids), counted.Count, r.stats()["points_spent"])
	var st searchState
	if err := json.Unmarshal(state, &st); err != nil || st.LastFull == nil || st.Run != nil {
		t.Errorf("state after a sweep: %s", state)
	}
	// The next run asks for what is new only.
	again, _ := discover(t, s, state)
	if len(again) > len(found)/2 {
		t.Errorf("a nightly run named %d of %d", len(again), len(found))
	}
}

func TestSearchGoesOnWhereItWasKilled(t *testing.T) {
	var asked []string
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	gh := newFake(t, func(w http.ResponseWriter, q gqlRequest) {
		query := q.Variables["q"].(string)
		asked = append(asked, query)
		id := len(asked)
		fmt.Fprintf(w, `{"data":{"search":{"repositoryCount":1,"pageInfo":{"hasNextPage":false},"nodes":[{"__typename":"Repository","id":"R_%d","databaseId":%d,"nameWithOwner":"o/r%d","stargazerCount":3}]}}}`, id, id, id)
	})
	g := gh.github(t, func(o *Options) { o.Now = func() time.Time { return now } })
	s := NewSearchSource(g, "topic:a", "topic:b", "topic:c")
	killed := errors.New("killed")
	var state []byte
	err := s.Discover(t.Context(), nil, func(found []registry.Candidate, st []byte) error {
		if strings.HasPrefix(asked[len(asked)-1], "topic:b") {
			return killed // before it was stored
		}
		state = st
		return nil
	})
	if !errors.Is(err, killed) {
		t.Fatalf("got %v", err)
	}
	asked = nil
	found, state := discover(t, s, state)
	if len(found) != 2 || len(asked) != 2 || !strings.HasPrefix(asked[0], "topic:b") {
		t.Errorf("after the kill it asked %q", asked)
	}
	var st searchState
	if err := json.Unmarshal(state, &st); err != nil || !st.LastFull.Equal(now) {
		t.Errorf("state %s", state)
	}
	// Within the week: what was created and what was pushed since.
	now = now.Add(24 * time.Hour)
	asked = nil
	_, state = discover(t, s, state)
	if len(asked) != 6 || !strings.Contains(asked[0], "created:2026-11-19T12:00:00Z..2026-11-21T12:00:00Z") || !strings.Contains(asked[1], "pushed:>=2026-11-19") {
		t.Errorf("a nightly run asked %q", asked)
	}
	// After a week: everything.
	now = now.Add(7 * 24 * time.Hour)
	asked = nil
	discover(t, s, state)
	if len(asked) != 3 || !strings.Contains(asked[0], "created:2007-10-01") {
		t.Errorf("the weekly sweep asked %q", asked)
	}
}

func TestSearchSlicesCoverEverySecondOnce(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 34, 56, 0, time.UTC)
	var leaves int
	var walk func(s searchSlice, depth int) (from, to time.Time)
	walk = func(s searchSlice, depth int) (time.Time, time.Time) {
		if s.To.Before(s.From) {
			t.Fatalf("empty slice %s", s)
		}
		if depth == 0 {
			leaves++
			return s.From, s.To
		}
		parts := s.split()
		if len(parts) != 2 { // by stars: the times stay
			leaves++
			return s.From, s.To
		}
		f1, t1 := walk(parts[0], depth-1)
		f2, t2 := walk(parts[1], depth-1)
		if f2.Sub(t1) != time.Second {
			t.Fatalf("%s splits with a gap or an overlap: %s, %s", s, t1, f2)
		}
		return f1, t2
	}
	from, to := walk(searchSlice{Query: "q", From: epoch, To: now}, 16)
	if !from.Equal(epoch) || !to.Equal(now) || leaves < 1000 {
		t.Errorf("%s to %s in %d leaves", from, to, leaves)
	}
	minute := searchSlice{From: now, To: now.Add(time.Minute), Stars: "stars:0"}
	if minute.split() != nil {
		t.Error("a minute of one star band should not be split for ever")
	}
}

func TestSearchWithoutATokenWaitsForItsMinute(t *testing.T) {
	calls := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		h := w.Header()
		h.Set("X-RateLimit-Limit", "10")
		h.Set("X-RateLimit-Remaining", fmt.Sprint(max(0, 2-calls)))
		h.Set("X-RateLimit-Reset", fmt.Sprint(time.Now().Unix()+30))
		h.Set("X-RateLimit-Resource", "search")
		if got := r.URL.Query().Get("q"); !strings.HasPrefix(got, "topic:") || strings.Contains(got, "+") {
			t.Errorf("query %q", got)
		}
		fmt.Fprintf(w, `{"total_count":1,"incomplete_results":false,"items":[{"id":%d,"full_name":"o/r%d","stargazers_count":1}]}`, calls, calls)
	}))
	defer srv.Close()
	now := time.Now()
	slept := time.Duration(0)
	g, err := New(Options{BaseURL: srv.URL, Now: func() time.Time { return now.Add(slept) },
		Sleep: func(_ context.Context, d time.Duration) error { slept += d; return nil }})
	if err != nil {
		t.Fatal(err)
	}
	found, _ := discover(t, NewSearchSource(g, "topic:a", "topic:b", "topic:c"), nil)
	if len(found) != 3 || slept < 20*time.Second || slept > 65*time.Second {
		t.Errorf("found %d, waited %s", len(found), slept)
	}
}
