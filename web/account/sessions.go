package account

import (
	"context"

	"mcpcensus/internal/account"
)

type sessionsPage struct {
	form
	Sessions []account.SessionInfo
}

// sessions returns the page of the sessions of an account.
func (v *request) sessions(ctx context.Context) (p sessionsPage, err error) {
	acc, err := v.signedIn(ctx)
	if err != nil {
		return p, err
	}
	p.form = v.newForm(ctx, "Sessions", "settings")
	p.Sessions, err = v.People.SessionsOf(ctx, acc.ID)
	return p, err
}

func (v *request) endSession(ctx context.Context) error {
	return submit(v, ctx, "account-sessions", (*request).sessions, func() error {
		return v.done(ctx, v.People.EndSession(ctx, v.form.Get("id")),
			Prefix+"/sessions", "The session was ended.")
	})
}
