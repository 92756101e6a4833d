package git

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

// gitProgram returns the path of git, or skips the test.
func gitProgram(t *testing.T) string {
	t.Helper()
	p, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	return p
}

// A backend serves git directories by git's own server.
type backend struct {
	*httptest.Server
	dirs     map[string]string // by owner/name
	requests int
	bytes    int
}

func newBackend(t *testing.T, dirs map[string]string) *backend {
	t.Helper()
	b := &backend{dirs: dirs}
	program := gitProgram(t)
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		name, rest, ok := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), ".git/")
		dir, known := b.dirs[name]
		if !ok || !known {
			http.NotFound(w, req)
			return
		}
		req.URL.Path = "/" + filepath.Base(dir) + "/" + rest
		counted := &countingWriter{ResponseWriter: w}
		handler := cgi.Handler{Path: program, Args: []string{"http-backend"}, Root: "/",
			Stderr: io.Discard, Env: append(slices.Clone(gitEnv),
				"GIT_PROJECT_ROOT="+filepath.Dir(dir), "GIT_HTTP_EXPORT_ALL=1")}
		handler.ServeHTTP(counted, req)
		b.requests++
		b.bytes += counted.n
	}))
	t.Cleanup(b.Close)
	return b
}

type countingWriter struct {
	http.ResponseWriter
	n int
}

func (w *countingWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.n += n
	return n, err
}

// gitEnv configures git as code hosts do, without files of the machine.
var gitEnv = []string{
	"GIT_CONFIG_NOSYSTEM=1", "HOME=/nonexistent", "GIT_CONFIG_COUNT=3",
	"GIT_CONFIG_KEY_0=uploadpack.allowFilter", "GIT_CONFIG_VALUE_0=true",
	"GIT_CONFIG_KEY_1=uploadpack.allowAnySHA1InWant", "GIT_CONFIG_VALUE_1=true",
	"GIT_CONFIG_KEY_2=safe.directory", "GIT_CONFIG_VALUE_2=*",
	"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com",
	"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com",
}

// run returns the output of git in a directory.
func run(t *testing.T, dir, input string, args ...string) string {
	t.Helper()
	cmd := exec.Command(gitProgram(t), args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(input)
	cmd.Env = append(os.Environ(), gitEnv...)
	var out, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	if err := cmd.Run(); err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, problem.String())
	}
	return out.String()
}

func clientOf(t *testing.T, url string, change func(*Options)) *Client {
	t.Helper()
	opt := Options{BaseURL: url, Pace: transport.Pace{Max: 10_000}}
	if change != nil {
		change(&opt)
	}
	c, err := New(registry.HostOf(registry.GitHub), opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func refOf(name string) registry.RepoRef {
	owner, base, _ := strings.Cut(name, "/")
	return registry.RepoRef{Host: registry.GitHub, Owner: owner, Name: base}
}

// TestBackend reads a repository of git's own making, with merges of old branches, from git's
// own server.
func TestBackend(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "one")
	run(t, "", "", "init", "--quiet", "-b", "trunk", dir)
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	commit := func(days int, file, text string) {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		date := now.AddDate(0, 0, -days).Format(time.RFC3339)
		t.Setenv("GIT_AUTHOR_DATE", date)
		t.Setenv("GIT_COMMITTER_DATE", date)
		run(t, dir, "", "add", ".")
		run(t, dir, "", "commit", "--quiet", "-m", file)
	}
	merge := func(days int, branch string) {
		date := now.AddDate(0, 0, -days).Format(time.RFC3339)
		t.Setenv("GIT_AUTHOR_DATE", date)
		t.Setenv("GIT_COMMITTER_DATE", date)
		run(t, dir, "", "merge", "--quiet", "--no-ff", "-m", "merge "+branch, branch)
	}
	commit(900, "README.md", "one")
	commit(800, "src/a/index.ts", "a")
	run(t, dir, "", "checkout", "--quiet", "-b", "old")
	commit(700, "src/b/index.ts", "b")
	run(t, dir, "", "checkout", "--quiet", "trunk")
	commit(150, "src/a/index.ts", "a2")
	run(t, dir, "", "tag", "-a", "-m", "annotated", "v1")
	commit(100, "README.md", "two")
	commit(90, "src/a/more/deep.ts", strings.Repeat("deep ", 50_000))
	merge(50, "old")
	commit(10, "README.md", "three")
	run(t, dir, "", "tag", "v2")
	compareWithGit(t, newBackend(t, map[string]string{"o/one": dir}), "o/one", dir,
		now.AddDate(0, 0, -182))

	// An empty repository, and one without a commit since the start of the history.
	empty := filepath.Join(t.TempDir(), "empty")
	run(t, "", "", "init", "--quiet", empty)
	b := newBackend(t, map[string]string{"o/empty": empty, "o/one": dir})
	c := clientOf(t, b.URL, nil)
	r, err := c.Open(t.Context(), refOf("o/empty"), false)
	if err != nil || r.Head != "" {
		t.Errorf("empty: head %q, %v", r.Head, err)
	}
	if r, err = c.Open(t.Context(), refOf("o/one"), false); err != nil {
		t.Fatal(err)
	}
	if h, err := r.Commits(t.Context(), r.Head, now); err != nil || len(h.Commits) > 0 || h.Cut != "" {
		t.Errorf("a history without commits: %+v, %v", h, err)
	}
	gone := strings.Repeat("1", 40)
	if _, err := r.Tree(t.Context(), gone); !IsKind(err, Gone) {
		t.Errorf("a commit that is gone: %v", err)
	}
}

// compareWithGit compares refs, listing, files, history and folders with git's output.
func compareWithGit(t *testing.T, b *backend, name, dir string, since time.Time) {
	t.Helper()
	c := clientOf(t, b.URL, nil)
	b.requests, b.bytes = 0, 0
	r, err := c.Open(t.Context(), refOf(name), false)
	if err != nil {
		t.Fatal(err)
	}
	if head := strings.TrimSpace(run(t, dir, "", "rev-parse", "HEAD")); r.Head != head {
		t.Fatalf("head %s, want %s", r.Head, head)
	}
	if tags := len(strings.Fields(run(t, dir, "", "tag"))); len(r.Tags) != tags {
		t.Errorf("%d tags, want %d", len(r.Tags), tags)
	}
	heads := map[string]string{}
	for _, tag := range r.Tags {
		heads[tag.Commit] = tag.Name
	}
	for id, tag := range heads {
		if want := strings.TrimSpace(run(t, dir, "", "rev-parse", tag+"^{commit}")); id != want {
			t.Errorf("tag %s is %s, want %s", tag, id, want)
		}
		break
	}

	tree, err := r.Tree(t.Context(), r.Head)
	if err != nil || tree.Cut != "" || tree.Skipped != 0 {
		t.Fatalf("listing: %v, %+v", err, tree)
	}
	var got, ids []string
	for _, f := range tree.Files {
		got = append(got, fmt.Sprintf("%s %s %s", f.Mode, f.OID, f.Path))
		if f.Mode != "160000" && len(ids) < 300 {
			ids = append(ids, f.OID)
		}
	}
	if diff := gocmp.Diff(listing(t, dir), got); diff != "" {
		t.Errorf("listing (-git +got):\n%s", diff)
	}
	compareFiles(t, r, dir, ids)

	h, err := r.Commits(t.Context(), r.Head, since)
	if err != nil || h.Cut != "" {
		t.Fatalf("history: %v, cut %q", err, h.Cut)
	}
	if diff := gocmp.Diff(gitLog(t, dir, since, "."), lines(h.Commits)); diff != "" {
		t.Errorf("history (-git +got):\n%s", diff)
	}
	requests, size := b.requests, b.bytes

	var folders []string
	for _, f := range tree.Files {
		for p := filepath.Dir(f.Path); p != "." && len(folders) < 12; p = filepath.Dir(p) {
			if !slices.Contains(folders, p) {
				folders = append(folders, p)
			}
		}
	}
	logs, err := r.Folders(t.Context(), r.Head, since, folders)
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if logs[folder].Cut != "" {
			t.Errorf("folder %s: %s", folder, logs[folder].Cut)
		}
		if diff := gocmp.Diff(gitLog(t, dir, since, folder), lines(logs[folder].Commits)); diff != "" {
			t.Errorf("folder %s (-git +got):\n%s", folder, diff)
		}
		if older := existed(t, dir, since, folder); logs[folder].Older != older && len(h.Commits) > 0 {
			t.Errorf("folder %s: older %v, git says %v", folder, logs[folder].Older, older)
		}
	}
	t.Logf("%s: %d files, %d commits, %d requests, %d kB; folders: %d requests, %d kB", name,
		len(tree.Files), len(h.Commits), requests, size>>10, b.requests-requests, (b.bytes-size)>>10)
}

// existed reports whether a folder is in the last commit before a time.
func existed(t *testing.T, dir string, at time.Time, folder string) bool {
	t.Helper()
	last := strings.TrimSpace(run(t, dir, "", "rev-list", "-1", "--before="+fmt.Sprint(at.Unix()-1),
		"HEAD"))
	return last != "" && run(t, dir, "", "ls-tree", "-d", last, "--", folder) != ""
}

// listing returns git's listing in the order of paths.
func listing(t *testing.T, dir string) (list []string) {
	for line := range strings.SplitSeq(run(t, dir, "", "ls-tree", "-r", "-z", "HEAD"), "\x00") {
		meta, path, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		fields := strings.Fields(meta)
		list = append(list, fields[0]+" "+fields[2]+" "+path)
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Compare(a[48:], b[48:]) })
	return list
}

func compareFiles(t *testing.T, r *Repository, dir string, ids []string) {
	t.Helper()
	blobs, err := r.Blobs(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	want := run(t, dir, strings.Join(ids, "\n"), "cat-file", "--batch")
	for _, id := range ids {
		head, rest, _ := strings.Cut(want, "\n")
		if strings.HasSuffix(head, " missing") && blobs.NotRead[id] != "" { // not in the mirror
			want = rest
			continue
		}
		var size int
		if _, err := fmt.Sscanf(head, id+" blob %d", &size); err != nil {
			t.Fatalf("cat-file: %q: %v", head, err)
		}
		content, ok := blobs.Content[id]
		if reason := blobs.NotRead[id]; !ok && (reason == "" || size <= 1<<20) {
			t.Errorf("file %s of %d bytes was not read: %q", id, size, reason)
		} else if ok && string(content) != rest[:size] {
			t.Errorf("file %s differs", id)
		}
		want = rest[size+1:]
	}
}

func gitLog(t *testing.T, dir string, since time.Time, path string) []string {
	out := run(t, dir, "", "log", "--format=%H|%an|%ae|%at|%ct", "--since="+fmt.Sprint(since.Unix()),
		"HEAD", "--", path)
	if path == "." {
		out = run(t, dir, "", "log", "--format=%H|%an|%ae|%at|%ct", "--since="+fmt.Sprint(since.Unix()),
			"HEAD")
	}
	list := []string{}
	for line := range strings.Lines(out) {
		list = append(list, strings.TrimSpace(line))
	}
	slices.Sort(list)
	return list
}

func lines(commits []Commit) []string {
	list := []string{}
	for _, c := range commits {
		list = append(list, fmt.Sprintf("%s|%s|%s|%d|%d", c.ID, c.Author.Name, c.Author.Email,
			c.Author.At.Unix(), c.Committer.At.Unix()))
	}
	slices.Sort(list)
	return list
}

// TestMirrors compares real repositories, in git directories at CENSUS_MIRROR/OWNER+NAME/repo,
// with git's output.
func TestMirrors(t *testing.T) {
	root := os.Getenv("CENSUS_MIRROR")
	if root == "" {
		t.Skip("CENSUS_MIRROR is not set")
	}
	found, err := filepath.Glob(filepath.Join(root, "*+*", "repo"))
	if err != nil || len(found) < 20 {
		t.Fatalf("%d repositories, %v", len(found), err)
	}
	for _, dir := range found {
		owner, name, _ := strings.Cut(filepath.Base(filepath.Dir(dir)), "+")
		t.Run(owner+"/"+name, func(t *testing.T) {
			b := newBackend(t, map[string]string{owner + "/" + name: dir})
			var at int64
			if _, err := fmt.Sscan(run(t, dir, "", "log", "-1", "--format=%ct"), &at); err != nil {
				t.Fatal(err)
			}
			compareWithGit(t, b, owner+"/"+name, dir, time.Unix(at, 0).AddDate(0, 0, -182))
		})
	}
}
