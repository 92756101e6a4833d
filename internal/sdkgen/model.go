package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// A Kind is the JSON form of a type.
type Kind int

// Kinds.
const (
	Any Kind = iota
	String
	Integer
	Number
	Boolean
	Moment // RFC 3339
	Date   // YYYY-MM-DD
	Array
	Map
	Named // an Enum or an Object
)

// A Type is the type of a member. Name is set for Named, Item for Array and Map.
type Type struct {
	Kind Kind
	Name string
	Item *Type
	Null bool // the value may be null
}

// A Member is a member of an object.
type Member struct {
	Name, Doc string
	Type      Type
	Required  bool
}

// A Definition is a named type: an enumeration if Values is not nil, else an object.
// Request says that only requests hold it: other values of an enumeration are errors.
type Definition struct {
	Name, Doc string
	Values    []string
	Members   []Member
	Open      *Type // type of the members that are not named, or nil
	Cases     []Case
	Request   bool
}

// A Case is an alternative of an object whose member "data" depends on its member "type".
type Case struct {
	Value string // of type
	Type  string // of data
}

func (d Definition) IsEnum() bool { return d.Values != nil }

// ReadDocument returns the types of all requests and responses, sorted by name. It
// fails on a schema that the languages cannot express.
func ReadDocument(doc *openapi3.T) ([]Definition, error) {
	r := reader{types: map[string]*Definition{}, shapes: map[string]string{}}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths.Map())) {
		item := doc.Paths.Value(path)
		for _, method := range slices.Sorted(maps.Keys(item.Operations())) {
			if err := r.operation(item.GetOperation(method)); err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
		}
	}
	if s := doc.Components.Schemas["Problem"]; s != nil {
		if _, err := r.read("Problem", &openapi3.SchemaRef{Ref: "#/Problem", Value: s.Value}); err != nil {
			return nil, err
		}
	}
	var out []Definition
	for _, name := range slices.Sorted(maps.Keys(r.types)) {
		out = append(out, *r.types[name])
	}
	return out, nil
}

type reader struct {
	types   map[string]*Definition
	shapes  map[string]string // name by schema, for equal inline schemas
	request bool
}

func (r *reader) operation(op *openapi3.Operation) error {
	var contents []openapi3.Content
	for _, code := range []string{"200", "201", "202"} {
		if a := op.Responses.Value(code); a != nil {
			contents = append(contents, a.Value.Content)
		}
	}
	name := op.OperationID
	for _, c := range contents {
		if err := r.content(name, c); err != nil {
			return err
		}
	}
	r.request = true
	defer func() { r.request = false }()
	for _, p := range op.Parameters {
		if s := p.Value.Schema; len(s.Value.Enum) > 0 && isNamed(s) {
			if _, err := r.read("", s); err != nil {
				return err
			}
		}
	}
	if op.RequestBody == nil {
		return nil
	}
	return r.content(name+"Request", op.RequestBody.Value.Content)
}

func (r *reader) content(name string, c openapi3.Content) error {
	media := c.Get("application/json")
	if media == nil || media.Schema == nil {
		return nil
	}
	_, err := r.read(name, media.Schema)
	return err
}

func isNamed(ref *openapi3.SchemaRef) bool { return ref.Ref != "" || ref.Value.Title != "" }

// read returns the type of a schema. A schema without a name of its own is named
// name if it needs one. Enumerations of the components are named …Param in requests, where other
// values are errors.
func (r *reader) read(name string, ref *openapi3.SchemaRef) (Type, error) {
	s := ref.Value
	if i := strings.LastIndexByte(ref.Ref, '/'); i >= 0 {
		name = ref.Ref[i+1:]
		if r.request && len(s.Enum) > 0 {
			name += "Param"
		}
	} else if s.Title != "" {
		name = s.Title
	}
	if s.Discriminator != nil {
		return r.union(name, s)
	}
	if len(s.AnyOf)+len(s.OneOf) > 0 {
		return r.choice(name, slices.Concat(s.AnyOf, s.OneOf))
	}
	null := s.Type.Includes("null") || s.Nullable
	t, err := r.readKind(name, s)
	t.Null = null
	return t, err
}

func (r *reader) readKind(name string, s *openapi3.Schema) (Type, error) {
	switch {
	case len(s.Enum) > 0:
		return r.enum(name, s)
	case len(s.AllOf) > 0 || s.Type.Includes("object"):
		return r.object(name, s)
	case s.Type.Includes("array"):
		item, err := r.read(singular(name), s.Items)
		return Type{Kind: Array, Item: &item}, err
	case s.Type.Includes("string"):
		switch s.Format {
		case "date-time":
			return Type{Kind: Moment}, nil
		case "date":
			return Type{Kind: Date}, nil
		}
		return Type{Kind: String}, nil
	case s.Type.Includes("integer"):
		return Type{Kind: Integer}, nil
	case s.Type.Includes("number"):
		return Type{Kind: Number}, nil
	case s.Type.Includes("boolean"):
		return Type{Kind: Boolean}, nil
	}
	return Type{Kind: Any}, nil
}

// choice returns the type of alternatives: one schema or null, or objects of which
// the first has the members of all.
func (r *reader) choice(name string, all openapi3.SchemaRefs) (Type, error) {
	var t Type
	var first *Definition
	null := false
	for _, ref := range all {
		if ref.Value.Type.Is("null") {
			null = true
			continue
		}
		u, err := r.read(name, ref)
		if err != nil {
			return t, err
		}
		d := r.types[u.Name]
		switch {
		case t.Kind == Any:
			t, first = u, d
		case first == nil || d == nil || first.IsEnum() || d.IsEnum() || !covers(*first, *d):
			return Type{Kind: Any, Null: null}, nil
		}
	}
	t.Null = t.Null || null
	return t, nil
}

// union returns the type of objects that differ in the value of their member "type" and in
// the type of their member "data".
func (r *reader) union(name string, s *openapi3.Schema) (Type, error) {
	d, old, err := r.named(name, s)
	t := Type{Kind: Named, Name: name}
	if err != nil || old {
		return t, err
	}
	for _, ref := range s.OneOf {
		by, data := ref.Value.Properties["type"], ref.Value.Properties["data"]
		if by == nil || len(by.Value.Enum) != 1 || data == nil {
			return t, fmt.Errorf("%s: %s has no type of one value and data", name, ref.Ref)
		}
		of, err := r.read(name+"Data", data)
		if err != nil {
			return t, err
		}
		d.Cases = append(d.Cases, Case{by.Value.Enum[0].(string), of.Name})
	}
	d.Members = []Member{
		{"type", "What happened. A newer registry may have other types.", Type{Kind: String}, true},
		{"timestamp", s.OneOf[0].Value.Properties["timestamp"].Value.Description, Type{Kind: Moment}, true},
		{"data", "Depends on type.", Type{}, true},
	}
	return t, nil
}

// CaseTypes returns the types of the cases, each once, in their order.
func (d Definition) CaseTypes() (names []string) {
	for _, c := range d.Cases {
		if !slices.Contains(names, c.Type) {
			names = append(names, c.Type)
		}
	}
	return names
}

func covers(a, b Definition) bool {
	return !slices.ContainsFunc(b.Members, func(m Member) bool {
		return !slices.ContainsFunc(a.Members, func(n Member) bool { return n.Name == m.Name })
	})
}

// named defines a type once: an equal inline schema has the name of the first.
func (r *reader) named(name string, s *openapi3.Schema) (d *Definition, old bool, err error) {
	var form any = s
	if len(s.Enum) > 0 {
		form = []any{r.request, s.Enum} // the description is of the member
	}
	shape, err := json.Marshal(form)
	if err != nil {
		return nil, false, err
	}
	if n, ok := r.shapes[string(shape)]; ok {
		d = r.types[n]
		d.Request = d.Request && r.request
		return d, true, nil
	}
	name = title(name)
	if r.types[name] != nil {
		return nil, false, fmt.Errorf("two different schemas are called %s", name)
	}
	d = &Definition{Name: name, Doc: s.Description, Request: r.request}
	r.types[name], r.shapes[string(shape)] = d, name
	return d, false, nil
}

func (r *reader) enum(name string, s *openapi3.Schema) (Type, error) {
	d, old, err := r.named(name, s)
	if err != nil {
		return Type{}, err
	}
	for _, v := range s.Enum {
		if text, ok := v.(string); ok && !old {
			d.Values = append(d.Values, text)
		}
	}
	return Type{Kind: Named, Name: d.Name}, nil
}

func (r *reader) object(name string, s *openapi3.Schema) (Type, error) {
	s = merged(s)
	open := s.AdditionalProperties.Schema
	if len(s.Properties) == 0 {
		item := Type{Kind: Any}
		if open != nil {
			var err error
			if item, err = r.read(singular(name), open); err != nil {
				return Type{}, err
			}
		}
		return Type{Kind: Map, Item: &item}, nil
	}
	d, old, err := r.named(name, s)
	if err != nil {
		return Type{}, err
	}
	t := Type{Kind: Named, Name: d.Name}
	if old {
		return t, nil
	}
	if open != nil {
		t, err := r.read(d.Name+"Value", open)
		if err != nil {
			return Type{}, err
		}
		d.Open = &t
	}
	names := slices.Clone(s.Required)
	for _, n := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	for _, n := range names {
		p := s.Properties[n]
		t, err := r.read(d.Name+title(n), p)
		if err != nil {
			return Type{}, fmt.Errorf("%s.%s: %w", d.Name, n, err)
		}
		doc := description(p.Value)
		if own, ok := p.Extensions["description"].(string); ok { // beside a $ref
			doc = own
		}
		d.Members = append(d.Members, Member{n, doc, t, slices.Contains(s.Required, n)})
	}
	return t, nil
}

// description returns the description of a schema, or that of the schema that it
// allows besides null.
func description(s *openapi3.Schema) string {
	if s.Description != "" {
		return s.Description
	}
	for _, ref := range s.AnyOf {
		if !ref.Value.Type.Is("null") {
			return ref.Value.Description
		}
	}
	return ""
}

// merged returns an object with the members of all parts of allOf.
func merged(s *openapi3.Schema) *openapi3.Schema {
	if len(s.AllOf) == 0 {
		return s
	}
	m := *s
	m.AllOf, m.Properties = nil, maps.Clone(s.Properties)
	if m.Properties == nil {
		m.Properties = openapi3.Schemas{}
	}
	for _, p := range s.AllOf {
		part := merged(p.Value)
		maps.Copy(m.Properties, part.Properties)
		m.Required = append(slices.Clone(m.Required), part.Required...)
	}
	return &m
}

func title(name string) string {
	name = strings.TrimLeft(name, "_")
	var b strings.Builder
	for _, w := range strings.FieldsFunc(name, func(c rune) bool { return c == '_' || c == '-' || c == '.' }) {
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return b.String()
}

func singular(name string) string {
	switch {
	case !strings.HasSuffix(name, "s") || strings.HasSuffix(strings.ToLower(name), "series"):
		return name + "Entry"
	case strings.HasSuffix(name, "ies"):
		return name[:len(name)-3] + "y"
	}
	return name[:len(name)-1]
}
