package accuracy

import (
	"flag"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/accuracy.md")

func TestMarkdown(t *testing.T) {
	const file = "../../docs/accuracy.md"
	got := Markdown()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("docs/accuracy.md is old, run go test ./internal/accuracy -update: %s", d)
	}
}

func TestLast(t *testing.T) {
	r := Last()
	if _, err := time.Parse(time.DateOnly, r.Date); err != nil || len(r.Figures) < 10 {
		t.Errorf("%d figures of %q: %v", len(r.Figures), r.Date, err)
	}
	for _, f := range r.Figures {
		if f.Fact == "" || f.All < 1 || f.Right < 0 || f.Right > f.All {
			t.Errorf("figure %+v", f)
		}
	}
}
