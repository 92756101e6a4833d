package jobs

import (
	"math/rand/v2"
	"time"

	"mcpcensus/internal/registry"
)

// Bounds of the time between probes of a repository, which is half of the smoothed
// time between its changes.
const (
	soonest     = 6 * time.Hour
	latest      = 14 * 24 * time.Hour
	latestQuiet = 30 * 24 * time.Hour // archived, empty, or without a server
)

// untilNext returns the time until a repository's next probe: half of the smoothed days
// between its changes, or of the days since the last one if that is longer, with 15% jitter.
func untilNext(
	r *registry.Repository, holdsServer bool, interval float64, changed, now time.Time,
) time.Duration {
	days := interval
	if quiet := now.Sub(changed).Hours() / 24; !changed.IsZero() && quiet > days {
		days = quiet
	}
	bound := latest
	if r.Archived || !holdsServer {
		bound = latestQuiet
		days *= 2
	}
	next := time.Duration(days / 2 * float64(24*time.Hour))
	next = max(soonest, min(next, bound))
	next = time.Duration(float64(next) * (0.85 + 0.3*rand.Float64()))
	if next > bound {
		next = 2*bound - next // facts must not become older than the bound
	}
	return next
}

// smoothed returns the exponentially weighted number of days between changes of a
// repository that has just been read in full.
func smoothed(w registry.Work, snap *registry.Snapshot, now time.Time) float64 {
	gap := now.Sub(lastChange(w, snap)).Hours() / 24
	if w.Stored != nil && w.Stored.Repo.Commit == snap.Repo.Commit {
		return w.Interval // fetched for another reason
	}
	if w.ChangedAt != nil {
		gap = now.Sub(*w.ChangedAt).Hours() / 24
	}
	gap = max(gap, 0.25)
	if w.Interval == 0 {
		return gap
	}
	return 0.7*w.Interval + 0.3*gap
}

// lastChange returns when the repository last changed, as far as is known.
func lastChange(w registry.Work, snap *registry.Snapshot) time.Time {
	changed := snap.Repo.PushedAt
	if c := snap.Repo.CommittedAt; c != nil {
		changed = *c // pushes to other branches do not count
	}
	if w.Stored != nil && w.Stored.Repo.Commit == snap.Repo.Commit && w.ChangedAt != nil &&
		w.ChangedAt.After(changed) {
		changed = *w.ChangedAt
	}
	return changed
}
