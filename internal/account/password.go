package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"mcpcensus/internal/registry"
)

// Bounds of a password in characters. NIST SP 800-63B, 3.1.1.2: long enough,
// not among the commonest, and no other rules.
const (
	MinPassword = 10
	MaxPassword = 256
)

// CheckPassword refuses a password that is too short, too long, or among the
// commonest, and one that is the address. The error names the field.
func CheckPassword(field, password string, of Address) error {
	if !utf8.ValidString(password) {
		return registry.Invalid(field, "must be valid UTF-8")
	}
	switch n := utf8.RuneCountInString(norm.NFC.String(password)); {
	case password == "":
		return &registry.Error{Kind: registry.ErrMissing, Msg: field + " is missing", Fields: []registry.FieldError{{Field: field, Message: "is missing"}}}
	case n < MinPassword || n > MaxPassword:
		return registry.Invalid(field, "must have %d to %d characters", MinPassword, MaxPassword)
	}
	local, _, _ := strings.Cut(of.Key, "@")
	if common(password, local) || of.Key != "" && (strings.EqualFold(password, of.Key) || strings.EqualFold(password, of.Shown)) {
		return registry.Invalid(field, "is one of those that are tried first; take another, such as four words that have nothing to do with each other")
	}
	return nil
}

//go:embed common.txt
var commonText string

// commonBases are what the commonest passwords are made of: those of published
// breach statistics without the digits and signs that people add.
var commonBases = sync.OnceValue(func() map[string]bool {
	m := make(map[string]bool)
	for line := range strings.Lines(commonText) {
		for w := range strings.FieldsSeq(line) {
			m[w] = true
		}
	}
	return m
})

// maxPieces is of how many pieces a password that is tried first is made, and
// maxTried how many bytes it has at most: to look for pieces costs the square.
const (
	maxPieces = 3
	maxTried  = 64
)

// common reports whether a password is one of the commonest: a word of the
// list or the owner's name, a row of keys, one sign again and again, a year, or
// up to three of these and of single signs in a row. local is what stands
// before the @ of the owner's address.
func common(password, local string) bool {
	p := strings.ToLower(norm.NFKC.String(password))
	local = strings.Map(letterOrDigit, local)
	for _, form := range []string{p, strings.Map(letterOrDigit, p)} {
		if len(p)-len(form) > 4 {
			continue // so many other signs are worth something
		}
		if repeats(form) || inRow(withoutDoubles(form)) && len(form) > 3 || pieces(form, local) <= maxPieces {
			return true
		}
	}
	return false
}

func letterOrDigit(r rune) rune {
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return r
	}
	return -1
}

// unleet undoes the usual disguises of letters, each of which is one byte.
var unleet = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i")

// pieces returns of how few pieces s is made; more than maxPieces: of too many
// to be worth counting, or s is too long.
func pieces(s, local string) int {
	if len(s) > maxTried {
		return maxPieces + 1
	}
	plain := unleet.Replace(s)
	fewest := make([]int, len(s)+1) // to get to a byte of s
	for i := 1; i <= len(s); i++ {
		fewest[i] = maxPieces + 1
	}
	for i := range len(s) {
		if fewest[i] >= maxPieces {
			continue
		}
		for j := i + 1; j <= len(s); j++ {
			if n := fewest[i] + 1; n < fewest[j] && piece(s[i:j], plain[i:j], local) {
				fewest[j] = n
			}
		}
	}
	return fewest[len(s)]
}

func piece(s, plain, local string) bool {
	if len(s) == 1 || commonBases()[s] || commonBases()[plain] || len(local) > 2 && s == local {
		return true
	}
	if strings.Trim(s, s[:1]) == "" {
		return true // one sign again and again
	}
	if len(s) == 4 && (s[:2] == "19" || s[:2] == "20") && strings.Trim(s, "0123456789") == "" {
		return true // a year
	}
	return len(s) > 2 && inRow(s)
}

// repeats reports whether s is a text of up to four bytes again and again.
func repeats(s string) bool {
	for n := 1; n <= 4 && 2*n <= len(s); n++ {
		if strings.HasPrefix(strings.Repeat(s[:n], len(s)/n+1), s) {
			return true
		}
	}
	return false
}

// withoutDoubles returns s with each sign once where it stands several times
// in a row.
func withoutDoubles(s string) string {
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		if i == 0 || s[i] != s[i-1] {
			b = append(b, s[i])
		}
	}
	return string(b)
}

// rows are what fingers run along. Each is read both ways, and round.
var rows = []string{
	"abcdefghijklmnopqrstuvwxyz", "01234567890", "1234567890", "qwertyuiopasdfghjklzxcvbnm", "qwertzuiopasdfghjklyxcvbnm",
	"azertyuiopqsdfghjklmwxcvbn", "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p", "q1w2e3r4t5y6u7i8o9p0", "1q2w3e4r5t6y7u8i9o0p",
	"a1b2c3d4e5f6g7h8i9j0", "1a2b3c4d5e6f7g8h9i0j", "qazwsxedcrfvtgbyhnujmikolp", "741852963", "147258369", "123123123", "112233445566778899",
	"!@#$%^&*()", "zaq12wsxcde34rfv", "aabbccddeeffgghh", "123qweasdzxc", "qweasdzxc123",
}

var allRows = sync.OnceValue(func() []string {
	out := make([]string, 0, 2*len(rows))
	for _, r := range rows {
		b := []byte(r)
		for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
		out = append(out, r+r, string(b)+string(b))
	}
	return out
})

// inRow reports whether s is a part of a row.
func inRow(s string) bool {
	for _, r := range allRows() {
		if len(s) > 2 && strings.Contains(r, s) {
			return true
		}
	}
	return false
}

// params are the costs of argon2id.
type params struct {
	memory  uint32 // KiB
	time    uint32
	threads uint8
}

// current is what the OWASP Password Storage Cheat Sheet gives for argon2id.
// Hashes with other costs are replaced when their owner signs in.
var current = params{memory: 19 * 1024, time: 2, threads: 1}

const (
	saltLength = 16
	hashLength = 32
	// hashWait is how long a password waits for its turn, and maxWaiting how
	// many may wait.
	hashWait   = 10 * time.Second
	maxWaiting = 200
)

// A hasher hashes passwords, a few at a time: each takes 19 MiB.
type hasher struct {
	params
	slots   chan struct{}
	waiting atomic.Int32
	dummy   string // of a password that nobody has
}

func newHasher(p params) *hasher {
	h := &hasher{params: p, slots: make(chan struct{}, min(max(2, runtime.GOMAXPROCS(0)), 8))}
	h.dummy = h.phc(make([]byte, saltLength), make([]byte, hashLength))
	return h
}

// run calls f when it is its turn.
func (h *hasher) run(ctx context.Context, f func()) error {
	busy := &registry.Error{Kind: registry.ErrUnavailable, RetryAfter: 5 * time.Second, Msg: "Too many people are signing in at this moment. Please try again."}
	if h.waiting.Add(1) > maxWaiting {
		h.waiting.Add(-1)
		return busy
	}
	defer h.waiting.Add(-1)
	wait := time.NewTimer(hashWait)
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
		phc = h.phc(salt, argon2.IDKey([]byte(norm.NFC.String(password)), salt, h.time, h.memory, h.threads, hashLength))
	})
	return phc, err
}

var b64 = base64.RawStdEncoding

func (p params) phc(salt, hash []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.memory, p.time, p.threads, b64.EncodeToString(salt), b64.EncodeToString(hash))
}

// verify reports whether a password has a hash, and whether the hash should be
// replaced by one with the current costs. An empty hash takes as long as any
// other, and no password has it.
func (h *hasher) verify(ctx context.Context, phc, password string) (ok, stale bool, err error) {
	none := phc == ""
	if none {
		phc = h.dummy
	}
	p, salt, want, err := parsePHC(phc)
	if err != nil {
		return false, false, err
	}
	if utf8.RuneCountInString(password) > 4*MaxPassword {
		password = "" // no account has such a password
	}
	err = h.run(ctx, func() {
		got := argon2.IDKey([]byte(norm.NFC.String(password)), salt, p.time, p.memory, p.threads, uint32(len(want)))
		ok = subtle.ConstantTimeCompare(got, want) == 1 && !none
	})
	return ok, p != h.params, err
}

// parsePHC reads a hash in PHC form. It refuses costs that would take the
// machine's memory.
func parsePHC(s string) (p params, salt, hash []byte, err error) {
	bad := fmt.Errorf("a stored password hash is not argon2id in PHC form")
	parts := strings.Split(s, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return p, nil, nil, bad
	}
	if n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &p.memory, &p.time, &p.threads); n != 3 || err != nil ||
		p.memory < 8 || p.memory > 1<<20 || p.time < 1 || p.time > 20 || p.threads < 1 || p.threads > 16 {
		return p, nil, nil, bad
	}
	salt, err = b64.DecodeString(parts[4])
	if err != nil || len(salt) < 8 || len(salt) > 64 {
		return p, nil, nil, bad
	}
	hash, err = b64.DecodeString(parts[5])
	if err != nil || len(hash) < 16 || len(hash) > 64 {
		return p, nil, nil, bad
	}
	return p, salt, hash, nil
}
