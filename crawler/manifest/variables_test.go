package manifest

import (
	"testing"

	"mcpcensus/internal/registry"
)

func TestParseEnvFile(t *testing.T) {
	got := must(t, ParseEnvFile, "# Key of the service\nW_API_KEY=your-key-here\n\nexport W_REGION=eu # where\n#W_DEBUG=true\nPATH=/bin\nnot a line\n")
	equal(t, []registry.Variable{{Name: "W_API_KEY", Description: "Key of the service", IsSecret: true}, {Name: "W_REGION", Description: "where", Default: "eu"}, {Name: "W_DEBUG", Default: "true"}}, got)
	for name, secret := range map[string]bool{"GITHUB_TOKEN": true, "DB_PASSWORD": true, "OPENAI_API_KEY": true, "APIKEY": true, "MAX_TOKENS": false, "AWS_REGION": false, "KEY_ID": false, "AUTHOR": false, "AWS_ACCESS_KEY_ID": false, "PUBLIC_KEY": false} {
		if LooksSecret(name) != secret {
			t.Errorf("LooksSecret(%s) is not %v", name, secret)
		}
	}
}

func TestIsExample(t *testing.T) {
	for value, want := range map[string]bool{
		"": true, "your-site": true, "<site>": true, "${SITE}": true, "https://tides.example.com": true,
		"/path/to/folder": true, "/Users/me/notes": true, `C:\\notes`: true, "~/notes": true, "/home/me": true,
		"db://me:pw@localhost/x": true, "sk-123": true, "[site]": true, "abc...": true,
		"info": false, "3306": false, "localhost": false, "https://api.tides.dev/v1": false, "/tmp": false,
		"us-east-1": false, "true": false,
	} {
		if IsExample(value) != want {
			t.Errorf("IsExample(%q) is not %v", value, want)
		}
	}
}
