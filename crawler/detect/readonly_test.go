package detect

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func TestReadOnly(t *testing.T) {
	conf := func(rest string) string {
		return "# Tides MCP Server\n\n```json\n{\"mcpServers\": {\"tides\": {\"command\": \"npx\", \"args\": " +
			"[\"-y\", \"@octo/tides-mcp\"" + rest + "}}}\n```\n\n"
	}
	endpoint := func(rest string) string {
		return "# Tides MCP Server\n\n```json\n{\"mcpServers\": {\"tides\": {\"url\": \"https://tides.dev/mcp\"" +
			rest + "}}}\n```\n\n"
	}
	const reads = `server.registerTool("list_tides", {annotations: {readOnlyHint: true}}, f);`
	const groups = "const all = ['readonly', 'admin'];\n"
	type files = map[string]string
	type sw = registry.ReadOnlySwitch
	for name, tt := range map[string]struct {
		files files
		want  *sw
	}{
		"a flag in a table": {files{"README.md": conf("]") + "| Option | Meaning |\n|---|---|\n| `--read-only` | Disables writing |\n",
			"src/index.ts": ""}, &sw{Kind: "flag", Name: "--read-only", Evidence: "README.md:9"}},
		"a flag in a list": {files{"README.md": conf("]") + "- `--readonly`: disables all tools that write\n",
			"src/index.ts": ""}, &sw{Kind: "flag", Name: "--readonly", Evidence: "README.md:7"}},
		"a flag of a container": {files{"README.md": conf("]") + "- `--read-only`: a read-only file system\n\n" +
			"```sh\ndocker run -i --rm --read-only octo/tides-mcp\n```\n", "src/index.ts": ""}, nil},
		"a flag that the code lacks": {files{"README.md": conf("]") + "Run docker with `--read-only`.\n\n- `--read-only`: as docker\n",
			"src/index.ts": "export const readOnlyHint = 1;"}, nil},
		"a flag that the code has": {files{"README.md": conf("]") + "Start it with `--read-only` on production.\n",
			"src/index.ts": "const safe = process.argv.includes(\"--read-only\");"},
			&sw{Kind: "flag", Name: "--read-only", Evidence: "README.md:7"}},
		"a flag that the code spells otherwise": {files{"README.md": conf("]") + "Start it with `--read-only`.\n",
			"src/index.ts": "const o = parse({'--read_only': Boolean, read_only: 1});"},
			&sw{Kind: "flag", Name: "--read_only", Evidence: "src/index.ts:1"}},
		"a flag that lets it write": {files{"README.md": conf("]") + "### `--allow-write`\n\nLets it write.\n",
			"src/index.ts": ""}, &sw{Kind: "flag", Name: "--allow-write", Default: true, Evidence: "README.md:7"}},
		"a flag that is on": {files{"package.json": "{}",
			"go.mod":    "module github.com/octo/tides-mcp\n\nrequire github.com/mark3labs/mcp-go v0.30.0\n",
			"README.md": conf("]") + "Start it with `--read-only=false` to write.\n",
			"main.go":   "package main\n\nfunc init() {\n\tflag.BoolVar(&safe, \"read-only\", true, \"What\")\n}"},
			&sw{Kind: "argument", Name: "--read-only", Value: "true", Default: true, Evidence: "README.md:7"}},
		"a flag that is off": {files{"README.md": conf("]") + "Start it with `--allow-write`.\n",
			"server.py": "p.add_argument('--allow-write', action='store_true', default=False)\n"},
			&sw{Kind: "flag", Name: "--allow-write", Default: true, Evidence: "README.md:7"}},
		"a flag without a value that is on": {files{"README.md": conf("]") + "Start it with `--allow-write`.\n",
			"server.py": "p.add_argument('--allow-write', action='store_true', default=True)\n"}, nil},
		"a variable in a comment": {files{"README.md": conf("]"),
			"src/index.ts": "// const safe = process.env.TIDES_READ_ONLY === 'true';\nexport const a = 1;\n"}, nil},
		"an example that lets it write": {files{"README.md": conf(", \"--allow-write\"]")},
			&sw{Kind: "flag", Name: "--allow-write", Default: true, Lifted: "--allow-write", Evidence: "README.md:4"}},
		"an argument with a switch": {files{"README.md": conf(", \"--readonly\", \"True\"]")},
			&sw{Kind: "argument", Name: "--readonly", Value: "True", Evidence: "README.md:4"}},
		"an argument with a narrower value": {files{"README.md": conf(", \"--access-mode=unrestricted\"]") +
			"- **Unrestricted Mode**: read and write\n- **Restricted Mode**: limited to read-only transactions\n\n" +
			"Replace it with `--access-mode=restricted`.\n"}, &sw{Kind: "argument", Name: "--access-mode",
			Value: "restricted", Lifted: "--access-mode=unrestricted", Evidence: "README.md:4"}},
		"a mode with a default in the code": {files{
			"README.md":    conf("]") + "Start it with `--access-level=readwrite` to write.\n",
			"src/index.ts": "program.option(\"--access-level\", \"what it may do\", \"readonly\");"},
			&sw{Kind: "argument", Name: "--access-level", Value: "readonly", Default: true, Evidence: "README.md:7"}},
		"a mode with a default alone": {files{"README.md": conf("]") + "- `--access-level`: what it may do\n",
			"src/main.go": "package main\nfunc init() {\n" +
				"\tflag.StringVar(&level, \"access-level\", \"readonly\", \"What\")\n}"}, nil},
		"a variable of an example file that the code names": {files{
			"README.md": conf("]"), ".env.example": "TIDES_READ_ONLY=false\n",
			"src/index.ts": "const safe = flag('TIDES_READ_ONLY');"},
			&sw{Kind: "variable", Name: "TIDES_READ_ONLY", Value: "true", Evidence: ".env.example:1"}},
		"a mode that is not about access": {files{"README.md": conf(", \"--log-mode=verbose\"]") +
			"- **verbose**: all\n- **quiet**: nothing\n\nReplace it with `--log-mode=quiet`.\n"}, nil},
		"a variable in a table": {files{"README.md": conf("]") + "| Variable | Default | Meaning |\n|---|---|---|\n" +
			"| `TIDES_READ_ONLY` | `false` | Disables writing |\n"},
			&sw{Kind: "variable", Name: "TIDES_READ_ONLY", Value: "true", Evidence: "README.md:9"}},
		"a variable of numbers": {files{"README.md": conf("]") + "Set `TIDES_READ_ONLY=1` to disable writing.\n",
			"src/index.ts": `if (process.env.TIDES_READ_ONLY === "1") {}`},
			&sw{Kind: "variable", Name: "TIDES_READ_ONLY", Value: "1", Evidence: "README.md:7"}},
		"a variable that is on by default": {files{"README.md": conf("]"),
			"src/index.ts": `const safe = process.env.READ_ONLY_MODE ?? "true";`},
			&sw{Kind: "variable", Name: "READ_ONLY_MODE", Value: "true", Default: true, Evidence: "src/index.ts:1"}},
		"a variable that lets it write": {files{"README.md": conf("], \"env\": {\"ALLOW_WRITES\": \"true\"}")},
			&sw{Kind: "variable", Name: "ALLOW_WRITES", Value: "false", Lifted: "ALLOW_WRITES=true", Evidence: "README.md:4"}},
		"a variable that lets it write, which only reads by default": {files{"README.md": conf("]") +
			"- **Read-only by default**. Opt in with `ALLOW_WRITES=1`.\n"},
			&sw{Kind: "variable", Name: "ALLOW_WRITES", Value: "0", Default: true, Evidence: "README.md:7"}},
		"a variable that lets it write, which does so by default": {files{"README.md": conf("]") +
			"It isn't read-only by default: unset `ALLOW_WRITES=1`.\n\nRead-only is the default of tides.\n"},
			&sw{Kind: "variable", Name: "ALLOW_WRITES", Value: "0", Evidence: "README.md:7"}},
		"a variable that lets it write, with a default in the code": {files{
			"README.md":    conf("]") + "`ALLOW_WRITES=0` is read-only (default).\n",
			"src/index.ts": `const writes = process.env.ALLOW_WRITES ?? "1";`},
			&sw{Kind: "variable", Name: "ALLOW_WRITES", Value: "0", Evidence: "README.md:7"}},
		"a mode with a description": {files{"README.md": conf("]") + "`TIDES_ACCESS_MODE` is the access.\n",
			".env.example": "# Access: \"all\" (read/write) or \"restricted\" (read-only)\nTIDES_ACCESS_MODE=all\n"},
			&sw{Kind: "variable", Name: "TIDES_ACCESS_MODE", Value: "restricted", Evidence: "README.md:7"}},
		"a variable with alternatives of the code": {files{
			"README.md": conf("], \"env\": {\"TIDES_GROUPS\": \"readonly,admin\"}") +
				"```sh\n# Read-only access\nTIDES_GROUPS=\"readonly\"\n```\n",
			"src/index.ts": groups + "parse(process.env.TIDES_GROUPS);"}, &sw{Kind: "variable", Name: "TIDES_GROUPS",
			Value: "readonly", Lifted: "TIDES_GROUPS=readonly,admin", Evidence: "README.md:4"}},
		"a switch of calls": {files{"README.md": conf("]") + "```sh\n# Read-only mode: lists\nTIDES_CHANGES=false\n```\n",
			"src/index.ts": "const changes = process.env.TIDES_CHANGES ?? \"true\";"},
			&sw{Kind: "variable", Name: "TIDES_CHANGES", Value: "false", Evidence: "README.md:9"}},
		"an account with a remark": {files{"README.md": conf("]") + "```sh\n# Read-only user\nDB_USER=reader\n```\n",
			"src/index.ts": "const user = process.env.DB_USER ?? \"root\";"}, nil},
		"a variable with alternatives in a table": {files{
			"README.md":    conf("]") + "| Variable | Meaning |\n|---|---|\n| `TIDES_GROUPS` | `readonly`, `admin` |\n",
			"src/index.ts": groups + "parse(process.env.TIDES_GROUPS);"},
			&sw{Kind: "variable", Name: "TIDES_GROUPS", Value: "readonly", Evidence: "README.md:9"}},
		"variables of two parts with the same alternatives": {files{
			"README.md": conf("]") + "| Variable | Meaning |\n|---|---|\n| `TIDES_GROUPS` | `readonly`, `admin` |\n" +
				"| `BOATS_GROUPS` | `readonly`, `admin` |\n",
			"src/index.ts": groups + "parse(process.env.TIDES_GROUPS, process.env.BOATS_GROUPS);"}, nil},
		"a profile beside alternatives": {files{"README.md": conf("], \"env\": {\"AWS_PROFILE\": \"readonly\"}") +
			"Or `AWS_PROFILE=default`.\n", "src/index.ts": groups + "load(process.env.AWS_PROFILE);"}, nil},
		"a user that the code lacks": {files{"README.md": conf("], \"env\": {\"DB_USER\": \"readonly\"}") +
			"`DB_USER=admin` writes.\n", "src/index.ts": "connect(process.env.DB_USER);"}, nil},
		"a log level": {files{"README.md": conf("], \"env\": {\"LOG_LEVEL\": \"info\"}") +
			"`LOG_LEVEL=debug` logs all, in readonly groups too.\n",
			"src/index.ts": groups + "const levels = ['debug', 'info'].includes(process.env.LOG_LEVEL);"}, nil},
		"a variable of a removed setting": {files{"README.md": conf("]"), ".env.example": "READONLY=false\n",
			"src/index.ts": "if (process.env.READONLY !== undefined) {\n  console.error(\"no longer\");\n  process.exit(1);\n}\n"}, nil},
		"a variable of an example file alone": {files{"README.md": conf("]"), ".env.example": "READONLY=false\n",
			"src/index.ts": ""}, nil},
		"a token":    {files{"README.md": conf("]") + "| Variable | Meaning |\n|---|---|\n| `TIDES_READ_ONLY_TOKEN` | Token |\n"}, nil},
		"an account": {files{"README.md": conf("], \"env\": {\"DB_USER\": \"readonly\"}") + "`DB_USER=admin` writes.\n"}, nil},
		"a parameter of an endpoint": {files{"README.md": endpoint("") +
			"Use `https://tides.dev/mcp?zone=<zone>&read_only=true`.\n"},
			&sw{Kind: "query", Name: "read_only", Value: "true", Evidence: "README.md:7"}},
		"a parameter alone": {files{"README.md": endpoint("") + "Append `?writes-enabled=1` to write.\n"},
			&sw{Kind: "query", Name: "writes-enabled", Value: "0", Default: true, Evidence: "README.md:7"}},
		"a parameter of another service": {files{"README.md": endpoint("") +
			"`https://moon.dev/mcp?read_only=true`, `file:a?readonly=1`\n"}, nil},
		"a path of an endpoint": {files{"README.md": endpoint("") +
			"Or connect to https://tides.dev/mcp/readonly.\n"},
			&sw{Kind: "path", Name: "/readonly", Evidence: "README.md:7"}},
		"a header of an endpoint": {files{"README.md": endpoint(", \"headers\": {\"X-Tides-Readonly\": \"false\"}")},
			&sw{Kind: "header", Name: "X-Tides-Readonly", Value: "true", Evidence: "README.md:4"}},
		"a header in the text": {files{"README.md": endpoint("") + "Send `X-Read-Only: true`.\n"},
			&sw{Kind: "header", Name: "X-Read-Only", Value: "true", Evidence: "README.md:7"}},
		"a switch of command and endpoint": {files{"README.md": conf("]") + endpoint("") + "- `--read-only`: no writes\n\n" +
			"`?read_only=true`\n", "src/index.ts": ""}, &sw{Kind: "flag", Name: "--read-only", Evidence: "README.md:13"}},
		"a server that only reads": {files{"README.md": conf("]") + "- `--read-only`: does not write\n", "src/index.ts": server +
			reads + `process.argv.includes("--read-only");`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			all := files{"package.json": strings.Replace(npmServer, "NAME", "tides-mcp", 1)}
			for p, text := range tt.files {
				all[p] = text
			}
			r := Servers(repoOf("octo/tides-mcp", all), nil)
			if len(r.Servers) != 1 {
				t.Fatalf("%d servers: %s", len(r.Servers), r.Reason)
			}
			d := &r.Servers[0].Detection
			got := d.ReadOnlyEndpoint
			if d.ReadOnly != nil {
				got = d.ReadOnly
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

const server = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
const server = new McpServer({name: "tides", version: "1"});
`

func TestSwitchOfTools(t *testing.T) {
	tool := func(effect, setting string) registry.Tool {
		t := registry.Tool{Name: effect + setting, Inferred: &registry.ToolEffect{Effect: effect, Basis: registry.BasisSource}}
		if setting != "" {
			t.Conditional = &registry.ToolCondition{Setting: setting, Off: true}
		}
		return t
	}
	for name, tt := range map[string]struct {
		tools []registry.Tool
		want  *registry.ReadOnlySwitch
	}{
		"a flag":         {[]registry.Tool{tool("read", ""), tool("write", "--admin")}, &registry.ReadOnlySwitch{Kind: "flag", Name: "--admin", Default: true}},
		"a used flag":    {[]registry.Tool{tool("read", ""), tool("write", "--root")}, &registry.ReadOnlySwitch{Kind: "flag", Name: "--root", Default: true, Lifted: "--root"}},
		"a used mode":    {[]registry.Tool{tool("read", ""), tool("write", "--mode=full")}, &registry.ReadOnlySwitch{Kind: "argument", Name: "--mode", Default: true, Lifted: "--mode=full"}},
		"a mode":         {[]registry.Tool{tool("read", ""), tool("write", "--scope=full")}, nil},
		"another value":  {[]registry.Tool{tool("read", ""), tool("write", "TRANSPORT=http")}, nil},
		"a used setting": {[]registry.Tool{tool("read", ""), tool("write", "MODE=full")}, &registry.ReadOnlySwitch{Kind: "variable", Name: "MODE", Default: true, Lifted: "MODE=full"}},
		"a variable":     {[]registry.Tool{tool("read", ""), tool("destructive", "ADMIN=1")}, &registry.ReadOnlySwitch{Kind: "variable", Name: "ADMIN", Value: "0", Default: true}},
		"an address":     {[]registry.Tool{tool("read", ""), tool("write", "TIDES_URL")}, nil},
		"a token":        {[]registry.Tool{tool("read", ""), tool("write", "--token")}, nil},
		"unknown tool":   {[]registry.Tool{tool("read", ""), tool("unknown", "--admin")}, nil},
		"two":            {[]registry.Tool{tool("write", "ADMIN=1"), tool("write", "--admin")}, nil},
		"reads too":      {[]registry.Tool{tool("read", "--admin"), tool("write", "--admin")}, nil},
		"always":         {[]registry.Tool{tool("write", ""), tool("write", "--admin")}, nil},
		"unknown":        {[]registry.Tool{tool("unknown", ""), tool("write", "--admin")}, nil},
		"an object":      {[]registry.Tool{tool("read", ""), tool("write", "config.admin")}, nil},
	} {
		conf := registry.Configuration{Env: []registry.Variable{{Name: "TRANSPORT", Value: "stdio"}, {Name: "MODE", Value: "full"}}}
		for _, w := range strings.Fields("--token x --mode full --root") {
			conf.Args = append(conf.Args, registry.Argument{Type: "positional", Value: w})
		}
		if diff := cmp.Diff(tt.want, switchOfTools(tt.tools, conf)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestGrantsOfTools checks that options and variables under which alone the code registers tools that
// write are not in the command.
func TestGrantsOfTools(t *testing.T) {
	const source = server + `server.tool("get_tide", {}, run)
		if (process.argv.includes("--admin")) server.tool("delete_tide", {}, run)
		if (process.env.TIDES_ROOT === "1") server.tool("drop_tide", {}, run)
		if (process.argv.includes("--token")) server.tool("create_tide", {}, run)
		if (process.env.TIDES_URL) server.tool("post_tide", {}, run)
		if (process.env.TIDES_ZONE === "north") server.tool("list_tides", {}, run)`
	const readme = "# Tides MCP server\n\n```json\n{\"mcpServers\": {\"tides\": {\"command\": \"npx\",\n" +
		"\"args\": [\"-y\", \"@octo/tides-mcp\", \"x\", \"--token\", \"y\", \"--admin\"],\n" +
		"\"env\": {\"TIDES_ROOT\": \"1\", \"TIDES_ZONE\": \"north\", \"TIDES_URL\": \"https://api.tides.io\"}}}}\n```\n"
	d := of(t, map[string]string{"package.json": npm(""), "index.ts": source, "README.md": readme}, nil)
	conf := d.Packages[0].Configurations[0]
	if diff := cmp.Diff([]string{"TIDES_ROOT=1", "--admin"}, conf.Grants); diff != "" {
		t.Error(diff)
	}
	off := slices.DeleteFunc(slices.Clone(d.Tools), func(t registry.Tool) bool { return t.IsDefault() })
	if len(off) != 2 { // the others are registered with the token and the address
		t.Errorf("not registered: %v", off)
	}
	if len(conf.Env) != 2 || len(conf.Args) != 3 || d.ReadOnly != nil {
		t.Errorf("%+v, %+v", conf, d.ReadOnly)
	}
	one := strings.Replace(source, "if (process.env.TIDES_ROOT", "if (false && process.env.TIDES_ROOT", 1)
	d = of(t, map[string]string{"package.json": npm(""), "index.ts": one, "README.md": readme}, nil)
	if d.ReadOnly != nil {
		t.Errorf("with an unknown condition: %+v", d.ReadOnly)
	}
}

// TestGrantsBesideSwitch checks that an example's option to write is not in the command of a server
// that another setting makes read-only.
func TestGrantsBesideSwitch(t *testing.T) {
	const readme = "# Tides MCP server\n\nSet `TIDES_READ_ONLY=1` and it only reads.\n\n```json\n{\"mcpServers\": {" +
		"\"tides\": {\"command\": \"npx\",\n\"args\": [\"-y\", \"@octo/tides-mcp\", \"--allow-write\", " +
		"\"--zone\", \"north\"], \"env\": {\"TIDES_READ_ONLY\": \"false\"}}}}\n```\n"
	d := of(t, map[string]string{"package.json": npm(""), "README.md": readme}, nil)
	if d.ReadOnly == nil || d.ReadOnly.Name != "TIDES_READ_ONLY" {
		t.Fatalf("%+v", d.ReadOnly)
	}
	conf := d.Packages[0].Configurations[0]
	if diff := cmp.Diff([]string{"--allow-write"}, conf.Grants); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"--zone", "north"}, valuesOf(conf.Args)); diff != "" {
		t.Error(diff)
	}
}

// TestGrants checks that what an example turns on, and what the server does not do by default, is
// not in the command, and that other switches are.
func TestGrants(t *testing.T) {
	const source = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
		const server = new McpServer({ name: "tides" })
		if (process.env.TIDES_ENABLE_DELETE === "true") server.tool("delete_tide", {}, run)
		if (process.env.TIDES_VERBOSE === "true") log()
		if (process.env.TIDES_ENABLE_CREATE !== "false") server.tool("create_tide", {}, run)`
	const readme = "# Tides MCP server\n\n```json\n{\"mcpServers\": {\"tides\": {\"command\": \"npx\",\n" +
		"\"args\": [\"-y\", \"@octo/tides-mcp\", \"--allow-user-delete\",\n" +
		"\"--allow-delete\", \"./x\", \"--enable-search\"],\n" +
		"\"env\": {\"TIDES_ENABLE_DELETE\": \"true\", \"TIDES_ENABLE_CREATE\": \"true\",\n" +
		"\"TIDES_VERBOSE\": \"true\"}}}}\n```\n"
	d := of(t, map[string]string{"package.json": npm(""), "index.ts": source, "README.md": readme}, nil)
	if len(d.Packages) == 0 || len(d.Packages[0].Configurations) == 0 {
		t.Fatalf("%+v", d.Packages)
	}
	conf := d.Packages[0].Configurations[0]
	if diff := cmp.Diff([]string{"TIDES_ENABLE_DELETE=true", "--allow-user-delete"}, conf.Grants); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"--allow-delete", "./x", "--enable-search"}, valuesOf(conf.Args)); diff != "" {
		t.Error(diff)
	}
	if len(conf.Env) != 2 {
		t.Errorf("%+v", conf.Env)
	}
}
