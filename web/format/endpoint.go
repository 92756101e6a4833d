package format

import (
	"cmp"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

var endpointStates = map[string]string{
	registry.ProbeOpen:           "Online, no login needed",
	registry.ProbeGated:          "Online, requires a login",
	registry.ProbeUndocumented:   "Online, requires credentials",
	registry.ProbeWrongTransport: "Online, but only as HTTP with SSE",
	registry.ProbePaid:           "Online, requires a payment",
	registry.ProbeNotMCP:         "Does not answer as an MCP server",
	registry.ProbeRefused:        "Rejects our probes",
	registry.ProbeUnreachable:    "Unreachable",
	registry.ProbeUnknown:        "Not probed yet",
}

// downReasons are the displayed reasons of unreachable endpoints.
var downReasons = map[string]string{
	registry.ReasonDNS:        "the DNS lookup fails",
	registry.ReasonTLS:        "the TLS connection fails",
	registry.ReasonTimeout:    "it does not respond in time",
	registry.ReasonConnection: "the connection fails",
	registry.ReasonPrivate:    "its address is private",
}

// Endpoint returns the state of an endpoint as a sentence, with its uptime; "" for one that was
// not probed.
func Endpoint(l *registry.Liveness) string {
	if l == nil {
		return ""
	}
	if l.State == registry.ProbeUnknown && l.Probes == 0 {
		return "Not probed yet."
	}
	s := cmp.Or(endpointStates[l.State], l.State)
	if registry.LivenessOf(l.State) == registry.LivenessDown {
		if l.Reason != "" {
			s += " (" + cmp.Or(downReasons[l.Reason], l.Reason) + ")"
		}
		s += " since " + since(l)
	}
	if uptime := text.Uptime(l.Uptime30, l.Probes); uptime != "" && l.Probes > 0 {
		s += ". Uptime " + uptime
	}
	return s + "."
}

// EndpointDates says since when an endpoint has had its state, and when it was probed last.
func EndpointDates(l *registry.Liveness) string {
	s := "Checked " + text.Day(l.CheckedAt) + "."
	if registry.LivenessOf(l.State) == registry.LivenessAlive || registry.LivenessOf(l.State) == registry.LivenessGated {
		s = "Since " + since(l) + ". " + s
	}
	return s
}

func since(l *registry.Liveness) string {
	if l.FirstProbeAt != nil && l.FirstProbeAt.Equal(l.Since) {
		return "the first probe on " + text.Day(l.Since)
	}
	return text.Day(l.Since)
}

var livenesses = map[string]string{
	registry.LivenessAlive: "Online", registry.LivenessGated: "Online with a login",
	registry.LivenessDown: "Down", registry.LivenessUnknown: "Unknown",
}

// Liveness returns the name of a value of the filter "liveness".
func Liveness(id string) string { return livenesses[id] }
