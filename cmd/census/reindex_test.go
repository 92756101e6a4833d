package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcpcensus/internal/search"
)

func TestReindexWhileServing(t *testing.T) {
	w := newEnvironment(t)
	dir := t.TempDir()
	w.environ = append(w.environ, "CENSUS_DATA_DIR="+dir)
	dir = filepath.Join(dir, "search")
	// Two processes serve; the first ends.
	var served []*search.Bleve
	for range 2 {
		b, err := search.OpenBleve(dir, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		served = append(served, b)
	}
	for n, b := range served {
		if _, stderr, status := w.try("reindex"); status != 1 ||
			!strings.Contains(stderr, "stop the server") || !strings.Contains(stderr, dir) {
			t.Errorf("beside %d of two servers it ended with %d: %s", 2-n, status, stderr)
		}
		b.Close()
	}
	entries, err := os.ReadDir(dir)
	if names := slices.Collect(func(yield func(string) bool) {
		for _, e := range entries {
			if !yield(e.Name()) {
				return
			}
		}
	}); err != nil || !slices.Equal(names, []string{"0", "1"}) {
		t.Errorf("there are %v, %v", names, err)
	}
	if out := w.run("reindex"); !strings.Contains(out, "0 servers indexed") {
		t.Errorf("with no server it said: %s", out)
	}
}
