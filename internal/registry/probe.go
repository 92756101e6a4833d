package registry

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/text"
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
