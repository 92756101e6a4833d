package registry

import "testing"

func TestAmong(t *testing.T) {
	mono := []string{"src/weather", "src/git", "src/git/extra", "tools/one"}
	rooted := []string{"src/git", ""}
	for _, c := range []struct {
		path   string
		of     []string
		index  int
		folder string
	}{
		{"", mono, 0, ""},
		{"main", mono, 0, ""},
		{"feature", mono, 0, ""},
		{"", rooted, 1, ""},
		{"main", rooted, 1, ""},
		{"", nil, -1, ""},
		{"main/src/git", mono, 1, ""},
		{"main/src/git/", mono, 1, ""},
		{"main/src/git/src/index.ts", mono, 1, ""},
		{"main/src/git/extra/README.md", mono, 2, ""},
		{"main/src/git/README.md", mono, 1, ""},
		{"main/README.md", mono, 0, ""},
		{"main/README.md", rooted, 1, ""},
		{"main/src/weather.cc", mono, -1, "src"},
		{"main/servers/node.js", []string{"servers/node.js", "servers/deno"}, 0, ""}, // a folder
		{"main/servers/Old.Weather", mono, -1, "servers/Old.Weather"},
		{"0123456789012345678901234567890123456789/src/weather", mono, 0, ""},
		{"feature/x/src/git", mono, 1, ""}, // a branch with a slash
		{"feature/x", mono, 0, "x"},        // a branch, or a folder: not sure
		{"main/src/nonesuch", mono, -1, "src/nonesuch"},
		{"main/src/gitea", mono, -1, "src/gitea"},
		{"main/other/src/git", mono, -1, "other/src/git"},
		{"main/src", mono, -1, "src"},    // several below it
		{"main/tools", mono, 3, "tools"}, // one below it
		{"main/src/nonesuch", rooted, -1, "src/nonesuch"},
		{"main/docs", []string{""}, 0, "docs"}, // a part of the only server
		{"main/docs", []string{"server"}, 0, "docs"},
	} {
		i, folder := RepoRef{Path: c.path}.Among(c.of)
		if i != c.index || folder != c.folder {
			t.Errorf("%q among %q: got %d %q, want %d %q", c.path, c.of, i, folder, c.index, c.folder)
		}
	}
}
