// Command sdkgen writes the types of the SDKs from the OpenAPI document, and examples
// of its operations from the calls of the SDKs. Run it from the root of the repository:
//
//	go run ./internal/sdkgen
//
// A test of this package fails when the written files are stale.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// The folders of Java classes. Those that are generated begin with a line that says so.
const (
	javaRoot        = "sdk/java/src/main/java/org/mcpcensus/census/"
	javaModel       = javaRoot + "model/"
	javaParamFolder = javaRoot + "params/"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "sdkgen:", err)
		os.Exit(1)
	}
}

func run() error {
	files, err := Generate("api/openapi.yaml")
	if err != nil {
		return err
	}
	old, err := stale(".", files)
	if err != nil {
		return err
	}
	for _, name := range old {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// stale returns the generated Java classes below root that are not among files.
func stale(root string, files map[string]string) (names []string, err error) {
	for _, folder := range []string{javaModel, javaParamFolder} {
		classes, err := filepath.Glob(filepath.Join(root, folder, "*.java"))
		if err != nil {
			return nil, err
		}
		for _, name := range classes {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			if strings.HasPrefix(string(text), "// "+generated) && files[folder+filepath.Base(name)] == "" {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// Generate returns the texts of all generated files by their paths from the root of
// the repository.
func Generate(document string) (map[string]string, error) {
	doc, err := openapi3.NewLoader().LoadFromFile(document)
	if err != nil {
		return nil, err
	}
	defs, err := ReadDocument(doc)
	if err != nil {
		return nil, err
	}
	calls, err := readCalls(filepath.Join(filepath.Dir(document), "../sdk/fixtures/calls.json"))
	if err != nil {
		return nil, err
	}
	examples, err := samples(doc, calls)
	if err != nil {
		return nil, err
	}
	params, err := javaParamClasses(doc, calls)
	if err != nil {
		return nil, err
	}
	files := map[string]string{
		"api/samples.json":                   examples,
		"sdk/typescript/src/types.ts":        written("types.ts.tmpl", defs),
		"sdk/python/src/mcp_census/types.py": python(defs),
	}
	for name, text := range java(defs) {
		files[javaModel+name+".java"] = text
	}
	for name, text := range params {
		files[javaParamFolder+name+".java"] = text
	}
	for _, d := range defs {
		if d.Request && d.IsEnum() {
			files[javaParamFolder+d.Name+".java"] = written("paramEnum", d)
		}
	}
	return files, nil
}
