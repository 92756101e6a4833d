package others

import (
	"strings"

	"mcpcensus/crawler/source/schema"
)

// jsonTypes are the types of JSON Schema by the names of types, in lower case.
var jsonTypes = typeTable(map[string]string{
	"string": "string str char charsequence pathbuf guid uuid uri datetime datetimeoffset dateonly " +
		"timespan localdate localdatetime instant",
	"boolean": "bool boolean",
	"integer": "int integer long short byte uint ulong int32 int64 u8 u16 u32 u64 u128 usize " +
		"i8 i16 i32 i64 i128 isize biginteger",
	"number": "double float decimal f32 f64 bigdecimal number",
	"array": "array list ilist ienumerable ireadonlylist icollection ireadonlycollection hashset set " +
		"collection mutablelist vec",
	"object": "hash map dictionary idictionary ireadonlydictionary hashmap btreemap jsonobject objectnode",
})

func typeTable(names map[string]string) map[string]string {
	out := map[string]string{}
	for kind, list := range names {
		for name := range strings.FieldsSeq(list) {
			out[name] = kind
		}
	}
	return out
}

// wrapperTypes are generic types with the schema of the type inside them.
var wrapperTypes = map[string]bool{"Option": true, "Optional": true, "Box": true, "Arc": true}

// typeSchema returns the schema of a type, empty if it is not a simple one.
func typeSchema(kind []token) *schema.Object { return namedType(joined(kind)) }

func namedType(text string) *schema.Object {
	text = strings.TrimSuffix(strings.TrimSuffix(strings.TrimLeft(text, "&:?"), "|null"), "?")
	if item, isArray := strings.CutSuffix(text, "[]"); isArray {
		return schema.New("type", "array", "items", namedType(item))
	}
	outer, inner, isGeneric := strings.Cut(text, "<")
	inner = strings.TrimSuffix(inner, ">")
	outer = outer[strings.LastIndexAny(outer, ".:")+1:]
	if isGeneric && wrapperTypes[outer] {
		return namedType(inner)
	}
	out := &schema.Object{}
	if t := jsonTypes[strings.ToLower(outer)]; t != "" {
		out.Set("type", t)
	}
	if outer == "Vec" && isGeneric {
		out.Set("items", namedType(inner))
	}
	return out
}
