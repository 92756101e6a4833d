package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

// discover runs a source to completion and returns its candidates and state.
func discover(t *testing.T, s *SearchSource, state []byte) ([]registry.Candidate, []byte) {
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

func TestReplaySearch(t *testing.T) {
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
		t.Fatalf("only %d results: too few for this test", counted.Count)
	}
	if len(ids) < counted.Count*995/1000 {
		t.Errorf("found %d of %d", len(ids), counted.Count)
	}
	t.Logf("found %d of %d with 2 %% of results lost per page; points %v", len(ids), counted.Count, r.stats()["points_spent"])
	var st searchState
	if err := json.Unmarshal(state, &st); err != nil || st.LastFull == nil || st.Run != nil {
		t.Errorf("state after a sweep: %s", state)
	}
	// The next run requests only new repositories.
	again, _ := discover(t, s, state)
	if len(again) > len(found)/2 {
		t.Errorf("a nightly run found %d of %d", len(again), len(found))
	}
}

func TestSearchContinues(t *testing.T) {
	var requested []string
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	gh := newFake(t, func(w http.ResponseWriter, q gqlRequest) {
		query := q.Variables["q"].(string)
		requested = append(requested, query)
		id := len(requested)
		fmt.Fprintf(w, `{"data":{"search":{"repositoryCount":1,"pageInfo":{"hasNextPage":false},"nodes":[{"__typename":"Repository","id":"R_%d","databaseId":%d,"nameWithOwner":"o/r%d","stargazerCount":3}]}}}`, id, id, id)
	})
	g := gh.github(t, func(o *Options) { o.Now = func() time.Time { return now } })
	s := NewSearchSource(g, "topic:a", "topic:b", "topic:c")
	killed := errors.New("killed")
	var state []byte
	err := s.Discover(t.Context(), nil, func(found []registry.Candidate, st []byte) error {
		if strings.HasPrefix(requested[len(requested)-1], "topic:b") {
			return killed // before the state was stored
		}
		state = st
		return nil
	})
	if !errors.Is(err, killed) {
		t.Fatalf("got %v", err)
	}
	requested = nil
	found, state := discover(t, s, state)
	if len(found) != 2 || len(requested) != 2 || !strings.HasPrefix(requested[0], "topic:b") {
		t.Errorf("queries after the kill: %q", requested)
	}
	var st searchState
	if err := json.Unmarshal(state, &st); err != nil || !st.LastFull.Equal(now) {
		t.Errorf("state %s", state)
	}
	// Within the week: repositories created or pushed since.
	now = now.Add(24 * time.Hour)
	requested = nil
	_, state = discover(t, s, state)
	if len(requested) != 6 || !strings.Contains(requested[0], "created:2026-11-19T12:00:00Z..2026-11-21T12:00:00Z") || !strings.Contains(requested[1], "pushed:>=2026-11-19") {
		t.Errorf("queries of a nightly run: %q", requested)
	}
	// After a week: everything.
	now = now.Add(7 * 24 * time.Hour)
	requested = nil
	discover(t, s, state)
	if len(requested) != 3 || !strings.Contains(requested[0], "created:2007-10-01") {
		t.Errorf("queries of the weekly sweep: %q", requested)
	}
}

func TestSearchSlices(t *testing.T) {
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
		t.Error("a minute of one star band should not be split further")
	}
}

// searchWorld handles searches, except those that bad matches.
func searchWorld(t *testing.T, bad func(query string) bool) (*Client, *[]string) {
	var requested []string
	f := newFake(t, func(w http.ResponseWriter, q gqlRequest) {
		text := q.Variables["q"].(string)
		requested = append(requested, text)
		if bad(text) {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		id := int(strings.SplitN(text, ":", 2)[1][0]) // the letter of the topic
		fmt.Fprintf(w, `{"data":{"search":{"repositoryCount":1,"pageInfo":{"hasNextPage":false},"nodes":[{"__typename":"Repository","id":"R_%d","databaseId":%d,"nameWithOwner":"o/r%d"}]}}}`, id, id, id)
	})
	return f.github(t, nil), &requested
}

func run(t *testing.T, s *SearchSource, state []byte) (map[int64]bool, []byte, error) {
	t.Helper()
	ids := map[int64]bool{}
	err := s.Discover(t.Context(), state, func(found []registry.Candidate, st []byte) error {
		for _, c := range found {
			ids[c.HostID] = true
		}
		state = st
		return nil
	})
	return ids, state, err
}

func TestSearchQueryFails(t *testing.T) {
	broken := true
	g, requested := searchWorld(t, func(q string) bool { return broken && strings.HasPrefix(q, "topic:a") })
	s := NewSearchSource(g, "topic:a", "topic:b", "topic:c")
	ids, state, err := run(t, s, nil)
	if !ids['b'] || !ids['c'] || ids['a'] {
		t.Errorf("found %v", ids)
	}
	if err == nil || !strings.Contains(err.Error(), "topic:a") || strings.Contains(err.Error(), "topic:b") {
		t.Errorf("the error does not name the failed query: %v", err)
	}
	if n := len(*requested); n > 40 {
		t.Errorf("%d requests", n)
	}
	// The next run requests new and missing repositories.
	broken, *requested = false, nil
	ids, state, err = run(t, s, state)
	if err != nil || !ids['a'] {
		t.Errorf("found %v, %v", ids, err)
	}
	whole := false
	for _, q := range *requested {
		whole = whole || strings.HasPrefix(q, "topic:a created:2007-10-01")
		if strings.HasPrefix(q, "topic:b created:2007") && !strings.Contains(q, "pushed") {
			t.Errorf("searched again from the beginning: %s", q)
		}
	}
	if !whole {
		t.Errorf("the failed query is not repeated in full: %q", *requested)
	}
	*requested = nil
	if _, _, err = run(t, s, state); err != nil || len(*requested) != 6 {
		t.Errorf("the run after that: %q, %v", *requested, err)
	}
}

func TestSearchQueryTooLarge(t *testing.T) {
	long := func(q string) bool {
		_, after, _ := strings.Cut(q, "created:")
		from, to, _ := strings.Cut(strings.Fields(after)[0], "..")
		a, _ := time.Parse(time.RFC3339, from)
		b, _ := time.Parse(time.RFC3339, to)
		return b.Sub(a) > 12*365*24*time.Hour
	}
	g, _ := searchWorld(t, long)
	if ids, _, err := run(t, NewSearchSource(g, "topic:a", "topic:b"), nil); err != nil || !ids['a'] || !ids['b'] {
		t.Errorf("found %v, %v", ids, err)
	}
}

func TestSearchDown(t *testing.T) {
	broken := false
	g, requested := searchWorld(t, func(q string) bool { return broken })
	var queries []string
	for c := 'a'; c <= 'z'; c++ {
		queries = append(queries, "topic:"+string(c))
	}
	s := NewSearchSource(g, queries...)
	var state []byte
	stop := errors.New("killed")
	err := s.Discover(t.Context(), nil, func(_ []registry.Candidate, st []byte) error { state = st; return stop })
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
	broken, *requested = true, nil
	_, state, err = run(t, s, state)
	if err == nil || len(*requested) > 30 {
		t.Errorf("%d requests of a host that is down, %v", len(*requested), err)
	}
	broken, *requested = false, nil
	ids, _, err := run(t, s, state)
	if err != nil || len(ids) != 25 || len(*requested) != 25 {
		t.Errorf("found %d with %d requests, %v", len(ids), len(*requested), err)
	}
}

// silent is a transport of a host that never responds.
type silent struct{ asked int }

func (s *silent) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked++
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestSearchOfSilentHost checks that a host that never responds ends the run, not each search.
func TestSearchOfSilentHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(silent)
		g, err := New(Options{BaseURL: "https://api.github.com/", Token: "x", Base: s})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, _, err = run(t, NewSearchSource(g, "topic:a", "topic:b", "topic:c"), nil)
		if took := time.Since(start); !errors.Is(err, transport.ErrSilent) || s.asked != transport.MaxLate ||
			took > 70*time.Second {
			t.Errorf("%d requests in %s: %v", s.asked, took, err)
		}
	})
}
