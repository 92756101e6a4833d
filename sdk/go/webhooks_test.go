package census

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

func TestUnwrap(t *testing.T) {
	secret := func(key string) string { return "whsec_" + base64.StdEncoding.EncodeToString([]byte(key)) }
	sign := func(key, id, stamp, body string) string {
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write([]byte(id + "." + stamp + "." + body))
		return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	const body = `{"type": "server.score_changed", "data": {"a": 1}}`
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
				if tt.ok &&
					(err != nil || w.Type != "server.score_changed" || string(w.Data) != `{"a": 1}` || w.ID != "m1") {
					t.Errorf("got %+v, %v", w, err)
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
