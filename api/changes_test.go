package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

// changeLog is a store with one row per server.
type changeLog struct {
	rows  map[string]registry.Change
	last  int64
	reads int
	err   error
}

func (l *changeLog) ChangesBetween(_ context.Context, after, until int64, limit int) ([]registry.Change, error) {
	l.reads++
	var out []registry.Change
	for _, r := range l.rows {
		if r.Seq > after && r.Seq <= until {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b registry.Change) int { return int(a.Seq - b.Seq) })
	return out[:min(limit, len(out))], l.err
}

func (l *changeLog) LastSeq(context.Context) (int64, error) { return l.last, l.err }

// write stores a server, or removes it, as the change with the next number.
func (l *changeLog) write(t *testing.T, c *catalog.Catalog, slug string, deleted bool) {
	t.Helper()
	l.last++
	change := registry.Change{Seq: l.last, Slug: slug, Deleted: deleted, At: epoch}
	l.rows[slug] = change
	var servers []registry.Server
	var removed []registry.Change
	if deleted {
		removed = append(removed, change)
	} else {
		servers = append(servers, registry.Server{Seq: l.last, Slug: slug,
			Name: fmt.Sprint(slug, " at ", l.last), Category: "data", Status: registry.StatusActive})
	}
	if err := c.Apply(servers, removed, l.last); err != nil {
		t.Fatal(err)
	}
}

type changesPage struct {
	Changes []struct {
		ID, Name, Status string
		ChangedAt        *time.Time
	}
	Next    int64
	HasMore bool
}

// newFeed returns a log with a catalog that reads it.
func newFeed(t *testing.T) (*changeLog, *tester) {
	log := &changeLog{rows: map[string]registry.Change{}}
	c := catalog.New()
	c.SetReady()
	return log, start(t, 0, func(o *Options) { o.Catalog, o.Changes = c, log })
}

// TestChangesMirror reads the feed while servers change, and compares the mirror with the
// registry at the end.
func TestChangesMirror(t *testing.T) {
	log, a := newFeed(t)
	random := rand.New(rand.NewPCG(1, 2))
	churn := func(n int) {
		for range n {
			log.write(t, a.catalog, fmt.Sprintf("octo-%d", random.IntN(60)), random.IntN(5) == 0)
		}
	}
	churn(200)
	mirror, after := map[string]string{}, int64(0)
	read := func() (more bool) {
		var p changesPage
		status, b := a.get(fmt.Sprintf("/api/changes?limit=7&after=%d", after))
		if err := json.Unmarshal(b, &p); err != nil || status != 200 {
			t.Fatalf("%d %s %v", status, b, err)
		}
		for _, c := range p.Changes {
			if c.Status == registry.StatusDeleted {
				delete(mirror, c.ID)
			} else {
				mirror[c.ID] = c.Name
			}
		}
		if p.Next < after || p.HasMore && p.Next == after {
			t.Fatalf("next is %d after %d", p.Next, after)
		}
		after = p.Next
		return p.HasMore
	}
	for range 30 {
		read()
		churn(random.IntN(4))
	}
	for read() {
	}
	want := map[string]string{}
	for s := range a.catalog.Servers() {
		want[s.Slug] = s.Name
	}
	if d := cmp.Diff(want, mirror); d != "" {
		t.Error(d)
	}
	if after != log.last {
		t.Errorf("the mirror ends at %d, the log at %d", after, log.last)
	}
}

func TestChanges(t *testing.T) {
	log, a := newFeed(t)
	for _, slug := range []string{"octo-a", "octo-b", "octo-c"} {
		log.write(t, a.catalog, slug, false)
	}
	log.write(t, a.catalog, "octo-b", true)
	for name, tc := range map[string]struct {
		query  string
		status int
		want   string // part of the body
	}{
		"first page":  {"limit=1", 200, `"next":1,"hasMore":true`},
		"tombstone":   {"after=3", 200, `[{"id":"octo-b","status":"deleted","changedAt":"2026-11-02T12:00:00Z"}],"next":4,"hasMore":false`},
		"end":         {"after=4", 200, `{"changes":[],"next":4,"hasMore":false}`},
		"beyond":      {"after=5", 400, "read everything again with after=0"},
		"negative":    {"after=-1", 400, `"field":"after"`},
		"huge":        {"after=99999999999999999999999999", 400, `"field":"after"`},
		"text":        {"after=now", 400, `"field":"after"`},
		"nul":         {"after=%00", 400, `"field":"after"`},
		"limit":       {"limit=51", 400, `"field":"limit"`},
		"twice":       {"after=1&after=2", 400, `"field":"after"`},
		"misplaced":   {"offset=3", 400, `"field":"offset"`},
		"broken":      {"after=%zz", 400, `query`},
		"largest int": {"after=9223372036854775806", 400, `"field":"after"`},
	} {
		t.Run(name, func(t *testing.T) {
			status, b := a.get("/api/changes?" + tc.query)
			if status != tc.status || !strings.Contains(string(b), tc.want) {
				t.Errorf("%d %s\nwant %d with %s", status, b, tc.status, tc.want)
			}
		})
	}
	log.last = 9 // this process is behind
	if status, b := a.get("/api/changes?after=7"); status != 200 ||
		!strings.Contains(string(b), `{"changes":[],"next":7,"hasMore":false}`) {
		t.Errorf("of a process that is ahead: %d %s", status, b)
	}
	log.reads, log.err = 0, errors.New("away")
	if status, _ := a.get("/api/changes?after=4"); status != 200 || log.reads != 0 {
		t.Errorf("without changes the store was read: %d", status)
	}
	if status, _ := a.get("/api/changes"); status != 503 {
		t.Errorf("without the store: %d", status)
	}
	log.err = nil
	tag := a.do("GET", "/api/changes").Header.Get("Etag")
	if res := a.do("GET", "/api/changes", "If-None-Match", tag); res.StatusCode != 304 {
		t.Errorf("with the tag %s: %d", tag, res.StatusCode)
	}
}
