package cli

import (
	"slices"
	"testing"

	"mcpcensus/internal/install"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestSecretsOf(t *testing.T) {
	for name, tt := range map[string]struct {
		entry string
		want  []string
	}{
		"variables and headers": {`"env": {"A": "hunter-22", "B": "short"}, "headers": {"X": "hunter-33"}`,
			[]string{"hunter-22", "hunter-33"}},
		"placeholders": {`"env": {"A": "${KEY_OF_A}"}, "args": ["--api-key", "${input:key}"]`, nil},
		"options": {`"args": ["--api-key=abcdef1", "--token", "abcdef2", "--keyboard=english", "--verbose", "--folder", "/home/me"]`,
			[]string{"abcdef1", "abcdef2"}},
		"words that end in key": {`"args": ["run", "--name", "valkey", "valkey:latest", "--hotkey", "control", "--apikey", "abcdef1"]`,
			[]string{"abcdef1"}},
		"option without a value":   {`"args": ["--token", "--verbose"]`, nil},
		"variables of a container": {`"args": ["run", "-e", "DB_PASSWORD=abcdef1", "-e", "DB_NAME=customers"]`, []string{"abcdef1"}},
		"headers of a bridge": {`"args": ["mcp-remote", "--header", "Authorization: Bearer abcdef1", "--header", "X-Api-Key:abcdef2", "Authorization:Basic abcdef3"]`,
			[]string{"Basic abcdef3", "Bearer abcdef1", "abcdef1", "abcdef2", "abcdef3"}},
		"marked tokens": {`"args": ["sk-abcdef123456"], "command": "x ghp_abcdef123456"`,
			[]string{"ghp_abcdef123456", "sk-abcdef123456"}},
		"addresses": {`"url": "https://tides.dev/mcp?zone=north1&api_key=abcdef1", "args": ["postgres://me:abcdef%212@db/tides", "--db=mysql://me:abcdef3@db/x"]`,
			[]string{"abcdef%212", "abcdef1", "abcdef3"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := secretsOf(place{install.Place{Kind: install.KindJSON, Section: "s"}},
				[]byte(`{"s": {"a": {`+tt.entry+`}}}`))
			slices.Sort(got)
			if d := cmp.Diff(tt.want, slices.Compact(got), cmpopts.EquateEmpty()); d != "" {
				t.Error(d)
			}
		})
	}
}
