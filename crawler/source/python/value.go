package python

import (
	"strings"

	"mcpcensus/crawler/source/schema"
)

// Values of constant expressions are string, int64, float64, bool, nil, []any,
// *schema.Object for dictionaries, and these.
type (
	// function is a definition. Bound methods have an instance.
	function struct {
		def   *statement
		scope *scope // in which it is defined
		self  *instance
	}
	class struct {
		def   *statement
		scope *scope // in which it is defined
		body  *scope
	}
	// instance is the result of calling a class of the files.
	instance struct {
		class *class
		node  *call // nil for "self"
		scope *scope
		// attributes caches evaluated attributes.
		attributes map[string]result
	}
	result struct {
		value any
		ok    bool
		busy  bool // being evaluated
	}
	// member is a member of an enumeration.
	member struct {
		name  string
		value any
	}
	// namespace is a module of the files, or only the name of one.
	namespace struct {
		dotted string
		module *module
		from   *module
	}
	// external is a name from outside the files, such as mcp.types.Tool.
	external struct{ path string }
	// unknown is an element of a list or dictionary that is not constant.
	unknown = schema.Unknown
	// made is the result of calling an external.
	made struct {
		path  string
		node  *call
		scope *scope
	}
)

// last returns the part of a dotted name after the last dot.
func last(dotted string) string { return dotted[strings.LastIndexByte(dotted, '.')+1:] }

// constant returns v as a string if it is one or an enumeration's string.
func constant(v any) (string, bool) {
	if m, ok := v.(*member); ok {
		v = m.value
	}
	s, ok := v.(string)
	return s, ok
}

// plain returns v as a JSON value, in which parts without a JSON form are unknown. known reports
// that there are none.
func plain(v any) (value any, known bool) {
	switch v := v.(type) {
	case nil, string, int64, float64, bool:
		return v, true
	case *member:
		return plain(v.value)
	case []any:
		out, known := make([]any, len(v)), true
		for i, item := range v {
			x, ok := plain(item)
			out[i], known = x, known && ok
		}
		return out, known
	case *schema.Object:
		out, known := &schema.Object{More: v.More}, !v.More
		for _, key := range v.Keys() {
			x, ok := plain(v.Get(key))
			out.Set(key, x)
			known = known && ok
		}
		return out, known
	}
	return schema.Unknown{}, false
}
