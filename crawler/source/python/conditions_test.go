package python

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/source/listing"
	"mcpcensus/crawler/source/sourcetest"
)

const garden = `import os, sys, argparse
from mcp.server.fastmcp import FastMCP
mcp = FastMCP("garden")

@mcp.tool()
def rake(): pass

`

// TestConditions tests which tools are conditional. All of them are found; "rake" is always
// registered.
func TestConditions(t *testing.T) {
	for name, test := range map[string]struct {
		code string
		want map[string]string
	}{
		"variable is compared": {`
if os.getenv("ENABLE_DIG", "false") == "true":
    @mcp.tool()
    def dig(): pass
`, map[string]string{"dig": "off ENABLE_DIG=true"}},
		"variable in a constant": {`
ENABLED = os.environ.get("ENABLE_DIG", "0").lower() == "1"
if ENABLED:
    @mcp.tool()
    def dig(): pass
`, map[string]string{"dig": "off ENABLE_DIG=1"}},
		"variable is set": {`
if os.environ.get("ENABLE_DIG"):
    @mcp.tool()
    def dig(): pass
`, map[string]string{"dig": "off ENABLE_DIG"}},
		"function with names as called": {`
def add(name, f):
    mcp.add_tool(f, name=name)

add("rake", rake)
if permissions["dig"]:
    add("dig", rake)
`, map[string]string{"dig": ""}},
		"left out by a middleware": {`
class Filter(Middleware):
    async def on_list_tools(self, context, call_next):
        tools = await call_next(context)
        if self.role(context) == "guest":
            tools = [t for t in tools if t.annotations.readOnlyHint]
        return tools

@mcp.tool()
def dig(): pass

mcp.add_middleware(Filter())
`, map[string]string{"rake": "", "dig": ""}},
		"left out by a middleware that may be off": {`
class Filter(Middleware):
    async def on_list_tools(self, context, call_next):
        tools = await call_next(context)
        if not self.allowed:
            return tools
        return [t for t in tools if t.name in self.allowed]

@mcp.tool()
def dig(): pass

mcp.add_middleware(Filter())
`, nil},
		"changed by a middleware": {`
class Stamp(Middleware):
    async def on_list_tools(self, context, call_next):
        return [stamp(t) for t in await call_next(context)]

@mcp.tool()
def dig(): pass

mcp.add_middleware(Stamp())
`, nil},
		"on by default": {`
if os.getenv("ENABLE_DIG", "true") == "true":
    @mcp.tool()
    def dig(): pass
`, nil},
		"function in a branch": {`
def register(server):
    @server.tool()
    def dig(): pass

if os.getenv("ENABLE_DIG", "no") == "yes":
    register(mcp)
`, map[string]string{"dig": "off ENABLE_DIG=yes"}},
		"function also outside of branches": {`
def register(server):
    @server.tool()
    def dig(): pass

if os.getenv("ENABLE_DIG", "no") == "yes":
    register(mcp)
register(mcp)
`, nil},
		"flag": {`
args = argparse.ArgumentParser().parse_args()
if args.allow_digging:
    @mcp.tool()
    def dig(): pass
`, map[string]string{"dig": "--allow-digging"}},
		"unknown setting": {`
from somewhere import settings
if settings.digging:
    @mcp.tool()
    def dig(): pass
`, map[string]string{"dig": "settings.digging"}},
		"unknown negative setting": {`
from somewhere import settings
if not settings.read_only:
    @mcp.tool()
    def dig(): pass
else:
    pass
`, nil},
		"returned before": {`
from somewhere import settings
def register(server):
    if not settings.digging:
        return
    @server.tool()
    def dig(): pass
register(mcp)
`, map[string]string{"dig": "settings.digging"}},
		"returned before, negative": {`
from somewhere import settings
def register(server):
    if settings.read_only:
        return
    @server.tool()
    def dig(): pass
register(mcp)
`, nil},
		"is there": {`
from somewhere import client
if client is not None:
    @mcp.tool()
    def dig(): pass
`, map[string]string{"dig": "client"}},
		"flag of a caller": {`
def register(server, digging):
    if digging:
        @server.tool()
        def dig(): pass
register(mcp, os.environ.get("DIG", "0") == "1")
`, map[string]string{"dig": "off DIG=1"}},
		"flag of a caller, on": {`
def register(server, digging=False):
    if digging:
        @server.tool()
        def dig(): pass
def main():
    register(mcp, digging=True)
`, nil},
		"flag of a caller that is not given": {`
def register(server, digging=False):
    if digging:
        @server.tool()
        def dig(): pass
register(mcp)
`, map[string]string{"dig": "off digging"}},
		"flag that nobody passes": {`
def register(server, digging):
    if digging:
        @server.tool()
        def dig(): pass
`, map[string]string{"dig": "digging"}},
		"field of settings": {`
from pydantic_settings import BaseSettings, SettingsConfigDict
class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="BED_")
    digging: bool = False
settings = Settings()
if settings.digging:
    @mcp.tool()
    def dig(): pass
`, map[string]string{"dig": "off BED_DIGGING"}},
		"field of settings with an alias": {`
from pydantic import Field
from pydantic_settings import BaseSettings
class Settings(BaseSettings):
    digging: bool = Field(False, alias="DIG_BEDS")
def register(settings: Settings):
    if settings.digging:
        @mcp.tool()
        def dig(): pass
`, map[string]string{"dig": "off DIG_BEDS"}},
		"field of an object": {`
class Options:
    digging = False
options = Options()
if options.digging:
    @mcp.tool()
    def dig(): pass
`, map[string]string{"dig": "off options.digging"}},
		"never": {`
DEBUG = False
if DEBUG:
    @mcp.tool()
    def look(): pass
@mcp.tool()
def dig(): pass
`, nil},
		"flag of a command line": {`
parser = argparse.ArgumentParser()
parser.add_argument("--dig", action="store_true")
args = parser.parse_args()
if args.dig:
    @mcp.tool()
    def dig(): pass
`, map[string]string{"dig": "off --dig"}},
		"flag that is stored elsewhere": {`
parser = argparse.ArgumentParser()
parser.add_argument("-d", "--digging", dest="dig_beds", action="store_true")
options, rest = parser.parse_known_args()
if options.dig_beds:
    @mcp.tool()
    def dig(): pass
`, map[string]string{"dig": "off --digging"}},
		"flag of a decorated function": {`
import click
@click.command()
@click.option("--digging", is_flag=True)
def main(digging):
    if digging:
        @mcp.tool()
        def dig(): pass
`, map[string]string{"dig": "off --digging"}},
		"option with a value": {`
parser = argparse.ArgumentParser()
parser.add_argument("--dig", default=True, action=argparse.BooleanOptionalAction)
args = parser.parse_args()
if args.dig:
    @mcp.tool()
    def dig(): pass
`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			tools, _ := Tools(map[string]string{"server.py": garden + test.code}, nil)
			if test.want == nil {
				test.want = map[string]string{}
			}
			if diff := cmp.Diff(test.want, sourcetest.Conditions(tools)); diff != "" {
				t.Error(diff)
			}
			if len(tools) != 2 {
				t.Errorf("%d tools", len(tools))
			}
		})
	}
}

// TestSharedCondition tests that a condition of the whole server is none of its tools.
func TestSharedCondition(t *testing.T) {
	tools, _ := Tools(map[string]string{"server.py": `
from mcp.server.fastmcp import FastMCP
if __name__ == "__main__":
    mcp = FastMCP("garden")

    @mcp.tool()
    def dig(): pass

    @mcp.tool()
    def rake(): pass
`}, nil)
	if got := sourcetest.Conditions(tools); len(tools) != 2 || len(got) > 0 {
		t.Errorf("%d tools, conditions %v", len(tools), got)
	}
}

// TestUnknownSchemas tests that schemas with unknown parts are unknown, rather than without
// parameters.
func TestUnknownSchemas(t *testing.T) {
	const unknown = ""
	for name, test := range map[string]struct{ code, want string }{
		"none":                {"@mcp.tool()\ndef dig(): pass\n", sourcetest.NoParameters},
		"variable parameters": {"@mcp.tool()\ndef dig(bed: str, **more): pass\n", unknown},
		"rewritten signature": {`
def with_bed(f):
    def inner(*args, **kwargs):
        return f(*args, **kwargs)
    return inner

@mcp.tool()
@with_bed
def dig(depth: int): pass
`, unknown},
		"signature set by a decorator": {`
import functools, inspect
def with_bed(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs)
    inner.__signature__ = inspect.signature(other)
    return inner

@mcp.tool()
@with_bed
def dig(depth: int): pass
`, unknown},
		"parameters removed by a decorator": {`
import functools, inspect
def with_bed(kind):
    def decorator(f):
        sig = inspect.signature(f)
        params = list(sig.parameters.values())
        left = [p for p in params[1:] if p.name != "soil"]
        @functools.wraps(f)
        def inner(*args, **kwargs):
            return f(*args, **kwargs)
        inner.__signature__ = sig.replace(parameters=left)
        return inner
    return decorator

@mcp.tool()
@with_bed("raised")
def dig(bed, depth: int, soil: str): pass
`, `{"type":"object","properties":{"depth":{"type":"integer"}},"required":["depth"]}`},
		"parameters removed in a loop": {`
import functools, inspect
def with_bed(f):
    sig = inspect.signature(f)
    params = list(sig.parameters.values())
    params.pop(0)
    @functools.wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs)
    inner.__signature__ = sig.replace(parameters=params)
    return inner

@mcp.tool()
@with_bed
def dig(bed, depth: int): pass
`, unknown},
		"parameters removed under an unknown condition": {`
import functools, inspect
def with_bed(f):
    sig = inspect.signature(f)
    @functools.wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs)
    inner.__signature__ = sig.replace(
        parameters=[p for n, p in sig.parameters.items() if p.annotation is not Bed])
    return inner

@mcp.tool()
@with_bed
def dig(bed, depth: int): pass
`, unknown},
		"signature kept by a decorator": {`
import functools
def logged(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs)
    return inner

@mcp.tool()
@logged
def dig(depth: int): pass
`, `{"type":"object","properties":{"depth":{"type":"integer"}},"required":["depth"]}`},
		"unknown list of required parameters": {`
from somewhere import NAMES
from mcp.types import Tool
t = Tool(name="dig", description="Digs", inputSchema={"type": "object",
    "properties": {"bed": {"type": "string"}}, "required": NAMES})
`, unknown},
		"own class of tools": {`
from fastmcp.tools import FunctionTool
class GardenTool(FunctionTool): ...
def dig(depth: int): "Digs"
mcp.add_tool(GardenTool.from_function(dig))
`, `{"type":"object","properties":{"depth":{"type":"integer"}},"required":["depth"]}`},
		"unknown spread in properties": {`
from somewhere import COMMON
from mcp.types import Tool
t = Tool(name="dig", description="Digs", inputSchema={"type": "object",
    "properties": {**COMMON, "bed": {"type": "string"}}})
`, unknown},
		"unknown addition to properties": {`
from somewhere import COMMON
from mcp.types import Tool
PROPERTIES = {"bed": {"type": "string"}}
PROPERTIES.update(COMMON.fields())
t = Tool(name="dig", description="Digs", inputSchema={"type": "object", "properties": PROPERTIES})
`, unknown},
		"unknown property": {`
from somewhere import schema
from mcp.types import Tool
t = Tool(name="dig", description="Digs", inputSchema={"type": "object",
    "properties": {"title": schema.title(), "bed": {"type": "string"}}})
`, `{"type":"object","properties":{"title":{},"bed":{"type":"string"}}}`},
		"unknown schema": {`
from somewhere import schema
from mcp.types import Tool
t = Tool(name="dig", description="Digs", inputSchema=schema.make("dig"))
`, unknown},
		"unknown base of a model": {`
from somewhere import Common
from pydantic import BaseModel
from mcp.types import Tool
class Dig(Common, BaseModel):
    bed: str
t = Tool(name="dig", description="Digs", inputSchema=Dig.model_json_schema())
`, unknown},
		"unknown type": {"from somewhere import Bed\n@mcp.tool()\ndef dig(bed: Bed): pass\n",
			`{"type":"object","properties":{"bed":{}},"required":["bed"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			tools, _ := Tools(map[string]string{"server.py": "from mcp.server.fastmcp import FastMCP\n" +
				"mcp = FastMCP(\"garden\")\n" + test.code}, nil)
			if len(tools) != 1 || tools[0].Name != "dig" {
				t.Fatalf("got %+v", tools)
			}
			if schema := string(tools[0].InputSchema); schema != test.want {
				t.Errorf("schema %s, want %s", schema, test.want)
			}
		})
	}
}

// TestUnmade tests that an argument of a constructor that is called elsewhere is undecided.
func TestUnmade(t *testing.T) {
	for condition, want := range map[string]string{
		`self.digs`: "", `"dig" in self.tools`: "", `not self.digs`: "on", `self.fixed`: "off", `self.loaded`: "",
	} {
		tools, _ := Tools(map[string]string{"server.py": garden + `
class Garden:
    def __init__(self, digs=False, tools=None):
        self.digs = digs
        self.tools = tools or []
        self.fixed = bool(os.getenv("DIG"))
        self.loaded = False

    def load(self):
        if self.tools:
            self.loaded = True

    def register(self):
        if ` + condition + `:
            @mcp.tool()
            def dig(): pass
`}, nil)
		if len(tools) != 2 || sourcetest.Default(tools[1]) != want {
			t.Errorf("%s: %v, want %q", condition, tools, want)
		}
	}
}

// TestDefaults tests in which conditions on settings a tool is registered by default: "off", "on",
// or "" for undecided ones. The server requires SPADE_TOKEN.
func TestDefaults(t *testing.T) {
	for condition, want := range map[string]string{
		`os.getenv("DIG")`:                                  "off",
		`bool(os.environ.get("DIG"))`:                       "off",
		`os.environ.get("DIG") is not None`:                 "off",
		`"DIG" in os.environ`:                               "off",
		`"DIG" not in os.environ`:                           "on",
		`int(os.getenv("DIG", "0"))`:                        "off",
		`int(os.getenv("DIG", "1")) >= 1`:                   "on",
		`int(os.getenv("DIG", "many"))`:                     "",
		`len(os.getenv("DIG", "")) > 0`:                     "off",
		`strtobool(os.getenv("DIG", "No"))`:                 "off",
		`strtobool(os.getenv("DIG", "On"))`:                 "on",
		`os.getenv("DIG", "a").strip().lower() in ("a",)`:   "on",
		`os.getenv("DIG") and os.getenv("RAKE", "1")`:       "off",
		`sys.platform == "win32"`:                           "",
		`importlib.util.find_spec("spades")`:                "",
		`is_enabled(os.getenv("DIG"))`:                      "",
		`not os.getenv("DIG")`:                              "on",
		`os.getenv("SPADE_TOKEN")`:                          "on",
		`os.environ.get("SPADE_TOKEN") is not None`:         "on",
		`os.getenv("SPADE_TOKEN") and os.getenv("DIG")`:     "off",
		`os.getenv("DIG") and os.getenv("SPADE_TOKEN")`:     "off",
		`os.getenv("SPADE_TOKEN") == "a"`:                   "",
		`os.getenv("SPADE_TOKEN") and RAKES`:                "",
		`os.getenv("DIG", DEFAULT_OF_ANOTHER_FILE) == "on"`: "",
	} {
		tools, partial := Tools(map[string]string{"server.py": garden +
			"if " + condition + ":\n    @mcp.tool()\n    def dig(): pass\n"},
			&listing.Reading{Required: []string{"SPADE_TOKEN"}, Left: math.MaxInt})
		if len(tools) != 2 || partial {
			t.Errorf("%s: %d tools, partial %v", condition, len(tools), partial)
			continue
		}
		if got := sourcetest.Default(tools[1]); got != want {
			t.Errorf("%s: %q, want %q", condition, got, want)
		}
	}
}

// TestModes tests tools that depend on how the program starts: on the module that it imports, and on
// an argument of the object that registers them.
func TestModes(t *testing.T) {
	const start = `import os
from fastmcp import FastMCP
MODE = os.getenv("GARDEN", "north")
def main():
    if MODE == "north":
        from garden.north import mcp
    elif MODE == "south":
        from garden.south import mcp
    mcp.run()
`
	server := func(tool string) string {
		return "from fastmcp import FastMCP\nmcp = FastMCP('garden')\n@mcp.tool()\ndef " + tool + "(): pass\n"
	}
	const object = `import os
from fastmcp import FastMCP
class Garden:
    def __init__(self, key: str = None, beds=None):
        self.mcp = FastMCP("garden")
        self.key = key
        self.beds = beds or []
key = os.environ.get("SPADE", "").strip() or None
garden = Garden(key=key, beds=["rose"])
`
	const tools = `from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from .server import Garden
def register(garden: "Garden"):
    if "rose" in garden.beds:
        @garden.mcp.tool()
        def rake(): pass
    if not garden.key:
        return
    @garden.mcp.tool()
    def dig(): pass
`
	for name, files := range map[string]map[string]string{
		"off GARDEN=south": {"garden/server.py": start, "garden/north.py": server("rake"), "garden/south.py": server("dig")},
		"off SPADE":        {"garden/server.py": object, "garden/tools.py": tools},
	} {
		found, partial := Tools(files, nil)
		want := map[string]string{"dig": name}
		if diff := cmp.Diff(want, sourcetest.Conditions(found)); diff != "" || len(found) != 2 || partial {
			t.Errorf("%s: %v, partial %v, -want +got:\n%s", name, found, partial, diff)
		}
	}
}

// TestForeignCalls tests that a list is incomplete if a package that was not read is given the server.
func TestForeignCalls(t *testing.T) {
	for code, want := range map[string]bool{
		"from spades import add_tools\nadd_tools(mcp)":   true,
		"import spades\ndef run():\n    spades.add(mcp)": true,
		"from fastmcp.utilities import show\nshow(mcp)":  false,
		"print(mcp)":                     false,
		"import spades\nspades.dig(str)": false,
	} {
		if _, partial := Tools(map[string]string{"server.py": garden + code}, nil); partial != want {
			t.Errorf("%s: partial %v", code, partial)
		}
	}
}
