package scorer

import (
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mcpcensus/internal/registry"
)

// An input is one server's facts, as far as they are young enough to count.
type input struct {
	f     *registry.Facts
	today int64 // days since 1970 of the day it is
	age   int   // of the server in days, -1 if unknown

	tree     *registry.TreeFacts
	readme   *registry.ReadmeFacts
	activity *registry.Activity
	issues   *registry.IssueActivity
	listing  *registry.Listing
	sdk      *registry.SDKRelease
	probe    *registry.RemoteProbe

	packages  []pkg
	few       [4]pkg // room for packages
	published bool   // one of packages is known to exist
	allKnown  bool   // of every package it is known whether it exists
	remotes   int
	times     *times
}

// A pkg is a package that the server is said to have.
type pkg struct {
	registryType, identifier string
	facts                    *registry.PackageFacts // nil if unknown or too old
	listed                   bool                   // in the official registry's entry, which checks that it exists
	found, missing           bool
}

// times are when each source was seen. They are kept apart from the facts, so
// that a verdict does not keep the facts in memory.
type times struct {
	repo, tree, readme, activity, issues, listing, sdk, probe, packages time.Time
}

func newInput(f *registry.Facts, now time.Time) *input {
	in := &input{f: f, today: day(now), age: -1, times: &times{}}
	t := in.times
	t.repo = f.Repo.ObservedAt
	if v := f.Tree; v != nil {
		t.tree = in.seenWithHead(v.ObservedAt)
		if !in.tooOld(t.tree, maxAgeMoved) || in.headSince(v.ObservedAt) {
			in.tree = v
		}
	}
	if v := f.Readme; v != nil {
		t.readme = in.seenWithHead(v.ObservedAt)
		if !in.tooOld(t.readme, maxAgeMoved) || in.headSince(v.ObservedAt) {
			in.readme = v
		}
	}
	if in.tree != nil && f.Readme == nil && f.Failures["tree"] == "" && f.Failures["texts"] == "" && f.Failures["readme"] == "" {
		// The files were listed and read, and there was none.
		in.readme, t.readme = &registry.ReadmeFacts{}, t.tree
	}
	if v := f.Activity; v != nil {
		t.activity = in.seenWithHead(v.ObservedAt)
		most := int64(maxAgeActivity)
		if !in.headSince(v.ObservedAt) {
			most = maxAgeMoved
		}
		if !in.tooOld(t.activity, most) {
			in.activity = v
		}
	}
	if v := f.Issues; v != nil {
		t.issues = in.seen(v.ObservedAt)
		if !in.tooOld(t.issues, maxAgeIssues) {
			in.issues = v
		}
	}
	if v := f.Listing; v != nil {
		t.listing = in.seen(v.ObservedAt)
		// The official registry is read by its changes. With ListingKnown it
		// had been when the facts were put together, and an entry that has
		// not changed since is confirmed by that.
		if repo := f.Repo.ObservedAt; f.ListingKnown && repo.After(t.listing) {
			t.listing = repo
		}
		if !in.tooOld(t.listing, maxAgeListing) {
			in.listing = v
		}
	}
	if v := f.SDK; v != nil {
		t.sdk = in.seen(v.ObservedAt)
		if !in.tooOld(t.sdk, maxAgeSDK) {
			in.sdk = v
		}
	}
	if v := f.Probe; v != nil {
		t.probe = in.seen(v.ObservedAt)
		if !in.tooOld(t.probe, maxAgeProbe) {
			in.probe = v
		}
	}
	in.gatherPackages()
	in.remotes = len(f.Detection.Remotes)
	if in.listing != nil {
		in.remotes = max(in.remotes, len(in.listing.Remotes))
	}
	in.age = in.serverAge()
	return in
}

// seen returns when a fact was observed: a zero time means with the snapshot.
func (in *input) seen(at time.Time) time.Time {
	if at.IsZero() {
		return in.f.Repo.ObservedAt
	}
	return at
}

// headSince says that the head of the default branch has not moved since at,
// as far as the commit's date tells.
func (in *input) headSince(at time.Time) bool {
	c := in.f.Repo.CommittedAt
	return at.IsZero() || c == nil || !c.After(at)
}

// seenWithHead is seen for a fact that cannot change while the head stands:
// each visit that finds the same head confirms it.
func (in *input) seenWithHead(at time.Time) time.Time {
	at = in.seen(at)
	if repo := in.f.Repo.ObservedAt; repo.After(at) && in.headSince(at) {
		return repo
	}
	return at
}

// tooOld says that a fact was seen more than so many days ago.
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

// serverAge returns the age of the server in days: of the repository as its
// host says it, of a subfolder since its first commit. Without either, the
// first publication says the least it can be. -1 if nothing is known.
func (in *input) serverAge() int {
	f := in.f
	if !f.Repo.CreatedAt.IsZero() {
		since := f.Repo.CreatedAt
		if f.Detection.Subfolder != "" && f.Activity != nil && f.Activity.FirstCommitAt != nil && f.Activity.FirstCommitAt.After(since) {
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

// gatherPackages joins the packages that the files name, those of the
// official registry's entry, and what the package services know of them.
func (in *input) gatherPackages() {
	list := in.few[:0]
	add := func(registryType, identifier string, listed bool) {
		for i := range list {
			if list[i].registryType == registryType && list[i].identifier == identifier {
				list[i].listed = list[i].listed || listed
				return
			}
		}
		list = append(list, pkg{registryType: registryType, identifier: identifier, listed: listed})
	}
	for i := range in.f.Detection.Packages {
		p := &in.f.Detection.Packages[i]
		add(p.RegistryType, p.Identifier, false)
	}
	if l := in.listing; l != nil {
		for i := range l.Packages {
			p := &l.Packages[i]
			add(p.RegistryType, p.Identifier, l.Status == "active")
		}
	}
	for i := range in.f.Packages {
		p := &in.f.Packages[i]
		if p.RegistryType == registry.ProjectType {
			continue // facts about the repository, not about a package
		}
		add(p.RegistryType, p.Identifier, false)
		if p.ObservedAt != nil && in.tooOld(*p.ObservedAt, maxAgePackages) {
			continue
		}
		for j := range list {
			if list[j].registryType == p.RegistryType && list[j].identifier == p.Identifier {
				list[j].facts = p
				at := in.f.Repo.ObservedAt
				if p.ObservedAt != nil {
					at = *p.ObservedAt
				}
				if at.After(in.times.packages) {
					in.times.packages = at
				}
			}
		}
	}
	in.allKnown = true
	for i := range list {
		p := &list[i]
		switch {
		case p.facts != nil && (p.facts.Found != nil && *p.facts.Found || p.facts.Found == nil && p.facts.Latest != ""):
			p.found = true
		case p.listed && (p.facts == nil || p.facts.FirstAt == nil):
			// The official registry has asked the package's own service. Others
			// that have never known it do not outweigh that; if they did once,
			// it was taken back.
			p.found = true
		case p.facts != nil && p.facts.Found != nil:
			p.missing = true
		default:
			in.allKnown = false
		}
		in.published = in.published || p.found
	}
	in.packages = list
}

// at returns a pointer to t for a check, nil if the time is not known.
func at(t *time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return t
}

// failed returns a sentence on why a source could not be read, or otherwise.
func (in *input) failed(otherwise string, names ...string) string {
	for _, name := range names {
		if why := in.f.Failures[name]; why != "" {
			return otherwise + " Last try: " + strings.TrimSuffix(clean(why), ".") + "."
		}
	}
	return otherwise
}

// file returns evidence of a file of the repository.
func (in *input) file(path, text string) []registry.Evidence {
	return []registry.Evidence{{Type: "file", Ref: clean(path), URL: in.fileURL(path), Text: text}}
}

func (in *input) fileURL(path string) string {
	if path == "" {
		return ""
	}
	return in.f.Repo.Ref().BlobURL(in.f.Repo.Commit, path)
}

// commit returns evidence of a commit.
func (in *input) commit(id string) []registry.Evidence {
	if id == "" {
		return nil
	}
	return []registry.Evidence{{Type: "commit", Ref: clean(id), URL: in.f.Repo.Ref().CommitURL(id)}}
}

// maxText is the most characters of an outside text that a reason quotes.
const maxText = 200

// clean returns an outside text fit to stand in a sentence and in a database:
// valid UTF-8 of one line without control characters, at most maxText
// characters.
func clean(s string) string {
	plain := len(s) <= maxText
	for i := 0; plain && i < len(s); i++ {
		plain = s[i] >= ' ' && s[i] < 0x7f
	}
	if plain {
		return s
	}
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n == maxText {
			b.WriteString("…")
			break
		}
		switch {
		case r == utf8.RuneError:
			r = '?'
		case unicode.IsSpace(r):
			r = ' '
		case !unicode.IsPrint(r):
			continue
		}
		b.WriteRune(r)
		n++
	}
	return strings.TrimSpace(b.String())
}

func date(t time.Time) string { return t.UTC().Format("2006-01-02") }

// count returns "1 day", "28 days", "2 advisories".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, y := strings.CutSuffix(noun, "ry"); y {
		return strconv.Itoa(n) + " " + stem + "ries"
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// sentence gives s a capital in front.
func sentence(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

// link returns an outside address if a page may link to it, or "".
func link(address string) string {
	if len(address) > 500 || !strings.HasPrefix(address, "https://") || clean(address) != address && len(address) <= maxText {
		return ""
	}
	if u, err := url.Parse(address); err != nil || u.Host == "" {
		return ""
	}
	return address
}

// service returns the name of a package service as its users write it.
func service(registryType string) string {
	switch registryType {
	case "pypi":
		return "PyPI"
	case "oci":
		return "OCI"
	case "nuget":
		return "NuGet"
	case "mcpb":
		return "MCPB"
	}
	return clean(registryType)
}

// ago returns "today", "1 day ago", "28 days ago".
func ago(days int) string {
	if days == 0 {
		return "today"
	}
	return count(days, "day") + " ago"
}

// some returns the first few of a list, joined with commas.
func some(list []string, few int) string {
	var b strings.Builder
	for i, s := range list {
		if i == few {
			b.WriteString(" and ")
			b.WriteString(strconv.Itoa(len(list) - few))
			b.WriteString(" more")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(clean(s))
	}
	return b.String()
}
