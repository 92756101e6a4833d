package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A Report is the result of acceptance tests, of which docs/accuracy.md is generated. Dates are written as 2026-11-22.
type Report struct {
	Repositories int      `json:"repositories"`
	Negatives    int      `json:"negatives"` // repositories without a server
	Sources      bool     `json:"sources"`   // the repositories' files could be read
	OldestCommit string   `json:"oldestCommit"`
	NewestCommit string   `json:"newestCommit"`
	Figures      []Figure `json:"figures"` // in the order in which they were measured
}

// A Figure is the number of cases in which a fact was right, and of all cases.
type Figure struct {
	Fact  string `json:"fact"`
	Right int    `json:"right"`
	All   int    `json:"all"`
	Date  string `json:"date"` // of the measurement
}

// Share is the share that is right, in percent.
func (f Figure) Share() string {
	share := 100 * float64(f.Right) / float64(max(f.All, 1))
	if f.Right < f.All {
		share = min(share, 99.9) // not "100.0%"
	}
	return fmt.Sprintf("%.1f%%", share)
}

// Compared compares a figure with the one in r, an earlier report: "before: 63 of 64",
// with "FELL" before it if the share is smaller; "new" if r lacks it.
func (r Report) Compared(f Figure) string {
	i := slices.IndexFunc(r.Figures, func(former Figure) bool { return former.Fact == f.Fact })
	if i < 0 {
		return "new"
	}
	former := r.Figures[i]
	text := fmt.Sprintf("before: %s (%d of %d)", former.Share(), former.Right, former.All)
	switch now, then := f.Right*former.All, former.Right*f.All; {
	case now < then:
		return "FELL, " + text
	case now == then && f.All == former.All:
		return "as before"
	}
	return text
}

//go:embed testdata/accuracy.json
var stored []byte

// Last returns the report that this version of the program has.
func Last() Report {
	var r Report
	if err := json.Unmarshal(stored, &r); err != nil {
		panic(err) // the file is embedded
	}
	return r
}

func TestAccuracyPage(t *testing.T) {
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
		t.Errorf("docs/accuracy.md is old, run go test ./cmd/census -run TestAccuracyPage -update: %s", d)
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
