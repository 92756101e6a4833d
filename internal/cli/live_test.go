package cli

import (
	"os"
	"strings"
	"testing"
)

// live returns the registry of `make sdk-test` and a key.
func live(t *testing.T) (base, key string) {
	base, key = os.Getenv("CENSUS_SDK_TEST_URL"), os.Getenv("CENSUS_SDK_TEST_KEY")
	if base == "" || key == "" {
		t.Skip("SKIPPED: CENSUS_SDK_TEST_URL and CENSUS_SDK_TEST_KEY, which make sdk-test sets")
	}
	return base, key
}

// TestLive runs the commands against the registry.
func TestLive(t *testing.T) {
	base, key := live(t)
	for name, key := range map[string]string{"with a key": key, "without a key": ""} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, newRegistry(t))
			m.variables["CENSUS_URL"], m.variables["CENSUS_API_KEY"] = base, key
			for _, args := range []string{
				"search weather", "show octo-labs-weather-mcp", "check octo-labs/weather-mcp",
				"install octo-labs-weather-mcp --client cursor --yes",
				"install harbor-data-postgres-navigator --client codex --yes",
				"install harbor-data-postgres-navigator --client goose --yes",
				"list", "outdated", "audit",
				"uninstall octo-labs-weather-mcp --client cursor --yes",
			} {
				m.must(0, strings.Fields(args)...)
			}
			m.must(ExitNotFound, "show", "octo-labs-wether-mcp")
		})
	}
}

// TestLiveExamples runs the examples of the help against the registry.
func TestLiveExamples(t *testing.T) {
	base, key := live(t)
	m := newMachine(t, newRegistry(t))
	m.variables["CENSUS_URL"], m.variables["CENSUS_API_KEY"] = base, key
	m.variables["WEATHER_API_KEY"] = "a-key"
	for _, c := range m.program.Commands() {
		if c.Name() == "lint" || c.Name() == "mcp" {
			continue // they need a file or standard input
		}
		if c.Name() == "upgrade" { // the examples before it have uninstalled the server
			m.must(0, strings.Fields("install octo-labs-weather-mcp --client cursor --yes")...)
		}
		for example := range strings.Lines(c.Example) {
			args := strings.Fields(example)[1:] // without the name of the program
			if strings.HasSuffix(c.Name(), "install") {
				args = append(args, "--yes")
			}
			if status, _, errs := m.run(args...); status != 0 && status != exitFindings {
				t.Errorf("%s: exit status %d: %s", example, status, errs)
			}
		}
	}
}
