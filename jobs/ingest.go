package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"mcpcensus/crawler/detect"
	"mcpcensus/crawler/read"
	"mcpcensus/internal/registry"
)

// A repository counts as gone after goneAfterMisses misses over goneAfter: a single
// 404 can be an outage, a wrong token or a rename in progress.
const (
	goneAfterMisses = 3
	goneAfter       = 72 * time.Hour
	missRetry       = 30 * time.Hour
)

// FactSource has the facts of other sources on repositories and packages, as postgres.DB does.
type FactSource interface {
	ListingsOfRepo(ctx context.Context, repoKey string, hostID int64) ([]registry.Listing, error)
	PackageFacts(
		ctx context.Context, keys []registry.PackageKey,
	) (map[registry.PackageKey]registry.PackageFacts, error)
	EnqueuePackages(ctx context.Context, keys []registry.PackageKey, now time.Time) error
	SourceState(ctx context.Context, name string) (registry.SourceState, error)
	FormerNames(ctx context.Context, host string, hostID int64) ([]string, error)
}

// Results stores the results of visits.
type Results interface {
	ScoreStore
	// SaveResult returns registry.ErrLeaseLost if another worker has the lease.
	SaveResult(ctx context.Context, r registry.Result) error
	ScoredOfRepo(ctx context.Context, repoID int64) ([]registry.Scored, error)
}

// An Ingester turns visits into stored results.
type Ingester struct {
	Facts   FactSource
	Results Results // used by Ingest only
	// SDK compares the SDK version in use with the latest one. A nil SDK leaves it
	// unknown.
	SDK   func(ctx context.Context, d registry.Detection) (*registry.SDKRelease, error)
	Hosts Hosts
	// Reader reads the files of repositories that Strikes allow.
	Reader  *read.Pool
	Strikes *read.Strikes
	// Texts returns the stored texts of a repository, for files that a visit did
	// not read because they are unchanged.
	Texts func(ctx context.Context, repoID int64) (map[string]string, error)
	Log   *slog.Logger
	Now   func() time.Time

	registryRead struct {
		sync.Mutex
		known bool
		at    time.Time
	}
}

// Ingest stores the result of a visit. It returns errors of the store; a failed
// visit is stored as such.
func (in *Ingester) Ingest(ctx context.Context, v registry.Visit) error {
	result, err := in.result(ctx, v)
	if err != nil {
		return fmt.Errorf("%s: %w", v.Work.Ref, err)
	}
	if s := v.Snapshot; s != nil && len(s.Failures) > 0 {
		in.Log.InfoContext(ctx, "parts of a repository not read", "repository", v.Work.Ref.String(),
			"causes", s.Failures)
	}
	if err := in.Results.SaveResult(ctx, result); errors.Is(err, registry.ErrLeaseLost) {
		in.Log.DebugContext(ctx, "lost the lease to another worker", "repository", v.Work.Ref)
	} else if err != nil {
		return fmt.Errorf("%s: %w", v.Work.Ref, err)
	} else if err := in.settle(ctx, result); err != nil {
		return fmt.Errorf("%s: %w", v.Work.Ref, err)
	}
	return nil
}

// settle scores the servers of a stored result again if new facts of their packages
// arrived in the meantime: the job that stored them did not see the new servers.
func (in *Ingester) settle(ctx context.Context, r registry.Result) error {
	var keys []registry.PackageKey
	used := map[registry.PackageKey]registry.PackageFacts{}
	for _, s := range r.Scored {
		keys = append(keys, packageKeys(s.Facts)...)
		for _, p := range s.Facts.Packages {
			used[registry.PackageKey{RegistryType: p.RegistryType, Identifier: p.Identifier}] = p
		}
	}
	if len(keys) == 0 {
		return nil
	}
	known, err := in.Facts.PackageFacts(ctx, keys)
	if err != nil {
		return err
	}
	var late []registry.PackageKey
	for key, now := range known {
		then := used[key]
		if key.RegistryType != registry.ProjectType &&
			!(sameTime(now.ObservedAt, then.ObservedAt) &&
				sameTime(now.DownloadsObservedAt, then.DownloadsObservedAt)) {
			late = append(late, key)
		}
	}
	if len(late) == 0 {
		return nil
	}
	return settlePackages(ctx, in.Results, late, in.Now())
}

func sameTime(a, b *time.Time) bool {
	return a == b || a != nil && b != nil && a.Equal(*b)
}

// result returns what to store for a visit.
func (in *Ingester) result(ctx context.Context, v registry.Visit) (registry.Result, error) {
	now := in.Now()
	r := registry.Result{Visit: v, Now: now, Interval: v.Work.Interval}
	switch v.Outcome {
	case registry.Fetched:
		return in.fetched(ctx, r)
	case registry.ListedOnly:
		return in.listed(ctx, r)
	case registry.Unchanged:
		return in.unchanged(ctx, r)
	case registry.Missing:
		return in.missing(ctx, r)
	case registry.Blocked:
		r.State, r.Reason = "blocked", "The code host withholds the repository ("+v.Blocked+")."
		r.NextAt = now.Add(30 * 24 * time.Hour)
		r.Scored = []registry.Scored{}
		return r, nil
	default:
		if failure, ok := errors.AsType[*read.Failure](v.Err); ok {
			return in.unreadable(r, failure), nil
		}
		r.Reason = reason(v.Err)
		r.NextAt = now.Add(backoff(v.Work.Attempt))
		return r, nil
	}
}

// fetched detects and scores the servers of a full snapshot.
func (in *Ingester) fetched(ctx context.Context, r registry.Result) (registry.Result, error) {
	snap := r.Visit.Snapshot
	if snap.TextsStored && in.Texts != nil {
		var err error
		if snap.Texts, err = in.Texts(ctx, r.Visit.Work.ID); err != nil {
			return r, err
		}
	}
	scored, verdict, err := in.readOnce(ctx, &r.Visit.Work, snap)
	failure, failed := errors.AsType[*read.Failure](err)
	switch ended := failed && failure.Incomplete(); {
	case failed && !ended:
		return in.unreadable(r, failure), nil
	case err != nil && !ended:
		return r, err
	}
	r.State, r.Reason = verdict.State, verdict.Reason
	r.Scored = scored
	if r.Scored == nil {
		r.Scored = []registry.Scored{}
	}
	r.Interval = smoothed(r.Visit.Work, snap, r.Now)
	r.NextAt = afterFetch(r)
	if failed {
		r = unfinished(r, failure)
	}
	return r, nil
}

// afterFetch returns the time of the next visit after a full snapshot.
func afterFetch(r registry.Result) time.Time {
	snap := r.Visit.Snapshot
	r.NextAt = r.Now.Add(untilNext(&snap.Repo, r.State == "server", r.Interval,
		lastChange(r.Visit.Work, snap), r.Now))
	if soon := r.Now.Add(24 * time.Hour); r.NextAt.After(soon) && keepsOldCommits(snap, r.Now) {
		r.NextAt = soon
	}
	if later := r.Now.Add(issuesDelay); r.Visit.Again && r.State == "server" &&
		r.NextAt.After(later) {
		r.NextAt = later
	}
	return r.NextAt
}

// issuesDelay is the time until the visit that reads issues, after a repository was read in full:
// it is long enough for the others to be read first.
const issuesDelay = 10 * time.Minute

// keepsOldCommits reports whether a snapshot has the commits of an earlier visit,
// because this one did not get them, and these are not too old.
func keepsOldCommits(snap *registry.Snapshot, now time.Time) bool {
	for path, a := range snap.Activity {
		part := "activity"
		if path != "" {
			part += " of " + path
		}
		if age := now.Sub(a.ObservedAt); snap.Failures[part] != "" && age > 0 && age < latestQuiet {
			return true
		}
	}
	return false
}

// listed makes the servers of a repository that was never visited from its entries
// in the official registry.
func (in *Ingester) listed(ctx context.Context, r registry.Result) (registry.Result, error) {
	w := r.Visit.Work
	snap := &registry.Snapshot{Repo: registry.Repository{Host: w.Ref.Host, ID: w.HostID,
		Owner: w.Ref.Owner, Name: w.Ref.Name}}
	scored, verdict, err := in.detect(ctx, snap, &w) // of no files
	if err != nil {
		return r, err
	}
	wait := time.Hour
	if e, ok := errors.AsType[*registry.Error](r.Visit.Err); ok && e.RetryAfter > 0 {
		wait = e.RetryAfter
	}
	r.NextAt = r.Now.Add(wait)
	r.Reason = reason(r.Visit.Err)
	r.Visit.Err = nil // waiting for a visit is not a failure
	if len(scored) > 0 {
		r.State, r.Scored = verdict.State, scored
	}
	return r, nil
}

// unchanged updates the counts of the stored servers.
func (in *Ingester) unchanged(ctx context.Context, r registry.Result) (registry.Result, error) {
	w := r.Visit.Work
	stored, err := in.Results.ScoredOfRepo(ctx, w.ID)
	if err != nil {
		return r, err
	}
	probe := r.Visit.Snapshot.Repo
	listings, err := in.Facts.ListingsOfRepo(ctx, w.Ref.Key(), w.HostID)
	if err != nil {
		return r, err
	}
	for _, s := range stored {
		f := s.Facts
		f.Repo.Stars, f.Repo.Forks = probe.Stars, probe.Forks
		f.Repo.UpdatedAt, f.Repo.PushedAt = probe.UpdatedAt, probe.PushedAt
		f.Repo.Owner, f.Repo.Name = probe.Owner, probe.Name
		f.Repo.Archived, f.Repo.ArchivedAt, f.Repo.Disabled = probe.Archived, probe.ArchivedAt,
			probe.Disabled
		f.Repo.ObservedAt = probe.ObservedAt
		f.Missing, f.Gone, f.Blocked = nil, false, ""
		f = withIssues(f, r.Visit.Snapshot)
		f.Listing = listingOf(listings, &f.Repo, f.Detection)
		if f.SDK == nil || r.Now.Sub(f.SDK.ObservedAt) > sdkAge {
			f = in.withSDK(ctx, f)
		}
		if f, err = in.complete(ctx, f); err != nil {
			return r, err
		}
		r.Scored = append(r.Scored, rescored(s, f, r.Now))
		r.State = "server"
	}
	r.NextAt = r.Now.Add(untilNext(&probe, len(stored) > 0, r.Interval,
		lastChange(w, r.Visit.Snapshot), r.Now))
	if soon := r.Now.Add(jittered(24 * time.Hour)); r.Visit.Again && r.NextAt.After(soon) {
		r.NextAt = soon
	}
	return r, nil
}

// withIssues adds the issues of a visit, or why they could not be read.
func withIssues(f registry.Facts, snap *registry.Snapshot) registry.Facts {
	if why := snap.Failures["issues"]; why != "" {
		f.Failures = with(f.Failures, "issues", why)
	} else if snap.Issues != nil {
		f.Issues = snap.Issues
		f.Failures = maps.Clone(f.Failures)
		delete(f.Failures, "issues")
	}
	return f
}

// missing counts a miss. The servers stay listed as unreachable until the
// repository counts as gone.
func (in *Ingester) missing(ctx context.Context, r registry.Result) (registry.Result, error) {
	w := r.Visit.Work
	since := r.Now
	if w.MissingSince != nil {
		since = *w.MissingSince
	}
	gone := w.Misses+1 >= goneAfterMisses && r.Now.Sub(since) >= goneAfter
	r.Reason = "The code host has no such repository."
	r.NextAt = r.Now.Add(missRetry)
	if gone {
		r.State = "gone"
		r.NextAt = r.Now.Add(30 * 24 * time.Hour)
	}
	stored, err := in.Results.ScoredOfRepo(ctx, w.ID)
	if err != nil {
		return r, err
	}
	for _, s := range stored {
		f := s.Facts
		f.Missing, f.Gone = &since, gone
		r.Scored = append(r.Scored, rescored(s, f, r.Now))
	}
	return r, nil
}

// Detect finds and scores the servers of a snapshot, with the stored facts of their
// packages and the official registry. New packages are queued.
func (in *Ingester) Detect(
	ctx context.Context, snap *registry.Snapshot,
) ([]registry.Scored, detect.Result, error) {
	return in.detect(ctx, snap, new(registry.Work))
}

// detect is Detect for a visit.
func (in *Ingester) detect(
	ctx context.Context, snap *registry.Snapshot, w *registry.Work,
) ([]registry.Scored, detect.Result, error) {
	listings, err := in.Facts.ListingsOfRepo(ctx, snap.Repo.Ref().Key(), snap.Repo.ID)
	if err != nil {
		return nil, detect.Result{}, err
	}
	verdict, err := in.Reader.Servers(ctx, snap, listings)
	if err != nil {
		return nil, detect.Result{}, err
	}
	if snap.Repo.Empty {
		verdict.State, verdict.Reason = "empty", "The repository has no commit."
	}
	if err := in.keepLonger(ctx, snap, w, verdict); err != nil {
		return nil, verdict, err
	}
	in.followFolders(ctx, snap, w.Stored, verdict)
	var scored []registry.Scored
	for _, d := range verdict.Servers {
		f := registry.Facts{
			Repo: snap.Repo, Detection: d.Detection, Readme: d.Readme, Issues: snap.Issues,
			Listing: listingOf(listings, &snap.Repo, d.Detection), Failures: snap.Failures,
		}
		if d.HasTree() {
			f.Tree = &d.Tree
		}
		if a, ok := snap.Activity[d.Detection.Subfolder]; ok {
			f.Activity = &a
		}
		if d.ReadmeUnread {
			f.Failures = with(f.Failures, "readme", "the repository has more files than are read")
		}
		if why := snap.Failures[activityOf(d.Detection.Subfolder)]; why != "" {
			f.Failures = with(f.Failures, "activity", why)
		}
		f = in.withSDK(ctx, f)
		if f, err = in.complete(ctx, f); err != nil {
			return nil, verdict, err
		}
		s := Score(f, in.Now())
		s.Server.Readme = d.ReadmeText
		scored = append(scored, s)
	}
	return scored, verdict, nil
}

// folderRetry is the time between two requests for the commits of a folder that failed. It is
// shorter than the time until the visit that such a failure causes.
const folderRetry = 20 * time.Hour

// followFolders adds the activity below the servers' subfolders to a snapshot. A stored
// activity stays if it cannot be read. The activity of the whole repository does not show that
// of one of its servers.
func (in *Ingester) followFolders(
	ctx context.Context, snap, stored *registry.Snapshot, verdict detect.Result,
) {
	var paths, request []string
	for _, d := range verdict.Servers {
		path := d.Detection.Subfolder
		if _, ok := snap.Activity[path]; ok || path == "" {
			continue
		}
		paths = append(paths, path)
		if !in.failedBefore(path, snap, stored) {
			request = append(request, path)
		}
	}
	if len(paths) == 0 {
		return
	}
	found := in.folderActivity(ctx, snap, request)
	activity := map[string]registry.Activity{}
	if stored != nil {
		for _, path := range paths {
			old, ok := stored.Activity[path]
			if !ok {
				continue
			}
			activity[path] = old
			if a, ok := found[path]; ok && a.FirstCommitAt == nil {
				a.FirstCommitAt = old.FirstCommitAt // does not change
				found[path] = a
			}
		}
	}
	maps.Copy(activity, snap.Activity)
	maps.Copy(activity, found)
	if len(activity) > 0 {
		snap.Activity = activity
	}
}

// failedBefore reports whether a request for the commits of a folder failed less than
// folderRetry ago. It then adds that failure to the snapshot.
func (in *Ingester) failedBefore(path string, snap, stored *registry.Snapshot) bool {
	part := activityOf(path)
	if stored == nil || stored.Failures[part] == "" {
		return false
	}
	at, ok := stored.FailedAt[part]
	if !ok || in.Now().Sub(at) >= folderRetry {
		return false
	}
	snap.Failures = with(snap.Failures, part, stored.Failures[part])
	snap.FailedAt = with(snap.FailedAt, part, at)
	return true
}

// folderActivity requests the activity below folders of a repository. Failures are added
// to the snapshot.
func (in *Ingester) folderActivity(
	ctx context.Context, snap *registry.Snapshot, paths []string,
) map[string]registry.Activity {
	if snap.Repo.Commit == "" || len(paths) == 0 {
		return nil
	}
	found, failures, err := in.Hosts.of(snap.Repo.Host).PathActivity(ctx, snap.Repo, paths)
	for _, path := range paths {
		why := failures[path]
		if _, ok := found[path]; err != nil && !ok {
			why = reason(err)
		}
		if why != "" {
			snap.Failures = with(snap.Failures, activityOf(path), why)
			snap.FailedAt = with(snap.FailedAt, activityOf(path), in.Now())
		}
	}
	return found
}

// activityOf is the name of the activity below a folder in [registry.Snapshot.Failures].
func activityOf(path string) string { return "activity of " + path }

// sdkAge is the maximum age of the comparison of SDK versions.
const sdkAge = 7 * 24 * time.Hour

// withSDK adds how far a server's SDK is behind the latest one. If that cannot be
// determined now, the stored value stays.
func (in *Ingester) withSDK(ctx context.Context, f registry.Facts) registry.Facts {
	if in.SDK == nil || f.Detection.SDKPackage == "" {
		return f
	}
	release, err := in.SDK(ctx, f.Detection)
	if err != nil {
		in.Log.InfoContext(ctx, "SDK releases not read", "repository", f.Repo.Ref().String(), "err", err)
		f.Failures = with(f.Failures, "sdk", reason(err))
		return f
	}
	if f.Failures["sdk"] != "" {
		f.Failures = maps.Clone(f.Failures)
		delete(f.Failures, "sdk")
	}
	if release != nil {
		f.SDK = release
	}
	return f
}

// complete adds the stored facts of a server's packages, and queues the packages
// without any.
func (in *Ingester) complete(ctx context.Context, f registry.Facts) (registry.Facts, error) {
	keys := packageKeys(f)
	if len(keys) > 0 {
		known, err := in.Facts.PackageFacts(ctx, keys)
		if err != nil {
			return f, err
		}
		wanted := slices.DeleteFunc(slices.Clone(keys),
			func(k registry.PackageKey) bool {
				return k.RegistryType != registry.RemoteType &&
					!slices.Contains(registry.FactTypes, k.RegistryType)
			})
		if err := in.Facts.EnqueuePackages(ctx, wanted, in.Now()); err != nil {
			return f, err
		}
		f = withPackages(f, known)
	}
	former, err := in.Facts.FormerNames(ctx, f.Repo.Host, f.Repo.ID)
	if err != nil {
		return f, err
	}
	f.FormerNames = former
	known, err := in.registryKnown(ctx)
	f.ListingKnown = known
	return f, err
}

// packageKeys returns the packages and endpoints of a server, and its repository as a
// project of deps.dev.
func packageKeys(f registry.Facts) []registry.PackageKey {
	var keys []registry.PackageKey
	for _, p := range f.Detection.Packages {
		keys = append(keys, registry.PackageKey{RegistryType: p.RegistryType,
			Identifier: p.Identifier})
	}
	for _, r := range f.Detection.Remotes {
		if key, ok := registry.RemoteKey(r.URL); ok {
			keys = append(keys, key)
		}
	}
	if key, ok := f.Repo.ProjectKey(); ok && f.Repo.Commit != "" {
		keys = append(keys, key)
	}
	return keys
}

// withPackages returns f with the package services' facts, in the order of
// its packages.
func withPackages(
	f registry.Facts, known map[registry.PackageKey]registry.PackageFacts,
) registry.Facts {
	f.Packages, f.Endpoints = nil, nil
	for _, p := range f.Detection.Packages {
		if facts, ok := known[registry.PackageKey{RegistryType: p.RegistryType,
			Identifier: p.Identifier}]; ok {
			f.Packages = append(f.Packages, facts)
		}
	}
	for _, r := range f.Detection.Remotes {
		key, _ := registry.RemoteKey(r.URL)
		if facts, ok := known[key]; ok && facts.Probe != nil {
			f.Endpoints = append(f.Endpoints, facts)
		}
	}
	if key, ok := f.Repo.ProjectKey(); ok {
		if p, ok := known[key]; ok {
			f.Scorecard, f.Project = p.Scorecard, nil
			if f.Repo.Stars == nil {
				f.Project = p.Project
			}
		}
	}
	return f
}

// listingOf returns the official registry's entry of a server, from the entries of the
// repository's owner: the one with its name, its package, or its subfolder.
func listingOf(
	listings []registry.Listing, r *registry.Repository, d registry.Detection,
) *registry.Listing {
	listings = detect.OwnListings(listings, r, d.Marks)
	for _, by := range []func(l registry.Listing) bool{
		func(l registry.Listing) bool { return d.RegistryName != "" && l.Name == d.RegistryName },
		func(l registry.Listing) bool { return samePackage(l.Packages, d.Packages) },
		func(l registry.Listing) bool { return l.Subfolder == d.Subfolder },
	} {
		for i := range listings {
			if by(listings[i]) {
				return &listings[i]
			}
		}
	}
	return nil
}

func samePackage(a, b []registry.Package) bool {
	return slices.ContainsFunc(a, func(p registry.Package) bool {
		return slices.ContainsFunc(b, func(q registry.Package) bool {
			return p.RegistryType == q.RegistryType && p.Identifier == q.Identifier
		})
	})
}

// registryKnown reports whether the official registry has been read in full at
// least once. Before that, the absence of an entry means nothing.
func (in *Ingester) registryKnown(ctx context.Context) (bool, error) {
	in.registryRead.Lock()
	defer in.registryRead.Unlock()
	if in.registryRead.known || in.Now().Sub(in.registryRead.at) < time.Minute {
		return in.registryRead.known, nil
	}
	s, err := in.Facts.SourceState(ctx, OfficialRegistry)
	if err != nil {
		return false, err
	}
	in.registryRead.at = in.Now()
	in.registryRead.known = s.LastSuccess != nil
	return in.registryRead.known, nil
}

// OfficialRegistry is the name of the official registry as a source.
const OfficialRegistry = "official-registry"

// backoff returns the delay after the n-th failed attempt.
func backoff(n int) time.Duration {
	return min(10*time.Minute<<min(n, 7), 24*time.Hour)
}

// reason returns the text of an error for the status, without its causes.
func reason(err error) string {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*registry.Error](err); ok {
		return e.Msg
	}
	return err.Error()
}

func with[V any](m map[string]V, k string, v V) map[string]V {
	out := map[string]V{}
	maps.Copy(out, m)
	out[k] = v
	return out
}
