package golang

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strings"
)

// defaults is what a program does without settings: which flags are set, and
// which groups of tools are on.
type defaults struct {
	flags  map[string]bool   // by name, and by the field that a flag sets
	on     map[string]bool   // names of groups that are on; empty if not known
	groups map[string]string // names of groups, by the folder of their package
	off    []span            // code that is not reached
	edges  []edge
}

// span is a part of the source.
type span struct{ from, to token.Pos }

// edge is a call of a function.
type edge struct {
	from, to *ast.FuncDecl
	at       token.Pos
}

func (s *scanner) readDefaults() {
	s.defaults = defaults{flags: map[string]bool{}, on: map[string]bool{}, groups: map[string]string{}}
	for _, f := range s.files {
		e := &env{file: f}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				s.flag(n, e)
			case *ast.KeyValueExpr:
				s.groupList(typeName(n.Key), n.Value, e)
			case *ast.ValueSpec:
				for i, id := range n.Names {
					if i < len(n.Values) {
						s.groupList(id.Name, n.Values[i], e)
					}
				}
			}
			return true
		})
	}
	for dir, in := range s.packages {
		names := map[string]bool{}
		for _, methods := range in.methods {
			if name, ok := s.groupName(methods, in); ok {
				names[name] = true
				s.groups[dir] = name
			}
		}
		if len(names) > 1 {
			delete(s.groups, dir)
		}
	}
}

// flag notes the default of a flag that is a Boolean: Bool("name", false),
// BoolVar(&field, "name", false).
func (s *scanner) flag(c *ast.CallExpr, e *env) {
	name := strings.TrimSuffix(calledName(c.Fun), "P")
	if name != "Bool" && name != "BoolVar" {
		return
	}
	var names []string
	for _, x := range c.Args {
		if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.AND {
			names = append(names, typeName(u.X))
		} else if text, ok := s.text(x, e); ok && len(names) < 2 {
			names = append(names, text)
		} else if value, ok := s.boolean(x, e); ok {
			for _, n := range names {
				s.flags[n] = value
			}
			return
		}
	}
}

var groupsName = regexp.MustCompile(`(?i)tool_?(sets|groups|categories)$`)

// groupList notes a list of the groups that are on by default.
func (s *scanner) groupList(name string, x ast.Expr, e *env) {
	l, ok := x.(*ast.CompositeLit)
	if !ok || !groupsName.MatchString(name) {
		return
	}
	for _, element := range l.Elts {
		if text, ok := s.text(element, e); ok {
			s.on[text] = true
		}
	}
}

// groupName returns the name of the group that a type with these methods is.
func (s *scanner) groupName(methods map[string]*ast.FuncDecl, in *pkg) (string, bool) {
	hasTools := false
	for name := range methods {
		hasTools = hasTools || name == "Tools" || name == "GetTools"
	}
	for _, name := range []string{"GetName", "Name", "ID"} {
		d := methods[name]
		if !hasTools || d == nil || d.Body == nil || len(d.Body.List) != 1 {
			continue
		}
		if r, ok := d.Body.List[0].(*ast.ReturnStmt); ok && len(r.Results) == 1 {
			return s.text(r.Results[0], &env{file: in.fileOf[d]})
		}
	}
	return "", false
}

// isGroupOff reports whether the package in a folder, or one around it, is a
// group of tools that is off by default.
func (s *scanner) isGroupOff(dir string) bool {
	if len(s.on) == 0 || s.on["all"] {
		return false
	}
	for ; dir != "." && dir != "/"; dir = path.Dir(dir) {
		if name, ok := s.groups[dir]; ok {
			return !s.on[name]
		}
	}
	return false
}

// branch notes the part of an if statement that is not reached.
func (s *scanner) branch(n *ast.IfStmt, e *env) {
	holds, known := s.condition(n.Cond, e)
	switch {
	case !known:
	case !holds:
		s.off = append(s.off, span{n.Body.Pos(), n.Body.End()})
	case n.Else != nil:
		s.off = append(s.off, span{n.Else.Pos(), n.Else.End()})
	}
}

// condition evaluates a condition on flags and on the environment.
func (s *scanner) condition(x ast.Expr, e *env) (holds, known bool) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return s.condition(x.X, e)
	case *ast.StarExpr:
		return s.condition(x.X, e)
	case *ast.UnaryExpr:
		holds, known = s.condition(x.X, e)
		return !holds, known && x.Op == token.NOT
	case *ast.SelectorExpr:
		holds, known = s.flags[x.Sel.Name]
		return holds, known
	case *ast.Ident:
		if v, ok := s.lookup(x.Name, e); ok {
			if c, ok := v.x.(*ast.CallExpr); ok && s.enter() {
				defer s.leave()
				return s.condition(c, v.env)
			}
		}
		holds, known = s.flags[x.Name]
		return holds, known
	case *ast.CallExpr:
		name := strings.TrimSuffix(calledName(x.Fun), "P")
		if name == "GetBool" && len(x.Args) == 1 || name == "Bool" && len(x.Args) >= 2 {
			key, _ := s.text(x.Args[0], e)
			holds, known = s.flags[key]
		}
		return holds, known
	case *ast.BinaryExpr:
		return s.comparison(x, e)
	}
	return false, false
}

func (s *scanner) comparison(x *ast.BinaryExpr, e *env) (holds, known bool) {
	if x.Op == token.LAND || x.Op == token.LOR {
		a, ok1 := s.condition(x.X, e)
		b, ok2 := s.condition(x.Y, e)
		decides := x.Op == token.LOR // the value of one side that decides
		if ok1 && a == decides || ok2 && b == decides {
			return decides, true
		}
		return !decides, ok1 && ok2
	}
	text, isText := s.text(x.Y, e)
	if isText && s.isUnset(x.X, e) {
		return (text == "") == (x.Op == token.EQL), x.Op == token.EQL || x.Op == token.NEQ
	}
	return false, false
}

// connection matches the names of variables that a user sets, for example to
// reach a service.
var connection = regexp.MustCompile(`(TOKEN|KEY|SECRET|PASSWORD|PASS|URL|URI|HOST|HOSTNAME|DOMAIN|ENDPOINT|DSN|ID|` +
	`USER|USERNAME|EMAIL|ACCOUNT|ORG|ORGANIZATION|TENANT|WORKSPACE|PROJECT|DATABASE|KUBECONFIG|CREDENTIALS)$`)

// isUnset reports whether an expression is a variable of the environment that
// users do not set.
func (s *scanner) isUnset(x ast.Expr, e *env) bool {
	v := bound{x: x, env: e}
	if id, ok := x.(*ast.Ident); ok {
		v, _ = s.lookup(id.Name, e)
	}
	c, ok := v.x.(*ast.CallExpr)
	if !ok || len(c.Args) != 1 || calledName(c.Fun) != "Getenv" {
		return false
	}
	name, ok := s.text(c.Args[0], v.env)
	return ok && !connection.MatchString(name)
}

// isOffGroup reports whether an expression is the description of a group of
// tools that is off: of a struct with a field Default that is not set.
func (s *scanner) isOffGroup(x ast.Expr, e *env) bool {
	switch x.(type) {
	case *ast.Ident, *ast.SelectorExpr:
	default:
		return false
	}
	v := s.resolve(bound{x: x, env: e})
	l, ok := v.x.(*ast.CompositeLit)
	if !ok {
		return false
	}
	st, _ := s.structOf(l.Type, v.env)
	if st == nil || !hasField(st, "Default", "bool") {
		return false
	}
	for _, element := range l.Elts {
		if kv, ok := element.(*ast.KeyValueExpr); ok && typeName(kv.Key) == "Default" {
			on, known := s.boolean(kv.Value, v.env)
			return known && !on
		}
	}
	return true
}

func hasField(st *ast.StructType, name, of string) bool {
	for _, f := range st.Fields.List {
		for _, id := range f.Names {
			if id.Name == name && typeName(f.Type) == of {
				return true
			}
		}
	}
	return false
}

func (s *scanner) isOff(at token.Pos) bool {
	for _, o := range s.off {
		if o.from <= at && at < o.to {
			return true
		}
	}
	return false
}

// unreached returns the functions whose calls are all in code that is not
// reached.
func (s *scanner) unreached() map[*ast.FuncDecl]bool {
	off := map[*ast.FuncDecl]bool{}
	for range 5 {
		reached := map[*ast.FuncDecl]bool{}
		for _, c := range s.edges {
			if !off[c.from] && !s.isOff(c.at) {
				reached[c.to] = true
			}
		}
		known := len(off)
		for _, c := range s.edges {
			if !reached[c.to] {
				off[c.to] = true
			}
		}
		if len(off) == known {
			break
		}
	}
	return off
}
