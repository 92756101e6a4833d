package schema

import (
	"encoding/json"
	"slices"
)

// Unknown is a value that is not known.
type Unknown struct{}

// Limits of a schema.
const (
	maxSize  = 256 << 10 // bytes
	maxDepth = 40
	maxNodes = 20_000
)

// Encode returns a schema with unknown parts as JSON, without them. It returns nil if it is not
// known which parameters the schema has, or which of them are required: nothing is stated that may
// not hold. A property whose schema is not known is {}.
func Encode(v any) []byte {
	r := reader{}
	o, known := r.schema(v, 0)
	b := o.Encode()
	if !known || r.nodes > maxNodes || len(b) > maxSize {
		return nil
	}
	return b
}

// A reader reads the known parts of a schema.
type reader struct{ nodes int }

func (r *reader) exceeds(depth int) bool {
	r.nodes++
	return depth > maxDepth || r.nodes > maxNodes
}

// schema returns the known keywords of a schema. It reports false if others may say which
// properties there are.
func (r *reader) schema(v any, depth int) (*Object, bool) {
	o, ok := v.(*Object)
	if !ok || r.exceeds(depth) {
		return &Object{}, false
	}
	out, known := &Object{}, !o.More
	for _, key := range o.Keys() {
		value, ok := r.keyword(key, o.Get(key), depth+1)
		switch {
		case ok:
			out.Set(key, value)
		case slices.Contains(essential, key):
			known = false
		}
	}
	if known {
		return out, true
	}
	texts := &Object{}
	for _, key := range []string{"type", "title", "description"} {
		if out.Has(key) {
			texts.Set(key, out.Get(key))
		}
	}
	return texts, false
}

// essential are the keywords that say which properties there are, and which are required.
var essential = []string{"properties", "required", "$ref", "allOf", "anyOf", "oneOf"}

// keyword returns the value of a keyword, false if it is not known.
func (r *reader) keyword(key string, v any, depth int) (any, bool) {
	switch key {
	case "properties", "patternProperties", "$defs", "definitions":
		return r.schemas(v, depth)
	case "items", "additionalProperties", "contains":
		if o, ok := v.(*Object); ok {
			s, _ := r.schema(o, depth)
			return s, true
		}
	case "allOf", "anyOf", "oneOf":
		list, ok := v.([]any)
		out := make([]any, len(list))
		for i := range list {
			var known bool
			out[i], known = r.schema(list[i], depth)
			ok = ok && known
		}
		return out, ok
	}
	return r.plain(v, depth)
}

func (r *reader) schemas(v any, depth int) (*Object, bool) {
	o, ok := v.(*Object)
	if !ok || o.More {
		return nil, false
	}
	out := &Object{}
	for _, key := range o.Keys() {
		if b, ok := o.Get(key).(bool); ok {
			out.Set(key, b)
			continue
		}
		s, _ := r.schema(o.Get(key), depth)
		out.Set(key, s)
	}
	return out, true
}

// plain returns a value that has no unknown parts.
func (r *reader) plain(v any, depth int) (any, bool) {
	if r.exceeds(depth) {
		return nil, false
	}
	switch v := v.(type) {
	case nil, string, int64, float64, bool, json.RawMessage:
		return v, true
	case []any:
		for _, item := range v {
			if _, ok := r.plain(item, depth+1); !ok {
				return nil, false
			}
		}
		return v, true
	case *Object:
		for _, key := range v.Keys() {
			if _, ok := r.plain(v.Get(key), depth+1); !ok {
				return nil, false
			}
		}
		return v, !v.More
	}
	return nil, false
}
