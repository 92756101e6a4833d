package others

import (
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/source/schema"
	"mcpcensus/internal/registry"
)

// ruby adds subclasses of MCP::Tool, calls of define with a name, and, in files that require mcp, blocks
// of the method tool.
func (s *source) ruby() {
	isDSL := false
	for i := range s.tokens {
		isDSL = isDSL || s.is(i, "require") && s.at(i+1).kind == tokenString && s.at(i+1).text == "mcp"
		switch {
		case s.is(i, "class") && s.at(i+1).kind == tokenWord:
			s.rubyClass(i)
		case isDSL && s.is(i, "tool") && s.at(i).line && s.at(i+1).kind == tokenString && s.is(i+2, "do"):
			s.rubyBlock(i)
		case s.is(i, "define", "define_tool") && s.is(i-1, ".") && s.is(i+1, "("):
			s.rubyDefinition(i)
		}
	}
}

// rubyDefinition adds the tool of a call of define with a name.
func (s *source) rubyDefinition(i int) {
	args := s.arguments(i + 1)
	if name := named(args, "name"); name != nil {
		t := registry.Tool{Name: s.textOf(name), Title: s.textOf(named(args, "title")),
			Description: s.textOf(named(args, "description")),
			InputSchema: s.schemaOf(named(args, "input_schema"))}
		s.annotate(&t, args[0].from, args[len(args)-1].to)
		s.add(i, t)
	}
}

// rubyBlock adds the tool of a block: tool "dig" do … end.
func (s *source) rubyBlock(i int) {
	t := registry.Tool{Name: s.at(i + 1).text}
	for k := i + 3; k < len(s.tokens) && !s.is(k, "call", "end", "tool"); k++ {
		if s.is(k, "description") && s.at(k).line {
			a := s.rubyArgument(k + 1)
			isLiteral := !slices.ContainsFunc(s.tokens[a.from:a.to], func(t token) bool { return t.kind != tokenString })
			if t.DescriptionUnread = !isLiteral; isLiteral {
				t.Description = s.textOf(&a)
			}
		}
	}
	s.add(i, t)
}

// rubyTool returns the name and the base of a class in Ruby that inherits from a Tool.
func (s *source) rubyTool(i int) (name, base string, isTool bool) {
	name, base, _ = s.rubyHeader(i)
	return name, base, s.language == "Ruby" && strings.HasSuffix(base, "Tool") && name != "ApplicationTool" &&
		!strings.HasSuffix(name, "Base") && !strings.HasPrefix(name, "Base")
}

// rubyClass adds a class that inherits from a Tool.
func (s *source) rubyClass(i int) {
	name, base, isTool := s.rubyTool(i)
	if !isTool {
		return
	}
	t := registry.Tool{Name: rubyName(name)}
	if !strings.HasPrefix(base, "MCP") {
		t.Name = name
	}
	described := false
	_, _, k := s.rubyHeader(i)
	from := k
	for ; k < len(s.tokens) && !s.is(k, "def", "class"); k++ {
		if !s.at(k).line || s.at(k).kind != tokenWord {
			continue
		}
		a := s.rubyArgument(k + 1)
		switch s.at(k).text {
		case "tool_name":
			t.Name, described = s.textOf(&a), true
		case "title":
			t.Title = s.textOf(&a)
		case "description":
			t.Description, described = s.textOf(&a), true
		case "input_schema":
			t.InputSchema = s.rubySchema(a)
		case "arguments":
			t.InputSchema = s.rubyArguments(k + 1)
		case "annotations":
			s.annotate(&t, k, a.to)
		}
	}
	if name := s.rubyMethod(from, "tool_name"); name != "" {
		t.Name = name
	}
	if described {
		s.addOf(name, i, t)
	}
}

// rubyMethod returns the string that a method of the class whose body begins at i returns, "" if
// there is none.
func (s *source) rubyMethod(i int, id string) string {
	for ; i < len(s.tokens) && !(s.is(i, "class") && s.at(i+1).kind == tokenWord); i++ {
		if !s.is(i, "def") {
			continue
		}
		at := i + 1
		if s.is(at, "self") && s.is(at+1, ".") {
			at += 2
		}
		if s.is(at, id) && s.at(at+1).kind == tokenString && s.is(at+2, "end") {
			return s.at(at + 1).text
		}
	}
	return ""
}

// rubyHeader returns the name of a class, its base and the position after them.
func (s *source) rubyHeader(i int) (name, base string, next int) {
	name, next = s.at(i+1).text, i+2
	for s.is(next, "::") {
		name = s.at(next + 1).text
		next += 2
	}
	if !s.is(next, "<") {
		return name, "", next
	}
	for next++; next < len(s.tokens) && !s.at(next).line; next++ {
		base += s.at(next).text
	}
	return name, base, next
}

// rubyArgument returns the argument of a method: in parentheses, or up to the end of the
// statement.
func (s *source) rubyArgument(i int) argument {
	if s.is(i, "(") {
		return argument{from: i + 1, to: s.end(i)}
	}
	to := i
	for to < len(s.tokens) {
		if s.is(to, "(", "{", "[") {
			to = s.end(to) + 1
			continue
		}
		if to > i && s.at(to).line && !s.is(to-1, ",", "+", ":", "\\") && s.at(to).text != "." {
			break
		}
		to++
	}
	return argument{from: i, to: min(to, len(s.tokens))}
}

// rubySchema reads a hash, with or without braces.
func (s *source) rubySchema(a argument) []byte {
	if s.is(a.from, "{") {
		return typedObject(s.schemaOf(&a))
	}
	if s.is(a.from-1, "(") {
		if o, ok := s.object(a.from-1, 0).(*schema.Object); ok && o.Has("properties") {
			return typedObject(schema.Encode(o))
		}
	}
	return nil
}

// typedObject adds the type as the SDK does.
func typedObject(b []byte) []byte {
	if b == nil || strings.HasPrefix(string(b), `{"type"`) || string(b) == "{}" {
		return b
	}
	return append([]byte(`{"type":"object",`), b[1:]...)
}

// rubyArguments reads the block of dry-schema: required(:x).filled(:string).
func (s *source) rubyArguments(i int) []byte {
	if !s.is(i, "do") {
		return nil
	}
	var members []member
	for k := i + 1; k < len(s.tokens) && !s.is(k, "end", "def"); k++ {
		if !s.is(k, "required", "optional") || !s.is(k+1, "(") || !s.at(k).line {
			continue
		}
		m := member{name: s.at(k + 3).text, required: s.is(k, "required")}
		for at := s.end(k+1) + 1; s.is(at, ".") && s.at(at+1).kind == tokenWord; {
			if !s.is(at+2, "(") {
				at += 2
				continue
			}
			switch s.at(at + 1).text {
			case "filled", "value", "maybe":
				m.kind = s.tokens[at+3 : s.end(at+2)]
			case "description":
				m.description, _ = s.text(at+3, s.end(at+2))
			}
			at = s.end(at+2) + 1
		}
		members = append(members, m)
	}
	return s.parameters(members)
}

var (
	acronym = regexp.MustCompile(`([A-Z])([A-Z][a-z])`)
	hump    = regexp.MustCompile(`([a-z\d])([A-Z])`)
)

// rubyName derives the name of a tool from its class as the SDK does.
func rubyName(class string) string {
	return strings.ToLower(hump.ReplaceAllString(acronym.ReplaceAllString(class, "${1}_$2"), "${1}_$2"))
}

// php adds methods and classes with #[McpTool], classes that extend Tool, and calls of withTool and
// addTool.
func (s *source) php() {
	for i := range s.tokens {
		switch {
		case s.is(i, "McpTool") && s.is(i-1, "#[", ",", "\\"):
			s.phpAttribute(i)
		case s.is(i, "class") && s.is(i+2, "extends") && s.is(i+3, "Tool") && s.usesMCP():
			s.phpClass(i)
		case s.is(i, "withTool", "addTool") && s.is(i-1, "->") && s.is(i+1, "("):
			if args := s.arguments(i + 1); len(args) > 0 {
				s.phpCall(i, args)
			}
		}
	}
}

// phpCall adds the tool of a call of withTool or addTool, whose first argument is the handler. Its
// method names a tool without a name.
func (s *source) phpCall(i int, args []argument) {
	name, description := named(args, "name"), named(args, "description")
	if name == nil && len(args) > 1 && args[1].name == "" {
		name = &args[1]
		if description == nil && len(args) > 2 && args[2].name == "" {
			description = &args[2]
		}
	}
	t := registry.Tool{Name: s.textOf(name), Description: s.textOf(description),
		InputSchema: s.schemaOf(named(args, "inputSchema"))}
	if method := s.at(s.end(args[0].from) - 1); name == nil && method.kind == tokenString {
		t.Name = method.text
	}
	if t.Name != "" || s.usesMCP() {
		s.add(i, t)
	}
}

// phpClass adds a class that extends Tool of Laravel: it is named by a property, or by the class
// in kebab case.
func (s *source) phpClass(i int) {
	t := registry.Tool{Name: strings.ReplaceAll(rubyName(s.at(i+1).text), "_", "-")}
	open := s.find(i, "{")
	described := false
	for k := open + 1; open > 0 && k < s.end(open); k++ {
		if s.is(k, "{", "(", "[") {
			k = s.end(k)
			continue
		}
		if s.is(k, "$") && s.is(k+1, "name", "title", "description") && s.is(k+2, "=") {
			to := s.find(k, ";")
			setMember(&t, s.at(k+1).text, s.textOf(&argument{from: k + 3, to: to}))
			described = described || s.is(k+1, "description")
		}
	}
	if described && !s.is(i-1, "abstract") {
		s.add(i, t)
	}
}

func (s *source) phpAttribute(i int) {
	var args []argument
	if s.is(i+1, "(") {
		args = s.arguments(i + 1)
	}
	open := i
	for open > max(0, i-maxHeader) && !s.is(open, "#[") {
		open--
	}
	if !s.is(open, "#[") || s.end(open) < i { // an import
		return
	}
	next, doc := s.phpItem(open)
	t := registry.Tool{Description: s.textOf(named(args, "description"))}
	if t.Description == "" && doc.kind == tokenDoc {
		t.Description = summary(doc.text)
	}
	at := next
	for at < next+8 && !s.is(at, "function", "class") {
		at++
	}
	t.Name = s.at(at + 1).text
	if s.is(at, "function") {
		t.InputSchema = s.parameters(s.phpParameters(at+2, doc))
	}
	if name := named(args, "name"); name != nil {
		t.Name = s.textOf(name)
	} else if len(args) > 0 && args[0].name == "" {
		t.Name = s.textOf(&args[0])
	}
	if len(args) > 0 {
		s.annotate(&t, i, s.end(i+1))
	}
	s.add(i, t)
}

// phpItem returns the position after the attributes at open, and the docblock before or between
// them.
func (s *source) phpItem(open int) (int, token) {
	doc := s.at(open - 1)
	next := s.end(open) + 1
	for s.is(next, "#[") || s.at(next).kind == tokenDoc {
		if s.at(next).kind == tokenDoc {
			doc = s.at(next)
			next++
		} else {
			next = s.end(next) + 1
		}
	}
	return next, doc
}

// summary returns the first paragraph of a docblock, without tags.
func summary(doc string) string {
	var out []string
	for _, line := range strings.Split(doc, "\n") {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "@") || line == "" {
			break
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

var paramTag = regexp.MustCompile(`@param\s+\S+\s+\$(\w+)\s+([^\n]+)`)

func (s *source) phpParameters(open int, doc token) []member {
	texts := map[string]string{}
	for _, m := range paramTag.FindAllStringSubmatch(doc.text, -1) {
		texts[m[1]] = strings.TrimSpace(m[2])
	}
	var out []member
	if !s.is(open, "(") {
		return nil
	}
	for _, a := range s.arguments(open) {
		i := a.from
		if a.name != "" {
			i -= 2
		}
		for s.is(i, "#[") {
			i = s.end(i) + 1
		}
		for k := i; k < a.to; k++ {
			if s.is(k, "$") {
				m := member{
					name:     s.at(k + 1).text,
					kind:     s.tokens[i:k],
					required: !s.is(k+2, "=") || k+2 >= a.to,
				}
				m.description = texts[m.name]
				out = append(out, m)
				break
			}
		}
	}
	return out
}

// swift adds Tool(name: ..., description: ..., inputSchema: ...).
func (s *source) swift() {
	for i := range s.tokens {
		if !s.is(i, "Tool") || !s.is(i+1, "(") || s.is(i-1, "func", "class", "struct") {
			continue
		}
		args := s.arguments(i + 1)
		if named(args, "name") == nil ||
			named(args, "inputSchema") == nil && named(args, "description") == nil {
			continue
		}
		t := registry.Tool{
			Name:        s.textOf(named(args, "name")),
			Description: s.textOf(named(args, "description")),
			Title:       s.textOf(named(args, "title")),
			InputSchema: s.schemaOf(named(args, "inputSchema")),
		}
		s.annotate(&t, i, s.end(i+1))
		s.add(i, t)
	}
}
