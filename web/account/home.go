package account

import (
	"cmp"
	"context"
	"html/template"
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/httpd"
	"mcpcensus/web/chart"
)

type accountPage struct {
	form
	Plan      *account.Plan
	Until     *time.Time    // when Next starts; nil: never
	Next      *account.Plan // the plan after Until
	Today     dailyUsage
	Keys      []shownKey
	Key       shownKey // the new one, for its form
	Newest    int64    // key
	MaxKeys   int
	Working   int // keys
	Use       *apiUsage
	Base      string
	FirstCall bool // no key has been used yet
}

// dailyUsage is the usage of the daily limit. Unknown values are nil.
type dailyUsage struct {
	Limit *int // nil: unlimited
	Used  *int64
	Left  *int64
	Reset time.Time
}

const usedDays = 30

// use holds the calls of an account to the API.
type apiUsage struct {
	Total     int64
	Days      []dayUse
	Endpoints []endpointUse
}

type dayUse struct {
	Day   time.Time
	Calls int64
}

type endpointUse struct {
	Name  string
	Calls int64
}

func (v *request) home(ctx context.Context) (p accountPage, err error) {
	acc := v.acc
	p.form, p.MaxKeys, p.Base = v.newForm(ctx, "Account", "home"), account.MaxKeys, v.BaseURL
	now := v.Now()
	p.Plan = acc.At(now)
	if acc.Until != nil && now.Before(*acc.Until) {
		p.Until, p.Next = acc.Until, acc.At(*acc.Until)
	}
	if p.Keys, p.Newest, err = v.keysOf(ctx, acc); err != nil {
		return p, err
	}
	p.FirstCall = true
	for _, k := range p.Keys {
		if k.Works() {
			p.Working++
		}
		if k.LastUsedAt != nil {
			p.FirstCall = false
		}
	}
	p.Use = v.useOf(ctx, acc.ID, now)
	p.Today = dailyUsage{Limit: account.Limit(p.Plan.Daily), Reset: utcDay(now).AddDate(0, 0, 1)}
	p.Today.Used, p.Today.Left = httpd.UsedToday(ctx, v.Limiter, v.People.Store, acc.ID, p.Plan, now)
	return p, nil
}

// LimitsWrong reports whether a field of the limits of the new key has a problem.
func (p accountPage) LimitsWrong() bool {
	return p.problems["scopes"]+p.problems["addresses"]+p.problems["expiresAt"] != ""
}

func utcDay(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// useOf returns the recent calls of an account, nil if they are unavailable.
func (p *Pages) useOf(ctx context.Context, acc int64, now time.Time) *apiUsage {
	last := utcDay(now)
	first := last.AddDate(0, 0, 1-usedDays)
	calls, err := p.People.Store.Calls(ctx, acc, first, last)
	if err != nil {
		return nil
	}
	u := &apiUsage{}
	for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
		u.Days = append(u.Days, dayUse{Day: day})
	}
	by := map[string]int64{}
	for _, c := range calls {
		if n := int(utcDay(c.Date).Sub(first) / (24 * time.Hour)); n >= 0 && n < len(u.Days) {
			u.Days[n].Calls += c.Calls
			u.Total += c.Calls
			by[c.Route()] += c.Calls
		}
	}
	for name, n := range by {
		u.Endpoints = append(u.Endpoints, endpointUse{name, n})
	}
	slices.SortFunc(u.Endpoints, func(a, b endpointUse) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), strings.Compare(a.Name, b.Name))
	})
	return u
}

// Part returns the used percentage of the limit, nil if it is unknown.
func (t dailyUsage) Part() *float64 {
	if t.Limit == nil || t.Used == nil {
		return nil
	}
	return new(min(100, 100*float64(*t.Used)/float64(*t.Limit)))
}

// Chart draws the calls by day.
func (u apiUsage) Chart() template.HTML {
	c := chart.Columns{ID: "calls", Title: "Calls", Text: "per day (UTC), with keys"}
	for _, d := range u.Days {
		c.Points = append(c.Points, chart.Point{At: d.Day, Value: float64(d.Calls)})
	}
	return c.SVG()
}
