package detect

import "testing"

func TestSuccessorIn(t *testing.T) {
	const successor = "https://github.com/octo/sea-mcp"
	for name, tt := range map[string]struct{ description, want string }{
		"none":                {"", ""},
		"a bare address":      {"This repository has moved to " + successor, successor},
		"a link":              {"Deprecated: use [sea-mcp](" + successor + ") instead.", successor},
		"what it is based on": {"A server for " + successor, ""},
		"no address":          {"Deprecated, use sea-mcp instead", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := successorIn(tt.description); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
