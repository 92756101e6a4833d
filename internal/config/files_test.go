package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSecretFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	token := file("token", "  ghp_secret\n")
	for name, tc := range map[string]struct {
		environ []string
		want    string // of GITHUB_TOKEN
		err     string
	}{
		"file":        {[]string{"GITHUB_TOKEN_FILE=" + token}, "ghp_secret", ""},
		"empty path":  {[]string{"GITHUB_TOKEN_FILE="}, "", ""},
		"both":        {[]string{"GITHUB_TOKEN_FILE=" + token, "GITHUB_TOKEN=x"}, "", "GITHUB_TOKEN_FILE: must not be set together with GITHUB_TOKEN"},
		"missing":     {[]string{"GITHUB_TOKEN_FILE=" + dir + "/none"}, "", "no such file"},
		"folder":      {[]string{"GITHUB_TOKEN_FILE=" + dir}, "", "cannot be read"},
		"empty":       {[]string{"GITHUB_TOKEN_FILE=" + file("empty", "\n")}, "", "empty file"},
		"large":       {[]string{"GITHUB_TOKEN_FILE=" + file("large", strings.Repeat("a", 65<<10))}, "", "larger than 64 KiB"},
		"binary":      {[]string{"GITHUB_TOKEN_FILE=" + file("binary", "\xff\xfe")}, "", "not text"},
		"no secret":   {[]string{"CENSUS_NAME_FILE=" + token}, "", "CENSUS_NAME_FILE: is not a variable"},
		"wrong value": {[]string{"DATABASE_URL_FILE=" + token}, "", "DATABASE_URL"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := Load(append(tc.environ, "HOME=/home/x"))
			switch {
			case tc.err == "" && (err != nil || c.GitHubToken != tc.want):
				t.Errorf("%q, %v, want %q", c.GitHubToken, err, tc.want)
			case tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)):
				t.Errorf("error %v, want %q", err, tc.err)
			case err != nil && strings.Contains(err.Error(), "ghp_secret"):
				t.Errorf("the error contains the secret: %v", err)
			}
		})
	}
}
