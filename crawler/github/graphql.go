package github

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"mcpcensus/crawler/transport"

	"mcpcensus/internal/text"
)

// A reply is the body of a GraphQL response.
type reply struct {
	Data   json.RawMessage `json:"data"`
	Errors []fieldError    `json:"errors"`
}

// A fieldError is one error of a GraphQL response, with the path of its field, if any.
type fieldError struct {
	Type       string `json:"type"`
	Message    string `json:"message"`
	Path       []any  `json:"path"` // strings and numbers
	Extensions struct {
		Code string `json:"code"`
		SAML bool   `json:"saml_failure"`
	} `json:"extensions"`
}

// An overload is the failure of a query that may succeed with fewer items.
type overload struct {
	why    string
	silent bool // the network failed: the size of the batch may not be the cause
	cause  error
}

func (e *overload) Error() string {
	if e.cause != nil {
		return "GitHub: " + e.why + ": " + e.cause.Error()
	}
	return "GitHub: " + e.why
}

func (e *overload) Unwrap() error { return e.cause }

// A refusal is the failure of a query that GitHub refuses at any size.
type refusal struct{ message string }

func (e *refusal) Error() string { return "GitHub refused the query: " + e.message }

// query sends one query and returns its data and the errors that have a path. Other errors are an
// *overload, a *refusal, a [*transport.LimitError] or a [*transport.CredentialError]. It waits
// and retries while a limit ends within MaxWait.
func (g *Client) query(ctx context.Context, query string, vars map[string]any) (*reply, error) {
	g.turn.Lock()
	defer g.turn.Unlock()
	for tries := 0; ; tries++ {
		r, err := g.queryOnce(ctx, query, vars)
		limit := limitOf(err)
		if limit != nil && tries < 5 && limit.Until.Sub(g.opt.Now()) <= g.opt.MaxWait {
			continue // the transport waits until it may send again
		}
		if _, ok := errors.AsType[*refusal](err); ok {
			name := query[:strings.IndexAny(query+"(", "({")]
			g.opt.Log.Warn("GitHub refused a query", "query", name, "err", err)
		}
		return r, err
	}
}

func (g *Client) queryOnce(ctx context.Context, query string, vars map[string]any) (*reply, error) {
	status, raw, err := g.post(ctx, query, vars)
	if err != nil {
		return nil, err
	}
	var r reply
	decoded := json.Unmarshal(raw, &r)
	switch {
	case status == http.StatusServiceUnavailable:
		return nil, &overload{why: "status 503", silent: true}
	case status >= 500:
		return nil, &overload{why: fmt.Sprintf("status %d", status)}
	case status == http.StatusUnauthorized:
		return nil, &refusal{"it requires a token"}
	case status >= 300:
		if err := g.api.NoteRefusal(graphqlLimit); err != nil {
			return nil, err
		}
		return nil, &overload{why: fmt.Sprintf("status %d", status), silent: true}
	case decoded != nil:
		return nil, &overload{why: "the response is not JSON", silent: true, cause: decoded}
	}
	return g.checkErrors(&r)
}

// post sends a query and returns the status and the body of the response.
func (g *Client) post(ctx context.Context, query string, vars map[string]any) (int, []byte, error) {
	body, err := json.Marshal(map[string]any{"query": query, "variables": vars})
	if err != nil {
		return 0, nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.graphql, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	resp, err := g.api.HTTP().Do(req)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return 0, nil, ctx.Err()
	case stops(err):
		return 0, nil, err
	case errors.Is(err, context.DeadlineExceeded):
		return 0, nil, &overload{why: "no response in time", cause: err}
	default:
		return 0, nil, &overload{why: "no response", silent: true, cause: err}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	switch {
	case err == nil:
		return resp.StatusCode, raw, nil
	case ctx.Err() != nil:
		return 0, nil, ctx.Err()
	case errors.Is(err, transport.ErrBodyTooLarge):
		return 0, nil, &overload{why: "the response is too large"}
	}
	return 0, nil, &overload{why: "the response was truncated", silent: true, cause: err}
}

// checkErrors returns a response with status 200 if its errors concern single fields, and
// otherwise the error of the query as a whole.
func (g *Client) checkErrors(r *reply) (*reply, error) {
	empty := len(r.Data) == 0 || string(r.Data) == "null"
	for _, e := range r.Errors {
		message := strings.ToLower(e.Message)
		switch {
		case e.Type == "RATE_LIMITED" || e.Type == "RATE_LIMIT":
			return nil, g.api.NoteLimit(graphqlLimit, transport.PrimaryLimit)
		case strings.Contains(message, "secondary rate limit"):
			return nil, g.api.NoteLimit(graphqlLimit, transport.SecondaryLimit)
		case strings.HasPrefix(message, "something went wrong") && (empty || len(e.Path) == 0):
			return nil, &overload{why: "the query took too long"}
		case e.Type == "RESOURCE_LIMITS_EXCEEDED" && (empty || len(e.Path) == 0):
			return nil, &overload{why: "the query needs too many resources"}
		case len(e.Path) == 0 || e.Extensions.Code != "":
			return nil, &refusal{text.Clean(e.Message, 300)}
		}
	}
	if empty {
		if len(r.Errors) > 0 {
			return nil, &refusal{text.Clean(r.Errors[0].Message, 300)}
		}
		return nil, &overload{why: "the response is empty"}
	}
	return r, nil
}

// decode reads a part of a response.
func decode(raw json.RawMessage, into any) error {
	if err := json.Unmarshal(raw, into); err != nil {
		return &overload{why: "the response has an unexpected shape", cause: err}
	}
	return nil
}

// An item is the part of a response about one requested object.
type item struct {
	raw    json.RawMessage       // nil or null without data
	own    *fieldError           // about the item as a whole
	fields map[string]fieldError // by the names of the path below it, joined with dots
}

// lists returns the n items of fields that are lists, in order.
func (r *reply) lists(n int, names ...string) ([]item, error) {
	var data map[string]json.RawMessage
	if err := decode(r.Data, &data); err != nil {
		return nil, err
	}
	var items []item
	for _, name := range names {
		var raws []json.RawMessage
		if err := decode(data[name], &raws); err != nil {
			return nil, err
		}
		for i, raw := range raws {
			items = append(items, r.item(raw, fmt.Sprintf("%s.%d", name, i)))
		}
	}
	if len(items) != n {
		return nil, &overload{why: fmt.Sprintf("%d results for %d ids", len(items), n)}
	}
	return items, nil
}

// aliases returns the items of the fields r0 to r(n-1).
func (r *reply) aliases(n int) ([]item, error) {
	var data map[string]json.RawMessage
	if err := decode(r.Data, &data); err != nil {
		return nil, err
	}
	items := make([]item, n)
	for i := range items {
		name := fmt.Sprintf("r%d", i)
		items[i] = r.item(data[name], name)
	}
	return items, nil
}

// item returns the item at a path, whose parts are joined with dots.
func (r *reply) item(raw json.RawMessage, path string) item {
	it := item{raw: raw, fields: map[string]fieldError{}}
	for _, e := range r.Errors {
		var parts []string
		for _, p := range e.Path {
			parts = append(parts, fmt.Sprint(p))
		}
		at := strings.Join(parts, ".")
		if at == path {
			it.own = &e
		} else if below, ok := strings.CutPrefix(at, path+"."); ok {
			it.fields[below] = e
		}
	}
	return it
}

// limited reports whether a field of the item is missing because the query needed too many
// resources. The item's counts are then unreliable.
func (it *item) limited() bool {
	for _, e := range it.fields {
		if e.Type == "RESOURCE_LIMITS_EXCEEDED" ||
			strings.HasPrefix(e.Message, "Something went wrong") {
			return true
		}
	}
	return it.own != nil && it.own.Type == "RESOURCE_LIMITS_EXCEEDED"
}

// has returns the first error of a field whose dotted name starts with prefix; with "",
// of any field or of the item as a whole.
func (it *item) has(prefix string) (fieldError, bool) {
	for name, e := range it.fields {
		if prefix == "" || name == prefix || strings.HasPrefix(name, prefix+".") {
			return e, true
		}
	}
	if prefix == "" && it.own != nil {
		return *it.own, true
	}
	return fieldError{}, false
}
