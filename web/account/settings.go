package account

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
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

// planPage returns the page of the plan. choose=ID asks to confirm that plan.
func (v *request) planPage(ctx context.Context) (p planPage, err error) {
	acc, now := v.acc, v.Now()
	p.form, p.Plan, p.Offer = v.newForm(ctx, "Plan", "plan"), acc.At(now), v.People.Plans.Offer()
	if acc.Until != nil && now.Before(*acc.Until) {
		p.Until, p.Next = acc.Until, acc.At(*acc.Until)
	}
	for _, plan := range account.Plans {
		if plan == p.Plan || plan == p.Next || p.Offer.Has(plan) {
			p.Plans = append(p.Plans, plan)
		}
	}
	p.Pays, err = v.People.Plans.Pays(ctx, acc.ID)
	if c := account.PlanNamed(v.c.Query("choose")); c != nil && p.May(c) {
		p.Choice = c
	} else if c != nil && c.USD > 0 && !p.Offer.Online && c != p.Plan {
		p.Problem = "This registry sells no paid plans."
	}
	return p, err
}

// May reports whether a plan can be chosen here: it is not the current plan,
// and can be paid for.
func (p planPage) May(plan *account.Plan) bool {
	stays := plan == p.Plan && p.Until == nil || p.Next != nil && plan == p.Next
	return !stays && (plan.USD == 0 || p.Offer.Online || p.Plan == plan && p.Pays)
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
	return submit(v, ctx, "account-plan", (*request).planPage, func() error {
		choice := account.PlanNamed(v.form.Get("plan"))
		if choice == nil {
			return registry.Errorf(registry.ErrInvalid, "No such plan.")
		}
		to, err := v.People.Plans.Choose(ctx, v.acc.Account, choice)
		if err != nil {
			return err
		}
		if to != "" {
			return v.pay(ctx, to)
		}
		err = as(account.RoleOwner)(v, ctx) // as it is now
		if err != nil {
			return err
		}
		p, err := v.planPage(ctx)
		if err != nil {
			return err
		}
		note := "Your plan is " + p.Plan.Name
		if p.Until != nil {
			note += " until " + text.Day(*p.Until) + ", then " + p.Next.Name
		}
		return v.done(ctx, nil, Prefix+"/plan", note+".")
	})
}

func (v *request) openPortal(ctx context.Context) error {
	return submit(v, ctx, "account-plan", (*request).planPage, func() error {
		to, err := v.People.Plans.Portal(ctx, v.acc.ID)
		if err != nil {
			return err
		}
		return v.pay(ctx, to)
	})
}

type settingsPage struct {
	form
	ByMail  bool
	Waiting string // GitHub user to be linked; "": none
	Next    string // destination after linking; "": the settings
	Keys    int    // working keys
	Pays    bool
}

// settings returns a function that returns a page of the settings.
func settings(title string) func(*request, context.Context) (settingsPage, error) {
	return func(v *request, ctx context.Context) (p settingsPage, err error) {
		p.form, p.ByMail = v.newForm(ctx, title, "settings"), v.People.Accounts.Mail != nil
		u, _ := v.People.PendingGitHub(ctx)
		p.Waiting = u.Login
		_, p.Next = v.next()
		return p, nil
	}
}

func (v *request) changeEmail(ctx context.Context) error {
	return submit(v, ctx, "account-email", settings("Change your address"), func() error {
		if err := v.People.Accounts.ChangeEmail(ctx, *v.who, v.People.signedInAt(ctx),
			v.form.Get("email"), v.People.browser(ctx)); err != nil {
			return err
		}
		if v.People.Accounts.Mail == nil {
			return v.done(ctx, nil, Prefix+"/settings", "An operator has to confirm the new address. "+
				"The current one stays until then.")
		}
		return v.show(http.StatusOK, "account-sent", v.sentPage(ctx, Prefix+"/confirm"))
	}, "email")
}

func (v *request) setUsageAlerts(ctx context.Context) error {
	return submit(v, ctx, "account-settings", settings("Settings"), func() error {
		on, note := v.form.Get("on") != "", "Usage alerts are off."
		if on {
			note = "We send an email when 80% and 100% of a day's requests are used."
		}
		return v.done(ctx, v.People.Accounts.SetUsageAlerts(ctx, v.who.ID, on),
			Prefix+"/settings", note)
	})
}

func (v *request) link(ctx context.Context) error {
	return submit(v, ctx, "account-link", settings("Link GitHub"), func() error {
		err := v.People.LinkGitHub(ctx, *v.who)
		to, given := v.next()
		if given == "" {
			to = Prefix + "/settings"
		}
		return v.done(ctx, err, to, "GitHub is linked.")
	})
}

func (v *request) unlink(ctx context.Context) error {
	return submit(v, ctx, "account-unlink", settings("Unlink GitHub"), func() error {
		_, err := v.People.Accounts.UnlinkGitHub(ctx, *v.who, v.People.signedInAt(ctx))
		return v.done(ctx, err, Prefix+"/settings", "GitHub is no longer linked.")
	})
}

// deletion returns the page that deletes the account, with the data that this affects.
func (v *request) deletion(ctx context.Context) (settingsPage, error) {
	p, err := settings("Delete your account")(v, ctx)
	if err != nil {
		return p, err
	}
	keys, _, err := v.keysOf(ctx, account.Own(*v.who))
	if err != nil {
		return p, err
	}
	for _, k := range keys {
		if k.Works() {
			p.Keys++
		}
	}
	p.Pays, err = v.People.Plans.Pays(ctx, p.Who.ID)
	return p, err
}

func (v *request) deleteAccount(ctx context.Context) error {
	return submit(v, ctx, "account-delete", (*request).deletion, func() error {
		if err := v.People.Accounts.Delete(ctx, *v.who, v.People.signedInAt(ctx),
			v.form.Get("email")); err != nil {
			return err
		}
		if err := v.People.sessions.Destroy(ctx); err != nil {
			return err
		}
		f := form{Frame: v.NewFrame("Your account is deleted", "account")}
		f.NoIndex = true
		return v.show(http.StatusOK, "account-deleted", f)
	}, "email")
}

type sessionsPage struct {
	form
	Sessions []account.SessionInfo
}

func (v *request) sessions(ctx context.Context) (p sessionsPage, err error) {
	p.form = v.newForm(ctx, "Sessions", "settings")
	p.Sessions, err = v.People.SessionsOf(ctx, v.who.ID)
	return p, err
}

func (v *request) endSession(ctx context.Context) error {
	return submit(v, ctx, "account-sessions", (*request).sessions, func() error {
		return v.done(ctx, v.People.EndSession(ctx, *v.who, v.form.Get("id")),
			Prefix+"/sessions", "The session was ended.")
	})
}

type activityPage struct {
	form
	Entries []activity
}

type activity struct {
	account.AuditEntry
	What string
	By   string
}

// activities are the displayed names of the actions in the audit log.
var activities = map[string]string{
	"key.changed":          "Key changed",
	"usage_alerts.changed": "Usage alerts changed",
	"member.invited":       "Member invited",
	"member.joined":        "Member joined",
	"member.changed":       "Role changed",
	"member.removed":       "Member removed",
	"invitation.revoked":   "Invitation revoked",
	"account.made":         "Account created",
	"email.change_asked":   "Change of email address requested",
	"email.changed":        "Email address changed",
	"sessions.ended":       "Signed out elsewhere",
	"github.linked":        "GitHub linked",
	"github.unlinked":      "GitHub unlinked",
	"key.made":             "Key created",
	"key.renamed":          "Key renamed",
	"key.rotated":          "Key rotated",
	"key.revoked":          "Key revoked",
	"plan.changed":         "Plan changed",
	"signin":               "Signed in",
	"signin.link_asked":    "Sign-in link printed",
	"session.ended":        "Session ended",
	"webhook.made":         "Webhook endpoint created",
	"webhook.changed":      "Webhook endpoint changed",
	"webhook.rotated":      "Webhook secret replaced",
	"webhook.deleted":      "Webhook endpoint deleted",
	"webhook.disabled":     "Webhook endpoint disabled",
}

// actors are the displayed names of actors.
var actors = map[string]string{
	account.ByOwner:    "you",
	account.BySomebody: "someone who entered the address",
	account.ByOperator: "the operator",
	account.ByPayment:  "the payment provider",
	account.ByRegistry: "the registry",
}

func (v *request) activity(ctx context.Context) (p activityPage, err error) {
	p.form = v.newForm(ctx, "Activity", "activity")
	entries, err := v.People.Accounts.Audit(ctx, v.acc.ID)
	for _, e := range entries {
		p.Entries = append(p.Entries,
			activity{e, cmp.Or(activities[e.Action], e.Action), cmp.Or(e.Member, actors[e.Actor], e.Actor)})
	}
	return p, err
}

// Plans manages the plans of accounts, as billing.Billing does.
type Plans interface {
	Offer() account.Offer
	Pays(ctx context.Context, account int64) (bool, error)
	Choose(ctx context.Context, a account.Account, p *account.Plan) (url string, err error)
	Portal(ctx context.Context, account int64) (url string, err error)
	Receive(ctx context.Context, payload []byte, signature string) error
}

// WebhookPath is the path that the payment provider sends events to.
const WebhookPath = "/webhooks/stripe"

const (
	// maxEvent is the maximum size of an event, in bytes.
	maxEvent = 512 << 10
	// EventsPerMinute is the limit of events of a client. Stripe repeats refused ones.
	EventsPerMinute = 600
)

// RegisterWebhook adds WebhookPath to r. Events have signatures instead of sessions.
func (a *People) RegisterWebhook(r gin.IRoutes) {
	r.POST(WebhookPath, httpd.LimitPerMinute(EventsPerMinute, a.problem), httpd.Handle(a.receive, a.problem))
}

func (a *People) receive(ctx context.Context, c *gin.Context) error {
	signatures := c.Request.Header.Values("Stripe-Signature")
	if len(signatures) != 1 || c.Request.Body == nil {
		return &registry.Error{Kind: registry.ErrInvalid, Code: "invalid_signature",
			Msg: "An event must have one Stripe-Signature header and a body."}
	}
	payload, err := io.ReadAll(io.LimitReader(c.Request.Body, maxEvent+1))
	if err != nil {
		return err
	}
	if len(payload) > maxEvent {
		return registry.Errorf(registry.ErrTooLarge, "The body is larger than %d bytes.", maxEvent)
	}
	if err := a.Plans.Receive(ctx, payload, signatures[0]); err != nil {
		return err // the provider repeats the event
	}
	httpd.Write(c, httpd.Response{Cache: "no-store", Body: []byte("{\"received\":true}\n")})
	return nil
}
