package export

import (
	"strings"
	"testing"
)

func TestWordsOf(t *testing.T) {
	for text, want := range map[string]string{
		"getForecast read_file": "getforecast get forecast read file", "HTTPServer2Go": "httpserver2go http server2 go", "Café ﬁle": "cafe file",
		"天気 maps": "天 気 maps", "GitHub": "github git hub", "MCP": "mcp", "": "", "a-b.c": "a b c",
	} {
		if got := strings.Join(wordsOf(text), " "); got != want {
			t.Errorf("%q has the words %q, want %q", text, got, want)
		}
	}
}
