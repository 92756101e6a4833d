package search

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"mcpcensus/internal/race"
	"mcpcensus/internal/registry"
)

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
			if race.Enabled && damage != "overwritten" {
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
				if len(match(t, b, "database")) == 0 {
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
		if _, err := idx.Match(t.Context(), "database"); !errors.Is(err, ErrNotBuilt) {
			t.Errorf("error of a search: %v", err)
		}
		if n, err := CatchUp(t.Context(), feed, idx); n != 20 || err != nil {
			t.Fatalf("%d changes, %v", n, err)
		}
		if st, err := idx.Stats(t.Context()); err != nil || st.Servers != 20 {
			t.Errorf("%+v, %v", st, err)
		}
		if slugs := match(t, idx, "former"); len(slugs) != 0 {
			t.Errorf("%v: found in the former index", slugs)
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
		fmt.Printf("second process: %d changes in %s, %v; %d found\n", n, filepath.Base(b.dir), err, len(match(t, b, "database")))
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
	want := len(match(t, b, "database"))
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
	if got := len(match(t, b, "database")); got != want {
		t.Errorf("the first process finds %d, then %d", want, got)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if out := other(); !strings.Contains(out, fmt.Sprintf("0 changes in 0, <nil>; %d found", want)) {
		t.Errorf("after another process: %s", out)
	}
}
