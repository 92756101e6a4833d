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
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpcensus/internal/mcpserver"
)

// serveMCP is an MCP server over standard input and output until the client closes it. Its
// tools call those of the registry. Standard output belongs to the protocol.
func serveMCP(ctx context.Context, c *call) error {
	if c.Stdin == nil {
		return usagef("mcp needs standard input")
	}
	log := slog.New(slog.NewTextHandler(c.Stderr, nil))
	base := cmp.Or(c.url, c.Getenv("CENSUS_URL"), "http://127.0.0.1:8080")
	remote := mcpserver.NewRemote(base, c.Getenv("CENSUS_API_KEY"), c.Name, c.Version)
	defer remote.Close()
	server := mcpserver.New(mcpserver.Options{
		Source: remote, Namespace: "org.mcpcensus", Title: "Census", Version: c.Version, BaseURL: base,
		Log: log,
	})
	log.Info("MCP server over standard input; tools ask the registry", "registry", base)
	out := &responses{out: c.Stdout, open: map[jsonrpc.ID]bool{}}
	in := &requests{lines: bufio.NewScanner(c.Stdin), out: out}
	in.lines.Buffer(nil, mcp.DefaultMaxLineLength)
	err := server.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(in), Writer: out})
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// requests reads the lines that are messages; the transport would end at another one. It
// answers others with an error. Batches, which only old clients send, are split.
type requests struct {
	lines *bufio.Scanner
	out   *responses
	next  bytes.Buffer
}

func (r *requests) Read(p []byte) (int, error) {
	for r.next.Len() == 0 {
		if !r.lines.Scan() {
			r.out.drain() // at the end of the input, the transport cancels the open requests
			return 0, cmp.Or(r.lines.Err(), io.EOF)
		}
		line := bytes.TrimSpace(r.lines.Bytes())
		var batch []json.RawMessage
		switch {
		case len(line) == 0:
		case !json.Valid(line):
			r.refuse(jsonrpc.CodeParseError, "Parse error: the line is not JSON")
		case line[0] != '[':
			r.message(line)
		case json.Unmarshal(line, &batch) != nil || len(batch) == 0:
			r.refuse(jsonrpc.CodeInvalidRequest, "Invalid request: the batch is empty")
		default:
			for _, message := range batch {
				r.message(message)
			}
		}
	}
	return r.next.Read(p)
}

func (r *requests) message(text []byte) {
	message, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		r.refuse(jsonrpc.CodeInvalidRequest, "Invalid request: it is not a message of JSON-RPC 2.0")
		return
	}
	if q, ok := message.(*jsonrpc.Request); ok && q.IsCall() {
		r.out.expect(q.ID)
	}
	r.next.Write(text)
	r.next.WriteByte('\n')
}

func (r *requests) refuse(code int, message string) {
	fmt.Fprintf(r.out, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", code, message)
}

// drainTimeout limits the wait for responses after the end of the input.
const drainTimeout = time.Minute

// responses writes whole lines. Closing it does nothing.
type responses struct {
	mu   sync.Mutex
	out  io.Writer
	open map[jsonrpc.ID]bool // requests without a response
	done chan struct{}       // closed when open becomes empty; nil unless drain waits
}

func (w *responses) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.out.Write(line)
	if m, e := jsonrpc.DecodeMessage(bytes.TrimSpace(line)); e == nil {
		if answer, ok := m.(*jsonrpc.Response); ok {
			delete(w.open, answer.ID)
		}
	}
	if w.done != nil && len(w.open) == 0 {
		close(w.done)
		w.done = nil
	}
	return n, err
}

// expect notes a request.
func (w *responses) expect(id jsonrpc.ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open[id] = true
}

// drain waits until every request has a response, at most drainTimeout.
func (w *responses) drain() {
	w.mu.Lock()
	if len(w.open) == 0 {
		w.mu.Unlock()
		return
	}
	done := make(chan struct{})
	w.done = done
	w.mu.Unlock()
	select {
	case <-done:
	case <-time.After(drainTimeout):
	}
}

func (*responses) Close() error { return nil }
