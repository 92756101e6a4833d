// Package schema provides JSON objects with ordered members, for JSON Schemas read from source.
package schema

import (
	"bytes"
	"encoding/json"

	"mcpcensus/internal/text"
)

// An Object is a JSON object with ordered keys. A nil *Object is empty and read-only.
type Object struct {
	// More reports that it may have more members than are known.
	More bool

	keys   []string
	values map[string]any
}

// New returns an object with alternating keys and values.
func New(pairs ...any) *Object {
	o := &Object{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if key, ok := pairs[i].(string); ok {
			o.Set(key, pairs[i+1])
		}
	}
	return o
}

// Set adds or replaces a member.
func (o *Object) Set(key string, value any) {
	if o.values == nil {
		o.values = map[string]any{}
	}
	if _, found := o.values[key]; !found {
		o.keys = append(o.keys, key)
	}
	o.values[key] = value
}

// Get returns a member, nil if there is none.
func (o *Object) Get(key string) any {
	if o == nil {
		return nil
	}
	return o.values[key]
}

func (o *Object) Has(key string) bool {
	if o == nil {
		return false
	}
	_, found := o.values[key]
	return found
}

// Text returns a string member, "" for others.
func (o *Object) Text(key string) string {
	s, _ := o.Get(key).(string)
	return s
}

// Keys returns the keys in order. The caller must not modify them.
func (o *Object) Keys() []string {
	if o == nil {
		return nil
	}
	return o.keys
}

// Len returns the number of members.
func (o *Object) Len() int { return len(o.Keys()) }

// Clone returns a copy that shares the values.
func (o *Object) Clone() *Object {
	out := &Object{More: o != nil && o.More}
	for _, key := range o.Keys() {
		out.Set(key, o.values[key])
	}
	return out
}

// MarshalJSON writes the members in order.
func (o *Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, key := range o.Keys() {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		value, err := text.JSON(o.values[key])
		if err != nil {
			return nil, err
		}
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Encode returns the object as JSON, nil if a value has no JSON form.
func (o *Object) Encode() []byte {
	if o == nil {
		return nil
	}
	b, err := text.JSON(o)
	if err != nil {
		return nil
	}
	return b
}

// Parameters returns the schema of an object with these properties.
func Parameters(properties *Object, required []string) *Object {
	out := New("type", "object", "properties", properties)
	if len(required) > 0 {
		list := make([]any, len(required))
		for i, key := range required {
			list[i] = key
		}
		out.Set("required", list)
	}
	return out
}
