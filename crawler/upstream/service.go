// Package upstream reads the public services other than the code host: the official MCP
// registry, deps.dev, OSV, container and package registries, and download counts.
//
// Each service is one type that uses crawler/transport and returns its errors. Responses
// are untrusted: an invalid one is a [transport.ResponseError], never a fact. Missing data
// is unknown; only a 404 in the service's own format means that something does not exist.
package upstream

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

// errNoEntry reports a 404 in the service's own format: it has no such entry.
var errNoEntry = errors.New("no such entry")

// Options configure the client of one service.
type Options struct {
	// Base is the service's URL, "" for the public one. A version part
	// ("/v3", "/v1", "/v0.1") at its end is removed.
	Base      string
	UserAgent string
	// Timeout is for one request, including its body; 0 is the default of the service.
	Timeout time.Duration
	// Transport sends the requests; nil uses a separate one.
	Transport http.RoundTripper

	Now     func() time.Time      // default time.Now
	Observe func(transport.Event) // called after every request, for metrics
	Log     *slog.Logger          // default slog.Default
}

// A service is a JSON API.
type service struct {
	name string
	api  *transport.Client
	base string // without a trailing slash
	now  func() time.Time
}

// newService returns the service at o.Base, by default the public one. t contains its limits; its
// interval between requests applies to the public service only.
func newService(
	public string, versions []string, o Options, t transport.Options,
) (*service, error) {
	base := strings.TrimRight(o.Base, "/")
	for _, v := range versions {
		base = strings.TrimSuffix(base, v)
	}
	base = cmp.Or(base, public)
	if base != public {
		t.Interval = 0
	}
	t.BaseURL, t.UserAgent, t.Base = base, o.UserAgent, o.Transport
	t.Now, t.Observe, t.Log = o.Now, o.Observe, o.Log
	t.Timeout, t.GivesUp = cmp.Or(o.Timeout, t.Timeout), true
	api, err := transport.New(t)
	if err != nil {
		return nil, err
	}
	s := &service{name: t.Upstream, api: api, base: base, now: o.Now}
	if s.now == nil {
		s.now = time.Now
	}
	return s, nil
}

// Budgets returns what is known about limits of the service, and that it is away.
func (s *service) Budgets() []registry.Budget { return s.api.Budgets() }

// get decodes the JSON at a path of escaped segments below the base into out.
func (s *service) get(ctx context.Context, path string, query url.Values, out any) error {
	return s.do(ctx, http.MethodGet, path, query, nil, out)
}

// do sends one request and decodes the response. The error is errNoEntry or one of package
// transport.
func (s *service) do(
	ctx context.Context, method, path string, query url.Values, body, out any,
) error {
	address := s.base + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	res, err := s.send(ctx, method, address, body, "")
	if err != nil {
		return err
	}
	defer res.Body.Close()
	isJSON := isJSONType(res.Header.Get("Content-Type"))
	if res.StatusCode != http.StatusOK {
		// Read a little, so that the connection can be reused.
		head, _ := io.ReadAll(io.LimitReader(res.Body, 4096))
		if res.StatusCode == http.StatusNotFound && isJSON && json.Valid(head) {
			return errNoEntry
		}
		return s.api.StatusError(res)
	}
	raw, err := io.ReadAll(res.Body)
	switch {
	case errors.Is(err, transport.ErrBodyTooLarge):
		return s.unusable("response is too large")
	case ctx.Err() != nil:
		return s.failed(ctx, ctx.Err())
	case err != nil:
		return s.unusable("response was truncated")
	case !isJSON:
		return s.unusable("response is not JSON")
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return s.unusable("response has an unexpected form")
	}
	return nil
}

// send sends one request, with body as JSON unless it is nil, and with a bearer token unless it
// is "". The caller closes the response.
func (s *service) send(
	ctx context.Context, method, address string, body any, token string,
) (*http.Response, error) {
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return nil, s.unusable("the request could not be encoded: %s", err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(content))
	if err != nil {
		return nil, s.unusable("the request is invalid: %s", err)
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := s.api.HTTP().Do(req)
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	return res, nil
}

// failed returns the error of a request without a response.
func (s *service) failed(ctx context.Context, err error) error {
	if limit, ok := errors.AsType[*transport.LimitError](err); ok {
		return limit
	}
	if ctx.Err() != nil {
		return &transport.ResponseError{Upstream: s.name, Reason: "no response in time",
			Cause: ctx.Err()}
	}
	if response, ok := errors.AsType[*transport.ResponseError](err); ok {
		return response
	}
	return &transport.ResponseError{Upstream: s.name, Reason: "could not be reached", Cause: err}
}

// unusable returns the error of an invalid response.
func (s *service) unusable(format string, args ...any) error {
	return &transport.ResponseError{Upstream: s.name, Status: http.StatusOK,
		Reason: fmt.Sprintf(format, args...)}
}

func isJSONType(header string) bool {
	t, _, err := mime.ParseMediaType(header)
	return err == nil && (t == "application/json" || t == "text/json" ||
		strings.HasSuffix(t, "+json"))
}

// escape encodes one path segment so that it cannot be interpreted as another part of a URL.
func escape(segment string) string {
	s := strings.ReplaceAll(url.QueryEscape(segment), "+", "%20")
	if strings.Trim(s, ".") == "" { // "." and ".." would be resolved
		s = strings.ReplaceAll(s, ".", "%2E")
	}
	return s
}

// notFound turns errNoEntry into an error of kind registry.ErrNotFound.
func notFound(err error, format string, args ...any) error {
	if errors.Is(err, errNoEntry) {
		return registry.Errorf(registry.ErrNotFound, format, args...)
	}
	return err
}
