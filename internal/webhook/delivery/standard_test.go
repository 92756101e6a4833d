package delivery

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/webhook"
)

// standardVariable is the folder into which `make webhooks-check` installed the packages
// standardwebhooks of npm and PyPI.
const standardVariable = "CENSUS_TEST_STANDARDWEBHOOKS"

// A received is a request as the packages get it, at a Unix time. Their result is its type, or
// the name of their error.
type received struct {
	Secret  string            `json:"secret"`
	Body    string            `json:"body"`
	Headers map[string]string `json:"headers"`
	At      int64             `json:"at"`
}

func receivedOf(h http.Header, body, secret string) received {
	r := received{Secret: secret, Body: body, Headers: map[string]string{}}
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		r.Headers[name] = h.Get(name)
	}
	r.At, _ = strconv.ParseInt(h.Get("webhook-timestamp"), 10, 64)
	return r
}

const refused = "WebhookVerificationError"

const verifyNode = `
const { Webhook } = require("standardwebhooks");
const results = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).map((c) => {
	Date.now = () => c.at * 1000;
	try { return new Webhook(c.secret).verify(c.body, c.headers).type; } catch (e) { return e.name; }
});
console.log(JSON.stringify(results));`

const verifyPython = `
import datetime, json, sys
from standardwebhooks import webhooks
results, at = [], 0
class Clock(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(at, tz)
webhooks.datetime = Clock
for c in json.load(open(sys.argv[1])):
    at = c["at"]
    try:
        results.append(webhooks.Webhook(c["secret"]).verify(c["body"], c["headers"])["type"])
    except webhooks.WebhookVerificationError as e:
        results.append(type(e).__name__)
print(json.dumps(results))`

// verifyAll checks what the packages of others return for requests.
func verifyAll(t *testing.T, all []received, want []string) {
	t.Helper()
	dir := os.Getenv(standardVariable)
	if dir == "" {
		t.Skip("SKIPPED: run make webhooks-check, which installs packages of npm and PyPI")
	}
	input := filepath.Join(t.TempDir(), "received.json")
	b, err := json.Marshal(all)
	if err == nil {
		err = os.WriteFile(input, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, command := range map[string][]string{
		"npm": {"node", "-e", verifyNode}, "PyPI": {filepath.Join(dir, "venv/bin/python"), "-c", verifyPython},
	} {
		cmd := exec.Command(command[0], append(command[1:], input)...)
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		var got []string
		out, err := cmd.Output()
		if err == nil {
			err = json.Unmarshal(out, &got)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %.2000s", name, diff)
		} else {
			t.Logf("%s: %d requests", name, len(got))
		}
	}
}

// TestStandardWebhooks verifies requests during a rotation, and altered ones, with the packages
// of others.
func TestStandardWebhooks(t *testing.T) {
	e := webhook.Endpoint{Generation: 1}
	former := secretOf(e)
	e.Rotate(now)
	other := webhook.Endpoint{ID: 1, Generation: 1}
	signed := func(at time.Time, text, secret string) received {
		body := fmt.Sprintf(`{"type":%q,"data":%q}`, webhook.Test, text)
		h := http.Header{}
		if err := webhook.Sign(h, "evt_1", at, []byte(body), e.Secrets(nil, now)); err != nil {
			t.Fatal(err)
		}
		r := receivedOf(h, body, secret)
		r.At = now.Unix()
		return r
	}
	const text = "Wetter für alle \u2028 ✓"
	tampered := signed(now, text, secretOf(e))
	tampered.Body = strings.Replace(tampered.Body, "alle", "viele", 1)
	verifyAll(t, []received{
		signed(now, text, secretOf(e)), signed(now, text, former), signed(now, text, secretOf(other)),
		signed(now.Add(-time.Hour), text, secretOf(e)), tampered,
	}, []string{webhook.Test, webhook.Test, refused, refused, refused})
}
