package account

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"time"

	"mcpcensus/internal/registry"
)

// A Store stores accounts. Addresses are given as [Address.Key].
type Store interface {
	Reader
	Writer
	OperatorStore
	GitHubStore
	LinkStore
	MailLimitStore
	AuditStore
	AlertStore
	MemberStore
}

// A Reader reads accounts. The error is of kind registry.ErrNotFound if the
// account does not exist.
type Reader interface {
	Account(ctx context.Context, id int64) (Login, error)
	AccountOf(ctx context.Context, emailKey string) (Login, error)
}

// A Writer changes accounts.
type Writer interface {
	// SignUp adds an account, or returns the one that the address has; added says which.
	// The audit log names the actor, and how they signed up.
	SignUp(ctx context.Context, l Login, emailKey, actor, how string, now time.Time) (got Login,
		added bool, err error)
	// ChangeEmail changes the address of an account to that of a link. All its links and
	// sessions end.
	// The error is of kind registry.ErrConflict if another account has the address.
	ChangeEmail(ctx context.Context, l Link, e AuditEntry) (Login, error)
	EndSessions(ctx context.Context, id int64, e AuditEntry) (Login, error)
	DeleteAccount(ctx context.Context, id int64) error
}

// A Mailer sends mail, possibly later. to is an address in ASCII.
type Mailer interface {
	Send(to, subject, text string) error
}

// Options configure Accounts.
type Options struct {
	Store   Store
	Mail    Mailer  // nil: the operator prints links
	GitHub  *GitHub // nil: no sign-in with GitHub
	OIDC    *OIDC   // nil: no sign-in with OpenID Connect
	BaseURL string  // of links in mail, without a trailing slash
	Site    string  // name of the registry in mail; "": Census
	Key     []byte  // secret, of proofs; nil: random
	Log     *slog.Logger
	Now     func() time.Time // nil: time.Now
}

// Accounts are the accounts of a registry.
type Accounts struct {
	Options
	tasks      chan task
	warnShared sync.Once
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
	if o.Key == nil {
		o.Key = []byte(rand.Text())
	}
	return &Accounts{Options: o, tasks: make(chan task, maxTasks)}
}

// A task is work after the response, which does not affect the response time.
type task struct {
	name string
	do   func(ctx context.Context) error
}

const (
	maxTasks    = 1000             // in the queue
	taskTimeout = 20 * time.Second // for each
	drainFor    = 5 * time.Second  // tasks continue when the process stops
)

// Run runs tasks, and sends usage alerts every minute, until ctx is done and the queue
// is empty or drainFor has passed.
func (a *Accounts) Run(ctx context.Context) error {
	tick := time.NewTicker(alertEvery)
	defer tick.Stop()
	for {
		select {
		case t := <-a.tasks:
			a.do(context.WithoutCancel(ctx), t)
		case <-tick.C:
			if a.Mail != nil {
				a.do(ctx, task{"usage alerts", a.AlertUsage})
			}
		case <-ctx.Done():
			rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainFor)
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
	ctx, cancel := context.WithTimeout(ctx, taskTimeout)
	defer cancel()
	err := t.do(ctx)
	switch {
	case errors.Is(err, registry.ErrLimited):
		a.Log.Info("account task refused", "task", t.name, "err", err)
	case err != nil:
		a.Log.Error("account task failed", "task", t.name, "err", err)
	}
}

// later enqueues a task for the visitor of ctx. It fails if the queue is full.
func (a *Accounts) later(
	ctx context.Context, name string, do func(ctx context.Context) error,
) error {
	v := VisitorOf(ctx)
	t := task{name, func(ctx context.Context) error { return do(WithVisitor(ctx, v)) }}
	select {
	case a.tasks <- t:
		return nil
	default:
		return &registry.Error{Kind: registry.ErrUnavailable, RetryAfter: 10 * time.Second,
			Msg: "The server is busy. Please try again in a moment."}
	}
}

// background is [Accounts.later] for work whose errors are only logged.
func (a *Accounts) background(ctx context.Context, name string, do func(ctx context.Context) error) {
	if err := a.later(ctx, name, do); err != nil {
		a.Log.Error("account task failed", "task", name, "err", err)
	}
}

// Get returns the account with an id. The error is of kind
// [registry.ErrNotFound] if it does not exist.
func (a *Accounts) Get(ctx context.Context, id int64) (Login, error) {
	return a.Store.Account(ctx, id)
}

// entry returns an entry of the audit log.
func (a *Accounts) entry(id int64, actor, action, detail string) AuditEntry {
	return AuditEntry{At: a.Now(), Account: id, Actor: actor, Action: action, Detail: detail}
}

// A Cleaner deletes expired sessions, links and counts of mails. It returns the number of rows.
type Cleaner interface {
	ForgetAccounts(ctx context.Context, now time.Time) (int, error)
}

// Forget deletes everything that has expired at now, and returns the number of rows.
func Forget(ctx context.Context, db Cleaner, now time.Time) (int, error) {
	return db.ForgetAccounts(ctx, now)
}
