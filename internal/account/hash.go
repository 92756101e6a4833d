package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// Costs are the costs of argon2id.
type Costs struct {
	Memory  uint32 // KiB
	Passes  uint32
	Threads uint8
}

// current are the costs that the OWASP Password Storage Cheat Sheet recommends. Hashes
// with other costs are replaced when their owner signs in.
var current = Costs{Memory: 19 * 1024, Passes: 2, Threads: 1}

const (
	saltLength = 16
	hashLength = 32
)

// A hasher hashes a few passwords at a time.
type hasher struct {
	Costs
	slots *slots
	dummy string // hash of no password
}

func newHasher(c Costs) *hasher {
	h := &hasher{Costs: c, slots: newSlots()}
	h.dummy = h.phc(make([]byte, saltLength), make([]byte, hashLength))
	return h
}

// hash returns the hash of a password in PHC form. The errors are those of
// [slots.run].
func (h *hasher) hash(
	ctx context.Context, l lane, client, password string,
) (phc string, err error) {
	salt := make([]byte, saltLength)
	_, _ = rand.Read(salt) // never fails
	err = h.slots.run(ctx, l, client, func() {
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

// verify reports whether a password has the hash phc, and whether its costs differ
// from those of h. An empty phc takes as long, and returns false. The errors are those
// of [slots.run].
func (h *hasher) verify(
	ctx context.Context, l lane, client, phc, password string,
) (ok, stale bool, err error) {
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
	err = h.slots.run(ctx, l, client, func() {
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
