package record

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/web/format"
)

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
	switch {
	case len(parts) == 2 && !strings.ContainsAny(parts[0], ".:"):
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
