package httpd

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

// A Keyring looks up API keys.
type Keyring interface {
	// Find returns the access that key gives at now, or an error of kind
	// registry.ErrUnauthorized with the code invalid_api_key or
	// revoked_api_key.
	Find(now time.Time, key string) (account.Access, error)
}

// NeedKey refuses requests without a valid API key that permits the route and the
// client's address, and stores the key's access for [AccessOf]. It must precede [Limit]:
// a refused request does not count for an account, but for its client if [LimitKeyless]
// precedes NeedKey.
func NeedKey(ring Keyring, docs string) gin.HandlerFunc {
	return func(c *gin.Context) {
		if c.Request.Method == http.MethodOptions {
			return // preflight requests have no key
		}
		key, err := keyOf(c.Request)
		if err == nil && key == "" {
			err = misplacedKey(c.Request)
			err = cmp.Or(err, errNoKey)
		}
		if err := admit(c, ring, key, err); err != nil {
			WriteProblem(c, docs, err)
		}
	}
}

// TakeKey is like [NeedKey] for public routes: requests without a key pass, requests
// with an invalid key are refused.
func TakeKey(ring Keyring, docs string) gin.HandlerFunc {
	return func(c *gin.Context) {
		if err := ReadKey(c, ring); err != nil {
			WriteProblem(c, docs, err)
		}
	}
}

// ReadKey stores the access of the request's key for [AccessOf], as [TakeKey] does. It
// returns an error for an invalid key, and writes nothing.
func ReadKey(c *gin.Context, ring Keyring) error {
	if c.Request.Method == http.MethodOptions {
		return nil
	}
	key, err := keyOf(c.Request)
	if err == nil && key == "" {
		if !holdsKey(c.Request) {
			return nil
		}
		err = misplacedKey(c.Request)
	}
	return admit(c, ring, key, err)
}

// admit stores the access of a key, unless err is the reason why the request has none.
func admit(c *gin.Context, ring Keyring, key string, err error) error {
	var access account.Access
	if err == nil {
		access, err = ring.Find(time.Now(), key)
	}
	r := requestOf(c)
	if err == nil {
		err = access.Permits(r.addr, scopeOf(c.FullPath()))
	}
	if err != nil {
		if r.countKeyless != nil {
			err = r.countKeyless(c, err)
		}
		return err
	}
	r.access = access
	// Keys in any other parameter are rejected by the handler, by the parameter's name.
	if r.rejected == nil && keyInURL(c.Request) && keyParameter(c.Request) != "" {
		r.rejected = registry.Errorf(registry.ErrInvalid,
			"The URL contains an API key. Remove it, and revoke it: URLs are logged.")
	}
	return nil
}

// scopeOf returns the scope that a route requires, 0 for none.
func scopeOf(route string) account.Scopes {
	rest, keyed := strings.CutPrefix(route, "/v1/")
	group, _, _ := strings.Cut(rest, "/")
	switch {
	case !keyed:
	case group == "custom":
		return account.ScopeCustom
	case group == "webhooks":
		return account.ScopeWebhooks
	case group == "servers" && strings.HasSuffix(rest, "/analytics"):
		return account.ScopeAnalytics
	case group == "account", group == "plans": // every key may read its own plan
		return 0
	}
	return account.ScopeRead
}

// AccessOf returns the access of the request's key. ok is false if the request has no
// key.
func AccessOf(c *gin.Context) (a account.Access, ok bool) {
	a = requestOf(c).access
	return a, a.Plan != nil
}

const (

	// maxAuthorization is the maximum length of an Authorization header, in bytes.
	maxAuthorization = 200

	sendKey = "Send the header Authorization: Bearer YOUR_KEY."
)

func noKey(msg string) error {
	return &registry.Error{Kind: registry.ErrUnauthorized, Code: "missing_api_key", Msg: msg}
}

func badKey(msg string) error {
	return &registry.Error{Kind: registry.ErrUnauthorized, Code: "invalid_api_key", Msg: msg}
}

var errNoKey = noKey("An API key is required. " + sendKey + " You can create keys in your account settings.")

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
		return "", badKey(fmt.Sprintf("The request has %d Authorization headers. Send exactly one.", len(lines)))
	case len(v) > maxAuthorization:
		return "", badKey("The Authorization header is longer than any key. " + sendKey)
	}
	scheme, key, _ := strings.Cut(v, " ")
	key = strings.TrimLeft(key, " ")
	switch {
	case v == "":
		return "", noKey("The Authorization header is empty. " + sendKey)
	case strings.HasPrefix(scheme, account.KeyPrefix):
		return "", noKey("The Authorization header has a key without a scheme. Put Bearer and a space before it.")
	case !strings.EqualFold(scheme, "Bearer"):
		return "", noKey("The Authorization header has an unsupported scheme. " + sendKey)
	case key == "":
		return "", noKey("The Authorization header has no key after Bearer.")
	case strings.ContainsAny(key, " \t,"):
		return "", badKey("Send one key after Bearer in the Authorization header, without spaces.")
	}
	return key, nil
}

var (
	// Headers and parameters in which other services accept keys.
	otherHeaders    = []string{"X-Api-Key", "Api-Key", "Apikey", "X-Auth-Token", "X-Access-Token"}
	otherParameters = []string{
		"api_key", "apikey", "apiKey", "api-key", "key", "access_token", "accessToken", "token", "auth",
	}

	// maskForm matches truncated keys too.
	maskForm = regexp.MustCompile(account.KeyPrefix + `[0-9A-Za-z]{24,}`)
)

const keyMask = account.KeyPrefix + "…"

// misplacedKey returns an error that names the place of a key outside the Authorization
// header, nil if there is none.
func misplacedKey(r *http.Request) error {
	const notInURL = "API keys are not accepted in the URL. " + sendKey
	if name := keyParameter(r); name != "" {
		return noKey(notInURL + " If " + name + " was a valid key, revoke it: URLs are logged.")
	}
	if keyInURL(r) {
		return noKey(notInURL + " If it was a valid key, revoke it: URLs are logged.")
	}
	for _, name := range otherHeaders {
		if len(r.Header[name]) > 0 {
			return noKey("API keys are not accepted in the header " + name + ". " + sendKey)
		}
	}
	return nil
}

// holdsKey reports whether the URL or one of otherHeaders contains an API key.
func holdsKey(r *http.Request) bool {
	if keyInURL(r) {
		return true
	}
	for _, name := range otherHeaders {
		for _, v := range r.Header[name] {
			if account.HoldsKey(v) {
				return true
			}
		}
	}
	return false
}

// keyParameter returns the first of otherParameters in the URL, "" if there is
// none.
func keyParameter(r *http.Request) string {
	q, _ := url.ParseQuery(r.URL.RawQuery) // with an error, q has the valid parameters
	for _, name := range otherParameters {
		if q.Has(name) {
			return name
		}
	}
	return ""
}

func keyInURL(r *http.Request) bool {
	return account.HoldsKey(r.URL.RawQuery) || account.HoldsKey(r.URL.Path)
}

// MaskKeys replaces API keys in s.
func MaskKeys(s string) string {
	if !strings.Contains(s, account.KeyPrefix) {
		return s
	}
	return maskForm.ReplaceAllString(s, keyMask)
}

// KeyMasker returns a writer to w that replaces API keys. Each call of Write must contain
// whole keys, as those of log handlers do.
func KeyMasker(w io.Writer) io.Writer { return keyMasker{w} }

type keyMasker struct{ w io.Writer }

func (m keyMasker) Write(p []byte) (int, error) {
	if !bytes.Contains(p, []byte(account.KeyPrefix)) {
		return m.w.Write(p)
	}
	if _, err := m.w.Write(maskForm.ReplaceAll(p, []byte(keyMask))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// challenge returns the WWW-Authenticate header of a 401 response (RFC 6750,
// section 3). RFC 9110 also requires it for a missing session, for which no scheme is
// registered.
func challenge(code string) string {
	switch code {
	case "invalid_api_key":
		return `Bearer realm="registry", error="invalid_token", error_description="the API key is not valid"`
	case "revoked_api_key", "expired_api_key":
		return `Bearer realm="registry", error="invalid_token", ` +
			`error_description="the API key was revoked or has expired"`
	case "missing_api_key":
		return `Bearer realm="registry"`
	}
	return `Cookie realm="account"`
}
