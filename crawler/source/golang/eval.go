package golang

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const (
	maxSteps = 6_000_000 // nodes and evaluations of one call of Tools
	maxCalls = 8         // nested calls of functions
)

// A program is a set of packages, one a folder.
type program struct {
	files    []*file
	packages map[string]*pkg
	ctx      context.Context
	steps    int
	calls    int
	depth    int
	// nextCheck is the number of steps after which the context is asked.
	nextCheck int
}

const maxDepth = 250 // of nested evaluations

// enter counts nested evaluations; false if there are too many. Each call that
// returns true needs one of leave.
func (p *program) enter() bool {
	if p.depth >= maxDepth || p.exhausted() {
		return false
	}
	p.depth++
	return true
}

func (p *program) leave() { p.depth-- }

type pkg struct {
	dir     string
	values  map[string]bound // constants and variables
	funcs   map[string]*ast.FuncDecl
	methods map[string]map[string]*ast.FuncDecl // by type and name
	types   map[string]*ast.TypeSpec
	fileOf  map[ast.Node]*file
}

type file struct {
	pkg     *pkg
	syntax  *ast.File
	imports map[string]string // paths by local names
	usesMCP bool              // imports a path that has "mcp" in it
}

// An env has the variables of a function.
type env struct {
	parent *env
	file   *file
	vars   map[string]bound
	added  map[string][]bound // elements that are appended to a variable
	// changed are the entries that are set in a map or schema in a variable, and
	// the calls that get it and may do so.
	changed map[string][]change
}

// A change sets an entry of a variable's map, copies the map in value to it, or
// calls a function with it as its argument.
type change struct {
	key, value ast.Expr
	call       *ast.CallExpr
	argument   int
}

func (e *env) change(id string, c change) {
	if e.changed == nil {
		e.changed = map[string][]change{}
	}
	e.changed[id] = append(e.changed[id], c)
}

// bound is an expression in its env, or a value.
type bound struct {
	x     ast.Expr
	env   *env
	value any // string, int64, float64 or bool
}

func (p *program) exhausted() bool {
	if p.steps >= p.nextCheck {
		p.nextCheck = p.steps + 1000
		if p.ctx.Err() != nil {
			p.steps = maxSteps + 1
		}
	}
	return p.steps > maxSteps
}

func load(ctx context.Context, files map[string]string) *program {
	p := &program{ctx: ctx, packages: map[string]*pkg{}}
	set := token.NewFileSet()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if ctx.Err() != nil {
			break
		}
		syntax, _ := parser.ParseFile(set, name, files[name], parser.SkipObjectResolution)
		if syntax == nil {
			continue
		}
		dir := packageOf(name)
		in := p.packages[dir]
		if in == nil {
			in = &pkg{
				dir,
				map[string]bound{},
				map[string]*ast.FuncDecl{},
				map[string]map[string]*ast.FuncDecl{},
				map[string]*ast.TypeSpec{},
				map[ast.Node]*file{},
			}
			p.packages[dir] = in
		}
		f := &file{pkg: in, syntax: syntax, imports: map[string]string{}}
		f.readImports()
		in.declare(f)
		p.files = append(p.files, f)
	}
	return p
}

func (f *file) readImports() {
	for _, i := range f.syntax.Imports {
		full, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			continue
		}
		id := full[strings.LastIndexByte(full, '/')+1:]
		if i.Name != nil {
			id = i.Name.Name
		}
		f.imports[id] = full
		f.usesMCP = f.usesMCP || strings.Contains(strings.ToLower(full), "mcp")
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
				of := typeName(d.Recv.List[0].Type)
				if in.methods[of] == nil {
					in.methods[of] = map[string]*ast.FuncDecl{}
				}
				in.methods[of][d.Name.Name] = d
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
							in.values[id.Name] = bound{x: spec.Values[i], env: &env{file: f}}
						}
					}
				}
			}
		}
	}
}

// imported returns the package of the files that a local name of f stands for.
func (p *program) imported(f *file, id string) *pkg {
	full, ok := f.imports[id]
	if !ok {
		for local, other := range f.imports { // versions and dashes in paths
			if strings.Contains(other, "/"+id) && p.folder(other) != nil && local != id {
				full = other
			}
		}
	}
	return p.folder(full)
}

func (p *program) folder(full string) *pkg {
	var best *pkg
	for dir, in := range p.packages {
		if dir != "" && strings.HasSuffix("/"+full, "/"+dir) && (best == nil || len(dir) > len(best.dir)) {
			best = in
		}
	}
	return best
}

// lookup returns what an identifier stands for.
func (p *program) lookup(id string, e *env) (bound, bool) {
	for at := e; at != nil; at = at.parent {
		if b, ok := at.vars[id]; ok {
			return b, b.x != nil || b.value != nil
		}
	}
	b, ok := e.file.pkg.values[id]
	return b, ok
}

// resolve follows variables, pointers, parentheses and calls of functions of
// the files to a literal or function.
func (p *program) resolve(b bound) bound {
	if !p.enter() {
		return bound{}
	}
	defer p.leave()
	for range 20 {
		if b.value != nil || b.x == nil {
			return b
		}
		p.steps++
		switch x := b.x.(type) {
		case *ast.ParenExpr:
			b.x = x.X
			continue
		case *ast.UnaryExpr:
			if x.Op == token.AND {
				b.x = x.X
				continue
			}
		case *ast.StarExpr:
			b.x = x.X
			continue
		case *ast.Ident:
			if next, ok := p.lookup(x.Name, b.env); ok {
				b = next
				continue
			}
		case *ast.SelectorExpr:
			if next, ok := p.selected(x, b.env); ok {
				b = next
				continue
			}
		case *ast.CallExpr:
			if next, ok := p.returned(x, b.env); ok {
				b = next
				continue
			}
		}
		return b
	}
	return bound{}
}

// selected resolves a name of another package or a field of a literal.
func (p *program) selected(x *ast.SelectorExpr, e *env) (bound, bool) {
	if id, ok := x.X.(*ast.Ident); ok {
		if _, isVariable := p.lookup(id.Name, e); !isVariable {
			if in := p.imported(e.file, id.Name); in != nil {
				b, ok := in.values[x.Sel.Name]
				return b, ok
			}
		}
	}
	v := p.resolve(bound{x: x.X, env: e})
	l, ok := v.x.(*ast.CompositeLit)
	if !ok {
		return bound{}, false
	}
	for i, element := range l.Elts {
		if kv, ok := element.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == x.Sel.Name {
				return bound{x: kv.Value, env: v.env}, true
			}
		} else if p.fieldName(l.Type, i, v.env) == x.Sel.Name {
			return bound{x: element, env: v.env}, true
		}
	}
	return bound{}, false
}

// fieldName returns the name of the i-th field of a struct type.
func (p *program) fieldName(of ast.Expr, i int, e *env) string {
	st, _ := p.structOf(of, e)
	if st == nil {
		return ""
	}
	for _, field := range st.Fields.List {
		for _, id := range field.Names {
			if i == 0 {
				return id.Name
			}
			i--
		}
	}
	return ""
}

// structOf returns the struct type that a type expression names.
func (p *program) structOf(of ast.Expr, e *env) (*ast.StructType, *env) {
	for range 10 {
		switch x := of.(type) {
		case *ast.StructType:
			return x, e
		case *ast.StarExpr:
			of = x.X
			continue
		case *ast.IndexExpr:
			of = x.X
			continue
		case *ast.Ident, *ast.SelectorExpr:
			spec, f := p.typeSpec(of, e)
			if spec == nil {
				return nil, nil
			}
			of, e = spec.Type, &env{file: f}
			continue
		}
		break
	}
	return nil, nil
}

func (p *program) typeSpec(of ast.Expr, e *env) (*ast.TypeSpec, *file) {
	in, id := e.file.pkg, ""
	switch x := of.(type) {
	case *ast.Ident:
		id = x.Name
		for at := e; at != nil; at = at.parent {
			if b, ok := at.vars["type "+id]; ok {
				return &ast.TypeSpec{Type: b.x}, e.file
			}
		}
	case *ast.SelectorExpr:
		if pkgName, ok := x.X.(*ast.Ident); ok {
			in, id = p.imported(e.file, pkgName.Name), x.Sel.Name
		}
	}
	if in == nil || in.types[id] == nil {
		return nil, nil
	}
	return in.types[id], in.fileOf[in.types[id]]
}

// declaration returns the function of the files that is called.
func (p *program) declaration(fn ast.Expr, e *env) (*ast.FuncDecl, *file) {
	switch fn := fn.(type) {
	case *ast.Ident:
		d := e.file.pkg.funcs[fn.Name]
		return d, e.file.pkg.fileOf[d]
	case *ast.IndexExpr:
		return p.declaration(fn.X, e)
	case *ast.IndexListExpr:
		return p.declaration(fn.X, e)
	case *ast.SelectorExpr:
		if id, ok := fn.X.(*ast.Ident); ok {
			if _, isVariable := p.lookup(id.Name, e); !isVariable {
				if in := p.imported(e.file, id.Name); in != nil {
					d := in.funcs[fn.Sel.Name]
					return d, in.fileOf[d]
				}
			}
		}
		return p.methodNamed(fn.Sel.Name, fn.X, e)
	}
	return nil, nil
}

// methodNamed returns a method: of the type of the receiver if that is a
// literal, else the only method of this name in the package.
func (p *program) methodNamed(id string, receiver ast.Expr, e *env) (*ast.FuncDecl, *file) {
	in := e.file.pkg
	v := p.resolve(bound{x: receiver, env: e})
	if l, ok := v.x.(*ast.CompositeLit); ok {
		if _, f := p.typeSpec(l.Type, v.env); f != nil {
			d := f.pkg.methods[typeName(l.Type)][id]
			return d, f.pkg.fileOf[d]
		}
	}
	var only *ast.FuncDecl
	for _, methods := range in.methods {
		if d := methods[id]; d != nil {
			if only != nil {
				return nil, nil
			}
			only = d
		}
	}
	return only, in.fileOf[only]
}

// returned resolves a call to what the function returns.
func (p *program) returned(c *ast.CallExpr, e *env) (bound, bool) {
	id := calledName(c.Fun)
	if len(c.Args) == 1 && isPointerHelper(id) {
		return bound{x: c.Args[0], env: e}, true
	}
	d, f := p.declaration(c.Fun, e)
	if d == nil || d.Body == nil || p.calls >= maxCalls || p.exhausted() {
		return bound{}, false
	}
	p.calls++
	defer func() { p.calls-- }()
	inner := p.bodyEnv(d, f, c.Args, e)
	if s, ok := c.Fun.(*ast.SelectorExpr); ok && d.Recv != nil && len(d.Recv.List[0].Names) == 1 {
		inner.vars[d.Recv.List[0].Names[0].Name] = bound{x: s.X, env: e}
	}
	for _, st := range slices.Backward(d.Body.List) {
		if r, ok := st.(*ast.ReturnStmt); ok && len(r.Results) >= 1 {
			return bound{x: r.Results[0], env: inner}, true
		}
	}
	return bound{}, false
}

// isPointerHelper reports whether a function returns a pointer to its argument.
func isPointerHelper(id string) bool {
	switch strings.ToLower(id) {
	case "ptr", "to", "pointer", "toboolptr", "boolptr", "strptr", "stringptr", "ptrto", "toptr", "of", "p",
		"string", "rawmessage", "trimspace", "bool", "new":
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
				e.vars[id.Name] = bound{x: args[i], env: from}
			}
			i++
		}
	}
	p.assignments(d.Body, e)
	return e
}

// assignments binds the variables that a body assigns, each to its first value.
func (p *program) assignments(body ast.Node, e *env) {
	ast.Inspect(body, func(n ast.Node) bool {
		p.steps++
		switch n := n.(type) {
		case *ast.ExprStmt:
			e.changedBy(n.X)
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if at, ok := left.(*ast.IndexExpr); ok && len(n.Lhs) == len(n.Rhs) {
					if id := rootName(at.X); id != "" {
						e.change(id, change{key: at.Index, value: n.Rhs[i]})
					}
				}
				if id, ok := left.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) {
					e.assign(id.Name, n.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if len(n.Values) == len(n.Names) {
					e.assign(id.Name, n.Values[i])
				}
			}
		case *ast.TypeSpec:
			e.vars["type "+n.Name.Name] = bound{x: n.Type, env: e}
		}
		return true
	})
}

// rootName returns x of x, x.Properties and x.InputSchema.Properties.
func rootName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		if x.Sel.Name == "Properties" || strings.HasSuffix(x.Sel.Name, "Schema") {
			return rootName(x.X)
		}
	}
	return ""
}

// changedBy notes the variables that a call gets as arguments.
func (e *env) changedBy(x ast.Expr) {
	c, ok := x.(*ast.CallExpr)
	if !ok {
		return
	}
	if calledName(c.Fun) == "Copy" && len(c.Args) == 2 {
		if id := rootName(c.Args[0]); id != "" {
			e.change(id, change{value: c.Args[1]})
		}
		return
	}
	for i, arg := range c.Args {
		if id, ok := arg.(*ast.Ident); ok {
			e.change(id.Name, change{call: c, argument: i})
		}
	}
}

func (e *env) assign(id string, x ast.Expr) {
	if c, ok := x.(*ast.CallExpr); ok && len(c.Args) > 1 && calledName(c.Fun) == "append" {
		if first, ok := c.Args[0].(*ast.Ident); ok && first.Name == id {
			if e.added == nil {
				e.added = map[string][]bound{}
			}
			for _, item := range c.Args[1:] {
				e.added[id] = append(e.added[id], bound{x: item, env: e})
			}
			return
		}
	}
	if _, known := e.vars[id]; !known {
		e.vars[id] = bound{x: x, env: e}
	}
}

// element is an element of a list or map.
type element struct {
	key   *bound
	value bound
}

// elements returns the elements of a slice or map literal, with those that are
// appended to its variable.
func (p *program) elements(x ast.Expr, e *env) ([]element, bool) {
	var out []element
	if id, ok := x.(*ast.Ident); ok {
		for at := e; at != nil; at = at.parent {
			for _, item := range at.added[id.Name] {
				out = append(out, element{value: item})
			}
		}
	}
	v := p.resolve(bound{x: x, env: e})
	l, ok := v.x.(*ast.CompositeLit)
	if !ok {
		return out, len(out) > 0
	}
	var list []element
	for _, item := range l.Elts {
		var one element
		if kv, ok := item.(*ast.KeyValueExpr); ok {
			one.key = &bound{x: kv.Key, env: v.env}
			item = kv.Value
		}
		if inner, ok := item.(*ast.CompositeLit); ok && inner.Type == nil {
			item = &ast.CompositeLit{Type: elementType(l.Type), Elts: inner.Elts}
		}
		one.value = bound{x: item, env: v.env}
		list = append(list, one)
	}
	return append(list, out...), true
}

func elementType(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.ArrayType:
		return x.Elt
	case *ast.MapType:
		return x.Value
	}
	return nil
}

// text evaluates a constant string.
func (p *program) text(x ast.Expr, e *env) (string, bool) {
	if x == nil {
		return "", false
	}
	v, ok := p.constant(bound{x: x, env: e})
	s, isText := v.(string)
	return s, ok && isText
}

func (p *program) boolean(x ast.Expr, e *env) (value, ok bool) {
	v, ok := p.constant(bound{x: x, env: e})
	b, isBool := v.(bool)
	return b, ok && isBool
}

// constant evaluates a constant expression.
func (p *program) constant(b bound) (any, bool) {
	if p.steps++; !p.enter() {
		return nil, false
	}
	defer p.leave()
	b = p.resolve(b)
	switch x := b.x.(type) {
	case nil:
		return b.value, b.value != nil
	case *ast.BasicLit:
		return literal(x)
	case *ast.Ident:
		if x.Name == "true" || x.Name == "false" {
			return x.Name == "true", true
		}
	case *ast.BinaryExpr:
		left, ok := p.constant(bound{x: x.X, env: b.env})
		if !ok || x.Op != token.ADD {
			return nil, false
		}
		right, ok := p.constant(bound{x: x.Y, env: b.env})
		l, isL := left.(string)
		r, isR := right.(string)
		return l + r, ok && isL && isR
	case *ast.UnaryExpr:
		v, ok := p.constant(bound{x: x.X, env: b.env})
		if i, isInt := v.(int64); ok && isInt && x.Op == token.SUB {
			return -i, true
		}
	case *ast.CallExpr:
		return p.computed(x, b.env)
	}
	return nil, false
}

func literal(x *ast.BasicLit) (any, bool) {
	switch x.Kind {
	case token.STRING:
		s, err := strconv.Unquote(x.Value)
		return s, err == nil
	case token.INT:
		i, err := strconv.ParseInt(x.Value, 0, 64)
		return i, err == nil
	case token.FLOAT:
		f, err := strconv.ParseFloat(x.Value, 64)
		return f, err == nil
	}
	return nil, false
}

// computed evaluates calls of functions on strings, and of helpers that take a
// key and the default text of a translation.
func (p *program) computed(c *ast.CallExpr, e *env) (any, bool) {
	id := calledName(c.Fun)
	var args []any
	for _, x := range c.Args {
		if l, ok := p.resolve(bound{x: x, env: e}).x.(*ast.CompositeLit); ok && id == "Join" && len(args) == 0 {
			var parts []string
			for _, item := range l.Elts {
				s, ok := p.text(item, e)
				if !ok {
					return nil, false
				}
				parts = append(parts, s)
			}
			separator, ok := p.text(c.Args[len(c.Args)-1], e)
			return strings.Join(parts, separator), ok
		}
		v, ok := p.constant(bound{x: x, env: e})
		if !ok {
			return nil, false
		}
		args = append(args, v)
	}
	first, _ := one(args, 0).(string)
	second, isText := one(args, 1).(string)
	switch {
	case id == "Sprintf" && len(args) > 0:
		text := fmt.Sprintf(first, args[1:]...)
		return text, !strings.Contains(text, "%!")
	case id == "ToLower":
		return strings.ToLower(first), true
	case id == "ToUpper":
		return strings.ToUpper(first), true
	case id == "ReplaceAll" && len(args) == 3:
		third, _ := args[2].(string)
		return strings.ReplaceAll(first, second, third), len(first)*(len(third)+1) < 1<<20
	case len(args) == 2 && isText && isKey(first):
		return second, true
	}
	return nil, false
}

func one(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// isKey reports whether s looks like the key of a text: capitals only.
func isKey(s string) bool {
	return s != "" && strings.ToUpper(s) == s && strings.ToLower(s) != s && !strings.Contains(s, " ")
}
