package accuracy

import (
	"flag"
	"os"
	"strings"
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
	r := Report{Figures: []Figure{{Fact: "scored", Right: 70, All: 73}, {Fact: "sdk", All: 1}}}
	for want, f := range map[string]Figure{
		"new":                            {Fact: "licence", Right: 1, All: 1},
		"as before":                      {Fact: "scored", Right: 70, All: 73},
		"before: 95.9% (70 of 73)":       {Fact: "scored", Right: 71, All: 73},
		"FELL, before: 95.9% (70 of 73)": {Fact: "scored", Right: 139, All: 146},
		"before: 0.0% (0 of 1)":          {Fact: "sdk", All: 2},
	} {
		if got := r.Compared(f); got != want {
			t.Errorf("%+v: got %q, want %q", f, got, want)
		}
	}
}

func TestLast(t *testing.T) {
	r := Last()
	if len(r.Figures) < 10 {
		t.Errorf("%d figures", len(r.Figures))
	}
	for _, f := range r.Figures {
		if _, err := time.Parse(time.DateOnly, f.Date); err != nil || f.Fact == "" || f.All < 1 || f.Right < 0 || f.Right > f.All {
			t.Errorf("figure %+v", f)
		}
	}
}

func TestShare(t *testing.T) {
	for share, f := range map[string]Figure{
		"50.0%": {Right: 1, All: 2}, "99.9%": {Right: 2090, All: 2091}, "100.0%": {Right: 3, All: 3},
		"0.0%": {},
	} {
		if got := f.Share(); got != share {
			t.Errorf("%d of %d: got %s, want %s", f.Right, f.All, got, share)
		}
	}
}

func TestTarget(t *testing.T) {
	for fact, target := range map[string]string{
		"names of tools, F1 (unseen archive, third sample)": "90%",
		"descriptions of tools equal (unseen repository)":   "80%",
		"parameters of tools found (unseen archive)":        "70%",
		"parameters of tools found":                         "", // of servers in view
		"names of tools right (unseen archive)":             "",
	} {
		if got := (Figure{Fact: fact}).Target(); got != target {
			t.Errorf("%s: got %q, want %q", fact, got, target)
		}
	}
}

// TestNamedFacts checks that the page says of each kind of fact whether it is measured.
func TestNamedFacts(t *testing.T) {
	page := Markdown()
	for _, fact := range []string{"the 17 that responded of 65", "made copies", "originals, not called copies",
		"R1 to R8", "The liveness of endpoints", "Token weight"} {
		if !strings.Contains(page, fact) {
			t.Errorf("the page does not mention %q", fact)
		}
	}
}

// TestDates checks that each table has the date of its measurement and its data.
func TestDates(t *testing.T) {
	for _, g := range Last().Groups() {
		if !strings.Contains(Markdown(), "## "+g.Name+"\n\nMeasured on "+g.Dates()+" with "+g.Data+".") ||
			!strings.HasSuffix(g.Dates(), " 2026") || g.Data == "" {
			t.Errorf("%s: measured on %q with %q", g.Name, g.Dates(), g.Data)
		}
	}
}
