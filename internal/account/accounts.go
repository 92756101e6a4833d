// Package account is what people do with their accounts: sign up and in,
// change and reset passwords, confirm addresses, sign in with GitHub, and
// leave. It knows neither HTTP nor SQL.
//
// Nothing here tells whether an address has an account, by what it answers or
// by how long it takes: what differs is done by [Accounts.Run], later.
package account

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"time"

	"mcpcensus/internal/registry"
)

// A Store keeps accounts. Addresses are given as they are compared.
type Store interface {
	Account(ctx context.Context, id int64) (Login, error)
	AccountOf(ctx context.Context, emailKey string) (Login, error)
	AccountOfGitHub(ctx context.Context, id int64) (Login, error)
	Accounts(ctx context.Context) ([]Account, error)

	SignUp(ctx context.Context, l Login, emailKey string, link *Link, now time.Time) (got Login, made bool, err error)
	SignUpWithGitHub(ctx context.Context, l Login, emailKey string, now time.Time) (got Login, made bool, err error)
	LinkGitHub(ctx context.Context, account, github int64, login string, now time.Time) (Login, error)
	UnlinkGitHub(ctx context.Context, account int64, now time.Time) (Login, error)
	SetPassword(ctx context.Context, id int64, hash string, e AuditEntry) (Login, error)
	UpgradePassword(ctx context.Context, id int64, old, better string) error
	EndSessions(ctx context.Context, id int64, e AuditEntry) (Login, error)
	DeleteAccount(ctx context.Context, id int64) error
	ForgetAccounts(ctx context.Context, unconfirmed, now time.Time) (int, error)

	AddLink(ctx context.Context, account int64, l Link, e AuditEntry) error
	LinkWaits(ctx context.Context, hash TokenHash, purpose string, now time.Time) (bool, error)
	Confirm(ctx context.Context, hash TokenHash, now time.Time) (before, after Login, err error)
	ConfirmByOperator(ctx context.Context, emailKey string, reset Link, now time.Time) (got Login, fresh bool, err error)
	ResetPassword(ctx context.Context, hash TokenHash, password string, now time.Time) (Login, error)
	Audit(ctx context.Context, account int64, limit int) ([]AuditEntry, error)

	Attempt(ctx context.Context, now time.Time, allowances ...Allowance) (time.Duration, error)
	Forgive(ctx context.Context, keys ...TokenHash) error
	ForgetAttempts(ctx context.Context, key TokenHash) error
	KnowDevice(ctx context.Context, account int64, device TokenHash, now time.Time) error
	KnowsDevice(ctx context.Context, emailKey string, device TokenHash) (bool, error)
	// DeviceOwner returns the account that a device is known of, 0: of none.
	DeviceOwner(ctx context.Context, device TokenHash) (account int64, err error)
}

// A Mailer sends mail, or takes it to send it soon. to is an address in ASCII.
type Mailer interface {
	Send(to, subject, text string) error
}

// Options are what Accounts are made of.
type Options struct {
	Store   Store
	Mail    Mailer  // nil: the operator confirms and resets
	GitHub  *GitHub // nil: nobody signs in with GitHub
	BaseURL string  // of the links in mails, without a slash at the end
	Site    string  // name of the registry in mails; "": Census
	// Trusting confirms addresses at once. It is for a registry that only its
	// own machine reaches and that sends no mail.
	Trusting bool
	Log      *slog.Logger
	Now      func() time.Time // nil: time.Now
}

// Accounts are the accounts of a registry.
type Accounts struct {
	Options
	hasher *hasher
	tasks  chan task
}

// New returns the accounts of a registry. [Accounts.Run] must run beside it.
func New(o Options) *Accounts {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Site == "" {
		o.Site = "Census"
	}
	o.Trusting = o.Trusting && o.Mail == nil
	return &Accounts{Options: o, hasher: newHasher(current), tasks: make(chan task, maxTasks)}
}

// A task is what is done after the answer, so that its time tells nothing.
type task struct {
	what string
	do   func(ctx context.Context) error
}

// maxTasks is how many tasks may wait, and taskTime how long each may take.
const (
	maxTasks = 1000
	taskTime = 20 * time.Second
	// drainTime is how long a stopping process goes on with what waits.
	drainTime = 5 * time.Second
)

// Run does what waits until ctx is done, and then what still waits, for some
// seconds. What is not done is logged.
func (a *Accounts) Run(ctx context.Context) error {
	for {
		select {
		case t := <-a.tasks:
			a.do(context.WithoutCancel(ctx), t)
		case <-ctx.Done():
			rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
			defer cancel()
			for {
				select {
				case t := <-a.tasks:
					a.do(rest, t)
				default:
					return nil
				}
			}
		}
	}
}

func (a *Accounts) do(ctx context.Context, t task) {
	ctx, cancel := context.WithTimeout(ctx, taskTime)
	defer cancel()
	err := t.do(ctx)
	switch {
	case errors.Is(err, registry.ErrLimited):
		a.Log.Info("not done for an account", "task", t.what, "why", err)
	case err != nil:
		a.Log.Error("not done for an account", "task", t.what, "err", err)
	}
}

// later has do done soon. It fails if too much waits.
func (a *Accounts) later(what string, do func(ctx context.Context) error) error {
	select {
	case a.tasks <- task{what, do}:
		return nil
	default:
		return &registry.Error{Kind: registry.ErrUnavailable, RetryAfter: 10 * time.Second, Msg: "Too much is going on. Please try again in a moment."}
	}
}

// Get returns the account with that ID. The error is of kind
// [registry.ErrNotFound] if there is none.
func (a *Accounts) Get(ctx context.Context, id int64) (Login, error) {
	return a.Store.Account(ctx, id)
}

// AuditLength is how many entries of the audit log are shown.
const AuditLength = 100

// Audit returns the last changes of an account, the latest first.
func (a *Accounts) Audit(ctx context.Context, id int64) ([]AuditEntry, error) {
	return a.Store.Audit(ctx, id, AuditLength)
}

// unconfirmedFor is how long an account waits to be confirmed.
const unconfirmedFor = 30 * 24 * time.Hour

// Forget deletes sessions, links and attempts that are over, and accounts that
// nobody has confirmed for thirty days. It returns how many rows.
func (a *Accounts) Forget(ctx context.Context) (int, error) {
	now := a.Now()
	return a.Store.ForgetAccounts(ctx, now.Add(-unconfirmedFor), now)
}

// entry returns an entry of the audit log.
func (a *Accounts) entry(id int64, actor, action, detail string) AuditEntry {
	return AuditEntry{At: a.Now(), Account: id, Actor: actor, Action: action, Detail: detail}
}

// link returns the address of a page with a token.
func (a *Accounts) link(page, token string) string {
	return a.BaseURL + "/account/" + page + "?token=" + url.QueryEscape(token)
}
