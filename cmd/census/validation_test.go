package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
	"mcpcensus/scorer"
)

// Horizon is how far ahead a moment looks, and Step how far moments of one
// repository are apart.
const (
	Horizon = 90 * day
	Step    = 14 * day
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

// TestCorpusSurvival measures the model on recorded histories: maintenance and the chance at
// moments in their past, against whether a person committed within 90 days. With -update it
// writes the figures and the fitted model.
func TestCorpusSurvival(t *testing.T) {
	histories, err := ReadHistories(filepath.Join(recordedCorpus(t), "repos"))
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
	if err := os.WriteFile(filepath.Join("..", "..", "scorer", "validation.json"), append(text, '\n'), 0o644); err != nil {
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

// A Sample is one moment for a logistic model.
type Sample struct {
	Repo  string
	X     [3]float64
	Alive bool
}

const terms = 4 // the constant and the features

// FitLogistic returns the weights of the constant and the features that make the samples most
// likely, by Newton's method. It is deterministic. A small penalty keeps the weights finite if
// the samples can be separated.
func FitLogistic(samples []Sample) (w [terms]float64) {
	const rounds, penalty = 50, 1e-3
	for range rounds {
		var gradient [terms]float64
		var hessian [terms][terms]float64
		for i := range samples {
			x := [terms]float64{1, samples[i].X[0], samples[i].X[1], samples[i].X[2]}
			z, y := 0.0, 0.0
			for j := range x {
				z += w[j] * x[j]
			}
			if samples[i].Alive {
				y = 1
			}
			p := 1 / (1 + math.Exp(-z))
			for j := range x {
				gradient[j] += (y - p) * x[j]
				for k := range x {
					hessian[j][k] += p * (1 - p) * x[j] * x[k]
				}
			}
		}
		for j := range w {
			gradient[j] -= penalty * w[j]
			hessian[j][j] += penalty
		}
		step, moved := solve(hessian, gradient), 0.0
		for j := range w {
			w[j] += step[j]
			moved = max(moved, math.Abs(step[j]))
		}
		if moved < 1e-9 {
			break
		}
	}
	return w
}

// solve returns x with a x = b for a positive definite matrix, by elimination.
func solve(a [terms][terms]float64, b [terms]float64) (x [terms]float64) {
	for i := range a {
		for j := i + 1; j < terms; j++ {
			f := a[j][i] / a[i][i]
			for k := i; k < terms; k++ {
				a[j][k] -= f * a[i][k]
			}
			b[j] -= f * b[i]
		}
	}
	for i := terms - 1; i >= 0; i-- {
		x[i] = b[i]
		for k := i + 1; k < terms; k++ {
			x[i] -= a[i][k] * x[k]
		}
		x[i] /= a[i][i]
	}
	return x
}

// folds is into how many parts repositories are split: each is judged by a
// model fitted to the others.
const folds = 5

func fold(repo string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(repo)) // never fails
	return h.Sum32() % folds
}

// bounds are the bounds of the bins of the calibration, each with a hundred moments or more in
// the committed figures.
var bounds = []float64{0, .8, .9, .95, 1}

// FitChance returns the model fitted to all samples, judged on repositories
// that it had not seen.
func FitChance(samples []Sample) scorer.ChanceModel {
	var m scorer.ChanceModel
	m.Weights, m.UpTo = FitLogistic(samples), support(samples)
	for i := range m.Weights {
		m.Weights[i] = round(m.Weights[i], 4)
	}
	for i := range len(bounds) - 1 {
		m.Calibration = append(m.Calibration, scorer.CalibrationBin{From: bounds[i], To: bounds[i+1]})
	}
	for part := range uint32(folds) {
		var others []Sample
		alive := 0.0
		for _, s := range samples {
			if fold(s.Repo) != part {
				others = append(others, s)
				alive += outcome(s)
			}
		}
		held := scorer.ChanceModel{Weights: FitLogistic(others)}
		mean := alive / max(1, float64(len(others)))
		for _, s := range samples {
			if fold(s.Repo) != part {
				continue
			}
			p, y := held.Chance(s.X), outcome(s)
			m.Brier += (p - y) * (p - y)
			m.Base += (mean - y) * (mean - y)
			b := &m.Calibration[bin(p)]
			b.Moments++
			b.Said += p
			b.Was += y
		}
	}
	n := max(1, float64(len(samples)))
	m.Brier, m.Base = round(m.Brier/n, 4), round(m.Base/n, 4)
	for i := range m.Calibration {
		b := &m.Calibration[i]
		n := max(1, float64(b.Moments))
		b.Said, b.Was = round(b.Said/n, 3), round(b.Was/n, 3)
	}
	return m
}

// support returns for how many days since the last commit there are samples of
// at least ten repositories, in steps of 30.
func support(samples []Sample) int {
	const step, enough = 30, 10
	for upTo := step; ; upTo += step {
		repos := map[string]bool{}
		for _, s := range samples {
			if math.Expm1(s.X[0]) >= float64(upTo) {
				repos[s.Repo] = true
			}
		}
		if len(repos) < enough {
			return upTo - step
		}
	}
}

func outcome(s Sample) float64 {
	if s.Alive {
		return 1
	}
	return 0
}

// bin returns the index of the bin of a probability.
func bin(p float64) int {
	i := 0
	for i < len(bounds)-2 && p >= bounds[i+1] {
		i++
	}
	return i
}

func round(v float64, digits int) float64 {
	f := math.Pow10(digits)
	return math.Round(v*f) / f
}

// Moments returns the moments of a history that can be judged: all commits before and within
// the horizon after are known.
func (h *History) Moments() (out []time.Time) {
	for t := h.First.Add(Step); !t.Add(Horizon).After(h.Last); t = t.Add(Step) {
		if !t.Before(h.Known) {
			out = append(out, t)
		}
	}
	return out
}

// Alive reports whether a person committed within the horizon after a moment.
func (h *History) Alive(t time.Time) bool {
	return slices.ContainsFunc(h.Commits, func(c Commit) bool {
		return !c.Bot && c.At.After(t) && !c.At.After(t.Add(Horizon))
	})
}

// Facts returns the known facts of the repository at a moment: commits and tags.
func (h *History) Facts(t time.Time) registry.Facts {
	owner, name, _ := strings.Cut(h.Repo, "/")
	f := registry.Facts{
		Repo: registry.Repository{
			Host: registry.GitHub, Owner: owner, Name: name, CreatedAt: h.First, ObservedAt: t,
			Releases: new(int), Tags: new(int),
		},
		Detection: registry.Detection{IsServer: true},
		Activity:  h.Activity(t),
	}
	for _, tag := range h.Tags {
		if tag.PublishedAt.After(t) {
			continue
		}
		*f.Repo.Tags++
		if l := f.Repo.LatestTag; l == nil || tag.PublishedAt.After(*l.PublishedAt) {
			f.Repo.LatestTag = &tag
		}
	}
	return f
}
