package account

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"mcpcensus/api/accounts"
	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
	"mcpcensus/web/format"
)

type planPage struct {
	form
	Plans  []*account.Plan
	Plan   *account.Plan
	Until  *time.Time
	Next   *account.Plan
	Pays   bool // through the payment provider
	Offer  account.Offer
	Choice *account.Plan // to be confirmed, or nil
}

func (v *request) newPlanPage(ctx context.Context) (planPage, account.Acting, error) {
	acc, err := v.acting(ctx, account.RoleOwner)
	if err != nil {
		return planPage{}, acc, err
	}
	now := v.Now()
	p := planPage{form: v.newForm(ctx, "Plan", "plan"), Plan: acc.At(now),
		Offer: v.People.Plans.Offer()}
	if acc.Until != nil && now.Before(*acc.Until) {
		p.Until, p.Next = acc.Until, acc.At(*acc.Until)
	}
	for _, plan := range account.Plans {
		if plan == p.Plan || plan == p.Next || p.Offer.Has(plan) {
			p.Plans = append(p.Plans, plan)
		}
	}
	p.Pays, err = v.People.Plans.Pays(ctx, acc.ID)
	return p, acc, err
}

// May reports whether a plan can be chosen here: it is not the current plan,
// and can be paid for.
func (p planPage) May(plan *account.Plan) bool {
	stays := plan == p.Plan && p.Until == nil || p.Next != nil && plan == p.Next
	return !stays && (plan.USD == 0 || p.Offer.Online || p.Plan == plan && p.Pays)
}

// planPage responds to GET /account/plan. choose=ID asks to confirm that plan.
func (v *request) planPage(ctx context.Context) error {
	p, _, err := v.newPlanPage(ctx)
	if err != nil {
		return err
	}
	if c := account.PlanNamed(v.c.Query("choose")); c != nil && p.May(c) {
		p.Choice = c
	} else if c != nil && c.USD > 0 && !p.Offer.Online && c != p.Plan {
		p.Problem = "Paid plans cannot be bought here."
	}
	return v.show(http.StatusOK, "account-plan", p)
}

type paymentPage struct {
	form
	URL string
}

// pay responds with a page that links to the payment provider, because browsers
// do not follow redirects of a form to another site.
func (v *request) pay(ctx context.Context, to string) error {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return registry.Errorf(registry.ErrUnavailable,
			"The payment provider did not respond as expected. Please try again.")
	}
	return v.show(http.StatusOK, "account-payment",
		paymentPage{v.newForm(ctx, "Payment", "plan"), to})
}

func (v *request) choosePlan(ctx context.Context) error {
	p, acc, err := v.newPlanPage(ctx)
	if err != nil {
		return err
	}
	choice := account.PlanNamed(v.form.Get("plan"))
	if err = v.checkToken(ctx); err == nil && choice == nil {
		err = registry.Errorf(registry.ErrInvalid, "No such plan.")
	}
	to := ""
	if err == nil {
		to, err = v.People.Plans.Choose(ctx, acc.Account, choice)
	}
	if err != nil {
		return v.refuse(err, &p.form, "account-plan", &p)
	}
	if to != "" {
		return v.pay(ctx, to)
	}
	if acc, err = v.acting(ctx, account.RoleOwner); err != nil { // as it is now
		return err
	}
	now := v.Now()
	note := "Your plan is " + acc.At(now).Name + "."
	if acc.Until != nil && now.Before(*acc.Until) {
		note = "Your plan is " + acc.At(now).Name + " until " + format.Day(*acc.Until) + ", then " +
			acc.At(*acc.Until).Name + "."
	}
	return v.redirectTo(ctx, accounts.Prefix+"/plan", note)
}

func (v *request) openPortal(ctx context.Context) error {
	p, acc, err := v.newPlanPage(ctx)
	if err != nil {
		return err
	}
	to := ""
	if err = v.checkToken(ctx); err == nil {
		to, err = v.People.Plans.Portal(ctx, acc.ID)
	}
	if err != nil {
		return v.refuse(err, &p.form, "account-plan", &p)
	}
	return v.pay(ctx, to)
}

type settingsPage struct {
	form
	ByMail    bool
	Waiting   string // GitHub user to be linked; "": none
	Next      string // destination after linking; "": the settings
	Again     bool   // the owner has to sign in again first
	Keys      int    // working keys
	Pays      bool
	AgainLink string
}

func (v *request) newSettings(ctx context.Context, title string) (settingsPage, error) {
	if _, err := v.signedIn(ctx); err != nil {
		return settingsPage{}, err
	}
	p := settingsPage{form: v.newForm(ctx, title, "settings"),
		ByMail: v.People.Accounts.Mail != nil}
	u, _ := v.People.PendingGitHub(ctx)
	p.Waiting = u.Login
	_, p.Next = v.next()
	return p, nil
}

// settingsForm returns the action that shows a form of the settings.
func settingsForm(page, title string) action {
	return func(v *request, ctx context.Context) error {
		p, err := v.newSettings(ctx, title)
		if err != nil {
			return err
		}
		return v.show(http.StatusOK, page, p)
	}
}

// askAgain lets the page link to the sign-in, which returns to it, if err requires that.
func (p *settingsPage) askAgain(v *request, err error) {
	if registry.HasCode(err, "sign_in_again") {
		p.Again, p.AgainLink = true,
			accounts.Prefix+"/github?"+url.Values{"next": {v.c.Request.URL.Path}}.Encode()
	}
}

// changeSettings handles the forms of the settings: it calls do unless the form
// is refused, and shows errors on the form's page.
func (v *request) changeSettings(
	ctx context.Context, page, title string, do func() error, keep ...string,
) error {
	p, err := v.newSettings(ctx, title)
	if err != nil {
		return err
	}
	if err = v.checkToken(ctx); err == nil {
		err = do()
	}
	if err == nil {
		return nil
	}
	p.askAgain(v, err)
	if page == "account-delete" {
		if err := v.countLosses(ctx, &p); err != nil {
			return err
		}
	}
	return v.refuse(err, &p.form, page, &p, keep...)
}

func (v *request) changeEmail(ctx context.Context) error {
	return v.changeSettings(ctx, "account-email", "Change your address", func() error {
		if err := v.People.ChangeEmail(ctx, v.form.Get("password"),
			v.form.Get("email")); err != nil {
			return err
		}
		note := map[string]string{
			account.NextSignIn: "Your address was changed.",
			account.NextMail: "We sent a confirmation link to the new address. Follow it within " +
				"24 hours " +
				"to finish the change.",
			account.NextOperator: "An operator has to approve the new address. The current one " +
				"stays until then.",
		}[v.People.Accounts.Next(ctx)]
		return v.redirectTo(ctx, accounts.Prefix+"/settings", note)
	}, "email")
}

func (v *request) changePassword(ctx context.Context) error {
	return v.changeSettings(ctx, "account-password", "Change your password", func() error {
		if err := v.People.ChangePassword(ctx, v.c, v.form.Get("password"),
			v.form.Get("newPassword")); err != nil {
			return err
		}
		return v.redirectTo(ctx, accounts.Prefix+"/settings",
			"Your password was changed. You are signed out everywhere else.")
	})
}

func (v *request) setUsageAlerts(ctx context.Context) error {
	p, err := v.newSettings(ctx, "Settings")
	if err != nil {
		return err
	}
	on := v.form.Get("on") != ""
	if err = v.checkToken(ctx); err == nil {
		err = v.People.Accounts.SetUsageAlerts(ctx, v.who.ID, on)
	}
	if err != nil {
		return v.refuse(err, &p.form, "account-settings", &p)
	}
	note := "You get no mails about usage."
	if on {
		note = "You get a mail when 80 and 100 % of a day's requests are used."
	}
	return v.redirectTo(ctx, accounts.Prefix+"/settings", note)
}

func (v *request) link(ctx context.Context) error {
	return v.changeSettings(ctx, "account-link", "Link GitHub", func() error {
		if _, err := v.People.LinkGitHub(ctx, v.form.Get("password")); err != nil {
			return err
		}
		to, given := v.next()
		if given == "" {
			to = accounts.Prefix + "/settings"
		}
		return v.redirectTo(ctx, to, "GitHub is linked.")
	})
}

func (v *request) unlink(ctx context.Context) error {
	return v.changeSettings(ctx, "account-unlink", "Unlink GitHub", func() error {
		if _, err := v.People.UnlinkGitHub(ctx, v.form.Get("password")); err != nil {
			return err
		}
		return v.redirectTo(ctx, accounts.Prefix+"/settings", "GitHub is no longer linked.")
	})
}

// countLosses fills in the data that deleting the account affects.
func (v *request) countLosses(ctx context.Context, p *settingsPage) error {
	keys, _, err := v.keysOf(ctx, account.Own(*v.who))
	if err != nil {
		return err
	}
	for _, k := range keys {
		if k.Works() {
			p.Keys++
		}
	}
	p.Pays, err = v.People.Plans.Pays(ctx, p.Who.ID)
	return err
}

func (v *request) deleteForm(ctx context.Context) error {
	p, err := v.newSettings(ctx, "Delete your account")
	if err != nil {
		return err
	}
	if err := v.countLosses(ctx, &p); err != nil {
		return err
	}
	return v.show(http.StatusOK, "account-delete", p)
}

func (v *request) deleteAccount(ctx context.Context) error {
	return v.changeSettings(ctx, "account-delete", "Delete your account", func() error {
		if err := v.People.Delete(ctx, v.form.Get("password")); err != nil {
			return err
		}
		f := form{Frame: v.NewFrame("Your account is deleted", "account")}
		f.NoIndex = true
		return v.show(http.StatusOK, "account-deleted", f)
	})
}
