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

// Readable returns the tools of a start with the default settings as tests write them.
func Readable(tools []registry.Tool) []Tool {
	var out []Tool
	for _, t := range tools {
		if !t.IsDefault() {
			continue
		}
		out = append(out, Tool{t.Name, t.Title, t.Description, string(t.InputSchema), t.Annotations})
	}
	return out
}

// Default returns whether a start with the default settings registers a tool: "on", "off", or "" if
// that is undecided.
func Default(t registry.Tool) string {
	switch {
	case t.Conditional == nil:
		return "on"
	case t.Conditional.Off:
		return "off"
	}
	return ""
}

// Conditions returns the settings of conditional tools by name, with "off " before those of tools
// that a start with the default settings does not register.
func Conditions(tools []registry.Tool) map[string]string {
	out := map[string]string{}
	for _, t := range tools {
		if c := t.Conditional; c != nil && c.Off {
			out[t.Name] = "off " + c.Setting
		} else if c != nil {
			out[t.Name] = c.Setting
		}
	}
	return out
}
