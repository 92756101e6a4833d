package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

const (
	batchSize = 1000            // leased at a time
	leaseTTL  = time.Minute     // after which a killed worker's repositories are due again
	heartbeat = leaseTTL / 4    // how often leases are renewed
	scorers   = 2               // concurrent scoring and storing of visits
	idlePoll  = 2 * time.Second // how often an idle worker polls
)

// Queue is the queue of repositories, shared by all workers.
type Queue interface {
	Enqueue(ctx context.Context, candidates []registry.Candidate, now time.Time) (added int,
		err error)
	Lease(ctx context.Context, n int, ttl time.Duration, now time.Time) ([]registry.Work, error)
	ExtendLease(
		ctx context.Context, works []registry.Work, ttl time.Duration, now time.Time,
	) ([]registry.Work, error)
	Release(ctx context.Context, works []registry.Work, nextAt time.Time, errText string) error
	Postpone(ctx context.Context, works []registry.Work, nextAt time.Time, why string) error
	EndDeadLeases(ctx context.Context, now time.Time) (ended int, err error)
}

// A Crawler discovers repositories and visits those that are due.
type Crawler struct {
	Ingester
	Queue       Queue
	Discoveries *postgres.DB

	Sources []Source
	Observe Observer
	// Heartbeat is how often leases are renewed; 0 means a quarter of their time.
	Heartbeat time.Duration
}

// Discover continues to read a source until its end or until ctx is done. Progress
// is stored with each batch, so a killed run continues there. limit is the
// maximum number of candidates; 0 means all.
func (c *Crawler) Discover(ctx context.Context, source Source, limit int) (found int, err error) {
	state, err := c.Discoveries.SourceState(ctx, source.Name())
	if err != nil {
		return 0, err
	}
	state.Name = source.Name()
	state.LastStarted = new(c.Now())
	err = source.Discover(ctx, state.Cursor, func(batch []registry.Candidate, cursor []byte) error {
		if limit > 0 && found+len(batch) > limit {
			batch = batch[:limit-found]
		}
		if err := c.take(ctx, batch); err != nil {
			return err
		}
		found += len(batch)
		c.Observe.found(source.Name(), len(batch))
		if limit > 0 && found >= limit {
			return errEnough // the cursor is not stored: the rest of the batch is read next time
		}
		state.Cursor = cursor
		return c.Discoveries.SaveSourceState(ctx, state)
	})
	if errors.Is(err, errEnough) {
		return found, nil
	}
	done := c.Now()
	if err != nil {
		state.LastError, state.LastErrorAt = reason(err), &done
	} else {
		state.LastSuccess, state.LastError, state.LastErrorAt, state.Found = &done, "", nil, found
	}
	if saveErr := c.Discoveries.SaveSourceState(context.WithoutCancel(ctx), state); saveErr != nil {
		return found, errors.Join(err, saveErr)
	}
	if err != nil {
		return found, fmt.Errorf("%s: %w", source.Name(), err)
	}
	return found, nil
}

var errEnough = errors.New("enough candidates")

// take stores candidates and their official registry entries.
func (c *Crawler) take(ctx context.Context, batch []registry.Candidate) error {
	now := c.Now()
	var listings []registry.Listing
	repos := batch[:0:0]
	for _, cand := range batch {
		if cand.Ref.Name != "" {
			repos = append(repos, cand)
		} else if cand.Listing != nil {
			listings = append(listings, *cand.Listing)
		}
	}
	if len(listings) > 0 {
		if err := c.Discoveries.SaveListings(ctx, listings, now); err != nil {
			return err
		}
	}
	if len(repos) == 0 {
		return nil
	}
	_, err := c.Queue.Enqueue(ctx, repos, now)
	return err
}

// Refresh visits due repositories until none are left, at most limit of them (0:
// no limit), and returns how many. An exhausted rate limit is not an error: the
// remaining repositories are postponed until it resets.
func (c *Crawler) Refresh(ctx context.Context, limit int) (visited int, err error) {
	for limit == 0 || visited < limit {
		n := batchSize
		if limit > 0 {
			n = min(n, limit-visited)
		}
		works, err := c.Queue.Lease(ctx, n, leaseTTL, c.Now())
		if err != nil {
			return visited, err
		}
		if len(works) == 0 {
			return visited, nil
		}
		done, err := c.visit(ctx, works)
		visited += done
		if err != nil {
			return visited, err
		}
	}
	return visited, nil
}

// TakeOver ends the leases of workers that have ended without releasing them.
func (c *Crawler) TakeOver(ctx context.Context) error {
	ended, err := c.Queue.EndDeadLeases(ctx, c.Now())
	if err == nil && ended > 0 {
		c.Log.InfoContext(ctx, "took over the work of workers that have ended", "workers", ended)
	}
	return err
}

// Work visits due repositories until ctx is done. It logs an error when it begins, and its end.
func (c *Crawler) Work(ctx context.Context) error {
	tick := time.NewTicker(idlePoll)
	defer tick.Stop()
	var trouble Outage
	for {
		_, err := c.Refresh(ctx, 0)
		if ctx.Err() != nil {
			return nil
		}
		trouble.Note(ctx, c.Log, "visit repositories", err)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// visit visits leased repositories and stores the results. Works without a result are
// released.
func (c *Crawler) visit(ctx context.Context, works []registry.Work) (visited int, err error) {
	left := make(map[int64]registry.Work, len(works))
	for i, w := range works {
		works[i].Forced = w.Forced || w.Misses > 0 // its servers may have left the listing
		left[w.ID] = works[i]
	}
	asking, stopAsking := context.WithCancel(ctx)
	defer stopAsking()
	leases, stop := c.keepLeases(ctx, works, stopAsking)
	defer stop()

	var group errgroup.Group
	group.SetLimit(scorers)
	var mu sync.Mutex // of left, from here on
	ingest := func(v registry.Visit) {
		visited++
		leases.read(v.Work.ID)
		mu.Lock()
		delete(left, v.Work.ID)
		mu.Unlock()
		c.Observe.visited(v.Outcome)
		if v.Outcome == registry.Failed {
			c.Log.WarnContext(ctx, "visit failed", "repository", v.Work.Ref.String(), "err", v.Err)
		}
		group.Go(func() error {
			defer leases.end(v.Work.ID)
			err := recovered(func() error { return c.Ingest(ctx, v) })
			if err == nil {
				return nil
			}
			if ctx.Err() == nil {
				if err = c.retryLater(ctx, v.Work, err); err == nil {
					return nil
				}
				stopAsking() // other results cannot be stored either
			}
			mu.Lock()
			left[v.Work.ID] = v.Work // nothing was stored
			mu.Unlock()
			return err
		})
	}
	for v := range c.Hosts.visit(asking, works) {
		ingest(v)
	}
	pauses := map[limitGroup]pause{}
	for _, w := range works {
		if of := groupOf(w); pauses[of].why == nil {
			pauses[of] = c.pauseOf(of)
		}
	}
	if asking.Err() == nil { // the host was not queried for the rest
		mu.Lock()
		unasked := slices.Collect(maps.Values(left))
		mu.Unlock()
		for _, w := range unasked {
			if neverRead(w) {
				ingest(registry.Visit{Work: w, Outcome: registry.ListedOnly,
					Err: pauses[groupOf(w)].why})
			}
		}
	}
	err = group.Wait()
	rest := map[limitGroup][]registry.Work{}
	for _, w := range works {
		if _, ok := left[w.ID]; ok {
			rest[groupOf(w)] = append(rest[groupOf(w)], w)
		}
	}
	for of, works := range rest {
		next, why := c.Now(), "" // stopped: not a failure of the repository
		if ctx.Err() == nil && !leases.areLost() {
			next, why = pauses[of].until, reason(pauses[of].why)
			if err != nil {
				why = "Put back, because no results could be stored."
			}
		}
		err = errors.Join(err, c.Queue.Postpone(context.WithoutCancel(ctx), works, next, why))
	}
	if ctx.Err() != nil {
		return visited, ctx.Err()
	}
	return visited, err
}

// retryLater releases a repository whose result could not be stored. The delay
// doubles with each attempt, because the result itself may be the cause. It fails
// if the store is unavailable.
func (c *Crawler) retryLater(ctx context.Context, w registry.Work, cause error) error {
	if errors.Is(cause, postgres.ErrNewer) {
		return cause
	}
	c.Log.ErrorContext(ctx, "result not stored", "repository", w.Ref.String(), "err", cause)
	why := "The results could not be stored; see the log."
	if _, ok := errors.AsType[*registry.Error](cause); ok {
		why = reason(cause)
	}
	if err := c.Queue.Release(ctx, []registry.Work{w}, c.Now().Add(backoff(w.Attempt)),
		why); err != nil {
		return errors.Join(cause, err)
	}
	return nil
}

// neverRead reports whether no visit of a repository has had a result. Only then
// the official registry's entry describes it.
func neverRead(w registry.Work) bool {
	return w.Stored == nil && w.Misses == 0 &&
		!slices.Contains([]string{"not_server", "empty", "gone", "blocked"}, w.State)
}

// A limitGroup is the works of a host that wait for the same limits: those of repositories that were
// read before, or of others.
type limitGroup struct {
	host  string
	known bool
}

func groupOf(w registry.Work) limitGroup { return limitGroup{w.Ref.Host, w.Stored != nil} }

// A pause is how long works of a group that were not visited wait, and why.
type pause struct {
	until time.Time
	why   error
}

func (c *Crawler) pauseOf(of limitGroup) pause {
	soon := c.Now().Add(time.Minute)
	until, why := c.Hosts.of(of.host).Backoff(of.known)
	if why == nil {
		return pause{soon, errNoResponse}
	}
	if !until.After(c.Now()) {
		until = soon
	}
	e := registry.Errorf(registry.ErrUnavailable, "Not visited yet: %s.", why)
	e.RetryAfter = until.Sub(c.Now())
	return pause{until, e}
}

var errNoResponse = registry.Errorf(registry.ErrUnavailable,
	"Not visited yet: the code host didn't respond.")

// maxStall is how long leases are renewed without progress: longer than a repository may take to be
// read or stored.
const maxStall = 25 * time.Minute

// A leaseKeeper renews the leases of a batch. Its methods are safe for concurrent use.
type leaseKeeper struct {
	*Crawler
	mu    sync.Mutex
	works map[int64]registry.Work // whose results are not stored
	begun map[int64]time.Time     // the last progress of those that are being read
	done  map[int64]bool          // have been read
	last  time.Time               // the last progress of any
	lost  bool
}

// keepLeases renews the leases of works until stop is called. It calls progress, which sets
// [registry.Work.OnProgress] of works, when they are read. It calls cancel if another worker has
// the lease of one that was not read yet.
func (c *Crawler) keepLeases(
	ctx context.Context, works []registry.Work, cancel func(),
) (k *leaseKeeper, stop func()) {
	k = &leaseKeeper{Crawler: c, works: make(map[int64]registry.Work, len(works)),
		begun: map[int64]time.Time{}, done: map[int64]bool{}, last: c.Now()}
	for i := range works {
		id := works[i].ID
		k.works[id] = works[i]
		works[i].OnProgress = func(registry.Repository, []registry.File) { k.progress(id) }
	}
	ctx, end := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(cmp.Or(c.Heartbeat, heartbeat))
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if err := k.renew(ctx, cancel); err != nil && ctx.Err() == nil {
					c.Log.WarnContext(ctx, "leases not renewed", slog.Any("err", err))
				}
			}
		}
	}()
	return k, func() { end(); <-done }
}

// renew extends the leases of works that make progress, and releases the others. It calls cancel
// if leases were lost.
func (k *leaseKeeper) renew(ctx context.Context, cancel func()) error {
	moving, stuck, unread := k.moving(ctx)
	err := errors.Join(k.Queue.Release(ctx, stuck, k.Now(), "No progress for long."),
		k.Queue.Postpone(ctx, unread, k.Now(), ""))
	if err != nil {
		return err
	}
	held, err := k.Queue.ExtendLease(ctx, moving, leaseTTL, k.Now())
	if err != nil {
		return err
	}
	holds := make(map[int64]bool, len(held))
	for _, w := range held {
		holds[w.ID] = true
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	lost := 0
	for _, w := range moving {
		if _, ours := k.works[w.ID]; ours && !k.done[w.ID] && !holds[w.ID] {
			delete(k.works, w.ID)
			lost++
		}
	}
	if lost > 0 {
		k.lost = true
		k.Log.ErrorContext(ctx, "another worker has leases of this one, which stops its visits",
			"repositories", lost)
		cancel()
	}
	return nil
}

func (k *leaseKeeper) areLost() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.lost
}

// progress notes that a work is being read.
func (k *leaseKeeper) progress(id int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last = k.Now()
	k.begun[id] = k.last
}

// read notes that a work has been read, and its result is being stored.
func (k *leaseKeeper) read(id int64) {
	k.progress(id)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.done[id] = true
}

// end notes that the lease of a work need no longer be renewed.
func (k *leaseKeeper) end(id int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last = k.Now()
	delete(k.works, id)
}

// moving returns the works whose leases are to be renewed, those that are stuck, without progress
// for [maxStall], and those that wait behind stuck ones: others may then have both.
func (k *leaseKeeper) moving(ctx context.Context) (list, stuck, unread []registry.Work) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, w := range k.works {
		at, begun := k.begun[id]
		if !begun {
			at = k.last
		}
		if k.Now().Sub(at) <= maxStall {
			list = append(list, w)
			continue
		}
		k.Log.ErrorContext(ctx, "a lease is no longer renewed: no progress for long", "repository",
			w.Ref.String())
		if begun {
			stuck = append(stuck, w)
		} else {
			unread = append(unread, w)
		}
		delete(k.works, id)
	}
	return list, stuck, unread
}
