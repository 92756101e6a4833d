package script

import (
	"regexp"
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// A user sets what the server needs to reach a service, such as a token or an
// address, and nothing else.

// connection matches the names of settings that a user sets.
var connection = regexp.MustCompile(`(?i)(token|key|secret|password|passwd|pass|pat|url|uri|host|hostname|domain|` +
	`endpoint|dsn|_id|[a-z]Id|^id|user|username|email|account|organization|org|tenant|workspace|database|` +
	`connection_?string|credentials?)$`)

// flag matches the names of settings that switch something on or off.
var flag = regexp.MustCompile(`(?i)^(use|enable|disable|allow|is|has|no|skip|with|include|require)_|` +
	`^(use|enable|disable|allow|is|has|no|skip|with|include|require)[A-Z]`)

// setting returns the value of an environment variable.
func (in *interpreter) setting(name string) value {
	switch {
	case !in.defaults:
		in.settings = true
		return environment
	case isConnection(name):
		return given
	}
	return undefined
}

func isConnection(name string) bool { return connection.MatchString(name) && !flag.MatchString(name) }

// commandLine returns the arguments of the program: none.
func (in *interpreter) commandLine() value {
	if !in.defaults {
		in.settings = true
		return environment
	}
	return &array{items: []value{"node", "index.js"}}
}

// isEnvironment reports whether a value holds the environment variables.
func (x *external) isEnvironment() bool {
	switch strings.TrimPrefix(x.path, "globalThis.") {
	case "process.env", "Bun.env", "Deno.env", "import.meta.env":
		return true
	case "env", "default.env":
		return isProcess(x.module)
	}
	return false
}

func isProcess(module string) bool { return module == "process" || module == "node:process" }

// givenMethod returns the result of a method of a value that is set.
func givenMethod(name string) value {
	switch name {
	case "trim", "toLowerCase", "toUpperCase", "toString", "replace", "replaceAll", "split":
		return given
	}
	return unknownValue
}

// mentions are the variables and the names of methods in a part of a tree.
type mentions struct {
	vars    []*js.Var
	methods []string
}

// Enter implements [js.IVisitor].
func (m *mentions) Enter(n js.INode) js.IVisitor {
	switch n := n.(type) {
	case *js.Var:
		m.vars = append(m.vars, n)
	case *js.CallExpr:
		if d, ok := n.X.(*js.DotExpr); ok {
			m.methods = append(m.methods, dotName(d))
		}
	}
	return m
}

// Exit implements [js.IVisitor].
func (*mentions) Exit(js.INode) {}

// skip notes the functions that are not called since a branch is not taken.
func (in *interpreter) skip(f *frame, n js.INode) {
	if !in.defaults || n == nil || !in.step() {
		return
	}
	m := in.syntax.mentions[n]
	if m == nil {
		m = &mentions{}
		js.Walk(m, n)
		in.syntax.mentions[n] = m
	}
	in.steps += len(m.vars)
	for _, v := range m.vars {
		if fn, ok := in.variable(f, v).(*function); ok {
			in.followed[fn.node] = true
		}
	}
	for _, name := range m.methods {
		in.skipped[name] = true
	}
}

// isSkipped reports whether the evaluation came to a call of a function, and
// did not make it.
func (in *interpreter) isSkipped(fn *function) bool {
	m, ok := fn.node.(*js.MethodDecl)
	return in.followed[fn.node] || ok && in.skipped[string(m.Name.Literal.Data)]
}
