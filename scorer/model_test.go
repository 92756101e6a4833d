package scorer

import (
	"math"
	"slices"
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

func TestModel(t *testing.T) {
	m := Model()
	sum, seen := 0.0, map[string]bool{}
	byCategory := map[string]float64{}
	for i, c := range m.Checks {
		if seen[c.ID] {
			t.Errorf("%s is declared twice", c.ID)
		}
		seen[c.ID] = true
		byCategory[c.Category] += c.Weight
		if checks[i].category < 0 || categories[checks[i].category].ID != c.Category {
			t.Errorf("%s is not declared among its category", c.ID)
		}
		if c.Name == "" || c.Question == "" || c.Formula == "" || c.Source == "" || c.Weight < 0 {
			t.Errorf("%s lacks a text or its weight", c.ID)
		}
		if (c.Weight == 0) != (c.NoPoints != "") || c.Weight == 0 && c.Fix != "" {
			t.Errorf("%s of weight %v says %q about it and advises %q", c.ID, c.Weight, c.NoPoints, c.Fix)
		}
		for j, p := range c.Curve {
			if p.Y < 0 || p.Y > 1 || j > 0 && p.X <= c.Curve[j-1].X {
				t.Errorf("the curve of %s is wrong at %v", c.ID, p)
			}
		}
	}
	if !slices.IsSortedFunc(checks, func(a, b CheckSpec) int { return a.category - b.category }) {
		t.Error("the checks are not in the order of the categories")
	}
	for _, c := range m.Categories {
		sum += c.Weight
		if math.Abs(byCategory[c.ID]-c.Weight) > 1e-9 {
			t.Errorf("the checks of %s weigh %v, the category %v", c.ID, byCategory[c.ID], c.Weight)
		}
	}
	if sum != 100 {
		t.Errorf("the categories weigh %v", sum)
	}
	for _, c := range m.Caps {
		if c.Check != "" && !seen[c.Check] {
			t.Errorf("the cap %s names an unknown check %s", c.ID, c.Check)
		}
	}
	sum = 0
	for _, in := range m.Popularity {
		sum += in.Weight
	}
	if sum != 100 {
		t.Errorf("the inputs of popularity weigh %v", sum)
	}
}

func TestGrades(t *testing.T) {
	for score := 0; score <= 100; score++ {
		i := slices.IndexFunc(Model().Grades,
			func(g GradeSpec) bool { return g.From <= score && score <= g.To })
		if i < 0 || Model().Grades[i].Grade != registry.GradeOf(score) {
			t.Errorf("the grade of %d is %s in the registry", score, registry.GradeOf(score))
		}
	}
}

func TestAnchors(t *testing.T) {
	doc := scoringDocument()
	for _, c := range Model().Checks {
		if !strings.Contains(doc, `<a id="`+c.ID+`">`) {
			t.Error("no anchor", c.ID)
		}
	}
	for _, c := range Model().Caps {
		if !strings.Contains(doc, `<a id="`+c.ID+`">`) {
			t.Error("no anchor", c.ID)
		}
	}
}

func TestCaps(t *testing.T) {
	fired := map[string]bool{}
	for _, name := range fixtures(t) {
		for _, c := range Health(load(t, name), testNow).Caps {
			fired[c.ID] = true
			i := slices.IndexFunc(caps, func(s CapSpec) bool { return s.ID == c.ID })
			if i < 0 || !slices.Contains(caps[i].Max, c.Max) {
				t.Errorf("%s fires the cap %s at %d, which is not declared", name, c.ID, c.Max)
			}
		}
	}
	for _, c := range caps {
		if !fired[c.ID] {
			t.Errorf("no fixture fires the cap %s", c.ID)
		}
	}
}

func TestCurve(t *testing.T) {
	c := checks[checkIndex("commit_recency")].Curve
	for _, tt := range []struct{ x, want float64 }{{-5, 1}, {7, .95}, {14, .9}, {22, .85}, {60, .7}, {540, 0}, {9999, 0}, {math.NaN(), 1}} {
		if got := c.At(tt.x); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("At(%v) = %v, want %v", tt.x, got, tt.want)
		}
	}
	if got := Curve(nil).At(1); got != 0 {
		t.Error(got)
	}
}
