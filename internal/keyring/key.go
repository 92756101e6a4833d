package keyring

import (
	"crypto/rand"
	"crypto/sha256"
	"math/big"
	"strings"
	"unicode/utf8"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

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
