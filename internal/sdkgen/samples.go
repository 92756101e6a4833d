package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/goccy/go-yaml"
)

// A sample is an element of x-codeSamples in the OpenAPI document.
type sample struct {
	Lang   string `json:"lang"`
	Label  string `json:"label"`
	Source string `json:"source"`
}

// sdkCall is a call of sdk/fixtures/calls.json. The tests of the SDKs run them all.
type sdkCall struct {
	Call    string
	Args    yaml.MapSlice // in the order of the file
	Request struct{ Method, Path string }
}

// readCalls returns the calls of sdk/fixtures/calls.json.
func readCalls(file string) ([]sdkCall, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list struct{ Calls []sdkCall }
	if err := yaml.UnmarshalWithOptions(text, &list, yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return list.Calls, nil
}

// samples returns api/samples.json: for the ID of each operation its first call, in
// three languages.
func samples(doc *openapi3.T, calls []sdkCall) (string, error) {
	all := map[string][]sample{}
	for path, item := range doc.Paths.Map() {
		for method, o := range item.Operations() {
			n := slices.IndexFunc(calls, func(c sdkCall) bool {
				return c.Request.Method == method && isAddress(path, c.Request.Path)
			})
			if n < 0 {
				continue
			}
			var err error
			if all[o.OperationID], err = calls[n].samples(parametersOf(o)); err != nil {
				return "", fmt.Errorf("%s: %w", calls[n].Call, err)
			}
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(all)
	return b.String(), err
}

// isAddress reports whether path is an address of the template.
func isAddress(template, path string) bool {
	return slices.EqualFunc(strings.Split(template, "/"), strings.Split(path, "/"),
		func(part, segment string) bool { return strings.HasPrefix(part, "{") || part == segment })
}

// positional are the parameters that are arguments of their own, by group, in their order.
var positional = map[string][]string{
	"custom": {"name"}, "registry": {"name", "document"}, "webhooks": {"id", "delivery"},
}

// positionalOf returns the parameters that are arguments of their own in a call.
func positionalOf(call string) []string {
	group, _, _ := strings.Cut(call, ".")
	if own := positional[group]; own != nil {
		return own
	}
	return []string{"id"}
}

// samples returns the call in each language, of a client with the name client.
func (c sdkCall) samples(parameters []parameter) ([]sample, error) {
	names := strings.Split(c.Call, ".")
	own := positionalOf(c.Call)
	view := ""
	var named yaml.MapSlice
	var lead []any
	for _, name := range own {
		for _, a := range c.Args {
			if a.Key == name {
				lead = append(lead, a.Value)
			}
		}
	}
	for _, a := range c.Args {
		switch key := fmt.Sprint(a.Key); {
		case key == "view":
			view = "(" + literal(a.Value, typeScriptStyle) + ")"
		case !slices.Contains(own, key):
			named = append(named, a)
		}
	}
	values := func(s style) []string {
		all := []string{}
		for _, v := range lead {
			all = append(all, literal(v, s))
		}
		return all
	}

	ts := values(typeScriptStyle)
	if len(named) > 0 {
		ts = append(ts, members(named))
	}
	py := values(pythonStyle)
	for _, a := range named {
		py = append(py, snake(fmt.Sprint(a.Key))+"="+literal(a.Value, pythonStyle))
	}
	java := values(javaStyle)
	if len(named) > 0 {
		params, err := c.javaParams(named, parameters)
		if err != nil {
			return nil, err
		}
		java = append(java, params)
	}
	method := func(group, name func(string) string) string {
		path := "client"
		for _, n := range names[:len(names)-1] {
			if n == "view" {
				path += ".view" + view
			} else {
				path += "." + group(n)
			}
		}
		return path + "." + name(names[len(names)-1])
	}
	same := func(name string) string { return name }
	getter := func(name string) string { return name + "()" }
	return []sample{
		{"TypeScript", "TypeScript", "await " + method(same, same) + "(" + strings.Join(ts, ", ") + ");"},
		{"Python", "Python", method(snake, snake) + arguments(py)},
		{"Java", "Java", method(getter, same) + "(" + strings.Join(java, ", ") + ");"},
	}, nil
}

// arguments returns arguments in Python, in a line each if there are several.
func arguments(all []string) string {
	if len(all) < 3 {
		return "(" + strings.Join(all, ", ") + ")"
	}
	return "(\n    " + strings.Join(all, ",\n    ") + ",\n)"
}

// members returns an object in TypeScript, in a line each if there are several.
func members(m yaml.MapSlice) string {
	all := make([]string, len(m))
	for i, a := range m {
		all[i] = fmt.Sprint(a.Key) + ": " + literal(a.Value, typeScriptStyle)
	}
	if len(all) < 3 {
		return "{ " + strings.Join(all, ", ") + " }"
	}
	return "{\n  " + strings.Join(all, ",\n  ") + ",\n}"
}

func (c sdkCall) javaParams(named yaml.MapSlice, parameters []parameter) (string, error) {
	class := javaParams[c.Call]
	if class == "" {
		return "", fmt.Errorf("no class of parameters")
	}
	b := class + ".builder()"
	for _, a := range named {
		value, err := javaArgument(class, a.Value)
		if err != nil {
			return "", err
		}
		for _, p := range parameters {
			if _, enum, err := p.kind(); err == nil && enum != "" && p.name == a.Key {
				value = javaConstants(enum, a.Value)
			}
		}
		if a.Key == "updatedSince" {
			value = "Instant.parse(" + value + ")"
		}
		b += "\n    ." + fmt.Sprint(a.Key) + "(" + value + ")"
	}
	return b + "\n    .build()", nil
}

// javaConstants returns values of an enumeration of parameters.
func javaConstants(enum string, value any) string {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	all := make([]string, len(list))
	for i, v := range list {
		all[i] = enum + "." + constant(fmt.Sprint(v))
	}
	return strings.Join(all, ", ")
}

// javaArgument returns the argument of a builder's method.
func javaArgument(class string, value any) (string, error) {
	switch v := value.(type) {
	case yaml.MapSlice:
		b := "Filters.builder()"
		for _, f := range v {
			condition, err := javaCondition(f.Value)
			if err != nil {
				return "", err
			}
			b += "." + fmt.Sprint(f.Key) + "(" + condition + ")"
		}
		return b + ".build()", nil
	case []any:
		return strings.Trim(literal(v, typeScriptStyle), "[]"), nil
	}
	if class == "UsageParams" {
		return "LocalDate.parse(" + literal(value, typeScriptStyle) + ")", nil
	}
	return literal(value, typeScriptStyle), nil
}

func javaCondition(form any) (string, error) {
	m, ok := form.(yaml.MapSlice)
	if !ok {
		return "Condition.is(" + literal(form, typeScriptStyle) + ")", nil
	}
	methods := map[any]string{"gte": "atLeast", "in": "oneOf"}
	if len(m) != 1 || methods[m[0].Key] == "" {
		return "", fmt.Errorf("no Java for the condition %v", m)
	}
	value, err := javaArgument("", m[0].Value)
	return "Condition." + methods[m[0].Key] + "(" + value + ")", err
}

// A style is how a language writes objects and constants. Strings, numbers and lists
// are those of JSON in all.
type style struct{ open, shut, yes, no, quote, colon string }

var (
	typeScriptStyle = style{"{ ", " }", "true", "false", "", ": "}
	pythonStyle     = style{"{", "}", "True", "False", `"`, ": "}
	javaStyle       = style{"Map.of(", ")", "true", "false", `"`, ", "}
)

func literal(value any, s style) string {
	switch v := value.(type) {
	case yaml.MapSlice:
		all := make([]string, len(v))
		for i, a := range v {
			all[i] = s.quote + fmt.Sprint(a.Key) + s.quote + s.colon + literal(a.Value, s)
		}
		return s.open + strings.Join(all, ", ") + s.shut
	case []any:
		all := make([]string, len(v))
		for i, e := range v {
			all[i] = literal(e, s)
		}
		return "[" + strings.Join(all, ", ") + "]"
	case bool:
		if v {
			return s.yes
		}
		return s.no
	case string:
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(value)
}
