package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// endpoint is an /mcp whose methods respond in the ways that registries do.
type endpoint struct {
	*httptest.Server
	mu      sync.Mutex
	headers []string // of requests: method, name and revision
	ended   chan struct{}
}

func newMCPEndpoint(t *testing.T) *endpoint {
	e := &endpoint{ended: make(chan struct{}, 1)}
	e.Server = httptest.NewServer(e)
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil || r.URL.Path != "/mcp" {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	e.mu.Lock()
	e.headers = append(e.headers, strings.Join([]string{m.Method, r.Header.Get("Mcp-Method"),
		r.Header.Get("Mcp-Name"), r.Header.Get("MCP-Protocol-Version")}, " "))
	e.mu.Unlock()
	respond := func(status int, text string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, strings.ReplaceAll(text, "ID", string(m.ID)))
	}
	switch {
	case r.Header.Get("Authorization") == "Bearer wrong":
		respond(401, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"Unknown API key."}}`)
	case m.Method == "down":
		w.WriteHeader(http.StatusServiceUnavailable)
	case m.Method == "moved":
		http.Redirect(w, r, "https://elsewhere.example/mcp", http.StatusTemporaryRedirect)
	case m.Method == "unread":
		respond(400, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"No such method."}}`)
	case m.Method == "subscriptions/listen", m.Method == "wait":
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "event: message\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"method\":\"notifications/a\"}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		e.ended <- struct{}{}
	case m.Method == "stream":
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		_, _ = fmt.Fprintf(w, ": comment\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/a\"}\n\n"+
			"id: 1\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}\n\n", m.ID)
	case m.Method == "cut":
		w.Header().Set("Content-Type", "text/event-stream")
	case m.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	case m.Method == "initialize":
		respond(200, `{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"2025-06-18"}}`)
	default:
		time.Sleep(20 * time.Millisecond)
		respond(200, "{\n\"jsonrpc\":\"2.0\",\n\"id\":ID,\"result\":{}}")
	}
}

// bridged returns the lines that a bridge writes for an input, and its log.
func bridged(t *testing.T, url, key, in string) (lines []string, log string) {
	t.Helper()
	var out, logged bytes.Buffer
	b := newBridge(url+"/", key, "test/1", &out, slog.New(slog.NewTextHandler(&logged, nil)))
	if err := b.run(t.Context(), strings.NewReader(in)); err != nil {
		t.Error(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n"), logged.String()
}

func TestBridge(t *testing.T) {
	e := newMCPEndpoint(t)
	const (
		ping    = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		pong    = `{"jsonrpc":"2.0","id":1,"result":{}}`
		parse   = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: the line is not JSON"}}`
		invalid = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,` +
			`"message":"Invalid request: it is not a message of JSON-RPC 2.0"}}`
		noted   = `{"jsonrpc":"2.0","method":"notifications/a"}`
		failure = `{"jsonrpc":"2.0","id":2,"error":{"code":%d,"message":"%s"}}`
	)
	request := func(method string) string { return `{"jsonrpc":"2.0","id":2,"method":"` + method + `"}` }
	failed := func(code int, message string) string { return fmt.Sprintf(failure, code, message) }
	noMessage := func(status string) string {
		return failed(-32000, "the registry at "+e.URL+" responded with "+status+
			" and no message; check the URL (--registry)")
	}
	for _, tt := range []struct {
		name, in string
		want     []string // besides pong, in any order
	}{
		{"text", "hello", []string{parse}},
		{"half a message", `{"jsonrpc":`, []string{parse}},
		{"two messages on a line", ping + ping, []string{parse}},
		{"empty lines", "\n \r\n", nil},
		{"batch", `[ ` + request("ping") + ` , 1]`, []string{invalid, `{"jsonrpc":"2.0","id":2,"result":{}}`}},
		{"empty batch", "[]", []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,` +
			`"message":"Invalid request: the batch is empty"}}`}},
		{"another value", "1", []string{invalid}},
		{"null", "null", []string{invalid}},
		{"neither method nor ID", `{"jsonrpc":"2.0"}`, []string{invalid}},
		{"method of another type", `{"jsonrpc":"2.0","id":1,"method":1}`, []string{invalid}},
		{"parameters of other types", `{"jsonrpc":"2.0","id":2,"method":"x","params":{"name":1,"_meta":2}}`,
			[]string{`{"jsonrpc":"2.0","id":2,"result":{}}`}},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil},
		{"stream", request("stream"), []string{noted, `{"jsonrpc":"2.0","id":2,"result":{}}`}},
		{"stream that ends early", request("cut"),
			[]string{failed(-32000, "the response of the registry ended early: unexpected EOF")}},
		{"not available", request("down"), []string{noMessage("503 Service Unavailable")}},
		{"redirect", request("moved"), []string{noMessage("307 Temporary Redirect")}},
		{"error without ID", request("unread"), []string{failed(-32600, "No such method.")}},
		{"failed notification", `{"jsonrpc":"2.0","method":"down"}`, nil},
		{"failed response", `{"jsonrpc":"2.0","id":2,"method":"down","result":{}}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, log := bridged(t, e.URL, "", tt.in+"\n"+ping)
			want := append(tt.want, pong)
			slices.Sort(got)
			slices.Sort(want)
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
			if logged := strings.Contains(log, "503"); logged != strings.HasPrefix(tt.name, "failed") {
				t.Errorf("the log is %q", log)
			}
		})
	}
	got, _ := bridged(t, e.URL, "wrong", request("ping"))
	if want := []string{failed(-32000,
		"The registry does not accept the API key in CENSUS_API_KEY: Unknown API key.")}; !slices.Equal(got, want) {
		t.Errorf("wrong key: %s", got)
	}
	got, _ = bridged(t, "http://127.0.0.1:1", "", request("ping"))
	if !strings.Contains(got[0], "the registry at http://127.0.0.1:1 did not respond: ") {
		t.Errorf("no registry: %s", got)
	}
}

// TestBridge_headers checks that headers repeat the message, or the revision of the session.
func TestBridge_headers(t *testing.T) {
	e := newMCPEndpoint(t)
	bridged(t, e.URL, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"find_servers"}}
{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"census://a",
"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	slices.Sort(e.headers)
	if d := cmp.Diff([]string{"initialize initialize  ", "tools/call tools/call find_servers 2025-06-18"},
		e.headers); d != "" {
		t.Error(d)
	}
	e.headers = nil
	bridged(t, e.URL, "", `{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"census://a",`+
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	if d := cmp.Diff([]string{"resources/read resources/read census://a 2026-07-28"}, e.headers); d != "" {
		t.Error(d)
	}
}

// TestBridge_drains checks that all requests before the end of the input are answered.
func TestBridge_drains(t *testing.T) {
	const calls = 200
	var in strings.Builder
	for i := range calls {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", i)
	}
	lines, _ := bridged(t, newMCPEndpoint(t).URL, "", in.String())
	answered := map[int]bool{}
	for _, line := range lines {
		var response struct{ ID int }
		if err := json.Unmarshal([]byte(line), &response); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		answered[response.ID] = true
	}
	if len(lines) != calls || len(answered) != calls {
		t.Errorf("%d lines for %d requests, want %d", len(lines), len(answered), calls)
	}
}

// TestBridge_ends checks that canceled requests, and streams when the input ends, end at the
// registry and have no response.
func TestBridge_ends(t *testing.T) {
	e := newMCPEndpoint(t)
	for method, end := range map[string]string{
		"wait":       `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`,
		methodListen: "",
	} {
		in, input := io.Pipe()
		output, out := io.Pipe()
		b := newBridge(e.URL, "", "test/1", out, slog.New(slog.DiscardHandler))
		done := make(chan error, 1)
		go func() {
			done <- b.run(t.Context(), in)
			out.Close()
		}()
		if _, err := io.WriteString(input, `{"jsonrpc":"2.0","id":"a","method":"`+method+`"}`+"\n"); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 100)
		n, err := output.Read(buf)
		if want := `{"jsonrpc":"2.0","method":"notifications/a"}` + "\n"; err != nil || string(buf[:n]) != want {
			t.Fatalf("%s: %q, %v", method, buf[:n], err)
		}
		if _, err := io.WriteString(input, end+"\n"); err != nil {
			t.Fatal(err)
		}
		if method == methodListen {
			input.Close()
		}
		<-e.ended
		input.Close()
		if rest, err := io.ReadAll(output); err != nil || len(rest) > 0 || <-done != nil {
			t.Errorf("%s: %q, %v", method, rest, err)
		}
	}
}
