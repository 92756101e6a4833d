package api

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/httpd"
)

// A wire is a connection whose other end has a request whenever one is read,
// until there are enough, and no system behind it: what is measured on it is
// the work of the process alone.
type wire struct {
	left    int
	request func() string
	rest    string
	got     int

	mu   sync.Mutex
	stop chan struct{}
	down chan struct{}
	once sync.Once
}

func (w *wire) Read(p []byte) (int, error) {
	if len(p) == 1 { // the server waits for the client to leave
		w.mu.Lock()
		stop := w.stop
		w.mu.Unlock()
		select {
		case <-stop:
			return 0, os.ErrDeadlineExceeded
		case <-w.down:
			return 0, io.EOF
		}
	}
	if w.rest == "" {
		if w.left == 0 {
			return 0, io.EOF
		}
		w.left--
		w.rest = w.request()
	}
	n := copy(p, w.rest)
	w.rest = w.rest[n:]
	return n, nil
}

func (w *wire) SetReadDeadline(t time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.Year() < 2000 && !t.IsZero() {
		close(w.stop)
	} else {
		select {
		case <-w.stop:
			w.stop = make(chan struct{})
		default:
		}
	}
	return nil
}

func (w *wire) Write(p []byte) (int, error)      { w.got += len(p); return len(p), nil }
func (w *wire) Close() error                     { w.once.Do(func() { close(w.down) }); return nil }
func (w *wire) LocalAddr() net.Addr              { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }
func (w *wire) RemoteAddr() net.Addr             { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 81} }
func (w *wire) SetDeadline(time.Time) error      { return nil }
func (w *wire) SetWriteDeadline(time.Time) error { return nil }

// oneConn is a listener that has one connection.
type oneConn struct {
	c    chan net.Conn
	down chan struct{}
}

func (l oneConn) Accept() (net.Conn, error) {
	select {
	case c := <-l.c:
		return c, nil
	case <-l.down:
		return nil, net.ErrClosed
	}
}
func (l oneConn) Close() error   { close(l.down); return nil }
func (l oneConn) Addr() net.Addr { return &net.TCPAddr{} }

// over measures b.N responses on a wire, after some others.
func over(b *testing.B, h http.Handler, warm int, request func() string) {
	serveOn(b, h, warm, request) // what was asked for before is compressed by now
	b.ReportAllocs()
	b.ResetTimer()
	before := processorTime()
	sent := serveOn(b, h, b.N, request)
	b.StopTimer()
	b.ReportMetric(float64(processorTime()-before)/float64(b.N), "cpu-ns/op")
	b.ReportMetric(float64(sent)/float64(b.N), "sent-B")
}

// processorTime returns what the process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // there is no other reason than a wrong argument
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// serveOn answers n requests on a wire and returns how much was sent.
func serveOn(b *testing.B, h http.Handler, n int, request func() string) int {
	w := &wire{left: n, request: request, stop: make(chan struct{}), down: make(chan struct{})}
	l := oneConn{make(chan net.Conn, 1), make(chan struct{})}
	l.c <- w
	done := make(chan error, 1)
	ctx, stop := context.WithCancel(b.Context())
	go func() { done <- httpd.Serve(ctx, l, h, httpd.ServerConfig{}) }()
	<-w.down
	stop()
	<-done
	return w.got
}

// BenchmarkWire measures the processor time and the allocations of a response
// apart from the network.
func BenchmarkWire(b *testing.B) {
	h, paths := bench(b)
	gin.SetMode(gin.ReleaseMode)
	bare := constant(make([]byte, 18_000), false)
	for _, bc := range append(paths, benchPath{"bare", func() string { return "/api/servers" }}) {
		for _, zip := range []bool{false, true} {
			name, header := bc.name, ""
			if zip {
				name, header = name+"-gzip", "Accept-Encoding: gzip\r\n"
			}
			b.Run(name, func(b *testing.B) {
				n := 0
				client := "10.0.0.0"
				request := func() string {
					if n++; n%50 == 0 {
						client = clientName()
					}
					return "GET " + bc.path() + " HTTP/1.1\r\nHost: census.example\r\nX-Forwarded-For: " + client + "\r\n" + header + "\r\n"
				}
				if bc.name == "bare" {
					over(b, bare, 100, request)
				} else {
					over(b, h, 30_000, request)
				}
			})
		}
	}
}
