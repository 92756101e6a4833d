package inspect

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	proxyDialTimeout = 15 * time.Second
	// maxTraffic is the number of bytes that one installation may send and receive.
	maxTraffic = 1 << 30
)

// A proxy connects to allowed hosts for one installation.
type proxy struct {
	hosts    []string // "host" for port 443, or "host:port"
	left     atomic.Int64
	listener net.Listener
	cancel   context.CancelFunc
	open     sync.WaitGroup
}

// listenProxy starts a proxy on a Unix socket. The caller closes it.
func listenProxy(ctx context.Context, path string, hosts []string) (*proxy, error) {
	ctx, cancel := context.WithCancel(ctx)
	l, err := new(net.ListenConfig).Listen(ctx, "unix", path)
	if err != nil {
		cancel()
		return nil, err
	}
	p := &proxy{hosts: hosts, listener: l, cancel: cancel}
	p.left.Store(maxTraffic)
	p.open.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.open.Go(func() { p.serve(ctx, c) })
		}
	})
	return p, nil
}

// close ends all connections.
func (p *proxy) close() {
	p.cancel()
	p.listener.Close()
	p.open.Wait()
}

// allowed returns the address to dial for a target; ok is false if it is not allowed.
func (p *proxy) allowed(target string) (string, bool) {
	host, port, err := net.SplitHostPort(strings.ToLower(target))
	if err != nil {
		return "", false
	}
	joined := net.JoinHostPort(host, port)
	return joined, slices.Contains(p.hosts, joined) ||
		port == "443" && slices.Contains(p.hosts, host)
}

// serve handles one connection. It accepts only CONNECT to an allowed host.
func (p *proxy) serve(ctx context.Context, in net.Conn) {
	defer in.Close()
	defer context.AfterFunc(ctx, func() { in.Close() })()
	_ = in.SetReadDeadline(time.Now().Add(proxyDialTimeout)) // connections of net have deadlines
	r := bufio.NewReader(io.LimitReader(in, 64<<10))
	req, err := http.ReadRequest(r)
	if err != nil {
		return
	}
	_ = in.SetReadDeadline(time.Time{})
	address, ok := p.allowed(req.Host)
	if req.Method != http.MethodConnect || !ok {
		_, _ = io.WriteString(in, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
		return
	}
	out, err := (&net.Dialer{Timeout: proxyDialTimeout}).DialContext(ctx, "tcp", address)
	if err != nil {
		_, _ = io.WriteString(in, "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
		return
	}
	defer out.Close()
	defer context.AfterFunc(ctx, func() { out.Close() })()
	if _, err := io.WriteString(in, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	early, _ := r.Peek(r.Buffered())
	if _, err := out.Write(early); err != nil {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { p.copy(out, in); closeWrite(out) })
	both.Go(func() { p.copy(in, out); closeWrite(in) })
	both.Wait()
}

func closeWrite(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // the other side may be gone
	}
}

// copy copies until the end of from or the limit of traffic.
func (p *proxy) copy(to io.Writer, from io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if p.left.Add(-int64(n)) < 0 {
			return
		}
		if _, writeErr := to.Write(buf[:n]); writeErr != nil || err != nil {
			return
		}
	}
}
