package webhook

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSettings(t *testing.T) {
	tests := []struct {
		url  string
		want string // "" if it is accepted
	}{
		{"https://example.com/hooks?key=1", ""},
		{"https://example.com:8443/", ""},
		{"https://hooks.internal:9000/x", ""}, // listed by the operator
		{"http://hooks.internal:9000/x", ""},
		{"http://127.0.0.1:9001/", ""},
		{"https://hooks.internal/x", "must have a public host name, not an address"},
		{"http://example.com/", "must begin with https://"},
		{"ftp://example.com/", "must begin with https://"},
		{"", "must be a URL such as https://example.com/webhooks"},
		{"https:example.com", "must be a URL such as https://example.com/webhooks"},
		{"https://user:pass@example.com/", "must not contain a user name or password"},
		{"https://@example.com/", "must not contain a user name or password"},
		{"https://example.com/#a", "must not have a fragment"},
		{"https://example.com/a b", "must consist of ASCII characters without spaces"},
		{"https://exämple.com/", "must consist of ASCII characters without spaces"},
		{"https://example.com/\x00", "must consist of ASCII characters without spaces"},
		{"https://127.0.0.1/", "must have a public host name, not an address"},
		{"https://93.184.216.34/", "must have a public host name, not an address"},
		{"https://[::1]/", "must have a public host name, not an address"},
		{"https://2130706433/", "must have a public host name, not an address"},
		{"https://0x7f.1/", "must have a public host name, not an address"},
		{"https://127.1/", "must have a public host name, not an address"},
		{"https://127.0.0.1./", "must have a public host name, not an address"},
		{"https://localhost/", "must have a public host name, not an address"},
		{"https://a.localhost/", "must have a public host name, not an address"},
		{"https://metadata.google.internal/", "must have a public host name, not an address"},
		{"https://example.com:25/", "must have the port 443 or one from 1024 to 65535"},
		{"https://example.com:99999/", "must have the port 443 or one from 1024 to 65535"},
		{"https://example.com:/", "has no port after the colon"},
		{"https://example.com/" + strings.Repeat("a", 2000), "must have at most 2000 characters"},
	}
	for _, tt := range tests {
		_, faults := Settings{URL: tt.url}.Check([]string{"hooks.internal:9000", "127.0.0.1:9001"})
		got := ""
		if len(faults) > 0 {
			got = faults[0].Message
		}
		if got != tt.want {
			t.Errorf("%q: %q, want %q", tt.url, got, tt.want)
		}
	}
	many := make([]string, 101)
	for i := range many {
		many[i] = strings.Repeat("a", i+1)
	}
	for name, tt := range map[string]struct {
		settings Settings
		want     string // fields
	}{
		"events":        {Settings{Events: []string{"server.nope\n"}}, "events"},
		"servers":       {Settings{Servers: many}, "servers"},
		"both":          {Settings{Servers: many[:1], Search: "a"}, "search"},
		"description":   {Settings{Description: "a\x00"}, "description"},
		"long":          {Settings{Description: strings.Repeat("ü", 201)}, "description"},
		"everything ok": {Settings{Events: []string{Listed, Listed}, Search: "a", Description: "ü"}, ""},
	} {
		tt.settings.URL = "https://example.com/"
		got, faults := tt.settings.Check(nil)
		var fields []string
		for _, f := range faults {
			fields = append(fields, f.Field)
		}
		if diff := cmp.Diff(tt.want, strings.Join(fields, ",")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if name == "everything ok" && !cmp.Equal(got.Events, []string{Listed}) {
			t.Errorf("events are %q", got.Events)
		}
	}
}

// Secrets are derived, and sign until a day after their rotation.
func TestSecrets(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	key := []byte("a key")
	first := Endpoint{ID: 7, Generation: 1, CreatedAt: now}
	seen := map[string]bool{first.Secrets(key, now)[0]: true}
	again := first
	if !seen[again.Secrets(key, now)[0]] {
		t.Error("an endpoint has two secrets")
	}
	for name, e := range map[string]Endpoint{
		"generation": {ID: 7, Generation: 2, CreatedAt: now},
		"endpoint":   {ID: 8, Generation: 1, CreatedAt: now},
		"restored":   {ID: 7, Generation: 1, CreatedAt: now.Add(time.Microsecond)},
	} {
		if secret := e.Secrets(key, now)[0]; seen[secret] || len(secret) != len("whsec_")+44 {
			t.Errorf("another %s: %d characters, seen before: %v", name, len(secret), seen[secret])
		}
	}
	if seen[first.Secrets([]byte("b key"), now)[0]] {
		t.Error("two keys derive the same")
	}
	before := first.Secrets(key, now)[0]
	first.Rotate(now)
	if got := first.Secrets(key, now); len(got) != 2 || got[1] != before {
		t.Errorf("rotated: %v", got)
	}
	if got := first.Secrets(key, now.Add(25*time.Hour)); len(got) != 1 {
		t.Errorf("a day later: %v", got)
	}
}
