// Package golang reads the tools of an MCP server from its Go source: calls
// that make or register a tool, and Tool literals.
package golang

import (
	"context"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"

	"mcpcensus/crawler/source/listing"
	"mcpcensus/crawler/source/schema"
	"mcpcensus/internal/registry"
)

// Candidates returns the paths of the Go files that may register tools, most
// promising first.
func Candidates(paths []string) []string {
	return listing.Choose(paths, func(file string) int {
		score := listing.Score(file)
		if strings.HasPrefix(file, "cmd/") || strings.Contains(file, "/cmd/") {
			score += 5
		}
		return score
	}, ".go")
}

// Tools returns the tools that the files register, each once, in the order of
// the paths and of the text; optional are those that are registered only with
// certain settings. Partial reports that some have names that are not constant,
// or that the context ended. Tests must not be among the files.
func Tools(ctx context.Context, files map[string]string) (tools, optional []registry.Tool, partial bool) {
	s := &scanner{program: load(ctx, files), templates: map[ast.Node]bool{}, resolved: map[ast.Node]bool{}}
	s.readDefaults()
	for range 3 {
		known := len(s.templates)
		s.found, s.pending, s.partial = nil, nil, false
		s.off, s.edges = nil, nil
		for _, f := range s.files {
			s.file(f)
		}
		if len(s.templates) == known {
			break
		}
	}
	for _, within := range s.pending {
		if !slices.ContainsFunc(within, func(def ast.Node) bool { return s.resolved[def] }) {
			s.partial = true
		}
	}
	unreached := s.unreached()
	var on, off []registry.Tool
	for _, f := range s.found {
		isUnreached := slices.ContainsFunc(f.within, func(d *ast.FuncDecl) bool { return unreached[d] })
		if isUnreached || s.isOff(f.at) || s.isGroupOff(f.dir) {
			off = append(off, f.tool)
		} else {
			on = append(on, f.tool)
		}
	}
	if len(on) == 0 {
		on, off = off, nil
	}
	tools = merge(on, nil)
	return tools, merge(off, tools), s.partial || ctx.Err() != nil
}

// merge returns each tool once, without those that are known.
func merge(list, known []registry.Tool) []registry.Tool {
	at := map[string]int{}
	for _, t := range known {
		at[t.Name] = -1
	}
	var out []registry.Tool
	for _, t := range list {
		i, double := at[t.Name]
		switch {
		case !double:
			at[t.Name] = len(out)
			out = append(out, t)
		case i >= 0 && weight(t) > weight(out[i]):
			out[i] = t
		}
	}
	return out
}

// found is a registered tool and where it is registered.
type found struct {
	tool   registry.Tool
	at     token.Pos
	dir    string
	within []*ast.FuncDecl
}

func (s *scanner) add(t registry.Tool, n ast.Node, e *env) {
	s.found = append(s.found, found{t, n.Pos(), e.file.pkg.dir, slices.Clone(s.within)})
}

func weight(t registry.Tool) int {
	n := 0
	if t.Description != "" {
		n += 2
	}
	if t.InputSchema != nil {
		n++
	}
	return n
}

// A scanner walks through all functions and notes registrations.
type scanner struct {
	*program
	defaults
	found     []found
	partial   bool
	templates map[ast.Node]bool // functions that register what their parameters say
	resolved  map[ast.Node]bool // those of which a call says what they register
	within    []*ast.FuncDecl
	pending   [][]ast.Node
	inlined   int
}

func (s *scanner) file(f *file) {
	for _, d := range f.syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				s.function(d, s.bodyEnv(d, f, nil, nil))
			}
		case *ast.GenDecl:
			s.walk(d, &env{file: f})
		}
	}
}

func (s *scanner) function(d *ast.FuncDecl, e *env) {
	s.within = append(s.within, d)
	s.walk(d.Body, e)
	s.within = s.within[:len(s.within)-1]
}

// walk notes the registrations in a node.
func (s *scanner) walk(n ast.Node, e *env) {
	ast.Inspect(n, func(n ast.Node) bool {
		if s.steps++; s.exhausted() {
			s.partial = true
			return false
		}
		switch n := n.(type) {
		case *ast.RangeStmt:
			return !s.loop(n, e)
		case *ast.IfStmt:
			s.branch(n, e)
		case *ast.CallExpr:
			return !s.call(n, e)
		case *ast.CompositeLit:
			return !s.literal(n, nil, e)
		}
		return true
	})
}

// loop walks through the body once for each element of a constant list. It
// returns false if the list is not constant.
func (s *scanner) loop(n *ast.RangeStmt, e *env) bool {
	elements, ok := s.elements(n.X, e)
	if !ok {
		return false
	}
	s.walk(n.X, e)
	for _, element := range elements {
		inner := &env{parent: e, file: e.file, vars: map[string]bound{}}
		if id, ok := n.Key.(*ast.Ident); ok && element.key != nil {
			inner.vars[id.Name] = *element.key
		}
		if id, ok := n.Value.(*ast.Ident); ok {
			inner.vars[id.Name] = element.value
		}
		s.assignments(n.Body, inner)
		s.walk(n.Body, inner)
	}
	return true
}

// call handles a call. It returns true if the call is done with.
func (s *scanner) call(c *ast.CallExpr, e *env) bool {
	if len(c.Args) > 1 && s.isOffGroup(c.Args[0], e) {
		s.off = append(s.off, span{c.Pos(), c.End()})
	}
	d, f := s.declaration(c.Fun, e)
	if d != nil && len(s.edges) < maxSteps/100 {
		s.edges = append(s.edges, edge{s.caller(), d, c.Pos()})
	}
	if d != nil && s.templates[d] {
		s.inline(d, f, c.Args, e)
		return true
	}
	id := calledName(c.Fun)
	switch {
	case id == "AddTool" && len(c.Args) >= 3: // official SDK: server, tool, handler
		if s.toolArgument(c.Args[1], c.Args[2], e) {
			return true
		}
	case id == "NewTool" || strings.HasSuffix(id, "Tool") && len(c.Args) >= 3,
		strings.HasPrefix(id, "NewTool") && strings.Contains(id, "Schema"):
		if s.named(c, e) {
			return true
		}
	}
	return false
}

// caller returns the function that is walked through, or nil.
func (s *scanner) caller() *ast.FuncDecl {
	if n := len(s.within); n > 0 {
		return s.within[n-1]
	}
	return nil
}

const maxInlined = 5000 // calls that are walked through

// inline walks through a function with the arguments of a call.
func (s *scanner) inline(d *ast.FuncDecl, f *file, args []ast.Expr, e *env) {
	if s.inlined++; s.inlined > maxInlined || len(s.within) > 6 || slices.Contains(s.within, d) {
		return
	}
	before := len(s.found)
	s.function(d, s.bodyEnv(d, f, args, e))
	if len(s.found) > before {
		s.resolved[d] = true
	}
}

func calledName(fn ast.Expr) string {
	switch fn := fn.(type) {
	case *ast.Ident:
		return fn.Name
	case *ast.SelectorExpr:
		return fn.Sel.Name
	case *ast.IndexExpr:
		return calledName(fn.X)
	case *ast.IndexListExpr:
		return calledName(fn.X)
	case *ast.ParenExpr:
		return calledName(fn.X)
	}
	return ""
}

// toolArgument handles a Tool literal and its handler, whose argument type gives
// the schema. The literal may be in a variable.
func (s *scanner) toolArgument(x, handler ast.Expr, e *env) bool {
	v := s.resolve(bound{x: x, env: e})
	l, ok := v.x.(*ast.CompositeLit)
	return ok && s.literal(l, &bound{x: handler, env: e}, v.env)
}

// literal notes a Tool literal. It returns false if it is not one.
func (s *scanner) literal(l *ast.CompositeLit, handler *bound, e *env) bool {
	if !s.isTool(l, e) {
		return false
	}
	fields := map[string]ast.Expr{}
	for _, element := range l.Elts {
		if kv, ok := element.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				fields[id.Name] = kv.Value
			}
		}
	}
	if fields["Name"] == nil {
		return false
	}
	t := registry.Tool{}
	if !s.setName(&t, fields["Name"], e) {
		return true
	}
	t.Title, _ = s.text(fields["Title"], e)
	t.Description, _ = s.text(fields["Description"], e)
	s.annotate(&t, fields["Annotations"], e)
	for _, key := range []string{"InputSchema", "RawInputSchema", "Parameters", "Schema"} {
		if x := fields[key]; x != nil && t.InputSchema == nil {
			t.InputSchema = s.schema(x, e).Encode()
		}
	}
	if t.InputSchema == nil && handler != nil {
		t.InputSchema = s.handlerSchema(*handler).Encode()
	}
	s.add(t, l, e)
	return true
}

// isTool reports whether a literal is of a type Tool in a file that has to do
// with MCP.
func (s *scanner) isTool(l *ast.CompositeLit, e *env) bool {
	switch typeName(l.Type) {
	case "Tool", "ToolDefinition", "ToolDef", "ToolSpec", "ToolInfo":
	default:
		return false
	}
	return e.file.usesMCP
}

func typeName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.StarExpr:
		return typeName(x.X)
	case *ast.IndexExpr:
		return typeName(x.X)
	case *ast.IndexListExpr:
		return typeName(x.X)
	}
	return ""
}

// setName sets a constant name. One that is not constant is noted.
func (s *scanner) setName(t *registry.Tool, x ast.Expr, e *env) bool {
	id, ok := s.text(x, e)
	if !ok || !isToolName(id) {
		var around []ast.Node
		for _, d := range s.within {
			around = append(around, d)
			s.templates[d] = true
		}
		s.pending = append(s.pending, around)
		return false
	}
	t.Name = id
	return true
}

func isToolName(s string) bool {
	return s != "" && len(s) <= 128 && !strings.ContainsAny(s, " \t\r\n\"'`{}<>()[]%")
}

// named handles calls that begin with the name of a tool: NewTool(name,
// options...), NewToolWithRawSchema(name, description, schema), and helpers of
// the form (name, description, handler, ...).
func (s *scanner) named(c *ast.CallExpr, e *env) bool {
	if !e.file.usesMCP || len(c.Args) == 0 {
		return false
	}
	args := c.Args
	if _, ok := s.text(args[0], e); !ok && len(args) >= 4 { // the server may be first
		if _, ok := s.text(args[1], e); ok {
			args = args[1:]
		}
	}
	if _, isLiteral := s.resolve(bound{x: args[0], env: e}).x.(*ast.CompositeLit); isLiteral {
		return false
	}
	isNew := calledName(c.Fun) == "NewTool" && (len(args) == 1 || s.isOption(args[1], e))
	if !isNew {
		if len(args) < 3 {
			return false
		}
		if _, ok := s.text(args[1], e); !ok {
			return false
		}
	}
	t := registry.Tool{}
	if _, isConstant := s.text(args[0], e); !isConstant && !isNew {
		return false
	}
	if !s.setName(&t, args[0], e) {
		return true
	}
	properties := schema.Parameters(&schema.Object{}, nil)
	if isNew {
		s.options(&t, properties, args[1:], e, 0)
		if t.InputSchema == nil {
			t.InputSchema = properties.Encode()
		}
	} else {
		t.Description, _ = s.text(args[1], e)
		if strings.Contains(calledName(c.Fun), "Schema") {
			t.InputSchema = s.schema(args[2], e).Encode()
		} else {
			t.InputSchema = s.handlerSchema(bound{x: args[2], env: e}).Encode()
		}
		s.options(&t, properties, args[3:], e, 0)
	}
	s.add(t, c, e)
	return true
}

// isOption reports whether an expression can be an option of NewTool.
func (s *scanner) isOption(x ast.Expr, e *env) bool {
	switch x := x.(type) {
	case *ast.CallExpr:
		return strings.HasPrefix(calledName(x.Fun), "With") || calledName(x.Fun) != "" && !s.isText(x, e)
	case *ast.Ident, *ast.SelectorExpr, *ast.FuncLit:
		return !s.isText(x, e)
	}
	return false
}

func (s *scanner) isText(x ast.Expr, e *env) bool {
	_, ok := s.text(x, e)
	return ok
}

// annotate sets the hints of a ToolAnnotations literal.
func (s *scanner) annotate(t *registry.Tool, x ast.Expr, e *env) {
	if x == nil {
		return
	}
	v := s.resolve(bound{x: x, env: e})
	l, ok := v.x.(*ast.CompositeLit)
	if !ok {
		return
	}
	for _, element := range l.Elts {
		kv, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		id, _ := kv.Key.(*ast.Ident)
		if id == nil {
			continue
		}
		if id.Name == "Title" && t.Title == "" {
			t.Title, _ = s.text(kv.Value, v.env)
			continue
		}
		if b, ok := s.boolean(kv.Value, v.env); ok {
			setHint(t, id.Name, b)
		}
	}
}

func setHint(t *registry.Tool, id string, b bool) {
	if t.Annotations == nil {
		t.Annotations = &registry.ToolAnnotations{}
	}
	switch {
	case strings.HasPrefix(id, "ReadOnly"):
		t.Annotations.ReadOnly = &b
	case strings.HasPrefix(id, "Destructive"):
		t.Annotations.Destructive = &b
	case strings.HasPrefix(id, "Idempotent"):
		t.Annotations.Idempotent = &b
	case strings.HasPrefix(id, "OpenWorld"):
		t.Annotations.OpenWorld = &b
	}
}

// packageOf returns the folder of a file.
func packageOf(file string) string {
	if dir := path.Dir(file); dir != "." {
		return dir
	}
	return ""
}
