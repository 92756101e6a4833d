package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// python returns the module of all types of responses. Requests are keyword
// arguments of the client's methods.
func python(defs []Definition) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# %s
"""The types of the responses, and the values of parameters.

Enumerations of responses are open: a value that a newer registry has is a string.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import Any, Literal, Optional, Union

from ._model import Model
`, generated)
	var names []string
	for _, d := range defs {
		if d.Request && !d.IsEnum() {
			continue
		}
		names = append(names, d.Name)
		if d.IsEnum() {
			if d.Request {
				fmt.Fprintf(&b, "\n%s = Literal[\n    %s,\n]\n", d.Name, quoted(d.Values, ",\n    "))
			} else {
				fmt.Fprintf(&b, "\n%s = Union[\n    Literal[\n        %s,\n    ],\n    str,\n]\n",
					d.Name, quoted(d.Values, ",\n        "))
			}
			if d.Doc != "" {
				b.WriteString(docstring("", d.Doc))
			}
			continue
		}
		pythonClass(&b, d)
	}
	for _, d := range defs {
		if d.Cases == nil {
			continue
		}
		names = append(names, dataName(d))
		fmt.Fprintf(&b, "\n\n%s = Union[\n    %s,\n    dict[str, Any],\n]\n", dataName(d),
			strings.Join(d.CaseTypes(), ",\n    "))
		b.WriteString(docstring("", "The data of "+d.Name+" by its type; of an unknown type, a dict."))
		fmt.Fprintf(&b, "\n%s._cases = {\n", d.Name)
		for _, c := range d.Cases {
			fmt.Fprintf(&b, "    %q: %s,\n", c.Value, c.Type)
		}
		b.WriteString("}\n")
	}
	slices.Sort(names)
	b.WriteString("\n\n__all__ = [\n")
	for _, n := range names {
		fmt.Fprintf(&b, "    %q,\n", n)
	}
	b.WriteString("]\n")
	return b.String()
}

func quoted(values []string, separator string) string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = fmt.Sprintf("%q", v)
	}
	return strings.Join(all, separator)
}

func pythonClass(b *strings.Builder, d Definition) {
	fmt.Fprintf(b, "\n\n@dataclass(frozen=True, repr=False)\nclass %s(Model):\n", d.Name)
	if d.Doc != "" {
		b.WriteString(docstring("    ", d.Doc) + "\n")
	}
	for _, m := range d.Members {
		name := snake(m.Name)
		t := pythonType(m.Type, !m.Required)
		if d.Cases != nil && m.Name == "data" {
			t = dataName(d)
		}
		fmt.Fprintf(b, "    %s: %s", name, t)
		if camel(name) != m.Name {
			fmt.Fprintf(b, " = field(metadata={\"wire\": %q})", m.Name)
		}
		b.WriteString("\n")
		if m.Doc != "" {
			b.WriteString(docstring("    ", m.Doc))
		}
	}
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
