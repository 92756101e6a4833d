package python

import (
	"cmp"
	"slices"
	"strings"

	"mcpcensus/crawler/source/listing"
)

// guarded calls walk for the code that runs only if these tests hold, unless one of them is false
// and depends on no setting. node identifies the tests.
func (s *scanner) guarded(tests []expr, node *statement, at *scope, walk func()) {
	b, runs := s.branch(tests, at)
	switch {
	case !runs:
	case b == nil:
		walk()
	default:
		b.Node = node
		partial := s.partial
		s.branches = append(s.branches, *b)
		walk()
		s.branches = s.branches[:len(s.branches)-1]
		s.partial = s.partial && (partial || !b.Off)
	}
}

// branch returns the branch of code that runs only if tests hold, nil if they do by default. runs
// is false if they never do.
func (s *scanner) branch(tests []expr, at *scope) (b *listing.Branch, runs bool) {
	for _, test := range tests {
		v, ok := s.eval(test, at)
		truth, known := truthOf(v)
		isKnown := ok && known && v != nil
		if isKnown && truth {
			continue
		}
		setting := s.settingIn(test, at, 0)
		switch t := testOf(test); {
		case isKnown && setting == "":
			return nil, false
		case isKnown:
			b = &listing.Branch{Setting: setting, Off: true}
		case b == nil && !t.IsNegative():
			b = &listing.Branch{Setting: cmp.Or(setting, t.Name())}
		}
	}
	return b, true
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

const maxSettingDepth = 6 // nested expressions and names

// settingIn returns the environment variable or flag that an expression depends on, such as
// "FEATURE_X=true", "" if there is none.
func (p *program) settingIn(x expr, s *scope, depth int) string {
	if depth > maxSettingDepth {
		return ""
	}
	switch x := x.(type) {
	case *call:
		return p.settingOfCall(x, s, depth)
	case index:
		if id, isText := p.constantOf(x.i, s); isText && strings.HasSuffix(p.pathOf(x.x, s), "environ") {
			return id
		}
		return p.settingIn(x.x, s, depth+1)
	case binary:
		return p.settingOfBinary(x, s, depth)
	case unary:
		return p.settingIn(x.x, s, depth+1)
	case attr:
		if p.isCommandLine(x.x, s, depth) {
			return "--" + strings.ReplaceAll(x.name, "_", "-")
		}
		return p.settingIn(x.x, s, depth+1)
	case name:
		return p.settingOfName(x.id, s, depth)
	}
	return ""
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
	switch x := x.(type) {
	case *call:
		return strings.HasPrefix(lastName(x.fn), "parse_")
	case name:
		return depth < maxSettingDepth && slices.ContainsFunc(s.lookup(x.id), func(b *binding) bool {
			return b.x != nil && p.isCommandLine(b.x, b.scope, depth+1)
		})
	}
	return false
}
