package script

import (
	"cmp"
	"slices"
	"strings"
)

// schema is a schema of zod, or of a library with a similar API.
type schema struct {
	doc      *object // as JSON Schema, without the properties of shape
	shape    *object // the properties of an object
	optional bool
	// built is the result of document, for a shape of the given number of properties: schemas
	// share others, and would grow exponentially if each use had a copy.
	built      *object
	properties int
}

func typed(name string) *schema {
	s := &schema{doc: newObject()}
	if name != "" {
		s.doc.put("type", name)
	}
	return s
}

func (s *schema) clone() *schema {
	c := *s
	c.built = nil
	c.doc = &object{keys: slices.Clone(s.doc.keys), props: map[string]property{}, open: s.doc.open}
	for k, p := range s.doc.props {
		c.doc.props[k] = p
	}
	return &c
}

func (s *schema) with(key string, v value) *schema {
	c := s.clone()
	c.doc.put(key, v)
	return c
}

// document returns the JSON Schema.
func (s *schema) document() *object {
	if s.shape == nil {
		return s.doc
	}
	if s.built != nil && s.properties == len(s.shape.keys) {
		return s.built
	}
	o := newObject()
	s.built, s.properties = o, len(s.shape.keys)
	o.put("type", "object")
	properties, required := newObject(), &array{}
	properties.open = s.shape.open
	for _, k := range s.shape.keys {
		v := s.shape.props[k].value
		if s.shape.props[k].getter != nil {
			v = unknownValue
		}
		p, ok := v.(*schema)
		if !ok {
			properties.put(k, unknownValue)
			continue
		}
		properties.put(k, p.document())
		if !p.optional {
			required.items = append(required.items, k)
		}
	}
	o.put("properties", properties)
	if len(required.items) > 0 {
		o.put("required", required)
	}
	for _, k := range s.doc.keys {
		if k != "type" {
			o.put(k, s.doc.own(k))
		}
	}
	return o
}

func (s *schema) member(key string) value {
	switch key {
	case "shape", "entries":
		if s.shape != nil {
			return s.shape
		}
	case "_def", "def": // of a refined or optional schema
		if s.shape != nil {
			o := &object{open: true}
			o.put("schema", s.asOptional(false))
			o.put("innerType", s.asOptional(false))
			return o
		}
	case "options":
		if v := s.doc.own("enum"); v != nil {
			return v
		}
	}
	return unknownValue
}

// asSchema returns a value as a schema: one of a library, or the properties of an object. It
// returns nil for other values.
func asSchema(v value) *schema {
	switch v := v.(type) {
	case *schema:
		return v
	case *object:
		for _, k := range v.keys {
			if _, ok := v.own(k).(*schema); ok {
				s := typed("object")
				s.shape = v
				return s
			}
		}
	}
	return nil
}

// sub returns the JSON Schema of a value within a schema.
func sub(v value) value {
	if s := asSchema(v); s != nil {
		return s.document()
	}
	return newObject()
}

// simpleTypes maps zod functions whose arguments can be ignored to type and format.
var simpleTypes = map[string][2]string{
	"string": {"string"}, "number": {"number"}, "int": {"integer"}, "boolean": {"boolean"},
	"bigint": {"integer"}, "null": {"null"}, "date": {"string", "date-time"},
	"email": {"string", "email"}, "url": {"string", "uri"}, "uuid": {"string", "uuid"},
	"datetime": {"string", "date-time"}, "float": {"number"}, "int32": {"integer"},
	"stringbool": {"string"}, "tuple": {"array"}, "map": {"object"}, "any": {}, "unknown": {},
	"custom": {}, "lazy": {}, "json": {},
}

// schemaFuncs are the functions that only schema libraries have.
var schemaFuncs = map[string]bool{
	"string": true, "number": true, "boolean": true, "object": true, "array": true, "enum": true, "nativeEnum": true,
	"literal": true, "union": true, "discriminatedUnion": true, "record": true, "any": true, "strictObject": true,
}

func isZod(v value) bool {
	switch v := v.(type) {
	case *external:
		return strings.Contains(v.module, "zod") || v.path == "z" || strings.HasPrefix(v.path, "z.")
	case *object, *namespace:
		return true
	}
	return false
}

// isLibrary reports whether a receiver may be a schema library.
func (in *interpreter) isLibrary(receiver, fn value) bool {
	switch r := receiver.(type) {
	case undefinedValue:
		x, ok := fn.(*external)
		return ok && strings.Contains(x.module, "zod")
	case *external, *unknown:
		return true
	case *object:
		return r.open
	}
	return false
}

// construction returns the schema that a call constructs, or nil.
func (in *interpreter) construction(name string, receiver, fn value, args []value) value {
	if !in.isLibrary(receiver, fn) {
		return nil
	}
	if !schemaFuncs[name] && !isZod(receiver) && !isZod(fn) {
		return nil
	}
	if t, ok := simpleTypes[name]; ok {
		return simpleType(t, arg(args, 0))
	}
	if c := constructors[name]; c != nil {
		return c(in, arg(args, 0), args)
	}
	return nil
}

// innerKeys are the members of zod definitions that contain the inner schema or values.
var innerKeys = []string{"innerType", "schema", "element", "type", "values", "entries", "options", "valueType",
	"in", "out"}

// defined returns the schema of the definition passed to a zod 3 class or a zod 4
// constructor; nil for other classes. In a bundle these may be the only zod names left.
func (in *interpreter) defined(class, definition value) value {
	d, ok := definition.(*object)
	if !ok {
		return nil
	}
	kind, ok := definedKind(class, d)
	if !ok {
		return nil
	}
	if t, ok := simpleTypes[kind]; ok {
		return simpleType(t, d)
	}
	inner := in.innerOf(d, kind)
	if c := constructors[kind]; c != nil {
		return c(in, inner, []value{inner, inner})
	}
	if s := asSchema(inner); s != nil {
		return in.schemaMethod(s, kind, []value{in.member(d, "defaultValue")})
	}
	return nil
}

// definedKind returns the kind of a definition, as in [constructors]. It reports false if the
// class is not one of zod.
func definedKind(class value, d *object) (kind string, ok bool) {
	if f, isFunction := class.(*function); isFunction {
		name, _ := f.member("name").(string)
		kind, _ = d.own("type").(string)
		return kind, strings.HasPrefix(strings.TrimPrefix(name, "$"), "Zod")
	}
	name, _ := d.own("typeName").(string)
	kind, ok = strings.CutPrefix(name, "Zod")
	if !ok || kind == "" {
		return "", false
	}
	return strings.ToLower(kind[:1]) + kind[1:], true
}

// innerOf returns the schema, the list or the values in a definition.
func (in *interpreter) innerOf(d *object, kind string) value {
	if kind == "object" {
		shape := in.member(d, "shape")
		if f, ok := shape.(*function); ok {
			return in.invoke(f, d, nil)
		}
		return shape
	}
	var inner value = undefined
	for _, k := range innerKeys {
		v := in.member(d, k)
		if asSchema(v) != nil || isArray(v) || (k == "entries" || k == "values") && !isNullish(v) {
			inner = v
			break
		}
	}
	if kind != "literal" {
		return inner
	}
	if list, ok := inner.(*array); ok {
		return arg(list.items, 0)
	}
	return in.member(d, "value")
}

func simpleType(t [2]string, options value) value {
	s := typed(t[0])
	if t[1] != "" {
		s.doc.put("format", t[1])
	}
	if o, ok := options.(*object); ok {
		if d, ok := o.own("description").(string); ok {
			s.doc.put("description", d)
		}
	}
	return s
}

// constructors are the zod functions that accept schemas or values, called with the first
// argument and with all. They return nil for invalid arguments. Set by init to avoid an
// initialization cycle.
var constructors map[string]method[value]

func init() {
	object := func(_ *interpreter, a value, _ []value) value { return objectOf(a) }
	list := func(_ *interpreter, a value, _ []value) value { return typed("array").with("items", sub(a)) }
	enum := func(in *interpreter, a value, _ []value) value { return in.enumOf(a) }
	union := func(_ *interpreter, a value, _ []value) value { return unionOf(a) }
	lastOne := func(_ *interpreter, _ value, args []value) value {
		if s := asSchema(last(args)); s != nil {
			return s
		}
		return nil
	}
	wrap := func(name string) method[value] {
		return func(in *interpreter, a value, args []value) value {
			if s := asSchema(a); s != nil {
				return in.schemaMethod(s, name, args[1:])
			}
			return nil
		}
	}
	constructors = map[string]method[value]{
		"object": object, "strictObject": object, "looseObject": object,
		"array": list, "set": list, "enum": enum, "nativeEnum": enum, "union": union, "or": union,
		"literal":            func(_ *interpreter, a value, _ []value) value { return literalOf(a) },
		"discriminatedUnion": func(_ *interpreter, _ value, args []value) value { return unionOf(arg(args, 1)) },
		"record":             record,
		"optional":           wrap("optional"), "nullish": wrap("nullish"), "nullable": wrap("nullable"),
		"preprocess": lastOne,
	}
}

func record(_ *interpreter, _ value, args []value) value {
	s := typed("object")
	if v, ok := sub(last(args)).(*object); ok && len(v.keys) > 0 {
		s.doc.put("additionalProperties", v)
	}
	return s
}

func objectOf(v value) value {
	s := typed("object")
	switch v := v.(type) {
	case *object:
		s.shape = v
		return s
	case undefinedValue:
		s.shape = newObject()
		return s
	}
	return nil
}

func (in *interpreter) enumOf(v value) value {
	values, ok := v.(*array)
	s := typed("string")
	if o, isObject := v.(*object); isObject {
		values, ok = in.valuesOf(o, func(_ string, v value) value { return v }).(*array)
		s = typed("") // an enumeration may have numbers
	}
	if !ok || values.open || slices.ContainsFunc(values.items, func(v value) bool { return !isText(v) }) {
		return s
	}
	s = typed("string")
	s.doc.put("enum", values)
	return s
}

func literalOf(v value) value {
	s := typed("")
	if t, ok := typeName(v).(string); ok && t != "object" && t != "undefined" {
		s.doc.put("type", t)
	}
	s.doc.put("const", v)
	return s
}

func unionOf(v value) value {
	list, ok := v.(*array)
	if !ok {
		return typed("")
	}
	s := typed("")
	options := &array{}
	for _, item := range list.items {
		options.items = append(options.items, sub(item))
		if t, ok := item.(*schema); ok && t.optional {
			s.optional = true
		}
	}
	s.doc.put("anyOf", options)
	return s
}

var bounds = map[string][3]string{ // for strings, numbers, arrays
	"min": {"minLength", "minimum", "minItems"},
	"max": {"maxLength", "maximum", "maxItems"},
	"gte": {"", "minimum", ""}, "lte": {"", "maximum", ""},
	"gt": {"", "exclusiveMinimum", ""}, "lt": {"", "exclusiveMaximum", ""},
}

var formats = map[string]string{
	"email": "email", "url": "uri", "uuid": "uuid", "datetime": "date-time", "date": "date", "time": "time",
}

func (in *interpreter) schemaMethod(s *schema, name string, args []value) value {
	if b, ok := bounds[name]; ok {
		return s.bound(b, arg(args, 0))
	}
	if f, ok := formats[name]; ok {
		return s.with("format", f)
	}
	if m := schemaMethods[name]; m != nil {
		return m(in, s, args)
	}
	return s // checks and transformations do not change the input
}

// schemaMethods is set by init to avoid an initialization cycle.
var schemaMethods map[string]method[*schema]

func init() {
	put := func(key string, v value) method[*schema] {
		return func(_ *interpreter, s *schema, _ []value) value { return s.with(key, v) }
	}
	makeOptional := func(_ *interpreter, s *schema, _ []value) value { return s.asOptional(true) }
	withDefault := func(_ *interpreter, s *schema, args []value) value {
		c := s.with("default", arg(args, 0))
		c.optional = true
		return c
	}
	extend := func(in *interpreter, s *schema, args []value) value { return in.extend(s, arg(args, 0)) }
	unknownMethod := func(*interpreter, *schema, []value) value { return unknownValue }
	schemaMethods = map[string]method[*schema]{
		"describe": func(_ *interpreter, s *schema, args []value) value {
			return s.with("description", arg(args, 0))
		},
		"meta":     func(_ *interpreter, s *schema, args []value) value { return s.meta(arg(args, 0)) },
		"optional": makeOptional, "exactOptional": makeOptional,
		"nullable": func(_ *interpreter, s *schema, _ []value) value { return s.nullable() },
		"nullish":  func(_ *interpreter, s *schema, _ []value) value { return s.nullable().asOptional(true) },
		"default":  withDefault, "prefault": withDefault, "catch": withDefault,
		"int": put("type", "integer"), "positive": put("exclusiveMinimum", 0.0),
		"nonnegative": put("minimum", 0.0), "negative": put("exclusiveMaximum", 0.0),
		"strict":   put("additionalProperties", false),
		"nonempty": func(_ *interpreter, s *schema, _ []value) value { return s.bound(bounds["min"], 1.0) },
		"length": func(_ *interpreter, s *schema, args []value) value {
			return s.bound(bounds["min"], arg(args, 0)).bound(bounds["max"], arg(args, 0))
		},
		"array": func(_ *interpreter, s *schema, _ []value) value {
			return typed("array").with("items", s.document())
		},
		"or": func(_ *interpreter, s *schema, args []value) value {
			return unionOf(&array{items: []value{s, arg(args, 0)}})
		},
		"and": extend, "extend": extend, "merge": extend, "safeExtend": extend,
		"required": func(_ *interpreter, s *schema, args []value) value { return s.each(arg(args, 0), false) },
		"partial":  func(_ *interpreter, s *schema, args []value) value { return s.each(arg(args, 0), true) },
		"pick":     func(_ *interpreter, s *schema, args []value) value { return s.choose(arg(args, 0), true) },
		"omit":     func(_ *interpreter, s *schema, args []value) value { return s.choose(arg(args, 0), false) },
		"parse":    parsed, "parseAsync": parsed, "safeParse": safelyParsed,
		"safeParseAsync": safelyParsed, "isOptional": unknownMethod, "keyof": unknownMethod,
		"unwrap": inner, "removeDefault": inner, "innerType": inner, "sourceType": inner,
	}
}

// inner returns the object that a schema refines, or makes optional. Of other schemas, it may be an
// element.
func inner(_ *interpreter, s *schema, _ []value) value {
	if s.shape == nil {
		return unknownValue
	}
	return s.asOptional(false)
}

// parsed returns the validated value if it is known, or the environment variables of a shape.
func parsed(in *interpreter, s *schema, args []value) value {
	v := arg(args, 0)
	if e, ok := v.(*external); ok && e.isEnvironment() && s.shape != nil {
		return in.environment(s.shape)
	}
	if isKnown(v) {
		return v
	}
	return unknownValue
}

func (in *interpreter) environment(shape *object) *object {
	o := &object{open: shape.open}
	for _, k := range shape.keys {
		v := in.setting(k)
		if s, ok := shape.own(k).(*schema); v == undefined && (!ok || !s.optional) {
			v = unknownValue
		} else if v == undefined {
			v = cmp.Or(s.doc.own("default"), v)
		}
		o.put(k, v)
	}
	return o
}

func safelyParsed(in *interpreter, s *schema, args []value) value {
	v := parsed(in, s, args)
	if isUnknown(v) {
		return v
	}
	o := newObject()
	o.put("success", true)
	o.put("data", v)
	return o
}

func (s *schema) asOptional(isOptional bool) *schema {
	c := s.clone()
	c.optional = isOptional
	return c
}

// meta returns the schema with the title and description of an object.
func (s *schema) meta(v value) *schema {
	o := asObject(v)
	for _, k := range []string{"title", "description"} {
		if text, ok := o.own(k).(string); ok {
			s = s.with(k, text)
		}
	}
	return s
}

func (s *schema) bound(keys [3]string, v value) *schema {
	if _, ok := v.(float64); !ok {
		return s
	}
	i := slices.Index([]string{"string", "number", "array"}, strings.Replace(s.kind(), "integer", "number", 1))
	if i < 0 || keys[i] == "" {
		return s
	}
	return s.with(keys[i], v)
}

func (s *schema) kind() string {
	t, _ := s.doc.own("type").(string)
	return t
}

func (s *schema) nullable() *schema {
	if t := s.kind(); t != "" && s.shape == nil && s.doc.own("enum") == nil {
		return s.with("type", &array{items: []value{t, "null"}})
	}
	c := typed("")
	c.optional = s.optional
	nothing := newObject()
	nothing.put("type", "null")
	c.doc.put("anyOf", &array{items: []value{s.document(), nothing}})
	return c
}

// each returns an object with all properties, or the named ones, made optional or required.
func (s *schema) each(names value, isOptional bool) *schema {
	if s.shape == nil {
		return s
	}
	only, _ := names.(*object)
	c := s.clone()
	c.shape = newObject()
	c.shape.open = s.shape.open
	for _, k := range s.shape.keys {
		p, ok := s.shape.own(k).(*schema)
		if !ok || only != nil && only.own(k) == nil {
			c.shape.set(k, s.shape.props[k])
			continue
		}
		c.shape.put(k, p.asOptional(isOptional))
	}
	return c
}

// extend returns the object with the properties of another one.
func (in *interpreter) extend(s *schema, v value) *schema {
	c := s.clone()
	c.shape = newObject()
	shape, ok := v.(*object)
	if t := asSchema(v); t != nil {
		shape, ok = t.shape, t.shape != nil
	}
	if s.shape == nil || !ok {
		c.shape.open = true
	}
	for _, o := range []*object{s.shape, shape} {
		if o != nil {
			in.spread(c.shape, o)
		}
	}
	return c
}

// choose returns an object with or without the named properties.
func (s *schema) choose(v value, pick bool) *schema {
	names, ok := v.(*object)
	if !ok || s.shape == nil {
		return typed("object")
	}
	c := s.clone()
	c.shape = newObject()
	c.shape.open = s.shape.open || names.open
	for _, k := range s.shape.keys {
		if _, named := names.props[k]; named == pick {
			c.shape.set(k, s.shape.props[k])
		}
	}
	return c
}
