package scorer

import (
	"fmt"
	"strings"
	"time"

	"mcpcensus/internal/registry"
)

func (in *input) sdkCurrency() signal {
	d := &in.f.Detection
	r := in.sdk
	if r == nil {
		if in.tree != nil && d.SDKPackage == "" && in.f.SDK == nil {
			return signal{state: StateNA, reason: "No known MCP SDK was found in the manifests."}
		}
		return signal{state: StateUnknown, reason: in.failed("Which version of the SDK a user gets has not been read.", "sdk", "deps.dev")}
	}
	s := signal{state: StateOK, at: at(&in.times.sdk)}
	order, comparable := compareVersions(r.Used, r.Latest)
	switch {
	case r.Used != "" && (r.Used == r.Latest || comparable && order >= 0):
		s.value = 1
		s.reason = clean(r.Package+" "+r.Used) + " is the newest version."
	case r.UsedAt != nil && r.LatestAt != nil:
		lag := int(max(0, r.LatestAt.Sub(*r.UsedAt)/(24*time.Hour)))
		s.value = checks[sdkCurrency].Curve.At(float64(lag))
		s.reason = clean(r.Package+" "+r.Used) + " is " + count(lag, "day") + " behind " + clean(r.Latest) + "."
		s.fix = "Raise " + clean(r.Package) + " to " + clean(r.Latest) + " and release."
	default:
		return signal{state: StateUnknown, reason: "When the versions of the SDK came out is not known."}
	}
	return s
}

func (in *input) transportKind() signal {
	d := &in.f.Detection
	var stdio, http, sse bool
	see := func(t string) {
		switch t {
		case registry.TransportStdio:
			stdio = true
		case registry.TransportHTTP:
			http = true
		case registry.TransportSSE:
			sse = true
		}
	}
	for _, t := range d.Transports {
		see(t)
	}
	for i := range d.Packages {
		see(d.Packages[i].Transport.Type)
	}
	for i := range d.Remotes {
		see(d.Remotes[i].Type)
	}
	if l := in.listing; l != nil {
		for i := range l.Packages {
			see(l.Packages[i].Transport.Type)
		}
		for i := range l.Remotes {
			see(l.Remotes[i].Type)
		}
	}
	s := signal{state: StateOK, at: at(&in.times.tree)}
	if s.at == nil {
		s.source, s.at = "official-registry", at(&in.times.listing)
	}
	switch {
	case stdio || http:
		var names []string
		if stdio {
			names = append(names, "stdio")
		}
		if http {
			names = append(names, "streamable HTTP")
		}
		if sse {
			names = append(names, "HTTP with SSE")
		}
		s.value, s.reason = 1, "It speaks "+strings.Join(names, ", ")+"."
	case sse:
		s.value, s.reason = .3, "It speaks only HTTP with SSE, which MCP has deprecated."
	default:
		return signal{state: StateUnknown, reason: "Which transport it speaks could not be detected."}
	}
	return s
}

func (in *input) remoteLiveness() signal {
	if in.remotes == 0 {
		return signal{state: StateNA, reason: "There is no remote endpoint."}
	}
	p := in.probe
	if in.f.Probe == nil {
		return signal{state: StateUnknown, reason: in.failed("Remote endpoints are not probed yet.", "probe")}
	}
	if p == nil || p.Tries < 3 {
		return signal{state: StateUnknown, reason: in.failed("The remote endpoint has not been probed at least 3 times in the last days.", "probe")}
	}
	successes := min(max(0, p.Successes), p.Tries)
	s := signal{state: StateOK, at: at(&in.times.probe)}
	s.value = checks[remoteLiveness].Curve.At(float64(successes) / float64(p.Tries))
	s.reason = fmt.Sprintf("%d of %d probes in seven days were answered.", successes, p.Tries)
	if p.Gated {
		s.reason = fmt.Sprintf("%d of %d probes in seven days were answered; the endpoint asks for a login.", successes, p.Tries)
	}
	return s
}
