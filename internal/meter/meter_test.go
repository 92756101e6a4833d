package meter

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// A memoryStore can be unavailable, and can fail after storing.
type memoryStore struct {
	mu            sync.Mutex
	away, silent  bool
	last          map[string]int64
	events        map[EventCount]int64 // by everything but N
	calls         map[CallCount]int64
	batches, rows int
}

var errAway = errors.New("away")

func (s *memoryStore) AddCounts(_ context.Context, c Counts, _ time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return errAway
	}
	if s.last == nil {
		s.last, s.events, s.calls = map[string]int64{}, map[EventCount]int64{}, map[CallCount]int64{}
	}
	if c.Batch > s.last[c.Process] {
		s.last[c.Process] = c.Batch
		s.batches++
		s.rows += len(c.Events) + len(c.Calls)
		for _, e := range c.Events {
			n := e.N
			e.N = 0
			s.events[e] += n
		}
		for _, e := range c.Calls {
			n := e.Calls
			e.Calls = 0
			s.calls[e] += n
		}
	}
	if s.silent {
		return errAway
	}
	return nil
}

func (s *memoryStore) views(slug string) int64 {
	return s.events[EventCount{Date: noon.Truncate(24 * time.Hour), Slug: slug, Event: EventView}]
}

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

func request(method, userAgent string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, "/", nil)
	r.Header.Set("User-Agent", userAgent)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func newMeter(s Store) *Meter {
	return New(s, slog.New(slog.DiscardHandler), func() time.Time { return noon })
}

func flush(t *testing.T, m *Meter) {
	t.Helper()
	if err := m.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestFlushConcurrently(t *testing.T) {
	var s memoryStore
	m := newMeter(&s)
	r := request("GET", firefox)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 1000 {
				m.Event(EventView, "octo-weather", r)
				m.Events(EventImpression, []string{"octo-weather", "octo-other"}, r)
				m.Call(1, 2, "/v1/servers")
			}
		})
	}
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				flush(t, m)
			}
		}
	}()
	group.Wait()
	close(stop)
	<-done
	flush(t, m)
	if n := s.views("octo-weather"); n != 8000 {
		t.Errorf("%d views, want 8000", n)
	}
	if n := s.events[EventCount{Date: noon.Truncate(24 * time.Hour), Slug: "octo-other", Event: EventImpression}]; n != 8000 {
		t.Errorf("%d impressions, want 8000", n)
	}
	call := CallCount{Account: 1, DayCalls: DayCalls{Date: noon.Truncate(24 * time.Hour), Key: 2, Endpoint: "/v1/servers"}}
	if n := s.calls[call]; n != 8000 {
		t.Errorf("%d calls, want 8000", n)
	}
	batches := s.batches
	flush(t, m)
	if s.batches != batches {
		t.Error("an empty batch was sent")
	}
}

func TestIgnoredRequests(t *testing.T) {
	for _, c := range []struct {
		event   Event
		request *http.Request
		counts  bool
	}{
		{EventView, request("GET", firefox), true},
		{EventView, request("HEAD", firefox), false},
		{EventView, request("GET", firefox, "Sec-Purpose", "prefetch;prerender"), false},
		{EventView, request("GET", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"), false},
		{EventView, request("GET", "Mozilla/5.0 (X11) HeadlessChrome/140"), false},
		{EventView, request("GET", "curl/8.5.0"), false},
		{EventView, request("GET", "python-requests/2.32"), false},
		{EventAPIHit, request("GET", "python-requests/2.32"), true},
		{EventAPIHit, request("GET", "some-agent/1.0 (+https://agent.example)"), true},
		{EventAPIHit, request("GET", "GPTBot/1.2"), false},
		{EventAPIHit, request("GET", ""), true},
		{EventHealthCheck, request("GET", "UptimeRobot/2.0"), false},
		{EventBadgeView, request("GET", "github-camo (5f3a3b9e)"), true},
		{EventInstallClick, request("POST", firefox), true},
	} {
		var s memoryStore
		m := newMeter(&s)
		m.Event(c.event, "octo-weather", c.request)
		flush(t, m)
		if counted := s.rows == 1; counted != c.counts {
			t.Errorf("%s by %q %v: counted %v", c.event, c.request.UserAgent(), c.request.Header, counted)
		}
	}
}

func TestFlushWithoutStore(t *testing.T) {
	var s memoryStore
	m := newMeter(&s)
	r := request("GET", firefox)
	s.away = true
	for range 3 {
		m.Event(EventView, "octo-weather", r)
		if err := m.Flush(t.Context()); !errors.Is(err, errAway) {
			t.Fatal(err)
		}
	}
	s.away = false
	flush(t, m)
	if n := s.views("octo-weather"); n != 3 {
		t.Errorf("%d views, want 3", n)
	}
}

func TestFlushRepeatedBatch(t *testing.T) {
	var s memoryStore
	m := newMeter(&s)
	s.silent = true
	m.Event(EventView, "octo-weather", request("GET", firefox))
	if err := m.Flush(t.Context()); err == nil {
		t.Fatal("no error")
	}
	m.Event(EventView, "octo-weather", request("GET", firefox))
	s.silent = false
	flush(t, m)
	if n := s.views("octo-weather"); n != 2 {
		t.Errorf("%d views, want 2", n)
	}
}

func TestMaxKeys(t *testing.T) {
	var s memoryStore
	m := newMeter(&s)
	for n := range 2 * maxKeys {
		m.Call(int64(n), 0, "/v1/servers")
	}
	m.Call(0, 0, "/v1/servers") // known: still counted
	flush(t, m)
	if s.rows != maxKeys {
		t.Errorf("%d rows, want %d", s.rows, maxKeys)
	}
	if n := s.calls[CallCount{DayCalls: DayCalls{Date: noon.Truncate(24 * time.Hour), Endpoint: "/v1/servers"}}]; n != 2 {
		t.Errorf("the first: %d, want 2", n)
	}
}

func TestRunStops(t *testing.T) {
	var s memoryStore
	m := newMeter(&s)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- m.Run(ctx) }()
	m.Event(EventView, "octo-weather", request("GET", firefox))
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if n := s.views("octo-weather"); n != 1 {
		t.Errorf("%d views, want 1", n)
	}
}

func BenchmarkEvent(b *testing.B) {
	m := newMeter(&memoryStore{})
	r := request("GET", "some-agent/1.0")
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			m.Event(EventAPIHit, "octo-weather", r)
		}
	})
}
