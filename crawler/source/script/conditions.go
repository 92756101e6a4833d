package script

import (
	"cmp"
	"slices"

	"github.com/tdewolff/parse/v2/js"

	"mcpcensus/crawler/source/listing"
	"mcpcensus/internal/registry"
)

// under calls run, which evaluates the code under a condition. What it registers depends on
// the condition, unless that is the absence of something: then it holds by default.
func (in *interpreter) under(cond js.IExpr, setting string, run func()) {
	if b, ok := in.tools.branchOf(testOf(cond), setting); ok {
		in.tools.within(b, run)
		return
	}
	run()
}

// branchOf returns the branch of a condition, false if it holds by default. It is another one each
// time that the condition is evaluated.
func (c *collector) branchOf(test listing.Test, setting string) (listing.Branch, bool) {
	c.entered++
	return listing.Branch{Node: c.entered, Setting: cmp.Or(setting, test.Name())}, !test.IsNegative()
}

// within calls run with one more branch around it.
func (c *collector) within(b listing.Branch, run func()) {
	c.branches = append(c.branches, b)
	run()
	c.branches = c.branches[:len(c.branches)-1]
}

// depend notes that the objects in v are only used in a branch.
func (c *collector) depend(v value, b listing.Branch) {
	switch v := v.(type) {
	case *object, *function:
		if _, found := c.parts[v]; !found {
			c.parts[v] = b
		}
	case *array:
		for _, item := range v.items {
			if !isArray(item) {
				c.depend(item, b)
			}
		}
	}
}

// part calls run in the branch in which an item is used.
func (c *collector) part(item value, run func()) {
	if b, found := c.parts[item]; found {
		c.within(b, run)
		return
	}
	run()
}

// addObject adds the tool that an object defines.
func (in *interpreter) addObject(o *object, t registry.Tool) {
	c := &in.tools
	c.handledBy(t.Name, in.handlerOf(o), o)
	c.part(o, func() { c.add(t) })
}

// testOf returns a condition in the terms of all languages.
func testOf(x js.IExpr) listing.Test {
	t := listing.Test{}
	switch x := x.(type) {
	case *js.GroupExpr:
		return testOf(x.X)
	case *js.UnaryExpr:
		if x.Op == js.NotToken {
			return listing.Negate(testOf(x.X))
		}
	case *js.BinaryExpr:
		if t.Op = tests[x.Op]; t.Op != listing.Opaque {
			t.Of = []listing.Test{testOf(x.X), testOf(x.Y)}
		}
	case *js.LiteralExpr:
		if x.TokenType == js.NullToken || x.TokenType == js.FalseToken {
			t.Op = listing.Nothing
		}
	case *js.Var:
		t = listing.Test{Op: listing.Named, Path: []string{string(x.Name())}}
		if t.Path[0] == "undefined" {
			t.Op = listing.Nothing
		}
	case *js.DotExpr:
		of := testOf(x.X)
		if l, ok := x.X.(*js.LiteralExpr); of.Op == listing.Named || ok && l.TokenType == js.ThisToken {
			t = listing.Test{Op: listing.Named, Path: append(of.Path, dotName(x))}
		}
	}
	return t
}

// tests are the operators of tests.
var tests = map[js.TokenType]listing.Op{
	js.EqEqToken: listing.Same, js.EqEqEqToken: listing.Same, js.NotEqToken: listing.Differ,
	js.NotEqEqToken: listing.Differ, js.AndToken: listing.Both, js.OrToken: listing.Any,
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
	if s, ok := text(b); ok && listing.Equals(setting, s) != setting {
		return &unknown{setting: listing.Equals(setting, s)}
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
