package golang

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/source/listing"
	"mcpcensus/crawler/source/sourcetest"
)

const garden = `package main
import (
	"flag"
	"os"
	"github.com/mark3labs/mcp-go/mcp"
	"example.org/other"
)
func always(s *Server) { s.AddTool(mcp.NewTool("rake"), h) }
`

// TestConditions tests which tools are conditional. All of them are found; "rake" is always
// registered.
func TestConditions(t *testing.T) {
	const dig = `{ s.AddTool(mcp.NewTool("dig"), h) }`
	for name, test := range map[string]struct {
		code string
		want map[string]string
	}{
		"variable is compared": {`func main() { if os.Getenv("ENABLE_DIG") == "true" ` + dig + `}`,
			map[string]string{"dig": "off ENABLE_DIG=true"}},
		"variable is set": {`func main() { if os.Getenv("ENABLE_DIG") != "" ` + dig + `}`,
			map[string]string{"dig": "off ENABLE_DIG"}},
		"flag": {`var digging = flag.Bool("dig", false, "")
			func main() { if *digging ` + dig + `}`, map[string]string{"dig": "off --dig"}},
		"flag that is on": {`var digging = flag.Bool("dig", true, "")
			func main() { if *digging ` + dig + `}`, nil},
		"required variable": {`func main() { if os.Getenv("SPADE_TOKEN") != "" ` + dig + `}`, nil},
		"required variable and another": {`func main() { if os.Getenv("DIG") != "" && (os.Getenv("SPADE_TOKEN") != "") ` +
			dig + `}`, map[string]string{"dig": "off DIG"}},
		"function with names as called": {`func add(s *Server, name string) { s.AddTool(mcp.NewTool(name), h) }
			func main() { add(s, "rake"); if permissions["dig"] { add(s, "dig") } }`,
			map[string]string{"dig": ""}},
		"field": {`func main() { if cfg.EnableDigging ` + dig + `}`,
			map[string]string{"dig": "cfg.EnableDigging"}},
		"variable is parsed": {`func main() { dig, err := strconv.ParseBool(os.Getenv("DIG"))
			if err == nil && dig ` + dig + `}`, map[string]string{"dig": "off DIG"}},
		"variable is looked up": {`func main() { if v, ok := os.LookupEnv("DIG"); ok && v != "no" ` + dig + `}`,
			map[string]string{"dig": "off DIG"}},
		"variable is there": {`func main() { if _, found := os.LookupEnv("DIG"); found ` + dig + `}`,
			map[string]string{"dig": "off DIG"}},
		"variable in lower case": {`func main() { if strings.ToLower(os.Getenv("DIG")) == "on" ` + dig + `}`,
			map[string]string{"dig": "off DIG=on"}},
		"variable in own function": {`func is(s string) bool { return s != "off" }
			func main() { if is(os.Getenv("DIG")) ` + dig + `}`, map[string]string{"dig": "DIG"}},
		"variable in a configuration": {`type Config struct { Dig bool }
			func load() Config { b, _ := strconv.ParseBool(os.Getenv("DIG")); return Config{Dig: b} }
			func main() { cfg := load(); if cfg.Dig ` + dig + `}`, map[string]string{"dig": "off DIG"}},
		"flag with another text": {`var mode = flag.String("mode", "full", "")
			func main() { if *mode == "full" ` + dig + `}`, map[string]string{"dig": "--mode=full"}},
		"what an interface calls": {`type digger struct{}
			func newDigger() *digger { return &digger{} }
			func (d *digger) Tools() []*mcp.Tool { return []*mcp.Tool{mcp.NewTool("dig")} }
			func main() { all := []group{}; if os.Getenv("DIG") != "" { all = append(all, newDigger()) }
				for _, g := range all { s.AddTools(g.Tools()) } }`, map[string]string{"dig": "off DIG"}},
		"negative": {`func main() { if !cfg.ReadOnly ` + dig + `}`, nil},
		"error":    {`func main() { if err := start(); err != nil { return }; s.AddTool(mcp.NewTool("dig"), h) }`, nil},
		"function in a branch": {`func register(s *Server) ` + dig + `
			func main() { if cfg.EnableDigging { register(s) } }`, map[string]string{"dig": "cfg.EnableDigging"}},
		"function also outside": {`func register(s *Server) ` + dig + `
			func main() { if cfg.Loud { register(s) }; register(s) }`, nil},
		"returned before": {`func main() { if !cfg.EnableDigging { return }; s.AddTool(mcp.NewTool("dig"), h) }`,
			map[string]string{"dig": "cfg.EnableDigging"}},
		"returned before, negative": {`func main() { if cfg.ReadOnly { return }; s.AddTool(mcp.NewTool("dig"), h) }`, nil},
		"is there":                  {`func main() { if cfg.Database != nil ` + dig + `}`, map[string]string{"dig": "cfg.Database"}},
		"in both branches":          {`func main() { if cfg.Loud ` + dig + ` else ` + dig + ` }`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			tools, _ := Tools(map[string]string{"main.go": garden + test.code},
				&listing.Reading{Required: []string{"SPADE_TOKEN"}, Left: math.MaxInt})
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

// TestUpstream tests that a list is partial if the server also passes on the tools of another one.
func TestUpstream(t *testing.T) {
	for code, want := range map[string]bool{
		`list, _ := client.ListTools(ctx); for _, t := range list.Tools { s.AddTool(t, h) }`:                  true,
		`list, _ := client.ListTools(ctx); for _, t := range list.Tools { s.AddTool(t.Tool, func() {}) }`:     true,
		`list, _ := client.ListTools(ctx); print(list); s.AddTool(mcp.NewTool("dig"), h)`:                     false,
		`for _, t := range all() { s.AddTool(t.tool, t.run) }`:                                                false,
		`tool := mcp.NewTool("dig"); s.AddTool(tool, h); list, _ := client.ListTools(ctx); print(list.Tools)`: false,
	} {
		if _, got := Tools(map[string]string{"main.go": garden + "func main() { " + code + " }"}, nil); got != want {
			t.Errorf("%s: partial %v", code, got)
		}
	}
}

// TestUnknownSchemas tests that schemas with unknown parts are unknown, rather than without
// parameters.
func TestUnknownSchemas(t *testing.T) {
	const unknown = ""
	for name, test := range map[string]struct{ code, want string }{
		"none":           {`func main() { mcp.NewTool("dig") }`, none},
		"unknown option": {`func main() { mcp.NewTool("dig", other.Bed()) }`, unknown},
		"unknown options": {`func main() { mcp.NewTool("dig", append(other.Options(),
			mcp.WithString("bed"))...) }`, unknown},
		"known options": {`func main() { mcp.NewTool("dig", append([]mcp.ToolOption{mcp.WithNumber("depth")},
			mcp.WithString("bed"))...) }`,
			`{"type":"object","properties":{"depth":{"type":"number"},"bed":{"type":"string"}}}`},
		"extended options": {`func main() {
			options := []mcp.ToolOption{mcp.WithNumber("depth")}
			options = append(options, other.Options()...)
			mcp.NewTool("dig", options...)
		}`, unknown},
		"option of the SDK":           {`func main() { mcp.NewTool("dig", mcp.WithIcons(icon)) }`, none},
		"unknown name of a parameter": {`func main() { mcp.NewTool("dig", mcp.WithString(other.Name)) }`, unknown},
		"unknown embedded struct": {`type Dig struct { other.Common; Bed string }
			func main() { mcp.NewTool("dig", mcp.WithInputSchema[Dig]()) }`, unknown},
		"unknown struct": {`func main() { mcp.NewTool("dig", mcp.WithInputSchema[other.Dig]()) }`, unknown},
		"generic handler": {`type Dig struct { Bed string }
			func handle[T any](s string) func(context.Context, *mcp.CallToolRequest, T) error {
				return func(c context.Context, r *mcp.CallToolRequest, in T) error { return nil }
			}
			func main() { mcp.AddTool(s, &mcp.Tool{Name: "dig"}, handle[Dig]("a")) }`,
			`{"type":"object","properties":{"Bed":{"type":"string"}},"required":["Bed"]}`},
		"own function with a handler": {`type Dig struct { Bed string }
			func dig(c context.Context, r *mcp.CallToolRequest, in Dig) error { return nil }
			func main() { check(register(s, &mcp.Tool{Name: "dig"}, dig)) }`,
			`{"type":"object","properties":{"Bed":{"type":"string"}},"required":["Bed"]}`},
		"unknown properties": {`func main() { x := mcp.Tool{Name: "dig",
			InputSchema: mcp.ToolInputSchema{Type: "object", Properties: other.Properties()}} }`, unknown},
	} {
		t.Run(name, func(t *testing.T) {
			tools, _ := Tools(map[string]string{"main.go": `package main
				import ("github.com/mark3labs/mcp-go/mcp"; "example.org/other")
				` + test.code}, nil)
			if len(tools) != 1 || tools[0].Name != "dig" {
				t.Fatalf("got %+v", tools)
			}
			if schema := string(tools[0].InputSchema); schema != test.want {
				t.Errorf("schema %s, want %s", schema, test.want)
			}
		})
	}
}
