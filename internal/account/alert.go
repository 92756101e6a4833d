package account

import (
	"context"
	"fmt"
	"time"
)

// AlertPercents are the parts of a day's limit after which owners get a mail.
var AlertPercents = []int{80, 100}

// A UsageAlert says that an account has used a part of its day's limit.
type UsageAlert struct {
	Account int64
	Percent int
}

// An AlertStore knows who was told about usage.
type AlertStore interface {
	// TakeUsageAlerts records the alerts that are due at now and returns those that
	// were not recorded before: each once for an account, a UTC day and a percentage,
	// over all processes. limits are those of a day by the ID of a plan.
	TakeUsageAlerts(ctx context.Context, now time.Time, limits map[string]int,
		percents []int) ([]UsageAlert, error)
	// SetUsageAlerts turns the alerts of an account on or off.
	SetUsageAlerts(ctx context.Context, id int64, on bool, e AuditEntry) error
}

// SetUsageAlerts turns mails about usage on or off.
func (a *Accounts) SetUsageAlerts(ctx context.Context, id int64, on bool) error {
	detail := "off"
	if on {
		detail = "on"
	}
	return a.Store.SetUsageAlerts(ctx, id, on, a.entry(id, ByOwner, "usage_alerts.changed", detail))
}

// alertEvery is how often usage is compared with limits.
const alertEvery = time.Minute

// AlertUsage sends the alerts that are due. An account that passes several parts at once
// gets one mail.
func (a *Accounts) AlertUsage(ctx context.Context) error {
	limits := map[string]int{}
	for _, p := range Plans {
		if p.Daily > 0 {
			limits[p.ID] = p.Daily
		}
	}
	now := a.Now()
	alerts, err := a.Store.TakeUsageAlerts(ctx, now, limits, AlertPercents)
	if err != nil {
		return err
	}
	highest := map[int64]int{}
	for _, x := range alerts {
		highest[x.Account] = max(highest[x.Account], x.Percent)
	}
	for id, percent := range highest {
		mail := usageMail
		if percent >= 100 {
			mail = usedUpMail
		}
		a.notifyAccount(ctx, id, mail, func(l Login) string {
			return fmt.Sprintf("%d requests a day of the plan %s", l.At(now).Daily, l.At(now).Name)
		})
	}
	return nil
}
