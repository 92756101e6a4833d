package scorer

import (
	"slices"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/version"
)

// lastAct returns the last known act of a person: commit, publication or answer. It does not
// matter when it was observed: each visit would have found a newer one. known is false without
// any commits; if only the head is known, it is an upper bound.
func (in *input) lastAct() (last publication, known bool) {
	f := in.f
	last.what = "commit"
	last.at, _, known = in.lastCommit(f.Activity)
	if head := f.Repo.CommittedAt; !known && head != nil {
		last.at, known = *head, true
	}
	later := func(at *time.Time, what string) {
		if at != nil && at.After(last.at) {
			last.at, last.what = *at, what
		}
	}
	if p, found, _ := in.newestPublication(); found {
		later(&p.at, p.what)
	}
	for i := range f.Packages { // including outdated facts
		if p := &f.Packages[i]; p.Found == nil || *p.Found {
			later(p.LatestAt, service(p.RegistryType)+" package")
		}
	}
	if l := f.Listing; l != nil && l.Status == "active" {
		later(l.PublishedAt, "registry entry")
	}
	if f.Issues != nil {
		later(f.Issues.LastAnswer, "reply to an issue")
	}
	return last, known
}

// Limits of the stable floor.
const (
	stableDays       = 540
	stableSDK        = 0.5
	stableUnanswered = 0.3
)

// stable reports whether a server is finished rather than abandoned: version 1.0 or later is
// released, the package exists and is not deprecated, no vulnerability is known, the SDK is
// current enough, outsiders get answers, and there was activity by a person within 540 days.
// It does not depend on whether the server is quiet, so that being more active never costs
// anything.
func (in *input) stable(s signals) bool {
	if !in.published || in.deprecated() != "" || version.Major(append(in.released(), "")[0]) < 1 || !in.answersOutsiders() {
		return false
	}
	if !s.atLeast("sdk_currency", stableSDK) || !s.atLeast("advisories", 1) {
		return false
	}
	last, known := in.lastAct()
	return known && in.daysSince(last.at) <= stableDays
}

// untilStable returns the steps after which a server would be stable, as far as is known. It
// returns none if nothing is known to be lacking, and for servers that cannot be stable: those
// that are deprecated, or endpoints.
func (in *input) untilStable(s signals) (steps []string) {
	if in.deprecated() != "" || !in.published && in.remotes > 0 {
		return nil
	}
	lacks := func(check string, value float64) bool {
		return s[checkIndex(check)].state == StateOK && !s.atLeast(check, value)
	}
	switch {
	case !in.published && in.allKnown:
		steps = append(steps, "publish it")
	case in.published && in.isBeforeOne():
		steps = append(steps, "release 1.0")
	}
	if lacks("sdk_currency", stableSDK) {
		steps = append(steps, "upgrade the SDK")
	}
	if lacks("advisories", 1) {
		steps = append(steps, "upgrade the vulnerable dependencies")
	}
	if e := in.f.Repo.IssuesEnabled; e != nil && !*e {
		steps = append(steps, "enable issues")
	} else if in.issues != nil && !in.answersOutsiders() {
		steps = append(steps, "answer issues")
	}
	return steps
}

// answersOutsiders reports whether issues are open to outsiders, and most were
// answered.
func (in *input) answersOutsiders() bool {
	a, e := in.issues, in.f.Repo.IssuesEnabled
	if a == nil || e != nil && !*e {
		return false
	}
	return a.Opened <= 0 || float64(a.Opened-a.Answered) <= stableUnanswered*float64(a.Opened)
}

// isBeforeOne reports whether something is released, and all of it is earlier than 1.0.0.
func (in *input) isBeforeOne() bool {
	after := func(v string) bool { return version.Major(v) != 0 }
	return len(in.released()) > 0 && !slices.ContainsFunc(in.released(), after)
}

// released returns the released versions of packages, the registry entry and the repository.
func (in *input) released() (all []string) {
	for i := range in.packages {
		if p := &in.packages[i]; p.found && p.facts != nil && p.facts.Released() != "" {
			all = append(all, p.facts.Released())
		}
	}
	if in.listing != nil && in.listing.Version != "" {
		all = append(all, in.listing.Version)
	}
	for _, r := range in.f.Repo.LatestReleases {
		if in.f.TagOf(r.Tag) != registry.TagOfOther {
			all = append(all, r.Tag)
		}
	}
	return all
}
