// Package python reads the tools of an MCP server from its Python source:
// functions that are registered with a FastMCP, and Tool objects.
package python

import (
	"context"
	"slices"
	"strings"

	"mcpcensus/crawler/source/schema"
	"mcpcensus/internal/registry"
)

// Tools returns the tools that the files register, each once, in the order of
// the paths and of the text. Partial reports that some have names that are not
// constant, or that the context ended. Tests and examples must not be among the
// files.
func Tools(ctx context.Context, files map[string]string) (tools []registry.Tool, partial bool) {
	s := &scanner{program: load(ctx, files), templates: map[*statement]bool{},
		resolved: map[*statement]bool{}, seen: map[string]int{}}
	// Calls of functions that register their arguments are known after a round;
	// a second one finds functions that call these.
	for range 3 {
		known := len(s.templates)
		s.found, s.pending, s.partial = nil, nil, false
		for _, m := range s.order {
			s.total += s.steps
			s.steps = 0
			s.statements(m.body, m.scope)
		}
		if len(s.templates) == known {
			break
		}
	}
	for _, within := range s.pending {
		if !slices.ContainsFunc(within, func(def *statement) bool { return s.resolved[def] }) {
			s.partial = true
		}
	}
	tools, partial = s.result()
	return tools, partial || ctx.Err() != nil
}

// A scanner walks through all statements and notes registrations.
type scanner struct {
	*program
	found     []found
	seen      map[string]int
	partial   bool
	templates map[*statement]bool // functions that register what their parameters say
	resolved  map[*statement]bool // those of which a call or use says what they register
	within    []*statement        // functions around the statement
	pending   [][]*statement      // functions around registrations whose names are not constant
	inlined   int
}

// found is a registered tool. server is where it is registered, nil if unknown.
type found struct {
	tool   registry.Tool
	server *call
}

// mount says under which prefix the tools of a server are those of another.
type mount struct {
	parent *call
	prefix string
	known  bool
}

// result applies the prefixes and removes duplicates: of two, the one that says
// more counts.
func (s *scanner) result() ([]registry.Tool, bool) {
	var out []registry.Tool
	for _, f := range s.found {
		t, ok := f.tool, true
		for server, hops := f.server, 0; server != nil && hops < 5; hops++ {
			m, mounted := s.mounts[server]
			if !mounted {
				break
			}
			ok = ok && m.known
			if m.prefix != "" {
				t.Name = m.prefix + "_" + t.Name
			}
			server = m.parent
		}
		if !ok {
			s.partial = true
			continue
		}
		if i, double := s.seen[t.Name]; double {
			if weight(t) > weight(out[i]) {
				out[i] = t
			}
			continue
		}
		s.seen[t.Name] = len(out)
		out = append(out, t)
	}
	return out, s.partial
}

func weight(t registry.Tool) int {
	n := 0
	if t.Description != "" {
		n++
	}
	if t.InputSchema != nil {
		n++
	}
	return n
}

func (s *scanner) statements(body []*statement, at *scope) {
	for _, st := range body {
		if s.exhausted() {
			s.partial = true
			return
		}
		s.statement(st, at)
	}
}

func (s *scanner) statement(st *statement, at *scope) {
	s.steps++
	switch st.kind {
	case defStatement:
		f := &function{def: st, scope: at}
		s.decorated(f, at)
		s.body(f)
	case classStatement:
		s.class(s.program.class(st, at))
	case forStatement:
		s.expression(st.value, at)
		s.loop(st, at)
	default:
		s.expression(st.value, at)
		s.statements(st.body, at)
	}
}

// body walks through a function whose parameters are unknown.
func (s *scanner) body(f *function) {
	if len(s.within) > 20 {
		return
	}
	s.within = append(s.within, f.def)
	s.statements(f.def.body, s.callScope(f, nil, nil))
	s.within = s.within[:len(s.within)-1]
}

// class walks through the methods as they are for the class and for its
// subclasses that do not override them.
func (s *scanner) class(c *class) {
	self := &instance{class: c}
	for _, st := range c.def.body {
		if st.kind != defStatement {
			s.statement(st, c.body)
			continue
		}
		f := &function{def: st, scope: c.body, self: self}
		s.decorated(f, c.body)
		f.scope = c.scope
		before, pending := len(s.found), len(s.pending)
		s.body(f)
		if len(s.subclasses[c.def]) == 0 {
			continue
		}
		if len(s.found) == before {
			s.pending = s.pending[:pending]
		}
		for _, sub := range s.subclasses[c.def] {
			if len(sub.body.names[st.name]) == 0 {
				s.body(&function{def: st, scope: c.scope, self: &instance{class: sub}})
			}
		}
	}
}

// findSubclasses fills subclasses, with indirect ones.
func (p *program) findSubclasses() {
	var visit func(body []*statement, at *scope, depth int)
	visit = func(body []*statement, at *scope, depth int) {
		for _, st := range body {
			switch st.kind {
			case classStatement:
				c := p.class(st, at)
				chain, _ := p.bases(c)
				for _, base := range chain[1:] {
					p.subclasses[base.def] = append(p.subclasses[base.def], c)
				}
				if depth < 5 {
					visit(st.body, c.body, depth+1)
				}
			case blockStatement:
				visit(st.body, at, depth)
			}
		}
	}
	for _, m := range p.order {
		visit(m.body, m.scope, 0)
	}
}

// loop walks through the body once for each element of a constant list, or once
// with an unknown element.
func (s *scanner) loop(st *statement, at *scope) {
	list, ok := s.iterate(st.value, at)
	if ok && len(st.targets) == 1 {
		for _, item := range list {
			inner := newScope(at)
			if s.steps++; s.exhausted() || !inner.unpack(st.targets[0], item) {
				ok = false
				break
			}
			inner.collect(st.body)
			s.statements(st.body, inner)
		}
	}
	if !ok {
		s.statements(st.body, at)
	}
}

// expression finds the registrations in an expression.
func (s *scanner) expression(x expr, at *scope) {
	switch x := x.(type) {
	case *call:
		if s.called(x, at) {
			return
		}
		s.expression(x.fn, at)
		for _, a := range x.args {
			s.expression(a.value, at)
		}
	case attr:
		s.expression(x.x, at)
	case sequence:
		for _, item := range x.items {
			s.expression(item, at)
		}
	case mapping:
		if s.described(x, at) {
			return
		}
		for _, v := range x.values {
			s.expression(v, at)
		}
	case starred:
		s.expression(x.x, at)
	case index:
		s.expression(x.x, at)
	case binary:
		s.expression(x.x, at)
		s.expression(x.y, at)
	case conditional:
		s.expression(x.yes, at)
		s.expression(x.no, at)
	case opaque:
		for _, inner := range x.inner {
			s.expression(inner, at)
		}
	case *comprehension:
		s.comprehended(x, at)
	}
}

func (s *scanner) comprehended(x *comprehension, at *scope) {
	s.expression(x.iter, at)
	list, ok := s.iterate(x.iter, at)
	if ok {
		for _, item := range list {
			inner := newScope(at)
			if s.steps++; s.exhausted() || !inner.unpack(x.target, item) {
				ok = false
				break
			}
			s.expression(x.element, inner)
		}
	}
	if !ok {
		inner := newScope(at)
		inner.unknown(x.target)
		s.expression(x.element, inner)
	}
}

// called handles a call. It returns true if the call is done with.
func (s *scanner) called(c *call, at *scope) bool {
	switch fn := c.fn.(type) {
	case *call: // X.tool(...)(f)
		if a, ok := fn.fn.(attr); ok && a.name == "tool" && len(c.args) == 1 && s.isServer(a.x, at) {
			s.registerArgument(a.x, fn.args, c.args[0].value, at)
			return true
		}
	case attr:
		if s.method(fn, c, at) {
			return true
		}
	}
	if !isPath(c.fn) {
		return false
	}
	v, ok := s.eval(c.fn, at)
	if !ok {
		return false
	}
	switch v := v.(type) {
	case *external:
		return s.external(v.path, c, at)
	case *function:
		if s.templates[v.def] {
			s.inline(v, c, at)
			return true
		}
	case *class:
		s.construct(v, c, at)
	}
	return false
}

// isPath reports whether an expression consists of names and dots.
func isPath(x expr) bool {
	for {
		switch inner := x.(type) {
		case name:
			return true
		case attr:
			x = inner.x
		default:
			return false
		}
	}
}

// construct walks through the methods of an instance if they register what the
// constructor was given.
func (s *scanner) construct(v *class, c *call, at *scope) {
	chain, _ := s.bases(v)
	for _, k := range chain {
		for _, st := range k.def.body {
			if st.kind == defStatement && s.templates[st] {
				s.inlineBody(
					&function{def: st, scope: k.scope, self: &instance{class: v, node: c, scope: at}},
					nil,
					nil,
				)
			}
		}
	}
}

// inline walks through a function with the arguments of a call.
func (s *scanner) inline(f *function, c *call, at *scope) { s.inlineBody(f, c.args, at) }

const maxInlined = 5000 // calls that are walked through

func (s *scanner) inlineBody(f *function, args []argument, at *scope) {
	if s.inlined++; s.inlined > maxInlined || len(s.within) > 6 || slices.Contains(s.within, f.def) {
		return
	}
	before := len(s.found)
	s.within = append(s.within, f.def)
	s.statements(f.def.body, s.callScope(f, args, at))
	s.within = s.within[:len(s.within)-1]
	if len(s.found) > before {
		s.resolved[f.def] = true
	}
}

// method handles calls of methods of a server and of Tool.
func (s *scanner) method(fn attr, c *call, at *scope) bool {
	switch fn.name {
	case "tool":
		if len(c.args) == 0 || c.args[0].name != "" || !s.isServer(fn.x, at) {
			return false
		}
		if v, ok := s.eval(c.args[0].value, at); ok {
			if _, isFunction := v.(*function); isFunction {
				s.registerArgument(fn.x, c.args[1:], c.args[0].value, at)
				return true
			}
		}
	case "add_tool":
		if len(c.args) > 0 && s.isServer(fn.x, at) {
			return s.added(fn.x, c, at)
		}
	case "from_function":
		if len(c.args) > 0 && isToolType(s.outside(fn.x, at)) {
			s.registerArgument(nil, withoutFunction(c.args), argumentOf(c.args, 0, "fn"), at)
			return true
		}
	case "mount", "import_server":
		s.mounted(fn.x, c, at)
	case "from_openapi", "from_fastapi", "as_proxy":
		if strings.Contains(s.outside(fn.x, at), "MCP") {
			s.partial = true
		}
	}
	return false
}

// outside returns the path of an external, "" for anything else.
func (s *scanner) outside(x expr, at *scope) string {
	v, _ := s.eval(x, at)
	if e, ok := v.(*external); ok {
		return e.path
	}
	return ""
}

func withoutFunction(args []argument) []argument {
	out := slices.Clone(args)
	if len(out) > 0 && out[0].name == "" {
		return out[1:]
	}
	return slices.DeleteFunc(out, func(a argument) bool { return a.name == "fn" })
}

// added handles X.add_tool(function or tool, ...).
func (s *scanner) added(server expr, c *call, at *scope) bool {
	v, ok := s.eval(c.args[0].value, at)
	if ok {
		switch v := v.(type) {
		case *function:
			s.registerArgument(server, withoutFunction(c.args), c.args[0].value, at)
			return true
		case *made:
			if at.module.scope != v.scope && v.scope.module == at.module {
				s.expression(v.node, v.scope)
			}
			return false
		}
		return false
	}
	if _, isAttribute := c.args[0].value.(attr); isAttribute || len(c.args) > 1 {
		s.registerArgument(server, withoutFunction(c.args), c.args[0].value, at)
		return true
	}
	if _, isName := c.args[0].value.(name); isName {
		s.unresolved()
	}
	return false
}

// unresolved notes a registration whose name is not constant. If it stands in a
// function, calls of the function may say the name.
func (s *scanner) unresolved() {
	s.pending = append(s.pending, slices.Clone(s.within))
	for _, def := range s.within {
		if len(def.params) > 0 {
			s.templates[def] = true
		}
	}
}

// isToolType reports whether the path of an external may be MCP's or FastMCP's
// Tool.
func isToolType(path string) bool {
	switch last(path) {
	case "Tool", "FunctionTool", "MCPTool", "McpTool":
	default:
		return false
	}
	lower := strings.ToLower(path)
	return !strings.Contains(path, ".") || strings.Contains(lower, "mcp") || strings.Contains(lower, "types")
}

// external handles calls of what is outside the files.
func (s *scanner) external(path string, c *call, at *scope) bool {
	switch last(path) {
	case "FastApiMCP", "create_proxy", "DjangoMCP":
		s.partial = true
		return false
	}
	if !isToolType(path) {
		return false
	}
	return s.object(func(keys ...string) (expr, any, bool) {
		for _, key := range keys {
			if x := argumentOf(c.args, -1, key); x != nil {
				v, ok := s.eval(x, at)
				return x, v, ok
			}
			if v, ok := s.keyword(c.args, -1, key, at); ok {
				return literal{v}, v, true
			}
		}
		return nil, nil, false
	}, at)
}

// described handles a dictionary that has the members of a tool in MCP.
func (s *scanner) described(x mapping, at *scope) bool {
	get := func(keys ...string) (expr, any, bool) {
		for i, key := range x.keys {
			if l, ok := key.(literal); ok &&
				slices.ContainsFunc(keys, func(k string) bool { return l.value == k }) {
				v, ok := s.eval(x.values[i], at)
				return x.values[i], v, ok
			}
		}
		return nil, nil, false
	}
	if input, _, _ := get("inputSchema"); input == nil {
		return false
	}
	return s.object(get, at)
}

// object notes a tool that is given by its members. The function get returns
// the expression of a member, nil without one, and its value.
func (s *scanner) object(get func(keys ...string) (expr, any, bool), at *scope) bool {
	nameExpr, v, ok := get("name")
	input, schemaValue, constantSchema := get("inputSchema", "input_schema", "parameters")
	if nameExpr == nil || input == nil {
		return false
	}
	id, isText := constant(v)
	if !ok || !isText || !isToolName(id) {
		s.unresolved()
		return true
	}
	t := registry.Tool{Name: id}
	if _, v, ok := get("description"); ok {
		t.Description, _ = constant(v)
		t.Description = strings.TrimSpace(t.Description)
	}
	if _, v, ok := get("title"); ok {
		t.Title, _ = constant(v)
	}
	if x, v, ok := get("annotations"); ok {
		s.annotate(&t, x, v, at)
	}
	if c, isClass := schemaValue.(*class); isClass && constantSchema {
		t.InputSchema = s.model(c, 0).Encode()
	} else {
		t.InputSchema = s.lenient(input, at).Encode()
	}
	s.found = append(s.found, found{tool: t})
	return true
}

func isToolName(s string) bool {
	return s != "" && len(s) <= 128 && !strings.ContainsAny(s, " \t\r\n\"'`{}<>()[]")
}

// annotate adds ToolAnnotations(...) or a dictionary of hints.
func (s *scanner) annotate(t *registry.Tool, x expr, v any, at *scope) {
	get := func(key string) (any, bool) { return nil, false }
	switch v := v.(type) {
	case *made:
		get = func(key string) (any, bool) { return s.keyword(v.node.args, -1, key, v.scope) }
	case *schema.Object:
		get = func(key string) (any, bool) { return v.Get(key), v.Has(key) }
	default:
		return
	}
	var out registry.ToolAnnotations
	any := false
	for key, hint := range map[string]**bool{
		"readOnlyHint": &out.ReadOnly, "destructiveHint": &out.Destructive,
		"idempotentHint": &out.Idempotent, "openWorldHint": &out.OpenWorld,
		"read_only_hint": &out.ReadOnly, "destructive_hint": &out.Destructive,
		"idempotent_hint": &out.Idempotent, "open_world_hint": &out.OpenWorld,
	} {
		if v, ok := get(key); ok {
			if b, isBool := v.(bool); isBool {
				*hint, any = &b, true
			}
		}
	}
	if any {
		t.Annotations = &out
	}
	if v, ok := get("title"); ok && t.Title == "" {
		t.Title, _ = constant(v)
	}
}

// mounted notes X.mount(server, prefix) in any order of the arguments.
func (s *scanner) mounted(parent expr, c *call, at *scope) {
	var child *call
	m := mount{known: true}
	for i, a := range c.args {
		v, ok := s.eval(a.value, at)
		switch a.name {
		case "", "server", "prefix", "namespace":
		default:
			continue
		}
		if node := serverNode(v); node != nil {
			child = node
			continue
		}
		text, isText := constant(v)
		switch {
		case ok && isText:
			m.prefix = text
		case ok && v == nil:
		case i < 2 || a.name != "":
			m.known = false
		}
	}
	if child == nil {
		return
	}
	v, _ := s.eval(parent, at)
	m.parent = serverNode(v)
	if m.parent != child {
		s.mounts[child] = m
	}
}

// serverNode returns the call that made a server, its identity.
func serverNode(v any) *call {
	switch v := v.(type) {
	case *made:
		return v.node
	case *instance:
		return v.node
	}
	return nil
}

// isServer reports whether an expression with a method "tool" is an MCP server.
// A name that says nothing counts in files that import something of MCP.
func (s *scanner) isServer(x expr, at *scope) bool {
	if v, ok := s.eval(x, at); ok {
		switch v := v.(type) {
		case *made:
			base := strings.ToLower(v.path)
			return strings.Contains(base, "mcp") || last(base) == "server" ||
				at.module.usesMCP && v.path == last(v.path) && !isOtherAgent(base)
		case *instance:
			return s.isServerClass(v.class) || at.module.usesMCP && isName(x, "self")
		case *function, *class, string, []any:
			return false
		}
	}
	if b := s.parameter(x, at); b != nil && b.annotation != nil {
		if v, _ := s.eval(b.annotation, at); v != nil {
			if e, isExternal := v.(*external); isExternal && last(e.path) != "Any" && last(e.path) != "object" {
				lower := strings.ToLower(e.path)
				return strings.Contains(lower, "mcp") || strings.Contains(lower, "server")
			}
		}
	}
	id := strings.ToLower(lastName(x))
	return strings.Contains(id, "mcp") || at.module.usesMCP && !isOtherAgent(id)
}

func (s *scanner) isServerClass(c *class) bool {
	chain, outside := s.bases(c)
	return slices.ContainsFunc(outside, func(path string) bool {
		return strings.Contains(strings.ToLower(path), "mcp")
	}) || slices.ContainsFunc(chain, func(c *class) bool {
		lower := strings.ToLower(c.def.name)
		return strings.Contains(lower, "mcp") || strings.Contains(lower, "server")
	})
}

func (s *scanner) parameter(x expr, at *scope) *binding {
	id, ok := x.(name)
	if !ok {
		return nil
	}
	for ; at != nil; at = at.parent {
		if list := at.names[id.id]; len(list) > 0 {
			return list[0]
		}
	}
	return nil
}

// isOtherAgent reports whether a name is one of clients, whose tools are not
// those of a server.
func isOtherAgent(id string) bool {
	for _, word := range []string{"agent", "llm", "graph", "client", "langchain", "chain"} {
		if strings.Contains(id, word) {
			return true
		}
	}
	return false
}

func lastName(x expr) string {
	switch x := x.(type) {
	case name:
		return x.id
	case attr:
		return x.name
	case *call:
		return lastName(x.fn)
	}
	return ""
}
