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

// Limits of a schema.
const (
	maxSchema      = 256 << 10 // bytes
	maxSchemaDepth = 40
	maxSchemaNodes = 20_000
)

// encodeSchema returns a JSON Schema as JSON, or nil if its type or the names of its properties
// are unknown. It omits keywords with unknown values.
func encodeSchema(v value) []byte {
	e := encoder{}
	o, _ := e.plain(v, 0).(*document.Object)
	b := o.Encode()
	if e.nodes > maxSchemaNodes || len(b) > maxSchema {
		return nil
	}
	return b
}

type encoder struct{ nodes int }

// absent represents values without a JSON form.
var absent any = struct{}{}

// plain returns v as a JSON value, or [absent].
func (e *encoder) plain(v value, depth int) any {
	if e.nodes++; depth > maxSchemaDepth || e.nodes > maxSchemaNodes {
		return absent
	}
	switch v := v.(type) {
	case string, float64, bool:
		return v
	case nullValue:
		return nil
	case *schema:
		return e.plain(v.document(), depth)
	case *array:
		out := []any{}
		for _, item := range v.items {
			x := e.plain(item, depth+1)
			if x == absent || v.open {
				return absent
			}
			out = append(out, x)
		}
		return out
	case *object:
		return e.object(v, depth)
	}
	return absent
}

func (e *encoder) object(o *object, depth int) any {
	if o.open && len(o.keys) == 0 {
		return absent
	}
	out := &document.Object{}
	for _, k := range o.keys {
		v := e.plain(o.props[k].value, depth+1)
		if p, ok := o.own(k).(*object); ok && k == "properties" {
			v = e.properties(p, depth+1)
			if v == absent && depth == 0 {
				return absent
			}
		}
		if v != absent {
			out.Set(k, v)
		}
	}
	return out
}

// properties returns the properties of an object. Unknown ones are {}.
func (e *encoder) properties(o *object, depth int) any {
	if o.open {
		return absent
	}
	out := &document.Object{}
	for _, k := range o.keys {
		v := e.plain(o.own(k), depth+1)
		switch {
		case v != absent:
			out.Set(k, v)
		case o.own(k) != undefined:
			out.Set(k, &document.Object{})
		}
	}
	return out
}

func isFunction(v value) bool {
	switch v.(type) {
	case *function, *class:
		return true
	}
	return false
}
