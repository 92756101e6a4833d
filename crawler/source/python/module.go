package python

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A module is a parsed file.
type module struct {
	path    string
	dotted  string // of its path, without .py and __init__
	isDir   bool   // __init__.py
	body    []*statement
	scope   *scope
	usesMCP bool // imports a module whose name contains "mcp"
}

// A scope contains the names of a module, class body, function call or iteration.
type scope struct {
	parent *scope
	module *module
	names  map[string][]*binding
}

// A binding is one meaning of a name: a value, an expression in a scope, a definition, or an
// import. Otherwise it is unknown.
type binding struct {
	known      bool
	value      any
	x          expr
	scope      *scope
	def        *statement
	imported   *imported
	annotation expr   // of a parameter
	setting    string // that sets a parameter
	tests      []expr // that an assignment depends on
	busy       bool
	failed     bool
}

func newScope(parent *scope) *scope {
	return &scope{parent: parent, module: parent.module, names: map[string][]*binding{}}
}

func (s *scope) bind(id string, b *binding) { s.names[id] = append(s.names[id], b) }

// set binds a name to a value.
func (s *scope) set(id string, value any) {
	s.names[id] = []*binding{{known: true, value: value, scope: s}}
}

// A region is a branch of a body, with the tests it depends on, in a loop or outside of loops.
type region struct {
	tests []expr
	loop  *statement
	outer *region // of the loop
}

// collect binds the names that statements assign, define or import.
func (s *scope) collect(body []*statement) { s.collectIn(body, &region{}) }

func (s *scope) collectIn(body []*statement, in *region) {
	var chain branches
	for _, st := range body {
		switch st.kind {
		case defStatement, classStatement:
			s.bind(st.name, &binding{def: st, scope: s, tests: in.tests})
		case assignStatement:
			s.assign(st, in)
		case exprStatement:
			s.call(st, in)
		case importStatement:
			for i := range st.imports {
				s.bind(importName(st.imports[i]), &binding{imported: &st.imports[i], scope: s})
			}
		case forStatement:
			for _, target := range st.targets {
				s.unknown(target)
			}
			s.collectIn(st.body, &region{loop: st, outer: in})
		case blockStatement:
			tests := append(chain.tests(st), in.tests...)
			s.collectIn(st.body, &region{tests: tests, loop: in.loop, outer: in.outer})
		}
	}
}

// branches are the negated conditions of the first blocks in a chain of if, elif and else.
type branches []expr

const maxBranches = 64

// tests returns the conditions of a block.
func (b *branches) tests(st *statement) []expr {
	if st.name != "elif" && st.name != "else" {
		*b = nil
	}
	own := slices.Clone(*b)
	if st.name == "if" || st.name == "elif" {
		own = append(own, st.value)
		if len(*b) < maxBranches {
			*b = append(*b, unary{"not", st.value})
		}
	}
	return own
}

// variable returns the name of a variable, which may be an attribute such as "self.tools", "" for
// other expressions.
func variable(x expr) string {
	switch x := x.(type) {
	case name:
		return x.id
	case attr:
		if of, isName := x.x.(name); isName {
			return of.id + "." + x.name
		}
	}
	return ""
}

// add binds a name of the scope to its value extended by more.
func (s *scope) add(target, more expr, in *region) {
	id := variable(target)
	earlier := s.names[id]
	if id == "" || len(earlier) == 0 {
		return
	}
	if l, isLiteral := earlier[len(earlier)-1].x.(literal); isLiteral && kindOf(l.value) != "string" {
		return // a counter
	}
	for ; in.loop != nil; in = in.outer {
		more = &comprehension{target: in.loop.targets[0], iter: in.loop.value, element: more,
			conditions: in.tests, body: in.loop.body, flat: true}
	}
	s.bind(id, &binding{x: sum{earlier[len(earlier)-1], more}, scope: s, tests: in.tests})
}

// call handles methods that add to a list or a dictionary.
func (s *scope) call(st *statement, in *region) {
	c, ok := st.value.(*call)
	if !ok || len(c.args) != 1 {
		return
	}
	method, _ := c.fn.(attr)
	switch method.name {
	case "append", "add":
		s.add(method.x, sequence{'[', []expr{c.args[0].value}}, in)
	case "extend", "update":
		s.add(method.x, c.args[0].value, in)
	}
}

func importName(i imported) string {
	if i.as != "" {
		return i.as
	}
	first, _, _ := strings.Cut(i.module, ".")
	return first
}

func (s *scope) assign(st *statement, in *region) {
	for _, target := range st.targets {
		switch target := target.(type) {
		case name, attr:
			switch id := variable(target); {
			case st.value == nil || id == "":
			case st.augmented == "+" || st.augmented == "|":
				s.add(target, st.value, in)
			case st.augmented == "":
				s.bind(id, &binding{x: st.value, scope: s, tests: in.tests})
			}
		case index: // dictionary[key] = value
			s.add(target.x, mapping{[]expr{target.i}, []expr{st.value}}, in)
		case sequence:
			for i, item := range target.items {
				if id := variable(item); id != "" {
					x := index{st.value, literal{int64(i)}}
					s.bind(id, &binding{x: x, scope: s, tests: in.tests})
				} else {
					s.unknown(item)
				}
			}
		}
	}
}

func (s *scope) unknown(target expr) {
	switch target := target.(type) {
	case name:
		s.bind(target.id, &binding{scope: s})
	case sequence:
		for _, item := range target.items {
			s.unknown(item)
		}
	}
}

// load parses the files, in the order of their paths.
func load(files map[string]string, limit int) *program {
	p := &program{limit: limit, modules: map[string][]*module{}, subclasses: map[*statement][]*class{},
		classes: map[*statement]*class{}, options: map[string][]option{}, starred: map[starSearch]bool{}}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if path.Ext(file) != ".py" {
			continue
		}
		dotted := strings.ReplaceAll(strings.TrimSuffix(file, ".py"), "/", ".")
		m := &module{path: file, dotted: dotted, body: parse(files[file])}
		if path.Base(file) == "__init__.py" {
			m.isDir, m.dotted = true, strings.TrimSuffix(strings.TrimSuffix(dotted, "__init__"), ".")
		}
		m.scope = &scope{module: m, names: map[string][]*binding{}}
		m.scope.collect(m.body)
		p.collectOptions(m.body, m.scope)
		all := importsOf(m.body)
		m.usesMCP = slices.ContainsFunc(all, func(i imported) bool {
			return strings.Contains(strings.ToLower(i.module+"."+i.member), "mcp")
		})
		if slices.ContainsFunc(all, func(i imported) bool {
			return i.module == "fastmcp" || strings.HasPrefix(i.module, "fastmcp.")
		}) {
			p.fastMCP = latestFastMCP
		}
		p.order = append(p.order, m)
		for rest := m.dotted; rest != ""; {
			p.modules[rest] = append(p.modules[rest], m)
			_, after, found := strings.Cut(rest, ".")
			if !found {
				break
			}
			rest = after
		}
	}
	for file, text := range files {
		if m := boundFastMCP.FindStringSubmatch(text); m != nil && IsManifest(file) {
			major, _ := strconv.Atoi(m[2])
			if m[1] == "<" && m[3] == "" {
				major--
			}
			p.fastMCP = min(p.fastMCP, major)
		}
	}
	p.findSubclasses()
	return p
}

// latestFastMCP is the major version of FastMCP that requirements without an upper bound install.
const latestFastMCP = 4

// boundFastMCP matches the upper bound of a requirement of FastMCP.
var boundFastMCP = regexp.MustCompile(`(?m)^[^#\n]*\bfastmcp\b[^\n]*?(==|~=|<=?|\^)\s*(\d+)((?:\.0)*\.[1-9])?`)

// IsManifest reports whether a file may list the packages that the sources require.
func IsManifest(file string) bool {
	return slices.Contains([]string{"METADATA", "PKG-INFO", "pyproject.toml", "requirements.txt"}, path.Base(file))
}

// find returns the file of a module imported in m, the nearest of several, nil if it is not among
// the files.
func (p *program) find(m *module, dotted string) *module {
	trimmed := strings.TrimLeft(dotted, ".")
	if up := len(dotted) - len(trimmed); up > 0 {
		parts := strings.Split(m.dotted, ".")
		if m.isDir {
			up--
		}
		if up > len(parts) {
			return nil
		}
		base := parts[:len(parts)-up]
		if trimmed != "" {
			base = append(slices.Clone(base), trimmed)
		}
		full := strings.Join(base, ".")
		for _, found := range p.modules[full] {
			if found.dotted == full {
				return found
			}
		}
		return nil
	}
	var best *module
	longest := -1
	for _, found := range p.modules[trimmed] {
		if n := commonPrefix(found.path, m.path); n > longest && found != m {
			best, longest = found, n
		}
	}
	return best
}

func commonPrefix(a, b string) int {
	n := 0
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			n++
		}
	}
	return n
}
