// Package keyring knows every API key of the registry by its hash, in memory,
// and follows what changes: a key that is revoked or a plan that ends holds in
// every process within two seconds. It also makes keys.
package keyring

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"mcpcensus/internal/account"
	"mcpcensus/internal/changes"
	"mcpcensus/internal/registry"
)

// A Store is where keys are kept.
type Store interface {
	// KeyHoldersAfter returns accounts whose keys or plan changed after seq, in
	// the order of the changes' numbers, at most limit, and the highest number
	// read: seq if there is nothing new, and less if the store is an older copy
	// that has not come so far.
	KeyHoldersAfter(ctx context.Context, seq int64, limit int) (holders []account.KeyHolder, last int64, err error)
	// ListenKeys returns a channel that gets a number whenever something
	// changed. It is closed when ctx ends.
	ListenKeys(ctx context.Context) (<-chan int64, error)
	// TouchKeys stores when keys were last used.
	TouchKeys(ctx context.Context, used map[int64]time.Time) error

	// Keys returns an account's keys, the newest first, those that ended too.
	Keys(ctx context.Context, accountID int64) ([]account.Key, error)
	MakeKey(ctx context.Context, actor string, k account.Key, hash account.KeyHash) (account.Key, error)
	RotateKey(ctx context.Context, actor string, now time.Time, accountID, id int64, prefix string, hash account.KeyHash) (old, made account.Key, err error)
	RenameKey(ctx context.Context, actor string, now time.Time, accountID, id int64, name string) (account.Key, error)
	RevokeKey(ctx context.Context, actor string, now time.Time, accountID, id int64) (account.Key, error)
}

// A Ring knows all keys. Its methods may be called at the same time.
type Ring struct {
	store Store
	log   *slog.Logger
	now   func() time.Time

	// An entry is never changed and a map neither: what changes is copied.
	// That keeps locks out of Find.
	shards [256]atomic.Pointer[map[account.KeyHash]*entry]

	reading  sync.Mutex // held while changes are read and taken over
	seq      int64
	accounts map[int64][]*entry
	ready    atomic.Bool

	asking sync.Mutex
	next   *look        // the one that has not begun, if somebody waits for it
	begun  time.Time    // when the last one began
	failed atomic.Int64 // when changes could not be read, in Unix nanoseconds; 0: they could

	using sync.Mutex
	used  map[int64]time.Time // not stored yet
}

// entry is one key.
type entry struct {
	hash       account.KeyHash
	id         int64
	account    int64
	plan, next *account.Plan
	until      time.Time // when next takes over; zero: never
	expires    time.Time // zero: never
	revoked    bool
	lastUse    *atomic.Int64 // Unix seconds; all entries of one key share it
}

// look is one reading of what has changed, which several may wait for.
type look struct {
	done chan struct{}
	err  error
}

const (
	batch     = 5000                    // accounts read at once
	interval  = time.Second             // between reads without a notification
	readEach  = 50 * time.Millisecond   // readings begin at least this far apart
	readTime  = 5 * time.Second         // for a reading of changes; the first may take its time
	lookTime  = 1500 * time.Millisecond // that a request waits for a key that is not known yet
	useEach   = time.Minute             // a key's last use is stored to this precision
	storeEach = 10 * time.Second        // last uses are written this often
)

// New returns a ring that knows no key until [Ring.Follow] runs. now is the
// clock, nil for the real one.
func New(store Store, log *slog.Logger, now func() time.Time) *Ring {
	if now == nil {
		now = time.Now
	}
	return &Ring{store: store, log: log, now: now, accounts: make(map[int64][]*entry), used: make(map[int64]time.Time)}
}

// Ready reports whether all keys have been read once.
func (r *Ring) Ready() bool { return r.ready.Load() }

// Find returns what a key gives at now. A key that is malformed or that nobody
// has is registry.ErrUnauthorized with the code invalid_api_key, one that was
// revoked or has expired with revoked_api_key. The error is
// registry.ErrUnavailable when the key is not known and the store cannot be
// asked whether it is new.
func (r *Ring) Find(now time.Time, key string) (account.Access, error) {
	if !wellFormed(key) {
		return account.Access{}, errMalformed
	}
	hash := hashOf(key)
	e := r.entry(hash)
	if e == nil {
		// Another process may have made it a moment ago. However many ask, the
		// store is read 20 times a second at most, and not again right after it
		// has failed.
		err := errStore
		if time.Since(time.Unix(0, r.failed.Load())) > interval {
			if err = r.refresh(lookTime); err == errStore {
				r.failed.Store(time.Now().UnixNano()) // others need not wait
			}
		}
		e = r.entry(hash)
		switch {
		case e != nil:
		case err != nil:
			return account.Access{}, registry.Wrap(registry.ErrUnavailable, err, "This key cannot be looked up just now. Please try again.")
		default:
			return account.Access{}, errUnknown
		}
	}
	switch {
	case e.revoked:
		return account.Access{}, errRevoked
	case !e.expires.IsZero() && !now.Before(e.expires):
		return account.Access{}, &registry.Error{Kind: registry.ErrUnauthorized, Code: "revoked_api_key",
			Msg: "This API key was rotated, and its overlap ended at " + e.expires.UTC().Format(time.RFC3339) + ". Use the key that replaced it."}
	}
	r.use(e, now)
	a := account.Access{Account: e.account, Key: e.id, Plan: e.plan}
	if !e.until.IsZero() && !now.Before(e.until) {
		a.Plan = e.next
	}
	return a, nil
}

var (
	errMalformed = &registry.Error{Kind: registry.ErrUnauthorized, Code: "invalid_api_key",
		Msg: "This is no API key: a key is mcp_ and 43 letters and digits."}
	errUnknown = &registry.Error{Kind: registry.ErrUnauthorized, Code: "invalid_api_key",
		Msg: "There is no such API key. Check that it was copied whole, or make one in the account settings."}
	errRevoked = &registry.Error{Kind: registry.ErrUnauthorized, Code: "revoked_api_key",
		Msg: "This API key was revoked. Make a new one in the account settings."}
)

func (r *Ring) entry(hash account.KeyHash) *entry {
	m := r.shards[hash[0]].Load()
	if m == nil {
		return nil
	}
	return (*m)[hash]
}

// use puts down that a key was used, once a minute.
func (r *Ring) use(e *entry, now time.Time) {
	last, at := e.lastUse.Load(), now.Unix()
	if at-last < int64(useEach/time.Second) || !e.lastUse.CompareAndSwap(last, at) {
		return
	}
	r.using.Lock()
	r.used[e.id] = now
	r.using.Unlock()
}

// Follow reads all keys, and what changes until ctx is done, whose error it
// returns. While the store does not answer, the ring goes on with what it
// knows. It also stores when keys were used.
func (r *Ring) Follow(ctx context.Context) error {
	f := changes.Follower{
		Name: "keys", Listen: r.store.ListenKeys, Interval: interval, Log: r.log,
		CatchUp: func(ctx context.Context) error {
			if r.Ready() {
				return r.refresh(readTime)
			}
			return r.read(ctx)
		},
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return f.Run(ctx) })
	group.Go(func() error {
		tick := time.NewTicker(storeEach)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				r.storeUses(ctx)
			case <-ctx.Done():
				last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
				defer cancel()
				r.storeUses(last)
				return ctx.Err()
			}
		}
	})
	return group.Wait()
}

// storeUses writes the last uses. Those that cannot be written wait for the
// next time.
func (r *Ring) storeUses(ctx context.Context) {
	r.using.Lock()
	used := r.used
	r.used = make(map[int64]time.Time)
	r.using.Unlock()
	if len(used) == 0 {
		return
	}
	err := r.store.TouchKeys(ctx, used)
	if err == nil {
		return
	}
	if ctx.Err() == nil {
		r.log.Warn("keys: last uses not stored yet", "err", err)
	}
	r.using.Lock()
	defer r.using.Unlock()
	for id, at := range used {
		if !r.used[id].After(at) {
			r.used[id] = at
		}
	}
}

// refresh waits, at most wait, for a reading that begins after the call. All
// who call meanwhile wait for the same one.
func (r *Ring) refresh(wait time.Duration) error {
	if !r.Ready() {
		return errNotReady
	}
	r.asking.Lock()
	next := r.next
	if next == nil {
		next = &look{done: make(chan struct{})}
		r.next = next
		go r.serve(next, time.Until(r.begun.Add(readEach)))
	}
	r.asking.Unlock()
	timeout := time.NewTimer(wait)
	defer timeout.Stop()
	select {
	case <-next.done:
		return next.err
	case <-timeout.C:
		return errStore
	}
}

var (
	errNotReady = errors.New("the keys have not been read yet")
	errStore    = errors.New("the store of keys does not answer")
)

func (r *Ring) serve(n *look, after time.Duration) {
	defer close(n.done)
	if after > 0 {
		time.Sleep(after)
	}
	ctx, cancel := context.WithTimeout(context.Background(), readTime)
	defer cancel()
	r.reading.Lock()
	defer r.reading.Unlock()
	r.asking.Lock()
	r.next, r.begun = nil, time.Now()
	r.asking.Unlock()
	n.err = r.readLocked(ctx)
}

func (r *Ring) read(ctx context.Context) error {
	r.reading.Lock()
	defer r.reading.Unlock()
	return r.readLocked(ctx)
}

// readLocked takes over all changes. The caller holds r.reading.
func (r *Ring) readLocked(ctx context.Context) error {
	for {
		holders, last, err := r.store.KeyHoldersAfter(ctx, r.seq, batch)
		if err == nil && last < r.seq {
			r.log.Warn("keys: the database is an older copy than before; all keys are read again")
			holders, last, err = r.all(ctx)
		}
		if err != nil {
			r.failed.Store(time.Now().UnixNano())
			return err
		}
		r.take(holders)
		r.seq = last
		if len(holders) < batch {
			r.failed.Store(0)
			r.ready.Store(true)
			return nil
		}
	}
}

// all returns every holder that there is, and those that are known but are not
// there, as gone.
func (r *Ring) all(ctx context.Context) (all []account.KeyHolder, last int64, err error) {
	there := make(map[int64]bool)
	for {
		holders, next, err := r.store.KeyHoldersAfter(ctx, last, batch)
		if err != nil {
			return nil, 0, err
		}
		for _, h := range holders {
			there[h.Account] = true
		}
		all, last = append(all, holders...), next
		if len(holders) < batch {
			break
		}
	}
	for accountID := range r.accounts {
		if !there[accountID] {
			all = append(all, account.KeyHolder{Account: accountID})
		}
	}
	return all, last, nil
}

// take puts the holders' keys in the place of those they had.
func (r *Ring) take(holders []account.KeyHolder) {
	changed := make(map[byte]map[account.KeyHash]*entry)
	shard := func(h account.KeyHash) map[account.KeyHash]*entry {
		m, ok := changed[h[0]]
		if !ok {
			m = make(map[account.KeyHash]*entry)
			if old := r.shards[h[0]].Load(); old != nil {
				for k, v := range *old {
					m[k] = v
				}
			}
			changed[h[0]] = m
		}
		return m
	}
	for _, h := range holders {
		uses := make(map[int64]*atomic.Int64)
		for _, e := range r.accounts[h.Account] {
			delete(shard(e.hash), e.hash)
			uses[e.id] = e.lastUse
		}
		delete(r.accounts, h.Account)
		for _, k := range h.Keys {
			e := newEntry(h, k)
			if u := uses[k.ID]; u != nil {
				e.lastUse = u
			}
			shard(e.hash)[e.hash] = e
			r.accounts[h.Account] = append(r.accounts[h.Account], e)
		}
	}
	for i, m := range changed {
		r.shards[i].Store(&m)
	}
}

func newEntry(h account.KeyHolder, k account.HeldKey) *entry {
	e := &entry{
		hash: k.Hash, id: k.ID, account: h.Account, revoked: k.RevokedAt != nil, lastUse: new(atomic.Int64),
		plan: account.Subscription{Plan: h.Plan}.At(time.Time{}),
		next: account.Subscription{Plan: h.Next}.At(time.Time{}),
	}
	if h.Until != nil {
		e.until = *h.Until
	}
	if k.ExpiresAt != nil {
		e.expires = *k.ExpiresAt
	}
	if k.LastUsedAt != nil {
		e.lastUse.Store(k.LastUsedAt.Unix())
	}
	return e
}

// List returns an account's keys, the newest first: those that work, and those
// that ended not too long ago.
func (r *Ring) List(ctx context.Context, accountID int64) ([]account.Key, error) {
	return r.store.Keys(ctx, accountID)
}

// Make gives an account a new key and returns it with its text, which nobody
// can learn again. It works in this process at once. actor is who asks for it:
// "owner" or "operator".
func (r *Ring) Make(ctx context.Context, actor string, accountID int64, name string) (k account.Key, text string, err error) {
	if name, err = cleanName(name); err != nil {
		return k, "", err
	}
	text = newKey()
	k, err = r.store.MakeKey(ctx, actor, account.Key{Account: accountID, Name: name, Prefix: text[:shown], CreatedAt: r.stamp()}, hashOf(text))
	if err != nil {
		return k, "", err
	}
	r.changed()
	return k, text, nil
}

// Rotate gives an account a new key in place of an old one, which works for
// [registry.KeyOverlap] more.
func (r *Ring) Rotate(ctx context.Context, actor string, accountID, id int64) (old, made account.Key, text string, err error) {
	text = newKey()
	old, made, err = r.store.RotateKey(ctx, actor, r.stamp(), accountID, id, text[:shown], hashOf(text))
	if err != nil {
		return old, made, "", err
	}
	r.changed()
	return old, made, text, nil
}

// Rename gives a key of an account another name.
func (r *Ring) Rename(ctx context.Context, actor string, accountID, id int64, name string) (account.Key, error) {
	name, err := cleanName(name)
	if err != nil {
		return account.Key{}, err
	}
	return r.store.RenameKey(ctx, actor, r.stamp(), accountID, id, name)
}

// Revoke ends a key of an account: in this process at once, in others within
// two seconds.
func (r *Ring) Revoke(ctx context.Context, actor string, accountID, id int64) (account.Key, error) {
	k, err := r.store.RevokeKey(ctx, actor, r.stamp(), accountID, id)
	if err != nil {
		return k, err
	}
	r.changed()
	return k, nil
}

// changed takes over what this process has just stored. If that fails, the
// next reading does it.
func (r *Ring) changed() {
	if r.Ready() {
		_ = r.refresh(readTime)
	}
}

// stamp is the time as the store keeps it.
func (r *Ring) stamp() time.Time { return r.now().UTC().Truncate(time.Microsecond) }
