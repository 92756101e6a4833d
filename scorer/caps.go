package scorer

import (
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// caps are the caps of the model, strictest first. They need evidence: missing data never
// caps.
var caps = []CapSpec{
	{
		ID: "malware", Max: []int{0}, reason: (*evidence).malware,
		Condition: "An advisory reports a published package of the server as malware.",
	},
	{
		ID: "registry_deleted", Max: []int{10},
		Condition: "The server was deleted from the official registry.",
		reason: func(e *evidence) (string, int) {
			if l := e.f.Listing; l != nil && l.Status == "deleted" {
				return clean(l.Name) + " was deleted from the official registry.", 0
			}
			return "", 0
		},
	},
	{
		ID: "hidden_instructions", Max: []int{10}, reason: (*evidence).hiddenInstructions,
		Condition: "The texts of a list of tools have invisible characters (R1), and override " +
			"instructions (R3) or conceal something from the user (R4), in the same tool or in others.",
	},
	{
		ID: "archived", Max: []int{29},
		Condition: "The repository is archived (read-only).",
		reason: func(e *evidence) (string, int) {
			switch r := &e.f.Repo; {
			case !r.Archived:
				return "", 0
			case r.ArchivedAt != nil:
				return "The repository has been archived (read-only) since " + text.Day(*r.ArchivedAt) + ".", 0
			}
			return "The repository is archived (read-only).", 0
		},
	},
	{
		ID: "deprecated_declared", Max: []int{29},
		Condition: "The README says that the repository, project or server is deprecated, no longer " +
			"maintained or " +
			"superseded, or the official registry or the package registry marks it as deprecated.",
		reason: func(e *evidence) (string, int) { return e.input.deprecated(), 0 },
	},
	{
		ID: "vuln_self", Max: []int{39, 59}, reason: (*evidence).vulnerable, Check: "advisories",
		Condition: "The newest version of the server's own package has an open critical (39) or high " +
			"(59) advisory.",
	},
	{
		ID: "remote_dead", Max: []int{49}, reason: (*evidence).remoteDead, elapsed: true,
		Check: "remote_liveness",
		Condition: "The server has endpoints and no package, and all endpoints have been down for 14 " +
			"days. An endpoint is down after three failed probes over six hours.",
	},
	{
		ID: "does_not_start", Max: []int{59}, reason: (*evidence).failsToStart, Check: "starts",
		Condition: "The server has no endpoint, and none of its packages whose latest version was " +
			"started in the sandbox started, because of its own code.",
	},
	{
		ID: "stale", Max: []int{49, 69}, reason: (*evidence).stale, elapsed: true, Check: "commit_recency",
		Condition: "The last activity by a person (commit, release, answer) was more than 540 " +
			"days (49) or 365 days (69) ago, and the server is not stable.",
	},
	{
		ID: "not_mcp", Max: []int{49}, reason: (*evidence).notMCP,
		Condition: "No MCP SDK, server.json, client configuration, registry entry or tool was " +
			"found, with a coverage of at least 0.80.",
	},
	{
		ID: "fork_copy", Max: []int{49}, reason: (*evidence).forkCopy,
		Condition: "A fork with fewer than 5 commits by people on its default branch since it " +
			"was forked, and without its own package. Unknown for forks that were more than a " +
			"year old when first seen and have commits since.",
	},
	{
		ID: "no_license", Max: []int{60}, reason: (*evidence).noLicense, Check: "license",
		Condition: "No license file, and no license in the manifest.",
	},
	{
		ID: "soft_deprecation", Max: []int{69},
		Condition: "The README says near its top that the server may be sunset, is being " +
			"replaced, or that issues are ignored.",
		reason: func(e *evidence) (string, int) {
			r := e.f.Readme
			if r == nil || r.Deprecation != "soft" {
				return "", 0
			}
			reason := e.quoted("The README says that the server may not be maintained")
			if r.Successor != "" {
				reason += " Successor: " + clean(r.Successor)
			}
			return reason, 0
		},
	},
	{
		ID: "vuln_dep", Max: []int{69}, reason: (*evidence).vulnerableDependency, elapsed: true,
		Check: "advisories",
		Condition: "A direct runtime dependency of the published package has a critical " +
			"advisory, and a fix has been available for more than 30 days.",
	},
	{
		ID: "no_install_path", Max: []int{79}, reason: (*evidence).noInstallPath,
		Check:     "package_published",
		Condition: "No package, remote endpoint, release file, install command or manifest was found.",
	},
	{
		ID: "young", Max: []int{79}, elapsed: true,
		Condition: "The server is less than 30 days old. For a server in a subfolder, the age of the " +
			"folder counts.",
		reason: func(e *evidence) (string, int) {
			if e.age < 0 || e.age >= 30 {
				return "", 0
			}
			return "The server is " + text.Count(e.age, "day") + " old.", 0
		},
	},
	{
		ID: "low_coverage", Max: []int{79},
		Condition: "The coverage is below 0.60.",
		reason: func(e *evidence) (string, int) {
			if e.coverage < confidenceMedium-1e-9 {
				return "Less than 60% of the checks (by weight) could be measured.", 0
			}
			return "", 0
		},
	},
}

// liftedBy returns the index of the check whose repair lifts a cap, or -1.
func liftedBy(id string) int {
	for i := range caps {
		if caps[i].ID == id {
			return checkIndex(caps[i].Check)
		}
	}
	return -1
}

// evidence is the input of the caps.
type evidence struct {
	*input
	coverage float64 // 0 to 1
	isStable bool
}

// caps returns the caps that apply, in the order of the model.
func (in *input) caps(coverage float64, stable bool) []registry.Cap {
	e := &evidence{in, coverage, stable}
	var list []registry.Cap
	for i := range caps {
		c := &caps[i]
		if reason, level := c.reason(e); reason != "" {
			list = append(list, registry.Cap{ID: c.ID, Max: c.Max[level], Reason: reason,
				Elapsed: c.elapsed})
		}
	}
	return list
}

func isMalware(a *registry.Advisory) bool { return strings.HasPrefix(a.ID, "MAL-") }

func (e *evidence) malware() (string, int) {
	reason := ""
	for i := range e.f.Packages {
		p := &e.f.Packages[i]
		calls := " reports " + clean(p.RegistryType+" "+p.Identifier) + " as malware."
		if p.Malware != "" {
			reason = clean(p.Malware) + calls
		}
		for j := range p.Advisories {
			if a := &p.Advisories[j]; a.Package == "" && isMalware(a) {
				reason = clean(a.ID) + calls
			}
		}
	}
	return reason, 0
}

// youngAdvisories returns the advisories of all packages with recent facts, without malware.
func (e *evidence) youngAdvisories() []*registry.Advisory {
	var out []*registry.Advisory
	for i := range e.f.Packages {
		p := &e.f.Packages[i]
		if !p.AdvisoriesKnown || p.ObservedAt != nil && e.tooOld(*p.ObservedAt, maxAgePackages) {
			continue
		}
		for j := range p.Advisories {
			if a := &p.Advisories[j]; a.Package != "" || !isMalware(a) {
				out = append(out, a)
			}
		}
	}
	return out
}

func (e *evidence) vulnerable() (string, int) {
	for level, severity := range []string{"critical", "high"} {
		worst := ""
		for _, a := range e.youngAdvisories() {
			if a.Package == "" && a.Severity == severity && (worst == "" || a.ID < worst) {
				worst = a.ID
			}
		}
		if worst != "" {
			return "The latest version has the " + severity + " advisory " + clean(worst) + ".", level
		}
	}
	return "", 0
}

func (e *evidence) vulnerableDependency() (string, int) {
	const patience = 30 // days since the fix was released
	var dep *registry.Advisory
	for _, a := range e.youngAdvisories() {
		isFixed := a.Fixed != "" && a.FixedAt != nil && e.daysSince(*a.FixedAt) > patience
		if a.Package != "" && a.Severity == "critical" && isFixed && (dep == nil || a.ID < dep.ID) {
			dep = a
		}
	}
	if dep == nil {
		return "", 0
	}
	return clean(dep.Package+" "+dep.Version) + " has the critical advisory " + clean(dep.ID) +
		", fixed in " +
		clean(dep.Fixed) + " " + ago(e.daysSince(*dep.FixedAt)) + ".", 0
}

// remoteDead caps servers whose only way are endpoints, all of which were down for
// deadAfter days and at their last probe.
func (e *evidence) remoteDead() (string, int) {
	const deadAfter = 14
	d := &e.f.Detection
	dead, since := 0, time.Time{}
	for i := range e.f.Endpoints {
		p := e.f.Endpoints[i].Probe
		if p == nil || !p.Down() || e.daysSince(p.History.Since) < deadAfter ||
			e.tooOld(p.History.StoredAt, maxAgeProbe) {
			continue
		}
		if dead++; p.History.Since.After(since) {
			since = p.History.Since
		}
	}
	if dead == 0 || dead < max(e.remotes, len(d.Remotes)) || d.SourceInstall != "" ||
		slices.ContainsFunc(e.packages, func(p pkg) bool { return !p.missing }) {
		return "", 0
	}
	return "No endpoint of the server has responded as MCP requires since " + text.Day(since) +
		", and there is no package.", 0
}

func (e *evidence) failsToStart() (string, int) {
	s := e.starts(signal{})
	if s.state != StateOK || s.value > 0 || e.remotes > 0 {
		return "", 0
	}
	return s.reason, 0
}

func (e *evidence) stale() (string, int) {
	last, known := e.lastAct()
	if !known || e.isStable {
		return "", 0
	}
	days := e.daysSince(last.at)
	reason := "Last activity by a person: " + last.what + " " + ago(days) + " (" + text.Day(last.at) + ")."
	switch {
	case days > 540:
		return reason, 0
	case days > 365:
		return reason, 1
	}
	return "", 0
}

// hiddenInstructions names the tools of a list whose texts break rule R1 and rule R3 or R4:
// one tool that breaks both, if there is one.
func (e *evidence) hiddenInstructions() (string, int) {
	for _, l := range e.f.ToolLists() {
		hiding := breaking(l.Suspicious, "R1")
		instructing := breaking(l.Suspicious, "R3", "R4")
		if len(hiding) == 0 || len(instructing) == 0 {
			continue
		}
		for _, h := range hiding {
			for _, i := range instructing {
				if h.Tool == i.Tool {
					return "Hidden instructions: “" + clean(h.Tool) + "” contains invisible characters and " +
						instructions[i.Rule] + ".", 0
				}
			}
		}
		return "Hidden instructions: “" + clean(hiding[0].Tool) + "” contains invisible characters; “" +
			clean(instructing[0].Tool) + "” " + instructions[instructing[0].Rule] + ".", 0
	}
	return "", 0
}

var instructions = map[string]string{
	"R3": "tells the model to ignore its instructions", "R4": "tells the model to hide something from you",
}

// breaking returns the findings of some rules.
func breaking(found []registry.SuspiciousText, rules ...string) []registry.SuspiciousText {
	return slices.DeleteFunc(slices.Clone(found), func(s registry.SuspiciousText) bool {
		return !slices.Contains(rules, s.Rule)
	})
}

func (e *evidence) notMCP() (string, int) {
	d := &e.f.Detection
	if e.coverage < 0.80-1e-9 || d.IsServer || d.SDK != "" || d.ServerJSON ||
		hasTools(e.f.ToolLists()) {
		return "", 0
	}
	if e.f.Listing != nil || e.readme != nil && e.readme.ClientConfig != "" {
		return "", 0
	}
	return "No MCP SDK, server.json, client configuration, registry entry or tool was found.", 0
}

func (e *evidence) forkCopy() (string, int) {
	const few = 5
	n := e.ownCommits()
	if !e.f.Repo.Fork || n < 0 || n >= few || e.ownPackage() {
		return "", 0
	}
	of := ""
	if e.f.Repo.Parent != "" {
		of = " of " + clean(e.f.Repo.Parent)
	}
	return "A fork" + of + " with " + text.Count(n, "commit") + " and no package of its own.", 0
}

// ownCommits returns the number of a fork's own commits, -1 if unknown.
func (in *input) ownCommits() int {
	a := in.f.Activity
	if a == nil {
		return -1
	}
	if a.OwnCommits != nil {
		return max(0, *a.OwnCommits)
	}
	if c := in.f.Repo.CreatedAt; !c.IsZero() && a.LastCommitAt != nil && !a.LastCommitAt.After(c) {
		return 0 // no commits since the fork
	}
	return -1
}

// ownPackage reports whether a published package names this repository, or may do so.
func (in *input) ownPackage() bool {
	for i := range in.packages {
		p := &in.packages[i]
		if r := in.relationTo(p); !p.missing && (r == registry.UnknownRepo || r == registry.SameRepo) {
			return true
		}
	}
	return false
}

func (e *evidence) noLicense() (string, int) {
	r := &e.f.Repo
	if !r.LicenseKnown || r.License != "" || e.tree == nil || e.f.Detection.LicenseFile {
		return "", 0
	}
	if strings.TrimSpace(e.manifestLicense()) != "" {
		return "", 0
	}
	return "No license file, and no license in the manifest.", 0
}

func (e *evidence) noInstallPath() (string, int) {
	d := &e.f.Detection
	if e.tree == nil || len(e.packages) > 0 || e.remotes > 0 || e.assets() != nil || e.f.Listing != nil {
		return "", 0
	}
	if d.SourceInstall != "" || len(d.Manifests) > 0 || e.readme != nil && e.readme.InstallCommand != "" {
		return "", 0
	}
	return "No package, remote endpoint, release file, install command or manifest was found.", 0
}

// deprecated returns a sentence on who declares the server's end of life, "" if nobody does.
// Declarations count until they are removed.
func (in *input) deprecated() string {
	f := in.f
	if r := f.Readme; r != nil && r.Deprecation == "declared" {
		return in.quoted("The README says that the server is deprecated")
	}
	if l := f.Listing; l.Deprecation() != "" {
		if l.Status == registry.StatusDeprecated && l.StatusText == "" {
			return l.Deprecation()
		}
		return "Deprecated in the official registry: " + clean(l.Deprecation())
	}
	if p := f.DeprecatedPackage(); p != nil {
		return "The package " + service(p.RegistryType) + " " + clean(p.Identifier) +
			" is deprecated: " + clean(*p.Deprecated)
	}
	return ""
}

// quoted adds the sentence of the README to a reason.
func (in *input) quoted(reason string) string {
	r := in.f.Readme
	if r.DeprecationText != "" {
		reason += ": “" + strings.TrimRight(clean(r.DeprecationText), ". ") + "”"
	}
	return reason + "."
}
