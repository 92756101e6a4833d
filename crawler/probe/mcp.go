package probe

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/internal/registry"
)

// The revisions of MCP that are asked for: the stateless one, and the last one with
// a handshake.
const (
	modernVersion = "2026-07-28"
	legacyVersion = "2025-11-25"
)

// codeUnsupportedVersion is the JSON-RPC error of a server of the stateless protocol
// for a revision that it does not speak.
const codeUnsupportedVersion = -32022

// A message is a JSON-RPC response.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code int             `json:"code"`
		Data json.RawMessage `json:"data"`
	} `json:"error"`
}

// A dialect is how requests of one protocol revision look.
type dialect struct {
	version string
	session string // of Mcp-Session-Id; "" for none
	next    int    // the last request's ID
}

func (d *dialect) modern() bool { return d.version >= modernVersion }

// call sends a JSON-RPC request and returns the response to it, with the HTTP header.
// The error is a *refusal for a status without a JSON-RPC response, errNotMCP,
// errTooLarge, or one of the network.
func (c *conversation) call(
	ctx context.Context, d *dialect, method string, params map[string]any, limit int64,
) (*message, http.Header, error) {
	d.next++
	resp, err := c.post(ctx, d, method, params, strconv.Itoa(d.next), limit)
	if err != nil {
		return nil, nil, err
	}
	defer resp.close()
	refused := &refusal{resp.status, resp.header}
	if final(refused) {
		return nil, resp.header, refused
	}
	m := new(message)
	switch mediaType(resp.header) {
	case "text/event-stream":
		err = readEvents(resp.body, int(cmp.Or(limit, maxBody)), func(e event) bool {
			var got message
			if json.Unmarshal([]byte(e.data), &got) != nil || !got.answers(d.next) {
				return false
			}
			m = &got
			return true
		})
		if errors.Is(err, io.EOF) {
			err = errNotMCP
		}
	default:
		err = readJSON(resp, m)
	}
	if err == nil && (m.Version != "2.0" || m.Result == nil && m.Error == nil) {
		err = errNotMCP
	}
	switch {
	case errors.Is(err, errNotMCP) && resp.status >= 300:
		return nil, resp.header, refused
	case err != nil:
		return nil, resp.header, err
	}
	return m, resp.header, nil
}

// answers reports whether the message is the response to the request with that ID.
func (m *message) answers(id int) bool {
	text := strings.Trim(string(bytes.TrimSpace(m.ID)), `"`)
	return (m.Result != nil || m.Error != nil) && text == strconv.Itoa(id)
}

// post sends a JSON-RPC request, or a notification if id is "".
func (c *conversation) post(
	ctx context.Context, d *dialect, method string, params map[string]any, id string, limit int64,
) (*response, error) {
	header := map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": d.version,
	}
	if d.modern() {
		header["Mcp-Method"] = method
		if params == nil {
			params = map[string]any{}
		}
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    d.version,
			"io.modelcontextprotocol/clientInfo":         c.client(),
			"io.modelcontextprotocol/clientCapabilities": struct{}{},
		}
	}
	if d.session != "" {
		header["Mcp-Session-Id"] = d.session
	}
	if method == "initialize" {
		delete(header, "MCP-Protocol-Version") // negotiated by this request
	}
	body := map[string]any{"jsonrpc": "2.0", "method": method}
	if id != "" {
		body["id"] = json.RawMessage(id)
	}
	if params != nil {
		body["params"] = params
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	return c.send(ctx, request{method: http.MethodPost, url: c.url, header: header, body: text,
		limit: limit})
}

// client is how the prober introduces itself.
func (c *conversation) client() map[string]string {
	name, version, _ := strings.Cut(strings.Fields(c.opt.UserAgent)[0], "/")
	return map[string]string{"name": name, "version": cmp.Or(version, "1")}
}

// An implementation is how a server introduces itself.
type implementation struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

func (c *conversation) introduce(i implementation) {
	c.result.ServerName, c.result.ServerVersion = clean(i.Name, 200), clean(i.Version, 100)
}

// modern asks a server of the stateless protocol for its description and tools.
func (c *conversation) modern(ctx context.Context) error {
	d := &dialect{version: modernVersion}
	for range 2 { // a second time in another version
		m, _, err := c.call(ctx, d, "server/discover", nil, 0)
		if err != nil {
			return err
		}
		if m.Error == nil {
			return c.discovered(ctx, d, m.Result)
		}
		supported := m.supported()
		if m.Error.Code != codeUnsupportedVersion || supported < modernVersion ||
			supported == d.version {
			break
		}
		d.version = supported
	}
	return errNotMCP
}

// supported returns the latest version that an error names, "" if none.
func (m *message) supported() string {
	var data struct {
		Supported []string `json:"supported"`
	}
	if json.Unmarshal(m.Error.Data, &data) != nil || len(data.Supported) == 0 {
		return ""
	}
	return slices.Max(data.Supported)
}

// discovered reads the result of server/discover.
func (c *conversation) discovered(ctx context.Context, d *dialect, raw json.RawMessage) error {
	var result struct {
		Versions     []string                   `json:"supportedVersions"`
		Capabilities map[string]json.RawMessage `json:"capabilities"`
		Meta         map[string]json.RawMessage `json:"_meta"`
	}
	if json.Unmarshal(raw, &result) != nil || len(result.Versions) == 0 {
		return errNotMCP
	}
	if !slices.Contains(result.Versions, d.version) && slices.Max(result.Versions) < modernVersion {
		return errNotMCP // only the handshake is supported
	}
	var who implementation
	_ = json.Unmarshal(result.Meta["io.modelcontextprotocol/serverInfo"], &who) // it is optional
	c.introduce(who)
	return c.open(ctx, d, result.Capabilities)
}

// legacy asks a server with a handshake for its description and tools.
func (c *conversation) legacy(ctx context.Context) error {
	d := &dialect{version: legacyVersion}
	m, header, err := c.call(ctx, d, "initialize", map[string]any{
		"protocolVersion": legacyVersion, "capabilities": struct{}{}, "clientInfo": c.client(),
	}, 0)
	if err != nil {
		return err
	}
	if m.Error != nil {
		return errRejected
	}
	var result struct {
		Version      string                     `json:"protocolVersion"`
		Capabilities map[string]json.RawMessage `json:"capabilities"`
		Server       implementation             `json:"serverInfo"`
	}
	if json.Unmarshal(m.Result, &result) != nil || result.Version == "" {
		return errNotMCP
	}
	d.version, d.session = clean(result.Version, 20), header.Get("Mcp-Session-Id")
	if d.modern() { // after a handshake there are no requests of the stateless protocol
		d.version = legacyVersion
	}
	defer c.endSession(ctx, d)
	c.introduce(result.Server)
	if resp, err := c.post(ctx, d, "notifications/initialized", nil, "", 0); err == nil {
		resp.close()
	}
	return c.open(ctx, d, result.Capabilities)
}

// endSession deletes the session of a handshake, if there is one.
func (c *conversation) endSession(ctx context.Context, d *dialect) {
	if d.session == "" {
		return
	}
	resp, err := c.send(ctx, request{method: http.MethodDelete, url: c.url,
		header: map[string]string{"Mcp-Session-Id": d.session, "MCP-Protocol-Version": d.version}})
	if err == nil {
		resp.close()
	}
}

// open sets the state of an endpoint that answered, and reads its tools. The error is
// a *refusal if the tools require a login.
func (c *conversation) open(
	ctx context.Context, d *dialect, capabilities map[string]json.RawMessage,
) error {
	c.result.State, c.result.Protocol = registry.ProbeOpen, d.version
	c.result.Transport = registry.TransportHTTP
	if _, ok := capabilities["tools"]; !ok {
		return nil
	}
	tools, err := c.tools(ctx, d)
	if r, ok := errors.AsType[*refusal](err); ok && (r.status == http.StatusUnauthorized ||
		r.status == http.StatusForbidden || r.status == http.StatusPaymentRequired) {
		return err
	}
	if err == nil {
		c.result.Tools, c.result.ToolsAt = tools, &c.result.At
	}
	return nil // it is open, whatever its list
}

// events looks for the deprecated transport: a stream whose first event names where
// requests go.
func (c *conversation) events(ctx context.Context) error {
	resp, err := c.send(ctx, request{method: http.MethodGet, url: c.url,
		header: map[string]string{"Accept": "text/event-stream"}})
	if err != nil {
		return err
	}
	defer resp.close()
	if resp.status != http.StatusOK {
		return &refusal{resp.status, resp.header}
	}
	if mediaType(resp.header) != "text/event-stream" {
		return errNotMCP
	}
	found := false
	err = readEvents(resp.body, maxBody, func(e event) bool {
		found = e.name == "endpoint" && e.data != ""
		return true
	})
	if !found {
		return cmp.Or(err, errNotMCP)
	}
	c.result.State, c.result.Transport = registry.ProbeOpen, registry.TransportSSE
	return nil
}
