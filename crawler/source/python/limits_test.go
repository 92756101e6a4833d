package python

import (
	"fmt"
	"strings"
	"testing"

	"mcpcensus/crawler/source/listing"
)

// TestHostileSize checks that evaluation is bounded.
func TestHostileSize(t *testing.T) {
	list := "L = [" + strings.Repeat("1,", 1900) + "]\n"
	for name, src := range map[string]string{
		"nested_loops":          list + "for a in L:\n for b in L:\n  for c in L:\n   pass\n",
		"nested_comprehensions": list + "x = [[[a for a in L] for b in L] for c in L]\n",
		"match":                 strings.Repeat("match a: ", 3000) + "pass\n",
		"brackets":              strings.Repeat("f(", 100_000),
		"operators":             "x = " + strings.Repeat("a+", 50_000) + "a\n",
		"assignments":           "a = 'x'\n" + strings.Repeat("a = a + a\n", 2000),
		"calls":                 "def f(x): return f(x) + f(x)\n" + strings.Repeat("y = f(f)\n", 2000),
		"bases":                 strings.Repeat("class A(A, A): pass\n", 2000) + "A.x\n",
		"additions": "x = []\n" + strings.Repeat("x += x\n", 3000) + strings.Repeat("x.append(x)\n", 3000) +
			"for a in x:\n for b in x:\n  x.append([a, b])\nfor a in x: mcp.tool()(a)\n",
		"own_decorators": "def d(f):\n @d\n def g(): pass\n return g\n" + strings.Repeat("@d\n", 2000) +
			"def h(): pass\n",
		"decorators": strings.Repeat("@a.tool\n", 50_000),
		"settings":   strings.Repeat("a = a.b or a.c\n", 300) + "if a.d:\n mcp.tool()(a.e)\n",
	} {
		t.Run(name, func(t *testing.T) {
			left := listing.Reading{Left: maxTotal}
			Tools(map[string]string{"a.py": "from mcp import x\n" + src}, &left)
			if left.Left < -maxTotal/10 {
				t.Errorf("took %d steps", maxTotal-left.Left)
			}
		})
	}
}

// TestStars checks that names are looked up in modules that import all of each other.
func TestStars(t *testing.T) {
	files := map[string]string{}
	for i := range 15 {
		text := "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('x')\n"
		for j := range 15 {
			text += fmt.Sprintf("from .m%d import *\n", j)
		}
		files[fmt.Sprintf("p/m%d.py", i)] = text + "@mcp.tool()\ndef f(a: A = B) -> str: ...\n"
	}
	left := listing.Reading{Left: maxTotal}
	if tools, _ := Tools(files, &left); len(tools) != 1 || left.Left < -maxTotal/10 {
		t.Errorf("%d tools, took %d steps", len(tools), maxTotal-left.Left)
	}
}

// TestOtherCode checks that code that has nothing to do with the list of tools takes no steps.
func TestOtherCode(t *testing.T) {
	costly := "def f(x): return f(x) + f(x)\n" + strings.Repeat("def g():\n    y = f(f)\n", 2000)
	tools, partial := Tools(map[string]string{"a.py": costly, "b.py": `
from mcp.server import MCPServer
from a import f

class Registry:
    def __init__(self, server: MCPServer): self.server = server
    def reader(self, title): return self._register(title)
    def _register(self, title):
        def decorate(function):
            self.server.tool(title=title)(function)
            return function
        return decorate

def register(tools: Registry):
    @tools.reader("Dig")
    def dig(): f(f)

def main():
    register(Registry(MCPServer("garden")))
`}, nil)
	if len(tools) != 1 || tools[0].Name != "dig" || tools[0].Title != "Dig" || partial {
		t.Errorf("tools %v, partial %v", tools, partial)
	}
}
