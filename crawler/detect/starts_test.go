package detect

import (
	"strings"
	"testing"
)

// TestStarts checks which marked lines each start of a program may come to.
func TestStarts(t *testing.T) {
	const lazy = "function key() {\n  need();\n}\n"
	for name, tt := range map[string]struct {
		path, code string
		want       bool
	}{
		"top level":              {"a.ts", "need();", true},
		"called at once":         {"a.ts", lazy + "const client = connect(key());", true},
		"called by a handler":    {"a.ts", lazy + "server.tool('wave', {}, async () => {\n  key();\n});", false},
		"handler on more lines":  {"a.ts", lazy + "server.tool(\n  'wave',\n  {\n    a: 1,\n  },\n  async ({ a }) => {\n    key();\n  },\n);", false},
		"in a handler":           {"a.ts", "server.setRequestHandler(Call, async (r) => {\n  need();\n});", false},
		"handler by name":        {"a.ts", lazy + "server.tool('wave', {}, key);", false},
		"given to a runner":      {"a.ts", lazy + "run(key);", true},
		"given as the only one":  {"a.ts", "program.action(async () => {\n  need();\n});", true},
		"called by nobody":       {"a.ts", "export " + lazy, true},
		"method of nobody":       {"a.ts", "class Tides {\n  key(): string {\n    need();\n  }\n}\nnew Tides();", false},
		"constructor":            {"a.ts", "class Tides {\n  constructor(a: string) {\n    need();\n  }\n}\nnew Tides('a');", true},
		"field":                  {"a.ts", "class Tides {\n  key = need();\n}\nnew Tides();", true},
		"constructor in handler": {"a.ts", "class Tides {\n  constructor() {\n    need();\n  }\n}\ns.tool('a', () => {\n  new Tides();\n});", false},
		"under a condition":      {"a.ts", lazy + "if (remote) {\n  key();\n}", false},
		"in both branches":       {"a.ts", lazy + "if (remote) {\n  a(key());\n} else {\n  b(key());\n}", true},
		"below both branches": {"a.ts", lazy + "function a() {\n  key();\n}\nfunction b() {\n  key();\n}\n" +
			"async function main() {\n  if (remote) {\n    a();\n  } else {\n    b();\n  }\n}\nmain();", true},
		"in one of them":         {"a.ts", lazy + "if (remote) {\n  key();\n} else {\n  b();\n}", false},
		"other branch fails":     {"a.ts", lazy + "if (bad) {\n  throw new E();\n} else {\n  key();\n}", true},
		"after a return":         {"a.ts", "function tls() {\n  if (!on) {\n    return null;\n  }\n  need();\n}\ntls();", false},
		"after a failure":        {"a.ts", "function tls() {\n  if (!on) {\n    throw new E();\n  }\n  need();\n}\ntls();", true},
		"after help":             {"a.ts", "async function main() {\n  if (help) {\n    return;\n  }\n  need();\n}\nmain();", true},
		"made once":              {"a.ts", lazy + "let c;\nfunction get() {\n  if (!c) {\n    c = key();\n  }\n  return c;\n}\nget();", true},
		"in a comment":           {"a.ts", lazy + "a();\n/* on each start\nkey();\n*/\ns.tool('a', () => {\n  key();\n});", false},
		"in a text":              {"a.ts", lazy + "const t = `\nkey();\n`;\ns.tool('a', () => {\n  key();\n});", false},
		"settings at once":       {"a.py", "class Settings(BaseSettings):\n    key: str = need()\n\nsettings = Settings()", true},
		"settings of a tool":     {"a.py", "class Settings(BaseSettings):\n    key: str = need()\n\n@mcp.tool()\ndef wave():\n    Settings()", false},
		"made by a method":       {"a.py", "class C(S):\n    key: str = need()\n\n    @classmethod\n    def make(cls):\n        return cls()\n\nC.make()", true},
		"of a resource":          {"a.py", "@mcp.resource('a://b')\ndef wave():\n    need()", false},
		"of a command":           {"a.py", "import click\n\n@click.command()\ndef serve():\n    need()", true},
		"of an application":      {"a.py", "@app.command()\ndef serve():\n    need()\n\nif __name__ == '__main__':\n    app()", true},
		"of a lifespan":          {"a.py", "@asynccontextmanager\nasync def life(s):\n    need()\n\nmcp = FastMCP('a', lifespan=life)", true},
		"on one line":            {"a.ts", lazy + "if (remote) key();", false},
		"in braces on one line":  {"a.ts", lazy + "if (has(a)) { key(); exit(0); }", false},
		"called by a condition":  {"a.ts", lazy + "if (key()) run();", true},
		"both on one line":       {"a.ts", lazy + "if (remote) a(key()); else b(key());", true},
		"one of two on one line": {"a.ts", lazy + "if (remote) key(); else b();", false},
		"handler below a line":   {"a.ts", lazy + "if (all) s.tool('wave', {}, async () => {\n  key();\n});", false},
		"cached on one line":     {"a.ts", "function get() {\n  if (c) return c;\n  need();\n}\nget();", true},
		"failure on one line":    {"a.ts", "function get() {\n  if (!c) throw new E();\n  need();\n}\nget();", true},
		"guard on one line":      {"a.ts", "const run = () => {\n  need();\n};\nif (require.main === module) run();", true},
		"in a choice of values":  {"a.ts", lazy + "remote ? key() : b();", false},
		"in both values":         {"a.ts", lazy + "const c = remote ? key() : b(key());", true},
		"after and":              {"a.ts", lazy + "remote && (await key());", false},
		"a choice in a line":     {"a.py", "def key():\n    need()\n\nkey() if remote else b()", false},
		"both of a choice":       {"a.py", "def key():\n    need()\n\nc = key() if remote else b(key())", true},
		"one line in Python":     {"a.py", "def key():\n    need()\n\nif remote: key()", false},
		"run in a guard":         {"a.py", "def run():\n    need()\n\nif __name__ == '__main__':\n    run()", true},
		"braces in Rust":         {"a.rs", "fn a() {\n    need();\n}\nfn main() {\n    if A::on() { a() } else { b() }\n}", false},
		"main in a guard":        {"a.py", "def main():\n    need()\n\nif __name__ == '__main__':\n    main()", true},
		"type built at start":    {"a.rs", "impl Tides {\n    fn new() -> Self {\n        need();\n    }\n}\nfn main() {\n    Tides::new();\n}", true},
		"type of a tool":         {"a.rs", "impl Tides {\n    fn new() -> Self {\n        need();\n    }\n}\nimpl S {\n    fn wave(&self) {\n        Tides::new();\n    }\n}\nfn main() {\n    Other::new();\n}", false},
		"of one sub-command":     {"a.rs", "fn a() {\n    need();\n}\nfn main() {\n    match c {\n        A => a(),\n        B => serve(stdio()),\n    }\n}", false},
		"of the serving one":     {"a.rs", "fn a() {\n    need();\n    serve(stdio());\n}\nfn main() {\n    match c {\n        A => a(),\n        B => login(),\n        _ => {\n            exit(2);\n        }\n    }\n}", true},
		"after an error":         {"a.go", "func load() error {\n\tif err != nil {\n\t\treturn err\n\t}\n\tneed()\n}\nfunc main() {\n\tload()\n}", true},
		"handler in Go":          {"a.go", "func load() {\n\tneed()\n}\nfunc main() {\n\ts.AddTool(t, func(c Context) {\n\t\tload()\n\t})\n}", false},
		"command in Go":          {"a.go", "func load() {\n\tneed()\n}\nvar root = &Command{\n\tRunE: func(c *Command) error {\n\t\tload()\n\t},\n}", true},
		"constructor in C#":      {"a.cs", "public class Tides\n{\n    public Tides(string a)\n    {\n        Need();\n    }\n}\nvar t = new Tides(a);", true},
		"method in Java":         {"A.java", "public class Tides {\n    public String wave() {\n        need();\n    }\n}", false},
		"bean in Java":           {"A.java", "public class Tides {\n    @Bean\n    public String wave() {\n        need();\n    }\n}", true},
	} {
		t.Run(name, func(t *testing.T) {
			before, _, _ := strings.Cut(strings.ToLower(tt.code), "need()")
			p := newProgram(map[string]string{tt.path: tt.code})
			if got := p.onStart(tt.path, 1+strings.Count(before, "\n")); got != tt.want {
				t.Errorf("on start: %v", got)
			}
		})
	}
}

// TestStarts_limit checks that code with too many calls, in which it is unknown what runs, takes
// neither long nor much memory.
func TestStarts_limit(t *testing.T) {
	const lazy = "function key() {\n  need();\n}\ns.tool('a', {}, () => {\n  key();\n});\n"
	many := strings.Repeat("function a() {\n  a();\n}\n", 20_000)
	for code, want := range map[string]bool{lazy: false, lazy + many: true} {
		if got := newProgram(map[string]string{"a.ts": code}).onStart("a.ts", 2); got != want {
			t.Errorf("%d bytes: on start: %v", len(code), got)
		}
	}
}
