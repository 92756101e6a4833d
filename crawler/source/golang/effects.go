package golang

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/crawler/source/listing"
	"mcpcensus/internal/registry"
)

// effects finds the effects of functions, which are declarations and literals.
type effects struct {
	*program
	listing.Code[ast.Node]
	envs    map[ast.Node]*env
	methods map[string][]method // of all types, by name
	all     int                 // the limit of steps of the whole reading
}

type method struct {
	decl *ast.FuncDecl
	file *file
}

func newEffects(p *program) *effects {
	e := &effects{program: p, all: p.limit, envs: map[ast.Node]*env{}, methods: map[string][]method{}}
	e.Code = listing.Code[ast.Node]{Language: listing.Go, Body: e.body, Exhausted: e.exhausted}
	p.limit = min(e.all, p.steps+listing.StepsOfEffects)
	for _, f := range p.files {
		for _, d := range f.syntax.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv != nil && d.Body != nil {
				e.methods[d.Name.Name] = append(e.methods[d.Name.Name], method{d, f})
			}
		}
	}
	return e
}

// touch adds what the files touch.
func (e *effects) touch(steps *listing.Reading) {
	e.limit = min(e.all, e.steps+listing.StepsOfEffects)
	t := registry.Touches{}
	for _, f := range e.files {
		r := &codeReader{effects: e, at: &env{file: f}, from: map[string]uint64{}, out: &listing.Body[ast.Node]{
			File: e.set.Position(f.syntax.Pos()).Filename}}
		ast.Inspect(f.syntax, r.node)
		r.out.Touch(&t, listing.Go)
	}
	if len(e.files) > 0 {
		steps.Touch(t, !e.exhausted())
	}
}

// handledBy notes the handler of a tool.
func (s *scanner) handledBy(name string, handler *bound) {
	if _, known := s.handlers[name]; !known && handler != nil && name != "" {
		s.handlers[name] = *handler
	}
}

// pair notes the handler of a tool that is made elsewhere.
func (s *scanner) pair(tool, handler ast.Expr, e *env) {
	if !e.file.usesMCP || tool == nil || handler == nil {
		return
	}
	v := s.resolve(bound{tool, e})
	switch x := v.x.(type) {
	case *ast.CompositeLit:
		if slices.Contains(toolTypes, lastName(x.Type)) {
			name, _ := s.text(fieldsOf(x)["Name"], v.env)
			s.handledBy(name, &bound{handler, e})
		}
	case *ast.CallExpr:
		if strings.HasPrefix(lastName(x.Fun), "NewTool") && len(x.Args) > 0 {
			name, _ := s.text(x.Args[0], v.env)
			s.handledBy(name, &bound{handler, e})
		}
	}
}

// function returns the function that an expression is, nil if it is not among the files.
func (e *effects) function(b bound, depth int) ast.Node {
	if b.x == nil || depth > maxCalls {
		return nil
	}
	v := e.resolve(b)
	switch x := v.x.(type) {
	case *ast.FuncLit:
		if e.envs[x] == nil {
			in := &env{parent: v.env, file: v.env.file, vars: map[string]bound{}}
			for _, id := range parameters(x.Type) {
				in.vars[id] = bound{}
			}
			e.assignments(x.Body, in)
			e.envs[x] = in
		}
		return x
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		if d, f := e.called(x, -1, v.env); d != nil {
			return e.note(d, f)
		}
	case *ast.CallExpr: // a function that wraps the handler
		for _, arg := range x.Args {
			if f := e.function(bound{arg, v.env}, depth+1); f != nil {
				return f
			}
		}
	}
	return nil
}

// called returns the function of the files that a call with some arguments calls: also the only
// method with its name and as many parameters. args is negative if the arguments are unknown.
func (e *effects) called(fn ast.Expr, args int, at *env) (*ast.FuncDecl, *file) {
	s, isSelector := fn.(*ast.SelectorExpr)
	if isSelector && importPath(s.X, at) != "" && e.imported(s.X, at) == nil {
		return nil, nil
	}
	d, f := e.declaration(fn, at)
	if all := e.methodsOf(s); d == nil && len(all) == 1 {
		d, f = all[0].decl, all[0].file
	}
	if d == nil || d.Body == nil || f == nil {
		return nil, nil
	}
	if n := len(parameters(d.Type)); isSelector && args >= 0 && args != n && !isVariadic(d.Type) {
		return nil, nil
	}
	return d, f
}

// methodsOf returns the methods with the name of a selector, which may be nil.
func (e *effects) methodsOf(s *ast.SelectorExpr) []method {
	if s == nil {
		return nil
	}
	return e.methods[s.Sel.Name]
}

func isVariadic(of *ast.FuncType) bool {
	n := len(of.Params.List)
	if n == 0 {
		return false
	}
	_, ok := of.Params.List[n-1].Type.(*ast.Ellipsis)
	return ok
}

func (e *effects) note(d *ast.FuncDecl, f *file) ast.Node {
	if e.envs[d] == nil {
		e.envs[d] = e.bodyEnv(d, f, nil, nil)
	}
	return d
}

// importPath returns the path of the package from outside the files that an expression names, ""
// for others.
func importPath(x ast.Expr, at *env) string {
	id, ok := x.(*ast.Ident)
	if !ok {
		return ""
	}
	for of := at; of != nil; of = of.parent {
		if _, isVariable := of.vars[id.Name]; isVariable {
			return ""
		}
	}
	for _, i := range at.file.syntax.Imports {
		full, _ := strconv.Unquote(i.Path.Value)
		base := path.Base(versionSuffix.ReplaceAllString(full, ""))
		if i.Name != nil && i.Name.Name == id.Name || i.Name == nil && base == id.Name {
			return full
		}
	}
	return ""
}

var versionSuffix = regexp.MustCompile(`/v[0-9]+$`)

func parameters(of *ast.FuncType) (names []string) {
	for _, field := range of.Params.List {
		for _, id := range field.Names {
			names = append(names, id.Name)
		}
		if len(field.Names) == 0 {
			names = append(names, "_")
		}
	}
	return names
}

func (e *effects) body(n ast.Node) *listing.Body[ast.Node] {
	at := e.envs[n]
	if at == nil || e.exhausted() {
		return nil
	}
	var block *ast.BlockStmt
	var of *ast.FuncType
	switch n := n.(type) {
	case *ast.FuncDecl:
		block, of = n.Body, n.Type
	case *ast.FuncLit:
		block, of = n.Body, n.Type
	}
	where := e.set.Position(n.Pos())
	r := &codeReader{effects: e, at: at, from: map[string]uint64{},
		out: &listing.Body[ast.Node]{File: where.Filename, Line: where.Line}}
	for i, id := range parameters(of) {
		r.from[id] = 1 << min(i, 63)
	}
	ast.Inspect(block, r.node)
	return r.out
}

// A codeReader reads the calls in the code of a function.
type codeReader struct {
	*effects
	at   *env
	from map[string]uint64 // the parameters in variables
	out  *listing.Body[ast.Node]
}

func (r *codeReader) line(n ast.Node) int { return r.set.Position(n.Pos()).Line }

func (r *codeReader) node(n ast.Node) bool {
	if r.steps++; r.exhausted() {
		return false
	}
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		_, isList := n.Value.(*ast.CompositeLit)
		_, isText := n.Value.(*ast.BasicLit)
		name, _ := n.Key.(*ast.Ident)
		return name == nil || !isList && !isText || !listing.PassesOn(name.Name)
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			if id, ok := left.(*ast.Ident); ok {
				r.from[id.Name] |= r.given(n.Rhs[min(i, len(n.Rhs)-1)])
			}
		}
	case *ast.CallExpr:
		r.call(n)
	case *ast.ImportSpec:
		full, _ := strconv.Unquote(n.Path.Value)
		r.out.Imports = append(r.out.Imports, listing.Text{Text: full, Line: r.line(n)})
		return false
	case *ast.BasicLit:
		if n.Kind == token.STRING {
			s, _ := strconv.Unquote(n.Value)
			r.out.Texts = append(r.out.Texts, listing.Text{Text: s, Line: r.line(n)})
		}
	}
	return true
}

func (r *codeReader) call(c *ast.CallExpr) {
	out := listing.Call{Line: r.line(c)}
	for _, arg := range c.Args {
		s, whole := r.begin(arg)
		out.Args = append(out.Args, listing.Arg{Text: s, Whole: whole, From: r.given(arg)})
		switch arg.(type) {
		case *ast.Ident, *ast.SelectorExpr: // may be called by the function
			if f := r.function(bound{arg, r.at}, maxCalls); f != nil {
				r.out.Into = append(r.out.Into, listing.Into[ast.Node]{To: f, Later: true})
			}
		}
	}
	if d, f := r.called(c.Fun, len(c.Args), r.at); d != nil {
		r.out.Into = append(r.out.Into, listing.Into[ast.Node]{To: r.note(d, f), Args: out.Args})
	} else {
		out.Name = r.outside(c.Fun)
	}
	if strings.HasSuffix(lastName(c.Fun), "Context") && len(out.Args) > 0 {
		out.Args = out.Args[1:]
	}
	r.out.Calls = append(r.out.Calls, out)
}

// outside returns the name of a function from outside the files.
func (r *codeReader) outside(fn ast.Expr) string {
	switch fn := fn.(type) {
	case *ast.SelectorExpr:
		if full := importPath(fn.X, r.at); full != "" {
			return full + "." + fn.Sel.Name
		}
		return "." + fn.Sel.Name
	case *ast.Ident:
		if _, isVariable := r.lookup(fn.Name, r.at); !isVariable {
			return fn.Name
		}
	case *ast.ArrayType:
		return "make" // a conversion
	}
	return ".call" // of a value
}

// begin returns the text of an expression, or its beginning, and whether it is whole.
func (r *codeReader) begin(x ast.Expr) (string, bool) {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		if method, ok := strings.CutPrefix(x.Sel.Name, "Method"); ok && importPath(x.X, r.at) == "net/http" {
			return strings.ToUpper(method), true
		}
	case *ast.BinaryExpr:
		s, _ := r.begin(x.X)
		return s, false
	case *ast.CallExpr:
		if lastName(x.Fun) == "Sprintf" && len(x.Args) > 0 {
			s, _ := r.text(x.Args[0], r.at)
			return strings.TrimLeft(s, "%s"), false
		}
	}
	return r.text(x, r.at)
}

// given returns the parameters of which an expression is made, without what unknown functions make
// of them.
func (r *codeReader) given(x ast.Expr) (bits uint64) {
	if r.steps++; r.exhausted() {
		return 0
	}
	switch x := x.(type) {
	case *ast.Ident:
		return r.from[x.Name]
	case *ast.SelectorExpr:
		return r.given(x.X)
	case *ast.IndexExpr:
		return r.given(x.X)
	case *ast.SliceExpr:
		return r.given(x.X)
	case *ast.ParenExpr:
		return r.given(x.X)
	case *ast.StarExpr:
		return r.given(x.X)
	case *ast.UnaryExpr:
		return r.given(x.X)
	case *ast.TypeAssertExpr:
		return r.given(x.X)
	case *ast.BinaryExpr:
		return r.given(x.X) | r.given(x.Y)
	case *ast.CallExpr:
		return r.returnedFrom(x)
	}
	return 0
}

// returnedFrom returns the parameters in the result of a call.
func (r *codeReader) returnedFrom(c *ast.CallExpr) (bits uint64) {
	if s, ok := c.Fun.(*ast.SelectorExpr); ok && importPath(s.X, r.at) == "" {
		bits = r.given(s.X)
	}
	switch lastName(c.Fun) {
	case "string", "Fields", "Split", "Join", "TrimSpace", "Clean", "Sprintf":
		for _, arg := range c.Args {
			bits |= r.given(arg)
		}
	}
	return bits
}
