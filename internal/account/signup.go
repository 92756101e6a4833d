package account

import (
	"context"
	"errors"
	"time"

	"mcpcensus/internal/registry"
)

// The next step after a sign-up or a change of address. It depends on the
// configuration, not on the address.
const (
	NextSignIn   = "sign_in"        // the address is confirmed
	NextMail     = "check_mail"     // a link was sent
	NextOperator = "await_operator" // the operator confirms the address
)

// Next returns the next step after a sign-up or a change of address by the visitor of
// ctx.
func (a *Accounts) Next(ctx context.Context) string {
	switch {
	case a.Mail != nil:
		return NextMail
	case a.trusts(ctx):
		return NextSignIn
	}
	return NextOperator
}

// trusts reports whether an address that the visitor of ctx enters needs no
// confirmation.
func (a *Accounts) trusts(ctx context.Context) bool { return a.Trusting && VisitorOf(ctx).Local }

// SignUp adds an account. If the address already has one, the response is the same,
// and its owner is notified by mail. Until an account is confirmed, each sign-up with
// its address gets a separate link; following a link sets the password of its sign-up.
func (a *Accounts) SignUp(ctx context.Context, email, password string) error {
	addr, err := ParseAddress(email)
	if err != nil {
		return err
	}
	if err := CheckPassword("password", password, addr); err != nil {
		return err
	}
	hash, err := a.hashOfSignUp(ctx, password)
	if err != nil {
		return err
	}
	now := a.Now()
	l := Login{Account: Account{Email: addr.Shown}, Password: hash}
	var link *Link
	token := ""
	switch {
	case a.Mail != nil:
		link = &Link{Purpose: LinkConfirm, Password: hash, ExpiresAt: now.Add(confirmFor)}
		token, link.Hash = newToken()
	case a.trusts(ctx):
		l.ConfirmedAt = &now
	}
	got, _, err := a.Store.SignUp(ctx, l, addr.Key, link, now)
	if err != nil || a.Mail == nil {
		return err
	}
	return a.later(ctx, "mail after a sign-up", func(ctx context.Context) error {
		if got.ConfirmedAt != nil {
			return a.mail(ctx, got.Email, knownMail, "")
		}
		return a.mail(ctx, addr.Shown, confirmMail, a.linkURL("confirm", token))
	})
}

// signUpLimits returns the limits of sign-ups: ten an hour.
func signUpLimits(v Visitor) []AttemptLimit {
	limits := []AttemptLimit{{
		Key: attemptKey("sign-up", v.Client), Free: 10,
		Step: time.Hour, Max: time.Hour, Decay: 6 * time.Minute,
	}}
	if wide := wideNetwork(v.Client); wide != "" {
		limits = append(limits, AttemptLimit{
			Key: attemptKey("sign-up", wide), Free: 50,
			Step: time.Hour, Max: time.Hour, Decay: 72 * time.Second,
		})
	}
	return limits
}

// hashOfSignUp hashes a password, within the limits of sign-ups.
func (a *Accounts) hashOfSignUp(ctx context.Context, password string) (string, error) {
	v := VisitorOf(ctx)
	limits := signUpLimits(v)
	wait, err := a.Store.Attempt(ctx, a.Now(), limits...)
	if err != nil {
		return "", err
	}
	if wait > 0 {
		return "", &registry.Error{Kind: registry.ErrLimited, Code: tooManyAttempts, RetryAfter: wait,
			Msg: "Too many sign-ups from your network. Please try again in " + waitText(wait) + "."}
	}
	hash, err := a.hasher.hash(ctx, laneSignUp, v.Client, password)
	if err != nil {
		return "", a.unattempted(ctx, err, limits...)
	}
	return hash, nil
}

// Confirm confirms the address of a new account, or a new address, with the
// token of a link.
func (a *Accounts) Confirm(ctx context.Context, token string) (Login, error) {
	if !isToken(token) {
		return Login{}, badLink(nil)
	}
	before, after, err := a.Store.Confirm(ctx, HashToken(token), a.Now())
	if errors.Is(err, registry.ErrNotFound) || errors.Is(err, registry.ErrConflict) {
		return Login{}, badLink(err)
	}
	if err != nil {
		return Login{}, err
	}
	if before.ConfirmedAt != nil && before.Email != after.Email {
		a.notify(ctx, before.Email, emailChangedMail, after.Email)
	}
	return after, nil
}
