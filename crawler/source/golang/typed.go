package golang

import (
	"go/ast"
	"maps"
	"slices"
	"strings"

	"mcpcensus/crawler/source/listing"
	"mcpcensus/internal/registry"
)

// typedTools tell about the tools whose types have methods for their name, description and schema.
type typedTools struct {
	asksTypes bool // code lists tools with the result of a method Name
	unnamed   bool // the name of a type is unknown
}

// isNameCall reports whether an expression calls a method Name without arguments.
func isNameCall(x ast.Expr) bool {
	c, ok := x.(*ast.CallExpr)
	if !ok || len(c.Args) > 0 {
		return false
	}
	of, ok := c.Fun.(*ast.SelectorExpr)
	return ok && of.Sel.Name == "Name"
}

// handlers are the names of methods that run a tool.
var handlers = []string{"Execute", "Handle", "Call", "Run"}

// typed adds the tool of a literal of a type whose methods state a name, a description and a schema.
func (s *scanner) typed(l *ast.CompositeLit, e *env) {
	_, of := s.typeOf(l.Type, e)
	if of == nil {
		return
	}
	methods := of.file.pkg.methods[lastName(l.Type)]
	described := schemaMethod(methods)
	if described == "" || methods["Name"] == nil || methods["Description"] == nil {
		has := func(name string) bool { return methods[name] != nil }
		isPart := has("Name") || has("Description") || slices.ContainsFunc(handlers, has)
		s.unnamed = s.unnamed || isPart && s.embeds(l, e)
		return
	}
	call := func(name string) ast.Expr {
		return &ast.CallExpr{Fun: &ast.SelectorExpr{X: l, Sel: ast.NewIdent(name)}}
	}
	t := registry.Tool{InputSchema: s.schema(call(described), e)}
	t.Name, _ = s.text(call("Name"), e)
	t.Description, _ = s.text(call("Description"), e)
	if !listing.IsName(t.Name) {
		s.unnamed = true
		return
	}
	for _, name := range handlers {
		if methods[name] != nil {
			s.handledBy(t.Name, &bound{&ast.SelectorExpr{X: l, Sel: ast.NewIdent(name)}, e})
		}
	}
	var by *ast.FuncDecl
	if n := len(s.within); n > 0 {
		by = s.within[n-1]
	}
	s.addMade(t, by)
}

// schemaMethod returns the name of the method that returns the schema of a tool, "" for none.
func schemaMethod(methods map[string]*ast.FuncDecl) string {
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		isSchema := strings.Contains(name, "Schema") || name == "Parameters"
		if isSchema && len(methods[name].Type.Params.List) == 0 {
			return name
		}
	}
	return ""
}

// embeds reports whether the struct of a literal embeds a type.
func (s *scanner) embeds(l *ast.CompositeLit, e *env) bool {
	st, _ := s.structOf(l.Type, e)
	return st != nil && slices.ContainsFunc(st.Fields.List, func(f *ast.Field) bool {
		return len(f.Names) == 0
	})
}

// hasTyped reports whether a type is a tool.
func (s *scanner) hasTyped() bool {
	return slices.ContainsFunc(s.on, func(r registered) bool { return r.by != nil })
}

// dropUnused removes tools of values that functions make which nothing mentions.
func (s *scanner) dropUnused() {
	if !s.hasTyped() {
		return
	}
	mentioned := map[string]bool{"main": true, "init": true}
	for _, f := range s.files {
		for _, d := range f.syntax.Decls {
			var n ast.Node = d
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				n = fn.Body
			}
			ast.Inspect(n, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					mentioned[id.Name] = true
				}
				return true
			})
		}
	}
	s.on = slices.DeleteFunc(s.on, func(r registered) bool {
		return r.by != nil && r.by.Recv == nil && !mentioned[r.by.Name.Name]
	})
}
