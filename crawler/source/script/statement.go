package script

import (
	"github.com/tdewolff/parse/v2/js"

	"mcpcensus/crawler/source/listing"
)

// completion is the way in which a statement ends.
type completion int

const (
	normal   completion = iota
	returned            // by return, in all branches
	skipped             // by continue
	broken              // by break
)

// hoist declares the functions of a block before it is executed.
func (in *interpreter) hoist(f *frame, list []js.IStmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *js.FuncDecl:
			in.function(f, s)
		case *js.ExportStmt:
			if d, ok := s.Decl.(*js.FuncDecl); ok {
				fn := in.function(f, d)
				switch {
				case s.Default:
					f.module.exports["default"] = binding{expr: fn}
				case d.Name != nil:
					f.module.exports[string(d.Name.Name())] = binding{v: root(d.Name)}
				}
			}
		}
	}
}

func (in *interpreter) function(f *frame, d *js.FuncDecl) *function {
	fn := in.closure(f, &function{node: d, params: &d.Params, body: &d.Body})
	if d.Name != nil {
		f.scope.vars[root(d.Name)] = fn
	}
	return fn
}

func (in *interpreter) block(f *frame, list []js.IStmt) completion {
	for i, s := range list {
		if c := in.statement(f, s); c != normal {
			return c
		}
		if b := in.rest; b != nil {
			in.rest = nil
			c := normal
			in.tools.within(*b, func() { c = in.block(f, list[i+1:]) })
			return c
		}
	}
	return normal
}

// leaves reports whether a statement ends the block around it without an error.
func leaves(s js.IStmt) bool {
	switch s := s.(type) {
	case *js.ReturnStmt, *js.BranchStmt:
		return true
	case *js.BlockStmt:
		return len(s.List) > 0 && leaves(s.List[len(s.List)-1])
	}
	return false
}

// nested executes a statement, or a block with its own functions.
func (in *interpreter) nested(f *frame, s js.IStmt) completion {
	if b, ok := s.(*js.BlockStmt); ok {
		in.hoist(f, b.List)
		return in.block(f, b.List)
	}
	return in.statement(f, s)
}

func (in *interpreter) statement(f *frame, s js.IStmt) completion {
	if s == nil || !in.step() || in.nesting > maxNesting {
		return normal
	}
	in.nesting++
	defer func() { in.nesting-- }()
	switch s := s.(type) {
	case *js.ExprStmt:
		in.discarded = callOf(s.Value)
		in.eval(f, s.Value)
	case *js.VarDecl:
		in.declare(f, s)
	case *js.ClassDecl:
		in.class(f, s)
	case *js.ThrowStmt:
		in.eval(f, s.Value)
	case *js.ExportStmt:
		in.exported(f, s)
	case *js.ReturnStmt:
		f.returns = append(f.returns, in.eval(f, s.Value))
		return returned
	default:
		return in.compound(f, s)
	}
	return normal
}

// callOf returns the call that an expression is or waits for, nil for others.
func callOf(x js.IExpr) *js.CallExpr {
	if u, ok := x.(*js.UnaryExpr); ok && u.Op == js.AwaitToken {
		x = u.X
	}
	c, _ := x.(*js.CallExpr)
	return c
}

// compound executes a statement that contains others.
func (in *interpreter) compound(f *frame, s js.IStmt) completion {
	switch s := s.(type) {
	case *js.BlockStmt:
		return in.nested(f, s)
	case *js.IfStmt:
		return in.branch(f, s)
	case *js.ForOfStmt:
		items, whole := in.iterate(in.eval(f, s.Value))
		if len(items) == 0 && !whole {
			items = []value{unknownValue}
		}
		return in.loop(f, s.Init, items, s.Body)
	case *js.ForInStmt:
		return in.loop(f, s.Init, in.keysOf(in.eval(f, s.Value)), s.Body)
	case *js.ForStmt:
		return in.repeat(f, s)
	case *js.WhileStmt:
		if holds, known, _ := in.condition(f, s.Cond); holds || !known {
			in.nested(f, s.Body)
		}
	case *js.DoWhileStmt:
		in.nested(f, s.Body)
	case *js.SwitchStmt:
		return in.choose(f, s)
	case *js.TryStmt:
		return in.try(f, s)
	case *js.BranchStmt:
		if s.Type == js.ContinueToken {
			return skipped
		}
		return broken
	}
	return normal
}

func (in *interpreter) exported(f *frame, s *js.ExportStmt) {
	if s.Module != nil {
		return
	}
	for _, a := range s.List {
		if a.Binding == nil {
			continue
		}
		local := a.Name
		if local == nil {
			local = a.Binding
		}
		f.module.exports[exportName(a.Binding)] = f.module.local(local)
	}
	switch d := s.Decl.(type) {
	case nil, *js.FuncDecl:
	case *js.VarDecl:
		in.declare(f, d)
		for _, e := range d.List {
			eachBinding(e.Binding, func(v *js.Var) {
				f.module.exports[string(v.Name())] = binding{v: root(v)}
			})
		}
	case *js.ClassDecl:
		c := in.class(f, d)
		if s.Default {
			f.module.exports["default"] = binding{expr: c}
		} else if d.Name != nil {
			f.module.exports[string(d.Name.Name())] = binding{v: root(d.Name)}
		}
	default:
		v := in.eval(f, d)
		if s.Default {
			f.module.exports["default"] = binding{expr: v}
		}
	}
}

// local returns the binding of a variable of the module or of an import.
func (m *module) local(name []byte) binding {
	for _, v := range m.ast.Scope.Declared {
		if string(v.Data) == string(name) {
			return binding{v: v, name: string(name)}
		}
	}
	if b, ok := m.imports[string(name)]; ok {
		return b
	}
	return binding{v: &js.Var{Data: name}, name: string(name)}
}

func eachBinding(b js.IBinding, yield func(*js.Var)) {
	switch b := b.(type) {
	case *js.Var:
		yield(b)
	case *js.BindingObject:
		for _, i := range b.List {
			eachBinding(i.Value.Binding, yield)
		}
		if b.Rest != nil {
			yield(b.Rest)
		}
	}
}

func (in *interpreter) declare(f *frame, d *js.VarDecl) {
	for _, e := range d.List {
		if v, ok := e.Binding.(*js.Var); ok {
			if e.Default == nil {
				if d.TokenType == js.VarToken {
					if _, ok := f.scope.lookup(root(v)); ok {
						continue // var x; after an assignment
					}
				}
				f.scope.vars[root(v)] = undefined
				continue
			}
		}
		var x value = undefined
		if e.Default != nil {
			x = in.eval(f, e.Default)
		}
		in.bind(f, e.Binding, x)
	}
}

// bind assigns v to the variables of a pattern in the current scope.
func (in *interpreter) bind(f *frame, b js.IBinding, v value) {
	if !in.step() {
		return
	}
	switch b := b.(type) {
	case *js.Var:
		f.scope.vars[root(b)] = v
	case *js.BindingObject:
		in.bindObject(f, b, v)
	case *js.BindingArray:
		items, _ := in.iterate(v)
		for i, e := range b.List {
			var x value = unknownValue
			if i < len(items) {
				x = items[i]
			}
			in.bindElement(f, e, x)
		}
		if b.Rest != nil {
			rest := &array{open: true}
			if a, ok := v.(*array); ok {
				rest = &array{items: a.items[min(len(b.List), len(a.items)):], open: a.open}
			}
			in.bind(f, b.Rest, rest)
		}
	}
}

func (in *interpreter) bindObject(f *frame, b *js.BindingObject, v value) {
	used := map[string]bool{}
	for _, i := range b.List {
		key, ok := "", true
		if i.Key != nil {
			key, ok = in.key(f, i.Key)
		} else if x, isVar := i.Value.Binding.(*js.Var); isVar {
			key = string(x.Name())
		}
		used[key] = true
		var x value = unknownValue
		if ok {
			x = in.property(f, v, key)
		}
		in.bindElement(f, i.Value, x)
	}
	if b.Rest == nil {
		return
	}
	rest := newObject()
	in.spread(rest, v)
	for key := range used {
		rest.delete(key)
	}
	f.scope.vars[root(b.Rest)] = rest
}

func (in *interpreter) bindElement(f *frame, e js.BindingElement, v value) {
	if e.Binding == nil {
		return
	}
	if e.Default != nil && informative(v) < 2 {
		if d := in.eval(f, e.Default); v == undefined || informative(d) > 1 {
			v = d
		}
	}
	in.bind(f, e.Binding, v)
}

func (in *interpreter) branch(f *frame, s *js.IfStmt) completion {
	holds, known, setting := in.condition(f, s.Cond)
	defer func() {
		in.rest = nil
		if b, ok := in.tools.branchOf(listing.Negate(testOf(s.Cond)), setting); ok && s.Else == nil &&
			leaves(s.Body) && (!known || !holds && setting != "") {
			in.rest = &b
		}
	}()
	switch {
	case known && !holds:
		return in.nested(f, s.Else)
	case known && setting == "":
		return in.nested(f, s.Body)
	}
	var a completion
	body := func() { a = in.nested(f, s.Body) }
	if known {
		in.under(s.Cond, setting, body)
		return a
	}
	f.uncertain++
	defer func() { f.uncertain-- }()
	in.under(s.Cond, setting, body)
	if b := in.nested(f, s.Else); a == b {
		return a
	}
	return normal
}

// repeat executes a loop while its condition is known to be true.
func (in *interpreter) repeat(f *frame, s *js.ForStmt) completion {
	g := f.inner()
	defer func() { f.returns = append(f.returns, g.returns...) }()
	in.eval(g, s.Init)
	for ; s.Cond != nil && s.Post != nil && in.repeats < maxRepeats; in.repeats++ {
		if holds, _, _ := in.condition(g, s.Cond); !holds || in.stopped {
			break
		}
		in.hoist(g, s.Body.List)
		switch in.block(g, s.Body.List) {
		case returned:
			return returned
		case broken:
			return normal
		}
		in.eval(g, s.Post)
	}
	return normal
}

// loop executes a body for each item.
func (in *interpreter) loop(f *frame, init js.IExpr, items []value, body *js.BlockStmt) completion {
	for _, item := range items[:min(len(items), maxItems)] {
		if in.stopped {
			break
		}
		g := f.inner()
		in.bindLoop(g, init, item)
		in.hoist(g, body.List)
		var c completion
		in.tools.part(item, func() { c = in.block(g, body.List) })
		f.returns = append(f.returns, g.returns...)
		if c == broken || c == returned && len(items) == 1 {
			break
		}
	}
	return normal
}

func (in *interpreter) bindLoop(f *frame, init js.IExpr, item value) {
	d, ok := init.(*js.VarDecl)
	if !ok {
		in.assign(f, init, item)
		return
	}
	for _, e := range d.List {
		in.bind(f, e.Binding, item)
	}
}

func (in *interpreter) keysOf(v value) []value {
	var out []value
	switch v := v.(type) {
	case *object:
		for _, k := range v.keys {
			out = append(out, k)
		}
	case *namespace:
		for _, k := range in.exportNames(v.module, 0) {
			out = append(out, k)
		}
	case *array:
		for i := range v.items {
			s, _ := text(float64(i))
			out = append(out, s)
		}
	}
	return out
}

// choose executes the cases of a switch statement from the chosen one, or all of them if that is
// unknown.
func (in *interpreter) choose(f *frame, s *js.SwitchStmt) completion {
	from, known := in.chosen(f, s)
	for _, c := range s.List[from:] {
		done := in.block(f, c.List)
		switch {
		case !known || done == normal:
		case done == broken:
			return normal
		default:
			return done
		}
	}
	return normal
}

// chosen returns the index of the case that a switch statement chooses, which may be after the
// last one, and whether it is known.
func (in *interpreter) chosen(f *frame, s *js.SwitchStmt) (index int, known bool) {
	v := in.eval(f, s.Init)
	index, known = len(s.List), true
	for i, c := range s.List {
		if c.TokenType == js.DefaultToken {
			index = i
			continue
		}
		switch equal, certain := equals(v, in.eval(f, c.Cond), false); {
		case !certain:
			known = false
		case equal && known:
			return i, true
		}
	}
	if !known {
		return 0, false
	}
	return index, true
}

func (in *interpreter) try(f *frame, s *js.TryStmt) completion {
	c := in.nested(f, s.Body)
	if s.Catch != nil {
		if s.Binding != nil {
			in.bind(f, s.Binding, unknownValue)
		}
		in.nested(f, s.Catch)
	}
	if s.Finally != nil {
		in.nested(f, s.Finally)
	}
	return c
}
