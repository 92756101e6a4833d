package probe

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"mcpcensus/crawler/mcp"
)

// A request is one HTTP request of a session.
type request struct {
	method string
	url    *url.URL
	header map[string]string
	body   []byte
	limit  int64 // bytes of the response; 0 is maxBody
}

// A response is an HTTP response, bounded in size and time.
type response struct {
	status int
	header http.Header
	body   io.Reader
	end    func()
}

func (r *response) close() { r.end() }

// A boundedReader fails with mcp.ErrTooLarge after left bytes.
type boundedReader struct {
	r    io.Reader
	left int64
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, mcp.ErrTooLarge
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.r.Read(p)
	b.left -= int64(n)
	return n, err
}

// send sends a request without credentials and follows one redirect on the same origin.
// The error is a network error or errRedirect. Callers close the response.
func (c *session) send(ctx context.Context, req request) (*response, error) {
	for hop := 0; ; hop++ {
		resp, cancel, err := c.sendOnce(ctx, req)
		if err != nil {
			return nil, err
		}
		next, redirected := redirect(req, resp)
		if !redirected {
			return &response{status: resp.StatusCode, header: resp.Header,
				body: &boundedReader{resp.Body, cmp.Or(max(0, req.limit), maxBody)},
				end:  func() { cancel(); resp.Body.Close() }}, nil
		}
		resp.Body.Close()
		cancel()
		if next == nil || hop >= maxHops {
			return nil, errRedirect
		}
		req.url = next
	}
}

// sendOnce sends a request without following redirects. Callers call cancel after reading the
// body.
func (c *session) sendOnce(
	ctx context.Context, req request,
) (_ *http.Response, cancel func(), err error) {
	h, err := c.host(ctx, req.url)
	if err != nil {
		return nil, nil, err
	}
	if h.pace != nil {
		if err := h.pace.Wait(ctx); err != nil {
			return nil, nil, errBusy
		}
	}
	ctx, stop := context.WithTimeout(ctx, c.opt.RequestTimeout)
	defer func() {
		if err != nil {
			stop()
		}
	}()
	out, err := http.NewRequestWithContext(ctx, req.method, req.url.String(), bytes.NewReader(req.body))
	if err != nil {
		return nil, nil, err
	}
	for name, value := range req.header {
		out.Header.Set(name, value)
	}
	out.Header.Set("User-Agent", c.opt.UserAgent)
	resp, err := h.base.RoundTrip(out)
	if err != nil {
		return nil, nil, err
	}
	if resp.TLS != nil && len(resp.TLS.PeerCertificates) > 0 && sameOrigin(req.url, c.url) {
		c.result.TLSExpires = new(resp.TLS.PeerCertificates[0].NotAfter.UTC())
	}
	return resp, stop, nil
}

// redirect returns the target of a redirect, nil for another origin.
func redirect(req request, resp *http.Response) (next *url.URL, redirected bool) {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, false
	}
	next, err := req.url.Parse(resp.Header.Get("Location"))
	if err != nil || !sameOrigin(next, req.url) {
		return nil, true
	}
	return next, true
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) &&
		portOf(a) == portOf(b)
}

func portOf(u *url.URL) string { return cmp.Or(u.Port(), "443") }

// readJSON reads the body of a response into v. The error is mcp.ErrNotMCP, mcp.ErrTooLarge or a
// network error.
func readJSON(resp *response, v any) error {
	text, err := io.ReadAll(resp.body)
	if err != nil {
		return err
	}
	if json.Unmarshal(text, v) != nil {
		return mcp.ErrNotMCP
	}
	return nil
}

// An event is one event of an event stream.
type event struct{ name, data string }

// A stream reads an event stream.
type stream struct{ in *bufio.Scanner }

// newStream returns a stream of the events of r, each of at most limit bytes.
func newStream(r io.Reader, limit int) *stream {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 4096), limit)
	return &stream{in}
}

// next waits for the next event. The error is io.EOF at the end of the stream, mcp.ErrTooLarge,
// or a network error.
func (s *stream) next() (e event, err error) {
	var data []string
	for s.in.Scan() {
		line := s.in.Text()
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if e.data = strings.Join(data, "\n"); e.name != "" || e.data != "" {
				return e, nil
			}
		case field == "event":
			e.name = value
		case field == "data":
			data = append(data, value)
		}
	}
	err = s.in.Err()
	switch {
	case err == nil:
		return e, io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		return e, mcp.ErrTooLarge
	}
	return e, err
}

// response waits for the response to the request with an ID. The error is mcp.ErrNotMCP at the
// end of the stream, mcp.ErrTooLarge, or a network error.
func (s *stream) response(id int) (*mcp.Message, error) {
	for {
		e, err := s.next()
		if errors.Is(err, io.EOF) {
			return nil, mcp.ErrNotMCP
		} else if err != nil {
			return nil, err
		}
		m := new(mcp.Message)
		if json.Unmarshal([]byte(e.data), m) == nil && m.Answers(id) {
			return m, nil
		}
	}
}

// mediaType returns the media type of a response, without parameters.
func mediaType(h http.Header) string {
	t, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return t
}
