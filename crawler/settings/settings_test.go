package settings

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

// claim returns a claim about TIDE_ZONE.
func claim(r rank, at int) Claim {
	return Claim{Variable: registry.Variable{Name: "TIDE_ZONE"}, Source: r.source, Need: r.need, At: at}
}

// TestRequired checks which of several claims decides.
func TestRequired(t *testing.T) {
	for name, c := range map[string]struct {
		decides rank
		others  []rank
	}{
		"declared":                        {rank{ServerJSON, Required}, nil},
		"entry in the registry":           {rank{Registry, Required}, nil},
		"server.json before the entry":    {rank{ServerJSON, Optional}, []rank{{Registry, Required}}},
		"of another package":              {rank{Others, Optional}, []rank{{ServerJSON, Required}}},
		"the text before server.json":     {rank{Text, Required}, []rank{{ServerJSON, Optional}}},
		"declared before a default":       {rank{ServerJSON, Required}, []rank{{Text, Optional}}},
		"declared before configurations":  {rank{ServerJSON, Required}, []rank{{Usual, Optional}}},
		"listed before the text":          {rank{Registry, Required}, []rank{{Text, Optional}}},
		"open in some configurations":     {rank{Usual, Conditional}, []rank{{ServerJSON, Required}}},
		"of another mode":                 {rank{Text, Conditional}, []rank{{ServerJSON, Required}}},
		"of another mode in the entry":    {rank{Text, Conditional}, []rank{{Registry, Required}}},
		"read without a fallback":         {rank{Code, Required}, []rank{{Usual, Optional}, {EnvFile, Unstated}}},
		"read with a fallback":            {rank{Code, Optional}, []rank{{Usual, Required}, {EnvFile, Unstated}}},
		"the text before the code":        {rank{Text, Optional}, []rank{{Code, Required}}},
		"open, but optional in the text":  {rank{Text, Optional}, []rank{{Usual, Required}}},
		"open in all configurations":      {rank{Usual, Required}, []rank{{Registry, Optional}}},
		"open, but declared optional":     {rank{ServerJSON, Optional}, []rank{{Usual, Required}}},
		"of an extension alone":           {rank{Extension, Required}, []rank{{EnvFile, Optional}}},
		"configurations lack it":          {rank{Usual, Optional}, []rank{{Extension, Required}}},
		"named by the text":               {rank{Text, Unstated}, []rank{{ClientFile, Required}}},
		"placeholder in a client's file":  {rank{ClientFile, Required}, []rank{{EnvFile, Optional}}},
		"the first package of several":    {rank{ServerJSON, Required}, []rank{{ServerJSON, Optional}}},
		"a comment in the example's file": {rank{EnvFile, Required}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			claims := []Claim{claim(c.decides, 0)}
			for _, o := range c.others {
				claims = append(claims, claim(o, 1))
			}
			got := Decide(claims)
			if len(got) != 1 || got[0].IsRequired != (c.decides.need == Required) {
				t.Fatalf("got %+v, want required %v", got, c.decides.need == Required)
			}
			if d := gocmp.Diff(claims[0], got[0].deciding()); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestFacts(t *testing.T) {
	v := func(source Source, v registry.Variable) Claim {
		v.Name = cmp.Or(v.Name, "TIDE_ZONE")
		return Claim{Variable: v, Source: source}
	}
	mentioned := Claim{Variable: registry.Variable{Name: "MAX_TIDES"}, Source: Text, Weak: true}
	for name, c := range map[string]struct {
		claims []Claim
		want   []registry.Variable
	}{
		"first description and default": {[]Claim{
			v(EnvFile, registry.Variable{Description: "c", Default: "3"}),
			v(Text, registry.Variable{Description: "b", Default: "2"}),
			v(ServerJSON, registry.Variable{Description: "a"}),
		}, []registry.Variable{{Name: "TIDE_ZONE", Description: "a", Default: "2"}}},
		"placeholder as a description": {[]Claim{
			v(ServerJSON, registry.Variable{Description: "your_zone_here"}),
			v(Text, registry.Variable{Description: "a"}),
		}, []registry.Variable{{Name: "TIDE_ZONE", Description: "a"}}},
		"secret of any source": {[]Claim{
			v(ServerJSON, registry.Variable{Default: "x", Value: "y"}),
			v(EnvFile, registry.Variable{IsSecret: true}),
		}, []registry.Variable{{Name: "TIDE_ZONE", IsSecret: true}}},
		"example as a default": {[]Claim{v(Text, registry.Variable{Default: "/path/to/x"})},
			[]registry.Variable{{Name: "TIDE_ZONE"}}},
		"declared example": {[]Claim{v(ServerJSON, registry.Variable{Default: "/path/to/x"})},
			[]registry.Variable{{Name: "TIDE_ZONE", Default: "/path/to/x"}}},
		"only mentioned": {[]Claim{mentioned}, nil},
		"mentioned and in a file": {[]Claim{mentioned, v(EnvFile, registry.Variable{Name: "MAX_TIDES"})},
			[]registry.Variable{{Name: "MAX_TIDES"}}},
		"mentioned and read": {[]Claim{mentioned, v(Code, registry.Variable{Name: "MAX_TIDES"})},
			[]registry.Variable{{Name: "MAX_TIDES"}}},
		"secret by its name": {[]Claim{v(Code, registry.Variable{Name: "TIDE_KEY"}),
			{Variable: registry.Variable{Name: "TIDE_KEY"}, Source: Code, Need: Required}},
			[]registry.Variable{{Name: "TIDE_KEY", IsRequired: false, IsSecret: true}}},
		"a switch, not a secret": {[]Claim{v(ServerJSON, registry.Variable{Name: "TIDE_AUTH"}),
			v(Code, registry.Variable{Name: "TIDE_AUTH", Default: "none"})},
			[]registry.Variable{{Name: "TIDE_AUTH", Default: "none"}}},
		"only read": {[]Claim{v(Code, registry.Variable{})}, nil},
		"only read, and needed": {[]Claim{claim(rank{Code, Required}, 0)},
			[]registry.Variable{{Name: "TIDE_ZONE", IsRequired: true}}},
		"only read, in code that was not read in full": {[]Claim{
			{Variable: registry.Variable{Name: "TIDE_ZONE"}, Source: Code, Need: Required, Weak: true}}, nil},
		"only of configurations": {[]Claim{v(Usual, registry.Variable{})}, nil},
		"numbered": {[]Claim{v(Text, registry.Variable{Name: "TIDE_N_ZONE"}),
			v(Text, registry.Variable{Name: "TIDE_N_KEY"}),
			v(EnvFile, registry.Variable{Name: "TIDE_1_ZONE"})},
			[]registry.Variable{{Name: "TIDE_1_ZONE"}}},
		"a switch that is named like a secret": {[]Claim{v(Text, registry.Variable{Name: "STRICT_AUTH", IsSecret: true}),
			{Variable: registry.Variable{Name: "STRICT_AUTH", Default: "false"}, Source: Code, Need: Optional}},
			[]registry.Variable{{Name: "STRICT_AUTH", Default: "false"}}},
		"modes of something named like a secret": {[]Claim{
			v(Text, registry.Variable{Name: "TIDE_AUTH", IsSecret: true, Choices: []string{"none", "oauth"}})},
			[]registry.Variable{{Name: "TIDE_AUTH", Choices: []string{"none", "oauth"}}}},
		"the end of another name": {[]Claim{v(Text, registry.Variable{Name: "TIDE_READ_ONLY", Description: "a"}),
			v(Code, registry.Variable{Name: "TIDE_READ_ONLY"}), v(Text, registry.Variable{Name: "READ_ONLY"})},
			[]registry.Variable{{Name: "TIDE_READ_ONLY", Description: "a"}}},
		"the end of another name, and read": {[]Claim{v(Text, registry.Variable{Name: "TIDE_READ_ONLY", Description: "a"}),
			v(Code, registry.Variable{Name: "TIDE_READ_ONLY"}), v(Text, registry.Variable{Name: "READ_ONLY"}),
			v(Code, registry.Variable{Name: "READ_ONLY"})},
			[]registry.Variable{{Name: "TIDE_READ_ONLY", Description: "a"}, {Name: "READ_ONLY"}}},
		"without a name": {[]Claim{{Source: Text}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []registry.Variable
			for _, s := range Decide(c.claims) {
				got = append(got, s.Variable)
			}
			if d := gocmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestOfConfigurations(t *testing.T) {
	env := func(set ...registry.Variable) registry.Configuration {
		return registry.Configuration{Env: set}
	}
	key, zone := registry.Variable{Name: "TIDE_KEY"}, registry.Variable{Name: "TIDE_ZONE"}
	set := registry.Variable{Name: "TIDE_ZONE", Value: "north"}
	type needs = map[string]Need
	for name, c := range map[string]struct {
		usual []registry.Configuration
		want  needs
	}{
		"open in all": {[]registry.Configuration{env(key, zone), env(key, zone)},
			needs{"TIDE_KEY": Required, "TIDE_ZONE": Required, "TIDE_X": Conditional}},
		"set in one": {[]registry.Configuration{env(key, set), env(key, zone)},
			needs{"TIDE_KEY": Required, "TIDE_ZONE": Optional, "TIDE_X": Conditional}},
		"lacks in one": {[]registry.Configuration{env(key, zone), env(key)},
			needs{"TIDE_KEY": Required, "TIDE_ZONE": Conditional, "TIDE_X": Conditional}},
		"for those who need it": {[]registry.Configuration{env(key,
			registry.Variable{Name: "TIDE_ZONE", Placeholder: "<your_zone_if_needed>"})},
			needs{"TIDE_KEY": Required, "TIDE_ZONE": Optional, "TIDE_X": Conditional}},
		"none": {nil, needs{"TIDE_X": Optional}},
	} {
		got := needs{}
		for _, c := range OfConfigurations(c.usual, []registry.Variable{{Name: "TIDE_X"}}) {
			got[c.Name] = c.Need
		}
		if d := gocmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: (-want +got)\n%s", name, d)
		}
	}
}

// someClaims returns claims made from random bytes, with distinct positions.
func someClaims(data []byte) (claims []Claim) {
	names := []string{"TIDE_ZONE", "TIDE_KEY", "TIDE_N_KEY", "TIDE_1_KEY", ""}
	texts := []string{"", "north", "your_zone_here", "/path/to/x"}
	for i := 0; i+2 < len(data); i += 3 {
		a, b, c := int(data[i]), int(data[i+1]), int(data[i+2])
		claims = append(claims, Claim{
			Variable: registry.Variable{Name: names[a%len(names)], Description: texts[b%4],
				Default: texts[b/4%4], IsSecret: b >= 240},
			Source: Source(c % int(Command+1)), Need: Need(a / 8 % 4), At: i, Weak: a >= 200,
		})
	}
	return claims
}

// FuzzDecide checks that the order of claims does not matter, that a claim after the one that
// decided changes nothing, and that the deciding claim is about the setting.
func FuzzDecide(f *testing.F) {
	f.Add([]byte("abcdefghi"), uint64(1))
	f.Add([]byte{0, 1, 3, 8, 5, 0, 16, 250, 9}, uint64(2))
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		claims := someClaims(data)
		want := Decide(claims)
		shuffled := slices.Clone(claims)
		rand.New(rand.NewPCG(seed, seed)).Shuffle(len(shuffled), func(i, j int) {
			shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
		})
		if d := gocmp.Diff(want, Decide(shuffled)); d != "" {
			t.Fatalf("another order: (-want +got)\n%s", d)
		}
		for _, s := range want {
			by := s.deciding()
			if s.IsRequired && (by.Need != Required || by.Name != s.Name) {
				t.Fatalf("no claim requires it: %+v", s)
			}
			if s.IsSecret && s.Default != "" {
				t.Fatalf("a secret has a default: %+v", s)
			}
			checkLower(t, claims, s)
		}
	})
}

// checkLower adds claims of lower precedence than the one that decided.
func checkLower(t *testing.T, claims []Claim, s Setting) {
	t.Helper()
	by := s.deciding()
	at := slices.Index(precedence, rank{by.Source, by.Need})
	if by.Name == "" || at < 0 {
		return
	}
	for _, p := range precedence[at+1:] {
		lower := claim(p, 1<<20)
		lower.Name = s.Name
		for _, got := range Decide(append(slices.Clone(claims), lower)) {
			if got.Name == s.Name && got.IsRequired != s.IsRequired {
				t.Fatalf("%+v changes the decision about %+v", lower, s)
			}
		}
	}
}
