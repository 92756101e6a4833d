package account

import (
	"cmp"
	"context"

	"mcpcensus/internal/account"
)

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

// activity returns the page of the audit log.
func (v *request) activity(ctx context.Context) (p activityPage, err error) {
	acc, err := v.acting(ctx, account.RoleAdmin)
	if err != nil {
		return p, err
	}
	p.form = v.newForm(ctx, "Activity", "activity")
	entries, err := v.People.Accounts.Audit(ctx, acc.ID)
	for _, e := range entries {
		p.Entries = append(p.Entries,
			activity{e, cmp.Or(activities[e.Action], e.Action), cmp.Or(e.Member, actors[e.Actor], e.Actor)})
	}
	return p, err
}
