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
)

// javaModel is the folder of the generated classes; it holds nothing else.
const javaModel = "sdk/java/src/main/java/org/mcpcensus/census/model/"

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
	if err := os.RemoveAll(javaModel); err != nil { // types that are gone
		return err
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

// Generate returns the texts of all generated files by their paths from the root of
// the repository.
func Generate(document string) (map[string]string, error) {
	defs, err := ReadDocument(document)
	if err != nil {
		return nil, err
	}
	calls, err := samples(document, filepath.Join(filepath.Dir(document), "../sdk/fixtures/calls.json"))
	if err != nil {
		return nil, err
	}
	files := map[string]string{
		"api/samples.json":                   calls,
		"sdk/typescript/src/types.ts":        typeScript(defs),
		"sdk/python/src/mcp_census/types.py": python(defs),
	}
	for name, text := range java(defs) {
		files[javaModel+name+".java"] = text
	}
	return files, nil
}
