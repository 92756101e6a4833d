package scorer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

var securityChecks = []CheckSpec{
	{
		ID: "advisories", Category: security, Name: "Known vulnerabilities", Weight: 3,
		from: fromPackages, measure: (*input).openAdvisories, advise: (*input).repairAdvice,
		Question: "Does the published version have known vulnerabilities?",
		Formula: "1 less 1.0 per critical, 0.5 per high, 0.2 per moderate (or unrated) and 0.05 " +
			"per low open advisory on the latest published version and its direct runtime " +
			"dependencies, at least 0. One in a dependency counts only if there is a fixed " +
			"version.",
		Source: "osv",
		NA:     "no package is published",
		Fix:    "Upgrade the affected dependencies and release.",
	},
	{
		ID: "policy", Category: security, Name: "Security policy", Weight: 1,
		from: fromRepo, measure: (*input).policy,
		Question: "Does it say how to report a vulnerability?",
		Formula: "A security policy in the repository or inherited from its organization: 1. " +
			"None: 0.",
		Source: sourceHost,
		Fix:    "Add a SECURITY.md with a contact.",
	},
	{
		ID: "dep_updates", Category: security, Name: "Dependency updates", Weight: 3,
		from: fromTree, measure: (*input).depUpdates, advise: (*input).updateAdvice,
		Question: "Are dependencies kept up to date?",
		Formula: "A Dependabot or Renovate configuration, or commits by such a bot in the last " +
			"180 days: 1. Neither: 0.",
		Source: sourceHost,
		NA:     "the server has no dependencies",
		Fix:    "Enable Dependabot or Renovate.",
	},
	{
		ID: "provenance", Category: security, Name: "Build provenance", Weight: 2,
		from: fromPackages, measure: (*input).provenance, advise: (*input).provenanceAdvice,
		Question: "Can users verify where the package was built?",
		Formula:  "The latest version has a provenance attestation: 1. It does not: 0.",
		Source:   "packages",
		NA:       "nothing is published in a registry with attestations: npm and PyPI",
		Fix:      "Publish from CI with trusted publishing.",
	},
	{
		ID: "workflow_safety", Category: security, Name: "Workflow permissions", Weight: 1,
		from: fromTree, measure: (*input).workflowSafety, advise: (*input).workflowAdvice,
		Question: "Are the permissions of workflows limited?",
		Formula: "Share of the workflows that set permissions; 0 if one that runs on " +
			"pull_request_target checks out the pull request's head.",
		Source: sourceHost,
		NA:     "there are no workflows",
		Fix:    "Add \"permissions: contents: read\" to every workflow.",
	},
}

// penalty is the value that one open advisory costs.
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

// openAdvisories compares known advisories with the newest published versions.
func (in *input) openAdvisories(s signal) signal {
	open, known := in.advisories()
	if !known {
		if !in.published && in.allKnown && (len(in.packages) > 0 || in.tree != nil) {
			return notApplicable("No package is published that could have advisories.")
		}
		return unknown("Unknown: no published package was checked for advisories.")
	}
	if len(open) == 0 {
		return s.withValue(1, "No known vulnerabilities that an update would fix.")
	}
	s.value = 1
	for _, a := range open {
		s.value -= penalty(a.Severity)
	}
	s.value = unit(s.value)
	for _, a := range open[:min(len(open), fewAdvisories)] {
		s.evidence = append(s.evidence, registry.Evidence{
			Type: "advisory", Ref: clean(a.ID), URL: link(a.URL), Text: clean(a.Title),
		})
	}
	worst, where := open[0], "the package itself"
	if worst.Package != "" {
		where = clean(worst.Package + " " + worst.Version)
	}
	severity := worst.Severity
	if severity == "" || severity == "unknown" {
		severity = "unrated"
	}
	s.reason = text.Count(len(open), "open advisory") + ". The worst is " + clean(worst.ID) + " (" +
		clean(severity) + ") in " + where + "."
	return s
}

// advisories returns the open advisories that the owner could do something
// about, the worst first: one in a dependency needs a fixed version. known
// reports that any package was checked.
func (in *input) advisories() (open []*registry.Advisory, known bool) {
	for i := range in.packages {
		p := in.packages[i].facts
		if p == nil || !p.AdvisoriesKnown {
			continue
		}
		known = true
		for j := range p.Advisories {
			if a := &p.Advisories[j]; a.Package == "" || a.Fixed != "" {
				open = append(open, a)
			}
		}
	}
	slices.SortFunc(open, func(a, b *registry.Advisory) int {
		return cmp.Or(
			cmp.Compare(penalty(b.Severity), penalty(a.Severity)),
			cmp.Compare(a.ID, b.ID),
			cmp.Compare(a.Package, b.Package),
		)
	})
	// Two packages of one server may both have an advisory.
	return slices.CompactFunc(open, func(a, b *registry.Advisory) bool { return a.ID == b.ID }), known
}

const fewAdvisories = 5 // that evidence and advice name

func (in *input) repairAdvice(*signal) string {
	open, _ := in.advisories()
	var steps []string
	for _, a := range open[:min(len(open), fewAdvisories)] {
		if a.Package == "" {
			steps = append(steps, "fix "+clean(a.ID))
		} else {
			steps = append(steps, "upgrade "+clean(a.Package)+" to "+clean(a.Fixed))
		}
	}
	if more := len(open) - fewAdvisories; more > 0 {
		steps = append(steps, fmt.Sprintf("fix %d more", more))
	}
	return sentence(strings.Join(steps, ", ") + ", and release.")
}

func (in *input) policy(s signal) signal {
	if t := in.tree; t != nil && t.SecurityFile != "" {
		s.at = at(&in.times.tree)
		return s.withValue(1, "Found "+clean(t.SecurityFile)+".", in.file(t.SecurityFile, "")...)
	}
	switch p := in.f.Repo.SecurityPolicy; {
	case p == nil:
		return unknown("Unknown whether the repository or its organization has a security policy.")
	case *p:
		return s.withValue(1, "Has a security policy.")
	}
	return s.withValue(0, "No security policy.")
}

func (in *input) depUpdates(s signal) signal {
	switch t := in.tree; {
	case t.UpdateBot != "":
		return s.withValue(1, "Found "+clean(t.UpdateBot)+".", in.file(t.UpdateBot, "")...)
	case !t.HasDependencies:
		return notApplicable(noDependencies)
	case in.activity == nil:
		return unknown("Dependabot and Renovate are not configured, and the commits were " +
			"not read.")
	case in.activity.BotCommits > 0:
		return s.withValue(1, "A bot made "+text.Count(in.activity.BotCommits, "commit")+
			" with dependency updates in the last 180 days.")
	}
	return s.withValue(0, "Dependabot and Renovate are not configured and made no commits.")
}

// attestingTypes are the registry types whose packages can have an attestation that deps.dev
// knows.
var attestingTypes = []string{"npm", "pypi"}

func (in *input) provenance(s signal) signal {
	if !in.published {
		return in.unpublished()
	}
	none := notApplicable("No registry of its packages has attestations.")
	for i := range in.packages {
		p := &in.packages[i]
		if !slices.Contains(attestingTypes, p.registryType) || !p.found {
			continue
		}
		if p.facts == nil || p.facts.Attested == nil {
			if none.state == StateNA {
				none = unknown("Unknown whether the latest version has a provenance attestation.")
			}
			continue
		}
		s.source, s.evidence = p.registryType, packageEvidence(p)
		if *p.facts.Attested {
			return s.withValue(1, p.label()+" has a provenance attestation.")
		}
		none = s.withValue(0, p.label()+" has no provenance attestation.")
	}
	return none
}

// updateAdvice names Dependabot only where it exists.
func (in *input) updateAdvice(*signal) string {
	if in.onGitHub() {
		return "Enable Dependabot or Renovate."
	}
	return "Enable Renovate."
}

// provenanceAdvice returns none for hosts whose CI npm and PyPI do not trust.
func (in *input) provenanceAdvice(*signal) string {
	switch registry.HostOf(in.f.Repo.Host).ID {
	case registry.GitHub:
		return "Publish from GitHub Actions with trusted publishing."
	case "gitlab":
		return "Publish from GitLab CI with trusted publishing."
	}
	return ""
}

func (in *input) workflowAdvice(*signal) string {
	if p := in.tree.UnsafeCheckout; p != "" {
		return "Do not check out the head of the pull request in " + clean(p) + "."
	}
	return "Add \"permissions: contents: read\" to every workflow."
}

func (in *input) workflowSafety(s signal) signal {
	switch t := in.tree; {
	case t.UnsafeCheckout != "":
		return s.withValue(0, clean(t.UnsafeCheckout)+
			" runs on pull_request_target and checks out the head of the pull request.",
			in.file(t.UnsafeCheckout, "")...)
	case t.Workflows <= 0:
		return notApplicable("No workflows.")
	case t.WorkflowsRead <= 0:
		return unknown("The workflows were not read.")
	default:
		with := min(max(0, t.WithPermissions), t.WorkflowsRead)
		reason := "All workflows set permissions."
		if with < t.WorkflowsRead {
			reason = fmt.Sprintf("No permissions in %d of %d workflows.", t.WorkflowsRead-with,
				t.WorkflowsRead)
		}
		return s.withValue(float64(with)/float64(t.WorkflowsRead), reason)
	}
}
