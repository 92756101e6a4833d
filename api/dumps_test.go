package api

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDumps(t *testing.T) {
	dir := t.TempDir()
	sum := strings.Repeat("0123456789abcdef", 4)
	for name, text := range map[string]string{
		"servers-2026-11-21.jsonl.gz": "older", "servers-2026-11-22.jsonl.gz": "newest", ".dump-1": "partial",
		"SHA256SUMS": sum + "  servers-2026-11-21.jsonl.gz\n" + sum + "  servers-2026-11-22.jsonl.gz\n" +
			sum + "  latest.jsonl.gz\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("servers-2026-11-22.jsonl.gz", filepath.Join(dir, "latest.jsonl.gz")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "servers-2026-11-20.jsonl.gz")); err != nil {
		t.Fatal(err)
	}
	x := start(t, 0, func(o *Options) { o.Dumps = dir })
	var list dumpsBody
	if status, b := x.get("/dumps"); status != 200 || json.Unmarshal(b, &list) != nil || len(list.Dumps) != 2 ||
		list.Dumps[0] != (dumpBody{"2026-11-22", 6, sum, "https://census.example/dumps/servers-2026-11-22.jsonl.gz"}) {
		t.Errorf("%d %s", status, b)
	}
	for _, tc := range []struct {
		path   string
		header []string
		status int
		body   string
		with   string // a header
	}{
		{"latest.jsonl.gz", nil, 200, "newest", "Content-Type: application/gzip"},
		{"latest.jsonl.gz", nil, 200, "newest", "Cache-Control: public, no-cache"},
		{"servers-2026-11-21.jsonl.gz", nil, 200, "older", "Cache-Control: public, max-age=86400, immutable"},
		{"servers-2026-11-22.jsonl.gz", []string{"Range", "bytes=2-3"}, 206, "we", "Content-Range: bytes 2-3/6"},
		{"servers-2026-11-22.jsonl.gz", []string{"Range", "bytes=9-"}, 416, "", "Content-Range: bytes */6"},
		{"servers-2026-11-22.jsonl.gz", []string{"If-None-Match", `"0123456789abcdef"`}, 304, "", `Etag: "0123456789abcdef"`},
		{"servers-2026-11-22.jsonl.gz", []string{"Range", "bytes=2-3", "If-Range", `"other"`}, 200, "newest", ""},
		{"SHA256SUMS", nil, 200, sum, "Content-Type: text/plain; charset=utf-8"},
		{"servers-2026-11-23.jsonl.gz", nil, 404, "dump_not_found", ""},
		{".dump-1", nil, 404, "dump_not_found", ""},
		{"..%2fsecret", nil, 404, "", ""},
		{"servers-2026-11-22.jsonl.gz%00", nil, 404, "", ""},
	} {
		res := x.do("GET", "/dumps/"+tc.path, tc.header...)
		b := make([]byte, 4096)
		n, _ := res.Body.Read(b)
		name, value, _ := strings.Cut(tc.with, ": ")
		if res.StatusCode != tc.status && !(tc.body == "" && res.StatusCode == 400) ||
			!strings.Contains(string(b[:n]), tc.body) || tc.with != "" && res.Header.Get(name) != value {
			t.Errorf("%s %q: %d %v %s", tc.path, tc.header, res.StatusCode, res.Header, b[:n])
		}
	}
	for _, method := range []string{"GET", "OPTIONS"} {
		res := x.do(method, "/dumps", "Origin", "https://page.example")
		if res.Header.Get("Access-Control-Allow-Origin") != "*" || res.StatusCode >= 400 {
			t.Errorf("%s from a page: %d %v", method, res.StatusCode, res.Header)
		}
	}
	if res := x.do("HEAD", "/dumps/latest.jsonl.gz"); res.StatusCode != 200 || res.Header.Get("Content-Length") != "6" {
		t.Errorf("HEAD: %d %v", res.StatusCode, res.Header)
	}
	if res := x.do("GET", "/dumps/servers-2026-11-20.jsonl.gz"); res.StatusCode == 200 {
		t.Error("a link out of the folder was followed")
	}
	for _, folder := range []string{"", "/no/such/folder"} {
		x := start(t, 0, func(o *Options) { o.Dumps = folder })
		if status, b := x.get("/dumps"); status != 200 || string(b) != `{"dumps":[]}` {
			t.Errorf("%q: %d %s", folder, status, b)
		}
		if status, _ := x.get("/dumps/latest.jsonl.gz"); status != 404 {
			t.Errorf("%q: %d", folder, status)
		}
	}
}
