package scorer

import (
	"fmt"
	"strings"

	"mcpcensus/internal/registry"
)

func packageEvidence(p *pkg) []registry.Evidence {
	return []registry.Evidence{{Type: "package", Ref: clean(p.registryType + ":" + p.identifier)}}
}

// label returns "npm @acme/x 1.4.0".
func (p *pkg) label() string {
	s := service(p.registryType) + " " + p.identifier
	if p.facts != nil && p.facts.Latest != "" {
		s += " " + p.facts.Latest
	}
	return clean(s)
}

func (in *input) packagePublished() signal {
	d := &in.f.Detection
	s := signal{state: StateOK, at: at(&in.times.packages)}
	for i := range in.packages {
		if p := &in.packages[i]; p.found {
			s.value, s.evidence = 1, packageEvidence(p)
			s.source = p.registryType
			s.reason = "The package " + p.label() + " is published."
			if p.facts == nil || p.facts.Found == nil && p.facts.Latest == "" || p.facts.Found != nil && !*p.facts.Found {
				s.source, s.at = "official-registry", at(&in.times.listing)
				s.reason = "The official registry lists the package " + p.label() + ", which it has checked to exist."
			}
			return s
		}
	}
	if !in.allKnown && in.remotes > 0 {
		// Whatever is said of the package, it is worth no less than this.
		s.source, s.at = sourceHost, at(&in.times.tree)
		s.value, s.reason = .8, "There is a remote endpoint. Whether "+in.packages[0].label()+" is published has not been said."
		return s
	}
	if !in.allKnown {
		s.state, s.at = StateUnknown, nil
		s.reason = in.failed("The package services have not said whether "+in.packages[0].label()+" is published.", "packages", "deps.dev")
		return s
	}
	missing := ""
	if len(in.packages) > 0 {
		missing = " The package " + in.packages[0].label() + " that the files name is not published."
	}
	s.source, s.at = sourceHost, at(&in.times.tree)
	switch {
	case in.remotes > 0:
		s.value, s.reason = .8, "There is a remote endpoint and no package."+missing
	case d.SourceInstall != "":
		s.value, s.reason = .4, "It can only be installed from source: "+clean(d.SourceInstall)+"."+missing
	case in.assets() != nil:
		r := in.assets()
		s.value, s.reason = .4, "Only the files of release "+clean(r.Tag)+" can be installed."+missing
	case missing != "":
		s.reason = strings.TrimSpace(missing)
	case in.tree == nil:
		s.state, s.at = StateUnknown, nil
		s.reason = in.failed("The files have not been read, so it is not known whether a package is published.", "tree")
	default:
		s.reason = "No published package, remote endpoint or install command was found."
	}
	return s
}

// assets returns the newest release with files attached, nil if there is none.
func (in *input) assets() *registry.Release {
	for i := range in.f.Repo.LatestReleases {
		if r := &in.f.Repo.LatestReleases[i]; r.HasAssets != nil && *r.HasAssets {
			return r
		}
	}
	return nil
}

// How an address relates to the repository of the server.
const (
	noRepo = iota
	sameRepo
	otherRepo
)

// relation compares an address from package metadata with the repository.
func relation(address string, r *registry.Repository) int {
	if strings.TrimSpace(address) == "" || r.Owner == "" || r.Name == "" {
		return noRepo
	}
	ref, ok := registry.FindRepoRef(address)
	if !ok || !sameName(ref, r) {
		return otherRepo
	}
	return sameRepo
}

// sameName reports whether ref is the address of r.
func sameName(ref registry.RepoRef, r *registry.Repository) bool {
	return registry.HostOf(ref.Host) == registry.HostOf(r.Host) &&
		strings.EqualFold(ref.Owner, r.Owner) && strings.EqualFold(ref.Name, r.Name)
}

func (in *input) ownershipLink() signal {
	if !in.published {
		if !in.allKnown {
			return signal{state: StateUnknown, reason: "It is not known whether a package is published."}
		}
		return signal{state: StateNA, reason: "No package is published."}
	}
	name := in.f.Detection.RegistryName
	listed := in.listing != nil && in.listing.Status == "active"
	if listed {
		name = in.listing.Name
	}
	best := signal{state: StateUnknown, reason: in.failed("The package services have not said which repository the package is from.", "packages", "deps.dev")}
	for i := range in.packages {
		p := &in.packages[i]
		if !p.found {
			continue
		}
		s := signal{state: StateOK, at: at(&in.times.packages), evidence: packageEvidence(p), source: p.registryType}
		link := -1 // not known
		if p.facts != nil && p.facts.RepoURLKnown {
			link = relation(p.facts.RepoURL, &in.f.Repo)
		}
		mark, contradicts := p.listed && listed, false
		if p.facts != nil && p.facts.MCPName != "" {
			mark = strings.EqualFold(p.facts.MCPName, name)
			contradicts = listed && !mark
		}
		switch {
		case link == otherRepo:
			s.reason = "The package " + p.label() + " says that it is from " + clean(p.facts.RepoURL) + ", not from this repository."
		case contradicts:
			s.reason = "The package " + p.label() + " carries the registry name " + clean(p.facts.MCPName) + ", the official registry says " + clean(name) + "."
		case link == sameRepo && (mark || !listed):
			s.value, s.reason = 1, "The package "+p.label()+" names this repository as its source."
		case link == sameRepo:
			s.value, s.reason = .5, "The package "+p.label()+" names this repository, but does not carry the registry name "+clean(name)+"."
		case link < 0 && mark:
			// The official registry has checked that package and name belong
			// together; a name under the owner's account closes the circle.
			s.source = "official-registry"
			if in.f.Repo.Ref().OwnsName(name) {
				s.value, s.reason = 1, "The official registry has checked that "+p.label()+" belongs to "+clean(name)+", which is this repository's owner."
			} else {
				s.value, s.reason = .5, "The official registry has checked that "+p.label()+" belongs to "+clean(name)+"; which repository the package names is not known."
			}
		case link < 0:
			continue
		case mark:
			s.value, s.reason = .5, "The package "+p.label()+" carries the registry name, but names no repository."
		default:
			s.value, s.reason = .5, "This repository names the package "+p.label()+", but the package names no repository."
		}
		if best.state != StateOK || s.value > best.value {
			best = s
		}
	}
	return best
}

func (in *input) registryListed() signal {
	l := in.listing
	if l == nil {
		switch {
		case !in.f.ListingKnown || in.f.Listing != nil:
			return signal{state: StateUnknown, reason: in.failed("The official registry has not been read, or too long ago.", "official-registry")}
		case in.f.Detection.ServerJSON:
			return signal{state: StateOK, value: .5, reason: "The repository has a valid server.json, but the official registry does not list it.",
				fix: "Run mcp-publisher publish.", at: at(&in.times.tree)}
		case in.tree == nil:
			return signal{state: StateUnknown, reason: "The official registry does not list it; whether it has a server.json is not known."}
		}
		return signal{state: StateOK, reason: "The official registry does not list it, and it has no valid server.json."}
	}
	s := signal{state: StateOK, at: at(&in.times.listing), evidence: []registry.Evidence{{Type: "registry", Ref: clean(l.Name)}}}
	if l.Status == "active" {
		s.value, s.reason = 1, clean("The official registry lists "+l.Name+" "+l.Version)+"."
	} else {
		s.reason = clean("The official registry lists " + l.Name + " as " + l.Status + ".")
	}
	return s
}

func (in *input) versionSync() signal {
	var p *pkg
	for i := range in.packages {
		if q := &in.packages[i]; q.found && q.facts != nil && q.facts.Latest != "" {
			p = q
			break
		}
	}
	listed, manifest := "", in.f.Detection.Version
	if in.listing != nil && in.listing.Status == "active" {
		listed = in.listing.Version
	}
	if majorOf(manifest) == 0 && strings.HasPrefix(trimVersion(manifest), "0.0.0") {
		manifest = "" // a placeholder that a release tool fills in
	}
	s := signal{state: StateOK, value: 1, at: at(&in.times.packages)}
	compared := 0
	behind := func(old, oldVersion, new, newVersion string, days int) {
		value := 0.0
		switch {
		case days < 30:
			value = 1
		case days < 90:
			value = .5
		}
		if s.reason == "" || value < s.value {
			s.value, s.elapsed = min(s.value, value), true
			s.reason = fmt.Sprintf("%s has %s; %s has had %s for %s.", old, clean(oldVersion), new, clean(newVersion), count(days, "day"))
			s.fix = "Publish " + clean(newVersion) + " everywhere it is listed."
		}
	}
	if listed != "" && p != nil {
		if order, ok := compareVersions(listed, p.facts.Latest); ok {
			if order < 0 && p.facts.LatestAt == nil {
				return signal{state: StateUnknown, reason: "The official registry has " + clean(listed) + ", the package " + clean(p.facts.Latest) + "; since when is not known."}
			}
			compared++
			if order < 0 {
				behind("The official registry", listed, "the package", p.facts.Latest, in.daysSince(*p.facts.LatestAt))
			}
		}
	}
	served, what := listed, "The official registry"
	if p != nil {
		served, what = p.facts.Latest, "The package"
	}
	if served != "" && manifest != "" {
		if order, ok := compareVersions(served, manifest); ok {
			last, _, known := in.lastCommit(in.activity)
			if order < 0 && !known {
				return signal{state: StateUnknown, reason: what + " has " + clean(served) + ", the manifest " + clean(manifest) + "; since when is not known."}
			}
			compared++
			if order < 0 {
				behind(what, served, "the manifest", manifest, in.daysSince(last))
			}
		}
	}
	if compared == 0 {
		if !in.allKnown || p == nil && in.published {
			return signal{state: StateUnknown, reason: in.failed("The published versions have not been read.", "packages", "deps.dev")}
		}
		return signal{state: StateNA, reason: "There are no two places that state a version."}
	}
	if s.reason == "" {
		newest := served
		if manifest != "" {
			newest = manifest
		}
		s.reason = "Nothing is behind version " + clean(newest) + "."
		if order, ok := compareVersions(served, manifest); ok && order > 0 {
			s.reason = what + " has version " + clean(served) + ", and the manifest says " + clean(manifest) + ": nothing that is published is behind."
		}
		if listed != "" && p != nil && manifest == "" {
			s.reason = "The official registry and the package both have version " + clean(p.facts.Latest) + "."
		}
	}
	return s
}

func (in *input) installDocs() signal {
	r := in.readme
	if r == nil {
		return signal{state: StateUnknown, reason: in.failed("The README has not been read.", "readme", "texts", "tree")}
	}
	s := signal{state: StateOK, at: at(&in.times.readme)}
	if r.Path != "" {
		s.evidence = in.file(r.Path, "")
	}
	for i := range in.packages {
		p := &in.packages[i]
		if p.missing {
			continue
		}
		for _, name := range r.InstallNames {
			if strings.EqualFold(name, p.identifier) || p.registryType == "oci" && strings.EqualFold(untagged(name), untagged(p.identifier)) {
				s.value, s.reason = 1, "The README shows how to start "+clean(p.identifier)+"."
				return s
			}
		}
	}
	switch {
	case len(in.packages) == 0 && in.remotes > 0 && r.ClientConfig != "":
		s.value, s.reason = 1, "The README shows how to connect a client to the remote endpoint."
	case r.InstallCommand != "":
		s.value, s.reason = .6, "The README shows "+clean(r.InstallCommand)+", which does not name a published package of this server."
	case in.f.Detection.SourceInstall != "":
		s.value, s.reason = .6, "The README shows "+clean(in.f.Detection.SourceInstall)+", which installs from source."
	case r.Path == "":
		s.reason = noReadme
	default:
		s.reason = "The README shows no command that starts the server."
	}
	return s
}

// untagged cuts the tag or digest off an image's name.
func untagged(image string) string {
	if i := strings.IndexByte(image, '@'); i >= 0 {
		image = image[:i]
	}
	if i := strings.LastIndexByte(image, ':'); i > strings.LastIndexByte(image, '/') {
		image = image[:i]
	}
	return image
}
