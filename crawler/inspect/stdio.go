package inspect

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"mcpcensus/crawler/mcp"
	"mcpcensus/internal/registry"
)

// discoverTimeout is the time to wait for the response to server/discover before the
// handshake of earlier protocol versions is sent as well.
const discoverTimeout = 2 * time.Second

var (
	errEnded    = errors.New("the server ended without a response")
	errRejected = errors.New("the server rejected the MCP handshake")
)

// An attempt is the result of starting a package once.
type attempt struct {
	about              mcp.Description
	tools              []registry.Tool
	resources, prompts *int
	err                error // nil if it listed its tools

	isMCP  bool // it sent an MCP message
	output bool // it wrote anything to standard output
	status int  // exit status; -1 if it was killed
	stderr []string
}

// A session is an MCP session over standard input and output.
type session struct {
	client  mcp.Implementation
	in      io.Writer
	out     <-chan mcp.Message // closed at the end of the output
	ended   func() error       // why out was closed
	next    int                // the last request's ID
	version string
	a       *attempt
}

// query requests the lists of a process. It returns after the responses, at the end of the
// output, or when ctx ends.
func query(ctx context.Context, p *process, client mcp.Implementation) (a attempt) {
	messages := make(chan mcp.Message)
	var readErr error
	stop := make(chan struct{})
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(messages)
		a.output, readErr = readMessages(p.stdout, messages, stop)
	}()
	s := &session{client: client, in: p.stdin, out: messages, a: &a,
		ended: func() error { return readErr }}
	err := s.run(ctx)
	p.stdin.Close() // tells the server to exit
	close(stop)
	if c, ok := p.stdout.(io.Closer); ok {
		c.Close()
	}
	<-read
	a.err = err
	return a
}

// readMessages sends each line of r that is a message to out, until the end of r or until
// stop is closed. The error is [mcp.ErrTooLarge] or errEnded.
func readMessages(
	r io.Reader, out chan<- mcp.Message, stop <-chan struct{},
) (any bool, err error) {
	limited := &io.LimitedReader{R: r, N: maxOutput}
	in := bufio.NewReaderSize(limited, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		any = any || len(line) > 0
		var m mcp.Message
		if len(line) > 0 && json.Unmarshal(line, &m) == nil && m.Version == "2.0" {
			select {
			case out <- m:
			case <-stop:
				return any, errEnded
			}
		}
		if err != nil {
			if limited.N <= 0 {
				return any, mcp.ErrTooLarge
			}
			return any, errEnded
		}
	}
}

func (s *session) run(ctx context.Context) error {
	if err := s.open(ctx); err != nil {
		return err
	}
	has := func(list string) bool { _, ok := s.a.about.Capabilities[list]; return ok }
	if has("tools") {
		tools, err := mcp.Tools(ctx, s.caller("tools/list"))
		if err != nil {
			return err
		}
		s.a.tools = tools
	}
	for _, list := range []struct {
		name string
		n    **int
	}{{"resources", &s.a.resources}, {"prompts", &s.a.prompts}} {
		n := 0
		if has(list.name) {
			var err error
			if n, err = mcp.Count(ctx, list.name, s.caller(list.name+"/list")); err != nil {
				continue // the list of tools is enough
			}
		}
		*list.n = &n
	}
	return nil
}

// open requests the description in both generations of the protocol.
func (s *session) open(ctx context.Context) error {
	s.version = mcp.Modern
	discover, err := s.send("server/discover", nil)
	if err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, discoverTimeout)
	m, err := s.receive(waiting, discover)
	cancel()
	if err == nil && m.Error != nil {
		if other, ok := m.OtherVersion(s.version); ok {
			s.version = other
			if discover, err = s.send("server/discover", nil); err == nil {
				m, err = s.receive(ctx, discover)
			}
		}
	}
	if err == nil && s.discovered(m) {
		return nil
	}
	if err != nil && (ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded)) {
		return err
	}
	return s.initialize(ctx, discover)
}

func (s *session) discovered(m *mcp.Message) bool {
	if m.Error != nil {
		return false
	}
	about, ok := mcp.Discovered(s.version, m.Result)
	if ok {
		s.a.about = about
		s.a.about.Version = s.version
	}
	return ok
}

// initialize performs the handshake. It also accepts a late response to server/discover.
func (s *session) initialize(ctx context.Context, discover int) error {
	modern := s.version
	s.version = mcp.Legacy
	id, err := s.send("initialize", mcp.InitializeParams(s.client))
	if err != nil {
		return err
	}
	for {
		m, err := s.receive(ctx, id, discover)
		if err != nil {
			return err
		}
		if m.Answers(discover) {
			s.version = modern
			if s.discovered(m) {
				return nil
			}
			s.version = mcp.Legacy
			continue
		}
		if m.Error != nil {
			return errRejected
		}
		about, ok := mcp.Initialized(m.Result)
		if !ok {
			return mcp.ErrNotMCP
		}
		s.a.about, s.version = about, about.Version
		return s.write(mcp.Request(s.version, "notifications/initialized", nil, 0, s.client))
	}
}

func (s *session) caller(method string) mcp.Caller {
	return func(ctx context.Context, params map[string]any, _ int64) (*mcp.Message, error) {
		id, err := s.send(method, params)
		if err != nil {
			return nil, err
		}
		return s.receive(ctx, id)
	}
}

// send sends a request and returns its ID.
func (s *session) send(method string, params map[string]any) (int, error) {
	s.next++
	return s.next, s.write(mcp.Request(s.version, method, params, s.next, s.client))
}

func (s *session) write(text []byte, err error) error {
	if err != nil {
		return err
	}
	if _, err := s.in.Write(append(text, '\n')); err != nil {
		// The server has closed its standard input. Its output explains why.
		for range s.out {
		}
		return s.ended()
	}
	return nil
}

// receive returns the response to one of the requests. It rejects requests of the server, except
// pings.
func (s *session) receive(ctx context.Context, ids ...int) (*mcp.Message, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case m, ok := <-s.out:
			if !ok {
				return nil, s.ended()
			}
			s.a.isMCP = true
			for _, id := range ids {
				if m.Valid() && m.Answers(id) {
					return &m, nil
				}
			}
			if m.Method != "" && m.ID != nil {
				if err := s.reply(m); err != nil {
					return nil, err
				}
			}
		}
	}
}

// reply responds to a request of the server.
func (s *session) reply(m mcp.Message) error {
	body := map[string]any{"jsonrpc": "2.0", "id": m.ID}
	if m.Method == "ping" {
		body["result"] = struct{}{}
	} else {
		body["error"] = map[string]any{"code": -32601, "message": "Method not found"}
	}
	return s.write(json.Marshal(body))
}
