package record

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

// toolsOf returns tools with effects, each with its basis: "execute source".
func toolsOf(effects ...string) (all []registry.Tool) {
	for i, e := range effects {
		effect, basis, _ := strings.Cut(e, " ")
		t := registry.Tool{Name: string(rune('a' + i))}
		yes, no := true, false
		switch {
		case basis != registry.BasisDeclared:
			t.Inferred = &registry.ToolEffect{Effect: effect, Basis: basis, Evidence: "x.ts:1"}
		case effect == registry.EffectRead:
			t.Annotations = &registry.ToolAnnotations{ReadOnly: &yes}
		case effect == registry.EffectDestructive:
			t.Annotations = &registry.ToolAnnotations{Destructive: &yes}
		default:
			t.Annotations = &registry.ToolAnnotations{ReadOnly: &no}
		}
		all = append(all, t)
	}
	return all
}

func TestVerdict_ability(t *testing.T) {
	contradicting := toolsOf("write source")
	contradicting[0].Annotations = toolsOf("read declared")[0].Annotations
	for name, tc := range map[string]struct {
		tools []registry.Tool
		part  bool // other tools are unknown
		want  string
	}{
		"none":          {nil, false, "neutral no tools"},
		"unknown tools": {nil, true, "unknown tools unknown"},
		"unknown":       {toolsOf("unknown", "unknown"), false, "unknown effects unknown"},
		"execute":       {toolsOf("execute source", "write source"), false, "bad can run commands or code: 1 of 2 tools"},
		"execute, by names": {toolsOf("execute name"), false,
			"caution can run commands or code: 1 of 1 tool, judging by names and descriptions"},
		"destructive": {toolsOf("destructive declared", "write name", "read name"), false,
			"caution can change or delete: 1 of 3 tools"},
		"write": {toolsOf("write schema", "read name"), false,
			"caution can add or send: 1 of 2 tools, judging by names and descriptions"},
		"write in part": {toolsOf("write schema", "read name"), true,
			"caution can add or send: at least 1 tool, judging by names and descriptions"},
		"some unknown": {toolsOf("read declared", "unknown"), false, "unknown effects unknown: 1 of 2 tools"},
		"read, by names": {toolsOf("read declared", "read name"), false,
			"unknown read-only, judging by names and descriptions"},
		"read":          {toolsOf("read declared", "read source"), false, "good read-only"},
		"read in part":  {toolsOf("read declared"), true, "unknown its known tools only read"},
		"contradicting": {contradicting, false, "caution can add or send: 1 of 1 tool"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &registry.Server{Tools: tc.tools}
			if n := len(tc.tools); !tc.part {
				s.ToolCount = &n
			}
			if m := New(s).ability(); m.Level+" "+m.Text != tc.want {
				t.Errorf("got %s %s, want %s", m.Level, m.Text, tc.want)
			}
		})
	}
	switched := New(&registry.Server{Tools: toolsOf("write source"), ReadOnly: &registry.ReadOnlySwitch{Default: true}})
	if m := switched.ability(); m.Level != LevelGood {
		t.Errorf("a server that only reads by default: %v", m)
	}
	switched.ReadOnly.Lifted = "--allow-write"
	if m := switched.ability(); m.Level != LevelCaution {
		t.Errorf("a server whose documented configuration lets it write: %v", m)
	}
}

func TestTool_Known(t *testing.T) {
	contradicting, yes, no := toolsOf("write source")[0], true, false
	contradicting.Annotations = toolsOf("read declared")[0].Annotations
	for want, tool := range map[string]registry.Tool{
		"":                      {Name: "a"},
		"declared by the owner": toolsOf("write declared")[0],
		"declared by the owner: not read-only, only adds, not safe to repeat, reaches other systems": {
			Annotations: &registry.ToolAnnotations{ReadOnly: &no, Destructive: &no, Idempotent: &no, OpenWorld: &yes}},
		"declared by the owner: read-only, reaches no other systems": {
			Annotations: &registry.ToolAnnotations{ReadOnly: &yes, Destructive: &no, Idempotent: &no, OpenWorld: &no}},
		"unknown; declared: reaches other systems": {
			Annotations: &registry.ToolAnnotations{OpenWorld: &yes}},
		"from the source code, which does more; declared: read-only": contradicting,
		"from the source code":                toolsOf("read source")[0],
		"guessed from the parameter “x.ts:1”": toolsOf("execute schema")[0],
		"guessed from the word “x.ts:1”":      toolsOf("read name")[0],
	} {
		if got := (Tool{Tool: tool}).Known(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestPlace(t *testing.T) {
	r := New(&registry.Server{Repo: registry.Repository{Host: registry.GitHub, Owner: "octo", Name: "tides"},
		Health: registry.Health{Commit: "abc"}})
	read, guessed := Tool{Tool: toolsOf("write source")[0]}, Tool{Tool: toolsOf("write name")[0]}
	if got := r.Place(read); got.Page != "https://github.com/octo/tides/blob/abc/x.ts#L1" || got.Ref != "x.ts:1" {
		t.Errorf("got %+v", got)
	}
	if got := r.Place(guessed); got != (Source{}) {
		t.Errorf("a guess: got %+v", got)
	}
	r.ToolsPackage.Identifier = "tides"
	if got := r.Place(read); got.Page != "" || got.Ref == "" {
		t.Errorf("code of a package: got %+v", got)
	}
}

func TestVerdict(t *testing.T) {
	chance, uptime, tokens, n := .17, .998, 24_300, 1
	r := New(&registry.Server{Slug: "x", Status: registry.StatusActive, Official: true, Tools: toolsOf("read source"),
		ToolCount: &n, ToolTokens: &tokens, Liveness: registry.LivenessAlive,
		Remotes: []registry.Remote{{Liveness: &registry.Liveness{State: registry.ProbeOpen, Uptime30: &uptime, Probes: 500}}},
		Health:  registry.Health{CommitChance: &chance}})
	said := func() string {
		var all []string
		for _, m := range r.Verdict() {
			all = append(all, m.Level+" "+m.Text+" "+m.Link)
		}
		return strings.Join(all, "\n")
	}
	want := `good official /servers/x#official
bad probably no longer maintained /servers/x/health#commit_recency
good read-only /servers/x/tools
caution 1 tool, at least 24k tokens /servers/x/tools
good endpoint online 99.8% /servers/x#install`
	if got := said(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	r = New(&registry.Server{Slug: "y", Status: registry.StatusArchived})
	want = `caution deprecated /servers/y#risks
unknown not known to be official /servers/y/health#owner_identity
unknown tools unknown /servers/y/tools
neutral no hosted endpoint /servers/y#install`
	if got := said(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	r = New(&registry.Server{Slug: "z", Status: registry.StatusActive, Liveness: registry.LivenessDown,
		Health: registry.Health{CommitChance: new(.9)}})
	if got := said(); strings.Contains(got, "maintained") {
		t.Errorf("a server that cannot be used: got\n%s", got)
	}
}

// TestToolGroups checks that groups of guessed effects have the levels of the verdict, and say so.
func TestToolGroups(t *testing.T) {
	r := New(&registry.Server{Tools: toolsOf("execute name", "write source", "read name", "read declared", "unknown")})
	var got []string
	for _, g := range r.ToolGroups("", 9, 9) {
		got = append(got, g.Effect+" "+g.Level+": "+g.Bases)
	}
	want := []string{"execute caution: guessed from names and descriptions", "write caution: from the source code",
		"read good: 1 declared by the owner, 1 guessed from names and descriptions", "unknown unknown: "}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestAbilities(t *testing.T) {
	at, n := time.Now(), 7
	tools := toolsOf("execute source", "destructive declared", "destructive name", "write name", "read name", "unknown", "write source")
	tools[6].Annotations = toolsOf("read declared")[0].Annotations
	tools[0].Name = "run\u200Bit"
	tools = append(tools, registry.Tool{Name: "drop", Conditional: &registry.ToolCondition{Setting: "DROP=1", Off: true}})
	r := New(&registry.Server{Tools: tools, ToolCount: &n, LastCrawledAt: &at,
		Touches: &registry.Touches{SourceRead: registry.SourceReadPart, Files: []registry.SourceUse{{Name: "fs.rm", Evidence: "a.ts:3"}},
			Hosts: []registry.HostUse{{Host: "a.example", Seen: true}, {Host: "b.example"}, {Host: "c.example"}, {Host: "d.example"}}},
		Variables: []registry.Variable{{Name: "KEY", IsSecret: true, IsRequired: true}, {Name: "UNIT", IsRequired: true},
			{Name: "PIN", IsSecret: true}},
		ReadOnly: &registry.ReadOnlySwitch{Kind: registry.SwitchArgument, Name: "--access-mode", Value: "restricted",
			Lifted: "--access-mode=all", Evidence: "README.md"}})
	said := func() string {
		var all []string
		for _, a := range r.Abilities() {
			line := a.Level + ": " + a.Text + " " + strings.Join(a.Names, " ")
			if a.More > 0 {
				line += " +"
			}
			all = append(all, line+" ("+a.Note+")")
		}
		return strings.Join(all, "\n")
	}
	want := `bad: Can run commands or code: 1 tool run<U+200B>it (from the source code)
caution: Can change or delete: 2 tools b c (1 declared by the owner, 1 guessed from names and descriptions)
caution: Can add or send: 2 tools  (1 from the source code, 1 guessed from names and descriptions)
unknown: Read-only: 1 tool  (guessed from names and descriptions)
unknown: Effect unknown: 1 tool  ()
neutral: Effect unknown (off by default): 1 tool drop (only with DROP=1)
caution: Declared read-only, but the code does more g (x.ts:1)
neutral: Uses files fs.rm (a.ts:3)
neutral: Talks to a.example b.example c.example + (1 host seen in a sandbox)
unknown: Uses no known processes, ports or telemetry  (only a part of the source code was read)
neutral: Needs secret KEY ()
neutral: Accepts secret PIN ()
good: Read-only with --access-mode=restricted (README.md)
caution: Documented to be started with --access-mode=all ()`
	if got := said(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	n = 2
	r = New(&registry.Server{Tools: toolsOf("read declared", "read name"), ToolCount: &n})
	want = "unknown: Read-only: 2 tools  (1 declared by the owner, 1 guessed from names and descriptions)"
	if got := said(); !strings.HasPrefix(got, want) {
		t.Errorf("beside a verdict that is not certain: got %s", got)
	}
	r = New(&registry.Server{})
	want = `unknown: Tools unknown  ()
unknown: Use of processes, files, ports, telemetry or hosts unknown  (its code was not searched for them)`
	if got := said(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	r = New(&registry.Server{ToolCount: new(int), LastCrawledAt: &at,
		Packages: []registry.Package{{PackageArguments: []registry.Argument{
			{Name: "--api-key", IsRequired: true}, {Name: "--login", IsSecret: true}}}},
		Touches: &registry.Touches{SourceRead: registry.SourceReadWhole,
			Processes: []registry.SourceUse{{Name: "exec", Evidence: "a.ts:1"}}}})
	want = `neutral: No tools  ()
caution: Starts processes exec (a.ts:1)
unknown: No hosts named in its code  (settings and libraries may name some)
unknown: No files, ports or telemetry seen in its code  (libraries were not read)
neutral: Accepts secrets --api-key --login ()`
	if got := said(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
