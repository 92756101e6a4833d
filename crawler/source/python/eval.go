package python

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcpcensus/crawler/source/schema"
)

const (
	maxSteps     = 250_000   // evaluations for one statement of a file
	maxTotal     = 8_000_000 // evaluations for all files
	maxCalls     = 12        // nested calls of functions
	maxString    = 1 << 20
	maxEvalDepth = 500  // nested evaluations
	maxItems     = 2000 // of a list that is built
)

// A program is a set of modules that refer to each other.
type program struct {
	order      []*module
	modules    map[string][]*module // by every suffix of their dotted names
	classes    map[*statement]*class
	subclasses map[*statement][]*class
	options    map[string][]option // of command lines
	uses       uses
	fastMCP    int // major version of the imported FastMCP package, 0 without it
	steps      int // of the current statement
	total      int // of the previous statements
	calls      int
	cuts       int // evaluations that failed because of nesting, and may succeed elsewhere
	depth      int
	limit      int // of all steps
	stars      int // modules that "import *" searches for a name now
	starred    map[starSearch]bool
}

// starSearch is a name in a module that a search through "import *" has come to.
type starSearch struct {
	module *module
	name   string
}

// exhausted reports whether no steps are left.
func (p *program) exhausted() bool {
	return p.steps > maxSteps || p.total+p.steps > p.limit
}

// eval returns the value of an expression, false if it is not constant.
func (p *program) eval(x expr, s *scope) (any, bool) {
	if p.steps++; p.depth > maxEvalDepth || p.exhausted() {
		p.cuts++
		return nil, false
	}
	p.depth++
	defer func() { p.depth-- }()
	v, ok := p.evalForm(x, s)
	if v == (unknown{}) {
		return nil, false
	}
	return v, ok
}

func (p *program) evalForm(x expr, s *scope) (any, bool) {
	switch x := x.(type) {
	case literal:
		return x.value, true
	case name:
		return p.name(x.id, s)
	case attr:
		return p.attr(x, s)
	case *call:
		return p.call(x, s)
	case format:
		return p.format(x, s)
	case sequence:
		out, ok := p.items(x.items, s)
		return out, ok
	case mapping:
		return p.mapping(x, s)
	case index:
		return p.index(x, s)
	case binary:
		return p.binary(x, s)
	case unary:
		return p.unary(x, s)
	case conditional:
		return p.conditional(x, s)
	case *comprehension:
		return p.comprehension(x, s)
	case sum:
		return p.sum(x, s)
	}
	return nil, false
}

// attr evaluates an attribute of a value or of the command line.
func (p *program) attr(x attr, s *scope) (any, bool) {
	v, ok := p.eval(x.x, s)
	switch {
	case ok:
		return p.attribute(v, x.name)
	case p.isCommandLine(x.x, s, 0):
		return p.optionValue(x.name)
	}
	return nil, false
}

func isSum(b *binding) bool {
	_, ok := b.x.(sum)
	return ok
}

// sum evaluates an addition to a list, a dictionary or a string. Parts that are not constant
// become unknown elements of a list, or unknown members of a dictionary.
func (p *program) sum(x sum, s *scope) (any, bool) {
	v, ok := p.value(x.earlier)
	if !ok {
		return nil, false
	}
	more, ok := p.eval(x.more, s)
	switch v := v.(type) {
	case []any:
		if list, isList := more.([]any); isList {
			return add(v, list)
		}
		return add(v, []any{unknown{}})
	case *schema.Object:
		if o, isObject := more.(*schema.Object); isObject {
			return add(v, o)
		}
		return add(v, &schema.Object{More: true})
	}
	if !ok {
		return nil, false
	}
	return add(v, more)
}

// name looks up a name, innermost scope first. The last assignment that is constant and not None
// wins.
func (p *program) name(id string, s *scope) (any, bool) {
	p.steps++
	if bindings := s.lookup(id); len(bindings) > 0 {
		none := false
		for i := len(bindings) - 1; i >= 0; i-- {
			if v, ok := p.value(bindings[i]); ok {
				if v != nil {
					return v, true
				}
				none = true
			}
			for i > 0 && isSum(bindings[i]) { // skip the earlier values of the sum
				i--
			}
		}
		return nil, none
	}
	for _, b := range s.module.scope.names["*"] { // from x import *
		if p.steps++; p.exhausted() {
			break
		}
		m := p.find(s.module, b.imported.module)
		if key := (starSearch{m, id}); m != nil && !p.starred[key] {
			p.starred[key] = true
			p.stars++
			v, ok := p.member(m, id)
			if p.stars--; p.stars == 0 {
				clear(p.starred)
			}
			if ok {
				return v, true
			}
		}
	}
	return &external{id}, true
}

// lookup returns the bindings of a name in the innermost scope that has it.
func (s *scope) lookup(id string) []*binding {
	for ; s != nil; s = s.parent {
		if list := s.names[id]; len(list) > 0 {
			return list
		}
	}
	return nil
}

func (p *program) value(b *binding) (any, bool) {
	if b.busy || b.failed {
		if b.busy {
			p.cuts++
		}
		return nil, false
	}
	b.busy = true
	defer func() { b.busy = false }()
	if p.fail(b.tests, b.scope) {
		if x, ok := b.x.(sum); ok {
			return p.value(x.earlier)
		}
		return nil, false
	}
	switch {
	case b.known:
		return b.value, true
	case b.x != nil:
		before := p.cuts
		v, ok := p.eval(b.x, b.scope)
		if ok {
			b.known, b.value = true, v
		} else {
			b.failed = p.cuts == before
		}
		return v, ok
	case b.def != nil:
		if b.def.kind == classStatement {
			return p.class(b.def, b.scope), true
		}
		return &function{def: b.def, scope: b.scope}, true
	case b.imported != nil:
		return p.imported(b.imported, b.scope.module)
	case b.annotation != nil: // a parameter of a class of the files
		x := b.annotation
		if text, isText := x.(literal); isText {
			id, _ := constant(text.value)
			x = expressionOf(id)
		}
		if v, _ := p.eval(x, b.scope); v != nil {
			if c, ok := v.(*class); ok && !p.isEnum(c) {
				return p.constructed(c), true
			}
		}
	}
	return nil, false
}

func (p *program) imported(i *imported, from *module) (any, bool) {
	found := p.find(from, i.module)
	if i.member == "" {
		if i.as != "" {
			return &namespace{i.module, found, from}, true
		}
		first, _, _ := strings.Cut(i.module, ".")
		return &namespace{first, p.find(from, first), from}, true
	}
	if found != nil {
		if v, ok := p.member(found, i.member); ok {
			return v, true
		}
	}
	separator := "."
	if strings.HasSuffix(i.module, ".") {
		separator = ""
	}
	if m := p.find(from, i.module+separator+i.member); m != nil {
		return &namespace{i.module + separator + i.member, m, from}, true
	}
	if found != nil && len(found.scope.names[i.member]) > 0 {
		return nil, false // defined, but not constant
	}
	return &external{i.module + separator + i.member}, true
}

// member returns a name of a module of the files.
func (p *program) member(m *module, id string) (any, bool) {
	if len(m.scope.names[id]) > 0 || len(m.scope.names["*"]) > 0 {
		v, ok := p.name(id, m.scope)
		if e, isExternal := v.(*external); isExternal && e.path == id {
			return nil, false
		}
		return v, ok
	}
	if m.isDir {
		if sub := p.find(m, "."+id); sub != nil {
			return &namespace{m.dotted + "." + id, sub, m}, true
		}
	}
	return nil, false
}

func (p *program) class(def *statement, s *scope) *class {
	if c := p.classes[def]; c != nil {
		return c
	}
	c := &class{def: def, scope: s, body: newScope(s)}
	p.classes[def] = c
	c.body.collect(def.body)
	return c
}

func (p *program) attribute(v any, id string) (any, bool) {
	switch v := v.(type) {
	case *namespace:
		if v.module != nil {
			if out, ok := p.member(v.module, id); ok {
				return out, true
			}
		}
		if m := p.find(v.from, v.dotted+"."+id); m != nil {
			return &namespace{v.dotted + "." + id, m, v.from}, true
		}
		return &external{v.dotted + "." + id}, true
	case *external:
		return &external{v.path + "." + id}, true
	case *class:
		switch id {
		case "__name__":
			return v.def.name, true
		case "__doc__":
			return docstring(v.def.body)
		}
		return p.classAttribute(v, id)
	case *instance:
		return p.instanceAttribute(v, id)
	case *signatureOf:
		return v.parameters, id == "parameters"
	case parameterOf:
		return v.name, id == "name"
	case *member:
		switch id {
		case "value":
			return v.value, true
		case "name":
			return v.name, true
		}
	case *function:
		if v.self == nil && len(v.scope.names[v.def.name+"."+id]) > 0 {
			return p.name(v.def.name+"."+id, v.scope)
		}
		switch id {
		case "__name__":
			return v.def.name, true
		case "__doc__":
			return docstring(v.def.body)
		}
	}
	return nil, false
}

// bases returns the classes of the files that c inherits from, c first, and the paths of classes
// from outside.
func (p *program) bases(c *class) (chain []*class, outside []string) {
	seen := map[*class]bool{}
	var add func(c *class, depth int)
	add = func(c *class, depth int) {
		if seen[c] || depth > 20 {
			return
		}
		p.steps++
		seen[c] = true
		chain = append(chain, c)
		for _, base := range c.def.bases {
			x := base.value
			if i, ok := x.(index); ok { // Generic[T]
				x = i.x
			}
			switch v, _ := p.eval(x, c.scope); v := v.(type) {
			case *class:
				add(v, depth+1)
			case *external:
				outside = append(outside, v.path)
			}
		}
	}
	add(c, 0)
	return chain, outside
}

func (p *program) isEnum(c *class) bool {
	_, outside := p.bases(c)
	return slices.ContainsFunc(outside, func(path string) bool {
		return strings.HasSuffix(path, "Enum") || strings.HasSuffix(path, "Flag")
	})
}

func (p *program) classAttribute(c *class, id string) (any, bool) {
	chain, _ := p.bases(c)
	for _, k := range chain {
		bindings := k.body.names[id]
		for i := len(bindings) - 1; i >= 0; i-- {
			v, ok := p.value(bindings[i])
			if !ok {
				continue
			}
			if bindings[i].x != nil && p.isEnum(c) {
				return &member{id, v}, true
			}
			if f, isMade := v.(*made); isMade && isField(f.path) {
				return p.keyword(f.node.args, 0, "default", f.scope)
			}
			return v, true
		}
		if len(bindings) > 0 {
			return nil, false
		}
	}
	return nil, false
}

// instanceAttribute returns an attribute that __init__ sets, a property, a
// method or a class attribute.
func (p *program) instanceAttribute(o *instance, id string) (any, bool) {
	if r, found := o.attributes[id]; found {
		if r.busy {
			p.cuts++
		}
		return r.value, r.ok
	}
	if o.attributes == nil {
		o.attributes = map[string]result{}
	}
	o.attributes[id] = result{busy: true}
	before := p.cuts
	v, ok := p.findAttribute(o, id)
	o.attributes[id] = result{value: v, ok: ok}
	if !ok && p.cuts != before {
		delete(o.attributes, id)
	}
	return v, ok
}

func (p *program) findAttribute(o *instance, id string) (any, bool) {
	chain, _ := p.bases(o.class)
	if id == "__class__" {
		return o.class, true
	}
	for i, k := range chain {
		for _, b := range k.body.names[id] {
			if b.def == nil {
				continue
			}
			f := &function{def: b.def, scope: k.scope, self: o}
			if hasDecorator(b.def, "property", "cached_property", "abstractproperty") {
				return p.invoke(f, nil, nil)
			}
			return f, true
		}
		if v, ok := p.initialized(o, chain, i, id); ok && (v != nil || o.node != nil) {
			return v, true
		}
	}
	if i := fieldIndex(o.class, id); i >= 0 && o.node != nil && initializer(o.class) == nil {
		if v, ok := p.keyword(o.node.args, i, id, o.scope); ok {
			return v, true
		}
	}
	return p.classAttribute(o.class, id)
}

// fieldIndex returns the position of a field among the arguments of a class's generated
// constructor, -1 if it is not one.
func fieldIndex(c *class, id string) int {
	n := 0
	for _, st := range c.def.body {
		if st.kind != assignStatement || st.annotation == nil {
			continue
		}
		if isName(st.targets[0], id) {
			return n
		}
		n++
	}
	return -1
}

// hasDecorator reports whether a function has a decorator with one of these names, without
// arguments.
func hasDecorator(def *statement, names ...string) bool {
	return slices.ContainsFunc(def.decorators, func(d expr) bool {
		if _, isCall := d.(*call); isCall {
			return false
		}
		return slices.Contains(names, lastName(d))
	})
}

func initializer(c *class) *statement {
	for _, b := range c.body.names["__init__"] {
		if b.def != nil {
			return b.def
		}
	}
	return nil
}

// initialized returns the value that __init__ of chain[i] assigns to self.id.
func (p *program) initialized(o *instance, chain []*class, i int, id string) (any, bool) {
	def := initializer(chain[i])
	if def == nil {
		return nil, false
	}
	if p.calls >= maxCalls {
		p.cuts++
		return nil, false
	}
	p.calls++
	defer func() { p.calls-- }()
	s := p.initScope(o, chain, i)
	if len(def.params) == 0 || len(s.names[def.params[0].name+"."+id]) == 0 {
		return nil, false
	}
	return p.name(def.params[0].name+"."+id, s)
}

func isName(x expr, id string) bool {
	n, ok := x.(name)
	return ok && n.id == id
}

// initScope returns the scope of __init__ of chain[i] when called for o: with the arguments of
// the constructor, or those that a subclass passes on.
func (p *program) initScope(o *instance, chain []*class, i int) *scope {
	def := initializer(chain[i])
	f := &function{def: def, scope: chain[i].scope, self: o}
	for k := i - 1; k >= 0; k-- {
		derived := initializer(chain[k])
		if derived == nil {
			continue
		}
		if c := superCall(derived.body); c != nil {
			return p.callScope(f, c.args, p.initScope(o, chain, k))
		}
		return p.callScope(f, nil, nil)
	}
	if o.node != nil {
		return p.callScope(f, o.node.args, o.scope)
	}
	return p.callScope(f, nil, nil)
}

// superCall returns the call super().__init__(...) of a function.
func superCall(body []*statement) *call {
	for _, st := range body {
		if c, ok := st.value.(*call); ok {
			if a, ok := c.fn.(attr); ok && a.name == "__init__" {
				if inner, ok := a.x.(*call); ok && isName(inner.fn, "super") {
					return c
				}
			}
		}
		if c := superCall(st.body); c != nil && st.kind == blockStatement {
			return c
		}
	}
	return nil
}

// callScope returns the scope of a call of f with arguments of another scope.
func (p *program) callScope(f *function, args []argument, from *scope) *scope {
	s := newScope(f.scope)
	p.steps += 1 + len(f.def.body)
	params := f.def.params
	if f.self != nil && !hasDecorator(f.def, "staticmethod") {
		if len(params) > 0 && hasDecorator(f.def, "classmethod") {
			s.set(params[0].name, f.self.class)
			params = params[1:]
		} else if len(params) > 0 {
			s.set(params[0].name, f.self)
			params = params[1:]
		}
	}
	for i, param := range params {
		b := &binding{scope: s, annotation: param.annotation}
		if param.value != nil {
			b.x, b.scope = param.value, f.scope
		}
		if flag, x := optionDefault(f.def, param.name); x != nil {
			b.x, b.scope, b.setting = x, f.scope, flag
		}
		if x := argumentOf(args, i, param.name); x != nil && param.star == "" {
			b.x, b.scope, b.setting = x, from, ""
		}
		s.bind(param.name, b)
	}
	s.collect(f.def.body)
	return s
}

// optionDefault returns the flag and the default of a parameter in a decorator of a command-line
// program, such as click.option("--name", default=x), nil if there is none.
func optionDefault(def *statement, id string) (flag string, value expr) {
	for _, d := range def.decorators {
		c, ok := d.(*call)
		if !ok || len(c.args) == 0 || lastName(c.fn) != "option" {
			continue
		}
		for _, a := range c.args {
			l, _ := a.value.(literal)
			flag, _ = l.value.(string)
			if a.name != "" || strings.ReplaceAll(strings.TrimLeft(flag, "-"), "-", "_") != id {
				continue
			}
			x := argumentOf(c.args, -1, "default")
			if x == nil && argumentOf(c.args, -1, "is_flag") != nil {
				x = literal{false}
			}
			return flag, x
		}
	}
	return "", nil
}

// argumentOf returns the argument for a parameter, nil if there is none.
func argumentOf(args []argument, position int, id string) expr {
	for i, a := range args {
		if a.unpack == "*" && i <= position {
			position = -1
		}
		if a.name == id || i == position && a.name == "" && a.unpack == "" {
			return a.value
		}
	}
	return nil
}

func (p *program) items(items []expr, s *scope) ([]any, bool) {
	out := []any{}
	for _, item := range items {
		if star, ok := item.(starred); ok {
			v, ok := p.eval(star.x, s)
			list, isList := v.([]any)
			if !ok || !isList {
				return nil, false
			}
			out = append(out, list...)
			continue
		}
		v, ok := p.eval(item, s)
		if !ok {
			v = unknown{}
		}
		if len(out) > maxItems {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

// mapping evaluates a dictionary.
func (p *program) mapping(x mapping, s *scope) (any, bool) {
	out := &schema.Object{}
	for i, key := range x.keys {
		v, ok := p.eval(x.values[i], s)
		if key == nil {
			more, isObject := v.(*schema.Object)
			if !isObject {
				more = &schema.Object{More: true}
			}
			sum, _ := add(out, more)
			if out, ok = sum.(*schema.Object); !ok {
				return nil, false
			}
			continue
		}
		k, known := p.eval(key, s)
		if !known {
			out.More = true
			continue
		}
		text, isText := constant(k)
		if !isText {
			text = fmt.Sprint(k)
		}
		if !ok {
			v = unknown{}
		}
		out.Set(text, v)
	}
	return out, true
}

func (p *program) format(x format, s *scope) (any, bool) {
	var b strings.Builder
	for _, part := range x.parts {
		v, ok := p.eval(part, s)
		if !ok {
			return nil, false
		}
		text, ok := printed(v)
		if !ok || b.Len() > maxString {
			return nil, false
		}
		b.WriteString(text)
	}
	return b.String(), true
}

// printed returns str(v) for simple values.
func printed(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case int64:
		return fmt.Sprint(v), true
	case *member:
		return printed(v.value)
	case bool:
		if v {
			return "True", true
		}
		return "False", true
	case nil:
		return "None", true
	}
	return "", false
}

func (p *program) index(x index, s *scope) (any, bool) {
	v, ok := p.eval(x.x, s)
	if !ok {
		return nil, false
	}
	if i, _ := x.i.(binary); i.op == ":" {
		return p.slice(v, i, s)
	}
	i, ok := p.eval(x.i, s)
	if !ok {
		return nil, false
	}
	switch v := v.(type) {
	case *schema.Object:
		key, ok := printed(i)
		return v.Get(key), ok && v.Has(key)
	case []any:
		n, ok := i.(int64)
		if ok && n < 0 {
			n += int64(len(v))
		}
		if !ok || n < 0 || n >= int64(len(v)) {
			return nil, false
		}
		return v[n], true
	}
	return nil, false
}

// slice evaluates a part of a list.
func (p *program) slice(v any, x binary, s *scope) (any, bool) {
	list, ok := v.([]any)
	bound := func(x expr, without int64) int64 {
		i := any(without)
		if x != nil {
			i, _ = p.eval(x, s)
		}
		n, isNumber := i.(int64)
		if n < 0 {
			n += int64(len(list))
		}
		ok = ok && isNumber
		return min(max(n, 0), int64(len(list)))
	}
	low, high := bound(x.x, 0), bound(x.y, int64(len(list)))
	if !ok {
		return nil, false
	}
	return list[low:max(low, high)], true
}

func (p *program) binary(x binary, s *scope) (any, bool) {
	left, ok := p.eval(x.x, s)
	if !ok {
		return nil, false
	}
	switch x.op {
	case "or", "and":
		if truth, known := truthOf(left); known && truth == (x.op == "or") {
			return left, true
		} else if !known {
			return nil, false
		}
		return p.eval(x.y, s)
	}
	right, ok := p.eval(x.y, s)
	if !ok {
		return nil, false
	}
	if m, isNumber := left.(int64); isNumber {
		if n, isNumber := right.(int64); isNumber && orders[x.op] != nil {
			return slices.Contains(orders[x.op], cmp.Compare(m, n)), true
		}
	}
	switch x.op {
	case "+":
		return add(left, right)
	case "in", "not in":
		found, ok := contains(right, left)
		return found == (x.op == "in"), ok
	case "==", "is", "!=", "is not":
		a, isA := printed(left)
		b, isB := printed(right)
		return (a == b) == (x.op == "==" || x.op == "is"), isA && isB
	}
	return nil, false
}

// orders are the results of comparisons of numbers that make an operator true.
var orders = map[string][]int{"<": {-1}, "<=": {-1, 0}, ">": {1}, ">=": {1, 0}}

// contains reports whether a list or a dictionary has an element, if known. By default, no
// environment variable is set.
func contains(list, v any) (found, known bool) {
	text, known := printed(v)
	switch list := list.(type) {
	case *external:
		return false, known && isEnvironment(list.path)
	case []any:
		for _, item := range list {
			if t, ok := printed(item); ok && known && t == text {
				return true, true
			}
		}
		return false, known && !slices.Contains(list, any(unknown{}))
	case *schema.Object:
		return list.Has(text), known && (list.Has(text) || !list.More)
	}
	return false, false
}

func add(left, right any) (any, bool) {
	switch a := left.(type) {
	case nil:
		return right, right != nil
	case []any:
		b, ok := right.([]any)
		if ok && len(a)+len(b) <= maxItems {
			return append(append([]any{}, a...), b...), true
		}
	case *schema.Object:
		b, ok := right.(*schema.Object)
		if ok && a.Len()+b.Len() <= maxItems {
			out := a.Clone()
			for _, key := range b.Keys() {
				out.Set(key, b.Get(key))
			}
			out.More = out.More || b.More
			return out, true
		}
	}
	a, isA := constant(left)
	b, isB := constant(right)
	if isA && isB && len(a)+len(b) <= maxString {
		return a + b, true
	}
	return nil, false
}

func truthOf(v any) (truth, known bool) {
	switch v := v.(type) {
	case nil:
		return false, true
	case bool:
		return v, true
	case string:
		return v != "", true
	case int64:
		return v != 0, true
	case []any:
		return len(v) > 0, true
	case *schema.Object:
		return v.Len() > 0, v.Len() > 0 || !v.More
	case *function, *class, *instance, *member:
		return true, true
	}
	return false, false
}

func (p *program) unary(x unary, s *scope) (any, bool) {
	if x.op == "not" {
		truth, known := p.truth(x.x, s)
		return !truth, known
	}
	v, _ := p.eval(x.x, s)
	switch v := v.(type) {
	case int64:
		return -v, x.op == "-"
	case float64:
		return -v, x.op == "-"
	}
	return nil, false
}

func (p *program) conditional(x conditional, s *scope) (any, bool) {
	switch truth, known := p.truth(x.test, s); {
	case !known:
		return nil, false
	case truth:
		return p.eval(x.yes, s)
	}
	return p.eval(x.no, s)
}

func (p *program) truth(x expr, s *scope) (truth, known bool) {
	v, ok := p.eval(x, s)
	truth, known = truthOf(v)
	return truth, ok && known
}

func (p *program) comprehension(x *comprehension, s *scope) (any, bool) {
	list, ok := p.iterate(x.iter, s)
	if !ok {
		return nil, false
	}
	var out any = []any{}
	if x.key != nil {
		out = &schema.Object{}
	}
	for _, item := range list {
		inner := newScope(s)
		if !inner.unpack(x.target, item) {
			return nil, false
		}
		inner.collect(x.body)
		if p.fail(x.conditions, inner) {
			continue
		}
		v, ok := p.eval(x.element, inner)
		if _, isParameter := v.(parameterOf); isParameter && !p.decided(x.conditions, inner) {
			return nil, false
		}
		if !ok {
			v = unknown{}
		}
		if x.key != nil {
			k, _ := p.eval(x.key, inner)
			key, isText := constant(k)
			if !isText {
				return nil, false
			}
			v = schema.New(key, v)
		} else if !x.flat || !ok {
			v = []any{v}
		}
		if list, isList := out.([]any); isList && len(list) == 0 {
			out = v
		} else if out, ok = add(out, v); !ok {
			return nil, false
		}
	}
	return out, true
}

// fail reports whether one of the tests is false. Unknown tests do not fail: most are settings,
// which exclude nothing by default. Neither does None, which may be replaced elsewhere.
func (p *program) fail(tests []expr, s *scope) bool {
	return slices.ContainsFunc(tests, func(test expr) bool {
		v, ok := p.eval(test, s)
		truth, known := truthOf(v)
		return ok && known && !truth && v != nil
	})
}

// decided reports whether all tests are known.
func (p *program) decided(tests []expr, s *scope) bool {
	return !slices.ContainsFunc(tests, func(test expr) bool {
		_, known := p.truth(test, s)
		return !known
	})
}

// unpack binds the targets of an assignment to a value.
func (s *scope) unpack(target expr, v any) bool {
	switch target := target.(type) {
	case name:
		s.set(target.id, v)
		return true
	case sequence:
		list, ok := v.([]any)
		if !ok || len(list) != len(target.items) {
			return false
		}
		for i, item := range target.items {
			if !s.unpack(item, list[i]) {
				return false
			}
		}
		return true
	}
	return false
}

// iterate returns the elements of a list, the keys of a dictionary or the
// members of an enumeration.
func (p *program) iterate(x expr, s *scope) ([]any, bool) {
	v, ok := p.eval(x, s)
	if !ok {
		return nil, false
	}
	switch v := v.(type) {
	case []any:
		return v, len(v) <= maxItems
	case *schema.Object:
		out := []any{}
		for _, key := range v.Keys() {
			out = append(out, key)
		}
		if v.More {
			out = append(out, unknown{})
		}
		return out, true
	case *class:
		return p.members(v)
	}
	return nil, false
}

func (p *program) members(c *class) ([]any, bool) {
	if !p.isEnum(c) {
		return nil, false
	}
	out := []any{}
	for _, st := range c.def.body {
		if st.kind != assignStatement || len(st.targets) != 1 {
			continue
		}
		if id, ok := st.targets[0].(name); ok {
			if m, ok := p.classAttribute(c, id.id); ok {
				out = append(out, m)
			}
		}
	}
	return out, true
}
