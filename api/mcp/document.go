package mcp

import (
	"bytes"
	"encoding/json"
	"slices"

	"mcpcensus/internal/text"
)

// A document is an output with members of a document of the API. Texts of others are clean.
type document map[string]any

// documentLimits are how long texts and lists may be; the first that fit count.
var documentLimits = []struct{ text, list int }{
	{1000, 40}, {maxDescription, 20}, {maxSentence, 20}, {maxName, 20}, {maxName, maxParts},
	{maxName, 3}, {maxName, 1},
}

// bulky are members of checks that are left out.
var bulky = []string{"evidence", "docs"}

// add adds members of a document of the API. Texts and lists are shortened, with a warning, if
// d would be larger than size.
func (d document) add(doc []byte, members []string, size int) error {
	var all map[string]any
	decoder := json.NewDecoder(bytes.NewReader(doc))
	decoder.UseNumber()
	if err := decoder.Decode(&all); err != nil {
		return err
	}
	isShort := false
	for _, limits := range documentLimits {
		isShort = false
		for _, name := range members {
			d[name] = shortened(all[name], limits.text, limits.list, &isShort)
		}
		if sizeOf(d) < size {
			break
		}
	}
	if warnings, _ := d["warnings"].([]string); isShort {
		d["warnings"] = append(warnings, "Long texts and lists are shortened.")
	}
	return nil
}

// shortened returns a copy of a JSON value with brief texts of at most maxText bytes and lists
// of at most maxList items. It sets isShort if something is left out.
func shortened(v any, maxText, maxList int, isShort *bool) any {
	switch v := v.(type) {
	case string:
		*isShort = *isShort || len(text.OneLine(clean(v))) > maxText
		return brief(v, maxText)
	case []any:
		*isShort = *isShort || len(v) > maxList
		out := make([]any, min(len(v), maxList))
		for i := range out {
			out[i] = shortened(v[i], maxText, maxList, isShort)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			if !slices.Contains(bulky, name) {
				out[clean(name)] = shortened(value, maxText, maxList, isShort)
			}
		}
		return out
	}
	return v
}
