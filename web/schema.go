package web

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// An argument is one parameter of a tool, as its input schema describes it.
type argument struct {
	Name, Type, Description string
	Required                bool
	Default                 string   // as JSON; "" if there is none
	Choices                 []string // as JSON where they are no strings
}

// mostFields bounds the parameters that are shown of one tool.
const mostFields = 40

// fieldsOf reads the parameters of an input schema, required ones first, then
// in their order. Known is false for a schema that does not list any, which is
// not the same as one that says that there are none.
func fieldsOf(schema json.RawMessage) (fields []argument, known bool) {
	var s struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if len(schema) == 0 || json.Unmarshal(schema, &s) != nil || s.Properties == nil {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(s.Properties))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for d.More() && len(fields) < mostFields {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		var raw json.RawMessage
		if d.Decode(&raw) != nil {
			return nil, false
		}
		var p struct {
			Type        json.RawMessage   `json:"type"`
			Description string            `json:"description"`
			Default     json.RawMessage   `json:"default"`
			Enum        []json.RawMessage `json:"enum"`
			Format      string            `json:"format"`
			Items       struct {
				Type json.RawMessage `json:"type"`
			} `json:"items"`
			AnyOf []struct {
				Type json.RawMessage `json:"type"`
			} `json:"anyOf"`
		}
		f := argument{Name: name.(string)}
		f.Required = slices.Contains(s.Required, f.Name)
		if json.Unmarshal(raw, &p) == nil {
			f.Description = p.Description
			types := typeNames(p.Type)
			for _, o := range p.AnyOf {
				types = append(types, typeNames(o.Type)...)
			}
			f.Type = strings.Join(types, " or ")
			if items := typeNames(p.Items.Type); f.Type == "array" && len(items) > 0 {
				f.Type = "array of " + strings.Join(items, " or ")
			}
			if p.Format != "" {
				f.Type = strings.TrimSpace(f.Type + " (" + p.Format + ")")
			}
			if len(p.Default) > 0 && string(p.Default) != "null" {
				f.Default = textOfJSON(p.Default)
			}
			for _, e := range p.Enum[:min(len(p.Enum), 30)] {
				f.Choices = append(f.Choices, textOfJSON(e))
			}
		}
		fields = append(fields, f)
	}
	slices.SortStableFunc(fields, func(a, b argument) int {
		switch {
		case a.Required == b.Required:
			return 0
		case a.Required:
			return -1
		}
		return 1
	})
	return fields, true
}

func typeNames(raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil && one != "" {
		return []string{one}
	}
	var more []string
	if json.Unmarshal(raw, &more) == nil {
		return more
	}
	return nil
}

// textOfJSON is a string without its quotes, or any other value as it is.
func textOfJSON(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
