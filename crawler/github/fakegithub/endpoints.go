package fakegithub

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
)

// Endpoints returns a transport to the endpoints that the servers' owners run: two of
// them open, of Relay CRM, and one of Opal Pay that requires a login. Other hosts do
// not exist.
func Endpoints() http.RoundTripper { return endpoints{} }

type endpoints struct{}

func (endpoints) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	switch req.URL.Host + req.URL.Path {
	case "mcp.relay-crm.alt/mcp":
		return relay(req)
	case "mcp.relay-crm.alt/sse":
		if req.Method == http.MethodGet {
			return respond(req, http.StatusOK, "text/event-stream", "event: endpoint\ndata: /messages\n\n"), nil
		}
		return respond(req, http.StatusMethodNotAllowed, "text/plain", ""), nil
	case "mcp.opalpay.example", "mcp.opalpay.example/":
		resp := respond(req, http.StatusUnauthorized, "text/plain", "")
		resp.Header.Set("WWW-Authenticate",
			`Bearer resource_metadata="https://mcp.opalpay.example/.well-known/oauth-protected-resource"`)
		return resp, nil
	case "mcp.opalpay.example/.well-known/oauth-protected-resource":
		return respond(req, http.StatusOK, "application/json",
			`{"resource":"https://mcp.opalpay.example","authorization_servers":["https://auth.opalpay.example"]}`), nil
	case "auth.opalpay.example/.well-known/oauth-authorization-server":
		return respond(req, http.StatusOK, "application/json",
			`{"issuer":"https://auth.opalpay.example","code_challenge_methods_supported":["S256"]}`), nil
	}
	switch req.URL.Hostname() {
	case "mcp.relay-crm.alt", "mcp.opalpay.example", "auth.opalpay.example", "127.0.0.1":
		return respond(req, http.StatusNotFound, "text/plain", "not found\n"), nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: req.URL.Hostname(), IsNotFound: true}
}

// relay answers as an MCP server without sessions.
func relay(req *http.Request) (*http.Response, error) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if req.Method != http.MethodPost {
		return respond(req, http.StatusMethodNotAllowed, "text/plain", ""), nil
	}
	if err := json.NewDecoder(req.Body).Decode(&m); err != nil {
		return respond(req, http.StatusBadRequest, "text/plain", err.Error()), nil
	}
	result := ""
	switch m.Method {
	case "server/discover":
		result = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},
			"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"relay-crm","version":"1.3.0"}}}`
	case "tools/list":
		result = `{"resultType":"complete","tools":[
			{"name":"search_contacts","description":"Finds people and companies by any field","inputSchema":{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]},"annotations":{"readOnlyHint":true}},
			{"name":"log_call","description":"Writes a call with notes to a contact","inputSchema":{"type":"object","properties":{"contact":{"type":"string"},"notes":{"type":"string"}}}},
			{"name":"list_deals","description":"Lists open deals with stage and value","inputSchema":{"type":"object"}},
			{"name":"move_deal","description":"Moves a deal to another stage","inputSchema":{"type":"object","properties":{"deal":{"type":"string"},"stage":{"type":"string"}}}}]}`
	default:
		return respond(req, http.StatusNotFound, "application/json",
			`{"jsonrpc":"2.0","id":`+string(m.ID)+`,"error":{"code":-32601,"message":"unknown method"}}`), nil
	}
	return respond(req, http.StatusOK, "application/json",
		`{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":`+result+`}`), nil
}

func respond(req *http.Request, status int, mediaType, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {mediaType}},
		Body:          io.NopCloser(strings.NewReader(body)),
		ContentLength: int64(len(body)), Request: req,
	}
}
