package accounts

import (
	"context"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/webhook"
)

// Records reads the data of accounts that other packages manage, for exports.
type Records interface {
	Calls(ctx context.Context, account int64, from, to time.Time) ([]meter.DayCalls, error)
	Customs(ctx context.Context, account int64) ([]account.Custom, error)
	Endpoints(ctx context.Context, account int64) ([]webhook.Endpoint, error)
}

// exportedDays is the number of days of usage in an export.
const exportedDays = 400

// An export is an account's data. It omits hashes of passwords and keys, and secrets of
// second factors and webhooks.
type export struct {
	At              time.Time         `json:"exportedAt"`
	Account         accountBody       `json:"account"`
	SecondFactor    shownFactor       `json:"secondFactor"`
	Passkeys        []shownPasskey    `json:"passkeys"`
	Keys            []shownKey        `json:"keys"`
	Sessions        []shownSession    `json:"sessions"`
	Usage           []exportedCalls   `json:"usage"`
	CustomEndpoints []exportedCustom  `json:"customEndpoints"`
	Webhooks        []exportedWebhook `json:"webhooks"`
	Audit           []shownEntry      `json:"audit"`
	Memberships     []shownMembership `json:"memberships"`
	shownMembers
}

type exportedCalls struct {
	Date     string `json:"date"`
	Key      int64  `json:"key"`
	Endpoint string `json:"endpoint"`
	Calls    int64  `json:"calls"`
}

type exportedCustom struct {
	Name      string    `json:"name"`
	Query     string    `json:"query"`
	Filters   string    `json:"filters"` // JSON
	Sort      string    `json:"sort"`
	Fields    []string  `json:"fields"`
	Limit     int       `json:"limit"`
	Facets    bool      `json:"facets"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

type exportedWebhook struct {
	ID          int64      `json:"id"`
	URL         string     `json:"url"`
	Description string     `json:"description"`
	Events      []string   `json:"events"`
	Servers     []string   `json:"servers"`
	Search      string     `json:"search"`
	CreatedAt   time.Time  `json:"createdAt"`
	DisabledAt  *time.Time `json:"disabledAt"`
}

// getExport returns all data of the signed-in account as a file.
func (a *API) getExport(ctx context.Context, c *gin.Context, l account.Login) (any, error) {
	e := export{At: a.Now().UTC(), Account: a.shown(l.Account)}
	f, err := a.Accounts.Factor(ctx, l.ID)
	if err != nil {
		return nil, err
	}
	e.SecondFactor = showFactor(f)
	if e.Passkeys, err = a.shownPasskeys(ctx, l.ID); err != nil {
		return nil, err
	}
	keys, err := a.Keys.List(ctx, l.ID)
	if err != nil {
		return nil, err
	}
	e.Keys = make([]shownKey, len(keys))
	for i, k := range keys {
		e.Keys[i] = a.shownKey(k)
	}
	if e.Sessions, err = a.shownSessions(ctx, l.ID); err != nil {
		return nil, err
	}
	entries, err := a.Accounts.AuditAll(ctx, l.ID)
	if err != nil {
		return nil, err
	}
	e.Audit = shownEntries(entries)
	if e.Memberships, err = a.shownMemberships(ctx, l.ID, l.ID); err != nil {
		return nil, err
	}
	if e.shownMembers, err = a.shownMembers(ctx, l.ID); err != nil {
		return nil, err
	}
	if err := a.addRecords(ctx, l.ID, &e); err != nil {
		return nil, err
	}
	c.Header("Content-Disposition", `attachment; filename="account.json"`)
	return e, nil
}

// addRecords adds the data of Records.
func (a *API) addRecords(ctx context.Context, id int64, e *export) error {
	e.Usage, e.CustomEndpoints, e.Webhooks = []exportedCalls{}, []exportedCustom{}, []exportedWebhook{}
	if a.Records == nil {
		return nil
	}
	today := a.Now().UTC().Truncate(24 * time.Hour)
	calls, err := a.Records.Calls(ctx, id, today.AddDate(0, 0, -exportedDays), today)
	if err != nil {
		return err
	}
	for _, d := range calls {
		e.Usage = append(e.Usage, exportedCalls{d.Date.Format(time.DateOnly), d.Key, d.Endpoint, d.Calls})
	}
	customs, err := a.Records.Customs(ctx, id)
	if err != nil {
		return err
	}
	for _, c := range customs {
		e.CustomEndpoints = append(e.CustomEndpoints, exportedCustom(c))
	}
	endpoints, err := a.Records.Endpoints(ctx, id)
	if err != nil {
		return err
	}
	for _, w := range endpoints {
		e.Webhooks = append(e.Webhooks, exportedWebhook{w.ID, w.URL, w.Description, w.Events, w.Servers,
			w.Search, w.CreatedAt, w.DisabledAt})
	}
	return nil
}
