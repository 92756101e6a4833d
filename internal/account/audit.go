package account

import (
	"context"
	"time"
)

// AuditFor is how long entries of the audit log are stored.
const AuditFor = 365 * 24 * time.Hour

// auditLength is the maximum number of entries on a page or in a list.
const auditLength = 100

// Audit returns the latest entries of the audit log of an account, newest first.
func (a *Accounts) Audit(ctx context.Context, id int64) ([]AuditEntry, error) {
	return a.Store.Audit(ctx, id, auditLength)
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
