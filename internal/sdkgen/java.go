package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// java returns the class of each type by name. A class wraps the decoded object and
// reads a member when it is asked for it, so unknown members stay and unexpected
// values of enumerations are strings.
func java(defs []Definition) map[string]string {
	enums := map[string]bool{}
	for _, d := range defs {
		enums[d.Name] = d.IsEnum()
	}
	files := map[string]string{}
	for _, d := range defs {
		if d.Request {
			continue
		}
		var b strings.Builder
		fmt.Fprintf(&b, "// %s\npackage org.mcpcensus.census.model;\n\n", generated)
		if d.IsEnum() {
			javaEnum(&b, d)
		} else {
			javaClass(&b, d, enums)
		}
		files[d.Name] = b.String()
	}
	return files
}

func javaDoc(indent, doc string) string {
	return blockComment(indent, strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;",
		"@", "&#64;").Replace(doc))
}

func javaEnum(b *strings.Builder, d Definition) {
	b.WriteString(javaDoc("", cmp.Or(d.Doc, "Known values. A newer registry may have others.")))
	fmt.Fprintf(b, "public final class %s {\n    private %s() {}\n", d.Name, d.Name)
	for _, v := range d.Values {
		fmt.Fprintf(b, "\n    /** %s */\n    public static final String %s = %q;\n", v, constant(v), v)
	}
	b.WriteString("}\n")
}

// javaParamEnum returns the class of an enumeration of requests. Unlike those of responses, it is
// closed.
func javaParamEnum(d Definition) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\npackage org.mcpcensus.census.params;\n\n", generated)
	b.WriteString(javaDoc("", cmp.Or(d.Doc, "Values of parameters.")))
	fmt.Fprintf(&b, "public enum %s {", d.Name)
	for i, v := range d.Values {
		fmt.Fprintf(&b, "\n    /** %s */\n    %s(%q)%c\n", v, constant(v), v, ",;"[(i+1)/len(d.Values)])
	}
	fmt.Fprintf(&b, `
    private final String value;

    %s(String value) {
        this.value = value;
    }

    /** Returns the value in the API. */
    @Override
    public String toString() {
        return value;
    }
}
`, d.Name)
	return b.String()
}

func javaClass(b *strings.Builder, d Definition, enums map[string]bool) {
	var body strings.Builder
	for _, m := range d.Members {
		body.WriteString("\n")
		doc := cmp.Or(m.Doc, "Returns the member "+m.Name+".")
		if d.Cases != nil && m.Name == "data" {
			doc = "Returns what the event is about, in the class for the type, else an UnknownObject."
		}
		body.WriteString(javaDoc("    ", doc))
		absent := m.Type.Null || !m.Required
		t := m.Type
		t.Null = false
		if d.Cases != nil && m.Name == "data" {
			javaCases(&body, d)
			continue
		}
		fmt.Fprintf(&body, "    public %s %s() {\n        return %s;\n    }\n",
			javaType(t, absent, enums), javaName(m.Name), javaRead(m.Name, t, absent, enums))
	}
	if d.Open != nil {
		body.WriteString("\n" + javaDoc("    ", "Returns the members without a method, by their names."))
		fmt.Fprintf(&body, "    public Map<String, %s> others() {\n        return others(%s);\n    }\n",
			javaBoxed(*d.Open, enums), javaDecoder(*d.Open, enums))
	}
	imports := []string{"java.util.Map", "java.util.Set"}
	for word, pkg := range map[string]string{"List<": "java.util.List", "Optional<": "java.util.Optional",
		"OptionalLong ": "java.util.OptionalLong", "OptionalDouble ": "java.util.OptionalDouble",
		"Instant": "java.time.Instant", "LocalDate": "java.time.LocalDate"} {
		if strings.Contains(body.String(), word) {
			imports = append(imports, pkg)
		}
	}
	imports = append(imports, "org.mcpcensus.census.json.JsonObject")
	if d.Cases != nil {
		imports = append(imports, "org.mcpcensus.census.json.UnknownObject")
	}
	slices.Sort(imports)
	for _, i := range imports {
		fmt.Fprintf(b, "import %s;\n", i)
	}
	b.WriteString("\n")
	b.WriteString(javaDoc("", cmp.Or(d.Doc, "An object of the API.")))
	fmt.Fprintf(b, "public final class %s extends JsonObject {\n", d.Name)
	b.WriteString("    private static final Set<String> KNOWN =\n            Set.of(" + javaKnown(d) + ");\n\n")
	fmt.Fprintf(b, "    /** Wraps a decoded object. */\n    public %s(Map<String, Object> members) {\n", d.Name)
	b.WriteString("        super(members);\n    }\n\n")
	b.WriteString("    @Override\n    protected Set<String> known() {\n        return KNOWN;\n    }\n")
	b.WriteString(body.String())
	b.WriteString("}\n")
}

// javaCases writes the method that returns the data of an object by its type.
func javaCases(b *strings.Builder, d Definition) {
	b.WriteString("    public JsonObject data() {\n        switch (type()) {\n")
	for _, t := range d.CaseTypes() {
		for _, v := range d.valuesOf(t) {
			fmt.Fprintf(b, "            case %s:\n", v)
		}
		fmt.Fprintf(b, "                return required(\"data\", object(%s::new));\n", t)
	}
	b.WriteString("            default:\n                return required(\"data\", object(UnknownObject::new));\n" +
		"        }\n    }\n")
}

// javaKnown returns the names of the members as string literals, in lines of 100 columns.
func javaKnown(d Definition) string {
	const indent = "                    "
	var b strings.Builder
	column := len("            Set.of(")
	for i, m := range d.Members {
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

func javaType(t Type, absent bool, enums map[string]bool) string {
	switch {
	case absent && t.Kind == Integer:
		return "OptionalLong"
	case absent && t.Kind == Number:
		return "OptionalDouble"
	case absent:
		return "Optional<" + javaBoxed(t, enums) + ">"
	}
	return cmp.Or(javaKinds[t.Kind].value, javaBoxed(t, enums))
}

func javaBoxed(t Type, enums map[string]bool) string {
	switch {
	case t.Kind == Array:
		return "List<" + javaBoxed(*t.Item, enums) + ">"
	case t.Kind == Map:
		return "Map<String, " + javaBoxed(*t.Item, enums) + ">"
	case t.Kind == Named && !enums[t.Name]:
		return t.Name
	case t.Kind == Named:
		t.Kind = String
	}
	return javaKinds[t.Kind].boxed
}

// javaRead returns the expression that reads a member: read or optional of JsonObject
// with a decoder of Decode.
func javaRead(name string, t Type, absent bool, enums map[string]bool) string {
	method := "required"
	if absent {
		method = "optional" + map[Kind]string{Integer: "Long", Number: "Double"}[t.Kind]
	}
	return fmt.Sprintf("%s(%q, %s)", method, name, javaDecoder(t, enums))
}

func javaDecoder(t Type, enums map[string]bool) string {
	switch {
	case t.Kind == Array:
		return "list(" + javaDecoder(*t.Item, enums) + ")"
	case t.Kind == Map && t.Item.Kind == Any:
		return "JsonObject::members"
	case t.Kind == Map:
		return "map(" + javaDecoder(*t.Item, enums) + ")"
	case t.Kind == Named && !enums[t.Name]:
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
