package probe

import (
	"cmp"
	"context"
	"net/http"
	"net/url"

	"mcpcensus/crawler/mcp"
	"mcpcensus/internal/registry"
)

// Limits of a stream of events: all responses of a session together, and one of them.
const (
	maxStream = 6 << 20
	maxEvent  = 5 << 20
)

// oldVersion is the last revision of MCP with the HTTP+SSE transport.
const oldVersion = "2024-11-05"

// An eventSession is a session over the deprecated transport: requests are sent to a URL from
// the first event of a stream, and responses are further events.
type eventSession struct {
	*session
	in *stream
	to *url.URL // on the origin of the endpoint
	id int      // of the last request
}

// events requests description and tools over the deprecated transport. An endpoint that sends
// a URL for requests is open, regardless of the responses, unless it requires a login.
func (c *session) events(ctx context.Context) error {
	resp, err := c.send(ctx, request{method: http.MethodGet, url: c.url, limit: maxStream,
		header: map[string]string{"Accept": "text/event-stream"}})
	if err != nil {
		return err
	}
	defer resp.close()
	if resp.status != http.StatusOK {
		return &refusal{resp.status, resp.header}
	}
	if mediaType(resp.header) != "text/event-stream" {
		return mcp.ErrNotMCP
	}
	s := &eventSession{session: c, in: newStream(resp.body, maxEvent)}
	e, err := s.in.next()
	if err != nil || e.name != "endpoint" || e.data == "" {
		return cmp.Or(err, mcp.ErrNotMCP)
	}
	if s.to, err = c.url.Parse(e.data); err != nil || !sameOrigin(s.to, c.url) || s.to.User != nil {
		return mcp.ErrNotMCP
	}
	c.result.State, c.result.Transport = registry.ProbeOpen, registry.TransportSSE
	m, err := s.call(ctx, "initialize", mcp.InitializeParams(c.client()))
	if needsLogin(err) {
		return err
	}
	if err != nil || m.Error != nil {
		return nil
	}
	about, ok := mcp.Initialized(m.Result)
	if !ok || s.post(ctx, "notifications/initialized", nil, 0) != nil {
		return nil
	}
	return c.open(ctx, about.Version, registry.TransportSSE, about,
		func(ctx context.Context, params map[string]any, _ int64) (*mcp.Message, error) {
			return s.call(ctx, "tools/list", params)
		})
}

// call sends a request and returns its response.
func (s *eventSession) call(
	ctx context.Context, method string, params map[string]any,
) (*mcp.Message, error) {
	s.id++
	if err := s.post(ctx, method, params, s.id); err != nil {
		return nil, err
	}
	m, err := s.in.response(s.id)
	if err == nil && !m.Valid() {
		err = mcp.ErrNotMCP
	}
	return m, err
}

// post sends a request, or a notification if id is 0. The error is a *refusal or a network error.
func (s *eventSession) post(
	ctx context.Context, method string, params map[string]any, id int,
) error {
	text, err := mcp.Request(oldVersion, method, params, id, s.client())
	if err != nil {
		return err
	}
	resp, err := s.send(ctx, request{method: http.MethodPost, url: s.to, body: text,
		header: map[string]string{"Content-Type": "application/json"}})
	if err != nil {
		return err
	}
	defer resp.close()
	if resp.status >= 300 {
		return &refusal{resp.status, resp.header}
	}
	return nil
}
