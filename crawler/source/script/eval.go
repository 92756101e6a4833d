package script

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2/js"

	"mcpcensus/crawler/source/listing"
)

// Limits of one evaluation.
const (
	maxSteps   = 10_000_000
	maxNesting = 2500 // nested expressions and statements
	maxCalls   = 150  // nested calls
	maxActive  = 40   // nested calls of one function
	maxItems   = 5000 // of an array or a loop
	// maxRecursions is the maximum number of recursive calls of a function.
	maxRecursions = 2000
	// maxRepeats is the maximum number of iterations of all loops with counters.
	maxRepeats = 5000
)

// interpreter evaluates modules. It follows both branches of unknown conditions, executes loops
// over known items, and calls known functions; everything else is unknown. It is not safe for
// concurrent use.
type interpreter struct {
	files   map[string]string
	aliases aliases
	modules map[string]*module

	syntax  *syntax
	pending []*function // functions that register tools

	// unsure are the variables without a value that were assigned one in a branch that may not
	// be taken.
	unsure map[*js.Var]bool

	running    map[*function]int // active calls
	recursions map[*function]int
	repeats    int

	// discarded is the latest call whose result is not used.
	discarded *js.CallExpr

	// rest is the branch of what follows a statement that leaves the block otherwise.
	rest *listing.Branch

	limit                 int // of steps
	steps, nesting, calls int
	stopped               bool

	optional    bool // optional settings are set
	hasOptional bool // the sources read optional settings

	tools collector
}

// frame is a function call that is being evaluated.
type frame struct {
	module  *module
	scope   *scope
	this    value
	home    *class
	returns []value
	// uncertain counts the enclosing branches that may not be taken.
	uncertain int
}

func (f *frame) inner() *frame {
	g := *f
	g.scope = newScope(f.scope)
	g.returns = nil
	return &g
}

// step counts one step of work and reports whether more is allowed.
func (in *interpreter) step() bool { return in.spend(1) }

// spend counts steps of work and reports whether more are allowed.
func (in *interpreter) spend(steps int) bool {
	in.steps += steps
	if in.steps > in.limit {
		in.stopped = true
	}
	return !in.stopped
}

func (in *interpreter) eval(f *frame, x js.IExpr) value {
	if x == nil {
		return undefined
	}
	if !in.step() || in.nesting > maxNesting {
		return unknownValue
	}
	in.nesting++
	v := in.expression(f, x)
	in.nesting--
	switch x := v.(type) { // memory counts as work
	case nil:
		return unknownValue
	case string:
		in.steps += len(x) / 64
	case *array:
		in.steps += len(x.items) / 32
	}
	return v
}

func (in *interpreter) expression(f *frame, x js.IExpr) value {
	switch x := x.(type) {
	case *js.Var:
		return in.variable(f, x)
	case *js.LiteralExpr:
		return in.literal(f, x)
	case *js.TemplateExpr:
		return in.template(f, x)
	case *js.ArrayExpr:
		return in.array(f, x)
	case *js.ObjectExpr:
		return in.object(f, x)
	case *js.DotExpr:
		v := in.eval(f, x.X)
		if isNullish(v) && isOptional(x) {
			return undefined
		}
		return in.property(f, v, dotName(x))
	case *js.IndexExpr:
		v := in.eval(f, x.X)
		if isNullish(v) && isOptional(x) {
			return undefined
		}
		return in.index(v, in.eval(f, x.Y))
	case *js.CallExpr:
		return in.call(f, x)
	case *js.NewExpr:
		return in.construct(f, x)
	case *js.GroupExpr:
		return in.eval(f, x.X)
	}
	return in.operation(f, x)
}

// operation evaluates operators and declarations.
func (in *interpreter) operation(f *frame, x js.IExpr) value {
	switch x := x.(type) {
	case *js.CommaExpr:
		var v value = undefined
		for _, e := range x.List {
			v = in.eval(f, e)
		}
		return v
	case *js.UnaryExpr:
		return in.unary(f, x)
	case *js.BinaryExpr:
		return in.binary(f, x)
	case *js.CondExpr:
		return in.conditional(f, x)
	case *js.ArrowFunc:
		return in.closure(f, &function{
			node: x, params: &x.Params, body: &x.Body, arrow: true, this: f.this, home: f.home,
		})
	case *js.FuncDecl:
		return in.function(f, x)
	case *js.ClassDecl:
		return in.class(f, x)
	case *js.YieldExpr:
		return in.eval(f, x.X)
	case *js.VarDecl:
		in.declare(f, x)
	case *js.ImportMetaExpr, js.ImportMetaExpr:
		return location(f.module)
	}
	return unknownValue
}

// root returns the declaration that a use of a variable refers to.
func root(v *js.Var) *js.Var {
	for v.Link != nil {
		v = v.Link
	}
	return v
}

// isOptional reports whether a chain of members and calls has an optional one: of nothing, the
// whole chain is undefined.
func isOptional(x js.IExpr) bool {
	switch x := x.(type) {
	case *js.DotExpr:
		return x.Optional || isOptional(x.X)
	case *js.IndexExpr:
		return x.Optional || isOptional(x.X)
	case *js.CallExpr:
		return x.Optional || isOptional(x.X)
	}
	return false
}

func dotName(x *js.DotExpr) string {
	switch y := x.Y.(type) {
	case js.LiteralExpr:
		return string(y.Data)
	case *js.Var:
		return string(y.Name()) // private: with its #
	}
	return ""
}

func (in *interpreter) variable(f *frame, x *js.Var) value {
	v := root(x)
	if r, ok := f.scope.lookup(v); ok {
		return r
	}
	switch v.Decl {
	case js.NoDecl:
	case js.VariableDecl:
		return undefined
	default:
		return unknownValue
	}
	name := string(v.Data)
	if b, ok := f.module.imports[name]; ok {
		r, _ := in.resolveBinding(f.module, b, 0)
		return r
	}
	switch name {
	case "undefined":
		return undefined
	case "NaN":
		return math.NaN()
	case "exports":
		return f.module.common
	case "module":
		return &external{path: "module"}
	case "__dirname", "__filename":
		return in.member(location(f.module), strings.TrimPrefix(name, "__"))
	}
	return &external{path: name}
}

func (in *interpreter) literal(f *frame, x *js.LiteralExpr) value {
	switch x.TokenType {
	case js.StringToken:
		return unquote(x.Data)
	case js.TrueToken:
		return true
	case js.FalseToken:
		return false
	case js.NullToken:
		return null
	case js.ThisToken:
		return f.this
	case js.RegExpToken:
		end := strings.LastIndexByte(string(x.Data), '/')
		return compile(string(x.Data[1:end]), string(x.Data[end:]))
	}
	if js.IsNumeric(x.TokenType) {
		s := strings.ReplaceAll(string(x.Data), "_", "")
		if n, err := strconv.ParseFloat(s, 64); err == nil {
			return n
		}
		if n, err := strconv.ParseInt(s, 0, 64); err == nil {
			return float64(n)
		}
	}
	return unknownValue
}

func (in *interpreter) template(f *frame, x *js.TemplateExpr) value {
	if x.Tag != nil {
		tag := in.eval(f, x.Tag)
		for _, p := range x.List {
			in.eval(f, p.Expr)
		}
		// String.raw and the tags of libraries that only mark a language
		if len(x.List) == 0 && isUnknown(tag) {
			return templateText(x.Tail)
		}
		return unknownValue
	}
	var b strings.Builder
	known := true
	for _, p := range x.List {
		b.WriteString(templateText(p.Value))
		s, ok := text(in.eval(f, p.Expr))
		known = known && ok
		b.WriteString(s)
	}
	b.WriteString(templateText(x.Tail))
	if !known || b.Len() > maxText {
		return unknownValue
	}
	return b.String()
}

const maxText = 256 << 10

func (in *interpreter) array(f *frame, x *js.ArrayExpr) value {
	a := &array{}
	for _, e := range x.List {
		if e.Value == nil {
			a.items = append(a.items, undefined)
			continue
		}
		v := in.eval(f, e.Value)
		if !e.Spread {
			a.items = append(a.items, v)
			continue
		}
		items, whole := in.iterate(v)
		if !whole {
			a.open = true
		}
		a.items = append(a.items, items...)
		a.limit()
	}
	return a
}

func (in *interpreter) object(f *frame, x *js.ObjectExpr) value {
	o := newObject()
	for i := range x.List {
		p := &x.List[i]
		if p.Spread {
			in.spread(o, in.eval(f, p.Value))
			continue
		}
		if m, ok := p.Value.(*js.MethodDecl); ok {
			key, ok := in.key(f, &m.Name.PropertyName)
			fn := in.closure(f, &function{node: m, params: &m.Params, body: &m.Body})
			switch {
			case !ok:
				o.open = true
			case m.Get:
				o.set(key, property{getter: fn})
			case !m.Set:
				o.put(key, fn)
			}
			continue
		}
		key, ok := in.key(f, p.Name)
		v := in.eval(f, p.Value)
		if !ok {
			o.open = true
			continue
		}
		o.put(key, v)
	}
	in.tools.candidate(o)
	return o
}

// spread copies the properties of v into o.
func (in *interpreter) spread(o *object, v value) {
	switch v := v.(type) {
	case *object:
		for _, k := range v.keys {
			o.put(k, in.member(v, k))
		}
		if b, found := in.tools.parts[v]; found {
			in.tools.depend(o, b)
		}
		o.open = o.open || v.open || v.class != nil && v.class.foreign
	case *schema:
		in.spread(o, v.document())
	case *namespace:
		for _, k := range in.exportNames(v.module, 0) {
			if x, ok := in.export(v.module, k, 0); ok {
				o.put(k, x)
			}
		}
	case undefinedValue, nullValue, bool, float64:
	default:
		o.open = true
	}
}

func (in *interpreter) key(f *frame, n *js.PropertyName) (string, bool) {
	if n.Computed != nil {
		return text(in.eval(f, n.Computed))
	}
	if n.Literal.TokenType == js.StringToken {
		return unquote(n.Literal.Data), true
	}
	if js.IsNumeric(n.Literal.TokenType) {
		return text(in.literal(f, &n.Literal))
	}
	return string(n.Literal.Data), true
}

func (in *interpreter) closure(f *frame, fn *function) *function {
	fn.scope, fn.module = f.scope, f.module
	if _, found := in.syntax.registering[fn.node]; found {
		in.pending = append(in.pending, fn)
	}
	return fn
}

func (in *interpreter) conditional(f *frame, x *js.CondExpr) value {
	t, known, setting := in.condition(f, x.Cond)
	if known && !t {
		return in.eval(f, x.Y)
	}
	if known && setting == "" {
		return in.eval(f, x.X)
	}
	var a value
	in.under(x.Cond, setting, func() { a = in.eval(f, x.X) })
	if known {
		in.dependOn(x.Cond, setting, a, nil)
		return a
	}
	b := in.eval(f, x.Y)
	in.dependOn(x.Cond, setting, a, b)
	return either(a, b)
}

// dependOn notes that the objects in v that are not in other depend on a condition.
func (in *interpreter) dependOn(cond js.IExpr, setting string, v, other value) {
	if a, ok := v.(*array); ok {
		if b, ok := other.(*array); ok {
			v = &array{items: slices.DeleteFunc(slices.Clone(a.items), func(item value) bool {
				return slices.ContainsFunc(b.items, func(x value) bool { return same(x, item) })
			})}
		}
	}
	in.under(cond, setting, func() {
		if n := len(in.tools.branches); n > 0 {
			in.tools.depend(v, in.tools.branches[n-1])
		}
	})
}

// condition returns the truth of an expression, if known, and the optional setting that it
// depends on, "" for none.
func (in *interpreter) condition(f *frame, x js.IExpr) (truthy, known bool, setting string) {
	switch y := x.(type) {
	case *js.GroupExpr:
		return in.condition(f, y.X)
	case *js.Var:
		if in.unsure[root(y)] {
			return false, false, ""
		}
	case *js.UnaryExpr:
		if y.Op == js.NotToken {
			truthy, known, setting = in.condition(f, y.X)
			return !truthy, known, setting
		}
	case *js.BinaryExpr:
		if y.Op == js.AndToken {
			a, knownA, settingA := in.condition(f, y.X)
			if knownA && !a {
				return false, true, settingA
			}
			b, knownB, settingB := in.condition(f, y.Y)
			return b, knownB && (knownA || !b), cmp.Or(settingB, settingA)
		}
	}
	v := in.eval(f, x)
	truthy, known = truth(v)
	return truthy, known, settingOf(v)
}

func isArray(v value) bool { _, ok := v.(*array); return ok }

// either returns the value of an expression with two possible values: both lists, the results with
// both lists of tools, or else the more informative one.
func either(a, b value) value {
	if c, d := toolsIn(a), toolsIn(b); c != nil && d != nil && c != d {
		both := newObject()
		both.put("tools", either(c, d))
		return both
	}
	x, ok1 := a.(*array)
	y, ok2 := b.(*array)
	if ok1 && ok2 {
		if x == y {
			return x
		}
		return (&array{items: slices.Concat(x.items, y.items), open: x.open || y.open, unsure: true}).limit()
	}
	if a == "" && isText(b) {
		return b
	}
	m, n := informative(a), informative(b)
	if max(m, n) == 2 && !same(a, b) {
		return unknownValue
	}
	if m >= n {
		return a
	}
	return b
}

// toolsIn returns the list in a result of tools/list, nil if v is none.
func toolsIn(v value) *array {
	if o, ok := v.(*object); ok {
		list, _ := o.props["tools"].value.(*array)
		return list
	}
	return nil
}

// informative rates the information in a value: 0 for none, 1 for unknown values, 2 for values
// that rarely concern tools, 3 for others.
func informative(v value) int {
	switch v := v.(type) {
	case nil, undefinedValue, nullValue:
		return 0
	case *unknown, *external:
		return 1
	case bool, float64:
		return 2
	case *object:
		if len(v.keys) == 0 && v.class == nil {
			return 2
		}
	}
	return 3
}

func (in *interpreter) unary(f *frame, x *js.UnaryExpr) value {
	v := in.eval(f, x.X)
	switch x.Op {
	case js.TypeofToken:
		return typeName(v)
	case js.AwaitToken:
		return v
	case js.NotToken:
		return not(v)
	case js.VoidToken:
		return undefined
	case js.NegToken:
		if n, ok := v.(float64); ok {
			return -n
		}
	case js.PreIncrToken, js.PreDecrToken, js.PostIncrToken, js.PostDecrToken:
		return in.increment(f, x, v)
	}
	return unknownValue
}

// increment assigns the incremented or decremented number to an expression.
func (in *interpreter) increment(f *frame, x *js.UnaryExpr, old value) value {
	n, ok := old.(float64)
	if !ok {
		in.assign(f, x.X, unknownValue)
		return unknownValue
	}
	next := n + 1
	if x.Op == js.PreDecrToken || x.Op == js.PostDecrToken {
		next = n - 1
	}
	in.assign(f, x.X, next)
	if x.Op == js.PostIncrToken || x.Op == js.PostDecrToken {
		return n
	}
	return next
}

func not(v value) value {
	if t, known := truth(v); known {
		return !t
	}
	return unknownValue
}

func typeName(v value) value {
	switch v.(type) {
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	case undefinedValue:
		return "undefined"
	case *function, *class:
		return "function"
	case *object, *array, *mapping, *schema, nullValue, *namespace, *expression:
		return "object"
	}
	return unknownValue
}

func (in *interpreter) binary(f *frame, x *js.BinaryExpr) value {
	switch x.Op {
	case js.AndToken, js.OrToken, js.NullishToken:
		return in.logical(f, x.Op, x.X, x.Y)
	}
	if v, ok := in.assignment(f, x); ok {
		in.assign(f, x.X, v)
		return v
	}
	a, b := in.eval(f, x.X), in.eval(f, x.Y)
	switch x.Op {
	case js.AddToken:
		return add(a, b)
	case js.EqEqToken, js.EqEqEqToken, js.NotEqToken, js.NotEqEqToken:
		return compareEqual(x.Op, a, b)
	case js.InToken:
		return has(a, b)
	}
	m, ok1 := a.(float64)
	n, ok2 := b.(float64)
	if ok1 && ok2 {
		return arithmetic(x.Op, m, n)
	}
	return unknownValue
}

// has returns whether a key is in an object.
func has(key, v value) value {
	k, ok := text(key)
	o, isObject := v.(*object)
	if !ok || !isObject {
		return unknownValue
	}
	if _, found := o.find(k); found || !o.incomplete() {
		return found
	}
	return unknownValue
}

// assignment returns the value that an expression assigns, if any.
func (in *interpreter) assignment(f *frame, x *js.BinaryExpr) (value, bool) {
	switch x.Op {
	case js.EqToken:
		return in.eval(f, x.Y), true
	case js.AddEqToken:
		return add(in.eval(f, x.X), in.eval(f, x.Y)), true
	}
	if assigns[x.Op] {
		in.eval(f, x.Y)
		return unknownValue, true
	}
	return nil, false
}

func compareEqual(op js.TokenType, a, b value) value {
	loose := op == js.EqEqToken || op == js.NotEqToken
	positive := op == js.EqEqToken || op == js.EqEqEqToken
	if equal, known := equals(a, b, loose); known {
		return equal == positive
	}
	if positive {
		return equalSetting(a, b)
	}
	return unknownValue
}

func arithmetic(op js.TokenType, a, b float64) value {
	switch op {
	case js.SubToken:
		return a - b
	case js.MulToken:
		return a * b
	case js.DivToken:
		return a / b
	case js.LtToken:
		return a < b
	case js.LtEqToken:
		return a <= b
	case js.GtToken:
		return a > b
	case js.GtEqToken:
		return a >= b
	}
	return unknownValue
}

func add(a, b value) value {
	if m, ok := a.(float64); ok {
		if n, ok := b.(float64); ok {
			return m + n
		}
	}
	s, ok1 := text(a)
	t, ok2 := text(b)
	_, string1 := a.(string)
	_, string2 := b.(string)
	if ok1 && ok2 && (string1 || string2) && len(s)+len(t) <= maxText {
		return s + t
	}
	return unknownValue
}

func equals(a, b value, loose bool) (equal, known bool) {
	if isUnknown(a) || isUnknown(b) {
		return false, false
	}
	if loose && isNullish(a) && isNullish(b) {
		return true, true
	}
	switch a.(type) {
	case string, float64, bool, undefinedValue, nullValue, *object, *array, *function, *class, *mapping:
		return same(a, b), true
	}
	return false, isNullish(b)
}

func (in *interpreter) logical(f *frame, op js.TokenType, x, y js.IExpr) value {
	a := in.eval(f, x)
	t, known := truth(a)
	if op == js.NullishToken {
		t, known = !isNullish(a), !isUnknown(a) || settingOf(a) != ""
	}
	if op == js.AndToken {
		if known && !t {
			return a
		}
		b := in.eval(f, y)
		if setting := settingOf(a); !known || setting != "" {
			in.dependOn(x, setting, b, nil)
		}
		return b
	}
	if known && t {
		return a
	}
	b := in.eval(f, y)
	switch {
	case known:
		return b
	case informative(a) > 1:
		return a
	}
	if informative(b) <= 2 { // such as {}, when the left side may have more
		return unknownValue
	}
	// The left side is external: the default applies if it is not set.
	return either(b, a)
}

func (in *interpreter) assign(f *frame, target js.IExpr, v value) {
	switch t := target.(type) {
	case *js.Var:
		old, _ := f.scope.lookup(root(t))
		if f.uncertain > 0 && isArray(old) && isArray(v) {
			v = either(old, v)
		}
		in.unsure[root(t)] = f.uncertain > 0 && (isNullish(old) || in.unsure[root(t)])
		f.scope.assign(root(t), v)
	case *js.GroupExpr:
		in.assign(f, t.X, v)
	case *js.DotExpr:
		o := in.eval(f, t.X)
		in.setProperty(o, dotName(t), v)
		in.assignModule(f, t, v)
	case *js.IndexExpr:
		o := in.eval(f, t.X)
		if key, ok := text(in.eval(f, t.Y)); ok {
			in.setProperty(o, key, v)
		} else if o, ok := o.(*object); ok {
			o.open = true
		}
	}
}

// assignModule handles module.exports = v.
func (in *interpreter) assignModule(f *frame, t *js.DotExpr, v value) {
	if dotName(t) != "exports" {
		return
	}
	if x, ok := t.X.(*js.Var); ok && root(x).Decl == js.NoDecl && string(x.Name()) == "module" {
		f.module.common = v
	}
}

func (in *interpreter) setProperty(o value, key string, v value) {
	switch o := o.(type) {
	case *object:
		if p, ok := o.props[key]; ok && p.getter != nil {
			return
		}
		if old, ok := o.props[key]; ok && informative(v) <= 1 && informative(old.value) > 1 && o.class != nil {
			return // another call sets the field of the instance
		}
		o.put(key, v)
	case *function:
		o.object.put(key, v)
	case *class:
		o.statics.put(key, v)
	}
}

// property returns a property of a value, where f is the caller.
func (in *interpreter) property(f *frame, v value, key string) value {
	if x, ok := v.(*external); ok {
		if x.module == "" && x.path == "module" && key == "exports" {
			return f.module.common
		}
	}
	return in.member(v, key)
}

func (in *interpreter) index(v, key value) value {
	if k, ok := text(key); ok {
		return in.member(v, k)
	}
	return unknownValue
}

func (in *interpreter) member(v value, key string) value {
	switch v := v.(type) {
	case *object:
		return in.memberOf(v, key)
	case *array:
		return v.member(key)
	case *namespace:
		return in.memberOfModule(v, key)
	case *function:
		return v.member(key)
	case *class:
		return in.static(v, key)
	case *schema:
		return v.member(key)
	case *external:
		return in.externalMember(v, key)
	case string:
		if key == "length" {
			return float64(len(v))
		}
		if i, err := strconv.Atoi(key); err == nil {
			return character(v, float64(i))
		}
	}
	return unknownValue
}

func (in *interpreter) memberOfModule(n *namespace, key string) value {
	if x, ok := in.export(n.module, key, 0); ok {
		return x
	}
	if key == "default" {
		return n
	}
	return unknownValue
}

func (in *interpreter) memberOf(o *object, key string) value {
	p, ok := o.find(key)
	switch {
	case key == "constructor" && o.class != nil:
		return o.class
	case ok && p.getter != nil:
		return in.invoke(p.getter, o, nil)
	case ok:
		return p.value
	case o.incomplete():
		return unknownValue
	}
	return undefined
}

func (a *array) member(key string) value {
	if key == "length" && !a.open {
		return float64(len(a.items))
	}
	i, err := strconv.Atoi(key)
	switch {
	case err == nil && i >= 0 && i < len(a.items):
		return a.items[i]
	case err == nil && !a.open:
		return undefined
	}
	return unknownValue
}

func (fn *function) member(key string) value {
	if p, ok := fn.object.props[key]; ok {
		return p.value
	}
	return unknownValue
}

func (in *interpreter) externalMember(v *external, key string) value {
	if v.isEnvironment() {
		return in.setting(key)
	}
	if key == "argv" && (v.path == "process" || isProcess(v.module)) {
		return in.commandLine()
	}
	if v.options != nil {
		return unknownValue
	}
	if v.path == "" || v.path == "default" {
		return &external{module: v.module, path: key}
	}
	if len(v.path) > 200 {
		return unknownValue
	}
	return &external{module: v.module, path: v.path + "." + key}
}

// iterate returns the items of an iterable value, and whether they are complete.
func (in *interpreter) iterate(v value) ([]value, bool) {
	switch v := v.(type) {
	case *array:
		return v.items, !v.open
	case *mapping:
		if len(v.keys) > 0 && same(v.keys[0], v.values[0]) {
			return v.values, !v.open
		}
		out := make([]value, len(v.keys))
		for i := range v.keys {
			out[i] = &array{items: []value{v.keys[i], v.values[i]}}
		}
		return out, !v.open
	case undefinedValue, nullValue:
		return nil, true
	}
	return nil, false
}
