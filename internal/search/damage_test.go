package search

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

func find(t *testing.T, idx Index, text string) query.Results {
	t.Helper()
	res, err := idx.Search(t.Context(), query.Query{Text: text, Limit: 5})
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return res
}

func TestADamagedIndexIsBuiltAnew(t *testing.T) {
	feed := &memoryFeed{servers: corpus(20)}
	damages := map[string]func(path string, size int64) error{
		"emptied": func(path string, _ int64) error { return os.Truncate(path, 0) },
		"cut":     func(path string, size int64) error { return os.Truncate(path, size/2) },
		"removed": func(path string, _ int64) error { return os.Remove(path) },
		"overwritten": func(path string, size int64) error {
			return os.WriteFile(path, []byte(strings.Repeat("\xa5", int(size))), 0o600)
		},
	}
	for damage, do := range damages {
		for _, file := range []string{"*.zap", "root.bolt", "index_meta.json", "current"} {
			if racing && damage != "overwritten" {
				continue
			}
			t.Run(damage+" "+file, func(t *testing.T) {
				dir := t.TempDir()
				b, err := OpenBleve(dir, quiet)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := CatchUp(t.Context(), feed, b); err != nil {
					t.Fatal(err)
				}
				if err := b.Close(); err != nil {
					t.Fatal(err)
				}
				hit := 0
				err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
					if ok, _ := filepath.Match(file, filepath.Base(path)); err != nil || !ok || d.IsDir() {
						return err
					}
					info, err := d.Info()
					if err != nil {
						return err
					}
					hit++
					return do(path, info.Size())
				})
				if err != nil || hit == 0 {
					t.Fatalf("%d files damaged, %v", hit, err)
				}
				b, err = OpenBleve(dir, quiet)
				if err != nil {
					t.Fatalf("a damaged index stops the program: %v", err)
				}
				defer b.Close()
				if _, err := CatchUp(t.Context(), feed, b); err != nil {
					t.Fatal(err)
				}
				if st, err := b.Stats(t.Context()); err != nil || st.Servers != 20 {
					t.Fatalf("%+v, %v", st, err)
				}
				if res := find(t, b, "database"); res.Total == 0 {
					t.Error("nothing is found")
				}
			})
		}
	}
}

// An index of another layout counts as empty, is rebuilt and then removed.
func TestFormerLayout(t *testing.T) {
	feed := &memoryFeed{servers: corpus(20), name: "database"}
	check := func(t *testing.T, idx Index) {
		t.Helper()
		if p := at(t, idx); p.Seq != 0 || p.Source != "" {
			t.Errorf("%+v, want an index that has seen nothing", p)
		}
		if _, err := idx.Search(t.Context(), query.Query{Text: "database", Limit: 5}); !errors.Is(err, ErrNotBuilt) {
			t.Errorf("error of a search: %v", err)
		}
		if n, err := CatchUp(t.Context(), feed, idx); n != 20 || err != nil {
			t.Fatalf("%d changes, %v", n, err)
		}
		checkQuery(t, idx, feed.servers, query.Query{Limit: 100, Facets: true})
		if res := find(t, idx, "former"); res.Total != 0 {
			t.Errorf("%v: found in the former index", res.Slugs)
		}
	}
	t.Run("bleve", func(t *testing.T) {
		dir := t.TempDir()
		former := filepath.Join(dir, "0", "73821c501f92-1")
		writeFormer(t, former)
		if err := os.WriteFile(filepath.Join(dir, "0", "current"), []byte("73821c501f92-1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := OpenBleve(dir, quiet)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		check(t, b)
		if _, err := os.Stat(former); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the former index is still there: %v", err)
		}
	})
	t.Run("meilisearch", func(t *testing.T) {
		m := testMeili(t)
		layout := m.layout
		m.layout = "former"
		err := m.Put(t.Context(), []registry.Server{{ID: 1, Slug: "former", Name: "former"}}, nil, Point{Source: "database"}, 20)
		if err != nil {
			t.Fatal(err)
		}
		m.layout = layout
		check(t, m)
	})
}

// writeFormer writes an index of the same feed with a mapping of another
// version, which has seen all changes.
func writeFormer(t *testing.T, path string) {
	t.Helper()
	idx, err := bleve.New(path, bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	batch := idx.NewBatch()
	err = batch.Index("former", map[string]any{"name": "former", "n": []string{"former"}})
	for key, value := range map[string]string{"seq": "20", "source": "database", "build": "former"} {
		batch.SetInternal([]byte(key), []byte(value))
	}
	if err = errors.Join(err, idx.Batch(batch), idx.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestTwoProcessesShareAFolder runs this test's program a second time.
func TestTwoProcessesShareAFolder(t *testing.T) {
	feed := &memoryFeed{servers: corpus(20)}
	if dir := os.Getenv("CENSUS_TEST_SECOND_PROCESS"); dir != "" {
		b, err := OpenBleve(dir, quiet)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		n, err := CatchUp(t.Context(), feed, b)
		fmt.Printf("second process: %d changes in %s, %v; %d found\n", n, filepath.Base(b.dir), err, find(t, b, "database").Total)
		return
	}
	dir := t.TempDir()
	b, err := OpenBleve(dir, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := CatchUp(t.Context(), feed, b); err != nil {
		t.Fatal(err)
	}
	want := find(t, b, "database").Total
	other := func() string {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestTwoProcessesShareAFolder$", "-test.v")
		cmd.Env = append(os.Environ(), "CENSUS_TEST_SECOND_PROCESS="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	if out := other(); !strings.Contains(out, fmt.Sprintf("20 changes in 1, <nil>; %d found", want)) {
		t.Errorf("beside another process: %s", out)
	}
	if got := find(t, b, "database").Total; got != want {
		t.Errorf("the first process finds %d, then %d", want, got)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if out := other(); !strings.Contains(out, fmt.Sprintf("0 changes in 0, <nil>; %d found", want)) {
		t.Errorf("after another process: %s", out)
	}
}

func TestMeilisearchIsNotAskedForCompressedAnswers(t *testing.T) {
	asked := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Header.Get("Accept-Encoding")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	m := openMeili(t, server.URL, "k", "servers", "")
	if _, err := m.Search(t.Context(), query.Query{Text: "database", Limit: 5}); err == nil {
		t.Fatal("a refusal is not an error")
	}
	if got := <-asked; got != "" {
		t.Errorf("Accept-Encoding: %q: its pieces would wait for acknowledgements", got)
	}
}

func TestAFailedTaskOfMeilisearchIsAnError(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasPrefix(r.URL.Path, "/tasks/"):
			fmt.Fprint(w, `{"uid":7,"taskUid":7,"indexUid":"servers","status":"failed","type":"documentAdditionOrUpdate",
				"error":{"message":"no space left","code":"no_space_left_on_device","type":"system"}}`)
		case r.Method == http.MethodGet:
			fmt.Fprint(w, `{"uid":"servers","primaryKey":"id","createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"}`)
		default:
			w.WriteHeader(http.StatusAccepted)
			fmt.Fprint(w, `{"taskUid":7,"indexUid":"servers","status":"enqueued","type":"documentAdditionOrUpdate","enqueuedAt":"2026-01-01T00:00:00Z"}`)
		}
	}))
	defer server.Close()
	m := openMeili(t, server.URL, "k", "servers", "")
	err := m.Put(t.Context(), corpus(10), nil, Point{}, 3)
	if !errors.Is(err, registry.ErrUnavailable) || !strings.Contains(fmt.Sprint(err), "no space left") {
		t.Errorf("%v: a task that failed should be an error", err)
	}
	if err := m.Rebuild(t.Context(), &memoryFeed{servers: corpus(10)}); !errors.Is(err, registry.ErrUnavailable) {
		t.Errorf("%v: a rebuild whose tasks failed should be an error", err)
	}
}

// TestMeilisearchKilledAndStartedAgain needs the program itself.
func TestMeilisearchKilledAndStartedAgain(t *testing.T) {
	url, start, stop := meiliProgram(t)
	start()

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	feed := &memoryFeed{servers: corpus(80)}
	m := openMeili(t, url, meiliProgramKey, "servers", "")
	f := &Fallback{Index: m, Servers: func() iter.Seq[*registry.Server] { return all(feed.servers) }, Log: quiet, Retry: 200 * time.Millisecond}
	followed := make(chan error, 1)
	fctx, unfollow := context.WithCancel(ctx)
	go func() { followed <- Follow(fctx, feed, m, nil, quiet) }()
	defer func() { unfollow(); <-followed }()

	until := func(what string, degraded bool) {
		t.Helper()
		for {
			res, err := f.Search(ctx, query.Query{Text: "database", Limit: 5})
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if res.Degraded == degraded && res.Total > 0 {
				return
			}
			select {
			case <-ctx.Done():
				t.Fatalf("%s: never came", what)
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	until("answers from the index", false)
	stop()
	until("answers from a scan", true)
	if since, why := f.State(); since.IsZero() || why == nil {
		t.Errorf("state %v, %v while it is down", since, why)
	}
	start()
	until("answers from the index again", false)
}

// restlessFeed changes while it is read: servers come again with another
// text, and some are removed.
type restlessFeed struct {
	memoryFeed
	changes []func(*memoryFeed)
}

func (f *restlessFeed) ServersAfter(ctx context.Context, seq int64, limit int) ([]registry.Server, []registry.Change, int64, error) {
	servers, removed, last, err := f.memoryFeed.ServersAfter(ctx, seq, 20)
	if seq > 0 && len(f.changes) > 0 {
		f.changes[0](&f.memoryFeed)
		f.changes = f.changes[1:]
	}
	return servers, removed, last, err
}

func TestARebuildSeesWhatChangesMeanwhile(t *testing.T) {
	forEachEngine(t, func(t *testing.T, idx Index) {
		change := func(i int, seq int64, description string) func(*memoryFeed) {
			return func(f *memoryFeed) { f.servers[i].Seq, f.servers[i].Description = seq, description }
		}
		feed := &restlessFeed{memoryFeed: memoryFeed{servers: corpus(100)}}
		gone, back := feed.servers[12], feed.servers[14]
		feed.changes = []func(*memoryFeed){
			change(3, 101, "onceword"), change(3, 102, "twiceword"),
			func(f *memoryFeed) { f.remove(gone.Slug) }, // 103
			func(f *memoryFeed) { f.remove(back.Slug) }, // 104
			func(f *memoryFeed) {
				back.Seq, back.Description = 105, "returnedword"
				f.servers = append(f.servers, back)
			},
		}
		if err := idx.Rebuild(t.Context(), feed); err != nil {
			t.Fatal(err)
		}
		if len(feed.changes) > 0 {
			t.Fatalf("%d changes never came", len(feed.changes))
		}
		if st, err := idx.Stats(t.Context()); err != nil || st.Servers != 99 || st.Seq != 105 {
			t.Errorf("%+v, %v", st, err)
		}
		for word, want := range map[string]int{"twiceword ": 1, "returnedword ": 1} {
			if n := find(t, idx, word).Total; n != want {
				t.Errorf("%q: %d", word, n)
			}
		}
		for _, text := range []string{"", "database", "query"} {
			checkQuery(t, idx, feed.servers, query.Query{Text: text, Limit: 100})
		}
	})
}

func TestARebuildThatFailsLeavesTheIndexAsItWas(t *testing.T) {
	b := engines["bleve"](t).(*Bleve)
	load(t, b, corpus(50))
	before := find(t, b, "database").Total
	broken := &restlessFeed{memoryFeed: memoryFeed{servers: corpus(100)}}
	ctx, cancel := context.WithCancel(t.Context())
	broken.changes = []func(*memoryFeed){func(*memoryFeed) { cancel() }}
	if err := b.Rebuild(ctx, broken); err == nil {
		t.Error("a rebuild that was broken off succeeds")
	}
	if n := find(t, b, "database").Total; n != before {
		t.Errorf("%d found, %d before", n, before)
	}
	entries, err := os.ReadDir(b.dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("%v, %v: want the index, its name and the lock", entries, err)
	}
	if err := b.Rebuild(t.Context(), &memoryFeed{}); err != nil {
		t.Fatal(err)
	}
	if res, err := b.Search(t.Context(), query.Query{Limit: 5}); err != nil || res.Total != 0 {
		t.Errorf("%+v, %v after a rebuild of nothing", res, err)
	}
}
