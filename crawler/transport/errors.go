package transport

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"mcpcensus/internal/registry"
)

// Every error of a request to an upstream is, or wraps, one of these:
//
//   - [LimitError]: the upstream requires a wait, with its end,
//   - [CredentialError]: the upstream rejects the credential,
//   - [ResponseError]: there is no response, or it is invalid,
//   - [ErrForeignHost], [ErrPrivateAddress], [ErrRedirects], [ErrBodyTooLarge]: the client
//     refused the request or the response.
var (
	// ErrForeignHost is a request for, or a redirect to, a host other than the
	// client's own.
	ErrForeignHost = errors.New("refused to contact another host")
	// ErrPrivateAddress is a host name with an address that is not on the
	// public internet.
	ErrPrivateAddress = errors.New("the host's address is not on the public internet")
	// ErrRedirects is a response after too many redirects.
	ErrRedirects = errors.New("redirected too many times")
	// ErrBodyTooLarge is a response longer than [Options.MaxBody].
	ErrBodyTooLarge = errors.New("the response is too large")
)

// A LimitError reports a limit of the upstream. The request was not sent, or was rejected.
type LimitError struct {
	Upstream   string
	Credential string
	Resource   string // "" if all of the credential must wait
	Kind       Kind   // PrimaryLimit, SecondaryLimit, or Forbidden after consecutive refusals
	Floor      bool   // the reserve of [Options.Floor] was reached, not the end of the budget
	Until      time.Time
}

func (e *LimitError) Error() string {
	what := "rate limit reached"
	switch {
	case e.Kind == SecondaryLimit:
		what = "asked to slow down"
	case e.Kind == Forbidden:
		what = "refuses all requests"
	case e.Floor:
		what = "rate limit is down to its reserve"
	}
	if e.Resource != "" && e.Kind == PrimaryLimit {
		what = e.Resource + " " + what
	}
	return fmt.Sprintf("%s: %s; next request at %s", e.Upstream, what,
		e.Until.UTC().Format(time.RFC3339))
}

// Unwrap makes a LimitError a [registry.ErrLimited] and a
// [registry.ErrUnavailable].
func (e *LimitError) Unwrap() []error {
	return []error{registry.ErrLimited, registry.ErrUnavailable}
}

// A CredentialError reports that the upstream rejects the credential. No more requests are sent
// with it.
type CredentialError struct {
	Upstream   string
	Credential string // its short hash
	Variable   string // environment variable that sets it; "": unknown
	Problem    string
}

func (e *CredentialError) Error() string {
	of := e.Credential
	if e.Variable != "" {
		of += " of " + e.Variable
	}
	return fmt.Sprintf("%s rejects the credential %s (%s): replace it and restart", e.Upstream, of,
		e.Problem)
}

// Unwrap makes a CredentialError a [registry.ErrUnavailable].
func (e *CredentialError) Unwrap() error { return registry.ErrUnavailable }

// A ResponseError reports a missing or invalid response.
type ResponseError struct {
	Upstream string
	Status   int       // HTTP status, 0 without a response
	Reason   string    // safe to show, without URLs: "responded with status 502"
	RetryAt  time.Time // when to retry; zero if unknown
	Cause    error     // for the log; may be nil
}

func (e *ResponseError) Error() string {
	s := e.Upstream + ": " + e.Reason
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap makes a ResponseError a [registry.ErrUnavailable] in addition to its cause.
func (e *ResponseError) Unwrap() []error {
	if e.Cause == nil {
		return []error{registry.ErrUnavailable}
	}
	return []error{registry.ErrUnavailable, e.Cause}
}

// StatusError returns the error for a response with an unexpected status.
func (c *Client) StatusError(resp *http.Response) *ResponseError {
	return &ResponseError{
		Upstream: c.opt.Upstream, Status: resp.StatusCode,
		Reason:  fmt.Sprintf("responded with status %d", resp.StatusCode),
		RetryAt: RetryAfter(resp.Header, c.opt.Now()),
	}
}

// Temporary reports whether a request that failed with err may succeed if retried soon.
func Temporary(err error) bool {
	if _, ok := errors.AsType[*LimitError](err); ok {
		return true
	}
	e, ok := errors.AsType[*ResponseError](err)
	return ok && (e.Status < 400 || e.Status == 408 || e.Status >= 500)
}

// RetryAt returns when a request that failed with err may be retried, the zero time if
// unknown.
func RetryAt(err error) time.Time {
	if e, ok := errors.AsType[*LimitError](err); ok {
		return e.Until
	}
	if e, ok := errors.AsType[*ResponseError](err); ok {
		return e.RetryAt
	}
	return time.Time{}
}

// Reason describes the problem of an upstream, to show next to its name.
func Reason(err error) string {
	if e, ok := errors.AsType[*LimitError](err); ok {
		return "asked for fewer requests; next request at " + e.Until.UTC().Format("15:04 MST")
	}
	if e, ok := errors.AsType[*ResponseError](err); ok {
		return e.Reason
	}
	return err.Error()
}
