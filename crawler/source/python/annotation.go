package python

import (
	"slices"
	"strings"

	"mcpcensus/crawler/source/schema"
)

const maxNesting = 6 // of models and types in a schema

// types are the JSON Schema type and format of simple types, as in pydantic.
var types = map[string][2]string{
	"str": {"string"}, "int": {"integer"}, "float": {"number"}, "bool": {"boolean"},
	"Decimal": {"number"}, "PositiveInt": {"integer"}, "NonNegativeInt": {"integer"},
	"dict": {"object"}, "Dict": {"object"}, "Mapping": {"object"}, "MutableMapping": {"object"},
	"list": {"array"}, "List": {"array"}, "Sequence": {"array"}, "Iterable": {"array"},
	"set": {"array"}, "Set": {"array"}, "frozenset": {"array"}, "tuple": {"array"}, "Tuple": {"array"},
	"Path": {"string", "path"}, "datetime": {"string", "date-time"}, "date": {"string", "date"},
	"time": {"string", "time"}, "UUID": {"string", "uuid"}, "AnyUrl": {"string", "uri"},
	"HttpUrl": {"string", "uri"}, "EmailStr": {"string", "email"}, "bytes": {"string", "binary"},
	"SecretStr": {"string", "password"},
}

// simpleType returns the schema of a type by its name, empty if it is unknown.
func simpleType(name string) *schema.Object {
	t, ok := types[name]
	switch {
	case !ok:
		return &schema.Object{}
	case t[0] == "array":
		return schema.New("type", t[0], "items", &schema.Object{})
	case t[1] != "":
		return schema.New("type", t[0], "format", t[1])
	}
	return schema.New("type", t[0])
}

// annotation returns the schema of a type annotation. The schema of an unknown
// type is empty.
func (p *program) annotation(x expr, s *scope, depth int) *schema.Object {
	if depth > maxNesting {
		return &schema.Object{}
	}
	switch x := x.(type) {
	case literal:
		if text, ok := x.value.(string); ok {
			return p.annotation(expressionOf(text), s, depth+1)
		}
		if x.value == nil {
			return schema.New("type", "null")
		}
	case binary:
		if x.op == "|" {
			return p.union([]expr{x.x, x.y}, s, depth)
		}
	case index:
		return p.generic(x, s, depth)
	case name, attr:
		return p.named(x, s, depth)
	}
	return &schema.Object{}
}

func expressionOf(text string) expr {
	return (&parser{tokens: lex("(" + text + ")")}).expression()
}

// alias returns the binding of a name, such as a type alias.
func (p *program) alias(x expr, s *scope) *binding {
	id, ok := x.(name)
	if !ok {
		return nil
	}
	for hops := 0; hops < 10; hops++ {
		list := s.lookup(id.id)
		if len(list) == 0 {
			return nil
		}
		found := list[len(list)-1]
		switch {
		case found.x != nil:
			return found
		case found.imported == nil || found.imported.member == "":
			return nil
		}
		m := p.find(found.scope.module, found.imported.module)
		if m == nil {
			return nil
		}
		id, s = name{found.imported.member}, m.scope
	}
	return nil
}

func (p *program) named(x expr, s *scope, depth int) *schema.Object {
	v, ok := p.eval(x, s)
	switch v := v.(type) {
	case *external:
		return simpleType(last(v.path))
	case *class:
		if p.isEnum(v) {
			return p.enumeration(v)
		}
		if o := p.model(v, depth+1); o != nil {
			return o
		}
		return &schema.Object{}
	}
	if b := p.alias(x, s); b != nil && !ok && !b.busy {
		b.busy = true
		defer func() { b.busy = false }()
		return p.annotation(b.x, b.scope, depth+1)
	}
	return &schema.Object{}
}

func (p *program) enumeration(c *class) *schema.Object {
	var values []any
	if list, ok := p.members(c); ok {
		for _, m := range list {
			if v, ok := plain(m); ok {
				values = append(values, v)
			}
		}
	}
	return literals(values)
}

// literals returns the schema of a choice of constants.
func literals(values []any) *schema.Object {
	if len(values) == 0 {
		return &schema.Object{}
	}
	out := &schema.Object{}
	kinds := map[string]bool{}
	for _, v := range values {
		kinds[kindOf(v)] = true
	}
	if len(values) == 1 {
		out.Set("const", values[0])
	} else {
		out.Set("enum", values)
	}
	if kind := kindOf(values[0]); len(kinds) == 1 && kind != "" {
		out.Set("type", kind)
	}
	return out
}

func kindOf(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case int64:
		return "integer"
	case float64:
		return "number"
	case bool:
		return "boolean"
	case nil:
		return "null"
	}
	return ""
}

// union returns anyOf of the alternatives. Nested unions are flattened.
func (p *program) union(items []expr, s *scope, depth int) *schema.Object {
	var out []any
	for _, item := range items {
		o := p.annotation(item, s, depth+1)
		if nested, ok := o.Get("anyOf").([]any); ok && o.Len() == 1 {
			out = append(out, nested...)
			continue
		}
		out = append(out, o)
	}
	if len(out) == 1 {
		return out[0].(*schema.Object)
	}
	return schema.New("anyOf", out)
}

// generic returns the schema of a subscripted type.
func (p *program) generic(x index, s *scope, depth int) *schema.Object {
	var items []expr
	if tuple, ok := x.i.(sequence); ok && tuple.kind == '(' {
		items = tuple.items
	} else {
		items = []expr{x.i}
	}
	base := ""
	switch v, _ := p.eval(x.x, s); v := v.(type) {
	case *external:
		base = last(v.path)
	case *class:
		return p.named(x.x, s, depth)
	}
	switch base {
	case "Optional":
		return p.union([]expr{items[0], literal{nil}}, s, depth)
	case "Union":
		return p.union(items, s, depth)
	case "Literal":
		list, _ := p.items(items, s)
		values, known := plain(list)
		if !known {
			return &schema.Object{}
		}
		return literals(values.([]any))
	case "Annotated":
		out := p.annotation(items[0], s, depth+1).Clone()
		for _, item := range items[1:] {
			p.describe(out, item, s)
		}
		return out
	case "Final", "ClassVar", "Required", "NotRequired", "SkipValidation", "ReadOnly":
		return p.annotation(items[0], s, depth+1)
	}
	out := simpleType(base)
	switch out.Text("type") {
	case "array":
		out.Set("items", p.annotation(items[0], s, depth+1))
	case "object":
		if inner := p.annotation(items[len(items)-1], s, depth+1); inner.Len() > 0 {
			out.Set("additionalProperties", inner)
		} else {
			out.Set("additionalProperties", true)
		}
	}
	return out
}

// constraints are arguments of Field and their keywords in JSON Schema.
var constraints = map[string]string{
	"title": "title", "ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum",
	"pattern": "pattern", "regex": "pattern", "multiple_of": "multipleOf", "examples": "examples",
	"description": "description",
}

// describe adds the constraints of Field(...), or a string as the description, to a schema.
// It returns the Field, or nil.
func (p *program) describe(o *schema.Object, x expr, s *scope) *made {
	v, ok := p.eval(x, s)
	if !ok {
		return nil
	}
	if text, isText := constant(v); isText {
		o.Set("description", text)
		return nil
	}
	field, isMade := v.(*made)
	if !isMade || !isField(field.path) {
		return nil
	}
	for _, a := range field.node.args {
		key := constraints[a.name]
		switch a.name {
		case "min_length", "max_length":
			key = map[string]string{"min": "minLength", "max": "maxLength"}[a.name[:3]]
			if o.Text("type") == "array" {
				key = a.name[:3] + "Items"
			}
		}
		if key == "" {
			continue
		}
		if value, ok := p.eval(a.value, field.scope); ok {
			if value, ok = plain(value); ok && value != nil {
				o.Set(key, value)
			}
		}
	}
	return field
}

func isField(path string) bool {
	switch last(path) {
	case "Field", "Parameter", "Body", "Query", "FieldInfo":
		return true
	}
	return false
}

// field returns the schema of a parameter or of a model's field, its name in the schema, and
// whether it is required.
func (p *program) field(id string, annotation, value expr, s *scope, depth int) (*schema.Object, string, bool) {
	o := p.annotation(annotation, s, depth)
	if field := p.annotatedField(annotation, s); field != nil {
		id = p.aliasOf(field, id)
		if v, ok := p.keyword(field.node.args, -1, "default", field.scope); ok && value == nil {
			return p.withDefault(o, v), id, false
		}
	}
	if value == nil {
		return o, id, true
	}
	v, ok := p.eval(value, s)
	if field, isMade := v.(*made); isMade && isField(field.path) {
		p.describe(o, value, s)
		id = p.aliasOf(field, id)
		if argumentOf(field.node.args, -1, "default_factory") != nil {
			return o, id, false
		}
		x := argumentOf(field.node.args, 0, "default")
		if x == nil || isName(x, "...") {
			return o, id, true
		}
		v, ok = p.eval(x, field.scope)
		if !ok {
			return o, id, false
		}
		return p.withDefault(o, v), id, false
	}
	if isName(value, "...") {
		return o, id, true
	}
	if ok {
		o = p.withDefault(o, v)
	}
	return o, id, false
}

func (p *program) withDefault(o *schema.Object, v any) *schema.Object {
	if value, ok := plain(v); ok {
		o = o.Clone()
		o.Set("default", value)
	}
	return o
}

// annotatedField returns the Field of Annotated[..., Field(...)].
func (p *program) annotatedField(annotation expr, s *scope) *made {
	if b := p.alias(annotation, s); b != nil {
		annotation, s = b.x, b.scope
	}
	i, ok := annotation.(index)
	if !ok {
		return nil
	}
	tuple, ok := i.i.(sequence)
	if !ok || tuple.kind != '(' {
		return nil
	}
	for _, item := range tuple.items[min(1, len(tuple.items)):] {
		if v, ok := p.eval(item, s); ok {
			if field, isMade := v.(*made); isMade && isField(field.path) {
				return field
			}
		}
	}
	return nil
}

func (p *program) aliasOf(field *made, id string) string {
	for _, key := range []string{"validation_alias", "alias"} {
		if v, ok := p.keyword(field.node.args, -1, key, field.scope); ok {
			if text, isText := constant(v); isText {
				return text
			}
		}
	}
	return id
}

// model returns the schema of a pydantic model, dataclass or TypedDict of the files, nil for
// other classes.
func (p *program) model(c *class, depth int) *schema.Object {
	chain, outside := p.bases(c)
	known := slices.ContainsFunc(outside, func(path string) bool {
		switch last(path) {
		case "BaseModel", "TypedDict", "NamedTuple", "BaseSettings", "SQLModel":
			return true
		}
		return false
	}) || slices.ContainsFunc(c.def.decorators, func(d expr) bool {
		if called, ok := d.(*call); ok {
			d = called.fn
		}
		v, _ := p.eval(d, c.scope)
		e, ok := v.(*external)
		return ok && last(e.path) == "dataclass"
	})
	if !known || slices.ContainsFunc(outside, mayHaveFields) {
		return nil
	}
	if depth > maxNesting {
		return schema.New("type", "object")
	}
	properties := &schema.Object{}
	required := map[string]bool{}
	for _, k := range slices.Backward(chain) {
		for _, st := range k.def.body {
			if st.kind != assignStatement || st.annotation == nil {
				continue
			}
			id, ok := st.targets[0].(name)
			if !ok || strings.HasPrefix(id.id, "_") || id.id == "model_config" ||
				p.isClassVar(st.annotation, k) {
				continue
			}
			o, key, must := p.field(id.id, st.annotation, st.value, k.body, depth+1)
			properties.Set(key, o)
			required[key] = must
		}
	}
	out := schema.Parameters(properties, requiredOf(properties, required))
	if doc, ok := docstring(c.def.body); ok {
		out.Set("description", doc)
	}
	return out
}

// mayHaveFields reports whether a class from outside the files may have fields of its own.
func mayHaveFields(path string) bool {
	switch last(path) {
	case "BaseModel", "TypedDict", "NamedTuple", "BaseSettings", "SQLModel", "Generic", "Protocol",
		"ABC", "object":
		return false
	}
	return true
}

func requiredOf(properties *schema.Object, required map[string]bool) []string {
	var out []string
	for _, key := range properties.Keys() {
		if required[key] {
			out = append(out, key)
		}
	}
	return out
}

func (p *program) isClassVar(annotation expr, c *class) bool {
	if i, ok := annotation.(index); ok {
		annotation = i.x
	}
	v, _ := p.eval(annotation, c.body)
	e, ok := v.(*external)
	return ok && last(e.path) == "ClassVar"
}

// injected are types of parameters that the SDKs supply.
var injected = map[string]bool{
	"Context": true, "FastMCPContext": true, "RequestContext": true, "Progress": true,
}

func (p *program) isInjected(annotation expr, s *scope) bool {
	switch x := annotation.(type) {
	case name, attr:
		switch v, _ := p.eval(x, s); v := v.(type) {
		case *external:
			return injected[last(v.path)]
		case *class: // supplied by a decorator of the files
			return strings.HasSuffix(v.def.name, "Context")
		}
	case binary:
		return p.isInjected(x.x, s) || p.isInjected(x.y, s)
	case index: // Context[...], Optional[Context]
		return p.isInjected(x.x, s) || p.isInjected(x.i, s)
	}
	return false
}

// isDependency reports whether the SDK supplies a parameter because of its default.
func (p *program) isDependency(value expr, s *scope) bool {
	v, _ := p.eval(value, s)
	m, ok := v.(*made)
	return ok && (last(m.path) == "Depends" || strings.HasPrefix(last(m.path), "Current"))
}
