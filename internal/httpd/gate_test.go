package httpd

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/quota"
)

func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(2)
		crowd, other := netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.51.100.0/24")
		enter := func(n netip.Prefix) chan func() {
			done := make(chan func(), 1)
			go func() {
				leave, err := g.enter(t.Context(), n)
				if err != nil {
					close(done)
					return
				}
				done <- leave
			}()
			synctest.Wait()
			return done
		}
		first := enter(crowd)
		var rest []chan func()
		for range maxWaiting {
			rest = append(rest, enter(crowd))
		}
		if len(first) != 1 || len(rest[0]) != 0 {
			t.Fatal("a network has more than its slots")
		}
		if _, isOpen := <-enter(crowd); isOpen {
			t.Error("more wait than may")
		}
		others := []chan func(){enter(other), enter(other)}
		if len(others[0]) != 1 || len(others[1]) != 0 {
			t.Error("another network does not get its slot")
		}
		(<-others[0])()
		synctest.Wait()
		if len(others[1]) != 1 || len(rest[0]) != 0 {
			t.Error("its next request does not follow")
		}
		leave := <-first
		leave()
		leave()
		synctest.Wait()
		if len(rest[0]) != 1 || len(rest[1]) != 0 {
			t.Error("the slots are not those that were left")
		}
		time.Sleep(maxWait + time.Second)
		if _, isOpen := <-rest[1]; isOpen {
			t.Error("a request waits for ever")
		}
		(<-rest[0])()
		(<-others[1])()
		if g.free != 2 || len(g.running)+len(g.waiting)+len(g.turns) != 0 {
			t.Errorf("afterwards %+v", g)
		}
		ctx, cancel := context.WithCancel(t.Context())
		leave, err := g.enter(ctx, other)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if _, err := g.enter(ctx, other); err == nil {
			t.Error("a request waits for a caller who is gone")
		}
		leave()
	})
}

// gated returns an engine with one slot for requests to /work.
func gated() *gin.Engine {
	engine := NewEngine(Config{})
	engine.Use(limitWork(1, func(_ *http.Request, route string) bool { return route == "/work" }, problem))
	return engine
}

// Slow readers hold no slot.
func TestExpensiveRequests(t *testing.T) {
	engine := gated()
	slow, done := make(chan struct{}), make(chan struct{})
	Get(engine, "/work", func(c *gin.Context) {
		_, _ = c.Writer.WriteString("first")
		if c.Query("slow") != "" {
			close(slow)
			<-done
		}
	})
	ask := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", path, nil)
		r.RemoteAddr = "192.0.2.1:1"
		engine.ServeHTTP(w, r)
		return w
	}
	go ask("/work?slow=1")
	<-slow
	if w := ask("/work"); w.Code != http.StatusOK || w.Body.String() != "first" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	close(done)
}

// unread is a body that must not be read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("a body that is too large is read")
	return 0, io.EOF
}

// A refusal says when to come back.
func TestRefusedRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, done := gated(), make(chan struct{})
		Get(engine, "/work", func(*gin.Context) { <-done })
		Get(engine, "/", func(c *gin.Context) { c.Status(http.StatusOK) })
		ask := func(path string) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			engine.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
			return w
		}
		go ask("/work")
		synctest.Wait()
		if w := ask("/work"); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "2" {
			t.Errorf("%d %v", w.Code, w.Header())
		}
		if w := ask("/"); w.Code != http.StatusOK {
			t.Errorf("a request that is not expensive: %d", w.Code)
		}
		close(done)
	})
}

// Slow senders hold no slot either, and the handler gets all that they sent, and the error.
func TestExpensiveBodies(t *testing.T) {
	engine := gated()
	engine.POST("/work", func(c *gin.Context) {
		if c.Request.ContentLength > MaxBody {
			return // see [Handle]
		}
		b, err := io.ReadAll(c.Request.Body)
		c.String(http.StatusOK, "%s %t", b, err != nil)
	})
	ask := func(body io.Reader) string {
		w := httptest.NewRecorder()
		engine.ServeHTTP(w, httptest.NewRequest("POST", "/work", body))
		return w.Body.String()
	}
	slow, sender := io.Pipe()
	waits := make(chan string)
	go func() { waits <- ask(slow) }()
	_, _ = sender.Write([]byte("first "))
	if got := ask(strings.NewReader("second")); got != "second false" {
		t.Errorf("got %q", got)
	}
	_, _ = sender.Write([]byte("half"))
	sender.CloseWithError(io.ErrUnexpectedEOF)
	if got := <-waits; got != "first half true" {
		t.Errorf("got %q", got)
	}
	r := httptest.NewRequest("POST", "/work", unread{t})
	r.ContentLength = MaxBody + 1
	engine.ServeHTTP(httptest.NewRecorder(), r)
}

func TestSiteOf(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.200": "192.0.2.0/24", "2001:db8:1:2:3::4": "2001:db8:1::/48",
	} {
		if got := account.NetworkOf(netip.MustParseAddr(address)).String(); got != want {
			t.Errorf("%s: %s", address, got)
		}
	}
}

func TestLimitPerMinute_site(t *testing.T) {
	const n = 10
	for name, test := range map[string]struct {
		addresses func(i int) string
		want      int // that pass
	}{
		"one client": {func(int) string { return "192.0.2.1:1" }, n},
		"one site":   {func(i int) string { return fmt.Sprintf("192.0.2.%d:1", i) }, quota.SiteFactor * n},
		"one /48":    {func(i int) string { return fmt.Sprintf("[2001:db8:1:%d::1]:1", i) }, quota.SiteFactor * n},
		"others":     {func(i int) string { return fmt.Sprintf("192.0.%d.1:1", i) }, 100},
		"unknown":    {func(int) string { return "" }, n},
	} {
		engine := NewEngine(Config{})
		engine.Use(LimitPerMinute(n, problem))
		Get(engine, "/", func(c *gin.Context) { c.Status(http.StatusOK) })
		passed := 0
		for i := range 100 {
			w := httptest.NewRecorder()
			r := httptest.NewRequest("GET", "/", nil)
			r.RemoteAddr = test.addresses(i)
			if engine.ServeHTTP(w, r); w.Code == http.StatusOK {
				passed++
			}
		}
		if passed != test.want {
			t.Errorf("%s: %d passed, want %d", name, passed, test.want)
		}
	}
}
