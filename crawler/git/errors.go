package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// A Kind is the kind of an [Error].
type Kind string

// The kinds of errors. They concern the repository, except Throttled, Unavailable and, for a host
// that does not speak protocol version 2 with filters, Unsupported.
const (
	Missing     Kind = "missing"     // the repository does not exist, or is not public
	Blocked     Kind = "blocked"     // the host blocks it, such as after a takedown notice
	Gone        Kind = "gone"        // the requested commit or blob does not exist any more
	Throttled   Kind = "throttled"   // the host asks for fewer requests
	Unsupported Kind = "unsupported" // the protocol or the object format is not supported
	TooLarge    Kind = "too large"   // a limit of [Limits] ended the reading
	Corrupt     Kind = "corrupt"     // the response violates the protocol
	Unavailable Kind = "unavailable" // no response, or an incomplete one
)

// kinds are the registry's kinds of errors.
var kinds = map[Kind][]error{
	Missing:     {registry.ErrNotFound},
	Blocked:     {registry.ErrForbidden},
	Gone:        {registry.ErrGone},
	Throttled:   {registry.ErrLimited, registry.ErrUnavailable},
	Unsupported: {registry.ErrUnsupported},
	TooLarge:    {registry.ErrTooLarge},
	Corrupt:     {registry.ErrUnprocessable},
	Unavailable: {registry.ErrUnavailable},
}

// An Error is the reason why something could not be read, or not all of it.
type Error struct {
	Kind    Kind
	Reason  string    // displayable: "GitHub does not have this repository, or it is not public"
	RetryAt time.Time // when to retry; zero if unknown
	Cause   error     // may be nil
}

func (e *Error) Error() string {
	if e.Cause == nil || strings.Contains(e.Reason, e.Cause.Error()) {
		return e.Reason
	}
	return e.Reason + ": " + e.Cause.Error()
}

// Unwrap returns the registry's kinds of the error and its cause.
func (e *Error) Unwrap() []error {
	list := kinds[e.Kind]
	if e.Cause != nil {
		list = append(list[:len(list):len(list)], e.Cause)
	}
	return list
}

func IsKind(err error, kind Kind) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Kind == kind
}

// Reason returns the displayable reason of an error, without addresses; "" for nil.
func Reason(err error) string {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Reason
	}
	return err.Error()
}

// Errors of the parts of a response, which [explain] completes.
var (
	errCorrupt = errors.New("the response is corrupt")
	errLimit   = errors.New("limit")
	errCut     = errors.New("the response ended early")
)

// errUnauthorized is a response with status 401 to a request with a token.
var errUnauthorized = errors.New("status 401")

func corruptf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errCorrupt, fmt.Sprintf(format, args...))
}

// A limitError is a limit of [Limits] that was reached.
type limitError struct{ what string } // "more than 100,000 objects"

func (e *limitError) Error() string { return e.what }
func (e *limitError) Unwrap() error { return errLimit }

// A remoteError is an error that the server reported in the protocol.
type remoteError struct{ message string }

func (e *remoteError) Error() string { return e.message }

// explain returns the [Error] for an error of a request or its response, nil for nil. It returns
// the cause of the end of ctx unchanged.
func (c *Client) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if limit, ok := errors.AsType[*transport.LimitError](err); ok {
		return &Error{Kind: Throttled, Cause: err, RetryAt: limit.Until,
			Reason: c.host.Name + " " + transport.Reason(limit)}
	}
	if remote, ok := errors.AsType[*remoteError](err); ok {
		return c.explainRemote(remote.message)
	}
	if limit, ok := errors.AsType[*limitError](err); ok {
		return &Error{Kind: TooLarge, Reason: "it has " + limit.what, Cause: err}
	}
	switch {
	case errors.Is(err, errVersion):
		return c.refuse("does not speak version 2 of git's protocol")
	case errors.Is(err, transport.ErrBodyTooLarge):
		return &Error{Kind: TooLarge, Reason: "the response is too large", Cause: err}
	case errors.Is(err, errCorrupt):
		return &Error{Kind: Corrupt, Reason: c.host.Name + ": " + err.Error()}
	case errors.Is(err, errCut):
		return &Error{Kind: Unavailable, Reason: c.host.Name + ": " + err.Error()}
	case errors.Is(err, transport.ErrRedirects):
		return &Error{Kind: Unavailable, Reason: c.host.Name + " redirects in a circle", Cause: err}
	case errors.Is(err, transport.ErrForeignHost):
		return &Error{Kind: Unsupported, Cause: err,
			Reason: "the repository moved to another host, which is not followed"}
	}
	reason := "the request failed"
	if e, ok := errors.AsType[*transport.ResponseError](err); ok {
		reason = e.Reason
	}
	return &Error{Kind: Unavailable, Reason: c.host.Name + ": " + reason, Cause: err}
}

// explainRemote returns the error for a message of the server in an ERR packet or the side band.
func (c *Client) explainRemote(message string) error {
	shown := text.Clean(message, maxMessage)
	switch {
	case limiting(message):
		return &Error{Kind: Throttled, Reason: c.host.Name + " asked for fewer requests: " + shown}
	case strings.Contains(message, "not our ref"), strings.Contains(message, "not a valid object"):
		return &Error{Kind: Gone, Cause: &remoteError{message},
			Reason: c.host.Name + " no longer has the object: " + shown}
	}
	return &Error{Kind: Unavailable, Reason: c.host.Name + " reported an error: " + shown}
}

// limiting reports whether a message asks for fewer requests. GitHub refuses anonymous readers
// with "GitHub is temporarily limiting some unauthenticated downloads".
func limiting(message string) bool {
	return says(message, "temporarily limiting", "rate limit", "too many requests")
}

// blocking reports whether the text of a response says that the host blocks the repository.
func blocking(message string) bool {
	return says(message, "dmca", "terms of service", "is disabled", "access blocked")
}

// says reports whether a message has one of several texts, in any case.
func says(message string, texts ...string) bool {
	message = strings.ToLower(message)
	return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(message, t) })
}

// refusalOf implements [transport.Options.Refusal].
func refusalOf(_ http.Header, body []byte) transport.Kind {
	switch message := string(body); {
	case blocking(message):
		return transport.Forbidden
	case limiting(message):
		return transport.SecondaryLimit
	}
	return ""
}

// statusError returns the error for a response with an unexpected status. It reads the beginning
// of the body.
func (c *Client) statusError(api *transport.Client, resp *http.Response) error {
	head := beginning(resp.Body)
	message := text.Clean(head, maxMessage)
	switch status := resp.StatusCode; status {
	case http.StatusUnauthorized:
		if api.HasCredential() {
			return errUnauthorized
		}
		fallthrough
	case http.StatusNotFound, http.StatusGone:
		return &Error{Kind: Missing,
			Reason: c.host.Name + " does not have this repository, or it is not public"}
	case http.StatusUnavailableForLegalReasons:
		return &Error{Kind: Blocked, Reason: c.host.Name + " blocks the repository: " + message}
	case http.StatusForbidden:
		if blocking(head) {
			return &Error{Kind: Blocked, Reason: c.host.Name + " blocks the repository: " + message}
		}
		if err := api.NoteRefusal("core"); err != nil {
			return err
		}
		return &Error{Kind: Unavailable,
			Reason: c.host.Name + " refused the request: " + cmp.Or(message, "status 403")}
	default:
		err := api.StatusError(resp)
		if status == http.StatusServiceUnavailable && !err.RetryAt.IsZero() {
			return api.NotePause(err.RetryAt)
		}
		return &Error{Kind: Unavailable, Reason: c.host.Name + ": " + err.Reason,
			RetryAt: err.RetryAt, Cause: err}
	}
}
