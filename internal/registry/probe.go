package registry

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// RemoteType is the RegistryType of [PackageFacts] about an endpoint; the
// identifier is its URL. No package has it.
const RemoteType = "remote"

// ProbeStates are the values of [Probe.State].
var ProbeStates = []string{
	ProbeOpen, ProbeGated, ProbeUndocumented, ProbeWrongTransport, ProbeNotMCP, ProbePaid,
	ProbeRefused, ProbeUnreachable, ProbeUnknown,
}

// The states of an endpoint.
const (
	ProbeOpen         = "alive_open"         // responds without credentials
	ProbeGated        = "alive_gated"        // requires a login and names where
	ProbeUndocumented = "gated_undocumented" // requires credentials and does not name where to get them
	// ProbeWrongTransport is for an endpoint that speaks another transport than
	// the server declares.
	ProbeWrongTransport = "wrong_transport"
	ProbeNotMCP         = "not_mcp" // something else responds
	ProbePaid           = "paid"    // it requires a payment
	ProbeRefused        = "refused" // it does not want to be probed
	ProbeUnreachable    = "unreachable"
	ProbeUnknown        = "unknown"
)

// The values of [Probe.Reason] for unreachable endpoints. For others it is "status" and the
// number.
const (
	ReasonDNS        = "dns"
	ReasonTLS        = "tls"
	ReasonTimeout    = "timeout"
	ReasonConnection = "connection"
	ReasonPrivate    = "private address"
	ReasonOptedOut   = "opted out"
)

// A Probe is the state of an endpoint. It holds no credentials: none are ever sent.
type Probe struct {
	State  string `json:"state"`            // one of ProbeStates
	Reason string `json:"reason,omitempty"` // in a few words; "" if the state is enough
	// Protocol is the revision of MCP that it speaks, and Transport one of
	// Transports; "" if unknown.
	Protocol      string     `json:"protocol,omitempty"`
	Transport     string     `json:"transport,omitempty"`
	ServerName    string     `json:"serverName,omitempty"` // as it calls itself
	ServerVersion string     `json:"serverVersion,omitempty"`
	TLSExpires    *time.Time `json:"tlsExpires,omitempty"`
	// AuthServers are the issuers in its metadata. PKCE and ClientIDs report whether the first
	// supports S256 and documents as client IDs, Registration whether it registers clients.
	AuthServers  []string  `json:"authServers,omitempty"`
	PKCE         bool      `json:"pkce,omitempty"`
	ClientIDs    bool      `json:"clientIds,omitempty"`
	Registration bool      `json:"registration,omitempty"`
	At           time.Time `json:"at"` // time of the response
	// RetryAt is the earliest time for the next probe that the endpoint named;
	// zero if it named none.
	RetryAt time.Time `json:"-"`

	// Tools are the tools of the last complete list; nil if there was none.
	Tools   []Tool     `json:"tools,omitempty"`
	ToolsAt *time.Time `json:"toolsAt,omitempty"`
	// ToolsVersion is the ServerVersion that listed Tools, and ToolsChangedAt when it last
	// listed other tools than before; nil if it never did.
	ToolsVersion   string     `json:"toolsVersion,omitempty"`
	ToolsChangedAt *time.Time `json:"toolsChangedAt,omitempty"`
	// Suspicious are parts of Tools.
	Suspicious []SuspiciousText `json:"suspicious,omitempty"`

	History ProbeHistory `json:"history"`
}

// A ProbeHistory summarizes earlier probes of an endpoint.
type ProbeHistory struct {
	FirstAt time.Time `json:"firstAt,omitzero"` // time of the first attempt; zero if unknown
	Since   time.Time `json:"since"`            // start of the current Liveness
	// LastAt is the time of the last attempt. Misses and MissedSince count the
	// last attempts that failed while the state was a different one.
	LastAt      time.Time  `json:"lastAt"`
	Misses      int        `json:"misses,omitempty"`
	MissedSince *time.Time `json:"missedSince,omitempty"`
	// Probes and Up count the attempts of the last 30 days, and the answered ones.
	Probes int `json:"probes"`
	Up     int `json:"up"`
	// StoredAt is when its facts were last copied to the servers with this endpoint.
	StoredAt time.Time `json:"storedAt"`
}

// A ProbeCount counts probes of an endpoint, and answered ones.
type ProbeCount struct{ Probes, Up int }

// Answered reports whether an MCP server, or a gateway before it, responded.
func (p *Probe) Answered() bool {
	l := LivenessOf(p.State)
	return l == LivenessAlive || l == LivenessGated
}

// Down reports whether the endpoint cannot be used.
func (p *Probe) Down() bool { return LivenessOf(p.State) == LivenessDown }

// Livenesses are the values of the filter "liveness", best first.
var Livenesses = []string{LivenessAlive, LivenessGated, LivenessDown, LivenessUnknown}

// Meaning of the states of an endpoint for users.
const (
	LivenessAlive   = "alive"
	LivenessGated   = "gated" // alive, with credentials
	LivenessDown    = "down"
	LivenessUnknown = "unknown"
)

// LivenessOf returns the one of Livenesses that a state belongs to.
func LivenessOf(state string) string {
	switch state {
	case ProbeOpen, ProbeWrongTransport:
		return LivenessAlive
	case ProbeGated, ProbeUndocumented, ProbePaid:
		return LivenessGated
	case ProbeUnreachable, ProbeNotMCP:
		return LivenessDown
	}
	return LivenessUnknown
}

// BestLiveness returns the best of the endpoints' livenesses, "" if there are no
// endpoints. Endpoints without a probe are unknown.
func BestLiveness(remotes []Remote) string {
	if len(remotes) == 0 {
		return ""
	}
	best := len(Livenesses) - 1
	for i := range remotes {
		if l := remotes[i].Liveness; l != nil {
			best = min(best, slices.Index(Livenesses, LivenessOf(l.State)))
		}
	}
	return Livenesses[max(best, 0)]
}

// Liveness returns the best liveness of the declared remotes, "" if there are none.
func (f *Facts) Liveness() string {
	remotes := make([]Remote, len(f.Detection.Remotes))
	for i, r := range f.Detection.Remotes {
		if p := ProbeOf(f.Endpoints, r); p != nil {
			remotes[i].Liveness = &Liveness{State: p.State}
		}
	}
	return BestLiveness(remotes)
}

// ProbeOf returns the probe of a remote among the facts of endpoints; nil if it was not probed.
func ProbeOf(endpoints []PackageFacts, r Remote) *Probe {
	key, _ := RemoteKey(r.URL)
	for i := range endpoints {
		if e := &endpoints[i]; e.Identifier == key.Identifier && e.Probe != nil {
			return e.Probe
		}
	}
	return nil
}

// LivenessAt returns when the endpoint with the server's state was last probed; nil if none
// was.
func (s *Server) LivenessAt() *time.Time {
	if l := s.BestEndpoint(); l != nil {
		return &l.CheckedAt
	}
	return nil
}

// BestEndpoint returns the liveness of the first remote with the server's state; nil if none
// was probed.
func (s *Server) BestEndpoint() *Liveness {
	for _, r := range s.Remotes {
		if l := r.Liveness; l != nil && LivenessOf(l.State) == s.Liveness {
			return l
		}
	}
	return nil
}

// A Liveness is the state of an endpoint with its source and date, as pages and
// the APIs show it.
type Liveness struct {
	State     string    `json:"state"` // one of ProbeStates
	Reason    string    `json:"reason,omitempty"`
	CheckedAt time.Time `json:"checkedAt"`
	Since     time.Time `json:"since"`
	// FirstProbeAt is the time of the first probe; nil if unknown. If Since is the same, the
	// state may be older.
	FirstProbeAt *time.Time `json:"firstProbeAt"`
	// Uptime30 is the share of answered probes among the Probes of the last 30 days, 0 to 1;
	// nil if there were none.
	Uptime30 *float64 `json:"uptime30"`
	Probes   int      `json:"probes"`
	Protocol string   `json:"protocol,omitempty"`
}

// RemoteKey returns the key under which an endpoint is probed; false for URLs
// that cannot be: templates with variables, other schemes than https, other
// ports than 443 and 8443, credentials.
func RemoteKey(address string) (PackageKey, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		strings.ContainsAny(address, "{}<>$ ") || strings.Contains(strings.ToLower(address), "%7b") ||
		!slices.Contains([]string{"", "443", "8443"}, u.Port()) {
		return PackageKey{}, false
	}
	u.Host = strings.ToLower(u.Host)
	u.Fragment, u.RawFragment = "", ""
	return PackageKey{RegistryType: RemoteType, Identifier: u.String()}, true
}
