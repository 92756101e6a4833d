package scorer

import (
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

func TestPriors(t *testing.T) {
	var all []*registry.Facts
	for i := range 1200 {
		f := load(t, "registry_only")
		if i%12 == 0 { // 100 with files, one in four with tests
			f.Tree = &registry.TreeFacts{TestFiles: (i / 12) % 4 / 3}
		}
		all = append(all, &f)
	}
	all = append(all, &registry.Facts{Gone: true}, &registry.Facts{Blocked: "tos"})
	var sample PriorSample
	for _, f := range all {
		sample.Add(f, testNow)
	}
	got := map[string]float64{}
	for _, prior := range sample.Priors() {
		if prior.Enough {
			got[prior.Check] = prior.Mean
		}
	}
	if got["tests"] != 0.25 {
		t.Errorf("tests: %v of %v", got["tests"], got)
	}
	if got["registry_listed"] != 1 {
		t.Errorf("registry_listed: %v", got["registry_listed"])
	}
	if _, ok := got["cadence"]; ok {
		t.Error("a mean of nothing")
	}
}

func TestPriorsSmallSample(t *testing.T) {
	f := load(t, "healthy")
	var sample PriorSample
	for range 999 {
		sample.Add(&f, testNow)
	}
	for _, p := range sample.Priors() {
		if p.Enough {
			t.Errorf("%+v", p)
		}
	}
	if table := sample.Table(); !strings.Contains(table, "tests              Prior: 0.50 // unchanged: "+
		"only 999 measured\n") {
		t.Errorf("%s", table)
	}
	sample.Add(&f, testNow)
	if sample.Servers() != 1000 {
		t.Error(sample.Servers())
	}
	table := sample.Table()
	if !strings.Contains(table, "tests              Prior: 1.00 // mean of 1000\n") ||
		strings.Count(table, "\n") != len(checks) {
		t.Errorf("%s", table)
	}
}
