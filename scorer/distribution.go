package scorer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/oci"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/internal/version"
)

var distributionChecks = []CheckSpec{
	{
		ID: "package_published", Category: distribution, Name: "Published package", Weight: 7,
		from: fromFiles, measure: (*input).packagePublished, advise: (*input).publishAdvice,
		Question: "Is there something that a client can install or connect to?",
		Formula: "A package that its registry or the official registry has: 1. Only a remote " +
			"endpoint, or one besides a package whose state is unknown: 0.8. Only a documented " +
			"command that builds from source, or files attached to a release: 0.4. Nothing: 0.",
		Source: "packages",
		Fix: "Publish a package to the registry of its language, a container image or an .mcpb " +
			"bundle.",
	},
	{
		ID: "ownership_link", Category: distribution, Name: "Package linked to the repository", Weight: 2,
		from: fromPackages, measure: (*input).ownershipLink, advise: (*input).linkAdvice,
		Question: "Do the package and the repository point to each other?",
		Formula: "The package names this repository as its source, and, if the server is in the " +
			"official registry, carries its name there: 1. Only one of the two, or the package " +
			"names no repository, or another one of the same owner: 0.5. It names a repository " +
			"of another owner: 0. Names that the host redirects count as this repository.",
		Source: "packages",
		NA:     "nothing is published",
		Fix: "Name the repository in the package's metadata, and the server's name in the official " +
			"registry.",
	},
	{
		ID: "registry_listed", Category: distribution, Name: "In the official registry", Weight: 4,
		from: fromListing, measure: (*input).registryListed, advise: (*input).listAdvice,
		Question: "Does the official MCP registry list it?",
		Formula: "Listed and active: 1. A valid server.json in the repository, but not listed: " +
			"0.5. Neither, or listed as deprecated or deleted: 0.",
		Source: "official-registry",
		Fix:    "Add a server.json and publish it with mcp-publisher publish.",
	},
	{
		ID: "version_sync", Category: distribution, Name: "Versions agree", Weight: 2,
		from: fromPackages, measure: (*input).versionSync, advise: (*input).syncAdvice,
		Question: "Do clients get the latest version?",
		Formula: "The version in the official registry is compared with the published package, " +
			"the published package with the manifest. None is behind, or for less than 30 " +
			"days: 1. Behind for less than 90 days: 0.5. Longer: 0. How long a manifest " +
			"has been ahead is not recorded; the time since the last commit counts.",
		Source: "packages",
		NA:     "only one source states a version",
		Fix:    "Publish the new version where the old one is.",
	},
	{
		ID: "install_docs", Category: distribution, Name: "Install command", Weight: 3,
		from: fromReadme, measure: (*input).installDocs, advise: (*input).commandAdvice,
		Question: "Does the README say how to run it?",
		Formula: "A command that names the server's own package, or for a server that is only " +
			"remote a client configuration: 1. Another command that can be run: 0.6. None: " +
			"0. Images are the same whatever their tag; steps of a build do not count.",
		Source: sourceHost,
		Fix:    "Show the command that runs the published package.",
	},
}

func packageEvidence(p *pkg) []registry.Evidence {
	return []registry.Evidence{{Type: "package", Ref: clean(p.registryType + ":" + p.identifier)}}
}

// exists reports whether the package exists according to its service.
func (p *pkg) exists() bool {
	if p.facts == nil {
		return false
	}
	if p.facts.Found != nil {
		return *p.facts.Found
	}
	return p.facts.Latest != ""
}

// label returns "npm @acme/x 1.4.0".
func (p *pkg) label() string {
	s := service(p.registryType) + " " + p.identifier
	if p.facts != nil && p.facts.Latest != "" {
		s += " " + p.facts.Latest
	}
	return clean(s)
}

func (in *input) packagePublished(s signal) signal {
	for i := range in.packages {
		if p := &in.packages[i]; p.found {
			return in.publishedAs(p)
		}
	}
	if !in.allKnown {
		return in.maybePublished()
	}
	missing := ""
	if len(in.packages) > 0 {
		missing = " The package " + in.packages[0].label() + " named in the files is not published."
	}
	s.source = sourceHost
	install, assets := in.f.Detection.SourceInstall, in.assets()
	switch {
	case in.remotes > 0:
		s.value, s.reason = .8, "There is a remote endpoint, but no package."+missing
	case install != "":
		s.value, s.reason = .4, "No package of a registry that is read: the README starts "+clean(install)+"."+missing
	case assets != nil:
		s.value, s.reason = .4, "Can only be installed from the files of release "+clean(assets.Tag)+"."+
			missing
	case missing != "":
		s.reason = strings.TrimSpace(missing)
	case in.tree == nil:
		s := unknown("Unknown whether a package is published: not all files were read.")
		s.source = sourceHost
		return s
	default:
		s.reason = "No published package, remote endpoint or install command found."
	}
	return s
}

// publishAdvice returns none for endpoints: not every one has a program that users could run.
func (in *input) publishAdvice(*signal) string {
	switch {
	case in.remotes > 0:
		return ""
	case len(in.packages) > 0:
		return "Publish " + in.packages[0].label() + ", or remove it from the files."
	}
	return in.tooling().publish
}

func (in *input) publishedAs(p *pkg) signal {
	s := signal{state: StateOK, value: 1, evidence: packageEvidence(p)}
	if p.exists() {
		s.source, s.at = p.registryType, at(&in.times.packages)
		s.reason = "The package " + p.label() + " is published."
	} else {
		s.source, s.at = "official-registry", at(&in.times.listing)
		s.reason = "The official registry lists the package " + p.label() + "."
	}
	return s
}

// maybePublished returns the signal while it is not known whether the packages
// exist. With a remote endpoint it is worth no less than that.
func (in *input) maybePublished() signal {
	label := in.packages[0].label()
	if in.remotes > 0 {
		return signal{state: StateOK, value: .8, source: sourceHost, at: at(&in.times.tree),
			reason: "There is a remote endpoint. Unknown whether " + label + " is published."}
	}
	if f := in.packages[0].facts; f != nil && f.Missing() && f.MissingSince != nil {
		return unknown("Its registry has not had " + label + " since " +
			text.Day(*f.MissingSince) + "; a new package takes days to appear.")
	}
	return unknown("Unknown whether " + label + " is published.")
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

// relationTo compares the repository that a package names with this one.
func (in *input) relationTo(p *pkg) registry.Relation {
	if p.facts == nil {
		return registry.UnknownRepo
	}
	return in.f.RelationOf(*p.facts)
}

// unpublished returns the signal of a check of published packages if none is known.
func (in *input) unpublished() signal {
	if !in.allKnown || len(in.packages) == 0 && in.tree == nil {
		return unknown("Unknown whether a package is published.")
	}
	return notApplicable("No package is published.")
}

func (in *input) ownershipLink(signal) signal {
	if !in.published {
		return in.unpublished()
	}
	best := unknown("Unknown which repository the package comes from.")
	for i := range in.packages {
		p := &in.packages[i]
		if !p.found {
			continue
		}
		s := in.linkOf(p)
		switch {
		case s.state == StateOK && (best.state != StateOK || s.value > best.value):
			best = s
		case s.state == StateUnknown && s.reason != "" && best.state == StateUnknown:
			best.reason = s.reason
		}
	}
	return best
}

// linkAdvice names what the first package that is not linked lacks, in the words of its registry.
func (in *input) linkAdvice(*signal) string {
	for i := range in.packages {
		p := &in.packages[i]
		if !p.found || p.unnamed {
			continue
		}
		var steps []string
		if related := in.relationTo(p); related != registry.SameRepo && related != registry.UnknownRepo {
			steps = append(steps, "name "+in.f.Repo.URL()+" as "+linkFields[p.registryType].repository)
		}
		l, field := in.activeListing(), linkFields[p.registryType].name
		if l != nil && !in.marked(p, l.Name) && field != "" {
			steps = append(steps, fmt.Sprintf(field, clean(l.Name)))
		}
		if len(steps) > 0 {
			return "In the package " + clean(p.identifier) + ": " + strings.Join(steps, ", ") +
				", and release."
		}
	}
	return ""
}

// linkFields are where packages of a registry name their repository, and how they name their
// entry in the official registry.
var linkFields = map[string]struct{ repository, name string }{
	"npm":   {"repository", "set mcpName to %s"},
	"pypi":  {"the project's repository URL", "add “mcp-name: %s” to the README"},
	"nuget": {"the repository URL", "add “mcp-name: %s” to the README"},
	"oci": {"the label org.opencontainers.image.source",
		"set the label io.modelcontextprotocol.server.name to %s"},
	"cargo": {"repository", ""},
	"mcpb":  {"the repository", ""},
}

// activeListing returns the server's active entry in the official registry, nil
// if there is none.
func (in *input) activeListing() *registry.Listing {
	if in.listing == nil || in.listing.Status != "active" {
		return nil
	}
	return in.listing
}

// marked reports whether a package carries a name in the official registry, or the active entry
// there has the package.
func (in *input) marked(p *pkg, name string) bool {
	if p.facts != nil && p.facts.MCPName() != "" {
		return strings.EqualFold(p.facts.MCPName(), name)
	}
	return p.listed && in.activeListing() != nil
}

// linkOf returns how a package and the repository point to each other.
func (in *input) linkOf(p *pkg) signal {
	name := in.f.Detection.RegistryName
	listed := in.activeListing() != nil
	if listed {
		name = in.listing.Name
	}
	link, mark := in.relationTo(p), in.marked(p, name)
	contradicts := listed && !mark && p.facts != nil && p.facts.MCPName() != ""
	s := signal{state: StateOK, at: at(&in.times.packages), evidence: packageEvidence(p),
		source: p.registryType}
	the := "The package " + p.label()
	switch {
	case p.unnamed:
		return unknown("Only the official registry names the package " + p.label() +
			"; the repository does not.")
	case link == registry.SiblingRepo && !contradicts:
		s.value, s.reason = .5, the+" names another repository of the same owner: "+
			clean(p.facts.RepoURL)+"."
	case link == registry.MovedRepo && !contradicts:
		return unknown(the + " names " + clean(p.facts.RepoURL) +
			", which may be a former address of this repository.")
	case link == registry.OtherRepo || link == registry.SiblingRepo || link == registry.MovedRepo:
		s.reason = the + " names another repository as its source: " + clean(p.facts.RepoURL) + "."
	case contradicts:
		s.reason = the + " gives the registry name " + clean(p.facts.MCPName()) +
			", but the official registry lists it as " +
			clean(name) + "."
	case link == registry.SameRepo && (mark || !listed):
		s.value, s.reason = 1, the+" names this repository as its source."
	case link == registry.SameRepo:
		s.value, s.reason = .5, the+" names this repository, but not the registry name "+clean(name)+"."
	case link == registry.UnknownRepo && mark:
		return in.linkByRegistry(p, name)
	case link == registry.UnknownRepo:
		return unknown("")
	case mark:
		s.value, s.reason = .5, the+" gives the registry name, but no repository."
	default:
		s.value, s.reason = .5, "This repository names the package "+p.label()+
			", but the package does not name a repository."
	}
	return s
}

// linkByRegistry returns the signal of a package that the official registry has verified for a
// name. A name in the owner's namespace completes the link.
func (in *input) linkByRegistry(p *pkg, name string) signal {
	if in.f.Repo.ObservedAt.IsZero() {
		return unknown("The repository was not read.")
	}
	s := signal{state: StateOK, at: at(&in.times.packages), evidence: packageEvidence(p),
		source: "official-registry"}
	checked := "The official registry has verified that " + p.label() + " belongs to " + clean(name)
	if in.f.Repo.Ref().OwnsName(name) {
		s.value, s.reason = 1, checked+", a name of this repository's owner."
	} else {
		s.value, s.reason = .5, checked+". Unknown which repository the package names."
	}
	return s
}

func (in *input) registryListed(s signal) signal {
	l := in.listing
	switch {
	case l != nil:
	case !in.f.ListingKnown || in.f.Listing != nil:
		return unknown("The official registry was not read recently.")
	case in.f.Detection.ServerJSON:
		s.at = at(&in.times.tree)
		return s.withValue(.5, "Has a valid server.json, but is not listed in the official registry.")
	case in.tree == nil:
		return unknown("Not listed in the official registry. Unknown whether it has a server.json.")
	default:
		return s.withValue(0, "Not listed in the official registry, and no valid server.json.")
	}
	s.evidence = []registry.Evidence{{Type: "registry", Ref: clean(l.Name)}}
	if l.Status == "active" {
		return s.withValue(1, clean("Listed in the official registry as "+strings.TrimSpace(l.Name+" "+l.Version))+".")
	}
	return s.withValue(0, clean("The official registry lists "+l.Name+" as "+l.Status+"."))
}

// listAdvice returns none for a server whose entry is deprecated or deleted, and for one that has
// nothing to list yet.
func (in *input) listAdvice(*signal) string {
	switch {
	case in.listing != nil, !in.published && in.remotes == 0:
		return ""
	case in.f.Detection.ServerJSON:
		return "Publish it with mcp-publisher publish."
	}
	return "Add a server.json and publish it with mcp-publisher publish."
}

func (in *input) versionSync(s signal) signal {
	v := in.versions()
	s.value = 1
	byListing := in.compareListed(&s, &v)
	if s.state != StateOK {
		return s
	}
	byManifest := in.compareManifest(&s, &v)
	switch {
	case s.state != StateOK || s.reason != "":
	case byListing || byManifest:
		s.reason = v.agreement()
	case !in.allKnown || v.published == "" && in.published:
		return unknown("The published versions were not read.")
	default:
		return notApplicable("Only one source states a version.")
	}
	if s.state == StateOK && v.published == "" {
		s.source, s.at = "official-registry", at(&in.times.listing)
	}
	return s
}

// compareListed compares the official registry with the package. It reports
// whether they could be compared.
func (in *input) compareListed(s *signal, v *versions) bool {
	order, ok := version.CompareAny(v.listed, v.published)
	switch {
	case !ok || order >= 0:
	case v.publishedAt == nil:
		*s = unknown("The official registry has " + clean(v.listed) + ", the package " +
			clean(v.published) +
			". Unknown since when.")
	default:
		s.behind("The official registry", v.listed, "the package", v.published,
			in.daysSince(*v.publishedAt))
	}
	return ok
}

// compareManifest compares the published versions with the manifest. It reports whether both
// are known.
func (in *input) compareManifest(s *signal, v *versions) bool {
	served, what := v.served()
	order, ok := version.CompareAny(served, v.manifest)
	if !ok || order >= 0 {
		return ok
	}
	if last, _, known := in.lastCommit(in.activity); known {
		s.behind(what, served, "the manifest", v.manifest, in.daysSince(last))
	} else {
		*s = unknown(what + " has " + clean(served) + ", the manifest " + clean(v.manifest) +
			". Unknown since when.")
	}
	return ok
}

// versions are the versions that each place states, "" for none.
type versions struct {
	listed      string // in the official registry
	published   string // the newest of the package
	publishedAt *time.Time
	manifest    string
}

func (in *input) versions() versions {
	v := versions{manifest: in.f.Detection.Version}
	if l := in.activeListing(); l != nil {
		v.listed = l.Version
	}
	if version.Major(v.manifest) == 0 && strings.HasPrefix(version.OfTag(v.manifest), "0.0.0") {
		v.manifest = "" // a placeholder that a release tool fills in
	}
	for i := range in.packages {
		if p := &in.packages[i]; p.found && p.facts != nil && p.facts.Released() != "" {
			v.published, v.publishedAt = p.facts.Latest, p.facts.LatestAt
			break
		}
	}
	return v
}

// served returns the version that users get, and from where.
func (v *versions) served() (version, from string) {
	if v.published != "" {
		return v.published, "The package"
	}
	return v.listed, "The official registry"
}

// behind lowers the signal of versions that agree for a place that has had an
// old one for some days.
func (s *signal) behind(old, oldVersion, new, newVersion string, days int) {
	value := 0.0
	switch {
	case days < 30:
		value = 1
	case days < 90:
		value = .5
	}
	if s.reason != "" && value >= s.value {
		return
	}
	s.value, s.elapsed = min(s.value, value), true
	s.reason = fmt.Sprintf("%s has %s, but %s has had %s for %s.", old, clean(oldVersion), new,
		clean(newVersion), text.Count(days, "day"))
}

// syncAdvice names the version to publish, and where.
func (in *input) syncAdvice(*signal) string {
	v := in.versions()
	served, what := v.served()
	if order, ok := version.CompareAny(served, v.manifest); ok && order < 0 {
		if what == "The package" {
			return "Publish version " + clean(v.manifest) + " of the package."
		}
		return "Update the entry in the official registry to " + clean(v.manifest) + "."
	}
	return "Update the entry in the official registry to " + clean(v.published) + "."
}

// agreement returns the reason if no version is behind.
func (v *versions) agreement() string {
	if v.listed != "" && v.published != "" && v.manifest == "" {
		return "The official registry and the package agree on " + clean(v.published) + "."
	}
	served, what := v.served()
	if order, ok := version.CompareAny(served, v.manifest); ok && order > 0 {
		return what + " has " + clean(served) + ", newer than " + clean(v.manifest) +
			" in the manifest: users get the latest version."
	}
	return "All sources agree on " + clean(cmp.Or(v.manifest, served)) + "."
}

func (in *input) installDocs(s signal) signal {
	r := in.readme
	s.evidence = in.readmeFile()
	switch p := in.packageNamed(r.InstallNames); {
	case p != nil:
		return s.withValue(1, "The README shows how to run "+clean(p.identifier)+".")
	case len(in.packages) == 0 && in.remotes > 0 && r.ClientConfig != "":
		return s.withValue(1, "The README shows how to connect a client to the remote endpoint.")
	case r.InstallCommand != "":
		return s.withValue(.6, "The README shows "+clean(r.InstallCommand)+
			", which is not a published package of this server.")
	case in.f.Detection.SourceInstall != "":
		return s.withValue(.6, "The README shows no published package, but "+
			clean(in.f.Detection.SourceInstall)+".")
	case r.Path == "":
		return s.withValue(0, noReadme)
	}
	return s.withValue(0, "The README has no command that runs the server.")
}

// commandAdvice names the command of the first package.
func (in *input) commandAdvice(s *signal) string {
	for i := range in.packages {
		p := &in.packages[i]
		if format := commands[p.registryType]; p.found && format != "" {
			return "Show in the README how to run the package: " +
				fmt.Sprintf(format, clean(p.identifier)) + "."
		}
	}
	switch {
	case in.published:
		return "Show in the README how to run the package."
	case in.remotes > 0:
		return "Show in the README how to connect a client to the endpoint."
	case s.value > 0: // it shows a command; there is no package to run
		return ""
	}
	return "Show in the README the command that starts it."
}

// commands run packages, by registry type.
var commands = map[string]string{
	"npm": "npx -y %s", "pypi": "uvx %s", "nuget": "dnx %s", "oci": "docker run -i --rm %s",
	"cargo": "cargo install %s",
}

// packageNamed returns the first of the server's packages with one of the names, or nil.
func (in *input) packageNamed(names []string) *pkg {
	for i := range in.packages {
		p := &in.packages[i]
		same := func(name string) bool {
			return commonName(p.registryType, name) == commonName(p.registryType, p.identifier)
		}
		if !p.missing && slices.ContainsFunc(names, same) {
			return p
		}
	}
	return nil
}

// commonName returns the form of a package's identifier that all its spellings
// share: of an image with its registry and without tag and digest.
func commonName(registryType, identifier string) string {
	identifier = strings.ToLower(identifier)
	switch registryType {
	case "pypi":
		return registry.PyPIName(identifier)
	case "oci":
		if img, err := oci.Parse(identifier, ""); err == nil {
			return img.Host + "/" + strings.TrimPrefix(img.Path(), "library/") // Docker's own images
		}
	}
	return identifier
}
