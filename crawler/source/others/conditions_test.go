package others

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/source/listing"
	"mcpcensus/crawler/source/sourcetest"
)

// TestConditions tests which tools are conditional. All of them are found; "rake" is always
// registered.
func TestConditions(t *testing.T) {
	const (
		kotlin = `fun add(server: Server) { server.addTool(name = "rake", description = "Rakes.") { x() }
`
		digs = `server.addTool(name = "dig", description = "Digs.") { x() }`
	)
	for name, test := range map[string]struct {
		file, code string
		want       map[string]string
	}{
		"Kotlin": {"a.kt", kotlin + `if (System.getenv("DIG") == "1") { ` + digs + ` } }`,
			map[string]string{"dig": "off DIG=1"}},
		"one statement": {"a.kt", kotlin + `if (System.getenv("DIG") == "1") ` + digs + "\n}",
			map[string]string{"dig": "off DIG=1"}},
		"a default": {"a.kt", kotlin + `if ((System.getenv("DIG") ?: "1") == "1") { ` + digs + ` } }`,
			map[string]string{"dig": "DIG=1"}},
		"an option": {"a.kt", kotlin + `if (options.digging) { ` + digs + ` } }`,
			map[string]string{"dig": "options.digging"}},
		"a negative option": {"a.kt", kotlin + `if (!options.readOnly) { ` + digs + ` } }`, nil},
		"no variable":       {"a.kt", kotlin + `if (System.getenv("RAKE") == null) { ` + digs + ` } }`, nil},
		"a name in capitals": {"a.kt", kotlin + `if (kind == "DIG") { ` + digs + ` } }`,
			map[string]string{"dig": ""}},
		"Java property": {"A.java", `class A { @Tool(description = "Rakes.") int rake() { return 1; }
			@Tool(description = "Digs.") @ConditionalOnProperty(prefix = "garden", name = "dig")
			int dig() { return 1; } }`, map[string]string{"dig": "off garden.dig"}},
		"Java property of a class": {"A.java", `class A { @Tool(description = "Rakes.") int rake() { return 1; } }
			@Component @ConditionalOnProperty(name = "dig", havingValue = "on", matchIfMissing = true)
			class B { @Tool(description = "Digs.") int dig() { return 1; } }`, nil},
		"Rust feature": {"a.rs", `impl Garden {
			#[tool(description = "Rakes.")] fn rake(&self) {}
			#[cfg(feature = "digging")] #[tool(description = "Digs.")] fn dig(&self) {} }`,
			map[string]string{"dig": "--features digging"}},
		"Rust variable": {"a.rs", `fn tools() { Tool::new("rake", "Rakes.", s);
			if std::env::var("DIG").is_ok() { Tool::new("dig", "Digs.", s); } }`,
			map[string]string{"dig": "off DIG"}},
		"Rust guard": {"a.rs", `fn tools() { match x { Y if z == 1 => { Tool::new("rake", "Rakes.", s) }
			_ => { Tool::new("dig", "Digs.", s) } } }`, nil},
		"C# class": {"A.cs", `var s = b.AddMcpServer().WithTools<Rakes>();
			if (Environment.GetEnvironmentVariable("DIG") == "1") s.WithTools<Digs>();
			class Rakes { [McpServerTool] public int Rake() { return 1; } }
			class Digs { [McpServerTool] public int Dig() { return 1; } }`, map[string]string{"dig": "off DIG=1"}},
		"C# class that is also added elsewhere": {"A.cs", `s.WithTools<Digs>();
			if (Environment.GetEnvironmentVariable("DIG") == "1") s.WithTools<Digs>();
			class Rakes { [McpServerTool] public int Rake() { return 1; } }
			class Digs { [McpServerTool] public int Dig() { return 1; } }`, nil},
		"Ruby modifier": {"a.rb", `
class Rake < MCP::Tool
  description "Rakes."
end
class Dig < MCP::Tool
  description "Digs."
end
tools = [Rake]
tools << Dig if ENV["DIG"] == "1"
`, map[string]string{"dig": "off DIG=1"}},
		"Ruby block": {"a.rb", `
class Rake < MCP::Tool
  description "Rakes."
end
class Dig < MCP::Tool
  description "Digs."
end
if ENV["DIG"]
  each { |x| x }
  tools << Dig
end
tools << Rake
`, map[string]string{"dig": "off DIG"}},
		"Swift argument": {"a.swift", `
var tools = [Tool(name: "rake", description: "Rakes.", inputSchema: x)]
if CommandLine.arguments.contains("--dig") { tools.append(Tool(name: "dig", description: "Digs.", inputSchema: x)) }
`, map[string]string{"dig": "off --dig"}},
		"PHP variable that is required": {"a.php", `<?php $s->withTool($f, "rake", "Rakes.");
			if (getenv("SPADE_TOKEN") !== null) { $s->withTool($f, "dig", "Digs."); }`, nil},
		"C# variable that is not null": {"A.cs", `var s = b.AddMcpServer().WithTools<Rakes>();
			if (Environment.GetEnvironmentVariable("DIG") != null) s.WithTools<Digs>();
			class Rakes { [McpServerTool] public int Rake() { return 1; } }
			class Digs { [McpServerTool] public int Dig() { return 1; } }`, map[string]string{"dig": "off DIG"}},
		"Kotlin variables of which one is required": {"a.kt", kotlin +
			`if (System.getenv("DIG") != null && System.getenv("SPADE_TOKEN") != null) { ` + digs + ` } }`,
			map[string]string{"dig": "off DIG"}},
		"PHP variable": {"a.php", `<?php $s->withTool($f, "rake", "Rakes.");
			if (getenv("DIG")) { $s->withTool($f, "dig", "Digs."); }`, map[string]string{"dig": "off DIG"}},
	} {
		t.Run(name, func(t *testing.T) {
			tools, _ := Tools(map[string]string{test.file: test.code},
				&listing.Reading{Required: []string{"SPADE_TOKEN"}})
			if test.want == nil {
				test.want = map[string]string{}
			}
			if diff := cmp.Diff(test.want, sourcetest.Conditions(tools)); diff != "" {
				t.Error(diff)
			}
			if len(tools) != 2 {
				t.Errorf("%d tools", len(tools))
			}
		})
	}
}

// TestDefaultFeatures checks that what the default features of a package have is not conditional.
func TestDefaultFeatures(t *testing.T) {
	tools, _ := Tools(map[string]string{
		"Cargo.toml": "[features]\ndefault = [\n  \"full\",\n]\nfull = [\"digging\", \"dep:spade\"]\nmowing = []\n",
		"src/a.rs": `impl Garden { #[tool(description = "Rakes.")] fn rake(&self) {}
			#[cfg(feature = "digging")] #[tool(description = "Digs.")] fn dig(&self) {}
			#[cfg(feature = "mowing")] #[tool(description = "Mows.")] fn mow(&self) {} }`}, nil)
	if d := cmp.Diff(map[string]string{"mow": "--features mowing"}, sourcetest.Conditions(tools)); d != "" {
		t.Error(d)
	}
}
