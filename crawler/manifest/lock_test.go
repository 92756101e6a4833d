package manifest

import (
	"testing"
)

func TestLocked(t *testing.T) {
	cases := []struct{ file, text, pkg, want string }{
		{"package-lock.json", "{\n  \"packages\": {\n    \"node_modules/a\": {\n      \"version\": \"1.0.0\"\n    },\n    \"node_modules/@s/b\": {\n      \"version\": \"2.3.4\"\n", "@s/b", "2.3.4"},
		{"pnpm-lock.yaml", "packages:\n\n  '@s/b@2.3.4':\n    resolution: {}\n", "@s/b", "2.3.4"},
		{"pnpm-lock.yaml", "packages:\n  /a@1.2.3(zod@3):\n", "a", "1.2.3"},
		{"yarn.lock", "\"@s/b@^2.0.0\":\n  version \"2.3.4\"\n", "@s/b", "2.3.4"},
		{"sub/uv.lock", "[[package]]\nname = \"mcp\"\nversion = \"1.9.0\"\n", "mcp", "1.9.0"},
		{"go.sum", "x.org/a v1.0.0 h1:=\nx.org/a v1.2.0 h1:=\nx.org/a v1.3.0/go.mod h1:=\n", "x.org/a", "v1.2.0"},
		{"Cargo.lock", "[[package]]\nname = \"rmcp\"\nversion = \"0.8.1\"\n", "rmcp", "0.8.1"},
		{"composer.lock", "  {\n \"name\": \"mcp/sdk\",\n \"version\": \"v0.1\",\n", "mcp/sdk", "v0.1"},
		{"Gemfile.lock", "GEM\n  specs:\n    mcp (0.4.0)\n", "mcp", "0.4.0"},
		{"bun.lock", "    \"@s/b\": [\"@s/b@1.4.0\", \"\", {}],\n", "@s/b", "1.4.0"},
		{"uv.lock", "[[package]]\nname = \"other\"\nversion = \"1\"\n", "mcp", ""},
		{"notes.txt", "mcp 1.0", "mcp", ""},
	}
	for _, c := range cases {
		if got := Locked(c.file, []byte(c.text), c.pkg); got != c.want {
			t.Errorf("%s: %q, want %q", c.file, got, c.want)
		}
	}
}
