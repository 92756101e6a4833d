package record

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"mcpcensus/internal/jsonobject"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/web/format"
)

// A Field is one parameter of a tool, as its input schema describes it.
type Field struct {
	Name, Type, Description string
	Required                bool
	Default                 string   // as JSON; "" for none
	Choices                 []string // as JSON, except strings
}

const (
	maxFields  = 40 // parameters of a tool
	maxChoices = 30 // values of an enum
)

// Fields returns the parameters of an input schema, required ones first. known is false if
// the schema does not list parameters, as opposed to listing none.
func Fields(schema []byte) (fields []Field, known bool) {
	var s struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if len(schema) == 0 || json.Unmarshal(schema, &s) != nil || s.Properties == nil {
		return nil, false
	}
	properties, err := jsonobject.Members(s.Properties)
	if err != nil {
		return nil, false
	}
	for _, p := range properties[:min(len(properties), maxFields)] {
		f := parameterOf(p.Value)
		f.Name, f.Required = text.OneLine(p.Name), slices.Contains(s.Required, p.Name)
		fields = append(fields, f)
	}
	slices.SortStableFunc(fields, func(a, b Field) int {
		switch {
		case a.Required == b.Required:
			return 0
		case a.Required:
			return -1
		}
		return 1
	})
	return fields, true
}

// fieldsOf is [Fields] of a tool. Schemas from the server itself are complete: an object
// without properties, and without keywords that may allow some, has no parameters.
func (r Record) fieldsOf(t registry.Tool) (fields []Field, known bool) {
	fields, known = Fields(t.InputSchema)
	if known || r.ToolsFrom != registry.ToolsFromProbe && r.ToolsFrom != registry.ToolsFromRun {
		return fields, known
	}
	var s map[string]json.RawMessage
	if json.Unmarshal(t.InputSchema, &s) != nil || string(s["type"]) != `"object"` {
		return nil, false
	}
	for name, value := range s {
		switch {
		case name == "type", name == "title", name == "description", strings.HasPrefix(name, "$") &&
			name != "$ref" && name != "$dynamicRef":
		case name == "additionalProperties" && string(value) == "false", name == "required" &&
			string(value) == "[]":
		default:
			return nil, false
		}
	}
	return nil, true
}

// schemaType is a part of a schema with a type.
type schemaType struct {
	Type json.RawMessage `json:"type"`
}

// names are the types: schemas have one type or a list.
func (t schemaType) names() []string {
	var one string
	if json.Unmarshal(t.Type, &one) == nil && one != "" {
		return []string{one}
	}
	var several []string
	if json.Unmarshal(t.Type, &several) == nil {
		return several
	}
	return nil
}

func parameterOf(schema json.RawMessage) (f Field) {
	var p struct {
		schemaType
		Description string            `json:"description"`
		Default     json.RawMessage   `json:"default"`
		Enum        []json.RawMessage `json:"enum"`
		Format      string            `json:"format"`
		Items       schemaType        `json:"items"`
		AnyOf       []schemaType      `json:"anyOf"`
	}
	if json.Unmarshal(schema, &p) != nil {
		return f
	}
	f.Description = text.OneLine(p.Description)
	types := p.names()
	for _, o := range p.AnyOf {
		types = append(types, o.names()...)
	}
	f.Type = strings.Join(types, " or ")
	if items := p.Items.names(); f.Type == "array" && len(items) > 0 {
		f.Type = "array of " + strings.Join(items, " or ")
	}
	if p.Format != "" {
		f.Type = strings.TrimSpace(f.Type + " (" + p.Format + ")")
	}
	f.Type = text.OneLine(f.Type)
	if len(p.Default) > 0 && string(p.Default) != "null" {
		f.Default = unquoted(p.Default)
	}
	for _, e := range p.Enum[:min(len(p.Enum), maxChoices)] {
		f.Choices = append(f.Choices, unquoted(e))
	}
	return f
}

// unquoted is a string without its quotes, or any other value as JSON, with visible
// characters.
func unquoted(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		s = string(raw)
	}
	return text.OneLine(s)
}

// NoParameters reports whether the parameters of all tools are unknown.
func (r Record) NoParameters() bool {
	return !slices.ContainsFunc(r.Tools, func(t registry.Tool) bool {
		_, known := r.fieldsOf(t)
		return known
	})
}

// A Tool is a tool as pages show it: its texts have invisible characters made visible, like
// the warnings about them.
type Tool struct {
	registry.Tool
	Fields       []Field
	Omitted      int  // number of parameters that are not shown
	NoParameters bool // the tool has no parameters
}

// WithFields returns tools of the server as pages show them. Parameters are included while their
// texts fit into size bytes in total.
func (r Record) WithFields(tools []registry.Tool, size int) []Tool {
	var all []Tool
	for _, t := range tools {
		fields, known := r.fieldsOf(t)
		t.Name, t.Title = text.OneLine(t.Name), text.OneLine(t.Title)
		t.Description = text.OneLine(t.Description)
		x := Tool{Tool: t, NoParameters: known && len(fields) == 0}
		if n := sizeOf(fields); n > size {
			x.Omitted = len(fields)
		} else {
			x.Fields = fields
			size -= n
		}
		all = append(all, x)
	}
	return all
}

// A ToolGroup holds the tools with one effect.
type ToolGroup struct {
	Effect string
	Level  string
	Bases  string // how their effects are known, "" for unknown ones
	Tools  []Tool
	More   []string // the names of the others
}

// Title says what the tools do.
func (g ToolGroup) Title() string { return format.Effect(g.Effect) }

// ToolGroups returns the tools whose names or descriptions contain a text, by their effects, the
// most severe first. The first of them, at most limit, are shown with parameters of size bytes in
// total.
func (r Record) ToolGroups(contained string, limit, size int) (all []ToolGroup) {
	contained = strings.ToLower(contained)
	c := r.Capabilities()
	for _, effect := range slices.Backward(registry.Effects) {
		var tools []registry.Tool
		for _, t := range r.Tools {
			if t.Effect().Effect == effect &&
				strings.Contains(strings.ToLower(t.Name+" "+t.Title+" "+t.Description), contained) {
				tools = append(tools, t)
			}
		}
		if tools == nil {
			continue
		}
		whole := min(len(tools), limit)
		g := ToolGroup{Effect: effect, Tools: r.WithFields(tools[:whole], size), Bases: basesOf(tools),
			Level: r.level(levelOf(tools, effect, &c))}
		for _, t := range tools[whole:] {
			g.More = append(g.More, text.OneLine(t.Name))
		}
		for _, t := range g.Tools {
			size -= sizeOf(t.Fields)
		}
		limit -= whole
		all = append(all, g)
	}
	return all
}

// Count is the number of tools of the group.
func (g ToolGroup) Count() int { return len(g.Tools) + len(g.More) }

// Known says how the effect of the tool is known, and what the owner declares; "" for neither.
func (t Tool) Known() string {
	e, declared := t.Effect(), strings.Join(t.declared(), ", ")
	known := basisWords[e.Basis]
	switch {
	case e.Basis == registry.BasisDeclared && !strings.Contains(declared, ","): // it is the effect
		return known
	case e.Basis == registry.BasisDeclared:
		return known + ": " + declared
	case e.Basis == registry.BasisSource && t.Contradicts():
		known += ", which does more"
	case e.Basis == registry.BasisSchema:
		known = "guessed from the parameter “" + visible(e.Evidence) + "”"
	case e.Basis == registry.BasisName:
		known = "guessed from the word “" + visible(e.Evidence) + "”"
	}
	if declared != "" {
		known = cmp.Or(known, "unknown") + "; declared: " + declared
	}
	return known
}

// declared are the owner's hints about the tool in words. The others have no meaning if it is
// declared to be read-only, except where it reaches.
func (t Tool) declared() (all []string) {
	a := t.Annotations
	if a == nil {
		return nil
	}
	isReader := a.ReadOnly != nil && *a.ReadOnly
	for _, h := range []struct {
		is      *bool
		yes, no string
		always  bool
	}{
		{a.ReadOnly, "read-only", "not read-only", true},
		{a.Destructive, "may change or delete", "only adds", false},
		{a.Idempotent, "safe to repeat", "not safe to repeat", false},
		{a.OpenWorld, "reaches other systems", "reaches no other systems", true},
	} {
		switch {
		case h.is == nil, isReader && !h.always:
		case *h.is:
			all = append(all, h.yes)
		default:
			all = append(all, h.no)
		}
	}
	return all
}

// Place returns the place in the code that has the tool's effect, with its page if it is in the
// repository; an empty one if the effect is not from code.
func (r Record) Place(t Tool) Source {
	e := t.Effect()
	if e.Basis != registry.BasisSource {
		return Source{}
	}
	path, line, _ := strings.Cut(e.Evidence, ":")
	page := format.SafeURL(r.Repo.Ref().BlobURL(r.Health.Commit, path))
	if page != "" && r.ToolsPackage.Identifier == "" {
		return Source{Ref: visible(e.Evidence), Page: page + "#L" + line}
	}
	return Source{Ref: visible(e.Evidence)}
}

// sizeOf estimates the size in bytes of parameters on a page, which cuts long texts.
func sizeOf(fields []Field) (n int) {
	for _, f := range fields {
		n += min(300, len(f.Description)) + len(f.Name) + len(f.Default) + 60
		for _, c := range f.Choices {
			n += min(60, len(c))
		}
	}
	return n
}
