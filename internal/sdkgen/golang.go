package main

import (
	"fmt"
	"go/format"
	"strings"
)

// initialisms are the words that Go writes in capitals.
var initialisms = map[string]string{"Id": "ID", "Url": "URL", "Urls": "URLs", "Sdk": "SDK", "Api": "API",
	"Ids": "IDs", "Html": "HTML", "Mcp": "MCP", "Json": "JSON"}

// golang returns the file of all types of the Go client. It panics if what it writes
// is not Go.
func golang(defs []Definition) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// Code generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.\n\npackage census\n\n")
	b.WriteString("import (\n\"encoding/json\"\n\"time\"\n)\n")
	for _, d := range defs {
		name := goName(d.Name)
		b.WriteString("\n")
		if d.Doc != "" {
			b.WriteString(goComment("", name+": "+d.Doc))
		}
		if d.Cases != nil {
			b.WriteString(goComment("", "Data is a *"+goName(strings.Join(d.CaseTypes(), ", *"))+
				", or a map[string]any for another Type."))
		}
		if d.IsEnum() {
			fmt.Fprintf(&b, "type %s = string\n\n"+
				"// Known values of %s. A newer registry may have others.\nconst (\n", name, name)
			for _, v := range d.Values {
				fmt.Fprintf(&b, "%s%s %s = %q\n", name, goName(title(v)), name, v)
			}
			b.WriteString(")\n")
			continue
		}
		fmt.Fprintf(&b, "type %s struct {\n", name)
		for _, m := range d.Members {
			b.WriteString(goComment("\t", m.Doc))
			t := goType(m.Type, !m.Required && d.Request)
			omit := ""
			switch {
			case m.Required:
			case d.Request:
				omit = ",omitempty"
			default: // as it was received: empty lists are there
				omit = ",omitzero"
			}
			fmt.Fprintf(&b, "\t%s %s `json:\"%s%s\"`\n", goName(title(m.Name)), t, m.Name, omit)
		}
		if d.Open != nil {
			fmt.Fprintf(&b, "\t// Others are the other members.\n\tOthers map[string]%s `json:\"-\"`\n", goType(*d.Open, false))
		}
		b.WriteString("}\n")
		if d.Open != nil {
			b.WriteString(strings.ReplaceAll(openMethods, "NAME", name))
		}
		if d.Cases != nil {
			b.WriteString(goCases(name, d))
		}
	}
	text, err := format.Source([]byte(b.String()))
	if err != nil {
		panic(err)
	}
	return string(text)
}

// openMethods read and write the members of an object that have no field.
const openMethods = `
// UnmarshalJSON implements [json.Unmarshaler].
func (v *NAME) UnmarshalJSON(text []byte) error {
	type named NAME
	return readOpen(text, (*named)(v), &v.Others)
}

// MarshalJSON implements [json.Marshaler].
func (v NAME) MarshalJSON() ([]byte, error) {
	type named NAME
	return writeOpen(named(v), v.Others)
}
`

// goCases returns the method that decodes the data of an object by its type.
func goCases(name string, d Definition) string {
	var b strings.Builder
	fmt.Fprintf(&b, `
// UnmarshalJSON implements [json.Unmarshaler].
func (v *%[1]s) UnmarshalJSON(text []byte) error {
	type named %[1]s
	if err := json.Unmarshal(text, (*named)(v)); err != nil {
		return err
	}
	var data any
	switch v.Type {
`, name)
	for _, t := range d.CaseTypes() {
		fmt.Fprintf(&b, "case %s:\n data = new(%s)\n", strings.Join(d.valuesOf(t), ", "), goName(t))
	}
	b.WriteString(`default:
		return nil
	}
	raw := struct {
		Data any ` + "`json:\"data\"`" + `
	}{data}
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	v.Data = raw.Data
	return nil
}
`)
	return b.String()
}

func goComment(indent, doc string) string {
	var b strings.Builder
	for _, l := range wrap(doc, 86-len(indent)) {
		b.WriteString(indent + "// " + l + "\n")
	}
	return b.String()
}

// goKinds are the types of Go by kind.
var goKinds = map[Kind]string{Any: "any", String: "string", Date: "string", Moment: "time.Time",
	Integer: "int64", Number: "float64", Boolean: "bool"}

func goType(t Type, optional bool) string {
	s := goKinds[t.Kind]
	switch t.Kind {
	case Array:
		return "[]" + goType(*t.Item, false)
	case Map:
		return "map[string]" + goType(*t.Item, false)
	case Named:
		s = goName(t.Name)
	}
	if (t.Null || optional) && t.Kind != Any {
		return "*" + s
	}
	return s
}

// goName returns name with its initialisms in capitals.
func goName(name string) string {
	var b strings.Builder
	start := 0
	for i := 1; i <= len(name); i++ {
		if i < len(name) && (name[i] < 'A' || name[i] > 'Z') {
			continue
		}
		word := name[start:i]
		if up, ok := initialisms[word]; ok {
			word = up
		}
		b.WriteString(word)
		start = i
	}
	return b.String()
}
