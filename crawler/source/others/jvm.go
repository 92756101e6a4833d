package others

import (
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/source/schema"
	"mcpcensus/internal/registry"
)

// jvm notes methods with @Tool or @McpTool of Spring AI and Quarkus, Tool
// objects of the Java SDK, and addTool of the Kotlin SDK.
func (s *source) jvm() {
	client := s.importsClient()
	for i := range s.tokens {
		switch {
		case s.is(i, "@") && s.is(i+1, "Tool", "McpTool"):
			if !client {
				s.jvmMethod(i)
			}
		case s.is(i, "Tool") && s.is(i+1, ".") && s.is(i+2, "builder") && s.is(i+3, "("):
			s.jvmBuilder(i + 3)
		case s.is(i+1, "(") && s.makesTool(i):
			s.jvmCall(i + 1)
		case s.is(i, "override") && s.is(i+1, "val") && s.is(i+2, "name"):
			s.kotlinClass(i)
		}
	}
}

// makesTool reports whether the call of the word at i makes a tool.
func (s *source) makesTool(i int) bool {
	switch s.at(i).text {
	case "Tool":
		return s.is(i-1, "new") || s.ext == ".kt" || s.is(i-1, ".") && s.is(i-3, "new")
	case "McpTool":
		return s.is(i-1, "new") || s.ext == ".kt"
	case "addTool", "regularTool":
		return s.is(i-1, ".")
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

// jvmMethod notes the method behind an annotation of a tool.
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
	if a := named(args, "annotations"); a != nil {
		if open := s.find(a.from, "("); open > 0 && open < a.to {
			t.Annotations = s.hints(s.arguments(open))
		}
	}
	t.InputSchema = parameters(s.jvmParameters(next), jvmType)
	s.note(t)
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

// jvmParameter reads the annotation of a parameter.
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

// jvmType returns the schema of a type; empty if it is not a simple one.
func jvmType(kind []token) *schema.Object {
	outer := strings.TrimSuffix(joined(kind), "?")
	outer, _, _ = strings.Cut(outer, "<")
	outer = outer[strings.LastIndexByte(outer, '.')+1:]
	switch outer {
	case "String", "CharSequence", "LocalDate", "LocalDateTime", "Instant", "UUID", "URI", "Char", "char":
		return schema.New("type", "string")
	case "boolean", "Boolean":
		return schema.New("type", "boolean")
	case "int", "Integer", "long", "Long", "short", "Int", "Short", "BigInteger":
		return schema.New("type", "integer")
	case "double", "Double", "float", "Float", "BigDecimal", "Number":
		return schema.New("type", "number")
	case "List", "Set", "Collection", "Array", "String[]", "MutableList", "int[]":
		return schema.New("type", "array")
	case "Map", "JsonObject", "ObjectNode":
		return schema.New("type", "object")
	}
	return &schema.Object{}
}

// jvmBuilder notes Tool.builder().name("...").description("...").
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
		s.note(t)
	}
}

// jvmCall notes Tool(...) and addTool(...), with names of arguments or without.
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
	if input != nil {
		if t.InputSchema = s.schemaOf(input); t.InputSchema == nil {
			t.InputSchema = s.kotlinSchema(*input)
		}
	}
	s.note(t)
}

// kotlinSchema reads the properties that buildJsonObject puts, and required =
// listOf(...); nil if there are none.
func (s *source) kotlinSchema(a argument) []byte {
	properties := &schema.Object{}
	depth, least := 0, 1<<30
	found := map[int][]string{} // by depth
	for i := a.from; i < a.to; i++ {
		switch {
		case s.is(i, "{"):
			depth++
		case s.is(i, "}"):
			depth--
		case s.putsObject(i):
			if id := s.at(i + 2).text; id != "properties" {
				found[depth] = append(found[depth], id)
				least = min(least, depth)
			}
		}
	}
	for _, id := range found[least] {
		properties.Set(id, &schema.Object{})
	}
	if properties.Len() == 0 {
		return nil
	}
	var required []string
	for i := a.from; i < a.to; i++ {
		if s.is(i, "required") && s.is(i+1, "=") && s.is(i+2, "listOf") {
			for _, item := range s.arguments(i + 3) {
				required = append(required, s.textOf(&item))
			}
		}
	}
	return schema.Parameters(properties, required).Encode()
}

// putsObject reports whether a call at i puts an object under a constant key.
func (s *source) putsObject(i int) bool {
	if !s.is(i+1, "(") || s.at(i+2).kind != tokenString {
		return false
	}
	return s.is(i, "putJsonObject") || s.is(i, "put") && s.is(i+3, ",") && s.is(i+4, "buildJsonObject")
}

// kotlinClass notes a class of a tool: one that overrides name and description,
// and inherits from a class for MCP tools.
func (s *source) kotlinClass(i int) {
	start := i
	for depth := 0; start > max(0, i-maxHeader); start-- {
		if s.is(start, "}") {
			depth++
		} else if s.is(start, "{") {
			if depth == 0 {
				break
			}
			depth--
		}
	}
	header := max(0, start-40)
	if at := slices.IndexFunc(s.tokens[header:start], func(t token) bool {
		return t.kind == tokenWord && strings.Contains(t.text, "Mcp") && strings.Contains(t.text, "Tool")
	}); at < 0 {
		return
	}
	t := registry.Tool{}
	end := min(s.end(start), start+20*maxHeader)
	for k := start; k < end; k++ {
		switch {
		case !s.is(k, "override") || !s.is(k+1, "val"):
		case s.is(k+2, "name"):
			t.Name = s.kotlinValue(k, end)
		case s.is(k+2, "description"):
			t.Description = s.kotlinValue(k, end)
		}
	}
	s.note(t)
}

// kotlinValue returns the constant string of the declaration at k.
func (s *source) kotlinValue(k, end int) string {
	from := s.find(k, "=") + 1
	if from == 0 || from > k+7 {
		return ""
	}
	to := from + 1
	for to < end && (s.is(to, ".", "(", ")", "+") || !s.at(to).line) {
		to++
	}
	return s.textOf(&argument{from: from, to: to})
}
