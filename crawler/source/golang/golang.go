// Package golang reads the tools of an MCP server from its Go source: calls that create or
// register a tool, and Tool literals.
package golang

import (
	"go/ast"
	"maps"
	"slices"
	"strconv"
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
	}, "Go")
}

// Tools returns the tools that the files register, each once, in the order of the paths and of
// the text. Tools of groups that are disabled by default are conditional, unless there are no
// others.
// partial reports that some names are not constant, or that a limit was reached. The files must
// not include tests. steps may be nil.
func Tools(files map[string]string, steps *listing.Reading) (tools []registry.Tool, partial bool) {
	s := &scanner{
		program:   load(files, steps.Within(maxSteps)),
		templates: map[*ast.FuncDecl]bool{}, resolved: map[*ast.FuncDecl]bool{},
		handlers: map[string]bound{},
	}
	ended := false
	defer func() { steps.Spend(s.steps, ended) }()
	for range 3 { // until no new templates are found
		known, on, off := len(s.templates), s.on, s.off
		s.on, s.off, s.pending, s.typedTools = nil, nil, nil, typedTools{made: map[string]bool{}}
		s.callsOf, s.upstream = listing.Calls[*ast.FuncDecl]{}, map[*ast.FuncDecl]int{}
		for _, f := range s.files {
			s.file(f)
		}
		if s.exhausted() && len(s.on)+len(s.off) < len(on)+len(off) {
			s.on, s.off = on, off
		}
		if len(s.templates) == known {
			break
		}
	}
	ended = s.exhausted()
	list := listing.Tools{Reading: steps, Partial: ended || s.lacks()}
	disabled := listing.Branch{Node: &s.off, Default: listing.Off}
	s.dropUnused()
	for _, r := range s.on {
		list.Add(r.tool, s.around(r))
	}
	for _, r := range s.off {
		list.Add(r.tool, append(s.around(r), disabled))
	}
	code := newEffects(s.program)
	for _, name := range list.Names() {
		if f := code.function(s.handlers[name], 0); f != nil {
			list.Does(name, code.Of(f))
		}
	}
	code.touch(steps)
	return list.Conditional(), list.Partial
}

// lacks reports whether tools are not known: those of another server, and those whose names are not
// constant.
func (s *scanner) lacks() bool {
	if slices.Contains(slices.Collect(maps.Values(s.upstream)), listsTools|addsTools) {
		return true
	}
	isUnknown := func(within []*ast.FuncDecl) bool {
		return !slices.ContainsFunc(within, func(d *ast.FuncDecl) bool { return s.resolved[d] })
	}
	return slices.ContainsFunc(s.pending, isUnknown) ||
		s.asksTypes && (s.unnamed || !s.hasTyped() || s.makesOthers())
}

// A scanner collects the registrations in all functions.
type scanner struct {
	*program
	on, off   []registered
	templates map[*ast.FuncDecl]bool // functions that register tools named by their parameters
	resolved  map[*ast.FuncDecl]bool // templates with a call with constant arguments
	within    []*ast.FuncDecl        // the functions around the current node
	pending   [][]*ast.FuncDecl      // the functions around names that are not constant
	handlers  map[string]bound       // of tools, by name
	inOff     int                    // nested registrations for disabled groups
	inlined   int
	inlining  []*ast.FuncDecl // those of within whose branches are those of the call

	typedTools

	branches []listing.Branch // around the current node, in its function
	callsOf  listing.Calls[*ast.FuncDecl]
	upstream map[*ast.FuncDecl]int // of listsTools and addsTools
}

func (s *scanner) add(t registry.Tool, e *env) { s.addMade(t, nil) }

// addMade adds a tool of a value that a function makes, nil for others.
func (s *scanner) addMade(t registry.Tool, by *ast.FuncDecl) {
	isInlined := func(d *ast.FuncDecl) bool { return slices.Contains(s.inlining, d) }
	r := registered{t, slices.DeleteFunc(slices.Clone(s.within), isInlined), slices.Clone(s.branches), by}
	if s.inOff > 0 {
		s.off = append(s.off, r)
	} else {
		s.on = append(s.on, r)
	}
}

func (s *scanner) file(f *file) {
	for _, d := range f.syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				s.function(d, s.bodyEnv(d, f, nil, nil))
			}
		case *ast.GenDecl:
			if !isAssertion(d) {
				s.walk(d, &env{file: f})
			}
		}
	}
}

// isAssertion reports whether a declaration only tells that a type implements an interface.
func isAssertion(d *ast.GenDecl) bool {
	return !slices.ContainsFunc(d.Specs, func(spec ast.Spec) bool {
		v, ok := spec.(*ast.ValueSpec)
		return !ok || lastName(v.Names[0]) != "_"
	})
}

func (s *scanner) function(d *ast.FuncDecl, e *env) {
	branches := s.branches
	s.branches, s.within = nil, append(s.within, d)
	s.walk(d.Body, e)
	s.branches, s.within = branches, s.within[:len(s.within)-1]
}

// walk adds the registrations in a node.
func (s *scanner) walk(n ast.Node, e *env) {
	ast.Inspect(n, func(n ast.Node) bool {
		if s.steps++; s.exhausted() {
			return false
		}
		switch n := n.(type) {
		case *ast.BlockStmt:
			s.block(n.List, e)
			return false
		case *ast.IfStmt:
			s.branch(n, e)
			return false
		case *ast.RangeStmt:
			return !s.loop(n, e)
		case *ast.CallExpr:
			return !s.call(n, e)
		case *ast.ReturnStmt:
			s.returnedTool(n, e)
		case *ast.CompositeLit:
			fields := fieldsOf(n)
			s.pair(fields["Tool"], fields["Handler"], e)
			s.typed(n, e)
			return !s.literal(n, nil, e)
		}
		return true
	})
}

// loop walks through the body once for each element of a constant list. It reports false if the
// list is not constant.
func (s *scanner) loop(n *ast.RangeStmt, e *env) bool {
	elements, ok := s.elements(n.X, e)
	if !ok {
		return false
	}
	s.walk(n.X, e)
	for _, element := range elements {
		inner := &env{parent: e, file: e.file, vars: map[string]bound{}}
		if id, ok := n.Key.(*ast.Ident); ok && element.key != nil {
			inner.vars[id.Name] = bound{element.key, element.env}
		}
		if id, ok := n.Value.(*ast.Ident); ok {
			inner.vars[id.Name] = element.bound
		}
		s.assignments(n.Body, inner)
		s.walk(n.Body, inner)
	}
	return true
}

// returnedTool adds a tool that is returned together with its handler.
func (s *scanner) returnedTool(n *ast.ReturnStmt, e *env) {
	for i, x := range n.Results {
		v := s.resolve(bound{x, e})
		if i+1 < len(n.Results) {
			s.pair(x, n.Results[i+1], e)
		}
		if l, ok := v.x.(*ast.CompositeLit); ok && i+1 < len(n.Results) {
			s.literal(l, &bound{n.Results[i+1], e}, v.env)
		}
	}
}

// call handles a call. It reports true if its arguments need no walk.
func (s *scanner) call(c *ast.CallExpr, e *env) bool {
	if len(c.Args) > 1 && s.isGroupOff(c.Args[0], e) {
		s.inOff++
		defer func() { s.inOff-- }()
		for _, arg := range c.Args[1:] {
			s.walk(arg, e)
		}
		return true
	}
	id := lastName(c.Fun)
	d, f := s.declaration(c.Fun, e)
	if d != nil {
		s.callsOf.Note(d, s.branches)
	}
	if s.templates[d] {
		s.inline(d, f, c.Args, e)
		if id != "NewTool" {
			return true
		}
	}
	if s.withHandler(c, e) {
		return true
	}
	if n := len(s.within); n > 0 {
		s.passes(s.within[n-1], c, e)
	}
	switch {
	case id == "NewTool", strings.HasPrefix(id, "NewTool") && strings.Contains(id, "Schema"),
		strings.HasSuffix(id, "Tool") && len(c.Args) >= 3:
		return s.named(c, e)
	}
	return false
}

// withHandler adds a tool that is passed together with its handler, as to AddTool of the official
// SDK. What is appended after a tool is another one.
func (s *scanner) withHandler(c *ast.CallExpr, e *env) bool {
	if lastName(c.Fun) == "append" {
		return false
	}
	for i := range max(0, len(c.Args)-1) {
		s.pair(c.Args[i], c.Args[i+1], e)
		v := s.resolve(bound{c.Args[i], e})
		l, ok := v.x.(*ast.CompositeLit)
		if ok && s.literal(l, &bound{c.Args[i+1], e}, v.env) {
			return true
		}
	}
	return false
}

// passes notes calls of a function that list the tools of another server, and that add tools of
// unknown origin. If it has both, it passes on the tools of that server.
func (s *scanner) passes(d *ast.FuncDecl, c *ast.CallExpr, e *env) {
	switch lastName(c.Fun) {
	case "ListTools":
		s.upstream[d] |= listsTools
	case "AddTool", "AddTools":
		for _, arg := range c.Args {
			switch v := s.resolve(bound{arg, e}); v.x.(type) {
			case *ast.CompositeLit, *ast.CallExpr, nil:
				return
			}
		}
		s.upstream[d] |= addsTools
	}
}

// What a function does with tools that are not in the files.
const (
	listsTools = 1 << iota
	addsTools
)

const maxInlined = 5000 // calls that are walked through

// inline walks through a function with the arguments of a call.
func (s *scanner) inline(d *ast.FuncDecl, f *file, args []ast.Expr, e *env) {
	s.inlined++
	if s.inlined > maxInlined || len(s.within) > 6 || slices.Contains(s.within, d) {
		return
	}
	before := len(s.on) + len(s.off)
	s.within, s.inlining = append(s.within, d), append(s.inlining, d)
	s.walk(d.Body, s.bodyEnv(d, f, args, e))
	s.within, s.inlining = s.within[:len(s.within)-1], s.inlining[:len(s.inlining)-1]
	if len(s.on)+len(s.off) > before {
		s.resolved[d] = true
	}
}

// lastName returns the name of a function or type, without its package and type
// arguments.
func lastName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.IndexExpr:
		return lastName(x.X)
	case *ast.IndexListExpr:
		return lastName(x.X)
	case *ast.ParenExpr:
		return lastName(x.X)
	case *ast.StarExpr:
		return lastName(x.X)
	}
	return ""
}

var toolTypes = []string{"Tool", "ToolDefinition", "ToolDef", "ToolSpec", "ToolInfo"}

// describe sets the description that an expression states.
func (s *scanner) describe(t *registry.Tool, x ast.Expr, e *env) {
	text, isText := s.text(x, e)
	t.Description, t.DescriptionUnread = text, x != nil && !isText
}

// literal adds a Tool literal in a file that imports MCP, or a literal of any type with the members
// of a tool of the protocol. If it has no schema, the type of the handler's arguments determines
// that. It reports false for other literals.
func (s *scanner) literal(l *ast.CompositeLit, handler *bound, e *env) bool {
	fields := fieldsOf(l)
	isTool := e.file.usesMCP && slices.Contains(toolTypes, lastName(l.Type))
	if fields["Name"] == nil || !isTool && fields["InputSchema"] == nil {
		return false
	}
	t := registry.Tool{}
	if !s.setName(&t, fields["Name"], e) {
		return true
	}
	t.Title, _ = s.text(fields["Title"], e)
	s.describe(&t, fields["Description"], e)
	s.annotate(&t, fields["Annotations"], e)
	for _, key := range []string{"InputSchema", "RawInputSchema", "Parameters", "Schema"} {
		if x := fields[key]; x != nil && t.InputSchema == nil {
			t.InputSchema = s.schema(x, e)
		}
	}
	if x := fields["Handler"]; x != nil && handler == nil {
		handler = &bound{x, e}
	}
	s.handledBy(t.Name, handler)
	if t.InputSchema == nil && handler != nil {
		t.InputSchema = encoded(s.handlerSchema(*handler))
	}
	s.add(t, e)
	return true
}

// fieldsOf returns the values of a struct literal by the names of the fields, or of a map by its
// constant keys, which begin in upper case then.
func fieldsOf(l *ast.CompositeLit) map[string]ast.Expr {
	fields := map[string]ast.Expr{}
	for _, element := range l.Elts {
		kv, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		id := lastName(kv.Key)
		if key, isLit := kv.Key.(*ast.BasicLit); isLit {
			if text, err := strconv.Unquote(key.Value); err == nil && text != "" {
				id = strings.ToUpper(text[:1]) + text[1:]
			}
		}
		fields[id] = kv.Value
	}
	return fields
}

// setName sets a constant name. A name that is not constant makes the enclosing functions
// templates.
func (s *scanner) setName(t *registry.Tool, x ast.Expr, e *env) bool {
	id, ok := s.text(x, e)
	if !ok || !listing.IsName(id) {
		for _, d := range s.within {
			s.templates[d] = true
		}
		if isNameCall(x) {
			s.asksTypes = true
		} else {
			s.pending = append(s.pending, slices.Clone(s.within))
		}
		return false
	}
	t.Name = id
	return true
}

// named handles calls that begin with the name of a tool: NewTool(name, options...),
// NewToolWithRawSchema(name, description, schema), and helpers of the form (name, description,
// handler, ...), possibly preceded by the server.
func (s *scanner) named(c *ast.CallExpr, e *env) bool {
	if !e.file.usesMCP || len(c.Args) == 0 {
		return false
	}
	args := c.Args
	if !s.isText(args[0], e) && len(args) >= 4 && s.isText(args[1], e) {
		args = args[1:]
	}
	t := registry.Tool{}
	properties := schema.Parameters(&schema.Object{}, nil)
	if lastName(c.Fun) == "NewTool" && (len(args) == 1 || !s.isText(args[1], e)) {
		if _, isLiteral := s.resolve(bound{args[0], e}).x.(*ast.CompositeLit); isLiteral {
			return false
		}
		if !s.setName(&t, args[0], e) {
			return true
		}
		whole := s.options(&t, properties, args[1:], e, 0)
		if t.InputSchema == nil && whole {
			t.InputSchema = properties.Encode()
		}
		s.add(t, e)
		return true
	}
	if len(args) < 3 || !s.isText(args[0], e) || !s.isText(args[1], e) {
		return false
	}
	if !s.setName(&t, args[0], e) {
		return true
	}
	s.describe(&t, args[1], e)
	if strings.Contains(lastName(c.Fun), "Schema") {
		t.InputSchema = s.schema(args[2], e)
	} else {
		t.InputSchema = encoded(s.handlerSchema(bound{args[2], e}))
		s.handledBy(t.Name, &bound{args[2], e})
	}
	s.options(&t, properties, args[3:], e, 0)
	s.add(t, e)
	return true
}

func (s *scanner) isText(x ast.Expr, e *env) bool {
	_, ok := s.text(x, e)
	return ok
}

// annotate sets the title and the hints of a ToolAnnotations literal.
func (s *scanner) annotate(t *registry.Tool, x ast.Expr, e *env) {
	v := s.resolve(bound{x, e})
	l, ok := v.x.(*ast.CompositeLit)
	if !ok {
		return
	}
	fields := fieldsOf(l)
	if x := fields["Title"]; x != nil && t.Title == "" {
		t.Title, _ = s.text(x, v.env)
	}
	listing.SetHints(t, slices.Sorted(maps.Keys(fields)), func(name string) (is, known bool) {
		return s.boolean(fields[name], v.env)
	})
}
