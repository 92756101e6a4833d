package scorer

import (
	_ "embed"
	"encoding/json"
	"math"
	"time"

	"mcpcensus/internal/registry"
)

// A Validation is the measured performance of the model on recorded histories. It is committed
// with the model and written by the tests of package validate.
type Validation struct {
	Date         string      `json:"date"`         // of the newest commit of the data
	Repositories int         `json:"repositories"` // that the moments are of
	Moments      int         `json:"moments"`
	Quiet        int         `json:"quiet"`      // moments without a commit by a person in the days after
	QuietRepos   int         `json:"quietRepos"` // repositories that these are of
	Days         int         `json:"days"`       // after a moment that were looked at
	Maintenance  float64     `json:"maintenance"`
	LastCommit   float64     `json:"lastCommit"` // both areas under the ROC curve
	Chance       ChanceModel `json:"chance"`
}

// A ChanceModel is a logistic model of a commit by a person in the next days.
type ChanceModel struct {
	Weights [4]float64 `json:"weights"` // of the constant and of [ChanceFeatures]
	// UpTo is the maximum number of days since the last commit that the data cover.
	UpTo int `json:"upTo"`
	// Brier is the mean squared error of the chances of held-out repositories, and Base the
	// error of the mean of the others.
	Brier       float64          `json:"brier"`
	Base        float64          `json:"base"`
	Calibration []CalibrationBin `json:"calibration"`
}

// A CalibrationBin compares predicted chances with outcomes.
type CalibrationBin struct {
	From    float64 `json:"from"`
	To      float64 `json:"to"`
	Moments int     `json:"moments"`
	Said    float64 `json:"said"` // mean of the chances
	Was     float64 `json:"was"`  // share with a commit
}

//go:embed validation.json
var validationText []byte

var validation = func() Validation {
	var v Validation
	if err := json.Unmarshal(validationText, &v); err != nil {
		panic("scorer: validation.json: " + err.Error())
	}
	return v
}()

// activeWindow is how many days back active days count for the chance.
const activeWindow = 90

// ChanceFeatures returns the input of the chance: the logarithms of one plus the days since
// the last commit by a person, the days with one of the last 90, and the people who committed
// within a year. ok is false if one is unknown.
func ChanceFeatures(f *registry.Facts, now time.Time) (x [3]float64, ok bool) {
	return newInput(f, now).chanceFeatures()
}

func (in *input) chanceFeatures() (x [3]float64, ok bool) {
	last, _, known := in.lastCommit(in.activity)
	if !known || in.activity.Humans == nil {
		return x, false
	}
	days := map[int64]bool{}
	for _, d := range in.activity.ActiveDays {
		if t, err := time.Parse(time.DateOnly, d); err == nil && in.today-day(t) < activeWindow {
			days[day(t)] = true
		}
	}
	return [3]float64{
		math.Log1p(float64(in.daysSince(last))), math.Log1p(float64(len(days))),
		math.Log1p(float64(max(0, *in.activity.Humans))),
	}, true
}

// Chance returns the probability of features, from 0 to 1.
func (m *ChanceModel) Chance(x [3]float64) float64 {
	z := m.Weights[0]
	for i := range x {
		z += m.Weights[i+1] * x[i]
	}
	return 1 / (1 + math.Exp(-z))
}

// commitChance returns the estimated chance of a commit by a person in the
// next 90 days, in hundredths from 0.01 to 0.99; nil if it is unknown or the repository is
// archived. The data have too few repositories that were quiet for more than UpTo days: from
// then on the chance is inversely proportional to the days since the last commit.
func (in *input) commitChance() *float64 {
	x, ok := in.chanceFeatures()
	if !ok || in.f.Repo.Archived {
		return nil
	}
	days, upTo, later := math.Expm1(x[0]), float64(validation.Chance.UpTo), 1.0
	if days > upTo && upTo > 0 {
		x[0], later = math.Log1p(upTo), upTo/days
	}
	p := math.Round(validation.Chance.Chance(x)*later*100) / 100
	p = min(max(p, .01), .99)
	return &p
}
