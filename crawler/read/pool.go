package read

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Defaults of [Options].
const (
	defaultMemory   = 1 << 30
	defaultCPU      = 60 * time.Second
	defaultDeadline = 5 * time.Minute
	maxStack        = 256 << 20 // bytes of one goroutine of a child
	maxChildren     = 4
	maxReadings     = 300 // of one child
)

// Options configure a [Pool]. The zero value has the defaults.
type Options struct {
	Children int           // 0: the number of processors, at most 4
	Memory   int64         // bytes of a child; 0: 1 GB
	CPU      time.Duration // processor time of one reading; 0: 60 seconds
	Deadline time.Duration // of one reading; 0: 5 minutes
	Log      *slog.Logger  // nil: no log
	// Failed is called with the reason of each failure. It may be nil.
	Failed func(reason string)
}

// A Pool reads in child processes, which it starts when they are needed. Its methods are safe
// for concurrent use.
type Pool struct {
	opt   Options
	slots chan *child // nil: not started

	mu     sync.Mutex
	open   bool // the machine does not allow namespaces
	closed bool
}

// NewPool returns a pool. Callers close it.
func NewPool(o Options) *Pool {
	o.Children = cmp.Or(o.Children, min(runtime.NumCPU(), maxChildren))
	o.Memory = cmp.Or(o.Memory, defaultMemory)
	o.CPU = cmp.Or(o.CPU, defaultCPU)
	o.Deadline = cmp.Or(o.Deadline, defaultDeadline)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	p := &Pool{opt: o, slots: make(chan *child, o.Children)}
	for range o.Children {
		p.slots <- nil
	}
	return p
}

// Close ends the children after their current readings.
func (p *Pool) Close() {
	for range p.opt.Children {
		if c := <-p.slots; c != nil {
			c.end()
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	close(p.slots)
}

var errClosed = errors.New("the reader is closed")

// ask has a child answer a request. The error is a [*Failure], one of ctx, or of the machine.
func (p *Pool) ask(
	ctx context.Context, q request, files map[string]string,
) (response, map[string]string, error) {
	var c *child
	var ok bool
	select {
	case c, ok = <-p.slots:
		if !ok {
			return response{}, nil, errClosed
		}
	case <-ctx.Done():
		return response{}, nil, ctx.Err()
	}
	if c == nil || c.gone() {
		var err error
		if c, err = p.start(); err != nil {
			p.slots <- nil
			return response{}, nil, err
		}
	}
	a, out, err := c.ask(ctx, q, files, p.opt.Deadline)
	if err != nil || a.Last || c.readings >= maxReadings {
		c.end()
		c = nil
	}
	p.slots <- c
	if f, ok := errors.AsType[*Failure](err); ok {
		return a, nil, p.failed(f)
	}
	return a, out, err
}

// failed reports a failure to the operator.
func (p *Pool) failed(f *Failure) error {
	p.opt.Log.Warn("files could not be read, or not all of them", "reason", f.Reason, "detail", f.Detail)
	if p.opt.Failed != nil {
		p.opt.Failed(f.Reason)
	}
	return f
}

// start starts a child, without network if the machine allows that.
func (p *Pool) start() (*child, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.open {
		c, err := p.spawn(true)
		if err == nil {
			return c, nil
		}
		p.opt.Log.Info("children that read are not in namespaces of their own", "err", err)
		p.open = true
	}
	return p.spawn(false)
}

func (p *Pool) spawn(isolated bool) (*child, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if runtime.GOOS == "linux" {
		program = "/proc/self/exe" // this version, even if the file has been replaced
	}
	arg, err := json.Marshal(limits{Memory: p.opt.Memory, Stack: maxStack, CPU: p.opt.CPU})
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program)
	cmd.Args = []string{childName, string(arg)}
	cmd.Env = []string{} // nothing of this process
	cmd.Dir = string(os.PathSeparator)
	separate(cmd, isolated)
	c := &child{cmd: cmd, exited: make(chan struct{})}
	cmd.Stderr = &c.stderr
	if c.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	// Not StdoutPipe: Wait, which does not wait for the reader, would close that.
	stdout, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, stdout.Close())
	}
	c.out, c.read = stdout, bufio.NewReaderSize(stdout, 1<<20)
	go func() {
		_ = cmd.Wait() // ProcessState has the status
		close(c.exited)
	}()
	return c, nil
}

// A child is a process that reads.
type child struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	out      io.ReadCloser
	read     *bufio.Reader
	stderr   head
	exited   chan struct{}
	readings int
}

// gone reports whether the child has ended between two readings.
func (c *child) gone() bool {
	select {
	case <-c.exited:
		c.out.Close()
		return true
	default:
		return false
	}
}

// ask sends a request and returns the response. After an error the child is unusable.
func (c *child) ask(
	ctx context.Context, q request, files map[string]string, deadline time.Duration,
) (a response, out map[string]string, err error) {
	c.readings++
	within, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	defer context.AfterFunc(within, func() { kill(c.cmd) })()
	wrote := make(chan error, 1)
	go func() { wrote <- writeMessage(c.in, q, files) }()
	a, out, err = readMessage[response](c.read)
	if err == nil {
		return a, out, <-wrote
	}
	kill(c.cmd)
	<-c.exited
	<-wrote
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return a, nil, ErrLate
	case ctx.Err() != nil:
		return a, nil, ctx.Err()
	case within.Err() != nil:
		return a, nil, &Failure{Reason: Time}
	}
	return a, nil, c.failure(err)
}

// failure returns why the child ended.
func (c *child) failure(err error) *Failure {
	f := &Failure{Reason: Crash, Detail: c.stderr.firstLine()}
	stderr := c.stderr.String()
	switch status := c.cmd.ProcessState; {
	case status.ExitCode() == exitCPU:
		f.Reason = Processor
	case strings.Contains(stderr, "out of memory"), strings.Contains(stderr, "cannot allocate"),
		strings.Contains(stderr, "stack exceeds"), strings.Contains(stderr, "newosproc"):
		f.Reason = Memory
	case errors.Is(err, errMessage):
		f.Reason, f.Detail = Answer, err.Error()
	case f.Detail == "":
		f.Detail = status.String()
	}
	return f
}

func (c *child) end() {
	_ = c.in.Close() // it may have ended
	kill(c.cmd)
	<-c.exited
	c.out.Close()
}

// maxErrors is the number of bytes kept of what a child writes to its standard error.
const maxErrors = 16 << 10

// A head keeps the first bytes written to it.
type head struct {
	mu  sync.Mutex
	buf []byte
}

func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.buf = append(h.buf, p[:min(len(p), maxErrors-len(h.buf))]...)
	return len(p), nil
}

func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return string(h.buf)
}

// firstLine returns the first line of a panic or another fatal error, or else the first line.
func (h *head) firstLine() string {
	text := h.String()
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return strings.TrimSpace(line)
		}
	}
	first, _, _ := strings.Cut(text, "\n")
	return first
}
