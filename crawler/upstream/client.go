// Package upstream reads the public services other than the code host: the
// official MCP registry, deps.dev, OSV, and the download counts of npm and
// PyPI.
//
// Each service is one type that takes an HTTP client and a base address.
// Every answer is taken for hostile: bodies are bounded, redirects stay on the
// same host, and a wrong shape is a [Failure], never a fact. What a service
// does not say is unknown; only its own clean 404 says that there is no such
// thing.
package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

// A Failure is an answer, or the lack of one, that says nothing about what was
// asked. Its kind for errors.Is is registry.ErrLimited for a limit and
// registry.ErrUnavailable for all else.
type Failure struct {
	Source  string    // "deps.dev"
	Status  int       // HTTP status, 0 where none came
	Reason  string    // a sentence fit to show, without addresses
	RetryAt time.Time // when to try again, by the service's word or by ours
	Cause   error     // for the log; may be nil
}

func (f *Failure) Error() string {
	s := f.Source + ": " + f.Reason
	if f.Cause != nil {
		s += ": " + f.Cause.Error()
	}
	return s
}

// Unwrap returns the kind and the cause.
func (f *Failure) Unwrap() []error {
	kind := registry.ErrUnavailable
	if f.Status == http.StatusTooManyRequests {
		kind = registry.ErrLimited
	}
	if f.Cause == nil {
		return []error{kind}
	}
	return []error{kind, f.Cause}
}

// temporary reports whether asking again soon may help.
func (f *Failure) temporary() bool {
	return f.Status == 0 || f.Status == 200 || f.Status == http.StatusRequestTimeout || f.Status == http.StatusTooManyRequests || f.Status >= 500
}

// errNoEntry is a service's clean 404: it answered in its own form that it has
// nothing by that name.
var errNoEntry = errors.New("no such entry")

// Options say how to reach one service.
type Options struct {
	// Client sends the requests; nil is one of our own with a timeout. Its
	// redirect rule is kept and narrowed to the same host.
	Client *http.Client
	// Base is the service's address, "" for the public one. A version part
	// ("/v3", "/v1", "/v0.1") at its end is taken off.
	Base string
	// Timeout bounds one request, body included; 0 is the default of the
	// service.
	Timeout time.Duration
	// UserAgent is sent with every request; "" leaves it to Client.
	UserAgent string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// A client talks JSON to one service.
type client struct {
	source  string
	http    *http.Client
	base    *url.URL
	agent   string
	timeout time.Duration
	now     func() time.Time
}

const (
	maxRedirects = 3
	retryLater   = 15 * time.Minute // where the service names no time
	maxRetry     = 24 * time.Hour
)

func newClient(source, public string, timeout time.Duration, o Options, versions ...string) (*client, error) {
	base := strings.TrimRight(o.Base, "/")
	if base == "" {
		base = public
	}
	for _, v := range versions {
		base = strings.TrimSuffix(base, v)
	}
	u, err := url.Parse(base)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, registry.Errorf(registry.ErrInvalid, "the address of %s must look like %s, without user, query or fragment", source, public)
	}
	c := &client{source: source, base: u, agent: o.UserAgent, timeout: timeout, now: o.Now}
	if o.Timeout > 0 {
		c.timeout = o.Timeout
	}
	if c.now == nil {
		c.now = time.Now
	}
	var h http.Client
	if o.Client != nil {
		h = *o.Client
	}
	theirs := h.CheckRedirect
	h.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return errors.New("too many redirects")
		}
		if req.URL.Scheme != u.Scheme || req.URL.Host != u.Host {
			return errors.New("redirect to another host refused")
		}
		if theirs != nil {
			return theirs(req, via)
		}
		return nil
	}
	h.Jar = nil
	c.http = &h
	return c, nil
}

// public reports whether the client talks to the service's public address.
func (c *client) public(address string) bool { return c.base.String() == address }

// get reads the JSON at a path of escaped segments below the base into out.
func (c *client) get(ctx context.Context, path string, query url.Values, max int64, out any) error {
	_, err := c.do(ctx, http.MethodGet, path, query, nil, max, out)
	return err
}

// do sends one request and decodes the answer, which may have max bytes. It
// returns the answer's header where there was one.
func (c *client) do(ctx context.Context, method, path string, query url.Values, body any, max int64, out any) (http.Header, error) {
	fail := func(status int, cause error, format string, args ...any) *Failure {
		return &Failure{Source: c.source, Status: status, Cause: cause, Reason: fmt.Sprintf(format, args...), RetryAt: c.now().Add(retryLater)}
	}
	inner, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	address := c.base.String() + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	var reader io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return nil, fail(0, err, "the question could not be written")
		}
		reader = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(inner, method, address, reader)
	if err != nil {
		return nil, fail(0, err, "the question could not be written")
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.agent != "" {
		req.Header.Set("User-Agent", c.agent)
	}
	res, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, fail(0, ctx.Err(), "there was no time left to ask")
		}
		if inner.Err() != nil {
			return nil, fail(0, inner.Err(), "no answer within %s", c.timeout)
		}
		var limit *transport.LimitError
		if errors.As(err, &limit) { // the client below knows of a limit and has not asked
			f := fail(http.StatusTooManyRequests, err, "it asked for fewer requests")
			f.RetryAt = limit.Until
			return nil, f
		}
		return nil, fail(0, err, "it could not be reached")
	}
	defer res.Body.Close()
	isJSON := jsonType(res.Header.Get("Content-Type"))
	if res.StatusCode != http.StatusOK {
		// Drained a little, so that the connection can be used again.
		head, _ := io.ReadAll(io.LimitReader(res.Body, 4096))
		if res.StatusCode == http.StatusNotFound && isJSON && json.Valid(head) {
			return res.Header, errNoEntry
		}
		f := fail(res.StatusCode, nil, "it answered with status %d", res.StatusCode)
		f.RetryAt = c.retryAt(res.Header)
		return res.Header, f
	}
	raw, err := io.ReadAll(io.LimitReader(res.Body, max+1))
	switch {
	case int64(len(raw)) > max:
		return res.Header, fail(200, nil, "its answer is larger than %d bytes", max)
	case err != nil && ctx.Err() != nil:
		return res.Header, fail(0, ctx.Err(), "there was no time left to read the answer")
	case err != nil:
		return res.Header, fail(200, err, "its answer broke off")
	case !isJSON:
		return res.Header, fail(200, nil, "its answer is not JSON")
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return res.Header, fail(200, err, "its answer could not be understood")
	}
	return res.Header, nil
}

// retryAt reads Retry-After in both forms, bounded to a day.
func (c *client) retryAt(h http.Header) time.Time {
	now := c.now()
	after := h.Get("Retry-After")
	if n, err := strconv.Atoi(after); err == nil && n > 0 {
		return now.Add(min(time.Duration(min(n, 1<<20))*time.Second, maxRetry))
	}
	if t, err := http.ParseTime(after); err == nil && t.After(now) {
		if t.After(now.Add(maxRetry)) {
			return now.Add(maxRetry)
		}
		return t
	}
	return now.Add(retryLater)
}

func jsonType(header string) bool {
	t, _, err := mime.ParseMediaType(header)
	return err == nil && (t == "application/json" || t == "text/json" || strings.HasSuffix(t, "+json"))
}

// escape encodes one path segment so that nothing in it can be taken for
// another part of an address.
func escape(segment string) string {
	s := strings.ReplaceAll(url.QueryEscape(segment), "+", "%20")
	if strings.Trim(s, ".") == "" { // "." and ".." would be resolved away
		s = strings.ReplaceAll(s, ".", "%2E")
	}
	return s
}
