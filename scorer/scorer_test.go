package scorer

import (
	"bytes"
	"encoding/json"
	"flag"
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

type verdict struct {
	Health     registry.Health     `json:"health"`
	Popularity registry.Popularity `json:"popularity"`
}

func TestGoldenScores(t *testing.T) {
	for _, name := range fixtures(t) {
		t.Run(name, func(t *testing.T) {
			f := load(t, name)
			got, err := json.MarshalIndent(verdict{Health(f, testNow), Popularity(f)}, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("testdata", name+".golden"), string(got)+"\n")
		})
	}
}

func TestScoringDocument(t *testing.T) {
	golden(t, "../docs/scoring.md", Markdown())
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
