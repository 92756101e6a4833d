package scorer

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

var update = flag.Bool("update", false, "write golden files and docs/scoring.md")

// testNow is the time of all fixtures.
var testNow = time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)

func read(name string) (f registry.Facts, err error) {
	b, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		return f, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return f, d.Decode(&f)
}

func load(t testing.TB, name string) registry.Facts {
	t.Helper()
	f, err := read(name)
	if err != nil {
		t.Fatal(name, err)
	}
	return f
}

func fixtures(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no fixtures", err)
	}
	for i, p := range paths {
		paths[i] = strings.TrimSuffix(filepath.Base(p), ".json")
	}
	return paths
}

// TestGoldenScores compares the scores of all fixtures with a file of one block a fixture.
// Of the checks, a block has those that differ from the block of healthy, which has all, with
// the scores of categories and the improvements.
func TestGoldenScores(t *testing.T) {
	healthy := maps.Collect(checkLines(Health(load(t, "healthy"), testNow)))
	var out strings.Builder
	for _, name := range fixtures(t) {
		f := load(t, name)
		h := Health(f, testNow)
		writeScore(&out, name, h, Popularity(f))
		for id, line := range checkLines(h) {
			if name == "healthy" || line != healthy[id] {
				out.WriteString(line)
			}
		}
		if name == "healthy" {
			for _, c := range h.Categories {
				fmt.Fprintf(&out, "  category %s %v, weight %v, coverage %v\n",
					c.Category, value(c.Score), c.Weight, c.Coverage)
			}
			for _, i := range h.Improve {
				fmt.Fprintf(&out, "  improve %s +%v: %s\n", i.Check, i.Gain, i.Text)
			}
		}
	}
	golden(t, "testdata/scores.golden", out.String())
}

func writeScore(w io.Writer, name string, h registry.Health, p registry.Popularity) {
	fmt.Fprintf(w, "%s: %s, score %v (%v to %v) %s, uncapped %v\n",
		name, h.Status, value(h.Score), value(h.Low), value(h.High), h.Grade, h.Uncapped)
	fmt.Fprintf(w, "  coverage %v, confidence %s, chance of a commit %v\n",
		h.Coverage, h.Confidence, value(h.CommitChance))
	fmt.Fprintf(w, "  popularity %v, coverage %v, inputs %q, flags %q\n",
		value(p.Score), p.Coverage, p.Inputs, p.Flags)
	for _, c := range h.Caps {
		fmt.Fprintf(w, "  cap %s at %d, applied %v: %s\n", c.ID, c.Max, c.Applied, c.Reason)
	}
	for _, flag := range h.Flags {
		fmt.Fprintf(w, "  flag %s\n", flag)
	}
}

// checkLines returns the checks by id, each as the lines of the golden file.
func checkLines(h registry.Health) iter.Seq2[string, string] {
	return func(yield func(id, line string) bool) {
		for _, section := range h.Categories {
			for _, c := range section.Checks {
				var b strings.Builder
				fmt.Fprintf(&b, "  %s %s", c.ID, c.Result)
				fmt.Fprintf(&b, " (%s) %v of %v: %s", c.State, c.Points, c.Max, c.Reason)
				if c.Fix != "" {
					fmt.Fprintf(&b, " Fix: %s", c.Fix)
				}
				if c.Source != "" {
					fmt.Fprintf(&b, " From %s", c.Source)
				}
				if c.ObservedAt != nil {
					fmt.Fprintf(&b, " of %s", c.ObservedAt.Format(time.DateTime))
				}
				b.WriteByte('\n')
				for _, e := range c.Evidence {
					text := strings.Join([]string{e.Type, e.Ref, e.URL, e.Text}, " ")
					fmt.Fprintf(&b, "    %s\n", strings.TrimRight(text, " "))
				}
				if !yield(c.ID, b.String()) {
					return
				}
			}
		}
	}
}

// value returns what p points to, or "unknown".
func value[T any](p *T) any {
	if p == nil {
		return "unknown"
	}
	return *p
}

func TestScoringDocument(t *testing.T) {
	golden(t, "../docs/scoring.md", scoringDocument())
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run go test ./scorer -update)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got; -update writes it):\n%s", path, diff)
	}
}

// TestDated checks that every result that was measured has a source and a date.
func TestDated(t *testing.T) {
	for _, name := range fixtures(t) {
		for _, section := range Health(load(t, name), testNow).Categories {
			for _, c := range section.Checks {
				switch c.Result {
				case ResultPass, ResultPartial, ResultFail:
					if c.Source == "" || c.ObservedAt == nil {
						t.Errorf("%s: %s has source %q of %v", name, c.ID, c.Source, c.ObservedAt)
					}
				}
				if math.Signbit(c.Max) || math.Signbit(c.Points) {
					t.Errorf("%s: %s has %v of %v points", name, c.ID, c.Points, c.Max)
				}
			}
		}
	}
}
