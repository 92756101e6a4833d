package registry

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTool_Effect(t *testing.T) {
	yes, no := new(true), new(false)
	set := &ToolEffect{EffectDestructive, BasisName, "set"}
	for name, test := range map[string]struct {
		tool        Tool
		want        string
		basis       string
		contradicts bool
	}{
		"nothing known":      {Tool{}, EffectUnknown, "", false},
		"no hint on effects": {Tool{Annotations: &ToolAnnotations{OpenWorld: yes}}, EffectUnknown, "", false},
		"read-only":          {Tool{Annotations: &ToolAnnotations{ReadOnly: yes}}, EffectRead, BasisDeclared, false},
		"destructive": {Tool{Annotations: &ToolAnnotations{Destructive: yes}},
			EffectDestructive, BasisDeclared, false},
		"not read-only": {Tool{Annotations: &ToolAnnotations{ReadOnly: no}}, EffectWrite, BasisDeclared, false},
		"changes, by its name": {Tool{Annotations: &ToolAnnotations{ReadOnly: no}, Inferred: set},
			EffectDestructive, BasisName, false},
		"declared to only add": {Tool{Annotations: &ToolAnnotations{Destructive: no}, Inferred: set},
			EffectWrite, BasisDeclared, false},
		"not destructive":       {Tool{Annotations: &ToolAnnotations{Destructive: no}}, EffectWrite, BasisDeclared, false},
		"read-only wins":        {Tool{Annotations: &ToolAnnotations{ReadOnly: yes, Destructive: yes}}, EffectRead, BasisDeclared, false},
		"inferred":              {Tool{Inferred: &ToolEffect{EffectWrite, BasisName, "create"}}, EffectWrite, BasisName, false},
		"declared wins":         {Tool{Annotations: &ToolAnnotations{ReadOnly: no}, Inferred: &ToolEffect{EffectRead, BasisName, "get"}}, EffectWrite, BasisDeclared, false},
		"code that it executes": {Tool{Annotations: &ToolAnnotations{ReadOnly: no}, Inferred: &ToolEffect{EffectExecute, BasisSource, "a.py:3"}}, EffectExecute, BasisSource, false},
		"doubted by its name":   {Tool{Annotations: &ToolAnnotations{ReadOnly: yes}, Inferred: &ToolEffect{EffectWrite, BasisName, "set"}}, EffectRead, BasisDeclared, false},
		"confirmed":             {Tool{Annotations: &ToolAnnotations{ReadOnly: yes}, Inferred: &ToolEffect{EffectRead, BasisSource, "a.py:3"}}, EffectRead, BasisDeclared, false},
		"contradicted": {Tool{Annotations: &ToolAnnotations{ReadOnly: yes},
			Inferred: &ToolEffect{EffectExecute, BasisSource, "a.py:3"}}, EffectExecute, BasisSource, true},
	} {
		got := test.tool.Effect()
		if got.Effect != test.want || got.Basis != test.basis || test.tool.Contradicts() != test.contradicts {
			t.Errorf("%s: got %+v, contradicts %v", name, got, test.tool.Contradicts())
		}
	}
}

func TestServer_Capabilities(t *testing.T) {
	n := 2
	s := Server{ToolCount: &n, ReadOnly: &ReadOnlySwitch{Kind: SwitchFlag, Name: "--write", Default: true},
		Touches: &Touches{SourceRead: SourceReadWhole}, Tools: []Tool{
			{Name: "a", Inferred: &ToolEffect{Effect: EffectExecute}}, {Name: "b"},
			{Name: "c", Inferred: &ToolEffect{Effect: EffectWrite}, Conditional: &ToolCondition{Off: true}}}}
	want := Capabilities{Effect: EffectExecute, Secrets: []string{}, Execute: 1, Unknown: 1, Complete: true, ReadOnly: s.ReadOnly, ReadOnlyDefault: true,
		Touches: Touches{SourceRead: SourceReadWhole}}
	if d := cmp.Diff(want, s.Capabilities()); d != "" {
		t.Error(d)
	}
	for want, tools := range map[string][]Tool{
		EffectRead: {{Name: "b", Inferred: &ToolEffect{Effect: EffectRead}},
			{Name: "c", Annotations: &ToolAnnotations{ReadOnly: new(true)}}},
		EffectUnknown: {{Name: "b", Inferred: &ToolEffect{Effect: EffectRead}}, {Name: "c"}},
		EffectWrite:   {{Name: "b", Inferred: &ToolEffect{Effect: EffectWrite}}, {Name: "c"}},
	} {
		if got := (&Server{ToolCount: &n, Tools: tools}).Effect(); got != want {
			t.Errorf("effect %s, want %s", got, want)
		}
	}
	if got := (&Server{}).Capabilities(); got.Complete || got.SourceRead != "" {
		t.Errorf("unknown: %+v", got)
	}
}

func TestTouches_Saw(t *testing.T) {
	var none *Touches
	if none.Saw(nil) != nil {
		t.Error("nothing was seen")
	}
	read := &Touches{Hosts: []HostUse{{Host: "b.dev", Evidence: "a.py:1"}}, SourceRead: SourceReadWhole}
	want := &Touches{Hosts: []HostUse{{Host: "a.dev", Seen: true}, {Host: "b.dev", Evidence: "a.py:1", Seen: true}},
		SourceRead: SourceReadWhole}
	if d := cmp.Diff(want, read.Saw([]string{"b.dev", "a.dev"})); d != "" {
		t.Error(d)
	}
	if read.Hosts[0].Seen {
		t.Error("the given value was changed")
	}
}

func TestCapabilities_guessed(t *testing.T) {
	tool := func(effect, basis string) Tool {
		return Tool{Name: effect + basis, Inferred: &ToolEffect{effect, basis, ""}}
	}
	for name, tt := range map[string]struct {
		tools []Tool
		want  bool
	}{
		"none":             {nil, false},
		"reads, by name":   {[]Tool{tool(EffectRead, BasisSource), tool(EffectRead, BasisName)}, true},
		"reads, by source": {[]Tool{tool(EffectRead, BasisSource)}, false},
		"writes by both":   {[]Tool{tool(EffectWrite, BasisSource), tool(EffectWrite, BasisName)}, false},
		"writes, by name":  {[]Tool{tool(EffectRead, BasisSource), tool(EffectWrite, BasisSchema)}, true},
		"unknown":          {[]Tool{tool(EffectRead, BasisName), {Name: "x"}}, false},
	} {
		s := Server{ToolCount: new(len(tt.tools)), Tools: tt.tools}
		if got := s.Capabilities().Guessed; got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestCanReadOnly(t *testing.T) {
	yes, no := true, false
	for name, tt := range map[string]struct {
		effect string
		guess  bool
		want   *bool
	}{
		"reads":             {EffectRead, false, &yes},
		"reads, by a guess": {EffectRead, true, nil},
		"writes":            {EffectWrite, false, &no},
		"writes, by one":    {EffectWrite, true, &no},
		"unknown":           {EffectUnknown, false, nil},
	} {
		s := Server{KnownEffect: tt.effect, KnownGuess: tt.guess}
		if d := cmp.Diff(tt.want, s.CanReadOnly()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestReadOnlySwitchWords(t *testing.T) {
	for want, s := range map[string]ReadOnlySwitch{
		"Read-only with READ_ONLY=true": {Kind: SwitchVariable, Name: "READ_ONLY", Value: "true"},
		"Read-only without --write":     {Kind: SwitchFlag, Name: "--write", Default: true},
	} {
		if got := s.Words() + " " + s.Setting(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
