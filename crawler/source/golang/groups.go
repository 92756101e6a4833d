package golang

import (
	"go/ast"
	"path"
	"regexp"
)

// groups are the named groups of a server's tools.
type groups struct {
	enabled map[string]bool   // groups that are enabled by default; empty if unknown
	names   map[string]string // names of groups by the folder of their package
}

// readGroups finds lists of groups that are enabled by default, and packages that are groups:
// with one type that has a constant name and a method that lists tools.
func (s *scanner) readGroups() {
	s.groups = groups{enabled: map[string]bool{}, names: map[string]string{}}
	for _, f := range s.files {
		e := &env{file: f}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				s.groupList(lastName(n.Key), n.Value, e)
			case *ast.ValueSpec:
				for i := range min(len(n.Names), len(n.Values)) {
					s.groupList(n.Names[i].Name, n.Values[i], e)
				}
			}
			return true
		})
	}
	for dir, in := range s.packages {
		found := map[string]bool{}
		for _, methods := range in.methods {
			if name := s.groupName(methods, in); name != "" {
				found[name] = true
				s.names[dir] = name
			}
		}
		if len(found) > 1 {
			delete(s.names, dir)
		}
	}
}

var groupsName = regexp.MustCompile(`(?i)tool_?(sets|groups|categories)$`)

// groupList adds the names in a list of groups that are enabled by default.
func (s *scanner) groupList(name string, x ast.Expr, e *env) {
	l, ok := x.(*ast.CompositeLit)
	if !ok || !groupsName.MatchString(name) {
		return
	}
	for _, element := range l.Elts {
		if text, ok := s.text(element, e); ok {
			s.enabled[text] = true
		}
	}
}

// groupName returns the name of the group that a type with these methods represents, "" if it is
// not a group.
func (s *scanner) groupName(methods map[string]*ast.FuncDecl, in *pkg) string {
	if methods["Tools"] == nil && methods["GetTools"] == nil {
		return ""
	}
	for _, method := range []string{"GetName", "Name", "ID"} {
		d := methods[method]
		if d == nil || d.Body == nil || len(d.Body.List) != 1 {
			continue
		}
		if r, ok := d.Body.List[0].(*ast.ReturnStmt); ok && len(r.Results) == 1 {
			name, _ := s.text(r.Results[0], &env{file: in.fileOf[d]})
			return name
		}
	}
	return ""
}

// isPackageOff reports whether the package in a folder, or one above it, is a group of tools that
// is disabled by default.
func (s *scanner) isPackageOff(dir string) bool {
	if len(s.enabled) == 0 || s.enabled["all"] {
		return false
	}
	for ; dir != "." && dir != "/"; dir = path.Dir(dir) {
		if name, ok := s.names[dir]; ok {
			return !s.enabled[name]
		}
	}
	return false
}

// isGroupOff reports whether an expression describes a group of tools that is disabled: a struct
// with a field Default that is not set.
func (s *scanner) isGroupOff(x ast.Expr, e *env) bool {
	switch x.(type) {
	case *ast.Ident, *ast.SelectorExpr:
	default:
		return false
	}
	v := s.resolve(bound{x, e})
	l, ok := v.x.(*ast.CompositeLit)
	if !ok {
		return false
	}
	st, _ := s.structOf(l.Type, v.env)
	if st == nil || !hasDefault(st) {
		return false
	}
	value := fieldsOf(l)["Default"]
	if value == nil {
		return true
	}
	on, known := s.boolean(value, v.env)
	return known && !on
}

// hasDefault reports whether a struct has a Boolean field Default.
func hasDefault(st *ast.StructType) bool {
	for _, f := range st.Fields.List {
		for _, id := range f.Names {
			if id.Name == "Default" && lastName(f.Type) == "bool" {
				return true
			}
		}
	}
	return false
}
