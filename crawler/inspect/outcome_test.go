package inspect

import (
	"context"
	"strings"
	"testing"

	"mcpcensus/crawler/mcp"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

func TestInstallError(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"npm", `npm error code E404
npm error 404 Not Found - GET https://packages.example/weather-mcp - Not found
npm error 404
npm error 404  'weather-mcp@*' is not in this registry.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git url.
npm error A complete log of this run can be found in: /app/.home/.npm/_logs/x-debug-0.log
`, "npm error 404 'weather-mcp@*' is not in this registry."},
		{"other Python", "ERROR: Ignored the following versions that require a different python version: " +
			"1.0.0 Requires-Python >=3.13; 1.1.0 Requires-Python >=3.13\n" +
			"ERROR: Could not find a version that satisfies the requirement weather-mcp (from versions: none)\n" +
			"ERROR: No matching distribution found for weather-mcp\n", "it requires Python >=3.13"},
		{"other Python of a file", "ERROR: Package 'weather-mcp' requires a different Python: 3.11.2 not in '>=3.12'\n",
			"it requires Python >=3.12"},
		{"pip", "ERROR: No matching distribution found for weather-mcp==9\n",
			"ERROR: No matching distribution found for weather-mcp==9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := installError(strings.Split(c.text, "\n")); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestOutcome(t *testing.T) {
	p := registry.Package{EnvironmentVariables: []registry.Variable{{Name: "WEATHER_ACCOUNT"}}}
	for _, c := range []struct {
		name   string
		a      attempt
		stderr string
		want   string
		detail string
	}{
		{"exception", attempt{err: errEnded, status: 1},
			"Traceback (most recent call last):\n  File \"x.py\", line 1\nKeyError: 'x'",
			registry.InspectionCrashed, "KeyError: 'x'"},
		{"declared variable", attempt{err: errEnded, status: 1}, "Set WEATHER_ACCOUNT first",
			registry.InspectionNeedsCredentials, "Set WEATHER_ACCOUNT first"},
		{"rejected token", attempt{err: errEnded, status: 1}, "\x1b[31mInvalid access token\x1b[0m",
			registry.InspectionNeedsCredentials, "Invalid access token"},
		{"missing profile", attempt{err: errEnded, status: 1},
			"botocore.exceptions.ProfileNotFound: The config profile (x) could not be found",
			registry.InspectionNeedsCredentials,
			"botocore.exceptions.ProfileNotFound: The config profile (x) could not be found"},
		{"missing region", attempt{err: errEnded, status: 1}, "NoRegionError: You must specify a region.",
			registry.InspectionNeedsCredentials, "NoRegionError: You must specify a region."},
		{"credential in a name", attempt{err: errEnded, status: 1}, "CredentialUnavailableError: none found",
			registry.InspectionNeedsCredentials, "CredentialUnavailableError: none found"},
		{"no network", attempt{err: errEnded, status: 1},
			"Error: getaddrinfo ENOTFOUND api.weather.example\n    at node:dns:1\n\nNode.js v20",
			registry.InspectionNeedsService, "Error: getaddrinfo ENOTFOUND api.weather.example"},
		{"silent", attempt{err: context.DeadlineExceeded, status: -1}, "",
			registry.InspectionTimeout, ""},
		{"usage", attempt{err: errEnded, status: 2}, "usage: weather [--tls-key FILE] [--token T]\n" +
			"               [--api-key KEY]\n  --password P  password of the file\n" +
			"weather: error: the following arguments are required: DIRECTORY",
			registry.InspectionCrashed, "weather: error: the following arguments are required: DIRECTORY"},
		{"usage and a missing key", attempt{err: errEnded, status: 2}, "usage: weather [--zone Z]\n" +
			"weather: error: the following arguments are required: --api-key",
			registry.InspectionNeedsCredentials,
			"weather: error: the following arguments are required: --api-key"},
		{"talks of something else", attempt{err: context.DeadlineExceeded, output: true, status: -1},
			"Listening on 3000", registry.InspectionNoStdio, "Listening on 3000"},
		{"help", attempt{err: errEnded}, "", registry.InspectionNoStdio, "the server ended without a response"},
		{"memory", attempt{err: errEnded, status: exitMemory}, "killed: used more than 512 MB of memory",
			registry.InspectionCrashed, "killed: used more than 512 MB of memory"},
		{"invisible characters", attempt{err: errEnded, status: 1}, "a\u202eb\u200bc\x00 failed",
			registry.InspectionCrashed, "a<U+202E>b<U+200B>c<U+0000> failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.a.stderr = strings.Split(c.stderr, "\n")
			if got := c.a.outcome(p); got != c.want {
				t.Errorf("outcome %q, want %q", got, c.want)
			}
			if got := c.a.detail(); got != c.detail {
				t.Errorf("detail %q, want %q", got, c.detail)
			}
		})
	}
}

func TestOwnFault(t *testing.T) {
	const (
		node   = "node:internal/modules/esm/resolve:275\n"
		end    = "\n    at node:internal/x:1\n\nNode.js v22.1.0"
		python = "Traceback (most recent call last):\n  File \"/app/lib/x.py\", line 1, in <module>\n"
	)
	stdio := registry.Package{Declared: registry.DeclaredInRepo,
		Transport:            registry.PackageTransport{Type: registry.TransportStdio},
		EnvironmentVariables: []registry.Variable{{Name: "WEATHER_ACCOUNT"}}}
	crash := attempt{err: errEnded, status: 1}
	for _, c := range []struct {
		name   string
		a      attempt
		stderr string
		want   bool
	}{
		{"missing package", crash, node + "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' " +
			"imported from /app/node_modules/weather/index.js" + end, true},
		{"missing file", crash, "Error: Cannot find module '/app/node_modules/weather/dist/cli.js'" + end, true},
		{"missing export", crash, "SyntaxError: The requested module './a.js' does not provide an " +
			"export named 'b'" + end, true},
		{"not a function", crash, "TypeError: server.addTool is not a function" + end, true},
		{"missing module", crash, python + "ModuleNotFoundError: No module named 'httpx'", true},
		{"unknown argument", crash, python + "TypeError: FastMCP.__init__() got an unexpected keyword " +
			"argument 'description'", true},
		{"syntax", crash, "  File \"/app/lib/x.py\", line 3\n    def\n       ^\nSyntaxError: invalid syntax", true},
		{"silent end", attempt{err: errEnded}, "", true},
		{"silent end with an error", crash, "", true},
		{"speaks something else", attempt{err: context.DeadlineExceeded, output: true, status: -1},
			"Listening on 3000", true},
		{"answers something else", attempt{err: mcp.ErrNotMCP, output: true}, "", true},

		{"generated by a script", crash, "Error: Cannot find module '.weather/client/default'" + end, false},
		{"part of Python", crash, python + "ModuleNotFoundError: No module named '_tkinter'", false},
		{"caught", crash, "Fatal: TypeError: server.addTool is not a function", false},
		{"addon that a script builds", crash, "Error: Cannot find module '../build/Release/x.node'" + end, false},
		{"library of the system", crash, python + "ImportError: libGL.so.1: cannot open shared object file: " +
			"No such file or directory", false},
		{"missing value", crash, python + "AttributeError: 'NoneType' object has no attribute 'split'", false},
		{"missing value in Node.js", crash, "TypeError: Cannot read properties of undefined (reading 'x')" + end, false},
		{"invalid value", crash, "TypeError [ERR_INVALID_ARG_TYPE]: The \"path\" argument must be of type " +
			"string" + end, false},
		{"missing setting", crash, python + "KeyError: 'WEATHER_ACCOUNT'", false},
		{"validation", crash, python + "pydantic_core._pydantic_core.ValidationError: 1 validation error", false},
		{"read-only disk", crash, python + "OSError: [Errno 30] Read-only file system: '/data'", false},
		{"refused", crash, "Usage: weather DIRECTORY", false},
		{"no network", crash, "TypeError: fetch failed" + end, false},
		{"memory", attempt{err: errEnded, status: exitMemory}, "killed: used more than 512 MB of memory", false},
		{"killed", attempt{err: errEnded, status: 159}, "", false},
		{"silent", attempt{err: context.DeadlineExceeded, status: -1}, "", false},
		{"help", attempt{err: errEnded, output: true}, "", false},
		{"help on standard error", attempt{err: errEnded}, "weather [options] DIRECTORY", false},
		{"demands a token", attempt{err: context.DeadlineExceeded, output: true, status: -1},
			"Open this page to authenticate", false},
		{"too much output", attempt{err: mcp.ErrTooLarge, output: true}, "", false},
		{"rejected", attempt{err: errRejected, output: true}, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.a.stderr = strings.Split(c.stderr, "\n")
			if got := c.a.ownFault(c.a.outcome(stdio), stdio); got != c.want {
				t.Errorf("got %v for outcome %q", got, c.a.outcome(stdio))
			}
		})
	}
	undeclared := attempt{err: context.DeadlineExceeded, output: true, status: -1}
	if undeclared.ownFault(registry.InspectionNoStdio, registry.Package{}) {
		t.Error("a package that declares no transport must speak over standard output")
	}
}

func TestDummy(t *testing.T) {
	for name, want := range map[string]string{
		"GITHUB_TOKEN": "ghp_", "DATABASE_URL": "postgresql://", "WEATHER_API_URL": "http://127.0.0.1:9",
		"ALLOWED_DIRECTORY": emptyFolder, "PORT": "1", "DEBUG": "false", "API_KEY": "xxxx",
	} {
		got := dummy(name, install.Blank{IsSecret: strings.HasSuffix(name, "TOKEN")})
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for example, want := range map[string]string{"bolt://db.example:7687": "bolt://127.0.0.1:9",
		"<scheme>://host": "http://127.0.0.1:9"} {
		if got := dummy("db_url", install.Blank{Example: example}); got != want {
			t.Errorf("example %s: %q, want %q", example, got, want)
		}
	}
	if got := dummy("MODE", install.Blank{Choices: []string{"fast", "slow"}}); got != "fast" {
		t.Errorf("choice %q", got)
	}
}

func TestRunnable(t *testing.T) {
	for _, c := range []struct{ launch, want string }{
		{"npx -y weather-mcp@1.0.0 --stdio", "npx -y weather-mcp@1.0.0 --stdio"},
		{"bunx weather-mcp", "npx -y weather-mcp"},
		{"uvx weather-mcp==1.0 run", "/app/lib/bin/weather-mcp run"},
		{"uvx --python 3.12 --from weather==1 weather-server -v", "/app/lib/bin/weather-server -v"},
		{"uvx -q weather-mcp[sea]@1.0", "/app/lib/bin/weather-mcp"},
		{"uvx --index-url https://weather.dev/simple weather-mcp", "/app/lib/bin/weather-mcp"},
		{"uvx server run", "/app/lib/bin/server run"},
	} {
		words := strings.Fields(c.launch)
		got, err := runnable(install.Launch{Command: words[0], Args: words[1:]})
		if text := strings.Join(append([]string{got.Command}, got.Args...), " "); err != nil ||
			text != c.want {
			t.Errorf("%s: %q, %v, want %q", c.launch, text, err, c.want)
		}
	}
	for _, l := range []install.Launch{{Command: "docker"}, {Command: "uvx", Args: []string{"-q"}}} {
		if got, err := runnable(l); err == nil {
			t.Errorf("%v runs as %v", l, got)
		}
	}
}
