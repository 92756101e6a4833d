package crawler

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/git"
	"mcpcensus/crawler/git/gittest"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

// A contentsTest is a reader of the repositories of a test server.
type contentsTest struct {
	*testing.T
	*gittest.Server
	contents *Contents
}

func newContents(t *testing.T) *contentsTest {
	t.Helper()
	s := gittest.New()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	c, err := git.New(registry.HostOf(""), git.Options{BaseURL: server.URL, Token: "secret",
		Pace: transport.Pace{Max: 10_000}, Transport: transport.Options{Log: slog.New(slog.DiscardHandler)}})
	if err != nil {
		t.Fatal(err)
	}
	return &contentsTest{t, s, &Contents{Git: c, Now: func() time.Time { return noon }}}
}

var metadata = registry.Repository{ID: 7, Owner: "a", Name: "b", License: "MIT"}

// read reads the repository a/b.
func (c *contentsTest) read(w registry.Work) (*registry.Snapshot, error) {
	c.Helper()
	c.Requests()
	snap := &registry.Snapshot{Repo: metadata, Selection: Selection}
	err := c.contents.Read(c.Context(), &w, snap, true, func() {})
	return snap, err
}

// mustRead is read of a repository that can be read.
func (c *contentsTest) mustRead(w registry.Work) *registry.Snapshot {
	c.Helper()
	snap, err := c.read(w)
	if err != nil {
		c.Fatal(err)
	}
	return snap
}

// again returns the work of the next visit.
func (c *contentsTest) again(snap *registry.Snapshot) registry.Work {
	texts := snap.Texts
	c.contents.Texts = func(context.Context, int64) (map[string]string, error) { return texts, nil }
	stored := *snap
	stored.Texts = nil
	return registry.Work{ID: 1, Stored: &stored}
}

// wanted returns the number of files that were requested.
func (c *contentsTest) wanted() (files int) {
	for _, r := range c.Requests() {
		if r.Kind == "fetch" && !strings.Contains(r.Body, "filter ") {
			files += strings.Count(r.Body, "want ")
		}
	}
	return files
}

func TestContents(t *testing.T) {
	c := newContents(t)
	files := map[string]string{
		"README.md": "docs/real.md", "docs/real.md": "# Real\n", "package.json": "\ufeff{}",
		"Cargo.toml": "../../etc/passwd", "go.mod": "a\x00b", "empty/package.json": "",
		"server.json": strings.Repeat(" ", MaxText+1), "notes.txt": "nobody reads this",
		"sub":           strings.Repeat("1", 40),
		"src/server.ts": `server.tool("a", {}, f); import {b} from "./b"; import {z} from "./big"`,
		"src/b.ts":      `import {c} from "./c"`, "src/c.ts": `import {d} from "./d"`,
		"src/d.ts": `import {e} from "./e"`, "src/e.ts": "export const e = 1",
		"src/big.ts": strings.Repeat("/", maxSourceText+1),
	}
	ids := c.Set("a/b", gittest.Repo{Branch: "trunk", Commits: []gittest.Commit{
		{Name: "Ann", Email: "ann@x", At: daysAgo(400), Files: map[string]string{"README.md": "old"}},
		{Name: "Bob", Email: "bob@x", At: daysAgo(300)},
		{Name: "Cy", Email: "cy@x", At: daysAgo(200)},
		{Name: "Ann", Email: "ann@x", At: daysAgo(100)},
		{Name: "dependabot[bot]", Email: "1+dependabot[bot]@users.noreply.github.com", At: daysAgo(3),
			Files: files, Modes: map[string]string{"README.md": ModeLink, "Cargo.toml": ModeLink,
				"sub": ModeSubmodule}},
	}, Tags: map[string]int{"v0.9.0": 0, "v1.0.0": 3, "v1.1.0-rc": 2}})
	snap := c.mustRead(registry.Work{})
	var read []string
	for p := range snap.Texts {
		read = append(read, p)
	}
	slices.Sort(read)
	want := []string{"README.md", "package.json", "src/b.ts", "src/c.ts", "src/d.ts", "src/e.ts", "src/server.ts"}
	if diff := cmp.Diff(want, read); diff != "" {
		t.Error(diff)
	}
	if snap.Texts["README.md"] != "# Real\n" || snap.Texts["package.json"] != "{}" {
		t.Errorf("README %q, manifest %q", snap.Texts["README.md"], snap.Texts["package.json"])
	}
	sizes := map[string]int64{}
	for _, f := range snap.Files {
		sizes[f.Path] = f.Size
	}
	if sizes["src/e.ts"] != 18 || sizes["notes.txt"] >= 0 || sizes["empty/package.json"] != 0 ||
		len(sizes) != len(files) {
		t.Errorf("sizes %v", sizes)
	}
	r := snap.Repo
	if r.Commit != ids[4] || r.TreeID == "" || !r.CommittedAt.Equal(daysAgo(3)) || r.DefaultBranch != "trunk" ||
		*r.Tags != 3 || r.LatestTag.Tag != "v1.0.0" || !r.LatestTag.PublishedAt.Equal(daysAgo(100)) ||
		*r.Contributors != 1 {
		t.Errorf("%+v, tag %+v, %d contributors", r, r.LatestTag, *r.Contributors)
	}
	if a := snap.Activity[""]; *a.Humans != 3 || a.BotCommits != 1 || a.LastCommit != ids[3] || a.Truncated {
		t.Errorf("%d humans, %+v", *a.Humans, a)
	}
	if snap.Failures != nil || snap.FilesTruncated || snap.TextsStored {
		t.Errorf("failures %v", snap.Failures)
	}
}

// TestContentsMetadata checks that the metadata of a snapshot are public.
func TestContentsMetadata(t *testing.T) {
	const key = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	r := registry.Repository{Description: key, Homepage: "https://tides.dev/?token=" + key, Topics: []string{"mcp", key},
		LatestReleases: []registry.Release{{Tag: key}}, LatestTag: &registry.Release{Tag: key}}
	cleanMetadata(&r)
	if text := fmt.Sprintf("%+v %+v", r, r.LatestTag); strings.Contains(text, "16C7") || r.Topics[0] != "mcp" {
		t.Errorf("got %s", text)
	}
}

// TestContentsEncodings reads READMEs with a NUL byte, or in UTF-16.
func TestContentsEncodings(t *testing.T) {
	for name, test := range map[string]struct{ raw, want string }{
		"a NUL byte": {"# A\n" + strings.Repeat("word ", 30) + "\x00end",
			"# A\n" + strings.Repeat("word ", 30) + "end"},
		"UTF-16": {"\xff\xfe#\x00 \x00W\x00", "# W"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newContents(t)
			files := map[string]string{"README.md": test.raw}
			c.Set("a/b", gittest.Repo{Commits: []gittest.Commit{{At: noon, Files: files}}})
			if got := c.mustRead(registry.Work{}).Texts["README.md"]; got != test.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

// TestContentsAgain reads only what changed since the last visit.
func TestContentsAgain(t *testing.T) {
	c := newContents(t)
	commits := []gittest.Commit{{At: daysAgo(40), Files: map[string]string{
		"README.md": "# Weather", "package.json": `{"name":"weather"}`, "a/package.json": `{"name":"a"}`}}}
	set := func() { c.Set("a/b", gittest.Repo{Commits: commits}) }
	push := func(files map[string]string) {
		commits = append(commits, gittest.Commit{At: daysAgo(1), Files: files})
		set()
	}
	set()
	first := c.mustRead(registry.Work{})
	same := c.mustRead(c.again(first))
	if n := len(c.Requests()); n != 2 || !same.TextsStored || len(same.Files) != 3 ||
		same.Activity[""].LastCommitAt == nil {
		t.Errorf("unchanged: %d requests, %+v", n, same)
	}
	push(nil)
	if touched := c.mustRead(c.again(first)); c.wanted() != 0 || !touched.TextsStored ||
		!touched.Activity[""].LastCommitAt.Equal(daysAgo(1)) {
		t.Errorf("the same files: %+v", touched)
	}
	push(map[string]string{"README.md": "# Weather 2", "package.json": `{"name":"weather"}`})
	changed := c.mustRead(c.again(first))
	if n := c.wanted(); n != 1 || changed.Texts["README.md"] != "# Weather 2" ||
		changed.Texts["package.json"] != `{"name":"weather"}` || len(changed.Texts) != 2 {
		t.Errorf("%d files read, texts %v", n, changed.Texts)
	}
	w := c.again(changed)
	w.Stored.Selection--
	if outdated := c.mustRead(w); c.wanted() != 0 || outdated.TextsStored || len(outdated.Texts) != 2 {
		t.Errorf("with newer rules: %+v", outdated)
	}
	w = c.again(changed)
	w.Forced = true
	if forced := c.mustRead(w); c.wanted() != 2 || forced.TextsStored {
		t.Errorf("forced: %+v", forced)
	}
	w = c.again(changed)
	w.Stored.Repo.ID = 8 // another repository had the name
	if other := c.mustRead(w); c.wanted() != 2 || other.TextsStored {
		t.Errorf("another one: %+v", other)
	}
}

func TestContentsFailures(t *testing.T) {
	repo := gittest.Repo{Commits: []gittest.Commit{{At: noon, Files: map[string]string{"README.md": "# A"}}}}
	inAnHour := map[string]string{"Retry-After": "3600"}
	for name, c := range map[string]struct {
		fault gittest.Fault
		want  error // nil: it is read
	}{
		"missing": {gittest.Fault{Status: 401}, registry.ErrNotFound},
		"blocked": {gittest.Fault{Status: 403, Body: "Repository unavailable due to DMCA takedown."},
			registry.ErrForbidden},
		"throttled":          {gittest.Fault{Status: 429, Header: inAnHour}, registry.ErrLimited},
		"bad gateway":        {gittest.Fault{Status: 502}, registry.ErrUnavailable},
		"no fetch":           {gittest.Fault{On: "fetch", Status: 502}, registry.ErrUnavailable},
		"another kind of it": {gittest.Fault{Status: 200, Body: "<html>"}, registry.ErrUnsupported},
	} {
		t.Run(name, func(t *testing.T) {
			test := newContents(t)
			test.Set("a/b", repo)
			test.Fault("a/b", c.fault)
			if _, err := test.read(registry.Work{}); !errors.Is(err, c.want) {
				t.Errorf("%v", err)
			}
		})
	}
	t.Run("renamed", func(t *testing.T) {
		test := newContents(t)
		test.Set("c/d", repo)
		test.Rename("a/b", "c/d")
		if _, err := test.read(registry.Work{}); !errors.Is(err, registry.ErrUnavailable) {
			t.Errorf("%v", err)
		}
	})
	t.Run("no default branch", func(t *testing.T) {
		test := newContents(t)
		test.Set("a/b", repo)
		tag := gittest.Line("%s refs/tags/v1\n", strings.Repeat("1", 40)) + "0000"
		test.Fault("a/b", gittest.Fault{On: "ls-refs",
			Change: func([]byte) []byte { return []byte(tag) }})
		if snap, err := test.read(registry.Work{}); !errors.Is(err, registry.ErrUnavailable) {
			t.Errorf("%v, empty %v", err, snap.Repo.Empty)
		}
	})
	t.Run("empty", func(t *testing.T) {
		test := newContents(t)
		test.Set("a/b", gittest.Repo{})
		snap, err := test.read(registry.Work{})
		if err != nil || !snap.Repo.Empty || snap.Files == nil || len(snap.Files) > 0 ||
			*snap.Repo.Contributors != 0 {
			t.Errorf("%+v, %v", snap, err)
		}
	})
}

// TestContentsCommitsFail checks that files are kept, and stored commits, if the commits cannot be
// read.
func TestContentsCommitsFail(t *testing.T) {
	c := newContents(t)
	repo := gittest.Repo{Commits: []gittest.Commit{{At: daysAgo(50),
		Files: map[string]string{"README.md": "# A"}}}}
	c.Set("a/b", repo)
	w := c.again(c.mustRead(registry.Work{}))
	repo.Commits = append(repo.Commits, gittest.Commit{At: daysAgo(1),
		Files: map[string]string{"README.md": "# B"}})
	c.Set("a/b", repo)
	history := 0
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		if history++; history > 4 { // refs in two requests, the listing and the README
			http.Error(rw, "", http.StatusBadGateway)
			return
		}
		c.ServeHTTP(rw, req)
	}))
	defer server.Close()
	client, err := git.New(registry.HostOf(""), git.Options{BaseURL: server.URL,
		Pace: transport.Pace{Max: 10_000}})
	if err != nil {
		t.Fatal(err)
	}
	c.contents.Git = client
	snap := c.mustRead(w)
	if snap.Texts["README.md"] != "# B" || snap.Failures["activity"] == "" ||
		!snap.Activity[""].LastCommitAt.Equal(daysAgo(50)) {
		t.Errorf("%+v", snap)
	}
}

// TestContentsLimits checks that many sources are read up to the limits.
func TestContentsLimits(t *testing.T) {
	c := newContents(t)
	files := map[string]string{"README.md": "# A", "package.json": "{}"}
	for i := range 400 {
		files[fmt.Sprintf("src/tools/t%03d.ts", i)] = fmt.Sprintf("server.tool(\"t%d\", {}, f)\n", i) +
			strings.Repeat("x", 60_000)
	}
	c.Set("a/b", gittest.Repo{Commits: []gittest.Commit{{At: noon, Files: files}}})
	snap := c.mustRead(registry.Work{})
	size := 0
	for p, text := range snap.Texts {
		if strings.HasSuffix(p, ".ts") {
			size += len(text)
		}
	}
	if size > maxSourceBytes || size < maxSourceBytes*9/10 || snap.Texts["README.md"] == "" {
		t.Errorf("%d bytes of sources, %d texts", size, len(snap.Texts))
	}
	if n := len(c.Requests()); n > 6+maxSteps {
		t.Errorf("%d requests", n)
	}
	again := c.mustRead(registry.Work{})
	if diff := cmp.Diff(snap, again); diff != "" {
		t.Error("two reads differ:", diff)
	}
}

func TestPathActivity(t *testing.T) {
	c := newContents(t)
	old := map[string]string{"old/a": "1", "README.md": "1"}
	both := map[string]string{"old/a": "1", "README.md": "1", "new/a": "1"}
	ids := c.Set("a/b", gittest.Repo{Commits: []gittest.Commit{
		{Name: "Ann", At: daysAgo(500), Files: old}, {Name: "Ann", At: daysAgo(20), Files: both},
		{Name: "Bob", At: daysAgo(3), Files: map[string]string{"old/a": "2", "README.md": "1", "new/a": "1"}},
		{Name: "Bob", At: daysAgo(2), Files: map[string]string{"old/a": "2", "README.md": "2", "new/a": "1"}},
	}})
	repo := metadata
	repo.Commit = ids[3]
	found, failures, err := c.contents.PathActivity(t.Context(), repo, []string{"new", "old"})
	if err != nil || len(failures) > 0 {
		t.Fatal(failures, err)
	}
	if a := found["new"]; !a.LastCommitAt.Equal(daysAgo(20)) || a.FirstCommitAt == nil ||
		!a.FirstCommitAt.Equal(daysAgo(20)) || *a.Humans != 1 {
		t.Errorf("%+v", a)
	}
	if a := found["old"]; !a.LastCommitAt.Equal(daysAgo(3)) || a.FirstCommitAt != nil {
		t.Errorf("%+v", a)
	}
	c.Fault("a/b", gittest.Fault{Status: 502})
	found, failures, err = c.contents.PathActivity(t.Context(), repo, []string{"new"})
	if err != nil || len(found) > 0 || failures["new"] == "" {
		t.Errorf("%v, %v, %v", found, failures, err)
	}
	c.Fault("a/b", gittest.Fault{Status: 429, Header: map[string]string{"Retry-After": "3600"}})
	_, _, err = c.contents.PathActivity(t.Context(), repo, []string{"new"})
	if !errors.Is(err, registry.ErrLimited) {
		t.Errorf("throttled: %v", err)
	}
}
