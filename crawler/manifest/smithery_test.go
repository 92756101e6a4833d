package manifest

import (
	"testing"

	"mcpcensus/internal/registry"
)

func TestParseSmithery(t *testing.T) {
	got := must(t, ParseSmithery, "startCommand:\n  type: stdio\n  configSchema:\n    type: object\n    required: [apiKey]\n    properties:\n      apiKey:\n        type: string\n        description: The key\n      limit:\n        type: number\n  commandFunction: |-\n    (config) => ({command: 'node', env: {W_API_KEY: config.apiKey}})\n")
	equal(t, &Smithery{Type: "stdio", Variables: []registry.Variable{{Name: "W_API_KEY", Description: "The key", IsRequired: true, IsSecret: true}}}, got)
	equal(t, &Smithery{}, must(t, ParseSmithery, "runtime: \"python\"\n"))
}
