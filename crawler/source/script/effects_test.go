package script

import (
	"testing"

	"github.com/google/go-cmp/cmp"

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
		"grow":       {Effect: registry.EffectUnknown, Basis: registry.BasisSource, Evidence: "index.ts:26"},
		"grown":      {Effect: registry.EffectUnknown, Basis: registry.BasisSource, Evidence: "index.ts:31"},
		"scripted":   {Effect: registry.EffectUnknown, Basis: registry.BasisSource, Evidence: "index.ts:39"},
		"a_script":   {Effect: registry.EffectExecute, Basis: registry.BasisSource, Evidence: "index.ts:43"},
		"shellish":   {Effect: registry.EffectExecute, Basis: registry.BasisSource, Evidence: "index.ts:35"},
		"seeds":      {Effect: registry.EffectRead, Basis: registry.BasisSource, Evidence: "index.ts:47"},
		"water":      {},
		"find_water": {},
		"look":       {Effect: registry.EffectUnknown, Basis: registry.BasisSource, Evidence: "index.ts:55"},
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

func TestEffects_changingCalls(t *testing.T) {
	got := effectsOf(map[string]string{"package.json": `{"main": "index.ts"}`, "shed.ts": `
import { unlink } from "node:fs/promises";
export class Shed {
  async empty() { await unlink("seeds.txt"); return "empty"; }
}
`, "index.ts": `
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { PrismaClient } from "@prisma/client";
import { DeleteObjectCommand, S3Client } from "@aws-sdk/client-s3";
import mongoose from "mongoose";
import { execa } from "execa";
import { $ } from "zx";
import { z } from "zod";
import { Shed } from "./shed.js";

const prisma = new PrismaClient();
const Bed = mongoose.model("Bed", {});
const s3 = new S3Client({});
const shed = new Shed();
const seen = new Map();
const server = new McpServer({ name: "garden", version: "1.0.0" });
const add = (name, f) => server.registerTool(name, { inputSchema: { id: z.string() } }, f);
add("row", async ({ id }) => prisma.bed.delete({ where: { id } }));
add("row_found", async ({ id }) => prisma.bed.findMany({ where: { id } }));
add("model", async ({ id }) => Bed.findByIdAndDelete(id));
add("object", async ({ id }) => s3.send(new DeleteObjectCommand({ Key: id })));
add("mail", async ({ id }) => mailer.sendMail({ to: id }));
add("mail_ready", async ({ id }) => mailer.createTransport("smtp"));
add("program", async ({ id }) => execa("rm", ["-rf", id]));
add("template", async ({ id }) => $` + "`rm -rf ${id}`" + `);
add("request", async ({ id }) => { const method = "DELETE"; return fetch(url, { method }); });
add("options", async ({ id }) => { const o = {}; o.method = "DELETE"; return fetch(url, o); });
add("route", async ({ id }) => octokit.request("DELETE /beds/{id}", { id }));
add("other_file", async () => shed.empty());
add("own_map", async ({ id }) => { seen.delete(id); const s = new Set(); s.delete(id); return id; });
add("promise", async ({ id }) => new Promise((resolve, reject) => reject(id)));
add("text", async ({ id }) => id.replace("a", "b"));
add("timer", async ({ id }) => { const c = new AbortController(); setTimeout(() => c.abort(id), 9); });
add("sent", async ({ id }) => axios.post("/search", { id }));
`})
	want := map[string]string{
		"row": registry.EffectUnknown, "row_found": registry.EffectRead, "model": registry.EffectUnknown,
		"object": registry.EffectUnknown, "mail": registry.EffectUnknown, "mail_ready": registry.EffectRead,
		"program": registry.EffectUnknown, "template": registry.EffectUnknown,
		"request": registry.EffectDestructive, "options": registry.EffectDestructive,
		"route": registry.EffectDestructive, "other_file": registry.EffectUnknown,
		"own_map": registry.EffectRead, "promise": registry.EffectRead, "text": registry.EffectRead,
		"timer": registry.EffectRead, "sent": "",
	}
	effects := map[string]string{}
	for name, e := range got {
		effects[name] = e.Effect
	}
	if d := cmp.Diff(want, effects); d != "" {
		t.Error(d)
	}
}
