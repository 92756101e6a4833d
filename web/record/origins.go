package record

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/web/format"
)

// An Origin is the source and date of facts about a server.
type Origin struct {
	What, Source string
	At           time.Time
}

// fromRepository are the facts that a visit of the repository reads. Some of them may be from
// the entry in the official registry.
const fromRepository = "Owner, creation date, description, website, category, tags, SDK, language, status, " +
	"README, transports, environment variables, stars, forks, contributors, commits, open issues, releases"

// versionSources are the sources of the latest version in the list of sources; others are types
// of packages.
var versionSources = map[string]string{
	registry.VersionRelease:  "release at ",
	registry.VersionTag:      "tag at ",
	registry.VersionManifest: "manifest on the default branch at ",
}

// OriginsWith returns the sources of the facts about a server. Facts of its packages may be missing.
func (r Record) OriginsWith(facts []registry.PackageFacts) (all []Origin) {
	add := func(what, source string, at *time.Time) {
		if at != nil && !at.IsZero() {
			all = append(all, Origin{what, source, *at})
		}
	}
	host := registry.HostOf(r.Repo.Host).Name
	read := fromRepository
	if r.CountedAt != nil {
		read = strings.Replace(read, "stars, forks, ", "", 1)
		add("Stars, forks", "deps.dev", r.CountedAt)
	}
	if from, at := r.statusOrigin(); from == host {
		add(read, host, r.LastCrawledAt)
	} else {
		add(strings.Replace(read, "status, ", "", 1), host, r.LastCrawledAt)
		add("Status", from, at)
	}
	if r.DescriptionFrom == registry.DescriptionComposed {
		add("Description", "composed of the name and the tools", r.LastCrawledAt)
	}
	if r.LicenseFrom == registry.LicenseFromManifest {
		add("License", "manifest in the repository, not a license file", r.LastCrawledAt)
	} else {
		add("License", host, r.LastCrawledAt)
	}
	add("Latest version", VersionSource(r.Server), r.VersionAt)
	counted := false
	for _, p := range r.Packages {
		name := format.PackageType(p.RegistryType) + " package " + text.Fit(p.Identifier, 60)
		if i := p.Inspection; i != nil {
			add("1 run in a sandbox", name, &i.At)
		}
		f := factsOf(facts, p)
		if f == nil {
			continue
		}
		add("Versions, link to the repository", name, f.ObservedAt)
		add("Downloads", name, f.DownloadsObservedAt)
		counted = counted || f.DownloadsObservedAt != nil
	}
	if !counted {
		add("Downloads", "package registries", r.DownloadsAt)
	}
	add("Registry entry", "official registry", r.EntryReadAt())
	for _, e := range r.Remotes {
		if l := e.Liveness; l != nil && l.Probes > 0 {
			add(text.Count(l.Probes, "probe")+" in 30 days", "endpoint "+text.Fit(e.URL, 100), &l.CheckedAt)
		}
	}
	add("Health, popularity", "model "+r.Health.Version, &r.Health.ComputedAt)
	return append(all, r.derivedOrigins()...)
}

// derivedOrigins returns the sources of the tools, the comparison with other servers and the
// checks, each source of checks with its oldest date.
func (r Record) derivedOrigins() (all []Origin) {
	if from := format.ToolSource(r.ToolsFrom, r.ToolsPackage); from != "" && r.ToolsAt != nil {
		all = append(all, Origin{"Tools", from, *r.ToolsAt})
	}
	if r.Copy != nil {
		all = append(all, Origin{"Copy of another server", format.CheckSource("comparison"), r.Copy.Since})
	}
	for _, section := range r.Health.Categories {
		for _, c := range section.Checks {
			if c.ObservedAt == nil || c.Source == "" {
				continue
			}
			name := format.CheckSource(c.Source)
			at := slices.IndexFunc(all, func(o Origin) bool { return o.What == "Checks" && o.Source == name })
			switch {
			case at < 0:
				all = append(all, Origin{"Checks", name, *c.ObservedAt})
			case c.ObservedAt.Before(all[at].At):
				all[at].At = *c.ObservedAt
			}
		}
	}
	return all
}

// Aged returns the time of a fact if it was read a day or more before the repository, otherwise
// nil. Pages show such dates beside their facts, and others in the list of sources.
func (r Record) Aged(at *time.Time) *time.Time {
	if at == nil || at.IsZero() || r.LastCrawledAt == nil || r.LastCrawledAt.Sub(*at) < 24*time.Hour {
		return nil
	}
	return at
}

// OriginWith returns the sources of a server's record as a sentence: "Read from GitHub on
// 1 Nov 2026, the official registry on 2 Nov 2026 and package registries on 3 Nov 2026."; "" if
// they are unknown. Facts of its packages may be missing.
func (r Record) OriginWith(facts []registry.PackageFacts) string {
	var sources, days []string
	add := func(source string, at *time.Time) {
		if at != nil && !at.IsZero() {
			sources, days = append(sources, source), append(days, " on "+text.Day(*at))
		}
	}
	add(registry.HostOf(r.Repo.Host).Name, r.LastCrawledAt)
	add("the official registry", r.EntryReadAt())
	var oldest *time.Time
	for _, p := range r.Packages {
		if f := factsOf(facts, p); f != nil && f.ObservedAt != nil &&
			(oldest == nil || f.ObservedAt.Before(*oldest)) {
			oldest = f.ObservedAt
		}
	}
	add("package registries", oldest)
	if sources == nil {
		return ""
	}
	last := len(sources) - 1
	for i := range sources {
		if i == last || days[i] != days[i+1] {
			sources[i] += days[i]
		}
	}
	if last == 0 {
		return "Read from " + sources[0] + "."
	}
	return "Read from " + strings.Join(sources[:last], ", ") + " and " + sources[last] + "."
}

// VersionSource returns the source of the latest version: "npm", "release at GitHub"; "" if
// unknown.
func VersionSource(s *registry.Server) string {
	if from := versionSources[s.VersionFrom]; from != "" {
		return from + registry.HostOf(s.Repo.Host).Name
	}
	return format.VersionSource(s.VersionFrom)
}

func (r Record) statusOrigin() (from string, at *time.Time) {
	if r.StatusFrom == "" { // active, or stored before StatusFrom was known
		return registry.HostOf(r.Repo.Host).Name, r.LastCrawledAt
	}
	return format.CheckSource(r.StatusFrom), r.StatusAt
}

// EntryReadAt returns when the entry in the official registry was last read, nil without an entry.
func (r Record) EntryReadAt() *time.Time {
	for _, s := range r.Sources {
		if s.Name == "official-registry" {
			return &s.LastSeenAt
		}
	}
	return nil
}

// factsOf returns the facts of a package, nil if there are none.
func factsOf(facts []registry.PackageFacts, p registry.Package) *registry.PackageFacts {
	at := slices.IndexFunc(facts, func(f registry.PackageFacts) bool {
		return f.RegistryType == p.RegistryType && f.Identifier == p.Identifier
	})
	if at < 0 {
		return nil
	}
	return &facts[at]
}

// A Package is a package of a server with the data of its package registry.
// Unknown values are nil.
type Package struct {
	registry.Package
	Page       string // with details, "" for none
	LatestAt   *time.Time
	FirstAt    *time.Time
	Versions   *int
	Deprecated string     // the reason, "" if it is not deprecated
	ReadAt     *time.Time // from the package registry
}

// A Release is a release or a tag of the repository.
type Release struct {
	registry.Release
	Page string // at the code host, "" if unknown
}

// PackagesWith adds facts to the packages of a server. Facts may be missing.
func (r Record) PackagesWith(facts []registry.PackageFacts) (all []Package) {
	for _, p := range r.Packages {
		x := Package{Package: p, Page: packagePage(p.RegistryType, p.Identifier)}
		if f := factsOf(facts, p); f != nil && (f.Found == nil || *f.Found) {
			x.FirstAt, x.Versions, x.ReadAt = f.FirstAt, f.Versions, f.ObservedAt
			if f.Latest != "" && (x.Version == "" || x.Version == f.Latest) {
				x.Version, x.LatestAt = f.Latest, f.LatestAt
			}
			if f.Deprecated != nil {
				x.Deprecated = *f.Deprecated
			}
		}
		all = append(all, x)
	}
	return all
}

// ReleasesWithPages adds the pages at the code host to releases of the repository.
func (r Record) ReleasesWithPages(releases []registry.Release) (all []Release) {
	for _, release := range releases {
		x := Release{Release: release}
		if x.Tag != "" {
			x.Page = r.Repo.Ref().ReleaseURL(x.Tag)
		}
		all = append(all, x)
	}
	return all
}

// depsDev are the package types with pages at deps.dev.
var depsDev = []string{"npm", "pypi", "cargo", "nuget", "go", "maven"}

// packagePage is a page with the versions, dependencies and vulnerabilities of a
// package, "" for none.
func packagePage(registryType, identifier string) string {
	if identifier == "" || len(identifier) > 300 {
		return ""
	}
	if slices.Contains(depsDev, registryType) {
		return "https://deps.dev/" + registryType + "/" + url.PathEscape(identifier)
	}
	switch registryType {
	case "mcpb":
		return format.SafeURL(identifier)
	case "oci":
		return imagePage(identifier)
	}
	return ""
}

// imagePage is the page of a container image, "" if its registry has none.
func imagePage(image string) string {
	name, _, _ := strings.Cut(image, "@")
	if at := strings.LastIndexByte(name, ':'); at > strings.LastIndexByte(name, '/') {
		name = name[:at]
	}
	parts := strings.Split(name, "/")
	for _, p := range parts {
		if p == "" || p == "." || p == ".." || strings.ContainsAny(p, `?#%\ `) {
			return ""
		}
	}
	if parts[0] == "docker.io" {
		parts = parts[1:]
	}
	for _, h := range registry.Hosts {
		if len(parts) == 3 && parts[0] == h.Images && h.ImagePage != nil {
			return h.ImagePage(parts[1], parts[2])
		}
	}
	if len(parts) == 2 && !strings.ContainsAny(parts[0], ".:") {
		return "https://hub.docker.com/r/" + parts[0] + "/" + parts[1]
	}
	return ""
}

// evidencePage is the page of the package that evidence names, such as
// "npm:@octo/weather"; "" for other evidence.
func evidencePage(e registry.Evidence) string {
	if e.Type != "package" {
		return ""
	}
	kind, name, _ := strings.Cut(e.Ref, ":")
	return packagePage(kind, name)
}
