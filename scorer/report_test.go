package scorer

import (
	"math"
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

func find(t testing.TB, h registry.Health, id string) registry.Check {
	t.Helper()
	for _, s := range h.Categories {
		for _, c := range s.Checks {
			if c.ID == id {
				return c
			}
		}
	}
	t.Fatal("no check", id)
	return registry.Check{}
}

// checkCase is the expected result of a check of the fixture "healthy" with a change.
type checkCase struct {
	check, name string
	set         func(f *registry.Facts)
	state       string
	value       float64 // of the check, for StateOK
	reason      string  // part of it
}

func testChecks(t *testing.T, cases []checkCase) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.check+"/"+tt.name, func(t *testing.T) {
			f := load(t, "healthy")
			tt.set(&f)
			c := find(t, Health(f, testNow), tt.check)
			if c.State != tt.state || !strings.Contains(c.Reason, tt.reason) {
				t.Errorf("got %s: %s; want %s: %s", c.State, c.Reason, tt.state, tt.reason)
			}
			if c.State != StateOK {
				return
			}
			value := newInput(&f, testNow).measure()[checkIndex(tt.check)].value
			if math.Abs(value-tt.value) > 0.005 {
				t.Errorf("got value %.3f, want %.3f", value, tt.value)
			}
		})
	}
}

// TestChecksHaveDates checks that every check with a result names its source and date.
func TestChecksHaveDates(t *testing.T) {
	for _, name := range fixtures(t) {
		for _, s := range Health(load(t, name), testNow).Categories {
			for _, c := range s.Checks {
				if c.Result != ResultUnknown && (c.Source == "" || c.ObservedAt == nil) {
					t.Errorf("%s: %s is %s, from %q on %v", name, c.ID, c.Result, c.Source, c.ObservedAt)
				}
			}
		}
	}
}

func TestFixes(t *testing.T) {
	for _, name := range fixtures(t) {
		for _, s := range Health(load(t, name), testNow).Categories {
			for _, c := range s.Checks {
				lost := c.Max-c.Points >= .05
				if c.Fix != "" && (!lost || c.State == StateUnknown || c.State == StateNA) {
					t.Errorf("%s: %s has %v of %v points and the fix %q", name, c.ID, c.Points, c.Max,
						c.Fix)
				}
			}
		}
	}
}

func TestImprovementGain(t *testing.T) {
	// A license lifts its cap as well; with the repository archived nothing helps.
	f := load(t, "no_licence")
	h := Health(f, testNow)
	f.Repo.License = "MIT"
	better := Health(f, testNow)
	if len(h.Improve) != 1 || h.Improve[0].Check != "license" ||
		math.Abs(better.Uncapped-60-h.Improve[0].Gain) > .11 {
		t.Errorf("%+v, but from 60 to %v", h.Improve, better.Uncapped)
	}
	f.Repo.License, f.Repo.Archived = "", true
	if h := Health(f, testNow); len(h.Improve) != 0 {
		t.Errorf("%+v", h.Improve)
	}
	f = load(t, "tiny")
	before := Health(f, testNow)
	f.Tree.CIStep = &registry.CIStep{Path: "ci.yml", Command: "npm test", Tests: true, On: "push"}
	after := Health(f, testNow)
	for _, i := range before.Improve {
		if i.Check == "ci" && math.Abs(after.Uncapped-before.Uncapped-i.Gain) > .11 {
			t.Errorf("%+v, but from %v to %v", i, before.Uncapped, after.Uncapped)
		}
	}
}
