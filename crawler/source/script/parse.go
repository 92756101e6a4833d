package script

import (
	"path"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

const (
	// maxTyped is the maximum size of files for esbuild, whose parser recurses without a limit.
	maxTyped = 512 << 10
	// maxPlain is the maximum size of JavaScript files, such as bundles.
	maxPlain = 8 << 20
)

var loaders = map[string]api.Loader{
	".ts": api.LoaderTS, ".mts": api.LoaderTS, ".cts": api.LoaderTS, ".tsx": api.LoaderTSX,
	".js": api.LoaderJSX, ".mjs": api.LoaderJSX, ".cjs": api.LoaderJSX, ".jsx": api.LoaderJSX,
}

// IsSource reports whether a path is that of a TypeScript or JavaScript file that may contain
// code.
func IsSource(name string) bool {
	return loaders[path.Ext(name)] != 0 && !strings.HasSuffix(name, ".d.ts") &&
		!strings.HasSuffix(name, ".d.mts") && !strings.HasSuffix(name, ".d.cts")
}

// parseFile returns the syntax tree of a file, or nil if it cannot be parsed.
func parseFile(name, text string) *js.AST {
	loader := loaders[path.Ext(name)]
	if loader == api.LoaderJSX && len(text) <= maxPlain {
		if ast := parseScript(text); ast != nil {
			return ast
		}
	}
	if loader == 0 || len(text) > maxTyped || isDeep(text) {
		return nil
	}
	r := api.Transform(text, api.TransformOptions{
		Loader:      loader,
		Target:      api.ESNext,
		Charset:     api.CharsetUTF8,
		LogLevel:    api.LogLevelSilent,
		JSX:         api.JSXTransform,
		TsconfigRaw: `{"compilerOptions":{"experimentalDecorators":true,"useDefineForClassFields":true}}`,
		Supported: map[string]bool{
			"import-attributes": false, "import-assertions": false, "using": false, "decorators": false,
		},
	})
	if len(r.Errors) > 0 {
		return nil
	}
	return parseScript(string(r.Code))
}

// parseScript returns the syntax tree of JavaScript, or nil.
func parseScript(text string) *js.AST {
	if strings.HasPrefix(text, "#!") {
		text = "//" + text
	}
	// Only scripts, not modules, may return at the top level.
	for _, o := range []js.Options{{}, {Inline: true}} {
		if ast, err := js.Parse(parse.NewInputString(text), o); err == nil {
			return ast
		}
	}
	return nil
}

const (
	maxBrackets = 5000
	maxChain    = 160 << 10
)

// isDeep reports whether a text may be nested so deeply that a recursive parser overflows its
// stack, from which Go cannot recover: by brackets, or by operators and labels between two
// separators.
func isDeep(text string) bool {
	var outer []int // lengths of the enclosing chains
	chain, total := 0, 0
	for i := range len(text) {
		switch c := text[i]; c {
		case ' ', '\t', '\n', '\r':
		case '(', '[', '{':
			outer = append(outer, chain)
			chain = 0
		case ')', ']', '}':
			total -= chain
			chain = 0
			if n := len(outer); n > 0 {
				chain, outer = outer[n-1], outer[:n-1]
			}
		case ';', ',':
			total -= chain
			chain = 0
		default:
			chain++
			total++
		}
		if len(outer) > maxBrackets || total > maxChain {
			return true
		}
	}
	return false
}

// registering are the names of functions and methods that register tools.
var registering = map[string]bool{
	"tool": true, "registerTool": true, "registerAppTool": true, "addTool": true, "addTools": true,
	"registerTools": true, "setRequestHandler": true, "createSdkMcpServer": true, "createTool": true,
	"defineTool": true,
}

// syntax contains the syntax trees of files and their declarations.
type syntax struct {
	trees map[string]*js.AST // nil if a file cannot be parsed
	// registering are the functions that call one of [registering], or pass options with
	// tools, directly or in an inner function.
	registering map[js.INode]bool
}

func newSyntax() *syntax {
	return &syntax{map[string]*js.AST{}, map[js.INode]bool{}}
}

// read returns the syntax tree of a file, or nil if it cannot be parsed.
func (s *syntax) read(name, text string) *js.AST {
	if ast, ok := s.trees[name]; ok {
		return ast
	}
	ast := parseFile(name, text)
	s.trees[name] = ast
	if ast != nil {
		js.Walk(&visitor{syntax: s}, ast)
	}
	return ast
}

// assigns are the operators that assign to their left side.
var assigns = map[js.TokenType]bool{
	js.EqToken: true, js.AndEqToken: true, js.OrEqToken: true, js.NullishEqToken: true, js.AddEqToken: true,
	js.SubEqToken: true, js.MulEqToken: true, js.DivEqToken: true, js.ModEqToken: true, js.ExpEqToken: true,
	js.LtLtEqToken: true, js.GtGtEqToken: true, js.GtGtGtEqToken: true, js.BitAndEqToken: true,
	js.BitOrEqToken: true, js.BitXorEqToken: true,
}

// visitor records the declarations of a tree.
type visitor struct {
	*syntax
	functions []js.INode // enclosing the current node
	depth     int
}

const maxDepth = 3000

// Enter implements [js.IVisitor].
func (r *visitor) Enter(n js.INode) js.IVisitor {
	if r.depth > maxDepth {
		return nil
	}
	r.depth++
	switch n := n.(type) {
	case *js.FuncDecl, *js.ArrowFunc, *js.MethodDecl:
		r.functions = append(r.functions, n)
	case *js.CallExpr:
		if registering[calleeName(n.X)] || slices.ContainsFunc(n.Args.List, hasTools) {
			for _, f := range r.functions {
				r.registering[f] = true
			}
		}
	}
	return r
}

// hasTools reports whether an argument is an object with the key tools.
func hasTools(a js.Arg) bool {
	o, ok := a.Value.(*js.ObjectExpr)
	return ok && slices.ContainsFunc(o.List, func(p js.Property) bool {
		name := p.Name
		if m, ok := p.Value.(*js.MethodDecl); ok {
			name = &m.Name.PropertyName
		}
		return name != nil && string(name.Literal.Data) == "tools"
	})
}

// Exit implements [js.IVisitor].
func (r *visitor) Exit(n js.INode) {
	r.depth--
	if k := len(r.functions); k > 0 && r.functions[k-1] == n {
		r.functions = slices.Delete(r.functions, k-1, k)
	}
}

// calleeName returns the last name of a callee, or "".
func calleeName(x js.IExpr) string {
	switch x := x.(type) {
	case *js.Var:
		return string(x.Name())
	case *js.DotExpr:
		if l, ok := x.Y.(js.LiteralExpr); ok {
			return string(l.Data)
		}
	case *js.GroupExpr:
		return calleeName(x.X)
	case *js.CommaExpr: // (0, module.function)(…)
		if n := len(x.List); n > 0 {
			return calleeName(x.List[n-1])
		}
	}
	return ""
}
