package registry

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/text"
)

// A Risk is a reason not to use a server.
type Risk struct {
	Kind string `json:"kind"` // for programs
	Text string `json:"text"` // sentences: the reason, and what users can do
	// Severity is one of the Severity constants.
	Severity string `json:"severity"`
	// Instead is what to use: the ID of the original of a copy, or the URL that the owner
	// recommends; nil if unknown.
	Instead *string `json:"instead"`
	// Source is what reports it: the source of a check, such as "osv" or "github", the source
	// of a list of tools, or "comparison" for copies; nil if unknown.
	Source *string    `json:"source"`
	At     *time.Time `json:"at"` // when it was found or last confirmed; nil if unknown
}

// String returns the text with what to use instead, as in "It is archived. Use instead: octo-tides".
func (r Risk) String() string {
	if r.Instead == nil {
		return r.Text
	}
	return r.Text + " Use instead: " + *r.Instead
}

// Label returns the kind in words, such as "endpoint down".
func (r Risk) Label() string {
	if r.Kind == "not-mcp" {
		return "not MCP"
	}
	return strings.ReplaceAll(r.Kind, "-", " ")
}

// RiskKinds are the kinds of risks.
var RiskKinds = []string{"malware", "dead", "hidden-instructions", "deprecated", "vulnerable", "not-mcp",
	"copy", "look-alike", "suspicious-text", RiskEndpointDown, RiskToolsChanged}

// Kinds of risks that depend on how the server is used.
const (
	RiskEndpointDown = "endpoint-down"
	RiskToolsChanged = "tools-changed"
)

// Severities of risks, the least first. They decide how an installation is offered, the same way
// on pages, as Markdown, and in the API, MCP and the command line.
const (
	SeverityNotice  = "notice"  // with the sentence beside it
	SeverityCaution = "caution" // behind the sentence and what to use instead
	SeverityHarmful = "harmful" // only to readers of the page who ask for it
)

// severities are the severities of risks, the least first.
var severities = []string{SeverityNotice, SeverityCaution, SeverityHarmful}

func severityOf(kind string) string {
	switch kind {
	case "malware", "hidden-instructions":
		return SeverityHarmful
	}
	return SeverityCaution
}

// riskyCaps are the caps that are risks, with their kinds.
var riskyCaps = map[string]string{
	"malware":             "malware",
	"registry_deleted":    "dead",
	"hidden_instructions": "hidden-instructions",
	"archived":            "deprecated",
	"deprecated_declared": "deprecated",
	"vuln_self":           "vulnerable",
	"vuln_dep":            "vulnerable",
	"remote_dead":         "dead",
	"not_mcp":             "not-mcp",
	"fork_copy":           "copy",
}

// capChecks are the checks with the same sources as caps.
var capChecks = map[string]string{
	"malware":          "advisories",
	"registry_deleted": "registry_listed",
	"vuln_self":        "advisories",
	"vuln_dep":         "advisories",
	"remote_dead":      "remote_liveness",
	"does_not_start":   "starts",
	"stale":            "commit_recency",
	"no_license":       "license",
	"no_install_path":  "package_published",
}

// Risks returns the reasons not to use the server: its caps, status, originals and flags, the
// worst first. It never returns nil.
func (s *Server) Risks() []Risk {
	if s.KnownRisks != nil {
		return s.KnownRisks
	}
	all := []Risk{}
	// The sentence of a cap is more precise than that of a status or a flag.
	add := func(r Risk) {
		if !HasRisk(all, r.Kind) {
			all = append(all, r)
		}
	}
	for _, c := range s.Health.Caps {
		source, at := s.CapOrigin(c)
		switch r := riskOf(riskyCaps[c.ID], c.Reason, source, at); r.Kind {
		case "":
		case "vulnerable": // of the package, and of what it uses
			all = append(all, r)
		default:
			add(r)
		}
	}
	if r := s.fromStatus(); r.Kind != "" {
		add(r)
	}
	if c := s.Copy; c != nil && c.Kind == LookAlike {
		add(riskOf("look-alike", "Its name resembles that of a better-known server, "+c.Of+".",
			"comparison", &c.Since))
	} else if c != nil {
		add(riskOf("copy", "It looks like a copy of "+c.Of+".", "comparison", &c.Since))
	}
	for _, flag := range s.Health.Flags {
		if flag == "suspicious_text" && HasRisk(all, "hidden-instructions") {
			continue // its sentence names the texts
		}
		if r := s.riskOfFlag(flag); r.Kind != "" {
			add(r)
		}
	}
	for i := range all {
		s.place(&all[i])
	}
	slices.SortStableFunc(all, func(a, b Risk) int {
		return slices.Index(severities, b.Severity) - slices.Index(severities, a.Severity)
	})
	return all
}

// advice says what users can do about kinds of risks.
var advice = map[string]string{
	"malware":        "Do not install it, and remove it where it is installed.",
	"dead":           "Choose another server.",
	"vulnerable":     "Check whether a version with a fix exists.",
	RiskToolsChanged: "Review the changes before you use it.",
}

// place sets what depends on the server: what to use instead, what users can do, and that an
// endpoint that is down is not needed where there is a package.
func (s *Server) place(r *Risk) {
	advice := advice[r.Kind]
	switch {
	case (r.Kind == "copy" || r.Kind == "look-alike") && s.Copy != nil:
		if s.Copy.Of != "" {
			r.Instead = &s.Copy.Of
		}
		if s.Copy.Reason != r.Text {
			advice = s.Copy.Reason
		}
	case (r.Kind == "deprecated" || r.Kind == "dead") && s.SuccessorURL != "":
		r.Instead, advice = &s.SuccessorURL, ""
	case r.Kind == RiskEndpointDown && s.Offline():
		advice = "It cannot be used until the endpoint responds. Try again later or choose another server."
	case r.Kind == RiskEndpointDown:
		r.Severity, advice = SeverityNotice, "Install it from source instead."
		if len(s.Packages) > 0 {
			advice = "Run its package instead."
		}
	}
	r.Text = strings.TrimSpace(r.Text + " " + advice)
}

// Severity returns the severity of the worst risk, "" if there is none.
func (s *Server) Severity() string {
	if risks := s.Risks(); len(risks) > 0 {
		return risks[0].Severity
	}
	return ""
}

// OfferedCommand returns the installation command, "" if there is none or the server is harmful.
func (s *Server) OfferedCommand() string {
	if s.Severity() == SeverityHarmful {
		return ""
	}
	return s.InstallCommand
}

func HasRisk(risks []Risk, kinds ...string) bool {
	return slices.ContainsFunc(risks, func(r Risk) bool { return slices.Contains(kinds, r.Kind) })
}

// Harmful reports whether the server may attack its users or pose as another server. Lists that
// recommend servers omit it.
func (s *Server) Harmful() bool {
	return HasRisk(s.Risks(), "malware", "hidden-instructions", "copy", "look-alike")
}

// OtherRisks returns the risks that do not follow from Status and Copy.
func (s *Server) OtherRisks() []Risk {
	return slices.DeleteFunc(slices.Clone(s.Risks()), func(r Risk) bool {
		switch r.Kind {
		case "copy", "look-alike":
			return s.Copy != nil
		case "deprecated":
			return s.Status == StatusDeprecated || s.Status == StatusArchived
		case "dead":
			return s.Status == StatusUnreachable || s.Status == StatusDeleted
		}
		return false
	})
}

// StatusRisk returns the risk that Status is, nil if there is none.
func (s *Server) StatusRisk() *Risk {
	kind := "dead"
	switch s.Status {
	case StatusActive, "":
		return nil
	case StatusDeprecated, StatusArchived:
		kind = "deprecated"
	}
	for _, r := range s.Risks() {
		if r.Kind == kind {
			return &r
		}
	}
	return nil
}

// CapOrigin returns the source and date of the reason of a cap; "" and nil if it follows from
// the results of all checks or is unknown.
func (s *Server) CapOrigin(c Cap) (source string, at *time.Time) {
	switch c.ID {
	case "hidden_instructions":
		return s.textsOrigin()
	case "deprecated_declared":
		return s.StatusFrom, cmp.Or(s.StatusAt, s.LastCrawledAt)
	case "low_coverage":
		return "", nil
	}
	for _, section := range s.Health.Categories {
		for _, k := range section.Checks {
			if k.ID == capChecks[c.ID] {
				return k.Source, k.ObservedAt
			}
		}
	}
	return HostOf(s.Repo.Host).ID, s.LastCrawledAt
}

// riskOfFlag returns the risk of a flag of the server's health, the zero risk if the flag is
// not a risk.
func (s *Server) riskOfFlag(flag string) Risk {
	switch flag {
	case "suspicious_text":
		source, at := s.textsOrigin()
		return riskOf("suspicious-text", "Texts of its tools may hide something or manipulate a model.",
			source, at)
	case "missing":
		return s.fromHost("dead", "The code host did not find the repository at the last visit.")
	case "not_mcp":
		return s.fromHost("not-mcp", "The repository contains no MCP code.")
	case "fork_copy":
		return s.fromHost("copy", "It is a copy of another repository with almost no changes.")
	case "endpoint_down":
		l := s.BestEndpoint()
		if l == nil || slices.ContainsFunc(s.Health.Caps, func(c Cap) bool { return c.ID == "remote_dead" }) {
			return Risk{}
		}
		why := "Its remote endpoint has been down since " + text.Day(l.Since)
		if s.Offline() {
			why += ", and there is no package"
		}
		return riskOf(RiskEndpointDown, why+".", ToolsFromProbe, &l.CheckedAt)
	case "tools_changed":
		c := s.SilentChange
		if c == nil {
			return Risk{}
		}
		return riskOf(RiskToolsChanged, "Its tools changed on "+text.Day(c.At)+
			" without a new version ("+c.Version+").", c.Source, &c.At)
	}
	return Risk{}
}

// fromStatus returns the risk that the server's status is, the zero risk if there is none.
func (s *Server) fromStatus() Risk {
	kind, text := "deprecated", ""
	switch s.Status {
	case StatusActive, "":
		return Risk{}
	case StatusDeprecated:
		text = "The server is deprecated. " + s.StatusMessage
	case StatusArchived:
		text = cmp.Or(s.StatusMessage, "The server is archived.")
	default:
		kind, text = "dead", cmp.Or(s.StatusMessage, "The repository is "+s.Status+".")
	}
	if s.StatusFrom == "" { // stored before StatusFrom was known
		return s.fromHost(kind, text)
	}
	return riskOf(kind, text, s.StatusFrom, s.StatusAt)
}

// fromHost returns a risk that the data of the code host show.
func (s *Server) fromHost(kind, text string) Risk {
	return riskOf(kind, text, HostOf(s.Repo.Host).ID, s.LastCrawledAt)
}

// textsOrigin returns the source and date of the first suspicious text.
func (s *Server) textsOrigin() (source string, at *time.Time) {
	if len(s.Suspicious) == 0 {
		return "", nil
	}
	return s.Suspicious[0].Source, s.Suspicious[0].ReadAt
}

// riskOf returns a risk; an empty source and a zero time are unknown.
func riskOf(kind, text, source string, at *time.Time) Risk {
	r := Risk{Kind: kind, Text: text, Severity: severityOf(kind)}
	if source != "" {
		r.Source = &source
	}
	if at != nil {
		r.At = dateOf(*at)
	}
	return r
}

// dateOf returns t in UTC, nil for the zero time.
func dateOf(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC())
}
