package main

import (
	"embed"
	"fmt"
	"strings"
	"text/template"
)

const generated = "Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT."

//go:embed templates
var files embed.FS

// templates are the forms of generated files. Comments end with a line break; without a text they
// are empty.
var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"generated": func() string { return generated },
	"quote":     func(s string) string { return fmt.Sprintf("%q", s) },
	"comment":   blockComment, "typescript": typeScriptType,
	"docstring": docstring, "python": pythonType, "snake": snake, "camel": camel, "dataName": dataName,
	"javadoc": javaDoc, "javaName": javaName, "constant": constant,
}).ParseFS(files, "templates/*"))

// written returns the text of a template, which data must fit.
func written(name string, data any) string {
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		panic("sdkgen: " + err.Error())
	}
	return b.String()
}
