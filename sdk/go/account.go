package census

import (
	"context"
	"iter"
	"net/http"
)

// An AccountService reads the account of the key.
type AccountService struct{ c *Client }

// Retrieve returns the plan, the limits and today's usage.
func (s *AccountService) Retrieve(ctx context.Context, options ...CallOption) (*OwnAccount, error) {
	return get[OwnAccount](ctx, s.c, "/v1/account", nil, options)
}

// UsageParams are the parameters of [AccountService.Usage]: days in UTC as
// "2026-10-31". Zero values are omitted.
type UsageParams struct {
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// Usage returns the calls of the account by day, endpoint and key.
func (s *AccountService) Usage(ctx context.Context, p UsageParams, options ...CallOption) (*Usage, error) {
	return get[Usage](ctx, s.c, "/v1/usage", values("from", p.From, "to", p.To), options)
}

// Plans returns the plans that the registry offers.
func (s *AccountService) Plans(ctx context.Context, options ...CallOption) (*Plans, error) {
	return get[Plans](ctx, s.c, "/v1/plans", nil, options)
}

// A CustomService manages and runs the custom endpoints of the account. It requires the Enterprise
// plan.
type CustomService struct{ c *Client }

// List returns the definitions of all custom endpoints.
func (s *CustomService) List(ctx context.Context, options ...CallOption) (*Customs, error) {
	return get[Customs](ctx, s.c, "/v1/custom", nil, options)
}

// CustomParams are the parameters of [CustomService.Run]. Zero values are omitted.
type CustomParams struct {
	Page  int `json:"page,omitempty"`
	Limit int `json:"limit,omitempty"` // 1 to 100; by default that of the definition
	// Cursor continues after a page. Only Limit may be set with it.
	Cursor string `json:"cursor,omitempty"`
}

// Run returns a page of the results of a custom endpoint.
func (s *CustomService) Run(
	ctx context.Context, name string, p CustomParams, options ...CallOption,
) (*CustomPage, error) {
	return get[CustomPage](ctx, s.c, pathOf("v1", "custom", name),
		values("page", p.Page, "limit", p.Limit, "cursor", p.Cursor), options)
}

// RunAll iterates over all results of a custom endpoint.
func (s *CustomService) RunAll(
	ctx context.Context, name string, p CustomParams, options ...CallOption,
) iter.Seq2[PartialServer, error] {
	return all(p, func(p *CustomParams) (*int, *string) { return &p.Limit, &p.Cursor },
		func(p CustomParams) (*CustomPage, error) { return s.Run(ctx, name, p, options...) },
		func(page *CustomPage) ([]PartialServer, *string) { return page.Servers, page.Pagination.NextCursor })
}

// Retrieve returns the definition of a custom endpoint.
func (s *CustomService) Retrieve(ctx context.Context, name string, options ...CallOption) (*Custom, error) {
	return get[Custom](ctx, s.c, pathOf("v1", "custom", name, "definition"), nil, options)
}

// Put creates or replaces a custom endpoint.
func (s *CustomService) Put(
	ctx context.Context, name string, definition CustomRequest, options ...CallOption,
) (*Custom, error) {
	return send[Custom](ctx, s.c, call{
		method: http.MethodPut, path: pathOf("v1", "custom", name, "definition"), body: definition,
	}, options)
}

// View returns the URL of a custom endpoint as a view, for clients of the official registry's API.
// Reading it requires no key, so keep it secret.
func (s *CustomService) View(ctx context.Context, name string, options ...CallOption) (*CustomView, error) {
	return get[CustomView](ctx, s.c, pathOf("v1", "custom", name, "view"), nil, options)
}

// Delete deletes a custom endpoint.
func (s *CustomService) Delete(ctx context.Context, name string, options ...CallOption) error {
	_, err := s.c.do(ctx, call{
		method: http.MethodDelete, path: pathOf("v1", "custom", name, "definition"),
	}, options)
	return err
}
