package others

import (
	"cmp"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
)

// definitions adds objects with the members of an MCP tool.
func (s *source) definitions() {
	var open []int // enclosing brackets
	for i, t := range s.tokens {
		for len(open) > 0 && s.end(open[len(open)-1]) <= i {
			open = open[:len(open)-1]
		}
		switch {
		case s.is(i, "(", "[", "{"):
			open = append(open, i)
		case (t.text == "inputSchema" || t.text == "input_schema") && s.is(i+1, ":", "=>") && len(open) > 0:
			s.definition(open[len(open)-1])
		}
	}
}

func (s *source) definition(open int) {
	args := s.arguments(open)
	for i, a := range args {
		if k := s.keyEnd(a); a.name == "" && k > 0 {
			args[i].name, _ = s.text(a.from, k)
			args[i].from = k + 1
		}
	}
	t := registry.Tool{Name: s.textOf(named(args, "name")), Title: s.textOf(named(args, "title")),
		Description: s.textOf(named(args, "description"))}
	isNew := s.is(open-1, "Tool") && !s.is(open-2, "for", "struct", "impl", "enum", "trait", "->")
	if !isNew && (t.Name == "" || named(args, "description") == nil) {
		return
	}
	t.InputSchema = s.schemaIn(named(args, "inputSchema", "input_schema"))
	s.annotate(&t, open, s.end(open))
	s.add(open, t)
}

// toolTypes adds types that implement an interface or extend a class for tools and declare their
// name and description.
func (s *source) toolTypes() {
	usesMCP := s.usesMCP()
	for i := range s.tokens {
		if usesMCP && s.is(i, "class", "struct", "actor", "object") && !s.is(i-1, "abstract") &&
			s.at(i+1).kind == tokenWord {
			s.toolType(i)
		}
	}
}

// usesMCP reports whether a name in the file contains "mcp".
func (s *source) usesMCP() bool {
	return slices.ContainsFunc(s.tokens, func(t token) bool {
		return t.kind == tokenWord && strings.Contains(strings.ToLower(t.text), "mcp")
	})
}

func (s *source) toolType(i int) {
	open := s.find(i, "{")
	if open < 0 {
		return
	}
	isTool := false
	for k := i + 3; k < open; k++ {
		isTool = isTool || s.at(k).kind == tokenWord && strings.HasSuffix(s.at(k).text, "Tool")
	}
	if !isTool {
		return
	}
	var t registry.Tool
	described := false
	for k := open + 1; k < s.end(open); k++ {
		if s.is(k, "{") {
			k = s.end(k)
		} else if s.at(k).kind == tokenWord {
			id := strings.TrimPrefix(s.at(k).text, "get")
			described = described || strings.EqualFold(id, "description")
			if text := s.memberText(k + 1); text != "" {
				setMember(&t, id, text)
			}
		}
	}
	if t.Name != "" && described {
		s.add(i, t)
	}
}

// memberText returns the constant string that a member has or returns, "" if there is none. i is
// inside its declaration.
func (s *source) memberText(i int) string {
	for end := i + 10; i < end; i++ {
		if s.at(i).kind == tokenString {
			to := i + 1
			for s.is(to, "+", ".") && s.at(to+1).kind == tokenString {
				to += 2
			}
			return s.textOf(&argument{from: i, to: to})
		}
		if !s.is(i, "=", "=>", "->", ":", "{", "(", ")", "?", "String", "string", "return", "get") {
			break
		}
	}
	return ""
}

// functionWords begin the declaration of a function.
var functionWords = []string{"fn", "def", "fun", "func", "function"}

// collectFactories collects the functions whose first parameters, after self, are the name and the
// description of a tool.
func (s *source) collectFactories() {
	for i := range s.tokens {
		if !s.is(i, functionWords...) || s.at(i+1).kind != tokenWord {
			continue
		}
		open := s.find(i+2, "(", "{")
		if !s.is(open, "(") {
			continue
		}
		args := s.arguments(open)
		if len(args) > 0 && s.is(args[0].to-1, "self") {
			args = args[1:]
		}
		if len(args) > 1 && s.parameterName(args[0]) == "name" &&
			s.parameterName(args[1]) == "description" {
			s.factories[s.at(i+1).text] = true
		}
	}
}

func (s *source) parameterName(a argument) string { return cmp.Or(a.name, s.at(a.to-1).text) }

// factoryCalls adds the tools that calls of factories create, if their names are constant.
func (s *source) factoryCalls() {
	for i := range s.tokens {
		if !s.factories[s.at(i).text] || !s.is(i+1, "(") || s.is(i-1, functionWords...) {
			continue
		}
		args := s.arguments(i + 1)
		if len(args) < 2 || s.textOf(&args[0]) == "" || s.textOf(&args[1]) == "" {
			continue
		}
		s.addCreated(i, args)
	}
}

// addCreated adds the tool that a call with its name, its description and perhaps its schema
// creates.
func (s *source) addCreated(i int, args []argument) {
	if len(args) < 2 {
		return
	}
	t := registry.Tool{Name: s.textOf(&args[0]), Description: s.textOf(&args[1])}
	if len(args) > 2 {
		t.InputSchema = s.schemaIn(&args[2])
	}
	s.annotate(&t, i, s.partEnd(i, len(s.tokens)))
	s.add(i, t)
}

func (s *source) schemaIn(a *argument) []byte {
	if s.language == "Rust" {
		return s.rustSchema(a)
	}
	return s.schemaOf(a)
}
