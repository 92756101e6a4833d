package cli

import (
	"os"
	"strings"
	"testing"
)

// TestLive runs the commands against the registry of `make sdk-test`.
func TestLive(t *testing.T) {
	base, key := os.Getenv("CENSUS_SDK_TEST_URL"), os.Getenv("CENSUS_SDK_TEST_KEY")
	if base == "" || key == "" {
		t.Skip("SKIPPED: CENSUS_SDK_TEST_URL and CENSUS_SDK_TEST_KEY, which make sdk-test sets")
	}
	for name, key := range map[string]string{"with a key": key, "without a key": ""} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, newRegistry(t))
			m.variables["CENSUS_URL"], m.variables["CENSUS_API_KEY"] = base, key
			for _, args := range []string{
				"search weather", "show octo-labs-weather-mcp", "check octo-labs/weather-mcp",
				"compare octo-labs-weather-mcp harbor-data-postgres-navigator",
				"install octo-labs-weather-mcp --client cursor --yes",
				"install harbor-data-postgres-navigator --client codex --yes",
				"install harbor-data-postgres-navigator --client goose --yes",
				"list", "outdated", "audit",
				"uninstall octo-labs-weather-mcp --client cursor --yes",
			} {
				m.must(0, strings.Fields(args)...)
			}
			m.must(exitNotFound, "show", "octo-labs-wether-mcp")
		})
	}
}
