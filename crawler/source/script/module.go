package script

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// module is a file of the evaluation.
type module struct {
	path    string
	ast     *js.AST
	scope   *scope
	imports map[string]binding // by local name
	exports map[string]binding // by exported name
	stars   []string           // modules whose exports are re-exported
	// common is module.exports of CommonJS modules.
	common  value
	json    value // the value of a JSON file
	started bool
}

// binding is a name of a module, of the current one if from is "".
type binding struct {
	from string
	name string // "*" for all exports
	v    *js.Var
	expr value // of export default expressions
}

// load returns the module with this path, parsed but not evaluated, or nil.
func (in *interpreter) load(name string) *module {
	if m, ok := in.modules[name]; ok {
		return m
	}
	m := &module{path: name, scope: newScope(nil), imports: map[string]binding{}, exports: map[string]binding{}}
	m.common = newObject()
	in.modules[name] = m
	text, ok := in.files[name]
	if !ok {
		return m
	}
	if strings.HasSuffix(name, ".json") {
		m.json = decodeJSON(text)
		return m
	}
	in.steps += len(text) / 64
	m.ast = in.syntax.read(name, text, in.spend)
	if m.ast == nil {
		return m
	}
	for _, s := range m.ast.List {
		m.declareBindings(s)
	}
	return m
}

func (m *module) declareBindings(s js.IStmt) {
	switch s := s.(type) {
	case *js.ImportStmt:
		from := unquote(s.Module)
		if len(s.Default) > 0 {
			m.imports[string(s.Default)] = binding{from: from, name: "default"}
		}
		for _, a := range s.List {
			if a.Binding == nil {
				continue
			}
			name := a.Name
			if name == nil {
				name = a.Binding
			}
			m.imports[string(a.Binding)] = binding{from: from, name: exportName(name)}
		}
	case *js.ExportStmt:
		if s.Module == nil {
			return // bound when it is executed
		}
		from := unquote(s.Module)
		for _, a := range s.List {
			switch {
			case a.Binding == nil:
			case a.Name == nil && string(a.Binding) == "*":
				m.stars = append(m.stars, from)
			case a.Name == nil:
				m.exports[exportName(a.Binding)] = binding{from: from, name: exportName(a.Binding)}
			default:
				m.exports[exportName(a.Binding)] = binding{from: from, name: exportName(a.Name)}
			}
		}
	}
}

func exportName(b []byte) string {
	if len(b) > 0 && (b[0] == '"' || b[0] == '\'') {
		return unquote(b)
	}
	return string(b)
}

// imported returns the evaluated module of a specifier in a module, or nil if it is not among the
// files.
func (in *interpreter) imported(from *module, specifier string) *module {
	if !in.spend(stepsOfImport) {
		return nil
	}
	name := in.resolve(from.path, specifier)
	if name == "" {
		return nil
	}
	m := in.load(name)
	in.run(m)
	return m
}

// run evaluates a module once.
func (in *interpreter) run(m *module) {
	if m.started || m.ast == nil {
		return
	}
	m.started = true
	for _, s := range m.ast.List {
		switch s := s.(type) {
		case *js.ImportStmt:
			in.imported(m, unquote(s.Module))
		case *js.ExportStmt:
			if s.Module != nil {
				in.imported(m, unquote(s.Module))
			}
		}
	}
	f := &frame{module: m, scope: m.scope, this: undefined}
	in.hoist(f, m.ast.List)
	in.block(f, m.ast.List)
}

const (
	maxReexports = 16
	// stepsOfImport are the steps that it takes to find the file of an import.
	stepsOfImport = 20
)

// export returns the value that a module exports under a name.
func (in *interpreter) export(m *module, name string, depth int) (value, bool) {
	if depth > maxReexports || !in.step() {
		return nil, false
	}
	if m.json != nil {
		if name == "default" {
			return m.json, true
		}
		o, ok := m.json.(*object)
		if !ok {
			return nil, false
		}
		v, ok := o.props[name]
		return v.value, ok
	}
	if b, ok := m.exports[name]; ok {
		return in.resolveBinding(m, b, depth)
	}
	for _, from := range m.stars {
		if t := in.imported(m, from); t != nil && name != "default" {
			if v, ok := in.export(t, name, depth+1); ok {
				return v, true
			}
		}
	}
	if len(m.exports) == 0 {
		if name == "default" {
			return m.common, true
		}
		if o, ok := m.common.(*object); ok {
			if _, ok := o.find(name); ok {
				return in.member(o, name), true
			}
		}
	}
	return nil, false
}

func (in *interpreter) resolveBinding(m *module, b binding, depth int) (value, bool) {
	switch {
	case b.expr != nil:
		return b.expr, true
	case b.from != "":
		t := in.imported(m, b.from)
		if t == nil {
			return &external{module: b.from, path: strings.TrimPrefix(b.name, "*")}, true
		}
		if b.name == "*" {
			return &namespace{t}, true
		}
		return in.export(t, b.name, depth+1)
	}
	if v, ok := m.scope.lookup(b.v); ok {
		return v, true
	}
	if i, ok := m.imports[b.name]; ok {
		return in.resolveBinding(m, i, depth+1)
	}
	return nil, false
}

// exportNames returns the names of the exports of a module in order.
func (in *interpreter) exportNames(m *module, depth int) []string {
	out := slices.Sorted(maps.Keys(m.exports))
	if in.spend(len(out)) && depth < maxReexports {
		for _, from := range m.stars {
			if t := in.imported(m, from); t != nil {
				out = append(out, in.exportNames(t, depth+1)...)
			}
		}
	}
	if o, ok := m.common.(*object); ok && len(m.exports) == 0 {
		out = append(out, o.keys...)
	}
	if o, ok := m.json.(*object); ok {
		out = append(out, o.keys...)
	}
	return out
}

// extensions are tried in this order for a path without an extension.
var extensions = []string{".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".jsx", ".json"}

// sourceOf are the extensions of sources by the extension of the compiled file.
var sourceOf = map[string][]string{
	".js": {".ts", ".tsx", ".jsx"}, ".mjs": {".mts"}, ".cjs": {".cts"}, ".jsx": {".tsx"},
}

// resolve returns the path of a specifier's file, or "".
func (in *interpreter) resolve(from, specifier string) string {
	if address := filePath(specifier); address != specifier {
		return in.file(strings.TrimPrefix(path.Clean(address), "/"))
	}
	return in.aliases.path(from, specifier, in.file)
}

// file returns the path of the file for a path without an extension, of a folder or of a compiled
// file, or "".
func (in *interpreter) file(p string) string {
	return findFile(p, in.has)
}

func (in *interpreter) has(p string) bool {
	_, ok := in.files[p]
	return ok
}

func findFile(p string, has func(string) bool) string {
	if has(p) && p != "" {
		return p
	}
	ext := path.Ext(p)
	for _, e := range sourceOf[ext] {
		if q := strings.TrimSuffix(p, ext) + e; has(q) {
			return q
		}
	}
	for _, e := range extensions {
		if has(p + e) {
			return p + e
		}
	}
	for _, e := range extensions {
		if q := path.Join(p, "index"+e); has(q) {
			return q
		}
	}
	return ""
}
