package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/html"

	"mcpcensus/internal/pgtest"
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
	w := newEnvironment(t)
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
		!strings.Contains(string(b), "New: ") ||
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
	w := newEnvironment(t)
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

// linkCheck checks all files of an export.
type linkCheck struct {
	t     *testing.T
	base  string            // address of the folder
	files map[string]string // by name
	ids   map[string]map[string]bool
	links int
}

// checkLinks fails if a link of any exported file leads to nothing, or a
// server lacks one of its files or is missing in a list.
func checkLinks(t *testing.T, dir, base string) {
	t.Helper()
	c := &linkCheck{t: t, base: base, files: map[string]string{}, ids: map[string]map[string]bool{}}
	var slugs []string
	for name := range filesBelow(t, dir) {
		b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		c.files[name] = string(b)
		if slug, ok := strings.CutSuffix(name, ".health.json"); ok {
			slugs = append(slugs, strings.TrimPrefix(slug, "servers/"))
		}
	}
	docs := map[string]*html.Node{}
	for name, body := range c.files {
		if strings.HasSuffix(name, ".html") {
			doc, err := html.Parse(strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			docs[name], c.ids[name] = doc, map[string]bool{}
			for n := range doc.Descendants() {
				for _, a := range n.Attr {
					if a.Key == "id" {
						if c.ids[name][a.Val] {
							t.Errorf("%s: id %q is there twice", name, a.Val)
						}
						c.ids[name][a.Val] = true
					}
				}
			}
		}
	}
	for name, body := range c.files {
		switch path.Ext(name) {
		case ".html":
			c.page(name, docs[name])
		case ".json":
			c.json(name, body)
		case ".atom":
			c.all(name, body, regexp.MustCompile(`href="([^"]*)"`))
		case ".xml":
			c.all(name, body, regexp.MustCompile(`<loc>([^<]*)</loc>`))
		case ".css":
			c.all(name, body, regexp.MustCompile(`url\(([^)]*)\)`))
		case ".md", ".txt":
			c.all(name, regexp.MustCompile(`\S*(SLUG|CATEGORY|OWNER)\S*`).ReplaceAllString(body,
				""), regexp.MustCompile(`(?:\]\(|Sitemap: )([^)\s]*)`))
		}
	}
	// Each server is in each of the lists.
	rows, listed, mapped := "", "", ""
	for name, body := range c.files {
		switch {
		case strings.HasPrefix(name, "search/rows/"):
			rows += body
		case strings.HasPrefix(name, "api/servers/"):
			listed += body
		case strings.HasPrefix(name, "sitemaps/"):
			mapped += body
		}
	}
	for _, slug := range slugs {
		for _, name := range []string{"servers/" + slug + ".html", "servers/" + slug + ".md",
			"servers/" + slug + ".json", "badge/" + slug + ".svg", "badge/" + slug + ".json"} {
			if c.files[name] == "" {
				t.Errorf("%s is missing", name)
			}
		}
		for where, text := range map[string]string{"the index": rows, "the list": listed,
			"the site map": mapped} {
			if !strings.Contains(text, "servers/"+slug+".") {
				t.Errorf("%s is missing in %s", slug, where)
			}
		}
	}
	if len(slugs) < 10 || c.links < 50*len(slugs) {
		t.Errorf("only %d servers with %d links", len(slugs), c.links)
	}
	t.Logf("%d servers, %d files, %d links", len(slugs), len(c.files), c.links)
}

func (c *linkCheck) page(name string, doc *html.Node) {
	for n := range doc.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data == "script" {
			var data any
			if err := json.Unmarshal([]byte(n.Data), &data); err != nil {
				c.t.Errorf("%s: %v in %.200s", name, err, n.Data)
			}
			c.values(name, data, func(string) bool { return false })
		}
		for _, a := range n.Attr {
			switch {
			case slices.Contains([]string{"href", "src", "action"}, a.Key):
				c.link(name, a.Val)
			case slices.Contains([]string{"srcset", "poster", "data", "formaction", "style",
				"background"}, a.Key):
				c.t.Errorf("%s: <%s %s>", name, n.Data, a.Key)
			case a.Key == "content" && strings.HasPrefix(a.Val, c.base):
				c.link(name, a.Val)
			}
		}
	}
}

// json looks at the links of documents, and at the rows of the search index,
// which are shown by a page in the root.
func (c *linkCheck) json(name, body string) {
	var data any
	if err := json.Unmarshal([]byte(body), &data); err != nil {
		c.t.Errorf("%s: %v", name, err)
	}
	if strings.HasPrefix(name, "search/rows/") {
		for _, row := range data.([]any) {
			nodes, err := html.Parse(strings.NewReader(row.(string)))
			if err != nil {
				c.t.Fatal(err)
			}
			c.page("servers.html", nodes)
		}
		return
	}
	c.values(name, data, func(key string) bool { return key == "links" || key == "next" })
}

// values follows the addresses of this copy in a document, and below the keys
// that are all links.
func (c *linkCheck) values(name string, data any, links func(key string) bool) {
	switch data := data.(type) {
	case map[string]any:
		for k, v := range data {
			if k == "@id" { // a name, not a link
				continue
			}
			if s, ok := v.(string); ok && links(k) {
				c.link(name, s)
				continue
			}
			all := links(k)
			c.values(name, v, func(key string) bool { return all || links(key) })
		}
	case []any:
		for _, v := range data {
			c.values(name, v, links)
		}
	case string:
		if strings.HasPrefix(data, c.base) {
			c.link(name, data)
		}
		if strings.HasPrefix(data, "/servers/") || strings.HasPrefix(data, "/v1/") ||
			strings.HasPrefix(data, "/api/") || strings.HasPrefix(data, "/badge/") {
			c.t.Errorf("%s: %q needs a server", name, data)
		}
	}
}

func (c *linkCheck) all(name, body string, links *regexp.Regexp) {
	for _, m := range links.FindAllStringSubmatch(body, -1) {
		c.link(name, html.UnescapeString(m[1]))
	}
}

// link follows a link of a file.
func (c *linkCheck) link(from, to string) {
	base, err := url.Parse(c.base + "/" + from)
	if err != nil {
		c.t.Fatal(err)
	}
	u, err := base.Parse(to)
	if err != nil {
		c.t.Errorf("%s: %q: %v", from, to, err)
		return
	}
	if u.Host != base.Host || u.Scheme != base.Scheme {
		return // of others
	}
	c.links++
	root, err := url.Parse(c.base + "/")
	if err != nil {
		c.t.Fatal(err)
	}
	name, ok := strings.CutPrefix(u.Path, root.Path)
	if name == "" || strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	if _, there := c.files[name]; !ok || !there {
		c.t.Errorf("%s: %q leads to nothing", from, to)
		return
	}
	// READMEs may link to headings that do not exist.
	if id := u.Fragment; id != "" && !strings.HasPrefix(id, "readme-") && !c.ids[name][id] {
		c.t.Errorf("%s: %q leads to no place in %s", from, to, name)
	}
}

// An exporting is a stored registry that is exported by processes of their
// own.
type exporting struct {
	t       *testing.T
	db      *sql.DB
	environ []string
}

// newExporting stores CENSUS_TEST_SERVERS made-up servers, with READMEs and a history.
func newExporting(t *testing.T, servers int) *exporting {
	t.Helper()
	if s := os.Getenv("CENSUS_TEST_SERVERS"); s != "" {
		var err error
		if servers, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	url := pgtest.URL(t)
	store(t, url, servers)
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	e := &exporting{t, db, []string{"HOME=/nowhere", "DATABASE_URL=" + url,
		"CENSUS_DATA_DIR=" + t.TempDir(), "CENSUS_METRICS_ADDR=off",
		"CENSUS_BASE_URL=https://copy.example/census"}}
	e.exec(`UPDATE servers SET facts = jsonb_set(facts::jsonb, '{readme}', '{"path": "README.md"}')`)
	e.exec(`INSERT INTO repository_texts (repo_id, path, oid, text) SELECT repo_id, 'README.md', 'x', readme FROM servers`)
	e.exec(`INSERT INTO day_stats (server_id, date, score, stars, downloads) SELECT id, d, score - n % 3, stars + n, downloads
		FROM servers, generate_series('2026-10-01'::date, '2026-11-01', '1 day') WITH ORDINALITY AS days (d, n)`)
	return e
}

func (e *exporting) exec(query string) {
	e.t.Helper()
	if _, err := e.db.ExecContext(e.t.Context(), query); err != nil {
		e.t.Fatal(err)
	}
}

// start starts an export; said is its output, once it has ended.
func (e *exporting) start(dir string, args ...string) (cmd *exec.Cmd, said *bytes.Buffer) {
	e.t.Helper()
	said = new(bytes.Buffer)
	cmd = exec.Command(program(e.t), append([]string{"export", dir}, args...)...)
	cmd.Env, cmd.Stdout, cmd.Stderr = e.environ, said, said
	if err := cmd.Start(); err != nil {
		e.t.Fatal(err)
	}
	return cmd, said
}

// run exports to the end and returns the output.
func (e *exporting) run(dir string) string {
	e.t.Helper()
	cmd, said := e.start(dir)
	if err := cmd.Wait(); err != nil {
		e.t.Fatalf("%v\n%s", err, said)
	}
	return said.String()
}

// written waits until a run has noted the given number of files, and reports whether it has;
// false: it ended before.
func (e *exporting) written(cmd *exec.Cmd, dir string, least int) bool {
	e.t.Helper()
	before, _ := os.ReadFile(filepath.Join(dir, ".census-export", "files"))
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(2 * time.Millisecond) {
		if b, err := os.ReadFile(filepath.Join(dir, ".census-export", "files")); err == nil &&
			bytes.Count(b, []byte("\n")) >= bytes.Count(before, []byte("\n"))+least {
			return true
		}
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid)); err == nil &&
			bytes.Contains(stat, []byte(") Z ")) {
			return false
		}
	}
	e.t.Fatal("the export does not begin to write")
	return false
}

// contents returns the content of a folder for visitors, and fails if the export left other
// files than its journal and its lock.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, p)
		if name == ".census-export" {
			entries, err := os.ReadDir(p)
			for _, x := range entries {
				if x.Name() != "files" && x.Name() != "lock" {
					t.Errorf("%s is left over", x.Name())
				}
			}
			if err != nil {
				return err
			}
			return fs.SkipDir
		}
		if d.IsDir() {
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

func sameFiles(t *testing.T, got, want map[string]string) {
	t.Helper()
	if maps.Equal(got, want) {
		return
	}
	for name := range want {
		if _, ok := got[name]; !ok {
			t.Errorf("%s is missing", name)
		} else if got[name] != want[name] {
			t.Errorf("%s differs", name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is too much", name)
		}
	}
}

// TestKilledExport kills exports at random moments, CENSUS_TEST_KILLS times, first a new one,
// then one after the data have changed, and compares the folder with that of an undisturbed
// export.
func TestKilledExport(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("SKIPPED: kills processes, which -short leaves out")
	}
	kills := 2
	if s := os.Getenv("CENSUS_TEST_KILLS"); s != "" {
		var err error
		if kills, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	e := newExporting(t, 60)
	dir := filepath.Join(t.TempDir(), "public")
	for round, change := range []string{"",
		`UPDATE servers SET hidden_at = now(), seq = (SELECT seq + 1 FROM changes) WHERE slug = (SELECT min(slug) FROM servers); UPDATE changes SET seq = seq + 1`} {
		if change != "" {
			e.exec(change)
		}
		whole := t.TempDir()
		start := time.Now()
		said := e.run(whole)
		took := time.Since(start)
		want := contents(t, whole)
		if len(want) < 300 {
			t.Fatalf("only %d files: %s", len(want), said)
		}
		t.Logf("undisturbed, in %s: %s", took.Round(time.Millisecond), said)
		killed, kept := 0, 0
		for range kills {
			cmd, said := e.start(dir)
			if !e.written(cmd, dir, 1+rand.IntN(len(want))) {
				if err := cmd.Wait(); err != nil {
					t.Fatalf("%v\n%s", err, said)
				}
				break
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			killed++
			for name, body := range contentsOfKilled(t, dir) {
				if body != want[name] && round == 0 {
					t.Errorf("a visitor would get another %s", name)
				}
			}
		}
		said = e.run(dir)
		fmt.Sscanf(said[strings.Index(said, "unchanged, ")+len("unchanged, "):], "%d", &kept)
		t.Logf("killed %d times, then: %s", killed, said)
		sameFiles(t, contents(t, dir), want)
		if again := e.run(dir); !strings.Contains(again, " 0 written, ") ||
			!strings.Contains(again, " 0 removed") {
			t.Errorf("once more: %s", again)
		}
		if killed == kills && round == 0 && kept == 0 {
			t.Error("nothing of the killed runs was kept")
		}
	}
}

// contentsOfKilled is contents of a folder that a killed run has left.
func contentsOfKilled(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name := range filesBelow(t, dir) {
		b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(b)
	}
	return all
}

// TestStoppedExports tests Ctrl-C, a second export into the same folder, and a database that
// disappears.
func TestStoppedExports(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("SKIPPED: stops and kills processes, which -short leaves out")
	}
	e := newExporting(t, 60)
	whole := t.TempDir()
	e.run(whole)
	want := contents(t, whole)

	dir := t.TempDir()
	cmd, said := e.start(dir)
	if !e.written(cmd, dir, 20) {
		t.Fatalf("it ended: %s", said)
	}
	// so that it is running when the second starts
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	second, refused := e.start(dir)
	if err := second.Wait(); err == nil || second.ProcessState.ExitCode() != 1 ||
		!strings.Contains(refused.String(), "Another census export is writing to "+dir) {
		t.Errorf("a second export: %v\n%s", err, refused)
	}
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGCONT} {
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 130 ||
		!strings.Contains(said.String(), "interrupted; run the same command again to continue") {
		t.Errorf("Ctrl-C: %v\n%s", err, said)
	}

	cmd, said = e.start(dir)
	if !e.written(cmd, dir, 20) {
		t.Fatalf("it ended: %s", said)
	}
	e.exec(`ALTER TABLE repository_texts RENAME TO gone`)
	err := cmd.Wait()
	e.exec(`ALTER TABLE gone RENAME TO repository_texts`)
	if err == nil {
		t.Log("the export was done before the database was away")
	} else if cmd.ProcessState.ExitCode() != 1 ||
		!strings.Contains(said.String(), "the database does not respond") ||
		!strings.Contains(said.String(), "run the same command again to continue") {
		t.Errorf("without the database: %v\n%s", err, said)
	}
	e.run(dir)
	sameFiles(t, contents(t, dir), want)
}

func TestExportToUnwritableFolder(t *testing.T) {
	e := newExporting(t, 10)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("thesis"), 0o644); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{file: "cannot create the folder " + file,
		filepath.Join(file, "sub"): "cannot create the folder",
		"/proc/census-export":      "cannot create the folder /proc/census-export"} {
		cmd, said := e.start(dir)
		if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 1 ||
			!strings.Contains(said.String(), want) || strings.Contains(said.String(), "goroutine") {
			t.Errorf("%s: %v\n%s", dir, err, said)
		}
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "thesis" {
		t.Error("a file was overwritten")
	}
}

// TestExportToFullDisk fills a small disk, which requires root.
func TestExportToFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs",
		dir).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no small disk can be made here: %v %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("%v %s", err, out)
		}
	})
	e := newExporting(t, 40)
	whole := t.TempDir()
	e.run(whole)
	want := contents(t, whole)
	for range 2 {
		cmd, said := e.start(dir)
		if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 1 ||
			!strings.Contains(said.String(), "no space left on device") ||
			!strings.Contains(said.String(), "run the same command again to continue") ||
			!strings.Contains(said.String(), dir) {
			t.Errorf("on a full disk: %v\n%s", err, said)
		}
		for name, body := range contentsOfKilled(t, dir) {
			if body != want[name] {
				t.Errorf("a visitor would get another %s", name)
			}
		}
	}
	if out, err := exec.Command("mount", "-o", "remount,size=64m",
		dir).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if said := e.run(dir); strings.Contains(said, " 0 from an interrupted run") {
		t.Errorf("nothing was kept: %s", said)
	}
	sameFiles(t, contents(t, dir), want)
}
