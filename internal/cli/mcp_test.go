package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestMCPLines checks that the MCP server answers lines that are not messages, and those
// after them.
func TestMCPLines(t *testing.T) {
	const (
		ping    = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		pong    = `{"jsonrpc":"2.0","id":1,"result":{}}`
		parse   = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: `
		invalid = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: `
	)
	tests := []struct {
		name, in string
		want     []string // the beginnings of the responses other than pong, in any order
	}{
		{"text", "hello\n", []string{parse + `the line is not JSON"}}`}},
		{"half a message", `{"jsonrpc":` + "\n", []string{parse}},
		{"two messages on a line", ping + ping + "\n", []string{parse}},
		{"several", "a\nb\n", []string{parse, parse}},
		{"empty lines", "\n \r\n", nil},
		{"batch", `[{"jsonrpc":"2.0","id":2,"method":"ping"},1]` + "\n",
			[]string{invalid, `{"jsonrpc":"2.0","id":2,"result":{}}`}},
		{"empty batch", "[]\n", []string{invalid}},
		{"another value", "1\n", []string{invalid}},
		{"null", "null\n", []string{invalid}},
		{"no version", `{"id":1,"method":"ping"}` + "\n", []string{invalid}},
		{"neither method nor id", `{"jsonrpc":"2.0"}` + "\n", []string{invalid}},
		{"an id of another type", `{"jsonrpc":"2.0","id":{},"method":"ping"}` + "\n", []string{invalid}},
		{"a method of another type", `{"jsonrpc":"2.0","id":1,"method":1}` + "\n", []string{invalid}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := serve(t, "", tt.in+ping+"\n", len(tt.want)+1)
			want := append(tt.want, pong)
			slices.Sort(got)
			slices.Sort(want)
			for i := range min(len(got), len(want)) {
				if strings.HasPrefix(got[i], want[i]) {
					got[i] = want[i]
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestMCPRefused checks what the tools say if the registry refuses requests.
func TestMCPRefused(t *testing.T) {
	for status, want := range map[int]string{
		http.StatusUnauthorized: "does not accept the API key in CENSUS_API_KEY: This API key is unknown.",
		http.StatusNotFound:     "Check the URL (--registry)",
	} {
		registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			if status == http.StatusUnauthorized {
				_, _ = io.WriteString(w, `{"jsonrpc": "2.0", "id": null, "error": {"code": -32001,
					"message": "This API key is unknown."}}`)
			}
		}))
		defer registry.Close()
		got := serve(t, registry.URL,
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",`+
				`"capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`+"\n"+
				`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+
				`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"find_servers"}}`+"\n", 2)
		if !strings.Contains(got[1], want) {
			t.Errorf("%d: %s", status, got[1])
		}
	}
}

// serve sends a text to the MCP server and returns its first n lines.
func serve(t *testing.T, registry, text string, n int) (lines []string) {
	m := newMachine(t, newRegistry(t))
	in, input := io.Pipe()
	output, out := io.Pipe()
	m.program.Stdin, m.program.Stdout = in, out
	status := make(chan int)
	go func() { status <- m.program.Run(t.Context(), []string{"mcp", "--registry", registry}) }()
	go func() { _, _ = io.WriteString(input, text) }()
	for s := bufio.NewScanner(output); len(lines) < n && s.Scan(); {
		lines = append(lines, s.Text())
	}
	input.Close()
	if got := <-status; got != 0 {
		t.Errorf("exit status %d: %s", got, m.errs.String())
	}
	return lines
}

// TestMCPDrains checks that all requests before the end of the input are answered.
func TestMCPDrains(t *testing.T) {
	const calls = 20
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(50 * time.Millisecond)
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer registry.Close()
	var in strings.Builder
	in.WriteString(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"a","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n")
	for i := range calls {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"find_servers"}}`+"\n", i+3)
	}
	m := newMachine(t, newRegistry(t))
	var out bytes.Buffer
	m.program.Stdin, m.program.Stdout = strings.NewReader(in.String()), &out
	if status := m.program.Run(t.Context(), []string{"mcp", "--registry", registry.URL}); status != 0 {
		t.Errorf("exit status %d: %s", status, m.errs.String())
	}
	answered := map[int]bool{}
	for line := range strings.Lines(out.String()) {
		var response struct{ ID int }
		if err := json.Unmarshal([]byte(line), &response); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		answered[response.ID] = true
	}
	for id := 1; id <= calls+2; id++ {
		if !answered[id] {
			t.Errorf("request %d has no response", id)
		}
	}
}
