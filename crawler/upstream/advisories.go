package upstream

import (
	"context"
	"errors"
	"strings"

	"mcpcensus/internal/registry"
)

// maxFixDates is the maximum number of critical advisories of dependencies whose fix date is
// looked up.
const maxFixDates = 5

// advisories fills in the advisories on the current version and its direct dependencies.
// AdvisoriesKnown is set if OSV responded and the dependencies are resolved or cannot be
// resolved.
func (e *Enricher) advisories(
	ctx context.Context, p registry.PackageFacts, detail VersionDetail,
	deps []Dependency, depsErr error, short *Shortfall,
) registry.PackageFacts {
	depsKnown := depsErr == nil || errors.Is(depsErr, registry.ErrNotFound)
	if !depsKnown {
		short.add(e.DepsDev.name, depsErr)
	}
	if e.OSV == nil {
		return e.ownAdvisories(ctx, p, detail)
	}
	own := Dependency{Ecosystem: p.RegistryType, Name: p.Identifier, Version: p.Latest}
	found, err := e.OSV.Find(ctx, append([]Dependency{own}, deps...))
	if err != nil {
		short.add(e.OSV.name, err)
		if !p.AdvisoriesKnown {
			p = e.ownAdvisories(ctx, p, detail)
		}
		return p
	}
	p.Malware = found[0].Malware
	if !depsKnown && p.AdvisoriesKnown {
		return p // the earlier facts are more complete
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
			if a.Severity == "critical" && a.Fixed != "" && dates < maxFixDates {
				dates++
				e.dateFix(ctx, deps[i], &a)
			}
			if len(p.Advisories) < 4*maxAdvisories {
				p.Advisories = append(p.Advisories, a)
			}
		}
	}
	p.AdvisoriesKnown = depsKnown
	return p
}

// dateFix sets the publication date of the fixed version of a dependency.
func (e *Enricher) dateFix(ctx context.Context, dep Dependency, a *registry.Advisory) {
	all, err := e.DepsDev.Releases(ctx, dep.Ecosystem, dep.Name)
	if err != nil {
		return
	}
	if v := all.same(dep.Ecosystem, a.Fixed); v != nil {
		a.FixedAt = v.PublishedAt
	}
}

// ownAdvisories fills in deps.dev's advisories of the package itself. They are incomplete, so
// AdvisoriesKnown does not change.
func (e *Enricher) ownAdvisories(
	ctx context.Context, p registry.PackageFacts, detail VersionDetail,
) registry.PackageFacts {
	if !detail.AdvisoriesKnown {
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
