package entry

import (
	"time"

	"mcpcensus/internal/registry"
)

// A Meta holds this registry's facts about a server, in _meta of responses. Unknown values
// are null. It is RegistryMeta in the OpenAPI document.
type Meta struct {
	ID           string     `json:"id"` // the slug
	Score        *int       `json:"score"`
	ScoreLow     *int       `json:"scoreLow"`
	ScoreHigh    *int       `json:"scoreHigh"`
	Grade        *string    `json:"grade"`
	ScoreVersion *string    `json:"scoreVersion"`
	ComputedAt   *time.Time `json:"computedAt"`
	Popularity   *int       `json:"popularity"`
	// DescriptionSource is [registry.DescriptionComposed], nil for a sentence of the owner.
	DescriptionSource *string  `json:"descriptionSource"`
	Kind              *string  `json:"kind"`
	Category          string   `json:"category"`
	Tags              []string `json:"tags"`
	Synthesized       bool     `json:"synthesized"`
	Repaired          []string `json:"repaired"`
	// OmittedPackages are those of [install.Publication.Omitted].
	OmittedPackages []string `json:"omittedPackages"`
	Official        bool     `json:"official"`
	Verified        bool     `json:"verified"`
	Stars           *int     `json:"stars"`
	Downloads30d    *int64   `json:"downloads30d"`
	// LastCrawledAt is when the repository was read, and DownloadsAt when the oldest of the
	// counts of downloads was.
	LastCrawledAt *time.Time    `json:"lastCrawledAt"`
	DownloadsAt   *time.Time    `json:"downloadsAt"`
	Tools         *metaTools    `json:"tools"`
	Liveness      *metaLiveness `json:"liveness"`
	// Capabilities are what the server can do.
	Capabilities registry.Capabilities `json:"capabilities"`
	Flags        []string              `json:"flags"`
	Risks        []registry.Risk       `json:"risks"`
	CopyOf       *string               `json:"copyOf"`
	LookAlikeOf  *string               `json:"lookAlikeOf"`
	CopySince    *time.Time            `json:"copySince"` // when CopyOf or LookAlikeOf was first found
	Command      *string               `json:"command"`
	Links        metaLinks             `json:"links"`
}

type metaTools struct {
	Count       *int       `json:"count"`
	Tokens      *int       `json:"tokens"`
	Fingerprint *string    `json:"fingerprint"`
	Source      *string    `json:"source"`
	Version     *string    `json:"version"`
	ReadAt      *time.Time `json:"readAt"`
	Complete    *bool      `json:"complete"` // nil of an empty list without a source
}

// metaLiveness is the best state of the endpoints, with the date and uptime of the first
// endpoint that has it.
type metaLiveness struct {
	State     string     `json:"state"`
	CheckedAt *time.Time `json:"checkedAt"`
	Uptime30  *float64   `json:"uptime30"`
	Probes    int        `json:"probes"`
}

type metaLinks struct {
	HTML   string  `json:"html"`
	Health string  `json:"health"`
	Readme *string `json:"readme"` // page of the code host that shows it
}

func (e Encoder) meta(s *registry.Server, synthesized bool, repaired, omitted []string) *Meta {
	m := &Meta{
		ID: s.Slug, Score: s.Health.Score, ScoreLow: s.Health.Low, ScoreHigh: s.Health.High,
		Grade: known(s.Health.Grade), ScoreVersion: known(s.Health.Version),
		ComputedAt: moment(s.Health.ComputedAt), Popularity: s.Popularity.Score,
		DescriptionSource: known(s.DescriptionFrom),
		Kind:              known(s.Kind), Category: s.Category, Tags: append([]string{}, s.Tags...),
		Synthesized: synthesized, Repaired: append([]string{}, repaired...),
		OmittedPackages: append([]string{}, omitted...),
		Official:        s.Official, Verified: s.Verified, Stars: s.Stars, Downloads30d: s.Downloads,
		LastCrawledAt: s.LastCrawledAt, DownloadsAt: s.DownloadsAt,
		Capabilities: s.Capabilities(), Flags: append([]string{}, s.Health.Flags...), Command: known(s.OfferedCommand()),
		Risks: s.Risks(), CopyOf: known(s.OriginalOf(registry.CopyOf)),
		LookAlikeOf: known(s.OriginalOf(registry.LookAlike)),
		Links: metaLinks{
			HTML: e.link("/servers/" + s.Slug), Health: e.link("/api/health?server=" + s.Slug),
		},
	}
	if page := s.SourceURL(); page != "" {
		m.Links.Readme = known(page + "#readme")
	}
	if s.Copy != nil {
		m.CopySince = moment(s.Copy.Since)
	}
	if s.ToolCount != nil || s.ToolsFrom != "" {
		m.Tools = &metaTools{s.ToolCount, s.ToolTokens, known(s.ToolsHash), known(s.ToolsFrom),
			known(s.ToolsVersion), s.ToolsAt, s.HasAllTools()}
	}
	if s.Liveness != "" {
		m.Liveness = &metaLiveness{State: s.Liveness}
		if l := s.BestEndpoint(); l != nil {
			m.Liveness = &metaLiveness{s.Liveness, moment(l.CheckedAt), l.Uptime30, l.Probes}
		}
	}
	return m
}

// known returns nil for "", which stands for an unknown value.
func known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
