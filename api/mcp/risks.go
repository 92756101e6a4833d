package mcp

import (
	"slices"
	"strings"

	"mcpcensus/api"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

// dangerous reports whether a server has one of [api.Dangers]. Such servers are shown by ID only.
func dangerous(s *registry.Server) bool { return registry.HasRisk(s.Risks(), api.Dangers...) }

// withheld counts servers that are not shown, and collects their risks.
type withheld struct {
	count int
	kinds []string
}

func (w *withheld) add(i *catalog.Item) {
	w.count++
	for _, kind := range api.Dangers {
		if i.HasRisk(kind) && !slices.Contains(w.kinds, kind) {
			w.kinds = append(w.kinds, kind)
		}
	}
}

// warnings returns a sentence about what is not shown, none if no server was added.
func (w *withheld) warnings(what string) []string {
	if w.count == 0 {
		return nil
	}
	slices.Sort(w.kinds)
	return []string{"Not shown: " + what + " with risks: " + strings.Join(w.kinds, ", ") + "."}
}

// conditionOf returns whether a server can be used. It needs the fields of
// [mcpcensus/internal/catalog.Item.Summary].
func conditionOf(s *registry.Server) condition {
	return condition{Liveness: api.Known(s.Liveness), LivenessAt: second(s.LivenessAt()),
		Risks: risksOf(s)}
}

// risksOf returns copies of the reasons not to use a server; never nil.
func risksOf(s *registry.Server) []registry.Risk {
	all := []registry.Risk{}
	for _, r := range s.Risks() {
		if r.Source != nil {
			r.Source = new(*r.Source)
		}
		if r.Instead != nil {
			r.Instead = new(brief(*r.Instead, maxDescription))
		}
		r.Text, r.At = brief(r.Text, maxDescription), second(r.At)
		all = append(all, r)
	}
	return all
}
