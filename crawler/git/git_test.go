package git

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/git/gittest"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

var day0 = time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)

// sample is a repository with a merge of an older branch.
func sample() gittest.Repo {
	return gittest.Repo{
		Branch: "trunk",
		Tags:   map[string]int{"v1": 1, "v2": 4},
		Commits: []gittest.Commit{
			{At: day0, Files: map[string]string{"README.md": "one", "a/x.ts": "x"}},
			{At: day0.AddDate(0, 1, 0), Name: "Bob", Email: "bob@example.com",
				Files: map[string]string{"README.md": "one", "a/x.ts": "x", "b/y.ts": "y"}},
			{At: day0.AddDate(0, 6, 0), Parents: []int{0},
				Files: map[string]string{"README.md": "two", "a/x.ts": "x"}},
			{At: day0.AddDate(0, 7, 0), Parents: []int{2, 1}, Message: "Merge\n\nmore",
				Files: map[string]string{"README.md": "two", "a/x.ts": "x", "b/y.ts": "y"}},
			{At: day0.AddDate(0, 8, 0),
				Files: map[string]string{"README.md": "two", "a/x.ts": "x2", "b/y.ts": "y",
					"a/link": "x.ts", "a/sub": strings.Repeat("ab", 20)},
				Modes: map[string]string{"a/link": "120000", "a/sub": "160000", "a/x.ts": "100755"}},
		},
	}
}

// serve returns a server with the repository o/r, and a client.
func serve(
	t *testing.T, r gittest.Repo, change func(*Options),
) (*gittest.Server, *Client, []string) {
	t.Helper()
	s := gittest.New()
	ids := s.Set("o/r", r)
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return s, clientOf(t, web.URL, func(o *Options) {
		o.Transport.Log = slog.New(slog.DiscardHandler)
		if change != nil {
			change(o)
		}
	}), ids
}

func open(t *testing.T, c *Client) *Repository {
	t.Helper()
	r, err := c.Open(t.Context(), refOf("o/r"), false)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRead(t *testing.T) {
	s, c, ids := serve(t, sample(), nil)
	r := open(t, c)
	if r.Branch != "trunk" || r.Head != ids[4] || r.Cut != "" {
		t.Errorf("branch %q, head %q, cut %q", r.Branch, r.Head, r.Cut)
	}
	if diff := gocmp.Diff([]Tag{{"v1", ids[1]}, {"v2", ids[4]}}, r.Tags); diff != "" {
		t.Error(diff)
	}
	tree, err := r.Tree(t.Context(), r.Head)
	if err != nil || tree.Cut != "" || tree.Skipped != 0 {
		t.Fatalf("%v, %+v", err, tree)
	}
	var files []string
	for _, f := range tree.Files {
		files = append(files, f.Mode+" "+f.Path)
	}
	want := []string{"100644 README.md", "120000 a/link", "160000 a/sub", "100755 a/x.ts",
		"100644 b/y.ts"}
	if diff := gocmp.Diff(want, files); diff != "" {
		t.Error(diff)
	}
	absent := strings.Repeat("9", 40)
	blobs, err := r.Blobs(t.Context(), []string{tree.Files[0].OID, absent, tree.Files[3].OID, "x"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(map[string][]byte{tree.Files[0].OID: []byte("two"),
		tree.Files[3].OID: []byte("x2")}, blobs.Content); diff != "" {
		t.Error(diff)
	}
	for id, reason := range map[string]string{absent: "GitHub no longer has the object",
		"x": "its object ID is invalid"} {
		if !strings.HasPrefix(blobs.NotRead[id], reason) {
			t.Errorf("%s: %q, want %q", id, blobs.NotRead[id], reason)
		}
	}
	heads, err := r.Heads(t.Context(), []string{ids[1], ids[4]})
	if err != nil || len(heads) != 2 || heads[ids[1]].Author.Name != "Bob" ||
		!heads[ids[1]].Author.At.Equal(day0.AddDate(0, 1, 0)) {
		t.Errorf("%v, %+v", err, heads)
	}
	for _, req := range s.Requests() {
		if req.Authorization != "" {
			t.Errorf("%s was sent with %q", req.Kind, req.Authorization)
		}
	}
}

// TestHistory shows that a merge of a branch that is older than the start of the history does
// not hide the commits behind it.
func TestHistory(t *testing.T) {
	_, c, ids := serve(t, sample(), nil)
	r := open(t, c)
	since := day0.AddDate(0, 3, 0)
	h, err := r.Commits(t.Context(), r.Head, since)
	if err != nil || h.Cut != "" {
		t.Fatalf("%v, %q", err, h.Cut)
	}
	idsOf := func(commits []Commit) (list []string) {
		for _, c := range commits {
			list = append(list, c.ID)
		}
		return list
	}
	if diff := gocmp.Diff([]string{ids[4], ids[3], ids[2]}, idsOf(h.Commits)); diff != "" {
		t.Error(diff)
	}
	if h.Commits[1].Subject != "Merge" || len(h.Commits[1].Parents) != 2 {
		t.Errorf("%+v", h.Commits[1])
	}
	logs, err := r.Folders(t.Context(), r.Head, since, []string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for folder, l := range logs {
		got[folder] = fmt.Sprint(idsOf(l.Commits), l.Older, l.Cut)
	}
	want := map[string]string{
		"a": fmt.Sprint([]string{ids[4]}, true, ""),
		"b": fmt.Sprint([]string{}, true, ""), // the merge has it from its older parent
		"c": fmt.Sprint([]string{}, false, ""),
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	h, err = r.Commits(t.Context(), r.Head, day0.AddDate(1, 0, 0))
	if err != nil || len(h.Commits) > 0 || h.Cut != "" {
		t.Errorf("no commits: %+v, %v", h, err)
	}
}

func TestRename(t *testing.T) {
	s, c, _ := serve(t, sample(), func(o *Options) { o.Token = "secret" })
	s.Set("new/name", sample())
	s.Rename("o/r", "new/name")
	r, err := c.Open(t.Context(), refOf("o/r"), true)
	if err != nil {
		t.Fatal(err)
	}
	if r.Ref != refOf("new/name") {
		t.Errorf("%+v", r.Ref)
	}
	if _, err := r.Tree(t.Context(), r.Head); err != nil {
		t.Error(err)
	}
	var sent []string
	for _, req := range s.Requests() {
		sent = append(sent, fmt.Sprint(req.Repo, " ", req.Kind, " ", req.Authorization != ""))
	}
	want := []string{"o/r info/refs true", "new/name info/refs true", "new/name info/refs false",
		"new/name ls-refs true", "new/name fetch true"}
	if diff := gocmp.Diff(want, sent); diff != "" {
		t.Error(diff)
	}
}

func TestToken(t *testing.T) {
	s, c, _ := serve(t, sample(), func(o *Options) { o.Token = "secret" })
	sent := func() (list []string) {
		for _, req := range s.Requests() {
			list = append(list, req.Authorization)
		}
		return list
	}
	if _, err := c.Open(t.Context(), refOf("o/r"), false); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff([]string{"", ""}, sent()); diff != "" {
		t.Errorf("not known to be public: %s", diff)
	}
	const basic = "Basic eC1hY2Nlc3MtdG9rZW46c2VjcmV0" // x-access-token:secret
	if _, err := c.Open(t.Context(), refOf("o/r"), true); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff([]string{basic, basic}, sent()); diff != "" {
		t.Errorf("public: %s", diff)
	}

	// Another host never gets it.
	other := gittest.New()
	other.Set("o/r", sample())
	elsewhere := httptest.NewServer(other)
	defer elsewhere.Close()
	s.Fault("o/r", gittest.Fault{Status: 302, Header: map[string]string{
		"Location": elsewhere.URL + "/o/r.git/info/refs?service=git-upload-pack"}})
	if _, err := c.Open(t.Context(), refOf("o/r"), true); !IsKind(err, Unsupported) {
		t.Errorf("redirect to another host: %v", err)
	}
	if n := len(other.Requests()); n > 0 {
		t.Errorf("%d requests to another host", n)
	}
}

// TestRejectedToken shows that a token is no longer sent once the host rejects it for what anyone
// may read, but not because of a repository that nobody may read.
func TestRejectedToken(t *testing.T) {
	s := gittest.New()
	s.Set("o/r", sample())
	var revoked bool
	var tokens int
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			if tokens++; revoked {
				http.Error(w, "Invalid username or token.", http.StatusUnauthorized)
				return
			}
		}
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	c := clientOf(t, web.URL, func(o *Options) {
		o.Token, o.Transport.Log = "secret", slog.New(slog.DiscardHandler)
	})
	for _, step := range []struct {
		name    string
		revoked bool
		kind    Kind
		tokens  int // requests with the token
	}{
		{"o/r", false, "", 2},
		{"o/private", false, Missing, 1},
		{"o/r", false, "", 2},
		{"o/private", true, Missing, 1},
		{"o/r", true, "", 1},
		{"o/r", true, "", 0},
		{"o/private", true, Missing, 0},
	} {
		revoked, tokens = step.revoked, 0
		_, err := c.Open(t.Context(), refOf(step.name), true)
		if step.kind == "" && err != nil || step.kind != "" && !IsKind(err, step.kind) ||
			tokens != step.tokens {
			t.Errorf("%+v: %d requests with the token, %v", step, tokens, err)
		}
	}
}

func replace(body string) func([]byte) []byte {
	return func([]byte) []byte { return []byte(body) }
}

func atStart(body string) gittest.Fault {
	return gittest.Fault{On: "info/refs", Change: replace(body)}
}

func atRefs(body string) gittest.Fault {
	return gittest.Fault{On: "ls-refs", Change: replace(body)}
}

func atFetch(body string) gittest.Fault {
	return gittest.Fault{On: "fetch", Change: replace(body)}
}

func status(code int, body string) gittest.Fault { return gittest.Fault{Status: code, Body: body} }

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // a buffer does not fail
	_ = w.Close()
	return b.String()
}

// TestFaults opens a repository and reads its listing from servers with faults.
func TestFaults(t *testing.T) {
	const waits, goesOn = true, false
	packfile := gittest.Line("packfile\n")
	const v2 = "001e# service=git-upload-pack\n0000000eversion 2\n"
	limiting := "GitHub is temporarily limiting some unauthenticated downloads."
	inBand := packfile + gittest.Line("\x02counting\n") + gittest.Line("\x03%s", limiting) + "0000"
	oldRefs := gittest.Line("%s HEAD\x00multi_ack", strings.Repeat("1", 40)) + "0000"
	const filters = "0019fetch=shallow filter\n"
	html := map[string]string{"Content-Type": "text/html"}
	login := map[string]string{"Location": "/login"}
	loop := map[string]string{"Location": "/o/r.git/info/refs?service=git-upload-pack"}
	wait := map[string]string{"Retry-After": "120"}
	leads := func(to string) gittest.Fault {
		return gittest.Fault{On: "info/refs", Status: 301, Header: map[string]string{
			"Location": to + "/o/r.git/info/refs?service=git-upload-pack"}}
	}
	const foreign = "moved to another host, which is not followed"
	for name, test := range map[string]struct {
		fault  gittest.Fault
		kind   Kind
		reason string // part of it
		waits  bool   // the host must wait afterwards
	}{
		"HTML": {gittest.Fault{Status: 200, Header: html, Body: "<html>"},
			Unsupported, "something other than git's protocol", goesOn},
		"HTML as git": {atStart("<!DOCTYPE html><html>"),
			Corrupt, "not in git's format", goesOn},
		"HTML for refs": {gittest.Fault{On: "ls-refs", Status: 200, Body: "<html>"},
			Unsupported, "something other", goesOn},
		"nothing": {atStart(""), Unavailable, "ended early", goesOn},
		"version 0": {atStart("001e# service=git-upload-pack\n0000" + oldRefs),
			Unsupported, "does not speak version 2", goesOn},
		"version 1": {atStart("000eversion 1\n0000"),
			Unsupported, "does not speak version 2", goesOn},
		"SHA-256": {atStart(v2 + filters + gittest.Line("object-format=sha256\n") + "0000"),
			Unsupported, "not SHA-1", goesOn},
		"no filter": {atStart(v2 + gittest.Line("fetch=shallow\n") + "0000"),
			Unsupported, "does not serve parts", goesOn},
		"capabilities": {atStart(v2 + strings.Repeat("0006a\n", 1000) + "0000"),
			Corrupt, "more than 200 capabilities", goesOn},
		"endless refs": {atRefs(strings.Repeat(gittest.Line("%65000d", 1), 100) + "0000"),
			TooLarge, "more than 4 MB", goesOn},
		"401": {status(401, "Repository not found."),
			Missing, "does not have this repository", goesOn},
		"404": {status(404, ""), Missing, "does not have this repository", goesOn},
		"410": {status(410, ""), Missing, "does not have this repository", goesOn},
		"451": {status(451, "a court"), Blocked, "a court", goesOn},
		"takedown": {status(403, "Repository unavailable due to DMCA takedown."),
			Blocked, "DMCA takedown", goesOn},
		"403":          {status(403, "no"), Unavailable, "refused the request: no", goesOn},
		"403 limiting": {status(403, limiting), Throttled, "asked for fewer requests", waits},
		"429":          {status(429, ""), Throttled, "asked for fewer requests", waits},
		"429 Retry-After": {gittest.Fault{On: "fetch", Status: 429, Header: wait},
			Throttled, "asked for fewer requests", waits},
		"500": {status(500, ""), Unavailable, "status 500", goesOn},
		"503": {status(503, ""), Unavailable, "status 503", goesOn},
		"503 Retry-After": {gittest.Fault{Status: 503, Header: wait},
			Throttled, "asked for fewer requests", waits},
		"ERR": {atRefs(gittest.Line("ERR access denied")),
			Unavailable, "reported an error: access denied", goesOn},
		"ERR limiting": {atFetch(gittest.Line("ERR %s", limiting)),
			Throttled, "temporarily limiting", waits},
		"band 3": {atFetch(packfile + gittest.Line("\x03fatal: out of memory")),
			Unavailable, "out of memory", goesOn},
		"band 3 limiting": {atFetch(inBand), Throttled, "temporarily limiting", waits},
		"band 7":          {atFetch(packfile + gittest.Line("\x07x")), Corrupt, "band 7", goesOn},
		"no band":         {atFetch(packfile + "0004"), Corrupt, "no band", goesOn},
		"packet of 3":     {atFetch("0003"), Corrupt, "length 3", goesOn},
		"packet too long": {atFetch("fffe"), Corrupt, "length 65534", goesOn},
		"no pack":         {atFetch("0000"), Corrupt, "did not send the commit", goesOn},
		"empty pack": {atFetch(packfile + gittest.Band(gittest.Pack())),
			Corrupt, "did not send the commit", goesOn},
		"other pack": {atFetch(packfile + gittest.Band(gittest.Pack(blobOf("x")))),
			Corrupt, "did not send the commit", goesOn},
		"not a pack": {atFetch(packfile + gittest.Band([]byte("hello, world"))),
			Corrupt, "corrupt", goesOn},
		"progress only": {atFetch(packfile + strings.Repeat(gittest.Line("\x02%65000d", 1), 100)),
			TooLarge, "more than 2 MB", goesOn},
		"sections": {atFetch(strings.Repeat(gittest.Line("%65000d", 1), 100)),
			TooLarge, "more than 2 MB", goesOn},
		"empty packets": {atFetch(strings.Repeat("0004", 1<<20)), TooLarge, "more than 2 MB", goesOn},
		"empty packets in a pack": {atFetch(packfile + strings.Repeat(gittest.Line("\x01"), 1<<20)),
			TooLarge, "more than 2 MB", goesOn},
		"empty refs": {atRefs(strings.Repeat("0004", 2<<20)), TooLarge, "more than 20,000 tags", goesOn},
		"10 million refs": {atRefs(strings.Repeat(gittest.Line("%040d refs/tags/v1\n", 1), 100_000)),
			TooLarge, "more than", goesOn},
		"capabilities without end": {atStart("000eversion 2\n" + strings.Repeat("0004", 1<<20)),
			Corrupt, "more than 200 capabilities", goesOn},
		"compressed empty packets": {gittest.Fault{On: "fetch", Status: 200, Header: map[string]string{
			"Content-Type":     "application/x-git-upload-pack-result",
			"Content-Encoding": "gzip"}, Body: gzipped(strings.Repeat("0004", 16<<20))},
			TooLarge, "more than 2 MB", goesOn},
		"redirect circle": {gittest.Fault{On: "info/refs", Status: 301, Header: loop},
			Unavailable, "redirects in a circle", goesOn},
		"redirected POST": {gittest.Fault{On: "fetch", Status: 301, Header: loop},
			Unavailable, "status 301", goesOn},
		"redirect away": {gittest.Fault{On: "info/refs", Status: 301, Header: login},
			Missing, "does not have", goesOn},
		"redirect to another host":      {leads("https://git.example"), Unsupported, foreign, goesOn},
		"redirect to a private address": {leads("http://10.0.0.1"), Unsupported, foreign, goesOn},
		"redirect to metadata":          {leads("http://169.254.169.254"), Unsupported, foreign, goesOn},
		"redirect to another port":      {leads("http://127.0.0.1:1"), Unsupported, foreign, goesOn},
		"redirect to a file":            {leads("file://"), Unsupported, foreign, goesOn},
		"redirect to git":               {leads("git://127.0.0.1"), Unsupported, foreign, goesOn},

		"hang": {gittest.Fault{Hang: true}, Unavailable, "no response within 200ms", goesOn},
		"hang in fetch": {gittest.Fault{On: "fetch", Hang: true},
			Unavailable, "no response within 200ms", goesOn},
	} {
		t.Run(name, func(t *testing.T) {
			s, c, _ := serve(t, sample(), func(o *Options) {
				o.Limits.Response = 2 << 20
				o.Transport.MaxWait = time.Millisecond
				if test.fault.Hang {
					o.Transport.Timeout = 200 * time.Millisecond
				}
			})
			s.Fault("o/r", test.fault)
			s.Set("o/fine", sample())
			err := read(t.Context(), c)
			if !IsKind(err, test.kind) || !strings.Contains(Reason(err), test.reason) {
				t.Fatalf("got %q, want %s: %q", err, test.kind, test.reason)
			}
			_, next := c.Open(t.Context(), refOf("o/fine"), false)
			remembered := strings.Contains(test.reason, "version 2") ||
				strings.Contains(test.reason, "parts")
			switch {
			case test.waits && (!IsKind(next, Throttled) || transport.RetryAt(err).IsZero()):
				t.Errorf("the host need not wait: %v, %v", next, err)
			case remembered && !IsKind(next, Unsupported):
				t.Errorf("the host is asked again: %v", next)
			case !test.waits && !remembered && next != nil:
				t.Errorf("other repositories are not read: %v", next)
			}
		})
	}
}

// TestOneRefusal shows that one response in an old version does not end the reading of a host that
// responded in version 2 before.
func TestOneRefusal(t *testing.T) {
	s, c, _ := serve(t, sample(), nil)
	s.Set("o/old", sample())
	s.Set("o/whole", sample())
	s.Fault("o/old", atStart("000eversion 1\n0000"))
	s.Fault("o/whole", atStart("000eversion 2\n"+gittest.Line("fetch=shallow\n")+"0000"))
	if err := read(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"o/old", "o/whole"} {
		if _, err := c.Open(t.Context(), refOf(name), false); !IsKind(err, Unsupported) {
			t.Errorf("%s: %v", name, err)
		}
		if err := read(t.Context(), c); err != nil {
			t.Errorf("after %s: %v", name, err)
		}
	}
}

// read opens the repository and reads its listing.
func read(ctx context.Context, c *Client) error {
	r, err := c.Open(ctx, refOf("o/r"), false)
	if err != nil {
		return err
	}
	tree, err := r.Tree(ctx, r.Head)
	if err == nil && tree.Cut != "" {
		return errors.New("cut: " + tree.Cut)
	}
	return err
}

func TestRetryAfter(t *testing.T) {
	for _, status := range []int{429, 503} {
		s, c, _ := serve(t, sample(), nil)
		s.Fault("o/r", gittest.Fault{Status: status, Header: map[string]string{"Retry-After": "600"}})
		_, err := c.Open(t.Context(), refOf("o/r"), false)
		wait := time.Until(transport.RetryAt(err))
		if !IsKind(err, Throttled) || wait < 9*time.Minute || wait > 11*time.Minute {
			t.Errorf("%d: %v, retry in %v", status, err, wait)
		}
	}
}

func TestRefs(t *testing.T) {
	id := func(c string) string { return strings.Repeat(c, 40) }
	for name, test := range map[string]struct {
		lines []string
		want  Repository
	}{
		"empty":    {nil, Repository{}},
		"no HEAD":  {[]string{id("1") + " refs/tags/v1"}, Repository{Tags: []Tag{{"v1", id("1")}}}},
		"detached": {[]string{id("1") + " HEAD"}, Repository{Head: id("1")}},
		"peeled": {[]string{id("1") + " refs/tags/v1 peeled:" + id("2")},
			Repository{Tags: []Tag{{"v1", id("2")}}}},
		"symref": {[]string{id("1") + " HEAD symref-target:refs/heads/a/b x:y"},
			Repository{Head: id("1"), Branch: "a/b"}},
		"odd":     {[]string{id("1") + " HEAD symref-target:../../x"}, Repository{Head: id("1")}},
		"SHA-256": {[]string{id("1") + id("2")[:24] + " HEAD"}, Repository{}},
		"not hex": {[]string{id("g") + " HEAD", "HEAD", "", id("1")}, Repository{}},
		"bad tags": {[]string{id("1") + " refs/tags/", id("1") + " refs/tags/\xff",
			id("1") + " refs/tags/" + strings.Repeat("x", 300), id("1") + " refs/tags/v1 peeled:x"},
			Repository{}},
		"unborn": {[]string{"unborn HEAD symref-target:refs/heads/main"}, Repository{}},
		"too many": {slices.Repeat([]string{id("1") + " HEAD"}, 101),
			Repository{Head: id("1"), Cut: "it has more than 100 tags"}},
		"other ref": {[]string{id("1") + " refs/heads/x"}, Repository{}},
	} {
		t.Run(name, func(t *testing.T) {
			s, c, _ := serve(t, sample(), func(o *Options) { o.Limits.Refs = 100 })
			body := ""
			for _, line := range test.lines {
				body += gittest.Line("%s\n", line)
			}
			s.Fault("o/r", gittest.Fault{On: "ls-refs", Change: replace(body + "0000")})
			r := open(t, c)
			got := Repository{Branch: r.Branch, Head: r.Head, Tags: r.Tags, Cut: r.Cut}
			if diff := gocmp.Diff(test.want, got, gocmp.AllowUnexported(Repository{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestInvalidNames(t *testing.T) {
	s, c, _ := serve(t, sample(), nil)
	for _, name := range []string{"../o/r", "o/..", "o/", "/r", "o/r?x", "o/r#x", "o/%2e%2e",
		`o\x/r`} {
		owner, base, _ := strings.Cut(name, "/")
		_, err := c.Open(t.Context(), registry.RepoRef{Owner: owner, Name: base}, false)
		if !IsKind(err, Missing) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(s.Requests()); n > 0 {
		t.Errorf("%d requests", n)
	}
}

// TestTrees reads listings with entries that cannot be in one.
func TestTrees(t *testing.T) {
	blob := gittest.Object{Kind: "blob", Data: []byte("x")}
	file := func(name string) []byte { return gittest.Entry("100644", name, blob.ID()) }
	dir := func(name, id string) []byte { return gittest.Entry("40000", name, id) }
	tree := func(entries ...[]byte) gittest.Object {
		return gittest.Object{Kind: "tree", Data: slices.Concat(entries...)}
	}
	commit := func(tree string) gittest.Object {
		return gittest.Object{Kind: "commit", Data: []byte("tree " + tree + "\nauthor A <a> 1 +0000\n")}
	}
	long := strings.Repeat("n", 10_000)
	inner := tree(file("ok"))
	inside := []gittest.Object{inner}
	doubled, wide := []gittest.Object{tree()}, []gittest.Object{tree(file("a"), file("b"))}
	for range 40 {
		last, top := doubled[len(doubled)-1].ID(), wide[len(wide)-1].ID()
		doubled = append(doubled, tree(dir("a", last), dir("b", last)))
		wide = append(wide, tree(dir("a", top), dir("b", top)))
	}
	hidden := []gittest.Object{tree(bytes.Repeat(file(".git"), 1000))}
	for range 40 {
		last := hidden[len(hidden)-1].ID()
		hidden = append(hidden, tree(dir("a", last), dir("b", last)))
	}
	deep := []gittest.Object{tree(file("x"))}
	for range 70 {
		deep = append(deep, tree(dir("d", deep[len(deep)-1].ID())))
	}
	cut := tree(file("a"), []byte("100644 b\x00short"))
	link := tree(dir("self", strings.Repeat("3", 40)), file("x"))
	for name, test := range map[string]struct {
		root    gittest.Object
		more    []gittest.Object
		files   []string // nil: not compared
		skipped int
		cut     string
	}{
		"parent": {tree(file("../x"), file(".."), file("."), file("a/b"), file("/etc"), file("ok")), nil,
			[]string{"ok"}, 5, ""},
		"parent dir": {tree(dir("..", inner.ID()), dir("sub", inner.ID())), inside,
			[]string{"sub/ok"}, 1, ""},
		".git": {tree(dir(".git", inner.ID()), dir(".GIT", inner.ID()), file(".gitignore")), inside,
			[]string{".gitignore"}, 2, ""},
		"empty":     {tree(file(""), file("ok")), nil, []string{"ok"}, 1, ""},
		"10 kB":     {tree(file(long), file("ok")), nil, []string{"ok"}, 1, ""},
		"not UTF-8": {tree(file("\xff\xfe"), file("é")), nil, []string{"é"}, 1, ""},
		"doubles":   {tree(file("a"), file("a"), dir("a", inner.ID())), inside, []string{"a"}, 2, ""},
		"modes": {tree(gittest.Entry("777", "a", blob.ID()), gittest.Entry("100664", "c", blob.ID())),
			nil, []string{"c"}, 1, ""},
		"long mode": {tree(file("a"), gittest.Entry("0100644", "b", blob.ID())), nil,
			[]string{"a"}, 0, "a folder is corrupt"},
		"no files": {tree(), nil, nil, 0, ""},
		"cut":      {cut, nil, []string{"a"}, 0, "a folder is corrupt"},
		"garbage":  {tree([]byte("hello")), nil, nil, 0, "a folder is corrupt"},
		"missing":  {link, nil, []string{"x"}, 0, "a folder was not sent"},
		"a blob": {tree(dir("d", blob.ID()), file("x")), nil, []string{"x"}, 0,
			"a folder was not sent"},
		"2^40 empty": {doubled[40], doubled, nil, 0, "it has too many files and folders"},
		"2^41 files": {wide[40], wide, nil, 0, "it has more than 1,000 files"},
		"skipped":    {hidden[40], hidden, nil, -1, "it has too many files and folders"},
		"deep":       {deep[70], deep, nil, 0, "it has folders below 64 others"},
	} {
		t.Run(name, func(t *testing.T) {
			head := commit(test.root.ID())
			objects := append([]gittest.Object{blob, test.root, head}, test.more...)
			_, c, _ := serve(t, gittest.Repo{Objects: objects, Head: head.ID()}, func(o *Options) {
				o.Limits.Entries, o.Limits.Objects = 1000, 10_000
			})
			r := open(t, c)
			got, err := r.Tree(t.Context(), r.Head)
			if err != nil {
				t.Fatal(err)
			}
			var files []string
			for _, f := range got.Files {
				files = append(files, f.Path)
			}
			if test.files != nil && !slices.Equal(files, test.files) {
				t.Errorf("files %q, want %q", files, test.files)
			}
			if test.skipped < 0 { // as many as the steps
				test.skipped = min(max(got.Skipped, 9_000), 12_000)
			}
			if got.Skipped != test.skipped || got.Cut != test.cut {
				t.Errorf("%d skipped, cut %q; want %d, %q", got.Skipped, got.Cut, test.skipped, test.cut)
			}
		})
	}
}

// noise returns a text of a length that can hardly be compressed.
func noise(seed, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %d", seed, i))
		b.Write(sum[:])
	}
	return b.String()[:n]
}

// TestBlobs reads files around the limits.
func TestBlobs(t *testing.T) {
	files := map[string]string{"big": strings.Repeat("b", 3000)}
	for i := range 20 {
		files[fmt.Sprintf("f%02d", i)] = noise(i, 1000)
	}
	repo := gittest.Repo{Commits: []gittest.Commit{{At: day0, Files: files}}}
	progress := strings.Repeat(gittest.Line("\x02%60000d", 1), 5)
	for name, test := range map[string]struct {
		limits  Limits
		change  func([]byte) []byte
		read    int
		reasons map[string]int
	}{
		"all":      {Limits{}, nil, 21, nil},
		"chunks":   {Limits{Blobs: 3}, nil, 21, nil},
		"large":    {Limits{Blob: 2000}, nil, 20, map[string]int{"it is larger than 1 kB": 1}},
		"inflated": {Limits{Files: 10_000}, nil, 10, map[string]int{limitReached: 11}},
		"requests": {Limits{Blobs: 5, Requests: 2}, nil, 10, map[string]int{limitReached: 11}},
		"cut": {Limits{}, func(b []byte) []byte { return b[:len(b)*2/3] }, 12,
			map[string]int{"GitHub: the response ended early": 9}},
		"checksum": {Limits{}, func(b []byte) []byte { b[len(b)-10] ^= 1; return b }, 21, nil},
		"progress": {Limits{Response: 100_000}, func(b []byte) []byte {
			at := strings.Index(string(b), "packfile\n") + len("packfile\n")
			return slices.Concat(b[:at], []byte(progress), b[at:])
		}, 0, map[string]int{limitReached: 21}},
	} {
		t.Run(name, func(t *testing.T) {
			s, c, _ := serve(t, repo, func(o *Options) { o.Limits = test.limits })
			r := open(t, c)
			tree, err := r.Tree(t.Context(), r.Head)
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, f := range tree.Files {
				ids = append(ids, f.OID)
			}
			slices.Reverse(ids) // "big" is the last
			s.Fault("o/r", gittest.Fault{On: "fetch", Change: test.change})
			got, _ := r.Blobs(t.Context(), ids)
			reasons := map[string]int{}
			for _, reason := range got.NotRead {
				reasons[reason]++
			}
			if len(test.reasons) == 0 {
				test.reasons = map[string]int{}
			}
			if got.Cut != "" && reasons[got.Cut] == 0 || (got.Cut != "") != (reasons[limitReached] > 0) {
				t.Errorf("cut %q", got.Cut)
			}
			if diff := gocmp.Diff(test.reasons, reasons); diff != "" || len(got.Content) != test.read {
				t.Errorf("%d read, want %d; reasons: %s", len(got.Content), test.read, diff)
			}
			if n := len(got.Content) + len(got.NotRead); n != len(ids) {
				t.Errorf("%d of %d files have a result", n, len(ids))
			}
			if n := len(s.Requests()); n > 40 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// TestCutTree shows that an incomplete listing has the files that arrived.
func TestCutTree(t *testing.T) {
	files := map[string]string{}
	for i := range 2000 {
		files[fmt.Sprintf("%d/%x", i%20, noise(i, 20))] = fmt.Sprint(i)
	}
	s, c, _ := serve(t, gittest.Repo{Commits: []gittest.Commit{{At: day0, Files: files}}}, nil)
	r := open(t, c)
	s.Fault("o/r", gittest.Fault{On: "fetch", Change: func(b []byte) []byte { return b[:len(b)/2] }})
	tree, err := r.Tree(t.Context(), r.Head)
	if err != nil || tree.Cut != "GitHub: the response ended early" || len(tree.Files) < 500 {
		t.Errorf("%v, cut %q, %d files", err, tree.Cut, len(tree.Files))
	}
}

// TestCutHistory shows that an incomplete response leaves what arrived, with the reason.
func TestCutHistory(t *testing.T) {
	repo := gittest.Repo{}
	for i := range 100 {
		repo.Commits = append(repo.Commits, gittest.Commit{At: day0.AddDate(0, 6, i),
			Message: fmt.Sprintf("%x", noise(i, 200)),
			Files:   map[string]string{"a/" + fmt.Sprint(i): "x", "b/" + fmt.Sprint(i): "y"}})
	}
	s, c, _ := serve(t, repo, nil)
	r := open(t, c)
	s.Fault("o/r", gittest.Fault{On: "fetch", Change: func(b []byte) []byte { return b[:len(b)*2/3] }})
	h, err := r.Commits(t.Context(), r.Head, day0.AddDate(0, 3, 0))
	if err != nil || h.Cut != "GitHub: the response ended early" || len(h.Commits) == 0 {
		t.Errorf("%+v, %v", h, err)
	}
	logs, err := r.Folders(t.Context(), r.Head, day0.AddDate(0, 3, 0), []string{"a"})
	if err != nil || logs["a"].Cut == "" {
		t.Errorf("%+v, %v", logs, err)
	}
}

func TestCanceled(t *testing.T) {
	s, c, _ := serve(t, sample(), nil)
	r := open(t, c)
	s.Fault("o/r", gittest.Fault{Hang: true})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := r.Tree(ctx, r.Head); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("listing: %v", err)
	}
	b, err := r.Blobs(ctx, []string{r.Head})
	if !errors.Is(err, context.DeadlineExceeded) || len(b.NotRead) != 1 {
		t.Errorf("files: %v, %+v", err, b)
	}
}

// A canceling context is canceled after its error was asked for some number of times.
type canceling struct {
	context.Context
	left atomic.Int64
}

func (c *canceling) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestCanceledAnywhere cancels requests at every moment at which they ask for it.
func TestCanceledAnywhere(t *testing.T) {
	_, c, ids := serve(t, sample(), nil)
	r := open(t, c)
	for n := range int64(30) {
		for name, request := range map[string]func(context.Context) error{
			"refs": func(ctx context.Context) error {
				_, err := c.Open(ctx, refOf("o/r"), false)
				return err
			},
			"listing": func(ctx context.Context) error { _, err := r.Tree(ctx, r.Head); return err },
			"files":   func(ctx context.Context) error { _, err := r.Blobs(ctx, ids[:1]); return err },
			"heads":   func(ctx context.Context) error { _, err := r.Heads(ctx, ids[1:2]); return err },
			"commits": func(ctx context.Context) error { _, err := r.Commits(ctx, r.Head, day0); return err },
			"folders": func(ctx context.Context) error {
				_, err := r.Folders(ctx, r.Head, day0, []string{"a"})
				return err
			},
		} {
			ctx := &canceling{Context: t.Context()}
			ctx.left.Store(n)
			if err := request(ctx); n == 0 && err == nil {
				t.Errorf("%s: no error", name)
			}
		}
	}
}

func TestKinds(t *testing.T) {
	for kind := range maps.Keys(kinds) {
		err := &Error{Kind: kind, Reason: "why", Cause: http.ErrBodyNotAllowed}
		if !IsKind(fmt.Errorf("wrapped: %w", err), kind) || !errors.Is(err, kinds[kind][0]) ||
			!errors.Is(err, http.ErrBodyNotAllowed) || IsKind(err, "other") {
			t.Errorf("%s", kind)
		}
	}
	limit := &Error{Kind: TooLarge, Reason: "it has more than 4 MB",
		Cause: &limitError{"more than 4 MB"}}
	if got := limit.Error(); got != limit.Reason {
		t.Errorf("the cause is repeated: %q", got)
	}
}
