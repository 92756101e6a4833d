package fakegithub

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// Endpoints returns a transport to the remote endpoints of the fixtures as they were some
// time ago: two open ones of Relay CRM, one of Opal Pay that requires a login, one of
// Oaken ledger with a long list of tools, and one of Drift whose tools changed eight hours
// ago. Other hosts do not resolve.
func Endpoints(ago time.Duration) http.RoundTripper { return endpoints{ago} }

type endpoints struct{ ago time.Duration }

func (e endpoints) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	switch req.URL.Host + req.URL.Path {
	case "mcp.relay-crm.alt/mcp":
		return asServer(req, "relay-crm", "1.3.0", func() string { return relayTools })
	case "mcp.oaken-ledger.alt/mcp":
		return asServer(req, "oaken-ledger", "4.2.0", ledgerTools)
	case "mcp.drift-notes.alt/mcp":
		return asServer(req, "drift-notes", "1.0.0", func() string {
			if e.ago > 8*time.Hour {
				return `{"name":"read_page","description":"Reads a page of a notebook","inputSchema":{"type":"object"}}`
			}
			return `{"name":"read_page","description":"Reads a page and its history","inputSchema":{"type":"object"}},
				{"name":"share_notebook","description":"Shares a notebook with an address","inputSchema":{"type":"object"}}`
		})
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
	case "mcp.relay-crm.alt", "mcp.oaken-ledger.alt", "mcp.drift-notes.alt", "mcp.opalpay.example",
		"auth.opalpay.example", "127.0.0.1":
		return respond(req, http.StatusNotFound, "text/plain", "not found\n"), nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: req.URL.Hostname(), IsNotFound: true}
}

// relayTools are the tools of Relay CRM, as members of an array.
const relayTools = `
	{"name":"search_contacts","description":"Finds people and companies by any field","inputSchema":{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]},"annotations":{"readOnlyHint":true}},
	{"name":"log_call","description":"Writes a call with notes to a contact","inputSchema":{"type":"object","properties":{"contact":{"type":"string"},"notes":{"type":"string"}}}},
	{"name":"list_deals","description":"Lists open deals with stage and value","inputSchema":{"type":"object"}},
	{"name":"move_deal","description":"Moves a deal to another stage","inputSchema":{"type":"object","properties":{"deal":{"type":"string"},"stage":{"type":"string"}}}}`

// ledgerTools returns 200 tools with parameters, more than 20,000 tokens.
func ledgerTools() string {
	tools := make([]string, 200)
	for i := range tools {
		var fields []string
		for f := range 8 {
			fields = append(fields, fmt.Sprintf(
				`"field_%d":{"type":"string","description":"Value of field %d of form %d, as it is printed"}`, f, f, i+1))
		}
		tools[i] = fmt.Sprintf(`{"name":"fill_form_%d","description":"Fills form %d of the ledger and returns its number",`+
			`"inputSchema":{"type":"object","properties":{%s}}}`, i+1, i+1, strings.Join(fields, ","))
	}
	return strings.Join(tools, ",")
}

// asServer responds as an MCP server without sessions. tools returns the members of its
// JSON array of tools.
func asServer(req *http.Request, name, version string, tools func() string) (*http.Response, error) {
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
			"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"` + name + `","version":"` + version + `"}}}`
	case "tools/list":
		result = `{"resultType":"complete","tools":[` + tools() + `]}`
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
