package script

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mcpcensus/crawler/source/listing"
)

// method is a method of a built-in object, or a function of the runtime, whose
// receiver is its first argument.
type method[T any] func(in *interpreter, receiver T, args []value) value

// globals are functions of the runtime. They are set by init to avoid an initialization cycle.
var globals map[string]method[value]

func init() {
	first := func(_ *interpreter, a value, _ []value) value { return a }
	globals = map[string]method[value]{
		"Object.freeze": first, "Object.seal": first, "Promise.resolve": first, "structuredClone": first,
		"Promise.all": first,
		"Promise.allSettled": func(in *interpreter, a value, _ []value) value {
			items, whole := in.iterate(a)
			out := &array{open: !whole}
			for _, item := range items {
				o := newObject()
				o.put("status", "fulfilled")
				o.put("value", item)
				out.items = append(out.items, o)
			}
			return out
		},
		"Object.keys": objectKeys, "Object.getOwnPropertyNames": objectKeys,
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
		"Object.fromEntries":    fromEntries,
		"Object.defineProperty": defineProperty,
		"Object.defineProperties": func(in *interpreter, a value, args []value) value {
			if d, ok := arg(args, 1).(*object); ok {
				for _, k := range d.keys {
					defineProperty(in, a, []value{a, k, d.own(k)})
				}
				return a
			}
			return unknownValue
		},
		"Object.getOwnPropertyDescriptors": func(in *interpreter, a value, _ []value) value {
			out := &object{open: !isClosed(a)}
			for _, k := range in.keysOf(a) {
				d := newObject()
				d.put("value", in.index(a, k))
				out.put(k.(string), d)
			}
			return out
		},
		"Object.getOwnPropertySymbols": func(*interpreter, value, []value) value { return &array{} },
		"Object.prototype.hasOwnProperty.call": func(_ *interpreter, a value, args []value) value {
			return has(arg(args, 1), a)
		},
		"Array.isArray": func(_ *interpreter, a value, _ []value) value {
			if isUnknown(a) {
				return unknownValue
			}
			_, ok := a.(*array)
			return ok
		},
		"Array.from": func(in *interpreter, a value, args []value) value {
			items, whole := in.iterate(a)
			r := &array{items: slices.Clone(items), open: !whole}
			if f, ok := arg(args, 1).(*function); ok {
				return mapItems(in, r, []value{f})
			}
			return r
		},
		"parseInt": number, "parseFloat": number, "Number": number, "Number.parseInt": number,
		"Number.isFinite":  withNumber(func(n float64) value { return !math.IsNaN(n) && !math.IsInf(n, 0) }),
		"Number.isInteger": withNumber(func(n float64) value { return n == math.Trunc(n) }),
		"isNaN":            withNumber(isNaN), "Number.isNaN": withNumber(isNaN),
		"Math.floor": withNumber(func(n float64) value { return math.Floor(n) }),
		"Boolean": func(_ *interpreter, a value, _ []value) value {
			if truthy, known := truth(a); known && settingOf(a) == "" {
				return truthy
			}
			return a
		},
		"String": func(_ *interpreter, a value, _ []value) value {
			if s, ok := text(a); ok {
				return s
			}
			return unknownValue
		},
		"JSON.parse": func(_ *interpreter, a value, _ []value) value {
			if s, ok := a.(string); ok {
				if v := decodeJSON(s); v != nil {
					return v
				}
			}
			return unknownValue
		},
	}
}

// number converts a string to a number.
func number(_ *interpreter, a value, _ []value) value {
	switch a := a.(type) {
	case float64:
		return a
	case undefinedValue:
		return math.NaN()
	case string:
		if n, err := strconv.ParseFloat(strings.TrimSpace(a), 64); err == nil {
			return n
		}
	}
	return unknownValue
}

func isNaN(n float64) value { return math.IsNaN(n) }

// withNumber returns a function whose argument must be a number.
func withNumber(f func(float64) value) method[value] {
	return func(_ *interpreter, a value, _ []value) value {
		if n, ok := a.(float64); ok {
			return f(n)
		}
		return unknownValue
	}
}

func objectKeys(in *interpreter, a value, _ []value) value {
	return &array{items: in.keysOf(a), open: !isClosed(a)}
}

func isClosed(v value) bool {
	switch v := v.(type) {
	case *object:
		return !v.open
	case *array:
		return !v.open
	}
	_, ok := v.(*namespace)
	return ok
}

func (in *interpreter) valuesOf(v value, f func(string, value) value) value {
	out := &array{open: !isClosed(v)}
	for _, k := range in.keysOf(v) {
		key := k.(string)
		out.items = append(out.items, f(key, in.member(v, key)))
	}
	return out
}

func fromEntries(in *interpreter, v value, _ []value) value {
	o := newObject()
	items, whole := in.iterate(v)
	o.open = !whole
	for _, item := range items {
		pair, _ := in.iterate(item)
		k, ok := text(arg(pair, 0))
		if ok && len(pair) == 2 {
			o.put(k, pair[1])
		} else {
			o.open = true
		}
	}
	return o
}

func defineProperty(in *interpreter, target value, args []value) value {
	o, ok1 := target.(*object)
	if f, ok := target.(*function); ok {
		o, ok1 = &f.object, true
	}
	k, ok2 := text(arg(args, 1))
	d, ok3 := arg(args, 2).(*object)
	if ok1 && ok2 && ok3 {
		getter, _ := in.member(d, "get").(*function)
		o.set(k, property{value: in.member(d, "value"), getter: getter})
	}
	return target
}

// apply calls a callback of an array method.
func (in *interpreter) apply(f value, args ...value) value {
	if f, ok := f.(*function); ok {
		return in.invoke(f, undefined, args)
	}
	return unknownValue
}

// arrayMethods is set by init to avoid an initialization cycle.
var arrayMethods map[string]method[*array]

func init() {
	self := func(_ *interpreter, a *array, _ []value) value { return a }
	arrayMethods = map[string]method[*array]{
		"push": push, "map": mapItems, "flat": flat, "forEach": forEach, "find": find, "concat": concat,
		"includes": includes, "indexOf": indexOf, "filter": filter, "slice": slice, "join": join,
		"sort": self, "toSorted": self, "reverse": self, "values": self,
		"reduce": reduce, "some": contains(true), "every": contains(false),
		"flatMap": func(in *interpreter, a *array, args []value) value {
			return flat(in, mapItems(in, a, args).(*array), nil)
		},
	}
}

func push(in *interpreter, a *array, args []value) value {
	if n := len(in.tools.branches); n > 0 {
		in.tools.depend(&array{items: args}, in.tools.branches[n-1])
	}
	if len(a.items)+len(args) <= maxItems {
		a.items = append(a.items, args...)
	}
	return unknownValue
}

func mapItems(in *interpreter, a *array, args []value) value {
	out := &array{open: a.open, unsure: a.unsure}
	for i, item := range a.items {
		in.tools.part(item, func() {
			out.items = append(out.items, in.apply(arg(args, 0), item, float64(i), a))
		})
	}
	return out
}

func flat(_ *interpreter, a *array, _ []value) value {
	out := &array{open: a.open, unsure: a.unsure}
	for _, item := range a.items {
		switch inner := item.(type) {
		case *array:
			out.items = append(out.items, inner.items...)
			out.open, out.unsure = out.open || inner.open, out.unsure || inner.unsure
		case *unknown, *external:
			out.open = true
		default:
			out.items = append(out.items, item)
		}
	}
	return out.limit()
}

func reduce(in *interpreter, a *array, args []value) value {
	if len(args) < 2 || a.open {
		return unknownValue
	}
	v := args[1]
	for i, item := range a.items {
		v = in.apply(args[0], v, item, float64(i), a)
	}
	return v
}

func forEach(in *interpreter, a *array, args []value) value {
	mapItems(in, a, args)
	return undefined
}

// first returns the index of the first item for which a callback returns want, -1 for
// none, and whether that is certain.
func (in *interpreter) first(a *array, callback value, want bool) (index int, certain bool) {
	certain = !a.open
	for i, item := range a.items {
		t, known := truth(in.apply(callback, item, float64(i), a))
		known = known && !(a.unsure && t == want)
		if known && t == want {
			return i, true
		}
		certain = certain && known
	}
	return -1, certain
}

func find(in *interpreter, a *array, args []value) value {
	i, certain := in.first(a, arg(args, 0), true)
	switch {
	case i >= 0:
		return a.items[i]
	case certain:
		return undefined
	}
	return unknownValue
}

// contains returns a method that reports whether a callback returns want for an item.
func contains(want bool) method[*array] {
	return func(in *interpreter, a *array, args []value) value {
		if i, certain := in.first(a, arg(args, 0), want); certain {
			return (i >= 0) == want
		}
		return unknownValue
	}
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

func indexOf(_ *interpreter, a *array, args []value) value {
	v := arg(args, 0)
	if isUnknown(v) {
		return unknownValue
	}
	i := slices.IndexFunc(a.items, func(item value) bool { return same(item, v) })
	if a.unsure && i >= 0 || i < 0 && (a.open || slices.ContainsFunc(a.items, isUnknown)) {
		return unknownValue
	}
	return float64(i)
}

func includes(in *interpreter, a *array, args []value) value {
	if flag, ok := arg(args, 0).(string); ok && a.flags {
		return &unknown{setting: flag}
	}
	if i, ok := indexOf(in, a, args).(float64); ok {
		return i >= 0
	}
	return &unknown{setting: settingOf(arg(args, 0))}
}

func filter(in *interpreter, a *array, args []value) value {
	out := &array{open: a.open}
	for i, item := range a.items {
		keeps := in.apply(arg(args, 0), item, float64(i), a)
		if x, ok := arg(args, 0).(*external); ok && x.path == "Boolean" {
			keeps = item
		}
		t, known := truth(keeps)
		if !known {
			b, _ := in.tools.branchOf(listing.Test{}, settingOf(keeps))
			in.tools.depend(item, b)
		}
		if t || !known {
			out.items = append(out.items, item)
		}
	}
	return out
}

// slice returns the items from a position, or all items as an open array if a position is
// unknown.
func slice(_ *interpreter, a *array, args []value) value {
	n := len(a.items)
	bound := func(i, fallback int) int {
		if len(args) <= i {
			return fallback
		}
		x, ok := args[i].(float64)
		if !ok || x < float64(-n) || x > float64(n) {
			return -1
		}
		if x < 0 {
			x += float64(n)
		}
		return int(x)
	}
	from, to := bound(0, 0), bound(1, n)
	if a.open || from < 0 || from > to {
		return &array{items: a.items, open: true, flags: a.flags}
	}
	return &array{items: slices.Clone(a.items[from:to])}
}

func join(_ *interpreter, a *array, args []value) value {
	sep, ok := arg(args, 0).(string)
	if len(args) == 0 {
		sep, ok = ",", true
	}
	if !ok || a.open {
		return unknownValue
	}
	var parts []string
	size := 0
	for _, item := range a.items {
		s, ok := text(item)
		size += len(s) + len(sep)
		if !ok && !isNullish(item) || size > maxText {
			return unknownValue
		}
		parts = append(parts, s)
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
		if v, ok := m.find(k); ok {
			return v
		}
		if m.lacks(k) {
			return undefined
		}
	case "has":
		switch _, ok := m.find(k); {
		case ok && !m.unsure:
			return true
		case !ok && m.lacks(k):
			return false
		}
	case "values":
		return &array{items: slices.Clone(m.values), open: m.open}
	case "keys":
		return &array{items: slices.Clone(m.keys), open: m.open}
	case "entries":
		items, whole := in.iterate(m)
		return &array{items: items, open: !whole}
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

// lacks reports whether a key that was not found is certainly missing.
func (m *mapping) lacks(k value) bool {
	unnamed := func(v value) bool { _, ok := text(v); return !ok }
	return !m.open && !unnamed(k) && !slices.ContainsFunc(m.keys, unnamed)
}

func isText(v value) bool { _, ok := v.(string); return ok }

var stringMethods = map[string]func(s string, args []value) value{
	"trim":        func(s string, _ []value) value { return strings.TrimSpace(s) },
	"toLowerCase": func(s string, _ []value) value { return strings.ToLower(s) },
	"toUpperCase": func(s string, _ []value) value { return strings.ToUpper(s) },
	"toString":    func(s string, _ []value) value { return s },
	"startsWith":  withText(func(s, a string) value { return strings.HasPrefix(s, a) }),
	"endsWith":    withText(func(s, a string) value { return strings.HasSuffix(s, a) }),
	"includes":    withText(func(s, a string) value { return strings.Contains(s, a) }),
	"trimStart":   func(s string, _ []value) value { return strings.TrimLeft(s, " \t\r\n") },
	"trimEnd":     func(s string, _ []value) value { return strings.TrimRight(s, " \t\r\n") },
	"charAt":      func(s string, args []value) value { return character(s, arg(args, 0)) },
	"slice":       substring,
	"substring":   substring,
	"concat": func(s string, args []value) value {
		var v value = s
		for _, x := range args {
			v = add(v, x)
		}
		return v
	},
}

// character returns the character at a position of an ASCII text.
func character(s string, at value) value {
	i, ok := at.(float64)
	if !ok || i < 0 || int(i) >= len(s) || s[int(i)] >= utf8.RuneSelf {
		return unknownValue
	}
	return s[int(i) : int(i)+1]
}

// withText returns a method whose first argument must be a string.
func withText(f func(s, a string) value) func(string, []value) value {
	return func(s string, args []value) value {
		if a, ok := arg(args, 0).(string); ok {
			return f(s, a)
		}
		return unknownValue
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
