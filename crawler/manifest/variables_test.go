package manifest

import (
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

func TestParseEnvFile(t *testing.T) {
	got := must(t, ParseEnvFile, "# Key of the service\nW_API_KEY=your-key-here\n\nexport W_REGION=eu # where\n#W_DEBUG=true\nPATH=/bin\nnot a line\n")
	equal(t, []registry.Variable{{Name: "W_API_KEY", Description: "Key of the service", IsSecret: true}, {Name: "W_REGION", Description: "where", Default: "eu"}, {Name: "W_DEBUG", Default: "true"}}, got)
}

func TestParseEnvFile_comments(t *testing.T) {
	got := must(t, ParseEnvFile,
		"# Format: \"tree\" or \"json\". Defaults to \"tree\", which is\n# smaller.\n#\n"+
			"# W_FORMAT=tree\n\n# Server\n# Where it listens\nW_PORT=80\n\n"+
			"# --- Apps (optional) ---\n# Number of the app\n# - at the harbour\n# Example: 17\nW_APP=\n"+
			"# Key of the service. Required for all data.\n# Without it requests fail.\nW_KEY=\n"+
			"# REQUIRED: Site of the harbour\nW_SITE=\n# [Optional] Its zone\nW_ZONE=\n# REQUIRED: Level\nW_LEVEL=info\n"+
			"# Seconds that a request for one harbour may take, with the connection\n# (e.g. /tides).\nW_TIME=9\n")
	equal(t, []registry.Variable{
		{Name: "W_FORMAT",
			Description: "Format: \"tree\" or \"json\". Defaults to \"tree\", which is smaller.",
			Default:     "tree"},
		{Name: "W_PORT", Description: "Where it listens", Default: "80"},
		{Name: "W_APP", Description: "Number of the app"},
		{Name: "W_KEY", IsSecret: true,
			Description: "Key of the service. Required for all data. Without it requests fail."},
		{Name: "W_SITE", Description: "Site of the harbour", IsRequired: true},
		{Name: "W_ZONE", Description: "Its zone"},
		{Name: "W_LEVEL", Description: "Level", Default: "info"},
		{Name: "W_TIME", Default: "9",
			Description: "Seconds that a request for one harbour may take, with the connection (e.g. /tides)."},
	}, got)
}

func TestSourceEnvironment(t *testing.T) {
	for text, want := range map[string]string{
		`const k = process.env.TIDE_KEY`:                    "TIDE_KEY",
		`process.env["TIDE_KEY"] ?? Deno.env.get("TIDE_B")`: "TIDE_KEY TIDE_B",
		`os.environ.get("TIDE_KEY"), os.environ["TIDE_B"]`:  "TIDE_KEY TIDE_B",
		`os.getenv("TIDE_KEY")`:                             "TIDE_KEY",
		`os.Getenv("TIDE_KEY"); os.LookupEnv("TIDE_B")`:     "TIDE_KEY TIDE_B",
		`std::env::var("TIDE_KEY")`:                         "TIDE_KEY",
		`env!("TIDE_KEY")`:                                  "TIDE_KEY",
		`System.getenv("TIDE_KEY")`:                         "TIDE_KEY",
		`Environment.GetEnvironmentVariable("TIDE_KEY")`:    "TIDE_KEY",
		`ENV.fetch("TIDE_KEY")`:                             "TIDE_KEY",
		`const MAX_TIDES = 3; throw "TIDE_ERROR"`:           "",
	} {
		if got := strings.Join(SourceEnvironment([]byte(text)), " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
