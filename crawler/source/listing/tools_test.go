package listing

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/source/sourcetest"
	"mcpcensus/internal/registry"
)

func TestTools(t *testing.T) {
	var l Tools
	loud := Branch{Node: 1, Setting: "loud"}
	off := Branch{Node: 2, Setting: "DIG=true", Default: Off}
	server := Branch{Node: 3, Setting: "http"}
	l.Add(registry.Tool{Name: "dig"}, []Branch{server, off})
	l.Add(registry.Tool{Name: "dig", Description: "Digs."}, []Branch{server, loud, {Node: 4}})
	l.Add(registry.Tool{Name: "rake", InputSchema: []byte("{}")}, []Branch{server})
	l.Add(registry.Tool{Name: "rake", Title: "Rake", InputSchema: []byte("null")}, []Branch{server, off})
	l.Add(registry.Tool{Name: "mow"}, []Branch{server, off, loud})
	l.Add(registry.Tool{Name: "not a name"}, nil)
	want := []registry.Tool{
		{Name: "dig", Description: "Digs.", Conditional: &registry.ToolCondition{Setting: "loud"}},
		{Name: "rake", Title: "Rake", InputSchema: []byte("{}")},
		{Name: "mow", Conditional: &registry.ToolCondition{Setting: "loud", Off: true}},
	}
	if diff := cmp.Diff(want, l.Conditional()); diff != "" || !l.Partial {
		t.Errorf("partial %v, -want +got:\n%s", l.Partial, diff)
	}
}

// TestDefaults tests which tools a start with the required variables and the default settings
// registers.
func TestDefaults(t *testing.T) {
	const always, off, undecided = "on", "off", ""
	token := Branch{Node: 2, Setting: "SPADE_TOKEN", Default: Off}
	for name, test := range map[string]struct {
		around []Branch
		want   string
	}{
		"always":                  {nil, always},
		"undecided":               {[]Branch{{Node: 1}}, undecided},
		"off":                     {[]Branch{{Node: 1, Default: Off}}, off},
		"on":                      {[]Branch{{Node: 1, Default: On}}, always},
		"off and undecided":       {[]Branch{{Node: 1}, {Node: 2, Default: Off}}, off},
		"on and undecided":        {[]Branch{{Node: 1, Default: On}, {Node: 2}}, undecided},
		"of the server":           {[]Branch{{Node: "server"}}, always},
		"required":                {[]Branch{token}, always},
		"required and off":        {[]Branch{{Node: 1, Default: Off}, token}, off},
		"required and undecided":  {[]Branch{token, {Node: 1}}, undecided},
		"value of a required one": {[]Branch{{Node: 1, Setting: "SPADE_TOKEN=x", Default: Off}}, undecided},
		"another variable":        {[]Branch{{Node: 1, Setting: "SPADE", Default: Off}}, off},
	} {
		l := Tools{Reading: &Reading{Required: []string{"SPADE_TOKEN"}}}
		l.Add(registry.Tool{Name: "rake"}, []Branch{{Node: "server"}})
		l.Add(registry.Tool{Name: "dig"}, append([]Branch{{Node: "server"}}, test.around...))
		if got := sourcetest.Default(l.Conditional()[1]); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestIsName(t *testing.T) {
	for name, want := range map[string]bool{
		"dig_bed": true, "beds/dig.v2:a-b": true, "掘る": true, "": false, "dig bed": false, "-dig": false,
		"dig()": false, "%s_dig": false, strings.Repeat("a", 128): true, strings.Repeat("a", 129): false,
	} {
		if got := IsName(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func TestConditionsByDefault(t *testing.T) {
	named := func(path ...string) Test { return Test{Op: Named, Path: path} }
	nothing := Test{Op: Nothing}
	of := func(op Op, of ...Test) Test { return Test{Op: op, Of: of} }
	for name, test := range map[string]struct {
		test     Test
		negative bool
		name     string
	}{
		"name":              {named("config", "enableDig"), false, "config.enableDig"},
		"short name":        {named("t", "d"), false, ""},
		"opaque":            {Test{}, false, ""},
		"not":               {Negate(named("readOnly")), true, ""},
		"not not":           {Negate(Negate(named("enabled"))), false, "enabled"},
		"is nothing":        {of(Same, named("mode"), nothing), true, ""},
		"is something":      {of(Differ, named("mode"), nothing), false, "mode"},
		"is a value":        {of(Same, named("mode"), Test{}), false, ""},
		"is not a value":    {of(Differ, named("mode"), Test{}), true, ""},
		"both missing":      {of(Both, Negate(named("aaaa")), Negate(named("bbbb"))), true, ""},
		"both are there":    {of(Both, Negate(named("readOnly")), named("enabled")), false, "enabled"},
		"one is missing":    {of(Any, Negate(named("aaaa")), named("bbbb")), false, ""},
		"neither is there":  {Negate(of(Any, named("aaaa"), named("bbbb"))), true, ""},
		"not that it lacks": {Negate(of(Same, named("mode"), nothing)), false, ""},
	} {
		if test.test.IsNegative() != test.negative || test.test.Name() != test.name {
			t.Errorf("%s: negative %v, name %q", name, test.test.IsNegative(), test.test.Name())
		}
	}
}

func TestCalls(t *testing.T) {
	c := Calls[string]{}
	a, b := Branch{Node: "a"}, Branch{Node: "b"}
	c.Note("f", []Branch{a})
	c.Note("g", []Branch{a})
	c.Note("g", nil)
	if diff := cmp.Diff([]Branch{a, b}, c.Around([]string{"f", "g", "h"}, []Branch{b})); diff != "" {
		t.Error(diff)
	}
}

func TestSharedEffects(t *testing.T) {
	for n, want := range map[int]string{3: registry.EffectWrite, 4: ""} {
		l := Tools{}
		for i := range n {
			name := string(rune('a' + i))
			l.Add(registry.Tool{Name: name}, nil)
			l.Does(name, Evidence{Effect: registry.EffectWrite, Place: "log.go:7"})
		}
		l.Add(registry.Tool{Name: "last"}, nil)
		l.Does("last", Evidence{Effect: registry.EffectWrite, Place: "last.go:7"})
		got := l.Conditional()
		if e := got[n].Inferred; e == nil || e.Effect != registry.EffectWrite {
			t.Errorf("of %d: the last one has %+v", n, e)
		}
		if e := got[0].Inferred; (e == nil) != (want == "") {
			t.Errorf("of %d: the first one has %+v", n, e)
		}
	}
}

// TestSetHints checks that a hint of unknown value leaves the effect unknown if it decides that.
func TestSetHints(t *testing.T) {
	yes, no := true, false
	for _, tt := range []struct {
		hints map[string]any
		want  *registry.ToolAnnotations
	}{
		{map[string]any{"readOnlyHint": true, "destructiveHint": nil}, &registry.ToolAnnotations{ReadOnly: &yes}},
		{map[string]any{"readOnlyHint": nil, "destructiveHint": false, "idempotentHint": true},
			&registry.ToolAnnotations{Idempotent: &yes}},
		{map[string]any{"readOnlyHint": false, "destructiveHint": nil}, &registry.ToolAnnotations{}},
		{map[string]any{"readOnlyHint": false}, &registry.ToolAnnotations{ReadOnly: &no}},
		{map[string]any{"readOnly": true, "destructive": false}, nil},
	} {
		var tool registry.Tool
		SetHints(&tool, slices.Sorted(maps.Keys(tt.hints)), func(name string) (is, known bool) {
			is, known = tt.hints[name].(bool)
			return is, known
		})
		if d := cmp.Diff(tt.want, tool.Annotations); d != "" {
			t.Errorf("%v: -want +got:\n%s", tt.hints, d)
		}
	}
}
