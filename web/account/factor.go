package account

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"mcpcensus/api/accounts"
	"mcpcensus/internal/account"
)

// factorPage is a page of the second factor.
type factorPage struct {
	settingsPage
	Factor *account.Factor // nil: none
	Secret string          // to set up
	Codes  []string        // recovery codes, shown once
}

func (v *request) newFactorPage(ctx context.Context, title string) (factorPage, error) {
	s, err := v.newSettings(ctx, title)
	if err != nil {
		return factorPage{}, err
	}
	p := factorPage{settingsPage: s}
	if p.Factor, err = v.People.Accounts.Factor(ctx, v.who.ID); err != nil || p.Factor != nil {
		return p, err
	}
	p.Secret, err = v.People.NewSecret(ctx, *v.who)
	return p, err
}

// factorForm returns the action that shows a page of the second factor, the set-up if
// there is none.
func factorForm(page string) action {
	return func(v *request, ctx context.Context) error {
		p, err := v.newFactorPage(ctx, "Two-step sign-in")
		if err != nil {
			return err
		}
		if p.Factor == nil {
			return v.show(http.StatusOK, "account-factor", p)
		}
		return v.show(http.StatusOK, page, p)
	}
}

// changeFactor handles the forms of the second factor: it shows the recovery codes
// that do returns, or returns to the settings if there are none.
func (v *request) changeFactor(
	ctx context.Context, page, done string,
	do func(ctx context.Context, password, code string) ([]string, error),
) error {
	p, err := v.newFactorPage(ctx, "Two-step sign-in")
	if err != nil {
		return err
	}
	if err = v.checkToken(ctx); err == nil {
		p.Codes, err = do(ctx, v.form.Get("password"), v.form.Get("code"))
	}
	p.askAgain(v, err)
	switch {
	case err != nil:
		return v.refuse(err, &p.form, page, &p)
	case p.Codes != nil:
		return v.show(http.StatusOK, "account-factor-codes", p)
	}
	return v.redirectTo(ctx, accounts.Prefix+"/settings", done)
}

func (v *request) enableFactor(ctx context.Context) error {
	return v.changeFactor(ctx, "account-factor", "", v.People.EnableFactor)
}

func (v *request) renewRecovery(ctx context.Context) error {
	return v.changeFactor(ctx, "account-factor-recovery", "", v.People.RenewRecovery)
}

func (v *request) removeFactor(ctx context.Context) error {
	return v.changeFactor(ctx, "account-factor-remove", "Two-step sign-in is off.",
		func(ctx context.Context, password, code string) ([]string, error) {
			return nil, v.People.DisableFactor(ctx, password, code)
		})
}

// factorImage responds with the QR code of the set-up in the session.
func (p *Pages) factorImage(_ context.Context, c *gin.Context) error {
	ctx, err := p.People.Open(c)
	if err != nil {
		return err
	}
	l, err := p.People.SignedIn(ctx)
	if err != nil {
		return err
	}
	secret, err := p.People.NewSecret(ctx, l)
	if err != nil {
		return err
	}
	img, err := p.People.Accounts.FactorImage(l.Account, secret)
	if err != nil {
		return err
	}
	if err := p.People.Save(ctx, c); err != nil {
		return err
	}
	c.Header("Cache-Control", "no-store")
	c.Data(http.StatusOK, "image/png", img)
	return nil
}
