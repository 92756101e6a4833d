package httpd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
)

// A LogWriter gathers lines for a moment before it writes them: a system call
// for each request would cost more than the request. Lines that say ERROR are
// written at once. API keys are masked in all.
type LogWriter struct {
	mu      sync.Mutex
	b       *bufio.Writer
	pending bool
	line    []byte
	clock   clock
}

// A clock writes times of which many lie in the same second.
type clock struct {
	second     int64
	head, zone []byte
}

// append appends t as RFC 3339 has it, to the microsecond.
func (k *clock) append(b []byte, t time.Time) []byte {
	if s := t.Unix(); s != k.second || k.head == nil {
		k.second = s
		k.head, k.zone = t.AppendFormat(k.head[:0], "2006-01-02T15:04:05."), t.AppendFormat(k.zone[:0], "Z07:00")
	}
	b = append(b, k.head...)
	micros := t.Nanosecond() / 1000
	for unit := 100_000; unit > 0; unit /= 10 {
		b = append(b, '0'+byte(micros/unit%10))
	}
	return append(b, k.zone...)
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
	return l.write(p)
}

func (l *LogWriter) write(p []byte) (int, error) {
	n := len(p)
	if bytes.Contains(p, keyMark) { // whatever it is that was logged
		p = maskForm.ReplaceAll(p, []byte("mcp_…"))
	}
	if _, err := l.b.Write(p); err != nil {
		return 0, err
	}
	if urgent(p) {
		return n, l.b.Flush()
	}
	if !l.pending {
		l.pending = true
		time.AfterFunc(logDelay, func() { _ = l.Flush() })
	}
	return n, nil
}

var keyMark = []byte("mcp_")

// access writes what the function access does, as slog's JSON handler would.
func (l *LogWriter) access(level slog.Level, c *gin.Context, q *request, at time.Time, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := append(l.line[:0], `{"time":"`...)
	b = l.clock.append(b, at)
	b = append(append(b, `","level":"`...), level.String()...)
	b = append(append(b, `","msg":"request","request":"`...), q.id...)
	b = quoted(append(b, `","method":`...), c.Request.Method)
	b = quoted(append(b, `,"path":`...), shortPath(c.Request.URL.Path))
	b = strconv.AppendInt(append(b, `,"status":`...), int64(c.Writer.Status()), 10)
	b = append(b, `,"took":"`...)
	if micros := took.Round(time.Microsecond).Microseconds(); micros < 1000 { // which most take
		b = append(strconv.AppendInt(b, micros, 10), "µs\""...)
	} else {
		b = append(append(b, took.Round(time.Microsecond).String()...), '"')
	}
	if err := c.Errors.Last(); err != nil && c.Writer.Status() >= 500 {
		b = quoted(append(b, `,"err":`...), err.Error())
	}
	l.line = append(b, "}\n"...)
	_, _ = l.write(l.line) // there is nowhere to say so
}

// quoted appends s as a JSON string.
func quoted(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c > '~' {
			q, err := json.Marshal(s)
			if err != nil {
				return append(b, `""`...) // strings always marshal
			}
			return append(b, q...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
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
