package client

import (
	"bytes"
	"encoding/json"
	"time"

	"mcpcensus/internal/registry"
)

// A Server is a record, or an entry of a list: then Install and Variables are zero. Strings are
// "" and pointers nil if unknown.
type Server struct {
	ID, Name, Description, Category string
	RegistryName                    string // in records only
	DescriptionSource               string // [registry.DescriptionComposed] or ""
	Kind                            string
	License, LicenseSource          string
	QualityScore                    *int64
	Grade                           *string
	ScoredAt                        *time.Time
	Stars, Downloads                *int64
	DownloadsAt                     *time.Time
	Repository                      struct{ URL, Owner, Name, Subfolder string }
	Packages                        []registry.Package // in records only
	Remotes                         []Remote
	Liveness                        string
	Effect                          string // of the most severe tools, as far as known
	EffectGuessed                   bool   // in lists only
	ToolCount, ToolTokens           *int64
	ToolList                        ToolList
	Capabilities                    registry.Capabilities // in records only
	Tools                           []Tool                // in records only
	SuspiciousRules                 []string
	Risks                           []registry.Risk
	Official, Verified              bool
	CopyOf, LookAlikeOf             string
	CopySince                       *time.Time
	LastCrawledAt                   *time.Time
	LatestVersion                   string
	LatestVersionSource             *VersionSource // in records only
	Links                           struct{ HTML string }
	Install                         Install
	EnvironmentVariables            []registry.Variable

	JSON json.RawMessage `json:"-"` // the whole object
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *Server) UnmarshalJSON(text []byte) error {
	type members Server
	s.JSON = bytes.Clone(text)
	return json.Unmarshal(text, (*members)(s))
}

// MarshalJSON returns the object as it was received.
func (s Server) MarshalJSON() ([]byte, error) { return s.JSON, nil }

// A Tool is one that a server registers, with what it can do. Conditional is nil if every start
// registers it.
type Tool struct {
	Name        string
	Effect      registry.ToolEffect
	Conditional *struct{}
}

// A Remote is an endpoint of a server. Headers are in records only.
type Remote struct {
	URL      string
	Headers  []registry.Variable
	Liveness *Liveness
}

// A Liveness is the result of probing an endpoint. State is that of a [registry.Probe].
type Liveness struct {
	State     string
	CheckedAt *time.Time
	Uptime30  *float64
	Probes    int
}

// A ToolList tells where a list of tools is from. Version and Hash are in records only.
type ToolList struct {
	Source, Version, Hash string
	ReadAt                *time.Time
	Complete              *bool // nil of registries before this member
}

// IsPartial reports whether a start of the server may have more or fewer tools than are known.
func (l ToolList) IsPartial() bool { return l.Complete != nil && !*l.Complete }

// Install tells how clients start a server: a command line with notes, or the reason why there is none, and
// the configuration of each client by the name of its section.
type Install struct {
	Command, Reason string
	Notes           []string // see [install.Notes]
	Clients         map[string]json.RawMessage
	Access          string   // that the command gives: "read-only", "full", or "" if unknown
	Alternative     struct { // with the other access; zero if there is none
		Clients map[string]json.RawMessage
	}
}

// A Launch is how a server is started: as text, and as the entry of a client, which is nil if
// there is none.
type Launch struct {
	ID      string
	Risks   []registry.Risk
	Text    string `json:"-"`
	Install *struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	}
}

// A ToolListChange is a change of a list of tools. FormerSource is set if the lists have different
// sources, from which the differences may result.
type ToolListChange struct {
	At           time.Time
	FormerSource *string
	Tools        []ToolChange
}

// A ToolChange is the change of a tool. Kind is added, removed or changed.
type ToolChange struct{ Name, Kind string }

// A Health is a health report.
type Health struct {
	Server, GithubURL   string
	IsMCPServer         *bool
	Status              string
	Score               *int64
	Grade               *string
	ScoreLow, ScoreHigh *int64
	ScoreVersion        string
	ComputedAt          *time.Time
	Reason              string
	Warnings            []string
	Breakdown           []HealthCategory
	Caps                []Cap
	Risks               []registry.Risk
	SuspiciousTexts     []registry.SuspiciousText
	Inspections         []Inspection
	Improve             []Improvement

	JSON json.RawMessage `json:"-"` // the whole object
}

// UnmarshalJSON implements [json.Unmarshaler].
func (h *Health) UnmarshalJSON(text []byte) error {
	type members Health
	h.JSON = bytes.Clone(text)
	return json.Unmarshal(text, (*members)(h))
}

// MarshalJSON returns the object as it was received.
func (h Health) MarshalJSON() ([]byte, error) { return h.JSON, nil }

// A HealthCategory is a category of a health report.
type HealthCategory struct {
	Category string
	Checks   []Check
}

// A Check is a check of a health report. Result is a state of [registry.Check].
type Check struct {
	Name, Result, Reason string
	Source               string
	ObservedAt           *time.Time
}

// A Cap is an upper limit of a score. Source is nil if it follows from the checks.
type Cap struct {
	Max    int
	Reason string
	Source *string
	At     *time.Time
}

// A VersionSource tells where a version is from.
type VersionSource struct {
	Source string
	ReadAt *time.Time
}

// An Inspection is the result of starting a package in a sandbox.
type Inspection struct {
	RegistryType, Identifier string
	Inspection               registry.Inspection
}

// An Improvement raises a score.
type Improvement struct {
	Gain float64
	Text string
}
