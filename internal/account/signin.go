package account

import (
	"context"
	"errors"
	"net/netip"
	"strconv"
	"time"

	"mcpcensus/internal/registry"
)

// A DeviceStore stores the browsers that owners of accounts have signed in with.
type DeviceStore interface {
	KnowDevice(ctx context.Context, account int64, device TokenHash, now time.Time) error
	KnowsDevice(ctx context.Context, emailKey string, device TokenHash) (bool, error)
	// DeviceOwner returns the account that a device belongs to, 0 for none.
	DeviceOwner(ctx context.Context, device TokenHash) (account int64, err error)
}

// signInLimits returns the limits of an attempt to sign in. A known device has its own
// limit, which others cannot use up. Other attempts count by address and client, and by
// client, which stops trying many addresses. No limit counts by address alone, because
// others could lock the owner out.
func signInLimits(emailKey string, v Visitor, known bool) []AttemptLimit {
	if known {
		return []AttemptLimit{{
			Key: attemptKey("device", emailKey, v.Device), Free: 10,
			Step: 2 * time.Second, Max: 15 * time.Minute, Decay: 10 * time.Minute,
		}}
	}
	limits := []AttemptLimit{
		{
			Key: attemptKey("pair", emailKey, v.Client), Free: 5, Extend: true,
			Step: 2 * time.Second, Max: 15 * time.Minute, Decay: 30 * time.Minute,
		},
		{
			Key: attemptKey("client", v.Client), Free: 50,
			Step: time.Second, Max: 15 * time.Minute, Decay: time.Minute,
		},
	}
	if wide := wideNetwork(v.Client); wide != "" {
		limits = append(limits, AttemptLimit{
			Key: attemptKey("wide", emailKey, wide), Free: 30, Extend: true,
			Step: 2 * time.Second, Max: 15 * time.Minute, Decay: 5 * time.Minute,
		})
	}
	return limits
}

// signInLane returns the lane of an attempt to sign in, and the client that it counts
// for. Known devices count by account, because an owner may have any number of devices.
func signInLane(emailKey string, v Visitor, known bool) (lane, string) {
	if known {
		return laneKnown, emailKey
	}
	return laneSignIn, v.Client
}

// wideNetwork returns the /48 network of an IPv6 client, all of which one subscriber
// may own, and "" for other clients.
func wideNetwork(client string) string {
	a, err := netip.ParseAddr(client)
	if err != nil || !a.Is6() {
		return ""
	}
	return netip.PrefixFrom(a, 48).Masked().String()
}

// SignIn returns the account with an address and a password. The error is of
// kind [registry.ErrUnauthorized], with the same text for a wrong password, an address
// without an account and an unconfirmed address, and of kind [registry.ErrLimited] after
// too many attempts.
func (a *Accounts) SignIn(ctx context.Context, email, password string) (Login, error) {
	v := VisitorOf(ctx)
	addr, err := ParseAddress(email)
	if err != nil {
		return Login{}, err
	}
	if password == "" {
		return Login{}, Missing("password")
	}
	known := false
	if isToken(v.Device) {
		if known, err = a.Store.KnowsDevice(ctx, addr.Key, HashToken(v.Device)); err != nil {
			return Login{}, err
		}
	}
	limits := signInLimits(addr.Key, v, known)
	if err := a.attempt(ctx, limits...); err != nil {
		return Login{}, a.offerLink(err)
	}
	l, err := a.Store.AccountOf(ctx, addr.Key)
	if err != nil && !errors.Is(err, registry.ErrNotFound) {
		return Login{}, err
	}
	priority, client := signInLane(addr.Key, v, known)
	ok, stale, err := a.hasher.verify(ctx, priority, client, l.Password, password)
	if err != nil {
		return Login{}, a.unattempted(ctx, err, limits...)
	}
	if !ok || l.ConfirmedAt == nil {
		a.noteFailure(ctx, l.ID, "wrong password")
		return Login{}, a.wrongCredentials(ctx)
	}
	if stale {
		a.upgradeHash(ctx, l, password)
	}
	return l, a.forgive(ctx, limits...)
}

// offerLink mentions the sign-in by mail, which the limits do not affect.
func (a *Accounts) offerLink(err error) error {
	e, ok := errors.AsType[*registry.Error](err)
	if !ok || e.Code != tooManyAttempts {
		return err
	}
	if a.Mail != nil {
		e.Msg += " You can also sign in with a link that we send you."
	}
	return e
}

// RequestSignIn sends a link to sign in, if the address has a confirmed account.
func (a *Accounts) RequestSignIn(ctx context.Context, email string) error {
	addr, err := ParseAddress(email)
	if err != nil || a.Mail == nil {
		return err
	}
	return a.later(ctx, "sign-in link", func(ctx context.Context) error {
		l, err := a.Store.AccountOf(ctx, addr.Key)
		if errors.Is(err, registry.ErrNotFound) || err == nil && l.ConfirmedAt == nil {
			return nil
		}
		if err != nil {
			return err
		}
		if err := a.mayMail(ctx, l.Email, signInMail); err != nil {
			return err
		}
		token, hash := newToken()
		link := Link{Hash: hash, Purpose: LinkSignIn, ExpiresAt: a.Now().Add(signInFor)}
		e := a.entry(l.ID, BySomebody, "signin.link_asked", "a link was sent, valid for 30 minutes")
		if err := a.Store.AddLink(ctx, l.ID, link, e); err != nil {
			return err
		}
		return a.send(l.Email, signInMail, a.linkURL("sign-in-link", token))
	})
}

// SignInByLink returns the account of a link that [Accounts.RequestSignIn] sent.
// The link can be used once.
func (a *Accounts) SignInByLink(ctx context.Context, token string) (Login, error) {
	if !isToken(token) {
		return Login{}, badLink(nil)
	}
	l, err := a.Store.UseSignInLink(ctx, HashToken(token), a.Now())
	if errors.Is(err, registry.ErrNotFound) {
		return Login{}, badLink(err)
	}
	return l, err
}

// upgradeHash replaces a password hash that has outdated costs.
func (a *Accounts) upgradeHash(ctx context.Context, l Login, password string) {
	better, err := a.hasher.hash(ctx, laneSignIn, "", password)
	if err == nil {
		err = a.Store.UpgradePassword(ctx, l.ID, l.Password, better)
	}
	if err != nil {
		a.Log.Warn("cannot upgrade a password hash", "err", err)
	}
}

func (a *Accounts) wrongCredentials(ctx context.Context) error {
	msg := "Wrong email address or password, or the address is not confirmed yet."
	switch {
	case a.Mail != nil:
		msg += " Follow the link we sent you to confirm it, or reset your password."
	case !a.trusts(ctx):
		msg += " The operator of this registry confirms addresses and resets passwords."
	}
	return &registry.Error{Kind: registry.ErrUnauthorized, Code: "wrong_credentials", Msg: msg}
}

// Missing is the error for a missing field of a request.
func Missing(field string) error {
	return &registry.Error{Kind: registry.ErrMissing, Msg: field + " is required",
		Fields: []registry.FieldError{{Field: field, Message: "is required"}}}
}

// NewDevice returns a token for the cookie of a browser that the owner of an account has
// signed in with.
func (a *Accounts) NewDevice(ctx context.Context, id int64) (string, error) {
	token, hash := newToken()
	return token, a.Store.KnowDevice(ctx, id, hash, a.Now())
}

// Known reports whether the owner of an account has signed in with the browser of a
// token before.
func (a *Accounts) Known(ctx context.Context, l Account, device string) (bool, error) {
	addr, err := ParseAddress(l.Email)
	if err != nil || !isToken(device) {
		return false, nil
	}
	return a.Store.KnowsDevice(ctx, addr.Key, HashToken(device))
}

// OwnerOf returns the account that has signed in with the browser of a token, 0 for
// none.
func (a *Accounts) OwnerOf(ctx context.Context, device string) (int64, error) {
	if !isToken(device) {
		return 0, nil
	}
	return a.Store.DeviceOwner(ctx, HashToken(device))
}

// A Proof shows that a request comes from the owner, not just from the owner's
// open browser: the password or, for accounts without one, a recent sign-in.
type Proof struct {
	Password   string
	SignedInAt time.Time
}

// recentFor is how long after a sign-in it counts as proof.
const recentFor = 10 * time.Minute

// ownerClient returns the client of slots for an owner who is signed in.
func ownerClient(l Login) string { return "account " + strconv.FormatInt(l.ID, 10) }

// prove checks a proof. It limits wrong passwords.
func (a *Accounts) prove(ctx context.Context, l Login, p Proof) error {
	if l.Password == "" {
		if a.Now().Sub(p.SignedInAt) > recentFor {
			return &registry.Error{Kind: registry.ErrForbidden, Code: "sign_in_again",
				Msg: "This account has no password. Sign in again, then retry " +
					"within 10 minutes."}
		}
		return nil
	}
	if p.Password == "" {
		return Missing("password")
	}
	limit := AttemptLimit{
		Key: attemptKey("proof", strconv.FormatInt(l.ID, 10)), Free: 5,
		Step: 2 * time.Second, Max: 15 * time.Minute, Decay: 10 * time.Minute,
	}
	if err := a.attempt(ctx, limit); err != nil {
		return err
	}
	ok, _, err := a.hasher.verify(ctx, laneKnown, ownerClient(l), l.Password, p.Password)
	if err != nil {
		return a.unattempted(ctx, err, limit)
	}
	if !ok {
		return &registry.Error{Kind: registry.ErrForbidden, Code: "wrong_password",
			Msg:    "Wrong password.",
			Fields: []registry.FieldError{{Field: "password", Message: "is wrong"}}}
	}
	return a.forgive(ctx, limit)
}
