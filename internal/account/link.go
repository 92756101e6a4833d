package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"net/url"
	"time"

	"mcpcensus/internal/registry"
)

// A TokenHash is the SHA-256 of a random token, which is not stored itself.
type TokenHash [32]byte

// Purposes of links.
const (
	LinkConfirm = "confirm" // confirms the address of a new account
	LinkEmail   = "email"   // confirms a new address of an account
	LinkReset   = "reset"   // sets a password without the old one
	LinkSignIn  = "sign_in" // signs in without the password
)

// A Link is a single-use link, without its token.
type Link struct {
	Hash      TokenHash
	Purpose   string
	Email     string // of LinkEmail: the new address
	EmailKey  string // Address.Key of Email
	Password  string // of LinkConfirm: the hash of the password chosen with it
	ExpiresAt time.Time
}

// A LinkStore stores links.
type LinkStore interface {
	// AddLink adds a link to an account. It replaces earlier links of the
	// purpose, except those of LinkConfirm.
	AddLink(ctx context.Context, account int64, l Link, e AuditEntry) error
	// LinkWaits reports whether a link exists, unused and not expired.
	LinkWaits(ctx context.Context, hash TokenHash, purpose string, now time.Time) (bool, error)
	// Confirm uses a link to confirm an address. It returns the account before
	// and after. The error is of kind registry.ErrNotFound without such a
	// link, and registry.ErrConflict if another account has the address.
	Confirm(ctx context.Context, hash TokenHash, now time.Time) (before, after Login, err error)
	// UseSignInLink uses a link to sign in, and returns its account. The error is of
	// kind registry.ErrNotFound without such a link.
	UseSignInLink(ctx context.Context, hash TokenHash, now time.Time) (Login, error)
	// ResetPassword uses a link to set a password hash.
	ResetPassword(ctx context.Context, hash TokenHash, password string, now time.Time) (Login,
		error)
}

// How long links are valid.
const (
	confirmFor  = 24 * time.Hour
	resetFor    = time.Hour
	signInFor   = 30 * time.Minute
	operatorFor = 7 * 24 * time.Hour // a change of address that the operator confirms
)

// secretEncoding is the encoding of authenticator secrets.
var secretEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// newToken returns 32 random bytes as text for URLs and cookies, and their
// hash.
func newToken() (string, TokenHash) {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	token := base64.RawURLEncoding.EncodeToString(b)
	return token, HashToken(token)
}

// HashToken returns the hash that is stored for a token.
func HashToken(token string) TokenHash { return sha256.Sum256([]byte(token)) }

// isToken reports whether a text has the form of a token.
func isToken(token string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(token)
	return err == nil && len(b) == 32
}

// linkURL returns the URL of a page with a token.
func (a *Accounts) linkURL(page, token string) string {
	return a.BaseURL + "/account/" + page + "?token=" + url.QueryEscape(token)
}

// badLink is the error for every invalid link.
func badLink(cause error) error {
	return &registry.Error{
		Kind: registry.ErrInvalid, Code: "invalid_link", Cause: cause,
		Msg: "This link is invalid, has expired or was already used. Request a new one.",
		Fields: []registry.FieldError{{Field: "token",
			Message: "is invalid, expired or already used"}},
	}
}
