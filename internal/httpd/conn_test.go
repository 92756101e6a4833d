package httpd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
)

// writes keeps the bytes that reach a connection.
type writes struct {
	net.Conn
	all bytes.Buffer
}

func (w *writes) Write(p []byte) (int, error) {
	return w.all.Write(p)
}

func TestAnAnswerIsWrittenWhole(t *testing.T) {
	head := "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
	for _, size := range []int{1, 100, 4000, 5000, 20_000} {
		for _, cut := range []int{0, 1, 100, 4096} { // bytes of the body in the first write
			w := &writes{}
			c := &wholeConn{Conn: w}
			body := strings.Repeat("x", size)
			cut := min(cut, size)
			c.body = size
			h := fmt.Sprintf(head, size)
			for _, part := range []string{h + body[:cut], body[cut:]} {
				if part == "" {
					continue
				}
				if n, err := c.Write([]byte(part)); n != len(part) || err != nil {
					t.Fatalf("%d of %d bytes, %v", n, len(part), err)
				}
			}
			if w.all.String() != h+body {
				t.Fatalf("%d bytes cut at %d: %d arrive", size, cut, w.all.Len())
			}
			w.all.Reset()
			if _, _ = c.Write([]byte("next")); w.all.String() != "next" { // nothing is held beyond an answer
				t.Fatalf("%d bytes cut at %d: the next answer is held", size, cut)
			}
		}
	}
}

func TestAnswersOfEverySizeArriveOnOneConnection(t *testing.T) {
	e := NewEngine(Config{})
	body := bytes.Repeat([]byte("0123456789"), 10_000)
	Get(e, "/", func(c *gin.Context) {
		var n int
		_, _ = fmt.Sscan(c.Query("n"), &n)
		Write(c, Answer{Body: body[:n], Tag: `W/"1"`})
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- Serve(ctx, l, e, nil) }()
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	for _, n := range []int{0, 1, 3000, 3700, 3800, 3900, 4000, 4096, 5000, 65_536, 100_000, 7} {
		for _, method := range []string{"GET", "HEAD", "GET"} {
			req, err := http.NewRequest(method, fmt.Sprintf("http://%s/?n=%d", l.Addr(), n), nil)
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
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s of %d bytes: %d bytes, %v", method, n, len(got), err)
			}
		}
	}
	client.CloseIdleConnections()
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestClientsThatSendNothingAreCutOff(t *testing.T) {
	e, _ := engine(io.Discard)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- serve(ctx, l, e, nil, patience{head: 50 * time.Millisecond, request: 100 * time.Millisecond})
	}()
	defer func() { cancel(); <-served }()
	for raw, want := range map[string]string{
		"":                                  "", // not even a request
		"GET /ok/x HTT":                     "",
		"GET /ok/x HTTP/1.1\r\nHost: a\r\n": "",
		"POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 500\r\n\r\nx":             "HTTP/1.1 408 ",
		"POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nx": "HTTP/1.1 408 ",
	} {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(20 * time.Second)) // only so that a hang ends the test
		if _, err := io.WriteString(c, raw); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(c)
		c.Close()
		if ne, ok := err.(net.Error); ok && ne.Timeout() {
			t.Errorf("%q: still connected", raw)
		} else if !strings.HasPrefix(string(got), want) {
			t.Errorf("%q: %.80q, want %s", raw, got, want)
		}
	}
}

func TestRefusalsOfTheServerItselfAreProblemsThatArrive(t *testing.T) {
	e := NewEngine(Config{DocsURL: "https://census.example/docs/errors"})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go Serve(t.Context(), l, e, nil)
	long := strings.Repeat("x", 98<<10)
	for name, c := range map[string]struct {
		request string
		status  int
		code    string
	}{
		"a long address":      {"GET /?q=" + long + " HTTP/1.1\r\nHost: a\r\n\r\n", 414, "uri_too_long"},
		"an endless address":  {"GET /?q=" + strings.Repeat(long, 40) + " HTTP/1.1\r\nHost: a\r\n\r\n", 431, "headers_too_large"},
		"endless headers":     {"GET / HTTP/1.1\r\nHost: a\r\n" + strings.Repeat("X-Long: "+long+"\r\n", 40) + "\r\n", 431, "headers_too_large"},
		"no host":             {"GET / HTTP/1.1\r\n\r\n", 400, "invalid_request"},
		"a strange host":      {"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400, "invalid_request"},
		"no HTTP":             {"hello there\r\n\r\n", 400, "invalid_request"},
		"a folded header":     {"GET / HTTP/1.1\r\nHost: a\r\nX-\x00: b\r\n\r\n", 400, "invalid_request"},
		"an expectation":      {"GET / HTTP/1.1\r\nHost: a\r\nExpect: a miracle\r\n\r\n", 417, "expectation_failed"},
		"an unknown encoding": {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: zip\r\n\r\n", 501, "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			go io.WriteString(conn, c.request)
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatalf("the answer breaks off: %v", err)
			}
			var p Problem
			if err := json.Unmarshal(body, &p); err != nil {
				t.Fatalf("%v: %s", err, body)
			}
			if res.StatusCode != c.status || p.Status != c.status || p.Code != c.code || p.Detail == "" || res.Header.Get("Content-Type") != "application/problem+json" ||
				res.Header.Get("Cache-Control") != "no-store" || res.Header.Get("X-Content-Type-Options") != "nosniff" || res.Header.Get("Date") == "" ||
				p.RequestID == "" || res.Header.Get("X-Request-Id") != p.RequestID {
				t.Errorf("%d %v %s", res.StatusCode, res.Header, body)
			}
		})
	}
}
