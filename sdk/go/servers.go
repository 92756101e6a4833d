package census

import (
	"context"
	"iter"
	"net/http"
)

// A ServersService reads records of servers. It requires a key.
type ServersService struct{ c *Client }

// ServersParams are the parameters of [ServersService.List]. Zero values are omitted.
type ServersParams struct {
	Page     int      `json:"page,omitempty"`
	Limit    int      `json:"limit,omitempty"` // 1 to 100
	Category Category `json:"category,omitempty"`
	SDK      SDK      `json:"sdk,omitempty"`
	Search   string   `json:"search,omitempty"`
	Official *bool    `json:"official,omitempty"`
	// Cursor continues after a page. Only Limit may be set with it.
	Cursor string `json:"cursor,omitempty"`
}

// List returns a page of the listed servers.
func (s *ServersService) List(
	ctx context.Context, p ServersParams, options ...CallOption,
) (*NumberedPage, error) {
	return get[NumberedPage](ctx, s.c, "/v1/servers", values("page", p.Page, "limit", p.Limit,
		"category", p.Category, "sdk", p.SDK, "search", p.Search, "official", p.Official,
		"cursor", p.Cursor), options)
}

// All iterates over all matching servers.
func (s *ServersService) All(
	ctx context.Context, p ServersParams, options ...CallOption,
) iter.Seq2[Server, error] {
	return all(p, func(p *ServersParams) (*int, *string) { return &p.Limit, &p.Cursor },
		func(p ServersParams) (*NumberedPage, error) { return s.List(ctx, p, options...) },
		func(page *NumberedPage) ([]Server, *string) { return page.Servers, page.Pagination.NextCursor })
}

// Retrieve returns the record of a server. id is its slug, a former slug, or its
// name in the official registry.
func (s *ServersService) Retrieve(
	ctx context.Context, id string, options ...CallOption,
) (*ServerDetail, error) {
	return get[ServerDetail](ctx, s.c, pathOf("v1", "servers", id), nil, options)
}

// Bulk returns up to 100 records in one request. It requires the Professional plan.
func (s *ServersService) Bulk(
	ctx context.Context, request BulkRequest, options ...CallOption,
) (*BulkAnswer, error) {
	return send[BulkAnswer](ctx, s.c,
		call{method: http.MethodPost, path: "/v1/servers/bulk", body: request}, options)
}

// AnalyticsParams are the parameters of [ServersService.Analytics]. Zero values are omitted.
type AnalyticsParams struct {
	Period   string `json:"period,omitempty"`   // 7d, 30d, 90d, 1y
	Interval string `json:"interval,omitempty"` // day, week
}

// Analytics returns the usage and popularity of a server. It requires the
// Professional plan.
func (s *ServersService) Analytics(
	ctx context.Context, id string, p AnalyticsParams, options ...CallOption,
) (*Analytics, error) {
	return get[Analytics](ctx, s.c, pathOf("v1", "servers", id, "analytics"),
		values("period", p.Period, "interval", p.Interval), options)
}

// ToolChanges returns the changes to the tools of a server, newest first.
func (s *ServersService) ToolChanges(
	ctx context.Context, id string, options ...CallOption,
) (*ToolChanges, error) {
	return get[ToolChanges](ctx, s.c, pathOf("v1", "servers", id, "tools", "changes"), nil, options)
}
