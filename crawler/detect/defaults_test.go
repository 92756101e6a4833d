package detect

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDefaultsOfArguments(t *testing.T) {
	all := []string{"--transport=stdio", "--port=8000"}
	for name, c := range map[string]struct {
		source string
		want   []string
	}{
		"argparse": {"p.add_argument('-t', '--transport', choices=['stdio', 'http'], default='stdio')\n" +
			"p.add_argument('--port', type=int, default=8000, help='the port (default: 80)')\n", all},
		"click": {"@click.option(\"--transport\", type=click.Choice([\"stdio\"]), default=\"stdio\",\n envvar=\"T\")\n" +
			"@click.option(\"--port\", default=8000)\n", all},
		"commander": {"program.option('-t, --transport <type>', 'the transport', 'stdio')\n" +
			"  .option('--port <n>', 'the port', 8000)\n", all},
		"flag": {"flag.String(\"transport\", \"stdio\", \"x\")\n" +
			"cmd.Flags().IntVar(&o.port, \"port\", 8000, \"x\")\n", all},
		"another default":     {"p.add_argument('--transport', default='http')\np.add_argument('--port', default=80)\n", nil},
		"two programs":        {"a.add_argument('--port', default=8000)\nb.add_argument('--port', default=80)\n", nil},
		"by a variable":       {"p.add_argument('--transport', default=os.getenv('T', 'stdio'))\n", nil},
		"choices only":        {"p.add_argument('--transport', choices=['http', 'stdio', 'sse'])\n", nil},
		"a list of options":   {"known = ['--transport', 'stdio', '--port', '8000', '--quiet']\n", nil},
		"a list of a call":    {"start(['tides', '--transport', 'stdio', '--port', '8000'])\n", nil},
		"arguments of a call": {"spawn('tides', '--transport', 'stdio', '--port', '8000', 'x')\n", nil},
		"of another option": {"o = {'--transport': {'type': str}, '--mode': {'default': 'stdio'}}\n" +
			"p = [{'name': '--port'}, {'name': 'other', 'default': 8000}]\n", nil},
		"in a text": {"print('--transport stdio, --port 8000')\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := defaultsIn(t, c.source, `"--transport", "stdio", "--port=8000"`)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestDefaultsOfFlags(t *testing.T) {
	source := "p.add_argument('--read-only', default='--quiet')\np.add_argument('--quiet', default=80)\n"
	if got := defaultsIn(t, source, `"--read-only", "--quiet"`); got != nil {
		t.Errorf("got %q: an option is no value", got)
	}
}

func defaultsIn(t *testing.T, source, args string) []string {
	d := of(t, map[string]string{"pyproject.toml": tidesProject, "tides/server.py": source,
		"README.md": "# Tides MCP server\n" + clientConfig(
			`{"command": "uvx", "args": ["tides-mcp-py", `+args+`]}`)}, nil)
	return d.Packages[0].Defaults
}
