package account

import (
	"context"
	"strconv"
	"strings"
	"time"

	"mcpcensus/internal/registry"
)

// A letter is the template of a mail. {site} is the name of the registry, {base} its URL,
// and {it} a link, a name or another variable part.
type letter struct{ subject, body string }

var (
	confirmMail = letter{"Confirm your email address",
		`Someone (hopefully you) signed up for {site} ({base})
with this email address.

To confirm it, follow this link within 24 hours:

{it}

If it wasn't you, ignore this email. The account can't be used unless someone
follows the link.`}

	knownMail = letter{"You already have an account",
		`Someone (hopefully you) tried to use this email address for an account at {site}
({base}). You already have an account, and nothing was changed.

If you forgot your password, you can reset it on the sign-in page. If it wasn't
you, ignore this email.`}

	resetMail = letter{"Reset your password",
		`Someone (hopefully you) asked to reset your password at {site}
({base}).

To set a new password, follow this link within one hour:

{it}

If it wasn't you, ignore this email. Your password stays the same.`}

	signInMail = letter{"Your sign-in link",
		`Someone (hopefully you) asked for a link to sign in at {site}
({base}).

To sign in, follow this link within 30 minutes:

{it}

If it wasn't you, ignore this email. Don't share the link with anyone.`}

	changeMail = letter{"Confirm your new email address",
		`Someone (hopefully you) wants to use this email address for an account at {site}
({base}).

To confirm it, follow this link within 24 hours:

{it}

If it wasn't you, ignore this email. The account keeps its address.`}

	emailChangedMail = letter{"Your email address was changed",
		`The email address of your account at {site} ({base})
was changed to:

{it}

If it wasn't you, contact the operator of the registry.`}

	passwordChangedMail = letter{"Your password was changed",
		`The password of your account at {site} ({base}) was changed,
and all sessions were signed out.{it}

If it wasn't you, reset your password on the sign-in page.`}

	githubLinkedMail = letter{"GitHub was linked to your account",
		`The GitHub user {it} can now sign in to your account at {site}
({base}).

If it wasn't you, unlink GitHub in the settings and change your password.`}

	provenMail = letter{"Your email address was confirmed",
		`Someone signed up for {site} ({base})
with this email address earlier, and did not confirm it. You have now confirmed it by
signing in ({it}).

The password of that sign-up no longer works. To set your own, use
"Forgot password" on the sign-in page.`}

	newDeviceMail = letter{"New sign-in to your account",
		`Someone (hopefully you) signed in to your account at {site}
({base}) with a new browser or program.

{it}

If it wasn't you, change your password and end the session in the settings.`}

	keyMail = letter{"A new API key was created",
		`An API key named "{it}" was created for your account at {site}
({base}).

If it wasn't you, revoke the key and change your password.`}

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
		`You are invited to join an account at {site} ({base}).

To accept, follow this link within seven days, and sign in or sign up with this
email address:

{it}

If you didn't expect this, ignore this email.`}

	joinedMail = letter{"Someone joined your account",
		`{it} joined your account at {site}
({base}).

If you didn't expect this, remove them on the members page.`}

	factorSetMail = letter{"Two-step sign-in is on",
		`Signing in to your account at {site} ({base})
now requires a code from your authenticator app.

If it wasn't you, contact the operator of the registry.`}

	factorRemovedMail = letter{"Two-step sign-in is off",
		`Signing in to your account at {site} ({base})
no longer requires a code from your authenticator app.

If it wasn't you, change your password immediately.`}

	recoveryUsedMail = letter{"A recovery code was used",
		`Someone (hopefully you) used a recovery code of your account at {site}
({base}). Codes left: {it}.

If it wasn't you, change your password and create new recovery codes.`}

	deletedMail = letter{"Your account was deleted",
		`Your account at {site} ({base}) and all its data were deleted.`}
)

// mayMail limits how often an address gets a letter, so that others cannot fill
// its mailbox. At least one passes every half hour, the lifetime of the shortest link.
func (a *Accounts) mayMail(ctx context.Context, to string, t letter) error {
	wait, err := a.Store.Attempt(ctx, a.Now(), AttemptLimit{
		Key: attemptKey("mail", strings.ToLower(asciiOf(to)), t.subject), Free: 4,
		Step: 5 * time.Minute, Max: 30 * time.Minute, Decay: 20 * time.Minute,
	})
	if err == nil && wait > 0 {
		err = registry.Errorf(registry.ErrLimited, "This address has received this email too often. Please try again later.")
	}
	return err
}

// mayMailOthers limits mail that an account causes to addresses of its choice: sixty, as
// many as an organisation has members, and then six an hour.
func (a *Accounts) mayMailOthers(ctx context.Context, account int64) error {
	return a.attempt(ctx, AttemptLimit{Key: attemptKey("mails", strconv.FormatInt(account, 10)),
		Free: 60, Step: 10 * time.Minute, Max: 10 * time.Minute, Decay: 10 * time.Minute})
}

// alsoGitHub returns a paragraph about a linked GitHub user for passwordChangedMail.
func alsoGitHub(l Login) string {
	if l.GitHubID == 0 {
		return ""
	}
	return "\n\nThe GitHub user " + l.GitHubLogin + " can sign in as well. If you don't\n" +
		"recognise it, unlink GitHub in the settings."
}

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
