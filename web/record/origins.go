package record

import (
	"slices"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/web/format"
)

// An Origin is the source and date of facts about a server.
type Origin struct {
	What, Source string
	At           time.Time
}

// OriginsWith returns the sources of the facts about a server, except for its tools, remotes
// and checks, which name theirs. Facts of its packages may be missing.
func (r Record) OriginsWith(facts []registry.PackageFacts) (all []Origin) {
	add := func(what, source string, at *time.Time) {
		if at != nil && !at.IsZero() {
			all = append(all, Origin{what, source, *at})
		}
	}
	add("Description, licence, README, stars, commits, issues, releases",
		registry.HostOf(r.Repo.Host).Name, r.LastCrawledAt)
	counted := false
	for _, p := range r.Packages {
		at := slices.IndexFunc(facts, func(f registry.PackageFacts) bool {
			return f.RegistryType == p.RegistryType && f.Identifier == p.Identifier
		})
		if at < 0 {
			continue
		}
		name := format.PackageType(p.RegistryType) + " package " + format.Cut(60, p.Identifier)
		add("Versions", name, facts[at].ObservedAt)
		add("Downloads", name, facts[at].DownloadsObservedAt)
		counted = counted || facts[at].DownloadsObservedAt != nil
	}
	if !counted {
		add("Downloads", "package registries", r.DownloadsAt)
	}
	for _, s := range r.Sources {
		if s.Name == "official-registry" {
			add("Registry entry", "official registry", &s.LastSeenAt)
		}
	}
	add("Scores", "model "+r.Health.Version, &r.Health.ComputedAt)
	return all
}
