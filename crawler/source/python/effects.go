package python

import (
	"slices"
	"strings"

	"mcpcensus/crawler/source/listing"
	"mcpcensus/internal/registry"
)

// effects finds the effects of functions and branches, which a statement identifies.
type effects struct {
	*program
	listing.Code[*statement]
	// of are the functions of the statements that are read.
	of map[*statement]*function
	// branches are parts of handlers of all tools, by the names of the tools.
	branches map[string]*statement
	all      int // the limit of steps of the whole reading
}

func newEffects(p *program) *effects {
	e := &effects{program: p, all: p.limit, of: map[*statement]*function{}, branches: map[string]*statement{}}
	e.Code = listing.Code[*statement]{Language: listing.Python, Body: e.body, Exhausted: e.exhausted}
	e.allow()
	return e
}

// allow allows as many steps as the effects of the tools may take.
func (e *effects) allow() {
	e.total, e.steps = e.total+e.steps, 0
	e.limit = min(e.all, e.total+listing.StepsOfEffects)
}

// touch adds what the modules touch.
func (e *effects) touch(steps *listing.Reading) {
	e.allow()
	t := registry.Touches{}
	for _, m := range e.order {
		f := &function{def: &statement{body: m.body}, scope: m.scope}
		if b := e.body(e.note(f.def, f)); b != nil {
			b.Touch(&t, listing.Python)
		}
	}
	if len(e.order) > 0 {
		steps.Touch(t, !e.exhausted())
	}
}

// ofTool returns what the handler of a tool does: the function f, or if that is nil the branch of
// a handler of all tools.
func (e *effects) ofTool(name string, f *function) listing.Evidence {
	st := e.branches[name]
	if f != nil {
		st = e.note(f.def, f)
	}
	if st == nil {
		return listing.Evidence{}
	}
	return e.Of(st)
}

func (e *effects) note(st *statement, f *function) *statement {
	if e.of[st] == nil {
		e.of[st] = f
	}
	return st
}

// dispatch notes the branches for single tools in a handler of all tools, and in the functions that
// it calls.
func (e *effects) dispatch(f *function) {
	queue := []*statement{e.note(f.def, f)}
	for i := 0; i < len(queue) && i < maxHandlers; i++ {
		b := e.body(queue[i])
		if b == nil {
			return
		}
		e.choices(queue[i].body, e.of[queue[i]], e.callScope(e.of[queue[i]], nil, nil))
		for _, into := range b.Into {
			if !slices.Contains(queue, into.To) {
				queue = append(queue, into.To)
			}
		}
	}
}

const maxHandlers = 20 // functions in which branches for single tools are sought

// choices notes the branches in statements whose condition is the name of a tool, and the functions
// in dictionaries by such names.
func (e *effects) choices(body []*statement, f *function, at *scope) {
	for _, st := range body {
		if st.kind == blockStatement {
			for _, name := range compared(st.value) {
				if e.branches[name] == nil {
					e.branches[name] = e.note(st, f)
				}
			}
		}
		m, _ := st.value.(mapping)
		for i, key := range m.keys {
			l, _ := key.(literal)
			name, _ := l.value.(string)
			v, _ := e.eval(m.values[i], at)
			if g, isFunction := v.(*function); isFunction && e.branches[name] == nil {
				e.branches[name] = e.note(g.def, g)
			}
		}
		e.choices(st.body, f, at)
	}
}

// compared returns the texts that a condition compares a value with.
func compared(x expr) (texts []string) {
	switch x := x.(type) {
	case literal:
		if s, ok := x.value.(string); ok {
			return []string{s}
		}
	case sequence:
		for _, item := range x.items {
			texts = append(texts, compared(item)...)
		}
	case binary:
		switch x.op {
		case "==", "in":
			return compared(x.y)
		case "|", "or":
			return append(compared(x.x), compared(x.y)...)
		}
	}
	return texts
}

// body returns the code of a function or branch.
func (e *effects) body(st *statement) *listing.Body[*statement] {
	f := e.of[st]
	if f == nil || e.exhausted() {
		return nil
	}
	r := &codeReader{effects: e, f: f, at: e.callScope(f, nil, nil),
		from: map[string]uint64{}, begins: map[string]string{}}
	r.out = &listing.Body[*statement]{File: f.scope.module.path, Line: st.line}
	params := f.def.params
	if f.self != nil && len(params) > 0 && !hasDecorator(f.def, "staticmethod") {
		params = params[1:]
	}
	for i, param := range params[:min(len(params), 64)] {
		r.from[param.name] = 1 << i
	}
	r.variables(f.def.body)
	r.statements(st.body)
	e.total += e.steps
	e.steps = 0
	return r.out
}

// A codeReader reads the calls in the code of a function.
type codeReader struct {
	*effects
	f    *function
	at   *scope
	from map[string]uint64 // the parameters in variables
	// begins are the texts with which the values of variables begin.
	begins map[string]string
	line   int
	out    *listing.Body[*statement]
}

// variables notes the parameters in the variables that statements assign.
func (r *codeReader) variables(body []*statement) {
	for _, st := range body {
		for _, target := range st.targets {
			r.assign(target, r.given(st.value))
			if of, ok := target.(name); ok && st.augmented == "" {
				text, _ := r.text(st.value)
				if known, again := r.begins[of.id]; again && known != text {
					text = ""
				}
				r.begins[of.id] = text
			}
		}
		r.variables(st.body)
	}
}

func (r *codeReader) statements(body []*statement) {
	for _, st := range body {
		if r.exhausted() {
			return
		}
		r.total, r.steps = r.total+r.steps, 0
		r.line = st.line
		_, isDoc := st.value.(literal)
		isPassed := slices.ContainsFunc(st.targets, func(x expr) bool {
			n, _ := x.(name)
			return passesOn(n.id, st.value)
		})
		if !isPassed && (!isDoc || st.kind != exprStatement) {
			r.walk(st.value)
		}
		for _, i := range st.imports {
			if r.find(r.f.scope.module, i.module) == nil {
				r.out.Imports = append(r.out.Imports, listing.Text{Text: i.module, Line: st.line})
			}
		}
		r.statements(st.body)
	}
}

func (r *codeReader) assign(target expr, bits uint64) {
	switch target := target.(type) {
	case name:
		r.from[target.id] |= bits
	case sequence:
		for _, item := range target.items {
			r.assign(item, bits)
		}
	}
}

// walk reads an expression.
func (r *codeReader) walk(x expr) {
	if r.steps++; r.exhausted() {
		return
	}
	switch x := x.(type) {
	case *call:
		r.call(x)
	case literal:
		if s, ok := x.value.(string); ok {
			r.out.Texts = append(r.out.Texts, listing.Text{Text: s, Line: r.line})
		}
	case format:
		text, _ := r.text(x)
		r.out.Texts = append(r.out.Texts, listing.Text{Text: text, Line: r.line})
	}
	for _, part := range parts(x) {
		r.walk(part)
	}
}

// parts returns the expressions in an expression.
func parts(x expr) []expr {
	switch x := x.(type) {
	case *call:
		return append([]expr{x.fn}, argumentsOf(x)...)
	case attr:
		return []expr{x.x}
	case format:
		return slices.DeleteFunc(slices.Clone(x.parts), func(x expr) bool { _, ok := x.(literal); return ok })
	case sequence:
		return x.items
	case mapping:
		return append(slices.Clone(x.keys), valuesOf(x)...)
	case starred:
		return []expr{x.x}
	case index:
		return []expr{x.x, x.i}
	case binary:
		return []expr{x.x, x.y}
	case unary:
		return []expr{x.x}
	case conditional:
		return []expr{x.test, x.yes, x.no}
	case *comprehension:
		return append([]expr{x.key, x.element, x.iter}, x.conditions...)
	case opaque:
		return x.inner
	}
	return nil
}

// command returns what the caller gives of an expression; of a command in a list that is a shell only what
// it runs, as what follows a script are its arguments.
func (r *codeReader) command(x expr) uint64 {
	list, _ := x.(sequence)
	if len(list.items) < 2 {
		return r.given(x)
	}
	program, _ := r.text(list.items[0])
	option, _ := r.text(list.items[1])
	if listing.IsShell(program) && !listing.TakesCode(option) {
		return r.given(list.items[1])
	}
	return r.given(x)
}

// argumentsOf returns the arguments of a call, and valuesOf the values of a mapping, without addresses
// that are only passed on.
func argumentsOf(c *call) (out []expr) {
	for _, a := range c.args {
		if !passesOn(a.name, a.value) {
			out = append(out, a.value)
		}
	}
	return out
}

func valuesOf(m mapping) (out []expr) {
	for i, v := range m.values {
		key, _ := m.keys[i].(literal)
		if name, _ := key.value.(string); !passesOn(name, v) {
			out = append(out, v)
		}
	}
	return out
}

// passesOn reports whether the addresses in the value of a member or a variable are only passed on; see
// [listing.PassesOn].
func passesOn(name string, value expr) bool {
	switch value.(type) {
	case literal, sequence, mapping:
		return listing.PassesOn(name)
	}
	return false
}

func (r *codeReader) call(c *call) {
	out := listing.Call{Line: c.line}
	for _, a := range c.args {
		text, whole := r.text(a.value)
		out.Args = append(out.Args, listing.Arg{Key: a.name, Text: text, Whole: whole, From: r.command(a.value)})
		if v, _ := r.eval(a.value, r.at); v != nil { // a function that is passed on may be called
			if f, isFunction := v.(*function); isFunction {
				r.out.Into = append(r.out.Into, listing.Into[*statement]{To: r.note(f.def, f), Later: true})
			}
		}
	}
	if a, isMethod := c.fn.(attr); isMethod {
		out.On = r.given(a.x)
	}
	v, _ := r.eval(c.fn, r.at)
	switch v := v.(type) {
	case *function:
		r.out.Into = append(r.out.Into, listing.Into[*statement]{To: r.note(v.def, v), Args: placed(v, out.Args)})
	case *class: // its constructor has no effect of its own
	case *external:
		out.Name = v.path
	default:
		out.Name = r.method(c.fn)
	}
	r.out.Calls = append(r.out.Calls, out)
}

// placed returns the arguments of a call in the order of the function's parameters.
func placed(f *function, args []listing.Arg) []listing.Arg {
	params := f.def.params
	if f.self != nil && len(params) > 0 && !hasDecorator(f.def, "staticmethod") {
		params = params[1:]
	}
	out := make([]listing.Arg, max(len(params), len(args)))
	for i, a := range args {
		at := i
		if a.Key != "" {
			at = slices.IndexFunc(params, func(p parameter) bool { return p.name == a.Key })
		}
		if at >= 0 {
			out[at] = a
		}
	}
	return out
}

// method returns the name of a method of a value from outside the files.
func (r *codeReader) method(fn expr) string {
	a, isAttribute := fn.(attr)
	if !isAttribute {
		return ".call" // of a value
	}
	v, _ := r.eval(a.x, r.at)
	if m, isMade := v.(*made); isMade {
		return m.path + "()." + a.name
	}
	return "." + a.name
}

// text returns the text of an expression, or its beginning, and whether it is whole.
func (r *codeReader) text(x expr) (string, bool) {
	if r.steps++; r.exhausted() {
		return "", false
	}
	switch x := x.(type) {
	case literal:
		s, ok := x.value.(string)
		return s, ok
	case format:
		s, whole := "", true
		for _, part := range x.parts {
			l, isLiteral := part.(literal)
			text, _ := l.value.(string)
			if !isLiteral {
				if whole = false; s == "" || !strings.ContainsAny(s, " ") {
					text = "\x00"
				}
			}
			s += text
		}
		return strings.TrimSuffix(strings.TrimPrefix(s, "\x00"), "\x00"), whole
	case binary:
		if x.op == "+" || x.op == "%" {
			s, _ := r.text(x.x)
			return s, false
		}
	case sequence:
		if len(x.items) > 0 {
			s, _ := r.text(x.items[0])
			return s, false
		}
	case name, attr:
		v, _ := r.eval(x, r.at)
		if s, ok := constant(v); ok {
			return s, true
		}
		of, _ := x.(name)
		return r.begins[of.id], false
	}
	return "", false
}

// given returns the parameters of which an expression is made, without what unknown functions make
// of them.
func (r *codeReader) given(x expr) (bits uint64) {
	if r.steps++; r.exhausted() {
		return 0
	}
	switch x := x.(type) {
	case name:
		return r.from[x.id]
	case attr:
		return r.given(x.x)
	case index:
		return r.given(x.x)
	case starred:
		return r.given(x.x)
	case *call:
		if a, isMethod := x.fn.(attr); isMethod {
			bits = r.given(a.x)
		}
		if id := lastName(x.fn); id == "split" || id == "str" || id == "Path" || id == "join" {
			for _, a := range x.args {
				bits |= r.given(a.value)
			}
		}
	case format, sequence, binary, conditional:
		for _, part := range parts(x) {
			bits |= r.given(part)
		}
	}
	return bits
}
