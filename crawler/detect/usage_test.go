package detect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

// startOf returns how a package of a README starts: its program and arguments, or its doubt.
func startOf(p *registry.Package) string {
	if p.Doubt != "" {
		return p.Doubt
	}
	words, script := []string{}, p.Script
	if len(p.Configurations) > 0 {
		script = max(p.Configurations[0].Script, script)
		for _, a := range p.Configurations[0].Args {
			words = append(words, a.Value)
		}
	}
	if script != "" {
		words = append([]string{"(" + script + ")"}, words...)
	}
	return strings.Join(words, " ")
}

// A line of a README is how a server starts only if the text says so.
func TestUsageOfCommandLine(t *testing.T) {
	const manifest = `{"name": "NAME", "version": "1.0.0", "keywords": ["mcp-server"], "bin": {"NAME": "dist/cli.js"},
		"dependencies": {"@modelcontextprotocol/sdk": "1"}}`
	for name, c := range map[string]struct{ id, readme, want string }{
		"other commands, and a sentence": {"barge", "Moves goods, also as an MCP server.\n\n```sh\nnpx barge login\n" +
			"npx barge ship --now\n```\n\n## MCP server\n\nStart it with `npx barge serve`.\n", "serve"},
		"other commands only": {"barge", "```sh\nnpx barge login\nnpx barge ship --now\n```\n", registry.DoubtUsage},
		"one other command": {"barge", "Its MCP server lets assistants ship goods.\n\n```\nnpx barge ship --now\n```\n",
			registry.DoubtUsage},
		"a command below the heading": {"barge", "`npx barge ship`\n\n## MCP\n\n```\nnpx barge mcp\n```\n", "mcp"},
		"set-up below the heading":    {"barge", "## MCP\n\n```\nnpx barge mcp install\n```\n", registry.DoubtUsage},
		"several below the heading": {"barge", "## MCP server\n\n```\nnpx barge login\nnpx barge serve\n```\n",
			registry.DoubtUsage},
		"login beside the start": {"barge", "## MCP server\n\nLog in with `npx barge login`, once.\n\n" +
			"Start it: `npx barge mcp start`.\n", "mcp start"},
		"a comment": {"barge", "```sh\n# Ship goods\nnpx barge ship\n```\n\n```sh\n# Start the MCP server\n" +
			"npx barge serve\n```\n", "serve"},
		"a comment in a list": {"barge", "```sh\n# Ship goods\nnpx barge ship\n# Start the MCP server\n" +
			"npx barge mcp start\n```\n", "mcp start"},
		"another command below the heading": {"barge", "## MCP\n\n```\nnpx barge sink --stale\n```\n", registry.DoubtUsage},
		"before the start": {"barge", "## MCP server\n\nBefore you run the MCP server, wipe the quay with " +
			"`npx barge wipe --yes`.\n", registry.DoubtUsage},
		"the end": {"barge", "Run `npx barge uninstall` to remove the MCP server.\n", registry.DoubtUsage},
		"the end of the protocol": {"barge", "## MCP server\n\nStart over: `npx barge remove-mcp`, " +
			"`npx barge remove mcp`.\n", registry.DoubtUsage},
		"another language": {"barge", "Mit `npx barge mcp serve` wird der MCP-Server gestartet.\n", "mcp serve"},
		"before the start of a server": {"barge-mcp", "Run this once; it starts the login:\n\n" +
			"```\nnpx barge-mcp auth\n```\n", ""},
		"an announcement":     {"barge", "Run the MCP server:\n\n```sh\nnpx barge agent --stdio\n```\n", "agent --stdio"},
		"over standard input": {"barge", "## MCP\n\n`npx barge agent --transport stdio`\n", "agent --transport stdio"},
		"over HTTP":           {"barge", "## MCP\n\nStart with `npx barge agent --transport http`.\n", registry.DoubtUsage},
		"without arguments":   {"barge", "```\nnpx barge\nnpx barge ship --now\n```\n", ""},
		"a configuration": {"barge", "`npx barge ship`\n\n" +
			clientConfig(`{"command": "npx", "args": ["barge", "agent"]}`), "agent"},
		"added to a client": {"barge", "`npx barge ship`\n\n```\nclaude mcp add barge -- npx -y barge agent\n```\n",
			"agent"},
		"set-up of a server":   {"barge-mcp", "Run `npx barge-mcp login` first.\n", ""},
		"switches of a server": {"barge-mcp", "```\nnpx barge-mcp --help\nnpx barge-mcp --list-tools\n```\n", ""},
		"values of a server":   {"barge-mcp", "```\nnpx barge-mcp --quay east\n```\n", "--quay east"},
		"start of a server":    {"barge-mcp", "Start the server with `npx barge-mcp serve`.\n", "serve"},
		"commands of a server": {"barge-mcp", "```\nnpx barge-mcp init\nnpx barge-mcp serve\n```\n", ""},
		"by its name": {"barge", "```\nnpm i -g barge\nbarge ship --now\n```\n\n## MCP server\n\n```\n" +
			"barge mcp serve --read-only\n```\n", "mcp serve --read-only"},
		"others by its name": {"barge", "```\nnpm i -g barge\nbarge ship --now\n```\n", registry.DoubtUsage},
		"by its name, from source": {"barge", "```\ngit clone https://github.com/octo/tides-mcp\ngo install ./...\n```\n\n" +
			"## MCP server\n\n```\nbarge mcp serve\n```\n", registry.DoubtManifest},
		"of another program": {"barge", "## MCP server\n\n```\nnpx barge mcp\n```\n\n```\nnpx barge mcp\n" +
			"tug mcp serve\n```\n", "mcp"},
		"of another name":       {"barge", "`npx barge`\n\n```\ntug ship --now\n```\n", ""},
		"a folder for a server": {"barge-mcp", "```\nnpx barge-mcp /path/to/goods\n```\n", "{FOLDER}"},
	} {
		t.Run(name, func(t *testing.T) {
			d := of(t, map[string]string{"README.md": "# Barge\n\n" + c.readme,
				"package.json": strings.ReplaceAll(manifest, "NAME", c.id)}, nil)
			if len(d.Packages) != 1 {
				t.Fatalf("%+v", d.Packages)
			}
			if got := startOf(&d.Packages[0]); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// A shell line of a README that runs a container over standard input is how the server starts.
func TestUsageOfContainers(t *testing.T) {
	for line, want := range map[string]string{
		"docker run -i --rm --volume=/Users/ann/tides:/data ghcr.io/octo/tides-mcp --read-only": "-i --rm --volume={FOLDER}:/data / --read-only",
		"docker run --interactive --network host ghcr.io/octo/tides-mcp --zone=1 --verbose":     "--interactive --network host / --zone=1 --verbose",
		"docker run -it --rm ghcr.io/octo/tides-mcp --list-tools":                               " / ",
		"docker run -i --rm ghcr.io/octo/tides-mcp --help":                                      " / ",
	} {
		d := of(t, map[string]string{"README.md": "# Tides MCP server\n\n```sh\n" + line + "\n```\n",
			"requirements.txt": "mcp>=1.9\n", "server.py": "from mcp.server.fastmcp import FastMCP\n\nmcp = FastMCP(\"x\")\n"}, nil)
		if len(d.Packages) != 1 {
			t.Fatalf("%s: %+v", line, d.Packages)
		}
		var options []string
		for _, conf := range d.Packages[0].Configurations {
			for _, a := range conf.Runtime {
				options = append(options, a.Value)
			}
		}
		if got := strings.Join(options, " ") + " / " + startOf(&d.Packages[0]); got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

// The manifest of a bundle has the arguments of a package that it starts.
func TestArgumentsOfBundles(t *testing.T) {
	const bundle = `{"manifest_version": "0.2", "name": "tides", "version": "1.0.0", "server": {"type": "node",
		"mcp_config": {"command": "npx", "args": ["-y", "tides-mcp", "--zone", "north", "--key", "${user_config.key}"]}},
		"user_config": {"key": {"type": "string", "sensitive": true, "required": true}}}`
	files := map[string]string{"README.md": "# Tides MCP server\n", "manifest.json": bundle,
		"package.json": `{"name": "tides-mcp", "version": "1.0.0", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`}
	for readme, want := range map[string]string{
		"# Tides MCP server\n": "--zone north --key {KEY}",
		"# Tides MCP server\n" + clientConfig(`{"command": "npx", "args": ["tides-mcp", "--zone=east"]}`): "--zone=east",
	} {
		files["README.md"] = readme
		d := of(t, files, nil)
		if len(d.Packages) != 1 {
			t.Fatalf("%+v", d.Packages)
		}
		if got := startOf(&d.Packages[0]); got != want {
			t.Errorf("%s: got %q, want %q", readme, got, want)
		}
	}
}

// Files that start the program of a package in an extension tell how the package starts.
func TestProgramsOfExtensions(t *testing.T) {
	const extension = `{"manifest_version": "0.3", "name": "tides", "version": "1.0.0", "server": {"type": "node",
		"mcp_config": {"command": "node", "args": ["${__dirname}/FILE", "--zone", "${user_config.zone}",
			"--site", "${user_config.site}", "--level=${user_config.level}"],
			"env": {"TIDES_KEY": "${user_config.key}"}}},
		"user_config": {"key": {"type": "string", "sensitive": true, "required": true}, "zone": {"type": "string"},
			"site": {"type": "string", "default": "north"}, "level": {"type": "string", "default": "mean"}}}`
	const run = "`npx tides-mcp` needs the variable `TIDES_KEY`.\n"
	for name, c := range map[string]struct{ file, readme, want string }{
		"its program":          {"dist/stdio.js", run, "--site north --level=mean KEY"},
		"another file":         {"dist/http.js", run, ""},
		"only in the manifest": {"dist/stdio.js", "A server.\n", registry.DoubtManifest},
	} {
		d := of(t, map[string]string{"README.md": "# Tides MCP server\n\n" + c.readme +
			"\n## Development\n\n```text\nTIDES_KEY=\"your-key\"\n```\n",
			"manifest.json": strings.Replace(extension, "FILE", c.file, 1), "package.json": `{"name": "tides-mcp",
				"version": "1.0.0", "bin": "./dist/stdio.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`}, nil)
		p := d.Packages[0]
		got := startOf(&p)
		for _, v := range p.EnvironmentVariables {
			if v.Name == "TIDES_KEY" && v.IsRequired && got != "" && p.Doubt == "" {
				got += " KEY"
			}
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// A program that is a group of commands starts the server with the only one that serves.
func TestGroupsOfCommands(t *testing.T) {
	const installed = "`pip install tides-mcp`"
	const serve = "    mcp.run(transport=\"stdio\")\n"
	const click = "import click\n\n@click.group()\n@click.option(\n    \"--zone\",\n)\ndef main(zone):\n    pass\n\n" +
		"@main.command()\n@click.option(\"--day\")\ndef list_tides(day):\n    print(day)\n\n" +
		"@main.command(\"start\")\ndef start_command(\n    port,\n):\n    port = 1\n\n" + serve
	const typer = "import typer\nmain = typer.Typer(no_args_is_help=True)\n\n@main.command()\n" +
		"def set_up():\n    pass\n\n" +
		"@main.command(name=\"serve\")\ndef f():\n" + serve
	for name, c := range map[string]struct{ code, readme, want string }{
		"click":            {click, installed, "start"},
		"typer":            {typer, installed, "serve"},
		"name of function": {strings.Replace(click, `"start"`, "", 1), installed, "start-command"},
		"two that serve":   {typer + "\n@main.command()\ndef g():\n" + serve, installed, registry.DoubtUsage},
		"none required":    {strings.Replace(click, "group()", "group(invoke_without_command=True)", 1), installed, ""},
		"another class":    {strings.Replace(click, "group()", "group(cls=Usual)", 1), installed, ""},
		"of other files": {strings.Split(click, "@main.command()")[0] + "\nmain.add_command(tides)\n", installed,
			registry.DoubtUsage},
		"a callback":    {typer + "\n@main.callback(invoke_without_command=True)\ndef g():\n" + serve, installed, ""},
		"one command":   {"import typer\nmain = typer.Typer()\n\n@main.command()\ndef f():\n" + serve, installed, ""},
		"of the README": {click, "`uvx tides-mcp`", ""},
		"of a manifest": {click, "A server.", registry.DoubtManifest},
	} {
		d := of(t, map[string]string{"README.md": "# Tides MCP server\n\n" + c.readme + "\n", "src/tides/cli.py": c.code,
			"pyproject.toml": "[project]\nname = \"tides-mcp\"\nversion = \"1\"\ndependencies = [\"mcp\"]\n" +
				"[project.scripts]\ntides-mcp = \"tides.cli:main\"\n"}, nil)
		if got := startOf(&d.Packages[0]); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// A variable is required whose value each shell line passes as an option.
func TestAlwaysPassed(t *testing.T) {
	const server = `{"name": "io.github.octo/tides", "description": "Tides", "version": "1.0.0", "packages": [
		{"registryType": "npm", "identifier": "tides-mcp", "transport": {"type": "stdio"},
			"environmentVariables": [{"name": "STORE_URL"}, {"name": "PORT"}]}]}`
	const line = "`npx tides-mcp --transport http --port 8080 --store-url \"db://user:password@localhost/x\"`\n\n"
	for readme, want := range map[string]string{
		line: "STORE_URL ", line + "`npx tides-mcp --help`\n": "STORE_URL ", line + "`npx tides-mcp`\n": "", "Tides\n": "",
	} {
		d := of(t, map[string]string{"README.md": "# Tides MCP server\n\n" + readme, "server.json": server,
			"package.json": npm(`, "version": "1.0.0", "bin": "x"`)}, nil)
		got := ""
		for _, v := range d.Packages[0].EnvironmentVariables {
			if v.IsRequired {
				got += v.Name + " "
			}
		}
		if got != want {
			t.Errorf("%s: required %q, want %q", readme, got, want)
		}
	}
}

// Code confirms which sub-command starts the server.
func TestConfirmedCommands(t *testing.T) {
	const cli = `import { program } from "commander";
program.command("ship <what>").action(async () => { await ship(); });
program.command("agent").action(async () => {
  BODY
});
program.command("list").action(list);
`
	const server = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
export async function assist() {
  await new McpServer({name: "x"}).connect(new StdioServerTransport());
}
export function ship() {
  return 1;
}
`
	for name, c := range map[string]struct{ readme, body, want string }{
		"called":             {"`npx barge ship goods`\n\n`npx barge agent`\n", "await assist();", "agent"},
		"imported":           {"`npx barge agent`\n", `await import("./assist.js");`, "agent"},
		"written there":      {"`npx barge agent`\n", "new McpServer({}).connect(t);", "agent"},
		"another function":   {"`npx barge agent`\n", "await ship();", registry.DoubtUsage},
		"another command":    {"`npx barge list`\n", "await assist();", registry.DoubtUsage},
		"others in the list": {"```\nnpx barge agent\nnpx barge list\n```\n", "await assist();", registry.DoubtUsage},
		"over HTTP":          {"`npx barge agent --port 80`\n", "await assist();", registry.DoubtUsage},
	} {
		t.Run(name, func(t *testing.T) {
			d := of(t, map[string]string{"README.md": "# Barge\n\n" + c.readme, "src/assist.ts": server,
				"src/cli.ts": strings.Replace(cli, "BODY", c.body, 1),
				"package.json": `{"name": "barge", "version": "1.0.0", "bin": "dist/cli.js",
					"dependencies": {"@modelcontextprotocol/sdk": "1"}}`}, nil)
			if len(d.Packages) != 1 {
				t.Fatalf("%+v", d.Packages)
			}
			if got := startOf(&d.Packages[0]); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// The code of another server of the repository confirms nothing.
func TestConfirmedByNeighbour(t *testing.T) {
	const manifest = `{"name": "NAME", "version": "1.0.0", "bin": "dist/cli.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`
	const server = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
program.command("agent").action(async () => { new McpServer({name: "x"}).connect(t); });
`
	for folder, want := range map[string]string{"packages/crane-mcp": registry.DoubtUsage, "src": "agent"} {
		files := map[string]string{"README.md": "# Barge\n\n`npx barge agent`\n", folder + "/cli.ts": server,
			"package.json": strings.Replace(manifest, "NAME", "barge", 1)}
		if folder != "src" {
			files[folder+"/package.json"] = strings.Replace(manifest, "NAME", "crane-mcp", 1)
		}
		s := &registry.Snapshot{Repo: registry.Repository{Owner: "octo", Name: "barge"}, Texts: files}
		for p := range files {
			s.Files = append(s.Files, registry.File{Path: p, OID: "1"})
		}
		got := ""
		for _, found := range Servers(s, nil).Servers {
			for _, p := range found.Detection.Packages {
				if p.Identifier == "barge" {
					got += startOf(&p)
				}
			}
		}
		if got != want && !(got == "" && want == registry.DoubtUsage) {
			t.Errorf("%s: got %q, want %q", folder, got, want)
		}
	}
}

// npx and uvx start a program by the name of the package only in some cases.
func TestPrograms(t *testing.T) {
	const server = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
		new McpServer({name: "x"}).connect(t);`
	npmOf := func(bin string) map[string]string {
		return map[string]string{"package.json": `{"name": "@octo/barge-mcp", "version": "1.0.0", "bin": ` + bin +
			`, "dependencies": {"@modelcontextprotocol/sdk": "1"}}`, "README.md": "# Barge MCP\n\n`npm i -g @octo/barge-mcp`\n"}
	}
	pyOf := func(scripts string) map[string]string {
		return map[string]string{"pyproject.toml": "[project]\nname = \"barge-mcp\"\nversion = \"1\"\n" +
			"dependencies = [\"mcp\"]\n[project.scripts]\n" + scripts, "README.md": "# Barge MCP\n\n`pip install barge-mcp`\n"}
	}
	with := func(files map[string]string, path, text string) map[string]string {
		files[path] = text
		return files
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"one of any name":        {npmOf(`{"quay": "a.js"}`), ""},
		"names of one file":      {npmOf(`{"quay": "./a.js", "q": "a.js"}`), ""},
		"named like the package": {npmOf(`{"barge-mcp": "a.js", "quay": "b.js"}`), ""},
		"one with the protocol":  {npmOf(`{"quay": "a.js", "mcp-quay": "b.js"}`), "(mcp-quay)"},
		"one that serves":        {with(npmOf(`{"quay": "a.js", "crane": "dist/b.js"}`), "src/b.ts", server), "(crane)"},
		"one that imports what serves": {with(with(npmOf(`{"quay": "dist/a.js", "crane": "dist/b.js"}`), "src/b.ts",
			`import { up } from "./up"; up();`), "src/up.ts", server), "(crane)"},
		"none to choose":        {npmOf(`{"quay": "a.js", "crane": "b.js"}`), registry.DoubtProgram},
		"two with the protocol": {npmOf(`{"mcp-a": "a.js", "mcp-b": "b.js"}`), registry.DoubtProgram},
		"configured": {with(npmOf(`{"quay": "a.js", "crane": "b.js"}`), "README.md", "# Barge MCP\n"+
			clientConfig(`{"command": "npx", "args": ["-p", "@octo/barge-mcp", "crane", "up"]}`)), "(crane) up"},
		"configured without need": {with(npmOf(`{"crane": "b.js"}`), "README.md", "# Barge MCP\n"+
			clientConfig(`{"command": "npx", "args": ["-p", "@octo/barge-mcp", "crane", "up"]}`)), "up"},
		"configured in vain": {with(npmOf(`{"quay": "a.js", "crane": "b.js"}`), "README.md", "# Barge MCP\n"+
			clientConfig(`{"command": "npx", "args": ["@octo/barge-mcp"]}`)), registry.DoubtProgram},
		"script of the name":     {pyOf("barge-mcp = \"a:main\"\nquay = \"b:main\"\n"), ""},
		"script, other spelling": {pyOf("barge_mcp = \"a:main\"\n"), "(barge_mcp)"},
		"one script":             {pyOf("quay = \"a:main\"\n"), "(quay)"},
		"script that serves": {with(pyOf("quay = \"barge.a:main\"\ncrane = \"barge.b:main\"\n"), "src/barge/b.py",
			"from mcp.server.fastmcp import FastMCP\nmcp = FastMCP(\"x\")\n"), "(crane)"},
		"no program": {pyOf(""), registry.DoubtProgram},
		"a script that it lacks": {with(pyOf("barge-mcp = \"a:main\"\n"), "README.md", "# Barge MCP\n"+
			clientConfig(`{"command": "uvx", "args": ["--from", "barge-mcp", "quay"]}`)), ""},
		"scripts to choose from": {pyOf("quay = \"a:main\"\ncrane = \"b:main\"\n"), registry.DoubtProgram},
	} {
		t.Run(name, func(t *testing.T) {
			d := of(t, c.files, nil)
			if len(d.Packages) != 1 {
				t.Fatalf("%+v", d.Packages)
			}
			if got := startOf(&d.Packages[0]); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestValuesOfWriters checks that values that the program does not know are to be filled in, and that
// the program's own ones and those of every machine stay.
func TestValuesOfWriters(t *testing.T) {
	const source = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
		const server = new McpServer({ name: "tides" })
		// The desk of berger is the default.
		const { assignee, desk, api: of, root, ttl, chat, levels } = parse(process.argv)
		log(process.env.TIDES_TTL ?? "9m")
		const modes = ["full", "read-only"], api = "https://api.tides.dev"
		server.tool("read_tide", {}, () => read(process.env.TIDES_BOARD, process.env.TIDES_MODE))`
	readme := func(args, env string) string {
		return "# Tides MCP server\n\n```json\n{\"mcpServers\": {\"tides\": {\"command\": \"npx\",\n" +
			"\"args\": [\"-y\", \"@octo/tides-mcp\", " + args + "],\n\"env\": {" + env + "}}}}\n```\n"
	}
	const args = `"--mode", "read-only", "--modes=full,read-only", "--port", "8080", "--fast", "true",
		"--folder", "./data", "--local", "http://127.0.0.1:9000", "--assignee", "berger", "--desk=Elbe Nord",
		"--api", "https://elbe.tides.dev/x", "--root", "/srv/elbe/docs", "--cache", "/tmp", "--unread", "east",
		"--ttl", "30s", "--chat", "-1001234567", "--levels", "https://api.tides.dev/v2"`
	const env = `"TIDES_BOARD": "BERG", "TIDES_MODE": "full", "FRAMEWORK_LEVEL": "ERROR", "TIDES_TTL": "when berger says"`
	d := of(t, map[string]string{"package.json": npm(""), "index.ts": source, "README.md": readme(args, env)}, nil)
	if len(d.Packages) == 0 || len(d.Packages[0].Configurations) == 0 {
		t.Fatalf("%+v", d.Packages)
	}
	conf := d.Packages[0].Configurations[0]
	want := []string{"--mode", "read-only", "--modes=full,read-only", "--port", "8080", "--fast", "true",
		"--folder", "./data", "--local", "http://127.0.0.1:9000", "--assignee", "{ASSIGNEE}", "--desk={DESK}",
		"--api", "{API}", "--root", "{ROOT}", "--cache", "/tmp", "--unread", "east",
		"--ttl", "30s", "--chat", "{CHAT}", "--levels", "https://api.tides.dev/v2"}
	if diff := cmp.Diff(want, valuesOf(conf.Args)); diff != "" {
		t.Error(diff)
	}
	got := map[string]string{}
	for _, v := range conf.Env {
		got[v.Name] = v.Value + v.Placeholder
	}
	if diff := cmp.Diff(map[string]string{"TIDES_BOARD": "", "TIDES_MODE": "full", "FRAMEWORK_LEVEL": "ERROR"}, got); diff != "" {
		t.Error(diff)
	}

	// Source code that was not read may know the values.
	s := &registry.Snapshot{Repo: registry.Repository{Host: registry.GitHub, Owner: "octo", Name: "tides-mcp"},
		Texts: map[string]string{"package.json": npm(""), "index.ts": source, "README.md": readme(`"--assignee", "berger"`, "")}}
	for p, text := range s.Texts {
		s.Files = append(s.Files, registry.File{Path: p, Size: int64(len(text))})
	}
	s.Files = append(s.Files, registry.File{Path: "unread.ts", Size: 9})
	conf = Servers(s, nil).Servers[0].Detection.Packages[0].Configurations[0]
	if diff := cmp.Diff([]string{"--assignee", "berger"}, valuesOf(conf.Args)); diff != "" {
		t.Error(diff)
	}
}

// TestHandlers checks that the code of a sub-command is what runs for its name alone.
func TestHandlers(t *testing.T) {
	for name, c := range map[string]struct {
		code, command string
		want          bool
	}{
		"case":                {"switch (x) {\n  case \"ship\":\n    return ship();\n  case \"mcp\": {\n    SERVE();\n  }\n}\n", "mcp", true},
		"another case":        {"switch (x) {\n  case \"ship\":\n    return ship();\n  case \"mcp\": {\n    SERVE();\n  }\n}\n", "ship", false},
		"case of Go":          {"switch x {\ncase \"ship\":\n\tship()\ncase \"mcp\":\n\tSERVE()\n}\n", "mcp", true},
		"before the start":    {"if (argv[2] === \"login\") {\n  await login();\n}\nSERVE();\n", "login", false},
		"other way":           {"if (argv[2] === \"login\") {\n  login();\n} else {\n  SERVE();\n}\n", "login", false},
		"condition of Python": {"if x == \"ship\":\n    ship()\nelif x == \"mcp\":\n    SERVE()\n", "mcp", true},
		"another of Python":   {"if x == \"ship\":\n    ship()\nelif x == \"mcp\":\n    SERVE()\n", "ship", false},
		"one line":            {"if (x === \"mcp\") SERVE();\nelse ship();\n", "mcp", true},
		"parser":              {"p = sub.add_parser(\"mcp\")\np.set_defaults(func=SERVE)\nq = sub.add_parser(\"ship\")\n", "mcp", true},
		"another parser":      {"p = sub.add_parser(\"ship\")\nq = sub.add_parser(\"mcp\")\nq.set_defaults(func=SERVE)\n", "ship", false},
		"chain":               {"program\n  .command(\"mcp\")\n  .description(\"x\")\n  .action(async () => {\n    SERVE();\n  });\n", "mcp", true},
		"another in a chain":  {"yargs\n  .command(\"ship\", \"x\", y => ship())\n  .command(\"mcp\", \"x\", y => SERVE())\n", "ship", false},
		"after a chain":       {"program.command(\"ship\").action(ship);\nSERVE();\n", "ship", false},
		"object of Go": {"var c = &cobra.Command{\n\tUse:   \"mcp\",\n\tShort: \"x\",\n\tRunE: func() error {\n" +
			"\t\treturn SERVE()\n\t},\n}\n", "mcp", true},
		"after an object": {"var c = &cobra.Command{\n\tUse: \"ship\",\n\tRun: ship,\n}\n\nfunc main() { SERVE() }\n", "ship", false},
		"decorator":       {"@app.command(\"mcp\")\n@option\ndef start():\n    SERVE()\n", "mcp", true},
		"after a decorator": {"@app.command(\"ship\")\ndef ship():\n    pass\n\n@app.command(\"mcp\")\ndef start():\n" +
			"    SERVE()\n", "ship", false},
		"arm": {"match x {\n    \"ship\" => ship(),\n    \"mcp\" => SERVE(),\n}\n", "ship", false},
	} {
		if got := strings.Contains(strings.Join(handlers(c.code, c.command), "\n"), "SERVE"); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
