package golang

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/source/sourcetest"
	"mcpcensus/internal/registry"
)

const none = sourcetest.NoParameters

func TestTools(t *testing.T) {
	yes := true
	for _, test := range []struct {
		name    string
		files   map[string]string
		want    []sourcetest.Tool
		partial bool
	}{
		{"NewTool with options", map[string]string{
			"internal/names/names.go": "package names\nconst (\n\tPrefix = \"bed\"\n\tDig = Prefix + \"_dig\"\n)\n",
			"cmd/garden/main.go": `package main
import (
	"github.com/mark3labs/mcp-go/mcp"
	"example.com/garden/internal/names"
)
func withBed() mcp.ToolOption {
	return mcp.WithString("bed", mcp.Required(), mcp.Description("A bed."))
}
func main() {
	s.AddTool(mcp.NewTool(names.Dig,
		mcp.WithDescription("Dig " + "a bed."),
		mcp.WithReadOnlyHintAnnotation(true),
		mcp.WithNumber("depth", mcp.DefaultNumber(1.5), mcp.Min(0)),
		mcp.WithString("how", mcp.Enum("fast", "slow")),
		withBed(),
	), dig)
	s.AddPrompt(mcp.NewPrompt("advice"), advice)
}`}, []sourcetest.Tool{{Name: "bed_dig", Description: "Dig a bed.", Schema: `{"type":"object","properties":{` +
			`"depth":{"type":"number","default":1.5,"minimum":0},"how":{"type":"string","enum":["fast","slow"]},` +
			`"bed":{"type":"string","description":"A bed."}},"required":["bed"]}`,
			Annotations: &registry.ToolAnnotations{ReadOnly: &yes}}}, false},

		{"options that are added later", map[string]string{"main.go": `package main
import "github.com/mark3labs/mcp-go/mcp"
func main() {
	options := []mcp.ToolOption{mcp.WithDescription("Dig.")}
	if deep() {
		options = append(options, mcp.WithNumber("depth"))
	}
	options = append(options, mcp.WithReadOnlyHintAnnotation(true))
	s.AddTool(mcp.NewTool("dig", options...), dig)
}`}, []sourcetest.Tool{{Name: "dig", Description: "Dig."}}, false},

		{"types with methods", map[string]string{"go.mod": "module example.com/tides\n",
			"internal/tools/tide.go": `package tools
type Tool interface {
	Name() string
	Description() string
	InputSchema() map[string]any
}
var _ Tool = &idle{}
type tide struct{ place string }
func NewTide(place string) *tide { return &tide{place: place} }
func (t *tide) Name() string { return "tide" }
func (t *tide) Description() string { return "Get the " + t.Name() + "." }
func (t *tide) InputSchema() map[string]any {
	return map[string]any{"type": "object", "properties": map[string]any{}}
}
func (t *tide) Execute(args map[string]any) (string, error) { return "", nil }
type idle struct{}
func (idle) Name() string { return "idle" }
func (idle) Description() string { return "Do nothing." }
func (idle) InputSchema() map[string]any { return nil }
type wave struct{}
func (wave) Name() string { return "wave" }
func (wave) Description() string { return "No tool: it has no schema." }
type swell struct{ name string }
func (s swell) Name() string { return s.name }
func (swell) Description() string { return "Get the swell." }
func (swell) Schema() map[string]any { return schemaOf() }
type surf struct{}
func NewSurf() *surf { return &surf{} }
func (surf) Name() string { return "surf" }
func (surf) Description() string { return "Nothing makes it." }
func (surf) Schema() map[string]any { return nil }
`, "main.go": `package main
import "example.com/tides/internal/tools"
func main() {
	all["tide"] = tools.NewTide("Kiel")
	all["swell"] = &tools.swell{name: "swell"}
	all["wave"] = tools.wave{}
	for _, t := range all {
		list = append(list, map[string]any{"name": t.Name(), "inputSchema": t.InputSchema()})
	}
}`}, []sourcetest.Tool{{Name: "tide", Description: "Get the tide.", Schema: none},
			{Name: "swell", Description: "Get the swell."}}, false},

		{"a type with methods by new", typesMadeBy("new(wave)"), tideTool, true},
		{"a type with methods by a variable", typesMadeBy("func() Tool { var w wave; return w }()"), tideTool, true},
		{"a type with methods by a type argument", typesMadeBy("zeroOf[wave]()"), tideTool, true},
		{"a type with methods by a conversion", typesMadeBy("wave(1)"), tideTool, true},
		{"a type with methods that nothing makes", typesMadeBy("nil"), tideTool, false},

		{"types with methods of an embedded one", map[string]string{"main.go": `package main
type base struct{ name string }
func (b base) Name() string { return b.name }
type tide struct{ base }
func (tide) Description() string { return "Get the tide." }
func (tide) Schema() string { return "{}" }
type wave struct{}
func (wave) Name() string { return "wave" }
func (wave) Description() string { return "Get the wave." }
func (wave) Schema() string { return "{}" }
func main() { list() }
func list() []any {
	for _, t := range []Tool{tide{base{"tide"}}, wave{}} {
		out = append(out, map[string]any{"name": t.Name(), "inputSchema": t.Schema()})
	}
	return out
}`}, []sourcetest.Tool{{Name: "wave", Description: "Get the wave.", Schema: "{}"}}, true},

		{"the protocol's members without an SDK", map[string]string{"main.go": `package main
type definition struct {
	Name, Description string
	InputSchema       map[string]any
}
func own() []definition {
	all := []definition{{Name: "dig", Description: "Digs.", InputSchema: map[string]any{"type": "object"}}}
	return append(all, definition{Name: "mow", InputSchema: map[string]any{"type": "object"}},
		definition{Name: "rake", InputSchema: map[string]any{"type": "object"}})
}
func list() []map[string]any {
	return []map[string]any{
		{"name": "sow", "description": "Sows.", "inputSchema": map[string]any{"type": "object"}},
		{"name": "a bed", "description": "No tool."},
	}
}`}, []sourcetest.Tool{{Name: "dig", Description: "Digs.", Schema: `{"type":"object"}`},
			{Name: "mow", Schema: `{"type":"object"}`}, {Name: "rake", Schema: `{"type":"object"}`},
			{Name: "sow", Description: "Sows.", Schema: `{"type":"object"}`}}, false},

		{"Tool and handler of the official SDK", map[string]string{"main.go": `package main
import "github.com/modelcontextprotocol/go-sdk/mcp"
type Where struct {
	Bed string ` + "`json:\"bed\" jsonschema:\"name of a bed, if any\"`" + `
}
type Dig struct {
	Where
	Deep *bool    ` + "`json:\"deep,omitempty\"`" + `
	Tags []string ` + "`json:\"tags,omitempty\"`" + `
	skip int
}
func dig(ctx context.Context, req *mcp.CallToolRequest, in Dig) (*mcp.CallToolResult, any, error) { return nil, nil, nil }
func main() {
	server := mcp.NewServer(&mcp.Implementation{Name: "garden"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "dig", Title: "Dig", Description: "Dig."}, dig)
	rest := &mcp.Tool{Name: "rest"}
	mcp.AddTool(server, rest, func(ctx context.Context, req *mcp.CallToolRequest, in struct{}) {})
}`}, []sourcetest.Tool{
			{Name: "dig", Title: "Dig", Description: "Dig.", Schema: `{"type":"object","properties":{` +
				`"bed":{"type":"string","description":"name of a bed, if any"},"deep":{"type":"boolean"},` +
				`"tags":{"type":"array","items":{"type":"string"}}},"required":["bed"]}`},
			{Name: "rest", Schema: none},
		}, false},

		{"Tool literals with schemas", map[string]string{"tools/tools.go": `package tools
import "example.com/garden-mcp/api"
func Dig(t Translator) api.ServerTool {
	schema := &jsonschema.Schema{
		Type: "object",
		Properties: map[string]*jsonschema.Schema{
			"bed":  {Type: "string", Enum: []any{"a", "b"}},
			"note": {Type: "string", Description: now()},
		},
		Required: []string{"bed"},
	}
	return api.ServerTool{Tool: api.Tool{
		Name: "dig", Description: t("TOOL_DIG", "Dig."), InputSchema: schema,
		Annotations: api.ToolAnnotations{Title: "Dig", ReadOnlyHint: ptr.To(true)},
	}}
}
var Rest = api.Tool{Name: "rest", RawInputSchema: json.RawMessage(` + "`{\"type\":\"object\"}`" + `)}
`}, []sourcetest.Tool{
			{Name: "dig", Title: "Dig", Description: "Dig.",
				Schema: `{"type":"object","properties":{"bed":{"type":"string","enum":["a","b"]},` +
					`"note":{"type":"string"}},"required":["bed"]}`,
				Annotations: &registry.ToolAnnotations{ReadOnly: &yes}},
			{Name: "rest", Schema: `{"type":"object"}`},
		}, false},

		{"helper with name, description and handler", map[string]string{"tools.go": `package tools
import mcpgarden "example.com/mcp-garden"
type DigParams struct {
	Bed string ` + "`json:\"bed\" jsonschema:\"required,description=A bed\\\\, or none\"`" + `
	How string ` + "`json:\"how\" jsonschema:\"enum=fast,enum=slow\"`" + `
}
func dig(ctx context.Context, args DigParams) (string, error) { return "", nil }
var Dig = mcpgarden.MustTool("dig", "Dig.", dig, mcp.WithTitleAnnotation("Dig"))
`}, []sourcetest.Tool{{Name: "dig", Title: "Dig", Description: "Dig.", Schema: `{"type":"object","properties":{` +
			`"bed":{"type":"string","description":"A bed, or none"},` +
			`"how":{"type":"string","enum":["fast","slow"]}},"required":["bed"]}`}}, false},

		{"function that registers its arguments", map[string]string{"main.go": `package main
import "github.com/mark3labs/mcp-go/mcp"
func add(name, text string) { s.AddTool(mcp.NewTool("bed_"+name, mcp.WithDescription(text)), nil) }
func main() {
	add("dig", "Dig.")
	for _, x := range []struct{ id, text string }{{"rake", "Rake."}, {id: "mow", text: "Mow."}} {
		add(x.id, x.text)
	}
}`}, []sourcetest.Tool{
			{Name: "bed_dig", Description: "Dig.", Schema: none},
			{Name: "bed_rake", Description: "Rake.", Schema: none},
			{Name: "bed_mow", Description: "Mow.", Schema: none},
		}, false},

		{"handlers beside definitions, embedded texts", map[string]string{"dig.md": "Digs.", "main.go": `package main
import (
	_ "embed"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)
//go:embed dig.md
var text string
type args struct { Bed string ` + "`json:\"bed\"`" + ` }
func Dig() (mcp.Tool, mcp.ToolHandlerFor[args, any]) {
	return mcp.Tool{Name: "dig", Description: text},
		func(ctx context.Context, r *mcp.CallToolRequest, a args) (*mcp.CallToolResult, any, error) { return nil, nil, nil }
}
type own struct { Name, Text string; Handler any }
func (o own) wrapped() any { return reflect.MakeFunc(nil, nil).Interface() }
func rake(a args) error { return nil }
var all = []own{{Name: "rake", Text: "Rakes.", Handler: rake}}
func main() { for _, o := range all { s.RegisterTool(o.Name, o.Text, o.wrapped()) } }
`}, []sourcetest.Tool{
			{Name: "dig", Description: "Digs.",
				Schema: `{"type":"object","properties":{"bed":{"type":"string"}},"required":["bed"]}`},
			{Name: "rake", Description: "Rakes.",
				Schema: `{"type":"object","properties":{"bed":{"type":"string"}},"required":["bed"]}`},
		}, false},

		{"own options", map[string]string{"api/api.go": `package api
import "github.com/modelcontextprotocol/go-sdk/mcp"
func NewTool(name string, options ...func(*mcp.Tool)) mcp.Tool {
	t := mcp.Tool{Name: name}
	return t
}
`, "main.go": `package main
import "example.com/mcp/api"
func main() { s.AddTool(api.NewTool("dig", api.WithDescription("Digs."))) }
`}, []sourcetest.Tool{{Name: "dig", Description: "Digs.", Schema: none}}, false},

		{"names that are not constant", map[string]string{"main.go": `package main
import "github.com/mark3labs/mcp-go/mcp"
func main() { for _, op := range load() { s.AddTool(mcp.NewTool(op.ID), nil) } }
`}, nil, true},

		{"no MCP", map[string]string{"main.go": "package main\nimport \"example.com/llm\"\n" +
			"var t = llm.Tool{Name: \"dig\", Description: \"Dig.\"}\n"}, nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, partial := Tools(test.files, nil)
			if diff := cmp.Diff(test.want, sourcetest.Readable(got)); diff != "" || partial != test.partial {
				t.Errorf("Tools: partial %v, want %v; tools -want +got:\n%s", partial, test.partial, diff)
			}
		})
	}
}

var tideTool = []sourcetest.Tool{{Name: "tide", Description: "Get the tide.", Schema: "{}"}}

// typesMadeBy returns code that lists two types with methods, the second of which an expression
// makes.
func typesMadeBy(x string) map[string]string {
	return map[string]string{"main.go": `package main
type tide struct{}
func (tide) Name() string { return "tide" }
func (tide) Description() string { return "Get the tide." }
func (tide) Schema() string { return "{}" }
type wave int
func (wave) Name() string { return "wave" }
func (wave) Description() string { return "Get the wave." }
func (wave) Schema() string { return "{}" }
func zeroOf[T any]() (t T) { return }
func main() {
	for _, t := range []Tool{tide{}, ` + x + `} {
		out = append(out, map[string]any{"name": t.Name(), "inputSchema": t.Schema()})
	}
}`}
}

func FuzzTools(f *testing.F) {
	for _, seed := range []string{
		`s.AddTool(mcp.NewTool("dig", mcp.WithString("x")), nil)`, `x := x.y; y := f(y); mcp.NewTool(x, y...)`,
		`mcp.AddTool(s, &mcp.Tool{Name: a + a, InputSchema: m}, h); m := m; m["a"] = m`,
		`for _, x := range []T{{"a"}, {}} { add(x.id) }`, `f := f(f); f(m); mcp.Copy(m, m)`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		tools, _ := Tools(map[string]string{"a/main.go": "package main\nimport \"x/mcp\"\nimport \"y/b\"\n" +
			"type T struct{ id string; t *T }\nfunc add(id string) { mcp.NewTool(id) }\n" +
			"func (t T) f(x any) any { return t.f(x) }\nfunc main() {\n" + body + "\n}\n"}, nil)
		for _, tool := range tools {
			if tool.Name == "" || tool.InputSchema != nil && !json.Valid(tool.InputSchema) {
				t.Errorf("tool %q with schema %s", tool.Name, tool.InputSchema)
			}
			if !sourcetest.IsInText(tool.Name, body+"main id string add T f x t mcp") {
				t.Errorf("%q is not in the text", tool.Name)
			}
		}
	})
}
