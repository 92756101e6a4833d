package upstream

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/transport"
	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/cache"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/version"
)

// PublicDepsDev is the URL of deps.dev's API.
const PublicDepsDev = "https://api.deps.dev"

const (
	depsdevMax      = 24 << 20 // packages with tens of thousands of versions
	maxDependencies = 300
	maxAdvisories   = 50
	maxAddress      = 2048
	maxName         = 300
)

// systems are the ecosystems that deps.dev supports.
var systems = []string{"npm", "pypi", "cargo", "nuget", "go", "maven"}

// A DepsDev is a client of deps.dev.
type DepsDev struct {
	*service
	releases *cache.Cache[PackageVersions]
}

// NewDepsDev returns deps.dev at o.Base, or the public one.
func NewDepsDev(o Options) (*DepsDev, error) {
	s, err := newService(PublicDepsDev, []string{"/v3"}, o, transport.Options{
		Upstream: "deps.dev", Timeout: 20 * time.Second, MaxBody: depsdevMax,
	})
	if err != nil {
		return nil, err
	}
	return &DepsDev{service: s, releases: cache.New[PackageVersions](maxReleases)}, nil
}

// PackageVersions are the published versions of a package.
type PackageVersions struct {
	Versions []PublishedVersion
	Default  string // installed without a version; "" if unknown
}

// A PublishedVersion is one of a package's versions.
type PublishedVersion struct {
	Version     string
	PublishedAt *time.Time
	Deprecated  *string // the notice, "" for none; nil if unknown
}

// at returns a version of the list, or nil.
func (p PackageVersions) at(version string) *PublishedVersion {
	return p.find(func(v string) bool { return v == version })
}

// same returns the version equal to v in any spelling, or nil.
func (p PackageVersions) same(ecosystem, v string) *PublishedVersion {
	if exact := p.at(v); exact != nil || v == "" {
		return exact
	}
	return p.find(func(other string) bool { return version.Same(ecosystem, other, v) })
}

func (p PackageVersions) find(is func(version string) bool) *PublishedVersion {
	i := slices.IndexFunc(p.Versions, func(v PublishedVersion) bool { return is(v.Version) })
	if i < 0 {
		return nil
	}
	return &p.Versions[i]
}

// A VersionDetail describes one version.
type VersionDetail struct {
	License         string // SPDX expressions joined by " AND "; "" if unknown
	RepoURL         string // "" for none
	Attested        *bool  // has provenance that deps.dev verified; nil if unknown
	AttestedRepo    string
	AdvisoryIDs     []string
	AdvisoriesKnown bool
	Registry        string // URL of the registry with the version; "" if unknown
}

// packageName returns a name as deps.dev spells it.
func packageName(ecosystem, name string) string {
	switch ecosystem {
	case "pypi":
		return registry.PyPIName(name)
	case "nuget":
		return strings.ToLower(name)
	}
	return name
}

// path returns the path of a package, followed by further segments.
func (d *DepsDev) path(ecosystem, name string, version ...string) (string, error) {
	if !slices.Contains(systems, ecosystem) {
		return "", registry.Errorf(registry.ErrInvalid, "deps.dev has no packages of %q",
			untyped.Cut(ecosystem, 20))
	}
	name = packageName(ecosystem, name)
	if name == "" || len(name) > maxName || untyped.Cut(name, maxName) != name {
		return "", registry.Errorf(registry.ErrInvalid, "%q is not a package name",
			untyped.Cut(name, 60))
	}
	path := "/v3/systems/" + ecosystem + "/packages/" + escape(name)
	for _, v := range version {
		path += "/versions/" + escape(v)
	}
	return path, nil
}

// Versions returns the versions of a package, in the order of its ecosystem.
// The error is registry.ErrNotFound if deps.dev has no such package.
func (d *DepsDev) Versions(ctx context.Context, ecosystem, name string) (PackageVersions, error) {
	path, err := d.path(ecosystem, name)
	if err != nil {
		return PackageVersions{}, err
	}
	var body struct {
		Versions []depsdevVersion `json:"versions"`
	}
	if err := d.get(ctx, path, nil, &body); err != nil {
		return PackageVersions{},
			notFound(err, "deps.dev has no package %s of %s", untyped.Cut(name, 100), ecosystem)
	}
	if body.Versions == nil {
		return PackageVersions{}, d.unusable("response has no versions")
	}
	var out PackageVersions
	for _, v := range body.Versions {
		if p, ok := v.published(); ok {
			out.Versions = append(out.Versions, p)
			if v.IsDefault {
				out.Default = p.Version
			}
		}
	}
	if len(body.Versions) > 0 && len(out.Versions) == 0 {
		return PackageVersions{}, d.unusable("response has versions without names")
	}
	slices.SortStableFunc(out.Versions, func(a, b PublishedVersion) int {
		return version.Compare(ecosystem, a.Version, b.Version)
	})
	if d := out.Default; d == "" || d == registry.PlaceholderVersion || version.IsPrerelease(ecosystem, d) {
		for _, v := range out.Versions { // the highest release
			if v.Version != registry.PlaceholderVersion && !version.IsPrerelease(ecosystem, v.Version) {
				out.Default = v.Version
			}
		}
	}
	return out, nil
}

type depsdevVersion struct {
	VersionKey struct {
		Version string `json:"version"`
	} `json:"versionKey"`
	PublishedAt      string `json:"publishedAt"`
	IsDefault        bool   `json:"isDefault"`
	IsDeprecated     *bool  `json:"isDeprecated"`
	DeprecatedReason string `json:"deprecatedReason"`
}

func (v *depsdevVersion) published() (p PublishedVersion, ok bool) {
	p = PublishedVersion{
		Version:     untyped.Cut(v.VersionKey.Version, version.MaxLength),
		PublishedAt: untyped.ParseTime(v.PublishedAt),
	}
	if v.IsDeprecated != nil {
		notice := ""
		if *v.IsDeprecated {
			if notice = untyped.Cut(settings.Public(v.DeprecatedReason), 500); notice == "" {
				notice = "deprecated by its publisher, without a reason"
			}
		}
		p.Deprecated = &notice
	}
	return p, p.Version != "" && p.Version == v.VersionKey.Version
}

// Version returns the details of one version, with errors as Versions.
func (d *DepsDev) Version(
	ctx context.Context, ecosystem, name, version string,
) (VersionDetail, error) {
	path, err := d.path(ecosystem, name, version)
	if err != nil {
		return VersionDetail{}, err
	}
	var body struct {
		VersionKey *struct {
			Version string `json:"version"`
		} `json:"versionKey"`
		Licenses     []string `json:"licenses"`
		AdvisoryKeys *[]struct {
			ID string `json:"id"`
		} `json:"advisoryKeys"`
		Registries   []string       `json:"registries"`
		Links        []depsdevLink  `json:"links"`
		Provenances  *[]attestation `json:"slsaProvenances"`
		Attestations *[]attestation `json:"attestations"`
	}
	if err := d.get(ctx, path, nil, &body); err != nil {
		return VersionDetail{}, notFound(err, "deps.dev has no version %s of %s",
			untyped.Cut(version, 60), untyped.Cut(name, 100))
	}
	if body.VersionKey == nil {
		return VersionDetail{}, d.unusable("response about a version names none")
	}
	v := VersionDetail{License: licenses(body.Licenses), RepoURL: sourceRepo(body.Links)}
	if len(body.Registries) > 0 {
		v.Registry = untyped.Cut(body.Registries[0], maxAddress)
	}
	if body.AdvisoryKeys != nil {
		v.AdvisoriesKnown = true
		for _, k := range *body.AdvisoryKeys {
			if id := untyped.Cut(k.ID, 100); id != "" && len(v.AdvisoryIDs) < maxAdvisories {
				v.AdvisoryIDs = append(v.AdvisoryIDs, id)
			}
		}
	}
	// Only npm and PyPI publish provenance.
	if ecosystem == "npm" || ecosystem == "pypi" {
		v.attest(body.Attestations, body.Provenances)
	}
	return v, nil
}

// licenses joins up to ten licenses.
func licenses(declared []string) string {
	var out []string
	for _, l := range declared {
		l = untyped.Cut(l, 100)
		if l != "" && l != "non-standard" && !slices.Contains(out, l) && len(out) < 10 {
			out = append(out, l)
		}
	}
	return strings.Join(out, " AND ")
}

type depsdevLink struct {
	Label string `json:"label"`
	URL   string `json:"url"`
}

// sourceRepo returns the repository among the links of a version. Packages use any of these
// labels; the first with a repository wins.
func sourceRepo(links []depsdevLink) string {
	for _, label := range []string{"SOURCE_REPO", "ORIGIN", "HOMEPAGE", "ISSUE_TRACKER"} {
		for _, l := range links {
			if l.Label != label {
				continue
			}
			address := untyped.Cut(l.URL, maxAddress)
			if _, err := registry.ParseRepoRef(address); address != "" &&
				(err == nil || label == "SOURCE_REPO") {
				return address
			}
		}
	}
	return ""
}

type attestation struct {
	Verified         bool   `json:"verified"`
	SourceRepository string `json:"sourceRepository"`
}

func (v *VersionDetail) attest(lists ...*[]attestation) {
	for _, list := range lists {
		if list == nil {
			continue
		}
		v.Attested = cmp.Or(v.Attested, new(bool))
		for _, a := range *list {
			if a.Verified {
				*v.Attested = true
				v.AttestedRepo = untyped.Cut(a.SourceRepository, maxAddress)
			}
		}
	}
}

// A Dependency is one version of one package.
type Dependency struct {
	Ecosystem string // one of "npm", "pypi", "cargo", "nuget", "go", "maven"
	Name      string
	Version   string // "" for any
}

// Dependencies returns the direct runtime dependencies of a version as currently resolved, at
// most 300. The error is registry.ErrNotFound if deps.dev does not resolve this ecosystem or
// version.
func (d *DepsDev) Dependencies(
	ctx context.Context, ecosystem, name, number string,
) ([]Dependency, error) {
	path, err := d.path(ecosystem, name, number)
	if err != nil {
		return nil, err
	}
	var body struct {
		Nodes []struct {
			VersionKey struct {
				Name    string `json:"name"`
				Version string `json:"version"`
			} `json:"versionKey"`
			Relation string `json:"relation"`
		} `json:"nodes"`
		Error string `json:"error"`
	}
	if err := d.get(ctx, path+":dependencies", nil, &body); err != nil {
		return nil, notFound(err, "deps.dev has not resolved the dependencies of %s %s",
			untyped.Cut(name, 100), untyped.Cut(number, 60))
	}
	if len(body.Nodes) == 0 {
		if body.Error != "" {
			return nil, registry.Errorf(registry.ErrNotFound,
				"deps.dev could not resolve the dependencies of %s", untyped.Cut(name, 100))
		}
		return nil, d.unusable("response has an empty dependency graph")
	}
	var out []Dependency
	for _, n := range body.Nodes {
		k := n.VersionKey
		if n.Relation == "DIRECT" && k.Name != "" && k.Version != "" &&
			len(k.Name) <= maxName && len(k.Version) <= version.MaxLength &&
			len(out) < maxDependencies {
			out = append(out, Dependency{Ecosystem: ecosystem, Name: k.Name, Version: k.Version})
		}
	}
	return out, nil
}

// dependentsOf are the ecosystems whose dependents deps.dev counts.
var dependentsOf = []string{"npm", "pypi", "cargo", "maven"}

// Dependents returns the number of packages that depend on a version, directly or indirectly. It
// uses deps.dev's experimental API (v3alpha), which may change. The error is registry.ErrNotFound
// without a count.
func (d *DepsDev) Dependents(ctx context.Context, ecosystem, name, version string) (int, error) {
	path, err := d.path(ecosystem, name, version)
	if err != nil {
		return 0, err
	}
	var body struct {
		DependentCount *int64 `json:"dependentCount"`
	}
	path = strings.Replace(path, "/v3/", "/v3alpha/", 1) + ":dependents"
	if err := d.get(ctx, path, nil, &body); err != nil {
		return 0, notFound(err, "deps.dev has not counted the dependents of %s %s",
			untyped.Cut(name, 100), untyped.Cut(version, 60))
	}
	if n := body.DependentCount; n != nil && *n >= 0 {
		return int(min(*n, math.MaxInt32)), nil
	}
	return 0, d.unusable("response about dependents has no count")
}

// Advisory returns one advisory by its OSV ID. Its severity follows the CVSS v3 score: critical
// from 9, high from 7, moderate from 4, low above 0.
func (d *DepsDev) Advisory(ctx context.Context, id string) (registry.Advisory, error) {
	var body struct {
		AdvisoryKey struct {
			ID string `json:"id"`
		} `json:"advisoryKey"`
		Title      string   `json:"title"`
		CVSS3Score *float64 `json:"cvss3Score"`
	}
	if err := d.get(ctx, "/v3/advisories/"+escape(id), nil, &body); err != nil {
		return registry.Advisory{},
			notFound(err, "deps.dev has no advisory %s", untyped.Cut(id, 60))
	}
	if !strings.EqualFold(body.AdvisoryKey.ID, id) {
		return registry.Advisory{}, d.unusable("response is about another advisory")
	}
	a := registry.Advisory{ID: id, Severity: "unknown", Title: untyped.Cut(body.Title, 300),
		URL: advisoryURL(id)}
	if body.CVSS3Score != nil {
		a.Severity = severityOf(*body.CVSS3Score)
	}
	return a, nil
}

// severityOf returns GitHub's severity for a CVSS v3 score.
func severityOf(score float64) string {
	switch {
	case math.IsNaN(score) || score <= 0 || score > 10:
		return "unknown"
	case score >= 9:
		return "critical"
	case score >= 7:
		return "high"
	case score >= 4:
		return "moderate"
	}
	return "low"
}

func advisoryURL(id string) string { return "https://osv.dev/vulnerability/" + escape(id) }

// Project returns what deps.dev knows of a repository: its OpenSSF Scorecard and its counts, each
// nil if there are none. project is a name such as "github.com/octo/weather-mcp".
func (d *DepsDev) Project(
	ctx context.Context, project string,
) (card *registry.Scorecard, counts *registry.Project, err error) {
	var body struct {
		ProjectKey *struct {
			ID string `json:"id"`
		} `json:"projectKey"`
		Scorecard *struct {
			Date  string   `json:"date"`
			Score *float64 `json:"overallScore"`
		} `json:"scorecard"`
		Stars *int `json:"starsCount"`
		Forks *int `json:"forksCount"`
	}
	err = d.get(ctx, "/v3/projects/"+escape(strings.ToLower(project)), nil, &body)
	if errors.Is(err, errNoEntry) {
		return nil, nil, nil // most repositories are not scanned
	}
	if err != nil {
		return nil, nil, err
	}
	if body.ProjectKey == nil {
		return nil, nil, d.unusable("response about a project names none")
	}
	if body.Stars != nil && *body.Stars >= 0 {
		counts = &registry.Project{Stars: body.Stars, ObservedAt: d.now().UTC()}
		if body.Forks != nil && *body.Forks >= 0 {
			counts.Forks = body.Forks
		}
	}
	s := body.Scorecard
	if s == nil || s.Score == nil || *s.Score < 0 || *s.Score > 10 {
		return nil, counts, nil
	}
	if date := untyped.ParseTime(s.Date); date != nil {
		card = &registry.Scorecard{Score: *s.Score, Date: *date}
	}
	return card, counts, nil
}
