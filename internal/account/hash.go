package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"mcpcensus/internal/registry"
)

// Costs are the costs of argon2id.
type Costs struct {
	Memory  uint32 // KiB
	Passes  uint32
	Threads uint8
}

// current is what the OWASP Password Storage Cheat Sheet recommends. Hashes with
// other costs are replaced when their owner signs in.
var current = Costs{Memory: 19 * 1024, Passes: 2, Threads: 1}

const (
	saltLength  = 16
	hashLength  = 32
	hashTimeout = 10 * time.Second // of waiting for a slot
	maxWaiting  = 200              // passwords that wait
)

// A hasher hashes a few passwords at a time, since each needs 19 MiB.
type hasher struct {
	Costs
	slots   chan struct{}
	waiting atomic.Int32
	dummy   string // hash that no password has
}

func newHasher(c Costs) *hasher {
	h := &hasher{Costs: c, slots: make(chan struct{}, min(max(2, runtime.GOMAXPROCS(0)), 8))}
	h.dummy = h.phc(make([]byte, saltLength), make([]byte, hashLength))
	return h
}

// run calls f when there is a slot for it.
func (h *hasher) run(ctx context.Context, f func()) error {
	busy := &registry.Error{Kind: registry.ErrUnavailable, RetryAfter: 5 * time.Second,
		Msg: "Too many people are signing in right now. Please try again."}
	if h.waiting.Add(1) > maxWaiting {
		h.waiting.Add(-1)
		return busy
	}
	defer h.waiting.Add(-1)
	wait := time.NewTimer(hashTimeout)
	defer wait.Stop()
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
		f()
		return nil
	case <-wait.C:
		return busy
	case <-ctx.Done():
		return ctx.Err()
	}
}

// hash returns the hash of a password in PHC form.
func (h *hasher) hash(ctx context.Context, password string) (phc string, err error) {
	salt := make([]byte, saltLength)
	_, _ = rand.Read(salt) // never fails
	err = h.run(ctx, func() {
		phc = h.phc(salt, h.key(password, salt, hashLength))
	})
	return phc, err
}

var b64 = base64.RawStdEncoding

func (c Costs) key(password string, salt []byte, length int) []byte {
	return argon2.IDKey([]byte(norm.NFC.String(password)), salt, c.Passes, c.Memory, c.Threads,
		uint32(length))
}

func (c Costs) phc(salt, hash []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, c.Memory, c.Passes, c.Threads, b64.EncodeToString(salt), b64.EncodeToString(hash))
}

// verify reports whether a password has the hash phc, and whether that has other
// costs than h. For an empty phc it takes as long, and returns false.
func (h *hasher) verify(ctx context.Context, phc, password string) (ok, stale bool, err error) {
	none := phc == ""
	if none {
		phc = h.dummy
	}
	c, salt, want, err := parsePHC(phc)
	if err != nil {
		return false, false, err
	}
	if utf8.RuneCountInString(password) > 4*MaxPassword {
		password = "" // longer than any password
	}
	err = h.run(ctx, func() {
		got := c.key(password, salt, len(want))
		ok = subtle.ConstantTimeCompare(got, want) == 1 && !none
	})
	return ok, c != h.Costs, err
}

var errPHC = errors.New("stored password hash is not argon2id in PHC form")

// parsePHC parses a hash in PHC form. It refuses costs that would exhaust the
// machine.
func parsePHC(s string) (c Costs, salt, hash []byte, err error) {
	parts := strings.Split(s, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" ||
		parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return c, nil, nil, errPHC
	}
	n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.Memory, &c.Passes, &c.Threads)
	if n != 3 || err != nil || !c.affordable() {
		return c, nil, nil, errPHC
	}
	if salt, err = b64.DecodeString(parts[4]); err != nil || len(salt) < 8 || len(salt) > 64 {
		return c, nil, nil, errPHC
	}
	if hash, err = b64.DecodeString(parts[5]); err != nil || len(hash) < 16 || len(hash) > 64 {
		return c, nil, nil, errPHC
	}
	return c, salt, hash, nil
}

func (c Costs) affordable() bool {
	return c.Memory >= 8 && c.Memory <= 1<<20 && c.Passes >= 1 && c.Passes <= 20 && c.Threads >= 1 &&
		c.Threads <= 16
}
