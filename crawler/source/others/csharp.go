package others

import (
	"regexp"
	"strings"
	"unicode"

	"mcpcensus/internal/registry"
)

// csharp adds methods with [McpServerTool].
func (s *source) csharp() {
	class := ""
	for i := range s.tokens {
		if s.is(i-1, "class") {
			class = s.at(i).text
		}
		if s.is(i, "McpServerTool") && s.is(i+1, ".") && s.is(i+2, "Create") && s.is(i+3, "(") {
			s.csharpCreate(i + 3)
		}
		if !s.is(i, "McpServerTool", "McpServerToolAttribute") || !s.is(i-1, "[", ",", ".") {
			continue
		}
		var args []argument
		if s.is(i+1, "(") {
			args = s.arguments(i + 1)
		}
		open := i
		for open > max(0, i-maxHeader) && !s.is(open, "[") {
			open--
		}
		if t, ok := s.csharpMethod(open, args); ok {
			s.addOf(class, i, t)
		}
	}
}

// csharpCreate adds the tool that a call creates of a function, named by its options. Its
// parameters are those of the function, which are not read.
func (s *source) csharpCreate(open int) {
	var t registry.Tool
	for i := open; i < s.end(open) && t.Name == ""; i++ {
		if s.is(i, "{") && s.is(i+2, "=") {
			options := s.arguments(i)
			t = registry.Tool{
				Name: s.textOf(named(options, "Name")), Title: s.textOf(named(options, "Title")),
				Description: s.textOf(named(options, "Description")),
			}
			s.annotate(&t, i, s.end(i))
		}
	}
	s.add(open, t)
}

// csharpMethod reads the method with the attributes at and around open.
func (s *source) csharpMethod(open int, args []argument) (registry.Tool, bool) {
	t := registry.Tool{Title: s.textOf(named(args, "Title"))}
	if len(args) > 0 {
		s.annotate(&t, args[0].from, args[len(args)-1].to)
	}
	next := open
	for next < open+maxHeader && (s.is(next, "[") || s.at(next).kind == tokenDoc) {
		if s.is(next, "[") {
			end := s.end(next)
			if text := s.csharpDescription(next, end); text != "" {
				t.Description = text
			}
			next = end
		}
		next++
	}
	brace := next
	for brace < min(len(s.tokens), next+maxHeader) && !s.is(brace, "(", "{", ";") {
		brace++
	}
	if !s.is(brace, "(") || brace == next {
		return t, false
	}
	id := brace - 1
	if s.is(id, ">") { // generic method
		for id > next && !s.is(id, "<") {
			id--
		}
		id--
	}
	returns := joined(s.tokens[next:id])
	t.Name = csharpName(
		s.at(id).text,
		strings.Contains(returns, "Task") || strings.Contains(returns, "IAsyncEnumerable"),
	)
	if a := named(args, "Name"); a != nil {
		t.Name = s.textOf(a)
	}
	t.InputSchema = s.parameters(s.csharpParameters(brace))
	return t, true
}

func (s *source) csharpDescription(from, to int) string {
	for k := from; k < to; k++ {
		if s.is(k, "Description", "DescriptionAttribute") && s.is(k+1, "(") {
			text, _ := s.text(k+2, s.end(k+1))
			return strings.TrimSpace(text)
		}
	}
	return ""
}

var notLetters = regexp.MustCompile(`[^A-Za-z0-9]+`)

// csharpName derives the name of a tool from a method as the SDK does: in snake case, without the
// suffix Async if it is asynchronous.
func csharpName(method string, async bool) string {
	if async && len(method) > len("Async") {
		method = strings.TrimSuffix(method, "Async")
	}
	return snakeCase(strings.Trim(notLetters.ReplaceAllString(method, "_"), "_"))
}

// snakeCase is JsonNamingPolicy.SnakeCaseLower.
func snakeCase(s string) string {
	var b strings.Builder
	letters := []rune(s)
	for i, r := range letters {
		if unicode.IsUpper(r) && i > 0 && letters[i-1] != '_' {
			before, after := letters[i-1], rune(0)
			if i+1 < len(letters) {
				after = letters[i+1]
			}
			if !unicode.IsUpper(before) || unicode.IsLower(after) {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// services matches the ends of the names of types that the host injects.
var services = regexp.MustCompile(
	`^I[A-Z]|(Service|Services|Client|Factory|Context|Server|Repository|Provider|Manager|` +
		`Token|Store|Session|Accessor|Logger|Options|Params|Progress|Principal|Handler|Cache|Helper|Connection|Api)$`,
)

func (s *source) csharpParameters(open int) []member {
	var out []member
	for _, a := range s.arguments(open) {
		m := member{required: true}
		i := a.from
		if a.name != "" { // "type name = value"
			i -= 2
		}
		injected := false
		for s.is(i, "[") {
			end := s.end(i)
			if text := s.csharpDescription(i, end); text != "" {
				m.description = text
			}
			injected = injected || s.is(i+1, "FromKeyedServices", "FromServices")
			i = end + 1
		}
		for s.is(i, "this", "params", "in", "ref") {
			i++
		}
		end := i
		for end < a.to && !s.is(end, "=") {
			end++
		}
		if end-i < 2 {
			continue
		}
		m.required = end == a.to
		m.name, m.kind = s.at(end-1).text, s.tokens[i:end-1]
		outer, _, _ := strings.Cut(joined(m.kind), "<")
		outer = strings.TrimSuffix(outer[strings.LastIndexByte(outer, '.')+1:], "?")
		if collection := typeSchema(m.kind).Len() > 0; !injected &&
			(collection || !services.MatchString(outer)) {
			out = append(out, m)
		}
	}
	return out
}
