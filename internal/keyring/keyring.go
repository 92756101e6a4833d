// Package keyring holds the hashes of all API keys in memory, and creates keys.
// Revoked keys and changed plans take effect in every process within two
// seconds.
//
// It holds all keys, so that requests with known keys never wait for the database.
// Callers that need a fresh read share one that starts after their calls. Package
// singleflight would let them join an earlier one, which may miss a new key.
package keyring

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"mcpcensus/internal/account"
	"mcpcensus/internal/changes"
	"mcpcensus/internal/registry"
)

// A Store stores keys.
type Store interface {
	// KeyHoldersAfter returns up to limit accounts whose keys or plan changed
	// after seq, in the order of the changes, and the last change read, which
	// is less than seq if the store was restored from an older copy.
	KeyHoldersAfter(ctx context.Context, seq int64, limit int) (
		holders []account.KeyHolder, last int64, err error)
	// ListenKeys returns a channel that receives a value after changes. It is closed
	// when ctx is done.
	ListenKeys(ctx context.Context) (<-chan int64, error)
	// TouchKeys stores when keys were last used.
	TouchKeys(ctx context.Context, used map[int64]time.Time) error
	// Keys returns an account's keys, latest first, including invalid ones.
	Keys(ctx context.Context, accountID int64) ([]account.Key, error)
	MakeKey(ctx context.Context, actor string, k account.Key, hash account.KeyHash) (account.Key,
		error)
	RotateKey(ctx context.Context, actor string, now time.Time, accountID, id int64, prefix string,
		hash account.KeyHash) (old, made account.Key, err error)
	// ChangeKey applies change to a key and stores it, unless change returns an error.
	ChangeKey(ctx context.Context, actor string, now time.Time, accountID, id int64,
		change func(*account.Key) error) (account.Key, error)
	RevokeKey(ctx context.Context, actor string, now time.Time, accountID, id int64) (account.Key,
		error)
}

// A Ring has all keys. Its methods are safe for concurrent use.
type Ring struct {
	store Store
	log   *slog.Logger
	now   func() time.Time

	keys sync.Map // from account.KeyHash to *entry, which is immutable

	reading  sync.Mutex // held while changes are read and applied
	seq      int64
	accounts map[int64][]*entry
	ready    atomic.Bool

	limit  *rate.Limiter // of refreshes
	asking sync.Mutex    // guards next
	next   *refresh      // not started yet; nil: none
	failed atomic.Int64  // time of the last read if it failed, in Unix nanoseconds; otherwise 0

	using sync.Mutex
	used  map[int64]time.Time // not stored yet
}

// entry is one key.
type entry struct {
	hash    account.KeyHash
	access  account.Access
	next    *account.Plan
	until   time.Time // when next replaces the plan of access; zero: never
	expires time.Time // zero: never
	rotated bool
	revoked bool
	lastUse *atomic.Int64 // Unix seconds; all entries of one key share it
}

// A refresh reads the changes once. Several callers may wait for it.
type refresh struct {
	done chan struct{}
	err  error
}

const (
	batch       = 5000                    // accounts in one read
	interval    = time.Second             // between reads without a notification
	minInterval = 50 * time.Millisecond   // between refreshes
	readTimeout = 5 * time.Second         // of a refresh; the first read has none
	findTimeout = 1500 * time.Millisecond // of Find for an unknown key
	useEvery    = time.Minute             // precision of a key's last use
	storeEvery  = 10 * time.Second        // between writes of last uses
)

// New returns a ring without keys: [Ring.Follow] reads them. now is the clock,
// time.Now if nil.
func New(store Store, log *slog.Logger, now func() time.Time) *Ring {
	if now == nil {
		now = time.Now
	}
	return &Ring{
		store: store, log: log, now: now, accounts: map[int64][]*entry{},
		used:  map[int64]time.Time{},
		limit: rate.NewLimiter(rate.Every(minInterval), 1),
	}
}

// Ready reports whether all keys have been read once.
func (r *Ring) Ready() bool { return r.ready.Load() }

// Find returns the access of a key at now. For an invalid key, the error is of kind
// registry.ErrUnauthorized with the code invalid_api_key if it is malformed or unknown,
// revoked_api_key if it was revoked or rotated, and expired_api_key if it has expired. If
// the key is unknown and the store does not respond, the error is of kind
// registry.ErrUnavailable.
func (r *Ring) Find(now time.Time, key string) (account.Access, error) {
	if !wellFormed(key) {
		return account.Access{}, errMalformed
	}
	hash := hashOf(key)
	e := r.entry(hash)
	if e == nil {
		// Another process may have just created it. Read the store at most 20 times a
		// second, and not within a second after a failure.
		err := errStore
		if time.Since(time.Unix(0, r.failed.Load())) > interval {
			if err = r.refresh(findTimeout); err == errStore {
				r.failed.Store(time.Now().UnixNano()) // others need not wait
			}
		}
		e = r.entry(hash)
		switch {
		case e != nil:
		case err != nil:
			return account.Access{}, registry.Wrap(registry.ErrUnavailable, err,
				"This key cannot be looked up right now. Please try again.")
		default:
			return account.Access{}, errUnknown
		}
	}
	if err := e.ended(now); err != nil {
		return account.Access{}, err
	}
	r.use(e, now)
	a := e.access
	if !e.until.IsZero() && !now.Before(e.until) {
		a.Plan = e.next
	}
	return a, nil
}

// ended returns the reason why a key is invalid at now, nil if it is valid.
func (e *entry) ended(now time.Time) error {
	switch {
	case e.revoked:
		return errRevoked
	case e.expires.IsZero() || now.Before(e.expires):
		return nil
	}
	end := e.expires.UTC().Format(time.RFC3339)
	if e.rotated {
		return &registry.Error{Kind: registry.ErrUnauthorized, Code: "revoked_api_key",
			Msg: "This API key was rotated and expired at " + end + ". Use the new key."}
	}
	return &registry.Error{Kind: registry.ErrUnauthorized, Code: "expired_api_key",
		Msg: "This API key expired at " + end + ". Create a new one in your account settings."}
}

var (
	errMalformed = &registry.Error{Kind: registry.ErrUnauthorized, Code: "invalid_api_key",
		Msg: "This is not an API key. Keys are mcp_ followed by 43 letters and digits."}
	errUnknown = &registry.Error{Kind: registry.ErrUnauthorized, Code: "invalid_api_key",
		Msg: "Unknown API key. Check that you copied all of it, or create one in your account " +
			"settings."}
	errRevoked = &registry.Error{Kind: registry.ErrUnauthorized, Code: "revoked_api_key",
		Msg: "This API key was revoked. Create a new one in your account settings."}
)

func (r *Ring) entry(hash account.KeyHash) *entry {
	e, ok := r.keys.Load(hash)
	if !ok {
		return nil
	}
	return e.(*entry)
}

// use records the use of a key, once a minute.
func (r *Ring) use(e *entry, now time.Time) {
	last, at := e.lastUse.Load(), now.Unix()
	if at-last < int64(useEvery/time.Second) || !e.lastUse.CompareAndSwap(last, at) {
		return
	}
	r.using.Lock()
	r.used[e.access.Key] = now
	r.using.Unlock()
}

// Follow reads all keys and then their changes until ctx is done, and returns
// the error of ctx. It also stores when keys were used. While the store does not respond,
// the ring retains its keys.
func (r *Ring) Follow(ctx context.Context) error {
	f := changes.Follower{
		Name: "keys", Listen: r.store.ListenKeys, Interval: interval, Log: r.log,
		CatchUp: func(ctx context.Context) error {
			if r.Ready() {
				return r.refresh(readTimeout)
			}
			return r.read(ctx)
		},
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return f.Run(ctx) })
	group.Go(func() error {
		tick := time.NewTicker(storeEvery)
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

// storeUses stores the last uses, or retains them if that fails.
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
		r.log.Warn("keys: cannot store last uses", "err", err)
	}
	r.using.Lock()
	defer r.using.Unlock()
	for id, at := range used {
		if !r.used[id].After(at) {
			r.used[id] = at
		}
	}
}

// refresh waits up to timeout for a refresh that starts after the call.
// Concurrent callers share it.
func (r *Ring) refresh(timeout time.Duration) error {
	if !r.Ready() {
		return errNotReady
	}
	r.asking.Lock()
	next := r.next
	if next == nil {
		next = &refresh{done: make(chan struct{})}
		r.next = next
		go r.serve(next)
	}
	r.asking.Unlock()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-next.done:
		return next.err
	case <-timer.C:
		return errStore
	}
}

var (
	errNotReady = errors.New("the keys have not been read yet")
	errStore    = errors.New("the key store does not respond")
)

func (r *Ring) serve(n *refresh) {
	defer close(n.done)
	_ = r.limit.Wait(context.Background()) // fails only if the context ends
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	r.reading.Lock()
	defer r.reading.Unlock()
	r.asking.Lock()
	r.next = nil
	r.asking.Unlock()
	n.err = r.readLocked(ctx)
}

func (r *Ring) read(ctx context.Context) error {
	r.reading.Lock()
	defer r.reading.Unlock()
	return r.readLocked(ctx)
}

// readLocked applies all changes. The caller holds r.reading.
func (r *Ring) readLocked(ctx context.Context) error {
	for {
		holders, last, err := r.store.KeyHoldersAfter(ctx, r.seq, batch)
		if err == nil && last < r.seq {
			r.log.Warn("keys: the database was restored from an older copy; reading all keys again")
			holders, last, err = r.all(ctx)
		}
		if err != nil {
			r.failed.Store(time.Now().UnixNano())
			return err
		}
		r.apply(holders)
		r.seq = last
		if len(holders) < batch {
			r.failed.Store(0)
			r.ready.Store(true)
			return nil
		}
	}
}

// all returns all holders, and the holders of r that no longer exist, without keys.
func (r *Ring) all(ctx context.Context) (all []account.KeyHolder, last int64, err error) {
	exists := map[int64]bool{}
	for {
		holders, next, err := r.store.KeyHoldersAfter(ctx, last, batch)
		if err != nil {
			return nil, 0, err
		}
		for _, h := range holders {
			exists[h.Account] = true
		}
		all, last = append(all, holders...), next
		if len(holders) < batch {
			break
		}
	}
	for accountID := range r.accounts {
		if !exists[accountID] {
			all = append(all, account.KeyHolder{Account: accountID})
		}
	}
	return all, last, nil
}

// apply replaces the keys of holders. Find returns keys that stay valid throughout.
func (r *Ring) apply(holders []account.KeyHolder) {
	for _, h := range holders {
		old := r.accounts[h.Account]
		uses := make(map[int64]*atomic.Int64, len(old))
		ended := make(map[account.KeyHash]bool, len(old))
		for _, e := range old {
			uses[e.access.Key], ended[e.hash] = e.lastUse, true
		}
		entries := make([]*entry, len(h.Keys))
		for i, k := range h.Keys {
			e := newEntry(h, k)
			if u := uses[k.ID]; u != nil {
				e.lastUse = u
			}
			entries[i] = e
			r.keys.Store(e.hash, e)
			delete(ended, e.hash)
		}
		for hash := range ended {
			r.keys.Delete(hash)
		}
		if r.accounts[h.Account] = entries; len(entries) == 0 {
			delete(r.accounts, h.Account)
		}
	}
}

func newEntry(h account.KeyHolder, k account.HashedKey) *entry {
	e := &entry{
		hash: k.Hash, revoked: k.RevokedAt != nil, rotated: k.Rotated,
		access: account.Access{Account: h.Account, Key: k.ID, Scopes: k.Scopes,
			Plan: account.Subscription{Plan: h.Plan}.At(time.Time{})},
		next:    account.Subscription{Plan: h.Next}.At(time.Time{}),
		lastUse: new(atomic.Int64),
	}
	if len(k.Addresses) > 0 {
		e.access.Addresses = &k.Addresses
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

// List returns an account's keys, latest first, including recently ended ones.
func (r *Ring) List(ctx context.Context, accountID int64) ([]account.Key, error) {
	return r.store.Keys(ctx, accountID)
}

// Make creates a key, and returns it with its text, which is not stored. It is valid
// immediately in this process. actor is account.ByOwner or account.ByOperator.
func (r *Ring) Make(
	ctx context.Context, actor string, accountID int64, c account.KeyChange,
) (k account.Key, text string, err error) {
	if c.Name, err = cleanName(c.Name); err != nil {
		return k, "", err
	}
	text = newKey()
	k = account.Key{Account: accountID, Prefix: text[:shown], CreatedAt: r.stamp(),
		Scopes: account.AllScopes, MadeBy: account.VisitorOf(ctx).Member}
	if err = c.Apply(&k, k.CreatedAt); err != nil {
		return k, "", err
	}
	k, err = r.store.MakeKey(ctx, actor, k, hashOf(text))
	return k, text, r.changed(err)
}

// Rotate replaces a key, which stays valid for [account.KeyOverlap].
func (r *Ring) Rotate(
	ctx context.Context, actor string, accountID, id int64,
) (old, made account.Key, text string, err error) {
	text = newKey()
	old, made, err = r.store.RotateKey(ctx, actor, r.stamp(), accountID, id, text[:shown],
		hashOf(text))
	return old, made, text, r.changed(err)
}

// Change changes the name and the restrictions of a key: immediately in this process,
// within two seconds in others.
func (r *Ring) Change(
	ctx context.Context, actor string, accountID, id int64, c account.KeyChange,
) (k account.Key, err error) {
	if c.Name != "" {
		if c.Name, err = cleanName(c.Name); err != nil {
			return k, err
		}
	}
	now := r.stamp()
	k, err = r.store.ChangeKey(ctx, actor, now, accountID, id,
		func(k *account.Key) error { return c.Apply(k, now) })
	return k, r.changed(err)
}

// Revoke revokes a key: immediately in this process, within two seconds in others.
func (r *Ring) Revoke(ctx context.Context, actor string, accountID, id int64) (account.Key, error) {
	k, err := r.store.RevokeKey(ctx, actor, r.stamp(), accountID, id)
	return k, r.changed(err)
}

// changed returns err. If it is nil, it applies the change that this process has stored;
// after a failure, the next read does.
func (r *Ring) changed(err error) error {
	if err == nil && r.Ready() {
		_ = r.refresh(readTimeout)
	}
	return err
}

// stamp returns the time in the precision of the store.
func (r *Ring) stamp() time.Time { return r.now().UTC().Truncate(time.Microsecond) }
