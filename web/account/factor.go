package account

import (
	"cmp"
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
)

// factorPage is a page of the second factor.
type factorPage struct {
	settingsPage
	Factor *account.Factor // nil: none
	Secret string          // to set up
	Codes  []string        // recovery codes, shown once
}

func (v *request) factor(ctx context.Context) (p factorPage, err error) {
	if p.settingsPage, err = settings("Two-step sign-in")(v, ctx); err != nil {
		return p, err
	}
	if p.Factor, err = v.People.Accounts.Factor(ctx, v.who.ID); err == nil && p.Factor == nil {
		p.Secret, err = v.People.NewSecret(ctx, *v.who)
	}
	return p, err
}

// factorForm returns the action that shows a page of the second factor, the set-up if
// there is none.
func factorForm(page string) action {
	return func(v *request, ctx context.Context) error {
		p, err := v.factor(ctx)
		if err != nil {
			return err
		}
		if p.Factor == nil {
			return v.show(http.StatusOK, "account-factor", p)
		}
		return v.show(http.StatusOK, page, p)
	}
}

// changeFactor returns the action of a form of the second factor: it shows the recovery
// codes that do returns, or returns to the settings if there are none.
func changeFactor(
	page string,
	do func(people *People, ctx context.Context, password, code string) ([]string, error),
) action {
	return func(v *request, ctx context.Context) error {
		return submit(v, ctx, page, (*request).factor, func() error {
			codes, err := do(v.People, ctx, v.form.Get("password"), v.form.Get("code"))
			if err != nil || codes == nil {
				return v.done(ctx, err, Prefix+"/settings", "Two-step sign-in is off.")
			}
			p, err := v.factor(ctx)
			p.Codes = codes
			return cmp.Or(err, v.show(http.StatusOK, "account-factor-codes", p))
		})
	}
}

func disableFactor(people *People, ctx context.Context, password, code string) ([]string, error) {
	return nil, people.DisableFactor(ctx, password, code)
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
