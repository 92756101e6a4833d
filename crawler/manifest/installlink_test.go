package manifest

import (
	"encoding/json"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseInstallLink(t *testing.T) {
	for _, link := range []string{
		"vscode:mcp/install?%7B%22name%22%3A%22fs%22%2C%22type%22%3A%22stdio%22%2C%22command%22%3A%22npx%22%2C%22args%22%3A%5B%22-y%22%2C%22a-mcp%22%5D%7D",
		"https://vscode.dev/redirect/mcp/install?name=fs&config=%7B%22command%22%3A%22npx%22%2C%22args%22%3A%5B%22-y%22%2C%22a-mcp%22%5D%7D",
		"https://insiders.vscode.dev/redirect?url=vscode%3Amcp%2Finstall%3F%257B%2522name%2522%253A%2522fs%2522%252C%2522command%2522%253A%2522npx%2522%252C%2522args%2522%253A%255B%2522-y%2522%252C%2522a-mcp%2522%255D%257D",
		"cursor://anysphere.cursor-deeplink/mcp/install?name=fs&config=eyJjb21tYW5kIjoibnB4IiwiYXJncyI6WyIteSIsImEtbWNwIl19",
		"goose://extension?cmd=npx&arg=-y&arg=a-mcp&name=fs",
	} {
		c, ok := ParseInstallLink(link)
		if !ok || c.Name != "fs" || c.Command != "npx" || len(c.Args) != 2 || c.Args[1] != "a-mcp" {
			t.Errorf("%s\n  got %+v (%v)", link, c, ok)
		}
	}
	if c, ok := ParseInstallLink("https://cursor.com/en/install-mcp?name=x&config=eyJ1cmwiOiJodHRwczovL21jcC5leGFtcGxlLmNvbS9tY3AifQ%3D%3D"); !ok || c.URL != "https://mcp.example.com/mcp" {
		t.Errorf("%+v", c)
	}
	for command, want := range map[string][]string{
		`npx -y a-mcp`: {"npx", "-y", "a-mcp"},
		`npx a-mcp --header "X-Team: my team" 'b c'`: {
			"npx", "a-mcp", "--header", "X-Team: my team", "b c",
		},
		`C:\node\npx.cmd -y a-mcp`: {`C:\node\npx.cmd`, "-y", "a-mcp"},
	} {
		config, _ := json.Marshal(map[string]string{"command": command})
		c, ok := ParseInstallLink("cursor://x/mcp/install?config=" + url.QueryEscape(string(config)))
		if d := cmp.Diff(want, append([]string{c.Command}, c.Args...)); !ok || d != "" {
			t.Errorf("%s: %v, (-want +got)\n%s", command, ok, d)
		}
	}
	for _, link := range []string{"", "https://x.dev/", "vscode:mcp/install?%7B", "cursor://x/mcp/install?config=%%%", "https://x.dev/install?config=e30"} {
		if c, ok := ParseInstallLink(link); ok {
			t.Errorf("%q: got %+v", link, c)
		}
	}
}
