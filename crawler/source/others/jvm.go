package others

import (
	"regexp"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
)

// jvm adds methods with @Tool or @McpTool of Spring AI and Quarkus, Tool objects of the Java SDK,
// and calls of addTool of the Kotlin SDK.
func (s *source) jvm() {
	client := s.importsClient()
	for i := range s.tokens {
		switch {
		case s.is(i, "@") && s.is(i+1, "Tool", "McpTool") && !s.is(i+2, "."):
			if !client {
				s.jvmMethod(i)
			}
		case s.is(i, "Tool", "FunctionToolCallback") && s.is(i+1, ".") &&
			s.is(i+2, "builder") && s.is(i+3, "("):
			s.jvmBuilder(i + 3)
		case s.is(i, ".") && s.is(i+1, "setName") && s.is(i+2, "("):
			s.jvmSetters(i)
		case s.is(i+1, "(") && s.createsTool(i):
			s.jvmCall(i + 1)
		}
	}
}

// createsTool reports whether the call of the word at i creates a tool.
func (s *source) createsTool(i int) bool {
	switch s.at(i).text {
	case "Tool":
		return s.is(i-1, "new") || s.language == "Kotlin" || s.is(i-1, ".") && s.is(i-3, "new")
	case "McpTool":
		return s.is(i-1, "new") || s.language == "Kotlin"
	case "addTool", "regularTool":
		return s.is(i-1, ".") || s.language == "Kotlin" && !s.is(i-1, "fun", "@")
	}
	return false
}

// importsClient reports whether the annotations of a file are those of
// LangChain4j, which describes tools for clients.
func (s *source) importsClient() bool {
	langchain := slices.ContainsFunc(
		s.tokens,
		func(t token) bool { return t.kind == tokenWord && t.text == "langchain4j" },
	)
	return langchain && !slices.ContainsFunc(s.tokens, func(t token) bool {
		return t.kind == tokenWord && strings.Contains(strings.ToLower(t.text), "mcp")
	})
}

// jvmMethod adds the method after a tool annotation.
func (s *source) jvmMethod(i int) {
	var args []argument
	next := i + 2
	if s.is(next, "(") {
		args = s.arguments(next)
		next = s.end(next) + 1
	}
	for {
		for s.is(next, "@") && next < i+maxHeader {
			next += 2
			for s.is(next, ".") {
				next += 2
			}
			if s.is(next, "(") {
				next = s.end(next) + 1
			}
		}
		if s.is(next, "(", "{", ";", "}") || next >= min(len(s.tokens), i+maxHeader) {
			break
		}
		next++
	}
	if !s.is(next, "(") || s.at(next-1).kind != tokenWord || s.is(next-1, "class", "interface") {
		return
	}
	t := registry.Tool{Name: s.at(next - 1).text, Title: s.textOf(named(args, "title")),
		Description: s.textOf(named(args, "description"))}
	if a := named(args, "name"); a != nil {
		t.Name = s.textOf(a)
	}
	s.annotate(&t, i, next)
	t.InputSchema = s.parameters(s.jvmParameters(next))
	s.add(i, t)
}

// filled are types of parameters that the frameworks fill in.
var filled = regexp.MustCompile(`^(ToolContext|McpSyncServerExchange|McpAsyncServerExchange|Progress|Roots|` +
	`McpTransportContext|McpSyncRequestContext|McpAsyncRequestContext|CallToolRequest|McpMeta|McpLog|Meta|` +
	`McpConnection|RequestId|Sampling|Cancellation|Elicitation|RequestUri|RawMessage)$`)

func (s *source) jvmParameters(open int) []member {
	var out []member
	for _, a := range s.arguments(open) {
		i := a.from
		if a.name != "" { // Kotlin: "name: Type"
			i -= 2
		}
		m := member{required: true}
		for s.is(i, "@", "final", "vararg") {
			if s.is(i, "@") && s.is(i+2, "(") {
				s.jvmParameter(&m, s.at(i+1).text, s.arguments(i+2))
				i = s.end(i+2) + 1
			} else if s.is(i, "@") {
				i += 2
			} else {
				i++
			}
		}
		if s.is(i+1, ":") { // Kotlin
			m.kind = s.tokens[i+2 : max(i+2, a.to)]
			if m.name == "" {
				m.name = s.at(i).text
			}
			if k := slices.IndexFunc(m.kind, func(t token) bool { return t.text == "=" }); k >= 0 {
				m.kind, m.required = m.kind[:k], false
			}
			m.required = m.required && !strings.HasSuffix(joined(m.kind), "?")
		} else if a.to-i >= 2 {
			m.kind = s.tokens[i : a.to-1]
			if m.name == "" {
				m.name = s.at(a.to - 1).text
			}
		}
		if m.name != "" && !filled.MatchString(lastWord(m.kind)) {
			if strings.HasPrefix(joined(m.kind), "Optional<") {
				m.required = false
			}
			out = append(out, m)
		}
	}
	return out
}

func (s *source) jvmParameter(m *member, annotation string, args []argument) {
	switch annotation {
	case "ToolParam", "McpToolParam", "ToolArg", "McpArg", "McpParam":
	default:
		return
	}
	m.description = s.textOf(named(args, "description"))
	if name := s.textOf(named(args, "name")); name != "" {
		m.name = name
	}
	if b := s.boolean(named(args, "required")); b != nil {
		m.required = *b
	}
	if named(args, "defaultValue") != nil {
		m.required = false
	}
}

// jvmBuilder adds Tool.builder().name("...").description("...").
func (s *source) jvmBuilder(open int) {
	var t registry.Tool
	named := false
	if args := s.arguments(open); len(args) > 0 {
		t.Name, named = s.textOf(&args[0]), true
	}
	for i := s.end(open) + 1; s.is(i, ".") && s.is(i+2, "("); i = s.end(i+2) + 1 {
		whole := argument{from: i + 3, to: s.end(i + 2)}
		switch s.at(i + 1).text {
		case "name":
			t.Name, named = s.textOf(&whole), true
		case "title":
			t.Title = s.textOf(&whole)
		case "description":
			t.Description = s.textOf(&whole)
		case "inputSchema":
			if args := s.arguments(i + 2); len(args) > 0 {
				t.InputSchema = s.schemaOf(&args[len(args)-1])
			}
		}
	}
	if named {
		s.annotate(&t, open, s.partEnd(open, len(s.tokens)))
		s.add(open, t)
	}
}

// jvmSetters adds the tool of an own builder that is named and described in one chain of setters,
// in a file that uses MCP.
func (s *source) jvmSetters(i int) {
	var t registry.Tool
	from := i
	for ; s.is(i, ".") && s.is(i+2, "("); i = s.end(i+2) + 1 {
		whole := argument{from: i + 3, to: s.end(i + 2)}
		if key, ok := strings.CutPrefix(s.at(i+1).text, "set"); ok {
			setMember(&t, key, s.textOf(&whole))
		}
	}
	if t.Name != "" && t.Description != "" && s.usesMCP() {
		s.annotate(&t, from, i)
		s.add(i, t)
	}
}

// jvmCall adds Tool(...) and addTool(...), with named or positional arguments.
func (s *source) jvmCall(open int) {
	args := s.arguments(open)
	name, description, input := named(args, "name"), named(args, "description"), named(args, "inputSchema")
	if name == nil {
		if len(args) < 2 || args[0].name != "" || args[1].name != "" && description == nil {
			return
		}
		name = &args[0]
		if description == nil {
			description = &args[1]
		}
		if _, ok := s.text(name.from, name.to); !ok {
			return
		}
		if input == nil && len(args) > 2 {
			input = &args[2]
		}
	} else if description == nil {
		return
	}
	t := registry.Tool{
		Name:        s.textOf(name),
		Title:       s.textOf(named(args, "title")),
		Description: s.textOf(description),
	}
	t.InputSchema = s.schemaOf(input)
	s.annotate(&t, open, s.end(open))
	s.add(open, t)
}
