package pages_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"mcpcensus/internal/registry"
	"mcpcensus/web/webtest"
	"mcpcensus/web/webtest/sitetest"
)

func schemaOf(text string) []byte {
	b, err := json.Marshal(map[string]any{"type": "object", "required": []string{text},
		"properties": map[string]any{text: map[string]any{
			"type": text, "description": "a\n\n# " + text, "default": text, "enum": []string{text},
		}}})
	if err != nil {
		panic(err)
	}
	return b
}

func TestMarkdown_tools(t *testing.T) {
	x := webtest.Hostile("tide", "Tide")
	x.Tools = []registry.Tool{
		{Name: "get_tide", Description: "When", InputSchema: []byte(
			`{"properties":{"days":{"type":"integer","default":3},"harbour":{"type":"string","description":"Where *exactly*"}},"required":["harbour"]}`,
		)},
		{Name: "list_harbours", InputSchema: []byte(`{"type":"object","properties":{}}`)}, {Name: "get_wind"},
	}
	none := webtest.Hostile("none", "None")
	none.Tools = []registry.Tool{{Name: "get_wind"}}
	root := webtest.Hostile("root", "Root")
	root.ID, root.Subfolder = 77, ""
	s := sitetest.New(t, []registry.Server{x, none, root})
	body := s.Text("/servers/tide.md")
	want := "- `get_tide`: When\n  - `harbour` (string, required): Where \\*exactly\\*\n  - `days` (integer); default `3`\n- `list_harbours`: no description\n  - Takes no parameters.\n- `get_wind`: no description\n\n"
	if !strings.Contains(body, want) {
		t.Errorf("no %q in\n%s", want, body)
	}
	if !strings.Contains(s.Text("/servers/none.md"), "\n- Stars (whole repository): ") ||
		strings.Contains(s.Text("/servers/root.md"), "whole repository") {
		t.Error("the stars are not those of the whole repository")
	}
	const unknown = "Parameters unknown."
	if strings.Contains(body, unknown) || strings.Count(
		s.Text("/servers/none.md"), unknown,
	) != 1 || strings.Count(s.Page("/servers/none/tools", 200), unknown) != 1 {
		t.Error("it is not said once where no parameters are known")
	}
}

var markdownParser = goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()

func TestMarkdown(t *testing.T) {
	t.Parallel()
	servers := webtest.Generated(5)
	x := &servers[0]
	x.Kind = registry.KindProxy
	s := sitetest.New(t, servers)
	res, body := s.Get("/servers/" + x.Slug + ".md")
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/markdown; charset=utf-8" ||
		!strings.Contains(res.Header.Get("Link"), `rel="canonical"`) {
		t.Fatal(res.Status, res.Header)
	}
	for _, want := range []string{
		"# ", "## Install", "## Tools", "## Health", "- Kind: proxy\n", "https://census.example/servers/" + x.Slug,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in\n%s", want, body)
		}
	}
	if x.InstallCommand != "" && !strings.Contains(body, "```\n"+x.InstallCommand+"\n```") {
		t.Error("no command")
	}
	for path, status := range map[string]int{"/servers/nobody-nothing.md": 404, "/servers/was-here.md": 410} {
		if res, _ := s.Get(path); res.StatusCode != status {
			t.Errorf("%s: %s", path, res.Status)
		}
	}
	for n, a := range webtest.Attacks {
		h := webtest.Hostile(fmt.Sprintf("evil-%d", n), a)
		h.Tools = append(h.Tools, registry.Tool{Name: "`]`" + a, Description: "a\n\n# " + a, InputSchema: schemaOf(a)})
		s := sitetest.New(t, []registry.Server{h})
		_, body := s.Get("/servers/" + h.Slug + ".md")
		doc := markdownParser.Parse(text.NewReader([]byte(body)))
		_ = ast.Walk(doc, func(node ast.Node, in bool) (ast.WalkStatus, error) {
			switch l := node.(type) {
			case *ast.HTMLBlock, *ast.RawHTML, *ast.Image:
				t.Errorf("%q: %s in\n%s", a, node.Kind(), body)
			case *ast.Link:
				if !strings.HasPrefix(string(l.Destination), "https://census.example/") {
					t.Errorf("%q: a link to %s", a, l.Destination)
				}
			case *ast.AutoLink:
				if u := string(l.URL([]byte(body))); u != "https://github.com/evil/"+h.Slug {
					t.Errorf("%q: a link to %s", a, u)
				}
			}
			return ast.WalkContinue, nil
		})
	}
}
