package httpd

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gin-gonic/gin"
	"golang.org/x/sync/errgroup"
)

// pipes is a listener whose connections are pipes, which work with the clock
// of synctest.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

func (p *pipes) dial() net.Conn {
	client, server := net.Pipe()
	p.conns <- server
	return client
}

func TestServe(t *testing.T) {
	var release chan bool
	gin.SetMode(gin.ReleaseMode)
	h := gin.New()
	h.GET("/slow", func(c *gin.Context) { <-release; c.String(200, "done") })
	for name, tc := range map[string]struct {
		wait      time.Duration // from the stop to the end of the request
		response  string
		wantError bool
	}{
		"the request ends in time": {shutdownTimeout - time.Second, "HTTP/1.1 200 OK", false},
		"the request is cut off":   {shutdownTimeout + time.Minute, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release = make(chan bool)
				l := newPipes()
				ctx, cancel := context.WithCancel(t.Context())
				served := make(chan error, 1)
				go func() { served <- Serve(ctx, l, h, ServerConfig{Log: slog.New(slog.DiscardHandler)}) }()
				conn := l.dial()
				if _, err := io.WriteString(conn,
					"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
					t.Fatal(err)
				}
				response := make(chan string, 1)
				go func() {
					b, _ := io.ReadAll(conn)
					response <- string(b)
				}()
				synctest.Wait()
				cancel()
				time.Sleep(tc.wait)
				close(release)
				if got := <-response; !strings.HasPrefix(got, tc.response) || tc.response == "" &&
					got != "" {
					t.Errorf("response %q, want %q", got, tc.response)
				}
				if err := <-served; (err != nil) != tc.wantError {
					t.Errorf("Serve: %v", err)
				}
			})
		})
	}
}

func TestServeTimeouts(t *testing.T) {
	e, _ := engine(io.Discard)
	const post = "POST /body HTTP/1.1\r\nHost: a\r\n"
	for name, tc := range map[string]struct {
		request, response string
		within            time.Duration
	}{
		"nothing":       {"", "", headerTimeout},
		"half a line":   {"GET /ok/x HTT", "HTTP/1.1 400 ", headerTimeout},
		"half a header": {"GET /ok/x HTTP/1.1\r\nHost: a\r\n", "", headerTimeout},
		"half a body":   {post + "Content-Length: 500\r\n\r\nx", "HTTP/1.1 408 ", readTimeout},
		"half a chunk": {post + "Transfer-Encoding: chunked\r\n\r\n5\r\nx", "HTTP/1.1 408 ",
			readTimeout},
		"no second line": {"GET /ok/x HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 ", idleTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newPipes()
				ctx, cancel := context.WithCancel(t.Context())
				served := make(chan error, 1)
				go func() { served <- Serve(ctx, l, e, ServerConfig{}) }()
				conn := l.dial()
				start := time.Now()
				go io.WriteString(conn, tc.request)
				got, _ := io.ReadAll(conn)
				if !strings.HasPrefix(string(got), tc.response) || tc.response == "" &&
					len(got) > 0 {
					t.Errorf("response %.80q, want %q", got, tc.response)
				}
				// net/http waits half a second before it closes.
				if took := time.Since(start); took < tc.within || took > tc.within+time.Second {
					t.Errorf("closed after %v, want %v", took, tc.within)
				}
				cancel()
				if err := <-served; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// listen serves h on a loopback address until the test ends.
func listen(t *testing.T, h http.Handler) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serveOn(t, l, h)
}

func serveOn(t *testing.T, l net.Listener, h http.Handler) string {
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, l, h, ServerConfig{Log: slog.New(slog.DiscardHandler)}) }()
	t.Cleanup(func() { cancel(); <-served })
	return l.Addr().String()
}

func TestServeSizes(t *testing.T) {
	e := NewEngine(Config{})
	body := bytes.Repeat([]byte("0123456789"), 10_000)
	Get(e, "/", func(c *gin.Context) {
		var n int
		_, _ = fmt.Sscan(c.Query("n"), &n)
		Write(c, Response{Body: body[:n], Tag: `W/"1"`})
	})
	addr := listen(t, e)
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	defer client.CloseIdleConnections()
	for _, n := range []int{0, 1, 3900, 4096, 65_536, 100_000, 7} {
		for _, method := range []string{"GET", "HEAD"} {
			req, err := http.NewRequest(method, fmt.Sprintf("http://%s/?n=%d", addr, n), nil)
			if err != nil {
				t.Fatal(err)
			}
			res, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(res.Body)
			res.Body.Close()
			want := body[:n]
			if method == "HEAD" {
				want = nil
			}
			if err != nil || !bytes.Equal(got, want) || res.ContentLength != int64(n) {
				t.Errorf("%s of %d bytes: %d bytes of %d, %v", method, n, len(got),
					res.ContentLength, err)
			}
		}
	}
}

func TestServeMalformedRequests(t *testing.T) {
	e, _ := engine(io.Discard)
	addr := listen(t, e)
	const get, post = "GET /ok/x HTTP/1.1\r\nHost: a\r\n", "POST /body HTTP/1.1\r\nHost: a\r\n"
	long := strings.Repeat("a", 33<<10)
	for name, tc := range map[string]struct{ request, status string }{
		"valid":              {get + "\r\n", "200"},
		"CR in a header":     {get + "X-Request-Id: abcdefgh\rSet-Cookie: x\r\n\r\n", "400"},
		"long header":        {get + "X: " + long + "\r\n\r\n", "431"},
		"long URL":           {"GET /" + long + " HTTP/1.1\r\nHost: a\r\n\r\n", "431"},
		"URL over our limit": {"GET /" + long[:MaxURL] + " HTTP/1.1\r\nHost: a\r\n\r\n", "414"},
		"no host":            {"GET /ok/x HTTP/1.1\r\n\r\n", "400"},
		"NUL in the URL":     {"GET /ok/x\x00 HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
		"expectation":        {get + "Expect: a miracle\r\n\r\n", "417"},
		// net/http ignores the length (RFC 9112, section 6.3)
		"length and chunks": {post +
			"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "200"},
		"two lengths":          {post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n", "400"},
		"declared large body":  {post + "Content-Length: 99999999999\r\n\r\n", "413"},
		"malformed chunk":      {post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", "400"},
		"unknown body coding":  {post + "Transfer-Encoding: zip\r\n\r\n", "501"},
		"not an HTTP request":  {"hello there\r\n\r\n", "400"},
		"unsupported protocol": {"GET / HTTP/9.9\r\nHost: a\r\n\r\n", "505"},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, tc.request); err != nil {
				// the server may close the connection before it has read everything
				t.Logf("%v", err)
			}
			line, err := bufio.NewReader(conn).ReadString('\n')
			if err != nil || !strings.HasPrefix(line, "HTTP/1.1 "+tc.status) {
				t.Errorf("%q, %v, want %s", line, err, tc.status)
			}
		})
	}
}

// What follows a request with chunks is not read as another request, wherever a proxy
// took the end of the first one to be.
func TestServeSmuggledRequest(t *testing.T) {
	e, _ := engine(io.Discard)
	addr := listen(t, e)
	const smuggled = "GET /ok/x HTTP/1.1\r\nHost: a\r\n\r\n"
	for name, tc := range map[string]struct {
		headers, body string
		responses     int
	}{
		"length":            {"Content-Length: 5\r\n", "hello", 2},
		"chunks":            {"Transfer-Encoding: chunked\r\n", "0\r\n\r\n", 1},
		"length and chunks": {"Content-Length: 44\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n", 1},
		"chunks and length": {"Transfer-Encoding: chunked\r\nContent-Length: 44\r\n", "0\r\n\r\n", 1},
	} {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "POST /body HTTP/1.1\r\nHost: a\r\n"+tc.headers+"\r\n"+tc.body+
			smuggled); err != nil {
			t.Fatal(err)
		}
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(conn)
		if n := bytes.Count(got, []byte("HTTP/1.1 200 OK\r\n")); err != nil || n != tc.responses {
			t.Errorf("%s: %d responses, %v, want %d:\n%s", name, n, err, tc.responses, got)
		}
	}
}

// Clients that send more than is accepted read the response, whatever the handler
// has read: the server must not reset their connections.
func TestServeLargeBodies(t *testing.T) {
	e, _ := engine(io.Discard)
	addr := listen(t, e)
	large := bytes.Repeat([]byte("a"), 3<<20)
	for name, body := range map[string]func() io.Reader{
		"length": func() io.Reader { return bytes.NewReader(large) },
		"chunks": func() io.Reader { return io.MultiReader(bytes.NewReader(large)) },
	} {
		t.Run(name, func(t *testing.T) {
			var group errgroup.Group
			// More clients may need longer, on a busy machine, than the half second after which
			// net/http closes the connections.
			for range 8 {
				group.Go(func() error {
					res, err := http.Post("http://"+addr+"/body", "text/plain", body())
					if err != nil {
						return err
					}
					defer res.Body.Close()
					if _, err := io.ReadAll(res.Body); err != nil {
						return err
					}
					if res.StatusCode != http.StatusRequestEntityTooLarge {
						return fmt.Errorf("status %d", res.StatusCode)
					}
					return nil
				})
			}
			if err := group.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}
