package schema

import "testing"

func TestObject(t *testing.T) {
	o := New("type", "object", "note", "a < b", "empty", &Object{})
	o.Set("type", "array")
	copied := o.Clone()
	copied.Set("note", "copied")
	for got, want := range map[string]string{
		string(o.Encode()):      `{"type":"array","note":"a < b","empty":{}}`,
		string(copied.Encode()): `{"type":"array","note":"copied","empty":{}}`,
		string(Parameters(New("a", &Object{}), []string{"a"}).Encode()): `{"type":"object",` +
			`"properties":{"a":{}},"required":["a"]}`,
		string(New("a", func() {}).Encode()): "",
	} {
		if got != want {
			t.Errorf("Encode() = %s, want %s", got, want)
		}
	}
}

// TestEncode tests that what is not known is not stated, and that a schema is unknown if its
// parameters are.
func TestEncode(t *testing.T) {
	text := func() *Object { return New("type", "string") }
	with := func(pairs ...any) *Object { return New(append([]any{"type", "object"}, pairs...)...) }
	more := text()
	more.More = true
	for name, test := range map[string]struct {
		schema any
		want   string
	}{
		"whole": {with("properties", New("bed", text()), "required", []any{"bed"}),
			`{"type":"object","properties":{"bed":{"type":"string"}},"required":["bed"]}`},
		"no object":           {"text", ""},
		"unknown":             {Unknown{}, ""},
		"unknown properties":  {with("properties", Unknown{}), ""},
		"more properties":     {with("properties", &Object{More: true}), ""},
		"more keywords":       {more, ""},
		"unknown requirement": {with("properties", New("bed", text()), "required", []any{Unknown{}}), ""},
		"unknown description": {with("description", Unknown{}), `{"type":"object"}`},
		"unknown property": {with("properties", New("bed", Unknown{})),
			`{"type":"object","properties":{"bed":{}}}`},
		"property named as a keyword": {with("properties", New("description", Unknown{}, "required", text())),
			`{"type":"object","properties":{"description":{},"required":{"type":"string"}}}`},
		"property with unknown properties": {
			with("properties", New("bed", with("description", "A bed.", "properties", Unknown{}, "minimum", 1.0))),
			`{"type":"object","properties":{"bed":{"type":"object","description":"A bed."}}}`},
		"unknown alternative": {with("properties", New("bed", New("anyOf", []any{text(), Unknown{}}))),
			`{"type":"object","properties":{"bed":{}}}`},
		"unknown items": {with("properties", New("beds", New("type", "array", "items", more))),
			`{"type":"object","properties":{"beds":{"type":"array","items":{"type":"string"}}}}`},
		"unknown choices": {with("properties", New("bed", New("type", "string", "enum", []any{"a", Unknown{}}))),
			`{"type":"object","properties":{"bed":{"type":"string"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(Encode(test.schema)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
