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

// factorForm responds with the set-up, or with the state of the second factor.
func (v *request) factorForm(ctx context.Context) error { return v.factorPage(ctx, "account-factor") }

func (v *request) removeFactorForm(ctx context.Context) error {
	return v.factorPage(ctx, "account-factor-remove")
}

func (v *request) recoveryForm(ctx context.Context) error {
	return v.factorPage(ctx, "account-factor-recovery")
}

func (v *request) factorPage(ctx context.Context, page string) error {
	p, err := v.newFactorPage(ctx, "Two-step sign-in")
	if err != nil {
		return err
	}
	if p.Factor == nil {
		page = "account-factor"
	}
	return v.show(http.StatusOK, page, p)
}

// changeFactor handles the forms of the second factor: it shows the recovery codes
// that do returns, or returns to the settings if there are none.
func (v *request) changeFactor(
	ctx context.Context, page, done string, do func(password, code string) ([]string, error),
) error {
	p, err := v.newFactorPage(ctx, "Two-step sign-in")
	if err != nil {
		return err
	}
	if err = v.checkToken(ctx); err == nil {
		p.Codes, err = do(v.form.Get("password"), v.form.Get("code"))
	}
	if isCode(err, "sign_in_again") {
		p.Again, p.AgainLink = true, accounts.Prefix+"/github?next="+v.c.Request.URL.Path
	}
	switch {
	case err != nil:
		return v.refuse(err, &p.form, page, &p)
	case p.Codes != nil:
		return v.show(http.StatusOK, "account-factor-codes", p)
	}
	return v.redirectTo(ctx, accounts.Prefix+"/settings", done)
}

func (v *request) enableFactor(ctx context.Context) error {
	return v.changeFactor(ctx, "account-factor", "", func(password, code string) ([]string, error) {
		return v.People.EnableFactor(ctx, password, code)
	})
}

func (v *request) renewRecovery(ctx context.Context) error {
	return v.changeFactor(ctx, "account-factor-recovery", "", func(password, code string) ([]string, error) {
		return v.People.RenewRecovery(ctx, password, code)
	})
}

func (v *request) removeFactor(ctx context.Context) error {
	return v.changeFactor(ctx, "account-factor-remove", "Two-step sign-in is off.",
		func(password, code string) ([]string, error) {
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
