package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestDependencies checks that the program stays small: it links neither the database
// nor the search index nor the web framework.
func TestDependencies(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skip("no go command: ", err)
	}
	heavy := regexp.MustCompile(
		`database/sql|lib/pq|sqlx|pgembed|internal/postgres|blevesearch|meilisearch|gin-gonic|web/|mcpcensus/api`,
	)
	for p := range strings.Lines(string(out)) {
		if heavy.MatchString(p) {
			t.Errorf("the program links %s", strings.TrimSpace(p))
		}
	}
	if !strings.Contains(string(out), "mcpcensus/internal/cli") {
		t.Errorf("go list says\n%s", out)
	}
}
