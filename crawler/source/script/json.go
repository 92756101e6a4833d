package script

import (
	"bytes"
	"encoding/json"
	"strings"
)

const maxSchema = 256 << 10

// decodeJSON returns the value of a JSON text with the order of its properties,
// or nil if it is not valid.
func decodeJSON(s string) value {
	d := json.NewDecoder(strings.NewReader(s))
	v, err := decodeNext(d, 0)
	if err != nil {
		return nil
	}
	return v
}

func decodeNext(d *json.Decoder, depth int) (value, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '[' {
			a := &array{}
			for d.More() {
				v, err := decodeNext(d, depth+1)
				if err != nil {
					return nil, err
				}
				a.items = append(a.items, v)
			}
			_, err := d.Token()
			return a, err
		}
		o := newObject()
		for d.More() {
			k, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := decodeNext(d, depth+1)
			if err != nil {
				return nil, err
			}
			key, _ := k.(string)
			o.put(key, v)
		}
		_, err := d.Token()
		return o, err
	case nil:
		return null, nil
	}
	return t, nil
}

// encodeValue returns a value as JSON, and whether it is known in full.
func encodeValue(v value) ([]byte, bool) {
	e := encoder{strict: true}
	ok := e.value(v, 0, false)
	return e.b.Bytes(), ok
}

// encodeSchema returns a JSON Schema as JSON, or nil if its type or the names
// of its properties are not known. Keywords with unknown values are left out.
func encodeSchema(v value) []byte {
	e := encoder{}
	if !e.value(v, 0, false) || e.b.Len() == 0 || e.b.Len() > maxSchema {
		return nil
	}
	return e.b.Bytes()
}

type encoder struct {
	b      bytes.Buffer
	strict bool
}

const maxSchemaDepth = 40

// value writes v and reports whether that was possible. In properties, unknown
// schemas are written as {}.
func (e *encoder) value(v value, depth int, properties bool) bool {
	if depth > maxSchemaDepth || e.b.Len() > maxSchema {
		return false
	}
	switch v := v.(type) {
	case string, float64, bool:
		return e.plain(v)
	case *choice:
		return !e.strict && e.plain(v.first)
	case nullValue:
		return e.plain(nil)
	case *schema:
		return e.value(v.document(), depth, false)
	case *array:
		return e.array(v, depth)
	case *object:
		return e.object(v, depth, properties)
	}
	return false
}

func (e *encoder) plain(v any) bool {
	enc := json.NewEncoder(&e.b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return false
	}
	e.b.Truncate(e.b.Len() - 1) // the line feed
	return true
}

func (e *encoder) array(a *array, depth int) bool {
	if a.open {
		return false
	}
	e.b.WriteByte('[')
	for i, item := range a.items {
		if i > 0 {
			e.b.WriteByte(',')
		}
		if !e.value(item, depth+1, false) {
			return false
		}
	}
	e.b.WriteByte(']')
	return true
}

func (e *encoder) object(o *object, depth int, properties bool) bool {
	if o.open && (properties || e.strict || len(o.keys) == 0) {
		return false
	}
	e.b.WriteByte('{')
	start := e.b.Len()
	for _, k := range o.keys {
		v := o.props[k].value
		if v == nil || v == undefined || isFunction(v) {
			continue
		}
		mark := e.b.Len()
		if mark > start {
			e.b.WriteByte(',')
		}
		e.plain(k)
		e.b.WriteByte(':')
		after := e.b.Len()
		inner := k == "properties" && !properties
		switch {
		case e.value(v, depth+1, inner):
		case e.strict || inner && depth == 0:
			return false
		case properties:
			e.b.Truncate(after)
			e.b.WriteString("{}")
		default:
			e.b.Truncate(mark)
		}
	}
	e.b.WriteByte('}')
	return true
}

func isFunction(v value) bool {
	switch v.(type) {
	case *function, *class:
		return true
	}
	return false
}
