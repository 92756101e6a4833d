package generate

import (
	"fmt"
	"math"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/scorer"
)

// A sum adds up the points of the checks of a generated score.
type sum struct {
	points, low, high, measured float64
}

// health returns a score with every check of the model, whose points add up to it.
func (g generator) health(s *registry.Server, now time.Time) registry.Health {
	model := scorer.Model()
	h := registry.Health{
		Status: registry.HealthScored, Version: model.Version, ComputedAt: now,
		Categories: []registry.HealthSection{}, Improve: []registry.Improvement{},
		Caps: []registry.Cap{}, Flags: []string{},
	}
	if g.chance(0.03) {
		h.Status, h.Confidence, h.Coverage = registry.HealthInsufficientData, "low", 0.2
		return h
	}
	level := 0.15 + 0.8*math.Sqrt(g.Float64())
	var t sum
	for _, c := range model.Categories {
		h.Categories = append(h.Categories, g.section(&h, &t, c, model.Checks, level))
	}
	h.Coverage = math.Round(t.measured) / 100
	h.Confidence = "medium"
	if h.Coverage >= 0.85 {
		h.Confidence = "high"
	}
	h.Uncapped = math.Round(t.points*100) / 100
	score := int(t.points)
	if s.Status == registry.StatusArchived || s.Status == registry.StatusDeprecated {
		h.Caps = append(h.Caps, registry.Cap{
			ID: "archived", Max: 29, Reason: "The repository is archived.", Applied: score > 29,
		})
		score = min(score, 29)
	}
	lo, hi := max(0, min(score, int(t.points+t.low))), min(100, max(score, int(t.points+t.high)))
	h.Score, h.Low, h.High, h.Grade = &score, &lo, &hi, registry.GradeOf(score)
	return h
}

// section returns a category with its checks. On average they get the share level of their
// points.
func (g generator) section(
	h *registry.Health, t *sum, category scorer.CategorySpec, checks []scorer.CheckSpec, level float64,
) registry.HealthSection {
	out := registry.HealthSection{Category: category.ID, Weight: category.Weight}
	var got, known float64
	for _, spec := range checks {
		if spec.Category != category.ID {
			continue
		}
		share := math.Round(min(1, max(0, level+0.5*(g.Float64()-0.5)))*100) / 100
		c := g.check(spec, share, h.ComputedAt)
		if c.State == scorer.StateOK {
			known += spec.Weight
		} else {
			share = spec.Prior
			t.high += spec.Weight / 2
			t.low -= spec.Weight / 2
		}
		c.Points = math.Round(share*spec.Weight*100) / 100
		got += c.Points
		out.Checks = append(out.Checks, c)
		if c.Fix != "" && len(h.Improve) < 5 && share < 0.5 {
			gain := math.Round((spec.Weight-c.Points)*100) / 100
			h.Improve = append(h.Improve, registry.Improvement{Check: spec.ID, Gain: gain, Text: spec.Fix})
		}
	}
	score := math.Round(100*got/category.Weight*10) / 10
	out.Score, out.Coverage = &score, known/category.Weight
	t.points += got
	t.measured += known
	return out
}

// check returns a check that got a share of its points. Some checks are unknown.
func (g generator) check(spec scorer.CheckSpec, share float64, now time.Time) registry.Check {
	c := registry.Check{
		ID: spec.ID, Name: spec.Name, Max: spec.Weight, State: scorer.StateOK,
		Source: scorer.SourceFor(spec.Source, ""), ObservedAt: &now,
		Reason:   fmt.Sprintf("Measured %d for a made-up server.", 1+g.IntN(60)),
		Evidence: []registry.Evidence{{Type: "file", Ref: "README.md"}},
	}
	switch {
	case g.chance(0.06):
		c.State, c.Result = scorer.StateUnknown, scorer.ResultUnknown
		c.Reason, c.Evidence = "The source did not respond.", nil
	case share >= 0.8:
		c.Result = scorer.ResultPass
	case share >= 0.3:
		c.Result, c.Fix = scorer.ResultPartial, spec.Fix
	default:
		c.Result, c.Fix = scorer.ResultFail, spec.Fix
	}
	return c
}
