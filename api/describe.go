package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

func basicOf(s *registry.Server) basicBody {
	return basicBody{
		ID: s.Slug, Slug: s.Slug, Name: nameOf(s), Description: Known(s.Description),
		DescriptionSource: Known(s.DescriptionFrom), Kind: Known(s.Kind),
		Category: s.Category, SecondCategory: Known(s.SecondCategory),
		Tags: EmptyList(s.Tags), SDK: Known(s.SDK), Language: Known(s.Language),
		License:      Known(s.License),
		QualityScore: s.Health.Score, HealthScore: s.Health.Score,
		Grade: Known(s.Health.Grade), Popularity: s.Popularity.Score,
		Stars: s.Stars, Downloads: s.Downloads,
		Transports: EmptyList(s.Transports), Remotes: each(s.Remotes, endpointOf),
		Liveness:  Known(s.Liveness),
		ToolCount: s.ToolCount, ToolsKnown: toolsKnownOf(s), ToolTokens: s.ToolTokens,
		ToolList: toolsReadOf(s), ReadOnly: s.CanReadOnly(),
		Effect: s.Effect(), EffectGuessed: s.EffectIsGuess(),
		SuspiciousRules: suspiciousRulesOf(s), Risks: s.Risks(),
		Repository: basicRepoBody{
			URL: repoURL(s), Owner: Known(s.Repo.Owner), Name: Known(s.Repo.Name),
			Subfolder: Known(s.Subfolder), Archived: s.Repo.IsArchived(),
		},
		Icon: Known(s.Icon), Status: s.Status,
		Official: s.Official, OfficialReason: Known(s.OfficialReason), Verified: s.Verified,
		CopyOf:      Known(s.OriginalOf(registry.CopyOf)),
		LookAlikeOf: Known(s.OriginalOf(registry.LookAlike)), CopySince: copySince(s),
		UpdatedAt: moment(s.UpdatedAt), CheckedAt: utc(s.LastCrawledAt), Links: linksOf(s.Slug),
	}
}

// toolsKnownOf returns how many tools of s its record lists; nil if its tools are unknown.
func toolsKnownOf(s *registry.Server) *int {
	if s.ToolsFrom == "" {
		return nil
	}
	return new(len(s.Tools))
}

// versionSourceOf returns the source of the latest version of s; nil if it is unknown.
func versionSourceOf(s *registry.Server) *versionSourceBody {
	if s.VersionFrom == "" {
		return nil
	}
	return &versionSourceBody{Source: s.VersionFrom, ReadAt: utc(s.VersionAt)}
}

// toolsReadOf returns the source of the tools of s; nil if they are unknown.
func toolsReadOf(s *registry.Server) *toolsReadBody {
	if s.ToolsFrom == "" {
		return nil
	}
	return &toolsReadBody{Source: s.ToolsFrom, Version: Known(s.ToolsVersion), Complete: !s.ToolsPartial}
}

// suspiciousRulesOf returns the rules that the tools of s break, nil if they are unknown.
func suspiciousRulesOf(s *registry.Server) []string {
	if s.ToolsFrom == "" && len(s.Suspicious) == 0 {
		return nil
	}
	return registry.SuspiciousRules(s.Suspicious)
}

func copySince(s *registry.Server) *time.Time {
	if s.Copy == nil {
		return nil
	}
	return moment(s.Copy.Since)
}

func linksOf(slug string) recordLinkBody {
	return recordLinkBody{
		Self: serversPath + "/" + slug, HTML: "/servers/" + slug,
		Health: "/api/health?server=" + slug, Badge: "/badge/" + slug + ".svg",
	}
}

func (e *Encoder) detailOf(s *registry.Server) detailBody {
	d := detailBody{
		ID: s.Slug, Slug: s.Slug, Name: nameOf(s), RegistryName: Known(s.RegistryName),
		Title: Known(s.Title), Description: Known(s.Description),
		DescriptionSource: Known(s.DescriptionFrom), Kind: Known(s.Kind),
		Category: s.Category, CategoryConfidence: finite(s.CategoryConfidence),
		SecondCategory: Known(s.SecondCategory), Tags: EmptyList(s.Tags), SDK: Known(s.SDK),
		Framework: Known(s.Framework), Language: Known(s.Language),
		License: Known(s.License), LicenseSource: Known(s.LicenseFrom),
		QualityScore: s.Health.Score, HealthScore: s.Health.Score,
		Grade: Known(s.Health.Grade), Popularity: s.Popularity.Score,
		ScoreVersion: Known(s.Health.Version), ScoreLow: s.Health.Low, ScoreHigh: s.Health.High,
		Coverage: coverage(&s.Health), Confidence: Known(s.Health.Confidence),
		CommitChance: s.Health.CommitChance,
		Stars:        s.Stars, Forks: s.Forks, OpenIssues: s.OpenIssues, Contributors: s.Contributors,
		Downloads: s.Downloads, DownloadsPeriod: "30d", DownloadsBreakdown: DownloadsOf(s),
		DownloadsAt: utc(s.DownloadsAt),
		Repository:  repositoryOf(s), Homepage: Known(s.Homepage), Icon: Known(s.Icon),
		Transports: EmptyList(s.Transports), Packages: each(s.Packages, packageOf),
		Remotes: each(s.Remotes, remoteOf), Liveness: Known(s.Liveness), LivenessAt: utc(s.LivenessAt()),
		Environment: EmptyList(s.Variables),
		ToolCount:   s.ToolCount, ToolsKnown: toolsKnownOf(s), ToolTokens: s.ToolTokens,
		ToolList: toolListOf(s),
		Effect:   s.Effect(), EffectGuessed: s.EffectIsGuess(), ReadOnly: s.CanReadOnly(),
		Capabilities:    s.Capabilities(),
		SuspiciousRules: suspiciousRulesOf(s), SuspiciousTexts: EmptyList(s.Suspicious),
		Risks: s.Risks(), Install: e.installOf(s),
		Status: s.Status, StatusMessage: Known(s.StatusMessage),
		Successor: Known(s.SuccessorURL),
		Official:  s.Official, OfficialReason: Known(s.OfficialReason),
		CopyOf:      Known(s.OriginalOf(registry.CopyOf)),
		LookAlikeOf: Known(s.OriginalOf(registry.LookAlike)), CopySince: copySince(s),
		Verified: s.Verified, VerifiedReason: Known(s.VerifiedReason),
		LatestVersion: Known(s.LatestVersion), VersionSource: versionSourceOf(s),
		ReleasedAt: utc(s.ReleasedAt),
		Sources:    each(s.Sources, sightingOf), CreatedAt: moment(s.CreatedAt),
		UpdatedAt: moment(s.UpdatedAt), CheckedAt: utc(s.LastCrawledAt), LastCommitAt: utc(s.LastCommitAt),
		LastCrawledAt: utc(s.LastCrawledAt), ScoredAt: utc(s.ScoredAt), Links: linksOf(s.Slug),
	}
	if c := s.Copy; c != nil {
		d.CopyReason = Known(c.Reason)
	}
	if s.Repo.Owner != "" {
		d.Owner = &ownerBody{
			Login: s.Repo.Owner, Type: Known(s.Repo.OwnerType), AvatarURL: e.avatarOf(&s.Repo),
		}
	}
	if s.Tools != nil {
		d.Tools = each(s.Tools, toolOf)
	}
	return d
}

// avatarOf returns the URL of the avatar of a repository's owner, nil if this
// registry serves none.
func (e *Encoder) avatarOf(r *registry.Repository) *string {
	path := r.AvatarPath()
	if !e.avatars || path == "" {
		return nil
	}
	return Known(e.base + path)
}

// each converts the elements of a list. The result is not nil.
func each[T, U any](from []T, convert func(T) U) []U {
	out := make([]U, len(from))
	for i, v := range from {
		out[i] = convert(v)
	}
	return out
}

func coverage(h *registry.Health) *float64 {
	if h.Version == "" {
		return nil
	}
	return new(finite(h.Coverage))
}

func repositoryOf(s *registry.Server) detailRepoBody {
	r := detailRepoBody{
		URL: repoURL(s), Source: Known(s.Repo.Host), Owner: Known(s.Repo.Owner), Name: Known(s.Repo.Name),
		Subfolder: Known(s.Subfolder), DefaultBranch: Known(s.Repo.DefaultBranch),
		Archived: s.Repo.IsArchived(), Fork: s.Repo.IsFork(),
		PushedAt: moment(s.Repo.PushedAt), Commit: Known(s.Repo.Commit),
	}
	if s.Repo.ID != 0 {
		r.ID = Known(strconv.FormatInt(s.Repo.ID, 10))
	}
	return r
}

func (e *Encoder) installOf(s *registry.Server) installBody {
	i := installBody{Command: Known(s.OfferedCommand()), Notes: EmptyList(install.Notes(s)), Clients: e.clients(s)}
	if i.Command == nil {
		i.Reason = Known(install.Missing(s))
	}
	if s.Severity() == registry.SeverityHarmful {
		return i
	}
	i.Access = Known(install.Access(s))
	for _, access := range []string{install.AccessReadOnly, install.AccessFull} {
		if other, ok := install.With(s, access); ok && access != *i.Access {
			i.Alternative = &alternativeBody{Known(other.OfferedCommand()), e.clients(other)}
		}
	}
	return i
}

func packageOf(p registry.Package) packageBody {
	return packageBody{
		RegistryType: p.RegistryType, Identifier: p.Identifier, Version: p.Version,
		RegistryBaseURL: p.RegistryBaseURL, FileSHA256: p.FileSHA256, RuntimeHint: p.RuntimeHint,
		Transport: p.Transport, RuntimeArguments: p.RuntimeArguments,
		PackageArguments: p.PackageArguments, EnvironmentVariables: p.EnvironmentVariables,
		Inspection: p.Inspection.Shown(),
	}
}

func remoteOf(r registry.Remote) remoteBody {
	return remoteBody{Type: r.Type, URL: r.URL, Headers: EmptyList(r.Headers), Variables: r.Variables,
		Liveness: r.Liveness}
}

func endpointOf(r registry.Remote) endpointBody {
	return endpointBody{Type: r.Type, URL: r.URL, Liveness: r.Liveness}
}

func toolOf(t registry.Tool) toolBody {
	b := toolBody{
		Name: t.Name, Title: Known(t.Title), Description: Known(t.Description),
		InputSchema: rawObject(t.InputSchema), Annotations: t.Annotations, Effect: t.Effect(),
		Contradicts: t.Contradicts(), Hash: Known(t.Hash),
		DescriptionSource: t.DescriptionFrom, InputSchemaSource: t.SchemaFrom,
	}
	if t.Hash != "" {
		b.Tokens = &t.Tokens
	}
	if c := t.Conditional; c != nil {
		b.Conditional = &conditionBody{Setting: Known(c.Setting)}
		if c.Off {
			b.Conditional.Default = new(bool)
		}
	}
	return b
}

// toolListOf returns the source of the tools of s; nil if they are unknown.
func toolListOf(s *registry.Server) *toolListBody {
	if s.ToolsFrom == "" {
		return nil
	}
	return &toolListBody{
		Source: s.ToolsFrom, Package: toolPackageOf(s.ToolsPackage), Endpoint: s.ToolsEndpoint,
		Version: Known(s.ToolsVersion), ReadAt: utc(s.ToolsAt),
		Hash: Known(s.ToolsHash), Tokens: s.ToolTokens, Complete: !s.ToolsPartial,
	}
}

// toolPackageOf returns the package whose archive was read; nil for none.
func toolPackageOf(p registry.PackageKey) *registry.PackageKey {
	if p.Identifier == "" {
		return nil
	}
	return &p
}

func sightingOf(g registry.Discovery) sightingBody {
	return sightingBody{
		Name: g.Name, FirstSeenAt: moment(g.FirstSeenAt), LastSeenAt: moment(g.LastSeenAt),
	}
}

// DownloadsOf returns the downloads by registry type: npm, PyPI, OCI and each
// other type that the server publishes to. A nil is unknown.
func DownloadsOf(s *registry.Server) map[string]*int64 {
	m := map[string]*int64{"npm": nil, "pypi": nil, "oci": nil}
	for _, p := range s.Packages {
		m[p.RegistryType] = nil
	}
	for k, v := range s.DownloadsBy {
		m[k] = &v
	}
	return m
}

func (e *Encoder) entryOf(s *registry.Server) entryBody {
	m := entryMeta{
		ID: s.Slug, Owner: Known(s.Repo.Owner), Official: s.Official, Status: s.Status,
		DescriptionSource: Known(s.DescriptionFrom), Kind: Known(s.Kind),
		Category: s.Category, Transports: EmptyList(s.Transports),
		Remotes: each(s.Remotes, endpointOf), Liveness: Known(s.Liveness),
		Risks: s.Risks(), Install: e.launch(s), CheckedAt: utc(s.LastCrawledAt),
	}
	b := entryBody{
		Name: nameOf(s), Description: s.Description, Installation: Known(s.OfferedCommand()),
		QualityScore: s.Health.Score, InputSchema: json.RawMessage(`{"type":"object"}`),
		Meta: map[string]entryMeta{e.metaKey: m},
	}
	if b.Source = cmp.Or(s.SourceURL(), s.Homepage); b.Source == "" && len(s.Remotes) > 0 {
		b.Source = s.Remotes[0].URL
	}
	return b
}

// toolEntriesOf returns the entries of the tools of s from from to to, exclusive, as valid tools
// of MCP.
func (e *Encoder) toolEntriesOf(s *registry.Server, from, to int) []entryBody {
	var out []entryBody
	for _, t := range s.Tools[from:min(to, len(s.Tools))] {
		b := e.entryOf(s)
		b.Title, b.Description = s.Slug+"/"+t.Name, t.Description
		b.Name = toolName(s.Slug, t.Name)
		m := b.Meta[e.metaKey]
		m.DescriptionSource = nil
		m.Tool, m.ToolList, m.SchemaKnown = &t.Name, toolsReadOf(s), new(bool)
		if schema := argumentSchema(t.InputSchema); schema != nil {
			b.InputSchema, *m.SchemaKnown = schema, true
		}
		b.Meta[e.metaKey] = m
		out = append(out, b)
	}
	return out
}

const maxToolName = 64 // of names that clients accept: ^[a-zA-Z0-9_-]{1,64}$

// toolName returns the name of a tool among those of all servers. It ends in a hash if clients
// would not accept it without one.
func toolName(slug, tool string) string {
	name := slug + "__" + tool
	accepted := strings.Map(func(c rune) rune {
		if c < utf8.RuneSelf && (c == '_' || c == '-' || unicode.IsLetter(c) || unicode.IsDigit(c)) {
			return c
		}
		return '_'
	}, name)
	if accepted == name && len(name) <= maxToolName {
		return name
	}
	hash := fmt.Sprintf("_%016x", xxhash.Sum64String(name))
	return accepted[:min(len(accepted), maxToolName-len(hash))] + hash
}

// argumentSchema returns an input schema as MCP requires it, the schema of an object; nil if b is
// no such schema.
func argumentSchema(b []byte) json.RawMessage {
	schema := rawObject(b)
	var members map[string]json.RawMessage
	if json.Unmarshal(schema, &members) != nil {
		return nil
	}
	switch kind, ok := members["type"]; {
	case !ok:
		members["type"] = json.RawMessage(`"object"`)
		if raw, err := json.Marshal(members); err == nil {
			return raw
		}
	case string(kind) == `"object"`:
		return schema
	}
	return nil
}

// healthOf returns the report of s. A listed server has a page.
func (e *Encoder) healthOf(s *registry.Server, listed bool) healthBody {
	h := &s.Health
	b := healthBody{
		Server: Known(s.Slug), GithubURL: repoURL(s), Subfolder: Known(s.Subfolder),
		Indexed: listed, IsMCPServer: new(true), Kind: Known(s.Kind), Official: &s.Official, Status: h.Status,
		Score: h.Score, Grade: Known(h.Grade), ScoreLow: h.Low, ScoreHigh: h.High,
		Coverage: coverage(h), Confidence: Known(h.Confidence), CommitChance: h.CommitChance,
		Popularity:   s.Popularity.Score,
		ScoreVersion: Known(h.Version), Commit: Known(h.Commit), ComputedAt: moment(h.ComputedAt),
		Breakdown: each(h.Categories, sectionOf), Caps: capsOf(s), Flags: EmptyList(h.Flags),
		Risks: s.Risks(), LatestVersion: Known(s.LatestVersion), VersionSource: versionSourceOf(s),
		SuspiciousTexts: EmptyList(s.Suspicious), Inspections: registry.InspectionsOf(s.Packages),
		Improve: each(h.Improve, improveOf), Warnings: []string{},
	}
	b.Status = cmp.Or(b.Status, registry.HealthInsufficientData)
	if listed {
		html := "/servers/" + s.Slug
		b.Links = healthLinks{
			Self: Known("/api/health?server=" + s.Slug), History: Known(html + "/health#history"),
			Badge: Known("/badge/" + s.Slug + ".svg"), HTML: &html,
		}
	}
	return b
}

func capsOf(s *registry.Server) []capBody {
	all := []capBody{}
	for _, c := range s.Health.Caps {
		source, at := s.CapOrigin(c)
		all = append(all, capBody{c, Known(source), utc(at)})
	}
	return all
}

func sectionOf(c registry.HealthSection) sectionBody {
	b := sectionBody{
		Category: c.Category, Weight: finite(c.Weight), Coverage: finite(c.Coverage),
		Checks: each(c.Checks, checkOf),
	}
	if c.Score != nil {
		b.Score = new(finite(*c.Score))
	}
	return b
}

func checkOf(k registry.Check) checkBody {
	return checkBody{
		ID: k.ID, Name: k.Name, Result: k.Result, State: k.State,
		Points: finite(k.Points), Max: finite(k.Max), Reason: k.Reason,
		Evidence: each(k.Evidence, evidenceOf), Fix: Known(k.Fix), Source: Known(k.Source),
		ObservedAt: utc(k.ObservedAt), Docs: "/docs/scoring#" + k.ID,
	}
}

func evidenceOf(e registry.Evidence) evidenceBody {
	return evidenceBody{Type: e.Type, Ref: e.Ref, URL: Known(e.URL), Text: Known(e.Text)}
}

func improveOf(i registry.Improvement) registry.Improvement {
	i.Gain = finite(i.Gain)
	return i
}

// nameOf returns the display name of s, which is never empty.
func nameOf(s *registry.Server) string {
	return cmp.Or(s.Name, s.Slug)
}

// repoURL returns the address of the repository's page, nil if there is no
// repository.
func repoURL(s *registry.Server) *string {
	if s.Repo.Owner == "" || s.Repo.Name == "" {
		return nil
	}
	return new(s.Repo.URL())
}

// Known returns nil for "", which is an unknown value.
func Known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// EmptyList returns an empty list for nil.
func EmptyList[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// moment returns t in UTC, nil for the zero time.
func moment(t time.Time) *time.Time {
	if t.IsZero() || t.Year() < 1 || t.Year() > 9999 {
		return nil
	}
	t = t.UTC()
	return &t
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	return moment(*t)
}

// finite returns f, or 0 if JSON cannot represent it.
func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

// rawObject returns b if it is one JSON object, else nil. Schemas come from
// repositories and may be anything.
func rawObject(b []byte) json.RawMessage {
	t := bytes.TrimSpace(b)
	if len(t) == 0 || t[0] != '{' || !utf8.Valid(t) || !json.Valid(t) {
		return nil
	}
	return json.RawMessage(t)
}
