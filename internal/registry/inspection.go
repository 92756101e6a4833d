package registry

import (
	"cmp"
	"time"

	"mcpcensus/internal/text"
)

// InspectionOutcomes are the values of [Inspection.Outcome].
var InspectionOutcomes = []string{
	InspectionListed, InspectionNeedsCredentials, InspectionNeedsService, InspectionCrashed,
	InspectionTimeout, InspectionNoStdio, InspectionInstallFailed,
}

// Outcomes of starting a package in a sandbox, without a network and with made-up values for
// its variables.
const (
	InspectionListed           = "listed"            // it returned its lists
	InspectionNeedsCredentials = "needs_credentials" // it requires working credentials to start
	InspectionNeedsService     = "needs_service"     // it requires a service or the network to start
	InspectionCrashed          = "crashed"
	InspectionTimeout          = "timeout"        // it did not respond in time
	InspectionNoStdio          = "no_stdio"       // it does not speak MCP over standard input and output
	InspectionInstallFailed    = "install_failed" // without install scripts and builds
)

var inspectionOutcomes = map[string]string{
	InspectionListed:           "Listed its tools",
	InspectionNeedsCredentials: "Did not start without working credentials",
	InspectionNeedsService:     "Did not start without a service or the network",
	InspectionCrashed:          "Crashed",
	InspectionTimeout:          "Did not answer in time",
	InspectionNoStdio:          "Did not answer over standard input and output",
	InspectionInstallFailed: "Could not be installed in the sandbox, where install scripts and " +
		"builds do not run",
}

// Sentence returns the outcome of running a package in the sandbox, with its version and date;
// "" for nil.
func (i *Inspection) Sentence() string {
	if i == nil {
		return ""
	}
	s := cmp.Or(inspectionOutcomes[i.Outcome], i.Outcome)
	if i.Outcome != InspectionInstallFailed {
		s += " when started in a sandbox without network and with made-up values"
	}
	if i.Version != "" {
		s += ", version " + i.Version
	}
	return s + ". Checked " + text.Day(i.At) + "."
}

// InspectedTypes are the registry types of packages that are inspected.
var InspectedTypes = []string{"npm", "pypi", "oci"}

// MaxHosts is the maximum number of [Inspection.Hosts].
const MaxHosts = 20

// An Inspection is the result of starting a published package in a sandbox.
type Inspection struct {
	Outcome string `json:"outcome"`          // one of InspectionOutcomes
	Detail  string `json:"detail,omitempty"` // the last line of its error output, shortened
	// OwnFault reports that the package itself is why it did not start: it crashed because of its
	// own code, or did not answer. False for all other causes, such as missing credentials, a
	// missing service or a limit of the sandbox, and if the cause is unknown.
	OwnFault bool      `json:"ownFault,omitempty"`
	Version  string    `json:"version,omitempty"`
	At       time.Time `json:"at"`
	// Protocol is the revision of MCP that it speaks; "" if unknown.
	Protocol string `json:"protocol,omitempty"`
	// Hosts are the names of hosts that it looked up when it started, at most [MaxHosts],
	// although it had no network. Lookups that bypass the system's resolver, and lookups in
	// images, are not recorded.
	Hosts []string `json:"hosts,omitempty"`
	// Tools are the tools that it listed; nil if it did not respond.
	Tools []Tool `json:"tools,omitempty"`
	// Suspicious are parts of Tools.
	Suspicious []SuspiciousText `json:"suspicious,omitempty"`
	// Resources and Prompts are the lengths of these lists; nil if unknown.
	Resources *int `json:"resources,omitempty"`
	Prompts   *int `json:"prompts,omitempty"`
}

// Shown returns the inspection without its lists and OwnFault, as records of servers have it. The
// score has a check for the latter.
func (i *Inspection) Shown() *Inspection {
	if i == nil {
		return nil
	}
	shown := *i
	shown.Tools, shown.Suspicious, shown.OwnFault = nil, nil, false
	return &shown
}

// An InspectionLease is a version of a package that is leased for an inspection.
type InspectionLease struct {
	PackageKey
	Version string
	Attempt int // 0 for the first inspection of the version
}

// InspectionWork is a leased package for the inspector, as a listed server declares it,
// with the version to run.
type InspectionWork struct {
	Package Package `json:"package"`
}

// InspectionsOf returns the inspections of packages without their lists; never nil.
func InspectionsOf(packages []Package) []InspectionResult {
	all := []InspectionResult{}
	for _, p := range packages {
		if p.Inspection != nil {
			all = append(all, InspectionResult{p.RegistryType, p.Identifier, *p.Inspection.Shown()})
		}
	}
	return all
}

// An InspectionResult is the result of an inspection.
type InspectionResult struct {
	RegistryType string     `json:"registryType"`
	Identifier   string     `json:"identifier"`
	Inspection   Inspection `json:"inspection"`
}
