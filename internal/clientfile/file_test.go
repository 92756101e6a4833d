package clientfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var now = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// readFile returns the text of a file in dir and fails if it cannot.
func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) *File {
	t.Helper()
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestWrite(t *testing.T) {
	t.Run("new file in new folders", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "a", "b", "mcp.json")
		f := read(t, path)
		backup, err := f.Write([]byte("{}"), now)
		if err != nil || backup != "" || readFile(t, path) != "{}" {
			t.Fatalf("got %q, %v", backup, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	})
	t.Run("hard links", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "mcp.json")
		write(t, path, "old", 0o600)
		f := read(t, path)
		if err := os.Link(path, path+"2"); err != nil {
			t.Skip(err)
		}
		if runtime.GOOS == "windows" {
			t.Skip("links are not counted")
		}
		_, err := f.Write([]byte("new"), now)
		if err == nil || !strings.Contains(err.Error(), "hard links") || readFile(t, path) != "old" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("mode and backups", func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, "mcp.json")
		write(t, path, "old", 0o640)
		for i, text := range []string{"one", "two"} {
			if _, err := read(t, path).Write([]byte(text), now); err != nil {
				t.Fatal(i, err)
			}
		}
		got := map[string]string{}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			info, err := e.Info()
			if err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("%s has mode %v, %v", e.Name(), info.Mode(), err)
			}
			got[e.Name()] = readFile(t, filepath.Join(dir, e.Name()))
		}
		want := map[string]string{
			"mcp.json": "two", "mcp.json.20261122T100000.bak": "old",
			"mcp.json.20261122T100000-2.bak": "one",
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
	t.Run("through a link", func(t *testing.T) {
		dir := t.TempDir()
		target, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "link.json")
		write(t, target, "old", 0o600)
		if err := os.Symlink("real.json", link); err != nil {
			t.Skip(err)
		}
		if _, err := read(t, link).Write([]byte("new"), now); err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(link)
		if err != nil || info.Mode()&os.ModeSymlink == 0 || readFile(t, target) != "new" {
			t.Errorf("the link is %v, the file has %q", info.Mode(), readFile(t, target))
		}
	})
	t.Run("changed by another program", func(t *testing.T) {
		for name, change := range map[string]func(path string) error{
			"written": func(path string) error { return os.WriteFile(path, []byte("other"), 0o600) },
			"removed": os.Remove,
		} {
			dir := t.TempDir()
			path := filepath.Join(dir, "mcp.json")
			write(t, path, "old", 0o600)
			f := read(t, path)
			if err := change(path); err != nil {
				t.Fatal(err)
			}
			_, err := f.Write([]byte("new"), now)
			if !errors.Is(err, ErrChanged) {
				t.Errorf("%s: got %v", name, err)
			}
			if text, err := os.ReadFile(path); err == nil && string(text) != "other" {
				t.Errorf("%s: the file has %q", name, text)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
				t.Errorf("%s: %v is left", name, left)
			}
		}
	})
	t.Run("created by another program", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "mcp.json")
		f := read(t, path)
		write(t, path, "other", 0o600)
		if _, err := f.Write([]byte("new"), now); !errors.Is(err, ErrChanged) ||
			readFile(t, path) != "other" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("read-only", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "mcp.json")
		write(t, path, "old", 0o400)
		if _, err := read(t, path).Write([]byte("new"), now); err == nil || readFile(t, path) != "old" {
			t.Errorf("got %v", err)
		}
	})
}

// Two programs that add entries at the same time lose none.
func TestWriteTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	var wg sync.WaitGroup
	for _, program := range []string{"a", "b"} {
		wg.Go(func() {
			for i := 0; i < 15; {
				f, err := Read(path)
				if err != nil {
					t.Error(err)
					return
				}
				doc := fmt.Sprintf(`{"mcpServers": {"%s%d": {}}}`, program, i)
				after, err := Put(JSON, f.Text, "mcpServers", doc)
				if err != nil {
					t.Errorf("%v in\n%s", err, f.Text)
					return
				}
				_, err = f.Write(after, now)
				if err == nil {
					i++
				} else if !errors.Is(err, ErrChanged) {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	entries, err := Entries(JSON, []byte(readFile(t, path)), "mcpServers")
	if err != nil || len(entries) != 30 {
		t.Errorf("%d entries of 30 are left: %v", len(entries), err)
	}
	// The first write made the file.
	if backups, _ := filepath.Glob(path + ".*.bak"); len(backups) != 29 {
		t.Errorf("%d backups of 29 changes", len(backups))
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	huge := filepath.Join(dir, "huge")
	write(t, huge, "", 0o600)
	if err := os.Truncate(huge, maxFile+1); err != nil {
		t.Fatal(err)
	}
	dangling, loop := filepath.Join(dir, "dangling"), filepath.Join(dir, "loop")
	if err := errors.Join(os.Symlink("nothing", dangling), os.Symlink("loop", loop)); err != nil {
		t.Skip(err)
	}
	for path, want := range map[string]string{
		huge: "larger than 16 MB", dir: "not a regular file", dangling: "to a file that does not exist",
		loop: "leads back to itself",
	} {
		if f, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v, want %q", path, f, err, want)
		}
	}
}

func TestDiff(t *testing.T) {
	before := "1\n2\n3\n4\n5\n6\n7\n8\n"
	tests := map[string]struct{ after, want string }{
		"equal":   {before, ""},
		"added":   {"1\n2\n3\n4\nx\n5\n6\n7\n8\n", "@@ line 3 @@\n 3\n 4\n+x\n 5\n 6\n"},
		"changed": {"1\n2\nx\n4\ny\n6\n7\n8\n", "@@ line 1 @@\n 1\n 2\n-3\n+x\n 4\n-5\n+y\n 6\n 7\n"},
		"all":     {"", "@@ line 1 @@\n-1\n-2\n-3\n-4\n-5\n-6\n-7\n-8\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, Diff(before, tt.after)); d != "" {
				t.Error(d)
			}
		})
	}
}
