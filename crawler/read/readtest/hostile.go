package readtest

import (
	"fmt"
	"maps"
	"strings"
)

// server are files of an MCP server in TypeScript.
func server(files map[string]string) map[string]string {
	all := map[string]string{
		"README.md": "# Tides MCP\n\nAn MCP server for tides. Run `npx -y @harbour/tides-mcp`.\n",
		"package.json": `{"name":"@harbour/tides-mcp","version":"1.0.0","bin":"index.js",` +
			`"dependencies":{"@modelcontextprotocol/sdk":"^1.20.0"}}`,
	}
	maps.Copy(all, files)
	return all
}

// one returns a server with one more file.
func one(path, text string) map[string]string { return server(map[string]string{path: text}) }

// workflow returns a server whose workflow runs a command.
func workflow(command string, files map[string]string) map[string]string {
	all := server(files)
	all[".github/workflows/ci.yml"] = "on: push\njobs:\n  a:\n    steps:\n      - run: |\n" +
		"          " + strings.ReplaceAll(command, "\n", "\n          ") + "\n"
	return all
}

// aliases returns YAML of n levels, each a list of aliases of the level before.
func aliases(n, width int, name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "k0: &%s0 [a]\n", name)
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "k%d: &%s%d [%s]\n", i, name, i,
			strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%s%d, ", name, i-1), width), ", "))
	}
	return b.String()
}

// merges returns YAML of n levels of mappings that merge and contain the one before.
func merges(n int) string {
	b := "k0: &m0 {script: npm test}\n"
	for i := 1; i <= n; i++ {
		b += fmt.Sprintf("k%d: &m%d\n  <<: *m%d\n  a: *m%d\n  b: *m%d\n", i, i, i-1, i-1, i-1)
	}
	return b
}

// scripts returns a package.json with n scripts, each of which is made from the name of the next.
func scripts(n int, body func(next string) string) string {
	var b strings.Builder
	b.WriteString(`{"name":"@harbour/tides-mcp","dependencies":{"@modelcontextprotocol/sdk":"1"},` +
		`"scripts":{`)
	for i := range n {
		fmt.Fprintf(&b, "%q:%q,", fmt.Sprintf("s%d", i), body(fmt.Sprintf("s%d", i+1)))
	}
	return b.String() + `"end":"vitest"}}`
}

// zod returns a server with a chain of n schemas, each made from the one before.
func zod(n int, link func(before string) string) string {
	var b strings.Builder
	b.WriteString("import {McpServer} from '@modelcontextprotocol/sdk/server/mcp.js';\n" +
		"import {z} from 'zod';\nconst server = new McpServer({name:'tides',version:'1'});\n" +
		"const z0=z.object({a:z.string()});\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "const z%d=%s;\n", i, link(fmt.Sprintf("z%d", i-1)))
	}
	fmt.Fprintf(&b, "server.tool('tides','Reads the tides.',{a:z%d},async()=>({content:[]}));\n", n)
	return b.String()
}

func three(z string) string { return "z.object({a:" + z + ",b:" + z + ",c:" + z + "})" }

// Hostile returns repositories that cost much to read, by name: the files by path. Each is within
// the limits of a crawl.
func Hostile() map[string]map[string]string {
	r := strings.Repeat
	many := func(n int, path, text string) map[string]string {
		files := map[string]string{}
		for i := range n {
			files[fmt.Sprintf(path, i)] = text
		}
		return server(files)
	}
	makefile := func(text string) map[string]string {
		return workflow("make a", map[string]string{"Makefile": text})
	}
	deepPython := "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('a')\n"
	return map[string]map[string]string{
		"YAML: 9^30 aliases":      one(".gitlab-ci.yml", aliases(30, 9, "$a")),
		"YAML: plain aliases":     one(".gitlab-ci.yml", aliases(7, 4, "a")),
		"YAML: aliases of dashes": one(".gitlab-ci.yml", aliases(40, 9, "-a")),
		"YAML: aliases of dots":   one(".circleci/config.yml", aliases(30, 9, ".a")),
		"YAML: binary aliases":    one(".gitlab-ci.yml", aliases(60, 2, "a")),
		"YAML: merges":            one(".gitlab-ci.yml", merges(60)),
		"YAML: aliases in a workflow": one(".github/workflows/ci.yml",
			"on: push\n"+aliases(30, 9, "$a")),
		"YAML: aliases in smithery": one("smithery.yaml", aliases(30, 9, "$a")),
		"YAML: aliases in compose": one("docker-compose.yml",
			"services:\n  a: 1\n"+aliases(30, 9, "_")),
		"YAML: alias of itself": one(".gitlab-ci.yml", "a: &a\n  b: *a\n  c: *a\n"),
		"YAML: quote in a quote": many(20, ".github/workflows/w%d.yml",
			"on: push\na: ['\"',"+r("[", 40_000)),
		"YAML: quote in a comment": one(".github/workflows/ci.yml",
			"on: push # \"\na: "+r("[", 60_000)),
		"YAML: block of brackets": one(".github/workflows/ci.yml",
			"on: push\na: >\n  \"\nb: "+r("{", 60_000)),
		"YAML: question marks": one(".github/workflows/ci.yml", "on: push\n"+r("? ", 30_000)),
		"YAML: dashes in a line": one(".github/workflows/ci.yml",
			"on: push\na:\n  "+r("- ", 30_000)+"b"),
		"YAML: 60 smithery.yaml": many(60, "p%d/smithery.yaml",
			"startCommand:\n  type: stdio\n  configSchema:\n    type: object\n    properties:\n"+
				r("      a: {type: string}\n", 2400)),
		"YAML: flow in flow": one("smithery.yaml", "a: "+r("[{a: ", 15_000)),
		"YAML: long line":    one("smithery.yaml", "a: "+r("b: ", 21_000)),
		"YAML: anchors":      one(".gitlab-ci.yml", r("- &a a\n", 9_000)),
		"scripts: calls of 20": workflow("npm run s0", map[string]string{"package.json": scripts(8,
			func(s string) string { return r("npm run "+s+";", 20) })}),
		"scripts: calls of 350": workflow("npm run s0", map[string]string{"package.json": scripts(8,
			func(s string) string { return r("npm run "+s+" && ", 350) + "true" })}),
		"scripts: each other": workflow("npm run s0", map[string]string{"package.json": scripts(1,
			func(string) string { return r("npm run s0;", 9_000) })}),
		"scripts: sh -c in sh -c": workflow(r("sh -c \"", 4_000)+"npm test"+r("\"", 4_000), nil),
		"scripts: a file of itself": workflow("./a.sh",
			map[string]string{"a.sh": r("./a.sh\n", 30_000)}),
		"scripts: 60,000 calls in 20 workflows": many(20, ".github/workflows/w%d.yml",
			"on: push\njobs:\n  a:\n    steps:\n      - run: |\n"+r("          a;b;c;d;e;f\n", 2_000)),
		"make: large variable": makefile("V=" + r("x", 60_000) +
			"\na:\n\t" + r("$(V)", 20_000) + "\n"),
		"make: variables of variables": makefile("A=" + r("x", 100) + "\nB=" + r("$(A)", 100) + "\nC=" +
			r("$(B)", 100) + "\nD=" + r("$(C)", 100) + "\nE=" + r("$(D)", 100) + "\na:\n\t$(E)\n"),
		"make: 12,000 targets": makefile(r("a ", 12_000) + ":\n" + r("\tnpm test\n", 20_000)),
		"make: brackets":       makefile("a:\n\t" + r("(", 240_000) + "\n"),
		"make: arithmetic":     makefile("a:\n\t" + r("$((", 80_000) + "\n"),
		"shell: brackets":      workflow(r("(", 50_000), nil),
		"shell: substitutions": workflow("sh a.sh\n"+r("$(", 25_000),
			map[string]string{"a.sh": r("$(", 125_000)}),
		"shell: backquotes":     workflow(r("`\\", 30_000), nil),
		"shell: braces":         workflow(r("{ ", 30_000), nil),
		"shell: if":             workflow(r("if ", 25_000), nil),
		"shell: while":          workflow(r("while a; do ", 8_000), nil),
		"shell: case":           workflow(r("case a in a) ", 8_000), nil),
		"shell: not":            workflow(r("! ", 30_000), nil),
		"shell: and":            workflow(r("a && ", 20_000)+"a", nil),
		"shell: pipes":          workflow(r("a | ", 25_000)+"a", nil),
		"shell: expansions":     workflow(r("${a:-", 20_000), nil),
		"shell: here documents": workflow(r("a <<E ", 15_000), nil),
		"shell: functions":      workflow(r("f() ", 20_000), nil),
		"shell: test":           workflow("[[ "+r("( ", 40_000), nil),
		"shell: test not":       workflow("[[ "+r("! ", 40_000), nil),
		"shell: let":            workflow("((a="+r("-", 90_000), nil),
		"shell: ternaries":      workflow("((a="+r("a?b:", 20_000), nil),
		"README: substitutions": one("README.md", "# MCP\n\n```sh\nnpx "+r("$(", 60_000)+"\n```\n"),
		"README: commands":      one("README.md", "# MCP server\n\n"+r("`npx -y a`\n", 20_000)),
		"README: lists":         one("README.md", "# MCP\n"+r("- ", 60_000)),
		"README: quotes":        one("README.md", "# MCP\n"+r("> ", 60_000)),
		"README: brackets":      one("README.md", "# MCP\n"+r("[", 120_000)),
		"README: emphasis":      one("README.md", "# MCP\n"+r("*a_ ", 60_000)),
		"README: tables":        one("README.md", "# MCP\n## Tools\n"+r("|a|b|\n|-|-|\n", 12_000)),
		"README: JSON": one("README.md",
			"# MCP\n```json\n{\"mcpServers\":"+r("{\"a\":", 40_000)+"\n```\n"),
		"README: escapes of escapes": one("README.md", "# MCP\n%"+r("25", 120_000)),
		"README: secrets":            one("README.md", "# MCP\n"+chain(15_000, "sk-a1b%[1]dc%[2]d\n")),
		"README: passwords":          one("README.md", "# MCP\n"+r("://a:b@", 35_000)),
		"README: addresses":          one("README.md", "# MCP\n"+r("a@a.aa ", 35_000)),
		"README: folders":            one("README.md", "# MCP\n"+r("/home/a A", 28_000)),
		"README: HTML":               one("README.md", "# MCP\n"+r("<div>", 40_000)),
		"zod: 13":                    one("index.ts", zod(13, three)),
		"zod: 49":                    one("index.ts", zod(49, three)),
		"zod: arrays of two": one("index.ts", zod(60,
			func(z string) string { return "z.union([z.array(" + z + ")," + z + ".nullable()])" })),
		"zod: extended": one("index.ts", zod(60, func(z string) string {
			return "z.object({a:" + z + ",b:z.array(" + z + ".partial())}).extend({c:" + z + "})"
		})),
		"zod: merged": one("index.ts", zod(40, func(z string) string {
			return z + ".merge(z.object({a:" + z + ",b:" + z + "}))"
		})),
		"zod: a record": one("index.ts",
			zod(60, func(z string) string { return "z.record(z.array(" + z + ")).or(" + z + ")" })),
		"zod: a plain tree": one("index.ts",
			zod(60, func(z string) string { return "{a:" + z + ",b:" + z + "}" })),
		"JSON schema: a tree": one("index.js",
			"const {Server}=require('@modelcontextprotocol/sdk');\n"+
				"const z0={type:'object'};\n"+chain(60, "const z%[1]d={type:'object',properties:{a:z%[2]d,b:z%[2]d}};\n")+
				"new Server({}).setRequestHandler(ListToolsRequestSchema,()=>({tools:[{name:'a',inputSchema:z60}]}));\n"),
		"strings: doubled": one("index.js",
			"let s0='aaaaaaaa';\n"+chain(60, "const s%[1]d=s%[2]d+s%[2]d;\n")+
				"server.tool('a',s60,{},()=>1);\n"),
		"strings: repeated": one("index.js",
			"server.tool('a','b'.repeat(1e9).repeat(1e9),{},()=>1);\n"),
		"arrays: doubled": one("index.js",
			"let s0=[1,2];\n"+chain(60, "const s%[1]d=[...s%[2]d,...s%[2]d];\n")+
				"for(const t of s60)server.tool('a'+t,'b',{},()=>1);\n"),
		"loops": one("index.js",
			r("for(const a of Array.from({length:1e9}))", 30)+"server.tool(a,'b',{},()=>1)"),
		"functions: each other": one("index.js", "function f0(){server.tool('a','b',{},()=>1)}\n"+
			chain(60, "function f%[1]d(){f%[2]d();f%[2]d()}\n")+"f60();\n"),
		"script: if":                   one("index.js", r("if(a)", 50_000)),
		"script: else":                 one("index.js", r("if(a){}else ", 20_000)),
		"script: arrows":               one("index.ts", "x="+r("a?(b):c=>", 40)),
		"script: arrows in JavaScript": one("index.js", "x="+r("a?(b):c=>", 40)),
		"script: arguments of types":   one("index.ts", r("a<", 20_000)),
		"script: types in types":       one("index.ts", "x="+r("a<b<", 40)),
		"script: generic arrows":       one("index.ts", "x="+r("<T>(a:", 40)),
		"script: arrows of arrows":     one("index.ts", "x="+r("(a=", 40)+"1"),
		"script: optional types":       one("index.ts", "x="+r("a?(b:c):(d:", 40)),
		"script: async arrows":         one("index.ts", "x="+r("async(a=", 40)),
		"script: conditional types": one("index.ts",
			"type X="+r("a extends infer b extends c?", 40)),
		"script: calls in a row":     one("index.ts", "x=a"+r("()", 120_000)),
		"script: members in a row":   one("index.ts", "x=a"+r(".b", 120_000)),
		"script: calls of members":   one("index.ts", "x=a"+r(".b()", 60_000)),
		"script: if in TypeScript":   one("index.ts", r("if(a)", 50_000)),
		"script: arrows in lists":    one("index.ts", "x="+r("a?(b):c=>[", 40)),
		"script: arguments in lists": one("index.ts", "x=["+r("a<b,", 40_000)),
		"TOML: quote in a quote":     one("pyproject.toml", "a = ['\"', "+r("[", 120_000)),
		"YAML: brackets in lines":    one("smithery.yaml", "a: [\n"+r("'\"',[\n", 9_000)),
		"script: indexes":            one("index.ts", "x=a"+r("[0]", 80_000)),
		"script: ternaries":          one("index.ts", "x="+r("a?b:", 60_000)+"c"),
		"script: sums":               one("index.ts", "x="+r("a+", 120_000)+"b"),
		"script: powers":             one("index.ts", "x="+r("a**", 80_000)+"b"),
		"script: not":                one("index.ts", "x="+r("!", 250_000)+"b"),
		"script: typeof":             one("index.ts", "x="+r("typeof ", 35_000)+"b"),
		"script: await":              one("index.ts", "x="+r("await ", 40_000)+"b"),
		"script: new":                one("index.ts", "x="+r("new ", 60_000)+"b"),
		"script: labels":             one("index.ts", r("a:", 120_000)),
		"script: brackets":           one("index.ts", r("(", 250_000)),
		"script: blocks":             one("index.js", r("{", 250_000)),
		"script: templates":          one("index.ts", r("`${", 80_000)),
		"script: templates in a row": one("index.js", "a"+r("``", 120_000)),
		"script: JSX":                one("index.tsx", "x="+r("<a>", 80_000)),
		"script: destructuring":      one("index.ts", "let "+r("[", 100_000)),
		"script: arrow bodies":       one("index.ts", "x="+r("a=>", 80_000)+"b"),
		"script: assignments":        one("index.ts", r("a=", 120_000)+"b"),
		"script: for":                one("index.js", r("for(;;)", 35_000)),
		"script: while":              one("index.js", r("while(a)", 30_000)),
		"script: do":                 one("index.js", r("do ", 80_000)),
		"script: functions":          one("index.js", r("function a(){", 18_000)),
		"script: classes":            one("index.ts", r("class a{b=", 20_000)),
		"script: regular expressions": one("index.js",
			r("server.tool('a'.match(/(a?){1000}(a?){1000}b/),'b',{},()=>1);", 60)),
		"script: array types":           one("index.ts", "let a:b"+r("[]", 120_000)),
		"script: unions":                one("index.ts", "type a="+r("|b", 120_000)),
		"script: keyof":                 one("index.ts", "type a="+r("keyof ", 40_000)+"b"),
		"script: decorators":            one("index.ts", r("@a ", 80_000)+"class b{}"),
		"Python: brackets":              one("server.py", deepPython+"x="+r("(", 200_000)),
		"Python: lambdas":               one("server.py", deepPython+"x="+r("lambda:", 30_000)+"1"),
		"Python: not":                   one("server.py", deepPython+"x="+r("not ", 60_000)+"1"),
		"Python: blocks":                one("server.py", deepPython+pyramid(500)),
		"Go: brackets":                  one("main.go", "package main\nvar x="+r("(", 250_000)),
		"Go: not":                       one("main.go", "package main\nvar x="+r("!", 250_000)),
		"Go: types":                     one("main.go", "package main\nvar x "+r("[]", 120_000)+"int"),
		"Rust: brackets":                one("src/main.rs", "#[tool]\nfn a(){"+r("(", 250_000)),
		"C#: generics":                  one("Tools.cs", "[McpServerTool] "+r("A<", 120_000)),
		"TOML: brackets":                one("pyproject.toml", "a="+r("[", 120_000)),
		"TOML: tables":                  one("pyproject.toml", "["+r("a.", 60_000)+"a]\n"),
		"JSON: brackets":                one("server.json", r("[", 250_000)),
		"JSON: quote in a comment":      one("server.json", "{/*\"*/\"a\":"+r("[", 250_000)),
		"Docker: continued":             one("Dockerfile", "FROM a\nENTRYPOINT "+r("\\\n", 100_000)),
		"YAML: blank lines in a script": workflow(r("\n", 6_000), nil),
		"YAML: lines of a script": one(".github/workflows/ci.yml",
			"on: push\njobs:\n  a:\n    steps:\n      - run: |\n          a\n"+r("\r\n", 30_000)),
		"CI: an action 3,000 times": server(map[string]string{
			".github/workflows/ci.yml": "on: push\njobs:\n  a:\n    steps:\n" +
				r("      - uses: ./a\n", 3_000),
			"a/action.yml": "runs:\n  using: composite\n  steps: []\nx: '" + r("a", 60_000) + "'\n"}),
		"CI: patterns of paths": many(20, ".github/workflows/w%d.yml",
			"on:\n  push:\n    paths:\n"+r("      - '**a**b**c**d**e**f**s'\n", 1_500)),
		"CI: different patterns": many(20, ".github/workflows/w%d.yml",
			"on:\n  push:\n    branches:\n"+chain(2_500, "      - '%d*%d'\n")),
		"Jenkinsfile: open strings": one("Jenkinsfile", r("sh \"\"\"", 30_000)),
		"TOML: inline tables":       one("Cargo.toml", "a = "+r("{a=", 60_000)),
		"TOML: dotted keys":         one("pyproject.toml", chain(6_000, r("a.", 30)+"b%d.c%d = 1\n")),
		"TOML: arrays of tables":    one("Cargo.toml", r("[[a]]\n", 40_000)),
		"TOML: open strings": one("libs.versions.toml",
			"[libraries]\na = \"\"\""+r("\"\"a", 80_000)),
		"JSON: objects":  one("manifest.json", r("{\"a\":", 40_000)),
		"JSON: members":  one("composer.json", "{"+r("\"a\":{},", 28_000)+"\"b\":1}"),
		"JSON: comments": one("deno.jsonc", "{"+r("/**/", 60_000)+"}"),
		"JSON: tools of a bundle": one("manifest.json", `{"manifest_version":"0.3","name":"tides",`+
			`"server":{"type":"node","mcp_config":{"command":"node"}},"tools":[`+
			r(`{"name":"a","description":"b"},`, 7_000)+`{"name":"c"}]}`),
		"JSON: packages of server.json": one("server.json", `{"name":"io.github.harbour/tides",`+
			`"description":"a","version":"1","packages":[`+
			r(`{"registryType":"npm","identifier":"a","version":"1","environmentVariables":[]},`, 3_000)+
			`{}]}`),
		"JSON: a plugin":   one(".claude-plugin/plugin.json", r("[{", 120_000)),
		"JSON: a notebook": one("a.ipynb", `{"cells":[`+r(`{"source":["`, 20_000)),
		"JSON: a lock file": one("package-lock.json",
			`{"packages":{`+r(`"a":{},`, 35_000)+`"b":{}}}`),
		"JSON: escapes": one("server-card.json",
			`{"tools":[{"name":"`+r(`\u0041`, 40_000)+`"}]}`),
		"XML: elements": one("pom.xml", r("<a>", 80_000)),
		"XML: entities": one("pom.xml", "<!DOCTYPE a [\n"+
			chain(2_000, "<!ENTITY a%[1]d \"&a%[2]d;&a%[2]d;\">\n")+"]><project>&a2000;</project>"),
		"XML: attributes": one("A.csproj", "<Project "+r("a='b' ", 40_000)+"/>"),
		"XML: dependencies": one("pom.xml", "<project><dependencies>"+
			r("<dependency><artifactId>a</artifactId></dependency>", 5_000)),
		"XML: comments":          one("Directory.Packages.props", r("<!-- - ", 36_000)),
		"Gradle: brackets":       one("build.gradle", "dependencies "+r("{", 250_000)),
		"Gradle: calls":          one("build.gradle.kts", r("implementation(", 17_000)),
		"Gradle: strings":        one("build.gradle", r("implementation 'a:b:", 12_000)),
		"Ruby: heredocs":         one("a.rb", "class A < MCP::Tool\n"+r("<<A\n", 60_000)),
		"PHP: heredocs":          one("a.php", "<?php #[McpTool]\n"+chain(20_000, "<<<A%dX%d\n")),
		"Rust: raw strings":      one("src/main.rs", "#[tool]\n"+r("r#\"", 80_000)),
		"Swift: quotes":          one("a.swift", "Tool(name: \""+r("\"", 250_000)),
		"Kotlin: interpolations": one("A.kt", "server.addTool(\""+r("$a\\$", 60_000)+"\")"),
		"Python: choices":        one("server.py", deepPython+r("(", 250_000)),
		"Python: requirements":   one("setup.py", "setup(install_requires=["+r("'a',", 60_000)),
		"requirements: lines":    one("requirements.txt", r("a[b]==1 ; c\n", 20_000)),
		"go.mod: replaced":       one("go.mod", "module a\n"+r("replace a => b v1\n", 14_000)),
		"Docker: variables":      one("Dockerfile", "FROM a\n"+chain(9_000, "ENV A%d=$A%d$A%[2]d\n")),
		"Docker: stages":         one("Dockerfile", r("FROM a AS b\n", 20_000)+"ENTRYPOINT [\"a\"]"),
		"env: variables":         one(".env.example", r("A=${B:-\n", 30_000)),
		"env: comments":          one(".env.example", r("#a\n", 80_000)),
		"script: expressions in a row": one("index.ts",
			"import {McpServer} from '@modelcontextprotocol/sdk';\n"+r("a,", 100_000)+"a"),
		"script: expressions in brackets": one("index.ts", r("void("+r("a,", 2_000)+"a);", 60)),
		"script: declared twice":          one("index.ts", r("const a=b;\n", 22_000)),
		"script: lambdas":                 one("index.ts", "import a from 'b';\n"+r("a=>", 50_000)+"b"),
		"script: comments in a row":       one("index.ts", "const x={"+r("/* a */", 36_000)+"}"),
		"Python: elif":                    one("server.py", deepPython+"if a:\n x=1\n"+r("elif a:\n x=1\n", 17_000)),
		"script: not not":                 one("index.ts", r("!", 150_000)+"a;"),
		"script: exported twice":          one("index.ts", r("export {a} from './b';\n", 11_000)),
		"script: declared late":           one("index.ts", r("a(b);\n", 30_000)+r("let a;", 10_000)),
		"script: exports of each other":   mesh(60),
		"script: tools in 60 files": many(60, "f%d.ts", "import {server} from './s';\n"+
			chain(500, "server.tool('a%d','b',{},()=>1);\n")),
		"a line of 250 kB":     one("index.js", "server.tool('a','"+r("b", 250_000)+"',{},f)"),
		"lines of NUL":         one("package.json", r("\x00\n", 120_000)),
		"UTF-16":               one("pyproject.toml", "\xff\xfe"+r("[\x00", 120_000)),
		"UTF-16 with one byte": one("smithery.yaml", "\xfe\xff\x00"),
		"byte order marks":     one("server.json", r("\ufeff", 80_000)+"{}"),
		"hidden characters":    one("README.md", "# MCP\n"+r("\u200b`npx a`", 20_000)),
		"Docker: brackets":     one("Dockerfile", "FROM a\nENTRYPOINT "+r("$(", 100_000)),
	}
}

// chain returns a text for each number from 1 to n, formatted with it and the one before.
func chain(n int, format string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, format, i, i-1)
	}
	return b.String()
}

// mesh returns a server of n modules, each of which exports everything of all others.
func mesh(n int) map[string]string {
	files := map[string]string{"index.ts": "import {a} from './f0';\nserver.tool(a,'b',{},()=>1);\n"}
	for i := range n {
		var b strings.Builder
		for k := range n {
			fmt.Fprintf(&b, "export * from './f%d';\n", (i+k+1)%n)
		}
		files[fmt.Sprintf("f%d.ts", i)] = b.String()
	}
	return server(files)
}

// pyramid returns n blocks of Python in each other.
func pyramid(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "if a:\n")
	}
	return b.String()
}
