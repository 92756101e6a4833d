package manifest

import (
	"strings"
	"testing"
)

func TestWithVariables(t *testing.T) {
	for address, want := range map[string]string{
		"https://${TIDE_HOST:-mcp.tides.dev}/mcp":   "https://mcp.tides.dev/mcp",
		"https://mcp.tides.dev/${TIDE_ZONE:-a}/mcp": "https://mcp.tides.dev/a/mcp",
		"https://mcp.tides.dev/${env:ZONE}/mcp":     "https://mcp.tides.dev/{ZONE}/mcp",
	} {
		if got := WithVariables(address); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}

func TestIsRemoteURL(t *testing.T) {
	for want, urls := range map[bool]string{
		true: `https://mcp.weather.dev/mcp http://weather.dev:8080/sse https://weather.dev/{tenant}/mcp
			https://WEATHER.DEV./mcp`,
		false: `http://localhost:3000/mcp https://127.0.0.1/mcp https://[::1]/mcp https://10.0.0.1/mcp
			https://server.internal/mcp https://{host}/mcp https://your-server.com/mcp https://example.com/mcp
			https://api.example.org/mcp https://<host>/mcp ftp://weather.dev/mcp https://user:pw@weather.dev/mcp
			https://YOUR_HOST.dev/mcp https://x.dev/YOUR_ID/mcp https://github.com/octo/weather/mcp
			javascript:alert(1) https://weather/mcp https://127.1/mcp https://0x7f.1/mcp https://2130706433/mcp
			https://[::ffff:127.0.0.1]/mcp https://8.8.8.8/mcp https://weather.test/mcp https://weather.example/mcp
			https://weather.invalid/mcp https://weather.onion/mcp https://weather.default.svc/mcp
			https://weather.local/mcp https://a.localhost/mcp https://nas.home.arpa/mcp https://a_b.dev/mcp
			https://weather.dev:port/mcp`,
	} {
		for u := range strings.FieldsSeq(urls) {
			if IsRemoteURL(u) != want {
				t.Errorf("IsRemoteURL(%q) is not %v", u, want)
			}
		}
	}
	if IsRemoteURL("") {
		t.Error("the empty text is a URL")
	}
}
