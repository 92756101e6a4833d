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
		"scripts": {`"command": "bash", "args": ["-c", "KEY_OF_A=1 API_KEY='a b\"cd' TOKEN=ab1 npx x && export DB_PASSWORD=\"abcdef2\"; curl -H 'Authorization: Bearer abcdef3' -u me:abcdef4 https://x.example"]`,
			[]string{"Bearer abcdef3", "a b\"cd", "ab1", "abcdef2", "abcdef3", "me:abcdef4"}},
		"scripts in scripts": {`"command": "cmd", "args": ["/c", "bash -lc \"sh -c 'TOKEN=abcdef1 x'\" && set API_KEY=abcdef2&& npx x --password abcdef3"]`,
			[]string{"abcdef1", "abcdef2", "abcdef3"}},
		"PowerShell": {`"command": "pwsh", "args": ["-c", "$env:API_KEY = 'abcdef1'; $env:TOKEN='abcdef2'; npx x"]`, []string{"abcdef1", "abcdef2"}},
		"script with a syntax error": {`"command": "sh", "args": ["-c", "TOKEN=abcdef1 npx x --password abcdef2 ) && API_KEY='abcdef3' y"]`,
			[]string{"abcdef1", "abcdef2", "abcdef3"}},
		"short options": {`"command": "npx", "args": ["-p", "package", "server", "-p", "abcdef1", "-P", "8080", "-u", "me:abcdef2", "-pabc1!", "-port", "--p"]`,
			[]string{"abc1!", "abcdef1", "me:abcdef2"}},
		"options of docker": {`"command": "docker", "args": ["run", "-p", "8080:80", "-u", "1000:1000", "-e", "A_KEY=abcdef1", "o/x@sha256:0123456789012345678901234567890123456789012345678901234567890abc"]`,
			[]string{"abcdef1"}},
		"headers in parts":  {`"args": ["--header=Authorization: Bearer abcdef1", "Authorization:", "Bearer", "abcdef2", "X-Y: Basic abcdef3"]`, []string{"Bearer abcdef1", "abcdef1", "abcdef2", "abcdef3"}},
		"nested members":    {`"requestInit": {"headers": {"X-A": "abcdef1"}}, "headers": [{"name": "X-Key", "value": "abcdef2"}], "oauth": {"clientSecret": "abcdef3", "clientId": "mine"}`, []string{"abcdef1", "abcdef2", "abcdef3"}},
		"JSON in arguments": {`"args": ["--config", "{\"apiKey\": \"abcdef1\", \"zone\": \"north\"}"], "env": {"CREDENTIALS": "{\"a\": \"abcdef2\"}"}`, []string{"abcdef1", `{"a": "abcdef2"}`}},
		"short secrets":     {`"env": {"DB_PASSWORD": "abc", "AUTH": "true", "PIN": 4711}`, []string{"4711", "abc"}},
		"generated words": {`"url": "https://x.example/s/3f9a0c1d5e7b2a4f6c8d/mcp?x=8d3f9a0c1d5e7b2a4f6c", "args": ["9a0c1d5e7b2a4f6c8d3f"]`,
			[]string{"3f9a0c1d5e7b2a4f6c8d", "8d3f9a0c1d5e7b2a4f6c", "9a0c1d5e7b2a4f6c8d3f"}},
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

// TestMask hides secrets in all spellings of files.
func TestMask(t *testing.T) {
	for text, want := range map[string]string{
		`"a": "x&y<z1"`:              `"a": "••••••"`,
		`"a": "x\u0026y\u003cz1"`:    `"a": "••••••"`,
		`"a": "1", "p": "abc", abcd`: `"a": "1", "p": "••••••", abcd`,
		"-  l'ine one":               "-  ••••••",
		"'l''ine one'":               "'••••••'",
		`"https://u:p4s1@x.example"`: `"https://u:••••••@x.example"`,
		"redis://:123@h/0 a:123@b":   "redis://:••••••@h/0 a:123@b",
		"db://u:${PW}@h, db://u:on@": "db://u:${PW}@h, db://u:••••••@",
		"+ second":                   "+ ••••••",
		"env: {KEY: abc}, [abc]":     "env: {KEY: ••••••}, [••••••]",
	} {
		if got := mask(text, []string{"x&y<z1", "l'ine one\nsecond", "abc"}); got != want {
			t.Errorf("mask(%s) = %s, want %s", text, got, want)
		}
	}
}
