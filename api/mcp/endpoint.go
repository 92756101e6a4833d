// Package mcp serves the registry as a public MCP server over HTTP at /mcp: read-only tools,
// resources, prompts and completions, and the documents that clients use to discover it.
//
// Texts of listed servers are untrusted: results have no invisible characters (see [clean]),
// and are marked as quoted.
package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpcensus/api"
	"mcpcensus/internal/hosts"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

const (
	// Path is the endpoint.
	Path = "/mcp"
	// CallsHourly is the limit of tool calls in a UTC hour for a client without a key.
	CallsHourly = 300
	// MaxBody is the maximum size of a request body, in bytes.
	MaxBody = 256 << 10

	listenTimeout = 5 * time.Minute
	maxListeners  = 1000 // at a time

	allowedMethods = "POST, OPTIONS"
)

// Options configure an endpoint.
type Options struct {
	API  *api.API // its keys, limits, address and names are those of the endpoint
	News News
	// Origins lists the origins whose pages may use the endpoint; nil means all, because it
	// reads no cookies.
	Origins []string
	// Stop ends streams; nil: never.
	Stop context.Context
	Log  *slog.Logger // nil: none
}

func (o Options) name() string { return o.API.Namespace + "/census" }

// An Endpoint handles requests to /mcp.
type Endpoint struct {
	Options
	host      string // of the registry
	server    *mcp.Server
	sdk       http.Handler
	constants constants
	listeners atomic.Int32
}

func New(o Options) *Endpoint {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	e := &Endpoint{Options: o, server: newServer(&source{o.API, o.News}, o)}
	if u, err := url.Parse(o.API.BaseURL); err == nil {
		e.host = u.Host
	}
	e.sdk = e.newHandler(mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	e.constants = newConstants(e.sdk)
	return e
}

// newHandler returns the SDK's handler. The conformance suite needs other options than
// requests do.
func (e *Endpoint) newHandler(o mcp.StreamableHTTPOptions) http.Handler {
	o.PropagateRequestCancellation, o.MaxRequestBodyBytes = true, MaxBody
	o.DisableLocalhostProtection = true // see checkHost
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return e.server }, &o)
}

func (e *Endpoint) Register(r gin.IRouter) {
	r.Use(httpd.Under(Path, cors))
	r.POST(Path, httpd.HandleBody(MaxBody, e.serve, e.refuse))
	e.registerDiscovery(r)
}

func cors(c *gin.Context) {
	c.Header("Access-Control-Allow-Origin", "*")
	c.Header("Access-Control-Expose-Headers", "WWW-Authenticate, Retry-After, X-RateLimit-Limit, "+
		"X-RateLimit-Remaining, X-RateLimit-Reset, X-RateLimit-Plan, X-Request-Id")
	if c.Request.Method != http.MethodOptions {
		return
	}
	allowed := allowedMethods
	if c.Request.URL.Path != Path {
		allowed = "GET, HEAD, OPTIONS"
	}
	c.Header("Allow", allowed)
	c.Header("Access-Control-Allow-Methods", allowed)
	c.Header("Access-Control-Allow-Headers", "Content-Type, Accept, Authorization, "+
		"MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID")
	c.Header("Access-Control-Max-Age", "86400")
	c.AbortWithStatus(http.StatusNoContent)
}

func (e *Endpoint) serve(ctx context.Context, c *gin.Context) error {
	body, err := io.ReadAll(http.MaxBytesReader(c.Writer, c.Request.Body, MaxBody))
	c.Set(bodyKey{}, body)
	if err := errors.Join(e.checkHost(c.Request), e.checkOrigin(c.Request), err); err != nil {
		return err
	}
	if e.API.Keys != nil {
		if err := httpd.ReadKey(c, e.API.Keys); err != nil {
			return e.countRefusal(c, err)
		}
	}
	req, err := decode(body)
	if err != nil {
		return err
	}
	if req != nil {
		logRequest(c, req)
		if req.Method == "tools/call" {
			if err := e.count(c); err != nil {
				return err
			}
		}
		if b := e.constants.answer(c.Request, req); b != nil {
			httpd.Write(c, httpd.Response{Type: "application/json", Cache: "no-cache, no-transform", Body: b})
			return nil
		}
	}
	c.Request.Body = io.NopCloser(bytes.NewReader(body))
	if req != nil && req.Method == "subscriptions/listen" {
		return e.listen(ctx, c)
	}
	return e.forward(c, c.Request.WithContext(httpd.Visiting(c.Request.Context(), c)))
}

// errHost and errOrigin reject a request because of its origin, the others because of its body.
var (
	errHost = &registry.Error{Kind: registry.ErrForbidden, Code: "cross_origin",
		Msg: "The Host header does not match this registry."}
	errOrigin = &registry.Error{Kind: registry.ErrForbidden, Code: "cross_origin",
		Msg: "Pages of this origin may not use this endpoint."}
	errBatch   = registry.Errorf(registry.ErrInvalid, "Batches are not supported. Send one JSON-RPC message.")
	errJSON    = registry.Errorf(registry.ErrInvalid, "The body is not valid JSON or is nested too deeply.")
	errMessage = registry.Errorf(registry.ErrInvalid, "The body is not a JSON-RPC message.")
)

// checkHost rejects requests on a loopback address with another Host header, which pages of
// other sites can cause (DNS rebinding).
func (e *Endpoint) checkHost(r *http.Request) error {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok || r.Host == e.host {
		return nil
	}
	addr, err := netip.ParseAddrPort(local.String())
	if err != nil || hosts.KindOfAddr(addr.Addr()) != hosts.Loopback ||
		hosts.KindOf(r.Host) == hosts.Loopback {
		return nil
	}
	return errHost
}

// checkOrigin rejects requests from pages whose origin is not allowed.
func (e *Endpoint) checkOrigin(r *http.Request) error {
	origin := r.Header.Get("Origin")
	if e.Origins == nil || origin == "" || origin == e.API.BaseURL || slices.Contains(e.Origins, origin) {
		return nil
	}
	return errOrigin
}

// decode returns the request in a body, nil if it is a notification or a response. Bodies are
// decoded as the SDK does, so that both see the same method.
func decode(body []byte) (*jsonrpc.Request, error) {
	trimmed := bytes.TrimSpace(body)
	if len(trimmed) > 0 && trimmed[0] == '[' {
		return nil, errBatch
	}
	if !json.Valid(trimmed) { // also if it is nested too deeply
		return nil, errJSON
	}
	msg, err := jsonrpc.DecodeMessage(trimmed)
	if err != nil {
		return nil, errMessage
	}
	if res, ok := msg.(*jsonrpc.Response); ok && res.Result == nil && res.Error == nil {
		return nil, errMessage
	}
	req, _ := msg.(*jsonrpc.Request)
	return req, nil
}

var loggable = regexp.MustCompile(`^[a-z_]+(?:/[a-z_]+)*$`)

// logRequest adds the method and the name of the tool to the access log, never arguments.
func logRequest(c *gin.Context, req *jsonrpc.Request) {
	shown := func(s string) slog.Value {
		if len(s) > 64 || !loggable.MatchString(s) {
			s = "other"
		}
		return slog.StringValue(s)
	}
	httpd.LogWith(c, slog.Attr{Key: "mcp", Value: shown(req.Method)})
	if req.Method == "tools/call" {
		var params struct {
			Name string `json:"name"`
		}
		_ = json.Unmarshal(req.Params, &params) // the SDK reports the error
		httpd.LogWith(c, slog.Attr{Key: "tool", Value: shown(params.Name)})
	}
}

// count counts a tool call and returns an error if the limit is reached.
func (e *Endpoint) count(c *gin.Context) error {
	if e.API.Limiter != nil {
		if err := httpd.ApplyLimit(c, e.API.Limiter, allowance(c)); err != nil {
			return err
		}
	}
	if e.API.Meter != nil {
		api.CountCall(c, e.API.Meter, Path)
	}
	return nil
}

// allowance is the limit that a tool call counts against: the hourly limit of the key's plan,
// or of the client.
func allowance(c *gin.Context) httpd.Allowance {
	if _, ok := httpd.AccessOf(c); ok {
		return httpd.PerHour(0)(c)
	}
	return httpd.Allowance{Subject: clientOf(c), Limit: CallsHourly}
}

func clientOf(c *gin.Context) quota.Subject {
	return quota.Subject{Of: quota.ToolHour, ID: httpd.ClientOf(c).Subject().ID}
}

// countRefusal counts a request with an invalid key as a tool call of its client, so that
// keys cannot be guessed.
func (e *Endpoint) countRefusal(c *gin.Context, refusal error) error {
	if e.API.Limiter != nil && errors.Is(refusal, registry.ErrUnauthorized) {
		if err := httpd.ApplyLimit(c, e.API.Limiter,
			httpd.Allowance{Subject: clientOf(c), Limit: CallsHourly}); err != nil {
			return err
		}
	}
	return refusal
}

// listen serves a stream of notifications. Lists only change with releases, so the stream is
// acknowledged, stays empty and ends after five minutes.
func (e *Endpoint) listen(ctx context.Context, c *gin.Context) error {
	defer e.listeners.Add(-1)
	if e.listeners.Add(1) > maxListeners {
		return &registry.Error{Kind: registry.ErrUnavailable, RetryAfter: time.Minute,
			Msg: "Too many open streams. Cache lists instead; see ttlMs."}
	}
	ctx, cancel := context.WithTimeout(ctx, listenTimeout)
	defer cancel()
	if e.Stop != nil {
		defer context.AfterFunc(e.Stop, cancel)()
	}
	control := http.NewResponseController(c.Writer)
	deadline := time.Now().Add(listenTimeout + 10*time.Second)
	_ = control.SetReadDeadline(deadline) // not supported in tests without a network
	_ = control.SetWriteDeadline(deadline)
	c.Header("X-Accel-Buffering", "no")
	return e.forward(c, c.Request.WithContext(ctx))
}

// forward lets the SDK respond. An error is what it would respond in plain text.
func (e *Endpoint) forward(c *gin.Context, r *http.Request) error {
	w := &sdkWriter{ResponseWriter: c.Writer}
	e.sdk.ServeHTTP(w, r)
	if w.refusal.status == 0 {
		return nil
	}
	return &w.refusal
}

// An sdkWriter passes responses, except errors in plain text, which it collects.
type sdkWriter struct {
	gin.ResponseWriter
	refusal refusal
}

func (w *sdkWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.refusal.status = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *sdkWriter) Write(b []byte) (int, error) {
	if w.refusal.status != 0 {
		w.refusal.text += string(b)
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// A refusal is an error that the SDK responds with in plain text.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return strings.TrimSpace(r.text) }

// explain returns the error of JSON-RPC and its status. A request of a former revision for an
// unknown method is a successful exchange there, as for methods without a handler.
func (r *refusal) explain(req *http.Request, call bool) (status int, code int64, data any) {
	switch {
	case strings.HasPrefix(r.text, "JSON RPC not handled"):
		if call {
			return http.StatusOK, jsonrpc.CodeMethodNotFound, nil
		}
		return r.status, jsonrpc.CodeMethodNotFound, nil
	case strings.Contains(r.text, "Unsupported protocol version"):
		return r.status, mcp.CodeUnsupportedProtocolVersion, mcp.UnsupportedProtocolVersionData{
			Supported: versions, Requested: req.Header.Get("MCP-Protocol-Version")}
	}
	return r.status, jsonrpc.CodeInvalidRequest, nil
}

// bodyKey is the key of the body in a gin.Context, as far as it was read.
type bodyKey struct{}

// idOf returns the ID of the request in a body that may be cut; nil if it has none.
func idOf(body []byte) (id json.RawMessage) {
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return id
		}
		if name == "id" && bytes.ContainsAny(value[:1], `"-0123456789`) {
			id = value
		}
	}
}

// startOf returns what is known of a body: all that was read, or the first part of one that was
// refused because of its size.
func startOf(c *gin.Context, err error) []byte {
	if b, ok := c.Get(bodyKey{}); ok {
		return b.([]byte)
	}
	if !errors.Is(err, registry.ErrTooLarge) || c.GetHeader("Expect") != "" {
		return nil
	}
	b := make([]byte, 4096)
	n, _ := c.Request.Body.Read(b) // without an ID if it fails
	return b[:n]
}

// refuse responds with an error as JSON-RPC, so that clients of all revisions read it.
func (e *Endpoint) refuse(c *gin.Context, err error) {
	_ = c.Error(err)
	c.Abort()
	if c.Writer.Written() {
		return
	}
	p := httpd.Explain(err)
	body := rpcError{Version: "2.0", ID: idOf(startOf(c, err))}
	code := int64(-32000)
	var data any = errorData{Code: p.Code, RequestID: httpd.RequestID(c)}
	switch {
	case errors.Is(err, errJSON):
		code = jsonrpc.CodeParseError
	case p.Status == http.StatusBadRequest || p.Status == http.StatusRequestEntityTooLarge:
		code = jsonrpc.CodeInvalidRequest
	case p.Status == http.StatusInternalServerError:
		code = jsonrpc.CodeInternalError
	}
	if r, ok := errors.AsType[*refusal](err); ok {
		p.Detail = httpd.MaskKeys(r.Error())
		p.Status, code, data = r.explain(c.Request, body.ID != nil)
	}
	if p.RetryAfter > 0 {
		c.Header("Retry-After", strconv.Itoa(int(math.Ceil(p.RetryAfter.Seconds()))))
	}
	if p.Status == http.StatusUnauthorized {
		c.Header("WWW-Authenticate", `Bearer resource_metadata="`+e.API.BaseURL+resourceMetadataPath+
			`", error="invalid_token"`)
	}
	body.Error.Code, body.Error.Message, body.Error.Data = code, p.Detail, data
	b, jsonErr := text.JSON(body)
	if jsonErr != nil {
		c.Status(http.StatusInternalServerError)
		return
	}
	httpd.Write(c, httpd.Response{Status: p.Status, Type: "application/json", Cache: "no-store", Body: b})
}

type (
	rpcError struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id,omitempty"` // none, rather than null, in MCP's schema
		Error   struct {
			Code    int64  `json:"code"`
			Message string `json:"message"`
			Data    any    `json:"data,omitempty"`
		} `json:"error"`
	}

	errorData struct {
		Code      string `json:"code"`
		RequestID string `json:"requestId"`
	}
)
