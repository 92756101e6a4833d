package upstream

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/version"
)

// An Enricher fills in facts from package services. A nil service leaves its
// facts unknown. Its methods are safe for concurrent use.
type Enricher struct {
	DepsDev *DepsDev
	OSV     *OSV
	NPM     *NPMDownloads
	PyPI    *PyPIStats
	Images  *Images
	// Archives reads the tools of packages; nil skips that.
	Archives *Archives
}

// Archive returns the tools that a version of a package registers according to its archive, nil
// without an error if archives of its registry type are not read. The error is a [*Shortfall]; if a
// limit ended the reading, there is a result, too.
func (e *Enricher) Archive(
	ctx context.Context, key registry.PackageKey, of registry.ArchiveWork,
) (*registry.ArchiveTools, error) {
	if e.Archives == nil || !slices.Contains(registry.ArchivedTypes, key.RegistryType) {
		return nil, nil
	}
	found, err := e.Archives.Tools(ctx, key, of)
	if err != nil {
		var short Shortfall
		short.add("archives", err)
		return found, &short
	}
	return found, nil
}

// Facts returns p with facts from deps.dev and OSV about the package, or about the project if its
// registry type is "project", or from the registry of a container image. Facts that a service
// failed to return do not change; the error is then a [*Shortfall]. Packages of other types
// (bundles) are returned unchanged.
func (e *Enricher) Facts(ctx context.Context, p registry.PackageFacts) (registry.PackageFacts, error) {
	var short Shortfall
	switch {
	case p.RegistryType == "oci" && e.Images != nil:
		p, err := e.Images.Facts(ctx, p)
		if err != nil {
			short.add("images", err)
		}
		return p, short.err()
	case e.DepsDev == nil:
		return p, nil
	case p.RegistryType == registry.ProjectType:
		card, counts, err := e.DepsDev.Project(ctx, p.Identifier)
		if err != nil {
			short.add(e.DepsDev.name, err)
			return p, &short
		}
		p.Scorecard, p.Project, p.ObservedAt = card, counts, new(e.DepsDev.now().UTC())
		return p, nil
	case !slices.Contains(systems, p.RegistryType):
		return p, nil
	}
	p = e.publication(ctx, p, &short)
	return p, short.err()
}

// publication fills in the versions, the details of the current version and the advisories. Each
// part may fail independently.
func (e *Enricher) publication(
	ctx context.Context, p registry.PackageFacts, short *Shortfall,
) registry.PackageFacts {
	d, now := e.DepsDev, e.DepsDev.now().UTC()
	all, err := d.Versions(ctx, p.RegistryType, p.Identifier)
	switch {
	case errors.Is(err, registry.ErrNotFound):
		return missing(p, e.malware(ctx, p, short), now)
	case err != nil:
		short.add(d.name, err)
	default:
		p = withVersions(p, all, now)
	}
	if p.Latest == "" {
		return p
	}

	var detail VersionDetail
	var detailErr, depsErr error
	var deps []Dependency
	var wg sync.WaitGroup
	wg.Go(func() { detail, detailErr = d.Version(ctx, p.RegistryType, p.Identifier, p.Latest) })
	wg.Go(func() { deps, depsErr = d.Dependencies(ctx, p.RegistryType, p.Identifier, p.Latest) })
	dependents := p.Dependents
	if slices.Contains(dependentsOf, p.RegistryType) {
		wg.Go(func() {
			// An error is not a shortfall: this optional count does not justify a retry.
			if n, err := d.Dependents(ctx, p.RegistryType, p.Identifier, p.Latest); err == nil {
				dependents = &n
			}
		})
	}
	wg.Wait()
	p.Dependents = dependents
	switch {
	case errors.Is(detailErr, registry.ErrNotFound): // deps.dev lags behind
	case detailErr != nil:
		short.add(d.name, detailErr)
	default:
		p.License = detail.License
		p.RepoURL, p.RepoURLKnown = cmp.Or(detail.RepoURL, detail.AttestedRepo), true
		p.Attested = detail.Attested
	}
	if depsErr == nil {
		p.SDKVersion = sdkVersion(deps)
	}
	return e.advisories(ctx, p, detail, deps, depsErr, short)
}

// malware returns the ID of a malware record about a package that deps.dev does not have, because
// malware is removed from registries.
func (e *Enricher) malware(ctx context.Context, p registry.PackageFacts, short *Shortfall) string {
	if e.OSV == nil {
		return p.Malware
	}
	found, err := e.OSV.Find(ctx, []Dependency{{Ecosystem: p.RegistryType, Name: p.Identifier}})
	if err != nil {
		short.add(e.OSV.name, err)
		return p.Malware
	}
	return found[0].Malware
}

// newFor is the time for which a package that deps.dev lacks may be new: deps.dev reads first
// releases after hours or days.
const newFor = 3 * 24 * time.Hour

// missing returns the facts of a package that deps.dev lacks. It counts as not found after
// newFor, or if it is known malware; until then its facts do not change.
func missing(p registry.PackageFacts, malware string, now time.Time) registry.PackageFacts {
	wasMissing := p.Found != nil && !*p.Found
	since := now
	if p.MissingSince != nil {
		since = *p.MissingSince
	}
	p.MissingSince, p.ObservedAt, p.Malware = &since, &now, malware
	if !wasMissing && malware == "" && now.Sub(since) < newFor {
		return p
	}
	return registry.PackageFacts{
		RegistryType: p.RegistryType, Identifier: p.Identifier, Found: new(bool),
		MissingSince: p.MissingSince, FirstAt: p.FirstAt, ObservedAt: p.ObservedAt, Malware: malware,
		Downloads: p.Downloads, DownloadsPrev: p.DownloadsPrev,
		DownloadsObservedAt: p.DownloadsObservedAt,
	}
}

// withVersions fills in facts from the list of versions.
func withVersions(p registry.PackageFacts, all PackageVersions, now time.Time) registry.PackageFacts {
	n := len(all.Versions)
	p.Versions, p.ObservedAt, p.Found, p.MissingSince = &n, &now, nil, nil
	if n > 0 { // without versions it is unknown whether the package exists
		p.Found = new(true)
	}
	if p.Latest != all.Default { // the facts of another version
		p.Attested, p.Deprecated, p.SDKVersion = nil, nil, ""
		p.Advisories, p.AdvisoriesKnown, p.Malware = nil, false, ""
	}
	p.Latest, p.LatestAt, p.FirstAt = all.Default, nil, nil
	if v := all.at(all.Default); v != nil {
		p.LatestAt = v.PublishedAt
		if v.Deprecated != nil {
			p.Deprecated = v.Deprecated
		}
	}
	for _, v := range all.Versions {
		if v.PublishedAt != nil && (p.FirstAt == nil || v.PublishedAt.Before(*p.FirstAt)) {
			p.FirstAt = v.PublishedAt
		}
	}
	return p
}

// sdkPackages are the MCP SDKs as direct dependencies, official ones before the frameworks built
// on them.
var sdkPackages = []string{
	"npm @modelcontextprotocol/sdk", "npm @modelcontextprotocol/server",
	"pypi mcp", "cargo rmcp", "nuget modelcontextprotocol",
	"npm fastmcp", "npm mcp-framework", "pypi fastmcp", "nuget modelcontextprotocol.aspnetcore",
}

func sdkVersion(deps []Dependency) string {
	for _, sdk := range sdkPackages {
		for _, d := range deps {
			if d.Ecosystem+" "+packageName(d.Ecosystem, d.Name) == sdk {
				return untyped.Cut(d.Version, version.MaxLength)
			}
		}
	}
	return ""
}
