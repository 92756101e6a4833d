package mcphttp

import (
	"slices"

	"mcpcensus/internal/registry"
)

// dangers are the caps and flags of servers that may harm their users. Such servers are
// shown by ID only.
var dangers = []string{"malware", "hidden_instructions", "registry_deleted", "suspicious_text"}

// riskyCaps are the caps that say more than that a score is low.
var riskyCaps = []string{
	"malware", "registry_deleted", "hidden_instructions", "archived", "deprecated_declared",
	"vuln_self", "vuln_dep", "remote_dead", "not_mcp", "fork_copy",
}

// flagTexts explain flags to a user.
var flagTexts = map[string]string{
	"suspicious_text": "Texts of its tools may hide something or manipulate a model.",
	"missing":         "The code host did not find the repository at the last visit.",
	"not_mcp":         "Nothing in the repository speaks MCP.",
	"fork_copy":       "It is a copy of another repository with almost no changes.",
}

// dangerous reports whether a server may harm its users, or may be a copy of another one.
func dangerous(s *registry.Server) bool {
	isDanger := func(id string) bool { return slices.Contains(dangers, id) }
	return slices.ContainsFunc(s.Health.Caps, func(c registry.Cap) bool { return isDanger(c.ID) }) ||
		slices.ContainsFunc(s.Health.Flags, isDanger) || len(s.Suspicious) > 0 ||
		s.Copy != nil
}

// risksOf returns the reasons against a server, as sentences. The list is not nil.
func risksOf(s *registry.Server) []string {
	all := []string{}
	add := func(sentence string) {
		if sentence = brief(sentence, maxDescription); !slices.Contains(all, sentence) {
			all = append(all, sentence)
		}
	}
	for _, c := range s.Health.Caps {
		if slices.Contains(riskyCaps, c.ID) {
			add(c.Reason)
		}
	}
	for _, f := range s.Health.Flags {
		if t := flagTexts[f]; t != "" {
			add(t)
		}
	}
	if of := s.OriginalOf(registry.LookAlike); of != "" {
		add("Its name looks like that of " + of + ", which is better known.")
	}
	if of := s.OriginalOf(registry.CopyOf); of != "" {
		add("It looks like a copy of " + of + ".")
	}
	if !s.Active() {
		add("The server is " + s.Status + ".")
	}
	if s.Liveness == registry.LivenessDown {
		add("Its remote endpoint does not respond.")
	}
	return all
}
