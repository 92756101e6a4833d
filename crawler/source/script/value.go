package script

import (
	"math"
	"slices"
	"strconv"

	"github.com/tdewolff/parse/v2/js"
)

// A value is the value of an expression: string, float64, bool, or one of the types of this
// file. Values from outside the files are unknown.
type value any

type unknown struct {
	// given reports that the value is set.
	given bool
	// setting is the optional setting that it depends on, such as FEATURE_X or FEATURE_X=true,
	// "" for none.
	setting string
}

type (
	undefinedValue struct{}
	nullValue      struct{}
)

var (
	unknownValue = &unknown{}
	given        = &unknown{given: true}
	undefined    = undefinedValue{}
	null         = nullValue{}
)

// property is a property of an object: a value or a getter.
type property struct {
	value  value
	getter *function
}

// object is an object, or an instance of a class.
type object struct {
	keys  []string
	props map[string]property
	// open reports that it may have more properties.
	open  bool
	proto *object
	class *class
}

func newObject() *object { return &object{} }

func (o *object) set(key string, p property) {
	if o.props == nil {
		o.props = map[string]property{}
	}
	if _, ok := o.props[key]; !ok {
		o.keys = append(o.keys, key)
	}
	o.props[key] = p
}

func (o *object) put(key string, v value) { o.set(key, property{value: v}) }

func (o *object) delete(key string) {
	if _, ok := o.props[key]; ok {
		delete(o.props, key)
		o.keys = slices.DeleteFunc(o.keys, func(k string) bool { return k == key })
	}
}

// own returns the value of a property of the object itself that is not a
// getter, or nil.
func (o *object) own(key string) value { return o.props[key].value }

const maxPrototypes = 32

// find returns the property of the object or its prototypes.
func (o *object) find(key string) (property, bool) {
	for depth := 0; o != nil && depth < maxPrototypes; depth++ {
		if p, ok := o.props[key]; ok {
			return p, true
		}
		o = o.proto
	}
	return property{}, false
}

// names returns the keys of the object and its prototypes.
func (o *object) names() []string {
	var out []string
	for depth := 0; o != nil && depth < maxPrototypes; depth++ {
		out = append(out, o.keys...)
		o = o.proto
	}
	return out
}

// incomplete reports whether properties of the object may be missing.
func (o *object) incomplete() bool {
	for depth := 0; o != nil && depth < maxPrototypes; depth++ {
		if o.open || o.class != nil && o.class.foreign {
			return true
		}
		o = o.proto
	}
	return false
}

// array is an array; open reports that it may have more items.
type array struct {
	items []value
	open  bool
	// unsure reports that it is one of several lists, of which it has all items.
	unsure bool
	flags  bool // the arguments of the command, which may have any flag
}

// limit truncates a list that is too long.
func (a *array) limit() *array {
	if len(a.items) > maxItems {
		a.items, a.open = a.items[:maxItems:maxItems], true
	}
	return a
}

// mapping is a Map or a Set; of a Set, keys equal values.
type mapping struct {
	keys, values []value
	open, unsure bool // as of an array
}

func (m *mapping) set(k, v value) {
	if i := slices.IndexFunc(m.keys, func(x value) bool { return same(x, k) }); i >= 0 {
		m.values[i] = v
		return
	}
	m.keys, m.values = append(m.keys, k), append(m.values, v)
}

// function is a closure.
type function struct {
	node   js.INode
	params *js.Params
	body   *js.BlockStmt
	module *module
	arrow  bool
	scope  *scope
	this   value  // of arrow functions
	home   *class // of methods
	object object // its properties

	called bool
}

// class is a class that the sources declare.
type class struct {
	node    *js.ClassDecl
	scope   *scope
	module  *module
	name    string
	parent  value
	proto   *object
	statics *object
	foreign bool // extends a class that is not among the sources
}

// external is a value of a package that is not among the sources, or of the runtime: its module
// ("" for the runtime) and the path of properties.
type external struct {
	module string
	path   string
	// options is the first argument, if it is the result of a call.
	options value
}

// namespace is the set of exports of a module.
type namespace struct{ module *module }

// scope contains the variables of a function call, a block of a loop or a module.
type scope struct {
	vars   map[*js.Var]value
	parent *scope
}

func newScope(parent *scope) *scope { return &scope{vars: map[*js.Var]value{}, parent: parent} }

func (s *scope) lookup(v *js.Var) (value, bool) {
	for ; s != nil; s = s.parent {
		if x, ok := s.vars[v]; ok {
			return x, true
		}
	}
	return nil, false
}

func (s *scope) assign(v *js.Var, x value) {
	for t := s; t != nil; t = t.parent {
		if _, ok := t.vars[v]; ok {
			t.vars[v] = x
			return
		}
	}
	s.vars[v] = x
}

func same(a, b value) bool {
	switch a := a.(type) {
	case string, float64, bool, undefinedValue, nullValue:
		return a == b
	case *object, *array, *function, *class, *mapping:
		return a == b
	}
	return false
}

// truth reports whether a value is truthy, and whether that is known.
func truth(v value) (truthy, known bool) {
	switch v := v.(type) {
	case string:
		return v != "", true
	case float64:
		return v != 0 && !math.IsNaN(v), true
	case bool:
		return v, true
	case undefinedValue, nullValue:
		return false, true
	case *object, *array, *function, *class, *mapping, *schema, *namespace, *expression:
		return true, true
	case *unknown:
		return v.given, v.given
	}
	return false, false
}

func isNullish(v value) bool {
	switch v.(type) {
	case undefinedValue, nullValue:
		return true
	}
	return false
}

func isUnknown(v value) bool {
	switch v.(type) {
	case *unknown, *external, nil:
		return true
	}
	return false
}

// text returns a primitive value as JavaScript prints it.
func text(v value) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case bool:
		return strconv.FormatBool(v), true
	case nullValue:
		return "null", true
	}
	return "", false
}
