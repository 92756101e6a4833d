package httpd

import (
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

// A Keyring knows API keys.
type Keyring interface {
	// Find returns what a key gives at now, or an error of kind
	// registry.ErrUnauthorized with one of the codes invalid_api_key and
	// revoked_api_key.
	Find(now time.Time, key string) (account.Access, error)
}

// NeedKey refuses requests without an API key that works, and keeps what the
// key gives for [AccessOf]. It must stand before what counts requests: one
// that is refused for its key counts for no account, and for its client if
// [LimitKeyless] stands before.
func NeedKey(ring Keyring, docs string) gin.HandlerFunc {
	return func(c *gin.Context) {
		if c.Request.Method == http.MethodOptions {
			return // browsers ask before they send the key
		}
		key, err := keyOf(c.Request)
		if err == nil && key == "" {
			err = misplaced(c.Request)
			if err == nil {
				err = errNoKey
			}
		}
		admit(c, ring, docs, key, err)
	}
}

// TakeKey is like [NeedKey] for addresses that are open to all: a request
// without a key passes, one with a key that does not work is refused.
func TakeKey(ring Keyring, docs string) gin.HandlerFunc {
	return func(c *gin.Context) {
		if c.Request.Method == http.MethodOptions {
			return
		}
		key, err := keyOf(c.Request)
		if err == nil && key == "" {
			// Only what is surely a key of ours: other parameters are for the
			// handler to refuse.
			if !holdsKey(c.Request) {
				return
			}
			err = misplaced(c.Request)
		}
		admit(c, ring, docs, key, err)
	}
}

func admit(c *gin.Context, ring Keyring, docs, key string, err error) {
	var access account.Access
	if err == nil {
		access, err = ring.Find(time.Now(), key)
	}
	if err != nil {
		if count := requestOf(c).keyless; count != nil {
			err = count(c, err)
		}
		WriteProblem(c, docs, err)
		return
	}
	q := requestOf(c)
	q.access = access
	if q.refused == nil && keyInAddress(c.Request) && keyParameter(c.Request) != "" { // elsewhere the handler refuses it by name
		q.refused = &registry.Error{Kind: registry.ErrInvalid, Msg: "There is an API key in the address. Leave it out, and revoke it: addresses are written to logs on their way"}
	}
}

// AccessOf returns what the request's key gives. ok is false if it had none.
func AccessOf(c *gin.Context) (a account.Access, ok bool) {
	a = requestOf(c).access
	return a, a.Plan != nil
}

// maxKey is the longest Authorization header that can be meant.
const maxKey = 200

func noKey(msg string) error {
	return &registry.Error{Kind: registry.ErrUnauthorized, Code: "missing_api_key", Msg: msg}
}

func badKey(msg string) error {
	return &registry.Error{Kind: registry.ErrUnauthorized, Code: "invalid_api_key", Msg: msg}
}

var errNoKey = noKey("This needs an API key: send the header Authorization: Bearer YOUR_KEY. Keys are made in the account settings.")

// keyOf returns the key in the Authorization header, "" if there is no such
// header.
func keyOf(r *http.Request) (string, error) {
	lines := r.Header["Authorization"]
	if len(lines) == 0 {
		return "", nil
	}
	v := lines[0]
	switch {
	case len(lines) > 1:
		return "", badKey("There are " + strconv.Itoa(len(lines)) + " Authorization headers. Send exactly one.")
	case len(v) > maxKey:
		return "", badKey("The Authorization header is longer than any key. Send Authorization: Bearer and one key.")
	}
	scheme, key, _ := strings.Cut(v, " ")
	key = strings.TrimLeft(key, " ")
	switch {
	case v == "":
		return "", noKey("The Authorization header is empty. Send Authorization: Bearer YOUR_KEY.")
	case likeKey(scheme):
		return "", noKey("The Authorization header has a key without its scheme. Put the word Bearer and a space before it.")
	case !strings.EqualFold(scheme, "Bearer"):
		return "", noKey("The Authorization header has a scheme that is not known here. Send Authorization: Bearer YOUR_KEY.")
	case key == "":
		return "", noKey("There is no key after Bearer in the Authorization header.")
	case strings.ContainsAny(key, " \t,"):
		return "", badKey("There is more than a key after Bearer in the Authorization header. Send one key, without spaces.")
	}
	return key, nil
}

var (
	// Where people put keys for other services.
	otherHeaders    = []string{"X-Api-Key", "Api-Key", "Apikey", "X-Auth-Token", "X-Access-Token"}
	otherParameters = []string{"api_key", "apikey", "apiKey", "api-key", "key", "access_token", "accessToken", "token", "auth"}

	keyForm = regexp.MustCompile(`mcp_[0-9A-Za-z]{43}`)
	// What is left of a key that was cut short somewhere is masked too.
	maskForm = regexp.MustCompile(`mcp_[0-9A-Za-z]{24,}`)
)

// misplaced says where a key was put that is not in its place, nil if none is
// seen.
func misplaced(r *http.Request) error {
	if name := keyParameter(r); name != "" {
		return noKey("A key in the address is not accepted. Send it as the header Authorization: Bearer YOUR_KEY. " +
			"If " + name + " held a key that works, revoke it: addresses are written to logs on their way")
	}
	if keyInAddress(r) {
		return noKey("A key in the address is not accepted. Send it as the header Authorization: Bearer YOUR_KEY, " +
			"and revoke this one: addresses are written to logs on their way")
	}
	for _, name := range otherHeaders {
		if len(r.Header[name]) > 0 {
			return noKey("Keys are not taken from the header " + name + ". Send the header Authorization: Bearer YOUR_KEY.")
		}
	}
	return nil
}

// holdsKey reports whether a key of ours is in the address or in one of the
// wrong headers.
func holdsKey(r *http.Request) bool {
	if keyInAddress(r) {
		return true
	}
	for _, name := range otherHeaders {
		for _, v := range r.Header[name] {
			if keyForm.MatchString(v) {
				return true
			}
		}
	}
	return false
}

// keyParameter returns the parameter of the address that people put keys in, ""
// if there is none.
func keyParameter(r *http.Request) string {
	q, _ := url.ParseQuery(r.URL.RawQuery) // with an error it has what could be read
	for _, name := range otherParameters {
		if q.Has(name) {
			return name
		}
	}
	return ""
}

func keyInAddress(r *http.Request) bool {
	return strings.Contains(r.RequestURI, "mcp_") && (keyForm.MatchString(r.URL.RawQuery) || keyForm.MatchString(r.URL.Path))
}

// likeKey reports whether s begins as keys do.
func likeKey(s string) bool { return strings.HasPrefix(s, "mcp_") }

// HoldsKey reports whether something that looks like an API key is in s.
func HoldsKey(s string) bool { return strings.Contains(s, "mcp_") && keyForm.MatchString(s) }

// MaskKeys takes API keys out of what is shown or logged.
func MaskKeys(s string) string {
	if !strings.Contains(s, "mcp_") {
		return s
	}
	return maskForm.ReplaceAllString(s, "mcp_…")
}

// challenge is what WWW-Authenticate says with a 401 (RFC 6750, section 3).
// RFC 9110 wants it with each, also where a session is asked for, to which no
// scheme that is registered leads.
func challenge(code string) string {
	switch code {
	case "invalid_api_key":
		return `Bearer realm="registry", error="invalid_token", error_description="the API key is not valid"`
	case "revoked_api_key":
		return `Bearer realm="registry", error="invalid_token", error_description="the API key was revoked or has expired"`
	case "missing_api_key":
		return `Bearer realm="registry"`
	}
	return `Cookie realm="account"`
}
