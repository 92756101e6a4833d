package record

import (
	"slices"

	"mcpcensus/internal/registry"
)

// A Warning is a risk with what readers can do about it.
type Warning struct {
	registry.Risk
	Advice string
	Link   string // to the details on the server's page, "" for none
}

// Warnings are the risks that the banners of status and copies do not show.
func (r Record) Warnings() (all []Warning) {
	for _, risk := range r.OtherRisks() {
		advice, link := r.advice(risk.Kind)
		all = append(all, Warning{risk, advice, link})
	}
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
		return "Do not install it, and remove it where it is installed.", "#health"
	case "dead":
		return "Choose another server.", "#health"
	case "hidden-instructions", "suspicious-text":
		return "Read these texts before a model does.", "#tools"
	case "vulnerable":
		return "Check whether a version with a fix exists.", "#health"
	case registry.RiskToolsChanged:
		return "Review the changes before you use it.", "#tools"
	case registry.RiskEndpointDown:
		switch {
		case r.Offline():
			return "It cannot be used until the endpoint responds. Try again later or choose another server.",
				"#install"
		case len(r.Packages) > 0:
			return "Run its package instead.", "#install"
		}
		return "Install it from source instead.", "#install"
	}
	return "", ""
}
