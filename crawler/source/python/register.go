package python

import (
	"slices"
	"strings"

	"mcpcensus/crawler/source/listing"
	"mcpcensus/crawler/source/schema"
	"mcpcensus/internal/registry"
)

// decorated registers a function with a decorator of a server.
func (s *scanner) decorated(f *function, at *scope) {
	for _, d := range f.def.decorators {
		fn, args := d, []argument(nil)
		if c, ok := d.(*call); ok {
			fn, args = c.fn, c.args
		}
		if a, ok := fn.(attr); ok && a.name == "tool" && s.isServer(a.x, at) {
			s.register(a.x, args, f, at)
			return
		}
		if a, ok := fn.(attr); ok && a.name == "call_tool" {
			s.handlers = append(s.handlers, f)
			return
		}
		v, _ := s.eval(fn, at)
		e, isExternal := v.(*external)
		own, _ := v.(*function)
		switch {
		case isExternal && isDecorator(e.path):
			s.register(nil, args, f, at)
			return
		case s.decorates(d, f, at):
			return
		case !isExternal && v != nil && strings.HasSuffix("_"+lastName(fn), "_tool"):
			s.aside(func() { s.register(nil, named(own, args), f, at) })
		}
	}
}

// decorates walks through a decorator of the files as called with f. It reports whether that
// registers a tool.
func (s *scanner) decorates(d expr, f *function, at *scope) bool {
	v, _ := s.eval(d, at)
	decorator, isFunction := v.(*function)
	if !isFunction || s.calls >= maxCalls {
		return false
	}
	s.calls++
	defer func() { s.calls-- }()
	before := len(s.found)
	s.applied[decorator.def] = true
	s.inside(decorator.def, s.callScope(decorator, []argument{{value: literal{f}}}, at))
	return len(s.found) > before
}

// named returns the arguments of a decorator without the first positional one, unless that is the
// name of the tool.
func named(decorator *function, args []argument) []argument {
	if len(args) == 0 || args[0].name != "" || decorator != nil && len(decorator.def.params) > 0 &&
		strings.HasSuffix(decorator.def.params[0].name, "name") {
		return args
	}
	return args[1:]
}

// isDecorator reports whether an external is a decorator of MCP tools that requires no server.
func isDecorator(path string) bool {
	lower := strings.ToLower(path)
	switch last(lower) {
	case "mcp_tool":
		return true
	case "tool":
		return strings.Contains(lower, "fastmcp") || strings.HasPrefix(lower, "mcp.")
	}
	return false
}

// registerArgument registers the function that an expression names.
func (s *scanner) registerArgument(server expr, args []argument, x expr, at *scope) {
	v, _ := s.eval(x, at)
	f, _ := v.(*function)
	s.register(server, args, f, at)
}

// register adds a function that is registered with these arguments. f is nil if it is
// unknown.
func (s *scanner) register(server expr, args []argument, f *function, at *scope) {
	if v, ok := s.keyword(args, -1, "enabled", at); ok && v == false {
		return
	}
	id := ""
	if f != nil {
		inside := f.scope
		if f.self != nil {
			inside = f.self.class.body
		}
		f, _ = s.wrapped(f, inside).(*function)
	}
	if f != nil {
		v, _ := s.attribute(f, "__name__")
		id, _ = constant(v)
	}
	if x := argumentOf(args, 0, "name"); x != nil {
		v, ok := s.eval(x, at)
		text, isText := constant(v)
		switch {
		case ok && isText:
			id = text
		case !ok || v != nil:
			id = ""
		}
	} else if v, ok := s.keyword(args, -1, "name", at); ok {
		id, _ = constant(v)
	}
	if !listing.IsName(id) {
		s.partial, s.indirect = true, s.indirect || f != nil
		return
	}
	t := registry.Tool{Name: id}
	s.texts(&t, args, f, at)
	if f != nil {
		v, _ := s.keyword(args, -1, "exclude_args", at)
		excluded, _ := v.([]any)
		o := s.signature(f, excluded)
		if s.fastMCP >= 3 {
			s.documented(&t, o, f)
		}
		t.InputSchema = o.Encode()
	}
	var of any
	if server != nil {
		of, _ = s.eval(server, at)
		s.partial = s.partial || s.isForeign(server, at, 0)
		id, _ := server.(name)
		if n := len(s.within); n > 0 && serverNode(of) == nil && s.within[n-1].parameter(id.id) >= 0 {
			s.given[s.within[n-1]] = id.id
		}
	}
	s.add(t, serverNode(of), f)
}

// isForeign reports whether an expression is a server, or a part of an object, that a package other
// than those of the SDK makes: it may have tools of its own.
func (p *program) isForeign(x expr, s *scope, depth int) bool {
	if p.steps++; depth > maxSettingDepth || p.exhausted() {
		return false
	}
	path := ""
	switch v, _ := p.eval(x, s); v := v.(type) {
	case *made:
		path = v.path
	case *external:
		path = v.path
	}
	if strings.Contains(path, ".") {
		return !isSDK(path)
	}
	switch x := x.(type) {
	case attr:
		return p.isForeign(x.x, s, depth+1)
	case name:
		return slices.ContainsFunc(s.lookup(x.id), func(b *binding) bool {
			return b.x != nil && !b.busy && p.isForeign(b.x, b.scope, depth+1)
		})
	}
	return false
}

// documented sets descriptions that the registration lacks from the docstring of a function, as
// FastMCP does.
func (s *scanner) documented(t *registry.Tool, o *schema.Object, f *function) {
	v, _ := s.attribute(f, "__doc__")
	doc, _ := constant(v)
	d := documented(doc)
	if doc == "" || s.fastMCP == 3 && len(d.parameters) == 0 {
		return
	}
	if t.Description == doc {
		t.Description = d.text
	}
	properties, _ := o.Get("properties").(*schema.Object)
	for name, text := range d.parameters {
		p, isKnown := properties.Get(name).(*schema.Object)
		if isKnown && text != "" && !p.Has("description") {
			p = p.Clone()
			p.Set("description", text)
			properties.Set(name, p)
		}
	}
}

// texts sets title, description and annotations. Without a description in the registration, it is
// the function's docstring.
func (s *scanner) texts(t *registry.Tool, args []argument, f *function, at *scope) {
	if v, ok := s.keyword(args, -1, "title", at); ok {
		t.Title, _ = constant(v)
	}
	stated := argumentOf(args, -1, "description")
	v, ok := s.keyword(args, -1, "description", at)
	text, isText := constant(v)
	t.DescriptionUnread = stated != nil && !isText
	switch {
	case ok && isText && text != "":
		t.Description = strings.TrimSpace(text)
	case f != nil && (stated == nil || ok):
		v, _ := s.attribute(f, "__doc__")
		t.Description, _ = constant(v)
	}
	v, _ = s.keyword(args, -1, "annotations", at)
	s.annotate(t, v)
	for _, a := range args {
		if v, _ := s.eval(a.value, at); v == true || v == false {
			listing.SetHint(t, a.name, v == true)
		}
	}
}
