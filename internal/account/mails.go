package account

import (
	"context"
	"fmt"
	"strings"
	"time"
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
