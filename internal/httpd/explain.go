package httpd

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/registry"
)

// Kinds of error that only HTTP has.
var (
	errMethod  = errors.New("method not allowed") // 405 method_not_allowed
	errLongURL = errors.New("address too long")   // 414 uri_too_long
	errHeaders = errors.New("bad header")         // 400 invalid_header
	errBody    = errors.New("unreadable body")    // 400 invalid_body
	errSlow    = errors.New("slow body")          // 408 request_timeout
)

// kinds gives the status, the code and the title of each kind of error.
var kinds = []struct {
	kind   error
	status int
	code   string
	title  string
}{
	{registry.ErrMissing, 400, "missing_parameter", "Missing parameter"},
	{registry.ErrInvalid, 400, "invalid_parameter", "Invalid parameter"},
	{errHeaders, 400, "invalid_header", "Invalid header"},
	{errBody, 400, "invalid_body", "Invalid body"},
	{errSlow, 408, "request_timeout", "Request timeout"},
	{registry.ErrUnauthorized, 401, "missing_api_key", "API key required"},
	{registry.ErrForbidden, 403, "plan_upgrade_required", "Plan upgrade required"},
	{registry.ErrNotFound, 404, "not_found", "Not found"},
	{errMethod, 405, "method_not_allowed", "Method not allowed"},
	{registry.ErrConflict, 409, "conflict", "Conflict"},
	{registry.ErrGone, 410, "server_deleted", "Server deleted"},
	{registry.ErrTooLarge, 413, "payload_too_large", "Too large"},
	{errLongURL, 414, "uri_too_long", "Address too long"},
	{errHead, 431, "headers_too_large", "Headers too large"},
	{errExpect, 417, "expectation_failed", "Expectation failed"},
	{errRequest, 400, "invalid_request", "Invalid request"},
	{registry.ErrMediaType, 415, "unsupported_media_type", "Unsupported media type"},
	{registry.ErrUnsupported, 422, "unsupported_host", "Unsupported code host"},
	{registry.ErrLimited, 429, "rate_limit_exceeded", "Rate limit exceeded"},
	{registry.ErrUnavailable, 503, "unavailable", "Temporarily unavailable"},
}

// titles are those of codes that a [registry.Error] gives itself.
var titles = map[string]string{
	"server_not_found":          "Server not found",
	"repository_not_found":      "Repository not found",
	"check_not_found":           "Check not found",
	"server_deleted":            "Server deleted",
	"invalid_api_key":           "Invalid API key",
	"revoked_api_key":           "Revoked API key",
	"too_many_keys":             "Too many keys",
	"too_many_custom_endpoints": "Too many custom endpoints",
	"key_not_found":             "Key not found",
	"account_not_found":         "Account not found",
	"plans_by_operator":         "Plans are set by the operator",
	"payment_failed":            "Payment failed",
	"unknown_price":             "Unknown price",
	"nothing_paid":              "Nothing to manage",
	"invalid_signature":         "Invalid signature",
	"not_signed_in":             "Not signed in",
	"wrong_credentials":         "Wrong address or password",
	"wrong_password":            "Wrong password",
	"sign_in_again":             "Sign in again",
	"sign_in_first":             "Sign in first",
	"too_many_attempts":         "Too many attempts",
	"invalid_link":              "Invalid link",
	"cross_origin":              "Request of another site",
	"form_expired":              "Form expired",
	"github_state":              "Sign-in not begun here",
	"github_denied":             "Sign-in not allowed",
	"github_refused":            "Sign-in refused",
	"github_unverified":         "Address not verified",
	"invalid_cursor":            "Invalid cursor",
	"invalid_body":              "Invalid body",
}

// A Problem is an error as it is shown: an RFC 9457 problem with the members
// that the API promises besides.
type Problem struct {
	Type       string                `json:"type"`
	Title      string                `json:"title"`
	Status     int                   `json:"status"`
	Detail     string                `json:"detail"`
	Instance   string                `json:"instance,omitempty"`
	Code       string                `json:"code"`
	Error      string                `json:"error"` // the title again, for clients that only look for that
	RequestID  string                `json:"requestId"`
	Errors     []registry.FieldError `json:"errors,omitempty"`
	Candidates []string              `json:"candidates,omitzero"` // of server_not_found, maybe none; else nil

	// RequiredPlans are the plans that include what was asked for.
	RequiredPlans []string `json:"requiredPlans,omitempty"`

	RetryAfter time.Duration `json:"-"`
}

// Explain returns err as it is shown, without API keys. The text of an error that is not a
// [registry.Error] is never shown, nor is the cause of one that is.
func Explain(err error) Problem {
	p := Problem{Status: 500, Code: "internal", Title: "Internal error", Detail: "Something went wrong here. Please try again."}
	known := false
	for _, k := range kinds {
		if errors.Is(err, k.kind) {
			p.Status, p.Code, p.Title, known = k.status, k.code, k.title, true
			break
		}
	}
	var tooLarge *http.MaxBytesError
	switch {
	case known:
	case errors.As(err, &tooLarge):
		p.Status, p.Code, p.Title = 413, "payload_too_large", "Too large"
		p.Detail = "The body is larger than " + strconv.FormatInt(tooLarge.Limit, 10) + " bytes."
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		p.Status, p.Code, p.Title = 503, "unavailable", "Temporarily unavailable"
		p.Detail = "This took too long. Please try again."
	}
	if known {
		p.Detail = p.Title + "."
	}
	if e, ok := errors.AsType[*registry.Error](err); ok && known {
		if e.Msg != "" {
			p.Detail = sentence(e.Msg)
		}
		if e.Code != "" {
			p.Code = e.Code
			if t := titles[e.Code]; t != "" {
				p.Title = t
			}
		}
		p.Errors, p.Candidates, p.RetryAfter = slices.Clone(e.Fields), slices.Clone(e.Candidates), e.RetryAfter
		p.RequiredPlans = e.Plans
	}
	if p.Code == "server_not_found" && p.Candidates == nil {
		p.Candidates = []string{}
	}
	if p.RetryAfter == 0 {
		switch p.Status {
		case 503:
			p.RetryAfter = 5 * time.Second
		case 429:
			p.RetryAfter = time.Minute
		}
	}
	p.Error = p.Title
	p.mask()
	return p
}

// mask takes API keys out of what repeats the request: people put them where
// they do not belong, and answers are logged and passed on.
func (p *Problem) mask() {
	p.Detail = MaskKeys(p.Detail)
	for i := range p.Errors {
		f := &p.Errors[i]
		f.Field, f.Message = MaskKeys(f.Field), MaskKeys(f.Message)
	}
	for i := range p.Candidates {
		p.Candidates[i] = MaskKeys(p.Candidates[i])
	}
}

// sentence makes a message end in a full stop.
func sentence(s string) string {
	s = strings.ToValidUTF8(strings.TrimSpace(s), "\uFFFD")
	if s == "" {
		return s
	}
	if !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}

// WriteProblem answers c with err as application/problem+json and logs it. docs
// is the address that the codes of errors are explained at.
func WriteProblem(c *gin.Context, docs string, err error) {
	_ = c.Error(err)
	c.Abort()
	broken := errors.Is(err, errSlow) || errors.Is(err, errBody) // the client may still listen, though net/http has given it up
	if c.Writer.Written() || !broken && errors.Is(c.Request.Context().Err(), context.Canceled) {
		return // nobody is there to read it
	}
	p := Explain(err)
	p.Type = docs + "#" + p.Code
	p.Instance = MaskKeys(strings.ToValidUTF8(c.Request.URL.Path, "\uFFFD"))
	if len(p.Instance) > 256 {
		p.Instance = p.Instance[:256]
		p.Instance = strings.ToValidUTF8(p.Instance, "")
	}
	p.RequestID = RequestID(c)
	h := c.Writer.Header()
	DropHeaders(c, "Etag", "Last-Modified", "Link", "X-Total-Count", "Content-Encoding", "Age", "Cache-Control", "Vary")
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(p.RetryAfter.Seconds()))))
	}
	if p.Status == 401 {
		h.Set("Www-Authenticate", challenge(p.Code))
	}
	h.Set("Cache-Control", "no-store")
	body, jsonErr := json.Marshal(p)
	if jsonErr != nil {
		body = []byte(`{"type":"about:blank","title":"Internal error","status":500,"code":"internal","error":"Internal error"}`)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	c.Data(p.Status, "application/problem+json", body)
}
