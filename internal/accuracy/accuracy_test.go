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

func TestGroups(t *testing.T) {
	r := Report{Figures: []Figure{{Fact: "scored"}, {Fact: "names of tools found (archive)"},
		{Fact: "archives read"}, {Fact: "archived after a change"}, {Fact: "names of tools found"}}}
	var got []string
	for _, g := range r.Groups() {
		for _, f := range g.Figures {
			got = append(got, g.Name+": "+f.Fact)
		}
	}
	want := []string{"Scores: scored",
		"Tools, from archives of packages: names of tools found (archive)",
		"Tools, from archives of packages: archives read",
		"Servers that are listed: archived after a change", "Tools: names of tools found"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestCompared(t *testing.T) {
	r := Report{Figures: []Figure{{"scored", 70, 73}, {"sdk", 0, 1}}}
	for want, f := range map[string]Figure{
		"new":                             {"licence", 1, 1},
		"as before":                       {"scored", 70, 73},
		"before: 95.9 % (70 of 73)":       {"scored", 71, 73},
		"FELL, before: 95.9 % (70 of 73)": {"scored", 139, 146},
		"before: 0.0 % (0 of 1)":          {"sdk", 0, 2},
	} {
		if got := r.Compared(f); got != want {
			t.Errorf("%+v: got %q, want %q", f, got, want)
		}
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

func TestShare(t *testing.T) {
	for share, f := range map[string]Figure{
		"50.0 %": {Right: 1, All: 2}, "99.9 %": {Right: 2090, All: 2091}, "100.0 %": {Right: 3, All: 3},
		"0.0 %": {},
	} {
		if got := f.Share(); got != share {
			t.Errorf("%d of %d: got %s, want %s", f.Right, f.All, got, share)
		}
	}
}
