package registry

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kinds of error. Test for one with errors.Is. One function, httpd.Explain,
// maps each to its HTTP status and code.
var (
	ErrInvalid       = errors.New("invalid")                 // 400 invalid_parameter
	ErrMissing       = errors.New("missing")                 // 400 missing_parameter
	ErrUnsupported   = errors.New("unsupported")             // 422 unsupported_host
	ErrUnprocessable = errors.New("unprocessable")           // 422 invalid_parameter
	ErrUnauthorized  = errors.New("unauthorized")            // 401
	ErrForbidden     = errors.New("forbidden")               // 403
	ErrNotFound      = errors.New("not found")               // 404
	ErrConflict      = errors.New("conflict")                // 409 conflict
	ErrGone          = errors.New("gone")                    // 410
	ErrTooLarge      = errors.New("too large")               // 413
	ErrMediaType     = errors.New("unsupported media type")  // 415
	ErrLimited       = errors.New("limit reached")           // 429
	ErrNotOffered    = errors.New("not offered")             // 501 not_implemented
	ErrCheckFailed   = errors.New("check failed")            // 502 check_failed
	ErrUnavailable   = errors.New("temporarily unavailable") // 503
)

// An Error is an error with a kind, a message that is safe to show to the
// client, and a cause that is only logged.
type Error struct {
	Kind   error
	Code   string       // overrides the code of the kind, such as "server_not_found"; may be ""
	Msg    string       // a sentence with the error and its fix
	Fields []FieldError // the parameters at fault
	Cause  error        // may be nil

	RetryAfter time.Duration // 0 if unknown; for ErrLimited and ErrUnavailable
	Candidates []string      // similar slugs; for ErrNotFound
	Plans      []string      // IDs of the plans that include it; for ErrForbidden
	Scopes     []string      // required of a key; for ErrForbidden
}

// A FieldError names a wrong parameter, header or member of a body.
type FieldError struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Errorf returns an Error of the given kind, with a displayable message.
func Errorf(kind error, format string, args ...any) *Error {
	return &Error{Kind: kind, Msg: fmt.Sprintf(format, args...)}
}

// Invalid returns an error of kind ErrInvalid about one field.
func Invalid(field, format string, args ...any) *Error {
	msg := fmt.Sprintf(format, args...)
	return &Error{Kind: ErrInvalid, Msg: field + " " + msg, Fields: []FieldError{{field, msg}}}
}

// Wrap returns an Error of the given kind, with a displayable message and a cause for the log.
func Wrap(kind, cause error, msg string) *Error {
	return &Error{Kind: kind, Msg: msg, Cause: cause}
}

// Error returns the message and the cause, unless the message contains it.
func (e *Error) Error() string {
	if e.Cause == nil || strings.Contains(e.Msg, e.Cause.Error()) {
		return e.Msg
	}
	return e.Msg + ": " + e.Cause.Error()
}

func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}
