package scorer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpcensus/internal/registry"
)

// Short histories say little: until a repository is that many days old, the
// checks are drawn towards youngValue.
const (
	youngValue       = 0.6
	youngCommitDays  = 90
	youngCadenceDays = 180
	youngReleaseDays = 60
)

// shrink draws a value towards youngValue by the share of the days that is
// missing. An unknown age draws nothing.
func (in *input) shrink(v float64, days int) float64 {
	if in.age < 0 || in.age >= days {
		return v
	}
	a := float64(in.age) / float64(days)
	return a*v + (1-a)*youngValue
}

// window is how many weeks of activity are looked at.
const window = 26

// lastCommit returns the date of the last human commit. Without one in the
// commits that were read it is no later than the head commit, and before the
// window: exact is false then.
func (in *input) lastCommit(a *registry.Activity) (at time.Time, exact, known bool) {
	if a == nil {
		return at, false, false
	}
	if a.LastCommitAt != nil {
		return *a.LastCommitAt, true, true
	}
	head := in.f.Repo.CommittedAt
	if a.Truncated || head == nil {
		return at, false, false
	}
	if start := time.Unix((in.today-7*window)*86400, 0).UTC(); head.After(start) {
		return start, false, true
	}
	return *head, false, true
}

func (in *input) commitRecency() signal {
	last, exact, known := in.lastCommit(in.activity)
	if !known {
		return signal{state: StateUnknown, reason: in.failed("The commits have not been read, or too long ago.", "activity")}
	}
	days := in.daysSince(last)
	s := signal{state: StateOK, at: at(&in.times.activity), elapsed: true}
	s.value = in.shrink(checks[commitRecency].Curve.At(float64(days)), youngCommitDays)
	if exact {
		s.reason = "Last human commit " + ago(days) + " (" + date(last) + ")."
		s.evidence = in.commit(in.activity.LastCommit)
	} else {
		s.reason = "No human commit among those read; the last one was before " + date(last) + "."
	}
	if in.age >= 0 && in.age < youngCommitDays {
		s.reason += " The repository is " + count(in.age, "day") + " old, so this counts in part."
	}
	return s
}

func (in *input) cadence() signal {
	a := in.activity
	if a == nil {
		return signal{state: StateUnknown, reason: in.failed("The commits have not been read, or too long ago.", "activity")}
	}
	// Weeks are calendar weeks, so that time passing never moves a commit
	// into another week. 1970 began on a Thursday.
	this := (in.today + 3) / 7
	var weeks [window]bool
	active, oldest := 0, 0
	for _, d := range a.ActiveDays {
		n, ok := parseDay(d)
		if !ok {
			continue
		}
		back := int(max(0, this-(n+3)/7))
		if back >= window || n < 0 {
			continue
		}
		oldest = max(oldest, back)
		if !weeks[back] {
			weeks[back] = true
			active++
		}
	}
	of := window
	if in.age >= 0 {
		of = min(of, int(this-(in.today-int64(in.age)+3)/7)+1)
	}
	of = max(1, of)
	active = min(active, of)
	s := signal{state: StateOK, at: at(&in.times.activity), elapsed: true}
	counted := active
	if a.Truncated {
		counted = max(active, min(3*active, active+of-1-oldest))
		s.reason = fmt.Sprintf("%d of the last %d weeks had a human commit, and older commits were not read; counted as %d.", active, of, counted)
	} else {
		s.reason = fmt.Sprintf("%d of %s had a human commit.", active, count(of, "week"))
	}
	s.value = in.shrink(checks[cadence].Curve.At(float64(counted)/float64(of)), youngCadenceDays)
	return s
}

// parseDay returns the number of the day of "2006-01-02", counted from 1970.
func parseDay(s string) (int64, bool) {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return 0, false
	}
	n := [3]int{}
	for i, part := range [3]string{s[:4], s[5:7], s[8:]} {
		for _, c := range []byte(part) {
			if c < '0' || c > '9' {
				return 0, false
			}
			n[i] = n[i]*10 + int(c-'0')
		}
	}
	if n[1] < 1 || n[1] > 12 || n[2] < 1 || n[2] > 31 {
		return 0, false
	}
	return day(time.Date(n[0], time.Month(n[1]), n[2], 0, 0, 0, 0, time.UTC)), true
}

// A published thing and when it came out.
type publication struct {
	at       time.Time
	what     string
	version  string
	evidence registry.Evidence
}

// newestPublication returns the newest of releases, tags and versions at
// package services, the server's own packages alone if it is in a subfolder
// and has any with a date. known says that nothing can have been missed that
// matters.
func (in *input) newestPublication() (newest publication, found, known bool) {
	consider := func(p publication) {
		if !found || p.at.After(newest.at) {
			newest, found = p, true
		}
	}
	known = in.allKnown
	for i := range in.packages {
		p := &in.packages[i]
		if p.facts == nil || !p.found {
			continue
		}
		if p.facts.LatestAt == nil {
			known = false
			continue
		}
		consider(publication{*p.facts.LatestAt, service(p.registryType) + " package", p.facts.Latest,
			registry.Evidence{Type: "package", Ref: clean(p.identifier)}})
	}
	if l := in.listing; l != nil && l.PublishedAt != nil && l.Status == "active" {
		consider(publication{*l.PublishedAt, "registry entry", l.Version, registry.Evidence{Type: "registry", Ref: clean(l.Name)}})
	}
	if in.f.Detection.Subfolder != "" && found {
		return newest, found, true
	}
	r := &in.f.Repo
	if r.Releases == nil && len(r.LatestReleases) == 0 || r.Tags == nil && r.LatestTag == nil {
		known = false
	}
	for i := range r.LatestReleases {
		if rel := &r.LatestReleases[i]; rel.PublishedAt != nil {
			consider(publicationOf(rel, "release", r.Ref().ReleaseURL(rel.Tag)))
		} else {
			known = false
		}
	}
	if r.LatestTag != nil {
		if r.LatestTag.PublishedAt != nil {
			consider(publicationOf(r.LatestTag, "tag", r.Ref().TreeURL(r.LatestTag.Tag, "")))
		} else {
			known = false
		}
	}
	if !found && (r.Releases != nil && *r.Releases > 0 || r.Tags != nil && *r.Tags > 0) {
		known = false
	}
	return newest, found, known
}

func publicationOf(r *registry.Release, what, page string) publication {
	return publication{*r.PublishedAt, what, r.Tag, registry.Evidence{Type: "release", Ref: clean(r.Tag), URL: page}}
}

func (in *input) releaseRecency() signal {
	if in.age >= 0 && in.age < youngReleaseDays {
		return signal{state: StateNA, elapsed: true, reason: "The repository is " + count(in.age, "day") + " old: too young to ask for a release."}
	}
	newest, found, known := in.newestPublication()
	s := signal{state: StateOK, at: at(&in.times.repo)}
	switch {
	case found:
		days := in.daysSince(newest.at)
		s.elapsed = true
		s.value = checks[releaseRecency].Curve.At(float64(days))
		what := newest.what
		if newest.version != "" {
			what += " " + clean(newest.version)
		}
		s.reason = "Newest: " + what + ", " + ago(days) + " (" + date(newest.at) + ")."
		s.evidence = []registry.Evidence{newest.evidence}
		switch newest.evidence.Type {
		case "package":
			s.source, s.at = "packages", at(&in.times.packages)
		case "registry":
			s.source, s.at = "official-registry", at(&in.times.listing)
		}
	case known:
		s.reason = "No release, tag or published version was found."
	default:
		return signal{state: StateUnknown, reason: in.failed("Releases and published versions have not been read, or without their dates.", "releases", "deps.dev")}
	}
	return s
}

func (in *input) responsiveness() signal {
	if e := in.f.Repo.IssuesEnabled; e != nil && !*e {
		return signal{state: StateWithheld, reason: "Issues are switched off, so nobody can see how they are answered.",
			fix: "Switch issues on.", at: at(&in.times.repo)}
	}
	a := in.issues
	if a == nil {
		return signal{state: StateUnknown, reason: in.failed("Issues and pull requests have not been read, or too long ago.", "issues")}
	}
	opened := max(0, a.Opened)
	answered := min(max(0, a.Answered), opened)
	if opened < 3 {
		return signal{state: StateNA, reason: "Outsiders opened " + count(opened, "issue or pull request") + " in half a year: too few to judge."}
	}
	s := signal{state: StateOK, at: at(&in.times.issues)}
	s.value = checks[responsiveness].Curve.At(float64(answered+1) / float64(opened+2))
	s.reason = fmt.Sprintf("%d of %d outside issues and pull requests were answered within 14 days.", answered, opened)
	if n := len(a.Unanswered); n > 0 {
		const few = 5
		var b strings.Builder
		b.WriteString("Answer or label the open ones: ")
		open := slices.Sorted(slices.Values(a.Unanswered))
		for i, number := range open[:min(n, few)] {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "#%d", number)
			if page := in.f.Repo.Ref().IssueURL(strconv.Itoa(number)); page != "" {
				s.evidence = append(s.evidence, registry.Evidence{Type: "issue", Ref: fmt.Sprintf("#%d", number), URL: page})
			}
		}
		if n > few {
			fmt.Fprintf(&b, " and %d more", n-few)
		}
		b.WriteString(".")
		s.fix = b.String()
	}
	return s
}

// lastAct returns the last human act that is known: commit, publication or
// answer. It does not matter when it was seen: each visit would have seen a
// newer one. known is false if nothing is known of the commits; where only the
// head is known, the last one is no later than that.
func (in *input) lastAct() (last time.Time, what string, known bool) {
	f := in.f
	last, _, known = in.lastCommit(f.Activity)
	if head := f.Repo.CommittedAt; !known && head != nil {
		last, known = *head, true
	}
	what = "commit"
	if p, found, _ := in.newestPublication(); found && p.at.After(last) {
		last, what = p.at, p.what
	}
	for i := range f.Packages { // also those asked about too long ago
		if p := &f.Packages[i]; p.LatestAt != nil && (p.Found == nil || *p.Found) && p.LatestAt.After(last) {
			last, what = *p.LatestAt, service(p.RegistryType)+" package"
		}
	}
	if l := f.Listing; l != nil && l.Status == "active" && l.PublishedAt != nil && l.PublishedAt.After(last) {
		last, what = *l.PublishedAt, "registry entry"
	}
	if a := f.Issues; a != nil && a.LastAnswer != nil && a.LastAnswer.After(last) {
		last, what = *a.LastAnswer, "answer"
	}
	return last, what, known
}

// Limits of the stable floor.
const (
	stableDays       = 540
	stableSDK        = 0.5
	stableUnanswered = 0.3
)

// stable says that a server is finished rather than abandoned: version 1.0 or
// later is released, the package is there and not deprecated, nothing is
// known against it, the SDK is current enough, outsiders are answered, and
// somebody has acted within 540 days. It does not ask whether the server
// rests, so that being more active never costs anything.
func (in *input) stable(signals *[numChecks]signal) bool {
	if !in.published || in.deprecated() != "" {
		return false
	}
	if s := &signals[sdkCurrency]; s.state != StateOK || s.value < stableSDK {
		return false
	}
	if s := &signals[advisories]; s.state != StateOK || s.value < 1 {
		return false
	}
	if a := in.issues; a == nil || a.Opened > 0 && float64(a.Opened-a.Answered) > stableUnanswered*float64(a.Opened) {
		return false
	}
	if e := in.f.Repo.IssuesEnabled; e != nil && !*e {
		return false
	}
	if !in.releasedOne() {
		return false
	}
	last, _, known := in.lastAct()
	return known && in.daysSince(last) <= stableDays
}

// releasedOne says that the newest released version is 1.0.0 or later.
func (in *input) releasedOne() bool {
	for i := range in.packages {
		if p := &in.packages[i]; p.found && p.facts != nil && p.facts.Latest != "" {
			return majorOf(p.facts.Latest) >= 1
		}
	}
	if in.listing != nil && in.listing.Version != "" {
		return majorOf(in.listing.Version) >= 1
	}
	if len(in.f.Repo.LatestReleases) > 0 {
		return majorOf(in.f.Repo.LatestReleases[0].Tag) >= 1
	}
	return false
}
