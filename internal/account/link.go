package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// A TokenHash is the SHA-256 of a random token, which is not stored itself.
type TokenHash [32]byte

// Purposes of links.
const (
	LinkSignIn = "sign_in" // signs in, and adds the account if the address has none
	LinkEmail  = "email"   // changes the address of an account
)

// A Link is a single-use link, without its token. The mail that has it also has a code,
// which does the same in the browser that asked for the mail.
type Link struct {
	Hash      TokenHash
	Purpose   string
	Account   int64      // of LinkEmail; otherwise 0
	Email     string     // to sign in with, or the new address
	EmailKey  string     // Address.Key of Email
	Browser   *TokenHash // of the token of the browser that asked; nil: it works in every browser
	Code      *TokenHash // see codeHash; nil: none
	ExpiresAt time.Time
}

// Limits of links.
const (
	LinkFor    = 15 * time.Minute // how long a link is valid
	CodeTries  = 5
	codeLength = 6
)

// newToken returns 32 random bytes as text for URLs, and their hash.
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

// newCode returns a random code of six digits.
func newCode() string {
	n, _ := rand.Int(rand.Reader, big.NewInt(1_000_000)) // never fails
	return fmt.Sprintf("%06d", n)
}

// codeHash returns the hash that is stored for a code. It depends on the token of the
// browser, which is not stored, so that codes cannot be found by trying all of them.
func codeHash(code, browser string) TokenHash { return HashToken(browser + " " + code) }

func (a *Accounts) linkURL(page, token string) string {
	return a.BaseURL + "/account/" + page + "?token=" + url.QueryEscape(token)
}

// badLink is the error for every invalid link.
func badLink(cause error) error {
	return &registry.Error{
		Kind: registry.ErrInvalid, Code: "invalid_link", Cause: cause,
		Msg: "This link is invalid, has expired or was already used, or was requested in " +
			"another browser.",
	}
}

func badCode(cause error) error {
	return &registry.Error{
		Kind: registry.ErrForbidden, Code: "wrong_code", Cause: cause,
		Msg: "The code is wrong, was already used or has expired. After five wrong codes you need " +
			"a new email.",
	}
}

func tooManyCodes(e *registry.Error) error {
	return &registry.Error{
		Kind: registry.ErrLimited, Code: "too_many_attempts", RetryAfter: e.RetryAfter, Cause: e,
		Msg: "Too many wrong codes were entered for this address. Please follow the link in the " +
			"email, or try again in " +
			text.Count((e.RetryAfter+time.Hour-1)/time.Hour, "hour") + ".",
	}
}

// pages are the pages that use links, by purpose.
var pages = map[string]string{LinkSignIn: "sign-in/link", LinkEmail: "confirm"}

// sendLink stores a link for the browser with a token, and mails it later with its code.
func (a *Accounts) sendLink(
	ctx context.Context, l Link, addr Address, browser string, letter letter,
) error {
	token, hash := newToken()
	code := newCode()
	of, coded := HashToken(browser), codeHash(code, browser)
	l.Hash, l.Email, l.EmailKey, l.Browser, l.Code = hash, addr.Shown, addr.Key, &of, &coded
	l.ExpiresAt = a.Now().Add(LinkFor)
	if err := a.Store.AddLink(ctx, l, a.Now()); err != nil {
		return err
	}
	v := VisitorOf(ctx)
	body := a.linkURL(pages[l.Purpose], token) + "\n\nOr enter this code there:\n\n" +
		code[:3] + " " + code[3:] + "\n\nIt was requested from the network " + v.Network() +
		" with " + v.Program() + "."
	return a.later(ctx, "mail: "+letter.subject, func(context.Context) error {
		return a.send(addr.Shown, letter, body)
	})
}

// takeLink uses a link by the token in its address or, without one, by the code in its mail.
func (a *Accounts) takeLink(ctx context.Context, purpose, token, code, browser string) (Link, error) {
	if token == "" {
		if code = digits(code); len(code) != codeLength { // costs no try
			return Link{}, registry.Invalid("code", "must have six digits")
		}
		known, err := a.proven(ctx)
		if err != nil {
			return Link{}, err
		}
		l, err := a.Store.TakeCode(ctx, codeHash(code, browser), purpose,
			HashToken(browser), known, a.Now())
		if errors.Is(err, registry.ErrNotFound) {
			err = badCode(err)
		}
		if e, ok := errors.AsType[*registry.Error](err); ok && e.Kind == registry.ErrLimited {
			err = tooManyCodes(e)
		}
		return l, err
	}
	if !isToken(token) {
		return Link{}, badLink(nil)
	}
	l, err := a.Store.TakeLink(ctx, HashToken(token), purpose, HashToken(browser), a.Now())
	if errors.Is(err, registry.ErrNotFound) {
		err = badLink(err)
	}
	return l, err
}

// digits returns the digits of a code as it was typed.
func digits(typed string) string {
	var b []byte
	for _, c := range []byte(typed) {
		if c >= '0' && c <= '9' {
			b = append(b, c)
		}
	}
	return string(b)
}

// LinkWaits returns an error unless the link with a token can be used in a browser.
func (a *Accounts) LinkWaits(ctx context.Context, purpose, token, browser string) error {
	if !isToken(token) {
		return badLink(nil)
	}
	ok, err := a.Store.LinkWaits(ctx, HashToken(token), purpose, HashToken(browser), a.Now())
	if err == nil && !ok {
		err = badLink(nil)
	}
	return err
}
