// Package registry defines the types of Census: repositories and their observed
// state, the MCP servers in them, and the health of each server.
//
// It imports only the standard library and internal/text, and all other packages
// use it. Unknown values are nil pointers, nil slices or zero times, never a
// zero that could be a measurement. It is one package because all others exchange these types.
package registry

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Categories are the ten categories of a server, in the order in which they are
// listed. [CategoryTools] is the default.
var Categories = []string{
	"database", "tools", "communication", "integration", "api",
	"security", "analytics", "automation", "data", "productivity",
}

// CategoryTools is the category of servers that fit no other one.
const CategoryTools = "tools"

// SDKs are the values of [Server.SDK]: the language of the server's MCP SDK, from its
// dependency manifests.
var SDKs = []string{
	"typescript", "python", "go", "java", "kotlin", "csharp", "rust", "swift", "ruby", "php", "other",
}

// Transports are the values of [Server.Transports].
var Transports = []string{TransportStdio, TransportHTTP, TransportSSE}

// The transports of the Model Context Protocol, as server.json spells them.
const (
	TransportStdio = "stdio"
	TransportHTTP  = "streamable-http"
	TransportSSE   = "sse"
)

// RegistryTypes are the values of [Package.RegistryType]: those of server.json and cargo.
var RegistryTypes = []string{"npm", "pypi", "oci", "nuget", "mcpb", "cargo"}

// ProjectType is the RegistryType of [PackageFacts] about a repository, from deps.dev's
// projects; no package has it.
const ProjectType = "project"

// FactTypes are the registry types, including projects, that package services cover;
// DownloadTypes are those with download counts.
var (
	FactTypes     = []string{"npm", "pypi", "cargo", "nuget", "oci", ProjectType}
	DownloadTypes = []string{"npm", "pypi"}
)

// Statuses are the values of [Server.Status].
var Statuses = []string{StatusActive, StatusDeprecated, StatusArchived, StatusUnreachable, StatusDeleted}

// The states of a listed server.
const (
	StatusActive     = "active"
	StatusDeprecated = "deprecated"
	StatusArchived   = "archived"
	// StatusUnreachable is for servers whose repository the code host did not find, but not
	// for long enough to be gone, and for servers that only the official registry describes.
	StatusUnreachable = "unreachable"
	StatusDeleted     = "deleted" // gone from the code host
)

// Grades are the letters of a health score, best first. A starts at 80, B at
// 65, C at 50 and D at 30.
var Grades = []string{"A", "B", "C", "D", "F"}

// GradeOf returns the letter of a health score from 0 to 100.
func GradeOf(score int) string {
	switch {
	case score >= 80:
		return "A"
	case score >= 65:
		return "B"
	case score >= 50:
		return "C"
	case score >= 30:
		return "D"
	}
	return "F"
}

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
