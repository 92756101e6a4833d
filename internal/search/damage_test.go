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

func TestDamage(t *testing.T) {
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
					t.Fatalf("opening a damaged index: %v", err)
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

// TestSharedFolder runs this test's program a second time.
func TestSharedFolder(t *testing.T) {
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
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSharedFolder$", "-test.v")
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

func TestMeiliAcceptEncoding(t *testing.T) {
	accepted := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		accepted <- r.Header.Get("Accept-Encoding")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	m := openMeili(t, server.URL, "k", "servers", "")
	if _, err := m.Search(t.Context(), query.Query{Text: "database", Limit: 5}); err == nil {
		t.Fatal("no error for status 503")
	}
	if got := <-accepted; got != "" {
		t.Errorf("Accept-Encoding: %q, want none", got)
	}
}

func TestMeiliFailedTask(t *testing.T) {
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
		t.Errorf("error of Put: %v, want that of the task", err)
	}
	if err := m.Rebuild(t.Context(), &memoryFeed{servers: corpus(10)}); !errors.Is(err, registry.ErrUnavailable) {
		t.Errorf("error of Rebuild: %v, want ErrUnavailable", err)
	}
}

// TestMeiliRestart needs the program itself.
func TestMeiliRestart(t *testing.T) {
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
				t.Fatalf("%s: timeout", what)
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	until("index", false)
	stop()
	until("scan", true)
	if since, why := f.State(); since.IsZero() || why == nil {
		t.Errorf("state %v, %v while it is down", since, why)
	}
	start()
	until("index after the restart", false)
}
