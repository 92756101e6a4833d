package main

import (
	"fmt"
	"strings"
)

const generated = "Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT."

// typeScript returns the module of all types. Enumerations of responses are open: a value that
// a newer registry has is a string.
func typeScript(defs []Definition) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\n", generated)
	for _, d := range defs {
		b.WriteString("\n")
		b.WriteString(blockComment("", d.Doc))
		if d.IsEnum() {
			fmt.Fprintf(&b, "export type %s =", d.Name)
			for _, v := range d.Values {
				fmt.Fprintf(&b, "\n  | %q", v)
			}
			if !d.Request {
				b.WriteString("\n  | (string & {})")
			}
			b.WriteString(";\n")
			continue
		}
		if d.Cases != nil {
			fmt.Fprintf(&b, "export type %s =\n", d.Name)
			for i, c := range d.Cases {
				end := ""
				if i == len(d.Cases)-1 {
					end = ";"
				}
				fmt.Fprintf(&b, "  | { type: %q; timestamp: string; data: %s }%s\n", c.Value, c.Type, end)
			}
			continue
		}
		fmt.Fprintf(&b, "export interface %s {\n", d.Name)
		for _, m := range d.Members {
			b.WriteString(blockComment("  ", m.Doc))
			optional := "?"
			if m.Required {
				optional = ""
			}
			fmt.Fprintf(&b, "  %s%s: %s;\n", m.Name, optional, typeScriptType(m.Type))
		}
		if d.Open != nil {
			fmt.Fprintf(&b, "  [name: string]: %s;\n", typeScriptType(*d.Open))
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func typeScriptType(t Type) string {
	s := "unknown"
	switch t.Kind {
	case String, Moment, Date:
		s = "string"
	case Integer, Number:
		s = "number"
	case Boolean:
		s = "boolean"
	case Array:
		s = typeScriptType(*t.Item)
		if strings.Contains(s, "|") {
			s = "(" + s + ")"
		}
		s += "[]"
	case Map:
		s = "Record<string, " + typeScriptType(*t.Item) + ">"
	case Named:
		s = t.Name
	}
	if t.Null && t.Kind != Any {
		s += " | null"
	}
	return s
}

// blockComment returns a documentation comment of TypeScript and Java, or nothing.
func blockComment(indent, doc string) string {
	lines := wrap(strings.ReplaceAll(doc, "*/", "*\u200b/"), 92-len(indent))
	switch len(lines) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%s/** %s */\n", indent, lines[0])
	}
	var b strings.Builder
	b.WriteString(indent + "/**\n")
	for _, l := range lines {
		b.WriteString(indent + " * " + l + "\n")
	}
	b.WriteString(indent + " */\n")
	return b.String()
}

// wrap breaks text into lines of at most width bytes, where words allow it.
func wrap(text string, width int) []string {
	var lines []string
	for _, w := range strings.Fields(text) {
		if n := len(lines); n > 0 && len(lines[n-1])+1+len(w) <= width {
			lines[n-1] += " " + w
			continue
		}
		lines = append(lines, w)
	}
	return lines
}
