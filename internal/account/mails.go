package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcpcensus/internal/hosts"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// A letter is the template of a mail. {site} is the name of the registry, {base} its URL,
// and {it} a link, a name or another variable part.
type letter struct{ subject, body string }

var (
	signInMail = letter{"Sign in",
		`Someone (hopefully you) wants to sign in to {site} ({base})
with this email address. If it has no account yet, signing in creates one.

Follow this link within 15 minutes, in the browser in which you asked for it:

{it}

If it wasn't you, ignore this email. Never give the link or the code to anyone.`}

	changeMail = letter{"Confirm your new email address",
		`Someone (hopefully you) wants to use this email address for an account at {site}
({base}).

To confirm it, follow this link within 15 minutes, in the browser in which you asked for it:

{it}

If it wasn't you, ignore this email. The account keeps its address.`}

	emailChangedMail = letter{"Your email address was changed",
		`The email address of your account at {site} ({base})
was changed to:

{it}

If it wasn't you, contact the operator of the registry.`}

	githubLinkedMail = letter{"GitHub was linked to your account",
		`The GitHub user {it} can now sign in to your account at {site}
({base}).

If it wasn't you, unlink GitHub and end all other sessions in the settings.`}

	newDeviceMail = letter{"New sign-in to your account",
		`Someone (hopefully you) signed in to your account at {site}
({base}) with a new browser or program.

{it}

If it wasn't you, end the session in the settings. Anyone who can read your email can
sign in: check that nobody else can.`}

	keyMail = letter{"A new API key was created",
		`An API key named "{it}" was created for your account at {site}
({base}).

If it wasn't you, revoke the key and end all other sessions in the settings.`}

	planMail = letter{"Your plan was changed",
		`The plan of your account at {site} ({base})
is now: {it}

If you didn't expect this, contact the operator of the registry.`}

	usageMail = letter{"You have used 80% of today's requests",
		`Your account at {site} ({base})
has used 80% of the {it}.

Once all are used, requests to /v1 are rejected until midnight UTC.
You can turn off these emails in the account settings.`}

	usedUpMail = letter{"You have used all of today's requests",
		`Your account at {site} ({base})
has used all of the {it}.

Requests to /v1 are rejected until midnight UTC.
You can turn off these emails in the account settings.`}

	invitationMail = letter{"You are invited to an account",
		`You are invited to join an account at {site} ({base}):

{it}

To accept, follow the link within seven days, and sign in with this email address.
If you don't know who invites you, ignore this email.`}

	joinedMail = letter{"Someone joined your account",
		`{it} joined your account at {site}
({base}).

If you didn't expect this, remove them on the members page.`}

	deletedMail = letter{"Your account was deleted",
		`Your account at {site} ({base}) and all its data were deleted.`}
)

// mail sends a letter within the limits of mayMail.
func (a *Accounts) mail(ctx context.Context, to string, t letter, it string) error {
	if err := a.mayMail(ctx, to, t); err != nil {
		return err
	}
	return a.send(to, t, it)
}

func (a *Accounts) send(to string, t letter, it string) error {
	body := strings.NewReplacer("{site}", a.Site, "{base}", a.BaseURL, "{it}", it).Replace(t.body)
	return a.Mail.Send(asciiOf(to), a.Site+": "+t.subject, body+"\n")
}

// notify sends a letter later. Errors are only logged.
func (a *Accounts) notify(ctx context.Context, to string, t letter, it string) {
	if a.Mail == nil {
		return
	}
	a.background(ctx, "mail: "+t.subject, func(ctx context.Context) error {
		return a.mail(ctx, to, t, it)
	})
}

// AlertPercents are the percentages of the daily limit at which owners get mail.
var AlertPercents = []int{80, 100}

// A UsageAlert reports that an account has used a percentage of its daily limit.
type UsageAlert struct {
	Account int64
	Percent int
}

// SetUsageAlerts turns usage alerts on or off.
func (a *Accounts) SetUsageAlerts(ctx context.Context, id int64, on bool) error {
	detail := "off"
	if on {
		detail = "on"
	}
	return a.Store.SetUsageAlerts(ctx, id, on, a.entry(id, ByOwner, "usage_alerts.changed", detail))
}

// alertEvery is how often usage is compared with limits.
const alertEvery = time.Minute

// AlertUsage sends the alerts that are due. An account that passes several percentages
// at once gets one mail.
func (a *Accounts) AlertUsage(ctx context.Context) error {
	limits := map[string]int{}
	for _, p := range Plans {
		if p.Daily > 0 {
			limits[p.ID] = p.Daily
		}
	}
	now := a.Now()
	alerts, err := a.Store.TakeUsageAlerts(ctx, now, limits, AlertPercents)
	if err != nil {
		return err
	}
	highest := map[int64]int{}
	for _, x := range alerts {
		highest[x.Account] = max(highest[x.Account], x.Percent)
	}
	for id, percent := range highest {
		mail := usageMail
		if percent >= 100 {
			mail = usedUpMail
		}
		a.notifyAccount(ctx, id, mail, func(l Login) string {
			return fmt.Sprintf("%d requests per day of the %s plan", l.At(now).Daily, l.At(now).Name)
		})
	}
	return nil
}

// A MailLimit is a number of mails, or of wrong codes from them, in a time.
type MailLimit struct {
	Key TokenHash // identifies the count
	Max int
	In  time.Duration // at most a day
}

// CodeLimit is the limit of wrong codes for the mails to an address. When it is reached, no
// code signs in, so that nobody can guess for long. Browsers that are known to have signed in
// with the address count apart from strangers.
func CodeLimit(emailKey string, known bool) MailLimit {
	of := "code"
	if known {
		of = "code again"
	}
	return MailLimit{Key: limitKey(of, emailKey), Max: 10, In: 24 * time.Hour}
}

// Limits of mails in an hour.
const (
	asksPerAddress = 3
	asksPerNetwork = 20 // a /24 of IPv4, a /48 of IPv6
	sameLetters    = 4  // of one kind to an address
	mailsToOthers  = 60 // that an account causes; an organization has at most 50 members
)

func limitKey(parts ...string) TokenHash { return sha256.Sum256(fmt.Appendf(nil, "%q", parts)) }

func (a *Accounts) countMail(ctx context.Context, limits ...MailLimit) error {
	wait, of, err := a.Store.CountMail(ctx, a.Now(), limits...)
	if err != nil || wait <= 0 {
		return err
	}
	if v := VisitorOf(ctx); of == networkKey(v) && hosts.KindOf(v.Client) != hosts.Public {
		a.warnShared.Do(func() {
			a.Log.Warn("the limit of sign-in mails is reached for clients on this machine or a "+
				"private network; if they come through a proxy, it must send X-Forwarded-For and "+
				"be in CENSUS_TRUSTED_PROXIES, otherwise all its visitors share the limit",
				"network", v.Network())
		})
	}
	return &registry.Error{Kind: registry.ErrLimited, Code: "too_many_attempts", RetryAfter: wait,
		Msg: "Too many emails were requested for this address or from your network. Please try again in " +
			text.Count((wait+time.Minute-1)/time.Minute, "minute") + "."}
}

// ProofFor is how long a proof is valid.
const ProofFor = 180 * 24 * time.Hour

// Proof returns what a browser keeps after signing in to an account. Only this registry can
// make it. It is valid for [ProofFor], and for the epoch of the account, which ends with its
// address.
func (a *Accounts) Proof(l Login) string {
	return a.proof(fmt.Sprintf("%d.%d.%d", l.ID, l.Epoch, a.Now().Unix()))
}

func (a *Accounts) proof(of string) string {
	mac := hmac.New(sha256.New, a.Key)
	mac.Write([]byte("signed in: " + of))
	return of + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// proven returns the Address.Key that the proof of the visitor of ctx is for, "" without a
// valid one.
func (a *Accounts) proven(ctx context.Context) (emailKey string, err error) {
	proof := VisitorOf(ctx).Proof
	of := proof[:max(strings.LastIndexByte(proof, '.'), 0)]
	if !hmac.Equal([]byte(proof), []byte(a.proof(of))) {
		return "", nil
	}
	var id, at int64
	var epoch int
	if _, err := fmt.Sscanf(of, "%d.%d.%d", &id, &epoch, &at); err != nil {
		return "", nil
	}
	if a.Now().Sub(time.Unix(at, 0)) >= ProofFor {
		return "", nil
	}
	l, err := a.Store.Account(ctx, id)
	if errors.Is(err, registry.ErrNotFound) || err == nil && l.Epoch != epoch {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	addr, _ := ParseAddress(l.Email)
	return addr.Key, nil
}

// mayAsk counts a mail with a link that a visitor asks for. Browsers that have signed in with the
// address count apart from strangers, who can use up only their own limits.
func (a *Accounts) mayAsk(ctx context.Context, to Address) error {
	known, err := a.proven(ctx)
	if err != nil {
		return err
	}
	if known == to.Key {
		return a.countMail(ctx,
			MailLimit{Key: limitKey("ask again", to.Key), Max: asksPerAddress, In: time.Hour})
	}
	v := VisitorOf(ctx)
	limits := []MailLimit{{Key: limitKey("ask", to.Key), Max: asksPerAddress, In: time.Hour}}
	if v.Network() != "" {
		limits = append(limits, MailLimit{Key: networkKey(v), Max: asksPerNetwork, In: time.Hour})
	}
	return a.countMail(ctx, limits...)
}

func networkKey(v Visitor) TokenHash { return limitKey("network", v.Network()) }

// mayMail limits how often an address gets a letter, so that others cannot fill its mailbox.
func (a *Accounts) mayMail(ctx context.Context, to string, t letter) error {
	return a.countMail(ctx, MailLimit{
		Key: limitKey("mail", strings.ToLower(asciiOf(to)), t.subject), Max: sameLetters,
		In: time.Hour})
}
