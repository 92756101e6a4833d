package record

import (
	"slices"

	"mcpcensus/internal/registry"
	"mcpcensus/web/format"
)

// A Warning is a risk with what readers can do about it.
type Warning struct {
	registry.Risk
	Detail string // a sentence, "" for none
	Advice string
	Link   string // to the details on the server's page, "" for none
}

// Level is LevelBad for a harmful server, otherwise LevelCaution.
func (w Warning) Level() string {
	if w.Severity == registry.SeverityHarmful {
		return LevelBad
	}
	return LevelCaution
}

// severities are the severities of risks, the worst first.
var severities = []string{registry.SeverityHarmful, registry.SeverityCaution, registry.SeverityNotice}

// Warnings are the risks, the worst first. The words of the owner replace the text of a status.
func (r Record) Warnings() (all []Warning) {
	status := r.StatusRisk()
	for _, risk := range r.Risks() {
		w := Warning{Risk: risk}
		w.Advice, w.Link = r.advice(risk.Kind)
		switch {
		case status != nil && status.Kind == risk.Kind && r.StatusMessage != "":
			if slices.ContainsFunc(all, func(o Warning) bool { return o.Kind == risk.Kind }) {
				continue
			}
			w.Text = format.Capital(r.Status) + ": " + r.StatusMessage
		case r.Copy != nil && r.Copy.Reason != w.Text && (risk.Kind == "copy" || risk.Kind == "look-alike"):
			w.Detail = r.Copy.Reason
		}
		all = append(all, w)
	}
	slices.SortStableFunc(all, func(a, b Warning) int {
		return slices.Index(severities, a.Severity) - slices.Index(severities, b.Severity)
	})
	return all
}

// InstallFold is the summary of what the ways to install the server are folded into, "" if they
// are open.
func (r Record) InstallFold() string {
	switch r.Severity() {
	case registry.SeverityHarmful:
		return "Show install anyway"
	case registry.SeverityCaution:
		return "Install anyway"
	}
	return ""
}

// RiskLabels returns the kinds of a server's risks in words, nil if there are none.
func RiskLabels(s *registry.Server) (all []string) {
	for _, risk := range s.Risks() {
		if label := risk.Label(); !slices.Contains(all, label) {
			all = append(all, label)
		}
	}
	return all
}

func (r Record) advice(kind string) (advice, link string) {
	switch kind {
	case "malware":
		return "Do not install it, and remove it where it is installed.", r.at("health", "advisories")
	case "dead":
		return "Choose another server.", ""
	case "vulnerable":
		return "Check whether a version with a fix exists.", r.at("health", "advisories")
	case registry.RiskToolsChanged:
		return "Review the changes before you use it.", r.at("versions", "tool-changes")
	case registry.RiskEndpointDown:
		switch {
		case r.Offline():
			return "It cannot be used until the endpoint responds. Try again later or choose another server.", ""
		case len(r.Packages) > 0:
			return "Run its package instead.", ""
		}
		return "Install it from source instead.", ""
	}
	return "", ""
}
