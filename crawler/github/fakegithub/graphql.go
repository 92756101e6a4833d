package fakegithub

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

//go:embed schema.graphql
var schemaText string

var (
	schema     = gqlparser.MustLoadSchema(&ast.Source{Name: "schema.graphql", Input: schemaText})
	checks     = rules.NewDefaultRules()
	unbounded  = "You must provide a `first` or `last` value to properly paginate the `%s` connection."
	maxRecords = 100
)

// An object is a value of one GraphQL type. Get returns a field: nil, a
// scalar, a time.Time, an object or a slice of objects.
type object struct {
	kind string
	get  func(field string, args map[string]any) (any, error)
}

// A fieldError becomes an entry of "errors"; its field becomes null.
type fieldError struct{ kind, message string }

func (e fieldError) Error() string { return e.message }

type gqlError struct {
	Type       string         `json:"type,omitempty"`
	Path       []any          `json:"path,omitempty"`
	Message    string         `json:"message"`
	Extensions map[string]any `json:"extensions,omitempty"`
}

// graphql answers POST /github/graphql. The caller holds w.mu.
func (w *Server) graphql(c *call, body []byte) reply {
	var in struct {
		Query         string         `json:"query"`
		Variables     map[string]any `json:"variables"`
		OperationName string         `json:"operationName"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return problem(http.StatusBadRequest, "Problems parsing JSON", "graphql")
	}
	refuse := func(code, message string) reply {
		e := gqlError{Message: message, Extensions: map[string]any{"code": code}}
		return answer(http.StatusOK, map[string]any{"errors": []gqlError{e}})
	}
	doc, errs := gqlparser.LoadQueryWithRules(schema, in.Query, checks)
	if len(errs) > 0 {
		return refuse("undefinedField", errs[0].Message)
	}
	op := doc.Operations.ForName(in.OperationName)
	if op == nil && len(doc.Operations) == 1 {
		op = doc.Operations[0]
	}
	if op == nil || op.Operation != ast.Query {
		return refuse("missingOperation", "fakegithub: one query, and no mutation, is answered")
	}
	vars, err := validator.VariableValues(schema, op, in.Variables)
	if err != nil {
		return refuse("variableMismatch", err.Error())
	}
	x := &execution{w: w, call: c, vars: vars}
	x.price(op.SelectionSet, 1)
	x.cost = max(1, int(math.Round(x.requests/100)))
	if x.nodes > 500_000 {
		return refuse("MAX_NODE_LIMIT_EXCEEDED", fmt.Sprintf(
			"This query requests up to %.0f possible nodes which exceeds the maximum limit of 500,000.", x.nodes))
	}
	if !w.limits.take(c.user, "graphql", x.cost, w.clock()) {
		e := gqlError{Type: "RATE_LIMITED", Message: "API rate limit exceeded for user ID " + c.user + "."}
		return answer(http.StatusOK, map[string]any{"errors": []gqlError{e}})
	}
	data := x.selection(x.root(), op.SelectionSet, nil)
	out := map[string]any{"data": data}
	for _, e := range x.errors {
		if e.Type == "ARGUMENT_LIMIT" {
			data = nil
			out = map[string]any{}
		}
	}
	if len(x.errors) > 0 {
		out["errors"] = x.errors
	}
	return answer(http.StatusOK, out)
}

type execution struct {
	w        *Server
	call     *call
	vars     map[string]any
	requests float64
	nodes    float64
	cost     int
	errors   []gqlError
}

// price adds up the cost of a selection by GitHub's formula: the requests
// that it takes to fill every connection, each at its full size.
func (x *execution) price(set ast.SelectionSet, times float64) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.InlineFragment:
			x.price(s.SelectionSet, times)
		case *ast.FragmentSpread:
			x.price(s.Definition.SelectionSet, times)
		case *ast.Field:
			n := times
			args := s.ArgumentMap(x.vars)
			if s.Name == "nodes" && s.ObjectDefinition.Name == "Query" {
				n = float64(len(list(args["ids"])))
			} else if strings.HasSuffix(s.Definition.Type.Name(), "Connection") {
				if size := max(integer(args["first"]), integer(args["last"])); size > 0 {
					x.requests += times
					n = times * float64(size)
					x.nodes += n
				}
			}
			x.price(s.SelectionSet, n)
		}
	}
}

// collect flattens fragments for an object of the given type. Each response key must be
// there once.
func (x *execution) collect(kind string, set ast.SelectionSet) (all []*ast.Field) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			if x.included(s.Directives) {
				all = append(all, s)
			}
		case *ast.InlineFragment:
			if x.included(s.Directives) && is(kind, s.TypeCondition) {
				all = append(all, x.collect(kind, s.SelectionSet)...)
			}
		case *ast.FragmentSpread:
			if x.included(s.Directives) && is(kind, s.Definition.TypeCondition) {
				all = append(all, x.collect(kind, s.Definition.SelectionSet)...)
			}
		}
	}
	return all
}

func (x *execution) included(ds ast.DirectiveList) bool {
	d := ds.ForName("include")
	return d == nil || d.ArgumentMap(x.vars)["if"] == true
}

// is says whether an object type meets a type condition.
func is(kind, condition string) bool {
	if condition == "" || condition == kind {
		return true
	}
	for _, d := range schema.GetPossibleTypes(schema.Types[condition]) {
		if d.Name == kind {
			return true
		}
	}
	return false
}

func (x *execution) selection(o object, set ast.SelectionSet, path []any) map[string]any {
	out := map[string]any{}
	for _, f := range x.collect(o.kind, set) {
		at := append(path[:len(path):len(path)], f.Alias)
		if f.Name == "__typename" {
			out[f.Alias] = o.kind
			continue
		}
		args := f.ArgumentMap(x.vars)
		// what it takes to page is known before anything is read
		if needsBound(f, f.SelectionSet) && args["first"] == nil && args["last"] == nil {
			x.fail(at, fieldError{"MISSING_PAGINATION_BOUNDARIES", fmt.Sprintf(unbounded, f.Name)})
			out[f.Alias] = nil
			continue
		}
		if n := max(integer(args["first"]), integer(args["last"])); n > maxRecords {
			x.fail(at, fieldError{"EXCESSIVE_PAGINATION", fmt.Sprintf(
				"Requesting %d records on the `%s` connection exceeds the `first` limit of 100 records.", n, f.Name)})
			out[f.Alias] = nil
			continue
		}
		v, err := o.get(f.Name, args)
		if err != nil {
			x.fail(at, err)
			v = nil
		}
		out[f.Alias] = x.value(v, f.SelectionSet, at)
	}
	return out
}

// needsBound says whether a field is a connection of which entries are asked.
func needsBound(f *ast.Field, below ast.SelectionSet) bool {
	if !strings.HasSuffix(f.Definition.Type.Name(), "Connection") || f.Definition.Arguments.ForName("first") == nil {
		return false
	}
	for _, s := range below {
		if s, ok := s.(*ast.Field); ok && (s.Name == "nodes" || s.Name == "edges") {
			return true
		}
	}
	return false
}

func (x *execution) value(v any, set ast.SelectionSet, path []any) any {
	switch v := v.(type) {
	case object:
		if v.get == nil {
			return nil
		}
		return x.selection(v, set, path)
	case []object:
		list := make([]any, len(v))
		for i, o := range v {
			list[i] = x.value(o, set, append(path[:len(path):len(path)], i))
		}
		return list
	case []result:
		list := make([]any, len(v))
		for i, r := range v {
			at := append(path[:len(path):len(path)], i)
			if r.err != nil {
				x.fail(at, r.err)
				continue
			}
			list[i] = x.value(r.object, set, at)
		}
		return list
	case time.Time:
		if v.IsZero() {
			return nil
		}
		return stamp(v)
	}
	return v
}

// A result is an entry of a list that may be an error.
type result struct {
	object object
	err    error
}

func (x *execution) fail(path []any, err error) {
	e := gqlError{Path: path, Message: err.Error()}
	if fe, ok := err.(fieldError); ok {
		e.Type = fe.kind
	}
	x.errors = append(x.errors, e)
}

// ---- values

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// list returns a list; a single value stands for a list of one, as GraphQL
// has it.
func list(v any) []any {
	if v == nil {
		return nil
	}
	if l, ok := v.([]any); ok {
		return l
	}
	return []any{v}
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func integer(v any) int {
	n, _ := v.(int64)
	return int(n)
}

func when(v any) time.Time {
	t, _ := time.Parse(time.RFC3339, text(v))
	return t
}

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// connection pages a list. More are the fields that are not about paging.
func connection(kind string, items []object, args map[string]any, more map[string]any) (any, error) {
	from, to := min(cursorOf(args["after"]), len(items)), len(items)
	if n := integer(args["first"]); n > 0 {
		to = min(to, from+n)
	}
	page := items[from:to]
	return object{kind, func(field string, _ map[string]any) (any, error) {
		switch field {
		case "totalCount":
			return len(items), nil
		case "nodes":
			return page, nil
		case "edges":
			return each(page, func(o object) object { return edge(kind, o) }), nil
		case "pageInfo":
			var end any
			if len(page) > 0 {
				end = cursor(to)
			}
			return fields("PageInfo", map[string]any{"hasNextPage": to < len(items), "endCursor": end}), nil
		}
		if v, ok := more[field]; ok {
			return v, nil
		}
		return nil, unmodelled(kind, field)
	}}, nil
}

// edge returns an item of a connection with the fields of its edge.
func edge(kind string, o object) object {
	return object{strings.TrimSuffix(kind, "Connection") + "Edge", func(field string, _ map[string]any) (any, error) {
		if field == "node" {
			return o, nil
		}
		return o.get("edge "+field, nil)
	}}
}

func count(kind string, n int) object {
	return object{kind, func(string, map[string]any) (any, error) { return n, nil }}
}

func cursor(n int) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "cursor:%d", n))
}

func cursorOf(v any) int {
	raw, _ := base64.StdEncoding.DecodeString(text(v))
	n, _ := strconv.Atoi(strings.TrimPrefix(string(raw), "cursor:"))
	return n
}

func unmodelled(kind, field string) error {
	return fmt.Errorf("fakegithub: %s.%s is not modelled", kind, field)
}
