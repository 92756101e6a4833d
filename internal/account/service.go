package account

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"mcpcensus/internal/registry"
)

// A Store stores accounts. Addresses are given as [Address.Key]. Entries of the audit log get the
// network and the user agent of the context's visitor. The error is of kind registry.ErrNotFound
// for accounts, links and invitations that do not exist.
type Store interface {
	Account(ctx context.Context, id int64) (Login, error)
	AccountOf(ctx context.Context, emailKey string) (Login, error)

	// SignUp adds an account, or returns the one that the address has; added says which.
	// The audit log names the actor, and how they signed up.
	SignUp(ctx context.Context, l Login, emailKey, actor, how string, now time.Time) (got Login,
		added bool, err error)
	// ChangeEmail changes the address of an account to that of a link. All its links and
	// sessions end. The error is of kind registry.ErrConflict if another account has the address.
	ChangeEmail(ctx context.Context, l Link, e AuditEntry) (Login, error)
	EndSessions(ctx context.Context, id int64, e AuditEntry) (Login, error)
	DeleteAccount(ctx context.Context, id int64) error

	// AddLink adds a link. With Browser it replaces earlier links of the browser and purpose.
	AddLink(ctx context.Context, l Link, now time.Time) error
	// LinkWaits reports whether a link can be used in a browser.
	LinkWaits(ctx context.Context, hash TokenHash, purpose string, browser TokenHash,
		now time.Time) (bool, error)
	// TakeLink uses a link in a browser.
	TakeLink(ctx context.Context, hash TokenHash, purpose string, browser TokenHash,
		now time.Time) (Link, error)
	// TakeCode uses the link of a browser by its code. After [CodeTries] wrong codes the
	// link is gone. While the [CodeLimit] of the address is reached, no code is tried, and
	// the error is of kind registry.ErrLimited, with RetryAfter. known is the key of the
	// address that the browser has signed in with before, or "".
	TakeCode(ctx context.Context, code TokenHash, purpose string, browser TokenHash,
		known string, now time.Time) (Link, error)

	// CountMail counts a mail in all limits, or in none if one is reached; then it
	// returns how long to wait for which one.
	CountMail(ctx context.Context, now time.Time, limits ...MailLimit) (
		wait time.Duration, of TokenHash, err error)

	// Audit returns the latest entries of an account, newest first, at most limit.
	Audit(ctx context.Context, account int64, limit int) ([]AuditEntry, error)
	// RecordRepeated adds an entry. One with the same action, detail, network and
	// agent within the last hour is updated instead.
	RecordRepeated(ctx context.Context, e AuditEntry) error
	// SignedInFrom reports whether an account has signed in from the network and user
	// agent of the visitor before, and whether it has signed in at all.
	SignedInFrom(ctx context.Context, account int64) (here, ever bool, err error)

	// TakeUsageAlerts records the alerts that are due at now and returns the new ones.
	// All processes together get each account, UTC day and percentage once. limits are
	// the daily limits by plan ID.
	TakeUsageAlerts(ctx context.Context, now time.Time, limits map[string]int,
		percents []int) ([]UsageAlert, error)
	// SetUsageAlerts turns the alerts of an account on or off.
	SetUsageAlerts(ctx context.Context, id int64, on bool, e AuditEntry) error

	// Invite adds an invitation. It replaces one of the same address. The error is of kind
	// registry.ErrConflict if the address is already a member or the account has MaxMembers.
	Invite(ctx context.Context, by int64, i Invitation, now time.Time) error
	// Invitation returns the invitation with a token.
	Invitation(ctx context.Context, hash TokenHash, now time.Time) (ShownInvitation, error)
	// Accept uses an invitation of the address of a person.
	Accept(ctx context.Context, person int64, hash TokenHash, now time.Time) (Membership, error)

	AccountOfGitHub(ctx context.Context, id int64) (Login, error)
	LinkGitHub(ctx context.Context, account, github int64, login string, now time.Time) (Login, error)
	UnlinkGitHub(ctx context.Context, account int64, now time.Time) (Login, error)

	// EmailLinks returns the links that change an address to that one, newest first.
	EmailLinks(ctx context.Context, emailKey string, now time.Time) ([]Link, error)
	// IsEmpty reports whether the registry has no accounts and no repositories.
	IsEmpty(ctx context.Context) (bool, error)
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
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Site = cmp.Or(o.Site, "Census")
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

// entry returns an entry of the audit log.
func (a *Accounts) entry(id int64, actor, action, detail string) AuditEntry {
	return AuditEntry{At: a.Now(), Account: id, Actor: actor, Action: action, Detail: detail}
}

// ForOperator returns the account with an address. The error is of kind
// [registry.ErrNotFound] if it does not exist.
func (a *Accounts) ForOperator(ctx context.Context, email string) (Account, error) {
	addr, err := ParseAddress(email)
	if err != nil {
		return Account{}, err
	}
	l, err := a.Store.AccountOf(ctx, addr.Key)
	if errors.Is(err, registry.ErrNotFound) {
		return Account{}, registry.Errorf(registry.ErrNotFound, "no account has the address %s",
			addr.Shown)
	}
	return l.Account, err
}

// ConfirmByOperator confirms a requested change of address, given the new one. If several
// accounts requested it, from is the current address of one of them; otherwise it may be "".
// It returns the address before and after.
func (a *Accounts) ConfirmByOperator(
	ctx context.Context, email, from string,
) (before, after string, err error) {
	addr, err := ParseAddress(email)
	if err != nil {
		return "", "", err
	}
	links, err := a.Store.EmailLinks(ctx, addr.Key, a.Now())
	if err != nil {
		return "", "", err
	}
	asked := map[string]Link{} // by the current address of the account
	for _, link := range links {
		l, err := a.Store.Account(ctx, link.Account)
		if err != nil {
			return "", "", err
		}
		if from == "" || strings.EqualFold(from, l.Email) {
			asked[l.Email] = link
		}
	}
	owners := slices.Sorted(maps.Keys(asked))
	switch len(owners) {
	case 0:
		return "", "", registry.Errorf(registry.ErrNotFound,
			"nobody asked to change an address to %s", addr.Shown)
	case 1:
		l, err := a.changeEmail(ctx, asked[owners[0]], ByOperator)
		if errors.Is(err, registry.ErrConflict) {
			err = registry.Errorf(registry.ErrConflict, "another account has the address %s",
				addr.Shown)
		}
		return owners[0], l.Email, err
	}
	return "", "", registry.Errorf(registry.ErrConflict,
		"several accounts asked for the address %s: choose one of %s with --from", addr.Shown,
		strings.Join(owners, ", "))
}

// LinkByOperator returns a link that signs in to the account with an address, in any browser.
// If create, it adds the account if there is none.
func (a *Accounts) LinkByOperator(
	ctx context.Context, email string, create bool,
) (link string, err error) {
	addr, err := ParseAddress(email)
	if err != nil {
		return "", err
	}
	if create {
		_, _, err = a.Store.SignUp(ctx, Login{Account: Account{Email: addr.Shown}}, addr.Key,
			ByOperator, "added by the operator", a.Now())
	}
	if err != nil {
		return "", err
	}
	l, err := a.ForOperator(ctx, email)
	if err != nil {
		return "", err
	}
	token, hash := newToken()
	now := a.Now()
	if err := a.Store.AddLink(ctx, Link{Hash: hash, Purpose: LinkSignIn, Email: l.Email,
		EmailKey: addr.Key, ExpiresAt: now.Add(LinkFor)}, now); err != nil {
		return "", err
	}
	return a.linkURL(pages[LinkSignIn], token),
		a.Store.RecordRepeated(ctx, a.entry(l.ID, ByOperator, "signin.link_asked", "a link was printed"))
}

// FirstLink returns a link that signs in to a new account of the operator if the registry is
// empty, "" if it is not. Of several processes, one gets the link.
func (a *Accounts) FirstLink(ctx context.Context, email string) (link string, err error) {
	addr, err := ParseAddress(email)
	if err != nil {
		return "", err
	}
	if empty, err := a.Store.IsEmpty(ctx); err != nil || !empty {
		return "", err
	}
	_, added, err := a.Store.SignUp(ctx, Login{Account: Account{Email: addr.Shown}}, addr.Key,
		ByOperator, "added at the first start", a.Now())
	if err != nil || !added {
		return "", err
	}
	return a.LinkByOperator(ctx, email, false)
}

// DeleteByOperator deletes an account and all its data.
func (a *Accounts) DeleteByOperator(ctx context.Context, email string) error {
	l, err := a.ForOperator(ctx, email)
	if err != nil {
		return err
	}
	return a.Store.DeleteAccount(ctx, l.ID)
}
