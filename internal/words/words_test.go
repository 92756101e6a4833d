package words

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFields(t *testing.T) {
	for text, want := range map[string]string{
		"getForecast read_file": "getforecast read file", "Café ﬁle": "cafe file", "天気 maps": "天気 maps",
		"": "", "a-b.c": "a b c", "don’t": "don t",
	} {
		if d := cmp.Diff(want, strings.Join(Fields(Fold(text)), " ")); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

func TestCharacters(t *testing.T) {
	for word, want := range map[string]string{
		"天気": "天 気", "maps": "maps", "maps天気api": "maps 天 気 api", "": "", "한국어": "한국어",
	} {
		if d := cmp.Diff(want, strings.Join(Characters(word), " ")); d != "" {
			t.Errorf("%q: %s", word, d)
		}
	}
}

func TestStem(t *testing.T) {
	for word, want := range map[string]string{
		"reading": "read", "queries": "queri", "query": "queri", "databases": "databas", "git": "git",
		"a": "a", "": "", "天気": "天気", "é": "é",
	} {
		if d := cmp.Diff(want, Stem(word)); d != "" {
			t.Errorf("%q: %s", word, d)
		}
	}
}

func TestSingular(t *testing.T) {
	for word, want := range map[string]string{
		"queries": "query", "maps": "map", "aws": "aws", "class": "class", "status": "status", "analysis": "analysis",
		"ties": "tie", "": "",
	} {
		if d := cmp.Diff(want, Singular(word)); d != "" {
			t.Errorf("%q: %s", word, d)
		}
	}
}

func TestSpellings(t *testing.T) {
	for name, want := range map[string][]string{
		"":              nil,
		"notes":         {"notes"},
		"getForecast":   {"getForecast", "get Forecast"},
		"HTTPServer2Go": {"HTTPServer2Go", "HTTP Server2 Go"},
		"file-system":   {"file-system", "filesystem"},
		"mcpnotes":      {"mcpnotes", "notes"},
		"MCP":           {"MCP"},
		"GitHub":        {"GitHub", "Git Hub"},
	} {
		if d := cmp.Diff(want, Spellings(name)); d != "" {
			t.Errorf("%q: %s", name, d)
		}
	}
}

func TestOfSearch(t *testing.T) {
	for text, want := range map[string]string{
		"I need to read my Gmail": "read gmail", "gmail’s 'inbox' gmail": "gmail inbox", "my": "my", "": "",
		"file_system": "file system",
	} {
		if d := cmp.Diff(want, strings.Join(OfSearch(text), " ")); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
	if n := len(OfSearch(strings.Join(strings.Split("abcdefghijklmnopqrstuvwxyz0123456789", ""), "q "))); n != Max {
		t.Errorf("%d words, want %d", n, Max)
	}
}

func TestLeast(t *testing.T) {
	var got []int
	for n := range 13 {
		got = append(got, Least(n))
	}
	if d := cmp.Diff([]int{0, 1, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 4}, got); d != "" {
		t.Error(d)
	}
	if !slices.Contains(Stopwords, "server") {
		t.Error("the stop words are not read")
	}
}
