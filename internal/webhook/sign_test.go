package webhook

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
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

// standardVariable makes TestStandardWebhooks install and use the packages of others.
const standardVariable = "CENSUS_TEST_STANDARDWEBHOOKS"

const verifyNode = `
const { Webhook } = require("standardwebhooks");
const results = JSON.parse(require("fs").readFileSync(0, "utf8")).map((c) => {
	try { return new Webhook(c.secret).verify(c.body, c.headers).type; } catch (e) { return e.name; }
});
console.log(JSON.stringify(results));`

const verifyPython = `
import json, sys
from standardwebhooks.webhooks import Webhook, WebhookVerificationError
results = []
for c in json.load(sys.stdin):
    try:
        results.append(Webhook(c["secret"]).verify(c["body"], c["headers"])["type"])
    except WebhookVerificationError as e:
        results.append(type(e).__name__)
print(json.dumps(results))`

// TestStandardWebhooks verifies deliveries with the packages standardwebhooks of npm and
// PyPI.
func TestStandardWebhooks(t *testing.T) {
	if os.Getenv(standardVariable) == "" {
		t.Skipf("SKIPPED: %s is not set; it installs packages of npm and PyPI", standardVariable)
	}
	dir := t.TempDir()
	run := func(t *testing.T, stdin []byte, name string, args ...string) []byte {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		if stdin != nil {
			in, err := os.CreateTemp(dir, "in")
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			if _, err := in.Write(stdin); err != nil {
				t.Fatal(err)
			}
			if _, err := in.Seek(0, 0); err != nil {
				t.Fatal(err)
			}
			cmd.Stdin = in
		}
		out, err := cmd.Output()
		if err != nil {
			var text string
			if e, ok := err.(*exec.ExitError); ok {
				text = string(e.Stderr)
			}
			t.Skipf("SKIPPED: %s %q failed: %v\n%s", name, args, err, text)
		}
		return out
	}
	type webhook struct {
		Secret  string            `json:"secret"`
		Body    string            `json:"body"`
		Headers map[string]string `json:"headers"`
	}
	now := time.Now()
	e := Endpoint{Secret: NewSecret()}
	former := e.Secret
	e.Rotate(now)
	event, err := Changes(nil, state())[0].Event(1, now)
	if err != nil {
		t.Fatal(err)
	}
	event.Data = json.RawMessage(`{"name":"Wetter für alle \u2028 ✓"}`)
	body, err := event.Body()
	if err != nil {
		t.Fatal(err)
	}
	signed := func(at time.Time, body, secret string) webhook {
		h := http.Header{}
		if err := Sign(h, event.ID, at, []byte(body), e.Secrets(now)); err != nil {
			t.Fatal(err)
		}
		w := webhook{Secret: secret, Body: body, Headers: map[string]string{}}
		for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
			w.Headers[name] = h.Get(name)
		}
		return w
	}
	tampered := signed(now, string(body), e.Secret)
	tampered.Body += " "
	input, err := json.Marshal([]webhook{
		signed(now, string(body), e.Secret), signed(now, string(body), former),
		signed(now, string(body), NewSecret()), signed(now.Add(-time.Hour), string(body), e.Secret), tampered,
	})
	if err != nil {
		t.Fatal(err)
	}
	const no = "WebhookVerificationError"
	want := []string{Listed, Listed, no, no, no}
	check := func(t *testing.T, out []byte) {
		t.Helper()
		var got []string
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	t.Run("npm", func(t *testing.T) {
		run(t, nil, "npm", "install", "--no-audit", "--no-fund", "--prefix", dir, "standardwebhooks")
		check(t, run(t, input, "node", "-e", verifyNode))
	})
	t.Run("PyPI", func(t *testing.T) {
		run(t, nil, "python3", "-m", "venv", "venv")
		run(t, nil, filepath.Join(dir, "venv/bin/pip"), "install", "--quiet", "standardwebhooks")
		check(t, run(t, input, filepath.Join(dir, "venv/bin/python"), "-c", verifyPython))
	})
}
