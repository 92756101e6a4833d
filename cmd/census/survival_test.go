package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestSurvival(t *testing.T) {
	var moments []Observation
	for i := range 400 {
		alive := i%10 != 0
		score := 90.0
		if !alive {
			score = 30
		}
		if i%40 == 0 {
			score = 95 // a dead one that looked well
		}
		moments = append(moments,
			Observation{Repo: fmt.Sprint("o/r", i%57), Score: score, Quiet: 100 - score, Alive: alive})
	}
	s := Measure(moments, 1)
	if s.Moments != 400 || s.Dead != 40 || !s.Enough() || s.AUC != .75 || s.Baseline != .75 ||
		s.Low > s.AUC || s.High < s.AUC {
		t.Errorf("%+v", s)
	}
	if s.AliveHigh < .97 || s.AliveD != 0 {
		t.Errorf("alive %v and %v", s.AliveHigh, s.AliveD)
	}
	if again := Measure(moments, 1); again != s {
		t.Error("not the same twice")
	}
	if few := Measure(moments[:3], 1); few.Enough() || !strings.Contains(few.String(), "too few") {
		t.Error(few)
	}
	if none := Measure(nil, 1); none.AUC != .5 || none.Enough() {
		t.Errorf("%+v", none)
	}
}

// An Observation is the score of a repository at one time, and whether a person
// committed in the following half year.
type Observation struct {
	Repo  string
	Score float64 // the judged value, higher is better
	Quiet float64 // days since the last human commit, the plain baseline
	Alive bool
}

// A Survival measures how well scores predict further commits.
type Survival struct {
	Moments, Dead     int // all, and those without a commit after
	DeadRepos         int // repositories that the dead moments are of
	AUC, Low, High    float64
	Baseline          float64 // AUC of the days since the last commit alone
	AliveHigh, AliveD float64 // share alive at a score of 80 or more, and below
}

// Enough reports whether the sample is as large as the protocol requires: 300 moments, 20 of
// them dead, from 10 repositories.
func (s Survival) Enough() bool { return s.Moments >= 300 && s.Dead >= 20 && s.DeadRepos >= 10 }

func (s Survival) String() string {
	line := fmt.Sprintf("AUC %.2f [%.2f-%.2f], by the last commit alone %.2f; alive %.1f %% at 80 or "+
		"above, %.1f %% below (%d moments, %d dead, of %d repositories)",
		s.AUC, s.Low, s.High, s.Baseline, 100*s.AliveHigh, 100*s.AliveD, s.Moments, s.Dead, s.DeadRepos)
	if !s.Enough() {
		line += "; too few to judge: 300 moments with 20 dead of 10 repositories are needed"
	}
	return line
}

// Measure returns how well the scores of moments predict further commits. The 95 %
// interval is a bootstrap over repositories, because moments of one repository
// depend on each other. It is the same for the same moments and seed.
func Measure(moments []Observation, seed uint64) Survival {
	s := Survival{Moments: len(moments)}
	byRepo := map[string][]Observation{}
	var high, low, highAlive, lowAlive float64
	dead := map[string]bool{}
	for _, m := range moments {
		byRepo[m.Repo] = append(byRepo[m.Repo], m)
		alive := 0.0
		if m.Alive {
			alive = 1
		} else {
			s.Dead++
			dead[m.Repo] = true
		}
		if m.Score >= 80 {
			high, highAlive = high+1, highAlive+alive
		} else {
			low, lowAlive = low+1, lowAlive+alive
		}
	}
	s.DeadRepos = len(dead)
	s.AliveHigh, s.AliveD = highAlive/max(high, 1), lowAlive/max(low, 1)
	score := func(m Observation) float64 { return m.Score }
	s.AUC = auc(moments, score)
	s.Baseline = auc(moments, func(m Observation) float64 { return -m.Quiet })
	repos := make([]string, 0, len(byRepo))
	for r := range byRepo {
		repos = append(repos, r)
	}
	slices.Sort(repos)
	random := rand.New(rand.NewPCG(seed, 2))
	var draws []float64
	for range 400 {
		var drawn []Observation
		for range repos {
			drawn = append(drawn, byRepo[repos[random.IntN(len(repos))]]...)
		}
		draws = append(draws, auc(drawn, score))
	}
	if len(repos) > 0 {
		slices.Sort(draws)
		s.Low, s.High = draws[len(draws)/40], draws[len(draws)-1-len(draws)/40]
	}
	return s
}

// auc returns the probability that a moment with further commits ranks above one
// without. Ties count half. It is 0.5 if all moments are of one kind.
func auc(moments []Observation, by func(Observation) float64) float64 {
	sorted := slices.Clone(moments)
	slices.SortFunc(sorted, func(a, b Observation) int { return cmp.Compare(by(a), by(b)) })
	var alive, dead, won float64
	for i := 0; i < len(sorted); {
		j, tiedAlive, tiedDead := i, 0.0, 0.0
		for j < len(sorted) && by(sorted[j]) == by(sorted[i]) {
			if sorted[j].Alive {
				tiedAlive++
			} else {
				tiedDead++
			}
			j++
		}
		won += tiedAlive * (dead + tiedDead/2)
		alive, dead, i = alive+tiedAlive, dead+tiedDead, j
	}
	if alive == 0 || dead == 0 {
		return .5
	}
	return won / (alive * dead)
}
