package registry

import (
	"strings"
	"testing"
)

func TestEntryName(t *testing.T) {
	long := strings.Repeat("a", 300)
	for _, c := range []struct{ host, owner, repo, folder, want string }{
		{"github", "octo", "weather-mcp", "", "io.github.octo/weather-mcp"},
		{"github", "Octo-Labs", "Weather.MCP", "src/git", "io.github.Octo-Labs/Weather.MCP.src.git"},
		{"github", "octo", "x", "", "io.github.octo/x-mcp"},
		{"github", "octo", ".github", "", "io.github.octo/github"},
		{"github", "octo", "-_-", "", "io.github.octo/server"},
		{"github", "octo-", "käse", "", "io.github.octo/k-se"},
		{"gitlab", "group/team", "repo", "", "io.gitlab.group.team/repo"},
		{"github", "octo", long, "", "io.github.octo/" + long[:100]},
	} {
		if got := EntryName(c.host, c.owner, c.repo, c.folder); got != c.want || !IsEntryName(got) {
			t.Errorf("%v: %s, want %s", c, got, c.want)
		}
	}
	for _, c := range []struct {
		n        int
		sameRepo bool
		want     string
	}{{0, false, "a.b/cd"}, {1, false, "a.b/cd-7"}, {2, true, "a.b/cd-7-9"}} {
		if got := DistinctEntryName("a.b/cd", c.n, 7, 9, c.sameRepo); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	if got := DistinctEntryName("a.b/"+long[:195], 1, 812345678, 9, false); len(got) > maxEntryName || !IsEntryName(got) {
		t.Errorf("%d characters: %s", len(got), got)
	}
}
