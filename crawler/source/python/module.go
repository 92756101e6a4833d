package python

import (
	"context"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A module is a parsed file.
type module struct {
	path    string
	dotted  string // of its path, without .py and __init__
	isDir   bool   // __init__.py
	body    []*statement
	scope   *scope
	usesMCP bool // imports a module that has "mcp" in its name
}

// A scope has the names of a module, class body, function call or iteration.
type scope struct {
	parent *scope
	module *module
	names  map[string][]*binding
	self   *instance // in methods
}

// A binding is one meaning of a name: a value, an expression in a scope, a
// definition, or an import. One without any of them is unknown.
type binding struct {
	known      bool
	value      any
	x          expr
	scope      *scope
	def        *statement
	imported   *imported
	annotation expr // of a parameter
	busy       bool
	failed     bool
}

func newScope(parent *scope) *scope {
	return &scope{parent: parent, module: parent.module, self: parent.self, names: map[string][]*binding{}}
}

func (s *scope) bind(id string, b *binding) { s.names[id] = append(s.names[id], b) }

// set binds a name to a value.
func (s *scope) set(id string, value any) {
	s.names[id] = []*binding{{known: true, value: value, scope: s}}
}

// collect binds the names that statements assign, define or import.
func (s *scope) collect(body []*statement) {
	for _, st := range body {
		switch st.kind {
		case defStatement, classStatement:
			s.bind(st.name, &binding{def: st, scope: s})
		case assignStatement:
			s.assign(st)
		case importStatement:
			for i := range st.imports {
				s.bind(importName(st.imports[i]), &binding{imported: &st.imports[i], scope: s})
			}
		case forStatement:
			for _, target := range st.targets {
				s.unknown(target)
			}
			s.collect(st.body)
		case blockStatement:
			s.collect(st.body)
		}
	}
}

// importName returns the name that an import binds.
func importName(i imported) string {
	if i.as != "" {
		return i.as
	}
	first, _, _ := strings.Cut(i.module, ".")
	return first
}

func (s *scope) assign(st *statement) {
	for _, target := range st.targets {
		switch target := target.(type) {
		case name:
			if st.value == nil {
				continue
			}
			value := st.value
			if st.augmented != "" {
				earlier := s.names[target.id]
				if len(earlier) == 0 || earlier[len(earlier)-1].x == nil {
					continue
				}
				value = binary{st.augmented, earlier[len(earlier)-1].x, value}
			}
			s.bind(target.id, &binding{x: value, scope: s})
		case sequence:
			values, ok := st.value.(sequence)
			for i, item := range target.items {
				if id, isName := item.(name); isName && ok && i < len(values.items) &&
					len(values.items) == len(target.items) {
					s.bind(id.id, &binding{x: values.items[i], scope: s})
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
func load(ctx context.Context, files map[string]string) *program {
	p := &program{ctx: ctx, modules: map[string][]*module{}, subclasses: map[*statement][]*class{},
		classes: map[*statement]*class{}}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if ctx.Err() != nil {
			break
		}
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
		m.usesMCP = imports(m.body, func(i imported) bool {
			return strings.Contains(strings.ToLower(i.module+"."+i.member), "mcp")
		})
		p.fastMCP = p.fastMCP || imports(m.body, func(i imported) bool {
			return i.module == "fastmcp" || strings.HasPrefix(i.module, "fastmcp.")
		})
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
		p.fastMCP = p.fastMCP && !(IsManifest(file) && earlyFastMCP.MatchString(text))
	}
	p.findSubclasses()
	return p
}

// imports reports whether statements import something that is.
func imports(body []*statement, is func(imported) bool) bool {
	return slices.ContainsFunc(body, func(st *statement) bool {
		return st.kind == blockStatement && imports(st.body, is) || slices.ContainsFunc(st.imports, is)
	})
}

// earlyFastMCP matches the requirement of a version of FastMCP that does not parse
// docstrings.
var earlyFastMCP = regexp.MustCompile(`(?m)^[^#\n]*\bfastmcp\b[^\n]*(?:[=~]=\s*[0-2]\.|<=?\s*[0-2]\.|<\s*3\b)`)

// IsManifest reports whether a file with this path may say which packages the sources
// require.
func IsManifest(file string) bool {
	return slices.Contains([]string{"METADATA", "PKG-INFO", "pyproject.toml", "requirements.txt"}, path.Base(file))
}

// find returns the file of a module that is imported in m; nil if it is not
// among the files. Of several it takes the one nearest to m.
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
