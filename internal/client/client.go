// Package client reads a registry over HTTP, for the commands of users. Its types have the
// members that the commands read.
package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"mcpcensus/internal/hosts"
)

const (
	defaultURL   = "http://127.0.0.1:8080" // of `make run`
	pageSize     = 100
	maxBody      = 64 << 20
	maxErrorBody = 1 << 20
)

// A Client reads a registry.
type Client struct {
	base *url.URL
	key  string
	name string // the user agent
	http *http.Client
}

// New returns a client. It fails if the address is invalid, or the key would be sent
// unencrypted to another machine. The key may be empty.
func New(address, key, userAgent string) (*Client, error) {
	key = strings.TrimSpace(key)
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("the API key contains invalid characters")
	}
	base, err := url.Parse(strings.TrimRight(strings.TrimSpace(cmp.Or(address, defaultURL)), "/"))
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" ||
		base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("the URL of the registry must have the form https://host[/path]")
	}
	if key != "" && base.Scheme == "http" && hosts.KindOf(base.Host) != hosts.Loopback {
		return nil, fmt.Errorf("the API key is not sent over plain HTTP to %s: use https", base.Host)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = (&net.Dialer{Timeout: connectTimeout}).DialContext
	transport.TLSHandshakeTimeout = connectTimeout
	return &Client{base: base, key: key, name: userAgent,
		http: &http.Client{Transport: transport, CheckRedirect: checkRedirect}}, nil
}

var errRedirect = errors.New("redirected")

// checkRedirect allows redirects within the scheme and host of the request, because its
// headers contain the key.
func checkRedirect(r *http.Request, via []*http.Request) error {
	first := via[0].URL
	switch {
	case r.URL.Scheme != first.Scheme || r.URL.Host != first.Host:
		return fmt.Errorf("%w to %s://%s", errRedirect, r.URL.Scheme, r.URL.Host)
	case len(via) >= 5:
		return fmt.Errorf("%w more than 5 times", errRedirect)
	}
	return nil
}

// BaseURL returns the URL of the registry, without a trailing slash.
func (c *Client) BaseURL() string { return c.base.String() }

// A Query selects servers. Zero values select all.
type Query struct {
	Words, Category, Sort string
	Official              bool
	MinScore, Limit       int
}

func (q Query) values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{
		"search": q.Words, "category": q.Category, "sort": q.Sort,
	} {
		if value != "" {
			v.Set(name, value)
		}
	}
	if q.Official {
		v.Set("official", "true")
	}
	if q.MinScore > 0 {
		v.Set("minScore", strconv.Itoa(q.MinScore))
	}
	v.Set("limit", strconv.Itoa(min(cmp.Or(q.Limit, pageSize), pageSize)))
	return v
}

// Discover iterates over the servers of all pages, the best match first. An error ends it.
func (c *Client) Discover(ctx context.Context, q Query) iter.Seq2[Server, error] {
	return func(yield func(Server, error) bool) {
		query := q.values()
		for {
			page, err := get[struct {
				Servers    []Server
				Pagination struct{ NextCursor string }
			}](ctx, c, "/api/discover", query)
			if err != nil {
				yield(Server{}, err)
				return
			}
			for _, s := range page.Servers {
				if !yield(s, nil) {
					return
				}
			}
			next := page.Pagination.NextCursor
			if next == "" || next == query.Get("cursor") {
				return
			}
			// A cursor stands for all other parameters.
			query = url.Values{"limit": query["limit"], "cursor": {next}}
		}
	}
}

// Launches returns how the servers that match are started.
func (c *Client) Launches(ctx context.Context, q Query) (all []Launch, err error) {
	query := q.values()
	query.Set("format", "mcp")
	page, err := get[struct {
		Tools []struct {
			Installation string
			Meta         map[string]Launch `json:"_meta"` // one member
		}
	}](ctx, c, "/api/discover", query)
	if err != nil {
		return nil, err
	}
	for _, t := range page.Tools {
		for _, l := range t.Meta {
			l.Text = t.Installation
			all = append(all, l)
		}
	}
	return all, nil
}

// List returns the first page of the servers that match.
func (c *Client) List(ctx context.Context, q Query) ([]Server, error) {
	page, err := get[struct{ Servers []Server }](ctx, c, "/api/servers", q.values())
	if err != nil {
		return nil, err
	}
	return page.Servers, nil
}

func (c *Client) Server(ctx context.Context, id string) (*Server, error) {
	return get[Server](ctx, c, "/api/servers/"+segment(id), nil)
}

// ToolChanges returns the changes to the tools of a server, newest first.
func (c *Client) ToolChanges(ctx context.Context, id string) ([]ToolListChange, error) {
	list, err := get[struct{ Changes []ToolListChange }](ctx, c,
		"/api/servers/"+segment(id)+"/tools/changes", nil)
	if err != nil {
		return nil, err
	}
	return list.Changes, nil
}

func (c *Client) ServerHealth(ctx context.Context, id string) (*Health, error) {
	return c.health(ctx, url.Values{"server": {id}})
}

// RepositoryHealth returns the health report of a repository. One that is not listed is
// checked first; RepositoryHealth waits for that until ctx is done.
func (c *Client) RepositoryHealth(ctx context.Context, address string) (*Health, error) {
	return c.health(ctx, url.Values{"githubUrl": {address}})
}

func (c *Client) health(ctx context.Context, query url.Values) (*Health, error) {
	next := request{method: http.MethodGet, path: "/api/health", query: query}
	for {
		r, err := c.send(ctx, next)
		if err != nil {
			return nil, err
		}
		if r.status != http.StatusAccepted {
			return decode[Health](r)
		}
		pending, err := decode[struct{ StatusURL string }](r)
		if err != nil {
			return nil, err
		}
		// Only the last segment is used: the key is never sent to an address from a response.
		id := pending.StatusURL[strings.LastIndexByte(pending.StatusURL, '/')+1:]
		next = request{method: http.MethodGet, path: "/api/checks/" + id}
		wait, ok := retryAfter(r.header)
		if !ok {
			wait = 2 * time.Second
		}
		if err := sleep(ctx, min(max(wait, 500*time.Millisecond), maxWait)); err != nil {
			return nil, &ConnectionError{err}
		}
	}
}

// segment escapes a segment of a path.
func segment(s string) string {
	if s == "." || s == ".." { // would be resolved as a relative path
		return strings.ReplaceAll(s, ".", "%2E")
	}
	return url.PathEscape(s)
}

// get decodes the response of a GET into T.
func get[T any](ctx context.Context, c *Client, path string, query url.Values) (*T, error) {
	r, err := c.send(ctx, request{method: http.MethodGet, path: path, query: query})
	if err != nil {
		return nil, err
	}
	return decode[T](r)
}

func decode[T any](r *response) (*T, error) {
	v := new(T)
	err := json.Unmarshal(r.body, v)
	if err == nil && string(bytes.TrimSpace(r.body)) == "null" {
		err = errors.New("null is not an object")
	}
	if err != nil {
		return nil, &DecodeError{r.status, r.header.Get("Content-Type"), err}
	}
	return v, nil
}

// A request is a request without the address and headers of the registry.
type request struct {
	method, path string // path is escaped
	query        url.Values
	body         []byte // JSON; nil for none
}

type response struct {
	status int
	header http.Header
	body   []byte // the beginning of that of an error
}

// exchange sends a request once.
func (c *Client) exchange(ctx context.Context, r request) (*response, error) {
	address := c.base.String() + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.name)
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.http.Do(req)
	if err != nil {
		if cause, ok := errors.AsType[*url.Error](err); ok {
			err = cause.Err // without the address
		}
		return nil, err
	}
	defer res.Body.Close()
	body, err := readBody(res)
	return &response{res.StatusCode, res.Header, body}, err
}

var errTooLarge = errors.New("the response is larger than 64 MB")

func readBody(res *http.Response) ([]byte, error) {
	if res.StatusCode >= 400 {
		body, err := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
		if len(body) > 0 {
			err = nil // the status counts, even if the document is truncated
		}
		return body, err
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if err == nil && len(body) > maxBody {
		err = errTooLarge
	}
	return body, err
}
