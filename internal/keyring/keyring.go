// Package keyring creates API keys and finds what they permit. Revoked keys and changed
// plans take effect in every process within two seconds.
package keyring

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"log/slog"
	"math/big"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"golang.org/x/time/rate"

	"mcpcensus/internal/account"
	"mcpcensus/internal/cache"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// A Store stores keys.
type Store interface {
	// FindKey returns the key with a hash, or an error of kind [registry.ErrNotFound].
	FindKey(ctx context.Context, hash account.KeyHash) (account.HeldKey, error)
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

// A Ring caches keys by their hash. Its methods are safe for concurrent use.
type Ring struct {
	store Store
	log   *slog.Logger
	now   func() time.Time

	keys   *cache.Cache[*account.HeldKey] // nil: there is no such key
	failed atomic.Int64                   // when a read last failed, in Unix nanoseconds

	mu    sync.Mutex          // guards the fields below
	limit *rate.Limiter       // of reads of keys that are not cached
	used  map[int64]time.Time // not stored yet
}

const (
	maxKeys    = 50_000                  // cached
	lifetime   = 2 * time.Second         // of a cached key
	maxReads   = 100                     // of keys that are not cached, in a second
	maxBurst   = 1000                    // of such reads, after a pause
	timeout    = 1500 * time.Millisecond // of a read
	retryAfter = time.Second             // after a failed read
	useEvery   = time.Minute             // precision of a key's last use
	storeEvery = 10 * time.Second        // between writes of last uses
)

// New returns a ring. now is the clock.
func New(store Store, log *slog.Logger, now func() time.Time) *Ring {
	return &Ring{
		store: store, log: log, now: now, keys: cache.New[*account.HeldKey](maxKeys),
		limit: rate.NewLimiter(maxReads, maxBurst), used: map[int64]time.Time{},
	}
}

// Find returns the access of a key at now. For an invalid key, the error is of kind
// registry.ErrUnauthorized with the code invalid_api_key if it is malformed or unknown,
// revoked_api_key if it was revoked or rotated, and expired_api_key if it has expired.
// While the store does not respond, cached keys remain as they are; for others the error is
// of kind registry.ErrUnavailable.
func (r *Ring) Find(now time.Time, key string) (account.Access, error) {
	if !account.IsKey(key) {
		return account.Access{}, errMalformed
	}
	hash := hashOf(key)
	k, err := r.keys.Get(string(hash[:]), now, func() (*account.HeldKey, time.Duration, error) {
		return r.load(now, hash)
	})
	if err != nil {
		return account.Access{}, registry.Wrap(registry.ErrUnavailable, err,
			"This key cannot be looked up right now. Please try again.")
	}
	if k == nil {
		return account.Access{}, errUnknown
	}
	if err := ended(k.Key, now); err != nil {
		return account.Access{}, err
	}
	return account.Access{Account: k.Account, Key: k.ID, Scopes: k.Scopes, Plan: k.At(now), Held: k}, nil
}

// load returns the key with a hash and how long it may be cached, and records its use.
func (r *Ring) load(
	now time.Time, hash account.KeyHash,
) (*account.HeldKey, time.Duration, error) {
	old, _ := r.keys.Peek(string(hash[:]))
	k, err := r.read(hash, old != nil)
	switch {
	case errors.Is(err, registry.ErrNotFound):
		return nil, lifetime, nil
	case err != nil && old != nil:
		return old, retryAfter, nil
	case err != nil:
		return nil, 0, err
	}
	if k.Works(now) && (k.LastUsedAt == nil || now.Sub(*k.LastUsedAt) >= useEvery) {
		r.mu.Lock()
		r.used[k.ID] = now
		r.mu.Unlock()
	}
	return &k, lifetime, nil
}

// read reads a key, unless a read failed shortly before. Reads of keys that are not known are
// limited, because anyone can send made-up keys.
func (r *Ring) read(hash account.KeyHash, known bool) (account.HeldKey, error) {
	if time.Since(time.Unix(0, r.failed.Load())) < retryAfter {
		return account.HeldKey{}, errStore
	}
	if !known && !r.mayRead() {
		return account.HeldKey{}, errBusy
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	k, err := r.store.FindKey(ctx, hash)
	if err != nil && !errors.Is(err, registry.ErrNotFound) {
		r.failed.Store(time.Now().UnixNano())
	}
	return k, err
}

// mayRead reports whether the limit of reads is not reached.
func (r *Ring) mayRead() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.limit.AllowN(time.Now(), 1) // times that are out of order would count twice
}

// ended returns the reason why a key is invalid at now, nil if it is valid.
func ended(k account.Key, now time.Time) error {
	switch {
	case k.Works(now):
		return nil
	case k.RevokedAt != nil:
		return errRevoked
	}
	end := k.ExpiresAt.UTC().Format(time.RFC3339)
	if k.Rotated {
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

var (
	errStore = errors.New("the key store does not respond")
	errBusy  = errors.New("too many keys are not known")
)

// Run stores when keys were used until ctx is done, and returns the error of ctx.
func (r *Ring) Run(ctx context.Context) error {
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
}

// storeUses stores the last uses. After a failure, the next uses are stored.
func (r *Ring) storeUses(ctx context.Context) {
	r.mu.Lock()
	used := r.used
	r.used = map[int64]time.Time{}
	r.mu.Unlock()
	if len(used) == 0 {
		return
	}
	if err := r.store.TouchKeys(ctx, used); err != nil && ctx.Err() == nil {
		r.log.Warn("keys: cannot store last uses", "err", err)
	}
}

// List returns an account's keys, latest first, including recently ended ones.
func (r *Ring) List(ctx context.Context, accountID int64) ([]account.Key, error) {
	return r.store.Keys(ctx, accountID)
}

// Make creates a key, and returns it with its text, which is not stored. It is valid
// immediately. actor is account.ByOwner or account.ByOperator.
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
	return k, text, err
}

// Rotate replaces a key, which stays valid for [account.KeyOverlap].
func (r *Ring) Rotate(
	ctx context.Context, actor string, accountID, id int64,
) (old, made account.Key, text string, err error) {
	text = newKey()
	old, made, err = r.store.RotateKey(ctx, actor, r.stamp(), accountID, id, text[:shown],
		hashOf(text))
	return old, made, text, err
}

// Change changes the name and the restrictions of a key.
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
	return k, err
}

func (r *Ring) Revoke(ctx context.Context, actor string, accountID, id int64) (account.Key, error) {
	return r.store.RevokeKey(ctx, actor, r.stamp(), accountID, id)
}

// stamp returns the time in the precision of the store.
func (r *Ring) stamp() time.Time { return r.now().UTC().Truncate(time.Microsecond) }

// shown is the number of characters of a key that are stored.
const shown = len(account.KeyPrefix) + 6

// newKey returns a key of 256 random bits.
func newKey() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return encode(b)
}

// encode returns b as a big-endian number in base 62 with leading zeros.
func encode(b [32]byte) string {
	number := new(big.Int).SetBytes(b[:]).Text(62)
	return account.KeyPrefix + strings.Repeat("0", 43-len(number)) + number
}

// hashOf returns the SHA-256 of a well-formed key.
func hashOf(key string) account.KeyHash { return sha256.Sum256([]byte(key)) }

// maxName is the maximum length of a key's name, in characters.
const maxName = 60

// cleanName returns a key's name, trimmed, or an error if it is invalid.
func cleanName(s string) (string, error) {
	s = strings.TrimSpace(s)
	switch n := utf8.RuneCountInString(s); {
	case n == 0 || n > maxName:
		return "", registry.Invalid("name", "must have 1 to %d characters", maxName)
	case !text.IsLine(s):
		return "", registry.Invalid("name", "must be one line without invisible characters")
	case account.HoldsKey(s):
		return "", registry.Invalid("name", "must not contain an API key, because names are shown")
	}
	return s, nil
}
