package account

import (
	"context"
	"net/http"

	"mcpcensus/api/accounts"
	"mcpcensus/internal/account"
)

type sessionsPage struct {
	form
	Sessions []account.SessionInfo
}

// sessions responds to GET /account/sessions.
func (v *request) sessions(ctx context.Context) error { return v.showSessions(ctx, nil) }

func (v *request) showSessions(ctx context.Context, wrong error) error {
	acc, err := v.signedIn(ctx)
	if err != nil {
		return err
	}
	p := sessionsPage{form: v.newForm(ctx, "Sessions", "settings")}
	if p.Sessions, err = v.People.SessionsOf(ctx, acc.ID); err != nil {
		return err
	}
	if wrong != nil {
		return v.refuse(wrong, &p.form, "account-sessions", &p)
	}
	return v.show(http.StatusOK, "account-sessions", p)
}

func (v *request) endSession(ctx context.Context) error {
	err := v.checkToken(ctx)
	if err == nil {
		err = v.People.EndSession(ctx, v.form.Get("id"))
	}
	if err != nil {
		return v.showSessions(ctx, err)
	}
	return v.redirectTo(ctx, accounts.Prefix+"/sessions", "The session was ended.")
}
