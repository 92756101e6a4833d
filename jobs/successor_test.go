package jobs

import (
	"testing"

	"mcpcensus/internal/registry"
)

func TestSuccessor(t *testing.T) {
	const ours, theirs = "https://github.com/octo/x", "https://github.com/octo/y"
	readme := func(text, link string) registry.Facts {
		return registry.Facts{Readme: &registry.ReadmeFacts{Deprecation: "declared", DeprecationText: text, Successor: link}}
	}
	notice := "Moved to " + theirs + "."
	for name, tt := range map[string]struct {
		facts  registry.Facts
		status string
		want   string
	}{
		"link of the README":    {readme("Use Y.", theirs), registry.StatusDeprecated, theirs},
		"address in a sentence": {readme(notice, ""), registry.StatusDeprecated, theirs},
		"its own address":       {readme("See "+ours+".", ours), registry.StatusDeprecated, ""},
		"registry": {registry.Facts{Listing: &registry.Listing{Status: "deprecated", StatusText: notice}},
			registry.StatusDeprecated, theirs},
		"package": {registry.Facts{Packages: []registry.PackageFacts{{Deprecated: &notice}}},
			registry.StatusDeprecated, theirs},
		"active": {readme(notice, theirs), registry.StatusActive, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tt.facts.Repo = registry.Repository{Host: registry.GitHub, Owner: "octo", Name: "x"}
			if got := successor(tt.status, tt.facts); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
