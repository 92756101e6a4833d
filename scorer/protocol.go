package scorer

import (
	"fmt"
	"strings"
	"time"

	"mcpcensus/internal/registry"
)

var protocolChecks = []CheckSpec{
	{
		ID: "sdk_currency", Category: protocol, Name: "SDK version", Weight: 4, Prior: 0.5,
		measure:  (*input).sdkCurrency,
		Question: "How old is the MCP SDK that a user of the server gets?",
		Formula: "Days between the publication of the SDK version that a consumer gets and that " +
			"of the newest one.",
		Curve:  Curve{{90, 1}, {180, .8}, {365, .4}, {540, 0}},
		Source: "packages",
		NA:     "it uses no known SDK",
		Fix:    "Raise the SDK to the newest version and release.",
	},
	{
		ID: "transport", Category: protocol, Name: "Transport", Weight: 3, Prior: 0.5,
		measure:  (*input).transportKind,
		Question: "Does it speak a current transport?",
		Formula: "stdio or streamable HTTP: 1. Only HTTP with SSE, which MCP has deprecated: " +
			"0.3. Not detected: unknown.",
		Source: sourceHost,
		Fix:    "Add streamable HTTP: HTTP with SSE is deprecated.",
	},
	{
		ID: "remote_liveness", Category: protocol, Name: "Endpoint alive", Weight: 3, Prior: 0.5,
		measure:  (*input).remoteLiveness,
		Question: "Does the remote endpoint answer?",
		Formula: "Share of the probes of the last seven days that were answered; at least 3 " +
			"probes. An endpoint that asks for a login is alive.",
		Curve:  Curve{{.5, 0}, {.95, .8}, {.99, 1}},
		Source: "probe",
		NA:     "there is no remote endpoint",
		NotYet: "Nothing is sent to the endpoints of others, so the check of a server with a " +
			"remote endpoint is unknown.",
		Fix: "Repair the endpoint, or remove it from the listing.",
	},
}

func (in *input) sdkCurrency() signal {
	d := &in.f.Detection
	r := in.sdk
	if r == nil {
		if in.tree != nil && d.SDKPackage == "" && in.f.SDK == nil {
			return notApplicable("No known MCP SDK was found in the manifests.")
		}
		return unknown(in.failed("Which version of the SDK a user gets has not been read.", "sdk", "deps.dev"))
	}
	s := signal{state: StateOK, at: at(&in.times.sdk)}
	order, comparable := compareVersions(r.Used, r.Latest)
	switch {
	case r.Used != "" && (r.Used == r.Latest || comparable && order >= 0):
		s.value = 1
		s.reason = clean(r.Package+" "+r.Used) + " is the newest version."
	case r.UsedAt != nil && r.LatestAt != nil:
		lag := int(max(0, r.LatestAt.Sub(*r.UsedAt)/(24*time.Hour)))
		s.value = float64(lag)
		s.reason = clean(r.Package+" "+r.Used) + " is " + count(lag, "day") + " behind " + clean(r.Latest) + "."
		s.fix = "Raise " + clean(r.Package) + " to " + clean(r.Latest) + " and release."
	default:
		return unknown("When the versions of the SDK came out is not known.")
	}
	return s
}

func (in *input) transportKind() signal {
	found := in.transports()
	s := signal{state: StateOK, at: at(&in.times.tree)}
	if s.at == nil {
		s.source, s.at = "official-registry", at(&in.times.listing)
	}
	switch {
	case found[registry.TransportStdio] || found[registry.TransportHTTP]:
		var names []string
		for _, t := range transportNames {
			if found[t.id] {
				names = append(names, t.name)
			}
		}
		s.value, s.reason = 1, "It speaks "+strings.Join(names, ", ")+"."
	case found[registry.TransportSSE]:
		s.value, s.reason = .3, "It speaks only HTTP with SSE, which MCP has deprecated."
	default:
		return unknown("Which transport it speaks could not be detected.")
	}
	return s
}

// transportNames are the transports as people call them.
var transportNames = []struct{ id, name string }{
	{registry.TransportStdio, "stdio"},
	{registry.TransportHTTP, "streamable HTTP"},
	{registry.TransportSSE, "HTTP with SSE"},
}

// transports returns the transports that any source names.
func (in *input) transports() map[string]bool {
	found := map[string]bool{}
	see := func(packages []registry.Package, remotes []registry.Remote) {
		for i := range packages {
			found[packages[i].Transport.Type] = true
		}
		for i := range remotes {
			found[remotes[i].Type] = true
		}
	}
	for _, t := range in.f.Detection.Transports {
		found[t] = true
	}
	see(in.f.Detection.Packages, in.f.Detection.Remotes)
	if in.listing != nil {
		see(in.listing.Packages, in.listing.Remotes)
	}
	return found
}

func (in *input) remoteLiveness() signal {
	if in.remotes == 0 {
		return notApplicable("There is no remote endpoint.")
	}
	p := in.probe
	if in.f.Probe == nil {
		return unknown(in.failed("Remote endpoints are not probed yet.", "probe"))
	}
	if p == nil || p.Tries < 3 {
		return unknown(in.failed("The remote endpoint has not been probed at least 3 times in the last days.", "probe"))
	}
	successes := min(max(0, p.Successes), p.Tries)
	s := signal{state: StateOK, at: at(&in.times.probe)}
	s.value = float64(successes) / float64(p.Tries)
	s.reason = fmt.Sprintf("%d of %d probes in seven days were answered.", successes, p.Tries)
	if p.Gated {
		s.reason = fmt.Sprintf("%d of %d probes in seven days were answered; the endpoint asks for a login.", successes, p.Tries)
	}
	return s
}
