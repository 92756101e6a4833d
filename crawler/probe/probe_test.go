package probe

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcpcensus/crawler/mcp"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

const (
	testHost = "mcp.example.com"
	testURL  = "https://" + testHost + "/mcp"
)

var public = netip.MustParseAddr("93.184.216.34")

// A tlsServer serves every name under example.com.
type tlsServer struct {
	*httptest.Server
	addrs func(host string) ([]netip.Addr, error)

	mu       sync.Mutex
	requests []string // method and path
	dialled  []string
}

func newInternet(t *testing.T, h http.Handler) *tlsServer {
	t.Helper()
	in := &tlsServer{}
	in.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in.mu.Lock()
		in.requests = append(in.requests, r.Method+" "+r.URL.Path)
		in.mu.Unlock()
		if r.Header.Get("Cookie") != "" || r.Header.Get("Authorization") != "" {
			t.Error("credentials were sent")
		}
		h.ServeHTTP(w, r)
	}))
	in.Config.ErrorLog = nil
	in.StartTLS()
	t.Cleanup(func() { in.CloseClientConnections(); in.Close() })
	return in
}

func (in *tlsServer) prober(options ...func(*Options)) *Prober {
	roots := x509.NewCertPool()
	roots.AddCert(in.Certificate())
	opt := Options{
		UserAgent: "census-probe/1 (+https://census.example)", Interval: time.Microsecond,
		RequestTimeout: 2 * time.Second, Timeout: 10 * time.Second,
		Guard: transport.Guard{
			ConnectTimeout: 2 * time.Second, HeaderTimeout: time.Second, Roots: roots,
			Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
				if in.addrs != nil {
					return in.addrs(host)
				}
				return []netip.Addr{public}, nil
			},
			Connect: func(ctx context.Context, network, address string) (net.Conn, error) {
				in.mu.Lock()
				in.dialled = append(in.dialled, address)
				in.mu.Unlock()
				var d net.Dialer
				return d.DialContext(ctx, network, in.Listener.Addr().String())
			},
		},
		Now: func() time.Time { return time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC) },
	}
	for _, o := range options {
		o(&opt)
	}
	return New(opt)
}

// rpc decodes a JSON-RPC request.
func rpc(r *http.Request) (method string, id json.RawMessage, cursor string) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ Cursor string }
	}
	_ = json.NewDecoder(r.Body).Decode(&m)
	return m.Method, m.ID, m.Params.Cursor
}

func result(w http.ResponseWriter, id json.RawMessage, text string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, text)
}

func failure(w http.ResponseWriter, status int, id json.RawMessage, code int, data string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no","data":%s}}`, id, code, data)
}

const twoTools = `{"tools":[{"name":"get_forecast","title":"Forecast","description":"Returns the forecast.",
	"inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"list_places"}]}`

// modernServer implements the stateless protocol.
func modernServer(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != "/mcp" {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	method, id, _ := rpc(r)
	switch {
	case r.Header.Get("MCP-Protocol-Version") != mcp.Modern || r.Header.Get("Mcp-Method") != method:
		failure(w, http.StatusBadRequest, id, -32020, "null")
	case method == "server/discover":
		result(w, id, `{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25"],
			"capabilities":{"tools":{}},
			"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"weather","version":"1.2.0"}}}`)
	case method == "tools/list":
		result(w, id, twoTools)
	default:
		failure(w, http.StatusNotFound, id, -32601, "null")
	}
}

// legacyServer implements the protocol with a handshake, over an event stream, in pages.
func legacyServer(deleted *atomic.Bool) http.HandlerFunc {
	stream := func(w http.ResponseWriter, id json.RawMessage, text string) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		fmt.Fprintf(w, ": hello\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n")
		fmt.Fprintf(w, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\ndata: \"result\":%s}\n\n", id, text)
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/mcp" {
			http.NotFound(w, r)
			return
		}
		if r.Method == http.MethodDelete {
			deleted.Store(r.Header.Get("Mcp-Session-Id") == "s1")
			return
		}
		method, id, cursor := rpc(r)
		if method != "initialize" && r.Header.Get("Mcp-Session-Id") != "s1" {
			failure(w, http.StatusBadRequest, id, -32000, "null")
			return
		}
		switch {
		case method == "initialize":
			w.Header().Set("Mcp-Session-Id", "s1")
			stream(w, id, `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},
data: "serverInfo":{"name":"old","version":"0.1"}}`)
		case method == "notifications/initialized":
			w.WriteHeader(http.StatusAccepted)
		case cursor == "":
			stream(w, id, `{"tools":[{"name":"a"}],"nextCursor":"2"}`)
		default:
			stream(w, id, `{"tools":[{"name":"b"}]}`)
		}
	}
}

// eventServer implements the deprecated transport: it sends a URL for requests, which it responds
// to with a status unless that is 0.
func eventServer(to string, refusal int) http.HandlerFunc {
	streams := make(chan chan string, 1)
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodGet && r.URL.Path == "/mcp":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, ": ping\n\nevent: endpoint\ndata: %s\n\n", to)
			w.(http.Flusher).Flush()
			messages := make(chan string, 10)
			select {
			case streams <- messages:
			default:
			}
			for {
				select {
				case text := <-messages:
					fmt.Fprintf(w, "event: message\ndata: %s\n\n", text)
					w.(http.Flusher).Flush()
				case <-r.Context().Done():
					return
				}
			}
		case r.Method != http.MethodPost || r.URL.Path == "/mcp":
			w.WriteHeader(http.StatusMethodNotAllowed)
		case refusal != 0:
			w.WriteHeader(refusal)
		default:
			messages := <-streams
			streams <- messages
			method, id, cursor := rpc(r)
			result := map[string]string{
				"initialize":  `{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"older","version":"0.2"}}`,
				"tools/list":  `{"tools":[{"name":"a"}],"nextCursor":"2"}`,
				"tools/list2": `{"tools":[{"name":"b"}]}`,
			}[method+cursor]
			w.WriteHeader(http.StatusAccepted)
			if result != "" {
				messages <- fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
			}
		}
	}
}

func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

// documents responds with 401 on /mcp and serves JSON documents by path.
func documents(challenge string, docs map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if doc, ok := docs[r.Host+r.URL.Path]; ok {
			_, _ = io.WriteString(w, doc)
			return
		}
		if r.URL.Path != "/mcp" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("WWW-Authenticate", challenge)
		w.WriteHeader(http.StatusUnauthorized)
	}
}

func after(d time.Duration, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(d):
		case <-r.Context().Done():
		}
		h(w, r)
	}
}

// endless writes a chunk until the client disconnects.
func endless(contentType, chunk string, every time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, chunk); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			time.Sleep(every)
		}
	}
}

func bomb(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Encoding", "gzip")
	_, _ = w.Write(compressed())
}

// compressed returns 4 MB of zeros, compressed.
var compressed = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(make([]byte, 4<<20))
	_ = z.Close()
	return b.Bytes()
})

const challenge = `Bearer error="invalid_token", ` +
	`resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"`

var (
	resourceDoc = `{"resource":"https://mcp.example.com/mcp","authorization_servers":["https://auth.example.com/t"]}`
	serverDoc   = `{"issuer":"https://auth.example.com/t","code_challenge_methods_supported":["S256"],
		"client_id_metadata_document_supported":true}`
)

const (
	resourceAt = "mcp.example.com/.well-known/oauth-protected-resource/mcp"
	serverAt   = "auth.example.com/.well-known/oauth-authorization-server/t"
)

func TestProbe(t *testing.T) {
	compressed() // not within the timeout of a request
	yes := true
	at := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	var deleted atomic.Bool
	weatherTools := []registry.Tool{
		{Name: "get_forecast", Title: "Forecast", Description: "Returns the forecast.",
			InputSchema: []byte(`{"type":"object"}`), Annotations: &registry.ToolAnnotations{ReadOnly: &yes}},
		{Name: "list_places"},
	}
	tests := []struct {
		name    string
		handler http.HandlerFunc
		url     string
		want    registry.Probe
	}{
		{name: "modern", handler: modernServer, want: registry.Probe{
			State: registry.ProbeOpen, Protocol: mcp.Modern, Transport: registry.TransportHTTP,
			ServerName: "weather", ServerVersion: "1.2.0", Tools: weatherTools, ToolsAt: &at,
		}},
		{name: "legacy", handler: legacyServer(&deleted), want: registry.Probe{
			State: registry.ProbeOpen, Protocol: "2025-06-18", Transport: registry.TransportHTTP,
			ServerName: "old", ServerVersion: "0.1", Tools: []registry.Tool{{Name: "a"}, {Name: "b"}}, ToolsAt: &at,
		}},
		{name: "event stream", handler: func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet || r.URL.Path != "/mcp" {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "event: endpoint\ndata: /messages?id=1\n\n")
		}, want: registry.Probe{State: registry.ProbeOpen, Transport: registry.TransportSSE}},
		{name: "event stream with tools", handler: eventServer("/messages?id=1", 0), want: registry.Probe{
			State: registry.ProbeOpen, Protocol: "2024-11-05", Transport: registry.TransportSSE,
			ServerName: "older", ServerVersion: "0.2", Tools: []registry.Tool{{Name: "a"}, {Name: "b"}}, ToolsAt: &at,
		}},
		{name: "event stream to another host", handler: eventServer("https://169.254.169.254/messages", 0),
			want: registry.Probe{State: registry.ProbeNotMCP, Reason: "status 405"}},
		{name: "event stream behind a login", handler: eventServer("/messages", http.StatusUnauthorized),
			want: registry.Probe{State: registry.ProbeUndocumented, Transport: registry.TransportSSE,
				Reason: "no authorization metadata"}},
		{name: "event stream without responses", handler: eventServer("/messages", http.StatusInternalServerError),
			want: registry.Probe{State: registry.ProbeOpen, Transport: registry.TransportSSE}},
		{name: "gated", handler: documents(challenge, map[string]string{resourceAt: resourceDoc, serverAt: serverDoc}),
			want: registry.Probe{State: registry.ProbeGated, PKCE: true, ClientIDs: true,
				AuthServers: []string{"https://auth.example.com/t"}}},
		{name: "gated, metadata at the well-known address",
			handler: documents("Bearer", map[string]string{resourceAt: resourceDoc, serverAt: serverDoc}),
			want: registry.Probe{State: registry.ProbeGated, PKCE: true, ClientIDs: true,
				AuthServers: []string{"https://auth.example.com/t"}}},
		{name: "401 without metadata", handler: documents("Basic", nil),
			want: registry.Probe{State: registry.ProbeUndocumented, Reason: "no authorization metadata"}},
		{name: "metadata of another resource", handler: documents(challenge, map[string]string{
			resourceAt: strings.ReplaceAll(resourceDoc, "mcp.example", "other.example"), serverAt: serverDoc}),
			want: registry.Probe{State: registry.ProbeUndocumented, Reason: "authorization metadata is for another resource"}},
		{name: "metadata of a sibling", handler: documents(challenge, map[string]string{
			resourceAt: strings.ReplaceAll(resourceDoc, "/mcp\"", "/mc\""), serverAt: serverDoc}),
			want: registry.Probe{State: registry.ProbeUndocumented, Reason: "authorization metadata is for another resource"}},
		{name: "another issuer", handler: documents(challenge, map[string]string{
			resourceAt: resourceDoc, serverAt: strings.ReplaceAll(serverDoc, "auth.", "evil.")}),
			want: registry.Probe{State: registry.ProbeUndocumented, Reason: "the issuer of the authorization server does not match",
				AuthServers: []string{"https://auth.example.com/t"}}},
		{name: "metadata at a metadata address", handler: documents(
			`Bearer resource_metadata="https://169.254.169.254/latest"`, nil),
			want: registry.Probe{State: registry.ProbeUndocumented, Reason: "authorization metadata is invalid"}},
		{name: "paid", handler: status(http.StatusPaymentRequired), want: registry.Probe{State: registry.ProbePaid}},
		{name: "too many requests", handler: status(http.StatusTooManyRequests, "Retry-After", "600"), want: registry.Probe{
			State: registry.ProbeRefused, Reason: "status 429", RetryAt: at.Add(10 * time.Minute)}},
		{name: "challenge for browsers", handler: status(http.StatusForbidden, "Cf-Mitigated", "challenge"),
			want: registry.Probe{State: registry.ProbeRefused, Reason: "rejects MCP requests"}},
		{name: "server error", handler: status(http.StatusBadGateway), want: registry.Probe{
			State: registry.ProbeUnreachable, Reason: "status 502"}},
		{name: "not found", handler: status(http.StatusNotFound), want: registry.Probe{
			State: registry.ProbeNotMCP, Reason: "status 404"}},
		{name: "web page", handler: func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
			want: registry.Probe{State: registry.ProbeNotMCP, Reason: "response is not MCP"}},
		{name: "other JSON", handler: func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"ok":true}`) },
			want: registry.Probe{State: registry.ProbeNotMCP, Reason: "response is not MCP"}},
		{name: "invalid UTF-8", handler: func(w http.ResponseWriter, r *http.Request) {
			_, id, _ := rpc(r)
			if id == nil {
				http.NotFound(w, r)
				return
			}
			result(w, id, "{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}},"+
				"\"tools\":[{\"name\":\"x\xff\"}]}")
		}, want: registry.Probe{State: registry.ProbeOpen, Protocol: mcp.Modern, Transport: registry.TransportHTTP,
			Tools: []registry.Tool{{Name: "x\uFFFD"}}, ToolsAt: &at}},
		{name: "opted out", handler: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != consentPath {
				t.Error("probed despite the file")
			}
			fmt.Fprint(w, `{"probe": false}`)
		}, want: registry.Probe{State: registry.ProbeRefused, Reason: registry.ReasonOptedOut}},
		{name: "hang", handler: after(2*time.Second, modernServer),
			want: registry.Probe{State: registry.ProbeUnreachable, Reason: registry.ReasonTimeout}},
		{name: "slow loris", handler: endless("application/json", " ", 20*time.Millisecond),
			want: registry.Probe{State: registry.ProbeUnreachable, Reason: registry.ReasonTimeout}},
		{name: "endless body", handler: endless("application/json", strings.Repeat(" ", 64<<10), 0),
			want: registry.Probe{State: registry.ProbeNotMCP, Reason: "response is too large"}},
		{name: "endless event", handler: endless("text/event-stream", "data: "+strings.Repeat("x", 32<<10), 0),
			want: registry.Probe{State: registry.ProbeNotMCP, Reason: "response is too large"}},
		{name: "gzip bomb", handler: bomb,
			want: registry.Probe{State: registry.ProbeNotMCP, Reason: "response is too large"}},
		{name: "endless list", handler: func(w http.ResponseWriter, r *http.Request) {
			if method, id, cursor := rpc(r); method == "tools/list" {
				result(w, id, `{"tools":[{"name":"a"}],"nextCursor":"`+cursor+`x"}`)
			} else if method == "" {
				http.NotFound(w, r)
			} else {
				result(w, id, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
			}
		}, want: registry.Probe{State: registry.ProbeOpen, Protocol: mcp.Modern, Transport: registry.TransportHTTP}},
		{name: "redirect to a metadata address", handler: status(http.StatusTemporaryRedirect, "Location",
			"https://169.254.169.254/latest/meta-data/"),
			want: registry.Probe{State: registry.ProbeUnknown, Reason: "redirects to another host"}},
		{name: "redirect to http", handler: status(http.StatusTemporaryRedirect, "Location", "http://mcp.example.com/mcp"),
			want: registry.Probe{State: registry.ProbeUnknown, Reason: "redirects to another host"}},
		{name: "redirect within the origin", url: "https://mcp.example.com/old",
			handler: func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/old" {
					http.Redirect(w, r, "/mcp", http.StatusTemporaryRedirect)
					return
				}
				modernServer(w, r)
			}, want: registry.Probe{State: registry.ProbeOpen, Protocol: mcp.Modern, Transport: registry.TransportHTTP,
				ServerName: "weather", ServerVersion: "1.2.0", Tools: weatherTools, ToolsAt: &at}},
		{name: "redirect loop", handler: status(http.StatusTemporaryRedirect, "Location", "/mcp"),
			want: registry.Probe{State: registry.ProbeUnknown, Reason: "redirects to another host"}},
		{name: "loopback", url: "https://[::ffff:127.0.0.1]/mcp", handler: modernServer,
			want: registry.Probe{State: registry.ProbeUnreachable, Reason: registry.ReasonPrivate}},
		{name: "http", url: "http://mcp.example.com/mcp", handler: modernServer,
			want: registry.Probe{State: registry.ProbeUnknown, Reason: "URL cannot be probed"}},
		{name: "template", url: "https://{tenant}.example.com/mcp", handler: modernServer,
			want: registry.Probe{State: registry.ProbeUnknown, Reason: "URL cannot be probed"}},
		{name: "other port", url: "https://mcp.example.com:22/mcp", handler: modernServer,
			want: registry.Probe{State: registry.ProbeUnknown, Reason: "URL cannot be probed"}},
		{name: "certificate of another host", url: "https://mcp.example.net/mcp", handler: modernServer,
			want: registry.Probe{State: registry.ProbeUnreachable, Reason: registry.ReasonTLS}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := newInternet(t, tt.handler)
			if tt.url == "" {
				tt.url = testURL
			}
			tt.want.At = at
			start := time.Now()
			got := in.prober().Probe(t.Context(), tt.url)
			if d := time.Since(start); d > 12*time.Second {
				t.Errorf("took %s", d)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(registry.Probe{}, "TLSExpires")); diff != "" {
				t.Error(diff)
			}
			if tt.name == "legacy" && !deleted.Load() {
				t.Error("session not deleted")
			}
		})
	}
}

func TestProbeExcluded(t *testing.T) {
	in := newInternet(t, http.HandlerFunc(modernServer))
	p := in.prober(func(o *Options) { o.Exclude = []string{"example.com"} })
	got := p.Probe(t.Context(), testURL)
	if got.State != registry.ProbeRefused || got.Reason != registry.ReasonOptedOut || len(in.dialled) > 0 {
		t.Errorf("got %+v after connections to %v", got, in.dialled)
	}
	if got := p.Probe(t.Context(), "https://notexample.com/mcp"); got.State == registry.ProbeRefused {
		t.Errorf("another host: %+v", got)
	}
}

func TestProbeAddresses(t *testing.T) {
	loopback := netip.MustParseAddr("127.0.0.1")
	t.Run("rebinding", func(t *testing.T) {
		in := newInternet(t, http.HandlerFunc(modernServer))
		lookups := 0
		in.addrs = func(string) ([]netip.Addr, error) {
			if lookups++; lookups > 1 {
				return []netip.Addr{loopback}, nil
			}
			return []netip.Addr{public}, nil
		}
		got := in.prober().Probe(t.Context(), testURL)
		dialled := slices.Compact(in.dialled)
		if got.State != registry.ProbeOpen || lookups != 1 || !slices.Equal(dialled, []string{"93.184.216.34:443"}) {
			t.Errorf("state %s after %d lookups, dialled %v", got.State, lookups, dialled)
		}
	})
	for name, addrs := range map[string][]netip.Addr{
		"private":              {netip.MustParseAddr("10.0.0.1")},
		"one of them private":  {public, loopback},
		"mapped":               {netip.MustParseAddr("::ffff:169.254.169.254")},
		"translated (NAT64)":   {netip.MustParseAddr("64:ff9b::a9fe:a9fe")},
		"IPv4 in an IPv6 form": {netip.MustParseAddr("::127.0.0.1")},
	} {
		t.Run(name, func(t *testing.T) {
			in := newInternet(t, http.HandlerFunc(modernServer))
			in.addrs = func(string) ([]netip.Addr, error) { return addrs, nil }
			got := in.prober().Probe(t.Context(), testURL)
			if got.State != registry.ProbeUnreachable || got.Reason != registry.ReasonPrivate || in.dialled != nil {
				t.Errorf("%s %q, dialled %v", got.State, got.Reason, in.dialled)
			}
		})
	}
	t.Run("unknown name", func(t *testing.T) {
		in := newInternet(t, http.HandlerFunc(modernServer))
		in.addrs = func(host string) ([]netip.Addr, error) { return nil, &net.DNSError{Name: host, IsNotFound: true} }
		if got := in.prober().Probe(t.Context(), testURL); got.Reason != registry.ReasonDNS {
			t.Errorf("%s %q", got.State, got.Reason)
		}
	})
	t.Run("connection refused", func(t *testing.T) {
		in := newInternet(t, http.HandlerFunc(modernServer))
		p := in.prober()
		in.Close()
		if got := p.Probe(t.Context(), testURL); got.Reason != registry.ReasonConnection {
			t.Errorf("%s %q", got.State, got.Reason)
		}
	})
}

func TestProbeConsent(t *testing.T) {
	now := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	in := newInternet(t, http.HandlerFunc(modernServer))
	p := in.prober(func(o *Options) { o.Now = func() time.Time { return now } })
	asked := func() int {
		p.Probe(t.Context(), testURL)
		n := 0
		for _, r := range in.requests {
			if strings.HasSuffix(r, consentPath) {
				n++
			}
		}
		return n
	}
	got := []int{asked(), asked()}
	now = now.Add(25 * time.Hour)
	if got = append(got, asked()); !slices.Equal(got, []int{1, 1, 2}) {
		t.Errorf("requests of the file: %v", got)
	}
}

func TestProbeConsent_unavailable(t *testing.T) {
	now := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	file := func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"probe": false}`) }
	in := newInternet(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == consentPath {
			file(w)
			return
		}
		modernServer(w, r)
	}))
	p := in.prober(func(o *Options) { o.Now = func() time.Time { return now } })
	state := func() string { return p.Probe(t.Context(), testURL).State }
	got := []string{state()}
	now = now.Add(25 * time.Hour)
	file = func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) }
	got = append(got, state())
	now = now.Add(25 * time.Hour)
	file = func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) }
	got = append(got, state())
	want := []string{registry.ProbeRefused, registry.ProbeRefused, registry.ProbeOpen}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestProbePace(t *testing.T) {
	in := newInternet(t, http.HandlerFunc(modernServer))
	p := in.prober(func(o *Options) { o.Interval = 50 * time.Millisecond })
	start := time.Now()
	p.Probe(t.Context(), testURL)
	if d := time.Since(start); d < 90*time.Millisecond {
		t.Errorf("3 requests took %s", d)
	}
}

func TestProbeCancelled(t *testing.T) {
	in := newInternet(t, after(2*time.Second, modernServer))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if got := in.prober().Probe(ctx, testURL); got.State != registry.ProbeUnknown {
		t.Errorf("state %s", got.State)
	}
}
