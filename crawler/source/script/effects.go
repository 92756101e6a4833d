package script

import (
	"maps"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/js"

	"mcpcensus/crawler/source/listing"
	"mcpcensus/internal/registry"
)

// A code is a function of the files, or a part of it.
type code struct {
	fn   *function
	part js.INode // nil for all
	this value    // of methods
}

// effects finds the effects of functions.
type effects struct {
	*interpreter
	listing.Code[code]
	branches map[string]code // parts of handlers of all tools, by the names of the tools
}

// infer notes the effects of the tools that are registered.
func (in *interpreter) infer() {
	if in.stopped {
		return
	}
	limit := in.limit
	defer func() { in.limit, in.stopped = limit, false }()
	in.limit = min(limit, in.steps+listing.StepsOfEffects)
	e := &effects{interpreter: in, branches: map[string]code{}}
	e.Code = listing.Code[code]{Language: listing.Script, Body: e.body,
		Exhausted: func() bool { return e.stopped }}
	for _, v := range in.tools.dispatchers {
		if fn, ok := v.(*function); ok {
			e.dispatch(fn)
		}
	}
	for _, name := range in.tools.Names() {
		c, ok := in.tools.handlers[name]
		if !ok {
			c, ok = e.branches[name]
		}
		if ok {
			in.tools.Does(name, e.Of(c))
		}
	}
}

// touch adds what the modules that were evaluated touch.
func (in *interpreter) touch(steps *listing.Reading) {
	limit, ended := in.limit, in.stopped
	defer func() { in.limit, in.stopped = limit, ended }()
	in.limit, in.stopped = min(limit, in.steps+listing.StepsOfEffects), false
	e := &effects{interpreter: in}
	t, found := registry.Touches{}, false
	for _, p := range slices.Sorted(maps.Keys(in.modules)) {
		m := in.modules[p]
		if m.ast == nil || !m.started {
			continue
		}
		r := e.reader(code{fn: &function{params: &js.Params{}, body: &m.ast.BlockStmt, module: m, scope: m.scope}})
		r.read()
		r.out.Touch(&t, listing.Script)
		found = true
	}
	if found {
		steps.Touch(t, !in.stopped && !ended)
	}
}

// handledBy notes the function that handles the calls of a tool.
func (c *collector) handledBy(name string, v, this value) {
	if fn, ok := v.(*function); ok {
		if _, known := c.handlers[name]; !known {
			c.handlers[name] = code{fn: fn, this: this}
		}
	}
}

// handlerOf returns the member of a definition that handles calls, nil if it has none.
func (in *interpreter) handlerOf(o *object) value {
	for _, k := range o.names() {
		p, _ := o.find(k)
		if fn, ok := p.value.(*function); ok && handlerName.MatchString(k) {
			return fn
		}
	}
	return nil
}

const maxHandlers = 20 // functions in which branches for single tools are sought

// dispatch notes the branches for single tools in a handler of all tools, and in the functions that
// it calls.
func (e *effects) dispatch(fn *function) {
	queue := []code{{fn: fn, this: fn.this}}
	for i := 0; i < len(queue) && i < maxHandlers; i++ {
		r := e.reader(queue[i])
		r.choose = true
		r.read()
		for _, into := range r.out.Into {
			if !slices.Contains(queue, into.To) {
				queue = append(queue, into.To)
			}
		}
	}
}

// branch notes the part of the current function for a tool.
func (r *codeReader) branch(name string, c code) {
	if _, known := r.branches[name]; !known && listing.IsName(name) {
		r.branches[name] = c
	}
}

func (e *effects) reader(c code) *codeReader {
	this := c.this
	if c.fn.arrow {
		this = c.fn.this
	}
	if home := c.fn.home; this == nil && home != nil {
		this = &object{proto: home.proto, class: home, open: true}
		if o := e.tools.instances[home]; o != nil {
			this = o
		}
	}
	r := &codeReader{effects: e, code: c, locals: map[*js.Var]value{}, from: map[*js.Var]uint64{}}
	r.frame = &frame{module: c.fn.module, scope: c.fn.scope, this: this, home: c.fn.home}
	r.out = &listing.Body[code]{File: c.fn.module.path, Line: r.syntax.line(c.fn.module.path, dataOf(c.fn.node))}
	return r
}

func (e *effects) body(c code) *listing.Body[code] {
	if e.stopped {
		return nil
	}
	r := e.reader(c)
	r.read()
	return r.out
}

// A codeReader reads the calls in the code of a function.
type codeReader struct {
	*effects
	code   code
	frame  *frame
	locals map[*js.Var]value
	from   map[*js.Var]uint64 // the parameters in variables
	choose bool               // note branches for single tools
	calls  bool               // note calls
	depth  int
	out    *listing.Body[code]
}

// read reads the variables of the whole function, and the calls in the part.
func (r *codeReader) read() {
	for i, p := range r.code.fn.params.List[:min(len(r.code.fn.params.List), 64)] {
		r.bind(p.Binding, unknownValue, 1<<i)
	}
	js.Walk(r, r.code.fn.body)
	r.calls = true
	if r.code.part != nil {
		js.Walk(r, r.code.part)
	} else {
		js.Walk(r, r.code.fn.body)
	}
}

// A beginning is the text with which the value of a variable begins.
type beginning string

// Enter implements [js.IVisitor].
func (r *codeReader) Enter(n js.INode) js.IVisitor {
	if r.depth > maxDepth || !r.step() || passesOn(n) {
		return nil
	}
	r.depth++
	switch n := n.(type) {
	case *js.VarDecl:
		for _, e := range n.List {
			if e.Default != nil {
				r.bind(e.Binding, r.declared(e.Default, n.TokenType == js.ConstToken), r.given(e.Default))
			}
		}
	case *js.BinaryExpr:
		if v, ok := n.X.(*js.Var); ok && n.Op == js.EqToken {
			r.from[root(v)] |= r.given(n.Y)
			if _, begins := r.locals[root(v)].(beginning); begins {
				delete(r.locals, root(v))
			}
		}
	}
	if r.calls {
		r.note(n)
	}
	if r.choose {
		r.choices(n)
	}
	return r
}

// declared returns the first value of a variable, or the text with which it begins.
func (r *codeReader) declared(x js.IExpr, isConstant bool) value {
	v := r.value(x)
	s, whole := r.texts(x)
	switch {
	case s == "" || !isUnknown(v):
		return v
	case whole && isConstant:
		return s
	}
	return beginning(s)
}

// passesOn reports whether the addresses in a member or a variable are only passed on; see
// [listing.PassesOn].
func passesOn(n js.INode) bool {
	name, value := "", js.IExpr(nil)
	switch n := n.(type) {
	case *js.Property:
		if n.Name != nil && n.Name.Computed == nil {
			name, value = propertyName(n.Name), n.Value
		}
	case *js.BindingElement:
		if v, ok := n.Binding.(*js.Var); ok {
			name, value = string(v.Name()), n.Default
		}
	}
	switch value.(type) {
	case *js.LiteralExpr, *js.ArrayExpr, *js.ObjectExpr:
		return listing.PassesOn(name)
	}
	return false
}

// Exit implements [js.IVisitor].
func (r *codeReader) Exit(js.INode) { r.depth-- }

// note notes calls and texts.
func (r *codeReader) note(n js.INode) {
	switch n := n.(type) {
	case *js.CallExpr:
		r.call(n, n.X, &n.Args)
	case *js.NewExpr:
		r.call(n, n.X, n.Args)
	case *js.ImportStmt:
		r.imports(unquote(n.Module), r.line(n.Module))
	case *js.LiteralExpr:
		if n.TokenType == js.StringToken {
			r.text(unquote(n.Data), n.Data)
		}
	case *js.TemplateExpr:
		if n.Tag != nil {
			r.call(n, n.Tag, nil)
		}
		s, _ := r.texts(n)
		r.text(s, slices.Concat(n.List, []js.TemplatePart{{Value: n.Tail}})[0].Value)
	default:
		r.options(n)
	}
}

// options notes the method of a request in its options.
func (r *codeReader) options(n js.INode) {
	switch n := n.(type) {
	case *js.Property:
		if n.Name != nil && n.Name.Computed == nil && propertyName(n.Name) == "method" && n.Value != nil {
			r.option(n.Value, n.Name.Literal.Data)
		}
	case *js.BinaryExpr:
		if d, ok := n.X.(*js.DotExpr); ok && n.Op == js.EqToken && dotName(d) == "method" {
			name, _ := d.Y.(js.LiteralExpr)
			r.option(n.Y, name.Data)
		}
	}
}

// option notes the method of a request.
func (r *codeReader) option(method js.IExpr, at []byte) {
	out := listing.Call{Line: r.line(at)}
	r.argument(&out, "method", method)
	r.out.Calls = append(r.out.Calls, out)
}

func (r *codeReader) text(s string, at []byte) {
	r.out.Texts = append(r.out.Texts, listing.Text{Text: s, Line: r.line(at)})
}

func (r *codeReader) line(at []byte) int { return r.syntax.line(r.frame.module.path, at) }

// choices notes the parts whose condition is the name of a tool.
func (r *codeReader) choices(n js.INode) {
	switch n := n.(type) {
	case *js.SwitchStmt:
		for i := range n.List {
			body := i
			for body+1 < len(n.List) && len(n.List[body].List) == 0 {
				body++
			}
			r.part(n.List[i].Cond, &n.List[body])
		}
	case *js.IfStmt:
		if b, ok := unwrap(n.Cond).(*js.BinaryExpr); ok && tests[b.Op] == listing.Same {
			r.part(b.Y, n.Body)
			r.part(b.X, n.Body)
		}
	case *js.Property:
		if n.Name != nil && n.Name.Computed == nil && isFunctionNode(n.Value) {
			r.branch(propertyName(n.Name), code{r.code.fn, n.Value, r.frame.this})
		}
	case *js.IndexExpr:
		if o, ok := r.value(n.X).(*object); ok {
			r.table(o)
		}
	}
}

// part notes the part for the tool that an expression names.
func (r *codeReader) part(x js.IExpr, n js.INode) {
	if x == nil {
		return
	}
	if s, ok := r.texts(x); ok {
		r.branch(s, code{r.code.fn, n, r.frame.this})
	}
}

// table notes the functions in an object by the names of tools.
func (r *codeReader) table(o *object) {
	for _, k := range o.keys {
		var v, this value = o.own(k), o
		if m, ok := v.(*object); ok {
			v, this = r.handlerOf(m), m
		}
		if fn, ok := v.(*function); ok {
			r.branch(k, code{fn: fn, this: this})
		}
	}
}

func isFunctionNode(x js.IExpr) bool {
	switch x.(type) {
	case *js.ArrowFunc, *js.FuncDecl, *js.MethodDecl:
		return true
	}
	return false
}

func propertyName(n *js.PropertyName) string {
	if n.Literal.TokenType == js.StringToken {
		return unquote(n.Literal.Data)
	}
	return string(n.Literal.Data)
}

// bind sets the variables of a pattern.
func (r *codeReader) bind(b js.IBinding, v value, bits uint64) {
	switch b := b.(type) {
	case *js.Var:
		if _, isKnown := r.locals[root(b)]; !isKnown || !isUnknown(v) {
			r.locals[root(b)] = v
		}
		r.from[root(b)] |= bits
	case *js.BindingObject:
		for _, item := range b.List {
			var m value = unknownValue
			if item.Key != nil && item.Key.Computed == nil {
				m = named(v, propertyName(item.Key), r)
			} else if x, ok := item.Value.Binding.(*js.Var); ok {
				m = named(v, string(x.Name()), r)
			}
			r.bind(item.Value.Binding, m, bits)
		}
		if b.Rest != nil {
			r.bind(b.Rest, unknownValue, bits)
		}
	case *js.BindingArray:
		for _, item := range b.List {
			r.bind(item.Binding, unknownValue, bits)
		}
	}
}

// value returns the value of an expression that only names something.
func (r *codeReader) value(x js.IExpr) value {
	if !r.step() {
		return unknownValue
	}
	switch x := unwrap(x).(type) {
	case *js.Var:
		if v, ok := r.locals[root(x)]; ok {
			return v
		}
		return r.variable(r.frame, x)
	case *js.LiteralExpr:
		if x.TokenType == js.ThisToken {
			return r.frame.this
		}
	case *js.DotExpr:
		return named(r.value(x.X), dotName(x), r)
	case *js.UnaryExpr:
		if x.Op == js.AwaitToken {
			return r.value(x.X)
		}
	case *js.ArrowFunc, *js.FuncDecl:
		return r.eval(r.frame, x)
	case *js.NewExpr:
		switch c := r.value(x.X).(type) {
		case *class:
			return &object{proto: c.proto, class: c, open: true}
		case *external:
			return &external{module: c.module, path: c.path + "()"}
		}
	case *js.CallExpr:
		return r.returned(x)
	}
	return unknownValue
}

// named returns a member of a value without running code.
func named(v value, key string, r *codeReader) value {
	var p property
	switch v := v.(type) {
	case *object:
		p, _ = v.find(key)
	case *class:
		p = v.statics.props[key]
	case *namespace:
		return r.memberOfModule(v, key)
	case *external:
		return &external{module: v.module, path: strings.TrimPrefix(v.path+"."+key, ".")}
	}
	if p.value == nil {
		return unknownValue
	}
	return p.value
}

// returned returns the value of a call that loads a module, or returns the same function in another
// form.
func (r *codeReader) returned(x *js.CallExpr) value {
	name := calleeName(x.X)
	l, _ := x.X.(*js.LiteralExpr)
	if len(x.Args.List) > 0 && (name == "require" || l != nil && l.TokenType == js.ImportToken) {
		s, _ := r.texts(x.Args.List[0].Value)
		if m := r.modules[r.resolve(r.frame.module.path, s)]; m != nil && m.started {
			return &namespace{m}
		}
		return &external{module: s}
	}
	if len(x.Args.List) == 1 && (name == "promisify" || name == "bind") {
		return r.value(x.Args.List[0].Value)
	}
	if e, ok := r.value(x.X).(*external); ok {
		return &external{module: e.module, path: e.path + "()"}
	}
	return unknownValue
}

// call notes a call of a function or constructor.
func (r *codeReader) call(n, callee js.IExpr, args *js.Args) {
	out := listing.Call{Line: r.line(dataOf(n))}
	var given []listing.Arg
	if args != nil {
		for _, a := range args.List {
			at := len(out.Args)
			r.argument(&out, "", a.Value)
			if list, ok := unwrap(a.Value).(*js.ArrayExpr); ok && at > 0 && listing.IsShell(out.Args[0].Text) {
				r.scriptOf(&out.Args[at], list)
			}
			given = append(given, out.Args[at])
			if fn, ok := unwrap(a.Value).(*js.Var); ok { // may be called by the function
				if fn, ok := r.value(fn).(*function); ok {
					r.into(code{fn: fn, this: fn.this}, nil, true)
				}
			}
		}
	}
	callee = unwrap(callee)
	switch v := r.value(callee).(type) {
	case *function:
		this := r.frame.this
		if d, ok := callee.(*js.DotExpr); ok {
			this = r.value(d.X)
		}
		r.into(code{fn: v, this: this}, given, false)
	case *class: // its constructor has no effect of its own
	case *external:
		out.Name = qualified(v)
		if out.Name == "require" && len(out.Args) == 1 {
			r.imports(out.Args[0].Text, out.Line)
		}
	default:
		out.Name = r.unknownName(callee)
	}
	r.out.Calls = append(r.out.Calls, out)
}

// unknownName returns the name of a function that was not found, "" for a method of a known value.
func (r *codeReader) unknownName(callee js.IExpr) string {
	if v, ok := callee.(*js.Var); ok && root(v).Decl == js.ArgumentDecl {
		return ".call" // of a value, such as that of a promise
	}
	if d, ok := callee.(*js.DotExpr); ok && isContainer(r.value(d.X)) {
		return ""
	}
	return "." + calleeName(callee)
}

// scriptOf limits what the caller gives of the arguments of a shell to what it runs: what follows a script
// are its arguments.
func (r *codeReader) scriptOf(a *listing.Arg, list *js.ArrayExpr) {
	if len(list.List) == 0 || list.List[0].Value == nil {
		return
	}
	if option, _ := r.texts(list.List[0].Value); !listing.TakesCode(option) {
		a.From = r.given(list.List[0].Value)
	}
}

// imports notes a module that is not among the files.
func (r *codeReader) imports(specifier string, line int) {
	if r.resolve(r.frame.module.path, specifier) == "" {
		r.out.Imports = append(r.out.Imports, listing.Text{Text: specifier, Line: line})
	}
}

// qualified returns the name of a value from outside the files, with its module.
func qualified(e *external) string {
	switch {
	case e.module == "":
		return e.path
	case e.path == "":
		return e.module + ".default"
	}
	return e.module + "." + e.path
}

// maxInto is the maximum number of calls of functions of the files that are noted of one.
const maxInto = 500

func (r *codeReader) into(c code, args []listing.Arg, later bool) {
	if c.fn.arrow {
		c.this = nil
	}
	if o, ok := c.this.(*object); ok && o.open && o.class != nil {
		c.this = nil // one of its instances
	}
	if _, ok := c.this.(*object); !ok {
		c.this = nil
	}
	if len(r.out.Into) < maxInto {
		r.out.Into = append(r.out.Into, listing.Into[code]{To: c, Args: args, Later: later})
	}
}

// argument adds an argument, and the members of an object.
func (r *codeReader) argument(out *listing.Call, key string, x js.IExpr) {
	s, whole := r.texts(x)
	out.Args = append(out.Args, listing.Arg{Key: key, Text: s, Whole: whole, From: r.given(x)})
	o, ok := unwrap(x).(*js.ObjectExpr)
	if !ok || key != "" {
		return
	}
	for _, p := range o.List {
		if p.Name != nil && p.Name.Computed == nil && p.Value != nil && !isFunctionNode(p.Value) {
			r.argument(out, propertyName(p.Name), p.Value)
		}
	}
}

// texts returns the text of an expression, or its beginning, and whether it is whole.
func (r *codeReader) texts(x js.IExpr) (string, bool) {
	if !r.step() {
		return "", false
	}
	switch x := unwrap(x).(type) {
	case *js.LiteralExpr:
		if x.TokenType == js.StringToken {
			return unquote(x.Data), true
		}
	case *js.TemplateExpr:
		if len(x.List) == 0 {
			return strings.Trim(string(x.Tail), "`"), true
		}
		s := strings.TrimSuffix(strings.TrimPrefix(string(x.List[0].Value), "`"), "${")
		for _, p := range x.List[1:] {
			s += strings.TrimSuffix(strings.TrimPrefix(string(p.Value), "}"), "${")
		}
		return s, false
	case *js.BinaryExpr:
		if x.Op == js.AddToken {
			s, _ := r.texts(x.X)
			return s, false
		}
	case *js.ArrayExpr:
		if len(x.List) > 0 && x.List[0].Value != nil {
			s, _ := r.texts(x.List[0].Value)
			return s, false
		}
	case *js.Var, *js.DotExpr:
		switch v := r.value(x).(type) {
		case string:
			return v, true
		case beginning:
			return string(v), false
		}
	}
	return "", false
}

// given returns the parameters of which an expression is made, without what unknown functions make
// of them.
func (r *codeReader) given(x js.IExpr) (bits uint64) {
	if !r.step() {
		return 0
	}
	switch x := unwrap(x).(type) {
	case *js.Var:
		return r.from[root(x)]
	case *js.DotExpr:
		return r.given(x.X)
	case *js.IndexExpr:
		return r.given(x.X)
	case *js.UnaryExpr:
		return r.given(x.X)
	case *js.BinaryExpr:
		return r.given(x.X) | r.given(x.Y)
	case *js.CondExpr:
		return r.given(x.X) | r.given(x.Y)
	case *js.TemplateExpr:
		for _, p := range x.List {
			bits |= r.given(p.Expr)
		}
	case *js.ArrayExpr:
		for _, e := range x.List {
			bits |= r.given(e.Value)
		}
	case *js.CallExpr:
		bits = r.givenBy(x)
	}
	return bits
}

// givenBy returns the parameters in the result of a call.
func (r *codeReader) givenBy(x *js.CallExpr) (bits uint64) {
	if d, ok := x.X.(*js.DotExpr); ok {
		bits = r.given(d.X)
	}
	switch calleeName(x.X) {
	case "String", "join", "resolve", "normalize":
		for _, a := range x.Args.List {
			bits |= r.given(a.Value)
		}
	}
	return bits
}
