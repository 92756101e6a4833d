package github

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler"
	"mcpcensus/internal/registry"
)

func TestTexts(t *testing.T) {
	blob := func(text string) map[string]any {
		return map[string]any{"byteSize": len(text), "isBinary": false, "isTruncated": false, "text": text}
	}
	contents := map[string]any{
		oid(1): blob("docs/real.md"), // the link's text
		oid(2): blob("# Real"),
		oid(3): map[string]any{"byteSize": 9, "isBinary": true, "isTruncated": false, "text": nil},
		oid(4): map[string]any{"byteSize": 600000, "isBinary": false, "isTruncated": true, "text": "{"},
		oid(5): blob("\ufeff{}"),
		oid(6): blob("a\u0000b"),
		oid(7): nil,
		oid(8): blob("../../../etc/passwd"),
	}
	entries := []any{
		map[string]any{"name": "README.md", "type": "blob", "mode": 0o120000, "size": 12, "oid": oid(1)},
		map[string]any{"name": "docs", "type": "tree", "mode": 0o40000, "oid": oid(99), "object": map[string]any{"entries": []any{
			map[string]any{"name": "real.md", "type": "blob", "mode": 0o100644, "size": 6, "oid": oid(2)},
		}}},
		map[string]any{"name": "manifest.json", "type": "blob", "mode": 0o100644, "size": 9, "oid": oid(3)},
		map[string]any{"name": "server.json", "type": "blob", "mode": 0o100644, "size": 9, "oid": oid(4)},
		map[string]any{"name": "package.json", "type": "blob", "mode": 0o100644, "size": 5, "oid": oid(5)},
		map[string]any{"name": "pyproject.toml", "type": "blob", "mode": 0o100644, "size": 3, "oid": oid(6)},
		map[string]any{"name": "go.mod", "type": "blob", "mode": 0o100644, "size": 3, "oid": oid(7)},
		map[string]any{"name": "Cargo.toml", "type": "blob", "mode": 0o120000, "size": 3, "oid": oid(8)},
		map[string]any{"name": "sub", "type": "commit", "mode": 0o160000, "size": 0, "oid": oid(9)},
		map[string]any{"name": "a/b", "type": "blob", "mode": 0o100644, "size": 3, "oid": oid(10)},
		map[string]any{"name": "..", "type": "blob", "mode": 0o100644, "size": 3, "oid": oid(10)},
	}
	f := newFake(t, nil)
	f.respond = func(w http.ResponseWriter, q gqlRequest) {
		switch q.operation() {
		case "Tree":
			json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{"r0": map[string]any{"id": "R_1", "object": map[string]any{"entries": entries}}}})
		case "Blobs":
			fields := map[string]any{"id": "R_1"}
			var errs []any
			for i := 0; ; i++ {
				_, rest, ok := strings.Cut(q.Query, fmt.Sprintf(" f%d: object(oid: \"", i))
				if !ok {
					break
				}
				content := contents[rest[:40]]
				if content == nil {
					errs = append(errs, map[string]any{"path": []any{"r0", fmt.Sprint("f", i), "text"}, "message": "not recorded"})
				}
				fields[fmt.Sprint("f", i)] = content
			}
			json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{"r0": fields}, "errors": errs})
		default:
			honest(w, q, nil)
		}
	}
	v := visitAll(t, f.github(t, nil), newNamed(1))[1]
	if v.Outcome != registry.Fetched {
		t.Fatalf("%s: %v", v.Outcome, v.Err)
	}
	want := map[string]string{"README.md": "# Real", "package.json": "{}"}
	if fmt.Sprint(v.Snapshot.Texts) != fmt.Sprint(want) {
		t.Errorf("texts %q", v.Snapshot.Texts)
	}
	var paths []string
	for _, file := range v.Snapshot.Files {
		paths = append(paths, file.Path+" "+file.Mode)
	}
	if got := strings.Join(paths, ","); got != "Cargo.toml 120000,README.md 120000,docs/real.md 100644,go.mod 100644,manifest.json 100644,package.json 100644,pyproject.toml 100644,server.json 100644,sub 160000" {
		t.Errorf("files %s", got)
	}
}

// TestBinaryReadme reads READMEs with a NUL byte, or in UTF-16.
func TestBinaryReadme(t *testing.T) {
	tests := map[string]struct{ raw, want string }{
		"a NUL byte": {"# Weather\n" + strings.Repeat("word ", 30) + "\x00end", "# Weather\n" + strings.Repeat("word ", 30) + "end"},
		"UTF-16":     {"\xff\xfe#\x00 \x00W\x00", "# W"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			entries := []any{map[string]any{"name": "README.md", "type": "blob", "mode": 0o100644, "size": len(test.raw), "oid": oid(1)}}
			f := newFake(t, nil)
			f.respond = func(w http.ResponseWriter, q gqlRequest) {
				switch q.operation() {
				case "Tree":
					json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{"r0": map[string]any{"id": "R_1", "object": map[string]any{"entries": entries}}}})
				case "Blobs":
					blob := map[string]any{"byteSize": len(test.raw), "isBinary": true, "isTruncated": false, "text": nil}
					json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{"r0": map[string]any{"id": "R_1", "f0": blob}}})
				default:
					honest(w, q, nil)
				}
			}
			f.rest["/repos/o/r1/git/blobs/"+oid(1)] = func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, test.raw) }
			v := visitAll(t, f.github(t, nil), newNamed(1))[1]
			if v.Outcome != registry.Fetched || v.Snapshot.Texts["README.md"] != test.want {
				t.Errorf("%s %v: %q, want %q", v.Outcome, v.Err, v.Snapshot.Texts, test.want)
			}
		})
	}
}

// TestSourceTexts reads a repository whose stored snapshot was selected by earlier rules. Its
// listing and known texts are reused; source files and their imports are read in one more query.
func TestSourceTexts(t *testing.T) {
	texts := map[string]string{oid(1): `import "./sub/a.js"`, oid(2): `import "./b.js"`, oid(3): "# Octo", oid(4): "let b = 1"}
	f := newFake(t, nil)
	var read [][]string
	f.respond = func(w http.ResponseWriter, q gqlRequest) {
		if q.operation() != "Blobs" {
			honest(w, q, nil)
			return
		}
		fields, requested := map[string]any{"id": "R_1"}, []string{}
		for i := 0; ; i++ {
			_, rest, ok := strings.Cut(q.Query, fmt.Sprintf(" f%d: object(oid: \"", i))
			if !ok {
				break
			}
			text := texts[rest[:40]]
			requested = append(requested, text)
			fields[fmt.Sprint("f", i)] = map[string]any{
				"byteSize": len(text), "isBinary": false, "isTruncated": false, "text": text,
			}
		}
		read = append(read, requested)
		json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{"r0": fields}})
	}
	works := known(1, false)
	s := works[0].Stored
	s.Selection = 0
	for i, p := range []string{"index.ts", "z/sub/a.ts", "README.md", "sub/a.ts"} {
		id := min(i+1, 3)
		if p == "sub/a.ts" {
			id = 2
		}
		s.Files = append(s.Files, registry.File{Path: p, OID: oid(id), Size: 5, Mode: "100644"})
	}
	s.Files = append(s.Files, registry.File{Path: "sub/b.ts", OID: oid(4), Size: 5, Mode: "100644"})
	for i := range 160 { // more promising files than are read at first
		s.Files = append(s.Files, registry.File{Path: fmt.Sprintf("a/t%d.ts", i), OID: oid(9), Size: 5, Mode: "100644"})
	}
	g := f.github(t, nil)
	g.Texts = func(context.Context, int64) (map[string]string, error) {
		return map[string]string{"README.md": "# Octo"}, nil
	}
	for v := range g.Visit(t.Context(), works) {
		if v.Outcome != registry.Fetched || v.Snapshot.TextsStored || v.Snapshot.Selection != crawler.Selection {
			t.Fatalf("%s: %v, texts stored %v, selection %d", v.Outcome, v.Err, v.Snapshot.TextsStored, v.Snapshot.Selection)
		}
		want := map[string]string{"README.md": "# Octo", "index.ts": texts[oid(1)], "sub/a.ts": texts[oid(2)],
			"sub/b.ts": texts[oid(4)]}
		got := map[string]string{}
		for p := range want {
			got[p] = v.Snapshot.Texts[p]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	if len(read) != 3 || len(read[0]) != 150 || len(read[1]) != 1 || len(read[2]) != 1 || f.count("GET") != 0 {
		t.Errorf("queries for %v, %d REST requests", read, f.count("GET"))
	}
}
