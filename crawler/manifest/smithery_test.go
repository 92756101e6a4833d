package manifest

import (
	"testing"

	"mcpcensus/crawler/shell"
	"mcpcensus/internal/registry"
)

func TestParseSmithery(t *testing.T) {
	const start = "startCommand:\n  type: stdio\n  configSchema:\n    type: object\n    required: [apiKey]\n" +
		"    properties:\n      apiKey:\n        type: string\n        description: The key\n  commandFunction: |-\n    "
	inputs := map[string]registry.Variable{"apiKey": {Description: "The key", IsRequired: true}}
	key := []registry.Variable{{Name: "W_API_KEY", Description: "The key", IsRequired: true, IsSecret: true}}
	for function, want := range map[string]Smithery{
		"(config) => ({command: 'node', args: [\"a:b.js\", `x`], env: {W_API_KEY: config.apiKey}})": {Variables: key},
		"(config) => ({command: 'node', args: [f(config.apiKey)]})":                                 {},
		"(config) => ({\"command\": 'npx', args: [\"a: b\", '-k', String(config.apiKey),]," +
			"env: {W_API_KEY: config.apiKey}});": {
			Variables: key, Launch: ClientServer{Entry: shell.Entry{Command: "npx",
				Args: []string{"a: b", "-k", "${user_config.apiKey}"},
				Env:  map[string]string{"W_API_KEY": "${user_config.apiKey}"}}}},
	} {
		want.Type, want.Launch.Inputs = "stdio", inputs
		equal(t, &want, must(t, ParseSmithery, start+function+"\n"))
	}
	equal(t, &Smithery{Launch: ClientServer{Inputs: map[string]registry.Variable{}}},
		must(t, ParseSmithery, "runtime: \"python\"\n"))
}
