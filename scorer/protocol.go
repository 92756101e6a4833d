package scorer

import (
	"strings"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/internal/version"
)

var protocolChecks = []CheckSpec{
	{
		ID: "sdk_currency", Category: protocol, Name: "SDK version", Weight: 5,
		from: fromSDK, measure: (*input).sdkCurrency, advise: (*input).sdkAdvice,
		Question: "How old is the MCP SDK that users get?",
		Formula: "Days between the release of the SDK version that users get and the latest " +
			"release.",
		Curve:  Curve{{90, 1}, {180, .8}, {365, .4}, {540, 0}},
		Source: "packages",
		NA:     "it does not use a known SDK",
		Fix:    "Upgrade the SDK and release.",
	},
	{
		ID: "starts", Category: protocol, Name: "Starts", Weight: 6,
		from: fromPackages, measure: (*input).starts, advise: (*input).startAdvice,
		Question: "Does the published package start and answer?",
		Formula: "Of its packages whose latest version was started in the sandbox in the last " +
			"120 days, the share that listed its tools. Only failures of the package itself count: it " +
			"crashed because of its own code, or did not answer. Unknown without such a result, as " +
			"without a run, and where credentials, a service or something in the sandbox were " +
			"missing.",
		Source: registry.ToolsFromRun,
		NA:     "nothing is published that the sandbox can run: npm, PyPI, container images",
		Fix:    "Fix what keeps the package from starting, and release.",
	},
	{
		ID: "transport", Category: protocol, Name: "Transport",
		NoPoints: "Nearly all servers support a current transport.",
		from:     fromFiles, measure: (*input).transportKind,
		Question: "Does it support a current transport?",
		Formula: "stdio or streamable HTTP: 1. Only HTTP with SSE, which MCP has deprecated: " +
			"0.3. Not detected: unknown.",
		Source: sourceHost,
	},
	{
		ID: "remote_liveness", Category: protocol, Name: "Endpoint uptime",
		NoPoints: "Uptime is shown next to the score.",
		from:     fromRepo, measure: (*input).remoteLiveness,
		Question: "Does the remote endpoint respond?",
		Formula: "Share of answered probes in the last 30 days. An endpoint that requires a " +
			"login counts as up.",
		Curve:  Curve{{.5, 0}, {.95, .8}, {.99, 1}},
		Source: "probe",
		NA:     "there is no remote endpoint",
	},
}

func (in *input) sdkCurrency(s signal) signal {
	d := &in.f.Detection
	r := in.sdk
	if r == nil {
		if in.tree != nil && d.SDKPackage == "" && in.f.SDK == nil {
			return notApplicable("No known MCP SDK in the manifests.")
		}
		return unknown("SDK version unknown.")
	}
	order, comparable := version.CompareAny(r.Used, r.Latest)
	switch {
	case r.Used != "" && (r.Used == r.Latest || comparable && order >= 0):
		s.value = 1
		s.reason = clean(r.Package+" "+r.Used) + " is the latest version."
	case r.UsedAt != nil && r.LatestAt != nil:
		lag := int(max(0, r.LatestAt.Sub(*r.UsedAt)/(24*time.Hour)))
		s.value = float64(lag)
		s.reason = clean(r.Package+" "+r.Used) + " is " + text.Count(lag, "day") + " behind " +
			clean(r.Latest) + "."
	default:
		return unknown("Unknown when the SDK versions were released.")
	}
	return s
}

func (in *input) sdkAdvice(*signal) string {
	return "Upgrade " + clean(in.sdk.Package) + " to " + clean(in.sdk.Latest) + " and release."
}

func (in *input) transportKind(s signal) signal {
	found := in.transports()
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
		s.value, s.reason = 1, "Supports "+strings.Join(names, ", ")+"."
	case found[registry.TransportSSE]:
		s.value, s.reason = .3, "Supports only HTTP with SSE, which MCP has deprecated."
	default:
		return unknown("The transport could not be detected.")
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

func (in *input) remoteLiveness(signal) signal {
	switch {
	case in.remotes == 0 && in.tree == nil:
		return notApplicable("Unknown whether there is a remote endpoint: not all files were read.")
	case in.remotes == 0:
		return notApplicable("No remote endpoint.")
	}
	s := notApplicable("Uptime is shown next to the score.")
	for i := range in.f.Endpoints {
		if p := in.f.Endpoints[i].Probe; p != nil && (s.at == nil || p.History.LastAt.After(*s.at)) {
			s.source, s.at = "probe", at(&p.History.LastAt)
		}
	}
	return s
}
