package python

import (
	"slices"
	"strings"
)

// registrars are the names of functions, methods, classes and members with which tools are
// registered, apart from those of the files.
var registrars = []string{
	"tool", "add_tool", "call_tool", "mcp_tool", "from_function", "mount", "import_server",
	"add_provider", "add_transform",
	"from_openapi", "from_fastapi", "as_proxy", "FastApiMCP", "create_proxy", "DjangoMCP",
	"Tool", "FunctionTool", "MCPTool", "McpTool", "inputSchema",
}

// maxRelays is how many functions may be between a call and the function that uses a registrar.
const maxRelays = 3

// relevance finds the statements that may register tools: those that use a registrar, or a function
// that does. The others are not walked through: most code of a server has nothing to do with its
// list of tools.
type relevance struct {
	outer map[*statement]*statement
	uses  map[string][]use
	found map[*statement]bool
	// calls are functions whose calls may register tools, and those among them that are unread.
	calls  map[*statement]bool
	unread []*statement
}

// A use of a name.
type use struct {
	st   *statement
	kind useKind
}

type useKind uint8

const (
	ofVariable useKind = iota
	ofMember           // or called
	inDecorator
)

// relevant returns the statements of the modules that may register tools, with the statements
// around them.
func (p *program) relevant() map[*statement]bool {
	r := relevance{outer: map[*statement]*statement{}, uses: map[string][]use{},
		found: map[*statement]bool{}, calls: map[*statement]bool{}}
	for _, m := range p.order {
		r.read(m.body, nil)
		for _, i := range importsOf(m.body) {
			if i.as != "" && slices.Contains(registrars, i.member) {
				r.mark(i.as, ofMember)
			}
		}
	}
	for _, id := range registrars {
		r.mark(id, ofMember)
	}
	for range maxRelays {
		functions := r.unread
		r.unread = nil
		for _, def := range functions {
			least := ofVariable
			if outer := r.outer[def]; outer != nil && outer.kind == classStatement {
				least = ofMember
			}
			r.mark(def.name, least)
		}
	}
	return r.found
}

// mark adds the statements that use a name at least in a way.
func (r *relevance) mark(id string, least useKind) {
	for _, u := range r.uses[id] {
		if u.kind >= least {
			r.add(u.st, u.kind == inDecorator)
		}
	}
}

// add adds a statement and those around it. A function that only its decorator registers does not
// register tools when it is called.
func (r *relevance) add(st *statement, isDecorated bool) {
	for ; st != nil; st, isDecorated = r.outer[st], false {
		isCalled := st.kind == defStatement && st.name != "__init__" && !isDecorated
		if r.found[st] && (!isCalled || r.calls[st]) {
			return
		}
		if r.found[st] = true; isCalled {
			r.calls[st] = true
			r.unread = append(r.unread, st)
		}
	}
}

// read notes the names that statements use.
func (r *relevance) read(body []*statement, outer *statement) {
	for _, st := range body {
		r.outer[st] = outer
		for _, d := range st.decorators {
			r.names(d, use{st, inDecorator})
			if strings.HasSuffix(lastName(d), "_tool") {
				r.add(st, true)
			}
		}
		r.names(st.value, use{st, ofVariable})
		if st.kind == assignStatement && outer == nil && len(st.targets) == 1 &&
			strings.Contains(strings.ToLower(lastName(st.targets[0])), "tools") {
			r.add(st, false) // see listed
		}
		r.read(st.body, st)
	}
}

// names notes the names in an expression.
func (r *relevance) names(x expr, u use) {
	member := use{u.st, max(u.kind, ofMember)}
	switch x := x.(type) {
	case name:
		r.uses[x.id] = append(r.uses[x.id], u)
	case attr:
		r.uses[x.name] = append(r.uses[x.name], member)
	case *call:
		if fn, ok := x.fn.(name); ok {
			r.uses[fn.id] = append(r.uses[fn.id], member)
		}
	case literal:
		if x.value == "inputSchema" {
			r.uses["inputSchema"] = append(r.uses["inputSchema"], member)
		}
	}
	for _, part := range parts(x) {
		r.names(part, u)
	}
}
