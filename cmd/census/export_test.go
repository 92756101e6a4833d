package main

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// filesBelow returns the sizes and times of the files of an export.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && d.Name() == ".census-export" {
				return fs.SkipDir
			}
			return err
		}
		info, err := d.Info()
		name, _ := filepath.Rel(dir, p)
		all[filepath.ToSlash(name)] = info.ModTime().Format(time.RFC3339Nano)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestExport(t *testing.T) {
	w := newTown(t)
	w.run("crawl", "--source", "official-registry")
	if _, err := w.db.SnapshotDay(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "public", "census")
	said := w.run("export", dir, "--url", "https://copy.example/census")
	if !strings.Contains(said, " servers in ") || !strings.Contains(said, " written, 0 unchanged") {
		t.Errorf("it said %q", said)
	}
	before := filesBelow(t, dir)
	host := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(dir))))
	defer host.Close()
	slug := ""
	for name := range before {
		if base, ok := strings.CutSuffix(name, ".health.json"); ok {
			slug = strings.TrimPrefix(base, "servers/")
		}
		if strings.HasSuffix(name, "index.html") {
			continue // the server of files leads to its folder
		}
		res, err := host.Client().Get(host.URL + "/census/" + name)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", name, res.Status)
		}
	}
	if slug == "" {
		t.Fatalf("no server was written: %v", before)
	}
	checkLinks(t, dir, "https://copy.example/census")
	for _, name := range []string{"index.html", "servers/" + slug + ".html",
		"servers/" + slug + ".md", "badge/" + slug +
			".svg", "feed.atom", "sitemap.xml", "search/index.json"} {
		if before[name] == "" {
			t.Errorf("no %s", name)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "feed.atom")); err != nil ||
		!strings.Contains(string(b), "is new in the registry") ||
		!strings.Contains(string(b), "https://copy.example/census/servers/") {
		t.Errorf("the feed: %v\n%.500s", err, b)
	}

	if said := w.run("export", dir, "--url", "https://copy.example/census"); !strings.Contains(said,
		" 0 written, ") || !strings.Contains(said, " 0 removed") {
		t.Errorf("the second time it said %q", said)
	}
	for name, at := range filesBelow(t, dir) {
		if before[name] != at {
			t.Errorf("%s was written again", name)
		}
	}

	w.run("hide", slug, "--reason", "a test")
	if said := w.run("export", dir, "--url", "https://copy.example/census"); strings.Contains(said,
		" 0 removed") {
		t.Errorf("after one was hidden it said %q", said)
	}
	for name := range filesBelow(t, dir) {
		if strings.Contains(name, "/"+slug+".") {
			t.Errorf("%s of a hidden server is still there", name)
		}
	}
}

func TestExportRefusesForeignFolder(t *testing.T) {
	w := newTown(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.txt"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, stderr, status := w.try("export", dir); status != 1 ||
		!strings.Contains(stderr, "is not empty") || !strings.Contains(stderr, dir) {
		t.Errorf("a folder with something in it: %d %s", status, stderr)
	}
	for _, args := range [][]string{{"export"}, {"export", "a", "b"},
		{"export", "a", "--url", "example.com"}, {"export", "a", "--url",
			"https://example.com/?q=1"}, {"export", "a", "--workers", "-1"}} {
		if _, stderr, status := w.try(args...); status != 2 {
			t.Errorf("%q: %d %s", args, status, stderr)
		}
	}
}
