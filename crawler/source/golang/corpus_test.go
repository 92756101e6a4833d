package golang

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mcpcensus/crawler/source/listing"
)

const corpus = "../../../../shared/corpus/tools_go"

// TestCorpus compares the tools in the sources of repositories with what their
// programs answered to tools/list. The variable CENSUS_MIRROR names a folder with
// copies of the repositories.
func TestCorpus(t *testing.T) {
	answers, _ := filepath.Glob(filepath.Join(corpus, "*.json"))
	mirror := os.Getenv("CENSUS_MIRROR")
	if len(answers) == 0 || mirror == "" {
		t.Skip("needs the corpus and CENSUS_MIRROR")
	}
	for _, name := range answers {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			Repo  string
			Tools []struct{ Name string }
		}
		if err := json.Unmarshal(b, &answer); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(mirror, strings.ReplaceAll(answer.Repo, "/", "+"), "repo")
		tools, optional, partial := Tools(t.Context(), sources(t, dir))
		expected := map[string]bool{}
		for _, tool := range answer.Tools {
			expected[tool.Name] = true
		}
		right := 0
		for _, tool := range tools {
			if expected[tool.Name] {
				right++
			}
		}
		t.Logf("%-40s P %d/%d  R %d/%d  optional %d  partial %v",
			answer.Repo, right, len(tools), right, len(expected), len(optional), partial)
	}
}

func sources(t *testing.T, dir string) map[string]string {
	list, err := exec.Command("git", "-C", dir, "ls-tree", "-r", "--name-only", "HEAD").Output()
	if err != nil {
		t.Skip(err)
	}
	out := map[string]string{}
	for p := range strings.Lines(string(list)) {
		p = strings.TrimSpace(p)
		if strings.HasSuffix(p, ".go") && !listing.IsAside("", p) {
			text, _ := exec.Command("git", "-C", dir, "show", "HEAD:"+p).Output()
			out[p] = string(text)
		}
	}
	return out
}
