package webhook

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestSign compares a signature with the example of the specification Standard Webhooks.
func TestSign(t *testing.T) {
	h := http.Header{}
	if err := Sign(h, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0),
		[]byte(`{"test": 2432232314}`), []string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}); err != nil {
		t.Fatal(err)
	}
	want := http.Header{
		"Webhook-Id":        {"msg_p5jXN8AQM9LWM0D4loKWxJek"},
		"Webhook-Timestamp": {"1614265330"},
		"Webhook-Signature": {"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
	}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Error(diff)
	}
	if err := Sign(h, "a", time.Now(), nil, []string{"whsec_!"}); err == nil {
		t.Error("an invalid secret signs")
	}
}
