package python

import (
	"cmp"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
)

// A guard is the tests of a branch, and their scope.
type guard struct {
	tests []expr
	scope *scope
}

// guarded calls walk for the body of a branch with these tests. It drops what that registers if
// one of the tests is false and depends on no setting, and otherwise notes the condition.
func (s *scanner) guarded(tests []expr, at *scope, walk func()) {
	if len(tests) == 0 {
		walk()
		return
	}
	before, partial := len(s.found), s.partial
	s.guards = append(s.guards, guard{tests, at})
	walk()
	s.guards = s.guards[:len(s.guards)-1]
	if len(s.found) == before && s.partial == partial {
		return
	}
	c, runs := s.condition(guard{tests, at})
	if !runs {
		s.found, s.partial = s.found[:before], partial
		return
	}
	if c == nil {
		return
	}
	if c.Off {
		s.partial = partial
	}
	for i := range s.found[before:] {
		if f := &s.found[before+i]; f.tool.Conditional == nil {
			f.tool.Conditional = c
		}
	}
}

// condition returns the condition of a branch, nil if it holds by default. runs is false if it
// never holds.
func (s *scanner) condition(g guard) (c *registry.ToolCondition, runs bool) {
	for _, test := range g.tests {
		v, ok := s.eval(test, g.scope)
		truth, known := truthOf(v)
		isKnown := ok && known && v != nil
		setting := s.settingIn(test, g.scope, 0)
		switch {
		case isKnown && !truth && setting == "":
			return nil, false
		case isKnown && !truth:
			c = &registry.ToolCondition{Setting: setting, Off: true}
		case !isKnown && c == nil && !isNegative(test):
			if setting == "" {
				setting = dottedName(test)
			}
			c = &registry.ToolCondition{Setting: setting}
		}
	}
	return c, true
}

// noteCall notes under which guards a function is called.
func (s *scanner) noteCall(def *statement) {
	if n := len(s.guards); n > 0 {
		if _, found := s.guardOf[def]; !found {
			s.guardOf[def] = s.guards[n-1]
		}
		return
	}
	s.unguarded[def] = true
}

// conditionOfCalls returns the condition under which the functions around a registration are
// called, nil if there is none.
func (s *scanner) conditionOfCalls(within []*statement) *registry.ToolCondition {
	for _, def := range within {
		g, found := s.guardOf[def]
		if !found || s.unguarded[def] {
			continue
		}
		if c, _ := s.condition(g); c != nil {
			return c
		}
	}
	return nil
}

// setConditions sets the conditions of tools in functions that are called in a branch. A condition
// that all tools share is one of the server, such as how it is started.
func (s *scanner) setConditions() {
	for i := range s.found {
		if f := &s.found[i]; f.tool.Conditional == nil {
			f.tool.Conditional = s.conditionOfCalls(f.within)
		}
	}
	if len(s.found) == 0 || s.found[0].tool.Conditional == nil {
		return
	}
	first := *s.found[0].tool.Conditional
	if slices.ContainsFunc(s.found, func(f found) bool {
		return f.tool.Conditional == nil || *f.tool.Conditional != first
	}) {
		return
	}
	for i := range s.found {
		s.found[i].tool.Conditional = nil
	}
}

// isNegative reports whether a test is that something is missing or different.
func isNegative(x expr) bool {
	switch x := x.(type) {
	case unary:
		return x.op == "not"
	case binary:
		switch x.op {
		case "!=", "is not", "not in":
			return true
		case "==", "is":
			return isNothing(x.x) || isNothing(x.y)
		case "and", "or":
			return isNegative(x.x) && isNegative(x.y)
		}
	}
	return false
}

func isNothing(x expr) bool {
	l, isLiteral := x.(literal)
	return isLiteral && (l.value == nil || l.value == false)
}

// dottedName returns the name of a variable or attribute, such as "settings.enable_writes", "" for
// other expressions.
func dottedName(x expr) string {
	switch x := x.(type) {
	case name:
		return x.id
	case attr:
		if of := dottedName(x.x); of != "" {
			return of + "." + x.name
		}
	}
	return ""
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
	if x.op != "==" || setting == "" || strings.Contains(setting, "=") {
		return setting
	}
	if v, ok := p.eval(x.y, s); ok {
		if text, isText := printed(v); isText {
			return setting + "=" + text
		}
	}
	return setting
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
