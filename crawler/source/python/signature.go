package python

import (
	"slices"
	"strings"

	"mcpcensus/crawler/source/schema"
)

// signature returns the schema of a function's parameters without the excluded ones, nil if a
// decorator or variable parameters hide them.
func (p *program) signature(f *function, excluded []any) *schema.Object {
	params := f.def.params
	if len(params) > 0 && (params[0].name == "self" || params[0].name == "cls") {
		params = params[1:]
	}
	properties := &schema.Object{}
	required := map[string]bool{}
	hidden, known := p.hidden(f)
	if !known {
		return nil
	}
	for _, param := range params {
		if param.star != "" {
			return nil
		}
		if p.isInjected(param.annotation, f.scope) || p.isDependency(param.value, f.scope) ||
			slices.Contains(excluded, any(param.name)) || hidden[param.name] {
			continue
		}
		o, key, must := p.field(param.name, param.annotation, param.value, f.scope, 0)
		properties.Set(key, o)
		required[key] = must
	}
	return schema.Parameters(properties, requiredOf(properties, required))
}

// A signatureOf is the result of inspect.signature: some parameters of a function.
type (
	signatureOf struct{ parameters *schema.Object }
	parameterOf struct{ name string }
)

// hidden returns the parameters of a function that decorators of the files remove from its
// signature: they set __signature__ to one without them. It reports false if one gives it an
// unknown signature, or returns a function that does not take over that of the decorated one.
func (p *program) hidden(f *function) (names map[string]bool, known bool) {
	names = map[string]bool{}
	for _, d := range f.def.decorators {
		fn := d
		if c, isCall := d.(*call); isCall {
			fn = c.fn
		}
		v, _ := p.eval(fn, f.scope)
		if decorator, isFunction := v.(*function); !isFunction || !p.rewrites(decorator.def.body, 0) {
			continue
		}
		v, _ = p.eval(d, f.scope)
		decorator, _ := v.(*function)
		left := p.assigned(decorator, f)
		if left == nil {
			return nil, false
		}
		for _, param := range f.def.params {
			names[param.name] = names[param.name] || !left.parameters.Has(param.name)
		}
	}
	return names, true
}

// assigned returns the value of __signature__ that a decorator sets for a function, nil if it is
// unknown: its parameters may also be changed in loops or by methods.
func (p *program) assigned(decorator, f *function) *signatureOf {
	if decorator == nil || slices.ContainsFunc(decorator.def.body, changes) {
		return nil
	}
	at := p.callScope(decorator, []argument{{value: literal{f}}}, f.scope)
	for id := range at.names {
		if strings.HasSuffix(id, ".__signature__") {
			v, _ := p.name(id, at)
			out, _ := v.(*signatureOf)
			return out
		}
	}
	return nil
}

// changes reports whether a statement may change a list other than by assignments.
func changes(st *statement) bool {
	c, isCall := st.value.(*call)
	method, isMethod := attr{}, false
	if isCall {
		method, isMethod = c.fn.(attr)
	}
	switch st.kind {
	case forStatement, otherStatement:
		return true
	case exprStatement, assignStatement:
		return isMethod && slices.Contains([]string{"pop", "remove", "insert", "clear", "reverse"}, method.name)
	case blockStatement:
		return slices.ContainsFunc(st.body, changes)
	}
	return false
}

// signatureOfCall evaluates inspect.signature.
func (p *program) signatureOfCall(c *call, s *scope) (any, bool) {
	v, _ := p.eval(c.args[0].value, s)
	f, isFunction := v.(*function)
	if !isFunction {
		return nil, false
	}
	out := &schema.Object{}
	for _, param := range f.def.params {
		out.Set(param.name, parameterOf{param.name})
	}
	return &signatureOf{out}, true
}

// replaced evaluates the method replace of a signature.
func (p *program) replaced(v *signatureOf, c *call, s *scope) (any, bool) {
	x := argumentOf(c.args, -1, "parameters")
	if x == nil {
		return v, true
	}
	list, ok := p.iterate(x, s)
	out := &schema.Object{}
	for _, item := range list {
		param, isParameter := item.(parameterOf)
		out.Set(param.name, param)
		ok = ok && isParameter
	}
	return &signatureOf{out}, ok
}

const maxWrappers = 3 // nested functions of a decorator

// rewrites reports whether the body of a decorator, or of a function that returns one, defines a
// function with variable parameters that does not wrap the decorated one.
func (p *program) rewrites(body []*statement, depth int) bool {
	return slices.ContainsFunc(body, func(st *statement) bool {
		switch st.kind {
		case assignStatement:
			return slices.ContainsFunc(st.targets, func(x expr) bool { return lastName(x) == "__signature__" })
		case blockStatement:
			return p.rewrites(st.body, depth)
		case defStatement:
			if hasWraps(st) {
				return false
			}
			isVariable := slices.ContainsFunc(st.params, func(x parameter) bool { return x.star != "" })
			return isVariable || depth < maxWrappers && p.rewrites(st.body, depth+1)
		}
		return false
	})
}

// hasWraps reports whether a function takes over the signature of another one.
func hasWraps(def *statement) bool {
	return slices.ContainsFunc(def.decorators, func(d expr) bool {
		c, isCall := d.(*call)
		return isCall && lastName(c.fn) == "wraps"
	})
}
