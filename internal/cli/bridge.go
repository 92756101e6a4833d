package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// A bridge carries messages of MCP between lines of text and the /mcp of a registry. It
// reads of them only what HTTP needs. Requests that the registry does not answer get an error.
type bridge struct {
	registry   string // its URL, without a slash at the end
	key, agent string // key: "" for none
	out        io.Writer
	log        *slog.Logger
	client     *http.Client

	mu       sync.Mutex                    // guards the fields below, and out
	revision string                        // of the protocol, from the response to initialize
	cancels  map[string]context.CancelFunc // of open requests, by ID
}

const (
	mcpTimeout  = time.Minute // of a request
	mcpMaxOpen  = 64          // requests at a time
	mcpMaxReply = 16 << 20    // bytes of a response or an event

	codeParse          = -32700 // errors of JSON-RPC
	codeInvalidRequest = -32600
	codeTransport      = -32000

	methodListen = "subscriptions/listen" // its response is a stream
)

func newBridge(registry, key, agent string, out io.Writer, log *slog.Logger) *bridge {
	return &bridge{
		registry: strings.TrimRight(registry, "/"), key: key, agent: agent, out: out, log: log,
		client: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // the key is for this registry only
		}},
		cancels: map[string]context.CancelFunc{},
	}
}

// An rpcMessage is a message and what the bridge reads of it.
type rpcMessage struct {
	text []byte

	ID                    json.RawMessage
	Method                string
	Params, Result, Error json.RawMessage
}

// isRequest reports whether a message has a response.
func (m *rpcMessage) isRequest() bool { return m.ID != nil && m.Result == nil && m.Error == nil }

// rpcParams are the parameters that HTTP headers repeat, or that concern the bridge.
type rpcParams struct {
	Name, URI string
	RequestID json.RawMessage
	Meta      struct {
		Revision string `json:"io.modelcontextprotocol/protocolVersion"`
	} `json:"_meta"`
}

// params returns the parameters, without those of another type: the registry reports them.
func (m *rpcMessage) params() (p rpcParams) {
	_ = json.Unmarshal(m.Params, &p)
	return p
}

// run carries messages until in ends and all requests have responses, or until ctx ends.
func (b *bridge) run(ctx context.Context, in io.Reader) error {
	streams, stop := context.WithCancel(ctx) // streams end with the input
	defer stop()
	lines, failed := make(chan []byte), make(chan error, 1)
	go func() {
		r := bufio.NewReader(in)
		for {
			line, err := r.ReadBytes('\n')
			select {
			case lines <- bytes.TrimSpace(line):
			case <-ctx.Done():
				return
			}
			if err != nil {
				failed <- err
				return
			}
		}
	}()
	var open errgroup.Group
	open.SetLimit(mcpMaxOpen)
	for {
		select {
		case line := <-lines:
			for _, m := range b.messages(line) {
				b.start(ctx, streams, &open, m)
			}
		case err := <-failed:
			stop()
			_ = open.Wait() // its functions return no errors
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// start carries a message. It waits for the response to initialize only, which has the
// revision that later requests need.
func (b *bridge) start(ctx, streams context.Context, open *errgroup.Group, m rpcMessage) {
	switch m.Method {
	case "notifications/cancelled": // the registry notices that the connection ends
		b.cancel(m.params().RequestID)
		return
	case "initialize":
		b.carry(ctx, m)
		return
	case methodListen:
		ctx = streams
	}
	ctx, cancel := context.WithCancel(ctx)
	id := string(m.ID)
	b.mu.Lock()
	b.cancels[id] = cancel
	b.mu.Unlock()
	open.Go(func() error {
		b.carry(ctx, m)
		cancel()
		b.mu.Lock()
		delete(b.cancels, id)
		b.mu.Unlock()
		return nil
	})
}

// cancel ends an open request, which gets no response.
func (b *bridge) cancel(id json.RawMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if cancel := b.cancels[string(id)]; cancel != nil {
		cancel()
	}
}

// messages returns the messages of a line, and answers what is none. Batches, which only old
// clients send, are split.
func (b *bridge) messages(line []byte) (all []rpcMessage) {
	parts := []json.RawMessage{line}
	switch {
	case len(line) == 0:
		return nil
	case !json.Valid(line):
		b.refuse(nil, codeParse, "Parse error: the line is not JSON")
		return nil
	case line[0] == '[':
		if _ = json.Unmarshal(line, &parts); len(parts) == 0 {
			b.refuse(nil, codeInvalidRequest, "Invalid request: the batch is empty")
		}
	}
	for _, part := range parts {
		m := rpcMessage{text: part}
		if part[0] != '{' || json.Unmarshal(part, &m) != nil || m.ID == nil && m.Method == "" {
			b.refuse(nil, codeInvalidRequest, "Invalid request: it is not a message of JSON-RPC 2.0")
			continue
		}
		all = append(all, m)
	}
	return all
}

// carry sends a message to the registry and writes what it responds.
func (b *bridge) carry(ctx context.Context, m rpcMessage) {
	if m.Method != methodListen {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, mcpTimeout)
		defer stop()
	}
	err := b.post(ctx, m)
	switch {
	case err == nil, errors.Is(ctx.Err(), context.Canceled): // nobody waits for a response
	case m.isRequest():
		b.refuse(m.ID, codeTransport, err.Error())
	default:
		b.log.Warn("the registry rejected a message", "method", m.Method, "err", err)
	}
}

// post sends a message and writes the messages of the response. An error is the reason why
// there are none.
func (b *bridge) post(ctx context.Context, m rpcMessage) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.registry+"/mcp",
		bytes.NewReader(m.text))
	if err != nil {
		return err
	}
	b.setHeader(req.Header, m)
	res, err := b.client.Do(req)
	if err != nil {
		return fmt.Errorf("the registry at %s did not respond: %w; check the URL (--registry)",
			b.registry, err)
	}
	defer res.Body.Close()
	kind, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";")
	switch {
	case kind == "text/event-stream" && res.StatusCode == http.StatusOK:
		return b.events(res.Body, m)
	case kind == "application/json":
		text, err := io.ReadAll(io.LimitReader(res.Body, mcpMaxReply))
		if err != nil {
			return fmt.Errorf("the response of the registry ended early: %w", err)
		}
		return b.reply(text, res.StatusCode, m)
	case res.StatusCode < http.StatusMultipleChoices && !m.isRequest():
		return nil
	}
	return b.noMessage(res.StatusCode)
}

// noMessage is the error for a response without a message: it is not from a registry.
func (b *bridge) noMessage(status int) error {
	return fmt.Errorf("the registry at %s responded with %d %s and no message; check the URL "+
		"(--registry)", b.registry, status, http.StatusText(status))
}

// setHeader sets the headers that the protocol requires: they repeat parts of the message.
func (b *bridge) setHeader(h http.Header, m rpcMessage) {
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	h.Set("User-Agent", b.agent)
	if b.key != "" {
		h.Set("Authorization", "Bearer "+b.key)
	}
	b.mu.Lock()
	revision := b.revision
	b.mu.Unlock()
	p := m.params()
	revision = cmp.Or(p.Meta.Revision, revision)
	if revision != "" && m.Method != "initialize" {
		h.Set("MCP-Protocol-Version", revision)
	}
	if m.Method == "" {
		return
	}
	h.Set("Mcp-Method", m.Method)
	switch m.Method {
	case "tools/call", "prompts/get":
		h.Set("Mcp-Name", p.Name)
	case "resources/read":
		h.Set("Mcp-Name", p.URI)
	}
}

// reply writes a response. Errors of requests that could not be read have no ID.
func (b *bridge) reply(text []byte, status int, m rpcMessage) error {
	var r struct {
		ID, Result json.RawMessage
		Method     string // of a notification in a stream
		Error      *struct {
			Code    int
			Message string
		}
	}
	if json.Unmarshal(text, &r) != nil || r.Result == nil && r.Error == nil && r.Method == "" {
		return b.noMessage(status)
	}
	if r.Error != nil && (!m.isRequest() || r.ID == nil || status == http.StatusUnauthorized) {
		reason := r.Error.Message
		if status == http.StatusUnauthorized && b.key != "" {
			reason = "The registry does not accept the API key in CENSUS_API_KEY: " + reason
		}
		if m.isRequest() {
			b.refuse(m.ID, r.Error.Code, reason)
			return nil
		}
		return errors.New(reason)
	}
	if m.Method == "initialize" {
		var result struct{ ProtocolVersion string }
		_ = json.Unmarshal(r.Result, &result) // nil after an error
		b.mu.Lock()
		b.revision = result.ProtocolVersion
		b.mu.Unlock()
	}
	b.write(text)
	return nil
}

// events writes the messages of a stream of server-sent events.
func (b *bridge) events(stream io.Reader, m rpcMessage) error {
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, mcpMaxReply)
	var data []byte
	answered := false
	for lines.Scan() {
		line := lines.Bytes()
		if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(append(data, value...), '\n')
		} else if len(line) == 0 && len(bytes.TrimSpace(data)) > 0 {
			if err := b.reply(data, http.StatusOK, m); err != nil {
				return err
			}
			answered, data = true, nil
		}
	}
	if err := lines.Err(); err != nil || !answered {
		return fmt.Errorf("the response of the registry ended early: %w",
			cmp.Or(err, io.ErrUnexpectedEOF))
	}
	return nil
}

// write writes a message on a line of its own.
func (b *bridge) write(message []byte) {
	var line bytes.Buffer
	if json.Compact(&line, message) != nil {
		return // it was decoded before
	}
	line.WriteByte('\n')
	b.mu.Lock()
	defer b.mu.Unlock()
	_, _ = b.out.Write(line.Bytes()) // if nobody reads it, the input ends too
}

// refuse writes an error response; id is nil if it could not be read.
func (b *bridge) refuse(id json.RawMessage, code int, message string) {
	if id == nil {
		id = json.RawMessage("null")
	}
	type rpcError struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	text, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   rpcError        `json:"error"`
	}{"2.0", id, rpcError{code, message}})
	if err == nil { // an ID that was decoded encodes
		b.write(text)
	}
}

// serveMCP is an MCP server over standard input and output until the client closes it. The
// registry answers all messages. Standard output belongs to the protocol.
func serveMCP(ctx context.Context, c *call) error {
	if c.Stdin == nil {
		return usagef("mcp needs standard input")
	}
	log := slog.New(slog.NewTextHandler(c.Stderr, nil))
	registry := c.client.BaseURL()
	log.Info("MCP server over standard input", "registry", registry)
	return newBridge(registry, c.Getenv("CENSUS_API_KEY"), c.Name+"/"+c.Version, c.Stdout, log).
		run(ctx, c.Stdin)
}
