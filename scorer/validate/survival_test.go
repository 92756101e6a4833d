package validate

import (
	"fmt"
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
