package v1

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/page"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// A ViewStore has the tokens of custom endpoints. A token lists the servers of the endpoint
// without a key.
type ViewStore interface {
	// MakeCustomToken returns a new token of an account's custom endpoint, which replaces the
	// earlier one. It fails with registry.ErrNotFound if the account has no such endpoint.
	MakeCustomToken(ctx context.Context, account int64, name string) (string, error)
	// CustomByToken returns a custom endpoint and the plan of its account. It fails with
	// registry.ErrNotFound if there is none with that token.
	CustomByToken(ctx context.Context, token string) (account.Custom, account.Subscription, error)
}

// createView handles POST /v1/custom/{name}/view.
func (a *API) createView(ctx context.Context, c *gin.Context) error {
	who, name, err := a.customNamed(c)
	if err != nil {
		return err
	}
	if err := page.NoParams(c.Request); err != nil {
		return err
	}
	if a.Views == nil {
		return registry.Errorf(registry.ErrUnavailable, "Views are temporarily unavailable.")
	}
	token, err := a.Views.MakeCustomToken(ctx, who.Account, name)
	if err != nil {
		return err
	}
	return sendJSON(c, http.StatusOK, map[string]string{"url": a.API.BaseURL + "/r/" + token})
}

// SavedView returns the query of a custom endpoint by its token, and a version that changes
// with its definition. The error is of kind registry.ErrNotFound if there is none, or the
// plan of its account has none.
func (a *API) SavedView(
	ctx context.Context, token string,
) (name string, q query.Query, version string, err error) {
	if a.Views == nil {
		return "", q, "", registry.Errorf(registry.ErrNotFound, "There is no such view.")
	}
	saved, plan, err := a.Views.CustomByToken(ctx, token)
	if err != nil {
		return "", q, "", err
	}
	if !customPlan(plan.At(a.Now())) {
		return "", q, "", registry.Errorf(registry.ErrNotFound, "There is no such view.")
	}
	s, err := searchOf(saved)
	if err != nil {
		return "", q, "", err
	}
	q = query.Query{Text: s.Text, Filters: s.Filters.List, Sort: s.Sort.Orders}
	return saved.Name, q, saved.UpdatedAt.UTC().Format(time.RFC3339Nano), nil
}
