package docs

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the examples of sdk.md from their files")

// example is a file's name, and the block of code after it.
var example = regexp.MustCompile("(?s)`(sdk/[a-z]+/examples/[^`]+)`\n\n```([a-z]+)\n(.*?)```\n")

// TestSDK_examples compares each example of sdk.md with its file, which the tests of
// its SDK run.
func TestSDK_examples(t *testing.T) {
	want := example.ReplaceAllStringFunc(Page("sdk"), func(block string) string {
		parts := example.FindStringSubmatch(block)
		text, err := os.ReadFile("../" + parts[1])
		if err != nil {
			t.Error(err)
		}
		return "`" + parts[1] + "`\n\n```" + parts[2] + "\n" + string(text) + "```\n"
	})
	if *update {
		if err := os.WriteFile("sdk.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if d := cmp.Diff(want, Page("sdk")); d != "" {
		t.Errorf("sdk.md is old, run go test ./docs -update: %s", d)
	}
	blocks := map[string]int{}
	for _, found := range example.FindAllStringSubmatch(Page("sdk"), -1) {
		blocks[found[2]]++
	}
	for _, language := range []string{"ts", "python", "java"} {
		n := strings.Count(Page("sdk"), "```"+language+"\n")
		if n != blocks[language] || n < 6 {
			t.Errorf("%s: %d of %d examples name their file", language, blocks[language], n)
		}
	}
}
