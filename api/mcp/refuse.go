package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

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
