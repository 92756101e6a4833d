package web

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/registry"
)

// A published is a package of a server with what its service says of it; what
// is nil is not known.
type published struct {
	registry.Package
	Page       string // where more is to be read of it, "" if nowhere
	LatestAt   *time.Time
	FirstAt    *time.Time
	Versions   *int
	Deprecated string
}

// A shownRelease is a release or a tag of the repository.
type shownRelease struct {
	registry.Release
	Page string // of it on the code host, "" if that is not known
}

// packagesOf are a server's packages. The facts may lack some, or be nil.
func packagesOf(packages []registry.Package, facts []registry.PackageFacts) (all []published) {
	for _, p := range packages {
		x := published{Package: p, Page: packagePage(p.RegistryType, p.Identifier)}
		for _, f := range facts {
			if f.RegistryType != p.RegistryType || f.Identifier != p.Identifier || f.Found != nil && !*f.Found {
				continue
			}
			x.FirstAt, x.Versions = f.FirstAt, f.Versions
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

// releasesOf are the releases of a repository as the page shows them.
func releasesOf(of repository, releases []registry.Release) (all []shownRelease) {
	for _, r := range releases {
		x := shownRelease{Release: r}
		if outside(of.URL) != "" && r.Tag != "" {
			x.Page = of.URL + "/releases/tag/" + url.PathEscape(r.Tag)
		}
		all = append(all, x)
	}
	return all
}

// depsDev are the kinds of packages that deps.dev has pages of.
var depsDev = []string{"npm", "pypi", "cargo", "nuget", "go", "maven"}

// packagePage is where more is to be read about a package: its versions, what
// it depends on and what is known against it. It is "" where nothing is known.
func packagePage(registryType, identifier string) string {
	if identifier == "" || len(identifier) > 300 {
		return ""
	}
	if slices.Contains(depsDev, registryType) {
		return "https://deps.dev/" + registryType + "/" + url.PathEscape(identifier)
	}
	switch registryType {
	case "mcpb":
		return outside(identifier)
	case "oci":
		return imagePage(identifier)
	}
	return ""
}

// imagePage is the page of a container image at the two hosts that have one
// for each.
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
	switch {
	case len(parts) == 3 && parts[0] == "ghcr.io":
		return "https://github.com/" + parts[1] + "/pkgs/container/" + parts[2]
	case len(parts) == 2 && !strings.ContainsAny(parts[0], ".:"):
		return "https://hub.docker.com/r/" + parts[0] + "/" + parts[1]
	}
	return ""
}

// packageOf is the package that evidence names, such as "npm:@octo/weather".
func packageOf(e registry.Evidence) string {
	if e.Type != "package" {
		return ""
	}
	kind, name, _ := strings.Cut(e.Ref, ":")
	return packagePage(kind, name)
}
