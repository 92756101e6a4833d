// Package scorer turns the facts that are known about one MCP server into its
// health and its popularity.
//
// Both are pure functions: no clock, no network, no state, and the same input
// gives the same bytes. The model, with its checks, weights, curves, caps,
// priors and grades, is declared once, in model.go; docs/scoring.md is
// generated from there.
package scorer

import (
	"math"
	"slices"
	"time"

	"mcpcensus/internal/registry"
)

// Health returns the verdict of the model on one server. Ages are counted in
// whole UTC days up to the day of now. It never fails: what is not known
// counts at the check's prior and lowers the coverage.
func Health(f registry.Facts, now time.Time) registry.Health {
	h := registry.Health{
		Confidence: "low",
		Version:    Version,
		Commit:     clean(f.Repo.Commit),
		ComputedAt: now.UTC().Truncate(time.Second),
		Categories: []registry.HealthSection{},
		Caps:       []registry.Cap{},
		Flags:      []string{},
		Improve:    []registry.Improvement{},
	}
	switch {
	case f.Gone || f.Repo.Private:
		h.Status, h.Flags = registry.HealthGone, []string{FlagMissing}
		return h
	case f.Blocked != "" || f.Repo.Disabled:
		h.Status = registry.HealthBlocked
		return h
	case f.Repo.Empty:
		h.Status = registry.HealthEmpty
		return h
	}
	in := newInput(&f, now)
	signals := in.measure()
	stable := in.stable(&signals)
	sum := combine(&signals, stable)
	caps := in.caps(sum.coverage, stable)
	report(&h, &signals, &sum, caps)
	nameHost(&h, in.f.Repo.Host)
	h.Flags = in.flags(&signals, caps)
	return h
}

// States of a check.
const (
	StateOK       = "ok"       // measured
	StateUnknown  = "unknown"  // not measured: counts at the check's prior
	StateNA       = "na"       // does not apply: its weight goes to the others of its category
	StateWithheld = "withheld" // the owner switched the source off: counts at the prior, at most at 0.4
)

// Results of a check, for people: what its state and value come to.
const (
	ResultPass          = "pass"          // at least 0.9 of the points
	ResultPartial       = "partial"       // between
	ResultFail          = "fail"          // at most 0.1 of the points
	ResultUnknown       = "unknown"       // unknown or withheld
	ResultNotApplicable = "notApplicable" // does not apply
)

// withheldMax is the most that a withheld check counts for.
const withheldMax = 0.4

// A signal is the outcome of one check before it is weighed.
type signal struct {
	state    string
	value    float64 // 0 to 1, for StateOK; filled in by combine for the others
	raised   bool    // value was lifted by the stable floor
	reason   string
	elapsed  bool // reason counts time up to now
	evidence []registry.Evidence
	fix      string // "" for the fix of the check's declaration
	source   string // "" for the source of the check's declaration
	at       *time.Time
}

// A total is what the signals add up to. Values are in points of 100.
type total struct {
	weight   [numChecks]float64 // effective, after redistribution; they sum to 100
	uncapped float64
	low      float64
	high     float64
	coverage float64 // 0 to 1
	section  [numCategories]struct {
		value, coverage float64
		applies         bool
	}
}

// combine fills in the values of the signals that were not measured and adds
// all of them up.
func combine(signals *[numChecks]signal, stable bool) total {
	var t total
	var applicable [numCategories]float64
	for i := range signals {
		s := &signals[i]
		switch s.state {
		case StateNA:
			s.value = 0
			continue
		case StateUnknown:
			s.value = checks[i].Prior
		case StateWithheld:
			s.value = min(checks[i].Prior, withheldMax)
		default:
			s.value = unit(s.value)
		}
		applicable[category[i]] += checks[i].Weight
	}
	if stable {
		raise(signals)
	}
	var all float64
	for c := range applicable {
		if applicable[c] > 0 {
			all += categories[c].Weight
			t.section[c].applies = true
		}
	}
	for i := range signals {
		s, c := &signals[i], category[i]
		if s.state == StateNA {
			continue
		}
		w := checks[i].Weight / applicable[c] * categories[c].Weight / all * 100
		share := checks[i].Weight / applicable[c]
		t.weight[i] = w
		t.uncapped += w * s.value
		t.section[c].value += share * s.value
		low, high := s.value, s.value
		switch s.state {
		case StateOK:
			t.coverage += w / 100
			t.section[c].coverage += share
		case StateUnknown:
			low, high = 0, 1
			if s.raised {
				low = stableFloor
			}
		case StateWithheld:
			low = 0
		}
		t.low += w * low
		t.high += w * high
	}
	return t
}

// stableFloor is the least that the checks of floored count for when a server
// is stable: finished is not abandoned.
const stableFloor = 0.7

var floored = [...]int{commitRecency, cadence, releaseRecency}

// raise lifts the checks that suffer when a finished server rests.
func raise(signals *[numChecks]signal) {
	for _, i := range floored {
		if s := &signals[i]; s.state != StateNA && s.value < stableFloor {
			s.value, s.raised = stableFloor, true
		}
	}
}

// whole rounds points down, so that what is shown and what is filtered on
// agree. The small term undoes the error of summing floats.
func whole(points float64) int {
	return min(100, max(0, int(math.Floor(points+1e-9))))
}

func unit(v float64) float64 {
	if !(v > 0) { // NaN too
		return 0
	}
	return min(v, 1)
}

func tenth(v float64) float64 { return math.Round(v*10) / 10 }

// nameHost sets the source of checks that rest on what the code host says.
func nameHost(h *registry.Health, host string) {
	if host == "" || host == sourceHost {
		return
	}
	for _, c := range h.Categories {
		for i := range c.Checks {
			if c.Checks[i].Source == sourceHost {
				c.Checks[i].Source = host
			}
		}
	}
}

// report writes the checks, the score and what would improve it into h.
func report(h *registry.Health, signals *[numChecks]signal, t *total, caps []registry.Cap) {
	most := 100
	binding := -1
	for i, c := range caps {
		if c.Max < most {
			most, binding = c.Max, i
		}
	}
	h.Coverage = math.Round(t.coverage*1000) / 1000
	h.Uncapped = math.Floor(t.uncapped*10+1e-9) / 10
	switch {
	case t.coverage >= confidenceHigh-1e-9:
		h.Confidence = "high"
	case t.coverage >= confidenceMedium-1e-9:
		h.Confidence = "medium"
	}
	if t.coverage < minCoverage-1e-9 {
		h.Status = registry.HealthInsufficientData
	} else {
		numbers := [3]int{min(whole(t.uncapped), most), min(whole(t.low), most), min(whole(t.high), most)}
		h.Status = registry.HealthScored
		h.Score, h.Low, h.High = &numbers[0], &numbers[1], &numbers[2]
		h.Grade = registry.GradeOf(numbers[0])
		if binding >= 0 && whole(t.uncapped) > most {
			caps[binding].Applied = true
		}
		h.Improve = improvements(signals, t, caps)
	}
	if caps != nil {
		h.Caps = caps
	}

	h.Categories = make([]registry.HealthSection, numCategories)
	list := make([]registry.Check, numChecks)
	scores := make([]float64, numCategories)
	first := 0
	var raw, shown, rawMax, shownMax float64
	for c := range categories {
		section := &h.Categories[c]
		section.Category = categories[c].ID
		section.Weight = categories[c].Weight
		section.Coverage = math.Round(t.section[c].coverage*1000) / 1000
		if t.section[c].applies {
			scores[c] = tenth(t.section[c].value * 100)
			section.Score = &scores[c]
		}
		n := first
		for ; n < numChecks && category[n] == c; n++ {
			s := &signals[n]
			// Rounding is carried along, so that the maxima shown sum to 100
			// and the points shown to the uncapped score.
			rawMax += t.weight[n]
			most := tenth(rawMax - shownMax)
			shownMax += most
			raw += t.weight[n] * s.value
			points := most
			switch {
			case s.state == StateNA, s.value == 0:
				points = 0
			case s.value < 1:
				points = tenth(min(max(raw-shown, 0), most))
			}
			shown += points
			list[n] = s.check(&checks[n], points, most)
		}
		section.Checks = list[first:n:n]
		first = n
	}
}

// check returns the signal as it is shown.
func (s *signal) check(spec *CheckSpec, points, most float64) registry.Check {
	c := registry.Check{
		ID: spec.ID, Name: spec.Name, State: s.state,
		Points: points, Max: most,
		Reason: s.reason, Elapsed: s.elapsed, Evidence: s.evidence,
		Source: s.source, ObservedAt: s.at,
	}
	if c.Source == "" {
		c.Source = spec.Source
	}
	switch s.state {
	case StateNA:
		c.Result = ResultNotApplicable
		return c
	case StateUnknown:
		c.Result = ResultUnknown
		if !s.raised {
			c.Reason += spec.unknown
		}
	case StateWithheld:
		c.Result = ResultUnknown
		c.Reason += spec.withheld
	default:
		switch {
		case s.value >= 0.9:
			c.Result = ResultPass
		case s.value <= 0.1:
			c.Result = ResultFail
		default:
			c.Result = ResultPartial
		}
	}
	if s.raised {
		c.Reason += " Counted at 0.7: the server is stable and quiet, which is not abandoned."
	}
	if s.fixable(spec) && most-points >= 0.05 {
		c.Fix = s.remedy(spec)
	}
	return c
}

// fixable says whether the owner can win back what the signal loses.
func (s *signal) fixable(spec *CheckSpec) bool {
	return spec.Fixable && s.value < 1 && (s.state == StateOK || s.state == StateWithheld)
}

func (s *signal) remedy(spec *CheckSpec) string {
	if s.fix != "" {
		return s.fix
	}
	return spec.Fix
}

// improvements returns what the owner can do, most gain first. A gain is by
// how much the final score would rise if this check alone had full points:
// caps that bind whatever is done keep it down, and a cap that goes with the
// check is lifted with it.
func improvements(signals *[numChecks]signal, t *total, caps []registry.Cap) []registry.Improvement {
	score := t.uncapped
	for _, c := range caps {
		score = min(score, float64(c.Max))
	}
	var few [8]int
	lifted := few[:0] // the check that lifts each cap
	for _, c := range caps {
		lifted = append(lifted, liftedBy(c.ID))
	}
	list := make([]registry.Improvement, 0, 8)
	for i := range signals {
		s := &signals[i]
		if !s.fixable(&checks[i]) {
			continue
		}
		better := t.uncapped + t.weight[i]*(1-s.value)
		for j, c := range caps {
			if lifted[j] != i {
				better = min(better, float64(c.Max))
			}
		}
		if gain := tenth(better - score); gain > 0 {
			list = append(list, registry.Improvement{Check: checks[i].ID, Gain: gain, Text: s.remedy(&checks[i])})
		}
	}
	slices.SortStableFunc(list, func(a, b registry.Improvement) int {
		switch {
		case a.Gain > b.Gain:
			return -1
		case a.Gain < b.Gain:
			return 1
		}
		return 0
	})
	return list
}

// flags returns the marks that are no part of the number.
func (in *input) flags(signals *[numChecks]signal, caps []registry.Cap) []string {
	flags := []string{}
	for _, i := range floored {
		if signals[i].raised {
			flags = append(flags, FlagStableQuiet)
			break
		}
	}
	for _, c := range caps {
		switch c.ID {
		case "not_mcp":
			flags = append(flags, FlagNotMCP)
		case "fork_copy":
			flags = append(flags, FlagForkCopy)
		}
	}
	if in.f.Missing != nil {
		flags = append(flags, FlagMissing)
	}
	return flags
}

// Flags of [registry.Health.Flags] and [registry.Popularity.Flags].
const (
	FlagStableQuiet  = "stable_quiet"  // rests, and all signs say finished rather than abandoned
	FlagNotMCP       = "not_mcp"       // nothing in it speaks MCP
	FlagForkCopy     = "fork_copy"     // a copy of another repository with next to nothing of its own
	FlagMissing      = "missing"       // the code host did not find it at the last visit
	FlagUnusualStars = "unusual_stars" // many stars, little use: stars count as 1,000
)
