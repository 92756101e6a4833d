package python

import (
	"cmp"
	"slices"
	"strings"

	"mcpcensus/crawler/source/listing"
	"mcpcensus/crawler/source/schema"
)

// guarded calls walk for the code that runs only if these tests hold, unless one of them is false
// and depends on no setting. node identifies the tests.
func (s *scanner) guarded(tests []expr, node *statement, at *scope, walk func()) {
	branches, runs := s.branchesOf(tests, node, at)
	switch {
	case !runs:
	case len(branches) == 0:
		walk()
	default:
		partial, before, outside := s.partial, len(s.found), len(s.branches)
		s.branches = append(s.branches, branches...)
		walk()
		isOff := func(b listing.Branch) bool { return b.Default == listing.Off }
		off := slices.ContainsFunc(branches, isOff)
		if !off && len(s.found) > before && !s.second &&
			slices.ContainsFunc(tests, s.readsParameter) {
			s.templates[s.within[len(s.within)-1]] = true
		}
		s.branches = s.branches[:outside]
		s.partial = s.partial && (partial || !off)
	}
}

// A guard identifies one of the tests of a statement.
type guard struct {
	node *statement
	i    int
}

// branchesOf returns the branches of code that runs only if tests hold, without those that hold by
// default. runs is false if one never does.
func (s *scanner) branchesOf(
	tests []expr, node *statement, at *scope,
) (out []listing.Branch, runs bool) {
	for i, test := range conjuncts(tests) {
		v, ok := s.eval(test, at)
		truth, known := truthOf(v)
		if ok && known && truth {
			continue
		}
		setting := s.settingIn(test, at, 0)
		isKnown := ok && known && (v != nil || setting != "")
		t := testOf(test)
		b := listing.Branch{Node: guard{node, i}, Setting: cmp.Or(setting, t.Name())}
		switch {
		case isKnown && setting == "" && !s.isAdjustable(test, at):
			return nil, false
		case isKnown && (setting != "" || !s.isUnmade(test, at)):
			b.Default = listing.Off
			out = append(out, b)
		case isKnown, !t.IsNegative():
			out = append(out, b)
		}
	}
	return out, true
}

// conjuncts returns the tests that must hold, without "and".
func conjuncts(tests []expr) (out []expr) {
	for _, x := range tests {
		if b, ok := x.(binary); ok && b.op == "and" {
			out = append(out, conjuncts([]expr{b.x, b.y})...)
			continue
		}
		out = append(out, x)
	}
	return out
}

// readsParameter reports whether a test depends on a parameter of the current function.
func (s *scanner) readsParameter(test expr) bool {
	if len(s.within) == 0 {
		return false
	}
	params := s.within[len(s.within)-1].params
	return reads(test, func(x expr) bool {
		return slices.ContainsFunc(params, func(p parameter) bool { return isName(x, p.name) })
	})
}

// isAdjustable reports whether a test depends on something that other code may set: a parameter of
// the current function, or an attribute of an object.
func (s *scanner) isAdjustable(test expr, at *scope) bool {
	return s.readsParameter(test) ||
		s.readsInstance(test, at, func(*instance, string) bool { return true })
}

// isUnmade reports whether a test depends on an argument of the constructor of an object that is
// not known, or on an attribute that another method sets.
func (s *scanner) isUnmade(test expr, at *scope) bool {
	return s.readsInstance(test, at, func(o *instance, id string) bool {
		def := initializer(o.class)
		if slices.ContainsFunc(o.class.def.body, func(st *statement) bool { return st != def && sets(st, id) }) {
			return true
		}
		if o.node != nil || def == nil || len(def.params) == 0 {
			return false
		}
		bindings := s.initScope(o, []*class{o.class}, 0).names[def.params[0].name+"."+id]
		return slices.ContainsFunc(bindings, func(b *binding) bool {
			return b.x != nil && slices.ContainsFunc(def.params[1:], func(p parameter) bool {
				return reads(b.x, func(x expr) bool { return isName(x, p.name) })
			})
		})
	})
}

// sets reports whether a method sets an attribute.
func sets(st *statement, id string) bool {
	isAttribute := func(x expr) bool { a, _ := x.(attr); return a.name == id }
	return slices.ContainsFunc(st.targets, isAttribute) ||
		slices.ContainsFunc(st.body, func(st *statement) bool { return sets(st, id) })
}

// readsInstance reports whether a test reads an attribute of an object that is reports.
func (s *scanner) readsInstance(
	test expr, at *scope, is func(o *instance, id string) bool,
) bool {
	return reads(test, func(x expr) bool {
		a, _ := x.(attr)
		if a.x == nil {
			return false
		}
		v, _ := s.eval(a.x, at)
		o, isInstance := v.(*instance)
		return isInstance && is(o, a.name)
	})
}

// reads reports whether an operand of a test is one of those that is reports.
func reads(x expr, is func(expr) bool) bool {
	if is(x) {
		return true
	}
	switch x := x.(type) {
	case attr:
		return reads(x.x, is)
	case index:
		return reads(x.x, is)
	case unary:
		return reads(x.x, is)
	case binary:
		return reads(x.x, is) || reads(x.y, is)
	case *call:
		return reads(x.fn, is) ||
			slices.ContainsFunc(x.args, func(a argument) bool { return reads(a.value, is) })
	}
	return false
}

// testOf returns a condition in the terms of all languages.
func testOf(x expr) listing.Test {
	t := listing.Test{}
	switch x := x.(type) {
	case unary:
		if x.op == "not" {
			return listing.Negate(testOf(x.x))
		}
	case binary:
		if t.Op = tests[x.op]; t.Op != listing.Opaque {
			t.Of = []listing.Test{testOf(x.x), testOf(x.y)}
		}
	case literal:
		if x.value == nil || x.value == false || x.value == "" {
			t.Op = listing.Nothing
		}
	case name:
		t = listing.Test{Op: listing.Named, Path: []string{x.id}}
	case attr:
		if t = testOf(x.x); t.Op == listing.Named {
			t.Path = append(t.Path, x.name)
		}
	}
	return t
}

// tests are the operators of tests.
var tests = map[string]listing.Op{
	"==": listing.Same, "is": listing.Same, "!=": listing.Differ, "is not": listing.Differ,
	"not in": listing.Differ, "and": listing.Both, "or": listing.Any,
}

const maxSettingDepth = 10 // nested expressions and names

// settingIn returns the environment variable or flag that an expression depends on, such as
// "FEATURE_X=true", "" if there is none.
func (p *program) settingIn(x expr, s *scope, depth int) string {
	if p.steps++; depth > maxSettingDepth || p.exhausted() {
		return ""
	}
	switch x := x.(type) {
	case *call:
		return p.settingOfCall(x, s, depth)
	case index:
		if id, isText := p.constantOf(x.i, s); isText && isEnvironment(p.pathOf(x.x, s)) {
			return id
		}
		return p.settingIn(x.x, s, depth+1)
	case binary:
		return p.settingOfBinary(x, s, depth)
	case unary:
		return p.settingIn(x.x, s, depth+1)
	case attr:
		if p.isCommandLine(x.x, s, depth) {
			return p.optionOf(x.name)
		}
		if v, _ := p.eval(x.x, s); v != nil {
			if o, isInstance := v.(*instance); isInstance {
				return cmp.Or(p.variableOf(o.class, x.name), p.settingOfArgument(o, x.name, depth))
			}
		}
		return p.settingIn(x.x, s, depth+1)
	case name:
		return p.settingOfName(x.id, s, depth)
	}
	return ""
}

// settingOfArgument returns the setting in the argument of a constructor that sets an attribute.
func (p *program) settingOfArgument(o *instance, id string, depth int) string {
	def := initializer(o.class)
	if def == nil || o.node == nil || len(def.params) == 0 {
		return ""
	}
	return p.settingOfName(def.params[0].name+"."+id, p.initScope(o, []*class{o.class}, 0), depth+1)
}

// settingOfCall returns the variable that a call reads, or the setting in its arguments or its
// receiver.
func (p *program) settingOfCall(c *call, s *scope, depth int) string {
	if setting := p.environmentCall(c, s); setting != "" {
		return setting
	}
	for _, a := range c.args {
		if setting := p.settingIn(a.value, s, depth+1); setting != "" {
			return setting
		}
	}
	return p.settingIn(c.fn, s, depth+1)
}

// settingOfBinary returns the setting in an operation, with the value if it is compared with one.
func (p *program) settingOfBinary(x binary, s *scope, depth int) string {
	if id, isText := p.constantOf(x.x, s); isText && isEnvironment(p.pathOf(x.y, s)) {
		return id // it is in the environment
	}
	setting := cmp.Or(p.settingIn(x.x, s, depth+1), p.settingIn(x.y, s, depth+1))
	if x.op != "==" || setting == "" {
		return setting
	}
	v, _ := p.eval(x.y, s)
	text, _ := printed(v)
	return listing.Equals(setting, text)
}

// settingOfName returns the setting in the values of a variable.
func (p *program) settingOfName(id string, s *scope, depth int) string {
	for _, b := range s.lookup(id) {
		if b.setting != "" {
			return b.setting
		}
		from, x := b.scope, b.x
		if i := b.imported; i != nil && i.member != "" {
			if m := p.find(b.scope.module, i.module); m != nil && m.scope != s {
				from, x = m.scope, name{i.member}
			}
		}
		if x == nil || b.busy {
			continue
		}
		b.busy = true
		setting := p.settingIn(x, from, depth+1)
		b.busy = false
		if setting != "" {
			return setting
		}
	}
	return ""
}

// environmentCall returns the variable that a call reads from the environment.
func (p *program) environmentCall(c *call, s *scope) string {
	path := p.pathOf(c.fn, s)
	if !strings.HasSuffix(path, "environ.get") && last(path) != "getenv" {
		return ""
	}
	x := argumentOf(c.args, 0, "key")
	if x == nil {
		return ""
	}
	id, _ := p.constantOf(x, s)
	return id
}

// isEnvironment reports whether the path of an external is the environment of the process.
func isEnvironment(path string) bool { return last(path) == "environ" }

// pathOf returns the path of an external, "" for other values.
func (p *program) pathOf(x expr, s *scope) string {
	v, _ := p.eval(x, s)
	if e, ok := v.(*external); ok {
		return e.path
	}
	return ""
}

func (p *program) constantOf(x expr, s *scope) (string, bool) {
	v, ok := p.eval(x, s)
	if !ok {
		return "", false
	}
	return constant(v)
}

// isCommandLine reports whether an expression is the parsed command line.
func (p *program) isCommandLine(x expr, s *scope, depth int) bool {
	if p.steps++; depth > maxSettingDepth || p.exhausted() {
		return false
	}
	switch x := x.(type) {
	case *call:
		return strings.HasPrefix(lastName(x.fn), "parse_")
	case index: // of the result of parse_known_args
		return p.isCommandLine(x.x, s, depth)
	case name:
		return slices.ContainsFunc(s.lookup(x.id), func(b *binding) bool {
			return b.x != nil && p.isCommandLine(b.x, b.scope, depth+1)
		})
	}
	return false
}

// An option is a call of add_argument and the scope of its module.
type option struct {
	*call
	scope *scope
}

// collectOptions adds the options of command lines by the names of their values.
func (p *program) collectOptions(body []*statement, s *scope) {
	for _, st := range body {
		p.collectOptions(st.body, s)
		c, ok := st.value.(*call)
		if !ok || lastName(c.fn) != "add_argument" {
			continue
		}
		o := option{c, s}
		id := strings.ReplaceAll(strings.TrimLeft(o.flag(), "-"), "-", "_")
		if l, ok := argumentOf(c.args, -1, "dest").(literal); ok {
			id, _ = constant(l.value)
		}
		p.options[id] = append(p.options[id], o)
	}
}

// flag returns the first long flag of an option, otherwise its first name.
func (o option) flag() (first string) {
	for _, a := range o.args {
		l, _ := a.value.(literal)
		text, _ := constant(l.value)
		if a.name == "" && strings.HasPrefix(text, "--") {
			return text
		}
		if a.name == "" {
			first = cmp.Or(first, text)
		}
	}
	return first
}

// optionOf returns the flag that sets a member of the command line.
func (p *program) optionOf(id string) string {
	if all := p.options[id]; len(all) > 0 {
		return all[0].flag()
	}
	return "--" + strings.ReplaceAll(id, "_", "-")
}

// optionValue returns the value of a member of the command line if it is not set. It reports false
// if that is unknown.
func (p *program) optionValue(id string) (any, bool) {
	all := p.options[id]
	if len(all) != 1 || !strings.HasPrefix(all[0].flag(), "-") {
		return nil, false
	}
	o := all[0]
	if x := argumentOf(o.args, -1, "default"); x != nil {
		return p.eval(x, o.scope)
	}
	action, isLiteral := argumentOf(o.args, -1, "action").(literal)
	switch {
	case argumentOf(o.args, -1, "required") != nil:
		return nil, false
	case isLiteral && action.value == "store_true":
		return false, true
	case isLiteral && action.value == "store_false":
		return true, true
	}
	return nil, true
}

// variableOf returns the environment variable of a field of a class of settings, "" for other
// classes.
func (p *program) variableOf(c *class, id string) string {
	chain, outside := p.bases(c)
	isSettings := func(path string) bool { return last(path) == "BaseSettings" }
	if !slices.ContainsFunc(outside, isSettings) || strings.HasPrefix(id, "_") {
		return ""
	}
	for _, k := range chain {
		for _, b := range k.body.names[id] {
			field, _ := b.x.(*call)
			if field == nil {
				continue
			}
			for _, key := range []string{"validation_alias", "alias", "env"} {
				if x := argumentOf(field.args, -1, key); x != nil {
					alias, _ := p.constantOf(x, b.scope)
					return alias
				}
			}
		}
	}
	return strings.ToUpper(p.prefixOf(c) + id)
}

// prefixOf returns the prefix of the environment variables of a class of settings.
func (p *program) prefixOf(c *class) string {
	v, _ := p.classAttribute(c, "model_config")
	switch config := v.(type) {
	case *made:
		v, _ = p.keyword(config.node.args, -1, "env_prefix", config.scope)
	case *schema.Object:
		v = config.Get("env_prefix")
	}
	if inner, ok := p.classAttribute(c, "Config"); ok {
		if config, isClass := inner.(*class); isClass {
			v, _ = p.classAttribute(config, "env_prefix")
		}
	}
	prefix, _ := constant(v)
	return prefix
}
