package readme

import (
	"encoding/json"
	"strings"
	"testing"
)

// parametersOf returns the schemas of a README's tools by name, without what
// all of them have.
func parametersOf(t *testing.T, text string) map[string]string {
	t.Helper()
	r, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, x := range r.Tools {
		if x.InputSchema == nil {
			continue
		}
		if !json.Valid(x.InputSchema) {
			t.Errorf("%s: invalid JSON: %s", x.Name, x.InputSchema)
		}
		out[x.Name] = strings.TrimSuffix(strings.TrimPrefix(strings.ReplaceAll(string(x.InputSchema), `,"$comment":"read from the README"`, ""), `{"type":"object",`), "}")
	}
	return out
}

func TestParameters(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want map[string]string
	}{
		"items below a heading": {
			"# W\n\n## Tools\n\n### get_tide\n\nWhen the water is high.\n\n**Parameters:**\n- `harbour` (string, required): Where\n- `days` (integer, optional, default: 3): How many\n- `kind` (string[]): Which\n- `deep` (boolean, default true)\n\n**Returns:**\n- `height` (number): Metres\n",
			map[string]string{"get_tide": `"properties":{"harbour":{"type":"string","description":"Where"},"days":{"type":"integer","description":"How many"},"kind":{"type":"array","description":"Which"},"deep":{"type":"boolean"}},"required":["harbour"]`},
		},
		"items below an item": {
			"# W\n\n## Tools\n\n- **get_tide**\n  - When the water is high\n  - Inputs:\n    - `harbour` (string): Where\n      - `inner` (string): part of it\n    - `options` (object)\n  - Returns: a table\n    - `height` (number): Metres\n- **list_harbours**\n  - All of them\n  - Input: None\n- **get_wind**\n  - Input: `place` (string)\n- **get_sun**\n  - About the sun\n",
			map[string]string{
				"get_tide":      `"properties":{"harbour":{"type":"string","description":"Where"},"options":{"type":"object"}}`,
				"list_harbours": `"properties":{}`, "get_wind": `"properties":{"place":{"type":"string"}}`},
		},
		"items below a label": {
			"# W\n\n## Tools\n\n### get_tide\n\nRequired parameters:\n\n- `harbour`: Where\n" +
				"- `model` (string): Which\n\nNotes:\n\n- `height`: is in metres\n\n" +
				"### get_wind\n\n- `speed` is what it gives\n- `place`: Where\n",
			map[string]string{"get_tide": `"properties":{"harbour":{"description":"Where"},"model":{"type":"string","description":"Which"}}`,
				"get_wind": `"properties":{"speed":{"description":"is what it gives"},"place":{"description":"Where"}}`},
		},
		"column of a table of tools": {
			"# W\n\n## Tools\n\n| Tool | Description | Parameters |\n|---|---|---|\n| `get_tide` | When | `harbour`, `days?` |\n| `get_wind` | How strong | `place` (string), `days` (number, optional) |\n| `get_sun` | Whether | none |\n| `get_moon` | Which | see below |\n",
			map[string]string{"get_tide": `"properties":{"harbour":{},"days":{}}`, "get_wind": `"properties":{"place":{"type":"string"},"days":{"type":"number"}}`, "get_sun": `"properties":{}`},
		},
		"tags after the description": {
			"# W\n\n## Tools\n\n- **get_tide** - When the water is high\n" +
				"  - `harbour`: Name of the place (string, required)\n" +
				"  - `days`: How many (number, optional)\n  - `owner`\n",
			map[string]string{"get_tide": `"properties":{"harbour":{"type":"string","description":"Name of the place"},"days":{"type":"number","description":"How many"},"owner":{}},"required":["harbour"]`},
		},
		"table below a heading": {
			"# W\n\n## Tools\n\n### get_tide\n\nWhen the water is high.\n\n" +
				"| Description | Required | Parameter | Type |\n|---|---|---|---|\n" +
				"| Where | yes | `harbour` | string |\n| How many | no | `days` | integer |\n",
			map[string]string{"get_tide": `"properties":{"harbour":{"type":"string","description":"Where"},"days":{"type":"integer","description":"How many"}},"required":["harbour"]`},
		},
		"not parameters": {
			"# W\n\n## Tools\n\n### get_tide\n\nExample:\n\n- `harbour` (string): Bergen\n\n```json\n{\"harbour\": \"Bergen\"}\n```\n\n### get_wind\n\n- Fast (very): it is\n- Works offline\n\n## Environment variables\n\n- `get_sun_key` (string, required): a key\n",
			map[string]string{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			equal(t, c.want, parametersOf(t, c.text))
		})
	}
}

func TestParameterBounds(t *testing.T) {
	var b strings.Builder
	b.WriteString("# W\n\n## Tools\n\n### get_tide\n\nParameters:\n\n")
	for i := range 5000 {
		b.WriteString("- `p" + strings.Repeat("x", i%50) + string(rune('a'+i%26)) + "` (string, required): " + strings.Repeat("<script>\x00\xff\u2028é", 100) + "\n")
	}
	for i := range 200 {
		b.WriteString("\n### tool_" + strings.Repeat("a", i%60) + "_" + string(rune('a'+i%26)) + "\n\n```json\n{\"type\": \"object\", \"properties\": " + strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000) + "}\n```\n")
	}
	r, err := Parse([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, x := range r.Tools {
		if len(x.InputSchema) > maxSchema || x.InputSchema != nil && !json.Valid(x.InputSchema) {
			t.Errorf("%s: %d bytes", x.Name, len(x.InputSchema))
		}
		total += len(x.InputSchema)
	}
	if total > maxSchemas {
		t.Errorf("%d bytes of schemas", total)
	}
}

func FuzzParameters(f *testing.F) {
	for _, s := range []string{"- `a` (string, required): b\n- `c?`: d", "| Parameter | Type |\n|---|---|\n| a | string |", "Parameters: `a` (string), `b`", "```ts\n{\n a: string;\n b?: 'x' | 'y'\n}\n```",
		"- Inputs:\n  - a (int)\n  - Returns: x", "```json\n{\"type\":\"object\",\"properties\":{\"a\":{}}}\n```", "get_tide(a: str, b=1)\nget_wind(c)", "(((((", "- **a** (default: \"\\u0000\")", "- `a` - b - _Required String_"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := Parse([]byte("# W\n\n## Tools\n\n### get_tide\n\n" + s + "\n\n### get_wind\n\n- `get_sun`: x\n  " + strings.ReplaceAll(s, "\n", "\n  ")))
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range r.Tools {
			var v struct {
				Type       string
				Properties map[string]any
			}
			if x.InputSchema == nil {
				continue
			}
			if err := json.Unmarshal(x.InputSchema, &v); err != nil || v.Type != "object" || v.Properties == nil || len(x.InputSchema) > maxSchema {
				t.Errorf("%v %s", err, x.InputSchema)
			}
		}
	})
}
