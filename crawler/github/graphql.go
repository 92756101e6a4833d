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
	"sync"
	"time"

	"mcpcensus/crawler"
	"mcpcensus/crawler/transport"
)

// A reply is the body of a GraphQL answer.
type reply struct {
	Data   json.RawMessage `json:"data"`
	Errors []fieldError    `json:"errors"`
}

// A fieldError is one error of a GraphQL answer, with the path of the field it
// is about where it has one.
type fieldError struct {
	Type       string `json:"type"`
	Message    string `json:"message"`
	Path       []any  `json:"path"` // strings and numbers
	Extensions struct {
		Code string `json:"code"`
		SAML bool   `json:"saml_failure"`
	} `json:"extensions"`
}

// An overload is an answer, or none, to a query that may pass if it asks for
// less.
type overload struct {
	why    string
	silent bool // the network's doing: the size of the batch need not be to blame
	cause  error
}

func (e *overload) Error() string {
	if e.cause != nil {
		return "GitHub: " + e.why + ": " + e.cause.Error()
	}
	return "GitHub: " + e.why
}

func (e *overload) Unwrap() error { return e.cause }

// A refusal is an answer to a query that GitHub will refuse at any size.
type refusal struct{ message string }

func (e *refusal) Error() string { return "GitHub refused the query: " + e.message }

// ask sends one query and returns its data with the errors that have a path.
// Other errors come back as *overload, *refusal, *transport.LimitError or
// *transport.CredentialError. While a limit ends within MaxWait
// it waits and asks again.
func (g *Client) ask(ctx context.Context, query string, vars map[string]any) (*reply, error) {
	g.turn.Lock()
	defer g.turn.Unlock()
	for tries := 0; ; tries++ {
		r, err := g.askOnce(ctx, query, vars)
		var limit *transport.LimitError
		if errors.As(err, &limit) && tries < 5 && limit.Until.Sub(g.opt.Now()) <= g.opt.MaxWait {
			continue // the transport waits until it may send again
		}
		var refused *refusal
		if errors.As(err, &refused) {
			g.opt.Log.Warn("GitHub refused a query", "query", query[:strings.IndexAny(query+"(", "({")], "err", err)
		}
		return r, err
	}
}

func (g *Client) askOnce(ctx context.Context, query string, vars map[string]any) (*reply, error) {
	body, err := json.Marshal(map[string]any{"query": query, "variables": vars})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.graphql, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	resp, err := g.api.HTTP().Do(req)
	if err != nil {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case stops(err):
			return nil, err
		case errors.Is(err, context.DeadlineExceeded):
			return nil, &overload{why: "no answer in time", cause: err}
		}
		return nil, &overload{why: "no answer", silent: true, cause: err}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, transport.ErrBodyTooLarge) {
			return nil, &overload{why: "the answer is too large"}
		}
		return nil, &overload{why: "the answer broke off", silent: true, cause: err}
	}
	var r reply
	decoded := json.Unmarshal(raw, &r)
	switch {
	case resp.StatusCode == http.StatusServiceUnavailable:
		return nil, &overload{why: "status 503", silent: true}
	case resp.StatusCode >= 500:
		return nil, &overload{why: fmt.Sprintf("status %d", resp.StatusCode)}
	case resp.StatusCode == http.StatusUnauthorized:
		return nil, &refusal{"it needs a token"}
	case resp.StatusCode >= 300:
		if err := g.api.NoteRefusal(graphqlLimit); err != nil {
			return nil, err
		}
		return nil, &overload{why: fmt.Sprintf("status %d", resp.StatusCode), silent: true}
	case decoded != nil:
		return nil, &overload{why: "the answer is no JSON", silent: true, cause: decoded}
	}
	return g.judge(&r)
}

// judge sorts the errors of an answer with status 200.
func (g *Client) judge(r *reply) (*reply, error) {
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
		return nil, &overload{why: "the answer is empty"}
	}
	return r, nil
}

// decodeData reads the data of an answer.
func decodeData(r *reply, into any) error {
	if err := json.Unmarshal(r.Data, into); err != nil {
		return &overload{why: "the answer has another shape than expected", cause: err}
	}
	return nil
}

// nodeErrors sorts the errors of an answer by the item they are about: path
// ["nodes", 3, …] or ["r3", …]. Of each it tells whether the item itself is
// refused or only some field of it.
type nodeErrors struct {
	own    *fieldError           // about the item as a whole
	fields map[string]fieldError // by the names of the path below it, joined with dots
}

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
// needed too much: then none of its numbers can be believed.
func (n *nodeErrors) limited() bool {
	if n == nil {
		return false
	}
	for _, e := range n.fields {
		if e.Type == "RESOURCE_LIMITS_EXCEEDED" || strings.HasPrefix(e.Message, "Something went wrong") {
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

// errDown ends a visit: GitHub has not answered for many queries in a row.
var errDown = errors.New("GitHub does not answer")

// maxFailures is after how many failures in a row GitHub is taken to be down.
// A batch of 200 with one poisonous item fails ten times before it is alone.
const maxFailures = 14

// maxRefusals is after how many refused queries in a row the next one is not
// worth the try.
const maxRefusals = 3

// A sizer is the size of the batches of one kind of query: halved when they
// fail, grown after 20 clean ones.
type sizer struct {
	top int

	mu          sync.Mutex // checks on demand ask at the same time
	size, clean int
}

func newSizer(top int) *sizer { return &sizer{size: top, top: top} }

func (s *sizer) now() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

func (s *sizer) passed(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n < s.size {
		return // a small batch proves nothing
	}
	if s.clean++; s.clean >= 20 {
		s.clean = 0
		s.size = min(s.top, s.size+max(1, s.top/20))
	}
}

func (s *sizer) failed(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size = max(1, min(s.size, n/2))
	s.clean = 0
}

// inBatches asks about all items in batches of s. ask returns the items it has
// no believable answer for. A batch that fails is asked again in halves, never
// at the same size; an item that fails three times on its own goes to alone.
// The error is one that ends the visit; items not asked for were not touched.
func inBatches[T any](ctx context.Context, g *Client, s *sizer, items []T, ask func([]T) ([]T, error), alone func(T, error)) error {
	type batch struct {
		items []T
		tries int // of a single item
	}
	var again []batch
	failures, refusals := 0, 0 // in a row
	for len(items) > 0 || len(again) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		var b batch
		if len(again) > 0 {
			b, again = again[0], again[1:]
		} else {
			n := min(len(items), s.now())
			b, items = batch{items: items[:n:n]}, items[n:]
		}
		left, err := ask(b.items)
		var over *overload
		switch {
		case err == nil && len(left) == 0:
			s.passed(len(b.items))
			failures, refusals = 0, 0
			continue
		case err == nil && len(left) < len(b.items):
			// Those that came back answered; the others are asked again, in
			// a batch that is smaller by as many.
			failures, refusals = 0, 0
			s.failed(len(b.items))
			again = append(again, batch{items: left, tries: b.tries})
			continue
		case err == nil:
			err = &overload{why: "the query needs too many resources"}
		case !errors.As(err, &over):
			if stops(err) || ctx.Err() != nil {
				return err
			}
			for _, item := range b.items {
				alone(item, err)
			}
			if refusals++; refusals >= maxRefusals {
				return fmt.Errorf("%w to what it is asked: %w", errDown, err)
			}
			continue
		}
		failures++
		if over == nil || !over.silent {
			s.failed(len(b.items))
		}
		if failures >= maxFailures {
			return fmt.Errorf("%w: %w", errDown, err)
		}
		if len(b.items) == 1 {
			if b.tries++; b.tries >= 3 {
				alone(b.items[0], err)
				continue
			}
			again = append(again, b)
		} else {
			half := len(b.items) / 2
			again = append([]batch{{items: b.items[:half:half]}, {items: b.items[half:]}}, again...)
		}
		if err := g.opt.Sleep(ctx, min(2*time.Second, time.Duration(failures)*100*time.Millisecond)); err != nil {
			return err
		}
	}
	return nil
}
