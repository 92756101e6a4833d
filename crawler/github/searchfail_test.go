package github

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcpcensus/crawler"
	"mcpcensus/internal/registry"
)

// searchWorld answers searches, except those that bad says.
func searchWorld(t *testing.T, bad func(query string) bool) (*Client, *[]string) {
	var asked []string
	f := newFake(t, func(w http.ResponseWriter, q gqlRequest) {
		text := q.Variables["q"].(string)
		asked = append(asked, text)
		if bad(text) {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		id := int(strings.SplitN(text, ":", 2)[1][0]) // the letter of the topic
		fmt.Fprintf(w, `{"data":{"search":{"repositoryCount":1,"pageInfo":{"hasNextPage":false},"nodes":[{"__typename":"Repository","id":"R_%d","databaseId":%d,"nameWithOwner":"o/r%d"}]}}}`, id, id, id)
	})
	return f.github(t, nil), &asked
}

func run(t *testing.T, s crawler.Source, state []byte) (map[int64]bool, []byte, error) {
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

func TestASearchThatAlwaysFailsDoesNotStopTheOthers(t *testing.T) {
	broken := true
	g, asked := searchWorld(t, func(q string) bool { return broken && strings.HasPrefix(q, "topic:a") })
	s := NewSearchSource(g, "topic:a", "topic:b", "topic:c")
	ids, state, err := run(t, s, nil)
	if !ids['b'] || !ids['c'] || ids['a'] {
		t.Errorf("found %v", ids)
	}
	if err == nil || !strings.Contains(err.Error(), "topic:a") || strings.Contains(err.Error(), "topic:b") {
		t.Errorf("it is not said what failed: %v", err)
	}
	if n := len(*asked); n > 40 {
		t.Errorf("%d requests", n)
	}
	// The next run asks for what is new, and for what is missing.
	broken, *asked = false, nil
	ids, state, err = run(t, s, state)
	if err != nil || !ids['a'] {
		t.Errorf("found %v, %v", ids, err)
	}
	whole := false
	for _, q := range *asked {
		whole = whole || strings.HasPrefix(q, "topic:a created:2007-10-01")
		if strings.HasPrefix(q, "topic:b created:2007") && !strings.Contains(q, "pushed") {
			t.Errorf("searched again from the beginning: %s", q)
		}
	}
	if !whole {
		t.Errorf("what failed is not searched whole: %q", *asked)
	}
	*asked = nil
	if _, _, err = run(t, s, state); err != nil || len(*asked) != 6 {
		t.Errorf("the run after that: %q, %v", *asked, err)
	}
}

func TestASearchThatIsTooMuchIsCut(t *testing.T) {
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

func TestASearchThatFailsAltogetherKeepsItsPlace(t *testing.T) {
	broken := false
	g, asked := searchWorld(t, func(q string) bool { return broken })
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
	broken, *asked = true, nil
	_, state, err = run(t, s, state)
	if err == nil || len(*asked) > 30 {
		t.Errorf("%d requests of a host that is down, %v", len(*asked), err)
	}
	broken, *asked = false, nil
	ids, _, err := run(t, s, state)
	if err != nil || len(ids) != 25 || len(*asked) != 25 {
		t.Errorf("found %d with %d requests, %v", len(ids), len(*asked), err)
	}
}
