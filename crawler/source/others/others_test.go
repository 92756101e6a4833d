package others

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/source/sourcetest"
	"mcpcensus/internal/registry"
)

const (
	none = sourcetest.NoParameters
	bed  = `{"type":"object","properties":{"bed":{"type":"string"}},"required":["bed"]}`
	text = `{"type":"object","properties":{"bed":{"type":"string","description":"A bed."}},"required":["bed"]}`
)

func TestTools(t *testing.T) {
	yes := true
	for _, test := range []struct {
		name    string
		files   map[string]string
		want    []sourcetest.Tool
		partial bool
	}{
		{"Rust attributes", map[string]string{"src/main.rs": `
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DigRequest {
    /// A bed.
    pub bed: String,
    pub max_depth: Option<u32>,
    #[serde(skip)]
    secret: String,
}
const TEXT: &str = "Rake \
    leaves.";
#[tool_router]
impl Garden {
    #[tool(description = "Dig.", annotations(title = "Dig", read_only_hint = true))]
    pub async fn dig(&self, Parameters(request): Parameters<DigRequest>) -> Result<CallToolResult, McpError> { todo!() }

    /// Rest a while.
    ///
    /// In the shade.
    #[tool]
    fn rest(&self) -> String { "a".into() }

    #[tool(name = "old_dig", description = "Old.")]
    fn old(&self, #[tool(param)] #[schemars(description = "A bed.")] bed: String) {}
}
fn list() { Tool::new("rake", TEXT, Arc::new(json!({"type": "object"}))); }
`}, []sourcetest.Tool{
			{Name: "dig", Title: "Dig", Description: "Dig.",
				Schema: `{"type":"object","properties":{"bed":{"type":"string","description":"A bed."},` +
					`"maxDepth":{"type":"integer"}},"required":["bed"]}`, Annotations: &registry.ToolAnnotations{ReadOnly: &yes}},
			{Name: "rest", Description: "Rest a while.\nIn the shade.", Schema: none},
			{Name: "old_dig", Description: "Old."},
			{Name: "rake", Description: "Rake leaves.", Schema: `{"type":"object"}`},
		}, false},

		{"Rust structs", map[string]string{"src/dig.rs": `
#[mcp_tool(name = "dig", title = "Dig", description = concat!("Dig ", "a bed."), read_only_hint = true)]
#[derive(JsonSchema)]
pub struct Dig { pub bed: String }
`}, []sourcetest.Tool{{Name: "dig", Title: "Dig", Description: "Dig a bed.", Schema: bed,
			Annotations: &registry.ToolAnnotations{ReadOnly: &yes}}}, false},

		{"Rust traits", map[string]string{"src/dig.rs": `
struct Dig; struct Rest;
#[derive(JsonSchema)]
struct Args { bed: String }
impl Tool for Dig {
    const NAME: &'static str = "dig";
    const DESCRIPTION: &'static str = "Dig.";
    type Args = Args;
}
impl ToolBase for Rest {
    type Parameter = Args;
    fn name() -> Cow<'static, str> { "rest".into() }
    fn description() -> Option<Cow<'static, str>> { Some("Rest.".into()) }
}
fn list() -> Tool { Tool::new("mow", "Mow.", schema_for_type::<Args>()) }
#[cfg(test)]
mod tests { fn a() { Tool::new("test", "", json!({})); } }
`}, []sourcetest.Tool{
			{Name: "dig", Description: "Dig.", Schema: bed}, {Name: "rest", Description: "Rest.", Schema: bed},
			{Name: "mow", Description: "Mow.", Schema: bed},
		}, false},

		{"Rust types of several modules", map[string]string{"a/tools.rs": `
pub struct Dig { pub bed: String }
pub struct Common { pub bed: String }
pub struct Sow { #[serde(flatten)] pub common: Common, pub seed: Option<String> }
pub struct Mow { #[serde(flatten)] pub other: elsewhere::Other, pub height: u32 }
`, "b/tools.rs": `pub struct Dig { pub depth: u32 }`, "a/server.rs": `
#[tool_router]
impl Garden {
    #[tool(description = "Dig.")]
    fn dig(&self, Parameters(p): Parameters<Dig>) {}
    #[tool(description = "Sow.")]
    fn sow(&self, Parameters(p): Parameters<Sow>) {}
    #[tool(description = "Mow.")]
    fn mow(&self, Parameters(p): Parameters<Mow>) {}
}`, "c/server.rs": `
#[tool_router]
impl Shed {
    #[tool(description = "Lock.")]
    fn lock(&self, Parameters(p): Parameters<Dig>) {}
}`}, []sourcetest.Tool{
			{Name: "dig", Description: "Dig.", Schema: bed},
			{Name: "sow", Description: "Sow.", Schema: `{"type":"object","properties":{"bed":{"type":"string"},` +
				`"seed":{"type":"string"}},"required":["bed"]}`},
			{Name: "mow", Description: "Mow."}, // has more parameters
			{Name: "lock", Description: "Lock."},
		}, false},

		{"Swift constants", map[string]string{"main.swift": `
let bedSchema: [String: Any] = ["type": "object", "properties": ["bed": ["type": "string"]], "required": ["bed"]]
server.register(Tool(name: "dig", description: "Dig.", inputSchema: bedSchema))
server.register(Tool(name: "rest", description: "Rest.", inputSchema: .object(["type": "object", "properties": .object([:])])))
server.register(Tool(name: "mow", description: "Mow.", inputSchema: ["type": "object", "properties": [String: Any]()]))
server.register(Tool(name: "sow", description: "Sow.", inputSchema: ["type": "object", "properties": seeds]))
server.register(Tool(name: "rake", description: "Rake.",
    inputSchema: ["type": "object", "properties": ["bed": ["type": "string"]], "required": names]))
`}, []sourcetest.Tool{
			{Name: "dig", Description: "Dig.", Schema: bed}, {Name: "rest", Description: "Rest.", Schema: none},
			{Name: "mow", Description: "Mow.", Schema: none}, {Name: "sow", Description: "Sow."},
			{Name: "rake", Description: "Rake."}, // which parameters are required is unknown
		}, false},

		{"Kotlin builders", map[string]string{"Garden.kt": `
server.addTool(name = "rest", description = "Rest.", inputSchema = Tool.Input()) { }
server.addTool(name = "dig", description = "Dig.", inputSchema = ToolSchema(
    properties = buildJsonObject {
        put("bed", buildJsonObject { put("type", JsonPrimitive("string")) })
    },
    required = listOf("bed"),
)) { }
server.addTool(name = "mow", description = "Mow.", inputSchema = ToolSchema(properties = buildJsonObject {
    putJsonObject("height") { put("type", "integer"); putJsonArray("enum") { add(1); add(2) } }
    common(this)
})) { }
`}, []sourcetest.Tool{
			{Name: "rest", Description: "Rest.", Schema: none}, {Name: "dig", Description: "Dig.", Schema: bed},
			{Name: "mow", Description: "Mow."},
		}, false},

		{"C# functions", map[string]string{"Program.cs": `
builder.WithTools([McpServerTool.Create((string bed) => { return Dig(bed); },
    new McpServerToolCreateOptions { Name = "dig", Description = "Dig." })]);
`}, []sourcetest.Tool{{Name: "dig", Description: "Dig."}}, false},

		{"C# functions without names", map[string]string{"Program.cs": `
foreach (var f in plugin) tools.Add(McpServerTool.Create(f));
`}, nil, true},

		{"Java functions", map[string]string{"Tools.java": `
ToolCallback dig() { return FunctionToolCallback.builder("dig", this::dig).description("Dig.").inputType(Bed.class).build(); }
`}, []sourcetest.Tool{{Name: "dig", Description: "Dig."}}, false},

		{"PHP functions", map[string]string{"server.php": `<?php
use PhpMcp\\Server\\Server;
$server = Server::make()->withTool([Garden::class, 'dig'])->withTool([Garden::class, 'rest'], 'rest_now', 'Rest.');
`}, []sourcetest.Tool{{Name: "dig"}, {Name: "rest_now", Description: "Rest."}}, false},

		{"PHP functions that are not known", map[string]string{"server.php": `<?php
use PhpMcp\\Server\\Server;
foreach ($handlers as $h) { $builder->addTool($h); }
`}, nil, true},

		{"own functions", map[string]string{"server.rb": `
def add_tool(name, description, input_schema, handler)
end
respond if method == "tools/list"
add_tool("dig", "Dig.", { type: "object", properties: { bed: { type: "string" } }, required: ["bed"] }, Dig.new)
`}, []sourcetest.Tool{{Name: "dig", Description: "Dig.", Schema: bed}}, false},

		{"C#", map[string]string{"Tools.cs": `
[McpServerToolType]
public class Garden(IBeds beds) {
    private const string Text = "Rest.";
    [McpServerTool(Title = "Dig", ReadOnly = true), Description("Dig " + "a bed.")]
    public static async Task<string> DigHTTPBedAsync(IMcpServer server,
        [Description("A bed.")] string bed, int[]? depths = null, CancellationToken token = default) { }

    [McpServerTool(Name = "rest")]
    [Description(Text)]
    public string Rest() => "";
}`}, []sourcetest.Tool{
			{Name: "dig_http_bed", Title: "Dig", Description: "Dig a bed.",
				Schema: `{"type":"object","properties":{"bed":{"type":"string",` +
					`"description":"A bed."},"depths":{"type":"array","items":{"type":"integer"}}},"required":["bed"]}`,
				Annotations: &registry.ToolAnnotations{ReadOnly: &yes}},
			{Name: "rest", Description: "Rest.", Schema: none},
		}, false},

		{"Java", map[string]string{"Garden.java": `
class Garden {
    static final String NAME = "rest";
    @Tool(description = """
        Dig
          a bed.
        """)
    @Transactional
    public Map<String, Object> dig(@ToolParam(description = "A bed.") String bed,
            @ToolArg(required = false) int depth, ToolContext context) { }

    void list() {
        McpSchema.Tool.builder().name(NAME).description("Rest.").inputSchema("{\"type\": \"object\"}").build();
        new McpSchema.Tool("rake", "Rake.", schema);
    }
}`}, []sourcetest.Tool{
			{Name: "dig", Description: "Dig\n  a bed.", Schema: `{"type":"object","properties":{"bed":{"type":"string",` +
				`"description":"A bed."},"depth":{"type":"integer"}},"required":["bed"]}`},
			{Name: "rest", Description: "Rest.", Schema: `{"type":"object"}`},
			{Name: "rake", Description: "Rake."},
		}, false},

		{"Kotlin", map[string]string{"Garden.kt": `
server.addTool(
    name = "dig",
    description = """
        Dig
        a bed.
    """.trimIndent(),
    inputSchema = Tool.Input(
        properties = buildJsonObject {
            putJsonObject("bed") { put("type", "string"); putJsonObject("items") { } }
        },
        required = listOf("bed"),
    ),
) { request -> }
`}, []sourcetest.Tool{
			{Name: "dig", Description: "Dig\na bed.", Schema: `{"type":"object","properties":{"bed":` +
				`{"type":"string","items":{}}},"required":["bed"]}`},
		}, false},

		{"Ruby", map[string]string{"garden.rb": `
require "mcp"
tool "mow" do
  argument :lawn, String, required: true
  description "Mow."
  call { |x| x }
end
class DigHTMLTool < MCP::Tool
  description "Dig " \
    "a bed."
  input_schema(
    properties: { bed: { type: "string" } },
    required: ["bed"]
  )
  def self.call(bed:); end
end
class Rest < FastMcp::Tool
  tool_name 'rest'
  description <<~TEXT
    Rest.
      # Here.
  TEXT
  arguments do
    required(:bed).filled(:string).description("A bed.")
  end
end
MCP::Tool.define(name: "rake", description: "Rake.", annotations: { read_only_hint: true }) { |x| x }
`}, []sourcetest.Tool{
			{Name: "mow", Description: "Mow."},
			{Name: "dig_html_tool", Description: "Dig a bed.", Schema: bed},
			{Name: "rest", Description: "Rest.\n  # Here.", Schema: text},
			{Name: "rake", Description: "Rake.", Annotations: &registry.ToolAnnotations{ReadOnly: &yes}},
		}, false},

		{"PHP", map[string]string{"Garden.php": `<?php
use PhpMcp\Server\Attributes\McpTool;
class Garden {
    /**
     * Dig a bed.
     *
     * @param string $bed A bed.
     */
    #[McpTool]
    public function dig(string $bed, ?int $depth = null): array { return []; }

    #[McpTool(name: 'rest', description: 'Rest.')]
    public function restNow() {}
}`}, []sourcetest.Tool{
			{Name: "dig", Description: "Dig a bed.", Schema: `{"type":"object","properties":{"bed":{"type":"string",` +
				`"description":"A bed."},"depth":{"type":"integer"}},"required":["bed"]}`},
			{Name: "rest", Description: "Rest.", Schema: none},
		}, false},

		{"objects and types", map[string]string{"tools.rb": `
TOOLS = [{ "name" => "dig", "description" => "Digs.", "inputSchema" => {
  "type" => "object", "properties" => { "bed" => { "type" => "string" } } } }]
`, "Rake.swift": `
import MCP
public struct RakeTool: MCPTool {
    public let name = "rake"
    public var description: String { """
        Rakes.
        """ }
    func run() { let name = "other" }
}
struct Bed { let name = "bed"; let description = "A bed." }
`, "Mow.php": `<?php
use Laravel\Mcp\Server\Tool;
class Mow extends Tool {
    protected string $name = 'mow';
    protected string $description = 'Mows.';
}
`}, []sourcetest.Tool{
			{Name: "mow", Description: "Mows."},
			{Name: "rake", Description: "Rakes."},
			{Name: "dig", Description: "Digs.",
				Schema: `{"type":"object","properties":{"bed":{"type":"string"}}}`},
		}, false},

		{"Swift", map[string]string{"Garden.swift": `
let tools = [
    Tool(name: "dig", description: "Dig.", inputSchema: .object([
        "type": .string("object"),
        "properties": .object(["bed": .object(["type": .string("string")])]),
        "required": .array([.string("bed")]),
    ])),
    Tool(name: "rest", description: "Rest.", inputSchema: .object(
        properties: ["bed": .string(description: "A bed.")], required: ["bed"]),
        annotations: .init(title: "Rest", readOnlyHint: true)),
]`}, []sourcetest.Tool{
			{Name: "dig", Description: "Dig.", Schema: bed},
			{Name: "rest", Title: "Rest", Description: "Rest.", Schema: text,
				Annotations: &registry.ToolAnnotations{ReadOnly: &yes}},
		}, false},

		{"own functions that take a name and a description", map[string]string{"src/tools.rs": `
pub fn register(&mut self, name: &str, description: &str, schema: Value) {}
fn all() {
    registry.register("dig", "Dig a bed.", json!({"type": "object", "properties": {"bed": {"type": "string"}}}));
    registry.register("rest", "Rest a while.", schema());
    registry.register(name, "Rake.", schema());
}`, "src/server.rs": `match method { "tools/list" => list(), _ => unknown() }`},
			[]sourcetest.Tool{
				{Name: "dig", Description: "Dig a bed.",
					Schema: `{"type":"object","properties":{"bed":{"type":"string"}}}`},
				{Name: "rest", Description: "Rest a while."}}, false},

		{"constants of files and own builders", map[string]string{
			"DigTool.java": `package io.mcp; class DigTool { static final String TOOL_NAME = "dig";
  Tool define() { return OwnBuilder.of(Out.class).setName(TOOL_NAME).setTitle("Dig")
    .setDescription("Dig.").build(); } }`,
			"RakeTool.java": `package io.mcp; class RakeTool { static final String TOOL_NAME = "rake";
  Tool define() { return OwnBuilder.of(Out.class).setName(TOOL_NAME).setDescription("Rake.").build(); } }`},
			[]sourcetest.Tool{{Name: "dig", Title: "Dig", Description: "Dig."}, {Name: "rake", Description: "Rake."}}, false},

		{"extension function of Kotlin", map[string]string{"Dig.kt": `
fun Server.dig() { addTool(name = "dig", description = "Dig.") { request -> return@addTool result } }`},
			[]sourcetest.Tool{{Name: "dig", Description: "Dig."}}, false},

		{"name in a method of Ruby", map[string]string{"dig_tool.rb": `
class Garden::DigTool < MCP::Tool
  description "Dig."
  def self.tool_name
    "dig_bed"
  end
end`}, []sourcetest.Tool{{Name: "dig_bed", Description: "Dig."}}, false},

		{"classes of Laravel", map[string]string{"DigBed.php": `<?php
use Laravel\Mcp\Server\Tool;
class DigBed extends Tool { protected string $description = 'Dig a bed.';
  public function handle(Request $request) { return Response::text('$name = x'); } }`,
			"Rest.php": `<?php
use Laravel\Mcp\Server\Tool;
class Rest extends Tool { protected string $name = 'rest-now'; protected string $description = 'Rest.'; }`},
			[]sourcetest.Tool{{Name: "dig-bed", Description: "Dig a bed."}, {Name: "rest-now", Description: "Rest."}}, false},

		{"parts of schemas that are not constant", map[string]string{"garden.rb": `
class Dig < MCP::Tool
  description "Dig."
  input_schema({properties: {**common, bed: {type: "string"}}})
end
class Rake < MCP::Tool
  description "Rake."
  input_schema({properties: common.merge(bed)})
end
class Rest < MCP::Tool
  description "Rest."
  input_schema({properties: {bed: common, "how" => {type: "string"}}})
end`}, []sourcetest.Tool{{Name: "dig", Description: "Dig."}, {Name: "rake", Description: "Rake."},
			{Name: "rest", Description: "Rest.",
				Schema: `{"type":"object","properties":{"bed":{},"how":{"type":"string"}}}`}}, false},

		{"a list that is not found", map[string]string{"main.rs": `match method { "tools/list" => list() }`}, nil, true},

		{"names that are not constant", map[string]string{"Garden.cs": `
[McpServerTool(Name = Names.Of(Bed))] public string Dig() => "";
`}, nil, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, partial := Tools(test.files, nil)
			if diff := cmp.Diff(test.want, sourcetest.Readable(got)); diff != "" || partial != test.partial {
				t.Errorf("Tools: partial %v, want %v; tools -want +got:\n%s", partial, test.partial, diff)
			}
		})
	}
}

func TestSnakeCase(t *testing.T) {
	for in, want := range map[string]string{
		"GetBed": "get_bed", "GetHTTPBed": "get_http_bed", "bed2Dig": "bed2_dig", "ABC": "abc", "dig_it": "dig_it",
	} {
		if got := snakeCase(in); got != want {
			t.Errorf("snakeCase(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzTools(f *testing.F) {
	for ext, seed := range map[string]string{
		"rs":    "#[tool(name = \"a\")] /// x\n fn a(Parameters(b): Parameters<B>) struct B { /// d\n c: Option<u8> }",
		"cs":    "[McpServerTool(Name = \"a\"), Description(@\"b\"\"c\")] Task<string> AAsync(int? b = 1)",
		"java":  "@Tool(name = \"a\") void a(@ToolParam(description = \"b\") String c); Tool.builder().name(\"x\")",
		"kt":    "addTool(name = \"a\", description = \"$b\", inputSchema = X(put(\"a\", buildJsonObject {})))",
		"rb":    "class A < MCP::Tool\n description <<~X\n a\n X\n input_schema({a: 1})\nend",
		"php":   "<?php #[McpTool(name: 'a')] function b(int $c = 1) {} <<<'X'\n a\n X;",
		"swift": "Tool(name: \"a\", description: \"\\(b)\", inputSchema: .object([\"a\": .array([1])]))",
	} {
		f.Add(ext, seed)
	}
	f.Fuzz(func(t *testing.T, ext, src string) {
		tools, _ := Tools(map[string]string{"a." + ext: src}, nil)
		for _, tool := range tools {
			if tool.Name == "" || tool.InputSchema != nil && !json.Valid(tool.InputSchema) {
				t.Errorf("tool %q with schema %s", tool.Name, tool.InputSchema)
			}
			if !sourcetest.IsInText(tool.Name, src) {
				t.Errorf("%q is not in the text", tool.Name)
			}
		}
	})
}

// TestAnnotations tests that hints are read wherever code states them, and those of no other tool.
func TestAnnotations(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"Rust": {"main.rs", `
#[tool(description = "d", annotations(read_only_hint = true))]
async fn a(&self) -> String {}
#[tool(description = "d", annotations = reading())]
async fn b(&self) -> String {}
#[tool(description = "d", annotations = ToolAnnotations::new().destructive(true))]
async fn c(&self) -> String {}
#[tool(description = "d")]
async fn d(&self) -> String {}
fn reading() -> ToolAnnotations { ToolAnnotations { read_only_hint: Some(true), ..Default::default() } }
const BOTH: ToolAnnotations = if X { ToolAnnotations::new().read_only(true) } else {
    ToolAnnotations::new().read_only(false) };
fn list() -> Vec<Tool> {
    vec![Tool::new("e", "d", schema()).annotate(ToolAnnotations::new().read_only(true)),
        Tool { name: "f".into(), description: Some("d".into()), input_schema: s(),
            annotations: Some(reading()) },
        Tool::new("g", "d", schema()),
        Tool::new("h", "d", schema()).annotate(BOTH)]
}`, "a:r b:r c:D e:r f:r"},
		"C#": {"Tools.cs", `[McpServerTool(Name = "a", ReadOnly = true, Destructive = false)]
public string A() => "";
[McpServerTool(Name = "b")]
public string B() => "";`, "a:rd"},
		"Java": {"T.java", `class T {
static final McpSchema.ToolAnnotations READS =
  new McpSchema.ToolAnnotations("t", true, false, null, true, null);
@McpTool(name = "a", description = "d", annotations = @McpTool.McpAnnotations(readOnlyHint = true))
public String a() { return ""; }
@Tool(name = "b", description = "d", annotations = @Tool.Annotations(destructiveHint = true))
public String b() { return ""; }
Tool c() { return Tool.builder().name("c").description("d").annotations(READS).build(); }
Tool d() { return Tool.builder().name("d").description("d")
  .annotations(ToolAnnotations.builder().readOnlyHint(false).build()).build(); }
Tool e() { return Tool.builder().name("e").description("d").build(); }
Tool f() { return McpBuilder.of().setName("f").setDescription("d").setReadOnlyHint().build(); }
}`, "a:r b:D c:rd d:R f:r"},
		"Kotlin": {"T.kt", `import io.modelcontextprotocol.kotlin.sdk.*
val READS = ToolAnnotations(readOnlyHint = true)
fun reading(title: String) = ToolAnnotations(title = title, readOnlyHint = true)
fun add(server: Server) {
  server.addTool(name = "a", description = "d", toolAnnotations = READS) { r -> x() }
  server.addTool(name = "b", description = "d", toolAnnotations = reading("x")) { r -> x() }
  server.addTool(name = "c", description = "d") { r -> x() }
}`, "a:r b:r"},
		"Ruby": {"t.rb", `READS = { read_only_hint: true }.freeze
class ATool < MCP::Tool
  tool_name "a"
  description "d"
  annotations(**READS)
end
class BTool < MCP::Tool
  tool_name "b"
  description "d"
  annotations destructive_hint: true
end
MCP::Tool.define(name: "c", description: "d", annotations: READS) { |x| x }
MCP::Tool.define(name: "d", description: "d") { |x| x }`, "a:r b:D c:r"},
		"PHP": {"t.php", `<?php
class T {
  #[McpTool(name: 'a', description: 'd', annotations: new ToolAnnotations(readOnlyHint: true))]
  public function a() {}
  #[McpTool(name: 'b', description: 'd')]
  public function b() {}
}`, "a:r"},
		"Swift": {"t.swift", `let reads = Tool.Annotations(readOnlyHint: true)
let tools = [Tool(name: "a", description: "d", inputSchema: s, annotations: reads),
  Tool(name: "b", description: "d", inputSchema: s)]`, "a:r"},
	} {
		found, _ := Tools(map[string]string{c.file: c.text}, nil)
		var got []string
		for _, tool := range found {
			if a := tool.Annotations; a != nil {
				got = append(got, tool.Name+":"+letter(a.ReadOnly, "r", "R")+letter(a.Destructive, "D", "d"))
			}
		}
		slices.Sort(got)
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: got %s, want %s", name, s, c.want)
		}
		if slices.ContainsFunc(found, func(t registry.Tool) bool { return len(t.Name) > 1 }) {
			t.Errorf("%s: annotations are a tool", name)
		}
	}
}

func letter(b *bool, yes, no string) string {
	switch {
	case b == nil:
		return ""
	case *b:
		return yes
	}
	return no
}

// TestUnnamedClasses tests that classes in Ruby are tools only if code registers them, or all there are.
func TestUnnamedClasses(t *testing.T) {
	const classes = `class DigTool < ApplicationTool
  tool_name "dig"
  description "Dig."
end
class RakeTool < ApplicationTool
  tool_name "rake"
  description "Rake."
end
`
	for code, want := range map[string]int{
		"server.register_tools(DigTool)":                      1,
		"server.register_tools(DigTool, RakeTool)":            2,
		"server.register_tools(*ApplicationTool.descendants)": 2,
	} {
		if found, _ := Tools(map[string]string{"a.rb": classes, "b.rb": code}, nil); len(found) != want {
			t.Errorf("%s: %d tools, want %d", code, len(found), want)
		}
	}
}
