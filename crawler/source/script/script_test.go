package script

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/source/sourcetest"
	"mcpcensus/internal/registry"

	"mcpcensus/crawler/source/listing"
)

// found is a tool in a compact form.
type found struct {
	Name, Title, Description, Schema string
	ReadOnly                         bool
}

// short returns the tools of a start with the default settings.
func short(tools []registry.Tool) []found {
	var out []found
	for _, t := range tools {
		if !t.IsDefault() {
			continue
		}
		f := found{Name: t.Name, Title: t.Title, Description: t.Description, Schema: string(t.InputSchema)}
		f.ReadOnly = t.Annotations != nil && t.Annotations.ReadOnly != nil && *t.Annotations.ReadOnly
		out = append(out, f)
	}
	return out
}

const sdk = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"; import { z } from "zod";
const server = new McpServer({ name: "shop", version: "1.0.0" });
`

func TestTools(t *testing.T) {
	const noParameters = `{"type":"object","properties":{}}`
	tests := []struct {
		name  string
		files map[string]string
		roots []string
		want  []found
	}{
		{name: "registerTool", files: map[string]string{"index.ts": sdk + `
			server.registerTool("list_shelves", {
				title: "List shelves", description: "Lists all " + "shelves",
				inputSchema: { floor: z.number().int().min(0).describe("The floor"), name: z.string().optional() },
				annotations: { readOnlyHint: true },
			}, async () => ({ content: [] }));`},
			want: []found{{
				Name: "list_shelves", Title: "List shelves", Description: "Lists all shelves", ReadOnly: true,
				Schema: `{"type":"object","properties":{"floor":{"type":"integer","minimum":0,"description":"The floor"},` +
					`"name":{"type":"string"}},"required":["floor"]}`,
			}},
		},
		{name: "a method of the SDK called on a server of its own class", files: map[string]string{"shop.ts": `
			import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
			export class ShopServer extends McpServer {
				private register(access: string, ...args: unknown[]) {
					const [name] = args;
					const config: any = { annotations: { readOnlyHint: access === "read" } };
					switch (args.length) {
						case 2: return (McpServer.prototype as any).registerTool.call(this, name, config, args[1]);
						default:
							config.description = args[1] as string;
							config.inputSchema = args[2];
							return (McpServer.prototype as any).registerTool.call(this, name, config, args[3]);
					}
				}
				addReading(name: string, ...args: unknown[]) { return this.register("read", name, ...args); }
				addWriting(name: string, ...args: unknown[]) { return this.register("write", name, ...args); }
			}`, "index.ts": `import { z } from "zod"; import { ShopServer } from "./shop.js";
			const server = new ShopServer({ name: "shop", version: "1" });
			class Beds { static create(server: ShopServer) {
				server.addReading("list_beds", "Lists beds", { floor: z.number() }, async () => {});
				server.addWriting("clear_beds", async () => {});
			} }
			Beds.create(server);`},
			want: []found{{Name: "list_beds", Description: "Lists beds", ReadOnly: true,
				Schema: `{"type":"object","properties":{"floor":{"type":"number"}},"required":["floor"]}`},
				{Name: "clear_beds", Schema: noParameters}},
		},
		{name: "named definitions and validated data", files: map[string]string{"index.ts": `
			import { createApp, tool, z } from "mcp-garden-kit";
			import texts from "./texts.json";
			const known = z.record(z.string()).parse(texts);
			const dig = tool("dig", { description: known.dig, input: z.object({ bed: z.string() }) });
			await createApp({ tools: [dig] });`, "texts.json": `{"dig":"Digs"}`},
			want: []found{{Name: "dig", Description: "Digs",
				Schema: `{"type":"object","properties":{"bed":{"type":"string"}},"required":["bed"]}`}},
		},
		{name: "tool", files: map[string]string{"index.ts": sdk + `
			server.tool("ping", async () => ({ content: [] }));
			server.tool("pong", "Answers", async () => ({ content: [] }));
			server.tool("add", "Adds", { a: z.number() }, { readOnlyHint: true }, async ({ a }) => ({ content: [] }));`},
			want: []found{
				{Name: "ping", Schema: noParameters}, {Name: "pong", Description: "Answers", Schema: noParameters},
				{Name: "add", Description: "Adds", ReadOnly: true,
					Schema: `{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}`},
			},
		},
		{name: "tool with a definition", files: map[string]string{"index.ts": sdk + `
			server.tool({ name: "rest", description: "Rests" }, async () => ({ content: [] }));
			chart.tool({ name: "zoom" }, () => draw());
			chart.tool({ name: "pan", description: "Pans" });`},
			want: []found{{Name: "rest", Description: "Rests"}},
		},
		{name: "constructed_regular_expressions", files: map[string]string{"index.ts": sdk + `
			if (new RegExp("^WEED", "i").test("weeding")) server.tool("weed", run);
			if (new RegExp("^weed$").test("weeding")) server.tool("no", run);`},
			want: []found{{Name: "weed", Schema: noParameters}},
		},
		{name: "names_made_with_regular_expressions", files: map[string]string{"index.ts": sdk + `
			const snake = (s: string) => s.replace(/([A-Z])/g, "_$1").toLowerCase();
			const camel = (s: string) => s.replace(/-(\w)/g, (_, c) => c.toUpperCase());
			const paths = ["/beds/:bedId", "/beds/:bedId/rows/:rowId"];
			for (let i = 0; i < paths.length; i++) {
				const shape: any = {};
				for (const m of paths[i].matchAll(/:([a-zA-Z]+)/g)) shape[snake(m[1])] = z.string();
				if ("row_id" in shape) shape.depth = z.number();
				server.tool(camel("get-" + paths[i].split(/\W+/)[1]) + i, shape, run);
			}
			const title = (s: string) => s.split("_").map((w) => w.charAt(0).toUpperCase() + w.slice(1)).join("") + s[0];
			if (paths.some((p) => p.endsWith("rowId")) && !paths.every((p) => p.endsWith("rowId")))
				server.tool(title("dig_up"), run);`},
			want: []found{
				{Name: "getBeds0", Schema: `{"type":"object","properties":{"bed_id":{"type":"string"}},` +
					`"required":["bed_id"]}`},
				{Name: "getBeds1", Schema: `{"type":"object","properties":{"bed_id":{"type":"string"},` +
					`"row_id":{"type":"string"},"depth":{"type":"number"}},"required":["bed_id","row_id","depth"]}`},
				{Name: "DigUpd", Schema: noParameters},
			},
		},
		{name: "cases_that_are_chosen", files: map[string]string{"index.ts": sdk + `
			function typeOf(kind: string) {
				let type = z.string();
				switch (kind) {
				case "many": case "list": type = z.array(z.string()); break;
				case "count": return z.number();
				default: type = z.boolean();
				}
				return type;
			}
			server.tool("rake", { a: typeOf("many"), b: typeOf("count"), c: typeOf("other") }, run);`},
			want: []found{{Name: "rake", Schema: `{"type":"object","properties":{"a":{"type":"array",` +
				`"items":{"type":"string"}},"b":{"type":"number"},"c":{"type":"boolean"}},"required":["a","b","c"]}`}},
		},
		{name: "constants_of_other_modules", files: map[string]string{
			"src/index.ts": sdk + `
				import { NAMES, PREFIX, describeTool } from "./names.js"; import * as shapes from "@/shapes";
				server.registerTool(NAMES.Find, { description: describeTool("find"), inputSchema: shapes.find.shape }, run);
				server.tool(` + "`${PREFIX}_all`" + `, { ...shapes.page }, run);`,
			"src/names.ts": `export enum NAMES { Find = "find_book" } export const PREFIX = "list";
				export const describeTool = (verb: string) => ["Books to", verb].join(" ");`,
			"src/shapes/index.ts": `import { z } from "zod"; const base = z.object({ q: z.string(), n: z.number() });
				export const find = base.omit({ n: true }).extend({ tags: z.array(z.string()).default([]) });
				export const page = { page: z.number().nullable().optional() } as const;`,
			"tsconfig.json": `{ "compilerOptions": { "paths": { "@/*": ["./src/*"] }, }, } // comment`,
			"package.json":  `{"main": "dist/index.js"}`},
			want: []found{
				{Name: "find_book", Description: "Books to find", Schema: `{"type":"object","properties":{"q":{"type":"string"},` +
					`"tags":{"type":"array","items":{"type":"string"},"default":[]}},"required":["q"]}`},
				{Name: "list_all", Schema: `{"type":"object","properties":{"page":{"type":["number","null"]}}}`},
			},
		},
		{name: "handler_of_lists", files: map[string]string{"index.js": `
			const { Server } = require("@modelcontextprotocol/sdk/server/index.js");
			const { ListToolsRequestSchema, CallToolRequestSchema } = require("@modelcontextprotocol/sdk/types.js");
			const more = require("./more");
			const server = new Server({ name: "shop", version: "1" }, { capabilities: { tools: {} } });
			server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [
				{ name: "sell", description: "Sells", inputSchema: { type: "object", properties: { id: { type: "string" } } } },
				...more.tools.map((t) => ({ ...t, name: "shop_" + t.name })),
			] }));
			server.setRequestHandler(CallToolRequestSchema, async (r) => ({ content: [{ name: "no", description: "no" }] }));`,
			"more.js": `exports.tools = Object.values({ a: { name: "buy", description: "Buys" } });`},
			want: []found{
				{Name: "sell", Description: "Sells", Schema: `{"type":"object","properties":{"id":{"type":"string"}}}`},
				{Name: "shop_buy", Description: "Buys"},
			},
		},
		{name: "loop_over_classes", files: map[string]string{"index.ts": sdk + `
			abstract class Tool { abstract name: string; abstract description: string; schema = z.object({});
				register(s: McpServer) { s.tool(this.name, this.description, this.schema.shape, this.run.bind(this)); } }
			class Open extends Tool { name = "open"; get description() { return "Opens " + this.name; } }
			class Close extends Tool { constructor(public name: string) { super(); } description = "Closes"; }
			for (const t of [new Open(), new Close("close")]) t.register(server);`},
			want: []found{
				{Name: "open", Description: "Opens open", Schema: noParameters},
				{Name: "close", Description: "Closes", Schema: noParameters},
			},
		},
		{name: "fastmcp", files: map[string]string{"index.ts": `
			import { FastMCP } from "fastmcp"; import { z } from "zod";
			const server = new FastMCP({ name: "shop", version: "1.0.0" });
			server.addTool({ name: "weigh", description: "Weighs", parameters: z.object({ kg: z.number() }), execute: async () => "" });`},
			want: []found{{Name: "weigh", Description: "Weighs",
				Schema: `{"type":"object","properties":{"kg":{"type":"number"}},"required":["kg"]}`}},
		},
		{name: "classes_that_are_loaded_by_name", files: map[string]string{
			"package.json": `{"main": "dist/index.js"}`,
			"src/index.ts": `import { MCPServer } from "mcp-framework"; new MCPServer().start();`,
			"src/tools/Ring.ts": `import { MCPTool } from "mcp-framework"; import { z } from "zod";
				export default class Ring extends MCPTool<{}> { name = "ring"; description = "Rings";
					schema = { bell: { type: z.string(), description: "Which bell" } }; async execute() {} }`},
			want: []found{{Name: "ring", Description: "Rings",
				Schema: `{"type":"object","properties":{"bell":{"type":"string","description":"Which bell"}},"required":["bell"]}`}},
		},
		{name: "settings_have_their_defaults", files: map[string]string{"index.ts": sdk + `
			const prefix = process.env.PREFIX ?? "my_";
			server.tool(prefix + "tool", "A tool", {}, run);
			if (process.env.ADMIN === "true") server.tool("admin", "For admins", {}, run);`},
			want: []found{{Name: "my_tool", Description: "A tool", Schema: noParameters}},
		},
		{name: "numbers_of_settings", files: map[string]string{"index.ts": sdk + `
			function size(raw: string | undefined, preset: number) {
				const n = raw !== undefined ? parseInt(raw, 10) : NaN;
				return Number.isFinite(n) && n > 0 ? n : preset;
			}
			const most = size(process.env.MAX_ROWS, 2 * 500);
			server.tool("sow", ` + "`At most ${most} rows, half is ${most / 2}`" + `, run);`},
			want: []found{{Name: "sow", Description: "At most 1000 rows, half is 500", Schema: noParameters}},
		},
		{name: "variables_are_not_set", files: map[string]string{"index.ts": sdk + `
			if (!process.env.SHOP_API_KEY) { console.error("a key is required"); process.exit(1); }
			const { SHOP_URL, SHOP_MODE } = process.env;
			if (SHOP_URL) server.tool("open_shop", "Opens", {}, run);
			if (SHOP_MODE === undefined) server.tool("close_shop", "Closes", {}, run);`},
			want: []found{{Name: "close_shop", Description: "Closes", Schema: noParameters}},
		},
		{name: "groups_that_are_off", files: map[string]string{"index.ts": sdk + `
			import { registerAudit } from "./audit.js";
			const groups = { stock: ["count"], audit: ["trace"] };
			const chosen = new Set((process.env.SHOP_GROUPS ?? "stock").split(","));
			const isOn = (name: string) => Object.entries(groups).some(([g, names]) => chosen.has(g) && names.includes(name));
			if (isOn("count")) server.tool("count", "Counts", {}, run);
			if (chosen.has("audit")) registerAudit(server);`,
			"audit.ts": `export function registerAudit(server) { server.tool("trace", "Traces", {}, run); }`},
			want: []found{{Name: "count", Description: "Counts", Schema: noParameters}},
		},
		{name: "definitions_in_a_file", files: map[string]string{
			"src/index.ts": `import fs from "node:fs"; import path from "node:path"; import { fileURLToPath } from "node:url";` +
				sdk + `const folder = path.dirname(fileURLToPath(import.meta.url));
				for (const t of JSON.parse(fs.readFileSync(path.join(folder, "../tools.json"), "utf8")))
					server.tool(t.name, t.about, {}, run);`,
			"tools.json": `[{"name": "count", "about": "Counts"}, {"name": "trace", "about": "Traces"}]`},
			want: []found{
				{Name: "count", Description: "Counts", Schema: noParameters},
				{Name: "trace", Description: "Traces", Schema: noParameters},
			},
		},
		{name: "bundle_with_the_libraries", files: map[string]string{"dist/index.js": `
			var __export = (t, all) => { for (var n in all) Object.defineProperty(t, n, { get: all[n] }); };
			class Type { constructor(d) { this._def = d; } describe(t) { this.text = t; return this; } optional() { return this; } }
			var zod = {}; __export(zod, { object: () => makeObject, string: () => str, coerce: () => coerce });
			var coerce = {}; __export(coerce, { number: () => num });
			class Text extends Type {} class Sum extends Type {} class Shape extends Type {}
			function str() { return new Text({ typeName: "ZodString" }); }
			function num() { return new Sum({ typeName: "ZodNumber", coerce: true }); }
			function makeObject(shape) { return new Shape({ typeName: "ZodObject", shape: () => shape }); }
			class McpServer {
				constructor(info) { this.tools = {}; }
				tool(name, ...rest) { let text; if (typeof rest[0] === "string") text = rest.shift(); this.add(name, text, rest.shift()); }
				add(name, description, shape) {
					this.tools[name] = { description, inputSchema: makeObject(shape) };
					this.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: Object.entries(this.tools).map(
						([name, t]) => ({ name, description: t.description, inputSchema: toJson(t.inputSchema) })) }));
				}
				sendToolListChanged() {}
			}
			var server = new McpServer({ name: "shop", version: "1" });
			server.tool("find", "Finds", { q: zod.string().describe("What"), n: zod.coerce.number().optional() }, run);`,
			"package.json": `{"bin": {"x": "dist/index.js"}}`},
			want: []found{{Name: "find", Description: "Finds", Schema: `{"type":"object","properties":{` +
				`"q":{"type":"string","description":"What"},"n":{"type":"number"}},"required":["q"]}`}},
		},
		{name: "bundle_with_renamed_libraries", files: map[string]string{"dist/index.js": `
			function k(name, start) {
				function c(def) { const i = this; start(i, def); return i; }
				Object.defineProperty(c, "name", { value: name });
				return c;
			}
			var O = k("ZodObject", () => {}), S = k("ZodString", () => {}), E = k("ZodEnum", () => {}),
				U = k("ZodOptional", () => {});
			function o(shape) { return new O({ type: "object", get shape() { return { ...shape }; } }); }
			function s(c) { return new c({ type: "string" }); }
			function e(values) { return new E({ type: "enum", entries: Object.fromEntries(values.map((v) => [v, v])) }); }
			function u(t) { return new U({ type: "optional", innerType: t }); }
			class B { constructor(d) { this._def = d; } }
			class N extends B {}
			N.create = () => new N({ checks: [], typeName: "ZodNumber" });
			class A extends B {}
			A.create = (t) => new A({ type: t, typeName: "ZodArray" });
			function add(server, t) { server.tool(t.name, t.input.shape, run); }
			add(server, { name: "prune", input: o({
				tree: s(S).describe("The tree"), when: u(e(["now", "later"])), rows: A.create(N.create()),
			}) });`},
			want: []found{{Name: "prune", Schema: `{"type":"object","properties":{` +
				`"tree":{"type":"string","description":"The tree"},"when":{"type":"string","enum":["now","later"]},` +
				`"rows":{"type":"array","items":{"type":"number"}}},"required":["tree","rows"]}`}},
		},
		{name: "definitions_from_a_description_of_an_interface", files: map[string]string{"src/index.ts": `
			import fs from "fs"; import path from "path"; import { fileURLToPath } from "url";
			const file = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../api.json");
			const api = JSON.parse(fs.readFileSync(path.resolve(process.cwd(), file), "utf-8"));
			const resolve = (ref) => ref.replace(/^#\//, "").split("/").reduce((at, part) => at[part], api);
			const tools = Object.entries(api.paths).flatMap(([where, item]) => Object.entries(item).map(([verb, op]) => ({
				name: op.operationId, description: verb.toUpperCase() + " " + where,
				inputSchema: { type: "object", properties: Object.fromEntries(op.parameters.map((p) => {
					const known = "$ref" in p ? resolve(p.$ref) : p;
					return [known.name, known.schema];
				})) },
			})));
			server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools }));`,
			"api.json": `{"paths":{"/beds/{id}":{"get":{"operationId":"getBed","parameters":[` +
				`{"$ref":"#/components/id"},{"name":"deep","schema":{"type":"boolean"}}]}}},` +
				`"components":{"id":{"name":"id","schema":{"type":"string"}}}}`},
			want: []found{{Name: "getBed", Description: "GET /beds/{id}", Schema: `{"type":"object","properties":{` +
				`"id":{"type":"string"},"deep":{"type":"boolean"}}}`}},
		},
		{name: "spread_and_async_as_compilers_write_them", files: map[string]string{"index.js": `
			var define = Object.defineProperty, defineAll = Object.defineProperties;
			var symbols = Object.getOwnPropertySymbols, owns = Object.prototype.hasOwnProperty;
			var put = (o, k, v) => k in o ? define(o, k, { enumerable: true, value: v }) : o[k] = v;
			var spread = (a, b) => {
				for (var p in b || (b = {})) if (owns.call(b, p)) put(a, p, b[p]);
				if (symbols) for (var p of symbols(b)) put(a, p, b[p]);
				return a;
			};
			var spreadProps = (a, b) => defineAll(a, Object.getOwnPropertyDescriptors(b));
			var wait = (self, args, generator) => new Promise((resolve) => step(generator.apply(self, args), resolve));
			const zod = require("zod");
			const shared = { site: zod.string() };
			server.setRequestHandler(types.ListToolsRequestSchema, () => wait(this, null, function* () {
				const known = yield load();
				return { tools: [spreadProps(spread({}, { name: "mow" }), { description: "Mows",
					inputSchema: zod.object(spread(spread({}, { lawn: zod.number() }), shared)) })] };
			}));`},
			want: []found{{Name: "mow", Description: "Mows", Schema: `{"type":"object","properties":{` +
				`"lawn":{"type":"number"},"site":{"type":"string"}},"required":["lawn","site"]}`}},
		},
		{name: "modules_that_a_bundle_starts_when_needed", files: map[string]string{"index.js": `
			var lazy = (f, r) => () => (f && (r = f(f = 0)), r);
			var shape; var startShapes = lazy(() => { shape = { a: z.string() }; });
			var all; var startAll = lazy(() => { startShapes(); all = { ...shape, b: z.number() }; });
			var start = lazy(() => { startAll(); });
			start();
			server.tool("trim", all, run);`},
			want: []found{{Name: "trim", Schema: `{"type":"object","properties":{"a":{"type":"string"},` +
				`"b":{"type":"number"}},"required":["a","b"]}`}},
		},
		{name: "modules_of_a_folder", files: map[string]string{
			"dist/index.js": `import { readdir } from "fs/promises"; import { dirname, join, extname } from "node:path";
				import { fileURLToPath, pathToFileURL } from "url";` + sdk + `
				const folder = join(dirname(fileURLToPath(import.meta.url)), "./tools");
				const files = (await readdir(folder)).filter((f) => extname(f) === ".js");
				const loaded = await Promise.allSettled(files.map((f) => import(pathToFileURL(join(folder, f)).href)));
				for (const r of loaded) {
					if (r.status === "rejected") continue;
					server.registerTool(r.value.method, { description: r.value.description }, r.value.handler);
				}`,
			"dist/tools/buy.js":    `export const method = "buy", description = "Buys"; export async function handler() {}`,
			"dist/tools/sell.js":   `export const method = "sell", description = "Sells"; export async function handler() {}`,
			"dist/tools/more/x.js": `export const method = "x", description = "X";`, "dist/tools/a.json": `{}`},
			want: []found{{Name: "buy", Description: "Buys", Schema: noParameters},
				{Name: "sell", Description: "Sells", Schema: noParameters}},
		},
		{name: "bundle", files: map[string]string{"dist/index.js": `
			var p=Object.defineProperty;var e=(t,r)=>{for(var n in r)p(t,n,{get:r[n],enumerable:!0})};
			var c=(t,r)=>function(){return r||(0,t[Object.getOwnPropertyNames(t)[0]])((r={exports:{}}).exports,r),r.exports};
			var l=c({"lib.js"(t,r){r.exports={description:"Sings"}}});var z={};e(z,{song:()=>s});var s="song";
			import{McpServer as M}from"@modelcontextprotocol/sdk/server/mcp.js";import{z as o}from"zod";
			var m=new M({name:"x",version:"1"});m.registerTool("sing",{description:l().description,` +
			`inputSchema:{[z.song]:o.string()}},async()=>{});`,
			"package.json": `{"bin": {"x": "dist/index.js"}}`},
			want: []found{{Name: "sing", Description: "Sings",
				Schema: `{"type":"object","properties":{"song":{"type":"string"}},"required":["song"]}`}},
		},
		{name: "server_of_a_minified_module_that_others_start", files: map[string]string{"dist/index.js": `
			import{createMcpServer as c}from"shop-mcp-kit";import{z as o}from"zod";` +
			`export function a(e){return c({name:"shop",tools:async()=>{let t={};` +
			`if(e.a,Object.assign(t,{count:{description:"Counts",parameters:o.object({id:o.string()})}}),e.b&&e.c)e.d();return t}})}`,
			"package.json": `{"main": "dist/index.js"}`},
			want: []found{{Name: "count", Description: "Counts",
				Schema: `{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`}},
		},
		{name: "command_line_in_a_script_that_may_return", files: map[string]string{"cli.js": `#!/usr/bin/env node
			const { program } = require("commander");
			if (process.argv.includes("install")) { install(); return; }
			program.name("shop").action(async (options) => { require("./server.js").start(options); });`,
			"server.js":    `const { build } = require("./build.js"); exports.start = (o) => build([{ name: "sell" }]);`,
			"build.js":     `exports.build = (tools) => { for (const t of tools) server.tool(t.name, run); };`,
			"package.json": `{"bin": "cli.js"}`},
			want: []found{{Name: "sell", Schema: noParameters}},
		},
		{name: "classes_that_settings_may_turn_off", files: map[string]string{"index.js": sdk + `
			class Tool {
				constructor(config) { this.config = config; const { toolName } = this.constructor; this.name = toolName; }
				allowed() {
					let reason;
					if (this.config.readOnly && !["find"].includes(this.name)) reason = "writes";
					else if (this.config.off.includes(this.name)) reason = this.name;
					if (reason) { return false; }
					return true;
				}
				static schemas = new WeakMap();
				static schema(shape) { if (!this.schemas.has(shape)) this.schemas.set(shape, z.object(shape)); return this.schemas.get(shape); }
				register() {
					if (!this.allowed()) return false;
					server.registerTool(this.name, { description: "Sells", inputSchema: Tool.schema(this.shape()) }, run);
				}
			}
			class Sell extends Tool { shape() { return { id: z.string() }; } }
			Sell.toolName = "sell";
			new Sell(await settings()).register();`},
			want: []found{{Name: "sell", Description: "Sells",
				Schema: `{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`}},
		},
		{name: "unknown_schema", files: map[string]string{"index.ts": sdk + `
			server.registerTool("free", { description: "Free", inputSchema: await load() }, run);`},
			want: []found{{Name: "free", Description: "Free"}},
		},
		{name: "folder_without_tests", roots: []string{"packages/a"}, files: map[string]string{
			"packages/a/src/index.ts":         sdk + `server.tool("a", run);`,
			"packages/a/test/index.ts":        sdk + `server.tool("test", run);`,
			"packages/b/src/index.ts":         sdk + `server.tool("b", run);`,
			"packages/a/examples/src/more.ts": sdk + `server.tool("example", run);`},
			want: []found{{Name: "a", Schema: noParameters}},
		},
		{name: "not_tools", files: map[string]string{"index.ts": sdk + `
			server.registerPrompt("ask", { description: "Asks", argsSchema: { q: z.string() } }, run);
			server.registerResource("config", "config://x", { description: "Config" }, run);
			server.use({ name: "logging", description: "Logs", handler: run });
			const r = await client.callTool({ name: "remote", description: "x", arguments: {} });
			program.option({ name: "verbose", description: "Talks", type: "boolean" });`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Tools(tt.files, tt.roots, nil)
			if diff := cmp.Diff(tt.want, short(got.Tools)); diff != "" {
				t.Errorf("tools (-want +got):\n%s", diff)
			}
			for _, tool := range got.Tools {
				if tool.InputSchema != nil && !json.Valid(tool.InputSchema) {
					t.Errorf("%s: schema is not JSON: %s", tool.Name, tool.InputSchema)
				}
			}
		})
	}
}

func TestPartial(t *testing.T) {
	tests := map[string]bool{
		`server.tool("a", run);`: false,
		`for (const x of await fetchTools()) server.tool(x.name, {}, run);`:            true,
		`server.server.setRequestHandler(ListToolsRequestSchema, () => remote.list())`: true,
		`server.tool("a", run); function later() { server.tool("b", run); }`:           false,
		`server.tool("a", run); server.server.oninitialized = () => later();
			function later() { server.tool("b", run); }`: true,
		`server.tool("a", run); import { watch } from "garden"; export default watch(server);`: false,
		`server.tool("a", run); import { addMore } from "garden"; addMore(server);`:            true,
		`server.tool("a", run); await server.connect(new StdioServerTransport());`:             false,
	}
	for text, want := range tests {
		if got := Tools(map[string]string{"index.ts": sdk + text}, nil, nil); got.Partial != want {
			t.Errorf("%s: partial %v, want %v", text, got.Partial, want)
		}
	}
}

// TestUnsureLists tests that an item of one of several lists is not taken as certain.
func TestUnsureLists(t *testing.T) {
	got := Tools(map[string]string{"index.ts": sdk + `import { config } from "somewhere";
		const hidden = new Set(Object.entries({ bed: config.bed }).flatMap(([key, value]) => {
			if (!value) return [];
			return [key];
		}));
		const shape = { bed: z.string(), depth: z.number() };
		server.tool("dig", "Digs", Object.fromEntries(Object.entries(shape).filter(([key]) => !hidden.has(key))), run);
		const groups = config.all ? ["dig", "rake"] : ["dig"];
		if (groups.includes("rake")) server.tool("rake", run);`}, nil, nil).Tools
	want := `{"type":"object","properties":{"bed":{"type":"string"},"depth":{"type":"number"}},` +
		`"required":["bed","depth"]}`
	if len(got) != 2 || string(got[0].InputSchema) != want || got[1].Conditional == nil {
		t.Errorf("got %+v", got)
	}
}

// TestUnregistered tests which objects that no known code registers are taken for tools of a list
// that may have others.
func TestUnregistered(t *testing.T) {
	for name, test := range map[string]struct {
		code string
		want int
	}{
		"with a schema":    {`{ name: "dig", description: "Digs", inputSchema: z.object({ bed: z.string() }) }`, 1},
		"with a function":  {`{ name: "dig", description: "Digs", args: { bed: z.string() }, run: () => 1 }`, 1},
		"of a request":     {`{ name: "bed", description: "A bed", schema: z.object({ bed: z.string() }) }`, 0},
		"without a schema": {`{ name: "dig", description: "Digs" }`, 0},
	} {
		r := Tools(map[string]string{"index.ts": sdk + "export const x = " + test.code}, nil, nil)
		if got := r.Tools; len(got) != test.want || r.Partial != (test.want > 0) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestHostileSources(t *testing.T) {
	for name, text := range map[string]string{
		"nesting":   "x = " + strings.Repeat("[", 100_000),
		"negations": "x = " + strings.Repeat("!", 500_000) + "1",
		"arrows":    strings.Repeat("a=>", 160_000) + "a",
		"sum":       "x = 1" + strings.Repeat("+1", 200_000),
		"loop":      "for (;;) { for (;;) {} } while (true) {}",
		"recursion": "function f(a, b) { f(a + 1, b); f(a, b + 1); return f(f(a, 1), 2); } f(1, 2);",
		"growth":    "let a = [1]; for (let i = 0; i < 400; i++) a = [...a, ...a]; let s = 'x'; for (let i = 0; i < 400; i++) s += s;",
		"cycle":     "const o = {}; o.o = o; class A extends A {} new A(); server.tool('x', 'y', o, () => {});",
		"prototype": "const a = {__proto__: null}; a.constructor.prototype = a; for (const k in a) k();",
	} {
		t.Run(name, func(t *testing.T) {
			for _, file := range []string{"index.ts", "index.js"} {
				left := listing.Reading{Left: maxSteps}
				Tools(map[string]string{file: text}, nil, &left)
				if left.Left < -maxSteps/10 {
					t.Errorf("%s: took %d steps", file, maxSteps-left.Left)
				}
			}
		})
	}
}

func TestCandidates(t *testing.T) {
	paths := []string{
		"README.md", "package.json", "src/config.ts", "src/index.ts", "src/tools/add.ts", "src/types.d.ts",
		"test/tools.test.ts", "tsconfig.json",
	}
	want := []string{"tsconfig.json", "src/tools/add.ts", "src/index.ts", "src/config.ts"}
	if diff := cmp.Diff(want, Candidates(paths)); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
}

func TestImports(t *testing.T) {
	files := map[string]string{
		"package.json":     `{"name": "@me/app", "bin": "./dist/start.js"}`,
		"lib/package.json": `{"name": "@me/lib", "main": "dist/main.js"}`,
		"src/index.ts": `import a from "./a.js"; export * from './b'; import "@me/lib"; const c = require("../c");
			await import("./missing.js"); import fs from "node:fs"; import type { T } from "./types.js";`,
		"src/b/index.ts": "",
	}
	listed := map[string]bool{
		"c.js": true, "lib/src/main.ts": true, "src/a.ts": true, "src/b/index.ts": true, "src/index.ts": true,
		"src/start.ts": true, "src/types.ts": true,
	}
	want := []string{"c.js", "lib/src/main.ts", "src/a.ts", "src/start.ts"}
	got := Imports(files, listed)(files)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("imports (-want +got):\n%s", diff)
	}
}

func FuzzTools(f *testing.F) {
	f.Add(sdk + `server.tool("a", "b", { c: z.enum(["d"]).optional() }, async () => {});`)
	f.Add("class A extends B { static { this.x = 1 } get y() { return this.x } } for (const a of [new A()]) a.y;")
	f.Add("switch (x) { case 1: break; default: try { throw x } catch { } finally { } } label: for (let i in {}) continue label;")
	f.Add("const { a: [b, ...c] = [], ...d } = { a: [1, 2] }; export { b as 'x' }; export default function* () { yield* c }")
	// A limit of steps, unlike one of time, gives the same result on a busy machine.
	const steps = 100_000
	f.Fuzz(func(t *testing.T, text string) {
		for _, file := range []string{"index.tsx", "index.cjs"} {
			r := read(map[string]string{file: text}, nil, steps, nil)
			for _, tool := range r.Tools {
				if tool.InputSchema != nil && !json.Valid(tool.InputSchema) {
					t.Errorf("%s: schema is not JSON: %s", tool.Name, tool.InputSchema)
				}
				if !sourcetest.IsInText(tool.Name, text) {
					t.Errorf("%s: not in the text", tool.Name)
				}
			}
		}
	})
}

func BenchmarkTools(b *testing.B) {
	files := map[string]string{"package.json": `{"main": "dist/index.js"}`, "src/index.ts": sdk}
	for i := range 40 {
		name := "t" + strconv.Itoa(i)
		files["src/index.ts"] += "import { register as r" + name + ` } from "./` + name + `.js"; r` + name + "(server);\n"
		files["src/"+name+".ts"] = `import { z } from "zod"; export function register(server: any) {
			server.registerTool("` + name +
			`", { description: "Does", inputSchema: { a: z.string().describe("b") } }, async () => {
				const r = await fetch("https://x.example/" + a); return { content: [{ type: "text", text: await r.text() }] }; }); }`
	}
	for b.Loop() {
		if r := Tools(files, nil, nil); len(r.Tools) != 40 {
			b.Fatalf("%d tools", len(r.Tools))
		}
	}
}

func TestIsDeep(t *testing.T) {
	r := strings.Repeat
	for text, want := range map[string]bool{
		"x=a" + r("()", 20_000):         true,
		"x=a" + r(".b()", 20_000):       true,
		"x=" + r("a?(b):c=>", 40):       true,
		"x=" + r("a?(b):c=>[", 40):      true,
		r("a<", 2000):                   true,
		"x=[" + r("a<b,", 2000):         true,
		r("(", 6000):                    true,
		r("f(a);\n", 20_000):            false,
		r("x=a?(b):(c);\n", 2000):       false,
		r("x=(a:b):c=>d;\n", 2000):      false,
		r("a<b;", 20_000):               false,
		r("f<a<b>>(c);\n", 20_000):      false,
		"{" + r("a?: (b: c) => d,", 99): false,
	} {
		if got := isDeep(text); got != want {
			t.Errorf("%.20q…: %v", text, got)
		}
	}
}
