package synonyms

import (
	"strings"
	"testing"
)

func TestFoldTag(t *testing.T) {
	for tag, want := range map[string]string{
		"postgresql": "postgres", "Postgres": "postgres", "k8s": "kubernetes", "tides": "tides",
		"large-language-model": "llm", "amazon-web-services": "aws", "": "",
	} {
		if got := FoldTag(tag); got != want {
			t.Errorf("FoldTag(%q) = %q, want %q", tag, got, want)
		}
	}
}

func TestGroups(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range Groups {
		for _, m := range g.Members {
			if seen[m] || m != strings.ToLower(m) {
				t.Errorf("%q is in two groups, or not in lower case", m)
			}
			seen[m] = true
		}
	}
}
