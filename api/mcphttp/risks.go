package mcphttp

import (
	"slices"

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

// risksOf returns the reasons not to use a server; never nil.
func risksOf(s *registry.Server) []string {
	all := []string{}
	add := func(sentence string) {
		if sentence = brief(sentence, maxDescription); !slices.Contains(all, sentence) {
			all = append(all, sentence)
		}
	}
	for _, r := range s.Risks() {
		add(r.Text)
	}
	return all
}
