package transport

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

// perMinute returns the rate that a client shares, 0 if none.
func perMinute(c *Client) int {
	for _, b := range c.Budgets() {
		if b.Resource == PaceResource {
			return b.Remaining
		}
	}
	return 0
}

func TestPace(t *testing.T) {
	status := http.StatusOK
	f := newWorld(t, func(w http.ResponseWriter, r *http.Request, call int) { w.WriteHeader(status) })
	paced := func(o *Options) { o.Pace, o.MaxWait = Pace{Start: 1, Max: 2}, time.Minute }
	c := f.client(t, paced)
	start := f.now
	for range 12 { // a burst of two, then about one a second
		if _, err := get(c, "/"); err != nil {
			t.Fatal(err)
		}
	}
	if took := f.now.Sub(start); took < 8*time.Second || took > 10*time.Second {
		t.Errorf("12 requests took %v", took)
	}
	if n := perMinute(c); n < 66 || n > 70 { // 1 + 12 × paceStep a second
		t.Errorf("%d requests a minute after successes", n)
	}
	for range 120 {
		if _, err := get(c, "/"); err != nil {
			t.Fatal(err)
		}
	}
	if n := perMinute(c); n != 120 {
		t.Errorf("%d requests a minute, want the maximum", n)
	}

	status = http.StatusTooManyRequests
	if _, err := get(c, "/"); err == nil {
		t.Fatal("no limit")
	}
	if n := perMinute(c); n != 60 {
		t.Errorf("%d requests a minute after a limit, want half", n)
	}
	// Another process continues at the same rate, and not at an older one.
	other := f.client(t, paced)
	other.Restore(c.Budgets())
	if n := perMinute(other); n != 60 {
		t.Errorf("%d requests a minute in another process", n)
	}
	other.Restore([]registry.Budget{{Upstream: "up", Credential: c.Credential(),
		Resource: PaceResource, Limit: 120, Remaining: 120, ResetAt: f.now.Add(time.Hour),
		ObservedAt: f.now.Add(-time.Hour)}})
	if n := perMinute(other); n != 60 {
		t.Errorf("an older rate was restored: %d", n)
	}
	for range 20 {
		f.move(time.Hour)
		if _, err := get(c, "/"); err == nil {
			t.Fatal("no limit")
		}
	}
	if n := perMinute(c); n != 2 {
		t.Errorf("%d requests a minute, want the minimum", n)
	}
}

func TestNotePause(t *testing.T) {
	f := newWorld(t, func(http.ResponseWriter, *http.Request, int) {})
	c := f.client(t, nil)
	if at := c.NotePause(f.now.Add(time.Hour)).Until; !at.Equal(f.now.Add(time.Hour)) {
		t.Errorf("until %v", at)
	}
	if _, err := get(c, "/"); !RetryAt(err).Equal(f.now.Add(time.Hour)) || f.calls > 0 {
		t.Errorf("%v, %d requests", err, f.calls)
	}
}

// TestConnections counts requests until their bodies are closed.
func TestConnections(t *testing.T) {
	var mu sync.Mutex
	now, most := 0, 0
	f := newWorld(t, func(w http.ResponseWriter, r *http.Request, call int) {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		time.Sleep(5 * time.Millisecond)
		mu.Lock()
		now--
		mu.Unlock()
	})
	c := f.client(t, func(o *Options) { o.Connections = 2 })
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			if _, err := get(c, "/"); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if most != 2 {
		t.Errorf("%d requests at once, want 2", most)
	}

	var bodies []*http.Response
	send := func(ctx context.Context) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		return c.HTTP().Do(req)
	}
	for range 2 {
		resp, err := send(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, resp)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := send(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a third request was sent: %v", err)
	}
	for _, resp := range bodies {
		resp.Body.Close()
		resp.Body.Close() // twice counts once
	}
	for range 4 {
		resp, err := send(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
}
