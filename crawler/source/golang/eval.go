package golang

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/crawler/source/listing"
)

// Limits of one call of [Tools].
const (
	maxSteps = 8_000_000 // nodes and evaluations
	maxCalls = 8         // nested calls of functions
	maxDepth = 250       // nested evaluations
)

// A program is a set of packages, one per folder.
type program struct {
	files    []*file
	packages map[string]*pkg
	set      *token.FileSet
	steps    int
	limit    int
	calls    int
	depth    int
	results  map[call]bound // what calls of functions of the files return
}

// A call is a call in an env.
type call struct {
	x   *ast.CallExpr
	env *env
}

type pkg struct {
	dir     string
	name    string
	values  map[string]bound // constants and variables
	funcs   map[string]*ast.FuncDecl
	methods map[string]map[string]*ast.FuncDecl // by type and name
	schemas map[string]string                   // by type: the first method that returns a schema
	types   map[string]*ast.TypeSpec
	fileOf  map[ast.Node]*file
}

type file struct {
	pkg     *pkg
	syntax  *ast.File
	imports map[string]*pkg // packages of the files by their local names
	usesMCP bool            // imports a path that contains "mcp"
}

// An env contains the variables of a function.
type env struct {
	parent *env
	file   *file
	vars   map[string]bound
	again  map[string][]ast.Expr // variables that are assigned more than once
}

// bound is an expression and its env.
type bound struct {
	x   ast.Expr
	env *env
}

// exhausted reports whether no steps are left.
func (p *program) exhausted() bool {
	return p.steps > p.limit
}

// enter counts nested evaluations. It reports false if there are too many. Each call that returns
// true must be followed by leave.
func (p *program) enter() bool {
	p.steps++
	if p.depth >= maxDepth || p.exhausted() {
		return false
	}
	p.depth++
	return true
}

func (p *program) leave() { p.depth-- }

func load(files map[string]string, limit int) *program {
	p := &program{
		limit: limit, packages: map[string]*pkg{}, set: token.NewFileSet(), results: map[call]bound{},
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Ext(name) != ".go" {
			continue
		}
		mode := parser.SkipObjectResolution | parser.ParseComments
		syntax, _ := parser.ParseFile(p.set, name, files[name], mode)
		if syntax == nil {
			continue
		}
		dir := path.Dir(name)
		in := p.packages[dir]
		if in == nil {
			in = &pkg{
				dir: dir, name: syntax.Name.Name, values: map[string]bound{},
				funcs: map[string]*ast.FuncDecl{}, methods: map[string]map[string]*ast.FuncDecl{},
				types: map[string]*ast.TypeSpec{}, fileOf: map[ast.Node]*file{},
				schemas: map[string]string{},
			}
			p.packages[dir] = in
		}
		f := &file{pkg: in, syntax: syntax}
		for _, i := range syntax.Imports {
			f.usesMCP = f.usesMCP || strings.Contains(strings.ToLower(i.Path.Value), "mcp")
		}
		in.declare(f)
		in.embed(f, files)
		p.files = append(p.files, f)
	}
	folders := map[string]*pkg{}
	for _, f := range p.files {
		p.resolveImports(f, folders)
	}
	return p
}

// resolveImports fills the imports of a file. folders contains the packages of the paths that
// have been resolved.
func (p *program) resolveImports(f *file, folders map[string]*pkg) {
	f.imports = map[string]*pkg{}
	for _, i := range f.syntax.Imports {
		full, _ := strconv.Unquote(i.Path.Value)
		in, known := folders[full]
		if !known {
			in = p.folder(full)
			folders[full] = in
		}
		switch {
		case in == nil:
		case i.Name != nil:
			f.imports[i.Name.Name] = in
		default:
			f.imports[in.name] = in
		}
	}
}

func (in *pkg) declare(f *file) {
	for _, d := range f.syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			in.fileOf[d] = f
			if d.Recv == nil {
				in.funcs[d.Name.Name] = d
				continue
			}
			if len(d.Recv.List) == 1 {
				of := lastName(d.Recv.List[0].Type)
				if in.methods[of] == nil {
					in.methods[of] = map[string]*ast.FuncDecl{}
				}
				in.methods[of][d.Name.Name] = d
				if n := d.Name.Name; returnsSchema(d) && (in.schemas[of] == "" || n < in.schemas[of]) {
					in.schemas[of] = n
				}
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					in.types[spec.Name.Name] = spec
					in.fileOf[spec] = f
				case *ast.ValueSpec:
					for i, id := range spec.Names {
						if len(spec.Values) == len(spec.Names) {
							in.values[id.Name] = bound{spec.Values[i], &env{file: f}}
						}
					}
				}
			}
		}
	}
}

// embed sets the variables that embed the text of a file.
func (in *pkg) embed(f *file, files map[string]string) {
	for _, d := range f.syntax.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Doc == nil || len(g.Specs) != 1 {
			continue
		}
		spec, ok := g.Specs[0].(*ast.ValueSpec)
		for _, line := range g.Doc.List {
			name, found := strings.CutPrefix(line.Text, embedding)
			text, read := files[path.Join(in.dir, strings.TrimSpace(name))]
			if ok && found && read {
				l := &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(text)}
				in.values[spec.Names[0].Name] = bound{l, &env{file: f}}
			}
		}
	}
}

const embedding = "//go:embed "

func modulesIn(files map[string]string) map[string]string {
	modules := map[string]string{}
	for p, text := range files {
		if path.Base(p) != "go.mod" {
			continue
		}
		if m := moduleLine.FindStringSubmatch(text); m != nil {
			modules[m[1]] = path.Dir(p)
		}
	}
	return modules
}

// Imports returns a function that returns the listed files of the packages of some files and of those
// that they import, and the files that they embed, without those files themselves. Modules are those in
// files.
func Imports(files map[string]string, listed map[string]bool) func(of map[string]string) []string {
	modules, packages := modulesIn(files), map[string][]string{} // by folder
	for p := range listed {
		if path.Ext(p) == ".go" && !listing.IsAside("", p) {
			packages[path.Dir(p)] = append(packages[path.Dir(p)], p)
		}
	}
	return func(of map[string]string) []string { return importsIn(of, modules, packages, listed) }
}

func importsIn(
	of, modules map[string]string, packages map[string][]string, listed map[string]bool,
) (found []string) {
	folders := map[string]bool{} // of packages
	for p, text := range of {
		if path.Ext(p) != ".go" || listing.IsAside("", p) {
			continue
		}
		for line := range strings.Lines(text) {
			if name, ok := strings.CutPrefix(line, embedding); ok {
				found = append(found, path.Join(path.Dir(p), strings.TrimSpace(name)))
			}
		}
		folders[path.Dir(p)] = true
		syntax, _ := parser.ParseFile(token.NewFileSet(), p, text, parser.ImportsOnly)
		for _, i := range syntax.Imports {
			full, _ := strconv.Unquote(i.Path.Value)
			for module, dir := range modules {
				if rest, ok := strings.CutPrefix(full+"/", module+"/"); ok {
					folders[path.Join(dir, rest)] = true
				}
			}
		}
	}
	for dir := range folders {
		found = append(found, packages[dir]...)
	}
	return listing.Rank(found, of, listed)
}

var moduleLine = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`)

// imported returns the package of the files that x names in an env, nil if it names none.
func (p *program) imported(x ast.Expr, e *env) *pkg {
	id, ok := x.(*ast.Ident)
	if !ok {
		return nil
	}
	if _, isVariable := p.lookup(id.Name, e); isVariable {
		return nil
	}
	return e.file.imports[id.Name]
}

// folder returns the package whose folder is the end of an import path.
func (p *program) folder(full string) *pkg {
	var best *pkg
	for dir, in := range p.packages {
		if strings.HasSuffix("/"+full, "/"+dir) && (best == nil || len(dir) > len(best.dir)) {
			best = in
		}
	}
	return best
}

func (p *program) lookup(id string, e *env) (bound, bool) {
	for at := e; at != nil; at = at.parent {
		if b, ok := at.vars[id]; ok {
			return b, b.x != nil
		}
	}
	b, ok := e.file.pkg.values[id]
	return b, ok
}

// resolve follows variables, pointers, parentheses and calls of functions of the files to a
// literal or function.
func (p *program) resolve(b bound) bound {
	if !p.enter() {
		return bound{}
	}
	defer p.leave()
	for range 20 {
		p.steps++
		next, ok := bound{}, false
		switch x := b.x.(type) {
		case *ast.ParenExpr:
			next, ok = bound{x.X, b.env}, true
		case *ast.UnaryExpr:
			next, ok = bound{x.X, b.env}, x.Op == token.AND
		case *ast.Ident:
			next, ok = p.lookup(x.Name, b.env)
		case *ast.SelectorExpr:
			next, ok = p.selected(x, b.env)
		case *ast.CallExpr:
			next, ok = p.returned(x, b.env)
		}
		if !ok {
			return b
		}
		b = next
	}
	return bound{}
}

// selected resolves a name of another package or a field of a literal.
func (p *program) selected(x *ast.SelectorExpr, e *env) (bound, bool) {
	if in := p.imported(x.X, e); in != nil {
		b, ok := in.values[x.Sel.Name]
		return b, ok
	}
	v := p.resolve(bound{x.X, e})
	l, ok := v.x.(*ast.CompositeLit)
	if !ok {
		return bound{}, false
	}
	if value := fieldsOf(l)[x.Sel.Name]; value != nil {
		return bound{value, v.env}, true
	}
	st, _ := p.structOf(l.Type, v.env)
	if i := fieldIndex(st, x.Sel.Name); i >= 0 && i < len(l.Elts) {
		_, isKeyed := l.Elts[i].(*ast.KeyValueExpr)
		return bound{l.Elts[i], v.env}, !isKeyed
	}
	return bound{}, false
}

// fieldIndex returns the position of a field in a struct, -1 if it has no such field.
func fieldIndex(st *ast.StructType, name string) int {
	if st == nil {
		return -1
	}
	i := 0
	for _, field := range st.Fields.List {
		for _, id := range field.Names {
			if id.Name == name {
				return i
			}
			i++
		}
	}
	return -1
}

// structOf returns the struct type that a type expression names.
func (p *program) structOf(of ast.Expr, e *env) (*ast.StructType, *env) {
	for range 10 {
		switch x := of.(type) {
		case *ast.StructType:
			return x, e
		case *ast.StarExpr:
			of = x.X
		case *ast.IndexExpr:
			of = x.X
		default:
			if of, e = p.typeOf(x, e); of == nil {
				return nil, nil
			}
		}
	}
	return nil, nil
}

// typeOf returns the type with a name, nil if the files do not declare it.
func (p *program) typeOf(x ast.Expr, e *env) (ast.Expr, *env) {
	in, id := e.file.pkg, ""
	switch x := x.(type) {
	case *ast.Ident:
		id = x.Name
		for at := e; at != nil; at = at.parent {
			if b, ok := at.vars["type "+id]; ok {
				return b.x, b.env
			}
		}
	case *ast.SelectorExpr:
		in, id = p.imported(x.X, e), x.Sel.Name
	}
	if in == nil || in.types[id] == nil {
		return nil, nil
	}
	return in.types[id].Type, &env{file: in.fileOf[in.types[id]]}
}

// declaration returns the function of the files that is called.
func (p *program) declaration(fn ast.Expr, e *env) (*ast.FuncDecl, *file) {
	in := e.file.pkg
	var d *ast.FuncDecl
	switch fn := fn.(type) {
	case *ast.Ident:
		d = in.funcs[fn.Name]
	case *ast.IndexExpr:
		return p.declaration(fn.X, e)
	case *ast.IndexListExpr:
		return p.declaration(fn.X, e)
	case *ast.SelectorExpr:
		if other := p.imported(fn.X, e); other != nil {
			in = other
			d = in.funcs[fn.Sel.Name]
		} else {
			d, in = p.method(fn, e)
		}
	}
	return d, in.fileOf[d]
}

// method returns a method and its package: of the receiver's type if that is a literal, otherwise
// the only method with this name in the package.
func (p *program) method(x *ast.SelectorExpr, e *env) (*ast.FuncDecl, *pkg) {
	v := p.resolve(bound{x.X, e})
	if l, ok := v.x.(*ast.CompositeLit); ok {
		if _, of := p.typeOf(l.Type, v.env); of != nil {
			return of.file.pkg.methods[lastName(l.Type)][x.Sel.Name], of.file.pkg
		}
	}
	var only *ast.FuncDecl
	for _, methods := range e.file.pkg.methods {
		if d := methods[x.Sel.Name]; d != nil {
			if only != nil {
				return nil, e.file.pkg
			}
			only = d
		}
	}
	return only, e.file.pkg
}

// returned resolves a call to the value of the function's last return statement.
func (p *program) returned(c *ast.CallExpr, e *env) (bound, bool) {
	if len(c.Args) == 1 && isPointerHelper(lastName(c.Fun)) {
		return bound{c.Args[0], e}, true
	}
	if b, known := p.results[call{c, e}]; known {
		return b, true
	}
	d, f := p.declaration(c.Fun, e)
	if d == nil || d.Body == nil || p.calls >= maxCalls || p.exhausted() {
		return bound{}, false
	}
	p.calls++
	defer func() { p.calls-- }()
	inner := p.bodyEnv(d, f, c.Args, e)
	bindTypes(d, c.Fun, inner, e)
	if s, ok := c.Fun.(*ast.SelectorExpr); ok && d.Recv != nil && len(d.Recv.List[0].Names) == 1 {
		inner.vars[d.Recv.List[0].Names[0].Name] = bound{s.X, e}
	}
	for _, st := range slices.Backward(d.Body.List) {
		if r, ok := st.(*ast.ReturnStmt); ok && len(r.Results) >= 1 {
			p.results[call{c, e}] = bound{r.Results[0], inner}
			return bound{r.Results[0], inner}, true
		}
	}
	return bound{}, false
}

// bindTypes binds the type parameters of a function to the types that a call states.
func bindTypes(d *ast.FuncDecl, fn ast.Expr, inner, from *env) {
	var types []ast.Expr
	switch fn := fn.(type) {
	case *ast.IndexExpr:
		types = []ast.Expr{fn.Index}
	case *ast.IndexListExpr:
		types = fn.Indices
	}
	if d.Type.TypeParams == nil {
		return
	}
	for _, field := range d.Type.TypeParams.List {
		for _, id := range field.Names {
			if len(types) > 0 {
				inner.vars["type "+id.Name] = bound{types[0], from}
				types = types[1:]
			}
		}
	}
}

// isPointerHelper reports whether a function returns its argument, or a pointer
// to it.
func isPointerHelper(id string) bool {
	switch strings.ToLower(id) {
	case "ptr", "to", "pointer", "toboolptr", "boolptr", "strptr", "stringptr", "ptrto", "toptr",
		"of", "p", "string", "rawmessage", "trimspace", "bool", "new":
		return true
	}
	return false
}

// bodyEnv returns the variables of a function, with the arguments of a call.
func (p *program) bodyEnv(d *ast.FuncDecl, f *file, args []ast.Expr, from *env) *env {
	e := &env{file: f, vars: map[string]bound{}}
	i := 0
	for _, field := range d.Type.Params.List {
		for _, id := range field.Names {
			e.vars[id.Name] = bound{}
			if i < len(args) {
				e.vars[id.Name] = bound{args[i], from}
			}
			i++
		}
	}
	p.assignments(d.Body, e)
	return e
}

// assignments binds the variables that a body assigns, each to its first value.
func (p *program) assignments(body ast.Node, e *env) {
	assign := func(id string, x ast.Expr) {
		if _, known := e.vars[id]; !known {
			e.vars[id] = bound{x, e}
			return
		}
		if e.again == nil {
			e.again = map[string][]ast.Expr{}
		}
		e.again[id] = append(e.again[id], x)
	}
	ast.Inspect(body, func(n ast.Node) bool {
		p.steps++
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				id, ok := left.(*ast.Ident)
				switch {
				case ok && len(n.Lhs) == len(n.Rhs):
					assign(id.Name, n.Rhs[i])
				case ok && (i == 0 || isLookup(n.Rhs[0])):
					assign(id.Name, n.Rhs[0])
				}
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if len(n.Values) == len(n.Names) {
					assign(id.Name, n.Values[i])
				}
			}
		case *ast.TypeSpec:
			e.vars["type "+n.Name.Name] = bound{n.Type, e}
		}
		return true
	})
}

// isLookup reports whether an expression returns the value of a variable and whether it is set.
func isLookup(x ast.Expr) bool {
	c, ok := x.(*ast.CallExpr)
	return ok && lastName(c.Fun) == "LookupEnv"
}

// element is an element of a list or map; the key may be nil.
type element struct {
	bound
	key ast.Expr
}

// elements returns the elements of a slice or map literal.
func (p *program) elements(x ast.Expr, e *env) ([]element, bool) {
	v := p.resolve(bound{x, e})
	l, ok := v.x.(*ast.CompositeLit)
	if !ok {
		return nil, false
	}
	var out []element
	for _, item := range l.Elts {
		var key ast.Expr
		if kv, ok := item.(*ast.KeyValueExpr); ok {
			key, item = kv.Key, kv.Value
		}
		out = append(out, element{bound{typed(item, l.Type), v.env}, key})
	}
	return out, true
}

// typed returns a literal with the element type of the enclosing list or map if it has no
// type.
func typed(x, around ast.Expr) ast.Expr {
	l, ok := x.(*ast.CompositeLit)
	if !ok || l.Type != nil {
		return x
	}
	switch of := around.(type) {
	case *ast.ArrayType:
		return &ast.CompositeLit{Type: of.Elt, Elts: l.Elts}
	case *ast.MapType:
		return &ast.CompositeLit{Type: of.Value, Elts: l.Elts}
	}
	return x
}

// text evaluates a constant string.
func (p *program) text(x ast.Expr, e *env) (string, bool) {
	v, _ := p.constant(bound{x, e})
	s, ok := v.(string)
	return s, ok
}

// boolean evaluates a constant Boolean.
func (p *program) boolean(x ast.Expr, e *env) (value, ok bool) {
	v, _ := p.constant(bound{x, e})
	value, ok = v.(bool)
	return value, ok
}

// constant evaluates a constant expression to a string, int64, float64 or bool.
func (p *program) constant(b bound) (any, bool) {
	if !p.enter() {
		return nil, false
	}
	defer p.leave()
	b = p.resolve(b)
	switch x := b.x.(type) {
	case *ast.BasicLit:
		return literal(x)
	case *ast.Ident:
		if x.Name == "true" || x.Name == "false" {
			return x.Name == "true", true
		}
	case *ast.BinaryExpr:
		left, ok1 := p.text(x.X, b.env)
		right, ok2 := p.text(x.Y, b.env)
		if ok1 && ok2 && x.Op == token.ADD {
			return left + right, true
		}
	case *ast.CallExpr:
		return p.computed(x, b.env)
	}
	return nil, false
}

func literal(x *ast.BasicLit) (any, bool) {
	switch x.Kind {
	case token.STRING:
		if s, err := strconv.Unquote(x.Value); err == nil {
			return s, true
		}
	case token.INT:
		i, err := strconv.ParseInt(x.Value, 0, 64)
		return i, err == nil
	case token.FLOAT:
		f, err := strconv.ParseFloat(x.Value, 64)
		return f, err == nil
	}
	return nil, false
}

// computed evaluates Sprintf, Join, and translation helpers, whose arguments are a key and the
// default text.
func (p *program) computed(c *ast.CallExpr, e *env) (any, bool) {
	id := lastName(c.Fun)
	if id == "Join" && len(c.Args) == 2 {
		return p.join(c, e)
	}
	var args []any
	for _, x := range c.Args {
		v, ok := p.constant(bound{x, e})
		if !ok {
			return nil, false
		}
		args = append(args, v)
	}
	if len(args) == 0 {
		return nil, false
	}
	first, ok := args[0].(string)
	switch {
	case ok && id == "Sprintf":
		if text := fmt.Sprintf(first, args[1:]...); !strings.Contains(text, "%!") {
			return text, true
		}
	case ok && len(args) == 2 && isKey(first):
		return args[1], true
	}
	return nil, false
}

func (p *program) join(c *ast.CallExpr, e *env) (any, bool) {
	list, ok := p.elements(c.Args[0], e)
	separator, isText := p.text(c.Args[1], e)
	if !ok || !isText {
		return nil, false
	}
	var parts []string
	for _, item := range list {
		s, ok := p.text(item.x, item.env)
		if !ok {
			return nil, false
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, separator), true
}

// isKey reports whether s looks like the key of a text: only capitals.
func isKey(s string) bool {
	return strings.ToUpper(s) == s && strings.ToLower(s) != s && !strings.Contains(s, " ")
}
