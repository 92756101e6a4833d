package httpd

import (
	"bufio"
	"io"
	"sync"
	"time"
)

// A LogWriter gathers lines for a moment before it writes them: a system call
// for each request would cost more than the request. Lines that say ERROR are
// written at once.
type LogWriter struct {
	mu      sync.Mutex
	b       *bufio.Writer
	pending bool
}

// logDelay is how long a line may wait.
const logDelay = 200 * time.Millisecond

// NewLogWriter returns a writer in front of w. Flush must be called before the
// program ends.
func NewLogWriter(w io.Writer) *LogWriter { return &LogWriter{b: bufio.NewWriterSize(w, 64<<10)} }

// Write takes one or more whole lines.
func (l *LogWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.b.Write(p)
	if err == nil && urgent(p) {
		return n, l.b.Flush()
	}
	if !l.pending {
		l.pending = true
		time.AfterFunc(logDelay, func() { _ = l.Flush() })
	}
	return n, err
}

// urgent looks for the level in the first part of a line of slog's handlers.
func urgent(line []byte) bool {
	head := line[:min(len(line), 120)]
	for i := 0; i+5 <= len(head); i++ {
		if string(head[i:i+5]) == "ERROR" {
			return true
		}
	}
	return false
}

// Flush writes what waits.
func (l *LogWriter) Flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending = false
	return l.b.Flush()
}
