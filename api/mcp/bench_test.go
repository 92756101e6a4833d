package mcp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// BenchmarkEndpoint compares the endpoint with a handler that reads a body and returns a
// constant one of the same size, over loopback with 8 connections. "ratio" is that of the
// processor time of a request, client included; higher is better.
func BenchmarkEndpoint(b *testing.B) {
	x := start(b, generated(1000))
	x.endpoint.API.Limiter, x.log = nil, nil
	server := httptest.NewServer(x.handler)
	defer server.Close()
	ofSDK := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x.endpoint.sdk.ServeHTTP(w, r)
	}))
	defer ofSDK.Close()
	find := call("tools/call", "find_servers", `{"name":"find_servers","arguments":{"limit":5}}`)
	explain := call("tools/call", "explain_score",
		`{"name":"explain_score","arguments":{"id":"`+generated(1)[0].Slug+`"}}`)
	for _, c := range []struct {
		name, url string
		r         *http.Request
	}{
		{"tools/list", server.URL, call("tools/list", "", "")},
		{"tools/list of the SDK", ofSDK.URL, call("tools/list", "", "")},
		{"server/discover", server.URL, call("server/discover", "", "")},
		{"server/discover of the SDK", ofSDK.URL, call("server/discover", "", "")},
		{"prompts/get", server.URL, call("prompts/get", "review_server",
			`{"name":"review_server","arguments":{"id":"a"}}`)},
		{"find_servers", server.URL, find},
		{"explain_score", server.URL, explain},
	} {
		b.Run(c.name, func(b *testing.B) {
			body, err := io.ReadAll(c.r.Body)
			if err != nil {
				b.Fatal(err)
			}
			c.r.Body = io.NopCloser(strings.NewReader(string(body)))
			_, response := load(b, c.url, c.r.Header, body, 1)
			constant := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write(response)
			}))
			defer constant.Close()
			var ours, bare time.Duration
			for range 5 { // alternately, since the machine's speed changes
				t, _ := load(b, c.url, c.r.Header, body, b.N/5+1)
				ours += t
				t, _ = load(b, constant.URL, c.r.Header, body, b.N/5+1)
				bare += t
			}
			b.ReportMetric(float64(bare)/float64(ours), "ratio")
			b.ReportMetric(float64(ours.Microseconds())/float64(b.N), "µs-cpu/op")
		})
	}
}

// load sends n requests over 8 connections, and returns the processor time and the last
// response.
func load(b *testing.B, url string, header http.Header, body []byte, n int) (time.Duration, []byte) {
	b.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8, DisableCompression: true}}
	defer client.CloseIdleConnections()
	before := processorTime(b)
	var next atomic.Int64
	var last atomic.Pointer[[]byte]
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for next.Add(1) <= int64(n) {
				r, err := http.NewRequest(http.MethodPost, url+Path, strings.NewReader(string(body)))
				if err != nil {
					b.Error(err)
					return
				}
				r.Header = header
				res, err := client.Do(r)
				if err != nil {
					b.Error(err)
					return
				}
				response, err := io.ReadAll(res.Body)
				res.Body.Close()
				if err != nil || res.StatusCode != http.StatusOK {
					b.Errorf("%d %v", res.StatusCode, err)
					return
				}
				last.Store(&response)
			}
		})
	}
	wg.Wait()
	if last.Load() == nil {
		b.Fatal("no response")
	}
	return processorTime(b) - before, *last.Load()
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
