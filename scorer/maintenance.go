package scorer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

var maintenanceChecks = []CheckSpec{
	{
		ID: "commit_recency", Category: maintenance, Name: "Recent commits", Weight: 9,
		from: fromActivity, measure: (*input).commitRecency, advise: (*input).workAdvice,
		young:    youngCommitDays,
		rests:    true,
		Question: "When did a person last commit to the default branch?",
		Formula: "Days since the last commit by a person. Bots do not count, and a date in the " +
			"future counts as the day it was seen. A repository younger than 90 days widens " +
			"scoreLow and scoreHigh by the share of the 90 days that is missing.",
		Curve:  Curve{{0, 1}, {14, .9}, {30, .8}, {90, .6}, {180, .4}, {365, .15}, {540, 0}},
		Source: sourceHost,
		Fix:    "Commit and merge pending fixes. If it is finished, meet the conditions of a stable server.",
	},
	{
		ID: "cadence", Category: maintenance, Name: "Commit activity", Weight: 6,
		from: fromActivity, measure: (*input).cadence,
		young:    youngCadenceDays,
		rests:    true,
		Question: "In how many weeks of the last half year did people commit?",
		Formula: "Share of the last 26 calendar weeks (of the repository's life, if that is " +
			"shorter) with a commit by a person. Weeks count, not commits. If there are more " +
			"commits than could be read, the remaining weeks are estimated, at most at three " +
			"times the active weeks that were read. A repository younger than 180 days widens " +
			"scoreLow and scoreHigh by the share of the 180 days that is missing.",
		Curve:  Curve{{0, 0}, {.04, .35}, {.15, .7}, {.35, 1}},
		Source: sourceHost,
	},
	{
		ID: "release_recency", Category: maintenance, Name: "Recent release", Weight: 5,
		from: fromRepo, measure: (*input).releaseRecency, advise: (*input).releaseAdvice,
		rests:    true,
		Question: "When was the last release?",
		Formula: "Days since the latest of: release, tag, version in a package registry or in the " +
			"official registry. For a server in a subfolder its own packages and tags come before " +
			"the repository's releases; tags that name another server never count.",
		Curve:  Curve{{60, 1}, {180, .8}, {365, .4}, {730, 0}},
		Source: sourceHost,
		NA:     "nothing was ever released, or the repository is younger than 60 days",
		Fix:    "Release the default branch.",
	},
	{
		ID: "responsiveness", Category: maintenance, Name: "Responsiveness", Weight: 7,
		from: fromIssues, measure: (*input).responsiveness, advise: (*input).answerAdvice,
		Question: "Do issues and pull requests from outside get a reply?",
		Formula: "Of the issues and pull requests that non-members opened between 180 and 14 " +
			"days ago, the share that a member answered, merged or closed within 14 days, as " +
			"(answered + 1) / (opened + 2). If issues are disabled, the check is withheld.",
		Curve:  Curve{{.1, 0}, {.4, .6}, {.7, 1}},
		Source: sourceHost,
		NA:     "fewer than 3 were opened",
		Fix:    "Answer or label open issues and pull requests from outside.",
	},
}

// In repositories younger than this many days, the bounds of the score are wider.
const (
	youngCommitDays  = registry.YoungDays
	youngCadenceDays = 180
	youngReleaseDays = 60
)

// doubt returns the share of the days that a server lacks, 0 for an unknown age.
func (in *input) doubt(days int) float64 {
	if in.age < 0 || in.age >= days {
		return 0
	}
	return 1 - float64(in.age)/float64(days)
}

// window is how many weeks of activity are looked at.
const window = 26

// lastCommit returns the date of the last human commit. If none of the commits that were read
// is human, it is before them and not later than the head commit: exact is false then.
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

func (in *input) commitRecency(s signal) signal {
	last, exact, known := in.lastCommit(in.activity)
	if !known {
		return unknown(fromActivity.unknown)
	}
	days := in.daysSince(last)
	s.elapsed, s.value = true, float64(days)
	if exact {
		s.reason = "Last commit by a person " + ago(days) + " (" + text.Day(last) + ")."
		s.evidence = in.commit(in.activity.LastCommit)
	} else {
		s.reason = "No commit by a person since " + text.Day(last) + "."
	}
	if in.age >= 0 && in.age < youngCommitDays {
		s.reason += " The repository is only " + text.Count(in.age, "day") + " old, so this says little."
	}
	return s
}

// workAdvice names open work, and, where the stable floor would raise the check, what a
// finished server lacks to count as stable.
func (in *input) workAdvice(s *signal) string {
	advice := ""
	switch r := &in.f.Repo; {
	case r.OpenPRs != nil && *r.OpenPRs > 0:
		advice = fmt.Sprintf("Merge or close open pull requests (%d).", *r.OpenPRs)
	case r.OpenIssues != nil && *r.OpenIssues > 0:
		advice = fmt.Sprintf("Work on open issues (%d).", *r.OpenIssues)
	}
	if s.value < stableFloor && len(in.lacks) > 0 {
		advice += " If it is finished: " + strings.Join(in.lacks, ", ") +
			". It can then count as stable."
	}
	return strings.TrimSpace(advice)
}

func (in *input) cadence(s signal) signal {
	a := in.activity
	active, oldest := in.activeWeeks(a.ActiveDays)
	of := in.weeksOfLife()
	active = min(active, of)
	counted := active
	s.elapsed = true
	if a.Truncated {
		counted = max(active, min(3*active, active+of-1-oldest))
	}
	s.reason = weeksText(active, of)
	if counted > active {
		s.reason += fmt.Sprintf(" Older commits were not read; counted as %d.", counted)
	} else if a.Truncated {
		s.reason += " Older commits were not read."
	}
	s.value = float64(counted) / float64(of)
	return s
}

// weeksText returns in how many of the last weeks people committed.
func weeksText(active, of int) string {
	last := text.Count(of, "week")
	if of == 1 {
		last = "week"
	}
	if active == 0 {
		return "No commits by people in the last " + last + "."
	}
	return fmt.Sprintf("Commits by people in %d of the last %s.", active, last)
}

// week returns the number of the calendar week of a day, both counted from
// 1970, which began on a Thursday. Weeks begin on Mondays, so that time passing
// never moves a commit into another week.
func week(day int64) int64 { return (day + 3) / 7 }

// activeWeeks returns how many weeks of the window have one of the days, and how
// many weeks ago the oldest of them was.
func (in *input) activeWeeks(days []string) (active, oldest int) {
	var weeks [window]bool
	for _, d := range days {
		t, err := time.Parse(time.DateOnly, d)
		n := day(t)
		back := max(0, week(in.today)-week(n))
		if err != nil || n < 0 || back >= window {
			continue
		}
		oldest = max(oldest, int(back))
		if !weeks[back] {
			weeks[back] = true
			active++
		}
	}
	return active, oldest
}

// weeksOfLife returns of how many weeks the window consists: fewer if the server
// is younger, at least 1.
func (in *input) weeksOfLife() int {
	if in.age < 0 {
		return window
	}
	life := week(in.today) - week(in.today-int64(in.age)) + 1
	return int(max(1, min(window, life)))
}

// A published thing and when it came out.
type publication struct {
	at       time.Time
	what     string
	version  string
	evidence registry.Evidence
}

// newestPublication returns the newest of releases, tags and versions at
// package services; of the server's own packages, tags and registry entry alone if it
// is in a subfolder and has any with a date. known reports that nothing can have
// been missed that matters.
func (in *input) newestPublication() (newest publication, found, known bool) {
	own, known := in.ownPublications()
	tagged, _ := in.releases(registry.TagOfServer)
	own = append(own, tagged...)
	if in.f.Detection.Subfolder != "" && len(own) > 0 {
		return newestOf(own), true, true
	}
	released, allDated := in.releases(registry.TagOfRepository)
	known = known && allDated
	r := &in.f.Repo
	if r.Releases == nil && len(r.LatestReleases) == 0 || r.Tags == nil && r.LatestTag == nil {
		known = false
	}
	all := append(own, released...)
	if len(all) > 0 {
		return newestOf(all), true, known
	}
	if r.Releases != nil && *r.Releases > 0 || r.Tags != nil && *r.Tags > 0 {
		known = false // there are some, without their dates
	}
	return newest, false, known
}

// newestOf returns the first of the newest publications.
func newestOf(all []publication) publication {
	return slices.MaxFunc(all, func(a, b publication) int { return a.at.Compare(b.at) })
}

// ownPublications returns the versions at package services and in the official
// registry that have a date. known reports that none can have been missed.
func (in *input) ownPublications() (all []publication, known bool) {
	known = in.allKnown
	for i := range in.packages {
		p := &in.packages[i]
		switch {
		case p.facts == nil || !p.found || p.facts.Latest != "" && p.facts.Released() == "":
		case p.facts.LatestAt == nil:
			known = false
		default:
			all = append(all, publication{*p.facts.LatestAt, service(p.registryType) + " package",
				p.facts.Latest,
				registry.Evidence{Type: "package", Ref: clean(p.identifier)}})
		}
	}
	if l := in.listing; l != nil && l.PublishedAt != nil && l.Status == "active" {
		all = append(all, publication{*l.PublishedAt, "registry entry", l.Version,
			registry.Evidence{Type: "registry", Ref: clean(l.Name)}})
	}
	return all, known
}

// releases returns the dated releases and tag of the code host that of accepts. allDated
// reports that all have a date and none names another part of the repository: older ones were
// not read then.
func (in *input) releases(of registry.TagOf) (all []publication, allDated bool) {
	r := &in.f.Repo
	allDated = true
	add := func(rel *registry.Release, what, page string) {
		switch in.f.TagOf(rel.Tag) {
		case of:
		case registry.TagOfOther:
			allDated = false
			return
		default:
			return
		}
		if rel.PublishedAt == nil {
			allDated = false
			return
		}
		all = append(all, publication{*rel.PublishedAt, what, rel.Tag,
			registry.Evidence{Type: "release", Ref: clean(rel.Tag), URL: page}})
	}
	for i := range r.LatestReleases {
		rel := &r.LatestReleases[i]
		add(rel, "release", r.Ref().ReleaseURL(rel.Tag))
	}
	if t := r.LatestTag; t != nil {
		add(t, "tag", r.Ref().TreeURL(t.Tag, ""))
	}
	return all, allDated
}

func (in *input) releaseRecency(s signal) signal {
	if in.age >= 0 && in.age < youngReleaseDays {
		return signal{state: StateNA, elapsed: true, reason: "The repository is only " +
			text.Count(in.age, "day") + " old: a release is not expected yet."}
	}
	newest, found, known := in.newestPublication()
	switch {
	case found:
		days := in.daysSince(newest.at)
		s.elapsed = true
		s.value = float64(days)
		what := newest.what
		if newest.version != "" {
			what += " " + clean(newest.version)
		}
		s.reason = "Latest: " + what + ", " + ago(days) + " (" + text.Day(newest.at) + ")."
		s.evidence = []registry.Evidence{newest.evidence}
		switch newest.evidence.Type {
		case "package":
			s.source, s.at = "packages", at(&in.times.packages)
		case "registry":
			s.source, s.at = "official-registry", at(&in.times.listing)
		}
	case known:
		return notApplicable("No release, tag or published version was found.")
	default:
		return unknown("Releases and published versions, or their dates, were not read.")
	}
	return s
}

// releaseAdvice returns none if nothing was committed since the latest release.
func (in *input) releaseAdvice(*signal) string {
	newest, found, _ := in.newestPublication()
	last, _, known := in.lastCommit(in.activity)
	switch {
	case found && known && !last.After(newest.at):
		return ""
	case found && newest.version != "":
		return "Release what was committed since " + clean(newest.version) + "."
	}
	return "Release the default branch."
}

func (in *input) responsiveness(s signal) signal {
	if e := in.f.Repo.IssuesEnabled; e != nil && !*e {
		return signal{state: StateWithheld, reason: "Issues are disabled.",
			fix: "Enable issues.", at: at(&in.times.repo)}
	}
	a := in.issues
	if a == nil {
		return unknown("Issues and pull requests were not read recently.")
	}
	opened := max(0, a.Opened)
	answered := min(max(0, a.Answered), opened)
	if opened < 3 {
		return notApplicable(fmt.Sprintf(
			"Too few issues and pull requests from outside in half a year to judge: %d.", opened))
	}
	s.value = float64(answered+1) / float64(opened+2)
	s.reason = fmt.Sprintf("%d of %d issues and pull requests from outside were answered within 14 days.",
		answered, opened)
	for _, number := range slices.Sorted(slices.Values(a.Unanswered)) {
		page := in.f.Repo.Ref().IssueURL(strconv.Itoa(number))
		if page != "" && len(s.evidence) < fewIssues {
			s.evidence = append(s.evidence,
				registry.Evidence{Type: "issue", Ref: fmt.Sprintf("#%d", number), URL: page})
		}
	}
	return s
}

const fewIssues = 5 // that evidence and advice name

func (in *input) answerAdvice(*signal) string {
	var refs []string
	for _, number := range slices.Sorted(slices.Values(in.issues.Unanswered)) {
		refs = append(refs, fmt.Sprintf("#%d", number))
	}
	if len(refs) == 0 {
		return "Answer issues and pull requests from outside within two weeks."
	}
	return "Answer or label " + some(refs, fewIssues) + "."
}
