package census

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	maxBody      = 64 << 20
	maxErrorBody = 1 << 20
	// maxWait is the maximum wait before a retry. Longer waits are errors.
	maxWait = time.Minute
)

// A Response is the HTTP response of a call. See [WithResponse].
type Response struct {
	StatusCode int
	Header     http.Header
	// Body is the decompressed body, including unknown members.
	Body      []byte
	RequestID string
	RateLimit RateLimit
	Cached    bool // the registry responded with 304, and Body is from the cache
	Attempts  int
}

// A RateLimit is the number of requests left. Pointers are nil if unknown, as for unlimited plans.
type RateLimit struct {
	Limit     *int64
	Remaining *int64
	ResetAt   *time.Time
}

// A CallOption changes one call.
type CallOption func(*call)

// WithResponse stores the response of the call in *r, also that of an error.
func WithResponse(r *Response) CallOption { return func(c *call) { c.response = r } }

// WithHeader sends a header with the call.
func WithHeader(name, value string) CallOption {
	return func(c *call) { c.header.Set(name, value) }
}

// WithTimeout sets the timeout of each attempt; negative values mean none.
func WithTimeout(d time.Duration) CallOption { return func(c *call) { c.timeout = d } }

// WithMaxRetries sets the maximum number of retries.
func WithMaxRetries(n int) CallOption { return func(c *call) { c.retries = n } }

// A call is one request with its attempts.
type call struct {
	method, path string // path is escaped
	query        url.Values
	body         any  // nil, or to be sent as JSON
	once         bool // is repeated only after 429: it creates something

	header   http.Header
	timeout  time.Duration
	retries  int
	response *Response
}

var errEmptyID = errors.New("census: the ID or name must not be empty")

// pathOf escapes the segments and joins them with slashes. Calls with an empty one fail.
func pathOf(segments ...string) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteByte('/')
		switch s = url.PathEscape(s); s {
		case ".", "..": // would be resolved as a relative path
			s = strings.ReplaceAll(s, ".", "%2E")
		}
		b.WriteString(s)
	}
	return b.String()
}

// get decodes the response of a GET into T.
func get[T any](
	ctx context.Context,
	c *Client,
	path string,
	query url.Values,
	options []CallOption,
) (*T, error) {
	return send[T](ctx, c, call{method: http.MethodGet, path: path, query: query}, options)
}

// send decodes the response of a call into T.
func send[T any](ctx context.Context, c *Client, cl call, options []CallOption) (*T, error) {
	r, err := c.do(ctx, cl, options)
	if err != nil {
		return nil, err
	}
	return decode[T](r)
}

func decode[T any](r *Response) (*T, error) {
	v := new(T)
	err := json.Unmarshal(r.Body, v)
	if err == nil && string(bytes.TrimSpace(r.Body)) == "null" {
		err = errors.New("null is not an object")
	}
	if err != nil {
		return nil, &DecodeError{r.StatusCode, r.Header.Get("Content-Type"), r.Body, err}
	}
	return v, nil
}

// do sends a call with retries. Error responses are returned as errors.
func (c *Client) do(ctx context.Context, cl call, options []CallOption) (*Response, error) {
	if strings.Contains(cl.path+"/", "//") {
		return nil, errEmptyID
	}
	cl.header, cl.timeout, cl.retries = c.header.Clone(), c.timeout, c.retries
	if cl.header == nil {
		cl.header = http.Header{}
	}
	for _, o := range options {
		o(&cl)
	}
	var body []byte
	if cl.body != nil {
		var err error
		if body, err = json.Marshal(cl.body); err != nil {
			return nil, fmt.Errorf("census: encode the request: %w", err)
		}
	}
	for attempt := 1; ; attempt++ {
		start := time.Now()
		r, err := c.attempt(ctx, &cl, body)
		if err == nil {
			r.Attempts = attempt
			if cl.response != nil {
				*cl.response = *r
			}
			if r.StatusCode >= 400 || r.StatusCode == http.StatusNotModified {
				err = errorOf(r, time.Now())
			}
		}
		c.log.DebugContext(ctx, "census", "method", cl.method, "path", cl.path, "attempt", attempt,
			"status", statusOf(r), "duration", time.Since(start))
		if err == nil {
			return r, nil
		}
		wait, again := retryWait(r, err, attempt, time.Now())
		if !again || !cl.mayRepeat(r, attempt) || ctx.Err() != nil {
			return nil, err
		}
		if sleep(ctx, wait) != nil {
			return nil, &ConnectionError{cl.method, cl.path, context.Cause(ctx)}
		}
	}
}

// mayRepeat reports whether the call may be retried after a response.
func (cl *call) mayRepeat(r *Response, attempt int) bool {
	return attempt <= cl.retries && (!cl.once || statusOf(r) == http.StatusTooManyRequests)
}

func statusOf(r *Response) int {
	if r == nil {
		return 0
	}
	return r.StatusCode
}

// attempt sends a call once. Its errors are connection errors.
func (c *Client) attempt(ctx context.Context, cl *call, body []byte) (*Response, error) {
	try := ctx
	if cl.timeout > 0 {
		var cancel context.CancelFunc
		try, cancel = context.WithTimeout(ctx, cl.timeout)
		defer cancel()
	}
	r, err := c.exchange(try, cl, body)
	if err == nil {
		return r, nil
	}
	if cause := new(url.Error); errors.As(err, &cause) {
		err = cause.Err // without the address, which Path has
	}
	failed := &ConnectionError{cl.method, cl.path, err}
	switch {
	case ctx.Err() != nil:
		failed.Err = context.Cause(ctx)
	case isTimeout(err):
		return nil, &TimeoutError{failed}
	}
	return nil, failed
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	return ok && timeout.Timeout()
}

// exchange sends one request and reads its response.
func (c *Client) exchange(ctx context.Context, cl *call, body []byte) (*Response, error) {
	address := c.base.String() + cl.path
	if len(cl.query) > 0 {
		address += "?" + cl.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, cl.method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = cl.header.Clone()
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.agent)
	if *c.key != "" {
		req.Header.Set("Authorization", "Bearer "+*c.key)
	}
	if body == nil {
		req.Body, req.GetBody = nil, nil
	} else {
		req.Header.Set("Content-Type", "application/json")
	}
	var cached *cachedResponse
	if cl.method == http.MethodGet && req.Header.Get("If-None-Match") == "" {
		if cached = c.cache.get(address); cached != nil {
			req.Header.Set("If-None-Match", cached.etag)
		}
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	text, err := readBody(res)
	if err != nil {
		return nil, err
	}
	r := &Response{
		StatusCode: res.StatusCode, Header: res.Header, Body: text,
		RequestID: res.Header.Get("X-Request-Id"), RateLimit: rateLimit(res.Header),
	}
	switch {
	case res.StatusCode == http.StatusNotModified && cached != nil:
		r.StatusCode, r.Body, r.Cached = http.StatusOK, bytes.Clone(cached.body), true
	case res.StatusCode == http.StatusOK && cl.method == http.MethodGet:
		c.cache.put(address, res.Header.Get("ETag"), text)
	}
	return r, nil
}

var errTooLarge = errors.New("the response is larger than 64 MB")

// readBody reads the body of a response, or the beginning of the body of an error response.
func readBody(res *http.Response) ([]byte, error) {
	if res.StatusCode >= 400 {
		text, err := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
		if err != nil && len(text) == 0 {
			return nil, err
		}
		return text, nil // the status counts, even if the document is truncated
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if err == nil && len(text) > maxBody {
		err = errTooLarge
	}
	return text, err
}

func rateLimit(h http.Header) (l RateLimit) {
	number := func(name string) *int64 {
		if n, err := strconv.ParseInt(h.Get(name), 10, 64); err == nil {
			return &n
		}
		return nil
	}
	l.Limit, l.Remaining = number("X-RateLimit-Limit"), number("X-RateLimit-Remaining")
	if reset := number("X-RateLimit-Reset"); reset != nil {
		l.ResetAt = new(time.Unix(*reset, 0).UTC())
	}
	return l
}

// retryWait returns the wait before the next attempt, and whether there is one. r is nil if there
// was no response.
func retryWait(r *Response, err error, attempt int, now time.Time) (time.Duration, bool) {
	if r == nil {
		return backoff(attempt), !errors.Is(err, errRedirect) && !errors.Is(err, errTooLarge)
	}
	switch strings.ToLower(r.Header.Get("X-Should-Retry")) {
	case "false":
		return 0, false
	case "true":
	default:
		switch s := r.StatusCode; {
		case s == http.StatusRequestTimeout, s == http.StatusConflict,
			s == http.StatusTooManyRequests, s >= 500:
		default:
			return 0, false
		}
	}
	if wait, ok := retryAfter(r.Header, now); ok {
		return wait, wait <= maxWait
	}
	return backoff(attempt), true
}

// backoff returns half a second, doubled per attempt up to 8 seconds, minus up to 25% jitter.
func backoff(attempt int) time.Duration {
	base := 8 * time.Second
	if attempt < 5 {
		base = 500 * time.Millisecond << (attempt - 1)
	}
	return time.Duration(float64(base) * (1 - 0.25*rand.Float64()))
}

// retryAfter returns the wait that a response requests. A date is compared with the date of the
// response, if it has one.
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	if d, ok := number(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d, true
	}
	text := h.Get("Retry-After")
	if d, ok := number(text, time.Second); ok {
		return d, true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	if sent, err := http.ParseTime(h.Get("Date")); err == nil {
		now = sent
	}
	return max(0, at.Sub(now)), true
}

// number parses a number of units, at most a year.
func number(text string, unit time.Duration) (time.Duration, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(f >= 0) {
		return 0, false
	}
	const year = 366 * 24 * time.Hour
	return time.Duration(min(f*float64(unit), float64(year))), true
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
