package script

import (
	"path"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"

	"mcpcensus/crawler/paths"
)

const (
	// maxTyped is the maximum size of files for esbuild, whose parser recurses without a limit.
	maxTyped = 512 << 10
	// maxPlain is the maximum size of JavaScript files, such as bundles.
	maxPlain = 8 << 20
)

// loaderOf returns esbuild's loader for a file, api.LoaderNone for other languages.
func loaderOf(name string) api.Loader {
	switch language := paths.Language(name); {
	case language == "TypeScript" && strings.EqualFold(path.Ext(name), ".tsx"):
		return api.LoaderTSX
	case language == "TypeScript":
		return api.LoaderTS
	case language == "JavaScript":
		return api.LoaderJSX
	}
	return api.LoaderNone
}

// IsSource reports whether a path is that of a TypeScript or JavaScript file that may contain
// code.
func IsSource(name string) bool {
	return loaderOf(name) != api.LoaderNone && !strings.HasSuffix(name, ".d.ts") &&
		!strings.HasSuffix(name, ".d.mts") && !strings.HasSuffix(name, ".d.cts")
}

// parseFile returns the syntax tree of a file, or nil if it cannot be parsed or spend does not allow
// the steps.
func parseFile(name, text string, spend func(steps int) bool) (*js.AST, *parsedText) {
	loader := loaderOf(name)
	if loader == api.LoaderJSX && len(text) <= maxPlain {
		if ast, of := parseScript(text); ast != nil {
			return ast, of
		}
	}
	if loader == api.LoaderNone || len(text) > maxTyped || isDeep(text) ||
		!spend(sequenceSteps(text)+commentSteps(text)) {
		return nil, nil
	}
	code, sourceMap, ok := transform(text, api.TransformOptions{
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
	if !ok {
		return nil, nil
	}
	ast, of := parseScript(code)
	of.mappings = mappingsOf(sourceMap)
	return ast, of
}

const (
	partOfText = 16 << 10 // bytes
	maxErrors  = 10       // of a part that ends in the middle of the code
)

// transform returns the code of a text without errors. For each error that does not end the parsing,
// esbuild reads the text again, so parts of the text are read first to find many.
func transform(text string, o api.TransformOptions) (code string, sourceMap []byte, ok bool) {
	for n := partOfText; n < len(text); n += partOfText {
		part := text[:1+strings.LastIndexAny(text[:n], ";\n")]
		if len(api.Transform(part, o).Errors) > maxErrors {
			return "", nil, false
		}
	}
	o.Sourcemap = api.SourceMapExternal
	r := api.Transform(text, o)
	return string(r.Code), r.Map, len(r.Errors) == 0
}

// stepOfSequence is the number of pairs of expressions, or of comments, that take about the time of
// a step.
const stepOfSequence = 8

// commentSteps returns the steps that esbuild takes to keep comments in a row, "/* a *//* b */", which
// grow with the square of their number.
func commentSteps(text string) (steps int) {
	row := 0
	for text != "" {
		text = strings.TrimLeft(text, " \t\r\n")
		if rest, ok := strings.CutPrefix(text, "/*"); ok {
			_, text, _ = strings.Cut(rest, "*/")
			row++
			continue
		}
		steps += row * row / stepOfSequence
		row = 0
		next := strings.Index(text, "/*")
		if next < 0 {
			break
		}
		text = text[next:]
	}
	return steps + row*row/stepOfSequence
}

// sequenceSteps returns the steps that esbuild takes to print expressions in a row, "a,b,c;", which
// grow with the square of their number. Lists in square brackets and objects are not such rows.
func sequenceSteps(text string) (steps int) {
	var outer []int
	commas, last := 0, byte(';')
	end := func() {
		steps += max(0, commas) * max(0, commas) / stepOfSequence
	}
	for i := range len(text) {
		c := text[i]
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case '(', '[', '{':
			outer = append(outer, commas)
			commas = 0
			if c == '[' || c == '{' && strings.IndexByte("=(,:?[&|", last) >= 0 {
				commas = -len(text)
			}
		case ')', ']', '}':
			end()
			commas = 0
			if n := len(outer); n > 0 {
				commas, outer = outer[n-1], outer[:n-1]
			}
		case ';':
			end()
			commas = 0
		case ',':
			commas++
		}
		last = c
	}
	end()
	return steps
}

// parseScript returns the syntax tree of JavaScript, or nil, and its text.
func parseScript(text string) (*js.AST, *parsedText) {
	if strings.HasPrefix(text, "#!") {
		text = "//" + text
	}
	// Only scripts, not modules, may return at the top level.
	for _, o := range []js.Options{{}, {Inline: true}} {
		in := parse.NewInputString(text)
		of := &parsedText{text: in.Bytes()}
		if ast, err := js.Parse(in, o); err == nil {
			return ast, of
		}
	}
	return nil, &parsedText{}
}

const (
	maxBrackets = 5000
	maxChain    = 160 << 10
	maxCallsRow = 10_000
	maxArrows   = 8
	maxGenerics = 1000
	maxPrefixes = 1000
	maxLambdas  = 1000
)

// isDeep reports whether a recursive parser may overflow its stack with a text, from which Go
// cannot recover, or a parser that guesses takes too long: by the nesting of brackets, or by what
// is between two separators: operators, labels, calls in a row, opening angle brackets, prefixes of
// prefixes, functions that return functions, and conditions whose value looks like the parameters of
// a function.
func isDeep(text string) bool {
	var d depths
	for i := range len(text) {
		if d.add(text, i); len(d.outer) > maxBrackets || d.all.tooMany() {
			return true
		}
	}
	return false
}

// A chain counts what makes parsers recurse or guess since the last separator.
type chain struct{ chars, calls, arrows, generics, prefixes, lambdas int }

func (c chain) tooMany() bool {
	return c.chars > maxChain || c.calls > maxCallsRow || c.arrows > maxArrows ||
		c.generics > maxGenerics || c.prefixes > maxPrefixes || c.lambdas > maxLambdas
}

func (c *chain) sub(d chain) {
	c.chars, c.calls = c.chars-d.chars, c.calls-d.calls
	c.arrows, c.generics = c.arrows-d.arrows, c.generics-d.generics
	c.prefixes, c.lambdas = c.prefixes-d.prefixes, c.lambdas-d.lambdas
}

// depths are the chains around a place in a text.
type depths struct {
	outer []chain // of the enclosing brackets
	chain
	all  chain // the sum of outer and chain
	last byte  // that is not a space
	// typed reports that a condition's value in parentheses is followed by a colon.
	condition, typed bool
}

// add counts the character of a text at an index.
func (d *depths) add(text string, i int) {
	c := text[i]
	before := d.chain
	switch c {
	case ' ', '\t', '\r', '\n':
		return
	case '(', '[', '{', '`':
		if strings.IndexByte("=,;:?&|+-*/<>!~^%({[", d.last) < 0 {
			d.calls++ // of what is before the bracket
		}
		if c == '`' {
			break
		}
		d.all.sub(before)
		d.all.addAll(d.chain)
		d.outer = append(d.outer, d.chain)
		d.chain, d.last = chain{}, c
		return
	case ')', ']', '}':
		d.all.sub(before)
		d.chain = chain{}
		if n := len(d.outer); n > 0 {
			d.chain, d.outer = d.outer[n-1], d.outer[:n-1]
		}
		d.last = c
		return
	case ';', ',':
		d.condition, d.typed = false, false
		if c == ';' {
			d.chain = chain{}
		} else { // lists of types have commas
			d.chain = chain{generics: d.generics}
		}
	case '?':
		d.condition = true
		d.chars++
	case ':':
		d.typed = d.last == ')' && d.condition
		d.chars++
	case '<':
		d.generics++
		d.chars++
	case '>':
		switch {
		case d.last != '=':
			d.generics = max(0, d.generics-1)
		case d.typed:
			d.arrows++
			d.typed, d.condition = false, false
			fallthrough
		default:
			d.lambdas++
		}
		d.chars++
	case '!', '~': // comments have rows of others
		if d.last == '!' || d.last == '~' {
			d.prefixes++
		}
		d.chars++
	default:
		d.chars++
	}
	d.last = c
	d.all.sub(before)
	d.all.addAll(d.chain)
}

func (c *chain) addAll(d chain) {
	c.chars, c.calls = c.chars+d.chars, c.calls+d.calls
	c.arrows, c.generics = c.arrows+d.arrows, c.generics+d.generics
	c.prefixes, c.lambdas = c.prefixes+d.prefixes, c.lambdas+d.lambdas
}

// registering are the names of functions and methods that register tools.
var registering = map[string]bool{
	"tool": true, "registerTool": true, "registerAppTool": true, "addTool": true, "addTools": true,
	"registerTools": true, "registerToolTask": true, "setRequestHandler": true,
	"createSdkMcpServer": true, "createTool": true, "defineTool": true,
}

// syntax contains the syntax trees of files and their declarations.
type syntax struct {
	trees map[string]*js.AST // nil if a file cannot be parsed
	// registering are the functions that call one of [registering], or else (false) pass options
	// with tools, directly or in an inner function.
	registering map[js.INode]bool
	texts       map[string]*parsedText
}

// read returns the syntax tree of a file as [parseFile] does.
func (s *syntax) read(name, text string, spend func(steps int) bool) *js.AST {
	if ast, ok := s.trees[name]; ok {
		return ast
	}
	ast, of := parseFile(name, text, spend)
	s.trees[name], s.texts[name] = ast, of
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
		if calls := registers(n); calls || slices.ContainsFunc(n.Args.List, hasTools) {
			for _, f := range r.functions {
				r.registering[f] = r.registering[f] || calls
			}
		}
	}
	return r
}

// registers reports whether a call is one of [registering], other than of handlers of requests that
// have nothing to do with tools.
func registers(x *js.CallExpr) bool {
	name := calleeName(x.X)
	if name != "setRequestHandler" || len(x.Args.List) == 0 {
		return registering[name]
	}
	schema := calleeName(x.Args.List[0].Value)
	return schema == "" || strings.Contains(schema, "Tool")
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
