package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mcpcensus/internal/registry"
)

func open(t *testing.T, dir, run string) *Folder {
	t.Helper()
	f, err := Open(dir, run)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func put(t *testing.T, f *Folder, files map[string]string) {
	t.Helper()
	for name, body := range files {
		if !f.Done(name) {
			if err := f.Put(name, []byte(body)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func finish(t *testing.T, f *Folder) Report {
	t.Helper()
	r, err := f.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return r
}

// tree returns the files that a reader of the folder sees.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, p)
		if d.IsDir() && name == ours {
			return fs.SkipDir
		}
		if d.IsDir() {
			if entries, _ := os.ReadDir(p); len(entries) == 0 {
				t.Errorf("the folder %s is empty", name)
			}
			return nil
		}
		b, err := os.ReadFile(p)
		all[filepath.ToSlash(name)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func same(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	if got := tree(t, dir); !maps.Equal(got, want) {
		t.Errorf("the folder has %v, want %v", got, want)
	}
}

func TestUnchangedFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	files := map[string]string{"index.html": "1", "a/b/c.html": "2", "a/d.html": ""}
	f := open(t, dir, "one")
	put(t, f, files)
	if r := finish(t, f); r.Written != 3 || r.Files != 3 || r.Bytes != 2 {
		t.Errorf("%+v", r)
	}
	same(t, dir, files)
	for _, run := range []string{"one", "two"} {
		f = open(t, dir, run)
		if f.Done("index.html") {
			t.Error("a run that ended is gone on with")
		}
		put(t, f, files)
		if r := finish(t, f); r.Written != 0 || r.Unchanged != 3 || r.Removed != 0 {
			t.Errorf("again: %+v", r)
		}
	}
	files["index.html"], files["x.html"] = "changed", "new"
	delete(files, "a/b/c.html")
	f = open(t, dir, "three")
	put(t, f, files)
	if r := finish(t, f); r.Written != 2 || r.Unchanged != 1 || r.Removed != 1 || r.Files != 3 {
		t.Errorf("after changes: %+v", r)
	}
	same(t, dir, files)
}

func TestDamagedFolder(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"a.html": "aaa", "b.html": "bbb"}
	f := open(t, dir, "one")
	put(t, f, files)
	finish(t, f)
	if err := errors.Join(os.Remove(filepath.Join(dir, "a.html")),
		os.WriteFile(filepath.Join(dir, "b.html"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	f = open(t, dir, "one")
	put(t, f, files)
	if r := finish(t, f); r.Written != 2 {
		t.Errorf("%+v", r)
	}
	same(t, dir, files)
}

// TestInterruptedRun kills a run after each number of files, also between a
// file and its last line, in the middle of that, and in the middle of its first.
func TestInterruptedRun(t *testing.T) {
	old := map[string]string{"gone.html": "0", "sub/gone.html": "0", "changed.html": "0",
		"same.html": "0"}
	var names []string
	files := map[string]string{"changed.html": "1", "same.html": "0"}
	for n := range 6 {
		files[fmt.Sprintf("n/%d.html", n)] = fmt.Sprint(n)
	}
	for name := range files {
		names = append(names, name)
	}
	for after := range len(names) + 1 {
		for _, how := range []string{"", "no line", "torn line", "torn intention"} {
			for _, run := range []string{"two", "three"} {
				dir := t.TempDir()
				f := open(t, dir, "one")
				put(t, f, old)
				finish(t, f)
				f = open(t, dir, "two")
				for _, name := range names[:after] {
					put(t, f, map[string]string{name: files[name]})
				}
				f.Close()
				at := filepath.Join(dir, filepath.FromSlash(journal))
				b, err := os.ReadFile(at)
				if err != nil {
					t.Fatal(err)
				}
				lines := strings.SplitAfter(strings.TrimSuffix(string(b), "\n"), "\n")
				last := lines[len(lines)-1]
				switch how {
				case "no line":
					lines[len(lines)-1] = ""
				case "torn line":
					lines[len(lines)-1] = last[:len(last)/2]
				case "torn intention":
					if after > 0 && !strings.HasPrefix(last, "run ") {
						if err := os.Remove(filepath.Join(dir, names[after-1])); err != nil {
							t.Fatal(err)
						}
						lines = lines[:len(lines)-1]
						lines[len(lines)-1] = last[:len(last)/2]
					}
				default:
					lines[len(lines)-1] += "\n"
				}
				if err := os.WriteFile(at, []byte(strings.Join(lines, "")), 0o644); err != nil {
					t.Fatal(err)
				}
				// What a killed run may leave besides.
				if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(temp), "7"),
					[]byte("half"), 0o644); err != nil {
					t.Fatal(err)
				}
				f = open(t, dir, run)
				put(t, f, files)
				r := finish(t, f)
				same(t, dir, files)
				if r.Files != len(files) || r.Removed != 2 {
					t.Errorf("%d files, %s: %+v", after, how, r)
				}
				if how == "" && run == "two" && r.Resumed != after {
					t.Errorf("%d of %d files were made again", after-r.Resumed, after)
				}
				if run == "three" && r.Resumed != 0 {
					t.Errorf("%d files of other data were kept", r.Resumed)
				}
			}
		}
	}
}

func TestAbandonedRun(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, "one")
	put(t, f, map[string]string{"a.html": "1", "b.html": "1"})
	f.Close()
	f = open(t, dir, "two")
	put(t, f, map[string]string{"b.html": "1"})
	finish(t, f)
	same(t, dir, map[string]string{"b.html": "1"})
}

// TestForeignFiles: a site may have a file of its host's, or be a
// work tree of Git.
func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, "one")
	put(t, f, map[string]string{"a.html": "1", "sub/b.html": "1"})
	finish(t, f)
	foreign := map[string]string{"CNAME": "example.com", ".git/HEAD": "ref", "sub/own.html": "mine"}
	for name, body := range foreign {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755),
			os.WriteFile(at, []byte(body), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for _, run := range []string{"two", "two", "three"} { // the first two are stopped
		f = open(t, dir, run)
		put(t, f, map[string]string{"a.html": run})
		if run == "three" {
			finish(t, f)
		}
		f.Close()
	}
	foreign["a.html"] = "three"
	same(t, dir, foreign)
}

// TestSameLengthFile: a run is killed between a file and its
// line, and the next has the data of the run before.
func TestSameLengthFile(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, "one")
	put(t, f, map[string]string{"a.html": "1"})
	finish(t, f)
	f = open(t, dir, "two")
	put(t, f, map[string]string{"a.html": "2"})
	f.Close()
	at := filepath.Join(dir, filepath.FromSlash(journal))
	b, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(b), "\n")
	if err := os.WriteFile(at, []byte(strings.Join(lines[:len(lines)-2], "")), 0o644); err != nil {
		t.Fatal(err)
	}
	f = open(t, dir, "one")
	put(t, f, map[string]string{"a.html": "1"})
	finish(t, f)
	same(t, dir, map[string]string{"a.html": "1"})
}

// TestFullDisk uses a device that is always full.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("SKIPPED: there is no /dev/full here: ", err)
	}
	dir := t.TempDir()
	f := open(t, dir, "one")
	put(t, f, map[string]string{"a.html": "1"})
	whole := f.journal
	f.journal = full
	for range 2 {
		if err := f.Put("b.html", []byte("1")); !errors.Is(err, registry.ErrUnavailable) ||
			!strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "no space") {
			t.Errorf("%v", err)
		}
		f.journal = whole // but half a line may stand there
	}
	full.Close()
	f.Close()
	f = open(t, dir, "one")
	put(t, f, map[string]string{"a.html": "1", "b.html": "1"})
	if r := finish(t, f); r.Resumed != 1 || r.Written != 1 {
		t.Errorf("%+v", r)
	}
	same(t, dir, map[string]string{"a.html": "1", "b.html": "1"})
}

func TestForeignFolders(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.txt"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, "one"); !errors.Is(err, registry.ErrInvalid) {
		t.Errorf("a folder with something in it: %v", err)
	}
	same(t, dir, map[string]string{"thesis.txt": "x"})
	other := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(other, ours), 0o755),
		os.WriteFile(filepath.Join(other, filepath.FromSlash(journal)),
			[]byte("something else entirely"), 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(other, "one"); !errors.Is(err, registry.ErrInvalid) {
		t.Errorf("a journal that is not ours: %v", err)
	}
	file := filepath.Join(dir, "thesis.txt")
	if _, err := Open(file, "one"); !errors.Is(err, registry.ErrInvalid) {
		t.Errorf("a file: %v", err)
	}
}

func TestConcurrentRuns(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, "one")
	if _, err := Open(dir, "one"); !errors.Is(err, registry.ErrConflict) {
		t.Errorf("a second run: %v", err)
	}
	f.Close()
	open(t, dir, "one").Close()
}

func TestInvalidNames(t *testing.T) {
	parent := t.TempDir()
	dir, away := filepath.Join(parent, "export"), filepath.Join(parent, "away")
	f := open(t, dir, "one")
	defer f.Close()
	if err := errors.Join(os.Mkdir(away, 0o755),
		os.Symlink(away, filepath.Join(dir, "link"))); err != nil {
		t.Skip("SKIPPED: no symbolic links here: ", err)
	}
	for _, name := range []string{"../x", "/x", "a/../x", "", ".", ".census-export/files", "a\nb",
		"a//b", "link/x", `a\b`, "a:b"} {
		if err := f.Put(name, []byte("x")); err == nil {
			t.Errorf("%q was written", name)
		}
	}
	if entries, _ := os.ReadDir(away); len(entries) > 0 {
		t.Error("a link was followed out of the folder")
	}
}

func TestConcurrentPut(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, "one")
	var group sync.WaitGroup
	for w := range 4 {
		group.Go(func() {
			for n := range 100 {
				if err := f.Put(fmt.Sprintf("%d/%d.html", n%7, w*100+n), []byte("x")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if r := finish(t, f); r.Files != 400 || r.Written != 400 {
		t.Errorf("%+v", r)
	}
}

func TestInterruptedFinish(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, "one")
	put(t, f, map[string]string{"a.html": "1", "b.html": "1"})
	finish(t, f)
	f = open(t, dir, "two")
	put(t, f, map[string]string{"b.html": "2"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Finish(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	f.Close()
	f = open(t, dir, "two")
	put(t, f, map[string]string{"b.html": "2"})
	if r := finish(t, f); r.Resumed != 1 || r.Removed != 1 {
		t.Errorf("%+v", r)
	}
	same(t, dir, map[string]string{"b.html": "2"})
}
