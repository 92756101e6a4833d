package python

import (
	"cmp"
	"strconv"
	"strings"
)

const (
	maxDepth  = 200    // of nested expressions and blocks
	maxTokens = 400000 // of one file; the rest is not read
)

// A parser reads statements from tokens. It never fails: unsupported expressions become opaque.
type parser struct {
	tokens []token
	pos    int
	depth  int
}

func parse(src string) []*statement {
	tokens := lex(src)
	if len(tokens) > maxTokens {
		tokens = append(tokens[:maxTokens:maxTokens], token{kind: tokenEnd})
	}
	p := &parser{tokens: tokens}
	var out []*statement
	for p.peek().kind != tokenEnd {
		start := p.pos
		out = append(out, p.statement()...)
		if p.pos == start {
			p.pos++
		}
	}
	return out
}

func (p *parser) peek() token { return p.at(0) }

func (p *parser) at(n int) token {
	if p.pos+n < len(p.tokens) {
		return p.tokens[p.pos+n]
	}
	return token{kind: tokenEnd}
}

func (p *parser) is(text string) bool {
	t := p.peek()
	return t.text == text && (t.kind == tokenName || t.kind == tokenOperator)
}

func (p *parser) accept(text string) bool {
	if p.is(text) {
		p.pos++
		return true
	}
	return false
}

func (p *parser) word() string {
	if t := p.peek(); t.kind == tokenName {
		p.pos++
		return t.text
	}
	return ""
}

// endLine skips the rest of a logical line. A ";" ends a line, too.
func (p *parser) endLine() {
	for {
		switch t := p.peek(); {
		case t.kind == tokenEnd || t.kind == tokenDedent:
			return
		case t.kind == tokenNewline, t.kind == tokenOperator && t.text == ";":
			p.pos++
			return
		}
		p.pos++
	}
}

// block reads the statements after a colon.
func (p *parser) block() []*statement {
	for !p.is(":") {
		switch p.peek().kind {
		case tokenNewline, tokenEnd, tokenDedent:
			p.endLine()
			return nil
		}
		p.pos++
	}
	p.pos++
	if p.peek().kind != tokenNewline { // on the same line
		return p.statement()
	}
	p.pos++
	if p.peek().kind != tokenIndent {
		return nil
	}
	return p.indented()
}

func (p *parser) indented() []*statement {
	p.pos++
	var out []*statement
	for p.peek().kind != tokenDedent && p.peek().kind != tokenEnd {
		start := p.pos
		out = append(out, p.statement()...)
		if p.pos == start {
			p.pos++
		}
	}
	if p.peek().kind == tokenDedent {
		p.pos++
	}
	return out
}

// statement reads a statement or a line of several.
func (p *parser) statement() []*statement {
	if p.depth >= maxDepth {
		p.endLine()
		return nil
	}
	p.depth++
	defer func() { p.depth-- }()
	line := p.peek().line
	out := p.statementForm()
	for _, s := range out {
		s.line = cmp.Or(s.line, line)
	}
	return out
}

func (p *parser) statementForm() []*statement {
	switch t := p.peek(); {
	case t.kind == tokenNewline:
		p.pos++
		return nil
	case t.kind == tokenIndent: // of an unknown compound statement
		return p.indented()
	case p.is("@"):
		return p.decorated()
	case t.kind == tokenName && p.at(1).kind != tokenOperator || compound[t.text]:
		if s, ok := p.keyword(t.text); ok {
			return s
		}
	}
	return one(p.simple())
}

// compound are keywords that an operator may follow.
var compound = map[string]bool{
	"if": true, "elif": true, "else": true, "try": true, "except": true, "finally": true, "while": true,
	"with": true, "for": true, "return": true, "import": true, "from": true, "async": true, "yield": true,
}

func one(s *statement) []*statement {
	if s == nil {
		return nil
	}
	return []*statement{s}
}

func (p *parser) decorated() []*statement {
	var decorators []expr
	for p.accept("@") {
		decorators = append(decorators, p.expression())
		p.endLine()
		for p.peek().kind == tokenNewline {
			p.pos++
		}
	}
	out := p.statement()
	if len(out) == 1 {
		out[0].decorators = decorators
	}
	return out
}

// keyword reads a statement that begins with a keyword. It reports false if word is not one.
func (p *parser) keyword(word string) ([]*statement, bool) {
	start := p.pos
	p.pos++
	switch word {
	case "async":
		return p.statement(), true
	case "def":
		return one(p.function()), true
	case "class":
		return one(p.class()), true
	case "return", "yield":
		s := &statement{kind: returnStatement}
		if t := p.peek(); t.kind != tokenNewline && t.kind != tokenEnd {
			p.accept("from")
			s.value = p.expressions()
		}
		p.endLine()
		return one(s), true
	case "import", "from":
		p.pos = start
		return one(p.imports()), true
	case "for":
		s := &statement{kind: forStatement, targets: []expr{p.target()}}
		if p.accept("in") {
			s.value = p.expressions()
		}
		s.body = p.block()
		return one(s), true
	case "if", "elif", "while", "with", "case":
		s := &statement{kind: blockStatement, name: word, value: p.expressions()}
		s.body = p.block()
		return one(s), true
	case "else", "try", "except", "finally":
		return one(&statement{kind: blockStatement, name: word, body: p.block()}), true
	case "match":
		return one(&statement{kind: blockStatement, body: p.block()}), true
	case "break", "continue":
		p.endLine()
		return one(&statement{kind: leaveStatement}), true
	case "pass", "raise", "del", "global", "nonlocal", "assert":
		p.endLine()
		return nil, true
	}
	p.pos = start
	return nil, false
}

func (p *parser) function() *statement {
	s := &statement{kind: defStatement, name: p.word()}
	p.typeParameters()
	if p.accept("(") {
		s.params = p.parameters(")")
		p.accept(")")
	}
	if p.accept("->") {
		s.annotation = p.expression()
	}
	s.body = p.block()
	return s
}

// typeParameters skips [T] after the name of a function or class.
func (p *parser) typeParameters() {
	if !p.accept("[") {
		return
	}
	p.toBracket()
}

// toBracket skips to the closing bracket.
func (p *parser) toBracket() {
	for depth := 1; depth > 0 && p.peek().kind != tokenEnd; p.pos++ {
		if p.is("[") {
			depth++
		} else if p.is("]") {
			depth--
		}
	}
}

func (p *parser) parameters(end string) []parameter {
	var out []parameter
	for p.peek().kind != tokenEnd && !p.is(end) {
		start := p.pos
		var x parameter
		switch {
		case p.accept("**"):
			x.star = "**"
		case p.accept("*"):
			x.star = "*"
		case p.accept("/"):
		}
		x.name = p.word()
		if end == ")" && p.accept(":") {
			x.annotation = p.expression()
		}
		if p.accept("=") {
			x.value = p.expression()
		}
		if x.name != "" {
			out = append(out, x)
		}
		if !p.accept(",") && p.pos == start {
			p.pos++
		}
	}
	return out
}

func (p *parser) class() *statement {
	s := &statement{kind: classStatement, name: p.word()}
	p.typeParameters()
	if p.accept("(") {
		s.bases = p.arguments()
	}
	s.body = p.block()
	return s
}

func (p *parser) dotted() string {
	var b strings.Builder
	for p.is(".") || p.is("...") || p.peek().kind == tokenName && !p.is("import") && !p.is("as") {
		b.WriteString(p.peek().text)
		p.pos++
	}
	return b.String()
}

func (p *parser) imports() *statement {
	s := &statement{kind: importStatement}
	module, isFrom := "", p.accept("from")
	if isFrom {
		module = p.dotted()
	}
	if p.accept("import") {
		p.accept("(")
		for {
			i, ok := p.imported(module, isFrom)
			if !ok {
				break
			}
			s.imports = append(s.imports, i)
			if !p.accept(",") {
				break
			}
		}
	}
	p.endLine()
	return s
}

// imported reads an imported module or, in a from statement, a member of one.
func (p *parser) imported(module string, isFrom bool) (i imported, ok bool) {
	if isFrom {
		i = imported{module: module, member: p.word()}
		if i.member == "" && p.accept("*") {
			i.member = "*"
		}
		i.as = i.member
	} else {
		i.module = p.dotted()
	}
	if p.accept("as") {
		i.as = p.word()
	}
	return i, !isFrom || i.member != ""
}

// simple reads an assignment or an expression.
func (p *parser) simple() *statement {
	first := p.expressions()
	s := &statement{kind: exprStatement, value: first}
	if p.accept(":") {
		s.kind, s.targets = assignStatement, []expr{first}
		s.annotation, s.value = p.expression(), nil
		if p.accept("=") {
			s.value = p.expressions()
		}
		p.endLine()
		return s
	}
	if t := p.peek(); t.kind == tokenOperator && len(t.text) >= 2 && strings.HasSuffix(t.text, "=") &&
		!strings.Contains("== != <= >= :=", t.text) {
		p.pos++
		s.kind, s.targets, s.augmented = assignStatement, []expr{first}, strings.TrimSuffix(t.text, "=")
		s.value = p.expressions()
		p.endLine()
		return s
	}
	for p.accept("=") {
		s.kind = assignStatement
		s.targets = append(s.targets, s.value)
		s.value = p.expressions()
	}
	p.endLine()
	return s
}

// target reads the variables of a for clause.
func (p *parser) target() expr {
	var items []expr
	tuple := false
	for {
		items = append(items, p.postfix())
		if !p.accept(",") {
			break
		}
		tuple = true
	}
	if !tuple {
		return items[0]
	}
	return sequence{'(', items}
}

// expressions reads one expression, or a tuple without parentheses.
func (p *parser) expressions() expr {
	first := p.expression()
	if !p.is(",") {
		return first
	}
	items := []expr{first}
	for p.accept(",") {
		if t := p.peek(); t.kind == tokenNewline || t.kind == tokenEnd || p.is("=") || p.is(")") || p.is(":") {
			break
		}
		items = append(items, p.expression())
	}
	return sequence{'(', items}
}

func (p *parser) expression() expr {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		p.pos++
		return opaque{}
	}
	switch {
	case p.accept("lambda"):
		p.parameters(":")
		p.accept(":")
		return opaque{[]expr{p.expression()}}
	case p.is("*"), p.is("**"):
		p.pos++
		return starred{p.expression()}
	case p.is("yield"), p.is("await"):
		p.pos++
		p.accept("from")
		return p.expression()
	}
	x := p.operators(0)
	if p.accept(":=") {
		x = p.expression()
	}
	if p.accept("if") {
		test := p.operators(0)
		no := expr(opaque{})
		if p.accept("else") {
			no = p.expression()
		}
		return conditional{test, x, no}
	}
	return x
}

var precedence = map[string]int{
	"or": 1, "and": 2, "in": 4, "not": 4, "is": 4, "<": 4, ">": 4, "==": 4, ">=": 4, "<=": 4, "!=": 4,
	"|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "//": 10, "%": 10, "@": 10,
	"**": 12,
}

func (p *parser) operators(least int) expr {
	var x expr
	switch {
	case p.accept("not"):
		x = unary{"not", p.operators(4)}
	case p.is("-"), p.is("+"), p.is("~"):
		op := p.peek().text
		p.pos++
		x = unary{op, p.operators(11)}
	default:
		x = p.postfix()
	}
	for {
		t := p.peek()
		level := precedence[t.text]
		if level == 0 || level <= least || t.kind != tokenName && t.kind != tokenOperator {
			return x
		}
		p.pos++
		op := t.text
		if op == "not" && p.accept("in") {
			op = "not in"
		} else if op == "is" && p.accept("not") {
			op = "is not"
		}
		x = binary{op, x, p.operators(level)}
	}
}

func (p *parser) postfix() expr {
	p.depth++
	defer func() { p.depth-- }()
	p.accept("await")
	x := p.atom()
	for p.depth < maxDepth {
		switch {
		case p.accept("."):
			x = attr{x, p.word()}
		case p.is("("):
			line := p.peek().line
			p.pos++
			x = &call{x, p.arguments(), line}
		case p.accept("["):
			x = index{x, p.subscript()}
		default:
			return x
		}
	}
	return x
}

// subscript reads the contents of brackets; slices with a step are opaque.
func (p *parser) subscript() expr {
	var out expr = opaque{}
	if !p.is(":") {
		out = p.expressions()
	}
	if p.accept("]") {
		return out
	}
	if part := p.slice(out); p.accept("]") {
		return part
	}
	p.toBracket()
	return opaque{}
}

// slice reads the rest of a slice after its lower bound, which is opaque if there is none.
func (p *parser) slice(low expr) binary {
	out := binary{op: ":"}
	if _, none := low.(opaque); !none {
		out.x = low
	}
	if p.accept(":") && !p.is("]") && !p.is(":") {
		out.y = p.expressions()
	}
	return out
}

// arguments reads the arguments after the opening parenthesis of a call.
func (p *parser) arguments() []argument {
	var out []argument
	for p.peek().kind != tokenEnd && !p.accept(")") {
		start := p.pos
		var a argument
		switch {
		case p.is("*"), p.is("**"):
			a.unpack = p.peek().text
			p.pos++
		case p.peek().kind == tokenName && p.at(1).kind == tokenOperator && p.at(1).text == "=":
			a.name = p.word()
			p.pos++
		}
		a.value = p.expression()
		if p.is("for") || p.is("async") {
			a.value = p.comprehension(nil, a.value, ")")
			return append(out, argument{value: a.value})
		}
		out = append(out, a)
		if !p.accept(",") && !p.is(")") && p.pos == start {
			p.pos++
		}
	}
	return out
}

// comprehension reads the for clauses and the closing bracket.
func (p *parser) comprehension(key, element expr, end string) expr {
	c := &comprehension{key: key, element: element}
	p.accept("async")
	p.accept("for")
	c.target = p.target()
	if p.accept("in") {
		c.iter = p.operators(0)
	}
	for p.accept("if") {
		c.conditions = append(c.conditions, p.operators(0))
	}
	if p.depth < maxDepth && (p.is("for") || p.is("async")) {
		p.depth++
		defer func() { p.depth-- }()
		c.key, c.element, c.flat = nil, p.comprehension(key, element, end), true
		return c
	}
	for p.peek().kind != tokenEnd && !p.accept(end) {
		p.pos++
	}
	return c
}

func (p *parser) atom() expr {
	t := p.peek()
	switch t.kind {
	case tokenName:
		p.pos++
		switch t.text {
		case "True":
			return literal{true}
		case "False":
			return literal{false}
		case "None":
			return literal{nil}
		}
		return name{t.text}
	case tokenNumber:
		p.pos++
		return number(t.text)
	case tokenString, tokenFormat:
		return p.text()
	case tokenOperator:
		switch t.text {
		case "(", "[":
			p.pos++
			return p.bracket(t.text[0])
		case "{":
			p.pos++
			return p.brace()
		case "...":
			p.pos++
			return name{"..."}
		case ")", "]", "}", ",", ":", "=":
			return opaque{}
		}
		p.pos++
	}
	return opaque{}
}

func number(s string) expr {
	s = strings.ReplaceAll(s, "_", "")
	if i, err := strconv.ParseInt(s, 0, 64); err == nil {
		return literal{i}
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return literal{f}
	}
	return opaque{}
}

// text joins adjacent strings.
func (p *parser) text() expr {
	var parts []expr
	constant := true
	var b strings.Builder
	for {
		t := p.peek()
		switch t.kind {
		case tokenString:
			b.WriteString(t.text)
			parts = append(parts, literal{t.text})
		case tokenFormat:
			constant = false
			parts = append(parts, p.formatParts(t)...)
		default:
			if constant {
				return literal{b.String()}
			}
			return format{parts}
		}
		p.pos++
	}
}

// formatParts splits the body of an f-string.
func (p *parser) formatParts(t token) []expr {
	var out []expr
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			s := b.String()
			if !t.raw {
				s = unescape(s)
			}
			out = append(out, literal{s})
			b.Reset()
		}
	}
	s := t.text
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != '{' && c != '}' {
			b.WriteByte(c)
			continue
		}
		if i+1 < len(s) && s[i+1] == s[i] {
			b.WriteByte(s[i])
			i++
			continue
		}
		if s[i] == '}' {
			continue
		}
		flush()
		end := braceEnd(s, i+1)
		out = append(out, p.formatField(s[i+1:end]))
		i = end
	}
	flush()
	return out
}

// braceEnd returns the index of the brace that closes the one before i.
func braceEnd(s string, i int) int {
	for depth := 1; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(s)
}

// formatField parses an expression in the braces of an f-string. Conversions and formats make it
// opaque.
func (p *parser) formatField(src string) expr {
	if p.depth > maxDepth/2 {
		return opaque{}
	}
	inner := &parser{tokens: lex("(" + src + ")"), depth: p.depth + maxDepth/4}
	for i := range inner.tokens {
		inner.tokens[i].line = p.peek().line
	}
	x := inner.expression()
	if inner.peek().kind != tokenNewline {
		return opaque{}
	}
	return x
}

// bracket reads a parenthesized expression, a tuple, a list or a generator.
func (p *parser) bracket(open byte) expr {
	end := ")"
	if open == '[' {
		end = "]"
	}
	s := sequence{kind: open}
	comma := false
	for p.peek().kind != tokenEnd && !p.accept(end) {
		start := p.pos
		x := p.expression()
		if p.is("for") || p.is("async") {
			return p.comprehension(nil, x, end)
		}
		s.items = append(s.items, x)
		if p.accept(",") {
			comma = true
		} else if p.pos == start {
			p.pos++
		}
	}
	if open == '(' && len(s.items) == 1 && !comma {
		return s.items[0]
	}
	return s
}

// brace reads a dictionary or a set.
func (p *parser) brace() expr {
	var keys, values []expr
	isMap := p.is("}")
	for p.peek().kind != tokenEnd && !p.accept("}") {
		start := p.pos
		if p.accept("**") {
			isMap = true
			keys, values = append(keys, nil), append(values, p.operators(0))
		} else {
			key := p.expression()
			var value expr
			if p.accept(":") {
				isMap = true
				value = p.expression()
			}
			if p.is("for") || p.is("async") {
				if value == nil {
					return p.comprehension(nil, key, "}")
				}
				return p.comprehension(key, value, "}")
			}
			keys, values = append(keys, key), append(values, value)
		}
		if !p.accept(",") && p.pos == start {
			p.pos++
		}
	}
	if !isMap {
		return sequence{'{', keys}
	}
	for i, v := range values {
		if v == nil {
			values[i] = opaque{}
		}
	}
	return mapping{keys, values}
}
