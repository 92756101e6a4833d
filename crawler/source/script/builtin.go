package script

import (
	"regexp"
	"slices"
	"strings"
)

func sortStrings(s []string) { slices.Sort(s) }

// global calls a function of the runtime, or one of a package that is known by
// its name.
func (in *interpreter) global(x *external, path string, args []value) (value, bool) {
	a := arg(args, 0)
	if x.module != "" {
		return nil, false
	}
	if f := globals[path]; f != nil {
		return f(in, a, args), true
	}
	return nil, false
}

// globals is set by init, since callbacks may use it again. The functions take
// the first argument and all arguments.
var globals map[string]method[value]

func init() {
	first := func(_ *interpreter, a value, _ []value) value { return a }
	keys := func(in *interpreter, a value, _ []value) value {
		return &array{items: in.keysOf(a), open: !isClosed(a)}
	}
	globals = map[string]method[value]{
		"Object.keys": keys, "Object.getOwnPropertyNames": keys,
		"Object.values": func(in *interpreter, a value, _ []value) value {
			return in.valuesOf(a, func(_ string, v value) value { return v })
		},
		"Object.entries": func(in *interpreter, a value, _ []value) value {
			return in.valuesOf(a, func(k string, v value) value { return &array{items: []value{k, v}} })
		},
		"Object.assign": func(in *interpreter, a value, args []value) value {
			o := asObject(a)
			for _, v := range args[min(1, len(args)):] {
				in.spread(o, v)
			}
			return o
		},
		"Object.freeze": first, "Object.seal": first, "Promise.resolve": first, "structuredClone": first,
		"Promise.all": first, "Promise.allSettled": first,
		"Object.create": func(_ *interpreter, a value, _ []value) value {
			o := newObject()
			o.proto, _ = a.(*object)
			return o
		},
		"Object.fromEntries": func(in *interpreter, a value, _ []value) value { return in.fromEntries(a) },
		"Object.defineProperty": func(in *interpreter, a value, args []value) value {
			in.defineProperty(a, arg(args, 1), arg(args, 2))
			return a
		},
		"Array.isArray": func(_ *interpreter, a value, _ []value) value {
			if isUnknown(a) {
				return unknownValue
			}
			_, ok := a.(*array)
			return ok
		},
		"Array.from": arrayFrom,
		"Array.of":   func(_ *interpreter, _ value, args []value) value { return &array{items: args} },
		"String": func(_ *interpreter, a value, _ []value) value {
			if s, ok := text(a); ok {
				return s
			}
			return unknownValue
		},
		"Boolean": func(_ *interpreter, a value, _ []value) value {
			if t, known := truth(a); known {
				return t
			}
			return unknownValue
		},
		"JSON.parse":     parseJSON,
		"JSON.stringify": stringifyJSON,
	}
}

func arrayFrom(in *interpreter, a value, args []value) value {
	items, whole := in.iterate(a)
	r := &array{items: slices.Clone(items), open: !whole}
	if f, ok := arg(args, 1).(*function); ok {
		return mapItems(in, r, []value{f})
	}
	return r
}

func parseJSON(_ *interpreter, a value, _ []value) value {
	if s, ok := a.(string); ok {
		if v := decodeJSON(s); v != nil {
			return v
		}
	}
	return unknownValue
}

func stringifyJSON(_ *interpreter, a value, args []value) value {
	if b, ok := encodeValue(a); ok && len(args) == 1 {
		return string(b)
	}
	return unknownValue
}

func isClosed(v value) bool {
	switch v := v.(type) {
	case *object:
		return !v.open
	case *array:
		return !v.open
	case *namespace:
		return true
	}
	return false
}

func (in *interpreter) valuesOf(v value, f func(string, value) value) value {
	out := &array{open: !isClosed(v)}
	for _, k := range in.keysOf(v) {
		key := k.(string)
		out.items = append(out.items, f(key, in.member(v, key)))
	}
	return out
}

func (in *interpreter) fromEntries(v value) value {
	o := newObject()
	items, whole := in.iterate(v)
	o.open = !whole
	for _, item := range items {
		pair, _ := in.iterate(item)
		if len(pair) != 2 {
			o.open = true
			continue
		}
		if k, ok := text(pair[0]); ok {
			o.put(k, pair[1])
		} else {
			o.open = true
		}
	}
	return o
}

func (in *interpreter) defineProperty(target, key, descriptor value) {
	k, ok := text(key)
	d, isObject := descriptor.(*object)
	if !ok || !isObject {
		return
	}
	p := property{value: in.member(d, "value")}
	if g, ok := in.member(d, "get").(*function); ok {
		p = property{getter: g}
	}
	switch t := target.(type) {
	case *object:
		t.set(k, p)
	case *class:
		if k != "name" {
			t.statics.set(k, p)
		}
	case *function:
		if p.getter == nil {
			t.object.put(k, p.value)
		}
	}
}

// apply calls a callback of a method of arrays.
func (in *interpreter) apply(f value, args ...value) value {
	switch f := f.(type) {
	case *function:
		return in.invoke(f, undefined, args)
	case *external:
		if v, ok := in.global(f, f.path, args[:1]); ok {
			return v
		}
		if strings.HasSuffix(f.path, "Tool") {
			return args[0]
		}
	}
	return unknownValue
}

func (in *interpreter) arrayMethod(a *array, name string, args []value) value {
	if m := arrayMethods[name]; m != nil {
		return m(in, a, args)
	}
	return unknownValue
}

// method is a method of a built-in object.
type method[T any] func(in *interpreter, receiver T, args []value) value

// arrayMethods is set by init, since callbacks may use it again.
var arrayMethods map[string]method[*array]

func init() {
	self := func(_ *interpreter, a *array, _ []value) value { return a }
	arrayMethods = map[string]method[*array]{
		"push": push, "unshift": unshift, "concat": concat, "slice": slice, "flat": flat, "join": join, "at": at,
		"map": mapItems, "flatMap": flatMap, "forEach": forEach, "filter": filter, "reduce": reduce,
		"find": find, "findLast": find, "includes": includes, "entries": entries,
		"sort": self, "toSorted": self, "reverse": self, "toReversed": self, "values": self,
		"catch": self, "finally": self,
		"then": func(in *interpreter, a *array, args []value) value { return in.apply(arg(args, 0), a) },
		"keys": func(in *interpreter, a *array, _ []value) value {
			return &array{items: in.keysOf(a), open: a.open}
		},
	}
}

func push(_ *interpreter, a *array, args []value) value {
	if len(a.items) < maxItems {
		a.items = append(a.items, args...)
	}
	return float64(len(a.items))
}

func unshift(_ *interpreter, a *array, args []value) value {
	a.items = slices.Concat(args, a.items)
	a.limit()
	return unknownValue
}

func mapItems(in *interpreter, a *array, args []value) value {
	out := &array{open: a.open}
	for i, item := range a.items {
		out.items = append(out.items, in.apply(arg(args, 0), item, float64(i), a))
	}
	return out
}

func flatMap(in *interpreter, a *array, args []value) value {
	return flat(in, mapItems(in, a, args).(*array), nil)
}

func flat(_ *interpreter, a *array, _ []value) value {
	out := &array{open: a.open}
	for _, item := range a.items {
		switch inner := item.(type) {
		case *array:
			out.items = append(out.items, inner.items...)
			out.open = out.open || inner.open
		case *unknown, *external:
			out.open = true
		default:
			out.items = append(out.items, item)
		}
	}
	return out.limit()
}

func forEach(in *interpreter, a *array, args []value) value {
	for i, item := range a.items {
		in.apply(arg(args, 0), item, float64(i), a)
	}
	return undefined
}

func find(in *interpreter, a *array, args []value) value {
	all := !a.open
	for i, item := range a.items {
		t, known := truth(in.apply(arg(args, 0), item, float64(i), a))
		if known && t {
			return item
		}
		all = all && known
	}
	if all {
		return undefined
	}
	return unknownValue
}

func concat(in *interpreter, a *array, args []value) value {
	out := &array{items: slices.Clone(a.items), open: a.open}
	for _, x := range args {
		items, whole := in.iterate(x)
		out.items = append(out.items, items...)
		out.open = out.open || !whole
	}
	return out.limit()
}

func entries(_ *interpreter, a *array, _ []value) value {
	out := &array{open: a.open}
	for i, item := range a.items {
		out.items = append(out.items, &array{items: []value{float64(i), item}})
	}
	return out
}

func at(_ *interpreter, a *array, args []value) value {
	if i, ok := arg(args, 0).(float64); ok && i >= 0 && int(i) < len(a.items) {
		return a.items[int(i)]
	}
	return unknownValue
}

func includes(_ *interpreter, a *array, args []value) value {
	v := arg(args, 0)
	if isUnknown(v) {
		return unknownValue
	}
	for _, item := range a.items {
		if same(item, v) {
			return true
		}
	}
	if a.open || slices.ContainsFunc(a.items, isUnknown) {
		return unknownValue
	}
	return false
}

func filter(in *interpreter, a *array, args []value) value {
	f := arg(args, 0)
	out := &array{open: a.open}
	for i, item := range a.items {
		if x, ok := f.(*external); ok && x.path == "Boolean" {
			if t, known := truth(item); known && !t {
				continue
			}
		} else if t, known := truth(in.apply(f, item, float64(i), a)); known && !t {
			continue
		}
		out.items = append(out.items, item)
	}
	return out
}

func reduce(in *interpreter, a *array, args []value) value {
	items := a.items
	var acc value
	if len(args) > 1 {
		acc = args[1]
	} else if len(items) > 0 {
		acc, items = items[0], items[1:]
	} else {
		return unknownValue
	}
	for i, item := range items {
		acc = in.apply(arg(args, 0), acc, item, float64(i), a)
	}
	return acc
}

func slice(_ *interpreter, a *array, args []value) value {
	from, ok1 := arg(args, 0).(float64)
	to, ok2 := arg(args, 1).(float64)
	n := len(a.items)
	if len(args) == 0 {
		from, ok1 = 0, true
	}
	if len(args) < 2 {
		to, ok2 = float64(n), true
	}
	i, j := int(from), int(to)
	if i < 0 {
		i += n
	}
	if j < 0 {
		j += n
	}
	if !ok1 || !ok2 || a.open || i < 0 || i > j || j > n {
		return &array{items: a.items, open: true}
	}
	return &array{items: slices.Clone(a.items[i:j])}
}

func join(_ *interpreter, a *array, args []value) value {
	sep := ","
	if s, ok := arg(args, 0).(string); ok {
		sep = s
	} else if len(args) > 0 {
		return unknownValue
	}
	var parts []string
	size := 0
	for _, item := range a.items {
		s, ok := text(item)
		if !ok && !isNullish(item) {
			return unknownValue
		}
		if size += len(s) + len(sep); size > maxText {
			return unknownValue
		}
		parts = append(parts, s)
	}
	if a.open {
		return unknownValue
	}
	return strings.Join(parts, sep)
}

func (in *interpreter) mappingMethod(m *mapping, name string, args []value) value {
	k := arg(args, 0)
	switch name {
	case "set", "add":
		v := k
		if name == "set" {
			v = arg(args, 1)
		}
		if len(m.keys) < maxItems {
			m.set(k, v)
		}
		return m
	case "get":
		return in.getKey(m, k)
	case "has":
		return in.hasKey(m, k)
	case "values":
		return &array{items: slices.Clone(m.values), open: m.open}
	case "keys":
		return &array{items: slices.Clone(m.keys), open: m.open}
	case "entries":
		items, whole := in.iterate(m)
		return &array{items: items, open: !whole}
	case "forEach":
		for i := range m.keys {
			in.apply(k, m.values[i], m.keys[i], m)
		}
		return undefined
	}
	return unknownValue
}

func (in *interpreter) getKey(m *mapping, k value) value {
	if v, ok := m.find(k); ok {
		return v
	}
	if in.defaults && m.lacks(k) {
		return undefined
	}
	return unknownValue
}

func (in *interpreter) hasKey(m *mapping, k value) value {
	_, ok := m.find(k)
	if ok || m.lacks(k) && (in.defaults || len(m.keys) > 0) {
		return ok
	}
	return unknownValue
}

func (m *mapping) find(k value) (value, bool) {
	i := slices.IndexFunc(m.keys, func(x value) bool { return same(x, k) })
	if i < 0 {
		return nil, false
	}
	return m.values[i], true
}

// lacks reports whether it is certain that a key is missing, if it was not
// found.
func (m *mapping) lacks(k value) bool {
	known := func(v value) bool { _, ok := text(v); return ok }
	return !m.open && known(k) && allOf(m.keys, known)
}

func allOf(list []value, f func(value) bool) bool {
	return !slices.ContainsFunc(list, func(v value) bool { return !f(v) })
}

func isText(v value) bool { _, ok := v.(string); return ok }

func stringMethod(s, name string, args []value) value {
	if m := stringMethods[name]; m != nil {
		return m(s, args)
	}
	return unknownValue
}

var stringMethods = map[string]func(s string, args []value) value{
	"trim":              func(s string, _ []value) value { return strings.TrimSpace(s) },
	"trimStart":         func(s string, _ []value) value { return strings.TrimLeft(s, " \t\r\n") },
	"trimEnd":           func(s string, _ []value) value { return strings.TrimRight(s, " \t\r\n") },
	"toLowerCase":       func(s string, _ []value) value { return strings.ToLower(s) },
	"toUpperCase":       func(s string, _ []value) value { return strings.ToUpper(s) },
	"toLocaleLowerCase": func(s string, _ []value) value { return strings.ToLower(s) },
	"toLocaleUpperCase": func(s string, _ []value) value { return strings.ToUpper(s) },
	"toString":          func(s string, _ []value) value { return s },
	"valueOf":           func(s string, _ []value) value { return s },
	"normalize":         func(s string, _ []value) value { return s },
	"replace":           func(s string, args []value) value { return replace(s, false, args) },
	"replaceAll":        func(s string, args []value) value { return replace(s, true, args) },
	"startsWith":        withText(func(s, a string) value { return strings.HasPrefix(s, a) }),
	"endsWith":          withText(func(s, a string) value { return strings.HasSuffix(s, a) }),
	"includes":          withText(func(s, a string) value { return strings.Contains(s, a) }),
	"slice":             substring,
	"substring":         substring,
	"concat": func(s string, args []value) value {
		var v value = s
		for _, x := range args {
			v = add(v, x)
		}
		return v
	},
	"split": withText(func(s, a string) value {
		out := &array{}
		for _, p := range strings.Split(s, a) {
			out.items = append(out.items, p)
		}
		return out
	}),
	"charAt": func(s string, args []value) value {
		i, ok := arg(args, 0).(float64)
		if !ok {
			return unknownValue
		}
		return substring(s, []value{i, i + 1})
	},
}

// withText returns a method whose first argument must be a string.
func withText(f func(s, a string) value) func(string, []value) value {
	return func(s string, args []value) value {
		a, ok := arg(args, 0).(string)
		if !ok {
			return unknownValue
		}
		return f(s, a)
	}
}

func substring(s string, args []value) value {
	from, ok1 := arg(args, 0).(float64)
	to, ok2 := arg(args, 1).(float64)
	if len(args) == 1 {
		to, ok2 = float64(len(s)), true
	}
	if ok1 && ok2 && from >= 0 && from <= to && int(to) <= len(s) {
		return s[int(from):int(to)]
	}
	return unknownValue
}

func replace(s string, all bool, args []value) value {
	with, ok := arg(args, 1).(string)
	if !ok || strings.Contains(with, "$") {
		return unknownValue
	}
	switch p := arg(args, 0).(type) {
	case string:
		if all {
			return strings.ReplaceAll(s, p, with)
		}
		return strings.Replace(s, p, with, 1)
	case *external:
		re, flags := expression(p)
		if re == nil {
			return unknownValue
		}
		if strings.Contains(flags, "g") {
			return re.ReplaceAllLiteralString(s, with)
		}
		if loc := re.FindStringIndex(s); loc != nil {
			return s[:loc[0]] + with + s[loc[1]:]
		}
		return s
	}
	return unknownValue
}

// expression returns a regular expression literal and its flags, or nil if Go
// cannot compile it.
func expression(x *external) (*regexp.Regexp, string) {
	pattern, ok := x.options.(string)
	i := strings.LastIndexByte(pattern, '/')
	if x.path != "RegExp" || !ok || i < 1 {
		return nil, ""
	}
	flags, prefix := pattern[i+1:], ""
	for _, f := range []string{"m", "i", "s"} {
		if strings.Contains(flags, f) {
			prefix += "(?" + f + ")"
		}
	}
	re, err := regexp.Compile(prefix + pattern[1:i])
	if err != nil {
		return nil, ""
	}
	return re, flags
}
