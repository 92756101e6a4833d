package script

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/source/listing"
	"mcpcensus/crawler/source/sourcetest"
)

// TestConditions tests which tools are conditional. All of them are found; "rake" is always
// registered.
func TestConditions(t *testing.T) {
	const always = `server.tool("rake", run);`
	for name, test := range map[string]struct {
		code string
		want map[string]string
	}{
		"variable is compared": {`if (process.env.ENABLE_DIG === "true") server.tool("dig", run);`,
			map[string]string{"dig": "off ENABLE_DIG=true"}},
		"variable is set": {`if (process.env.GARDEN_MODE) { server.tool("dig", run); }`,
			map[string]string{"dig": "off GARDEN_MODE"}},
		"variable as Boolean": {`if (Boolean(process.env.DIG)) server.tool("dig", run);`,
			map[string]string{"dig": "off DIG"}},
		"variable in an expression": {`if (["1", "on"].includes(process.env.DIG ?? "")) server.tool("dig", run);`,
			map[string]string{"dig": "off DIG"}},
		"variable by default on": {`if (process.env.ENABLE_DIG !== "false") server.tool("dig", run);`, nil},
		"variable of a connection": {`if (process.env.GARDEN_TOKEN) server.tool("dig", run);`,
			map[string]string{"dig": "off GARDEN_TOKEN"}},
		"variable without which it fails": {`if (!process.env.GARDEN_TOKEN) { console.error("no token"); process.exit(1); }
			server.tool("dig", run);`, nil},
		"client with a variable": {`const client = process.env.GARDEN_TOKEN ? new Client() : null;
			if (client) server.tool("dig", run);`, map[string]string{"dig": "off client"}},
		"required variable": {`if (process.env.SPADE_TOKEN) server.tool("dig", run);`, nil},
		"required variable and another": {`if (process.env.GARDEN_TOKEN && process.env.SPADE_TOKEN) server.tool("dig", run);`,
			map[string]string{"dig": "off GARDEN_TOKEN"}},
		"value of a required variable": {`if (process.env.SPADE_TOKEN === "a") server.tool("dig", run);`,
			map[string]string{"dig": ""}},
		"another list without a variable": {`class Client { key = process.env.GARDEN_TOKEN || null; bed = null;
				constructor() { if (this.key) this.bed = new Bed(this.key); } isReady() { return this.bed !== null; } }
			const client = new Client();
			server.setRequestHandler(ListToolsRequestSchema, async () => {
				const tools = [];
				if (!client.isReady()) return { tools: [{ name: "setup", inputSchema: {} }] };
				tools.push(...[{ name: "dig", inputSchema: {} }]);
				return { tools };
			});`, map[string]string{"dig": "off "}},
		"variable in a configuration": {`const config = { dig: process.env.ENABLE_DIG === "1" };
			if (config.dig) server.tool("dig", run);`, map[string]string{"dig": "off ENABLE_DIG=1"}},
		"variable in a list": {`if (process.env.GROUPS?.split(",").includes("dig")) server.tool("dig", run);`,
			map[string]string{"dig": "off GROUPS"}},
		"function in a branch": {`function register() { server.tool("dig", run); }
			if (process.env.ENABLE_DIG === "true") register();`,
			map[string]string{"dig": "off ENABLE_DIG=true"}},
		"returned before": {`function register() { if (!process.env.ENABLE_DIG) return; server.tool("dig", run); }
			register();`, map[string]string{"dig": "off ENABLE_DIG"}},
		"unknown option returned before": {`import { options } from "somewhere";
			function register() { if (!options.allowDigging) return; server.tool("dig", run); } register();`,
			map[string]string{"dig": "options.allowDigging"}},
		"unknown negative option returned before": {`import { options } from "somewhere";
			function register() { if (options.readOnly) return; server.tool("dig", run); } register();`, nil},
		"one of two lists in a loop": {`import { args } from "somewhere";
			const digs = [() => ({ name: "dig" })], all = args.digs ? digs : [{ name: "rake" }], made = [];
			for (const x of all) made.push(typeof x === "function" ? x() : x);
			const register = x => server.tool(x.name, run); for (const x of made) register(x);`,
			map[string]string{"dig": "args.digs"}},
		"loop continued before": {`import { isOff } from "somewhere";
			for (const name of ["dig"]) { if (!isOff(name)) continue; server.tool(name, run); }`,
			map[string]string{"dig": ""}},
		"flag": {`if (process.argv.includes("--dig")) server.tool("dig", run);`,
			map[string]string{"dig": "off --dig"}},
		"flag among arguments": {`const args = process.argv.slice(2);
			if (args.includes("--dig")) server.tool("dig", run);`, map[string]string{"dig": "off --dig"}},
		"unknown option": {`import { options } from "somewhere";
			if (options.allowDigging) server.tool("dig", run);`,
			map[string]string{"dig": "options.allowDigging"}},
		"unknown negative option": {`import { options } from "somewhere";
			if (!options.readOnly) server.tool("dig", run);`, nil},
		"unknown call": {`import { isOn } from "somewhere"; if (isOn("a")) server.tool("dig", run);`,
			map[string]string{"dig": ""}},
		"in both branches": {`import { options } from "somewhere";
			if (options.loud) server.tool("dig", run); else server.tool("dig", run);`, nil},
		"list in a branch": {`import { options } from "somewhere";
			const tools = [{ name: "sow", description: "Sows", inputSchema: { type: "object", properties: {} } }];
			if (options.allowDigging) tools.push({ name: "dig", description: "Digs",
				inputSchema: { type: "object", properties: {} } });
			server.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));`,
			map[string]string{"dig": "options.allowDigging"}},
		"copy of a list": {`import { options } from "somewhere";
			const tools = [{ name: "sow", description: "Sows", inputSchema: { type: "object", properties: {} } }];
			if (options.allowDigging) tools.push({ name: "dig", description: "Digs",
				inputSchema: { type: "object", properties: {} } });
			server.server.setRequestHandler(ListToolsRequestSchema,
				() => ({ tools: tools.map(t => ({ ...t, title: "" })) }));`,
			map[string]string{"dig": "options.allowDigging"}},
		"disabled": {`import { options } from "somewhere"; const dig = server.registerTool("dig", {}, run);
			if (options.isSmall) dig.disable();`, map[string]string{"dig": ""}},
		"parsed environment": {`const e = z.object({ DIG: z.string().optional(), BED: z.string().default("a") })
				.safeParse(process.env);
			if (e.success && e.data.BED && e.data.DIG) server.tool("dig", run);`, map[string]string{"dig": "off DIG"}},
		"part of a list": {`const dig = { name: "dig", description: "Digs",
				inputSchema: { type: "object", properties: {} } };
			server.server.setRequestHandler(ListToolsRequestSchema,
				() => ({ tools: [...(process.env.ENABLE_DIG === "true" ? [dig] : [])] }));`,
			map[string]string{"dig": "off ENABLE_DIG=true"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := Tools(map[string]string{"index.ts": sdk + always + test.code}, nil,
				&listing.Reading{Required: []string{"SPADE_TOKEN"}, Left: math.MaxInt})
			if test.want == nil {
				test.want = map[string]string{}
			}
			if diff := cmp.Diff(test.want, sourcetest.Conditions(got.Tools)); diff != "" {
				t.Error(diff)
			}
			if names := len(got.Tools); names < 2 {
				t.Errorf("%d tools", names)
			}
		})
	}
}

// TestSharedCondition tests that a condition of the whole server is none of its tools.
func TestSharedCondition(t *testing.T) {
	got := Tools(map[string]string{"index.ts": sdk + `import { transport } from "somewhere";
		function create() { server.tool("dig", run); if (transport.allowRaking) server.tool("rake", run); }
		if (transport.isLocal) create();`}, nil, nil)
	want := map[string]string{"rake": "transport.allowRaking"}
	if diff := cmp.Diff(want, sourcetest.Conditions(got.Tools)); diff != "" {
		t.Error(diff)
	}
}

// TestUnknownSchemas tests that schemas with unknown parts are unknown, rather than without
// parameters.
func TestUnknownSchemas(t *testing.T) {
	const empty, unknown = sourcetest.NoParameters, ""
	for name, test := range map[string]struct{ code, want string }{
		"none":                  {`server.tool("dig", run);`, empty},
		"none in an object":     {`server.registerTool("dig", { description: "Digs" }, run);`, empty},
		"callback in arguments": {`import { rest } from "x"; server.tool("dig", "Digs", ...rest);`, unknown},
		"unknown schema":        {`import { shape } from "x"; server.tool("dig", "Digs", shape, run);`, unknown},
		"spread in a shape": {`import { shape } from "x";
			server.tool("dig", "Digs", { ...shape, bed: z.string() }, run);`, unknown},
		"spread in the details": {`import { common } from "x";
			server.registerTool("dig", { description: "Digs", ...common }, run);`, unknown},
		"unknown extension": {`import { more } from "x"; const s = z.object({ bed: z.string() }).extend(more);
			server.registerTool("dig", { description: "Digs", inputSchema: s }, run);`, unknown},
		"unknown factory": {`import { make } from "x";
			server.registerTool("dig", { description: "Digs", inputSchema: make({ bed: z.string() }) }, run);`,
			unknown},
		"unknown definition": {`import { defineTool } from "x";
			server.addTool(defineTool({ name: "dig", description: "Digs", handler: run }));`, unknown},
		"schema under another name": {`server.addTool({ name: "dig", description: "Digs",
			zodShape: { bed: z.string() }, execute: run });`, unknown},
		"object that is refined": {`const s = z.object({ bed: z.string() }).refine(check);
			server.tool("dig", "Digs", s._def.schema.shape, run);`,
			`{"type":"object","properties":{"bed":{"type":"string"}},"required":["bed"]}`},
		"object that is optional": {`const s = z.object({ bed: z.string() }).optional();
			server.tool("dig", "Digs", s.unwrap().shape, run);`,
			`{"type":"object","properties":{"bed":{"type":"string"}},"required":["bed"]}`},
		"element of a list": {`const s = z.array(z.object({ bed: z.string() }));
			server.tool("dig", "Digs", s.unwrap().shape, run);`, unknown},
		"own function": {`const register = (name, text, f) => target.addAll(name, text, f);
			const app = { registerTool: register }; app.registerTool("dig", "Digs", run);`, unknown},
		"unknown list of required parameters": {`import { names } from "x";
			const dig = { name: "dig", description: "Digs", inputSchema: { type: "object",
				properties: { bed: { type: "string" } }, required: names } };
			server.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [dig] }));`, unknown},
		"computed key": {`import { key } from "x"; server.tool("dig", "Digs", { [key]: z.string() }, run);`,
			unknown},
		"unknown type of a property": {`import { kind } from "x";
			server.tool("dig", "Digs", { bed: kind, depth: z.number() }, run);`,
			`{"type":"object","properties":{"bed":{},"depth":{"type":"number"}},"required":["depth"]}`},
		"enumeration of numbers": {`enum Depth { Low = 1, High = 2 }
			server.tool("dig", "Digs", { depth: z.nativeEnum(Depth) }, run);`,
			`{"type":"object","properties":{"depth":{}},"required":["depth"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := Tools(map[string]string{"index.ts": sdk + test.code}, nil, nil).Tools
			if len(got) != 1 || got[0].Name != "dig" {
				t.Fatalf("got %+v", got)
			}
			if schema := string(got[0].InputSchema); schema != test.want {
				t.Errorf("schema %s, want %s", schema, test.want)
			}
		})
	}
}
