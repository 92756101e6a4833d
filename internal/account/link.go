package account

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"mcpcensus/internal/registry"
)

// How long links work.
const (
	confirmFor = 24 * time.Hour
	resetFor   = time.Hour
	// operatorFor is how long a change of address waits for the operator.
	operatorFor = 7 * 24 * time.Hour
)

// newToken returns 32 random bytes as text that fits in addresses and cookies,
// with their hash.
func newToken() (string, TokenHash) {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	token := base64.RawURLEncoding.EncodeToString(b)
	return token, HashToken(token)
}

// HashToken returns what is stored of a token.
func HashToken(token string) TokenHash { return sha256.Sum256([]byte(token)) }

// wellFormed reports whether a text may be a token.
func wellFormed(token string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(token)
	return err == nil && len(b) == 32
}

// badLink is what every link that does not work is answered with.
func badLink(cause error) error {
	return &registry.Error{
		Kind: registry.ErrInvalid, Code: "invalid_link", Cause: cause,
		Msg:    "This link does not work: it was used already, or is too old, or is not whole. Ask for another.",
		Fields: []registry.FieldError{{Field: "token", Message: "does not work any more"}},
	}
}
