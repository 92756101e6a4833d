package script

import (
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/js"

	"mcpcensus/internal/registry"
)

// A branch is code that runs only under a condition that may not hold.
type branch struct {
	node any // identifies the condition
	// setting is the setting that the condition depends on, or the expression, "" if neither
	// can be named.
	setting string
}

// under calls run, which evaluates the code under a condition. What it registers depends on
// the condition, unless that is the absence of something: then it holds by default.
func (in *interpreter) under(cond js.IExpr, setting string, run func()) {
	if isNegative(cond) {
		run()
		return
	}
	if setting == "" {
		setting = nameOf(cond)
	}
	in.tools.within(branch{cond, setting}, run)
}

// within calls run with one more branch around it.
func (c *collector) within(b branch, run func()) {
	c.branches = append(c.branches, b)
	run()
	c.branches = c.branches[:len(c.branches)-1]
}

// depend notes that the objects in v are only used in a branch.
func (c *collector) depend(v value, b branch) {
	switch v := v.(type) {
	case *object:
		if _, found := c.parts[v]; !found {
			c.parts[v] = b
		}
	case *array:
		for _, item := range v.items {
			if o, ok := item.(*object); ok {
				c.depend(o, b)
			}
		}
	}
}

// addObject adds the tool that an object defines.
func (c *collector) addObject(o *object, t registry.Tool) {
	b, found := c.parts[o]
	if !found {
		c.add(t)
		return
	}
	c.within(b, func() { c.add(t) })
}

// conditions sets the conditions of the tools. A condition that all of them share is one of the
// server, such as how it is started.
func (c *collector) conditions() {
	for i := range c.tools {
		var own []branch
		for _, b := range c.around[i] {
			if !c.shared(b) {
				own = append(own, b)
			}
		}
		if len(own) > 0 {
			c.tools[i].Conditional = &registry.ToolCondition{Setting: innermost(own)}
		}
	}
}

func (c *collector) shared(b branch) bool {
	return !slices.ContainsFunc(c.around, func(list []branch) bool {
		return !slices.ContainsFunc(list, func(a branch) bool { return a.node == b.node })
	})
}

// innermost returns the setting of the innermost branch that has one.
func innermost(list []branch) string {
	for _, b := range slices.Backward(list) {
		if b.setting != "" {
			return b.setting
		}
	}
	return ""
}

// isNegative reports whether a condition is that something is missing or different.
func isNegative(x js.IExpr) bool {
	switch x := x.(type) {
	case *js.GroupExpr:
		return isNegative(x.X)
	case *js.UnaryExpr:
		return x.Op == js.NotToken
	case *js.BinaryExpr:
		switch x.Op {
		case js.NotEqToken, js.NotEqEqToken:
			return true
		case js.EqEqToken, js.EqEqEqToken:
			return isNothing(x.X) || isNothing(x.Y)
		case js.AndToken, js.OrToken:
			return isNegative(x.X) && isNegative(x.Y)
		}
	}
	return false
}

// isNothing reports whether an expression is undefined, null or false.
func isNothing(x js.IExpr) bool {
	switch x := x.(type) {
	case *js.Var:
		return string(x.Name()) == "undefined"
	case *js.LiteralExpr:
		return x.TokenType == js.NullToken || x.TokenType == js.FalseToken
	}
	return false
}

// minName is the length of the shortest last part of a name that says something: compiled code has
// shorter ones.
const minName = 4

// nameOf returns the name of a variable or property, such as "config.enableWrites", "" for other
// expressions.
func nameOf(x js.IExpr) string {
	var parts []string
	for len(parts) < 5 {
		switch y := x.(type) {
		case *js.GroupExpr:
			x = y.X
			continue
		case *js.DotExpr:
			parts, x = append(parts, dotName(y)), y.X
			continue
		case *js.Var:
			parts = append(parts, string(y.Name()))
		case *js.LiteralExpr:
			if y.TokenType != js.ThisToken {
				return ""
			}
		default:
			return ""
		}
		break
	}
	if len(parts) == 0 || len(parts[0]) < minName {
		return ""
	}
	slices.Reverse(parts)
	return strings.Join(parts, ".")
}

// settingOf returns the setting that an unknown value depends on, "" if there is none.
func settingOf(v value) string {
	if u, ok := v.(*unknown); ok {
		return u.setting
	}
	return ""
}

// equalSetting returns the result of comparing values of which one depends on a setting.
func equalSetting(a, b value) value {
	setting := settingOf(a)
	if setting == "" {
		a, b, setting = b, a, settingOf(b)
	}
	if s, ok := text(b); ok && setting != "" && s != "" && !strings.ContainsAny(setting, "=") {
		return &unknown{setting: setting + "=" + s}
	}
	return unknownValue
}

// addOptional adds the tools that the server registers only with settings that are not set by
// default: those that it registers if they are set, and otherwise not.
func (r *Result) addOptional(set []registry.Tool) {
	byDefault := len(r.Tools) > 0
	for _, t := range set {
		if slices.ContainsFunc(r.Tools, func(u registry.Tool) bool { return u.Name == t.Name }) {
			continue
		}
		if t.Conditional == nil {
			t.Conditional = &registry.ToolCondition{}
		}
		t.Conditional.Off = byDefault
		r.Tools = append(r.Tools, t)
	}
}
