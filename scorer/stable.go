package scorer

import (
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/version"
)

// An activityEvent is something that a person did.
type activityEvent struct {
	at   time.Time
	what string // "commit", "release", "reply to an issue"
}

// lastAct returns the last known act of a person: commit, publication or answer. It does not
// matter when it was observed: each visit would have found a newer one. known is false without
// any commits; if only the head is known, it is an upper bound.
func (in *input) lastAct() (last activityEvent, known bool) {
	f := in.f
	last.what = "commit"
	last.at, _, known = in.lastCommit(f.Activity)
	if head := f.Repo.CommittedAt; !known && head != nil {
		last.at, known = *head, true
	}
	later := func(at *time.Time, what string) {
		if at != nil && at.After(last.at) {
			last = activityEvent{*at, what}
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
	if !in.published || in.deprecated() != "" || !in.releasedOne() || !in.answersOutsiders() {
		return false
	}
	if !s.atLeast("sdk_currency", stableSDK) || !s.atLeast("advisories", 1) {
		return false
	}
	last, known := in.lastAct()
	return known && in.daysSince(last.at) <= stableDays
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

// releasedOne reports whether the newest released version is 1.0.0 or later.
func (in *input) releasedOne() bool {
	for i := range in.packages {
		if p := &in.packages[i]; p.found && p.facts != nil && p.facts.Latest != "" {
			return version.Major(p.facts.Latest) >= 1
		}
	}
	if in.listing != nil && in.listing.Version != "" {
		return version.Major(in.listing.Version) >= 1
	}
	for i := range in.f.Repo.LatestReleases {
		if tag := in.f.Repo.LatestReleases[i].Tag; in.f.TagOf(tag) != registry.TagOfOther {
			return version.Major(tag) >= 1
		}
	}
	return false
}
