// Package transport is the one way in which the crawler talks to an upstream:
// an HTTP client that can reach a single host, knows that host's limits and
// never sends while it was told to wait.
//
// Each [Client] is bound to one base URL and one credential. It adds the
// credential to requests for that host only, refuses every other host and
// redirects to one, answers repeated GETs from its store of ETags, bounds the
// size and the time of every answer, and turns limits and refused credentials
// into typed errors. It does not repeat requests: whoever asked knows better
// whether the same question is worth asking again.
package transport

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"mcpcensus/internal/registry"
)

// Options configure a [Client]. Only Upstream and BaseURL are required.
type Options struct {
	Upstream string // short name, for budgets, errors and the log: "github"
	BaseURL  string // http or https; only its scheme and host are ever dialled

	// Token is sent as a bearer token. ClientID and ClientSecret, of an OAuth
	// app, are sent as basic authentication instead. Without either the
	// client is anonymous.
	Token        string
	ClientID     string
	ClientSecret string

	UserAgent string            // default: "census (+https://github.com/mcpcensus)"
	Header    map[string]string // sent with every request

	Timeout time.Duration // of one call, the reading of its body included; default 20 s
	MaxBody int64         // bytes of one answer after decompression; default 16 MiB

	ETags ETagStore // nil: no conditional requests

	// Resource names the limit that a request falls under, such as "core" or
	// "search"; nil puts all under "core". What the answer's headers say wins.
	Resource func(*http.Request) string
	// Floor is, by resource, how much of a budget is left for others: at that
	// many remaining requests the client stops as if the budget were spent.
	Floor map[string]int
	// PerMinute is, by resource, how many requests may be sent in any 60
	// seconds; none for resources that are not in it.
	PerMinute map[string]int
	// Accounts are shared by clients that may have the same credential: what
	// one of them is told holds for all. Nil: no other has it.
	Accounts *Accounts
	// MaxWait is the longest that a request waits for its turn before it is
	// refused with a [LimitError]; default 5 s. See also [WithPatience].
	MaxWait time.Duration

	// PublicOnly refuses loopback, private, link-local and other addresses
	// that are not on the public internet, checked after the name was looked
	// up. For hosts that a person named.
	PublicOnly bool

	Base    http.RoundTripper                          // what sends; default: a transport of its own
	Now     func() time.Time                           // default time.Now
	Sleep   func(context.Context, time.Duration) error // default waits on a timer
	Observe func(Event)                                // called after every request, for metrics
	Log     *slog.Logger                               // default slog.Default
}

// An Event is one request as metrics see it.
type Event struct {
	Upstream string
	Resource string
	Method   string
	Status   int // 0 if there was no answer
	Duration time.Duration
	Kind     Kind  // what the answer meant
	Cached   bool  // answered 304 and served from the store
	Err      error // nil, or why there is no answer
}

// A Client talks to one upstream with one credential. Its methods may be
// called at the same time.
type Client struct {
	opt        Options
	base       *url.URL
	credential string
	auth       string
	http       *http.Client
	*account
}

// ErrForeignHost is a request for, or a redirect to, a host that is not the
// client's own.
var ErrForeignHost = errors.New("refused to contact another host")

// ErrBodyTooLarge is an answer longer than [Options.MaxBody].
var ErrBodyTooLarge = errors.New("the answer is too large")

// ErrPrivateAddress is a host name that leads to an address which is not on
// the public internet.
var ErrPrivateAddress = errors.New("the host's address is not on the public internet")

const maxRedirects = 3

// New returns a client for one upstream. It fails if the base URL cannot be
// used.
func New(opt Options) (*Client, error) {
	base, err := parseBase(opt.BaseURL)
	if err != nil {
		return nil, registry.Invalid(opt.Upstream+" base URL", "%s", err)
	}
	if opt.UserAgent == "" {
		opt.UserAgent = UserAgent("dev", "")
	}
	if opt.Timeout <= 0 {
		opt.Timeout = 20 * time.Second
	}
	if opt.MaxBody <= 0 {
		opt.MaxBody = 16 << 20
	}
	if opt.MaxWait <= 0 {
		opt.MaxWait = 5 * time.Second
	}
	if opt.Resource == nil {
		opt.Resource = func(*http.Request) string { return "core" }
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Sleep == nil {
		opt.Sleep = sleep
	}
	if opt.Log == nil {
		opt.Log = slog.Default()
	}
	if opt.Base == nil {
		opt.Base = dialer(opt.PublicOnly)
	}
	c := &Client{opt: opt, base: base}
	switch {
	case opt.Token != "":
		if strings.ContainsFunc(opt.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return nil, registry.Invalid(opt.Upstream+" token", "has a character that no token has; check for spaces or a line break")
		}
		c.auth, c.credential = "Bearer "+opt.Token, hashOf(opt.Token)
	case opt.ClientID != "":
		req := http.Request{Header: http.Header{}}
		req.SetBasicAuth(opt.ClientID, opt.ClientSecret)
		c.auth, c.credential = req.Header.Get("Authorization"), hashOf(opt.ClientID)
	default:
		c.credential = Anonymous
	}
	c.opt.Token, c.opt.ClientSecret = "", "" // kept in auth alone, so that no one prints them
	if opt.Accounts == nil {
		opt.Accounts = new(Accounts)
	}
	c.account = opt.Accounts.of(opt.Upstream, c.credential)
	c.http = &http.Client{Transport: roundTripper{c}, CheckRedirect: c.checkRedirect}
	return c, nil
}

// Anonymous is the name of the credential of a client that has none.
const Anonymous = "anonymous"

// UserAgent returns the User-Agent of this program: name, version, and where
// those who see it can read about it or complain.
func UserAgent(version, contact string) string {
	if contact == "" {
		contact = "https://github.com/mcpcensus"
	}
	return "census/" + version + " (+" + contact + ")"
}

// CredentialOf returns the name under which a client with this token goes.
func CredentialOf(token string) string { return hashOf(token) }

// hashOf names a credential without giving it away: the first 32 bits of its
// SHA-256.
func hashOf(secret string) string {
	sum := sha256.Sum256([]byte("census credential " + secret))
	return hex.EncodeToString(sum[:4])
}

func parseBase(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, errors.New("is no URL") // the parser's message would repeat a password
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("must start with http:// or https://")
	case u.Hostname() == "":
		return nil, errors.New("has no host")
	case u.User != nil:
		return nil, errors.New("must not hold a user name or password")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("must not have a query or a fragment")
	}
	u.Path = strings.TrimRight(u.Path, "/") + "/"
	u.RawPath = ""
	return u, nil
}

// HTTP returns the client to send with.
func (c *Client) HTTP() *http.Client { return c.http }

// BaseURL returns the upstream's base address; its path ends in a slash.
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
		return fmt.Errorf("%s redirected more than %d times", c.opt.Upstream, maxRedirects)
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
	if err := c.waitTurn(req.Context(), resource); err != nil {
		closeBody(req)
		return nil, err
	}

	ctx, cancel := context.WithTimeout(req.Context(), c.opt.Timeout)
	out := req.Clone(ctx)
	out.Header.Set("User-Agent", c.opt.UserAgent)
	for name, value := range c.opt.Header {
		out.Header.Set(name, value)
	}
	out.Header.Del("Authorization")
	if c.auth != "" {
		out.Header.Set("Authorization", c.auth)
	}
	key, stored := c.conditional(out)

	start := c.opt.Now()
	resp, err := c.opt.Base.RoundTrip(out)
	if err != nil {
		late := errors.Is(ctx.Err(), context.DeadlineExceeded) && req.Context().Err() == nil
		cancel()
		if late {
			err = fmt.Errorf("%s did not answer within %s: %w", c.opt.Upstream, c.opt.Timeout, context.DeadlineExceeded)
		}
		c.observe(Event{Resource: resource, Method: req.Method, Duration: c.opt.Now().Sub(start), Kind: NoAnswer, Err: err})
		return nil, err
	}
	resp.Body = &boundedBody{r: resp.Body, left: c.opt.MaxBody, cancel: cancel}

	kind, err := c.classify(resp, resource)
	event := Event{Resource: resource, Method: req.Method, Status: resp.StatusCode, Duration: c.opt.Now().Sub(start), Kind: kind, Err: err}
	if err != nil {
		resp.Body.Close()
		c.observe(event)
		return nil, err
	}
	if resp.StatusCode == http.StatusNotModified && stored != nil {
		resp.Body.Close()
		resp = stored.response(resp)
		event.Cached = true
	} else if key != "" && resp.StatusCode == http.StatusOK {
		if err := c.remember(key, resp); err != nil {
			c.observe(event)
			return nil, err
		}
	}
	c.observe(event)
	resp.Request = req
	return resp, nil
}

func (c *Client) observe(e Event) {
	e.Upstream = c.opt.Upstream
	if e.Err != nil {
		c.opt.Log.Debug("request failed", "upstream", e.Upstream, "resource", e.Resource, "status", e.Status, "kind", string(e.Kind), "err", e.Err)
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

// A boundedBody fails with ErrBodyTooLarge after a number of bytes and ends
// the call's deadline when it is closed.
type boundedBody struct {
	r      io.ReadCloser
	left   int64
	cancel context.CancelFunc
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		var one [1]byte
		if n, err := b.r.Read(one[:]); n == 0 && err != nil {
			return 0, err
		}
		return 0, ErrBodyTooLarge
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.r.Read(p)
	b.left -= int64(n)
	return n, err
}

func (b *boundedBody) Close() error {
	err := b.r.Close()
	b.cancel()
	return err
}

// peek reads up to n bytes of the body and puts them back.
func peek(resp *http.Response, n int64) []byte {
	head, err := io.ReadAll(io.LimitReader(resp.Body, n))
	resp.Body = &peeked{Reader: io.MultiReader(bytes.NewReader(head), errReader{err}, resp.Body), Closer: resp.Body}
	return head
}

type peeked struct {
	io.Reader
	io.Closer
}

// An errReader gives its error, or the end if it has none.
type errReader struct{ err error }

func (e errReader) Read([]byte) (int, error) {
	if e.err != nil {
		return 0, e.err
	}
	return 0, io.EOF
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

func dialer(publicOnly bool) http.RoundTripper {
	d := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	t := &http.Transport{
		DialContext:            d.DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    4,
		MaxConnsPerHost:        8,
		IdleConnTimeout:        60 * time.Second,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
	}
	if publicOnly {
		d.Control = func(_, address string, _ syscall.RawConn) error {
			ap, err := netip.ParseAddrPort(address)
			if err != nil || !IsPublic(ap.Addr()) {
				return ErrPrivateAddress
			}
			return nil
		}
	} else {
		t.Proxy = http.ProxyFromEnvironment
	}
	return t
}

var notPublic = func() []netip.Prefix {
	var list []netip.Prefix
	for _, s := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "240.0.0.0/4", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001:db8::/32", "2002::/16", "2001::/32",
	} {
		list = append(list, netip.MustParsePrefix(s))
	}
	return list
}()

// IsPublic reports whether an address is on the public internet: not
// loopback, private, link-local, multicast, shared (RFC 6598), reserved, or an
// IPv6 form that wraps an IPv4 address of such a kind.
func IsPublic(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsValid() || !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() {
		return false
	}
	for _, p := range notPublic {
		if p.Contains(a) {
			return false
		}
	}
	return true
}
