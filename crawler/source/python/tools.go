// Package python reads the tools of an MCP server from its Python source: functions registered
// with FastMCP or the SDK, and Tool objects. It is one package because expressions, imports,
// annotations and registrations of tools are evaluated by each other.
package python

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"mcpcensus/crawler/source/listing"
	"mcpcensus/crawler/source/schema"
	"mcpcensus/internal/registry"
)

// Tools returns the tools that the files register, each once, in the order of the paths and of
// the text. partial reports that some names are not constant, or that a limit was reached. The
// files must not include tests and examples. steps may be nil.
func Tools(files map[string]string, steps *listing.Reading) (tools []registry.Tool, partial bool) {
	s := &scanner{program: load(files, steps.Within(maxTotal)), callsOf: listing.Calls[*statement]{},
		mounts: map[*call]mount{}, given: map[*statement]string{}, passed: map[*statement][]passing{},
		templates: map[*statement]bool{}, applied: map[*statement]bool{}}
	s.relevant = s.program.relevant()
	s.surveyModules()
	ended := true
	defer func() { steps.Spend(s.total+s.steps, ended) }()
	s.modules()
	s.nameMounted()
	if len(s.templates) > 0 {
		s.second, s.found, s.candidates, s.partial = true, nil, nil, false
		s.modules()
		for def := range s.templates {
			s.partial = s.partial || !s.applied[def]
		}
	}
	if (s.partial || len(s.found) == 0) && len(s.candidates) > 0 &&
		slices.ContainsFunc(s.order, func(m *module) bool { return m.usesMCP }) {
		for i := range s.candidates {
			if s.indirect {
				s.candidates[i].tool.InputSchema = nil
			}
		}
		s.found, s.partial = append(s.found, s.candidates...), true
	}
	list := listing.Tools{Reading: steps, Partial: s.partial, Filtered: s.filtered}
	ended = s.ended || s.exhausted()
	e := newEffects(s.program)
	for _, f := range s.handlers {
		e.dispatch(f)
	}
	for _, f := range s.found {
		if s.applied[f.template] {
			continue // found again with the arguments of the calls
		}
		name, around := f.tool.Name, s.callsOf.Around(f.within, f.branches)
		for of, depth := f.server, 0; s.mounts[of].in != nil && depth < maxCalls; depth++ {
			m := s.mounts[of]
			if m.prefix != "" {
				f.tool.Name = m.prefix + "_" + f.tool.Name
			}
			around, of = slices.Concat(m.around, around), m.in
		}
		list.Add(f.tool, around)
		list.Does(f.tool.Name, e.ofTool(name, f.handler))
	}
	e.touch(steps)
	return list.Conditional(), list.Partial
}

// found is a registered tool, and the call that created its server, nil if unknown.
type found struct {
	tool     registry.Tool
	server   *call
	within   []*statement     // the functions around the registration, outermost first
	branches []listing.Branch // in the innermost function
	template *statement       // that was walked through without arguments, or nil
	handler  *function        // nil if unknown
}

// add adds a tool that the current statement registers.
func (s *scanner) add(t registry.Tool, server *call, handler *function) {
	isApplied := func(def *statement) bool { return slices.Contains(s.applying, def) }
	within := slices.DeleteFunc(slices.Clone(s.within), isApplied)
	s.found = append(s.found, found{t, server, within, slices.Clone(s.branches), s.template, handler})
}

// A scanner collects the registrations in all statements.
type scanner struct {
	*program
	found    []found
	relevant map[*statement]bool // that may register tools
	// candidates are definitions that count only if other tools are registered with unknown
	// names, or none.
	candidates []found
	mounts     map[*call]mount // of servers in others
	partial    bool
	filtered   bool // when tools are listed
	indirect   bool // functions of the files with unknown names are registered for candidates
	nesting    int  // of function bodies

	// templates are functions that register tools named by their parameters, or under conditions
	// on them. Their calls are walked in the second pass.
	templates map[*statement]bool
	template  *statement          // the outermost one that is walked through without arguments
	applied   map[*statement]bool // templates that are called
	second    bool                // the second pass
	ended     bool                // a limit of steps was reached

	given  map[*statement]string    // the parameter of a function on which it registers tools
	passed map[*statement][]passing // the calls of functions, in the first pass

	handlers []*function      // of the calls of all tools
	branches []listing.Branch // around the current statement, in its function
	within   []*statement     // the functions around the current statement
	applying []*statement     // those of within whose branches are those of the call
	callsOf  listing.Calls[*statement]
}

func (s *scanner) modules() {
	for _, m := range s.order {
		before := len(s.found)
		for i := range m.body {
			s.ended = s.ended || s.exhausted()
			s.total += s.steps
			s.steps = 0
			s.statements(m.body[i:i+1], m.scope)
		}
		for i, around := before, s.importedIn(m); i < len(s.found); i++ {
			s.found[i].branches = slices.Concat(around, s.found[i].branches)
		}
	}
}

func (s *scanner) statements(body []*statement, at *scope) {
	var chain branches
	for i, st := range body {
		if s.exhausted() {
			s.partial = true
			return
		}
		if st.kind != blockStatement {
			if s.relevant[st] {
				s.statement(st, at)
			}
			continue
		}
		tests := chain.tests(st)
		if s.relevant[st] {
			s.guarded(tests, st, at, func() { s.statement(st, at) })
		}
		if st.name == "if" && st.leaves() && !continues(body[i+1:]) {
			if !slices.ContainsFunc(body[i+1:], func(st *statement) bool { return s.relevant[st] }) {
				return
			}
			s.guarded([]expr{unary{"not", st.value}}, st, at, func() { s.statements(body[i+1:], at) })
			return
		}
	}
}

// leaves reports whether a block ends the one around it.
func (st *statement) leaves() bool {
	n := len(st.body)
	return n > 0 && (st.body[n-1].kind == returnStatement || st.body[n-1].kind == leaveStatement)
}

// continues reports whether statements begin with another branch of the same chain.
func continues(body []*statement) bool {
	return len(body) > 0 && (body[0].name == "elif" || body[0].name == "else") && body[0].kind == blockStatement
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
		s.loop(&comprehension{target: st.targets[0], iter: st.value, body: st.body}, at)
	default:
		s.expression(st.value, at)
		s.statements(st.body, at)
		s.listed(st, at)
	}
}

// listed adds the functions in a list that is named after tools.
func (s *scanner) listed(st *statement, at *scope) {
	if st.kind != assignStatement || at.parent != nil || len(st.targets) != 1 ||
		!strings.Contains(strings.ToLower(lastName(st.targets[0])), "tools") {
		return
	}
	v, _ := s.eval(st.value, at)
	list, _ := v.([]any)
	for _, item := range list {
		if f, ok := item.(*function); ok {
			s.aside(func() { s.register(nil, nil, f, at) })
		}
	}
}

const maxBodies = 20 // nested functions

// body walks through a function whose parameters are unknown.
func (s *scanner) body(f *function) {
	if s.nesting > maxBodies {
		return
	}
	before := s.partial
	s.partial = false
	s.nesting++
	at := s.callScope(f, nil, nil)
	for _, param := range f.def.params { // a flag may be set by calls
		if l, ok := param.value.(literal); ok && (l.value == true || l.value == false) {
			at.names[param.name] = []*binding{{scope: at, annotation: param.annotation}}
		}
	}
	outer := s.template
	if s.second && s.template == nil && s.templates[f.def] {
		s.template = f.def
	}
	s.inside(f.def, at)
	s.template = outer
	s.nesting--
	if s.partial && !s.second {
		s.templates[f.def] = true
	}
	s.partial = before || s.partial && !s.templates[f.def]
}

// apply walks through a template as called.
func (s *scanner) apply(f *function, c *call, at *scope) {
	if !s.second || !s.templates[f.def] || s.calls >= maxCalls {
		return
	}
	s.calls++
	s.applied[f.def] = true
	s.within, s.applying = append(s.within, f.def), append(s.applying, f.def)
	s.statements(f.def.body, s.callScope(f, c.args, at))
	s.within, s.applying = s.within[:len(s.within)-1], s.applying[:len(s.applying)-1]
	s.calls--
}

// inside walks through the body of a function.
func (s *scanner) inside(def *statement, at *scope) {
	branches := s.branches
	s.branches, s.within = nil, append(s.within, def)
	s.statements(def.body, at)
	s.branches, s.within = branches, s.within[:len(s.within)-1]
}

// class walks through the methods of a class, and again for each subclass that does not override
// them.
func (s *scanner) class(c *class) {
	self := &instance{class: c}
	for _, st := range c.def.body {
		if st.kind != defStatement {
			s.statement(st, c.body)
			continue
		}
		if (st.name == "tool" || st.name == "add_tool") && s.extendsServer(c) {
			continue // its calls are registrations
		}
		f := &function{def: st, scope: c.body, self: self}
		s.decorated(f, c.body)
		f.scope = c.scope
		partial := s.partial
		if len(s.subclasses[c.def]) == 0 || !hasDecorator(st, "classmethod") {
			s.body(f)
		}
		if len(s.subclasses[c.def]) > 0 {
			s.partial = partial // names may be those of the subclasses
			delete(s.templates, st)
		}
		for _, sub := range s.subclasses[c.def] {
			if len(sub.body.names[st.name]) == 0 {
				s.body(&function{def: st, scope: c.scope, self: &instance{class: sub}})
			}
		}
	}
}

// findSubclasses sets subclasses, including indirect ones.
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

// expression finds the registrations in an expression.
func (s *scanner) expression(x expr, at *scope) {
	switch x := x.(type) {
	case *call:
		if s.called(x, at) {
			return
		}
	case mapping:
		if s.described(x, at) {
			return
		}
	case *comprehension:
		s.loop(x, at)
		return
	}
	for _, part := range parts(x) {
		s.expression(part, at)
	}
}

// loop walks through the element or the body once for each element of a constant list, or once
// with an unknown element.
func (s *scanner) loop(x *comprehension, at *scope) {
	s.expression(x.iter, at)
	list, ok := s.iterate(x.iter, at)
	if !ok {
		list = []any{unknown{}}
	}
	for _, item := range list {
		if s.steps++; s.exhausted() {
			s.partial = true
			return
		}
		inner := newScope(at)
		if !inner.unpack(x.target, item) {
			inner.unknown(x.target)
		}
		inner.collect(x.body)
		if !s.fail(x.conditions, inner) {
			s.expression(x.element, inner)
			s.statements(x.body, inner)
		}
	}
}

// called handles a call. It reports true if the arguments need no walk.
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
	v, ok := s.eval(c.fn, at)
	if !ok {
		return false
	}
	if f, isFunction := v.(*function); isFunction {
		s.callsOf.Note(f.def, s.branches)
		if n := len(s.within); n > 0 && !s.second {
			s.passed[f.def] = append(s.passed[f.def], passing{s.within[n-1], f, c})
		}
		s.apply(f, c, at)
	}
	e, isExternal := v.(*external)
	return isExternal && s.external(e.path, c, at)
}

// method handles calls of methods of a server and of Tool.
func (s *scanner) method(fn attr, c *call, at *scope) bool {
	switch fn.name {
	case "tool", "add_tool":
		x := argumentOf(c.args, 0, "fn")
		return x != nil && s.isServer(fn.x, at) && s.added(fn, c, x, at)
	case "from_function":
		if len(c.args) > 0 && s.isToolClass(fn.x, at) {
			s.registerArgument(nil, withoutFunction(c.args), argumentOf(c.args, 0, "fn"), at)
			return true
		}
	case "mount", "import_server":
		s.mounted(c, fn.x, at)
	case "add_provider", "add_transform":
		s.partial = s.partial || s.isServer(fn.x, at) // its tools are not in the files, or have other names
	case "from_openapi", "from_fastapi", "as_proxy":
		if strings.Contains(s.outside(fn.x, at), "MCP") {
			s.partial = true
		}
	}
	return false
}

// outside returns the path of an external, or "".
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

// added handles X.add_tool(function or tool, ...) and X.tool(function, ...).
func (s *scanner) added(method attr, c *call, x expr, at *scope) bool {
	v, ok := s.eval(x, at)
	_, isFunction := v.(*function)
	_, isAttribute := x.(attr)
	_, isName := x.(name)
	unknown := !ok && method.name == "add_tool"
	if isFunction || unknown && (isAttribute || len(c.args) > 1) {
		s.registerArgument(method.x, withoutFunction(c.args), x, at)
		return true
	}
	s.partial = s.partial || unknown && isName
	return false
}

// isToolClass reports whether an expression is the Tool of MCP or FastMCP, or a class that inherits
// from it.
func (s *scanner) isToolClass(x expr, at *scope) bool {
	v, _ := s.eval(x, at)
	c, isClass := v.(*class)
	if !isClass {
		return isToolType(s.outside(x, at))
	}
	_, outside := s.bases(c)
	return slices.ContainsFunc(outside, isToolType)
}

// isToolType reports whether the path of an external may be the Tool of MCP or FastMCP.
func isToolType(path string) bool {
	switch last(path) {
	case "Tool", "FunctionTool", "MCPTool", "McpTool":
	default:
		return false
	}
	lower := strings.ToLower(path)
	return !strings.Contains(path, ".") || strings.Contains(lower, "mcp") || strings.Contains(lower, "types")
}

// external handles calls of functions from outside the files.
func (s *scanner) external(path string, c *call, at *scope) bool {
	switch last(path) {
	case "FastApiMCP", "create_proxy", "DjangoMCP":
		s.partial = true
		return false
	}
	if !isToolType(path) {
		return false
	}
	v, _ := s.dict(c, at)
	return s.object(v)
}

// aside adds the tools that a function registers as candidates.
func (s *scanner) aside(register func()) {
	before, partial := s.found, s.partial
	s.found = nil
	register()
	s.candidates, s.found, s.partial = append(s.candidates, s.found...), before, partial
}

// described handles a dictionary with the members of an MCP tool.
func (s *scanner) described(x mapping, at *scope) bool {
	if !slices.Contains(x.keys, expr(literal{"inputSchema"})) {
		return false
	}
	v, _ := s.mapping(x, at)
	return s.object(v)
}

// object adds a tool with the members of v.
func (s *scanner) object(v any) bool {
	o, _ := v.(*schema.Object)
	get := func(keys ...string) any {
		return o.Get(keys[max(slices.IndexFunc(keys, o.Has), 0)])
	}
	input := get("inputSchema", "input_schema", "parameters")
	if input == nil || !o.Has("name") {
		return false
	}
	id, _ := constant(get("name"))
	if !listing.IsName(id) {
		s.partial = true
		return true
	}
	t := registry.Tool{Name: id}
	text, isText := constant(get("description"))
	t.Description, t.DescriptionUnread = strings.TrimSpace(text), o.Has("description") && !isText
	t.Title, _ = constant(get("title"))
	s.annotate(&t, get("annotations"))
	if c, isClass := input.(*class); isClass {
		t.InputSchema = s.model(c, 0).Encode()
	} else {
		input, _ = plain(input)
		t.InputSchema = schema.Encode(input)
	}
	s.add(t, nil, nil)
	return true
}

// annotate adds ToolAnnotations(...) or a dictionary of hints.
func (s *scanner) annotate(t *registry.Tool, v any) {
	if m, isMade := v.(*made); isMade {
		v, _ = s.dict(m.node, m.scope)
	}
	o, _ := v.(*schema.Object)
	listing.SetHints(t, o.Keys(), func(name string) (is, known bool) {
		is, known = o.Get(name).(bool)
		return is, known
	})
	if title, isText := constant(o.Get("title")); isText && t.Title == "" {
		t.Title = title
	}
}

// A mount is the place of a server in another one.
type mount struct {
	in     *call
	prefix string
	around []listing.Branch
}

// A passing is a call of a function in another one.
type passing struct {
	from *statement
	to   *function
	call *call
}

// mounted handles X.mount(server, prefix), with its arguments in any order.
func (s *scanner) mounted(c *call, on expr, at *scope) {
	outer, _ := s.eval(on, at)
	m, isMade := outer.(*made)
	var child *call
	prefix := ""
	for _, a := range c.args {
		v, _ := s.eval(a.value, at)
		text, isText := constant(v)
		node := serverNode(v)
		switch {
		case node != nil:
			child = node
		case isText && (a.name == "" || a.name == "prefix" || a.name == "namespace"):
			prefix = text
		}
	}
	if child != nil && child != serverNode(outer) {
		s.mounts[child] = mount{cmp.Or(serverNode(outer), c), prefix, s.callsOf.Around(s.within, s.branches)}
	} else if isMade && isSDK(m.path) {
		s.partial = true
	}
}

// nameMounted makes templates of the functions that are given the server on which they register
// tools, and of those that pass it on, if the names depend on where a server is mounted.
func (s *scanner) nameMounted() {
	if !slices.ContainsFunc(slices.Collect(maps.Values(s.mounts)), func(m mount) bool { return m.prefix != "" }) {
		return
	}
	for queue := slices.Collect(maps.Keys(s.given)); len(queue) > 0; queue = queue[1:] {
		def := queue[0]
		s.templates[def] = true
		for _, p := range s.passed[def] {
			if id := p.argument(s.given[def]); s.given[p.from] == "" && p.from.parameter(id) >= 0 {
				s.given[p.from] = id
				queue = append(queue, p.from)
			}
		}
	}
}

// argument returns the variable that is passed for a parameter, "" for other expressions.
func (p passing) argument(id string) string {
	i := p.to.def.parameter(id)
	if p.to.self != nil {
		i--
	}
	arg, _ := argumentOf(p.call.args, i, id).(name)
	return arg.id
}

// parameter returns the index of a parameter, -1 for none.
func (st *statement) parameter(id string) int {
	return slices.IndexFunc(st.params, func(x parameter) bool { return x.name == id })
}

// serverNode returns the call that created a server, nil if unknown.
func serverNode(v any) *call {
	switch v := v.(type) {
	case *made:
		return v.node
	case *instance:
		return v.node
	}
	return nil
}

// isServer reports whether an expression with a method "tool" is an MCP server. In files that
// import MCP, a neutral name is assumed to be one.
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
	if isServer, known := s.hasServerType(x, at); known {
		return isServer
	}
	lower := strings.ToLower(lastName(x))
	return strings.Contains(lower, "mcp") || at.module.usesMCP && !isOtherAgent(lower)
}

// hasServerType reports whether the annotation of a parameter is the type of a server. known is
// false without an informative annotation.
func (s *scanner) hasServerType(x expr, at *scope) (isServer, known bool) {
	id, _ := x.(name)
	list := at.lookup(id.id)
	if len(list) == 0 || list[0].annotation == nil {
		return false, false
	}
	v, _ := s.eval(list[0].annotation, at)
	e, isExternal := v.(*external)
	if !isExternal || last(e.path) == "Any" || last(e.path) == "object" {
		return false, false
	}
	lower := strings.ToLower(e.path)
	return strings.Contains(lower, "mcp") || strings.Contains(lower, "server"), true
}

// extendsServer reports whether a class inherits from one of MCP that is not among the files.
func (s *scanner) extendsServer(c *class) bool {
	_, outside := s.bases(c)
	return slices.ContainsFunc(outside, func(path string) bool {
		return strings.Contains(strings.ToLower(path), "mcp")
	})
}

func (s *scanner) isServerClass(c *class) bool {
	chain, _ := s.bases(c)
	return s.extendsServer(c) || slices.ContainsFunc(chain, func(c *class) bool {
		lower := strings.ToLower(c.def.name)
		return strings.Contains(lower, "mcp") || strings.Contains(lower, "server")
	})
}

// isOtherAgent reports whether a name is one of clients, whose tools are not those of a server.
func isOtherAgent(id string) bool {
	words := []string{"agent", "llm", "graph", "client", "chain"}
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(id, word) })
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
