package census

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// An APIError is an error response. The types below wrap it for certain statuses;
// [errors.As] finds both.
type APIError struct {
	StatusCode int
	// Code is for programs, such as "invalid_parameter"; "" if the response is not a
	// problem document of the registry.
	Code   string
	Title  string
	Detail string // for people
	// Fields lists the invalid parameters.
	Fields    []FieldError
	RequestID string
	Header    http.Header
	Body      []byte // at most 1 MB
	// RetryAfter is the wait that the response requests; 0 if none.
	RetryAfter time.Duration
}

// Error returns the status, the code and the detail.
func (e *APIError) Error() string {
	text := fmt.Sprintf("census: %d", e.StatusCode)
	if e.Code != "" {
		text += " " + e.Code
	}
	text += ": " + firstOf(e.Detail, e.Title, http.StatusText(e.StatusCode), "error response")
	if e.RequestID != "" {
		text += " (request " + e.RequestID + ")"
	}
	return text
}

// A BadRequestError is a response with status 400.
type BadRequestError struct{ *APIError }

// An AuthenticationError is a response with status 401.
type AuthenticationError struct{ *APIError }

// A PermissionDeniedError is a response with status 403.
type PermissionDeniedError struct {
	*APIError
	RequiredPlans []PlanID // the plans that include the endpoint, the cheapest first
}

// A NotFoundError is a response with status 404.
type NotFoundError struct {
	*APIError
	Candidates []string // IDs or names that may have been meant, best first
}

// A GoneError is a response with status 410: the server is deleted.
type GoneError struct{ *APIError }

// A RateLimitError is a response with status 429.
type RateLimitError struct {
	*APIError
	RateLimit
}

// An InternalServerError is a response with status 500 or above.
type InternalServerError struct{ *APIError }

// Unwrap returns the APIError.
func (e *BadRequestError) Unwrap() error { return e.APIError }

// Unwrap returns the APIError.
func (e *AuthenticationError) Unwrap() error { return e.APIError }

// Unwrap returns the APIError.
func (e *PermissionDeniedError) Unwrap() error { return e.APIError }

// Unwrap returns the APIError.
func (e *NotFoundError) Unwrap() error { return e.APIError }

// Error includes the candidates.
func (e *NotFoundError) Error() string {
	text := e.APIError.Error()
	if len(e.Candidates) == 0 || strings.Contains(e.Detail, e.Candidates[0]) {
		return text
	}
	return text + ": did you mean " + strings.Join(e.Candidates, ", ") + "?"
}

// Unwrap returns the APIError.
func (e *GoneError) Unwrap() error { return e.APIError }

// Unwrap returns the APIError.
func (e *RateLimitError) Unwrap() error { return e.APIError }

// Unwrap returns the APIError.
func (e *InternalServerError) Unwrap() error { return e.APIError }

// A ConnectionError reports that there was no complete response. It wraps the cause,
// such as [context.Canceled].
type ConnectionError struct {
	Method, Path string
	Err          error
}

// Error names the request and the cause.
func (e *ConnectionError) Error() string {
	return fmt.Sprintf("census: %s %s: %v", e.Method, e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *ConnectionError) Unwrap() error { return e.Err }

// A TimeoutError is a ConnectionError: an attempt timed out.
type TimeoutError struct{ *ConnectionError }

// Unwrap returns the ConnectionError.
func (e *TimeoutError) Unwrap() error { return e.ConnectionError }

// Timeout returns true, as in [net.Error].
func (e *TimeoutError) Timeout() bool { return true }

// A DecodeError reports that a successful response does not match the API, such as an error page of
// a proxy.
type DecodeError struct {
	StatusCode  int
	ContentType string
	Body        []byte
	Err         error
}

// Error names the content type and the cause.
func (e *DecodeError) Error() string {
	return fmt.Sprintf("census: cannot read the response (status %d, content type %q): %v",
		e.StatusCode, e.ContentType, e.Err)
}

// Unwrap returns the cause.
func (e *DecodeError) Unwrap() error { return e.Err }

// A PendingError reports that a check of a repository is still running, for calls that
// do not wait. Poll it with [Client.Check].
type PendingError struct {
	CheckID    string
	GithubURL  string
	StatusURL  string
	RetryAfter time.Duration
}

// Error names the check.
func (e *PendingError) Error() string {
	return fmt.Sprintf("census: check %s of %s is still running", e.CheckID, e.GithubURL)
}

// errorOf returns the error for a response.
func errorOf(r *Response, now time.Time) error {
	var p Problem
	if err := json.Unmarshal(r.Body, &p); err != nil {
		// Truncated, or not JSON: ignore all of it.
		var wrong *json.UnmarshalTypeError
		if !errors.As(err, &wrong) {
			p = Problem{}
		}
	}
	e := &APIError{
		StatusCode: r.StatusCode, Code: p.Code, Title: firstOf(p.Title, p.Error), Detail: p.Detail,
		Fields: p.Errors, RequestID: firstOf(r.RequestID, p.RequestID), Header: r.Header,
		Body: r.Body,
	}
	if e.Detail == "" && e.Title == "" {
		e.Detail = excerptOf(r)
	}
	e.RetryAfter, _ = retryAfter(r.Header, now)
	switch s := r.StatusCode; {
	case s == http.StatusBadRequest:
		return &BadRequestError{e}
	case s == http.StatusUnauthorized:
		return &AuthenticationError{e}
	case s == http.StatusForbidden:
		return &PermissionDeniedError{e, p.RequiredPlans}
	case s == http.StatusNotFound:
		return &NotFoundError{e, p.Candidates}
	case s == http.StatusGone:
		return &GoneError{e}
	case s == http.StatusTooManyRequests:
		return &RateLimitError{e, r.RateLimit}
	case s >= 500:
		return &InternalServerError{e}
	}
	return e
}

// excerptOf returns the beginning of a plain text response, "" for other types.
func excerptOf(r *Response) string {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain") {
		return ""
	}
	text := strings.ToValidUTF8(string(r.Body[:min(len(r.Body), 200)]), "")
	return strings.Join(strings.Fields(text), " ")
}
