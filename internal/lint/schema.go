package lint

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	reason "github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// CurrentVersion is the latest schema generation.
const CurrentVersion = "2025-12-11"

// schemas are the schemas of the official registry; see NOTICE in the folder.
//
//go:embed schemas/*.json
var schemas embed.FS

// Versions returns the schema generations, oldest first.
func Versions() []string {
	files, _ := fs.Glob(schemas, "schemas/*.json")
	for i, f := range files {
		files[i] = strings.TrimSuffix(strings.TrimPrefix(f, "schemas/"), ".json")
	}
	return files
}

// SchemaURL returns the value of $schema of a generation.
func SchemaURL(version string) string {
	return "https://static.modelcontextprotocol.io/schemas/" + version + "/server.schema.json"
}

// A generation is a schema and the names of all its members.
type generation struct {
	schema *jsonschema.Schema
	names  map[string]bool
	plain  map[string]string // names by [plainName]
}

// generations are compiled on first use.
var generations = sync.OnceValue(func() map[string]generation {
	all := map[string]generation{}
	for _, version := range Versions() {
		b, err := schemas.ReadFile("schemas/" + version + ".json")
		if err != nil {
			panic(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			panic(err)
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource(SchemaURL(version), doc); err != nil {
			panic(err)
		}
		g := generation{schema: compiler.MustCompile(SchemaURL(version)), names: map[string]bool{},
			plain: map[string]string{}}
		g.collect(doc)
		all[version] = g
	}
	return all
})

// collect adds the names of the properties in a part of a schema.
func (g generation) collect(part any) {
	switch part := part.(type) {
	case []any:
		for _, v := range part {
			g.collect(v)
		}
	case map[string]any:
		if properties, ok := part["properties"].(map[string]any); ok {
			for name := range properties {
				g.names[name] = true
				g.plain[plainName(name)] = name
			}
		}
		for _, v := range part {
			g.collect(v)
		}
	}
}

var versionInURL = regexp.MustCompile(`/schemas/([A-Za-z0-9_~.-]+)/server\.schema\.json`)

// generation determines the schema of the file. Without a valid $schema it is the current
// one, or the first one if the members have its names.
func (c *checker) generation(root place) {
	declared := root.member("$schema")
	at := place{node: declared.node, path: "schema", parent: root.node} // the official registry's path
	c.version = CurrentVersion
	first := root.member("packages")
	if first.is(array) && len(first.values) > 0 &&
		first.at(0).member("registry_type", "registry_name").node != nil {
		c.version = Versions()[0]
		c.rule(first.at(0), "format-2025-07", "This is the format of July 2025, whose members have underscores. "+
			"Rename them, such as registry_type to registryType, and set $schema to %s.", SchemaURL(CurrentVersion))
	}
	if declared.string() == "" {
		if declared.node == nil || declared.is(str) {
			c.add(at, TypeSemantic, Error, "schema-field-required", "$schema is required: %s",
				SchemaURL(CurrentVersion))
		}
		return
	}
	found := versionInURL.FindStringSubmatch(declared.text)
	if found == nil {
		c.add(at, TypeSchema, Error, "schema-version-extraction-error",
			"%s is not the URL of a server.json schema, such as %s",
			quote(declared.text), SchemaURL(CurrentVersion))
		return
	}
	switch {
	case declared.text == SchemaURL(CurrentVersion):
	case found[1] == CurrentVersion:
		c.add(at, TypeSemantic, Warning, "schema-version-deprecated",
			"$schema must be %s, got %s", SchemaURL(CurrentVersion), quote(declared.text))
	default:
		c.add(at, TypeSemantic, Warning, "schema-version-deprecated",
			"schema version %s is not the current one, %s", quote(found[1]), CurrentVersion)
	}
	if _, known := generations()[found[1]]; !known {
		c.add(at, TypeSchema, Error, "schema-version-not-available",
			"schema version %s is unknown; known versions: %s", quote(found[1]),
			strings.Join(Versions(), ", "))
		return
	}
	c.version = found[1]
}

// schema checks the file against the schema of its generation.
func (c *checker) schema(root place) {
	err := generations()[c.version].schema.Validate(root.value())
	invalid, ok := err.(*jsonschema.ValidationError)
	if !ok {
		return
	}
	for _, e := range leaves(invalid) {
		at := root.find(e.InstanceLocation)
		if at.path == "$schema" && c.hasError("schema") {
			continue
		}
		switch k := e.ErrorKind.(type) {
		case *reason.Required:
			for _, name := range k.Missing {
				c.add(at, TypeSchema, Error, reference(e), "missing required member %s", quote(name))
			}
		case *reason.AdditionalProperties:
			for _, name := range k.Properties {
				c.add(at.member(name), TypeSchema, Error, reference(e), "unknown member %s", quote(name))
			}
		case *reason.Pattern, *reason.Not:
			if !c.hasError(at.path) { // which has a better message
				c.add(at, TypeSchema, Error, reference(e), "%s", describe(at, e))
			}
		default:
			c.add(at, TypeSchema, Error, reference(e), "%s", describe(at, e))
		}
	}
}

// find returns the place at a location, or the first place on the path without a value.
func (p place) find(location []string) place {
	for _, name := range location {
		next := p.member(name)
		if i, err := strconv.Atoi(name); err == nil && p.is(array) && i < len(p.values) {
			next = p.at(i)
		}
		if next.node == nil {
			return next
		}
		p = next
	}
	return p
}

var english = message.NewPrinter(language.English)

// describe returns the message of an error.
func describe(at place, e *jsonschema.ValidationError) string {
	switch k := e.ErrorKind.(type) {
	case *reason.Enum:
		var want []string
		for _, w := range k.Want {
			want = append(want, fmt.Sprint(w))
		}
		return "must be one of " + strings.Join(want, ", ") + ", got " + got(at)
	case *reason.Type:
		return "must be of type " + strings.Join(k.Want, " or ") + ", got " + k.Got
	case *reason.MinLength:
		return fmt.Sprintf("must have at least %d characters, got %d", k.Want, k.Got)
	case *reason.MaxLength:
		return fmt.Sprintf("must have at most %d characters, got %d", k.Want, k.Got)
	case *reason.Pattern:
		return "must match " + k.Want + ", got " + quote(k.Got)
	case *reason.Format:
		return "must be a valid " + k.Want + ", got " + got(at)
	case *reason.Not:
		return got(at) + " is not allowed"
	case *needsOneOf:
		return "needs one of the members " + strings.Join(k.names, ", ")
	}
	return quote(e.ErrorKind.LocalizedString(english))
}

// got formats a value for a message.
func got(at place) string {
	switch {
	case at.node == nil:
		return "nothing"
	case at.is(str):
		return quote(at.text)
	}
	return at.node.kind.String()
}

// reference returns the path of the violated keyword in the schema:
// "#/definitions/Package/required".
func reference(e *jsonschema.ValidationError) string {
	_, fragment, _ := strings.Cut(e.SchemaURL, "#")
	return "#" + strings.Join(append([]string{fragment}, e.ErrorKind.KeywordPath()...), "/")
}

// needsOneOf is the kind of an error for which one of several members is required.
type needsOneOf struct {
	jsonschema.ErrorKind
	names []string
}

// leaves returns the specific errors in a tree. For alternatives, which the schemas use to
// distinguish transports and types of arguments, it returns the errors of the intended one.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	if _, ok := e.ErrorKind.(*reason.AnyOf); ok {
		return alternative(e)
	}
	var all []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}

// alternative returns the errors of the intended alternative: of those with the value's
// type, the one with the fewest errors.
func alternative(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	typed := append(slices.Clone(e.InstanceLocation), "type")
	var best []*jsonschema.ValidationError
	var names []string
	var types []any
	var wrongType *jsonschema.ValidationError
	for _, cause := range e.Causes {
		errs := leaves(cause)
		i := slices.IndexFunc(errs, func(l *jsonschema.ValidationError) bool {
			_, ok := l.ErrorKind.(*reason.Enum)
			return ok && slices.Equal(l.InstanceLocation, typed)
		})
		if i >= 0 {
			wrongType = cmp.Or(wrongType, errs[i])
			types = append(types, errs[i].ErrorKind.(*reason.Enum).Want...)
			continue
		}
		if r, ok := errs[0].ErrorKind.(*reason.Required); ok && len(errs) == 1 {
			names = append(names, r.Missing...)
		}
		if best == nil || len(errs) < len(best) {
			best = errs
		}
	}
	switch {
	case best == nil: // types are unique
		wrong := *wrongType
		wrong.ErrorKind = &reason.Enum{Got: wrongType.ErrorKind.(*reason.Enum).Got, Want: types}
		return []*jsonschema.ValidationError{&wrong}
	case len(names) > 1 && len(names) == len(e.Causes):
		either := *e
		either.ErrorKind = &needsOneOf{e.ErrorKind, names}
		return []*jsonschema.ValidationError{&either}
	}
	return best
}

// unknownMembers adds issues for members that no object of the schema has, except in the
// content of _meta and the names of variables.
func (c *checker) unknownMembers(p place) {
	g := generations()[c.version]
	for i, child := range p.all() {
		if p.kind == object {
			switch name := p.names[i]; {
			case !g.names[name]:
				if !c.hasError(child.path) {
					c.rule(child, "unknown-member", "%s is not a member of server.json%s",
						quote(name), g.suggestion(name))
				}
				continue
			case name == "_meta":
				c.unknownMeta(child)
				continue
			case name == "variables":
				for _, v := range child.all() {
					c.unknownMembers(v)
				}
				continue
			}
		}
		c.unknownMembers(child)
	}
}

// publisherMeta is the only member of _meta that publishers may set.
const publisherMeta = "io.modelcontextprotocol.registry/publisher-provided"

func (c *checker) unknownMeta(meta place) {
	for i, v := range meta.all() {
		if meta.kind == object && meta.names[i] != publisherMeta &&
			!generations()[c.version].names[meta.names[i]] {
			c.rule(v, "unknown-meta", "All members of _meta except %s are dropped. Move %s to that member.",
				publisherMeta, quote(meta.names[i]))
		}
	}
}

var separators = strings.NewReplacer("_", "", "-", "")

// plainName returns the same value for different spellings of a name.
func plainName(s string) string { return strings.ToLower(separators.Replace(s)) }

// suggestion returns a suggestion for a misspelled name, "." if there is none.
func (g generation) suggestion(name string) string {
	if similar := g.plain[plainName(name)]; similar != "" {
		return ", did you mean " + similar + "?"
	}
	return "."
}
