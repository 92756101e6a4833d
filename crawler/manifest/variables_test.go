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
