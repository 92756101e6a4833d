package fakegithub

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
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
	unbounded  = "You must provide a `first` or `last` value to properly paginate the `%s` connection." // GitHub's text
	maxRecords = 100
)

// An object is a value of a GraphQL object type. A field is nil, a scalar, a time.Time, an
// object, a list, an error, or a lazy value that returns one of them.
type object struct {
	kind   string
	fields map[string]any
}

// A lazy value is computed when its field is selected.
type lazy func(args) any

// args are the arguments of a field.
type args map[string]any

func (a args) text(name string) string {
	s, _ := a[name].(string)
	return s
}

func (a args) integer(name string) int {
	n, _ := a[name].(int64)
	return int(n)
}

// list returns a list. A single value is a list of one.
func (a args) list(name string) []any {
	switch v := a[name].(type) {
	case nil:
		return nil
	case []any:
		return v
	default:
		return []any{v}
	}
}

// A fieldError is reported in "errors", and its field is null.
type fieldError struct{ kind, message string }

func (e fieldError) Error() string { return e.message }

type gqlError struct {
	Type       string         `json:"type,omitempty"`
	Path       []any          `json:"path,omitempty"`
	Message    string         `json:"message"`
	Extensions map[string]any `json:"extensions,omitempty"`
}

// graphql serves POST /github/graphql. The caller holds w.mu.
func (w *Server) graphql(c *call) reply {
	var in struct {
		Query         string         `json:"query"`
		Variables     map[string]any `json:"variables"`
		OperationName string         `json:"operationName"`
	}
	if err := json.Unmarshal(c.body, &in); err != nil {
		return problem(http.StatusBadRequest, "Problems parsing JSON", "graphql")
	}
	refuse := func(code, message string) reply {
		e := gqlError{Message: message, Extensions: map[string]any{"code": code}}
		return jsonReply(http.StatusOK, map[string]any{"errors": []gqlError{e}})
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
		return refuse("missingOperation", "fakegithub: only one query is supported, and no mutations")
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
		return jsonReply(http.StatusOK, map[string]any{"errors": []gqlError{e}})
	}
	out := map[string]any{"data": x.selection(x.root(), op.SelectionSet, nil)}
	if len(x.errors) > 0 {
		if slices.ContainsFunc(x.errors, func(e gqlError) bool { return e.Type == "ARGUMENT_LIMIT" }) {
			delete(out, "data")
		}
		out["errors"] = x.errors
	}
	return jsonReply(http.StatusOK, out)
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

// price adds up the cost of a selection by GitHub's formula: the number of requests needed
// to fill every connection at its full size.
func (x *execution) price(set ast.SelectionSet, times float64) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.InlineFragment:
			x.price(s.SelectionSet, times)
		case *ast.FragmentSpread:
			x.price(s.Definition.SelectionSet, times)
		case *ast.Field:
			n := times
			a := args(s.ArgumentMap(x.vars))
			if s.Name == "nodes" && s.ObjectDefinition.Name == "Query" {
				n = float64(len(a.list("ids")))
			} else if size := a.integer("first"); size > 0 {
				x.requests += times
				n = times * float64(size)
				x.nodes += n
			}
			x.price(s.SelectionSet, n)
		}
	}
}

// collect flattens fragments for an object of the given type. It does not merge fields with
// the same response key.
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

// is reports whether an object type satisfies a type condition.
func is(kind, condition string) bool {
	if condition == "" || condition == kind {
		return true
	}
	return slices.ContainsFunc(schema.GetPossibleTypes(schema.Types[condition]),
		func(d *ast.Definition) bool { return d.Name == kind })
}

func (x *execution) selection(o object, set ast.SelectionSet, path []any) map[string]any {
	out := map[string]any{}
	for _, f := range x.collect(o.kind, set) {
		out[f.Alias] = x.value(x.field(o, f), f.SelectionSet, append(path[:len(path):len(path)], f.Alias))
	}
	return out
}

// field returns the value of a field, an error if the object has no such field.
func (x *execution) field(o object, f *ast.Field) any {
	a := args(f.ArgumentMap(x.vars))
	switch n := a.integer("first"); {
	case f.Name == "__typename":
		return o.kind
	case n == 0 && needsBound(f):
		return fieldError{"MISSING_PAGINATION_BOUNDARIES", fmt.Sprintf(unbounded, f.Name)}
	case n > maxRecords:
		return fieldError{"EXCESSIVE_PAGINATION", fmt.Sprintf(
			"Requesting %d records on the `%s` connection exceeds the `first` limit of 100 records.", n, f.Name)}
	}
	v, ok := o.fields[f.Name]
	if !ok {
		return unsupported(o.kind, f.Name)
	}
	if compute, ok := v.(lazy); ok {
		return compute(a)
	}
	return v
}

// needsBound reports whether a field is a connection whose entries are selected.
func needsBound(f *ast.Field) bool {
	return f.Definition.Arguments.ForName("first") != nil &&
		slices.ContainsFunc(f.SelectionSet, func(s ast.Selection) bool {
			below, ok := s.(*ast.Field)
			return ok && (below.Name == "nodes" || below.Name == "edges")
		})
}

func (x *execution) value(v any, set ast.SelectionSet, path []any) any {
	switch v := v.(type) {
	case error:
		x.fail(path, v)
		return nil
	case object:
		return x.selection(v, set, path)
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = x.value(item, set, append(path[:len(path):len(path)], i))
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

func (x *execution) fail(path []any, err error) {
	e := gqlError{Path: path, Message: err.Error()}
	if fe, ok := err.(fieldError); ok {
		e.Type = fe.kind
	}
	x.errors = append(x.errors, e)
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// connection returns a paginated list.
func connection[T any](kind string, items []T, convert func(T) any) lazy {
	return func(a args) any {
		from, to := min(cursorOf(a.text("after")), len(items)), len(items)
		if n := a.integer("first"); n > 0 {
			to = min(to, from+n)
		}
		var end any
		if from < to {
			end = cursor(to)
		}
		return object{kind, map[string]any{
			"totalCount": len(items), "nodes": each(items[from:to], convert),
			"pageInfo": object{"PageInfo", map[string]any{"hasNextPage": to < len(items), "endCursor": end}},
		}}
	}
}

func count(kind string, n int) object { return object{kind, map[string]any{"totalCount": n}} }

func cursor(n int) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "cursor:%d", n))
}

func cursorOf(s string) int {
	raw, _ := base64.StdEncoding.DecodeString(s)
	n, _ := strconv.Atoi(strings.TrimPrefix(string(raw), "cursor:"))
	return n
}

func unsupported(kind, field string) error {
	return fmt.Errorf("fakegithub: %s.%s is not supported", kind, field)
}
