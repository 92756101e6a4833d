package others

import (
	"slices"
	"strconv"
	"strings"

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
	constants map[string]string   // "\x00" for several values
	structs   map[string][]member // fields of types by name
	factories map[string]bool     // functions with the parameters name and description
	lists     bool                // a file handles tools/list
	tools     []registry.Tool
	index     map[string]int
	partial   bool
}

// A member is a field of a type, or a parameter of a function.
type member struct {
	name        string
	kind        []token
	description string
	required    bool
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
	if t.kind != tokenWord && t.kind != tokenOperator {
		return false
	}
	for _, text := range texts {
		if t.text == text {
			return true
		}
	}
	return false
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
			b := s.at(i).text == "true"
			return &b
		}
	}
	return nil
}

// hints returns the annotations among the arguments, or nil.
func (s *source) hints(args []argument) *registry.ToolAnnotations {
	out := registry.ToolAnnotations{
		ReadOnly:    s.boolean(named(args, "readOnlyHint", "read_only_hint", "readOnly")),
		Destructive: s.boolean(named(args, "destructiveHint", "destructive_hint", "destructive")),
		Idempotent:  s.boolean(named(args, "idempotentHint", "idempotent_hint", "idempotent")),
		OpenWorld:   s.boolean(named(args, "openWorldHint", "open_world_hint", "openWorld")),
	}
	if out == (registry.ToolAnnotations{}) {
		return nil
	}
	return &out
}

// add adds a tool. A tool without a name makes the list partial.
func (s *source) add(t registry.Tool) {
	if t.Name == "" || len(t.Name) > 128 || strings.ContainsAny(t.Name, " \t\r\n\"'`{}<>()[]") {
		s.partial = true
		return
	}
	i, found := s.index[t.Name]
	if !found {
		s.index[t.Name] = len(s.tools)
		s.tools = append(s.tools, t)
		return
	}
	known := &s.tools[i]
	if known.Description == "" {
		known.Description = t.Description
	}
	if known.InputSchema == nil {
		known.InputSchema = t.InputSchema
	}
}

// collectConstants adds the constants of a file: X = "text", also with a type in between.
func (s *source) collectConstants() {
	for i := range s.tokens {
		if !s.is(i, "=") || s.at(i+1).kind != tokenString {
			continue
		}
		id := s.constantName(i)
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
	for k := i - 1; k >= max(0, i-10) && !s.is(k, ";", "{", "}", "(", ",", "[", ")"); k-- {
		switch t := s.at(k); {
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

// data converts a literal to JSON: objects and lists of the languages. It reports false for
// expressions that are not constant.
func (s *source) data(from, to, depth int) (any, bool) {
	for from < to && s.at(from).kind == tokenDoc {
		from++
	}
	if depth > 30 || from >= to {
		return nil, false
	}
	if s.is(from, "{", "[") && s.end(from) == to-1 {
		return s.object(from, depth)
	}
	if text, ok := s.text(from, to); ok {
		return text, true
	}
	if to-from == 1 {
		return s.scalar(from)
	}
	if s.is(from, ".") && s.is(from+2, "(") && s.end(from+2) == to-1 {
		if o := s.schemaCall(from+1, depth); o != nil {
			return o, true
		}
	}
	for i := from; i < to-1 && i < from+6; i++ { // .object([...]), json!({...}), array(...)
		if s.is(i, "(", "{", "[") && s.end(i) == to-1 {
			if s.is(i, "(") && (!s.is(i-1, "array") || s.is(i-2, ".")) {
				return s.data(i+1, to-1, depth+1)
			}
			return s.object(i, depth)
		}
	}
	return nil, false
}

// scalar converts a token that is a number, a boolean or null.
func (s *source) scalar(i int) (any, bool) {
	switch t := s.at(i); {
	case s.is(i, "true", "false"):
		return t.text == "true", true
	case s.is(i, "null", "nil", "None"):
		return nil, true
	case t.kind == tokenNumber:
		f, err := strconv.ParseFloat(strings.ReplaceAll(t.text, "_", ""), 64)
		return f, err == nil
	}
	return nil, false
}

// schemaCall reads a schema of the form .string(description: "..."), nil if the call at i is not
// one.
func (s *source) schemaCall(i, depth int) *schema.Object {
	kind := s.at(i).text
	args := s.arguments(i + 1)
	switch kind {
	case "string", "integer", "number", "boolean", "array", "object":
	default:
		return nil
	}
	out := schema.New("type", kind)
	for _, a := range args {
		if a.name == "" {
			return nil
		}
		if v, ok := s.data(a.from, a.to, depth+1); ok {
			out.Set(a.name, v)
		}
	}
	return out
}

// object converts the contents of a bracket: entries with keys to an object, otherwise to a list.
// Entries that are not constant are empty, or omitted if they are texts. It reports false if
// elements, keys or the properties of a schema are not constant.
func (s *source) object(open, depth int) (any, bool) {
	out, list := &schema.Object{}, []any{}
	keyed := s.is(open, "{")
	for _, a := range s.arguments(open) {
		key, from := a.name, a.from
		if a.to-from == 1 && s.at(from).kind == tokenDoc {
			continue
		}
		if key == "" {
			if k := s.keyEnd(a); k > 0 {
				key, _ = s.text(a.from, k)
				from = k + 1
				if key == "" {
					return nil, false
				}
			}
		}
		v, ok := s.data(from, a.to, depth+1)
		switch {
		case ok && key == "":
			list = append(list, v)
		case ok:
			out.Set(key, v)
		case key == "" || key == "properties":
			return nil, false
		case !slices.Contains(texts, key):
			out.Set(key, &schema.Object{})
		}
		keyed = keyed || key != ""
	}
	if keyed {
		return out, len(list) == 0
	}
	return list, true
}

// texts are members of a schema that are omitted if they are not constant.
var texts = []string{"description", "default", "enum", "required", "type", "title"}

// keyEnd returns the position of the ":" or "=>" after a quoted key.
func (s *source) keyEnd(a argument) int {
	for i := a.from; i < a.to && i < a.from+6; i++ {
		if s.is(i, ":", "=>") && i > a.from {
			return i
		}
		if s.is(i, "(", "{", "[") {
			return -1
		}
	}
	return -1
}

// schemaOf returns the schema in an argument: a literal, or JSON in a string.
func (s *source) schemaOf(a *argument) []byte {
	if a == nil {
		return nil
	}
	v, ok := s.data(a.from, a.to, 0)
	if !ok {
		return nil
	}
	if text, isText := v.(string); isText {
		return jsonObject(text)
	}
	o, _ := v.(*schema.Object)
	if o == nil || o.Len() == 0 {
		return nil
	}
	if _, isObject := o.Get("properties").(*schema.Object); !isObject && o.Has("properties") {
		return nil
	}
	return o.Encode()
}

// parameters returns the schema of parameters.
func parameters(members []member) []byte {
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
