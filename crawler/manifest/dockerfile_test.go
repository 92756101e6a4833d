package manifest

import (
	"testing"
)

func TestParseDockerfile(t *testing.T) {
	got := must(t, ParseDockerfile, "FROM node:22 AS build\nCMD [\"build\"]\nFROM node:22-slim\nLABEL io.modelcontextprotocol.server.name=\"io.github.octo/w\" \\\n  x=y\nENV PORT 8080\nENV A=b C=\"d e\"\nEXPOSE 8080\nENTRYPOINT [\"node\", \"x.js\"]\nCMD [\"--transport\", \"sse\"]\n")
	equal(t, &Dockerfile{Labels: map[string]string{ServerNameLabel: "io.github.octo/w", "x": "y"}, Entrypoint: "node x.js --transport sse"}, got)
}
