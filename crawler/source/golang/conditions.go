package golang

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
)

// A registered is a registered tool, and the functions around the registration.
type registered struct {
	tool   registry.Tool
	within []*ast.FuncDecl
}

// A guard is the condition of a branch, and its variables.
type guard struct {
	cond ast.Expr
	env  *env
}

// branch walks through an if statement. What its body registers depends on the condition, unless
// that is the absence of something: then it holds by default.
func (s *scanner) branch(n *ast.IfStmt, e *env) {
	if n.Init != nil {
		s.walk(n.Init, e)
	}
	s.walk(n.Cond, e)
	if isNegative(n.Cond) {
		s.walk(n.Body, e)
	} else {
		s.guards = append(s.guards, guard{n.Cond, e})
		s.walk(n.Body, e)
		s.guards = s.guards[:len(s.guards)-1]
	}
	if n.Else != nil {
		s.walk(n.Else, e)
	}
}

// noteCall notes under which condition a function is called.
func (s *scanner) noteCall(d *ast.FuncDecl) {
	if d == nil {
		return
	}
	if n := len(s.guards); n > 0 {
		if _, found := s.guardOf[d]; !found {
			s.guardOf[d] = s.guards[n-1]
		}
		return
	}
	s.unguarded[d] = true
}

// conditional returns the condition of a branch.
func (s *scanner) conditional(g guard) *registry.ToolCondition {
	setting, off := s.settingIn(bound{g.cond, g.env}, 0)
	if setting == "" {
		setting = dottedName(g.cond)
	}
	return &registry.ToolCondition{Setting: setting, Off: off}
}

// setConditions sets the conditions of tools in functions that are called in a branch. A condition
// that all tools share is one of the server, such as how it is started.
func (s *scanner) setConditions(list []registered) {
	for i := range list {
		if t := &list[i].tool; t.Conditional == nil {
			t.Conditional = s.conditionOfCalls(list[i].within)
		}
	}
	if len(list) == 0 || list[0].tool.Conditional == nil {
		return
	}
	first := *list[0].tool.Conditional
	for i := range list {
		if c := list[i].tool.Conditional; c == nil || *c != first {
			return
		}
	}
	for i := range list {
		list[i].tool.Conditional = nil
	}
}

func (s *scanner) conditionOfCalls(within []*ast.FuncDecl) *registry.ToolCondition {
	for _, d := range within {
		if g, found := s.guardOf[d]; found && !s.unguarded[d] {
			return s.conditional(g)
		}
	}
	return nil
}

// isNegative reports whether a condition is that something is missing, different, or no error.
func isNegative(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return isNegative(x.X)
	case *ast.UnaryExpr:
		return x.Op == token.NOT
	case *ast.BinaryExpr:
		switch x.Op {
		case token.NEQ:
			return !isEmptyText(x.X) && !isEmptyText(x.Y)
		case token.EQL:
			return isNothing(x.X) || isNothing(x.Y)
		case token.LAND, token.LOR:
			return isNegative(x.X) && isNegative(x.Y)
		}
	}
	return false
}

func isNothing(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && (id.Name == "nil" || id.Name == "false") || isEmptyText(x)
}

func isEmptyText(x ast.Expr) bool {
	l, ok := x.(*ast.BasicLit)
	return ok && l.Kind == token.STRING && len(l.Value) == len(`""`)
}

// dottedName returns the name of a variable or field, such as "cfg.EnableWrites", "" for other
// expressions and for short names, which say nothing.
func dottedName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		if len(x.Name) > 3 {
			return x.Name
		}
	case *ast.SelectorExpr:
		if id, ok := x.X.(*ast.Ident); ok {
			return id.Name + "." + x.Sel.Name
		}
		if of := dottedName(x.X); of != "" {
			return of + "." + x.Sel.Name
		}
	}
	return ""
}

const maxSettingDepth = 6 // nested expressions and variables

// settingIn returns the environment variable or flag that an expression depends on, such as
// "FEATURE_X=true", "" if there is none, and whether the expression is false by default.
func (s *scanner) settingIn(b bound, depth int) (setting string, off bool) {
	if depth > maxSettingDepth || b.x == nil || !s.enter() {
		return "", false
	}
	defer s.leave()
	switch x := b.x.(type) {
	case *ast.ParenExpr:
		return s.settingIn(bound{x.X, b.env}, depth+1)
	case *ast.StarExpr:
		return s.settingIn(bound{x.X, b.env}, depth+1)
	case *ast.BinaryExpr:
		return s.comparedSetting(x, b.env, depth)
	case *ast.Ident:
		if v, ok := s.lookup(x.Name, b.env); ok {
			return s.settingIn(v, depth+1)
		}
	case *ast.CallExpr:
		return s.calledSetting(x, b.env, depth)
	}
	return "", false
}

// comparedSetting returns the setting that a comparison or a combination depends on.
func (s *scanner) comparedSetting(x *ast.BinaryExpr, e *env, depth int) (setting string, off bool) {
	for _, pair := range [][2]ast.Expr{{x.X, x.Y}, {x.Y, x.X}} {
		found, isOff := s.settingIn(bound{pair[0], e}, depth+1)
		if found == "" {
			continue
		}
		setting, off = found, off || isOff
		text, isText := s.text(pair[1], e)
		if isText && x.Op == token.EQL && !strings.Contains(setting, "=") {
			return setting + "=" + text, true
		}
		if x.Op == token.NEQ {
			return setting, true // is set
		}
	}
	return setting, off
}

// calledSetting returns the variable or flag that a call reads, or one of its arguments.
func (s *scanner) calledSetting(c *ast.CallExpr, e *env, depth int) (setting string, off bool) {
	id := lastName(c.Fun)
	of, isMethod := c.Fun.(*ast.SelectorExpr)
	switch {
	case id == "Getenv" || id == "LookupEnv":
		if len(c.Args) == 1 {
			setting, _ = s.text(c.Args[0], e)
		}
		return setting, false
	case isMethod && lastName(of.X) == "flag" && slices.Contains([]string{"Bool", "String"}, id):
		if len(c.Args) == 3 {
			name, _ := s.text(c.Args[0], e)
			on, known := s.boolean(c.Args[1], e)
			if name != "" {
				return "--" + name, known && !on
			}
		}
		return "", false
	}
	for _, arg := range c.Args {
		if setting, _ = s.settingIn(bound{arg, e}, depth+1); setting != "" {
			return setting, id == "ParseBool"
		}
	}
	return "", false
}
