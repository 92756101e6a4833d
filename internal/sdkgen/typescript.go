package main

import (
	"fmt"
	"strings"
)

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
