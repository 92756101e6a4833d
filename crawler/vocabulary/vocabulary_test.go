package vocabulary

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func file(text string) fs.FS { return fstest.MapFS{"x.txt": {Data: []byte(text)}} }

func TestLines(t *testing.T) {
	got := Lines(file("# comment\n\n  one \ntwo words\n#three\n"), "x.txt")
	if d := cmp.Diff([]string{"one", "two words"}, got); d != "" {
		t.Error(d)
	}
}

func TestPairs(t *testing.T) {
	got := Pairs(file("a: 1\nb c:\n"), "x.txt")
	if d := cmp.Diff(map[string]string{"a": "1", "b c": ""}, got); d != "" {
		t.Error(d)
	}
}

func TestMatching(t *testing.T) {
	files := file("tool(s)\ninstal*\nset up\nc++\n工具\nparam(eter)(s)\n")
	for text, want := range map[string][2]bool{ // anywhere, prefix, whole
		"Tools":              {true, true},
		"All tools of it":    {true, false},
		"toolbox":            {},
		"Tool: a":            {true, false},
		"Installation":       {true, true},
		"How to set  up":     {true, false},
		"setup":              {},
		"C++":                {true, true},
		"可用工具":               {true, false},
		"parameters":         {true, true},
		"param":              {true, true},
		"an uninstaller too": {},
	} {
		got := [2]bool{
			Anywhere(files, "x.txt").MatchString(text),
			Whole(files, "x.txt").MatchString(text),
		}
		if got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestExpressions(t *testing.T) {
	files := fstest.MapFS{
		"a/x.txt":    {Data: []byte("\\b{verb}s? servers\nx{2}$\n")},
		"a/verb.txt": {Data: []byte("# verbs\nlist\nrun\n")},
	}
	re := Expressions(files, "a/x.txt")
	for text, want := range map[string]string{
		"it Runs servers": "Runs servers",
		"list servers":    "list servers",
		"relist servers":  "",
		"axx":             "xx",
		"ax":              "",
	} {
		if got := re.FindString(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestMissingFile(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic for a missing file")
		}
	}()
	Lines(file(""), "missing.txt")
}
