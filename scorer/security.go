package scorer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
)

// penalty is what one open advisory takes away.
func penalty(severity string) float64 {
	switch severity {
	case "critical":
		return 1
	case "high":
		return .5
	case "low":
		return .05
	}
	return .2
}

func isMalware(a *registry.Advisory) bool { return strings.HasPrefix(a.ID, "MAL-") }

// openAdvisories checks what is known against the newest published versions.
func (in *input) openAdvisories() signal {
	known := false
	var few [8]*registry.Advisory
	open := few[:0]
	for i := range in.packages {
		p := in.packages[i].facts
		if p == nil || !p.AdvisoriesKnown {
			continue
		}
		known = true
		for j := range p.Advisories {
			// Without a fixed version of a dependency there is nothing that
			// the owner could do.
			if a := &p.Advisories[j]; a.Package == "" || a.Fixed != "" {
				open = append(open, a)
			}
		}
	}
	if !known {
		reason := "No advisories are known, because no published package was checked."
		if !in.published && in.allKnown {
			reason = "Nothing is published that advisories could be looked up for."
		}
		return signal{state: StateUnknown, reason: in.failed(reason, "osv.dev", "deps.dev")}
	}
	slices.SortFunc(open, func(a, b *registry.Advisory) int {
		return cmp.Or(cmp.Compare(penalty(b.Severity), penalty(a.Severity)), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Package, b.Package))
	})
	// Two packages of one server may both have an advisory.
	open = slices.CompactFunc(open, func(a, b *registry.Advisory) bool { return a.ID == b.ID })
	s := signal{state: StateOK, value: 1, at: at(&in.times.packages)}
	if len(open) == 0 {
		s.reason = "No open advisory is known that a new version would mend."
		return s
	}
	var steps []string
	for i, a := range open {
		s.value -= penalty(a.Severity)
		if i >= 5 {
			continue
		}
		s.evidence = append(s.evidence, registry.Evidence{Type: "advisory", Ref: clean(a.ID), URL: link(a.URL), Text: clean(a.Title)})
		if a.Package == "" {
			steps = append(steps, "repair "+clean(a.ID))
		} else {
			steps = append(steps, "raise "+clean(a.Package)+" to "+clean(a.Fixed))
		}
	}
	s.value = unit(s.value)
	if len(open) > len(steps) {
		steps = append(steps, fmt.Sprintf("mend %d more", len(open)-len(steps)))
	}
	s.fix = sentence(strings.Join(steps, ", ") + ", and release.")
	worst, where := open[0], "the package itself"
	if worst.Package != "" {
		where = clean(worst.Package + " " + worst.Version)
	}
	severity := worst.Severity
	if severity == "" || severity == "unknown" {
		severity = "unrated"
	}
	s.reason = count(len(open), "open advisory") + ". The worst is " + clean(worst.ID) + " (" + clean(severity) + ") in " + where + "."
	return s
}

func (in *input) policy() signal {
	if t := in.tree; t != nil && t.SecurityFile != "" {
		return signal{state: StateOK, value: 1, reason: "There is a " + clean(t.SecurityFile) + ".", evidence: in.file(t.SecurityFile, ""), at: at(&in.times.tree)}
	}
	p := in.f.Repo.SecurityPolicy
	if p == nil {
		return signal{state: StateUnknown, reason: in.failed("Whether there is a security policy, here or of the organisation, has not been read.", "repo", "community")}
	}
	if *p {
		return signal{state: StateOK, value: 1, reason: "There is a security policy.", at: at(&in.times.repo)}
	}
	return signal{state: StateOK, reason: "There is no security policy.", at: at(&in.times.repo)}
}

func (in *input) depUpdates() signal {
	t := in.tree
	if t == nil {
		return in.noTree()
	}
	s := signal{state: StateOK, at: at(&in.times.tree)}
	switch {
	case t.UpdateBot != "":
		s.value, s.reason, s.evidence = 1, "There is a "+clean(t.UpdateBot)+".", in.file(t.UpdateBot, "")
	case !t.HasDependencies:
		return signal{state: StateNA, reason: "The manifests name no dependencies."}
	case in.activity != nil && in.activity.BotCommits > 0:
		s.value, s.reason = 1, "A bot made "+count(in.activity.BotCommits, "commit")+" with dependency updates in 180 days."
	default:
		s.reason = "Neither a configuration nor commits of Dependabot or Renovate were found."
	}
	return s
}

func (in *input) provenance() signal {
	if !in.published {
		if !in.allKnown {
			return signal{state: StateUnknown, reason: "It is not known whether a package is published."}
		}
		return signal{state: StateNA, reason: "No package is published."}
	}
	s := signal{state: StateUnknown, reason: in.failed("The package services have not said whether the newest version is attested.", "deps.dev")}
	for i := range in.packages {
		p := &in.packages[i]
		if !p.found || p.facts == nil || p.facts.Attested == nil {
			continue
		}
		s = signal{state: StateOK, at: at(&in.times.packages), evidence: packageEvidence(p), source: p.registryType}
		if *p.facts.Attested {
			s.value, s.reason = 1, "There is an attestation for "+p.label()+"."
			return s
		}
		s.reason = "There is no attestation for " + p.label() + "."
	}
	return s
}

func (in *input) workflowSafety() signal {
	t := in.tree
	if t == nil {
		return in.noTree()
	}
	s := signal{state: StateOK, at: at(&in.times.tree)}
	switch {
	case t.UnsafeCheckout != "":
		s.reason = clean(t.UnsafeCheckout) + " runs on pull_request_target and checks out the pull request's head."
		s.evidence = in.file(t.UnsafeCheckout, "")
		s.fix = "Do not check out the pull request's head in " + clean(t.UnsafeCheckout) + "."
	case t.Workflows <= 0:
		return signal{state: StateNA, reason: "There are no workflows."}
	case t.WorkflowsRead <= 0:
		return signal{state: StateUnknown, reason: in.failed("The workflows have not been read.", "texts", "tree")}
	default:
		with := min(max(0, t.WithPermissions), t.WorkflowsRead)
		s.value = float64(with) / float64(t.WorkflowsRead)
		s.reason = fmt.Sprintf("Workflows that set permissions: %d of %d.", with, t.WorkflowsRead)
	}
	return s
}
