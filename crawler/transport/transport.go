// Package transport is the HTTP client for all upstreams of the crawler. It
// connects to a single host, observes its limits, and sends nothing while it must wait.
//
// Each [Client] is bound to one base URL and one credential. It adds the
// credential to requests to that host, rejects other hosts and redirects to them, caches
// responses with ETags, limits the size and duration of every response, and returns limits
// and rejected credentials as typed errors. It does not retry.
package transport

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"mcpcensus/internal/registry"
)

// Options configure a [Client]. Only Upstream and BaseURL are required.
type Options struct {
	Upstream string // short name, for budgets, errors and the log: "github"
	BaseURL  string // http or https; the client connects only to its scheme and host

	Token string // sent as a bearer token; "": the client is anonymous
	User  string // with a Token: sent as user and password, as git requires

	Variable string // environment variable of the Token, for messages; "": unknown

	// OwnAuthorization lets requests set the Authorization header.
	// It is for anonymous clients of hosts that issue tokens to anyone.
	OwnAuthorization bool

	UserAgent string            // default: "census (+https://github.com/mcpcensus)"
	Header    map[string]string // sent with every request

	Timeout time.Duration // of one request, including reading its body; default 20 s
	MaxBody int64         // bytes of one response after decompression; default 16 MiB
	GivesUp bool          // on an upstream that never responds; see [MaxLate]

	ETags *ETags // nil: no conditional requests

	// Confirm leaves it to callers whether a response with status 401 is about the credential or
	// the requested resource: they call [Client.NoteRejection].
	Confirm bool

	// Resource returns the limit that applies to a request, such as "core" or
	// "search"; default "core". The response's headers override it.
	Resource func(*http.Request) string
	// Floor is, by resource, the part of a budget reserved for others: at that
	// many remaining requests the client stops as if the budget were spent.
	Floor map[string]int
	// PerMinute is, by resource, the maximum number of requests in 60 seconds;
	// other resources have no limit.
	PerMinute map[string]int
	// Interval is the time between two requests of a resource that is not in
	// PerMinute.
	Interval time.Duration
	// Pace is the rate of requests of a resource that is not in PerMinute, for upstreams
	// that do not publish their limits.
	Pace Pace
	// Connections is the maximum number of requests in progress, until the response's body is
	// closed; 0: no limit. Clients that share a credential share it: the first sets it.
	Connections int
	// Credentials is shared by clients that may use the same credential: limits
	// that one of them observes apply to all. Nil: not shared.
	Credentials *Credentials
	// MaxWait is the maximum time that a request waits for a limit before it fails
	// with a [LimitError]; default 5 s. See also [WithMaxWait].
	MaxWait time.Duration
	// Pause is the wait after a secondary limit without a time, doubled
	// with each consecutive one up to MaxPause; defaults 1 and 30 minutes.
	Pause, MaxPause time.Duration
	// Refusal returns the kind of a response with status 403 or 429 by the text
	// of this upstream, "" if unknown; body is the beginning of the
	// response. If nil, only status and headers are used.
	Refusal func(h http.Header, body []byte) Kind
	// Strict treats every 403 and 429 as a secondary limit, and waits for
	// Pause even if the upstream returns an earlier time.
	Strict bool

	// PublicOnly refuses loopback, private, link-local and other addresses
	// that are not on the public internet, after the name is
	// resolved. Use it for hosts that users supply.
	PublicOnly bool

	Base    http.RoundTripper                          // default: a new transport
	Now     func() time.Time                           // default time.Now
	Sleep   func(context.Context, time.Duration) error // default waits on a timer
	Observe func(Event)                                // called after every request, for metrics
	Log     *slog.Logger                               // default slog.Default
}

// An Event is one request, for metrics.
type Event struct {
	Upstream string
	Resource string
	Status   int // 0 without a response
	Duration time.Duration
	Kind     Kind
	Cached   bool  // served from the cache after a 304
	Err      error // nil if the caller receives a response
}

// A Client sends requests to one upstream with one credential. Its methods are
// safe for concurrent use.
type Client struct {
	opt        Options
	base       *url.URL
	credential string
	auth       string
	http       *http.Client
	silence    silence
	*credentialState
}

const maxRedirects = 3

// New returns a client for one upstream. It fails if the base URL or token is invalid.
func New(opt Options) (*Client, error) {
	base, err := parseBase(opt.BaseURL)
	if err != nil {
		return nil, registry.Invalid(opt.Upstream+" base URL", "%s", err)
	}
	opt = opt.WithDefaults()
	c := &Client{opt: opt, base: base}
	c.credential = Anonymous
	if opt.Token != "" {
		if strings.ContainsFunc(opt.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return nil, registry.Invalid(opt.Upstream+" token",
				"contains an invalid character; check for spaces or a line break")
		}
		c.auth, c.credential = "Bearer "+opt.Token, CredentialOf(opt.Token)
		if opt.User != "" {
			c.auth = "Basic " + base64.StdEncoding.EncodeToString([]byte(opt.User+":"+opt.Token))
		}
	}
	c.opt.Token = "" // only in auth, so that options can be logged
	c.credentialState = opt.Credentials.of(opt.Upstream, c.credential)
	c.connections(opt.Connections)
	c.http = &http.Client{Transport: roundTripper{c}, CheckRedirect: c.checkRedirect}
	return c, nil
}

// WithDefaults returns the options with defaults for unset fields.
func (opt Options) WithDefaults() Options {
	opt.UserAgent = cmp.Or(opt.UserAgent, UserAgent("dev", ""))
	opt.Timeout = cmp.Or(max(0, opt.Timeout), 20*time.Second)
	opt.MaxBody = cmp.Or(max(0, opt.MaxBody), 16<<20)
	opt.MaxWait = cmp.Or(max(0, opt.MaxWait), 5*time.Second)
	opt.Pause = cmp.Or(opt.Pause, time.Minute)
	opt.MaxPause = cmp.Or(opt.MaxPause, 30*time.Minute)
	opt.Log = cmp.Or(opt.Log, slog.Default())
	if opt.Resource == nil {
		opt.Resource = func(*http.Request) string { return "core" }
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Sleep == nil {
		opt.Sleep = Sleep
	}
	if opt.Base == nil {
		opt.Base = Dialer(opt.PublicOnly)
	}
	opt.Credentials = cmp.Or(opt.Credentials, new(Credentials))
	return opt
}

// Anonymous is the credential name of clients without a credential.
const Anonymous = "anonymous"

// DefaultContact is the default contact in the User-Agent.
const DefaultContact = "https://github.com/mcpcensus"

// UserAgent returns the User-Agent of this program: name, version, and an
// address for operators of upstreams.
func UserAgent(version, contact string) string {
	return "census/" + version + " (+" + cmp.Or(contact, DefaultContact) + ")"
}

// CredentialOf returns the credential name of clients with this token: the first 32 bits of
// its SHA-256, which identify it without revealing it.
func CredentialOf(token string) string {
	sum := sha256.Sum256([]byte("census credential " + token))
	return hex.EncodeToString(sum[:4])
}

func parseBase(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, errors.New("is not a URL") // without the parser's message, which may contain a password
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("must start with http:// or https://")
	case u.Hostname() == "":
		return nil, errors.New("has no host")
	case u.User != nil:
		return nil, errors.New("must not contain a user name or password")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("must not have a query or a fragment")
	}
	u.Path = strings.TrimRight(u.Path, "/") + "/"
	u.RawPath = ""
	return u, nil
}

// HTTP returns the client that sends requests.
func (c *Client) HTTP() *http.Client { return c.http }

// BaseURL returns the upstream's base URL; its path ends in a slash.
func (c *Client) BaseURL() *url.URL { u := *c.base; return &u }

// Credential returns the name of the credential: a short hash, or [Anonymous].
func (c *Client) Credential() string { return c.credential }

// HasCredential reports whether requests carry a credential.
func (c *Client) HasCredential() bool { return c.auth != "" }

func (c *Client) checkRedirect(req *http.Request, via []*http.Request) error {
	if via[0].Method != http.MethodGet && via[0].Method != http.MethodHead {
		return http.ErrUseLastResponse // a redirected POST would become a GET
	}
	if len(via) > maxRedirects {
		return fmt.Errorf("%s: %w", c.opt.Upstream, ErrRedirects)
	}
	if !c.pinned(req.URL) {
		return ErrForeignHost
	}
	return nil
}

func (c *Client) pinned(u *url.URL) bool {
	return u.Scheme == c.base.Scheme && strings.EqualFold(u.Host, c.base.Host)
}

type roundTripper struct{ c *Client }

func (rt roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	c := rt.c
	if !c.pinned(req.URL) {
		closeBody(req)
		return nil, ErrForeignHost
	}
	resource := c.opt.Resource(req)
	if err := c.silence.check(c.opt.Upstream, c.opt.Now()); err != nil {
		closeBody(req)
		return nil, err
	}
	done, err := c.connect(req.Context())
	if err == nil {
		if err = c.waitTurn(req.Context(), resource); err != nil {
			done()
		}
	}
	if err != nil {
		closeBody(req)
		return nil, err
	}

	ctx, stop := context.WithTimeout(req.Context(), c.opt.Timeout)
	cancel := func() { stop(); done() }
	out := req.Clone(ctx)
	out.Header.Set("User-Agent", c.opt.UserAgent)
	for name, value := range c.opt.Header {
		out.Header.Set(name, value)
	}
	if !c.opt.OwnAuthorization {
		out.Header.Del("Authorization")
	}
	if c.auth != "" {
		out.Header.Set("Authorization", c.auth)
	}
	key, stored := c.conditional(out)

	event := Event{Resource: resource}
	start := c.opt.Now()
	resp, err := c.opt.Base.RoundTrip(out)
	event.Duration = c.opt.Now().Sub(start)
	if err != nil {
		late := errors.Is(ctx.Err(), context.DeadlineExceeded) && req.Context().Err() == nil
		if late && c.opt.GivesUp {
			c.silence.note(late, c.opt.Now())
		}
		cancel()
		event.Kind, event.Err = NoResponse, c.noResponse(err, late)
		c.observe(event)
		return nil, event.Err
	}
	c.silence.note(false, c.opt.Now())
	resp.Body = &boundedBody{http.MaxBytesReader(nil, resp.Body, c.opt.MaxBody), cancel}

	event.Status = resp.StatusCode
	if event.Kind, event.Err = c.classify(resp, resource); event.Err == nil {
		switch {
		case resp.StatusCode == http.StatusNotModified && stored != nil:
			resp.Body.Close()
			resp = stored.response(resp)
			event.Cached = true
		case key != "" && resp.StatusCode == http.StatusOK:
			event.Err = c.store(key, resp)
		}
	}
	c.observe(event)
	if event.Err != nil {
		resp.Body.Close()
		return nil, event.Err
	}
	resp.Request = req
	return resp, nil
}

// noResponse returns the error for a request without a response; late reports
// that the client's timeout ended it.
func (c *Client) noResponse(err error, late bool) error {
	switch {
	case late:
		return &ResponseError{
			Upstream: c.opt.Upstream, Cause: context.DeadlineExceeded,
			Reason: "no response within " + c.opt.Timeout.String(),
		}
	case errors.Is(err, ErrPrivateAddress):
		return err
	}
	return &ResponseError{Upstream: c.opt.Upstream, Reason: "could not be reached", Cause: err}
}

func (c *Client) observe(e Event) {
	e.Upstream = c.opt.Upstream
	away := ""
	if r, ok := errors.AsType[*ResponseError](e.Err); ok && e.Kind == NoResponse {
		away = AwayPrefix + r.Reason
	} else if e.Status >= 500 {
		away = AwayPrefix + "status " + strconv.Itoa(e.Status)
	}
	if !errors.Is(e.Err, context.Canceled) {
		c.mu.Lock()
		c.away = away
		c.mu.Unlock()
	}
	if e.Err != nil {
		c.opt.Log.Debug("request failed", "upstream", e.Upstream, "resource", e.Resource,
			"status", e.Status, "kind", string(e.Kind), "err", e.Err)
	}
	if c.opt.Observe != nil {
		c.opt.Observe(e)
	}
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// Sleep waits for d. It returns the error of ctx if that ends earlier.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
