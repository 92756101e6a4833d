package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// askFrom requests a URL as a client of an address, and returns the status.
func askFrom(t *testing.T, address, url string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Forwarded-For", address)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// Clients of one network cannot keep others from checking repositories or from searching.
func TestAttacksOfOneNetwork(t *testing.T) {
	w := newCrawledEnvironment(t)
	w.environ = append(w.environ, "CENSUS_TRUSTED_PROXIES=127.0.0.1")
	s := w.serve("api,pages")
	statuses := map[int]int{}
	for i := range 45 {
		statuses[askFrom(t, fmt.Sprintf("2001:db8:1:%x::1", i),
			fmt.Sprintf("%s/api/health?githubUrl=https://github.com/nobody/none-%d", s.url, i))]++
	}
	if got := askFrom(t, "198.51.100.1",
		s.url+"/api/health?githubUrl=https://github.com/nobody/other"); got != http.StatusNotFound {
		t.Errorf("another visitor's check after %v of one /48: %d", statuses, got)
	}
	t.Logf("45 checks of one /48: %v", statuses)
	call, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/mcp",
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check_repository",`+
			`"arguments":{"url":"https://github.com/nobody/third"}}}`))
	call.Header.Set("X-Forwarded-For", "2001:db8:1:ffff::1")
	call.Header.Set("Content-Type", "application/json")
	call.Header.Set("Accept", "application/json, text/event-stream")
	if said, err := http.DefaultClient.Do(call); err != nil {
		t.Error(err)
	} else if text, _ := io.ReadAll(said.Body); !strings.Contains(string(text), "for this network") {
		t.Errorf("a check of the network at /mcp: %s", text)
	}

	var crowd, others atomic.Int64
	var group sync.WaitGroup
	end := time.Now().Add(3 * time.Second)
	pages := []string{"/servers?q=a+%d", "/servers?page=1&x=%d", "/categories?x=%d", "/tags?x=%d"}
	flood := func(address string, served *atomic.Int64) {
		group.Go(func() {
			for i := 0; time.Now().Before(end); i++ {
				if askFrom(t, address, s.url+fmt.Sprintf(pages[i%len(pages)], i)) == http.StatusOK {
					served.Add(1)
				}
			}
		})
	}
	for i := range 10 {
		flood(fmt.Sprintf("192.0.2.%d", i+1), &crowd)
	}
	for i := range 15 { // of five networks
		flood(fmt.Sprintf("203.0.%d.%d", i%5, i), &others)
	}
	group.Wait()
	if share := float64(others.Load()) / float64(crowd.Load()+others.Load()); share < .75 {
		t.Errorf("others have %.2f of the pages beside ten clients of one network", share)
	} else {
		t.Logf("others have %.2f of %d pages", share, crowd.Load()+others.Load())
	}
	resp, err := http.Get(s.metrics + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	if !strings.Contains(string(text), `census_http_refused{network="2001:db8:1::/48",status="429"}`) {
		t.Error("the metrics do not show who was refused")
	}
}
