package jsonobject

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMembers(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	for name, c := range map[string]struct {
		data string
		want []Member
		err  string
	}{
		"empty":        {data: " {} "},
		"order":        {data: `{"b": 1, "a": [2, {}]}`, want: []Member{{"b", raw("1")}, {"a", raw("[2, {}]")}}},
		"repeated":     {data: `{"a": 1, "a": null}`, want: []Member{{"a", raw("1")}, {"a", raw("null")}}},
		"nothing":      {err: "it is not an object"},
		"array":        {data: `[1]`, err: "it is not an object"},
		"text":         {data: `{"a`, err: "it is malformed near byte 1"},
		"bare name":    {data: `{a: 1}`, err: "it is malformed near byte 1"},
		"number name":  {data: `{1: 1}`, err: "it is malformed near byte 1"},
		"no value":     {data: `{"a"}`, err: "it is malformed near byte"},
		"no end":       {data: `{"a": 1`, err: "its end is missing"},
		"two commas":   {data: `{"a": 1,, "b": 2}`, err: "it is malformed near byte"},
		"another":      {data: `{"a": 1} {}`, err: "more text follows it"},
		"invalid rest": {data: `{"a": 1} x`, err: "more text follows it"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Members([]byte(c.data))
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.HasPrefix(err.Error(), c.err)) {
				t.Fatalf("error %v, want %q", err, c.err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzMembers(f *testing.F) {
	for _, s := range []string{`{}`, `{"a": [1], "a": {"b": null}}`, `{"a`, `{} {}`, `{1: 2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		members, err := Members(data)
		var object map[string]json.RawMessage
		accepted := json.Unmarshal(data, &object) == nil && object != nil
		if (err == nil) != accepted {
			t.Errorf("error %v, accepted by encoding/json: %t", err, accepted)
		}
		for _, m := range members {
			if !json.Valid(m.Value) {
				t.Errorf("value %q of %q", m.Value, m.Name)
			}
		}
	})
}
