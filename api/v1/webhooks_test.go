package v1

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/webhook"
)

// hookStore is where tests keep endpoints and deliveries.
type hookStore struct {
	*searchStore
	endpoints  []webhook.Endpoint
	deliveries []webhook.Delivery
}

func (m *hookStore) Endpoints(_ context.Context, acc int64) (all []webhook.Endpoint, err error) {
	for _, e := range m.endpoints {
		if e.Account == acc {
			all = append(all, e)
		}
	}
	return all, nil
}

func (m *hookStore) find(acc, id int64) (*webhook.Endpoint, error) {
	for i := range m.endpoints {
		if e := &m.endpoints[i]; e.Account == acc && e.ID == id {
			return e, nil
		}
	}
	return nil, &registry.Error{Kind: registry.ErrNotFound, Code: "webhook_not_found", Msg: "None."}
}

func (m *hookStore) Endpoint(_ context.Context, acc, id int64) (webhook.Endpoint, error) {
	e, err := m.find(acc, id)
	if err != nil {
		return webhook.Endpoint{}, err
	}
	return *e, nil
}

func (m *hookStore) AddEndpoint(
	ctx context.Context, e webhook.Endpoint, most int,
) (webhook.Endpoint, error) {
	if all, _ := m.Endpoints(ctx, e.Account); len(all) >= most {
		return e, &registry.Error{Kind: registry.ErrConflict, Code: "too_many_webhooks", Msg: "Full."}
	}
	e.ID = int64(len(m.endpoints) + 1)
	m.endpoints = append(m.endpoints, e)
	return e, nil
}

func (m *hookStore) UpdateEndpoint(
	_ context.Context, acc, id int64, _ string, change func(*webhook.Endpoint),
) (webhook.Endpoint, error) {
	e, err := m.find(acc, id)
	if err != nil {
		return webhook.Endpoint{}, err
	}
	change(e)
	return *e, nil
}

func (m *hookStore) DeleteEndpoint(_ context.Context, acc, id int64, _ time.Time) error {
	e, err := m.find(acc, id)
	if err == nil {
		e.Account = 0
	}
	return err
}

func (m *hookStore) Deliveries(
	_ context.Context, acc, endpoint, before int64, limit int,
) (all []webhook.Delivery, err error) {
	if _, err := m.find(acc, endpoint); err != nil {
		return nil, nil
	}
	for i := len(m.deliveries) - 1; i >= 0 && len(all) < limit; i-- {
		if d := m.deliveries[i]; d.EndpointID == endpoint && (before == 0 || d.ID < before) {
			all = append(all, d)
		}
	}
	return all, nil
}

func (m *hookStore) Resend(
	_ context.Context, acc, endpoint, id int64, _ time.Time,
) (webhook.Delivery, error) {
	if _, err := m.find(acc, endpoint); err != nil || id > int64(len(m.deliveries)) {
		return webhook.Delivery{}, &registry.Error{Kind: registry.ErrNotFound,
			Code: "delivery_not_found", Msg: "None."}
	}
	return m.deliveries[id-1], nil
}

func (m *hookStore) AddTest(
	_ context.Context, acc, endpoint int64, e webhook.Event,
) (webhook.Delivery, error) {
	if _, err := m.find(acc, endpoint); err != nil {
		return webhook.Delivery{}, err
	}
	d := webhook.Delivery{ID: int64(len(m.deliveries) + 1), EndpointID: endpoint, Event: e,
		State: webhook.Pending, DueAt: e.At, CreatedAt: e.At}
	m.deliveries = append(m.deliveries, d)
	return d, nil
}

func TestWebhooks(t *testing.T) {
	now := epoch
	x := start(t, 0, func(o *Options) {
		o.Webhooks = &webhook.Service{Store: &hookStore{searchStore: o.Accounts.(accounts).searchStore},
			Now: func() time.Time { return now }, Slug: func(id string) (string, error) {
				if id == "octo-weather-mcp" || id == "octo-forecast-mcp" {
					return "octo-weather-mcp", nil
				}
				return "", registry.Errorf(registry.ErrNotFound, "None.")
			}}
	})
	if _, _, err := x.store.PutCustom(t.Context(), 3, account.Custom{Name: "good"}, 9); err != nil {
		t.Fatal(err)
	}
	if _, _, err := x.store.PutCustom(t.Context(), 3, account.Custom{Name: "text", Query: "a"}, 9); err != nil {
		t.Fatal(err)
	}
	const url = `"url":"https://example.com/hook"`
	for _, tt := range []struct{ key, method, path, body, want string }{
		{"", "GET", "", "", "401 missing_api_key"},
		{"basic", "POST", "", `{}`, "400 invalid_parameter url"},
		{"basic", "POST", "", `[`, "400 invalid_body body"},
		{"basic", "POST", "", `{"url":"http://127.0.0.1/","events":["x"],"servers":["a"],"description":"\u0000"}`,
			"400 invalid_parameter description"},
		{"basic", "POST", "", `{"url":"https://10.0.0.1/","events":["x"]}`, "400 invalid_parameter events,url"},
		{"basic", "POST", "", `{` + url + `,"secret":"x"}`, "400 invalid_parameter secret"},
		{"basic", "POST", "", `{` + url + `,"servers":["nope"]}`, "400 invalid_parameter servers"},
		{"basic", "POST", "", `{` + url + `,"search":"good"}`, "403 plan_upgrade_required"},
		{"enterprise", "POST", "", `{` + url + `,"search":"nope"}`, "400 invalid_parameter search"},
		{"enterprise", "POST", "", `{` + url + `,"search":"text"}`, "400 invalid_parameter search"},
		{"enterprise", "POST", "", `{` + url + `,"events":["view.changed"]}`, "400 invalid_parameter events"},
		{"enterprise", "POST", "", `{` + url + `,"search":"good","servers":["octo-weather-mcp"]}`,
			"400 invalid_parameter search"},
		{"second", "POST", "", `{` + url + `,"search":"good"}`, "400 invalid_parameter search"},
		{"basic", "POST", "", `{` + url + `,"servers":["octo-forecast-mcp"],"events":null}`, "201"},
		{"basic", "POST", "", `{` + url + `}`, "409 too_many_webhooks"},
		{"enterprise", "POST", "", `{` + url + `,"search":"good","events":["server.listed"]}`, "201"},
		{"basic", "GET", "/1", "", "200"},
		{"enterprise", "GET", "/1", "", "404 webhook_not_found"},
		{"enterprise", "PUT", "/1", `{` + url + `}`, "404 webhook_not_found"},
		{"enterprise", "DELETE", "/1", "", "404 webhook_not_found"},
		{"enterprise", "POST", "/1/rotate", "", "404 webhook_not_found"},
		{"enterprise", "POST", "/1/test", "", "404 webhook_not_found"},
		{"enterprise", "GET", "/1/deliveries", "", "404 webhook_not_found"},
		{"enterprise", "POST", "/1/deliveries/1/resend", "", "404 webhook_not_found"},
		{"basic", "GET", "/01", "", "404 webhook_not_found"},
		{"basic", "GET", "/-1", "", "404 webhook_not_found"},
		{"basic", "GET", "/99999999999999999999", "", "404 webhook_not_found"},
		{"basic", "GET", "/a%00b", "", "404 webhook_not_found"},
		{"basic", "GET", "/1?x=1", "", "200"},
		{"basic", "PUT", "/1", `{"url":"https://example.com/other","enabled":false}`, "200"},
		{"basic", "POST", "/1/test", "", "409 webhook_disabled"},
		{"basic", "PUT", "/1", `{` + url + `}`, "200"},
		{"basic", "POST", "/1/test", "", "202"},
		{"basic", "POST", "/1/test", "", "202"},
		{"basic", "GET", "/1/deliveries?limit=0&before=x", "", "400 invalid_parameter before,limit"},
		{"basic", "POST", "/1/deliveries/1/resend", "", "202"},
		{"basic", "POST", "/1/deliveries/9/resend", "", "404 delivery_not_found"},
		{"basic", "POST", "/1/deliveries/x/resend", "", "404 delivery_not_found"},
		{"basic", "GET", "/1/rotate", "", "405 method_not_allowed"},
		{"basic", "POST", "/1/rotate", "", "200"},
	} {
		res := x.do(tt.key, tt.method, "/v1/webhooks"+tt.path, tt.body)
		got := fmt.Sprint(res.StatusCode)
		if res.StatusCode >= 400 {
			got = x.told(res)
		}
		if got != tt.want {
			t.Errorf("%s %s %s: %s, want %s", tt.method, tt.path, tt.body, got, tt.want)
		}
	}
	var page struct {
		Deliveries []struct {
			ID      int64
			Payload struct{ Type string }
		}
		Before *int64
	}
	status, raw := x.read(x.do("basic", "GET", "/v1/webhooks/1/deliveries?limit=1", ""))
	if err := json.Unmarshal(raw, &page); err != nil || status != 200 || len(page.Deliveries) != 1 ||
		page.Deliveries[0].ID != 2 || page.Before == nil || *page.Before != 2 ||
		page.Deliveries[0].Payload.Type != webhook.Test {
		t.Errorf("%d %s", status, raw)
	}
	status, raw = x.read(x.do("basic", "GET", "/v1/webhooks/1/deliveries?limit=1&before=2", ""))
	if page.Before = nil; json.Unmarshal(raw, &page) != nil || page.Before != nil {
		t.Errorf("%d %s", status, raw)
	}
	status, raw = x.read(x.do("basic", "GET", "/v1/webhooks", ""))
	want := `{"webhooks":[{"id":1,"url":"https://example.com/hook","description":null,"events":null,` +
		`"servers":null,"search":null,"enabled":true,"disabledAt":null,"disabledReason":null,` +
		`"failingSince":null,"createdAt":"2026-11-02T12:00:00Z","updatedAt":"2026-11-02T12:00:00Z",` +
		`"links":{"self":"/v1/webhooks/1","deliveries":"/v1/webhooks/1/deliveries"}}],"count":1,"max":1}`
	if diff := cmp.Diff(want, strings.TrimSpace(string(raw))); diff != "" || status != 200 {
		t.Error(diff)
	}
	for key, secret := range map[string]bool{"basic": false, "enterprise": false} {
		_, raw := x.read(x.do(key, "GET", "/v1/webhooks", ""))
		if strings.Contains(string(raw), "whsec_") != secret {
			t.Errorf("%s: %s", key, raw)
		}
	}
	if res := x.do("basic", "DELETE", "/v1/webhooks/1", ""); res.StatusCode != 204 {
		t.Error(x.told(res))
	}
}
