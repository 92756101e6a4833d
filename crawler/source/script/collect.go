package script

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/js"

	"mcpcensus/crawler/source/listing"
	"mcpcensus/internal/registry"
)

// collector gathers the tools that an evaluation finds.
type collector struct {
	listing.Tools
	// sites are the calls that register a tool, and whether its name was known at least once.
	sites      map[*js.CallExpr]bool
	candidates []*object
	classes    []*class
	instances  map[*class]*object
	events     int // registrations seen

	handlers    map[string]code // by the names of the tools
	dispatchers []value         // of the calls of all tools

	branches []listing.Branch         // around the code that is evaluated
	handles  map[*unknown]string      // names of tools by the values of their registrations
	parts    map[value]listing.Branch // of values that are only used in a branch
	entered  int                      // branches
}

// handle returns the value of a registration, with which the tool may be disabled.
func (c *collector) handle(name string) value {
	u := &unknown{given: true}
	c.handles[u] = name
	return u
}

const maxCandidates = 40_000

// candidate adds an object that looks like the definition of a tool.
func (c *collector) candidate(o *object) {
	if len(c.candidates) >= maxCandidates {
		return
	}
	if _, ok := o.find("name"); !ok {
		return
	}
	if _, ok := o.find("description"); ok {
		c.candidates = append(c.candidates, o)
	}
}

func (c *collector) add(t registry.Tool) {
	c.events++
	c.Add(t, c.branches)
}

// registration handles a call whose name is one of [registering]. It returns the value of the
// call, or false if the call is not special.
func (in *interpreter) registration(
	x *js.CallExpr, name string, receiver, fn value, args []value,
) (value, bool) {
	if name == "setRequestHandler" {
		return unknownValue, in.handler(x, args)
	}
	if name == "defineTool" || name == "createTool" {
		return nil, false
	}
	own, _ := fn.(*function)
	if o, ok := receiver.(*object); ok {
		if isServer(o) {
			own = nil
		}
	}
	var result value = unknownValue
	if own != nil {
		// a function of the sources may register the tools itself
		before := in.tools.events
		result = in.invoke(own, receiver, args)
		if in.tools.events > before {
			return result, true
		}
	}
	switch name {
	case "createSdkMcpServer":
		in.serverOptions("MCPServer", args)
	case "addTools", "registerTools":
		for _, a := range args {
			in.toolList(a)
		}
	default:
		if id := in.registerOne(x, name, own == nil, args); id != "" && own == nil {
			return in.tools.handle(id), true
		}
	}
	return result, own != nil
}

// isServer reports whether an object is a server of the SDK, which a bundle contains.
func isServer(o *object) bool {
	_, found := o.find("sendToolListChanged")
	return found
}

// registerOne reads the registration of one tool and returns its name, "" for none. final reports
// that the called function is not among the sources, and so cannot register the tool itself.
func (in *interpreter) registerOne(x *js.CallExpr, name string, final bool, args []value) string {
	i := slices.IndexFunc(args[:min(2, len(args))], isText)
	if i < 0 {
		o := firstObject(args)
		if t, ok := in.toolOf(o, name != "tool" || final && in.describes(o, last(args))); ok {
			in.addObject(o, t)
			in.tools.sites[x] = true
			return t.Name
		}
		if final && len(args) > 0 && isUnknown(args[0]) && (name != "tool" || len(args) > 1) && !in.tools.sites[x] {
			in.tools.sites[x] = false
		}
		return ""
	}
	id := args[i].(string)
	if !listing.IsName(id) || len(args) < 2 || name == "tool" && !isCallback(last(args)) {
		return ""
	}
	in.tools.sites[x] = true
	t := registry.Tool{Name: id}
	in.details(&t, args[i+1:], final)
	in.tools.handledBy(id, last(args), nil)
	if o, ok := last(args).(*object); ok {
		in.tools.handledBy(id, in.handlerOf(o), o)
	}
	in.tools.add(t)
	return id
}

// describes reports whether an object has a description of what a function does.
func (in *interpreter) describes(o *object, function value) bool {
	return o != nil && isText(in.member(o, "description")) && isCallback(function)
}

func isCallback(v value) bool {
	switch v.(type) {
	case *function, *class, *unknown, *external:
		return true
	}
	return false
}

func firstObject(args []value) *object {
	for _, a := range args[:min(2, len(args))] {
		if o, ok := a.(*object); ok {
			return o
		}
	}
	return nil
}

// details reads the arguments after the name: a description, the properties or a schema,
// annotations, or an object with all of them. final is as in registerOne: a function of the
// sources may add a schema.
func (in *interpreter) details(t *registry.Tool, args []value, final bool) {
	seen := false // a value that may be a schema
	for _, a := range args {
		switch a := a.(type) {
		case string:
			if t.Description == "" {
				t.Description = a
			}
		case *function:
		case *schema:
			seen = true
			t.InputSchema = encodeSchema(a)
		case *object:
			seen = in.objectDetail(t, a, final) || seen
		default:
			seen = seen || isUnknown(a) && (a != last(args) || a == moreArguments)
		}
	}
	if !seen && final {
		t.InputSchema = []byte(emptySchema)
	}
}

// objectDetail reads an object among the details. It reports whether it may be a schema.
func (in *interpreter) objectDetail(t *registry.Tool, o *object, final bool) bool {
	switch in.kindOf(o) {
	case "config":
		in.config(t, o, final)
	case "annotations":
		annotate(t, o)
		return false
	case "shape", "schema":
		t.InputSchema = in.schemaOf(o)
	}
	return true
}

// config reads an object with the details of a tool.
func (in *interpreter) config(t *registry.Tool, o *object, final bool) {
	u, _ := in.toolFields(o)
	if final && in.parametersOf(o) == nil && !in.mayHaveSchema(o) {
		u.InputSchema = []byte(emptySchema)
	}
	u.Name, u.Description = t.Name, cmp.Or(u.Description, t.Description)
	*t = u
}

// emptySchema is the SDK's schema of tools without parameters.
const emptySchema = `{"type":"object","properties":{}}`

// kindOf returns the kind of an object among the arguments of a registration: the "config" with
// all fields, "annotations", a "schema", or the "shape", the properties of one.
func (in *interpreter) kindOf(o *object) string {
	if _, ok := o.find("inputSchema"); ok {
		return "config"
	}
	schemas, others := 0, 0
	for _, k := range o.keys {
		switch o.own(k).(type) {
		case *schema:
			schemas++
		case *unknown, *external:
		default:
			others++
		}
	}
	if schemas > 0 && others == 0 {
		return "shape"
	}
	if t, ok := o.own("type").(string); ok && (t == "object" || o.own("properties") != nil) {
		return "schema"
	}
	for _, k := range slices.Concat(schemaKeys, configKeys) {
		if _, ok := o.find(k); ok {
			return "config"
		}
	}
	if o.open {
		return ""
	}
	for _, k := range o.keys {
		if strings.HasSuffix(k, "Hint") || k == "title" {
			return "annotations"
		}
	}
	return "shape"
}

var configKeys = []string{"description", "annotations", "outputSchema", "_meta"}

// schemaKeys are the names of the parameters of a tool in frameworks. The first three are of tools
// only.
var schemaKeys = []string{"inputSchema", "input_schema", "parameters", "schema", "input", "args", "params", "inputs"}

// toolOf returns the tool that an object defines. Unless the object is trusted to be one, it
// requires a description and parameters or a function.
func (in *interpreter) toolOf(o *object, trusted bool) (registry.Tool, bool) {
	if o == nil {
		return registry.Tool{}, false
	}
	t, certain := in.toolFields(o)
	return t, listing.IsName(t.Name) && (trusted || certain)
}

// mayHaveSchema reports whether a definition without known parameters may have some: it may have
// more members, or one of them is a schema, an object or unknown and of no known purpose.
func (in *interpreter) mayHaveSchema(o *object) bool {
	return o.incomplete() || slices.ContainsFunc(o.names(), func(k string) bool {
		if slices.Contains(otherKeys, k) || handlerName.MatchString(k) {
			return false
		}
		switch v := in.member(o, k).(type) {
		case *schema, *unknown, *external, nil:
			return true
		case *object:
			return len(v.keys) > 0 || v.open
		}
		return false
	})
}

// otherKeys are members of definitions that are not schemas of parameters.
var otherKeys = []string{"name", "title", "description", "annotations", "outputSchema", "_meta", "icons",
	"constructor"}

func (in *interpreter) firstMember(o *object, keys []string) value {
	for _, k := range keys {
		if _, ok := o.find(k); ok {
			if v := in.member(o, k); !isFunction(v) && !isNullish(v) {
				return v
			}
		}
	}
	return nil
}

// handlerName matches the names of the function of a tool in frameworks.
var handlerName = regexp.MustCompile(`(?i)^(execute|handler?|run|callback|call|invoke|cb|func|fn|action|tool_?call)`)

// toolFields reads the fields of a definition, and reports whether it has fields that only tools
// have.
func (in *interpreter) toolFields(o *object) (t registry.Tool, certain bool) {
	t.Name, _ = in.member(o, "name").(string)
	_, isStated := o.find("description")
	description := in.member(o, "description")
	text, isText := description.(string)
	t.Description, t.DescriptionUnread = text, isStated && !isText && description != undefined
	t.Title, _ = in.member(o, "title").(string)
	if a, ok := in.member(o, "annotations").(*object); ok {
		annotate(&t, a)
	}
	parameters := in.parametersOf(o)
	t.InputSchema = in.schemaOf(parameters)
	callable := o.callable()
	if parameters == nil && callable && !in.mayHaveSchema(o) {
		t.InputSchema = []byte(emptySchema)
	}
	for _, k := range []string{"uri", "uriTemplate", "mimeType", "version"} {
		if _, ok := o.find(k); ok {
			return t, false
		}
	}
	return t, t.Description != "" && (callable || parameters != nil)
}

// schemaOf returns the JSON Schema of the parameters passed to a framework, or nil if it is
// unknown.
func (in *interpreter) schemaOf(v value) []byte {
	if s := asSchema(v); s != nil {
		if s.shape == nil && (s.kind() != "object" || s.doc.own("properties") == nil) {
			return nil
		}
		return encodeSchema(s)
	}
	o, ok := v.(*object)
	if !ok || o.open && len(o.keys) == 0 {
		return nil
	}
	if len(o.keys) == 0 {
		return []byte(emptySchema)
	}
	if _, ok := o.own("properties").(*object); ok {
		return encodeSchema(o)
	}
	if t, ok := o.own("type").(string); ok && t == "object" {
		return encodeSchema(o)
	}
	return typedFields(o)
}

// typedFields returns the schema of {field: {type: …, description: …}}, the form of
// mcp-framework, or nil.
func typedFields(o *object) []byte {
	s := typed("object")
	s.shape = newObject()
	for _, k := range o.keys {
		f, ok := o.own(k).(*object)
		if !ok {
			return nil
		}
		p, isSchema := f.own("type").(*schema)
		if !isSchema {
			return nil
		}
		if d, ok := f.own("description").(string); ok {
			p = p.with("description", d)
		}
		s.shape.put(k, p)
	}
	return encodeSchema(s)
}

// callable reports whether the object has a function that handles calls.
func (o *object) callable() bool {
	return slices.ContainsFunc(o.names(), func(k string) bool {
		p, _ := o.find(k)
		return handlerName.MatchString(k) && isCallback(p.value)
	})
}

// isDefinition reports whether an object that no known code registers defines a tool: it has
// parameters, and a function or a schema of them.
func (in *interpreter) isDefinition(o *object, t registry.Tool) bool {
	hasSchema := t.InputSchema != nil && string(t.InputSchema) != emptySchema &&
		in.firstMember(o, schemaKeys[:3]) != nil
	return in.parametersOf(o) != nil && (hasSchema || o.callable())
}

// parametersOf returns the schema or shape of a definition, or nil.
func (in *interpreter) parametersOf(o *object) value {
	return in.firstMember(o, schemaKeys)
}

// annotate sets the hints of a tool, and its title if it has none.
func annotate(t *registry.Tool, o *object) {
	listing.SetHints(t, o.keys, func(name string) (is, known bool) {
		is, known = o.own(name).(bool)
		return is, known
	})
	if s, ok := o.own("title").(string); ok && t.Title == "" {
		t.Title = s
	}
}

// handler reads the list that a handler of tools/list returns.
func (in *interpreter) handler(x *js.CallExpr, args []value) bool {
	if len(args) < 2 {
		return false
	}
	subject := calleeName(x.Args.List[0].Value)
	if s, ok := args[0].(string); ok {
		subject = s
	}
	list := strings.Contains(subject, "ListTools") || subject == "tools/list"
	if strings.Contains(subject, "CallTool") || subject == "tools/call" {
		in.tools.dispatchers = append(in.tools.dispatchers, last(args))
	}
	if !list && strings.Contains(subject, "Request") || strings.Contains(subject, "/") && !list {
		return true
	}
	h, ok := last(args).(*function)
	if !ok {
		in.tools.Partial = in.tools.Partial || list
		return false
	}
	r, ok := in.invoke(h, unknownValue, []value{unknownValue, unknownValue}).(*object)
	if !ok {
		in.tools.Partial = in.tools.Partial || list
		return true
	}
	if _, ok := r.find("tools"); ok {
		in.toolList(in.member(r, "tools"))
	}
	return true
}

// toolList adds the tools of an array or of the values of an object.
func (in *interpreter) toolList(v value) {
	if o, ok := v.(*object); ok {
		if t, ok := in.toolOf(o, false); ok {
			in.addObject(o, t)
			return
		}
		for _, k := range o.keys {
			d, _ := in.member(o, k).(*object)
			t, ok := in.toolOf(d, false)
			if !ok && d != nil && listing.IsName(k) {
				if t, _ = in.toolFields(d); t.Description != "" {
					t.Name, ok = k, true
				}
			}
			if ok {
				in.addObject(d, t)
			}
		}
		return
	}
	items, whole := in.iterate(v)
	in.tools.Partial = in.tools.Partial || !whole
	for _, item := range items {
		o, _ := item.(*object)
		if t, ok := in.toolOf(o, true); ok {
			in.addObject(o, t)
		} else if isUnknown(item) || o != nil && isUnknown(in.member(o, "name")) {
			in.tools.Partial = true
		}
	}
}

// serverOptions reads the tools passed to the constructor of a server, or to a similar function.
func (in *interpreter) serverOptions(name string, args []value) {
	name = strings.ToLower(name)
	if !strings.Contains(name, "mcp") || strings.Contains(name, "client") {
		return
	}
	for _, a := range args {
		o, ok := a.(*object)
		if !ok {
			continue
		}
		tools := in.member(o, "tools")
		if f, ok := tools.(*function); ok {
			tools = in.invoke(f, o, nil)
		}
		if !isUnknown(tools) && !isNullish(tools) {
			in.toolList(tools)
		}
	}
}

// incomplete reports whether tools may be missing.
func (c *collector) incomplete() bool {
	return c.Partial || slices.Contains(slices.Collect(maps.Values(c.sites)), false)
}
