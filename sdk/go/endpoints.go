package census

import (
	"context"
	"iter"
	"net/http"
	"strconv"
)

// A WebhooksService manages the webhook endpoints of the account. It requires a key. See
// [Unwrap] for the receiver.
//
// Requests that create something are only retried after 429, because the registry may have
// processed the first.
type WebhooksService struct{ c *Client }

func webhookPath(id int64, segments ...string) string {
	path := append([]string{"v1", "webhooks", strconv.FormatInt(id, 10)}, segments...)
	return pathOf(path...)
}

// List returns all endpoints.
func (s *WebhooksService) List(ctx context.Context, options ...CallOption) (*WebhookEndpoints, error) {
	return get[WebhookEndpoints](ctx, s.c, "/v1/webhooks", nil, options)
}

// Create creates an endpoint. Only Create and Rotate return the secret.
func (s *WebhooksService) Create(
	ctx context.Context, request WebhookEndpointRequest, options ...CallOption,
) (*WebhookEndpointWithSecret, error) {
	return send[WebhookEndpointWithSecret](ctx, s.c,
		call{method: http.MethodPost, path: "/v1/webhooks", body: request, once: true}, options)
}

// Retrieve returns an endpoint.
func (s *WebhooksService) Retrieve(
	ctx context.Context, id int64, options ...CallOption,
) (*WebhookEndpoint, error) {
	return get[WebhookEndpoint](ctx, s.c, webhookPath(id), nil, options)
}

// Replace replaces all settings of an endpoint. Members that are not set are reset to their
// defaults.
func (s *WebhooksService) Replace(
	ctx context.Context, id int64, request WebhookEndpointRequest, options ...CallOption,
) (*WebhookEndpoint, error) {
	return send[WebhookEndpoint](ctx, s.c,
		call{method: http.MethodPut, path: webhookPath(id), body: request}, options)
}

// Delete deletes an endpoint and its deliveries.
func (s *WebhooksService) Delete(ctx context.Context, id int64, options ...CallOption) error {
	_, err := s.c.do(ctx, call{method: http.MethodDelete, path: webhookPath(id)}, options)
	return err
}

// Rotate replaces the secret of an endpoint. For 24 hours, deliveries are signed with both.
func (s *WebhooksService) Rotate(
	ctx context.Context, id int64, options ...CallOption,
) (*WebhookEndpointWithSecret, error) {
	return send[WebhookEndpointWithSecret](ctx, s.c,
		call{method: http.MethodPost, path: webhookPath(id, "rotate"), once: true}, options)
}

// Test sends a "webhook.test" event.
func (s *WebhooksService) Test(
	ctx context.Context, id int64, options ...CallOption,
) (*WebhookDelivery, error) {
	return send[WebhookDelivery](ctx, s.c,
		call{method: http.MethodPost, path: webhookPath(id, "test"), once: true}, options)
}

// DeliveriesParams are the parameters of [WebhooksService.Deliveries]. Zero values are omitted.
type DeliveriesParams struct {
	Limit  int   `json:"limit,omitempty"`  // 1 to 100
	Before int64 `json:"before,omitempty"` // Before of the last page
}

// Deliveries returns a page of the deliveries of the last 30 days, newest first.
func (s *WebhooksService) Deliveries(
	ctx context.Context, id int64, p DeliveriesParams, options ...CallOption,
) (*WebhookDeliveries, error) {
	return get[WebhookDeliveries](ctx, s.c, webhookPath(id, "deliveries"),
		values("limit", p.Limit, "before", p.Before), options)
}

// AllDeliveries iterates over the deliveries of the last 30 days, newest first.
func (s *WebhooksService) AllDeliveries(
	ctx context.Context, id int64, p DeliveriesParams, options ...CallOption,
) iter.Seq2[WebhookDelivery, error] {
	return all(p, func(p *DeliveriesParams) (*int, *int64) { return &p.Limit, &p.Before },
		func(p DeliveriesParams) (*WebhookDeliveries, error) { return s.Deliveries(ctx, id, p, options...) },
		func(page *WebhookDeliveries) ([]WebhookDelivery, *int64) { return page.Deliveries, page.Before })
}

// Resend sends a delivery again, with the same event ID.
func (s *WebhooksService) Resend(
	ctx context.Context, id, delivery int64, options ...CallOption,
) (*WebhookDelivery, error) {
	return send[WebhookDelivery](ctx, s.c, call{
		method: http.MethodPost,
		path:   webhookPath(id, "deliveries", strconv.FormatInt(delivery, 10), "resend"), once: true,
	}, options)
}
