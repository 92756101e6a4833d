package others

import (
	"path"
	"slices"
	"strings"

	"mcpcensus/crawler/source/listing"
	"mcpcensus/crawler/source/schema"
	"mcpcensus/internal/registry"
)

// A source is a file as tokens. Positions are indexes of tokens. The token after the end is
// tokenEnd.
type source struct {
	path     string
	language string
	tokens   []token
	ends     []int             // of brackets, by their positions
	own      map[string]string // constants of the file
	regions  []region
	marks    []int // see [source.mark]
	*project
}

// setTokens sets the tokens and pairs their brackets.
func (s *source) setTokens(tokens []token) {
	s.tokens, s.ends = tokens, make([]int, len(tokens))
	var open []int
	for i, t := range tokens {
		s.ends[i] = len(tokens)
		if t.kind != tokenOperator {
			continue
		}
		switch t.text {
		case "(", "[", "{", "#[":
			open = append(open, i)
		case ")", "]", "}":
			if n := len(open); n > 0 {
				s.ends[open[n-1]] = i
				open = open[:n-1]
			}
		}
	}
}

// A project contains the declarations that the files of a repository share.
type project struct {
	constants map[string]string     // "\x00" for several values
	literals  map[string][]span     // constant lists and objects by name
	values    map[string][]span     // that may be annotations, by name
	structs   map[string][]declared // types by name
	rubyTools []string              // classes of tools
	factories map[string]bool       // functions with the parameters name and description
	lists     bool                  // a file handles tools/list
	tools     listing.Tools
	classes   map[string]bool       // names of classes
	features  map[string]bool       // of Cargo, that builds have by default
	types     listing.Calls[string] // where classes are named
}

// A declared type has a path and fields.
type declared struct {
	path   string
	fields []member
}

// A member is a field of a type, or a parameter of a function.
type member struct {
	name        string
	kind        []token
	description string
	required    bool
	isFlat      bool // the fields of its type take its place
}

func (s *source) at(i int) token {
	if i >= 0 && i < len(s.tokens) {
		return s.tokens[i]
	}
	return token{}
}

// is reports whether the token at i is an operator or word with this text.
func (s *source) is(i int, texts ...string) bool {
	t := s.at(i)
	return (t.kind == tokenWord || t.kind == tokenOperator) && slices.Contains(texts, t.text)
}

// maxHeader is the number of tokens searched for the end of a declaration. It makes the work
// linear in the size of the file.
const maxHeader = 1000

// find returns the next position from i with one of the words, -1 if there is none nearby.
func (s *source) find(i int, words ...string) int {
	for end := min(len(s.tokens), i+maxHeader); i < end; i++ {
		if s.is(i, words...) {
			return i
		}
	}
	return -1
}

// end returns the position of the bracket that closes the one at i.
func (s *source) end(i int) int {
	if i >= 0 && i < len(s.ends) {
		return s.ends[i]
	}
	return len(s.tokens)
}

// An argument is between from and to, after its name if it has one.
type argument struct {
	name     string
	from, to int
}

// arguments splits the contents of the bracket at open.
func (s *source) arguments(open int) []argument {
	var out []argument
	end := s.end(open)
	angle := 0
	from := open + 1
	for i := open + 1; i <= end && i <= len(s.tokens); i++ {
		switch {
		case i < end && s.is(i, "(", "[", "{", "#["):
			i = s.end(i)
			continue
		case s.is(i, "<"):
			angle++
		case s.is(i, ">") && angle > 0:
			angle--
		}
		if i < end && (angle > 0 || !s.is(i, ",")) {
			continue
		}
		if from < i {
			a := argument{from: from, to: i}
			if s.at(from).kind == tokenWord && s.is(from+1, "=", ":") && from+2 < i {
				a.name, a.from = s.at(from).text, from+2
			}
			out = append(out, a)
		}
		from = i + 1
	}
	return out
}

// named returns the argument with one of the names, ignoring case, nil if there is none.
func named(args []argument, names ...string) *argument {
	for i := range args {
		for _, name := range names {
			if strings.EqualFold(args[i].name, name) {
				return &args[i]
			}
		}
	}
	return nil
}

// wrappers are calls that return their argument.
var wrappers = map[string]bool{
	"Some": true, "from": true, "Borrowed": true, "concat": true, "nameof": true, "string": true, "Value": true,
	"String": true, "Cow": true, "trim": true,
}

// text returns the constant string between two positions.
func (s *source) text(from, to int) (string, bool) {
	var b strings.Builder
	found := false
	for i := from; i < to; i++ {
		t := s.at(i)
		switch t.kind {
		case tokenString:
			b.WriteString(t.text)
			found = true
		case tokenWord:
			value, ok := s.word(i, to)
			if !ok {
				return "", false
			}
			if value != "" {
				b.WriteString(value)
				found = true
			}
		case tokenOperator:
			if !strings.ContainsAny(t.text, "+.(),!&:$\\") {
				return "", false
			}
		case tokenDoc:
		default:
			return "", false
		}
	}
	return b.String(), found
}

// word returns the value of a word in a string: that of a constant, or "" if it is a type, a
// conversion or part of a path.
func (s *source) word(i, to int) (string, bool) {
	id := s.at(i).text
	if s.is(i-1, "(") && s.is(i-2, "nameof") {
		return id, true
	}
	if i+1 < to && s.is(i+1, ".", "::") ||
		i+1 < to && s.is(i+1, "(", "!") && (s.is(i-1, ".", "::") || wrappers[id]) {
		return "", true
	}
	value, ok := s.own[id]
	if !ok {
		value, ok = s.constants[id]
	}
	return value, ok && value != "\x00"
}

// textOf returns the constant string of an argument, "" if there is none.
func (s *source) textOf(a *argument) string {
	if a == nil {
		return ""
	}
	text, _ := s.text(a.from, a.to)
	return strings.TrimSpace(text)
}

// boolean returns the Boolean constant of an argument, or nil.
func (s *source) boolean(a *argument) *bool {
	if a == nil {
		return nil
	}
	for i := a.from; i < a.to; i++ {
		if s.is(i, "true", "false") {
			return new(s.at(i).text == "true")
		}
	}
	return nil
}

// add adds a tool that the code at i registers.
func (s *source) add(i int, t registry.Tool) { s.tools.Add(t, s.around(i)) }

// addOf adds a tool of the class with this name. Its own conditions are those of the place that
// registers the class. In Ruby, code registers classes by their names, or all there are.
func (s *source) addOf(class string, i int, t registry.Tool) {
	isNamed := func(class string) bool { _, is := s.types[class]; return is }
	if s.language == "Ruby" && !isNamed(class) && slices.ContainsFunc(s.rubyTools, isNamed) {
		return
	}
	s.tools.Add(t, s.types.Around([]string{class}, s.around(i)))
}

// collectConstants adds the constants of a file: X = "text", also with a type in between, and
// lists and objects.
func (s *source) collectConstants() {
	for i := range s.tokens {
		if !s.is(i, "=") {
			continue
		}
		id := s.constantName(i)
		if open := s.find(i+1, "[", "{", "("); id != "" && open >= 0 && open < i+6 && !s.is(i+1, "(") {
			s.literals[id] = append(s.literals[id], span{s, i + 1, s.end(open) + 1})
		}
		if s.at(i+1).kind != tokenString {
			continue
		}
		end := i + 2
		for s.is(end, "+") && s.at(end+1).kind == tokenString {
			end += 2
		}
		if id == "" || s.is(end, "+") {
			continue
		}
		value, _ := s.text(i+1, end)
		keep(s.own, id, value)
		keep(s.constants, id, value)
	}
}

// keep sets a constant, which has no known value if it has several.
func keep(constants map[string]string, id, value string) {
	if known, ok := constants[id]; ok && known != value {
		value = "\x00"
	}
	constants[id] = value
}

// constantName returns the name of the constant declared before the = at i, "" if it is not one.
func (s *source) constantName(i int) string {
	id := ""
	for k := i - 1; k >= max(0, i-12) && !s.is(k, ";", "{", "}", "(", ",", "[", ")"); k-- {
		switch t := s.at(k); {
		case s.is(k, "]"): // of a type
			for k > 0 && !s.is(k, "[") {
				k--
			}
		case s.is(k, "mut"):
			return ""
		case s.is(k, "const", "static", "final", "val", "let", "readonly", "string", "String"):
			if id == "" || t.text != "string" && t.text != "String" {
				if id != "" {
					return id
				}
			}
		case s.is(k, ":"):
			id = ""
		case t.kind == tokenWord && (id == "" || s.is(k+1, ":")):
			id = t.text
		}
	}
	if id != "" && strings.ToUpper(id) == id {
		return id
	}
	return ""
}

// parameters returns the schema of parameters, nil if they are not known.
func (s *source) parameters(members []member) []byte {
	members, ok := s.flattened(members, 0)
	if !ok {
		return nil
	}
	properties := &schema.Object{}
	var required []string
	for _, m := range members {
		o := typeSchema(m.kind)
		if m.description != "" {
			o.Set("description", m.description)
		}
		properties.Set(m.name, o)
		if m.required {
			required = append(required, m.name)
		}
	}
	return schema.Parameters(properties, required).Encode()
}

const maxFlat = 5 // nested types

// flattened returns fields with those of the types that take their place, false if one of these is
// not known.
func (s *source) flattened(members []member, depth int) (out []member, ok bool) {
	for _, m := range members {
		if !m.isFlat {
			out = append(out, m)
			continue
		}
		inner, known := s.fields(lastWord(m.kind))
		if inner, ok = s.flattened(inner, depth+1); !known || !ok || depth > maxFlat {
			return nil, false
		}
		out = append(out, inner...)
	}
	return out, true
}

// fields returns the fields of a type of the files: of several with this name, of the nearest one.
// It reports false if there is none, or several equally near ones.
func (s *source) fields(id string) ([]member, bool) {
	var nearest []declared
	best := -1
	for _, d := range s.structs[id] {
		n := common(path.Dir(d.path), path.Dir(s.path))
		if d.path == s.path {
			n = len(s.path)
		}
		if n > best {
			best, nearest = n, nil
		}
		if n == best {
			nearest = append(nearest, d)
		}
	}
	if len(nearest) != 1 {
		return nil, false
	}
	return nearest[0].fields, true
}

// common returns the number of folders that two of them have in common.
func common(a, b string) int {
	n, other := 0, strings.Split(b, "/")
	for i, part := range strings.Split(a, "/") {
		if i >= len(other) || other[i] != part {
			break
		}
		n++
	}
	return n
}
