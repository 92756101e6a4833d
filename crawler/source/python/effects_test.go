package python

import (
	"testing"

	"mcpcensus/internal/registry"
)

// effectsOf returns the effects of the tools in a file, with their places.
func effectsOf(text string) map[string]registry.ToolEffect {
	tools, _ := Tools(map[string]string{"server.py": text}, nil)
	all := map[string]registry.ToolEffect{}
	for _, t := range tools {
		all[t.Name] = registry.ToolEffect{}
		if t.Inferred != nil {
			all[t.Name] = *t.Inferred
		}
	}
	return all
}

func TestEffects(t *testing.T) {
	got := effectsOf(`import os, subprocess, requests
from mcp.server.fastmcp import FastMCP
mcp = FastMCP("garden")

def save(path, text):
    with open(path, "w") as f:
        f.write(text)

class Client:
    def send(self, method, path):
        return requests.request(method, BASE + path)

client = Client()

@mcp.tool()
def plan(path: str):
    save(path, "plan")

@mcp.tool()
def bed(id: str):
    return client.send("DELETE", f"/beds/{id}")

@mcp.tool()
def dig(command: str):
    cmd = command.split()
    subprocess.run(cmd)

@mcp.tool()
def grow(id: str):
    subprocess.run(["grow", id])

def run(cmd):
    return subprocess.run(cmd)

@mcp.tool()
def grown(id: str):
    """Truncate what has grown."""
    cmd = ["grow", "--id"] + [id]
    cmd += ["--all"]
    return run(cmd)

@mcp.tool()
def digs(command: str):
    return run(command.split())

@mcp.tool()
def shellish(x: str):
    subprocess.run(["bash", "-c", x])

@mcp.tool()
def seeds(id: str):
    return requests.get("https://garden.example/seeds/" + id).json()

@mcp.tool()
def water(id: str):
    return requests.post(f"https://garden.example/water/{id}")

@mcp.tool()
def find_water(id: str):
    return requests.post(f"https://garden.example/water/{id}")

@mcp.tool()
def ask(id: str):
    return requests.post("https://garden.example/search", json={"id": id})

@mcp.tool()
def weed(id: str):
    db.execute("DELETE FROM weeds WHERE id = ?", (id,))

@mcp.tool()
def label(id: str):
    return client.send("PUT", f"/labels/{id}")

@mcp.tool()
def sow(id: str):
    db.execute("INSERT INTO seeds VALUES (?)", (id,))

@mcp.tool()
def resow(id: str):
    db.execute("INSERT INTO seeds VALUES (?) ON CONFLICT (id) DO UPDATE SET n = 1", (id,))

@mcp.tool()
def query(id: str):
    return graph("mutation($id: ID) { bed: updateBed(id: $id) { id } }", id)

@mcp.tool()
def diary(path: str):
    with open(path, "a") as f:
        f.write("")

class Store:
    def __init__(self, path):
        self.db = connect(path)
        self.db.execute("DELETE FROM beds WHERE gone = 1")

def ready():
    connect(".").execute("DROP TABLE beds_before")

@mcp.tool()
def look(id: str):
    ready()
    return Store("beds").db.get(id)

@mcp.tool()
def half(n: int):
    return str(n / 2)

@mcp.tool()
def ask_seeds(id: str):
    return graph("mutation { seedOrder(id: 1) { id } }", id)

@mcp.tool()
def note_seeds(text: str):
    Path("seeds.md").write_text(text)

@mcp.tool()
def pack_seeds(path: str):
    Path(path).write_text("seeds")

@mcp.tool()
def get_seeds(id: str):
    db.execute("INSERT INTO cached_seeds VALUES (?)", (id,))

@mcp.tool()
def list_seeds(id: str):
    db.execute("DELETE FROM seeds WHERE old = ?", (id,))

@mcp.tool()
def tidy_seeds(id: str):
    return graph("mutation { first: createSeed(in: {update: 1}) { id delete } removeSeed(id: 2) { id } }", id)

@mcp.tool()
def add_seeds(id: str):
    return graph("mutation { createSeed(in: {update: 1}) { ...f } } fragment f on Seed { delete }", id)

@mcp.tool()
def scripted(x: str):
    subprocess.run(["osascript", str(HERE / "water.scpt"), x])

@mcp.tool()
def pruned(id: str):
    store.delete_object(Key=id)

@mcp.tool()
def listed(id: str):
    return ", ".join(store.list_objects(Key=id).replace("a", "b"))

@mcp.tool()
def a_script(x: str):
    subprocess.run(["python", x, "--all"])
`)
	for name, want := range map[string]registry.ToolEffect{
		"plan":       {Effect: registry.EffectDestructive, Basis: registry.BasisSource, Evidence: "server.py:6"},
		"bed":        {Effect: registry.EffectDestructive, Basis: registry.BasisSource, Evidence: "server.py:21"},
		"dig":        {Effect: registry.EffectExecute, Basis: registry.BasisSource, Evidence: "server.py:26"},
		"grow":       {Effect: registry.EffectUnknown, Basis: registry.BasisSource, Evidence: "server.py:30"},
		"grown":      {Effect: registry.EffectUnknown, Basis: registry.BasisSource, Evidence: "server.py:33"},
		"digs":       {Effect: registry.EffectExecute, Basis: registry.BasisSource, Evidence: "server.py:33"},
		"scripted":   {Effect: registry.EffectUnknown, Basis: registry.BasisSource, Evidence: "server.py:138"},
		"a_script":   {Effect: registry.EffectExecute, Basis: registry.BasisSource, Evidence: "server.py:150"},
		"pruned":     {Effect: registry.EffectUnknown, Basis: registry.BasisSource, Evidence: "server.py:142"},
		"listed":     {Effect: registry.EffectRead, Basis: registry.BasisSource, Evidence: "server.py:145"},
		"shellish":   {Effect: registry.EffectExecute, Basis: registry.BasisSource, Evidence: "server.py:48"},
		"seeds":      {Effect: registry.EffectRead, Basis: registry.BasisSource, Evidence: "server.py:51"},
		"water":      {},
		"find_water": {},
		"ask":        {},
		"weed":       {Effect: registry.EffectDestructive, Basis: registry.BasisSource, Evidence: "server.py:68"},
		"label":      {Effect: registry.EffectDestructive, Basis: registry.BasisSource, Evidence: "server.py:72"},
		"sow":        {Effect: registry.EffectWrite, Basis: registry.BasisSource, Evidence: "server.py:76"},
		"resow":      {Effect: registry.EffectDestructive, Basis: registry.BasisSource, Evidence: "server.py:80"},
		"query":      {Effect: registry.EffectDestructive, Basis: registry.BasisSource, Evidence: "server.py:84"},
		"ask_seeds":  {Effect: registry.EffectWrite, Basis: registry.BasisSource, Evidence: "server.py:110"},
		"tidy_seeds": {Effect: registry.EffectDestructive, Basis: registry.BasisSource, Evidence: "server.py:130"},
		"add_seeds":  {Effect: registry.EffectWrite, Basis: registry.BasisSource, Evidence: "server.py:134"},
		"note_seeds": {Effect: registry.EffectUnknown, Basis: registry.BasisSource, Evidence: "server.py:114"},
		"pack_seeds": {Effect: registry.EffectDestructive, Basis: registry.BasisSource, Evidence: "server.py:118"},
		"get_seeds":  {Effect: registry.EffectUnknown, Basis: registry.BasisSource, Evidence: "server.py:122"},
		"list_seeds": {Effect: registry.EffectDestructive, Basis: registry.BasisSource, Evidence: "server.py:126"},
		"diary":      {Effect: registry.EffectWrite, Basis: registry.BasisSource, Evidence: "server.py:88"},
		"look":       {Effect: registry.EffectUnknown, Basis: registry.BasisSource, Evidence: "server.py:97"},
		"half":       {Effect: registry.EffectRead, Basis: registry.BasisSource, Evidence: "server.py:105"},
	} {
		if got[name] != want {
			t.Errorf("%s: got %+v, want %+v", name, got[name], want)
		}
	}
}

func TestEffects_dispatch(t *testing.T) {
	got := effectsOf(`from mcp.server import Server
from mcp.types import Tool
import os, shutil
server = Server("garden")

@server.list_tools()
async def list_tools():
    return [Tool(name=n, description="", inputSchema={}) for n in ["a", "b", "c", "d"]]

def clear(path):
    shutil.rmtree(path)

@server.call_tool()
async def call_tool(name, arguments):
    if name == "a":
        os.mkdir(arguments["path"])
    elif name in ("b", "x"):
        clear(arguments["path"])
    match name:
        case "c":
            return exec(arguments["code"])
    handlers = {"d": clear}
    return await handlers[name](arguments)
`)
	for name, want := range map[string]string{"a": registry.EffectWrite, "b": registry.EffectDestructive,
		"c": registry.EffectExecute, "d": registry.EffectDestructive} {
		if got[name].Effect != want {
			t.Errorf("%s: got %+v, want %s", name, got[name], want)
		}
	}
}
