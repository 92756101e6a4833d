package account

import (
	"context"
	"crypto/sha256"
	"errors"
	"strconv"
	"time"

	"mcpcensus/internal/registry"
)

// A Visitor is who makes a request, as far as attempts are counted.
type Visitor struct {
	Client string // an IPv4 address or the /64 of an IPv6 address
	Device string // token of the cookie that a browser has since it signed in; "": none
}

// counted returns the key of what is counted.
func counted(what ...string) TokenHash {
	h := sha256.New()
	for _, w := range what {
		h.Write([]byte(strconv.Itoa(len(w)) + ":" + w))
	}
	return TokenHash(h.Sum(nil))
}

// allowances returns what an attempt to sign in counts against. A browser that
// the owner has signed in with counts for itself, whatever strangers do. All
// others are slowed down by address and client, then by client, so that nobody
// tries many addresses, then by address, so that nobody comes from many
// clients: but never by more than a minute, so that its owner comes through.
func allowances(emailKey string, v Visitor, known bool) []Allowance {
	if known {
		return []Allowance{{Key: counted("device", emailKey, v.Device), Free: 10, Step: 2 * time.Second, Max: 15 * time.Minute, Decay: 10 * time.Minute}}
	}
	return []Allowance{
		{Key: counted("pair", emailKey, v.Client), Free: 5, Step: 2 * time.Second, Max: 15 * time.Minute, Decay: 30 * time.Minute},
		{Key: counted("client", v.Client), Free: 50, Step: time.Second, Max: 15 * time.Minute, Decay: time.Minute},
		{Key: counted("address", emailKey), Free: 30, Step: time.Second, Max: time.Minute, Decay: 2 * time.Minute},
	}
}

// attempt counts an attempt, or refuses it.
func (a *Accounts) attempt(ctx context.Context, list ...Allowance) error {
	wait, err := a.Store.Attempt(ctx, a.Now(), list...)
	if err != nil {
		return err
	}
	if wait > 0 {
		return &registry.Error{Kind: registry.ErrLimited, Code: "too_many_attempts", RetryAfter: wait, Msg: "Too many attempts. Please wait " + waitText(wait) + " and try again."}
	}
	return nil
}

func waitText(d time.Duration) string {
	if d <= 90*time.Second {
		return strconv.Itoa(int((d+time.Second-1)/time.Second)) + " seconds"
	}
	return strconv.Itoa(int((d+time.Minute-1)/time.Minute)) + " minutes"
}

// SignIn returns the account that an address and a password belong to. An
// account that is not confirmed yet cannot be told from one that is not there,
// nor from a wrong password: all are an error of kind
// [registry.ErrUnauthorized]. Too many attempts are one of kind
// [registry.ErrLimited] that says how long to wait.
func (a *Accounts) SignIn(ctx context.Context, email, password string, v Visitor) (Login, error) {
	addr, err := ParseAddress(email)
	if err != nil {
		return Login{}, err
	}
	if password == "" {
		return Login{}, &registry.Error{Kind: registry.ErrMissing, Msg: "password is missing", Fields: []registry.FieldError{{Field: "password", Message: "is missing"}}}
	}
	known := false
	if wellFormed(v.Device) {
		if known, err = a.Store.KnowsDevice(ctx, addr.Key, HashToken(v.Device)); err != nil {
			return Login{}, err
		}
	}
	list := allowances(addr.Key, v, known)
	if err := a.attempt(ctx, list...); err != nil {
		return Login{}, err
	}
	l, err := a.Store.AccountOf(ctx, addr.Key)
	if err != nil && !errors.Is(err, registry.ErrNotFound) {
		return Login{}, err
	}
	ok, stale, err := a.hasher.verify(ctx, l.Password, password)
	if err != nil {
		return Login{}, err
	}
	if !ok || l.ConfirmedAt == nil {
		return Login{}, a.wrong()
	}
	if stale {
		better, err := a.hasher.hash(ctx, password)
		if err == nil {
			err = a.Store.UpgradePassword(ctx, l.ID, l.Password, better)
		}
		if err != nil {
			a.Log.Warn("password hash not replaced by a better one", "err", err)
		}
	}
	return l, a.forgive(ctx, list)
}

// forgive takes back an attempt that was right. What was counted for the owner
// alone is forgotten.
func (a *Accounts) forgive(ctx context.Context, list []Allowance) error {
	if err := a.Store.ForgetAttempts(ctx, list[0].Key); err != nil {
		return err
	}
	var keys []TokenHash
	for _, l := range list[1:] {
		keys = append(keys, l.Key)
	}
	if len(keys) == 0 {
		return nil
	}
	return a.Store.Forgive(ctx, keys...)
}

// wrong is what a sign-in that fails is answered with.
func (a *Accounts) wrong() error {
	msg := "The address or the password is wrong, or the address is not confirmed yet."
	switch {
	case a.Mail != nil:
		msg += " To confirm it, follow the link that was sent to it; to get a new password, ask for a reset."
	case !a.Trusting:
		msg += " The operator of this registry confirms addresses and resets passwords."
	}
	return &registry.Error{Kind: registry.ErrUnauthorized, Code: "wrong_credentials", Msg: msg}
}

// NewDevice returns a token for the cookie of a browser in which the owner of
// an account has just signed in.
func (a *Accounts) NewDevice(ctx context.Context, id int64) (string, error) {
	token, hash := newToken()
	return token, a.Store.KnowDevice(ctx, id, hash, a.Now())
}

// Known reports whether a browser's token is that of one in which the owner of
// an account has signed in before.
func (a *Accounts) Known(ctx context.Context, l Account, device string) (bool, error) {
	addr, err := ParseAddress(l.Email)
	if err != nil || !wellFormed(device) {
		return false, nil
	}
	return a.Store.KnowsDevice(ctx, addr.Key, HashToken(device))
}

// OwnerOf returns the account in whose name somebody has signed in in the
// browser that has a token, 0 if nobody has.
func (a *Accounts) OwnerOf(ctx context.Context, device string) (int64, error) {
	if !wellFormed(device) {
		return 0, nil
	}
	return a.Store.DeviceOwner(ctx, HashToken(device))
}

// A Proof shows that who asks for something that matters is the owner, and not
// somebody at the owner's open browser: the password, or, for accounts without
// one, a sign-in a short time ago.
type Proof struct {
	Password   string
	SignedInAt time.Time
}

// freshFor is how long a sign-in is proof.
const freshFor = 10 * time.Minute

// prove checks a proof. Wrong passwords are limited, whoever has the session.
func (a *Accounts) prove(ctx context.Context, l Login, p Proof) error {
	if l.Password == "" {
		if a.Now().Sub(p.SignedInAt) > freshFor {
			return &registry.Error{Kind: registry.ErrForbidden, Code: "sign_in_again", Msg: "This account has no password. Sign in with GitHub again, and repeat this within ten minutes."}
		}
		return nil
	}
	if p.Password == "" {
		return &registry.Error{Kind: registry.ErrMissing, Msg: "password is missing", Fields: []registry.FieldError{{Field: "password", Message: "is missing"}}}
	}
	list := []Allowance{{Key: counted("proof", strconv.FormatInt(l.ID, 10)), Free: 5, Step: 2 * time.Second, Max: 15 * time.Minute, Decay: 10 * time.Minute}}
	if err := a.attempt(ctx, list...); err != nil {
		return err
	}
	ok, _, err := a.hasher.verify(ctx, l.Password, p.Password)
	if err != nil {
		return err
	}
	if !ok {
		return &registry.Error{Kind: registry.ErrForbidden, Code: "wrong_password", Msg: "The password is wrong.",
			Fields: []registry.FieldError{{Field: "password", Message: "is wrong"}}}
	}
	return a.forgive(ctx, list)
}

// EndSessions ends all sessions of an account, everywhere.
func (a *Accounts) EndSessions(ctx context.Context, id int64) error {
	_, err := a.Store.EndSessions(ctx, id, a.entry(id, ByOwner, "sessions.ended", "signed out everywhere"))
	return err
}
