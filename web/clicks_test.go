package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"mcpcensus/internal/httpd"
	"mcpcensus/internal/meter"
)

func TestClicksCannotBeInflated(t *testing.T) {
	servers := generated(2 * clientClicks)
	clicked := 0
	at := now
	s := newSite(t, servers, func(o *Options) {
		o.Counter = httpd.CounterFunc(func(meter.Event, string, *http.Request) { clicked++ })
		o.Now = func() time.Time { return at }
	})
	post := func(from, slug string, want int, header ...string) {
		t.Helper()
		r := httptest.NewRequest("POST", "/servers/"+slug+"/clicks", nil)
		r.RemoteAddr = from + ":1234"
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%s for %s, %v: %d, want %d", from, slug, header, w.Code, want)
		}
	}
	counted := func(want int, what string) {
		t.Helper()
		if clicked != want {
			t.Errorf("%s: %d counted, want %d", what, clicked, want)
		}
		clicked = 0
	}
	one, two := servers[0].Slug, servers[1].Slug

	post("192.0.2.1", one, 403, "Sec-Fetch-Site", "cross-site")
	post("192.0.2.1", one, 403, "Sec-Fetch-Site", "same-site")
	post("192.0.2.1", one, 403, "Origin", "http://census.example") // which is https
	post("192.0.2.1", one, 403, "Origin", "https://evil.example")
	post("192.0.2.1", one, 403, "Origin", "null")
	counted(0, "pages of other sites")

	for range 5 {
		post("192.0.2.1", one, 204, "Sec-Fetch-Site", "same-origin", "Origin", "https://census.example")
	}
	counted(1, "the same again")
	post("192.0.2.1", two, 204)
	post("192.0.2.2", one, 204, "Origin", "https://census.example")
	counted(2, "another server, another client")
	at = at.Add(clickWindow)
	post("192.0.2.1", one, 204)
	counted(1, "later")

	at = at.Add(clickWindow)
	for _, x := range servers {
		post("192.0.2.1", x.Slug, 204)
	}
	counted(clientClicks, "everything there is")
	post("192.0.2.2", one, 204)
	counted(1, "somebody else meanwhile")
}

func TestClicksThatAreRememberedAreBounded(t *testing.T) {
	k := once{perClient: clientClicks, most: mostClicks}
	for i := range mostClicks + 100 {
		if k.first(uint64(i), fmt.Sprint(i), now) != (i < mostClicks) {
			t.Fatalf("click %d", i)
		}
	}
	if len(k.seen) != mostClicks || len(k.clients) != mostClicks {
		t.Errorf("%d clicks of %d clients are remembered", len(k.seen), len(k.clients))
	}
	if !k.first(1, "a", now.Add(clickWindow)) || len(k.seen) != 1 {
		t.Error("the next window is not empty")
	}
}
