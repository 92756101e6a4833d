package script

import (
	"testing"

	"mcpcensus/internal/registry"
)

func effectsOf(files map[string]string) map[string]registry.ToolEffect {
	all := map[string]registry.ToolEffect{}
	for _, t := range Tools(files, nil, nil).Tools {
		all[t.Name] = registry.ToolEffect{}
		if t.Inferred != nil {
			all[t.Name] = *t.Inferred
		}
	}
	return all
}

func TestEffects(t *testing.T) {
	got := effectsOf(map[string]string{"package.json": `{"main": "index.ts"}`, "client.ts": `
export interface Bed {
  id: string;
}

export class Client {
  constructor(private readonly key: string) {}
  private async send(method: string, path: string) {
    return fetch("https://garden.example" + path, { method });
  }
  async remove(id: string) {
    return this.send("DELETE", "/beds/" + id);
  }
}
`, "index.ts": `
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { promisify } from "node:util";
import { exec, spawn } from "child_process";
import * as fs from "fs/promises";
import { z } from "zod";
import { Client } from "./client.js";

interface Unused { a: string; b: number }
const run = promisify(exec);
const client = new Client("key");
const server = new McpServer({ name: "garden", version: "1.0.0" });
async function save(path: string, text: string) {
  await fs.writeFile(path, text);
}
server.tool("plan", { path: z.string() }, async ({ path }) => save(path, "plan"));
server.registerTool("bed", { inputSchema: { id: z.string() } }, async ({ id }) => {
  const result = await client.remove(id);
  return { content: [{ type: "text", text: JSON.stringify(result) }] };
});
server.tool("dig", { command: z.string() }, async ({ command }) => {
  const { stdout } = await run(command);
  return { content: [] };
});
server.tool("grow", { id: z.string() }, async ({ id }) => {
  spawn("grow", [id]);
  return { content: [] };
});
server.tool("grown", { id: z.string() }, async ({ id }) => {
  const command = ` + "`grow ${id}`" + `;
  await run(command);
  return { content: [] };
});
server.tool("shellish", { x: z.string() }, async ({ x }) => {
  spawn("bash", ["-c", x]);
  return { content: [] };
});
server.tool("scripted", { x: z.string() }, async ({ x }) => {
  spawn("osascript", ["water.scpt", x]);
  return { content: [] };
});
server.tool("a_script", { x: z.string() }, async ({ x }) => {
  spawn("node", [x, "--all"]);
  return { content: [] };
});
server.tool("seeds", { id: z.string() }, async ({ id }) => {
  const r = await fetch("https://garden.example/seeds/" + id, { method: "GET" });
  return { content: [{ type: "text", text: await r.text() }] };
});
server.tool("water", { id: z.string() }, async (args) => {
  await fetch(` + "`https://garden.example/water/${args.id}`" + `, { method: "POST" });
  return { content: [] };
});
function ready() {
  run("UPDATE garden SET version = 2");
  return { get: (id) => id };
}
server.tool("look", { id: z.string() }, async ({ id }) => ready().get(id));
server.tool("find_water", { id: z.string() }, async (args) => {
  await fetch("https://garden.example/water", { method: "POST" });
  return { content: [] };
});
`})
	for name, want := range map[string]registry.ToolEffect{
		"plan":       {Effect: registry.EffectDestructive, Basis: registry.BasisSource, Evidence: "index.ts:14"},
		"bed":        {Effect: registry.EffectDestructive, Basis: registry.BasisSource, Evidence: "client.ts:12"},
		"dig":        {Effect: registry.EffectExecute, Basis: registry.BasisSource, Evidence: "index.ts:22"},
		"grow":       {},
		"grown":      {},
		"scripted":   {},
		"a_script":   {Effect: registry.EffectExecute, Basis: registry.BasisSource, Evidence: "index.ts:43"},
		"shellish":   {Effect: registry.EffectExecute, Basis: registry.BasisSource, Evidence: "index.ts:35"},
		"seeds":      {},
		"water":      {},
		"find_water": {},
		"look":       {},
	} {
		if got[name] != want {
			t.Errorf("%s: got %+v, want %+v", name, got[name], want)
		}
	}
}

func TestEffects_dispatch(t *testing.T) {
	got := effectsOf(map[string]string{"package.json": `{"main": "index.js"}`, "index.js": `
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import fs from "node:fs";
const handlers = { d: async (args) => fs.rmSync(args.path) };
class Garden {
  constructor() {
    this.server = new Server({ name: "garden", version: "1.0.0" }, {});
    this.server.setRequestHandler(ListToolsRequestSchema, async () => ({
      tools: ["a", "b", "c", "d", "e"].map((name) => ({ name, description: "", inputSchema: { type: "object" } })),
    }));
    this.server.setRequestHandler(CallToolRequestSchema, async (request) => {
      const { name, arguments: args } = request.params;
      switch (name) {
        case "a":
        case "b":
          return fs.mkdirSync(args.path);
      }
      if (name === "c") {
        return eval(args.code);
      }
      if (name === "e") {
        return this.clear(args);
      }
      return handlers[name](args);
    });
  }
  clear(args) {
    return fs.unlinkSync(args.path);
  }
}
new Garden();
`})
	for name, want := range map[string]string{"a": registry.EffectWrite, "b": registry.EffectWrite,
		"c": registry.EffectExecute, "d": registry.EffectDestructive, "e": registry.EffectDestructive} {
		if got[name].Effect != want {
			t.Errorf("%s: got %+v, want %s", name, got[name], want)
		}
	}
}
