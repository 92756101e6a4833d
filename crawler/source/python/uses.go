package python

import (
	"slices"
	"strings"

	"mcpcensus/crawler/source/listing"
)

// uses are the places in all modules where classes are called and modules are imported.
type uses struct {
	calls   map[string][]option // by the last name of what is called
	imports map[*module][][]listing.Branch
}

func (s *scanner) surveyModules() {
	s.uses = uses{map[string][]option{}, map[*module][][]listing.Branch{}}
	for _, m := range s.order {
		s.total, s.steps = s.total+s.steps, 0
		s.survey(m.body, m.scope, nil)
	}
}

// survey notes the uses in statements. The list is partial if a package that was not read is given
// a server, to which it may add tools.
func (s *scanner) survey(body []*statement, at *scope, around []listing.Branch) {
	var chain branches
	for _, st := range body {
		if s.steps++; s.exhausted() {
			return
		}
		if c, isCall := st.value.(*call); isCall {
			id := lastName(c.fn)
			s.uses.calls[id] = append(s.uses.calls[id], option{c, at})
			s.partial = s.partial || st.kind == exprStatement && s.isGiven(c, at)
		}
		switch st.kind {
		case importStatement:
			for _, i := range st.imports {
				s.noteImport(i, at.module, around)
			}
		case defStatement, classStatement:
			s.surveyDefinition(st, at, around)
		case blockStatement:
			tests, inner, runs := chain.tests(st), []listing.Branch(nil), true
			if len(importsOf(st.body)) > 0 {
				inner, runs = s.branchesOf(tests, st, at)
			}
			if runs {
				s.survey(st.body, at, slices.Concat(around, inner))
			}
		default:
			s.survey(st.body, at, around)
		}
	}
}

// surveyDefinition notes the uses in a function, or in the methods of a class.
func (s *scanner) surveyDefinition(st *statement, at *scope, around []listing.Branch) {
	methods, self := []*statement{st}, (*instance)(nil)
	if st.kind == classStatement {
		methods, self = st.body, &instance{class: s.program.class(st, at)}
	}
	for _, def := range methods {
		if def.kind == defStatement {
			s.filtered = s.filtered || self != nil && def.name == "on_list_tools" && omits(def.body)
			f := &function{def: def, scope: at, self: self}
			s.survey(def.body, s.callScope(f, nil, nil), around)
		}
	}
}

// omits reports whether the code of a middleware leaves out items of a list. Code that may return
// the whole list before does not do so by default.
func omits(body []*statement) bool {
	for _, st := range body {
		if c, isList := st.value.(*comprehension); isList && len(c.conditions) > 0 {
			return true
		}
		returns := slices.ContainsFunc(st.body, func(st *statement) bool {
			_, isName := st.value.(name)
			return st.kind == returnStatement && isName
		})
		if st.name == "if" && returns {
			return false
		}
		if omits(st.body) {
			return true
		}
	}
	return false
}

// noteImport notes the branches around an import of modules of the files.
func (s *scanner) noteImport(i imported, from *module, around []listing.Branch) {
	for _, dotted := range i.names() {
		if m := s.find(from, dotted); m != nil && m != from {
			s.uses.imports[m] = append(s.uses.imports[m], slices.Clone(around))
		}
	}
}

// isGiven reports whether a call gives a server to a function of a package other than the SDK.
func (s *scanner) isGiven(c *call, at *scope) bool {
	v, _ := s.eval(c.fn, at)
	e, isExternal := v.(*external)
	if !isExternal || !strings.Contains(e.path, ".") || isSDK(e.path) {
		return false
	}
	return slices.ContainsFunc(c.args, func(a argument) bool {
		switch v, _ := s.eval(a.value, at); v := v.(type) {
		case *made:
			return isSDK(v.path) && strings.HasSuffix(v.path, "MCP")
		case *instance:
			return s.extendsServer(v.class)
		}
		return false
	})
}

// isSDK reports whether an external is of the SDK or of FastMCP.
func isSDK(path string) bool {
	root, _, _ := strings.Cut(path, ".")
	return root == "mcp" || root == "fastmcp"
}

// importedIn returns the branches in which a module is imported: of several imports, the likeliest.
func (s *scanner) importedIn(m *module) (out []listing.Branch) {
	for i, around := range s.uses.imports[m] {
		if i == 0 || listing.Likelier(around, out) {
			out = around
		}
	}
	return out
}

// constructed returns the object of a class that is called once, with its arguments, or one whose
// arguments are not known.
func (p *program) constructed(c *class) *instance {
	o := &instance{class: c}
	for _, call := range p.uses.calls[c.def.name] {
		v, _ := p.eval(call.fn, call.scope)
		if v != any(c) {
			continue
		}
		if o.node != nil {
			return &instance{class: c}
		}
		o.node, o.scope = call.call, call.scope
	}
	return o
}
