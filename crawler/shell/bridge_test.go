package shell

import (
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
