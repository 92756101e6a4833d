package read

import (
	"archive/tar"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/read/readtest"
	"mcpcensus/crawler/source"
)

var tgz, file, zipped = readtest.Tgz, readtest.File, readtest.Zip

func TestUnpack(t *testing.T) {
	large := strings.Repeat("x", maxArchiveText+1)
	many := make([]tar.Header, maxArchiveFiles+1)
	for i := range many {
		many[i] = tar.Header{Name: "package/empty/", Typeflag: tar.TypeDir}
	}
	full := map[string]string{}
	for i := range maxArchiveTexts/maxArchiveText + 1 {
		full[strings.Repeat("a", i+1)+".py"] = large[1:]
	}
	type result struct {
		Files   source.Files
		Partial bool
		Err     string
	}
	for name, tc := range map[string]struct {
		file    string
		content []byte
		want    result
	}{
		"npm": {"package.tgz", tgz(t, file("package/package.json", "{}"), file("package/dist/index.js", "a"),
			file("package/README.md", "b"), file("package/dist/index.d.ts", "c"),
			file("package/node_modules/x/index.js", "d")),
			result{Files: source.Files{"package.json": "{}", "dist/index.js": "a"}}},
		"source distribution": {"tides-1.tar.gz", tgz(t, file("tides-1/tides/server.py", "a")),
			result{Files: source.Files{"tides/server.py": "a"}}},
		"wheel": {"tides-1-py3-none-any.whl", zipped(t, map[string]string{"tides/server.py": "a",
			"tides-1.dist-info/METADATA": "b", "tides-1.dist-info/RECORD": "c"}),
			result{Files: source.Files{"tides/server.py": "a", "tides-1.dist-info/METADATA": "b"}}},
		"zip": {"tides-1.zip", zipped(t, map[string]string{"tides-1/tides/server.py": "a"}),
			result{Files: source.Files{"tides/server.py": "a"}}},
		"links and devices": {"package.tgz", tgz(t,
			tar.Header{Name: "package/a.js", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"},
			tar.Header{Name: "package/b.js", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"},
			tar.Header{Name: "package/c.js", Typeflag: tar.TypeChar}), result{Files: source.Files{}}},
		"link in a zip": {"tides.whl", zipped(t, map[string]string{"a.py@": "/etc/passwd"}),
			result{Files: source.Files{}}},
		"paths": {"package.tgz", tgz(t, file("package/../../a.js", "a"), file("/package/b.js", "b"),
			file(`package/c\..\d.js`, "c"), file("e.js", "e"), file("package//f.js", "f")),
			result{Files: source.Files{"package/b.js": "b"}}},
		"paths in a zip": {"tides.whl", zipped(t, map[string]string{"../a.py": "a", "/b.py": "b"}),
			result{Files: source.Files{}}},
		"same path twice": {"package.tgz", tgz(t, file("package/a.js", "a"), file("package/a.js", "b")),
			result{Files: source.Files{"a.js": "b"}}},
		"large source file": {"package.tgz", tgz(t, file("package/a.js", large), file("package/b.js", "b")),
			result{Files: source.Files{"b.js": "b"}, Partial: true}},
		"large data": {"package.tgz", tgz(t, file("package/a.json", large)), result{Files: source.Files{}}},
		"large in a zip": {"tides.whl", zipped(t, map[string]string{"a.py": large}),
			result{Files: source.Files{}, Partial: true}},
		"many files": {"package.tgz", tgz(t, append(many, file("package/a.js", "a"))...),
			result{Files: source.Files{}, Partial: true}},
		"bomb": {"package.tgz", tgz(t, file("package/a.txt", strings.Repeat("\x00", maxUnpacked)),
			file("package/b.js", "b")), result{Files: source.Files{}, Partial: true}},
		"invalid UTF-8": {"package.tgz", tgz(t, file("package/a.js", "a\xff")),
			result{Files: source.Files{"a.js": "a\uFFFD"}}},
		"not gzip":     {"package.tgz", []byte("no"), result{Err: "not a gzip archive"}},
		"not a ZIP":    {"tides.whl", []byte("no"), result{Err: "not a ZIP archive, or damaged"}},
		"other format": {"tides.egg", nil, result{Err: "format is not supported"}},
		"cut": {"package.tgz", tgz(t, file("package/a.js", large))[:60],
			result{Err: "not a tar archive, or damaged"}},
		"empty":           {"package.tgz", tgz(t), result{Files: source.Files{}}},
		"not in a folder": {"package.tgz", tgz(t, file("a.js", "a")), result{Files: source.Files{}}},
	} {
		t.Run(name, func(t *testing.T) {
			files, partial, err := unpack(tc.file, tc.content)
			got := result{Files: files, Partial: partial}
			if err != nil {
				got.Err = err.Error()
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
	files, partial, err := unpack("tides.whl", zipped(t, full))
	if len(files) != maxArchiveTexts/maxArchiveText || !partial || err != nil {
		t.Errorf("limit of all texts: %d files, partial %v, %v", len(files), partial, err)
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add("package.tgz", tgz(f, file("package/a.js", "a"), file("package/../b.js", "b")))
	f.Add("tides.whl", zipped(f, map[string]string{"tides/a.py": "a", "../b.py": "b", "c.py@": "/"}))
	f.Add("tides.zip", zipped(f, map[string]string{"tides/a.py": "a"}))
	f.Fuzz(func(t *testing.T, name string, content []byte) {
		files, _, err := unpack(name, content)
		if err != nil && files != nil {
			t.Errorf("files with error %v", err)
		}
		size := 0
		for p, text := range files {
			size += len(text)
			if !fs.ValidPath(p) || len(text) > 3*maxArchiveText {
				t.Errorf("file %q with %d bytes", p, len(text))
			}
		}
		if size > 3*maxArchiveTexts || len(files) > maxArchiveFiles { // U+FFFD has three bytes
			t.Errorf("%d files with %d bytes", len(files), size)
		}
	})
}
