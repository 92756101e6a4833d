package script

import (
	"encoding/json"
	"strings"

	document "mcpcensus/crawler/source/schema"
)

// decodeJSON returns the value of a JSON text with ordered properties, or nil if it is invalid.
func decodeJSON(s string) value {
	if !json.Valid([]byte(s)) {
		return nil
	}
	return decodeNext(json.NewDecoder(strings.NewReader(s)))
}

// decodeNext decodes the next value of valid JSON.
func decodeNext(d *json.Decoder) value {
	t, _ := d.Token()
	switch t {
	case nil:
		return null
	case json.Delim('['):
		a := &array{}
		for d.More() {
			a.items = append(a.items, decodeNext(d))
		}
		_, _ = d.Token()
		return a
	case json.Delim('{'):
		o := newObject()
		for d.More() {
			key, _ := d.Token()
			o.put(key.(string), decodeNext(d))
		}
		_, _ = d.Token()
		return o
	}
	return t
}

// Limits of a schema, whose objects may contain each other.
const (
	maxSchemaDepth = 40
	maxSchemaNodes = 20_000
)

// encodeSchema returns the known parts of a JSON Schema as JSON, or nil if its parameters are
// unknown.
func encodeSchema(v value) []byte {
	return document.Encode(plain(v, 0, new(0)))
}

// plain returns v as a JSON value. Values without a JSON form are unknown.
func plain(v value, depth int, nodes *int) any {
	if *nodes++; depth > maxSchemaDepth || *nodes > maxSchemaNodes {
		return document.Unknown{}
	}
	switch v := v.(type) {
	case string, float64, bool:
		return v
	case nullValue:
		return nil
	case *schema:
		return plain(v.document(), depth, nodes)
	case *array:
		if v.open {
			break
		}
		out := make([]any, len(v.items))
		for i, item := range v.items {
			out[i] = plain(item, depth+1, nodes)
		}
		return out
	case *object:
		out := &document.Object{More: v.open}
		for _, k := range v.keys {
			if v.own(k) != undefined {
				out.Set(k, plain(v.own(k), depth+1, nodes))
			}
		}
		return out
	}
	return document.Unknown{}
}

func isFunction(v value) bool {
	switch v.(type) {
	case *function, *class:
		return true
	}
	return false
}
