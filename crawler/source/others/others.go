// Package others reads the tools of MCP servers from Rust, C#, Java, Kotlin,
// Ruby, PHP and Swift source: attributes, annotations and calls of the SDKs.
package others

import (
	"encoding/json"
	"maps"
	"slices"

	"mcpcensus/crawler/paths"
	"mcpcensus/crawler/source/listing"
	"mcpcensus/internal/registry"
)

func IsSource(file string) bool { return languages[paths.Language(file)] != nil }

// Candidates returns the paths of the files that may register tools, most
// promising first.
func Candidates(paths []string) []string {
	return listing.Choose(paths, listing.Score, slices.Collect(maps.Keys(languages))...)
}

// Tools returns the tools that the files register, each once, in the order of the paths and of
// the text. partial reports that some names are not constant, or that the files handle tools/list
// without a known tool. The files must not include tests and examples. of may be nil; no steps are
// counted.
func Tools(files map[string]string, of *listing.Reading) (tools []registry.Tool, partial bool) {
	p := &project{constants: map[string]string{}, literals: map[string][]span{},
		values:  map[string][]span{},
		structs: map[string][]declared{}, factories: map[string]bool{},
		classes: map[string]bool{}, types: listing.Calls[string]{}, features: defaultFeatures(files),
		tools: listing.Tools{Reading: of}}
	var sources []*source
	for _, file := range slices.Sorted(maps.Keys(files)) {
		name := paths.Language(file)
		l := languages[name]
		if l == nil {
			continue
		}
		s := &source{path: file, language: name, own: map[string]string{}, project: p}
		s.setTokens(lex(l, files[file]))
		if name == "Rust" {
			s.withoutTests()
			s.rustStructs()
		}
		s.collectFactories()
		p.lists = p.lists || slices.ContainsFunc(s.tokens, func(t token) bool {
			return t.kind == tokenString && t.text == "tools/list"
		})
		s.collectConstants()
		s.collectValues()
		s.collectRegions()
		sources = append(sources, s)
	}
	for _, s := range sources {
		s.noteTypes()
	}
	for _, s := range sources {
		s.read()
	}
	tools = p.tools.Conditional()
	return tools, p.tools.Partial || p.lists && len(tools) == 0
}

// read adds the tools that a file registers.
func (s *source) read() {
	switch s.language {
	case "Rust":
		s.rust()
	case "C#":
		s.csharp()
	case "Java", "Kotlin":
		s.jvm()
	case "Ruby":
		s.ruby()
	case "PHP":
		s.php()
	case "Swift":
		s.swift()
	}
	s.definitions()
	if s.lists {
		s.factoryCalls()
	}
	if s.language != "Rust" && s.language != "Ruby" {
		s.toolTypes()
	}
}

// jsonObject returns a JSON object in a text, compact, or nil.
func jsonObject(text string) []byte {
	var o map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &o) != nil || o == nil {
		return nil
	}
	b, err := json.Marshal(o)
	if err != nil {
		return nil
	}
	return b
}
