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
	"time"

	"mcpcensus/crawler"
	"mcpcensus/crawler/transport"
)

// A reply is the body of a GraphQL response.
type reply struct {
	Data   json.RawMessage `json:"data"`
	Errors []fieldError    `json:"errors"`
}

// A fieldError is one error of a GraphQL response, with the path of its field if
// it has one.
type fieldError struct {
	Type       string `json:"type"`
	Message    string `json:"message"`
	Path       []any  `json:"path"` // strings and numbers
	Extensions struct {
		Code string `json:"code"`
		SAML bool   `json:"saml_failure"`
	} `json:"extensions"`
}

// An overload is the failure of a query that may succeed if it asks for less.
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

// A builder writes a query over several items, each with its own parameters and
// field.
type builder struct {
	name         string
	open, close  string // around the selection
	params, body strings.Builder
	vars         map[string]any
}

func newQuery(name string) *builder { return &builder{name: name, vars: map[string]any{}} }

// param adds a parameter.
func (b *builder) param(name, kind string, value any) {
	if len(b.vars) > 0 {
		b.params.WriteString(", ")
	}
	fmt.Fprintf(&b.params, "$%s: %s", name, kind)
	b.vars[name] = value
}

// field adds to the selection.
func (b *builder) field(format string, args ...any) { fmt.Fprintf(&b.body, format, args...) }

// send sends the query with the fragments that it uses, as ask does.
func (b *builder) send(ctx context.Context, g *Client, fragments string) (*reply, error) {
	query := "query " + b.name + "(" + b.params.String() + ") {\n" +
		"  rateLimit { cost remaining resetAt }\n" + b.open + b.body.String() + b.close + "}\n" +
		fragments
	return g.ask(ctx, query, b.vars)
}

// timestamp returns a time as GraphQL takes it.
func timestamp(t time.Time) string { return t.UTC().Truncate(time.Second).Format(time.RFC3339) }

// ask sends one query and returns its data with the errors that have a path.
// Other errors are of type *overload, *refusal, [*transport.LimitError] or
// [*transport.CredentialError]. It waits and retries while a limit ends within
// MaxWait.
func (g *Client) ask(ctx context.Context, query string, vars map[string]any) (*reply, error) {
	g.turn.Lock()
	defer g.turn.Unlock()
	for tries := 0; ; tries++ {
		r, err := g.askOnce(ctx, query, vars)
		limit := limitOf(err)
		if limit != nil && tries < 5 && limit.Until.Sub(g.opt.Now()) <= g.opt.MaxWait {
			continue // the transport waits until it may send again
		}
		var refused *refusal
		if errors.As(err, &refused) {
			name := query[:strings.IndexAny(query+"(", "({")]
			g.opt.Log.Warn("GitHub refused a query", "query", name, "err", err)
		}
		return r, err
	}
}

func (g *Client) askOnce(ctx context.Context, query string, vars map[string]any) (*reply, error) {
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
		return nil, &refusal{"it needs a token"}
	case status >= 300:
		if err := g.api.NoteRefusal(graphqlLimit); err != nil {
			return nil, err
		}
		return nil, &overload{why: fmt.Sprintf("status %d", status), silent: true}
	case decoded != nil:
		return nil, &overload{why: "the response is not JSON", silent: true, cause: decoded}
	}
	return g.sortErrors(&r)
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
	return 0, nil, &overload{why: "the response broke off", silent: true, cause: err}
}

// sortErrors returns a response with status 200 if its errors are about single
// fields, else the error of the query as a whole.
func (g *Client) sortErrors(r *reply) (*reply, error) {
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
			return nil, &refusal{crawler.Clean(e.Message, 300)}
		}
	}
	if empty {
		if len(r.Errors) > 0 {
			return nil, &refusal{crawler.Clean(r.Errors[0].Message, 300)}
		}
		return nil, &overload{why: "the response is empty"}
	}
	return r, nil
}

// decodeData reads the data of a response.
func decodeData(r *reply, into any) error {
	if err := json.Unmarshal(r.Data, into); err != nil {
		return &overload{why: "the response has an unexpected shape", cause: err}
	}
	return nil
}

// nodeErrors are the errors about one item of a response.
type nodeErrors struct {
	own    *fieldError           // about the item as a whole
	fields map[string]fieldError // by the names of the path below it, joined with dots
}

// errorsByNode groups errors by the item they are about. index returns the item
// that a path begins with, -1 if none, and how many elements of the path name it.
func errorsByNode(list []fieldError, index func(path []any) (int, int)) map[int]*nodeErrors {
	found := map[int]*nodeErrors{}
	for _, e := range list {
		i, used := index(e.Path)
		if i < 0 {
			continue
		}
		n := found[i]
		if n == nil {
			n = &nodeErrors{fields: map[string]fieldError{}}
			found[i] = n
		}
		if len(e.Path) <= used {
			n.own = &e
			continue
		}
		var parts []string
		for _, p := range e.Path[used:] {
			parts = append(parts, fmt.Sprint(p))
		}
		n.fields[strings.Join(parts, ".")] = e
	}
	return found
}

// limited reports whether a field of the item was left out because the query
// needed too many resources: then its numbers are not reliable.
func (n *nodeErrors) limited() bool {
	if n == nil {
		return false
	}
	for _, e := range n.fields {
		if e.Type == "RESOURCE_LIMITS_EXCEEDED" ||
			strings.HasPrefix(e.Message, "Something went wrong") {
			return true
		}
	}
	return n.own != nil && n.own.Type == "RESOURCE_LIMITS_EXCEEDED"
}

// has returns the first error of a field whose dotted name starts with prefix.
func (n *nodeErrors) has(prefix string) (fieldError, bool) {
	if n != nil {
		for name, e := range n.fields {
			if name == prefix || strings.HasPrefix(name, prefix+".") {
				return e, true
			}
		}
	}
	return fieldError{}, false
}

// aliasIndex reads the item's number from a path that starts with prefix+number.
func aliasIndex(prefix string, n int) func([]any) (int, int) {
	return func(path []any) (int, int) {
		if len(path) == 0 {
			return -1, 0
		}
		name, _ := path[0].(string)
		digits, ok := strings.CutPrefix(name, prefix)
		i := 0
		for _, d := range digits {
			if d < '0' || d > '9' || i > n {
				return -1, 0
			}
			i = i*10 + int(d-'0')
		}
		if !ok || digits == "" || i >= n {
			return -1, 0
		}
		return i, 1
	}
}

// listIndex reads the item's number from a path like ["nodes", 3].
func listIndex(n int) func([]any) (int, int) {
	return func(path []any) (int, int) {
		if len(path) < 2 || path[0] != "nodes" {
			return -1, 0
		}
		i, ok := path[1].(float64)
		if !ok || i < 0 || int(i) >= n {
			return -1, 0
		}
		return int(i), 2
	}
}
