// Command sbom writes the modules that a Go program consists of as a CycloneDX
// document to standard output:
//
//	go run ./internal/sbom bin/census > bin/census.cdx.json
package main

import (
	"debug/buildinfo"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sbom PROGRAM")
		os.Exit(2)
	}
	if err := write(os.Stdout, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// write writes the document of a program.
func write(w io.Writer, program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	bom := document(filepath.Base(program), info)
	return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
}

// document returns the document of a program: its modules, in their order in the
// program, and the Go standard library.
func document(name string, info *debug.BuildInfo) *cyclonedx.BOM {
	main := component(&info.Main)
	main.Type, main.Name = cyclonedx.ComponentTypeApplication, name
	components := []cyclonedx.Component{component(&debug.Module{Path: "std", Version: info.GoVersion})}
	uses := []string{components[0].BOMRef}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := component(m)
		components = append(components, c)
		uses = append(uses, c.BOMRef)
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Component: &main}
	bom.Components = &components
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: main.BOMRef, Dependencies: &uses}}
	return bom
}

// component returns a module as a component. Its hash stays out: that of go.sum is not
// the hash of a file.
func component(m *debug.Module) cyclonedx.Component {
	url := "pkg:golang/" + m.Path
	if m.Version != "" {
		url += "@" + m.Version
	}
	return cyclonedx.Component{Type: cyclonedx.ComponentTypeLibrary, BOMRef: url, PackageURL: url,
		Name: m.Path, Version: m.Version}
}
