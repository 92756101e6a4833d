package account

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"image/png"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"mcpcensus/internal/registry"
)

// A Factor is the second factor of an account: time-based one-time passwords
// (RFC 6238), and recovery codes.
type Factor struct {
	Secret   string // in base32; not shown after the setup, never logged
	Since    time.Time
	Recovery int // unused recovery codes
}

// A FactorStore stores second factors.
type FactorStore interface {
	// Factor returns the second factor of an account. The error is of kind
	// registry.ErrNotFound if it has none.
	Factor(ctx context.Context, account int64) (Factor, error)
	// SetFactor sets or replaces a second factor. step is the time step of the code
	// that confirmed it.
	SetFactor(ctx context.Context, secret string, step int64, recovery []TokenHash, e AuditEntry) error
	// SetRecovery replaces the recovery codes.
	SetRecovery(ctx context.Context, recovery []TokenHash, e AuditEntry) error
	// UseStep records the time step of a code. It returns false unless it is later
	// than that of the last code.
	UseStep(ctx context.Context, account, step int64) (bool, error)
	// UseRecovery removes a recovery code, and returns false if there is none.
	UseRecovery(ctx context.Context, hash TokenHash, e AuditEntry) (bool, error)
	DropFactor(ctx context.Context, e AuditEntry) error
}

const (
	recoveryCodes  = 10
	recoveryLength = 24 // characters: 120 bits
	totpPeriod     = 30 // seconds
)

// Factor returns the second factor of an account, nil for none.
func (a *Accounts) Factor(ctx context.Context, id int64) (*Factor, error) {
	f, err := a.Store.Factor(ctx, id)
	if errors.Is(err, registry.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &f, nil
}

// NewFactor returns a secret for an authenticator app. It is not stored.
func (a *Accounts) NewFactor(l Account) (secret string, err error) {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: a.Site, AccountName: l.Email, SecretSize: 20})
	if err != nil {
		return "", err
	}
	return key.Secret(), nil
}

// FactorURL returns the URL of a secret for authenticator apps.
func (a *Accounts) FactorURL(l Account, secret string) (string, error) {
	key, err := a.factorKey(l, secret)
	if err != nil {
		return "", err
	}
	return key.URL(), nil
}

// FactorImage returns the QR code of [Accounts.FactorURL] as a PNG.
func (a *Accounts) FactorImage(l Account, secret string) ([]byte, error) {
	key, err := a.factorKey(l, secret)
	if err != nil {
		return nil, err
	}
	img, err := key.Image(240, 240)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = png.Encode(&out, img)
	return out.Bytes(), err
}

func (a *Accounts) factorKey(l Account, secret string) (*otp.Key, error) {
	raw, err := secretEncoding.DecodeString(secret)
	if err != nil {
		return nil, err
	}
	return totp.Generate(totp.GenerateOpts{Issuer: a.Site, AccountName: l.Email, Secret: raw})
}

// EnableFactor sets the second factor of an account. The code proves that its owner
// has stored the secret. It returns the recovery codes, which are not shown again.
func (a *Accounts) EnableFactor(
	ctx context.Context, l Login, p Proof, secret, code string,
) ([]string, error) {
	if f, err := a.Factor(ctx, l.ID); err != nil || f != nil {
		if err == nil {
			err = registry.Errorf(registry.ErrConflict, "This account already has a second factor. Remove it first.")
		}
		return nil, err
	}
	if code == "" {
		return nil, Missing("code")
	}
	if err := a.prove(ctx, l, p); err != nil {
		return nil, err
	}
	step, ok := a.matchingStep(secret, code)
	if !ok {
		return nil, wrongCode()
	}
	codes, hashes := newRecoveryCodes()
	e := a.entry(l.ID, ByOwner, "factor.set", "authenticator app and recovery codes")
	if err := a.Store.SetFactor(ctx, secret, step, hashes, e); err != nil {
		return nil, err
	}
	a.notify(ctx, l.Email, factorSetMail, "")
	return codes, nil
}

// DisableFactor removes the second factor of an account.
func (a *Accounts) DisableFactor(ctx context.Context, l Login, p Proof, code string) error {
	if err := a.proveWithCode(ctx, l, p, code); err != nil {
		return err
	}
	e := a.entry(l.ID, ByOwner, "factor.removed", "")
	if err := a.Store.DropFactor(ctx, e); err != nil {
		return err
	}
	a.notify(ctx, l.Email, factorRemovedMail, "")
	return nil
}

// RenewRecovery replaces the recovery codes of an account.
func (a *Accounts) RenewRecovery(ctx context.Context, l Login, p Proof, code string) ([]string, error) {
	if err := a.proveWithCode(ctx, l, p, code); err != nil {
		return nil, err
	}
	codes, hashes := newRecoveryCodes()
	e := a.entry(l.ID, ByOwner, "factor.recovery_renewed", "earlier codes no longer work")
	return codes, a.Store.SetRecovery(ctx, hashes, e)
}

func (a *Accounts) proveWithCode(ctx context.Context, l Login, p Proof, code string) error {
	if err := a.prove(ctx, l, p); err != nil {
		return err
	}
	return a.CheckCode(ctx, l, code)
}

// CheckCode checks a code from the authenticator app, or a recovery code, of an
// account with a second factor. Each works once. It limits wrong codes: a known
// device has its own limit; other attempts count by account and client, and also by
// account alone, because a code has only six digits.
func (a *Accounts) CheckCode(ctx context.Context, l Login, code string) error {
	if code == "" {
		return Missing("code")
	}
	f, err := a.Store.Factor(ctx, l.ID)
	if errors.Is(err, registry.ErrNotFound) {
		return registry.Errorf(registry.ErrConflict, "This account has no second factor.")
	}
	if err != nil {
		return err
	}
	known, err := a.Known(ctx, l.Account, VisitorOf(ctx).Device)
	if err != nil {
		return err
	}
	limits := codeLimits(l.ID, VisitorOf(ctx), known)
	if err := a.attempt(ctx, limits...); err != nil {
		return err
	}
	ok := false
	if step, matches := a.matchingStep(f.Secret, code); matches {
		ok, err = a.Store.UseStep(ctx, l.ID, step)
	} else if normal := normalRecovery(code); len(normal) == recoveryLength {
		e := a.entry(l.ID, ByOwner, "factor.recovery_used", "")
		ok, err = a.Store.UseRecovery(ctx, HashToken(normal), e)
		if ok {
			a.notify(ctx, l.Email, recoveryUsedMail, strconv.Itoa(f.Recovery-1))
		}
	}
	if err != nil {
		return err
	}
	if !ok {
		a.noteFailure(ctx, l.ID, "wrong code")
		return wrongCode()
	}
	return a.forgive(ctx, limits...)
}

func codeLimits(id int64, v Visitor, known bool) []AttemptLimit {
	name := strconv.FormatInt(id, 10)
	if known {
		return []AttemptLimit{{
			Key: attemptKey("code device", name, v.Device), Free: 5,
			Step: 2 * time.Second, Max: 15 * time.Minute, Decay: 30 * time.Minute,
		}}
	}
	return []AttemptLimit{
		{
			Key: attemptKey("code", name, v.Client), Free: 5, Extend: true,
			Step: 2 * time.Second, Max: 15 * time.Minute, Decay: 30 * time.Minute,
		},
		{
			Key: attemptKey("code", name), Free: 20,
			Step: time.Second, Max: 5 * time.Minute, Decay: 10 * time.Minute,
		},
	}
}

func wrongCode() error {
	return &registry.Error{Kind: registry.ErrForbidden, Code: "wrong_code",
		Msg: "This code is wrong or was already used. " +
			"Enter the current code from your authenticator app, or a recovery code.",
		Fields: []registry.FieldError{{Field: "code", Message: "is wrong or was already used"}}}
}

// matchingStep returns the time step of a code: the current, the previous or the next
// one, because clocks differ.
func (a *Accounts) matchingStep(secret, code string) (int64, bool) {
	code = strings.ReplaceAll(strings.TrimSpace(code), " ", "")
	now := a.Now().Unix() / totpPeriod
	for _, step := range []int64{now, now - 1, now + 1} {
		ok, err := hotp.ValidateCustom(code, uint64(step), secret,
			hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err == nil && ok {
			return step, true
		}
	}
	return 0, false
}

// newRecoveryCodes returns codes in groups of four characters, and their hashes.
func newRecoveryCodes() (codes []string, hashes []TokenHash) {
	for range recoveryCodes {
		code := strings.ToLower(rand.Text()[:recoveryLength])
		hashes = append(hashes, HashToken(code))
		groups := slices.Collect(slices.Chunk([]byte(code), 4))
		codes = append(codes, string(bytes.Join(groups, []byte("-"))))
	}
	return codes, hashes
}

// normalRecovery returns a recovery code without separators, in lower case.
func normalRecovery(code string) string {
	return strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(code))
}

// ResetFactorByOperator removes the second factor of an account whose owner has lost
// it. All sessions end.
func (a *Accounts) ResetFactorByOperator(ctx context.Context, email string) error {
	l, err := a.ForOperator(ctx, email)
	if err != nil {
		return err
	}
	if f, err := a.Factor(ctx, l.ID); err != nil || f == nil {
		if err == nil {
			err = registry.Errorf(registry.ErrNotFound, "the account has no second factor")
		}
		return err
	}
	if err := a.Store.DropFactor(ctx, a.entry(l.ID, ByOperator, "factor.removed", "")); err != nil {
		return err
	}
	_, err = a.Store.EndSessions(ctx, l.ID, a.entry(l.ID, ByOperator, "sessions.ended", "second factor removed"))
	return err
}
