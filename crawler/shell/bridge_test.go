package shell

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHeadersOfBridges(t *testing.T) {
	const bearer = "Bearer ${KEY}"
	one := map[string]string{"Authorization": bearer}
	two := map[string]string{"Authorization": bearer, "X-Zone": "north"}
	for name, c := range map[string]struct {
		words []string
		want  map[string]string
	}{
		"none":            {[]string{"npx", "-y", "mcp-remote", "https://tides.dev/mcp", "--allow-http"}, nil},
		"--header":        {[]string{"npx", "mcp-remote@1", "https://tides.dev/mcp", "--header", "Authorization: " + bearer}, one},
		"no space":        {[]string{"npx", "mcp-remote", "https://tides.dev/mcp", "--header", "Authorization:" + bearer}, one},
		"joined":          {[]string{"npx", "mcp-remote", "https://tides.dev/mcp", "--header=Authorization: " + bearer}, one},
		"before":          {[]string{"npx", "mcp-remote", "--header", "Authorization: " + bearer, "https://tides.dev/mcp"}, one},
		"twice":           {[]string{"npx", "mcp-remote", "https://tides.dev/mcp", "--header", "Authorization: " + bearer, "--header", "X-Zone: north"}, two},
		"-H":              {[]string{"uvx", "mcp-proxy", "-H", "Authorization", bearer, "https://tides.dev/mcp"}, one},
		"--headers":       {[]string{"uvx", "mcp-proxy", "--headers", "Authorization", bearer, "--headers", "X-Zone", "north", "https://tides.dev/mcp"}, two},
		"several":         {[]string{"npx", "supergateway", "--sse", "https://tides.dev/sse", "--header", "Authorization: " + bearer, "X-Zone: north"}, two},
		"JSON":            {[]string{"npx", "tides-remote", "https://tides.dev/mcp", "--headers", `{"Authorization": "Bearer ${KEY}"}`}, one},
		"bearer token":    {[]string{"npx", "supergateway", "--streamableHttp", "https://tides.dev/mcp", "--oauth2Bearer", "${KEY}"}, one},
		"installed":       {[]string{"mcp-proxy", "--headers", "Authorization", bearer, "https://tides.dev/mcp"}, one},
		"of a wrapper":    {[]string{"cmd", "/c", "npx", "mcp-remote", "https://tides.dev/mcp", "--header", "Authorization: " + bearer}, one},
		"added":           {[]string{"claude", "mcp", "add", "-t", "sse", "tides", "https://tides.dev/sse", "--header", "Authorization: " + bearer}, one},
		"added, before":   {[]string{"claude", "mcp", "add", "-H", "Authorization: " + bearer, "-H", "X-Zone: north", "tides", "https://tides.dev/sse"}, two},
		"without a value": {[]string{"npx", "mcp-remote", "https://tides.dev/mcp", "--header"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := ParseCommand(c.words[0], c.words[1:])
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, l.Endpoint.Headers); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestServedByBridges checks that a bridge which starts a server is how that server is run.
func TestServedByBridges(t *testing.T) {
	for line, want := range map[string]string{
		`npx -y supergateway --stdio "npx -y @octo/tides --deep" --port 8000`:          "@octo/tides [--deep]",
		"uvx mcpo --port 8000 -- uvx octo-tides --zone north":                          "octo-tides [--zone north]",
		"mcp-proxy --port 8000 -- npx -y @octo/tides":                                  "@octo/tides []",
		"npx -y dotenv-cli -e .env -- npx -y @octo/tides":                              "@octo/tides []",
		`goose session --with-extension "KEY=x npx -y @octo/tides"`:                    "@octo/tides []",
		`goose session --with-extension "npx -y @octo/tides" --with-builtin developer`: "@octo/tides []",
		`npx -y supergateway --stdio="npx -y @octo/tides" --port 1`:                    "@octo/tides []",
		`npx concurrently "npx -y @octo/tides" "npm run web"`:                          "concurrently [npx -y @octo/tides npm run web]",
		`npx playwright test -g "npx foo bar"`:                                         "playwright [test -g npx foo bar]",
		"npx -y supergateway --sse https://tides.dev/sse --header 'uvx evil'":          "supergateway [--sse https://tides.dev/sse --header uvx evil]",
		`npx -y supergateway --stdio "node dist/index.js"`:                             "supergateway [--stdio node dist/index.js]",
		"npx -y supergateway --sse https://tides.dev/sse --header 'A: b c'":            "supergateway [--sse https://tides.dev/sse --header A: b c]",
		"npx -y @octo/tides -- npx -y @octo/waves":                                     "@octo/tides [-- npx -y @octo/waves]",
	} {
		l, err := ParseLine(line)
		if got := fmt.Sprint(l.Identifier, " ", l.Args); err != nil || got != want {
			t.Errorf("%s: %s, %v", line, got, err)
		}
	}
}
