package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	connectTimeout = 10 * time.Second
	attemptTimeout = 30 * time.Second
	maxAttempts    = 3
	// maxWait is the maximum wait before a retry. Longer waits are errors.
	maxWait = time.Minute
)

// send sends a request, again after transient failures: all requests only read. Error responses
// are returned as an *Error, and failures without a response as a *ConnectionError.
func (c *Client) send(ctx context.Context, r request) (*response, error) {
	for attempt := 1; ; attempt++ {
		res, err := c.attempt(ctx, r)
		if err == nil {
			return res, nil
		}
		wait, again := retryWait(res, err, attempt)
		if !again || attempt == maxAttempts || ctx.Err() != nil {
			return nil, err
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, &ConnectionError{err}
		}
	}
}

// attempt sends a request once. The response of an *Error is returned with it.
func (c *Client) attempt(ctx context.Context, r request) (*response, error) {
	limited, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	res, err := c.exchange(limited, r)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, &ConnectionError{context.Cause(ctx)}
	case err != nil:
		return nil, &ConnectionError{err}
	case res.status >= 400:
		return res, errorOf(res)
	}
	return res, nil
}

// retryWait returns the wait before the next attempt, and whether there is one. r is nil if there
// was no response.
func retryWait(r *response, err error, attempt int) (time.Duration, bool) {
	if r == nil { // a registry that is silent stays so
		return backoff(attempt), !errors.Is(err, errRedirect) && !errors.Is(err, errTooLarge) &&
			!errors.Is(err, context.DeadlineExceeded)
	}
	switch r.status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
	default:
		if r.status < 500 {
			return 0, false
		}
	}
	if wait, ok := retryAfter(r.header); ok {
		return wait, wait <= maxWait
	}
	return backoff(attempt), true
}

// backoff returns half a second, doubled per attempt, minus up to 25% jitter.
func backoff(attempt int) time.Duration {
	base := 500 * time.Millisecond << (attempt - 1)
	return time.Duration(float64(base) * (1 - 0.25*rand.Float64()))
}

// retryAfter returns the wait that a response requests in seconds.
func retryAfter(h http.Header) (time.Duration, bool) {
	seconds, err := strconv.ParseUint(h.Get("Retry-After"), 10, 31)
	return time.Duration(seconds) * time.Second, err == nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// An Error is an error response.
type Error struct {
	Status int
	Text   string // for people
}

func (e *Error) Error() string { return e.Text }

// A ConnectionError reports that there was no complete response.
type ConnectionError struct{ Err error }

func (e *ConnectionError) Error() string { return e.Err.Error() }

func (e *ConnectionError) Unwrap() error { return e.Err }

// A DecodeError reports that a successful response does not match the API, such as an error
// page of a proxy.
type DecodeError struct {
	Status      int
	ContentType string
	Err         error
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("cannot read the response: it is not that of a registry (status %d, content type %q)",
		e.Status, e.ContentType)
}

func (e *DecodeError) Unwrap() error { return e.Err }

// errorOf returns the error for a response: the detail of a problem document, the beginning of a
// plain text, or the status.
func errorOf(r *response) error {
	var problem struct{ Title, Detail string }
	if json.Unmarshal(r.body, &problem) == nil {
		if problem.Detail != "" {
			return &Error{r.status, problem.Detail}
		}
		if problem.Title != "" {
			return &Error{r.status, problem.Title}
		}
	}
	if strings.HasPrefix(r.header.Get("Content-Type"), "text/plain") {
		start := strings.ToValidUTF8(string(r.body[:min(len(r.body), 200)]), "")
		if text := strings.Join(strings.Fields(start), " "); text != "" {
			return &Error{r.status, text}
		}
	}
	return &Error{r.status, strings.TrimSpace(
		fmt.Sprintf("the registry responds with status %d %s", r.status, http.StatusText(r.status)))}
}
