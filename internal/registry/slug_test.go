package registry

import (
	"regexp"
	"strings"
	"testing"
)

func TestSlug(t *testing.T) {
	for _, test := range []struct{ owner, name, subfolder, want string }{
		{"octo", "weather-mcp", "", "octo-weather-mcp"},
		{"Octo", "Weather.MCP", "src/Git_Tools", "octo-weather-mcp-src-git-tools"},
		{"octo", "--weather--", "", "octo-weather"},
		{"octo", "_", "", "octo"},
		{"", "", "", "server"},
		{"天気", "予報", "", "server"},
		{"octo", "naïve", "", "octo-na-ve"},
		{"octo", "a\x00b\xff", "", "octo-a-b"},
	} {
		if got := Slug(test.owner, test.name, test.subfolder); got != test.want {
			t.Errorf("Slug(%q, %q, %q) = %q, want %q", test.owner, test.name, test.subfolder, got, test.want)
		}
	}
}

func FuzzSlug(f *testing.F) {
	f.Add("octo", "weather", "src/git")
	f.Add("", "\x00", strings.Repeat("ab/", 500))
	form := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	f.Fuzz(func(t *testing.T, owner, name, subfolder string) {
		s := Slug(owner, name, subfolder)
		if !form.MatchString(s) || len(s) > maxSlug+1 {
			t.Errorf("Slug(%q, %q, %q) = %q", owner, name, subfolder, s)
		}
		if again := Slug(s, "", ""); again != s && len(s) < maxSlug {
			t.Errorf("a slug's slug is %q, want %q", again, s)
		}
	})
}
