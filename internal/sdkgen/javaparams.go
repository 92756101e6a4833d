package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// javaParams are the classes of the parameters by call.
var javaParams = map[string]string{
	"discover": "DiscoverParams", "discoverTools": "DiscoverToolsParams", "health": "HealthParams",
	"search": "SearchParams", "directory.list": "DirectoryParams", "servers.list": "ServersParams",
	"servers.bulk": "BulkParams", "servers.analytics": "AnalyticsParams",
	"account.usage": "UsageParams", "custom.run": "CustomRunParams", "custom.put": "CustomParams",
	"directory.changes": "ChangesParams", "servers.changes": "RecordChangesParams",
	"registry.list": "EntriesParams", "registry.versions": "VersionsParams",
	"registry.retrieve": "EntryParams", "registry.view.list": "EntriesParams",
	"registry.view.versions": "VersionsParams", "registry.view.retrieve": "EntryParams",
	"webhooks.create": "WebhookParams", "webhooks.replace": "WebhookParams",
	"webhooks.deliveries": "DeliveriesParams",
}

// withoutClass are the calls whose class is not generated: HealthParams has options of the
// client too, and views have the classes of the registry.
var withoutClass = []string{
	"health", "registry.view.list", "registry.view.versions", "registry.view.retrieve",
	"webhooks.replace",
}

// notInParams are the parameters that a call sets or omits itself.
var notInParams = map[string][]string{
	"discover": {"format", "level"}, "discoverTools": {"format"},
}

// A parameter is a parameter of a query or path, or a member of a body.
type parameter struct {
	name, doc string
	schema    *openapi3.SchemaRef
	inQuery   bool
}

// javaParamClasses returns the classes of parameters by name.
func javaParamClasses(doc *openapi3.T, calls []sdkCall) (map[string]string, error) {
	files := map[string]string{}
	for _, call := range slices.Sorted(maps.Keys(javaParams)) {
		if slices.Contains(withoutClass, call) {
			continue
		}
		op := operationOf(doc, calls, call)
		if op == nil {
			return nil, fmt.Errorf("%s: no operation", call)
		}
		var all []parameter
		for _, p := range parametersOf(op) {
			if !slices.Contains(positionalOf(call), p.name) && !slices.Contains(notInParams[call], p.name) {
				all = append(all, p)
			}
		}
		text, err := javaParamClass(call, all)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", call, err)
		}
		files[javaParams[call]] = text
	}
	return files, nil
}

// operationOf returns the operation of the first call of a name; nil if there is none.
func operationOf(doc *openapi3.T, calls []sdkCall, name string) *openapi3.Operation {
	n := slices.IndexFunc(calls, func(c sdkCall) bool { return c.Call == name })
	if n < 0 {
		return nil
	}
	for path, item := range doc.Paths.Map() {
		if isAddress(path, calls[n].Request.Path) {
			if op := item.GetOperation(calls[n].Request.Method); op != nil {
				return op
			}
		}
	}
	return nil
}

func parametersOf(op *openapi3.Operation) (all []parameter) {
	for _, p := range op.Parameters {
		v := p.Value
		all = append(all, parameter{v.Name, v.Description, v.Schema, v.In == openapi3.ParameterInQuery})
	}
	if op.RequestBody == nil {
		return all
	}
	body := op.RequestBody.Value.Content.Get("application/json").Schema.Value
	for _, name := range slices.Sorted(maps.Keys(body.Properties)) {
		s := body.Properties[name]
		doc := s.Value.Description
		if own, ok := s.Extensions["description"].(string); ok { // beside a $ref
			doc = own
		}
		all = append(all, parameter{name: name, doc: doc, schema: s})
	}
	return all
}

// A javaSetter is the methods of a builder that set a parameter.
type javaSetter struct {
	Parameter, Doc, Name, Kind, Value string
	Item                              string // of a collection
}

func javaParamClass(call string, all []parameter) (string, error) {
	var setters []javaSetter
	for _, p := range all {
		s, err := p.setter()
		if err != nil {
			return "", fmt.Errorf("%s: %w", p.name, err)
		}
		setters = append(setters, s)
	}
	return written("params", javaClass{
		Definition: Definition{Name: javaParams[call]}, Method: strings.ReplaceAll(call, ".", "()."),
		Body: written("setters", setters),
	}), nil
}

func (p parameter) setter() (javaSetter, error) {
	t, enum, err := p.kind()
	name := javaName(p.name)
	code := strings.NewReplacer("\x01", "{@code ", "\x02", "}", "\x03", "@")
	s := javaSetter{Parameter: p.name, Name: name, Kind: javaKinds[t.Kind].value, Value: name}
	switch {
	case err != nil:
		return s, err
	case p.name == "filters":
		s.Kind, s.Value = "Filters", name+" == null ? null : "+name+".toMap()"
	case t.Kind == Array:
		s.Item = cmp.Or(enum, "String")
	case p.name == "fields": // separated by commas in a query
		s.Item, s.Value = "DetailMemberParam", "joined("+name+")"
	case t.Kind == Named:
		s.Kind = cmp.Or(enum, "String")
	case t.Kind == Integer && p.schema.Value.Format != "int64":
		s.Kind = "int"
	}
	if s.Item != "" {
		s.Kind = "Collection<" + s.Item + ">"
	}
	s.Doc = code.Replace(javaDoc("        ", p.text(t)))
	return s, nil
}

// kind returns the type of a parameter, and the name of the enumeration of its values or items, ""
// for none.
func (p parameter) kind() (t Type, enum string, err error) {
	r := reader{types: map[string]*Definition{}, shapes: map[string]string{}, request: true}
	if t, err = r.read(p.name, p.schema); err != nil {
		return t, "", err
	}
	schema, item := p.schema, t
	if t.Kind == Array {
		schema, item = p.schema.Value.Items, *t.Item
	}
	if item.Kind == Named && len(schema.Value.Enum) > 0 && isNamed(schema) {
		enum = item.Name
	}
	return t, enum, nil
}

// text describes a parameter: its description, values, bounds and default. Code is between
// \x01 and \x02, and \x03 is the at sign of a tag.
func (p parameter) text(t Type) string {
	s := p.schema.Value
	text := strings.TrimSpace(p.doc)
	text = cmp.Or(text, "Sets "+p.name+".")
	parts := strings.Split(text, "`")
	text = parts[0]
	for i, part := range parts[1:] {
		text += string("\x01\x02"[i%2]) + part
	}
	if len(s.Enum) > 0 && !isNamed(p.schema) {
		words := make([]string, len(s.Enum))
		for i, e := range s.Enum {
			words[i] = fmt.Sprint(e)
		}
		text += " One of " + strings.Join(words, ", ") + "."
	}
	if s.Min != nil && s.Max != nil && *s.Max < 1e6 {
		text += fmt.Sprintf(" %v to %v.", *s.Min, *s.Max)
	}
	if s.Default != nil && !strings.Contains(text, "Default:") {
		text += fmt.Sprintf(" Default: %v.", s.Default)
	}
	ref := p.schema.Ref
	if t.Kind == Array {
		ref, t = s.Items.Ref, *t.Item
	}
	if t.Kind == Named && ref != "" && p.name != "filters" && !strings.HasSuffix(t.Name, "Param") {
		text += " See {\x03link org.mcpcensus.census.model." + t.Name + "}."
	}
	return text
}
