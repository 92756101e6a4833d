package entry

import (
	"cmp"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// A document is a server.json, schema 2025-12-11.
type document struct {
	Schema      string              `json:"$schema"`
	Name        string              `json:"name"`
	Title       string              `json:"title,omitempty"`
	Description string              `json:"description"`
	Version     string              `json:"version"`
	WebsiteURL  string              `json:"websiteUrl,omitempty"`
	Repository  *repository         `json:"repository,omitempty"`
	Icons       []icon              `json:"icons,omitempty"`
	Packages    []registry.Package  `json:"packages,omitempty"`
	Remotes     []registry.Remote   `json:"remotes,omitempty"`
	Meta        map[string]provided `json:"_meta,omitempty"`
}

type repository struct {
	URL       string `json:"url"`
	Source    string `json:"source"`
	ID        string `json:"id,omitempty"`
	Subfolder string `json:"subfolder,omitempty"`
}

type icon struct {
	Src string `json:"src"`
}

// provided are members of publisher-provided metadata that galleries read.
type provided map[string]any

// A github has the stars, license and README that VS Code shows.
type github struct {
	Name             string     `json:"name"`
	NameWithOwner    string     `json:"nameWithOwner"`
	DisplayName      string     `json:"displayName"`
	IsInOrganization bool       `json:"isInOrganization"`
	License          string     `json:"license,omitempty"`
	OwnerAvatarURL   string     `json:"ownerAvatarUrl,omitempty"`
	PreferredImage   string     `json:"preferredImage,omitempty"`
	PrimaryLanguage  string     `json:"primaryLanguage,omitempty"`
	PushedAt         *time.Time `json:"pushedAt,omitempty"`
	Readme           string     `json:"readme,omitempty"`
	StargazerCount   *int       `json:"stargazerCount,omitempty"`
	Topics           []string   `json:"topics,omitempty"`
}

// Lengths of texts in a server.json, in characters, and of a README in bytes.
const (
	maxDescription = 100
	maxTitle       = 100
	maxReadme      = 64 << 10
)

func (e Encoder) document(s *registry.Server, p install.Publication, name, readme string) document {
	d := document{
		Schema: Schema, Name: name, Title: titleOf(s), Version: versionOf(s, p),
		Description: short(s.Description, maxDescription),
		WebsiteURL:  secureURL(s.Homepage), Packages: p.Packages, Remotes: p.Remotes,
	}
	if d.Description == "" {
		if d.Description = d.Title; d.Description == "" {
			d.Description = short("MCP server "+s.Repo.Name, maxDescription)
		}
	}
	if src := iconOf(s); src != "" {
		d.Icons = []icon{{src}}
	}
	d.Repository = repositoryOf(s)
	if extra := e.provided(s, p, readme); len(extra) > 0 {
		d.Meta = map[string]provided{publisherMeta: extra}
	}
	return d
}

func titleOf(s *registry.Server) string { return short(cmp.Or(s.Title, s.Name), maxTitle) }

// iconOf returns the URL of the server's icon, "" for none.
func iconOf(s *registry.Server) string {
	if src := secureURL(s.Icon); len(src) <= 255 {
		return src
	}
	return ""
}

// avatarOf returns the URL of the avatar of the repository's owner: ours if it is known.
func (e Encoder) avatarOf(s *registry.Server) string {
	if path := s.Repo.AvatarPath(); e.BaseURL != "" && path != "" {
		return e.link(path)
	}
	return s.Repo.OwnerAvatarURL
}

// provided returns what galleries show of s: VS Code members of the repository, and in views
// ToolHive members of images and remotes.
func (e Encoder) provided(s *registry.Server, p install.Publication, readme string) provided {
	out := provided{}
	if s.Repo.Host == registry.GitHub && s.Repo.Owner != "" {
		out["github"] = e.github(s, text.Cut(readme, maxReadme))
	}
	if !e.Enriched {
		return out
	}
	about, all := toolHiveOf(s), map[string]toolHive{}
	for _, pkg := range p.Packages {
		if pkg.RegistryType == "oci" {
			all[pkg.Identifier] = about
		}
	}
	for _, r := range p.Remotes {
		all[r.URL] = about
	}
	if len(all) > 0 {
		out["io.github.stacklok"] = all
	}
	return out
}

// A toolHive has what ToolHive shows of an image or remote.
type toolHive struct {
	Status   string   `json:"status"`
	Tier     string   `json:"tier"`
	Tags     []string `json:"tags,omitempty"`
	Tools    []string `json:"tools,omitempty"`
	Metadata struct {
		Stars       *int       `json:"stars,omitempty"`
		LastUpdated *time.Time `json:"last_updated,omitempty"`
	} `json:"metadata,omitzero"`
}

func toolHiveOf(s *registry.Server) toolHive {
	t := toolHive{Status: "Active", Tier: "Community", Tags: s.Tags}
	if Status(s.Status) != Active {
		t.Status = "Deprecated"
	}
	if s.Official {
		t.Tier = "Official"
	}
	for _, tool := range s.Tools {
		t.Tools = append(t.Tools, tool.Name)
	}
	t.Metadata.Stars, t.Metadata.LastUpdated = s.Stars, moment(s.Repo.PushedAt)
	return t
}

var folderForm = regexp.MustCompile(`^[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*$`)

// sources are the hosts of repositories that the official registry accepts.
var sources = map[string]bool{"github": true, "gitlab": true}

func repositoryOf(s *registry.Server) *repository {
	address := s.Repo.URL()
	if !sources[s.Repo.Host] || address == "" {
		return nil
	}
	r := &repository{URL: address, Source: s.Repo.Host}
	if s.Repo.ID != 0 {
		r.ID = strconv.FormatInt(s.Repo.ID, 10)
	}
	if folderForm.MatchString(s.Subfolder) {
		r.Subfolder = s.Subfolder
	}
	return r
}

func (e Encoder) github(s *registry.Server, readme string) github {
	return github{
		Name: s.Repo.Name, NameWithOwner: s.Repo.FullName(), DisplayName: titleOf(s),
		IsInOrganization: s.Repo.OwnerType == "Organization", License: s.License,
		PrimaryLanguage: s.Language, Readme: readme, StargazerCount: s.Stars, Topics: s.Tags,
		OwnerAvatarURL: e.avatarOf(s), PreferredImage: iconOf(s), PushedAt: moment(s.Repo.PushedAt),
	}
}

// short returns a text on one line of at most n characters, cut at the end of a word.
func short(s string, n int) string {
	r := []rune(text.OneLine(s))
	if len(r) <= n {
		return string(r)
	}
	cut := n - 1
	for i := cut; i > n/2; i-- {
		if unicode.IsSpace(r[i]) {
			cut = i
			break
		}
	}
	return strings.TrimRightFunc(string(r[:cut]), func(c rune) bool {
		return unicode.IsSpace(c) || strings.ContainsRune(",;:-–—(", c)
	}) + "…"
}

// secureURL returns an absolute https URL, "" for anything else.
func secureURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || len(s) > 2000 ||
		strings.ContainsAny(s, "\"'<>\\^`{}| \t\r\n") {
		return ""
	}
	return s
}

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
