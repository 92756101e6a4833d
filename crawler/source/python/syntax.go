package python

// Expressions. Other expressions are opaque.
type (
	expr any

	name struct{ id string }
	attr struct {
		x    expr
		name string
	}
	call struct {
		fn   expr
		args []argument
		line int
	}
	// literal is a string, int64, float64, bool or nil.
	literal struct{ value any }
	// format is an f-string: its parts are strings and expressions.
	format struct{ parts []expr }
	// sequence is a list '[', a tuple '(' or a set '{'.
	sequence struct {
		kind  byte
		items []expr
	}
	// mapping is a dictionary; the key of a ** element is nil.
	mapping struct{ keys, values []expr }
	starred struct{ x expr }
	// index has a binary with the operator ":" for a slice.
	index  struct{ x, i expr }
	binary struct {
		op   string
		x, y expr
	}
	unary struct {
		op string
		x  expr
	}
	conditional struct{ test, yes, no expr }
	// comprehension has one for clause. With a second one, its element is another
	// comprehension, whose elements are its own.
	comprehension struct {
		key, element expr // key of a dictionary, or nil
		target, iter expr
		conditions   []expr
		body         []*statement // of a loop
		flat         bool         // its elements are those of element
	}
	// sum is the value of a name and the value that a statement adds to it.
	sum struct {
		earlier *binding
		more    expr
	}
	opaque struct{ inner []expr }
)

// An argument of a call: positional, by name, or an unpacked "*" or "**".
type argument struct {
	name   string
	unpack string
	value  expr
}

type statementKind uint8

const (
	otherStatement statementKind = iota
	defStatement
	classStatement
	assignStatement
	exprStatement
	returnStatement
	forStatement
	blockStatement // if, while, with, try, match and their parts
	importStatement
	leaveStatement // continue or break
)

// A statement of a module. Only the fields of its kind are set.
type statement struct {
	kind       statementKind
	name       string // of a function or class; the keyword of a block
	decorators []expr
	params     []parameter
	bases      []argument
	targets    []expr // of assignments and for
	annotation expr
	value      expr // assigned, returned, iterated or evaluated
	augmented  string
	body       []*statement
	imports    []imported
	line       int
}

// A parameter of a function.
type parameter struct {
	name       string
	star       string // "", "*" or "**"
	annotation expr
	value      expr // default, or nil
}

// An imported name. An import of a whole module has no member; the member "*" means all.
type imported struct {
	module string // with leading dots if relative
	member string
	as     string
}
