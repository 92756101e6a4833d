package upstream

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

// A Shortfall says which sources did not answer. The facts of the others
// stand.
type Shortfall struct {
	Failures map[string]string // by source, as in [registry.Facts.Failures]
	RetryAt  time.Time         // the earliest time at which one may answer again

	broken bool // one failed otherwise than by asking for fewer requests
}

func (s *Shortfall) Error() string {
	var parts []string
	for _, source := range slices.Sorted(maps.Keys(s.Failures)) {
		parts = append(parts, source+": "+s.Failures[source])
	}
	return strings.Join(parts, "; ")
}

// Unwrap makes a Shortfall a registry.ErrUnavailable, or a registry.ErrLimited
// if all that did not answer have asked for fewer requests.
func (s *Shortfall) Unwrap() error {
	if !s.broken && len(s.Failures) > 0 {
		return registry.ErrLimited
	}
	return registry.ErrUnavailable
}

// add notes a source's failure; errors that are no failures of a source are
// noted as they are.
func (s *Shortfall) add(source string, err error, now time.Time) {
	reason, at := err.Error(), now.Add(retryLater)
	var f *Failure
	if errors.As(err, &f) {
		source, reason, at = f.Source, f.Reason, f.RetryAt
	}
	if s.Failures == nil {
		s.Failures = map[string]string{}
	}
	s.Failures[source] = reason
	s.broken = s.broken || !errors.Is(err, registry.ErrLimited)
	if s.RetryAt.IsZero() || at.Before(s.RetryAt) {
		s.RetryAt = at
	}
}

// Facts returns p with what deps.dev and OSV know about the package, or about
// the project if its registry type is "project". What no source answered stays
// as it was in p; the error is then a [*Shortfall]. Packages that nobody can be
// asked about (container images, bundles) come back as they are.
func (e *Enricher) Facts(ctx context.Context, p registry.PackageFacts) (registry.PackageFacts, error) {
	var short Shortfall
	switch {
	case e.DepsDev == nil:
		return p, nil
	case p.RegistryType == registry.ProjectType:
		card, err := e.DepsDev.Scorecard(ctx, p.Identifier)
		if err != nil {
			short.add("deps.dev", err, e.DepsDev.c.now())
			return p, &short
		}
		now := e.DepsDev.c.now().UTC()
		p.Scorecard, p.ObservedAt = card, &now
		return p, nil
	case systems[p.RegistryType] == "":
		return p, nil
	}
	p = e.publication(ctx, p, &short)
	if len(short.Failures) > 0 {
		return p, &short
	}
	return p, nil
}

// PackageFacts asks about several packages at once, for a check that somebody
// waits for: what is not answered when ctx ends stays unknown. The facts come
// in the order of ps, the failures by source.
func (e *Enricher) PackageFacts(ctx context.Context, ps []registry.PackageFacts) ([]registry.PackageFacts, map[string]string) {
	const atOnce = 4
	out := slices.Clone(ps)
	failures := map[string]string{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i := range out {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			facts, err := e.Facts(ctx, out[i])
			out[i] = facts
			var short *Shortfall
			if errors.As(err, &short) {
				mu.Lock()
				maps.Copy(failures, short.Failures)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return out, failures
}

// publication fills in the versions, the current version's details and the
// advisories. Each part fails by itself.
func (e *Enricher) publication(ctx context.Context, p registry.PackageFacts, short *Shortfall) registry.PackageFacts {
	d, now := e.DepsDev, e.DepsDev.c.now().UTC()
	all, err := d.Versions(ctx, p.RegistryType, p.Identifier)
	switch {
	case errors.Is(err, registry.ErrNotFound):
		// A package that was withdrawn as malware is no longer there.
		malware := p.Malware
		if e.OSV != nil {
			found, err := e.OSV.Find(ctx, []Dependency{{Ecosystem: p.RegistryType, Name: p.Identifier}})
			if err != nil {
				short.add("osv.dev", err, now)
			} else {
				malware = found[0].Malware
			}
		}
		return missing(p, malware, now)
	case err != nil:
		short.add("deps.dev", err, now)
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
			// No shortfall: a count that popularity does without is not worth
			// asking for everything again.
			if n, err := d.Dependents(ctx, p.RegistryType, p.Identifier, p.Latest); err == nil {
				dependents = &n
			}
		})
	}
	wg.Wait()
	p.Dependents = dependents
	switch {
	case errors.Is(detailErr, registry.ErrNotFound): // too new to have been read
	case detailErr != nil:
		short.add("deps.dev", detailErr, now)
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

// newDays is how long a package that deps.dev does not know may be one that it
// has not read yet: it takes hours to days to see a first release.
const newDays = 3 * 24 * time.Hour

// missing says of a package that it is not known. That it does not exist is
// only said once it has been so for newDays, or if it is known for malware;
// until then what was known of it stays.
func missing(p registry.PackageFacts, malware string, now time.Time) registry.PackageFacts {
	missed := p.Found != nil && !*p.Found // already
	since := now
	if p.MissingSince != nil {
		since = *p.MissingSince
	}
	p.MissingSince, p.ObservedAt, p.Malware = &since, &now, malware
	if !missed && malware == "" && now.Sub(since) < newDays {
		return p
	}
	no := false
	return registry.PackageFacts{
		RegistryType: p.RegistryType, Identifier: p.Identifier, Found: &no, MissingSince: &since, FirstAt: p.FirstAt, ObservedAt: &now, Malware: malware,
		Downloads: p.Downloads, DownloadsPrev: p.DownloadsPrev, DownloadsObservedAt: p.DownloadsObservedAt,
	}
}

// withVersions fills in what the list of versions says.
func withVersions(p registry.PackageFacts, all PackageVersions, now time.Time) registry.PackageFacts {
	n := len(all.Versions)
	p.Versions, p.ObservedAt, p.Found, p.MissingSince = &n, &now, nil, nil
	if n > 0 { // a package without versions is neither there nor gone for sure
		found := true
		p.Found = &found
	}
	if p.Latest != all.Default { // what was said of another version is not true of this
		p.Attested, p.Advisories, p.AdvisoriesKnown, p.Malware, p.SDKVersion, p.Deprecated = nil, nil, false, "", "", nil
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

// sdkPackages are the MCP SDKs as direct dependencies, the official ones
// before the frameworks on top of them.
var sdkPackages = []string{
	"npm @modelcontextprotocol/sdk", "npm @modelcontextprotocol/server", "pypi mcp", "cargo rmcp", "nuget modelcontextprotocol",
	"npm fastmcp", "npm mcp-framework", "pypi fastmcp", "nuget modelcontextprotocol.aspnetcore",
}

func sdkVersion(deps []Dependency) string {
	for _, want := range sdkPackages {
		for _, d := range deps {
			if d.Ecosystem+" "+packageName(d.Ecosystem, d.Name) == want {
				return untyped.Cut(d.Version, maxConstraint)
			}
		}
	}
	return ""
}

// fixDates is how many critical advisories of dependencies have the date of
// their fix looked up.
const fixDates = 5

// advisories fills in the advisories on the current version and on its direct
// dependencies. They are known if OSV answered and the dependencies were
// resolved or cannot be; advisories that are certain are given all the same.
func (e *Enricher) advisories(ctx context.Context, p registry.PackageFacts, detail VersionDetail, deps []Dependency, depsErr error, short *Shortfall) registry.PackageFacts {
	now := e.DepsDev.c.now()
	depsKnown := depsErr == nil || errors.Is(depsErr, registry.ErrNotFound)
	if !depsKnown {
		short.add("deps.dev", depsErr, now)
	}
	if e.OSV == nil {
		return e.ownAdvisories(ctx, p, detail)
	}
	ask := append([]Dependency{{Ecosystem: p.RegistryType, Name: p.Identifier, Version: p.Latest}}, deps...)
	found, err := e.OSV.Find(ctx, ask)
	if err != nil {
		short.add("osv.dev", err, now)
		if !p.AdvisoriesKnown {
			p = e.ownAdvisories(ctx, p, detail)
		}
		return p
	}
	p.Malware = found[0].Malware
	if !depsKnown && p.AdvisoriesKnown {
		return p // what was known before is more than what is known now
	}
	if len(found[0].Advisories) == 0 && len(detail.AdvisoryIDs) > 0 {
		p = e.ownAdvisories(ctx, p, detail)
	} else {
		p.Advisories = found[0].Advisories
	}
	dates := 0
	for i, f := range found[1:] {
		for _, a := range f.Advisories {
			a.Package = deps[i].Name
			if a.Severity == "critical" && a.Fixed != "" && dates < fixDates {
				dates++
				if all, err := e.DepsDev.Releases(ctx, deps[i].Ecosystem, deps[i].Name); err == nil {
					if v := all.same(deps[i].Ecosystem, a.Fixed); v != nil {
						a.FixedAt = v.PublishedAt
					}
				}
			}
			if len(p.Advisories) < 4*maxAdvisories {
				p.Advisories = append(p.Advisories, a)
			}
		}
	}
	p.AdvisoriesKnown = depsKnown
	return p
}

// ownAdvisories gives what deps.dev says about the package itself. It is no
// complete answer: AdvisoriesKnown stays as it is.
func (e *Enricher) ownAdvisories(ctx context.Context, p registry.PackageFacts, detail VersionDetail) registry.PackageFacts {
	if !detail.Advised {
		return p
	}
	p.Advisories = nil
	for _, id := range detail.AdvisoryIDs[:min(len(detail.AdvisoryIDs), 10)] {
		if strings.HasPrefix(id, "MAL-") {
			p.Malware = id
			continue
		}
		a, err := e.DepsDev.Advisory(ctx, id)
		if err != nil {
			a = registry.Advisory{ID: id, Severity: "unknown", URL: advisoryURL(id)}
		}
		a.Version = p.Latest
		p.Advisories = append(p.Advisories, a)
	}
	return p
}

// SDK compares the SDK version that a consumer of a detected server gets with
// the newest. It returns nil without an error where no SDK package is known.
func (e *Enricher) SDK(ctx context.Context, d registry.Detection) (*registry.SDKRelease, error) {
	if e.DepsDev == nil || d.SDKPackage == "" || systems[d.SDKEcosystem] == "" {
		return nil, nil
	}
	published := slices.ContainsFunc(d.Packages, func(p registry.Package) bool {
		return p.RegistryType == d.SDKEcosystem
	})
	release, err := e.DepsDev.SDK(ctx, SDKUse{
		Ecosystem: d.SDKEcosystem, Package: d.SDKPackage, Constraint: d.SDKVersion, Locked: d.SDKLocked, Published: published,
	})
	if errors.Is(err, registry.ErrNotFound) {
		return nil, nil // not to be told: unknown, and no source to blame
	}
	return release, err
}
