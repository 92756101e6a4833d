package census

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestWebhookPayload decodes an event of each type.
func TestWebhookPayload(t *testing.T) {
	text, err := os.ReadFile("../fixtures/webhook_events.json")
	if err != nil {
		t.Fatal(err)
	}
	var events []json.RawMessage
	if err := json.Unmarshal(text, &events); err != nil {
		t.Fatal(err)
	}
	got := map[string]any{}
	for _, e := range events {
		var p WebhookPayload
		if err := json.Unmarshal(e, &p); err != nil {
			t.Fatal(err)
		}
		got[p.Type] = p.Data
		switch data := p.Data.(type) {
		case *WebhookVersionData:
			if data.Before != "1.0.0" || data.After != "1.1.0" || data.Server.ID != "octo-weather-mcp" {
				t.Errorf("%s: %+v", p.Type, data)
			}
		case *WebhookScoreData:
			if data.Before.Score != 70 || data.After.Grade != "A" {
				t.Errorf("%s: %+v", p.Type, data)
			}
		case *WebhookAdvisoryData:
			if data.Count != 1 || data.Advisories[0].Severity != "high" {
				t.Errorf("%s: %+v", p.Type, data)
			}
		}
		if strings.HasPrefix(p.Type, "server.") {
			var again any
			b, err := json.Marshal(p)
			if err == nil {
				err = json.Unmarshal(b, &again)
			}
			var want any
			_ = json.Unmarshal(e, &want)
			if d := cmp.Diff(want, again); err != nil || d != "" {
				t.Errorf("%s: %v %s", p.Type, err, d)
			}
		}
	}
	for _, name := range []string{
		WebhookEventTypeServerListed, WebhookEventTypeServerUpdated, WebhookEventTypeServerVersion,
		WebhookEventTypeServerScoreChanged, WebhookEventTypeServerDeprecated, WebhookEventTypeServerArchived,
		WebhookEventTypeServerGone, WebhookEventTypeServerAdvisory, WebhookEventTypeServerToolsChanged,
		WebhookEventTypeViewChanged, "webhook.test",
	} {
		if _, untyped := got[name].(map[string]any); untyped || got[name] == nil {
			t.Errorf("%s: data is %T", name, got[name])
		}
	}
	var later WebhookPayload
	err = json.Unmarshal([]byte(`{"type": "server.later", "data": {"a": 1}}`), &later)
	if d := cmp.Diff(map[string]any{"a": 1.0}, later.Data); err != nil || d != "" {
		t.Errorf("%v %s", err, d)
	}
}

func TestUnwrap(t *testing.T) {
	secret := func(key string) string { return "whsec_" + base64.StdEncoding.EncodeToString([]byte(key)) }
	sign := func(key, id, stamp, body string) string {
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write([]byte(id + "." + stamp + "." + body))
		return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	const body = `{"type": "server.version", "data": {"after": "2"}}`
	tests := []struct {
		name    string
		age     time.Duration
		body    string // as delivered
		sigs    func(stamp string) string
		secrets []string
		ok      bool
	}{
		{name: "valid", ok: true},
		{name: "late", age: 299 * time.Second, ok: true},
		{name: "too late", age: 301 * time.Second},
		{name: "early", age: -299 * time.Second, ok: true},
		{name: "too early", age: -301 * time.Second},
		{name: "other body", body: `{"type": "x"}`},
		{name: "several signatures", ok: true, sigs: func(stamp string) string {
			return "v1a,xyz v1,!!! " + sign("old", "m1", stamp, body) + "  " + sign("k", "m1", stamp, body)
		}},
		{name: "rotation", ok: true, secrets: []string{secret("new"), secret("k")}},
		{name: "other secret", secrets: []string{secret("other")}},
		{
			name: "other version",
			sigs: func(stamp string) string { return "v2" + sign("k", "m1", stamp, body)[2:] },
		},
		{name: "no signature", sigs: func(string) string { return "" }},
		{name: "empty secret", secrets: []string{"whsec_", ""}, sigs: func(stamp string) string {
			return sign("", "m1", stamp, body)
		}},
		{name: "secret that is not base64", secrets: []string{"whsec_?"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stamp := strconv.FormatInt(time.Now().Add(-tt.age).Unix(), 10)
				sigs := sign("k", "m1", stamp, body)
				if tt.sigs != nil {
					sigs = tt.sigs(stamp)
				}
				if tt.secrets == nil {
					tt.secrets = []string{secret("k")}
				}
				h := http.Header{}
				h.Set("webhook-id", "m1")
				h.Set("webhook-timestamp", stamp)
				h.Set("webhook-signature", sigs)
				w, err := Unwrap([]byte(firstOf(tt.body, body)), h, tt.secrets...)
				if tt.ok {
					want := &Webhook{ID: "m1", Type: "server.version", Body: []byte(body),
						Data: &WebhookVersionData{After: "2"}}
					if w != nil {
						want.Timestamp = w.Timestamp
					}
					if d := cmp.Diff(want, w); err != nil || d != "" {
						t.Errorf("%v %s", err, d)
					}
				}
				if !tt.ok && !errors.Is(err, ErrWebhook) {
					t.Errorf("got %+v, %v, want ErrWebhook", w, err)
				}
			})
		})
	}
	t.Run("vector of the specification", func(t *testing.T) {
		// From the Standard Webhooks specification.
		const id, stamp = "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330"
		got := signed([]byte(`{"test": 2432232314}`), id, stamp,
			"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
			[]string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"})
		if !got {
			t.Error("the signature of the specification is refused")
		}
	})
	if _, err := Unwrap(nil, http.Header{}); !errors.Is(err, ErrWebhook) {
		t.Errorf("got %v", err)
	}
}
