package scorer

import (
	"strings"

	"mcpcensus/internal/registry"
)

// measure asks every check, in the order of the model.
func (in *input) measure() [numChecks]signal {
	return [numChecks]signal{
		commitRecency:    in.commitRecency(),
		cadence:          in.cadence(),
		releaseRecency:   in.releaseRecency(),
		responsiveness:   in.responsiveness(),
		packagePublished: in.packagePublished(),
		ownershipLink:    in.ownershipLink(),
		registryListed:   in.registryListed(),
		versionSync:      in.versionSync(),
		installDocs:      in.installDocs(),
		readme:           in.readmeLength(),
		clientConfig:     in.clientConfig(),
		toolsDocumented:  in.toolsDocumented(),
		configDocumented: in.configDocumented(),
		changelog:        in.changelog(),
		sdkCurrency:      in.sdkCurrency(),
		transport:        in.transportKind(),
		remoteLiveness:   in.remoteLiveness(),
		tests:            in.testFiles(),
		ci:               in.continuousIntegration(),
		ciPassing:        in.ciPassing(),
		reproducible:     in.reproducible(),
		lintTypes:        in.lintTypes(),
		advisories:       in.openAdvisories(),
		policy:           in.policy(),
		depUpdates:       in.depUpdates(),
		provenance:       in.provenance(),
		workflowSafety:   in.workflowSafety(),
		license:          in.license(),
		maintainers:      in.maintainers(),
		ownerIdentity:    in.ownerIdentity(),
	}
}

// deprecated returns a sentence on who declares the server's end of life, ""
// if nobody does. Declarations do not age: they stand until they are taken
// back.
func (in *input) deprecated() string {
	f := in.f
	if r := f.Readme; r != nil && r.Deprecation == "declared" {
		return in.quoted("The README declares the end of the server")
	}
	if l := f.Listing; l != nil && l.Status == "deprecated" {
		if l.StatusText != "" {
			return "The official registry calls it deprecated: " + clean(l.StatusText)
		}
		return "The official registry calls it deprecated."
	}
	// A repository may also name a package of an older name. Only when all
	// that it publishes is deprecated, the server is.
	notice, all := "", true
	for i := range f.Packages {
		p := &f.Packages[i]
		if p.Found != nil && !*p.Found || p.RegistryType == registry.ProjectType {
			continue
		}
		if p.Deprecated == nil || *p.Deprecated == "" {
			all = false
			break
		}
		if notice == "" {
			notice = "The package " + service(p.RegistryType) + " " + clean(p.Identifier) + " is deprecated: " + clean(*p.Deprecated)
		}
	}
	if all {
		return notice
	}
	return ""
}

// quoted adds the sentence of the README and the successor to a reason.
func (in *input) quoted(reason string) string {
	r := in.f.Readme
	if r.DeprecationText != "" {
		reason += ": “" + strings.TrimRight(clean(r.DeprecationText), ". ") + "”"
	}
	reason += "."
	if r.Successor != "" {
		reason += " Successor: " + clean(r.Successor)
	}
	return reason
}

// caps returns the caps whose evidence is there, in the order of the model.
// What a source did not find never caps: only what it found does.
func (in *input) caps(coverage float64, stable bool) []registry.Cap {
	f := in.f
	var list []registry.Cap
	hit := func(id string, most int, reason string) {
		list = append(list, registry.Cap{ID: id, Max: most, Reason: reason})
	}
	hitElapsed := func(id string, most int, reason string) {
		list = append(list, registry.Cap{ID: id, Max: most, Reason: reason, Elapsed: true})
	}

	self, selfMax := "", 100   // the worst advisory on an own package
	var dep *registry.Advisory // one in a dependency that could long be mended
	malware := ""
	for i := range f.Packages {
		p := &f.Packages[i]
		if p.Malware != "" {
			malware = clean(p.Malware) + " calls " + clean(p.RegistryType+" "+p.Identifier) + " malware."
		}
		fresh := p.ObservedAt == nil || !in.tooOld(*p.ObservedAt, maxAgePackages)
		for j := range p.Advisories {
			a := &p.Advisories[j]
			switch {
			case a.Package == "" && isMalware(a):
				malware = clean(a.ID) + " calls " + clean(p.RegistryType+" "+p.Identifier) + " malware."
			case !fresh || !p.AdvisoriesKnown:
			case a.Package == "" && a.Severity == "critical" && (selfMax > 39 || a.ID < self):
				selfMax, self = 39, a.ID
			case a.Package == "" && a.Severity == "high" && (selfMax > 59 || selfMax == 59 && a.ID < self):
				selfMax, self = 59, a.ID
			case a.Package != "" && a.Severity == "critical" && a.Fixed != "" && a.FixedAt != nil && in.daysSince(*a.FixedAt) > 30 && (dep == nil || a.ID < dep.ID):
				dep = a
			}
		}
	}
	if malware != "" {
		hit("malware", 0, malware)
	}
	if f.Listing != nil && f.Listing.Status == "deleted" {
		hit("registry_deleted", 10, "The official registry has deleted "+clean(f.Listing.Name)+".")
	}
	if f.Repo.Archived {
		reason := "The repository is archived."
		if f.Repo.ArchivedAt != nil {
			reason = "The repository has been archived since " + date(*f.Repo.ArchivedAt) + "."
		}
		hit("archived", 29, reason)
	}
	if why := in.deprecated(); why != "" {
		hit("deprecated_declared", 29, why)
	}
	if selfMax < 100 {
		severity := "high"
		if selfMax < 59 {
			severity = "critical"
		}
		hit("vuln_self", selfMax, "The newest version has the "+severity+" advisory "+clean(self)+".")
	}
	if p := in.probe; p != nil && in.remotes > 0 && len(in.packages) == 0 && f.Detection.SourceInstall == "" && p.Tries >= 10 && p.Successes <= 0 {
		hit("remote_dead", 49, "None of "+count(p.Tries, "probe")+" in seven days was answered, and there is no package.")
	}
	if last, what, known := in.lastAct(); known && !stable {
		if days := in.daysSince(last); days > 540 {
			hitElapsed("stale", 49, "The last human act, a "+what+", was "+ago(days)+" ("+date(last)+").")
		} else if days > 365 {
			hitElapsed("stale", 69, "The last human act, a "+what+", was "+ago(days)+" ("+date(last)+").")
		}
	}
	if in.notMCP(coverage) {
		hit("not_mcp", 49, "No MCP SDK, server.json, client configuration, registry entry or tool was found.")
	}
	if f.Repo.Fork && in.ownCommits() >= 0 && in.ownCommits() < 5 && !in.ownPackage() {
		reason := "A fork with " + count(in.ownCommits(), "commit") + " of its own and no package of its own."
		if f.Repo.Parent != "" {
			reason = "A fork of " + clean(f.Repo.Parent) + " with " + count(in.ownCommits(), "commit") + " of its own and no package of its own."
		}
		hit("fork_copy", 49, reason)
	}
	if in.noLicense() {
		hit("no_license", 60, "There is no licence file, and no manifest names a licence.")
	}
	if r := f.Readme; r != nil && r.Deprecation == "soft" {
		hit("soft_deprecation", 69, in.quoted("The README says that the server may not be kept up"))
	}
	if dep != nil {
		hitElapsed("vuln_dep", 69, clean(dep.Package+" "+dep.Version)+" has the critical advisory "+clean(dep.ID)+", which "+clean(dep.Fixed)+
			" repaired "+ago(in.daysSince(*dep.FixedAt))+".")
	}
	if in.tree != nil && len(in.packages) == 0 && in.remotes == 0 && in.assets() == nil &&
		f.Detection.SourceInstall == "" && len(f.Detection.Manifests) == 0 && f.Listing == nil &&
		(in.readme == nil || in.readme.InstallCommand == "") {
		hit("no_install_path", 79, "No package, remote endpoint, release file, install command or manifest was found.")
	}
	if in.age >= 0 && in.age < 30 {
		hitElapsed("young", 79, "The server is "+count(in.age, "day")+" old.")
	}
	if coverage < confidenceMedium-1e-9 {
		hit("low_coverage", 79, "Less than 60 % of the model could be measured.")
	}
	return list
}

func (in *input) notMCP(coverage float64) bool {
	d := &in.f.Detection
	return coverage >= 0.80-1e-9 && !d.IsServer && d.SDK == "" && !d.ServerJSON && len(d.Tools) == 0 &&
		in.f.Listing == nil && (in.readme == nil || in.readme.ClientConfig == "")
}

// ownCommits returns how many commits a fork has of its own, -1 if that is
// not known.
func (in *input) ownCommits() int {
	a := in.f.Activity
	if a == nil {
		return -1
	}
	if a.OwnCommits != nil {
		return max(0, *a.OwnCommits)
	}
	if c := in.f.Repo.CreatedAt; !c.IsZero() && a.LastCommitAt != nil && !a.LastCommitAt.After(c) {
		return 0 // nothing was committed since it was forked
	}
	return -1
}

// ownPackage says that a published package names this repository, or may.
func (in *input) ownPackage() bool {
	for i := range in.packages {
		p := &in.packages[i]
		if p.missing {
			continue
		}
		if p.facts == nil || !p.facts.RepoURLKnown || relation(p.facts.RepoURL, &in.f.Repo) == sameRepo {
			return true
		}
	}
	return false
}

func (in *input) noLicense() bool {
	r := &in.f.Repo
	return r.LicenseKnown && r.License == "" && in.tree != nil && !in.f.Detection.LicenseFile && strings.TrimSpace(in.manifestLicense()) == ""
}
