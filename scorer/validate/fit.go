package validate

import (
	"hash/fnv"
	"math"

	"mcpcensus/scorer"
)

// A Sample is one moment for a logistic model.
type Sample struct {
	Repo  string
	X     [3]float64
	Alive bool
}

const terms = 4 // the constant and the features

// FitLogistic returns the weights of the constant and the features that make
// the samples most likely, by Newton's method. The same samples give the same
// weights. A small penalty keeps the weights finite where the samples can be
// separated.
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

// bounds are those of the bins of the calibration, each with a hundred moments
// or more in the committed figures.
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
