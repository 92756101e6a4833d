package search

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWords(t *testing.T) {
	tests := []struct {
		text string
		want string // of a server's text, with parts
	}{
		{"", ""},
		{"Hello, World!", "hello world"},
		{"getForecast", "getforecast get forecast"},
		{"get_forecast-for city", "get forecast for city"},
		{"HTTPServer2Go", "httpserver2go http server2 go"},
		{"MCP API v2.0", "mcp api v2 0"},
		{"GitHub", "github git hub"},
		{"Postgres", "postgres"},
		{"Café Zürich ﬁle straße", "cafe zurich file strasse"},
		{"天气预报 MCP", "天 气 预 报 mcp"},
		{"Москва", "москва"},
		{"ＦＩＬＥ", "file"},
		{"a\x00b \xff c", "a b c"},
		{"e\u0301a", "ea"},
	}
	for _, tt := range tests {
		var got []string
		eachWord(tt.text, true, func(w string) { got = append(got, w) })
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, s, tt.want)
		}
	}
}

func TestJoined(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "filesystem": "", "file system": "filesystem", "mcp-File_System": "mcpfile filesystem",
		"a file": "", "天气 预报": "", "weather 天气": "", "x2 y2 z": "x2y2",
		strings.Repeat("a", 40) + " " + strings.Repeat("b", 40): "",
	} {
		if got := strings.Join(joined(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestTerms(t *testing.T) {
	tests := []struct{ text, want string }{
		{"slack mess", "slack mess*"},
		{"slack mess ", "slack mess"},
		{"slack, mess.", "slack mess"},
		{"s", "s"},
		{"slack slack", "slack*"},
		{"getForecast", "getforecast*"},
		{"???", ""},
	}
	for _, tt := range tests {
		var got []string
		for _, term := range terms(tt.text) {
			w := term.word
			if term.prefix {
				w += "*"
			}
			got = append(got, w)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, s, tt.want)
		}
	}
	if n := len(terms(strings.Repeat("a b c d e f g h i j k l m n o p q r s t u v w x y z ", 50))); n != maxQuery {
		t.Errorf("%d words are read", n)
	}
}

func TestNear(t *testing.T) {
	tests := []struct {
		typed, word string
		errors      int // -1: not near
	}{
		{"postgers", "postgres", 1}, {"slakc", "slack", 1}, {"slacc", "slack", 1}, {"slck", "slack", -1}, {"slacks", "slack", 1},
		{"kubernets", "kubernetes", 1}, {"kuberntees", "kubernetes", 1}, {"kuberetse", "kubernetes", 2}, {"xubernetes", "kubernetes", -1},
		{"slack", "black", -1}, {"notion", "nation", 1}, {"notion", "station", -1}, {"12345", "12346", -1}, {"пример", "примера", -1},
		{"abcdefghi", "abcdefg", 2}, {"abcdefgh", "abcdef", -1},
	}
	for _, tt := range tests {
		e, ok := near(tt.typed, tt.word)
		if ok != (tt.errors >= 0) || ok && e != tt.errors {
			t.Errorf("%s, %s: %d %v", tt.typed, tt.word, e, ok)
		}
	}
}

func FuzzEachWord(f *testing.F) {
	f.Add("getForecast 天气 e\u0301 \xff\x00 ﬁ İ ß ǅ")
	f.Fuzz(func(t *testing.T, text string) {
		var whole, parts []string
		eachWord(text, false, func(w string) { whole = append(whole, w) })
		eachWord(text, true, func(w string) { parts = append(parts, w) })
		for _, w := range append(whole, parts...) {
			if w == "" || len(w) > maxWord || !utf8.ValidString(w) || strings.ContainsAny(w, " .\x00\"") {
				t.Fatalf("%q gives %q", text, w)
			}
			if g := fold(w); g != w {
				t.Fatalf("%q folds to %q and that to %q", text, w, g)
			}
		}
		for _, w := range whole {
			if !slices.Contains(parts, w) {
				t.Fatalf("%q: a query's word %q is none of a server's", text, w)
			}
		}
		terms(text)
	})
}
