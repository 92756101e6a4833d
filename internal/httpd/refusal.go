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
	errExpect  = errors.New("expectation failed") // 417 expectation_failed
)

// expectationFailed begins net/http's answer to a header Expect that is not
// "100-continue". No handler answers so.
var expectationFailed = []byte(" 417 Expectation Failed\r\n")

// refusal returns the answer to send in place of p, nil if p is none of
// net/http's own refusals.
func refusal(p []byte) []byte {
	if len(p) > len("HTTP/1.1") && bytes.HasPrefix(p[len("HTTP/1.1"):], expectationFailed) {
		return refused(errExpect, http.StatusExpectationFailed, "The only header Expect that is understood is Expect: 100-continue.")
	}
	line, _, found := bytes.Cut(p, refusalHead)
	if !found || bytes.Contains(line, lineEnd) {
		return nil
	}
	words := strings.SplitN(string(line), " ", 3) // HTTP/1.1, the status, its text
	status, err := strconv.Atoi(words[1])
	if err != nil || len(words) != 3 {
		return nil
	}
	if status == http.StatusRequestHeaderFieldsTooLarge {
		return refused(errHead, status, fmt.Sprintf("The address and the headers of a request may take %d bytes together.", MaxHeader))
	}
	msg := "This is not a request that can be read."
	if _, why, ok := strings.Cut(words[2], ": "); ok {
		msg = "This is not a request that can be read: " + why + "."
	}
	return refused(errRequest, status, msg)
}

func refused(kind error, status int, msg string) []byte {
	problem := Explain(registry.Errorf(kind, "%s", msg))
	problem.Type, problem.Status, problem.RequestID = "about:blank", status, newIDs().prefix+"0"
	body, err := json.Marshal(problem)
	if err != nil {
		return nil
	}
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nX-Request-Id: %s\r\nX-Content-Type-Options: nosniff\r\nAccess-Control-Allow-Origin: *\r\nContent-Type: application/problem+json\r\nCache-Control: no-store\r\nDate: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		status, http.StatusText(status), problem.RequestID, time.Now().UTC().Format(http.TimeFormat), len(body), body)
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
