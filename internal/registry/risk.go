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
	Text string `json:"text"` // a sentence
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

// severityOf returns the severity of a kind of risk.
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

// Risks returns the reasons not to use the server: its caps, status, originals and flags. It
// never returns nil.
func (s *Server) Risks() []Risk {
	if s.KnownRisks != nil {
		return s.KnownRisks
	}
	all := []Risk{}
	for _, c := range s.Health.Caps {
		if kind := riskyCaps[c.ID]; kind != "" {
			source, at := s.CapOrigin(c)
			all = append(all, riskOf(kind, c.Reason, source, at))
		}
	}
	// The sentence of a cap is more precise than that of a flag.
	add := func(r Risk) {
		if !slices.ContainsFunc(all, func(o Risk) bool { return o.Kind == r.Kind }) {
			all = append(all, r)
		}
	}
	switch s.Status {
	case StatusActive, "":
	case StatusDeprecated, StatusArchived:
		add(s.fromStatus("deprecated", "The server is "+s.Status+"."))
	default:
		add(s.fromStatus("dead", "The repository is "+s.Status+"."))
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
	return all
}

// place sets what depends on the server: what to use instead, and that an endpoint that is down
// is not needed where there is a package.
func (s *Server) place(r *Risk) {
	switch {
	case (r.Kind == "copy" || r.Kind == "look-alike") && s.Copy != nil && s.Copy.Of != "":
		r.Instead = &s.Copy.Of
	case (r.Kind == "deprecated" || r.Kind == "dead") && s.SuccessorURL != "":
		r.Instead = &s.SuccessorURL
	case r.Kind == RiskEndpointDown && !s.Offline():
		r.Severity = SeverityNotice
	}
}

// Severity returns the severity of the worst risk, "" if there is none.
func (s *Server) Severity() (worst string) {
	for _, r := range s.Risks() {
		switch {
		case r.Severity == SeverityHarmful:
			return SeverityHarmful
		case r.Severity == SeverityCaution || worst == "":
			worst = r.Severity
		}
	}
	return worst
}

// OfferedCommand returns the installation command, "" if there is none or the server is harmful.
func (s *Server) OfferedCommand() string {
	if s.Severity() == SeverityHarmful {
		return ""
	}
	return s.InstallCommand
}

// HasRisk reports whether one of the risks has one of the kinds.
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

// fromStatus returns a risk that the server's status shows.
func (s *Server) fromStatus(kind, text string) Risk {
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
	t = t.UTC()
	return &t
}
