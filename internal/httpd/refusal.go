package httpd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"mcpcensus/internal/registry"
)

// Requests that net/http cannot read never reach a handler: it answers them
// itself, in plain text, and closes the connection. A wholeConn gives those
// answers the form that all others have.

// refusalHead is what net/http writes between the status and the text of a
// refusal, and nothing else writes.
var refusalHead = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")

var (
	errHead    = errors.New("headers too large")  // 431 headers_too_large
	errRequest = errors.New("unreadable request") // 400 invalid_request
)

// refusal returns the answer to send in place of p, nil if p is none of
// net/http's own refusals.
func refusal(p []byte) []byte {
	line, _, found := bytes.Cut(p, refusalHead)
	if !found || bytes.Contains(line, lineEnd) {
		return nil
	}
	words := strings.SplitN(string(line), " ", 3) // HTTP/1.1, the status, its text
	status, err := strconv.Atoi(words[1])
	if err != nil || len(words) != 3 {
		return nil
	}
	kind, msg := errRequest, "This is not a request that can be read."
	if status == http.StatusRequestHeaderFieldsTooLarge {
		kind, msg = errHead, fmt.Sprintf("The address and the headers of a request may take %d bytes together.", MaxHeader)
	} else if _, why, ok := strings.Cut(words[2], ": "); ok {
		msg = "This is not a request that can be read: " + why + "."
	}
	problem := Explain(registry.Errorf(kind, "%s", msg))
	problem.Type, problem.Status = "about:blank", status
	body, err := json.Marshal(problem)
	if err != nil {
		return nil
	}
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: application/problem+json\r\nCache-Control: no-store\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		status, http.StatusText(status), len(body), body)
}

// How much of a refused request is read to its end, and for how long: a
// connection that is closed before that is reset, and the client may never see
// the answer.
const (
	drainBytes = 16 << 20
	drainTime  = time.Second
)

// CloseWrite ends the answer and reads what the client is still sending.
// net/http calls it before it closes a connection that it has given up.
func (c *wholeConn) CloseWrite() error {
	w, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok {
		return nil
	}
	if err := w.CloseWrite(); err != nil {
		return err
	}
	if err := c.Conn.SetReadDeadline(time.Now().Add(drainTime)); err != nil {
		return err
	}
	_, _ = io.CopyN(io.Discard, c.Conn, drainBytes) // what is left is the client's loss
	return nil
}
