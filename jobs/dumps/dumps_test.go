package dumps

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

var start = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// source is a registry with n servers.
type source int

func (n source) Dump(
	_ context.Context, begin func(registry.DumpHeader) error, line func(*registry.DumpLine) error,
) error {
	if err := begin(registry.DumpHeader{Time: start, LastChange: 7,
		Lines: map[string]int{"server": int(n), "day": 1}}); err != nil {
		return err
	}
	for i := range int(n) {
		if err := line(&registry.DumpLine{Server: server(i)}); err != nil {
			return err
		}
	}
	return line(&registry.DumpLine{Day: &registry.DumpDay{Date: "2026-11-21", Servers: int(n)}})
}

// server is a valid server.
func server(i int) *registry.DumpServer {
	name := fmt.Sprintf("mcp-%d", i)
	repo := registry.DumpRepository{Host: registry.GitHub, HostID: int64(i + 1), Owner: "octo", Name: name,
		State: "server", CreatedAt: start, DueAt: start}
	return &registry.DumpServer{
		Slug: "octo-" + name, ListedAt: start, UpdatedAt: start, ScoredAt: start, Repository: repo,
		Facts: registry.Facts{
			Repo: registry.Repository{Host: registry.GitHub, ID: int64(i + 1), Owner: "octo", Name: name},
			Detection: registry.Detection{IsServer: true, Category: "data", Homepage: "https://octo.example",
				Tools: []registry.Tool{{Name: "a", InputSchema: []byte(`{}`)}}},
		},
		Readme: &registry.DumpText{Path: "README.md", Text: "# <script>alert(1)</script>"},
	}
}

type documents struct{}

func (documents) Detail(s *registry.Server) ([]byte, error) { return json.Marshal(s) }
func (documents) Health(*registry.Server) ([]byte, error)   { return []byte(`{}`), nil }

// dump returns a dump of n servers.
func dump(t testing.TB, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := Writer{Source: source(n), Documents: documents{}, Name: "Test"}
	if _, err := w.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// packed is a dump of the given lines.
func packed(lines ...string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for _, l := range lines {
		_, _ = io.WriteString(z, l+"\n")
	}
	_ = z.Close()
	return b.Bytes()
}

// unpacked returns the text of a dump, nil if it is damaged.
func unpacked(file []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil
	}
	return text
}

// store is a registry in memory.
type store struct {
	id     string
	state  registry.ImportState
	slugs  []string
	failAt int // number of the batch that fails; 0: none
	batch  int
}

func (s *store) StartImport(_ context.Context, id string, _ time.Time) (registry.ImportState, error) {
	s.id = id
	return s.state, nil
}

func (s *store) ImportLines(_ context.Context, lines []registry.ImportLine, state *registry.ImportState,
	_ time.Time, reject func(int64, error)) error {
	if s.batch++; s.batch == s.failAt {
		return context.Canceled
	}
	for _, l := range lines {
		switch {
		case l.Server == nil:
		case slices.Contains(s.slugs, l.Server.Slug):
			reject(l.Number, errors.New("taken"))
			state.Rejected++
		default:
			s.slugs = append(s.slugs, l.Server.Slug)
			state.Stored++
		}
	}
	s.state = *state
	return nil
}

func (s *store) FinishImport(_ context.Context, now time.Time) error {
	s.state.FinishedAt = &now
	return nil
}

func newImporter(s Store, rejected *[]string) *Importer {
	return &Importer{Store: s, Now: func() time.Time { return start },
		Score: func(f registry.Facts, _ time.Time) registry.Scored {
			if f.Repo.Owner == "panics" {
				panic("of a test")
			}
			return registry.Scored{Facts: f}
		},
		Rejected: func(line int64, err error) { *rejected = append(*rejected, fmt.Sprint(line, ": ", err)) }}
}

func TestImport_continues(t *testing.T) {
	file := dump(t, 250)
	s := &store{failAt: 2}
	var rejected []string
	im := newImporter(s, &rejected)
	if _, err := im.Import(t.Context(), bytes.NewReader(file)); !errors.Is(err, context.Canceled) || len(s.slugs) != 100 {
		t.Fatalf("%v after %d servers", err, len(s.slugs))
	}
	state, err := im.Import(t.Context(), bytes.NewReader(file))
	if err != nil || len(s.slugs) != 250 || state.Stored != 250 || rejected != nil || s.state.FinishedAt == nil {
		t.Errorf("%v, %d servers, %+v, %v", err, len(s.slugs), state, rejected)
	}
}

func TestImport_damaged(t *testing.T) {
	whole := dump(t, 3)
	header := func(lines string) string {
		return `{"format":"census-dump","version":1,"lines":` + lines + `}`
	}
	day := `{"day":{"date":"2026-11-21","servers":1}}`
	for name, tc := range map[string]struct {
		file []byte
		says string
	}{
		"empty file":     {nil, "not compressed with gzip"},
		"text":           {[]byte("hello, world, this is text"), "not compressed with gzip"},
		"no lines":       {packed(), "the dump is empty"},
		"no header":      {packed(`{"server":{}}`), "line 1: not a dump of Census"},
		"array":          {packed(`[1]`), "line 1: not a dump of Census"},
		"version":        {packed(`{"format":"census-dump","version":2}`), "version 2 of the format; this program reads version 1"},
		"negative":       {packed(header(`{"day":-1}`)), "cannot have -1 lines"},
		"countless":      {packed(header(`{"day":99999999999}`)), "cannot have 99999999999 lines"},
		"truncated":      {whole[:len(whole)-20], "truncated"},
		"cut in half":    {whole[:len(whole)/2], "truncated after line"},
		"repacked":       {packed(header(`{"day":2}`), day), `1 lines of kind "day" are missing`},
		"too many":       {packed(header(`{"day":1}`), day, day), "line 3: the dump has more lines"},
		"garbage behind": {append(slices.Clone(whole), "garbage"...), "the dump is "},
		"long line":      {packed(header(`{"day":1}`), strings.Repeat(" ", maxLine+1)), "longer than 32 MB"},
		"bomb":           {packed(header(`{"day":1}`) + strings.Repeat("0", 40<<20)), "longer than 32 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			s := new(store)
			_, err := newImporter(s, new([]string)).Import(t.Context(), bytes.NewReader(tc.file))
			if !errors.Is(err, registry.ErrInvalid) || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%v", err)
			}
			if s.batch > 0 {
				t.Error("something was stored")
			}
		})
	}
	t.Run("altered", func(t *testing.T) {
		for at := 20; at < len(whole); at += 7 {
			altered := slices.Clone(whole)
			altered[at] ^= 0x20
			s := new(store)
			_, err := newImporter(s, new([]string)).Import(t.Context(), bytes.NewReader(altered))
			if (err == nil || s.batch > 0) && !bytes.Equal(unpacked(altered), unpacked(whole)) { // some bits are padding
				t.Errorf("byte %d: %v, %d batches", at, err, s.batch)
			}
		}
	})
}

func TestImport_rejects(t *testing.T) {
	line := func(change func(*registry.DumpServer)) string {
		s := server(1)
		change(s)
		b, err := json.Marshal(registry.DumpLine{Server: s})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for name, tc := range map[string]struct{ line, says string }{
		"no JSON":    {`{"server":`, "not a valid line"},
		"nothing":    {`{}`, "exactly one"},
		"two":        {`{"day":{},"gone":{}}`, "exactly one"},
		"unknown":    {`{"account":{"email":"a@example.com"}}`, "exactly one"},
		"wrong type": {`{"server":{"slug":5}}`, "not a valid line"},
		"depth":      {strings.Repeat(`{"server":`, 20_000), "not a valid line"},
		"slug":       {line(func(s *registry.DumpServer) { s.Slug = "../etc/passwd" }), "not a slug"},
		"markup":     {line(func(s *registry.DumpServer) { s.OldSlugs = []string{"<b>"} }), "not a slug"},
		"host":       {line(func(s *registry.DumpServer) { s.Facts.Repo.Host = "evil" }), "unknown code host"},
		"owner":      {line(func(s *registry.DumpServer) { s.Facts.Repo.Owner = "a/../b" }), "not a repository"},
		"other repo": {line(func(s *registry.DumpServer) { s.Facts.Repo.ID = 99 }), "another repository"},
		"category":   {line(func(s *registry.DumpServer) { s.Facts.Detection.Category = "<script>" }), "unknown category"},
		"kind":       {line(func(s *registry.DumpServer) { s.Facts.Detection.Kind = "client" }), "unknown kind"},
		"SDK":        {line(func(s *registry.DumpServer) { s.Facts.Detection.SDK = "cobol" }), "unknown SDK"},
		"folder":     {line(func(s *registry.DumpServer) { s.Facts.Detection.Subfolder = "../x" }), "not a folder"},
		"future":     {line(func(s *registry.DumpServer) { s.UpdatedAt = start.AddDate(1, 0, 0) }), "future"},
		"no time":    {line(func(s *registry.DumpServer) { s.ScoredAt = time.Time{} }), "scoredAt is unset"},
		"state":      {line(func(s *registry.DumpServer) { s.Repository.State = "owned" }), "unknown state"},
		"schema":     {line(func(s *registry.DumpServer) { s.Facts.Detection.Tools[0].InputSchema = []byte("{") }), "not JSON"},
		"endpoint": {line(func(s *registry.DumpServer) {
			s.Facts.Endpoints = []registry.PackageFacts{{RegistryType: registry.RemoteType, Identifier: "http://169.254.169.254/"}}
		}), "not the address of an endpoint"},
		"day":          {`{"day":{"date":"yesterday"}}`, "not a day"},
		"score":        {line(func(s *registry.DumpServer) { s.Days = []registry.DumpDay{{Date: "2026-11-01", Score: new(101.0)}} }), "not a day"},
		"tool list":    {line(func(s *registry.DumpServer) { s.ToolLists = []registry.DumpToolList{{Source: "oracle"}} }), "unknown source"},
		"copy":         {line(func(s *registry.DumpServer) { s.Copy = &registry.Copy{Of: "x", Kind: "clone"} }), "not a kind of copies"},
		"panic":        {line(func(s *registry.DumpServer) { s.Facts.Repo.Owner, s.Repository.Owner = "panics", "panics" }), "cannot be scored"},
		"package":      {`{"package":{"registryType":"npm","identifier":"a","facts":{"registryType":"npm","identifier":"b"}}}`, "another package"},
		"remote":       {`{"package":{"registryType":"remote","identifier":"http://localhost/"}}`, "not the address"},
		"listing":      {`{"listing":{"listing":{"name":""}}}`, "official registry"},
		"departed":     {`{"departed":{"name":"<b>/x","version":"1","at":"2026-11-01T00:00:00Z"}}`, "not the name of an entry"},
		"left later":   {`{"departed":{"name":"io.github.octo/weather","version":"1","at":"2036-11-01T00:00:00Z"}}`, "future"},
		"earlier":      {`{"listing":{"listing":{"name":"io.x/a"},"seenAt":"2026-11-01T00:00:00Z","earlier":[{"name":"io.x/b","version":"1"}]}}`, "not an earlier one"},
		"slug of gone": {`{"gone":{"slug":"A B"}}`, "not a slug"},
		"repository":   {`{"repository":{"host":"github","owner":"-","name":"..","state":"gone"}}`, "not a repository"},
	} {
		t.Run(name, func(t *testing.T) {
			good, err := json.Marshal(registry.DumpLine{Server: server(2)})
			if err != nil {
				t.Fatal(err)
			}
			counts := map[string]int{"server": 1}
			counts[kindOf([]byte(tc.line))]++
			header, err := json.Marshal(registry.DumpHeader{Format: format, Version: version, Lines: counts})
			if err != nil {
				t.Fatal(err)
			}
			s, rejected := new(store), []string(nil)
			state, err := newImporter(s, &rejected).Import(t.Context(),
				bytes.NewReader(packed(string(header), tc.line, string(good))))
			if err != nil || state.Stored != 1 || state.Rejected != 1 || len(rejected) != 1 ||
				!strings.HasPrefix(rejected[0], "2: ") || !strings.Contains(rejected[0], tc.says) {
				t.Errorf("%v, %+v, %q", err, state, rejected)
			}
		})
	}
}

func TestCheck_addresses(t *testing.T) {
	s := server(1)
	f := &s.Facts
	f.Repo.Homepage, f.Detection.Homepage = "example.com", "javascript:alert(1)"
	f.Readme = &registry.ReadmeFacts{Successor: " JavaScript:alert(1)"}
	f.Listing = &registry.Listing{Name: "a/b", IconURL: "http://x.example/i.png", WebsiteURL: "data:text/html,x",
		RepoURL: "git+https://github.com/octo/mcp"}
	f.Packages = []registry.PackageFacts{{RegistryType: "npm", Identifier: "a", RepoURL: "vbscript:x"}}
	f.Detection.Remotes = []registry.Remote{{URL: "file:///etc/passwd"}, {URL: "https://{tenant}.example/mcp"}}
	if err := check(&registry.DumpLine{Server: s}, start); err != nil {
		t.Fatal(err)
	}
	got := []string{f.Repo.Homepage, f.Detection.Homepage, f.Readme.Successor, f.Listing.IconURL,
		f.Listing.WebsiteURL, f.Listing.RepoURL, f.Packages[0].RepoURL, f.Detection.Remotes[0].URL}
	want := []string{"example.com", "", "", "", "", "git+https://github.com/octo/mcp", "", "https://{tenant}.example/mcp"}
	if d := cmp.Diff(want, got); d != "" || len(f.Detection.Remotes) != 1 {
		t.Errorf("%s", d)
	}
}

func TestDaily(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dumps")
	w := Writer{Source: source(2), Documents: documents{}}
	for day := range 10 {
		n, err := w.Daily(t.Context(), dir, start.AddDate(0, 0, day))
		if err != nil || n != 2 {
			t.Fatalf("%d %v", n, err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".dump-123"), nil, 0o600); err != nil { // of a killed run
			t.Fatal(err)
		}
	}
	if n, err := w.Daily(t.Context(), dir, start.AddDate(0, 0, 9)); n != 0 || err != nil {
		t.Errorf("the same day again: %d %v", n, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := []string{registry.DumpSums, registry.LatestDump}
	for day := 25; day <= 30; day++ {
		want = append(want, fmt.Sprintf("servers-2026-11-%02d.jsonl.gz", day))
	}
	want = append(want, "servers-2026-12-01.jsonl.gz")
	if d := cmp.Diff(want, names); d != "" {
		t.Error(d)
	}
	for _, name := range want[1:] {
		if err := Verify(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if sums, err := readSums(filepath.Join(dir, registry.DumpSums)); err != nil || len(sums) != 8 {
		t.Errorf("%v %v", sums, err)
	}
	if _, err := (&Writer{Source: source(0), Documents: documents{}}).Daily(t.Context(), t.TempDir(), start); !IsEmpty(err) {
		t.Errorf("of an empty registry: %v", err)
	}
}

func FuzzReader(f *testing.F) {
	f.Add(dump(f, 2), true)
	f.Add([]byte(`{"format":"census-dump","version":1,"lines":{"day":1}}`+"\n"+`{"day":{"date":"2026-11-21"}}`+"\n"), false)
	f.Add([]byte("\x1f\x8b"), true)
	f.Fuzz(func(t *testing.T, data []byte, raw bool) {
		if !raw {
			data = packed(strings.Split(string(data), "\n")...)
		}
		s := new(store)
		state, err := newImporter(s, new([]string)).Import(t.Context(), bytes.NewReader(data))
		if err != nil && !errors.Is(err, registry.ErrInvalid) {
			t.Errorf("the error is %v", err)
		}
		if int(state.Stored) != len(s.slugs) {
			t.Errorf("%d servers counted, %d stored", state.Stored, len(s.slugs))
		}
	})
}
