package golang

import (
	"encoding/json"
	"go/ast"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/crawler/source/schema"
	"mcpcensus/internal/registry"
)

const maxNesting = 6 // of structs in a schema

// propertyTypes are the types that With... options give a parameter.
var propertyTypes = map[string]string{
	"WithString": "string", "WithNumber": "number", "WithInteger": "integer", "WithBoolean": "boolean",
	"WithBool": "boolean", "WithInt": "integer", "WithFloat": "number", "WithObject": "object",
	"WithArray": "array", "WithAny": "",
}

// options applies the options of NewTool. Unknown functions of the files that
// return options are followed.
func (s *scanner) options(t *registry.Tool, root *schema.Object, args []ast.Expr, e *env, depth int) {
	if depth > 5 {
		return
	}
	for _, x := range args {
		if list, ok := s.elements(x, e); ok {
			for _, item := range list {
				s.options(t, root, []ast.Expr{item.value.x}, item.value.env, depth+1)
			}
			continue
		}
		c, ok := x.(*ast.CallExpr)
		if !ok {
			if v := s.resolve(bound{x: x, env: e}); v.x != nil && v.x != x {
				s.options(t, root, []ast.Expr{v.x}, v.env, depth+1)
			}
			continue
		}
		s.option(t, root, c, e, depth)
	}
}

func (s *scanner) option(t *registry.Tool, root *schema.Object, c *ast.CallExpr, e *env, depth int) {
	id := calledName(c.Fun)
	if kind, ok := propertyTypes[id]; ok && len(c.Args) > 0 {
		s.property(root, kind, c.Args, e)
		return
	}
	switch id {
	case "WithDescription":
		t.Description, _ = s.text(first(c.Args), e)
	case "WithTitleAnnotation", "WithToolTitle", "WithTitle":
		t.Title, _ = s.text(first(c.Args), e)
	case "WithToolAnnotation", "WithAnnotations":
		s.annotate(t, first(c.Args), e)
	case "WithReadOnlyHintAnnotation", "WithDestructiveHintAnnotation", "WithIdempotentHintAnnotation",
		"WithOpenWorldHintAnnotation":
		if b, ok := s.boolean(first(c.Args), e); ok {
			setHint(t, strings.TrimPrefix(id, "With"), b)
		}
	case "WithRawInputSchema":
		if o := s.schema(first(c.Args), e); o != nil {
			t.InputSchema = o.Encode()
		}
	case "WithInputSchema":
		if i, ok := c.Fun.(*ast.IndexExpr); ok {
			t.InputSchema = s.typeSchema(i.Index, e, 0).Encode()
		}
	default:
		s.ownOption(t, root, c, e, depth)
	}
}

// ownOption applies the options in a function of the files.
func (s *scanner) ownOption(t *registry.Tool, root *schema.Object, c *ast.CallExpr, e *env, depth int) {
	d, f := s.declaration(c.Fun, e)
	if d == nil || d.Body == nil {
		return
	}
	inner := s.bodyEnv(d, f, c.Args, e)
	ast.Inspect(d.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && strings.HasPrefix(calledName(call.Fun), "With") {
			s.options(t, root, []ast.Expr{call}, inner, depth+1)
			return false
		}
		return true
	})
}

func first(args []ast.Expr) ast.Expr {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}

// property adds a parameter to the schema of a tool.
func (s *scanner) property(root *schema.Object, kind string, args []ast.Expr, e *env) {
	id, ok := s.text(args[0], e)
	if !ok {
		return
	}
	o := &schema.Object{}
	if kind != "" {
		o.Set("type", kind)
	}
	required := false
	for _, x := range args[1:] {
		c, ok := x.(*ast.CallExpr)
		if !ok {
			if text, ok := s.text(x, e); ok {
				o.Set("description", text)
			}
			continue
		}
		required = s.propertyOption(o, c, e) || required
	}
	properties, _ := root.Get("properties").(*schema.Object)
	properties.Set(id, o)
	if required {
		list, _ := root.Get("required").([]any)
		if !slices.Contains(list, any(id)) {
			root.Set("required", append(list, id))
		}
	}
}

// limits are options of parameters and their keywords.
var limits = map[string]string{
	"Description": "description", "Title": "title", "DefaultString": "default", "DefaultNumber": "default",
	"DefaultBool": "default", "DefaultInteger": "default", "Default": "default", "Max": "maximum",
	"Min": "minimum", "MaxLength": "maxLength", "MinLength": "minLength", "Pattern": "pattern",
	"MultipleOf": "multipleOf", "MinItems": "minItems", "MaxItems": "maxItems", "UniqueItems": "uniqueItems",
}

// propertyOption applies an option of a parameter; true if it is Required().
func (s *scanner) propertyOption(o *schema.Object, c *ast.CallExpr, e *env) bool {
	id := calledName(c.Fun)
	if key := limits[id]; key != "" && len(c.Args) == 1 {
		if v, ok := s.constant(bound{x: c.Args[0], env: e}); ok {
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
	case "Items", "Properties", "AdditionalProperties":
		if len(c.Args) == 1 {
			if v, ok := s.json(bound{x: c.Args[0], env: e}, 0); ok {
				o.Set(strings.ToLower(id[:1])+id[1:], v)
			}
		}
	case "WithStringItems", "WithNumberItems", "WithIntegerItems", "WithBooleanItems", "WithStringEnumItems":
		kind := strings.ToLower(
			strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(id, "With"), "Items"), "Enum"),
		)
		o.Set("items", schema.New("type", kind))
	}
	return false
}

// list returns the constant strings of arguments, of which one may be a slice.
func (s *scanner) list(args []ast.Expr, e *env) []any {
	var out []any
	for _, x := range args {
		if items, ok := s.elements(x, e); ok {
			for _, item := range items {
				if v, ok := s.constant(item.value); ok {
					out = append(out, v)
				}
			}
			continue
		}
		if v, ok := s.constant(bound{x: x, env: e}); ok {
			out = append(out, v)
		}
	}
	return out
}

// schema reads a schema: a literal of a Schema type or map, JSON in a string,
// or a function that makes one of options. It returns nil if it cannot.
func (s *scanner) schema(x ast.Expr, e *env) *schema.Object {
	if !s.enter() {
		return nil
	}
	defer s.leave()
	if id, ok := x.(*ast.Ident); ok {
		if v, ok := s.changedValue(id.Name, bound{x: x, env: e}, 0); ok {
			if o, ok := v.(*schema.Object); ok {
				return o
			}
		}
	}
	v := s.resolve(bound{x: x, env: e})
	if text, ok := s.constant(v); ok {
		if text, ok := text.(string); ok && json.Valid([]byte(text)) {
			return ordered([]byte(text))
		}
		return nil
	}
	if c, ok := v.x.(*ast.CallExpr); ok {
		return s.calledSchema(c, v.env)
	}
	o, ok := s.json(v, 0)
	if !ok {
		return nil
	}
	object, _ := o.(*schema.Object)
	return object
}

// calledSchema reads a schema that a call makes of its argument, of options or
// of a type.
func (s *scanner) calledSchema(c *ast.CallExpr, e *env) *schema.Object {
	if len(c.Args) == 1 {
		if l, ok := c.Args[0].(*ast.CompositeLit); ok && typeName(l.Type) != "" {
			return nil
		}
		if o := s.schema(c.Args[0], e); o != nil {
			return o
		}
	}
	if method, ok := c.Fun.(*ast.SelectorExpr); ok && len(c.Args) == 0 {
		if _, isCall := s.resolve(bound{x: method.X, env: e}).x.(*ast.CallExpr); isCall {
			return s.schema(method.X, e)
		}
	}
	if i, ok := c.Fun.(*ast.IndexExpr); ok && len(c.Args) <= 1 { // jsonschema.For[T]()
		return s.typeSchema(i.Index, e, 0)
	}
	out := schema.Parameters(&schema.Object{}, nil)
	for _, arg := range c.Args {
		if option, ok := arg.(*ast.CallExpr); ok && strings.HasPrefix(calledName(option.Fun), "With") {
			s.optionOfSchema(out, option, e)
		}
	}
	if properties, _ := out.Get("properties").(*schema.Object); properties.Len() > 0 {
		return out
	}
	return nil
}

// optionOfSchema adds WithString("p", "text") and WithRequiredString("p", ...).
func (s *scanner) optionOfSchema(root *schema.Object, c *ast.CallExpr, e *env) {
	id := strings.Replace(calledName(c.Fun), "WithRequired", "With", 1)
	kind, ok := propertyTypes[id]
	if !ok || len(c.Args) == 0 {
		return
	}
	s.property(root, kind, c.Args, e)
	if id != calledName(c.Fun) {
		if text, ok := s.text(c.Args[0], e); ok {
			list, _ := root.Get("required").([]any)
			root.Set("required", append(list, text))
		}
	}
}

func ordered(b []byte) *schema.Object {
	var v map[string]any
	if json.Unmarshal(b, &v) != nil {
		return nil
	}
	o, _ := convert(v).(*schema.Object)
	return o
}

func convert(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := &schema.Object{}
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			out.Set(key, convert(v[key]))
		}
		return out
	case []any:
		for i := range v {
			v[i] = convert(v[i])
		}
	}
	return v
}

// json converts a literal to JSON. Texts that are not constant are left out.
func (s *scanner) json(b bound, depth int) (any, bool) {
	if !s.enter() {
		return nil, false
	}
	defer s.leave()
	if id, ok := b.x.(*ast.Ident); ok {
		return s.changedValue(id.Name, b, depth)
	}
	b = s.resolve(b)
	if id, ok := b.x.(*ast.Ident); ok && b.env != nil && b.env.changed[id.Name] != nil {
		return s.changedValue(id.Name, b, depth)
	}
	if v, ok := s.constant(b); ok {
		return v, true
	}
	if c, ok := b.x.(*ast.CallExpr); ok && len(c.Args) > 0 && calledName(c.Fun) == "append" {
		return s.list(c.Args, b.env), true
	}
	l, ok := b.x.(*ast.CompositeLit)
	if !ok || depth > 20 {
		return nil, false
	}
	kind := l.Type
	if array, ok := kind.(*ast.ArrayType); ok {
		out := []any{}
		for _, item := range l.Elts {
			if v, ok := s.json(bound{x: typed(item, array.Elt), env: b.env}, depth+1); ok {
				out = append(out, v)
			}
		}
		return out, true
	}
	return s.object(l, b.env, depth)
}

// object converts a map or struct literal.
func (s *scanner) object(l *ast.CompositeLit, e *env, depth int) (any, bool) {
	kind := l.Type
	out := &schema.Object{}
	for _, item := range l.Elts {
		kv, ok := item.(*ast.KeyValueExpr)
		if !ok {
			return nil, false
		}
		key, ok := s.key(kv.Key, kind, e)
		if !ok {
			return nil, false
		}
		var elem ast.Expr
		if m, ok := kind.(*ast.MapType); ok {
			elem = m.Value
		}
		v, ok := s.json(bound{x: typed(kv.Value, elem), env: e}, depth+1)
		if !ok {
			if _, isMap := kind.(*ast.MapType); isMap && depth == 1 { // a property
				out.Set(key, &schema.Object{})
			}
			continue
		}
		if text, isText := v.(string); isText && key == "default" && json.Valid([]byte(text)) {
			v = json.RawMessage(text)
		}
		out.Set(key, v)
	}
	return out, true
}

// changedValue converts a variable, with the entries that are set later.
func (s *scanner) changedValue(id string, b bound, depth int) (any, bool) {
	next, ok := s.lookup(id, b.env)
	if !ok {
		v := s.resolve(b)
		c, ok := s.constant(v)
		return c, ok
	}
	v, ok := s.json(next, depth)
	o, isObject := v.(*schema.Object)
	if !ok || !isObject {
		return v, ok
	}
	for at := b.env; at != nil; at = at.parent {
		for _, c := range at.changed[id] {
			s.apply(o, c, at, depth)
		}
	}
	return o, true
}

// apply sets what a change sets.
func (s *scanner) apply(o *schema.Object, c change, e *env, depth int) {
	into := o
	if properties, ok := o.Get("properties").(*schema.Object); ok {
		into = properties
	}
	if c.call != nil {
		d, f := s.declaration(c.call.Fun, e)
		if d == nil || d.Body == nil {
			return
		}
		i := 0
		for _, field := range d.Type.Params.List {
			for _, id := range field.Names {
				if i == c.argument {
					inner := s.bodyEnv(d, f, nil, nil)
					for _, change := range inner.changed[id.Name] {
						if change.call == nil {
							s.apply(o, change, inner, depth)
						}
					}
				}
				i++
			}
		}
		return
	}
	if c.key == nil {
		if v, ok := s.json(bound{x: c.value, env: e}, depth); ok {
			if inner, ok := v.(*schema.Object); ok {
				for _, key := range inner.Keys() {
					into.Set(key, inner.Get(key))
				}
			}
		}
		return
	}
	key, ok := s.text(c.key, e)
	if !ok {
		return
	}
	if v, ok := s.json(bound{x: c.value, env: e}, depth+1); ok {
		into.Set(key, v)
	} else {
		into.Set(key, &schema.Object{})
	}
}

// typed gives a literal without type the type of the elements around it.
func typed(x, of ast.Expr) ast.Expr {
	if l, ok := x.(*ast.CompositeLit); ok && l.Type == nil {
		return &ast.CompositeLit{Type: of, Elts: l.Elts}
	}
	return x
}

// key returns the JSON name of a field or of a key of a map.
func (s *scanner) key(x ast.Expr, kind ast.Expr, e *env) (string, bool) {
	id, isIdent := x.(*ast.Ident)
	if _, isMap := kind.(*ast.MapType); isMap || !isIdent {
		return s.text(x, e)
	}
	switch id.Name {
	case "Ref":
		return "$ref", true
	case "Types":
		return "type", true
	case "Defs":
		return "$defs", true
	}
	return strings.ToLower(id.Name[:1]) + id.Name[1:], true
}

// handlerSchema returns the schema of the argument struct of a handler, nil if
// it has none.
func (s *scanner) handlerSchema(b bound) *schema.Object {
	var kind *ast.FuncType
	v := s.resolve(b)
	switch x := v.x.(type) {
	case *ast.FuncLit:
		kind = x.Type
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		d, f := s.declaration(x.(ast.Expr), v.env)
		if d == nil {
			return nil
		}
		kind, v.env = d.Type, &env{file: f}
	case *ast.CallExpr: // a function that returns the handler
		d, f := s.declaration(x.Fun, v.env)
		if d == nil || d.Type.Results == nil || len(d.Type.Results.List) == 0 {
			return nil
		}
		kind, _ = d.Type.Results.List[0].Type.(*ast.FuncType)
		v.env = &env{file: f}
	}
	if kind == nil {
		return nil
	}
	last := argumentType(kind)
	if last == nil {
		return nil
	}
	if st, _ := s.structOf(last, v.env); st == nil {
		return nil
	}
	return s.typeSchema(last, v.env, 0)
}

// argumentType returns the type of a handler's last parameter, nil if that is
// not the arguments of the tool.
func argumentType(kind *ast.FuncType) ast.Expr {
	var last ast.Expr
	n := 0
	for _, field := range kind.Params.List {
		n += max(1, len(field.Names))
		last = field.Type
	}
	if n < 1 || strings.HasSuffix(typeName(last), "Request") && n < 3 || typeName(last) == "Context" {
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
	"int32": "integer", "int64": "integer", "uint": "integer", "uint8": "integer", "uint16": "integer",
	"uint32": "integer", "uint64": "integer", "float32": "number", "float64": "number",
}

// typeSchema returns the schema of a Go type.
func (s *scanner) typeSchema(x ast.Expr, e *env, depth int) *schema.Object {
	if !s.enter() {
		return &schema.Object{}
	}
	defer s.leave()
	if depth > maxNesting {
		return &schema.Object{}
	}
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
		return schema.New("type", "object", "additionalProperties", s.typeSchema(t.Value, e, depth+1))
	case *ast.SelectorExpr:
		if typeName(t) == "Time" {
			return schema.New("type", "string", "format", "date-time")
		}
	}
	if st, in := s.structOf(x, e); st != nil {
		return s.structSchema(st, in, depth)
	}
	if spec, f := s.typeSpec(x, e); spec != nil {
		return s.typeSchema(spec.Type, &env{file: f}, depth+1)
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
		if len(field.Names) == 0 && id == "" {
			inner := s.typeSchema(field.Type, e, depth+1)
			embedded, _ := inner.Get("properties").(*schema.Object)
			for _, key := range embedded.Keys() {
				properties.Set(key, embedded.Get(key))
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
			must := describe(o, tag) || !byTag && !strings.Contains(options, "omit")
			properties.Set(key, o)
			if must {
				required = append(required, key)
			}
		}
	}
	return schema.Parameters(properties, required)
}

func tagOf(f *ast.Field) reflect.StructTag {
	if f.Tag == nil {
		return ""
	}
	s, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return ""
	}
	return reflect.StructTag(s)
}

// isKeyed reports whether a jsonschema tag has keys, else it is a description.
func isKeyed(tag string) bool {
	return tag == "required" || strings.HasPrefix(tag, "required,") || strings.HasPrefix(tag, "description=") ||
		strings.HasPrefix(
			tag,
			"title=",
		) || strings.HasPrefix(tag, "enum=") || strings.Contains(tag, ",description=") ||
		strings.HasPrefix(tag, "default=") || strings.HasPrefix(tag, "optional")
}

// describe adds what the tags say; true if they say "required".
func describe(o *schema.Object, tag reflect.StructTag) bool {
	for _, key := range []string{"description", "desc", "jsonschema_description"} {
		if text := tag.Get(key); text != "" {
			o.Set("description", text)
		}
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
