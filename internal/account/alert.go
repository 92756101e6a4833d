package account

import (
	"context"
	"fmt"
	"time"
)

// AlertPercents are the percentages of the daily limit at which owners get mail.
var AlertPercents = []int{80, 100}

// A UsageAlert reports that an account has used a percentage of its daily limit.
type UsageAlert struct {
	Account int64
	Percent int
}

// SetUsageAlerts turns usage alerts on or off.
func (a *Accounts) SetUsageAlerts(ctx context.Context, id int64, on bool) error {
	detail := "off"
	if on {
		detail = "on"
	}
	return a.Store.SetUsageAlerts(ctx, id, on, a.entry(id, ByOwner, "usage_alerts.changed", detail))
}

// alertEvery is how often usage is compared with limits.
const alertEvery = time.Minute

// AlertUsage sends the alerts that are due. An account that passes several percentages
// at once gets one mail.
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
			return fmt.Sprintf("%d requests per day of the %s plan", l.At(now).Daily, l.At(now).Name)
		})
	}
	return nil
}
