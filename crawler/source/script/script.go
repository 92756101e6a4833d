// Package script reads the tools of MCP servers from TypeScript and JavaScript. It evaluates the
// modules abstractly: it follows constants, functions, classes and loops without executing
// anything. Values from outside the files are unknown. It is one package because expressions,
// statements, modules and registrations of tools are evaluated by each other.
package script

import (
	"path"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/js"

	"mcpcensus/crawler/source/listing"
	"mcpcensus/internal/registry"
)

// A Result contains the tools found in the sources of a server.
type Result struct {
	Tools []registry.Tool
	// Partial reports that some registered tools could not be read.
	Partial bool
}

// Tools returns the tools that servers register with the default settings, in the order of the
// source. files are texts by path: sources, package.json, tsconfig.json and imported JSON. roots
// are the folders of the servers ("" for all), or entry points. steps may be nil.
func Tools(files map[string]string, roots []string, steps *listing.Reading) Result {
	return read(files, roots, steps.Within(maxSteps), steps)
}

// read is [Tools] with a limit of steps.
func read(files map[string]string, roots []string, limit int, steps *listing.Reading) Result {
	if len(roots) == 0 {
		roots = []string{""}
	}
	in := newInterpreter(files, limit, steps)
	defer func() { steps.Spend(in.steps, in.stopped) }()
	in.roots(roots)
	r := Result{Tools: in.tools.Conditional(), Partial: in.tools.incomplete() || in.stopped || in.omits()}
	if in.hasOptional && !in.stopped {
		set := newInterpreter(files, limit-in.steps, steps)
		defer func() { steps.Spend(set.steps, false) }()
		set.optional = true
		set.roots(roots)
		r.addOptional(set.tools.Conditional())
	}
	in.touch(steps)
	return r
}

func (in *interpreter) roots(folders []string) {
	for _, r := range folders {
		in.root(r)
	}
	in.infer()
}

func newInterpreter(files map[string]string, steps int, of *listing.Reading) *interpreter {
	in := &interpreter{
		limit: steps, files: files, modules: map[string]*module{},
		syntax:  &syntax{map[string]*js.AST{}, map[js.INode]bool{}, map[string]*parsedText{}},
		running: map[*function]int{}, recursions: map[*function]int{},
		unsure: map[*js.Var]bool{},
	}
	in.tools.Reading = of
	in.tools.sites, in.tools.instances = map[*js.CallExpr]bool{}, map[*class]*object{}
	in.tools.parts, in.tools.handlers = map[value]listing.Branch{}, map[string]code{}
	in.tools.handles = map[*unknown]string{}
	in.aliases = readAliases(files)
	return in
}

func (in *interpreter) root(r string) {
	before := in.tools.Len()
	if _, ok := in.files[r]; ok && IsSource(r) {
		in.evaluate([]string{r})
		return
	}
	in.evaluate(entryPoints(in.files, r, in.has))
	if in.tools.Len() > before && !in.tools.incomplete() {
		return
	}
	if in.tools.Len() == before || in.tools.Partial {
		in.evaluate(sourcesUnder(in.files, r))
	}
	if in.tools.Len() > before {
		return
	}
	for _, c := range in.tools.classes {
		if in.tools.instances[c] == nil && declaresTool(c) {
			in.instanceOf(c)
		}
	}
	for _, o := range in.tools.candidates {
		if t, ok := in.toolOf(o, false); ok && in.isDefinition(o, t) {
			in.addObject(o, t)
			in.tools.Partial = true // what is registered, and under which conditions, is unknown
		}
	}
}

// evaluate runs modules. If nothing is registered, it then runs the functions in them that
// register tools and were not called.
func (in *interpreter) evaluate(paths []string) {
	before := in.tools.events
	for _, p := range paths {
		in.run(in.load(p))
	}
	if in.tools.events > before {
		return
	}
	for i := 0; i < len(in.pending) && !in.stopped; i++ {
		if fn := in.pending[i]; !fn.called {
			in.invokeUnknown(fn)
		}
	}
}

// omits reports whether a function that registers tools, and is not one of the SDK, was not called,
// but code that runs later calls it.
func (in *interpreter) omits() bool {
	return slices.ContainsFunc(in.pending, func(fn *function) bool {
		return !fn.called && in.syntax.registering[fn.node] && (fn.home == nil || !isServer(fn.home.proto)) &&
			in.isUsed(fn)
	})
}

// isUsed reports whether a function may be called: it has no name, or a call has the same.
func (in *interpreter) isUsed(fn *function) bool {
	d, ok := fn.node.(*js.FuncDecl)
	if !ok || d.Name == nil {
		return true
	}
	name, n := string(d.Name.Name()), 0
	for p, m := range in.modules {
		if m.ast != nil {
			text := in.files[p]
			n += strings.Count(text, name+"(") + strings.Count(text, name+")(") - strings.Count(text, "function "+name+"(")
		}
	}
	return n > 0
}

// declaresTool reports whether a class has a member that describes a tool.
func declaresTool(c *class) bool {
	isMember := func(k string) bool { return k == "description" }
	if slices.ContainsFunc(c.proto.names(), isMember) {
		return true
	}
	return slices.ContainsFunc(c.node.List, func(e js.ClassElement) bool {
		return e.Method == nil && e.StaticBlock == nil && isMember(string(e.Name.Literal.Data))
	})
}

func isAside(p string) bool { return listing.IsAside("", p) }

// sourcesUnder returns the sources in a folder without tests and examples.
func sourcesUnder(files map[string]string, folder string) []string {
	var out []string
	for p := range files {
		if rel, ok := within(p, folder); ok && IsSource(p) && !isAside(rel) {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}

// within returns the path relative to a folder.
func within(p, folder string) (string, bool) {
	folder = strings.Trim(path.Clean("/"+folder), "/")
	if folder == "" {
		return p, true
	}
	return strings.CutPrefix(p, folder+"/")
}
