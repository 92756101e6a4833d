package format

import (
	"cmp"

	"mcpcensus/internal/registry"
)

var inspectionOutcomes = map[string]string{
	registry.InspectionListed:           "Listed its tools",
	registry.InspectionNeedsCredentials: "Did not start without working credentials",
	registry.InspectionNeedsService:     "Did not start without a service or the network",
	registry.InspectionCrashed:          "Crashed",
	registry.InspectionTimeout:          "Did not answer in time",
	registry.InspectionNoStdio:          "Did not answer over standard input and output",
	registry.InspectionInstallFailed: "Could not be installed in the sandbox, where install scripts and " +
		"builds do not run",
}

// Inspection returns the outcome of running a package in the sandbox as a sentence, with its
// version and date; "" for one that was not inspected.
func Inspection(i *registry.Inspection) string {
	if i == nil {
		return ""
	}
	s := cmp.Or(inspectionOutcomes[i.Outcome], i.Outcome)
	if i.Outcome != registry.InspectionInstallFailed {
		s += " when started in a sandbox without network and with made-up values"
	}
	if i.Version != "" {
		s += ", version " + i.Version
	}
	return s + ". Checked " + Day(i.At) + "."
}
