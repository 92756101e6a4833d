package mcp

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// modern is the first protocol revision whose requests name it in their parameters.
const modern = "2026-07-28"

// constantMethods are the methods whose results never change while the program runs.
var constantMethods = []string{
	"server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list",
}

// constants are results, as the SDK returned them once.
type constants map[constant]json.RawMessage

// A constant is the result of a method in a protocol revision, "" if requests name none.
type constant struct{ version, method string }

func newConstants(sdk http.Handler) constants {
	all := constants{}
	for _, version := range append([]string{""}, versions...) {
		for _, method := range constantMethods {
			params := `{}`
			if version == modern {
				params = `{"_meta":{"` + mcp.MetaKeyProtocolVersion + `":"` + modern + `","` +
					mcp.MetaKeyClientCapabilities + `":{}}}`
			}
			r := httptest.NewRequest(http.MethodPost, Path, strings.NewReader(
				`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("MCP-Protocol-Version", version)
			r.Header.Set("Mcp-Method", method)
			w := httptest.NewRecorder()
			sdk.ServeHTTP(w, r)
			var body struct{ Result json.RawMessage }
			if w.Code == http.StatusOK && json.Unmarshal(w.Body.Bytes(), &body) == nil && body.Result != nil {
				all[constant{version, method}] = body.Result
			}
		}
	}
	return all
}

// answer returns the response to a request whose result is constant; nil for all other
// requests, and for those that the SDK might refuse.
func (k constants) answer(r *http.Request, req *jsonrpc.Request) []byte {
	h := r.Header
	version := h.Get("MCP-Protocol-Version")
	result := k[constant{version, req.Method}]
	if result == nil || !req.IsCall() || h.Get("Content-Type") != "application/json" ||
		h.Get("Authorization") != "" || h.Get("Last-Event-ID") != "" || !acceptsBoth(h) {
		return nil
	}
	if version != modern && len(req.Params) > 0 && string(req.Params) != "{}" ||
		version == modern && (h.Get("Mcp-Method") != req.Method || !plainParams(req.Params)) {
		return nil
	}
	id, err := json.Marshal(req.ID.Raw())
	if err != nil {
		return nil
	}
	b := make([]byte, 0, len(result)+len(id)+40)
	b = append(append(b, `{"jsonrpc":"2.0","id":`...), id...)
	b = append(append(b, `,"result":`...), result...)
	return append(b, '}')
}

func acceptsBoth(h http.Header) bool {
	accept := h.Values("Accept")
	return len(accept) == 1 && (accept[0] == "application/json, text/event-stream" ||
		accept[0] == "text/event-stream, application/json" || accept[0] == "*/*")
}

// plainParams reports whether parameters are what modern clients send with these methods: the
// revision, capabilities and the name of the client.
func plainParams(params json.RawMessage) bool {
	var all map[string]json.RawMessage
	if json.Unmarshal(params, &all) != nil || len(all) != 1 {
		return false
	}
	var meta map[string]json.RawMessage
	if json.Unmarshal(all["_meta"], &meta) != nil {
		return false
	}
	version, capabilities := false, false
	for name, value := range meta {
		switch name {
		case mcp.MetaKeyProtocolVersion:
			version = string(value) == `"`+modern+`"`
		case mcp.MetaKeyClientCapabilities:
			capabilities = value[0] == '{' && json.Unmarshal(value, new(mcp.ClientCapabilities)) == nil
		case mcp.MetaKeyClientInfo:
			if json.Unmarshal(value, new(mcp.Implementation)) != nil || value[0] != '{' {
				return false
			}
		default:
			return false
		}
	}
	return version && capabilities
}
