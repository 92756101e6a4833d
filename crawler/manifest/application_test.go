package manifest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/settings"
)

func TestApplicationEnvironment(t *testing.T) {
	for text, want := range map[string]string{
		"tide.key=${TIDE_KEY}":                     "TIDE_KEY!",
		"tide:\n  zone: ${TIDE_ZONE:north}":        "TIDE_ZONE=north",
		"tide.zone=${TIDE_ZONE:}":                  "TIDE_ZONE",
		"tide.key=${TIDE_KEY:none}":                "TIDE_KEY", // no default of a secret
		"url: ${TIDE_URL:https://${TIDE_HOST}/v1}": "TIDE_URL TIDE_HOST",
		"url: jdbc:${TIDE_HOST}:${TIDE_PORT:5432}": "TIDE_HOST! TIDE_PORT=5432",
		"# tide.key=${TIDE_KEY}":                   "",
		"tide.zone=${tide.zones.first}":            "",
		"a: 1\n---\nspring:\n  config:\n    activate:\n      on-profile: cloud\nkey: ${TIDE_KEY}": "TIDE_KEY?",
		"key: \"${TIDE_KEY}\"\n---\nb: ${TIDE_B:1}":                                               "TIDE_KEY! TIDE_B=1",
	} {
		var got []string
		for _, c := range ApplicationEnvironment([]byte(text)) {
			s := c.Name
			if c.Default != "" {
				s += "=" + c.Default
			}
			got = append(got, s+map[settings.Need]string{settings.Required: "!", settings.Unstated: "?"}[c.Need])
		}
		if d := cmp.Diff(want, strings.Join(got, " ")); d != "" {
			t.Errorf("%s (-want +got)\n%s", text, d)
		}
	}
}

func TestIsApplication(t *testing.T) {
	for p, want := range map[string]bool{"src/main/resources/application.properties": true,
		"application.yml": true, "a/application.yaml": true, "application-dev.yml": false, "my-application.yml": false} {
		if IsApplication(p) != want {
			t.Errorf("IsApplication(%q) is not %v", p, want)
		}
	}
}
