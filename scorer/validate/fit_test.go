package validate

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/scorer"
)

var (
	corpus = flag.String("corpus", os.Getenv("CENSUS_CORPUS"), "folder of records, with repos/ in it")
	update = flag.Bool("update", false, "write ../validation.json from the records")
)

func TestFitLogistic(t *testing.T) {
	want := scorer.ChanceModel{Weights: [4]float64{1, -.5, .8, .2}}
	random := rand.New(rand.NewPCG(1, 2))
	var samples []Sample
	for i := range 20000 {
		s := Sample{Repo: fmt.Sprint(i % 50), X: [3]float64{5 * random.Float64(), 4 * random.Float64(),
			3 * random.Float64()}}
		s.Alive = random.Float64() < want.Chance(s.X)
		samples = append(samples, s)
	}
	got := FitChance(samples)
	for i := range got.Weights {
		if math.Abs(got.Weights[i]-want.Weights[i]) > .1 {
			t.Errorf("weight %d is %v, want %v", i, got.Weights[i], want.Weights[i])
		}
	}
	if got.Brier >= got.Base {
		t.Errorf("error %v, that of the mean is %v", got.Brier, got.Base)
	}
	for _, b := range got.Calibration {
		if b.Moments > 500 && math.Abs(b.Said-b.Was) > .03 {
			t.Errorf("%+v", b)
		}
	}
	if diff := cmp.Diff(got, FitChance(samples)); diff != "" {
		t.Errorf("not the same twice\n%s", diff)
	}
}

func TestFitLogisticSeparable(t *testing.T) {
	w := FitLogistic([]Sample{{X: [3]float64{1}, Alive: true}, {X: [3]float64{2}}})
	for _, v := range w {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("%v", w)
		}
	}
}

func TestParseHistory(t *testing.T) {
	h, err := parseHistory([]byte(`{"owner": "o", "name": "r", "head": {"commit_date": "2026-06-01T00:00:00Z"},
		"first_commit_date": "2026-01-01T00:00:00Z", "commit_count": 3,
		"commits": [["2026-05-30T00:00:00Z", "a", "b"], ["2026-02-01T00:00:00Z", "b", ""], ["2026-01-01T00:00:00Z", "a", ""]],
		"tags": [{"name": "v1", "date": "2026-02-02T00:00:00Z"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 2, 10, 0, 0, 0, 0, time.UTC)
	f := h.Facts(at)
	type facts struct {
		Alive     bool
		Days      int
		Humans    int
		LastTag   string
		Moments   int
		Truncated bool
	}
	got := facts{h.Alive(at), len(f.Activity.ActiveDays), *f.Activity.Humans, f.Repo.LatestTag.Tag, len(h.Moments()),
		f.Activity.Truncated}
	if diff := cmp.Diff(facts{false, 2, 2, "v1", 4, false}, got); diff != "" {
		t.Error(diff)
	}
	if !h.Alive(time.Date(2026, 1, 15, 0, 0, 0, 0, time.UTC)) {
		t.Error("a commit that followed was not seen")
	}
	if _, err := parseHistory([]byte(`{"commits": [["x"]]}`)); err == nil {
		t.Error("no error")
	}
}

// TestCorpusSurvival measures the model on recorded histories: what maintenance
// and the chance said at moments in their past, and whether a person committed
// within 90 days. With -update it writes the figures and the fitted model.
func TestCorpusSurvival(t *testing.T) {
	if *corpus == "" {
		t.Skip("SKIPPED: -corpus and CENSUS_CORPUS are not set")
	}
	dir := *corpus
	if _, err := os.Stat(filepath.Join(dir, "repos")); err != nil && !filepath.IsAbs(dir) {
		dir = filepath.Join("..", "..", dir) // as make is given it, from the root
	}
	histories, err := ReadHistories(filepath.Join(dir, "repos"))
	if err != nil {
		t.Fatal(err)
	}
	got, survival := measure(t, histories)
	t.Logf("moments of histories: %d, without a commit in the next 90 days: %d, of %d of %d repositories",
		got.Moments, got.Quiet, got.QuietRepos, got.Repositories)
	t.Logf("maintenance: AUC %.3f [%.3f-%.3f], wanted at least last commit - .01", got.Maintenance, survival.Low,
		survival.High)
	t.Logf("last commit alone: AUC %.3f", got.LastCommit)
	t.Logf("chance: Brier score %.4f on repositories held out, of their mean %.4f", got.Chance.Brier, got.Chance.Base)
	for _, b := range got.Chance.Calibration {
		t.Logf("  said %.2f to %.2f: %d moments, said %.3f, was %.3f", b.From, b.To, b.Moments, b.Said, b.Was)
	}
	if got.Maintenance < got.LastCommit-.01 {
		t.Errorf("maintenance predicts a commit worse than the last commit alone: %.3f < %.3f - .01",
			got.Maintenance, got.LastCommit)
	}
	if got.Chance.Brier >= got.Chance.Base {
		t.Errorf("the chance is no better than the mean: %.4f, %.4f", got.Chance.Brier, got.Chance.Base)
	}
	if !*update {
		return
	}
	text, err := json.MarshalIndent(got, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("..", "validation.json"), append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// measure judges the model on histories.
func measure(t *testing.T, histories []History) (scorer.Validation, Survival) {
	t.Helper()
	v := scorer.Validation{Days: int(Horizon / day)}
	var moments []Observation
	var samples []Sample
	var newest time.Time
	for i := range histories {
		h := &histories[i]
		if h.Last.After(newest) {
			newest = h.Last
		}
		at := h.Moments()
		if len(at) > 0 {
			v.Repositories++
		}
		for _, now := range at {
			f := h.Facts(now)
			if f.Activity.LastCommitAt == nil {
				continue
			}
			m := Observation{Repo: h.Repo, Alive: h.Alive(now),
				Quiet: now.Sub(*f.Activity.LastCommitAt).Hours() / 24}
			for _, c := range scorer.Health(f, now).Categories {
				if c.Category == "maintenance" && c.Score != nil {
					m.Score = *c.Score
				}
			}
			x, ok := scorer.ChanceFeatures(&f, now)
			if !ok {
				t.Fatalf("%s at %s has no features", h.Repo, now)
			}
			moments = append(moments, m)
			samples = append(samples, Sample{h.Repo, x, m.Alive})
		}
	}
	s := Measure(moments, 1)
	v.Date, v.Moments, v.Quiet, v.QuietRepos = newest.UTC().Format(time.DateOnly), s.Moments, s.Dead, s.DeadRepos
	v.Maintenance, v.LastCommit = round(s.AUC, 3), round(s.Baseline, 3)
	v.Chance = FitChance(samples)
	return v, s
}
