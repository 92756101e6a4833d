package main

import (
	"slices"
	"strings"
	"unicode"
)

// python returns the module of all types of responses. Requests are keyword
// arguments of the client's methods.
func python(defs []Definition) string {
	isArgument := func(d Definition) bool { return d.Request && !d.IsEnum() }
	defs = slices.DeleteFunc(slices.Clone(defs), isArgument)
	var names []string
	for _, d := range defs {
		names = append(names, d.Name)
		if d.Cases != nil {
			names = append(names, dataName(d))
		}
	}
	slices.Sort(names)
	return written("types.py.tmpl", struct {
		Definitions []Definition
		Names       []string
	}{defs, names})
}

// dataName returns the name of the type of the member "data" of an object with cases.
func dataName(d Definition) string { return strings.TrimSuffix(d.Name, "Payload") + "Data" }

// pythonKinds are the types of Python by kind.
var pythonKinds = map[Kind]string{Any: "Any", String: "str", Moment: "dt.datetime", Date: "dt.date",
	Integer: "int", Number: "float", Boolean: "bool"}

func pythonType(t Type, optional bool) string {
	s := pythonKinds[t.Kind]
	switch t.Kind {
	case Array:
		s = "list[" + pythonType(*t.Item, false) + "]"
	case Map:
		s = "dict[str, " + pythonType(*t.Item, false) + "]"
	case Named:
		s = t.Name
	}
	if (t.Null || optional) && t.Kind != Any {
		s = "Optional[" + s + "]"
	}
	return s
}

func docstring(indent, doc string) string {
	if doc == "" {
		return ""
	}
	doc = strings.ReplaceAll(strings.ReplaceAll(doc, `\`, `\\`), `"""`, `'''`)
	lines := wrap(doc, 84-len(indent))
	if strings.HasSuffix(doc, `"`) {
		lines[len(lines)-1] += " "
	}
	if len(lines) == 1 {
		return indent + `"""` + lines[0] + `"""` + "\n"
	}
	return indent + `"""` + strings.Join(lines, "\n"+indent) + "\n" + indent + `"""` + "\n"
}

// pythonWords are the keywords that members are called.
var pythonWords = []string{"from", "global", "in", "is", "class", "import", "not", "or", "and"}

// snake returns the name of a member in Python.
func snake(name string) string {
	var b strings.Builder
	for i, c := range strings.TrimLeft(name, "_") {
		if unicode.IsUpper(c) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	s := b.String()
	if slices.Contains(pythonWords, s) {
		s += "_"
	}
	return s
}

// camel is the inverse of snake for most names; the others name their wire form.
func camel(name string) string {
	var b strings.Builder
	up := false
	for _, c := range name {
		switch {
		case c == '_':
			up = true
			continue
		case up:
			c = unicode.ToUpper(c)
		}
		up = false
		b.WriteRune(c)
	}
	return b.String()
}
