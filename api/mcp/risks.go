package mcp

import (
	"slices"
	"strings"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

// dangers are the kinds of risks of servers that are shown by ID only.
var dangers = []string{"copy", "dead", "hidden-instructions", "look-alike", "malware", "suspicious-text"}

// dangerous reports whether a server has one of the risks in dangers.
func dangerous(s *registry.Server) bool { return registry.HasRisk(s.Risks(), dangers...) }

// withheld counts servers that are not shown, and collects their risks.
type withheld struct {
	count int
	kinds []string
}

func (w *withheld) add(i *catalog.Item) {
	w.count++
	for _, kind := range dangers {
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
	return condition{Liveness: known(s.Liveness), LivenessAt: second(s.LivenessAt()),
		Risks: risksOf(s)}
}

// risksOf returns copies of the reasons not to use a server; never nil.
func risksOf(s *registry.Server) []registry.Risk {
	all := []registry.Risk{}
	for _, r := range s.Risks() {
		if r.Source != nil {
			r.Source = new(*r.Source)
		}
		all = append(all, registry.Risk{Kind: r.Kind, Text: brief(r.Text, maxDescription),
			Source: r.Source, At: second(r.At)})
	}
	return all
}
