package install

import (
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

func TestKey(t *testing.T) {
	configured := func(keys ...string) []registry.Package {
		p := registry.Package{RegistryType: "npm", Identifier: "tides"}
		for _, k := range keys {
			p.Configurations = append(p.Configurations, registry.Configuration{Key: k, Command: "npx"})
		}
		return []registry.Package{p}
	}
	for name, c := range map[string]struct {
		server registry.Server
		want   string
	}{
		"as the README has it":    {registry.Server{Packages: configured("Octo Tides")}, "octo-tides"},
		"as the README spells it": {registry.Server{Packages: configured("tidesApi")}, "tidesApi"},
		"underscores":             {registry.Server{Packages: configured("octo_tides")}, "octo_tides"},
		"remote": {registry.Server{Remotes: []registry.Remote{{URL: "https://weather.dev/mcp",
			Key: "weather"}}}, "weather"},
		"package and remote": {registry.Server{Packages: configured("tides"),
			Remotes: []registry.Remote{{URL: "https://weather.dev/mcp", Key: "weather"}}}, "tides"},
		"another package": {registry.Server{Packages: append([]registry.Package{{RegistryType: "npm", Identifier: "tides"}},
			configured("tides")...)}, "tides"},
		"remote of an example": {registry.Server{Remotes: []registry.Remote{{URL: "https://weather.dev/mcp",
			Key: "todos"}}}, "weather-mcp"},
		"README says nothing":   {registry.Server{Packages: configured("mcp-server", "tides")}, "tides"},
		"README has an example": {registry.Server{Packages: configured("todos")}, "weather-mcp"},
		"digits":                {registry.Server{Repo: registry.Repository{Owner: "octo", Name: "12306-mcp"}}, "12306-mcp"},
		"repository":            {registry.Server{}, "weather-mcp"},
		"folder":                {registry.Server{Subfolder: "packages/tides"}, "tides"},
		"folder, and the README": {
			registry.Server{Subfolder: "packages/tides", Packages: configured("octo-tides")}, "octo-tides",
		},
		"README of another folder": {
			registry.Server{Subfolder: "packages/waves", Packages: configured("octo-tides")}, "waves",
		},
		"name with the words of the folder": {
			registry.Server{Subfolder: "apps/mcp-tides", Name: "Octo Tides"}, "octo-tides",
		},
		"another name": {registry.Server{Subfolder: "apps/tide-tables", Name: "Octo Tides"}, "tide-tables"},
		"README of a folder that says nothing": {
			registry.Server{Subfolder: "packages/mcp-server", Packages: configured("octo-tides")}, "octo-tides",
		},
		"folder that says nothing": {registry.Server{Subfolder: "packages/mcp-server"}, "weather-mcp"},
		"repository that says nothing": {
			registry.Server{Repo: registry.Repository{Owner: "Octo", Name: "agent-toolkit"}}, "octo",
		},
		"long": {registry.Server{Packages: configured("octo.forecasts-of-tides-and-waves-mcp-server")},
			"octo-forecasts-of-tides-and-wave"},
		"nothing": {registry.Server{Repo: registry.Repository{Owner: "", Name: "mcp"}}, "server"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.server.Repo.Name == "" {
				c.server.Repo = registry.Repository{Owner: "octo", Name: "weather-mcp"}
			}
			if got := Key(&c.server); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// The configuration for clients in general has nothing that only some of them
// expand.
func TestJSONExpandsNothing(t *testing.T) {
	s := &registry.Server{Repo: registry.Repository{Owner: "octo", Name: "weather-mcp"},
		Packages: []registry.Package{{RegistryType: "npm", Identifier: "weather-mcp",
			EnvironmentVariables: []registry.Variable{{Name: "KEY", IsRequired: true, IsSecret: true}}}}}
	b, err := JSON(s)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"mcpServers":{"weather-mcp":{"command":"npx","args":["-y","weather-mcp"],"env":{"KEY":"YOUR_KEY"}}},`
	if !strings.HasPrefix(string(b), want) {
		t.Errorf("got %s", b)
	}
}
