package account

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
)

// Days of usage, and entries of the audit log, in an export.
const (
	exportedDays = 400
	maxExported  = 10_000
)

// An export is an account's data. It omits hashes of keys, and secrets of webhooks.
type export struct {
	At              time.Time             `json:"exportedAt"`
	Account         exportedAccount       `json:"account"`
	Keys            []exportedKey         `json:"keys"`
	Sessions        []account.SessionInfo `json:"sessions"`
	Usage           []exportedCalls       `json:"usage"`
	CustomEndpoints []account.Custom      `json:"customEndpoints"`
	Webhooks        []exportedWebhook     `json:"webhooks"`
	Audit           []account.AuditEntry  `json:"audit"`
	Memberships     []exportedMembership  `json:"memberships"`
	Members         []account.Member      `json:"members"`
	Invitations     []account.Invitation  `json:"invitations"`
}

type exportedCalls struct {
	Date     string `json:"date"`
	Key      int64  `json:"key"`
	Endpoint string `json:"endpoint"`
	Calls    int64  `json:"calls"`
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

// export responds with all data of the signed-in account as a file.
func (p *Pages) export(_ context.Context, c *gin.Context) error {
	c.Header("Cache-Control", "no-store")
	ctx, err := p.People.Open(c)
	if err != nil {
		return err
	}
	l, err := p.People.SignedIn(ctx)
	if err != nil {
		return err
	}
	e, err := p.People.export(ctx, l)
	if err != nil {
		return err
	}
	body, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode an export: %w", err)
	}
	c.Header("Content-Disposition", `attachment; filename="account.json"`)
	c.Data(http.StatusOK, "application/json", append(body, '\n'))
	return nil
}

func (a *People) export(ctx context.Context, l account.Login) (e export, err error) {
	e = export{At: a.Now().UTC(), Account: a.exportedAccount(l.Account)}
	keys, err := a.Keys.List(ctx, l.ID)
	if err != nil {
		return e, err
	}
	e.Keys = make([]exportedKey, len(keys))
	for i, k := range keys {
		e.Keys[i] = a.exportedKey(k)
	}
	if e.Sessions, err = a.SessionsOf(ctx, l.ID); err != nil {
		return e, err
	}
	if e.Audit, err = a.Store.Audit(ctx, l.ID, maxExported); err != nil {
		return e, err
	}
	if err := a.addMembers(ctx, l.ID, &e); err != nil {
		return e, err
	}
	err = a.addRecords(ctx, l.ID, &e)
	e.Sessions, e.Audit = append([]account.SessionInfo{}, e.Sessions...), append([]account.AuditEntry{}, e.Audit...)
	return e, err
}

// addRecords adds usage, custom endpoints and webhooks.
func (a *People) addRecords(ctx context.Context, id int64, e *export) error {
	e.Usage, e.Webhooks = []exportedCalls{}, []exportedWebhook{}
	today := a.Now().UTC().Truncate(24 * time.Hour)
	calls, err := a.Store.Calls(ctx, id, today.AddDate(0, 0, -exportedDays), today)
	if err != nil {
		return err
	}
	for _, d := range calls {
		e.Usage = append(e.Usage, exportedCalls{d.Date.Format(time.DateOnly), d.Key, d.Endpoint, d.Calls})
	}
	if e.CustomEndpoints, err = a.Store.Customs(ctx, id); err != nil {
		return err
	}
	endpoints, err := a.Store.Endpoints(ctx, id)
	if err != nil {
		return err
	}
	for _, w := range endpoints {
		e.Webhooks = append(e.Webhooks, exportedWebhook{w.ID, w.URL, w.Description, w.Events, w.Servers,
			w.Search, w.CreatedAt, w.DisabledAt})
	}
	return nil
}

type exportedAccount struct {
	Email       string     `json:"email"`
	GitHub      *string    `json:"github"` // login of the linked user
	Plan        string     `json:"plan"`
	PlanUntil   *time.Time `json:"planUntil"`
	PlanNext    *string    `json:"planNext"`
	CreatedAt   time.Time  `json:"createdAt"`
	UsageAlerts bool       `json:"usageAlerts"`
}

func (a *People) exportedAccount(acc account.Account) exportedAccount {
	now := a.Now()
	s := exportedAccount{
		Email: acc.Email, Plan: acc.At(now).ID, CreatedAt: acc.CreatedAt,
		UsageAlerts: acc.UsageAlerts,
	}
	if acc.GitHubID != 0 {
		s.GitHub = &acc.GitHubLogin
	}
	if acc.Until != nil && now.Before(*acc.Until) {
		s.PlanUntil, s.PlanNext = acc.Until, new(acc.At(*acc.Until).ID)
	}
	return s
}

type exportedKey struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	Prefix string `json:"prefix"`
	// Status is active, rotated (valid until expiresAt), expired or revoked.
	Status     string     `json:"status"`
	CreatedAt  time.Time  `json:"createdAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
	ExpiresAt  *time.Time `json:"expiresAt"`
	RevokedAt  *time.Time `json:"revokedAt"`
	Scopes     []string   `json:"scopes"`
	Addresses  []string   `json:"addresses"` // empty: all
}

func (a *People) exportedKey(k account.Key) exportedKey {
	return exportedKey{
		ID: k.ID, Name: k.Name, Prefix: k.Prefix, Status: k.Status(a.Now()),
		CreatedAt: k.CreatedAt, LastUsedAt: k.LastUsedAt, ExpiresAt: k.ExpiresAt, RevokedAt: k.RevokedAt,
		Scopes: k.Scopes.Names(), Addresses: k.Networks(),
	}
}

// An exportedMembership is an account of the exported person.
type exportedMembership struct {
	account.Membership
	Current bool `json:"current"` // the exported account
}

// addMembers adds the accounts of a person, and the people of their own.
func (a *People) addMembers(ctx context.Context, id int64, e *export) error {
	e.Memberships = []exportedMembership{}
	memberships, err := a.Store.Memberships(ctx, id)
	if err != nil {
		return err
	}
	for _, m := range memberships {
		e.Memberships = append(e.Memberships, exportedMembership{m, m.Account == id})
	}
	if e.Members, err = a.Store.Members(ctx, id); err != nil {
		return err
	}
	for i := range e.Members {
		e.Members[i].Since = e.Members[i].Since.UTC()
	}
	invitations, err := a.Store.Invitations(ctx, id, a.Now())
	e.Invitations = append([]account.Invitation{}, invitations...)
	return err
}
