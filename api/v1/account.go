package v1

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/page"
	"mcpcensus/internal/registry"
)

type (
	accountBody struct {
		Plan   ownPlanBody `json:"plan"`
		Limits limitsBody  `json:"limits"`
		Key    keyBody     `json:"key"`
	}

	// ownPlanBody is the plan of an account and the next one.
	ownPlanBody struct {
		account.PlanBody
		Until *time.Time `json:"until"` // when next takes over; null: never
		Next  *string    `json:"next"`
	}

	limitsBody struct {
		Limit     *int      `json:"limit"` // null: unlimited
		Used      *int64    `json:"used"`
		Remaining *int64    `json:"remaining"`
		ResetAt   time.Time `json:"resetAt"`
		Reset     int64     `json:"reset"`
	}

	keyBody struct {
		ID        int64      `json:"id"`
		Name      *string    `json:"name"`
		Prefix    *string    `json:"prefix"`
		ExpiresAt *time.Time `json:"expiresAt"`
		Scopes    []string   `json:"scopes"`
		Addresses []string   `json:"addresses"` // empty: all
	}

	usageBody struct {
		Period struct {
			From string `json:"from"`
			To   string `json:"to"`
		} `json:"period"`
		Total int64       `json:"total"`
		Days  []dayBody   `json:"days"`
		Usage []callsBody `json:"usage"`
	}

	dayBody struct {
		Date  string `json:"date"`
		Calls int64  `json:"calls"`
	}

	callsBody struct {
		Date     string  `json:"date"`
		Endpoint string  `json:"endpoint"`
		Key      keyName `json:"key"`
		Calls    int64   `json:"calls"`
	}

	keyName struct {
		ID     int64   `json:"id"`
		Name   *string `json:"name"` // null for a deleted key
		Prefix *string `json:"prefix"`
	}
)

func (a *API) plans(_ context.Context, c *gin.Context, _ account.Access) error {
	body := struct {
		Plans []account.PlanBody `json:"plans"`
	}{}
	for _, p := range account.Plans {
		body.Plans = append(body.Plans, a.Offer.Body(p))
	}
	return sendJSON(c, http.StatusOK, body, nil)
}

func (a *API) account(ctx context.Context, c *gin.Context, who account.Access) error {
	reset := dayOf(a.API.Now()).AddDate(0, 0, 1)
	b := accountBody{
		Plan:   ownPlanBody{PlanBody: a.Offer.Body(who.Plan)},
		Limits: limitsBody{Limit: account.Limit(who.Plan.Daily), ResetAt: reset, Reset: reset.Unix()},
		Key:    keyBody{ID: who.Key, Scopes: who.Scopes.Names(), Addresses: []string{}},
	}
	if k := who.Held; k != nil {
		b.Key.Name, b.Key.Prefix, b.Key.ExpiresAt = &k.Name, &k.Prefix, k.ExpiresAt
		b.Key.Addresses = k.Networks()
		if k.Until != nil && a.API.Now().Before(*k.Until) {
			until, next := k.Until.UTC(), k.Next
			if account.PlanNamed(next) == nil {
				next = account.Basic
			}
			b.Plan.Until, b.Plan.Next = &until, &next
		}
	}
	b.Limits.Used, b.Limits.Remaining = httpd.UsedToday(ctx, a.API.Limiter, a.Accounts, who.Account, who.Plan,
		a.API.Now())
	return sendJSON(c, http.StatusOK, b, nil)
}

// maxUsageDays is the maximum number of days in a response.
const maxUsageDays = 366

type usageParams struct {
	From date `query:"from"`
	To   date `query:"to"`
}

func (a *API) usage(ctx context.Context, c *gin.Context, who account.Access) error {
	var p usageParams
	if err := page.Read(c.Request, &p); err != nil {
		return err
	}
	from, to, err := p.days(dayOf(a.API.Now()))
	if err != nil {
		return err
	}
	calls, err := a.Accounts.Calls(ctx, who.Account, from, to)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return registry.Wrap(registry.ErrUnavailable, err,
			"Usage is temporarily unavailable. Please try again.")
	}
	keys, _ := a.Accounts.Keys(ctx, who.Account) // without the database, names are omitted
	b := usageBody{Days: []dayBody{}, Usage: []callsBody{}}
	b.Period.From, b.Period.To = from.Format(time.DateOnly), to.Format(time.DateOnly)
	for _, d := range calls {
		day := d.Date.UTC().Format(time.DateOnly)
		if n := len(b.Days); n == 0 || b.Days[n-1].Date != day {
			b.Days = append(b.Days, dayBody{Date: day})
		}
		b.Days[len(b.Days)-1].Calls += d.Calls
		b.Total += d.Calls
		name := keyName{ID: d.Key}
		if n := slices.IndexFunc(keys, func(k account.Key) bool { return k.ID == d.Key }); n >= 0 {
			name.Name, name.Prefix = &keys[n].Name, &keys[n].Prefix
		}
		b.Usage = append(b.Usage, callsBody{day, d.Route(), name, d.Calls})
	}
	return sendJSON(c, http.StatusOK, b, nil)
}

// days returns the requested period, by default 30 days up to today.
func (p *usageParams) days(today time.Time) (from, to time.Time, err error) {
	from, to = p.From.Time, p.To.Time
	if to.IsZero() {
		to = today
	}
	if from.IsZero() {
		from = to.AddDate(0, 0, -29)
	}
	switch {
	case to.Before(from):
		return from, to, registry.Invalid("from", "must not be after to (%s), got %s",
			to.Format(time.DateOnly), from.Format(time.DateOnly))
	case to.Sub(from) >= maxUsageDays*24*time.Hour:
		return from, to, registry.Invalid("from", "must be less than %d days before to (%s), got %s",
			maxUsageDays, to.Format(time.DateOnly), from.Format(time.DateOnly))
	}
	return from, to, nil
}

// A date is a parameter with a UTC day.
type date struct{ time.Time }

// UnmarshalText parses a date.
func (d *date) UnmarshalText(text []byte) (err error) {
	d.Time, err = time.Parse(time.DateOnly, string(text))
	if err != nil || d.Year() < 2000 || d.Year() > 9000 {
		return fmt.Errorf("must be a date such as 2026-10-01, got %q", page.Printable(string(text)))
	}
	return nil
}
