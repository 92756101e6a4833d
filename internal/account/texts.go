package account

import (
	"context"
	"strings"
	"time"

	"mcpcensus/internal/registry"
)

// A text is a mail. {site} is the registry's name, {base} its address, {it} a link, a name, or what else there is to say.
type text struct{ subject, body string }

var (
	confirmMail = text{"Confirm your address", `Somebody, hopefully you, has signed up at {site} ({base}) with this address.

Follow this link within 24 hours to confirm it and to use the account:

{it}

If it was not you, do nothing: without the link, the account cannot be used.`}

	knownMail = text{"You have an account already", `Somebody, hopefully you, wanted to use this address for an account at {site}
({base}). It has one already, and nothing was changed.

If you have forgotten the password, ask for a new one where you sign in. If it
was not you, do nothing.`}

	resetMail = text{"Set a new password", `Somebody, hopefully you, has asked for a new password at {site} ({base}).

Follow this link within one hour to set one:

{it}

If it was not you, do nothing: the password stays as it is.`}

	changeMail = text{"Confirm your new address", `Somebody, hopefully you, wants to use this address for an account at {site}
({base}).

Follow this link within 24 hours to confirm it:

{it}

If it was not you, do nothing: the account keeps its address.`}

	emailChangedMail = text{"Your address was changed", `Your account at {site} ({base}) has another address now:

{it}

If it was not you, write to the operator of the registry.`}

	passwordChangedMail = text{"Your password was changed", `The password of your account at {site} ({base}) was changed,
and everybody who was signed in to it was signed out.{it}

If it was not you, ask for a new password where you sign in.`}

	githubLinkedMail = text{"GitHub was linked to your account", `The GitHub user {it} can sign in to your account at {site}
({base}) from now on.

If it was not you, unlink GitHub in the settings and change your password.`}

	deletedMail = text{"Your account was deleted", `Your account at {site} ({base}) was deleted with everything of it.`}
)

// mayMail refuses a text to an address that got it too often lately: nobody's
// mailbox is filled by what strangers do here. There is always a link that
// works: one is sent every half hour, and none works for less than an hour.
func (a *Accounts) mayMail(ctx context.Context, to string, t text) error {
	wait, err := a.Store.Attempt(ctx, a.Now(), Allowance{
		Key: counted("mail", strings.ToLower(asciiOf(to)), t.subject), Free: 4, Step: 5 * time.Minute, Max: 30 * time.Minute, Decay: 20 * time.Minute,
	})
	if err == nil && wait > 0 {
		err = registry.Errorf(registry.ErrLimited, "the address got this mail too often lately")
	}
	return err
}

// alsoGitHub says in a mail about a new password that it is not the only way
// in.
func alsoGitHub(l Login) string {
	if l.GitHubID == 0 {
		return ""
	}
	return "\n\nThe GitHub user " + l.GitHubLogin + " can sign in to it, too. If you do not\nknow who that is, unlink GitHub in the settings."
}

// mail sends a text to an address.
func (a *Accounts) mail(ctx context.Context, to string, t text, it string) error {
	if err := a.mayMail(ctx, to, t); err != nil {
		return err
	}
	return a.send(to, t, it)
}

func (a *Accounts) send(to string, t text, it string) error {
	body := strings.NewReplacer("{site}", a.Site, "{base}", a.BaseURL, "{it}", it).Replace(t.body)
	return a.Mail.Send(asciiOf(to), a.Site+": "+t.subject, body+"\n")
}

// notify sends a text soon. What was done is done, whether it can be sent or
// not.
func (a *Accounts) notify(to string, t text, it string) {
	if a.Mail == nil {
		return
	}
	if err := a.later("mail: "+t.subject, func(ctx context.Context) error { return a.mail(ctx, to, t, it) }); err != nil {
		a.Log.Error("not done for an account", "task", "mail: "+t.subject, "err", err)
	}
}
