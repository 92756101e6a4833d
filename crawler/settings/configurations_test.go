package settings

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func arguments(list ...string) (out []registry.Argument) {
	for _, w := range list {
		out = append(out, registry.Argument{Type: "positional", Value: w})
	}
	return out
}

func npx(env []registry.Variable, args ...registry.Argument) registry.Configuration {
	return registry.Configuration{Command: "npx", Runtime: arguments("-y"), Args: args, Env: env}
}

var (
	key    = registry.Variable{Name: "API_KEY", IsSecret: true, Placeholder: "your-key"}
	token  = registry.Variable{Name: "TOKEN", IsRequired: true, IsSecret: true}
	level  = registry.Variable{Name: "LEVEL", Value: "info"}
	zone   = registry.Variable{Name: "ZONE", Value: "north"}
	folder = registry.Argument{Type: "positional", Value: "{FOLDER}", IsRequired: true,
		Variables: map[string]registry.Variable{"FOLDER": {Placeholder: "/path/to/x", IsRequired: true}}}
)

func TestPreferred(t *testing.T) {
	env := func(list ...registry.Variable) []registry.Variable { return list }
	bun := registry.Configuration{Command: "bunx"}
	special := registry.Configuration{Command: "npx", Args: arguments("--enterprise"), Special: true}
	python := registry.Configuration{Command: "uvx", Runtime: arguments("--python", "3.11")}
	keyed := func(key string, c registry.Configuration) registry.Configuration { c.Key = key; return c }
	for name, c := range map[string]struct {
		list []registry.Configuration
		want registry.Configuration // the first
	}{
		"an entry with more words in its name": {[]registry.Configuration{keyed("tides-admin", npx(env(key), arguments("--admin")...)),
			keyed("tides", npx(nil))}, keyed("tides", npx(nil))},
		"most agree": {
			[]registry.Configuration{npx(nil, arguments("--headless")...), npx(nil), npx(nil)}, npx(nil)},
		"options of the runner as most have them": {
			[]registry.Configuration{python, {Command: "uvx"}, {Command: "uvx"}},
			registry.Configuration{Command: "uvx"}},
		"extras as most have them": {
			[]registry.Configuration{{Command: "uvx", Version: "[moon]", Env: env(key, token)}, {Command: "uvx", Env: env(key)},
				{Command: "uvx", Version: "==1.0", Env: env(key)}}, registry.Configuration{Command: "uvx", Env: env(key)}},
		"options that commands have by default": {
			[]registry.Configuration{bun, npx(nil), {Command: "npx"}}, npx(nil)},
		"examples of values": {[]registry.Configuration{npx(nil), npx(env(level))}, npx(nil)},
		"examples of values before the plain one": {
			[]registry.Configuration{npx(env(key, level)), npx(env(key))}, npx(env(key))},
		"values of a plainer command": {
			[]registry.Configuration{npx(env(level), arguments("start")...), npx(nil),
				npx(env(level), arguments("start")...)}, npx(env(), arguments("start")...)},
		"values that all have": {
			[]registry.Configuration{npx(env(level)), npx(env(level, zone))}, npx(env(level))},
		"values with what the user fills in": {
			[]registry.Configuration{npx(nil), npx(env(key, level))}, npx(env(key, level))},
		"values of another runner": {[]registry.Configuration{npx(env(level)), bun}, npx(env(level))},
		"alternative variables": {
			[]registry.Configuration{npx(env(level)), npx(env(key, token))}, npx(env(level))},
		"other arguments": {
			[]registry.Configuration{npx(env(key)), npx(env(key, level), folder)}, npx(env(key))},
		"one that leaves nothing to the user": {
			[]registry.Configuration{npx(nil), npx(env(key), folder)}, npx(env(key), folder)},
		"special case": {
			[]registry.Configuration{special, npx(nil, arguments("start")...)}, npx(nil, arguments("start")...)},
		"only special cases": {[]registry.Configuration{special}, special},
	} {
		t.Run(name, func(t *testing.T) {
			got := Preferred(c.list)
			if len(got) != len(c.list) {
				t.Fatalf("%d configurations, want %d", len(got), len(c.list))
			}
			if d := gocmp.Diff(c.want, got[0]); d != "" && len(c.want.Env)+len(got[0].Env) > 0 {
				t.Errorf("(-want +got)\n%s", d)
			}
			if d := gocmp.Diff(shape(c.want), shape(got[0])); d != "" {
				t.Errorf("command (-want +got)\n%s", d)
			}
		})
	}
}

func TestOfCommand(t *testing.T) {
	option := func(text string) registry.Argument {
		return registry.Argument{Type: "positional", Value: text, IsRequired: true,
			Variables: map[string]registry.Variable{"TOKEN": {IsRequired: true}}}
	}
	with := func(list ...registry.Configuration) []registry.Configuration { return list }
	env := func(list ...registry.Variable) []registry.Variable { return list }
	for name, c := range map[string]struct {
		p    registry.Package
		want []string // optional
	}{
		"no configuration": {registry.Package{EnvironmentVariables: env(token)}, nil},
		"an option": {
			registry.Package{Configurations: with(npx(nil, option("--token={TOKEN}")))}, []string{"TOKEN"}},
		"an option before its value": {
			registry.Package{Configurations: with(npx(nil, arguments("--api-key")[0], option("{TOKEN}")))},
			[]string{"API_KEY"}},
		"an option with a fixed value": {
			registry.Package{Configurations: with(npx(nil, arguments("--zone", "north", "--level=info")...))}, nil},
		"an option that server.json has as a variable": {
			registry.Package{Declared: registry.DeclaredInRepo, PackageArguments: arguments("--stdio", "--token"),
				EnvironmentVariables: env(token),
				Configurations:       with(npx(nil, option("--api-key={TOKEN}")))}, []string{"STDIO"}},
		"an option of server.json": {
			registry.Package{Declared: registry.DeclaredInRepo,
				PackageArguments: []registry.Argument{{Type: "named", Name: "--api-key"}}},
			[]string{"API_KEY"}},
		"alternatives": {
			registry.Package{Configurations: with(npx(env(key)), npx(env(token, level)))},
			[]string{"TOKEN"}},
		"alternatives that share a variable": {
			registry.Package{Configurations: with(npx(env(key)), npx(env(key, token)), npx(env(token)))}, nil},
		"alternatives to nothing": {
			registry.Package{Configurations: with(npx(env(level)), npx(env(token)))}, nil},
		"entry of the registry": {
			registry.Package{Declared: registry.DeclaredInRegistry, EnvironmentVariables: env(key, token),
				Configurations: with(npx(env(key)))}, []string{"TOKEN"}},
		"entry of the registry, variables only there": {
			registry.Package{Declared: registry.DeclaredInRegistry, EnvironmentVariables: env(token),
				Configurations: with(npx(nil))}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, claim := range OfCommand(c.p) {
				if claim.Source != Command || claim.Need != Optional {
					t.Errorf("claim %+v", claim)
				}
				got = append(got, claim.Name)
			}
			if d := gocmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestWithoutOptional(t *testing.T) {
	port := registry.Variable{Name: "PORT", Placeholder: "<port>"}
	conf := npx([]registry.Variable{key, level, port, token})
	claim := func(v registry.Variable, source Source, need Need) Claim {
		return Claim{Variable: registry.Variable{Name: v.Name}, Source: source, Need: need}
	}
	decided := Decide([]Claim{
		claim(key, Configuration, Optional), claim(key, Usual, Required),
		claim(port, Configuration, Optional), claim(port, Usual, Required), claim(port, Code, Optional),
		claim(token, Text, Conditional),
		claim(level, Code, Optional), claim(level, Configuration, Optional),
	})
	want := []registry.Configuration{npx([]registry.Variable{key, level, token})}
	if d := gocmp.Diff(want, WithoutOptional([]registry.Configuration{conf}, decided)); d != "" {
		t.Error(d)
	}
	if len(conf.Env) != 4 {
		t.Error("the argument has changed")
	}

	// Variables of the machine are not asked for unless a source declares them.
	user, lang := registry.Variable{Name: "USER"}, registry.Variable{Name: "LANG", Value: "C.UTF-8"}
	machine := []registry.Configuration{npx([]registry.Variable{lang, {Name: "ProgramFiles"}, user})}
	for _, c := range []struct {
		claims []Claim
		want   []registry.Variable
	}{
		{nil, []registry.Variable{lang}},
		{[]Claim{claim(user, ServerJSON, Required)}, []registry.Variable{lang, user}},
	} {
		if d := gocmp.Diff(c.want, WithoutOptional(machine, Decide(c.claims))[0].Env); d != "" {
			t.Error(d)
		}
	}

	// What a text requires in one of two ways stays beside its secret.
	name := registry.Variable{Name: "TIDE_USER", Placeholder: "<user>"}
	ways := []registry.Configuration{npx([]registry.Variable{name, token}), npx([]registry.Variable{port})}
	claims := append(OfConfigurations(ways, nil), claim(name, ServerJSON, Optional), claim(name, Text, Conditional),
		claim(token, ServerJSON, Optional), claim(token, Text, Conditional))
	if d := gocmp.Diff([]registry.Variable{name, token}, WithoutOptional(ways, Decide(claims))[0].Env); d != "" {
		t.Error(d)
	}

	// A placeholder for a value with a documented default is to be filled in; that of server.json is the value.
	written, set := claim(port, Text, Optional), claim(port, ServerJSON, Optional)
	written.Default, set.Default = "5432", "5432"
	filled := registry.Variable{Name: "PORT", Placeholder: "<port>", Value: "5432"}
	for _, c := range []struct {
		claim Claim
		others,
		want []registry.Variable
	}{
		{written, []registry.Variable{port}, []registry.Variable{port}},
		{written, nil, nil},
		{claim(port, Code, Optional), nil, nil},
		{claim(port, ClientFile, Optional), nil, []registry.Variable{port}},
		{set, []registry.Variable{port}, []registry.Variable{filled}},
	} {
		all := []registry.Configuration{npx([]registry.Variable{port}), npx(c.others)}
		claims := append(OfConfigurations(all, nil), claim(port, Configuration, Optional), c.claim)
		if d := gocmp.Diff(c.want, WithoutOptional(all, Decide(claims))[0].Env); d != "" {
			t.Error(c.claim, d)
		}
	}

	optional := registry.Variable{Name: "PLAN_ID", Placeholder: "<plan>"}
	bare := npx(nil)
	for name, c := range map[string]struct {
		others []registry.Configuration
		want   int // variables
	}{
		"a plainer one asks for the key":         {[]registry.Configuration{npx([]registry.Variable{key})}, 1},
		"a bare one asks for nothing":            {[]registry.Configuration{bare}, 2},
		"all ask for the key, which is optional": {[]registry.Configuration{npx([]registry.Variable{key})}, 1},
		"another asks for other values":          {[]registry.Configuration{npx([]registry.Variable{token})}, 2},
	} {
		all := append(c.others, npx([]registry.Variable{key, optional}))
		got := WithoutOptional(all, Decide([]Claim{claim(key, Text, Required), claim(optional, Configuration, Unstated)}))
		if env := got[len(got)-1].Env; len(env) != c.want {
			t.Errorf("%s: %v", name, env)
		}
	}
}
