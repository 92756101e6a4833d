package census

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// webhookTolerance is the maximum deviation of the timestamp.
const webhookTolerance = 5 * time.Minute

// ErrWebhook reports that the signature of a webhook is invalid or too old.
var ErrWebhook = errors.New("census: the webhook is not authentic")

// A Webhook is a verified message.
type Webhook struct {
	ID        string    // the same for every delivery of a message
	Timestamp time.Time // of this delivery
	Type      string
	// Data has the type for Type, as in [WebhookPayload].
	Data any
	Body []byte // as it was received
}

// Unwrap verifies and parses a webhook as specified by Standard Webhooks. body is the raw body of
// the request. secrets are one or, during a rotation, several strings of the form "whsec_…". The
// error is [ErrWebhook], or a [*DecodeError]
// for an authentic body that is not JSON.
func Unwrap(body []byte, header http.Header, secrets ...string) (*Webhook, error) {
	id, stamp := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	at := time.Unix(seconds, 0)
	if id == "" || err != nil || time.Since(at).Abs() > webhookTolerance {
		return nil, ErrWebhook
	}
	if !signed(body, id, stamp, header.Get("Webhook-Signature"), secrets) {
		return nil, ErrWebhook
	}
	var p WebhookPayload
	if err := json.Unmarshal(body, &p); err != nil {
		return nil, &DecodeError{http.StatusOK, header.Get("Content-Type"), body, err}
	}
	return &Webhook{ID: id, Timestamp: at.UTC(), Type: p.Type, Data: p.Data, Body: body}, nil
}

// signed reports whether one of the signatures was made with one of the secrets.
func signed(body []byte, id, stamp, signatures string, secrets []string) bool {
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) == 0 {
			continue
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + stamp + "."))
		mac.Write(body)
		sum := mac.Sum(nil)
		for signature := range strings.FieldsSeq(signatures) {
			text, ok := strings.CutPrefix(signature, "v1,")
			given, err := base64.StdEncoding.DecodeString(text)
			if ok && err == nil && hmac.Equal(sum, given) {
				return true
			}
		}
	}
	return false
}
