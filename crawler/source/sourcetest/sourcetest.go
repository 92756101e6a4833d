// Package sourcetest compares tools that are read from source with known ones,
// for the tests of the languages.
package sourcetest

import "mcpcensus/internal/registry"

// NoParameters is the schema of a tool without parameters.
const NoParameters = `{"type":"object","properties":{}}`

// A Tool is a tool as tests write it, with its schema as text.
type Tool struct {
	Name, Title, Description, Schema string
	Annotations                      *registry.ToolAnnotations
}

// Readable returns tools as tests write them.
func Readable(tools []registry.Tool) []Tool {
	var out []Tool
	for _, t := range tools {
		out = append(out, Tool{t.Name, t.Title, t.Description, string(t.InputSchema), t.Annotations})
	}
	return out
}
