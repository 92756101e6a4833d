package golang

import (
	"encoding/json"
	"go/ast"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/crawler/source/listing"
	"mcpcensus/crawler/source/schema"
	"mcpcensus/internal/registry"
)

const (
	maxNesting = 6 // of structs in a schema
	maxOptions = 5 // nested functions that return options
)

// propertyTypes are the parameter types of the With... options.
var propertyTypes = map[string]string{
	"WithString": "string", "WithNumber": "number", "WithInteger": "integer",
	"WithBoolean": "boolean", "WithBool": "boolean", "WithInt": "integer", "WithFloat": "number",
	"WithObject": "object", "WithArray": "array", "WithAny": "",
}

// options applies the options of NewTool. It follows functions of the files that return options.
// It reports whether all of them are known.
func (s *scanner) options(
	t *registry.Tool, root *schema.Object, args []ast.Expr, e *env, depth int,
) bool {
	if depth > maxOptions {
		return false
	}
	whole := true
	for _, x := range args {
		if c, ok := x.(*ast.CallExpr); ok {
			whole = s.option(t, root, c, e, depth) && whole
			continue
		}
		if list, ok := s.elements(x, e); ok {
			for _, item := range list {
				whole = s.options(t, root, []ast.Expr{item.x}, item.env, depth+1) && whole
			}
		} else if v := s.resolve(bound{x, e}); v.x != nil && v.x != x {
			whole = s.options(t, root, []ast.Expr{v.x}, v.env, depth+1) && whole
		} else {
			whole = false
		}
		whole = s.later(t, root, x, e, depth) && whole
	}
	return whole
}

// later applies the options that are appended to a variable after its first value, which may depend
// on anything: annotations among them make those of the tool unknown. It reports whether there are none.
func (s *scanner) later(t *registry.Tool, root *schema.Object, x ast.Expr, e *env, depth int) bool {
	all, known := s.assignedAgain(x, e), t.Annotations
	for _, x := range all {
		if c, ok := x.(*ast.CallExpr); ok && lastName(c.Fun) == "append" && len(c.Args) > 1 {
			s.options(t, root, c.Args[1:], e, depth+1)
		}
	}
	if t.Annotations != known {
		t.Annotations = nil
	}
	return len(all) == 0
}

// assignedAgain returns what a variable is assigned after its first value.
func (s *scanner) assignedAgain(x ast.Expr, e *env) []ast.Expr {
	id, isVariable := x.(*ast.Ident)
	for ; isVariable && e != nil; e = e.parent {
		if _, found := e.vars[id.Name]; found {
			return e.again[id.Name]
		}
	}
	return nil
}

// option applies an option. It reports whether it is known which parameters that adds.
func (s *scanner) option(
	t *registry.Tool, root *schema.Object, c *ast.CallExpr, e *env, depth int,
) bool {
	id := lastName(c.Fun)
	if kind, ok := propertyTypes[id]; ok && len(c.Args) > 0 {
		return s.property(root, kind, c.Args, e)
	}
	var first ast.Expr
	if len(c.Args) > 0 {
		first = c.Args[0]
	}
	switch id {
	case "append":
		return s.options(t, root, c.Args, e, depth+1)
	case "WithDescription":
		s.describe(t, first, e)
	case "WithTitleAnnotation", "WithToolTitle", "WithTitle":
		t.Title, _ = s.text(first, e)
	case "WithToolAnnotation", "WithAnnotations":
		s.annotate(t, first, e)
	case "WithReadOnlyHintAnnotation", "WithDestructiveHintAnnotation",
		"WithIdempotentHintAnnotation", "WithOpenWorldHintAnnotation":
		if b, ok := s.boolean(first, e); ok {
			listing.SetHint(t, id, b)
		}
	case "WithRawInputSchema":
		t.InputSchema = s.schema(first, e)
		return t.InputSchema != nil
	case "WithInputSchema":
		if i, ok := c.Fun.(*ast.IndexExpr); ok {
			t.InputSchema = encoded(s.typeSchema(i.Index, e, 0))
		}
		return t.InputSchema != nil
	default:
		return s.ownOption(t, root, c, e, depth)
	}
	return true
}

// ownOption applies the options in a function of the files. Other options of the SDK add no
// parameters.
func (s *scanner) ownOption(
	t *registry.Tool, root *schema.Object, c *ast.CallExpr, e *env, depth int,
) bool {
	d, f := s.declaration(c.Fun, e)
	if d == nil || d.Body == nil {
		of, ok := c.Fun.(*ast.SelectorExpr)
		return ok && lastName(of.X) == "mcp" && strings.HasPrefix(of.Sel.Name, "With")
	}
	inner := s.bodyEnv(d, f, c.Args, e)
	whole := true
	ast.Inspect(d.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || !strings.HasPrefix(lastName(call.Fun), "With") {
			return true
		}
		whole = s.options(t, root, []ast.Expr{call}, inner, depth+1) && whole
		return false
	})
	return whole
}

// property adds a parameter to the schema of a tool. It reports false if its name is unknown.
func (s *scanner) property(root *schema.Object, kind string, args []ast.Expr, e *env) bool {
	id, ok := s.text(args[0], e)
	if !ok {
		return false
	}
	o := &schema.Object{}
	if kind != "" {
		o.Set("type", kind)
	}
	required := false
	for _, x := range args[1:] {
		if c, ok := x.(*ast.CallExpr); ok {
			required = s.propertyOption(o, c, e) || required
		}
	}
	properties, _ := root.Get("properties").(*schema.Object)
	properties.Set(id, o)
	list, _ := root.Get("required").([]any)
	if required && !slices.Contains(list, any(id)) {
		root.Set("required", append(list, id))
	}
	return true
}

// encoded returns a schema as JSON, nil if it is empty: then it is unknown.
func encoded(o *schema.Object) []byte {
	if o.Len() == 0 {
		return nil
	}
	return o.Encode()
}

// keywords are options of parameters and their keywords.
var keywords = map[string]string{
	"Description": "description", "Title": "title", "DefaultString": "default",
	"DefaultNumber": "default", "DefaultBool": "default", "Max": "maximum", "Min": "minimum",
	"MaxLength": "maxLength", "MinLength": "minLength", "Pattern": "pattern",
	"MinItems": "minItems", "MaxItems": "maxItems",
}

// propertyOption applies an option of a parameter. It reports true for Required().
func (s *scanner) propertyOption(o *schema.Object, c *ast.CallExpr, e *env) bool {
	id := lastName(c.Fun)
	if key := keywords[id]; key != "" && len(c.Args) == 1 {
		if v, ok := s.constant(bound{c.Args[0], e}); ok {
			o.Set(key, v)
		}
		return false
	}
	switch id {
	case "Required":
		return true
	case "Enum":
		if values := s.list(c.Args, e); len(values) > 0 {
			o.Set("enum", values)
		}
	case "Items", "Properties":
		if len(c.Args) == 1 {
			if v, ok := s.json(bound{c.Args[0], e}, 0); ok {
				o.Set(strings.ToLower(id), v)
			}
		}
	case "WithStringItems", "WithNumberItems", "WithIntegerItems", "WithBooleanItems":
		kind := strings.TrimSuffix(strings.TrimPrefix(id, "With"), "Items")
		o.Set("items", schema.New("type", strings.ToLower(kind)))
	}
	return false
}

// list returns the constants among arguments, one of which may be a slice.
func (s *scanner) list(args []ast.Expr, e *env) []any {
	var out []any
	for _, x := range args {
		items, ok := s.elements(x, e)
		if !ok {
			items = []element{{bound: bound{x, e}}}
		}
		for _, item := range items {
			if v, ok := s.constant(item.bound); ok {
				out = append(out, v)
			}
		}
	}
	return out
}

// schema reads a schema: JSON in a string, a literal of a Schema type or map, or the schema of a
// type parameter. It returns nil for other expressions.
func (s *scanner) schema(x ast.Expr, e *env) []byte {
	v := s.resolve(bound{x, e})
	if text, ok := s.text(v.x, v.env); ok {
		var members map[string]any
		if json.Unmarshal([]byte(text), &members) != nil {
			return nil
		}
		b, _ := json.Marshal(members)
		return b
	}
	if c, ok := v.x.(*ast.CallExpr); ok {
		if i, ok := c.Fun.(*ast.IndexExpr); ok && len(c.Args) <= 1 { // jsonschema.For[T]()
			return encoded(s.typeSchema(i.Index, v.env, 0))
		}
		return nil
	}
	o, _ := s.json(v, 0)
	object, _ := o.(*schema.Object)
	return encoded(object)
}

const maxLiterals = 20 // nested literals

// json converts a constant, or a literal to a list or object. It omits fields that are not
// constant. It reports false if an element of a list or the properties of a schema are not.
func (s *scanner) json(b bound, depth int) (any, bool) {
	if depth > maxLiterals || !s.enter() {
		return nil, false
	}
	defer s.leave()
	if v, ok := s.constant(b); ok {
		return v, true
	}
	b = s.resolve(b)
	l, ok := b.x.(*ast.CompositeLit)
	if !ok {
		return nil, false
	}
	if _, isList := l.Type.(*ast.ArrayType); isList {
		out := []any{}
		for _, item := range l.Elts {
			v, ok := s.json(bound{typed(item, l.Type), b.env}, depth+1)
			if !ok {
				return nil, false
			}
			out = append(out, v)
		}
		return out, true
	}
	_, isMap := l.Type.(*ast.MapType)
	out := &schema.Object{}
	for _, item := range l.Elts {
		kv, ok := item.(*ast.KeyValueExpr)
		if !ok {
			return nil, false
		}
		key, ok := fieldKey(kv.Key), true
		if isMap {
			if key, ok = s.text(kv.Key, b.env); !ok {
				return nil, false
			}
		}
		v, ok := s.json(bound{typed(kv.Value, l.Type), b.env}, depth+1)
		switch {
		case ok && key == "default" && isJSON(v):
			text, _ := v.(string)
			out.Set(key, json.RawMessage(text))
		case ok:
			out.Set(key, v)
		case isMap && depth == 1: // a property
			out.Set(key, &schema.Object{})
		case key == "properties":
			return nil, false
		}
	}
	return out, true
}

func isJSON(v any) bool {
	text, ok := v.(string)
	return ok && json.Valid([]byte(text))
}

// fieldKey returns the keyword of a field of a Schema type.
func fieldKey(x ast.Expr) string {
	switch name := lastName(x); name {
	case "":
		return ""
	case "Ref", "Defs":
		return "$" + strings.ToLower(name)
	case "Types":
		return "type"
	default:
		return strings.ToLower(name[:1]) + name[1:]
	}
}

// handlerSchema returns the schema of the argument struct of a handler, nil without one.
func (s *scanner) handlerSchema(b bound) *schema.Object {
	if c, ok := b.x.(*ast.CallExpr); ok { // a method of a definition that wraps its handler
		if m, ok := c.Fun.(*ast.SelectorExpr); ok {
			field := bound{&ast.SelectorExpr{X: m.X, Sel: ast.NewIdent("Handler")}, b.env}
			if _, ok := s.selected(field.x.(*ast.SelectorExpr), b.env); ok {
				b = field
			}
		}
	}
	var kind *ast.FuncType
	v := s.resolve(b)
	switch x := v.x.(type) {
	case *ast.FuncLit:
		kind = x.Type
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		d, f := s.declaration(x, v.env)
		if d == nil {
			return nil
		}
		kind, v.env = d.Type, &env{file: f}
	default:
		return nil
	}
	of := argumentType(kind)
	if st, _ := s.structOf(of, v.env); st == nil {
		return nil
	}
	return s.typeSchema(of, v.env, 0)
}

// argumentType returns the type of a handler's last parameter, nil if that is not the tool's
// arguments.
func argumentType(kind *ast.FuncType) ast.Expr {
	var last ast.Expr
	n := 0
	for _, field := range kind.Params.List {
		n += max(1, len(field.Names))
		last = field.Type
	}
	name := lastName(last)
	if n == 0 || strings.HasSuffix(name, "Request") && n < 3 || name == "Context" {
		return nil
	}
	of := last
	if p, ok := of.(*ast.StarExpr); ok {
		of = p.X
	}
	if g, ok := of.(*ast.IndexExpr); ok { // *mcp.CallToolParamsFor[T]
		return g.Index
	}
	return last
}

var basicTypes = map[string]string{
	"string": "string", "bool": "boolean", "int": "integer", "int8": "integer", "int16": "integer",
	"int32": "integer", "int64": "integer", "uint": "integer", "uint8": "integer",
	"uint16": "integer", "uint32": "integer", "uint64": "integer", "float32": "number",
	"float64": "number",
}

func (s *scanner) typeSchema(x ast.Expr, e *env, depth int) *schema.Object {
	if depth > maxNesting || !s.enter() {
		return &schema.Object{}
	}
	defer s.leave()
	switch t := x.(type) {
	case *ast.Ident:
		if kind := basicTypes[t.Name]; kind != "" {
			return schema.New("type", kind)
		}
	case *ast.StarExpr:
		return s.typeSchema(t.X, e, depth)
	case *ast.ArrayType:
		return schema.New("type", "array", "items", s.typeSchema(t.Elt, e, depth+1))
	case *ast.MapType:
		return schema.New("type", "object",
			"additionalProperties", s.typeSchema(t.Value, e, depth+1))
	}
	if st, in := s.structOf(x, e); st != nil {
		return s.structSchema(st, in, depth)
	}
	if of, in := s.typeOf(x, e); of != nil {
		return s.typeSchema(of, in, depth+1)
	}
	return &schema.Object{}
}

func (s *scanner) structSchema(st *ast.StructType, e *env, depth int) *schema.Object {
	properties := &schema.Object{}
	var required []string
	byTag := slices.ContainsFunc(st.Fields.List, func(f *ast.Field) bool {
		return isKeyed(tagOf(f).Get("jsonschema"))
	})
	for _, field := range st.Fields.List {
		tag := tagOf(field)
		id, options, _ := strings.Cut(tag.Get("json"), ",")
		if id == "-" {
			continue
		}
		if len(field.Names) == 0 && id == "" { // embedded
			inner := s.typeSchema(field.Type, e, depth+1)
			fields, isStruct := inner.Get("properties").(*schema.Object)
			if !isStruct {
				return &schema.Object{}
			}
			for _, key := range fields.Keys() {
				properties.Set(key, fields.Get(key))
			}
			list, _ := inner.Get("required").([]any)
			for _, key := range list {
				required = append(required, key.(string))
			}
			continue
		}
		for _, name := range field.Names {
			if !name.IsExported() {
				continue
			}
			key := id
			if key == "" {
				key = name.Name
			}
			o := s.typeSchema(field.Type, e, depth+1).Clone()
			if describe(o, tag) || !byTag && !strings.Contains(options, "omit") {
				required = append(required, key)
			}
			properties.Set(key, o)
		}
	}
	return schema.Parameters(properties, required)
}

func tagOf(f *ast.Field) reflect.StructTag {
	if f.Tag == nil {
		return ""
	}
	s, _ := strconv.Unquote(f.Tag.Value)
	return reflect.StructTag(s)
}

// isKeyed reports whether a jsonschema tag has keys, rather than being a description.
func isKeyed(tag string) bool {
	key, _, hasValue := strings.Cut(strings.SplitN(tag, ",", 2)[0], "=")
	switch key {
	case "required", "optional":
		return true
	case "description", "title", "enum", "default":
		return hasValue
	}
	return false
}

// describe adds the facts in the tags. It reports whether they contain "required".
func describe(o *schema.Object, tag reflect.StructTag) bool {
	if text := tag.Get("jsonschema_description"); text != "" {
		o.Set("description", text)
	}
	text := tag.Get("jsonschema")
	if text == "" {
		return false
	}
	if !isKeyed(text) {
		o.Set("description", text)
		return false
	}
	required := false
	var enum []any
	for _, part := range strings.Split(strings.ReplaceAll(text, `\,`, "\x00"), ",") {
		key, value, _ := strings.Cut(strings.ReplaceAll(part, "\x00", ","), "=")
		switch key {
		case "required":
			required = true
		case "description", "title":
			o.Set(key, value)
		case "enum":
			enum = append(enum, value)
		}
	}
	if enum != nil {
		o.Set("enum", enum)
	}
	return required
}
