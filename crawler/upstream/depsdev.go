package upstream

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/singleflight"

	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

// PublicDepsDev is the address of deps.dev's API.
const PublicDepsDev = "https://api.deps.dev"

const (
	depsdevMax      = 24 << 20 // packages with tens of thousands of versions
	maxDependencies = 300
	maxAdvisories   = 50
	maxAddress      = 2048
	releasesTTL     = 6 * time.Hour
	releasesKept    = 256
)

// systems are the ecosystems that deps.dev knows, by our names.
var systems = map[string]string{
	"npm": "npm", "pypi": "pypi", "cargo": "cargo", "nuget": "nuget", "go": "go", "maven": "maven",
}

// A DepsDev answers what deps.dev knows about packages and projects.
type DepsDev struct {
	c        *client
	releases cache[PackageVersions]
	flights  singleflight.Group
}

// NewDepsDev returns deps.dev at o.Base, or the public one.
func NewDepsDev(o Options) (*DepsDev, error) {
	c, err := newClient("deps.dev", PublicDepsDev, 20*time.Second, o, "/v3")
	if err != nil {
		return nil, err
	}
	return &DepsDev{c: c, releases: cache[PackageVersions]{size: releasesKept, ttl: releasesTTL, now: c.now}}, nil
}

// PackageVersions are the published versions of a package.
type PackageVersions struct {
	Name     string // as the service spells it
	Versions []PublishedVersion
	Default  string // installed when no version is asked for; "" if not known
}

// A PublishedVersion is one of a package's versions.
type PublishedVersion struct {
	Version     string
	PublishedAt *time.Time
	Deprecated  *string // the notice, "" for none; nil if not known
}

// at returns a version of the list, or nil.
func (p PackageVersions) at(version string) *PublishedVersion {
	for i := range p.Versions {
		if p.Versions[i].Version == version {
			return &p.Versions[i]
		}
	}
	return nil
}

// A VersionDetail is what is known of one version.
type VersionDetail struct {
	License      string // SPDX expressions joined by " AND "; "" if not known
	RepoURL      string // "" if it names none
	Attested     *bool  // provenance that deps.dev verified
	AdvisoryIDs  []string
	Advised      bool // it was said which advisories there are
	AttestedRepo string
}

// packageName returns a name as deps.dev spells it.
func packageName(ecosystem, name string) string {
	switch ecosystem {
	case "pypi":
		return normalPyPI(name)
	case "nuget":
		return strings.ToLower(name)
	}
	return name
}

// normalPyPI returns the normal form of a Python project's name (PEP 503).
func normalPyPI(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '-' || r == '_' || r == '.' }), "-")
}

func (d *DepsDev) path(ecosystem, name string) (string, error) {
	system := systems[ecosystem]
	if system == "" {
		return "", registry.Errorf(registry.ErrInvalid, "deps.dev does not know packages of %q", untyped.Cut(ecosystem, 20))
	}
	name = packageName(ecosystem, name)
	if name == "" || len(name) > 300 || untyped.Cut(name, 300) != name {
		return "", registry.Errorf(registry.ErrInvalid, "%q is no name of a package", untyped.Cut(name, 60))
	}
	return "/v3/systems/" + system + "/packages/" + escape(name), nil
}

// Versions returns the versions of a package, in the order of its ecosystem.
// The error is registry.ErrNotFound if deps.dev knows no such package, and a
// [Failure] if it did not say.
func (d *DepsDev) Versions(ctx context.Context, ecosystem, name string) (PackageVersions, error) {
	path, err := d.path(ecosystem, name)
	if err != nil {
		return PackageVersions{}, err
	}
	var answer struct {
		PackageKey struct {
			Name string `json:"name"`
		} `json:"packageKey"`
		Versions []struct {
			VersionKey struct {
				Version string `json:"version"`
			} `json:"versionKey"`
			PublishedAt      string `json:"publishedAt"`
			IsDefault        bool   `json:"isDefault"`
			IsDeprecated     *bool  `json:"isDeprecated"`
			DeprecatedReason string `json:"deprecatedReason"`
		} `json:"versions"`
	}
	if err := d.c.get(ctx, path, nil, depsdevMax, &answer); err != nil {
		return PackageVersions{}, notFound(err, "deps.dev knows no package %s of %s", untyped.Cut(name, 100), ecosystem)
	}
	if answer.Versions == nil {
		return PackageVersions{}, d.odd("its answer has no versions")
	}
	out := PackageVersions{Name: untyped.Cut(answer.PackageKey.Name, 300)}
	for _, v := range answer.Versions {
		version := untyped.Cut(v.VersionKey.Version, maxConstraint)
		if version == "" || version != v.VersionKey.Version {
			continue
		}
		p := PublishedVersion{Version: version, PublishedAt: untyped.ParseTime(v.PublishedAt)}
		if v.IsDeprecated != nil {
			notice := ""
			if *v.IsDeprecated {
				if notice = untyped.Cut(v.DeprecatedReason, 500); notice == "" {
					notice = "deprecated by its publisher, without a reason"
				}
			}
			p.Deprecated = &notice
		}
		if v.IsDefault {
			out.Default = version
		}
		out.Versions = append(out.Versions, p)
	}
	if len(answer.Versions) > 0 && len(out.Versions) == 0 {
		return PackageVersions{}, d.odd("its versions have no names")
	}
	slices.SortStableFunc(out.Versions, func(a, b PublishedVersion) int { return compareVersions(ecosystem, a.Version, b.Version) })
	if out.Default == "" { // the highest that is no prerelease
		for _, v := range out.Versions {
			if !isPrerelease(ecosystem, v.Version) {
				out.Default = v.Version
			}
		}
	}
	return out, nil
}

// Version returns the details of one version, with errors as Versions.
func (d *DepsDev) Version(ctx context.Context, ecosystem, name, version string) (VersionDetail, error) {
	path, err := d.path(ecosystem, name)
	if err != nil {
		return VersionDetail{}, err
	}
	var answer struct {
		VersionKey *struct {
			Version string `json:"version"`
		} `json:"versionKey"`
		Licenses     []string `json:"licenses"`
		AdvisoryKeys *[]struct {
			ID string `json:"id"`
		} `json:"advisoryKeys"`
		Links []struct {
			Label string `json:"label"`
			URL   string `json:"url"`
		} `json:"links"`
		Provenances  *[]attestation `json:"slsaProvenances"`
		Attestations *[]attestation `json:"attestations"`
	}
	if err := d.c.get(ctx, path+"/versions/"+escape(version), nil, 4<<20, &answer); err != nil {
		return VersionDetail{}, notFound(err, "deps.dev knows no version %s of %s", untyped.Cut(version, 60), untyped.Cut(name, 100))
	}
	if answer.VersionKey == nil {
		return VersionDetail{}, d.odd("its answer about a version names none")
	}
	var v VersionDetail
	var licenses []string
	for _, l := range answer.Licenses {
		if l = untyped.Cut(l, 100); l != "" && l != "non-standard" && !slices.Contains(licenses, l) && len(licenses) < 10 {
			licenses = append(licenses, l)
		}
	}
	v.License = strings.Join(licenses, " AND ")
	if answer.AdvisoryKeys != nil {
		v.Advised = true
		for _, k := range *answer.AdvisoryKeys {
			if id := untyped.Cut(k.ID, 100); id != "" && len(v.AdvisoryIDs) < maxAdvisories {
				v.AdvisoryIDs = append(v.AdvisoryIDs, id)
			}
		}
	}
	// A package may give its repository under any of these; the best wins.
	for _, label := range []string{"SOURCE_REPO", "ORIGIN", "HOMEPAGE", "ISSUE_TRACKER"} {
		for _, l := range answer.Links {
			if l.Label != label || v.RepoURL != "" {
				continue
			}
			address := untyped.Cut(l.URL, maxAddress)
			if _, err := registry.ParseRepoRef(address); err == nil || label == "SOURCE_REPO" {
				v.RepoURL = address
			}
		}
	}
	// Only npm and PyPI publish provenance.
	if (ecosystem == "npm" || ecosystem == "pypi") && (answer.Provenances != nil || answer.Attestations != nil) {
		attested := false
		for _, list := range []*[]attestation{answer.Attestations, answer.Provenances} {
			if list == nil {
				continue
			}
			for _, a := range *list {
				if a.Verified {
					attested = true
					v.AttestedRepo = untyped.Cut(a.SourceRepository, maxAddress)
				}
			}
		}
		v.Attested = &attested
	}
	return v, nil
}

type attestation struct {
	Verified         bool   `json:"verified"`
	SourceRepository string `json:"sourceRepository"`
}

// Dependencies returns the direct runtime dependencies of a version as they
// resolve today, at most 300. The error is registry.ErrNotFound where deps.dev
// does not resolve this ecosystem or version.
func (d *DepsDev) Dependencies(ctx context.Context, ecosystem, name, version string) ([]Dependency, error) {
	path, err := d.path(ecosystem, name)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Nodes []struct {
			VersionKey struct {
				Name    string `json:"name"`
				Version string `json:"version"`
			} `json:"versionKey"`
			Relation string `json:"relation"`
		} `json:"nodes"`
		Error string `json:"error"`
	}
	if err := d.c.get(ctx, path+"/versions/"+escape(version)+":dependencies", nil, depsdevMax, &answer); err != nil {
		return nil, notFound(err, "deps.dev has not resolved the dependencies of %s %s", untyped.Cut(name, 100), untyped.Cut(version, 60))
	}
	if len(answer.Nodes) == 0 {
		if answer.Error != "" {
			return nil, registry.Errorf(registry.ErrNotFound, "deps.dev could not resolve the dependencies of %s", untyped.Cut(name, 100))
		}
		return nil, d.odd("its dependency graph is empty")
	}
	var out []Dependency
	for _, n := range answer.Nodes {
		dep := Dependency{Ecosystem: ecosystem, Name: n.VersionKey.Name, Version: n.VersionKey.Version}
		if n.Relation == "DIRECT" && dep.Name != "" && dep.Version != "" && len(dep.Name) <= 300 && len(dep.Version) <= maxConstraint && len(out) < maxDependencies {
			out = append(out, dep)
		}
	}
	return out, nil
}

// dependentsOf are the ecosystems whose dependents deps.dev counts.
var dependentsOf = []string{"npm", "pypi", "cargo", "maven"}

// Dependents returns how many packages depend on a version, directly or not.
// The answer is of the experimental part of deps.dev's API (v3alpha), which may
// change: the error is registry.ErrNotFound where it has no count.
func (d *DepsDev) Dependents(ctx context.Context, ecosystem, name, version string) (int, error) {
	path, err := d.path(ecosystem, name)
	if err != nil {
		return 0, err
	}
	var answer struct {
		DependentCount *int64 `json:"dependentCount"`
	}
	if err := d.c.get(ctx, strings.Replace(path, "/v3/", "/v3alpha/", 1)+"/versions/"+escape(version)+":dependents", nil, 1<<20, &answer); err != nil {
		return 0, notFound(err, "deps.dev has not counted the dependents of %s %s", untyped.Cut(name, 100), untyped.Cut(version, 60))
	}
	if n := answer.DependentCount; n != nil && *n >= 0 {
		return int(min(*n, math.MaxInt32)), nil
	}
	return 0, d.odd("its count of dependents has none")
}

// A Dependency is one version of one package.
type Dependency struct {
	Ecosystem string // "npm", "pypi", "cargo", "nuget", "go", "maven"
	Name      string
	Version   string // "" for any
}

// Advisory returns one advisory by its OSV id. Its severity is by the CVSS v3
// score: critical from 9, high from 7, moderate from 4, low above 0.
func (d *DepsDev) Advisory(ctx context.Context, id string) (registry.Advisory, error) {
	var answer struct {
		AdvisoryKey struct {
			ID string `json:"id"`
		} `json:"advisoryKey"`
		Title      string   `json:"title"`
		CVSS3Score *float64 `json:"cvss3Score"`
	}
	if err := d.c.get(ctx, "/v3/advisories/"+escape(id), nil, 1<<20, &answer); err != nil {
		return registry.Advisory{}, notFound(err, "deps.dev knows no advisory %s", untyped.Cut(id, 60))
	}
	if !strings.EqualFold(answer.AdvisoryKey.ID, id) {
		return registry.Advisory{}, d.odd("it gave another advisory than the one asked for")
	}
	a := registry.Advisory{ID: id, Severity: "unknown", Title: untyped.Cut(answer.Title, 300), URL: advisoryURL(id)}
	if answer.CVSS3Score != nil {
		a.Severity = severityOf(*answer.CVSS3Score)
	}
	return a, nil
}

// severityOf names a CVSS score as GitHub does.
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

// Scorecard returns a repository's OpenSSF Scorecard, nil if deps.dev has
// none of it. project is such as "github.com/octo/weather-mcp".
func (d *DepsDev) Scorecard(ctx context.Context, project string) (*registry.Scorecard, error) {
	var answer struct {
		ProjectKey *struct {
			ID string `json:"id"`
		} `json:"projectKey"`
		Scorecard *struct {
			Date  string   `json:"date"`
			Score *float64 `json:"overallScore"`
		} `json:"scorecard"`
	}
	err := d.c.get(ctx, "/v3/projects/"+escape(strings.ToLower(project)), nil, 4<<20, &answer)
	if errors.Is(err, errNoEntry) {
		return nil, nil // most repositories are not scanned
	}
	if err != nil {
		return nil, err
	}
	if answer.ProjectKey == nil {
		return nil, d.odd("its answer about a project names none")
	}
	s := answer.Scorecard
	if s == nil || s.Score == nil || *s.Score < 0 || *s.Score > 10 {
		return nil, nil
	}
	date := untyped.ParseTime(s.Date)
	if date == nil {
		return nil, nil
	}
	return &registry.Scorecard{Score: *s.Score, Date: *date}, nil
}

// odd is an answer whose form has changed.
func (d *DepsDev) odd(format string, args ...any) *Failure {
	return &Failure{Source: d.c.source, Status: 200, Reason: fmt.Sprintf(format, args...), RetryAt: d.c.now().Add(retryLater)}
}

// notFound turns a clean 404 into an error of kind registry.ErrNotFound.
func notFound(err error, format string, args ...any) error {
	if errors.Is(err, errNoEntry) {
		return registry.Errorf(registry.ErrNotFound, format, args...)
	}
	return err
}

// Releases is Versions with an answer kept for six hours: many servers are
// built on the same few SDKs.
func (d *DepsDev) Releases(ctx context.Context, ecosystem, name string) (PackageVersions, error) {
	key := ecosystem + " " + packageName(ecosystem, name)
	if v, ok := d.releases.get(key); ok {
		return v, nil
	}
	// The question is not the first asker's alone: it outlives its deadline
	// and ends by the client's own.
	ch := d.flights.DoChan(key, func() (any, error) {
		v, err := d.Versions(context.WithoutCancel(ctx), ecosystem, name)
		if err == nil {
			d.releases.put(key, v)
		}
		return v, err
	})
	select {
	case <-ctx.Done():
		return PackageVersions{}, &Failure{Source: d.c.source, Reason: "there was no time left to ask", RetryAt: d.c.now().Add(time.Minute), Cause: ctx.Err()}
	case r := <-ch:
		return r.Val.(PackageVersions), r.Err
	}
}

// An SDKUse is how a server depends on its SDK.
type SDKUse struct {
	Ecosystem  string // where Package lives: "npm", "pypi", "go", …
	Package    string
	Constraint string // as the manifest has it, "" for any
	Locked     string // as a lock file fixes it, "" if there is none
	// Published says that the server is installed from a package registry,
	// where no lock file counts: the consumer gets what the range allows.
	Published bool
}

// SDK compares the SDK version that a consumer of a server gets with the
// newest one. It fails where the version cannot be told.
func (d *DepsDev) SDK(ctx context.Context, use SDKUse) (*registry.SDKRelease, error) {
	all, err := d.Releases(ctx, use.Ecosystem, use.Package)
	if err != nil {
		return nil, err
	}
	if all.Default == "" {
		return nil, registry.Errorf(registry.ErrNotFound, "deps.dev names no current version of %s", untyped.Cut(use.Package, 100))
	}
	used := ""
	if use.Locked != "" && (!use.Published || use.Ecosystem == "cargo" || use.Ecosystem == "go") {
		used = untyped.Cut(use.Locked, maxConstraint)
	} else {
		versions := make([]string, len(all.Versions))
		for i, v := range all.Versions {
			versions[i] = v.Version
		}
		if used, err = resolve(use.Ecosystem, use.Constraint, versions, all.Default); err != nil {
			if use.Locked == "" {
				return nil, registry.Wrap(registry.ErrNotFound, err, "the SDK version in use could not be told")
			}
			used = untyped.Cut(use.Locked, maxConstraint)
		}
	}
	out := &registry.SDKRelease{Package: use.Package, Used: used, Latest: all.Default, ObservedAt: d.c.now().UTC()}
	if v := all.at(all.Default); v != nil {
		out.LatestAt = v.PublishedAt
	}
	if v := all.same(use.Ecosystem, used); v != nil {
		out.UsedAt = v.PublishedAt
	} else if use.Ecosystem == "go" {
		out.UsedAt = pseudoVersionTime(used)
	}
	// A prerelease beyond the current version is no lag.
	if compareVersions(use.Ecosystem, out.Used, out.Latest) > 0 {
		out.Latest, out.LatestAt = out.Used, out.UsedAt
	}
	return out, nil
}

// same returns the version equal to v under another spelling, or nil.
func (p PackageVersions) same(ecosystem, v string) *PublishedVersion {
	if exact := p.at(v); exact != nil {
		return exact
	}
	if v == "" {
		return nil
	}
	for i := range p.Versions {
		if sameVersion(ecosystem, p.Versions[i].Version, v) {
			return &p.Versions[i]
		}
	}
	return nil
}

// pseudoVersionTime returns the commit time in a Go pseudo-version.
func pseudoVersionTime(v string) *time.Time {
	parts := strings.Split(strings.TrimSuffix(v, "+incompatible"), "-")
	if len(parts) < 3 {
		return nil
	}
	stamp := parts[len(parts)-2]
	if i := strings.LastIndexByte(stamp, '.'); i >= 0 {
		stamp = stamp[i+1:]
	}
	t, err := time.Parse("20060102150405", stamp)
	if err != nil {
		return nil
	}
	return &t
}
