// Package mcp contains the MCP messages with which a client requests a server's description
// and lists, over any transport. It calls no tools. Responses are untrusted: lists are
// limited in size.
package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/internal/text"
)

// The supported revisions of MCP: the stateless one, and the last one with a handshake.
const (
	Modern = "2026-07-28"
	Legacy = "2025-11-25"
)

// codeUnsupportedVersion is the JSON-RPC error of the stateless protocol for an unsupported
// revision.
const codeUnsupportedVersion = -32022

var (
	// ErrNotMCP is the error of a response that is not MCP.
	ErrNotMCP = errors.New("response is not MCP")
	// ErrTooLarge is the error of a response beyond the limits.
	ErrTooLarge = errors.New("response is too large")
)

// A Message is a received JSON-RPC message.
type Message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"` // "" in responses
	Result  json.RawMessage `json:"result"`
	Error   *Error          `json:"error"`
}

// An Error is the error of a response.
type Error struct {
	Code int             `json:"code"`
	Data json.RawMessage `json:"data"`
}

// Answers reports whether the message is the response to the request with that ID.
func (m *Message) Answers(id int) bool {
	text := strings.Trim(string(bytes.TrimSpace(m.ID)), `"`)
	return (m.Result != nil || m.Error != nil) && text == strconv.Itoa(id)
}

func (m *Message) Valid() bool {
	return m.Version == "2.0" && (m.Result != nil || m.Error != nil)
}

// OtherVersion returns the revision to use instead of version if the message is the error of
// the stateless protocol for an unsupported version.
func (m *Message) OtherVersion(version string) (string, bool) {
	var data struct {
		Supported []string `json:"supported"`
	}
	if m.Error == nil || m.Error.Code != codeUnsupportedVersion ||
		json.Unmarshal(m.Error.Data, &data) != nil || len(data.Supported) == 0 {
		return "", false
	}
	latest := slices.Max(data.Supported)
	return latest, latest >= Modern && latest != version
}

// An Implementation is the name and version of a client or server.
type Implementation struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Request returns the body of a request in a revision of the protocol, or of a notification
// if id is 0. It modifies params.
func Request(
	version, method string, params map[string]any, id int, client Implementation,
) ([]byte, error) {
	if version >= Modern {
		if params == nil {
			params = map[string]any{}
		}
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    version,
			"io.modelcontextprotocol/clientInfo":         client,
			"io.modelcontextprotocol/clientCapabilities": struct{}{},
		}
	}
	body := map[string]any{"jsonrpc": "2.0", "method": method}
	if id != 0 {
		body["id"] = id
	}
	if params != nil {
		body["params"] = params
	}
	return json.Marshal(body)
}

// InitializeParams returns the parameters of the handshake's request.
func InitializeParams(client Implementation) map[string]any {
	return map[string]any{
		"protocolVersion": Legacy, "capabilities": struct{}{}, "clientInfo": client,
	}
}

// A Description is a server's description of itself. Its texts have limited lengths.
type Description struct {
	Version      string // revision of the protocol for further requests
	Server       Implementation
	Capabilities map[string]json.RawMessage
}

func describe(
	version string, server Implementation, capabilities map[string]json.RawMessage,
) Description {
	return Description{version,
		Implementation{text.Clean(server.Name, maxName), text.Clean(server.Version, 100)}, capabilities}
}

// Discovered parses the result of server/discover in a revision of the protocol. It reports
// false if the server supports only the handshake or the result is malformed.
func Discovered(version string, raw json.RawMessage) (Description, bool) {
	var result struct {
		Versions     []string                   `json:"supportedVersions"`
		Capabilities map[string]json.RawMessage `json:"capabilities"`
		Meta         map[string]json.RawMessage `json:"_meta"`
	}
	if json.Unmarshal(raw, &result) != nil || len(result.Versions) == 0 ||
		!slices.Contains(result.Versions, version) && slices.Max(result.Versions) < Modern {
		return Description{}, false
	}
	var server Implementation
	_ = json.Unmarshal(result.Meta["io.modelcontextprotocol/serverInfo"], &server) // optional
	return describe(version, server, result.Capabilities), true
}

// Initialized parses the result of initialize. It reports false if the result is malformed.
func Initialized(raw json.RawMessage) (Description, bool) {
	var result struct {
		Version      string                     `json:"protocolVersion"`
		Capabilities map[string]json.RawMessage `json:"capabilities"`
		Server       Implementation             `json:"serverInfo"`
	}
	if json.Unmarshal(raw, &result) != nil || result.Version == "" {
		return Description{}, false
	}
	version := text.Clean(result.Version, 20)
	if version >= Modern { // the stateless protocol has no handshake
		version = Legacy
	}
	return describe(version, result.Server, result.Capabilities), true
}

// A Caller sends a request for a page of a list and returns the response, of at most
// limit bytes.
type Caller func(ctx context.Context, params map[string]any, limit int64) (*Message, error)

// pages calls read with the results of a list's pages until the last one. read returns
// the cursor of the next page, "" for none.
func pages(
	ctx context.Context, call Caller, read func(json.RawMessage) (next string, err error),
) error {
	cursor, left := "", int64(maxList)
	for range maxPages {
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		m, err := call(ctx, params, left)
		if err != nil {
			return err
		}
		if m.Error != nil {
			return ErrNotMCP
		}
		next, err := read(m.Result)
		if err != nil {
			return err
		}
		if left -= int64(len(m.Result)); left <= 0 {
			return ErrTooLarge
		}
		if next == "" {
			return nil
		}
		if next == cursor {
			return ErrNotMCP
		}
		cursor = next
	}
	return ErrTooLarge
}
