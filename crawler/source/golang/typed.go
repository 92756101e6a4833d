package golang

import (
	"go/ast"
	"slices"
	"strings"

	"mcpcensus/crawler/source/listing"
	"mcpcensus/internal/registry"
)

// typedTools tell about the tools whose types have methods for their name, description and schema.
type typedTools struct {
	asksTypes bool            // code lists tools with the result of a method Name
	unnamed   bool            // the name of a type is unknown
	made      map[string]bool // types of tools with a literal, after their folder
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
	in, name := of.file.pkg, lastName(l.Type)
	methods := in.methods[name]
	if !in.isTool(name) {
		has := func(name string) bool { return methods[name] != nil }
		isPart := has("Name") || has("Description") || slices.ContainsFunc(handlers, has)
		s.unnamed = s.unnamed || isPart && s.embeds(l, e)
		return
	}
	s.made[in.dir+":"+name] = true
	call := func(name string) ast.Expr {
		return &ast.CallExpr{Fun: &ast.SelectorExpr{X: l, Sel: ast.NewIdent(name)}}
	}
	t := registry.Tool{InputSchema: s.schema(call(in.schemas[name]), e)}
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

// returnsSchema reports whether a method returns the schema of a tool, as its name says.
func returnsSchema(d *ast.FuncDecl) bool {
	name := d.Name.Name
	return (strings.Contains(name, "Schema") || name == "Parameters") && len(d.Type.Params.List) == 0
}

// isTool reports whether the methods of a type state a name, a description and a schema.
func (in *pkg) isTool(of string) bool {
	methods := in.methods[of]
	return in.schemas[of] != "" && methods["Name"] != nil && methods["Description"] != nil
}

// makesOthers reports whether code mentions a type of tools that no literal makes.
func (s *scanner) makesOthers() bool {
	mentioned := s.mentioned()
	for _, in := range s.packages {
		for of := range in.schemas {
			if in.isTool(of) && mentioned[of] && !s.made[in.dir+":"+of] {
				return true
			}
		}
	}
	return false
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
	mentioned := s.mentioned()
	s.on = slices.DeleteFunc(s.on, func(r registered) bool {
		return r.by != nil && r.by.Recv == nil && !mentioned[r.by.Name.Name]
	})
}

// mentioned returns the names that declarations mention beside their own and those of receivers.
// An assertion that a type implements an interface mentions nothing.
func (s *scanner) mentioned() map[string]bool {
	out := map[string]bool{"main": true, "init": true}
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			out[n.Name] = true
		case *ast.TypeSpec:
			ast.Inspect(n.Type, visit)
			return false
		case *ast.GenDecl:
			return !isAssertion(n)
		case *ast.FuncDecl:
			ast.Inspect(n.Type, visit)
			if n.Body != nil {
				ast.Inspect(n.Body, visit)
			}
			return false
		}
		return true
	}
	for _, f := range s.files {
		for _, d := range f.syntax.Decls {
			ast.Inspect(d, visit)
		}
	}
	return out
}
