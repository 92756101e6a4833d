package settings

import "testing"

func TestIsExample(t *testing.T) {
	for value, want := range map[string]bool{
		"http://host:port": true, "http://server/tides": true, "http://localhost:5432": false,
		"": true, "your-site": true, "my_site": true, "https://my-harbour.com": true, "mysql": false,
		"<site>": true, "${SITE}": true, "https://tides.example.com": true,
		"/path/to/folder": true, "/Users/me/notes": true, `C:\\notes`: true, "~/notes": true, "/home/me": true,
		"db://me:pw@localhost/x": true, "https://localhost:{port}": true, "https://tides.invalid": true,
		"https://tides.example:80/x": true, "https://example.dev": false,
		"me@example.com": true, "api.example.org": true, "https://acme.io/x": true, "a.test": true,
		"https://you:pw@mycompany.com:80": true, "https://tides.dev/example.comments": false,
		"sk-123": true, "[site]": true, "abc...": true,

		"contoso.onmicrosoft.com": true, "https://fabrikam.sharepoint.com/sites/x": true,
		"https://xyz-example.eu.tides.dev:6333": true, "https://examples.tides.dev": false,
		"Project1,Project2": true, "octo/repo1, octo/repo2": true, "tide1:90,tide2:90": true,
		"us-east-1,us-east-2": false, "v1,v2": false, "zone1": false, "gpt4,gpt5": false,
		"tide1,wave2": false,

		"info": false, "3306": false, "localhost": false, "/tmp": false,
		"https://api.tides.dev/v1": false,
		"us-east-1":                false, "true": false,
	} {
		if IsExample(value) != want {
			t.Errorf("IsExample(%q) is not %v", value, want)
		}
	}
}

func TestIsEnvName(t *testing.T) {
	for name, want := range map[string]bool{
		"TIDE_KEY": true, "PORT": true, "NODE_ENV": false, "HOME": false, "CI": false, "ERR_TIDE": false,
		"TIDE_NOT_FOUND": false, "RATE_LIMIT_EXCEEDED": false, "TEST_API_KEY": false, "E2E_WALLET": false,
		"YOUR_KEY": false, "tide_key": false,
	} {
		if got := IsEnvName(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
