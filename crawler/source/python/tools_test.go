package python

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/source/sourcetest"
	"mcpcensus/internal/registry"
)

const none = sourcetest.NoParameters

const bedOnly = `{"type":"object","properties":{"bed":{"type":"string","description":"Which bed"}},"required":["bed"]}`

func TestTools(t *testing.T) {
	yes := true
	for _, test := range []struct {
		name    string
		files   map[string]string
		want    []sourcetest.Tool
		partial bool
	}{
		{"wrapped functions", map[string]string{"server.py": `
from functools import wraps
from mcp.server.fastmcp import FastMCP
from beds import dig
mcp = FastMCP("garden")

def structured(fn):
    @wraps(fn)
    async def inner(*args, **kwargs):
        return await fn(*args, **kwargs)
    return inner

mcp.tool(title="Dig")(structured(dig))
`, "beds.py": `
def dig() -> str:
    """Dig a bed."""
`}, []sourcetest.Tool{{Name: "dig", Title: "Dig", Description: "Dig a bed.", Schema: none}}, false},
		{"server of another package", map[string]string{"server.py": `
from labkit import InstrumentServer
server = InstrumentServer("garden", protocol="mcp")
mcp = server.mcp

@mcp.tool()
def dig() -> str:
    """Dig a bed."""
`}, []sourcetest.Tool{{Name: "dig", Description: "Dig a bed.", Schema: none}}, true},
		{"server with its own method tool", map[string]string{"server.py": `
from fastmcp import FastMCP

class Garden(FastMCP[Soil]):
    def tool(self, name_or_fn=None, **kwargs):
        def decorator(fn):
            return super(Garden, self).tool(logged(fn), **kwargs)
        return super().tool(name_or_fn, **kwargs) if name_or_fn else decorator

garden = Garden("garden")

@garden.tool()
def dig() -> str:
    """Dig a bed."""
`}, []sourcetest.Tool{{Name: "dig", Description: "Dig a bed.", Schema: none}}, false},
		{"docstrings with sections", map[string]string{"server.py": `
from fastmcp import FastMCP
mcp = FastMCP("garden")

@mcp.tool
def dig(bed: str, depth: Annotated[int, Field(description="In cm")]) -> str:
    """Dig a bed.

    Note: not in winter.

    Args:
        bed (str): Which bed,
            by its name.
        depth: How deep
    """

@mcp.tool(description="Rake.\n\nArgs:\n  bed: no")
def rake(bed: str) -> str:
    """Rake a bed.

    Args:
        bed: Which bed
    """

@mcp.tool
def sow(bed: str) -> str:
    """Sow a bed.

    :param str bed: Which bed
    :return: A text
    """

@mcp.tool
def water() -> str:
    """Water all beds.

    Example:
        water()
    """
`}, []sourcetest.Tool{
			{Name: "dig", Description: "Dig a bed.\n\nNote: not in winter.", Schema: `{"type":"object","properties":{` +
				`"bed":{"type":"string","description":"Which bed,\nby its name."},` +
				`"depth":{"type":"integer","description":"In cm"}},"required":["bed","depth"]}`},
			{Name: "rake", Description: "Rake.\n\nArgs:\n  bed: no", Schema: bedOnly},
			{Name: "sow", Description: "Sow a bed.", Schema: bedOnly},
			{Name: "water", Description: "Water all beds.", Schema: none},
		}, false},
		{"docstrings with an early FastMCP", map[string]string{"server.py": `
from fastmcp import FastMCP
mcp = FastMCP("garden")

@mcp.tool
def water() -> str:
    """Water all beds.

    Example:
        water()
    """
`, "pyproject.toml": `dependencies = ["fastmcp>=2.14,<3"]`}, []sourcetest.Tool{
			{Name: "water", Description: "Water all beds.\n\nExample:\n    water()", Schema: none}}, false},
		{"docstrings with FastMCP 3", map[string]string{"server.py": `
from fastmcp import FastMCP
mcp = FastMCP("garden")

@mcp.tool(exclude_args=["owner"])
def water(bed: str, owner: str = "me") -> str:
    """Water a bed.

    Example:
        water("roses")
    """

@mcp.tool
def sow(bed: str) -> str:
    """Sow a bed.

    Args:
        bed: Which bed
    """
`, "METADATA": "Requires-Dist: fastmcp<4.0.0,>=3.2.0\n"}, []sourcetest.Tool{
			{Name: "water", Description: "Water a bed.\n\nExample:\n    water(\"roses\")",
				Schema: `{"type":"object","properties":{"bed":{"type":"string"}},"required":["bed"]}`},
			{Name: "sow", Description: "Sow a bed.", Schema: bedOnly},
		}, false},
		{"lists that statements fill", map[string]string{"server.py": `
import click
from fastmcp import FastMCP
from mcp.types import Tool
from beds import chosen, described

@click.command()
@click.option("--read-only", "-r", default=True)
def main(read_only):
    mcp = FastMCP("garden")
    tools, skipped = chosen(read_only)
    for tool in tools:
        mcp.add_tool(tool)

class Garden:
    def __init__(self):
        self.specs = [{"name": "prune", "text": "Prunes."}]
        self.specs.append({"name": "graft", "text": "Grafts."})
    def tools(self):
        return [Tool(name=s["name"], description=s["text"], inputSchema=strict(s.get("schema", {})))
            for s in self.specs]

def strict(schema):
    out = copy.deepcopy(schema)
    return out
`, "beds.py": `
def dig(): "Digs."
def rake(): "Rakes."
def mow(): "Mows."
def burn(): "Burns."
ALL = [dig] + [f for group in [[rake], [mow]] for f in group]
def chosen(read_only=True):
    names = set()
    out = []
    for f in ALL:
        if f.__name__ != "rake":
            out.append(f)
    if not read_only:
        out.extend([burn])
    return out, load(names)
`}, []sourcetest.Tool{
			{Name: "dig", Description: "Digs.", Schema: none}, {Name: "mow", Description: "Mows.", Schema: none},
			{Name: "prune", Description: "Prunes.", Schema: "{}"}, {Name: "graft", Description: "Grafts.", Schema: "{}"},
		}, false},
		{"lists with unknown elements", map[string]string{"server.py": `
from fastmcp import FastMCP
mcp = FastMCP("garden")
def dig(): "Digs."
def handlers():
    out = [dig]
    out.append(load())
    return out
for handler in handlers():
    mcp.tool()(handler)
`}, []sourcetest.Tool{{Name: "dig", Description: "Digs.", Schema: none}}, true},
		{"branches that are not taken", map[string]string{"server.py": `
import os
from fastmcp import FastMCP
mcp = FastMCP("garden")
WRITABLE = os.getenv("WRITABLE", "no") == "yes"
cache = None

if WRITABLE:
    @mcp.tool
    def dig(): "Digs."
elif cache:
    @mcp.tool
    def rake(): "Rakes."
else:
    @mcp.tool
    def mow(): "Mows."
`}, []sourcetest.Tool{
			{Name: "rake", Description: "Rakes.", Schema: none}, {Name: "mow", Description: "Mows.", Schema: none},
		}, false},
		{"decorators of the files that register", map[string]string{"server.py": `
from functools import wraps
from fastmcp import FastMCP

def garden_tool(server: FastMCP, *, read_only=False):
    hints = {"readOnlyHint": read_only}
    def decorate(fn):
        @wraps(fn)
        async def wrapper(*args):
            return await fn(*args)
        server.tool(annotations=hints)(wrapper)
        return wrapper
    return decorate

def each(server: FastMCP):
    def decorate(one):
        async def every(beds: list): ...
        every.__name__ = getattr(one, "__name__", "every")
        every.__doc__ = one.__doc__
        server.tool()(every)
        return every
    return decorate

def register(mcp: FastMCP):
    @garden_tool(mcp, read_only=True)
    def dig(bed: str): "Digs."

    @each(mcp)
    def rake(bed: str): "Rakes."
`}, []sourcetest.Tool{
			{Name: "dig", Description: "Digs.", Annotations: &registry.ToolAnnotations{ReadOnly: &yes},
				Schema: `{"type":"object","properties":{"bed":{"type":"string"}},"required":["bed"]}`},
			{Name: "rake", Description: "Rakes.",
				Schema: `{"type":"object","properties":{"beds":{"type":"array","items":{}}},"required":["beds"]}`},
		}, false},
		{"hints as arguments of an own decorator", map[string]string{"server.py": `
from fastmcp import FastMCP
from kit import garden_tool

mcp = FastMCP("x")

@garden_tool(read_only_hint=True, title="Dig")
def dig(): "Digs."

@garden_tool(verbose=True)
def rake(): "Rakes."
`, "kit.py": `
def garden_tool(read_only_hint=False, **options):
    def keep(fn):
        tools.append((fn, read_only_hint, options))
        return fn
    return keep
`}, []sourcetest.Tool{
			{Name: "dig", Title: "Dig", Description: "Digs.", Schema: none,
				Annotations: &registry.ToolAnnotations{ReadOnly: &yes}},
			{Name: "rake", Description: "Rakes.", Schema: none},
		}, true},
		{"functions of lists that are registered later", map[string]string{"server.py": `
from fastmcp import FastMCP
from fastmcp.tools import FunctionTool
mcp = FastMCP("garden")

def dig(): "Digs."
ALL_TOOLS = [dig]

for tool in chosen(ALL_TOOLS):
    mcp.add_tool(FunctionTool.from_function(tool))
`}, []sourcetest.Tool{{Name: "dig", Description: "Digs.", Schema: none}}, true},
		{"method that wraps another one", map[string]string{"server.py": `
from functools import wraps
from fastmcp import FastMCP
mcp = FastMCP("garden")

class Backend:
    def dig(self, bed: str) -> str:
        """Digs."""

    @wraps(dig)
    async def dig_async(self, *args): ...

dig_async = Backend().dig_async
mcp.add_tool(Tool.from_function(dig_async, name="dig"))
`}, []sourcetest.Tool{{Name: "dig", Description: "Digs.",
			Schema: `{"type":"object","properties":{"bed":{"type":"string"}},"required":["bed"]}`}}, false},
		{"text of a setting", map[string]string{"server.py": `
import os
from mcp.server.fastmcp import FastMCP
mcp = FastMCP("garden")
mode = os.getenv("MODE", "beds").strip().lower()

def described(mode: str) -> str:
    if mode == "trees":
        return "Cuts trees"
    elif mode == "beds":
        return "Digs beds"
    else:
        return "Works"

@mcp.tool(description=f"{described(mode)}.")
def work(): ...
`}, []sourcetest.Tool{{Name: "work", Description: "Digs beds.", Schema: none}}, false},
		{"registered by a function", map[string]string{"server.py": `
from mcp.server.fastmcp import FastMCP
from beds import all_tools

def add(server: FastMCP, tool, safe):
    server.add_tool(tool, annotations=ToolAnnotations(readOnlyHint=safe))

def run():
    mcp = FastMCP("garden")
    for tool in all_tools:
        add(mcp, tool, True)
`, "beds.py": `
def dig() -> str:
    """Dig a bed."""

def rake() -> str:
    """Rake a bed."""

all_tools = [dig, rake]
`}, []sourcetest.Tool{
			{Name: "dig", Description: "Dig a bed.", Schema: none, Annotations: &registry.ToolAnnotations{ReadOnly: &yes}},
			{Name: "rake", Description: "Rake a bed.", Schema: none, Annotations: &registry.ToolAnnotations{ReadOnly: &yes}},
		}, false},
		{"attribute of an unknown element", map[string]string{"server.py": `
from mcp.server.fastmcp import FastMCP
mcp = FastMCP("garden")
for definition in load_definitions():
    mcp.tool(title="A tool")(definition.fn)
`}, nil, true},
		{"attribute of an object", map[string]string{"server.py": `
from dataclasses import dataclass
from mcp.server.fastmcp import FastMCP
mcp = FastMCP("garden")

@dataclass
class Definition:
    fn: Callable

for definition in [Definition(fn=x) for x in load()] or [Definition(fn=None)]:
    mcp.add_tool(fn=definition.fn, title="A tool")
`}, nil, true},
		{"registered by a function that nothing calls", map[string]string{"server.py": `
from mcp.server.fastmcp import FastMCP

def add(server: FastMCP, tool):
    server.add_tool(tool, title="A tool")
`}, nil, true},
		{"decorated functions", map[string]string{"server.py": `
from mcp.server.fastmcp import FastMCP, Context
from pydantic import Field
from typing import Annotated, Literal, Optional
mcp = FastMCP("garden")

@mcp.tool()
async def plant_seed(kind: str, depth: float = 1.5, ctx: Context = None) -> str:
    """Plant a seed.

      kind: of seed
    Done.
    """
    return kind

@mcp.tool(name="water", title="Water", description="Water " "a bed.",
          annotations=ToolAnnotations(readOnlyHint=True))
@logged
def water_bed(bed: Annotated[int, Field(description="Number", ge=1)],
              how: Literal["can", "hose"] = "can", note: Optional[str] = Field(None, description="A note")):
    pass

@mcp.prompt()
def advice() -> str:
    """A prompt."""

@mcp.resource("garden://beds")
def beds(): ...
`}, []sourcetest.Tool{
			{Name: "plant_seed", Description: "Plant a seed.\n\n  kind: of seed\nDone.", Schema: `{"type":"object",` +
				`"properties":{"kind":{"type":"string"},"depth":{"type":"number","default":1.5}},"required":["kind"]}`},
			{Name: "water", Title: "Water", Description: "Water a bed.", Schema: `{"type":"object","properties":{` +
				`"bed":{"type":"integer","description":"Number","minimum":1},` +
				`"how":{"enum":["can","hose"],"type":"string","default":"can"},` +
				`"note":{"anyOf":[{"type":"string"},{"type":"null"}],"description":"A note","default":null}},` +
				`"required":["bed"]}`, Annotations: &registry.ToolAnnotations{ReadOnly: &yes}},
		}, false},

		{"methods that are registered", map[string]string{"handlers/beds.py": `
class Beds:
    def __init__(self, mcp, verbose=False):
        self.mcp = mcp
        self.mcp.tool(name="list_beds")(self.list_all)
        mcp.add_tool(self.dig)

    def list_all(self, first: int = 0):
        "List beds."
    async def dig(self, bed: str):
        """Dig."""
`}, []sourcetest.Tool{
			{Name: "list_beds", Description: "List beds.",
				Schema: `{"type":"object","properties":{"first":{"type":"integer","default":0}}}`},
			{Name: "dig", Description: "Dig.",
				Schema: `{"type":"object","properties":{"bed":{"type":"string"}},"required":["bed"]}`},
		}, false},

		{"list of tools", map[string]string{
			"pkg/names.py": "from enum import Enum\nPREFIX = 'bed'\nclass T(str, Enum):\n    DIG = f'{PREFIX}_dig'\n",
			"pkg/server.py": `
from mcp.server import Server
from mcp import types
from pydantic import BaseModel
from .names import T
server = Server("beds")
class Dig(BaseModel):
    """Input."""
    bed: int
    deep: bool = False

@server.list_tools()
async def list_tools() -> list[types.Tool]:
    return [
        types.Tool(name=T.DIG, description="Dig a bed.\n", inputSchema=Dig.model_json_schema()),
        types.Tool(name="rest", description=T.DIG.value + " not",
                   inputSchema={"type": "object", "properties": {"for": {"type": "string", "default": now()}}}),
    ]
`}, []sourcetest.Tool{
			{Name: "bed_dig", Description: "Dig a bed.", Schema: `{"type":"object","properties":{` +
				`"bed":{"type":"integer"},"deep":{"type":"boolean","default":false}},"required":["bed"],` +
				`"description":"Input."}`},
			{Name: "rest", Description: "bed_dig not",
				Schema: `{"type":"object","properties":{"for":{"type":"string"}}}`},
		}, false},

		{"classes with attributes", map[string]string{"tools.py": `
from mcp.types import Tool
class Base:
    def __init__(self, name): self.name = name
    @property
    def description(self): return "Nothing."
    def spec(self):
        return Tool(name=self.name, description=self.description, inputSchema=self.schema)
class Dig(Base):
    schema = {"type": "object"}
    def __init__(self):
        super().__init__("dig")
class Rake(Base):
    schema = {"type": "object"}
    def __init__(self):
        super().__init__("rake")
    @property
    def description(self):
        return "Rake " + "leaves."
`}, []sourcetest.Tool{
			{Name: "dig", Description: "Nothing.", Schema: `{"type":"object"}`},
			{Name: "rake", Description: "Rake leaves.", Schema: `{"type":"object"}`},
		}, false},

		{"loops", map[string]string{"server.py": `
from mcp.types import Tool
from fastmcp import FastMCP
mcp = FastMCP()
def dig(): "Dig."
def rake(): "Rake."
for f in [dig, rake]:
    mcp.add_tool(f)
SPECS = [{"name": "mow", "doc": "Mow."}, {"name": "sow", "doc": "Sow."}]
def every():
    return [Tool(name=s["name"], description=s["doc"], inputSchema={"type": "object"}) for s in SPECS]
`}, []sourcetest.Tool{
			{Name: "dig", Description: "Dig.", Schema: none}, {Name: "rake", Description: "Rake.", Schema: none},
			{Name: "mow", Description: "Mow.", Schema: `{"type":"object"}`},
			{Name: "sow", Description: "Sow.", Schema: `{"type":"object"}`},
		}, false},

		{"mounted servers", map[string]string{
			"app/beds.py": "from fastmcp import FastMCP\nbeds = FastMCP()\n@beds.tool\ndef dig(): ...\n",
			"app/main.py": "from fastmcp import FastMCP\nfrom app.beds import beds\nmcp = FastMCP()\n" +
				"mcp.mount(beds, namespace='beds')\n@mcp.tool\ndef rest(): ...\n",
		}, []sourcetest.Tool{{Name: "beds_dig", Schema: none}, {Name: "rest", Schema: none}}, false},

		{"mounted servers that are passed on", map[string]string{
			"app/beds.py": "from fastmcp import FastMCP\ndef register(server: FastMCP, depth):\n" +
				"    @server.tool\n    def dig(): ...\n" +
				"def register_all(size, *, server):\n    register(server, size)\n",
			"app/trees.py": "from fastmcp import FastMCP\nfrom app import beds\ntrees = FastMCP()\n" +
				"beds.register_all(1, server=trees)\n",
			"app/main.py": "from fastmcp import FastMCP\nfrom app.trees import trees\nfrom app.beds import register\n" +
				"def main(depth):\n    mcp = FastMCP()\n    garden = FastMCP()\n    garden.mount(trees, 'trees')\n" +
				"    mcp.mount(garden, namespace='garden')\n    register(mcp, depth)\n",
		}, []sourcetest.Tool{{Name: "dig", Schema: none}, {Name: "garden_trees_dig", Schema: none}}, false},

		{"mounted under a condition", map[string]string{"main.py": "import os\nfrom fastmcp import FastMCP\n" +
			"mcp = FastMCP()\nbeds = FastMCP()\n@mcp.tool\ndef rest(): ...\n@beds.tool\ndef dig(): ...\n" +
			"if os.getenv('WITH_BEDS') == 'yes':\n    mcp.mount(beds, prefix='beds')\n"},
			[]sourcetest.Tool{{Name: "rest", Schema: none}}, false},

		{"server of a package in another", map[string]string{"main.py": "from fastmcp import FastMCP\n" +
			"from orchard import trees\nmcp = FastMCP()\n@mcp.tool\ndef rest(): ...\nmcp.mount(trees)\n"},
			[]sourcetest.Tool{{Name: "rest", Schema: none}}, true},

		{"provider of tools", map[string]string{"main.py": "from fastmcp import FastMCP\n" +
			"from orchard import Trees\nmcp = FastMCP()\n@mcp.tool\ndef rest(): ...\nmcp.add_provider(Trees())\n"},
			[]sourcetest.Tool{{Name: "rest", Schema: none}}, true},

		{"own decorator", map[string]string{"server.py": `
from fastmcp import FastMCP
mcp = FastMCP()
def safe(description=None):
    def wrap(fn):
        return mcp.tool(description=description)(fn)
    return wrap
@safe(description="Dig.")
def dig(bed: str): ...
`}, []sourcetest.Tool{{Name: "dig", Description: "Dig.",
			Schema: `{"type":"object","properties":{"bed":{"type":"string"}},"required":["bed"]}`}}, false},

		{"own definitions", map[string]string{"registry.py": `
from functools import partial
from mcp.server.fastmcp import FastMCP
class ToolDefinition:
    def __init__(self, fn, name=None, description=""):
        self.fn, self.name = fn, name
        self.description = description
def base_tool(*, kind, name=None, description=""):
    def decorate(fn):
        return ToolDefinition(fn, name, description)
    return decorate
garden_tool = partial(base_tool, kind="garden")
def register(mcp: FastMCP, definitions):
    for d in definitions:
        mcp.add_tool(d.fn, name=d.name, description=d.description)
`, "beds.py": `
from mcp.server.fastmcp import FastMCP
from registry import garden_tool, register, ToolDefinition
class GardenContext: ...
@garden_tool(name="dig_bed", description="Dig.")
def dig(context: GardenContext, bed: str): ...
def rake(): "Rake."
def mow(): "Mow."
EXTRA = {"rake": ToolDefinition(rake, "rake_bed", description="Rake it.")}
EXTRA["mow"] = ToolDefinition(fn=mow, name="mow", description="Mow.")
register(FastMCP("garden"), EXTRA.values())
register(FastMCP("garden"), load())
`}, []sourcetest.Tool{
			{Name: "rake_bed", Description: "Rake it.", Schema: none},
			{Name: "mow", Description: "Mow.", Schema: none},
			{Name: "dig_bed", Description: "Dig.",
				Schema: `{"type":"object","properties":{"bed":{"type":"string"}},"required":["bed"]}`},
		}, true},

		{"models and lists", map[string]string{"server.py": `
import mcp.types as types
from pydantic import BaseModel
class Base(BaseModel):
    @classmethod
    def as_tool(cls):
        return types.Tool(name="Garden" + cls.__name__, description=cls.__doc__,
            inputSchema=cls.model_json_schema())
class Dig(Base):
    """Dig."""
    bed: str
class Entry(BaseModel):
    name: str
    hidden: bool = False
@server.list_tools()
async def listed(excluded=["rake"]):
    all = [Entry(name="rake"), Entry(name="mow"), Entry(name="burn", hidden=True)]
    shown = [e for e in all if e.name not in excluded and not e.hidden]
    return [types.Tool(name=e.name, inputSchema={}) for e in shown]
`}, []sourcetest.Tool{
			{Name: "GardenDig", Description: "Dig.", Schema: `{"type":"object","properties":` +
				`{"bed":{"type":"string"}},"required":["bed"],"description":"Dig."}`},
			{Name: "mow", Schema: `{}`},
		}, false},

		{"settings and the environment", map[string]string{"server.py": `
import os
from fastmcp import FastMCP
from pydantic import Field
from pydantic_settings import BaseSettings
PREFIX = os.environ.get("PREFIX", "")
class Settings(BaseSettings):
    text: str = Field(default="Dig.", validation_alias="TEXT")
class Garden(FastMCP):
    def __init__(self, settings: Settings):
        self.tool(self.dig, name=f"{PREFIX}_dig" if PREFIX else "dig", description=settings.text)
    def dig(self, bed: str): ...
def register(app: Any):
    @app.tool()
    def rest(): "Rest."
`}, []sourcetest.Tool{
			{Name: "dig", Description: "Dig.",
				Schema: `{"type":"object","properties":{"bed":{"type":"string"}},"required":["bed"]}`},
			{Name: "rest", Description: "Rest.", Schema: none},
		}, false},

		{"names that are not constant", map[string]string{"server.py": `
from mcp.types import Tool
def tools(spec):
    return [Tool(name=op.id, description=op.text, inputSchema=op.schema) for op in load(spec)]
`}, nil, true},

		{"routes of FastAPI", map[string]string{"server.py": `
from fastapi import FastAPI
from fastapi_mcp import FastApiMCP
app = FastAPI()

@app.get("/", operation_id="get_bed")
def read():
    pass

FastApiMCP(app, include_tags=["beds"]).mount()
`}, nil, true},
		{"OpenAPI", map[string]string{"server.py": "from fastmcp import FastMCP\nmcp = FastMCP.from_openapi(spec)\n"},
			nil, true},

		{"tools of clients", map[string]string{
			"agent.py": "from pydantic_ai import Agent\nfrom mcp import ClientSession\nagent = Agent('m')\n" +
				"@agent.tool\ndef dig(): ...\n",
			"chain.py": "from langchain.tools import tool, Tool\n@tool\ndef dig(): ...\n" +
				"x = Tool(name='a', func=dig, description='b')\n",
		}, nil, false},

		{"disabled", map[string]string{"server.py": "from fastmcp import FastMCP\nmcp = FastMCP()\n" +
			"@mcp.tool(enabled=False)\ndef dig(): ...\n"}, nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, partial := Tools(test.files, nil)
			if diff := cmp.Diff(test.want, sourcetest.Readable(got)); diff != "" || partial != test.partial {
				t.Errorf("Tools: partial %v, want %v; tools -want +got:\n%s", partial, test.partial, diff)
			}
			for _, tool := range got {
				if !json.Valid(tool.InputSchema) && tool.InputSchema != nil {
					t.Errorf("schema of %s is not JSON: %s", tool.Name, tool.InputSchema)
				}
			}
		})
	}
}

func TestCleandoc(t *testing.T) {
	for in, want := range map[string]string{
		"\n    A\n      B\n\n    ": "A\n  B",
		"A\n\tB\n\t\tC":            "A\nB\n        C",
		"  A":                      "A",
		"":                         "",
	} {
		if got := cleandoc(in); got != want {
			t.Errorf("cleandoc(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzTools(f *testing.F) {
	for _, seed := range []string{
		"@mcp.tool()\ndef f(a: int = 1): 'd'\n", "x = f'{a!r:>{w}} {{}}'\n", "class A(A): x = A.x\n",
		"def f(): return f()\ny = f()\n", "x = x + 'a'\n", "a = [*b for b in a]\n", "((((((", "'''", "\\\n\t\tx\n y\n",
		"from mcp.types import Tool\n[Tool(name=x, inputSchema={}) for x in ['a', 'b']]\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		tools, _ := Tools(map[string]string{"a.py": src, "b.py": "from a import *\nfrom mcp import types\n"}, nil)
		for _, tool := range tools {
			if tool.Name == "" || tool.InputSchema != nil && !json.Valid(tool.InputSchema) {
				t.Errorf("tool %q with schema %s", tool.Name, tool.InputSchema)
			}
			if !sourcetest.IsInText(tool.Name, src+"from a import * mcp types") {
				t.Errorf("%q is not in the text", tool.Name)
			}
		}
	})
}
