package shell

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/untyped"
)

func TestReadEntry(t *testing.T) {
	type table = map[string]any
	env := map[string]string{"A": "b"}
	for name, x := range map[string]struct {
		entry untyped.Object
		want  Entry
	}{
		"most clients": {
			untyped.Object{"command": "npx", "args": []any{"-y", "a"}, "env": table{"A": "b"}},
			Entry{Command: "npx", Args: []string{"-y", "a"}, Env: env}},
		"numbers and booleans": {
			untyped.Object{"command": "npx", "args": []any{"a", "--port", json.Number("8080"), int64(0), true, nil}},
			Entry{Command: "npx", Args: []string{"a", "--port", "8080", "0", "true"}}},
		"an empty argument": {
			untyped.Object{"command": "npx", "args": []any{"a", "--prefix", "", "--fast"}},
			Entry{Command: "npx", Args: []string{"a", "--prefix", "", "--fast"}}},
		"OpenCode": {
			untyped.Object{"command": []any{"npx", "a"}, "environment": table{"A": "b"}},
			Entry{Command: "npx", Args: []string{"a"}, Env: env}},
		"Zed, formerly": {
			untyped.Object{"command": table{"path": "npx", "args": []any{"a"}, "env": table{"A": "b"}}},
			Entry{Command: "npx", Args: []string{"a"}, Env: env}},
		"goose": {
			untyped.Object{"cmd": "npx", "args": []any{"a"}, "envs": table{"A": "b"}, "type": "stdio"},
			Entry{Command: "npx", Args: []string{"a"}, Env: env, Type: "stdio"}},
		"goose's remote server": {
			untyped.Object{"type": "streamable_http", "uri": "https://a.dev/mcp"},
			Entry{URL: "https://a.dev/mcp", Type: "streamable_http"}},
		"a resource": {untyped.Object{"uri": "https://a.dev/file"}, Entry{}},
		"VS Code": {
			untyped.Object{"url": "https://a.dev", "headers": table{"A": "b"}},
			Entry{URL: "https://a.dev", Headers: env}},
		"Codex": {
			untyped.Object{"url": "https://a.dev", "http_headers": table{"A": "b"}},
			Entry{URL: "https://a.dev", Headers: env}},
		"Codex, variables": {
			untyped.Object{"url": "https://a.dev", "bearer_token_env_var": "K", "http_headers": table{"A": "b"},
				"env_http_headers": table{"C": "D"}},
			Entry{URL: "https://a.dev", Headers: map[string]string{"A": "b", "C": "${D}", "Authorization": "Bearer ${K}"}}},
		"members below the transport": {
			untyped.Object{"transport": table{"type": "streamable-http", "url": "https://a.dev"},
				"auth": table{"type": "bearer", "token": "${K}"}},
			Entry{URL: "https://a.dev", Type: "streamable-http", Headers: map[string]string{"Authorization": "Bearer ${K}"}}},
		"names of variables": {
			untyped.Object{"command": "a", "env": table{"A": "b"}, "env_keys": []any{"A", "C"}, "env_vars": []any{table{"name": "D"}}},
			Entry{Command: "a", Env: map[string]string{"A": "b", "C": "${C}", "D": "${D}"}}},
		"lists": {
			untyped.Object{"url": "https://a.dev", "env": []any{"A=b", "C", "not a name"},
				"headers": []any{table{"name": "A", "value": "b"}, table{"key": "C", "value": "d"}, "E: f:g"}},
			Entry{URL: "https://a.dev", Env: map[string]string{"A": "b", "C": "${C}"},
				Headers: map[string]string{"A": "b", "C": "d", "E": "f:g"}}},
		"options of requests": {
			untyped.Object{"url": "https://a.dev", "requestInit": table{"headers": table{"A": "b"}}},
			Entry{URL: "https://a.dev", Headers: env}},
		"OAuth": {untyped.Object{"url": "https://a.dev", "oauth": table{}},
			Entry{URL: "https://a.dev", OAuth: true}},
		"OAuth as a type": {untyped.Object{"url": "https://a.dev", "auth": "oauth"},
			Entry{URL: "https://a.dev", OAuth: true}},
		"OAuth of a client": {untyped.Object{"url": "https://a.dev", "auth": table{"CLIENT_ID": "a"}},
			Entry{URL: "https://a.dev", OAuth: true, Beside: []string{"auth.CLIENT_ID"}}},
		"OAuth, disabled": {untyped.Object{"url": "https://a.dev", "oauth": table{"enabled": false}},
			Entry{URL: "https://a.dev"}},
		"other sign-in": {untyped.Object{"url": "https://a.dev", "oauth": false, "auth": table{"type": "basic"}},
			Entry{URL: "https://a.dev"}},
		"Gemini":       {untyped.Object{"httpUrl": "https://a.dev"}, Entry{URL: "https://a.dev", Type: "http"}},
		"other values": {untyped.Object{"command": true, "url": []any{}}, Entry{}},
		"nothing":      {nil, Entry{}},
	} {
		if diff := cmp.Diff(x.want, ReadEntry(x.entry)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
