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
