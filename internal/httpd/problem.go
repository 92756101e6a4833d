package httpd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// Kinds of errors of HTTP requests.
var (
	errMethod  = errors.New("method not allowed") // 405 method_not_allowed
	errLongURL = errors.New("URL too long")       // 414 uri_too_long
	errBody    = errors.New("invalid body")       // 400 invalid_body
	errSlow    = errors.New("request timeout")    // 408 request_timeout
)

type class struct {
	status int
	code   string
	title  string
}

var kinds = []struct {
	kind error
	class
}{
	{registry.ErrMissing, class{400, "missing_parameter", "Missing parameter"}},
	{registry.ErrInvalid, class{400, "invalid_parameter", "Invalid parameter"}},
	{errBody, class{400, "invalid_body", "Invalid body"}},
	{errSlow, class{408, "request_timeout", "Request timeout"}},
	{registry.ErrUnauthorized, class{401, "missing_api_key", "API key required"}},
	{registry.ErrForbidden, class{403, "plan_upgrade_required", "Plan upgrade required"}},
	{registry.ErrNotFound, class{404, "not_found", "Not found"}},
	{errMethod, class{405, "method_not_allowed", "Method not allowed"}},
	{registry.ErrConflict, class{409, "conflict", "Conflict"}},
	{registry.ErrGone, class{410, "server_deleted", "Server deleted"}},
	{registry.ErrTooLarge, class{413, "payload_too_large", "Too large"}},
	{errLongURL, class{414, "uri_too_long", "URL too long"}},
	{registry.ErrMediaType, class{415, "unsupported_media_type", "Unsupported media type"}},
	{registry.ErrUnsupported, class{422, "unsupported_host", "Unsupported code host"}},
	{registry.ErrUnprocessable, class{422, "invalid_parameter", "Invalid parameter"}},
	{registry.ErrLimited, class{429, "rate_limit_exceeded", "Rate limit exceeded"}},
	{registry.ErrNotOffered, class{501, "not_implemented", "Not implemented"}},
	{registry.ErrCheckFailed, class{502, "check_failed", "Check failed"}},
	{registry.ErrUnavailable, class{503, "unavailable", "Temporarily unavailable"}},
}

// titles are the titles of the codes in [registry.Error.Code].
var titles = map[string]string{
	"server_not_found":          "Server not found",
	"repository_not_found":      "Repository not found",
	"check_not_found":           "Check not found",
	"server_deleted":            "Server deleted",
	"invalid_api_key":           "Invalid API key",
	"revoked_api_key":           "Revoked API key",
	"expired_api_key":           "Expired API key",
	"scope_required":            "Scope required",
	"role_required":             "Role required",
	"not_a_member":              "Not a member",
	"wrong_address":             "Wrong address",
	"member_not_found":          "Member not found",
	"invitation_not_found":      "Invitation not found",
	"last_owner":                "Last owner",
	"address_not_allowed":       "Address not allowed",
	"too_many_keys":             "Too many keys",
	"too_many_custom_endpoints": "Too many custom endpoints",
	"too_many_webhooks":         "Too many webhook endpoints",
	"webhook_not_found":         "Webhook endpoint not found",
	"webhook_disabled":          "Webhook endpoint disabled",
	"delivery_not_found":        "Delivery not found",
	"key_not_found":             "Key not found",
	"account_not_found":         "Account not found",
	"plans_by_operator":         "Plans are set by the operator",
	"payment_failed":            "Payment failed",
	"unknown_price":             "Unknown price",
	"nothing_paid":              "No subscription",
	"invalid_signature":         "Invalid signature",
	"not_signed_in":             "Not signed in",
	"wrong_code":                "Wrong code",
	"session_not_found":         "Session not found",
	"sign_in_again":             "Sign in again",
	"sign_in_first":             "Sign in first",
	"too_many_attempts":         "Too many attempts",
	"invalid_link":              "Invalid link",
	"cross_origin":              "Cross-origin request",
	"form_expired":              "Form expired",
	"form_incomplete":           "Form incomplete",
	"oidc_state":                "Sign-in was not started here",
	"oidc_refused":              "Sign-in refused",
	"oidc_address":              "Email address not accepted",
	"github_state":              "Sign-in was not started here",
	"github_denied":             "Sign-in denied",
	"github_refused":            "Sign-in refused",
	"github_unverified":         "Email address not verified",
	"invalid_cursor":            "Invalid cursor",
	"invalid_body":              "Invalid body",
}

// A Problem is the JSON of an error: an RFC 9457 problem with additional members of this
// API.
type Problem struct {
	Type       string                `json:"type"`
	Title      string                `json:"title"`
	Status     int                   `json:"status"`
	Detail     string                `json:"detail"`
	Instance   string                `json:"instance,omitempty"`
	Code       string                `json:"code"`
	Error      string                `json:"error"` // the title, for clients that expect this member
	RequestID  string                `json:"requestId"`
	Errors     []registry.FieldError `json:"errors,omitempty"`
	Candidates []string              `json:"candidates,omitzero"` // of server_not_found, possibly empty; otherwise nil

	// RequiredPlans are the plans that include what was requested.
	RequiredPlans []string `json:"requiredPlans,omitempty"`
	// RequiredScopes are the scopes that the key must have.
	RequiredScopes []string `json:"requiredScopes,omitempty"`

	RetryAfter time.Duration `json:"-"`
}

// Explain returns the problem for err, with API keys masked. It uses the text
// of a [registry.Error] only, and never the error that one wraps.
func Explain(err error) Problem {
	p := Problem{
		Status: 500, Code: "internal", Title: "Internal error",
		Detail: "Something went wrong on our side. Please try again.",
	}
	if !p.explainKind(err) {
		p.explainOther(err)
	}
	if p.Code == "server_not_found" && p.Candidates == nil {
		p.Candidates = []string{}
	}
	if p.RetryAfter == 0 {
		switch p.Status {
		case http.StatusServiceUnavailable:
			p.RetryAfter = 5 * time.Second
		case http.StatusTooManyRequests:
			p.RetryAfter = time.Minute
		}
	}
	p.Error = p.Title
	p.maskKeys()
	return p
}

func (p *Problem) set(c class) { p.Status, p.Code, p.Title = c.status, c.code, c.title }

// explainKind returns false for errors of no kind.
func (p *Problem) explainKind(err error) bool {
	i := 0
	for i < len(kinds) && !errors.Is(err, kinds[i].kind) {
		i++
	}
	if i == len(kinds) {
		return false
	}
	p.set(kinds[i].class)
	p.Detail = p.Title + "."
	e, ok := errors.AsType[*registry.Error](err)
	if !ok {
		return true
	}
	if e.Msg != "" {
		p.Detail = sentence(e.Msg)
	}
	if e.Code != "" {
		p.Code = e.Code
		if t := titles[e.Code]; t != "" {
			p.Title = t
		}
	}
	p.Errors, p.Candidates = slices.Clone(e.Fields), slices.Clone(e.Candidates)
	p.RequiredPlans, p.RequiredScopes, p.RetryAfter = e.Plans, e.Scopes, e.RetryAfter
	return true
}

// explainOther handles errors of the standard library.
func (p *Problem) explainOther(err error) {
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		p.set(class{413, "payload_too_large", "Too large"})
		p.Detail = fmt.Sprintf("The body is larger than %d bytes.", tooLarge.Limit)
	} else if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		p.set(class{503, "unavailable", "Temporarily unavailable"})
		p.Detail = "The request took too long. Please try again."
	}
}

// maskKeys masks API keys in members that repeat parts of the request:
// responses are logged and passed on.
func (p *Problem) maskKeys() {
	p.Detail = MaskKeys(p.Detail)
	for i := range p.Errors {
		f := &p.Errors[i]
		f.Field, f.Message = MaskKeys(f.Field), MaskKeys(f.Message)
	}
	for i := range p.Candidates {
		p.Candidates[i] = MaskKeys(p.Candidates[i])
	}
}

// sentence returns s as valid UTF-8 that ends in punctuation.
func sentence(s string) string {
	s = strings.ToValidUTF8(strings.TrimSpace(s), "\uFFFD")
	if s != "" && !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}

// staleHeaders describe the response that a problem replaces.
var staleHeaders = []string{"Etag", "Last-Modified", "Link", "X-Total-Count", "Content-Encoding", "Age", "Vary"}

// viewToken matches the token of a custom endpoint in the path of its view, which
// replaces a key.
var viewToken = regexp.MustCompile(`^/+r/+[A-Za-z0-9]{16,}`)

// shownPath returns at most n bytes of a request's path, without API keys and tokens.
func shownPath(r *http.Request, n int) string {
	path := viewToken.ReplaceAllString(MaskKeys(r.URL.Path), "/r/…")
	return text.Cut(strings.ToValidUTF8(path, "\uFFFD"), n)
}

// WriteProblem responds with err as application/problem+json, and records it
// for the log. docs is the URL of the page that documents the error codes.
func WriteProblem(c *gin.Context, docs string, err error) {
	_ = c.Error(err)
	c.Abort()
	// If reading the body failed, net/http has canceled the context, but the
	// client may still read the response.
	badBody := errors.Is(err, errSlow) || errors.Is(err, errBody)
	gone := errors.Is(c.Request.Context().Err(), context.Canceled)
	if c.Writer.Written() || gone && !badBody {
		return
	}
	p := Explain(err)
	p.Type = docs + "#" + p.Code
	p.Instance = shownPath(c.Request, 256)
	p.RequestID = RequestID(c)
	h := c.Writer.Header()
	for _, name := range staleHeaders {
		h.Del(name)
	}
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(p.RetryAfter.Seconds()))))
	}
	if p.Status == http.StatusBadGateway {
		h.Set("X-Should-Retry", "false") // it fails until another check is started
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("Www-Authenticate", challenge(p.Code))
	}
	h.Set("Cache-Control", "no-store")
	body, jsonErr := json.Marshal(p)
	if jsonErr != nil {
		body = []byte(`{"type":"about:blank","title":"Internal error","status":500,` +
			`"code":"internal","error":"Internal error"}`)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	c.Data(p.Status, "application/problem+json", body)
}
