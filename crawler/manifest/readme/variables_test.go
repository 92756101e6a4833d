package readme

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/settings"
	"mcpcensus/internal/registry"
)

func TestRequiredVariables(t *testing.T) {
	for text, want := range map[string]bool{
		"| Variable | Description | Default |\n|---|---|---|\n| `TIDE_CERT` | Path of a certificate, required for non-localhost deployment | `\"\"` (empty) |\n": false,
		"| Variable | Description | Default |\n|---|---|---|\n| `TIDE_CERT` | Path of a certificate | `\"\"` |\n":                                                false,
		"| Variable | Description | Default |\n|---|---|---|\n| `TIDE_CERT` | Path of a certificate (required) | - |\n":                                          true,
		"| Variable | Required | Description |\n|---|---|---|\n| `TIDE_CERT` | one of | Path of a certificate |\n":                                               false,
		"| Variable | Required | Description |\n|---|---|---|\n| `TIDE_CERT` | Yes for HTTP | Path of a certificate |\n":                                         false,
		"| Variable | Required | Description |\n|---|---|---|\n| `TIDE_CERT` | Yes | Path of a certificate, needed in HTTP mode |\n":                             true,
		"- `TIDE_CERT` (**required** in HTTP mode): path of a certificate\n":                                                                                     false,
		"- `TIDE_CERT`: path of a certificate, must be set when the server is on the network\n":                                                                  false,
		"- `TIDE_CERT`: path of a certificate. The server refuses to start in HTTP mode without it.\n":                                                           false,
		"- set `\"TIDE_CERT\": \"<path of a certificate>\"` in the file\n":                                                                                       true,
		"| Variable | Required | Default | Description |\n|---|---|---|---|\n" +
			"| `TIDE_MODE` | Yes | `fast` | How to ask |\n": false,
		"| Variable | Required | Default | Description |\n|---|---|---|---|\n" +
			"| `TIDE_MODE` | Yes | - | How to ask |\n": true,
		"| Variable | Default | Description |\n|---|---|---|\n" +
			"| `TIDE_MODE` | `fast` | (required) How to ask |\n": false,

		"- `TIDE_CERT` (required): path of a certificate\n":                   true,
		"- `TIDE_CERT`: required for authentication\n":                        true,
		"- `TIDE_CERT`: must be set. Only needed once.\n":                     true,
		"- `TIDE_URI` (required): address of an account that may only read\n": true,
		"- `TIDE_KEY` (required): key of the account, free if it is new\n":    true,
		"- `TIDE_KEY` (required): key with its optional scopes\n":             true,
		"- `TIDE_KEY`: required, in production only\n":                        false,
		"- `TIDE_KEY`: optional key of the account\n":                         false,
		"| Variable | Required | Description |\n|---|---|---|\n" +
			"| `TIDE_CERT` | HTTP only | Path of a certificate |\n": false,
		"| Variable | Required | Description |\n|---|---|---|\n" +
			"| `TIDE_CERT` | Remote only | Path of a certificate |\n": false,
		"| Variable | Mode | Required | Description |\n|---|---|---|---|\n" +
			"| `TIDE_CERT` | HTTP | Yes | Path of a certificate |\n": false,
		"| Variable | Required | Transport | Description |\n|---|---|---|---|\n" +
			"| `TIDE_CERT` | Yes | SSE mode | Path of a certificate |\n": false,
		"| Variable | Mode | Required | Description |\n|---|---|---|---|\n" +
			"| `TIDE_CERT` | stdio | Yes | Path of a certificate |\n": true,
		"| Variable | Mode | Required | Description |\n|---|---|---|---|\n" +
			"| `TIDE_CERT` | Both | Yes | Path of a certificate |\n": true,
		"### Required\n\n- `TIDE_WAIT` - Patience. Default 30 seconds\n":                     false,
		"### Required\n\n- `TIDE_WAIT` - Patience (default: generous)\n":                     false,
		"### Required\n\n- `TIDE_WAIT`: How patient it is. Default: none\n":                  false,
		"### Required\n\n- `TIDE_WAIT` - Default patience of the server\n":                   true,
		"- `TIDE_CERT` (remote servers only, see the guide): must be set before the start\n": false,
	} {
		t.Run(text, func(t *testing.T) {
			v := variablesOf(parse(t, intro+"## Configuration\n\n"+text))
			if len(v) != 1 || v[0].IsRequired != want {
				t.Errorf("want required %v: %+v", want, v)
			}
		})
	}
}

// TestSeveralInARow checks that a row describes all variables that its cell names.
func TestSeveralInARow(t *testing.T) {
	got := variablesOf(parse(t, intro+"## Configuration\n\n| Variable | Required | Description |\n"+
		"|---|---|---|\n| `TIDE_USER` / `TIDE_PASSWORD` | HTTP only | Of the account |\n"+
		"| `TIDE_ZONE` | Yes | Instead of `TIDE_AREA` |\n"))
	want := []registry.Variable{
		{Name: "TIDE_USER", Description: "Of the account"},
		{Name: "TIDE_PASSWORD", Description: "Of the account", IsSecret: true},
		{Name: "TIDE_ZONE", Description: "Instead of TIDE_AREA", IsRequired: true},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// TestDefaults covers cells with a value for each case, which contain no default.
func TestDefaults(t *testing.T) {
	for cell, want := range map[string]string{
		"`stdio`": "stdio", "stdio (local), http (remote)": "", `"fast", "slow"`: "", `"fast" or "slow"`: "",
		"8080 (HTTP)": "8080", "empty/all": "", "a,b": "a,b", `"a,b"`: "a,b",
	} {
		t.Run(cell, func(t *testing.T) {
			v := variablesOf(parse(t, intro+"## Configuration\n\n| Variable | Default | Description |\n|---|---|---|\n"+
				"| `TIDE_MODE` | "+cell+" | How to ask |\n"))
			if len(v) != 1 || v[0].Default != want {
				t.Errorf("want default %q: %+v", want, v)
			}
		})
	}
}

func TestDefaultOf(t *testing.T) {
	for text, want := range map[string]string{
		"Default account": "", "Defaults shown.": "", "Level (default info)": "info", "Default: info": "info",
		"Default 20": "20", "Default is info": "info", "How deep, default deep": "deep",
	} {
		if got := defaultOf(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestOptionalVariables(t *testing.T) {
	for text, want := range map[string]bool{
		"Optional environment variables:\n\n" +
			"- `TIDE_CERT`: path of a certificate\n": true,
		"**Optional:**\n\n| Variable | Description |\n|---|---|\n" +
			"| `TIDE_CERT` | Path of a certificate |\n": true,
		"Optional:\n\n- `TIDE_DEPTH`: how deep\n\nRequired:\n\n" +
			"- `TIDE_CERT`: path of a certificate\n": false,
		"Optional:\n\n- `TIDE_DEPTH`: how deep\n\nOther variables:\n\n" +
			"- `TIDE_CERT`: path of a certificate\n": false,
		"Optional:\n\n- `TIDE_DEPTH`: how deep\n\n### Certificates\n\n" +
			"- `TIDE_CERT`: path of a certificate\n": false,
		"- `TIDE_CERT`: Optional path\n\n### Storms\n\n| Variable | Required |\n|---|---|\n| `TIDE_CERT` | Yes |\n": true,
		"- `TIDE_CERT`: Certificates. If not set, those that are required for the harbour\n":                        true,
		"- `TIDE_CERT`: Mandatory path, automatically provided in the image\n":                                      true,
		"- `TIDE_CERT`: Optional path\n\nAdd `\"TIDE_CERT\": \"<path>\"` for the harbour.\n":                        true,
		"| Variable | Optional | Description |\n|---|---|---|\n" +
			"| `TIDE_CERT` | Yes | Path of a certificate |\n": true,
		"| Variable | Optional | Description |\n|---|---|---|\n" +
			"| `TIDE_CERT` | No | Path of a certificate |\n": false,
		"| Variable | Default | Description |\n|---|---|---|\n" +
			"| `TIDE_CERT` | Not set (stdio) | Path of a certificate |\n": true,
	} {
		t.Run(text, func(t *testing.T) {
			d := parse(t, intro+"## Configuration\n\n"+text)
			if namedBy(d, isOptional)["TIDE_CERT"] != want {
				t.Errorf("want optional %v: %+v", want, d)
			}
		})
	}
}

// TestVariablesOfAlternatives checks that variables required by only one of several alternatives
// are optional.
func TestVariablesOfAlternatives(t *testing.T) {
	const key, user = "- `TIDE_KEY` (required): the key\n\n", "- `WAVE_USER` (required): the user\n\n"
	for name, c := range map[string]struct {
		text string
		want []string // required
	}{
		"providers": {"## Providers\n\n### Tide\n\n" + key + "### Wave\n\n" + user, nil},
		"providers below a section": {"## Settings\n\n### Supported providers\n\n#### Tide\n\n" + key +
			"#### Wave\n\n" + user, nil},
		"a sentence":        {"## Forecasts\n\nChoose one of these:\n\n### Tide\n\n" + key + "### Wave\n\n" + user, nil},
		"numbers":           {"## Forecasts\n\n### Option 1: Tide\n\n" + key + "### Option 2: Wave\n\n" + user, nil},
		"one without a key": {"## Providers\n\n### Tide\n\n" + key + "### Local\n\nNothing to set.\n", nil},
		"required by each":  {"## Providers\n\n### Tide\n\n" + key + "### Wave\n\n" + key + user, []string{"TIDE_KEY"}},
		"required before":   {key + "## Providers\n\n### Tide\n\n" + key + "### Wave\n\n" + user, []string{"TIDE_KEY"}},
		"parts of one":      {"## Settings\n\n### Tide\n\n" + key + "### Wave\n\n" + user, []string{"TIDE_KEY", "WAVE_USER"}},
		"title of all":      {"# Providers of tides\n\n## Tide\n\n" + key + "## Wave\n\n" + user, []string{"TIDE_KEY", "WAVE_USER"}},
		"the only section":  {"## Providers\n\n### Tide\n\n" + key, []string{"TIDE_KEY"}},
		"another section":   {"## Providers\n\n### Tide\n\n" + key + "### Wave\n\nNone.\n\n## Users\n\n" + user, []string{"WAVE_USER"}},
		"a table of one": {"## Providers\n\n### Tide\n\n| Variable | Required |\n|---|---|\n| `TIDE_KEY` | Yes |\n\n### Wave\n\n" +
			user, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, v := range variablesOf(parse(t, intro+c.text)) {
				if v.IsRequired {
					got = append(got, v.Name)
				}
			}
			equal(t, c.want, got)
		})
	}
}

func TestVariableDefaults(t *testing.T) {
	for cell, want := range map[string]string{
		"north": "north", "`north`": "north", "(none)": "", "None": "", "-": "", "—": "", "N/A": "",
		"Not set (stdio)": "", "*(unset)*": "", "`<not set>`": "", "nonempty": "nonempty", "2 (seconds)": "2",
		"None (all zones)": "", "none, or north": "none, or north", "*(defaults)*": "", "(of the zone)": "",
		"**Required (or a certificate)**": "",
		`"north,south" see below\*`:       "north,south",
	} {
		t.Run(cell, func(t *testing.T) {
			d := parse(t, intro+"| Variable | Default |\n|---|---|\n| `TIDE_ZONE` | "+cell+" |\n")
			equal(t, []registry.Variable{{Name: "TIDE_ZONE", Default: want}}, variablesOf(d))
		})
	}
}

func TestVariableDescriptions(t *testing.T) {
	d := parse(t, "# Sea\n\nWhere it looks:\n\n1. `SEA_FOLDER` env var (path to the folder), or\n"+
		"2. `SEA_TOOLS`/`SKY_TOOLS` env vars win over everything\n3. `SEA_DEPTH`: how deep to look\n"+
		"4. `SEA_SALT` (optional) - how much salt\n5. `SEA_USER` and `SEA_ZONE`: of the account\n\n"+
		"| Variable | Required | Fallback |\n|---|---|---|\n| `SEA_PORT` | No | _(none)_ |\n\n"+
		"| Variable | Description | Example |\n|---|---|---|\n"+
		"| `SEA_PEM` | Key of the sea | `-----BEGIN SEA KEY-----\\nYourKeyHere\\n-----END SEA KEY-----\\n` |\n\n"+
		"1. Set SEA_HOST to the address of the sea when it is elsewhere: `SEA_HOST=192.168.1.9 tides`\n")
	got := map[string]string{}
	for _, v := range d.Variables {
		got[v.Name] = v.Description
	}
	equal(t, map[string]string{"SEA_FOLDER": "", "SEA_TOOLS": "", "SEA_DEPTH": "how deep to look", "SEA_SALT": "how much salt",
		"SEA_USER": "of the account", "SEA_ZONE": "of the account", "SEA_PORT": "", "SEA_PEM": "Key of the sea",
		"SEA_HOST": "The address of the sea when it is elsewhere"}, got)
}

func TestVariablesOfConfigurations(t *testing.T) {
	d := parse(t, intro+"```json\n"+`{"mcpServers": {
		"tides": {"command": "npx", "args": ["tides-mcp"], "env": {"TIDE_LEVEL": "info", "TIDE_DB": "db://me:pw@host/x",
			"TIDE_HEADERS": "{\"Authorization\": \"Bearer x\"}"}},
		"remote": {"command": "npx", "args": ["mcp-remote", "https://tides.dev/mcp"], "env": {"BRIDGE_HEADER": "x"}}}}`+
		"\n```\n\n| Variable | Default |\n|---|---|\n| `TIDE_SITE` | https://your-site.dev |\n| `TIDE_ZONE` | north |\n")
	equal(t, []registry.Variable{
		{Name: "TIDE_DB", IsSecret: true}, {Name: "TIDE_HEADERS", IsSecret: true},
		{Name: "TIDE_LEVEL"}, {Name: "TIDE_SITE"}, {Name: "TIDE_ZONE", Default: "north"},
	}, variablesOf(d))
}

// TestVariablesOfSpecialSections checks that a section about building the server does not make a
// variable optional that users set in the ordinary case.
func TestVariablesOfSpecialSections(t *testing.T) {
	config := "```json\n{\"mcpServers\": {\"tides\": {\"command\": \"npx\", \"args\": [\"tides-mcp\"], " +
		"\"env\": {\"TIDE_KEY\": \"your_key_here\"}}}}\n```\n\n"
	building := "## Development\n\n```bash\nTIDE_KEY=your_key_here\nTIDE_DEBUG=true\n```\n"
	equal(t, map[string]bool{"TIDE_DEBUG": true}, namedBy(parse(t, intro+config+building), isOptional))
	equal(t, map[string]bool{"TIDE_KEY": true, "TIDE_DEBUG": true}, namedBy(parse(t, intro+building), isOptional))
	const said = "Set the environment variable `TIDE_KEY` to your key.\n\n"
	equal(t, map[string]bool{"TIDE_DEBUG": true}, namedBy(parse(t, intro+said+building), isOptional))
}

// TestTablesOfSpecialSections checks that a table below the heading of a way to run the server requires
// nothing of the other ones.
func TestTablesOfSpecialSections(t *testing.T) {
	d := parse(t, intro+"## Environment variables\n\n| Variable | Required | Description |\n|---|---|---|\n"+
		"| `TIDE_KEY` | Yes | Key |\n\n### HTTP mode\n\n| Variable | Required | Description |\n|---|---|---|\n"+
		"| `TIDE_TOKEN` | Yes | Token of clients |\n| `TIDE_KEY` | Yes | Key |\n")
	want := []settings.Need{settings.Required, settings.Conditional}
	var got []settings.Need
	for _, v := range d.Variables {
		got = append(got, v.Need)
	}
	equal(t, want, got)

	d = parse(t, intro+"### Docker (HTTP transport)\n\n| Variable | Required | Description |\n|---|---|---|\n"+
		"| `TIDE_KEY` | Yes | Key |\n")
	if len(d.Variables) != 1 || d.Variables[0].Need != settings.Required {
		t.Errorf("the only way: %+v", d.Variables)
	}
}

func TestVariablesOfFragments(t *testing.T) {
	d := parse(t, intro+"Choose another harbour:\n\n```json\n\"env\": {\n"+
		"  \"HARBOUR\": \"<name of the harbour>\",\n  \"TIDE_LEVEL\": \"info\"\n}\n```\n\n"+
		"```json\n{\"sea\": {\"url\": \"https://tides.dev/mcp\", \"env\": {\"SKY_LEVEL\": \"x\"}}}\n```\n")
	equal(t, []registry.Variable{{Name: "HARBOUR"}, {Name: "TIDE_LEVEL"}}, variablesOf(d))
}

func TestSettingsOtherNames(t *testing.T) {
	type result struct {
		Listed    []string
		Mentioned map[string]bool
	}
	for name, c := range map[string]struct {
		text string
		want result
	}{
		"table of errors": {"## Error codes\n\n| Code | Meaning |\n|---|---|\n| `TIDE_MISSING` | No tide |\n", result{}},
		"names that a table of errors has": {"## Error codes\n\n| Code | Meaning |\n|---|---|\n| `TIDE_GONE` | No tide |\n\n" +
			"## Help\n\n| Kind | Names | What to do |\n|---|---|---|\n| tides | `TIDE_GONE`, `TIDE_LATE` | Wait |\n",
			result{[]string{"TIDE_GONE", "TIDE_LATE"}, map[string]bool{"TIDE_GONE": true}}},
		"head of a table": {"## Help\n\n| Error | Meaning |\n|---|---|\n| `TIDE_MISSING` | No tide |\n", result{}},
		"list of events":  {"## Events\n\n- `TIDE_TURNED`: the tide has turned\n", result{}},
		"constant in a sentence": {"## Limits\n\nThe server reads at most `MAX_TIDES` of them at once.\n",
			result{[]string{"MAX_TIDES"}, map[string]bool{"MAX_TIDES": true}}},
		"variable in a sentence": {"## Limits\n\nThe environment variable `MAX_TIDES` says how many.\n",
			result{Listed: []string{"MAX_TIDES"}}},
		"described later": {"## Limits\n\nIt reads `MAX_TIDES`.\n\n- `MAX_TIDES`: how many tides\n",
			result{Listed: []string{"MAX_TIDES"}}},
	} {
		d := parse(t, intro+c.text)
		var got result
		for _, v := range d.Variables {
			got.Listed = append(got.Listed, v.Name)
		}
		got.Mentioned = namedBy(d, func(c settings.Claim) bool { return c.Weak })
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestVariablesOfSettings(t *testing.T) {
	block := "## Configuration\n\n```\n# Optional: the zone of the tides\nTIDE_ZONE=north\n\n" +
		"TIDE_TOKEN=  # Required: token of the account\n```\n"
	want := []registry.Variable{{Name: "TIDE_ZONE", Description: "The zone of the tides"},
		{Name: "TIDE_TOKEN", Description: "token of the account", IsRequired: true, IsSecret: true}}
	if d := cmp.Diff(want, variablesOf(parse(t, intro+block))); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	row := "\n| Variable | Description |\n|---|---|\n| `TIDE_ZONE` | Where the tides are |\n"
	want[0].Description = "Where the tides are"
	if d := cmp.Diff(want, variablesOf(parse(t, intro+block+row))); d != "" {
		t.Errorf("with a row (-want +got)\n%s", d)
	}
	command := "## Configuration\n\n```\nTIDE_ZONE=north npx tides\n```\n"
	if v := variablesOf(parse(t, intro+command)); len(v) > 0 {
		t.Errorf("from a command: %+v", v)
	}
}

func TestVariablesOfOptions(t *testing.T) {
	for name, c := range map[string]struct {
		table string
		want  []registry.Variable
	}{
		"column": {"| Option | Env | Default | Description |\n|---|---|---|---|\n" +
			"| `--tide-port` | `TIDE_PORT` | 8080 | Port to listen on |\n" +
			"| `--host` | `HARBOUR` | | Name of the harbour |\n",
			[]registry.Variable{{Name: "TIDE_PORT", Default: "8080", Description: "Port to listen on"},
				{Name: "HARBOUR", Description: "Name of the harbour"}}},
		"names without an underscore": {
			"| Environment variable | Description |\n|---|---|\n| HARBOUR | Name of the harbour |\n",
			[]registry.Variable{{Name: "HARBOUR", Description: "Name of the harbour"}}},
		"environments": {"| Environment | URL |\n|---|---|\n| STAGING | For tests |\n", nil},
		"in the description": {"| Option | Description |\n|---|---|\n" +
			"| --tide-port <port> | port to listen on.<br>*env* `TIDE_PORT` |\n" +
			"| --zone | Zone of the tides [env: TIDE_ZONE=] |\n" +
			"| --level | Level, see `TIDE_LEVELS` |\n",
			[]registry.Variable{{Name: "TIDE_PORT", Description: "port to listen on."},
				{Name: "TIDE_ZONE", Description: "Zone of the tides"}}},
	} {
		t.Run(name, func(t *testing.T) {
			equal(t, c.want, variablesOf(parse(t, intro+"## Configuration\n\n"+c.table)))
		})
	}
}

// TestExplainedVariables reads descriptions in headings, sentences and comments in code.
func TestExplainedVariables(t *testing.T) {
	const known = "```json\n{\"mcpServers\": {\"tides\": {\"command\": \"npx\", \"args\": [\"tides-mcp\"], " +
		"\"env\": {\"TIDE_ZONE\": \"<zone>\"}}}}\n```\n\n"
	type result struct {
		Description string
		Optional    bool
	}
	for text, want := range map[string]result{
		"#### `TIDE_ZONE` (optional)\n\n- The zone of the tides\n- Default: north\n": {"The zone of the tides", true},
		"#### TIDE_ZONE\n\nThe zone. Only required if there are several.\n":          {"The zone. Only required if there are several.", true},
		"#### TIDE_ZONE\n\nSets the zone of the tides.\n":                            {"Sets the zone of the tides.", false},
		"- (Optional) `TIDE_ZONE`: the zone of the tides\n":                          {"The zone of the tides", true},
		"- [Optional] `TIDE_ZONE` - the zone of the tides\n":                         {"The zone of the tides", true},
		"- Zone of the tides (`TIDE_ZONE`)\n":                                        {"Zone of the tides", false},
		"- Zone: Set `TIDE_ZONE` to the zone of your harbour.\n":                     {"The zone of your harbour", false},
		"You can set the `TIDE_ZONE` environment variable to choose another zone (north if not set).\n": {
			"Choose another zone", false},
		"Set `TIDE_ZONE` to `true` to ask for all zones.\n":                          {"True to ask for all zones", false},
		"```bash\nexport TIDE_ZONE=north  # zone of the tides\nnpx tides-mcp\n```\n": {"Zone of the tides", false},
		"```\n{\n  \"TIDE_ZONE\": \"north\", // zone of the tides\n}\n```\n":         {"Zone of the tides", false},
		"```bash\nexport TIDE_ZONE=north  # Linux and macOS\nnpx tides-mcp\n```\n":   {"", false},
		"See `TIDE_ZONE`.\n": {"", false},
		"Set `TIDE_ZONE` to a higher value if it is low.\n": {"", false},
		"Set `TIDE_ZONE` to false in your environment.\n":   {"", false},
	} {
		t.Run(text, func(t *testing.T) {
			d := parse(t, intro+known+text)
			got := result{Optional: namedBy(d, isOptional)["TIDE_ZONE"]}
			for _, v := range d.Variables {
				if v.Name == "TIDE_ZONE" {
					got.Description = v.Description
				}
			}
			equal(t, want, got)
		})
	}
}

func TestConditionalRequirements(t *testing.T) {
	for text, want := range map[string]bool{
		"Key of the harbour (required)":                      true,
		"Required for all data of the harbour":               true,
		"ID of the search (required with TIDE_KEY)":          false,
		"Role with access to the required harbours":          false,
		"Tools that ask first (`--confirmation-required`)":   false,
		"This key is required":                               true,
		"Required for evals only":                            false,
		"Key of the harbour, required together with a token": false,
		"Handling of certificates when required":             false,

		"(required): key. If unset, some zones are optional.":         true,
		"Required. Names of the harbours are optional.":               true,
		"Required. If it is a guest key, a header is optional.":       true,
		"Required. Depths (when given) default to 5.":                 true,
		"Required. Unless you are a guest, a zone is mandatory.":      true,
		"Name. A second header is required.":                          false,
		"Name; the key is required.":                                  true,
		"Name. It is required.":                                       true,
		"Name of a, b, and c is required.":                            true,
		"Required. Optional for HTTP.":                                false,
		"Key. Names must be set only when boxes have them. Required.": true,
	} {
		got := variablesOf(parse(t, "# Tides\n\n## Environment variables\n\n- `TIDE_KEY`: "+text+"\n"))
		if len(got) != 1 || got[0].IsRequired != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

func TestRequiredByDefaults(t *testing.T) {
	for cell, want := range map[string]bool{"**Required**": true, "(required)": true, "Required if offline": false, "north": false, "": false} {
		got := variablesOf(parse(t,
			"# Tides\n\n## Configuration\n\n| Environment variable | Description | Default |\n|---|---|---|\n"+
				"| `TIDE_ZONE` | Zone of the harbour | "+cell+" |\n"))
		if len(got) != 1 || got[0].IsRequired != want {
			t.Errorf("%s: %+v", cell, got)
		}
	}
}

// TestAlternativeNeeds checks that what one of two ways needs stays in configurations.
func TestAlternativeNeeds(t *testing.T) {
	d := parse(t, intro+"| Variable | Description | Default |\n|---|---|---|\n"+
		"| `TIDE_USER` | Name of a user | **Required (or a certificate)** |\n")
	if len(d.Variables) != 1 || d.Variables[0].Need != settings.Conditional {
		t.Errorf("%+v", d.Variables)
	}
}

func TestWordsInCapitals(t *testing.T) {
	for item, want := range map[string]int{
		"`FILE` create requires the content of the file": 0,
		"`FILE`: the file with the tides":                1,
		"`FILE` (optional) - the file with the tides":    1,
		"`TIDE_FILE` has the tides of the harbour":       1,
	} {
		if got := variablesOf(parse(t, "# Tides\n\n## Configuration\n\n- "+item+"\n")); len(got) != want {
			t.Errorf("%s: %+v", item, got)
		}
	}
}

func TestOptionalFile(t *testing.T) {
	d := parse(t, "# Tides\n\n## Configuration\n\n- `TIDE_KEY`: the key\n\nOptional `.env` (if running locally):\n\n```sh\nTIDE_KEY=your-key\n```\n")
	if namedBy(d, isOptional)["TIDE_KEY"] {
		t.Error("the variable is optional because the file is")
	}
}

// variablesOf returns the variables of a README.
func variablesOf(d *Document) (out []registry.Variable) {
	for _, c := range d.Variables {
		c.IsRequired = c.Need == settings.Required
		out = append(out, c.Variable)
	}
	return out
}

// namedBy returns the names in the claims of a README for which is reports true, nil for none.
func namedBy(d *Document, is func(settings.Claim) bool) map[string]bool {
	var names map[string]bool
	for _, c := range d.Variables {
		if is(c) {
			if names == nil {
				names = map[string]bool{}
			}
			names[c.Name] = true
		}
	}
	return names
}

func isOptional(c settings.Claim) bool {
	return c.Need == settings.Optional || c.Need == settings.Conditional
}

func TestStatedDefaults(t *testing.T) {
	for text, want := range map[string]string{
		"(optional, default: 20): rows":               "20",
		"(default: `20`): rows":                       "20",
		"(default 20): rows":                          "20",
		"rows, defaults to 20":                        "20",
		"rows. Default is 20.":                        "20",
		"rows. Defaults to 1.5.":                      "1.5",
		"address, default: https://tides.dev/v1":      "https://tides.dev/v1",
		"(default: the rows of the harbour)":          "",
		"rows, defaults to the rows of the harbour":   "",
		"rows. A second harbour defaults to 5.":       "",
		"(default: none)":                             "",
		"rows by default":                             "",
		"default rows 20":                             "",
		"address, default: https://example.com/tides": "",
	} {
		got := variablesOf(parse(t, "# Tides\n\n## Environment variables\n\n- `TIDE_ROWS` "+text+"\n"))
		if len(got) != 1 || got[0].Default != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// TestEmptyCells checks that an empty cell of a column about what is required states nothing.
func TestEmptyCells(t *testing.T) {
	for cell, want := range map[string]settings.Need{
		"": settings.Unstated, "yes": settings.Required, "no": settings.Optional,
		"Yes\\*": settings.Conditional, "Yes†": settings.Conditional, "**Yes**": settings.Required,
		"HTTP only": settings.Conditional, "Yes (http)": settings.Conditional, "yes (secret)": settings.Required,
	} {
		d := parse(t, "# Tides\n\n| Variable | Required | Description |\n|---|---|---|\n"+
			"| `TIDE_ZONE` | "+cell+" | The zone |\n")
		if len(d.Variables) != 1 || d.Variables[0].Need != want {
			t.Errorf("%q: %+v, want need %v", cell, d.Variables, want)
		}
	}
}

// TestStatesOfNames checks states in brackets after a name in a sentence, and words in capitals.
func TestStatesOfNames(t *testing.T) {
	for text, want := range map[string]settings.Need{
		"`TIDE_ZONE`（可选）所在的区域。":                                          settings.Optional,
		"`TIDE_ZONE` (required) is the zone.":                            settings.Required,
		"The variable `TIDE_ZONE` is the zone.":                          settings.Unstated,
		"- `--zone Z`: Required zone, with `--tides` (env: `TIDE_ZONE`)": settings.Unstated,
	} {
		d := parse(t, "# Tides\n\n"+text+"\n")
		if len(d.Variables) != 1 || d.Variables[0].Need != want {
			t.Errorf("%s: %+v, want need %v", text, d.Variables, want)
		}
	}
	d := parse(t, "# Tides\n\n## Styles\n\n- `CLASSIC` - as in books\n- `SHARP` - with edges\n- `SHARP_THIN` - both\n\n"+
		"Edges:\n\n- `SHARP` - with edges\n")
	for _, v := range d.Variables {
		if !v.Weak {
			t.Errorf("a word of a list: %+v", v)
		}
	}
}

// TestOptionalSection checks that a configuration in an optional section is of a special case.
func TestOptionalSection(t *testing.T) {
	const conf = "```json\n{\"mcpServers\": {\"tides\": {\"command\": \"npx\", \"args\": [\"-y\", \"tides-mcp\"]}}}\n```\n"
	d := parse(t, intro+"## Setup\n\n"+conf+"\n<details>\n<summary>With a model (Optional)</summary>\n\n"+conf+"\n</details>\n")
	if len(d.Servers) != 2 || d.Servers[0].Special || !d.Servers[1].Special {
		t.Errorf("%+v", d.Servers)
	}
}
