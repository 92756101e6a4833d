package script

import (
	"github.com/tdewolff/parse/v2/js"
)

func (in *interpreter) class(f *frame, d *js.ClassDecl) *class {
	c := &class{node: d, scope: f.scope, module: f.module, proto: newObject(), statics: newObject()}
	if d.Name != nil {
		c.name = string(d.Name.Name())
		f.scope.vars[root(d.Name)] = c
	}
	if d.Extends != nil {
		c.parent = in.eval(f, d.Extends)
		if p, ok := c.parent.(*class); ok {
			c.proto.proto = p.proto
			c.foreign = p.foreign
		} else {
			c.foreign = true
		}
	}
	c.proto.class = c
	g := &frame{module: f.module, scope: f.scope, this: c, home: c}
	for i := range d.List {
		e := &d.List[i]
		switch {
		case e.Method != nil:
			in.method(g, c, e.Method)
		case e.Static:
			if key, ok := in.elementName(g, &e.Name); ok {
				c.statics.put(key, in.eval(g, e.Init))
			}
		}
	}
	in.tools.classes = append(in.tools.classes, c)
	return c
}

func (in *interpreter) method(f *frame, c *class, m *js.MethodDecl) {
	key, ok := in.elementName(f, &m.Name)
	if !ok {
		return
	}
	fn := in.closure(f, &function{node: m, params: &m.Params, body: &m.Body, home: c})
	target := c.proto
	if m.Static {
		target = c.statics
	}
	switch {
	case m.Get:
		target.set(key, property{getter: fn})
	case !m.Set:
		target.put(key, fn)
	}
}

func (in *interpreter) elementName(f *frame, n *js.ClassElementName) (string, bool) {
	if n.Private != nil {
		return string(n.Private.Name()), true
	}
	return in.key(f, &n.PropertyName)
}

func (in *interpreter) static(c *class, key string) value {
	for depth := 0; depth < maxPrototypes; depth++ {
		if p, ok := c.statics.props[key]; ok {
			if p.getter != nil {
				return in.invoke(p.getter, c, nil)
			}
			return p.value
		}
		parent, ok := c.parent.(*class)
		if !ok {
			break
		}
		c = parent
	}
	if key == "name" {
		return c.name
	}
	return unknownValue
}

func (in *interpreter) construct(f *frame, x *js.NewExpr) value {
	callee := in.eval(f, x.X)
	args := in.arguments(f, x.Args)
	name := calleeName(x.X)
	if s := in.defined(callee, arg(args, 0)); s != nil {
		return s
	}
	switch c := callee.(type) {
	case *class:
		if v, ok := in.builtinObject(name, args); ok && c.foreign {
			return v
		}
		return in.instantiate(c, args)
	}
	if v, ok := in.builtinObject(name, args); ok {
		return v
	}
	in.serverOptions(name, args)
	e := &external{path: name, options: arg(args, 0)}
	if c, ok := callee.(*external); ok {
		e.module = c.module
	}
	if e.options == undefined {
		e.options = unknownValue
	}
	return e
}

func (in *interpreter) builtinObject(name string, args []value) (value, bool) {
	switch name {
	case "RegExp":
		text, ok := arg(args, 0).(string)
		flags, known := arg(args, 1).(string)
		if !ok || !known && len(args) > 1 {
			return unknownValue, true
		}
		return compile(text, flags), true
	case "Map", "WeakMap":
		m := &mapping{}
		items, whole := in.iterate(arg(args, 0))
		m.open = !whole
		for _, item := range items {
			pair, _ := in.iterate(item)
			if len(pair) == 2 {
				m.set(pair[0], pair[1])
			}
		}
		return m, true
	case "Set", "WeakSet":
		m := &mapping{}
		items, whole := in.iterate(arg(args, 0))
		m.open = !whole
		if a, ok := arg(args, 0).(*array); ok {
			m.unsure = a.unsure
		}
		for _, item := range items {
			m.set(item, item)
		}
		return m, true
	}
	return nil, false
}

func (in *interpreter) instantiate(c *class, args []value) *object {
	o := &object{proto: c.proto, class: c}
	if in.tools.instances[c] == nil {
		in.tools.instances[c] = o
	}
	in.initialize(c, o, args, 0)
	in.tools.candidate(o)
	return o
}

// initialize runs the constructor of a class on o.
func (in *interpreter) initialize(c *class, o *object, args []value, depth int) {
	if depth > maxPrototypes || in.calls >= maxCalls || !in.step() {
		return
	}
	in.calls++
	defer func() { in.calls-- }()
	parent, _ := c.parent.(*class)
	constructor, _ := c.proto.own("constructor").(*function)
	if constructor == nil || parent == nil {
		if parent != nil {
			in.initialize(parent, o, args, depth+1)
		}
		in.fields(c, o)
	}
	if constructor != nil {
		in.invoke(constructor, o, args)
	}
}

// fields sets the fields of a new instance.
func (in *interpreter) fields(c *class, o *object) {
	g := &frame{module: c.module, scope: newScope(c.scope), this: o, home: c}
	for i := range c.node.List {
		e := &c.node.List[i]
		if e.Method != nil || e.StaticBlock != nil || e.Static {
			continue
		}
		key, ok := in.elementName(g, &e.Name)
		if !ok {
			continue
		}
		if e.Init == nil {
			if _, ok := o.props[key]; !ok {
				o.put(key, undefined)
			}
			continue
		}
		o.put(key, in.eval(g, e.Init))
	}
}

func (in *interpreter) superCall(f *frame, x *js.CallExpr) value {
	args := in.arguments(f, &x.Args)
	o, ok := f.this.(*object)
	if !ok || f.home == nil {
		return undefined
	}
	if p, ok := f.home.parent.(*class); ok {
		in.initialize(p, o, args, 1)
	} else {
		o.open = true
	}
	in.fields(f.home, o)
	return undefined
}

// superMember returns a method of the parent class.
func (in *interpreter) superMember(f *frame, key string) value {
	if f.home != nil {
		if p, ok := f.home.parent.(*class); ok {
			return in.member(p.proto, key)
		}
	}
	return unknownValue
}

// instanceOf returns an instance of a class that no known code constructs.
func (in *interpreter) instanceOf(c *class) *object {
	if o, ok := in.tools.instances[c]; ok {
		return o
	}
	o := in.instantiate(c, []value{unknownValue, unknownValue, unknownValue, unknownValue})
	in.tools.instances[c] = o
	return o
}
