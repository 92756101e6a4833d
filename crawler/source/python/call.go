package python

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mcpcensus/crawler/source/schema"
)

func (p *program) call(c *call, s *scope) (any, bool) {
	if a, ok := c.fn.(attr); ok {
		if inner, isCall := a.x.(*call); isCall && isName(inner.fn, "super") {
			return nil, false
		}
		if v, ok := p.eval(a.x, s); ok {
			if out, handled, ok := p.method(v, a.name, c, s); handled {
				return out, ok
			}
		}
	}
	fn, ok := p.eval(c.fn, s)
	if !ok {
		return nil, false
	}
	switch fn := fn.(type) {
	case *function:
		return p.invoke(fn, c.args, s)
	case *class:
		if p.isEnum(fn) && len(c.args) == 1 {
			v, ok := p.eval(c.args[0].value, s)
			return &member{"", v}, ok
		}
		return &instance{class: fn, node: c, scope: s}, true
	case *external:
		return p.builtin(fn.path, c, s)
	}
	return nil, false
}

// invoke returns the result of a function: the value of its last return statement with a constant
// value.
func (p *program) invoke(f *function, args []argument, from *scope) (any, bool) {
	if p.calls >= maxCalls {
		p.cuts++
		return nil, false
	}
	p.calls++
	defer func() { p.calls-- }()
	s := p.callScope(f, args, from)
	returns, _ := p.returns(f.def.body, s)
	for i := len(returns) - 1; i >= 0; i-- {
		if v, ok := p.eval(returns[i], s); ok && v != nil {
			if inner := p.wrapped(v, s); inner != nil {
				v = inner
			}
			return v, true
		}
	}
	return nil, false
}

// wrapped returns the function that v wraps with functools.wraps, whose name, docstring and
// signature it has. It returns v for other values, and nil if the function is unknown.
func (p *program) wrapped(v any, s *scope) any {
	f, ok := v.(*function)
	if !ok {
		return v
	}
	for _, d := range f.def.decorators {
		if c, isCall := d.(*call); isCall && lastName(c.fn) == "wraps" && len(c.args) > 0 {
			inner, _ := p.eval(c.args[0].value, s)
			return inner
		}
	}
	return v
}

// returns returns the returned expressions of a function body, without those of branches that are
// not taken. done reports that nothing after the body is executed.
func (p *program) returns(body []*statement, s *scope) (out []expr, done bool) {
	taken := false // a branch of the current chain of if, elif and else
	for _, st := range body {
		switch st.kind {
		case returnStatement:
			if st.value != nil {
				out = append(out, st.value)
			}
			return out, true
		case blockStatement:
			if taken = taken && (st.name == "elif" || st.name == "else"); taken {
				continue
			}
			if st.name == "if" || st.name == "elif" {
				truth, known := p.truth(st.value, s)
				if taken = known && truth; known && !truth {
					continue
				}
			}
			inner, ends := p.returns(st.body, s)
			if out = append(out, inner...); taken && ends {
				return out, true
			}
		}
	}
	return out, false
}

// keyword returns the value of a call's argument. It reports false if there is none or it is not
// constant.
func (p *program) keyword(args []argument, position int, id string, s *scope) (any, bool) {
	if x := argumentOf(args, position, id); x != nil {
		return p.eval(x, s)
	}
	for _, a := range args {
		if a.unpack != "**" {
			continue
		}
		if v, ok := p.eval(a.value, s); ok {
			if o, isObject := v.(*schema.Object); isObject && o.Has(id) {
				return o.Get(id), true
			}
		}
	}
	return nil, false
}

// method evaluates calls of methods of built-in types and of pydantic models.
func (p *program) method(v any, id string, c *call, s *scope) (out any, handled, ok bool) {
	switch v := v.(type) {
	case string, *member:
		text, isText := constant(v)
		if !isText {
			return nil, false, false
		}
		out, ok = p.textMethod(text, id, c, s)
		return out, true, ok
	case *schema.Object:
		out, ok = p.dictMethod(v, id, c, s)
		return out, true, ok
	case []any:
		return nil, true, false
	case *signatureOf:
		out, ok = p.replaced(v, c, s)
		return out, true, ok && id == "replace"
	case *class:
		if id == "model_json_schema" || id == "schema" {
			if o := p.model(v, 0); o != nil {
				return o, true, true
			}
			return nil, true, false
		}
	}
	return nil, false, false
}

// cuts are methods of strings that remove characters or a text.
var cuts = map[string]func(text, cut string) string{
	"strip": strings.Trim, "lstrip": strings.TrimLeft, "rstrip": strings.TrimRight,
	"removeprefix": strings.TrimPrefix, "removesuffix": strings.TrimSuffix,
}

func (p *program) textMethod(text, id string, c *call, s *scope) (any, bool) {
	if id == "join" && len(c.args) == 1 {
		return p.join(text, c.args[0].value, s)
	}
	var args []string
	for _, a := range c.args {
		v, _ := p.eval(a.value, s)
		t, ok := constant(v)
		if !ok {
			return nil, false
		}
		args = append(args, t)
	}
	switch {
	case len(args) == 2 && id == "replace" && len(text)*(len(args[1])+1) < maxString:
		return strings.ReplaceAll(text, args[0], args[1]), true
	case len(args) == 1 && cuts[id] != nil:
		return cuts[id](text, args[0]), true
	case len(args) == 0 && cuts[id] != nil:
		return cuts[id](text, whitespace+"\n"), true
	case len(args) == 0 && id == "lower":
		return strings.ToLower(text), true
	case len(args) == 0 && id == "upper":
		return strings.ToUpper(text), true
	}
	return nil, false
}

func (p *program) join(separator string, x expr, s *scope) (any, bool) {
	list, ok := p.iterate(x, s)
	if !ok {
		return nil, false
	}
	var parts []string
	for _, item := range list {
		t, isText := constant(item)
		if !isText {
			return nil, false
		}
		parts = append(parts, t)
	}
	return strings.Join(parts, separator), true
}

// dictMethod evaluates get, keys, values, items and copy.
func (p *program) dictMethod(o *schema.Object, id string, c *call, s *scope) (any, bool) {
	out := []any{}
	for _, key := range o.Keys() {
		switch id {
		case "keys":
			out = append(out, key)
		case "values":
			out = append(out, o.Get(key))
		case "items":
			out = append(out, []any{key, o.Get(key)})
		}
	}
	if id == "get" && len(c.args) > 0 {
		v, _ := p.eval(c.args[0].value, s)
		key, ok := constant(v)
		if !o.Has(key) && o.More {
			return nil, false
		}
		if ok && !o.Has(key) && len(c.args) > 1 {
			return p.eval(c.args[1].value, s)
		}
		return o.Get(key), ok
	}
	if id == "copy" {
		return o, true
	}
	if o.More {
		out = append(out, unknown{})
	}
	return out, id == "keys" || id == "values" || id == "items"
}

// builtin evaluates calls of functions from outside the files. It returns a made for unknown
// functions.
func (p *program) builtin(path string, c *call, s *scope) (any, bool) {
	if strings.HasSuffix(path, "environ.get") || last(path) == "getenv" {
		x := argumentOf(c.args, 1, "default")
		if x == nil {
			return nil, true
		}
		return p.eval(x, s)
	}
	if len(c.args) == 1 && c.args[0].unpack == "" {
		switch last(path) {
		case "dedent", "cleandoc":
			v, _ := p.eval(c.args[0].value, s)
			text, ok := constant(v)
			return dedent(text), ok
		case "signature":
			return p.signatureOfCall(c, s)
		case "copy", "deepcopy":
			return p.eval(c.args[0].value, s)
		case "bool", "int", "len", "str", "strtobool":
			v, ok := p.eval(c.args[0].value, s)
			v, converts := convert(last(path), v)
			return v, ok && converts
		case "list", "tuple", "set", "sorted":
			return p.iterate(c.args[0].value, s)
		}
	}
	switch {
	case path == "getattr" && len(c.args) > 1:
		v, _ := p.eval(c.args[0].value, s)
		id, _ := p.eval(c.args[1].value, s)
		text, _ := constant(id)
		return p.attribute(v, text)
	case path == "dict":
		return p.dict(c, s)
	}
	return &made{path: path, node: c, scope: s}, true
}

// convert evaluates functions from values to numbers, texts and Booleans.
func convert(function string, v any) (any, bool) {
	text, isText := constant(v)
	switch function {
	case "bool":
		return truthOf(v)
	case "int":
		if n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); isText && err == nil {
			return n, true
		}
		_, isNumber := v.(int64)
		return v, isNumber
	case "len":
		if list, isList := v.([]any); isList {
			return int64(len(list)), !slices.Contains(list, any(unknown{}))
		}
		return int64(utf8.RuneCountInString(text)), isText
	case "str":
		return printed(v)
	case "strtobool":
		on := slices.Contains([]string{"y", "yes", "t", "true", "on", "1"}, strings.ToLower(text))
		return on, isText
	}
	return nil, false
}

// dict returns the arguments of a call such as dict(mapping, key=value).
func (p *program) dict(c *call, s *scope) (any, bool) {
	var x mapping
	for _, a := range c.args {
		key := expr(literal{a.name})
		if a.name == "" {
			key = nil
		}
		if _, ok := p.eval(a.value, s); ok || a.unpack == "" {
			x.keys, x.values = append(x.keys, key), append(x.values, a.value)
		}
	}
	return p.mapping(x, s)
}
