package golang

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"

	"mcpcensus/crawler/source/listing"
	"mcpcensus/internal/registry"
)

// A registered is a registered tool, the functions around the registration, and the branches in
// the innermost one.
type registered struct {
	tool     registry.Tool
	within   []*ast.FuncDecl
	branches []listing.Branch
	by       *ast.FuncDecl // makes the value whose type is the tool, nil for others
}

// around returns the branches around a registration. One in a method that is called only by an
// interface depends on what makes a value of its type.
func (s *scanner) around(r registered) []listing.Branch {
	within := slices.Clone(r.within)
	for i, d := range within {
		if _, isCalled := s.callsOf[d]; !isCalled && d.Recv != nil && len(d.Recv.List) == 1 {
			within[i] = cmp.Or(s.makerOf(d), d)
		}
	}
	return s.callsOf.Around(within, r.branches)
}

// makerOf returns the function that is likeliest called of those that return the type of a method,
// nil for none.
func (s *scanner) makerOf(method *ast.FuncDecl) (maker *ast.FuncDecl) {
	of := lastName(method.Recv.List[0].Type)
	for _, f := range s.files {
		for _, d := range f.syntax.Decls {
			fn, isFunc := d.(*ast.FuncDecl)
			if !isFunc || !isMaker(fn, of) || f.pkg.methods[of][method.Name.Name] != method {
				continue
			}
			around, isCalled := s.callsOf[fn]
			if isCalled && (maker == nil || listing.Likelier(around, s.callsOf[maker])) {
				maker = fn
			}
		}
	}
	return maker
}

// isMaker reports whether a function returns a type.
func isMaker(fn *ast.FuncDecl, of string) bool {
	return fn.Recv == nil && fn.Type.Results != nil && lastName(fn.Type.Results.List[0].Type) == of
}

// branch walks through an if statement. What its body registers depends on the condition, unless
// that holds by default.
func (s *scanner) branch(n *ast.IfStmt, e *env) {
	if n.Init != nil {
		s.walk(n.Init, e)
	}
	s.walk(n.Cond, e)
	s.guarded(n.Cond, e, func() { s.walk(n.Body, e) })
	if n.Else != nil {
		s.walk(n.Else, e)
	}
}

// guarded calls walk for code that runs only if a condition holds.
func (s *scanner) guarded(cond ast.Expr, e *env, walk func()) {
	if p, ok := cond.(*ast.ParenExpr); ok {
		s.guarded(p.X, e, walk)
		return
	}
	if b, ok := cond.(*ast.BinaryExpr); ok && b.Op == token.LAND {
		s.guarded(b.X, e, func() { s.guarded(b.Y, e, walk) })
		return
	}
	s.under(cond, testOf(cond), e, walk)
}

// under calls walk for code that runs only if test holds: a condition or its opposite.
func (s *scanner) under(cond ast.Expr, test listing.Test, e *env, walk func()) {
	if test.IsNegative() {
		walk()
		return
	}
	setting, byDefault := s.settingIn(bound{cond, e}, 0)
	b := listing.Branch{Node: cond, Setting: cmp.Or(setting, test.Name()), Default: byDefault}
	s.branches = append(s.branches, b)
	walk()
	s.branches = s.branches[:len(s.branches)-1]
}

// block walks through statements. Those after an if statement that leaves the block depend on its
// condition.
func (s *scanner) block(list []ast.Stmt, e *env) {
	for i, st := range list {
		s.walk(st, e)
		n, ok := st.(*ast.IfStmt)
		if ok && n.Else == nil && leaves(n.Body) {
			test := listing.Negate(testOf(n.Cond))
			s.under(n.Cond, test, e, func() { s.block(list[i+1:], e) })
			return
		}
	}
}

// leaves reports whether a block ends the one around it.
func leaves(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	}
	return false
}

// testOf returns a condition in the terms of all languages.
func testOf(x ast.Expr) listing.Test {
	t := listing.Test{}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return testOf(x.X)
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			return listing.Negate(testOf(x.X))
		}
	case *ast.BinaryExpr:
		if t.Op = tests[x.Op]; t.Op != listing.Opaque {
			t.Of = []listing.Test{testOf(x.X), testOf(x.Y)}
		}
	case *ast.BasicLit:
		if x.Kind == token.STRING && len(x.Value) == len(`""`) {
			t.Op = listing.Nothing
		}
	case *ast.Ident:
		t = listing.Test{Op: listing.Named, Path: []string{x.Name}}
		if x.Name == "nil" || x.Name == "false" {
			t.Op = listing.Nothing
		}
	case *ast.SelectorExpr:
		if t = testOf(x.X); t.Op == listing.Named {
			t.Path = append(t.Path, x.Sel.Name)
		}
	}
	return t
}

// tests are the operators of tests.
var tests = map[token.Token]listing.Op{
	token.EQL: listing.Same, token.NEQ: listing.Differ, token.LAND: listing.Both,
	token.LOR: listing.Any,
}

const maxSettingDepth = 6 // nested expressions and variables

// settingIn returns the environment variable or flag that an expression depends on, such as
// "FEATURE_X=true", "" if there is none, and whether the expression is true by default.
func (s *scanner) settingIn(b bound, depth int) (setting string, byDefault listing.Default) {
	if depth > maxSettingDepth || b.x == nil || !s.enter() {
		return "", listing.Undecided
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
	case *ast.SelectorExpr:
		if v, ok := s.selected(x, b.env); ok {
			return s.settingIn(v, depth+1)
		}
	case *ast.CallExpr:
		return s.calledSetting(x, b.env, depth)
	}
	return "", listing.Undecided
}

// comparedSetting returns the setting that a comparison or a combination depends on.
func (s *scanner) comparedSetting(
	x *ast.BinaryExpr, e *env, depth int,
) (setting string, byDefault listing.Default) {
	for _, pair := range [][2]ast.Expr{{x.X, x.Y}, {x.Y, x.X}} {
		found, by := s.settingIn(bound{pair[0], e}, depth+1)
		if found == "" {
			continue
		}
		setting = found
		text, isText := s.text(pair[1], e)
		switch {
		case isText && x.Op == token.EQL:
			if by == listing.On { // the default may be another text
				by = listing.Undecided
			}
			return listing.Equals(setting, text), by
		case x.Op == token.NEQ, x.Op == token.GTR:
			return setting, by
		}
	}
	return setting, byDefault
}

// calledSetting returns the variable or flag that a call reads, or one of its arguments.
func (s *scanner) calledSetting(
	c *ast.CallExpr, e *env, depth int,
) (setting string, byDefault listing.Default) {
	id := lastName(c.Fun)
	of, isMethod := c.Fun.(*ast.SelectorExpr)
	switch {
	case id == "Getenv" || id == "LookupEnv":
		if len(c.Args) == 1 {
			setting, _ = s.text(c.Args[0], e)
		}
		return setting, listing.Off
	case isMethod && lastName(of.X) == "flag" && slices.Contains([]string{"Bool", "String"}, id):
		if len(c.Args) == 3 {
			return s.flag(c.Args[0], c.Args[1], e)
		}
		return "", listing.Undecided
	}
	for _, arg := range c.Args {
		if setting, byDefault = s.settingIn(bound{arg, e}, depth+1); setting == "" {
			continue
		}
		if d, _ := s.declaration(c.Fun, e); d != nil { // it may return anything
			byDefault = listing.Undecided
		}
		return setting, byDefault
	}
	return "", listing.Undecided
}

// flag returns a flag, and whether it is set by default.
func (s *scanner) flag(name, value ast.Expr, e *env) (setting string, byDefault listing.Default) {
	id, _ := s.text(name, e)
	if id == "" {
		return "", listing.Undecided
	}
	switch v, _ := s.constant(bound{value, e}); v {
	case nil:
		return "--" + id, listing.Undecided
	case false, "":
		return "--" + id, listing.Off
	}
	return "--" + id, listing.On
}
