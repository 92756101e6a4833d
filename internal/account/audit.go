package account

import (
	"context"
	"time"
)

// AuditFor is how long entries of the audit log are stored.
const AuditFor = 365 * 24 * time.Hour

// Maximum number of entries on a page or in a list, and in an export.
const (
	AuditLength = 100
	maxExported = 10_000
)

// An AuditStore stores the audit log. Entries get the network and the user agent of the
// context's visitor.
type AuditStore interface {
	// Audit returns the latest entries of an account, newest first.
	Audit(ctx context.Context, account int64, limit int) ([]AuditEntry, error)
	// RecordRepeated adds an entry. One with the same action, detail, network and
	// agent within the last hour is updated instead.
	RecordRepeated(ctx context.Context, e AuditEntry) error
	// SignedInFrom reports whether an account has signed in from the network and user
	// agent of the visitor before, and whether it has signed in at all.
	SignedInFrom(ctx context.Context, account int64) (here, ever bool, err error)
}

// Audit returns the latest entries of the audit log of an account, newest first.
func (a *Accounts) Audit(ctx context.Context, id int64) ([]AuditEntry, error) {
	return a.Store.Audit(ctx, id, AuditLength)
}

// AuditAll returns all stored entries of an account, at most 10,000.
func (a *Accounts) AuditAll(ctx context.Context, id int64) ([]AuditEntry, error) {
	return a.Store.Audit(ctx, id, maxExported)
}

// RecordSignIn records a completed sign-in with the method how. If the owner has not signed
// in from the same network with the same program before, they are notified.
func (a *Accounts) RecordSignIn(ctx context.Context, l Login, how string) error {
	here, ever, err := a.Store.SignedInFrom(ctx, l.ID)
	if err != nil {
		return err
	}
	if err := a.Store.RecordRepeated(ctx, a.entry(l.ID, ByOwner, "signin", how)); err != nil {
		return err
	}
	if !here && ever {
		v := VisitorOf(ctx)
		a.notify(ctx, l.Email, newDeviceMail, "Program: "+v.Program()+"\nNetwork: "+v.Network())
	}
	return nil
}

// NotifyKey notifies the owner of an account of a new key.
func (a *Accounts) NotifyKey(ctx context.Context, id int64, name string) {
	a.notifyAccount(ctx, id, keyMail, func(Login) string { return name })
}

// NotifyPlan notifies the owner of an account of a changed plan.
func (a *Accounts) NotifyPlan(ctx context.Context, id int64) {
	a.notifyAccount(ctx, id, planMail, func(l Login) string {
		now := a.Now()
		plan := l.At(now).Name
		if l.Until != nil && now.Before(*l.Until) {
			plan += " until " + l.Until.Format("2 January 2006") + ", then " + l.At(*l.Until).Name
		}
		return plan
	})
}

// notifyAccount is [Accounts.notify] by the id of the account.
func (a *Accounts) notifyAccount(ctx context.Context, id int64, t letter, it func(Login) string) {
	if a.Mail == nil {
		return
	}
	a.background(ctx, "mail: "+t.subject, func(ctx context.Context) error {
		l, err := a.Store.Account(ctx, id)
		if err != nil {
			return err
		}
		return a.mail(ctx, l.Email, t, it(l))
	})
}
