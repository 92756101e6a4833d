package script

import (
	"path"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/js"

	"mcpcensus/crawler/source/listing"
)

func (in *interpreter) call(f *frame, x *js.CallExpr) value {
	callee := unwrap(x.X)
	if l, ok := callee.(*js.LiteralExpr); ok {
		switch l.TokenType {
		case js.SuperToken:
			return in.superCall(f, x)
		case js.ImportToken:
			return in.dynamicImport(f, x)
		}
	}
	name := calleeName(callee)
	var receiver, fn value = undefined, nil
	switch c := callee.(type) {
	case *js.DotExpr:
		if l, ok := c.X.(*js.LiteralExpr); ok && l.TokenType == js.SuperToken {
			receiver, fn = f.this, in.superMember(f, dotName(c))
			break
		}
		receiver = in.eval(f, c.X)
		name = dotName(c)
		if isNullish(receiver) && isOptional(c) {
			return undefined
		}
		if _, ok := receiver.(*external); ok || isContainer(receiver) {
			break
		}
		fn = in.property(f, receiver, name)
	case *js.IndexExpr:
		receiver = in.eval(f, c.X)
		fn = in.index(receiver, in.eval(f, c.Y))
	default:
		fn = in.eval(f, callee)
	}
	args := in.arguments(f, &x.Args)
	name, receiver, fn, args = throughCall(callee, name, receiver, fn, args)
	if v, ok := in.special(f, x, name, receiver, fn, args); ok {
		return v
	}
	switch fn := fn.(type) {
	case *function:
		return in.invoke(fn, receiver, args)
	case *class:
		return in.instantiate(fn, args)
	}
	return in.outside(name, receiver, fn, args)
}

// throughCall returns the parts of the registration that a callee calls with its receiver as the first
// argument: "registerTool.call(server, …)". Those of other calls are as given.
func throughCall(callee js.IExpr, name string, receiver, fn value, args []value) (string, value, value, []value) {
	if c, ok := callee.(*js.DotExpr); ok && name == "call" && len(args) > 1 && registering[calleeName(c.X)] {
		return calleeName(c.X), args[0], nil, args[1:]
	}
	return name, receiver, fn, args
}

func isContainer(v value) bool {
	switch v.(type) {
	case *array, *mapping, string, *schema:
		return true
	}
	return false
}

func unwrap(x js.IExpr) js.IExpr {
	for {
		switch y := x.(type) {
		case *js.GroupExpr:
			x = y.X
		case *js.CommaExpr:
			if len(y.List) == 0 {
				return x
			}
			x = y.List[len(y.List)-1]
		default:
			return x
		}
	}
}

func (in *interpreter) arguments(f *frame, a *js.Args) []value {
	if a == nil {
		return nil
	}
	out := make([]value, 0, len(a.List))
	for _, arg := range a.List {
		v := in.eval(f, arg.Value)
		if !arg.Rest {
			out = append(out, v)
			continue
		}
		items, whole := in.iterate(v)
		out = append(out, items[:min(len(items), maxItems)]...)
		if !whole {
			out = append(out, moreArguments)
		}
	}
	return out
}

// moreArguments stands for an unknown number of unknown arguments.
var moreArguments value = &unknown{setting: ""}

// special handles registrations of tools, modules, and functions that compilers and bundlers
// generate.
func (in *interpreter) special(
	f *frame, x *js.CallExpr, name string, receiver, fn value, args []value,
) (value, bool) {
	if x == in.discarded && extends(receiver, fn, args) {
		in.tools.Partial = true
	}
	if registering[name] {
		if v, ok := in.registration(x, name, receiver, fn, args); ok {
			return v, true
		}
	}
	if s, ok := arg(args, 0).(string); ok && name == "require" && len(args) == 1 && isUnknown(fn) {
		return in.require(f, s), true
	}
	if g, ok := last(args).(*function); ok && g.generates() { // a compiled async function
		return in.invoke(g, args[0], nil), true
	}
	if len(args) == 0 {
		return nil, false
	}
	if s := asSchema(args[0]); s != nil && strings.Contains(strings.ToLower(name), "jsonschema") {
		return s, true
	}
	return nil, false
}

func (fn *function) generates() bool {
	switch n := fn.node.(type) {
	case *js.FuncDecl:
		return n.Generator
	case *js.MethodDecl:
		return n.Generator
	}
	return false
}

func asObject(v value) *object {
	if o, ok := v.(*object); ok {
		return o
	}
	return newObject()
}

func last(args []value) value {
	if len(args) == 0 {
		return undefined
	}
	return args[len(args)-1]
}

func arg(args []value, i int) value {
	if i < len(args) {
		return args[i]
	}
	return undefined
}

func (in *interpreter) require(f *frame, specifier string) value {
	m := in.imported(f.module, specifier)
	if m == nil {
		return &external{module: specifier}
	}
	if m.json != nil {
		return m.json
	}
	if len(m.exports) > 0 || len(m.stars) > 0 {
		return &namespace{m}
	}
	return m.common
}

func (in *interpreter) dynamicImport(f *frame, x *js.CallExpr) value {
	s, ok := arg(in.arguments(f, &x.Args), 0).(string)
	if !ok {
		return unknownValue
	}
	if path.IsAbs(s) {
		s = "file://" + s
	}
	m := in.imported(f.module, s)
	if m == nil {
		return &external{module: s}
	}
	return &namespace{m}
}

// invoke calls a function with a known body.
func (in *interpreter) invoke(fn *function, this value, args []value) value {
	if in.calls >= maxCalls || in.nesting > maxNesting || !in.recurse(fn, args) || !in.step() {
		return unknownValue
	}
	in.calls++
	in.running[fn]++
	fn.called = true
	defer func() {
		in.calls--
		if in.running[fn]--; in.running[fn] == 0 {
			delete(in.running, fn)
		}
	}()
	f := &frame{module: fn.module, scope: newScope(fn.scope), this: this, home: fn.home}
	if fn.arrow {
		f.this = fn.this
	}
	if d, ok := fn.node.(*js.FuncDecl); ok && d.Name != nil {
		if _, ok := f.scope.lookup(root(d.Name)); !ok {
			f.scope.vars[root(d.Name)] = fn // a function expression sees its own name
		}
	}
	in.parameters(f, fn.params, args)
	in.hoist(f, fn.body.List)
	in.block(f, fn.body.List)
	return f.result()
}

// result returns the value of a call. Of several returned values it is one, or all lists
// together.
func (f *frame) result() value {
	var out value = undefined
	for i, v := range f.returns {
		if i == 0 {
			out = v
			continue
		}
		out = either(out, v)
	}
	return out
}

// recurse reports whether a function may be called. Recursion is limited, and not allowed for
// unknown arguments.
func (in *interpreter) recurse(fn *function, args []value) bool {
	n := in.running[fn]
	if n == 0 {
		return true
	}
	if n >= maxActive || in.recursions[fn] >= maxRecursions || !slices.ContainsFunc(args, isKnown) {
		return false
	}
	in.recursions[fn]++
	return true
}

func isKnown(v value) bool { return informative(v) > 1 }

func (in *interpreter) parameters(f *frame, p *js.Params, args []value) {
	for i, e := range p.List {
		var v value = undefined
		if i < len(args) {
			v = args[i]
		}
		in.bindElement(f, e, v)
	}
	if p.Rest != nil {
		in.bind(f, p.Rest, &array{items: slices.Clone(args[min(len(p.List), len(args)):])})
	}
}

// invokeUnknown calls a function that no known code calls.
func (in *interpreter) invokeUnknown(fn *function) {
	args := make([]value, len(fn.params.List))
	for i := range args {
		args[i] = unknownValue
	}
	var this value = unknownValue
	if fn.home != nil {
		this = in.instanceOf(fn.home)
	}
	in.invoke(fn, this, args)
}

// outside evaluates a call of a function that is not among the sources.
func (in *interpreter) outside(name string, receiver, fn value, args []value) value {
	if v, ok := in.builtinMethod(name, receiver, args); ok {
		return v
	}
	if r, ok := receiver.(*external); ok {
		if m, ok := in.externalMember(r, name).(*external); ok {
			fn = m
		}
	}
	if x, ok := fn.(*external); ok {
		if v, ok := in.externalCall(x, args); ok {
			return v
		}
	}
	if s := in.construction(name, receiver, fn, args); s != nil {
		return s
	}
	switch name {
	case "then":
		return in.apply(arg(args, 0), receiver)
	case "action", "command": // of a command-line parser
		in.apply(last(args), unknownValue, unknownValue)
	case "catch", "finally":
		return receiver
	case "bind": // of an unknown method
		return unknownValue
	}
	return in.foreign(receiver, fn, args)
}

// builtinMethod calls a method of a value of the runtime or of a schema.
func (in *interpreter) builtinMethod(name string, receiver value, args []value) (value, bool) {
	var v value = unknownValue
	switch r := receiver.(type) {
	case *array:
		if m := arrayMethods[name]; m != nil {
			v = m(in, r, args)
		}
	case *mapping:
		v = in.mappingMethod(r, name, args)
	case string:
		if m := stringMethods[name]; m != nil {
			v = m(r, args)
		} else if slices.Contains(searching, name) {
			v = in.matching(r, name, args)
		}
	case *schema:
		v = in.schemaMethod(r, name, args)
	case *expression:
		v = r.method(name, args)
	case *function:
	case *unknown:
		if tool := in.tools.handles[r]; tool != "" && (name == "disable" || name == "remove") {
			in.tools.Within(tool, listing.Branch{Node: r})
		}
		return givenMethod(r, name), r.given
	default:
		return nil, false
	}
	return v, true
}

// externalCall calls a known function of the runtime or of a package.
func (in *interpreter) externalCall(x *external, args []value) (value, bool) {
	in.serverOptions(x.module+"/"+x.path, args)
	if v, ok := in.fileFunction(x, args); ok {
		return v, true
	}
	if x.path == "promisify" && len(args) == 1 { // of util: the same function in another form
		return args[0], true
	}
	if f := globals[x.path]; f != nil && x.module == "" {
		return f(in, arg(args, 0), args), true
	}
	return nil, false
}

// extends reports whether a statement calls a function of a package other than the SDK with a server:
// it may add tools.
func extends(receiver, fn value, args []value) bool {
	x, ok := fn.(*external)
	if !ok {
		x, ok = receiver.(*external)
	}
	const sdk = "@modelcontextprotocol/"
	return ok && x.module != "" && !strings.HasPrefix(x.module, sdk) &&
		slices.ContainsFunc(args, func(v value) bool {
			s, ok := v.(*external)
			return ok && s.options != nil && strings.HasPrefix(s.module, sdk) && strings.HasSuffix(s.path, "Server")
		})
}

// foreign returns the result of an unknown function.
func (in *interpreter) foreign(receiver, fn value, args []value) value {
	// functions such as defineTool return their argument
	name, named := arg(args, 0).(string)
	if named {
		args = args[1:]
	}
	if o, ok := arg(args, 0).(*object); ok && isUnknown(fn) {
		if _, found := o.find("description"); found {
			definition := newObject()
			in.spread(definition, o)
			definition.open = true // the function may add parameters
			if named {
				definition.put("name", name)
			}
			return definition
		}
	}
	if x, ok := fn.(*external); ok && receiver == undefined && x.module != "" {
		return &external{module: x.module, path: x.path + "()", options: unknownValue}
	}
	return unknownValue
}
