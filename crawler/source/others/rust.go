package others

import (
	"strings"

	"mcpcensus/internal/registry"
)

// rust adds functions with #[tool], structs with #[mcp_tool], implementations of tool traits, and
// calls of Tool::new and of own functions that take the name and the description of a tool.
func (s *source) rust() {
	for i := range s.tokens {
		switch {
		case s.is(i, "#["):
			s.rustAttribute(i)
		case s.is(i, "Tool") && s.is(i+1, "::") && s.is(i+2, "new", "new_with_raw") && s.is(i+3, "("):
			s.addCreated(i, s.arguments(i+3))
		case s.is(i, "impl"):
			s.rustImpl(i)
		}
	}
}

// rustSchema returns the schema in an argument, or of the struct that it names.
func (s *source) rustSchema(a *argument) []byte {
	if a == nil {
		return nil
	}
	if b := s.schemaOf(a); b != nil {
		return b
	}
	for i := a.from; i < a.to; i++ {
		if s.is(i, "json") && s.is(i+1, "!") && s.is(i+2, "(") { // in conversions
			return s.schemaOf(&argument{from: i, to: s.end(i+2) + 1})
		}
		if _, ok := s.structs[s.at(i).text]; ok && s.at(i).kind == tokenWord {
			return s.rustStruct(s.at(i).text)
		}
	}
	return nil
}

// rustImpl adds an implementation of a tool trait with a name and a description, as constants or
// functions without arguments.
func (s *source) rustImpl(i int) {
	open := i + 1
	trait := ""
	for open < min(len(s.tokens), i+maxHeader) && !s.is(open, "{", ";") {
		if s.is(open, "for") {
			trait = s.at(open - 1).text
		}
		open++
	}
	if !strings.HasPrefix(trait, "Tool") && !strings.HasSuffix(trait, "Tool") {
		return
	}
	var t registry.Tool
	end := min(s.end(open), open+20*maxHeader)
	for k := open + 1; k < end; k++ {
		if s.is(k, "{") {
			k = s.end(k)
		}
		switch {
		case s.is(k, "const", "fn"):
			setMember(&t, s.at(k+1).text, s.rustConstant(k))
		case s.is(k, "type") && s.is(k+2, "=") && !strings.Contains(s.at(k+1).text, "Out"):
			if b := s.rustStruct(s.at(k + 3).text); b != nil && t.InputSchema == nil {
				t.InputSchema = b
			}
		}
	}
	if t.Name != "" && t.Description != "" {
		s.add(i, t)
	}
}

// rustConstant returns the string of the constant or of the function without arguments declared
// at k.
func (s *source) rustConstant(k int) string {
	if s.is(k, "const") {
		to, eq := s.find(k, ";"), s.find(k, "=")
		if eq < 0 || eq > to {
			return ""
		}
		return s.textOf(&argument{from: eq + 1, to: to})
	}
	body := s.find(k, "{")
	if body < 0 || body > k+24 || !s.is(k+2, "(") || s.end(k+2) > k+5 {
		return ""
	}
	return s.textOf(&argument{from: body + 1, to: s.end(body)})
}

func setMember(t *registry.Tool, key, value string) {
	switch strings.ToLower(key) {
	case "name":
		t.Name = value
	case "title":
		t.Title = value
	case "description":
		t.Description = value
	}
}

// withoutTests removes modules with #[cfg(test)].
func (s *source) withoutTests() {
	var out []token
	for i := 0; i < len(s.tokens); i++ {
		if s.is(i, "cfg") && s.is(i+1, "(") && s.is(i+2, "test") && s.is(i+5, "mod") && s.is(i+7, "{") {
			i = s.end(i + 7)
			out = out[:max(0, len(out)-2)]
			continue
		}
		out = append(out, s.tokens[i])
	}
	s.setTokens(out)
}

// rustAttribute adds the function or struct after a tool attribute.
func (s *source) rustAttribute(open int) {
	at := open + 1
	for s.at(at+1).kind == tokenOperator && s.is(at+1, "::") { // #[rmcp::tool]
		at += 2
	}
	if !s.is(at, "tool", "mcp_tool") {
		return
	}
	var args []argument
	if s.is(at+1, "(") {
		args = s.arguments(at + 1)
	}
	next, doc := s.rustItem(s.end(open) + 1)
	doc = append(s.docsBefore(open), doc...)
	t := registry.Tool{Title: s.textOf(named(args, "title")), Description: s.textOf(named(args, "description"))}
	if t.Description == "" && named(args, "description") == nil {
		t.Description = rustDoc(doc)
	}
	s.annotate(&t, at, s.end(open))
	switch {
	case s.is(next, "fn"):
		t.Name = s.at(next + 1).text
		t.InputSchema = s.rustParameters(next + 2)
	case s.is(next, "struct") && s.is(at, "mcp_tool"):
		t.InputSchema = s.rustStruct(s.at(next + 1).text)
	default:
		return
	}
	if a := named(args, "name"); a != nil {
		t.Name = s.textOf(a)
	}
	s.add(open, t)
}

// rustItem returns the position of the item after an attribute, and the documentation in between.
func (s *source) rustItem(next int) (int, []string) {
	var doc []string
	for end := next + maxHeader; next < end; {
		switch t := s.at(next); {
		case t.kind == tokenDoc:
			doc = append(doc, t.text)
			next++
		case s.is(next, "#["):
			next = s.end(next) + 1
		case s.is(next, "pub", "async", "const", "unsafe", "(", "crate", ")"):
			next++
		default:
			return next, doc
		}
	}
	return next, doc
}

func (s *source) docsBefore(i int) []string {
	first := i
	for s.at(first-1).kind == tokenDoc {
		first--
	}
	var out []string
	for _, t := range s.tokens[first:i] {
		out = append(out, t.text)
	}
	return out
}

// rustDoc joins documentation as the macro does: trimmed, without empty lines.
func rustDoc(lines []string) string {
	var out []string
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// rustParameters returns the schema of Parameters<T>, nil if unknown.
func (s *source) rustParameters(i int) []byte {
	open := s.find(i, "(")
	if open < 0 || open > i+20 {
		return nil
	}
	for _, a := range s.arguments(open) {
		for k := a.from; k < a.to; k++ {
			if s.is(k, "Parameters") && s.is(k+1, "<") {
				return s.rustStruct(lastWord(s.tokens[k+2 : a.to]))
			}
			if s.is(k, "(") && s.is(k+1, "param", "aggr") { // #[tool(param)] of rmcp 0.1
				return nil
			}
		}
	}
	return s.parameters(nil)
}

// lastWord returns the last name of the path at the beginning of tokens.
func lastWord(tokens []token) string {
	out := ""
	for _, t := range tokens {
		if t.kind == tokenWord {
			out = t.text
		} else if t.text == ">" || t.text == "<" || t.text == "," {
			break
		}
	}
	return out
}

func joined(tokens []token) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString(t.text)
	}
	return b.String()
}

// rustStructs collects the fields of structs.
func (s *source) rustStructs() {
	for i := range s.tokens {
		if !s.is(i, "struct") || s.at(i+1).kind != tokenWord {
			continue
		}
		open := i + 2
		for open < min(len(s.tokens), i+maxHeader) && !s.is(open, "{", ";", "(") {
			open++
		}
		if !s.is(open, "{") {
			continue
		}
		id := s.at(i + 1).text
		s.structs[id] = append(s.structs[id], declared{s.path, s.rustFields(open, s.renamesAll(i))})
	}
}

// renamesAll returns the case of #[serde(rename_all = "...")] before a struct.
func (s *source) renamesAll(i int) string {
	for k := i; k > max(0, i-60) && !s.is(k, "}", ";"); k-- {
		if s.is(k, "rename_all") && s.is(k+1, "=") {
			return s.at(k + 2).text
		}
	}
	return ""
}

func (s *source) rustFields(open int, renames string) []member {
	var out []member
	m := member{required: true}
	var doc []string
	skip := false
	end := s.end(open)
	for i := open + 1; i < end; i++ {
		switch {
		case s.at(i).kind == tokenDoc:
			doc = append(doc, s.at(i).text)
		case s.is(i, "#["):
			close := s.end(i)
			skip = s.fieldAttribute(&m, i, close) || skip
			i = close
		case s.at(i).kind == tokenWord && s.is(i+1, ":"):
			if m.name == "" {
				m.name = renamed(s.at(i).text, renames)
			}
			to := s.typeEnd(i+2, end)
			m.kind = s.tokens[i+2 : to]
			m.required = m.required && !strings.HasPrefix(joined(m.kind), "Option<")
			if m.description == "" {
				m.description = rustDoc(doc)
			}
			if !skip {
				out = append(out, m)
			}
			m, doc, skip = member{required: true}, nil, false
			i = to
		}
	}
	return out
}

// fieldAttribute reads an attribute of serde or schemars. It reports true if the field is not in
// the schema.
func (s *source) fieldAttribute(m *member, from, to int) (skip bool) {
	for k := from; k < to; k++ {
		switch {
		case s.is(k, "rename") && s.is(k+1, "="):
			m.name = s.at(k + 2).text
		case s.is(k, "description") && s.is(k+1, "="):
			m.description = s.at(k + 2).text
		case s.is(k, "default"):
			m.required = false
		case s.is(k, "skip") && s.is(k+1, ")", ","):
			skip = true
		case s.is(k, "flatten"):
			m.isFlat = true
		}
	}
	return skip
}

// typeEnd returns the position of the comma after a type.
func (s *source) typeEnd(i, end int) int {
	for depth := 0; i < end && (depth > 0 || !s.is(i, ",")); i++ {
		switch {
		case s.is(i, "<", "(", "["):
			depth++
		case s.is(i, ">", ")", "]"):
			depth--
		}
	}
	return i
}

// renamed applies a serde case to the name of a field.
func renamed(id, to string) string {
	switch to {
	case "camelCase":
		parts := strings.Split(id, "_")
		for i, part := range parts[1:] {
			if part != "" {
				parts[i+1] = strings.ToUpper(part[:1]) + part[1:]
			}
		}
		return strings.Join(parts, "")
	case "kebab-case":
		return strings.ReplaceAll(id, "_", "-")
	}
	return id
}

// rustStruct returns the schema of a struct of the files, nil for other types.
func (s *source) rustStruct(id string) []byte {
	members, ok := s.fields(id)
	if !ok {
		return nil
	}
	return s.parameters(members)
}
