package census

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

const testKey = "mcp_abcdSECRETSECRETSECRETSECRETSECRETSECRETSEC"

// A stub answers requests without a network. It is safe for concurrent use if
// its answer is.
type stub func(*http.Request) (*http.Response, error)

func (s stub) RoundTrip(r *http.Request) (*http.Response, error) { return s(r) }

// newClient returns a client with a key, whose requests answer gets.
func newClient(t *testing.T, answer stub) *Client {
	t.Helper()
	t.Setenv("CENSUS_URL", "")
	t.Setenv("CENSUS_API_KEY", "")
	return clientOf(t, Config{APIKey: testKey, HTTPClient: &http.Client{Transport: answer}})
}

func clientOf(t *testing.T, config Config) *Client {
	t.Helper()
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// respond returns a response with headers given as pairs.
func respond(status int, body string, headers ...string) *http.Response {
	h := http.Header{"Content-Type": {"application/json"}}
	for i := 0; i < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	rec := http.Response{
		StatusCode: status, Header: h, ContentLength: -1, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: noClose{strings.NewReader(body)},
	}
	return &rec
}

type noClose struct{ *strings.Reader }

func (noClose) Close() error { return nil }

func TestNew(t *testing.T) {
	tests := []struct {
		name, base, key, envURL, envKey string
		want                            string // the client's text, or part of the error
		fails                           bool
	}{
		{name: "nothing set", want: `census.Client{BaseURL: "http://127.0.0.1:8080", APIKey: ""}`},
		{
			name: "environment", envURL: "https://census.example/", envKey: " " + testKey + "\n",
			want: `census.Client{BaseURL: "https://census.example", APIKey: "mcp_abcd…"}`,
		},
		{
			name: "configured before environment", base: "https://a.example/x/", envURL: "https://b.example",
			want: `census.Client{BaseURL: "https://a.example/x", APIKey: ""}`,
		},
		{
			name: "key over http to loopback", base: "http://[::1]:8080", key: testKey,
			want: `census.Client{BaseURL: "http://[::1]:8080", APIKey: "mcp_abcd…"}`,
		},
		{name: "key over http", base: "http://census.example", key: testKey, fails: true, want: "use https"},
		{
			name: "key over http to a name like an address", base: "http://127.0.0.1.census.example",
			key: testKey, fails: true, want: "use https",
		},
		{name: "key with a line break", key: "mcp_a\nX: y", fails: true, want: "contains invalid characters"},
		{name: "no scheme", base: "census.example", fails: true, want: "base URL"},
		{name: "password in the address", base: "https://u:p@census.example", fails: true, want: "base URL"},
		{name: "query", base: "https://census.example/?a=b", fails: true, want: "base URL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("CENSUS_URL", tt.envURL)
			t.Setenv("CENSUS_API_KEY", tt.envKey)
			c, err := New(Config{BaseURL: tt.base, APIKey: tt.key})
			if tt.fails {
				if err == nil || !strings.Contains(err.Error(), tt.want) ||
					strings.Contains(err.Error(), "mcp_") {
					t.Fatalf("error is %v, want one with %q", err, tt.want)
				}
				return
			}
			if err != nil || c.String() != tt.want {
				t.Fatalf("got %v, %v, want %s", c, err, tt.want)
			}
		})
	}
}

// The key is in no text that a program could print.
func TestKeyIsNotPrinted(t *testing.T) {
	var log bytes.Buffer
	config := Config{
		APIKey: testKey, BaseURL: "https://census.example",
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		HTTPClient: &http.Client{Transport: stub(func(r *http.Request) (*http.Response, error) {
			if r.Header.Get("Authorization") != "Bearer "+testKey {
				t.Errorf("Authorization is %q", r.Header.Get("Authorization"))
			}
			if strings.HasSuffix(r.URL.Path, "account") {
				return respond(401, `{"detail": "no"}`), nil
			}
			return nil, fmt.Errorf("broken")
		})},
		MaxRetries: -1,
	}
	c := clientOf(t, config)
	_, err1 := c.Account.Retrieve(t.Context())
	_, err2 := c.Account.Plans(t.Context())
	var text strings.Builder
	for _, v := range []any{c, *c, c.Account, *c.Account, config, &config, err1, err2} {
		fmt.Fprintf(&text, "%v %+v %#v %s %q\n", v, v, v, v, v)
		encoded, _ := json.Marshal(v)
		text.Write(encoded)
	}
	slog.New(slog.NewJSONHandler(&text, nil)).Info("x", "client", c, "config", config, "err", err1)
	text.Write(log.Bytes())
	if strings.Contains(text.String(), "SECRET") {
		t.Errorf("the key is in:\n%s", text.String())
	}
}
