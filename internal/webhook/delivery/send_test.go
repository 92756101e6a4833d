package delivery

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/webhook"
)

var now = time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)

// sender returns a sender for which every name has the addresses, and which connects to
// the server, whatever the address is, after it was checked.
func sender(s *httptest.Server, addrs ...string) *Sender {
	g := transport.Guard{
		Lookup: func(context.Context, string) (all []netip.Addr, err error) {
			for _, a := range addrs {
				all = append(all, netip.MustParseAddr(a))
			}
			return all, nil
		},
		Connect: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, s.Listener.Addr().String())
		},
	}
	if s.TLS != nil {
		g.Roots = s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	}
	return &Sender{Guard: g, UserAgent: "census-test"}
}

func job(url string) *webhook.Job {
	e, err := webhook.TestChange().Event(1, now)
	if err != nil {
		panic(err)
	}
	return &webhook.Job{Delivery: webhook.Delivery{Event: e},
		Endpoint: webhook.Endpoint{URL: url, Generation: 1}}
}

func TestSend(t *testing.T) {
	got := make(chan *http.Request, 1)
	bodies := make(chan []byte, 1)
	stop := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/ok", func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got <- r
		bodies <- b
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/ok", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/gone", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(410) })
	mux.HandleFunc("/wait", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "120")
		w.WriteHeader(503)
	})
	mux.HandleFunc("/date", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", now.Add(time.Hour).Format(http.TimeFormat))
		w.WriteHeader(429)
	})
	mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("/gigabytes", func(w http.ResponseWriter, r *http.Request) {
		block := make([]byte, 1<<20)
		for r.Context().Err() == nil {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/headers", func(w http.ResponseWriter, _ *http.Request) {
		for range 200 {
			w.Header().Add("X-A", strings.Repeat("a", 1000))
		}
	})
	s := httptest.NewTLSServer(mux)
	defer s.Close()
	defer close(stop)
	const public = "93.184.216.34"
	tests := []struct {
		name  string
		path  string
		addrs []string
		want  response
	}{
		{"delivered", "/ok", []string{public}, response{status: 204}},
		{"redirect", "/redirect", []string{public},
			response{status: 307, fault: "responded with 307; redirects are not followed"}},
		{"gone", "/gone", []string{public}, response{status: 410, fault: "responded with 410"}},
		{"Retry-After", "/wait", []string{public},
			response{status: 503, retryAfter: 2 * time.Minute, fault: "responded with 503"}},
		{"Retry-After with a date", "/date", []string{public},
			response{status: 429, retryAfter: time.Hour, fault: "responded with 429"}},
		{"never answers", "/never", []string{public}, response{fault: "no response in time"}},
		{"answers gigabytes", "/gigabytes", []string{public}, response{status: 200}},
		{"huge headers", "/headers", []string{public}, response{fault: "the connection failed"}},
		{"loopback", "/ok", []string{"127.0.0.1"}, response{fault: "the host has no public address"}},
		{"IPv6 loopback", "/ok", []string{"::1"}, response{fault: "the host has no public address"}},
		{"mapped", "/ok", []string{"::ffff:10.0.0.1"}, response{fault: "the host has no public address"}},
		{"private", "/ok", []string{"10.1.2.3"}, response{fault: "the host has no public address"}},
		{"link-local", "/ok", []string{"169.254.169.254"}, response{fault: "the host has no public address"}},
		{"one of two", "/ok", []string{public, "192.168.0.1"},
			response{fault: "the host has no public address"}},
		{"unknown name", "/ok", nil, response{fault: "the host name cannot be resolved"}},
	}
	for _, tt := range tests {
		t.Run(strings.ReplaceAll(tt.name, " ", "_"), func(t *testing.T) {
			j := job("https://example.com" + tt.path)
			x := sender(s, tt.addrs...)
			if tt.path == "/never" {
				x.Timeout = 300 * time.Millisecond
			}
			if r := x.send(t.Context(), j, now); r != tt.want {
				t.Fatalf("got %+v, want %+v", r, tt.want)
			}
			if tt.want.status != 204 {
				select {
				case r := <-got:
					t.Errorf("%s received a request", r.URL)
				default:
				}
				return
			}
			r, body := <-got, <-bodies
			if r.Header.Get("webhook-id") != j.Event.ID || r.Method != http.MethodPost ||
				r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Cookie") != "" {
				t.Errorf("%s with %v", r.Method, r.Header)
			}
			want := `{"type":"webhook.test","timestamp":"2026-11-02T12:00:00Z","data":{"message":"This is a test."}}`
			if string(body) != want {
				t.Errorf("body is %s", body)
			}
		})
	}
	t.Run("untrusted certificate", func(t *testing.T) {
		x := sender(s, public)
		x.Guard.Roots = nil
		if r := x.send(t.Context(), job("https://example.com/ok"), now); r.fault != "the TLS connection failed" {
			t.Errorf("got %+v", r)
		}
	})
	t.Run("dialled address", func(t *testing.T) {
		// The system's dialer refuses too, as when a name resolves differently later.
		x := sender(s, public)
		x.Guard.Connect = nil
		x.Guard.Lookup = func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr(public)}, nil
		}
		tr := x.Guard.Open("example.com", []netip.Addr{netip.MustParseAddr("127.0.0.1")})
		_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
		if _, err := tr.RoundTrip(httptest.NewRequest(http.MethodGet,
			"https://example.com:"+port+"/ok", nil)); faultOf(err) != "the host has no public address" {
			t.Errorf("got %v", err)
		}
	})
}

func TestSendTrusted(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	x := sender(s, "93.184.216.34")
	if r := x.send(t.Context(), job(s.URL), now); r.fault != "the URL must begin with https://" {
		t.Errorf("a host that is not listed: %+v", r)
	}
	x.Hosts = []string{strings.TrimPrefix(s.URL, "http://")}
	if r := x.send(t.Context(), job(s.URL), now); r.status != 200 {
		t.Errorf("a listed host: %+v", r)
	}
}

// secretOf returns the current secret of an endpoint, with an empty key.
func secretOf(e webhook.Endpoint) string { return e.Secrets(nil, now)[0] }

// TestSignatures verifies what is sent, with either secret during a rotation.
func TestSignatures(t *testing.T) {
	j := job("")
	body, err := j.Event.Body()
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	former := secretOf(j.Endpoint)
	j.Endpoint.Rotate(at)
	for when, want := range map[time.Duration]bool{0: true, 25 * time.Hour: false} {
		h := http.Header{}
		if err := webhook.Sign(h, j.Event.ID, at, body, j.Endpoint.Secrets(nil, at.Add(when))); err != nil {
			t.Fatal(err)
		}
		if !verifies(t, h, body, secretOf(j.Endpoint)) {
			t.Errorf("the secret after %s: %v", when, h)
		}
		if verifies(t, h, body, former) != want {
			t.Errorf("the former secret after %s: %v", when, h)
		}
	}
}

// verifies reports whether a signature was made with a secret, as Standard Webhooks specifies.
func verifies(t *testing.T, h http.Header, body []byte, secret string) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", h.Get("webhook-id"), h.Get("webhook-timestamp"), body)
	signature := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	return slices.Contains(strings.Fields(h.Get("webhook-signature")), signature)
}
