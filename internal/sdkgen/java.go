package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// A javaClass is the class of an object, or of the parameters of a call.
type javaClass struct {
	Definition
	Method  string // of a call
	Body    string
	enums   map[string]bool
	imports []string // besides those of the body
}

// java returns the class of each type by name. A class wraps the decoded object and
// reads a member when it is asked for it, so unknown members stay and unexpected
// values of enumerations are strings.
func java(defs []Definition) map[string]string {
	enums := map[string]bool{}
	for _, d := range defs {
		enums[d.Name] = d.IsEnum()
	}
	all := map[string]string{}
	for _, d := range defs {
		c := javaClass{Definition: d, enums: enums, imports: []string{
			"java.util.Map", "java.util.Set", "org.mcpcensus.census.json.JsonObject",
		}}
		if d.Cases != nil {
			c.imports = append(c.imports, "org.mcpcensus.census.json.UnknownObject")
		}
		switch {
		case d.Request:
		case d.IsEnum():
			all[d.Name] = written("enum", d)
		default:
			c.Body = written("members", c)
			all[d.Name] = written("class", c)
		}
	}
	return all
}

// javaImports are the imports of a class whose body has a word.
var javaImports = [][2]string{
	{"Instant ", "java.time.Instant"}, {"Instant>", "java.time.Instant"},
	{"LocalDate ", "java.time.LocalDate"}, {"LocalDate>", "java.time.LocalDate"},
	{"Collection<", "java.util.Collection"}, {"List.of", "java.util.List"}, {"List<", "java.util.List"},
	{"Optional<", "java.util.Optional"}, {"OptionalLong ", "java.util.OptionalLong"},
	{"OptionalDouble ", "java.util.OptionalDouble"},
}

func (c javaClass) Imports() []string {
	all := slices.Clone(c.imports)
	for _, i := range javaImports {
		if strings.Contains(c.Body, i[0]) {
			all = append(all, i[1])
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func javaDoc(indent, doc string) string {
	return blockComment(indent, strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;",
		"@", "&#64;").Replace(doc))
}

// Known returns the names of the members as string literals, in lines of 100 columns.
func (c javaClass) Known() string {
	const indent = "                    "
	var b strings.Builder
	column := len("            Set.of(")
	for i, m := range c.Members {
		literal := fmt.Sprintf("%q", m.Name)
		if i > 0 {
			b.WriteString(",")
			if column+len(literal)+4 > 100 {
				b.WriteString("\n" + indent)
				column = len(indent)
			} else {
				b.WriteString(" ")
			}
			column += 2
		}
		b.WriteString(literal)
		column += len(literal)
	}
	return b.String()
}

// javaKinds are the types of Java by kind, and the functions that decode them.
var javaKinds = map[Kind]struct{ value, boxed, decoder string }{
	Any:     {"Object", "Object", "v -> v"},
	String:  {"String", "String", "JsonObject::text"},
	Moment:  {"Instant", "Instant", "JsonObject::instant"},
	Date:    {"LocalDate", "LocalDate", "JsonObject::date"},
	Integer: {"long", "Long", "JsonObject::integer"},
	Number:  {"double", "Double", "JsonObject::number"},
	Boolean: {"boolean", "Boolean", "JsonObject::bool"},
}

// isAbsent reports whether a member may have no value.
func (m Member) isAbsent() bool { return m.Type.Null || !m.Required }

func (c javaClass) Type(m Member) string {
	switch {
	case m.isAbsent() && m.Type.Kind == Integer:
		return "OptionalLong"
	case m.isAbsent() && m.Type.Kind == Number:
		return "OptionalDouble"
	case m.isAbsent():
		return "Optional<" + c.Boxed(m.Type) + ">"
	}
	return cmp.Or(javaKinds[m.Type.Kind].value, c.Boxed(m.Type))
}

// Boxed returns a type as an argument of another one.
func (c javaClass) Boxed(t Type) string {
	switch {
	case t.Kind == Array:
		return "List<" + c.Boxed(*t.Item) + ">"
	case t.Kind == Map:
		return "Map<String, " + c.Boxed(*t.Item) + ">"
	case t.Kind == Named && !c.enums[t.Name]:
		return t.Name
	case t.Kind == Named:
		t.Kind = String
	}
	return javaKinds[t.Kind].boxed
}

// Read returns the expression that reads a member: read or optional of JsonObject
// with a decoder of Decode.
func (c javaClass) Read(m Member) string {
	method := "required"
	if m.isAbsent() {
		method = "optional" + map[Kind]string{Integer: "Long", Number: "Double"}[m.Type.Kind]
	}
	return fmt.Sprintf("%s(%q, %s)", method, m.Name, c.Decoder(m.Type))
}

func (c javaClass) Decoder(t Type) string {
	switch {
	case t.Kind == Array:
		return "list(" + c.Decoder(*t.Item) + ")"
	case t.Kind == Map && t.Item.Kind == Any:
		return "JsonObject::members"
	case t.Kind == Map:
		return "map(" + c.Decoder(*t.Item) + ")"
	case t.Kind == Named && !c.enums[t.Name]:
		return "object(" + t.Name + "::new)"
	case t.Kind == Named:
		t.Kind = String
	}
	return javaKinds[t.Kind].decoder
}

// javaWords are the keywords and methods of Object that members are called.
var javaWords = []string{"default", "package", "class", "interface", "notify", "wait", "public"}

func javaName(name string) string {
	name = camel(strings.TrimLeft(name, "_"))
	if slices.Contains(javaWords, name) {
		name += "Value"
	}
	return name
}

// constant returns the name of a value of an enumeration.
func constant(value string) string {
	var b strings.Builder
	for i, c := range value {
		switch {
		case unicode.IsUpper(c) && i > 0:
			b.WriteString("_" + string(c))
		case unicode.IsLetter(c) || unicode.IsDigit(c):
			b.WriteRune(unicode.ToUpper(c))
		default:
			b.WriteByte('_')
		}
	}
	s := b.String()
	if s == "" || unicode.IsDigit(rune(s[0])) {
		s = "_" + s
	}
	return s
}
