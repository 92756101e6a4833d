package golang

import "go/ast"

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
