package scorer

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcpcensus/internal/registry"
)

func TestRankCorrelation(t *testing.T) {
	for _, tt := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2, 3, 4}, []float64{10, 20, 30, 400}, 1},
		{[]float64{1, 2, 3, 4}, []float64{4, 3, 2, 1}, -1},
		{[]float64{1, 2, 3, 4, 5}, []float64{2, 1, 4, 3, 5}, .8},
		{[]float64{1, 2, 2, 3}, []float64{1, 2, 2, 3}, 1},
		{[]float64{1, 1, 1}, []float64{1, 2, 3}, 0},
	} {
		if got := rankCorrelation(tt.a, tt.b); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%v and %v: %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestTrial(t *testing.T) {
	var few Trial
	f := few.Findings(1)
	if len(f) != 1 || f[0].Skipped == "" || !strings.HasPrefix(f[0].String(), "SKIPPED") {
		t.Errorf("without servers: %v", f)
	}
	var trial, again Trial
	gen := rapid.Custom(func(t *rapid.T) registry.Facts { return genFacts(t) })
	for i := range 200 {
		facts := gen.Example(i)
		facts.Scorecard = &registry.Scorecard{Score: float64(i % 11)}
		trial.Add(&facts, testNow)
		again.Add(&facts, testNow)
	}
	if len(trial.servers) < MinTrialServers {
		t.Fatalf("only %d of 200 generated servers have a score", len(trial.servers))
	}
	first, second := trial.Findings(7), again.Findings(7)
	measured := 0
	for i, f := range first {
		if f.String() != second[i].String() {
			t.Errorf("not the same twice: %v, %v", f, second[i])
		}
		if f.Skipped == "" {
			measured++
			if math.IsNaN(f.Value) || f.N == 0 {
				t.Errorf("%+v", f)
			}
		}
	}
	if measured < 10 {
		t.Errorf("measured %d of %d", measured, len(first))
	}
	for _, name := range []string{"a quarter of the checks hidden: rank", "weights of the categories", "two costliest", "standard deviation", "OpenSSF", "most frequent result of license"} {
		found := false
		for _, f := range first {
			found = found || strings.Contains(f.Name, name)
		}
		if !found {
			t.Errorf("nothing on %q", name)
		}
	}
}

func TestWithholding(t *testing.T) {
	for _, name := range fixtures(t) {
		f := load(t, name)
		in := newInput(&f, testNow)
		s := trialResult{signals: in.measure()}
		for j := range s.signals {
			if s.signals[j].state != StateOK || s.signals[j].value < withheldMax {
				continue
			}
			signals := slices.Clone(s.signals)
			signals[j] = signal{state: StateWithheld}
			if before, after := s.score(), s.total(signals).uncapped; after > before+1e-9 {
				t.Errorf("%s: withholding %s raises %v to %v", name, checks[j].ID, before, after)
			}
		}
	}
}
