package scorer

import (
	"time"

	"mcpcensus/internal/registry"
)

// input holds the facts on one server that are recent enough to count.
type input struct {
	f     *registry.Facts
	today int64 // current day, in days since 1970
	age   int   // of the server in days, -1 if unknown

	tree     *registry.TreeFacts
	readme   *registry.ReadmeFacts
	activity *registry.Activity
	issues   *registry.IssueActivity
	listing  *registry.Listing
	sdk      *registry.SDKRelease

	packages  []pkg
	published bool // one of packages is known to exist
	allKnown  bool // of every package it is known whether it exists
	remotes   int
	times     *times
	lacks     []string // what the server lacks to be stable, for advice
}

// pkg is a package that the files, the registry entry or a package service attribute to the
// server.
type pkg struct {
	registryType, identifier string
	facts                    *registry.PackageFacts // nil if unknown or too old
	listed                   bool                   // in the official registry's entry
	unnamed                  bool                   // the repository does not name it
	found, missing           bool
}

// times are the observation times of the sources. They are separate from the facts, so that a
// verdict does not retain the facts.
type times struct {
	repo, tree, readme, activity, issues, listing, sdk, packages time.Time
}

// newInput returns the facts that are young enough to count on the day of now.
func newInput(f *registry.Facts, now time.Time) *input {
	in := &input{f: f, today: day(now), age: -1, times: &times{}}
	in.times.repo = f.Repo.ObservedAt
	in.readFiles()
	in.readActivity()
	in.readListing()
	in.issues, in.times.issues = young(in, f.Issues, maxAgeIssues,
		func(v *registry.IssueActivity) time.Time { return v.ObservedAt })
	in.sdk, in.times.sdk = young(in, f.SDK, maxAgeSDK,
		func(v *registry.SDKRelease) time.Time { return v.ObservedAt })
	in.gatherPackages()
	in.remotes = len(f.Detection.Remotes)
	if in.listing != nil {
		in.remotes = max(in.remotes, len(in.listing.Remotes))
	}
	in.age = in.serverAge()
	return in
}

// young returns a fact and when it was observed; nil if that is more than days ago.
func young[T any](in *input, fact *T, days int64, observedAt func(*T) time.Time) (*T, time.Time) {
	if fact == nil {
		return nil, time.Time{}
	}
	at := in.seen(observedAt(fact))
	if in.tooOld(at, days) {
		return nil, at
	}
	return fact, at
}

// readFiles sets the facts that depend on files of the repository.
func (in *input) readFiles() {
	f, t := in.f, in.times
	if v := f.Tree; v != nil {
		t.tree = in.seenWithHead(v.ObservedAt)
		if in.stands(t.tree, v.ObservedAt) {
			in.tree = v
		}
	}
	if v := f.Readme; v != nil {
		t.readme = in.seenWithHead(v.ObservedAt)
		if in.stands(t.readme, v.ObservedAt) {
			in.readme = v
		}
	}
	if in.tree != nil && f.Readme == nil && f.Failures["readme"] == "" {
		// The files were listed and read, and there was none.
		in.readme, t.readme = &registry.ReadmeFacts{}, t.tree
	}
}

// stands reports whether a fact on files, observed at one time and confirmed later, counts.
func (in *input) stands(confirmed, observed time.Time) bool {
	return !in.tooOld(confirmed, maxAgeMoved) || in.headSince(observed)
}

func (in *input) readActivity() {
	v := in.f.Activity
	if v == nil {
		return
	}
	in.times.activity = in.seenWithHead(v.ObservedAt)
	most := int64(maxAgeActivity)
	if !in.headSince(v.ObservedAt) {
		most = maxAgeMoved
	}
	if !in.tooOld(in.times.activity, most) {
		in.activity = v
	}
}

// readListing sets the entry in the official registry, whose changes are read. With
// ListingKnown all had been read when the facts were collected, which confirms an unchanged
// entry.
func (in *input) readListing() {
	v := in.f.Listing
	if v == nil {
		if in.f.ListingKnown { // that there is none
			in.times.listing = in.f.Repo.ObservedAt
		}
		return
	}
	at := in.seen(v.ObservedAt)
	if repo := in.f.Repo.ObservedAt; in.f.ListingKnown && repo.After(at) {
		at = repo
	}
	in.times.listing = at
	if !in.tooOld(at, maxAgeListing) {
		in.listing = v
	}
}

// seen returns when a fact was observed: a zero time means with the snapshot.
func (in *input) seen(at time.Time) time.Time {
	if at.IsZero() {
		return in.f.Repo.ObservedAt
	}
	return at
}

// headSince reports whether the head of the default branch has not moved since at, judged by
// the commit's date.
func (in *input) headSince(at time.Time) bool {
	c := in.f.Repo.CommittedAt
	return at.IsZero() || c == nil || !c.After(at)
}

// seenWithHead is seen for a fact that cannot change while the head stays the same: each visit
// with the same head confirms it.
func (in *input) seenWithHead(at time.Time) time.Time {
	at = in.seen(at)
	if repo := in.f.Repo.ObservedAt; repo.After(at) && in.headSince(at) {
		return repo
	}
	return at
}

// tooOld reports whether a fact was observed more than the given days ago.
func (in *input) tooOld(at time.Time, days int64) bool {
	return !at.IsZero() && in.today-day(at) > days
}

// daysSince returns whole UTC days, 0 for a time in the future.
func (in *input) daysSince(t time.Time) int {
	return int(min(max(0, in.today-day(t)), 1<<20))
}

// day returns the number of the UTC day of t, counted from 1970.
func day(t time.Time) int64 {
	s := t.Unix()
	if s < 0 {
		s -= 86399
	}
	return s / 86400
}

// serverAge returns the age of the server in days: since the creation of the repository, for a
// subfolder since its first commit. Without either, it is the time since the first
// publication, a lower bound. It is -1 if unknown.
func (in *input) serverAge() int {
	f := in.f
	if !f.Repo.CreatedAt.IsZero() {
		since := f.Repo.CreatedAt
		if f.Detection.Subfolder != "" && f.Activity != nil && f.Activity.FirstCommitAt != nil &&
			f.Activity.FirstCommitAt.After(since) {
			since = *f.Activity.FirstCommitAt
		}
		return in.daysSince(since)
	}
	if f.Activity != nil && f.Activity.FirstCommitAt != nil {
		return in.daysSince(*f.Activity.FirstCommitAt)
	}
	age := -1
	for i := range f.Packages {
		if at := f.Packages[i].FirstAt; at != nil && f.Packages[i].RegistryType != registry.ProjectType {
			age = max(age, in.daysSince(*at))
		}
	}
	return age
}

// gatherPackages joins the packages in the files and in the official registry's entry with the
// facts of package services.
func (in *input) gatherPackages() {
	for i := range in.f.Detection.Packages {
		p := &in.f.Detection.Packages[i]
		in.pkg(p.RegistryType, p.Identifier).unnamed = p.Doubt == registry.DoubtUnnamed
	}
	if l := in.listing; l != nil {
		for i := range l.Packages {
			p := in.pkg(l.Packages[i].RegistryType, l.Packages[i].Identifier)
			p.listed = p.listed || l.Status == "active"
		}
	}
	for i := range in.f.Packages {
		in.addFacts(&in.f.Packages[i])
	}
	in.allKnown = true
	for i := range in.packages {
		p := &in.packages[i]
		switch {
		case p.exists():
			p.found = true
		case p.facts != nil && p.facts.Found != nil:
			p.missing = true
		case p.listed && (p.facts == nil || p.facts.FirstAt == nil && !p.facts.Missing()):
			// The official registry verified the package when the entry was published. Later
			// facts of the service take precedence.
			p.found = true
		default:
			in.allKnown = false
		}
		in.published = in.published || p.found
	}
}

// pkg returns a package of the server, which it adds if it is not there. It is
// valid until the next call.
func (in *input) pkg(registryType, identifier string) *pkg {
	for i := range in.packages {
		if p := &in.packages[i]; p.registryType == registryType && p.identifier == identifier {
			return p
		}
	}
	in.packages = append(in.packages, pkg{registryType: registryType, identifier: identifier})
	return &in.packages[len(in.packages)-1]
}

// addFacts adds a package's facts, unless they are too old.
func (in *input) addFacts(f *registry.PackageFacts) {
	if f.RegistryType == registry.ProjectType {
		return // facts about the repository, not about a package
	}
	p := in.pkg(f.RegistryType, f.Identifier)
	at := in.f.Repo.ObservedAt
	if f.ObservedAt != nil {
		at = *f.ObservedAt
		if in.tooOld(at, maxAgePackages) {
			return
		}
	}
	p.facts = f
	if at.After(in.times.packages) {
		in.times.packages = at
	}
}

// at returns a pointer to t for a check, nil if the time is not known.
func at(t *time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return t
}

func (in *input) file(path, text string) []registry.Evidence {
	return []registry.Evidence{{Type: "file", Ref: clean(path), URL: in.fileURL(path), Text: text}}
}

func (in *input) fileURL(path string) string {
	if path == "" {
		return ""
	}
	return in.f.Repo.Ref().BlobURL(in.f.Repo.Commit, path)
}

func (in *input) commit(id string) []registry.Evidence {
	if id == "" {
		return nil
	}
	return []registry.Evidence{{Type: "commit", Ref: clean(id), URL: in.f.Repo.Ref().CommitURL(id)}}
}
