package probe

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"

	"mcpcensus/crawler/mcp"
	"mcpcensus/internal/registry"
)

// A dialect is the state of requests in one protocol revision.
type dialect struct {
	version string
	session string // Mcp-Session-Id; "" for none
	next    int    // the last request's ID
}

// call sends a JSON-RPC request and returns its response and HTTP header. The error is a *refusal
// for a status without a JSON-RPC response, mcp.ErrNotMCP, mcp.ErrTooLarge, or a network error.
func (c *session) call(
	ctx context.Context, d *dialect, method string, params map[string]any, limit int64,
) (*mcp.Message, http.Header, error) {
	d.next++
	resp, err := c.post(ctx, d, method, params, d.next, limit)
	if err != nil {
		return nil, nil, err
	}
	defer resp.close()
	refused := &refusal{resp.status, resp.header}
	if final(refused) {
		return nil, resp.header, refused
	}
	m := new(mcp.Message)
	switch mediaType(resp.header) {
	case "text/event-stream":
		m, err = newStream(resp.body, int(cmp.Or(limit, maxBody))).response(d.next)
	default:
		err = readJSON(resp, m)
	}
	if err == nil && !m.Valid() {
		err = mcp.ErrNotMCP
	}
	switch {
	case errors.Is(err, mcp.ErrNotMCP) && resp.status >= 300:
		return nil, resp.header, refused
	case err != nil:
		return nil, resp.header, err
	}
	return m, resp.header, nil
}

// post sends a JSON-RPC request, or a notification if id is 0.
func (c *session) post(
	ctx context.Context, d *dialect, method string, params map[string]any, id int, limit int64,
) (*response, error) {
	header := map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": d.version,
	}
	if d.version >= mcp.Modern {
		header["Mcp-Method"] = method
	}
	if d.session != "" {
		header["Mcp-Session-Id"] = d.session
	}
	if method == "initialize" {
		delete(header, "MCP-Protocol-Version") // negotiated by this request
	}
	text, err := mcp.Request(d.version, method, params, id, c.client())
	if err != nil {
		return nil, err
	}
	return c.send(ctx, request{method: http.MethodPost, url: c.url, header: header, body: text,
		limit: limit})
}

// client returns the prober's name and version.
func (c *session) client() mcp.Implementation {
	name, version, _ := strings.Cut(strings.Fields(c.opt.UserAgent)[0], "/")
	return mcp.Implementation{Name: name, Version: cmp.Or(version, "1")}
}

// modern requests description and tools in the stateless protocol.
func (c *session) modern(ctx context.Context) error {
	d := &dialect{version: mcp.Modern}
	for range 2 { // retry in another version
		m, _, err := c.call(ctx, d, "server/discover", nil, 0)
		if err != nil {
			return err
		}
		if m.Error == nil {
			if about, ok := mcp.Discovered(d.version, m.Result); ok {
				return c.open(ctx, d.version, registry.TransportHTTP, about, c.lister(d))
			}
			break
		}
		other, ok := m.OtherVersion(d.version)
		if !ok {
			break
		}
		d.version = other
	}
	return mcp.ErrNotMCP
}

// legacy requests description and tools in the protocol with a handshake.
func (c *session) legacy(ctx context.Context) error {
	d := &dialect{version: mcp.Legacy}
	m, header, err := c.call(ctx, d, "initialize", mcp.InitializeParams(c.client()), 0)
	if err != nil {
		return err
	}
	if m.Error != nil {
		return errRejected
	}
	about, ok := mcp.Initialized(m.Result)
	if !ok {
		return mcp.ErrNotMCP
	}
	d.version, d.session = about.Version, header.Get("Mcp-Session-Id")
	defer c.endSession(ctx, d)
	if resp, err := c.post(ctx, d, "notifications/initialized", nil, 0, 0); err == nil {
		resp.close()
	}
	return c.open(ctx, d.version, registry.TransportHTTP, about, c.lister(d))
}

// endSession deletes the session of a handshake, if there is one.
func (c *session) endSession(ctx context.Context, d *dialect) {
	if d.session == "" {
		return
	}
	resp, err := c.send(ctx, request{method: http.MethodDelete, url: c.url,
		header: map[string]string{"Mcp-Session-Id": d.session, "MCP-Protocol-Version": d.version}})
	if err == nil {
		resp.close()
	}
}

// lister returns a caller that requests pages of tools in a dialect.
func (c *session) lister(d *dialect) mcp.Caller {
	return func(ctx context.Context, params map[string]any, limit int64) (*mcp.Message, error) {
		m, _, err := c.call(ctx, d, "tools/list", params, limit)
		return m, err
	}
}

// open sets the state of an endpoint that responded, and reads its tools. The error is a *refusal
// if the tools require a login.
func (c *session) open(
	ctx context.Context, version, transport string, about mcp.Description, list mcp.Caller,
) error {
	c.result.ServerName, c.result.ServerVersion = about.Server.Name, about.Server.Version
	c.result.State, c.result.Protocol, c.result.Transport = registry.ProbeOpen, version, transport
	if _, ok := about.Capabilities["tools"]; !ok {
		return nil
	}
	tools, err := mcp.Tools(ctx, list)
	if needsLogin(err) {
		return err
	}
	if err == nil {
		c.result.Tools, c.result.ToolsAt = tools, &c.result.At
	}
	return nil // errors of the list do not change the state
}

// needsLogin reports whether an error is a refusal without credentials or payment.
func needsLogin(err error) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && (r.status == http.StatusUnauthorized || r.status == http.StatusForbidden ||
		r.status == http.StatusPaymentRequired)
}
