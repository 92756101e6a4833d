package mcphttp

import (
	"slices"
	"strings"

	"mcpcensus/internal/mcpserver"
	"mcpcensus/internal/registry"
)

// dangers are the caps and flags of servers that may harm their users. Such servers are
// shown by ID only.
var dangers = []string{"malware", "hidden_instructions", "registry_deleted", "suspicious_text"}

// dangerous reports whether a server may harm its users, or may be a copy of another one.
func dangerous(s *registry.Server) bool {
	isDanger := func(id string) bool { return slices.Contains(dangers, id) }
	return slices.ContainsFunc(s.Health.Caps, func(c registry.Cap) bool { return isDanger(c.ID) }) ||
		slices.ContainsFunc(s.Health.Flags, isDanger) || len(s.Suspicious) > 0 ||
		s.Copy != nil
}

// conditionOf returns whether a server can be used. It needs the fields of
// [mcpcensus/internal/catalog.Item.Summary].
func conditionOf(s *registry.Server) mcpserver.Condition {
	c := mcpserver.Condition{Liveness: known(s.Liveness), Risks: risksOf(s)}
	if l := s.BestEndpoint(); l != nil {
		c.LivenessAt = second(&l.CheckedAt)
	}
	return c
}

// risksOf returns the reasons not to use a server; never nil.
func risksOf(s *registry.Server) []mcpserver.RiskEntry {
	all := []mcpserver.RiskEntry{}
	for _, r := range s.Risks() {
		e := mcpserver.RiskEntry{Kind: r.Kind, Text: brief(r.Text, maxDescription), At: second(r.At)}
		if r.Source != nil {
			e.Source = known(*r.Source)
		}
		all = append(all, e)
	}
	return all
}

// suspiciousOf returns the suspicious texts of a server; never nil.
func suspiciousOf(s *registry.Server) []mcpserver.SuspiciousEntry {
	all := []mcpserver.SuspiciousEntry{}
	for _, t := range s.Suspicious[:min(len(s.Suspicious), maxParts)] {
		all = append(all, mcpserver.SuspiciousEntry{
			Rule: t.Rule, Tool: brief(t.Tool, maxName), Field: brief(t.Field, maxName),
			Quote:  brief(strings.ReplaceAll(t.Quote, "<!--", "<U+003C>!--"), maxDescription),
			Source: known(t.Source), ReadAt: second(t.ReadAt),
		})
	}
	return all
}
