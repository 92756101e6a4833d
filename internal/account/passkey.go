package account

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"mcpcensus/internal/registry"
)

// MaxPasskeys is the maximum number of passkeys of an account.
const MaxPasskeys = 10

// passkeyFor is how long a challenge is valid.
const passkeyFor = 5 * time.Minute

// A Passkey is a WebAuthn credential of an account.
type Passkey struct {
	ID         int64
	Account    int64
	Name       string
	CreatedAt  time.Time
	UsedAt     *time.Time          // of the last sign-in; nil: none
	Credential webauthn.Credential // with the current sign count, without attestation
}

// A PasskeyStore stores passkeys, and challenges by the hash of a token. The error is of
// kind registry.ErrNotFound if the passkey or challenge does not exist.
type PasskeyStore interface {
	// Passkeys returns the passkeys of an account, oldest first.
	Passkeys(ctx context.Context, account int64) ([]Passkey, error)
	// PasskeyOwner returns the account of a credential.
	PasskeyOwner(ctx context.Context, credential []byte) (account int64, err error)
	// AddPasskey adds a passkey. The error is of kind registry.ErrConflict if its
	// credential exists, or the account already has that many.
	AddPasskey(ctx context.Context, p Passkey, most int, e AuditEntry) error
	// UsePasskey records a sign-in. It returns false if the stored sign count is not
	// lower than that of p; authenticators without one always send 0.
	UsePasskey(ctx context.Context, p Passkey, now time.Time) (bool, error)
	RenamePasskey(ctx context.Context, id int64, name string, e AuditEntry) error
	DropPasskey(ctx context.Context, id int64, e AuditEntry) error
	SaveChallenge(ctx context.Context, token TokenHash, data []byte, expires time.Time) error
	// TakeChallenge removes a challenge that has not expired, and returns its data.
	TakeChallenge(ctx context.Context, token TokenHash, now time.Time) ([]byte, error)
}

// newWebAuthn returns the relying party of a registry, with the host and the origin of
// the base URL. A loopback address becomes localhost, because passkeys require a name.
// It returns nil for other addresses, and for plain HTTP to other hosts, where browsers
// do not allow passkeys.
func newWebAuthn(baseURL, site string) *webauthn.WebAuthn {
	u, err := url.Parse(baseURL)
	if err != nil {
		return nil
	}
	host := u.Hostname()
	if ip, err := netip.ParseAddr(host); err == nil {
		if !ip.IsLoopback() {
			return nil
		}
		host = "localhost"
	}
	if u.Scheme != "https" && host != "localhost" {
		return nil
	}
	origin := u.Scheme + "://" + host
	if port := u.Port(); port != "" {
		origin += ":" + port
	}
	w, err := webauthn.New(&webauthn.Config{
		RPID: host, RPDisplayName: site, RPOrigins: []string{origin},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey:      protocol.ResidentKeyRequirementRequired,
			UserVerification: protocol.VerificationRequired,
		},
	})
	if err != nil {
		return nil
	}
	return w
}

// PasskeyOrigin returns the origin at which passkeys work, "" if they do not.
func (a *Accounts) PasskeyOrigin() string {
	if a.webauthn == nil {
		return ""
	}
	return a.webauthn.Config.RPOrigins[0]
}

// A passkeyUser adapts an account to package webauthn.
type passkeyUser struct {
	Login
	passkeys []Passkey
}

// WebAuthnID returns the user handle, which authenticators store.
func (u passkeyUser) WebAuthnID() []byte {
	sum := sha256.Sum256([]byte("passkeys of account " + strconv.FormatInt(u.ID, 10)))
	return sum[:]
}

// WebAuthnName implements [webauthn.User].
func (u passkeyUser) WebAuthnName() string { return u.Email }

// WebAuthnDisplayName implements [webauthn.User].
func (u passkeyUser) WebAuthnDisplayName() string { return u.Email }

// WebAuthnCredentials implements [webauthn.User].
func (u passkeyUser) WebAuthnCredentials() []webauthn.Credential {
	all := make([]webauthn.Credential, len(u.passkeys))
	for i, p := range u.passkeys {
		all[i] = p.Credential
	}
	return all
}

func (a *Accounts) passkeyUser(ctx context.Context, l Login) (passkeyUser, error) {
	all, err := a.Store.Passkeys(ctx, l.ID)
	return passkeyUser{l, all}, err
}

// NewPasskey begins the registration of a passkey, after a proof and, where the account
// has a second factor, a code. It returns the options for the browser, and a token for
// [Accounts.AddPasskey].
func (a *Accounts) NewPasskey(
	ctx context.Context, l Login, p Proof, code string,
) (*protocol.CredentialCreation, string, error) {
	if err := a.provePasskey(ctx, l, p, code); err != nil {
		return nil, "", err
	}
	user, err := a.passkeyUser(ctx, l)
	if err != nil {
		return nil, "", err
	}
	exclude := webauthn.WithExclusions(webauthn.Credentials(user.WebAuthnCredentials()).CredentialDescriptors())
	options, session, err := a.webauthn.BeginRegistration(user, exclude)
	if err != nil {
		return nil, "", fmt.Errorf("options of a passkey: %w", err)
	}
	token, err := a.saveChallenge(ctx, session)
	return options, token, err
}

// provePasskey checks a proof, and a code if the account has a second factor.
func (a *Accounts) provePasskey(ctx context.Context, l Login, p Proof, code string) error {
	if a.webauthn == nil {
		return NoPasskey("This registry does not support passkeys, which require HTTPS and a host name.")
	}
	f, err := a.Factor(ctx, l.ID)
	if err != nil {
		return err
	}
	if f != nil {
		return a.proveWithCode(ctx, l, p, code)
	}
	return a.prove(ctx, l, p)
}

func (a *Accounts) saveChallenge(ctx context.Context, session *webauthn.SessionData) (string, error) {
	data, err := json.Marshal(session)
	if err != nil {
		return "", err
	}
	token, hash := newToken()
	return token, a.Store.SaveChallenge(ctx, hash, data, a.Now().Add(passkeyFor))
}

// takeChallenge returns the challenge of a token, once.
func (a *Accounts) takeChallenge(ctx context.Context, token string) (session webauthn.SessionData, err error) {
	late := &registry.Error{Kind: registry.ErrForbidden, Code: "passkey_expired",
		Msg: "This passkey request has expired or was already used. Please try again."}
	if a.webauthn == nil || !isToken(token) {
		return session, late
	}
	data, err := a.Store.TakeChallenge(ctx, HashToken(token), a.Now())
	if errors.Is(err, registry.ErrNotFound) {
		return session, late
	}
	if err != nil {
		return session, err
	}
	return session, json.Unmarshal(data, &session)
}

// NoPasskey is the error for a passkey that does not exist.
func NoPasskey(msg string) error {
	return &registry.Error{Kind: registry.ErrNotFound, Code: "passkey_not_found", Msg: msg}
}

func wrongPasskey(err error) error {
	return &registry.Error{Kind: registry.ErrForbidden, Code: "wrong_passkey", Cause: err,
		Msg:    "This passkey was not accepted.",
		Fields: []registry.FieldError{{Field: "credential", Message: "was not accepted"}}}
}

func checkPasskeyName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if n := utf8.RuneCountInString(name); n == 0 || n > 60 {
		return "", registry.Invalid("name", "must have 1 to 60 characters")
	}
	return name, nil
}

// AddPasskey adds the passkey that a browser has created, as JSON, with the token of
// [Accounts.NewPasskey].
func (a *Accounts) AddPasskey(ctx context.Context, l Login, token, name, created string) error {
	name, err := checkPasskeyName(name)
	if err != nil {
		return err
	}
	session, err := a.takeChallenge(ctx, token)
	if err != nil {
		return err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(created))
	if err != nil {
		return wrongPasskey(err)
	}
	credential, err := a.webauthn.CreateCredential(passkeyUser{Login: l}, session, parsed)
	if err != nil {
		return wrongPasskey(err)
	}
	credential.Attestation = webauthn.CredentialAttestation{}
	p := Passkey{Account: l.ID, Name: name, CreatedAt: a.Now(), Credential: *credential}
	if err := a.Store.AddPasskey(ctx, p, MaxPasskeys, a.entry(l.ID, ByOwner, "passkey.added", name)); err != nil {
		return err
	}
	a.notify(ctx, l.Email, passkeyAddedMail, name)
	return nil
}

// RenamePasskey changes the name of a passkey of an account.
func (a *Accounts) RenamePasskey(ctx context.Context, l Login, id int64, name string) error {
	name, err := checkPasskeyName(name)
	if err != nil {
		return err
	}
	return a.Store.RenamePasskey(ctx, id, name, a.entry(l.ID, ByOwner, "passkey.renamed", name))
}

// RemovePasskey removes a passkey of an account.
func (a *Accounts) RemovePasskey(ctx context.Context, l Login, p Proof, id int64) error {
	if err := a.prove(ctx, l, p); err != nil {
		return err
	}
	all, err := a.Store.Passkeys(ctx, l.ID)
	if err != nil {
		return err
	}
	for _, key := range all {
		if key.ID != id {
			continue
		}
		if err := a.Store.DropPasskey(ctx, id, a.entry(l.ID, ByOwner, "passkey.removed", key.Name)); err != nil {
			return err
		}
		a.notify(ctx, l.Email, passkeyRemovedMail, key.Name)
		return nil
	}
	return NoPasskey("The account has no such passkey.")
}

// BeginPasskeySignIn returns options for a browser to sign in with a passkey, and a token
// for [Accounts.SignInByPasskey]. With an account, only its passkeys count.
func (a *Accounts) BeginPasskeySignIn(ctx context.Context, l *Login) (*protocol.CredentialAssertion, string, error) {
	if a.webauthn == nil {
		return nil, "", NoPasskey("This registry does not support passkeys.")
	}
	options, session, err := a.webauthn.BeginDiscoverableLogin()
	if err == nil && l != nil {
		user, storeErr := a.passkeyUser(ctx, *l)
		if storeErr != nil {
			return nil, "", storeErr
		}
		if len(user.passkeys) == 0 {
			return nil, "", NoPasskey("The account has no passkeys.")
		}
		options, session, err = a.webauthn.BeginLogin(user)
	}
	if err != nil {
		return nil, "", fmt.Errorf("options of a sign-in: %w", err)
	}
	token, err := a.saveChallenge(ctx, session)
	return options, token, err
}

// SignInByPasskey returns the account of a passkey, for the response of a browser as
// JSON and the token of [Accounts.BeginPasskeySignIn]. Limits are those of passwords. A passkey
// verifies its user, so it needs no further factor.
func (a *Accounts) SignInByPasskey(ctx context.Context, token, response string) (Login, error) {
	session, err := a.takeChallenge(ctx, token)
	if err != nil {
		return Login{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(response))
	if err != nil {
		return Login{}, wrongPasskey(err)
	}
	user, limits, err := a.passkeyOwner(ctx, parsed.RawID)
	if err != nil {
		return Login{}, err
	}
	if err := a.attempt(ctx, limits...); err != nil {
		return Login{}, a.offerLink(err)
	}
	used, err := a.verifyPasskey(user, session, parsed)
	if err == nil {
		var ok bool
		if ok, err = a.Store.UsePasskey(ctx, used, a.Now()); err != nil {
			return Login{}, err
		}
		if !ok {
			err = errors.New("the sign count is not higher than the last one")
		}
	}
	if err != nil {
		a.noteFailure(ctx, user.ID, "wrong passkey")
		return Login{}, wrongPasskey(err)
	}
	return user.Login, a.forgive(ctx, limits...)
}

// passkeyOwner returns the account of a credential, without an ID if there is none, and
// the limits of attempts to sign in to it.
func (a *Accounts) passkeyOwner(
	ctx context.Context, credential []byte,
) (u passkeyUser, limits []AttemptLimit, err error) {
	v := VisitorOf(ctx)
	id, err := a.Store.PasskeyOwner(ctx, credential)
	if errors.Is(err, registry.ErrNotFound) {
		return u, signInLimits("", v, false), nil
	}
	if err != nil {
		return u, nil, err
	}
	l, err := a.Store.Account(ctx, id)
	if err != nil {
		return u, nil, err
	}
	known, err := a.Known(ctx, l.Account, v.Device)
	if err != nil {
		return u, nil, err
	}
	addr, err := ParseAddress(l.Email)
	if err != nil {
		return u, nil, err
	}
	u, err = a.passkeyUser(ctx, l)
	return u, signInLimits(addr.Key, v, known), err
}

// verifyPasskey returns the passkey of a valid response, with its new sign count.
func (a *Accounts) verifyPasskey(
	u passkeyUser, session webauthn.SessionData, parsed *protocol.ParsedCredentialAssertionData,
) (Passkey, error) {
	if u.ID == 0 || u.ConfirmedAt == nil {
		return Passkey{}, errors.New("unknown credential")
	}
	var credential *webauthn.Credential
	var err error
	if len(session.UserID) > 0 {
		credential, err = a.webauthn.ValidateLogin(u, session, parsed)
	} else {
		owner := func(_, _ []byte) (webauthn.User, error) { return u, nil }
		credential, err = a.webauthn.ValidateDiscoverableLogin(owner, session, parsed)
	}
	if err != nil {
		return Passkey{}, err
	}
	for _, p := range u.passkeys {
		if string(p.Credential.ID) == string(credential.ID) {
			p.Credential = *credential
			return p, nil
		}
	}
	return Passkey{}, errors.New("unknown credential")
}
