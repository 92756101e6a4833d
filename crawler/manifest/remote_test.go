package manifest

import (
	"testing"
)

func TestIsRemoteURL(t *testing.T) {
	for u, want := range map[string]bool{
		"https://mcp.weather.dev/mcp": true, "http://weather.dev:8080/sse": true, "https://weather.dev/{tenant}/mcp": true,
		"http://localhost:3000/mcp": false, "https://127.0.0.1/mcp": false, "https://[::1]/mcp": false, "https://10.0.0.1/mcp": false, "https://server.internal/mcp": false, "https://{host}/mcp": false,
		"https://your-server.com/mcp": false, "https://example.com/mcp": false, "https://api.example.org/mcp": false, "https://<host>/mcp": false, "ftp://weather.dev/mcp": false, "https://user:pw@weather.dev/mcp": false,
		"https://YOUR_HOST.dev/mcp": false, "https://x.dev/YOUR_ID/mcp": false, "https://github.com/octo/weather/mcp": false, "javascript:alert(1)": false, "": false, "https://weather/mcp": false,
	} {
		if IsRemoteURL(u) != want {
			t.Errorf("IsRemoteURL(%q) is not %v", u, want)
		}
	}
}
