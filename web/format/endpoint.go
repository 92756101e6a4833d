package format

import (
	"cmp"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

var endpointStates = map[string]string{
	registry.ProbeOpen:           "Online without a login",
	registry.ProbeGated:          "Online, requires a login",
	registry.ProbeUndocumented:   "Online, requires credentials",
	registry.ProbeWrongTransport: "Online, but only as HTTP with SSE",
	registry.ProbePaid:           "Online, requires a payment",
	registry.ProbeNotMCP:         "Does not answer as an MCP server",
	registry.ProbeRefused:        "Rejects our probes",
	registry.ProbeUnreachable:    "Unreachable",
	registry.ProbeUnknown:        "State unknown",
}

// downReasons are the displayed reasons of unreachable endpoints.
var downReasons = map[string]string{
	registry.ReasonDNS:        "the DNS lookup fails",
	registry.ReasonTLS:        "the TLS connection fails",
	registry.ReasonTimeout:    "it does not respond in time",
	registry.ReasonConnection: "the connection fails",
	registry.ReasonPrivate:    "its address is private",
}

// Endpoint returns the state of an endpoint as a sentence, with its uptime and date; ""
// for one that was not probed.
func Endpoint(l *registry.Liveness) string {
	if l == nil {
		return ""
	}
	s := cmp.Or(endpointStates[l.State], l.State)
	down := registry.LivenessOf(l.State) == registry.LivenessDown
	if down && l.Reason != "" {
		s += " (" + cmp.Or(downReasons[l.Reason], l.Reason) + ")"
	}
	if down || registry.LivenessOf(l.State) != registry.LivenessUnknown {
		s += " since "
		if l.FirstProbeAt != nil && l.FirstProbeAt.Equal(l.Since) {
			s += "the first probe on "
		}
		s += text.Day(l.Since)
	}
	if l.Uptime30 != nil && l.Probes > 0 {
		s += "; uptime " + Percent(*l.Uptime30) + " of " + text.Count(l.Probes, "probe") + " in 30 days"
	}
	return s + ". Checked " + text.Day(l.CheckedAt) + "."
}

var livenesses = map[string]string{
	registry.LivenessAlive: "Online", registry.LivenessGated: "Online with a login",
	registry.LivenessDown: "Down", registry.LivenessUnknown: "Unknown",
}

// Liveness returns the name of a value of the filter "liveness".
func Liveness(id string) string { return livenesses[id] }
